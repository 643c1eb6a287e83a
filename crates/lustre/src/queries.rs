//! Queries of reachability become goals (Kind 2's `check reachable`).
//!
//! ```text
//! check reachable p;                         goal: p
//! check reachable p from m within n;         goal: p and m <= step~ and step~ <= n
//!                                            step~ = 0 -> if pre step~ < top then pre step~ + 1 else top;
//! check "name" p provided g;                 property: g => p, and goal: g, called "name applies"
//! ```
//!
//! A goal is kept as the property `not goal`, whose violation is wanted. Steps count from 0, those of the node,
//! and up to one more than any window needs: as a machine integer of that width, so that bits can hold it. A
//! function has no steps: there a window is an error.

use crate::ast::{
    Ast, BinaryOp, CastTo, Clock, Equation, Expr, ExprId, ExprKind, Ident, Item, Machine, NodeDecl, NodeKind,
    Property, Target, TypeExpr, TypeKind, UnaryOp, VarDecl, Window,
};
use crate::source::{Findings, Span};

const STEP: &str = "step~";

/// Rewrites the queries of all nodes.
pub fn spell_out(ast: &mut Ast, findings: &mut Findings) {
    let Ast { exprs, nodes, .. } = ast;
    for node in nodes {
        let windows = node.items.iter().filter_map(|item| match item {
            Item::Property(Property { reachable: Some(window), span, .. }) => Some((*window, *span)),
            _ => None,
        });
        let limited: Vec<(Window, Span)> = windows.filter(|(window, _)| window.is_limited()).collect();
        if let Some(&(_, span)) = limited.first()
            && node.kind != NodeKind::Node
        {
            findings.error(span, "a function has no steps to count").help("ask it of a node");
            continue;
        }
        let top = limited.iter().map(|(window, _)| window.counted()).max().unwrap_or(0);
        let machine = Machine { signed: false, width: u32::BITS - top.leading_zeros() };
        let mut queries = Queries { exprs, machine };
        if let Some(&(_, span)) = limited.first() {
            queries.count(node, top, span);
        }
        queries.ask_of_conditions(&mut node.items);
        for item in &mut node.items {
            if let Item::Property(property) = item {
                queries.negate(property);
            }
        }
    }
}

struct Queries<'a> {
    exprs: &'a mut Vec<Expr>,
    /// The type of the number of a step.
    machine: Machine,
}

impl Queries<'_> {
    fn push(&mut self, span: Span, kind: ExprKind) -> ExprId {
        self.exprs.push(Expr { span, kind });
        ExprId(self.exprs.len() as u32 - 1)
    }

    fn binary(&mut self, span: Span, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.push(span, ExprKind::Binary(op, left, right))
    }

    fn number(&mut self, span: Span, number: u32) -> ExprId {
        let number = self.push(span, ExprKind::Int(number.into()));
        self.push(span, ExprKind::Cast(CastTo::Machine(self.machine), number))
    }

    fn step(&mut self, span: Span) -> ExprId {
        self.push(span, ExprKind::Name(Ident { name: STEP.into(), span }, Vec::new()))
    }

    /// `step~ = 0 -> if pre step~ < top then pre step~ + 1 else top;`
    fn count(&mut self, node: &mut NodeDecl, top: u32, span: Span) {
        let name = Ident { name: STEP.into(), span };
        let step = self.step(span);
        let before = self.push(span, ExprKind::Unary(UnaryOp::Pre, step));
        let [zero, one, last] = [0, 1, top].map(|number| self.number(span, number));
        let below = self.binary(span, BinaryOp::Lt, before, last);
        let next = self.binary(span, BinaryOp::Add, before, one);
        let later = self.push(span, ExprKind::If(below, next, last));
        let value = self.binary(span, BinaryOp::Arrow, zero, later);
        let ty = TypeExpr { span, kind: TypeKind::Machine(self.machine) };
        node.locals.push(VarDecl { name: name.clone(), ty, clock: Clock::Base, constant: false });
        let targets = vec![Target { name, indices: Vec::new() }];
        node.items.push(Item::Equation(Equation { targets, value, span }));
    }

    /// That the condition of a property can hold: else the property says nothing.
    fn ask_of_conditions(&self, items: &mut Vec<Item>) {
        let (mut invariants, mut asked) = (0, Vec::new());
        for item in &*items {
            let Item::Property(property) = item else { continue };
            invariants += usize::from(property.reachable.is_none());
            if let (Some(guard), None) = (property.provided, property.reachable) {
                let own = || match &self.exprs[property.value.0 as usize].kind {
                    ExprKind::Name(name, _) => name.name.clone(),
                    _ => format!("property{invariants}").into(),
                };
                let name = format!("{} applies", property.name.clone().unwrap_or_else(own));
                let (value, provided, reachable) = (guard, None, Some(Window::default()));
                let (name, span) = (Some(name.into()), property.span);
                asked.push(Item::Property(Property { name, value, provided, reachable, span }));
            }
        }
        items.append(&mut asked);
    }

    /// `not (p and g and m <= step~ and step~ <= n)`; the name stays that of `p`.
    fn negate(&mut self, property: &mut Property) {
        let Some(window) = property.reachable else { return };
        let span = property.span;
        if let ExprKind::Name(name, _) = &self.exprs[property.value.0 as usize].kind {
            property.name.get_or_insert_with(|| name.name.clone());
        }
        let mut goal = property.value;
        if let Some(guard) = property.provided.take() {
            goal = self.binary(span, BinaryOp::And, goal, guard);
        }
        if window.from > 0 {
            let (from, step) = (self.number(span, window.from), self.step(span));
            let late = self.binary(span, BinaryOp::Le, from, step);
            goal = self.binary(span, BinaryOp::And, goal, late);
        }
        if let Some(to) = window.to {
            let (to, step) = (self.number(span, to), self.step(span));
            let early = self.binary(span, BinaryOp::Le, step, to);
            goal = self.binary(span, BinaryOp::And, goal, early);
        }
        property.value = self.push(span, ExprKind::Unary(UnaryOp::Not, goal));
    }
}
