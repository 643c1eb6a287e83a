//! Cores of liveness: of justice properties and formulas of linear time ([`buttress_system::live`]).
//!
//! Let T be the elements of a model, F its fairness signals, and P a property of it. A set S ⊆ T ∪ F is a core of P
//! where the model with S alone satisfies P: other elements are [dropped](crate::reduced), and of the other signals
//! of F nobody asks that they hold again and again. Both only add fair executions, so cores are monotone as they
//! are for safety.
//!
//! *Fairness as elements.* Each signal q of F gets a variable v = q, a definition, which stands in the place of q.
//! Where it is dropped, v is an input. An input may hold in every step, so that a fair execution needs no more.
//!
//! *Proofs as proofs of safety.* A proof of liveness is an invariant of the model beside a monitor, and IVC_UC is
//! asked about both together; the monitor belongs to no element. A proof by [`Monitor::Visits`] of the model with S
//! is one of the very same monitor. With [`Monitor::Loop`] the monitor of the model with S may compare fewer states
//! than the one that the proof is about: whoever uses the core proves it again there. A proof by
//! [`Monitor::Arenas`] has no monitor. Here it gets one, with a state for each arena that says that the step before
//! was one within it:
//!
//! ```text
//! within(0) = true, within(inside(n)) = within(n) ∧ wall(n), within(outside(n)) = within(n) ∧ ¬wall(n)
//! here(n)' = within(inside(n)) of a wall, within(n) ∧ q of an arena that lacks q; here(n) = 0 at the start
//! bad      = ⋁ here(n) ∧ within(outside(n)) of a wall, here(n) ∧ within(n) of an arena that lacks q
//! ```
//!
//! Limits: an execution that violates safety beside a monitor of visits is no lasso, so that IVC_UC finds no
//! counterexamples for IVC_UCBF here.

use std::sync::Arc;

use buttress_system::words::{Definition, Label, System, WordProof};
use buttress_system::{Arena, ElementSet, Live, LiveProof, Monitor, Proof, PropertyId, Question, Unfolds};
use buttress_term::{Sort, TermId};

use crate::reduced::{read_by, reduced};
use crate::{Element, Elements, Kind, Part};

/// The same questions about a system in which each signal of fairness is defined by a variable of its own, and the
/// elements of the system with those that these definitions are. Each has its name.
pub fn with_fairness(
    live: Live<System>,
    elements: Elements,
    name: impl Fn(usize) -> Label,
) -> (Live<System>, Elements) {
    let mut system = Arc::unwrap_or_clone(live.system);
    let (mut fairness, mut own) = (Vec::new(), Vec::new());
    for (f, &value) in live.fairness.iter().enumerate() {
        let label = name(f);
        let variable = system.terms.variable(&*label.name, Sort::Bool);
        let parts = vec![Part::Definition(system.definitions.len())];
        system.definitions.push(Definition { variable, value, label: label.clone() });
        own.push(Element { label, kind: Kind::Fairness, parts });
        fairness.push(variable);
    }
    (Live { system: Arc::new(system), fairness, ..live }, elements.and(own))
}

/// The same questions about the system with these elements only.
pub fn reduced_live(live: &Live<System>, elements: &Elements, kept: &ElementSet) -> Live<System> {
    Live { system: Arc::new(reduced(&live.system, elements, kept)), ..live.clone() }
}

/// The static backward slice of a property, fairness included.
pub fn live_slice(live: &Live<System>, elements: &Elements, property: PropertyId) -> ElementSet {
    let own: Vec<TermId> = match live.question(property.index()) {
        Some(Question::Justice(own)) => own.to_vec(),
        Some(Question::Formula(formula)) => formula.signals().collect(),
        None => Vec::new(),
    };
    read_by(&live.system, elements, own.into_iter().chain(live.fairness.iter().copied()))
}

/// A proof by arenas of one property as one of safety: the system, of which the first states and all definitions and
/// constraints are those of the model, and the proof of its one property.
pub fn arenas_as_states(
    live: &Live<System>,
    property: PropertyId,
    proof: &LiveProof<WordProof>,
) -> (System, WordProof) {
    let live = System::unfolded(live);
    let mut system = System { properties: Vec::new(), ..(*live.system).clone() };
    let common = system.terms.len();
    let here: Vec<_> = (0..proof.arenas.len())
        .map(|n| system.add_state(Sort::Bool, Label::new(format!("here.{n}"))))
        .collect();
    let (yes, no) = (system.terms.bool(true), system.terms.bool(false));
    let signals: Vec<TermId> = live.signals(property.index()).collect();
    let mut within = vec![yes; proof.arenas.len()];
    let mut violations = Vec::new();
    for (n, arena) in proof.arenas.iter().enumerate() {
        let (next, never) = match arena {
            Arena::Wall { set, inside, outside } => {
                let wall = adopted(&mut system, set, common);
                let wall = system.terms.all(&wall);
                let beyond = system.terms.not(wall);
                within[*inside] = system.terms.and(within[n], wall);
                within[*outside] = system.terms.and(within[n], beyond);
                (within[*inside], within[*outside])
            }
            Arena::Lacks(signal) => {
                let signal = signals.get(*signal).copied().unwrap_or(yes);
                (system.terms.and(within[n], signal), within[n])
            }
        };
        let state = &mut system.states[here[n].index()];
        (state.init, state.next) = (Some(no), Some(next));
        let here = state.variable;
        violations.push(system.terms.and(here, never));
    }
    let bad = system.terms.any(&violations);
    let property = system.add_property(bad, Label::new("arenas"));
    let invariant = adopted(&mut system, &proof.proof, common);
    let claim = Proof { properties: vec![property], k: proof.proof.claim.k, distinct: None, invariant };
    let terms = Arc::new(system.terms.clone());
    (system, WordProof { terms, claim })
}

/// The conjuncts of a proof, as terms of a system that has the first so many terms in common with it.
fn adopted(system: &mut System, proof: &WordProof, common: usize) -> Vec<TermId> {
    proof.claim.invariant.iter().map(|&t| system.terms.adopt(&proof.terms, t, common)).collect()
}

/// The proof of liveness whose proof of safety has only the conjuncts of `fewer`.
pub fn with_conjuncts(
    live: &Live<System>,
    property: PropertyId,
    proof: &LiveProof<WordProof>,
    mut fewer: WordProof,
) -> LiveProof<WordProof> {
    if proof.monitor == Monitor::Arenas {
        // What speaks of the states that stand for arenas says nothing about the model.
        let (system, _) = arenas_as_states(live, property, proof);
        let states = System::unfolded(live).system.states.len();
        let own: Vec<TermId> = system.states[states..].iter().map(|s| s.variable).collect();
        let terms = &fewer.terms;
        fewer.claim.invariant.retain(|&t| !terms.free_variables([t]).iter().any(|v| own.contains(v)));
    }
    fewer.claim.properties = vec![property];
    LiveProof { monitor: proof.monitor, proof: fewer, arenas: proof.arenas.clone() }
}
