//! The types of expressions.

use std::sync::Arc;

use num_traits::{ToPrimitive, Zero};

use super::{Checker, Global};
use crate::ast::{
    BinaryOp, Call, CastTo, Clock, ExprId, ExprKind, Ident, Machine, Pattern, TypeExpr, UnaryOp,
};
use crate::source::Span;
use crate::types::{Size, Type, TypeId};
use crate::unit::{Builtin, Meaning, Slot, TypeInfoBody};

/// What JKind has beside `floor`; with one argument or two.
const NONLINEAR: &[(&str, usize)] = &[
    ("exp", 1),
    ("log", 1),
    ("sqrt", 1),
    ("pow", 2),
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("arcsin", 1),
    ("acos", 1),
    ("arccos", 1),
    ("atan", 1),
    ("arctan", 1),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("atan2", 2),
    ("arctan2", 2),
    ("matan", 1),
    ("marctan", 1),
];

impl Checker<'_> {
    /// The variable of this name: its slot, or none where it is bound, and its type.
    pub(super) fn lookup_var(&self, name: &str) -> Option<(Option<Slot>, Type)> {
        if let Some((_, ty)) = self.scope.bound.iter().rev().find(|(bound, _)| **bound == *name) {
            return Some((None, ty.clone()));
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
            ExprKind::Call(call) => self.call(id, call),
            ExprKind::Condact { clock, call, restart, defaults } => {
                self.check_expr(*clock, &Type::Bool, "the clock");
                restart.iter().for_each(|r| self.check_expr(*r, &Type::Bool, "the restart condition"));
                let ty = self.node_call(id, call);
                self.check_defaults(defaults, &ty, span);
                ty
            }
            ExprKind::Activate { clock, call, restart } => {
                self.check_expr(*clock, &Type::Bool, "the clock");
                restart.iter().for_each(|r| self.check_expr(*r, &Type::Bool, "the restart condition"));
                self.node_call(id, call)
            }
            ExprKind::Restart { call, every } => {
                self.check_expr(*every, &Type::Bool, "the restart condition");
                self.node_call(id, call)
            }
            ExprKind::Merge { clock, cases } => self.merge(clock, cases, span),
            ExprKind::When(a, clock) => {
                self.check_clock(clock);
                self.infer(*a)
            }
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
            ExprKind::Quantifier { vars, body, .. } => {
                let depth = self.scope.bound.len();
                for var in vars {
                    self.check_type_expr(&var.ty);
                    let ty = self.resolve(&var.ty);
                    self.scope.bound.push((var.name.name.clone(), ty));
                }
                self.check_expr(*body, &Type::Bool, "the body of a quantifier");
                self.scope.bound.truncate(depth);
                Type::Bool
            }
            ExprKind::Any { var, ty, pred, .. } => {
                self.check_type_expr(ty);
                let ty = self.resolve(ty);
                if let (Some(var), Some(pred)) = (var, pred) {
                    self.scope.bound.push((var.name.clone(), ty.clone()));
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
            ExprKind::Error => Type::Error,
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
            self.meanings[id.0 as usize] = slot.map_or(Meaning::Bound, Meaning::Var);
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

    fn unary(&mut self, op: UnaryOp, a: ExprId, span: Span) -> Type {
        let ty = self.infer(a);
        match op {
            UnaryOp::Not => {
                self.expect_type(self.ast.span(a), &ty, &Type::Bool, "the operand of 'not'");
                Type::Bool
            }
            UnaryOp::Pre => {
                if let Some(why) = self.scope.stateless {
                    return self.error(span, format!("'pre' cannot stand here: {why}"));
                }
                ty
            }
            UnaryOp::Neg => match self.base(&ty) {
                base @ (Type::Int | Type::Real | Type::Machine(_) | Type::Error | Type::Meta(_)) => base,
                _ => self.mismatch(span, "'-'", &ty, "a number"),
            },
            UnaryOp::BitNot => match self.base(&ty) {
                base @ (Type::Machine(_) | Type::Error) => base,
                _ => self.mismatch(span, "'!'", &ty, "a machine integer"),
            },
        }
    }

    fn mismatch(&mut self, span: Span, op: &str, found: &Type, wanted: &str) -> Type {
        let found = self.show(found);
        self.error(span, format!("the operand of {op} has type {found}, expected {wanted}"))
    }

    /// Both operands, which must have one type; that of the first is kept where both are the same.
    fn same(&mut self, a: ExprId, b: ExprId, span: Span, what: &str) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        self.agree(&left, &right, span, what)
    }

    fn agree(&mut self, left: &Type, right: &Type, span: Span, what: &str) -> Type {
        if !self.unify(left, right) {
            let (left, right) = (self.show(left), self.show(right));
            let help = if matches!((&left[..], &right[..]), ("int", "real") | ("real", "int")) {
                "convert one of them: real(…), floor(…), or write 1.0 for 1"
            } else {
                "both must have one type"
            };
            return self.error_help(span, format!("{what} have types {left} and {right}"), help);
        }
        let (known_left, known_right) = (self.zonk(left), self.zonk(right));
        if known_left == known_right { known_left } else { self.join(&known_left, &known_right) }
    }

    /// A type for values of both: without the constraints in which they differ.
    fn join(&self, a: &Type, b: &Type) -> Type {
        if a == b {
            return a.clone();
        }
        match (a.base(), b.base()) {
            (Type::List(xs), Type::List(ys)) if xs.len() == ys.len() => {
                Type::List(xs.iter().zip(ys.iter()).map(|(x, y)| self.join(x, y)).collect())
            }
            (Type::Error, other) | (other, Type::Error) => other.clone(),
            (base, _) => base.clone(),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        use BinaryOp::*;
        match op {
            And | Or | Xor | Implies => {
                let word = format!("the operand of '{}'", word(op));
                self.check_expr(a, &Type::Bool, &word);
                self.check_expr(b, &Type::Bool, &word);
                Type::Bool
            }
            Eq | Ne => {
                self.same(a, b, span, "the sides of a comparison");
                Type::Bool
            }
            Lt | Le | Gt | Ge => {
                let ty = self.same(a, b, span, "the sides of a comparison");
                match self.base(&ty) {
                    Type::Int | Type::Real | Type::Machine(_) | Type::Error | Type::Meta(_) => Type::Bool,
                    _ => {
                        self.mismatch(span, &format!("'{}'", word(op)), &ty, "a number");
                        Type::Bool
                    }
                }
            }
            Arrow => {
                if let Some(why) = self.scope.stateless {
                    return self.error(span, format!("'->' cannot stand here: {why}"));
                }
                self.same(a, b, span, "the sides of '->'")
            }
            In => self.membership(a, b),
            Concat => self.concat(a, b, span),
            ShiftLeft | ShiftRight | BitAnd | BitOr => self.bitwise(op, a, b, span),
            Add | Sub | Mul => self.arithmetic(op, a, b, span),
            Div | Mod | Slash => {
                self.warn_of_zero(op, b);
                self.division(op, a, b, span)
            }
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        if let base @ (Type::Set(_) | Type::Map(..)) = self.base(&left) {
            let wanted = match (&base, op) {
                (Type::Map(key, _), BinaryOp::Sub) => Type::Set(key.clone()),
                _ => base.clone(),
            };
            self.expect_type(self.ast.span(b), &right, &wanted, "the right operand");
            return base;
        }
        let ty = self.agree(&left, &right, span, &format!("the operands of '{}'", word(op)));
        match self.base(&ty) {
            base @ (Type::Int
            | Type::Real
            | Type::Machine(_)
            | Type::Error
            | Type::Meta(_)
            | Type::Set(_)) => base,
            _ => self.mismatch(span, &format!("'{}'", word(op)), &ty, "a number"),
        }
    }

    /// `/` divides reals, and as in Kind 2 also integers, then it is `div`.
    fn division(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        let ty = self.same(a, b, span, &format!("the operands of '{}'", word(op)));
        match (self.base(&ty), op) {
            (base @ (Type::Int | Type::Machine(_) | Type::Error | Type::Meta(_)), _) => base,
            (Type::Real, BinaryOp::Slash) => Type::Real,
            (Type::Real, _) => {
                self.error_help(span, format!("'{}' is for integers", word(op)), "use '/' for reals")
            }
            _ => self.mismatch(span, &format!("'{}'", word(op)), &ty, "a number"),
        }
    }

    fn warn_of_zero(&mut self, op: BinaryOp, divisor: ExprId) {
        let zero = match self.ast.kind(divisor) {
            ExprKind::Real(value) => Some(value.is_zero()),
            _ => self.known_int(divisor).map(|n| n.is_zero()),
        };
        let span = self.ast.span(divisor);
        match zero {
            Some(false) => {}
            Some(true) => {
                self.findings.warn(span, format!("'{}' by zero: the result is any value", word(op)));
            }
            None => {
                let warning = self
                    .findings
                    .warn(span, format!("if this is zero, the result of '{}' is any value", word(op)));
                warning.help("guard the division, or assert that this is not zero");
            }
        }
    }

    fn bitwise(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        let shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        match (self.base(&left), self.base(&right)) {
            (Type::Machine(x), Type::Machine(y)) if x == y || (shift && x.width == y.width) => {
                Type::Machine(x)
            }
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            _ => {
                let (left, right) = (self.show(&left), self.show(&right));
                self.error(span, format!("the operands of '{}' have types {left} and {right}, expected machine integers of one width", word(op)))
            }
        }
    }

    fn concat(&mut self, a: ExprId, b: ExprId, span: Span) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        match (self.base(&left), self.base(&right)) {
            (Type::Machine(x), Type::Machine(y)) => {
                Type::Machine(Machine { signed: x.signed, width: x.width + y.width })
            }
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            (found, _) => self.mismatch(span, "'++'", &found, "a machine integer"),
        }
    }

    fn extract(&mut self, a: ExprId, high: u32, low: u32, span: Span) -> Type {
        let ty = self.infer(a);
        match self.base(&ty) {
            Type::Machine(m) if low <= high && high < m.width => {
                Type::Machine(Machine { signed: m.signed, width: high - low + 1 })
            }
            Type::Machine(m) => {
                self.error(span, format!("bits {high} to {low} are not in a word of {} bits", m.width))
            }
            Type::Error => Type::Error,
            _ => self.mismatch(span, "a bit selection", &ty, "a machine integer"),
        }
    }

    fn membership(&mut self, a: ExprId, b: ExprId) -> Type {
        let collection = self.infer(b);
        let element = match self.base(&collection) {
            Type::Set(element) | Type::Map(element, _) => (*element).clone(),
            Type::Error => Type::Error,
            Type::Meta(_) => {
                let element = self.fresh();
                self.unify(&collection, &Type::Set(Arc::new(element.clone())));
                element
            }
            _ => self.mismatch(self.ast.span(b), "'in'", &collection, "a set or a map"),
        };
        self.check_expr(a, &element, "the left operand of 'in'");
        Type::Bool
    }

    fn cast(&mut self, to: CastTo, a: ExprId) -> Type {
        let ty = self.infer(a);
        let base = self.base(&ty);
        let fits = matches!(
            (to, &base),
            (CastTo::Int, Type::Int | Type::Real | Type::Machine(_))
                | (CastTo::Real, Type::Int | Type::Real)
                | (CastTo::Machine(_), Type::Int | Type::Machine(_))
                | (_, Type::Error)
        );
        if !fits {
            self.mismatch(self.ast.span(a), "a conversion", &ty, "another number");
        }
        match to {
            CastTo::Int => Type::Int,
            CastTo::Real => Type::Real,
            CastTo::Machine(machine) => Type::Machine(machine),
        }
    }

    /// A node, a constructor or a function that is built in.
    fn call(&mut self, id: ExprId, call: &Call) -> Type {
        if self.node_names.contains_key(&call.name.name) {
            return self.node_call(id, call);
        }
        if let Some(Global::Constructor(..)) = self.values.get(&call.name.name) {
            let Some((ty, fields)) = self.constructor(id, &call.name, &call.types) else {
                return Type::Error;
            };
            self.check_args(
                self.ast.span(id),
                &call.args,
                &fields,
                &format!("the constructor '{}'", call.name.name),
            );
            return ty;
        }
        if &*call.name.name == "floor" {
            self.meanings[id.0 as usize] = Meaning::Builtin(Builtin::Floor);
            self.check_args(self.ast.span(id), &call.args, &[Type::Real], "'floor'");
            return Type::Int;
        }
        if let Some((name, arity)) = NONLINEAR.iter().find(|(name, _)| *name == &*call.name.name) {
            self.meanings[id.0 as usize] = Meaning::Builtin(Builtin::Nonlinear);
            self.check_args(self.ast.span(id), &call.args, &vec![Type::Real; *arity], &format!("'{name}'"));
            return Type::Real;
        }
        self.node_call(id, call)
    }

    fn node_call(&mut self, id: ExprId, call: &Call) -> Type {
        let Some(&callee) = self.node_names.get(&call.name.name) else {
            call.args.iter().for_each(|arg| {
                self.infer(*arg);
            });
            return self.error(call.name.span, format!("there is no node '{}'", call.name.name));
        };
        self.meanings[id.0 as usize] = Meaning::Unit(callee);
        let unit = &self.units[callee.0 as usize];
        if let (Some(why), Some(crate::ast::NodeKind::Node)) = (self.scope.stateless, unit.kind) {
            self.error(call.name.span, format!("the node '{}' cannot be called here: {why}", call.name.name));
        }
        let unit = &self.units[callee.0 as usize];
        let params = unit.params.clone();
        let Some(args) = self.solve_params(id, &params, &call.types, &call.name) else { return Type::Error };
        let unit = &self.units[callee.0 as usize];
        let wanted: Vec<Type> = unit.inputs().iter().map(|var| var.ty.substitute(&params, &args)).collect();
        let results: Vec<Type> = unit.outputs().iter().map(|var| var.ty.substitute(&params, &args)).collect();
        self.check_args(self.ast.span(id), &call.args, &wanted, &format!("'{}'", call.name.name));
        Type::of_flows(results)
    }

    /// Arguments may be lists, which are flattened.
    pub(super) fn check_args(&mut self, span: Span, args: &[ExprId], wanted: &[Type], callee: &str) {
        let mut found: Vec<(Span, Type)> = Vec::new();
        for &arg in args {
            let ty = self.infer(arg);
            found.extend(ty.flows().iter().map(|flow| (self.ast.span(arg), flow.clone())));
        }
        if found.len() != wanted.len() {
            if !found.iter().any(|(_, ty)| ty.is_error()) {
                self.error(
                    span,
                    format!("{callee} has {} inputs, but {} arguments are given", wanted.len(), found.len()),
                );
            }
            return;
        }
        for (number, ((span, found), wanted)) in found.iter().zip(wanted).enumerate() {
            self.expect_type(*span, found, wanted, &format!("argument {} of {callee}", number + 1));
        }
    }

    fn check_defaults(&mut self, defaults: &[ExprId], ty: &Type, span: Span) {
        let found: Vec<Type> = defaults.iter().flat_map(|d| self.infer(*d).flows().to_vec()).collect();
        if found.len() != ty.flows().len() {
            if !ty.is_error() {
                self.error(
                    span,
                    format!("{} initial values are given for {} outputs", found.len(), ty.flows().len()),
                );
            }
            return;
        }
        for (found, wanted) in found.iter().zip(ty.flows()) {
            self.expect_type(span, found, wanted, "the initial value");
        }
    }

    /// The labels of a clock, for `merge`: those of its enum, or true and false.
    fn labels(&mut self, clock: &Ident) -> Option<Vec<String>> {
        let Some((_, ty)) = self.lookup_var(&clock.name) else {
            self.unknown_var(clock);
            return None;
        };
        match self.base(&ty) {
            Type::Bool => Some(vec!["true".into(), "false".into()]),
            Type::Enum(id) => match &self.types[id.0 as usize].body {
                TypeInfoBody::Enum(values) => Some(values.iter().map(|v| v.name.to_string()).collect()),
                _ => None,
            },
            Type::Error => None,
            _ => {
                self.mismatch(clock.span, "a clock", &ty, "bool or an enum");
                None
            }
        }
    }

    fn merge(&mut self, clock: &Ident, cases: &[(Ident, ExprId)], span: Span) -> Type {
        let labels = self.labels(clock);
        let mut result: Option<Type> = None;
        for (number, (label, value)) in cases.iter().enumerate() {
            if cases[..number].iter().any(|(other, _)| other.name == label.name) {
                self.error(label.span, format!("the case '{}' is given twice", label.name));
            }
            if labels.as_ref().is_some_and(|labels| !labels.iter().any(|l| **l == *label.name)) {
                self.error(label.span, format!("'{}' is no value of the clock '{}'", label.name, clock.name));
            }
            let found = self.infer(*value);
            match &result {
                None => result = Some(found),
                Some(first) => {
                    let first = first.clone();
                    self.expect_type(self.ast.span(*value), &found, &first, "this case");
                }
            }
        }
        let missing =
            labels.iter().flatten().find(|label| !cases.iter().any(|(given, _)| *given.name == ***label));
        if let Some(missing) = missing {
            self.error(span, format!("the case '{missing}' is missing"));
        }
        result.unwrap_or(Type::Error)
    }

    fn check_clock(&mut self, clock: &Clock) {
        match clock {
            Clock::Base => {}
            Clock::On(name) | Clock::NotOn(name) => match self.lookup_var(&name.name) {
                Some((_, ty)) => {
                    self.expect_type(name.span, &ty, &Type::Bool, "the clock");
                }
                None => {
                    self.unknown_var(name);
                }
            },
            Clock::Is(value, name) => {
                if let Some(labels) = self.labels(name)
                    && !labels.iter().any(|label| **label == *value.name)
                {
                    self.error(
                        value.span,
                        format!("'{}' is no value of the clock '{}'", value.name, name.name),
                    );
                }
            }
        }
    }

    fn record(&mut self, name: &Ident, types: &[TypeExpr], given: &[(Ident, ExprId)], span: Span) -> Type {
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

    fn type_with_args(&mut self, id: TypeId, args: Vec<Type>, name: &Ident) -> Type {
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
    fn field(&mut self, a: ExprId, field: &Ident) -> Type {
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

    fn selector(&mut self, id: TypeId, args: &[Type], field: &Ident) -> Type {
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

    fn index(&mut self, a: ExprId, i: ExprId, span: Span) -> Type {
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
    fn tuple_part(&mut self, parts: &[Type], i: ExprId) -> Option<usize> {
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

    fn update(&mut self, a: ExprId, i: ExprId, v: ExprId, span: Span) -> Type {
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

    fn update_field(&mut self, ty: &Type, field: &Ident, value: ExprId) {
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

    fn array(&mut self, parts: &[ExprId]) -> Type {
        let mut element = self.single(parts[0]);
        for part in &parts[1..] {
            let found = self.single(*part);
            if self.expect_type(self.ast.span(*part), &found, &element, "an element of the array") {
                element = self.join(&self.zonk(&element), &self.zonk(&found));
            }
        }
        Type::Array(element.into(), Size::Known(parts.len()))
    }

    fn repeat(&mut self, a: ExprId, n: ExprId) -> Type {
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

    fn map_literal(&mut self, types: Option<&(TypeExpr, TypeExpr)>, entries: &[(ExprId, ExprId)]) -> Type {
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

    fn matching(&mut self, value: ExprId, arms: &[(Pattern, ExprId)]) -> Type {
        let matched = self.infer(value);
        let mut result: Option<Type> = None;
        for (pattern, body) in arms {
            let depth = self.scope.bound.len();
            self.bind_pattern(pattern, &matched);
            let found = self.infer(*body);
            self.scope.bound.truncate(depth);
            match &result {
                None => result = Some(found),
                Some(first) => {
                    let first = first.clone();
                    self.expect_type(self.ast.span(*body), &found, &first, "this case");
                    result = Some(self.join(&self.zonk(&first), &self.zonk(&found)));
                }
            }
        }
        self.check_exhaustive(arms, value);
        result.unwrap_or(Type::Error)
    }

    fn bind_pattern(&mut self, pattern: &Pattern, ty: &Type) {
        let data = match self.values.get(&pattern.name.name) {
            Some(&Global::Constructor(data, number)) => Some((data, number)),
            _ => None,
        };
        let Some((data, number)) = data else {
            if let Some(&Global::Enum(id, _)) = self.values.get(&pattern.name.name) {
                self.expect_type(pattern.span, &Type::Enum(id), ty, "the pattern");
            } else if pattern.args.is_empty() {
                self.scope.bound.push((pattern.name.name.clone(), ty.clone()));
            } else {
                self.error(pattern.span, format!("there is no constructor '{}'", pattern.name.name));
            }
            return;
        };
        let params = self.types[data.0 as usize].params.clone();
        let args: Vec<Type> = params.iter().map(|_| self.fresh()).collect();
        self.expect_type(pattern.span, &Type::Data(data, args.clone().into()), ty, "the pattern");
        let fields = self.constructor_fields(data, number);
        if fields.len() != pattern.args.len() {
            let message = format!(
                "the constructor '{}' has {} arguments, not {}",
                pattern.name.name,
                fields.len(),
                pattern.args.len()
            );
            self.error(pattern.span, message);
            return;
        }
        for (part, (_, field)) in pattern.args.iter().zip(&fields) {
            self.bind_pattern(part, &field.substitute(&params, &args));
        }
    }

    /// Each constructor has a case that takes it whatever its arguments, or one case takes all.
    fn check_exhaustive(&mut self, arms: &[(Pattern, ExprId)], value: ExprId) {
        let is_variable = |checker: &Self, pattern: &Pattern| {
            pattern.args.is_empty()
                && !matches!(
                    checker.values.get(&pattern.name.name),
                    Some(Global::Constructor(..) | Global::Enum(..))
                )
        };
        if arms.iter().any(|(pattern, _)| is_variable(self, pattern)) {
            return;
        }
        let ty = self.type_of[value.0 as usize].clone();
        let all: Vec<String> = match self.base(&ty) {
            Type::Data(id, _) | Type::Enum(id) => match &self.types[id.0 as usize].body {
                TypeInfoBody::Data(constructors) => {
                    constructors.iter().map(|(name, _)| name.name.to_string()).collect()
                }
                TypeInfoBody::Enum(values) => values.iter().map(|v| v.name.to_string()).collect(),
                _ => return,
            },
            _ => return,
        };
        let covers = |checker: &Self, name: &str| {
            arms.iter()
                .any(|(p, _)| *p.name.name == *name && p.args.iter().all(|arg| is_variable(checker, arg)))
        };
        if let Some(missing) = all.iter().find(|name| !covers(self, name)) {
            let span = self.ast.span(value);
            self.error_help(
                span,
                format!("the case '{missing}' is missing in this match"),
                "add it, or a case '_'",
            );
        }
    }
}

fn word(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Slash => "/",
        Div => "div",
        Mod => "mod",
        And => "and",
        Or => "or",
        Xor => "xor",
        Implies => "=>",
        Eq => "=",
        Ne => "<>",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        In => "in",
        Concat => "++",
        BitAnd => "&&",
        BitOr => "||",
        ShiftLeft => "lsh",
        ShiftRight => "rsh",
        Arrow => "->",
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
