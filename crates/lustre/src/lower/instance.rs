//! Instances of nodes and contracts, and their variables.

use buttress_system::words::Named;
use buttress_term::TermId;
use num_bigint::BigInt;

use super::{Bound, Called, InstanceId, Lowerer, Made, Origin, Terms};
use crate::ast::{Call, ExprId, Name, NodeKind};
use crate::layout::{Numbers, Scalar, Tree, bound_name, clause_name, layout};
use crate::source::Span;
use crate::types::Type;
use crate::unit::{Import, Meaning, Role, Slot, Unit, UnitId};

/// Calls of calls grow fast.
const INSTANCES: usize = 200_000;

/// When an instance moves.
#[derive(Clone, Copy)]
pub(super) struct Clocking {
    /// `None`: in every step.
    pub active: Option<TermId>,
    /// It is in its first step, or in the first after a restart.
    pub first: TermId,
    /// It may be in its first step again.
    pub restartable: bool,
}

#[derive(Clone)]
enum Value {
    Todo,
    Busy,
    Done(Terms),
}

/// Where the inputs of an instance come from.
#[derive(Clone)]
enum Binding {
    /// It is the main node: from outside.
    Outside,
    /// Arguments in another instance.
    Call { caller: InstanceId, args: Vec<(ExprId, usize)>, bound: Vec<(Name, BigInt)> },
    /// A contract's inputs are arguments, its outputs variables of who imports it.
    Import { importer: InstanceId, args: Vec<(ExprId, usize)>, outs: Vec<Slot> },
}

pub(super) struct Instance {
    pub unit: UnitId,
    /// The prefix of the names of its variables.
    pub path: String,
    pub types: Vec<Type>,
    pub clock: Clocking,
    binding: Binding,
    values: Vec<Value>,
    /// The contracts that it imports.
    pub imports: Vec<InstanceId>,
    /// For a contract: whose contract it is.
    owner: Option<InstanceId>,
}

impl Instance {
    pub fn is_call(&self) -> bool {
        matches!(self.binding, Binding::Call { .. })
    }

    pub fn called(&self) -> Called {
        let Clocking { active, first, .. } = self.clock;
        Called { unit: self.unit, path: self.path.clone(), active, first }
    }
}

/// Evaluates numbers in an instance.
struct NumbersOf<'l, 'a> {
    lowerer: &'l mut Lowerer<'a>,
    instance: InstanceId,
}

impl Numbers for NumbersOf<'_, '_> {
    fn number(&mut self, id: ExprId) -> Option<BigInt> {
        if !self.lowerer.belongs(self.instance, id) {
            return None;
        }
        let term = self.lowerer.single(self.instance, id, &[]).ok()?;
        match self.lowerer.closed(*term.leaf()) {
            Some(buttress_term::Value::Int(n)) => Some(n),
            _ => None,
        }
    }
}

impl<'a> Lowerer<'a> {
    fn unit(&self, instance: InstanceId) -> &'a Unit {
        self.program.unit(self.unit_of(instance))
    }

    /// Do the variables in it belong to this instance's unit? A type may come from elsewhere.
    pub(super) fn belongs(&self, instance: InstanceId, id: ExprId) -> bool {
        let unit = self.unit(instance);
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let kind = self.program.ast.kind(id);
            if let (crate::ast::ExprKind::Name(name, _), Meaning::Var(slot)) =
                (kind, self.program.meaning(id))
            {
                let same = unit.vars.get(slot.index()).is_some_and(|var| var.name.name == name.name);
                if !same {
                    return false;
                }
            }
            kind.each_child(&mut |child| todo.push(child));
        }
        true
    }

    pub(super) fn layout(&mut self, instance: InstanceId, ty: &Type, span: Span) -> Made<Tree<Scalar>> {
        let program = self.program;
        let ty = ty.substitute(&self.unit(instance).params, &self.instances[instance.0].types.clone());
        let laid = layout(program, &ty, &mut NumbersOf { lowerer: self, instance });
        laid.or_else(|what| self.refuse(span, what))
    }

    pub(super) fn add_main(&mut self) -> Made<()> {
        let main = self.main;
        let clock = Clocking { active: None, first: self.first, restartable: false };
        self.add_instance(main, String::new(), Vec::new(), clock, Binding::Outside, None)?;
        Ok(())
    }

    fn add_instance(
        &mut self,
        unit: UnitId,
        path: String,
        types: Vec<Type>,
        clock: Clocking,
        binding: Binding,
        owner: Option<InstanceId>,
    ) -> Made<InstanceId> {
        let info = self.program.unit(unit);
        if let Some((span, what)) = &info.unsupported {
            return self.refuse(*span, what.clone());
        }
        let stateless_import = info.imported && info.kind == Some(NodeKind::Function);
        if stateless_import && !matches!(binding, Binding::Outside) {
            return self.refuse(info.name.span, "functions without a body");
        }
        if self.instances.len() >= INSTANCES {
            return self.refuse(info.name.span, format!("more than {INSTANCES} calls"));
        }
        let id = InstanceId(self.instances.len());
        let values = vec![Value::Todo; info.vars.len()];
        self.instances.push(Instance {
            unit,
            path,
            types,
            clock,
            binding,
            values,
            imports: Vec::new(),
            owner,
        });
        for import in &info.imports {
            let imported = self.add_import(id, import)?;
            self.instances[id.0].imports.push(imported);
        }
        Ok(id)
    }

    /// A contract is an instance on the clock of who imports it.
    fn add_import(&mut self, importer: InstanceId, import: &Import) -> Made<InstanceId> {
        let outer = &self.instances[importer.0];
        let name = &self.program.unit(import.unit).name.name;
        let path = format!("{}{name}~{}.", outer.path, outer.imports.len());
        let params = &self.unit(importer).params;
        let types = import.types.iter().map(|ty| ty.substitute(params, &outer.types)).collect();
        let (clock, owner) = (outer.clock, outer.owner.unwrap_or(importer));
        let args = self.flat_args(&import.args);
        let binding = Binding::Import { importer, args, outs: import.outs.clone() };
        self.add_instance(import.unit, path, types, clock, binding, Some(owner))
    }

    /// Arguments, one for each input: an expression and which of its flows.
    fn flat_args(&self, args: &[ExprId]) -> Vec<(ExprId, usize)> {
        let flows = |&arg: &ExprId| (0..self.program.ty(arg).flows().len()).map(move |flow| (arg, flow));
        args.iter().flat_map(flows).collect()
    }

    /// The instance of a call, made once for each place (and index, in an array equation).
    pub(super) fn call_instance(
        &mut self,
        caller: InstanceId,
        id: ExprId,
        call: &Call,
        clock: Clocking,
        bound: &Bound,
    ) -> Made<InstanceId> {
        let suffix = bound_name(bound);
        let key = (caller, id, suffix.clone());
        if let Some(&known) = self.calls.get(&key) {
            return Ok(known);
        }
        let Meaning::Unit(callee) = self.program.meaning(id) else {
            unreachable!("the checker found a node")
        };
        let outer = &self.instances[caller.0];
        let path = format!("{}{}~{}{suffix}.", outer.path, call.name.name, self.call_numbers[id.0 as usize]);
        let params = &self.unit(caller).params;
        let given = self.program.type_args.get(&id).map_or(&[][..], |types| types);
        let types = given.iter().map(|ty| ty.substitute(params, &outer.types)).collect();
        let binding = Binding::Call { caller, args: self.flat_args(&call.args), bound: bound.to_vec() };
        let made = self.add_instance(callee, path, types, clock, binding, None)?;
        self.calls.insert(key, made);
        Ok(made)
    }

    /// All that an instance contributes.
    pub(super) fn finish_instance(&mut self, id: InstanceId) -> Made<()> {
        let unit = self.unit(id);
        let order = &self.program.orders[self.unit_of(id).0 as usize];
        for &slot in order {
            self.var(id, slot)?;
        }
        for &slot in order.iter().filter(|slot| unit.var(**slot).cut) {
            self.close_circle(id, slot)?;
        }
        self.refine(id)?;
        for &(value, span) in &unit.asserts {
            let term = *self.single(id, value, &[])?.leaf();
            self.constrain(id, term, "assert", span);
        }
        for property in &unit.properties {
            let mut term = *self.single(id, property.value, &[])?.leaf();
            if let Some(guard) = property.provided {
                let guard = *self.single(id, guard, &[])?.leaf();
                term = self.system.terms.implies(guard, term);
            }
            let origin = if property.goal { Origin::Goal } else { Origin::Stated };
            self.require(id, origin, term, &property.name, property.span);
        }
        self.finish_contract(id, unit)
    }

    fn finish_contract(&mut self, id: InstanceId, unit: &Unit) -> Made<()> {
        let owner = self.instances[id.0].owner.unwrap_or(id);
        let main = owner == InstanceId(0);
        let imported = self.unit(owner).imported;
        let assumed = self.clauses(id, &unit.assumes)?;
        for (number, clause) in unit.assumes.iter().enumerate() {
            let term = *self.single(id, clause.value, &[])?.leaf();
            let name = clause_name("assume", clause, number);
            if main {
                self.constrain(id, term, &name, clause.span);
            } else {
                self.require(id, Origin::Assumption, term, &name, clause.span);
            }
        }
        let mut claims: Vec<(Origin, TermId, String, Span)> = Vec::new();
        for (number, clause) in unit.guarantees.iter().enumerate() {
            let term = *self.single(id, clause.value, &[])?.leaf();
            claims.push((Origin::Guarantee, term, clause_name("guarantee", clause, number), clause.span));
        }
        let mut modes = Vec::new();
        for mode in &unit.modes {
            let required = self.clauses(id, &mode.requires)?;
            modes.push(required);
            for (number, clause) in mode.ensures.iter().enumerate() {
                let term = *self.single(id, clause.value, &[])?.leaf();
                let term = self.system.terms.implies(required, term);
                let name = format!("{}.{}", mode.name.name, clause_name("ensure", clause, number));
                claims.push((Origin::Mode, term, name, clause.span));
            }
        }
        if let Some(first) = unit.modes.first() {
            let some = self.system.terms.any(&modes);
            claims.push((Origin::Coverage, some, "one mode active".into(), first.name.span));
        }
        for (origin, term, name, span) in claims {
            if imported {
                let term = self.system.terms.implies(assumed, term);
                self.constrain(id, term, &name, span);
            } else {
                self.require(id, origin, term, &name, span);
            }
        }
        Ok(())
    }

    /// Is it a variable of whoever imports this contract?
    pub(super) fn is_foreign(&self, id: InstanceId, slot: Slot) -> bool {
        let role = self.unit(id).var(slot).role;
        matches!(self.instances[id.0].binding, Binding::Import { .. })
            && matches!(role, Role::Input | Role::Output)
    }

    /// Does nothing in the model determine it?
    pub(super) fn is_free(&self, id: InstanceId, slot: Slot) -> bool {
        let var = self.unit(id).var(slot);
        match var.role {
            Role::Input => matches!(self.instances[id.0].binding, Binding::Outside),
            _ => var.defined.is_none(),
        }
    }

    pub(super) fn var(&mut self, id: InstanceId, slot: Slot) -> Made<Terms> {
        let var = self.unit(id).var(slot);
        match &self.instances[id.0].values[slot.index()] {
            Value::Done(terms) => return Ok(terms.clone()),
            Value::Busy => {
                return self
                    .wrong(var.name.span, format!("'{}' depends on itself in the same step", var.name.name));
            }
            Value::Todo => {}
        }
        self.instances[id.0].values[slot.index()] = Value::Busy;
        let terms = self.make_var(id, slot)?;
        self.instances[id.0].values[slot.index()] = Value::Done(terms.clone());
        Ok(terms)
    }

    fn make_var(&mut self, id: InstanceId, slot: Slot) -> Made<Terms> {
        let unit = self.unit(id);
        let var = unit.var(slot);
        let name = format!("{}{}", self.instances[id.0].path, var.name.name);
        let binding = self.instances[id.0].binding.clone();
        let number = slot.index();
        match (&binding, var.role) {
            (Binding::Outside, Role::Input) => {
                let layout = self.layout(id, &var.ty, var.name.span)?;
                return Ok(if var.constant {
                    self.constants(&name, &layout, var.name.span)
                } else {
                    self.inputs(&name, &layout, var.name.span)
                });
            }
            (Binding::Call { caller, args, bound }, Role::Input) => {
                let (arg, flow) = args[number];
                let value = self.flow(*caller, arg, flow, bound)?;
                return match self.arguments {
                    true => self.defined_at(id, slot, value, self.program.ast.span(arg)),
                    false => self.observed(id, slot, value),
                };
            }
            (Binding::Import { importer, args, .. }, Role::Input) => {
                let (arg, flow) = args[number];
                return self.flow(*importer, arg, flow, &[]);
            }
            (Binding::Import { importer, outs, .. }, Role::Output) => {
                return self.var(*importer, outs[number - unit.num_inputs]);
            }
            _ => {}
        }
        if var.cut || (var.defined.is_none() && !var.constant) {
            let layout = self.layout(id, &var.ty, var.name.span)?;
            return Ok(self.inputs(&name, &layout, var.name.span));
        }
        match var.defined {
            Some((equation, flow)) => {
                let value = self.defined(id, slot, equation, flow)?;
                if var.constant {
                    self.observed(id, slot, value)
                } else {
                    self.definition(id, slot, equation, value)
                }
            }
            None => {
                let layout = self.layout(id, &var.ty, var.name.span)?;
                Ok(self.constants(&name, &layout, var.name.span))
            }
        }
    }

    /// The right side of a variable's equation.
    fn defined(&mut self, id: InstanceId, slot: Slot, equation: usize, flow: usize) -> Made<Terms> {
        let equation = &self.unit(id).equations[equation];
        let indices = &equation.targets[flow].1;
        if indices.is_empty() {
            return self.flow(id, equation.value, flow, &[]);
        }
        let var = self.unit(id).var(slot);
        let layout = self.layout(id, &var.ty, var.name.span)?;
        self.elements(id, slot, indices.len(), &layout, &mut Vec::new())
    }

    /// The elements of an array that is defined by its index.
    fn elements(
        &mut self,
        id: InstanceId,
        slot: Slot,
        left: usize,
        layout: &Tree<Scalar>,
        at: &mut Vec<usize>,
    ) -> Made<Terms> {
        if left == 0 {
            return self.element(id, slot, at);
        }
        let mut parts = Vec::new();
        for (index, part) in layout.parts().iter().enumerate() {
            at.push(index);
            parts.push(self.elements(id, slot, left - 1, part, at)?);
            at.pop();
        }
        Ok(Tree::Parts(parts))
    }

    /// One element, made once.
    pub(super) fn element(&mut self, id: InstanceId, slot: Slot, at: &[usize]) -> Made<Terms> {
        let unit = self.unit(id);
        let (equation, flow) = unit.var(slot).defined.expect("it has an equation");
        let equation = &unit.equations[equation];
        let key = format!("{}{}{at:?}", self.instances[id.0].path, unit.var(slot).name.name);
        if let Some(known) = self.choices.get(&key) {
            if let Tree::Parts(parts) = known
                && parts.is_empty()
            {
                return self.wrong(
                    equation.span,
                    format!(
                        "the elements of '{}' depend on each other in a circle",
                        unit.var(slot).name.name
                    ),
                );
            }
            return Ok(known.clone());
        }
        self.choices.insert(key.clone(), Tree::Parts(Vec::new()));
        let bound: Vec<(Name, BigInt)> = equation.targets[flow]
            .1
            .iter()
            .zip(at)
            .map(|(index, &n)| (index.name.clone(), n.into()))
            .collect();
        let value = self.flow(id, equation.value, flow, &bound)?;
        self.choices.insert(key, value.clone());
        Ok(value)
    }

    /// Is this variable an array that is defined by its index?
    pub(super) fn is_indexed(&self, id: InstanceId, slot: Slot) -> Option<usize> {
        let unit = self.unit(id);
        let (equation, flow) = unit.var(slot).defined?;
        let dimensions = unit.equations[equation].targets[flow].1.len();
        (dimensions > 0).then_some(dimensions)
    }

    /// Equations, which elements are made of, and what subranges oblige to.
    fn definition(&mut self, id: InstanceId, slot: Slot, equation: usize, value: Terms) -> Made<Terms> {
        let span = self.unit(id).equations[equation].span;
        self.defined_at(id, slot, value, span)
    }

    fn oblige(&mut self, id: InstanceId, name: &str, ranged: Vec<(Scalar, TermId)>, span: Span) {
        for (scalar, variable) in ranged {
            let term = self.in_range(&scalar, variable);
            self.require(
                id,
                Origin::Subrange,
                term,
                &format!("{name}{} in its subrange", scalar.suffix),
                span,
            );
        }
    }

    /// A definition for each scalar of a variable, which stands there in the text.
    fn defined_at(&mut self, id: InstanceId, slot: Slot, value: Terms, span: Span) -> Made<Terms> {
        let var = self.unit(id).var(slot);
        let layout = self.layout(id, &var.ty, var.name.span)?;
        let name = format!("{}{}", self.instances[id.0].path, var.name.name);
        let mut ranged = Vec::new();
        let defined = layout.zip(&value, &mut |scalar, &value| {
            let label = self.label(format!("{name}{}", scalar.suffix), span);
            let variable = self.system.add_definition(value, label);
            if scalar.is_ranged() {
                ranged.push((scalar.clone(), variable));
            }
            variable
        });
        self.oblige(id, &var.name.name, ranged, span);
        Ok(defined)
    }

    /// A value that is shown, and whose subranges are obligations.
    fn observed(&mut self, id: InstanceId, slot: Slot, value: Terms) -> Made<Terms> {
        let var = self.unit(id).var(slot);
        let layout = self.layout(id, &var.ty, var.name.span)?;
        let name = format!("{}{}", self.instances[id.0].path, var.name.name);
        let mut ranged = Vec::new();
        layout.zip(&value, &mut |scalar, &term| {
            let label = self.label(format!("{name}{}", scalar.suffix), var.name.span);
            self.system.observables.push(Named { term, label });
            if scalar.is_ranged() {
                ranged.push((scalar.clone(), term));
            }
        });
        self.oblige(id, &var.name.name, ranged, var.name.span);
        Ok(value)
    }

    /// The equation of a variable that was cut, as a constraint.
    fn close_circle(&mut self, id: InstanceId, slot: Slot) -> Made<()> {
        let unit = self.unit(id);
        let Some((equation, flow)) = unit.var(slot).defined else { return Ok(()) };
        let span = unit.equations[equation].span;
        let (left, right) = (self.var(id, slot)?, self.defined(id, slot, equation, flow)?);
        let equal = self.equal(&left, &right);
        self.constrain(id, equal, &unit.var(slot).name.name, span);
        Ok(())
    }
}
