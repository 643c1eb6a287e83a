//! Quantifiers over finitely many values: which ones.
//!
//! A variable of a finite type (Booleans, enumerations, subranges, structures of these) has the values of its
//! type. A number without bounds in its type gets them from the formula, where they are constant:
//!
//! ```text
//! forall (i: int) a <= i and i < b => P      the same for a <= i < b alone: elsewhere the implication holds
//! exists (i: int) a <= i and i < b and P     the same for a <= i < b alone: elsewhere the conjunction fails
//! ```

use buttress_term::{EnumValue, Sort, Value};
use num_bigint::BigInt;

use crate::ast::{Ast, BinaryOp, ExprId, ExprKind, Name};
use crate::layout::{Scalar, Tree};

/// A quantifier may speak of this many values.
const LARGEST: usize = 1 << 12;

pub const UNBOUNDED: &str = "quantifiers over what is not known to be finite";

/// A lower or an upper bound of a quantified integer, as a guard of the formula states it.
pub struct Limit {
    pub bound: ExprId,
    pub above: bool,
    /// Whether the number may be equal to it.
    pub included: bool,
}

/// The limits that a formula must satisfy to matter.
pub fn limits(ast: &Ast, all: bool, body: ExprId, name: &Name) -> Vec<Limit> {
    let mut guards = Vec::new();
    let mut body = body;
    if all {
        while let ExprKind::Binary(BinaryOp::Implies, guard, rest) = ast.kind(body) {
            guards.push(*guard);
            body = *rest;
        }
    } else {
        guards.push(body);
    }
    let mut limits = Vec::new();
    while let Some(guard) = guards.pop() {
        let ExprKind::Binary(op, a, b) = ast.kind(guard) else { continue };
        match op {
            BinaryOp::And => guards.extend([*a, *b]),
            BinaryOp::Lt | BinaryOp::Le => limits.extend(limit(ast, name, *a, *b, *op == BinaryOp::Le)),
            BinaryOp::Gt | BinaryOp::Ge => limits.extend(limit(ast, name, *b, *a, *op == BinaryOp::Ge)),
            _ => {}
        }
    }
    limits
}

/// Of `a <= b` or `a < b`.
fn limit(ast: &Ast, name: &Name, a: ExprId, b: ExprId, included: bool) -> Option<Limit> {
    let is = |id: ExprId| matches!(ast.kind(id), ExprKind::Name(found, _) if found.name == *name);
    match (is(a), is(b)) {
        (true, false) => Some(Limit { bound: b, above: true, included }),
        (false, true) => Some(Limit { bound: a, above: false, included }),
        _ => None,
    }
}

/// The numbers of a subrange, made smaller by limits; `None` if they may be too many.
pub fn numbers(scalar: &Scalar, limits: impl Iterator<Item = (Limit, BigInt)>) -> Option<Vec<BigInt>> {
    let (mut low, mut high) = (scalar.low.clone(), scalar.high.clone());
    for (limit, bound) in limits {
        if limit.above {
            let bound = if limit.included { bound } else { bound - 1 };
            high = Some(high.map_or(bound.clone(), |high| high.min(bound)));
        } else {
            let bound = if limit.included { bound } else { bound + 1 };
            low = Some(low.map_or(bound.clone(), |low| low.max(bound)));
        }
    }
    let (low, high) = (low?, high?);
    let count = usize::try_from(&high - &low + 1).unwrap_or(if high < low { 0 } else { usize::MAX });
    (count <= LARGEST).then(|| (0..count).map(|n| &low + n).collect())
}

/// All values of a finite type; `None` if they may be too many.
pub fn values(layout: &Tree<Scalar>) -> Option<Vec<Tree<Value>>> {
    let parts = match layout {
        Tree::Leaf(scalar) => return Some(scalars(scalar)?.into_iter().map(Tree::Leaf).collect()),
        Tree::Parts(parts) => parts,
    };
    let mut all = vec![Vec::new()];
    for part in parts {
        let choices = values(part)?;
        if all.len() * choices.len() > LARGEST {
            return None;
        }
        let with = |start: &Vec<Tree<Value>>| {
            let start = start.clone();
            choices.iter().map(move |one| start.iter().chain([one]).cloned().collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    Some(all.into_iter().map(Tree::Parts).collect())
}

fn scalars(scalar: &Scalar) -> Option<Vec<Value>> {
    match &scalar.sort {
        Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::Int => Some(numbers(scalar, std::iter::empty())?.into_iter().map(Value::Int).collect()),
        Sort::Enum(sort) => {
            let value = |index| Value::Enum(EnumValue { sort: sort.clone(), index });
            Some((0..sort.constants.len() as u32).map(value).collect())
        }
        Sort::BitVec(_) | Sort::Real | Sort::Array(_) => None,
    }
}
