use std::path::Path;
use std::sync::Arc;

use buttress_engine::{Fact, Told};
use buttress_system::indexed::{Indexed, IndexedProof, Instance, Use};
use buttress_system::words::{Part, StateId, System, WordProof, WordTrace};
use buttress_system::{BitSystem, Clause, LatchId, Lit, Proof, PropertyId, Rng, Ternary, Trace};
use buttress_term::{Op, Value};

use super::*;
use crate::problem::Original;
use crate::{Problem, parse};

const TOGGLE: &str = "aag 3 1 1 0 1 1\n2\n4 7\n6\n6 5 3\nl0 on\n";
const COUNTER: &str = "node main(up: bool) returns (n: int; ok: bool);
let n = 0 -> pre n + (if up then 1 else 0); ok = n >= 0; --%PROPERTY ok;
tel";
const MAPS: &str = "(declare-fun x () (-> Int Int))(declare-fun y () (-> Int Int))
(define-fun .x () (-> Int Int) (! x :next y))
(declare-fun i () Int)
(define-fun .init () Bool (! (= x (lambda ((k Int)) 0)) :init true))
(define-fun .trans () Bool (! (= y (lambda ((k Int)) (+ (x k) 1))) :trans true))
(define-fun .p () Bool (! (>= (x i) 0) :invar-property 0))
";

fn problem(name: &str, text: &str) -> Problem {
    parse(Path::new(name), text).expect("a model")
}

fn bits() -> Arc<BitSystem> {
    let Original::Bits(system) = problem("toggle.aag", TOGGLE).original().clone() else { panic!("bits") };
    system
}

fn words() -> Arc<System> {
    let Original::Words(system) = problem("counter.lus", COUNTER).original().clone() else { panic!("words") };
    system
}

fn maps() -> Arc<Indexed> {
    let Original::Maps(system) = problem("maps.vmt", MAPS).original().clone() else { panic!("maps") };
    system
}

fn word_proof(system: &System) -> WordProof {
    let mut terms = system.terms.clone();
    let n = system.states.iter().map(|s| s.variable).find(|&v| *terms.sort(v) == buttress_term::Sort::Int);
    let (n, zero) = (n.expect("an integer"), terms.int(0));
    let invariant = vec![terms.app(Op::Ge, &[n, zero])];
    let distinct = Some(vec![Part { state: StateId::new(0), bit: None }]);
    let claim = Proof { properties: vec![PropertyId::new(0)], k: 2, distinct, invariant };
    WordProof { terms: Arc::new(terms), claim }
}

fn map_proof(model: &Indexed) -> IndexedProof {
    let mut terms = model.system.terms.clone();
    let own = terms.variable("place", buttress_term::Sort::Int);
    let x = model.system.states[0].variable;
    let (at, zero) = (terms.call(x, &[own]).expect("a place"), terms.int(0));
    let clauses = vec![terms.app(Op::Ge, &[at, zero])];
    let mut indices = model.indices.clone();
    indices.push(own);
    let instance = Instance(indices.clone());
    let used = vec![Use { clause: 0, instance: instance.clone() }];
    IndexedProof {
        properties: vec![PropertyId::new(0)],
        terms: Arc::new(terms),
        indices,
        clauses,
        step: used.clone(),
        implies: used,
        axioms: vec![instance],
    }
}

#[test]
fn facts_come_back_as_they_were() {
    let system = bits();
    let property = PropertyId::new(0);
    let clause = Clause::new([system.latch_lit(LatchId::new(0)), Lit::from_code(7)]);
    let proof = Proof {
        properties: vec![property],
        k: 3,
        distinct: Some(vec![LatchId::new(0)]),
        invariant: vec![clause],
    };
    let cube = vec![system.latch_lit(LatchId::new(0))];
    let facts = [
        Fact::Proved(proof),
        Fact::Told { property, told: Told::Excluded(cube.clone()) },
        Fact::Told { property, told: Told::Failed(cube) },
        Fact::HoldsUpTo { property, steps: 40 },
        Fact::Decided { property },
    ];
    let model = ModelHash::of(&problem("toggle.aag", TOGGLE));
    for fact in facts {
        let bytes = seal(&model, &pack_fact(&*system, &fact));
        let body = unseal(&model, &bytes).expect("its own");
        assert_eq!(unpack_fact(&*system, body), Ok(fact));
    }
    let trace =
        Trace { property, initial: vec![Ternary::X], inputs: vec![vec![Ternary::One], vec![Ternary::Zero]] };
    assert_eq!(system.unpack_trace(system.pack_trace(&trace)), Ok(trace));
}

/// Words and maps come back as texts that say the same.
#[test]
fn terms_come_back_as_they_were() {
    let system = words();
    let packed = system.pack_proof(&word_proof(&system));
    let proof = system.unpack_proof(packed.clone()).expect("its own");
    assert!(proof.terms.extends(&system.terms));
    assert_eq!(system.pack_proof(&proof), packed);
    let rows = system.inputs.len() + system.free_states().count();
    let value = |v: buttress_term::TermId| Some(Value::zero(system.terms.sort(v)));
    let initial = system.states.iter().map(|s| value(s.variable)).collect();
    let trace = WordTrace { property: PropertyId::new(0), initial, inputs: vec![vec![None; rows]; 2] };
    assert_eq!(system.unpack_trace(system.pack_trace(&trace)), Ok(trace));

    let model = maps();
    let packed = model.pack_proof(&map_proof(&model));
    let proof = model.unpack_proof(packed.clone()).expect("its own");
    assert!(proof.terms.extends(&model.system.terms));
    assert_eq!(model.pack_proof(&proof), packed);
}

#[test]
fn what_is_not_of_this_model_is_told_apart() {
    let (toggle, counter) = (problem("a.aag", TOGGLE), problem("a.lus", COUNTER));
    let (model, other) = (ModelHash::of(&toggle), ModelHash::of(&counter));
    let bytes = seal(&model, &Packed::Decided { property: 0 });
    assert_eq!(unseal(&other, &bytes), Err(Unread::Model(model)));
    let mut newer = bytes.clone();
    newer[3] = VERSION + 1;
    assert_eq!(unseal(&model, &newer), Err(Unread::Version(VERSION + 1)));
    assert!(matches!(unseal(&model, &bytes[..20]), Err(Unread::Garbage(_))));
    assert!(matches!(unseal(&model, &[bytes, vec![0]].concat()), Err(Unread::Garbage(_))));
}

/// Comments, layout and the name of the file do not count; an operator does.
#[test]
fn the_hash_is_that_of_the_system() {
    let hash = |name: &str, text: &str| ModelHash::of(&problem(name, text));
    let same = format!("-- a comment\n{}", COUNTER.replace("; ok =", ";\n  ok ="));
    assert_eq!(hash("a.lus", COUNTER), hash("b.lus", &same));
    assert_ne!(hash("a.lus", COUNTER), hash("a.lus", &COUNTER.replace(">= 0", "> 0")));
    assert_ne!(hash("a.aag", TOGGLE), hash("a.aag", &TOGGLE.replace("6 5 3", "6 5 2")));
    assert_ne!(hash("a.vmt", MAPS), hash("a.vmt", &MAPS.replace("(x k) 1", "(x k) 2")));
}

/// Whatever the bytes: an error, or something that fits the system. Never a panic, never more memory than bytes.
#[test]
fn garbage_is_refused() {
    let (system, counter, model) = (bits(), words(), maps());
    let hash = ModelHash::of(&problem("toggle.aag", TOGGLE));
    let trace =
        Trace { property: PropertyId::new(0), initial: vec![Ternary::X], inputs: vec![vec![Ternary::X]] };
    let bodies = [
        Packed::Proved(counter.pack_proof(&word_proof(&counter))),
        Packed::Proved(model.pack_proof(&map_proof(&model))),
        Packed::Evidence {
            engine: "bmc".to_string(),
            evidence: PackedEvidence::Trace(system.pack_trace(&trace)),
        },
        Packed::Excluded { property: 0, cube: vec![4, 9] },
    ];
    let mut rng = Rng::new(7);
    for round in 0..20_000 {
        let mut bytes = seal(&hash, &bodies[round % bodies.len()]);
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len());
            match rng.below(3) {
                0 => bytes[at] = rng.below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, rng.below(256) as u8),
            }
        }
        let Ok((_, body)) = open(&bytes) else { continue };
        let _ = unpack_fact(&*system, body.clone());
        let _ = unpack_fact(&*counter, body.clone());
        let _ = unpack_fact(&*model, body.clone());
        if let Packed::Evidence { evidence: PackedEvidence::Trace(trace), .. } = body {
            let _ = system.unpack_trace(trace.clone());
            let _ = counter.unpack_trace(trace);
        }
    }
    let claims_much =
        [&seal(&hash, &Packed::Candidates(Vec::new()))[..36], &[6, 255, 255, 255, 255, 15]].concat();
    assert!(matches!(open(&claims_much), Err(Unread::Garbage(_))));
}
