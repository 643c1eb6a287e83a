//! Written Lustre is read again and means the same: formulas in a copy of the source, and sources without some
//! equations.
//!
//! Both are executed by the interpreter, on the same values of inputs. What else is free, such as a `pre` that
//! nobody guards, is known by its place in the text, which moves; it has one and the same value everywhere.

use std::collections::BTreeMap;

use buttress_lustre::annotate::annotate;
use buttress_lustre::interpret::{Choices, Interpreter, Random, Scalar, Step};
use buttress_lustre::write::Writer;
use buttress_lustre::{LustreModel, lower, read, without};
use buttress_system::Rng;
use buttress_system::words::{Simulation, Span, System};
use buttress_term::{Sort, TermId, Value};

/// Values of inputs by step and name, at random where nobody has fixed them; all else is the least that it may be.
struct Inputs {
    random: Random,
    step: usize,
    fixed: Vec<BTreeMap<String, Value>>,
    /// All that was chosen, in each step.
    chosen: Vec<BTreeMap<String, Value>>,
}

impl Inputs {
    fn new(seed: u64, steps: usize) -> Inputs {
        let none = vec![BTreeMap::new(); steps];
        Inputs { random: Random::new(seed), step: 0, fixed: none.clone(), chosen: none }
    }
}

impl Choices for Inputs {
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value {
        let placed = name.contains(['@', '~']);
        let known = if placed { Some(scalar.some_value()) } else { self.fixed[self.step].get(name).cloned() };
        let value = known.unwrap_or_else(|| self.random.choose(name, scalar));
        if !placed {
            self.fixed[self.step].insert(name.to_string(), value.clone());
        }
        self.chosen[self.step].insert(name.to_string(), value.clone());
        value
    }
}

fn play(model: &LustreModel, inputs: &mut Inputs) -> Result<Vec<Step>, String> {
    let mut interpreter = Interpreter::new(model);
    let mut steps = Vec::new();
    for step in 0..inputs.fixed.len() {
        inputs.step = step;
        steps.push(interpreter.step(inputs)?);
    }
    Ok(steps)
}

fn reread(text: &str) -> Result<LustreModel, String> {
    read(text.to_string())
        .map_err(|found| format!("what was written is refused: {}\n{text}", found[0].render("m")))
}

/// Boolean terms of a model, each as an assertion in a copy of its source: the copy is read, all variables keep
/// their values, and the assertion holds where the term does, except in the first step where it reads a `pre`.
/// Gives how many there were.
pub fn annotated_means_the_same(text: &str, steps: usize, seed: u64) -> Result<usize, String> {
    let (Ok(model), rng) = (read(text.to_string()), &mut Rng::new(seed)) else { return Ok(0) };
    let Ok(lowered) = lower(&model) else { return Ok(0) };
    let mut inputs = Inputs::new(seed, steps);
    let original = play(&model, &mut inputs)?;
    let chosen = inputs.chosen.clone();
    let system = &lowered.system;
    let mut compared = 0;
    for term in some_formulas(system, rng) {
        let formula = Writer::new(system, &system.terms).formula(term);
        let Some(copy) = annotate(&model, std::slice::from_ref(&formula.text)).filter(|_| formula.plain)
        else {
            continue;
        };
        let again = play(&reread(&copy)?, &mut inputs)?;
        let told = |why: String| format!("`{}`: {why}\n{copy}", formula.text);
        same_values(&again, &original).map_err(told)?;
        let guarded = formula.text.starts_with("true -> ");
        for (step, expected) in
            values(system, &chosen, term).into_iter().enumerate().skip(usize::from(guarded))
        {
            let said =
                again[step].constraints.iter().find(|(name, _)| name == "assert").map(|(_, holds)| *holds);
            if said != expected {
                return Err(told(format!("{said:?} in step {step}, but the term is {expected:?}")));
            }
        }
        compared += 1;
    }
    Ok(compared)
}

fn some_formulas(system: &System, rng: &mut Rng) -> Vec<TermId> {
    let mut all: Vec<TermId> = system
        .terms
        .ids()
        .filter(|&t| *system.terms.sort(t) == Sort::Bool && !system.terms.is_variable(t))
        .collect();
    rng.shuffle(&mut all);
    all.truncate(12);
    all
}

/// A term of the system in each step, with these choices.
fn values(system: &System, chosen: &[BTreeMap<String, Value>], term: TermId) -> Vec<Option<bool>> {
    let mut simulation = Simulation::new(system);
    let mut found = Vec::new();
    for (step, chosen) in chosen.iter().enumerate() {
        let value = |variable: TermId, name: &str| {
            let known = chosen.get(name).cloned();
            Some(known.unwrap_or_else(|| Value::zero(system.terms.sort(variable))))
        };
        let row: Vec<Option<Value>> =
            system.inputs.iter().map(|i| value(i.variable, &i.label.name)).collect();
        let free = system.states.iter().map(|s| (s.init.is_none(), s.variable, &s.label.name));
        let start: Vec<Option<Value>> =
            free.map(|(free, variable, name)| if free { value(variable, name) } else { None }).collect();
        match step {
            0 => simulation.start(&start, &row),
            _ => simulation.step(&row),
        }
        found.push(simulation.bool(term));
    }
    found
}

/// Variables of the main node that both have.
fn same_values(again: &[Step], original: &[Step]) -> Result<(), String> {
    for (number, (step, before)) in again.iter().zip(original).enumerate() {
        let known: BTreeMap<&str, &Value> =
            before.values.iter().map(|(name, value)| (&name[..], value)).collect();
        for (name, value) in step.values.iter().filter(|(name, _)| !name.contains('~')) {
            if known.get(&name[..]).is_some_and(|known| *known != value) {
                return Err(format!("{name} is {value} in step {number}, and was {}", known[&name[..]]));
            }
        }
    }
    Ok(())
}

/// A model without some equations of its main node, where it can be written: it is read, and given the values
/// that the original computes, it computes the same. Gives whether it could.
pub fn reduced_means_the_same(text: &str, steps: usize, seed: u64) -> Result<bool, String> {
    let (Ok(model), rng) = (read(text.to_string()), &mut Rng::new(seed)) else { return Ok(false) };
    if lower(&model).is_err() {
        return Ok(false);
    }
    let main = model.program.unit(model.program.main);
    let place = |at: u32| model.source.position(at);
    let spans = main.equations.iter().map(|equation| {
        let (start, end) = (place(equation.span.start), place(equation.span.end));
        Span { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    });
    let dropped: Vec<Span> = spans.filter(|_| rng.one_in(3)).collect();
    let Ok(written) = without(&model, &dropped) else { return Ok(false) };
    let mut inputs = Inputs::new(seed, steps);
    let original = play(&model, &mut inputs)?;
    for (fixed, step) in inputs.fixed.iter_mut().zip(&original) {
        fixed.extend(step.values.iter().cloned());
    }
    let again = play(&reread(&written)?, &mut inputs)?;
    same_values(&again, &original).map_err(|why| format!("{why}\n{written}"))?;
    Ok(written != text)
}
