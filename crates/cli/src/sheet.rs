//! The rows of a batch for people: a line as each comes, a table of all at the end; or all as one JSON object.

use std::fmt::Write;
use std::time::Duration;

use buttress_batch::{Row, Status, Totals};
use buttress_report::json;
use serde_json::json;

use crate::command::more_severe;
use crate::exit;

pub struct Sheet {
    titles: Vec<String>,
    /// A row for each job that has one, and whether it is of an earlier batch.
    rows: Vec<Option<(Row, bool)>>,
    json: bool,
    /// Jobs that have a row.
    count: usize,
}

impl Sheet {
    pub fn new(titles: Vec<String>, json: bool) -> Sheet {
        let rows = titles.iter().map(|_| None).collect();
        Sheet { titles, rows, json, count: 0 }
    }

    /// Takes a row, and gives the line for it.
    pub fn row(&mut self, number: usize, row: Row, reused: bool) -> String {
        self.count += 1;
        let line = if self.json { String::new() } else { self.line(number, &row, reused) };
        self.rows[number] = Some((row, reused));
        line
    }

    fn line(&self, number: usize, row: &Row, reused: bool) -> String {
        let (total, title) = (self.titles.len(), &self.titles[number]);
        let width = total.to_string().len();
        let how = if reused { "reused".to_string() } else { format!("{:.2} s", row.seconds) };
        format!("[{:>width$}/{total}] {title}: {} ({how})\n", self.count, words(row))
    }

    /// The table and the totals, or everything as an object; and what ended the batch early.
    pub fn end(&self, time: Duration, error: Option<&str>) -> String {
        if self.json {
            self.object(time, error)
        } else {
            format!("\n{}{}", self.table(), self.totals_line(time))
        }
    }

    fn totals(&self) -> Totals {
        Totals::of(self.rows.iter().map(|row| row.as_ref().map(|(row, reused)| (row, *reused))))
    }

    fn table(&self) -> String {
        let width = self.titles.iter().map(|title| title.chars().count()).max().unwrap_or(0).max(5);
        let mut text = format!("{:<width$}  proved  falsified  undecided  seconds\n", "model");
        for (title, row) in self.titles.iter().zip(&self.rows) {
            let _ = writeln!(text, "{title:<width$}  {}", cells(row.as_ref().map(|(row, _)| row)));
        }
        text
    }

    fn totals_line(&self, time: Duration) -> String {
        let totals = self.totals();
        let Totals { jobs, proved, falsified, undecided, failed, reused, not_run } = totals;
        let plural = if jobs == 1 { "job" } else { "jobs" };
        let mut text = format!(
            "{jobs} {plural}: {proved} proved, {falsified} falsified, {undecided} undecided, {failed} failed"
        );
        if not_run > 0 {
            let _ = write!(text, ", {not_run} not run");
        }
        if reused > 0 {
            let _ = write!(text, "; {reused} reused");
        }
        let _ = writeln!(text, "; in {:.2} s", time.as_secs_f64());
        text
    }

    fn object(&self, time: Duration, error: Option<&str>) -> String {
        let job = |(title, row): (&String, &Option<(Row, bool)>)| match row {
            Some((row, reused)) => json!({"job": title, "reused": reused, "row": row}),
            None => json!({"job": title, "reused": false, "row": null}),
        };
        let jobs: Vec<_> = self.titles.iter().zip(&self.rows).map(job).collect();
        let object = json!({
            "jobs": jobs,
            "totals": self.totals(),
            "errors": error.as_slice(),
            "seconds": time.as_secs_f64(),
            "exit_code": if error.is_some() { exit::FAULT } else { self.exit_code() },
        });
        json::object(json::Kind::Batch, &object)
    }

    /// As `check` has it for many properties; a job without a row is undecided.
    pub fn exit_code(&self) -> u8 {
        let code = |row: &Option<(Row, bool)>| match row.as_ref().map(|(row, _)| row.status()) {
            Some(Status::Proved) => exit::PROVED,
            Some(Status::Falsified) => exit::FALSIFIED,
            Some(Status::Undecided) | None => exit::UNDECIDED,
            Some(Status::Failed) => exit::FAULT,
        };
        self.rows.iter().map(code).fold(exit::PROVED, more_severe)
    }
}

/// What is known of a job, in a few words.
fn words(row: &Row) -> String {
    if row.status() == Status::Failed {
        let why = row.error.as_deref().unwrap_or("its verdicts and its exit code contradict each other");
        return format!("failed: {}", first_line(why));
    }
    let kinds =
        [(Status::Proved, "proved"), (Status::Falsified, "falsified"), (Status::Undecided, "undecided")];
    let counted = kinds.iter().map(|(status, word)| (row.count(*status), word));
    let some: Vec<String> =
        counted.filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    match (some.is_empty(), row.status(), &row.error) {
        (false, ..) => some.join(", "),
        (true, Status::Undecided, Some(error)) => first_line(error),
        (true, Status::Undecided, None) => "undecided".to_string(),
        (true, ..) => "no properties".to_string(),
    }
}

/// Of a text that may come from another machine: nothing that a terminal would obey.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(400).collect()
}

/// The cells of a row of the table.
fn cells(row: Option<&Row>) -> String {
    match row {
        None => format!("{:>6}", "not run"),
        Some(row) if row.status() == Status::Failed => format!("{:>6}  {:>29.2}", "failed", row.seconds),
        Some(row) => format!(
            "{:>6}  {:>9}  {:>9}  {:>7.2}",
            row.count(Status::Proved),
            row.count(Status::Falsified),
            row.count(Status::Undecided),
            row.seconds
        ),
    }
}
