//! Types as written become types as known.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use super::{Checker, Global};
use crate::ast::{ExprId, Ident, TypeBody, TypeExpr, TypeKind};
use crate::layout;
use crate::types::{Bound, Size, Type, TypeId};
use crate::unit::{TypeInfo, TypeInfoBody};

/// An array may have this many elements in one dimension.
const LARGEST: usize = 1 << 20;

impl Checker<'_> {
    /// The declared types. Records and data may refer to each other; aliases may not go in circles.
    pub(super) fn resolve_types(&mut self) {
        for decl in &self.ast.types {
            let params = decl.params.iter().map(|p| p.name.clone()).collect();
            let body = match &decl.body {
                TypeBody::Free => TypeInfoBody::Free,
                TypeBody::Alias(_) => TypeInfoBody::Alias,
                TypeBody::Enum(values) => TypeInfoBody::Enum(values.clone()),
                TypeBody::Record(_) => TypeInfoBody::Record(Vec::new()),
                TypeBody::Data(_) => TypeInfoBody::Data(Vec::new()),
            };
            self.types.push(TypeInfo { name: decl.name.clone(), params, body });
        }
        for at in 0..self.ast.types.len() {
            self.scope.params = self.types[at].params.clone();
            let body = match &self.ast.types[at].body {
                TypeBody::Alias(_) => {
                    self.alias(TypeId(at as u32));
                    continue;
                }
                TypeBody::Record(fields) => TypeInfoBody::Record(self.resolve_fields(fields)),
                TypeBody::Data(constructors) => {
                    let resolve =
                        |c: &crate::ast::Constructor| (c.name.clone(), self.resolve_fields(&c.fields));
                    TypeInfoBody::Data(constructors.iter().map(resolve).collect())
                }
                TypeBody::Free | TypeBody::Enum(_) => continue,
            };
            self.types[at].body = body;
        }
        self.scope.params.clear();
        self.refuse_endless_records();
    }

    fn resolve_fields(&mut self, fields: &[(Ident, TypeExpr)]) -> Vec<(Ident, Type)> {
        let mut resolved: Vec<(Ident, Type)> = Vec::new();
        for (name, ty) in fields {
            if resolved.iter().any(|(other, _)| other.name == name.name) {
                self.error(name.span, format!("the field '{}' is declared twice", name.name));
            }
            let ty = self.resolve(ty);
            resolved.push((name.clone(), ty));
        }
        resolved
    }

    /// A record that contains itself has no values.
    fn refuse_endless_records(&mut self) {
        for at in 0..self.types.len() {
            let id = TypeId(at as u32);
            if matches!(self.types[at].body, TypeInfoBody::Record(_))
                && self.contains_record(id, id, &mut vec![false; self.types.len()])
            {
                let name = self.types[at].name.clone();
                self.error(name.span, format!("the record type '{}' contains itself", name.name));
            }
        }
    }

    fn contains_record(&self, inside: TypeId, wanted: TypeId, seen: &mut Vec<bool>) -> bool {
        let TypeInfoBody::Record(fields) = &self.types[inside.0 as usize].body else { return false };
        fields.iter().any(|(_, ty)| self.mentions_record(ty, wanted, seen))
    }

    fn mentions_record(&self, ty: &Type, wanted: TypeId, seen: &mut Vec<bool>) -> bool {
        if let Type::Record(id, _) = ty {
            if *id == wanted {
                return true;
            }
            if !std::mem::replace(&mut seen[id.0 as usize], true) && self.contains_record(*id, wanted, seen) {
                return true;
            }
        }
        let mut found = false;
        ty.map(&mut |part| {
            found = found || self.mentions_record(part, wanted, seen);
            Type::Error
        });
        found
    }

    /// The type that an alias stands for, resolved once.
    fn alias(&mut self, id: TypeId) -> Type {
        let at = id.0 as usize;
        if let Some(known) = &self.aliases[at] {
            return known.clone();
        }
        let decl = &self.ast.types[at];
        let TypeBody::Alias(written) = &decl.body else { return Type::Error };
        if std::mem::replace(&mut self.resolving[at], true) {
            return self.error(decl.name.span, format!("the type '{}' is defined by itself", decl.name.name));
        }
        let params = std::mem::replace(&mut self.scope.params, self.types[at].params.clone());
        let ty = self.resolve(written);
        self.scope.params = params;
        self.aliases[at] = Some(ty.clone());
        ty
    }

    /// Aliases of aliases grow fast.
    fn of_bearable_size(&mut self, ty: Type, name: &Ident) -> Type {
        match ty.parts() <= layout::LARGEST {
            true => ty,
            false => self.error(
                name.span,
                format!("the type '{}' has more than {} parts", name.name, layout::LARGEST),
            ),
        }
    }

    pub(super) fn resolve(&mut self, written: &TypeExpr) -> Type {
        match &written.kind {
            TypeKind::Bool => Type::Bool,
            TypeKind::Int => Type::Int,
            TypeKind::Real => Type::Real,
            TypeKind::Machine(machine) => Type::Machine(*machine),
            TypeKind::Subrange(low, high) => self.subrange(written, *low, *high),
            TypeKind::Named(name, args) => self.named_type(name, args),
            TypeKind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.resolve(part)).collect()),
            TypeKind::Array(element, size) => {
                let element = self.resolve(element);
                Type::Array(element.into(), self.size(*size))
            }
            TypeKind::Refined(var, base, pred) => {
                let base = self.resolve(base);
                Type::Refined(base.into(), var.name.clone(), *pred)
            }
            TypeKind::Set(element) => Type::Set(self.resolve(element).into()),
            TypeKind::Map(key, value) => Type::Map(self.resolve(key).into(), self.resolve(value).into()),
            TypeKind::History(stream) => self.stream_type(stream),
        }
    }

    fn stream_type(&mut self, stream: &Ident) -> Type {
        match self.lookup_var(&stream.name) {
            Some((_, ty)) => ty,
            None => self.error(stream.span, format!("there is no variable '{}'", stream.name)),
        }
    }

    fn subrange(&mut self, written: &TypeExpr, low: Option<ExprId>, high: Option<ExprId>) -> Type {
        let bound = |checker: &Self, end: Option<ExprId>| match end {
            None => Bound::Open,
            Some(id) => checker.known_int(id).map_or(Bound::Expr(id), Bound::Known),
        };
        let (low, high) = (bound(self, low), bound(self, high));
        if let (Bound::Known(low), Bound::Known(high)) = (&low, &high)
            && low > high
        {
            return self.error(written.span, format!("the subrange [{low}, {high}] is empty"));
        }
        Type::Range(low, high)
    }

    fn size(&mut self, size: ExprId) -> Size {
        let Some(n) = self.known_int(size) else { return Size::Expr(size) };
        match n.to_usize() {
            Some(n @ 1..=LARGEST) => Size::Known(n),
            _ if n <= BigInt::zero() => {
                self.error(self.ast.span(size), format!("an array has at least one element, not {n}"));
                Size::Known(1)
            }
            _ => {
                self.error(self.ast.span(size), format!("an array has at most {LARGEST} elements"));
                Size::Known(1)
            }
        }
    }

    fn named_type(&mut self, name: &Ident, args: &[TypeExpr]) -> Type {
        let args: Vec<Type> = args.iter().map(|arg| self.resolve(arg)).collect();
        if args.is_empty() && self.scope.params.contains(&name.name) {
            return Type::Param(name.name.clone());
        }
        let Some(&id) = self.type_names.get(&name.name) else {
            let is_value = matches!(self.values.get(&name.name), Some(Global::Enum(..)));
            let help = if is_value { "this is a value of an enum" } else { "declare it: type … = …;" };
            return self.error_help(name.span, format!("there is no type '{}'", name.name), help);
        };
        let info = &self.types[id.0 as usize];
        let (wanted, params) = (info.params.len(), info.params.clone());
        if args.len() != wanted {
            let message =
                format!("the type '{}' has {wanted} type parameters, not {}", name.name, args.len());
            return self.error(name.span, message);
        }
        match info.body {
            TypeInfoBody::Free => Type::Free(id),
            TypeInfoBody::Enum(_) => Type::Enum(id),
            TypeInfoBody::Record(_) => Type::Record(id, args.into()),
            TypeInfoBody::Data(_) => Type::Data(id, args.into()),
            TypeInfoBody::Alias if args.is_empty() => {
                let ty = self.alias(id);
                self.of_bearable_size(ty, name)
            }
            TypeInfoBody::Alias => {
                let ty = self.alias(id).substitute(&params, &args);
                self.of_bearable_size(ty, name)
            }
        }
    }
}
