//! Seeded faults: every wrong claim is rejected by the check, and each fault leads to many.

use std::sync::Arc;

use buttress_engine::Engine;
use buttress_system::{BitSystem, Latch, LatchId, Lit, Proof, PropertyId, Rng, Ternary, Trace, Verdict};
use buttress_testkit::drive::engines_on_bits;
use buttress_testkit::faults::{Lie, Tally, claims};
use buttress_testkit::fuzz::resets_read_inputs;
use buttress_testkit::reference::Explicit;
use buttress_testkit::{Draft, random};
use buttress_transform::{Way, constants};

const SYSTEMS: u64 = 400;

/// Judges what `fault` claims about random systems; at least so many claims must be wrong.
fn caught(at_least: usize, fault: impl Fn(&mut Rng, &Arc<BitSystem>, &Explicit) -> Vec<Verdict>) {
    let mut tally = Tally::default();
    for seed in 0..SYSTEMS {
        let rng = &mut Rng::new(seed);
        let system = Arc::new(random::draft(rng).build());
        let explicit = Explicit::new(&system);
        for claim in fault(rng, &system, &explicit) {
            let judged = tally.judge(&system, &explicit, &claim);
            judged.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        }
    }
    println!("{} wrong claims caught, {} were right", tally.caught, tally.right);
    assert!(tally.caught >= at_least, "only {} wrong claims: the fault tests little", tally.caught);
}

fn engine(name: &str) -> &'static Engine {
    Engine::by_name(name).expect("an engine")
}

fn verdicts(engine: &Engine, given: &Arc<BitSystem>, lie: Lie) -> Vec<Verdict> {
    claims(engine, given, lie).into_iter().map(|(_, verdict)| verdict).collect()
}

/// All engines on a changed system.
fn on_changed(system: &BitSystem, change: impl FnOnce(&mut Draft)) -> Vec<Verdict> {
    let mut draft = Draft::of(system);
    change(&mut draft);
    let given = Arc::new(draft.build());
    engines_on_bits().into_iter().flat_map(|e| verdicts(e, &given, Lie::None)).collect()
}

// --------------------------------------------------------------------------- the system is wrong

#[test]
fn a_wrong_reset() {
    caught(300, |rng, system, _| {
        on_changed(system, |draft| {
            if !draft.latches.is_empty() {
                let latch = rng.below(draft.latches.len());
                let Latch { reset, .. } = draft.latches[latch];
                draft.latches[latch].reset = if reset.is_constant() { !reset } else { Lit::FALSE };
            }
        })
    });
}

#[test]
fn constraints_ignored() {
    caught(100, |_, system, _| on_changed(system, |draft| draft.constraints.clear()));
}

#[test]
fn a_wrong_next_state() {
    caught(300, |rng, system, _| {
        on_changed(system, |draft| {
            if !draft.latches.is_empty() {
                let latch = rng.below(draft.latches.len());
                draft.latches[latch].next = !draft.latches[latch].next;
            }
        })
    });
}

#[test]
fn a_wrong_gate() {
    caught(100, |rng, system, _| {
        on_changed(system, |draft| {
            if !draft.gates.is_empty() {
                let gate = rng.below(draft.gates.len());
                draft.gates[gate][0] = !draft.gates[gate][0];
            }
        })
    });
}

#[test]
fn properties_mixed_up() {
    caught(300, |_, system, _| on_changed(system, |draft| draft.bads.rotate_left(1)));
}

// ------------------------------------------------------------------------- the reasoner is wrong

#[test]
fn the_base_case_skipped() {
    caught(100, |_, system, _| verdicts(engine("kind"), system, Lie::NoBaseCase));
}

#[test]
fn the_step_case_skipped() {
    caught(300, |_, system, _| verdicts(engine("kind"), system, Lie::NoStepCase));
}

#[test]
fn k_off_by_one() {
    caught(50, |_, system, _| verdicts(engine("kind"), system, Lie::OneStepTooMany));
}

#[test]
fn distinctness_concealed() {
    caught(10, |_, system, _| verdicts(engine("kind"), system, Lie::DistinctnessConcealed));
}

#[test]
fn lemmas_that_nobody_proved() {
    caught(50, |_, system, _| verdicts(engine("kind"), system, Lie::FalseLemmas(1)));
}

#[test]
fn inputs_a_step_late() {
    caught(100, |_, system, _| verdicts(engine("bmc"), system, Lie::PathShifted));
}

// ------------------------------------------------------------------------- the evidence is wrong

fn proofs(engine: &Engine, system: &Arc<BitSystem>) -> Vec<Proof> {
    let proof = |verdict| match verdict {
        Verdict::Safe(proof) => Some(proof),
        _ => None,
    };
    verdicts(engine, system, Lie::None).into_iter().filter_map(proof).collect()
}

fn traces(system: &Arc<BitSystem>) -> Vec<Trace> {
    let trace = |verdict| match verdict {
        Verdict::Unsafe(trace) => Some(trace),
        _ => None,
    };
    verdicts(engine("bmc"), system, Lie::None).into_iter().filter_map(trace).collect()
}

#[test]
fn a_clause_dropped() {
    caught(150, |_, system, _| {
        let drop = |proof: &Proof, clause: usize| {
            let mut less = proof.clone();
            less.invariant.remove(clause);
            Verdict::Safe(less)
        };
        let all = |proof: Proof| (0..proof.invariant.len()).map(|c| drop(&proof, c)).collect::<Vec<_>>();
        proofs(engine("ic3"), system).into_iter().flat_map(all).collect()
    });
}

#[test]
fn a_literal_dropped_or_flipped() {
    caught(300, |_, system, _| {
        let mut all = Vec::new();
        for proof in proofs(engine("ic3"), system) {
            for (c, l) in
                (0..proof.invariant.len()).flat_map(|c| (0..proof.invariant[c].0.len()).map(move |l| (c, l)))
            {
                let (mut dropped, mut flipped) = (proof.clone(), proof.clone());
                let mut lits = proof.invariant[c].0.to_vec();
                lits.remove(l);
                dropped.invariant[c].0 = lits.into();
                flipped.invariant[c].0[l] = !flipped.invariant[c].0[l];
                all.extend([Verdict::Safe(dropped), Verdict::Safe(flipped)]);
            }
        }
        all
    });
}

#[test]
fn k_claimed_too_small() {
    caught(100, |_, system, _| {
        let smaller = |proof: Proof| {
            (1..proof.k)
                .map(|k| Verdict::Safe(Proof { k, distinct: None, ..proof.clone() }))
                .collect::<Vec<_>>()
        };
        proofs(engine("kind"), system).into_iter().flat_map(smaller).collect()
    });
}

#[test]
fn a_proof_for_another_property() {
    caught(200, |_, system, _| {
        let others = |proof: Proof| {
            let other = |p: PropertyId| Verdict::Safe(Proof { properties: vec![p], ..proof.clone() });
            system.property_ids().map(other).collect::<Vec<_>>()
        };
        let engines = ["kind", "ic3"].map(engine);
        engines.into_iter().flat_map(|e| proofs(e, system)).flat_map(others).collect()
    });
}

/// For a violated property whose base case holds for k states, the step over states that are distinct on too few
/// latches holds easily. The fewer, the easier: only the check that the set is closed stands against it.
#[test]
fn a_wrong_distinct_set() {
    caught(300, |rng, system, explicit| {
        let mut all = Vec::new();
        for (p, violated) in explicit.truth().violated.iter().enumerate() {
            let Some(k) = violated.filter(|&step| step > 0) else { continue };
            for most in [0, 1, system.num_latches()] {
                let distinct: Vec<LatchId> = system.latches().filter(|_| rng.one_in(2)).take(most).collect();
                let proof = Proof::inductive(PropertyId::new(p), Vec::new());
                all.push(Verdict::Safe(Proof { k: k as u32, distinct: Some(distinct), ..proof }));
            }
            let everything = Some(system.latches().collect());
            let proof = Proof::inductive(PropertyId::new(p), Vec::new());
            all.push(Verdict::Safe(Proof { k: k as u32, distinct: everything, ..proof }));
        }
        all
    });
}

/// A latch that is claimed to be constant and is not: the states differ on the others until it breaks.
#[test]
fn a_wrong_constant_among_distinct_states() {
    caught(300, |_, system, _| {
        let mut all = Vec::new();
        for (latch, property) in system.latches().flat_map(|l| system.property_ids().map(move |p| (l, p))) {
            let others: Vec<LatchId> = system.latches().filter(|&l| l != latch).collect();
            for (value, k) in [false, true].into_iter().flat_map(|v| (1..=4).map(move |k| (v, k))) {
                let fact = buttress_system::Clause::new([system.latch_lit(latch) ^ !value]);
                let proof = Proof::inductive(property, vec![fact]);
                all.push(Verdict::Safe(Proof { k, distinct: Some(others.clone()), ..proof }));
            }
        }
        all
    });
    // d toggles, c follows it one step behind. Two states in which c is 0 and d differs are followed by one that
    // agrees with the first on d.
    let mut draft = Draft::new(0, 2);
    let (d, c) = (draft.latch(0), draft.latch(1));
    draft.set_next(0, !d);
    draft.set_next(1, d);
    draft.bads = vec![c];
    let fact = buttress_system::Clause::new([!c]);
    let claim = Proof {
        k: 2,
        distinct: Some(vec![LatchId::new(0)]),
        ..Proof::inductive(PropertyId::new(0), vec![fact])
    };
    assert!(buttress_check::certify_proof(&draft.build(), claim, &Default::default()).is_err());
}

/// A constraint that lets a claimed constant break only where a latch outside of D is set, which takes two steps:
/// it reads nothing else while the constant holds, but the last state of a violation breaks it.
#[test]
fn a_constraint_that_only_broken_constants_read() {
    let mut draft = Draft::new(1, 4);
    let (c, late, later) = (draft.latch(1), draft.latch(2), draft.latch(3));
    draft.set_next(1, draft.input(0));
    draft.set_next(2, Lit::TRUE);
    draft.set_next(3, late);
    let kept = draft.or(!c, later);
    draft.constraints = vec![kept];
    draft.bads = vec![c];
    let system = draft.build();
    assert_eq!(Explicit::new(&system).truth().violated, [Some(2)]);
    let fact = buttress_system::Clause::new([!c]);
    let claim = Proof {
        k: 2,
        distinct: Some(vec![LatchId::new(0)]),
        ..Proof::inductive(PropertyId::new(0), vec![fact])
    };
    assert!(buttress_check::certify_proof(&system, claim, &Default::default()).is_err());
}

/// Where a constant outside of D starts with an input, the first step of the shorter trace may break it, and with
/// it a constraint. D counts 0, 1, 0 and goes on to 2 only with the input, which a constraint forbids in the first
/// step.
#[test]
fn a_constant_that_starts_with_an_input() {
    let mut draft = Draft::new(1, 3);
    let (j, low, high, c) = (draft.input(0), draft.latch(0), draft.latch(1), draft.latch(2));
    let zero = draft.and(!low, !high);
    let (up, on) = (draft.and(zero, !j), draft.and(zero, j));
    draft.set_next(0, up);
    draft.set_next(1, on);
    draft.set_next(2, Lit::FALSE);
    draft.latches[2].reset = j;
    draft.constraints = vec![!c];
    draft.bads = vec![high];
    let system = draft.build();
    assert_eq!(Explicit::new(&system).truth().violated, [Some(3)]);
    let claim = Proof {
        k: 3,
        distinct: Some(vec![LatchId::new(0), LatchId::new(1)]),
        ..Proof::inductive(PropertyId::new(0), Vec::new())
    };
    let refusal = buttress_check::certify_proof(&system, claim, &Default::default());
    assert!(refusal.is_err(), "a false proof is accepted");
}

/// Where resets read inputs, a shortest violation may visit a state twice.
#[test]
fn distinctness_where_resets_read_inputs() {
    let mut tally = Tally::default();
    for seed in 0..20 * SYSTEMS {
        let system = random::system(seed);
        if !resets_read_inputs(&system) {
            continue;
        }
        let explicit = Explicit::new(&system);
        for (p, violated) in explicit.truth().violated.iter().enumerate() {
            for k in 1..=violated.unwrap_or(0) {
                let proof = Proof::inductive(PropertyId::new(p), Vec::new());
                let distinct = Some(system.latches().collect());
                let claim = Verdict::Safe(Proof { k: k as u32, distinct, ..proof });
                tally.judge(&system, &explicit, &claim).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            }
        }
    }
    assert!(tally.caught > 100, "{tally:?}");
}

#[test]
fn a_witness_bit_flipped() {
    caught(1000, |_, system, _| {
        let mut all = Vec::new();
        for trace in traces(system) {
            for latch in 0..trace.initial.len() {
                let mut flipped = trace.clone();
                flipped.initial[latch] = !flipped.initial[latch];
                all.push(Verdict::Unsafe(flipped));
            }
            for (step, input) in
                (0..trace.inputs.len()).flat_map(|s| (0..trace.inputs[s].len()).map(move |i| (s, i)))
            {
                let mut flipped = trace.clone();
                flipped.inputs[step][input] = !flipped.inputs[step][input];
                all.push(Verdict::Unsafe(flipped));
            }
        }
        all
    });
}

#[test]
fn a_trace_cut_or_prolonged_or_of_another_property() {
    caught(500, |_, system, _| {
        let mut all = Vec::new();
        for trace in traces(system) {
            let mut longer = trace.clone();
            longer.inputs.push(vec![Ternary::Zero; system.num_inputs()]);
            all.push(Verdict::Unsafe(longer));
            if trace.inputs.len() > 1 {
                let mut shorter = trace.clone();
                shorter.inputs.pop();
                all.push(Verdict::Unsafe(shorter));
            }
            let other = |property| Verdict::Unsafe(Trace { property, ..trace.clone() });
            all.extend(system.property_ids().map(other));
        }
        all
    });
}

/// The facts that a transformation relied on belong into the proof.
#[test]
fn facts_forgotten_on_the_way_back() {
    caught(20, |_, system, _| {
        let map = constants(system);
        let new = map.system();
        let forget = |proof: Proof| {
            let kept = proof.invariant.len();
            let mut raised = map.proof(proof);
            raised.invariant.truncate(kept);
            Verdict::Safe(raised)
        };
        proofs(engine("ic3"), new).into_iter().map(forget).collect()
    });
}

/// Malformed evidence is refused, not followed into a panic.
#[test]
fn evidence_that_does_not_fit() {
    let system = Arc::new(random::system(3));
    let explicit = Explicit::new(&system);
    let proof = Proof::inductive(PropertyId::new(0), Vec::new());
    let clause = |lit| buttress_system::Clause::new([lit]);
    let trace = Trace {
        property: PropertyId::new(0),
        initial: vec![Ternary::Zero; system.num_latches()],
        inputs: vec![vec![Ternary::Zero; system.num_inputs()]],
    };
    let refused = [
        Verdict::Safe(Proof { k: 0, ..proof.clone() }),
        Verdict::Safe(Proof { properties: Vec::new(), ..proof.clone() }),
        Verdict::Safe(Proof { properties: vec![PropertyId::new(99)], ..proof.clone() }),
        Verdict::Safe(Proof { distinct: Some(vec![LatchId::new(99)]), ..proof.clone() }),
        Verdict::Safe(Proof { invariant: vec![clause(Lit::from_code(9999))], ..proof.clone() }),
        Verdict::Safe(Proof { invariant: vec![clause(Lit::TRUE)], ..proof }),
        Verdict::Unsafe(Trace { property: PropertyId::new(99), ..trace.clone() }),
        Verdict::Unsafe(Trace { initial: Vec::new(), ..trace.clone() }),
        Verdict::Unsafe(Trace { inputs: Vec::new(), ..trace.clone() }),
        Verdict::Unsafe(Trace { inputs: vec![vec![Ternary::Zero; 99]], ..trace }),
    ];
    assert!(system.num_latches() > 0 && explicit.num_states() > 1, "the seed has latches");
    for claim in refused {
        let accepted = match &claim {
            Verdict::Safe(proof) => {
                buttress_check::certify_proof(&system, proof.clone(), &Default::default()).is_ok()
            }
            Verdict::Unsafe(trace) | Verdict::Perhaps(trace) => {
                buttress_check::certify_trace(&system, trace.clone()).is_ok()
            }
            Verdict::Unknown(_) => unreachable!("all claims are about safety"),
        };
        assert!(!accepted, "{claim:?}");
    }
}
