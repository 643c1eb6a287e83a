//! A buffered reader that knows where it is.
//!
//! All readers of this crate go through one: bytes come through a buffer of fixed size, so that no file is
//! ever held in memory, and the current line stays in the buffer (up to a limit), so that an error can show
//! it. A failing source looks like the end of the file until an error is made or [`Cursor::finish`] is
//! called; then the failure is reported instead.

use std::io::{self, Read};

use crate::{Diagnostic, Position};

const CAPACITY: usize = 1 << 16;
/// How much of the current line a refill keeps for error messages.
const KEPT: usize = 1 << 12;
/// No number that we read has as many digits.
const DIGITS: usize = 16;

pub(crate) struct Cursor<R> {
    source: R,
    buffer: Box<[u8]>,
    next: usize,
    filled: usize,
    /// Offset in the file of the buffer's first byte.
    base: u64,
    /// Offset in the file of the current line.
    line_start: u64,
    /// Number of the current line; 0 once a binary part has begun.
    line: u32,
    text: bool,
    crlf: bool,
    ended: bool,
    failure: Option<io::Error>,
}

impl<R: Read> Cursor<R> {
    pub fn new(source: R) -> Cursor<R> {
        Cursor {
            source,
            buffer: vec![0; CAPACITY].into_boxed_slice(),
            next: 0,
            filled: 0,
            base: 0,
            line_start: 0,
            line: 1,
            text: true,
            crlf: false,
            ended: false,
            failure: None,
        }
    }

    /// The bytes ahead: at least `count` of them, unless the file ends before.
    pub fn ahead(&mut self, count: usize) -> &[u8] {
        while self.filled - self.next < count && !self.ended {
            self.refill();
        }
        &self.buffer[self.next..self.filled]
    }

    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        if self.next == self.filled {
            self.ahead(1);
        }
        self.buffer[..self.filled].get(self.next).copied()
    }

    #[inline]
    pub fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.next += 1;
        Some(byte)
    }

    /// Goes past `count` bytes that [`ahead`](Self::ahead) has shown.
    pub fn skip(&mut self, count: usize) {
        debug_assert!(self.next + count <= self.filled);
        self.next += count;
    }

    #[cold]
    fn refill(&mut self) {
        let line = self.line_start.checked_sub(self.base).map(|at| at as usize);
        let keep = line.filter(|&at| self.text && self.next - at <= KEPT).unwrap_or(self.next);
        self.buffer.copy_within(keep..self.filled, 0);
        self.base += keep as u64;
        self.next -= keep;
        self.filled -= keep;
        match self.source.read(&mut self.buffer[self.filled..]) {
            Ok(0) => self.ended = true,
            Ok(count) => self.filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.failure = Some(error);
                self.ended = true;
            }
        }
    }

    /// Reads a decimal number of 32 bits.
    #[inline]
    pub fn number(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let mut value = 0u64;
        let mut length = 0;
        for digit in self.ahead(DIGITS).iter().map(|byte| byte.wrapping_sub(b'0')).take(DIGITS) {
            if digit > 9 {
                break;
            }
            value = 10 * value + u64::from(digit);
            length += 1;
        }
        match u32::try_from(value) {
            _ if length == 0 => Err(self.expected(what)),
            Ok(number) if length < DIGITS => {
                self.next += length;
                Ok(number)
            }
            _ => Err(self.error(format!("{what} is too large: numbers have 32 bits"))),
        }
    }

    /// Reads one blank.
    #[inline]
    pub fn blank(&mut self, before: &str) -> Result<(), Diagnostic> {
        if self.peek() != Some(b' ') {
            return Err(self.expected(&format!("a blank and {before}")));
        }
        self.next += 1;
        Ok(())
    }

    /// Reads the end of a line, in the manner of Unix or DOS; the end of the file will do.
    #[inline]
    pub fn end_of_line(&mut self) -> Result<(), Diagnostic> {
        match self.peek() {
            Some(b'\n') => self.next += 1,
            Some(b'\r') if self.ahead(2).starts_with(b"\r\n") => {
                self.crlf = true;
                self.next += 2;
            }
            None => {}
            Some(_) => return Err(self.expected("the end of the line")),
        }
        self.start_line();
        Ok(())
    }

    /// Reads the rest of the line without its end. Bytes that are not UTF-8 are replaced.
    pub fn rest_of_line(&mut self) -> String {
        let mut line = Vec::new();
        while let Some(byte) = self.bump().filter(|&byte| byte != b'\n') {
            line.push(byte);
        }
        while line.last() == Some(&b'\r') {
            line.pop();
        }
        self.start_line();
        match String::from_utf8(line) {
            Ok(line) => line,
            Err(bytes) => String::from_utf8_lossy(bytes.as_bytes()).into_owned(),
        }
    }

    fn start_line(&mut self) {
        self.line_start = self.offset();
        self.line = if self.line == 0 { 0 } else { self.line.saturating_add(1) };
    }

    /// From here on bytes are no text.
    pub fn enter_binary(&mut self) {
        self.text = false;
        self.line = 0;
    }

    /// From here on bytes are text again, but lines can no longer be counted.
    pub fn leave_binary(&mut self) {
        self.text = true;
        self.line_start = self.offset();
    }

    pub fn at_line_end(&mut self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b'\r'))
    }

    /// The number of the current line.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column of the next byte, from 1.
    pub fn column(&self) -> u32 {
        u32::try_from(self.offset() - self.line_start).map_or(u32::MAX, |c| c.saturating_add(1))
    }

    /// Whether a line ended in the manner of DOS.
    pub fn crlf(&self) -> bool {
        self.crlf
    }

    #[inline]
    pub fn offset(&self) -> u64 {
        self.base + self.next as u64
    }

    /// "Expected this, found that", here.
    #[cold]
    pub fn expected(&mut self, what: &str) -> Diagnostic {
        let lone_return = self.peek() == Some(b'\r') && !self.ahead(2).starts_with(b"\r\n");
        let message = match self.peek() {
            Some(b'\r') if lone_return => format!("expected {what}, found a carriage return"),
            None => format!("the file ends where {what} was expected"),
            Some(b'\n' | b'\r') => format!("expected {what}, found the end of the line"),
            Some(byte @ 0x21..=0x7e) => format!("expected {what}, found `{}`", char::from(byte)),
            Some(b' ') => format!("expected {what}, found a blank"),
            Some(byte) => format!("expected {what}, found the byte 0x{byte:02x}"),
        };
        self.error(message)
    }

    /// An error here.
    #[cold]
    pub fn error(&mut self, message: impl Into<String>) -> Diagnostic {
        self.error_at(self.offset(), message)
    }

    /// An error at an offset in the current line (or in the binary part).
    #[cold]
    pub fn error_at(&mut self, offset: u64, message: impl Into<String>) -> Diagnostic {
        if let Some(failure) = self.failure.take() {
            return unreadable(&failure);
        }
        let column = if self.text { (offset - self.line_start) as u32 + 1 } else { 1 };
        let error = Diagnostic::new(message).at(Position { line: self.line, column, offset });
        match self.current_line(offset) {
            Some(line) => error.with_source(line),
            None => error,
        }
    }

    /// The current line as far as it is known, where it is text and starts in the buffer.
    fn current_line(&mut self, offset: u64) -> Option<String> {
        if !self.text {
            return None;
        }
        self.ahead(256);
        let start = self.line_start.checked_sub(self.base)? as usize;
        let line = &self.buffer[start..self.filled];
        let limit = (offset - self.line_start) as usize + 256;
        let end = line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len()).min(limit);
        Some(String::from_utf8_lossy(&line[..end]).trim_end_matches('\r').to_string())
    }

    /// To be called at the end: a source that failed has not ended.
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        self.failure.take().map_or(Ok(()), |failure| Err(unreadable(&failure)))
    }
}

pub(crate) fn unreadable(error: &io::Error) -> Diagnostic {
    Diagnostic::new(format!("cannot read the file: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time, then fails or ends.
    struct Dripping<'a>(&'a [u8], bool);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && self.1 {
                return Err(io::Error::other("disk on fire"));
            }
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn numbers_and_lines_across_refills() {
        let mut cursor = Cursor::new(Dripping(b"12 4294967295\r\n7", false));
        assert_eq!(cursor.number("a number"), Ok(12));
        cursor.blank("a number").unwrap();
        assert_eq!(cursor.number("a number"), Ok(u32::MAX));
        cursor.end_of_line().unwrap();
        assert!(cursor.crlf());
        assert_eq!((cursor.line(), cursor.number("a number")), (2, Ok(7)));
        cursor.end_of_line().unwrap();
        assert_eq!(cursor.peek(), None);
    }

    #[test]
    fn errors_show_their_line() {
        let mut cursor = Cursor::new(Dripping(b"1\n23 x5\n6", false));
        cursor.number("a").unwrap();
        cursor.end_of_line().unwrap();
        cursor.number("b").unwrap();
        cursor.blank("c").unwrap();
        let error = cursor.number("a literal").unwrap_err();
        assert_eq!(error.position, Some(Position { line: 2, column: 4, offset: 5 }));
        assert_eq!(error.source_line.as_deref(), Some("23 x5"));
        assert_eq!(error.message, "expected a literal, found `x`");
    }

    #[test]
    fn too_large_numbers_are_refused() {
        for text in ["4294967296", "99999999999999999999", "0000000000000000001"] {
            let error = Cursor::new(text.as_bytes()).number("a literal").unwrap_err();
            assert_eq!(error.message, "a literal is too large: numbers have 32 bits");
        }
    }

    #[test]
    fn a_failing_source_is_no_end_of_file() {
        let mut cursor = Cursor::new(Dripping(b"12", true));
        assert_eq!(cursor.number("a"), Ok(12));
        assert_eq!(cursor.peek(), None);
        assert!(cursor.finish().unwrap_err().message.contains("disk on fire"));
        let mut cursor = Cursor::new(Dripping(b"", true));
        assert!(cursor.number("a").unwrap_err().message.contains("disk on fire"));
    }

    #[test]
    fn lines_longer_than_the_buffer() {
        let line = "z".repeat(3 * CAPACITY);
        let mut cursor = Cursor::new(line.as_bytes());
        (0..2 * CAPACITY).for_each(|_| assert_eq!(cursor.bump(), Some(b'z')));
        let error = cursor.error("here");
        assert_eq!(error.position.unwrap().column as usize, 2 * CAPACITY + 1);
        assert_eq!(cursor.rest_of_line().len(), CAPACITY);
    }
}
