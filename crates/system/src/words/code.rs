//! The binary code of values of finite sorts: what is bit 5 of a state.
//!
//! A Boolean is its bit, a word its bits from the least significant on, an enumeration the number of its constant
//! in as many bits as the largest needs, an array its elements from the first place on. A number
//! beyond the last constant of an enumeration reads as the last, so every row of bits is the code of some value.

use buttress_term::{ArraySort, ArrayValue, EnumValue, Sort, Value, Word};

/// How many bits values of this sort take; `None` where the sort is infinite, its arrays have an index other than
/// Booleans, words and enumerations, or the number does not fit.
pub fn width(sort: &Sort) -> Option<u32> {
    match sort {
        Sort::Bool => Some(1),
        Sort::BitVec(width) => Some(*width),
        Sort::Int | Sort::Real => None,
        Sort::Enum(e) => Some(usize::BITS - (e.constants.len() - 1).leading_zeros()),
        Sort::Array(array) => places(array)?.checked_mul(width(&array.element)?),
    }
}

/// How many places an array has, where they can be enumerated and the number fits.
pub fn places(array: &ArraySort) -> Option<u32> {
    match &array.index {
        Sort::Bool => Some(2),
        Sort::BitVec(width) => 1u32.checked_shl(*width),
        Sort::Enum(e) => u32::try_from(e.constants.len()).ok(),
        Sort::Int | Sort::Real | Sort::Array(_) => None,
    }
}

/// The bits of a value.
pub fn encode(value: &Value) -> Vec<bool> {
    match value {
        Value::Bool(bit) => vec![*bit],
        Value::Word(word) => word.bits().collect(),
        Value::Enum(e) => {
            let width = width(&Sort::Enum(e.sort.clone())).expect("an enumeration is finite");
            (0..width).map(|bit| e.index >> bit & 1 == 1).collect()
        }
        Value::Array(array) => {
            Value::all(array.index_sort()).flat_map(|place| encode(array.get(&place))).collect()
        }
        Value::Int(_) | Value::Real(_) => panic!("{value} is of an infinite sort"),
    }
}

/// The value with these bits.
pub fn decode(sort: &Sort, bits: &[bool]) -> Value {
    match sort {
        Sort::Bool => Value::Bool(bits[0]),
        Sort::BitVec(_) => Value::Word(Word::from_bits(bits.iter().copied())),
        Sort::Enum(e) => {
            let number = bits.iter().rev().fold(0, |n, &bit| n << 1 | u32::from(bit));
            Value::Enum(EnumValue { sort: e.clone(), index: number.min(e.constants.len() as u32 - 1) })
        }
        Sort::Array(array) => {
            let width = width(&array.element).expect("the array is finite") as usize;
            let element = |i: usize| decode(&array.element, &bits[i * width..(i + 1) * width]);
            let mut value = ArrayValue::constant(array.index.clone(), element(0));
            Value::all(&array.index).enumerate().for_each(|(i, place)| value.set(place, element(i)));
            Value::array(value)
        }
        Sort::Int | Sort::Real => panic!("{sort} is infinite"),
    }
}
