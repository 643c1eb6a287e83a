//! `prove` for models of words: lemmas in the language of the model, by SMT.
//!
//! A lemma becomes a property of the system, a group one more that is violated where one of its lemmas is. The model's own
//! variables, steps and constraints stay as they are (for Lustre see `buttress_lustre::with_lemmas`), so what is
//! proved of the system with lemmas holds of the one without. The proof, property and lemmas as one conjunction, is
//! checked by solvers started afresh before it is called one.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use buttress_check::{Refusal, certify_theory_proof, certify_word_step_failure};
use buttress_engine::{Stated, Together, Unproved, largest_stated, stated};
use buttress_format::statements::{self, Language, Statement};
use buttress_format::{Diagnostic, Position, vmt};
use buttress_lustre::{replay, with_lemmas};
use buttress_query::Words;
use buttress_solve::smt::{Config, Session, Theory, directories, find};
use buttress_solve::{Stop, Stopped};
use buttress_system::words::{Label, Replay, System, WordLemma, WordProof, WordTrace};
use buttress_system::{Proof, PropertyId, Waves};

use super::{KEPT, more_severe};
use crate::args::ProveArgs;
use crate::driver::certify_trace_of_words;
use crate::exit;
use crate::model::{self, Model, open};
use crate::report::text::NOT_A_BUG;
use crate::report::trace::waves_table;

/// A model with lemmas as properties.
struct Subject {
    system: Arc<System>,
    source: Option<Arc<dyn Replay>>,
    /// The model's own properties.
    own: Vec<PropertyId>,
    groups: Vec<Together>,
    /// What the lemmas of each group say, and in which line.
    said: Vec<Vec<(String, u32)>>,
    /// What may be left out, and what it says.
    candidates: Vec<(PropertyId, (String, u32))>,
    smt: Config,
}

pub fn run(args: &ProveArgs, words: model::Words, stop: &Stop) -> Result<u8, (u8, String)> {
    let smt = Config::new(find(&directories()));
    if smt.solvers.is_empty() {
        let message = "error: there is no SMT solver: `scripts/get-solvers` brings some".to_string();
        return Err((exit::UNDECIDED, message));
    }
    let mut subject = subject(args, &words, smt).map_err(|message| (exit::INPUT, message))?;
    use_candidates(&mut subject, stop);
    let model = Model::of_words(args.model.file.display().to_string(), words, true)?;
    let wanted = model.properties(&args.property).map_err(|message| (exit::USAGE, message))?;
    let told: Vec<(PropertyId, u8, String)> =
        wanted.into_iter().map(|property| prove_one(&subject, &model, property, stop)).collect();
    let rests_on: Vec<PropertyId> = model.conditions().collect();
    let open = told.iter().find(|(p, code, _)| rests_on.contains(p) && *code != exit::PROVED).map(|t| t.0);
    let mut worst = exit::PROVED;
    for (property, code, text) in told {
        // An execution ends where a subrange is left, so a proof says nothing about what comes then.
        let (code, text) = match open.filter(|&o| o != property && code == exit::PROVED) {
            Some(open) => {
                let (title, rest) = (model.title(property), model.title(open));
                (exit::UNDECIDED, format!("{title}: undecided: it rests on {rest}, which is not proved\n"))
            }
            None => (code, text),
        };
        print!("{text}");
        worst = more_severe(worst, code);
    }
    Ok(worst)
}

/// Reads the lemmas and adds them to the system.
fn subject(args: &ProveArgs, words: &model::Words, smt: Config) -> Result<Subject, String> {
    let Statements { name, text, stated } =
        read_statements(args.lemmas.as_deref(), language(words.source.is_some()))?;
    let line = |s: &Statement| text[..s.offset].matches('\n').count() as u32 + 1;
    let says = |s: &Statement| (s.text.clone(), line(s));
    let said = stated.groups.iter().map(|group| group.iter().map(says).collect()).collect();
    let all = stated.all();
    let Stating { mut system, source, own, lemmas } = match &words.source {
        Some(source) => state_in_lustre(&source.0, &text, &all).map_err(|d| d.render(&name))?,
        None => state_terms(&words.system, &text, &all).map_err(|d| d.render(&name))?,
    };
    let mut lemmas = lemmas.into_iter();
    let mut groups = Vec::new();
    for group in &stated.groups {
        let each: Vec<PropertyId> = lemmas.by_ref().take(group.len()).collect();
        groups.push(together(&mut system, each));
    }
    let candidates = lemmas.zip(stated.candidates.iter().map(says)).collect();
    Ok(Subject { system: Arc::new(system), source, own, groups, said, candidates, smt })
}

/// The candidates that are inductive together with the lemmas become one group more.
fn use_candidates(subject: &mut Subject, stop: &Stop) {
    let candidates = std::mem::take(&mut subject.candidates);
    if candidates.is_empty() {
        return;
    }
    let lemmas = subject.groups.iter().flat_map(|g| g.each.iter().copied());
    let all: Vec<PropertyId> = lemmas.chain(candidates.iter().map(|(p, _)| *p)).collect();
    let mut reasoner = Words::new(subject.system.clone(), subject.smt.clone(), stop);
    // Where that takes too long, the lemmas may do without.
    let Ok(kept) = largest_stated(&mut reasoner, &all) else { return };
    let given = candidates.len();
    let (each, said): (Vec<PropertyId>, Vec<_>) =
        candidates.into_iter().filter(|(p, _)| kept.contains(p)).unzip();
    println!("candidates: {} of {given} are inductive and were used", each.len());
    if !each.is_empty() {
        let mut system = (*subject.system).clone();
        subject.groups.push(together(&mut system, each));
        subject.said.push(said);
        subject.system = Arc::new(system);
    }
}

/// Groups of what a file says in the language of a model, with its name and its text.
pub struct Statements {
    pub name: String,
    pub text: String,
    pub stated: statements::Stated,
}

/// The language of statements about a model.
pub fn language(lustre: bool) -> Language {
    if lustre { Language::Lustre } else { Language::Smtlib }
}

/// Nothing, where there is no file.
pub fn read_statements(file: Option<&Path>, language: Language) -> Result<Statements, String> {
    let name = file.map(|f| f.display().to_string()).unwrap_or_default();
    let mut text = String::new();
    if let Some(file) = file {
        open(file)?.read_to_string(&mut text).map_err(|e| format!("{name}: error: {e}"))?;
    }
    let stated = statements::read(&text, language).map_err(|d| d.render(&name))?;
    Ok(Statements { name, text, stated })
}

/// A system with a property for each lemma.
struct Stating {
    system: System,
    source: Option<Arc<dyn Replay>>,
    own: Vec<PropertyId>,
    lemmas: Vec<PropertyId>,
}

fn state_in_lustre(
    model: &buttress_lustre::Model,
    text: &str,
    all: &[&Statement],
) -> Result<Stating, Diagnostic> {
    let texts: Vec<&str> = all.iter().map(|s| s.text.as_str()).collect();
    let extended = with_lemmas(model, &texts).map_err(|mut wrong| {
        let (lemma, diagnostic) = wrong.swap_remove(0);
        in_file(text, all, lemma, diagnostic)
    })?;
    let system = (*extended.lowered.system).clone();
    let (own, lemmas) = (extended.own, extended.lemmas);
    let source = replay::Source::new(extended.model, extended.lowered.system, extended.lowered.origins);
    Ok(Stating { system, source: Some(Arc::new(source)), own, lemmas })
}

/// A diagnostic whose place counts from the start of a statement, in the file of statements.
pub fn in_file(text: &str, all: &[&Statement], number: usize, diagnostic: Diagnostic) -> Diagnostic {
    let (Some(statement), Some(at)) = (all.get(number), diagnostic.position) else { return diagnostic };
    let (offset, column) = (statement.offset, at.column);
    let start = text[..offset].rfind('\n').map_or(0, |n| n + 1);
    let line = text[..offset].matches('\n').count() as u32 + 1;
    let before = text[start..offset].chars().count() as u32;
    let shown = text[start..].lines().next().unwrap_or_default();
    diagnostic.at(Position::text(line, before + column)).with_source(shown)
}

fn state_terms(system: &System, text: &str, all: &[&Statement]) -> Result<Stating, Diagnostic> {
    let (mut system, mut lemmas) = (system.clone(), Vec::new());
    let own = system.property_ids().collect();
    for statement in all {
        let holds = vmt::read_claim(text, statement.offset, &mut system)?;
        let bad = system.terms.not(holds);
        lemmas.push(system.add_property(bad, Label::new(statement.text.as_str())));
    }
    Ok(Stating { system, source: None, own, lemmas })
}

/// Lemmas of one group; several get a property that all of them are.
fn together(system: &mut System, each: Vec<PropertyId>) -> Together {
    let all = match each[..] {
        [one] => one,
        _ => {
            let bads: Vec<_> = each.iter().map(|&p| system.property(p).bad).collect();
            let bad = system.terms.any(&bads);
            system.add_property(bad, Label::new("group"))
        }
    };
    Together { each, all }
}

fn prove_one(
    subject: &Subject,
    model: &Model,
    property: PropertyId,
    stop: &Stop,
) -> (PropertyId, u8, String) {
    let start = Instant::now();
    let own = subject.own[property.index()];
    let groups: Vec<Together> = subject.groups.iter().cloned().chain([Together::alone(own)]).collect();
    let mut reasoner = Words::new(subject.system.clone(), subject.smt.clone(), stop);
    let outcome = stated(&mut reasoner, &groups, WordLemma::Property);
    let title = model.title(property);
    let (code, text) = match outcome {
        Err(why) => undecided(&title, &why),
        Ok(Stated::Proved) => proved(subject, model, property, start, stop),
        Ok(Stated::Fails { group, lemma, why }) if group < subject.groups.len() => {
            let (said, line) = &subject.said[group][lemma];
            let head = format!("{title}: undecided: the lemma of line {line}, {said}, ");
            failure(subject, &groups[..=group], head, why)
        }
        Ok(Stated::Fails { why: Unproved::Initiation(trace), .. }) => {
            violated(subject, model, property, trace)
        }
        Ok(Stated::Fails { why, .. }) => {
            let lemmas = if subject.groups.is_empty() { "" } else { "the lemmas hold, but " };
            failure(subject, &groups, format!("{title}: undecided: {lemmas}the property "), why)
        }
    };
    (property, code, text)
}

fn undecided(title: &str, why: &Stopped) -> (u8, String) {
    (exit::UNDECIDED, format!("{title}: undecided: {why}\n"))
}

/// Only what was checked is called proved.
fn proved(
    subject: &Subject,
    model: &Model,
    property: PropertyId,
    start: Instant,
    stop: &Stop,
) -> (u8, String) {
    let title = model.title(property);
    let lemmas: Vec<PropertyId> = subject.groups.iter().flat_map(|g| g.each.iter().copied()).collect();
    let how = match lemmas.len() {
        0 => "inductive by itself".to_string(),
        1 => "k = 1, 1 lemma".to_string(),
        n => format!("k = 1, {n} lemmas"),
    };
    let properties = lemmas.into_iter().chain([subject.own[property.index()]]).collect();
    let claim = Proof { properties, k: 1, distinct: None, invariant: Vec::new() };
    let proof = WordProof { terms: Arc::new(subject.system.terms.clone()), claim };
    match certify(subject, proof, stop) {
        Ok(()) if model.is_cover(property) => (exit::FALSIFIED, format!("{title}: unreachable ({how})\n")),
        Ok(()) => {
            let seconds = start.elapsed().as_secs_f64();
            (exit::PROVED, format!("{title}: proved ({how}, {seconds:.2} s)\n"))
        }
        Err(Refusal::Stopped(why)) => undecided(&title, &why),
        Err(Refusal::Rejected(why)) => {
            (exit::FAULT, format!("{title}: ERROR: the evidence was rejected: {why}\n"))
        }
    }
}

/// By another solver than the one that was asked first, where there is one.
fn certify(subject: &Subject, proof: WordProof, stop: &Stop) -> Result<(), Refusal> {
    let theory = Theory::of(&subject.system.terms);
    let first = subject.smt.fit(&theory).first().map(|found| found.adapter.name);
    let mut fresh = || {
        let mut session = Session::new(&subject.smt, theory, stop);
        first.into_iter().for_each(|name| session.avoid(name));
        session
    };
    certify_theory_proof(&subject.system, proof, &mut fresh).map(|_| ())
}

/// A start that violates the property is a counterexample, like any other once it is checked.
fn violated(subject: &Subject, model: &Model, property: PropertyId, trace: WordTrace) -> (u8, String) {
    let title = model.title(property);
    match certify_trace_of_words(&subject.system, subject.source.as_deref(), trace.clone()) {
        Ok(_) if model.is_cover(property) => (exit::PROVED, format!("{title}: reached at step 0\n")),
        Ok(_) => {
            let table = waves_table(&Waves::of_words(&subject.system, &trace));
            (exit::FALSIFIED, format!("{title}: falsified at step 0 (initiation fails)\n{table}"))
        }
        Err(why) => (exit::FAULT, format!("{title}: ERROR: the evidence was not accepted: {why}\n")),
    }
}

/// Which of the two queries fails, and with which states. `groups` ends with the one that fails.
fn failure(subject: &Subject, groups: &[Together], head: String, why: Unproved<WordTrace>) -> (u8, String) {
    let path = match why {
        Unproved::Initiation(trace) => {
            let table = waves_table(&Waves::of_words(&subject.system, &trace));
            return (
                exit::UNDECIDED,
                format!("{head}does not hold at the start (initiation fails)\n{table}"),
            );
        }
        Unproved::Consecution(path) => path,
    };
    let (failing, known) = groups.split_last().expect("something fails");
    let known: Vec<PropertyId> = known.iter().flat_map(|g| g.each.iter().copied()).collect();
    match certify_word_step_failure(&subject.system, &path, &failing.each, &known) {
        Ok(()) => {
            let table = waves_table(&Waves::of_words(&subject.system, &path));
            (exit::UNDECIDED, format!("{head}{KEPT}\n  {NOT_A_BUG}\n{table}"))
        }
        Err(why) => (exit::FAULT, format!("{head}ERROR: the states were not accepted: {why}\n")),
    }
}
