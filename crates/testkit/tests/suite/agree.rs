//! Every command and every engine on the same random models; a hundred times as many by the program `agree`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use buttress_solve::smt::{Config, directories, find};
use buttress_testkit::agree::{Effort, Kind, Summary, examine, model};

const MODELS: u64 = 1000;

fn effort() -> Effort {
    let smt = Config::new(find(&directories()));
    Effort { smt, patience: Duration::from_millis(300), whole: false }
}

/// Seeds that found faults: cores of proofs that compare states; resets that read inputs to no effect; arrays in
/// traces by names; an index that is outside in every step.
#[test]
fn what_was_wrong_once_is_right() {
    for seed in [49, 269, 3158, 4976, 5121, 5282] {
        examine(seed, &effort(), &mut Summary::default()).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}

#[test]
fn commands_agree() {
    let effort = effort();
    let (summary, next) = (Mutex::new(Summary::default()), AtomicU64::new(0));
    let work = || {
        let mut own = Summary::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= MODELS {
                break;
            }
            let examined = examine(seed, &effort, &mut own);
            examined.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", model(seed).text));
        }
        summary.lock().expect("no holder panics").merge(&own);
    };
    thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let summary = summary.into_inner().expect("no holder panics");
    println!("{summary}");
    assert_eq!(summary.models.values().sum::<usize>() as u64, MODELS);
    assert!(summary.models[&Kind::Cubicle] >= 40 && summary.models[&Kind::Vmt] >= 40);
    let Summary { holds, violated, conditional, proved, falsified, .. } = summary;
    assert!(holds > 300 && violated > 300 && conditional > 30, "{holds} {violated} {conditional}");
    assert!(proved > 1000 && falsified > 1000, "{proved} {falsified}");
}
