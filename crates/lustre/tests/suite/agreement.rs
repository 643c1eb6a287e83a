//! The interpreter and the lowered system execute the same random choices and must agree on every variable,
//! property and constraint in every step.

use std::collections::HashMap;

use buttress_lustre::Model;
use buttress_lustre::interpret::{Choices, Interpreter, Scalar, Step};
use buttress_system::Rng;
use buttress_system::words::{Simulation, System};
use buttress_term::{EnumValue, Sort, Value, Word};
use num_bigint::BigInt;
use num_rational::BigRational;

fn random(sort: &Sort, rng: &mut Rng) -> Value {
    let small = |rng: &mut Rng| BigInt::from(rng.below(16) as i64 - 4);
    match sort {
        Sort::Bool => Value::Bool(rng.one_in(2)),
        Sort::BitVec(width) => {
            Value::Word(Word::from_bits((0..*width).map(|_| rng.one_in(2)).collect::<Vec<_>>()))
        }
        Sort::Int => Value::Int(small(rng)),
        Sort::Real => Value::Real(BigRational::new(small(rng), BigInt::from(1 + rng.below(4)))),
        Sort::Enum(e) => {
            Value::Enum(EnumValue { sort: e.clone(), index: rng.below(e.constants.len()) as u32 })
        }
        Sort::Array(_) => unreachable!("Lustre has its arrays in scalars"),
    }
}

/// The choices of the system's execution, by name.
struct Given<'a> {
    system: &'a System,
    initial: Vec<Value>,
    names: HashMap<String, usize>,
    states: HashMap<String, usize>,
    row: Vec<Value>,
}

impl<'a> Given<'a> {
    fn new(system: &'a System, rng: &mut Rng) -> Given<'a> {
        let sort = |variable| system.terms.sort(variable);
        let names = system.inputs.iter().enumerate().map(|(i, input)| (input.label.name.to_string(), i));
        let states = system.states.iter().enumerate().map(|(i, state)| (state.label.name.to_string(), i));
        Given {
            system,
            initial: system.states.iter().map(|state| random(sort(state.variable), rng)).collect(),
            names: names.collect(),
            states: states.collect(),
            row: Vec::new(),
        }
    }

    fn next_row(&mut self, rng: &mut Rng) -> Vec<Option<Value>> {
        let sorts = self.system.inputs.iter().map(|input| self.system.terms.sort(input.variable));
        self.row = sorts.map(|sort| random(sort, rng)).collect();
        self.row.iter().cloned().map(Some).collect()
    }
}

impl Choices for Given<'_> {
    fn choose(&mut self, name: &str, _: &Scalar) -> Value {
        match self.names.get(name) {
            Some(&input) => self.row[input].clone(),
            None => self.initial
                [*self.states.get(name).unwrap_or_else(|| panic!("the system knows '{name}'"))]
            .clone(),
        }
    }
}

/// Executes both; what differs is told.
pub fn agree(model: &Model, system: &System, steps: usize, seed: u64) -> Result<(), String> {
    let mut rng = Rng::new(seed);
    let mut given = Given::new(system, &mut rng);
    let mut simulation = Simulation::new(system);
    let mut interpreter = Interpreter::new(model);
    for number in 0..steps {
        let row = given.next_row(&mut rng);
        if number == 0 {
            let free = |(state, value): (&buttress_system::words::State, &Value)| {
                state.init.is_none().then(|| value.clone())
            };
            let initial: Vec<Option<Value>> = system.states.iter().zip(&given.initial).map(free).collect();
            simulation.start(&initial, &row);
        } else {
            simulation.step(&row);
        }
        let step = interpreter.step(&mut given)?;
        compare(system, &mut simulation, &step).map_err(|message| format!("step {number}: {message}"))?;
    }
    Ok(())
}

fn compare(system: &System, simulation: &mut Simulation<'_>, step: &Step) -> Result<(), String> {
    let inputs = system.inputs.iter().map(|input| (&input.label, input.variable));
    let states = system.states.iter().map(|state| (&state.label, state.variable));
    let definitions = system.definitions.iter().map(|definition| (&definition.label, definition.variable));
    let observables = system.observables.iter().map(|named| (&named.label, named.term));
    let all = inputs.chain(states).chain(definitions).chain(observables);
    let terms: HashMap<&str, _> = all.map(|(label, term)| (&*label.name, term)).collect();
    for (name, value) in &step.values {
        let term = terms.get(&name[..]).ok_or(format!("the system has no '{name}'"))?;
        let found = simulation.value(*term);
        if found.as_ref() != Some(value) {
            return Err(format!("{name} is {value} in the source, {found:?} in the system"));
        }
    }
    let bads: Vec<(&str, _)> =
        system.properties.iter().map(|property| (&*property.label.name, property.bad)).collect();
    claims(simulation, &step.properties, &bads, false)?;
    let holds: Vec<(&str, _)> =
        system.constraints.iter().map(|named| (&*named.label.name, named.term)).collect();
    claims(simulation, &step.constraints, &holds, true)
}

/// Claims of one name, as a whole: some of them fail in both, or none.
fn claims(
    simulation: &mut Simulation<'_>,
    said: &[(String, bool)],
    terms: &[(&str, buttress_term::TermId)],
    good: bool,
) -> Result<(), String> {
    let mut source: HashMap<&str, bool> = HashMap::new();
    said.iter().for_each(|(name, holds)| *source.entry(name).or_insert(true) &= holds);
    let mut system: HashMap<&str, bool> = HashMap::new();
    for (name, term) in terms {
        let holds = simulation.bool(*term) == Some(good);
        *system.entry(name).or_insert(true) &= holds;
    }
    for (name, holds) in source {
        match system.get(name) {
            Some(found) if *found == holds => {}
            found => return Err(format!("'{name}' holds: {holds} in the source, {found:?} in the system")),
        }
    }
    Ok(())
}

/// A file in twenty, some steps: seconds.
#[test]
fn the_interpreter_agrees_with_the_system_on_a_sample() {
    for set in ["classic", "ivc", "industrial", "jkind-testing", "kind2-regression"] {
        for path in crate::corpus::files(set).iter().step_by(20) {
            let text = std::fs::read_to_string(path).expect("the file is text");
            let Ok(model) = buttress_lustre::read(text) else { continue };
            let Ok(system) = buttress_lustre::lower(&model) else { continue };
            let agreed = agree(&model, &system, 12, 7);
            assert_eq!(agreed, Ok(()), "{}", path.display());
        }
    }
}
