//! A formula as a justice property: the tableau of its negation, as a circuit beside the system.
//!
//! Clarke, Grumberg & Hamaguchi, "Another look at LTL model checking", FMSD 1997, in one direction only: negations
//! are pushed down to the signals, and then a node that *claims* to hold must hold, while one that holds need not
//! claim it. Let `s(φ)` be the claim of a node.
//!
//! ```text
//! s(a ∧ b) = s(a) ∧ s(b)          s(X a)   = x
//! s(a ∨ b) = s(a) ∨ s(b)          s(a U b) = s(b) ∨ s(a) ∧ x         met again and again: ¬due ∨ s(b)
//!                                 s(a R b) = s(b) ∧ (s(a) ∨ x)
//! s(Y a) = y, y' = s(a), at first 0        s(a S b) = s(b) ∨ s(a) ∧ y, y' = s(a S b), at first 0
//! s(Z a) = z, z' = s(a), at first 1        s(a T b) = s(b) ∧ (s(a) ∨ z), z' = s(a T b), at first 1
//! ```
//!
//! `x` is a *guess*, a free input that promises something for the next step: a memory `due` keeps it, and it is
//! broken if `due` holds and the claim (`s(a)` of `X a`, of the others their own) does not. In step 0 the negated
//! formula is due; later it may be due again, if a guess says so, so that executions may go back to step 0. A
//! memory `ok` falls when a promise is broken and never rises. The justice property says that `ok` holds again and
//! again, and so does each `¬due ∨ s(b)`.
//!
//! *Sound and complete.* Claims that keep all promises, with each `U` met, hold, by induction over the formula: of
//! a `U` that is due for ever without its `b` the last condition never holds from some moment on; where it is not
//! due at some later moment, `b` came before. And on an execution on which the negated formula holds, claim and
//! guess exactly what holds. These claims depend only on what is still to come, and on the values of `Y`, `Z`,
//! `S`, `T`; so without operators of the past a lasso of the system is one of both, no longer: `due` may be
//! anything at first.
//!
//! Conjuncts of the negated formula are simpler. `G F a` needs no memory: `s(a)` is met again and again. `G a`
//! breaks a promise wherever `a` is not claimed. `F a` is met by `s(a) ∨ m`, again and again, where
//! `m' = (s(a) ∨ m) ∧ x` remembers that it came, as long as the guess `x` says. So of a formula `G a` with no
//! temporal operators but those of the past in `a`, a proof that nothing is met even once is a proof of safety,
//! and no more is asked for.

use std::collections::HashMap;
use std::hash::Hash;

use super::{Ltl, NodeId, Says};
use crate::Lit;

/// A part of the circuit. Literals are those of the tableau itself: the variable is the place of a part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part<A> {
    /// The first one.
    False,
    Signal(A),
    /// A free input.
    Guess(usize),
    Memory(usize),
    And(Lit, Lit),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// `None` where it may be anything at first.
    pub reset: Option<bool>,
    pub next: Lit,
}

/// The circuit of a formula.
#[derive(Clone, Debug)]
pub struct Tableau<A> {
    /// Each after those that it reads; memories may read any.
    pub parts: Vec<Part<A>>,
    pub guesses: usize,
    pub memories: Vec<Memory>,
    /// An execution violates the formula if there are guesses with which each of these holds again and again.
    pub signals: Vec<Lit>,
}

impl<A: Copy + Eq + Hash> Tableau<A> {
    pub fn of(formula: &Ltl<A>) -> Tableau<A> {
        Drawing::new(formula).draw()
    }
}

/// A node, and whether it is meant as it stands or negated.
type Meant = (NodeId, bool);

struct Drawing<'a, A> {
    formula: &'a Ltl<A>,
    tableau: Tableau<A>,
    known: HashMap<Part<A>, Lit>,
    /// The claims of each node, negated and not.
    claims: Vec<[Option<Lit>; 2]>,
    /// Some promise is broken now.
    broken: Lit,
    /// Of each `U`, that it is not due or met.
    met: Vec<Lit>,
}

impl<'a, A: Copy + Eq + Hash> Drawing<'a, A> {
    fn new(formula: &'a Ltl<A>) -> Drawing<'a, A> {
        let tableau =
            Tableau { parts: vec![Part::False], guesses: 0, memories: Vec::new(), signals: Vec::new() };
        let claims = vec![[None; 2]; formula.nodes().len()];
        Drawing { formula, tableau, known: HashMap::new(), claims, broken: Lit::FALSE, met: Vec::new() }
    }

    fn draw(mut self) -> Tableau<A> {
        let (mut at_first, mut recurring) = (Vec::new(), Vec::new());
        let (mut sometime, mut always) = (Vec::new(), Vec::new());
        for (node, positive) in self.conjuncts() {
            let of = |eventually| self.under(node, positive, eventually);
            match (self.recurs((node, positive)), of(true), of(false)) {
                (Some(meant), ..) => recurring.push(meant),
                (_, Some(meant), _) => sometime.push(meant),
                (_, _, Some(meant)) => always.push(meant),
                _ => at_first.push((node, positive)),
            }
        }
        let all = [&at_first, &recurring, &sometime, &always];
        self.claim_all(all.into_iter().flatten().copied().collect());
        always.iter().for_each(|&meant| self.keep(Lit::TRUE, self.claim(meant)));
        if !at_first.is_empty() {
            let again = self.guess();
            let due = self.memory(Some(true), again);
            let claimed = at_first.iter().map(|&m| self.claim(m)).collect::<Vec<_>>();
            let claimed = claimed.into_iter().fold(Lit::TRUE, |all, claim| self.and(all, claim));
            self.keep(due, claimed);
        }
        let mut signals: Vec<Lit> = recurring.iter().map(|&m| self.claim(m)).collect();
        signals.extend(sometime.iter().map(|&meant| self.was(meant)).collect::<Vec<_>>());
        signals.append(&mut self.met);
        if self.broken != Lit::FALSE {
            let ok = self.memory(Some(true), Lit::FALSE);
            let still = self.and(ok, !self.broken);
            self.tableau.memories.last_mut().expect("it was just made").next = still;
            signals.push(still);
        }
        self.tableau.signals = signals;
        self.tableau
    }

    /// The conjuncts of the negated formula.
    fn conjuncts(&self) -> Vec<Meant> {
        let (mut open, mut found) = (vec![(self.formula.root(), false)], Vec::new());
        while let Some((node, positive)) = open.pop() {
            match (self.formula.says(node), positive) {
                (Says::Not(a), _) => open.push((a, !positive)),
                (Says::And(a, b), true) | (Says::Or(a, b), false) => {
                    open.extend([(b, positive), (a, positive)])
                }
                (Says::Constant(value), _) if value == positive => {}
                _ if found.contains(&(node, positive)) => {}
                _ => found.push((node, positive)),
            }
        }
        found
    }

    /// What `G F` is said of.
    fn recurs(&self, (node, positive): Meant) -> Option<Meant> {
        let (inner, positive) = self.under(node, positive, false)?;
        self.under(inner, positive, true)
    }

    /// What `F`, or else `G`, is said of.
    fn under(&self, node: NodeId, positive: bool, eventually: bool) -> Option<Meant> {
        let is = |a: NodeId, value: bool| self.formula.says(a) == Says::Constant(value);
        match self.formula.says(node) {
            Says::Not(a) => self.under(a, !positive, eventually),
            Says::Until(a, b) if is(a, true) && eventually == positive => Some((b, positive)),
            Says::Release(a, b) if is(a, false) && eventually != positive => Some((b, positive)),
            _ => None,
        }
    }

    /// Makes the claims of these nodes, and of all that they speak of.
    fn claim_all(&mut self, roots: Vec<Meant>) {
        let mut wanted = vec![[false; 2]; self.claims.len()];
        roots.iter().for_each(|&(node, positive)| wanted[node.index()][usize::from(positive)] = true);
        for place in (0..wanted.len()).rev() {
            let says = self.formula.nodes()[place];
            let here = wanted[place];
            for positive in [false, true].into_iter().filter(|&p| here[usize::from(p)]) {
                let below = positive != matches!(says, Says::Not(_));
                says.operands().for_each(|o| wanted[o.index()][usize::from(below)] = true);
            }
        }
        for (place, wanted) in wanted.into_iter().enumerate() {
            for positive in [false, true].into_iter().filter(|&p| wanted[usize::from(p)]) {
                let claim = self.make(self.formula.nodes()[place], positive);
                self.claims[place][usize::from(positive)] = Some(claim);
            }
        }
    }

    fn claim(&self, (node, positive): Meant) -> Lit {
        self.claims[node.index()][usize::from(positive)].expect("operands come first")
    }

    fn make(&mut self, says: Says<A>, positive: bool) -> Lit {
        let of = |drawing: &Self, a: NodeId| drawing.claim((a, positive));
        match says {
            Says::Constant(value) => Lit::FALSE ^ (value == positive),
            Says::Signal(signal) => self.part(Part::Signal(signal)) ^ !positive,
            Says::Not(a) => self.claim((a, !positive)),
            Says::And(a, b) | Says::Or(a, b) => {
                let is_and = matches!(says, Says::And(..)) == positive;
                let (a, b) = (of(self, a), of(self, b));
                if is_and { self.and(a, b) } else { self.or(a, b) }
            }
            Says::Next(a) => {
                let (a, promise) = (of(self, a), self.guess());
                let due = self.memory(None, promise);
                self.keep(due, a);
                promise
            }
            Says::Until(a, b) | Says::Release(a, b) => {
                let is_until = matches!(says, Says::Until(..)) == positive;
                let (a, b) = (of(self, a), of(self, b));
                let promise = self.guess();
                let due = self.memory(None, promise);
                let claim = self.step(is_until, a, b, promise);
                self.keep(due, claim);
                if is_until {
                    let met = self.or(!due, b);
                    self.met.push(met);
                }
                claim
            }
            Says::Before(a) | Says::BeforeIfAny(a) => {
                let at_first = matches!(says, Says::BeforeIfAny(_)) == positive;
                let a = of(self, a);
                self.memory(Some(at_first), a)
            }
            Says::Since(a, b) | Says::Trigger(a, b) => {
                let is_since = matches!(says, Says::Since(..)) == positive;
                let (a, b) = (of(self, a), of(self, b));
                let before = self.memory(Some(!is_since), Lit::FALSE);
                let number = self.tableau.memories.len() - 1;
                let claim = self.step(is_since, a, b, before);
                self.tableau.memories[number].next = claim;
                claim
            }
        }
    }

    /// `b ∨ a ∧ other`, or `b ∧ (a ∨ other)`.
    fn step(&mut self, strong: bool, a: Lit, b: Lit, other: Lit) -> Lit {
        if strong {
            let on = self.and(a, other);
            self.or(b, on)
        } else {
            let on = self.or(a, other);
            self.and(b, on)
        }
    }

    /// It is claimed, or was before and is not forgotten.
    fn was(&mut self, meant: Meant) -> Lit {
        let (keeps, before) = (self.guess(), self.memory(Some(false), Lit::FALSE));
        let number = self.tableau.memories.len() - 1;
        let now = self.or(before, self.claim(meant));
        self.tableau.memories[number].next = self.and(now, keeps);
        now
    }

    /// What is due must be claimed.
    fn keep(&mut self, due: Lit, claim: Lit) {
        let broken = self.and(due, !claim);
        self.broken = self.or(self.broken, broken);
    }

    fn guess(&mut self) -> Lit {
        self.tableau.guesses += 1;
        self.part(Part::Guess(self.tableau.guesses - 1))
    }

    fn memory(&mut self, reset: Option<bool>, next: Lit) -> Lit {
        self.tableau.memories.push(Memory { reset, next });
        self.part(Part::Memory(self.tableau.memories.len() - 1))
    }

    fn part(&mut self, part: Part<A>) -> Lit {
        let parts = &mut self.tableau.parts;
        *self.known.entry(part).or_insert_with(|| {
            parts.push(part);
            Lit::from_code(2 * (parts.len() as u32 - 1))
        })
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a.min(b), a.max(b)) {
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, other) => other,
            (a, b) if a == b => a,
            (a, b) if a == !b => Lit::FALSE,
            (a, b) => self.part(Part::And(a, b)),
        }
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }
}
