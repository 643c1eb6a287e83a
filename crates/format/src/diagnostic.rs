//! Diagnostics about a file, with their places: rendered as a compiler would.

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// From 1; 0 in the binary part of a file and after it, where only the offset counts.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// Bytes before this one. For text this may be left 0: line and column say it all.
    pub offset: u64,
}

/// How bad it is: an error refuses the file, a warning does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// One finding in a file. The file's name is not part of it: see [`render`](Self::render).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub position: Option<Position>,
    /// How many bytes of the source line are meant, from `position` on; at least one caret is shown.
    pub length: u32,
    pub help: Option<String>,
    /// The line of the file that `position` lies in, where it is text.
    pub source_line: Option<String>,
}

/// Longer source lines are cut to this many characters around the error.
const WINDOW: usize = 100;

impl Position {
    pub fn text(line: u32, column: u32) -> Position {
        Position { line, column, offset: 0 }
    }
}

impl Diagnostic {
    pub fn new(message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic {
            severity: Severity::Error,
            message,
            position: None,
            length: 1,
            help: None,
            source_line: None,
        }
    }

    pub fn with_severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// Underlines this many bytes instead of one.
    pub fn with_length(mut self, length: u32) -> Diagnostic {
        self.length = length;
        self
    }

    pub fn at(mut self, position: Position) -> Diagnostic {
        self.position = Some(position);
        self
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    pub fn with_source(mut self, line: impl Into<String>) -> Diagnostic {
        self.source_line = Some(line.into());
        self
    }

    /// `model.aag:3:7: error: …`, the line with a caret below, and what may help; no newline at the end.
    pub fn render(&self, file: &str) -> String {
        let place = match self.position {
            None => String::new(),
            Some(Position { line: 0, offset, .. }) => format!(" byte {offset}:"),
            Some(Position { line, column, .. }) => format!("{line}:{column}:"),
        };
        let mut text = format!("{file}:{place} {}: {}", self.severity.word(), self.message);
        if let (Some(line), Some(position)) = (&self.source_line, self.position) {
            text += &excerpt(line, position.column as usize, self.length as usize);
        }
        if let Some(help) = &self.help {
            text += &format!("\nhelp: {help}");
        }
        text
    }
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// The source line and carets under `length` bytes from `column` on; tabs stay, so that carets stay below.
fn excerpt(line: &str, column: usize, length: usize) -> String {
    let before = line.char_indices().take_while(|&(at, _)| at + 1 < column).count();
    let skipped = if before < WINDOW { 0 } else { before - WINDOW / 2 };
    let shown: String = line.chars().skip(skipped).take(WINDOW).map(printable).collect();
    let blank = |c| if c == '\t' { '\t' } else { ' ' };
    let indent: String = line.chars().skip(skipped).take(before - skipped).map(blank).collect();
    let end = column + length - 1;
    let meant = line.char_indices().skip(before).take_while(|&(at, _)| at < end).count();
    let carets = "^".repeat(meant.clamp(1, (WINDOW - (before - skipped)).max(1)));
    format!("\n    {shown}\n    {indent}{carets}")
}

fn printable(c: char) -> char {
    if c.is_control() && c != '\t' { '\u{fffd}' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shown_with_a_caret() {
        let error = Diagnostic::new("literal 99 is out of range")
            .at(Position::text(3, 6))
            .with_source("14 3\t99")
            .with_help("count again");
        let expected =
            "m.aag:3:6: error: literal 99 is out of range\n    14 3\t99\n        \t^\nhelp: count again";
        assert_eq!(error.render("m.aag"), expected);
    }

    #[test]
    fn a_span_is_underlined() {
        let warning = Diagnostic::new("unguarded pre")
            .with_severity(Severity::Warning)
            .at(Position::text(2, 7))
            .with_length(5)
            .with_source("  x = pre y;");
        let expected = "m.lus:2:7: warning: unguarded pre\n      x = pre y;\n          ^^^^^";
        assert_eq!(warning.render("m.lus"), expected);
    }

    #[test]
    fn binary_is_shown_by_its_offset() {
        let position = Position { line: 0, column: 1, offset: 1234 };
        let error = Diagnostic::new("the delta is 0").at(position);
        assert_eq!(error.render("m.aig"), "m.aig: byte 1234: error: the delta is 0");
        assert_eq!(Diagnostic::new("cannot open").render("m.aig"), "m.aig: error: cannot open");
    }

    #[test]
    fn carets_survive_long_lines_and_other_alphabets() {
        let long = "0".repeat(5000) + "z" + &"1".repeat(5000);
        let text = Diagnostic::new("").at(Position::text(1, 5001)).with_source(&long).render("f");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1].find('z'), lines[2].find('^'));
        assert!(lines[1].len() < 200);
        let text = Diagnostic::new("").at(Position::text(1, 4)).with_source("äb!").render("f");
        assert!(text.ends_with("\n    äb!\n      ^"), "{text}");
    }
}
