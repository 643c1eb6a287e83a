//! Claims for all places, as people write them.

use buttress_system::indexed::{Indexed, IndexedProof};
use buttress_term::infix::{of_maps, part_of_maps};
use buttress_term::{Node, Op, TermId, Terms, Value};

/// The clauses of a proof: `for all x: x >= 0 => F(x) >= 0`.
pub fn invariant(model: &Indexed, proof: &IndexedProof) -> Vec<String> {
    proof.clauses.iter().map(|&c| claim(model, proof, c)).collect()
}

fn claim(model: &Indexed, proof: &IndexedProof, clause: TermId) -> String {
    let read = proof.terms.free_variables([clause]);
    let bound: Vec<String> =
        proof.indices.iter().filter(|i| read.contains(i)).map(|&i| of_maps(&proof.terms, i)).collect();
    if let Some(never) = never(model, proof, clause) {
        let who = match bound.len() {
            0 => return format!("!({never})"),
            1 => "a process",
            _ => "different processes",
        };
        return format!("for all {}, {who}: !({never})", bound.join(", "));
    }
    match bound.is_empty() {
        true => implication(&proof.terms, clause),
        false => format!("for all {}: {}", bound.join(", "), implication(&proof.terms, clause)),
    }
}

/// The formula that never holds of different processes, where a clause states one: without the literals by which
/// they differ.
fn never(model: &Indexed, proof: &IndexedProof, clause: TermId) -> Option<String> {
    let (terms, size) = (&proof.terms, model.processes.as_ref()?.size);
    let Node::Apply(Op::Not, _, &[cube]) = terms.node(clause) else { return None };
    let Node::Apply(Op::And, _, literals) = terms.node(cube) else { return Some(part_of_maps(terms, cube)) };
    let process = |t: TermId| proof.indices.contains(&t);
    let as_such = |&literal: &TermId| match terms.node(literal) {
        Node::Apply(Op::Le, _, &[zero, i]) => {
            process(i) && terms.as_constant(zero) == Some(&Value::Int(0.into()))
        }
        Node::Apply(Op::Lt, _, &[i, n]) => process(i) && n == size,
        Node::Apply(Op::Not, _, &[same]) => match terms.node(same) {
            Node::Apply(Op::Eq, _, &[a, b]) => process(a) && process(b),
            _ => false,
        },
        _ => false,
    };
    let shown: Vec<String> =
        literals.iter().filter(|l| !as_such(l)).map(|&l| part_of_maps(terms, l)).collect();
    Some(shown.join(" & "))
}

/// A clause with its negative literals before the arrow.
fn implication(terms: &Terms, clause: TermId) -> String {
    let literals: Vec<TermId> = match terms.node(clause) {
        Node::Apply(Op::Or, _, literals) => literals.to_vec(),
        _ => vec![clause],
    };
    let negated = |t: &TermId| match terms.node(*t) {
        Node::Apply(Op::Not, _, &[a]) => Some(a),
        _ => None,
    };
    let given: Vec<String> = literals.iter().filter_map(negated).map(|a| part_of_maps(terms, a)).collect();
    let then: Vec<String> =
        literals.iter().filter(|t| negated(t).is_none()).map(|&t| part_of_maps(terms, t)).collect();
    match (given.is_empty(), then.is_empty()) {
        (true, _) => then.join(" | "),
        (false, true) if given.len() == 1 => format!("!({})", given[0]),
        (false, true) => format!("!({})", given.join(" & ")),
        (false, false) => format!("{} => {}", given.join(" & "), then.join(" | ")),
    }
}
