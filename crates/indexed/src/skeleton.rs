//! The Boolean skeleton of formulas: case distinctions between numbers lifted to Booleans, and the atoms that are
//! left.

use buttress_term::{Node, Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::simplify::simplify;

/// An equal Boolean term whose atoms have no case distinction in them.
pub fn lift(terms: &mut Terms, term: TermId, known: &mut FxHashMap<TermId, TermId>) -> TermId {
    if let Some(&known) = known.get(&term) {
        return known;
    }
    let new = match terms.node(term) {
        Node::Apply(op, _, operands) if is_connective(terms, op, operands) => {
            let operands = operands.to_vec();
            let operands: Vec<TermId> = operands.iter().map(|&t| lift(terms, t, known)).collect();
            terms.with_operands(term, &operands)
        }
        _ => match inner_case(terms, term) {
            None => term,
            Some((case, [condition, then, other])) => {
                let mut branch = |value: TermId| {
                    let branch = terms.substitute(&[term], &[(case, value)].into_iter().collect())[0];
                    let branch = simplify(terms, branch);
                    lift(terms, branch, known)
                };
                let (then, other) = (branch(then), branch(other));
                let condition = lift(terms, condition, known);
                let lifted = terms.ite(condition, then, other);
                simplify(terms, lifted)
            }
        },
    };
    known.insert(term, new);
    new
}

/// Whether an operator only joins Booleans.
pub fn is_connective(terms: &Terms, op: Op, operands: &[TermId]) -> bool {
    match op {
        Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies => true,
        Op::Eq | Op::Ite => operands.iter().all(|&t| *terms.sort(t) == Sort::Bool),
        _ => false,
    }
}

/// A case distinction below an atom that has none inside itself.
fn inner_case(terms: &Terms, atom: TermId) -> Option<(TermId, [TermId; 3])> {
    let cone = terms.cone([atom]);
    let case = |t: &TermId| match terms.node(*t) {
        Node::Apply(Op::Ite, _, &[condition, then, other]) => Some((*t, [condition, then, other])),
        _ => None,
    };
    cone.iter().find_map(case)
}

/// The atoms of lifted terms, in the order in which they occur.
pub fn atoms(terms: &Terms, roots: &[TermId], found: &mut Vec<TermId>, seen: &mut FxHashMap<TermId, ()>) {
    let mut todo: Vec<TermId> = roots.iter().rev().copied().collect();
    while let Some(term) = todo.pop() {
        if seen.insert(term, ()).is_some() {
            continue;
        }
        match terms.node(term) {
            Node::Constant(_) => {}
            Node::Apply(op, _, operands) if is_connective(terms, op, operands) => {
                todo.extend(operands.iter().rev());
            }
            _ => found.push(term),
        }
    }
}
