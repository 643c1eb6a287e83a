//! Inductive validity cores: which parts of a model a proof needs.
//!
//! After Ghassabani, Gacek & Whalen, *Efficient generation of inductive validity cores for safety properties*, FSE
//! 2016. With T = T₁ ∧ … ∧ Tₙ the conjuncts of a model, its [elements](Elements), a set S ⊆ T is a *core* of a
//! property P where (I, S) ⊢ P: the model in which all other elements are [dropped](reduced) still satisfies P.
//! Cores are monotone: what contains a core is one. A core is *minimal* where no element can be dropped from it.
//!
//! | | paper | here |
//! |---|---|---|
//! | MINIMIZEK, REDUCEINVARIANTS, MINIMIZEIVC: a core from the unsatisfiable cores of a proof's queries | Algorithms 2–5 | [`ivc_uc`] |
//! | IVC_BF: a minimal core, one run of a model checker for each element | Algorithm 1 | [`ivc_bf`] |
//! | IVC_UCBF: the second, begun with what the first finds | Section 4 | [`ivc_ucbf`] |
//! | all minimal cores and all minimal cut sets | future work there | [`Enumeration`] |
//! | MUST: what is in every core | – | [`must`] |
//!
//! What must happen again and again has cores, too: [`live_slice`] and its neighbours take a proof of liveness as one
//! of safety.
//!
//! The system is the one that the front end made and the proof is about it, so that no simplification hides an
//! element. Whoever gets a core here has it checked by proving the reduced system again; nothing here is a
//! verdict.
//!
//! Limits: proofs that rest on distinct states have no core, because an element that is dropped changes what a
//! state is. Whether a set of elements suffices is as hard as model checking (Theorem 1), so a [`Prover`] may not
//! know, and *minimal* comes with the number of elements that are undecided.

mod all;
mod bits;
mod elements;
mod executions;
mod live;
mod minimal;
mod minimize;
mod path;
mod reduced;
mod split;
mod uc;
mod unrolled;

pub use all::{Enumerated, Enumeration, Map};
pub use bits::{live_words_of, proof_in_words, words_of};
pub use elements::{Element, Elements, Granularity, Kind, Part};
pub use executions::Refutation;
pub use live::{arenas_as_states, live_slice, reduced_live, with_conjuncts, with_fairness};
pub use minimal::{Decision, Minimised, Prover, Remembering, ivc_bf, ivc_ucbf, must};
pub use reduced::{reduced, slice};
pub use split::{Relation, split};
pub use uc::{Argument, Core, Effort, from_lemmas, ivc_uc, no_execution, reduce_invariants, vacuous};
pub use unrolled::{Fresh, Unsat};
