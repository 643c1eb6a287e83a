//! Terms of the user's own, in the language of the model.

use std::path::Path;

use buttress_format::statements::Statement;
use buttress_format::vmt;
use buttress_lustre::with_terms;
use buttress_system::words::System;
use buttress_term::{Node, TermId};
use rustc_hash::FxHashMap;

use crate::model::Words;
use crate::prove::words::{Statements, in_file, read_statements};

/// The system, its store extended by the terms of the file.
pub fn read(file: Option<&Path>, words: &Words) -> Result<(System, Vec<TermId>), String> {
    let Statements { name, text, statements } = read_statements(file, words)?;
    let all: Vec<&Statement> = statements.iter().flatten().collect();
    let mut system = (*words.system).clone();
    let Some(source) = &words.source else {
        let term = |s: &&Statement| vmt::read_term(&text, s.offset, &mut system).map_err(|d| d.render(&name));
        let terms = all.iter().map(term).collect::<Result<Vec<TermId>, String>>()?;
        return Ok((system, terms));
    };
    if all.is_empty() {
        return Ok((system, Vec::new()));
    }
    let texts: Vec<&str> = all.iter().map(|s| s.text.as_str()).collect();
    let (extended, terms) = with_terms(&source.0, &texts).map_err(|mut wrong| {
        let (number, diagnostic) = wrong.swap_remove(0);
        in_file(&text, &all, number, diagnostic).render(&name)
    })?;
    let by_name = names(&words.system);
    let mut images = FxHashMap::default();
    let mut own = Vec::new();
    for (term, said) in terms.into_iter().zip(&texts) {
        let here = |t: TermId| match extended.terms.node(t) {
            Node::Variable(name) => by_name.get(name).copied(),
            _ => None,
        };
        let is_new = |t: &TermId| extended.terms.is_variable(*t) && here(*t).is_none();
        if extended.terms.cone([term]).iter().any(is_new) {
            return Err(format!("{name}: error: {said}: a term may have no memory and no calls of its own"));
        }
        own.push(system.terms.adopt_with(&extended.terms, term, &mut images, here));
    }
    Ok((system, own))
}

/// Variables, and what else has a name.
pub fn names(system: &System) -> FxHashMap<&str, TermId> {
    let inputs = system.inputs.iter().map(|i| (&i.label, i.variable));
    let states = system.states.iter().map(|s| (&s.label, s.variable));
    let definitions = system.definitions.iter().map(|d| (&d.label, d.variable));
    let observables = system.observables.iter().map(|o| (&o.label, o.term));
    let all = observables.chain(definitions).chain(states).chain(inputs);
    all.map(|(label, term)| (&*label.name, term)).collect()
}
