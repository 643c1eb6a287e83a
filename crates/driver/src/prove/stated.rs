//! Lemmas in the language of a model of words, by SMT.
//!
//! A lemma becomes a property of the system, a group one more that is violated where one of its lemmas is. The
//! model's own variables, steps and constraints stay as they are (for Lustre see `buttress_lustre::with_lemmas`),
//! so what is proved of the system with lemmas holds of the one without. The proof, property and lemmas as one
//! conjunction, is checked by solvers started afresh before it is called one.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use buttress_check::Refusal;
use buttress_engine::{Stated, Together, Unproved, largest_stated, stated};
use buttress_format::statements::{Language, Statement};
use buttress_format::{Diagnostic, vmt};
use buttress_lustre::{replay, with_lemmas};
use buttress_query::Words;
use buttress_solve::Stop;
use buttress_solve::smt::Config;
use buttress_system::words::{Label, Replay, System, WordLemma, WordProof, WordTrace};
use buttress_system::{Proof, PropertyId, Waves};

use super::{AT_START, Attempt, Attempts, Candidates, KEPT, Shown, States};
use crate::Refused;
use crate::judge::{Judge, Judged};
use crate::people::of_waves;
use crate::problem::{ClaimId, Problem};
use crate::statements::{Statements, in_file};

/// A model with lemmas as properties.
struct WithLemmas {
    system: Arc<System>,
    source: Option<Arc<dyn Replay>>,
    /// The model's own properties.
    own: Vec<PropertyId>,
    groups: Vec<Together>,
    /// The text of each lemma of each group, and its line.
    said: Vec<Vec<(String, u32)>>,
    /// Lemmas that may be left out, with their texts and lines.
    candidates: Vec<(PropertyId, (String, u32))>,
    smt: Config,
}

pub(super) fn prove(
    problem: &Arc<Problem>,
    claims: &[ClaimId],
    lemmas: Option<&Path>,
    smt: &Config,
    stop: &Stop,
) -> Result<Attempts, Refused> {
    if smt.solvers.is_empty() {
        let message = "error: there is no SMT solver: `scripts/get-solvers` brings some";
        return Err(Refused::undecided(message));
    }
    let mut model = read(problem, lemmas, smt)?;
    let candidates = use_candidates(&mut model, stop);
    let mut attempts = Vec::new();
    for &claim in claims {
        let Some(property) = problem.claim(claim).property() else { continue };
        let start = Instant::now();
        let attempt = model.prove(property, stop);
        attempts.push((claim, attempt, start.elapsed().as_secs_f64()));
    }
    Ok(Attempts { candidates, notes: Vec::new(), claims: attempts })
}

/// Reads the lemmas and adds them to the system.
fn read(problem: &Problem, file: Option<&Path>, smt: &Config) -> Result<WithLemmas, String> {
    let Statements { name, text, stated, language } = Statements::read(file, problem)?;
    let line = |s: &Statement| text[..s.offset].matches('\n').count() as u32 + 1;
    let says = |s: &Statement| (s.text.clone(), line(s));
    let said = stated.groups.iter().map(|group| group.iter().map(says).collect()).collect();
    let all = stated.all();
    let stating = match problem.source().filter(|_| language == Language::Lustre) {
        Some(source) => state_in_lustre(source.model(), &text, &all),
        None => state_terms(problem.words().expect("words"), &text, &all),
    };
    let Stating { mut system, source, own, lemmas } = stating.map_err(|d| d.render(&name))?;
    let mut lemmas = lemmas.into_iter();
    let mut groups = Vec::new();
    for group in &stated.groups {
        let each: Vec<PropertyId> = lemmas.by_ref().take(group.len()).collect();
        groups.push(together(&mut system, each));
    }
    let candidates = lemmas.zip(stated.candidates.iter().map(says)).collect();
    let (system, smt) = (Arc::new(system), smt.clone());
    Ok(WithLemmas { system, source, own, groups, said, candidates, smt })
}

/// The candidates that are inductive together with the lemmas become one group more.
fn use_candidates(model: &mut WithLemmas, stop: &Stop) -> Option<Candidates> {
    let candidates = std::mem::take(&mut model.candidates);
    if candidates.is_empty() {
        return None;
    }
    let lemmas = model.groups.iter().flat_map(|g| g.each.iter().copied());
    let all: Vec<PropertyId> = lemmas.chain(candidates.iter().map(|(p, _)| *p)).collect();
    let mut reasoner = Words::new(model.system.clone(), model.smt.clone(), stop);
    // Where that takes too long, the lemmas may do without.
    let kept = largest_stated(&mut reasoner, &all).ok()?;
    let given = candidates.len();
    let (each, said): (Vec<PropertyId>, Vec<_>) =
        candidates.into_iter().filter(|(p, _)| kept.contains(p)).unzip();
    let used = each.len();
    if !each.is_empty() {
        let mut system = (*model.system).clone();
        model.groups.push(together(&mut system, each));
        model.said.push(said);
        model.system = Arc::new(system);
    }
    Some(Candidates { used, given })
}

/// A system with a property for each lemma.
struct Stating {
    system: System,
    source: Option<Arc<dyn Replay>>,
    own: Vec<PropertyId>,
    lemmas: Vec<PropertyId>,
}

fn state_in_lustre(
    model: &buttress_lustre::LustreModel,
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
    let source = replay::Replayer::new(extended.model, extended.lowered.system, extended.lowered.origins);
    Ok(Stating { system, source: Some(Arc::new(source)), own, lemmas })
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

impl WithLemmas {
    fn prove(&self, property: PropertyId, stop: &Stop) -> Attempt {
        let own = self.own[property.index()];
        let groups: Vec<Together> = self.groups.iter().cloned().chain([Together::alone(own)]).collect();
        let mut reasoner = Words::new(self.system.clone(), self.smt.clone(), stop);
        match stated(&mut reasoner, &groups, WordLemma::Property) {
            Err(why) => Attempt::NotProved { why: why.to_string(), states: None },
            Ok(Stated::Proved) => self.proved(own, stop),
            Ok(Stated::Fails { group, lemma, why }) if group < self.groups.len() => {
                let (said, line) = &self.said[group][lemma];
                self.failure(&groups[..=group], format!("the lemma of line {line}, {said}, "), why, stop)
            }
            Ok(Stated::Fails { why: Unproved::Initiation(trace), .. }) => self.violated(trace, stop),
            Ok(Stated::Fails { why, .. }) => {
                let lemmas = if self.groups.is_empty() { "" } else { "the lemmas hold, but " };
                self.failure(&groups, format!("{lemmas}the property "), why, stop)
            }
        }
    }

    /// Only what was checked is called proved.
    fn proved(&self, own: PropertyId, stop: &Stop) -> Attempt {
        let lemmas: Vec<PropertyId> = self.groups.iter().flat_map(|g| g.each.iter().copied()).collect();
        let how = match lemmas.len() {
            0 => "inductive by itself".to_string(),
            1 => "k = 1, 1 lemma".to_string(),
            n => format!("k = 1, {n} lemmas"),
        };
        let properties = lemmas.into_iter().chain([own]).collect();
        let claim = Proof { properties, k: 1, distinct: None, invariant: Vec::new() };
        let proof = WordProof { terms: Arc::new(self.system.terms.clone()), claim };
        match Judged::certify_proof(&self.judge(), proof, stop) {
            Ok(_) => Attempt::Proved(how),
            Err(Refusal::Stopped(why)) => Attempt::NotProved { why: why.to_string(), states: None },
            Err(Refusal::Rejected(why)) => Attempt::Fault(format!("the evidence was rejected: {why}")),
        }
    }

    fn judge(&self) -> Judge<System> {
        let (system, replay) = (self.system.clone(), self.source.clone());
        Judge { system, replay, in_bits: false, smt: self.smt.clone() }
    }

    /// A start that violates the property is a counterexample, like any other once it is checked.
    fn violated(&self, trace: WordTrace, stop: &Stop) -> Attempt {
        match Judged::certify_trace(&self.judge(), trace.clone(), stop) {
            Ok(_) => Attempt::Violated(of_waves(&Waves::of_words(&self.system, &trace))),
            Err(why) => Attempt::Fault(format!("the evidence was not accepted: {why}")),
        }
    }

    /// Which of the two queries fails, and with which states. `groups` ends with the one that fails.
    fn failure(&self, groups: &[Together], head: String, why: Unproved<WordTrace>, _: &Stop) -> Attempt {
        let shown = |path: &WordTrace| Shown::Trace(of_waves(&Waves::of_words(&self.system, path)));
        let path = match why {
            Unproved::Initiation(trace) => {
                let states = Some(States { at_start: true, shown: shown(&trace) });
                return Attempt::NotProved { why: format!("{head}{AT_START}"), states };
            }
            Unproved::Consecution(path) => path,
        };
        let (failing, known) = groups.split_last().expect("something fails");
        let known: Vec<PropertyId> = known.iter().flat_map(|g| g.each.iter().copied()).collect();
        let states = buttress_check::certify_word_step_failure(&self.system, &path, &failing.each, &known);
        match states {
            Ok(()) => {
                let states = Some(States { at_start: false, shown: shown(&path) });
                Attempt::NotProved { why: format!("{head}{KEPT}"), states }
            }
            Err(why) => Attempt::Fault(format!("{head}the states were not accepted: {why}")),
        }
    }
}
