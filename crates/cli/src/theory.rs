//! The driver for systems that bits cannot hold: engines on words, side by side, each with SMT solvers of its own.
//!
//! Engines work on a system whose equal states are one (`transform::merge_twins`).
//! As in [`driver`](crate::driver), every verdict is checked on the system as the front end made it before anyone is told:
//! traces by evaluation, and in the source where it can be executed; proofs by solvers started afresh, another
//! than the engines' first choice where there is one. Proved properties and their invariants go to the board and help the
//! other engines.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use buttress_check::{
    Evidence, Refusal, WordChecked, certify_theory_invariant, certify_theory_proof, certify_word_step_failure,
};
use buttress_engine::{
    Board, Cursor, Desk, Diagrams, Engine, Fact, Fsis, Ic3, Job, Kinds, News, Progress, RunWords, Told, Walk,
    largest_stated,
};
use buttress_query::{Atoms, Preimages, Refuter, Regions, Relative, Words};
use buttress_solve::smt::{Config, Session, Theory};
use buttress_solve::{Stop, Stopped};
use buttress_system::words::{Label, Replay, System, WordLemma, WordProof, WordTrace};
use buttress_system::{Clause, Lit, Proof, PropertyId, Reason, Trace, Verdict};
use buttress_term::TermId;
use buttress_transform::{Merged, merge_twins};

use crate::driver::{Accepted, Ended, Event, certify_trace_of_words};
use crate::limits::give_head_start;

/// What to decide, and with what.
pub struct Task {
    pub system: Arc<System>,
    pub source: Option<Arc<dyn Replay>>,
    pub properties: Vec<PropertyId>,
    pub engines: Vec<&'static Engine>,
    /// States of the longest path to look at.
    pub bound: usize,
    pub ic3: Ic3,
    /// Whether proofs may rest on distinct states, which a certificate cannot compare.
    pub distinct: bool,
    pub seed: u64,
    /// Which terms invariant discovery compares.
    pub discover: Kinds,
    pub smt: Config,
    /// What may hold in every reachable state: what is inductive of it helps all engines.
    pub lemmas: Vec<WordLemma>,
    /// Whether to tell where the step cases of k-induction fail.
    pub step_failures: bool,
}

/// Runs all engines side by side, until every property is decided or they end.
pub fn run(task: &Task, stop: &Stop, events: &(dyn Fn(Event) + Sync)) {
    let office = &Office {
        task,
        theory: Theory::of(&task.system.terms),
        merged: merge_twins(&task.system),
        board: Board::default(),
        open: Mutex::new(task.properties.clone()),
        stop,
        events,
    };
    office.learn_lemmas();
    thread::scope(|scope| {
        let able = |engine: &&&'static Engine| engine.words.is_some();
        let start = |&engine| (engine, scope.spawn(move || office.run(engine)));
        let threads: Vec<_> = task.engines.iter().filter(able).map(start).collect();
        for (engine, thread) in threads {
            events(Event::Ended { engine, how: Ended::of(thread.join()) });
        }
    });
}

/// What the engines of one run share.
struct Office<'a> {
    task: &'a Task,
    theory: Theory,
    /// What engines work on.
    merged: Merged,
    board: Board<WordProof>,
    open: Mutex<Vec<PropertyId>>,
    stop: &'a Stop,
    events: &'a (dyn Fn(Event) + Sync),
}

/// One engine's desk.
struct Clerk<'a> {
    office: &'a Office<'a>,
    engine: &'static Engine,
    /// The checked proofs whose lemmas this engine was given.
    given: Mutex<Vec<WordProof>>,
}

impl Office<'_> {
    /// Posts the largest inductive part of the task's lemmas. Where its search is stopped, nothing is known.
    fn learn_lemmas(&self) {
        if self.task.lemmas.is_empty() {
            return;
        }
        match self.inductive_lemmas() {
            Ok(proof) => {
                let (usable, given) = (proof.claim.invariant.len(), self.task.lemmas.len());
                self.board.post(Fact::Proved(proof));
                (self.events)(Event::Lemmas { usable, given });
            }
            Err(Refusal::Stopped(_)) => {}
            Err(Refusal::Rejected(why)) => panic!("lemmas that are inductive together were rejected: {why}"),
        }
    }

    /// Found with each lemma stated as a property, checked on the system as it is.
    fn inductive_lemmas(&self) -> Result<WordProof, Refusal> {
        let (system, mut terms) = (&self.task.system, self.task.system.terms.clone());
        let adopted = |lemma: &WordLemma| match lemma {
            WordLemma::Term(store, term) => terms.adopt(store, *term, system.terms.len()),
            WordLemma::Property(property) => {
                let bad = system.property(*property).bad;
                terms.not(bad)
            }
        };
        let lemmas: Vec<TermId> = self.task.lemmas.iter().map(adopted).collect();
        let mut stated = System { terms, ..(**system).clone() };
        let own = stated.properties.len();
        let mut all = Vec::new();
        for &lemma in &lemmas {
            let bad = stated.terms.not(lemma);
            all.push(stated.add_property(bad, Label::new("lemma")));
        }
        let store = Arc::new(stated.terms.clone());
        let mut reasoner = Words::new(Arc::new(stated), self.task.smt.clone(), self.stop);
        let kept = largest_stated(&mut reasoner, &all)?;
        let invariant = kept.into_iter().map(|p| lemmas[p.index() - own]).collect();
        let claim = Proof { properties: Vec::new(), k: 1, distinct: None, invariant };
        let proof = WordProof { terms: store, claim };
        certify_theory_invariant(system, proof.clone(), &mut self.afresh())?;
        Ok(proof)
    }

    fn run(&self, engine: &'static Engine) -> Result<(), Stopped> {
        let Task { properties, bound, distinct, seed, smt, .. } = self.task;
        // What merging leaves out nobody reads in the first step; invariants may speak of it there.
        let system = match engine.words {
            Some(RunWords::Conjectures(_)) => &self.task.system,
            _ => &self.merged.system,
        };
        let desk = Clerk { office: self, engine, given: Mutex::new(Vec::new()) };
        let job = Job {
            system: system.as_ref(),
            properties: properties.clone(),
            bound: *bound,
            ic3: self.task.ic3,
            fsis: Fsis::default(),
            diagrams: Diagrams::default(),
            discover: self.task.discover,
            in_company: false,
            distinct: *distinct && !system.inits_read_inputs(),
            seed: *seed,
            desk: &desk,
            stop: self.stop,
        };
        match engine.words {
            Some(RunWords::Paths(run)) => run(&mut Words::new(system.clone(), smt.clone(), self.stop), &job),
            Some(RunWords::Conjectures(run)) => {
                if self.task.engines.len() > 1 {
                    give_head_start(self.stop)?;
                }
                let make = |own| Box::new(Words::new(own, smt.clone(), self.stop)) as Box<dyn Refuter<_, _>>;
                run(&mut { make }, &job)
            }
            Some(RunWords::Predicates { run, refines }) => {
                let preimages = if refines { self.task.ic3.preimages } else { Preimages::Projection };
                let atoms = Arc::new(Atoms::new(system.clone()));
                let (mut cursor, mut known) = (Cursor::default(), Vec::new());
                let mut fresh = || {
                    let lemmas = desk.read(&mut cursor).into_iter().filter_map(|news| match news {
                        News::Lemma(lemma) => Some(lemma),
                        _ => None,
                    });
                    known.extend(lemmas);
                    let mut regions = Regions::new(system.clone(), atoms.clone(), preimages, smt, self.stop);
                    known.iter().for_each(|lemma| regions.know(lemma));
                    Box::new(regions) as Box<dyn Relative>
                };
                run(&mut fresh, &atoms, &mut Words::new(system.clone(), smt.clone(), self.stop), &job)
            }
            None => Ok(()),
        }
    }

    fn certify_trace(&self, trace: WordTrace) -> Result<WordChecked, Refusal> {
        certify_trace_of_words(&self.task.system, self.task.source.as_deref(), trace)
    }

    /// By another solver than the one that engines ask first.
    fn certify_proof(&self, proof: WordProof) -> Result<WordChecked, Refusal> {
        certify_theory_proof(&self.task.system, proof, &mut self.afresh())
    }

    /// Starts solvers, another first than the engines do.
    fn afresh(&self) -> impl FnMut() -> Session + '_ {
        let first = self.task.smt.fit(&self.theory).first().map(|found| found.adapter.name);
        move || {
            let mut session = Session::new(&self.task.smt, self.theory, self.stop);
            first.into_iter().for_each(|name| session.avoid(name));
            session.hand_on();
            session
        }
    }

    /// Takes properties off the list; those that nobody had decided before.
    fn close(&self, properties: &[PropertyId]) -> Vec<PropertyId> {
        let mut open = self.open.lock().expect("no holder panics");
        let closed = properties.iter().copied().filter(|p| open.contains(p)).collect();
        open.retain(|p| !properties.contains(p));
        if open.is_empty() {
            self.stop.request(&Stopped::Cancelled);
        }
        closed
    }
}

impl Clerk<'_> {
    /// Whatever the evidence decides is decided, not only what was asked for.
    fn accept(&self, checked: WordChecked, checking: f64) {
        let office = self.office;
        if let Evidence::Proof(proof) = checked.evidence() {
            office.board.post(Fact::Proved(proof.clone()));
        }
        for property in office.close(checked.properties()) {
            office.board.post(Fact::Decided { property });
            let checked = Box::new(Accepted::Words { bits: outline(&checked), checked: checked.clone() });
            (office.events)(Event::Decided { property, engine: self.engine, checked, checking });
        }
    }
}

/// What reports count: the length of a trace, the k and the number of conjuncts of a proof.
fn outline(checked: &WordChecked) -> Evidence {
    match checked.evidence() {
        Evidence::Trace(trace) => {
            let inputs = vec![Vec::new(); trace.inputs.len()];
            Evidence::Trace(Trace { property: trace.property, initial: Vec::new(), inputs })
        }
        Evidence::Proof(WordProof { claim, .. }) => Evidence::Proof(Proof {
            properties: claim.properties.clone(),
            k: claim.k,
            distinct: claim.distinct.as_ref().map(|_| Vec::new()),
            invariant: vec![Clause::new([]); claim.invariant.len()],
        }),
    }
}

impl Desk<System> for Clerk<'_> {
    fn is_decided(&self, property: PropertyId) -> bool {
        !self.office.open.lock().expect("no holder panics").contains(&property)
    }

    fn decide(&self, property: PropertyId, verdict: Verdict<WordProof, WordTrace>) {
        let (engine, events) = (self.engine, self.office.events);
        let start = Instant::now();
        let checked = match verdict {
            Verdict::Unsafe(trace) => self.office.certify_trace(self.office.merged.trace(trace)),
            Verdict::Safe(proof) => {
                let given = self.given.lock().expect("no holder panics").clone();
                let system = &self.office.task.system;
                let proof = self.office.merged.proof(proof);
                let proof = given.iter().fold(proof, |proof, lemmas| proof.and(system, lemmas));
                self.office.certify_proof(proof)
            }
            Verdict::Unknown(why) => return events(Event::GaveUp { property, engine, why }),
        };
        match checked {
            Ok(checked) => self.accept(checked, start.elapsed().as_secs_f64()),
            Err(Refusal::Rejected(why)) => events(Event::Rejected { property, engine, why }),
            Err(Refusal::Stopped(Stopped::Solver(why))) => {
                let why = Reason::Solver(format!("its answer could not be checked: {why}"));
                events(Event::GaveUp { property, engine, why });
            }
            Err(Refusal::Stopped(_)) => {}
        }
    }

    fn strengthen(&self, proof: WordProof) -> bool {
        let (office, mut given) = (self.office, self.given.lock().expect("no holder panics"));
        let system = &office.task.system;
        let all = given.iter().fold(proof.clone(), |all, before| all.and(system, before));
        match certify_theory_invariant(system, all, &mut office.afresh()) {
            Ok(_) => {
                given.push(proof.clone());
                office.board.post(Fact::Proved(proof));
                true
            }
            Err(Refusal::Stopped(_)) => false,
            Err(Refusal::Rejected(why)) => panic!("what was found to be k-inductive was rejected: {why}"),
        }
    }

    fn holds_up_to(&self, property: PropertyId, steps: usize) {
        self.office.board.post(Fact::HoldsUpTo { property, steps });
        (self.office.events)(Event::HoldsUpTo { property, steps });
    }

    fn read(&self, cursor: &mut Cursor) -> Vec<News<WordLemma>> {
        let mut news = Vec::new();
        for fact in self.office.board.read(cursor) {
            match fact {
                Fact::Proved(proof) => {
                    news.extend(self.office.merged.lemmas(&proof).into_iter().map(News::Lemma));
                    self.given.lock().expect("no holder panics").push(proof);
                }
                Fact::HoldsUpTo { property, steps } => news.push(News::HoldsUpTo { property, steps }),
                Fact::Decided { property } => news.push(News::Decided { property }),
                Fact::Told { .. } => {}
            }
        }
        news
    }

    fn exchange(&self, _: PropertyId, _: Vec<Told>, _: &mut Cursor) -> Vec<Told> {
        Vec::new()
    }

    fn progress(&self, progress: Progress) {
        (self.office.events)(Event::Progress { engine: self.engine, thread: 0, progress });
    }

    fn explaining(&self) -> bool {
        self.office.task.step_failures && matches!(self.engine.words, Some(RunWords::Paths(_)))
    }

    fn tell(&self, property: PropertyId, walk: Walk<WordTrace>) {
        let Walk::StepFails { k, path } = walk else { return };
        let (engine, events, path) = (self.engine, self.office.events, self.office.merged.trace(path));
        let given = self.given.lock().expect("no holder panics");
        let known: Vec<PropertyId> = given.iter().flat_map(|p| p.claim.properties.iter().copied()).collect();
        match certify_word_step_failure(&self.office.task.system, &path, &[property], &known) {
            Err(Refusal::Rejected(why)) => events(Event::Rejected { property, engine, why }),
            _ => events(Event::StepFails { property, k, path }),
        }
    }

    fn leave(&self, _: PropertyId, _: &mut dyn Iterator<Item = &[Lit]>) {}
}
