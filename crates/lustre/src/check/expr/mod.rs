//! The types of expressions.

mod calls;
mod matching;
mod operators;
mod structures;

use crate::ast::{ExprId, ExprKind, Ident, TypeExpr};
use crate::check::{Checker, Global};
use crate::types::Type;
use crate::unit::{Meaning, Slot};

impl Checker<'_> {
    /// The variable of this name: its slot, or none where it is bound, and its type.
    pub(super) fn lookup_var(&self, name: &str) -> Option<(Option<Slot>, Type)> {
        if let Some(local) = self.scope.local(name) {
            return Some((None, local.ty.clone()));
        }
        let ghost = self.scope.ghosts.get(name).filter(|_| self.scope.contract);
        let slot = *ghost.or_else(|| self.scope.vars.get(name))?;
        let unit = self.scope.unit?;
        // While a unit is declared it is not in the table yet.
        let unit = self.units.get(unit.0 as usize)?;
        Some((Some(slot), unit.var(slot).ty.clone()))
    }

    pub(super) fn unknown_var(&mut self, name: &Ident) -> Type {
        let close = self.closest(&name.name);
        let message = format!("there is no variable '{}'", name.name);
        match close {
            Some(close) => self.error_help(name.span, message, format!("did you mean '{close}'?")),
            None => self.error(name.span, message),
        }
    }

    /// A known name that differs by little.
    fn closest(&self, name: &str) -> Option<String> {
        let known = self.scope.vars.keys().chain(self.scope.ghosts.keys()).chain(self.values.keys());
        let near = known.filter(|other| edit_distance_at_most_one(name, other));
        near.min().map(|found| found.to_string())
    }

    /// Infers, and reports where the type is not the wanted one.
    pub(super) fn check_expr(&mut self, id: ExprId, wanted: &Type, what: &str) {
        let found = self.infer(id);
        self.expect_type(self.ast.span(id), &found, wanted, what);
    }

    pub(super) fn infer(&mut self, id: ExprId) -> Type {
        let ty = self.infer_kind(id);
        self.type_of[id.0 as usize] = ty.clone();
        ty
    }

    fn infer_kind(&mut self, id: ExprId) -> Type {
        let ast = self.ast;
        let span = ast.span(id);
        match ast.kind(id) {
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Int(_) => Type::Int,
            ExprKind::Real(_) => Type::Real,
            ExprKind::Name(name, types) => self.name(id, name, types),
            ExprKind::Mode(path) => self.mode_type(path, span),
            ExprKind::Unary(op, a) => self.unary(*op, *a, span),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, span),
            ExprKind::If(c, a, b) => {
                self.check_expr(*c, &Type::Bool, "the condition");
                self.same(*a, *b, span, "the branches")
            }
            ExprKind::Cast(to, a) => self.cast(*to, *a),
            ExprKind::Call(_)
            | ExprKind::Condact { .. }
            | ExprKind::Activate { .. }
            | ExprKind::Restart { .. }
            | ExprKind::Merge { .. }
            | ExprKind::When(..) => self.infer_call(id),
            ExprKind::Record { name, types, fields } => self.record(name, types, fields, span),
            ExprKind::Field(a, field) => self.field(*a, field),
            ExprKind::Index(a, i) => self.index(*a, *i, span),
            ExprKind::Extract(a, high, low) => self.extract(*a, *high, *low, span),
            ExprKind::Update(a, i, v) => self.update(*a, *i, *v, span),
            ExprKind::UpdateField(a, field, v) => {
                let ty = self.infer(*a);
                self.update_field(&ty, field, *v);
                ty
            }
            ExprKind::Array(parts) => self.array(parts),
            ExprKind::Repeat(a, n) => self.repeat(*a, *n),
            ExprKind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.single(*part)).collect()),
            ExprKind::List(parts) => {
                let flows = parts.iter().flat_map(|part| self.infer(*part).flows().to_vec()).collect();
                Type::of_flows(flows)
            }
            ExprKind::Error => Type::Error,
            _ => self.infer_rare(id),
        }
    }

    /// The type of an expression that Kind 2 has and JKind has not.
    fn infer_rare(&mut self, id: ExprId) -> Type {
        let ast = self.ast;
        match ast.kind(id) {
            ExprKind::Quantifier { vars, body, .. } => {
                let depth = self.scope.bound.len();
                let mut types = Vec::new();
                for var in vars {
                    self.check_type_expr(&var.ty);
                    let ty = self.resolve(&var.ty);
                    match self.base(&ty) {
                        Type::Int => self.scope.bind_number(&var.name.name, &ty),
                        _ => self.scope.bind(&var.name.name, &ty),
                    }
                    types.push(ty);
                }
                self.type_args.insert(id, types);
                self.check_expr(*body, &Type::Bool, "the body of a quantifier");
                self.scope.bound.truncate(depth);
                Type::Bool
            }
            ExprKind::Any { var, ty, pred, .. } => {
                self.check_type_expr(ty);
                let ty = self.resolve(ty);
                if let (Some(var), Some(pred)) = (var, pred) {
                    self.scope.bind(&var.name, &ty);
                    self.check_expr(*pred, &Type::Bool, "the predicate");
                    self.scope.bound.pop();
                }
                ty
            }
            ExprKind::Match { value, arms } => self.matching(*value, arms),
            ExprKind::Ascribe(a, ty) => {
                self.check_type_expr(ty);
                let ty = self.resolve(ty);
                self.check_expr(*a, &ty, "this");
                ty
            }
            ExprKind::Test(name, a) => {
                let data = self.constructor(id, name, &[]);
                let found = self.infer(*a);
                if let Some((ty, _)) = data {
                    self.expect_type(ast.span(*a), &found, &ty, "what is tested");
                }
                Type::Bool
            }
            ExprKind::Last(name) => match self.lookup_var(&name.name) {
                Some((_, ty)) => ty,
                None => self.unknown_var(name),
            },
            ExprKind::MapLiteral { types, entries } => self.map_literal(types.as_deref(), entries),
            ExprKind::SetLiteral { ty, elements } => {
                let element = match ty {
                    Some(ty) => self.resolve(ty),
                    None => self.fresh(),
                };
                for part in elements {
                    self.check_expr(*part, &element, "an element of the set");
                }
                Type::Set(element.into())
            }
            _ => unreachable!("it is not rare"),
        }
    }

    /// One flow, not several.
    fn single(&mut self, id: ExprId) -> Type {
        match self.infer(id) {
            Type::List(flows) => {
                self.error(self.ast.span(id), format!("one value is expected here, not {}", flows.len()))
            }
            ty => ty,
        }
    }

    fn name(&mut self, id: ExprId, name: &Ident, types: &[TypeExpr]) -> Type {
        if let Some((slot, ty)) = self.lookup_var(&name.name) {
            let local = self.scope.local(&name.name).map_or(Meaning::None, |local| local.meaning);
            self.meanings[id.0 as usize] = slot.map_or(local, Meaning::Var);
            return ty;
        }
        match self.values.get(&name.name) {
            Some(&Global::Const(at)) => {
                self.meanings[id.0 as usize] = Meaning::Const(at);
                match self.consts.get(at as usize) {
                    Some(constant) => constant.ty.clone(),
                    None => Type::Int,
                }
            }
            Some(&Global::Enum(ty, number)) => {
                self.meanings[id.0 as usize] = Meaning::EnumValue(ty, number);
                Type::Enum(ty)
            }
            Some(&Global::Constructor(ty, number)) => {
                let fields = self.constructor_fields(ty, number);
                if !fields.is_empty() {
                    return self.error(
                        name.span,
                        format!("the constructor '{}' has {} arguments", name.name, fields.len()),
                    );
                }
                self.constructor(id, name, types).map_or(Type::Error, |(ty, _)| ty)
            }
            None => self.unknown_var(name),
        }
    }

    /// The data type of a constructor, with fresh or given arguments, and the types of its fields.
    fn constructor(&mut self, id: ExprId, name: &Ident, types: &[TypeExpr]) -> Option<(Type, Vec<Type>)> {
        let Some(&Global::Constructor(data, number)) = self.values.get(&name.name) else {
            self.error(name.span, format!("there is no constructor '{}'", name.name));
            return None;
        };
        self.meanings[id.0 as usize] = Meaning::Constructor(data, number);
        let params = self.types[data.0 as usize].params.clone();
        let args = self.solve_params(id, &params, types, name)?;
        let fields = self.constructor_fields(data, number);
        let fields = fields.iter().map(|(_, ty)| ty.substitute(&params, &args)).collect();
        Some((Type::Data(data, args.into()), fields))
    }

    /// The given type arguments, or fresh ones.
    fn solve_params(
        &mut self,
        id: ExprId,
        params: &[crate::ast::Name],
        types: &[TypeExpr],
        name: &Ident,
    ) -> Option<Vec<Type>> {
        if !types.is_empty() && types.len() != params.len() {
            self.error(
                name.span,
                format!("'{}' has {} type parameters, not {}", name.name, params.len(), types.len()),
            );
            return None;
        }
        let given: Vec<Type> = types.iter().map(|ty| self.resolve(ty)).collect();
        let args = if given.is_empty() { params.iter().map(|_| self.fresh()).collect() } else { given };
        if !params.is_empty() {
            self.type_args.insert(id, args.clone());
        }
        Some(args)
    }
}

/// Do the names differ by one character, or only in case?
fn edit_distance_at_most_one(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (short, long) =
        if a.len() <= b.len() { (a.as_bytes(), b.as_bytes()) } else { (b.as_bytes(), a.as_bytes()) };
    if long.len() - short.len() > 1 || short.len() < 2 {
        return false;
    }
    let prefix = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let suffix = short.iter().rev().zip(long.iter().rev()).take_while(|(x, y)| x == y).count();
    prefix + suffix >= long.len() - 1
}
