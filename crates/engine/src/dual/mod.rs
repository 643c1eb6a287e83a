//! The dual analysis (Bradley & Manna, FMCAD 2007, Section VII): the set of reachable states is grown until it is
//! inductive without including a violation.
//!
//! The set R is a disjunction of cubes, at first of the reset states. A counterexample to induction is a state s
//! that one step reaches from the states of R known to be reachable, and that is not in R:
//!
//! * if some part of the cube s is inductive relative to R and without a violation, a minimal one joins R: a cube
//!   d ⊆ s with `d ∧ C ∧ T ⇒ (R ∨ d)'` and `d ∧ C ⇒ ¬bad`;
//! * otherwise s itself joins R, as a state whose successors are looked at next.
//!
//! Read backwards in time, where steps are taken back, violations are the start and reset states the violations,
//! this is FSIS, word for word: R is what the clauses exclude, and the subcube that is inductive with R is the
//! subclause that is inductive relative to the others. So this engine runs FSIS on the [inverse] of the system.
//!
//! Evidence: the trace of FSIS, backwards. A proof is the set R; a proof in clauses is a cover of its complement,
//! by decision diagrams, and so it may fail where they grow too large.
//!
//! Limits: successors are single states, not lifted to cubes (what a step reaches is determined by all inputs it
//! read), so where few subcubes are inductive this enumerates reachable states. Resets must not read inputs, as
//! for FSIS.

mod inverse;

use std::sync::Arc;

use buttress_query::Relative;
use buttress_solve::Stopped;
use buttress_system::{BitSystem, Lit, Proof, PropertyId, Verdict};

use crate::diagrams::Space;
use crate::fsis::Strengthen;
use crate::{Cursor, Desk, Episode, Job, News, Progress, Told, fsis};
use inverse::Inverse;

/// Makes a reasoner about a system of the engine's own.
pub type LevelsOf<'a> = dyn FnMut(Arc<BitSystem>) -> Box<dyn Relative> + 'a;

/// Decides the properties one after the other.
pub(crate) fn dual(levels: &mut LevelsOf<'_>, job: &Job<'_>) -> Result<(), Stopped> {
    for &property in &job.properties {
        if job.resets_read_inputs() {
            job.give_up(property, "resets read inputs");
        } else if !job.desk.is_decided(property)
            && let Some(verdict) = decide(levels, job, property)?
        {
            job.desk.decide(property, verdict);
        }
    }
    Ok(())
}

fn decide(
    levels: &mut LevelsOf<'_>,
    job: &Job<'_>,
    property: PropertyId,
) -> Result<Option<Verdict>, Stopped> {
    let inverse = Inverse::new(job.system, job.system.property(property).bad);
    let desk = Mirror { desk: job.desk, property };
    let only = PropertyId::new(0);
    let backwards = Job { system: inverse.system.as_ref(), properties: vec![only], desk: &desk, ..*job };
    let mut relative = levels(inverse.system.clone());
    match fsis::decide(relative.as_mut(), &backwards, only, Strengthen::ByLemmas)? {
        Some(Verdict::Unsafe(trace)) => Ok(Some(Verdict::Unsafe(inverse.trace(property, &trace)))),
        Some(Verdict::Safe(proof)) => outside(job, property, &inverse.excluded(job.system, &proof)),
        other => Ok(other),
    }
}

/// The proof that all reachable states are reset states or in these cubes.
fn outside(job: &Job<'_>, property: PropertyId, cubes: &[Vec<Lit>]) -> Result<Option<Verdict>, Stopped> {
    job.settings.diagrams.with_enough_nodes(|choice| {
        let roots = [job.system.property(property).bad];
        let space = Space::new(job.system, choice, &roots, job.stop)?;
        let mut reached = space.resets()?;
        for cube in cubes {
            reached = space.bdds.or(&reached, &space.product(cube)?)?;
        }
        let outside = space.bdds.not(&reached)?;
        space.proof(property, &outside, &outside).map(Some)
    })
}

/// The desk, for work on the inverse: what is known there says nothing here.
struct Mirror<'a> {
    desk: &'a dyn Desk,
    property: PropertyId,
}

impl Desk for Mirror<'_> {
    fn decide(&self, _: PropertyId, _: Verdict) {}

    fn strengthen(&self, _: Proof) -> bool {
        false
    }

    fn suggest(&self, _: Proof) {}

    fn holds_up_to(&self, _: PropertyId, _: usize) {}

    fn is_decided(&self, _: PropertyId) -> bool {
        self.desk.is_decided(self.property)
    }

    fn read(&self, _: &mut Cursor) -> Vec<News> {
        Vec::new()
    }

    fn exchange(&self, _: PropertyId, _: Vec<Told>, _: &mut Cursor) -> Vec<Told> {
        Vec::new()
    }

    fn progress(&self, progress: Progress) {
        self.desk.progress(progress);
    }

    fn explaining(&self) -> bool {
        false
    }

    fn tell(&self, _: PropertyId, _: Episode) {}

    fn leave(&self, _: PropertyId, _: &mut dyn Iterator<Item = &[Lit]>) {}
}
