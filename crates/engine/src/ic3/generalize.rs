//! Making a cube larger: a subset of its literals that is still inductive relative to the level below and meets no
//! reset state.
//!
//! [`Generalize::Drop`] tries to leave out each literal once, those that stand in few recent lemmas first; each
//! success shrinks the cube to the solver's core. With [`Generalize::Ctg`] a state that gets in the way (a
//! counterexample to generalisation) is itself excluded one level below if that is easy.

use buttress_query::{Answer, Step};
use buttress_solve::Stopped;
use buttress_system::Lit;

use super::{Generalize, Run};

impl Run<'_> {
    /// `cube` is inductive relative to `F_{level-1}` and meets no reset state; so is what is returned.
    pub(super) fn generalize(&mut self, level: usize, cube: Vec<Lit>, depth: u32) -> Result<Vec<Lit>, Stopped> {
        let mut order = self.dropping_order(level, &cube);
        let mut cube = cube;
        while let Some(lit) = order.pop() {
            if !cube.contains(&lit) {
                continue;
            }
            let candidate: Vec<Lit> = cube.iter().copied().filter(|&l| l != lit).collect();
            if let Some(smaller) = self.down(level, candidate, depth)? {
                cube = smaller;
            }
        }
        Ok(cube)
    }

    /// The last is tried first: literals of little weight, but those of a lemma one level below that already
    /// excludes the cube come at the end.
    fn dropping_order(&self, level: usize, cube: &[Lit]) -> Vec<Lit> {
        let parent = self.frames.parent(level - 1, cube);
        let in_parent = |l: &Lit| parent.is_some_and(|p| p.cube.contains(l));
        let mut order = cube.to_vec();
        order.sort_by(|a, b| {
            let key = |l: &Lit| (in_parent(l), self.weight(*l));
            key(b).partial_cmp(&key(a)).expect("weights are numbers")
        });
        order
    }

    /// A subset of the candidate that is inductive relative to `F_{level-1}`, if one is found.
    fn down(&mut self, level: usize, candidate: Vec<Lit>, depth: u32) -> Result<Option<Vec<Lit>>, Stopped> {
        let mut excluded = 0;
        loop {
            if self.relative.meets_init(&candidate)? {
                return Ok(None);
            }
            // F_{i-1} ∧ ¬c ∧ C ∧ T ∧ c'
            if self.relative.check(&Step::Relative { level: level - 1, cube: &candidate })? == Answer::Holds {
                let core = self.relative.core();
                return self.with_initiation(core, &candidate).map(Some);
            }
            match self.job.ic3.generalize {
                Generalize::Ctg { depth: deepest, max } if depth < deepest && excluded < max && level > 1 => {
                    if !self.exclude_counterexample(level, depth)? {
                        return Ok(None);
                    }
                    excluded += 1;
                }
                _ => return Ok(None),
            }
        }
    }

    /// Excludes the state that the last query found from the level below, if that takes one query.
    fn exclude_counterexample(&mut self, level: usize, depth: u32) -> Result<bool, Stopped> {
        let state = self.relative.predecessor(&self.activity)?.cube;
        if self.relative.meets_init(&state)? {
            return Ok(false);
        }
        // F_{i-2} ∧ ¬s ∧ C ∧ T ∧ s'
        if self.relative.check(&Step::Relative { level: level - 2, cube: &state })? == Answer::Fails {
            return Ok(false);
        }
        let core = self.relative.core();
        let core = self.with_initiation(core, &state)?;
        let cube = self.generalize(level - 1, core, depth + 1)?;
        self.learn_highest(level - 1, cube)?;
        Ok(true)
    }
}
