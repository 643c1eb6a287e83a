//! Lanes side by side: one whose evidence is rejected is dropped and named, the others go on; mixed lanes share a
//! board; an answer that was accepted is never lost.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use buttress_driver::report::Outcome;
use buttress_driver::{Answers, Choice, Detail, Lane, Plan, Problem, Through, check, exit, parse};
use buttress_engine::{Engine, Job, Run};
use buttress_solve::smt::Config;
use buttress_solve::{Stop, Stopped};
use buttress_system::{Proof, Ternary, Trace, Verdict};

/// Calls everything proved.
fn lie(job: &Job<'_>) -> Result<(), Stopped> {
    for &property in &job.properties {
        job.desk.decide(property, Verdict::Safe(Proof::inductive(property, Vec::new())));
    }
    Ok(())
}

/// Set when the liar has spoken, and when the failing one is about to fail. Who waits for it makes the order of
/// two lanes certain.
static SPOKEN: OnceLock<()> = OnceLock::new();
static FAILS: OnceLock<()> = OnceLock::new();

/// Calls everything proved, and lets the one who waits for it know.
fn lie_first(job: &Job<'_>) -> Result<(), Stopped> {
    lie(job)?;
    SPOKEN.get_or_init(|| ());
    Ok(())
}

/// Tells the truth about a latch that is set after one step, once the liar has spoken.
fn find_later(job: &Job<'_>) -> Result<(), Stopped> {
    SPOKEN.wait();
    find(job)
}

/// The same once the other lane is about to fail.
fn find_after_a_failure(job: &Job<'_>) -> Result<(), Stopped> {
    FAILS.wait();
    find(job)
}

fn find(job: &Job<'_>) -> Result<(), Stopped> {
    let property = job.properties[0];
    let inputs = vec![vec![Ternary::Zero; job.system.num_inputs()]; 2];
    let initial = vec![Ternary::Zero; job.system.num_latches()];
    job.desk.decide(property, Verdict::Unsafe(Trace { property, initial, inputs }));
    Ok(())
}

/// Goes round a bit that flips, and back to where it began: the state is kept at once, and comes again after two
/// steps.
fn go_round(job: &Job<'_>) -> Result<(), Stopped> {
    let property = job.properties[0];
    let mut inputs = vec![vec![Ternary::Zero; job.system.num_inputs()]; 3];
    // The monitor's own input is the last, and the only one.
    inputs[0] = vec![Ternary::One; job.system.num_inputs()];
    let initial = vec![Ternary::Zero; job.system.num_latches()];
    job.desk.decide(property, Verdict::Unsafe(Trace { property, initial, inputs }));
    Ok(())
}

/// How long the deaf one would go on.
const PATIENCE: Duration = Duration::from_secs(60);

/// Hears of no verdict: only a stop ends it.
fn go_on(job: &Job<'_>) -> Result<(), Stopped> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        job.stop.check()?;
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn fail(_: &Job<'_>) -> Result<(), Stopped> {
    FAILS.get_or_init(|| ());
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
        bits: Some(Run::Alone(run)),
        words: None,
        maps: None,
        live: None,
        trees: None,
    }
}

static LIAR: Engine = row("liar", "the liar", lie);
static EARLY_LIAR: Engine = row("liar", "the liar", lie_first);
static LATE: Engine = row("late", "the late one", find_later);
static AFTER_A_FAILURE: Engine = row("after", "the one after a failure", find_after_a_failure);
static ROUND: Engine = row("round", "the one that goes round", go_round);
static DEAF: Engine = row("deaf", "the deaf one", go_on);
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
    let report = answers(&problem, &plan(&problem, &[&EARLY_LIAR, &LATE])).report(Detail::Everything);
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
    let report = answers(&problem, &plan(&problem, &[&FAILING, &AFTER_A_FAILURE])).report(Detail::Everything);
    assert!(matches!(report.properties[0].outcome, Outcome::Falsified(_)));
    assert_eq!((report.exit_code, report.errors.len()), (exit::FALSIFIED, 1));
}

/// What is proved is decided for all lanes: one that hears nothing and would search for ever ends, too.
#[test]
fn a_verdict_ends_the_other_lanes() {
    let problem = problem("safe.aag", "aag 2 0 2 0 0 1\n2 2\n4 5\n2\n");
    let begin = Instant::now();
    let report = answers(&problem, &plan(&problem, &[&DEAF, engine("ic3")])).report(Detail::Verdicts);
    assert!(matches!(report.properties[0].outcome, Outcome::Proved(_)));
    assert!(begin.elapsed() < PATIENCE, "it went on until it lost its patience");
}

/// A lasso that was replayed decides a justice property, and its report says where it goes back to.
#[test]
fn a_lasso_is_evidence() {
    let problem = problem("flip.aag", "aag 1 0 1 0 0 0 0 1\n2 3\n1\n2\n");
    let report = answers(&problem, &plan(&problem, &[&ROUND])).report(Detail::Everything);
    let live = report.properties.iter().find(|f| f.position == "j0").expect("a justice property");
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

/// Processes are other maps than those of a file that gives predicates, and have other engines.
#[test]
fn engines_on_maps_go_by_what_the_maps_are() {
    let engines = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
        let problem = buttress_driver::load(buttress_driver::Input::of(&path)).expect("a model");
        let claims: Vec<_> = problem.claim_ids().collect();
        let engines = Choice::default().engines(&problem, &claims).expect("they run on maps");
        engines.iter().map(|engine| engine.name).collect::<Vec<_>>()
    };
    assert_eq!(engines("tests/golden/cubicle/exclusion.cub"), ["backward", "bmc"]);
    assert_eq!(engines("examples/indexed/running.vmt"), ["indexed", "bmc"]);
}
