//! Formulas about computation trees on random systems, against their graphs; and what the checker makes of
//! evidence about another system.

use std::time::Duration;

use buttress_check::{TreesBy, refutes, satisfied};
use buttress_driver::{Accepted, Event};
use buttress_engine::Engine;
use buttress_solve::Stop;
use buttress_system::{BitSystem, Branching, Latch, Rng};
use buttress_testkit::ctl::{CtlSummary, examine, example, holds, problem};
use buttress_testkit::drive::{choice, drive, forward};

const LIMIT: Duration = Duration::from_secs(20);

fn range(seeds: std::ops::Range<u64>) {
    let mut summary = CtlSummary::default();
    for seed in seeds {
        if let Err(why) = examine(seed, LIMIT, &mut summary) {
            panic!("seed {seed}: {why}");
        }
    }
    println!("{summary:?}");
    let CtlSummary { hold, fail, linear, .. } = summary;
    assert!(hold > 150 && fail > 150 && linear > 20, "nearly all of them are the same: {summary:?}");
}

#[test]
fn first_thousand() {
    range(0..1000);
}

#[test]
fn second_thousand() {
    range(1000..2000);
}

/// The same with one latch, constraint or signal of fairness otherwise.
fn altered(system: &BitSystem, rng: &mut Rng) -> BitSystem {
    let mut other = system.clone();
    match rng.below(5) {
        0 if !other.constraints.is_empty() => drop(other.constraints.pop()),
        1 if !other.fairness.is_empty() => other.fairness[0] = !other.fairness[0],
        2 if !other.fairness.is_empty() => drop(other.fairness.pop()),
        kind if other.num_latches() > 0 => {
            let latches: Vec<_> = other.latches().collect();
            let latch = latches[rng.below(latches.len())];
            let Latch { next, reset } = other.latch(latch);
            let own = other.latch_lit(latch);
            let changed = match kind {
                0 | 1 => Latch { next: !next, reset },
                2 => Latch { next: own, reset },
                3 if reset.is_constant() => Latch { next, reset: !reset },
                _ => Latch { next, reset: own },
            };
            other.set_latch(latch, changed);
        }
        _ => {}
    }
    other
}

/// Evidence about one system is accepted of another only where it is right there, and by all that decide conditions
/// alike.
#[test]
fn evidence_about_another_system_is_accepted_only_where_it_is_right() {
    let ctl = Engine::by_name("ctl").expect("a row of the table");
    let (mut good, mut bad) = (0, 0);
    for seed in 5000..6500 {
        let (system, formula) = example(seed);
        if system.num_inputs() + system.num_latches() > 8 {
            continue;
        }
        let of = |system: &BitSystem| problem(system, &formula).expect("a formula");
        let usual = choice(vec![ctl]);
        let with = if seed % 2 == 0 { usual } else { forward(usual) };
        let (events, _) = drive(&of(&system), &with, Some(LIMIT));
        let accepted = events.into_iter().find_map(|event| match event {
            Event::Decided { accepted, .. } => Some(accepted),
            _ => None,
        });
        let Some(Accepted::Trees(checked)) = accepted.map(|accepted| *accepted) else {
            panic!("seed {seed}: {formula} is open")
        };
        let mut rng = Rng::new(seed);
        for _ in 0..6 {
            let other = altered(&system, &mut rng);
            let branching: Branching = (*of(&other).branching().expect("bits")).clone();
            let stop = Stop::new();
            let (proved, evidence) = (checked.evidence().proof(), checked.evidence());
            let accepted =
                [TreesBy::Sat, TreesBy::Diagrams(1 << 14)].map(|by| match (proved, evidence.trace()) {
                    (Some(proof), _) => satisfied(&branching, proof, by, &stop).is_ok(),
                    (_, Some(refuted)) => refutes(&branching, refuted, by, &stop).is_ok(),
                    _ => unreachable!("it is one of both"),
                });
            assert_eq!(accepted[0], accepted[1], "seed {seed}: {formula}: SAT and diagrams disagree");
            let accepted = accepted[0];
            let right = holds(&other, &formula) == proved.is_some();
            assert!(!accepted || right, "seed {seed}: {formula}: accepted of a system where it is wrong");
            *(if accepted { &mut good } else { &mut bad }) += 1;
        }
    }
    assert!(good > 500 && bad > 500, "{good} good, {bad} bad");
}
