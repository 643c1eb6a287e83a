//! Values with their sorts, and how a person writes them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::Zero;

use crate::{Enumeration, Sort, Word};

/// One value of a [`Sort`]. Equal values are equal as Rust sees them, arrays included.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Word(Word),
    Int(BigInt),
    Real(BigRational),
    Enum(EnumValue),
    Array(Arc<ArrayValue>),
}

/// The constant at `index` of an enumeration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumValue {
    pub sort: Arc<Enumeration>,
    pub index: u32,
}

/// A total function: finitely many places, and one value everywhere else.
///
/// The form is canonical. `default` is the most frequent value (of several, the smallest), and no entry holds
/// it. Over an infinite index the default is forced; over a finite one it matters once half of the places are
/// written, which is where [`set`](Self::set) looks at all of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    index: Sort,
    default: Value,
    entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    pub fn constant(index: Sort, default: Value) -> ArrayValue {
        ArrayValue { index, default, entries: BTreeMap::new() }
    }

    pub fn index_sort(&self) -> &Sort {
        &self.index
    }

    pub fn default(&self) -> &Value {
        &self.default
    }

    /// The places that do not hold the default.
    pub fn entries(&self) -> &BTreeMap<Value, Value> {
        &self.entries
    }

    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    pub fn set(&mut self, index: Value, element: Value) {
        assert_eq!(index.sort(), self.index, "the index is of the index sort");
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
        let half = BigUint::from(2 * self.entries.len());
        if let Some(places) = self.index.cardinality().filter(|places| *places <= half) {
            self.rebalance(&places);
        }
    }

    /// Makes the most frequent value the default.
    fn rebalance(&mut self, places: &BigUint) {
        let mut frequency: HashMap<&Value, BigUint> = HashMap::new();
        self.entries.values().for_each(|v| *frequency.entry(v).or_default() += 1u32);
        *frequency.entry(&self.default).or_default() += places - self.entries.len();
        let most = frequency.into_iter().max_by(|(a, n), (b, m)| n.cmp(m).then_with(|| b.cmp(a)));
        let default = most.expect("an array has a place").0.clone();
        if default == self.default {
            return;
        }
        let all = Value::all(&self.index).map(|place| (place.clone(), self.get(&place).clone()));
        self.entries = all.filter(|(_, element)| *element != default).collect();
        self.default = default;
    }
}

impl Value {
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Word(word) => Sort::BitVec(word.width()),
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
            Value::Enum(e) => Sort::Enum(e.sort.clone()),
            Value::Array(array) => Sort::array(array.index.clone(), array.default.sort()),
        }
    }

    /// A value of this sort to fill a place with: false, 0, the first constant.
    pub fn zero(sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::Word(Word::zero(*width)),
            Sort::Int => Value::Int(BigInt::zero()),
            Sort::Real => Value::Real(BigRational::zero()),
            Sort::Enum(e) => Value::Enum(EnumValue { sort: e.clone(), index: 0 }),
            Sort::Array(array) => {
                Value::array(ArrayValue::constant(array.index.clone(), Value::zero(&array.element)))
            }
        }
    }

    pub fn array(array: ArrayValue) -> Value {
        Value::Array(Arc::new(array))
    }

    /// All values of a sort that may be an index: Booleans, words of up to 64 bits, enumerations.
    pub fn all(sort: &Sort) -> Box<dyn Iterator<Item = Value> + '_> {
        match sort {
            Sort::Bool => Box::new([false, true].into_iter().map(Value::Bool)),
            Sort::BitVec(width) => {
                assert!(*width <= 64, "more values than anybody enumerates");
                let last = u64::MAX >> (64 - width);
                Box::new((0..=last).map(|n| Value::Word(Word::from_u64(n, *width))))
            }
            Sort::Enum(e) => {
                let constants = 0..e.constants.len() as u32;
                Box::new(constants.map(|index| Value::Enum(EnumValue { sort: e.clone(), index })))
            }
            Sort::Int | Sort::Real | Sort::Array(_) => panic!("the values of {sort} are not enumerated"),
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_word(&self) -> Option<&Word> {
        match self {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<Word> for Value {
    fn from(value: Word) -> Value {
        Value::Word(value)
    }
}

impl From<BigInt> for Value {
    fn from(value: BigInt) -> Value {
        Value::Int(value)
    }
}

impl From<BigRational> for Value {
    fn from(value: BigRational) -> Value {
        Value::Real(value)
    }
}

/// Words print as unsigned decimals where they fit 64 bits, and in hexadecimal beyond. Reals are fractions in
/// lowest terms, arrays list their places: `{3: 7, 5: 1, else: 0}`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => f.pad(if *b { "1" } else { "0" }),
            Value::Word(word) => match word.to_u64() {
                Some(n) => f.pad(&n.to_string()),
                None => f.pad(&format!("0x{}", word.hex())),
            },
            Value::Int(n) => f.pad(&n.to_string()),
            Value::Real(q) => f.pad(&q.to_string()),
            Value::Enum(e) => f.pad(&e.sort.constants[e.index as usize]),
            Value::Array(array) => {
                let entries = array.entries.iter().map(|(i, v)| format!("{i}: {v}, "));
                f.pad(&format!("{{{}else: {}}}", entries.collect::<String>(), array.default))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_print_as_numbers() {
        for n in [0, 1, 5, 10, 255, 65_536] {
            assert_eq!(Value::Word(Word::from_u64(n, 17)).to_string(), n.to_string());
        }
        assert_eq!(Value::Word(Word::ones(64)).to_string(), u64::MAX.to_string());
        assert_eq!(Word::from_u64(6, 4).binary(), "0110");
    }

    #[test]
    fn wide_words_print_in_hexadecimal() {
        let wide = Word::from_bits((0..66).map(|i| i == 65 || i < 4));
        assert_eq!(wide.to_u64(), None);
        assert_eq!(Value::Word(wide).to_string(), "0x2000000000000000f");
    }

    #[test]
    fn numbers_constants_and_arrays_print_as_people_write_them() {
        let half = BigRational::new(BigInt::from(-3), BigInt::from(6));
        assert_eq!(Value::Real(half).to_string(), "-1/2");
        let colour = Sort::enumeration("colour", ["red", "green"]);
        assert_eq!(Value::zero(&colour).to_string(), "red");
        let word = |n| Value::Word(Word::from_u64(n, 8));
        let mut array = ArrayValue::constant(Sort::BitVec(8), word(0));
        array.set(word(5), word(1));
        array.set(word(3), word(7));
        assert_eq!(Value::array(array).to_string(), "{3: 7, 5: 1, else: 0}");
    }

    /// Whatever the order of writes and whatever the first default: equal functions are equal values.
    #[test]
    fn equal_arrays_are_equal_values() {
        let word = |n: u64| Value::Word(Word::from_u64(n, 2));
        for function in 0..256u64 {
            let element = |i: u64| word(function >> (2 * i) & 3);
            let built = |default: u64, order: [u64; 4]| {
                let mut array = ArrayValue::constant(Sort::BitVec(2), word(default));
                order.iter().for_each(|&i| array.set(word(i), element(i)));
                array
            };
            let first = built(0, [0, 1, 2, 3]);
            assert!((0..4).all(|i| *first.get(&word(i)) == element(i)));
            for default in 0..4 {
                assert_eq!(built(default, [3, 1, 0, 2]), first);
                assert_eq!(built(default, [0, 1, 2, 3]), first);
            }
        }
    }
}
