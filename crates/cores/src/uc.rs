//! IVC_UC: a core from the unsatisfiable cores of a proof's own queries (Algorithms 2–5 of the paper).
//!
//! With Q the conjuncts of a k-inductive strengthening, P among them, and S a set of elements (Figure 4):
//!
//! * INDQUERY_k(S, Q, R) = S(x₀,x₁) ∧ … ∧ S(x_{k-1},x_k) ∧ Q(x₀) ∧ … ∧ Q(x_{k-1}) ⇒ R(x_k);
//! * BASEQUERY_k(S, R) = I(x₀) ∧ S(x₀,x₁) ∧ … ⇒ R(x_t), for each t < k;
//! * FULLQUERY is both.
//!
//! MINIMIZEK finds the smallest k for which INDQUERY_k(T, Q, P) holds. REDUCEINVARIANTS collects, from P on, the conjuncts
//! that the unsatisfiable cores of INDQUERY_k(T, Q, R) name, until they name no more; then, beyond the paper, each
//! conjunct that the others can do without is dropped. MINIMIZEIVC takes the elements that FULLQUERY names and drops
//! one after the other as long as it holds. The result is minimal for this proof, not for the property.
//!
//! A proof may rest on there being no execution of n states. Its core is that of I ∧ S(x₀,x₁) ∧ … of n states.

use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_system::words::{System, WordProof};
use buttress_system::{ElementSet, Proof, PropertyId};
use buttress_term::{TermId, Terms};

use crate::reduced::read_by;
use crate::unrolled::{From, Needed, Unrolled};
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
    fresh: &mut Fresh<'_>,
) -> Result<Option<Core>, Stopped> {
    let read = claim.terms.free_variables(claim.conjuncts.iter().copied());
    let within: ElementSet = &read_by(system, elements, read) & kept;
    let mut unrolled = |from| Unrolled::new(system, elements, &within, from, (*claim.terms).clone(), fresh());
    let mut step = Step { unrolled: unrolled(From::Anywhere), claim };
    step.unrolled.suppose(&claim.conjuncts);
    let Some(k) = step.minimize_k(&within)? else { return Ok(None) };
    let chosen = step.reduce_invariants(&within, k)?;
    let base = Base { unrolled: unrolled(From::Init), claim };
    let mut query = FullQuery { step, base, chosen, k };
    let Some(elements) = query.minimize_ivc(&within)? else { return Ok(None) };
    let proof = claim.proof(&query.chosen, k);
    Ok(Some(Core { elements, proof }))
}

/// The smallest k and the conjuncts of a checked proof that suffice, with all elements of the system: MINIMIZEK and
/// REDUCEINVARIANTS. `None` where the step of the proof does not hold by itself.
pub fn reduce_invariants(
    system: &System,
    claim: &Claim,
    fresh: &mut Fresh<'_>,
) -> Result<Option<WordProof>, Stopped> {
    let elements = Elements::of(system, crate::Granularity::Equations).only(|_| false);
    let none = ElementSet::new();
    let unrolled = Unrolled::new(system, &elements, &none, From::Anywhere, (*claim.terms).clone(), fresh());
    let mut step = Step { unrolled, claim };
    step.unrolled.suppose(&claim.conjuncts);
    let Some(k) = step.minimize_k(&none)? else { return Ok(None) };
    let chosen = step.reduce_invariants(&none, k)?;
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
    let mut paths = Unrolled::new(system, elements, &within, From::Init, system.terms.clone(), fresh());
    (0..states).for_each(|_| paths.push());
    // I ∧ S(x₀,x₁) ∧ … ∧ S(x_{n-2},x_{n-1})
    let mut none = |kept: &ElementSet| {
        let needed = paths.refute(kept, &[], None, states - 1)?;
        Ok(needed.map(|needed| needed.elements))
    };
    let Some(core) = none(&within)? else { return Ok(None) };
    shrink(core, &mut none).map(Some)
}

/// INDQUERY.
struct Step<'a> {
    unrolled: Unrolled<'a>,
    claim: &'a Claim,
}

impl Step<'_> {
    /// INDQUERY_k(S, Q, R), with Q and R as places in the list of conjuncts.
    fn holds(
        &mut self,
        kept: &ElementSet,
        assumed: &[usize],
        shown: &[usize],
        k: usize,
    ) -> Result<Option<Needed>, Stopped> {
        while self.unrolled.len() <= k {
            self.unrolled.push();
        }
        let goal = self.unrolled.violated(&self.claim.terms_of(shown), k);
        self.unrolled.refute(kept, assumed, Some(goal), k)
    }

    /// MINIMIZEK (Algorithm 3).
    fn minimize_k(&mut self, kept: &ElementSet) -> Result<Option<usize>, Stopped> {
        let all = self.claim.all();
        for k in 1..=self.claim.k as usize {
            if self.holds(kept, &all, &[0], k)?.is_some() {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }

    /// REDUCEINVARIANTS (Algorithm 4), and what the others can do without.
    fn reduce_invariants(&mut self, kept: &ElementSet, k: usize) -> Result<Vec<usize>, Stopped> {
        let all = self.claim.all();
        let mut chosen = self.closed(kept, vec![0], &all, k)?.unwrap_or(all);
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
            let Some(needed) = self.holds(kept, allowed, &shown, k)? else { return Ok(None) };
            let before = shown.len();
            shown.extend(needed.hypotheses);
            shown.sort_unstable();
            shown.dedup();
            if shown.len() == before {
                return Ok(Some(shown));
            }
        }
    }
}

/// BASEQUERY.
struct Base<'a> {
    unrolled: Unrolled<'a>,
    claim: &'a Claim,
}

impl Base<'_> {
    /// BASEQUERY_k(S, R)
    fn holds(&mut self, kept: &ElementSet, shown: &[usize], k: usize) -> Result<Option<ElementSet>, Stopped> {
        let mut elements = ElementSet::new();
        for t in 0..k {
            if self.unrolled.len() <= t {
                self.unrolled.push();
            }
            let goal = self.unrolled.violated(&self.claim.terms_of(shown), t);
            match self.unrolled.refute(kept, &[], Some(goal), t)? {
                Some(needed) => elements.extend(needed.elements),
                None => return Ok(None),
            }
        }
        Ok(Some(elements))
    }
}

/// FULLQUERY.
struct FullQuery<'a> {
    step: Step<'a>,
    base: Base<'a>,
    chosen: Vec<usize>,
    k: usize,
}

impl FullQuery<'_> {
    /// FULLQUERY_k(S, R, R)
    fn holds(&mut self, kept: &ElementSet) -> Result<Option<ElementSet>, Stopped> {
        let Some(step) = self.step.holds(kept, &self.chosen, &self.chosen, self.k)? else { return Ok(None) };
        let Some(base) = self.base.holds(kept, &self.chosen, self.k)? else { return Ok(None) };
        Ok(Some(&step.elements | &base))
    }

    /// MINIMIZEIVC (Algorithm 5). `None` where FULLQUERY does not hold.
    fn minimize_ivc(&mut self, kept: &ElementSet) -> Result<Option<ElementSet>, Stopped> {
        match self.holds(kept)? {
            Some(core) => shrink(core, &mut |kept| self.holds(kept)).map(Some),
            None => Ok(None),
        }
    }
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
