//! Numbers that are known before anything runs: sizes of arrays, bounds of subranges, indices.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::{Checker, Global};
use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};

/// Constants that refer to each other, this many deep.
const CHAIN: u32 = 1000;

/// Larger numbers are no sizes, bounds or indices.
const BITS: u64 = 1 << 12;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Known {
    Int(BigInt),
    Bool(bool),
}

impl Checker<'_> {
    /// The number that this is in every instance, where that can be told.
    pub(super) fn known_int(&self, id: ExprId) -> Option<BigInt> {
        match self.known(id, CHAIN, false)? {
            Known::Int(n) => Some(n),
            Known::Bool(_) => None,
        }
    }

    /// Constants are looked at once, however often they are used.
    fn known_const(&self, at: u32, fuel: u32) -> Option<Known> {
        if let Some(known) = self.known_consts.borrow().get(&at) {
            return known.clone();
        }
        let known = self.ast.consts[at as usize].value.and_then(|value| self.known(value, fuel, true));
        self.known_consts.borrow_mut().insert(at, known.clone());
        known
    }

    fn shadowed(&self, name: &str) -> bool {
        let bound = self.scope.bound.iter().any(|local| *local.name == *name);
        bound || self.scope.vars.contains_key(name) || self.scope.ghosts.contains_key(name)
    }

    /// In the value of a constant of the file all names are `global`.
    fn known(&self, id: ExprId, fuel: u32, global: bool) -> Option<Known> {
        let fuel = fuel.checked_sub(1)?;
        match self.ast.kind(id) {
            ExprKind::Int(n) => Some(Known::Int(n.clone())),
            ExprKind::Bool(b) => Some(Known::Bool(*b)),
            ExprKind::Name(name, _) => match self.values.get(&name.name) {
                Some(Global::Const(at)) if global || !self.shadowed(&name.name) => {
                    self.known_const(*at, fuel)
                }
                _ => None,
            },
            ExprKind::Unary(UnaryOp::Neg, a) => match self.known(*a, fuel, global)? {
                Known::Int(n) => Some(Known::Int(-n)),
                Known::Bool(_) => None,
            },
            ExprKind::Unary(UnaryOp::Not, a) => match self.known(*a, fuel, global)? {
                Known::Bool(b) => Some(Known::Bool(!b)),
                Known::Int(_) => None,
            },
            ExprKind::Binary(op, a, b) => {
                let result = operate(*op, self.known(*a, fuel, global)?, self.known(*b, fuel, global)?);
                result.filter(|known| !matches!(known, Known::Int(n) if n.bits() > BITS))
            }
            ExprKind::If(c, a, b) => match self.known(*c, fuel, global)? {
                Known::Bool(true) => self.known(*a, fuel, global),
                Known::Bool(false) => self.known(*b, fuel, global),
                Known::Int(_) => None,
            },
            _ => None,
        }
    }
}

/// x div y and x mod y with 0 ≤ x mod y < |y|.
pub(crate) fn euclidean(x: &BigInt, y: &BigInt) -> Option<(BigInt, BigInt)> {
    if y.is_zero() {
        return None;
    }
    let (quotient, remainder) = x.div_mod_floor(y);
    Some(if remainder.is_negative() { (quotient + 1, remainder - y) } else { (quotient, remainder) })
}

fn operate(op: BinaryOp, a: Known, b: Known) -> Option<Known> {
    use BinaryOp::*;
    Some(match (a, b) {
        (Known::Int(x), Known::Int(y)) => match op {
            Add => Known::Int(x + y),
            Sub => Known::Int(x - y),
            Mul => Known::Int(x * y),
            Div => Known::Int(euclidean(&x, &y)?.0),
            Mod => Known::Int(euclidean(&x, &y)?.1),
            Eq => Known::Bool(x == y),
            Ne => Known::Bool(x != y),
            Lt => Known::Bool(x < y),
            Le => Known::Bool(x <= y),
            Gt => Known::Bool(x > y),
            Ge => Known::Bool(x >= y),
            _ => return None,
        },
        (Known::Bool(x), Known::Bool(y)) => match op {
            And => Known::Bool(x && y),
            Or => Known::Bool(x || y),
            Xor | Ne => Known::Bool(x != y),
            Implies => Known::Bool(!x || y),
            Eq => Known::Bool(x == y),
            _ => return None,
        },
        _ => return None,
    })
}
