//! Executions as a list of steps, each a map from names to values, both as text: what a trace file holds.
//!
//! A script names whatever is free: inputs, and by their places the starts of unguarded `pre`s, results of
//! divisions by zero, and so on. It may also name variables that are computed; then they must be what it says.

use std::collections::{BTreeMap, BTreeSet};

use buttress_term::{ArraySort, ArrayValue, EnumValue, Sort, Value, Word};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::LustreModel;
use crate::interpret::{Choices, Interpreter, Scalar, Step};
use crate::table::Execution;

/// The values of each step as text, by name.
pub type Script = Vec<BTreeMap<String, String>>;

/// Choices that are made by others, written down.
pub(crate) struct Noted<C> {
    pub inner: C,
    pub row: BTreeMap<String, String>,
}

impl<C: Choices> Choices for Noted<C> {
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value {
        let value = self.inner.choose(name, scalar);
        self.row.insert(name.to_string(), scalar.show(&value));
        value
    }
}

/// Choices as a script has them; what it does not name is some value.
struct Scripted<'s> {
    row: &'s BTreeMap<String, String>,
    asked: BTreeSet<String>,
    /// The first value that is none of its type.
    wrong: Option<String>,
}

impl Choices for Scripted<'_> {
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value {
        self.asked.insert(name.to_string());
        let Some(text) = self.row.get(name) else { return scalar.some_value() };
        read(text, scalar).unwrap_or_else(|| {
            let wrong = format!("'{text}' is no {}, which '{name}' is", scalar.type_name());
            self.wrong.get_or_insert(wrong);
            scalar.some_value()
        })
    }
}

/// Executes a script in the source. What it says must make sense: every name is known, every value is of its type,
/// and what is computed is what it says.
pub fn play(model: &LustreModel, script: &Script) -> Result<Execution, String> {
    let mut interpreter = Interpreter::new(model);
    let mut steps = Vec::new();
    for (number, row) in script.iter().enumerate() {
        let mut choices = Scripted { row, asked: BTreeSet::new(), wrong: None };
        let step = interpreter.step(&mut choices);
        let step = step.map_err(|what| format!("{what} are read and checked, but not executed"))?;
        let agreed = match choices.wrong {
            Some(wrong) => Err(wrong),
            None => agrees(row, &choices.asked, &step, interpreter.signals()),
        };
        agreed.map_err(|why| format!("step {number}: {why}"))?;
        steps.push(step);
    }
    Ok(Execution { steps, signals: interpreter.into_signals() })
}

/// Are the names that were not asked for variables that have these values?
fn agrees(
    row: &BTreeMap<String, String>,
    asked: &BTreeSet<String>,
    step: &Step,
    signals: &[crate::interpret::Signal],
) -> Result<(), String> {
    let values: BTreeMap<&str, &Value> = step.values.iter().map(|(name, value)| (&name[..], value)).collect();
    for (name, said) in row.iter().filter(|(name, _)| !asked.contains(*name)) {
        let signal = signals.iter().find(|signal| signal.full_name == **name);
        match (values.get(&name[..]), signal) {
            (Some(value), Some(signal)) if read(said, &signal.scalar).as_ref() == Some(*value) => {}
            (Some(value), Some(signal)) => {
                let value = signal.scalar.show(value);
                return Err(format!("'{name}' is {value} in the source, but {said} in the trace"));
            }
            (None, Some(_)) => return Err(format!("'{name}' has no value, its node does not execute")),
            _ => return Err(format!("there is no '{name}'")),
        }
    }
    Ok(())
}

/// Whether an execution violates a property in its last step, and nothing else is wrong with it.
pub fn violates(steps: &[Step], property: &str) -> Result<(), String> {
    for (number, step) in steps.iter().enumerate() {
        if let Some((name, _)) = step.constraints.iter().find(|(_, holds)| !holds) {
            return Err(format!("in the source, '{name}' does not hold in step {number}"));
        }
    }
    let last = steps.last().ok_or("the trace has no steps")?;
    match last.properties.iter().any(|(said, holds)| said == property && !holds) {
        true => Ok(()),
        false => Err(format!("in the source, '{property}' is not violated in the last step")),
    }
}

/// A value as [`Scalar::show`] writes it; decimals, too.
fn read(text: &str, scalar: &Scalar) -> Option<Value> {
    read_value(text, &scalar.sort, scalar.signed)
}

/// A value as [`show`](crate::table::show) writes it, words with or without a sign.
pub fn read_value(text: &str, sort: &Sort, signed: bool) -> Option<Value> {
    Some(match sort {
        Sort::Bool => Value::Bool(text.parse().ok()?),
        Sort::Int => Value::Int(text.parse().ok()?),
        Sort::Real => Value::Real(rational(text)?),
        Sort::BitVec(width) => {
            let radix = |prefix: &str, radix: u32| Some((text.strip_prefix(prefix)?, radix));
            let n = match radix("0x", 16).or_else(|| radix("0b", 2)) {
                Some((digits, radix)) => BigInt::parse_bytes(digits.as_bytes(), radix)?,
                None => text.parse().ok()?,
            };
            let word = Word::from_int(&n, *width);
            let same = if signed { word.to_signed() } else { word.to_int() };
            (same == n).then_some(Value::Word(word))?
        }
        Sort::Enum(sort) => {
            let index = sort.constants.iter().position(|constant| constant == text)?;
            Value::Enum(EnumValue { sort: sort.clone(), index: index as u32 })
        }
        Sort::Array(array) => Value::array(read_array(text, array)?),
    })
}

/// `{0: 3, 2: 1, else: 0}`; arrays may stand in it.
fn read_array(text: &str, array: &ArraySort) -> Option<ArrayValue> {
    let entries = parts(text.strip_prefix('{')?.strip_suffix('}')?);
    let (last, entries) = entries.split_last()?;
    let value = |text: &str, sort: &Sort| match (sort, text) {
        (Sort::Bool, "0" | "1") => Some(Value::Bool(text == "1")),
        _ => read_value(text, sort, text.starts_with('-')),
    };
    let default = value(last.strip_prefix("else: ")?, &array.element)?;
    let mut table = ArrayValue::constant(array.index.clone(), default);
    for entry in entries {
        let (place, element) = entry.split_once(": ")?;
        table.set(value(place, &array.index)?, value(element, &array.element)?);
    }
    Some(table)
}

/// The parts of a text between commas outside of braces.
fn parts(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[begin..].trim());
    found
}

/// `-3`, `1/3`, `0.25`
fn rational(text: &str) -> Option<BigRational> {
    if let Some((numerator, denominator)) = text.split_once('/') {
        let denominator: BigInt = denominator.parse().ok().filter(|d: &BigInt| !d.is_zero())?;
        return Some(BigRational::new(numerator.parse().ok()?, denominator));
    }
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let scale = (0..decimals.len()).fold(BigInt::one(), |scale, _| scale * 10u8);
    let digits = decimals.bytes().all(|b| b.is_ascii_digit());
    let number: BigInt = format!("{whole}{decimals}").parse().ok().filter(|_| digits)?;
    Some(BigRational::new(number, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "node main(x: real; up: bool; m: int8) returns (n: int; big: bool);
let n = (if up then 1 else 0) + (0 -> pre n); big = pre x > 1.5; --%PROPERTY n < 2; tel";

    fn row(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    fn played(script: &Script) -> Result<(), String> {
        let text = MODEL.replace("--%PROPERTY n < 2;", "check \"low\" n < 2;");
        let model = crate::read(text).map_err(|d| d[0].render("m")).unwrap();
        violates(&play(&model, script)?.steps, "low")
    }

    #[test]
    fn what_is_shown_can_be_read() {
        let word = |n: u64| Value::Word(Word::from_u64(n, 70));
        let flags = |n: u64| {
            let mut flags = ArrayValue::constant(Sort::Int, Value::Bool(n == 0));
            flags.set(Value::Int(n.into()), Value::Bool(n != 0));
            Value::array(flags)
        };
        let wide = Value::Word(Word::from_bits((0..70).map(|bit| bit > 60)));
        let mut nested = ArrayValue::constant(Sort::BitVec(70), flags(0));
        (1..3).for_each(|n| nested.set(word(n), flags(n)));
        for value in [word(3), wide, flags(0), flags(7), Value::array(nested)] {
            let shown = crate::table::show(&value);
            assert_eq!(read_value(&shown, &value.sort(), false), Some(value), "{shown}");
        }
        assert_eq!(read_value("{1: 0}", &flags(0).sort(), false), None);
    }

    #[test]
    fn scripts_are_executed_and_wrong_ones_are_not() {
        let up = row(&[("up", "true"), ("x", "1/3"), ("m", "-128")]);
        played(&vec![up.clone(), up.clone()]).unwrap();
        let refused = |rows: &[&[(&str, &str)]]| played(&rows.iter().map(|r| row(r)).collect()).unwrap_err();
        let last = "in the source, 'low' is not violated in the last step";
        assert_eq!(refused(&[&[("up", "true")]]), last);
        assert_eq!(refused(&[]), "the trace has no steps");
        assert_eq!(refused(&[&[("up", "1")]]), "step 0: '1' is no bool, which 'up' is");
        assert_eq!(refused(&[&[("m", "128")]]), "step 0: '128' is no int8, which 'm' is");
        assert_eq!(refused(&[&[("x", "1/0")]]), "step 0: '1/0' is no real, which 'x' is");
        assert_eq!(refused(&[&[("down", "true")]]), "step 0: there is no 'down'");
        assert_eq!(refused(&[&[("n", "4")]]), "step 0: 'n' is 0 in the source, but 4 in the trace");
        assert_eq!(refused(&[&[("n", "0"), ("x", "-2.50")]]), last);
    }
}
