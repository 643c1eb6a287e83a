//! Lanes one after the other, by their work and not by the clock: for runs that say the same every time.
//!
//! In each round every lane has a turn of so many looks at its stop token ([`Turn::rationed`]), in each round
//! more; what an SMT solver has done for it, by the solver's own count, stands for looks. One lane works at a
//! time. So what it reads on the board, and who decides a property first, depends on the model, the plan and the
//! seeds alone. Where the run is over, lanes end in their order, too.
//!
//! Limits: one core is used, and a question to a solver is never interrupted for the sake of others: who asked one
//! that took long waits all the longer for the next turn. A run that a limit of
//! time or memory ends is cut at a moment that no seed determines.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use buttress_solve::{Stop, Turn};

use crate::event::LaneId;
use crate::plan::Lane;

/// Looks in the first round, and the most in one.
const FIRST: u64 = 500;
const MOST: u64 = 50_000;

/// Each round is this part longer than the one before.
const GROWTH: u64 = 4;

/// What stands for a second where a lane leaves others alone for a while.
const A_SECOND: f64 = 20_000.0;

pub(crate) struct Rations<'a> {
    lanes: &'a [Lane],
    turns: Vec<Arc<Turn>>,
    ended: Vec<AtomicBool>,
    /// A turn is over: its looks are used up, or its lane has ended.
    over: Sender<()>,
    heard: Mutex<Receiver<()>>,
}

impl<'a> Rations<'a> {
    pub fn of(lanes: &'a [Lane]) -> Rations<'a> {
        let (over, heard) = channel();
        let turn = |_: &Lane| {
            let over = over.clone();
            // Nobody listens only when the run is over.
            Arc::new(Turn::rationed(move || over.send(()).unwrap_or_default()))
        };
        let ended = lanes.iter().map(|_| AtomicBool::new(false)).collect();
        Rations { lanes, turns: lanes.iter().map(turn).collect(), ended, over, heard: Mutex::new(heard) }
    }

    /// The token of a lane.
    pub fn stop(&self, lane: LaneId, stop: &Stop) -> Stop {
        stop.in_turn(&self.turns[lane])
    }

    /// A lane has ended.
    pub fn end(&self, lane: LaneId) {
        self.ended[lane].store(true, Ordering::Release);
        self.over.send(()).unwrap_or_default();
    }

    /// Gives turns until all lanes have ended.
    pub fn run(&self) {
        let heard = self.heard.lock().expect("no holder panics");
        let (mut looks, mut granted) = (FIRST, 0);
        loop {
            let left: Vec<LaneId> = (0..self.lanes.len()).filter(|&lane| !self.has_ended(lane)).collect();
            if left.is_empty() {
                return;
            }
            let waits = |lane: &LaneId| (granted as f64) < self.lanes[*lane].delay.as_secs_f64() * A_SECOND;
            let all_wait = left.iter().all(waits);
            for lane in left.into_iter().filter(|lane| all_wait || !waits(lane)) {
                if self.turns[lane].grant(self.ration(lane, looks)) {
                    heard.recv().expect("there is a sender here");
                }
            }
            granted += looks;
            looks = (looks + looks / GROWTH).min(MOST);
        }
    }

    fn has_ended(&self, lane: LaneId) -> bool {
        self.ended[lane].load(Ordering::Acquire)
    }

    /// A lane's part of a round.
    fn ration(&self, lane: LaneId, looks: u64) -> u64 {
        let Lane { weight, share, .. } = &self.lanes[lane];
        looks * u64::from((*weight).max(1)) / u64::from(share.unwrap_or(1).max(1))
    }
}
