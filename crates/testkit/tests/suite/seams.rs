//! The seams of the driver: engines that lie or fail among honest ones, limits, second opinions.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use buttress_driver::report::Outcome;
use buttress_driver::supervise::{Clock, Limits, supervise, within};
use buttress_driver::{
    Answers, Choice, Detail, Event, Judge, Judged, Kind, Lane, Plan, Problem, Report, check, exit,
};
use buttress_engine::{Engine, Job, Run};
use buttress_lustre::replay::Replayer;
use buttress_solve::smt::Config;
use buttress_solve::{Stop, Stopped};
use buttress_system::words::{System, WordTrace};
use buttress_system::{BitSystem, Clause, Proof, PropertyId, Ternary, Trace, Verdict};
use buttress_term::Value;
use buttress_testkit::Draft;
use buttress_testkit::drive::{choice, problem};

/// A latch that takes over its input: the property, that it is never set, is violated in step 1.
fn violated() -> Arc<BitSystem> {
    let mut draft = Draft::new(1, 1);
    let input = draft.input(0);
    draft.set_next(0, input);
    draft.bads = vec![draft.latch(0)];
    Arc::new(draft.build())
}

fn first() -> PropertyId {
    PropertyId::new(0)
}

fn true_trace() -> Trace {
    let row = |value| vec![value];
    Trace {
        property: first(),
        initial: vec![Ternary::Zero],
        inputs: vec![row(Ternary::One), row(Ternary::Zero)],
    }
}

fn false_proof(properties: Vec<PropertyId>, invariant: Vec<Clause>) -> Proof {
    Proof { properties, k: 1, distinct: None, invariant }
}

const fn rogue(name: &'static str, run: fn(&Job<'_>) -> Result<(), Stopped>) -> Engine {
    Engine {
        name,
        title: name,
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

/// Says that the property holds; then, found out, that it does not, which is true.
static LIAR: Engine = rogue("liar", |job| {
    job.desk.decide(first(), Verdict::Safe(false_proof(vec![first()], Vec::new())));
    assert!(job.desk.is_decided(first()), "who was found out is sent home");
    job.desk.decide(first(), Verdict::Unsafe(true_trace()));
    Ok(())
});

/// Says that an invariant holds which does not.
static FLATTERER: Engine = rogue("flatterer", |job| {
    let never = Clause::new([!job.system.latch_lit(buttress_system::LatchId::new(0))]);
    assert!(!job.desk.strengthen(false_proof(Vec::new(), vec![never])));
    job.desk.decide(first(), Verdict::Unsafe(true_trace()));
    Ok(())
});

static BEGUN: AtomicBool = AtomicBool::new(false);

static PANICKER: Engine = rogue("panicker", |_| {
    BEGUN.store(true, Ordering::Release);
    panic!("a violated invariant of our own")
});

/// Says the truth, once the one that fails has begun.
static PATIENT: Engine = rogue("patient", |job| {
    while !BEGUN.load(Ordering::Acquire) {
        job.stop.check()?;
        thread::yield_now();
    }
    job.desk.decide(first(), Verdict::Unsafe(true_trace()));
    Ok(())
});

fn plan(engines: &[&'static Engine]) -> (Arc<Problem>, Plan) {
    let problem = problem(&violated());
    let claims: Vec<_> = problem.claim_ids().collect();
    let usual = choice(vec![Engine::by_name("bmc").expect("a row")]);
    let plan = usual.plan(&problem, &claims).expect("BMC runs on bits");
    let lane = |&engine: &&'static Engine| Lane { engine, ..plan.lanes[0].clone() };
    let lanes = engines.iter().map(lane).collect();
    (problem, Plan { lanes, ..plan })
}

fn report(engines: &[&'static Engine]) -> Report {
    let (problem, plan) = plan(engines);
    let claims: Vec<_> = problem.claim_ids().collect();
    check(&problem, &claims, &plan, &Stop::new()).report(Detail::Verdicts)
}

/// A lane whose evidence is rejected is dropped, whatever it says later; it is a fault, and no verdict.
#[test]
fn who_lies_once_is_not_believed_again() {
    for liar in [&LIAR, &FLATTERER] {
        let report = report(&[liar]);
        assert!(matches!(report.properties[0].outcome, Outcome::Error { .. }), "{:?}", report.properties[0]);
        assert_eq!(report.exit_code, exit::FAULT);
        assert!(report.errors[0].contains("was rejected"), "{:?}", report.errors);
    }
}

/// How far a property holds is the most that any lane said, whoever spoke last.
#[test]
fn the_deepest_bound_counts() {
    let (problem, plan) =
        plan(&[Engine::by_name("bmc").expect("a row"), Engine::by_name("kind").expect("a row")]);
    let claims: Vec<_> = problem.claim_ids().collect();
    let mut answers = Answers::new(&problem, &claims, &plan, Instant::now());
    for steps in [3, 7, 5] {
        answers.absorb(Event::HoldsUpTo { claim: claims[0], steps });
    }
    answers.close(None);
    match &answers.report(Detail::Verdicts).properties[0].outcome {
        Outcome::Undecided(open) => assert_eq!(open.no_violation_up_to_step, Some(7)),
        other => panic!("{other:?}"),
    }
}

/// The others go on, and their verdict stands beside the fault.
#[test]
fn a_rejection_does_not_hide_the_verdict_of_another() {
    let (problem, plan) = plan(&[&LIAR, Engine::by_name("bmc").expect("a row")]);
    let claims: Vec<_> = problem.claim_ids().collect();
    let mut answers = Answers::new(&problem, &claims, &plan, Instant::now());
    answers.absorb(Event::Rejected { claim: claims[0], lane: 0, why: "wrong".to_string() });
    let accepted = <BitSystem as Judged>::certify_trace(
        &Judge { system: violated(), replay: None, in_bits: true, smt: Config::new(Vec::new()) },
        true_trace(),
        &Stop::new(),
    );
    let accepted = Box::new(accepted.expect("it is a violation"));
    answers.absorb(Event::Decided { claim: claims[0], lane: 1, accepted, checking: 0.0 });
    answers.close(None);
    let report = answers.report(Detail::Verdicts);
    assert!(matches!(report.properties[0].outcome, Outcome::Falsified(_)), "{:?}", report.properties[0]);
    assert_eq!((report.exit_code, report.errors.len()), (exit::FALSIFIED, 1));
}

#[test]
fn a_panic_is_a_fault_and_nothing_else() {
    let alone = report(&[&PANICKER]);
    assert!(matches!(alone.properties[0].outcome, Outcome::Undecided(_)));
    assert_eq!(alone.exit_code, exit::FAULT);
    BEGUN.store(false, Ordering::Release);
    let beside = report(&[&PANICKER, &PATIENT]);
    assert!(matches!(beside.properties[0].outcome, Outcome::Falsified(_)));
    assert_eq!((beside.exit_code, beside.errors.len()), (exit::FALSIFIED, 1));
}

/// Messages from before the limit are heard, however slow the listener is.
#[test]
fn the_last_words_are_heard() {
    const WORDS: usize = 200;
    let limits = Limits::new(Some(Duration::from_millis(40)), None).with_grace(Duration::from_millis(40));
    let mut heard = 0;
    let ended = supervise::<usize, (), ()>(
        &limits,
        &Stop::new(),
        |_, teller| {
            (0..WORDS).for_each(|word| teller.tell(word));
            thread::sleep(Duration::from_secs(3));
        },
        &mut |_| {
            heard += 1;
            thread::sleep(Duration::from_millis(1));
            Ok(())
        },
        &mut || Ok(()),
    );
    assert_eq!((ended, heard), (Ok(None), WORDS));
}

/// A part of the work ends with the whole, for the same reason.
#[test]
fn a_stop_reaches_the_parts() {
    let stop = Stop::new();
    let (told, hears) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let seen = within(&stop, Some(Duration::from_secs(20)), |own| {
                told.send(()).expect("somebody waits");
                while !own.requested() {
                    thread::sleep(Duration::from_millis(1));
                }
                own.reason()
            });
            assert_eq!(seen, Some(Stopped::Interrupted));
        });
        hears.recv().expect("the part has begun");
        stop.request(&Stopped::Interrupted);
    });
}

/// Nothing takes less than no time, whoever comes and goes meanwhile.
#[test]
fn time_does_not_go_backwards() {
    for _ in 0..30 {
        let mut child = Command::new("sleep").arg("0.002").spawn().expect("a child");
        thread::sleep(Duration::from_millis(1));
        let clock = Clock::start();
        child.wait().expect("it ends");
        assert!(clock.spent().cpu >= 0.0);
    }
}

/// Runs of one engine that help each other search in other orders.
#[test]
fn each_run_of_an_engine_has_its_seed() {
    let problem = problem(&violated());
    let claims: Vec<_> = problem.claim_ids().collect();
    let engines = vec![Engine::by_name("fsis").expect("a row")];
    let plan = Choice { jobs: 3, seed: 7, ..choice(engines) }.plan(&problem, &claims).expect("it runs");
    assert_eq!(plan.lanes.iter().map(|lane| lane.seed).collect::<Vec<_>>(), [7, 8, 9]);
    assert_eq!(Kind::of(&problem), Kind::Bits);
}

/// A trace of words counts only where the source executes it, too.
#[test]
fn the_judge_replays_in_the_source() {
    let text =
        "node m(x: int) returns (y: int);\nvar ok: bool;\nlet y = x; ok = y < 10; --%PROPERTY ok;\ntel";
    let read = || buttress_lustre::read(text.to_string()).expect("it is right");
    let lowered = buttress_lustre::lower(&read()).expect("it can be lowered");
    let mut wrong = (*lowered.system).clone();
    wrong.properties[0].bad = wrong.terms.bool(true);
    let source = Arc::new(Replayer::new(read(), lowered.system.clone(), lowered.origins));
    let judge = |system: &System| Judge {
        system: Arc::new(system.clone()),
        replay: Some(source.clone()),
        in_bits: false,
        smt: Config::new(Vec::new()),
    };
    let start = lowered.system.states.iter().map(|s| s.init.is_none().then(|| Value::Int(0.into())));
    let trace = |x: i64| WordTrace {
        property: first(),
        initial: start.clone().collect(),
        inputs: vec![vec![Some(Value::Int(x.into()))]],
    };
    let stop = Stop::new();
    assert!(System::certify_trace(&judge(&lowered.system), trace(10), &stop).is_ok());
    assert!(System::certify_trace(&judge(&wrong), trace(9), &stop).is_err());
}
