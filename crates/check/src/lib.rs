//! The independent check behind every verdict.
//!
//! It works on the system as the front end produced it, with fresh solvers and its own encoder ([`frame`]:
//! plain Tseitin, nothing folded, nothing shared), and depends on none of `query`, `transform` and `engine`.
//! Only this crate can make a [`Checked`], and reports accept nothing else.
//!
//! * [`certify_trace`] replays a trace by three-valued evaluation; [`certify_lasso`] and [`certify_word_lasso`] an
//!   execution that goes round for ever; [`certify_round`] and [`certify_word_round`] find where it goes back to.
//! * [`certify_live_proof`], [`certify_word_live_proof`] and, beyond bits, [`certify_theory_live_proof`] check a
//!   proof of liveness, on the system with a monitor that is built here.
//! * [`certify_satisfied`] and [`certify_refuted`] check answers about computation trees.
//! * [`certify_proof`] checks that a strengthening is k-inductive, with distinct states where it says so.
//! * [`certify_invariant`] checks that clauses, of whatever origin, are inductive together.
//! * [`certify_step_failure`] replays a counterexample to k-induction; [`certify_word_step_failure`] one on words.
//! * [`certify_word_trace`] and [`certify_word_proof`] do the same on words: see [`words`].
//! * [`certify_theory_proof`] does so for integers, reals and large arrays, with SMT solvers started afresh.
//! * [`certify_word_invariant`] and [`certify_theory_invariant`] check what is k-inductive without naming a
//!   property.
//! * [`certify_indexed_proof`] and [`certify_indexed_trace`]: claims for all places of maps, see [`indexed`].
//! * [`certify_circuit`] checks a witness circuit (the certificate format of the hardware model checking
//!   competition) against its model.

mod arenas;
mod circuit;
mod ctl;
mod frame;
mod indexed;
mod liveness;
mod ltl;
mod proof;
mod support;
mod trace;
mod words;

use std::fmt;

use buttress_solve::Stopped;
use buttress_solve::smt::Session;
use buttress_system::ctl::{Refuted, Satisfied};
use buttress_system::indexed::{IndexedProof, IndexedTrace};
use buttress_system::words::{WordProof, WordTrace};
use buttress_system::{Lasso, LiveProof, Proof, PropertyId, Trace};

pub use circuit::{Accepted, Circuit, Intervention, Pair, certify_circuit};
pub use ctl::{By as TreesBy, certify_refuted, certify_satisfied, refutes, satisfied};
pub use indexed::{certify_indexed_proof, certify_indexed_trace};
pub use liveness::certify_live_proof;
pub use proof::{certify_invariant, certify_proof};
pub use trace::{certify_lasso, certify_round, certify_step_failure, certify_trace};
pub use words::{
    certify_source_trace, certify_theory_invariant, certify_theory_live_proof, certify_theory_proof,
    certify_word_invariant, certify_word_lasso, certify_word_live_proof, certify_word_proof,
    certify_word_round, certify_word_step_failure, certify_word_trace, inductive_alone,
};

/// Evidence that was accepted. There is no other way to get one than through this crate.
#[derive(Clone, Debug)]
pub struct Checked<P = Proof, T = Trace> {
    evidence: Evidence<P, T>,
    decides: Vec<PropertyId>,
    vacuous: Option<Vacuous>,
}

#[derive(Clone, Debug)]
pub enum Evidence<P = Proof, T = Trace> {
    Proof(P),
    Trace(T),
    Lasso(Lasso<T>),
    /// That no execution goes round in violation of a justice property.
    Live(LiveProof<P>),
}

impl<P, T> Evidence<P, T> {
    pub fn proof(&self) -> Option<&P> {
        match self {
            Evidence::Proof(proof) => Some(proof),
            Evidence::Trace(_) | Evidence::Lasso(_) | Evidence::Live(_) => None,
        }
    }

    /// A proof of liveness.
    pub fn live_proof(&self) -> Option<&LiveProof<P>> {
        match self {
            Evidence::Live(proof) => Some(proof),
            Evidence::Proof(_) | Evidence::Trace(_) | Evidence::Lasso(_) => None,
        }
    }

    /// An execution: to a violation, or round for ever.
    pub fn trace(&self) -> Option<&T> {
        match self {
            Evidence::Trace(trace) => Some(trace),
            Evidence::Lasso(lasso) => Some(&lasso.trace),
            Evidence::Proof(_) | Evidence::Live(_) => None,
        }
    }

    pub fn lasso(&self) -> Option<&Lasso<T>> {
        match self {
            Evidence::Lasso(lasso) => Some(lasso),
            Evidence::Proof(_) | Evidence::Trace(_) | Evidence::Live(_) => None,
        }
    }
}

/// Accepted evidence about a word-level system.
pub type WordChecked = Checked<WordProof, WordTrace>;

/// Accepted evidence about a formula of computation tree logic.
pub type TreeChecked = Checked<Satisfied, Refuted>;

/// Accepted evidence about a system with maps, for all places.
pub type IndexedChecked = Checked<IndexedProof, IndexedTrace>;

/// A proof that says less than it seems: the constraints leave no execution of this many states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vacuous {
    pub states: usize,
}

/// Why evidence was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is wrong, and this is what is wrong with it.
    Rejected(String),
    /// The check did not come to an end.
    Stopped(Stopped),
}

impl<P, T> Checked<P, T> {
    pub fn evidence(&self) -> &Evidence<P, T> {
        &self.evidence
    }

    pub fn vacuous(&self) -> Option<Vacuous> {
        self.vacuous
    }

    /// The properties that this decides: justice properties, where it is about liveness.
    pub fn properties(&self) -> &[PropertyId] {
        &self.decides
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Rejected(why) => write!(f, "rejected: {why}"),
            Refusal::Stopped(why) => write!(f, "not finished: {why}"),
        }
    }
}

impl From<Stopped> for Refusal {
    fn from(why: Stopped) -> Refusal {
        Refusal::Stopped(why)
    }
}

/// `Err(Rejected)` unless the condition holds.
fn require(condition: bool, why: impl FnOnce() -> String) -> Result<(), Refusal> {
    if condition { Ok(()) } else { Err(Refusal::Rejected(why())) }
}

/// A session that asks another solver first than this one did.
fn another(first: &Session, mut session: Session) -> Session {
    first.solver().into_iter().for_each(|name| session.avoid(name));
    session
}

/// Two solvers that check contradict each other: one of them fails, and the evidence is neither right nor wrong.
fn disagreement(first: &Session, second: &Session, states: usize) -> Refusal {
    let name = |session: &Session| session.solver().unwrap_or("a solver");
    let (first, second) = (name(first), name(second));
    Refusal::Stopped(Stopped::Solver(format!(
        "{first} says that there is no execution of {states} states, {second} has one"
    )))
}
