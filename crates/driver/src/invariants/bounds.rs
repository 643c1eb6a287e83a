//! Bounds of the same term: of `x <= 3` and `x <= 5` the second says nothing, nor does either beside `x = 2`.

use buttress_term::{Node, Op, TermId, Terms, Value};
use rustc_hash::FxHashMap;

/// The tightest bounds of each term, and its value where it has one.
#[derive(Default)]
pub struct Bounds {
    least: FxHashMap<TermId, Value>,
    greatest: FxHashMap<TermId, Value>,
    fixed: FxHashMap<TermId, TermId>,
}

impl Bounds {
    pub fn of(terms: &Terms, formulas: &[TermId]) -> Bounds {
        let mut bounds = Bounds::default();
        for &formula in formulas {
            let Some((op, term, constant)) = bound(terms, formula) else { continue };
            let value = || terms.as_constant(constant).expect("it is a constant").clone();
            match op {
                Op::Eq => drop(bounds.fixed.insert(term, constant)),
                Op::Le => {
                    let greatest = bounds.greatest.entry(term).or_insert_with(value);
                    *greatest = value().min(greatest.clone());
                }
                _ => {
                    let least = bounds.least.entry(term).or_insert_with(value);
                    *least = value().max(least.clone());
                }
            }
        }
        bounds
    }

    /// Whether a formula is a bound that follows from another one.
    pub fn imply(&self, terms: &Terms, formula: TermId) -> bool {
        let Some((op, term, constant)) = bound(terms, formula) else { return false };
        let tightest = match op {
            Op::Eq => return false,
            Op::Le => &self.greatest,
            _ => &self.least,
        };
        self.fixed.contains_key(&term) || tightest.get(&term) != terms.as_constant(constant)
    }
}

/// `term <= constant`, `term >= constant` or `term = constant` of numbers.
fn bound(terms: &Terms, formula: TermId) -> Option<(Op, TermId, TermId)> {
    let number = |t: TermId| matches!(terms.as_constant(t), Some(Value::Int(_) | Value::Real(_)));
    match terms.node(formula) {
        Node::Apply(op @ (Op::Le | Op::Ge | Op::Eq), _, &[term, constant]) if number(constant) => {
            Some((op, term, constant))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_term::Sort;

    #[test]
    fn the_tightest_bound_is_kept() {
        let mut terms = Terms::default();
        let (x, y) = (terms.variable("x", Sort::Int), terms.variable("y", Sort::Int));
        let mut at = |op, term, n: i32| {
            let constant = terms.int(n);
            terms.app(op, &[term, constant])
        };
        let loose = at(Op::Le, x, 5);
        let tight = at(Op::Le, x, 3);
        let least = at(Op::Ge, x, 0);
        let (value, below) = (at(Op::Eq, y, 2), at(Op::Le, y, 2));
        let bounds = Bounds::of(&terms, &[loose, tight, least, value, below]);
        let implied = [loose, tight, least, value, below].map(|formula| bounds.imply(&terms, formula));
        assert_eq!(implied, [true, false, false, false, true]);
    }
}
