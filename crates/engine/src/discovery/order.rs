//! Partial orders on values. Any will do: a new one is a row here and, where a formula is wanted, an operator for
//! it.

use buttress_term::{Op, Sort, Value};

/// A reflexive, transitive and antisymmetric relation.
pub trait Order {
    type Value: Clone + Ord;

    fn below(&self, a: &Self::Value, b: &Self::Value) -> bool;
}

/// The orders on values of terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Template {
    /// `a => b`, and `0 <= 1` on words of one bit: two values, so there is a faster way.
    Implies,
    /// `a <= b` of integers and reals.
    AtMost,
    /// Of words as unsigned numbers.
    Unsigned,
    /// Of words in two's complement.
    Signed,
    /// Nothing but equality.
    Equal,
}

impl Template {
    /// The templates for terms of a sort.
    pub fn of(sort: &Sort) -> &'static [Template] {
        match sort {
            Sort::Bool | Sort::BitVec(1) => &[Template::Implies],
            Sort::Int | Sort::Real => &[Template::AtMost],
            Sort::BitVec(_) => &[Template::Unsigned],
            Sort::Enum(_) | Sort::Array(_) => &[Template::Equal],
        }
    }

    /// How SMT-LIB says it of terms of this sort.
    pub fn op(self, sort: &Sort) -> Op {
        match (self, sort) {
            (Template::Implies, Sort::Bool) => Op::Implies,
            (Template::Implies | Template::Unsigned, _) => Op::BvUle,
            (Template::Signed, _) => Op::BvSle,
            (Template::AtMost, _) => Op::Le,
            (Template::Equal, _) => Op::Eq,
        }
    }
}

impl Order for Template {
    type Value = Value;

    fn below(&self, a: &Value, b: &Value) -> bool {
        match (self, a, b) {
            (Template::Signed, Value::Word(a), Value::Word(b)) => a.scmp(b).is_le(),
            (Template::Unsigned, Value::Word(a), Value::Word(b)) => a.ucmp(b).is_le(),
            (Template::Implies, Value::Bool(a), Value::Bool(b)) => a <= b,
            (Template::Implies, Value::Word(a), Value::Word(b)) => a.ucmp(b).is_le(),
            (Template::AtMost, Value::Int(a), Value::Int(b)) => a <= b,
            (Template::AtMost, Value::Real(a), Value::Real(b)) => a <= b,
            _ => a == b,
        }
    }
}
