//! Bounded model checking (Biere, Cimatti, Clarke & Zhu, TACAS 1999).
//!
//! For k = 0, 1, 2, …: is `R(x₀,i₀) ∧ ⋀_{t<k} x_{t+1} = F(x_t,i_t) ∧ ⋀_{t≤k} C(x_t,i_t) ∧ bad(x_k,i_k)`
//! satisfiable? The first k for which it is gives a shortest trace. It posts how far each property holds, which
//! spares k-induction its base cases. It proves only where the constraints leave no execution of k+1 states: then
//! it has seen them all.
//!
//! Of many properties one question asks for a violation of any, in one unrolling; the path that answers it is a
//! trace for all that it violates. No property waits behind a hard one: a question that takes too many conflicts
//! is split in halves, and a property that is too hard by itself is put off. Those that were put off have a turn,
//! with more conflicts granted, after every few steps of the others, each from where it stood. Of a single
//! property there is nothing to put off.
//!
//! With a stride of s one question asks for a violation after k, k + 1, … or k + s - 1 steps, so that the solver
//! is asked less often on the way to a deep one; what it finds is then not always shortest. Where there are
//! constraints, an execution may end before the last of these steps, and each step is a question of its own.

use std::ops::Range;

use buttress_query::{Answer, From, Goal, Queried, Query, Reasoner};
use buttress_solve::Stopped;
use buttress_system::{PropertyId, Verdict};

use crate::{Cursor, Job, News, Progress};

/// Conflicts granted to a question while several properties are open.
const FIRST_GRANT: u64 = 1_000;

/// How many times as many those that were put off are granted at their next turn.
const GROWTH: u64 = 4;

/// Questions about the others between two turns of those that were put off.
const ROUNDS: usize = 8;

/// How bounded model checking goes on.
#[derive(Clone, Copy, Debug)]
pub struct Bmc {
    /// Steps that one question is about, at least 1.
    pub stride: usize,
}

impl Default for Bmc {
    fn default() -> Bmc {
        Bmc { stride: 1 }
    }
}

pub(crate) fn bmc<S: Queried>(reasoner: &mut dyn Reasoner<S>, job: &Job<'_, S>) -> Result<(), Stopped> {
    let mut run = Run::new(job);
    let mut depth = 0;
    let mut rounds = 0;
    while depth < job.settings.bound || !run.behind.is_empty() {
        run.absorb(reasoner);
        let open = run.front.len() + run.behind.len();
        if open == 0 {
            return Ok(());
        }
        job.desk.progress(Progress { depth, size: reasoner.clauses(), open, ..Progress::default() });
        if !run.front.is_empty() && depth < job.settings.bound {
            let front = std::mem::take(&mut run.front);
            let steps = depth..job.settings.bound.min(depth + job.settings.bmc.stride);
            depth = steps.end;
            run.look(reasoner, front, steps)?;
            if exhausted(reasoner, job, depth - 1)? {
                let bounded = |p| Verdict::Safe(job.system.k_inductive(p, depth as u32, false, &[]));
                run.front.drain(..).for_each(|p| job.desk.decide(p, bounded(p)));
            }
            rounds += 1;
        }
        if run.front.is_empty() || rounds % ROUNDS == 0 || depth == job.settings.bound {
            run.catch_up(reasoner, depth)?;
        }
    }
    run.front.iter().for_each(|&p| job.give_up(p, &job.beyond_bound()));
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
    match reasoner.check(&Query::new(From::Init, depth, Goal::Bad(&[property])))? {
        Answer::Holds => Ok(None),
        Answer::Fails => Ok(Some(S::trace(property, &reasoner.path()))),
    }
}

/// The result of a bounded check at one depth, for properties that are not violated there.
#[derive(Default)]
pub(crate) struct Looked {
    /// They are not violated there.
    pub hold: Vec<PropertyId>,
    /// They took too many conflicts.
    pub too_hard: Vec<PropertyId>,
}

/// Whether any of these is violated after one of these numbers of steps; those that are, are decided.
pub(crate) fn look<S: Queried>(
    reasoner: &mut dyn Reasoner<S>,
    job: &Job<'_, S>,
    properties: Vec<PropertyId>,
    steps: Range<usize>,
    conflicts: u64,
) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let mut groups = vec![properties];
    while let Some(mut group) = groups.pop() {
        if group.is_empty() {
            continue;
        }
        // R(x₀) ∧ T^t ∧ ⋁ bad(x_t)
        let (slack, last) = (steps.len() - 1, steps.end - 1);
        let query = Query { conflicts, slack, ..Query::new(From::Init, last, Goal::Bad(&group)) };
        match reasoner.check(&query) {
            Ok(Answer::Holds) => looked.hold.extend(group),
            Ok(Answer::Fails) => {
                let path = reasoner.path();
                let mut violated = job.system.violated(&path, &group);
                if violated.is_empty() {
                    // No violation at all: the check will say so.
                    violated.push(group[0]);
                }
                for &property in &violated {
                    job.desk.decide(property, Verdict::Unsafe(S::trace(property, &path)));
                }
                group.retain(|p| !violated.contains(p));
                groups.push(group);
            }
            Err(Stopped::Budget) if group.len() > 1 => {
                let half = group.split_off(group.len() / 2);
                groups.extend([half, group]);
            }
            Err(Stopped::Budget) => looked.too_hard.extend(group),
            Err(why) => return Err(why),
        }
    }
    Ok(looked)
}

struct Run<'a, S: Queried> {
    job: &'a Job<'a, S>,
    cursor: Cursor,
    /// Open properties that hold up to the current depth.
    front: Vec<PropertyId>,
    behind: Vec<PutOff>,
    granted: u64,
}

/// A property that took too many conflicts.
struct PutOff {
    property: PropertyId,
    /// The first step at which it may be violated.
    depth: usize,
}

impl<'a, S: Queried> Run<'a, S> {
    fn new(job: &'a Job<'a, S>) -> Run<'a, S> {
        Run {
            job,
            cursor: Cursor::default(),
            front: job.properties.clone(),
            behind: Vec::new(),
            granted: FIRST_GRANT,
        }
    }

    fn absorb(&mut self, reasoner: &mut dyn Reasoner<S>) {
        for news in self.job.desk.read(&mut self.cursor) {
            match news {
                News::Decided { property } => {
                    self.front.retain(|&p| p != property);
                    self.behind.retain(|p| p.property != property);
                }
                News::Lemma(lemma) => reasoner.learn(&lemma),
                News::HoldsUpTo { .. } | News::Excluded { .. } => {}
            }
        }
    }

    /// How many nobody has decided yet.
    fn open(&self) -> usize {
        self.job.properties.iter().filter(|&&p| !self.job.desk.is_decided(p)).count()
    }

    /// Looks at these after these numbers of steps. Those that hold are in front.
    fn look(
        &mut self,
        reasoner: &mut dyn Reasoner<S>,
        properties: Vec<PropertyId>,
        steps: Range<usize>,
    ) -> Result<(), Stopped> {
        let conflicts = if self.open() == 1 { u64::MAX } else { self.granted };
        let Range { start: depth, end } = steps;
        let looked = look(reasoner, self.job, properties, steps, conflicts)?;
        looked.hold.iter().for_each(|&p| self.job.desk.holds_up_to(p, end - 1));
        self.front.extend(looked.hold);
        self.behind.extend(looked.too_hard.into_iter().map(|property| PutOff { property, depth }));
        Ok(())
    }

    /// A turn of those that were put off: each comes to the front, which is at this depth, or is put off again.
    fn catch_up(&mut self, reasoner: &mut dyn Reasoner<S>, depth: usize) -> Result<(), Stopped> {
        self.granted = self.granted.saturating_mul(if self.behind.is_empty() { 1 } else { GROWTH });
        for PutOff { property, depth: from } in std::mem::take(&mut self.behind) {
            let mut step = from;
            while step < depth && !self.job.desk.is_decided(property) {
                self.look(reasoner, vec![property], step..step + 1)?;
                if self.front.pop_if(|last| *last == property).is_none() {
                    break;
                }
                step += 1;
            }
            if step == depth {
                self.front.push(property);
            }
        }
        Ok(())
    }
}
