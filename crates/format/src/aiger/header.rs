//! The first line: `aag` or `aig`, and five to nine counts.

use std::io::Read;

use crate::Diagnostic;
use crate::cursor::Cursor;

/// Binary files spend no byte on an input, so only this keeps a damaged header from asking for 2³¹ of them.
const MAX_BINARY_INPUTS: u32 = 1 << 26;
/// Literals are 2·variable + sign and have 32 bits.
const MAX_VARIABLES: u32 = u32::MAX >> 1;

const COUNTS: [&str; 9] = [
    "the largest variable",
    "the number of inputs",
    "the number of latches",
    "the number of outputs",
    "the number of gates",
    "the number of bad-state properties",
    "the number of constraints",
    "the number of justice properties",
    "the number of fairness constraints",
];
/// The counts that the format before 1.9 had, and that every header must have.
const REQUIRED: usize = 5;

#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub ascii: bool,
    pub variables: u32,
    pub inputs: u32,
    pub latches: u32,
    pub outputs: u32,
    pub gates: u32,
    pub bad: u32,
    pub constraints: u32,
    pub justice: u32,
    pub fairness: u32,
}

impl Header {
    pub fn read<R: Read>(cursor: &mut Cursor<R>) -> Result<Header, Diagnostic> {
        let ascii = magic(cursor)?;
        let mut counts = [0; COUNTS.len()];
        for (index, name) in COUNTS.iter().enumerate() {
            if index >= REQUIRED && cursor.at_line_end() {
                break;
            }
            cursor.blank(name)?;
            counts[index] = cursor.number(name)?;
        }
        let header = Header::new(ascii, counts);
        if let Some(problem) = header.problem() {
            // The counts are checked where the largest variable stands.
            return Err(cursor.error_at("aag ".len() as u64, problem));
        }
        cursor.end_of_line()?;
        Ok(header)
    }

    fn new(ascii: bool, counts: [u32; COUNTS.len()]) -> Header {
        let [variables, inputs, latches, outputs, gates, bad, constraints, justice, fairness] = counts;
        Header { ascii, variables, inputs, latches, outputs, gates, bad, constraints, justice, fairness }
    }

    /// Why these counts cannot be.
    fn problem(&self) -> Option<String> {
        let defined = [self.inputs, self.latches, self.gates].into_iter().map(u64::from).sum::<u64>();
        let (variables, counts) = (self.variables, self.definitions());
        if variables > MAX_VARIABLES {
            Some(format!("{variables} variables are too many: {MAX_VARIABLES} have a literal"))
        } else if u64::from(variables) < defined {
            Some(format!("the header announces {variables} variables, fewer than its {counts}"))
        } else if !self.ascii && u64::from(variables) > defined {
            Some(format!("the header announces {variables} variables; in binary it must be its {counts}"))
        } else if !self.ascii && self.inputs > MAX_BINARY_INPUTS {
            Some(format!("{} inputs are too many: at most {MAX_BINARY_INPUTS}", self.inputs))
        } else {
            None
        }
    }

    fn definitions(&self) -> String {
        format!("{} inputs + {} latches + {} gates", self.inputs, self.latches, self.gates)
    }
}

/// True for ASCII.
fn magic<R: Read>(cursor: &mut Cursor<R>) -> Result<bool, Diagnostic> {
    let first = cursor.ahead(3);
    let ascii = first.starts_with(b"aag");
    if ascii || first.starts_with(b"aig") {
        cursor.skip(3);
        return Ok(ascii);
    }
    let help = match first {
        [0x1f, 0x8b, ..] => Some("the file is compressed with gzip: unpack it first"),
        [0xfd, b'7', b'z', ..] => Some("the file is compressed with xz: unpack it first"),
        _ => None,
    };
    let error = cursor.error("not an AIGER file: it starts with neither `aag` nor `aig`");
    Err(match help {
        Some(help) => Diagnostic { source_line: None, ..error.with_help(help) },
        None => error,
    })
}
