//! The board: an append-only list of facts that engines share, and the desk through which one engine sees it.
//!
//! Facts are stated over the original system. An engine works on a transformed one, so it reads and writes
//! through a [`Desk`], which knows the ways between. Only what was `Checked` comes back as a fact to build
//! on, and a proof conjoins the facts that it used: a wrong fact can cost an answer, never produce one.

use std::sync::Mutex;

use buttress_system::{Lemma, Proof, PropertyId, Verdict};

/// Something known about the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// These lemmas hold in every reachable state, by this checked proof.
    Proved { lemmas: Vec<Lemma>, proof: Proof },
    /// The property has no violation in the first `steps` steps after the start.
    HoldsUpTo { property: PropertyId, steps: usize },
    /// The property is decided: nobody need work on it.
    Decided { property: PropertyId },
}

/// How far a reader got.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Cursor(usize);

/// An append-only list of facts.
#[derive(Default, Debug)]
pub struct Board(Mutex<Vec<Fact>>);

impl Board {
    pub fn post(&self, fact: Fact) {
        self.0.lock().expect("no writer panics").push(fact);
    }

    /// All facts since the last reading.
    pub fn read(&self, cursor: &mut Cursor) -> Vec<Fact> {
        let facts = self.0.lock().expect("no writer panics");
        let news = facts[cursor.0..].to_vec();
        cursor.0 = facts.len();
        news
    }
}

/// Where a run is, for the progress line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    pub depth: usize,
    pub clauses: u64,
    pub open: usize,
}

/// What an engine sees of the world: facts over its own system, and whom to tell.
pub trait Desk: Sync {
    /// Hands in a verdict. When the call returns it has been checked, and posted if it was accepted.
    fn decide(&self, property: PropertyId, verdict: Verdict);
    fn post(&self, fact: Fact);
    fn read(&self, cursor: &mut Cursor) -> Vec<Fact>;
    fn progress(&self, progress: Progress);
}
