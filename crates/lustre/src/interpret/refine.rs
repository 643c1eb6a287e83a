//! Refinement types of variables, executed: see [`crate::refinement`].

use buttress_term::Value;

use super::{Choices, Interpreter, Result, Values};
use crate::ast::{Clock, ExprId};
use crate::refinement::{Refined, claim, is_refined, refinements, refused};
use crate::source::Span;
use crate::unit::Meaning;

impl Interpreter<'_> {
    /// Whether the variables of an instance are of their refinement types.
    pub(super) fn refine(&mut self, at: usize, choices: &mut dyn Choices) -> Result<()> {
        let unit = self.unit(at);
        for slot in unit.slots() {
            let var = unit.var(slot);
            let ty = var.ty.substitute(&unit.params, &self.live[at].types);
            if !is_refined(self.program, &ty) {
                continue;
            }
            if self.is_foreign(at, slot) || !matches!(var.clock, Clock::Base) {
                return self.refuse(var.name.span, "refinement types of parameters or sampled streams");
            }
            let value = self.var(at, slot, choices)?;
            for refined in refinements(self.program, &ty, &value) {
                let holds = self.satisfies(at, &refined, var.name.span, choices)?;
                let said = (format!("{}{}", self.live[at].path, claim(var, &refined.suffix)), holds);
                match self.is_free(at, slot) {
                    true => self.now.step.constraints.push(said),
                    false => self.now.step.properties.push(said),
                }
            }
        }
        Ok(())
    }

    fn satisfies(
        &mut self,
        at: usize,
        refined: &Refined<'_, Value>,
        span: Span,
        choices: &mut dyn Choices,
    ) -> Result<bool> {
        if let Some(what) = refused(self.program, refined.predicate) {
            return self.refuse(span, what);
        }
        if !self.reads_own(at, refined.predicate) {
            return self.refuse(span, "refinement types that read variables of another node");
        }
        self.binders.push((refined.name.clone(), refined.value.clone()));
        let holds = self.boolean(at, refined.predicate, &[], choices);
        self.binders.pop();
        holds
    }

    fn reads_own(&self, at: usize, id: ExprId) -> bool {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            if let Meaning::Var(slot) = self.program.meaning(id)
                && !self.is_here(at, id, slot)
            {
                return false;
            }
            self.program.ast.kind(id).each_child(&mut |child| todo.push(child));
        }
        true
    }

    /// A free constant of the file is of its type.
    pub(super) fn refine_constant(
        &mut self,
        at: usize,
        number: usize,
        value: &Values,
        choices: &mut dyn Choices,
    ) -> Result<()> {
        let constant = &self.program.consts[number];
        for refined in refinements(self.program, &constant.ty, value) {
            let holds = self.satisfies(at, &refined, constant.name.span, choices)?;
            let name = format!("{}{} in its subtype", constant.name.name, refined.suffix);
            self.now.step.constraints.push((name, holds));
        }
        Ok(())
    }
}
