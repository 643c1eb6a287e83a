//! From a model of a formula to a cube that implies it, and from there to one without inputs.
//!
//! [`Implicant::collect`] walks down from formulas that hold in a model and keeps what makes them hold: of a false
//! conjunction one false conjunct, of an `ite` the condition and the branch that is taken. Arithmetic is kept
//! linear: a quotient, a remainder, an absolute value or a factor of a product is tied to what it is in the model
//! by further literals. [`Implicant::without`] then projects inputs out: Booleans fall away, numbers by
//! [`project`], and what stands under other operators gets its value in the model. So whatever comes out implies
//! that inputs exist for which the formulas hold: an exact part of a pre-image, never more.

use std::collections::{BTreeMap, BTreeSet};

use buttress_term::{Evaluation, Node, Op, Sort, TermId, Terms, Value};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::linear::{Constraint, Sum, project};

/// A conjunction.
#[derive(Default)]
pub struct Implicant {
    /// Boolean variables.
    pub booleans: BTreeMap<TermId, bool>,
    pub constraints: Vec<Constraint>,
    /// Other atoms, without `ite` inside.
    pub others: BTreeMap<TermId, bool>,
}

/// The values of the variables in a model.
pub type Values = FxHashMap<TermId, Value>;

pub fn evaluation<'a>(terms: &'a Terms, values: &Values) -> Evaluation<'a> {
    let mut evaluation = Evaluation::new(terms);
    values.iter().for_each(|(&variable, value)| evaluation.assign(variable, Some(value.clone())));
    evaluation
}

/// A number of either sort.
fn number(value: &Value) -> BigRational {
    match value {
        Value::Int(n) => BigRational::from(n.clone()),
        Value::Real(q) => q.clone(),
        other => panic!("{other} is no number"),
    }
}

impl Implicant {
    /// An implicant of these formulas, which hold in the model.
    pub fn collect(terms: &mut Terms, values: &Values, formulas: &[TermId]) -> Implicant {
        let known = all_values(terms, values, formulas);
        let mut walk = Walk { terms, known, found: Implicant::default(), seen: FxHashSet::default() };
        walk.formulas(formulas.iter().map(|&f| (f, true)).collect());
        walk.found
    }

    /// An implicant of ∃ inputs: the constraints that are left when these variables are projected out.
    pub fn without(mut self, terms: &mut Terms, values: &Values, inputs: &FxHashSet<TermId>) -> Implicant {
        self.booleans.retain(|variable, _| !inputs.contains(variable));
        let fixed = self.fixed(terms, inputs);
        self.fix(terms, values, &fixed);
        self.about_more_than(inputs);
        self.constraints = self.constraints.into_iter().map(|c| normal(terms, c)).collect();
        let known = known(terms, values, &self.constraints);
        let inside: BTreeSet<TermId> =
            self.constraints.iter().flat_map(|c| c.sum.coefficients.keys().copied()).collect();
        for &input in inside.iter().filter(|t| inputs.contains(t)) {
            self.eliminate(terms, &known, input);
        }
        self.constraints.retain(|c| !c.is_ground());
        self
    }

    /// Drops constraints about inputs alone, also by way of others that share inputs with them: the inputs of the
    /// model satisfy them, and nothing else is about these.
    fn about_more_than(&mut self, inputs: &FxHashSet<TermId>) {
        let mut readers: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
        let (mut kept, mut todo) = (vec![false; self.constraints.len()], Vec::new());
        for (place, constraint) in self.constraints.iter().enumerate() {
            for &term in constraint.sum.coefficients.keys() {
                if inputs.contains(&term) {
                    readers.entry(term).or_default().push(place);
                } else {
                    todo.push(place);
                }
            }
        }
        while let Some(place) = todo.pop() {
            if !std::mem::replace(&mut kept[place], true) {
                let terms = self.constraints[place].sum.coefficients.keys();
                todo.extend(terms.filter_map(|t| readers.remove(t)).flatten());
            }
        }
        let mut kept = kept.into_iter();
        self.constraints.retain(|_| kept.next() == Some(true));
    }

    /// Inputs that occur under operators that are not linear.
    fn fixed(&self, terms: &Terms, inputs: &FxHashSet<TermId>) -> FxHashSet<TermId> {
        let inside = self.constraints.iter().flat_map(|c| c.sum.coefficients.keys());
        let inside = inside.filter(|t| !terms.is_variable(**t)).chain(self.others.keys()).copied();
        terms.free_variables(inside).into_iter().filter(|v| inputs.contains(v)).collect()
    }

    /// Gives these inputs their values.
    fn fix(&mut self, terms: &mut Terms, values: &Values, fixed: &FxHashSet<TermId>) {
        if fixed.is_empty() {
            return;
        }
        let constant = |v: &TermId| (*v, terms.constant(values[v].clone()));
        let by: FxHashMap<TermId, TermId> = fixed.iter().map(constant).collect();
        let others = std::mem::take(&mut self.others);
        for (atom, truth) in others {
            let atom = terms.substitute(&[atom], &by)[0];
            if !terms.free_variables([atom]).is_empty() {
                self.others.insert(atom, truth);
            }
        }
        for constraint in &mut self.constraints {
            let mut sum = Sum::constant(constraint.sum.constant.clone());
            for (&term, a) in &constraint.sum.coefficients {
                let term = terms.substitute(&[term], &by)[0];
                let part = match terms.free_variables([term]).is_empty() {
                    true => Sum::constant(number(&evaluation(terms, values).value(term).expect("closed"))),
                    false => Sum::variable(term),
                };
                sum = sum.add(&part, a);
            }
            constraint.sum = sum;
        }
    }

    /// Projects an input out; the other constraints are left as they are.
    fn eliminate(&mut self, terms: &Terms, known: &FxHashMap<TermId, BigRational>, input: TermId) {
        let (about, rest): (Vec<Constraint>, Vec<Constraint>) = std::mem::take(&mut self.constraints)
            .into_iter()
            .partition(|c| c.sum.coefficients.contains_key(&input));
        let value = |sum: &Sum| {
            sum.coefficients.iter().fold(sum.constant.clone(), |total, (x, a)| total + a * &known[x])
        };
        let integral = *terms.sort(input) == Sort::Int;
        // Over a mix of sorts, what is substituted for an integer need not be one.
        let real = |c: &Constraint| c.sum.coefficients.keys().any(|&t| *terms.sort(t) == Sort::Real);
        let projected = match integral && about.iter().any(real) {
            true => None,
            false => project(&about, input, integral, &value),
        };
        let projected = projected.unwrap_or_else(|| {
            let fixed = Sum::constant(known[&input].clone());
            let give = |mut c: Constraint| {
                let a = c.sum.coefficients.remove(&input).expect("it is about the input");
                Constraint { sum: c.sum.add(&fixed, &a), ..c }
            };
            about.into_iter().map(give).collect()
        });
        self.constraints = rest;
        self.constraints.extend(projected.into_iter().filter(|c| !c.is_ground()).map(|c| normal(terms, c)));
    }
}

/// The form in which equal constraints look the same.
fn normal(terms: &Terms, constraint: Constraint) -> Constraint {
    let integral = constraint.sum.coefficients.keys().all(|&t| *terms.sort(t) == Sort::Int);
    constraint.normal(integral)
}

/// The values in the model of the terms that are added up in these constraints.
fn known(terms: &Terms, values: &Values, constraints: &[Constraint]) -> FxHashMap<TermId, BigRational> {
    let mut evaluation = evaluation(terms, values);
    let mut known: FxHashMap<TermId, BigRational> = FxHashMap::default();
    for &term in constraints.iter().flat_map(|c| c.sum.coefficients.keys()) {
        let value = || number(&evaluation.value(term).expect("all variables have values"));
        known.entry(term).or_insert_with(value);
    }
    known
}

/// The values in the model of all terms in these formulas.
fn all_values(terms: &Terms, values: &Values, formulas: &[TermId]) -> Values {
    let mut evaluation = evaluation(terms, values);
    let cone = terms.cone(formulas.iter().copied());
    cone.into_iter().filter_map(|t| Some((t, evaluation.value(t)?))).collect()
}

struct Walk<'a> {
    terms: &'a mut Terms,
    /// The values of all that the formulas are made of.
    known: Values,
    found: Implicant,
    seen: FxHashSet<(TermId, bool)>,
}

impl Walk<'_> {
    fn value(&self, term: TermId) -> Value {
        self.known[&term].clone()
    }

    fn holds(&self, term: TermId) -> bool {
        self.value(term).as_bool().expect("a formula")
    }

    /// All these formulas have these truth values in the model.
    fn formulas(&mut self, mut todo: Vec<(TermId, bool)>) {
        while let Some((term, truth)) = todo.pop() {
            if self.seen.insert((term, truth)) {
                self.formula(term, truth, &mut todo);
            }
        }
    }

    fn formula(&mut self, term: TermId, truth: bool, todo: &mut Vec<(TermId, bool)>) {
        let (op, operands) = match self.terms.node(term) {
            Node::Constant(_) => return,
            Node::Variable(_) => {
                self.found.booleans.insert(term, truth);
                return;
            }
            Node::Apply(op, _, operands) => (op, operands.to_vec()),
        };
        let boolean = |t: TermId, terms: &Terms| *terms.sort(t) == Sort::Bool;
        match op {
            Op::Not => todo.push((operands[0], !truth)),
            Op::And | Op::Or if truth == (op == Op::And) => todo.extend(operands.iter().map(|&t| (t, truth))),
            Op::And | Op::Or => {
                let decides = operands.iter().find(|&&t| self.holds(t) == truth);
                todo.push((*decides.expect("some operand decides"), truth));
            }
            Op::Implies if truth && !self.holds(operands[0]) => todo.push((operands[0], false)),
            Op::Implies if truth => todo.push((operands[1], true)),
            Op::Implies => todo.extend([(operands[0], true), (operands[1], false)]),
            Op::Xor => todo.extend(operands.iter().map(|&t| (t, self.holds(t)))),
            Op::Eq | Op::Distinct if boolean(operands[0], self.terms) => {
                todo.extend(operands.iter().map(|&t| (t, self.holds(t))));
            }
            Op::Ite => {
                let taken = self.holds(operands[0]);
                todo.extend([(operands[0], taken), (operands[if taken { 1 } else { 2 }], truth)]);
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => self.comparison(op, &operands, truth),
            Op::Eq if self.is_number(operands[0]) => self.equation(operands[0], operands[1]),
            Op::Distinct if self.is_number(operands[0]) => self.distinct(&operands),
            _ => {
                let resolved = self.resolved(term);
                self.found.others.insert(resolved, truth);
            }
        }
    }

    fn is_number(&self, term: TermId) -> bool {
        self.terms.sort(term).is_numeric()
    }

    /// a ⋈ b, or its negation.
    fn comparison(&mut self, op: Op, operands: &[TermId], truth: bool) {
        let (a, b) = (self.sum(operands[0]), self.sum(operands[1]));
        let (small, large, strict) = match (op, truth) {
            (Op::Lt, true) | (Op::Ge, false) => (a, b, true),
            (Op::Le, true) | (Op::Gt, false) => (a, b, false),
            (Op::Gt, true) | (Op::Le, false) => (b, a, true),
            _ => (b, a, false),
        };
        self.at_most(small, &large, strict);
    }

    /// small ≤ large, or small < large
    fn at_most(&mut self, small: Sum, large: &Sum, strict: bool) {
        let sum = small.add(large, &-BigRational::one());
        self.found.constraints.push(Constraint { sum, strict });
    }

    /// a = b, or the order in which they differ.
    fn equation(&mut self, a: TermId, b: TermId) {
        let order = number(&self.value(a)).cmp(&number(&self.value(b)));
        let (a, b) = (self.sum(a), self.sum(b));
        match order {
            std::cmp::Ordering::Equal => {
                self.at_most(a.clone(), &b, false);
                self.at_most(b, &a, false);
            }
            std::cmp::Ordering::Less => self.at_most(a, &b, true),
            std::cmp::Ordering::Greater => self.at_most(b, &a, true),
        }
    }

    /// All pairs as they are; too much where they are not all distinct, and never wrong.
    fn distinct(&mut self, operands: &[TermId]) {
        for (i, &a) in operands.iter().enumerate() {
            operands[..i].iter().for_each(|&b| self.equation(a, b));
        }
    }

    /// A number as a linear sum; what it rests on joins the literals.
    fn sum(&mut self, term: TermId) -> Sum {
        let (op, operands) = match self.terms.node(term) {
            Node::Constant(value) => return Sum::constant(number(value)),
            Node::Variable(_) => return Sum::variable(term),
            Node::Apply(op, _, operands) => (op, operands.to_vec()),
        };
        let one = BigRational::one();
        match op {
            Op::Add => operands.iter().fold(Sum::default(), |sum, &t| sum.add(&self.sum(t), &one)),
            Op::Sub => {
                let b = self.sum(operands[1]);
                self.sum(operands[0]).add(&b, &-one)
            }
            Op::Neg => self.sum(operands[0]).times(&-one),
            Op::ToReal => self.sum(operands[0]),
            Op::Mul => self.product(&operands),
            Op::RealDiv => {
                let divisor = self.tied(operands[1]);
                match divisor.is_zero() {
                    true => Sum::default(),
                    false => self.sum(operands[0]).times(&divisor.recip()),
                }
            }
            Op::Ite => {
                let taken = self.holds(operands[0]);
                self.formulas(vec![(operands[0], taken)]);
                self.sum(operands[if taken { 1 } else { 2 }])
            }
            Op::Abs => {
                let negative = number(&self.value(operands[0])).is_negative();
                let inner = self.sum(operands[0]);
                let signed = if negative { inner.times(&-one) } else { inner };
                self.at_most(Sum::default(), &signed, false);
                signed
            }
            Op::IntDiv | Op::IntMod => self.quotient(op, &operands),
            Op::ToInt => {
                let floor = number(&self.value(term));
                let inner = self.sum(operands[0]);
                self.at_most(Sum::constant(floor.clone()), &inner, false);
                self.at_most(inner, &Sum::constant(floor.clone() + one), true);
                Sum::constant(floor)
            }
            _ => Sum::variable(self.resolved(term)),
        }
    }

    /// All factors but the last that is not a constant are tied to their values.
    fn product(&mut self, operands: &[TermId]) -> Sum {
        let open = operands.iter().rposition(|&t| self.terms.as_constant(t).is_none());
        let mut factor = BigRational::one();
        for (i, &t) in operands.iter().enumerate() {
            if Some(i) != open {
                factor *= self.tied(t);
            }
        }
        match open {
            Some(open) => self.sum(operands[open]).times(&factor),
            None => Sum::constant(factor),
        }
    }

    /// The value of a term, with literals that say that it has this value.
    fn tied(&mut self, term: TermId) -> BigRational {
        let value = number(&self.value(term));
        let sum = self.sum(term);
        if !sum.coefficients.is_empty() {
            self.at_most(sum.clone(), &Sum::constant(value.clone()), false);
            self.at_most(Sum::constant(value.clone()), &sum, false);
        }
        value
    }

    /// n·q ≤ a < n·q + |n| for the quotient q in the model.
    fn quotient(&mut self, op: Op, operands: &[TermId]) -> Sum {
        let divisor = self.tied(operands[1]);
        let dividend = self.sum(operands[0]);
        if divisor.is_zero() {
            return if op == Op::IntMod { dividend } else { Sum::default() };
        }
        let quotient = (number(&self.value(operands[0])) / divisor.abs()).floor() * divisor.signum();
        let lowest = Sum::constant(&quotient * &divisor);
        let beyond = Sum::constant(&quotient * &divisor + divisor.abs());
        self.at_most(lowest.clone(), &dividend, false);
        self.at_most(dividend.clone(), &beyond, true);
        match op {
            Op::IntMod => dividend.add(&lowest, &-BigRational::one()),
            _ => Sum::constant(quotient),
        }
    }

    /// The term with the branches that are taken instead of every `ite`; the conditions join the literals.
    fn resolved(&mut self, term: TermId) -> TermId {
        let mut by: FxHashMap<TermId, TermId> = FxHashMap::default();
        for part in self.terms.cone([term]) {
            if let Node::Apply(Op::Ite, _, &[condition, a, b]) = self.terms.node(part)
                && part != term
            {
                let taken = self.holds(condition);
                self.formulas(vec![(condition, taken)]);
                let branch = if taken { a } else { b };
                let branch = by.get(&branch).copied().unwrap_or(branch);
                let branch = self.terms.substitute(&[branch], &by)[0];
                by.insert(part, branch);
            }
        }
        match self.terms.node(term) {
            Node::Apply(Op::Ite, _, &[condition, a, b]) => {
                let taken = self.holds(condition);
                self.formulas(vec![(condition, taken)]);
                self.terms.substitute(&[if taken { a } else { b }], &by)[0]
            }
            _ => self.terms.substitute(&[term], &by)[0],
        }
    }
}
