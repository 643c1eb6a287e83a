//! Jobs side by side in this process, without a server.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};

use crate::child::Bench;
use crate::job::Job;
use crate::row::Row;

/// Runs jobs on so many lanes, and tells each row as it comes, with the number of its job. An error of who is told
/// ends the batch; so does `stopped`, and then what is under way has no row.
pub fn alone(
    bench: &Bench,
    jobs: Vec<(usize, Job)>,
    lanes: usize,
    stopped: &(dyn Fn() -> bool + Sync),
    tell: &mut dyn FnMut(usize, Row) -> Result<(), String>,
) -> Result<(), String> {
    let lanes = lanes.min(jobs.len());
    let unheard = AtomicBool::new(false);
    let over = &|| stopped() || unheard.load(Ordering::SeqCst);
    let waiting = &Mutex::new(VecDeque::from(jobs));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..lanes {
            let sender = sender.clone();
            scope.spawn(move || lane(bench, waiting, over, &sender));
        }
        drop(sender);
        let told = receiver.iter().try_for_each(|(number, row)| tell(number, row));
        unheard.store(told.is_err(), Ordering::SeqCst);
        told
    })
}

fn lane(
    bench: &Bench,
    waiting: &Mutex<VecDeque<(usize, Job)>>,
    stopped: &(dyn Fn() -> bool + Sync),
    sender: &mpsc::Sender<(usize, Row)>,
) {
    let next = || waiting.lock().expect("no holder panics").pop_front().filter(|_| !stopped());
    while let Some((number, job)) = next() {
        let row = bench.run(&job, Path::new(&job.model), &|| !stopped());
        // Who does not listen any more has said why.
        if row.is_some_and(|row| sender.send((number, row)).is_err()) {
            return;
        }
    }
}
