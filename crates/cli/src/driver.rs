//! Runs engines on a task: transforms, starts one thread an engine, takes every verdict back to the original
//! system, has it checked, and only then tells anyone.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use buttress_check::{Checked, Refusal, certify_proof, certify_trace};
use buttress_engine::{Board, Cursor, Desk, Engine, Fact, Ic3, Job, News, Progress, Run};
use buttress_query::{Bits, Levels};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::{BitSystem, LatchId, Lemma, Proof, PropertyId, Verdict};
use buttress_transform::{BackMap, Transformed, simplify};

/// What to decide, and with what.
pub struct Task {
    pub system: Arc<BitSystem>,
    pub properties: Vec<PropertyId>,
    pub engines: Vec<&'static Engine>,
    /// States of the longest path to look at.
    pub bound: usize,
    pub ic3: Ic3,
    /// Whether proofs may rest on distinct states, for which there is no witness circuit.
    pub distinct: bool,
    pub seed: u64,
}

/// What happens during a run. Properties are those of the original system.
pub enum Event {
    Progress {
        engine: &'static Engine,
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
        checked: Box<Checked>,
        checking: f64,
    },
    /// The evidence was wrong: our own fault, never a verdict.
    Rejected {
        property: PropertyId,
        engine: &'static Engine,
        why: String,
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

/// Runs all engines side by side, until every property is decided or they end.
pub fn run(task: &Task, stop: &Stop, events: &(dyn Fn(Event) + Sync)) {
    let transformed = simplify(&task.system, &task.properties);
    let office = Office {
        task,
        transformed: &transformed,
        board: Board::default(),
        open: Mutex::new(task.properties.clone()),
        stop,
        events,
    };
    let office = &office;
    thread::scope(|scope| {
        let start = |&engine| (engine, scope.spawn(move || office.run(engine)));
        let threads: Vec<_> = task.engines.iter().map(start).collect();
        for (engine, thread) in threads {
            let how = match thread.join() {
                Ok(Ok(())) => Ended::Finished,
                Ok(Err(why)) => Ended::Stopped(why),
                Err(panic) => Ended::Panicked(panic_message(panic.as_ref())),
            };
            events(Event::Ended { engine, how });
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
    transformed: &'a Transformed,
    board: Board,
    open: Mutex<Vec<PropertyId>>,
    stop: &'a Stop,
    events: &'a (dyn Fn(Event) + Sync),
}

/// One engine's desk.
struct Clerk<'a> {
    office: &'a Office<'a>,
    engine: &'static Engine,
    /// The checked proofs whose lemmas this engine was given.
    given: Mutex<Vec<Proof>>,
}

impl Office<'_> {
    fn run(&self, engine: &'static Engine) -> Result<(), Stopped> {
        let system = &self.transformed.system;
        let desk = Clerk { office: self, engine, given: Mutex::default() };
        let properties = system.property_ids().collect();
        let Task { bound, ic3, seed, .. } = *self.task;
        let distinct = self.task.distinct && !resets_read_inputs(&self.task.system, &self.task.properties);
        let job = Job { system, properties, bound, ic3, distinct, seed, desk: &desk, stop: self.stop };
        match engine.run {
            Run::Paths(run) => {
                let make = || Cadical::new(self.stop, seed);
                run(&mut Bits::new(system.clone(), make, self.stop), &job)
            }
            Run::Inductive(run) => {
                let make = || Cdcl::new(self.stop);
                run(&mut || Box::new(Levels::new(system.clone(), make)), &job)
            }
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
    /// On the original system, with what the engine was given.
    fn certify(&self, verdict: Verdict) -> Option<Result<Checked, Refusal>> {
        let original = &self.office.task.system;
        match verdict {
            Verdict::Unsafe(trace) => Some(certify_trace(original, self.office.transformed.trace(trace))),
            Verdict::Safe(proof) => {
                let given = self.given.lock().expect("no holder panics");
                let proof = given.iter().fold(self.office.transformed.proof(proof), Proof::and);
                Some(certify_proof(original, proof, self.office.stop))
            }
            Verdict::Unknown(_) => None,
        }
    }

    fn accept(&self, property: PropertyId, checked: Checked, checking: f64) {
        if !self.office.close(property) {
            return;
        }
        if let buttress_check::Evidence::Proof(proof) = checked.evidence() {
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
        let lowered = properties.chain(clauses).filter_map(|l| self.office.transformed.lower(&l));
        lowered.map(News::Lemma).collect()
    }

    fn lower_property(&self, property: PropertyId) -> Option<PropertyId> {
        match self.office.transformed.lower(&Lemma::Property(property))? {
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
        let property = self.office.transformed.property(property);
        !self.office.open.lock().expect("no holder panics").contains(&property)
    }

    fn decide(&self, property: PropertyId, verdict: Verdict) {
        let property = self.office.transformed.property(property);
        let start = Instant::now();
        match self.certify(verdict) {
            Some(Ok(checked)) => self.accept(property, checked, start.elapsed().as_secs_f64()),
            Some(Err(Refusal::Rejected(why))) => {
                (self.office.events)(Event::Rejected { property, engine: self.engine, why })
            }
            Some(Err(Refusal::Stopped(_))) | None => {}
        }
    }

    fn holds_up_to(&self, property: PropertyId, steps: usize) {
        let property = self.office.transformed.property(property);
        self.office.board.post(Fact::HoldsUpTo { property, steps });
        (self.office.events)(Event::HoldsUpTo { property, steps });
    }

    fn read(&self, cursor: &mut Cursor) -> Vec<News> {
        let mut news = Vec::new();
        for fact in self.office.board.read(cursor) {
            match fact {
                Fact::Proved(proof) => {
                    news.extend(self.lemmas(&proof));
                    self.given.lock().expect("no holder panics").push(proof);
                }
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

    fn progress(&self, progress: Progress) {
        (self.office.events)(Event::Progress { engine: self.engine, progress });
    }
}
