//! Calls, clocks and merges.

use crate::ast::{Call, Clock, ExprId, ExprKind, Ident};
use crate::check::{Checker, Global};
use crate::source::Span;
use crate::types::Type;
use crate::unit::{Builtin, Meaning, TypeInfoBody};

/// The nonlinear functions of JKind, with the number of their arguments.
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
    /// Calls and what clocks them.
    pub(super) fn infer_call(&mut self, id: ExprId) -> Type {
        let ast = self.ast;
        let span = ast.span(id);
        match ast.kind(id) {
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
            _ => unreachable!("it is no call"),
        }
    }

    /// A node, a constructor or a function that is built in.
    pub(super) fn call(&mut self, id: ExprId, call: &Call) -> Type {
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

    pub(super) fn node_call(&mut self, id: ExprId, call: &Call) -> Type {
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
    pub(in crate::check) fn check_args(
        &mut self,
        span: Span,
        args: &[ExprId],
        wanted: &[Type],
        callee: &str,
    ) {
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

    pub(super) fn check_defaults(&mut self, defaults: &[ExprId], ty: &Type, span: Span) {
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
    pub(super) fn labels(&mut self, clock: &Ident) -> Option<Vec<String>> {
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

    pub(super) fn merge(&mut self, clock: &Ident, cases: &[(Ident, ExprId)], span: Span) -> Type {
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

    pub(super) fn check_clock(&mut self, clock: &Clock) {
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
}
