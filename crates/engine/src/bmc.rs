//! Bounded model checking (Biere, Cimatti, Clarke & Zhu, TACAS 1999).
//!
//! For k = 0, 1, 2, …: is `R(x₀,i₀) ∧ ⋀_{t<k} x_{t+1} = F(x_t,i_t) ∧ ⋀_{t≤k} C(x_t,i_t) ∧ bad(x_k,i_k)`
//! satisfiable? The first k for which it is gives a shortest trace. The unrolling grows only after every
//! open property was refuted at the current depth. It posts how far each property holds, which spares
//! k-induction its base cases. It proves only where the constraints leave no execution of k+1 states: then
//! it has seen them all.

use buttress_query::{Answer, From, Goal, Queried, Query, Reasoner};
use buttress_solve::Stopped;
use buttress_system::{PropertyId, Verdict};

use crate::{Cursor, Job, News, Progress};

pub(crate) fn bmc<S: Queried>(reasoner: &mut dyn Reasoner<S>, job: &Job<'_, S>) -> Result<(), Stopped> {
    let mut open = Open::new(job);
    for depth in 0..job.settings.bound {
        open.absorb(reasoner, job);
        if open.0.is_empty() {
            return Ok(());
        }
        job.desk.progress(Progress {
            depth,
            size: reasoner.clauses(),
            open: open.0.len(),
            ..Progress::default()
        });
        for property in open.0.clone() {
            match violation(reasoner, property, depth)? {
                Some(trace) => open.falsified(job, property, trace),
                None => job.desk.holds_up_to(property, depth),
            }
        }
        if exhausted(reasoner, job, depth)? {
            let bounded = |p| Verdict::Safe(job.system.k_inductive(p, depth as u32 + 1, false, &[]));
            open.0.iter().for_each(|&p| job.desk.decide(p, bounded(p)));
            return Ok(());
        }
    }
    open.0.iter().for_each(|&p| job.give_up(p, &job.beyond_bound()));
    Ok(())
}

/// No execution has `depth` steps: R(x₀) ∧ T^depth ∧ C is unsatisfiable.
fn exhausted<S: Queried>(
    reasoner: &mut dyn Reasoner<S>,
    job: &Job<'_, S>,
    depth: usize,
) -> Result<bool, Stopped> {
    if !job.system.is_constrained() {
        return Ok(false);
    }
    Ok(reasoner.check(&Query::new(From::Init, depth, Goal::Any))? == Answer::Holds)
}

/// A trace of exactly `depth` steps to a violation.
pub(crate) fn violation<S: Queried>(
    reasoner: &mut dyn Reasoner<S>,
    property: PropertyId,
    depth: usize,
) -> Result<Option<S::Trace>, Stopped> {
    // R(x₀) ∧ T^depth ∧ bad(x_depth)
    match reasoner.check(&Query::new(From::Init, depth, Goal::Bad(property)))? {
        Answer::Holds => Ok(None),
        Answer::Fails => Ok(Some(S::trace(property, &reasoner.path()))),
    }
}

/// The properties that nobody has decided yet.
struct Open(Vec<PropertyId>, Cursor);

impl Open {
    fn new<S: Queried>(job: &Job<'_, S>) -> Open {
        Open(job.properties.clone(), Cursor::default())
    }

    fn absorb<S: Queried>(&mut self, reasoner: &mut dyn Reasoner<S>, job: &Job<'_, S>) {
        for news in job.desk.read(&mut self.1) {
            match news {
                News::Decided { property } => self.0.retain(|&p| p != property),
                News::Lemma(lemma) => reasoner.learn(&lemma),
                News::HoldsUpTo { .. } | News::Excluded { .. } => {}
            }
        }
    }

    fn falsified<S: Queried>(&mut self, job: &Job<'_, S>, property: PropertyId, trace: S::Trace) {
        self.0.retain(|&p| p != property);
        job.desk.decide(property, Verdict::Unsafe(trace));
    }
}
