//! The source with its properties and cores marked.

use std::collections::BTreeMap;

use buttress_driver::Report;
use buttress_driver::report::{CoreReport, Finding, Outcome};
use buttress_system::words::Span;
use maud::{Markup, html};

/// A source of more lines is shown only near to what is marked.
const WHOLE: usize = 3000;

/// Lines shown before and after what is marked, of a long source.
const NEAR: usize = 30;

pub struct Listing<'a> {
    lines: Vec<&'a str>,
    /// By line from 1, how it looks: the property whose verdict is worst there.
    properties: BTreeMap<usize, &'static str>,
    /// By line, columns from and to, and the property that needs what stands there.
    needed: BTreeMap<usize, Vec<(usize, usize, usize)>>,
}

impl<'a> Listing<'a> {
    pub fn of(report: &'a Report) -> Option<Listing<'a>> {
        let lines: Vec<&str> = report.source.as_ref()?.lines().collect();
        let mut source = Listing { lines, properties: BTreeMap::new(), needed: BTreeMap::new() };
        for (place, finding) in report.properties.iter().enumerate() {
            source.mark(place, finding);
        }
        Some(source)
    }

    fn mark(&mut self, place: usize, finding: &Finding) {
        let class = super::look(&finding.outcome).0;
        for line in finding.span.iter().flat_map(|span| span.line..=span.end_line.max(span.line)) {
            let known = self.properties.entry(line as usize).or_insert(class);
            let severity = |class: &str| ["good", "open", "bad"].iter().position(|c| *c == class);
            if severity(class) > severity(known) {
                *known = class;
            }
        }
        if let Outcome::Proved(proved) = &finding.outcome
            && let Some(CoreReport::Known { places, .. }) = &proved.core
        {
            places.iter().flatten().for_each(|span| self.need(place, span));
        }
    }

    fn need(&mut self, place: usize, span: &Span) {
        let (first, last) = (span.line as usize, span.end_line.max(span.line) as usize);
        for line in first..=last {
            let from = if line == first { span.column.saturating_sub(1) as usize } else { 0 };
            let to = if line == last { span.end_column.saturating_sub(1) as usize } else { usize::MAX };
            self.needed.entry(line).or_default().push((from, to.max(from), place));
        }
    }

    /// Whether a line is shown.
    fn is_near(&self, line: usize) -> bool {
        let near = line.saturating_sub(NEAR)..=line + NEAR;
        self.lines.len() <= WHOLE
            || self.properties.range(near.clone()).next().is_some()
            || self.needed.range(near).next().is_some()
    }

    pub fn markup(&self) -> Markup {
        let mut gap = false;
        html! {
            section.source {
                h2 { "Listing" }
                pre tabindex="0" {
                    @for (line, text) in (1..).zip(&self.lines) {
                        @if self.is_near(line) {
                            ({ gap = false; self.line(line, text) })
                        } @else if !std::mem::replace(&mut gap, true) {
                            span.gap data-n="" { "…" }
                        }
                    }
                }
            }
        }
    }

    fn line(&self, line: usize, text: &str) -> Markup {
        let class = self.properties.get(&line).map(|class| format!("at {class}"));
        html! {
            span id=(format!("L{line}")) data-n=(line) class=[class] {
                @match self.needed.get(&line) {
                    Some(ranges) => (pieces(text, ranges)),
                    None => (text),
                }
            }
        }
    }
}

/// A line in which ranges are marked, each with those who need it.
fn pieces(text: &str, ranges: &[(usize, usize, usize)]) -> Markup {
    let characters: Vec<char> = text.chars().collect();
    let indent = text.chars().take_while(|c| c.is_whitespace()).count();
    let inside =
        |column: usize, &&(from, to, _): &&(usize, usize, usize)| (from.max(indent)..to).contains(&column);
    let needing = |column: usize| -> Vec<String> {
        let mut places: Vec<usize> = ranges.iter().filter(|r| inside(column, r)).map(|r| r.2).collect();
        places.sort_unstable();
        places.dedup();
        places.iter().map(usize::to_string).collect()
    };
    let mut pieces: Vec<(String, Vec<String>)> = Vec::new();
    for (column, &character) in characters.iter().enumerate() {
        let needing = needing(column);
        match pieces.last_mut() {
            Some((piece, by)) if *by == needing => piece.push(character),
            _ => pieces.push((character.to_string(), needing)),
        }
    }
    html! {
        @for (piece, by) in pieces {
            @if by.is_empty() { (piece) } @else { mark data-of=(by.join(" ")) { (piece) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn ranges_that_overlap_are_told_apart() {
        let marked = pieces("  a < b;", &[(0, 5, 0), (4, 7, 2)]).into_string();
        let expected =
            "  <mark data-of=\"0\">a </mark><mark data-of=\"0 2\">&lt;</mark><mark data-of=\"2\"> b</mark>;";
        assert_eq!(marked, expected);
    }
}
