//! Constants, nodes and contracts.

use super::{Checker, Global, Scope};
use crate::ast::{
    Clause, Clock, ConstDecl, ContractItem, Equation, ExprId, ExprKind, Ident, Item, Name, NodeKind,
    TypeExpr, TypeKind, VarDecl,
};
use crate::source::Span;
use crate::types::{Type, TypeId};
use crate::unit::{
    Const, Import, Mode, Role, Slot, TypeInfoBody, Unit, UnitEquation, UnitId, UnitProperty, Var, find_mode,
};

const NO_MEMORY_IN_FUNCTION: &str = "a function has no memory";
const NO_MEMORY_IN_CONSTANT: &str = "a constant has no memory";

impl Checker<'_> {
    /// Constants with a written type have it; the others get theirs from their value.
    pub(super) fn declare_consts(&mut self) {
        for decl in &self.ast.consts {
            let ty = match &decl.ty {
                Some(ty) => self.resolve(ty),
                None => self.fresh(),
            };
            self.consts.push(Const { name: decl.name.clone(), ty, value: decl.value });
        }
        self.refuse_circular_consts();
    }

    fn refuse_circular_consts(&mut self) {
        // 0: not seen, 1: on the way, 2: done.
        let mut state = vec![0u8; self.consts.len()];
        for at in 0..self.consts.len() {
            self.visit_const(at, &mut state);
        }
    }

    fn visit_const(&mut self, at: usize, state: &mut Vec<u8>) {
        match std::mem::replace(&mut state[at], 1) {
            1 => {
                let name = self.consts[at].name.clone();
                self.error(name.span, format!("the constant '{}' is defined by itself", name.name));
                self.consts[at].value = None;
            }
            0 => {
                for used in self.consts[at].value.map_or(Vec::new(), |value| self.consts_in(value)) {
                    self.visit_const(used as usize, state);
                }
            }
            _ => {}
        }
        state[at] = 2;
    }

    fn consts_in(&self, value: ExprId) -> Vec<u32> {
        let mut found = Vec::new();
        let mut todo = vec![value];
        while let Some(id) = todo.pop() {
            let kind = self.ast.kind(id);
            if let ExprKind::Name(name, _) = kind
                && let Some(Global::Const(at)) = self.values.get(&name.name)
            {
                found.push(*at);
            }
            kind.each_child(&mut |child| todo.push(child));
        }
        found
    }

    /// Heads, contracts and the variables of bodies.
    pub(super) fn declare_units(&mut self) {
        for at in 0..self.ast.nodes.len() {
            let node = &self.ast.nodes[at];
            let mut unit = new_unit(&node.name, Some(node.kind), &node.params);
            unit.imported = node.imported;
            unit.recursive = node.recursive;
            self.enter_params(&unit, at as u32);
            self.declare_vars(&mut unit, &node.inputs, Role::Input);
            self.declare_vars(&mut unit, &node.outputs, Role::Output);
            self.declare_consts_of(&mut unit, &node.consts, Role::Constant);
            self.declare_vars(&mut unit, &node.locals, Role::Local);
            self.declare_contract(&mut unit, &node.contract);
            (unit.num_inputs, unit.num_outputs) = (node.inputs.len(), node.outputs.len());
            self.units.push(unit);
        }
        for at in 0..self.ast.contracts.len() {
            let contract = &self.ast.contracts[at];
            let mut unit = new_unit(&contract.name, None, &contract.params);
            self.enter_params(&unit, (self.ast.nodes.len() + at) as u32);
            self.declare_vars(&mut unit, &contract.inputs, Role::Input);
            self.declare_vars(&mut unit, &contract.outputs, Role::Output);
            self.declare_contract(&mut unit, &contract.items);
            (unit.num_inputs, unit.num_outputs) = (contract.inputs.len(), contract.outputs.len());
            self.units.push(unit);
        }
        self.scope = Scope::default();
    }

    fn enter_params(&mut self, unit: &Unit, id: u32) {
        self.scope = Scope { params: unit.params.clone(), unit: Some(UnitId(id)), ..Scope::default() };
    }

    /// Each variable is known as soon as it is declared: types may depend on earlier ones.
    fn declare_vars(&mut self, unit: &mut Unit, decls: &[VarDecl], role: Role) {
        for decl in decls {
            let ty = self.resolve(&decl.ty);
            self.add_var(unit, &decl.name, ty, role, decl.constant, decl.clock.clone());
        }
    }

    fn add_var(
        &mut self,
        unit: &mut Unit,
        name: &Ident,
        ty: Type,
        role: Role,
        constant: bool,
        clock: Clock,
    ) -> Slot {
        let slot = Slot(unit.vars.len() as u32);
        let names = if role == Role::Ghost { &mut self.scope.ghosts } else { &mut self.scope.vars };
        if names.insert(name.name.clone(), slot).is_some() {
            self.error(name.span, format!("the variable '{}' is declared twice", name.name));
        }
        unit.vars.push(Var { name: name.clone(), ty, role, constant, clock, defined: None, cut: false });
        slot
    }

    /// Constants of a unit are variables with an equation, or free ones.
    fn declare_consts_of(&mut self, unit: &mut Unit, decls: &[ConstDecl], role: Role) {
        for decl in decls {
            let ty = match &decl.ty {
                Some(ty) => self.resolve(ty),
                None => self.fresh(),
            };
            let slot = self.add_var(unit, &decl.name, ty, role, true, Clock::Base);
            if let Some(value) = decl.value {
                define(unit, vec![(slot, Vec::new())], value, decl.name.span);
            }
        }
    }

    fn declare_contract(&mut self, unit: &mut Unit, items: &[ContractItem]) {
        for item in items {
            match item {
                ContractItem::GhostVars(vars, value, span) => {
                    let first = unit.vars.len() as u32;
                    self.declare_vars(unit, vars, Role::Ghost);
                    let targets =
                        (first..unit.vars.len() as u32).map(|slot| (Slot(slot), Vec::new())).collect();
                    define(unit, targets, *value, *span);
                }
                ContractItem::GhostConst(decl) => {
                    self.declare_consts_of(unit, std::slice::from_ref(decl), Role::Ghost)
                }
                ContractItem::Assume(clause) => unit.assumes.push(clause.clone()),
                ContractItem::Guarantee(clause) => unit.guarantees.push(clause.clone()),
                ContractItem::Mode { name, requires, ensures } => {
                    if unit.modes.iter().any(|mode| mode.name.name == name.name) {
                        self.error(name.span, format!("the mode '{}' is declared twice", name.name));
                    }
                    unit.modes.push(Mode {
                        name: name.clone(),
                        requires: requires.clone(),
                        ensures: ensures.clone(),
                    });
                }
                ContractItem::Import { name, types, args, outs, span } => {
                    self.declare_import(unit, name, types, args, outs, *span);
                }
                ContractItem::Decreases(_, span) => {
                    unit.unsupported.get_or_insert((*span, "'decreases'".into()));
                }
                ContractItem::AssumptionVars(_) => {}
            }
        }
    }

    fn declare_import(
        &mut self,
        unit: &mut Unit,
        name: &Ident,
        types: &[TypeExpr],
        args: &[ExprId],
        outs: &[Ident],
        span: Span,
    ) {
        let Some(&imported) = self.contract_names.get(&name.name) else {
            self.error(name.span, format!("there is no contract '{}'", name.name));
            return;
        };
        let types = types.iter().map(|ty| self.resolve(ty)).collect();
        let mut slots = Vec::new();
        for out in outs {
            match self.scope.vars.get(&out.name).or_else(|| self.scope.ghosts.get(&out.name)) {
                Some(&slot) => slots.push(slot),
                None => {
                    self.error(out.span, format!("there is no variable '{}'", out.name));
                }
            }
        }
        unit.imports.push(Import { unit: imported, types, args: args.to_vec(), outs: slots, span });
    }

    pub(super) fn check_consts(&mut self) {
        self.scope.stateless = Some(NO_MEMORY_IN_CONSTANT);
        for at in 0..self.consts.len() {
            let ty = self.consts[at].ty.clone();
            if let Some(value) = self.consts[at].value {
                let name = self.consts[at].name.name.clone();
                self.check_expr(value, &ty, &format!("the constant '{name}'"));
            }
        }
        self.scope.stateless = None;
        for decl in &self.ast.consts {
            decl.ty.iter().for_each(|ty| self.check_type_expr(ty));
        }
        for (at, decl) in self.ast.types.iter().enumerate() {
            self.scope.params = self.types[at].params.clone();
            match &decl.body {
                crate::ast::TypeBody::Alias(ty) => self.check_type_expr(ty),
                crate::ast::TypeBody::Record(fields) => {
                    fields.iter().for_each(|(_, ty)| self.check_type_expr(ty))
                }
                crate::ast::TypeBody::Data(constructors) => {
                    constructors.iter().flat_map(|c| &c.fields).for_each(|(_, ty)| self.check_type_expr(ty));
                }
                crate::ast::TypeBody::Free | crate::ast::TypeBody::Enum(_) => {}
            }
        }
        self.scope = Scope::default();
    }

    /// Sizes, bounds and predicates inside a written type.
    pub(super) fn check_type_expr(&mut self, written: &TypeExpr) {
        match &written.kind {
            TypeKind::Subrange(low, high) => {
                for &end in [low, high].into_iter().flatten() {
                    self.check_expr(end, &Type::Int, "the bound of a subrange");
                }
            }
            TypeKind::Array(element, size) => {
                self.check_type_expr(element);
                self.check_expr(*size, &Type::Int, "the size of an array");
            }
            TypeKind::Refined(var, base, pred) => {
                self.check_type_expr(base);
                let ty = self.resolve(base);
                self.scope.bind(&var.name, &ty);
                self.check_expr(*pred, &Type::Bool, "the predicate of a type");
                self.scope.bound.pop();
            }
            TypeKind::Named(_, args) | TypeKind::Tuple(args) => {
                args.iter().for_each(|arg| self.check_type_expr(arg))
            }
            TypeKind::Set(element) => self.check_type_expr(element),
            TypeKind::Map(key, value) => {
                self.check_type_expr(key);
                self.check_type_expr(value);
            }
            TypeKind::Bool | TypeKind::Int | TypeKind::Real | TypeKind::Machine(_) | TypeKind::History(_) => {
            }
        }
    }

    pub(super) fn check_units(&mut self) {
        for at in 0..self.units.len() {
            self.enter(UnitId(at as u32));
            self.check_clauses(at);
            self.check_imports(at);
            self.check_defined(at);
            self.scope.contract = false;
            if let Some(node) = self.ast.nodes.get(at) {
                let types = node.inputs.iter().chain(&node.outputs).chain(&node.locals).map(|var| &var.ty);
                types.for_each(|ty| self.check_type_expr(ty));
                node.consts
                    .iter()
                    .filter_map(|decl| decl.ty.as_ref())
                    .for_each(|ty| self.check_type_expr(ty));
                self.check_items(at, &node.items);
                self.check_contract_types(&node.contract);
                self.check_complete(at);
            } else {
                let contract = &self.ast.contracts[at - self.ast.nodes.len()];
                contract.inputs.iter().chain(&contract.outputs).for_each(|var| self.check_type_expr(&var.ty));
                self.check_contract_types(&contract.items);
            }
        }
        self.refuse_recursion();
    }

    fn enter(&mut self, id: UnitId) {
        let unit = &self.units[id.0 as usize];
        let mut scope =
            Scope { params: unit.params.clone(), unit: Some(id), contract: true, ..Scope::default() };
        for slot in unit.slots() {
            let var = unit.var(slot);
            let names = if var.role == Role::Ghost { &mut scope.ghosts } else { &mut scope.vars };
            names.insert(var.name.name.clone(), slot);
        }
        if unit.kind == Some(NodeKind::Function) || unit.kind == Some(NodeKind::Lemma) {
            scope.stateless = Some(NO_MEMORY_IN_FUNCTION);
        }
        self.scope = scope;
    }

    fn check_contract_types(&mut self, items: &[ContractItem]) {
        self.scope.contract = true;
        for item in items {
            match item {
                ContractItem::GhostVars(vars, ..) => {
                    vars.iter().for_each(|var| self.check_type_expr(&var.ty))
                }
                ContractItem::GhostConst(decl) => decl.ty.iter().for_each(|ty| self.check_type_expr(ty)),
                ContractItem::Decreases(measure, _) => self.check_measure(measure),
                ContractItem::AssumptionVars(vars) => {
                    for var in vars {
                        self.require_var(var);
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks that a termination measure is a list of integer expressions over inputs only.
    fn check_measure(&mut self, measure: &[ExprId]) {
        for &part in measure {
            let mut todo = vec![part];
            while let Some(id) = todo.pop() {
                if let ExprKind::Name(name, _) = self.ast.kind(id)
                    && let Some((Some(slot), _)) = self.lookup_var(&name.name)
                {
                    let unit = self.scope.unit.expect("a measure stands in a unit");
                    let role = self.units[unit.0 as usize].var(slot).role;
                    if role != Role::Input {
                        let message = format!(
                            "'{}' is {}; what decreases is an expression over inputs",
                            name.name,
                            Self::role_word(role)
                        );
                        self.error(name.span, message);
                    }
                }
                self.ast.kind(id).each_child(&mut |child| todo.push(child));
            }
            self.check_expr(part, &Type::Int, "what decreases");
        }
    }

    fn require_var(&mut self, var: &Ident) {
        if self.lookup_var(&var.name).is_none() {
            self.error(var.span, format!("there is no variable '{}'", var.name));
        }
    }

    fn check_clauses(&mut self, at: usize) {
        let unit = &self.units[at];
        let modes = unit.modes.iter().flat_map(|mode| mode.requires.iter().chain(&mode.ensures));
        let clauses: Vec<Clause> =
            unit.assumes.iter().chain(&unit.guarantees).chain(modes).cloned().collect();
        for clause in clauses {
            self.check_expr(clause.value, &Type::Bool, "a part of a contract");
        }
    }

    /// The arguments of imported contracts.
    fn check_imports(&mut self, at: usize) {
        for number in 0..self.units[at].imports.len() {
            let Import { unit, types, args, outs, span } = self.units[at].imports[number].clone();
            let contract = &self.units[unit.0 as usize];
            let (name, params) = (contract.name.name.clone(), contract.params.clone());
            let solved: Vec<Type> =
                if types.is_empty() { params.iter().map(|_| self.fresh()).collect() } else { types };
            let contract = &self.units[unit.0 as usize];
            let wanted: Vec<Type> =
                contract.inputs().iter().map(|var| var.ty.substitute(&params, &solved)).collect();
            let results: Vec<Type> =
                contract.outputs().iter().map(|var| var.ty.substitute(&params, &solved)).collect();
            self.check_args(span, &args, &wanted, &format!("the contract '{name}'"));
            if outs.len() != results.len() {
                self.error(
                    span,
                    format!("the contract '{name}' has {} outputs, not {}", results.len(), outs.len()),
                );
            }
            for (slot, wanted) in outs.iter().zip(&results) {
                let var = self.units[at].var(*slot).clone();
                self.expect_type(span, &var.ty, wanted, &format!("'{}'", var.name.name));
            }
            self.units[at].imports[number].types = solved;
        }
    }

    /// Constants and ghosts of the unit, which have their equations already.
    fn check_defined(&mut self, at: usize) {
        for number in 0..self.units[at].equations.len() {
            let equation = self.units[at].equations[number].clone();
            let constant = self.units[at].var(equation.targets[0].0).role == Role::Constant;
            let outer = self.scope.stateless;
            if constant {
                self.scope.stateless = Some(NO_MEMORY_IN_CONSTANT);
            }
            self.check_equation(at, &equation);
            self.scope.stateless = outer;
        }
    }

    fn check_equation(&mut self, at: usize, equation: &UnitEquation) {
        let mut wanted = Vec::new();
        let mut bound = Vec::new();
        for (slot, indices) in &equation.targets {
            let var = self.units[at].var(*slot).clone();
            let mut ty = var.ty.clone();
            for index in indices {
                match self.base(&ty) {
                    Type::Array(element, _) => ty = (*element).clone(),
                    Type::Error => {}
                    _ => ty = self.error(index.span, format!("'{}' has fewer dimensions", var.name.name)),
                }
                bound.push(index.name.clone());
            }
            wanted.push(ty);
        }
        let depth = self.scope.bound.len();
        bound.iter().for_each(|index| self.scope.bind_number(index, &Type::Int));
        let found = self.infer(equation.value);
        self.scope.bound.truncate(depth);
        if found.flows().len() != wanted.len() && !found.is_error() {
            let message = format!(
                "{} variables on the left, {} values on the right",
                wanted.len(),
                found.flows().len()
            );
            self.error(equation.span, message);
            return;
        }
        for ((slot, _), (found, wanted)) in equation.targets.iter().zip(found.flows().iter().zip(&wanted)) {
            let name = self.units[at].var(*slot).name.name.clone();
            let span = self.ast.span(equation.value);
            self.expect_type(span, found, wanted, &format!("the value of '{name}'"));
        }
    }

    /// The items of a body, without blocks.
    fn check_items(&mut self, at: usize, items: &[Item]) {
        for item in items {
            match item {
                Item::Equation(equation) => self.take_equation(at, equation),
                Item::Assert(value, span) => {
                    self.check_expr(*value, &Type::Bool, "an assertion");
                    self.units[at].asserts.push((*value, *span));
                }
                Item::Property(property) => self.take_property(at, property),
                Item::Main(span) => {
                    self.units[at].main.get_or_insert(*span);
                }
                Item::Ivc(names) => {
                    names.iter().for_each(|name| self.require_var(name));
                    self.units[at].ivc.extend(names.iter().cloned());
                }
                Item::Realizable(names, span) => {
                    names.iter().for_each(|name| self.require_var(name));
                    self.findings.note(*span, "realizability is not checked");
                }
                Item::If { .. } | Item::When { .. } | Item::Frame { .. } => {
                    unreachable!("blocks became equations")
                }
                Item::Invoke(call) => {
                    self.unsupported(at, self.ast.span(*call), "calls of lemmas");
                    self.infer(*call);
                }
                Item::Auto(span) => self.unsupported(at, *span, "'auto'"),
            }
        }
    }

    fn unsupported(&mut self, at: usize, span: Span, what: &str) {
        self.units[at].unsupported.get_or_insert((span, what.to_string()));
    }

    fn take_equation(&mut self, at: usize, equation: &Equation) {
        let mut targets = Vec::new();
        for target in &equation.targets {
            let Some(&slot) = self.scope.vars.get(&target.name.name) else {
                self.unknown_var(&target.name);
                return;
            };
            let var = self.units[at].var(slot);
            if matches!(var.role, Role::Input | Role::Constant) {
                let role = Self::role_word(var.role);
                self.error(
                    target.name.span,
                    format!("'{}' is {role} and cannot be defined here", target.name.name),
                );
            } else if var.defined.is_some() {
                self.error(target.name.span, format!("'{}' is defined twice", target.name.name));
            }
            targets.push((slot, target.indices.clone()));
        }
        let resolved = UnitEquation { targets, value: equation.value, span: equation.span };
        self.check_equation(at, &resolved);
        define(&mut self.units[at], resolved.targets, resolved.value, resolved.span);
    }

    fn take_property(&mut self, at: usize, property: &crate::ast::Property) {
        self.check_expr(property.value, &Type::Bool, "a property");
        if let Some(guard) = property.provided {
            self.check_expr(guard, &Type::Bool, "the condition of a property");
        }
        let goal = property.reachable.is_some();
        let text = || -> Name {
            match self.ast.kind(property.value) {
                ExprKind::Name(name, _) => name.name.clone(),
                _ => {
                    let before = self.units[at].properties.iter().filter(|p| p.goal == goal).count();
                    format!("{}{}", if goal { "reachable" } else { "property" }, before + 1).into()
                }
            }
        };
        let name = property.name.clone().unwrap_or_else(text);
        let (value, provided, span) = (property.value, property.provided, property.span);
        self.units[at].properties.push(UnitProperty { name, goal, value, provided, span });
    }

    /// Outputs and locals without an equation are free: allowed, and said.
    fn check_complete(&mut self, at: usize) {
        let unit = &self.units[at];
        if unit.imported {
            return;
        }
        let open = unit
            .vars
            .iter()
            .filter(|var| var.defined.is_none() && matches!(var.role, Role::Output | Role::Local));
        for name in open.map(|var| var.name.clone()).collect::<Vec<_>>() {
            let warning = self
                .findings
                .warn(name.span, format!("'{}' has no equation: it is any value in every step", name.name));
            warning.help("define it, or make it an input");
        }
    }

    /// Nodes may not call themselves, through whatever others; functions marked `rec` may.
    fn refuse_recursion(&mut self) {
        let callees: Vec<Vec<(UnitId, Span)>> = (0..self.units.len()).map(|at| self.callees(at)).collect();
        let mut state = vec![0u8; self.units.len()];
        for at in 0..self.units.len() {
            self.visit_unit(at, &callees, &mut state);
        }
    }

    fn visit_unit(&mut self, at: usize, callees: &[Vec<(UnitId, Span)>], state: &mut Vec<u8>) {
        state[at] = 1;
        for &(callee, span) in &callees[at] {
            let to = callee.0 as usize;
            match state[to] {
                0 => self.visit_unit(to, callees, state),
                1 if !self.units[to].recursive => {
                    let name = self.units[to].name.name.clone();
                    self.error_help(
                        span,
                        format!("'{name}' calls itself"),
                        "recursive nodes are not supported; unfold the recursion",
                    );
                }
                1 => {
                    self.unsupported(to, span, "recursive functions");
                    self.compare_measures(at, to, span);
                }
                _ => {}
            }
        }
        state[at] = 2;
    }

    /// Functions that call each other decrease something of the same shape.
    fn compare_measures(&mut self, at: usize, to: usize, span: Span) {
        let length = |unit: usize| {
            let items = self.ast.nodes.get(unit).map_or(&[][..], |node| &node.contract);
            items.iter().find_map(|item| match item {
                ContractItem::Decreases(measure, _) => Some(measure.len()),
                _ => None,
            })
        };
        if let (Some(here), Some(there)) = (length(at), length(to))
            && here != there
        {
            let name = self.units[to].name.name.clone();
            self.error(
                span,
                format!("{here} numbers decrease here, but {there} in '{name}': they cannot be compared"),
            );
        }
    }

    /// The units that a unit calls or imports.
    fn callees(&self, at: usize) -> Vec<(UnitId, Span)> {
        let unit = &self.units[at];
        let mut todo = unit.expressions();
        let mut found: Vec<(UnitId, Span)> =
            unit.imports.iter().map(|import| (import.unit, import.span)).collect();
        while let Some(id) = todo.pop() {
            if let crate::unit::Meaning::Unit(callee) = self.meanings[id.0 as usize] {
                found.push((callee, self.ast.span(id)));
            }
            self.ast.kind(id).each_child(&mut |child| todo.push(child));
        }
        found
    }

    /// Checks `::C::m`.
    pub(super) fn mode_type(&mut self, path: &[Ident], span: Span) -> Type {
        let Some(unit) = self.scope.unit else {
            return self.error(span, "there is no mode here");
        };
        match find_mode(&self.units, &self.units[unit.0 as usize], path) {
            Some(_) => Type::Bool,
            None => {
                let name: Vec<&str> = path.iter().map(|part| &*part.name).collect();
                self.error(span, format!("there is no mode '{}'", name.join("::")))
            }
        }
    }

    pub(super) fn constructor_fields(&self, id: TypeId, number: u32) -> Vec<(Ident, Type)> {
        match &self.types[id.0 as usize].body {
            TypeInfoBody::Data(constructors) => constructors[number as usize].1.clone(),
            _ => Vec::new(),
        }
    }
}

fn new_unit(name: &Ident, kind: Option<NodeKind>, params: &[Ident]) -> Unit {
    Unit {
        name: name.clone(),
        kind,
        imported: false,
        recursive: false,
        params: params.iter().map(|p| p.name.clone()).collect(),
        vars: Vec::new(),
        num_inputs: 0,
        num_outputs: 0,
        equations: Vec::new(),
        asserts: Vec::new(),
        properties: Vec::new(),
        assumes: Vec::new(),
        guarantees: Vec::new(),
        modes: Vec::new(),
        imports: Vec::new(),
        main: None,
        ivc: Vec::new(),
        unsupported: None,
    }
}

/// Adds an equation; its variables know it.
fn define(unit: &mut Unit, targets: Vec<(Slot, Vec<Ident>)>, value: ExprId, span: Span) {
    let number = unit.equations.len();
    for (flow, (slot, _)) in targets.iter().enumerate() {
        unit.vars[slot.index()].defined = Some((number, flow));
    }
    unit.equations.push(UnitEquation { targets, value, span });
}
