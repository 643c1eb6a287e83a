//! Predicates over the states of a word-level system, numbered, so that engines on cubes of literals can speak of
//! them.
//!
//! A predicate is a Boolean state, a bound on a linear sum of states (`Σ aᵢ·xᵢ ≤ c` or `< c`, with coprime
//! integers and a positive first coefficient), or any other Boolean term over states. A lower bound is the
//! negation of an upper one. The store grows while engines run, and is shared by all that work on one system.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Arc, Mutex, MutexGuard};

use buttress_system::words::{System, WordProof};
use buttress_system::{Clause, Lit, Proof, PropertyId, Var};
use buttress_term::{Op, Sort, TermId, Terms, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};
use rustc_hash::FxHashMap;

use crate::linear::{Constraint, Sum};

/// Bounds on one sum: the number of the predicate by bound and strictness. `Σ < c` stands before `Σ ≤ c`.
type Bounds = BTreeMap<(BigRational, bool), usize>;

/// A sum without its constant.
type Direction = Vec<(TermId, BigRational)>;

/// The predicates of a system.
pub struct Atoms {
    system: Arc<System>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// The system's terms, and those of the predicates.
    terms: Terms,
    list: Vec<TermId>,
    index: FxHashMap<TermId, usize>,
    bounds: BTreeMap<Direction, Bounds>,
    /// The vocabulary of an abstraction.
    chosen: BTreeSet<usize>,
}

/// How many predicates there may be.
const MOST: usize = 1 << 14;

/// How many weaker bounds join a bound in a cube.
const NEIGHBOURS: usize = 4;

fn lit(atom: usize, truth: bool) -> Lit {
    Var::new(atom as u32 + 1).lit() ^ !truth
}

impl Atoms {
    pub fn new(system: Arc<System>) -> Atoms {
        let terms = system.terms.clone();
        let inner = Inner {
            terms,
            list: Vec::new(),
            index: FxHashMap::default(),
            bounds: BTreeMap::new(),
            chosen: BTreeSet::new(),
        };
        Atoms { system, inner: Mutex::new(inner) }
    }

    /// How many there may ever be: latches, for an engine that thinks in such.
    pub fn most(&self) -> usize {
        MOST
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no holder panics")
    }

    /// The predicates from this one on, as terms of `terms`, which extends the system's.
    pub fn read(&self, from: usize, terms: &mut Terms) -> Vec<TermId> {
        let inner = self.lock();
        let common = self.system.terms.len();
        inner.list[from..].iter().map(|&t| terms.adopt(&inner.terms, t, common)).collect()
    }

    /// A Boolean term over states, of a store that extends the system's.
    pub fn term(&self, terms: &Terms, term: TermId, truth: bool) -> Option<Lit> {
        let mut inner = self.lock();
        let term = inner.terms.adopt(terms, term, self.system.terms.len());
        inner.intern(term).map(|atom| lit(atom, truth))
    }

    /// A bound on states, and bounds known before that follow from it, the closest ones. `None` where there are
    /// too many predicates.
    pub fn bound(&self, terms: &Terms, constraint: Constraint) -> Option<Vec<Lit>> {
        // What is about nothing, as `x - x <= 3`, holds in the model that it was read from, so always.
        if constraint.sum.coefficients.is_empty() {
            return Some(Vec::new());
        }
        let mut inner = self.lock();
        let sums: BTreeMap<TermId, TermId> = constraint
            .sum
            .coefficients
            .keys()
            .map(|&x| (x, inner.terms.adopt(terms, x, self.system.terms.len())))
            .collect();
        let coefficients = constraint.sum.coefficients.iter().map(|(x, a)| (sums[x], a.clone())).collect();
        let sum = Sum { coefficients, constant: constraint.sum.constant };
        let integral = sum.coefficients.keys().all(|&x| *inner.terms.sort(x) == Sort::Int);
        let normal = Constraint { sum, strict: constraint.strict }.normal(integral);
        inner.bound(normal, integral)
    }

    /// These predicates join the vocabulary of an abstraction; whether one of them is new there.
    pub fn choose(&self, lits: &[Lit]) -> bool {
        let mut inner = self.lock();
        let before = inner.chosen.len();
        inner.chosen.extend(lits.iter().map(|l| l.var().index() - 1));
        inner.chosen.len() > before
    }

    /// All that are there join the vocabulary.
    pub fn choose_all(&self) {
        let mut inner = self.lock();
        let all = inner.list.len();
        inner.chosen.extend(0..all);
    }

    /// The vocabulary.
    pub fn chosen(&self) -> Vec<usize> {
        self.lock().chosen.iter().copied().collect()
    }

    /// A clause over predicates as a proof's conjunct.
    pub fn proof(&self, property: PropertyId, clauses: &[Clause]) -> WordProof {
        let mut terms = self.system.terms.clone();
        let atoms = self.read(0, &mut terms);
        let mut disjunction = |clause: &Clause| {
            let mut literals = Vec::new();
            for l in clause.0.iter() {
                let atom = atoms[l.var().index() - 1];
                literals.push(if l.is_negated() { terms.not(atom) } else { atom });
            }
            terms.any(&literals)
        };
        let invariant = clauses.iter().map(&mut disjunction).collect();
        let claim = Proof { properties: vec![property], k: 1, distinct: None, invariant };
        WordProof { terms: Arc::new(terms), claim }
    }
}

impl Inner {
    fn intern(&mut self, term: TermId) -> Option<usize> {
        if let Some(&known) = self.index.get(&term) {
            return Some(known);
        }
        if self.list.len() >= MOST {
            return None;
        }
        self.list.push(term);
        self.index.insert(term, self.list.len() - 1);
        Some(self.list.len() - 1)
    }

    /// Σ ≤ -c as a literal, with the weaker ones.
    fn bound(&mut self, constraint: Constraint, integral: bool) -> Option<Vec<Lit>> {
        let Constraint { sum, strict } = constraint;
        // About nothing, such as x - 1 < x: it holds where it was read.
        let Some(first) = sum.coefficients.values().next() else { return Some(Vec::new()) };
        let upper = first.is_positive();
        let sign = if upper { BigRational::one() } else { -BigRational::one() };
        let direction: Direction = sum.coefficients.iter().map(|(&x, a)| (x, a * &sign)).collect();
        let limit = -sum.constant * &sign;
        // Σ ≥ c is ¬(Σ < c), over integers ¬(Σ ≤ c - 1); Σ > c is ¬(Σ ≤ c).
        let key = match (upper, integral) {
            (true, _) => (limit, !strict),
            (false, true) => (limit - BigRational::one(), true),
            (false, false) => (limit, strict),
        };
        let atom = self.atom(&direction, &key)?;
        let mut lits = vec![lit(atom, upper)];
        let known = &self.bounds[&direction];
        let above = (Excluded(&key), Unbounded);
        let weaker: Vec<usize> = match upper {
            true => known.range::<(BigRational, bool), _>(above).map(|(_, &a)| a).take(NEIGHBOURS).collect(),
            false => known.range(..key.clone()).rev().map(|(_, &a)| a).take(NEIGHBOURS).collect(),
        };
        lits.extend(weaker.into_iter().map(|a| lit(a, upper)));
        Some(lits)
    }

    /// The predicate `Σ ≤ c`, or `Σ < c`.
    fn atom(&mut self, direction: &Direction, key: &(BigRational, bool)) -> Option<usize> {
        if let Some(&known) = self.bounds.get(direction).and_then(|b| b.get(key)) {
            return Some(known);
        }
        let real = direction.iter().any(|(x, _)| *self.terms.sort(*x) == Sort::Real);
        let parts: Vec<TermId> = direction.iter().map(|(x, a)| self.part(*x, a, real)).collect();
        let sum = if parts.len() == 1 { parts[0] } else { self.terms.app(Op::Add, &parts) };
        let limit = self.number(&key.0, real);
        let term = self.terms.app(if key.1 { Op::Le } else { Op::Lt }, &[sum, limit]);
        let atom = self.intern(term)?;
        self.bounds.entry(direction.clone()).or_default().insert(key.clone(), atom);
        Some(atom)
    }

    fn part(&mut self, x: TermId, a: &BigRational, real: bool) -> TermId {
        let x = match real && *self.terms.sort(x) == Sort::Int {
            true => self.terms.app(Op::ToReal, &[x]),
            false => x,
        };
        if a.is_one() {
            return x;
        }
        let a = self.number(a, real);
        self.terms.app(Op::Mul, &[a, x])
    }

    fn number(&mut self, q: &BigRational, real: bool) -> TermId {
        match real {
            true => self.terms.constant(Value::Real(q.clone())),
            false => {
                debug_assert!(q.denom() == &BigInt::one(), "integers are bounded by integers");
                self.terms.constant(Value::Int(q.to_integer()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_system::words::Label;

    /// Σ + c ≤ 0
    fn le(parts: &[(TermId, i64)], c: i64) -> Constraint {
        let number = |n: i64| BigRational::from(BigInt::from(n));
        let coefficients = parts.iter().map(|&(x, a)| (x, number(a))).collect();
        Constraint { sum: Sum { coefficients, constant: number(c) }, strict: false }
    }

    #[test]
    fn a_lower_bound_is_the_negation_of_an_upper_one() {
        let mut system = System::default();
        let x = system.add_state(Sort::Int, Label::new("x"));
        let x = system.state(x).variable;
        let atoms = Atoms::new(Arc::new(system.clone()));
        // x ≤ 3, then x ≥ 4
        let upper = atoms.bound(&system.terms, le(&[(x, 1)], -3)).unwrap();
        let lower = atoms.bound(&system.terms, le(&[(x, -1)], 4)).unwrap();
        assert_eq!(upper[0], !lower[0]);
    }

    #[test]
    fn what_is_about_nothing_needs_no_predicate() {
        let system = System::default();
        let atoms = Atoms::new(Arc::new(system.clone()));
        assert_eq!(atoms.bound(&system.terms, le(&[], -3)), Some(Vec::new()));
    }

    #[test]
    fn weaker_bounds_join() {
        let mut system = System::default();
        let x = system.add_state(Sort::Int, Label::new("x"));
        let x = system.state(x).variable;
        let atoms = Atoms::new(Arc::new(system.clone()));
        let at = |c: i64| atoms.bound(&system.terms, le(&[(x, 1)], -c)).unwrap();
        let ten = at(10)[0];
        let three = at(3);
        assert_eq!(three[1..], [ten], "x ≤ 3 implies x ≤ 10");
        // x ≥ 12 implies ¬(x ≤ 10) and ¬(x ≤ 3)
        let twelve = atoms.bound(&system.terms, le(&[(x, -1)], 12)).unwrap();
        assert_eq!(twelve[1..], [!ten, !three[0]]);
    }
}
