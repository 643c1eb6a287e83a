//! Execution by evaluation of terms, with values that may be unknown.

use buttress_term::{Evaluation, TermId, Value};

use super::{Assignment, StateId, System, WordTrace};

/// One execution, one step at a time.
pub struct Simulation<'a> {
    system: &'a System,
    start_order: Vec<Assignment>,
    evaluation: Evaluation<'a>,
}

impl<'a> Simulation<'a> {
    /// Before step 0. The system must be stratified: [`System::validate`] says so.
    pub fn new(system: &'a System) -> Simulation<'a> {
        let start_order = system.start_order().expect("the system was validated when it was read");
        Simulation { system, start_order, evaluation: Evaluation::new(&system.terms) }
    }

    /// Enters step 0. A state takes the value given here; where that is `None`, that of its `init`, if any.
    pub fn start(&mut self, initial: &[Option<Value>], inputs: &[Option<Value>]) {
        self.evaluation.clear();
        self.assign_inputs(inputs);
        for i in 0..self.start_order.len() {
            match self.start_order[i] {
                Assignment::Definition(d) => self.define(d),
                Assignment::State(s) => {
                    let state = self.system.state(s);
                    let given = initial[s.index()].clone();
                    let value = given.or_else(|| self.evaluation.value(state.init?));
                    self.evaluation.assign(state.variable, value);
                }
            }
        }
    }

    /// Goes on to the next step; the row ends with the values of the free states.
    pub fn step(&mut self, row: &[Option<Value>]) {
        let mut free = row[self.system.inputs.len()..].iter();
        let mut next = |s: StateId| match self.system.state(s).next {
            Some(next) => self.evaluation.value(next),
            None => free.next().expect("a row has a value for each free state").clone(),
        };
        let values: Vec<Option<Value>> = self.system.state_ids().map(&mut next).collect();
        self.evaluation.clear();
        self.assign_inputs(row);
        for (state, value) in self.system.states.iter().zip(values) {
            self.evaluation.assign(state.variable, value);
        }
        (0..self.system.definitions.len()).for_each(|d| self.define(d));
    }

    /// The value of a term of the system in the current step.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        self.evaluation.value(term)
    }

    /// The value of a term of the system in the current step, by reference.
    pub fn look(&mut self, term: TermId) -> Option<&Value> {
        self.evaluation.look(term)
    }

    pub fn bool(&mut self, term: TermId) -> Option<bool> {
        self.evaluation.bool(term)
    }

    /// The values of all states in the current step.
    pub fn states(&mut self) -> Vec<Option<Value>> {
        self.system.states.iter().map(|s| self.evaluation.value(s.variable)).collect()
    }

    fn assign_inputs(&mut self, row: &[Option<Value>]) {
        for (input, value) in self.system.inputs.iter().zip(row) {
            self.evaluation.assign(input.variable, value.clone());
        }
    }

    fn define(&mut self, definition: usize) {
        let definition = &self.system.definitions[definition];
        let value = self.evaluation.value(definition.value);
        self.evaluation.assign(definition.variable, value);
    }
}

/// The values of all states at each step of a trace.
pub fn states(system: &System, trace: &WordTrace) -> Vec<Vec<Option<Value>>> {
    let mut simulation = Simulation::new(system);
    let row = |(step, inputs): (usize, &Vec<Option<Value>>)| {
        match step {
            0 => simulation.start(&trace.initial, inputs),
            _ => simulation.step(inputs),
        }
        simulation.states()
    };
    trace.inputs.iter().enumerate().map(row).collect()
}
