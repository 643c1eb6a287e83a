//! The first steps of a system with maps: states are terms over the start and the inputs of each step.
//!
//! A scalar state of step t is a variable with an equation; a map is a lambda, reduced wherever it is applied. So
//! what is said of step t has no lambda in it, and its size follows the places that are read.

use buttress_solve::smt::Theory;
use buttress_system::indexed::Indexed;
use buttress_system::words::Assignment;
use buttress_term::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::instances::{axiom_instances, substitution};
use crate::problem::reads_inputs;
use crate::roles::Roles;
use crate::simplify::simplify;

/// The constraints and equations of a step.
#[derive(Default)]
pub struct Facts {
    /// Equations of its states, and constraints that read no inputs.
    pub states: Vec<TermId>,
    /// Constraints that read inputs.
    pub inputs: Vec<TermId>,
}

/// Steps of the system, one more at a time.
pub struct Unrolling<'a> {
    pub model: &'a Indexed,
    pub terms: Terms,
    roles: Roles,
    /// The variables of the system in each step.
    pub steps: Vec<FxHashMap<TermId, TermId>>,
    pub facts: Vec<Facts>,
}

impl<'a> Unrolling<'a> {
    pub fn new(model: &'a Indexed) -> Unrolling<'a> {
        let (terms, roles) = (model.system.terms.clone(), Roles::of(model));
        Unrolling { model, terms, roles, steps: Vec::new(), facts: Vec::new() }
    }

    pub fn theory(&self) -> Theory {
        Theory { enumerations_in_arrays: false, ..Theory::of(&self.model.system.terms) }
    }

    /// The last step.
    pub fn now(&self) -> usize {
        self.steps.len() - 1
    }

    /// A term over variables of the system, in a step.
    pub fn at(&mut self, term: TermId, step: usize) -> TermId {
        let term = self.terms.replace(term, &self.steps[step]);
        simplify(&mut self.terms, term)
    }

    /// One more step.
    pub fn extend(&mut self) {
        let step = self.steps.len();
        let mut now: FxHashMap<TermId, TermId> = FxHashMap::default();
        for input in &self.model.system.inputs {
            let sort = self.terms.sort(input.variable).clone();
            now.insert(input.variable, self.terms.variable(format!("{}#{step}", input.label.name), sort));
        }
        self.steps.push(now);
        self.facts.push(Facts::default());
        match step {
            0 => self.start(),
            _ => self.follow(step),
        }
        for constraint in &self.model.system.constraints {
            let holds = self.at(constraint.term, step);
            match reads_inputs(self.model, constraint.term) {
                Some(_) => self.facts[step].inputs.push(holds),
                None => self.facts[step].states.push(holds),
            }
        }
    }

    fn start(&mut self) {
        let system = &self.model.system;
        for assignment in system.start_order().expect("the system was validated when it was read") {
            match assignment {
                Assignment::Definition(d) => {
                    let value = self.at(system.definitions[d].value, 0);
                    self.set(system.definitions[d].variable, &system.definitions[d].label.name, value);
                }
                Assignment::State(s) => {
                    let state = system.state(s);
                    match state.init {
                        Some(init) => {
                            let value = self.at(init, 0);
                            self.set(state.variable, &state.label.name, value);
                        }
                        None => self.free(state.variable, &state.label.name),
                    }
                }
            }
        }
    }

    fn follow(&mut self, step: usize) {
        let system = &self.model.system;
        for state in &system.states {
            match state.next {
                Some(next) => {
                    let value = self.at(next, step - 1);
                    self.set(state.variable, &state.label.name, value);
                }
                None => self.free(state.variable, &state.label.name),
            }
        }
        for definition in &system.definitions {
            let value = self.at(definition.value, step);
            self.set(definition.variable, &definition.label.name, value);
        }
    }

    /// A variable of this step has any value.
    fn free(&mut self, variable: TermId, name: &str) {
        let step = self.now();
        let sort = self.terms.sort(variable).clone();
        let fresh = self.terms.variable(format!("{name}#{step}"), sort);
        self.steps[step].insert(variable, fresh);
    }

    /// A map is put in where it is applied, a number gets a name.
    fn set(&mut self, variable: TermId, name: &str, value: TermId) {
        let step = self.now();
        let plain = self.terms.operands(value).is_empty();
        if plain || self.terms.sort(variable).as_array().is_some() {
            self.steps[step].insert(variable, value);
        } else {
            self.free(variable, name);
            let equal = self.terms.eq(self.steps[step][&variable], value);
            self.facts[step].states.push(equal);
        }
    }

    /// Instances of the axioms for the places that these read, in the steps up to one.
    pub fn axioms(&mut self, roots: &[TermId], last: usize) -> Vec<TermId> {
        let mut facts = Vec::new();
        if self.model.axioms.is_empty() {
            return facts;
        }
        for instance in axiom_instances(self.model, &self.terms, &mut self.roles, roots) {
            let by = substitution(self.model, &instance);
            for axiom in &self.model.axioms {
                for step in 0..=last {
                    // Index symbols first, so that the places are those of the formula.
                    let mut all = self.steps[step].clone();
                    all.extend(by.iter().map(|(&index, &place)| (index, place)));
                    let fact = self.terms.replace(axiom.term, &all);
                    facts.push(simplify(&mut self.terms, fact));
                }
            }
        }
        facts
    }
}
