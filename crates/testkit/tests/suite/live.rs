//! Justice properties of random systems against their graphs; and what the checker makes of evidence that is
//! broken.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{certify_lasso, certify_live_proof, certify_round};
use buttress_driver::Event;
use buttress_engine::Engine;
use buttress_solve::Stop;
use buttress_system::{
    Arena, BitSystem, Clause, Lasso, LatchId, Lit, Live, LiveProof, Monitor, Proof, PropertyId, Rng, Ternary,
};
use buttress_testkit::drive::{choice, drive, problem};
use buttress_testkit::live::{LiveSummary, LiveTruth, examine, is_lasso, system};
use buttress_testkit::tree::shared;

const LIMIT: Duration = Duration::from_secs(20);

fn range(seeds: std::ops::Range<u64>) {
    let mut summary = LiveSummary::default();
    for seed in seeds {
        if let Err(why) = examine(seed, LIMIT, &mut summary) {
            panic!("seed {seed}: {why}");
        }
    }
    println!("{summary}");
    let LiveSummary { hold, violated, long, visits, loops, arenas, .. } = summary;
    assert!(hold > 200 && violated > 250, "nearly all of them are the same");
    assert!(long > 50 && visits > 50 && loops > 50 && arenas > 20, "the easy ones only");
}

#[test]
fn first_thousand() {
    range(0..1000);
}

#[test]
fn second_thousand() {
    range(1000..2000);
}

/// The evidence about each justice property of a system, by these engines, or the usual ones.
fn evidence(system: &Arc<BitSystem>, engines: Vec<&'static Engine>) -> Vec<buttress_check::Checked> {
    let (events, _) = drive(&problem(system), &choice(engines), Some(LIMIT));
    let checked = |event| match event {
        Event::Decided { accepted, .. } => match *accepted {
            buttress_driver::Accepted::Bits(checked) => Some(checked),
            _ => None,
        },
        _ => None,
    };
    events.into_iter().filter_map(checked).collect()
}

/// What is learned of one number of visits is a part of the proof for the next one: so it is on these models,
/// where the collection beside the repository exists.
#[test]
fn lemmas_of_earlier_rounds_are_a_part_of_the_proof() {
    let Some(folder) = shared("bench/hw/mc/LMCS-2006/aiger-1.9") else { return };
    let klive = Engine::by_name("klive").expect("a row of the table");
    for model in ["counter", "ring"] {
        let file = folder.join(model).join(format!("{model}.aig"));
        let mut system = buttress_format::aiger::read_file(&file).expect("a model").system;
        system.justice.truncate(1);
        let found = evidence(&Arc::new(system), vec![klive]);
        assert!(matches!(&found[..], [proof] if proof.evidence().live_proof().is_some()), "{model}");
    }
}

/// Something about a lasso is changed at random.
fn disturbed(lasso: &Lasso, rng: &mut Rng) -> Lasso {
    let mut lasso = lasso.clone();
    let flip = |value: &mut Ternary| *value = !*value;
    match rng.below(4) {
        0 => lasso.back = rng.below(lasso.trace.inputs.len() + 1),
        1 if !lasso.trace.initial.is_empty() => {
            let latch = rng.below(lasso.trace.initial.len());
            flip(&mut lasso.trace.initial[latch]);
        }
        2 => drop(lasso.trace.inputs.pop()),
        _ => {
            let step = rng.below(lasso.trace.inputs.len());
            let row = &mut lasso.trace.inputs[step];
            if !row.is_empty() {
                let input = rng.below(row.len());
                flip(&mut row[input]);
            }
        }
    }
    lasso
}

/// A lasso with something changed is accepted exactly where it still is one.
#[test]
fn broken_lassos_are_rejected_and_others_are_not() {
    let (mut good, mut bad) = (0, 0);
    for seed in 3000..3200 {
        let system = Arc::new(system(seed));
        let live = Live::of_bits(&system);
        let mut rng = Rng::new(seed);
        for lasso in evidence(&system, Vec::new()).iter().filter_map(|checked| checked.evidence().lasso()) {
            assert!(is_lasso(&system, lasso), "seed {seed}");
            for _ in 0..20 {
                let other = disturbed(lasso, &mut rng);
                let expected = !other.trace.inputs.is_empty() && is_lasso(&system, &other);
                let accepted = certify_lasso(&live, other.clone()).is_ok();
                assert_eq!(accepted, expected, "seed {seed}: {other:?}");
                // Where it goes back to can be found again.
                let again = certify_round(&live, other.justice, other.trace);
                assert!(!expected || again.is_ok(), "seed {seed}");
                *(if expected { &mut good } else { &mut bad }) += 1;
            }
        }
    }
    assert!(good > 100 && bad > 1000, "{good} good, {bad} bad");
}

/// No proof of a property that does not hold is accepted, whatever monitor and invariant it has; and of one that
/// holds, none that leaves out what is needed.
#[test]
fn proofs_of_what_is_violated_are_rejected() {
    let (mut tried, mut weaker) = (0, 0);
    for seed in 4000..4160 {
        let system = Arc::new(system(seed));
        let (live, truth) = (Live::of_bits(&system), LiveTruth::of(&system));
        let mut rng = Rng::new(seed);
        let violated = (0..system.justice.len()).filter(|&j| truth.shortest[j].is_some());
        for property in violated.map(PropertyId::new) {
            for monitor in [Monitor::Loop, Monitor::Visits(0), Monitor::Visits(1), Monitor::Visits(3)] {
                for k in [1, 2, 5, 8] {
                    let mut literal = || {
                        let latch = LatchId::new(rng.below(system.num_latches()));
                        let shift = if monitor == Monitor::Loop { 2 } else { 0 };
                        let own = system.latch_lit(latch).code() + shift + rng.below(2) as u32;
                        buttress_system::Lit::from_code(own)
                    };
                    let clauses = if system.num_latches() > 0 && k == 5 {
                        vec![Clause::new([literal(), literal()])]
                    } else {
                        vec![]
                    };
                    let proof = Proof { properties: vec![property], k, distinct: None, invariant: clauses };
                    let judged = certify_live_proof(&live, LiveProof::new(monitor, proof), &Stop::new());
                    assert!(judged.is_err(), "seed {seed}: {property:?} by {monitor:?}, k = {k}");
                    tried += 1;
                }
            }
        }
        for proof in
            evidence(&system, Vec::new()).iter().filter_map(|checked| checked.evidence().live_proof())
        {
            // One visit fewer is another claim, which the proof was not found for.
            if let Monitor::Visits(k @ 1..) = proof.monitor {
                let fewer = LiveProof::new(Monitor::Visits(k - 1), proof.proof.clone());
                weaker += usize::from(certify_live_proof(&live, fewer, &Stop::new()).is_err());
            }
        }
    }
    assert!(tried > 500 && weaker > 2, "{tried} tried, {weaker} weaker");
}

/// A set of states, at random; no property is named.
fn set(system: &BitSystem, rng: &mut Rng, clauses: usize) -> Proof {
    let mut literal = || {
        let latch = LatchId::new(rng.below(system.num_latches()));
        Lit::from_code(system.latch_lit(latch).code() + rng.below(2) as u32)
    };
    let invariant =
        (0..clauses).map(|_| Clause::new([literal(), literal()].into_iter().take(1 + clauses % 2))).collect();
    Proof { properties: Vec::new(), k: 1, distinct: None, invariant }
}

/// Arenas at random; some are no tree.
fn arenas(system: &BitSystem, rng: &mut Rng) -> Vec<Arena<Proof>> {
    let mut arenas = vec![Arena::Lacks(rng.below(3))];
    for _ in 0..rng.below(4) {
        let leaves: Vec<usize> =
            (0..arenas.len()).filter(|&n| matches!(arenas[n], Arena::Lacks(_))).collect();
        let split = leaves[rng.below(leaves.len())];
        let (inside, outside) = (arenas.len(), arenas.len() + 1);
        let clauses = 1 + rng.below(2);
        arenas[split] = Arena::Wall { set: set(system, rng, clauses), inside, outside };
        arenas.extend([Arena::Lacks(rng.below(3)), Arena::Lacks(rng.below(3))]);
    }
    let last = arenas.len() - 1;
    if let Arena::Wall { inside, outside, .. } = &mut arenas[0]
        && rng.one_in(4)
    {
        *(if rng.one_in(2) { inside } else { outside }) = rng.below(last + 2);
    }
    arenas
}

/// No proof by arenas of a property that does not hold is accepted, whatever its walls; and of those that FAIR
/// found hardly any in which two arenas are exchanged, a wall is gone or another signal is lacked.
#[test]
fn broken_arenas_are_rejected() {
    let fair = Engine::by_name("fair").expect("a row of the table");
    let (mut tried, mut broken, mut rejected) = (0, 0, 0);
    for seed in 5000..5400 {
        let system = Arc::new(system(seed));
        let (live, truth) = (Live::of_bits(&system), LiveTruth::of(&system));
        let mut rng = Rng::new(seed);
        let violated = (0..system.justice.len()).filter(|&j| truth.shortest[j].is_some());
        for property in violated.map(PropertyId::new).filter(|_| system.num_latches() > 0) {
            for _ in 0..40 {
                let clauses = rng.below(3) / 2;
                let proof = Proof { properties: vec![property], ..set(&system, &mut rng, clauses) };
                let arenas = arenas(&system, &mut rng);
                let proof = LiveProof { monitor: Monitor::Arenas, proof, arenas };
                let judged = certify_live_proof(&live, proof.clone(), &Stop::new());
                assert!(judged.is_err(), "seed {seed}: {proof:?}");
                tried += 1;
            }
        }
        let found = evidence(&system, vec![fair]);
        for proof in found.iter().filter_map(|checked| checked.evidence().live_proof()) {
            for number in 0..proof.arenas.len() {
                let mut other = proof.clone();
                match &mut other.arenas[number] {
                    Arena::Lacks(_) => continue,
                    Arena::Wall { inside, outside, .. } if rng.one_in(2) => std::mem::swap(inside, outside),
                    Arena::Wall { set, .. } => set.invariant.clear(),
                }
                broken += 1;
                rejected += usize::from(certify_live_proof(&live, other, &Stop::new()).is_err());
            }
        }
    }
    assert!(tried > 5000 && broken > 30, "{tried} tried, {broken} broken");
    assert!(rejected * 2 > broken, "{rejected} of {broken} rejected");
}
