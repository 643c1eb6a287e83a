//! Tests across crates, in one program.

mod agree;
mod arrows;
mod btor2;
mod certificates;
mod conformance;
mod convert;
mod cores;
mod discovery;
mod faults;
mod fsis;
mod fuzz;
mod lemmas;
mod lustre;
mod mutants;
mod seams;
mod shared;
mod theories;
mod transformations;
mod turns;
mod words;
