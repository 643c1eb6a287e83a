//! Folding of constants and of what is the same: conditions that a chosen case decides go away.
//!
//! For producers only. The checker reads terms as they are.

use buttress_term::{Node, Op, TermId, Terms, Value};
use rustc_hash::FxHashMap;

/// An equal term, reduced and folded.
pub fn simplify(terms: &mut Terms, root: TermId) -> TermId {
    let root = terms.reduce(root);
    fold(terms, root, &mut FxHashMap::default())
}

fn fold(terms: &mut Terms, term: TermId, known: &mut FxHashMap<TermId, TermId>) -> TermId {
    if let Some(&known) = known.get(&term) {
        return known;
    }
    let operands = terms.operands(term).to_vec();
    let operands: Vec<TermId> = operands.iter().map(|&t| fold(terms, t, known)).collect();
    let new = match terms.node(term) {
        Node::Apply(op, ..) => {
            folded(terms, op, &operands).unwrap_or_else(|| terms.with_operands(term, &operands))
        }
        _ => term,
    };
    known.insert(term, new);
    new
}

fn folded(terms: &mut Terms, op: Op, operands: &[TermId]) -> Option<TermId> {
    let truth = |t: TermId| terms.as_constant(t).and_then(Value::as_bool);
    match (op, operands) {
        (Op::Not, &[a]) => match terms.node(a) {
            Node::Apply(Op::Not, _, &[inner]) => Some(inner),
            _ => truth(a).map(|value| terms.bool(!value)),
        },
        (Op::And | Op::Or, _) => Some(junction(terms, op, operands)),
        (Op::Implies, &[a, b]) => {
            let not = folded(terms, Op::Not, &[a]).unwrap_or_else(|| terms.not(a));
            Some(junction(terms, Op::Or, &[not, b]))
        }
        (Op::Ite, &[condition, then, other]) => match truth(condition) {
            Some(value) => Some(if value { then } else { other }),
            None if then == other => Some(then),
            None => match (truth(then), truth(other)) {
                (Some(true), Some(false)) => Some(condition),
                (Some(false), Some(true)) => Some(terms.not(condition)),
                _ => None,
            },
        },
        (Op::Eq, &[a, b]) if a == b => Some(terms.bool(true)),
        (Op::Eq, &[a, b]) => {
            let constants = terms.as_constant(a).is_some() && terms.as_constant(b).is_some();
            constants.then(|| terms.bool(false))
        }
        (Op::Lt | Op::Le | Op::Gt | Op::Ge, &[a, b]) => {
            let (a, b) = (terms.as_constant(a)?.clone(), terms.as_constant(b)?.clone());
            Some(terms.bool(match op {
                Op::Lt => a < b,
                Op::Le => a <= b,
                Op::Gt => a > b,
                _ => a >= b,
            }))
        }
        _ => None,
    }
}

/// A conjunction or disjunction, flat, without what does not matter.
fn junction(terms: &mut Terms, op: Op, operands: &[TermId]) -> TermId {
    let neutral = op == Op::And;
    let mut parts: Vec<TermId> = Vec::new();
    let mut todo: Vec<TermId> = operands.iter().rev().copied().collect();
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::Constant(Value::Bool(value)) if *value == neutral => {}
            Node::Constant(_) => return term,
            Node::Apply(inner, _, operands) if inner == op => todo.extend(operands.iter().rev()),
            _ if parts.contains(&term) => {}
            _ => parts.push(term),
        }
    }
    if neutral { terms.all(&parts) } else { terms.any(&parts) }
}
