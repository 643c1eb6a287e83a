//! Runs engines on a task: transforms, starts one thread an engine, takes every verdict back to the original
//! system, has it checked, and only then tells anyone.

use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Instant;

use buttress_check::{
    Checked, Evidence, IndexedChecked, Refusal, Vacuous, WordChecked, certify_invariant, certify_proof,
    certify_source_trace, certify_step_failure, certify_trace, certify_word_invariant, certify_word_proof,
    certify_word_trace,
};
use buttress_engine::{
    Board, Cursor, Desk, Diagrams, Engine, Fact, Fsis, Ic3, Job, Kinds, News, Progress, Run, Told, Walk,
    largest_inductive,
};
use buttress_query::{Bits, FOREVER, Levels, Predecessor, Relative};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::words::{Replay, System, WordTrace};
use buttress_system::{
    BitSystem, Clause, InputId, LatchId, Lemma, Lit, Proof, PropertyId, Reason, Trace, Verdict,
};
use buttress_transform::blast::Blasted;
use buttress_transform::finite::Finite;
use buttress_transform::{BackMap, Transformed, reduce, simplify};

use crate::limits::give_head_start;

/// What to decide, and with what.
pub struct Task {
    pub system: Arc<BitSystem>,
    /// The words that the system stands for, where evidence is to be checked on them.
    pub words: Option<Arc<Blasted>>,
    /// The integers that these stand for, where the front end gave integers: then proofs are checked on those.
    pub integers: Option<Arc<Finite>>,
    /// The source of the words, where its front end can execute it: every trace is replayed there, too.
    pub source: Option<Arc<dyn Replay>>,
    pub properties: Vec<PropertyId>,
    pub engines: Vec<&'static Engine>,
    /// States of the longest path to look at.
    pub bound: usize,
    pub ic3: Ic3,
    pub fsis: Fsis,
    pub diagrams: Diagrams,
    /// Whether proofs may rest on distinct states, for which there is no witness circuit.
    pub distinct: bool,
    pub seed: u64,
    /// Threads for each engine whose runs help each other.
    pub jobs: usize,
    /// Clauses over latches that may hold: what is inductive of them helps all engines.
    pub lemmas: Vec<Clause>,
    pub follow: Follow,
}

/// What is told beside verdicts; nothing is collected that nobody wants.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Follow {
    /// Where the step cases of k-induction fail.
    pub step_failures: bool,
    /// The way of the inductive engines.
    pub walks: bool,
    /// What they had found where they did not come to a verdict.
    pub remains: bool,
}

/// Evidence that was accepted, on the system as the front end made it.
pub enum Accepted {
    Bits(Checked),
    /// With the evidence about bits that it was made of, or an outline where there are no bits.
    Words {
        checked: WordChecked,
        bits: Evidence,
    },
    /// About a system with maps, for all places; with an outline.
    Indexed {
        checked: IndexedChecked,
        bits: Evidence,
    },
}

impl Accepted {
    /// The evidence in bits. Of a word-level system its counterpart in words is what was checked.
    pub fn evidence(&self) -> &Evidence {
        match self {
            Accepted::Bits(checked) => checked.evidence(),
            Accepted::Words { bits, .. } | Accepted::Indexed { bits, .. } => bits,
        }
    }

    pub fn vacuous(&self) -> Option<Vacuous> {
        match self {
            Accepted::Bits(checked) => checked.vacuous(),
            Accepted::Words { checked, .. } => checked.vacuous(),
            Accepted::Indexed { checked, .. } => checked.vacuous(),
        }
    }
}

impl Task {
    /// The engines, one after the other and each as often as it runs, with the number of its thread.
    fn threads(&self) -> impl Iterator<Item = (&'static Engine, usize)> {
        let jobs = |engine: &Engine| if engine.several { self.jobs } else { 1 };
        self.engines.iter().flat_map(move |&engine| (0..jobs(engine)).map(move |thread| (engine, thread)))
    }

    /// Whether k-induction uses what FSIS tells: it is relative to the property, so there must be just one.
    fn is_hybrid(&self) -> bool {
        self.engines.iter().any(|e| e.name == "kind") && self.properties.len() == 1
    }

    fn certify_trace(&self, trace: Trace) -> Result<Accepted, Refusal> {
        match &self.words {
            None => certify_trace(&self.system, trace).map(Accepted::Bits),
            Some(words) => {
                let (system, raised) = match &self.integers {
                    None => (words.words(), words.trace(&trace)),
                    Some(finite) => (finite.original(), finite.trace(words.trace(&trace))),
                };
                let checked = certify_trace_of_words(system, self.source.as_deref(), raised)?;
                Ok(Accepted::Words { checked, bits: Evidence::Trace(trace) })
            }
        }
    }

    /// What is k-inductive without a property.
    fn certify_invariant(&self, proof: Proof, stop: &Stop) -> Result<(), Refusal> {
        match &self.words {
            None => certify_invariant(&self.system, proof.invariant, proof.k, stop).map(drop),
            Some(words) => certify_word_invariant(words.words(), words.proof(&proof), stop).map(drop),
        }
    }

    fn certify_proof(&self, proof: Proof, stop: &Stop) -> Result<Accepted, Refusal> {
        match &self.words {
            None => certify_proof(&self.system, proof, stop).map(Accepted::Bits),
            Some(words) => {
                let (system, raised) = match &self.integers {
                    None => (words.words(), words.proof(&proof)),
                    Some(finite) => (finite.original(), finite.proof(words.proof(&proof))),
                };
                let checked = certify_word_proof(system, raised, stop)?;
                Ok(Accepted::Words { checked, bits: Evidence::Proof(proof) })
            }
        }
    }
}

/// On the words and, where its front end can execute it, in the source.
pub(crate) fn certify_trace_of_words(
    system: &System,
    source: Option<&dyn Replay>,
    trace: WordTrace,
) -> Result<WordChecked, Refusal> {
    match source {
        Some(source) => certify_source_trace(system, source, trace),
        None => certify_word_trace(system, trace),
    }
}

/// What happens during a run. Properties are those of the original system.
pub enum Event {
    Progress {
        engine: &'static Engine,
        /// Which of its threads.
        thread: usize,
        progress: Progress,
    },
    HoldsUpTo {
        property: PropertyId,
        steps: usize,
    },
    /// Accepted, after so many seconds of checking.
    Decided {
        property: PropertyId,
        engine: &'static Engine,
        checked: Box<Accepted>,
        checking: f64,
    },
    /// The evidence was wrong: our own fault, never a verdict.
    Rejected {
        property: PropertyId,
        engine: &'static Engine,
        why: String,
    },
    /// Of the lemmas given, so many are inductive together.
    Lemmas {
        usable: usize,
        given: usize,
    },
    /// A step of an engine's way, in terms of the original system.
    Walk {
        engine: &'static Engine,
        property: PropertyId,
        walk: Walk,
    },
    /// A step case of k-induction fails on words: the property holds in k states, then it is violated.
    StepFails {
        property: PropertyId,
        k: usize,
        path: WordTrace,
    },
    /// Clauses that an engine had found when it gave up on the property; not proved.
    Remains {
        engine: &'static Engine,
        thread: usize,
        property: PropertyId,
        clauses: Vec<Clause>,
    },
    /// The engine leaves the property to others, and says why.
    GaveUp {
        property: PropertyId,
        engine: &'static Engine,
        why: Reason,
    },
    Ended {
        engine: &'static Engine,
        how: Ended,
    },
}

pub enum Ended {
    /// It did what it could.
    Finished,
    Stopped(Stopped),
    /// A violated invariant of our own.
    Panicked(String),
}

impl Ended {
    /// How the thread of an engine ended.
    pub fn of(joined: thread::Result<Result<(), Stopped>>) -> Ended {
        match joined {
            Ok(Ok(())) => Ended::Finished,
            Ok(Err(why)) => Ended::Stopped(why),
            Err(panic) => Ended::Panicked(panic_message(panic.as_ref())),
        }
    }
}

/// Runs all engines side by side, until every property is decided or they end.
pub fn run(task: &Task, stop: &Stop, events: &(dyn Fn(Event) + Sync)) {
    let mut office = Office {
        task,
        simplified: simplify(&task.system, &task.properties),
        reduced: OnceLock::new(),
        known: None,
        board: Board::default(),
        open: Mutex::new(task.properties.clone()),
        stop,
        events,
    };
    office.learn_lemmas();
    let office = &office;
    thread::scope(|scope| {
        let start = |(engine, thread)| (engine, scope.spawn(move || office.run(engine, thread)));
        let threads: Vec<_> = task.threads().map(start).collect();
        for (engine, thread) in threads {
            events(Event::Ended { engine, how: Ended::of(thread.join()) });
        }
    });
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked".to_string())
}

/// What the engines of one run share.
struct Office<'a> {
    task: &'a Task,
    simplified: Transformed,
    /// The same with equal signals merged, for engines that ask about single steps: distinct states, which paths may
    /// rest on, do not go with facts about gates.
    reduced: OnceLock<Result<Transformed, Stopped>>,
    /// What is inductive of the task's lemmas, checked.
    known: Option<Proof>,
    board: Board,
    open: Mutex<Vec<PropertyId>>,
    stop: &'a Stop,
    events: &'a (dyn Fn(Event) + Sync),
}

/// One engine's desk.
struct Clerk<'a> {
    office: &'a Office<'a>,
    engine: &'static Engine,
    thread: usize,
    /// What the engine sees of the system.
    transformed: &'a Transformed,
    /// The checked proofs whose lemmas this engine was given.
    given: Mutex<Vec<Proof>>,
}

impl Office<'_> {
    /// Posts the largest inductive part of the task's lemmas. Where its search is stopped, nothing is known.
    fn learn_lemmas(&mut self) {
        if self.task.lemmas.is_empty() {
            return;
        }
        match self.inductive_lemmas() {
            Ok((usable, proof)) => {
                self.board.post(Fact::Proved(proof.clone()));
                self.known = Some(proof);
                (self.events)(Event::Lemmas { usable, given: self.task.lemmas.len() });
            }
            Err(Refusal::Stopped(_)) => {}
            Err(Refusal::Rejected(why)) => panic!("clauses that are inductive together were rejected: {why}"),
        }
    }

    /// Found on the transformed system, which leaves out what no property depends on; checked on the original.
    fn inductive_lemmas(&self) -> Result<(usize, Proof), Refusal> {
        let lower = |c: &Clause| match self.simplified.lower(&Lemma::Clause(c.clone()))? {
            Lemma::Clause(clause) => Some(clause),
            Lemma::Property(_) => None,
        };
        let clauses: Vec<Clause> = self.task.lemmas.iter().filter_map(lower).collect();
        let mut levels = Levels::new(self.simplified.system.clone(), || Cdcl::new(self.stop));
        let kept = largest_inductive(&mut levels, &clauses)?;
        let invariant: Vec<Clause> = kept.into_iter().map(|c| clauses[c].clone()).collect();
        let usable = invariant.len();
        let proof = Proof { properties: Vec::new(), k: 1, distinct: None, invariant };
        let raised = self.simplified.proof(proof).invariant;
        Ok((usable, certify_invariant(&self.task.system, raised, 1, self.stop)?))
    }

    /// What an engine works on. Where people follow it, or lemmas go in or out, the signals are those of the model; and
    /// clauses that are told to k-induction must hold without the facts of merging.
    fn transformed(&self, engine: &Engine) -> Result<&Transformed, Stopped> {
        let Follow { walks, remains, .. } = self.task.follow;
        match engine.run {
            Run::Paths(_) | Run::Conjectures(_) | Run::Inverse(_) | Run::Symbolic(_) => Ok(&self.simplified),
            _ if walks || remains || !self.task.lemmas.is_empty() => Ok(&self.simplified),
            _ if engine.several && self.task.is_hybrid() => Ok(&self.simplified),
            Run::Inductive(_) => {
                let make = || Cdcl::new(self.stop);
                let reduced = || reduce(&self.task.system, &self.task.properties, make);
                self.reduced.get_or_init(reduced).as_ref().map_err(Clone::clone)
            }
        }
    }

    fn run(&self, engine: &'static Engine, thread: usize) -> Result<(), Stopped> {
        if matches!(engine.run, Run::Conjectures(_)) && self.task.engines.len() > 1 {
            give_head_start(self.stop)?;
        }
        let transformed = self.transformed(engine)?;
        let system = &transformed.system;
        let given = match engine.run {
            Run::Paths(_) | Run::Conjectures(_) | Run::Inverse(_) | Run::Symbolic(_) => Vec::new(),
            Run::Inductive(_) => self.known.iter().cloned().collect(),
        };
        let desk = Clerk { office: self, engine, thread, transformed, given: Mutex::new(given) };
        let properties = system.property_ids().collect();
        let Task { bound, fsis, diagrams, .. } = *self.task;
        let ic3 = Ic3 { of_words: self.task.words.is_some(), ..self.task.ic3 };
        let seed = self.task.seed.wrapping_add(thread as u64);
        let in_company = engine.several && self.task.jobs > 1;
        let distinct = self.task.distinct && !resets_read_inputs(&self.task.system, &self.task.properties);
        let (desk, stop, own) = (&desk, self.stop, system.as_ref());
        let job = Job {
            system: own,
            properties,
            bound,
            ic3,
            fsis,
            diagrams,
            discover: Kinds::default(),
            distinct,
            seed,
            in_company,
            desk,
            stop,
        };
        match engine.run {
            Run::Paths(run) => {
                let make = || Cadical::new(self.stop, seed);
                run(&mut Bits::new(system.clone(), make, self.stop), &job)
            }
            Run::Conjectures(run) => {
                run(&mut Bits::new(system.clone(), || Cadical::new(self.stop, seed), self.stop), &job)
            }
            Run::Inductive(run) => {
                let known = self.known.iter().flat_map(|proof| desk.cubes(proof)).collect::<Vec<_>>();
                let solver = || match engine.whole_states {
                    true => Cdcl::new(self.stop).keeping_domains(),
                    false => Cdcl::new(self.stop),
                };
                let fresh = || {
                    let mut levels = Levels::new(system.clone(), solver);
                    known.iter().for_each(|cube| levels.learn(FOREVER, cube));
                    Box::new(levels) as Box<dyn Relative>
                };
                run(&mut { fresh }, &job)
            }
            Run::Inverse(run) => run(&mut |own| Box::new(Levels::new(own, || Cdcl::new(self.stop))), &job),
            Run::Symbolic(run) => run(&job),
        }
    }

    /// Takes a property off the list; false where somebody else was faster.
    fn close(&self, property: PropertyId) -> bool {
        let mut open = self.open.lock().expect("no holder panics");
        let before = open.len();
        open.retain(|&p| p != property);
        if open.is_empty() {
            self.stop.request(&Stopped::Cancelled);
        }
        open.len() < before
    }
}

impl Clerk<'_> {
    /// On the original system.
    fn certify_trace(&self, trace: Trace) -> Result<Accepted, Refusal> {
        self.office.task.certify_trace(self.transformed.trace(trace))
    }

    /// On the original system, with what the engine was given.
    fn certify_proof(&self, proof: Proof) -> Result<Accepted, Refusal> {
        let given = self.given.lock().expect("no holder panics");
        let proof = given.iter().fold(self.transformed.proof(proof), Proof::and);
        self.office.task.certify_proof(proof, self.office.stop)
    }

    fn accept(&self, property: PropertyId, checked: Accepted, checking: f64) {
        if !self.office.close(property) {
            return;
        }
        if let Evidence::Proof(proof) = checked.evidence() {
            self.office.board.post(Fact::Proved(proof.clone()));
        }
        self.office.board.post(Fact::Decided { property });
        let checked = Box::new(checked);
        (self.office.events)(Event::Decided { property, engine: self.engine, checked, checking });
    }

    /// A checked proof as lemmas over the engine's system.
    fn lemmas(&self, proof: &Proof) -> Vec<News> {
        let properties = proof.properties.iter().map(|&p| Lemma::Property(p));
        let clauses = proof.invariant.iter().cloned().map(Lemma::Clause);
        let lowered = properties.chain(clauses).filter_map(|l| self.transformed.lower(&l));
        lowered.map(News::Lemma).collect()
    }

    /// Engines that ask about single steps read what was discovered, and no proofs of properties: these may rest on distinct states.
    fn may_read(&self, proof: &Proof) -> bool {
        !matches!(self.engine.run, Run::Inductive(_)) || proof.properties.is_empty()
    }

    /// The cubes that its clauses exclude.
    fn cubes(&self, proof: &Proof) -> Vec<Vec<Lit>> {
        let cube = |news: News| match news {
            News::Lemma(Lemma::Clause(clause)) => Some((!&clause).0.to_vec()),
            _ => None,
        };
        self.lemmas(proof).into_iter().filter_map(cube).collect()
    }

    /// A step of the way in terms of the original system.
    fn raise(&self, walk: Walk) -> Walk {
        let transformed = self.transformed;
        let raise = |cube: Vec<Lit>| {
            let mut raised: Vec<Lit> = cube.into_iter().map(|l| transformed.literal(l)).collect();
            raised.sort_unstable();
            raised
        };
        match walk {
            Walk::Cti { depth, level, states } => {
                let row = |inputs: &Vec<InputId>| inputs.iter().map(|&i| self.input(i)).collect();
                let (inputs, after) = (row(&states.inputs), states.after.as_ref().map(row));
                Walk::Cti { depth, level, states: Predecessor { cube: raise(states.cube), inputs, after } }
            }
            Walk::Lemma { depth, level, cube } => Walk::Lemma { depth, level, cube: raise(cube) },
            Walk::Aside { level, cube } => Walk::Aside { level, cube: raise(cube) },
            Walk::StepFails { k, path } => Walk::StepFails { k, path: transformed.trace(path) },
            plain => plain,
        }
    }

    /// What the engine was given, less what it could not use.
    fn known(&self) -> Vec<Proof> {
        let mut given = self.given.lock().expect("no holder panics").clone();
        for proof in &mut given {
            proof.invariant.retain(|c| self.transformed.lower(&Lemma::Clause(c.clone())).is_some());
        }
        given
    }

    fn input(&self, input: InputId) -> InputId {
        let transformed = self.transformed;
        let old = transformed.literal(transformed.system.input_lit(input));
        InputId::new(old.var().index() - 1)
    }

    /// The same over the original system.
    fn raise_told(&self, told: &Told) -> Told {
        told.about(told.cube().iter().map(|&l| self.transformed.literal(l)).collect())
    }

    /// What is told about a property, over the engine's system; `None` where it speaks of what is gone there.
    fn lower_told(&self, property: PropertyId, told: &Told) -> Option<(PropertyId, Told)> {
        let property = self.lower_property(property)?;
        let clause = Clause::new(told.cube().iter().map(|&l| !l));
        match self.transformed.lower(&Lemma::Clause(clause))? {
            Lemma::Clause(clause) => Some((property, told.about((!&clause).0.to_vec()))),
            Lemma::Property(_) => None,
        }
    }

    /// What another engine excluded, as a clause.
    fn told(&self, property: PropertyId, told: &Told) -> Option<News> {
        let (property, told) = self.lower_told(property, told)?;
        match told {
            Told::Excluded(cube) => {
                Some(News::Excluded { property, lemma: Lemma::Clause(Clause::new(cube.iter().map(|&l| !l))) })
            }
            Told::Failed(_) => None,
        }
    }

    fn lower_property(&self, property: PropertyId) -> Option<PropertyId> {
        match self.transformed.lower(&Lemma::Property(property))? {
            Lemma::Property(p) => Some(p),
            Lemma::Clause(_) => None,
        }
    }
}

/// Whether the start of what these properties depend on depends on inputs: the argument for distinct states fixes the
/// first state, not the first inputs.
fn resets_read_inputs(system: &BitSystem, properties: &[PropertyId]) -> bool {
    let bads = properties.iter().map(|&p| system.property(p).bad);
    let cone = system.closure(bads.chain(system.constraints.iter().copied()));
    let in_cone = |l: &LatchId| cone[system.latch_lit(*l).var().index()];
    let mut marked = vec![false; system.num_vars()];
    system.mark_cone(system.latches().filter(in_cone).map(|l| system.latch(l).reset), &mut marked);
    system.inputs().any(|i| marked[system.input_lit(i).var().index()])
}

impl Desk for Clerk<'_> {
    fn is_decided(&self, property: PropertyId) -> bool {
        let property = self.transformed.property(property);
        !self.office.open.lock().expect("no holder panics").contains(&property)
    }

    fn decide(&self, property: PropertyId, verdict: Verdict) {
        let property = self.transformed.property(property);
        let (engine, events) = (self.engine, self.office.events);
        let start = Instant::now();
        let checked = match verdict {
            Verdict::Unsafe(trace) => self.certify_trace(trace),
            Verdict::Safe(proof) => self.certify_proof(proof),
            Verdict::Unknown(why) => return events(Event::GaveUp { property, engine, why }),
        };
        match checked {
            Ok(checked) => self.accept(property, checked, start.elapsed().as_secs_f64()),
            Err(Refusal::Rejected(why)) => events(Event::Rejected { property, engine, why }),
            Err(Refusal::Stopped(_)) => {}
        }
    }

    fn strengthen(&self, proof: Proof) -> bool {
        let raised = self.transformed.proof(proof);
        let mut given = self.given.lock().expect("no holder panics");
        let all = given.iter().fold(raised.clone(), Proof::and);
        match self.office.task.certify_invariant(all, self.office.stop) {
            Ok(()) => {
                given.push(raised.clone());
                self.office.board.post(Fact::Proved(raised));
                true
            }
            Err(Refusal::Stopped(_)) => false,
            Err(Refusal::Rejected(why)) => panic!("what was found to be k-inductive was rejected: {why}"),
        }
    }

    fn holds_up_to(&self, property: PropertyId, steps: usize) {
        let property = self.transformed.property(property);
        self.office.board.post(Fact::HoldsUpTo { property, steps });
        (self.office.events)(Event::HoldsUpTo { property, steps });
    }

    fn read(&self, cursor: &mut Cursor) -> Vec<News> {
        let mut news = Vec::new();
        for fact in self.office.board.read(cursor) {
            match fact {
                Fact::Proved(proof) if !self.may_read(&proof) => {}
                Fact::Proved(proof) => {
                    news.extend(self.lemmas(&proof));
                    self.given.lock().expect("no holder panics").push(proof);
                }
                Fact::Told { property, told } => news.extend(self.told(property, &told)),
                Fact::HoldsUpTo { property, steps } => {
                    let lowered = self.lower_property(property);
                    news.extend(lowered.map(|property| News::HoldsUpTo { property, steps }));
                }
                Fact::Decided { property } => {
                    let lowered = self.lower_property(property);
                    news.extend(lowered.map(|property| News::Decided { property }));
                }
            }
        }
        news
    }

    fn exchange(&self, property: PropertyId, own: Vec<Told>, cursor: &mut Cursor) -> Vec<Told> {
        let raised = self.transformed.property(property);
        let fact = |told: &Told| Fact::Told { property: raised, told: self.raise_told(told) };
        let own = own.iter().map(fact).collect();
        let mut news = Vec::new();
        for fact in self.office.board.exchange(own, cursor) {
            if let Fact::Told { property: about, told } = fact
                && let Some((about, told)) = self.lower_told(about, &told)
                && about == property
            {
                news.push(told);
            }
        }
        news
    }

    fn progress(&self, progress: Progress) {
        (self.office.events)(Event::Progress { engine: self.engine, thread: self.thread, progress });
    }

    fn explaining(&self) -> bool {
        let follow = self.office.task.follow;
        match self.engine.run {
            Run::Paths(_) => follow.step_failures,
            Run::Inductive(_) => follow.walks,
            Run::Conjectures(_) | Run::Inverse(_) | Run::Symbolic(_) => false,
        }
    }

    fn tell(&self, property: PropertyId, walk: Walk) {
        let property = self.transformed.property(property);
        let walk = self.raise(walk);
        if let Walk::StepFails { path, .. } = &walk {
            let known = self.known();
            if let Err(Refusal::Rejected(why)) = certify_step_failure(&self.office.task.system, path, &known)
            {
                (self.office.events)(Event::Rejected { property, engine: self.engine, why });
                return;
            }
        }
        (self.office.events)(Event::Walk { engine: self.engine, property, walk });
    }

    fn leave(&self, property: PropertyId, cubes: &mut dyn Iterator<Item = &[Lit]>) {
        if self.office.task.follow.remains {
            let transformed = self.transformed;
            let property = transformed.property(property);
            let clauses = cubes.map(|c| Clause::new(c.iter().map(|&l| !transformed.literal(l)))).collect();
            let (engine, thread) = (self.engine, self.thread);
            (self.office.events)(Event::Remains { engine, thread, property, clauses });
        }
    }
}
