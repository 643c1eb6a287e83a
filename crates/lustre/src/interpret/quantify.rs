//! Quantifiers over finitely many values: see [`crate::quantify`]. All are looked at, since calls in the body
//! move.

use buttress_term::Value;
use num_bigint::BigInt;

use super::{Bound, Choices, Interpreter, Result};
use crate::ast::{ExprId, ExprKind, VarDecl};
use crate::layout::{Scalar, Tree};
use crate::quantify::{UNBOUNDED, limits, numbers, values};
use crate::refinement::is_refined;
use crate::types::Type;

impl Interpreter<'_> {
    pub(super) fn quantifier(
        &mut self,
        at: usize,
        id: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<bool> {
        let program = self.program;
        let ExprKind::Quantifier { all, vars, body } = program.ast.kind(id) else {
            unreachable!("it is a quantifier")
        };
        let (params, given) = (&self.unit(at).params, &self.live[at].types);
        let types: Vec<Type> = program.type_args[&id].iter().map(|ty| ty.substitute(params, given)).collect();
        self.quantified(at, (*all, *body), vars, &types, bound, choices)
    }

    fn quantified(
        &mut self,
        at: usize,
        (all, body): (bool, ExprId),
        vars: &[VarDecl],
        types: &[Type],
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<bool> {
        let (Some((var, vars)), Some((ty, types))) = (vars.split_first(), types.split_first()) else {
            return self.boolean(at, body, bound, choices);
        };
        let span = var.name.span;
        if is_refined(self.program, ty) {
            return self.refuse(span, "quantifiers over refinement types");
        }
        let layout = self.layout(at, ty, span)?;
        let mut truths = Vec::new();
        let mut bound = bound.to_vec();
        if let (Type::Int, Tree::Leaf(scalar)) = (ty.base(), &layout) {
            for n in self.quantified_numbers(at, (all, body), var, scalar, &bound)? {
                bound.push((var.name.name.clone(), n));
                truths.push(self.quantified(at, (all, body), vars, types, &bound, choices)?);
                bound.pop();
            }
        } else {
            let Some(values) = values(&layout) else { return self.refuse(span, UNBOUNDED) };
            for (number, value) in values.into_iter().enumerate() {
                bound.push(("".into(), number.into()));
                self.binders.push((var.name.name.clone(), value));
                let truth = self.quantified(at, (all, body), vars, types, &bound, choices);
                self.binders.pop();
                bound.pop();
                truths.push(truth?);
            }
        }
        Ok(if all { truths.into_iter().all(|t| t) } else { truths.into_iter().any(|t| t) })
    }

    fn quantified_numbers(
        &self,
        at: usize,
        (all, body): (bool, ExprId),
        var: &VarDecl,
        scalar: &Scalar,
        bound: &Bound,
    ) -> Result<Vec<BigInt>> {
        let known = limits(&self.program.ast, all, body, &var.name.name).into_iter().filter_map(|limit| {
            match self.known(at, limit.bound, bound)? {
                Value::Int(n) => Some((limit, n)),
                _ => None,
            }
        });
        match numbers(scalar, known) {
            Some(numbers) => Ok(numbers),
            None => self.refuse(var.name.span, UNBOUNDED),
        }
    }
}
