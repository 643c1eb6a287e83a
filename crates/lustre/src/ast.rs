//! The syntax tree. Expressions live in one vector and refer to each other by [`ExprId`], so that later
//! phases keep what they learn (types, what a name means) in tables of the same length.

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::source::Span;

pub type Name = Arc<str>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// An expression: its place in [`Ast::exprs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

#[derive(Default, Debug)]
pub struct Ast {
    pub exprs: Vec<Expr>,
    /// `a and then b`, `a or else b`, `a ==> b` and `when a then b else c`, in the order of the text.
    pub lazy: Vec<ExprId>,
    pub types: Vec<TypeDecl>,
    pub consts: Vec<ConstDecl>,
    pub nodes: Vec<NodeDecl>,
    pub contracts: Vec<ContractDecl>,
}

impl Ast {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.expr(id).kind
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.expr(id).span
    }
}

#[derive(Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: ExprKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Not,
    Neg,
    BitNot,
    Pre,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// `/`
    Slash,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Implies,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    Concat,
    BitAnd,
    BitOr,
    ShiftLeft,
    ShiftRight,
    Arrow,
}

/// The target type of a conversion: `real(x)`, `int x`, `(uint8 x)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastTo {
    Int,
    Real,
    Machine(Machine),
}

/// A machine integer: `int8`, `uint<23>`, …
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    pub signed: bool,
    pub width: u32,
}

/// A node to call, with its type arguments and arguments.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: Ident,
    pub types: Vec<TypeExpr>,
    pub args: Vec<ExprId>,
}

#[derive(Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(BigInt),
    Real(BigRational),
    Name(Ident, Vec<TypeExpr>),
    /// `::contract::mode`
    Mode(Vec<Ident>),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `if` and the lazy `when … then … else`.
    If(ExprId, ExprId, ExprId),
    Cast(CastTo, ExprId),
    Call(Call),
    Condact {
        clock: ExprId,
        call: Call,
        restart: Option<ExprId>,
        defaults: Vec<ExprId>,
    },
    /// `(activate N every c)(…)`, without defaults.
    Activate {
        clock: ExprId,
        call: Call,
        restart: Option<ExprId>,
    },
    Restart {
        call: Call,
        every: ExprId,
    },
    Merge {
        clock: Ident,
        cases: Vec<(Ident, ExprId)>,
    },
    When(ExprId, Clock),
    /// `point {x = 1; y = 2}`
    Record {
        name: Ident,
        types: Vec<TypeExpr>,
        fields: Vec<(Ident, ExprId)>,
    },
    Field(ExprId, Ident),
    Index(ExprId, ExprId),
    /// `x[26:14]`
    Extract(ExprId, u32, u32),
    /// `e[i := v]`, and for records `e[f := v]` or `e{f := v}`.
    Update(ExprId, ExprId, ExprId),
    UpdateField(ExprId, Ident, ExprId),
    Array(Vec<ExprId>),
    /// `e ^ n`
    Repeat(ExprId, ExprId),
    /// `'(a, b)`
    Tuple(Vec<ExprId>),
    /// `(a, b)`: several flows.
    List(Vec<ExprId>),
    Quantifier {
        all: bool,
        vars: Vec<VarDecl>,
        body: ExprId,
    },
    /// `any@<T>`, `any {x: T | p}`; `choose` likewise.
    Any {
        choose: bool,
        var: Option<Ident>,
        ty: Box<TypeExpr>,
        pred: Option<ExprId>,
    },
    Match {
        value: ExprId,
        arms: Vec<(Pattern, ExprId)>,
    },
    Ascribe(ExprId, Box<TypeExpr>),
    /// `Some?(x)`
    Test(Ident, ExprId),
    Last(Ident),
    MapLiteral {
        types: Option<Box<(TypeExpr, TypeExpr)>>,
        entries: Vec<(ExprId, ExprId)>,
    },
    SetLiteral {
        ty: Option<Box<TypeExpr>>,
        elements: Vec<ExprId>,
    },
    /// An expression that could not be read; an error was reported.
    Error,
}

impl ExprKind {
    /// Calls `visit` for each direct part that is an expression, in the order of the text; types are left out.
    pub fn each_child(&self, visit: &mut dyn FnMut(ExprId)) {
        use ExprKind::*;
        match self {
            Bool(_) | Int(_) | Real(_) | Name(..) | Mode(_) | Last(_) | Error => {}
            Unary(_, a)
            | Cast(_, a)
            | When(a, _)
            | Field(a, _)
            | Extract(a, ..)
            | Ascribe(a, _)
            | Test(_, a) => visit(*a),
            Binary(_, a, b) | Index(a, b) | UpdateField(a, _, b) | Repeat(a, b) => {
                [*a, *b].into_iter().for_each(visit)
            }
            If(a, b, c) | Update(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
            Call(call) => call.args.iter().copied().for_each(visit),
            Condact { clock, call, restart, defaults } => {
                visit(*clock);
                restart.iter().chain(&call.args).chain(defaults).copied().for_each(visit);
            }
            Activate { clock, call, restart } => {
                visit(*clock);
                restart.iter().chain(&call.args).copied().for_each(visit);
            }
            Restart { call, every } => {
                visit(*every);
                call.args.iter().copied().for_each(visit);
            }
            Merge { cases, .. } => cases.iter().for_each(|case| visit(case.1)),
            Record { fields, .. } => fields.iter().for_each(|field| visit(field.1)),
            Array(parts) | Tuple(parts) | List(parts) | SetLiteral { elements: parts, .. } => {
                parts.iter().copied().for_each(visit);
            }
            Quantifier { body, .. } => visit(*body),
            Any { pred, .. } => pred.iter().copied().for_each(visit),
            Match { value, arms } => {
                visit(*value);
                arms.iter().for_each(|arm| visit(arm.1));
            }
            MapLiteral { entries, .. } => {
                entries.iter().for_each(|&(key, value)| [key, value].into_iter().for_each(&mut *visit))
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Pattern {
    pub span: Span,
    /// A constructor, a variable, or `_`.
    pub name: Ident,
    pub args: Vec<Pattern>,
}

/// A sampling: `c`, `not c`, `A(c)`, `true`.
#[derive(Clone, Debug)]
pub enum Clock {
    Base,
    On(Ident),
    NotOn(Ident),
    Is(Ident, Ident),
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub span: Span,
    pub kind: TypeKind,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Bool,
    Int,
    Real,
    Machine(Machine),
    /// `*` is `None`.
    Subrange(Option<ExprId>, Option<ExprId>),
    Named(Ident, Vec<TypeExpr>),
    Tuple(Vec<TypeExpr>),
    Array(Box<TypeExpr>, ExprId),
    Refined(Ident, Box<TypeExpr>, ExprId),
    Set(Box<TypeExpr>),
    Map(Box<TypeExpr>, Box<TypeExpr>),
    /// The values that a stream had so far; only in quantifiers.
    History(Ident),
}

#[derive(Debug)]
pub struct TypeDecl {
    pub name: Ident,
    pub params: Vec<Ident>,
    pub body: TypeBody,
}

#[derive(Debug)]
pub enum TypeBody {
    Free,
    Alias(TypeExpr),
    Enum(Vec<Ident>),
    Record(Vec<(Ident, TypeExpr)>),
    Data(Vec<Constructor>),
}

#[derive(Clone, Debug)]
pub struct Constructor {
    pub name: Ident,
    pub fields: Vec<(Ident, TypeExpr)>,
}

#[derive(Debug)]
pub struct ConstDecl {
    pub name: Ident,
    pub ty: Option<TypeExpr>,
    /// Without one the constant is free.
    pub value: Option<ExprId>,
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub name: Ident,
    pub ty: TypeExpr,
    pub clock: Clock,
    pub constant: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    Node,
    Function,
    Lemma,
}

#[derive(Debug)]
pub struct NodeDecl {
    pub name: Ident,
    pub kind: NodeKind,
    /// It has no body.
    pub imported: bool,
    /// `function rec`.
    pub recursive: bool,
    pub params: Vec<Ident>,
    pub inputs: Vec<VarDecl>,
    pub outputs: Vec<VarDecl>,
    pub contract: Vec<ContractItem>,
    pub locals: Vec<VarDecl>,
    pub consts: Vec<ConstDecl>,
    pub items: Vec<Item>,
}

#[derive(Debug)]
pub struct ContractDecl {
    pub name: Ident,
    pub params: Vec<Ident>,
    pub inputs: Vec<VarDecl>,
    pub outputs: Vec<VarDecl>,
    pub items: Vec<ContractItem>,
}

/// The left side of an equation: `x`, or `x[i][j]` with bound indices.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: Ident,
    pub indices: Vec<Ident>,
}

#[derive(Clone, Debug)]
pub struct Equation {
    pub targets: Vec<Target>,
    pub value: ExprId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Item {
    Equation(Equation),
    Assert(ExprId, Span),
    Property(Property),
    Main(Span),
    Ivc(Vec<Ident>),
    Realizable(Vec<Ident>, Span),
    If {
        cond: ExprId,
        yes: Vec<Item>,
        no: Vec<Item>,
        span: Span,
    },
    When {
        cond: ExprId,
        yes: Vec<Item>,
        no: Vec<Item>,
        span: Span,
    },
    Frame {
        vars: Vec<Ident>,
        inits: Vec<Equation>,
        body: Vec<Item>,
        span: Span,
    },
    /// A call in a lemma.
    Invoke(ExprId),
    /// `auto` in a lemma.
    Auto(Span),
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: Option<Name>,
    pub value: ExprId,
    pub provided: Option<ExprId>,
    /// It is to be reached, in these steps.
    pub reachable: Option<Window>,
    pub span: Span,
}

/// Steps, from 0: `from m`, `within n`, `at n`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Window {
    pub from: u32,
    pub to: Option<u32>,
}

impl Window {
    pub fn is_limited(self) -> bool {
        self != Window::default()
    }

    /// The step from which on all steps are alike.
    pub fn counted(self) -> u32 {
        self.to.map_or(self.from, |to| to.saturating_add(1))
    }
}

#[derive(Debug)]
pub enum ContractItem {
    GhostVars(Vec<VarDecl>, ExprId, Span),
    GhostConst(ConstDecl),
    Assume(Clause),
    Guarantee(Clause),
    Mode { name: Ident, requires: Vec<Clause>, ensures: Vec<Clause> },
    Import { name: Ident, types: Vec<TypeExpr>, args: Vec<ExprId>, outs: Vec<Ident>, span: Span },
    Decreases(Vec<ExprId>, Span),
    AssumptionVars(Vec<Ident>),
}

/// A part of a contract, with the name that its user gave it.
#[derive(Clone, Debug)]
pub struct Clause {
    pub name: Option<Name>,
    pub value: ExprId,
    pub span: Span,
}
