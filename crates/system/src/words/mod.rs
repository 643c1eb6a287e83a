//! The word-level system: terms over inputs and states of any sort.
//!
//! # Semantics
//!
//! As for bits (the head of [`bits`](crate::bits)), with values for bits. A *trace* is a finite sequence
//! `(x₀,i₀) … (xₙ,iₙ)` of values for states and inputs such that
//!
//! * each state with an `init` starts with its value, read in step 0; a state without starts anywhere;
//! * each state with a `next` goes on to its value, read in the step before; a state without takes **any** value
//!   in every later step, like an input;
//! * all constraints hold in every step, **the last one included**.
//!
//! It violates an invariant if `bad(xₙ,iₙ)`; whether there is a successor does not matter. A *definition* is an
//! equation `variable = value` that holds in every step. What it defines may be read by definitions after it
//! and by everything else. `init` terms may read inputs of step 0, definitions, and other states, as long as
//! no state is read, directly or not, by its own `init`: see [`System::start_order`].
//!
//! # Elements
//!
//! The elements that a validity core may drop: a state (its `init` and `next` together), a definition, a
//! constraint. They are numbered in this order. A definition that is dropped leaves its variable free.

pub mod code;
mod random;
mod replay;
mod simulation;
mod start;
#[cfg(test)]
mod tests;
mod validate;

use std::sync::Arc;

use buttress_term::{Sort, TermId, Terms, Value};

use crate::ids::id;
use crate::{ElementId, Proof, PropertyId, Trace};

pub use random::{random_execution, random_value};
pub use replay::Replay;
pub use simulation::{Simulation, states};
pub use start::{Assignment, InitCycle};
pub use validate::Fault;

id!(
    /// A state, in the order of the file.
    StateId
);

/// Where something stands in the user's file: lines and columns count from 1, the end is not included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// The user's name and its place in the file. A front end makes up a name where the file has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub name: Arc<str>,
    pub span: Option<Span>,
}

impl Label {
    pub fn new(name: impl Into<Arc<str>>) -> Label {
        Label { name: name.into(), span: None }
    }

    pub fn at(name: impl Into<Arc<str>>, span: Span) -> Label {
        Label { name: name.into(), span: Some(span) }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    pub variable: TermId,
    pub label: Label,
}

/// `init` is the value at the start (`None`: any), `next` the value one step later (`None`: any, in each step).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub variable: TermId,
    pub init: Option<TermId>,
    pub next: Option<TermId>,
    pub label: Label,
}

/// `variable = value`, in every step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    pub variable: TermId,
    pub value: TermId,
    pub label: Label,
}

/// A term with a name: an observable (shown in traces, of any sort) or a constraint (Boolean).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub term: TermId,
    pub label: Label,
}

/// The question about a property's `bad`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// It shall never be reached.
    Invariant,
    /// It shall be reached: the trace to it is what is wanted.
    Cover,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Boolean; the goal of a [`PropertyKind::Cover`].
    pub bad: TermId,
    pub kind: PropertyKind,
    pub label: Label,
}

/// A word-level system. The lists are open to front ends; [`validate`](System::validate) says whether they
/// fit together.
#[derive(Clone, Default, Debug)]
pub struct System {
    pub terms: Terms,
    pub inputs: Vec<Input>,
    pub states: Vec<State>,
    /// In an order in which each reads only definitions before it; in the store, each value comes before its
    /// variable.
    pub definitions: Vec<Definition>,
    pub observables: Vec<Named>,
    pub constraints: Vec<Named>,
    pub properties: Vec<Property>,
}

/// The role of a variable in a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Input(usize),
    State(StateId),
    Definition(usize),
}

/// An element: see the head of this module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    State(StateId),
    Definition(usize),
    Constraint(usize),
}

/// An execution in words. `initial` has a value for each state; each row of `inputs` has one for each input and
/// then one for each [free state](System::free_states), which is read from step 1 on. `None` is a value
/// that follows from an `init`, or else one that does not matter.
pub type WordTrace = Trace<Option<Value>>;

/// A state, or one bit of its [code].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    pub state: StateId,
    pub bit: Option<u32>,
}

/// A k-inductive strengthening in words: Boolean terms over states and definitions.
#[derive(Clone, Debug)]
pub struct WordProof {
    /// The store of `claim.invariant`: the system's, possibly extended, so that its ids still hold.
    pub terms: Arc<Terms>,
    pub claim: Proof<Part, TermId>,
}

/// A fact about every reachable state.
#[derive(Clone, Debug)]
pub enum WordLemma {
    Property(PropertyId),
    /// Over states and definitions, with its store, which is the system's, possibly extended.
    Term(Arc<Terms>, TermId),
}

impl WordProof {
    /// The properties, k-inductive by themselves.
    pub fn of_properties(system: &System, properties: Vec<PropertyId>, k: u32) -> WordProof {
        let claim = Proof { properties, k, distinct: None, invariant: Vec::new() };
        WordProof { terms: Arc::new(system.terms.clone()), claim }
    }

    /// Both strengthenings at once: see [`Proof::and`].
    pub fn and(self, system: &System, other: &WordProof) -> WordProof {
        let mut terms = Arc::unwrap_or_clone(self.terms);
        let mut claim = self.claim;
        let new: Vec<_> = other.claim.properties.iter().filter(|p| !claim.properties.contains(p)).collect();
        claim.properties.extend(new);
        claim.k = claim.k.max(other.claim.k);
        for &conjunct in &other.claim.invariant {
            let conjunct = terms.adopt(&other.terms, conjunct, system.terms.len());
            if !claim.invariant.contains(&conjunct) {
                claim.invariant.push(conjunct);
            }
        }
        if claim.distinct.is_none() {
            claim.distinct.clone_from(&other.claim.distinct);
        }
        WordProof { terms: Arc::new(terms), claim }
    }
}

impl System {
    /// All that has a name: inputs, states, definitions, and then what else is observed.
    pub fn named(&self) -> impl Iterator<Item = (&Label, TermId)> {
        let inputs = self.inputs.iter().map(|i| (&i.label, i.variable));
        let states = self.states.iter().map(|s| (&s.label, s.variable));
        let definitions = self.definitions.iter().map(|d| (&d.label, d.variable));
        let observables = self.observables.iter().map(|o| (&o.label, o.term));
        inputs.chain(states).chain(definitions).chain(observables)
    }

    /// Whether the start of some state depends on inputs.
    pub fn inits_read_inputs(&self) -> bool {
        let roles = self.roles();
        let mut todo: Vec<TermId> = self.states.iter().filter_map(|s| s.init).collect();
        let mut seen = vec![false; self.terms.len()];
        while let Some(term) = todo.pop() {
            if std::mem::replace(&mut seen[term.index()], true) {
                continue;
            }
            match roles[term.index()] {
                Some(Role::Input(_)) => return true,
                Some(Role::Definition(d)) => todo.push(self.definitions[d].value),
                Some(Role::State(_)) | None => todo.extend_from_slice(self.terms.operands(term)),
            }
        }
        false
    }

    /// A new variable that is an input.
    pub fn add_input(&mut self, sort: Sort, label: Label) -> TermId {
        let variable = self.terms.variable(&*label.name, sort);
        self.inputs.push(Input { variable, label });
        variable
    }

    /// A new variable that is a state, free until [`init` and `next`](State) are set.
    pub fn add_state(&mut self, sort: Sort, label: Label) -> StateId {
        let variable = self.terms.variable(&*label.name, sort);
        self.states.push(State { variable, init: None, next: None, label });
        StateId::new(self.states.len() - 1)
    }

    /// An invariant, violated where `bad` holds.
    pub fn add_property(&mut self, bad: TermId, label: Label) -> PropertyId {
        self.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
        PropertyId::new(self.properties.len() - 1)
    }

    /// A new variable with its equation.
    pub fn add_definition(&mut self, value: TermId, label: Label) -> TermId {
        let variable = self.terms.variable(&*label.name, self.terms.sort(value).clone());
        self.definitions.push(Definition { variable, value, label });
        variable
    }

    pub fn state(&self, state: StateId) -> &State {
        &self.states[state.index()]
    }

    pub fn state_ids(&self) -> impl ExactSizeIterator<Item = StateId> + use<> {
        (0..self.states.len()).map(StateId::new)
    }

    /// The states without `next`, in order.
    pub fn free_states(&self) -> impl Iterator<Item = StateId> + '_ {
        self.state_ids().filter(|&s| self.state(s).next.is_none())
    }

    pub fn property_ids(&self) -> impl ExactSizeIterator<Item = PropertyId> + use<> {
        (0..self.properties.len()).map(PropertyId::new)
    }

    pub fn property(&self, property: PropertyId) -> &Property {
        &self.properties[property.index()]
    }

    /// The role of each term of the store, where it is a variable of this system.
    pub fn roles(&self) -> Vec<Option<Role>> {
        let mut roles = vec![None; self.terms.len()];
        let inputs = self.inputs.iter().enumerate().map(|(i, input)| (input.variable, Role::Input(i)));
        let states = self.state_ids().map(|s| (self.state(s).variable, Role::State(s)));
        let definitions =
            self.definitions.iter().enumerate().map(|(d, def)| (def.variable, Role::Definition(d)));
        for (variable, role) in inputs.chain(states).chain(definitions) {
            roles[variable.index()] = Some(role);
        }
        roles
    }

    pub fn num_elements(&self) -> usize {
        self.states.len() + self.definitions.len() + self.constraints.len()
    }

    pub fn element(&self, element: ElementId) -> Element {
        let (states, definitions) = (self.states.len(), self.definitions.len());
        match element.index() {
            e if e < states => Element::State(StateId::new(e)),
            e if e < states + definitions => Element::Definition(e - states),
            e => Element::Constraint(e - states - definitions),
        }
    }

    pub fn element_of(&self, element: Element) -> ElementId {
        let (states, definitions) = (self.states.len(), self.definitions.len());
        ElementId::new(match element {
            Element::State(s) => s.index(),
            Element::Definition(d) => states + d,
            Element::Constraint(c) => states + definitions + c,
        })
    }

    /// The name and place of an element.
    pub fn label(&self, element: ElementId) -> &Label {
        match self.element(element) {
            Element::State(s) => &self.state(s).label,
            Element::Definition(d) => &self.definitions[d].label,
            Element::Constraint(c) => &self.constraints[c].label,
        }
    }
}
