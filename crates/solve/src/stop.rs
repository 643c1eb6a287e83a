//! Asking a run to end. One token a job, shared by its threads; the first reason stays.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

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
pub struct Stop(Arc<AtomicU8>);

const RUNNING: u8 = 0;
const REASONS: [(u8, Stopped); 4] =
    [(1, Stopped::Time), (2, Stopped::Memory), (3, Stopped::Interrupted), (4, Stopped::Cancelled)];

impl Stop {
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Asks for a stop. Only the first reason counts; a budget, a node limit and a solver's own failure are not
    /// asked for.
    pub fn request(&self, why: &Stopped) {
        let code = REASONS.iter().find(|(_, reason)| reason == why).map(|(code, _)| *code);
        if let Some(code) = code {
            let _ = self.0.compare_exchange(RUNNING, code, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) != RUNNING
    }

    /// The reason, once there is one.
    pub fn reason(&self) -> Option<Stopped> {
        let code = self.0.load(Ordering::Relaxed);
        REASONS.iter().find(|(c, _)| *c == code).map(|(_, reason)| reason.clone())
    }

    /// `Err` once a stop was asked for: for the `?` at the top of a loop.
    pub fn check(&self) -> Result<(), Stopped> {
        self.reason().map_or(Ok(()), Err)
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
}
