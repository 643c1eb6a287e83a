//! Input values for a simulation: one line a step, with `0`, `1` or `x` for each input in the order of the
//! file. A line with a single dot ends the stimulus, as does the end of the file; lines that start with `c`
//! are comments. Blank lines are steps of a model without inputs, and errors elsewhere.
//!
//! This is the format that the AIGER tool `aigsim` reads, with comments and `x` everywhere.

use std::io::Read;

use buttress_system::{BitSystem, Ternary};

use crate::Diagnostic;
use crate::cursor::Cursor;
use crate::vectors::{dot, skip_comments, vector};

/// The values of the inputs at each step; at least one step.
pub fn read(bytes: impl Read, system: &BitSystem) -> Result<Vec<Vec<Ternary>>, Diagnostic> {
    let mut cursor = Cursor::new(bytes);
    let mut steps = Vec::new();
    skip_comments(&mut cursor);
    while cursor.peek().is_some() && !dot(&mut cursor)? {
        steps.push(vector(&mut cursor, system.num_inputs(), "inputs")?);
        skip_comments(&mut cursor);
    }
    cursor.finish()?;
    if steps.is_empty() {
        return Err(cursor.error("the stimulus has no step"));
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str, inputs: usize) -> Result<Vec<String>, String> {
        let rows = read(text.as_bytes(), &BitSystem::new(inputs, 0)).map_err(|error| error.render("s"))?;
        Ok(rows.iter().map(|row| row.iter().map(|value| value.digit()).collect()).collect())
    }

    #[test]
    fn a_line_is_a_step() {
        assert_eq!(digits("01x\nc a comment\n110\r\n.\nrest", 3).unwrap(), ["01x", "110"]);
        assert_eq!(digits("c first\n0\n1", 1).unwrap(), ["0", "1"]);
        assert_eq!(digits("\n\n", 0).unwrap(), ["", ""]);
    }

    #[test]
    fn errors_have_their_place() {
        let table = [
            ("01\n0\n", 2, "s:2:2: error: 1 values for 2 inputs"),
            ("01\n011\n", 2, "s:2:3: error: expected the end of the line after the values of 2 inputs"),
            ("0\n\n1\n", 1, "s:2:1: error: expected `0`, `1` or `x` for each of 1 inputs, found the end"),
            ("0Z\n", 2, "s:1:2: error: expected `0`, `1` or `x` for each of 2 inputs, found `Z`"),
            ("0\n.x\n", 1, "s:2:2: error: expected the end of the line, found `x`"),
            ("c nothing\n.\n", 1, "the stimulus has no step"),
            ("", 0, "the stimulus has no step"),
        ];
        for (text, inputs, expected) in table {
            let error = digits(text, inputs).unwrap_err();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
