//! Every proof that engines find becomes a witness circuit that the circuit check accepts, after a trip through
//! a file; samples of circuits and of witnesses go to the checker that shares no code with us.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Checked, Circuit, Evidence, Pair, Refusal, certify_circuit};
use buttress_driver::Accepted;
use buttress_format::{Aiger, aiger, certificate, witness};
use buttress_solve::Stop;
use buttress_system::{BitSystem, Certified, Lit, PropertyId, Trace};
use buttress_testkit::fuzz::{lineups, run};
use buttress_testkit::random;
use buttress_testkit::reference::Explicit;
use buttress_testkit::tree::{Scratch, python_check};

const SYSTEMS: u64 = 500;
const LIMIT: Duration = Duration::from_secs(20);

/// All evidence for the systems of some seeds, from every engine alone.
fn evidence(seeds: std::ops::Range<u64>) -> Vec<(u64, Arc<BitSystem>, Checked)> {
    let mut all = Vec::new();
    for seed in seeds {
        let system = Arc::new(random::system(seed));
        for lineup in lineups().into_iter().filter(|lineup| lineup.engines.len() == 1) {
            let decided = run(&system, &lineup, LIMIT).decided;
            let bits = decided.into_iter().flatten().map(|accepted| match accepted {
                Accepted::Bits(checked) => checked,
                _ => panic!("checked on something else than bits"),
            });
            all.extend(bits.map(|checked| (seed, system.clone(), checked)));
        }
    }
    all
}

/// A circuit written as a file and read again.
fn reread(circuit: &BitSystem, comments: &[String], ascii: bool) -> Aiger {
    let mut bytes = Vec::new();
    let written = match ascii {
        true => aiger::write_ascii(circuit, comments, &mut bytes),
        false => aiger::write_binary(circuit, comments, &mut bytes),
    };
    written.expect("memory takes it");
    aiger::read(&bytes[..]).unwrap_or_else(|error| panic!("{}", error.render("certificate")))
}

fn accept(model: &BitSystem, circuit: &Aiger) -> Result<Vec<PropertyId>, Refusal> {
    let model_file = reread(model, &[], true);
    let pairs = certificate::mapping(circuit, &model_file).expect("a mapping");
    let pairs: Vec<Pair> = pairs.into_iter().map(|(witness, model)| Pair { witness, model }).collect();
    let certified = certificate::certified(circuit, model).expect("properties");
    let circuit = Circuit { system: &circuit.system, pairs: &pairs, interventions: &[] };
    let accepted = certify_circuit(model, circuit, certified, &Stop::new())?;
    Ok(accepted.certified().properties.clone())
}

fn circuit(model: &BitSystem, checked: &Checked) -> Option<(BitSystem, Vec<String>)> {
    let Evidence::Proof(proof) = checked.evidence() else { return None };
    let bounded = checked.vacuous().map(|v| v.states);
    let circuit = certificate::witness_circuit(model, proof, bounded);
    assert_eq!(circuit.is_none(), proof.distinct.is_some() && bounded.is_none());
    let certified = Certified { properties: proof.properties.clone(), justice: Vec::new() };
    Some((circuit?, certificate::comments(model, &certified, &[], "model.aag")))
}

#[test]
fn every_proof_becomes_a_circuit() {
    let (mut plain, mut deep, mut vacuous, mut clauses) = (0, 0, 0, 0);
    for (seed, model, checked) in evidence(0..SYSTEMS) {
        let Some((circuit, comments)) = circuit(&model, &checked) else { continue };
        let Evidence::Proof(proof) = checked.evidence() else { unreachable!("circuits come from proofs") };
        let read = reread(&circuit, &comments, seed % 2 == 0);
        let properties = accept(&model, &read).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        let mut expected = proof.properties.clone();
        expected.sort();
        assert_eq!(properties, expected, "seed {seed}");
        plain += usize::from(proof.k == 1);
        deep += usize::from(proof.k > 1);
        vacuous += usize::from(checked.vacuous().is_some());
        clauses += usize::from(!proof.invariant.is_empty());
    }
    println!("k = 1: {plain}, k > 1: {deep}, vacuous: {vacuous}, with clauses: {clauses}");
    assert!(plain > 300 && deep > 100 && vacuous > 20 && clauses > 300);
}

/// A circuit for a violated property is never accepted, whatever stands in it.
#[test]
fn no_circuit_proves_what_is_violated() {
    let mut count = 0;
    for seed in 0..SYSTEMS {
        let model = random::system(seed);
        let truth = Explicit::new(&model).truth();
        let circuits = candidate_circuits(&model);
        for property in model.property_ids().filter(|p| truth.violated[p.index()].is_some()) {
            let certified = Certified { properties: vec![property], justice: Vec::new() };
            let comments = certificate::comments(&model, &certified, &[], "m");
            for circuit in &circuits {
                let accepted = accept(&model, &reread(circuit, &comments, true));
                assert!(accepted.is_err(), "seed {seed}: {property:?} is violated, but certified");
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count}");
}

/// The model itself with other properties, without constraints, or with more of them than it may have.
fn candidate_circuits(model: &BitSystem) -> Vec<BitSystem> {
    let with_bad = |bad: Lit| {
        let mut circuit = model.clone();
        circuit.properties.truncate(1);
        circuit.properties[0].bad = bad;
        circuit
    };
    let mut all: Vec<BitSystem> = model.properties.iter().map(|p| with_bad(p.bad)).collect();
    all.extend([with_bad(Lit::FALSE), with_bad(Lit::TRUE)]);
    let mut free = all[0].clone();
    free.constraints.clear();
    let mut strict = all[0].clone();
    strict.constraints.push(!strict.properties[0].bad);
    let mut contradictory = with_bad(Lit::FALSE);
    contradictory.constraints.push(Lit::FALSE);
    let mut constrained = with_bad(Lit::TRUE);
    constrained.constraints.push(Lit::FALSE);
    all.extend([free, strict, contradictory, constrained]);
    all
}

/// A sample of everything: each k, vacuous ones, with clauses, with several properties.
fn sample(model: &BitSystem, checked: &Checked) -> Option<String> {
    let Evidence::Proof(proof) = checked.evidence() else { return None };
    if model.num_vars() > 40 || proof.k > 4 {
        return None;
    }
    let kind = (proof.k, checked.vacuous().is_some(), proof.invariant.len().min(2), proof.properties.len());
    Some(format!("{kind:?}"))
}

#[test]
fn another_checker_accepts_our_certificates() {
    let scratch = Scratch::new("certificates");
    let (model_file, circuit_file) = (scratch.file("model.aag"), scratch.file("circuit.aag"));
    let mut seen: Vec<String> = Vec::new();
    let mut count = 0;
    for (seed, model, checked) in evidence(0..SYSTEMS) {
        let Some(kind) = sample(&model, &checked) else { continue };
        let Some((circuit, comments)) = circuit(&model, &checked) else { continue };
        let before = seen.iter().filter(|k| **k == kind).count();
        if before >= 4 || count == 60 {
            continue;
        }
        seen.push(kind);
        count += 1;
        aiger::write_ascii(&model, &[], &mut File::create(&model_file).unwrap()).unwrap();
        aiger::write_ascii(&circuit, &comments, &mut File::create(&circuit_file).unwrap()).unwrap();
        let said = python_check("certificate", &model_file, &circuit_file);
        assert!(said.is_ok(), "seed {seed}: {}", said.unwrap_err());
    }
    assert!(count >= 40, "{count}");
}

fn traces(all: &[(u64, Arc<BitSystem>, Checked)]) -> impl Iterator<Item = (u64, &BitSystem, &Trace)> {
    all.iter().filter_map(|(seed, model, checked)| match checked.evidence() {
        Evidence::Trace(trace) => Some((*seed, &**model, trace)),
        Evidence::Proof(_) | Evidence::Lasso(_) | Evidence::Live(_) => None,
    })
}

#[test]
fn another_checker_accepts_our_witnesses() {
    let scratch = Scratch::new("witnesses");
    let (model_file, trace_file) = (scratch.file("model.aag"), scratch.file("trace"));
    let mut count = 0;
    for (seed, model, trace) in traces(&evidence(SYSTEMS..SYSTEMS + 60)) {
        if count == 60 || seed as usize % 2 != trace.last_step() % 2 {
            continue;
        }
        count += 1;
        aiger::write_ascii(model, &[], &mut File::create(&model_file).unwrap()).unwrap();
        witness::write(model, trace, &mut File::create(&trace_file).unwrap()).unwrap();
        let said = python_check("witness", &model_file, &trace_file);
        assert!(said.is_ok(), "seed {seed}: {}", said.unwrap_err());
    }
    assert!(count >= 40, "{count}");
}
