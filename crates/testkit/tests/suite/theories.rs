//! Engines on words, by SMT, against listing all values. Each model is small, so the reference is certain; the
//! solvers see words, integers with bounds and enumerations, never bits. Where there is no solver, this says so
//! and tests nothing.

use std::sync::Arc;
use std::time::Duration;

use buttress_driver::{Choice, Ended, Event, Follow, Problem};
use buttress_engine::{Engine, Ic3, Settings};
use buttress_query::Preimages;
use buttress_solve::smt::{Config, directories, find};
use buttress_system::Rng;
use buttress_system::words::System;
use buttress_testkit::drive::drive;
use buttress_testkit::lustre::small_integers;
use buttress_testkit::random::words;
use buttress_testkit::word_reference::violations;

use crate::skip::skip;

const LIMIT: Duration = Duration::from_secs(6);

/// For each property the step of the violation that was found, or `None` for a proof; what was undecided is left
/// out.
fn decide(
    system: &Arc<System>,
    (engine, preimages): (&str, Preimages),
    smt: &Config,
) -> Vec<(usize, Option<usize>)> {
    let problem = Arc::new(Problem::of_words((**system).clone()).expect("a valid system"));
    let choice = Choice {
        engines: Engine::by_name(engine).into_iter().collect(),
        settings: Settings { bound: 24, ic3: Ic3 { preimages, ..Ic3::default() }, ..Settings::default() },
        follow: Follow { step_failures: true, ..Follow::default() },
        smt: smt.clone(),
        in_words: true,
        ..Choice::default()
    };
    let mut decided = Vec::new();
    for event in drive(&problem, &choice, Some(LIMIT)).0 {
        match event {
            Event::Decided { claim, accepted, .. } => {
                decided.push((claim.index(), accepted.trace_steps().map(|steps| steps - 1)));
            }
            Event::Rejected { why, .. } => panic!("{engine}: evidence was rejected: {why}"),
            Event::Ended { how: Ended::Panicked(why), .. } => panic!("{engine} panicked: {why}"),
            _ => {}
        }
    }
    decided
}

/// Compares the verdicts of engines on these systems with the truth. Returns how many proofs, violations and open
/// claims there were.
fn compare(systems: impl Iterator<Item = (u64, Arc<System>)>) -> Option<(usize, usize, usize)> {
    let smt = Config::new(find(&directories()));
    if smt.solvers.is_empty() {
        skip("theories", "there is no SMT solver, scripts/get-solvers brings two");
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
