//! `match`, and whether it has all cases.

use crate::ast::{ExprId, Pattern};
use crate::check::{Checker, Global};
use crate::types::Type;
use crate::unit::TypeInfoBody;

impl Checker<'_> {
    pub(super) fn matching(&mut self, value: ExprId, arms: &[(Pattern, ExprId)]) -> Type {
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

    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, ty: &Type) {
        let data = match self.values.get(&pattern.name.name) {
            Some(&Global::Constructor(data, number)) => Some((data, number)),
            _ => None,
        };
        let Some((data, number)) = data else {
            if let Some(&Global::Enum(id, _)) = self.values.get(&pattern.name.name) {
                self.expect_type(pattern.span, &Type::Enum(id), ty, "the pattern");
            } else if pattern.args.is_empty() {
                self.scope.bind(&pattern.name.name, ty);
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
    pub(super) fn check_exhaustive(&mut self, arms: &[(Pattern, ExprId)], value: ExprId) {
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
