//! The model in the shape of the paper (section 2.2): the start q⁰, and the steps δ, one for each case of the
//! inputs that choose.
//!
//! An input that is Boolean, an enumeration, or a number that is compared with constants only *chooses*: the step
//! is split by its value, so that each case is small and has instances of its own. Splitting is exact: a step is
//! one of its cases. Inputs of the next step are other variables than those of this one.

use std::collections::BTreeSet;

use buttress_solve::smt::Theory;
use buttress_system::indexed::Indexed;
use buttress_system::words::{Assignment, Role};
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use crate::simplify::simplify;

/// More cases than this are not split any further.
const CASES: usize = 512;

/// A step of the system, or its start.
pub struct Step {
    /// The values of the choosing inputs, in words.
    pub name: String,
    /// The constraints of the step, before and after it.
    pub facts: Vec<TermId>,
    /// Of these, what constraints that read inputs say before it.
    pub guard: Vec<TermId>,
    /// The axioms that read inputs, before the step, for all index symbols.
    pub universal: Vec<TermId>,
    /// The values of states after it.
    pub after: FxHashMap<TermId, TermId>,
    /// The values of choosing inputs.
    pub choice: FxHashMap<TermId, TermId>,
}

/// A model, prepared.
pub struct Problem<'a> {
    pub model: &'a Indexed,
    /// The system's terms and more.
    pub terms: Terms,
    pub start: Step,
    pub steps: Vec<Step>,
}

impl<'a> Problem<'a> {
    pub fn new(model: &'a Indexed) -> Problem<'a> {
        let mut terms = model.system.terms.clone();
        let start = start(model, &mut terms);
        let steps = steps(model, &mut terms);
        Problem { model, terms, start, steps }
    }

    /// A term over states, after a step.
    pub fn after(&mut self, term: TermId, step: &FxHashMap<TermId, TermId>) -> TermId {
        let term = self.terms.replace(term, step);
        simplify(&mut self.terms, term)
    }

    /// The theory that a solver needs. Ranges of enumerations in maps are told by [`Terms::ranges`].
    pub fn theory(&self) -> Theory {
        Theory { enumerations_in_arrays: false, ..Theory::of(&self.terms) }
    }
}

/// Initial values: each state by its `init`, itself where it has none.
fn start(model: &Indexed, terms: &mut Terms) -> Step {
    let system = &model.system;
    let mut after: FxHashMap<TermId, TermId> = FxHashMap::default();
    for assignment in system.start_order().expect("the system was validated when it was read") {
        let (variable, value) = match assignment {
            Assignment::Definition(d) => (system.definitions[d].variable, Some(system.definitions[d].value)),
            Assignment::State(s) => (system.state(s).variable, system.state(s).init),
        };
        if let Some(value) = value {
            let value = terms.replace(value, &after);
            let value = simplify(terms, value);
            after.insert(variable, value);
        }
    }
    let mut facts = Vec::new();
    for constraint in &system.constraints {
        let fact = terms.replace(constraint.term, &after);
        facts.push(simplify(terms, fact));
    }
    let name = "start".to_string();
    Step { name, facts, guard: Vec::new(), universal: Vec::new(), after, choice: FxHashMap::default() }
}

/// Inputs of the next step, under names of their own.
fn next_inputs(model: &Indexed, terms: &mut Terms) -> FxHashMap<TermId, TermId> {
    let mut fresh = FxHashMap::default();
    for input in &model.system.inputs {
        if !model.is_index(input.variable) {
            let sort = terms.sort(input.variable).clone();
            fresh.insert(input.variable, terms.variable(format!("{}'", input.label.name), sort));
        }
    }
    fresh
}

fn steps(model: &Indexed, terms: &mut Terms) -> Vec<Step> {
    let system = &model.system;
    let later = next_inputs(model, terms);
    let definitions = definitions(model, terms);
    let mut steps = Vec::new();
    for case in cases(model, terms, &definitions) {
        let mut before = definitions.clone();
        for value in before.values_mut() {
            *value = terms.replace(*value, &case.values);
        }
        before.extend(case.values.iter().map(|(&input, &value)| (input, value)));
        let mut after = later.clone();
        for state in &system.states {
            if let Some(next) = state.next {
                let next = terms.replace(next, &before);
                after.insert(state.variable, simplify(terms, next));
            } else {
                let sort = terms.sort(state.variable).clone();
                after.insert(state.variable, terms.variable(format!("{}'", state.label.name), sort));
            }
        }
        let (mut facts, mut guard) = (Vec::new(), Vec::new());
        for constraint in &system.constraints {
            let now = terms.replace(constraint.term, &before);
            let expanded = terms.replace(constraint.term, &definitions);
            let then = terms.replace(expanded, &after);
            facts.extend([simplify(terms, now), simplify(terms, then)]);
            if reads_inputs(model, constraint.term).is_some() {
                guard.push(facts[facts.len() - 2]);
            }
        }
        let mut universal = Vec::new();
        for axiom in model.axioms.iter().filter(|a| reads_inputs(model, a.term).is_some()) {
            let fact = terms.replace(axiom.term, &before);
            universal.push(simplify(terms, fact));
        }
        let says = |f: &TermId| terms.as_constant(*f) != Some(&Value::Bool(true));
        facts.retain(says);
        guard.retain(says);
        universal.retain(says);
        let never = facts.iter().any(|&f| terms.as_constant(f) == Some(&Value::Bool(false)));
        if !never {
            steps.push(Step { name: case.name, facts, guard, universal, after, choice: case.values });
        }
    }
    steps
}

/// Definitions as terms over inputs and states.
pub(crate) fn definitions(model: &Indexed, terms: &mut Terms) -> FxHashMap<TermId, TermId> {
    let mut values = FxHashMap::default();
    for definition in &model.system.definitions {
        let value = terms.replace(definition.value, &values);
        values.insert(definition.variable, value);
    }
    values
}

/// Values of the choosing inputs.
#[derive(Clone, Default)]
struct Case {
    name: String,
    values: FxHashMap<TermId, TermId>,
}

fn cases(model: &Indexed, terms: &mut Terms, definitions: &FxHashMap<TermId, TermId>) -> Vec<Case> {
    let system = &model.system;
    let roots: Vec<TermId> = system
        .states
        .iter()
        .filter_map(|s| s.next)
        .chain(system.constraints.iter().map(|c| c.term))
        .chain(definitions.values().copied())
        .collect();
    let mut cases = vec![Case::default()];
    for input in &system.inputs {
        let read = terms.free_variables(roots.iter().copied()).contains(&input.variable);
        if model.is_index(input.variable) || !read {
            continue;
        }
        let Some(choices) = choices(terms, &roots, input.variable) else { continue };
        if cases.len() * (choices.len() + 1) <= CASES {
            cases = split(terms, &cases, input.variable, &input.label.name, &choices);
        }
    }
    cases
}

/// The constants that an input is compared with, where nothing else is done with it.
fn choices(terms: &mut Terms, roots: &[TermId], input: TermId) -> Option<Vec<TermId>> {
    match terms.sort(input).clone() {
        Sort::Bool => Some(vec![terms.bool(false), terms.bool(true)]),
        sort @ Sort::Enum(_) => {
            let Sort::Enum(e) = &sort else { return None };
            Some((0..e.constants.len() as u32).map(|c| terms.enum_constant(&sort, c)).collect())
        }
        Sort::Int => {
            let mut constants = BTreeSet::new();
            for term in terms.cone(roots.iter().copied()) {
                let operands = terms.operands(term);
                if operands.contains(&input) {
                    let Node::Apply(Op::Eq, ..) = terms.node(term) else { return None };
                    constants.insert(*operands.iter().find(|&&t| terms.as_constant(t).is_some())?);
                }
            }
            Some(constants.into_iter().collect())
        }
        _ => None,
    }
}

/// A number that is none of the constants behaves like every other such number, so one of them stands for all.
fn split(terms: &mut Terms, cases: &[Case], input: TermId, name: &str, choices: &[TermId]) -> Vec<Case> {
    let mut values = choices.to_vec();
    if *terms.sort(input) == Sort::Int {
        values.push(unused(terms, choices));
    }
    let case = |case: &Case, choice: TermId| {
        let value = terms.as_constant(choice).expect("a choice is a constant");
        let comma = if case.name.is_empty() { "" } else { ", " };
        let mut new = Case { name: format!("{}{comma}{name} = {value}", case.name), ..case.clone() };
        new.values.insert(input, choice);
        new
    };
    cases.iter().flat_map(|c| values.iter().map(move |&v| (c, v))).map(|(c, v)| case(c, v)).collect()
}

/// A number that is none of these.
fn unused(terms: &mut Terms, choices: &[TermId]) -> TermId {
    let mut n = 0i64;
    loop {
        let candidate = terms.int(n);
        if !choices.contains(&candidate) {
            return candidate;
        }
        n -= 1;
    }
}

/// Whether a predicate reads states and index symbols only.
pub fn reads_inputs(model: &Indexed, term: TermId) -> Option<TermId> {
    let roles = model.system.roles();
    let input =
        |v: &TermId| matches!(roles.get(v.index()), Some(Some(Role::Input(_)))) && !model.is_index(*v);
    model.system.terms.free_variables([term]).into_iter().find(input)
}
