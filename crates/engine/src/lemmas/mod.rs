//! Proofs from lemmas that somebody states: a user's, or those of an earlier run.
//!
//! * [`clauses`]: clauses over latches, group by group;
//! * [`stated`](mod@stated): formulas in the language of a model, which are properties of the system;
//! * [`houdini`]: of candidates, the largest part that is inductive together.

mod clauses;
mod houdini;
mod stated;

pub use clauses::{Failure, Incremental, incremental};
pub(crate) use houdini::inductive_part;
pub use houdini::{largest_inductive, largest_stated};
pub use stated::{Stated, Together, Unproved, stated};
