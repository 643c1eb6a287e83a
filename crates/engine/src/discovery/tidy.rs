//! Relations as people write them. Comparisons of numbers are said without a negation, with the constant on the
//! right and, of integers, without `<` and `>`: what reads differently says something different. Of an implication
//! and its contraposition one is enough.

use buttress_query::Relation;
use buttress_term::{Node, Op, TermId, Terms, Value};
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

/// A comparison of numbers or words, or its negation, in its usual form; anything else as it is.
fn comparison(terms: &mut Terms, formula: TermId) -> TermId {
    let Some((below, strict, a, b)) = compared(terms, formula) else { return formula };
    match (strict, terms.as_constant(a).cloned(), terms.as_constant(b).cloned()) {
        (true, None, Some(Value::Int(c))) => with_bound(terms, Op::Le, a, c - 1),
        (true, Some(Value::Int(c)), None) => with_bound(terms, Op::Ge, b, c + 1),
        (_, Some(Value::Int(_) | Value::Real(_)), None) => {
            terms.app(if strict { Op::Gt } else { Op::Ge }, &[b, a])
        }
        _ => terms.app(below[usize::from(strict)], &[a, b]),
    }
}

fn with_bound(terms: &mut Terms, op: Op, a: TermId, bound: BigInt) -> TermId {
    let bound = terms.int(bound);
    terms.app(op, &[a, bound])
}

/// A comparison, or the negation of one, as `a <= b` or, strictly, `a < b`, with the operators for these.
fn compared(terms: &Terms, formula: TermId) -> Option<([Op; 2], bool, TermId, TermId)> {
    let (inner, negated) = match terms.node(formula) {
        Node::Apply(Op::Not, _, &[inner]) => (inner, true),
        _ => (formula, false),
    };
    let Node::Apply(op, _, &[a, b]) = terms.node(inner) else { return None };
    let (below, strict, mirrored) = match op {
        Op::Le => ([Op::Le, Op::Lt], false, false),
        Op::Lt => ([Op::Le, Op::Lt], true, false),
        Op::Ge => ([Op::Le, Op::Lt], false, true),
        Op::Gt => ([Op::Le, Op::Lt], true, true),
        Op::BvUle => ([Op::BvUle, Op::BvUlt], false, false),
        Op::BvUlt => ([Op::BvUle, Op::BvUlt], true, false),
        Op::BvUge => ([Op::BvUle, Op::BvUlt], false, true),
        Op::BvUgt => ([Op::BvUle, Op::BvUlt], true, true),
        Op::BvSle => ([Op::BvSle, Op::BvSlt], false, false),
        Op::BvSlt => ([Op::BvSle, Op::BvSlt], true, false),
        Op::BvSge => ([Op::BvSle, Op::BvSlt], false, true),
        Op::BvSgt => ([Op::BvSle, Op::BvSlt], true, true),
        _ => return None,
    };
    let (a, b) = if mirrored != negated { (b, a) } else { (a, b) };
    Some((below, strict != negated, a, b))
}

/// Whether one bound of an integer implies another whatever the integer is.
pub(super) fn is_implied(terms: &Terms, left: TermId, right: TermId) -> bool {
    match (bound(terms, left), bound(terms, right)) {
        (Some((a, Side::AtMost, x)), Some((b, Side::AtMost, y))) => a == b && x <= y,
        (Some((a, Side::AtLeast, x)), Some((b, Side::AtLeast, y))) => a == b && x >= y,
        _ => false,
    }
}

enum Side {
    AtMost,
    AtLeast,
}

/// An integer that is not constant, and what bounds it.
fn bound(terms: &Terms, formula: TermId) -> Option<(TermId, Side, BigInt)> {
    let (_, strict, a, b) = compared(terms, formula)?;
    let off = BigInt::from(u8::from(strict));
    match (terms.as_constant(a), terms.as_constant(b)) {
        (None, Some(Value::Int(c))) => Some((a, Side::AtMost, c - off)),
        (Some(Value::Int(c)), None) => Some((b, Side::AtLeast, c + off)),
        _ => None,
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
    use buttress_term::Sort;

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
    fn comparisons_of_words_are_said_in_one_way() {
        let mut terms = Terms::default();
        let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::BitVec(4)));
        for (above, below) in [(Op::BvUgt, Op::BvUle), (Op::BvSgt, Op::BvSle)] {
            let at_most = terms.app(below, &[x, y]);
            let greater = terms.app(above, &[x, y]);
            let not_greater = terms.not(greater);
            assert_eq!(comparison(&mut terms, not_greater), at_most);
            assert_eq!(comparison(&mut terms, at_most), at_most);
            assert_ne!(comparison(&mut terms, greater), at_most);
        }
    }

    #[test]
    fn what_follows_from_arithmetic_is_no_invariant() {
        let mut terms = Terms::default();
        let (x, y) = (terms.variable("x", Sort::Int), terms.variable("y", Sort::Int));
        let mut at = |op, term, n: i32| {
            let constant = terms.int(n);
            terms.app(op, &[term, constant])
        };
        let (less, at_most, more) = (at(Op::Lt, x, 5), at(Op::Le, x, 4), at(Op::Le, x, 5));
        let (least, other) = (at(Op::Ge, x, 5), at(Op::Le, y, 5));
        assert!(is_implied(&terms, less, at_most) && is_implied(&terms, at_most, less));
        assert!(is_implied(&terms, less, more) && !is_implied(&terms, more, less));
        assert!(!is_implied(&terms, at_most, other) && !is_implied(&terms, at_most, least));
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
