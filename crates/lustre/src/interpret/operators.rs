//! Operators on values.

use buttress_term::{Value, Word};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use crate::ast::{BinaryOp, CastTo, Machine};
use crate::check::euclidean;
use crate::types::Type;

fn signed(ty: &Type) -> bool {
    matches!(ty.base(), Type::Machine(Machine { signed: true, .. }))
}

/// The result; `None` for a division by zero. `ty` is the type of the left operand.
pub(super) fn binary(op: BinaryOp, ty: &Type, a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => integers(op, a, b),
        (Value::Real(a), Value::Real(b)) => reals(op, a, b),
        (Value::Word(a), Value::Word(b)) => words(op, signed(ty), a, b),
        (Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(match op {
            BinaryOp::And => *a && *b,
            BinaryOp::Or => *a || *b,
            BinaryOp::Xor => a != b,
            BinaryOp::Implies => !a || *b,
            _ => unreachable!("no operator on Booleans"),
        })),
        _ => unreachable!("the checker saw the types"),
    }
}

fn compare<T: PartialOrd>(op: BinaryOp, a: &T, b: &T) -> Option<Value> {
    Some(Value::Bool(match op {
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => return None,
    }))
}

fn integers(op: BinaryOp, a: &BigInt, b: &BigInt) -> Option<Value> {
    Some(Value::Int(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div | BinaryOp::Slash => euclidean(a, b)?.0,
        BinaryOp::Mod => euclidean(a, b)?.1,
        _ => return compare(op, a, b),
    }))
}

fn reals(op: BinaryOp, a: &BigRational, b: &BigRational) -> Option<Value> {
    Some(Value::Real(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Slash if b.is_zero() => return None,
        BinaryOp::Slash => a / b,
        _ => return compare(op, a, b),
    }))
}

/// Numbers modulo 2ⁿ; division rounds to zero.
fn words(op: BinaryOp, signed: bool, a: &Word, b: &Word) -> Option<Value> {
    let number = |word: &Word| if signed { word.to_signed() } else { word.to_int() };
    let wrapped = |n: BigInt| Some(Value::Word(Word::from_int(&n, a.width())));
    let (x, y) = (number(a), number(b));
    match op {
        BinaryOp::Add => wrapped(x + y),
        BinaryOp::Sub => wrapped(x - y),
        BinaryOp::Mul => wrapped(x * y),
        BinaryOp::Div | BinaryOp::Slash if !y.is_zero() => wrapped(x / y),
        BinaryOp::Mod if !y.is_zero() => wrapped(x % y),
        BinaryOp::Div | BinaryOp::Slash | BinaryOp::Mod => None,
        BinaryOp::BitAnd => Some(Value::Word(a.and(b))),
        BinaryOp::BitOr => Some(Value::Word(a.or(b))),
        BinaryOp::Concat => Some(Value::Word(a.concat(b))),
        BinaryOp::ShiftLeft => Some(Value::Word(a.shl(b))),
        BinaryOp::ShiftRight if signed => Some(Value::Word(a.ashr(b))),
        BinaryOp::ShiftRight => Some(Value::Word(a.lshr(b))),
        _ => compare(op, &x, &y),
    }
}

pub(super) fn cast(to: CastTo, from: &Type, a: &Value) -> Value {
    match (to, a) {
        (CastTo::Int, Value::Real(r)) => Value::Int(r.floor().to_integer()),
        (CastTo::Int, Value::Word(word)) => {
            Value::Int(if signed(from) { word.to_signed() } else { word.to_int() })
        }
        (CastTo::Real, Value::Int(n)) => Value::Real(BigRational::from(n.clone())),
        (CastTo::Machine(machine), Value::Int(n)) => Value::Word(Word::from_int(n, machine.width)),
        (CastTo::Machine(machine), Value::Word(word)) => {
            let number = if signed(from) { word.to_signed() } else { word.to_int() };
            Value::Word(Word::from_int(&number, machine.width))
        }
        _ => a.clone(),
    }
}

pub(super) fn negate(a: &Value) -> Value {
    match a {
        Value::Int(n) => Value::Int(-n),
        Value::Real(r) => Value::Real(-r),
        Value::Word(word) => Value::Word(word.neg()),
        _ => unreachable!("the checker saw the types"),
    }
}
