//! Engines on words, by SMT, against listing all values. Each model is small, so the reference is certain; the solvers
//! see words, integers with bounds and enumerations, never bits. Where there is no solver, this says so and tests nothing.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use buttress::driver::{Ended, Event};
use buttress::theory::{self, Task};
use buttress_check::Evidence;
use buttress_engine::{Engine, Ic3, Kinds};
use buttress_query::Preimages;
use buttress_solve::smt::{Config, directories, find};
use buttress_solve::{Stop, Stopped};
use buttress_system::Rng;
use buttress_system::words::System;
use buttress_testkit::lustre::small_integers;
use buttress_testkit::random::words;
use buttress_testkit::word_reference::violations;

const LIMIT: Duration = Duration::from_secs(6);

/// For each property the step of the violation that was found, or `None` for a proof; what was undecided is left out.
fn decide(
    system: &Arc<System>,
    (engine, preimages): (&str, Preimages),
    smt: &Config,
) -> Vec<(usize, Option<usize>)> {
    let task = Task {
        system: system.clone(),
        source: None,
        properties: system.property_ids().collect(),
        engines: Engine::by_name(engine).into_iter().collect(),
        bound: 24,
        ic3: Ic3 { preimages, ..Ic3::default() },
        distinct: true,
        seed: 0,
        discover: Kinds::default(),
        smt: smt.clone(),
        lemmas: Vec::new(),
        step_failures: true,
    };
    let (stop, events) = (Stop::new(), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let (done, watch) = mpsc::channel::<()>();
        let stop = &stop;
        scope.spawn(move || {
            if watch.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.request(&Stopped::Time);
            }
        });
        theory::run(&task, stop, &|event| events.lock().expect("no holder panics").push(event));
        drop(done);
    });
    let mut decided = Vec::new();
    for event in events.into_inner().expect("no holder panics") {
        match event {
            Event::Decided { property, checked, .. } => match checked.evidence() {
                Evidence::Proof(_) => decided.push((property.index(), None)),
                Evidence::Trace(trace) => decided.push((property.index(), Some(trace.last_step()))),
            },
            Event::Rejected { engine, why, .. } => panic!("{}: evidence was rejected: {why}", engine.name),
            Event::Ended { engine, how: Ended::Panicked(why) } => panic!("{} panicked: {why}", engine.name),
            _ => {}
        }
    }
    decided
}

/// What engines say of these systems is true; how many proofs and violations there were, and what was left open.
fn compare(systems: impl Iterator<Item = (u64, Arc<System>)>) -> Option<(usize, usize, usize)> {
    let smt = Config::new(find(&directories()));
    if smt.solvers.is_empty() {
        eprintln!("skipped: there is no SMT solver, scripts/get-solvers brings two");
        return None;
    }
    let (mut proved, mut falsified, mut open) = (0, 0, 0);
    let exact = ["kind", "ic3", "bmc", "fsis"].map(|engine| (engine, Preimages::Projection));
    let ways: Vec<_> = exact.into_iter().chain([("ic3", Preimages::Abstraction)]).collect();
    for ((seed, system), engine) in systems.zip(ways.into_iter().cycle()) {
        let truth = violations(&system);
        let decided = decide(&system, engine, &smt);
        open += truth.len() - decided.len();
        for (property, found) in decided {
            match (truth[property], found) {
                (None, None) => proved += 1,
                (Some(least), Some(step)) if step >= least => falsified += 1,
                (truth, found) => panic!("seed {seed}, {engine:?}: {found:?}, but {truth:?}"),
            }
        }
    }
    println!("{proved} proved, {falsified} falsified, {open} open");
    Some((proved, falsified, open))
}

#[test]
fn engines_on_words_agree_with_the_reference() {
    let systems = (0..200).map(|seed| (seed, Arc::new(words::system(seed))));
    if let Some((proved, falsified, open)) = compare(systems) {
        assert!(proved > 40 && falsified > 40 && open < proved + falsified, "{proved} {falsified} {open}");
    }
}

#[test]
fn engines_on_integers_agree_with_the_reference() {
    let models = (0..200).filter_map(|seed| Some((seed, small_integers(&mut Rng::new(seed))?)));
    if let Some((proved, falsified, open)) = compare(models) {
        assert!(proved > 40 && falsified > 40 && open < proved + falsified, "{proved} {falsified} {open}");
    }
}
