//! Execution of a system with maps, from the end to the start: the value of a map at a place in step t is found by
//! evaluating its `next` at that place in step t-1, and so on down to its `init` or the table that the trace
//! gives.

use std::cell::RefCell;
use std::collections::BTreeSet;

use buttress_term::maps::{Interpretation, applied_value, evaluate};
use buttress_term::{TermId, Value};
use rustc_hash::FxHashMap;

use super::IndexedTrace;
use crate::words::{Role, System};

/// A step, a variable, and the places that it is applied to.
type Asked = (usize, TermId, Vec<Value>);

/// An execution that a trace describes.
pub struct Play<'a> {
    system: &'a System,
    trace: &'a IndexedTrace,
    roles: Vec<Option<Role>>,
    /// Places of the free states in a row.
    free: FxHashMap<usize, usize>,
    known: RefCell<FxHashMap<Asked, Option<Value>>>,
}

struct At<'a> {
    play: &'a Play<'a>,
    step: usize,
}

impl<'a> Play<'a> {
    pub fn new(system: &'a System, trace: &'a IndexedTrace) -> Play<'a> {
        let free =
            system.free_states().enumerate().map(|(place, s)| (s.index(), system.inputs.len() + place));
        Play {
            system,
            trace,
            roles: system.roles(),
            free: free.collect(),
            known: RefCell::new(FxHashMap::default()),
        }
    }

    /// The value of a term in a step, at these places if it is a map.
    pub fn value(&self, step: usize, term: TermId, places: &[Value]) -> Option<Value> {
        evaluate(&self.system.terms, term, places, &At { play: self, step })
    }

    pub fn bool(&self, step: usize, term: TermId) -> Option<bool> {
        self.value(step, term, &[])?.as_bool()
    }

    /// The places at which a map was asked for so far, in any step.
    pub fn places(&self, map: TermId) -> Vec<Vec<Value>> {
        let known = self.known.borrow();
        let places: BTreeSet<&Vec<Value>> = known.keys().filter(|k| k.1 == map).map(|k| &k.2).collect();
        places.into_iter().cloned().collect()
    }

    fn compute(&self, step: usize, variable: TermId, places: &[Value]) -> Option<Value> {
        match self.roles[variable.index()]? {
            Role::Input(i) => applied_value(self.trace.inputs[step][i].as_ref()?, places),
            Role::Definition(d) => self.value(step, self.system.definitions[d].value, places),
            Role::State(s) => {
                let state = self.system.state(s);
                match (step, state.next) {
                    (0, _) => match (&self.trace.initial[s.index()], state.init) {
                        (Some(value), _) => applied_value(value, places),
                        (None, Some(init)) => self.value(0, init, places),
                        (None, None) => None,
                    },
                    (_, Some(next)) => self.value(step - 1, next, places),
                    (_, None) => {
                        applied_value(self.trace.inputs[step][self.free[&s.index()]].as_ref()?, places)
                    }
                }
            }
        }
    }
}

impl Interpretation for At<'_> {
    fn value(&self, variable: TermId, places: &[Value]) -> Option<Value> {
        let key = (self.step, variable, places.to_vec());
        if let Some(known) = self.play.known.borrow().get(&key) {
            return known.clone();
        }
        let value = self.play.compute(self.step, variable, places);
        self.play.known.borrow_mut().insert(key, value.clone());
        value
    }
}
