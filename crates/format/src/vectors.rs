//! Lines of `0`, `1` and `x`: what witnesses and stimuli are made of.
//!
//! A line has one digit for each input or latch, so that it is blank where there are none. Lines that start
//! with `c` are comments.

use std::io::Read;

use buttress_system::Ternary;

use crate::Diagnostic;
use crate::cursor::Cursor;

/// Goes past comments.
pub(crate) fn skip_comments<R: Read>(cursor: &mut Cursor<R>) {
    while cursor.peek() == Some(b'c') {
        cursor.rest_of_line();
    }
}

/// Goes past a line with a single dot, where there is one.
pub(crate) fn dot<R: Read>(cursor: &mut Cursor<R>) -> Result<bool, Diagnostic> {
    if cursor.peek() != Some(b'.') {
        return Ok(false);
    }
    cursor.skip(1);
    cursor.end_of_line()?;
    Ok(true)
}

/// Reads a line with the values of `width` things, say `inputs`.
pub(crate) fn vector<R: Read>(
    cursor: &mut Cursor<R>,
    width: usize,
    things: &str,
) -> Result<Vec<Ternary>, Diagnostic> {
    let mut values = Vec::with_capacity(width);
    while values.len() < width {
        let value = match cursor.peek() {
            Some(b'0') => Ternary::Zero,
            Some(b'1') => Ternary::One,
            Some(b'x') => Ternary::X,
            _ if cursor.at_line_end() && !values.is_empty() => {
                let message = format!("{} values for {width} {things}", values.len());
                return Err(cursor.error(message));
            }
            _ => return Err(cursor.expected(&format!("`0`, `1` or `x` for each of {width} {things}"))),
        };
        values.push(value);
        cursor.skip(1);
    }
    if !cursor.at_line_end() {
        return Err(cursor.expected(&format!("the end of the line after the values of {width} {things}")));
    }
    cursor.end_of_line()?;
    Ok(values)
}
