//! The interpreter and a system that was made of the source execute the same random choices and must agree on
//! every variable, property and constraint in every step.
//!
//! The interpreter goes first, and what it chose is given to the system by name. A finite system has words for
//! integers and leaves out what no property reads.

use std::collections::BTreeMap;

use buttress_lustre::LustreModel;
use buttress_lustre::interpret::{Choices, Interpreter, Random, Scalar, Step};
use buttress_system::words::{Named, Simulation, System};
use buttress_term::{Sort, TermId, Value, Word};

/// An execution of the source, with all that was chosen.
pub struct Execution {
    steps: Vec<Step>,
    /// The values chosen in each step, by name.
    chosen: Vec<BTreeMap<String, Value>>,
}

/// Random choices, written down.
struct Recorder {
    random: Random,
    chosen: BTreeMap<String, Value>,
}

impl Choices for Recorder {
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value {
        let known = self.chosen.get(name).cloned();
        let value = known.unwrap_or_else(|| self.random.choose(name, scalar));
        self.chosen.insert(name.to_string(), value.clone());
        value
    }
}

/// Executes the source at random; what it refuses is told.
pub fn execute(model: &LustreModel, steps: usize, seed: u64) -> Result<Execution, String> {
    let mut recorder = Recorder { random: Random::new(seed), chosen: BTreeMap::new() };
    let mut interpreter = Interpreter::new(model);
    let mut execution = Execution { steps: Vec::new(), chosen: Vec::new() };
    for _ in 0..steps {
        execution.steps.push(interpreter.step(&mut recorder)?);
        execution.chosen.push(std::mem::take(&mut recorder.chosen));
    }
    Ok(execution)
}

/// Which variables a system must have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Those of the source.
    Yes,
    /// Those that properties read.
    No,
}

/// Executes the system with the same choices, as long as its constraints hold; what differs is told. Gives the
/// number of steps.
pub fn agree(execution: &Execution, system: &System, whole: Whole) -> Result<usize, String> {
    let mut simulation = Simulation::new(system);
    let terms: BTreeMap<&str, TermId> = system.named().map(|(label, term)| (&*label.name, term)).collect();
    for (number, step) in execution.steps.iter().enumerate() {
        let row = system.inputs.iter().map(|input| {
            let value = execution.chosen[number].get(&*input.label.name);
            Some(fitting(system.terms.sort(input.variable), value))
        });
        let row: Vec<Option<Value>> = row.collect();
        match number {
            0 => simulation.start(&start(execution, system), &row),
            _ => simulation.step(&row),
        }
        // A finite system is exact, and has all values, as long as constraints hold; it must end with the source.
        // Inputs that no constraint allows it may not have at all.
        if whole == Whole::No && step.constraints.iter().any(|(_, holds)| !holds) {
            return match ends(system, &mut simulation) || !has_inputs(system, &execution.chosen[number]) {
                true => Ok(number),
                false => {
                    Err(format!("step {number}: the execution ends in the source, but not in the system"))
                }
            };
        }
        compare(&terms, &mut simulation, step, whole)
            .and_then(|()| claims_agree(system, &mut simulation, step))
            .map_err(|message| format!("step {number}: {message}"))?;
    }
    Ok(execution.steps.len())
}

/// Whether some constraint fails.
fn ends(system: &System, simulation: &mut Simulation<'_>) -> bool {
    let fails = |named: &Named| simulation.value(named.term) == Some(Value::Bool(false));
    system.constraints.iter().any(fails)
}

/// Whether the words of the inputs are wide enough for what was chosen.
fn has_inputs(system: &System, chosen: &BTreeMap<String, Value>) -> bool {
    system.inputs.iter().all(|input| {
        let value = chosen.get(&*input.label.name);
        match (value, fitting(system.terms.sort(input.variable), value)) {
            (Some(Value::Int(n)), Value::Word(word)) => word.to_signed() == *n,
            _ => true,
        }
    })
}

/// A start is chosen when it is read, which may be later.
fn start(execution: &Execution, system: &System) -> Vec<Option<Value>> {
    let state = |state: &buttress_system::words::State| {
        let chosen = execution.chosen.iter().find_map(|step| step.get(&*state.label.name));
        state.init.is_none().then(|| fitting(system.terms.sort(state.variable), chosen))
    };
    system.states.iter().map(state).collect()
}

/// A value of the source in the system: integers may be words. What was not chosen is zero.
fn fitting(sort: &Sort, value: Option<&Value>) -> Value {
    match (sort, value) {
        (Sort::BitVec(width), Some(Value::Int(n))) => Value::Word(Word::from_int(n, *width)),
        (_, Some(value)) => value.clone(),
        (sort, None) => Value::zero(sort),
    }
}

fn compare(
    terms: &BTreeMap<&str, TermId>,
    simulation: &mut Simulation<'_>,
    step: &Step,
    whole: Whole,
) -> Result<(), String> {
    for (name, value) in &step.values {
        let Some(term) = terms.get(&name[..]) else {
            match whole {
                Whole::Yes => return Err(format!("the system has no '{name}'")),
                Whole::No => continue,
            }
        };
        let found = match (simulation.value(*term), value) {
            (Some(Value::Word(word)), Value::Int(_)) => Some(Value::Int(word.to_signed())),
            (found, _) => found,
        };
        if found.as_ref() != Some(value) {
            return Err(format!("{name} is {value} in the source, {found:?} in the system"));
        }
    }
    Ok(())
}

fn claims_agree(system: &System, simulation: &mut Simulation<'_>, step: &Step) -> Result<(), String> {
    let bads = system.properties.iter().map(|property| (&*property.label.name, property.bad));
    claims(simulation, &step.properties, bads, false)?;
    let holds = system.constraints.iter().map(|named| (&*named.label.name, named.term));
    claims(simulation, &step.constraints, holds, true)
}

/// Claims of one name, as a whole: some of them fail in both, or none.
fn claims<'s>(
    simulation: &mut Simulation<'_>,
    said: &[(String, bool)],
    terms: impl Iterator<Item = (&'s str, TermId)>,
    good: bool,
) -> Result<(), String> {
    let mut source: BTreeMap<&str, bool> = BTreeMap::new();
    said.iter().for_each(|(name, holds)| *source.entry(name).or_insert(true) &= holds);
    let mut system: BTreeMap<&str, bool> = BTreeMap::new();
    for (name, term) in terms {
        *system.entry(name).or_insert(true) &= simulation.bool(term) == Some(good);
    }
    for (name, holds) in source {
        match system.get(name) {
            Some(found) if *found == holds => {}
            // An obligation that can be seen to hold is none.
            None if holds => {}
            found => return Err(format!("'{name}' holds: {holds} in the source, {found:?} in the system")),
        }
    }
    Ok(())
}
