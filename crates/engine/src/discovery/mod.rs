//! Invariant discovery by instantiation: KIND-INV (Kahsai, Ge & Tinelli, *Instantiation-Based Invariant
//! Discovery*, NFM 2011).
//!
//! A template `_ ⪯ _` and a set U of terms; C is the conjunction of all instances, weakened by models until it
//! holds (Figure 1). With `I` the starts and `T` the steps:
//!
//! 1. for n = 0, 1, …: `I(x₀) ∧ T^n ∧ ¬C(x_n)`; a model takes the conjuncts away that its last state falsifies.
//!    Done when a whole round takes none away, or at a limit;
//! 2. for a k: `⋀_{t<k} C(x_t) ∧ T^k ∧ ¬C(x_k)`, in the same way. What is left is k-inductive;
//! 3. where wanted: `T ∧ ¬C(x₁)`; what is left follows from one step alone, is *trivial* and goes.
//!
//! All instances are conjectured at once, and a model takes away whatever it falsifies; of clauses about bits the
//! reasoner asks for some at a time, because a SAT solver is slow to see that none of thousands fails. The partial
//! order keeps C compact (`conjecture`): chains for any order (`chains`), a graph for two values (`dag`). Several
//! templates are weakened together, as one conjunction, because they may need each other.
//!
//! Beyond the paper (its Section 5): *progressive*, for k = 1, 2, … phase 1 goes k states deep, phase 2 runs on a
//! copy of C, and what is k-inductive is told and learned before k+1 is asked. Also beyond it: random executions
//! weaken C before the first question, and each model is continued at random as long as that takes conjuncts away.
//! In phase 1 every state on it is reachable. In phase 2, with C* the largest k-inductive conjunction of
//! instances, C implies C* in all rounds, so C* holds in the states before the last of a model, therefore in the
//! last, and so on: whatever fails in a state that follows is not part of C*.
//!
//! k counts as everywhere here: plain induction is k = 1; the paper says 0.
//!
//! Who is asked is a [`Refuter`](buttress_query::Refuter); what the terms are, [`Instances`] say: [`words`] and
//! [`bits`]. What comes out is not checked here: nobody may be told before it was.

mod bits;
pub mod chains;
mod classes;
mod conjecture;
pub mod dag;
mod engine;
mod lanes;
pub mod merge;
mod order;
mod scheme;
mod selection;
#[cfg(test)]
mod tests;
mod tidy;
mod words;

pub use bits::BitInstances;
pub use conjecture::{Atom, Family, Values};
pub use engine::RefuterOf;
pub(crate) use engine::{discover_bits, discover_words};
pub use lanes::Lanes;
pub use order::{Order, Template};
pub use scheme::{Found, Instances, Options, Outcome, discover};
pub use selection::{Kinds, Selection};
pub use words::WordInstances;

/// The length of the longest path of a graph without circles.
fn height(above: &[Vec<usize>]) -> usize {
    let mut height = vec![0; above.len()];
    for node in dag::leaves_first(above) {
        height[node] = 1 + above[node].iter().map(|&a| height[a]).max().unwrap_or(0);
    }
    height.into_iter().max().unwrap_or(0)
}
