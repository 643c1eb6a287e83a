//! A trace as a table: names down, steps across, only changes.

use std::fmt::Write;

use buttress_system::{BitSystem, Signals, Trace};
use buttress_term::Value;

/// Columns of steps that fit beside the names.
const WIDTH: usize = 100;

/// Signals that keep their first value, named before the rest is only counted.
const STEADY: usize = 24;

pub fn table(system: &BitSystem, trace: &Trace) -> String {
    let signals = Signals::of(system);
    let rows = signals.rows(system, trace);
    let column = |s: usize| rows.iter().map(|row| &row[s]).collect::<Vec<&Value>>();
    let moving = |s: &usize| column(*s).windows(2).any(|w| w[0] != w[1]);
    let (moving, steady): (Vec<usize>, Vec<usize>) = (0..signals.0.len()).partition(moving);
    let mut lines: Vec<(String, Vec<String>)> = vec![step_numbers(rows.len())];
    lines.extend(moving.iter().map(|&s| (signals.0[s].name.clone(), changes(&column(s)))));
    let mut text = blocks(&lines);
    let first = |&s: &usize| format!("{} = {}", signals.0[s].name, rows[0][s]);
    if !steady.is_empty() {
        let shown: Vec<String> = steady.iter().take(STEADY).map(first).collect();
        let more = steady.len().saturating_sub(STEADY);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let _ = writeln!(text, "  unchanged: {}{more}", shown.join(", "));
    }
    text
}

fn step_numbers(steps: usize) -> (String, Vec<String>) {
    ("step".to_string(), (0..steps).map(|t| t.to_string()).collect())
}

/// The first value, then only what differs from the step before.
fn changes(column: &[&Value]) -> Vec<String> {
    let cell = |t: usize| match t {
        0 => column[0].to_string(),
        t if column[t] == column[t - 1] => String::new(),
        t => column[t].to_string(),
    };
    (0..column.len()).map(cell).collect()
}

/// Lays out the lines, breaking between steps where the terminal would.
fn blocks(lines: &[(String, Vec<String>)]) -> String {
    let names = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let steps = lines[0].1.len();
    let width = |t: usize| lines.iter().map(|(_, cells)| cells[t].chars().count()).max().unwrap_or(0) + 1;
    let mut text = String::new();
    let mut from = 0;
    while from < steps {
        let mut to = from + 1;
        let mut used = names + 3 + width(from);
        while to < steps && used + width(to) <= WIDTH {
            used += width(to);
            to += 1;
        }
        for (name, cells) in lines {
            let row: String = (from..to).map(|t| format!("{:>w$}", cells[t], w = width(t))).collect();
            let _ = writeln!(text, "{}", format!("  {name:<names$} {row}").trim_end());
        }
        from = to;
    }
    text
}
