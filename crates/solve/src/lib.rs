//! Solvers behind capability traits. Nothing here knows of time, frames or states.
//!
//! * [`sat`]: the traits. A solver that cannot do something has no method for it.
//! * [`Cadical`]: CaDiCaL, for long unrollings and for the independent check.
//! * [`Cdcl`]: our own, for the many small queries of IC3 and FSIS.
//! * [`bdd`]: binary decision diagrams.
//! * [`smt`]: SMT solvers, as processes.
//! * [`Stop`]: how a run is asked to end, and [`Stopped`] what it then returns.
//!
//! Every SAT solver passes the conformance suite of `buttress-testkit`.

pub mod bdd;
mod cadical;
mod cdcl;
mod heap;
mod justification;
pub mod sat;
pub mod smt;
mod stop;

pub use cadical::Cadical;
pub use cdcl::Cdcl;
pub use stop::{Stop, Stopped, Turn};
