//! Lanes side by side: one whose evidence is rejected is dropped and named, the others go on; mixed lanes share a
//! board; an answer that was accepted is never lost.

use std::path::Path;
use std::sync::Arc;

use buttress_driver::report::Outcome;
use buttress_driver::{Answers, Choice, Detail, Lane, Plan, Problem, Through, check, exit, parse};
use buttress_engine::{Engine, Job, Run};
use buttress_solve::smt::Config;
use buttress_solve::{Stop, Stopped};
use buttress_system::{Lasso, Proof, Ternary, Trace, Verdict};

/// Calls everything proved.
fn lie(job: &Job<'_>) -> Result<(), Stopped> {
    for &property in &job.properties {
        job.desk.decide(property, Verdict::Safe(Proof::inductive(property, Vec::new())));
    }
    Ok(())
}

/// Goes round a bit that flips, and says that it is set again and again; with a wrong step to go back to, first.
fn go_round(job: &Job<'_>) -> Result<(), Stopped> {
    let property = job.properties[0];
    let inputs = vec![vec![Ternary::Zero; job.system.num_inputs()]; 2];
    let trace = Trace { property, initial: vec![Ternary::Zero; job.system.num_latches()], inputs };
    job.desk.decide(property, Verdict::Unfair(Lasso { justice: 0, trace, back: 0 }));
    Ok(())
}

fn fail(_: &Job<'_>) -> Result<(), Stopped> {
    panic!("an engine that fails")
}

const fn row(name: &'static str, title: &'static str, run: fn(&Job<'_>) -> Result<(), Stopped>) -> Engine {
    Engine {
        name,
        title,
        paper: "",
        measure: "",
        unit: "",
        several: false,
        whole_states: false,
        bits: Some(Run::Symbolic(run)),
        words: None,
        maps: None,
    }
}

static LIAR: Engine = row("liar", "the liar", lie);
static ROUND: Engine = row("round", "the one that goes round", go_round);
static FAILING: Engine = row("failing", "the failing one", fail);

fn problem(name: &str, text: &str) -> Arc<Problem> {
    Arc::new(parse(Path::new(name), text).expect("a model"))
}

/// A latch that is set after one step.
fn violated() -> Arc<Problem> {
    problem("one.aag", "aag 1 0 1 0 0 1\n2 1\n2\n")
}

fn plan(problem: &Problem, engines: &[&'static Engine]) -> Plan {
    let choice = Choice { smt: Config::new(Vec::new()), engines: engines.to_vec(), ..Choice::default() };
    let claims: Vec<_> = problem.claim_ids().collect();
    choice.plan(problem, &claims).expect("engines on bits")
}

fn engine(name: &str) -> &'static Engine {
    Engine::by_name(name).expect("a row of the table")
}

fn answers(problem: &Arc<Problem>, plan: &Plan) -> Answers {
    let claims: Vec<_> = problem.claim_ids().collect();
    check(problem, &claims, plan, &Stop::new())
}

#[test]
fn a_lane_that_lies_is_named_and_the_others_go_on() {
    let problem = violated();
    let report = answers(&problem, &plan(&problem, &[&LIAR, engine("bmc")])).report(Detail::Everything);
    let finding = &report.properties[0];
    assert!(matches!(finding.outcome, Outcome::Falsified(_)), "{finding:?}");
    assert_eq!(report.exit_code, exit::FALSIFIED);
    assert_eq!(finding.rejected.iter().map(|said| said.engine).collect::<Vec<_>>(), ["liar"]);
    assert!(
        report.errors[0].contains("evidence from the liar") && report.errors[0].contains("please report it")
    );
}

#[test]
fn where_nothing_else_decides_a_lie_is_an_error() {
    let problem = violated();
    let report = answers(&problem, &plan(&problem, &[&LIAR])).report(Detail::Everything);
    assert!(matches!(report.properties[0].outcome, Outcome::Error { engine: "liar", .. }));
    assert_eq!(report.exit_code, exit::FAULT);
}

#[test]
fn a_lane_that_panics_does_not_take_the_others_along() {
    let problem = violated();
    let report = answers(&problem, &plan(&problem, &[&FAILING, engine("bmc")])).report(Detail::Everything);
    assert!(matches!(report.properties[0].outcome, Outcome::Falsified(_)));
    assert_eq!((report.exit_code, report.errors.len()), (exit::FALSIFIED, 1));
}

/// A lasso that was replayed decides a justice property, and its report says where it goes back to.
#[test]
fn a_lasso_is_evidence() {
    let problem = problem("flip.aag", "aag 1 0 1 0 0 1 0 1\n2 3\n0\n1\n2\n");
    let report = answers(&problem, &plan(&problem, &[&ROUND])).report(Detail::Everything);
    let live = report.properties.iter().find(|f| f.position == "j0").expect("a justice property");
    // The latch that nobody reads but the justice property is not in the cone of any property.
    match &live.outcome {
        Outcome::Falsified(violated) => assert_eq!(violated.back_to_step, Some(0)),
        other => panic!("{other:?}: {:?}", report.errors),
    }
}

/// Two lanes of one engine with other settings, one of them behind merged signals.
#[test]
fn two_lanes_of_one_engine_run_side_by_side() {
    let problem = violated();
    let mut plan = plan(&problem, &[engine("ic3")]);
    let other = Lane { through: Through::Bits, seed: 7, ..plan.lanes[0].clone() };
    plan.lanes.push(other);
    assert!(matches!(
        answers(&problem, &plan).report(Detail::Verdicts).properties[0].outcome,
        Outcome::Falsified(_)
    ));
}

/// One lane on bits, one on words: the board speaks of words, and evidence of both is checked on the integers.
#[test]
fn lanes_on_bits_and_on_words_share_a_board() {
    let smt = Config::new(buttress_solve::smt::find(&buttress_solve::smt::directories()));
    if smt.solvers.is_empty() {
        println!("skipped: no SMT solver");
        return;
    }
    let text = "node main(a: bool) returns (x: subrange [-3, 3] of int; low, ok: bool);
        let x = 0 -> if a and pre x < 3 then pre x + 1 else -3; low = x < 3; ok = x >= -3;
        --%PROPERTY low; --%PROPERTY ok;
        tel";
    let problem = problem("mixed.lus", text);
    let claims: Vec<_> = problem.claim_ids().collect();
    let in_bits = Choice { engines: vec![engine("bmc")], ..Choice::default() };
    let in_words =
        Choice { engines: vec![engine("kind"), engine("ic3")], in_words: true, ..Choice::default() };
    let mut plan = in_bits.plan(&problem, &claims).expect("a plan");
    plan.lanes.extend(in_words.plan(&problem, &claims).expect("a plan").lanes);
    let report = answers(&problem, &plan).report(Detail::Everything);
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    let falsified = |f: &&buttress_driver::report::Finding| matches!(f.outcome, Outcome::Falsified(_));
    let names: Vec<&str> = report.properties.iter().filter(falsified).map(|f| &f.name[..]).collect();
    assert_eq!((names, report.exit_code), (vec!["low"], exit::FALSIFIED), "{report:?}");
    assert!(report.properties.iter().all(|f| !matches!(f.outcome, Outcome::Undecided(_))), "{report:?}");
}

/// Whatever was accepted is in the report, however many other events there are.
#[test]
fn a_report_is_data() {
    let problem = violated();
    let report = answers(&problem, &plan(&problem, &[engine("bmc")])).report(Detail::Everything);
    let json = serde_json::to_value(&report).expect("a report is data");
    assert_eq!(json["properties"][0]["verdict"], "falsified");
    assert_eq!(json["properties"][0]["trace"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["exit_code"], 10);
}
