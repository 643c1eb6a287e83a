//! Blocks become equations.
//!
//! ```text
//! if c then x = a; else x = b; fi      x = if c then a else b;
//! frame (x) x = i; let BODY tel        x = i -> (BODY's value of x, or pre x where it gives none);
//! ```
//!
//! Outside a frame a branch that gives a variable no value leaves it any value. The condition is one
//! expression in all the equations of a block, so that what it calls is called once. Blocks that hold `when`
//! blocks stay: these run under a clock of their own, which is read and checked here but has no meaning yet.

use crate::ast::{
    Ast, BinaryOp, Equation, Expr, ExprId, ExprKind, Ident, Item, NodeDecl, Target, TypeExpr, TypeKind,
    UnaryOp, VarDecl,
};
use crate::source::{Findings, Span};

/// Replaces the blocks of all nodes.
pub fn flatten(ast: &mut Ast, findings: &mut Findings) {
    let mut nodes = std::mem::take(&mut ast.nodes);
    for node in &mut nodes {
        let items = std::mem::take(&mut node.items);
        let mut blocks = Blocks { exprs: &mut ast.exprs, node, out: Vec::new(), findings };
        for item in items {
            blocks.item(item);
        }
        node.items = blocks.out;
    }
    ast.nodes = nodes;
}

struct Blocks<'a> {
    exprs: &'a mut Vec<Expr>,
    node: &'a mut NodeDecl,
    out: Vec<Item>,
    findings: &'a mut Findings,
}

/// What a branch gives a variable.
struct Given {
    target: Target,
    value: ExprId,
    span: Span,
}

/// What a variable is where a branch gives it nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    Anything,
    AsBefore,
}

impl Blocks<'_> {
    fn item(&mut self, item: Item) {
        match item {
            Item::If { .. } if !has_when(&item) => {
                let given = self.branch(vec![item], Otherwise::Anything);
                self.out.extend(given.into_iter().map(equation));
            }
            Item::Frame { vars, inits, body, .. } if !body.iter().any(has_when) => {
                self.frame(&vars, inits, body)
            }
            other => self.out.push(other),
        }
    }

    fn push(&mut self, span: Span, kind: ExprKind) -> ExprId {
        self.exprs.push(Expr { span, kind });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// What the items give, each variable once.
    fn branch(&mut self, items: Vec<Item>, otherwise: Otherwise) -> Vec<Given> {
        let mut given: Vec<Given> = Vec::new();
        for item in items {
            let more = match item {
                Item::Equation(equation) => self.equation(equation),
                Item::If { cond, yes, no, span } => self.conditional(cond, yes, no, span, otherwise),
                Item::Frame { span, .. } => {
                    self.findings.error(span, "a frame cannot stand inside a block");
                    Vec::new()
                }
                other => {
                    self.out.push(other);
                    Vec::new()
                }
            };
            for one in more {
                match given.iter().find(|g| g.target.name.name == one.target.name.name) {
                    Some(_) => twice(self.findings, &one.target.name),
                    None => given.push(one),
                }
            }
        }
        given
    }

    /// An equation with several targets gets fresh variables, which are defined outside the block.
    fn equation(&mut self, equation: Equation) -> Vec<Given> {
        if let [target] = &equation.targets[..] {
            return vec![Given { target: target.clone(), value: equation.value, span: equation.span }];
        }
        if equation.targets.is_empty() {
            let error = self.findings.error(equation.span, "an equation in a block defines a variable");
            error.help("move the call out of the block");
            return Vec::new();
        }
        let fresh: Vec<Ident> = equation.targets.iter().map(|target| self.fresh(&target.name)).collect();
        let targets = fresh.iter().map(|name| Target { name: name.clone(), indices: Vec::new() }).collect();
        self.out.push(Item::Equation(Equation { targets, ..equation.clone() }));
        let give = |(target, name): (Target, Ident)| {
            let value = self.push(name.span, ExprKind::Name(name, Vec::new()));
            Given { target, value, span: equation.span }
        };
        equation.targets.into_iter().zip(fresh).map(give).collect()
    }

    /// A new local variable with the type of this one.
    fn fresh(&mut self, like: &Ident) -> Ident {
        let name =
            Ident { name: format!("{}~{}", like.name, self.node.locals.len()).into(), span: like.span };
        if let Some(var) = self.declared(&like.name) {
            self.node.locals.push(VarDecl { name: name.clone(), ..var });
        }
        name
    }

    fn declared(&self, name: &str) -> Option<VarDecl> {
        let node = &self.node;
        node.outputs.iter().chain(&node.locals).find(|var| &*var.name.name == name).cloned()
    }

    fn conditional(
        &mut self,
        cond: ExprId,
        yes: Vec<Item>,
        no: Vec<Item>,
        span: Span,
        otherwise: Otherwise,
    ) -> Vec<Given> {
        let yes = self.branch(yes, otherwise);
        let mut no = self.branch(no, otherwise);
        let mut given = Vec::new();
        for then in yes {
            let place = no.iter().position(|other| other.target.name.name == then.target.name.name);
            let other = place.map(|place| no.remove(place));
            let els = match other {
                Some(other) => {
                    self.same_indices(&then.target, &other.target);
                    other.value
                }
                None => self.otherwise(&then.target, otherwise),
            };
            let value = self.push(span, ExprKind::If(cond, then.value, els));
            given.push(Given { value, ..then });
        }
        for els in no {
            let then = self.otherwise(&els.target, otherwise);
            let value = self.push(span, ExprKind::If(cond, then, els.value));
            given.push(Given { value, ..els });
        }
        given
    }

    fn same_indices(&mut self, one: &Target, other: &Target) {
        let names = |target: &Target| target.indices.iter().map(|i| i.name.clone()).collect::<Vec<_>>();
        if names(one) != names(other) {
            let error = self.findings.error(
                other.name.span,
                format!("'{}' is given with other indices elsewhere in this block", other.name.name),
            );
            error.help("use the same index variables");
        }
    }

    /// `any` of its type, or `pre x`; of the element, for an array equation.
    fn otherwise(&mut self, target: &Target, otherwise: Otherwise) -> ExprId {
        let span = target.name.span;
        if otherwise == Otherwise::AsBefore {
            let name = self.push(span, ExprKind::Name(target.name.clone(), Vec::new()));
            let mut value = self.push(span, ExprKind::Unary(UnaryOp::Pre, name));
            for index in &target.indices {
                let index = self.push(index.span, ExprKind::Name(index.clone(), Vec::new()));
                value = self.push(span, ExprKind::Index(value, index));
            }
            return value;
        }
        let mut ty = match self.declared(&target.name.name) {
            Some(var) => var.ty,
            None => TypeExpr { span, kind: TypeKind::Bool },
        };
        for _ in &target.indices {
            if let TypeKind::Array(element, _) = ty.kind {
                ty = *element;
            }
        }
        self.push(span, ExprKind::Any { choose: false, var: None, ty: Box::new(ty), pred: None })
    }

    fn frame(&mut self, vars: &[Ident], inits: Vec<Equation>, body: Vec<Item>) {
        let mut given = self.branch(body, Otherwise::AsBefore);
        for stranger in given.iter().filter(|g| vars.iter().all(|v| v.name != g.target.name.name)) {
            let error = self.findings.error(
                stranger.target.name.span,
                format!("'{}' is not a variable of this frame", stranger.target.name.name),
            );
            error.help("list it after 'frame'");
        }
        let mut inits = self.branch(inits.into_iter().map(Item::Equation).collect(), Otherwise::Anything);
        for var in vars {
            let take = |list: &mut Vec<Given>| {
                let place = list.iter().position(|g| g.target.name.name == var.name)?;
                Some(list.remove(place))
            };
            let (init, body) = (take(&mut inits), take(&mut given));
            let made = self.framed(var, init, body);
            self.out.push(equation(made));
        }
    }

    /// `init -> body`, with `pre x` for a body that gives nothing.
    fn framed(&mut self, var: &Ident, init: Option<Given>, body: Option<Given>) -> Given {
        let target = match (&init, &body) {
            (_, Some(body)) => body.target.clone(),
            (Some(init), None) => init.target.clone(),
            (None, None) => Target { name: var.clone(), indices: Vec::new() },
        };
        let span = var.span;
        let body = match body {
            Some(body) => body.value,
            None => self.otherwise(&target, Otherwise::AsBefore),
        };
        let Some(init) = init else { return Given { target, value: body, span } };
        let first = self.element(&init, &target);
        let value = self.push(init.span, ExprKind::Binary(BinaryOp::Arrow, first, body));
        Given { target, value, span: init.span }
    }

    /// The initial value, for an array equation of one element.
    fn element(&mut self, init: &Given, target: &Target) -> ExprId {
        if init.target.indices.is_empty() {
            let mut value = init.value;
            for index in &target.indices {
                let index = self.push(index.span, ExprKind::Name(index.clone(), Vec::new()));
                value = self.push(init.span, ExprKind::Index(value, index));
            }
            return value;
        }
        self.same_indices(target, &init.target);
        init.value
    }
}

fn twice(findings: &mut Findings, name: &Ident) {
    findings.error(name.span, format!("'{}' is defined twice", name.name));
}

fn equation(given: Given) -> Item {
    Item::Equation(Equation { targets: vec![given.target], value: given.value, span: given.span })
}

/// Does a `when` block stand in it?
fn has_when(item: &Item) -> bool {
    match item {
        Item::When { .. } => true,
        Item::If { yes, no, .. } => yes.iter().chain(no).any(has_when),
        Item::Frame { body, .. } => body.iter().any(has_when),
        _ => false,
    }
}
