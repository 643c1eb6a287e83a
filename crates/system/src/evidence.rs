//! Verdicts with their evidence: an engine never returns a bare yes or no.

use std::collections::HashSet;
use std::fmt;
use std::ops::Not;

use crate::{BitSystem, LatchId, Lit, PropertyId};

/// A value that may be unknown: Kleene's three-valued logic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ternary {
    Zero,
    One,
    X,
}

impl Ternary {
    pub fn and(self, other: Ternary) -> Ternary {
        match (self, other) {
            (Ternary::Zero, _) | (_, Ternary::Zero) => Ternary::Zero,
            (Ternary::One, Ternary::One) => Ternary::One,
            _ => Ternary::X,
        }
    }

    pub fn known(self) -> Option<bool> {
        match self {
            Ternary::Zero => Some(false),
            Ternary::One => Some(true),
            Ternary::X => None,
        }
    }

    pub fn digit(self) -> char {
        match self {
            Ternary::Zero => '0',
            Ternary::One => '1',
            Ternary::X => 'x',
        }
    }
}

impl From<bool> for Ternary {
    fn from(value: bool) -> Ternary {
        if value { Ternary::One } else { Ternary::Zero }
    }
}

impl Not for Ternary {
    type Output = Ternary;
    fn not(self) -> Ternary {
        match self {
            Ternary::Zero => Ternary::One,
            Ternary::One => Ternary::Zero,
            Ternary::X => Ternary::X,
        }
    }
}

/// A conjunction of literals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cube(pub Box<[Lit]>);

/// A disjunction of literals: one conjunct of an invariant. Mostly over latches; facts of transformations may
/// speak of gates, too.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Clause(pub Box<[Lit]>);

impl Clause {
    pub fn new(lits: impl IntoIterator<Item = Lit>) -> Clause {
        Clause(lits.into_iter().collect())
    }
}

impl Not for &Clause {
    type Output = Cube;
    fn not(self) -> Cube {
        Cube(self.0.iter().map(|&l| !l).collect())
    }
}

/// A fact about every reachable state: a property that was proved, or a clause over latches.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Lemma {
    Property(PropertyId),
    Clause(Clause),
}

/// An execution from a reset state to a violation of `property`.
///
/// `initial` holds a value a latch, `inputs` a value an input for each step; the states in between follow
/// from them. An unknown value (in witnesses of other tools) means that either will do. In words, values are
/// those of [`WordTrace`](crate::words::WordTrace).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace<V = Ternary> {
    pub property: PropertyId,
    pub initial: Vec<V>,
    pub inputs: Vec<Vec<V>>,
}

impl<V> Trace<V> {
    /// The step at which the property is violated: 0 is the first state.
    pub fn last_step(&self) -> usize {
        self.inputs.len() - 1
    }
}

/// An execution that goes round for ever: after the last step of the trace comes the step `back` again. It
/// violates a justice property if each of its terms, and each fairness constraint, holds somewhere on the way
/// round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso<T = Trace> {
    /// Which justice property.
    pub justice: usize,
    /// Its own property says nothing.
    pub trace: T,
    pub back: usize,
}

/// The properties that a witness circuit is for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Certified {
    /// Of which no bad state is reached.
    pub properties: Vec<PropertyId>,
    /// Justice properties that hold, by their numbers.
    pub justice: Vec<usize>,
}

/// A k-inductive strengthening: with `S` the conjunction of `properties` and `invariant`,
///
/// * base: no trace of at most `k` states leaves `S`;
/// * step: `k` consecutive states in `S`, all under the constraints, are followed by one in `S`.
///
/// Plain induction is `k = 1`. With `distinct`, the step only speaks of paths whose states are pairwise
/// distinct on these latches, which must be closed under dependency (given the invariant's constants):
/// see `buttress-check` for the argument. In words, a state is a latch and a term is a conjunct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof<S = LatchId, C = Clause> {
    /// The properties proved together; the one that was asked for stands first.
    pub properties: Vec<PropertyId>,
    pub k: u32,
    pub distinct: Option<Vec<S>>,
    pub invariant: Vec<C>,
}

impl Proof {
    pub fn inductive(property: PropertyId, invariant: Vec<Clause>) -> Proof {
        Proof { properties: vec![property], k: 1, distinct: None, invariant }
    }

    /// Both strengthenings at once. Sound where each was k-inductive by itself, or the second relative to
    /// the first: assume `S₁ ∧ S₂` for max(k₁,k₂) states, `S₁` follows for the next, then `S₂`.
    pub fn and(mut self, other: &Proof) -> Proof {
        let new = |p: &&PropertyId| !self.properties.contains(p);
        let added: Vec<_> = other.properties.iter().filter(new).copied().collect();
        self.properties.extend(added);
        self.k = self.k.max(other.k);
        let known: HashSet<&Clause> = self.invariant.iter().collect();
        let more: Vec<Clause> = other.invariant.iter().filter(|c| !known.contains(c)).cloned().collect();
        self.invariant.extend(more);
        self.distinct = match (self.distinct, &other.distinct) {
            (Some(mut mine), Some(theirs)) => {
                mine.extend(theirs);
                mine.sort();
                mine.dedup();
                Some(mine)
            }
            (mine, theirs) => mine.or_else(|| theirs.clone()),
        };
        self
    }
}

/// Why there is no verdict. None of these ever turns into one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    Time,
    Memory,
    Interrupted,
    /// The engine cannot decide this one, and says why.
    Incomplete(String),
    /// A solver failed.
    Solver(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("time"),
            Reason::Memory => f.write_str("memory"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Incomplete(why) => f.write_str(why),
            Reason::Solver(why) => write!(f, "solver failed: {why}"),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<P = Proof, T = Trace> {
    Safe(P),
    Unsafe(T),
    /// A path that the engine could not make sure of: where the check rejects it, the engine gives up.
    Perhaps(T),
    Unknown(Reason),
}

/// The values of all latches at each step of a trace, by simulation; the first row is `trace.initial`.
pub fn states(system: &BitSystem, trace: &Trace) -> Vec<Vec<Ternary>> {
    let mut rows = vec![trace.initial.clone()];
    for inputs in &trace.inputs[..trace.last_step()] {
        let values = evaluate(system, rows.last().expect("one row"), inputs);
        let next = |l: LatchId| value(&values, system.latch(l).next);
        rows.push(system.latches().map(next).collect());
    }
    rows
}

/// The value of every variable, given latches and inputs.
pub fn evaluate(system: &BitSystem, latches: &[Ternary], inputs: &[Ternary]) -> Vec<Ternary> {
    let mut values = Vec::with_capacity(system.num_vars());
    values.push(Ternary::Zero);
    values.extend_from_slice(inputs);
    values.extend_from_slice(latches);
    for &[a, b] in system.gates() {
        let gate = value(&values, a).and(value(&values, b));
        values.push(gate);
    }
    values
}

/// The value of a literal in the result of [`evaluate`].
pub fn value(values: &[Ternary], lit: Lit) -> Ternary {
    let value = values[lit.var().index()];
    if lit.is_negated() { !value } else { value }
}
