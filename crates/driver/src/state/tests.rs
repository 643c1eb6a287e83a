use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use buttress_solve::Stop;
use buttress_solve::smt::Config;

use super::log::Log;
use super::*;
use crate::codec::PackedTrace;
use crate::{Answers, Choice, ClaimId, Detail, Report, exit, parse, run};

/// Three latches that take turns: that two are never set together needs the same of the others.
const TURNS: &str = "aag 4 0 3 0 1 1\n2 6 1\n4 2\n6 4\n8\n8 2 4\nl0 a\nl1 b\nl2 c\nb0 both\n";

/// A directory that goes when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("buttress-state-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&path));
        std::fs::create_dir_all(&path).expect("a directory");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn problem(name: &str, text: &str) -> Arc<Problem> {
    Arc::new(parse(Path::new(name), text).expect("a model"))
}

/// Decides all with a state.
fn check(problem: &Arc<Problem>, state: &State) -> Report {
    let claims: Vec<ClaimId> = problem.claim_ids().collect();
    let follow = crate::Follow { clauses: true, ..crate::Follow::default() };
    let lemmas = state.lemmas(problem);
    let choice = Choice { smt: Config::new(Vec::new()), follow, lemmas, ..Choice::default() };
    let plan = choice.plan(problem, &claims).expect("a plan");
    let answers = Mutex::new(Answers::new(problem, &claims, &plan, Instant::now()));
    let absorb = |event| answers.lock().expect("no holder panics").absorb(event);
    run(problem, &claims, &plan, &[state], &Stop::new(), &absorb);
    let mut answers = answers.into_inner().expect("no holder panics");
    answers.close(None);
    answers.report(Detail::Everything)
}

fn path_of(scratch: &Scratch, problem: &Problem) -> PathBuf {
    scratch.0.join(format!("{}.log", ModelHash::of(problem)))
}

#[test]
fn a_verdict_is_there_again() {
    let scratch = Scratch::new("again");
    let turns = problem("turns.aag", TURNS);
    let first = check(&turns, &State::open(&scratch.0, &turns).0);
    assert_eq!((first.exit_code, first.recalled.is_some()), (exit::PROVED, false), "{first:?}");
    let length = std::fs::metadata(path_of(&scratch, &turns)).expect("a log").len();
    let second = check(&turns, &State::open(&scratch.0, &turns).0);
    let recalled = second.recalled.expect("a count");
    assert_eq!((second.exit_code, recalled.used, recalled.given), (exit::PROVED, 1, 1), "{second:?}");
    // Nothing is new, and nothing is written.
    assert_eq!(std::fs::metadata(path_of(&scratch, &turns)).expect("a log").len(), length);
}

/// Whatever is cut off, wherever: the next run reads the rest, and ends with the same verdict.
#[test]
fn a_log_may_end_anywhere() {
    let scratch = Scratch::new("torn");
    let turns = problem("turns.aag", TURNS);
    check(&turns, &State::open(&scratch.0, &turns).0);
    let path = path_of(&scratch, &turns);
    let whole = std::fs::read(&path).expect("a log");
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).expect("written");
        let (_, records, cut) = Log::open(&path).expect("a log");
        assert!(records.len() <= log::read(&path).expect("a log").len());
        assert_eq!(std::fs::metadata(&path).expect("a log").len() + cut, length as u64);
        if length % 64 == 0 {
            let report = check(&turns, &State::open(&scratch.0, &turns).0);
            assert_eq!(report.exit_code, exit::PROVED, "{length}");
        }
    }
    // A byte that turned ends what is read.
    std::fs::write(&path, &whole).expect("written");
    let records = log::read(&path).expect("a log").len();
    for at in (0..whole.len()).step_by(31) {
        let mut turned = whole.clone();
        turned[at] ^= 0x20;
        std::fs::write(&path, &turned).expect("written");
        assert!(log::read(&path).expect("a log").len() < records, "{at}");
        let report = check(&turns, &State::open(&scratch.0, &turns).0);
        assert_eq!((report.exit_code, report.errors.len()), (exit::PROVED, 0), "{at}");
    }
}

/// Two logs of one file, one of which leaves a torn record: what the other writes after that is read.
#[test]
fn two_may_write() {
    let scratch = Scratch::new("two");
    let path = scratch.0.join("a.log");
    let (mut one, _, _) = Log::open(&path).expect("a log");
    let (mut other, _, _) = Log::open(&path).expect("a log");
    one.append(b"first").expect("written");
    other.append(b"second").expect("written");
    let mut torn = std::fs::OpenOptions::new().append(true).open(&path).expect("a file");
    std::io::Write::write_all(&mut torn, &[9, 0, 0, 0, 1, 2, 3]).expect("written");
    one.append(b"third").expect("written");
    let all = [b"first".to_vec(), b"second".to_vec(), b"third".to_vec()];
    assert_eq!(log::read(&path).expect("a log"), all);
    assert_eq!(log::first(&path).expect("a log"), Some(b"first".to_vec()));
}

/// Evidence that is false, and lemmas that do not hold, decide nothing; depths are not believed.
#[test]
fn a_state_that_lies_costs_nothing() {
    let scratch = Scratch::new("lies");
    // Two are set at the start.
    let wrong = problem("turns.aag", &TURNS.replace("\n4 2\n", "\n4 2 1\n"));
    let path = path_of(&scratch, &wrong);
    let (mut log, _, _) = Log::open(&path).expect("a log");
    log.append(&LogHead::of(&wrong).bytes()).expect("written");
    let bits = |properties: Vec<u32>, clauses: Vec<Vec<u32>>| PackedProof::Bits {
        properties,
        k: 1,
        distinct: None,
        clauses,
    };
    let engine = "ic3".to_string();
    let proof = PackedEvidence::Proof(bits(vec![0], vec![vec![3, 5]]));
    let trace = PackedTrace::Bits { property: 0, initial: vec![0, 1, 1], inputs: vec![vec![]] };
    for body in [
        Packed::Evidence { engine: engine.clone(), evidence: proof },
        Packed::Proved(bits(Vec::new(), vec![vec![5]])),
        Packed::Candidates(vec![vec![5], vec![3], vec![900]]),
        Packed::HoldsUpTo { property: 0, steps: 1_000_000 },
        Packed::Evidence { engine, evidence: PackedEvidence::Trace(trace) },
    ] {
        log.append(&seal(&ModelHash::of(&wrong), &body)).expect("written");
    }
    log.append(b"no message at all").expect("written");
    let (state, notes) = State::open(&scratch.0, &wrong);
    assert!(notes.iter().any(|note| note.contains("up to step 1000000")), "{notes:?}");
    let report = check(&wrong, &state);
    assert_eq!((report.exit_code, report.errors.len()), (exit::FALSIFIED, 0), "{report:?}");
    assert_eq!(report.recalled.map(|r| (r.used, r.given)), Some((0, 1)));
    // What was found instead is what the next run begins with.
    let report = check(&wrong, &State::open(&scratch.0, &wrong).0);
    assert_eq!(report.recalled.map(|r| (r.used, r.given)), Some((1, 1)), "{report:?}");
}

/// An edited model takes what still holds, by its names.
#[test]
fn an_edited_model_takes_what_still_holds() {
    let scratch = Scratch::new("edited");
    let file = scratch.0.join("model.aag");
    let named = |text: &str| {
        std::fs::write(&file, text).expect("written");
        Arc::new(parse(&file, text).expect("a model"))
    };
    let turns = named(TURNS);
    check(&turns, &State::open(&scratch.0, &turns).0);
    // The latches in another order, and one more before them.
    let edited =
        named("aag 5 0 4 0 1 1\n2 2\n4 6\n6 8 1\n8 4\n10\n10 6 4\nl0 new\nl1 b\nl2 a\nl3 c\nb0 both\n");
    let (state, notes) = State::open(&scratch.0, &edited);
    assert!(notes.iter().any(|note| note.contains("the model was edited")), "{notes:?}");
    let report = check(&edited, &state);
    assert_eq!(report.exit_code, exit::PROVED, "{report:?}");
    assert_eq!(report.recalled.map(|r| (r.used, r.given)), Some((1, 1)));
    // It has a log of its own now.
    let (state, notes) = State::open(&scratch.0, &edited);
    assert!(notes.iter().all(|note| !note.contains("edited")), "{notes:?}");
    assert_eq!(check(&edited, &state).recalled.map(|r| (r.used, r.given)), Some((1, 1)));
}

/// Clauses go to the places that the latches of these names have now; what speaks of one that is gone is left out.
#[test]
fn clauses_go_by_names() {
    let before = problem("turns.aag", TURNS);
    let after = problem(
        "turns.aag",
        "aag 5 1 3 0 1 1\n2\n4 8\n6 4\n8 6 1\n10\n10 8 6\nl0 b\nl1 new\nl2 a\nb0 both\n",
    );
    let renaming = LogHead::of(&before).renaming(&LogHead::of(&after));
    // not a or not b; not a or not c
    let renamed = renaming.message(Packed::Candidates(vec![vec![3, 5], vec![3, 7]]));
    assert_eq!(renamed, Some(Packed::Candidates(vec![vec![9, 5]])));
}

/// No room on the disk is said, and costs nothing else.
#[test]
fn a_full_disk_is_said() {
    let scratch = Scratch::new("full");
    let turns = problem("turns.aag", TURNS);
    if std::os::unix::fs::symlink("/dev/full", path_of(&scratch, &turns)).is_err() {
        return;
    }
    let report = check(&turns, &State::open(&scratch.0, &turns).0);
    assert_eq!(report.exit_code, exit::PROVED, "{report:?}");
    assert!(report.warnings.iter().any(|w| w.contains("is not kept")), "{:?}", report.warnings);
}
