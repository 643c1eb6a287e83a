//! Lanes in shifts: no more of them work at a time than there are cores.
//!
//! In each shift those lanes work that are furthest behind: by the time that they have worked, divided by their
//! weight. Each shift is longer than the one before it. So what some lane decides at once is decided soon,
//! whichever it is, and long searches are seldom interrupted. A lane with a share works only while it has worked
//! for less than that part of the time; a lane with a delay begins later. Either has the whole time where nobody
//! else is left.
//!
//! Whoever decides something may go on: of the time that a lane worked for a verdict, it is charged only an
//! [eighth](CHARGED). So where there are many properties, most of the time is with the lane that decides most of
//! them, and none starves.
//!
//! A lane is interrupted where it looks at its stop token ([`Turn`]), and so are the solvers that it has started.
//! What the lanes prepare for each other, and the judge, take no turns.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use buttress_solve::{Stop, Turn};

use crate::event::LaneId;
use crate::plan::{Lane, Plan};

/// The first shift, and the longest.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(2);

/// Each shift is this part longer than the one before.
const GROWTH: u32 = 4;

/// The part that counts of the time that led to a verdict.
const CHARGED: u32 = 8;

/// The shifts of one run.
pub(crate) struct Shifts<'a> {
    lanes: &'a [Lane],
    cores: usize,
    turns: Vec<Arc<Turn>>,
    ended: Mutex<Vec<bool>>,
    one_ended: Condvar,
    /// Lanes that have decided something in this shift.
    decided: Mutex<Vec<LaneId>>,
}

/// For how long a lane has worked, as far as it counts, and for how much of that nothing is given back any more.
#[derive(Clone, Copy, Default)]
struct Worked {
    all: Duration,
    paid: Duration,
}

impl Worked {
    /// It has decided something.
    fn pay(&mut self) {
        self.all = self.paid + (self.all - self.paid) / CHARGED;
        self.paid = self.all;
    }
}

impl<'a> Shifts<'a> {
    /// `None` where all lanes may work all the time.
    pub fn of(plan: &'a Plan) -> Option<Shifts<'a>> {
        let lanes = &plan.lanes[..];
        let waits = |lane: &Lane| lane.share.is_some() || !lane.delay.is_zero();
        if lanes.len() <= plan.cores && !lanes.iter().any(waits) {
            return None;
        }
        Some(Shifts {
            lanes,
            cores: plan.cores.max(1),
            turns: lanes.iter().map(|_| Arc::default()).collect(),
            ended: Mutex::new(vec![false; lanes.len()]),
            one_ended: Condvar::new(),
            decided: Mutex::default(),
        })
    }

    /// The token of a lane.
    pub fn stop(&self, lane: LaneId, stop: &Stop) -> Stop {
        stop.in_turn(&self.turns[lane])
    }

    /// For how long it was the turn of others.
    pub fn waited(&self, lane: LaneId) -> Duration {
        self.turns[lane].closed_for()
    }

    /// A lane has decided something.
    pub fn decide(&self, lane: LaneId) {
        self.decided.lock().expect("no holder panics").push(lane);
    }

    /// A lane has ended.
    pub fn end(&self, lane: LaneId) {
        self.ended.lock().expect("no holder panics")[lane] = true;
        self.one_ended.notify_all();
    }

    /// Opens and closes the turns of lanes until all of them have ended.
    pub fn run(&self) {
        let (start, mut length) = (Instant::now(), FIRST);
        let mut worked = vec![Worked::default(); self.lanes.len()];
        let mut ended = self.ended.lock().expect("no holder panics");
        while ended.iter().any(|ended| !ended) {
            let at_work = self.choose(&ended, &worked, start.elapsed());
            let others = (0..self.turns.len()).filter(|lane| !at_work.contains(lane));
            others.for_each(|lane| self.turns[lane].set(false));
            at_work.iter().for_each(|&lane| self.turns[lane].set(true));
            let all = ended.iter().filter(|ended| !**ended).count() == at_work.len();
            let limit = if at_work.len() < self.cores && !all { FIRST } else { length };
            let begin = Instant::now();
            let goes_on = |ended: &mut Vec<bool>| !at_work.iter().any(|&lane| ended[lane]);
            ended = self.one_ended.wait_timeout_while(ended, limit, goes_on).expect("no holder panics").0;
            at_work.iter().for_each(|&lane| worked[lane].all += begin.elapsed());
            let decided = std::mem::take(&mut *self.decided.lock().expect("no holder panics"));
            decided.into_iter().for_each(|lane| worked[lane].pay());
            length = (length + length / GROWTH).min(LONGEST);
        }
    }

    /// Who works in the next shift.
    fn choose(&self, ended: &[bool], worked: &[Worked], elapsed: Duration) -> Vec<LaneId> {
        let left: Vec<LaneId> = (0..self.lanes.len()).filter(|&lane| !ended[lane]).collect();
        let may = |&lane: &LaneId| {
            let Lane { delay, share, .. } = &self.lanes[lane];
            elapsed >= *delay && share.is_none_or(|share| worked[lane].all * share <= elapsed)
        };
        let mut able: Vec<LaneId> = left.iter().copied().filter(may).collect();
        if able.is_empty() {
            able = left;
        }
        able.sort_by_key(|&lane| worked[lane].all / self.lanes[lane].weight.max(1));
        able.truncate(self.cores);
        able
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use buttress_engine::{Engine, Settings};
    use buttress_solve::smt::Config;

    use super::*;
    use crate::plan::{Follow, Lemmas, Through};

    fn plan(cores: usize, lanes: &[(u32, Option<u32>)]) -> Plan {
        let of_ic3: Vec<_> = lanes.iter().map(|&(weight, share)| ("ic3", weight, share)).collect();
        plan_of(cores, &of_ic3)
    }

    /// Engines, each with its weight and its share.
    pub fn plan_of(cores: usize, lanes: &[(&str, u32, Option<u32>)]) -> Plan {
        let lane = |&(engine, weight, share): &(&str, u32, Option<u32>)| Lane {
            engine: Engine::by_name(engine).expect("a row of the table"),
            settings: Settings::default(),
            aim: crate::plan::Aim::Safety,
            through: Through::Bits,
            seed: 0,
            thread: 0,
            threads: 1,
            delay: Duration::ZERO,
            share,
            weight,
        };
        Plan {
            lanes: lanes.iter().map(lane).collect(),
            cores,
            smt: Config::new(Vec::new()),
            lemmas: Lemmas::None,
            follow: Follow::default(),
            distinct: true,
            explain_cores: false,
            polish: crate::Polish::default(),
            property_limit: None,
            memory: None,
            deterministic: false,
        }
    }

    /// How long each lane works of so many shifts of a second, where one decides something in every shift.
    fn worked_with(plan: &Plan, shifts: u32, decides: Option<LaneId>) -> Vec<u64> {
        let shifts_of = Shifts::of(plan).expect("they take turns");
        let lanes = plan.lanes.len();
        let (mut worked, mut at_work) = (vec![Worked::default(); lanes], vec![0; lanes]);
        for now in 0..shifts {
            let chosen = shifts_of.choose(&vec![false; lanes], &worked, Duration::from_secs(now.into()));
            assert!(chosen.len() <= plan.cores);
            for lane in chosen {
                at_work[lane] += 1;
                worked[lane].all += Duration::from_secs(1);
                if decides == Some(lane) {
                    worked[lane].pay();
                }
            }
        }
        at_work
    }

    fn worked(plan: &Plan, shifts: u32) -> Vec<u64> {
        worked_with(plan, shifts, None)
    }

    #[test]
    fn time_is_divided_by_weight_and_share() {
        assert_eq!(worked(&plan(1, &[(1, None), (1, None)]), 100), [50, 50]);
        assert_eq!(worked(&plan(2, &[(2, None), (1, None), (1, None)]), 100), [100, 50, 50]);
        let shared = worked(&plan(2, &[(1, None), (1, Some(8))]), 80);
        assert!(shared[0] == 80 && (9..=11).contains(&shared[1]), "{shared:?}");
        assert!(Shifts::of(&plan(2, &[(1, None), (1, None)])).is_none());
    }

    #[test]
    fn who_decides_something_goes_on() {
        let three = plan(1, &[(1, None), (1, None), (1, None)]);
        assert_eq!(worked_with(&three, 100, Some(1)), [10, 80, 10]);
        let two = plan(2, &[(2, None), (1, None), (1, None)]);
        assert_eq!(worked_with(&two, 100, Some(2)), [67, 34, 99]);
    }

    /// No more turns are open at a time than there are cores, and all lanes come to their end.
    #[test]
    fn no_more_work_than_there_are_cores() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let plan = plan(2, &[(1, None); 5]);
        let (shifts, stop, most) =
            (Shifts::of(&plan).expect("they take turns"), Stop::new(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for lane in 0..5 {
                let (shifts, stop, most) = (&shifts, shifts.stop(lane, &stop), &most);
                scope.spawn(move || {
                    let begin = Instant::now();
                    while stop.check().is_ok() && begin.elapsed() < Duration::from_millis(200) {
                        // One may close after it was counted and before the next one is: each is counted twice.
                        let open = || shifts.turns.iter().map(|turn| turn.is_open()).collect::<Vec<_>>();
                        let (first, second) = (open(), open());
                        if first == second {
                            most.fetch_max(first.iter().filter(|open| **open).count(), Ordering::Relaxed);
                        }
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    shifts.end(lane);
                });
            }
            scope.spawn(|| shifts.run());
        });
        assert_eq!(most.into_inner(), 2);
    }
}
