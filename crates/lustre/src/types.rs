//! Types, as the checker knows them: aliases are gone, names are declarations.
//!
//! A subrange or a refinement constrains the values of a *base* type. Two types fit each other if their bases
//! do; whether the values stay inside is not a question of types but an obligation, see [`crate::lower`].

use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::ast::{ExprId, Machine, Name};

/// A type declaration: its place in [`crate::ast::Ast::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Bool,
    Int,
    Real,
    Machine(Machine),
    Range(Bound, Bound),
    Enum(TypeId),
    Free(TypeId),
    Record(TypeId, Arc<[Type]>),
    Data(TypeId, Arc<[Type]>),
    Array(Arc<Type>, Size),
    Tuple(Arc<[Type]>),
    Set(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    /// `subtype {x: T | p}`
    Refined(Arc<Type>, Name, ExprId),
    /// A type parameter.
    Param(Name),
    /// Several flows: the outputs of a node, `(a, b)`.
    List(Arc<[Type]>),
    /// Not known yet; only while checking.
    Meta(u32),
    /// Something is wrong with it, and was reported.
    Error,
}

/// One end of a subrange.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    Open,
    Known(BigInt),
    /// Known only in an instance, or never.
    Expr(ExprId),
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Size {
    Known(usize),
    Expr(ExprId),
}

impl Type {
    /// Without subranges and refinements at the top.
    pub fn base(&self) -> &Type {
        match self {
            Type::Range(..) => &Type::Int,
            Type::Refined(base, ..) => base.base(),
            other => other,
        }
    }

    /// How many parts there are, itself included. What is shared is looked at once, since it may be large.
    pub fn parts(&self) -> usize {
        self.count(&mut FxHashMap::default())
    }

    fn count(&self, known: &mut FxHashMap<*const Type, usize>) -> usize {
        let mut shared = |part: &Type| {
            let place: *const Type = part;
            match known.get(&place) {
                Some(&count) => count,
                None => {
                    let count = part.count(known);
                    known.insert(place, count);
                    count
                }
            }
        };
        let inside = match self {
            Type::Record(_, parts) | Type::Data(_, parts) | Type::Tuple(parts) | Type::List(parts) => {
                parts.iter().fold(0usize, |sum, part| sum.saturating_add(shared(part)))
            }
            Type::Array(element, Size::Known(n)) => shared(element).saturating_mul(*n),
            Type::Array(element, Size::Expr(_)) | Type::Set(element) | Type::Refined(element, ..) => {
                shared(element)
            }
            Type::Map(key, value) => shared(key).saturating_add(shared(value)),
            _ => 0,
        };
        inside.saturating_add(1)
    }

    /// Is zero one of its values, as far as its bounds tell?
    pub fn has_zero(&self) -> bool {
        let zero = BigInt::ZERO;
        match self {
            Type::Range(Bound::Known(low), _) if *low > zero => false,
            Type::Range(_, Bound::Known(high)) if *high < zero => false,
            _ => true,
        }
    }

    pub fn is_error(&self) -> bool {
        matches!(self, Type::Error)
    }

    /// Its flows: those of a list, or itself.
    pub fn flows(&self) -> &[Type] {
        match self {
            Type::List(flows) => flows,
            one => std::slice::from_ref(one),
        }
    }

    /// Many flows as one type.
    pub fn of_flows(mut flows: Vec<Type>) -> Type {
        if flows.len() == 1 { flows.remove(0) } else { Type::List(flows.into()) }
    }

    /// With each of its direct parts replaced.
    pub fn map(&self, change: &mut dyn FnMut(&Type) -> Type) -> Type {
        let mut all = |parts: &[Type]| -> Arc<[Type]> { parts.iter().map(&mut *change).collect() };
        match self {
            Type::Record(id, args) => Type::Record(*id, all(args)),
            Type::Data(id, args) => Type::Data(*id, all(args)),
            Type::Tuple(parts) => Type::Tuple(all(parts)),
            Type::List(parts) => Type::List(all(parts)),
            Type::Array(element, size) => Type::Array(Arc::new(change(element)), *size),
            Type::Set(element) => Type::Set(Arc::new(change(element))),
            Type::Map(key, value) => Type::Map(Arc::new(change(key)), Arc::new(change(value))),
            Type::Refined(base, var, pred) => Type::Refined(Arc::new(change(base)), var.clone(), *pred),
            plain => plain.clone(),
        }
    }

    /// With type parameters replaced.
    pub fn substitute(&self, params: &[Name], args: &[Type]) -> Type {
        match self {
            Type::Param(name) => match params.iter().position(|p| p == name) {
                Some(at) if at < args.len() => args[at].clone(),
                _ => self.clone(),
            },
            other if params.is_empty() => other.clone(),
            other => other.map(&mut |part| part.substitute(params, args)),
        }
    }
}
