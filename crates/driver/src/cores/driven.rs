//! A system whose inputs are those of one simulation.
//!
//! With rows of values v₀, v₁, … a state atₜ is true in step t only, and atₜ ⇒ (x = vₜ(x)) is a constraint for
//! each x that row t names. What was added belongs to no element: it is always there.

use std::path::Path;

use buttress_format::{Witness, btor2, stimulus};
use buttress_lustre::script::read_value;
use buttress_system::Ternary;
use buttress_system::words::{Label, Named, System};
use buttress_term::{Sort, TermId, Value};

use super::Anatomy;
use crate::files::read_trace;
use crate::load::read_text;
use crate::problem::{Format, Original};

/// The values that each step fixes, by variable.
pub type Rows = Vec<Vec<(TermId, Value)>>;

/// Reads the inputs of a simulation: a trace in JSON by names, or else what the format of the model has for it.
pub fn read_rows(anatomy: &Anatomy, path: &Path) -> Result<Rows, String> {
    let name = path.display().to_string();
    let text = read_text(path)?;
    let (system, problem) = (&anatomy.system, &anatomy.problem);
    let rows = match (problem.original(), problem.format) {
        _ if text.trim_start().starts_with(['{', '[']) => by_name(system, path)?,
        (Original::Bits(bits), _) => {
            let rows = stimulus::read(text.as_bytes(), bits).map_err(|d| d.render(&name))?;
            let known = |value: Ternary| value.known().map(Value::Bool);
            in_order(system, rows.into_iter().map(|row| row.into_iter().map(known).collect()))
        }
        (_, Format::Btor2) => {
            let witness = btor2::read_witness(text.as_bytes(), system, problem.liveness().justice.len());
            match witness.map_err(|d| d.render(&name))? {
                Witness::Violation(trace) | Witness::Round { execution: trace, .. } => {
                    in_order(system, trace.inputs.into_iter())
                }
                Witness::Safe | Witness::Unknown => {
                    return Err(format!("{name}: error: there is no trace in it"));
                }
            }
        }
        _ => by_name(system, path)?,
    };
    if rows.is_empty() { Err(format!("{name}: error: the stimulus has no steps")) } else { Ok(rows) }
}

/// Rows that begin with a value for each input.
fn in_order(system: &System, rows: impl Iterator<Item = Vec<Option<Value>>>) -> Rows {
    let row = |row: Vec<Option<Value>>| {
        let inputs = system.inputs.iter().zip(row);
        inputs.filter_map(|(input, value)| Some((input.variable, value?))).collect()
    };
    rows.map(row).collect()
}

fn by_name(system: &System, path: &Path) -> Result<Rows, String> {
    let value = |step: usize, name: &str, text: &str| {
        let wrong = |what: String| format!("{}: error: step {step}: {what}", path.display());
        let mut named = system.named().filter(|(label, _)| *label.name == *name);
        let (_, term) = named.next().ok_or_else(|| wrong(format!("there is no '{name}' in the model")))?;
        let sort = system.terms.sort(term);
        let value = read_value(text, sort, text.starts_with('-'));
        let what = || wrong(format!("'{text}' is no {}, which '{name}' is", sort_name(sort)));
        Ok((term, value.ok_or_else(what)?))
    };
    let steps = read_trace(path)?.steps;
    let row = |(step, row): (usize, &std::collections::BTreeMap<String, String>)| {
        row.iter().map(|(name, text)| value(step, name, text)).collect()
    };
    steps.iter().enumerate().map(row).collect()
}

fn sort_name(sort: &Sort) -> String {
    match sort {
        Sort::Bool => "truth value".to_string(),
        Sort::Int => "integer".to_string(),
        Sort::Real => "number".to_string(),
        Sort::BitVec(width) => format!("word of {width} bits"),
        Sort::Enum(sort) => sort.name.clone(),
        Sort::Array(_) => "array".to_string(),
    }
}

/// The system with these inputs in its first steps.
pub fn driven(system: &System, rows: &Rows) -> System {
    let mut new = system.clone();
    let (truth, falsity) = (new.terms.bool(true), new.terms.bool(false));
    let mut before = None;
    for (step, row) in rows.iter().enumerate() {
        let at = new.add_state(Sort::Bool, Label::new(format!("in step {step}")));
        let variable = new.state(at).variable;
        let state = &mut new.states[at.index()];
        state.init = Some(if before.is_none() { truth } else { falsity });
        state.next = Some(before.unwrap_or(falsity));
        before = Some(variable);
        for (term, value) in row {
            let value = new.terms.constant(value.clone());
            let equal = new.terms.eq(*term, value);
            let term = new.terms.implies(variable, equal);
            new.constraints.push(Named { term, label: Label::new(format!("given in step {step}")) });
        }
    }
    new
}
