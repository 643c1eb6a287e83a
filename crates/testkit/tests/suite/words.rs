//! Word-level systems: from words to bits, through all engines, back to words, and through the check there.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Evidence, Refusal, certify_word_proof, certify_word_trace};
use buttress_driver::Accepted;
use buttress_solve::Stop;
use buttress_system::words::{Part, Simulation, System, WordProof, WordTrace, states};
use buttress_system::{PropertyId, Rng};
use buttress_term::{Node, Op, TermId, Value};
use buttress_testkit::fuzz::{Lineup, lineups, run};
use buttress_testkit::random::words;
use buttress_testkit::word_reference::violations;
use buttress_transform::Way;
use buttress_transform::blast::{Blasted, Limits, blast};

const SYSTEMS: u64 = 300;

fn lineup(name: &str) -> Lineup {
    lineups().into_iter().find(|lineup| lineup.name == name).expect("a lineup")
}

fn blasted(system: &System) -> Blasted {
    blast(&Arc::new(system.clone()), Limits::default()).expect("random sorts are finite")
}

/// The evidence that the engines found in bits, raised to words: for each property a proof or a trace.
fn found(system: &System, lineup: &Lineup) -> Vec<Option<Result<WordProof, WordTrace>>> {
    let bits = blasted(system);
    let run = run(&bits.system, lineup, Duration::from_secs(20));
    assert!(run.faults().is_empty(), "{:?}", run.faults());
    let raise = |accepted: &Accepted| {
        let Accepted::Bits(checked) = accepted else { panic!("checked on something else than bits") };
        match checked.evidence() {
            Evidence::Proof(proof) => Ok(bits.proof(proof.clone())),
            Evidence::Trace(trace) => Err(bits.trace(trace.clone())),
            Evidence::Lasso(_) | Evidence::Live(_) => panic!("nobody asked about liveness"),
        }
    };
    run.decided.iter().map(|checked| checked.as_ref().map(raise)).collect()
}

fn certified(system: &System, evidence: Result<WordProof, WordTrace>) -> Result<(), Refusal> {
    match evidence {
        Ok(proof) => certify_word_proof(system, proof, &Stop::new()).map(drop),
        Err(trace) => certify_word_trace(system, trace).map(drop),
    }
}

/// Verdicts from bits are what listing all values says, and their evidence is accepted on words.
#[test]
fn verdicts_are_true_and_evidence_is_accepted_on_words() {
    let (mut proved, mut falsified) = (0, 0);
    for (seed, lineup) in (0..SYSTEMS).zip([lineup("all"), lineup("kind"), lineup("ic3")].iter().cycle()) {
        let system = words::system(seed);
        let truth = violations(&system);
        for (violated, evidence) in truth.into_iter().zip(found(&system, lineup)) {
            let Some(evidence) = evidence else { continue };
            match (&evidence, violated) {
                (Ok(_), None) => proved += 1,
                (Err(trace), Some(step)) if trace.last_step() >= step => falsified += 1,
                (claimed, truth) => panic!("seed {seed}: {claimed:?}, but {truth:?}"),
            }
            certified(&system, evidence).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        }
    }
    println!("{proved} proved, {falsified} falsified");
    assert!(proved > SYSTEMS / 4 && falsified > SYSTEMS / 4, "{proved} proved, {falsified} falsified");
}

/// The system with one operator exchanged for another of the same sorts, as a wrong circuit would have it. The
/// original gets the larger store, so that ids mean the same in both.
fn with_wrong_operator(original: &mut System, rng: &mut Rng) -> Option<System> {
    let terms = &mut original.terms;
    let states = original.states.iter().flat_map(|s| s.init.into_iter().chain(s.next));
    let claims = original.properties.iter().map(|p| p.bad).chain(original.constraints.iter().map(|c| c.term));
    let cone = terms.cone(states.chain(claims).chain(original.definitions.iter().map(|d| d.value)));
    let read: Vec<TermId> = cone.into_iter().filter(|&t| !terms.operands(t).is_empty()).collect();
    let term = *read.get(rng.below(read.len().max(1)))?;
    let Node::Apply(op, indices, operands) = terms.node(term) else { unreachable!("it has operands") };
    let (operands, sort) = (operands.to_vec(), terms.sort(term).clone());
    let mut fitting = Vec::new();
    for other in Op::all().filter(|&other| other != op) {
        fitting
            .extend(terms.apply_indexed(other, indices, &operands).ok().filter(|&t| *terms.sort(t) == sort));
    }
    let wrong = *fitting.get(rng.below(fitting.len().max(1)))?;
    let mut mutant = original.clone();
    let by = [(term, wrong)].into_iter().collect();
    let mut replace = |t: &mut TermId| *t = mutant.terms.substitute(&[*t], &by)[0];
    mutant.states.iter_mut().for_each(|s| s.init.iter_mut().chain(&mut s.next).for_each(&mut replace));
    mutant.definitions.iter_mut().for_each(|d| replace(&mut d.value));
    mutant.constraints.iter_mut().for_each(|c| replace(&mut c.term));
    mutant.properties.iter_mut().for_each(|p| replace(&mut p.bad));
    original.terms = mutant.terms.clone();
    Some(mutant)
}

/// Evidence about a system with a wrong operator is accepted for the right one only where it is true.
#[test]
fn a_wrong_circuit_is_caught() {
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..2 * SYSTEMS {
        let rng = &mut Rng::new(seed);
        let mut original = words::system(seed);
        let Some(mutant) = with_wrong_operator(&mut original, rng) else { continue };
        if mutant.validate().is_err() {
            continue;
        }
        let truth = violations(&original);
        for (violated, evidence) in truth.into_iter().zip(found(&mutant, &lineup("ic3"))) {
            let Some(evidence) = evidence else { continue };
            let is_true = evidence.is_ok() == violated.is_none();
            let accepted = certified(&original, evidence).is_ok();
            assert!(is_true || !accepted, "seed {seed}: accepted, but wrong");
            wrong += u64::from(!is_true);
            right += u64::from(accepted);
        }
    }
    println!("{wrong} wrong claims caught, {right} accepted");
    assert!(wrong >= 20 && right >= 50, "{wrong} wrong, {right} right: the fault tests little");
}

/// Claims without an invariant, and invariants with a conjunct negated. What is still accepted is still true.
#[test]
fn disturbed_proofs_are_accepted_only_where_the_property_holds() {
    let mut rejected = 0;
    for seed in 0..SYSTEMS {
        let rng = &mut Rng::new(seed);
        let system = words::system(seed);
        let truth = violations(&system);
        let bare = |p: usize| {
            let mut claim = buttress_system::Proof {
                properties: vec![PropertyId::new(p)],
                k: 1 + (seed % 4) as u32,
                distinct: None,
                invariant: Vec::new(),
            };
            if seed % 3 == 0 {
                let part = |state| Part { state, bit: None };
                claim.distinct = Some(system.state_ids().map(part).collect());
            }
            WordProof { terms: Arc::new(system.terms.clone()), claim }
        };
        for (p, violated) in truth.iter().enumerate() {
            let accepted = certify_word_proof(&system, bare(p), &Stop::new()).is_ok();
            assert!(!accepted || violated.is_none(), "seed {seed}: accepted, but violated in {violated:?}");
            rejected += u64::from(!accepted);
        }
        for evidence in found(&system, &lineup("ic3")).into_iter().flatten() {
            let Ok(mut proof) = evidence else { continue };
            if proof.claim.invariant.is_empty() {
                continue;
            }
            let chosen = rng.below(proof.claim.invariant.len());
            let mut terms = (*proof.terms).clone();
            let negated = terms.not(proof.claim.invariant[chosen]);
            proof.claim.invariant[chosen] = negated;
            proof.terms = Arc::new(terms);
            let decided = proof.claim.properties.clone();
            let accepted = certify_word_proof(&system, proof, &Stop::new()).is_ok();
            assert!(!accepted || decided.iter().all(|p| truth[p.index()].is_none()), "seed {seed}");
            rejected += u64::from(!accepted);
        }
    }
    assert!(rejected > SYSTEMS, "{rejected} rejected: this tests little");
}

/// A value of the trace changed: accepted only if the simulation still ends badly.
#[test]
fn disturbed_traces_are_accepted_only_where_they_are_executions() {
    let mut rejected = 0;
    for seed in 0..SYSTEMS {
        let rng = &mut Rng::new(seed);
        let system = words::system(seed);
        for evidence in found(&system, &lineup("bmc")).into_iter().flatten() {
            let Err(mut trace) = evidence else { continue };
            assert_eq!(states(&system, &trace).len(), trace.inputs.len());
            let step = rng.below(trace.inputs.len());
            if rng.one_in(3) && trace.inputs.len() > 1 {
                trace.inputs.remove(step);
            } else {
                flip(rng, trace.inputs[step].iter_mut().chain(&mut trace.initial));
            }
            let mut simulation = Simulation::new(&system);
            simulation.start(&trace.initial, &trace.inputs[0]);
            trace.inputs[1..].iter().for_each(|row| simulation.step(row));
            let bad = simulation.bool(system.property(trace.property).bad) == Some(true);
            let accepted = certify_word_trace(&system, trace).is_ok();
            assert!(bad || !accepted, "seed {seed}: accepted, but it ends well");
            rejected += u64::from(!accepted);
        }
    }
    assert!(rejected > SYSTEMS / 8, "{rejected} rejected: this tests little");
}

/// Changes one of the known values.
fn flip<'a>(rng: &mut Rng, values: impl Iterator<Item = &'a mut Option<Value>>) {
    let mut known: Vec<&mut Value> = values.flatten().collect();
    if known.is_empty() {
        return;
    }
    let chosen = rng.below(known.len());
    let value = &mut *known[chosen];
    *value = match &*value {
        Value::Bool(b) => Value::Bool(!b),
        Value::Word(word) => Value::Word(word.not()),
        other => Value::zero(&other.sort()),
    };
}
