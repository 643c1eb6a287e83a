//! IVC_UC: a core from the unsatisfiable cores of a proof's own queries (Algorithms 2–5 of the paper).
//!
//! With Q the conjuncts of a k-inductive strengthening, P among them, and S a set of elements (Figure 4):
//!
//! * INDQUERY_k(S, Q, R) = S(x₀,x₁) ∧ … ∧ S(x_{k-1},x_k) ∧ Q(x₀) ∧ … ∧ Q(x_{k-1}) ⇒ R(x_k);
//! * BASEQUERY_k(S, R) = I(x₀) ∧ S(x₀,x₁) ∧ … ⇒ R(x_t), for each t < k;
//! * FULLQUERY is both.
//!
//! MINIMIZEK finds the smallest k for which INDQUERY_k(T, Q, P) holds. REDUCEINVARIANTS collects, from P on, the
//! conjuncts that the unsatisfiable cores of INDQUERY_k(T, Q, R) name, until they name no more. MINIMIZEIVC
//! ([`minimize`](crate::minimize)) takes the elements that FULLQUERY names and drops one after the other as long
//! as it holds. The result is minimal for its proof, not for the property.
//!
//! A proof may rest on there being no execution of n states. Its core is that of I ∧ S(x₀,x₁) ∧ … of n states.

use std::sync::Arc;
use std::time::Duration;

use buttress_solve::Stopped;
use buttress_system::words::{Role, System, WordProof};
use buttress_system::{ElementSet, Proof, PropertyId};
use buttress_term::{Node, Op, TermId, Terms};

use crate::executions::Executions;
use crate::minimal::without;
use crate::minimize::MinimizeIvc;
use crate::reduced::read_by;
use crate::unrolled::{Ask, Bounded, From, Needed, Unrolled, Unsat};
use crate::{Elements, Fresh, Part, Refutation};

/// A k-inductive strengthening of one property, as a list of conjuncts.
#[derive(Clone, Debug)]
pub struct Argument {
    property: PropertyId,
    /// The system's, possibly extended.
    terms: Arc<Terms>,
    /// The property stands first.
    conjuncts: Vec<TermId>,
    /// Not proved. They follow the conjuncts in number.
    candidates: Vec<Stronger>,
    k: u32,
}

/// Elements that suffice, and why.
#[derive(Clone, Debug)]
pub struct Core<P = WordProof> {
    pub elements: ElementSet,
    /// The proof for the system with these elements only: the conjuncts that it needs, with the smallest k.
    pub proof: P,
    /// Counterexamples to the core without one of its elements, each to be replayed before it counts.
    pub refutations: Vec<Refutation>,
    /// Those that this proof needs or not: to find out was too much work.
    pub undecided: ElementSet,
}

impl<P> Core<P> {
    /// Of which nothing else is known.
    pub fn new(elements: ElementSet, proof: P) -> Core<P> {
        Core { elements, proof, refutations: Vec::new(), undecided: ElementSet::new() }
    }

    /// The same elements for another reason.
    pub fn map<Q>(self, to: impl FnOnce(P) -> Q) -> Core<Q> {
        let Core { elements, proof, refutations, undecided } = self;
        Core { elements, proof: to(proof), refutations, undecided }
    }
}

impl Argument {
    /// `None` where the proof rests on distinct states.
    pub fn of(system: &System, property: PropertyId, proof: &WordProof) -> Option<Argument> {
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
        let mut candidates = Stronger::of(system, &mut terms, property);
        candidates.retain(|candidate| !conjuncts.contains(&candidate.term));
        Some(Argument { property, terms: Arc::new(terms), conjuncts, candidates, k: proof.claim.k })
    }

    pub fn k(&self) -> u32 {
        self.k
    }

    pub(crate) fn all(&self) -> Vec<usize> {
        (0..self.conjuncts.len()).collect()
    }

    fn term(&self, conjunct: usize) -> TermId {
        let candidate = || self.candidates[conjunct - self.conjuncts.len()].term;
        self.conjuncts.get(conjunct).copied().unwrap_or_else(candidate)
    }

    pub(crate) fn terms_of(&self, chosen: &[usize]) -> Vec<TermId> {
        chosen.iter().map(|&c| self.term(c)).collect()
    }

    /// The proof with these conjuncts, of which the property is the first.
    fn proof(&self, chosen: &[usize], k: usize) -> WordProof {
        let invariant = self.terms_of(&chosen[1..]);
        let claim = Proof { properties: vec![self.property], k: k as u32, distinct: None, invariant };
        WordProof { terms: self.terms.clone(), claim }
    }
}

/// The effort that a core is worth.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort {
    /// For MINIMIZEIVC; as long as it takes, where none is given.
    pub time: Option<Duration>,
    /// Whether the core comes with executions that say which of its elements every core has.
    pub executions: bool,
}

/// A core of a checked proof. `None` where the proof does not hold with these elements, or not without what the
/// check of it knew: see [`no_execution`].
pub fn ivc_uc(
    system: &System,
    all: &Elements,
    kept: &ElementSet,
    claim: &Argument,
    effort: Effort,
    fresh: &mut Fresh<'_>,
) -> Result<Option<Core>, Stopped> {
    let read = claim.terms.free_variables(claim.conjuncts.iter().copied());
    let within: ElementSet = &read_by(system, all, read) & kept;
    let unrolled = Unrolled::new(system, all, &within, (*claim.terms).clone(), fresh());
    let mut queries = Queries::new(unrolled, claim);
    let Some((k, first)) = queries.minimize_k(&within)? else { return Ok(None) };
    // What the others can do without is left in: it costs a query each, and goes below where an element goes with
    // it.
    let step = queries.reduce_invariants(&within, k, first)?;
    let Some(first) = queries.with_base(&within, step, k)? else { return Ok(None) };
    let elements = first.elements.clone();
    if elements.len() < within.len() / 4 && within.len() > 100 {
        // Everything else would only make the queries to come slower.
        queries.restart(system, all, &elements, fresh());
    }
    let mut minimal = MinimizeIvc::new(queries, first, k, effort.time);
    for (candidate, stronger) in (claim.conjuncts.len()..).zip(&claim.candidates) {
        minimal.strengthen(candidate, &stronger.slice(system, &claim.terms, all))?;
    }
    minimal.run()?;
    let MinimizeIvc { now: Holding { elements, chosen, .. }, mut queries, undecided, .. } = minimal;
    queries.limit(None);
    let mut core = Core { undecided, ..Core::new(elements, claim.proof(&chosen, k)) };
    if effort.executions {
        let mut executions = Executions::new(system, all, &core.elements, claim.property);
        for last in k..=k + 1 {
            executions.refute(&mut queries, last)?;
        }
        core.refutations = executions.refutations();
    }
    Ok(Some(core))
}

/// The smallest k and the conjuncts of a checked proof that suffice, with all elements of the system: MINIMIZEK
/// and REDUCEINVARIANTS; then, beyond the paper, each conjunct that the others can do without is dropped. `None`
/// where the step of the proof does not hold by itself.
pub fn reduce_invariants(
    system: &System,
    claim: &Argument,
    fresh: &mut Fresh<'_>,
) -> Result<Option<WordProof>, Stopped> {
    let elements = Elements::of(system, crate::Granularity::Equations).only(|_| false);
    let none = ElementSet::new();
    let unrolled = Unrolled::new(system, &elements, &none, (*claim.terms).clone(), fresh());
    let mut queries = Queries::new(unrolled, claim);
    let Some((k, first)) = queries.minimize_k(&none)? else { return Ok(None) };
    let chosen = queries.reduce_invariants(&none, k, first)?.chosen;
    let chosen = queries.drop_invariants(&none, k, chosen)?;
    Ok(Some(claim.proof(&chosen, k)))
}

/// A proof for these elements from the conjuncts of earlier proofs, of which the largest set that is k-inductive
/// together is taken. `None` where it does not prove the property.
pub fn from_lemmas(
    system: &System,
    elements: &Elements,
    kept: &ElementSet,
    claim: &Argument,
    fresh: &mut Fresh<'_>,
) -> Result<Option<WordProof>, Stopped> {
    let unrolled = Unrolled::new(system, elements, kept, (*claim.terms).clone(), fresh());
    let mut queries = Queries::new(unrolled, claim);
    let k = claim.k as usize;
    let Some(inductive) = queries.largest_inductive(kept, k)? else { return Ok(None) };
    let chosen = queries.closed(kept, vec![0], &inductive, k)?;
    Ok(chosen.map(|step| claim.proof(&step.chosen, k)))
}

/// The elements that leave no execution of so many states; `None` where there is one.
pub fn no_execution(
    system: &System,
    elements: &Elements,
    kept: &ElementSet,
    states: usize,
    fresh: &mut Fresh<'_>,
) -> Result<Option<ElementSet>, Stopped> {
    let paths = Unrolled::new(system, elements, kept, system.terms.clone(), fresh());
    let mut ends = Ends::new(paths, states);
    let Some(core) = ends.without_execution(kept)? else { return Ok(None) };
    shrink(core, &mut |kept| ends.without_execution(kept)).map(Some)
}

/// The elements that leave no execution of so many states and keep the property in all shorter ones; `None`
/// where they do not.
pub fn vacuous(
    system: &System,
    elements: &Elements,
    kept: &ElementSet,
    (property, states): (PropertyId, usize),
    fresh: &mut Fresh<'_>,
) -> Result<Option<ElementSet>, Stopped> {
    let mut terms = system.terms.clone();
    let stated = terms.not(system.property(property).bad);
    let mut ends = Ends::new(Unrolled::new(system, elements, kept, terms, fresh()), states);
    let mut holds = |kept: &ElementSet| {
        let Some(none) = ends.without_execution(kept)? else { return Ok(None) };
        let before = ends.without_violation(kept, stated)?;
        Ok(before.map(|before| &none | &before))
    };
    let Some(core) = holds(kept)? else { return Ok(None) };
    shrink(core, &mut holds).map(Some)
}

/// Executions that end before they have so many states.
struct Ends<'a> {
    paths: Unrolled<'a>,
    states: usize,
}

impl<'a> Ends<'a> {
    fn new(mut paths: Unrolled<'a>, states: usize) -> Ends<'a> {
        (0..states).for_each(|_| paths.push());
        Ends { paths, states }
    }

    /// I ∧ S(x₀,x₁) ∧ … ∧ S(x_{n-2},x_{n-1})
    fn without_execution(&mut self, kept: &ElementSet) -> Result<Option<ElementSet>, Stopped> {
        let ask = Ask { from: From::Init, last: self.states - 1, hypotheses: &[], goal: None };
        Ok(self.paths.refute(kept, &ask)?.map(|needed| needed.elements))
    }

    /// BASEQUERY_{n-1}(S, P); nothing where no state is before the last.
    fn without_violation(
        &mut self,
        kept: &ElementSet,
        stated: TermId,
    ) -> Result<Option<ElementSet>, Stopped> {
        let Some(last) = self.states.checked_sub(2) else { return Ok(Some(ElementSet::new())) };
        let goal = Some(self.paths.violated_within(&[stated], last));
        let ask = Ask { from: From::Init, last: 0, hypotheses: &[], goal };
        Ok(self.paths.refute(kept, &ask)?.map(|needed| needed.elements))
    }
}

/// The queries of Figure 4, all to one solver. Conjuncts are places in the list of the claim.
pub(crate) struct Queries<'a> {
    unrolled: Unrolled<'a>,
    pub claim: &'a Argument,
    /// The conjuncts that may be supposed.
    known: usize,
}

impl<'a> Queries<'a> {
    fn new(mut unrolled: Unrolled<'a>, claim: &'a Argument) -> Queries<'a> {
        unrolled.suppose(&claim.conjuncts);
        Queries { unrolled, claim, known: claim.conjuncts.len() }
    }

    fn restart(
        &mut self,
        system: &'a System,
        all: &'a Elements,
        within: &ElementSet,
        solver: Box<dyn Unsat>,
    ) {
        let unrolled = Unrolled::new(system, all, within, (*self.claim.terms).clone(), solver);
        *self = Queries::new(unrolled, self.claim);
    }

    /// Candidates up to this one may be supposed from now on.
    pub fn suppose(&mut self, candidate: usize) {
        let more: Vec<usize> = (self.known..=candidate).collect();
        self.unrolled.suppose(&self.claim.terms_of(&more));
        self.known += more.len();
    }

    /// The most work on one query from now on.
    pub fn limit(&mut self, limit: Option<Duration>) {
        self.unrolled.limit = limit;
    }

    /// Whether a query since the last time was too much work.
    pub fn gave_up(&mut self) -> bool {
        std::mem::take(&mut self.unrolled.gave_up)
    }

    /// INDQUERY_k(S, Q, R)
    pub fn step(
        &mut self,
        kept: &ElementSet,
        assumed: &[usize],
        shown: &[usize],
        k: usize,
    ) -> Result<Option<Needed>, Stopped> {
        let goal = Some(self.violated(shown, k));
        self.unrolled.refute(kept, &Ask { from: From::Anywhere, last: k, hypotheses: assumed, goal })
    }

    /// BASEQUERY_k(S, R), for all t at once.
    pub fn base(
        &mut self,
        kept: &ElementSet,
        shown: &[usize],
        k: usize,
    ) -> Result<Option<ElementSet>, Stopped> {
        // The goal itself says which steps count.
        let goal = Some(self.unrolled.violated_within(&self.claim.terms_of(shown), k - 1));
        let ask = Ask { from: From::Init, last: 0, hypotheses: &[], goal };
        let needed = self.unrolled.refute(kept, &ask)?;
        Ok(needed.map(|needed| needed.elements))
    }

    fn violated(&mut self, shown: &[usize], step: usize) -> TermId {
        while self.unrolled.len() <= step {
            self.unrolled.push();
        }
        self.unrolled.violated(&self.claim.terms_of(shown), step)
    }

    /// FULLQUERY_k(S, R, R) where INDQUERY_k(S, R, R) is known to hold. The elements of the step often suffice for
    /// the base.
    pub fn with_base(&mut self, kept: &ElementSet, step: Step, k: usize) -> Result<Option<Holding>, Stopped> {
        let Step { elements, chosen } = step;
        if let Some(base) = self.base(&elements, &chosen, k)? {
            return Ok(Some(Holding { elements, base, chosen }));
        }
        let found = self.base(kept, &chosen, k)?;
        Ok(found.map(|base| Holding { elements: &elements | &base, base, chosen }))
    }

    /// Whether executions with these elements violate P up to this step.
    pub fn bounded(&mut self, kept: &ElementSet, last: usize, free: &[TermId]) -> Result<Bounded, Stopped> {
        self.unrolled.bounded(kept, self.claim.conjuncts[0], last, free)
    }

    /// MINIMIZEK (Algorithm 3), from the k of the proof downwards: INDQUERY is monotone in k, and the proof's own
    /// k is the smallest or close to it. With what the query for this k needs.
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
    fn reduce_invariants(&mut self, kept: &ElementSet, k: usize, first: Needed) -> Result<Step, Stopped> {
        let all = self.claim.all();
        let mut more = first.hypotheses;
        more.retain(|&h| h != 0);
        let Some(closed) = self.closed(kept, more, &all, k)? else {
            return Ok(Step { elements: kept.clone(), chosen: all });
        };
        let chosen = with(vec![0], closed.chosen);
        Ok(Step { elements: &first.elements | &closed.elements, chosen })
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
                    chosen = fewer.chosen;
                }
            }
        }
        Ok(chosen)
    }

    /// The largest set of conjuncts R with INDQUERY_k(S, R, R) and BASEQUERY_k(S, R), where the property is among
    /// them.
    fn largest_inductive(&mut self, kept: &ElementSet, k: usize) -> Result<Option<Vec<usize>>, Stopped> {
        let mut all = self.claim.all();
        if self.step(kept, &all, &[0], k)?.is_none() || self.base(kept, &[0], k)?.is_none() {
            return Ok(None);
        }
        let mut starts = Vec::new();
        for &conjunct in &all {
            if self.base(kept, &[conjunct], k)?.is_some() {
                starts.push(conjunct);
            }
        }
        all = starts;
        loop {
            let mut holds = Vec::new();
            for &conjunct in &all {
                if self.step(kept, &all, &[conjunct], k)?.is_some() {
                    holds.push(conjunct);
                }
            }
            match holds.first() {
                Some(0) if holds.len() == all.len() => return Ok(Some(all)),
                Some(0) => all = holds,
                _ => return Ok(None),
            }
        }
    }

    /// From `shown` on, what INDQUERY needs of `allowed`, until it needs no more: a set R with INDQUERY_k(S, R,
    /// R). `None` where it does not hold.
    pub fn closed(
        &mut self,
        kept: &ElementSet,
        mut chosen: Vec<usize>,
        allowed: &[usize],
        k: usize,
    ) -> Result<Option<Step>, Stopped> {
        let (mut elements, mut open) = (ElementSet::new(), chosen.clone());
        while !open.is_empty() {
            let Some(needed) = self.step(kept, allowed, &open, k)? else { return Ok(None) };
            elements.extend(needed.elements);
            open = needed.hypotheses;
            open.retain(|h| !chosen.contains(h));
            chosen.extend(&open);
        }
        chosen.sort_unstable();
        Ok(Some(Step { elements, chosen }))
    }
}

/// INDQUERY_k(S, R, R) holds.
pub(crate) struct Step {
    pub elements: ElementSet,
    pub chosen: Vec<usize>,
}

/// FULLQUERY_k(S, R, R) holds.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    pub elements: ElementSet,
    /// Those that the base needs.
    pub base: ElementSet,
    pub chosen: Vec<usize>,
}

/// A term that a property follows from by its own structure, and the definitions that say so.
#[derive(Clone, Debug)]
pub(crate) struct Stronger {
    pub term: TermId,
    by: Vec<usize>,
}

impl Stronger {
    /// Of a disjunction each part, of an implication what it is about, down to a few.
    fn of(system: &System, terms: &mut Terms, property: PropertyId) -> Vec<Stronger> {
        const MOST: usize = 3;
        let roles = system.roles();
        let mut found: Vec<Stronger> = Vec::new();
        let mut todo = vec![(system.property(property).bad, false, Vec::new())];
        while let Some((term, positive, mut by)) = todo.pop().filter(|_| found.len() < MOST) {
            let parts: Vec<(TermId, bool)> = match (terms.node(term), positive) {
                (Node::Variable(_), _) => match roles[term.index()] {
                    Some(Role::Definition(d)) => {
                        by.push(d);
                        todo.push((system.definitions[d].value, positive, by));
                        continue;
                    }
                    _ => continue,
                },
                (Node::Apply(Op::Not, _, of), _) => {
                    todo.push((of[0], !positive, by));
                    continue;
                }
                (Node::Apply(Op::Implies, _, of), true) => vec![(of[1], true)],
                (Node::Apply(Op::Or, _, of), true) => of.iter().map(|&t| (t, true)).collect(),
                (Node::Apply(Op::And, _, of), false) => of.iter().map(|&t| (t, false)).collect(),
                _ => continue,
            };
            for (part, positive) in parts {
                let term = if positive { part } else { terms.not(part) };
                found.push(Stronger { term, by: by.clone() });
                todo.push((part, positive, by.clone()));
            }
        }
        found.truncate(MOST);
        found
    }

    /// The elements that the conjunct depends on, and the definitions by which it is stronger.
    fn slice(&self, system: &System, terms: &Terms, all: &Elements) -> ElementSet {
        let mut slice = read_by(system, all, terms.free_variables([self.term]));
        slice.extend(self.by.iter().filter_map(|&d| all.of_part(Part::Definition(d))));
        slice
    }
}

/// The union of two sets of conjuncts, in order.
pub(crate) fn with(mut some: Vec<usize>, more: Vec<usize>) -> Vec<usize> {
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
        if core.contains(&element)
            && let Some(smaller) = holds(&without(&core, element))?
        {
            core = smaller;
        }
    }
    Ok(core)
}
