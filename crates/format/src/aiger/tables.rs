//! The symbols and comments after the gates.

use std::io::Read;

use buttress_system::{SymbolKind, Symbols};

use super::header::Header;
use crate::Diagnostic;
use crate::cursor::Cursor;

/// Reads symbols into `symbols` and returns the lines of the comment.
pub(super) fn read<R: Read>(
    cursor: &mut Cursor<R>,
    header: &Header,
    symbols: &mut Symbols,
) -> Result<Vec<String>, Diagnostic> {
    while let Some(letter) = cursor.peek() {
        let Some(kind) = SymbolKind::from_letter(letter) else { return Err(garbage(cursor, header)) };
        // `c0 …` names a constraint; any other `c` opens the comments.
        if letter == b'c' && !cursor.ahead(2).get(1).is_some_and(u8::is_ascii_digit) {
            return Ok(comments(cursor));
        }
        symbol(cursor, kind, count(header, kind), symbols)?;
    }
    Ok(Vec::new())
}

fn garbage<R: Read>(cursor: &mut Cursor<R>, header: &Header) -> Diagnostic {
    let digit = cursor.peek().is_some_and(|byte| byte.is_ascii_digit());
    let error = cursor.expected("a symbol (one of `ilobcjf` and a number), a comment or the end of the file");
    match header.ascii {
        true if digit => error.with_help(format!("the header announces {} gates", header.gates)),
        false if digit => error.with_help("if the file is ASCII, its header must say `aag`"),
        _ => error,
    }
}

fn symbol<R: Read>(
    cursor: &mut Cursor<R>,
    kind: SymbolKind,
    count: u32,
    symbols: &mut Symbols,
) -> Result<(), Diagnostic> {
    cursor.skip(1);
    let start = cursor.offset();
    let index = cursor.number("the position that a symbol names")?;
    let name = || format!("{}{index}", kind.letter());
    if index >= count {
        let message = format!("there is no {} to name: the header announces {count} of these", name());
        return Err(cursor.error_at(start, message));
    }
    cursor.blank("a name")?;
    if symbols.get(kind, index as usize).is_some() {
        return Err(cursor.error_at(start, format!("{} has a second symbol", name())));
    }
    let symbol = cursor.rest_of_line();
    if !symbol.is_empty() {
        symbols.insert(kind, index as usize, &symbol);
    }
    Ok(())
}

fn count(header: &Header, kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::Input => header.inputs,
        SymbolKind::Latch => header.latches,
        SymbolKind::Output => header.outputs,
        SymbolKind::Bad => header.bad,
        SymbolKind::Constraint => header.constraints,
        SymbolKind::Justice => header.justice,
        SymbolKind::Fairness => header.fairness,
    }
}

fn comments<R: Read>(cursor: &mut Cursor<R>) -> Vec<String> {
    cursor.skip(1);
    let mut lines = Vec::new();
    if !cursor.at_line_end() {
        lines.push(cursor.rest_of_line());
    } else {
        cursor.rest_of_line();
    }
    while cursor.peek().is_some() {
        lines.push(cursor.rest_of_line());
    }
    lines
}
