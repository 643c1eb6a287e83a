//! The report as Kind 2 writes it with `-json`: an array of objects, each with an `objectType`
//! (`schemas/kind2-output.json` of its sources); and what that has in common with its XML.
//!
//! Kind 2 numbers the states of a counterexample from 0 and calls the last one `k`.

use buttress_driver::Report;
use buttress_driver::report::{Cell, Class, Finding, Nodes, Outcome, SignalReport, Stream, TraceReport};
use serde_json::{Map, Value, json};

use crate::text::vacuity;

/// The whole array.
pub fn text(report: &Report, timeout: f64) -> String {
    let Some(nodes) = &report.nodes else { return "[]\n".to_string() };
    let mut engines: Vec<&str> = report.engines.iter().map(|lane| lane.engine).collect();
    engines.dedup();
    let begin = [
        json!({
            "objectType": "kind2Options", "enabled": engines, "timeout": timeout, "bmcMax": 0,
            "compositional": false, "modular": false,
        }),
        json!({
            "objectType": "analysisStart", "top": nodes.main, "concrete": nodes.called, "abstract": [],
            "assumptions": [],
        }),
    ];
    let properties = report.properties.iter().map(|finding| property(nodes, finding));
    array(begin.into_iter().chain(properties).chain([json!({"objectType": "analysisStop"})]))
}

/// There is no analysis, and this is why.
pub fn refusal(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let mut log = json!({"objectType": "log", "level": "error", "source": "parse"});
    let value = match place(first) {
        Some((file, line, column, said)) => {
            log["file"] = json!(file);
            log["line"] = json!(line);
            log["column"] = json!(column);
            said
        }
        None => first,
    };
    log["value"] = json!(value);
    array([log])
}

/// `FILE:LINE:COLUMN: message`
fn place(line: &str) -> Option<(&str, u32, u32, &str)> {
    let (place, said) = line.split_once(": ")?;
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((parts.next()?, line, column, said.strip_prefix("error: ").unwrap_or(said)))
}

fn array(objects: impl IntoIterator<Item = Value>) -> String {
    let objects: Vec<Value> = objects.into_iter().collect();
    format!("{}\n", serde_json::to_string_pretty(&objects).expect("values are data"))
}

fn property(nodes: &Nodes, finding: &Finding) -> Value {
    let mut object = json!({
        "objectType": "property", "name": finding.name, "scope": nodes.main,
        "line": finding.line.unwrap_or_default(), "column": finding.column.unwrap_or_default(),
        "source": source(finding.origin),
    });
    let undecided = matches!(finding.outcome, Outcome::Undecided(_) | Outcome::Error { .. });
    let seconds = finding.seconds.unwrap_or_default();
    object["runtime"] = json!({"unit": "sec", "timeout": undecided, "value": seconds});
    let more = answer(nodes, finding);
    object.as_object_mut().expect("an object").extend(more);
    object
}

fn answer(nodes: &Nodes, finding: &Finding) -> Map<String, Value> {
    let answer = |value: &str, source: &str| json!({"source": source, "value": value});
    let (valid, falsifiable, evidence) = match finding.goal {
        true => ("unreachable", "reachable", "witness"),
        false => ("valid", "falsifiable", "counterExample"),
    };
    let object = match &finding.outcome {
        Outcome::Proved(proved) | Outcome::Unreachable(proved) => {
            let mut object = json!({"k": proved.k, "answer": answer(valid, proved.by.engine)});
            if let Some(states) = proved.states {
                object["comment"] = json!(vacuity(states));
            }
            object
        }
        Outcome::Falsified(violated) | Outcome::Reached(violated) => json!({
            "k": violated.step,
            "answer": answer(falsifiable, violated.by.engine),
            evidence: [block(&Block::main(nodes, &violated.trace))],
        }),
        Outcome::Undecided(open) => {
            let mut object = json!({"answer": {"value": "unknown"}, "comment": open.reason});
            if let Some(step) = open.no_violation_up_to_step {
                object[if finding.goal { "unreachableFor" } else { "trueFor" }] = json!(step);
            }
            object
        }
        Outcome::Error { reason, .. } => json!({"answer": {"value": "unknown"}, "comment": reason}),
    };
    match object {
        Value::Object(map) => map,
        _ => unreachable!("an object was made"),
    }
}

fn block(of: &Block<'_>) -> Value {
    let streams: Vec<Value> = of.streams.iter().map(|(signal, stream)| values(signal, stream)).collect();
    let kind = if of.is_function { "function" } else { "node" };
    let mut object = json!({"blockType": kind, "name": of.name, "streams": streams});
    if !of.calls.is_empty() {
        object["subnodes"] = of.calls.iter().map(block).collect();
    }
    object
}

fn values(signal: &SignalReport, stream: &Stream) -> Value {
    let mut object = json!({"name": stream.name, "type": stream.type_name});
    match (&stream.range, &stream.constants) {
        (Some((low, high)), _) => {
            object["type"] = json!("subrange");
            object["typeInfo"] = json!({"min": number(low), "max": number(high)});
        }
        (None, Some((name, constants))) => {
            object["type"] = json!("enum");
            object["typeInfo"] = json!({"name": name, "values": constants});
        }
        (None, None) => {}
    }
    let values = signal.values.iter().enumerate();
    let values: Vec<Value> =
        values.filter_map(|(at, cell)| Some(json!([at, value(cell.as_ref()?)]))).collect();
    object["class"] = json!(class(stream));
    object["instantValues"] = json!(values);
    object
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Bool(b) => json!(b),
        Cell::Number(n) => json!(n),
        Cell::Text(text) => number(text),
    }
}

/// A number where it can be told exactly, `1/3` as a fraction; else the text.
fn number(text: &str) -> Value {
    let whole = |text: &str| text.parse::<i64>().ok();
    match (text.split_once('/'), text.strip_suffix(".0")) {
        (Some((num, den)), _) => match (whole(num), whole(den)) {
            (Some(num), Some(den)) => json!({"num": num, "den": den}),
            _ => json!(text),
        },
        (None, stripped) => whole(stripped.unwrap_or(text)).map_or_else(|| json!(text), |n| json!(n)),
    }
}

/// The streams of an instance, and its calls.
pub struct Block<'a> {
    pub is_function: bool,
    pub name: &'a str,
    pub streams: Vec<(&'a SignalReport, &'a Stream)>,
    pub calls: Vec<Block<'a>>,
}

impl<'a> Block<'a> {
    pub fn main(nodes: &'a Nodes, trace: &'a TraceReport) -> Block<'a> {
        Block::of(nodes, trace, "")
    }

    fn of(nodes: &'a Nodes, trace: &'a TraceReport, path: &str) -> Block<'a> {
        let own: Vec<(&SignalReport, &Stream)> = streams(trace).filter(|(_, s)| s.instance == path).collect();
        let mut calls: Vec<&str> = streams(trace).map(|(_, s)| &s.instance[..]).collect();
        calls.retain(|call| caller(call) == Some(path));
        calls.dedup();
        Block {
            is_function: own.first().is_some_and(|(_, s)| s.is_function),
            name: own.first().map_or(&nodes.main, |(_, s)| &s.node),
            streams: own,
            calls: calls.into_iter().map(|call| Block::of(nodes, trace, call)).collect(),
        }
    }
}

/// The streams of a trace.
pub fn streams(trace: &TraceReport) -> impl Iterator<Item = (&SignalReport, &Stream)> {
    trace.signals.iter().filter_map(|signal| Some((signal, signal.stream.as_ref()?)))
}

/// The instance that a call stands in.
fn caller(path: &str) -> Option<&str> {
    match path.rsplit_once('.') {
        Some((caller, _)) => Some(caller),
        None => (!path.is_empty()).then_some(""),
    }
}

/// Where a property comes from, in Kind 2's words.
pub fn source(origin: Option<&str>) -> &'static str {
    match origin {
        Some("property") | None => "PropAnnot",
        Some("assumption of a called node") => "Assumption",
        Some("guarantee") => "Guarantee",
        Some("mode") => "Ensure",
        Some("modes cover all cases") => "OneModeActive",
        Some(_) => "Generated",
    }
}

/// Which part a stream has in its node, in Kind 2's words.
pub fn class(stream: &Stream) -> &'static str {
    match stream.class {
        Class::Input => "input",
        Class::Output => "output",
        Class::Local => "local",
    }
}
