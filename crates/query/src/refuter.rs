//! Questions about many conjectures at once (Kahsai, Ge & Tinelli, NFM 2011, Figure 1).
//!
//! With C the conjunction of all conjectures:
//!
//! * base: `I(x₀) ∧ T^n ∧ ¬C(x_n)`;
//! * step: `⋀_{t<n} S(x_t) ∧ T^n ∧ ¬C(x_n)`, from anywhere, where S is C;
//! * trivial: `T^n ∧ ¬C(x_n)`, from anywhere.
//!
//! The conjunction changes from question to question, so nothing of it is learned.

use std::hash::Hash;

use buttress_solve::Stopped;
use buttress_term::{Op, TermId};
use rustc_hash::FxHashSet;

use crate::{Answer, From, Queried, Reasoner};

/// "Is there a path of exactly `steps` steps to a state in which one of these fails?"
pub struct Conjecture<'a, C> {
    pub from: From,
    pub steps: usize,
    /// Conjuncts that are supposed in every state before the last.
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

/// Is told of a path, takes the conjuncts that fail at its end out of those that are open, by their places, and
/// says whether there were any. A path that refutes nothing is a mistake of the solver: the next one is asked for.
pub type Judge<'a, P> = dyn FnMut(&P, &mut Vec<usize>) -> bool + 'a;

/// A reasoner about conjectures of the kind `C`. Where the answer was `Fails`, the next question of this length
/// supposes no more than the last: what fails although more is supposed fails anyway, so a reasoner may go on with
/// what it knows.
pub trait Refuter<S: Queried, C>: Reasoner<S> {
    /// Asks until each of the conjuncts holds or was refuted by a path; `Fails` where some were.
    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, C>,
        judge: &mut Judge<'_, S::Path>,
    ) -> Result<Answer, Stopped>;
}

/// Asks about all but those that are held, so many together and the first ones first; what does not fail is held
/// from then on. `one_fails` is asked about some, and takes what it found to fail out of the list.
pub(crate) fn ask_all<C: Clone + Eq + Hash>(
    conjuncts: &[C],
    held: &mut FxHashSet<C>,
    together: usize,
    mut one_fails: impl FnMut(&[C], &mut Vec<usize>) -> Result<bool, Stopped>,
) -> Result<Answer, Stopped> {
    let mut open: Vec<usize> =
        (0..conjuncts.len()).rev().filter(|&c| !held.contains(&conjuncts[c])).collect();
    let mut answer = Answer::Holds;
    while !open.is_empty() {
        let rest = open.len().saturating_sub(together);
        let some: Vec<C> = open[rest..].iter().rev().map(|&c| conjuncts[c].clone()).collect();
        if one_fails(&some, &mut open)? {
            answer = Answer::Fails;
        } else {
            open.truncate(rest);
            held.extend(some);
        }
    }
    Ok(answer)
}
