//! Functions: maps from integers (or any sort) to values, as CLU has them (Bryant, Lahiri, Seshia, CAV 2002;
//! Lahiri & Bryant, "Constructing Quantified Invariants via Predicate Abstraction", VMCAI 2004, section 2).
//!
//! A map of one argument has an array sort, a map of several an array of arrays. Application is [`Op::Select`];
//! [`Op::Lambda`] makes a map of a body and the variable that it binds. So a map of SMT-LIB 2.7, `(-> Int Int
//! Bool)`, an n-ary function and an array are one thing, and a `store` is a map that differs in one place.
//!
//! * [`Terms::replace`]: simultaneous substitution e[π/A] that captures nothing: a bound variable that a
//!   replacement reads gets a new name.
//! * [`Terms::reduce`]: β-reduction, (λu.e)(t) = e[t/u], to the end. What is left applies variables, so that a
//!   solver without lambda can read it.
//! * [`evaluate`]: the value of a term where variables, maps included, are given by an [`Interpretation`]. A map
//!   is never made into a table, so λu.u has a value at each place.
//!
//! Limits: arguments are not maps themselves; two maps are not compared by evaluation, and reduction leaves such a
//! comparison as it is.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::{Call, Op};
use crate::{Node, Sort, TermError, TermId, Terms, Value};

impl Sort {
    /// The sort of maps with these arguments.
    pub fn map(arguments: &[Sort], result: Sort) -> Sort {
        arguments.iter().rev().fold(result, |result, argument| Sort::array(argument.clone(), result))
    }

    /// The sort of a map's values once all its arguments are given, and how many these are.
    pub fn after_arguments(&self) -> (&Sort, usize) {
        let (mut sort, mut count) = (self, 0);
        while let Sort::Array(array) = sort {
            (sort, count) = (&array.element, count + 1);
        }
        (sort, count)
    }
}

/// Building and taking apart.
impl Terms {
    /// A map applied to all its arguments.
    pub fn call(&mut self, map: TermId, arguments: &[TermId]) -> Result<TermId, TermError> {
        arguments.iter().try_fold(map, |map, &argument| self.apply(Op::Select, &[map, argument]))
    }

    fn as_lambda(&self, term: TermId) -> Option<(TermId, TermId)> {
        match self.node(term) {
            Node::Apply(Op::Lambda, _, &[parameter, body]) => Some((parameter, body)),
            _ => None,
        }
    }

    /// The variables that a term reads and does not bind, in the order of their making.
    pub(crate) fn unbound(&self, root: TermId) -> Vec<TermId> {
        let mut reads: FxHashMap<TermId, FxHashSet<TermId>> = FxHashMap::default();
        for term in self.cone([root]) {
            let mut own: FxHashSet<TermId> = match self.is_variable(term) {
                true => [term].into_iter().collect(),
                false => self.operands(term).iter().flat_map(|t| reads[t].iter().copied()).collect(),
            };
            if let Some((parameter, _)) = self.as_lambda(term) {
                own.remove(&parameter);
            }
            reads.insert(term, own);
        }
        let mut variables: Vec<TermId> = reads[&root].iter().copied().collect();
        variables.sort_unstable();
        variables
    }
}

/// Substitution and reduction.
impl Terms {
    /// root[π/A]: all at once, nothing captured. Only variables are replaced.
    pub fn replace(&mut self, root: TermId, by: &FxHashMap<TermId, TermId>) -> TermId {
        Replacement { by, read: None, known: FxHashMap::default() }.of(self, root)
    }

    /// Reduces a term: no application of a lambda, a store, a constant array or a case distinction is left.
    pub fn reduce(&mut self, root: TermId) -> TermId {
        self.reduced(root, &mut FxHashMap::default())
    }

    fn reduced(&mut self, term: TermId, known: &mut FxHashMap<TermId, TermId>) -> TermId {
        if let Some(&known) = known.get(&term) {
            return known;
        }
        let operands = self.operands(term).to_vec();
        let operands: Vec<TermId> = operands.iter().map(|&t| self.reduced(t, known)).collect();
        let new = match self.node(term) {
            Node::Apply(Op::Select, ..) => self.applied(operands[0], operands[1]),
            Node::Apply(..) => self.with_operands(term, &operands),
            _ => term,
        };
        known.insert(term, new);
        new
    }

    /// map(argument), both reduced.
    fn applied(&mut self, map: TermId, argument: TermId) -> TermId {
        match self.node(map) {
            Node::Apply(Op::Lambda, _, &[parameter, body]) => {
                self.replace(body, &[(parameter, argument)].into_iter().collect())
            }
            Node::Apply(Op::Ite, _, &[condition, then, other]) => {
                let (then, other) = (self.applied(then, argument), self.applied(other, argument));
                self.ite(condition, then, other)
            }
            Node::Apply(Op::Store, _, &[before, place, element]) => {
                let here = self.eq(argument, place);
                let before = self.applied(before, argument);
                self.ite(here, element, before)
            }
            Node::Apply(Op::ConstArray, _, &[element]) => element,
            _ => self.app(Op::Select, &[map, argument]),
        }
    }

    /// For each application of a map to an enumeration that these terms read: that its value is one of the
    /// constants. A solver that has numbers in their place must be told.
    pub fn ranges(&mut self, roots: &[TermId]) -> Vec<TermId> {
        let mut facts = Vec::new();
        for term in self.cone(roots.iter().copied()) {
            let (Node::Apply(Op::Select, ..), sort @ Sort::Enum(e)) = (self.node(term), self.sort(term))
            else {
                continue;
            };
            let (sort, count) = (sort.clone(), e.constants.len() as u32);
            let mut one_of = Vec::new();
            for index in 0..count {
                let constant = self.enum_constant(&sort, index);
                one_of.push(self.eq(term, constant));
            }
            facts.push(self.any(&one_of));
        }
        facts
    }
}

/// A substitution on its way through a term.
struct Replacement<'a> {
    by: &'a FxHashMap<TermId, TermId>,
    /// The variables that the replacements read: bound variables among these would capture. Found when the first
    /// lambda is met.
    read: Option<FxHashSet<TermId>>,
    known: FxHashMap<TermId, TermId>,
}

impl Replacement<'_> {
    fn of(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let new = match terms.as_lambda(term) {
            _ if self.by.contains_key(&term) => {
                let new = self.by[&term];
                assert_eq!(terms.sort(term), terms.sort(new), "a replacement has the same sort");
                new
            }
            Some((parameter, body)) => self.lambda(terms, parameter, body),
            None => {
                let operands = terms.operands(term).to_vec();
                let operands: Vec<TermId> = operands.iter().map(|&t| self.of(terms, t)).collect();
                terms.with_operands(term, &operands)
            }
        };
        self.known.insert(term, new);
        new
    }

    fn lambda(&mut self, terms: &mut Terms, parameter: TermId, body: TermId) -> TermId {
        let by = self.by;
        let read = self.read.get_or_insert_with(|| by.values().flat_map(|&t| terms.unbound(t)).collect());
        if !read.contains(&parameter) && !self.by.contains_key(&parameter) {
            let body = self.of(terms, body);
            return terms.lambda(parameter, body);
        }
        let Node::Variable(name) = terms.node(parameter) else { unreachable!("a lambda binds a variable") };
        let (name, sort) = (name.to_string(), terms.sort(parameter).clone());
        let fresh = terms.variable(name, sort);
        let mut by = self.by.clone();
        by.insert(parameter, fresh);
        let body = terms.replace(body, &by);
        terms.lambda(fresh, body)
    }
}

/// An interpretation of variables.
pub trait Interpretation {
    /// The value of a variable, applied to these arguments if it is a map; `None` if it is not known.
    fn value(&self, variable: TermId, arguments: &[Value]) -> Option<Value>;
}

/// The value of a term, applied to these arguments if it is a map. `None` if it depends on what is not known, or
/// compares maps.
pub fn evaluate(terms: &Terms, term: TermId, arguments: &[Value], by: &dyn Interpretation) -> Option<Value> {
    Machine { terms, by }.value(term, arguments, &mut Vec::new(), &mut FxHashMap::default())
}

struct Machine<'a> {
    terms: &'a Terms,
    by: &'a dyn Interpretation,
}

/// Bound variables with their values, the innermost last.
type Bound = Vec<(TermId, Value)>;

/// Values of terms without arguments, under the same bound variables.
type Known = FxHashMap<TermId, Option<Value>>;

impl Machine<'_> {
    fn value(
        &self,
        term: TermId,
        arguments: &[Value],
        bound: &mut Bound,
        known: &mut Known,
    ) -> Option<Value> {
        if !arguments.is_empty() {
            return self.map(term, arguments, bound, known);
        }
        if let Some(value) = known.get(&term) {
            return value.clone();
        }
        let value = self.plain(term, bound, known);
        known.insert(term, value.clone());
        value
    }

    fn plain(&self, term: TermId, bound: &mut Bound, known: &mut Known) -> Option<Value> {
        match self.terms.node(term) {
            Node::Constant(value) => Some(value.clone()),
            Node::Variable(_) => match bound.iter().rev().find(|(variable, _)| *variable == term) {
                Some((_, value)) => Some(value.clone()),
                None => self.by.value(term, &[]),
            },
            Node::Apply(Op::Select, _, &[map, argument]) => {
                let argument = self.value(argument, &[], bound, known)?;
                self.map(map, &[argument], bound, known)
            }
            Node::Apply(Op::Ite, _, &[condition, then, other]) => {
                let condition = self.value(condition, &[], bound, known)?.as_bool()?;
                self.value(if condition { then } else { other }, &[], bound, known)
            }
            Node::Apply(op, indices, operands) => {
                if operands.iter().any(|&t| self.terms.sort(t).as_array().is_some()) {
                    return None;
                }
                let mut values = Vec::new();
                for &operand in operands {
                    values.push(self.value(operand, &[], bound, known)?);
                }
                let args: Vec<&Value> = values.iter().collect();
                Some((op.row().eval)(&Call { indices, sort: self.terms.sort(term), args: &args }))
            }
        }
    }

    /// A map applied to at least one argument.
    fn map(&self, map: TermId, arguments: &[Value], bound: &mut Bound, known: &mut Known) -> Option<Value> {
        match self.terms.node(map) {
            Node::Variable(_) => self.by.value(map, arguments),
            Node::Constant(Value::Array(array)) => applied_value(array.get(&arguments[0]), &arguments[1..]),
            Node::Constant(_) => None,
            Node::Apply(Op::Lambda, _, &[parameter, body]) => {
                bound.push((parameter, arguments[0].clone()));
                let value = self.value(body, &arguments[1..], bound, &mut FxHashMap::default());
                bound.pop();
                value
            }
            Node::Apply(Op::Select, _, &[map, first]) => {
                let first = self.value(first, &[], bound, known)?;
                let all: Vec<Value> = std::iter::once(first).chain(arguments.iter().cloned()).collect();
                self.map(map, &all, bound, known)
            }
            Node::Apply(Op::Ite, _, &[condition, then, other]) => {
                let condition = self.value(condition, &[], bound, known)?.as_bool()?;
                self.map(if condition { then } else { other }, arguments, bound, known)
            }
            Node::Apply(Op::Store, _, &[before, place, element]) => {
                let here = self.value(place, &[], bound, known)? == arguments[0];
                let (map, arguments) = if here { (element, &arguments[1..]) } else { (before, arguments) };
                self.value(map, arguments, bound, known)
            }
            Node::Apply(Op::ConstArray, _, &[element]) => self.value(element, &arguments[1..], bound, known),
            Node::Apply(..) => None,
        }
    }
}

/// The value of a table at a place.
pub fn applied_value(value: &Value, arguments: &[Value]) -> Option<Value> {
    match (value, arguments) {
        (value, []) => Some(value.clone()),
        (Value::Array(array), [first, rest @ ..]) => applied_value(array.get(first), rest),
        _ => None,
    }
}
