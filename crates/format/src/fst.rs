//! FST of a [`Waveform`], the compressed format of GTKWave, by the crate `fst-writer`.
//!
//! # Limits
//!
//! The crate has no strings: the name of an enumeration's constant is a vector of its ASCII characters, which viewers
//! show as a text when they are told to.

use std::io::{Error, Result, Write};

use buttress_term::Sort;
use fst_writer::{
    FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError,
};

use crate::waveform::{Level, STEP, Variable, Waveform, way};

pub(crate) fn write(waveform: &Waveform, out: &mut dyn Write) -> Result<()> {
    out.write_all(&encoded(waveform).map_err(Error::other)?)
}

fn encoded(waveform: &Waveform) -> std::result::Result<Vec<u8>, FstWriteError> {
    let info = FstInfo {
        start_time: 0,
        timescale_exponent: -9,
        version: "Buttress".to_string(),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    let mut header = FstHeaderWriter::write_to_mem(&info)?;
    header.scope("model", "", FstScopeType::Module)?;
    let mut open: &[String] = &[];
    let mut signals: Vec<Option<(FstSignalId, usize)>> = waveform.variables.iter().map(|_| None).collect();
    for variable in &waveform.variables {
        let (closed, opened) = way(open, &variable.scopes);
        (0..closed).try_for_each(|_| header.up_scope())?;
        opened.iter().try_for_each(|scope| header.scope(scope, "", FstScopeType::Module))?;
        open = &variable.scopes;
        let width = width(variable, waveform);
        let (signal, kind) = match variable.sort {
            Sort::Int | Sort::Real => (FstSignalType::real(), FstVarType::Real),
            _ => (FstSignalType::bit_vec(width as u32), FstVarType::Wire),
        };
        let id = header.var(named(variable), signal, kind, FstVarDirection::Implicit, None)?;
        signals[variable.index] = Some((id, width));
    }
    (0..=open.len()).try_for_each(|_| header.up_scope())?;
    let mut body = header.finish()?;
    let signals: Vec<(FstSignalId, usize)> = signals.into_iter().flatten().collect();
    let clock = signals[waveform.clock()].0;
    for (step, row) in waveform.rows.iter().enumerate() {
        body.time_change((STEP * step) as u64)?;
        for ((id, width), level) in signals.iter().zip(row) {
            if let Some(value) = value(level, *width) {
                body.signal_change(*id, &value)?;
            }
        }
        body.signal_change(clock, b"1")?;
        body.time_change((STEP * step + STEP / 2) as u64)?;
        body.signal_change(clock, b"0")?;
    }
    body.time_change((STEP * waveform.rows.len()) as u64)?;
    Ok(body.finish()?.into_inner())
}

fn named(variable: &Variable) -> String {
    match variable.sort {
        Sort::BitVec(width) if width > 1 => format!("{} [{}:0]", variable.name, width - 1),
        _ => variable.name.clone(),
    }
}

/// Bits of a vector; of an enumeration those of its longest name.
fn width(variable: &Variable, waveform: &Waveform) -> usize {
    let length = |row: &Vec<Level>| match row.get(variable.index) {
        Some(Level::Name(name)) => name.len(),
        _ => 0,
    };
    match variable.sort {
        Sort::BitVec(width) => width as usize,
        Sort::Enum(_) => 8 * waveform.rows.iter().map(length).max().unwrap_or(0).max(1),
        _ => 1,
    }
}

/// A level as the crate takes it: digits of a vector, the bytes of a number; nothing where it is unknown.
fn value(level: &Level, width: usize) -> Option<Vec<u8>> {
    match level {
        Level::Bits(digits) => Some(digits.clone().into_bytes()),
        Level::Number(text) => Some(text.parse::<f64>().ok()?.to_le_bytes().to_vec()),
        Level::Name(name) => {
            let bits: String = name.bytes().map(|byte| format!("{byte:08b}")).collect();
            Some(format!("{bits:0>width$}").into_bytes())
        }
        Level::Unknown => None,
    }
}
