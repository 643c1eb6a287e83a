//! A system of which only some elements are left, and the static slice that cores are compared with.

use buttress_system::words::{Input, Role, System};
use buttress_system::{ElementSet, PropertyId};
use buttress_term::TermId;

use crate::{Elements, Part};

/// The system with these elements only. Its terms are those of the original, under the same ids: a proof about one
/// can be said about the other. What a dropped equation defined is an input, behind the others.
pub fn reduced(system: &System, elements: &Elements, kept: &ElementSet) -> System {
    let keeps = |part| elements.keeps(kept, part);
    let mut new = system.clone();
    for (id, state) in system.state_ids().zip(&mut new.states) {
        state.init = state.init.filter(|_| keeps(Part::Init(id)));
        state.next = state.next.filter(|_| keeps(Part::Next(id)));
    }
    let (mut definitions, mut constraints) = (Vec::new(), Vec::new());
    for (d, definition) in new.definitions.into_iter().enumerate() {
        if keeps(Part::Definition(d)) {
            definitions.push(definition);
        } else {
            new.inputs.push(Input { variable: definition.variable, label: definition.label });
        }
    }
    for (c, constraint) in new.constraints.into_iter().enumerate() {
        if keeps(Part::Constraint(c)) {
            constraints.push(constraint);
        }
    }
    System { definitions, constraints, ..new }
}

/// The static backward slice: the elements that a property depends on through any number of steps, and all
/// constraints with what they depend on.
pub fn slice(system: &System, elements: &Elements, property: PropertyId) -> ElementSet {
    read_by(system, elements, [system.property(property).bad])
}

/// The static backward slice of any terms of the system: the elements that they depend on through any number of
/// steps, and all constraints with what they depend on.
pub(crate) fn read_by(
    system: &System,
    elements: &Elements,
    roots: impl IntoIterator<Item = TermId>,
) -> ElementSet {
    let roles = system.roles();
    let mut found = ElementSet::new();
    let mut seen = vec![false; system.terms.len()];
    let mut todo: Vec<TermId> = roots.into_iter().collect();
    for (c, constraint) in system.constraints.iter().enumerate() {
        found.extend(elements.of_part(Part::Constraint(c)));
        todo.push(constraint.term);
    }
    while let Some(term) = todo.pop() {
        if std::mem::replace(&mut seen[term.index()], true) {
            continue;
        }
        todo.extend_from_slice(system.terms.operands(term));
        match roles[term.index()] {
            Some(Role::Definition(d)) => {
                found.extend(elements.of_part(Part::Definition(d)));
                todo.push(system.definitions[d].value);
            }
            Some(Role::State(s)) => {
                let state = system.state(s);
                for (term, part) in [(state.init, Part::Init(s)), (state.next, Part::Next(s))] {
                    found.extend(term.and_then(|_| elements.of_part(part)));
                    todo.extend(term);
                }
            }
            Some(Role::Input(_)) | None => {}
        }
    }
    found
}
