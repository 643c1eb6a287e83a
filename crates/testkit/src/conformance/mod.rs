//! Conformance suites for solvers and reasoners, instantiated once for each of them:
//!
//! ```ignore
//! buttress_testkit::sat_conformance!(cadical, |stop: &Stop| Cadical::new(stop, 0));
//! buttress_testkit::reasoner_conformance!(bits, |system| Bits::new(system, make, &Stop::new()));
//! ```
//!
//! Everything is compared with enumeration: of assignments for solvers, of states for reasoners.

pub mod paths;
pub mod reasoner;
pub mod relative;
pub mod sat;
