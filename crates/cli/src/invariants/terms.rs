//! Terms of the user's own, in the language of the model.

use std::path::Path;

use buttress_format::statements::Statement;
use buttress_format::{Diagnostic, Position, vmt};
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
    for (number, term) in terms.into_iter().enumerate() {
        let here = |t: TermId| match extended.terms.node(t) {
            Node::Variable(name) => by_name.get(name).copied(),
            _ => None,
        };
        let is_new = |t: &TermId| extended.terms.is_variable(*t) && here(*t).is_none();
        if extended.terms.cone([term]).iter().any(is_new) {
            let wrong = Diagnostic::new("a term may have no memory and no calls of its own");
            return Err(in_file(&text, &all, number, wrong.at(Position::text(1, 1))).render(&name));
        }
        own.push(system.terms.adopt_with(&extended.terms, term, &mut images, here));
    }
    Ok((system, own))
}

/// What has a name; where two have the same, the first.
pub fn names(system: &System) -> FxHashMap<&str, TermId> {
    let mut names = FxHashMap::default();
    for (label, term) in system.named() {
        names.entry(&*label.name).or_insert(term);
    }
    names
}
