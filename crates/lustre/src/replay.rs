//! Traces of the system, executed in the source.

use std::collections::BTreeMap;
use std::sync::Arc;

use buttress_system::PropertyId;
use buttress_system::words::{Replay, System, WordTrace};
use buttress_term::Value;
use rustc_hash::FxHashMap;

use crate::interpret::{Choices, Interpreter, Scalar};
use crate::script::{Noted, Script, violates};
use crate::table::Execution;
use crate::{LustreModel, Origin};

/// A model with the system that traces speak of: the one that [`crate::lower`] made of it.
pub struct Replayer {
    model: LustreModel,
    system: Arc<System>,
    origins: Vec<Origin>,
}

impl Replayer {
    pub fn new(model: LustreModel, system: Arc<System>, origins: Vec<Origin>) -> Replayer {
        Replayer { model, system, origins }
    }

    /// Where a property of the system comes from.
    pub fn origin(&self, property: PropertyId) -> Origin {
        self.origins[property.index()]
    }

    pub fn model(&self) -> &LustreModel {
        &self.model
    }

    /// A trace, executed in the source.
    pub fn execute(&self, trace: &WordTrace) -> Result<Execution, String> {
        self.executed(trace).map(|(execution, _)| execution)
    }

    /// All that a trace chooses, as the source asks for it.
    pub fn script(&self, trace: &WordTrace) -> Result<Script, String> {
        self.executed(trace).map(|(_, script)| script)
    }

    fn executed(&self, trace: &WordTrace) -> Result<(Execution, Script), String> {
        let mut choices = Noted { inner: Recorded::new(&self.system, trace), row: BTreeMap::new() };
        let mut interpreter = Interpreter::new(&self.model);
        let (mut steps, mut script) = (Vec::new(), Vec::new());
        for number in 0..trace.inputs.len() {
            choices.inner.step = number;
            steps.push(interpreter.step(&mut choices)?);
            script.push(std::mem::take(&mut choices.row));
        }
        Ok((Execution { steps, signals: interpreter.into_signals() }, script))
    }
}

impl Replay for Replayer {
    fn replay(&self, trace: &WordTrace) -> Result<(), String> {
        let name = &self.system.property(trace.property).label.name;
        violates(&self.execute(trace)?.steps, name)
    }
}

/// The values of a trace, by name; what does not matter is some value.
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
        recorded.unwrap_or_else(|| scalar.some_value())
    }
}
