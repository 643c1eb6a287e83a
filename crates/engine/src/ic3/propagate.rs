//! Propagation: every lemma moves to the highest level that it holds at. Where a level keeps none of its own, its
//! frame equals the next, and that is an inductive invariant.
//!
//! Lemmas of the top level that are inductive together move on to the level above all, which every later level
//! starts from: they need no pushing any more.

use std::time::{Duration, Instant};

use buttress_query::{Answer, FOREVER, Lifting, Step};
use buttress_solve::Stopped;
use buttress_system::{Clause, Lit, Proof};

use super::frames::Lemma;
use super::{Converged, Run};
use crate::Episode;

/// For so long a run tells nothing: what is decided soon need not be helped.
const ALONE: Duration = Duration::from_secs(1);

/// Telling takes at most one part in so many of the time.
const SHARE: u32 = 64;

impl Run<'_> {
    /// Moves lemmas up, from the lowest level that has changed.
    pub(super) fn propagate(&mut self) -> Result<Option<Converged>, Stopped> {
        for level in self.frames.changed..self.frames.top() {
            self.renew(level);
            let of = self.frames.own(level).len();
            for lemma in self.frames.sorted(level) {
                // A stronger one may have come meanwhile.
                if self.frames.has(level, &lemma) {
                    self.push_up(level, &lemma)?;
                }
            }
            let moved = of - self.frames.own(level).len();
            self.job.explain(self.property, || Episode::Propagated { level, moved, of });
            if self.frames.own(level).is_empty() {
                return Ok(Some(Converged { level }));
            }
        }
        self.frames.changed = self.frames.top();
        self.progress();
        Ok(None)
    }

    /// F_i ∧ C ∧ T ∧ c'
    fn push_up(&mut self, level: usize, lemma: &Lemma) -> Result<(), Stopped> {
        if self.relative.check(&Step::To { level, cube: &self.by_activity(&lemma.cube) })? == Answer::Holds {
            let core = self.relative.core();
            let cube = self.with_initiation(core, &lemma.cube)?;
            self.learn(level + 1, cube);
        }
        Ok(())
    }

    /// Moves those lemmas of the top level that are inductive together to where they hold forever. A lemma that is
    /// not inductive yet may become so after another one, which excludes the state in its way.
    pub(super) fn settle(&mut self) -> Result<(), Stopped> {
        let top = self.frames.top();
        let mut open = self.frames.sorted(top);
        let before = open.len();
        while let Some(lemma) = open.pop() {
            let mut pending = vec![lemma];
            while let Some(lemma) = pending.last() {
                // F_∞ ∧ ¬c ∧ C ∧ T ∧ c'
                let step = Step::Relative { level: FOREVER, cube: &lemma.cube };
                if self.relative.check(&step)? == Answer::Holds {
                    let lemma = pending.pop().expect("the loop has seen it");
                    self.relative.learn(FOREVER, &lemma.cube);
                    self.frames.keep_forever(lemma);
                    continue;
                }
                let state = self.relative.predecessor(&self.activity, Lifting::Quick)?.cube;
                match open.iter().position(|l| l.excludes(&state)) {
                    Some(other) => pending.push(open.swap_remove(other)),
                    None => break,
                }
            }
        }
        let lemmas = before - self.frames.own(top).len();
        self.job.explain(self.property, || Episode::Settled { lemmas });
        self.share();
        Ok(())
    }

    /// Where others hear it, tells what holds at every level, whenever it has grown by a part. It is inductive
    /// relative to the property; often it is so without it, and then it helps others. That is checked before they
    /// hear it, which takes time: a small part of all, and none of a short run.
    fn share(&mut self) {
        let known = self.frames.forever().len();
        if !self.job.shares || known < self.shared + (self.shared / 4).max(8) {
            return;
        }
        let worked = self.begun.elapsed();
        if worked < ALONE || self.sharing * SHARE > worked {
            return;
        }
        let clause = |cube: &[Lit]| Clause::new(cube.iter().map(|&l| !l));
        let invariant = self.frames.forever().skip(self.shared).map(clause).collect();
        self.shared = known;
        let start = Instant::now();
        self.job.desk.suggest(Proof { properties: Vec::new(), k: 1, distinct: None, invariant });
        self.sharing += start.elapsed();
    }

    /// Gives a level a new solver when half of what the old one holds is superfluous.
    fn renew(&mut self, level: usize) {
        let live = self.frames.lemmas(level).count();
        if self.frames.stale[level] > live + 100 {
            self.relative.renew(level, &mut self.frames.lemmas(level));
            self.frames.stale[level] = 0;
        }
    }

    /// The cubes that the invariant excludes.
    pub(super) fn invariant(&self, converged: Converged) -> Vec<Vec<Lit>> {
        self.frames.all(converged.level + 1).map(<[Lit]>::to_vec).collect()
    }
}
