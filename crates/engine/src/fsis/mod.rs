//! FSIS: finite-state inductive strengthening (Bradley & Manna, "Checking safety by inductive generalization of
//! counterexamples to induction", FMCAD 2007).
//!
//! Π is the property and the subgoals, χ the clauses found so far; level 1 of the reasoner supposes the one and
//! excludes the cubes of the others. While some step leads from `Π ∧ χ` out of Π, the state before it is a
//! counterexample to induction (CTI), lifted to a cube s by its one-step cone of influence:
//!
//! * if ¬s has an inductive subclause relative to `Π ∧ χ`, a minimal one joins χ (module `mic`);
//! * otherwise `¬s` becomes a subgoal: it joins Π, and is worked on before anything else (depth first).
//!
//! It ends with `Π ∧ χ` inductive, or with a subgoal that meets the resets. Every state of a lifted cube leads,
//! under the inputs remembered with it, to the cube of the goal it was found for; so the trace is the chain of
//! subgoals.
//!
//! Clauses in χ are *conditional*: inductive as long as the open subgoals are unreachable. They leave this engine
//! only as a whole, when no goal is open: then each clause was inductive relative to a part of what is proved.
//!
//! Several runs, randomised by different seeds, help each other (Section V-A; module `sharing`). A run that digs
//! too deep starts over with what it has for certain (module `restart`).
//!
//! The property may read inputs. What is supposed is that it holds in the state before a step under the inputs of
//! that step, as the checker does; a violation one step later has inputs of its own.

pub mod minimal;

mod mic;
mod options;
mod restart;
mod sharing;

use buttress_query::{Answer, Lifting, Predecessor, Relative, Step};
use buttress_solve::Stopped;
use buttress_system::{InputId, Lit, Proof, PropertyId, Rng, Trace, Verdict};

use crate::inductive::{each, proof, trace};
use crate::{Episode, FreshLevels, Job, Progress};
use sharing::Sharing;

pub use options::{Down, Fsis, Generate, Implicate, Share};

/// Decides the properties in turn.
pub(crate) fn fsis(fresh: &mut FreshLevels<'_>, job: &Job<'_>) -> Result<(), Stopped> {
    each(fresh, job, |relative, job, property| decide(relative, job, property, Strengthen::ByLemmas))
}

/// FSIS with the naive strengthening of the monolithic method: `Π := Π ∧ ¬s` for every CTI s. This is FSIS in its
/// worst case, where nothing generalises.
pub(crate) fn monolithic(fresh: &mut FreshLevels<'_>, job: &Job<'_>) -> Result<(), Stopped> {
    each(fresh, job, |relative, job, property| decide(relative, job, property, Strengthen::StateByState))
}

/// How a CTI is excluded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strengthen {
    ByLemmas,
    StateByState,
}

/// Decides one property with fresh levels; `None` where somebody else was faster.
pub(crate) fn decide(
    relative: &mut dyn Relative,
    job: &Job<'_>,
    property: PropertyId,
    strengthen: Strengthen,
) -> Result<Option<Verdict>, Stopped> {
    let mut run = Run::new(relative, job, property, strengthen);
    let outcome = run.decide();
    if !matches!(outcome, Ok(Some(Verdict::Safe(_) | Verdict::Unsafe(_)))) {
        job.desk.leave(property, &mut run.excluded.iter().map(Vec::as_slice));
    }
    outcome
}

struct Run<'a> {
    relative: &'a mut dyn Relative,
    job: &'a Job<'a>,
    property: PropertyId,
    strengthen: Strengthen,
    rng: Rng,
    /// The level that clauses are generated relative to: 1, or one that supposes nothing.
    ground: usize,
    /// Everything that level 1 excludes: χ and the subgoals.
    excluded: Vec<Vec<Lit>>,
    sharing: Sharing,
    restarts: u64,
    /// A cube whose negation holds no inductive subclause relative to what is known now; nor does a part of it.
    barren: Vec<Lit>,
    /// Subgoals on the way from the one being worked on to the property, that one last.
    goals: Vec<Goal>,
}

/// All states of the cube go, with these inputs, to the goal below on the stack, or violate the property.
struct Goal {
    cube: Vec<Lit>,
    inputs: Vec<InputId>,
    /// The inputs of the violation, where it comes next.
    after: Option<Vec<InputId>>,
}

impl Goal {
    fn new(cti: Predecessor) -> Goal {
        Goal { cube: cti.cube, inputs: cti.inputs, after: cti.after }
    }

    /// Of this step, and of the violation where it comes next.
    fn steps(&self) -> impl Iterator<Item = &[InputId]> {
        std::iter::once(self.inputs.as_slice()).chain(self.after.as_deref())
    }
}

impl<'a> Run<'a> {
    fn new(
        relative: &'a mut dyn Relative,
        job: &'a Job<'a>,
        property: PropertyId,
        strengthen: Strengthen,
    ) -> Run<'a> {
        let (rng, excluded, goals) = (Rng::new(job.seed), Vec::new(), Vec::new());
        let (sharing, barren) = (Sharing::default(), Vec::new());
        let (ground, restarts) = (1, 0);
        Run { relative, job, property, strengthen, rng, ground, excluded, sharing, restarts, barren, goals }
    }

    /// `None` where somebody else decided the property.
    fn decide(&mut self) -> Result<Option<Verdict>, Stopped> {
        let weights = vec![0.0; self.job.system.num_latches()];
        self.relative.suppose(self.property);
        // θ ∧ C ∧ bad
        if self.relative.check(&Step::Bad { level: 0, property: self.property })? == Answer::Fails {
            let start = self.relative.predecessor(&weights, Lifting::Quick)?;
            self.tell(|| Episode::Cti { depth: 0, level: 0, states: start.clone() });
            self.tell(|| Episode::Reached { depth: 0 });
            return self.trace(start).map(|t| Some(Verdict::Unsafe(t)));
        }
        self.push_levels();
        loop {
            if self.job.desk.is_decided(self.property) {
                return Ok(None);
            }
            self.exchange()?;
            self.vary();
            let step = match self.goals.last() {
                // Π ∧ χ ∧ C ∧ T ∧ (C ∧ bad)'
                None => Step::Violation { level: 1 },
                // Π ∧ χ ∧ C ∧ T ∧ goal'
                Some(goal) => Step::To { level: 1, cube: &goal.cube },
            };
            match self.relative.check(&step)? {
                Answer::Fails => {
                    let state = self.relative.state();
                    let cti = self.relative.predecessor(&weights, Lifting::Thorough)?;
                    let depth = self.goals.len();
                    self.tell(|| Episode::Cti { depth, level: 1, states: cti.clone() });
                    if self.relative.meets_init(&cti.cube)? {
                        self.tell(|| Episode::Reached { depth });
                        return self.trace(cti).map(|t| Some(Verdict::Unsafe(t)));
                    }
                    self.exclude(cti, state)?;
                }
                // The goal above is out of reach, and stays so: hypotheses only grow.
                Answer::Holds => {
                    if self.goals.pop().is_none() {
                        self.progress();
                        self.tell(|| Episode::Converged { level: 1, lemmas: self.excluded.len() });
                        return Ok(Some(Verdict::Safe(self.proof())));
                    }
                    self.tell(|| Episode::Closed { depth: self.goals.len() });
                }
            }
        }
    }

    /// Π ∧ χ; where clauses are to be inductive by themselves, a level for that; where runs share, what was told.
    fn push_levels(&mut self) {
        self.relative.push_level();
        if self.job.settings.fsis.generate == Generate::Absolute {
            self.ground = self.relative.num_levels();
            self.relative.push_free_level();
        }
        if self.job.shares {
            self.sharing.settled = Some(self.relative.num_levels());
            self.relative.push_level();
        }
    }

    /// Seeds other than 0, and who starts over, look for CTIs elsewhere.
    fn vary(&mut self) {
        if self.job.seed != 0 || self.restarts > 0 {
            let (system, rng) = (self.job.system, &mut self.rng);
            let lits = system.latches().map(|l| system.latch_lit(l) ^ rng.one_in(2));
            self.relative.prefer(1, &mut { lits });
        }
    }

    /// A minimal inductive subclause joins χ; where there is none, the CTI is a subgoal.
    fn exclude(&mut self, cti: Predecessor, state: Vec<Lit>) -> Result<(), Stopped> {
        let depth = self.goals.len();
        let lemma = match self.strengthen {
            Strengthen::ByLemmas => self.lemma(&cti, state)?,
            Strengthen::StateByState => None,
        };
        match lemma {
            Some(cube) => {
                self.tell(|| Episode::Lemma { depth, level: 1, cube: cube.clone() });
                self.learn(cube);
            }
            None if self.is_lost() => self.restart()?,
            None => {
                self.tell(|| Episode::Subgoal { depth });
                self.learn(cti.cube.clone());
                self.fail(&cti.cube);
                self.goals.push(Goal::new(cti));
            }
        }
        Ok(())
    }

    /// The lifted cube has few literals: what excludes it excludes much, but it holds few subclauses. Where none
    /// of them is inductive, one of the whole state may be.
    fn lemma(&mut self, cti: &Predecessor, state: Vec<Lit>) -> Result<Option<Vec<Lit>>, Stopped> {
        if let Some(cube) = self.mic(&cti.cube)? {
            return Ok(Some(cube));
        }
        self.barren.clone_from(&cti.cube);
        let lemma = self.mic(&state)?;
        self.barren.clear();
        if lemma.is_some() {
            let depth = self.goals.len();
            self.tell(|| Episode::Cti {
                depth,
                level: 1,
                states: Predecessor { cube: state, ..cti.clone() },
            });
        }
        Ok(lemma)
    }

    fn tell(&self, walk: impl FnOnce() -> Episode) {
        self.job.explain(self.property, walk);
    }

    fn learn(&mut self, cube: Vec<Lit>) {
        self.relative.learn(1, &cube);
        self.sharing.untold.push(cube.clone());
        self.excluded.push(cube);
        self.progress();
    }

    fn progress(&self) {
        let (depth, size, queries) = (self.goals.len(), self.excluded.len() as u64, self.relative.queries());
        self.job.desk.progress(Progress { depth, size, open: 1, queries });
    }

    fn proof(&self) -> Proof {
        proof(self.property, self.excluded.iter().map(Vec::as_slice))
    }

    /// From a reset state in the CTI down the stack of subgoals.
    fn trace(&mut self, cti: Predecessor) -> Result<Trace, Stopped> {
        self.goals.push(Goal::new(cti));
        let first = &self.goals[self.goals.len() - 1].cube;
        let inputs = self.goals.iter().rev().flat_map(Goal::steps);
        trace(self.relative, self.job, self.property, first, inputs)
    }
}
