//! Statements about a model in its own language, from a user's file: Lustre expressions, SMT-LIB terms.

use std::path::Path;
use std::sync::Arc;

use buttress_format::statements::{self, Language, Statement};
use buttress_format::terms::TermReader;
use buttress_format::{Diagnostic, Position, vmt};
use buttress_lustre::with_terms;
use buttress_system::words::{System, WordLemma};
use buttress_term::{Node, Sort, TermId};
use rustc_hash::FxHashMap;

use crate::files::is_saved_terms;
use crate::load::read_text;
use crate::problem::Problem;

/// Groups of what a file says in the language of a model, with its name and its text.
pub(crate) struct Statements {
    pub name: String,
    pub text: String,
    pub stated: statements::Stated,
    pub language: Language,
}

impl Statements {
    /// Nothing, where there is no file.
    pub fn read(file: Option<&Path>, problem: &Problem) -> Result<Statements, String> {
        let name = file.map(|f| f.display().to_string()).unwrap_or_default();
        let text = file.map(read_text).transpose()?.unwrap_or_default();
        let in_lustre = problem.source().is_some() && !is_saved_terms(&text);
        let language = if in_lustre { Language::Lustre } else { Language::Smtlib };
        let stated = statements::read(&text, language).map_err(|d| d.render(&name))?;
        Ok(Statements { name, text, stated, language })
    }
}

/// A diagnostic whose place counts from the start of a statement, in the file of statements.
pub(crate) fn in_file(text: &str, all: &[&Statement], number: usize, diagnostic: Diagnostic) -> Diagnostic {
    let (Some(statement), Some(at)) = (all.get(number), diagnostic.position) else { return diagnostic };
    let (offset, column) = (statement.offset, at.column);
    let start = text[..offset].rfind('\n').map_or(0, |n| n + 1);
    let line = text[..offset].matches('\n').count() as u32 + 1;
    let before = text[start..offset].chars().count() as u32;
    let shown = text[start..].lines().next().unwrap_or_default();
    diagnostic.at(Position::text(line, before + column)).with_source(shown)
}

/// The system, its store extended by the terms of the file.
pub(crate) fn read_terms(file: Option<&Path>, problem: &Problem) -> Result<(System, Vec<TermId>), String> {
    let Statements { name, text, stated, language } = Statements::read(file, problem)?;
    let original = problem.words().expect("terms are about words");
    let all = stated.all();
    let mut system = (**original).clone();
    let Some(source) = problem.source().filter(|_| language == Language::Lustre) else {
        let term = |s: &&Statement| vmt::read_term(&text, s.offset, &mut system).map_err(|d| d.render(&name));
        let terms = all.iter().map(term).collect::<Result<Vec<TermId>, String>>()?;
        return Ok((system, terms));
    };
    if all.is_empty() {
        return Ok((system, Vec::new()));
    }
    let texts: Vec<&str> = all.iter().map(|s| s.text.as_str()).collect();
    let (extended, terms) = with_terms(source.model(), &texts).map_err(|mut wrong| {
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

/// The lemmas of a file about a model, each by itself.
pub fn read_lemmas(file: &Path, problem: &Problem) -> Result<Vec<WordLemma>, String> {
    let (text, system) = (read_text(file)?, problem.words().expect("terms are about words"));
    if is_saved_terms(&text) {
        return Ok(still_readable(&text, system));
    }
    let (system, terms) = read_terms(Some(file), problem)?;
    if let Some(&term) = terms.iter().find(|&&t| *system.terms.sort(t) != Sort::Bool) {
        let (file, sort) = (file.display(), system.terms.sort(term));
        return Err(format!("{file}: error: a lemma is true or false, and one here has the sort {sort}"));
    }
    let store = Arc::new(system.terms);
    Ok(terms.into_iter().map(|term| WordLemma::Term(store.clone(), term)).collect())
}

/// Of what a run saved, what the model still has names for.
fn still_readable(text: &str, system: &System) -> Vec<WordLemma> {
    let stated = statements::read(text, Language::Smtlib).unwrap_or_default();
    let mut reader = TermReader::over(system);
    let terms: Vec<TermId> = stated.all().iter().filter_map(|s| reader.claim(&s.text).ok()).collect();
    let store = Arc::new(reader.into_terms());
    terms.into_iter().map(|term| WordLemma::Term(store.clone(), term)).collect()
}

/// All named terms; where two have the same name, the first.
pub(crate) fn names(system: &System) -> FxHashMap<&str, TermId> {
    let mut names = FxHashMap::default();
    for (label, term) in system.named() {
        names.entry(&*label.name).or_insert(term);
    }
    names
}
