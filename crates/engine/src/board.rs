//! The board: an append-only list of facts that engines share, and the desk through which one engine sees it.
//!
//! Facts on the board are stated over the original system. An engine works on a transformed one, so it reads
//! and writes through a [`Desk`], which knows the ways between. Only what was checked becomes a lemma, and the
//! desk conjoins to a proof whatever it handed out before: a wrong fact can cost an answer, never produce one.

use std::sync::Mutex;

use buttress_system::{BitSystem, Lemma, Lit, Proof, PropertyId, Subject, Verdict};

use crate::Episode;

/// Something known about the original system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact<P = Proof> {
    /// This proof was checked: its properties and clauses hold in every reachable state.
    Proved(P),
    /// A message to other runs on this property; not checked.
    Told { property: PropertyId, told: Told },
    /// The property has no violation in the first `steps` steps after the start.
    HoldsUpTo { property: PropertyId, steps: usize },
    /// The property is decided: nobody need work on it.
    Decided { property: PropertyId },
}

/// Messages between runs on the same property: cubes over latches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// No state of the cube is reached without a violation before: its negation is inductive relative to the
    /// property, to what was told before, and to what is told together with it.
    Excluded(Vec<Lit>),
    /// A counterexample to induction that the teller found no clause against. Claims nothing.
    Failed(Vec<Lit>),
}

impl Told {
    pub fn cube(&self) -> &[Lit] {
        match self {
            Told::Excluded(cube) | Told::Failed(cube) => cube,
        }
    }

    /// The message with another cube in place of this one.
    pub fn about(&self, cube: Vec<Lit>) -> Told {
        match self {
            Told::Excluded(_) => Told::Excluded(cube),
            Told::Failed(_) => Told::Failed(cube),
        }
    }
}

/// A fact of the board as an engine sees it: over its own system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News<L = Lemma> {
    Lemma(L),
    /// Said by another engine that works on the same system, not checked: who uses it for this property makes it a
    /// part of the proof.
    Excluded {
        property: PropertyId,
        lemma: L,
    },
    HoldsUpTo {
        property: PropertyId,
        steps: usize,
    },
    Decided {
        property: PropertyId,
    },
}

/// How far a reader got.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Cursor(usize);

/// An append-only list of facts that the engines of a run share: in memory, or wherever else it is kept.
pub trait Board<P = Proof>: Send + Sync {
    fn post(&self, fact: Fact<P>);

    /// All facts since the last reading.
    fn read(&self, cursor: &mut Cursor) -> Vec<Fact<P>>;

    /// All facts since the last reading, and then posts these, all at once; they are not read again.
    fn exchange(&self, own: Vec<Fact<P>>, cursor: &mut Cursor) -> Vec<Fact<P>>;
}

/// The board of one process.
#[derive(Debug)]
pub struct InMemory<P = Proof>(Mutex<Vec<Fact<P>>>);

impl<P> Default for InMemory<P> {
    fn default() -> Self {
        InMemory(Mutex::new(Vec::new()))
    }
}

impl<P: Clone + Send + Sync> Board<P> for InMemory<P> {
    fn post(&self, fact: Fact<P>) {
        self.0.lock().expect("no writer panics").push(fact);
    }

    fn read(&self, cursor: &mut Cursor) -> Vec<Fact<P>> {
        self.exchange(Vec::new(), cursor)
    }

    fn exchange(&self, own: Vec<Fact<P>>, cursor: &mut Cursor) -> Vec<Fact<P>> {
        let mut facts = self.0.lock().expect("no writer panics");
        let news = facts[cursor.0..].to_vec();
        facts.extend(own);
        cursor.0 = facts.len();
        news
    }
}

/// Where a run is, for the progress line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    pub depth: usize,
    /// Clauses, or what else the engine's work is made of.
    pub size: u64,
    pub open: usize,
    /// Questions about single steps, of engines that ask such.
    pub queries: u64,
}

/// The interface of an engine to the rest of the run.
pub trait Desk<S: Subject = BitSystem>: Sync {
    /// Hands in a verdict. When the call returns it has been checked, and is on the board if it was accepted.
    fn decide(&self, property: PropertyId, verdict: Verdict<S::Proof, S::Trace>);
    /// Hands in what is k-inductive, with what was handed in before. When the call returns it has been checked,
    /// and is on the board if it was accepted; false where the check was stopped.
    fn strengthen(&self, proof: S::Proof) -> bool;
    /// Hands in what may be inductive by itself. When the call returns it has been checked, and is on the board if
    /// it was accepted; nothing is wrong with who suggests what is not.
    fn suggest(&self, proof: S::Proof);
    /// Tells that the property has no violation in the first `steps` steps after the start.
    fn holds_up_to(&self, property: PropertyId, steps: usize);
    /// Whether nobody need work on this property any more.
    fn is_decided(&self, property: PropertyId) -> bool;
    /// All that is new since the last reading. Who reads lemmas has them conjoined to every later proof.
    fn read(&self, cursor: &mut Cursor) -> Vec<News<S::Lemma>>;
    /// Tells the other runs on this property, and hears what they told since the last time. Who starts over, with
    /// a new cursor, hears also what it told before.
    fn exchange(&self, property: PropertyId, own: Vec<Told>, cursor: &mut Cursor) -> Vec<Told>;
    fn progress(&self, progress: Progress);
    /// Whether somebody follows the way of this engine.
    fn explaining(&self) -> bool;
    /// Tells a step of the way; only where [`explaining`](Desk::explaining).
    fn tell(&self, property: PropertyId, episode: Episode<S::Trace>);
    /// Leaves what a run found that has not decided the property, or not yet: cubes that it excluded, under
    /// whatever conditions, all of them each time.
    fn leave(&self, property: PropertyId, cubes: &mut dyn Iterator<Item = &[Lit]>);
}
