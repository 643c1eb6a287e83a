//! Traces of the system, executed in the source.

use std::sync::Arc;

use buttress_system::words::{Replay, System, WordTrace};
use buttress_term::Value;
use rustc_hash::FxHashMap;

use crate::Model;
use crate::interpret::{Choices, Interpreter, Scalar, Step};

/// A model with the system that [`crate::lower`] made of it.
pub struct Source {
    model: Model,
    system: Arc<System>,
}

impl Source {
    pub fn new(model: Model, system: Arc<System>) -> Source {
        Source { model, system }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The steps of a trace in the source.
    pub fn steps(&self, trace: &WordTrace) -> Result<Vec<Step>, String> {
        let mut choices = Recorded::new(&self.system, trace);
        let mut interpreter = Interpreter::new(&self.model);
        let step = |number| {
            choices.step = number;
            interpreter.step(&mut choices)
        };
        (0..trace.inputs.len()).map(step).collect()
    }
}

impl Replay for Source {
    fn replay(&self, trace: &WordTrace) -> Result<(), String> {
        let steps = self.steps(trace)?;
        for (number, step) in steps.iter().enumerate() {
            if let Some((name, _)) = step.constraints.iter().find(|(_, holds)| !holds) {
                return Err(format!("in the source, '{name}' does not hold in step {number}"));
            }
        }
        let name = &self.system.property(trace.property).label.name;
        let last = steps.last().ok_or("the trace has no steps")?;
        match last.properties.iter().any(|(said, holds)| **said == **name && !holds) {
            true => Ok(()),
            false => Err(format!("in the source, '{name}' is not violated in the last step")),
        }
    }
}

/// The values of a trace, by name; what does not matter is zero.
struct Recorded<'a> {
    trace: &'a WordTrace,
    inputs: FxHashMap<&'a str, usize>,
    states: FxHashMap<&'a str, usize>,
    step: usize,
}

impl<'a> Recorded<'a> {
    fn new(system: &'a System, trace: &'a WordTrace) -> Recorded<'a> {
        let inputs = system.inputs.iter().enumerate().map(|(number, input)| (&*input.label.name, number));
        let states = system.states.iter().enumerate().map(|(number, state)| (&*state.label.name, number));
        Recorded { trace, inputs: inputs.collect(), states: states.collect(), step: 0 }
    }
}

impl Choices for Recorded<'_> {
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value {
        let recorded = match self.inputs.get(name) {
            Some(&input) => self.trace.inputs[self.step][input].clone(),
            None => self.states.get(name).and_then(|&state| self.trace.initial[state].clone()),
        };
        recorded.unwrap_or_else(|| Value::zero(&scalar.sort))
    }
}
