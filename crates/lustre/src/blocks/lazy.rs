//! Lazy operators become `when` blocks, so that what a called function assumes and guarantees is asked for only
//! where its result matters.
//!
//! ```text
//! x = a ==> b;                    when a then x = b; else x = true; end
//! x = when a then b else c;       when a then x = b; else x = c; end
//! ```
//!
//! Only for whole equations of nodes, with functions to call and nothing that remembers, where all variables are
//! scalars: then the values are the same, and there is a gain. Elsewhere lazy operators are as `=>` and `if`.

use std::collections::BTreeSet;

use crate::ast::{
    Ast, BinaryOp, Equation, Expr, ExprId, ExprKind, Item, Name, NodeDecl, NodeKind, TypeKind, UnaryOp,
};

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
        ExprKind::Binary(BinaryOp::Implies, left, right) => {
            exprs.push(Expr { span, kind: ExprKind::Bool(true) });
            (left, right, ExprId(exprs.len() as u32 - 1))
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
