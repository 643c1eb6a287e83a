//! A model whose elements are asked about: the system as the front end made it, in words, whatever the format.

use std::sync::Arc;

use buttress_cores::{Element, Elements, Granularity, Kind, Relation, split, words_of};
use buttress_format::btor2;
use buttress_lustre::unit::Program;
use buttress_system::words::{Label, Span, System};
use buttress_system::{BitSystem, PropertyId};

use crate::args::ModelArgs;
use crate::exit;
use crate::model::{Refused, Source, Words, read};

pub struct Subject {
    /// As the user wrote it.
    pub path: String,
    pub system: Arc<System>,
    pub elements: Elements,
    pub text: Text,
}

/// What the user wrote.
pub enum Text {
    Lustre(Box<buttress_lustre::Model>),
    /// The lines of another format that people can read.
    Lines(Vec<String>),
    Bits(Box<BitSystem>),
}

/// How fine the elements of a Lustre model are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Detail {
    /// Equations, asserts, clauses of contracts
    Equations,
    /// Each variable by itself, and each argument of a call, as if calls were replaced by equations; asserts are always there
    Flattened,
    /// Each operator of each equation; asserts are always there
    Subexpressions,
}

impl Subject {
    pub fn load(args: &ModelArgs, detail: Detail) -> Result<Subject, Refused> {
        let path = args.file.display().to_string();
        match read(args).map_err(|message| (exit::INPUT, message))? {
            Source::Bits(aiger) => {
                let system = Arc::new(words_of(&aiger.system));
                let elements = Elements::of(&system, Granularity::States);
                Ok(Subject { path, system, elements, text: Text::Bits(Box::new(aiger.system)) })
            }
            Source::Words(words) if words.indexed.is_some() => {
                Err((exit::USAGE, format!("{path}: error: cores of models with maps are not there yet")))
            }
            Source::Words(Words { system, format, source: None, .. }) => {
                let text = std::fs::read_to_string(&args.file).unwrap_or_default();
                Ok(Subject::of_lines(path, system, format, &text))
            }
            Source::Words(Words { system, source: Some(source), .. }) => {
                Subject::of_lustre(path, system, source.0, detail)
            }
        }
    }

    /// Where the format is a relation, its conjuncts are told apart; where each line has its place, it is named.
    fn of_lines(path: String, system: Arc<System>, format: &str, text: &str) -> Subject {
        let lines = Text::Lines(text.lines().map(str::to_string).collect());
        if format != "BTOR2" {
            let (system, elements) = of_relation(&system);
            return Subject { path, system: Arc::new(system), elements, text: lines };
        }
        let places = btor2::updates(text);
        let elements = Elements::of(&system, Granularity::Lines).placed(|kind, label| match kind {
            Kind::Init => places.get(&label.span?.line)?.init,
            Kind::Next => places.get(&label.span?.line)?.next,
            _ => None,
        });
        Subject { path, system, elements, text: lines }
    }

    fn of_lustre(
        path: String,
        mut system: Arc<System>,
        model: buttress_lustre::Model,
        detail: Detail,
    ) -> Result<Subject, Refused> {
        let mut granularity = Granularity::Equations;
        if detail == Detail::Flattened {
            let lowered = buttress_lustre::lower_with_arguments(&model);
            system = lowered.map_err(|found| (exit::INPUT, found[0].render(&path)))?.system;
            granularity = Granularity::Flattened;
        }
        if detail == Detail::Subexpressions {
            system = Arc::new(split(&system));
            granularity = Granularity::Flattened;
        }
        let elements = annotated(&model.program, Elements::of(&system, granularity));
        Ok(Subject { path, system, elements, text: Text::Lustre(Box::new(model)) })
    }

    pub fn lines(&self) -> Vec<&str> {
        match &self.text {
            Text::Lustre(model) => model.source.text().lines().collect(),
            Text::Lines(lines) => lines.iter().map(String::as_str).collect(),
            Text::Bits(_) => Vec::new(),
        }
    }

    /// What the user wrote there, on one line.
    pub fn excerpt(&self, span: Span) -> String {
        let lines = self.lines();
        let line = |number: u32| lines.get(number as usize - 1).copied().unwrap_or("");
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

/// A system that is written as a relation, conjunct by conjunct, and the conjuncts.
pub fn of_relation(system: &System) -> (System, Elements) {
    let Relation { system, carriers } = Relation::of(system);
    let all = Elements::of(&system, Granularity::Lines);
    let elements = all.only(|element| !element.parts.iter().any(|part| carriers.contains(part)));
    (system, elements)
}

/// Where a node has an annotation `--%IVC`, of all equations only those of the variables that it names.
pub fn annotated(program: &Program, elements: Elements) -> Elements {
    if program.units.iter().all(|unit| unit.ivc.is_empty()) {
        return elements;
    }
    let main = program.unit(program.main).name.name.to_string();
    elements.only(|element| element.kind == Kind::Equation && is_named(program, &main, element))
}

fn is_named(program: &Program, main: &str, element: &Element) -> bool {
    element.label.name.split(", ").any(|name| {
        let (path, variable) = qualified(name);
        let node = path.rsplit('.').next().and_then(|part| part.split('~').next()).filter(|n| !n.is_empty());
        let unit = program.units.iter().find(|unit| *unit.name.name == *node.unwrap_or(main));
        unit.is_some_and(|unit| unit.ivc.iter().any(|ident| *ident.name == *variable))
    })
}

/// The instance that a variable belongs to, and its own name without fields.
fn qualified(name: &str) -> (&str, &str) {
    let begin = name.rfind('~').and_then(|at| name[at..].find('.').map(|dot| at + dot + 1)).unwrap_or(0);
    let own = &name[begin..];
    (&name[..begin.saturating_sub(1)], own.split(['.', '[']).next().unwrap_or(own))
}

/// `12:3`, or nothing.
pub fn place(label: &Label) -> String {
    label.span.map_or_else(String::new, |span| format!("{}:{}", span.line, span.column))
}
