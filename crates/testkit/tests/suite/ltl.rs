//! Formulas of temporal logic on random systems, against their graphs; and what the checker makes of lassos that
//! are broken.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::certify_lasso;
use buttress_driver::{Accepted, Event, LiveOriginal, Problem};
use buttress_system::{Lasso, Ternary};
use buttress_testkit::drive::{choice, drive};
use buttress_testkit::ltl::{LtlSummary, examine, example, violates};

const LIMIT: Duration = Duration::from_secs(20);

fn range(seeds: std::ops::Range<u64>) {
    let mut summary = LtlSummary::default();
    for seed in seeds {
        if let Err(why) = examine(seed, LIMIT, &mut summary) {
            panic!("seed {seed}: {why}");
        }
    }
    println!("{summary:?}");
    assert!(summary.hold > 150 && summary.violated > 150, "nearly all of them are the same: {summary:?}");
}

#[test]
fn first_thousand() {
    range(0..1000);
}

#[test]
fn second_thousand() {
    range(1000..2000);
}

/// A lasso with an input changed in one step is accepted exactly where it goes round and violates the formula.
#[test]
fn broken_lassos_are_rejected_and_others_are_not() {
    let (mut good, mut bad) = (0, 0);
    for seed in 3000..3300 {
        let (system, formula) = example(seed);
        if system.num_inputs() == 0 || system.num_inputs() + system.num_latches() > 8 {
            continue;
        }
        let mut problem = Problem::of_bits(system.clone());
        let read = buttress_format::ltl::read(&formula.to_string()).expect("a formula");
        problem.state(&read, "formula").expect("it has these names");
        let problem = Arc::new(problem);
        let Some(LiveOriginal::Bits(live)) = problem.live() else { panic!("bits") };
        let (events, _) = drive(&problem, &choice(Vec::new()), Some(LIMIT));
        let lasso = events.into_iter().find_map(|event| match event {
            Event::Decided { accepted, .. } => match *accepted {
                Accepted::Bits(checked) => checked.evidence().lasso().cloned(),
                _ => None,
            },
            _ => None,
        });
        let Some(lasso) = lasso else { continue };
        for step in 0..lasso.trace.inputs.len() {
            for input in 0..system.num_inputs() {
                let mut other = lasso.clone();
                let value = &mut other.trace.inputs[step][input];
                *value = if *value == Ternary::One { Ternary::Zero } else { Ternary::One };
                judge(&live, &other, violates(&system, &formula, &other), &mut good, &mut bad, seed);
            }
        }
        for back in 0..lasso.trace.inputs.len() {
            let other = Lasso { back, ..lasso.clone() };
            judge(&live, &other, violates(&system, &formula, &other), &mut good, &mut bad, seed);
        }
    }
    assert!(good > 100 && bad > 100, "{good} good, {bad} bad");
}

fn judge(
    live: &buttress_system::Live<buttress_system::BitSystem>,
    lasso: &Lasso,
    violates: bool,
    good: &mut usize,
    bad: &mut usize,
    seed: u64,
) {
    match certify_lasso(live, lasso.clone()) {
        Ok(_) => {
            assert!(violates, "seed {seed}: {lasso:?}");
            *good += 1;
        }
        // Whether it goes round at all is not asked of the reference.
        Err(_) if !violates => *bad += 1,
        Err(why) => {
            let why = why.to_string();
            let executes = !why.contains("the formula holds");
            assert!(executes, "seed {seed}: {why}: {lasso:?}");
        }
    }
}
