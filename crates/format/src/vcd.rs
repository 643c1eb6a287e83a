//! Value Change Dump of a trace, for waveform viewers. Reference: IEEE 1364-2005, section 18.
//!
//! Signals are those of [`Signals`] (words where all bits have a name, inverted bits read back) or, of a
//! word-level system, those of [`Waves`]. A dot in a name opens a scope; everything lies in the scope `model`. A
//! step takes ten time units, and one more timestamp closes the last. The property appears as one more bit, 1 in
//! the steps that violate it.
//!
//! Characters that VCD does not allow in names become `_`, and a name that is taken gets a number. Nothing
//! depends on the date or the machine.

use std::collections::BTreeSet;
use std::io::{BufWriter, Result, Write};

use buttress_system::evidence::{evaluate, value};
use buttress_system::waves::values;
use buttress_system::words::{System, WordTrace};
use buttress_system::{Bit, BitSource, BitSystem, Signal, Signals, Ternary, Trace, Wave, Waves};
use buttress_term::{Sort, Value};
use num_traits::ToPrimitive;

/// Time units a step.
const STEP: usize = 10;
/// Scopes deeper than this are not opened: viewers and their users have limits.
const DEPTH: usize = 32;

/// Writes the trace as a waveform.
pub fn write(system: &BitSystem, trace: &Trace, out: &mut impl Write) -> Result<()> {
    let signals = Signals::of(system);
    let property = Some(trace.property).filter(|p| p.index() < system.properties.len());
    let named = signals.0.iter().map(|signal| (signal.name.clone(), signal.sort.clone()));
    let bad = property.map(|p| (system.property_name(p), Sort::Bool));
    let mut latches = trace.initial.clone();
    let row = |inputs: &Vec<Ternary>| {
        let values = evaluate(system, &latches, inputs);
        let bad = property.map(|p| value(&values, system.property(p).bad).digit().to_string());
        let read = |signal: &Signal| digits(&signal.bits, &latches, inputs);
        let row = signals.0.iter().map(read).chain(bad).collect();
        latches = system.latches().map(|l| value(&values, system.latch(l).next)).collect();
        row
    };
    dump(named.chain(bad), trace.inputs.iter().map(row), out)
}

/// Writes a trace of a word-level system as a waveform. Integers and reals are dumped as reals, enumerations as
/// the names of their constants.
pub fn write_words(system: &System, trace: &WordTrace, out: &mut impl Write) -> Result<()> {
    let Waves { steps, mut waves } = Waves::of_words(system, trace);
    if let Some(property) = system.properties.get(trace.property.index()) {
        let rows = values(system, trace, &[property.bad]);
        let values = rows.into_iter().map(|mut row| row.remove(0)).collect();
        waves.push(Wave { name: property.label.name.to_string(), sort: Sort::Bool, values, alias: false });
    }
    write_waves(&Waves { steps, waves }, out)
}

/// Writes an execution as a waveform.
pub fn write_waves(Waves { steps, waves }: &Waves, out: &mut impl Write) -> Result<()> {
    let rows = (0..*steps).map(|t| waves.iter().map(|wave| change(&wave.sort, &wave.values[t])).collect());
    dump(waves.iter().map(|wave| (wave.name.clone(), wave.sort.clone())), rows, out)
}

/// Declares the signals and writes what changes in each row.
fn dump(
    signals: impl Iterator<Item = (String, Sort)>,
    rows: impl Iterator<Item = Vec<String>>,
    out: &mut impl Write,
) -> Result<()> {
    let mut out = BufWriter::new(out);
    write_definitions(&variables(signals), &mut out)?;
    let mut shown: Vec<String> = Vec::new();
    let mut steps = 0;
    for row in rows {
        write_changes(steps, &shown, &row, &mut out)?;
        shown = row;
        steps += 1;
    }
    writeln!(out, "#{}", STEP * steps)?;
    out.flush()
}

/// A variable to declare: its scopes, its name, its kind, and its code.
struct Variable {
    scopes: Vec<String>,
    name: String,
    sort: Sort,
    code: String,
}

/// The signals, ordered by scope.
fn variables(signals: impl Iterator<Item = (String, Sort)>) -> Vec<Variable> {
    let mut taken = BTreeSet::new();
    let mut variables: Vec<Variable> = signals
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
        Variable { scopes: path, name, sort, code: code(index) }
    }
}

fn legal(name: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || "_$[]:".contains(c);
    name.chars().map(|c| if legal(c) { c } else { '_' }).collect()
}

/// The shortest strings of printable characters, in order.
fn code(mut index: usize) -> String {
    const FIRST: u8 = b'!';
    const COUNT: usize = (b'~' - b'!') as usize + 1;
    let mut code = String::new();
    loop {
        code.push(char::from(FIRST + (index % COUNT) as u8));
        match (index / COUNT).checked_sub(1) {
            Some(rest) => index = rest,
            None => return code,
        }
    }
}

fn write_definitions(variables: &[Variable], out: &mut impl Write) -> Result<()> {
    writeln!(out, "$version Buttress $end\n$timescale 1 ns $end\n$scope module model $end")?;
    let mut open: &[String] = &[];
    for variable in variables {
        change_scope(open, &variable.scopes, out)?;
        open = &variable.scopes;
        let Variable { name, code, .. } = variable;
        match variable.sort {
            Sort::BitVec(width) if width > 1 => {
                writeln!(out, "$var wire {width} {code} {name} [{}:0] $end", width - 1)?
            }
            Sort::Int | Sort::Real => writeln!(out, "$var real 64 {code} {name} $end")?,
            Sort::Enum(_) => writeln!(out, "$var string 1 {code} {name} $end")?,
            _ => writeln!(out, "$var wire 1 {code} {name} $end")?,
        }
    }
    change_scope(open, &[], out)?;
    writeln!(out, "$upscope $end\n$enddefinitions $end")
}

fn change_scope(from: &[String], to: &[String], out: &mut impl Write) -> Result<()> {
    let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    (common..from.len()).try_for_each(|_| writeln!(out, "$upscope $end"))?;
    to[common..].iter().try_for_each(|scope| writeln!(out, "$scope module {scope} $end"))
}

/// The bits, most significant first, as a change says it.
fn digits(bits: &[Bit], latches: &[Ternary], inputs: &[Ternary]) -> String {
    let read = |bit: &Bit| {
        let stored = match bit.source {
            BitSource::Input(input) => inputs[input.index()],
            BitSource::Latch(latch) => latches[latch.index()],
        };
        if bit.inverted { !stored } else { stored }
    };
    vector(bits.iter().rev().map(|bit| read(bit).digit()).collect())
}

/// A value as a change says it; nothing where a number is unknown.
fn change(sort: &Sort, value: &Option<Value>) -> String {
    match (sort, value) {
        (Sort::BitVec(width), None) => vector("x".repeat(*width as usize)),
        (Sort::Bool, None) => "x".to_string(),
        (_, None) => String::new(),
        (_, Some(Value::Word(word))) => vector(word.binary()),
        (_, Some(Value::Int(n))) => format!("r{n} "),
        (_, Some(Value::Real(q))) => format!("r{} ", q.to_f64().unwrap_or(f64::NAN)),
        (_, Some(constant @ Value::Enum(_))) => format!("s{} ", legal(&constant.to_string())),
        (_, Some(other)) => other.to_string(),
    }
}

fn vector(digits: String) -> String {
    if digits.len() == 1 { digits } else { format!("b{digits} ") }
}

fn write_changes(step: usize, before: &[String], now: &[String], out: &mut impl Write) -> Result<()> {
    writeln!(out, "#{}", STEP * step)?;
    if step == 0 {
        writeln!(out, "$dumpvars")?;
    }
    let changed = |(i, value): &(usize, &String)| before.get(*i) != Some(value) && !value.is_empty();
    for (index, value) in now.iter().enumerate().filter(changed) {
        writeln!(out, "{value}{}", code(index))?;
    }
    if step == 0 {
        writeln!(out, "$end")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aiger;
    use crate::witness::{self, Witness};

    fn dump(model: &str, witness: &str) -> String {
        let system = aiger::read(model.as_bytes()).unwrap().system;
        let Ok(Witness::Violation(trace)) = witness::read(witness.as_bytes(), &system) else { panic!() };
        let mut text = Vec::new();
        write(&system, &trace, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    /// A two-bit counter with an enable that is bad at 2; the high bit is stored inverted.
    const COUNTER: &str = "aag 6 1 2 0 3 1\n2\n4 9\n6 13 1\n12\n\
        8 11 11\n10 4 2\n12 7 5\n\
        i0 top.en able\nl0 top.s.cnt[0]\nl1 !top.s.cnt[1]\nb0 top.bad state\n";

    #[test]
    fn only_changes_are_dumped() {
        let text = dump(COUNTER, "1\nb0\n01\n1\n1\nx\n.\n");
        let expected = "$version Buttress $end\n$timescale 1 ns $end\n$scope module model $end\n\
            $scope module top $end\n$var wire 1 ! en $end\n$var wire 1 # bad_state $end\n\
            $scope module s $end\n$var wire 2 \" cnt [1:0] $end\n$upscope $end\n$upscope $end\n\
            $upscope $end\n$enddefinitions $end\n\
            #0\n$dumpvars\n1!\nb00 \"\n0#\n$end\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("\n#20\nx!\n"), "{text}");
        assert!(text.ends_with("\n#30\n"), "{text}");
    }

    #[test]
    fn names_are_made_legal_and_distinct() {
        let model = "aag 3 3 0 0 0 1\n2\n4\n6\n2\ni0 a b\ni1 é\ni2 ..\nb0 a\n";
        let text = dump(model, "1\nb0\n\n111\n.\n");
        for line in ["1 ! a $end", "1 \" _ $end", "1 # __2 $end", "1 $ a_2 $end"] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn codes_are_short_and_distinct() {
        assert_eq!([0, 1, 93, 94, 95, 94 + 94 * 94].map(code), ["!", "\"", "~", "!!", "\"!", "!!!"]);
        let all: BTreeSet<String> = (0..20_000).map(code).collect();
        assert_eq!(all.len(), 20_000);
    }

    #[test]
    fn scopes_are_closed_as_often_as_opened() {
        let deep = "x.".repeat(1000);
        let model = format!("aag 3 3 0 0 0 1\n2\n4\n6\n2\ni0 a.b.c\ni1 {deep}y\ni2 a.d.c\n");
        let text = dump(&model, "1\nb0\n\n111\n.\n");
        assert_eq!(text.matches("$scope").count(), text.matches("$upscope").count());
        assert_eq!(text.matches("$scope module a $end").count(), 1);
    }
}
