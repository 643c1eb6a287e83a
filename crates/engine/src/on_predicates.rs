//! Inductive engines modulo theories: [IC3](crate::ic3) and [FSIS](crate::fsis) on cubes of predicates over the
//! states of a word-level system.
//!
//! The meaning of a literal is known to the reasoner (`buttress_query::Regions`), so the algorithms are those for
//! bits, run on a system that has a latch for each predicate there may be and says nothing about them. Here their
//! verdicts get their meaning back: clauses become disjunctions of predicates, and a chain of n pre-images from a
//! start to a violation becomes a path of n steps, which is asked for by the unrolling.
//!
//! Over infinitely many states FSIS may dig forever: subgoals may lead to ever other pre-images. That it ends is
//! no longer certain, what it says when it ends is.

use std::sync::Mutex;

use buttress_query::{Atoms, Reasoner};
use buttress_solve::Stopped;
use buttress_system::words::System;
use buttress_system::{BitSystem, Lit, Proof, PropertyId, Verdict};

use crate::bmc::violation;
use crate::{Cursor, Desk, Episode, FreshLevels, Job, News, Progress, Told, fsis, ic3};

pub(crate) fn ic3_modulo_theories(
    fresh: &mut FreshLevels<'_>,
    atoms: &Atoms,
    paths: &mut Paths<'_>,
    job: &Job<'_, System>,
) -> Result<(), Stopped> {
    on_predicates(ic3::ic3, fresh, atoms, paths, job)
}

pub(crate) fn fsis_modulo_theories(
    fresh: &mut FreshLevels<'_>,
    atoms: &Atoms,
    paths: &mut Paths<'_>,
    job: &Job<'_, System>,
) -> Result<(), Stopped> {
    on_predicates(fsis::fsis, fresh, atoms, paths, job)
}

/// An engine for bits, on latches that are predicates.
fn on_predicates(
    run: fn(&mut FreshLevels<'_>, &Job<'_>) -> Result<(), Stopped>,
    fresh: &mut FreshLevels<'_>,
    atoms: &Atoms,
    paths: &mut Paths<'_>,
    job: &Job<'_, System>,
) -> Result<(), Stopped> {
    let predicates = BitSystem::new(0, atoms.most());
    let desk = Interpreter { job, atoms, paths: Mutex::new(paths) };
    let inner = Job {
        system: &predicates,
        properties: job.properties.clone(),
        settings: job.settings,
        distinct: false,
        shares: false,
        desk: &desk,
        seed: job.seed,
        stop: job.stop,
    };
    run(fresh, &inner)
}

/// A reasoner about paths, for a desk.
pub type Paths<'a> = dyn Reasoner<System> + Send + 'a;

/// A desk for an engine on predicates, in front of one for words.
struct Interpreter<'a> {
    job: &'a Job<'a, System>,
    atoms: &'a Atoms,
    paths: Mutex<&'a mut Paths<'a>>,
}

impl Interpreter<'_> {
    /// A violation after so many steps, of which nothing else is known yet.
    fn reached(&self, property: PropertyId, steps: usize) {
        let mut paths = self.paths.lock().expect("no holder panics");
        match violation(&mut **paths, property, steps) {
            Ok(Some(trace)) => self.job.desk.decide(property, Verdict::Unsafe(trace)),
            Ok(None) => self.job.give_up(property, "a chain of pre-images was no path"),
            Err(why) => self.job.give_up(property, &why.to_string()),
        }
    }
}

impl Desk for Interpreter<'_> {
    fn decide(&self, property: PropertyId, verdict: Verdict) {
        match verdict {
            Verdict::Safe(proof) => {
                let proof = self.atoms.proof(property, &proof.invariant);
                self.job.desk.decide(property, Verdict::Safe(proof));
            }
            Verdict::Unsafe(trace) | Verdict::Perhaps(trace) => self.reached(property, trace.last_step()),
            Verdict::Unknown(why) => self.job.desk.decide(property, Verdict::Unknown(why)),
        }
    }

    fn strengthen(&self, _: Proof) -> bool {
        false
    }

    fn suggest(&self, _: Proof) {}

    fn holds_up_to(&self, property: PropertyId, steps: usize) {
        self.job.desk.holds_up_to(property, steps);
    }

    fn is_decided(&self, property: PropertyId) -> bool {
        self.job.desk.is_decided(property)
    }

    fn read(&self, _: &mut Cursor) -> Vec<News> {
        Vec::new()
    }

    fn exchange(&self, _: PropertyId, _: Vec<Told>, _: &mut Cursor) -> Vec<Told> {
        Vec::new()
    }

    fn progress(&self, progress: Progress) {
        self.job.desk.progress(progress);
    }

    fn explaining(&self) -> bool {
        false
    }

    fn tell(&self, _: PropertyId, _: Episode) {}

    fn leave(&self, _: PropertyId, _: &mut dyn Iterator<Item = &[Lit]>) {}
}
