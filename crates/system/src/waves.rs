//! An execution for people: named signals and their values at each step.
//!
//! Tables, waveforms and JSON are made of it, whatever the trace is about. Of an array, the places that some step
//! tells apart from the rest are signals of their own, `memory[3]`.

use std::collections::BTreeSet;

use buttress_term::{Sort, TermId, Value};

use crate::words::{self, Simulation, WordTrace};
use crate::{BitSystem, Signals, Trace};

/// One signal: a value a step, `None` where it is unknown.
#[derive(Clone, PartialEq, Debug)]
pub struct Wave {
    pub name: String,
    pub sort: Sort,
    pub values: Vec<Option<Value>>,
    /// Another name of a signal that stands before it.
    pub alias: bool,
}

/// All signals of an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct Waves {
    pub steps: usize,
    pub waves: Vec<Wave>,
}

/// Of an array, places beyond this are not shown.
const PLACES: usize = 256;

impl Waves {
    /// Inputs and latches, bits regrouped to words.
    pub fn of_bits(system: &BitSystem, trace: &Trace) -> Waves {
        let signals = Signals::of(system);
        let rows = signals.rows(system, trace);
        let wave = |(s, signal): (usize, &crate::Signal)| Wave {
            name: signal.name.clone(),
            sort: signal.sort.clone(),
            values: rows.iter().map(|row| row[s].clone()).collect(),
            alias: false,
        };
        Waves { steps: rows.len(), waves: signals.0.iter().enumerate().map(wave).collect() }
    }

    /// Inputs, states, definitions and observables.
    pub fn of_words(system: &words::System, trace: &WordTrace) -> Waves {
        let named = named(system);
        let terms: Vec<TermId> = named.iter().map(|(_, term)| *term).collect();
        let rows = values(system, trace, &terms);
        let mut waves = Vec::new();
        let mut seen = BTreeSet::new();
        for (s, (name, term)) in named.into_iter().enumerate() {
            let values = rows.iter().map(|row| row[s].clone()).collect();
            let (name, sort, alias) = (name.to_string(), system.terms.sort(term).clone(), !seen.insert(term));
            let wave = Wave { name, sort, values, alias };
            match wave.sort {
                Sort::Array(_) => waves.extend(wave.places()),
                _ => waves.push(wave),
            }
        }
        Waves { steps: rows.len(), waves }
    }
}

/// The named terms, each name of a term once.
fn named(system: &words::System) -> Vec<(&str, TermId)> {
    let inputs = system.inputs.iter().map(|i| (&*i.label.name, i.variable));
    let states = system.states.iter().map(|s| (&*s.label.name, s.variable));
    let definitions = system.definitions.iter().map(|d| (&*d.label.name, d.variable));
    let observables = system.observables.iter().map(|o| (&*o.label.name, o.term));
    let mut seen = BTreeSet::new();
    let all = inputs.chain(states).chain(definitions).chain(observables);
    all.filter(|&signal| seen.insert(signal)).collect()
}

/// The values of these terms at each step of a trace.
pub fn values(system: &words::System, trace: &WordTrace, terms: &[TermId]) -> Vec<Vec<Option<Value>>> {
    let mut simulation = Simulation::new(system);
    let row = |(step, inputs): (usize, &Vec<Option<Value>>)| {
        match step {
            0 => simulation.start(&trace.initial, inputs),
            _ => simulation.step(inputs),
        }
        terms.iter().map(|&term| simulation.value(term)).collect()
    };
    trace.inputs.iter().enumerate().map(row).collect()
}

impl Wave {
    /// A wave for each place of an array that differs from the rest in some step.
    fn places(self) -> Vec<Wave> {
        let Sort::Array(array) = &self.sort else { return vec![self] };
        let arrays = self.values.iter().flatten().filter_map(|value| match value {
            Value::Array(array) => Some(array),
            _ => None,
        });
        let places: BTreeSet<&Value> = arrays.flat_map(|array| array.entries().keys()).collect();
        let element = |value: &Option<Value>, place: &Value| match value {
            Some(Value::Array(array)) => Some(array.get(place).clone()),
            _ => None,
        };
        let wave = |place: &Value| Wave {
            name: format!("{}[{place}]", self.name),
            sort: array.element.clone(),
            values: self.values.iter().map(|value| element(value, place)).collect(),
            alias: self.alias,
        };
        places.into_iter().take(PLACES).map(wave).collect()
    }
}
