//! Solvers behind capability traits. Nothing here knows of time, frames or states.
//!
//! * [`sat`]: the traits. A solver that cannot do something has no method for it.
//! * [`Cadical`]: CaDiCaL, for long unrollings and for the independent check.
//! * [`Stop`]: how a run is asked to end, and [`Stopped`] what it then returns.
//!
//! Every solver passes the conformance suite of `buttress-testkit`.

mod cadical;
pub mod sat;
mod stop;

pub use cadical::Cadical;
pub use stop::{Stop, Stopped};
