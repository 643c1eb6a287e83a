//! Comparisons of sums in one form, so that cubes that say the same look the same: positive terms on the left, the
//! others and the constant on the right; between integers only ≤ and =, without negation.

use std::collections::BTreeMap;

use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Terms with their factors, and a constant.
#[derive(Default)]
struct Sum {
    terms: BTreeMap<TermId, BigRational>,
    constant: BigRational,
}

impl Sum {
    /// Adds `sign` times a term; `false` where it is no sum.
    fn add(&mut self, terms: &Terms, term: TermId, sign: &BigRational) -> bool {
        match terms.node(term) {
            Node::Constant(Value::Int(n)) => self.constant += sign * BigRational::from_integer(n.clone()),
            Node::Constant(Value::Real(n)) => self.constant += sign * n,
            Node::Constant(_) => return false,
            Node::Apply(Op::Add, _, operands) => return operands.iter().all(|&t| self.add(terms, t, sign)),
            Node::Apply(Op::Sub, _, &[a, b]) => {
                return self.add(terms, a, sign) && self.add(terms, b, &-sign);
            }
            Node::Apply(Op::Select, ..) | Node::Variable(_) => {
                let factor = self.terms.entry(term).or_insert_with(BigRational::zero);
                *factor += sign;
                if factor.is_zero() {
                    self.terms.remove(&term);
                }
            }
            Node::Apply(..) => return false,
        }
        true
    }
}

/// An atom or its negation in this form; `None` where it is no comparison of sums, or one of plain terms that are
/// equal or not.
pub fn normal(terms: &mut Terms, atom: TermId, positive: bool) -> Option<TermId> {
    let Node::Apply(op, _, &[a, b]) = terms.node(atom) else { return None };
    let sort = terms.sort(a).clone();
    if !matches!(sort, Sort::Int | Sort::Real) {
        return None;
    }
    let is_sum = |t: TermId| matches!(terms.node(t), Node::Apply(Op::Add | Op::Sub, ..));
    let plain = |t: TermId| !is_sum(t) && terms.as_constant(t).is_none();
    let plain = plain(a) && plain(b);
    // (left, right, strict): left ≤ right or left < right.
    let (left, right, strict) = match (op, positive) {
        (Op::Eq, _) if !is_sum(a) && !is_sum(b) => return None,
        (Op::Eq, _) => (a, b, false),
        (Op::Lt, true) | (Op::Ge, false) => (a, b, true),
        (Op::Le, true) | (Op::Gt, false) => (a, b, false),
        (Op::Gt, true) | (Op::Le, false) => (b, a, true),
        (Op::Ge, true) | (Op::Lt, false) => (b, a, false),
        _ => return None,
    };
    if plain {
        return Some(terms.app(if strict { Op::Lt } else { Op::Le }, &[left, right]));
    }
    let (mut sum, one) = (Sum::default(), BigRational::one());
    if !sum.add(terms, left, &one) || !sum.add(terms, right, &-&one) {
        return None;
    }
    let mut strict = strict;
    if strict && sort == Sort::Int {
        // a < b is a + 1 ≤ b.
        sum.constant += &one;
        strict = false;
    }
    if sum.terms.values().any(|f| f.abs() != one) {
        return None;
    }
    if op == Op::Eq && sum.terms.values().next().is_some_and(Signed::is_negative) {
        sum.terms.values_mut().for_each(|f| *f = -f.clone());
        sum.constant = -sum.constant;
    }
    let written = written(
        terms,
        &sum,
        &sort,
        if op == Op::Eq {
            Op::Eq
        } else if strict {
            Op::Lt
        } else {
            Op::Le
        },
    );
    Some(if op == Op::Eq && !positive { terms.not(written) } else { written })
}

/// positive terms (op) negative terms - constant
fn written(terms: &mut Terms, sum: &Sum, sort: &Sort, op: Op) -> TermId {
    if sum.terms.is_empty() {
        let holds = match op {
            Op::Eq => sum.constant.is_zero(),
            Op::Lt => sum.constant.is_negative(),
            _ => !sum.constant.is_positive(),
        };
        return terms.bool(holds);
    }
    let of = |positive: bool| {
        let own = sum.terms.iter().filter(move |(_, f)| f.is_positive() == positive);
        own.map(|(&t, _)| t).collect::<Vec<TermId>>()
    };
    let (left, right) = (of(true), of(false));
    let constant = -sum.constant.clone();
    let zero = BigRational::zero();
    let (left, right) = match left.is_empty() {
        true => (joined(terms, &left, &-constant, sort), joined(terms, &right, &zero, sort)),
        false => (joined(terms, &left, &zero, sort), joined(terms, &right, &constant, sort)),
    };
    terms.app(op, &[left, right])
}

fn joined(terms: &mut Terms, parts: &[TermId], constant: &BigRational, sort: &Sort) -> TermId {
    let value = match sort {
        Sort::Int => Value::Int(constant.to_integer()),
        _ => Value::Real(constant.clone()),
    };
    let mut all = parts.to_vec();
    if all.is_empty() || !constant.is_zero() {
        all.push(terms.constant(value));
    }
    match all.as_slice() {
        &[one] => one,
        many => terms.app(Op::Add, many),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_the_same_looks_the_same() {
        let mut terms = Terms::new();
        let (x, y) = (terms.variable("x", Sort::Int), terms.variable("y", Sort::Int));
        let (one, two) = (terms.int(1), terms.int(2));
        let plus = terms.app(Op::Add, &[x, one]);
        let minus = terms.app(Op::Sub, &[plus, one]);
        let sum = terms.app(Op::Add, &[y, two]);
        let plain = terms.app(Op::Le, &[y, x]);
        // x + 1 - 1 < y + 2 and ¬(y + 2 ≤ x)
        let (less, other) = (terms.app(Op::Lt, &[minus, sum]), terms.app(Op::Le, &[sum, x]));
        assert_eq!(normal(&mut terms, less, true), normal(&mut terms, other, false));
        // Of plain terms, the order stays as it is.
        assert_eq!(normal(&mut terms, plain, false), Some(terms.app(Op::Lt, &[x, y])));
        let bound = terms.app(Op::Le, &[one, plus]);
        let positive = normal(&mut terms, bound, true).expect("a comparison");
        let zero = terms.int(0);
        assert_eq!(positive, terms.app(Op::Le, &[zero, x]));
        let never = terms.app(Op::Lt, &[two, one]);
        assert_eq!(normal(&mut terms, never, true), Some(terms.bool(false)));
        let equal = terms.eq(x, y);
        assert_eq!(normal(&mut terms, equal, true), None);
    }
}
