//! The report in XML, as JKind and Kind 2 write theirs: for AGREE, FRET and other tools that read these.
//!
//! JKind has a flat list of signals in a `Counterexample`, Booleans as 0 and 1, and counts steps in `K` and
//! `TrueFor`. Kind 2 nests the streams of called nodes in a `CounterExample` and says where each property stands
//! and comes from (`schemas/kind2-output.xsd` of its sources). A proof that rests on there being no executions is
//! `inconsistent` to JKind; Kind 2 has no word for it, so it is `valid` with a comment.

use buttress_driver::Report;
use buttress_driver::report::{Cell, Class, Finding, Nodes, Outcome, SignalReport, Stream, TraceReport};

use super::text::vacuity;
use crate::args::Xml;

pub fn text(report: &Report, style: Xml) -> String {
    format!("<?xml version=\"1.0\"?>\n{}", results(report, style).render(0))
}

/// An element: a text, or other elements in it.
struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: Option<String>,
    children: Vec<Element>,
}

impl Element {
    fn new(name: &'static str) -> Element {
        Element { name, attributes: Vec::new(), text: None, children: Vec::new() }
    }

    fn text(name: &'static str, text: impl ToString) -> Element {
        Element { text: Some(text.to_string()), ..Element::new(name) }
    }

    fn with(mut self, attribute: &'static str, value: impl ToString) -> Element {
        self.attributes.push((attribute, value.to_string()));
        self
    }

    fn of(mut self, children: impl IntoIterator<Item = Element>) -> Element {
        self.children.extend(children);
        self
    }

    fn render(&self, depth: usize) -> String {
        let indent = "  ".repeat(depth);
        let attributes: String =
            self.attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect();
        let open = format!("{indent}<{}{attributes}", self.name);
        match &self.text {
            Some(text) => format!("{open}>{}</{}>\n", escaped(text), self.name),
            None if self.children.is_empty() => format!("{open}/>\n"),
            None => {
                let inner: String = self.children.iter().map(|child| child.render(depth + 1)).collect();
                format!("{open}>\n{inner}{indent}</{}>\n", self.name)
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn results(report: &Report, style: Xml) -> Element {
    let root = Element::new("Results").with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    let Some(nodes) = &report.nodes else { return root };
    let properties = report.properties.iter();
    match style {
        Xml::Jkind => root.of(properties.map(jkind_property)),
        Xml::Kind2 => {
            let mut engines: Vec<&str> = report.engines.iter().map(|lane| lane.engine).collect();
            engines.dedup();
            root.with("enabled", engines.join(","))
                .with("timeout", "0.0")
                .with("bmc_max", "0")
                .with("compositional", "false")
                .with("modular", "false")
                .of([analysis_start(nodes)])
                .of(properties.map(|f| kind2_property(nodes, f)))
                .of([Element::new("AnalysisStop")])
        }
    }
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
            property.of([Element::text("Answer", "unknown"), Element::text("TrueFor", steps)])
        }
        Outcome::Error { .. } => {
            property.of([Element::text("Answer", "unknown"), Element::text("TrueFor", 0)])
        }
    }
}

fn streams(trace: &TraceReport) -> impl Iterator<Item = (&SignalReport, &Stream)> {
    trace.signals.iter().filter_map(|signal| Some((signal, signal.stream.as_ref()?)))
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
    property = property.with("source", kind2_source(finding.origin));
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
            Element::new("CounterExample").of([kind2_node(nodes, &violated.trace, "")]),
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

/// Where a property comes from, in Kind 2's words.
fn kind2_source(origin: Option<&str>) -> &'static str {
    match origin {
        Some("property") | None => "PropAnnot",
        Some("assumption of a called node") => "Assumption",
        Some("guarantee") => "Guarantee",
        Some("mode") => "Ensure",
        Some("modes cover all cases") => "OneModeActive",
        Some(_) => "Generated",
    }
}

/// The streams of an instance, then those of its calls.
fn kind2_node(nodes: &Nodes, trace: &TraceReport, path: &str) -> Element {
    let own: Vec<(&SignalReport, &Stream)> = streams(trace).filter(|(_, s)| s.instance == path).collect();
    let kind = if own.first().is_some_and(|(_, s)| s.is_function) { "Function" } else { "Node" };
    let name = own.first().map_or(&nodes.main, |(_, s)| &s.node);
    let mut calls: Vec<&str> = streams(trace).map(|(_, s)| &s.instance[..]).collect();
    calls.retain(|call| parent(call) == Some(path));
    calls.dedup();
    Element::new(kind)
        .with("name", name)
        .of(own.iter().map(|(signal, stream)| kind2_stream(signal, stream)))
        .of(calls.into_iter().map(|call| kind2_node(nodes, trace, call)))
}

/// The instance that a call stands in.
fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('.') {
        Some((caller, _)) => Some(caller),
        None => (!path.is_empty()).then_some(""),
    }
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
    let class = match stream.class {
        Class::Input => "input",
        Class::Output => "output",
        Class::Local => "local",
    };
    let values = signal.values.iter().enumerate();
    let values =
        values.filter_map(|(step, cell)| Some(Element::text("Value", cell.as_ref()?).with("instant", step)));
    element.with("class", class).of(values)
}
