//! The report in XML, as JKind and Kind 2 write theirs: for AGREE, FRET and other tools that read these.
//!
//! JKind has a flat list of signals in a `Counterexample`, Booleans as 0 and 1, and counts steps in `K` and
//! `TrueFor`. Kind 2 nests the streams of called nodes in a `CounterExample` and says where each property stands
//! and comes from (`schemas/kind2-output.xsd` of its sources). A proof that rests on there being no executions is
//! `inconsistent` to JKind; Kind 2 has no word for it, so it is `valid` with a comment.

use buttress_driver::Report;
use buttress_driver::report::{
    Cell, CoreReport, Finding, Kind, Nodes, Outcome, Proved, SignalReport, Stream, TraceReport,
};

use crate::element::{DECLARATION, Element};
use crate::kind2::{self, Block, streams};
use crate::text::vacuity;

pub fn jkind(report: &Report) -> String {
    document(report, |root, _| root.of(report.properties.iter().map(jkind_property)))
}

pub fn kind2(report: &Report) -> String {
    document(report, |root, nodes| kind2_analysis(root, nodes, report))
}

fn document(report: &Report, fill: impl FnOnce(Element, &Nodes) -> Element) -> String {
    let root = Element::new("Results").with("xmlns:xsi", NAMESPACE);
    let results = match &report.nodes {
        Some(nodes) => fill(root, nodes),
        None => root,
    };
    format!("{DECLARATION}{}", results.render(0))
}

const NAMESPACE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The beginning of JKind's file, which grows while the run goes on.
pub fn jkind_begin() -> String {
    format!("{DECLARATION}<Results xmlns:xsi=\"{NAMESPACE}\">\n")
}

/// These properties are not violated in so many states.
pub fn jkind_progress(states: usize, names: &[&str]) -> String {
    let of = names.iter().map(|name| Element::new("PropertyProgress").with("name", name));
    Element::new("Progress").with("source", "bmc").with("trueFor", states).of(of).render(1)
}

/// All about one property.
pub fn jkind_finding(finding: &Finding) -> String {
    jkind_property(finding).render(1)
}

pub fn jkind_end() -> &'static str {
    "</Results>\n"
}

fn kind2_analysis(root: Element, nodes: &Nodes, report: &Report) -> Element {
    let mut engines: Vec<&str> = report.engines.iter().map(|lane| lane.engine).collect();
    engines.dedup();
    root.with("enabled", engines.join(","))
        .with("timeout", "0.0")
        .with("bmc_max", "0")
        .with("compositional", "false")
        .with("modular", "false")
        .of([analysis_start(nodes)])
        .of(report.properties.iter().map(|f| kind2_property(nodes, f)))
        .of([Element::new("AnalysisStop")])
}

fn seconds(finding: &Finding) -> String {
    format!("{:.3}", finding.seconds.unwrap_or_default())
}

fn jkind_property(finding: &Finding) -> Element {
    let property =
        Element::new("Property")
            .with("name", &finding.name)
            .of([Element::text("Runtime", seconds(finding)).with("unit", "sec")]);
    match &finding.outcome {
        Outcome::Proved(proved) | Outcome::Unreachable(proved) => {
            let said = if proved.vacuous { "inconsistent" } else { "valid" };
            let invariant = proved.invariant.iter().map(|conjunct| Element::text("Invariant", conjunct));
            property
                .of([
                    Element::text("Answer", said).with("source", proved.by.engine),
                    Element::text("K", proved.k),
                ])
                .of(invariant.filter(|_| !proved.vacuous))
                .of(jkind_core(proved))
        }
        Outcome::Falsified(violated) | Outcome::Reached(violated) => {
            let signals = streams(&violated.trace).map(|(signal, stream)| jkind_signal(signal, stream));
            property.of([
                Element::text("Answer", "falsifiable").with("source", violated.by.engine),
                Element::text("K", violated.trace.steps),
                Element::new("Counterexample").of(signals),
            ])
        }
        Outcome::Undecided(open) => {
            let steps = open.no_violation_up_to_step.map_or(0, |step| step + 1);
            let said = [Element::text("Answer", "unknown"), Element::text("TrueFor", steps)];
            property.of(said).of(open.cti.iter().flat_map(|cti| jkind_states(&cti.states)))
        }
        Outcome::Error { .. } => {
            property.of([Element::text("Answer", "unknown"), Element::text("TrueFor", 0)])
        }
    }
}

/// Which equations the proof needs.
fn jkind_core(proved: &Proved) -> Vec<Element> {
    match &proved.core {
        Some(CoreReport::Known { needed, .. }) => {
            needed.iter().map(|name| Element::text("Ivc", name)).collect()
        }
        Some(CoreReport::Unknown { .. }) | None => Vec::new(),
    }
}

/// States that induction could not exclude, in the place of a counterexample.
fn jkind_states(trace: &TraceReport) -> [Element; 2] {
    let signal = |signal: &SignalReport| {
        let values = signal.values.iter().enumerate();
        let text = |cell: &Cell| match (signal.kind, cell.to_string()) {
            (Kind::Bool, text) => u8::from(text == "true" || text == "1").to_string(),
            (_, text) => text,
        };
        let values = values
            .filter_map(|(step, cell)| Some(Element::text("Value", text(cell.as_ref()?)).with("time", step)));
        Element::new("Signal").with("name", &signal.name).with("type", jkind_type(signal)).of(values)
    };
    let signals = trace.signals.iter().filter(|signal| !signal.alias).map(signal);
    [Element::text("K", trace.steps), Element::new("Counterexample").of(signals)]
}

/// What the values of a signal look like, which is not a stream of the source.
fn jkind_type(signal: &SignalReport) -> &'static str {
    let is_real = |cell: &Cell| cell.to_string().contains(['.', '/']);
    match signal.kind {
        Kind::Bool => "bool",
        _ if signal.values.iter().flatten().any(is_real) => "real",
        _ => "int",
    }
}

fn jkind_signal(signal: &SignalReport, stream: &Stream) -> Element {
    let value = |cell: &Cell| match cell {
        Cell::Bool(b) => u8::from(*b).to_string(),
        other => other.to_string(),
    };
    let values = signal.values.iter().enumerate();
    let values = values
        .filter_map(|(step, cell)| Some(Element::text("Value", value(cell.as_ref()?)).with("time", step)));
    Element::new("Signal").with("name", &signal.name).with("type", &stream.type_name).of(values)
}

fn analysis_start(nodes: &Nodes) -> Element {
    Element::new("AnalysisStart")
        .with("top", &nodes.main)
        .with("concrete", nodes.called.join(","))
        .with("abstract", "")
        .with("assumptions", "")
}

fn kind2_property(nodes: &Nodes, finding: &Finding) -> Element {
    let mut property = Element::new("Property").with("name", &finding.name).with("scope", &nodes.main);
    if let (Some(line), Some(column)) = (finding.line, finding.column) {
        property = property.with("line", line).with("column", column);
    }
    property = property.with("source", kind2::source(finding.origin));
    let runtime = Element::text("Runtime", seconds(finding)).with("unit", "sec").with("timeout", "false");
    match &finding.outcome {
        Outcome::Proved(proved) | Outcome::Unreachable(proved) => {
            let mut said = Element::text("Answer", "valid").with("source", proved.by.engine);
            if let Some(states) = proved.states {
                said = said.with("comment", vacuity(states));
            }
            property.of([runtime, Element::text("K", proved.k), said])
        }
        Outcome::Falsified(violated) | Outcome::Reached(violated) => property.of([
            runtime,
            Element::text("K", violated.trace.steps),
            Element::text("Answer", "falsifiable").with("source", violated.by.engine),
            Element::new("CounterExample").of([kind2_block(&Block::main(nodes, &violated.trace))]),
        ]),
        Outcome::Undecided(open) => {
            let said = Element::text("Answer", "unknown").with("comment", &open.reason);
            property.of([said]).of(open.no_violation_up_to_step.map(|step| Element::text("TrueFor", step)))
        }
        Outcome::Error { reason, .. } => {
            property.of([Element::text("Answer", "unknown").with("comment", reason)])
        }
    }
}

/// The streams of an instance, then those of its calls.
fn kind2_block(block: &Block<'_>) -> Element {
    Element::new(if block.is_function { "Function" } else { "Node" })
        .with("name", block.name)
        .of(block.streams.iter().map(|(signal, stream)| kind2_stream(signal, stream)))
        .of(block.calls.iter().map(kind2_block))
}

fn kind2_stream(signal: &SignalReport, stream: &Stream) -> Element {
    let element = Element::new("Stream").with("name", &stream.name);
    let element = match (&stream.range, &stream.constants) {
        (Some((low, high)), _) => element.with("type", "subrange").with("min", low).with("max", high),
        (None, Some((name, constants))) => {
            element.with("type", "enum").with("enumName", name).with("values", constants.join(", "))
        }
        (None, None) => element.with("type", &stream.type_name),
    };
    let values = signal.values.iter().enumerate();
    let values =
        values.filter_map(|(step, cell)| Some(Element::text("Value", cell.as_ref()?).with("instant", step)));
    element.with("class", kind2::class(stream)).of(values)
}
