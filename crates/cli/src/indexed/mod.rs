//! The driver for systems with maps: bounded model checking beside indexed predicate abstraction or, where nobody gave
//! predicates, a search with predicates that it finds; where places are processes, backward reachability.
//!
//! As in [`driver`](crate::driver), every verdict is checked on the model as the front end made it before anyone is told.

pub mod show;
pub mod simulate;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use buttress_check::{Evidence, IndexedChecked, Refusal, certify_indexed_proof, certify_indexed_trace};
use buttress_engine::{Engine, Job, Progress, Run};
use buttress_indexed::backward::{self, Answer, decide};
use buttress_indexed::bmc::Paths;
use buttress_indexed::directed::Effort;
use buttress_indexed::{Conclusion, Options, Source, analyse, discover};
use buttress_solve::smt::{Config, Session, Theory};
use buttress_solve::{Stop, Stopped};
use buttress_system::indexed::Indexed;
use buttress_system::{Clause, Proof, PropertyId, Reason, Trace};

use crate::driver::{Accepted, Ended, Event};

/// How reports call it. Not in the table of engines: those are about bits and words.
pub static ABSTRACTION: Engine = Engine {
    name: "indexed",
    title: "indexed predicates",
    paper: "Lahiri & Bryant, Constructing quantified invariants via predicate abstraction, VMCAI 2004",
    measure: "iteration",
    unit: "queries",
    run: Run::Symbolic(not_without_maps),
    several: false,
    whole_states: false,
    words: None,
};

/// Clauses over predicates that the property needs; where nobody gave predicates.
pub static DIRECTED: Engine = Engine {
    name: "directed",
    title: "directed indexed predicates",
    paper: "Lahiri & Bryant, Constructing quantified invariants via predicate abstraction, VMCAI 2004; Garg, Löding, Madhusudan & Neider, ICE, CAV 2014",
    measure: "vocabulary",
    unit: "queries",
    run: Run::Symbolic(not_without_maps),
    several: false,
    whole_states: false,
    words: None,
};

/// For systems of processes.
pub static BACKWARD: Engine = Engine {
    name: "backward",
    title: "backward reachability",
    paper: "Conchon, Goel, Krstic, Mebsout & Zaidi, Invariants for finite instances and beyond, FMCAD 2013",
    measure: "cube",
    unit: "queries",
    run: Run::Symbolic(not_without_maps),
    several: false,
    whole_states: false,
    words: None,
};

fn not_without_maps(_: &Job<'_>) -> Result<(), Stopped> {
    Ok(())
}

/// What to decide, and with what.
pub struct Task {
    pub model: Arc<Indexed>,
    pub properties: Vec<PropertyId>,
    /// States of the longest path to look at.
    pub bound: usize,
    pub smt: Config,
    pub options: Options,
    /// Whether predicates are found, and those of the model left aside.
    pub find: bool,
    /// Whether only clauses are learned that the property needs.
    pub directed: bool,
}

impl Task {
    fn source(&self) -> Source {
        if self.find || self.model.predicates.is_empty() { Source::Found } else { Source::Given }
    }
}

/// Who proves.
#[derive(Clone, Copy)]
enum Prover {
    Abstraction,
    Directed,
    Backward,
}

impl Prover {
    fn of(task: &Task) -> Prover {
        match (&task.model.processes, task.source()) {
            (_, Source::Given) if task.directed => Prover::Directed,
            (_, Source::Given) => Prover::Abstraction,
            (Some(_), Source::Found) => Prover::Backward,
            (None, Source::Found) => Prover::Directed,
        }
    }

    fn engine(self) -> &'static Engine {
        match self {
            Prover::Abstraction => &ABSTRACTION,
            Prover::Directed => &DIRECTED,
            Prover::Backward => &BACKWARD,
        }
    }
}

/// BMC may take one part in so many of the time while the other engine runs: most models are safe, and proofs are what a
/// reader waits for.
const SHARE: u32 = 8;

/// What both threads share.
struct Office<'a> {
    task: &'a Task,
    open: Mutex<Vec<PropertyId>>,
    /// Whether the other engine has ended.
    alone: AtomicBool,
    stop: &'a Stop,
    events: &'a (dyn Fn(Event) + Sync),
}

/// Runs both until every property is decided or they end.
pub fn run(task: &Task, stop: &Stop, events: &(dyn Fn(Event) + Sync)) {
    let open = Mutex::new(task.properties.clone());
    let office = &Office { task, open, alone: AtomicBool::new(false), stop, events };
    let bmc = Engine::by_name("bmc").expect("BMC is an engine");
    let prover = Prover::of(task);
    thread::scope(|scope| {
        let threads = [
            (prover.engine(), scope.spawn(|| office.prove(prover))),
            (bmc, scope.spawn(|| office.paths(bmc))),
        ];
        for (engine, thread) in threads {
            events(Event::Ended { engine, how: Ended::of(thread.join()) });
        }
    });
}

impl Office<'_> {
    fn prove(&self, prover: Prover) -> Result<(), Stopped> {
        let ended = match prover {
            Prover::Abstraction => self.abstraction(),
            Prover::Directed => self.directed(),
            Prover::Backward => self.backward(),
        };
        self.alone.store(true, Ordering::Release);
        ended
    }

    fn backward(&self) -> Result<(), Stopped> {
        let Task { model, properties, smt, .. } = self.task;
        let mut tell = |property: PropertyId, answer: Answer, effort: backward::Effort| {
            let backward::Effort { cubes, queries, .. } = effort;
            let progress = Progress { depth: cubes, size: queries, open: properties.len(), queries };
            (self.events)(Event::Progress { engine: &BACKWARD, thread: 0, progress });
            let start = Instant::now();
            match answer {
                Answer::Proved(proof) => {
                    let checked = certify_indexed_proof(model, proof, &mut || self.session());
                    self.settle(property, &BACKWARD, checked, start);
                }
                Answer::Violated(trace) => {
                    let checked = certify_indexed_trace(model, trace, &mut || self.session());
                    self.settle(property, &BACKWARD, checked, start);
                }
                Answer::Open(why) => {
                    let why = Reason::Incomplete(why);
                    (self.events)(Event::GaveUp { property, engine: &BACKWARD, why });
                }
            }
        };
        decide(model, properties, smt, self.stop, &mut tell).expect("places are processes")
    }

    fn abstraction(&self) -> Result<(), Stopped> {
        let Task { model, properties, smt, options, .. } = self.task;
        let analysis = analyse(model, properties, options, smt, self.stop)?;
        let (depth, queries) = (analysis.reached.iterations(), analysis.reached.queries);
        let progress = Progress { depth, size: queries, open: properties.len(), queries };
        (self.events)(Event::Progress { engine: &ABSTRACTION, thread: 0, progress });
        for (property, conclusion) in analysis.conclusions {
            match conclusion {
                Conclusion::Proved(proof) => {
                    let start = Instant::now();
                    let checked = certify_indexed_proof(model, proof, &mut || self.session());
                    self.settle(property, &ABSTRACTION, checked, start);
                }
                Conclusion::Open { values, weak } => {
                    let why = Reason::Incomplete(format!(
                        "{}; this abstract state is not excluded: {}",
                        show::weakness(model, &weak),
                        show::abstract_state(model, &values)
                    ));
                    (self.events)(Event::GaveUp { property, engine: &ABSTRACTION, why });
                }
            }
        }
        Ok(())
    }

    fn directed(&self) -> Result<(), Stopped> {
        let Task { model, properties, smt, .. } = self.task;
        for &property in properties {
            let mut tell = |effort: Effort| {
                let Effort { guesses, queries, vocabulary, .. } = effort;
                let (size, open) = (guesses as u64, properties.len());
                let progress = Progress { depth: vocabulary, size, open, queries };
                (self.events)(Event::Progress { engine: &DIRECTED, thread: 0, progress });
            };
            let found = discover(model, property, self.task.source(), smt, self.stop, &mut tell)?;
            match found.conclusion {
                Conclusion::Proved(proof) => {
                    let start = Instant::now();
                    let checked = certify_indexed_proof(model, proof, &mut || self.session());
                    self.settle(property, &DIRECTED, checked, start);
                }
                Conclusion::Open { values, weak } => {
                    let why = Reason::Incomplete(format!(
                        "{}; this abstract state is not excluded: {}",
                        show::weakness(&found.model, &weak),
                        show::abstract_state(&found.model, &values)
                    ));
                    (self.events)(Event::GaveUp { property, engine: &DIRECTED, why });
                }
            }
        }
        Ok(())
    }

    fn paths(&self, bmc: &'static Engine) -> Result<(), Stopped> {
        let Task { model, properties, bound, smt, .. } = self.task;
        let (begin, mut spent) = (Instant::now(), Duration::ZERO);
        for &property in properties {
            let mut paths = Paths::new(model, smt, self.stop);
            for step in 0..*bound {
                if !self.is_open(property) {
                    break;
                }
                self.wait_for_turn(begin, spent)?;
                let start = Instant::now();
                let violation = paths.violation(property)?;
                spent += start.elapsed();
                match violation {
                    None => (self.events)(Event::HoldsUpTo { property, steps: step }),
                    Some(trace) => {
                        let start = Instant::now();
                        match certify_indexed_trace(model, trace, &mut || self.session()) {
                            // BMC knows the axioms at some places only.
                            Err(Refusal::Rejected(why)) if !model.axioms.is_empty() => {
                                let why =
                                    Reason::Incomplete(format!("the path that was found is none: {why}"));
                                (self.events)(Event::GaveUp { property, engine: bmc, why });
                            }
                            checked => self.settle(property, bmc, checked, start),
                        }
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Until BMC has its share of the time, or all of it.
    fn wait_for_turn(&self, begin: Instant, spent: Duration) -> Result<(), Stopped> {
        while spent * SHARE > begin.elapsed() && !self.alone.load(Ordering::Acquire) {
            self.stop.check()?;
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// By another solver than the one that is asked first.
    fn session(&self) -> Session {
        let terms = &self.task.model.system.terms;
        let theory = Theory { enumerations_in_arrays: false, ..Theory::of(terms) };
        let mut session = Session::new(&self.task.smt, theory, self.stop);
        let first = self.task.smt.fit(&theory).first().map(|found| found.adapter.name);
        first.into_iter().for_each(|name| session.avoid(name));
        session
    }

    fn is_open(&self, property: PropertyId) -> bool {
        self.open.lock().expect("no holder panics").contains(&property)
    }

    fn settle(
        &self,
        property: PropertyId,
        engine: &'static Engine,
        checked: Result<IndexedChecked, Refusal>,
        start: Instant,
    ) {
        let checking = start.elapsed().as_secs_f64();
        match checked {
            Ok(checked) => {
                let bits = outline(&checked);
                let mut open = self.open.lock().expect("no holder panics");
                if !open.contains(&property) {
                    return;
                }
                open.retain(|p| *p != property);
                let checked = Box::new(Accepted::Indexed { checked, bits });
                (self.events)(Event::Decided { property, engine, checked, checking });
                if open.is_empty() {
                    self.stop.request(&Stopped::Cancelled);
                }
            }
            Err(Refusal::Rejected(why)) => (self.events)(Event::Rejected { property, engine, why }),
            Err(Refusal::Stopped(Stopped::Solver(why))) => {
                let why = Reason::Solver(format!("its answer could not be checked: {why}"));
                (self.events)(Event::GaveUp { property, engine, why });
            }
            Err(Refusal::Stopped(_)) => {}
        }
    }
}

/// What reports count: the length of a trace, the number of clauses of a proof.
fn outline(checked: &IndexedChecked) -> Evidence {
    match checked.evidence() {
        Evidence::Trace(trace) => {
            let inputs = vec![Vec::new(); trace.inputs.len()];
            Evidence::Trace(Trace { property: trace.property, initial: Vec::new(), inputs })
        }
        Evidence::Proof(proof) => Evidence::Proof(Proof {
            properties: proof.properties.clone(),
            k: 1,
            distinct: None,
            invariant: vec![Clause::new([]); proof.clauses.len()],
        }),
    }
}
