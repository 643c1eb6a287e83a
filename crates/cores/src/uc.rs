//! IVC_UC: a core from the unsatisfiable cores of a proof's own queries (Algorithms 2–5 of the paper).
//!
//! With Q the conjuncts of a k-inductive strengthening, P among them, and S a set of elements (Figure 4):
//!
//! * INDQUERY_k(S, Q, R) = S(x₀,x₁) ∧ … ∧ S(x_{k-1},x_k) ∧ Q(x₀) ∧ … ∧ Q(x_{k-1}) ⇒ R(x_k);
//! * BASEQUERY_k(S, R) = I(x₀) ∧ S(x₀,x₁) ∧ … ⇒ R(x_t), for each t < k;
//! * FULLQUERY is both.
//!
//! MINIMIZEK finds the smallest k for which INDQUERY_k(T, Q, P) holds. REDUCEINVARIANTS collects, from P on, the conjuncts
//! that the unsatisfiable cores of INDQUERY_k(T, Q, R) name, until they name no more. MINIMIZEIVC takes the elements that FULLQUERY names and drops
//! one after the other as long as it holds. The result is minimal for its proof, not for the property.
//!
//! Beyond the paper, an element may go where *another* proof does without it, one that the same solver can find at once:
//! with any of the conjuncts of the given proof and one step more, K = k + 1. The query for it,
//!
//! * INDQUERY_K(S \ {x}, Q, P), with Q all conjuncts,
//!
//! is the weakest of all, so that x is needed by all these proofs where it fails: one query, where dropping x from the
//! given proof takes one, too. Where it holds, REDUCEINVARIANTS and the base case decide. These queries end when they
//! have taken as long as [`Effort`] allows; the others never do.
//!
//! A proof may rest on there being no execution of n states. Its core is that of I ∧ S(x₀,x₁) ∧ … of n states.

use std::sync::Arc;
use std::time::{Duration, Instant};

use buttress_solve::Stopped;
use buttress_system::words::{System, WordProof};
use buttress_system::{ElementSet, Proof, PropertyId};
use buttress_term::{TermId, Terms};

use crate::reduced::read_by;
use crate::unrolled::{Ask, From, Needed, Unrolled};
use crate::{Elements, Fresh};

/// A k-inductive strengthening of one property, as a list of conjuncts.
#[derive(Clone, Debug)]
pub struct Claim {
    property: PropertyId,
    /// The system's, possibly extended.
    terms: Arc<Terms>,
    /// The property stands first.
    conjuncts: Vec<TermId>,
    k: u32,
}

/// How long to look for other proofs that need less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort(pub Duration);

/// Elements that suffice, and why.
#[derive(Clone, Debug)]
pub struct Core {
    pub elements: ElementSet,
    /// The proof for the system with these elements only: the conjuncts that it needs, with the smallest k.
    pub proof: WordProof,
}

impl Claim {
    /// `None` where the proof rests on distinct states.
    pub fn of(system: &System, property: PropertyId, proof: &WordProof) -> Option<Claim> {
        if proof.claim.distinct.is_some() {
            return None;
        }
        let mut terms = (*proof.terms).clone();
        let others = proof.claim.properties.iter().copied().filter(|&p| p != property);
        let mut conjuncts = Vec::new();
        for p in std::iter::once(property).chain(others) {
            conjuncts.push(terms.not(system.property(p).bad));
        }
        conjuncts.extend(&proof.claim.invariant);
        Some(Claim { property, terms: Arc::new(terms), conjuncts, k: proof.claim.k })
    }

    fn all(&self) -> Vec<usize> {
        (0..self.conjuncts.len()).collect()
    }

    fn terms_of(&self, chosen: &[usize]) -> Vec<TermId> {
        chosen.iter().map(|&c| self.conjuncts[c]).collect()
    }

    /// The proof with these conjuncts, of which the property is the first.
    fn proof(&self, chosen: &[usize], k: usize) -> WordProof {
        let invariant = self.terms_of(&chosen[1..]);
        let claim = Proof { properties: vec![self.property], k: k as u32, distinct: None, invariant };
        WordProof { terms: self.terms.clone(), claim }
    }
}

/// A core of a checked proof. `None` where the proof does not hold with these elements, or not without what the check
/// of it knew: see [`no_execution`].
pub fn ivc_uc(
    system: &System,
    elements: &Elements,
    kept: &ElementSet,
    claim: &Claim,
    effort: Effort,
    fresh: &mut Fresh<'_>,
) -> Result<Option<Core>, Stopped> {
    let read = claim.terms.free_variables(claim.conjuncts.iter().copied());
    let within: ElementSet = &read_by(system, elements, read) & kept;
    let unrolled = Unrolled::new(system, elements, &within, (*claim.terms).clone(), fresh());
    let mut queries = Queries { unrolled, claim };
    queries.unrolled.suppose(&claim.conjuncts);
    let Some((k, first)) = queries.minimize_k(&within)? else { return Ok(None) };
    let chosen = queries.reduce_invariants(&within, k, first)?;
    // What the others can do without is left in: it costs a query each, and goes below where an element goes with it.
    let Some(elements) = queries.full(&within, &chosen, k)? else { return Ok(None) };
    let deepest = k + 1;
    let mut minimal =
        MinimizeIvc { queries, left: effort.0, deepest, elements, chosen, k, critical: ElementSet::new() };
    minimal.run()?;
    let proof = claim.proof(&minimal.chosen, minimal.k);
    Ok(Some(Core { elements: minimal.elements, proof }))
}

/// The smallest k and the conjuncts of a checked proof that suffice, with all elements of the system: MINIMIZEK and
/// REDUCEINVARIANTS; then, beyond the paper, each conjunct that the others can do without is dropped. `None` where the step of the proof does not hold by itself.
pub fn reduce_invariants(
    system: &System,
    claim: &Claim,
    fresh: &mut Fresh<'_>,
) -> Result<Option<WordProof>, Stopped> {
    let elements = Elements::of(system, crate::Granularity::Equations).only(|_| false);
    let none = ElementSet::new();
    let unrolled = Unrolled::new(system, &elements, &none, (*claim.terms).clone(), fresh());
    let mut queries = Queries { unrolled, claim };
    queries.unrolled.suppose(&claim.conjuncts);
    let Some((k, first)) = queries.minimize_k(&none)? else { return Ok(None) };
    let chosen = queries.reduce_invariants(&none, k, first)?;
    let chosen = queries.drop_invariants(&none, k, chosen)?;
    Ok(Some(claim.proof(&chosen, k)))
}

/// The elements that leave no execution of so many states; `None` where there is one.
pub fn no_execution(
    system: &System,
    elements: &Elements,
    kept: &ElementSet,
    states: usize,
    fresh: &mut Fresh<'_>,
) -> Result<Option<ElementSet>, Stopped> {
    let within = kept.clone();
    let mut paths = Unrolled::new(system, elements, &within, system.terms.clone(), fresh());
    (0..states).for_each(|_| paths.push());
    // I ∧ S(x₀,x₁) ∧ … ∧ S(x_{n-2},x_{n-1})
    let mut none = |kept: &ElementSet| {
        let ask = Ask { from: From::Init, last: states - 1, hypotheses: &[], goal: None };
        let needed = paths.refute(kept, &ask)?;
        Ok(needed.map(|needed| needed.elements))
    };
    let Some(core) = none(&within)? else { return Ok(None) };
    shrink(core, &mut none).map(Some)
}

/// The queries of Figure 4, all to one solver. Conjuncts are places in the list of the claim.
struct Queries<'a> {
    unrolled: Unrolled<'a>,
    claim: &'a Claim,
}

impl Queries<'_> {
    /// INDQUERY_k(S, Q, R)
    fn step(
        &mut self,
        kept: &ElementSet,
        assumed: &[usize],
        shown: &[usize],
        k: usize,
    ) -> Result<Option<Needed>, Stopped> {
        let goal = Some(self.violated(shown, k));
        self.unrolled.refute(kept, &Ask { from: From::Anywhere, last: k, hypotheses: assumed, goal })
    }

    /// BASEQUERY_k(S, R)
    fn base(&mut self, kept: &ElementSet, shown: &[usize], k: usize) -> Result<Option<ElementSet>, Stopped> {
        let mut elements = ElementSet::new();
        for last in 0..k {
            let goal = Some(self.violated(shown, last));
            match self.unrolled.refute(kept, &Ask { from: From::Init, last, hypotheses: &[], goal })? {
                Some(needed) => elements.extend(needed.elements),
                None => return Ok(None),
            }
        }
        Ok(Some(elements))
    }

    fn violated(&mut self, shown: &[usize], step: usize) -> TermId {
        while self.unrolled.len() <= step {
            self.unrolled.push();
        }
        self.unrolled.violated(&self.claim.terms_of(shown), step)
    }

    /// FULLQUERY_k(S, R, R)
    fn full(&mut self, kept: &ElementSet, chosen: &[usize], k: usize) -> Result<Option<ElementSet>, Stopped> {
        let Some(step) = self.step(kept, chosen, chosen, k)? else { return Ok(None) };
        let Some(base) = self.base(kept, chosen, k)? else { return Ok(None) };
        Ok(Some(&step.elements | &base))
    }

    /// MINIMIZEK (Algorithm 3), from the k of the proof downwards: INDQUERY is monotone in k, and the proof's own k is
    /// the smallest or close to it. With what the query for this k needs.
    fn minimize_k(&mut self, kept: &ElementSet) -> Result<Option<(usize, Needed)>, Stopped> {
        let all = self.claim.all();
        let mut found = None;
        for k in (1..=self.claim.k as usize).rev() {
            match self.step(kept, &all, &[0], k)? {
                Some(needed) => found = Some((k, needed)),
                None => break,
            }
        }
        Ok(found)
    }

    /// REDUCEINVARIANTS (Algorithm 4). `first` is what P needs.
    fn reduce_invariants(
        &mut self,
        kept: &ElementSet,
        k: usize,
        first: Needed,
    ) -> Result<Vec<usize>, Stopped> {
        let all = self.claim.all();
        let shown = with(vec![0], first.hypotheses);
        match shown.len() {
            1 => Ok(shown),
            _ => Ok(self.closed(kept, shown, &all, k)?.unwrap_or(all)),
        }
    }

    /// Without what the others can do without.
    fn drop_invariants(
        &mut self,
        kept: &ElementSet,
        k: usize,
        mut chosen: Vec<usize>,
    ) -> Result<Vec<usize>, Stopped> {
        for dropped in chosen.clone().into_iter().skip(1).rev() {
            if chosen.contains(&dropped) {
                let rest: Vec<usize> = chosen.iter().copied().filter(|&c| c != dropped).collect();
                if let Some(fewer) = self.closed(kept, vec![0], &rest, k)? {
                    chosen = fewer;
                }
            }
        }
        Ok(chosen)
    }

    /// From `shown` on, what INDQUERY needs of `allowed`, until it needs no more. `None` where it does not hold.
    fn closed(
        &mut self,
        kept: &ElementSet,
        mut shown: Vec<usize>,
        allowed: &[usize],
        k: usize,
    ) -> Result<Option<Vec<usize>>, Stopped> {
        loop {
            let Some(needed) = self.step(kept, allowed, &shown, k)? else { return Ok(None) };
            let before = shown.len();
            shown = with(shown, needed.hypotheses);
            if shown.len() == before {
                return Ok(Some(shown));
            }
        }
    }
}

/// MINIMIZEIVC (Algorithm 5), with other proofs.
struct MinimizeIvc<'a> {
    queries: Queries<'a>,
    /// Time for other proofs.
    left: Duration,
    /// The largest k of another proof.
    deepest: usize,
    /// A core so far, and its proof.
    elements: ElementSet,
    chosen: Vec<usize>,
    k: usize,
    /// Needed by all proofs up to K with conjuncts of the given one.
    critical: ElementSet,
}

impl MinimizeIvc<'_> {
    /// Every element is tried; those that stay because of one proof again where there is a new one.
    fn run(&mut self) -> Result<(), Stopped> {
        let mut open = self.elements.clone();
        while let Some(element) = open.pop_first() {
            if !self.elements.contains(&element) {
                continue;
            }
            let mut rest = self.elements.clone();
            rest.remove(&element);
            if self.left > Duration::ZERO && self.every_proof_needs_more(&rest)? {
                self.critical.insert(element);
                continue;
            }
            if let Some(smaller) = self.queries.full(&rest, &self.chosen, self.k)? {
                self.elements = smaller;
            } else if self.left > Duration::ZERO && self.another(&rest)? {
                open = &self.elements - &self.critical;
            }
        }
        Ok(())
    }

    /// INDQUERY_K(S, Q, P) fails.
    fn every_proof_needs_more(&mut self, kept: &ElementSet) -> Result<bool, Stopped> {
        let start = Instant::now();
        let all = self.queries.claim.all();
        let holds = self.queries.step(kept, &all, &[0], self.deepest)?.is_some();
        self.left = self.left.saturating_sub(start.elapsed());
        Ok(!holds)
    }

    /// REDUCEINVARIANTS and FULLQUERY with these elements, for each k up to K.
    fn another(&mut self, kept: &ElementSet) -> Result<bool, Stopped> {
        let start = Instant::now();
        let found = self.find(kept);
        self.left = self.left.saturating_sub(start.elapsed());
        found
    }

    fn find(&mut self, kept: &ElementSet) -> Result<bool, Stopped> {
        let all = self.queries.claim.all();
        for k in self.k..=self.deepest {
            let Some(chosen) = self.queries.closed(kept, vec![0], &all, k)? else { continue };
            if let Some(elements) = self.queries.full(kept, &chosen, k)? {
                (self.elements, self.chosen, self.k) = (elements, chosen, k);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The union of two sets of conjuncts, in order.
fn with(mut some: Vec<usize>, more: Vec<usize>) -> Vec<usize> {
    some.extend(more);
    some.sort_unstable();
    some.dedup();
    some
}

/// Drops elements one after the other, as long as the query holds; each answer is a smaller core.
fn shrink(
    mut core: ElementSet,
    holds: &mut dyn FnMut(&ElementSet) -> Result<Option<ElementSet>, Stopped>,
) -> Result<ElementSet, Stopped> {
    for element in core.clone() {
        if core.contains(&element) {
            let mut rest = core.clone();
            rest.remove(&element);
            if let Some(smaller) = holds(&rest)? {
                core = smaller;
            }
        }
    }
    Ok(core)
}
