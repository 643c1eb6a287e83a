//! The elements of a system that cores consist of.
//!
//! An element is a set of [parts](Part) of a word-level system that are kept or dropped together. What belongs to
//! no element is always there: the states that hold what `pre` remembers, the types of inputs, and what an
//! annotation leaves out.
//!
//! | granularity | elements |
//! |---|---|
//! | [equations](Granularity::Equations) (Lustre) | each equation of each instance, whatever it defines; asserts, contract clauses, equations on circles |
//! | [flattened](Granularity::Flattened) (Lustre) | each variable of each instance by itself; asserts are always there, as in JKind |
//! | [lines](Granularity::Lines) (BTOR2, VMT-LIB) | each `init`, each `next`, each definition, each constraint; of a [relation](crate::Relation) each conjunct |
//! | [states](Granularity::States) (AIGER) | each state, its `init` and `next` together; each definition, each constraint |

use buttress_system::words::{Label, Span, StateId, System};
use buttress_system::{ElementId, ElementSet};
use rustc_hash::FxHashMap;

/// A part of a system that can be dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The state starts anywhere.
    Init(StateId),
    /// The state goes on anywhere.
    Next(StateId),
    /// The defined variable is free, as an input.
    Definition(usize),
    Constraint(usize),
}

/// The kind of an element, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Equation,
    Constraint,
    Init,
    Next,
    /// Its init and next.
    State,
    /// That a signal holds again and again.
    Fairness,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Equation => "equation",
            Kind::Constraint => "constraint",
            Kind::Init => "init",
            Kind::Next => "next",
            Kind::State => "state",
            Kind::Fairness => "fairness",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    pub label: Label,
    pub kind: Kind,
    pub parts: Vec<Part>,
}

/// How fine elements are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Granularity {
    Equations,
    Flattened,
    Lines,
    States,
}

/// The elements of a system, numbered.
#[derive(Clone, Debug)]
pub struct Elements {
    list: Vec<Element>,
    of_part: FxHashMap<Part, ElementId>,
}

impl Elements {
    pub fn of(system: &System, granularity: Granularity) -> Elements {
        let mut list = match granularity {
            Granularity::Equations => equations(system),
            Granularity::Flattened => return Elements::new(definitions(system).collect()),
            Granularity::Lines => lines(system),
            Granularity::States => states(system),
        };
        for (c, constraint) in system.constraints.iter().enumerate() {
            if granularity != Granularity::Equations || !is_type(system, &constraint.label) {
                let label = constraint.label.clone();
                list.push(Element { label, kind: Kind::Constraint, parts: vec![Part::Constraint(c)] });
            }
        }
        Elements::new(list)
    }

    fn new(list: Vec<Element>) -> Elements {
        let mut of_part = FxHashMap::default();
        for (e, element) in list.iter().enumerate() {
            of_part.extend(element.parts.iter().map(|&part| (part, ElementId::new(e))));
        }
        Elements { list, of_part }
    }

    /// Those of interest; what belongs to the others is always there.
    pub fn only(self, wanted: impl Fn(&Element) -> bool) -> Elements {
        Elements::new(self.list.into_iter().filter(|element| wanted(element)).collect())
    }

    /// And these, which come last.
    pub(crate) fn and(self, more: Vec<Element>) -> Elements {
        Elements::new(self.list.into_iter().chain(more).collect())
    }

    /// With places of their own for those that have one, by what they are and what they were called so far.
    pub fn placed(mut self, place: impl Fn(Kind, &Label) -> Option<Span>) -> Elements {
        for element in &mut self.list {
            element.label.span = place(element.kind, &element.label).or(element.label.span);
        }
        self
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, element: ElementId) -> &Element {
        &self.list[element.index()]
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ElementId> + ExactSizeIterator + use<> {
        (0..self.list.len()).map(ElementId::new)
    }

    pub fn all(&self) -> ElementSet {
        self.ids().collect()
    }

    /// The element that a part belongs to; `None` for what is always there.
    pub fn of_part(&self, part: Part) -> Option<ElementId> {
        self.of_part.get(&part).copied()
    }

    /// Whether a part is there when these elements are.
    pub fn keeps(&self, kept: &ElementSet, part: Part) -> bool {
        self.of_part(part).is_none_or(|element| kept.contains(&element))
    }
}

/// An element for each equation: the variables that it defines have one place and one instance.
fn equations(system: &System) -> Vec<Element> {
    let mut list: Vec<Element> = Vec::new();
    let mut places = FxHashMap::default();
    for (d, definition) in system.definitions.iter().enumerate() {
        let label = &definition.label;
        let place = label.span.map(|s| (instance(&label.name), s.line, s.column, s.end_line, s.end_column));
        let known = place.and_then(|place| places.get(&place).copied());
        match known {
            Some(e) => {
                let element: &mut Element = &mut list[e];
                element.parts.push(Part::Definition(d));
                element.label.name = format!("{}, {}", element.label.name, label.name).into();
            }
            None => {
                places.extend(place.map(|place| (place, list.len())));
                let parts = vec![Part::Definition(d)];
                list.push(Element { label: label.clone(), kind: Kind::Equation, parts });
            }
        }
    }
    list
}

/// The prefix of the names of an instance's variables: up to the dot after its number, which follows a `~`.
fn instance(name: &str) -> &str {
    let number = name.rfind('~').unwrap_or(0);
    let dot = name[number..].find('.').filter(|_| number > 0);
    &name[..dot.map_or(0, |dot| number + dot + 1)]
}

/// A subrange has the name and the place of what it belongs to.
fn is_type(system: &System, label: &Label) -> bool {
    let inputs = system.inputs.iter().map(|i| &i.label);
    inputs.chain(system.states.iter().map(|s| &s.label)).any(|of| of == label)
}

fn lines(system: &System) -> Vec<Element> {
    let mut list = Vec::new();
    for (id, state) in system.state_ids().zip(&system.states) {
        let mut add = |kind: Kind, part| {
            let label = Label { name: format!("{} {}", kind.name(), state.label.name).into(), ..state.label };
            list.push(Element { label, kind, parts: vec![part] });
        };
        state.init.iter().for_each(|_| add(Kind::Init, Part::Init(id)));
        state.next.iter().for_each(|_| add(Kind::Next, Part::Next(id)));
    }
    list.extend(definitions(system));
    list
}

fn states(system: &System) -> Vec<Element> {
    let mut list = Vec::new();
    for (id, state) in system.state_ids().zip(&system.states) {
        let init = state.init.map(|_| Part::Init(id));
        let parts: Vec<Part> = init.into_iter().chain(state.next.map(|_| Part::Next(id))).collect();
        if !parts.is_empty() {
            list.push(Element { label: state.label.clone(), kind: Kind::State, parts });
        }
    }
    list.extend(definitions(system));
    list
}

fn definitions(system: &System) -> impl Iterator<Item = Element> + '_ {
    system.definitions.iter().enumerate().map(|(d, definition)| Element {
        label: definition.label.clone(),
        kind: Kind::Equation,
        parts: vec![Part::Definition(d)],
    })
}
