//! Evaluation: iterative, each term once, with values that may be unknown.
//!
//! An operator is strict (an unknown operand makes the result unknown), except where a known operand decides
//! it: `and`, `or`, `=>` and the branch of an `ite` that is not taken. So a known result holds whatever
//! the unknown values are.

use crate::op::{Call, Op};
use crate::{Node, TermId, Terms, Value};

/// The values of terms under one assignment, filled on demand.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    values: Vec<State>,
    /// What waits for its operands; empty between calls.
    stack: Vec<TermId>,
}

#[derive(Clone)]
enum State {
    Open,
    Known(Value),
    Unknown,
}

impl<'a> Evaluation<'a> {
    /// Nothing assigned.
    pub fn new(terms: &'a Terms) -> Evaluation<'a> {
        Evaluation { terms, values: vec![State::Open; terms.len()], stack: Vec::new() }
    }

    pub fn terms(&self) -> &'a Terms {
        self.terms
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.values.fill(State::Open);
    }

    /// Gives a variable its value, before anything that reads it is evaluated.
    pub fn assign(&mut self, variable: TermId, value: Option<Value>) {
        debug_assert!(self.terms.is_variable(variable), "only variables are assigned");
        debug_assert!(value.as_ref().is_none_or(|v| v.sort() == *self.terms.sort(variable)));
        self.values[variable.index()] = value.map_or(State::Unknown, State::Known);
    }

    /// The value of a term; `None` if it depends on something unknown or unassigned.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        if !matches!(self.values[term.index()], State::Open) {
            return self.known(term).cloned();
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(term);
        while let Some(&top) = stack.last() {
            let open = |t: &&TermId| matches!(self.values[t.index()], State::Open);
            if !open(&&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.terms.operands(top).iter().filter(open));
            if stack.len() == before {
                self.values[top.index()] = self.compute(top).map_or(State::Unknown, State::Known);
                stack.pop();
            }
        }
        self.stack = stack;
        self.known(term).cloned()
    }

    pub fn bool(&mut self, term: TermId) -> Option<bool> {
        self.value(term).map(|value| value.as_bool().expect("a Boolean term"))
    }

    fn known(&self, term: TermId) -> Option<&Value> {
        match &self.values[term.index()] {
            State::Known(value) => Some(value),
            State::Open | State::Unknown => None,
        }
    }

    /// The operands have been computed.
    fn compute(&self, term: TermId) -> Option<Value> {
        match self.terms.node(term) {
            Node::Variable(_) => None,
            Node::Constant(value) => Some(value.clone()),
            Node::Apply(op, indices, operands) => {
                let known = operands.iter().map(|&t| self.known(t));
                match known.clone().collect::<Option<Vec<&Value>>>() {
                    Some(args) => {
                        let call = Call { indices, sort: self.terms.sort(term), args: &args };
                        Some((op.row().eval)(&call))
                    }
                    None => decided(op, &known.collect::<Vec<_>>()),
                }
            }
        }
    }
}

/// The result that some known operands force.
fn decided(op: Op, args: &[Option<&Value>]) -> Option<Value> {
    let is = |i: usize, wanted: bool| args[i] == Some(&Value::Bool(wanted));
    let any = |wanted: bool| (0..args.len()).any(|i| is(i, wanted)).then_some(Value::Bool(wanted));
    match op {
        Op::And => any(false),
        Op::Or => any(true),
        Op::Implies => (is(0, false) || is(1, true)).then_some(Value::Bool(true)),
        Op::Ite => match args[0] {
            Some(condition) => args[if condition.as_bool()? { 1 } else { 2 }].cloned(),
            None => args[1].filter(|_| args[1] == args[2]).cloned(),
        },
        _ => None,
    }
}
