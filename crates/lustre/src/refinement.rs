//! Refinement types, `subtype {x: T | p}`: where a type has them, and which predicates have a meaning here.
//!
//! A value of such a type is one of T. That p holds of it is a constraint where the value is free and an
//! obligation where it is computed, as for subranges; both are made once all variables of the step have values,
//! since p may read them.

use crate::ast::{BinaryOp, ExprId, ExprKind, Name, UnaryOp};
use crate::layout::Tree;
use crate::types::Type;
use crate::unit::{Program, TypeInfoBody, Var};

/// The part of a value that a predicate is about.
pub struct Refined<'t, T> {
    /// The name of the value in the predicate.
    pub name: Name,
    pub predicate: ExprId,
    pub value: &'t Tree<T>,
    /// The suffix of the variable's name: `.f`, `[2]`.
    pub suffix: String,
}

/// Does a type have refinements anywhere? Recursive types have none.
pub fn is_refined(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Refined(..) => true,
        Type::Record(id, args) => {
            let info = program.type_info(*id);
            let TypeInfoBody::Record(fields) = &info.body else { return false };
            fields.iter().any(|(_, ty)| is_refined(program, &ty.substitute(&info.params, args)))
        }
        Type::Tuple(parts) | Type::List(parts) => parts.iter().any(|part| is_refined(program, part)),
        Type::Array(element, _) => is_refined(program, element),
        _ => false,
    }
}

/// All predicates on a value of a type and on its parts, the outer ones last.
pub fn refinements<'t, T>(program: &Program, ty: &Type, value: &'t Tree<T>) -> Vec<Refined<'t, T>> {
    let mut found = Vec::new();
    if is_refined(program, ty) {
        collect(program, ty, value, String::new(), &mut found);
    }
    found
}

fn collect<'t, T>(
    program: &Program,
    ty: &Type,
    value: &'t Tree<T>,
    suffix: String,
    found: &mut Vec<Refined<'t, T>>,
) {
    match ty {
        Type::Refined(base, name, predicate) => {
            collect(program, base, value, suffix.clone(), found);
            found.push(Refined { name: name.clone(), predicate: *predicate, value, suffix });
        }
        Type::Record(id, args) => {
            let info = program.type_info(*id);
            let TypeInfoBody::Record(fields) = &info.body else { unreachable!("a record has fields") };
            for ((field, ty), part) in fields.iter().zip(value.parts()) {
                let ty = ty.substitute(&info.params, args);
                collect(program, &ty, part, format!("{suffix}.{}", field.name), found);
            }
        }
        Type::Tuple(types) | Type::List(types) => {
            for (at, (ty, part)) in types.iter().zip(value.parts()).enumerate() {
                collect(program, ty, part, format!("{suffix}[{at}]"), found);
            }
        }
        Type::Array(element, _) => {
            for (at, part) in value.parts().iter().enumerate() {
                collect(program, element, part, format!("{suffix}[{at}]"), found);
            }
        }
        _ => {}
    }
}

/// The reason why a predicate has no meaning: one predicate is about many values, so it may have no calls, no
/// memory and nothing that is free.
pub fn refused(program: &Program, predicate: ExprId) -> Option<&'static str> {
    let mut todo = vec![predicate];
    while let Some(id) = todo.pop() {
        let kind = program.ast.kind(id);
        match kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Name(..) => {}
            ExprKind::If(..) | ExprKind::Cast(..) | ExprKind::Field(..) => {}
            ExprKind::Unary(UnaryOp::Pre, _) | ExprKind::Binary(BinaryOp::Arrow, ..) => {
                return Some("refinement types with 'pre' or '->'");
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Mod | BinaryOp::Slash, _, divisor)
                if !is_nonzero(program, *divisor) =>
            {
                return Some("refinement types with a division by what is not a constant");
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) => {}
            ExprKind::Quantifier { .. } => return Some("quantifiers"),
            _ => return Some("refinement types with calls, indices and the like"),
        }
        kind.each_child(&mut |child| todo.push(child));
    }
    None
}

fn is_nonzero(program: &Program, id: ExprId) -> bool {
    match program.ast.kind(id) {
        ExprKind::Int(n) => *n != num_bigint::BigInt::ZERO,
        ExprKind::Real(r) => *r.numer() != num_bigint::BigInt::ZERO,
        _ => false,
    }
}

/// `x.f in its subtype`
pub fn claim(var: &Var, suffix: &str) -> String {
    format!("{}{suffix} in its subtype", var.name.name)
}
