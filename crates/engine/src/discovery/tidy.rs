//! Relations as people write them. Comparisons of numbers are said without a negation, with the constant on the right and, of integers,
//! without `<` and `>`: what reads differently says something different. Of an implication and its contraposition one
//! is enough.

use buttress_query::Relation;
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

/// A relation as a formula: what equals `true` is said plainly.
pub(super) fn formula(terms: &mut Terms, relation: &Relation) -> TermId {
    let Relation { op, left, right } = *relation;
    let formula = match (op, terms.as_constant(left), terms.as_constant(right)) {
        (Op::Eq, _, Some(Value::Bool(true))) => left,
        (Op::Eq, _, Some(Value::Bool(false))) => match terms.node(left) {
            Node::Apply(Op::Not, _, &[inner]) => inner,
            _ => terms.not(left),
        },
        _ => terms.app(op, &[left, right]),
    };
    comparison(terms, formula)
}

/// A comparison of numbers, or its negation, in its usual form; anything else as it is.
fn comparison(terms: &mut Terms, formula: TermId) -> TermId {
    let (inner, negated) = match terms.node(formula) {
        Node::Apply(Op::Not, _, &[inner]) => (inner, true),
        _ => (formula, false),
    };
    let (op, a, b) = match terms.node(inner) {
        Node::Apply(op @ (Op::Lt | Op::Le | Op::Gt | Op::Ge), _, &[a, b]) => (op, a, b),
        _ => return formula,
    };
    let op = if negated { opposite(op) } else { op };
    let (op, a, b) = if terms.as_constant(a).is_some() { (mirrored(op), b, a) } else { (op, a, b) };
    match (op, terms.as_constant(b).cloned()) {
        (Op::Lt, Some(Value::Int(c))) if *terms.sort(a) == Sort::Int => at(terms, Op::Le, a, c - 1),
        (Op::Gt, Some(Value::Int(c))) if *terms.sort(a) == Sort::Int => at(terms, Op::Ge, a, c + 1),
        _ => terms.app(op, &[a, b]),
    }
}

fn at(terms: &mut Terms, op: Op, a: TermId, bound: BigInt) -> TermId {
    let bound = terms.int(bound);
    terms.app(op, &[a, bound])
}

fn opposite(op: Op) -> Op {
    match op {
        Op::Lt => Op::Ge,
        Op::Le => Op::Gt,
        Op::Gt => Op::Le,
        _ => Op::Lt,
    }
}

fn mirrored(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        _ => Op::Le,
    }
}

/// The terms whose negation is compared, too, with it.
pub(super) fn negations<'t>(
    terms: &Terms,
    compared: impl Iterator<Item = &'t TermId>,
) -> FxHashMap<TermId, TermId> {
    let inner = |&term: &TermId| match terms.node(term) {
        Node::Apply(Op::Not, _, &[inner]) => Some((inner, term)),
        _ => None,
    };
    compared.filter_map(inner).collect()
}

/// An implication or its contraposition, always the same one of the two.
pub(super) fn implication(
    left: TermId,
    right: TermId,
    negations: &FxHashMap<TermId, TermId>,
    terms: &Terms,
) -> (TermId, TermId) {
    let negation = |t: TermId| match terms.node(t) {
        Node::Apply(Op::Not, _, &[inner]) => Some(inner),
        _ => negations.get(&t).copied(),
    };
    match (negation(right), negation(left)) {
        (Some(a), Some(b)) => (left, right).min((a, b)),
        _ => (left, right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_said_in_one_way() {
        let mut terms = Terms::default();
        let (x, r) = (terms.variable("x", Sort::Int), terms.variable("r", Sort::Real));
        let (six, five) = (terms.int(6), terms.int(5));
        let zero = terms.constant(Value::zero(&Sort::Real));
        let at_most = terms.app(Op::Le, &[x, five]);
        let less = terms.app(Op::Lt, &[x, six]);
        let not_greater = terms.app(Op::Ge, &[x, six]);
        let not_greater = terms.not(not_greater);
        let mirrored = terms.app(Op::Ge, &[five, x]);
        for same in [at_most, less, not_greater, mirrored] {
            assert_eq!(comparison(&mut terms, same), at_most);
        }
        // Between reals there is more.
        let positive = terms.app(Op::Gt, &[r, zero]);
        assert_eq!(comparison(&mut terms, positive), positive);
        let not_positive = terms.not(positive);
        let at_most_zero = terms.app(Op::Le, &[r, zero]);
        assert_eq!(comparison(&mut terms, not_positive), at_most_zero);
    }

    #[test]
    fn an_implication_and_its_contraposition_are_one() {
        let mut terms = Terms::default();
        let (a, b) = (terms.variable("a", Sort::Bool), terms.variable("b", Sort::Bool));
        let (no_a, no_b) = (terms.not(a), terms.not(b));
        let all = [a, b, no_a, no_b];
        let negations = negations(&terms, all.iter());
        let one = |left, right| implication(left, right, &negations, &terms);
        assert_eq!(one(a, b), one(no_b, no_a));
        assert_eq!(one(a, no_b), one(b, no_a));
        assert_eq!(one(no_a, b), one(no_b, a));
        assert_ne!(one(a, b), one(b, a));
        // Without the negation of b there is only one to choose.
        assert_eq!(implication(a, b, &FxHashMap::default(), &terms), (a, b));
    }
}
