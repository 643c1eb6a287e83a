//! Formulas without noise: what is true or false whatever the variables are is folded away, for people. The
//! formula that was checked stays as it is; what is shown says the same.

use buttress_term::{Evaluation, Node, Op, TermId, Terms, Value};
use num_bigint::BigInt;
use num_traits::Zero;

/// An equivalent formula with constants folded; `true` where it says nothing.
pub fn plain(terms: &mut Terms, formula: TermId) -> TermId {
    let mut image = rustc_hash::FxHashMap::default();
    for term in terms.cone([formula]) {
        let operands: Vec<TermId> = terms.operands(term).iter().map(|o| image[o]).collect();
        let same = match operands.is_empty() {
            true => term,
            false => terms.with_operands(term, &operands),
        };
        let folded = fold(terms, same);
        image.insert(term, folded);
    }
    image[&formula]
}

/// One step, of a term whose operands are folded.
fn fold(terms: &mut Terms, term: TermId) -> TermId {
    let Node::Apply(op, _, operands) = terms.node(term) else { return term };
    let operands = operands.to_vec();
    if !operands.is_empty() && operands.iter().all(|&o| terms.as_constant(o).is_some()) {
        let value = Evaluation::new(terms).value(term);
        return value.map_or(term, |value| terms.constant(value));
    }
    let truth = |terms: &Terms, t: TermId| match terms.as_constant(t) {
        Some(Value::Bool(b)) => Some(*b),
        _ => None,
    };
    match (op, &operands[..]) {
        (Op::Not, &[a]) => match terms.node(a) {
            Node::Apply(Op::Not, _, &[b]) => b,
            _ => term,
        },
        (Op::And | Op::Or, parts) => junction(terms, op, parts),
        (Op::Implies, &[a, b]) => match (truth(terms, a), truth(terms, b)) {
            (Some(true), _) => b,
            (Some(false), _) | (_, Some(true)) => terms.bool(true),
            (_, Some(false)) => terms.not(a),
            _ if a == b => terms.bool(true),
            _ => term,
        },
        (Op::Eq, &[a, b]) => match (truth(terms, a), truth(terms, b)) {
            _ if a == b => terms.bool(true),
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) => terms.not(b),
            (_, Some(false)) => terms.not(a),
            _ => term,
        },
        (Op::Ite, &[c, a, b]) => match truth(terms, c) {
            Some(true) => a,
            Some(false) => b,
            None if a == b => a,
            None => term,
        },
        (Op::Le | Op::Lt | Op::Ge | Op::Gt, &[a, b]) => {
            compared(terms, op, a, b).map_or(term, |b| terms.bool(b))
        }
        _ => term,
    }
}

/// A conjunction or disjunction without what does not matter, each part once.
fn junction(terms: &mut Terms, op: Op, parts: &[TermId]) -> TermId {
    let (neutral, ends) = (terms.bool(op == Op::And), terms.bool(op == Op::Or));
    let mut kept: Vec<TermId> = Vec::new();
    for &part in parts.iter().filter(|&&part| part != neutral) {
        if part == ends {
            return ends;
        }
        if !kept.contains(&part) {
            kept.push(part);
        }
    }
    match (kept.len(), op) {
        (0, _) => neutral,
        (1, _) => kept[0],
        (_, Op::And) => terms.all(&kept),
        (_, _) => terms.any(&kept),
    }
}

/// Integers that differ by a constant: x - 1 <= x.
fn compared(terms: &Terms, op: Op, a: TermId, b: TermId) -> Option<bool> {
    let ((a, less), (b, more)) = (offset(terms, a), offset(terms, b));
    (a == b).then(|| match op {
        Op::Le => less <= more,
        Op::Lt => less < more,
        Op::Ge => less >= more,
        _ => less > more,
    })
}

/// A term as another one and a number.
fn offset(terms: &Terms, term: TermId) -> (TermId, BigInt) {
    let number = |t: TermId| match terms.as_constant(t) {
        Some(Value::Int(n)) => Some(n.clone()),
        _ => None,
    };
    match terms.node(term) {
        Node::Apply(Op::Add, _, &[x, y]) => match (number(x), number(y)) {
            (Some(n), None) => (y, n),
            (None, Some(n)) => (x, n),
            _ => (term, BigInt::zero()),
        },
        Node::Apply(Op::Sub, _, &[x, y]) => number(y).map_or((term, BigInt::zero()), |n| (x, -n)),
        _ => (term, BigInt::zero()),
    }
}

#[cfg(test)]
mod tests {
    use buttress_term::Sort;

    use super::*;

    #[test]
    fn noise_is_folded_and_nothing_else() {
        let mut terms = Terms::new();
        let (x, one, six) = (terms.variable("x", Sort::Int), terms.int(1), terms.int(6));
        let (five, yes) = (terms.int(5), terms.bool(true));
        let less = terms.app(Op::Sub, &[x, one]);
        let below = terms.app(Op::Le, &[less, x]);
        assert_eq!(plain(&mut terms, below), yes);
        let above = terms.app(Op::Gt, &[less, x]);
        let no = terms.bool(false);
        assert_eq!(plain(&mut terms, above), no);
        let (known, asked) = (terms.app(Op::Le, &[five, six]), terms.app(Op::Le, &[x, one]));
        let same = terms.eq(known, asked);
        assert_eq!(plain(&mut terms, same), asked);
        let either = terms.or(asked, asked);
        assert_eq!(plain(&mut terms, either), asked);
        assert_eq!(plain(&mut terms, asked), asked);
    }
}
