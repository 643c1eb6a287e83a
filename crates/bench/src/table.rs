//! The summary of a benchmark, as an aligned table and as markdown.
//!
//! PAR-2 is the mean over all files of the CPU seconds, where a file without an answer counts
//! twice the limit. Every definite answer counts as solved, a contested one too: disagreements
//! are listed below the table and are for the reader to settle.

use std::fmt::Write;

use super::claims::{Claim, Claims, Disagreement, disagreement};
use super::outcome::{Outcome, Verdict};
use super::suite::ModelFile;

/// How many files are named in one line before the rest is only counted.
const NAMED_FILES: usize = 8;

/// The outcomes of all tools on one file, in the order of the tools.
#[derive(Clone, Debug)]
pub struct FileResult {
    pub model: ModelFile,
    pub outcomes: Vec<Outcome>,
}

/// A finished benchmark.
#[derive(Clone, Debug)]
pub struct Report {
    pub tools: Vec<String>,
    pub files: Vec<FileResult>,
    pub disagreements: Vec<Disagreement>,
    /// The CPU limit in seconds.
    pub limit: f64,
}

/// One tool's line in the summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// How often each verdict was given, in the order of [`Verdict::ALL`].
    pub counts: [usize; 6],
    pub solved: usize,
    /// Mean CPU seconds, an unsolved file counting twice the limit.
    pub par2: f64,
    /// CPU seconds spent on the solved files.
    pub total: f64,
    /// Median CPU seconds of the solved files.
    pub median: Option<f64>,
}

impl FileResult {
    /// The tools' definite verdicts and those from elsewhere, if they differ.
    pub fn disagreement(&self, tools: &[String], claims: &Claims) -> Option<Disagreement> {
        let answers = tools.iter().zip(&self.outcomes).filter(|(_, o)| o.verdict.is_definite());
        let mut parties: Vec<Claim> =
            answers.map(|(tool, o)| Claim { source: tool.clone(), verdict: o.verdict }).collect();
        parties.extend(claims.about(&self.model.path));
        disagreement(&self.model.label, parties)
    }

    /// The only tool with an answer, by its place.
    fn only_solver(&self) -> Option<usize> {
        let places = self.outcomes.iter().enumerate();
        let mut solvers = places.filter(|(_, o)| o.verdict.is_definite());
        let (first, _) = solvers.next()?;
        solvers.next().is_none().then_some(first)
    }
}

impl Report {
    /// Compares all files' outcomes with one another and with the claims.
    pub fn new(tools: Vec<String>, files: Vec<FileResult>, claims: &Claims, limit: f64) -> Report {
        let disagreements = files.iter().filter_map(|file| file.disagreement(&tools, claims)).collect();
        Report { tools, files, disagreements, limit }
    }

    /// The outcomes of the tool at this place, file by file.
    pub fn outcomes_of(&self, tool: usize) -> impl Iterator<Item = &Outcome> {
        self.files.iter().filter_map(move |file| file.outcomes.get(tool))
    }

    /// The scores of all tools.
    fn scores(&self) -> Vec<Score> {
        let places = 0..self.tools.len();
        places.map(|tool| Score::of(self.outcomes_of(tool), self.limit)).collect()
    }

    /// For every tool, the files that it alone solved.
    fn solved_only_by(&self) -> Vec<Vec<&str>> {
        let mut files = vec![Vec::new(); self.tools.len()];
        for file in &self.files {
            if let Some(tool) = file.only_solver() {
                files[tool].push(file.model.label.as_str());
            }
        }
        files
    }

    /// The aligned table for the terminal, with what is below it.
    pub fn text(&self) -> String {
        let mut text = aligned(&self.cells());
        let _ = writeln!(text, "\n{}", self.caption());
        for (tool, files) in self.tools.iter().zip(self.solved_only_by()) {
            if self.tools.len() > 1 && !files.is_empty() {
                let _ = writeln!(text, "solved only by {tool}: {}", brief_list(&files));
            }
        }
        if self.disagreements.is_empty() {
            text.push_str("no disagreements\n");
        } else {
            let count = counted(self.disagreements.len(), "disagreement");
            let _ = writeln!(text, "\n*** {} ***", count.to_uppercase());
            for disagreement in &self.disagreements {
                let _ = writeln!(text, "*** {disagreement}");
            }
        }
        text
    }

    /// The report for a file.
    pub fn markdown(&self) -> String {
        let mut text = format!("# Benchmark\n\n{}\n\n{}", self.caption(), piped(&self.cells()));
        if self.tools.len() > 1 {
            text.push_str("\n## Solved only by\n\n");
            for (tool, files) in self.tools.iter().zip(self.solved_only_by()) {
                let _ = writeln!(text, "- {}: {}", escaped(tool), files.len());
                for file in files {
                    let _ = writeln!(text, "  - `{file}`");
                }
            }
        }
        let _ = writeln!(text, "\n## Disagreements\n");
        if self.disagreements.is_empty() {
            text.push_str("None.\n");
        }
        for disagreement in &self.disagreements {
            let _ = writeln!(text, "- **{}**", escaped(&disagreement.to_string()));
        }
        text
    }

    fn caption(&self) -> String {
        let files = counted(self.files.len(), "file");
        format!("{files}, CPU limit {} s per run", self.limit)
    }

    /// The table's cells, the header included.
    fn cells(&self) -> Vec<Vec<String>> {
        let mut header = vec!["tool".to_owned(), "solved".to_owned()];
        header.extend(Verdict::ALL.map(|verdict| verdict.to_string()));
        header.extend(["PAR-2", "CPU solved", "median"].map(str::to_owned));
        let rows = self.tools.iter().zip(self.scores()).map(|(tool, score)| score.cells(tool));
        std::iter::once(header).chain(rows).collect()
    }
}

impl Score {
    /// Scores the outcomes of one tool.
    pub fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>, limit: f64) -> Score {
        let mut counts = [0; 6];
        let mut times = Vec::new();
        for outcome in outcomes {
            if let Some(place) = Verdict::ALL.iter().position(|v| *v == outcome.verdict) {
                counts[place] += 1;
            }
            if outcome.verdict.is_definite() {
                times.push(outcome.cpu);
            }
        }
        let files: usize = counts.iter().sum();
        let total = times.iter().fold(0.0, |sum, time| sum + time);
        let unsolved = (files - times.len()) as f64;
        Score {
            counts,
            solved: times.len(),
            par2: (total + unsolved * 2.0 * limit) / files.max(1) as f64,
            total,
            median: median(times),
        }
    }

    /// The cells of the tool's row.
    fn cells(&self, tool: &str) -> Vec<String> {
        let mut cells = vec![tool.to_owned(), self.solved.to_string()];
        cells.extend(self.counts.map(|count| count.to_string()));
        cells.push(format!("{:.3}", self.par2));
        cells.push(format!("{:.2}", self.total));
        cells.push(self.median.map_or("-".to_owned(), |median| format!("{median:.3}")));
        cells
    }
}

/// The middle value, or the mean of the two.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// A number of things, one or several.
fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// How many, and the names of the first few.
fn brief_list(files: &[&str]) -> String {
    let named = files.iter().take(NAMED_FILES).copied().collect::<Vec<_>>().join(", ");
    let more = files.len().saturating_sub(NAMED_FILES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} ({named}{rest})", files.len())
}

/// Columns under one another: the first to the left, the numbers to the right.
fn aligned(cells: &[Vec<String>]) -> String {
    let columns = cells.first().map_or(0, Vec::len);
    let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in cells {
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match at {
                0 => write!(text, "{cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

/// A markdown table.
fn piped(cells: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (at, row) in cells.iter().enumerate() {
        let row: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(text, "| {} |", row.join(" | "));
        if at == 0 {
            let _ = writeln!(text, "|---|{}", "---:|".repeat(row.len().saturating_sub(1)));
        }
    }
    text
}

/// Keeps markdown from reading meaning into a name.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '[' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(label: &str, outcomes: &[(Verdict, f64)]) -> FileResult {
        let model = ModelFile { path: label.to_owned(), label: label.to_owned() };
        let outcomes = outcomes.iter().map(|(verdict, cpu)| Outcome::sample(*verdict, *cpu));
        FileResult { model, outcomes: outcomes.collect() }
    }

    fn report() -> Report {
        let files = vec![
            file("a.aig", &[(Verdict::Safe, 1.0), (Verdict::Safe, 3.0)]),
            file("b.aig", &[(Verdict::Unsafe, 2.0), (Verdict::Time, 10.0)]),
            file("c|d.aig", &[(Verdict::Safe, 4.0), (Verdict::Unsafe, 1.0)]),
            file("e.aig", &[(Verdict::Error, 0.5), (Verdict::Memory, 7.0)]),
        ];
        Report::new(vec!["x".to_owned(), "y".to_owned()], files, &Claims::default(), 10.0)
    }

    #[test]
    fn scores() {
        let scores = report().scores();
        assert_eq!(scores[0].counts, [2, 1, 0, 0, 0, 1]);
        assert_eq!((scores[0].solved, scores[1].solved), (3, 2));
        assert_eq!(scores[0].par2, (1.0 + 2.0 + 4.0 + 20.0) / 4.0);
        assert_eq!(scores[1].par2, (3.0 + 1.0 + 20.0 + 20.0) / 4.0);
        assert_eq!((scores[0].median, scores[1].median), (Some(2.0), Some(2.0)));
        assert_eq!((scores[0].total, scores[1].total), (7.0, 4.0));
    }

    #[test]
    fn nothing_solved_is_twice_the_limit() {
        let score = Score::of([Outcome::sample(Verdict::Time, 5.0)].iter(), 5.0);
        assert_eq!((score.par2, score.median, score.total), (10.0, None, 0.0));
        assert_eq!(Score::of([].iter(), 5.0).par2, 0.0);
    }

    #[test]
    fn the_table_is_aligned_and_the_disagreement_loud() {
        let text = report().text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("tool  solved  safe  unsafe"));
        assert_eq!(lines[0].len(), lines[1].len());
        assert!(text.contains("solved only by x: 1 (b.aig)"));
        assert!(text.contains("*** 1 DISAGREEMENT ***"));
        assert!(text.contains("*** c|d.aig: safe according to x; unsafe according to y"));
    }

    #[test]
    fn the_markdown_holds_the_same() {
        let text = report().markdown();
        assert!(text.contains("| x | 3 | 2 | 1 | 0 | 0 | 0 | 1 | 6.750 | 7.00 | 2.000 |"));
        assert!(text.contains("- x: 1\n  - `b.aig`\n- y: 0\n"));
        assert!(text.contains("**c\\|d.aig: safe according to x; unsafe according to y**"));
    }

    #[test]
    fn long_lists_are_cut() {
        let files = ["f"; 10];
        assert_eq!(brief_list(&files), "10 (f, f, f, f, f, f, f, f and 2 more)");
    }
}
