//! Who changes the system brings the way back.
//!
//! A transformation takes a system to a smaller one and a [`BackMap`]: it turns a trace, a proof and a set
//! of elements over the new system into ones over the old, and lemmas over the old into ones over the new.
//! A transformation that relied on a fact (a constant latch) puts that fact into the proof on the way back,
//! so that `buttress-check`, which only knows the original system, can follow.
//!
//! * [`constants`]: latches that ternary simulation shows to be constant.
//! * [`cone`]: what neither a property nor a constraint reads.
//! * [`merge`]: gates that are the same function of latches and inputs;
//! * [`sweep`]: signals that are equal in every reachable state.
//! * [`merge_twins`]: states of words that are equal.
//! * [`finite`](finite::finite): words for integers with bounds;
//! * [`blast`]: from words to bits; [`raise`]: the other way, for conversion.

pub mod blast;
mod cone;
mod constants;
pub mod finite;
mod gates;
mod raise;
mod rebuild;
mod restriction;
mod sweep;
mod twins;

use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_system::{BitSystem, ElementSet, Lemma, Lit, Proof, PropertyId, Trace};

pub use cone::cone;
pub use constants::constants;
pub use raise::{Raised, raise};
pub use restriction::Restriction;
pub use sweep::{Sweeping, merge, sweep};
pub use twins::{Merged, merge_twins};

/// The way back from a transformed system.
pub trait BackMap: Send + Sync {
    fn trace(&self, trace: Trace) -> Trace;
    fn proof(&self, proof: Proof) -> Proof;
    fn elements(&self, elements: &ElementSet) -> ElementSet;
    fn property(&self, property: PropertyId) -> PropertyId;
    /// The literal of an input or a latch.
    fn literal(&self, lit: Lit) -> Lit;
    /// The way down: `None` where the lemma speaks of what is gone.
    fn lower(&self, lemma: &Lemma) -> Option<Lemma>;
}

/// A transformed system with all the ways back to the original.
pub struct Transformed {
    pub system: Arc<BitSystem>,
    maps: Vec<Box<dyn BackMap>>,
}

/// Constants first, then the cone of what remains: a constant cuts cones.
pub fn simplify(system: &Arc<BitSystem>, properties: &[PropertyId]) -> Transformed {
    let (folded, constants) = constants(system);
    let folded = Arc::new(folded);
    let (sliced, cone) = cone(&folded, properties);
    Transformed { system: Arc::new(sliced), maps: vec![Box::new(constants), Box::new(cone)] }
}

/// Then gates of the same function, then signals that are equal in reachable states, and what is left to read once they
/// are one.
pub fn reduce<S: Sweeping>(
    system: &Arc<BitSystem>,
    properties: &[PropertyId],
    make: impl Fn() -> S,
) -> Result<Transformed, Stopped> {
    let mut reduced = simplify(system, properties);
    let merged = merge(&reduced.system, &make)?;
    reduced.restrict(merged);
    let swept = sweep(&reduced.system, &make)?;
    reduced.restrict(swept);
    Ok(reduced)
}

impl Transformed {
    /// Goes on to this restriction, and to the cone of its properties.
    fn restrict(&mut self, (system, restriction): (BitSystem, Restriction)) {
        let system = Arc::new(system);
        let kept: Vec<PropertyId> = system.property_ids().collect();
        let (sliced, cone) = cone(&system, &kept);
        self.maps.extend([Box::new(restriction) as Box<dyn BackMap>, Box::new(cone)]);
        self.system = Arc::new(sliced);
    }
}

impl BackMap for Transformed {
    fn trace(&self, trace: Trace) -> Trace {
        self.maps.iter().rev().fold(trace, |t, m| m.trace(t))
    }

    fn proof(&self, proof: Proof) -> Proof {
        self.maps.iter().rev().fold(proof, |p, m| m.proof(p))
    }

    fn elements(&self, elements: &ElementSet) -> ElementSet {
        self.maps.iter().rev().fold(elements.clone(), |e, m| m.elements(&e))
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        self.maps.iter().rev().fold(property, |p, m| m.property(p))
    }

    fn literal(&self, lit: Lit) -> Lit {
        self.maps.iter().rev().fold(lit, |l, m| m.literal(l))
    }

    fn lower(&self, lemma: &Lemma) -> Option<Lemma> {
        self.maps.iter().try_fold(lemma.clone(), |l, m| m.lower(&l))
    }
}
