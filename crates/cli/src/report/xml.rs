//! The report in XML, as JKind and Kind 2 write theirs: for AGREE, FRET and other tools that read these.
//!
//! JKind has a flat list of signals in a `Counterexample`, Booleans as 0 and 1, and counts steps in `K` and `TrueFor`.
//! Kind 2 nests the streams of called nodes in a `CounterExample` and says where each property stands and comes from
//! (`schemas/kind2-output.xsd` of its sources). A proof that rests on there being no executions is `inconsistent` to
//! JKind; Kind 2 has no word for it, so it is `valid` with a comment.

use buttress_check::Evidence;
use buttress_lustre::Origin;
use buttress_lustre::replay::Source;
use buttress_lustre::table::{Execution, Row};
use buttress_lustre::unit::Role;
use buttress_term::Sort;

use super::text::vacuity;
use super::words;
use crate::args::Xml;
use crate::check::{Finding, Findings, Outcome};
use crate::model::Model;

pub fn print(findings: &Findings, style: Xml) {
    println!("<?xml version=\"1.0\"?>");
    print!("{}", results(findings, style).render(0));
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

fn results(findings: &Findings, style: Xml) -> Element {
    let root = Element::new("Results").with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    let Some((model, source)) = findings.model.as_ref().and_then(|m| Some((m, m.source.as_ref()?))) else {
        return root;
    };
    let properties = findings.properties.iter();
    match style {
        Xml::Jkind => root.of(properties.map(|f| jkind_property(model, f))),
        Xml::Kind2 => {
            let mut engines: Vec<&str> = findings.progress.iter().map(|place| place.engine.name).collect();
            engines.dedup();
            root.with("enabled", engines.join(","))
                .with("timeout", "0.0")
                .with("bmc_max", "0")
                .with("compositional", "false")
                .with("modular", "false")
                .of([analysis_start(source)])
                .of(properties.map(|f| kind2_property(findings, model, source, f)))
                .of([Element::new("AnalysisStop")])
        }
    }
}

fn seconds(finding: &Finding) -> String {
    format!("{:.3}", finding.seconds)
}

/// What decided a property, and how.
enum Answer {
    Valid { engine: &'static str, k: u32, invariant: Vec<String>, vacuous: Option<String> },
    Falsifiable { engine: &'static str, execution: Execution },
    Unknown,
}

fn answer(model: &Model, finding: &Finding) -> Answer {
    let Outcome::Decided { engine, checked, .. } = &finding.outcome else { return Answer::Unknown };
    match (checked.evidence(), words::execution(model, checked)) {
        (Evidence::Trace(_), Some(execution)) => Answer::Falsifiable { engine: engine.name, execution },
        (Evidence::Proof(proof), _) => Answer::Valid {
            engine: engine.name,
            k: proof.k,
            invariant: words::invariant(model, checked, proof),
            vacuous: checked.vacuous().map(vacuity),
        },
        (Evidence::Trace(_), None) => Answer::Unknown,
    }
}

fn jkind_property(model: &Model, finding: &Finding) -> Element {
    let property = Element::new("Property")
        .with("name", model.system.property_name(finding.property))
        .of([Element::text("Runtime", seconds(finding)).with("unit", "sec")]);
    match answer(model, finding) {
        Answer::Valid { engine, k, invariant, vacuous } => {
            let said = if vacuous.is_some() { "inconsistent" } else { "valid" };
            let invariant = invariant.iter().map(|conjunct| Element::text("Invariant", conjunct));
            property
                .of([Element::text("Answer", said).with("source", engine), Element::text("K", k)])
                .of(invariant.filter(|_| vacuous.is_none()))
        }
        Answer::Falsifiable { engine, execution } => {
            let signals = execution.rows().iter().map(jkind_signal).collect::<Vec<_>>();
            property.of([
                Element::text("Answer", "falsifiable").with("source", engine),
                Element::text("K", execution.steps.len()),
                Element::new("Counterexample").of(signals),
            ])
        }
        Answer::Unknown => {
            let steps = finding.bound.map_or(0, |step| step + 1);
            property.of([Element::text("Answer", "unknown"), Element::text("TrueFor", steps)])
        }
    }
}

fn jkind_signal(row: &Row<'_>) -> Element {
    let value = |cell: String| match &cell[..] {
        "true" => "1".to_string(),
        "false" => "0".to_string(),
        _ => cell,
    };
    let values = (0..row.values.len())
        .filter_map(|step| Some(Element::text("Value", value(row.cell(step)?)).with("time", step)));
    Element::new("Signal")
        .with("name", &row.signal.full_name)
        .with("type", row.signal.scalar.type_name())
        .of(values)
}

fn analysis_start(source: &Source) -> Element {
    let program = &source.model().program;
    let main = program.unit(program.main).name.name.clone();
    let called = program.units.iter().filter(|unit| unit.kind.is_some() && unit.name.name != main);
    let called: Vec<&str> = called.map(|unit| &*unit.name.name).collect();
    Element::new("AnalysisStart")
        .with("top", &*main)
        .with("concrete", called.join(","))
        .with("abstract", "")
        .with("assumptions", "")
}

fn kind2_property(findings: &Findings, model: &Model, source: &Source, finding: &Finding) -> Element {
    let program = &source.model().program;
    let mut property = Element::new("Property")
        .with("name", model.system.property_name(finding.property))
        .with("scope", &*program.unit(program.main).name.name);
    if let Some(place) = model.place(finding.property) {
        property = property.with("line", place.line).with("column", place.column);
    }
    property = property.with("source", kind2_source(source.origin(finding.property)));
    let runtime = Element::text("Runtime", seconds(finding)).with("unit", "sec").with("timeout", "false");
    match answer(model, finding) {
        Answer::Valid { engine, k, vacuous, .. } => {
            let mut said = Element::text("Answer", "valid").with("source", engine);
            if let Some(comment) = vacuous {
                said = said.with("comment", comment);
            }
            property.of([runtime, Element::text("K", k), said])
        }
        Answer::Falsifiable { engine, execution } => property.of([
            runtime,
            Element::text("K", execution.steps.len()),
            Element::text("Answer", "falsifiable").with("source", engine),
            Element::new("CounterExample").of([kind2_node(source, &execution.rows(), "")]),
        ]),
        Answer::Unknown => {
            let said = Element::text("Answer", "unknown").with("comment", findings.reason(finding));
            property.of([said]).of(finding.bound.map(|step| Element::text("TrueFor", step)))
        }
    }
}

/// Where a property comes from, in Kind 2's words.
fn kind2_source(origin: Origin) -> &'static str {
    match origin {
        Origin::Stated => "PropAnnot",
        Origin::Assumption => "Assumption",
        Origin::Guarantee => "Guarantee",
        Origin::Mode => "Ensure",
        Origin::Coverage => "OneModeActive",
        Origin::Subrange | Origin::Refinement | Origin::Index => "Generated",
    }
}

/// The streams of an instance, then those of its calls.
fn kind2_node(source: &Source, rows: &[Row<'_>], path: &str) -> Element {
    let program = &source.model().program;
    let own: Vec<&Row<'_>> = rows.iter().filter(|row| row.signal.path == path).collect();
    let unit = own.first().map_or(program.main, |row| row.signal.unit);
    let kind = match program.unit(unit).kind {
        Some(buttress_lustre::ast::NodeKind::Function) => "Function",
        _ => "Node",
    };
    let mut calls: Vec<&str> = rows.iter().map(|row| &row.signal.path[..]).collect();
    calls.retain(|call| parent(call) == Some(path));
    calls.dedup();
    Element::new(kind)
        .with("name", &*program.unit(unit).name.name)
        .of(own.iter().map(|row| kind2_stream(row)))
        .of(calls.into_iter().map(|call| kind2_node(source, rows, call)))
}

/// The instance that a call stands in.
fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('.') {
        Some((caller, _)) => Some(caller),
        None => (!path.is_empty()).then_some(""),
    }
}

fn kind2_stream(row: &Row<'_>) -> Element {
    let scalar = &row.signal.scalar;
    let stream = Element::new("Stream").with("name", &row.signal.name);
    let stream = match (&scalar.sort, &scalar.low, &scalar.high) {
        (Sort::Int, Some(low), Some(high)) => {
            stream.with("type", "subrange").with("min", low).with("max", high)
        }
        (Sort::Enum(e), ..) => {
            stream.with("type", "enum").with("enumName", &e.name).with("values", e.constants.join(", "))
        }
        _ => stream.with("type", scalar.type_name()),
    };
    let class = match row.signal.role {
        Role::Input => "input",
        Role::Output => "output",
        Role::Local | Role::Constant | Role::Ghost => "local",
    };
    let values = (0..row.values.len())
        .filter_map(|step| Some(Element::text("Value", row.cell(step)?).with("instant", step)));
    stream.with("class", class).of(values)
}
