//! `cargo run -p buttress-testkit --release --bin fuzz -- --from 0 --count 100000`
//!
//! Examines the systems of these seeds on all cores. A failure prints its seed and writes the smallest system
//! that still fails as an AIGER file; a few of them end the run. With `--live`, systems with justice properties,
//! with `--ltl` and `--ctl`, with formulas of temporal logic; their failures are written as they are.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use buttress_format::aiger;
use buttress_system::{BitSystem, Rng};
use buttress_testkit::ctl::{self, CtlSummary};
use buttress_testkit::fuzz::{Summary, everyone, examine, shrink};
use buttress_testkit::live::{self, LiveSummary};
use buttress_testkit::ltl::{self, LtlSummary};
use buttress_testkit::{Draft, random};

const LIMIT: Duration = Duration::from_secs(30);
/// A failure that depends on timing is tried this often before a smaller system counts as sound.
const ATTEMPTS: usize = 3;
const FAILURES: usize = 8;

fn main() -> ExitCode {
    let Some(Arguments { from, count, about }) = arguments() else {
        eprintln!("usage: fuzz [--live | --ltl | --ctl] [--from SEED] [--count SYSTEMS]");
        return ExitCode::from(2);
    };
    match about {
        About::Safety => fuzz_safety(from, count),
        About::Liveness => fuzz_liveness(from, count),
        About::Formulas => fuzz_formulas(from, count),
        About::Trees => fuzz_trees(from, count),
    }
}

fn fuzz_safety(from: u64, count: u64) -> ExitCode {
    let start = Instant::now();
    let summary = Mutex::new(Summary::default());
    let failed = AtomicUsize::new(0);
    let next = AtomicU64::new(from);
    let work = || {
        let mut own = Summary::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= from + count || failed.load(Ordering::Relaxed) >= FAILURES {
                break;
            }
            let draft = random::draft(&mut Rng::new(seed));
            match examine(&Arc::new(draft.build()), &everyone(), LIMIT) {
                Ok(examination) => own.add(&examination),
                Err(why) => {
                    failed.fetch_add(1, Ordering::Relaxed);
                    report(seed, &why, draft);
                }
            }
        }
        summary.lock().expect("no holder panics").merge(&own);
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    println!("{}", summary.into_inner().expect("no holder panics"));
    println!("{:.1} s", start.elapsed().as_secs_f64());
    if failed.into_inner() > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Examines seeds on all cores, each thread with a summary of its own, which is printed at its end.
fn fuzz<S: Default>(
    from: u64,
    count: u64,
    examine: impl Fn(u64, &mut S) -> Result<(), String> + Sync,
    show: impl Fn(&S) -> String + Sync,
    system: impl Fn(u64) -> BitSystem + Sync,
) -> ExitCode {
    let (failed, next, start) = (AtomicUsize::new(0), AtomicU64::new(from), Instant::now());
    let work = || {
        let mut summary = S::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= from + count || failed.load(Ordering::Relaxed) >= FAILURES {
                println!("{}", show(&summary));
                return;
            }
            if let Err(why) = examine(seed, &mut summary) {
                failed.fetch_add(1, Ordering::Relaxed);
                write(seed, &system(seed), &why);
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    println!("{:.1} s", start.elapsed().as_secs_f64());
    if failed.into_inner() > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Systems with justice properties.
fn fuzz_liveness(from: u64, count: u64) -> ExitCode {
    let examine = |seed, summary: &mut LiveSummary| live::examine(seed, LIMIT, summary);
    fuzz(from, count, examine, LiveSummary::to_string, live::system)
}

/// Systems with formulas.
fn fuzz_formulas(from: u64, count: u64) -> ExitCode {
    let examine = |seed, summary: &mut LtlSummary| ltl::examine(seed, LIMIT, summary);
    fuzz(from, count, examine, |summary| format!("{summary:?}"), |seed| ltl::example(seed).0)
}

/// Systems with formulas about computation trees.
fn fuzz_trees(from: u64, count: u64) -> ExitCode {
    let examine = |seed, summary: &mut CtlSummary| ctl::examine(seed, LIMIT, summary);
    fuzz(from, count, examine, |summary| format!("{summary:?}"), |seed| ctl::example(seed).0)
}

struct Arguments {
    from: u64,
    count: u64,
    about: About,
}

#[derive(Clone, Copy)]
enum About {
    Safety,
    Liveness,
    Formulas,
    Trees,
}

fn arguments() -> Option<Arguments> {
    let mut arguments = Arguments { from: 0, count: 10_000, about: About::Safety };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|w| w.parse().ok());
        match word.as_str() {
            "--from" => arguments.from = number()?,
            "--count" => arguments.count = number()?,
            "--live" => arguments.about = About::Liveness,
            "--ltl" => arguments.about = About::Formulas,
            "--ctl" => arguments.about = About::Trees,
            _ => return None,
        }
    }
    Some(arguments)
}

fn report(seed: u64, why: &str, draft: Draft) {
    println!("seed {seed}: {why}");
    let fails = |d: &Draft| {
        let system = Arc::new(d.build());
        (0..ATTEMPTS).any(|_| examine(&system, &everyone(), LIMIT).is_err())
    };
    let small = shrink(draft, fails).build();
    let why = examine(&Arc::new(small.clone()), &everyone(), LIMIT)
        .err()
        .unwrap_or_else(|| "not every time".to_string());
    write(seed, &small, &why);
}

fn write(seed: u64, system: &BitSystem, why: &str) {
    let path = format!("fuzz-{seed}.aag");
    let comments = [format!("seed {seed}"), why.to_string()];
    let file = std::fs::File::create(&path);
    match file.and_then(|mut out| aiger::write_ascii(system, &comments, &mut out)) {
        Ok(()) => println!("seed {seed}: written to {path}: {why}"),
        Err(error) => println!("seed {seed}: cannot write {path}: {error}"),
    }
}
