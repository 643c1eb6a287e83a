//! Executions of a system with some of its elements, by evaluation, and what one counterexample says about other
//! elements.
//!
//! Let S be elements that suffice and v an execution with S \ {e} that violates the property. An element f is as
//! necessary where v can be *rotated* to it: e follows its equation again, f keeps the values that it has in v,
//! and everything else follows from them (after recursive model rotation, Belov & Marques-Silva, FMCAD 2011). That
//! needs no solver. It is tried where f is likely to do it: with Δ the variables whose values change when e
//! follows its equation, where every way by which variables of Δ read each other, from e to the property, leads
//! through f.

use std::sync::Arc;

use buttress_system::words::{Assignment, Role, StateId, System, WordTrace};
use buttress_system::{ElementId, ElementSet, PropertyId};
use buttress_term::{Evaluation, TermId, Value};
use rustc_hash::FxHashMap;

use crate::{Elements, Part};

/// Values of the variables of an [`Execution`] in each step; `None` where they follow, or do not matter.
#[derive(Clone, Debug)]
pub(crate) struct Path(pub Vec<Arc<[Option<Value>]>>);

/// Executes a system of which elements are dropped, without making it. Only what the property and the constraints
/// depend on is looked at.
pub(crate) struct Execution<'a> {
    system: &'a System,
    elements: &'a Elements,
    property: PropertyId,
    /// The variables in the cone of influence, inputs first, then states, then definitions: those that the
    /// property depends on, and the constraints that read any of them, with those that these depend on.
    variables: Vec<TermId>,
    places: FxHashMap<TermId, usize>,
    inputs: usize,
    states: Vec<StateId>,
    definitions: Vec<usize>,
    /// Of the states and definitions that are looked at.
    start_order: Vec<Assignment>,
    /// The states and definitions that read each variable, by place; the property is the last.
    readers: Vec<Vec<usize>>,
    /// Those that are looked at.
    constraints: Vec<usize>,
}

impl<'a> Execution<'a> {
    /// Of these elements or fewer.
    pub fn new(
        system: &'a System,
        elements: &'a Elements,
        kept: &ElementSet,
        property: PropertyId,
    ) -> Execution<'a> {
        let keeps = |part| elements.keeps(kept, part);
        let (read, constraints) = Reading::of(system, &keeps, property);
        let is_read = |variable: TermId| read[variable.index()];
        let inputs = system.inputs.iter().map(|i| i.variable).filter(|&v| is_read(v));
        let mut variables: Vec<TermId> = inputs.collect();
        let inputs = variables.len();
        let states: Vec<StateId> =
            system.state_ids().filter(|&s| is_read(system.state(s).variable)).collect();
        variables.extend(states.iter().map(|&s| system.state(s).variable));
        let looked_at = |d: &usize| is_read(system.definitions[*d].variable);
        let definitions: Vec<usize> = (0..system.definitions.len()).filter(looked_at).collect();
        variables.extend(definitions.iter().map(|&d| system.definitions[d].variable));
        let order = system.start_order().expect("the system was validated when it was read");
        let start_order = order.into_iter().filter(|assignment| match assignment {
            Assignment::State(s) => is_read(system.state(*s).variable),
            Assignment::Definition(d) => looked_at(d),
        });
        let mut execution = Execution {
            system,
            elements,
            property,
            places: variables.iter().enumerate().map(|(place, &v)| (v, place)).collect(),
            readers: vec![Vec::new(); variables.len()],
            variables,
            inputs,
            states,
            start_order: start_order.collect(),
            definitions,
            constraints,
        };
        execution.connect(&keeps);
        execution
    }

    fn connect(&mut self, keeps: &dyn Fn(Part) -> bool) {
        let system = self.system;
        let mut reads: Vec<(usize, TermId)> = Vec::new();
        for (place, &s) in (self.inputs..).zip(&self.states) {
            let state = system.state(s);
            reads.extend(state.init.filter(|_| keeps(Part::Init(s))).map(|init| (place, init)));
            reads.extend(state.next.filter(|_| keeps(Part::Next(s))).map(|next| (place, next)));
        }
        for (place, &d) in (self.inputs + self.states.len()..).zip(&self.definitions) {
            reads.extend(keeps(Part::Definition(d)).then(|| (place, system.definitions[d].value)));
        }
        reads.push((self.variables.len(), system.property(self.property).bad));
        for (reader, term) in reads {
            for variable in system.terms.free_variables([term]) {
                self.readers[self.places[&variable]].push(reader);
            }
        }
    }

    /// The variables that follow from nothing in some step, where only these elements are kept.
    pub fn free(&self, kept: &ElementSet) -> Vec<TermId> {
        self.free_places(kept).into_iter().map(|place| self.variables[place]).collect()
    }

    /// Of rows that have the values of these; without values where a row has none.
    pub fn path(&self, kept: &ElementSet, rows: Vec<Vec<Option<Value>>>) -> Path {
        let places = self.free_places(kept);
        let row = |values: Vec<Option<Value>>| {
            let mut row = vec![None; self.variables.len()];
            places.iter().zip(values).for_each(|(&place, value)| row[place] = value);
            row.into()
        };
        Path(rows.into_iter().map(row).collect())
    }

    fn free_places(&self, kept: &ElementSet) -> Vec<usize> {
        let keeps = |part| self.elements.keeps(kept, part);
        let mut places: Vec<usize> = (0..self.inputs).collect();
        for (place, &s) in (self.inputs..).zip(&self.states) {
            let state = self.system.state(s);
            let follows = state.init.is_some() && state.next.is_some();
            if !(follows && keeps(Part::Init(s)) && keeps(Part::Next(s))) {
                places.push(place);
            }
        }
        let definitions = (self.inputs + self.states.len()..).zip(&self.definitions);
        places.extend(definitions.filter(|(_, d)| !keeps(Part::Definition(**d))).map(|(place, _)| place));
        places
    }

    /// Executes the system: kept elements follow their equations; all others have the values of the given path.
    /// The execution up to the step in which the property is violated; `None` where it is not.
    pub fn follow(&self, kept: &ElementSet, given: &Path) -> Option<Path> {
        let mut found = false;
        let bad = self.system.property(self.property).bad;
        let path = self.run(kept, given, &mut |evaluation| {
            let kept_here = |c: &usize| self.elements.keeps(kept, Part::Constraint(*c));
            let mut constraints = self.constraints.iter().copied().filter(kept_here);
            let broken = constraints.any(|c| evaluation.bool(self.system.constraints[c].term) != Some(true));
            found = !broken && evaluation.bool(bad) == Some(true);
            broken || found
        });
        found.then_some(path)
    }

    /// Until someone who looks at the current step has seen enough.
    fn run(
        &self,
        kept: &ElementSet,
        given: &Path,
        enough: &mut dyn FnMut(&mut Evaluation<'a>) -> bool,
    ) -> Path {
        let mut evaluation = Evaluation::new(&self.system.terms);
        let mut path = Path(Vec::with_capacity(given.0.len()));
        for (step, row) in given.0.iter().enumerate() {
            match step {
                0 => self.start(kept, row, &mut evaluation),
                _ => self.step(kept, row, &mut evaluation),
            }
            path.0.push(self.variables.iter().map(|&v| evaluation.value(v)).collect());
            if enough(&mut evaluation) {
                break;
            }
        }
        path
    }

    fn start(&self, kept: &ElementSet, row: &[Option<Value>], evaluation: &mut Evaluation<'a>) {
        self.assign_inputs(row, evaluation);
        for &assignment in &self.start_order {
            match assignment {
                Assignment::Definition(d) => self.define(d, kept, row, evaluation),
                Assignment::State(s) => {
                    let state = self.system.state(s);
                    let init = state.init.filter(|_| self.elements.keeps(kept, Part::Init(s)));
                    let value = match init {
                        Some(init) => evaluation.value(init),
                        None => row[self.places[&state.variable]].clone(),
                    };
                    evaluation.assign(state.variable, value);
                }
            }
        }
    }

    fn step(&self, kept: &ElementSet, row: &[Option<Value>], evaluation: &mut Evaluation<'a>) {
        let mut value = |(place, &s): (usize, &StateId)| {
            let next = self.system.state(s).next.filter(|_| self.elements.keeps(kept, Part::Next(s)));
            next.map_or_else(|| row[place].clone(), |next| evaluation.value(next))
        };
        let values: Vec<Option<Value>> = (self.inputs..).zip(&self.states).map(&mut value).collect();
        evaluation.clear();
        self.assign_inputs(row, evaluation);
        for (&s, value) in self.states.iter().zip(values) {
            evaluation.assign(self.system.state(s).variable, value);
        }
        self.definitions.iter().for_each(|&d| self.define(d, kept, row, evaluation));
    }

    fn assign_inputs(&self, row: &[Option<Value>], evaluation: &mut Evaluation<'a>) {
        for (&variable, value) in self.variables[..self.inputs].iter().zip(row) {
            evaluation.assign(variable, value.clone());
        }
    }

    fn define(&self, d: usize, kept: &ElementSet, row: &[Option<Value>], evaluation: &mut Evaluation<'a>) {
        let definition = &self.system.definitions[d];
        let value = match self.elements.keeps(kept, Part::Definition(d)) {
            true => evaluation.value(definition.value),
            false => row[self.places[&definition.variable]].clone(),
        };
        evaluation.assign(definition.variable, value);
    }

    /// To which elements a counterexample of `kept` without `element` can probably be rotated.
    pub fn rotations(&self, kept: &ElementSet, element: ElementId, path: &Path) -> Vec<ElementId> {
        let obeyed = self.run(kept, path, &mut |_| false);
        let differs = |place: usize| obeyed.0.iter().zip(&path.0).any(|(a, b)| a[place] != b[place]);
        let changed: Vec<bool> = (0..self.variables.len()).map(differs).collect();
        let own = self.places_of(element);
        let others = kept.iter().copied().filter(|&other| other != element);
        let on_the_way = others.filter(|&other| {
            let places = self.places_of(other);
            places.iter().any(|&place| changed[place]) && !self.reaches_end(&own, &changed, &places)
        });
        on_the_way.collect()
    }

    fn places_of(&self, element: ElementId) -> Vec<usize> {
        let variable = |part: &Part| match *part {
            Part::Init(s) | Part::Next(s) => Some(self.system.state(s).variable),
            Part::Definition(d) => Some(self.system.definitions[d].variable),
            Part::Constraint(_) => None,
        };
        let variables = self.elements.get(element).parts.iter().filter_map(variable);
        variables.filter_map(|v| self.places.get(&v).copied()).collect()
    }

    /// Whether a way through changed variables leads from here to the end, around some.
    fn reaches_end(&self, from: &[usize], changed: &[bool], around: &[usize]) -> bool {
        let mut seen = vec![false; self.variables.len()];
        let mut todo = from.to_vec();
        while let Some(place) = todo.pop() {
            for &reader in &self.readers[place] {
                if reader == self.variables.len() {
                    return true;
                }
                if changed[reader] && !around.contains(&reader) && !std::mem::replace(&mut seen[reader], true)
                {
                    todo.push(reader);
                }
            }
        }
        false
    }

    /// A violation with these elements as a trace of the system that has only these.
    pub fn trace(&self, kept: &ElementSet, path: &Path) -> WordTrace {
        let keeps = |part| self.elements.keeps(kept, part);
        let system = self.system;
        let dropped = (0..system.definitions.len()).filter(|&d| !keeps(Part::Definition(d)));
        let free = system.state_ids().filter(|&s| system.state(s).next.is_none() || !keeps(Part::Next(s)));
        let mut read: Vec<TermId> = system.inputs.iter().map(|i| i.variable).collect();
        read.extend(dropped.map(|d| system.definitions[d].variable));
        read.extend(free.map(|s| system.state(s).variable));
        let value = |row: &[Option<Value>], v: TermId| self.places.get(&v).and_then(|&p| row[p].clone());
        let initial = system.states.iter().map(|s| value(&path.0[0], s.variable)).collect();
        let row = |row: &Arc<[Option<Value>]>| read.iter().map(|&v| value(row, v)).collect();
        WordTrace { property: self.property, initial, inputs: path.0.iter().map(row).collect() }
    }
}

/// The variables that a property depends on through the kept parts, and the constraints that read any of them.
struct Reading<'s> {
    system: &'s System,
    keeps: &'s dyn Fn(Part) -> bool,
    roles: Vec<Option<Role>>,
    seen: Vec<bool>,
}

impl<'s> Reading<'s> {
    /// By term, and the constraints.
    fn of(
        system: &'s System,
        keeps: &'s dyn Fn(Part) -> bool,
        property: PropertyId,
    ) -> (Vec<bool>, Vec<usize>) {
        let seen = vec![false; system.terms.len()];
        let mut reading = Reading { system, keeps, roles: system.roles(), seen };
        reading.read(system.property(property).bad);
        let kept = (0..system.constraints.len()).filter(|&c| keeps(Part::Constraint(c)));
        let mut open: Vec<(usize, Vec<TermId>)> = kept.map(|c| (c, reading.variables(c))).collect();
        let mut constraints = Vec::new();
        loop {
            let touches = |(_, read): &(usize, Vec<TermId>)| read.iter().any(|v| reading.seen[v.index()]);
            let (new, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(touches);
            if new.is_empty() {
                constraints.sort_unstable();
                return (reading.seen, constraints);
            }
            for (c, _) in new {
                reading.read(system.constraints[c].term);
                constraints.push(c);
            }
            open = rest;
        }
    }

    /// All that a constraint depends on.
    fn variables(&self, constraint: usize) -> Vec<TermId> {
        let seen = vec![false; self.seen.len()];
        let mut own = Reading { roles: self.roles.clone(), seen, ..*self };
        own.read(self.system.constraints[constraint].term);
        let all = own.seen.iter().zip(self.system.terms.ids()).filter(|(seen, _)| **seen);
        all.map(|(_, term)| term).filter(|&term| self.roles[term.index()].is_some()).collect()
    }

    fn read(&mut self, root: TermId) {
        let mut todo = vec![root];
        while let Some(term) = todo.pop() {
            if std::mem::replace(&mut self.seen[term.index()], true) {
                continue;
            }
            todo.extend_from_slice(self.system.terms.operands(term));
            match self.roles[term.index()] {
                Some(Role::Definition(d)) if (self.keeps)(Part::Definition(d)) => {
                    todo.push(self.system.definitions[d].value);
                }
                Some(Role::State(s)) => {
                    let state = self.system.state(s);
                    todo.extend(state.init.filter(|_| (self.keeps)(Part::Init(s))));
                    todo.extend(state.next.filter(|_| (self.keeps)(Part::Next(s))));
                }
                _ => {}
            }
        }
    }
}
