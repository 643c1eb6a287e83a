//! Files: what a user hands in, and what Buttress hands back.
//!
//! | module | file | direction |
//! |---|---|---|
//! | [`aiger`] | AIGER 1.9 models and certificates, ASCII and binary | read, write |
//! | [`btor2`] | BTOR2 models and witnesses | read, write |
//! | [`cubicle`] | Cubicle models | read |
//! | [`certificate`] | witness circuits of safe models | make, interpret |
//! | [`witness`] | AIGER witnesses of violated properties | read, write |
//! | [`stimulus`] | input values for a simulation, one line a step | read |
//! | [`waveform`] | VCD and FST of a trace, for waveform viewers | write |
//! | [`vmt`] | VMT-LIB models | read, write |
//! | [`moxi`] | MoXI models | read |
//! | [`obligations`] | certificates about words | write |
//! | [`lemmas`] | a user's lemmas about a model | read |
//! | [`statements`] | the same in the language of the model, as texts | read |
//! | [`terms`] | terms over the variables of a model, one by one | read, write |
//! | [`ltl`] | formulas of linear temporal logic | read |
//! | [`ctl`] | formulas of computation tree logic | read |
//! | [`formula`] | what both are made of | read |
//! | [`yosys`] | names that Yosys writes next to a model (`-map`, `-ywmap`) | read |
//!
//! Every reader answers with a value or with one [`Diagnostic`] that says where the file is wrong and what
//! was expected. Readers never panic, whatever the bytes, and allocate in proportion to what they have read:
//! a header is a claim, not a size. Nothing in this crate prints, and only [`aiger::read_file`] opens a file.

pub mod aiger;
pub mod btor2;
pub mod certificate;
pub mod ctl;
pub mod cubicle;
mod cursor;
pub mod diagnostic;
pub mod fingerprint;
pub mod formula;
mod fst;
pub mod lemmas;
pub mod ltl;
pub mod moxi;
pub mod obligations;
pub mod quantified;
mod relation;
mod smtlib;
pub mod statements;
pub mod stimulus;
pub mod terms;
mod vcd;
mod vectors;
pub mod vmt;
pub mod waveform;
pub mod witness;
pub mod yosys;

pub use aiger::Aiger;
pub use btor2::Btor2;
pub use diagnostic::{Diagnostic, Position, Severity};
pub use waveform::{Style, Waveform};
pub use witness::Witness;
