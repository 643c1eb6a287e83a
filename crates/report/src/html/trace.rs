//! A trace as data for the script: see the head of `page.js`.

use buttress_driver::report::{Cell, Kind, SignalReport, TraceReport};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::trace::heading;

/// The waveform; the step that violates the property is marked.
pub fn figure(trace: &TraceReport, bad: Option<usize>) -> Markup {
    let data = data(trace, bad).to_string();
    html! {
        figure.wave {
            div.tools {
                button type="button" data-do="in" aria-label="zoom in" { "+" }
                button type="button" data-do="out" aria-label="zoom out" { "−" }
                button type="button" data-do="fit" { "fit" }
                input type="search" data-do="find" placeholder="find a signal" aria-label="find a signal";
                label { input type="checkbox" data-do="all"; " unchanged signals, too" }
                output.said.mono { }
            }
            div.view tabindex="0" role="img" aria-label="waveform of the trace; the arrow keys move the cursor" {
                div.body { canvas { } }
            }
            script type="application/json" { (PreEscaped(data.replace('<', "\\u003c"))) }
        }
    }
}

fn data(trace: &TraceReport, bad: Option<usize>) -> Value {
    let shown = trace.signals.iter().filter(|signal| !signal.alias);
    let rows: Vec<Value> = shown.map(row).collect();
    json!({"steps": trace.steps, "back": trace.back, "bad": bad, "rows": rows})
}

fn row(signal: &SignalReport) -> Value {
    let (name, group) = match &signal.stream {
        Some(stream) => (&stream.name, heading(stream)),
        None => (&signal.name, ""),
    };
    match signal.kind {
        Kind::Bool | Kind::Word(1) => json!({"n": name, "g": group, "k": "b", "v": bits(signal)}),
        Kind::Word(_) | Kind::Number | Kind::Other => json!({"n": name, "g": group, "v": texts(signal)}),
    }
}

/// A character a step.
fn bits(signal: &SignalReport) -> String {
    let digit = |cell: &Option<Cell>| match cell {
        None => '-',
        Some(Cell::Bool(true) | Cell::Number(1)) => '1',
        Some(Cell::Bool(false) | Cell::Number(0)) => '0',
        Some(Cell::Text(text)) if text == "1" || text == "true" => '1',
        Some(Cell::Text(text)) if text == "0" || text == "false" => '0',
        Some(Cell::Text(_) | Cell::Number(_)) => 'x',
    };
    signal.values.iter().map(digit).collect()
}

/// A text a step, 0 where it is the same as before.
fn texts(signal: &SignalReport) -> Vec<Value> {
    let values = &signal.values;
    let text = |t: usize| match &values[t] {
        same if t > 0 && *same == values[t - 1] => json!(0),
        cell => json!(cell.as_ref().map(Cell::to_string)),
    };
    (0..values.len()).map(text).collect()
}
