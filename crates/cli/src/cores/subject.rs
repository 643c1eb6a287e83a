//! A model whose elements are asked about: the system as the front end made it, in words, whatever the format.

use std::sync::Arc;

use buttress_cores::{Element, Elements, Granularity, Kind, words_of};
use buttress_lustre::unit::Program;
use buttress_system::PropertyId;
use buttress_system::words::{Label, Span, System};

use crate::args::ModelArgs;
use crate::exit;
use crate::model::{Refused, Source, read};

pub struct Subject {
    /// As the user wrote it.
    pub path: String,
    pub system: Arc<System>,
    pub elements: Elements,
    /// The lines of the file, where people write such files.
    pub lines: Vec<String>,
}

impl Subject {
    pub fn load(args: &ModelArgs) -> Result<Subject, Refused> {
        let path = args.file.display().to_string();
        match read(args).map_err(|message| (exit::INPUT, message))? {
            Source::Bits(aiger) => {
                let system = Arc::new(words_of(&aiger.system));
                let elements = Elements::of(&system, Granularity::States);
                Ok(Subject { path, system, elements, lines: Vec::new() })
            }
            Source::Words(words) => {
                let system = words.system;
                let lustre = words.source.as_ref().map(|source| &source.0);
                let granularity = lustre.map_or(Granularity::Lines, |_| Granularity::Equations);
                let mut elements = Elements::of(&system, granularity);
                if let Some(model) = lustre {
                    elements = annotated(&model.program, elements);
                }
                let text = match lustre {
                    Some(model) => model.source.text().to_string(),
                    None => std::fs::read_to_string(&args.file).unwrap_or_default(),
                };
                let lines = text.lines().map(str::to_string).collect();
                Ok(Subject { path, system, elements, lines })
            }
        }
    }

    /// What the user wrote there, on one line.
    pub fn excerpt(&self, span: Span) -> String {
        let line = |number: u32| self.lines.get(number as usize - 1).map_or("", String::as_str);
        let mut text = String::new();
        for number in span.line..=span.end_line {
            let line = line(number);
            let end = if number == span.end_line { span.end_column as usize - 1 } else { line.len() };
            let start = if number == span.line { span.column as usize - 1 } else { 0 };
            text.push_str(line.get(start..end.min(line.len())).unwrap_or(""));
            text.push(' ');
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub fn title(&self, property: PropertyId) -> String {
        let label = &self.system.property(property).label;
        match label.span {
            Some(span) => format!("{} (line {})", label.name, span.line),
            None => label.name.to_string(),
        }
    }

    /// The properties with these names or numbers; all where none is named.
    pub fn properties(&self, wanted: &[String]) -> Result<Vec<PropertyId>, Refused> {
        let ids = || self.system.property_ids();
        let named = |name: &String| {
            let same = |p: &PropertyId| *self.system.property(*p).label.name == **name;
            let numbered = || ids().nth(name.trim_start_matches('b').parse().ok()?);
            ids().find(same).or_else(numbered).ok_or_else(|| {
                (exit::USAGE, format!("error: there is no property '{name}' in {}", self.path))
            })
        };
        match wanted.is_empty() {
            true => Ok(ids().collect()),
            false => wanted.iter().map(named).collect(),
        }
    }
}

/// Where a node has an annotation `--%IVC`, of all equations only those of the variables that it names.
fn annotated(program: &Program, elements: Elements) -> Elements {
    if program.units.iter().all(|unit| unit.ivc.is_empty()) {
        return elements;
    }
    let main = program.unit(program.main).name.name.to_string();
    elements.only(|element| element.kind == Kind::Equation && is_named(program, &main, element))
}

fn is_named(program: &Program, main: &str, element: &Element) -> bool {
    element.label.name.split(", ").any(|name| {
        let (path, variable) = split(name);
        let node = path.rsplit('.').next().and_then(|part| part.split('~').next()).filter(|n| !n.is_empty());
        let unit = program.units.iter().find(|unit| *unit.name.name == *node.unwrap_or(main));
        unit.is_some_and(|unit| unit.ivc.iter().any(|ident| *ident.name == *variable))
    })
}

/// The instance that a variable belongs to, and its own name without fields.
fn split(name: &str) -> (&str, &str) {
    let begin = name.rfind('~').and_then(|at| name[at..].find('.').map(|dot| at + dot + 1)).unwrap_or(0);
    let own = &name[begin..];
    (&name[..begin.saturating_sub(1)], own.split(['.', '[']).next().unwrap_or(own))
}

/// `12:3`, or nothing.
pub fn place(label: &Label) -> String {
    label.span.map_or_else(String::new, |span| format!("{}:{}", span.line, span.column))
}
