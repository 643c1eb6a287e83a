//! The way back from words to integers.
//!
//! A word w stands for an integer x in two's complement, so w is `int2bv[width] x`, and what a proof says of words it says
//! of these terms. The words are wide enough only because x is between bounds. Constraints that state bounds
//! are in the system; all others become conjuncts of the proof, `low ≤ x` and `x ≤ high`, which the checker shows itself.

use std::sync::Arc;

use buttress_system::Proof;
use buttress_system::words::{Part, StateId, System, WordProof};
use buttress_term::{Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

use super::interval::Interval;

/// A system of words, and the system with integers that it was made of.
pub struct Finite {
    /// The words; the original system where it has no integers.
    pub system: Arc<System>,
    original: Arc<System>,
    /// `None` where both are one.
    back: Option<Back>,
}

/// What the parts of the new system are in the old one.
pub(super) struct Back {
    /// New variables, and the old ones that they stand for.
    pub variables: Vec<(TermId, TermId)>,
    /// The old state of each new one.
    pub states: Vec<StateId>,
    /// Bounds of old states that no constraint states.
    pub bounds: Vec<(TermId, Interval)>,
}

impl Finite {
    pub(super) fn same(system: Arc<System>) -> Finite {
        Finite { original: system.clone(), system, back: None }
    }

    pub(super) fn new(original: Arc<System>, system: System, back: Back) -> Finite {
        Finite { system: Arc::new(system), original, back: Some(back) }
    }

    /// The system with integers.
    pub fn original(&self) -> &Arc<System> {
        &self.original
    }

    /// A proof about the original system.
    pub fn proof(&self, proof: WordProof) -> WordProof {
        let Some(back) = &self.back else { return proof };
        let mut terms = self.original.terms.clone();
        let mut invariant = back.bounds(&mut terms);
        let known = back.leaves(&self.system.terms, &mut terms);
        let mut images = FxHashMap::default();
        for &conjunct in &proof.claim.invariant {
            let leaf = |term: TermId| known.get(&term).copied();
            invariant.push(terms.adopt_with(&proof.terms, conjunct, &mut images, leaf));
        }
        let part = |part: &Part| Part { state: back.states[part.state.index()], bit: part.bit };
        let distinct = proof.claim.distinct.as_ref().map(|parts| parts.iter().map(part).collect());
        let Proof { properties, k, .. } = proof.claim;
        WordProof { terms: Arc::new(terms), claim: Proof { properties, k, distinct, invariant } }
    }
}

impl Back {
    /// `low ≤ x`, `x ≤ high`
    fn bounds(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut claims = Vec::new();
        for (x, Interval { low, high }) in &self.bounds {
            let (low, high) = (terms.int(low.clone()), terms.int(high.clone()));
            claims.extend([terms.app(Op::Le, &[low, *x]), terms.app(Op::Le, &[*x, high])]);
        }
        claims
    }

    /// What stands for the variables of the words.
    fn leaves(&self, words: &Terms, terms: &mut Terms) -> FxHashMap<TermId, TermId> {
        let mut leaf = |&(new, old): &(TermId, TermId)| match (words.sort(new), terms.sort(old)) {
            (&Sort::BitVec(width), Sort::Int) => {
                let word = terms.apply_indexed(Op::IntToBv, [width, 0], &[old]);
                (new, word.expect("it is an integer"))
            }
            _ => (new, old),
        };
        self.variables.iter().map(&mut leaf).collect()
    }
}
