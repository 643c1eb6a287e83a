//! What is known about each property. A verdict gets in only as a [`Checked`].

use std::sync::Arc;
use std::time::Instant;

use buttress_check::{Evidence, Refusal};
use buttress_engine::{ENGINES, Engine, Progress, Walk};
use buttress_solve::Stopped;
use buttress_system::words::WordTrace;
use buttress_system::{Clause, PropertyId, Reason, Trace, Waves};

use super::Story;
use super::cores::{Answer, Explained};
use crate::driver::{Accepted, Ended, Event};
use crate::exit;
use crate::model::Model;

pub struct Findings {
    pub model: Option<Arc<Model>>,
    pub properties: Vec<Finding>,
    /// Where each thread of each engine is.
    pub progress: Vec<Place>,
    /// Of so many lemmas given, so many were inductive together.
    pub lemmas: Option<(usize, usize)>,
    /// What inductive engines did, where somebody wanted to know.
    pub stories: Vec<Story>,
    /// What they had found for properties that they did not decide.
    pub remains: Vec<Remains>,
    /// Our own faults, in words.
    pub faults: Vec<String>,
    pub start: Instant,
    pub seconds: f64,
    /// Why the run ended before all was decided.
    stopped: Option<Stopped>,
    /// What engines that ended by themselves said.
    endings: Vec<(&'static Engine, String)>,
}

pub struct Finding {
    pub property: PropertyId,
    pub outcome: Outcome,
    /// No violation in the first `bound` steps after the start.
    pub bound: Option<usize>,
    /// Where k-induction failed last.
    pub cti: Option<Cti>,
    /// Which elements its proof needs, or why that is not known; where somebody wanted to know.
    pub core: Option<Result<Explained, String>>,
    /// Which engines left it to others, and why.
    pub gave_up: Vec<(&'static Engine, Reason)>,
    /// Why a proof does not decide it.
    pub condition: Option<String>,
    pub seconds: f64,
}

/// A counterexample to induction: the property holds in the first k states of the path, and not in the next.
pub struct Cti {
    pub k: usize,
    path: Path,
}

/// In what engines work on.
enum Path {
    Bits(Trace),
    Words(WordTrace),
}

impl Cti {
    /// By names.
    pub fn waves(&self, model: &Model) -> Waves {
        match (&self.path, &model.words) {
            (Path::Words(path), Some(words)) => Waves::of_words(words.words(), path),
            (Path::Bits(path), _) => Waves::of_bits(&model.system, path),
            (Path::Words(_), None) => unreachable!("a path of words is one of a model of words"),
        }
    }
}

/// How far a thread of an engine got.
pub struct Place {
    pub engine: &'static Engine,
    pub thread: usize,
    pub progress: Progress,
}

/// Clauses that an engine left behind; not proved.
pub struct Remains {
    pub engine: &'static Engine,
    pub thread: usize,
    pub property: PropertyId,
    pub clauses: Vec<Clause>,
}

pub enum Outcome {
    /// The seconds of checking are part of the finding's.
    Decided {
        engine: &'static Engine,
        checked: Box<Accepted>,
        checking: f64,
    },
    /// The evidence was rejected: an error, never a verdict.
    Rejected {
        engine: &'static Engine,
        why: String,
    },
    Open,
}

impl Findings {
    pub fn new(start: Instant) -> Findings {
        Findings {
            model: None,
            properties: Vec::new(),
            progress: Vec::new(),
            lemmas: None,
            stories: Vec::new(),
            remains: Vec::new(),
            faults: Vec::new(),
            start,
            seconds: 0.0,
            stopped: None,
            endings: Vec::new(),
        }
    }

    pub fn loaded(&mut self, model: Arc<Model>, properties: &[PropertyId]) {
        self.model = Some(model);
        let open = |&property| Finding {
            property,
            outcome: Outcome::Open,
            bound: None,
            cti: None,
            core: None,
            gave_up: Vec::new(),
            condition: None,
            seconds: 0.0,
        };
        self.properties = properties.iter().map(open).collect();
    }

    pub fn absorb(&mut self, event: Event) {
        match event {
            Event::Progress { engine, thread, progress } => self.at(Place { engine, thread, progress }),
            Event::HoldsUpTo { property, steps } => {
                let finding = self.finding(property);
                finding.bound = finding.bound.max(Some(steps));
            }
            Event::Decided { property, engine, checked, checking } => {
                self.settle(property, Outcome::Decided { engine, checked, checking })
            }
            Event::Rejected { property, engine, why } => {
                self.faults.push(format!("evidence from {} was rejected: {why}", engine.title));
                self.settle(property, Outcome::Rejected { engine, why });
            }
            Event::GaveUp { property, engine, why } => {
                let gave_up = &mut self.finding(property).gave_up;
                // Threads of one engine say the same.
                gave_up.retain(|(other, _)| other.name != engine.name);
                gave_up.push((engine, why));
                // Which engine was first is chance.
                gave_up.sort_by_key(|(engine, _)| ENGINES.iter().position(|e| e.name == engine.name));
            }
            Event::Ended { engine, how } => self.ended(engine, how),
            Event::Lemmas { usable, given } => self.lemmas = Some((usable, given)),
            Event::Walk { property, walk: Walk::StepFails { k, path }, .. } => {
                self.finding(property).cti = Some(Cti { k, path: Path::Bits(path) });
            }
            Event::StepFails { property, k, path } => {
                self.finding(property).cti = Some(Cti { k, path: Path::Words(path) });
            }
            Event::Walk { engine, property, walk } => self.story(engine, property).push(walk),
            Event::Remains { engine, thread, property, clauses } => {
                let same =
                    |r: &Remains| (r.engine.name, r.thread, r.property) == (engine.name, thread, property);
                self.remains.retain(|r| !same(r));
                self.remains.push(Remains { engine, thread, property, clauses });
            }
        }
    }

    fn at(&mut self, place: Place) {
        let same = |p: &&mut Place| (p.engine.name, p.thread) == (place.engine.name, place.thread);
        match self.progress.iter_mut().find(same) {
            Some(known) => *known = place,
            None => self.progress.push(place),
        }
    }

    fn story(&mut self, engine: &'static Engine, property: PropertyId) -> &mut Story {
        let told = |s: &Story| (s.engine.name, s.property) == (engine.name, property);
        let position = self.stories.iter().position(told).unwrap_or_else(|| {
            self.stories.push(Story::new(engine, property));
            self.stories.len() - 1
        });
        &mut self.stories[position]
    }

    fn finding(&mut self, property: PropertyId) -> &mut Finding {
        let found = self.properties.iter_mut().find(|f| f.property == property);
        found.expect("events speak of the task's properties")
    }

    /// A rejection stays: it tells of a fault, whatever comes after.
    fn settle(&mut self, property: PropertyId, outcome: Outcome) {
        let seconds = self.start.elapsed().as_secs_f64();
        let finding = self.finding(property);
        if !matches!(finding.outcome, Outcome::Rejected { .. }) {
            finding.outcome = outcome;
            finding.seconds = seconds;
        }
    }

    /// A core that is rejected is a fault of our own; the proof was checked by itself.
    pub fn explained(&mut self, property: PropertyId, answer: Answer) {
        let answer = answer.map_err(|refusal| match refusal {
            Refusal::Stopped(why) => why.to_string(),
            Refusal::Rejected(why) => {
                self.faults.push(format!("a core was rejected: {why}"));
                why
            }
        });
        self.finding(property).core = Some(answer);
    }

    fn ended(&mut self, engine: &'static Engine, how: Ended) {
        // Threads of one engine that end by themselves have the same reason.
        self.endings.retain(|(other, _)| other.name != engine.name);
        match how {
            Ended::Finished => self.endings.push((engine, "has nothing left to try".to_string())),
            Ended::Stopped(Stopped::Solver(why)) => {
                self.endings.push((engine, format!("solver failed: {why}")))
            }
            Ended::Stopped(why @ Stopped::Nodes(_)) => self.endings.push((engine, why.to_string())),
            Ended::Stopped(_) => {}
            Ended::Panicked(why) => self.faults.push(format!("{} failed: {why}", engine.title)),
        }
    }

    pub fn close(&mut self, stopped: Option<Stopped>) {
        self.stopped = stopped.filter(|s| *s != Stopped::Cancelled);
        self.seconds = self.start.elapsed().as_secs_f64();
        let seconds = self.seconds;
        let open = self.properties.iter_mut().filter(|f| matches!(f.outcome, Outcome::Open));
        open.for_each(|f| f.seconds = seconds);
        self.withdraw_conditional_proofs();
    }

    /// Where a condition of all proofs is not proved itself, they decide nothing.
    fn withdraw_conditional_proofs(&mut self) {
        let Some(model) = self.model.clone() else { return };
        let proved = |property| self.proofs().any(|(finding, _)| finding.property == property);
        let Some(open) = model.conditions().find(|&condition| !proved(condition)) else { return };
        let why = format!("proved only up to the first violation of {}", model.title(open));
        for finding in &mut self.properties {
            if let Outcome::Decided { checked, .. } = &finding.outcome
                && matches!(checked.evidence(), Evidence::Proof(_))
            {
                finding.outcome = Outcome::Open;
                finding.condition = Some(why.clone());
            }
        }
    }

    /// What ended the run before all was decided, if it did not come to its end.
    pub fn cut_short(&self) -> Option<String> {
        match &self.stopped {
            Some(why) => Some(why.to_string()),
            None => (!self.faults.is_empty()).then(|| "internal error".to_string()),
        }
    }

    /// Why an open property is open: what ended the run, and what each engine said that gave up before.
    pub fn reason(&self, finding: &Finding) -> String {
        if let Some(condition) = &finding.condition {
            return condition.clone();
        }
        let gave_up = finding.gave_up.iter().map(|(engine, why)| format!("{}: {why}", engine.title));
        let silent = |engine: &Engine| finding.gave_up.iter().all(|(e, _)| e.name != engine.name);
        let ended = self.endings.iter().filter(|(engine, _)| self.cut_short().is_none() && silent(engine));
        let ended = ended.map(|(engine, why)| format!("{}: {why}", engine.title));
        let reasons: Vec<String> = self.cut_short().into_iter().chain(gave_up).chain(ended).collect();
        if reasons.is_empty() { "not tried".to_string() } else { reasons.join("; ") }
    }

    /// Justice properties, which are only listed.
    pub fn liveness(&self) -> usize {
        self.model.as_ref().map_or(0, |m| m.liveness)
    }

    pub fn proofs(&self) -> impl Iterator<Item = (&Finding, &Accepted)> {
        self.decided().filter(|(_, c)| matches!(c.evidence(), Evidence::Proof(_)))
    }

    pub fn traces(&self) -> impl Iterator<Item = (&Finding, &Accepted)> {
        self.decided().filter(|(_, c)| matches!(c.evidence(), Evidence::Trace(_)))
    }

    fn decided(&self) -> impl Iterator<Item = (&Finding, &Accepted)> {
        self.properties.iter().filter_map(|f| match &f.outcome {
            Outcome::Decided { checked, .. } => Some((f, &**checked)),
            _ => None,
        })
    }

    pub fn undecided(&self) -> usize {
        self.properties.len() - self.decided().count() + self.liveness()
    }

    /// In order of precedence: a fault, falsified, undecided, proved.
    pub fn exit_code(&self) -> u8 {
        match () {
            _ if !self.faults.is_empty() => exit::FAULT,
            _ if self.decided().any(|(f, c)| self.unwanted(f, c)) => exit::FALSIFIED,
            _ if self.undecided() > 0 || self.model.is_none() => exit::UNDECIDED,
            _ => exit::PROVED,
        }
    }

    /// A violation, or a goal that cannot be reached.
    fn unwanted(&self, finding: &Finding, checked: &Accepted) -> bool {
        let cover = self.model.as_ref().is_some_and(|m| m.is_cover(finding.property));
        cover == matches!(checked.evidence(), Evidence::Proof(_))
    }

    pub fn hwmcc_code(&self) -> u8 {
        match self.exit_code() {
            exit::FALSIFIED => exit::HWMCC_SAT,
            exit::PROVED => exit::HWMCC_UNSAT,
            exit::UNDECIDED => exit::HWMCC_UNKNOWN,
            code => code,
        }
    }
}
