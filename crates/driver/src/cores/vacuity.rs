//! Syntactic vacuity: a subformula of a property that does not matter.
//!
//! In the formula of the property, the subformula is replaced by an input that nobody reads elsewhere. If the
//! property still holds, it holds whatever the subformula says: mostly a sign that something else is wrong, such
//! as a premise that is never true.

use std::sync::Arc;

use buttress_solve::Stop;
use buttress_system::PropertyId;
use buttress_system::words::{Label, Role, System};
use buttress_term::infix::infix;
use buttress_term::{Sort, TermId};
use rustc_hash::FxHashMap;

use super::trials::{Means, decide};

/// A subformula, as text, that can be replaced by anything. Only the largest are told.
pub fn unneeded(system: &System, property: PropertyId, means: &Means, stop: &Stop) -> Vec<String> {
    let formula = formula(system, property);
    let mut found = Vec::new();
    let mut todo = vec![formula];
    let mut seen = Vec::new();
    while let Some(term) = todo.pop() {
        for &part in system.terms.operands(term) {
            let open = *system.terms.sort(part) == Sort::Bool && system.terms.as_constant(part).is_none();
            if !open || seen.contains(&part) {
                continue;
            }
            seen.push(part);
            match holds_without(system, formula, part, means, stop) {
                true => found.push(infix(&system.terms, part)),
                false => todo.push(part),
            }
        }
    }
    found
}

/// The claimed formula: the equation of the property where it is a variable with one.
fn formula(system: &System, property: PropertyId) -> TermId {
    let bad = system.property(property).bad;
    let claim = match system.terms.operands(bad) {
        [inner] if *system.terms.sort(*inner) == Sort::Bool => *inner,
        _ => return bad,
    };
    match system.roles()[claim.index()] {
        Some(Role::Definition(d)) => system.definitions[d].value,
        _ => claim,
    }
}

fn holds_without(system: &System, formula: TermId, part: TermId, means: &Means, stop: &Stop) -> bool {
    let mut other = system.clone();
    let anything = other.add_input(Sort::Bool, Label::new("anything"));
    let by: FxHashMap<TermId, TermId> = [(part, anything)].into_iter().collect();
    let claim = other.terms.substitute(&[formula], &by)[0];
    // A property whose `bad` is no negation is its own formula.
    let is_bad = system.properties.iter().any(|p| p.bad == formula);
    let bad = if is_bad { claim } else { other.terms.not(claim) };
    let label = Label::new("vacuity");
    let kind = buttress_system::words::PropertyKind::Invariant;
    other.properties.push(buttress_system::words::Property { bad, kind, label });
    let asked = PropertyId::new(other.properties.len() - 1);
    let asked_of = decide(Arc::new(other), asked, means, means.patience, stop);
    asked_of.is_ok_and(|asked| asked.answer.is_some_and(|answered| answered.accepted.is_proof()))
}
