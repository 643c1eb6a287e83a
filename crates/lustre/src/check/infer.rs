//! Unification of types. Subranges and refinements are looked through, and array sizes are compared only
//! where both are numbers.

use super::Checker;
use crate::source::Span;
use crate::types::{Bound, Size, Type};
use crate::unit::TypeInfoBody;

impl Checker<'_> {
    pub(super) fn fresh(&mut self) -> Type {
        self.metas.push(None);
        Type::Meta(self.metas.len() as u32 - 1)
    }

    /// The type with its outermost metavariable replaced by the known solution.
    pub(super) fn shallow(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::Meta(meta) = ty {
            match &self.metas[meta as usize] {
                Some(known) => ty = known.clone(),
                None => break,
            }
        }
        ty
    }

    /// The base of what is known.
    pub(super) fn base(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Refined(base, ..) => self.base(&base),
            other => other.base().clone(),
        }
    }

    /// All that is known of a type.
    pub(super) fn zonk(&self, ty: &Type) -> Type {
        self.shallow(ty).map(&mut |part| self.zonk(part))
    }

    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.base(a), self.base(b));
        match (&a, &b) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Meta(x), Type::Meta(y)) if x == y => true,
            (Type::Meta(meta), other) | (other, Type::Meta(meta)) => self.bind(*meta, other),
            (Type::Record(x, xs), Type::Record(y, ys)) | (Type::Data(x, xs), Type::Data(y, ys)) => {
                x == y && self.unify_all(xs, ys)
            }
            (Type::Tuple(xs), Type::Tuple(ys)) | (Type::List(xs), Type::List(ys)) => self.unify_all(xs, ys),
            (Type::Array(x, n), Type::Array(y, m)) => {
                let fit = !matches!((n, m), (Size::Known(n), Size::Known(m)) if n != m);
                fit && self.unify(x, y)
            }
            (Type::Set(x), Type::Set(y)) => self.unify(x, y),
            (Type::Map(k, v), Type::Map(l, w)) => self.unify(k, l) && self.unify(v, w),
            _ => a == b,
        }
    }

    fn unify_all(&mut self, xs: &[Type], ys: &[Type]) -> bool {
        xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.unify(x, y))
    }

    fn bind(&mut self, meta: u32, ty: &Type) -> bool {
        if self.occurs(meta, ty) {
            return false;
        }
        self.metas[meta as usize] = Some(ty.clone());
        true
    }

    fn occurs(&self, meta: u32, ty: &Type) -> bool {
        let ty = self.shallow(ty);
        let mut found = ty == Type::Meta(meta);
        ty.map(&mut |part| {
            found |= self.occurs(meta, part);
            Type::Error
        });
        found
    }

    /// Reports where `found` does not fit.
    pub(super) fn expect_type(&mut self, span: Span, found: &Type, wanted: &Type, what: &str) -> bool {
        if self.unify(found, wanted) {
            return true;
        }
        let (found, wanted) = (self.show(found), self.show(wanted));
        let message = format!("{what} has type {found}, expected {wanted}");
        let error = self.findings.error(span, message);
        match (&found[..], &wanted[..]) {
            ("int", "real") => error.help("convert it: real(…), or write a decimal such as 1.0"),
            ("real", "int") => error.help("convert it: floor(…)"),
            _ => {}
        }
        false
    }

    /// A type as a user would write it.
    pub(super) fn show(&self, ty: &Type) -> String {
        let list = |parts: &[Type]| parts.iter().map(|ty| self.show(ty)).collect::<Vec<_>>().join(", ");
        match self.shallow(ty) {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Real => "real".into(),
            Type::Machine(m) => match (m.signed, m.width) {
                (true, 8 | 16 | 32 | 64) => format!("int{}", m.width),
                (false, 8 | 16 | 32 | 64) => format!("uint{}", m.width),
                (true, width) => format!("sint<{width}>"),
                (false, width) => format!("uint<{width}>"),
            },
            Type::Range(low, high) => {
                format!("subrange [{}, {}] of int", show_bound(&low), show_bound(&high))
            }
            Type::Enum(id) | Type::Free(id) => self.types[id.0 as usize].name.name.to_string(),
            Type::Record(id, args) | Type::Data(id, args) => {
                let name = &self.types[id.0 as usize].name.name;
                if args.is_empty() { name.to_string() } else { format!("{name}<{}>", list(&args)) }
            }
            Type::Array(element, Size::Known(n)) => format!("{}^{n}", self.show(&element)),
            Type::Array(element, Size::Expr(_)) => format!("{}^…", self.show(&element)),
            Type::Tuple(parts) => format!("[{}]", list(&parts)),
            Type::List(parts) => format!("({})", list(&parts)),
            Type::Set(element) => format!("set<{}>", self.show(&element)),
            Type::Map(key, value) => format!("map<{}, {}>", self.show(&key), self.show(&value)),
            Type::Refined(base, ..) => self.show(&base),
            Type::Param(name) => name.to_string(),
            Type::Meta(_) => "_".into(),
            Type::Error => "?".into(),
        }
    }

    /// The fields of a record type, with its arguments put in.
    pub(super) fn record_fields(&self, ty: &Type) -> Option<Vec<(crate::ast::Ident, Type)>> {
        let Type::Record(id, args) = self.base(ty) else { return None };
        let info = &self.types[id.0 as usize];
        let TypeInfoBody::Record(fields) = &info.body else { return None };
        Some(fields.iter().map(|(name, ty)| (name.clone(), ty.substitute(&info.params, &args))).collect())
    }
}

fn show_bound(bound: &Bound) -> String {
    match bound {
        Bound::Open => "*".into(),
        Bound::Known(n) => n.to_string(),
        Bound::Expr(_) => "…".into(),
    }
}
