//! Quantifiers over finitely many values become conjunctions and disjunctions: see [`crate::quantify`].

use buttress_term::TermId;
use num_bigint::BigInt;

use super::{Bound, InstanceId, Lowerer, Made};
use crate::ast::{ExprId, ExprKind, VarDecl};
use crate::layout::{Scalar, Tree};
use crate::quantify::{UNBOUNDED, limits, numbers, values};
use crate::refinement::is_refined;
use crate::types::Type;

impl Lowerer<'_> {
    pub(super) fn quantifier(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<TermId> {
        let program = self.program;
        let ExprKind::Quantifier { all, vars, body } = program.ast.kind(id) else {
            unreachable!("it is a quantifier")
        };
        let params = &program.unit(self.unit_of(at)).params;
        let types: Vec<Type> = program.type_args[&id]
            .iter()
            .map(|ty| ty.substitute(params, &self.instances[at.0].types))
            .collect();
        self.quantified(at, (*all, *body), vars, &types, bound)
    }

    /// The body for all values of the first variable, and so on.
    fn quantified(
        &mut self,
        at: InstanceId,
        (all, body): (bool, ExprId),
        vars: &[VarDecl],
        types: &[Type],
        bound: &Bound,
    ) -> Made<TermId> {
        let (Some((var, vars)), Some((ty, types))) = (vars.split_first(), types.split_first()) else {
            return self.term(at, body, bound);
        };
        let span = var.name.span;
        if is_refined(self.program, ty) {
            return self.refuse(span, "quantifiers over refinement types");
        }
        let layout = self.layout(at, ty, span)?;
        let mut parts = Vec::new();
        let mut bound = bound.to_vec();
        if let (Type::Int, Tree::Leaf(scalar)) = (ty.base(), &layout) {
            for n in self.quantified_numbers(at, (all, body), var, scalar, &bound)? {
                bound.push((var.name.name.clone(), n));
                parts.push(self.quantified(at, (all, body), vars, types, &bound)?);
                bound.pop();
            }
        } else {
            let Some(values) = values(&layout) else { return self.refuse(span, UNBOUNDED) };
            for (number, value) in values.into_iter().enumerate() {
                let value = value.map(&mut |value| self.system.terms.constant(value.clone()));
                // So that what is called in the body is called for each value.
                bound.push(("".into(), number.into()));
                self.binders.push((var.name.name.clone(), value));
                let part = self.quantified(at, (all, body), vars, types, &bound);
                self.binders.pop();
                bound.pop();
                parts.push(part?);
            }
        }
        Ok(if all { self.system.terms.all(&parts) } else { self.system.terms.any(&parts) })
    }

    fn quantified_numbers(
        &mut self,
        at: InstanceId,
        (all, body): (bool, ExprId),
        var: &VarDecl,
        scalar: &Scalar,
        bound: &Bound,
    ) -> Made<Vec<BigInt>> {
        let mut known = Vec::new();
        for limit in limits(&self.program.ast, all, body, &var.name.name) {
            if let Ok(Some(number)) = self.static_int(at, limit.bound, bound) {
                known.push((limit, number));
            }
        }
        match numbers(scalar, known.into_iter()) {
            Some(numbers) => Ok(numbers),
            None => self.refuse(var.name.span, UNBOUNDED),
        }
    }
}
