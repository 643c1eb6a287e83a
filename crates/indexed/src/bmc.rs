//! Bounded model checking of systems with maps: states are terms over the start and the inputs of each step.
//!
//! A scalar state of step t is a variable with an equation; a map is a lambda, reduced wherever it is applied. So the
//! formula has no lambda, and its size follows the places that are read. The maps of a model are read off where the
//! formula applies them and are tables with a default elsewhere; the checker replays what comes of it.

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Config, Model, Session, Solver};
use buttress_solve::{Stop, Stopped};
use buttress_system::indexed::{Indexed, IndexedTrace};
use buttress_system::words::Assignment;
use buttress_system::{PropertyId, Trace};
use buttress_term::{ArrayValue, Node, Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use crate::instances::{axiom_instances, substitution};
use crate::roles::Roles;
use crate::simplify::simplify;

/// Paths of the system, longer by one step at a time.
pub struct Paths<'a> {
    model: &'a Indexed,
    terms: Terms,
    roles: Roles,
    session: Session,
    /// What variables of the system are in each step.
    steps: Vec<FxHashMap<TermId, TermId>>,
    /// All that was asserted.
    facts: Vec<TermId>,
    stop: Stop,
}

impl<'a> Paths<'a> {
    pub fn new(model: &'a Indexed, config: &Config, stop: &Stop) -> Paths<'a> {
        let terms = model.system.terms.clone();
        let theory = buttress_solve::smt::Theory {
            enumerations_in_arrays: false,
            ..buttress_solve::smt::Theory::of(&terms)
        };
        Paths {
            model,
            session: Session::new(config, theory, stop),
            terms,
            roles: Roles::of(model),
            steps: Vec::new(),
            facts: Vec::new(),
            stop: stop.clone(),
        }
    }

    /// A violation of the property in the step after the last one, if there is one.
    pub fn violation(&mut self, property: PropertyId) -> Result<Option<IndexedTrace>, Stopped> {
        self.stop.check()?;
        self.extend();
        let now = self.steps.len() - 1;
        let bad = self.at(self.model.system.property(property).bad, now);
        self.assert_axioms(bad);
        for range in self.terms.ranges(&[bad]) {
            self.session.assert(&self.terms, range);
        }
        // R(x₀) ∧ ⋀ T(x_t, i_t, x_{t+1}) ∧ ⋀ C ∧ bad(x_n, i_n)
        match self.session.check(&self.terms, &[bad])? {
            Outcome::Unsat => Ok(None),
            Outcome::Sat => self.trace(property, bad),
        }
    }

    fn at(&mut self, term: TermId, step: usize) -> TermId {
        let term = self.terms.replace(term, &self.steps[step]);
        simplify(&mut self.terms, term)
    }

    fn assert(&mut self, fact: TermId) {
        for range in self.terms.ranges(&[fact]) {
            self.session.assert(&self.terms, range);
        }
        self.session.assert(&self.terms, fact);
        self.facts.push(fact);
    }

    /// One more step.
    fn extend(&mut self) {
        let step = self.steps.len();
        let mut now: FxHashMap<TermId, TermId> = FxHashMap::default();
        for input in &self.model.system.inputs {
            let sort = self.terms.sort(input.variable).clone();
            now.insert(input.variable, self.terms.variable(format!("{}#{step}", input.label.name), sort));
        }
        self.steps.push(now);
        match step {
            0 => self.start(),
            _ => self.follow(step),
        }
        for constraint in &self.model.system.constraints {
            let holds = self.at(constraint.term, step);
            self.assert(holds);
        }
    }

    fn start(&mut self) {
        let system = &self.model.system;
        for assignment in system.start_order().expect("the system was validated when it was read") {
            match assignment {
                Assignment::Definition(d) => {
                    let value = self.at(system.definitions[d].value, 0);
                    self.set(system.definitions[d].variable, &system.definitions[d].label.name, value);
                }
                Assignment::State(s) => {
                    let state = system.state(s);
                    match state.init {
                        Some(init) => {
                            let value = self.at(init, 0);
                            self.set(state.variable, &state.label.name, value);
                        }
                        None => self.free(state.variable, &state.label.name),
                    }
                }
            }
        }
    }

    fn follow(&mut self, step: usize) {
        let system = &self.model.system;
        for state in &system.states {
            match state.next {
                Some(next) => {
                    let value = self.at(next, step - 1);
                    self.set(state.variable, &state.label.name, value);
                }
                None => self.free(state.variable, &state.label.name),
            }
        }
        for definition in &system.definitions {
            let value = self.at(definition.value, step);
            self.set(definition.variable, &definition.label.name, value);
        }
    }

    /// A variable of this step has any value.
    fn free(&mut self, variable: TermId, name: &str) {
        let step = self.steps.len() - 1;
        let sort = self.terms.sort(variable).clone();
        let fresh = self.terms.variable(format!("{name}#{step}"), sort);
        self.steps[step].insert(variable, fresh);
    }

    /// A map is put in where it is applied, a number gets a name.
    fn set(&mut self, variable: TermId, name: &str, value: TermId) {
        let plain = self.terms.operands(value).is_empty();
        if plain || self.terms.sort(variable).as_array().is_some() {
            self.steps.last_mut().expect("a step was begun").insert(variable, value);
        } else {
            self.free(variable, name);
            let fresh = self.steps[self.steps.len() - 1][&variable];
            let equal = self.terms.eq(fresh, value);
            self.assert(equal);
        }
    }

    /// Instances of the axioms for the places that are read, in every step.
    fn assert_axioms(&mut self, bad: TermId) {
        if self.model.axioms.is_empty() {
            return;
        }
        let roots: Vec<TermId> = self.facts.iter().copied().chain([bad]).collect();
        let places = axiom_instances(self.model, &self.terms, &mut self.roles, &roots);
        for instance in places {
            let by = substitution(self.model, &instance);
            for axiom in &self.model.axioms {
                for step in 0..self.steps.len() {
                    // Index symbols first, so that the places are those of the formula.
                    let mut all = self.steps[step].clone();
                    all.extend(by.iter().map(|(&index, &place)| (index, place)));
                    let fact = self.terms.replace(axiom.term, &all);
                    let fact = simplify(&mut self.terms, fact);
                    self.assert(fact);
                }
            }
        }
    }

    /// The model that the solver found, as a trace; `None` where it has none any more.
    fn trace(&mut self, property: PropertyId, bad: TermId) -> Result<Option<IndexedTrace>, Stopped> {
        let Some(tables) = self.tables(bad)? else { return Ok(None) };
        let system = &self.model.system;
        let mut initial = Vec::new();
        for state in &system.states {
            let value = match state.init {
                Some(_) => None,
                None => Some(self.value(self.steps[0][&state.variable], &tables)?),
            };
            initial.push(value);
        }
        let mut inputs = Vec::new();
        for step in 0..self.steps.len() {
            let free = system.free_states().map(|s| system.state(s).variable);
            let variables: Vec<TermId> = system.inputs.iter().map(|i| i.variable).chain(free).collect();
            let mut row = Vec::new();
            for variable in variables {
                row.push(Some(self.value(self.steps[step][&variable], &tables)?));
            }
            inputs.push(row);
        }
        Ok(Some(Trace { property, initial, inputs }))
    }

    fn value(&mut self, variable: TermId, tables: &FxHashMap<TermId, Value>) -> Result<Value, Stopped> {
        if let Some(table) = tables.get(&variable) {
            return Ok(table.clone());
        }
        let sort = self.terms.sort(variable).clone();
        if sort.as_array().is_some() || !self.terms.is_variable(variable) {
            return Ok(Value::zero(&sort));
        }
        let values = self.session.values(&self.terms, &[variable])?;
        let lost = || Stopped::Solver("its model is gone".to_string());
        values.and_then(|v| v.into_iter().next()).ok_or_else(lost)
    }

    /// The maps of the model, where the formula applies them.
    fn tables(&mut self, bad: TermId) -> Result<Option<FxHashMap<TermId, Value>>, Stopped> {
        let roots: Vec<TermId> = self.facts.iter().copied().chain([bad]).collect();
        let applications: Vec<(TermId, TermId, Vec<TermId>)> =
            self.terms.cone(roots).into_iter().filter_map(|t| application(&self.terms, t)).collect();
        let mut asked = Vec::new();
        for (term, _, places) in &applications {
            asked.push(*term);
            asked.extend(places);
        }
        let Some(values) = self.session.values(&self.terms, &asked)? else { return Ok(None) };
        let values: FxHashMap<TermId, Value> = asked.into_iter().zip(values).collect();
        let mut tables: FxHashMap<TermId, Value> = FxHashMap::default();
        for (term, map, places) in applications {
            let places: Vec<Value> = places.iter().map(|p| values[p].clone()).collect();
            let before =
                tables.remove(&map).unwrap_or_else(|| everywhere(self.terms.sort(map), &values[&term]));
            tables.insert(map, written(before, &places, values[&term].clone()));
        }
        Ok(Some(tables))
    }
}

/// A map variable with all its arguments.
pub(crate) fn application(terms: &Terms, term: TermId) -> Option<(TermId, TermId, Vec<TermId>)> {
    let (mut map, mut places) = (term, Vec::new());
    while let Node::Apply(Op::Select, _, &[inner, place]) = terms.node(map) {
        places.push(place);
        map = inner;
    }
    places.reverse();
    let whole = !places.is_empty() && !matches!(terms.sort(term), Sort::Array(_));
    (whole && terms.is_variable(map)).then_some((term, map, places))
}

/// The table that holds one value at all places: what axioms say of the places that are read holds there, too, mostly.
pub(crate) fn everywhere(sort: &Sort, value: &Value) -> Value {
    match sort {
        Sort::Array(array) => {
            Value::array(ArrayValue::constant(array.index.clone(), everywhere(&array.element, value)))
        }
        _ => value.clone(),
    }
}

/// A table with one more entry.
pub fn written(table: Value, places: &[Value], element: Value) -> Value {
    let (Value::Array(array), [first, rest @ ..]) = (table, places) else { return element };
    let mut array = std::sync::Arc::unwrap_or_clone(array);
    let inner = written(array.get(first).clone(), rest, element);
    array.set(first.clone(), inner);
    Value::array(array)
}
