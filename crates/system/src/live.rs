//! Systems of which it is asked what must happen: justice properties, and the evidence that decides them.
//!
//! A justice property is a list of signals, and fairness another that all of them share. It is *violated* by an
//! infinite execution (resets at its start, constraints in every step) on which each signal of both lists holds
//! infinitely often, and it holds where there is none. A finite system that has such an execution has one that
//! goes round: a [`Lasso`].
//!
//! A proof of the absence is an invariant of the system beside a *monitor* ([`Monitor`]), which whoever checks it
//! builds anew from the system and the property. How the two stand beside each other is fixed here, so that
//! literals and terms of an invariant mean the same to both.
//!
//! Let `q₀ … q_m` be the signals of a property, its own first and then those of fairness.
//!
//! # [`Monitor::Loop`]
//!
//! Biere, Artho & Schuppan, "Liveness checking as safety checking", FMICS 2002. A free input says once `save`; the
//! state of this moment is kept. In bits:
//!
//! ```text
//! inputs    of the system; save
//! latches   of the system; saved; seen(j,i) of each property j and signal i; kept(x) of each latch x that is compared
//! gates     of the system; then
//!           now = save ∧ ¬saved          since = ¬(¬saved ∧ ¬save)
//!           of each kept(x): hold = kept(x) ∧ ¬now, take = x ∧ now, kept(x)' = hold ∨ take, same(x) = kept(x) ↔ x
//!           of each j, of each i: (seen(j,i) ∨ qᵢ) ∧ since = seen(j,i)'
//!           of each j: bad(j) = saved ∧ seen(j,0) ∧ … ∧ same(x) of each x that j depends on, one after the other
//! start     saved = seen(j,i) = 0, kept(x) like x
//! ```
//!
//! `bad(j)` says that the state is the one that was kept, and that since then each signal of `j` held. Only what
//! the property and the constraints read, through any number of steps, is compared: the rest follows along. In
//! words the same with terms; `saved` and `seen` are Booleans, a kept state has the sort of its state.
//!
//! # [`Monitor::Visits`]
//!
//! Claessen & Sörensson, "A liveness checking algorithm that counts", FMCAD 2012. Once each signal has held, that
//! counts as one visit, and all over again; there are at most `k` visits. In bits:
//!
//! ```text
//! inputs    of the system
//! latches   of the system; seen(j,i); count(1,j) of each j, count(2,j) of each j, … count(k,j)
//! gates     of the system; then of each j
//!           of each i: met(i) = seen(j,i) ∨ qᵢ;  visit = met(0) ∧ met(1) ∧ …, one after the other
//!           of each i: seen(j,i)' = met(i) ∧ ¬visit
//!           of each n from 1 to k: up = count(n-1,j) ∧ visit, count(n,j)' = count(n,j) ∨ up; count(0,j) is true
//!           bad(j) = count(k,j) ∧ visit
//! start     all 0
//! ```
//!
//! Either way property `j` of the system with the monitor is about justice property `j`.
//!
//! # [`Monitor::Arenas`]
//!
//! Bradley, Somenzi, Hassan & Zhang, "An incremental approach to model checking progress properties", FMCAD 2011.
//! Nothing runs beside the system: literals and terms are those of the system itself. The states of the invariant
//! are split by
//! *walls*, sets that no step leaves, into *arenas* ([`Arena`]), until each arena lacks a signal. A property
//! without signals has one that always holds.

use std::sync::Arc;

use buttress_term::TermId;

use crate::ltl::Ltl;
use crate::words;
use crate::{BitSystem, Lasso, Lit, PropertyId, Subject};

/// A kind of system with signals that may hold again and again.
pub trait Recurrent: Subject {
    type Signal: Copy + Eq + std::hash::Hash + Send + Sync + std::fmt::Debug;
}

impl Recurrent for BitSystem {
    type Signal = Lit;
}

impl Recurrent for words::System {
    type Signal = TermId;
}

/// A system with its justice properties and formulas: these are its properties, by their numbers, the formulas
/// last. Proofs of formulas, and the monitors beside them, are about the [unfolded](crate::ltl::Unfolds) system.
#[derive(Clone, Debug)]
pub struct Live<S: Recurrent> {
    pub system: Arc<S>,
    pub justice: Vec<Vec<S::Signal>>,
    pub fairness: Vec<S::Signal>,
    pub formulas: Vec<Ltl<S::Signal>>,
}

/// A property of a system, by its number.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a, A> {
    /// No fair execution meets all of these again and again.
    Justice(&'a [A]),
    /// It holds on all fair executions.
    Formula(&'a Ltl<A>),
}

impl<'a, A> Question<'a, A> {
    /// The signals of its own that a counterexample meets again and again.
    pub fn met(self) -> &'a [A] {
        match self {
            Question::Justice(own) => own,
            Question::Formula(_) => &[],
        }
    }

    pub fn formula(self) -> Option<&'a Ltl<A>> {
        match self {
            Question::Justice(_) => None,
            Question::Formula(formula) => Some(formula),
        }
    }
}

impl Live<BitSystem> {
    pub fn of_bits(system: &Arc<BitSystem>) -> Live<BitSystem> {
        let (justice, fairness) = (system.justice.clone(), system.fairness.clone());
        Live { system: system.clone(), justice, fairness, formulas: Vec::new() }
    }
}

impl<S: Recurrent> Live<S> {
    pub fn question(&self, number: usize) -> Option<Question<'_, S::Signal>> {
        match self.justice.get(number) {
            Some(own) => Some(Question::Justice(own)),
            None => self.formulas.get(number - self.justice.len()).map(Question::Formula),
        }
    }

    /// The signals of a justice property that must hold infinitely often, those of fairness last.
    pub fn signals(&self, justice: usize) -> impl Iterator<Item = S::Signal> + '_ {
        self.justice[justice].iter().chain(&self.fairness).copied()
    }
}

/// What runs beside a system in a proof of liveness: see the head of this module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Monitor {
    /// No state comes back with each signal met in between.
    Loop,
    /// All signals are met at most so many times.
    Visits(u32),
    /// No arena has all signals.
    Arenas,
}

/// A part of the states, by its place in a list; those that it is split into come later. The first is the
/// invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arena<P> {
    /// No step within it has this signal, by its number among those of the property.
    Lacks(usize),
    /// No step within the arena leaves the set, of which a proof has the conjuncts.
    Wall { set: P, inside: usize, outside: usize },
}

impl<P> Arena<P> {
    pub fn map<Q>(self, to: impl FnOnce(P) -> Q) -> Arena<Q> {
        match self {
            Arena::Lacks(signal) => Arena::Lacks(signal),
            Arena::Wall { set, inside, outside } => Arena::Wall { set: to(set), inside, outside },
        }
    }
}

/// A strengthening of the system with its monitor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveProof<P> {
    pub monitor: Monitor,
    pub proof: P,
    /// Of [`Monitor::Arenas`] all arenas; of the others none.
    pub arenas: Vec<Arena<P>>,
}

impl<P> LiveProof<P> {
    pub fn new(monitor: Monitor, proof: P) -> LiveProof<P> {
        LiveProof { monitor, proof, arenas: Vec::new() }
    }
}

impl<S: Recurrent> Subject for Live<S> {
    /// That a justice property holds says nothing about states.
    type Lemma = PropertyId;
    type Trace = Lasso<S::Trace>;
    type Proof = LiveProof<S::Proof>;

    fn lemma(property: PropertyId) -> PropertyId {
        property
    }

    fn as_property(lemma: &PropertyId) -> Option<PropertyId> {
        Some(*lemma)
    }

    fn excluding(_: &[Lit]) -> Option<PropertyId> {
        None
    }

    fn excluded(_: &PropertyId) -> Option<Vec<Lit>> {
        None
    }

    fn lemmas(_: &Self::Proof) -> Vec<PropertyId> {
        Vec::new()
    }

    fn proved(proof: &Self::Proof) -> &[PropertyId] {
        S::proved(&proof.proof)
    }

    /// No proof of one rests on another.
    fn and(&self, proof: Self::Proof, _: &Self::Proof) -> Self::Proof {
        proof
    }

    fn num_properties(&self) -> usize {
        self.justice.len() + self.formulas.len()
    }
}
