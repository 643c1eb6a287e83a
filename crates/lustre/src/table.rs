//! Executions as people read them: a row for each variable, a column for each step. Inputs, outputs and locals of
//! the main node come first, then the variables of each call.

use std::fmt::Write;

use buttress_term::{Value, brief};
use rustc_hash::FxHashMap;

use crate::interpret::{Signal, Step};
use crate::unit::Role;

/// A value as Lustre writes it: `true`, `-3`, `1/3`, the name of an enum's value. Machine integers are without a
/// sign.
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

/// An execution of the source.
pub struct Execution {
    pub steps: Vec<Step>,
    pub signals: Vec<Signal>,
}

/// A signal with a value for each step; `None` where its instance does not execute.
pub struct Row<'a> {
    pub signal: &'a Signal,
    pub values: Vec<Option<&'a Value>>,
}

impl Row<'_> {
    /// The value in a step, as Lustre writes it.
    pub fn cell(&self, step: usize) -> Option<String> {
        self.values[step].map(|value| self.signal.scalar.show(value))
    }
}

/// Columns of steps that fit beside the names.
const WIDTH: usize = 100;

impl Execution {
    /// The main node first, then instance by instance; of each inputs, outputs, locals.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let names = self.signals.iter().enumerate().map(|(at, signal)| (&signal.full_name[..], at));
        let places: FxHashMap<&str, usize> = names.collect();
        let mut rows: Vec<Row<'_>> =
            self.signals.iter().map(|signal| Row { signal, values: vec![None; self.steps.len()] }).collect();
        for (number, step) in self.steps.iter().enumerate() {
            for (name, value) in &step.values {
                rows[places[&name[..]]].values[number] = Some(value);
            }
        }
        let mut instances: FxHashMap<&str, usize> = FxHashMap::default();
        for signal in &self.signals {
            let next = instances.len();
            instances.entry(&signal.path).or_insert(next);
        }
        rows.sort_by_key(|row| (instances[&row.signal.path[..]], class(row.signal.role)));
        rows
    }

    /// The table, broken where a line would be too long.
    pub fn table(&self) -> String {
        let rows = self.rows();
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| (0..self.steps.len()).map(|t| row.cell(t).map_or("-".into(), brief)).collect())
            .collect();
        let names = rows.iter().map(|row| row.signal.name.chars().count()).max().unwrap_or(0).clamp(4, WIDTH);
        let width = |t: usize| {
            let widest = cells.iter().map(|row| row[t].chars().count()).max().unwrap_or(0);
            widest.max(t.to_string().len()) + 2
        };
        let mut text = String::new();
        let mut from = 0;
        while from < self.steps.len() {
            let mut to = from + 1;
            let mut used = names + 2 + width(from);
            while to < self.steps.len() && used + width(to) <= WIDTH {
                used += width(to);
                to += 1;
            }
            let line = |name: &str, cell: &dyn Fn(usize) -> String| {
                let cells: String = (from..to).map(|t| format!("{:>w$}", cell(t), w = width(t))).collect();
                format!("  {name:<names$}{cells}\n")
            };
            text += &line("step", &|t| t.to_string());
            let mut heading = String::new();
            for (row, cells) in rows.iter().zip(&cells) {
                let own = self.heading(row.signal);
                if own != heading {
                    let _ = writeln!(text, "{own}");
                    heading = own;
                }
                text += &line(&row.signal.name, &|t| cells[t].clone());
            }
            from = to;
        }
        text
    }

    fn heading(&self, signal: &Signal) -> String {
        match (&signal.path[..], class(signal.role)) {
            ("", 0) => "inputs".into(),
            ("", 1) => "outputs".into(),
            ("", _) => "locals".into(),
            (path, _) => path.to_string(),
        }
    }
}

fn class(role: Role) -> u8 {
    match role {
        Role::Input => 0,
        Role::Output => 1,
        Role::Local | Role::Constant | Role::Ghost => 2,
    }
}
