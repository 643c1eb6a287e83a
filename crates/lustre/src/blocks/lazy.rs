//! Lazy operators become `when` blocks, so that what a called function assumes and guarantees is asked for only
//! where its result matters.
//!
//! ```text
//! x = a ==> b;                    when a then x = b; else x = true; end
//! x = a and then b;               when a then x = b; else x = false; end
//! x = a or else b;                when a then x = true; else x = b; end
//! x = when a then b else c;       when a then x = b; else x = c; end
//! ```
//!
//! Only for whole equations of nodes, with functions to call, where all variables are scalars: then the values are
//! the same, and there is a gain. Elsewhere lazy operators are as `=>`, `and`, `or` and `if`.
//!
//! A branch that is not taken is not evaluated. What remembers (`pre`, `->`, calls of nodes) would go by the steps
//! in which the branch is taken, and an operator that is evaluated in every step would give other values. So
//! there, as in Kind 2, it is an error; in `when` blocks, where the branch is a place of its own, it is not.

use std::collections::BTreeSet;

use crate::ast::{
    Ast, BinaryOp, Equation, Expr, ExprId, ExprKind, Item, Name, NodeDecl, NodeKind, TypeKind, UnaryOp,
};
use crate::source::{Findings, Span};

/// Refuses what remembers in a branch that may not be taken: of lazy operators and of `match`.
pub(super) fn refuse_memory(ast: &Ast, findings: &mut Findings) {
    let is_node = |node: &&NodeDecl| node.kind == NodeKind::Node;
    let nodes: BTreeSet<Name> = ast.nodes.iter().filter(is_node).map(|node| node.name.name.clone()).collect();
    let mut refused = BTreeSet::new();
    for (branch, operator) in branches(ast) {
        let mut todo = vec![branch];
        while let Some(id) = todo.pop() {
            let Some((span, what)) = memory(ast, id, &nodes) else {
                ast.kind(id).each_child(&mut |child| todo.push(child));
                continue;
            };
            if refused.insert(id) {
                let message =
                    format!("{what} cannot stand in a branch of {operator}, which is not always taken");
                findings.error(span, message).help("give it a variable of its own, or write a 'when' block");
            }
        }
    }
}

/// What may not be evaluated in a step, with the operator that it belongs to.
fn branches(ast: &Ast) -> Vec<(ExprId, &'static str)> {
    let mut found = Vec::new();
    for &lazy in &ast.lazy {
        match *ast.kind(lazy) {
            ExprKind::If(_, yes, no) => {
                found.extend([yes, no].map(|branch| (branch, "'when … then … else'")))
            }
            ExprKind::Binary(BinaryOp::Implies, _, right) => found.push((right, "'==>'")),
            ExprKind::Binary(BinaryOp::And, _, right) => found.push((right, "'and then'")),
            ExprKind::Binary(_, _, right) => found.push((right, "'or else'")),
            _ => {}
        }
    }
    for expr in &ast.exprs {
        if let ExprKind::Match { arms, .. } = &expr.kind {
            found.extend(arms.iter().map(|arm| (arm.1, "'match'")));
        }
    }
    found
}

/// An expression that remembers, and how it is called.
fn memory(ast: &Ast, id: ExprId, nodes: &BTreeSet<Name>) -> Option<(Span, String)> {
    let what = match ast.kind(id) {
        ExprKind::Unary(UnaryOp::Pre, _) => "'pre'".to_string(),
        ExprKind::Binary(BinaryOp::Arrow, ..) => "'->'".to_string(),
        ExprKind::Call(call)
        | ExprKind::Condact { call, .. }
        | ExprKind::Activate { call, .. }
        | ExprKind::Restart { call, .. }
            if nodes.contains(&call.name.name) =>
        {
            format!("a call of the node '{}'", call.name.name)
        }
        _ => return None,
    };
    Some((ast.span(id), what))
}

pub(super) fn unfold(ast: &mut Ast) {
    if ast.lazy.is_empty() {
        return;
    }
    let is_function = |node: &&NodeDecl| node.kind == NodeKind::Function;
    let functions: BTreeSet<Name> =
        ast.nodes.iter().filter(is_function).map(|node| node.name.name.clone()).collect();
    let lazy: BTreeSet<ExprId> = ast.lazy.iter().copied().collect();
    for node in ast.nodes.iter_mut().filter(|node| node.kind == NodeKind::Node) {
        for at in 0..node.items.len() {
            if let Item::Equation(equation) = &node.items[at]
                && lazy.contains(&equation.value)
                && calls_functions(&ast.exprs, node, equation, &functions)
            {
                node.items[at] = block(&mut ast.exprs, equation.clone());
            }
        }
    }
}

fn block(exprs: &mut Vec<Expr>, equation: Equation) -> Item {
    let span = equation.span;
    let (cond, yes, no) = match exprs[equation.value.0 as usize].kind {
        ExprKind::If(cond, yes, no) => (cond, yes, no),
        ExprKind::Binary(op, left, right) => {
            exprs.push(Expr { span, kind: ExprKind::Bool(op != BinaryOp::And) });
            let otherwise = ExprId(exprs.len() as u32 - 1);
            if op == BinaryOp::Or { (left, otherwise, right) } else { (left, right, otherwise) }
        }
        _ => unreachable!("the parser made a lazy operator"),
    };
    let give = |value: ExprId| {
        // Two branches are two places.
        let mut targets = equation.targets.clone();
        let place = exprs[value.0 as usize].span;
        targets.iter_mut().for_each(|target| target.name.span = place);
        vec![Item::Equation(Equation { targets, value, span })]
    };
    Item::When { cond, yes: give(yes), no: give(no), span }
}

/// Whether there is something to gain and nothing to change.
fn calls_functions(exprs: &[Expr], node: &NodeDecl, equation: &Equation, functions: &BTreeSet<Name>) -> bool {
    let is_scalar = |name: &Name| {
        let mut vars = node.inputs.iter().chain(&node.outputs).chain(&node.locals);
        let scalar = |kind: &TypeKind| {
            matches!(kind, TypeKind::Bool | TypeKind::Int | TypeKind::Real | TypeKind::Machine(_))
        };
        let local = node.consts.iter().any(|constant| constant.name.name == *name);
        !local && vars.find(|var| var.name.name == *name).is_none_or(|var| scalar(&var.ty.kind))
    };
    let [target] = &equation.targets[..] else { return false };
    if !target.indices.is_empty() || !is_scalar(&target.name.name) {
        return false;
    }
    let (mut todo, mut calls) = (vec![equation.value], false);
    while let Some(id) = todo.pop() {
        let kind = &exprs[id.0 as usize].kind;
        let fine = match kind {
            ExprKind::Call(call) => {
                calls = true;
                functions.contains(&call.name.name)
            }
            ExprKind::Name(name, _) => is_scalar(&name.name),
            ExprKind::Unary(UnaryOp::Pre, _) | ExprKind::Binary(BinaryOp::Arrow, ..) => false,
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Cast(..) => true,
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::If(..) => true,
            _ => false,
        };
        if !fine {
            return false;
        }
        kind.each_child(&mut |child| todo.push(child));
    }
    calls
}
