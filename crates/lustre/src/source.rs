//! The text of a model: spans in it, and findings about it.
//!
//! Phases speak of a [`Span`], a range of bytes. Line, column and the source line are computed only when a
//! finding is shown. A phase appends to [`Findings`] and goes on; who calls it decides whether to stop.

use buttress_format::{Diagnostic, Position, Severity};

/// Bytes `start..end` of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// From the start of this one to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// A text with the offsets of its lines.
pub struct Source {
    text: String,
    lines: Vec<u32>,
}

impl Source {
    pub fn new(text: String) -> Source {
        let after_newlines =
            text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(after_newlines).collect();
        Source { text, lines }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Line and column of a byte, both from 1.
    pub fn position(&self, at: u32) -> Position {
        let line = self.lines.partition_point(|&start| start <= at);
        Position::text(line as u32, at - self.lines[line - 1] + 1)
    }

    /// The byte at a line and a column, or the end of the text.
    pub fn offset(&self, line: u32, column: u32) -> usize {
        let start = self.lines.get(line as usize - 1).map_or(self.text.len(), |&start| start as usize);
        (start + column as usize - 1).min(self.text.len())
    }

    fn line(&self, number: u32) -> &str {
        let start = self.lines[number as usize - 1] as usize;
        let end = self.lines.get(number as usize).map_or(self.text.len(), |&next| next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let position = self.position(finding.span.start);
        let line = self.line(position.line);
        let room = (line.len() as u32 + 1).saturating_sub(position.column);
        let length = (finding.span.end - finding.span.start).min(room).max(1);
        let shown = Diagnostic::new(&finding.message)
            .with_severity(finding.severity)
            .at(position)
            .with_length(length)
            .with_source(line);
        match &finding.help {
            Some(help) => shown.with_help(help),
            None => shown,
        }
    }
}

/// Something to tell the user about a piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

/// All that was found so far.
#[derive(Default, Debug)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        self.add(Severity::Error, span, message.into())
    }

    pub fn warn(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        self.add(Severity::Warning, span, message.into())
    }

    pub fn note(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        self.add(Severity::Note, span, message.into())
    }

    fn add(&mut self, severity: Severity, span: Span, message: String) -> &mut Finding {
        self.list.push(Finding { severity, span, message, help: None });
        self.list.last_mut().expect("just pushed")
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|f| f.severity == Severity::Error)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// In the order of the text, each once.
    pub fn diagnostics(mut self, source: &Source) -> Vec<Diagnostic> {
        self.list.sort_by(|a, b| (a.span, b.severity, &a.message).cmp(&(b.span, a.severity, &b.message)));
        self.list.dedup();
        self.list.iter().map(|finding| source.diagnostic(finding)).collect()
    }
}

impl Finding {
    pub fn help(&mut self, help: impl Into<String>) {
        self.help = Some(help.into());
    }
}
