//! Questions about many conjectures at once (Kahsai, Ge & Tinelli, NFM 2011, Figure 1).
//!
//! With C the conjunction of all conjectures:
//!
//! * base: `I(x₀) ∧ T^n ∧ ¬C(x_n)`;
//! * step: `⋀_{t<n} S(x_t) ∧ T^n ∧ ¬C(x_n)`, from anywhere, where S is C, or was C some answers ago: what fails although more is
//!   supposed fails anyway;
//! * trivial: `T^n ∧ ¬C(x_n)`, from anywhere.
//!
//! The conjunction changes from question to question, so nothing of it is learned.

use buttress_solve::Stopped;
use buttress_term::{Op, TermId};

use crate::{Answer, From, Reasoner, Subject};

/// "Is there a path of exactly `steps` steps to a state in which one of these fails?"
pub struct Conjecture<'a, C> {
    pub from: From,
    pub steps: usize,
    /// What holds in every state before the last.
    pub supposed: &'a [C],
    pub conjuncts: &'a [C],
}

/// A conjecture about words: a relation between two terms of the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relation {
    pub op: Op,
    pub left: TermId,
    pub right: TermId,
}

/// A reasoner about conjectures of the kind `C`.
pub trait Refuter<S: Subject, C>: Reasoner<S> {
    /// Whether questions that suppose the same as the one before are much cheaper than others.
    fn is_steady(&self) -> bool;

    /// `Fails` where a path was believed, which is then known to the caller: nothing is read afterwards. A path that refutes
    /// nothing is a mistake of the solver: the next one is asked.
    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, C>,
        believe: &mut dyn FnMut(&S::Path) -> bool,
    ) -> Result<Answer, Stopped>;
}
