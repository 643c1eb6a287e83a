//! The user's view of a system: named signals, with bits regrouped to words.
//!
//! Symbols `cnt[0] … cnt[3]` become one word `cnt`, where the indices run without a gap. A leading
//! `!` (as Yosys writes it for `-zinit`) marks a bit that is stored inverted; of several names separated by
//! blanks the first counts. What has no symbol is called by its position, `i0` or `l3`.

use std::collections::BTreeMap;

use buttress_term::{Sort, Value, Word};

use crate::evidence::states;
use crate::{BitSystem, InputId, LatchId, SymbolKind, Ternary, Trace};

/// Where a bit is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitSource {
    Input(InputId),
    Latch(LatchId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bit {
    pub source: BitSource,
    pub inverted: bool,
}

/// A named bit, or a word of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    pub name: String,
    pub sort: Sort,
    /// The index of the first bit.
    pub low: usize,
    /// Least significant first; one bit where the sort is Boolean.
    pub bits: Vec<Bit>,
}

/// All inputs and latches of a system as signals: inputs first, each group in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signals(pub Vec<Signal>);

impl Signal {
    pub fn is_input(&self) -> bool {
        matches!(self.bits[0].source, BitSource::Input(_))
    }

    /// Each bit as a signal of its own: a word's with its index in brackets.
    pub fn single_bits(&self) -> impl Iterator<Item = Signal> {
        let name = |bit: usize| match self.sort {
            Sort::Bool => self.name.clone(),
            _ => format!("{}[{}]", self.name, self.low + bit),
        };
        let signal = move |(b, &bit): (usize, &Bit)| Signal {
            name: name(b),
            sort: Sort::Bool,
            low: self.low + b,
            bits: vec![bit],
        };
        self.bits.iter().enumerate().map(signal)
    }

    /// The signal's value, if all its bits are known.
    pub fn value(&self, latches: &[Ternary], inputs: &[Ternary]) -> Option<Value> {
        let read = |bit: &Bit| {
            let stored = match bit.source {
                BitSource::Input(i) => inputs[i.index()],
                BitSource::Latch(l) => latches[l.index()],
            };
            Some(stored.known()? != bit.inverted)
        };
        match self.sort.width() {
            None => read(&self.bits[0]).map(Value::Bool),
            Some(_) => {
                let bits: Vec<bool> = self.bits.iter().map(read).collect::<Option<_>>()?;
                Some(Value::Word(Word::from_bits(bits)))
            }
        }
    }
}

impl Signals {
    pub fn of(system: &BitSystem) -> Signals {
        let name = |kind, index| system.symbols.name(kind, index);
        let inputs = system.inputs().map(|i| (name(SymbolKind::Input, i.index()), BitSource::Input(i)));
        let latches = system.latches().map(|l| (name(SymbolKind::Latch, l.index()), BitSource::Latch(l)));
        let mut signals = group(inputs);
        signals.extend(group(latches));
        Signals(signals)
    }

    /// A row of values for each step of the trace.
    pub fn rows(&self, system: &BitSystem, trace: &Trace) -> Vec<Vec<Option<Value>>> {
        let row = |(latches, inputs): (Vec<Ternary>, &Vec<Ternary>)| {
            self.0.iter().map(|s| s.value(&latches, inputs)).collect()
        };
        states(system, trace).into_iter().zip(&trace.inputs).map(row).collect()
    }
}

/// A symbol taken apart: base name, index in brackets, inversion.
fn parse(symbol: &str) -> (&str, Option<usize>, bool) {
    let first = symbol.split_whitespace().next().unwrap_or(symbol);
    let (plain, inverted) = match first.strip_prefix('!') {
        Some(rest) if !rest.is_empty() => (rest, true),
        _ => (first, false),
    };
    let indexed = plain.strip_suffix(']').and_then(|s| s.rsplit_once('['));
    match indexed.and_then(|(base, index)| Some((base, index.parse().ok()?))) {
        Some((base, index)) if !base.is_empty() => (base, Some(index), inverted),
        _ => (plain, None, inverted),
    }
}

fn group(named: impl Iterator<Item = (String, BitSource)>) -> Vec<Signal> {
    let named: Vec<(String, BitSource)> = named.collect();
    let mut words: BTreeMap<&str, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (position, (symbol, _)) in named.iter().enumerate() {
        if let (base, Some(index), _) = parse(symbol) {
            words.entry(base).or_default().entry(index).or_default().push(position);
        }
    }
    // A word: at least two indices, without a gap (`reg [7:4] r` has no `r[0]`), once each.
    let complete = |bits: &BTreeMap<usize, Vec<usize>>| {
        let low = bits.keys().next().copied().unwrap_or(0);
        let gapless = bits.keys().copied().eq(low..low + bits.len());
        gapless && (bits.len() > 1 || low == 0) && bits.values().all(|at| at.len() == 1)
    };
    words.retain(|_, bits| complete(bits));
    let bit = |position: usize| {
        let (symbol, source) = &named[position];
        Bit { source: *source, inverted: parse(symbol).2 }
    };
    let mut signals = Vec::new();
    for (position, (symbol, _)) in named.iter().enumerate() {
        let (base, index, _) = parse(symbol);
        match words.get(base).filter(|_| index.is_some()) {
            // The word stands where its first bit stood.
            Some(bits) if bits.values().map(|at| at[0]).min() == Some(position) => {
                let low = bits.keys().next().copied().unwrap_or(0);
                let bits: Vec<Bit> = bits.values().map(|at| bit(at[0])).collect();
                let sort = Sort::BitVec(bits.len() as u32);
                signals.push(Signal { name: base.to_string(), sort, low, bits });
            }
            Some(_) => {}
            None => {
                let name = index.map_or(base.to_string(), |i| format!("{base}[{i}]"));
                let bits = vec![bit(position)];
                signals.push(Signal { name, sort: Sort::Bool, low: 0, bits });
            }
        }
    }
    signals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_regroup_to_words_where_none_is_missing() {
        let mut system = BitSystem::new(1, 5);
        for (l, name) in ["!cnt[0]", "gap[1]", "cnt[1] alias[1]", "flag", "x[y]"].iter().enumerate() {
            system.symbols.insert(SymbolKind::Latch, l, name);
        }
        let signals = Signals::of(&system);
        let names: Vec<&str> = signals.0.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["i0", "cnt", "gap[1]", "flag", "x[y]"]);
        let cnt = &signals.0[1];
        let latches = [Ternary::Zero, Ternary::Zero, Ternary::One, Ternary::Zero, Ternary::Zero];
        assert_eq!(cnt.value(&latches, &[Ternary::One]).unwrap().to_string(), "3");
        assert_eq!(cnt.value(&[Ternary::X; 5], &[Ternary::One]), None);
        let bits: Vec<Signal> = cnt.single_bits().collect();
        assert_eq!(bits[1].name, "cnt[1]");
        let half = [Ternary::Zero, Ternary::X, Ternary::X, Ternary::X, Ternary::X];
        assert_eq!(bits[0].value(&half, &[]).unwrap().to_string(), "1");
        assert_eq!(bits[1].value(&half, &[]), None);
    }
}
