//! Memory divided among lanes: where it becomes scarce, the run goes on with fewer of them.
//!
//! The memory of a process has no borders between its threads, so no lane has a limit of its own. Instead, when the
//! process tree has taken nine tenths of that at which the whole run would end, one lane ends. First go those that
//! unroll the system, whose formula grows with every step; then the others, from the end of the plan to its
//! beginning, where the strongest stand. The next one ends when what is left after that is half used up. The last
//! lane has all the memory there is: its limit is that of the whole run ([`crate::supervise`]).
//!
//! A lane that ends this way has told its verdicts and its lemmas before. It is named beside what stays undecided.

use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use buttress_solve::{Stop, Stopped};

use crate::event::LaneId;
use crate::plan::Lane;
use crate::supervise::{TICK, process_tree_memory};

/// How long what a lane took needs to come back to the system.
const REST: Duration = Duration::from_millis(200);

/// Ends lanes while memory is scarce.
pub(crate) struct Thrift {
    /// Bytes at which the whole run ends.
    limit: u64,
    /// Who ends first stands last.
    order: Vec<LaneId>,
    stops: Vec<Stop>,
    at_work: Mutex<Vec<bool>>,
    one_ended: Condvar,
}

impl Thrift {
    /// With the token of each lane's part of the run; without a limit, nobody ends.
    pub fn of(lanes: &[Lane], limit: Option<u64>, stop: impl Fn(&Lane) -> Stop) -> Thrift {
        let mut order: Vec<LaneId> = (0..lanes.len()).collect();
        order.sort_by_key(|&lane| lanes[lane].engine.unrolls());
        Thrift {
            limit: limit.unwrap_or(u64::MAX),
            order,
            stops: lanes.iter().map(|lane| stop(lane).for_a_part()).collect(),
            at_work: Mutex::new(vec![true; lanes.len()]),
            one_ended: Condvar::new(),
        }
    }

    /// The token of a lane.
    pub fn stop(&self, lane: LaneId) -> &Stop {
        &self.stops[lane]
    }

    /// A lane has ended.
    pub fn end(&self, lane: LaneId) {
        self.at_work.lock().expect("no holder panics")[lane] = false;
        self.one_ended.notify_all();
    }

    /// Looks at the memory until one lane is left.
    pub fn run(&self) {
        if self.limit < u64::MAX {
            self.watch(&process_tree_memory);
        }
    }

    fn watch(&self, taken: &dyn Fn() -> u64) {
        let mut scarce = self.limit / 10 * 9;
        let mut at_work = self.at_work.lock().expect("no holder panics");
        while at_work.iter().filter(|&&works| works).count() > 1 {
            at_work = self.one_ended.wait_timeout(at_work, TICK).expect("no holder panics").0;
            let last = self.order.iter().rev().find(|&&lane| at_work[lane]);
            let Some(&lane) = last.filter(|_| taken() >= scarce) else { continue };
            self.stops[lane].request(&Stopped::Memory);
            at_work = self.one_ended.wait_while(at_work, |at_work| at_work[lane]).expect("no holder panics");
            drop(at_work);
            thread::sleep(REST);
            scarce = scarce.max(self.limit - self.limit.saturating_sub(taken()) / 2);
            at_work = self.at_work.lock().expect("no holder panics");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::shifts::tests::plan_of;

    /// Lanes that take ever more: those that unroll end first, then the later ones; the last one stays.
    #[test]
    fn lanes_end_one_after_the_other() {
        let plan = plan_of(4, ["ic3", "bmc", "reach", "kind"].map(|engine| (engine, 1, None)).as_slice());
        let (whole, taken, ended) = (Stop::new(), AtomicU64::new(0), Mutex::new(Vec::new()));
        let thrift = Thrift::of(&plan.lanes, Some(1_000), |_| whole.for_a_part());
        thread::scope(|scope| {
            for lane in 0..4 {
                let (thrift, taken, ended, whole) = (&thrift, &taken, &ended, &whole);
                scope.spawn(move || {
                    let mut own = 0;
                    while thrift.stop(lane).check().is_ok() && own < 1_000 {
                        own += 10;
                        taken.fetch_add(10, Ordering::Relaxed);
                        thread::sleep(TICK);
                    }
                    taken.fetch_sub(own, Ordering::Relaxed);
                    ended.lock().expect("no holder panics").push((lane, thrift.stop(lane).reason()));
                    thrift.end(lane);
                    if own == 1_000 {
                        whole.request(&Stopped::Cancelled);
                    }
                });
            }
            scope.spawn(|| thrift.watch(&|| taken.load(Ordering::Relaxed)));
        });
        let memory = Some(Stopped::Memory);
        let expected = [(3, memory.clone()), (1, memory.clone()), (2, memory), (0, None)];
        assert_eq!(ended.into_inner().expect("nobody panicked"), expected);
    }
}
