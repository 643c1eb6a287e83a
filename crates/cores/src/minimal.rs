//! Minimal cores: dropping an element at a time, with a model checker as the judge.
//!
//! * IVC_BF (Algorithm 1): for each x, if (I, S \ {x}) ⊢ P then S ← S \ {x}, from all elements on.
//! * IVC_UCBF (Section 4): the same from the core of [`ivc_uc`](crate::ivc_uc) on; and each new proof gives a core
//!   of its own, so that one run may drop many elements.
//! * MUST: the elements without which there is no core at all, those x with (I, T \ {x}) ⊬ P.
//!
//! A [`Prover`] may not know (Theorem 1: it is as hard as model checking). Then the element stays and counts as
//! undecided. A stop ends the search, not the core: what was found so far is returned, with everything that was
//! not tried as undecided. Answers, and the counterexamples of IVC_UC once replayed, are used by monotonicity:
//! what contains a core is one, what lies in a set that does not suffice does not suffice.

use buttress_solve::Stopped;
use buttress_system::words::WordProof;
use buttress_system::{ElementId, ElementSet};

use crate::{Core, Refutation};

/// Whether the property holds with these elements only.
#[derive(Debug)]
pub enum Decision<P = WordProof> {
    /// With a checked proof about the reduced system.
    Proved(P),
    /// By a counterexample that was replayed on the reduced system.
    Refuted,
    Unknown,
}

pub trait Prover {
    /// Why elements suffice.
    type Proof: Clone;

    fn decide(&mut self, kept: &ElementSet) -> Result<Decision<Self::Proof>, Stopped>;

    /// A core within these elements, of a proof that they suffice: IVC_UC. `None` where the proof gives none.
    fn extract(
        &mut self,
        kept: &ElementSet,
        proof: &Self::Proof,
    ) -> Result<Option<Core<Self::Proof>>, Stopped>;

    /// Replays a counterexample on the system with its elements only.
    fn confirm(&mut self, refutation: &Refutation) -> bool;
}

/// A prover that is not asked twice.
pub struct Remembering<'a, P = WordProof> {
    prover: &'a mut dyn Prover<Proof = P>,
    cores: Vec<Core<P>>,
    refuted: Vec<ElementSet>,
    /// How often the prover was asked.
    pub asked: usize,
}

/// Whether elements suffice.
pub(crate) enum Suffices<P> {
    Yes(Core<P>),
    No,
    Unknown,
}

impl<'a, P: Clone> Remembering<'a, P> {
    pub fn new(prover: &'a mut dyn Prover<Proof = P>) -> Remembering<'a, P> {
        Remembering { prover, cores: Vec::new(), refuted: Vec::new(), asked: 0 }
    }

    /// A core that was found elsewhere, with what its counterexamples say.
    pub fn know(&mut self, core: &Core<P>) {
        for refutation in &core.refutations {
            if !self.is_refuted(&refutation.kept) && self.prover.confirm(refutation) {
                self.refute(&refutation.kept);
            }
        }
        self.cores.push(core.clone());
    }

    fn is_refuted(&self, kept: &ElementSet) -> bool {
        self.refuted.iter().any(|refuted| kept.is_subset(refuted))
    }

    fn refute(&mut self, kept: &ElementSet) {
        self.refuted.retain(|smaller| !smaller.is_subset(kept));
        self.refuted.push(kept.clone());
    }

    /// The elements of a set without which the rest is known not to suffice.
    fn needed(&self, elements: &ElementSet) -> ElementSet {
        let needed = |&element: &ElementId| self.is_refuted(&without(elements, element));
        elements.iter().copied().filter(needed).collect()
    }

    pub(crate) fn suffices(&mut self, kept: &ElementSet) -> Result<Suffices<P>, Stopped> {
        let known = self.cores.iter().filter(|core| core.elements.is_subset(kept));
        if let Some(core) = known.min_by_key(|core| core.elements.len()) {
            return Ok(Suffices::Yes(core.clone()));
        }
        if self.is_refuted(kept) {
            return Ok(Suffices::No);
        }
        self.asked += 1;
        match self.prover.decide(kept)? {
            Decision::Unknown => Ok(Suffices::Unknown),
            Decision::Refuted => {
                self.refute(kept);
                Ok(Suffices::No)
            }
            Decision::Proved(proof) => {
                let found = self.prover.extract(kept, &proof)?;
                let core = found.unwrap_or_else(|| Core::new(kept.clone(), proof));
                self.know(&core);
                Ok(Suffices::Yes(core))
            }
        }
    }
}

/// A core, and how minimal it is.
#[derive(Clone, Debug)]
pub struct Minimised<P = WordProof> {
    pub core: Core<P>,
    /// The elements that could be dropped or not: nobody knows. Without any, the core is minimal.
    pub undecided: ElementSet,
    /// Why the search ended early.
    pub stopped: Option<Stopped>,
}

/// IVC_BF: from all elements on, with no more of a proof than that there is one.
pub fn ivc_bf<P: Clone>(prover: &mut Remembering<'_, P>, all: Core<P>) -> Minimised<P> {
    minimise(prover, all, &|core, without| Core { elements: without, ..core })
}

/// IVC_UCBF: from a core of IVC_UC on, with the core of each new proof. All elements that no counterexample is
/// known for are tried together first: often none is needed.
pub fn ivc_ucbf<P: Clone>(prover: &mut Remembering<'_, P>, mut core: Core<P>) -> Minimised<P> {
    prover.know(&core);
    let needed = prover.needed(&core.elements);
    if needed.len() + 1 < core.elements.len()
        && let Ok(Suffices::Yes(smaller)) = prover.suffices(&needed)
    {
        core = smaller;
    }
    minimise(prover, core, &|core, _| core)
}

pub(crate) fn without(elements: &ElementSet, element: ElementId) -> ElementSet {
    let mut rest = elements.clone();
    rest.remove(&element);
    rest
}

/// Drops what can be dropped; `next` chooses what to go on with, of the core of a new proof and the set that it is
/// in.
fn minimise<P: Clone>(
    prover: &mut Remembering<'_, P>,
    mut core: Core<P>,
    next: &dyn Fn(Core<P>, ElementSet) -> Core<P>,
) -> Minimised<P> {
    let mut undecided = core.elements.clone();
    let mut open: Vec<ElementId> = core.elements.iter().copied().collect();
    let mut stopped = None;
    while let Some(element) = open.pop() {
        if !core.elements.contains(&element) {
            continue;
        }
        let without = without(&core.elements, element);
        match prover.suffices(&without) {
            Ok(Suffices::Yes(smaller)) => core = next(smaller, without),
            Ok(Suffices::No) => drop(undecided.remove(&element)),
            Ok(Suffices::Unknown) => {}
            Err(why) => {
                stopped = Some(why);
                break;
            }
        }
    }
    undecided.retain(|element| core.elements.contains(element));
    Minimised { core, undecided, stopped }
}

/// The elements of a core that are in every core, and those of which nobody knows.
pub fn must<P: Clone>(
    prover: &mut Remembering<'_, P>,
    all: &ElementSet,
    core: &Core<P>,
) -> (ElementSet, ElementSet, Option<Stopped>) {
    let (mut must, mut undecided) = (ElementSet::new(), core.elements.clone());
    for &element in &core.elements {
        match prover.suffices(&without(all, element)) {
            Ok(Suffices::Unknown) => continue,
            Ok(Suffices::No) => drop(must.insert(element)),
            Ok(Suffices::Yes(_)) => {}
            Err(why) => return (must, undecided, Some(why)),
        }
        undecided.remove(&element);
    }
    (must, undecided, None)
}
