//! Waveforms of executions, for viewers: as Value Change Dump ([`vcd`]) or as FST ([`fst`]), which GTKWave and
//! Surfer read, too, and which is many times smaller.
//!
//! Signals are those of [`Signals`] (words where all bits have a name, inverted bits read back) or, of a
//! word-level system, those of [`Waves`]. A dot in a name opens a scope; everything lies in the scope `model`. A
//! step takes ten time units, and one more timestamp closes the last; `clock` rises with each step. The property
//! appears as one more bit, 1 in the steps that violate it.
//!
//! Characters that VCD does not allow in names become `_`, and a name that is taken gets a number. Nothing
//! depends on the date or the machine.

use std::collections::BTreeSet;
use std::io::{Result, Write};

use buttress_system::evidence::{evaluate, value};
use buttress_system::waves::values;
use buttress_system::words::{System, WordTrace};
use buttress_system::{Bit, BitSource, BitSystem, Signal, Signals, Ternary, Trace, Wave, Waves};
use buttress_term::{Sort, Value};
use num_traits::ToPrimitive;

use crate::{fst, vcd};

/// Time units a step.
pub const STEP: usize = 10;
/// Scopes deeper than this are not opened: viewers and their users have limits.
const DEPTH: usize = 32;

/// In which format a waveform is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Vcd,
    Fst,
}

/// Signals with a level a step.
pub struct Waveform {
    /// By scope.
    pub(crate) variables: Vec<Variable>,
    pub(crate) rows: Vec<Vec<Level>>,
}

/// A signal to declare: its scopes, its name, its sort, and its place in the rows. The clock is in none.
pub(crate) struct Variable {
    pub scopes: Vec<String>,
    pub name: String,
    pub sort: Sort,
    pub index: usize,
}

/// The level of a signal in a step.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Level {
    /// Most significant first: 0, 1 or x.
    Bits(String),
    /// A number, in decimal.
    Number(String),
    /// The constant of an enumeration.
    Name(String),
    /// Unknown, of what is no bits.
    Unknown,
}

impl Waveform {
    pub fn of_bits(system: &BitSystem, trace: &Trace) -> Waveform {
        let signals = Signals::of(system);
        let property = Some(trace.property).filter(|p| p.index() < system.properties.len());
        let named = signals.0.iter().map(|signal| (signal.name.clone(), signal.sort.clone()));
        let bad = property.map(|p| (system.property_name(p), Sort::Bool));
        let mut latches = trace.initial.clone();
        let row = |inputs: &Vec<Ternary>| {
            let values = evaluate(system, &latches, inputs);
            let bad = property.map(|p| value(&values, system.property(p).bad).digit().to_string());
            let read = |signal: &Signal| digits(&signal.bits, &latches, inputs);
            let row = signals.0.iter().map(read).chain(bad).map(Level::Bits).collect();
            latches = system.latches().map(|l| value(&values, system.latch(l).next)).collect();
            row
        };
        let rows = trace.inputs.iter().map(row).collect();
        Waveform { variables: variables(named.chain(bad)), rows }
    }

    /// Integers and reals are reals, enumerations the names of their constants.
    pub fn of_words(system: &System, trace: &WordTrace) -> Waveform {
        let Waves { steps, mut waves } = Waves::of_words(system, trace);
        if let Some(property) = system.properties.get(trace.property.index()) {
            let rows = values(system, trace, &[property.bad]);
            let values = rows.into_iter().map(|mut row| row.remove(0)).collect();
            waves.push(Wave {
                name: property.label.name.to_string(),
                sort: Sort::Bool,
                values,
                alias: false,
            });
        }
        Waveform::of_waves(&Waves { steps, waves })
    }

    pub fn of_waves(Waves { steps, waves }: &Waves) -> Waveform {
        let row = |t: usize| waves.iter().map(|wave| level(&wave.sort, &wave.values[t])).collect();
        let named = waves.iter().map(|wave| (wave.name.clone(), wave.sort.clone()));
        Waveform { variables: variables(named), rows: (0..*steps).map(row).collect() }
    }

    pub fn write(&self, style: Style, out: &mut dyn Write) -> Result<()> {
        match style {
            Style::Vcd => vcd::write(self, out),
            Style::Fst => fst::write(self, out),
        }
    }

    /// The place after those of the rows is the clock's.
    pub(crate) fn clock(&self) -> usize {
        self.variables.len() - 1
    }
}

/// The signals and the clock, ordered by scope.
fn variables(signals: impl Iterator<Item = (String, Sort)>) -> Vec<Variable> {
    let mut taken = BTreeSet::new();
    let clock = ("clock".to_string(), Sort::Bool);
    let mut variables: Vec<Variable> = signals
        .chain([clock])
        .enumerate()
        .map(|(index, (name, sort))| Variable::new(index, &name, sort, &mut taken))
        .collect();
    variables.sort_by(|a, b| a.scopes.cmp(&b.scopes));
    variables
}

impl Variable {
    fn new(index: usize, name: &str, sort: Sort, taken: &mut BTreeSet<Vec<String>>) -> Variable {
        let mut path: Vec<String> =
            name.splitn(DEPTH, '.').filter(|part| !part.is_empty()).map(legal).collect();
        if path.is_empty() {
            path.push("_".to_string());
        }
        let plain = path.last().expect("a name has a last part").clone();
        let mut count = 1;
        while !taken.insert(path.clone()) {
            count += 1;
            *path.last_mut().expect("a name has a last part") = format!("{plain}_{count}");
        }
        let name = path.pop().expect("a name has a last part");
        Variable { scopes: path, name, sort, index }
    }
}

fn legal(name: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || "_$[]:".contains(c);
    name.chars().map(|c| if legal(c) { c } else { '_' }).collect()
}

/// From one scope to another: how many are closed, and which are opened.
pub(crate) fn way<'a>(from: &[String], to: &'a [String]) -> (usize, &'a [String]) {
    let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    (from.len() - common, &to[common..])
}

/// The bits, most significant first.
fn digits(bits: &[Bit], latches: &[Ternary], inputs: &[Ternary]) -> String {
    let read = |bit: &Bit| {
        let stored = match bit.source {
            BitSource::Input(input) => inputs[input.index()],
            BitSource::Latch(latch) => latches[latch.index()],
        };
        if bit.inverted { !stored } else { stored }
    };
    bits.iter().rev().map(|bit| read(bit).digit()).collect()
}

fn level(sort: &Sort, value: &Option<Value>) -> Level {
    match (sort, value) {
        (Sort::BitVec(width), None) => Level::Bits("x".repeat(*width as usize)),
        (Sort::Bool, None) => Level::Bits("x".to_string()),
        (_, None) => Level::Unknown,
        (_, Some(Value::Word(word))) => Level::Bits(word.binary()),
        (_, Some(Value::Int(n))) => Level::Number(n.to_string()),
        (_, Some(Value::Real(q))) => Level::Number(q.to_f64().unwrap_or(f64::NAN).to_string()),
        (_, Some(constant @ Value::Enum(_))) => Level::Name(legal(&constant.to_string())),
        (_, Some(other)) => Level::Bits(other.to_string()),
    }
}
