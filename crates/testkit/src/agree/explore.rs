//! The truth about a system of words with few reachable states, from its starts on: for systems whose integers and
//! arrays have no bounds of their own, only those that their steps give them.

use std::collections::BTreeSet;

use buttress_system::words::System;
use buttress_term::{Evaluation, Sort, TermId, Value};

use crate::word_reference::{bounds, values_of};

/// More states are not listed, nor more choices in a step.
const STATES: usize = 3000;
const CHOICES: usize = 600;

type Row = Vec<Value>;

/// For each property the step of a shortest violation; `None` where there is too much to list.
pub fn violations(system: &System) -> Option<Vec<Option<usize>>> {
    let explorer = Explorer::new(system)?;
    let mut violated = vec![None; system.properties.len()];
    let (mut known, mut layer) = (BTreeSet::new(), explorer.starts()?);
    for step in 0.. {
        let mut next = Vec::new();
        for (state, input) in &layer {
            explorer.visit(state, input, step, &mut violated, &mut next)?;
        }
        next.retain(|state| known.insert(state.clone()));
        if next.is_empty() {
            return Some(violated);
        }
        if known.len() > STATES {
            return None;
        }
        layer = explorer.with_inputs(&next);
    }
    unreachable!("the states are finitely many")
}

/// The smallest number of states, up to this one, that no execution has, if there is one; `None` where there is
/// too much to list.
pub fn ends(system: &System, most: usize) -> Option<Option<usize>> {
    let explorer = Explorer::new(system)?;
    let mut layer = explorer.starts()?;
    for states in 1..=most {
        let (mut next, mut alive) = (Vec::new(), false);
        for (state, input) in &layer {
            alive |= explorer.visit(state, input, 0, &mut vec![None; system.properties.len()], &mut next)?;
        }
        if !alive {
            return Some(Some(states));
        }
        next.sort();
        next.dedup();
        layer = explorer.with_inputs(&next);
    }
    Some(None)
}

struct Explorer<'a> {
    system: &'a System,
    inputs: Vec<Row>,
}

impl<'a> Explorer<'a> {
    fn new(system: &'a System) -> Option<Explorer<'a>> {
        Some(Explorer { system, inputs: rows(system, system.inputs.iter().map(|i| i.variable))? })
    }

    fn with_inputs(&self, states: &[Row]) -> Vec<(Row, Row)> {
        states.iter().flat_map(|s| self.inputs.iter().map(|i| (s.clone(), i.clone()))).collect()
    }

    /// All starts with all inputs.
    fn starts(&self) -> Option<Vec<(Row, Row)>> {
        let open = self.system.states.iter().filter(|s| s.init.is_none()).map(|s| s.variable);
        let free = rows(self.system, open)?;
        let pairs = free.iter().flat_map(|f| self.inputs.iter().map(move |i| (f, i)));
        pairs.map(|(free, input)| Some((self.start(free, input)?, input.clone()))).collect()
    }

    /// The state that satisfies all `init`, found by trying as often as there are states.
    fn start(&self, free: &Row, input: &Row) -> Option<Row> {
        let mut free = free.iter().cloned();
        let states = self.system.states.iter();
        let mut known: Vec<Option<Value>> =
            states.map(|s| if s.init.is_none() { free.next() } else { None }).collect();
        for _ in 0..=self.system.states.len() {
            let mut evaluation = self.evaluation(&known, input);
            for (state, value) in self.system.states.iter().zip(&mut known) {
                if let Some(init) = state.init {
                    *value = evaluation.value(init);
                }
            }
        }
        known.into_iter().collect()
    }

    fn evaluation(&self, state: &[Option<Value>], input: &Row) -> Evaluation<'_> {
        let mut evaluation = Evaluation::new(&self.system.terms);
        for (s, value) in self.system.states.iter().zip(state) {
            evaluation.assign(s.variable, value.clone());
        }
        for (i, value) in self.system.inputs.iter().zip(input) {
            evaluation.assign(i.variable, Some(value.clone()));
        }
        for definition in &self.system.definitions {
            let value = evaluation.value(definition.value);
            evaluation.assign(definition.variable, value);
        }
        evaluation
    }

    /// Records what is violated and adds the successors; whether the constraints allow it.
    fn visit(
        &self,
        state: &Row,
        input: &Row,
        step: usize,
        violated: &mut [Option<usize>],
        next: &mut Vec<Row>,
    ) -> Option<bool> {
        let known: Vec<Option<Value>> = state.iter().cloned().map(Some).collect();
        let mut evaluation = self.evaluation(&known, input);
        for constraint in &self.system.constraints {
            if !evaluation.bool(constraint.term)? {
                return Some(false);
            }
        }
        for (property, violated) in self.system.properties.iter().zip(violated) {
            if evaluation.bool(property.bad)? && violated.is_none() {
                *violated = Some(step);
            }
        }
        let mut after: Vec<Row> = vec![Vec::new()];
        for s in &self.system.states {
            let values = match s.next {
                Some(value) => vec![evaluation.value(value)?],
                None => values(self.system, s.variable)?,
            };
            after = longer(&after, &values);
        }
        next.extend(after);
        Some(true)
    }
}

/// All values of a variable, where they are few.
fn values(system: &System, variable: TermId) -> Option<Vec<Value>> {
    let few = match system.terms.sort(variable) {
        Sort::Int => bounds(system, variable).is_some(),
        sort => buttress_system::words::code::width(sort).is_some_and(|width| width <= 8),
    };
    few.then(|| values_of(system, variable))
}

/// All combinations of values of these variables.
fn rows(system: &System, variables: impl Iterator<Item = TermId>) -> Option<Vec<Row>> {
    let mut all: Vec<Row> = vec![Vec::new()];
    for variable in variables {
        all = longer(&all, &values(system, variable)?);
        if all.len() > CHOICES {
            return None;
        }
    }
    Some(all)
}

fn longer(rows: &[Row], values: &[Value]) -> Vec<Row> {
    let with = |row: &Row, value: &Value| row.iter().cloned().chain([value.clone()]).collect();
    rows.iter().flat_map(|row| values.iter().map(move |value| with(row, value))).collect()
}
