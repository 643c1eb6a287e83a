//! What cores are looked for in: words, where bad states are not reached, and words with their justice properties
//! and formulas. Safety and liveness differ here, and nowhere else in these modules.
//!
//! Parts of a system are those of its words. A proof of liveness is one of safety of the words with a monitor beside
//! them (`buttress_cores`, `live`): the core is taken from that, and the proof goes back. With [`Monitor::Loop`]
//! the monitor depends on which elements are there, so that a proof may not be one of the model of the core.

use std::sync::Arc;

use buttress_cores::{
    Argument, Elements, Fresh, arenas_as_states, live_slice, no_execution, proof_in_words, reduced,
    reduced_live, slice, vacuous, with_conjuncts,
};
use buttress_solve::Stopped;
use buttress_system::words::{System, WordProof};
use buttress_system::{BitSystem, ElementSet, Live, LiveProof, Monitor, Proof, PropertyId};
use buttress_transform::{Way, monitored_bits, monitored_words};

use super::Anatomy;
use crate::judge::{Accepted, Judged};
use crate::problem::{LiveOriginal, Problem};

/// A system of which elements can be left out.
pub trait Reducible: Judged + Clone {
    /// Whether what violates the proof of safety that a proof is taken as violates the property.
    const REFUTES: bool;

    /// The system of a model that was taken apart.
    fn of(anatomy: &Anatomy) -> &Arc<Self>;

    fn words(&self) -> &System;

    fn problem(this: &Arc<Self>) -> Problem;

    /// The system with these elements only.
    fn reduced(&self, elements: &Elements, kept: &ElementSet) -> Arc<Self>;

    /// The static backward slice of a property.
    fn slice(&self, elements: &Elements, property: PropertyId) -> ElementSet;

    fn proof(accepted: &Accepted) -> Option<&Self::Proof>;

    /// Evidence about the model as a proof about its elements; `None` where it says nothing about them.
    fn taken(anatomy: &Anatomy, accepted: &Accepted) -> Option<Self::Proof>;

    /// Its invariant.
    fn invariant(proof: &Self::Proof) -> &WordProof;

    /// Whether a proof about some elements is one about more of them.
    fn is_monotone(proof: &Self::Proof) -> bool;

    /// A proof for these elements as one of safety, and what it is about: words that begin with these.
    fn as_safety(
        this: &Arc<Self>,
        within: (&Elements, &ElementSet),
        property: PropertyId,
        proof: &Self::Proof,
    ) -> Option<(Arc<System>, Argument)>;

    /// The same proof with these conjuncts only.
    fn with_conjuncts(&self, property: PropertyId, proof: &Self::Proof, fewer: WordProof) -> Self::Proof;

    /// The elements that leave no execution of so many states, and so prove the property.
    fn ended(
        &self,
        within: (&Elements, &ElementSet),
        asked: (PropertyId, usize),
        fresh: &mut Fresh<'_>,
    ) -> Result<Option<ElementSet>, Stopped>;

    /// A proof that rests on there being no execution of so many states.
    fn ends(this: &Arc<Self>, property: PropertyId, states: usize) -> Self::Proof;
}

impl Reducible for System {
    const REFUTES: bool = true;

    fn of(anatomy: &Anatomy) -> &Arc<System> {
        &anatomy.system
    }

    fn words(&self) -> &System {
        self
    }

    fn problem(this: &Arc<System>) -> Problem {
        Problem::of_shared_words(this.clone())
    }

    fn reduced(&self, elements: &Elements, kept: &ElementSet) -> Arc<System> {
        Arc::new(reduced(self, elements, kept))
    }

    fn slice(&self, elements: &Elements, property: PropertyId) -> ElementSet {
        slice(self, elements, property)
    }

    fn proof(accepted: &Accepted) -> Option<&WordProof> {
        accepted.word_proof()
    }

    fn taken(anatomy: &Anatomy, accepted: &Accepted) -> Option<WordProof> {
        anatomy.proof(accepted)
    }

    fn invariant(proof: &WordProof) -> &WordProof {
        proof
    }

    fn is_monotone(_: &WordProof) -> bool {
        true
    }

    fn as_safety(
        this: &Arc<System>,
        _: (&Elements, &ElementSet),
        property: PropertyId,
        proof: &WordProof,
    ) -> Option<(Arc<System>, Argument)> {
        Some((this.clone(), Argument::of(this, property, proof)?))
    }

    fn with_conjuncts(&self, _: PropertyId, _: &WordProof, fewer: WordProof) -> WordProof {
        fewer
    }

    fn ended(
        &self,
        (elements, kept): (&Elements, &ElementSet),
        asked: (PropertyId, usize),
        fresh: &mut Fresh<'_>,
    ) -> Result<Option<ElementSet>, Stopped> {
        vacuous(self, elements, kept, asked, fresh)
    }

    fn ends(this: &Arc<System>, property: PropertyId, states: usize) -> WordProof {
        WordProof::of_properties(this, vec![property], states as u32)
    }
}

impl Reducible for Live<System> {
    const REFUTES: bool = false;

    fn of(anatomy: &Anatomy) -> &Arc<Live<System>> {
        anatomy.live.as_ref().expect("who asks about liveness has the model taken apart for that")
    }

    fn words(&self) -> &System {
        &self.system
    }

    fn problem(this: &Arc<Live<System>>) -> Problem {
        Problem::of_live(this)
    }

    fn reduced(&self, elements: &Elements, kept: &ElementSet) -> Arc<Live<System>> {
        Arc::new(reduced_live(self, elements, kept))
    }

    fn slice(&self, elements: &Elements, property: PropertyId) -> ElementSet {
        live_slice(self, elements, property)
    }

    fn proof(accepted: &Accepted) -> Option<&LiveProof<WordProof>> {
        match accepted {
            Accepted::Words(checked) => checked.evidence().live_proof(),
            _ => None,
        }
    }

    /// Of bits clause by clause; of words where the elements are of the very same terms.
    fn taken(anatomy: &Anatomy, accepted: &Accepted) -> Option<LiveProof<WordProof>> {
        let live = Live::of(anatomy);
        match (anatomy.problem.live()?, accepted) {
            (LiveOriginal::Bits(bits), Accepted::Bits(checked)) => {
                in_words(&bits, live, checked.evidence().live_proof()?)
            }
            (LiveOriginal::Words(words), _) if words.system.terms.len() == live.system.terms.len() => {
                Live::proof(accepted).cloned()
            }
            _ => None,
        }
    }

    fn invariant(proof: &LiveProof<WordProof>) -> &WordProof {
        &proof.proof
    }

    fn is_monotone(proof: &LiveProof<WordProof>) -> bool {
        proof.monitor != Monitor::Loop
    }

    fn as_safety(
        this: &Arc<Live<System>>,
        (elements, kept): (&Elements, &ElementSet),
        property: PropertyId,
        proof: &LiveProof<WordProof>,
    ) -> Option<(Arc<System>, Argument)> {
        let monitored = |live: &Arc<Live<System>>| monitored_words(live, proof.monitor).system().clone();
        match proof.monitor {
            Monitor::Arenas => {
                let (system, proof) = arenas_as_states(this, property, proof);
                let claim = Argument::of(&system, proof.claim.properties[0], &proof)?;
                Some((Arc::new(system), claim))
            }
            Monitor::Visits(_) => {
                let system = monitored(this);
                let claim = Argument::of(&system, property, &proof.proof)?;
                Some((system, claim))
            }
            Monitor::Loop => {
                let system = monitored(this);
                let own = monitored(&this.reduced(elements, kept));
                // Each of the states that are compared has a copy.
                let alike = own.states.len() == system.states.len();
                let claim = Argument::of(&system, property, &proof.proof).filter(|_| alike)?;
                Some((system, claim))
            }
        }
    }

    fn with_conjuncts(
        &self,
        property: PropertyId,
        proof: &LiveProof<WordProof>,
        fewer: WordProof,
    ) -> LiveProof<WordProof> {
        with_conjuncts(self, property, proof, fewer)
    }

    /// What happens before the end is no infinite execution.
    fn ended(
        &self,
        (elements, kept): (&Elements, &ElementSet),
        (_, states): (PropertyId, usize),
        fresh: &mut Fresh<'_>,
    ) -> Result<Option<ElementSet>, Stopped> {
        no_execution(&self.system, elements, kept, states, fresh)
    }

    fn ends(this: &Arc<Live<System>>, property: PropertyId, states: usize) -> LiveProof<WordProof> {
        let beside = monitored_words(this, Monitor::Loop);
        let proof = WordProof::of_properties(beside.system(), vec![property], states as u32);
        LiveProof::new(Monitor::Loop, proof)
    }
}

/// A proof about bits, about the same in words: what stands beside them stands in the same order.
fn in_words(
    bits: &Arc<Live<BitSystem>>,
    words: &Arc<Live<System>>,
    found: &LiveProof<Proof>,
) -> Option<LiveProof<WordProof>> {
    let LiveProof { monitor, proof, arenas } = found;
    let (bits, words) = (monitored_bits(bits, *monitor), monitored_words(words, *monitor));
    let moved = |proof: &Proof| proof_in_words(bits.system(), words.system(), proof);
    let compares = |proof: &Proof| proof.distinct.is_some();
    (!compares(proof)).then(|| {
        let arenas = arenas.iter().map(|arena| arena.clone().map(|set| moved(&set))).collect();
        LiveProof { monitor: *monitor, proof: moved(proof), arenas }
    })
}
