//! A trace as a table: names down, steps across, only changes.

use std::fmt::Write;

use buttress_system::{BitSystem, Trace, Wave, Waves};
use buttress_term::{Value, brief};

/// A value, or `x` where it is unknown.
pub fn cell(value: &Option<Value>) -> String {
    value.as_ref().map_or("x".to_string(), Value::to_string)
}

/// Columns of steps that fit beside the names.
const WIDTH: usize = 100;

/// Signals that keep their first value, named before the rest is only counted.
const STEADY: usize = 24;

/// A trace of bits.
pub fn table(system: &BitSystem, trace: &Trace) -> String {
    waves_table(&Waves::of_bits(system, trace))
}

/// Each signal by its first name.
pub fn waves_table(shown: &Waves) -> String {
    let moving = |wave: &&Wave| wave.values.windows(2).any(|w| w[0] != w[1]);
    let (moving, steady): (Vec<&Wave>, Vec<&Wave>) =
        shown.waves.iter().filter(|wave| !wave.alias).partition(moving);
    let numbers = Row { name: "step".to_string(), cells: (0..shown.steps).map(|t| t.to_string()).collect() };
    let row = |wave: &&Wave| Row {
        name: wave.name.clone(),
        cells: wave.values.iter().map(cell).map(brief).collect(),
    };
    let lines: Vec<Row> = std::iter::once(numbers).chain(moving.iter().map(row)).collect();
    let mut text = blocks(&lines);
    let first = |wave: &&Wave| format!("{} = {}", wave.name, brief(cell(&wave.values[0])));
    if !steady.is_empty() {
        let shown: Vec<String> = steady.iter().take(STEADY).map(first).collect();
        let more = steady.len().saturating_sub(STEADY);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let _ = writeln!(text, "  unchanged: {}{more}", shown.join(", "));
    }
    text
}

/// A signal, or the numbers of the steps: what stands in each column.
struct Row {
    name: String,
    cells: Vec<String>,
}

impl Row {
    /// The columns `from..to`, leaving out what the column before says already; the first is always shown.
    fn changes(&self, from: usize, to: usize, width: impl Fn(usize) -> usize) -> String {
        let shown =
            |t: usize| if t > from && self.cells[t] == self.cells[t - 1] { "" } else { &self.cells[t] };
        (from..to).map(|t| format!("{:>w$}", shown(t), w = width(t))).collect()
    }
}

/// Lays out the rows, breaking between steps where the terminal would.
fn blocks(rows: &[Row]) -> String {
    let names = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(WIDTH);
    let steps = rows[0].cells.len();
    let width = |t: usize| rows.iter().map(|row| row.cells[t].chars().count()).max().unwrap_or(0) + 1;
    let mut text = String::new();
    let mut from = 0;
    while from < steps {
        let mut to = from + 1;
        let mut used = names + 3 + width(from);
        while to < steps && used + width(to) <= WIDTH {
            used += width(to);
            to += 1;
        }
        for row in rows {
            let line = format!("  {:<names$} {}", row.name, row.changes(from, to, width));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        from = to;
    }
    text
}
