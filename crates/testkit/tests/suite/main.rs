//! Tests across crates, in one program.

mod agree;
mod arrows;
mod btor2;
mod certificates;
mod conformance;
mod convert;
mod cores;
mod ctl;
mod discovery;
mod faults;
mod fsis;
mod fuzz;
mod lemmas;
mod live;
mod live_certificates;
mod live_cores;
mod live_theories;
mod ltl;
mod lustre;
mod mutants;
mod seams;
mod shared;
#[path = "../../../cli/tests/support/skip.rs"]
mod skip;
mod theories;
mod transformations;
mod turns;
mod words;
