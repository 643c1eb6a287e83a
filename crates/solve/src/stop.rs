//! Asking a run to end, and a thread of it to wait for its turn. One token a job, shared by its threads; the first
//! reason stays.
//!
//! Whoever works looks at its token now and then ([`Stop::check`]). Where there are more threads than cores, each
//! has a token with a [`Turn`]: while that is closed, the look at the token does not come back.
//!
//! A turn that is [`rationed`](Turn::rationed) closes by itself after a number of looks. Looks are taken in the
//! course of the work, and not by the clock: where a thread is interrupted then depends on nothing but its work.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Why a computation ended without an answer. Never a verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The deadline passed.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The user interrupted.
    Interrupted,
    /// Nobody needs the answer any more.
    Cancelled,
    /// The queries that were granted are used up.
    Budget,
    /// The decision diagrams outgrew this many nodes.
    Nodes(usize),
    /// The solver gave up by itself.
    Solver(String),
}

/// A token that asks for a stop. Clones share it.
#[derive(Clone, Default, Debug)]
pub struct Stop {
    asked: Arc<Asked>,
    turn: Option<Arc<Turn>>,
}

/// Whether a stop was asked for, and why.
#[derive(Default, Debug)]
struct Asked {
    reason: AtomicU8,
    /// The whole, of which this is for a part: who asks the whole for a stop asks the part.
    whole: Option<Arc<Asked>>,
}

impl Asked {
    /// Of the part and the whole, the one that was asked; the whole where both were.
    fn code(&self) -> u8 {
        let whole = self.whole.as_ref().map_or(RUNNING, |whole| whole.code());
        if whole == RUNNING { self.reason.load(Ordering::Relaxed) } else { whole }
    }
}

const RUNNING: u8 = 0;
const REASONS: [(u8, Stopped); 4] =
    [(1, Stopped::Time), (2, Stopped::Memory), (3, Stopped::Interrupted), (4, Stopped::Cancelled)];

/// How long a thread that waits for its turn does not see that a stop was asked for.
const TICK: Duration = Duration::from_millis(5);

impl Stop {
    pub fn new() -> Stop {
        Stop::default()
    }

    /// The same token for one who works only while its turn is open.
    pub fn in_turn(&self, turn: &Arc<Turn>) -> Stop {
        Stop { turn: Some(turn.clone()), ..self.clone() }
    }

    /// A token for a part of the work: it stops with this one, and by itself.
    pub fn for_a_part(&self) -> Stop {
        let asked = Asked { reason: AtomicU8::new(RUNNING), whole: Some(self.asked.clone()) };
        Stop { asked: Arc::new(asked), turn: self.turn.clone() }
    }

    /// Another token, which nobody has asked for a stop, with the same turn.
    pub fn apart(&self) -> Stop {
        Stop { asked: Arc::default(), turn: self.turn.clone() }
    }

    /// Asks for a stop. Only the first reason counts; a budget, a node limit and a solver's own failure are not
    /// asked for.
    pub fn request(&self, why: &Stopped) {
        let code = REASONS.iter().find(|(_, reason)| reason == why).map(|(code, _)| *code);
        if let Some(code) = code {
            let own = &self.asked.reason;
            let _ = own.compare_exchange(RUNNING, code, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    pub fn requested(&self) -> bool {
        self.code() != RUNNING
    }

    fn code(&self) -> u8 {
        self.asked.code()
    }

    /// The reason, once there is one.
    pub fn reason(&self) -> Option<Stopped> {
        let code = self.code();
        REASONS.iter().find(|(c, _)| *c == code).map(|(_, reason)| reason.clone())
    }

    /// `Err` once a stop was asked for: for the `?` at the top of a loop. Waits for the turn, where there is one.
    pub fn check(&self) -> Result<(), Stopped> {
        if let Some(turn) = &self.turn {
            turn.wait(|| self.requested());
        }
        self.reason().map_or(Ok(()), Err)
    }

    /// Whether whoever waits for others, and not for its turn, may go on waiting: a look that comes back at once,
    /// and is not counted.
    pub fn has_turn(&self) -> bool {
        self.requested() || self.turn.as_ref().is_none_or(|turn| turn.ration.is_some() || turn.is_open())
    }

    /// Whether turns are counted by looks.
    pub fn is_rationed(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.ration.is_some())
    }

    /// Counts work that nobody looked during, as so many looks.
    pub fn spend(&self, looks: u64) {
        if let Some(ration) = self.turn.as_ref().and_then(|turn| turn.ration.as_ref()) {
            ration.left.fetch_sub(i64::try_from(looks).unwrap_or(i64::MAX / 2), Ordering::Relaxed);
        }
    }

    /// For how long the turn has been closed, all in all.
    pub fn kept_waiting(&self) -> Duration {
        self.turn.as_ref().map_or(Duration::ZERO, |turn| turn.closed_for())
    }
}

/// Whether a thread may work now. It begins closed.
#[derive(Debug)]
pub struct Turn {
    /// The same as in the state, for a look without a lock.
    open: AtomicBool,
    state: Mutex<TurnState>,
    opened: Condvar,
    ration: Option<Ration>,
}

/// How many looks are left, less than none where more was spent than granted; and who hears that there are none.
struct Ration {
    left: AtomicI64,
    used_up: Box<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Ration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ration").field("left", &self.left).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct TurnState {
    /// Since when it is closed.
    since: Option<Instant>,
    /// For how long it was closed before.
    closed: Duration,
}

impl Default for Turn {
    fn default() -> Turn {
        let state = TurnState { since: Some(Instant::now()), closed: Duration::ZERO };
        let (state, opened) = (Mutex::new(state), Condvar::new());
        Turn { open: AtomicBool::new(false), state, opened, ration: None }
    }
}

impl Turn {
    /// One that is opened for a number of looks, and closes after the last; then this is called.
    pub fn rationed(used_up: impl Fn() + Send + Sync + 'static) -> Turn {
        let ration = Ration { left: AtomicI64::new(0), used_up: Box::new(used_up) };
        Turn { ration: Some(ration), ..Turn::default() }
    }

    /// Opens a turn that is rationed for so many looks more; false where what was spent before is more than these.
    pub fn grant(&self, looks: u64) -> bool {
        let ration = self.ration.as_ref().expect("only what is rationed is granted");
        let looks = i64::try_from(looks).unwrap_or(i64::MAX / 2);
        let enough = ration.left.fetch_add(looks, Ordering::Relaxed) + looks > 0;
        if enough {
            self.set(true);
        }
        enough
    }

    pub fn set(&self, open: bool) {
        let mut state = self.state();
        match (open, state.since) {
            (true, Some(since)) => {
                state.closed += since.elapsed();
                state.since = None;
                self.opened.notify_all();
            }
            (false, None) => state.since = Some(Instant::now()),
            _ => {}
        }
        self.open.store(open, Ordering::Relaxed);
    }

    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    /// For how long it was closed, all together.
    pub fn closed_for(&self) -> Duration {
        let state = self.state();
        state.closed + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Until it is open, or what it is waited for is over. Who is rationed waits for its turn even then: the order
    /// in which threads end is a part of what is decided without the clock.
    fn wait(&self, is_over: impl Fn() -> bool) {
        if let Some(ration) = &self.ration {
            return self.look(ration, is_over);
        }
        if self.is_open() {
            return;
        }
        let mut state = self.state();
        while state.since.is_some() && !is_over() {
            state = self.opened.wait_timeout(state, TICK).expect("no holder panics").0;
        }
    }

    /// Counts a look; where none is left, waits for the next turn.
    fn look(&self, ration: &Ration, is_over: impl Fn() -> bool) {
        if self.is_open() && (is_over() || ration.take()) {
            return;
        }
        if self.is_open() {
            self.set(false);
            (ration.used_up)();
        }
        let closed = |state: &mut TurnState| state.since.is_some();
        drop(self.opened.wait_while(self.state(), closed).expect("no holder panics"));
        ration.take();
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().expect("no holder panics")
    }
}

impl Ration {
    fn take(&self) -> bool {
        let one_less = |left: i64| (left > 0).then(|| left - 1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Time => f.write_str("time"),
            Stopped::Memory => f.write_str("memory"),
            Stopped::Interrupted => f.write_str("interrupted"),
            Stopped::Cancelled => f.write_str("cancelled"),
            Stopped::Budget => f.write_str("budget"),
            Stopped::Nodes(limit) => write!(f, "decision diagrams of more than {limit} nodes"),
            Stopped::Solver(why) => write!(f, "solver: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stays() {
        let stop = Stop::new();
        assert_eq!(stop.check(), Ok(()));
        let other = stop.clone();
        other.request(&Stopped::Memory);
        stop.request(&Stopped::Time);
        assert_eq!(stop.check(), Err(Stopped::Memory));
    }

    /// Who has no turn does not go on; a stop ends the wait.
    #[test]
    fn a_turn_is_waited_for() {
        let (stop, turn) = (Stop::new(), Arc::new(Turn::default()));
        let own = stop.in_turn(&turn);
        assert!(!own.has_turn() && stop.has_turn());
        let waits = |own: Stop| std::thread::spawn(move || own.check());
        let first = waits(own.clone());
        std::thread::sleep(Duration::from_millis(20));
        assert!(!first.is_finished());
        turn.set(true);
        assert_eq!(first.join().expect("no panic"), Ok(()));
        let waited = own.kept_waiting();
        assert!(waited >= Duration::from_millis(20) && own.kept_waiting() == waited);
        turn.set(false);
        let second = waits(own.apart());
        let third = waits(own);
        stop.request(&Stopped::Time);
        assert_eq!(third.join().expect("no panic"), Err(Stopped::Time));
        assert!(!second.is_finished());
        turn.set(true);
        assert_eq!(second.join().expect("no panic"), Ok(()));
    }

    /// After as many looks as were granted the next one waits, and a stop does not end the wait.
    #[test]
    fn looks_are_counted() {
        let (sender, used_up) = std::sync::mpsc::channel();
        let turn = Arc::new(Turn::rationed(move || sender.send(()).expect("heard")));
        let stop = Stop::new();
        let own = stop.in_turn(&turn);
        turn.grant(3);
        let looks = Arc::new(AtomicI64::new(0));
        let counted = looks.clone();
        let looking = std::thread::spawn(move || {
            while own.check().is_ok() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        used_up.recv().expect("told");
        assert_eq!(looks.load(Ordering::SeqCst), 3);
        turn.grant(2);
        used_up.recv().expect("told");
        assert_eq!(looks.load(Ordering::SeqCst), 5);
        stop.in_turn(&turn).spend(10);
        assert!(!turn.grant(10) && turn.grant(1));
        used_up.recv().expect("told");
        assert_eq!(looks.load(Ordering::SeqCst), 6);
        stop.request(&Stopped::Cancelled);
        std::thread::sleep(Duration::from_millis(20));
        assert!(!looking.is_finished());
        turn.grant(1);
        looking.join().expect("no panic");
        assert_eq!(looks.load(Ordering::SeqCst), 6);
    }
}
