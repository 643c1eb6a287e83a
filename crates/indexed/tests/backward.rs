//! Backward reachability of systems of processes: proofs are accepted and broken ones are not, and on random
//! systems the verdicts are those of finite instances.

mod support;

use buttress_check::{Refusal, certify_indexed_proof, certify_indexed_trace};
use buttress_indexed::backward::dropping::{self, Dropping, Event};
use buttress_indexed::backward::finite::Finite;
use buttress_indexed::backward::oracle::Oracle;
use buttress_indexed::backward::{Answer, decide};
use buttress_indexed::problem::Problem;
use buttress_solve::Stop;
use buttress_solve::smt::{Config, Session, Theory};
use buttress_system::indexed::{Indexed, IndexedProof};
use buttress_system::{PropertyId, Rng};
use buttress_term::{Op, Sort, TermId};
use rustc_hash::FxHashMap;
use support::config;

const EXCLUSION: &str = "type place = Out | In
array A[proc] : place
var Busy : bool
init (z) { A[z] = Out && Busy = False }
unsafe (x y) { A[x] = In && A[y] = In }
transition enter (x)
requires { A[x] = Out && Busy = False }
{ A[x] := In; Busy := True }
transition leave (x)
requires { A[x] = In }
{ A[x] := Out; Busy := False }
";

fn read(text: &str) -> Indexed {
    buttress_format::cubicle::read(text).unwrap_or_else(|d| panic!("{}\n{text}", d.render("m.cub")))
}

fn answer(model: &Indexed, config: &Config) -> Answer {
    let mut answers = Vec::new();
    let mut tell = |_, answer, _| answers.push(answer);
    decide(model, &[PropertyId::new(0)], config, &Stop::new(), &mut tell)
        .expect("processes")
        .expect("an end");
    answers.pop().expect("an answer")
}

fn check(model: &Indexed, proof: IndexedProof, config: &Config) -> Result<(), Refusal> {
    let theory = Theory { enumerations_in_arrays: false, ..Theory::of(&model.system.terms) };
    certify_indexed_proof(model, proof, &mut || Session::new(config, theory, &Stop::new())).map(drop)
}

#[test]
fn a_proof_is_accepted_and_a_broken_one_is_not() {
    let Some(config) = config() else { return };
    let model = read(EXCLUSION);
    let Answer::Proved(proof) = answer(&model, &config) else { panic!("it is safe") };
    assert!(proof.clauses.len() > 1, "it needs a lemma");
    check(&model, proof.clone(), &config).expect("accepted");
    let rejected = |broken: IndexedProof, what: &str| {
        let refused = check(&model, broken, &config);
        assert!(matches!(refused, Err(Refusal::Rejected(_))), "{what}: {refused:?}");
    };
    rejected(IndexedProof { step: Vec::new(), ..proof.clone() }, "no instances for the step");
    rejected(IndexedProof { implies: Vec::new(), ..proof.clone() }, "no instances for the goal");
    let mut own = proof.clone();
    own.indices[0] = model.processes.as_ref().expect("processes").size;
    rejected(own, "an index symbol that is a state");
    let mut beyond = proof.clone();
    beyond.step[0].clause = proof.clauses.len();
    rejected(beyond, "a clause that is not there");
    for clause in 0..proof.clauses.len() {
        let mut weaker = proof.clone();
        weaker.clauses.remove(clause);
        weaker.step.retain(|u| u.clause != clause);
        weaker.implies.retain(|u| u.clause != clause);
        for used in weaker.step.iter_mut().chain(&mut weaker.implies).filter(|u| u.clause > clause) {
            used.clause -= 1;
        }
        rejected(weaker, "without a clause");
    }
}

/// Instances have at most four processes. What is said of five is not excluded by that, and what is said of none
/// is not either where five are around.
#[test]
fn instances_say_nothing_about_more_processes_than_they_have() {
    let model = read(EXCLUSION);
    let problem = Problem::new(&model);
    let mut terms = problem.terms.clone();
    let state = |name: &str| model.system.states.iter().find(|s| &*s.label.name == name).unwrap().variable;
    let five: Vec<TermId> = (0..5).map(|i| terms.variable(format!("z{i}"), Sort::Int)).collect();
    let place = terms.sort(state("A")).as_array().unwrap().element.clone();
    let inside = terms.enum_constant(&place, 1);
    let mut is_in = |process: TermId| {
        let at = terms.app(Op::Select, &[state("A"), process]);
        terms.eq(at, inside)
    };
    let all: Vec<TermId> = five.iter().map(|&z| is_in(z)).collect();
    let mut oracle = Oracle::new(&problem, &|| false);
    assert!(!oracle.excludes(&terms, &[state("Busy")], &five));
    assert!(!oracle.excludes(&terms, &all, &five));
    assert!(!oracle.excludes(&terms, &all[..1], &five));
    assert!(oracle.excludes(&terms, &all[..2], &five));
}

/// A random system of three places and a flag.
fn random(rng: &mut Rng) -> String {
    let place = |rng: &mut Rng| ["P", "Q", "R"][rng.below(3)];
    let truth = |rng: &mut Rng| ["True", "False"][rng.below(2)];
    let mut text = String::from(
        "type t = P | Q | R\narray A[proc] : t\nvar F : bool\nvar H : proc\ninit (z) { A[z] = P && F = False }\n",
    );
    text += &match rng.below(3) {
        0 => "unsafe (x) { A[x] = R && F = True }\n".to_string(),
        1 => format!("unsafe (x y) {{ A[x] = {} && A[y] = R && x < y }}\n", place(rng)),
        _ => "unsafe (x y) { A[x] = R && A[y] = R && H = x }\n".to_string(),
    };
    for number in 0..2 + rng.below(3) {
        let two = rng.below(3) == 0;
        let parameters = if two { "x y" } else { "x" };
        let mut guard = format!("A[x] = {}", place(rng));
        guard += &match rng.below(4) {
            0 => format!(" && F = {}", truth(rng)),
            1 => " && H = x".to_string(),
            2 if two => format!(" && A[y] <> {} && y < x", place(rng)),
            _ => String::new(),
        };
        if rng.below(3) == 0 {
            guard += &format!(" && forall_other z. A[z] <> {}", place(rng));
        }
        let mut updates = match rng.below(3) {
            0 => format!("A[x] := {}", place(rng)),
            1 => format!("A[j] := case | j = x : {} | j < x : {} | _ : A[j]", place(rng), place(rng)),
            _ => format!("A[j] := case | j = x : {} | F = True : {} | _ : A[j]", place(rng), place(rng)),
        };
        updates += &match rng.below(4) {
            0 => format!("; F := {}", truth(rng)),
            1 => "; H := x".to_string(),
            2 => "; H := .".to_string(),
            _ => String::new(),
        };
        text += &format!("transition t{number} ({parameters})\nrequires {{ {guard} }}\n{{ {updates} }}\n");
    }
    text
}

/// Whether the instance of a size violates the property, all its states seen.
fn violates(model: &Indexed, size: usize) -> bool {
    let problem = Problem::new(model);
    let mut finite = Finite::new(&problem, size).expect("a finite instance");
    finite.explore(usize::MAX, &|| false);
    let bad = model.system.property(PropertyId::new(0)).bad;
    let places: Vec<FxHashMap<_, _>> = match model.indices.as_slice() {
        [] => vec![FxHashMap::default()],
        &[x] => (0..size as i64).map(|i| [(x, i)].into_iter().collect()).collect(),
        &[x, y, ..] => (0..size as i64)
            .flat_map(|i| (0..size as i64).map(move |j| [(x, i), (y, j)].into_iter().collect()))
            .collect(),
    };
    places.iter().any(|places| {
        let (program, result) = finite.program(&problem.terms, bad, places).expect("a program");
        let mut results = Vec::new();
        finite.states.iter().any(|row| {
            program.run(row, &mut results);
            results[result as usize] != 0
        })
    })
}

/// Some process has it while Given holds, which no universal formula says.
const SOMEBODY: &str = include_str!("../../../tests/golden/cubicle/somebody.cub");

/// An execution of three steps at most with processes that drop out.
fn drops(model: &Indexed) -> Option<Dropping> {
    let problem = Problem::new(model);
    let all: Vec<usize> = (0..problem.steps.len()).collect();
    (0..=3).find_map(|length| {
        let steps = vec![all.clone(); length];
        dropping::violation(&problem, 3, &steps, PropertyId::new(0), &Stop::new()).expect("nobody stops it")
    })
}

#[test]
fn an_execution_with_drop_outs_is_no_violation() {
    let Some(config) = config() else { return };
    let model = read(SOMEBODY);
    let Some(Dropping { size: 2, events }) = drops(&model) else { panic!("it needs two processes") };
    let [Event::Step(_, gets), Event::Out(out), Event::Step(_, looks)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert!(*gets == [*out] && *looks == [1 - out], "{events:?}");
    (1..=4).for_each(|size| assert!(!violates(&model, size), "it is safe"));
    let Answer::Open(why) = answer(&model, &config) else { panic!("neither proved nor violated") };
    assert!(why.contains("no universally quantified invariant"), "{why}");
}

/// A process that a scalar names cannot drop out: "Given and Who = z, so Has[z]" is an invariant, found or not.
#[test]
fn who_is_named_does_not_drop_out() {
    let Some(config) = config() else { return };
    let named = SOMEBODY
        .replace("var Lost", "var Who : proc\nvar Lost")
        .replace("Given := True }", "Given := True; Who := x }");
    assert_ne!(named, SOMEBODY);
    let model = read(&named);
    assert_eq!(drops(&model), None);
    if let Answer::Open(why) = answer(&model, &config) {
        assert!(!why.contains("no universally quantified invariant"), "{why}");
    }
}

#[test]
fn random_systems_are_decided_as_their_instances_are() {
    let Some(config) = config() else { return };
    let mut rng = Rng::new(7);
    let (mut proved, mut violated, mut dropped) = (0, 0, 0);
    for _ in 0..60 {
        let text = random(&mut rng);
        let model = read(&text);
        model.validate().expect("it fits together");
        match answer(&model, &config) {
            Answer::Proved(proof) => {
                proved += 1;
                check(&model, proof, &config).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
                (1..=4).for_each(|size| assert!(!violates(&model, size), "size {size} of\n{text}"));
                // It is universal, so it holds where processes drop out.
                assert_eq!(drops(&model), None, "{text}");
            }
            Answer::Violated(trace) => {
                violated += 1;
                let theory = Theory { enumerations_in_arrays: false, ..Theory::of(&model.system.terms) };
                let mut session = || Session::new(&config, theory, &Stop::new());
                certify_indexed_trace(&model, trace, &mut session)
                    .unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            }
            Answer::Open(why) => dropped += usize::from(why.contains("drop out")),
        }
    }
    assert!(proved > 5 && violated > 5, "{proved} proved, {violated} violated, {dropped} with drop-outs");
}
