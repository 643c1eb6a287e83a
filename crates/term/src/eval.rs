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
    /// Terms that wait for their operands; empty between calls.
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
        self.look(term).cloned()
    }

    /// The value of a term by reference; `None` if it depends on something unknown or unassigned.
    pub fn look(&mut self, term: TermId) -> Option<&Value> {
        if self.is_open(term) {
            self.fill(term);
        }
        self.known(term)
    }

    pub fn bool(&mut self, term: TermId) -> Option<bool> {
        self.look(term).map(|value| value.as_bool().expect("a Boolean term"))
    }

    fn is_open(&self, term: TermId) -> bool {
        matches!(self.values[term.index()], State::Open)
    }

    /// Computes a term and what it is made of.
    fn fill(&mut self, term: TermId) {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(term);
        while let Some(&top) = stack.last() {
            if !self.is_open(top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.terms.operands(top).iter().filter(|&&t| self.is_open(t)));
            if stack.len() == before {
                self.values[top.index()] = self.compute(top).map_or(State::Unknown, State::Known);
                stack.pop();
            }
        }
        self.stack = stack;
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
                if let Some(result) = decided(op, known.clone()) {
                    return result;
                }
                // Most have few operands: these are not listed on the heap.
                let (mut few, many): ([&Value; FEW], Vec<&Value>);
                let args = match operands.len() {
                    n @ 0..=FEW => {
                        few = [&Value::Bool(false); FEW];
                        for (place, value) in few.iter_mut().zip(known) {
                            *place = value?;
                        }
                        &few[..n]
                    }
                    _ => {
                        many = known.collect::<Option<_>>()?;
                        &many
                    }
                };
                Some((op.row().eval)(&Call { indices, sort: self.terms.sort(term), args }))
            }
        }
    }
}

/// Operands that fit on the stack.
const FEW: usize = 4;

/// The results of the operators that need not know all their operands; `None` for the others.
fn decided<'v>(op: Op, mut args: impl Iterator<Item = Option<&'v Value>> + Clone) -> Option<Option<Value>> {
    let truth = |value: &Value| value.as_bool().expect("a Boolean term");
    let any = |wanted: bool, truths: &mut dyn Iterator<Item = Option<bool>>| {
        let mut result = Some(!wanted);
        for known in truths {
            match known {
                Some(is) if is == wanted => return Some(Value::Bool(wanted)),
                Some(_) => {}
                None => result = None,
            }
        }
        result.map(Value::Bool)
    };
    Some(match op {
        Op::And => any(false, &mut args.map(|known| known.map(truth))),
        Op::Or => any(true, &mut args.map(|known| known.map(truth))),
        Op::Implies => {
            let decides = |(known, wanted): (Option<&Value>, bool)| known.map(|value| truth(value) == wanted);
            any(true, &mut args.zip([false, true]).map(decides))
        }
        Op::Ite => {
            let [condition, then, other] = [(); 3].map(|()| args.next().flatten());
            match condition.map(truth) {
                Some(true) => then.cloned(),
                Some(false) => other.cloned(),
                None => then.filter(|_| then == other).cloned(),
            }
        }
        _ => return None,
    })
}
