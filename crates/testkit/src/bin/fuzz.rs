//! `cargo run -p buttress-testkit --release --bin fuzz -- --from 0 --count 100000`
//!
//! Examines the systems of these seeds on all cores. A failure prints its seed and writes the smallest system
//! that still fails as an AIGER file; a few of them end the run.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use buttress_format::aiger;
use buttress_system::Rng;
use buttress_testkit::fuzz::{Summary, everyone, examine, shrink};
use buttress_testkit::{Draft, random};

const LIMIT: Duration = Duration::from_secs(30);
/// A failure that depends on timing is tried this often before a smaller system counts as sound.
const ATTEMPTS: usize = 3;
const FAILURES: usize = 8;

fn main() -> ExitCode {
    let Some((from, count)) = arguments() else {
        eprintln!("usage: fuzz [--from SEED] [--count SYSTEMS]");
        return ExitCode::from(2);
    };
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

fn arguments() -> Option<(u64, u64)> {
    let (mut from, mut count) = (0, 10_000);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let number = words.next().and_then(|w| w.parse().ok());
        match word.as_str() {
            "--from" => from = number?,
            "--count" => count = number?,
            _ => return None,
        }
    }
    Some((from, count))
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
    let path = format!("fuzz-{seed}.aag");
    let comments = [format!("seed {seed}, shrunk"), why.clone()];
    let file = std::fs::File::create(&path);
    match file.and_then(|mut out| aiger::write_ascii(&small, &comments, &mut out)) {
        Ok(()) => println!("seed {seed}: shrunk to {path}: {why}"),
        Err(error) => println!("seed {seed}: cannot write {path}: {error}"),
    }
}
