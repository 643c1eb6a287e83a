//! Records, arrays, tuples and maps.

use num_traits::ToPrimitive;

use crate::ast::{ExprId, ExprKind, Ident, TypeExpr};
use crate::check::Checker;
use crate::source::Span;
use crate::types::{Size, Type, TypeId};
use crate::unit::TypeInfoBody;

impl Checker<'_> {
    pub(super) fn record(
        &mut self,
        name: &Ident,
        types: &[TypeExpr],
        given: &[(Ident, ExprId)],
        span: Span,
    ) -> Type {
        let Some(&id) = self.type_names.get(&name.name) else {
            return self.error(name.span, format!("there is no type '{}'", name.name));
        };
        let params = self.types[id.0 as usize].params.clone();
        let args: Vec<Type> = if types.is_empty() {
            params.iter().map(|_| self.fresh()).collect()
        } else {
            types.iter().map(|ty| self.resolve(ty)).collect()
        };
        let ty = self.type_with_args(id, args, name);
        let Some(fields) = self.record_fields(&ty) else {
            return if ty.is_error() {
                ty
            } else {
                self.error(name.span, format!("'{}' is no record type", name.name))
            };
        };
        for (number, (field, value)) in given.iter().enumerate() {
            if given[..number].iter().any(|(other, _)| other.name == field.name) {
                self.error(field.span, format!("the field '{}' is given twice", field.name));
            }
            match fields.iter().find(|(known, _)| known.name == field.name) {
                Some((_, wanted)) => self.check_expr(*value, wanted, &format!("the field '{}'", field.name)),
                None => {
                    self.infer(*value);
                    self.error(field.span, format!("the type '{}' has no field '{}'", name.name, field.name));
                }
            }
        }
        if let Some((missing, _)) =
            fields.iter().find(|(known, _)| !given.iter().any(|(field, _)| field.name == known.name))
        {
            self.error(span, format!("the field '{}' is missing", missing.name));
        }
        ty
    }

    pub(super) fn type_with_args(&mut self, id: TypeId, args: Vec<Type>, name: &Ident) -> Type {
        let info = &self.types[id.0 as usize];
        if info.params.len() != args.len() {
            return self.error(
                name.span,
                format!("the type '{}' has {} type parameters", name.name, info.params.len()),
            );
        }
        match info.body {
            TypeInfoBody::Record(_) => Type::Record(id, args.into()),
            TypeInfoBody::Alias => {
                let params = info.params.clone();
                self.aliases[id.0 as usize].clone().unwrap_or(Type::Error).substitute(&params, &args)
            }
            _ => Type::Free(id),
        }
    }

    /// A field of a record, or of some constructor of a data type.
    pub(super) fn field(&mut self, a: ExprId, field: &Ident) -> Type {
        let ty = self.infer(a);
        if let Some(fields) = self.record_fields(&ty) {
            return match fields.into_iter().find(|(known, _)| known.name == field.name) {
                Some((_, ty)) => ty,
                None => {
                    let shown = self.show(&ty);
                    self.error(field.span, format!("the type {shown} has no field '{}'", field.name))
                }
            };
        }
        match self.base(&ty) {
            Type::Data(id, args) => self.selector(id, &args, field),
            Type::Error => Type::Error,
            _ => {
                let shown = self.show(&ty);
                self.error(field.span, format!("a field of something of type {shown}, which is no record"))
            }
        }
    }

    pub(super) fn selector(&mut self, id: TypeId, args: &[Type], field: &Ident) -> Type {
        let info = &self.types[id.0 as usize];
        if let TypeInfoBody::Data(constructors) = &info.body {
            let found = constructors
                .iter()
                .flat_map(|(_, fields)| fields)
                .find(|(known, _)| known.name == field.name);
            if let Some((_, ty)) = found {
                return ty.substitute(&info.params, args);
            }
        }
        let name = info.name.name.clone();
        self.error(field.span, format!("no constructor of '{name}' has a field '{}'", field.name))
    }

    pub(super) fn index(&mut self, a: ExprId, i: ExprId, span: Span) -> Type {
        let ty = self.infer(a);
        match self.base(&ty) {
            Type::Array(element, size) => {
                self.check_expr(i, &Type::Int, "an index");
                if let (Size::Known(n), Some(k)) = (size, self.known_int(i))
                    && k.to_usize().is_none_or(|k| k >= n)
                {
                    self.error(self.ast.span(i), format!("index {k} is outside of an array of {n} elements"));
                }
                (*element).clone()
            }
            Type::Tuple(parts) => self.tuple_part(&parts, i).map_or(Type::Error, |at| parts[at].clone()),
            Type::Map(key, value) => {
                self.check_expr(i, &key, "the key of a map");
                (*value).clone()
            }
            Type::Error => {
                self.infer(i);
                Type::Error
            }
            _ => {
                self.infer(i);
                let shown = self.show(&ty);
                self.error(span, format!("an index into something of type {shown}, which is no array"))
            }
        }
    }

    /// Tuples are indexed by numbers only.
    pub(super) fn tuple_part(&mut self, parts: &[Type], i: ExprId) -> Option<usize> {
        self.infer(i);
        let known = self.known_int(i).and_then(|k| k.to_usize());
        match known {
            Some(at) if at < parts.len() => Some(at),
            Some(at) => {
                self.error(self.ast.span(i), format!("a tuple of {} parts has no part {at}", parts.len()));
                None
            }
            None => {
                self.error(self.ast.span(i), "the index of a tuple is a number");
                None
            }
        }
    }

    pub(super) fn update(&mut self, a: ExprId, i: ExprId, v: ExprId, span: Span) -> Type {
        let ty = self.infer(a);
        match self.base(&ty) {
            Type::Record(..) => match self.ast.kind(i) {
                ExprKind::Name(field, _) => {
                    let field = field.clone();
                    self.update_field(&ty, &field, v);
                    ty
                }
                _ => self.error(self.ast.span(i), "the name of a field is expected"),
            },
            Type::Array(element, size) => {
                self.check_expr(i, &Type::Int, "an index");
                if let (Size::Known(n), Some(k)) = (size, self.known_int(i))
                    && k.to_usize().is_none_or(|k| k >= n)
                {
                    self.error(self.ast.span(i), format!("index {k} is outside of an array of {n} elements"));
                }
                self.check_expr(v, &element, "the new element");
                self.base(&ty)
            }
            Type::Tuple(parts) => {
                if let Some(at) = self.tuple_part(&parts, i) {
                    self.check_expr(v, &parts[at], "the new part");
                }
                self.base(&ty)
            }
            Type::Map(key, value) => {
                self.check_expr(i, &key, "the key of a map");
                self.check_expr(v, &value, "the new value");
                self.base(&ty)
            }
            Type::Error => {
                self.infer(v);
                Type::Error
            }
            _ => {
                let shown = self.show(&ty);
                self.error(span, format!("something of type {shown} cannot be updated"))
            }
        }
    }

    pub(super) fn update_field(&mut self, ty: &Type, field: &Ident, value: ExprId) {
        let fields = self.record_fields(ty);
        let known = fields.iter().flatten().find(|(known, _)| known.name == field.name);
        match known {
            Some((_, wanted)) => self.check_expr(value, wanted, &format!("the field '{}'", field.name)),
            None => {
                self.infer(value);
                if !ty.is_error() {
                    let shown = self.show(ty);
                    self.error(field.span, format!("the type {shown} has no field '{}'", field.name));
                }
            }
        }
    }

    pub(super) fn array(&mut self, parts: &[ExprId]) -> Type {
        let mut element = self.single(parts[0]);
        for part in &parts[1..] {
            let found = self.single(*part);
            if self.expect_type(self.ast.span(*part), &found, &element, "an element of the array") {
                element = self.join(&self.zonk(&element), &self.zonk(&found));
            }
        }
        Type::Array(element.into(), Size::Known(parts.len()))
    }

    pub(super) fn repeat(&mut self, a: ExprId, n: ExprId) -> Type {
        let element = self.single(a);
        self.check_expr(n, &Type::Int, "the size of an array");
        let size = match self.known_int(n) {
            None => Size::Expr(n),
            Some(known) => match known.to_usize() {
                Some(size @ 1..=0x10_0000) => Size::Known(size),
                _ => {
                    self.error(self.ast.span(n), format!("an array cannot have {known} elements"));
                    Size::Known(1)
                }
            },
        };
        Type::Array(element.into(), size)
    }

    pub(super) fn map_literal(
        &mut self,
        types: Option<&(TypeExpr, TypeExpr)>,
        entries: &[(ExprId, ExprId)],
    ) -> Type {
        let (key, value) = match types {
            Some((key, value)) => (self.resolve(key), self.resolve(value)),
            None => (self.fresh(), self.fresh()),
        };
        for (k, v) in entries {
            self.check_expr(*k, &key, "a key of the map");
            self.check_expr(*v, &value, "a value of the map");
        }
        Type::Map(key.into(), value.into())
    }
}
