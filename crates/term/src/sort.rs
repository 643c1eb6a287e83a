//! Sorts: what a variable may hold.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::Pow;

/// A sort: the set of values of a variable. Widths are at least 1. Cloning is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    Bool,
    BitVec(u32),
    /// The integers, unbounded.
    Int,
    /// The rationals, exact.
    Real,
    Enum(Arc<Enumeration>),
    Array(Arc<ArraySort>),
}

/// A named, finite, non-empty set of named constants.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Enumeration {
    pub name: String,
    pub constants: Vec<String>,
}

/// Total functions from `index` to `element`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArraySort {
    pub index: Sort,
    pub element: Sort,
}

impl Sort {
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Arc::new(ArraySort { index, element }))
    }

    pub fn enumeration(
        name: impl Into<String>,
        constants: impl IntoIterator<Item = impl Into<String>>,
    ) -> Sort {
        let constants: Vec<String> = constants.into_iter().map(Into::into).collect();
        assert!(!constants.is_empty(), "an enumeration has a constant");
        Sort::Enum(Arc::new(Enumeration { name: name.into(), constants }))
    }

    pub fn width(&self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(*width),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&ArraySort> {
        match self {
            Sort::Array(array) => Some(array),
            _ => None,
        }
    }

    pub fn is_numeric(&self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// How many values there are, where that is finite and has at most 2^16 bits.
    pub fn cardinality(&self) -> Option<BigUint> {
        match self {
            Sort::Bool => Some(BigUint::from(2u32)),
            Sort::BitVec(width) => Some(BigUint::from(1u32) << *width),
            Sort::Int | Sort::Real => None,
            Sort::Enum(e) => Some(BigUint::from(e.constants.len())),
            Sort::Array(array) => {
                let places = u64::try_from(array.index.cardinality()?).ok()?;
                let element = array.element.cardinality()?;
                let bits = element.bits().checked_mul(places)?;
                (bits <= 1 << 16).then(|| element.pow(places))
            }
        }
    }
}

/// As SMT-LIB writes it, except that an enumeration is shown by its plain name.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Int => f.write_str("Int"),
            Sort::Real => f.write_str("Real"),
            Sort::Enum(e) => f.write_str(&e.name),
            Sort::Array(array) => write!(f, "(Array {} {})", array.index, array.element),
        }
    }
}
