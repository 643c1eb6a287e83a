//! Files of the user's own terms, in the language of a model of words.

use std::path::Path;
use std::sync::Arc;

use buttress_format::statements::Statement;
use buttress_format::{Diagnostic, Position, vmt};
use buttress_lustre::{Model, with_terms};
use buttress_system::words::{System, WordLemma};
use buttress_term::{Node, Sort, TermId};
use rustc_hash::FxHashMap;

use crate::prove::words::{Statements, in_file, language, read_statements};

/// The system, its store extended by the terms of the file.
pub fn read(
    file: Option<&Path>,
    original: &System,
    source: Option<&Model>,
) -> Result<(System, Vec<TermId>), String> {
    let Statements { name, text, stated } = read_statements(file, language(source.is_some()))?;
    let all = stated.all();
    let mut system = original.clone();
    let Some(source) = source else {
        let term = |s: &&Statement| vmt::read_term(&text, s.offset, &mut system).map_err(|d| d.render(&name));
        let terms = all.iter().map(term).collect::<Result<Vec<TermId>, String>>()?;
        return Ok((system, terms));
    };
    if all.is_empty() {
        return Ok((system, Vec::new()));
    }
    let texts: Vec<&str> = all.iter().map(|s| s.text.as_str()).collect();
    let (extended, terms) = with_terms(source, &texts).map_err(|mut wrong| {
        let (number, diagnostic) = wrong.swap_remove(0);
        in_file(&text, &all, number, diagnostic).render(&name)
    })?;
    let by_name = names(original);
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

/// What the file says about a model, each statement by itself.
pub fn read_lemmas(file: &Path, original: &System, source: Option<&Model>) -> Result<Vec<WordLemma>, String> {
    let (system, terms) = read(Some(file), original, source)?;
    if let Some(&term) = terms.iter().find(|&&t| *system.terms.sort(t) != Sort::Bool) {
        let (file, sort) = (file.display(), system.terms.sort(term));
        return Err(format!("{file}: error: a lemma is true or false, and one here has the sort {sort}"));
    }
    let store = Arc::new(system.terms);
    Ok(terms.into_iter().map(|term| WordLemma::Term(store.clone(), term)).collect())
}

/// What has a name; where two have the same, the first.
pub fn names(system: &System) -> FxHashMap<&str, TermId> {
    let mut names = FxHashMap::default();
    for (label, term) in system.named() {
        names.entry(&*label.name).or_insert(term);
    }
    names
}
