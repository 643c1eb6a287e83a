//! The truth about a small word-level system, by listing all values of its states and inputs.
//!
//! Every combination of values is a *point*, at which each term has the value that evaluation gives it. A point is
//! a start if each state has the value that its `init` has *at that point*, whatever depends on what. Nothing
//! here uses the order of the start, the simulation, bits or a solver.

use std::collections::BTreeSet;

use buttress_system::words::{State, System, WordTrace, code};
use buttress_term::{Evaluation, Node, Op, Sort, TermId, Value};
use num_bigint::BigInt;

/// A combination of values, as a number in each variable's list.
type Choice = Vec<usize>;

/// The variables of one kind with all their values.
struct Space {
    variables: Vec<TermId>,
    values: Vec<Vec<Value>>,
}

/// A point: the values of the formulas at it.
struct Point {
    is_start: bool,
    is_allowed: bool,
    bads: Vec<bool>,
    /// The values of the states one step later; `None` for any.
    next: Vec<Option<Value>>,
}

/// For each property the step of a shortest violation; `None`: it holds.
pub fn violations(system: &System) -> Vec<Option<usize>> {
    let states = Space::new(system, system.states.iter().map(|s| s.variable));
    let inputs = Space::new(system, system.inputs.iter().map(|i| i.variable));
    let points = |state: &Choice| -> Vec<Point> {
        inputs.choices().map(|input| Point::at(system, (&states, state), (&inputs, &input))).collect()
    };
    let mut violated = vec![None; system.properties.len()];
    let mut layer: Vec<Vec<Point>> = states.choices().map(|s| points(&s)).collect();
    layer.iter_mut().for_each(|points| points.retain(|p| p.is_start));
    let mut reached: BTreeSet<Choice> = BTreeSet::new();
    for step in 0.. {
        let mut fresh: BTreeSet<Choice> = BTreeSet::new();
        for point in layer.iter().flatten().filter(|p| p.is_allowed) {
            point.record(step, &mut violated);
            fresh.extend(states.matching(&point.next));
        }
        fresh.retain(|state| reached.insert(state.clone()));
        if fresh.is_empty() {
            return violated;
        }
        layer = fresh.iter().map(points).collect();
    }
    unreachable!("there are finitely many states")
}

impl Space {
    fn new(system: &System, variables: impl Iterator<Item = TermId>) -> Space {
        let variables: Vec<TermId> = variables.collect();
        let values = variables.iter().map(|&v| values_of(system, v)).collect();
        Space { variables, values }
    }

    fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        let any = vec![None; self.variables.len()];
        self.matching(&any).into_iter()
    }

    /// All choices with these values.
    fn matching(&self, wanted: &[Option<Value>]) -> Vec<Choice> {
        let mut choices: Vec<Choice> = vec![Vec::new()];
        for (values, wanted) in self.values.iter().zip(wanted) {
            let fits = |&i: &usize| wanted.as_ref().is_none_or(|w| values[i] == *w);
            let numbers: Vec<usize> = (0..values.len()).filter(fits).collect();
            let extended = |choice: &Choice| -> Vec<Choice> {
                numbers.iter().map(|&n| choice.iter().copied().chain([n]).collect()).collect()
            };
            choices = choices.iter().flat_map(extended).collect();
        }
        choices
    }

    fn assign(&self, choice: &Choice, evaluation: &mut Evaluation<'_>) {
        for (v, &number) in choice.iter().enumerate() {
            evaluation.assign(self.variables[v], Some(self.values[v][number].clone()));
        }
    }
}

/// All values of a variable; of an integer those between its bounds, since a constraint excludes all others.
pub fn values_of(system: &System, variable: TermId) -> Vec<Value> {
    match system.terms.sort(variable) {
        Sort::Int => {
            let (mut next, high) = bounds(system, variable).expect("the reference is for finite systems");
            let mut values = Vec::new();
            while next <= high {
                values.push(Value::Int(next.clone()));
                next += 1;
            }
            values
        }
        sort => all_values(sort),
    }
}

/// The bounds of a variable by a constraint of the form `low ≤ variable ∧ variable ≤ high`.
pub fn bounds(system: &System, variable: TermId) -> Option<(BigInt, BigInt)> {
    system.constraints.iter().find_map(|constraint| {
        let Node::Apply(Op::And, _, &[a, b]) = system.terms.node(constraint.term) else { return None };
        let (Node::Apply(Op::Le, _, &[low, x]), Node::Apply(Op::Le, _, &[y, high])) =
            (system.terms.node(a), system.terms.node(b))
        else {
            return None;
        };
        match (system.terms.as_constant(low), system.terms.as_constant(high)) {
            (Some(Value::Int(low)), Some(Value::Int(high))) if x == variable && y == variable => {
                Some((low.clone(), high.clone()))
            }
            _ => None,
        }
    })
}

fn all_values(sort: &Sort) -> Vec<Value> {
    let width = code::width(sort).expect("the reference is for finite sorts");
    let bits = |n: u32| (0..width).map(|i| n >> i & 1 == 1).collect::<Vec<bool>>();
    let codes = (0..1u32 << width).map(bits);
    codes
        .map(|bits| (code::decode(sort, &bits), bits))
        .filter(|(v, b)| code::encode(v) == *b)
        .map(|p| p.0)
        .collect()
}

/// Gives what is defined its value.
fn define(system: &System, evaluation: &mut Evaluation<'_>) {
    for definition in &system.definitions {
        let value = evaluation.value(definition.value);
        evaluation.assign(definition.variable, value);
    }
}

impl Point {
    fn at(system: &System, states: (&Space, &Choice), inputs: (&Space, &Choice)) -> Point {
        let mut evaluation = Evaluation::new(&system.terms);
        states.0.assign(states.1, &mut evaluation);
        inputs.0.assign(inputs.1, &mut evaluation);
        define(system, &mut evaluation);
        let mut value = |term| evaluation.value(term).expect("everything has a value");
        let is_start = system.states.iter().all(|s| s.init.is_none_or(|i| value(i) == value(s.variable)));
        let yes = Value::Bool(true);
        let is_allowed = system.constraints.iter().all(|c| value(c.term) == yes);
        let bads = system.properties.iter().map(|p| value(p.bad) == yes).collect();
        let next = system.states.iter().map(|s| s.next.map(&mut value)).collect();
        Point { is_start, is_allowed, bads, next }
    }

    fn record(&self, step: usize, violated: &mut [Option<usize>]) {
        for (first, &bad) in violated.iter_mut().zip(&self.bads) {
            if bad && first.is_none() {
                *first = Some(step);
            }
        }
    }
}

/// Whether the trace, with zeros for what it leaves open, is an execution that violates its property at its end.
pub fn is_violation(system: &System, trace: &WordTrace) -> bool {
    let mut evaluation = Evaluation::new(&system.terms);
    let mut states: Option<Vec<Value>> = None;
    for row in &trace.inputs {
        let zero = |variable: TermId| Value::zero(system.terms.sort(variable));
        let inputs: Vec<Value> = (system.inputs.iter().zip(row))
            .map(|(input, value)| value.clone().unwrap_or_else(|| zero(input.variable)))
            .collect();
        let mut free = row[system.inputs.len()..].iter();
        let now = match states.take() {
            Some(mut known) => {
                for (s, state) in system.states.iter().enumerate().filter(|(_, s)| s.next.is_none()) {
                    let value = free.next().expect("a value for each free state").clone();
                    known[s] = value.unwrap_or_else(|| zero(state.variable));
                }
                known
            }
            None => match start(system, trace, &inputs) {
                Some(states) => states,
                None => return false,
            },
        };
        evaluation.clear();
        let variables =
            system.inputs.iter().map(|i| i.variable).chain(system.states.iter().map(|s| s.variable));
        let values = inputs.into_iter().chain(now.iter().cloned());
        variables.zip(values).for_each(|(variable, value)| evaluation.assign(variable, Some(value)));
        define(system, &mut evaluation);
        if !system.constraints.iter().all(|c| evaluation.bool(c.term) == Some(true)) {
            return false;
        }
        let next = |(s, state): (usize, &State)| match state.next {
            Some(next) => evaluation.value(next).expect("everything is known"),
            None => now[s].clone(),
        };
        states = Some(system.states.iter().enumerate().map(next).collect());
    }
    evaluation.bool(system.property(trace.property).bad) == Some(true)
}

/// The start: what the trace says, and what `init` says of the rest, found by trying as often as there are states.
fn start(system: &System, trace: &WordTrace, inputs: &[Value]) -> Option<Vec<Value>> {
    let mut known: Vec<Option<Value>> = (system.states.iter().zip(&trace.initial))
        .map(|(state, given)| match (state.init, given) {
            (None, None) => Some(Value::zero(system.terms.sort(state.variable))),
            _ => given.clone(),
        })
        .collect();
    for _ in 0..=system.states.len() {
        let mut evaluation = Evaluation::new(&system.terms);
        system.inputs.iter().zip(inputs).for_each(|(i, v)| evaluation.assign(i.variable, Some(v.clone())));
        system.states.iter().zip(&known).for_each(|(s, v)| evaluation.assign(s.variable, v.clone()));
        define(system, &mut evaluation);
        let found: Vec<Option<Value>> = (system.states.iter().zip(&known))
            .map(|(state, value)| match state.init {
                Some(init) => evaluation.value(init).or_else(|| value.clone()),
                None => value.clone(),
            })
            .collect();
        let said = trace.initial.iter().zip(&found).all(|(given, found)| given.is_none() || given == found);
        if !said {
            return None;
        }
        known = found;
    }
    known.into_iter().collect()
}
