//! Propagation: every lemma moves to the highest level that it holds at. Where a level keeps none of its own, its
//! frame equals the next, and that is an inductive invariant.

use buttress_query::{Answer, Step};
use buttress_solve::Stopped;
use buttress_system::Lit;

use super::Run;
use crate::Walk;

impl Run<'_> {
    /// The cubes that an inductive invariant excludes, where there is one.
    pub(super) fn propagate(&mut self) -> Result<Option<Vec<Vec<Lit>>>, Stopped> {
        for level in 1..self.frames.top() {
            self.renew(level);
            let of = self.frames.own(level).len();
            for lemma in self.frames.take(level) {
                if self.frames.excludes(level + 1, &lemma.cube) {
                    continue;
                }
                // F_i ∧ C ∧ T ∧ c'
                match self.relative.check(&Step::To { level, cube: &lemma.cube })? {
                    Answer::Holds => {
                        let core = self.relative.core();
                        let cube = self.with_initiation(core, &lemma.cube)?;
                        let from = if cube.len() < lemma.cube.len() { 1 } else { level + 1 };
                        self.learn(from, level + 1, cube);
                    }
                    Answer::Fails => self.frames.put_back(level, lemma),
                }
            }
            let moved = of - self.frames.own(level).len();
            self.job.explain(self.property, || Walk::Propagated { level, moved, of });
            if self.frames.own(level).is_empty() {
                let invariant: Vec<_> = self.frames.lemmas(level + 1).map(<[Lit]>::to_vec).collect();
                let lemmas = invariant.len();
                self.job.explain(self.property, || Walk::Converged { level: level + 1, lemmas });
                return Ok(Some(invariant));
            }
        }
        self.progress();
        Ok(None)
    }

    /// Gives a level a new solver when half of what the old one holds is superfluous.
    fn renew(&mut self, level: usize) {
        let live = self.frames.lemmas(level).count();
        if self.frames.stale[level] > live + 100 {
            self.relative.renew(level, &mut self.frames.lemmas(level));
            self.frames.stale[level] = 0;
        }
    }
}
