//! A finite instance of a model with maps, played: places and parameters from 0 to a size, so that a designer sees
//! the system move.
//!
//! The number of processes is the size; in a model without processes all parameters, which never change, are.
//! Starts and inputs are random; of several tries the first is taken that the constraints and axioms allow and
//! in which something changes, so that a guarded step is not lost on a wrong choice. Where none is found, the
//! execution ends. This shows a system, it decides nothing.

use buttress_system::indexed::{Indexed, IndexedTrace, Play};
use buttress_system::words::{State, random_value};
use buttress_system::{PropertyId, Rng, Trace, Wave, Waves};
use buttress_term::infix::of_maps;
use buttress_term::{ArrayValue, Sort, TermId, Value};

use crate::people::{arguments, wave_of_map};

/// Random inputs that are tried before a step without a change is taken.
const TRIES: usize = 2000;

/// More places of one map are not shown.
const SHOWN: usize = 64;

/// An execution of so many steps, and what is to be said about it.
pub fn play(model: &Indexed, size: u64, steps: usize, seed: u64) -> (Waves, Vec<String>) {
    let mut rng = Rng::new(seed);
    let mut trace = start(model, size, &mut rng);
    while trace.inputs.len() < steps && step(model, &mut trace, size, &mut rng) {}
    let mut remarks = Vec::new();
    if !allowed(model, &trace, trace.last_step(), size) && !settle(model, &mut trace, size, &mut rng) {
        remarks
            .push(format!("no values were found that the constraints allow in step {}", trace.last_step()));
    } else {
        remarks.extend(violations(model, &trace, size));
    }
    (waves(model, &trace, size), remarks)
}

/// A first state that is allowed, if one is found.
fn start(model: &Indexed, size: u64, rng: &mut Rng) -> IndexedTrace {
    let parameter = |state: &State| match &model.processes {
        Some(processes) => state.variable == processes.size,
        None => state.next == Some(state.variable) && *model.system.terms.sort(state.variable) == Sort::Int,
    };
    let mut first = || {
        let initial = model.system.states.iter().map(|state| match state.init {
            Some(_) => None,
            None if parameter(state) => Some(int(size)),
            None => Some(value(model.system.terms.sort(state.variable), size, rng)),
        });
        let initial = initial.collect();
        Trace { property: PropertyId::new(0), initial, inputs: vec![row(model, size, rng)] }
    };
    let mut trace = first();
    for _ in 0..TRIES {
        if allowed(model, &trace, 0, size) {
            break;
        }
        trace = first();
    }
    trace
}

fn int(n: u64) -> Value {
    Value::Int(n.into())
}

/// A value with numbers below the size.
fn value(sort: &Sort, size: u64, rng: &mut Rng) -> Value {
    match sort {
        Sort::Int => int(rng.below(size as usize) as u64),
        Sort::Array(array) => {
            let mut table = ArrayValue::constant(array.index.clone(), value(&array.element, size, rng));
            for place in places(std::slice::from_ref(&array.index), size) {
                table.set(place[0].clone(), value(&array.element, size, rng));
            }
            Value::array(table)
        }
        other => random_value(other, rng),
    }
}

fn row(model: &Indexed, size: u64, rng: &mut Rng) -> Vec<Option<Value>> {
    let system = &model.system;
    let free = system.free_states().map(|s| system.state(s).variable);
    let variables = system.inputs.iter().map(|i| i.variable).chain(free);
    variables.map(|v| Some(value(system.terms.sort(v), size, rng))).collect()
}

/// All places below the size.
fn places(sorts: &[Sort], size: u64) -> Vec<Vec<Value>> {
    sorts.iter().fold(vec![Vec::new()], |partial, sort| {
        let own: Vec<Value> = match sort {
            Sort::Int => (0..size).map(int).collect(),
            Sort::Bool | Sort::Enum(_) => Value::all(sort).collect(),
            other => vec![Value::zero(other)],
        };
        let longer = |p: &Vec<Value>| {
            let p = p.clone();
            own.iter()
                .map(move |v| p.iter().cloned().chain([v.clone()]).collect())
                .collect::<Vec<Vec<Value>>>()
        };
        partial.iter().flat_map(longer).collect()
    })
}

/// Inputs for the last step, such that the next state differs if that can be found; and a row for the next
/// step. Whether there are some that are allowed.
fn step(model: &Indexed, trace: &mut IndexedTrace, size: u64, rng: &mut Rng) -> bool {
    let last = trace.inputs.len() - 1;
    for _ in 0..TRIES {
        trace.inputs[last] = row(model, size, rng);
        if allowed(model, trace, last, size) {
            trace.inputs.push(row(model, size, rng));
            if changes(model, trace, last, size) {
                return true;
            }
            trace.inputs.pop();
        }
    }
    let settled = settle(model, trace, size, rng);
    if settled {
        trace.inputs.push(row(model, size, rng));
    }
    settled
}

/// Inputs for the last step that are allowed, if some are found.
fn settle(model: &Indexed, trace: &mut IndexedTrace, size: u64, rng: &mut Rng) -> bool {
    let last = trace.inputs.len() - 1;
    (0..TRIES).any(|_| {
        trace.inputs[last] = row(model, size, rng);
        allowed(model, trace, last, size)
    })
}

/// Whether the constraints hold in a step, and the axioms at all places below the size.
fn allowed(model: &Indexed, trace: &IndexedTrace, step: usize, size: u64) -> bool {
    let play = Play::new(&model.system, trace);
    let holds = |c: &buttress_system::words::Named| play.bool(step, c.term) == Some(true);
    model.system.constraints.iter().all(holds)
        && (model.axioms.is_empty() || axioms_hold(model, trace, step, size))
}

fn axioms_hold(model: &Indexed, trace: &IndexedTrace, step: usize, size: u64) -> bool {
    let system = &model.system;
    model.axioms.iter().all(|axiom| {
        let read = system.terms.free_variables([axiom.term]);
        let own: Vec<TermId> = model.indices.iter().copied().filter(|i| read.contains(i)).collect();
        let sorts: Vec<Sort> = own.iter().map(|&i| system.terms.sort(i).clone()).collect();
        places(&sorts, size).iter().all(|values| {
            let mut trace = trace.clone();
            for (index, value) in own.iter().zip(values) {
                let input = system.inputs.iter().position(|i| i.variable == *index);
                trace.inputs[step][input.expect("an index symbol is an input")] = Some(value.clone());
            }
            Play::new(system, &trace).bool(step, axiom.term) == Some(true)
        })
    })
}

fn changes(model: &Indexed, trace: &IndexedTrace, step: usize, size: u64) -> bool {
    let play = Play::new(&model.system, trace);
    let differs = |variable: TermId| {
        let places = places(&arguments(model.system.terms.sort(variable)), size);
        places.iter().any(|p| play.value(step, variable, p) != play.value(step + 1, variable, p))
    };
    model.system.states.iter().any(|s| differs(s.variable))
}

/// Properties that some step violates at places below the size.
fn violations(model: &Indexed, trace: &IndexedTrace, size: u64) -> Vec<String> {
    let system = &model.system;
    let sorts: Vec<Sort> = model.indices.iter().map(|&i| system.terms.sort(i).clone()).collect();
    let mut remarks = Vec::new();
    for property in system.property_ids() {
        let first = (0..trace.inputs.len()).find_map(|step| {
            places(&sorts, size).into_iter().find_map(|places| {
                let mut trace = trace.clone();
                for (index, value) in model.indices.iter().zip(&places) {
                    let input = system.inputs.iter().position(|i| i.variable == *index);
                    trace.inputs[step][input.expect("an index symbol is an input")] = Some(value.clone());
                }
                let bad = Play::new(system, &trace).bool(step, system.property(property).bad) == Some(true);
                bad.then_some((step, places))
            })
        });
        if let Some((step, places)) = first {
            let at: Vec<String> = model
                .indices
                .iter()
                .zip(&places)
                .map(|(&i, v)| format!("{} = {v}", of_maps(&system.terms, i)))
                .collect();
            let name = &system.property(property).label.name;
            remarks.push(format!("{name} is violated in step {step}, at {}", at.join(", ")));
        }
    }
    remarks
}

fn waves(model: &Indexed, trace: &IndexedTrace, size: u64) -> Waves {
    let system = &model.system;
    let play = Play::new(system, trace);
    let inputs =
        system.inputs.iter().filter(|i| !model.is_index(i.variable)).map(|i| (i.variable, &i.label.name));
    let states = system.states.iter().map(|s| (s.variable, &s.label.name));
    let mut waves = Vec::new();
    for (variable, name) in inputs.chain(states) {
        let sort = system.terms.sort(variable);
        for place in places(&arguments(sort), size).into_iter().take(SHOWN) {
            waves.push(wave_of_map(system, &play, trace.inputs.len(), variable, name, &place));
        }
    }
    Waves { steps: trace.inputs.len(), waves: waves.into_iter().collect::<Vec<Wave>>() }
}
