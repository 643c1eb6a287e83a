//! Terms of a word-level system.

use std::sync::Arc;

use buttress_query::{From, Relation};
use buttress_system::Rng;
use buttress_system::words::{Simulation, System, WordLemma, WordTrace, random_value};
use buttress_term::{Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use super::conjecture::{Atom, Family, Values};
use super::lanes::Lanes;
use super::order::Template;
use super::scheme::Instances;
use super::selection::{Chosen, Selection, select};
use super::tidy;

/// Random executions before the first question, and their length.
const RUNS: usize = 40;
const STEPS: usize = 16;

/// Other inputs in the last step of a path that are tried.
const OTHERS: usize = 4;

/// How often inputs are drawn until the constraints hold.
const DRAWS: usize = 40;

pub struct WordInstances {
    /// The system, its store extended by the terms that are compared.
    system: Arc<System>,
    families: Vec<Chosen>,
    /// Terms with their negations, where both are compared.
    negations: FxHashMap<TermId, TermId>,
    /// Integers of the program, which inputs are drawn from, too.
    constants: Vec<Value>,
    rng: Rng,
    mood: Mood,
}

impl WordInstances {
    pub fn new(system: &System, selection: &Selection, seed: u64) -> WordInstances {
        let (terms, families) = select(system, selection);
        let is_integer = |family: &&Chosen| family.sort == Sort::Int;
        let integers = families.iter().filter(is_integer).flat_map(|family| &family.terms);
        let constants = integers.filter_map(|&term| terms.as_constant(term).cloned()).collect();
        let negations = tidy::negations(&terms, families.iter().flat_map(|family| &family.terms));
        let system = Arc::new(System { terms, ..system.clone() });
        WordInstances {
            system,
            families,
            negations,
            constants,
            rng: Rng::new(seed),
            mood: Mood { truth: Truth::Lone, held: false, walk: seed },
        }
    }

    /// The system to ask about: the original with a larger store.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// How many terms are compared, of each sort.
    pub fn terms(&self) -> Vec<(Sort, usize)> {
        self.families.iter().map(|family| (family.sort.clone(), family.terms.len())).collect()
    }

    /// The store of the system with these relations, as terms.
    pub fn formulas(&self, relations: &[Relation]) -> (Arc<Terms>, Vec<TermId>) {
        let mut terms = self.system.terms.clone();
        let formulas = relations.iter().map(|relation| tidy::formula(&mut terms, relation)).collect();
        (Arc::new(terms), formulas)
    }

    fn values(&self, simulation: &mut Simulation<'_>) -> Option<Vec<Values>> {
        let family = |chosen: &Chosen| {
            let terms = chosen.terms.iter();
            Some(match Family::new(chosen.template, 0) {
                Family::Binary(_) => {
                    let values: Option<Vec<bool>> = terms.map(|&t| simulation.look(t).map(is_one)).collect();
                    Values::Binary(Lanes::of_state(values?.into_iter()))
                }
                Family::Many(_) => Values::Many(terms.map(|&t| simulation.value(t)).collect::<Option<_>>()?),
            })
        };
        self.families.iter().map(family).collect()
    }

    /// Shows the values in the current step and in steps after it, with inputs for which the constraints hold, as
    /// long as they are wanted.
    fn wander(&mut self, simulation: &mut Simulation<'_>, look: &mut dyn FnMut(Vec<Values>) -> bool) {
        while let Some(values) = self.values(simulation)
            && look(values)
            && self.walk_on(simulation)
        {}
    }

    /// Goes a step on, if inputs are found.
    fn walk_on(&mut self, simulation: &mut Simulation<'_>) -> bool {
        let system = self.system.clone();
        let next: Vec<Option<Value>> =
            system.states.iter().map(|s| s.next.and_then(|next| simulation.value(next))).collect();
        (0..DRAWS).any(|draw| {
            if draw > DRAWS / 2 {
                self.change_mood();
            }
            let states = self.fill(&next, system.states.iter().map(|s| s.variable));
            let inputs =
                self.fill(&vec![None; system.inputs.len()], system.inputs.iter().map(|i| i.variable));
            simulation.start(&states, &inputs);
            admissible(&system, simulation)
        })
    }

    /// A start, if inputs are found for which the constraints hold.
    fn start(&mut self, simulation: &mut Simulation<'_>) -> bool {
        let system = self.system.clone();
        (0..DRAWS).any(|_| {
            self.change_mood();
            let mut states =
                self.fill(&vec![None; system.states.len()], system.states.iter().map(|s| s.variable));
            let given = system.states.iter().zip(&mut states).filter(|(state, _)| state.init.is_some());
            given.for_each(|(_, value)| *value = None);
            let inputs =
                self.fill(&vec![None; system.inputs.len()], system.inputs.iter().map(|i| i.variable));
            simulation.start(&states, &inputs);
            admissible(&system, simulation)
        })
    }

    /// Values for what has none, by the mood of this walk.
    fn fill(
        &mut self,
        given: &[Option<Value>],
        variables: impl ExactSizeIterator<Item = TermId>,
    ) -> Vec<Option<Value>> {
        let lone = self.rng.below(variables.len().max(1));
        let filled = variables.zip(given).enumerate();
        filled
            .map(|(place, (variable, given))| {
                given.clone().or_else(|| Some(self.draw(variable, place == lone)))
            })
            .collect()
    }

    fn draw(&mut self, variable: TermId, is_lone: bool) -> Value {
        let sort = self.system.terms.sort(variable).clone();
        let mood = self.mood;
        match (&sort, mood.truth) {
            (Sort::Bool, Truth::Lone) => Value::Bool(is_lone),
            (Sort::Bool, Truth::OneIn(n)) => Value::Bool(self.rng.one_in(n)),
            (Sort::Int, _) if mood.held => {
                // The same for this variable in the whole walk.
                let mut rng = Rng::new(mood.walk.wrapping_add(variable.index() as u64));
                pick(&self.constants, &mut rng).unwrap_or_else(|| random_value(&sort, &mut rng))
            }
            (Sort::Int, _) if self.rng.one_in(2) => {
                pick(&self.constants, &mut self.rng).unwrap_or_else(|| random_value(&sort, &mut self.rng))
            }
            _ => random_value(&sort, &mut self.rng),
        }
    }

    /// Another way to draw inputs.
    fn change_mood(&mut self) {
        let truth = match self.rng.below(5) {
            0 => Truth::OneIn(2),
            1 => Truth::OneIn(4),
            2 => Truth::OneIn(16),
            _ => Truth::Lone,
        };
        self.mood = Mood { truth, held: self.rng.one_in(2), walk: self.rng.next_u64() };
    }
}

/// How a walk draws its inputs. Assumptions about the environment often say something of every step: at most one
/// event at a time, a number that stays what it is. Who draws anew in each step breaks them soon.
#[derive(Clone, Copy)]
struct Mood {
    truth: Truth,
    /// Integers stay what they are.
    held: bool,
    walk: u64,
}

#[derive(Clone, Copy)]
enum Truth {
    OneIn(usize),
    /// Of all Booleans one, or none.
    Lone,
}

fn pick(values: &[Value], rng: &mut Rng) -> Option<Value> {
    (!values.is_empty()).then(|| values[rng.below(values.len())].clone())
}

/// Goes to the last step of a path.
fn execute(simulation: &mut Simulation<'_>, path: &WordTrace) {
    for (step, row) in path.inputs.iter().enumerate() {
        match step {
            0 => simulation.start(&path.initial, row),
            _ => simulation.step(row),
        }
    }
}

fn admissible(system: &System, simulation: &mut Simulation<'_>) -> bool {
    system.constraints.iter().all(|c| simulation.bool(c.term) == Some(true))
}

fn is_one(value: &Value) -> bool {
    match value {
        Value::Bool(b) => *b,
        Value::Word(word) => word.bit(0),
        _ => panic!("a family of two values has Booleans and words of one bit"),
    }
}

impl Instances for WordInstances {
    type Subject = System;
    type Conjunct = Relation;

    fn families(&self) -> Vec<Family> {
        self.families.iter().map(|chosen| Family::new(chosen.template, chosen.terms.len())).collect()
    }

    fn simulate(&mut self) -> Vec<Vec<Values>> {
        let system = self.system.clone();
        let mut simulation = Simulation::new(&system);
        let mut seen = Vec::new();
        for _ in 0..RUNS {
            if self.start(&mut simulation) {
                let mut steps = 0..STEPS;
                self.wander(&mut simulation, &mut |values| {
                    seen.push(values);
                    steps.next().is_some()
                });
            }
        }
        seen
    }

    /// With other inputs in the last step, too: what was supposed reads the steps before it. Paths with other
    /// states at their start were tried: they save fewer questions than they cost.
    fn follow(&mut self, from: From, path: &WordTrace, look: &mut dyn FnMut(Vec<Values>) -> bool) {
        let system = self.system.clone();
        let mut simulation = Simulation::new(&system);
        execute(&mut simulation, path);
        if !admissible(&system, &mut simulation) {
            return;
        }
        let Some(values) = self.values(&mut simulation) else { return };
        let states: Vec<Option<Value>> =
            system.states.iter().map(|state| simulation.value(state.variable)).collect();
        if !look(values) {
            return;
        }
        let is_start = from == From::Init && path.inputs.len() == 1;
        for _ in 0..if is_start { 0 } else { OTHERS } {
            self.change_mood();
            let inputs =
                self.fill(&vec![None; system.inputs.len()], system.inputs.iter().map(|i| i.variable));
            simulation.start(&states, &inputs);
            if admissible(&system, &mut simulation)
                && let Some(values) = self.values(&mut simulation)
                && !look(values)
            {
                return;
            }
        }
        self.change_mood();
        execute(&mut simulation, path);
        if self.walk_on(&mut simulation) {
            self.wander(&mut simulation, look);
        }
    }

    fn conjuncts(&self, family: usize, atom: Atom) -> Vec<Relation> {
        let Chosen { template, sort, terms } = &self.families[family];
        let (op, a, b) = match atom {
            Atom::Equal(a, b) => (Op::Eq, a, b),
            Atom::Below(a, b) => (template.op(sort), a, b),
        };
        let constant = |t: usize| self.system.terms.as_constant(terms[t]);
        let valid = match (constant(a), constant(b)) {
            (Some(_), Some(_)) => true,
            (Some(c), None) => op != Op::Eq && is_extreme(*template, c, false),
            (None, Some(c)) => op != Op::Eq && is_extreme(*template, c, true),
            (None, None) => {
                let implied = |a: usize, b: usize| tidy::is_implied(&self.system.terms, terms[a], terms[b]);
                implied(a, b) && (op == Op::Implies || implied(b, a))
            }
        };
        let (left, right) = match op {
            Op::Implies => tidy::implication(terms[a], terms[b], &self.negations, &self.system.terms),
            _ => (terms[a], terms[b]),
        };
        if valid { Vec::new() } else { vec![Relation { op, left, right }] }
    }

    fn lemmas(&self, conjuncts: &[Relation]) -> Vec<WordLemma> {
        let (terms, formulas) = self.formulas(conjuncts);
        formulas.into_iter().map(|formula| WordLemma::Term(terms.clone(), formula)).collect()
    }
}

/// Whether every value is above the constant, or below it.
fn is_extreme(template: Template, constant: &Value, greatest: bool) -> bool {
    match constant {
        Value::Bool(b) => *b == greatest,
        Value::Word(word) => {
            let top = word.width() - 1;
            let sign = greatest != (template == Template::Signed);
            word.bit(top) == sign && (0..top).all(|bit| word.bit(bit) == greatest)
        }
        _ => false,
    }
}
