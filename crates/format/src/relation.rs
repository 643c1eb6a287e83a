//! Relations as functions: of a conjunction of formulas, the equations that give variables their values, and the
//! rest.

use buttress_term::{Node, Op, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parts of nested conjunctions.
pub(crate) fn conjuncts(terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut todo: Vec<TermId> = formulas.iter().rev().copied().collect();
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::Apply(Op::And, _, operands) => todo.extend(operands.iter().rev()),
            _ => parts.push(term),
        }
    }
    parts
}

/// Values that variables were given so far.
pub(crate) type Values = FxHashMap<TermId, TermId>;

/// Whether a value reads none of these.
pub(crate) fn closed_over(wanted: &FxHashSet<TermId>) -> impl Fn(&Terms, &Values, TermId, TermId) -> bool {
    |terms, _, _, value| !terms.free_variables([value]).iter().any(|v| wanted.contains(v))
}

/// Conjuncts that give one of `wanted` a value that fits, each once; and the rest.
pub(crate) fn equations(
    terms: &mut Terms,
    conjuncts: &[TermId],
    wanted: &FxHashSet<TermId>,
    fits: impl Fn(&Terms, &Values, TermId, TermId) -> bool,
) -> (FxHashMap<TermId, TermId>, Vec<TermId>) {
    let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut rest = Vec::new();
    for &conjunct in conjuncts {
        let pair = match terms.node(conjunct) {
            Node::Variable(_) => Some((conjunct, None, true)),
            Node::Apply(Op::Not, _, &[a]) if terms.is_variable(a) => Some((a, None, false)),
            Node::Apply(Op::Eq, _, &[a, b]) if wanted.contains(&a) => Some((a, Some(b), true)),
            Node::Apply(Op::Eq, _, &[a, b]) if wanted.contains(&b) => Some((b, Some(a), true)),
            _ => None,
        };
        let pair = pair.filter(|(variable, ..)| wanted.contains(variable) && !values.contains_key(variable));
        let pair =
            pair.map(|(variable, value, truth)| (variable, value.unwrap_or_else(|| terms.bool(truth))));
        match pair.filter(|&(variable, value)| fits(terms, &values, variable, value)) {
            Some((variable, value)) => drop(values.insert(variable, value).is_none()),
            None => rest.push(conjunct),
        }
    }
    (values, rest)
}

/// Whether a value depends on a variable, where variables may have values of their own.
pub(crate) fn depends(
    terms: &Terms,
    value: TermId,
    variable: TermId,
    value_of: impl Fn(TermId) -> Option<TermId>,
) -> bool {
    let (mut todo, mut seen) = (vec![value], FxHashSet::default());
    while let Some(term) = todo.pop() {
        for read in terms.free_variables([term]) {
            if read == variable {
                return true;
            }
            if seen.insert(read) {
                todo.extend(value_of(read));
            }
        }
    }
    false
}

/// Variables with their values, none of which depends on itself: each after those that its value reads.
pub(crate) fn in_order(terms: &Terms, given: Vec<(TermId, TermId)>) -> Vec<(TermId, TermId)> {
    let values: Values = given.iter().copied().collect();
    let (mut order, mut done) = (Vec::new(), FxHashSet::default());
    let mut todo: Vec<(TermId, bool)> = given.iter().rev().map(|&(variable, _)| (variable, false)).collect();
    while let Some((variable, ready)) = todo.pop() {
        if ready {
            order.push((variable, values[&variable]));
        } else if done.insert(variable) {
            todo.push((variable, true));
            let read = terms.free_variables([values[&variable]]);
            todo.extend(read.into_iter().filter(|v| values.contains_key(v)).map(|v| (v, false)));
        }
    }
    order
}
