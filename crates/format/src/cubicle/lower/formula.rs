//! Formulas and values.
//!
//! Processes, numbers and values of types without constructors are all integers in the system; what is compared
//! or assigned must be of one type all the same.

use buttress_term::{Op, Sort, TermId, Value};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::super::lexer::{At, Wrong, wrong};
use super::super::syntax::{Expr, Ident, Kind, Quantifier};
use super::{Lowering, Type};

/// The variables in scope, with the terms that they stand for.
#[derive(Clone, Default)]
pub struct Scope {
    names: Vec<(String, Bound)>,
    /// Predicates that are being put in.
    depth: usize,
}

/// The term of a variable in scope, and its type.
#[derive(Clone)]
struct Bound {
    term: TermId,
    ty: String,
}

/// Predicates in predicates, at most.
const DEPTH: usize = 50;

const PROCESS: &str = "proc";
const NUMBER: &str = "int";

impl Scope {
    /// Names of processes.
    pub fn bind(&mut self, names: &[Ident], terms: &[TermId]) {
        names.iter().zip(terms).for_each(|(name, &term)| self.bind_value(name, term, PROCESS.to_string()));
    }

    fn bind_value(&mut self, name: &Ident, term: TermId, ty: String) {
        self.names.push((name.name.clone(), Bound { term, ty }));
    }

    fn find(&self, name: &str) -> Option<&Bound> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, bound)| bound)
    }

    pub fn get(&self, name: &str) -> Option<TermId> {
        self.find(name).map(|bound| bound.term)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

impl Lowering<'_> {
    /// A Boolean term.
    pub fn formula(&mut self, expr: &Expr, scope: &Scope) -> Result<TermId, Wrong> {
        let term = self.expr(expr, scope)?;
        match self.terms.sort(term) {
            Sort::Bool => Ok(term),
            _ => wrong(expr.at, "a formula is expected here"),
        }
    }

    /// A value of a type.
    pub fn value(&mut self, expr: &Expr, scope: &Scope, result: &Type) -> Result<TermId, Wrong> {
        let term = self.expr(expr, scope)?;
        let term = if result.sort == Sort::Real { self.real(term) } else { term };
        let integer = result.sort == Sort::Int;
        let fits = *self.terms.sort(term) == result.sort
            && (!integer || self.integer_type(expr, scope)? == result.name);
        match fits {
            true => Ok(term),
            false => wrong(expr.at, format!("a value of type `{}` is expected here", result.name)),
        }
    }

    /// The type of an expression that is an integer in the system.
    fn integer_type(&mut self, expr: &Expr, scope: &Scope) -> Result<String, Wrong> {
        let declared = |name: &str| self.symbols.get(name).map(|symbol| symbol.result.name.clone());
        Ok(match &expr.kind {
            Kind::Name(name) => match scope.find(name) {
                Some(bound) => bound.ty.clone(),
                None => declared(name).unwrap_or_else(|| NUMBER.to_string()),
            },
            Kind::Access(name, _) => declared(&name.name).unwrap_or_else(|| NUMBER.to_string()),
            Kind::Call(name, arguments) => {
                let (body, inner) = self.put_in(name, arguments, scope)?;
                self.integer_type(&body, &inner)?
            }
            Kind::If(parts) => self.integer_type(&parts[1], scope)?,
            _ => NUMBER.to_string(),
        })
    }

    /// Both are integers in the system: are they of one type, which is that of numbers where they are added?
    fn one_type(&mut self, at: At, sign: &str, parts: [&Expr; 2], scope: &Scope) -> Result<(), Wrong> {
        let [a, b] = [self.integer_type(parts[0], scope)?, self.integer_type(parts[1], scope)?];
        match a == b && (a == NUMBER || !matches!(sign, "+" | "-")) {
            true => Ok(()),
            false => wrong(at, format!("`{a}` and `{b}` are no types for `{sign}`")),
        }
    }

    /// A whole number where a real one is wanted.
    fn real(&mut self, term: TermId) -> TermId {
        match self.terms.as_constant(term) {
            Some(Value::Int(n)) => {
                let n = BigRational::from_integer(n.clone());
                self.terms.constant(Value::Real(n))
            }
            _ => term,
        }
    }

    fn expr(&mut self, expr: &Expr, scope: &Scope) -> Result<TermId, Wrong> {
        match &expr.kind {
            Kind::Int(digits) => {
                let n: BigInt = digits.parse().expect("digits are a number");
                Ok(self.terms.int(n))
            }
            Kind::Real(digits) => Ok(self.terms.constant(Value::Real(decimal(digits)))),
            Kind::Name(name) => self.name(name, expr.at, scope),
            Kind::Access(name, places) => self.access(name, places, scope),
            Kind::Call(name, arguments) => self.call(name, arguments, scope),
            Kind::Any => wrong(expr.at, "any value can only be assigned"),
            Kind::Not(inner) => {
                let inner = self.formula(inner, scope)?;
                Ok(self.terms.not(inner))
            }
            Kind::Binary(sign, left, right) => self.binary(expr.at, sign, left, right, scope),
            Kind::If(parts) => {
                let condition = self.formula(&parts[0], scope)?;
                let (then, other) = (self.expr(&parts[1], scope)?, self.expr(&parts[2], scope)?);
                if [then, other].iter().all(|&t| *self.terms.sort(t) == Sort::Int) {
                    self.one_type(expr.at, "if", [&parts[1], &parts[2]], scope)?;
                }
                self.joined(expr.at, Op::Ite, &[condition, then, other])
            }
            Kind::Quantified(..) => wrong(expr.at, "a quantifier is not supported here"),
        }
    }

    fn name(&mut self, name: &str, at: At, scope: &Scope) -> Result<TermId, Wrong> {
        if let Some(term) = scope.get(name) {
            return Ok(term);
        }
        match name {
            "True" | "true" => return Ok(self.terms.bool(true)),
            "False" | "false" => return Ok(self.terms.bool(false)),
            _ => {}
        }
        if let Some(&constructor) = self.constructors.get(name) {
            return Ok(constructor);
        }
        match self.symbols.get(name) {
            Some(symbol) if symbol.arguments == 0 => Ok(symbol.variable),
            Some(_) => wrong(at, format!("`{name}` is an array")),
            None => wrong(at, format!("`{name}` is not declared")),
        }
    }

    fn access(&mut self, name: &Ident, places: &[Ident], scope: &Scope) -> Result<TermId, Wrong> {
        let arguments = self.places(name, places, scope)?;
        let map = self.symbols[name.name.as_str()].variable;
        Ok(self.terms.call(map, &arguments).expect("an array takes processes"))
    }

    /// The processes that an array is applied to. A place of a table that is named twice is one of those that
    /// `init` says nothing of, for Cubicle: refused.
    pub fn places(&mut self, name: &Ident, places: &[Ident], scope: &Scope) -> Result<Vec<TermId>, Wrong> {
        match self.symbols.get(name.name.as_str()) {
            None => return wrong(name.at, format!("`{}` is not declared", name.name)),
            Some(symbol) if symbol.arguments != places.len() => {
                let wanted = symbol.arguments;
                return wrong(name.at, format!("`{}` takes {wanted} processes", name.name));
            }
            Some(_) => {}
        }
        let mut arguments = Vec::new();
        for place in places {
            let Some(bound) = scope.find(&place.name) else {
                return wrong(place.at, format!("`{}` is no parameter", place.name));
            };
            if bound.ty != PROCESS || *self.terms.sort(bound.term) != Sort::Int {
                return wrong(place.at, "a process is expected here");
            }
            let term = bound.term;
            if arguments.contains(&term) {
                return wrong(place.at, "the same process twice is not supported");
            }
            arguments.push(term);
        }
        Ok(arguments)
    }

    fn call(&mut self, name: &Ident, arguments: &[Expr], scope: &Scope) -> Result<TermId, Wrong> {
        let (body, inner) = self.put_in(name, arguments, scope)?;
        self.expr(&body, &inner)
    }

    /// The body of a predicate, and what its parameters are.
    fn put_in(&mut self, name: &Ident, given: &[Expr], scope: &Scope) -> Result<(Expr, Scope), Wrong> {
        let Some(&predicate) = self.predicates.get(name.name.as_str()) else {
            return wrong(name.at, format!("there is no predicate `{}`", name.name));
        };
        if predicate.parameters.len() != given.len() {
            let wanted = predicate.parameters.len();
            return wrong(name.at, format!("`{}` has {wanted} parameters", name.name));
        }
        if scope.depth >= DEPTH {
            return wrong(name.at, format!("`{}` calls itself", name.name));
        }
        let mut inner = Scope { names: Vec::new(), depth: scope.depth + 1 };
        for (parameter, argument) in predicate.parameters.iter().zip(given) {
            let (term, ty) = (self.expr(argument, scope)?, self.integer_type(argument, scope)?);
            inner.bind_value(parameter, term, ty);
        }
        Ok((predicate.body.clone(), inner))
    }

    fn binary(
        &mut self,
        at: At,
        sign: &str,
        left: &Expr,
        right: &Expr,
        scope: &Scope,
    ) -> Result<TermId, Wrong> {
        let (mut a, mut b) = (self.expr(left, scope)?, self.expr(right, scope)?);
        if [a, b].iter().all(|&t| *self.terms.sort(t) == Sort::Int) {
            self.one_type(at, sign, [left, right], scope)?;
        }
        if [a, b].iter().any(|&t| *self.terms.sort(t) == Sort::Real) {
            (a, b) = (self.real(a), self.real(b));
        }
        match sign {
            "=" => self.equal(at, a, b),
            "<>" => {
                let equal = self.equal(at, a, b)?;
                Ok(self.terms.not(equal))
            }
            _ => {
                let op = match sign {
                    "&&" => Op::And,
                    "||" => Op::Or,
                    "=>" => Op::Implies,
                    "<=>" => Op::Eq,
                    "<" => Op::Lt,
                    "<=" => Op::Le,
                    ">" => Op::Gt,
                    ">=" => Op::Ge,
                    "+" => Op::Add,
                    _ => Op::Sub,
                };
                self.joined(at, op, &[a, b])
            }
        }
    }

    /// `X = True` is X.
    fn equal(&mut self, at: At, a: TermId, b: TermId) -> Result<TermId, Wrong> {
        for (one, other) in [(a, b), (b, a)] {
            if let (Some(&Value::Bool(value)), Sort::Bool) =
                (self.terms.as_constant(one), self.terms.sort(other))
            {
                return Ok(if value { other } else { self.terms.not(other) });
            }
        }
        self.joined(at, Op::Eq, &[a, b])
    }

    fn joined(&mut self, at: At, op: Op, operands: &[TermId]) -> Result<TermId, Wrong> {
        match self.terms.apply(op, operands) {
            Ok(term) => Ok(term),
            Err(_) => wrong(at, "these are not of one type"),
        }
    }

    /// A formula whose existential quantifiers are index symbols from `count` on, and how many there are then. A
    /// negated `forall` is such a quantifier, too.
    pub fn existential(
        &mut self,
        expr: &Expr,
        scope: &Scope,
        count: usize,
    ) -> Result<(TermId, usize), Wrong> {
        match &expr.kind {
            Kind::Binary("&&", left, right) => {
                let (left, count) = self.existential(left, scope, count)?;
                let (right, count) = self.existential(right, scope, count)?;
                Ok((self.terms.and(left, right), count))
            }
            Kind::Quantified(Quantifier::Exists, names, body) => {
                let all = self.index_symbols(count + names.len());
                let mut inner = scope.clone();
                inner.bind(names, &all[count..]);
                self.existential(body, &inner, count + names.len())
            }
            Kind::Call(name, arguments) => {
                let (body, inner) = self.put_in(name, arguments, scope)?;
                self.existential(&body, &inner, count)
            }
            Kind::Not(inner) => match &inner.kind {
                Kind::Quantified(Quantifier::Forall, names, body) => {
                    let not = Expr { kind: Kind::Not(body.clone()), at: body.at };
                    let kind = Kind::Quantified(Quantifier::Exists, names.clone(), Box::new(not));
                    self.existential(&Expr { kind, at: expr.at }, scope, count)
                }
                Kind::Call(name, arguments) => {
                    let (body, inner) = self.put_in(name, arguments, scope)?;
                    let not = Expr { kind: Kind::Not(Box::new(body)), at: expr.at };
                    self.existential(&not, &inner, count)
                }
                _ => Ok((self.formula(expr, scope)?, count)),
            },
            _ => Ok((self.formula(expr, scope)?, count)),
        }
    }
}

/// `12.5` as a fraction.
fn decimal(digits: &str) -> BigRational {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let numerator: BigInt = format!("{whole}{fraction}").parse().expect("digits are a number");
    BigRational::new(numerator, BigInt::from(10).pow(fraction.len() as u32))
}
