//! The one question that engines ask, and who answers it.
//!
//! *Can the system go from A to B in k steps, under these hypotheses?* That is a value, [`Query`]. The
//! answer is a path or a core; both are read lazily from the [`Reasoner`] after the verdict, so that nobody
//! pays for what nobody reads.
//!
//! | engine | from | steps | hypotheses | goal |
//! |---|---|---|---|---|
//! | BMC | `Init` | k, or a few less | – | `Bad` |
//! | k-induction, step | `Anywhere` | k | property before the last step, lemmas, distinct states | `Bad` |
//!
//! [`Bits`] answers it for bit-level systems by unrolling into a SAT solver, [`Words`] for word-level ones by
//! unrolling into an SMT solver. What differs between the two, lemmas, traces and proofs, a [`Queried`] system
//! says. No search algorithm lives here.

mod abstraction;
mod atoms;
mod bits;
mod elimination;
mod implicant;
mod levels;
mod linear;
mod queried;
mod refuter;
mod regions;
mod transition;
mod unrolling;
mod words;

use buttress_solve::Stopped;
use buttress_system::{BitSystem, Cube, Lit, PropertyId};

pub use abstraction::Preimages;
pub use atoms::Atoms;
pub use bits::Bits;
pub use levels::{FOREVER, Inductive, Levels, Lifting, Predecessor, Relative, Step};
pub use queried::Queried;
pub use refuter::{Conjecture, Judge, Refuter, Relation};
pub use regions::Regions;
pub use unrolling::Incremental;
pub use words::Words;

/// Where a path starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// In a reset state.
    Init,
    /// In any state.
    Anywhere,
}

/// Where a path ends. The constraints hold there too.
#[derive(Debug)]
pub enum Goal<'a, C = Cube> {
    /// One of these properties is violated; [`Queried::violated`] says which of them are.
    Bad(&'a [PropertyId]),
    /// All these literals hold.
    Cube(&'a C),
    /// Anywhere.
    Any,
}

impl<C> Clone for Goal<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Goal<'_, C> {}

/// "Is there a path of `steps` steps from `from` to `goal`?" Constraints hold in all its states.
#[derive(Debug)]
pub struct Query<'a, C = Cube> {
    pub from: From,
    pub steps: usize,
    /// By so many steps a path may be shorter. The core is then that of the longest.
    pub slack: usize,
    /// Assume these properties in every state before the last.
    pub safe_before_last: &'a [PropertyId],
    /// Only paths whose states before the last differ pairwise.
    pub distinct: bool,
    pub goal: Goal<'a, C>,
    /// After so many conflicts of a SAT solver the answer is `Err(Stopped::Budget)`. SMT solvers do not count.
    pub conflicts: u64,
}

impl<C> Clone for Query<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Query<'_, C> {}

impl<'a, C> Query<'a, C> {
    /// Of each length that a path may have, by itself.
    pub fn each_length(self) -> impl Iterator<Item = Query<'a, C>> {
        (self.steps - self.slack..=self.steps).map(move |steps| Query { steps, slack: 0, ..self })
    }

    pub fn new(from: From, steps: usize, goal: Goal<'a, C>) -> Query<'a, C> {
        Query { from, steps, slack: 0, safe_before_last: &[], distinct: false, goal, conflicts: u64::MAX }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No such path; [`Reasoner::core`] says what was needed.
    Holds,
    /// There is one: [`Reasoner::path`].
    Fails,
}

/// States and inputs of a path, a row a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    pub states: Vec<Vec<bool>>,
    pub inputs: Vec<Vec<bool>>,
}

/// The hypotheses and literals that an answer `Holds` relied on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryCore<L = Lit> {
    /// The part of a goal cube that is already out of reach.
    pub goal: Vec<L>,
    /// Whether a property before the last step was needed.
    pub safe_before_last: bool,
    /// Whether distinctness was needed.
    pub distinct: bool,
}

/// Answers queries about one system.
pub trait Reasoner<S: Queried = BitSystem> {
    /// Learns a lemma for good: it is never sent again with a query.
    fn learn(&mut self, lemma: &S::Lemma);

    fn check(&mut self, query: &Query<'_, S::Cube>) -> Result<Answer, Stopped>;

    /// After `Fails`: the path.
    fn path(&mut self) -> S::Path;

    /// After `Holds`: what was needed.
    fn core(&mut self) -> QueryCore<S::Literal>;

    /// Clauses, or what else was given to the solvers so far, for progress reports.
    fn clauses(&self) -> u64;
}

/// Answers for one length after the other, the shortest first.
pub(crate) fn check_each_length<S: Queried>(
    reasoner: &mut dyn Reasoner<S>,
    query: &Query<'_, S::Cube>,
) -> Result<Answer, Stopped> {
    for query in query.each_length() {
        if reasoner.check(&query)? == Answer::Fails {
            return Ok(Answer::Fails);
        }
    }
    Ok(Answer::Holds)
}
