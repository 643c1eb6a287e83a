//! `cargo run -p buttress-testkit --release --bin agree -- --from 0 --count 100000`
//!
//! Every command and every engine on the models of these seeds, on all cores. A failure prints its seed and writes
//! the model as `agree-SEED.…`; a few of them end the run.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use buttress_solve::smt::{Config, directories, find};
use buttress_testkit::agree::{Effort, Summary, examine, model};

const FAILURES: usize = 8;

fn main() -> ExitCode {
    let Some(Arguments { from, count, whole, slow }) = arguments() else {
        eprintln!("usage: agree [--from SEED] [--count MODELS] [--whole yes|no] [--slow SECONDS]");
        return ExitCode::from(2);
    };
    let smt = Config::new(find(&directories()));
    let effort = Effort { smt, patience: Duration::from_millis(if whole { 2000 } else { 300 }), whole };
    let start = Instant::now();
    let (summary, failed) = (Mutex::new(Summary::default()), AtomicUsize::new(0));
    let next = AtomicU64::new(from);
    let work = || {
        let mut own = Summary::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= from + count || failed.load(Ordering::Relaxed) >= FAILURES {
                break;
            }
            let begin = Instant::now();
            let examined = examine(seed, &effort, &mut own);
            if begin.elapsed().as_secs_f64() >= slow {
                println!("seed {seed}: {:?} took {:.1} s", model(seed).kind, begin.elapsed().as_secs_f64());
            }
            if let Err(why) = examined {
                failed.fetch_add(1, Ordering::Relaxed);
                report(seed, &why);
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

struct Arguments {
    from: u64,
    count: u64,
    /// Whether everything is asked of every model, or what the test suite asks.
    whole: bool,
    /// Models that take as long are named.
    slow: f64,
}

fn arguments() -> Option<Arguments> {
    let mut arguments = Arguments { from: 0, count: 1_000, whole: true, slow: f64::INFINITY };
    let mut words = std::env::args().skip(1);
    while let Some(option) = words.next() {
        let word = words.next()?;
        match option.as_str() {
            "--from" => arguments.from = word.parse().ok()?,
            "--count" => arguments.count = word.parse().ok()?,
            "--whole" => arguments.whole = word == "yes",
            "--slow" => arguments.slow = word.parse().ok()?,
            _ => return None,
        }
    }
    Some(arguments)
}

fn report(seed: u64, why: &str) {
    let model = model(seed);
    let path = format!("agree-{seed}.{}", model.name.rsplit('.').next().unwrap_or("txt"));
    println!("seed {seed}: {why}");
    match std::fs::write(&path, &model.text) {
        Ok(()) => println!("seed {seed}: the model is in {path}"),
        Err(error) => println!("seed {seed}: cannot write {path}: {error}"),
    }
}
