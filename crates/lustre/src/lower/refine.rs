//! Refinement types of variables: see [`crate::refinement`].

use buttress_term::{TermId, Value};

use super::{InstanceId, Lowerer, Made, Origin, Terms};
use crate::ast::Clock;
use crate::refinement::{Refined, claim, is_refined, refinements, refused};
use crate::source::Span;
use crate::types::Type;
use crate::unit::Slot;

impl Lowerer<'_> {
    /// Adds the refinement types of an instance's variables: as constraints where a variable is free, else as
    /// properties.
    pub(super) fn refine(&mut self, id: InstanceId) -> Made<()> {
        let unit = self.program.unit(self.unit_of(id));
        for slot in unit.slots() {
            let var = unit.var(slot);
            let ty = var.ty.substitute(&unit.params, &self.instances[id.0].types);
            if is_refined(self.program, &ty) {
                self.refine_variable(id, slot, &ty)?;
            }
        }
        Ok(())
    }

    fn refine_variable(&mut self, id: InstanceId, slot: Slot, ty: &Type) -> Made<()> {
        let var = self.program.unit(self.unit_of(id)).var(slot);
        let span = var.name.span;
        if self.is_foreign(id, slot) {
            return self.refuse(span, "refinement types of a contract's parameters");
        }
        if !matches!(var.clock, Clock::Base) {
            return self.refuse(span, "refinement types of sampled streams");
        }
        let value = self.var(id, slot)?;
        for refined in refinements(self.program, ty, &value) {
            let term = self.predicate(id, &refined, span)?;
            let name = claim(var, &refined.suffix);
            match self.is_free(id, slot) {
                true => self.constrain(id, term, &name, span),
                false => self.require(id, Origin::Refinement, term, &name, span),
            }
        }
        Ok(())
    }

    /// Whether a value satisfies a predicate, which is read in this instance.
    fn predicate(&mut self, id: InstanceId, refined: &Refined<'_, TermId>, span: Span) -> Made<TermId> {
        if let Some(what) = refused(self.program, refined.predicate) {
            return self.refuse(span, what);
        }
        if !self.belongs(id, refined.predicate) {
            return self.refuse(span, "refinement types that read variables of another node");
        }
        self.binders.push((refined.name.clone(), refined.value.clone()));
        let term = self.single(id, refined.predicate, &[]);
        self.binders.pop();
        Ok(*term?.leaf())
    }

    /// A constant of the file that has a value must be of its type; a free one is.
    pub(super) fn refine_constant(&mut self, at: InstanceId, number: usize, value: &Terms) -> Made<()> {
        let constant = &self.program.consts[number];
        let (span, name) = (constant.name.span, &constant.name.name);
        for refined in refinements(self.program, &constant.ty, value) {
            let term = self.predicate(at, &refined, span)?;
            match (constant.value, self.closed(term)) {
                (_, Some(Value::Bool(true))) => {}
                (Some(_), Some(_)) => {
                    return self.wrong(span, format!("the value of '{name}' is not in its subtype"));
                }
                (Some(_), None) => return self.refuse(span, "constants whose type depends on free ones"),
                (None, _) => {
                    let label = self.label(format!("{name}{} in its subtype", refined.suffix), span);
                    self.system.constraints.push(buttress_system::words::Named { term, label });
                }
            }
        }
        Ok(())
    }
}
