//! The syntax tree of a Cubicle file.

use super::lexer::At;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Ident {
    pub name: String,
    pub at: At,
}

#[derive(Default, Debug)]
pub struct File {
    pub types: Vec<Type>,
    pub variables: Vec<Variable>,
    pub predicates: Vec<Predicate>,
    pub init: Option<Cube>,
    pub unsafe_states: Vec<Cube>,
    /// `invariant` and `candidate`.
    pub hints: Vec<Cube>,
    pub transitions: Vec<Transition>,
}

/// `type t = A | B`; without constructors, a type with equality only.
#[derive(Debug)]
pub struct Type {
    pub name: Ident,
    pub constructors: Vec<Ident>,
}

/// `var`, `const` or `array`.
#[derive(Debug)]
pub struct Variable {
    pub name: Ident,
    /// How many processes it takes.
    pub arguments: usize,
    pub result: Ident,
    pub constant: bool,
}

/// `predicate p (x y) { … }`: a formula with a name.
#[derive(Debug)]
pub struct Predicate {
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub body: Expr,
}

/// Parameters and a formula about them.
#[derive(Debug)]
pub struct Cube {
    pub at: At,
    pub parameters: Vec<Ident>,
    pub body: Expr,
}

#[derive(Debug)]
pub struct Transition {
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub requires: Option<Expr>,
    pub updates: Vec<Update>,
}

#[derive(Debug)]
pub struct Update {
    pub target: Ident,
    /// In `A[i] := …`.
    pub places: Vec<Ident>,
    pub value: Assigned,
}

#[derive(Debug)]
pub enum Assigned {
    Expr(Expr),
    /// Conditions and values; the last condition is missing for `_`.
    Case(Vec<(Option<Expr>, Expr)>),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Kind,
    pub at: At,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Int(String),
    Real(String),
    /// A parameter, a variable, a constructor, `True`, `False`.
    Name(String),
    /// `A[i, j]`
    Access(Ident, Vec<Ident>),
    /// `p(x, Value)`
    Call(Ident, Vec<Expr>),
    /// `?` and `.`
    Any,
    Not(Box<Expr>),
    /// `&&`, `||`, `=>`, `<=>`, `=`, `<>`, `<`, `<=`, `>`, `>=`, `+`, `-`
    Binary(&'static str, Box<Expr>, Box<Expr>),
    If(Box<[Expr; 3]>),
    /// `forall x y.`, `exists x.`, `forall_other x.`; with `<>`, the names are distinct, as they are anyway.
    Quantified(Quantifier, Vec<Ident>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    Forall,
    Exists,
    ForallOther,
}
