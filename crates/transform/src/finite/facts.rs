//! Static facts about each term: an interval of each integer, the truth of comparisons that the intervals decide.
//!
//! Bounds of variables are read from constraints that are comparisons with a number; they hold in every step. For
//! other states the least solution of `init ⊆ s`, `next ⊆ s` is approached from below, and given up where a state
//! grows and grows: it has no bounds.

use buttress_system::words::{Role, System};
use buttress_term::{Node, Op, Sort, TermId, Value};
use num_bigint::BigInt;
use num_traits::Zero;

use super::interval::Interval;

/// How often a state may grow; most that grow more often grow forever.
const GROWTH: usize = 4;
/// After so many rounds, whatever grows has no bounds.
const ROUNDS: usize = 24;
/// Numbers of more bits have no bounds that are worth anything: a square of a square of a square has too many
/// to write.
const WIDEST: u32 = 4096;

#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// No value at all, so far.
    Nothing,
    Int(Interval),
    Bool(bool),
    /// Any value of its sort.
    Any,
}

impl Fact {
    pub fn interval(&self) -> Option<&Interval> {
        match self {
            Fact::Int(interval) => Some(interval),
            _ => None,
        }
    }

    fn hull(&self, other: &Fact) -> Fact {
        match (self, other) {
            (Fact::Nothing, one) | (one, Fact::Nothing) => one.clone(),
            (Fact::Int(a), Fact::Int(b)) => Fact::Int(a.hull(b)),
            (Fact::Bool(a), Fact::Bool(b)) if a == b => Fact::Bool(*a),
            _ => Fact::Any,
        }
    }

    fn within_reason(self) -> Fact {
        match self {
            Fact::Int(interval) if interval.width() > WIDEST => Fact::Any,
            other => other,
        }
    }

    fn truth(known: Option<bool>) -> Fact {
        known.map_or(Fact::Any, Fact::Bool)
    }
}

/// The facts of a system.
pub struct Facts {
    of: Vec<Fact>,
    /// Bounds of variables by constraints.
    bounds: Vec<Option<Interval>>,
}

impl Facts {
    pub fn of(system: &System, roles: &[Option<Role>]) -> Facts {
        let bounds = bounds(system);
        let mut states: Vec<Fact> = system
            .states
            .iter()
            .map(|state| match (system.terms.sort(state.variable), &bounds[state.variable.index()]) {
                (Sort::Int, Some(known)) => Fact::Int(known.clone()),
                (Sort::Int, None) if state.init.is_some() && state.next.is_some() => Fact::Nothing,
                _ => Fact::Any,
            })
            .collect();
        let mut facts = Facts { of: Vec::new(), bounds };
        let mut growth = vec![0; states.len()];
        for round in 0.. {
            facts.compute(system, roles, &states);
            let grown = facts.grown(system, &states);
            if grown == states {
                break;
            }
            for ((state, next), growth) in states.iter_mut().zip(grown).zip(&mut growth) {
                if *state != next {
                    *growth += usize::from(*state != Fact::Nothing);
                    *state = if *growth > GROWTH || round > ROUNDS { Fact::Any } else { next };
                }
            }
        }
        facts
    }

    pub fn get(&self, term: TermId) -> &Fact {
        &self.of[term.index()]
    }

    pub fn interval(&self, term: TermId) -> Option<&Interval> {
        self.get(term).interval()
    }

    /// The bounds of a variable by constraints.
    pub fn bounds(&self, variable: TermId) -> Option<&Interval> {
        self.bounds[variable.index()].as_ref()
    }

    fn grown(&self, system: &System, states: &[Fact]) -> Vec<Fact> {
        let grow = |(state, fact): (&buttress_system::words::State, &Fact)| match fact {
            Fact::Any => Fact::Any,
            known if self.bounds(state.variable).is_some() => known.clone(),
            known => [state.init, state.next]
                .into_iter()
                .flatten()
                .fold(known.clone(), |hull, term| hull.hull(self.get(term))),
        };
        system.states.iter().zip(states).map(grow).collect()
    }

    fn compute(&mut self, system: &System, roles: &[Option<Role>], states: &[Fact]) {
        self.of.clear();
        for term in system.terms.ids() {
            let fact = match (system.terms.node(term), roles[term.index()]) {
                (Node::Constant(value), _) => constant(value),
                (Node::Variable(_), Some(Role::State(state))) => states[state.index()].clone(),
                (Node::Variable(_), Some(Role::Definition(d))) => {
                    self.of[system.definitions[d].value.index()].clone()
                }
                (Node::Variable(_), _) => {
                    self.bounds(term).map_or(Fact::Any, |known| Fact::Int(known.clone()))
                }
                (Node::Apply(op, _, operands), _) => self.apply(system, term, op, operands),
            };
            self.of.push(fact);
        }
    }

    fn apply(&self, system: &System, term: TermId, op: Op, operands: &[TermId]) -> Fact {
        let args: Vec<&Fact> = operands.iter().map(|&t| self.get(t)).collect();
        match op {
            Op::Ite => return ite(&args),
            Op::And => return connective(&args, false),
            Op::Or => return connective(&args, true),
            Op::Implies => return connective(&[&negated(args[0]), args[1]], true),
            Op::Not => return negated(args[0]),
            Op::BvToInt | Op::BvToNat => {
                let width = system.terms.width(operands[0]).expect("the sort rule wants a word");
                let all = |width| Fact::Int(Interval::of_word(width, op == Op::BvToInt));
                return if width < WIDEST { all(width) } else { Fact::Any };
            }
            _ => {}
        }
        if args.contains(&&Fact::Nothing) {
            return if *system.terms.sort(term) == Sort::Int { Fact::Nothing } else { Fact::Any };
        }
        let known: Option<Vec<&Interval>> = args.iter().map(|fact| fact.interval()).collect();
        known.map_or(Fact::Any, |args| arithmetic(op, &args).within_reason())
    }
}

fn constant(value: &Value) -> Fact {
    match value {
        Value::Int(n) => Fact::Int(Interval::point(n.clone())),
        Value::Bool(b) => Fact::Bool(*b),
        _ => Fact::Any,
    }
}

fn negated(fact: &Fact) -> Fact {
    match fact {
        Fact::Bool(known) => Fact::Bool(!known),
        other => other.clone(),
    }
}

/// `or` where `decisive` is true, else `and`.
fn connective(args: &[&Fact], decisive: bool) -> Fact {
    match () {
        _ if args.contains(&&Fact::Bool(decisive)) => Fact::Bool(decisive),
        _ if args.iter().all(|fact| **fact == Fact::Bool(!decisive)) => Fact::Bool(!decisive),
        _ => Fact::Any,
    }
}

fn ite(args: &[&Fact]) -> Fact {
    match args[0] {
        Fact::Bool(true) => args[1].clone(),
        Fact::Bool(false) => args[2].clone(),
        _ => args[1].hull(args[2]),
    }
}

pub fn arithmetic(op: Op, args: &[&Interval]) -> Fact {
    let fold = |join: fn(&Interval, &Interval) -> Interval| {
        Fact::Int(args[1..].iter().fold(args[0].clone(), |sum, next| join(&sum, next)))
    };
    let not = |known: Option<bool>| known.map(|b| !b);
    match (op, args) {
        (Op::Add, _) => fold(Interval::add),
        (Op::Mul, _) => fold(Interval::mul),
        (Op::Sub, [a, b]) => Fact::Int(a.sub(b)),
        (Op::Neg, [a]) => Fact::Int(a.neg()),
        (Op::Abs, [a]) => Fact::Int(a.abs()),
        (Op::IntDiv, [a, _]) => Fact::Int(a.div()),
        (Op::IntMod, [a, b]) => Fact::Int(a.modulo(b)),
        (Op::Lt, [a, b]) | (Op::Gt, [b, a]) => Fact::truth(a.below(b)),
        (Op::Ge, [a, b]) | (Op::Le, [b, a]) => Fact::truth(not(a.below(b))),
        (Op::Eq, [a, b]) => Fact::truth(a.equals(b)),
        _ => Fact::Any,
    }
}

/// `number ≤ variable` or `variable ≤ number`: the variable, the number, and whether it is a lower bound.
pub fn bound(system: &System, term: TermId) -> Option<(TermId, &BigInt, bool)> {
    let Node::Apply(Op::Le, _, &[a, b]) = system.terms.node(term) else { return None };
    match (system.terms.as_constant(a), system.terms.as_constant(b)) {
        (Some(Value::Int(low)), None) if system.terms.is_variable(b) => Some((b, low, true)),
        (None, Some(Value::Int(high))) if system.terms.is_variable(a) => Some((a, high, false)),
        _ => None,
    }
}

/// The conjuncts of a term.
pub fn conjuncts(system: &System, term: TermId) -> Vec<TermId> {
    match system.terms.node(term) {
        Node::Apply(Op::And, _, parts) => parts.iter().flat_map(|&part| conjuncts(system, part)).collect(),
        _ => vec![term],
    }
}

/// The bounds of inputs and states by constraints. A variable that is defined is what it is defined as.
fn bounds(system: &System) -> Vec<Option<Interval>> {
    let mut ends: Vec<(Option<BigInt>, Option<BigInt>)> = vec![(None, None); system.terms.len()];
    let all = system.constraints.iter().flat_map(|constraint| conjuncts(system, constraint.term));
    for (variable, number, lower) in all.filter_map(|term| bound(system, term)) {
        let (low, high) = &mut ends[variable.index()];
        if lower {
            *low = Some(low.take().map_or(number.clone(), |known| known.max(number.clone())));
        } else {
            *high = Some(high.take().map_or(number.clone(), |known| known.min(number.clone())));
        }
    }
    let mut bounds: Vec<Option<Interval>> = ends
        .into_iter()
        .map(|(low, high)| {
            let (low, high) = (low?, high?);
            // A contradiction leaves no execution; any interval will do.
            Some(if low <= high { Interval { low, high } } else { Interval::point(BigInt::zero()) })
        })
        .collect();
    system.definitions.iter().for_each(|definition| bounds[definition.variable.index()] = None);
    bounds
}
