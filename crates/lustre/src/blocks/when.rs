//! `when` blocks: each branch is a node, which moves only where the branch is taken.
//!
//! ```text
//! when c then x = e; else x = f; end        g = c;
//!                                           y = (activate THEN every g)(…);
//!                                           z = (activate ELSE every not g)(…);
//!                                           x = merge g (true -> y) (false -> z);
//! ```
//!
//! THEN and ELSE have the equations of their branch, and read what it reads. So `pre`, `->` and calls go by the
//! steps in which the branch is taken, and the condition is read once for all. `last x` is the value of `x` in
//! the step before, in whatever branch; in the first step it is the first value that the frame gives:
//!
//! ```text
//! frame (x) x = i; let … tel                x~last = i -> pre x;
//! ```
//!
//! In a frame, what a branch does not give is `last x`; outside, it is any value. Functions have no memory; there
//! a block is as an `if` block. Not taken: variables whose types read other variables, for a type that is written
//! once would be read in two nodes.

use std::collections::BTreeSet;

use super::{Blocks, Branch, Given, Otherwise};
use crate::ast::{
    Call, Clock, ConstDecl, Equation, ExprId, ExprKind, Ident, Item, Name, NodeDecl, NodeKind, Target,
    TypeExpr, TypeKind, UnaryOp, VarDecl,
};
use crate::source::Span;

impl Blocks<'_> {
    /// The equations of a `when` block, on the clock of the node.
    pub(super) fn when(
        &mut self,
        cond: ExprId,
        yes: Vec<Item>,
        no: Vec<Item>,
        span: Span,
        otherwise: Otherwise,
    ) -> Vec<Given> {
        if self.node.kind != NodeKind::Node {
            return self.conditional(cond, yes, no, span, otherwise);
        }
        let otherwise = if otherwise == Otherwise::Anything { otherwise } else { Otherwise::Last };
        let clock = self.clock(cond, span);
        let yes = self.sampled(&clock, true, yes, otherwise);
        let no = self.sampled(&clock, false, no, otherwise);
        let mut names: Vec<Ident> = yes.iter().chain(&no).map(|(name, _)| name.clone()).collect();
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.name.clone()));
        let give = |name: Ident| {
            let target = Target { name, indices: Vec::new() };
            let mut case = |taken: bool, given: &[(Ident, ExprId)]| {
                let found = given.iter().find(|(name, _)| name.name == target.name.name);
                let label = if taken { "true" } else { "false" };
                let value = found.map(|&(_, value)| value);
                let value = value.unwrap_or_else(|| self.absent(&clock, taken, &target, otherwise));
                (Ident { name: label.into(), span }, value)
            };
            let cases = vec![case(true, &yes), case(false, &no)];
            let value = self.push(span, ExprKind::Merge { clock: clock.clone(), cases });
            Given { target, value, span, sampled: true }
        };
        names.into_iter().map(give).collect()
    }

    /// `last x`, as a variable of its own.
    pub(super) fn last(&mut self, of: &Ident) -> ExprId {
        let name = Ident { name: format!("{}~last", of.name).into(), span: of.span };
        if self.reads(&name.name).is_none()
            && let Some(var) = self.reads(&of.name)
        {
            let (constant, clock) = (false, Clock::Base);
            self.node.locals.push(VarDecl { name: name.clone(), ty: var.ty, clock, constant });
            let init = self.inits.iter().find(|init| init.target.name.name == of.name);
            let indices = init.map_or(Vec::new(), |init| init.target.indices.clone());
            let before = Target { name: of.clone(), indices: indices.clone() };
            let value = self.otherwise(&before, Otherwise::AsBefore);
            let targets = vec![Target { name: name.clone(), indices }];
            self.out.push(Item::Equation(Equation { targets, value, span: of.span }));
        }
        self.push(of.span, ExprKind::Name(name, Vec::new()))
    }

    /// The condition, as a variable.
    fn clock(&mut self, cond: ExprId, span: Span) -> Ident {
        let name = Ident { name: format!("when~{}", self.node.locals.len()).into(), span };
        let ty = TypeExpr { span, kind: TypeKind::Bool };
        self.node.locals.push(VarDecl { name: name.clone(), ty, clock: Clock::Base, constant: false });
        let targets = vec![Target { name: name.clone(), indices: Vec::new() }];
        self.out.push(Item::Equation(Equation { targets, value: cond, span }));
        name
    }

    /// The value of a variable in a branch that does not define it, sampled on the clock of the branch.
    fn absent(&mut self, clock: &Ident, taken: bool, target: &Target, otherwise: Otherwise) -> ExprId {
        let value = self.otherwise(target, otherwise);
        self.push(target.name.span, ExprKind::When(value, sampling(clock, taken)))
    }

    /// The outputs of a branch and their values, on the clock of the branch.
    fn sampled(
        &mut self,
        clock: &Ident,
        taken: bool,
        items: Vec<Item>,
        otherwise: Otherwise,
    ) -> Vec<(Ident, ExprId)> {
        let mut outputs = Vec::new();
        self.assigned(&items, &mut outputs);
        outputs.retain(|name| self.reads(&name.name).is_some());
        if outputs.is_empty() {
            return Vec::new();
        }
        // What moves is known by its place in the text, and two branches have two.
        let span = outputs[0].span;
        let call = self.branch_node(clock, taken, items, &outputs, otherwise, span);
        let mut on = self.push(span, ExprKind::Name(clock.clone(), Vec::new()));
        if !taken {
            on = self.push(span, ExprKind::Unary(UnaryOp::Not, on));
        }
        let value = self.push(span, ExprKind::Activate { clock: on, call, restart: None });
        let mut given = Vec::new();
        let mut targets = Vec::new();
        for output in outputs {
            let name = self.fresh(&output);
            self.node.locals.last_mut().expect("just made").clock = sampling(clock, taken);
            targets.push(Target { name: name.clone(), indices: Vec::new() });
            given.push((output, self.push(span, ExprKind::Name(name, Vec::new()))));
        }
        self.out.push(Item::Equation(Equation { targets, value, span }));
        given
    }

    /// Makes a branch a node, and its call.
    fn branch_node(
        &mut self,
        clock: &Ident,
        taken: bool,
        items: Vec<Item>,
        outputs: &[Ident],
        otherwise: Otherwise,
        span: Span,
    ) -> Call {
        self.rename_lasts(&items);
        let blocks = items.iter().any(|item| !matches!(item, Item::Equation(_)));
        let mut read = BTreeSet::new();
        self.names_of_items(&items, &mut read);
        if blocks && otherwise == Otherwise::Last {
            for output in outputs {
                self.last(output);
                read.insert(format!("{}~last", output.name).into());
            }
        }
        let is_output = |name: &Name| outputs.iter().any(|output| output.name == *name);
        let mut inputs: Vec<VarDecl> =
            read.iter().filter(|name| !is_output(name)).filter_map(|name| self.reads(name)).collect();
        inputs.sort_by_key(|var| !var.constant);
        let plain = |var: VarDecl| VarDecl { clock: Clock::Base, constant: false, ..var };
        let outputs: Vec<VarDecl> =
            outputs.iter().filter_map(|name| self.reads(&name.name)).map(plain).collect();
        for var in inputs.iter().chain(&outputs) {
            self.refuse_dependent(var, span);
            self.refuse_untyped(var);
        }
        let word = if taken { "then" } else { "else" };
        let name = Ident { name: format!("{}~{word}~{}", self.node.name.name, clock.name).into(), span };
        let mut argument = |var: &VarDecl| self.push(span, ExprKind::Name(var.name.clone(), Vec::new()));
        let args = inputs.iter().map(&mut argument).collect();
        let params = self.node.params.clone();
        let ty = |param: &Ident| TypeExpr { span, kind: TypeKind::Named(param.clone(), Vec::new()) };
        let types = params.iter().map(ty).collect();
        let node = NodeDecl {
            name: name.clone(),
            kind: NodeKind::Node,
            imported: false,
            recursive: false,
            params,
            inputs,
            outputs,
            contract: Vec::new(),
            locals: Vec::new(),
            consts: Vec::new(),
            items,
        };
        self.branches.push(Branch { node, otherwise });
        Call { name, types, args }
    }

    /// A type that reads variables would be read in two nodes.
    fn refuse_dependent(&mut self, var: &VarDecl, span: Span) {
        let mut names = BTreeSet::new();
        self.names_of_type(&var.ty, &mut names);
        if names.iter().any(|name| self.reads(name).is_some()) {
            let message = format!(
                "'when' blocks with '{}', whose type reads variables, are not supported",
                var.name.name
            );
            self.findings.error(span, message);
        }
    }

    /// A branch is given constants as inputs, and these have a written type.
    fn refuse_untyped(&mut self, var: &VarDecl) {
        let written = |decl: &ConstDecl| decl.name.name != var.name.name || decl.ty.is_some();
        if !self.node.consts.iter().all(written) {
            let message = format!("'{}' is read in a 'when' block and has no written type", var.name.name);
            self.findings.error(var.name.span, message).help("write its type: const c: int = …");
        }
    }

    /// A variable or a constant of the node, as its declaration.
    fn reads(&self, name: &str) -> Option<VarDecl> {
        let node = &self.node;
        let vars = node.inputs.iter().chain(&node.outputs).chain(&node.locals);
        if let Some(var) = vars.into_iter().find(|var| &*var.name.name == name) {
            return Some(var.clone());
        }
        let decl = node.consts.iter().find(|decl| &*decl.name.name == name)?;
        let ty = decl.ty.clone().unwrap_or(TypeExpr { span: decl.name.span, kind: TypeKind::Int });
        Some(VarDecl { name: decl.name.clone(), ty, clock: Clock::Base, constant: true })
    }

    /// Collects the variables that the items define, each once.
    fn assigned(&mut self, items: &[Item], found: &mut Vec<Ident>) {
        for item in items {
            match item {
                Item::Equation(equation) => {
                    for target in &equation.targets {
                        if found.iter().all(|known| known.name != target.name.name) {
                            found.push(target.name.clone());
                        }
                        if self.reads(&target.name.name).is_none() {
                            let message = format!("there is no variable '{}'", target.name.name);
                            self.findings.error(target.name.span, message);
                        }
                    }
                }
                Item::If { yes, no, .. } | Item::When { yes, no, .. } => {
                    self.assigned(yes, found);
                    self.assigned(no, found);
                }
                Item::Assert(_, span)
                | Item::Main(span)
                | Item::Realizable(_, span)
                | Item::Frame { span, .. }
                | Item::Auto(span) => self.stranger(*span),
                Item::Property(property) => self.stranger(property.span),
                Item::Invoke(call) => self.stranger(self.exprs[call.0 as usize].span),
                Item::Ivc(names) => self.stranger(names.first().map_or(Span::default(), |name| name.span)),
            }
        }
    }

    fn stranger(&mut self, span: Span) {
        let error = self.findings.error(span, "only equations and blocks can stand in a 'when' block");
        error.help("move it out of the block");
    }

    /// `last x` becomes a name.
    pub(super) fn rename_lasts(&mut self, items: &[Item]) {
        let mut todo = Vec::new();
        roots(items, &mut todo);
        while let Some(id) = todo.pop() {
            if let ExprKind::Last(name) = &self.exprs[id.0 as usize].kind {
                let name = name.clone();
                let variable = self.last(&name);
                let kind =
                    ExprKind::Name(Ident { name: format!("{}~last", name.name).into(), ..name }, Vec::new());
                if self.node_has(variable) {
                    self.exprs[id.0 as usize].kind = kind;
                }
            }
            self.exprs[id.0 as usize].kind.each_child(&mut |child| todo.push(child));
        }
    }

    /// Is this name one of the node's?
    fn node_has(&self, id: ExprId) -> bool {
        matches!(&self.exprs[id.0 as usize].kind, ExprKind::Name(name, _) if self.reads(&name.name).is_some())
    }

    fn names_of_items(&self, items: &[Item], names: &mut BTreeSet<Name>) {
        let mut todo = Vec::new();
        roots(items, &mut todo);
        todo.into_iter().for_each(|id| self.names_of(id, names));
    }

    /// All names that an expression may read, those in its types included.
    fn names_of(&self, id: ExprId, names: &mut BTreeSet<Name>) {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let kind = &self.exprs[id.0 as usize].kind;
            match kind {
                ExprKind::Name(name, types) => {
                    names.insert(name.name.clone());
                    types.iter().for_each(|ty| self.names_of_type(ty, names));
                }
                ExprKind::Merge { clock, .. }
                | ExprKind::When(_, Clock::On(clock) | Clock::NotOn(clock) | Clock::Is(_, clock)) => {
                    names.insert(clock.name.clone());
                }
                ExprKind::Any { ty, .. } | ExprKind::Ascribe(_, ty) => self.names_of_type(ty, names),
                ExprKind::Quantifier { vars, .. } => {
                    vars.iter().for_each(|var| self.names_of_type(&var.ty, names))
                }
                _ => {}
            }
            kind.each_child(&mut |child| todo.push(child));
        }
    }

    fn names_of_type(&self, ty: &TypeExpr, names: &mut BTreeSet<Name>) {
        match &ty.kind {
            TypeKind::Subrange(low, high) => {
                [low, high].into_iter().flatten().for_each(|&end| self.names_of(end, names))
            }
            TypeKind::Array(element, size) => {
                self.names_of_type(element, names);
                self.names_of(*size, names);
            }
            TypeKind::Refined(var, base, predicate) => {
                self.names_of_type(base, names);
                let mut inside = BTreeSet::new();
                self.names_of(*predicate, &mut inside);
                inside.remove(&var.name);
                names.append(&mut inside);
            }
            TypeKind::Named(_, parts) | TypeKind::Tuple(parts) => {
                parts.iter().for_each(|part| self.names_of_type(part, names))
            }
            TypeKind::Set(part) => self.names_of_type(part, names),
            TypeKind::Map(key, value) => {
                self.names_of_type(key, names);
                self.names_of_type(value, names);
            }
            TypeKind::History(name) => {
                names.insert(name.name.clone());
            }
            TypeKind::Bool | TypeKind::Int | TypeKind::Real | TypeKind::Machine(_) => {}
        }
    }
}

fn sampling(clock: &Ident, taken: bool) -> Clock {
    if taken { Clock::On(clock.clone()) } else { Clock::NotOn(clock.clone()) }
}

/// The expressions of equations and conditions.
fn roots(items: &[Item], found: &mut Vec<ExprId>) {
    for item in items {
        match item {
            Item::Equation(equation) => found.push(equation.value),
            Item::If { cond, yes, no, .. } | Item::When { cond, yes, no, .. } => {
                found.push(*cond);
                roots(yes, found);
                roots(no, found);
            }
            _ => {}
        }
    }
}
