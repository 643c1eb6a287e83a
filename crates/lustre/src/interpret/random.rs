//! Choices at random.

use buttress_system::Rng;
use buttress_term::{EnumValue, Sort, Value, Word};
use num_bigint::BigInt;
use num_rational::BigRational;
use rustc_hash::FxHashMap;

use super::{Choices, Scalar};

/// Values at random, in their subranges; constants stay what they are.
pub struct Random {
    rng: Rng,
    fixed: FxHashMap<String, Value>,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { rng: Rng::new(seed), fixed: FxHashMap::default() }
    }
}

impl Choices for Random {
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value {
        if scalar.constant
            && let Some(known) = self.fixed.get(name)
        {
            return known.clone();
        }
        let value = random(scalar, &mut self.rng);
        if scalar.constant {
            self.fixed.insert(name.to_string(), value.clone());
        }
        value
    }
}

fn random(scalar: &Scalar, rng: &mut Rng) -> Value {
    match &scalar.sort {
        Sort::Bool => Value::Bool(rng.one_in(2)),
        Sort::BitVec(width) => {
            Value::Word(Word::from_bits((0..*width).map(|_| rng.one_in(2)).collect::<Vec<_>>()))
        }
        Sort::Int => Value::Int(random_int(scalar, rng)),
        Sort::Real => {
            Value::Real(BigRational::new(BigInt::from(rng.below(64)) - 16, BigInt::from(1 + rng.below(4))))
        }
        Sort::Enum(e) => {
            Value::Enum(EnumValue { sort: e.clone(), index: rng.below(e.constants.len()) as u32 })
        }
        Sort::Array(_) => unreachable!("Lustre has its arrays in scalars"),
    }
}

/// A number in the subrange, near its lower end where it is large.
fn random_int(scalar: &Scalar, rng: &mut Rng) -> BigInt {
    let span = 32u32;
    let (low, size) = match (&scalar.low, &scalar.high) {
        (Some(low), Some(high)) => (low.clone(), u32::try_from(high - low).unwrap_or(span).min(span) + 1),
        (Some(low), None) => (low.clone(), span),
        (None, Some(high)) => (high - span, span + 1),
        (None, None) => (BigInt::from(-8), span),
    };
    low + rng.below(size as usize)
}
