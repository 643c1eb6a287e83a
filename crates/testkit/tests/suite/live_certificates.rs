//! Every proof of liveness that engines find becomes a witness circuit that both checkers accept, after a trip
//! through a file; circuits with something changed prove nothing that is violated, and both checkers agree about
//! them.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Circuit, Intervention, Pair, certify_circuit};
use buttress_driver::{Accepted, Event};
use buttress_engine::Engine;
use buttress_format::{Aiger, aiger, certificate};
use buttress_solve::Stop;
use buttress_system::{BitSystem, Certified, Latch, LatchId, Lit, Live, LiveProof, Monitor, Proof, Rng};
use buttress_testkit::drive::{choice, drive, problem};
use buttress_testkit::live::{LiveTruth, system};
use buttress_testkit::tree::{Scratch, python_check};
use buttress_transform::{Way, monitored_bits};

const SYSTEMS: u64 = 300;
const LIMIT: Duration = Duration::from_secs(20);

/// Proofs of the justice properties of a system, by the engine of this name.
fn proofs(system: &Arc<BitSystem>, engine: &str) -> Vec<LiveProof<Proof>> {
    // BMC decides what is violated: whoever counts visits would count for ever.
    let engines = [engine, "bmc"].map(|name| Engine::by_name(name).expect("a row of the table"));
    let (events, _) = drive(&problem(system), &choice(engines.to_vec()), Some(LIMIT));
    let proof = |event| match event {
        Event::Decided { accepted, .. } => match *accepted {
            // What holds since no execution is infinite rests on no invariant.
            Accepted::Bits(checked) if checked.vacuous().is_some() => None,
            Accepted::Bits(checked) => checked.evidence().live_proof().cloned(),
            _ => None,
        },
        _ => None,
    };
    events.into_iter().filter_map(proof).collect()
}

fn part(system: &Arc<BitSystem>, proof: LiveProof<Proof>) -> certificate::LivePart {
    let live = Arc::new(Live::of_bits(system));
    let beside = |monitor| BitSystem::clone(monitored_bits(&live, monitor).system());
    let (visits, closed) = match proof.monitor {
        Monitor::Loop => (beside(Monitor::Visits(0)), Some(beside(Monitor::Loop))),
        visits => (beside(visits), None),
    };
    certificate::LivePart { proof, visits, closed }
}

/// The circuit of some proofs, with its comments.
fn circuit(system: &BitSystem, parts: &[certificate::LivePart]) -> (BitSystem, Vec<String>) {
    let (circuit, interventions) = certificate::live_circuit(system, None, parts);
    let justice = parts.iter().flat_map(|p| p.proof.proof.properties.iter().map(|p| p.index())).collect();
    let certified = Certified { properties: Vec::new(), justice };
    (circuit, certificate::comments(system, &certified, &interventions, "model.aag"))
}

fn reread(circuit: &BitSystem, comments: &[String]) -> Aiger {
    let mut bytes = Vec::new();
    aiger::write_binary(circuit, comments, &mut bytes).expect("memory takes it");
    aiger::read(&bytes[..]).unwrap_or_else(|error| panic!("{}", error.render("certificate")))
}

/// What the check says to a circuit, as it is read from a file.
fn accept(model: &BitSystem, circuit: &BitSystem, comments: &[String]) -> Result<Certified, String> {
    let read = reread(circuit, comments);
    let pairs = certificate::mapping(&read, &reread(model, &[])).expect("a mapping");
    let pairs: Vec<Pair> = pairs.into_iter().map(|(witness, model)| Pair { witness, model }).collect();
    let second = certificate::interventions(&read).expect("interventions").into_iter();
    let second: Vec<Intervention> =
        second.map(|(second, replaced)| Intervention { second, replaced }).collect();
    let certified = certificate::certified(&read, model).expect("properties");
    let circuit = Circuit { system: &read.system, pairs: &pairs, interventions: &second };
    let accepted = certify_circuit(model, circuit, certified, &Stop::new()).map_err(|why| why.to_string())?;
    Ok(accepted.certified().clone())
}

/// What the other checker says.
fn accept_elsewhere(scratch: &Scratch, model: &BitSystem, circuit: &BitSystem, comments: &[String]) -> bool {
    let (model_file, circuit_file) = (scratch.file("model.aag"), scratch.file("circuit.aag"));
    aiger::write_ascii(model, &[], &mut fs::File::create(&model_file).unwrap()).unwrap();
    aiger::write_ascii(circuit, comments, &mut fs::File::create(&circuit_file).unwrap()).unwrap();
    python_check("certificate", &model_file, &circuit_file).is_ok()
}

#[test]
fn every_proof_of_liveness_becomes_a_circuit() {
    let scratch = Scratch::new("live-certificates");
    let (mut visits, mut loops, mut several, mut elsewhere) = (0, 0, 0, 0);
    for seed in 0..SYSTEMS {
        let system = Arc::new(system(seed));
        for engine in ["klive", "ic3"] {
            let parts: Vec<_> = proofs(&system, engine).into_iter().map(|p| part(&system, p)).collect();
            let parts: Vec<_> = parts.into_iter().filter(|p| p.lacks(&system).is_none()).collect();
            if parts.is_empty() {
                continue;
            }
            let (circuit, comments) = circuit(&system, &parts);
            let certified =
                accept(&system, &circuit, &comments).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            assert_eq!(certified.justice.len(), parts.len(), "seed {seed}");
            *(if engine == "klive" { &mut visits } else { &mut loops }) += parts.len();
            several += usize::from(parts.len() > 1);
            if seed % 8 == 0 {
                assert!(accept_elsewhere(&scratch, &system, &circuit, &comments), "seed {seed}, {engine}");
                elsewhere += 1;
            }
        }
    }
    println!(
        "{visits} by visits, {loops} without loops, {several} of several, {elsewhere} checked elsewhere"
    );
    assert!(visits > 50 && loops > 50 && several > 5 && elsewhere > 10);
}

/// Something about a circuit is changed at random.
fn disturbed(circuit: &BitSystem, rng: &mut Rng) -> BitSystem {
    let mut other = circuit.clone();
    let lit = |rng: &mut Rng, below: usize| Lit::from_code(rng.below(2 * below) as u32);
    match rng.below(5) {
        0 => {
            let property = &mut other.properties[0];
            property.bad = lit(rng, circuit.num_vars());
        }
        1 if circuit.num_latches() > 0 => {
            let latch = LatchId::new(rng.below(circuit.num_latches()));
            let Latch { reset, .. } = circuit.latch(latch);
            other.set_latch(latch, Latch { next: lit(rng, circuit.num_vars()), reset });
        }
        2 => other.justice.iter_mut().flatten().take(1).for_each(|q| *q = lit(rng, circuit.num_vars())),
        // A signal more that is never met.
        3 => other.justice.iter_mut().for_each(|own| own.push(Lit::FALSE)),
        _ => {
            // One gate has another operand.
            let gate = rng.below(circuit.num_gates().max(1));
            other = BitSystem::new(circuit.num_inputs(), circuit.num_latches());
            for (g, &[a, b]) in circuit.gates().iter().enumerate() {
                let a = if g == gate { lit(rng, circuit.first_gate() + g) } else { a };
                other.push_gate(a, b);
            }
            circuit.latches().for_each(|l| other.set_latch(l, circuit.latch(l)));
            other.constraints.clone_from(&circuit.constraints);
            other.properties.clone_from(&circuit.properties);
            other.justice.clone_from(&circuit.justice);
            other.fairness.clone_from(&circuit.fairness);
        }
    }
    other
}

/// The circuit of a property that holds, with something changed, and the same beside a system in which it does
/// not hold.
#[test]
fn broken_circuits_of_liveness_prove_nothing_wrong() {
    let scratch = Scratch::new("broken-live-certificates");
    let (mut rejected, mut compared) = (0, 0);
    for seed in 0..SYSTEMS {
        let system = Arc::new(system(seed));
        let truth = LiveTruth::of(&system);
        let mut rng = Rng::new(seed);
        for proof in proofs(&system, "klive") {
            let part = part(&system, proof);
            if part.lacks(&system).is_some() {
                continue;
            }
            let (circuit, comments) = circuit(&system, &[part]);
            for _ in 0..8 {
                let other = disturbed(&circuit, &mut rng);
                let accepted = accept(&system, &other, &comments).is_ok();
                rejected += usize::from(!accepted);
                if compared < 60 && seed % 3 == 0 {
                    assert_eq!(
                        accept_elsewhere(&scratch, &system, &other, &comments),
                        accepted,
                        "seed {seed}"
                    );
                    compared += 1;
                }
                // Of all properties the comments may name one that is violated.
                for j in (0..system.justice.len()).filter(|&j| truth.shortest[j].is_some()) {
                    let certified = Certified { properties: Vec::new(), justice: vec![j] };
                    let renamed = certificate::comments(&system, &certified, &[], "m");
                    let renamed: Vec<String> =
                        renamed.into_iter().chain(comments.iter().skip(1).cloned()).collect();
                    assert!(accept(&system, &other, &renamed).is_err(), "seed {seed}: j{j} is violated");
                }
            }
        }
    }
    println!("{rejected} rejected, {compared} compared");
    assert!(rejected > 200 && compared == 60);
}

/// A violated property is not certified by the system itself, whatever its signals become.
#[test]
fn no_circuit_proves_liveness_of_what_is_violated() {
    let mut count = 0;
    for seed in 0..SYSTEMS {
        let model = system(seed);
        let truth = LiveTruth::of(&model);
        for j in (0..model.justice.len()).filter(|&j| truth.shortest[j].is_some()) {
            let certified = Certified { properties: Vec::new(), justice: vec![j] };
            let comments = certificate::comments(&model, &certified, &[], "m");
            let with = |own: Vec<Lit>| {
                let mut circuit = model.clone();
                circuit.justice[j] = own;
                circuit
            };
            let own = model.justice[j].clone();
            let more: Vec<Lit> = own.iter().copied().chain([Lit::FALSE]).collect();
            let mut fair = with(own.clone());
            fair.fairness.push(Lit::FALSE);
            let mut none = with(vec![Lit::FALSE; own.len()]);
            none.constraints.push(Lit::FALSE);
            let never = with(vec![Lit::FALSE; own.len()]);
            for circuit in [model.clone(), with(more), with(Vec::new()), never, fair, none] {
                let accepted = accept(&model, &circuit, &comments);
                assert!(accepted.is_err(), "seed {seed}: j{j} is violated, but certified");
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count}");
}
