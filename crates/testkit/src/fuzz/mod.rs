//! Every engine, alone and all together, on random systems: each verdict against the [reference], each piece
//! of evidence checked a second time on the original, nothing rejected, no panic, and what an engine promises
//! to decide is decided.
//!
//! [reference]: crate::reference

mod shrink;
mod summary;
pub mod words;

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Evidence, certify_proof, certify_trace};
use buttress_driver::{Accepted, Choice, Ended, Event, Follow, Problem};
use buttress_engine::{
    Diagrams, Down, ENGINES, Engine, Fsis, Generalize, Generate, Ic3, Implicate, Order, Settings, Share,
};
use buttress_solve::Stop;
use buttress_system::{BitSystem, PropertyId};

use crate::drive::{choice, drive, engines_on_bits, problem};
use crate::reference::{Explicit, Truth};

pub use shrink::shrink;
pub use summary::Summary;

/// The runs of the engines on one system, beside the truth about it.
pub struct Examination {
    pub truth: Truth,
    pub runs: Vec<Run>,
}

/// One or several engines on a system.
pub struct Run {
    pub engines: Vec<&'static Engine>,
    /// For each property what was accepted.
    pub decided: Vec<Option<Accepted>>,
    /// For each property, no violation in this many steps.
    pub holds_up_to: Vec<Option<usize>>,
    faults: Vec<String>,
    timed_out: bool,
}

/// Who plays.
#[derive(Clone)]
pub struct Lineup {
    pub name: String,
    pub engines: Vec<&'static Engine>,
    pub ic3: Ic3,
    pub fsis: Fsis,
    pub diagrams: Diagrams,
    /// Threads of FSIS.
    pub jobs: usize,
    pub follow: Follow,
}

impl Lineup {
    fn new(name: &str, engines: Vec<&'static Engine>) -> Lineup {
        // What is told on the way is checked, too: a step failure that is none is a fault.
        let follow = Follow { step_failures: true, stories: true, clauses: true };
        let (ic3, fsis, diagrams) = (Ic3::default(), Fsis::default(), Diagrams::default());
        Lineup { name: name.to_string(), engines, ic3, fsis, diagrams, jobs: 1, follow }
    }

    /// FSIS with others: who is followed works alone.
    fn sharing(name: &str, engines: Vec<&'static Engine>, jobs: usize, fsis: Fsis) -> Lineup {
        Lineup { fsis, jobs, follow: Follow::default(), ..Lineup::new(name, engines) }
    }
}

impl Lineup {
    fn choice(&self, bound: usize) -> Choice {
        let Lineup { ic3, fsis, diagrams, jobs, follow, .. } = *self;
        let settings = Settings { bound, ic3, fsis, diagrams, ..Settings::default() };
        Choice { settings, jobs, follow, ..choice(self.engines.clone()) }
    }
}

/// Each engine alone, IC3 and decision diagrams in their other ways too, then all together.
pub fn lineups() -> Vec<Lineup> {
    let named = |name: &str| ENGINES.iter().filter(|e| e.name == name).collect();
    let mut all: Vec<Lineup> = engines_on_bits().into_iter().map(|e| Lineup::new(e.name, vec![e])).collect();
    let ways = [
        ("ic3, dropping", Generalize::Drop),
        ("ic3, with CTGs", Generalize::Ctg { depth: 1, max: 3 }),
        ("ic3, with CTGs two deep", Generalize::Ctg { depth: 2, max: 2 }),
    ];
    let other = |(name, generalize): (&str, Generalize)| Lineup {
        ic3: Ic3 { generalize, ..Ic3::default() },
        ..Lineup::new(name, named("ic3"))
    };
    all.extend(ways.map(other));
    let diagrams = Diagrams { order: Order::Force, ..Diagrams::default() };
    all.push(Lineup { diagrams, ..Lineup::new("reach, ordered by force", named("reach")) });
    all.push(Lineup::new("all", engines_on_bits()));
    all
}

/// All of them.
pub fn everyone() -> Vec<Lineup> {
    lineups().into_iter().chain(fsis_lineups()).collect()
}

/// FSIS in its other ways, in several threads, and with k-induction.
pub fn fsis_lineups() -> Vec<Lineup> {
    let fsis = || ENGINES.iter().filter(|e| e.name == "fsis").collect();
    let hybrid = || ENGINES.iter().filter(|e| ["kind", "fsis"].contains(&e.name)).collect();
    let plain = Fsis::default();
    let naive = Fsis { down: Down::Naive, implicate: Implicate::Linear, ..plain };
    let absolute = Fsis { generate: Generate::Absolute, implicate: Implicate::Optimal, ..plain };
    let cores = Fsis { implicate: Implicate::WithCores, ..plain };
    let ctis = Fsis { share: Share::ClausesAndCtis, ..plain };
    vec![
        Lineup { fsis: naive, ..Lineup::new("fsis, naive", fsis()) },
        Lineup { fsis: absolute, ..Lineup::new("fsis, absolute", fsis()) },
        Lineup { fsis: cores, ..Lineup::new("fsis, minimal with cores", fsis()) },
        Lineup::sharing("fsis, two threads", fsis(), 2, plain),
        Lineup::sharing("fsis, four threads, CTIs shared", fsis(), 4, ctis),
        Lineup::sharing("fsis and k-induction", hybrid(), 2, plain),
    ]
}

/// Examines a system; `Err` says what is wrong. `limit` is for one run of the driver.
pub fn examine(system: &Arc<BitSystem>, lineups: &[Lineup], limit: Duration) -> Result<Examination, String> {
    let explicit = Explicit::new(system);
    let truth = explicit.truth();
    let mut runs = Vec::new();
    for lineup in lineups {
        let run = run(system, lineup, limit);
        judge(system, &explicit, &truth, &run).map_err(|why| format!("{}: {why}", lineup.name))?;
        runs.push(run);
    }
    Ok(Examination { truth, runs })
}

/// Runs the driver on all properties.
pub fn run(system: &Arc<BitSystem>, lineup: &Lineup, limit: Duration) -> Run {
    Run::of(&problem(system), &lineup.choice(bound(system)), limit)
}

/// More states than any path without a repetition has, and one for the start that inputs may decide.
fn bound(system: &BitSystem) -> usize {
    let states = 1usize.checked_shl(system.num_latches() as u32);
    states.map_or(usize::MAX, |states| states.saturating_add(2))
}

impl Run {
    /// Rejected evidence and panics.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    fn of(problem: &Arc<Problem>, choice: &Choice, limit: Duration) -> Run {
        let (events, timed_out) = drive(problem, choice, Some(limit));
        let properties = problem.claims().len();
        let mut run = Run {
            engines: choice.engines.clone(),
            decided: (0..properties).map(|_| None).collect(),
            holds_up_to: vec![None; properties],
            faults: Vec::new(),
            timed_out,
        };
        events.into_iter().for_each(|event| run.absorb(event));
        run
    }

    fn absorb(&mut self, event: Event) {
        match event {
            Event::Decided { claim, accepted, .. } => self.decided[claim.index()] = Some(*accepted),
            Event::HoldsUpTo { claim, steps } => {
                let known = &mut self.holds_up_to[claim.index()];
                *known = (*known).max(Some(steps));
            }
            Event::Rejected { claim, lane, why } => {
                self.faults.push(format!("lane {lane} on b{}: rejected: {why}", claim.index()))
            }
            Event::Ended { lane, how: Ended::Panicked(why), .. } => {
                self.faults.push(format!("lane {lane} panicked: {why}"))
            }
            _ => {}
        }
    }
}

fn judge(system: &BitSystem, explicit: &Explicit, truth: &Truth, run: &Run) -> Result<(), String> {
    if let Some(fault) = run.faults.first() {
        return Err(fault.clone());
    }
    if run.timed_out {
        return Err("time".to_string());
    }
    for property in system.property_ids() {
        let p = property.index();
        let violated = truth.violated[p];
        let outcome = match &run.decided[p] {
            Some(checked) => judge_evidence(system, explicit, truth, property, checked, run),
            None => judge_silence(system, truth, property, run),
        };
        outcome.map_err(|why| format!("b{p}: {why}"))?;
        if let (Some(claimed), Some(step)) = (run.holds_up_to[p], violated)
            && claimed >= step
        {
            return Err(format!("b{p}: said to hold up to step {claimed}, violated at {step}"));
        }
    }
    Ok(())
}

fn judge_evidence(
    system: &BitSystem,
    explicit: &Explicit,
    truth: &Truth,
    property: PropertyId,
    checked: &Accepted,
    run: &Run,
) -> Result<(), String> {
    let violated = truth.violated[property.index()];
    let Accepted::Bits(checked) = checked else { return Err("checked on something else".to_string()) };
    match (checked.evidence(), violated) {
        (Evidence::Proof(_), Some(step)) => Err(format!("proved, but violated at step {step}")),
        (Evidence::Lasso(_) | Evidence::Live(_), _) => Err("nobody asked about liveness".to_string()),
        (Evidence::Trace(_), None) => Err("falsified, but it holds".to_string()),
        (Evidence::Trace(trace), Some(step)) => {
            ensure(trace.property == property, "a trace of another property")?;
            ensure(explicit.is_violation(trace), "the trace is no execution to a violation")?;
            let breadth_first = |e: &&Engine| ["bmc", "reach"].contains(&e.name);
            let shortest = !run.engines.iter().all(breadth_first) || trace.last_step() == step;
            ensure(shortest, "the trace is not a shortest one")?;
            certify_trace(system, trace.clone()).map(drop).map_err(|refusal| refusal.to_string())
        }
        (Evidence::Proof(proof), None) => {
            ensure(proof.properties.contains(&property), "a proof of another property")?;
            ensure(explicit.claims_hold(proof), "the proof claims what is not so")?;
            let inductive = proof.distinct.is_some() || explicit.is_inductive(proof);
            ensure(inductive, "the strengthening is not inductive")?;
            let vacuous = checked.vacuous().map(|v| v.states);
            let ends = truth.ends.filter(|&n| n <= proof.k as usize);
            ensure(vacuous == ends, "vacuity is not told, or told wrongly")?;
            certify_proof(system, proof.clone(), &Stop::new()).map(drop).map_err(|r| r.to_string())
        }
    }
}

/// Checks that no engine leaves open what it must decide: a violation, for BMC and k-induction; executions that
/// all end, for BMC; anything, for k-induction and decision diagrams, unless resets read inputs, where they are
/// incomplete; and for IC3, FSIS and its dual, which then give up; violations, for random executions, which meet all
/// states of such small systems.
fn judge_silence(system: &BitSystem, truth: &Truth, property: PropertyId, run: &Run) -> Result<(), String> {
    let violated = truth.violated[property.index()].is_some();
    let plain = !resets_read_inputs(system);
    let must = |engine: &Engine| match engine.name {
        "bmc" => violated || truth.ends.is_some(),
        "kind" => violated || plain,
        "ic3" | "fsis" | "dual" => plain,
        "reach" => violated || plain,
        "walk" => violated && plain,
        _ => false,
    };
    match run.engines.iter().find(|engine| must(engine)) {
        Some(engine) => Err(format!("undecided, but {} should have decided it", engine.name)),
        None => Ok(()),
    }
}

/// By name, not by cone: an input that a reset reads through gates without depending on it counts.
pub fn resets_read_inputs(system: &BitSystem) -> bool {
    let resets = system.latches().map(|l| (system.latch_lit(l), system.latch(l).reset));
    let functional = resets.filter(|(own, reset)| own != reset).map(|(_, reset)| reset);
    let mut marked = vec![false; system.num_vars()];
    system.mark_cone(functional, &mut marked);
    (1..=system.num_inputs()).any(|v| marked[v])
}

fn ensure(condition: bool, complaint: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(complaint.to_string()) }
}
