//! BTOR2: word-level hardware models, as the hardware model checking competitions and Yosys write them.
//!
//! Reference: A. Niemetz, M. Preiner, C. Wolf, A. Biere, "Btor2, BtorMC and Boolector 3.0", CAV 2018, and the
//! parser of its tools.
//!
//! ```text
//! 1 sort bitvec 8          a sort; also: sort array 1 2
//! 2 input 1 enable         an input, and what the user calls it
//! 3 state 1 count          a state, with init and next in lines of their own
//! 4 one 1                  constants: zero, one, ones, const (binary), constd, consth
//! 5 add 1 3 4              an operator, its sort, its operands; -3 stands for `not` of 3
//! 6 next 1 3 5
//! 7 bad 6                  also: constraint, output, fair, justice
//! ```
//!
//! # What becomes of it
//!
//! The only scalars of BTOR2 are words; a word of one bit serves as a truth value. In terms the two differ:
//! variables keep the width they were given, comparisons are Boolean, and what is made of Booleans by logical
//! operators stays Boolean. The two views of a bit are converted where a context wants the other one, and never
//! back and forth.
//!
//! `output` lines and named operators are observables. A state without a symbol is called by its line,
//! `state3`. An `init` that gives a word to an array fills it.
//!
//! # Limits
//!
//! * Node numbers have 32 bits, words up to [`MAX_WIDTH`] bits. An array's index is a word.
//! * As the reference parser wants it, a line reads only what stands before it.
//! * An `init` may read other states and inputs, as long as no state is read by its own `init`.
//! * `justice` and `fair` are read and written, the former with their names.

mod aliases;
mod operators;
mod reader;
mod updates;
mod witness;
mod writer;

use std::io::Read;
use std::sync::Arc;

use buttress_system::words::System;
use buttress_term::TermId;

use crate::Diagnostic;

pub use updates::{Updates, updates};
pub use witness::{read_witness, write_round, write_witness};
pub use writer::{Inexpressible, write};

pub use buttress_term::MAX_WIDTH;

/// A BTOR2 file.
#[derive(Clone, Default, Debug)]
pub struct Btor2 {
    pub system: System,
    /// Of each `justice` line, what shall hold infinitely often; Boolean.
    pub justice: Vec<Vec<TermId>>,
    /// Their names, where the file has some.
    pub justice_names: Vec<Option<Arc<str>>>,
    pub fairness: Vec<TermId>,
}

impl Btor2 {
    /// A model without justice properties.
    pub fn of(system: System) -> Btor2 {
        Btor2 { system, justice: Vec::new(), justice_names: Vec::new(), fairness: Vec::new() }
    }
}

/// Reads a model. The source needs no buffer of its own and is not held in memory.
pub fn read(bytes: impl Read) -> Result<Btor2, Diagnostic> {
    reader::read(bytes)
}

/// Whether a file that begins like this is BTOR2: its first line that is neither blank nor a comment begins with a
/// number. `None` where that line is not in sight.
pub fn begins(start: &[u8]) -> Option<bool> {
    let line =
        start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).find(|line| !matches!(line, [] | [b';', ..]))?;
    Some(line[0].is_ascii_digit())
}
