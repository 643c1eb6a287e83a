//! Test support, never shipped.
//!
//! * [`random`]: small random systems by seed, and [`Draft`], a system that can still be changed.
//! * [`reference`](mod@reference): what is true of a small system, by enumerating its states. It shares no code
//!   with the reasoners, the transformations or the checker, not even the evaluation of a gate.
//! * [`word_reference`]: the same of a small word-level system, by evaluating terms.
//! * [`fuzz`]: every engine on random systems against the reference; failures are shrunk.
//! * [`live`]: justice properties of random systems against the components of their graphs.
//! * [`ctl`]: formulas about computation trees on random systems against their graphs.
//! * [`ltl`]: formulas of temporal logic on random systems against views of their graphs.
//! * [`agree`]: every command and every engine on the same random models, against references.
//! * [`lustre`]: random Lustre models and mutants; the source against its translations.
//! * [`conformance`]: suites that every SAT solver and every reasoner must pass; a new one is one line.
//! * [`faults`]: engines that lie, to see whether the check notices.
//! * [`tree`]: where things stand in the repository, and the checker that shares no code at all.

pub mod agree;
pub mod conformance;
pub mod ctl;
mod draft;
pub mod drive;
pub mod faults;
pub mod fuzz;
pub mod live;
pub mod ltl;
pub mod lustre;
pub mod random;
pub mod reference;
pub mod tree;
pub mod word_reference;

pub use draft::Draft;
