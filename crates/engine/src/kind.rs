//! k-induction (Sheeran, Singh & Stålmarck, FMCAD 2000; Eén & Sörensson 2003).
//!
//! For k = 1, 2, 3, … and each open property P = ¬bad:
//!
//! * base: no trace of k states violates P, i.e. `R(x₀) ∧ T^{k-1} ∧ ¬P(x_{k-1})` is unsatisfiable (for the
//!   smaller depths it was, at smaller k). Skipped where BMC, on the board, has been there;
//! * step: `⋀_{t<k} P(x_t) ∧ T^k ∧ ¬P(x_k)` has no solution with pairwise distinct states.
//!
//! k counts as in JKind: plain induction is k = 1. With distinct states the method is complete for finite
//! systems: a shortest violation visits no state twice. That argument cuts a loop and keeps the first state,
//! so it needs resets that do not read inputs; where they do, distinctness stays off.
//!
//! Properties may need each other: those that no step proves alone are tried together. Of the open ones the
//! largest set Q is found with `⋀_{t<k} ⋀Q(x_t) ∧ T^k ∧ ¬P(x_k)` unsatisfiable for each P in Q, all of whose base
//! cases hold up to k: its conjunction is k-inductive, and one proof for all of Q is handed in (as Kind 2 does,
//! Kahsai & Tinelli, PDMC 2011). Where there are many, this comes first, and base cases are one question for all.
//! A question that takes too many conflicts is left for a greater k, at which more are granted: what is
//! k-inductive is (k+1)-inductive.
//!
//! A property that was proved *and checked* strengthens the others; the desk adds it to their proofs. Where an
//! invariant came, the steps begin again with k = 1: what it enables mostly needs a small k, and the base cases
//! are known. Clauses that FSIS tells are not checked yet: where there is one property, to which they are
//! relative, they are supposed in all states and proved together with it (the hybrid that Bradley & Manna propose,
//! FMCAD 2007, Section VI-A). They hold in every state up to the first violation, so base cases lose none.

use buttress_query::{Answer, From, Goal, Queried, Query, Reasoner};
use buttress_solve::Stopped;
use buttress_system::{PropertyId, Verdict};

use crate::bmc::look;
use crate::{Cursor, Episode, Job, News, Progress};

/// Of so many properties each is tried alone first: the proof of one needs no others then. Of more it takes too
/// long.
const FEW: usize = 16;

/// Conflicts granted to a question at k = 1 while several properties are open, and how many times as many at the
/// next.
const FIRST_GRANT: u64 = 1_000;
const GROWTH: u64 = 2;

pub(crate) fn kind<S: Queried>(reasoner: &mut dyn Reasoner<S>, job: &Job<'_, S>) -> Result<(), Stopped> {
    let mut run = Run::new(job);
    let (mut k, mut strengthened) = (0, false);
    while k < job.settings.bound {
        strengthened |= run.absorb(reasoner);
        k = if std::mem::take(&mut strengthened) { 1 } else { k + 1 };
        if run.open.is_empty() {
            return Ok(());
        }
        let open = run.open.len();
        job.desk.progress(Progress { depth: k, size: reasoner.clauses(), open, ..Progress::default() });
        run.base(reasoner, k)?;
        if run.open.len() > FEW {
            run.together(reasoner, k)?;
        }
        for property in run.bounded(k) {
            run.step(reasoner, property, k)?;
            strengthened |= run.absorb(reasoner);
        }
        if run.open.len() <= FEW {
            run.together(reasoner, k)?;
        }
        run.granted = run.granted.saturating_mul(GROWTH);
    }
    run.undecided().into_iter().for_each(|p| job.give_up(p, &job.beyond_bound()));
    Ok(())
}

struct Run<'a, S: Queried> {
    job: &'a Job<'a, S>,
    open: Vec<Target>,
    distinct: bool,
    /// Conflicts that a question may take while several properties are open.
    granted: u64,
    cursor: Cursor,
    /// Facts of others that are supposed.
    joined: Vec<S::Lemma>,
}

struct Target {
    property: PropertyId,
    /// No violation in the first `bounded` states.
    bounded: usize,
}

impl<'a, S: Queried> Run<'a, S> {
    fn new(job: &'a Job<'a, S>) -> Run<'a, S> {
        let target = |&property: &PropertyId| Target { property, bounded: 0 };
        Run {
            job,
            open: job.properties.iter().map(target).collect(),
            distinct: job.distinct,
            granted: FIRST_GRANT,
            cursor: Cursor::default(),
            joined: Vec::new(),
        }
    }

    /// The open ones whose base cases hold up to k.
    fn bounded(&self, k: usize) -> Vec<PropertyId> {
        self.open.iter().filter(|t| t.bounded >= k).map(|t| t.property).collect()
    }

    fn undecided(&self) -> Vec<PropertyId> {
        self.open.iter().map(|t| t.property).collect()
    }

    /// Whether more is known now than properties that were proved: then a smaller k may do.
    fn absorb(&mut self, reasoner: &mut dyn Reasoner<S>) -> bool {
        let mut strengthened = false;
        for news in self.job.desk.read(&mut self.cursor) {
            match news {
                News::Decided { property } => self.open.retain(|t| t.property != property),
                News::HoldsUpTo { property, steps } => self.bound(property, steps + 1),
                News::Lemma(lemma) => {
                    reasoner.learn(&lemma);
                    strengthened |= S::as_property(&lemma).is_none();
                }
                News::Excluded { lemma, .. } => self.join(reasoner, lemma),
            }
        }
        strengthened
    }

    fn join(&mut self, reasoner: &mut dyn Reasoner<S>, lemma: S::Lemma) {
        if self.job.properties.len() == 1 {
            reasoner.learn(&lemma);
            self.joined.push(lemma);
        }
    }

    fn bound(&mut self, property: PropertyId, states: usize) {
        if let Some(target) = self.open.iter_mut().find(|t| t.property == property) {
            target.bounded = target.bounded.max(states);
        }
    }

    /// R(x₀) ∧ T^{k-1} ∧ ⋁ ¬P(x_{k-1}), and before that what was too hard at smaller k.
    fn base(&mut self, reasoner: &mut dyn Reasoner<S>, k: usize) -> Result<(), Stopped> {
        let first = self.open.iter().map(|t| t.bounded).min().unwrap_or(k);
        for depth in first..k {
            let group = self.open.iter().filter(|t| t.bounded == depth).map(|t| t.property).collect();
            let looked = look(reasoner, self.job, group, depth..depth + 1, self.granted())?;
            looked.hold.iter().for_each(|&p| self.bound(p, depth + 1));
            self.open.retain(|t| t.bounded != depth || looked.too_hard.contains(&t.property));
        }
        Ok(())
    }

    /// Conflicts that a question may take: while several properties are open, a hard one shall not starve the
    /// others.
    fn granted(&self) -> u64 {
        if self.open.len() > 1 { self.granted } else { u64::MAX }
    }

    /// ⋀_{t<k} P(x_t) ∧ T^k ∧ ¬P(x_k), states distinct
    fn step(
        &mut self,
        reasoner: &mut dyn Reasoner<S>,
        property: PropertyId,
        k: usize,
    ) -> Result<(), Stopped> {
        match self.violated(reasoner, &[property], k)? {
            Some(Answer::Holds) => {
                let distinct = reasoner.core().distinct;
                let proof = self.job.system.k_inductive(property, k as u32, distinct, &self.joined);
                self.decide(property, Verdict::Safe(proof));
            }
            Some(Answer::Fails) => self
                .job
                .explain(property, || Episode::StepFails { k, path: S::trace(property, &reasoner.path()) }),
            None => {}
        }
        Ok(())
    }

    /// ⋀_{t<k} ⋀Q(x_t) ∧ T^k ∧ ⋁_{P∈Q} ¬P(x_k), states distinct; `None` where it is too hard.
    fn violated(
        &self,
        reasoner: &mut dyn Reasoner<S>,
        all: &[PropertyId],
        k: usize,
    ) -> Result<Option<Answer>, Stopped> {
        let query = Query::new(From::Anywhere, k, Goal::Bad(all));
        let (distinct, conflicts) = (self.distinct, self.granted());
        match reasoner.check(&Query { safe_before_last: all, distinct, conflicts, ..query }) {
            Err(Stopped::Budget) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// The largest set of open properties that are k-inductive together, where there are two or more: what a path
    /// violates of the set is left out of it, until there is no such path.
    fn together(&mut self, reasoner: &mut dyn Reasoner<S>, k: usize) -> Result<(), Stopped> {
        let mut all = self.bounded(k);
        while all.len() > 1 {
            match self.violated(reasoner, &all, k)? {
                Some(Answer::Holds) => {
                    let distinct = reasoner.core().distinct;
                    self.decide_all(&all, k, distinct);
                    return Ok(());
                }
                Some(Answer::Fails) => {
                    let violated = self.job.system.violated(&reasoner.path(), &all);
                    if violated.is_empty() {
                        return Ok(());
                    }
                    all.retain(|p| !violated.contains(p));
                }
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// One proof for all of them; who takes it for one may take it for the others.
    fn decide_all(&mut self, all: &[PropertyId], k: usize, distinct: bool) {
        for &property in all {
            if self.job.desk.is_decided(property) {
                continue;
            }
            let others: Vec<S::Lemma> =
                all.iter().filter(|&&p| p != property).map(|&p| S::lemma(p)).collect();
            let proof = self.job.system.k_inductive(property, k as u32, distinct, &others);
            self.decide(property, Verdict::Safe(proof));
        }
    }

    fn decide(&mut self, property: PropertyId, verdict: Verdict<S::Proof, S::Trace>) {
        self.open.retain(|t| t.property != property);
        self.job.desk.decide(property, verdict);
    }
}
