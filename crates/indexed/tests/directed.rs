//! Predicates that are found, and the search that the property directs: what is proved is checked, what is false
//! is not proved, and what random executions reach is reached.

mod support;

use buttress_check::{Refusal, certify_indexed_proof};
use buttress_indexed::mine::{ROUNDS, Wanted, mined};
use buttress_indexed::proofs::relevant;
use buttress_indexed::{Conclusion, Discovery, Predicates, discover};
use buttress_solve::Stop;
use buttress_solve::smt::{Config, Session, Theory};
use buttress_system::PropertyId;
use buttress_system::indexed::{Indexed, IndexedProof};
use buttress_term::smtlib::Smtlib;

use support::{config, model};

const RUNNING: &str = include_str!("../../../examples/indexed/running.vmt");
const RUNNING_BUG: &str = include_str!("../../../examples/indexed/running-bug.vmt");
const SORT: &str = include_str!("../../../examples/indexed/sort.vmt");
const GERMAN: &str = include_str!("../../../examples/indexed/german.vmt");
const FEES: &str = include_str!("../../../tests/golden/indexed/fees.vmt");
const LOCK: &str = include_str!("../../../tests/golden/indexed/lock-server.vmt");

fn search(model: &Indexed, source: Predicates, config: &Config) -> Discovery {
    discover(model, PropertyId::new(0), source, config, &Stop::new(), &mut |_| {}).expect("nobody stops it")
}

fn accepted(model: &Indexed, proof: IndexedProof, config: &Config) -> bool {
    let theory = Theory { enumerations_in_arrays: false, ..Theory::of(&model.system.terms) };
    let mut session = || Session::new(config, theory, &Stop::new());
    match certify_indexed_proof(model, proof, &mut session) {
        Ok(_) => true,
        Err(Refusal::Rejected(_)) => false,
        Err(Refusal::Stopped(why)) => panic!("{why:?}"),
    }
}

#[test]
fn what_is_found_proves_and_is_checked_on_the_model_as_it_was_read() {
    let Some(config) = config() else { return };
    for text in [RUNNING, LOCK, FEES] {
        let model = model(text);
        let Conclusion::Proved(proof) = search(&model, Predicates::Found, &config).conclusion else {
            panic!("the predicates are there");
        };
        assert!(accepted(&model, proof.clone(), &config));
        // Without what its step rests on it is none.
        for clause in 0..proof.clauses.len() {
            let step = proof.step.iter().filter(|u| u.clause != clause).cloned().collect();
            let implies = proof.implies.iter().filter(|u| u.clause != clause).cloned().collect();
            assert!(!accepted(&model, IndexedProof { step, implies, ..proof.clone() }, &config));
        }
    }
}

/// Most of what is found does not matter, and a proof does not speak of it.
#[test]
fn the_vocabulary_is_a_small_part_of_what_is_found() {
    let Some(config) = config() else { return };
    let found = search(&model(SORT), Predicates::Found, &config);
    let Conclusion::Proved(proof) = found.conclusion else { panic!("the predicates are there") };
    let all = found.model.predicates.len();
    assert!(found.effort.vocabulary * 2 < all, "{} of {all}", found.effort.vocabulary);
    let cone = proof.terms.cone(proof.clauses.iter().copied());
    let said = found.model.predicates.iter().filter(|p| cone.contains(&p.term)).count();
    assert!(0 < said && said <= found.effort.vocabulary, "{said} of {}", found.effort.vocabulary);
    // With those of the file, all of them count.
    let given = search(&model(SORT), Predicates::Given, &config);
    assert_eq!(given.effort.vocabulary, given.model.predicates.len());
}

#[test]
fn what_is_false_is_not_proved() {
    let Some(config) = config() else { return };
    let no_look = LOCK.replace("(= rule grant) (not held)", "(= rule grant)");
    assert_ne!(no_look, LOCK);
    for text in [RUNNING_BUG, &no_look] {
        let found = search(&model(text), Predicates::Found, &config);
        let Conclusion::Open { values, .. } = found.conclusion else { panic!("a proof of what is false") };
        assert_eq!(values.len(), found.model.predicates.len());
    }
}

#[test]
fn given_predicates_that_are_too_weak_leave_it_open() {
    let Some(config) = config() else { return };
    assert!(matches!(search(&model(RUNNING), Predicates::Given, &config).conclusion, Conclusion::Proved(_)));
    // x >= 1 does not tell what must be told.
    let weak = RUNNING.replace("(! (>= x 0) :predicate q)", "(! (>= x 1) :predicate q)");
    assert_ne!(weak, RUNNING);
    assert!(matches!(search(&model(&weak), Predicates::Given, &config).conclusion, Conclusion::Open { .. }));
    assert!(matches!(search(&model(&weak), Predicates::Found, &config).conclusion, Conclusion::Proved(_)));
}

#[test]
fn without_predicates_nothing_is_guessed() {
    let Some(config) = config() else { return };
    let none: String =
        RUNNING.lines().filter(|l| !l.contains(":predicate")).map(|l| format!("{l}\n")).collect();
    assert_ne!(none, RUNNING);
    assert!(matches!(search(&model(&none), Predicates::Given, &config).conclusion, Conclusion::Open { .. }));
}

/// The atoms of the model do not suffice; those of a proof of two steps do, and the model has them in no round.
#[test]
fn a_proof_names_the_predicate_that_is_nowhere_in_the_model() {
    let Some(config) = config() else { return };
    let (model, property, stop) = (model(FEES), PropertyId::new(0), Stop::new());
    for wanted in ROUNDS {
        let more = mined(&model, property, wanted);
        let by_vaults = |p: &String| p.starts_with("(<= 5 (select vault");
        assert!(!predicates(&more).iter().any(by_vaults));
        if wanted.width == 1 {
            assert!(matches!(search(&more, Predicates::Given, &config).conclusion, Conclusion::Open { .. }));
        }
    }
    // The desks are one step back, the vaults two.
    let mut more = mined(&model, property, ROUNDS[0]);
    for wanted in ["(<= 2 (select desk x1))", "(<= 5 (select vault x2))"] {
        assert!(!predicates(&more).contains(&wanted.to_string()));
        more = relevant(&more, property, &config, &stop).expect("nobody stops it").expect("a proof");
        assert!(predicates(&more).contains(&wanted.to_string()));
    }
    assert!(matches!(search(&more, Predicates::Given, &config).conclusion, Conclusion::Proved(_)));
    assert!(matches!(search(&model, Predicates::Found, &config).conclusion, Conclusion::Proved(_)));
}

#[test]
fn where_there_is_a_violation_there_is_no_proof() {
    let Some(config) = config() else { return };
    let debt = FEES.replace("(lambda ((u Int)) 30)", "(lambda ((u Int)) 1)");
    assert_ne!(debt, FEES);
    let more = mined(&model(&debt), PropertyId::new(0), ROUNDS[0]);
    assert!(relevant(&more, PropertyId::new(0), &config, &Stop::new()).expect("nobody stops it").is_none());
}

fn predicates(model: &Indexed) -> Vec<String> {
    assert!(model.validate().is_ok(), "predicates read states and index symbols only");
    let smtlib = Smtlib::new(&model.system.terms);
    model.predicates.iter().map(|p| smtlib.term(p.term)).collect()
}

fn texts(wanted: Wanted, model: &Indexed) -> Vec<String> {
    predicates(&mined(model, PropertyId::new(0), wanted))
}

/// German's protocol: of the paper's 17 predicates, those that are found, with a position x1 in the queue that
/// nobody names.
#[test]
fn the_predicates_of_the_paper_are_among_those_that_are_found() {
    let model = model(GERMAN);
    let found = texts(ROUNDS[0], &model);
    for wanted in [
        "home_exclusive_granted",
        "(= home_current_command REQ_EXCLUSIVE)",
        "(< hd tl)",
        "(= hd tl)",
        "(select home_invalidate_list i)",
        "(= (select cache i) EXCLUSIVE)",
        "(= (select ch_2 i) GRANT_SHARED)",
        "(= (select ch_3 i) INVALIDATE_ACK)",
        "(< x1 hd)",
        "(< x1 tl)",
        "(= i (select q x1))",
        "(= (select hsl_pos i) x1)",
    ] {
        assert!(found.iter().any(|p| p == wanted), "{wanted} is not in {found:?}");
    }
    // Each round has what the one before has, and more.
    let rounds = ROUNDS.map(|wanted| texts(wanted, &model).len());
    assert!(rounds.windows(2).all(|pair| pair[0] <= pair[1]), "{rounds:?}");
}
