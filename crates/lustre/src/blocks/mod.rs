//! Blocks become equations.
//!
//! ```text
//! if c then x = a; else x = b; fi      x = if c then a else b;
//! frame (x) x = i; let BODY tel        x = BODY's value of x, or i -> pre x where it gives none;
//! ```
//!
//! So the first value of a frame is for what its body leaves open, in the first step as in all others, and is read
//! once.
//!
//! Outside a frame a branch that gives a variable no value leaves it any value. The condition is one
//! expression in all the equations of a block, so that what it calls is called once. The branches of `when` blocks
//! become nodes: see [`when`].

mod lazy;
mod when;

use crate::ast::{
    Ast, BinaryOp, Equation, Expr, ExprId, ExprKind, Ident, Item, NodeDecl, Target, TypeExpr, TypeKind,
    UnaryOp, VarDecl,
};
use crate::source::{Findings, Span};

/// Replaces the blocks of all nodes. The nodes that come of `when` blocks stand before those of the file, the last
/// of which may be the main node.
pub fn flatten(ast: &mut Ast, findings: &mut Findings) {
    lazy::refuse_memory(ast, findings);
    lazy::unfold(ast);
    let mut nodes = std::mem::take(&mut ast.nodes);
    let mut branches = Vec::new();
    for node in &mut nodes {
        let mut todo = flatten_node(&mut ast.exprs, node, Otherwise::Anything, findings);
        while let Some(mut branch) = todo.pop() {
            todo.extend(flatten_node(&mut ast.exprs, &mut branch.node, branch.otherwise, findings));
            branches.push(branch.node);
        }
    }
    branches.append(&mut nodes);
    ast.nodes = branches;
}

/// Replaces the blocks of a node; what is left to do are branches.
fn flatten_node(
    exprs: &mut Vec<Expr>,
    node: &mut NodeDecl,
    otherwise: Otherwise,
    findings: &mut Findings,
) -> Vec<Branch> {
    let items = std::mem::take(&mut node.items);
    let (inits, branches) = (Vec::new(), Vec::new());
    let mut blocks = Blocks { exprs, node, out: Vec::new(), inits, branches, findings };
    for item in items {
        blocks.item(item, otherwise);
    }
    blocks.node.items = blocks.out;
    blocks.branches
}

struct Blocks<'a> {
    exprs: &'a mut Vec<Expr>,
    node: &'a mut NodeDecl,
    out: Vec<Item>,
    /// The first values of the frame that is being replaced.
    inits: Vec<Given>,
    /// Nodes that `when` blocks need.
    branches: Vec<Branch>,
    findings: &'a mut Findings,
}

/// A branch of a `when` block, as a node.
struct Branch {
    node: NodeDecl,
    otherwise: Otherwise,
}

/// An equation of a branch: a value for a variable.
#[derive(Clone)]
struct Given {
    target: Target,
    value: ExprId,
    span: Span,
    /// It comes of a `when` block.
    sampled: bool,
}

/// The value of a variable in a branch that does not define it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    Anything,
    /// `pre x`, and in the first step what the frame says.
    AsBefore,
    /// `last x`: in a branch of a `when` block of a frame.
    Last,
}

impl Blocks<'_> {
    fn item(&mut self, item: Item, otherwise: Otherwise) {
        match item {
            Item::If { .. } | Item::When { .. } => {
                let given = self.branch(vec![item], otherwise);
                self.out.extend(given.into_iter().map(equation));
            }
            Item::Frame { vars, inits, body, .. } => self.frame(&vars, inits, body),
            other => self.out.push(other),
        }
    }

    fn push(&mut self, span: Span, kind: ExprKind) -> ExprId {
        self.exprs.push(Expr { span, kind });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// The equations of the items, one for each variable.
    fn branch(&mut self, items: Vec<Item>, otherwise: Otherwise) -> Vec<Given> {
        let mut given: Vec<Given> = Vec::new();
        for item in items {
            let more = match item {
                Item::Equation(equation) => self.equation(equation),
                Item::If { cond, yes, no, span } => self.conditional(cond, yes, no, span, otherwise),
                Item::When { cond, yes, no, span } => self.when(cond, yes, no, span, otherwise),
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
            let Equation { value, span, .. } = equation;
            return vec![Given { target: target.clone(), value, span, sampled: false }];
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
            Given { target, value, span: equation.span, sampled: false }
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
        if yes.iter().chain(&no).any(|given| given.sampled) {
            self.findings.error(span, "a 'when' block cannot stand inside an 'if' block");
        }
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

    /// `any` of its type, or as before; of the element, for an array equation.
    fn otherwise(&mut self, target: &Target, otherwise: Otherwise) -> ExprId {
        let span = target.name.span;
        if otherwise != Otherwise::Anything {
            let name = self.push(span, ExprKind::Name(target.name.clone(), Vec::new()));
            let mut value = match otherwise {
                Otherwise::Last => self.last(&target.name),
                _ => self.push(span, ExprKind::Unary(UnaryOp::Pre, name)),
            };
            for index in &target.indices {
                let index = self.push(index.span, ExprKind::Name(index.clone(), Vec::new()));
                value = self.push(span, ExprKind::Index(value, index));
            }
            return if otherwise == Otherwise::AsBefore { self.after_first(target, value) } else { value };
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

    /// `init -> value` where the frame has a first value.
    fn after_first(&mut self, target: &Target, value: ExprId) -> ExprId {
        let Some(init) = self.inits.iter().find(|init| init.target.name.name == target.name.name).cloned()
        else {
            return value;
        };
        let first = self.element(&init, target);
        self.push(init.span, ExprKind::Binary(BinaryOp::Arrow, first, value))
    }

    fn frame(&mut self, vars: &[Ident], inits: Vec<Equation>, body: Vec<Item>) {
        self.inits = self.branch(inits.into_iter().map(Item::Equation).collect(), Otherwise::Anything);
        self.rename_lasts(&body);
        let mut given = self.branch(body, Otherwise::AsBefore);
        for stranger in given.iter().filter(|g| vars.iter().all(|v| v.name != g.target.name.name)) {
            let error = self.findings.error(
                stranger.target.name.span,
                format!("'{}' is not a variable of this frame", stranger.target.name.name),
            );
            error.help("list it after 'frame'");
        }
        for var in vars {
            let place = given.iter().position(|g| g.target.name.name == var.name);
            let made = match place {
                Some(place) => given.remove(place),
                None => self.untouched(var),
            };
            self.out.push(equation(made));
        }
        self.inits.clear();
    }

    /// A variable of a frame to which its body gives nothing.
    fn untouched(&mut self, var: &Ident) -> Given {
        let init = self.inits.iter().find(|init| init.target.name.name == var.name);
        let (target, span) = match init {
            Some(init) => (init.target.clone(), init.span),
            None => (Target { name: var.clone(), indices: Vec::new() }, var.span),
        };
        let value = self.otherwise(&target, Otherwise::AsBefore);
        Given { target, value, span, sampled: false }
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
