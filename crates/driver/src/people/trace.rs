//! Executions: of the system by its signals, of a Lustre source by the streams of its nodes.

use buttress_lustre::LustreModel;
use buttress_lustre::ast::NodeKind;
use buttress_lustre::table::{Execution, Row};
use buttress_lustre::unit::Role;
use buttress_system::{Wave, Waves};
use buttress_term::{Sort, Value};

use crate::report::{Cell, Class, Kind, SignalReport, Stream, TraceReport};

/// Signals by name; `x` where a value is unknown.
pub fn of_waves(waves: &Waves) -> TraceReport {
    let cell = |value: &Option<Value>| {
        Some(Cell::Text(value.as_ref().map_or_else(|| "x".to_string(), Value::to_string)))
    };
    let signal = |wave: &Wave| SignalReport {
        name: wave.name.clone(),
        values: wave.values.iter().map(cell).collect(),
        alias: wave.alias,
        unnamed: false,
        kind: kind(&wave.sort),
        stream: None,
    };
    TraceReport { steps: waves.steps, signals: waves.waves.iter().map(signal).collect(), back: None }
}

fn kind(sort: &Sort) -> Kind {
    match sort {
        Sort::Bool => Kind::Bool,
        Sort::BitVec(width) => Kind::Word(*width),
        Sort::Int | Sort::Real => Kind::Number,
        _ => Kind::Other,
    }
}

/// The main node first, then instance by instance; of each inputs, outputs, locals.
pub fn of_execution(model: &LustreModel, execution: &Execution) -> TraceReport {
    let signal = |row: &Row<'_>| SignalReport {
        name: row.signal.full_name.clone(),
        values: (0..row.values.len()).map(|step| cell(row, step)).collect(),
        alias: false,
        unnamed: false,
        kind: kind(&row.signal.scalar.sort),
        stream: Some(stream(model, row)),
    };
    let signals = execution.rows().iter().map(signal).collect();
    TraceReport { steps: execution.steps.len(), signals, back: None }
}

/// Booleans and small integers as programs have them, the rest as text: rationals are exact.
fn cell(row: &Row<'_>, step: usize) -> Option<Cell> {
    let text = row.cell(step)?;
    Some(match row.values[step]? {
        Value::Bool(b) => Cell::Bool(*b),
        Value::Int(_) | Value::Word(_) => {
            text.parse::<i64>().map_or_else(|_| Cell::Text(text.clone()), Cell::Number)
        }
        _ => Cell::Text(text),
    })
}

fn stream(model: &LustreModel, row: &Row<'_>) -> Stream {
    let (signal, scalar) = (row.signal, &row.signal.scalar);
    let unit = model.program.unit(signal.unit);
    let range = match (&scalar.low, &scalar.high) {
        (Some(low), Some(high)) if scalar.sort == Sort::Int => Some((low.to_string(), high.to_string())),
        _ => None,
    };
    let constants = match &scalar.sort {
        Sort::Enum(e) => Some((e.name.clone(), e.constants.clone())),
        _ => None,
    };
    Stream {
        name: signal.name.clone(),
        instance: signal.path.clone(),
        node: unit.name.name.to_string(),
        is_function: matches!(unit.kind, Some(NodeKind::Function)),
        class: match signal.role {
            Role::Input => Class::Input,
            Role::Output => Class::Output,
            Role::Local | Role::Constant | Role::Ghost => Class::Local,
        },
        type_name: scalar.type_name().to_string(),
        range,
        constants,
    }
}

/// The streams of an execution, for waveforms.
pub fn waves_of_execution(execution: &Execution) -> Waves {
    let wave = |row: Row<'_>| Wave {
        name: row.signal.full_name.clone(),
        sort: row.signal.scalar.sort.clone(),
        values: row.values.iter().map(|value| value.cloned()).collect(),
        alias: false,
    };
    Waves { steps: execution.steps.len(), waves: execution.rows().into_iter().map(wave).collect() }
}
