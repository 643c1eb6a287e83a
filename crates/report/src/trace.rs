//! A trace as a table: names down, steps across. Of a model that people wrote with nodes, all streams by instance;
//! of others only changes.

use std::fmt::Write;

use buttress_driver::report::{Cell, Class, SignalReport, Stream, TraceReport};
use buttress_term::brief;

/// Columns of steps that fit beside the names.
const WIDTH: usize = 100;

/// Signals that keep their first value, named before the rest is only counted.
const STEADY: usize = 24;

/// A signal, or the numbers of the steps: what stands in each column.
struct Row<'a> {
    heading: &'a str,
    name: &'a str,
    cells: Vec<String>,
    /// Whether what the column before says already is left out.
    changes: bool,
}

impl Row<'_> {
    /// The text of a column, where the first that is shown is `from`.
    fn cell(&self, t: usize, from: usize) -> &str {
        let same = self.changes && t > from && self.cells[t] == self.cells[t - 1];
        if same { "" } else { &self.cells[t] }
    }
}

pub fn table(trace: &TraceReport) -> String {
    let mut text = match trace.signals.iter().any(|signal| signal.stream.is_some()) {
        true => by_instance(trace),
        false => changes(trace),
    };
    if let Some(back) = trace.back {
        let _ = writeln!(text, "  then again from step {back}");
    }
    text
}

/// The streams of each instance; `-` where it does not execute.
fn by_instance(trace: &TraceReport) -> String {
    let shown = |cell: &Option<Cell>| brief(cell.as_ref().map_or_else(|| "-".to_string(), Cell::to_string));
    let row = |signal: &'_ SignalReport| {
        let cells = signal.values.iter().map(shown).collect();
        (signal.stream.as_ref().expect("signals of nodes are streams").clone(), cells)
    };
    let streams: Vec<(_, Vec<String>)> = trace.signals.iter().map(row).collect();
    let numbers = Row { heading: "", name: "step", cells: numbers(trace), changes: false };
    let rows = streams.iter().map(|(stream, cells)| Row {
        heading: heading(stream),
        name: &stream.name,
        cells: cells.clone(),
        changes: false,
    });
    blocks(&std::iter::once(numbers).chain(rows).collect::<Vec<_>>(), 2)
}

/// What a stream stands under: its instance or, of the main node, what it is there.
pub fn heading(stream: &Stream) -> &str {
    match (&stream.instance[..], stream.class) {
        ("", Class::Input) => "inputs",
        ("", Class::Output) => "outputs",
        ("", Class::Local) => "locals",
        (instance, _) => instance,
    }
}

/// Each signal by its first name; those that never change are listed.
fn changes(trace: &TraceReport) -> String {
    let shown = |cell: &Option<Cell>| brief(cell.as_ref().map_or_else(|| "x".to_string(), Cell::to_string));
    let moving = |signal: &&SignalReport| signal.values.windows(2).any(|w| w[0] != w[1]);
    let (moving, steady): (Vec<&SignalReport>, Vec<&SignalReport>) =
        trace.signals.iter().filter(|signal| !signal.alias).partition(moving);
    let numbers = Row { heading: "", name: "step", cells: numbers(trace), changes: true };
    let rows = moving.iter().map(|signal| Row {
        heading: "",
        name: &signal.name,
        cells: signal.values.iter().map(shown).collect(),
        changes: true,
    });
    let mut text = blocks(&std::iter::once(numbers).chain(rows).collect::<Vec<_>>(), 1);
    if !steady.is_empty() {
        let first = |signal: &&SignalReport| format!("{} = {}", signal.name, shown(&signal.values[0]));
        let shown: Vec<String> = steady.iter().take(STEADY).map(first).collect();
        let more = steady.len().saturating_sub(STEADY);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let _ = writeln!(text, "  unchanged: {}{more}", shown.join(", "));
    }
    text
}

fn numbers(trace: &TraceReport) -> Vec<String> {
    (0..trace.steps).map(|t| t.to_string()).collect()
}

/// Lays out the rows, breaking between steps where the terminal would.
fn blocks(rows: &[Row<'_>], gap: usize) -> String {
    let names = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(WIDTH);
    let steps = rows[0].cells.len();
    let width = |t: usize| rows.iter().map(|row| row.cells[t].chars().count()).max().unwrap_or(0) + gap;
    let mut text = String::new();
    let mut from = 0;
    while from < steps {
        let mut to = from + 1;
        let mut used = names + 3 + width(from);
        while to < steps && used + width(to) <= WIDTH {
            used += width(to);
            to += 1;
        }
        let mut heading = "";
        for row in rows {
            if row.heading != heading {
                let _ = writeln!(text, "{}", row.heading);
                heading = row.heading;
            }
            let cells: String =
                (from..to).map(|t| format!("{:>w$}", row.cell(t, from), w = width(t))).collect();
            let line = format!("  {:<names$}{}{cells}", row.name, if gap == 1 { " " } else { "" });
            let _ = writeln!(text, "{}", line.trim_end());
        }
        from = to;
    }
    text
}
