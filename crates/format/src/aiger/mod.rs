//! AIGER 1.9: the file format of the hardware model checking competitions.
//!
//! Reference: A. Biere, K. Heljanko, S. Wieringa, "AIGER 1.9 and Beyond", FMV Report 11/2, JKU Linz 2011;
//! for the reset literals of certificates, the Certifaiger checker of HWMCC'24.
//!
//! ```text
//! a[ai]g M I L O A [B [C [J [F]]]]     variables, inputs, latches, outputs, gates, bad, constraints, …
//! 2                                    an input                   (ASCII only: implicit in binary)
//! 4 6 1                                a latch, its next state and reset   (binary: without the `4`)
//! 7                                    outputs, then bad, constraints, justice (sizes, literals), fairness
//! 6 4 2                                a gate 6 = 4 ∧ 2           (binary: 6-4 and 4-2, 7 bits a byte)
//! i0 request                           symbols
//! c                                    from here on: comments
//! ```
//!
//! The header decides between ASCII and binary, never the file's name. Where a file has neither bad nor
//! justice properties, its outputs are the properties (the format before 1.9).
//!
//! # What is accepted beyond the reference library
//!
//! * A latch may be reset to any literal. Whether the resets are stratified
//!   ([`BitSystem::reset_order`]) is for the caller to ask: a bad certificate is a file like any other.
//! * DOS line ends in ASCII files, a missing newline at the end of the file.
//! * Anything but a digit after the `c` that opens the comments: ABC continues on that line, in binary.
//!
//! # Limits
//!
//! * 2³¹-1 variables. Numbers have fewer than 16 digits.
//! * 2²⁶ inputs in a binary file, where an input costs no byte and a damaged header could claim any number.
//! * The largest variable defined in an ASCII file is at most 2²⁴ plus sixteen times the number of
//!   definitions: a table over all of them is made.
//! * Not kept: the order of gates and the numbering of ASCII files (see [`Aiger::numbering`]), empty symbols,
//!   bytes in symbols and comments that are not UTF-8 (they are replaced).

mod header;
mod numbering;
mod reader;
mod tables;
mod writer;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use buttress_system::{BitSystem, Lit};

use crate::Diagnostic;
use crate::cursor::unreadable;

pub use writer::{write_ascii, write_binary};

/// An AIGER file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aiger {
    pub system: BitSystem,
    /// Our literal for each variable of the file, where the file does not number inputs, latches and gates
    /// consecutively and topologically as we do. Undefined variables have an odd entry: use
    /// [`lit`](Self::lit).
    pub numbering: Option<Vec<Lit>>,
    /// The lines after the `c`.
    pub comments: Vec<String>,
    pub ascii: bool,
}

impl Aiger {
    /// Our literal for a literal of the file, where the file defines its variable.
    pub fn lit(&self, file_lit: u32) -> Option<Lit> {
        numbering::translate(self.numbering.as_deref(), self.system.num_vars(), Lit::from_code(file_lit))
    }
}

/// Reads a model. The source needs no buffer of its own and is not held in memory.
pub fn read(bytes: impl Read) -> Result<Aiger, Diagnostic> {
    reader::read(bytes, None)
}

/// Like [`read`]; knowing how long the file is, it can tell a plausible header and reserve memory at once.
pub fn read_file(path: &Path) -> Result<Aiger, Diagnostic> {
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let length = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
    reader::read(file, length)
}
