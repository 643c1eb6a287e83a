//! Instances that execute.

use buttress_term::Value;
use num_bigint::BigInt;

use super::eval::constants;
use super::{Bound, Choices, Interpreter, Result, Signal, Values};
use crate::ast::{Call, Clause, ExprId, ExprKind, Name, NodeKind};
use crate::layout::{Numbers, Scalar, Tree, bound_name, clause_name, layout};
use crate::source::Span;
use crate::types::Type;
use crate::unit::{Meaning, Role, Slot, Unit, UnitId, Var};

/// Index variables of array equations with their values.
type Indices = Vec<(Name, BigInt)>;

#[derive(Clone)]
enum Binding {
    Outside,
    Call { caller: usize, args: Vec<(ExprId, usize)>, bound: Indices },
    Import { importer: usize, args: Vec<(ExprId, usize)>, outs: Vec<Slot> },
}

#[derive(Clone)]
enum State {
    Todo,
    Busy,
    Done(Values),
}

pub(super) struct Live {
    pub unit: UnitId,
    pub path: String,
    pub types: Vec<Type>,
    /// It executes this step.
    pub active: bool,
    /// It is in its first step, or in the first after a restart.
    pub first: bool,
    pub restartable: bool,
    pub finished: bool,
    /// Its variables were described.
    shown: bool,
    pub imports: Vec<usize>,
    binding: Binding,
    owner: Option<usize>,
    values: Vec<State>,
}

impl Live {
    /// Before a step.
    pub fn rest(&mut self) {
        self.active = false;
        self.finished = false;
        self.values.iter_mut().for_each(|value| *value = State::Todo);
    }

    pub fn enter(&mut self, active: bool, first: bool) {
        self.active = active;
        self.first = first;
    }
}

/// Numbers that can be told without executing.
struct Known<'i, 'm> {
    interpreter: &'i Interpreter<'m>,
    at: usize,
}

impl Numbers for Known<'_, '_> {
    fn number(&mut self, id: ExprId) -> Option<BigInt> {
        match self.interpreter.known(self.at, id, &[])? {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }
}

impl<'m> Interpreter<'m> {
    pub(super) fn unit(&self, at: usize) -> &'m Unit {
        self.program.unit(self.live[at].unit)
    }

    pub(super) fn layout(&self, at: usize, ty: &Type, span: Span) -> Result<Tree<Scalar>> {
        let ty = ty.substitute(&self.unit(at).params, &self.live[at].types);
        layout(self.program, &ty, &mut Known { interpreter: self, at })
            .or_else(|what| self.refuse(span, what))
    }

    pub(super) fn add_main(&mut self) -> Result<()> {
        self.add(self.program.main, String::new(), Vec::new(), Binding::Outside, None).map(drop)
    }

    fn add(
        &mut self,
        unit: UnitId,
        path: String,
        types: Vec<Type>,
        binding: Binding,
        owner: Option<usize>,
    ) -> Result<usize> {
        let info = self.program.unit(unit);
        if let Some((span, what)) = &info.unsupported {
            return self.refuse(*span, what.clone());
        }
        if info.imported && info.kind == Some(NodeKind::Function) && !matches!(binding, Binding::Outside) {
            return self.refuse(info.name.span, "functions without a body");
        }
        let at = self.live.len();
        self.live.push(Live {
            unit,
            path,
            types,
            active: false,
            first: false,
            restartable: false,
            finished: false,
            shown: false,
            imports: Vec::new(),
            binding,
            owner,
            values: vec![State::Todo; info.vars.len()],
        });
        for import in &info.imports {
            let outer = &self.live[at];
            let name = &self.program.unit(import.unit).name.name;
            let path = format!("{}{name}~{}.", outer.path, outer.imports.len());
            let types = import.types.iter().map(|ty| ty.substitute(&info.params, &outer.types)).collect();
            let owner = Some(outer.owner.unwrap_or(at));
            let args = self.flat_args(&import.args);
            let binding = Binding::Import { importer: at, args, outs: import.outs.clone() };
            let made = self.add(import.unit, path, types, binding, owner)?;
            self.live[at].imports.push(made);
        }
        Ok(at)
    }

    fn flat_args(&self, args: &[ExprId]) -> Vec<(ExprId, usize)> {
        let flows = |&arg: &ExprId| (0..self.program.ty(arg).flows().len()).map(move |flow| (arg, flow));
        args.iter().flat_map(flows).collect()
    }

    /// Contracts execute with who imports them.
    pub(super) fn enter_imports(&mut self, at: usize) {
        let (active, first, restartable) =
            (self.live[at].active, self.live[at].first, self.live[at].restartable);
        for import in self.live[at].imports.clone() {
            self.live[import].enter(active, first);
            self.live[import].restartable = restartable;
            self.enter_imports(import);
        }
    }

    /// The instance of a call, which executes this step.
    pub(super) fn enter(
        &mut self,
        caller: usize,
        id: ExprId,
        call: &Call,
        first: bool,
        restartable: bool,
        bound: &Bound,
    ) -> Result<usize> {
        let suffix = bound_name(bound);
        let key = (caller, id, suffix.clone());
        let at = match self.calls.get(&key) {
            Some(&at) => at,
            None => {
                let Meaning::Unit(callee) = self.program.meaning(id) else {
                    unreachable!("the checker found a node")
                };
                let outer = &self.live[caller];
                let path =
                    format!("{}{}~{}{suffix}.", outer.path, call.name.name, self.call_numbers[id.0 as usize]);
                let given = self.program.type_args.get(&id).map_or(&[][..], |types| types);
                let types =
                    given.iter().map(|ty| ty.substitute(&self.unit(caller).params, &outer.types)).collect();
                let binding =
                    Binding::Call { caller, args: self.flat_args(&call.args), bound: bound.to_vec() };
                let at = self.add(callee, path, types, binding, None)?;
                self.calls.insert(key, at);
                at
            }
        };
        if !self.live[at].active {
            self.live[at].enter(true, first);
            self.live[at].restartable = restartable;
            self.enter_imports(at);
        }
        Ok(at)
    }

    /// All that an instance says in this step.
    pub(super) fn finish_live(&mut self, at: usize, choices: &mut dyn Choices) -> Result<()> {
        self.live[at].finished = true;
        let unit = self.unit(at);
        let path = self.live[at].path.clone();
        for &slot in &self.program.orders[self.live[at].unit.0 as usize] {
            self.var(at, slot, choices)?;
        }
        self.show(at)?;
        for slot in unit.slots().filter(|&slot| unit.var(slot).cut) {
            let Some((equation, flow)) = unit.var(slot).defined else { continue };
            let (left, right) =
                (self.var(at, slot, choices)?, self.defined(at, slot, equation, flow, choices)?);
            self.now.step.constraints.push((format!("{path}{}", unit.var(slot).name.name), left == right));
        }
        self.refine(at, choices)?;
        for &(value, _) in &unit.asserts {
            let holds = self.truth(at, value, choices)?;
            self.now.step.constraints.push((format!("{path}assert"), holds));
        }
        for property in &unit.properties {
            let mut holds = self.truth(at, property.value, choices)?;
            if let Some(guard) = property.provided {
                holds |= !self.truth(at, guard, choices)?;
            }
            self.now.step.properties.push((format!("{path}{}", property.name), holds));
        }
        self.contract(at, unit, &path, choices)
    }

    fn contract(&mut self, at: usize, unit: &Unit, path: &str, choices: &mut dyn Choices) -> Result<()> {
        let owner = self.live[at].owner.unwrap_or(at);
        let imported = self.unit(owner).imported;
        let mut assumed = true;
        for (number, clause) in unit.assumes.iter().enumerate() {
            let holds = self.truth(at, clause.value, choices)?;
            assumed &= holds;
            let said = (format!("{path}{}", clause_name("assume", clause, number)), holds);
            if owner == 0 {
                self.now.step.constraints.push(said);
            } else {
                self.now.step.properties.push(said);
            }
        }
        let mut claims = Vec::new();
        for (number, clause) in unit.guarantees.iter().enumerate() {
            claims.push((clause_name("guarantee", clause, number), self.truth(at, clause.value, choices)?));
        }
        let mut some = false;
        for mode in &unit.modes {
            let required = self.truths(at, &mode.requires, choices)?;
            some |= required;
            for (number, clause) in mode.ensures.iter().enumerate() {
                let name = format!("{}.{}", mode.name.name, clause_name("ensure", clause, number));
                let holds = self.truth(at, clause.value, choices)?;
                claims.push((name, !required || holds));
            }
        }
        if !unit.modes.is_empty() {
            claims.push(("one mode active".into(), some));
        }
        for (name, holds) in claims {
            if imported {
                self.now.step.constraints.push((format!("{path}{name}"), !assumed || holds));
            } else {
                self.now.step.properties.push((format!("{path}{name}"), holds));
            }
        }
        Ok(())
    }

    pub(super) fn truths(
        &mut self,
        at: usize,
        clauses: &[Clause],
        choices: &mut dyn Choices,
    ) -> Result<bool> {
        let mut all = true;
        for clause in clauses {
            all &= self.truth(at, clause.value, choices)?;
        }
        Ok(all)
    }

    fn truth(&mut self, at: usize, id: ExprId, choices: &mut dyn Choices) -> Result<bool> {
        self.boolean(at, id, &[], choices)
    }

    /// Is it a variable of whoever imports this contract?
    pub(super) fn is_foreign(&self, at: usize, slot: Slot) -> bool {
        let role = self.unit(at).var(slot).role;
        matches!(self.live[at].binding, Binding::Import { .. }) && matches!(role, Role::Input | Role::Output)
    }

    /// Does nothing in the model determine it?
    pub(super) fn is_free(&self, at: usize, slot: Slot) -> bool {
        let var = self.unit(at).var(slot);
        match var.role {
            Role::Input => matches!(self.live[at].binding, Binding::Outside),
            _ => var.defined.is_none(),
        }
    }

    pub(super) fn var(&mut self, at: usize, slot: Slot, choices: &mut dyn Choices) -> Result<Values> {
        let var = self.unit(at).var(slot);
        match &self.live[at].values[slot.index()] {
            State::Done(value) => return Ok(value.clone()),
            State::Busy => {
                return self.refuse(
                    var.name.span,
                    format!("'{}' depends on itself in the same step", var.name.name),
                );
            }
            State::Todo => {}
        }
        self.live[at].values[slot.index()] = State::Busy;
        let value = self.compute(at, slot, choices)?;
        self.live[at].values[slot.index()] = State::Done(value.clone());
        Ok(value)
    }

    fn compute(&mut self, at: usize, slot: Slot, choices: &mut dyn Choices) -> Result<Values> {
        let unit = self.unit(at);
        let var = unit.var(slot);
        let name = format!("{}{}", self.live[at].path, var.name.name);
        let number = slot.index();
        let value = match (&self.live[at].binding.clone(), var.role) {
            (Binding::Call { caller, args, bound }, Role::Input) => {
                self.flow(*caller, args[number].0, args[number].1, bound, choices)?
            }
            (Binding::Import { importer, args, .. }, Role::Input) => {
                return self.flow(*importer, args[number].0, args[number].1, &[], choices);
            }
            (Binding::Import { importer, outs, .. }, Role::Output) => {
                return self.var(*importer, outs[number - unit.num_inputs], choices);
            }
            _ => match var.defined {
                Some((equation, flow)) if !var.cut => self.defined(at, slot, equation, flow, choices)?,
                _ => {
                    let layout = self.layout(at, &var.ty, var.name.span)?;
                    let layout = if var.constant { constants(&layout) } else { layout };
                    return Ok(self.choose(&name, &layout, choices));
                }
            },
        };
        let layout = self.layout(at, &var.ty, var.name.span)?;
        self.keep_range(&name, &layout, &value);
        Ok(value)
    }

    /// Whether a computed variable keeps its subrange.
    fn keep_range(&mut self, name: &str, layout: &Tree<Scalar>, value: &Values) {
        layout.zip(value, &mut |scalar, value| {
            if scalar.is_ranged() {
                let claim = format!("{name}{} in its subrange", scalar.suffix);
                self.now.step.properties.push((claim, scalar.admits(value)));
            }
        });
    }

    fn signal(&self, at: usize, var: &Var, scalar: &Scalar) -> Signal {
        let path = &self.live[at].path;
        let name = format!("{}{}", var.name.name, scalar.suffix);
        Signal {
            full_name: format!("{path}{name}"),
            path: path.trim_end_matches('.').to_string(),
            unit: self.live[at].unit,
            name,
            role: var.role,
            scalar: scalar.clone(),
        }
    }

    /// Says what the variables of an instance are, in the order of their declarations.
    fn show(&mut self, at: usize) -> Result<()> {
        let unit = self.unit(at);
        let fresh = !std::mem::replace(&mut self.live[at].shown, true);
        let contract = matches!(self.live[at].binding, Binding::Import { .. });
        for slot in unit.slots() {
            let var = unit.var(slot);
            let foreign = contract && matches!(var.role, Role::Input | Role::Output);
            let State::Done(value) = &self.live[at].values[slot.index()] else { continue };
            if foreign || !matches!(var.clock, crate::ast::Clock::Base) {
                continue;
            }
            let layout = self.layout(at, &var.ty, var.name.span)?;
            let name = format!("{}{}", self.live[at].path, var.name.name);
            layout.zip(&value.clone(), &mut |scalar, value| {
                self.now.step.values.push((format!("{name}{}", scalar.suffix), value.clone()));
                if fresh {
                    let signal = self.signal(at, var, scalar);
                    self.signals.push(signal);
                }
            });
        }
        Ok(())
    }

    pub(super) fn defined(
        &mut self,
        at: usize,
        slot: Slot,
        equation: usize,
        flow: usize,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let equation = &self.unit(at).equations[equation];
        let dimensions = equation.targets[flow].1.len();
        if dimensions == 0 {
            return self.flow(at, equation.value, flow, &[], choices);
        }
        let var = self.unit(at).var(slot);
        let layout = self.layout(at, &var.ty, var.name.span)?;
        self.elements(at, slot, dimensions, &layout, &mut Vec::new(), choices)
    }

    fn elements(
        &mut self,
        at: usize,
        slot: Slot,
        left: usize,
        layout: &Tree<Scalar>,
        place: &mut Vec<usize>,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        if left == 0 {
            return self.element(at, slot, place, choices);
        }
        let mut parts = Vec::new();
        for (index, part) in layout.parts().iter().enumerate() {
            place.push(index);
            parts.push(self.elements(at, slot, left - 1, part, place, choices)?);
            place.pop();
        }
        Ok(Tree::Parts(parts))
    }

    /// One element of an array that is defined by its index.
    pub(super) fn element(
        &mut self,
        at: usize,
        slot: Slot,
        place: &[usize],
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let unit = self.unit(at);
        let (equation, flow) = unit.var(slot).defined.expect("it has an equation");
        let equation = &unit.equations[equation];
        let key = (at, slot, place.to_vec());
        match self.now.elements.get(&key) {
            Some(Some(known)) => return Ok(known.clone()),
            Some(None) => {
                return self.refuse(equation.span, "elements that depend on each other in a circle");
            }
            None => {}
        }
        self.now.elements.insert(key.clone(), None);
        let bound: Indices = equation.targets[flow]
            .1
            .iter()
            .zip(place)
            .map(|(index, &n)| (index.name.clone(), n.into()))
            .collect();
        let value = self.flow(at, equation.value, flow, &bound, choices)?;
        self.now.elements.insert(key, Some(value.clone()));
        Ok(value)
    }

    /// The argument that an input stands for, and where.
    pub(super) fn argument(&self, at: usize, slot: Slot) -> Option<(usize, ExprId, Indices)> {
        match &self.live[at].binding {
            Binding::Call { caller, args, bound } => Some((*caller, args[slot.index()].0, bound.clone())),
            Binding::Import { importer, args, .. } => Some((*importer, args[slot.index()].0, Vec::new())),
            Binding::Outside => None,
        }
    }

    /// Do the variables in it belong to this unit? A type may come from elsewhere.
    pub(super) fn is_here(&self, at: usize, id: ExprId, slot: Slot) -> bool {
        match self.program.ast.kind(id) {
            ExprKind::Name(name, _) => {
                self.unit(at).vars.get(slot.index()).is_some_and(|var| var.name.name == name.name)
            }
            _ => false,
        }
    }
}
