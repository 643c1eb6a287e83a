//! Bounded model checking of systems with maps, by their first steps as terms ([`unrolling`](crate::unrolling)).
//!
//! The maps of a model are read off where the formula applies them and are tables with a default elsewhere; the
//! checker replays what comes of it.

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Config, Model, Session, Solver};
use buttress_solve::{Stop, Stopped};
use buttress_system::indexed::{Indexed, IndexedTrace};
use buttress_system::{PropertyId, Trace};
use buttress_term::{ArrayValue, Node, Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use crate::unrolling::{Facts, Unrolling};

/// Paths of the system, longer by one step at a time.
pub struct Paths<'a> {
    unrolling: Unrolling<'a>,
    session: Session,
    /// All that was asserted.
    facts: Vec<TermId>,
    stop: Stop,
}

impl<'a> Paths<'a> {
    pub fn new(model: &'a Indexed, config: &Config, stop: &Stop) -> Paths<'a> {
        let unrolling = Unrolling::new(model);
        let session = Session::new(config, unrolling.theory(), stop);
        Paths { unrolling, session, facts: Vec::new(), stop: stop.clone() }
    }

    /// A violation of the property in the step after the last one, if there is one.
    pub fn violation(&mut self, property: PropertyId) -> Result<Option<IndexedTrace>, Stopped> {
        self.stop.check()?;
        self.unrolling.extend();
        let now = self.unrolling.now();
        let Facts { states, inputs } = &self.unrolling.facts[now];
        let new: Vec<TermId> = states.iter().chain(inputs).copied().collect();
        self.assert(&new);
        let bad = self.unrolling.at(self.unrolling.model.system.property(property).bad, now);
        let roots: Vec<TermId> = self.facts.iter().copied().chain([bad]).collect();
        let axioms = self.unrolling.axioms(&roots, now);
        self.assert(&axioms);
        let terms = &mut self.unrolling.terms;
        for range in terms.ranges(&[bad]) {
            self.session.assert(terms, range);
        }
        // R(x₀) ∧ ⋀ T(x_t, i_t, x_{t+1}) ∧ ⋀ C ∧ bad(x_n, i_n)
        match self.session.check(terms, &[bad])? {
            Outcome::Unsat => Ok(None),
            Outcome::Sat => self.trace(property, bad),
        }
    }

    fn assert(&mut self, facts: &[TermId]) {
        let terms = &mut self.unrolling.terms;
        for &fact in facts {
            for range in terms.ranges(&[fact]) {
                self.session.assert(terms, range);
            }
            self.session.assert(terms, fact);
        }
        self.facts.extend(facts);
    }

    /// The model that the solver found, as a trace; `None` where it has none any more.
    fn trace(&mut self, property: PropertyId, bad: TermId) -> Result<Option<IndexedTrace>, Stopped> {
        let Some(tables) = self.tables(bad)? else { return Ok(None) };
        let system = &self.unrolling.model.system;
        let mut initial = Vec::new();
        for state in &system.states {
            let value = match state.init {
                Some(_) => None,
                None => Some(self.value(self.unrolling.steps[0][&state.variable], &tables)?),
            };
            initial.push(value);
        }
        let mut inputs = Vec::new();
        for step in 0..self.unrolling.steps.len() {
            let free = system.free_states().map(|s| system.state(s).variable);
            let variables: Vec<TermId> = system.inputs.iter().map(|i| i.variable).chain(free).collect();
            let mut row = Vec::new();
            for variable in variables {
                row.push(Some(self.value(self.unrolling.steps[step][&variable], &tables)?));
            }
            inputs.push(row);
        }
        Ok(Some(Trace { property, initial, inputs }))
    }

    fn value(&mut self, variable: TermId, tables: &FxHashMap<TermId, Value>) -> Result<Value, Stopped> {
        if let Some(table) = tables.get(&variable) {
            return Ok(table.clone());
        }
        let sort = self.unrolling.terms.sort(variable).clone();
        if sort.as_array().is_some() || !self.unrolling.terms.is_variable(variable) {
            return Ok(Value::zero(&sort));
        }
        let values = self.session.values(&self.unrolling.terms, &[variable])?;
        let lost = || Stopped::Solver("its model is gone".to_string());
        values.and_then(|v| v.into_iter().next()).ok_or_else(lost)
    }

    /// The maps of the model, where the formula applies them.
    fn tables(&mut self, bad: TermId) -> Result<Option<FxHashMap<TermId, Value>>, Stopped> {
        let roots: Vec<TermId> = self.facts.iter().copied().chain([bad]).collect();
        let applications: Vec<(TermId, TermId, Vec<TermId>)> = self
            .unrolling
            .terms
            .cone(roots)
            .into_iter()
            .filter_map(|t| application(&self.unrolling.terms, t))
            .collect();
        let mut asked = Vec::new();
        for (term, _, places) in &applications {
            asked.push(*term);
            asked.extend(places);
        }
        let Some(values) = self.session.values(&self.unrolling.terms, &asked)? else { return Ok(None) };
        let values: FxHashMap<TermId, Value> = asked.into_iter().zip(values).collect();
        let mut tables: FxHashMap<TermId, Value> = FxHashMap::default();
        for (term, map, places) in applications {
            let places: Vec<Value> = places.iter().map(|p| values[p].clone()).collect();
            let before = tables
                .remove(&map)
                .unwrap_or_else(|| everywhere(self.unrolling.terms.sort(map), &values[&term]));
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

/// The table that holds one value at all places: what axioms say of the places that are read holds there, too,
/// mostly.
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
