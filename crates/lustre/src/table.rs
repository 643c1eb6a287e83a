//! Executions as people read them: a row for each variable, a column for each step.

use std::fmt::Write;

use buttress_term::Value;

use crate::interpret::Step;

/// A value as Lustre writes it: `true`, `-3`, `1/3`, the name of an enum's value.
pub fn show(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Real(r) if r.is_integer() => format!("{}.0", r.to_integer()),
        Value::Real(r) => format!("{}/{}", r.numer(), r.denom()),
        Value::Enum(e) => e.sort.constants[e.index as usize].clone(),
        Value::Word(_) | Value::Array(_) => value.to_string(),
    }
}

/// The variables of an execution: all names, in the order in which they first occur, with a value for each step in
/// which they have one.
pub fn rows(steps: &[Step]) -> Vec<(String, Vec<Option<&Value>>)> {
    let mut rows: Vec<(String, Vec<Option<&Value>>)> = Vec::new();
    let mut places = rustc_hash::FxHashMap::default();
    for (number, step) in steps.iter().enumerate() {
        for (name, value) in &step.values {
            let place = *places.entry(name.clone()).or_insert_with(|| {
                rows.push((name.clone(), vec![None; steps.len()]));
                rows.len() - 1
            });
            rows[place].1[number] = Some(value);
        }
    }
    rows
}

/// The whole table; `-` where an instance does not execute.
pub fn table(steps: &[Step]) -> String {
    let rows = rows(steps);
    let cell = |value: &Option<&Value>| value.map_or("-".to_string(), show);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("step".len());
    let columns: Vec<usize> = (0..steps.len())
        .map(|step| {
            rows.iter()
                .map(|(_, row)| cell(&row[step]).chars().count())
                .max()
                .unwrap_or(0)
                .max(step.to_string().len())
        })
        .collect();
    let mut text = format!("{:<width$}", "step");
    for (step, column) in columns.iter().enumerate() {
        let _ = write!(text, "  {step:>column$}");
    }
    text.push('\n');
    for (name, row) in &rows {
        let _ = write!(text, "{name:<width$}");
        for (value, column) in row.iter().zip(&columns) {
            let _ = write!(text, "  {:>column$}", cell(value));
        }
        text.push('\n');
    }
    text
}
