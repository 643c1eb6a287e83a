//! Tests across crates, in one program.

mod arrows;
mod btor2;
mod certificates;
mod conformance;
mod convert;
mod faults;
mod fuzz;
mod lemmas;
mod shared;
mod transformations;
mod turns;
mod words;
