//! Finite models: integers with bounds become words, so that engines on bits can take them.
//!
//! The result has the same properties, constraints and names, with words in two's complement for integers. Each
//! term gets a word that holds every value that it can have ([`facts`]), so nothing ever wraps. What no property
//! and no constraint reads is left out.
//!
//! A variable with bounds is read in two ways. Its constraint compares all of its bits, which hold every value
//! that the step before may give it. Everything else reads as many bits as its bounds need: where it is outside,
//! the constraint ends the execution, and what else is computed there does not matter.
//!
//! Integers without bounds, reals, and arrays of either or indexed by either are refused; the answer names a
//! variable that has them.
//!
//! The [way](crate::Way) back takes a trace and a proof about words to ones about integers.
//! The proof brings the bounds that the words rest on, so that whoever checks it need not trust them. The way
//! down takes lemmas about integers to the words.

mod back;
mod facts;
mod interval;
mod lower;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use buttress_system::words::{Fault, Label, Named, Property, Role, StateId, System};
use buttress_term::{Node, Op, Sort, TermId, Value};

use back::Back;
use facts::{Fact, Facts, bound, conjuncts};
use interval::Interval;

pub use back::Finite;

/// Wider words are not worth a try.
const WIDEST: u32 = 512;

/// The system with words for its integers; the same where it has none.
pub fn finite(system: &Arc<System>) -> Result<Finite, Fault> {
    if !system.terms.ids().any(|term| has_numbers(system.terms.sort(term))) {
        return Ok(Finite::same(system.clone()));
    }
    let roles = system.roles();
    let facts = Facts::of(system, &roles);
    let needed = needed(system, &roles, &facts);
    let mut builder = Builder {
        old: system,
        roles: &roles,
        facts: &facts,
        needed: &needed,
        new: System::default(),
        images: vec![None; system.terms.len()],
        raw: vec![None; system.terms.len()],
        states: vec![None; system.states.len()],
    };
    builder.refuse_unbounded()?;
    builder.variables();
    builder.terms()?;
    builder.close_states();
    builder.claims();
    let back = builder.back();
    Ok(Finite::new(system.clone(), builder.new, back))
}

/// Whether values of this sort are numbers, or arrays with numbers in them or as places.
fn has_numbers(sort: &Sort) -> bool {
    match sort {
        Sort::Int | Sort::Real => true,
        Sort::Array(array) => has_numbers(&array.index) || has_numbers(&array.element),
        Sort::Bool | Sort::BitVec(_) | Sort::Enum(_) => false,
    }
}

/// Whether a constraint says that a variable is within its bounds.
fn is_bound(system: &System, facts: &Facts, term: TermId) -> bool {
    bound(system, term).is_some_and(|(variable, ..)| facts.bounds(variable).is_some())
}

/// The terms that a term reads in its step: of a choice that is decided only the branch that is taken.
fn reads(system: &System, roles: &[Option<Role>], facts: &Facts, term: TermId) -> Vec<TermId> {
    if let (Node::Apply(..), Fact::Bool(_)) = (system.terms.node(term), facts.get(term)) {
        return Vec::new();
    }
    match (system.terms.node(term), roles[term.index()]) {
        (_, Some(Role::Definition(d))) => vec![system.definitions[d].value],
        (Node::Apply(Op::Ite, _, &[condition, a, b]), _) => match facts.get(condition) {
            Fact::Bool(true) => vec![a],
            Fact::Bool(false) => vec![b],
            _ => vec![condition, a, b],
        },
        (Node::Apply(_, _, operands), _) => operands.to_vec(),
        _ => Vec::new(),
    }
}

/// The terms that properties and constraints read, through any number of steps.
fn needed(system: &System, roles: &[Option<Role>], facts: &Facts) -> Vec<bool> {
    let mut marked = vec![false; system.terms.len()];
    let mut todo: Vec<TermId> = system.properties.iter().map(|property| property.bad).collect();
    for part in system.constraints.iter().flat_map(|constraint| conjuncts(system, constraint.term)) {
        match bound(system, part) {
            Some((variable, ..)) if facts.bounds(variable).is_some() => todo.push(variable),
            _ => todo.push(part),
        }
    }
    while let Some(term) = todo.pop() {
        if std::mem::replace(&mut marked[term.index()], true) {
            continue;
        }
        todo.extend(reads(system, roles, facts, term));
        if let Some(Role::State(s)) = roles[term.index()] {
            todo.extend(system.state(s).init.iter().chain(&system.state(s).next));
        }
    }
    marked
}

/// The terms that properties and constraints depend on in any way.
fn influence(system: &System, roles: &[Option<Role>]) -> Vec<bool> {
    let mut marked = vec![false; system.terms.len()];
    let constraints = system.constraints.iter().map(|constraint| constraint.term);
    let mut todo: Vec<TermId> =
        system.properties.iter().map(|property| property.bad).chain(constraints).collect();
    while let Some(term) = todo.pop() {
        if std::mem::replace(&mut marked[term.index()], true) {
            continue;
        }
        todo.extend(system.terms.operands(term));
        match roles[term.index()] {
            Some(Role::Definition(d)) => todo.push(system.definitions[d].value),
            Some(Role::State(s)) => todo.extend(system.state(s).init.iter().chain(&system.state(s).next)),
            _ => {}
        }
    }
    marked
}

struct Builder<'a> {
    old: &'a System,
    roles: &'a [Option<Role>],
    facts: &'a Facts,
    needed: &'a [bool],
    new: System,
    /// The new term for each old one, where it is read.
    images: Vec<Option<TermId>>,
    /// All bits of a variable.
    raw: Vec<Option<TermId>>,
    states: Vec<Option<StateId>>,
}

impl<'a> Builder<'a> {
    fn refuse_unbounded(&self) -> Result<(), Fault> {
        let inputs = self.old.inputs.iter().map(|input| (input.variable, &input.label));
        let states = self.old.states.iter().map(|state| (state.variable, &state.label));
        for (variable, label) in inputs.chain(states).filter(|(variable, _)| self.needed[variable.index()]) {
            match (self.old.terms.sort(variable), self.facts.interval(variable)) {
                (Sort::Int, Some(known)) if known.width() <= WIDEST => {}
                (Sort::Int, _) => return Err(no_bits(label, "it is an integer, and nothing bounds it")),
                (Sort::Real, _) => return Err(no_bits(label, "it is a real number")),
                (sort, _) if has_numbers(sort) => return Err(no_bits(label, "it is an array with numbers")),
                _ => {}
            }
        }
        Ok(())
    }

    /// The interval of an integer that is needed.
    fn interval(&self, term: TermId) -> &'a Interval {
        self.facts.interval(term).expect("what is needed has bounds")
    }

    fn is_int(&self, term: TermId) -> bool {
        *self.old.terms.sort(term) == Sort::Int
    }

    /// Inputs and states, with all their bits.
    fn variables(&mut self) {
        for input in self.old.inputs.iter().filter(|input| self.needed[input.variable.index()]) {
            let sort = self.raw_sort(input.variable, []);
            self.raw[input.variable.index()] = Some(self.new.add_input(sort, input.label.clone()));
        }
        for s in self.old.state_ids() {
            let state = self.old.state(s);
            if self.needed[state.variable.index()] {
                let sort = self.raw_sort(state.variable, [state.init, state.next].into_iter().flatten());
                let id = self.new.add_state(sort, state.label.clone());
                self.states[s.index()] = Some(id);
                self.raw[state.variable.index()] = Some(self.new.state(id).variable);
            }
        }
    }

    /// A sort that holds the bounds of a variable and all that it is given.
    fn raw_sort(&self, variable: TermId, given: impl IntoIterator<Item = TermId>) -> Sort {
        if !self.is_int(variable) {
            return self.old.terms.sort(variable).clone();
        }
        let given = given.into_iter().filter_map(|term| self.facts.interval(term));
        let all = given.fold(self.interval(variable).clone(), |hull, next| hull.hull(next));
        Sort::BitVec(all.width())
    }

    /// Images of all that is needed; operands come first.
    fn terms(&mut self) -> Result<(), Fault> {
        let needed = self.needed;
        for term in self.old.terms.ids().filter(|term| needed[term.index()]) {
            if !self.has_bits(term) {
                return Err(self.refusal(term));
            }
            let image = match (self.old.terms.node(term), self.facts.get(term)) {
                (Node::Apply(..), &Fact::Bool(known)) => self.new.terms.bool(known),
                (Node::Constant(value), _) => match self.facts.interval(term) {
                    Some(known) => words::number(&mut self.new.terms, &known.low, known.width()),
                    None => self.new.terms.constant(value.clone()),
                },
                (Node::Variable(_), _) => self.variable(term),
                (Node::Apply(op, indices, operands), _) => self.apply(term, op, indices, operands),
            };
            self.images[term.index()] = Some(image);
        }
        Ok(())
    }

    fn has_bits(&self, term: TermId) -> bool {
        let bound = self.roles[term.index()].is_none() && self.old.terms.is_variable(term);
        match self.old.terms.sort(term) {
            // The parameter of a lambda is nobody's input.
            _ if bound => false,
            Sort::Int => self.facts.interval(term).is_some_and(|known| known.width() <= WIDEST),
            sort => !has_numbers(sort),
        }
    }

    fn variable(&mut self, term: TermId) -> TermId {
        if let Some(Role::Definition(d)) = self.roles[term.index()] {
            let definition = &self.old.definitions[d];
            let value = self.image(definition.value);
            return self.new.add_definition(value, definition.label.clone());
        }
        let raw = self.raw[term.index()].expect("variables were made");
        match self.is_int(term) {
            true => {
                let width = self.interval(term).width();
                words::fit(&mut self.new.terms, raw, width)
            }
            false => raw,
        }
    }

    fn image(&self, term: TermId) -> TermId {
        self.images[term.index()].expect("operands come first")
    }

    fn apply(&mut self, term: TermId, op: Op, indices: [u32; 2], operands: &[TermId]) -> TermId {
        if op == Op::Ite
            && let &Fact::Bool(known) = self.facts.get(operands[0])
        {
            let taken = self.image(operands[if known { 1 } else { 2 }]);
            return self.fitted(term, taken);
        }
        let args: Vec<TermId> = operands.iter().map(|&operand| self.image(operand)).collect();
        let numbers = operands.last().is_some_and(|&operand| self.is_int(operand));
        let terms = &mut self.new.terms;
        match (self.facts.interval(term), numbers) {
            (Some(known), _) => words::integer(terms, op, &args, known.width()),
            (None, true) if op == Op::IntToBv => words::fit(terms, args[0], indices[0]),
            (None, true) => words::comparison(terms, op, &args),
            (None, false) => terms.apply_as(&self.old.terms, term, &args),
        }
    }

    fn fitted(&mut self, term: TermId, image: TermId) -> TermId {
        match self.facts.interval(term) {
            Some(known) => words::fit(&mut self.new.terms, image, known.width()),
            None => image,
        }
    }

    /// `init` and `next`, in all the bits of their state.
    fn close_states(&mut self) {
        for (s, state) in self.old.states.iter().enumerate() {
            let Some(id) = self.states[s] else { continue };
            let whole = |finite: &mut Self, term: TermId| {
                let image = finite.image(term);
                match finite.new.terms.sort(finite.new.state(id).variable).clone() {
                    Sort::BitVec(width) if finite.is_int(term) => {
                        words::fit(&mut finite.new.terms, image, width)
                    }
                    _ => image,
                }
            };
            let (init, next) = (state.init.map(|t| whole(self, t)), state.next.map(|t| whole(self, t)));
            (self.new.states[id.index()].init, self.new.states[id.index()].next) = (init, next);
        }
    }

    fn claims(&mut self) {
        for constraint in &self.old.constraints {
            let parts = conjuncts(self.old, constraint.term);
            let parts: Vec<TermId> = parts.into_iter().map(|part| self.constraint(part)).collect();
            let term = self.new.terms.all(&parts);
            self.new.constraints.push(Named { term, label: constraint.label.clone() });
        }
        for property in &self.old.properties {
            let (bad, label) = (self.image(property.bad), property.label.clone());
            self.new.properties.push(Property { bad, kind: property.kind, label });
        }
    }

    /// Bounds are compared with all bits of their variable.
    fn constraint(&mut self, term: TermId) -> TermId {
        if !is_bound(self.old, self.facts, term) {
            return self.image(term);
        }
        let (variable, number, lower) = bound(self.old, term).expect("it is a bound");
        let raw = self.raw[variable.index()].expect("variables were made");
        let terms = &mut self.new.terms;
        let number = words::number(terms, number, Interval::point(number.clone()).width());
        let ends = if lower { [number, raw] } else { [raw, number] };
        words::comparison(terms, Op::Le, &ends)
    }

    /// The correspondence of new variables with old ones, and the bounds of states that no constraint states.
    fn back(&self) -> Back {
        let raw = self.raw.iter().zip(self.old.terms.ids());
        let raw = raw.filter_map(|(new, old)| Some(((*new)?, old)));
        let definitions = self.old.definitions.iter().map(|d| (self.images[d.variable.index()], d.variable));
        let variables = raw.chain(definitions.filter_map(|(new, old)| Some((new?, old)))).collect();
        let mut states = vec![StateId::new(0); self.new.states.len()];
        for (old, new) in self.old.state_ids().zip(&self.states) {
            new.iter().for_each(|new| states[new.index()] = old);
        }
        // What is decided is not read any more, but it is decided by the bounds of what it reads.
        let read = influence(self.old, self.roles);
        let stated = |variable: TermId| self.facts.bounds(variable).is_some();
        let bounds =
            self.old.states.iter().map(|state| state.variable).filter(|v| read[v.index()] && !stated(*v));
        let bounds = bounds.filter_map(|v| Some((v, self.facts.interval(v)?.clone()))).collect();
        let spare = |variable: TermId| self.spare(variable);
        let inputs = self.old.inputs.iter().map(|input| spare(input.variable)).collect();
        let starts = self.old.states.iter().map(|state| spare(state.variable)).collect();
        Back { variables, states, bounds, inputs, starts }
    }

    /// A value of a variable where a trace has none: of an integer the one within its bounds that is nearest to 0.
    fn spare(&self, variable: TermId) -> Value {
        match (self.old.terms.sort(variable), self.facts.bounds(variable)) {
            (Sort::Int, Some(known)) => Value::Int(known.nearest_to_zero()),
            (sort, _) => Value::zero(sort),
        }
    }

    /// Something that is needed has no bits although all variables have.
    fn refusal(&self, term: TermId) -> Fault {
        let reader = self.old.definitions.iter().find(|d| d.value >= term && self.needed[d.variable.index()]);
        let label = reader.map(|d| d.label.clone()).unwrap_or_else(|| Label::new("a property"));
        no_bits(&label, "it computes with reals, or with integers that nothing bounds")
    }
}

fn no_bits(label: &Label, why: &str) -> Fault {
    Fault { message: format!("`{}` has no bits: {why}", label.name), span: label.span }
}
