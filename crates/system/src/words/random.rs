//! Random values and executions, for simulation and for tests.

use buttress_term::{ArrayValue, EnumValue, Sort, Value, Word};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::{System, WordTrace};
use crate::{PropertyId, Rng};

/// Any value of a finite sort; of numbers a small one, of arrays one that differs from a constant in a few places.
pub fn random_value(sort: &Sort, rng: &mut Rng) -> Value {
    match sort {
        Sort::Bool => Value::Bool(rng.one_in(2)),
        Sort::BitVec(width) => Value::Word(Word::from_bits((0..*width).map(|_| rng.one_in(2)))),
        Sort::Int => Value::Int(small(rng)),
        Sort::Real => Value::Real(BigRational::new(small(rng), (1 + rng.below(4)).into())),
        Sort::Enum(e) => {
            Value::Enum(EnumValue { sort: e.clone(), index: rng.below(e.constants.len()) as u32 })
        }
        Sort::Array(array) => {
            let mut value = ArrayValue::constant(array.index.clone(), random_value(&array.element, rng));
            for _ in 0..rng.below(4) {
                let place = random_value(&array.index, rng);
                value.set(place, random_value(&array.element, rng));
            }
            Value::array(value)
        }
    }
}

fn small(rng: &mut Rng) -> BigInt {
    BigInt::from(rng.below(65)) - 32
}

/// An execution from a random start with random inputs; whether constraints hold is not asked.
pub fn random_execution(system: &System, steps: usize, rng: &mut Rng) -> WordTrace {
    let initial = system.states.iter().map(|state| match state.init {
        Some(_) => None,
        None => Some(random_value(system.terms.sort(state.variable), rng)),
    });
    let initial = initial.collect();
    let inputs = (0..steps).map(|_| random_row(system, rng)).collect();
    WordTrace { property: PropertyId::new(0), initial, inputs }
}

fn random_row(system: &System, rng: &mut Rng) -> Vec<Option<Value>> {
    let inputs = system.inputs.iter().map(|i| i.variable);
    let free = system.free_states().map(|s| system.state(s).variable);
    inputs.chain(free).map(|variable| Some(random_value(system.terms.sort(variable), rng))).collect()
}
