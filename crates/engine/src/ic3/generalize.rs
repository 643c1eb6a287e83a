//! Making a cube larger: a subset of its literals that is still inductive relative to the level below and meets no
//! reset state (`mic` and `ctgDown` of Hassan, Bradley & Somenzi, FMCAD 2013).
//!
//! Each literal is left out once, those that stand in few recent lemmas first; each success shrinks the cube to
//! the solver's core. A state that gets in the way, a counterexample to generalisation, ends the try where it
//! differs from the cube in a literal that is known to be needed. Else it is itself excluded one level below if
//! that takes one query, as often as the [`Effort`] allows; after that the cube gives up the literals in which it
//! differs from that state.

use buttress_query::{Answer, Lifting, Step};
use buttress_solve::Stopped;
use buttress_system::Lit;

use super::{Effort, Run};

impl Run<'_> {
    /// `cube` is inductive relative to `F_{level-1}` and meets no reset state; so is what is returned.
    pub(super) fn generalize(
        &mut self,
        level: usize,
        cube: Vec<Lit>,
        effort: Effort,
    ) -> Result<Vec<Lit>, Stopped> {
        let mut cube = cube;
        cube.sort_unstable();
        let mut order = self.dropping_order(level, &cube);
        let mut needed = Vec::new();
        while let Some(lit) = order.pop() {
            if !cube.contains(&lit) {
                continue;
            }
            let candidate: Vec<Lit> = cube.iter().copied().filter(|&l| l != lit).collect();
            match self.down(level, candidate, &needed, effort)? {
                Some(smaller) => cube = smaller,
                None => needed.push(lit),
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
            let order = key(b).partial_cmp(&key(a)).expect("weights are numbers");
            order.then_with(|| self.rather_kept(*a, *b))
        });
        order
    }

    /// A subset of the candidate with all `needed` literals that is inductive relative to `F_{level-1}`, if one is
    /// found.
    fn down(
        &mut self,
        level: usize,
        mut candidate: Vec<Lit>,
        needed: &[Lit],
        effort: Effort,
    ) -> Result<Option<Vec<Lit>>, Stopped> {
        let mut excluded = 0;
        loop {
            if self.relative.meets_init(&candidate)? {
                return Ok(None);
            }
            // F_{i-1} ∧ ¬c ∧ C ∧ T ∧ c'
            let step = Step::Relative { level: level - 1, cube: &self.by_activity(&candidate) };
            if self.relative.check(&step)? == Answer::Holds {
                let core = self.relative.core();
                return self.with_initiation(core, &candidate).map(Some);
            }
            if effort.depth == 0 || level == 1 {
                return Ok(None);
            }
            let joined = self.relative.agreeing(&candidate);
            if needed.iter().any(|l| !joined.contains(l)) {
                return Ok(None);
            }
            if excluded < effort.max && self.exclude_counterexample(level, effort)? {
                excluded += 1;
                continue;
            }
            if joined.len() == candidate.len() {
                return Ok(None);
            }
            candidate = joined;
            excluded = 0;
        }
    }

    /// Excludes the state that the last query found from the level below, if that takes one query.
    fn exclude_counterexample(&mut self, level: usize, effort: Effort) -> Result<bool, Stopped> {
        let state = self.relative.predecessor(&self.activity, Lifting::Quick)?.cube;
        if self.relative.meets_init(&state)? {
            return Ok(false);
        }
        // F_{i-2} ∧ ¬s ∧ C ∧ T ∧ s'
        if self.relative.check(&Step::Relative { level: level - 2, cube: &state })? == Answer::Fails {
            return Ok(false);
        }
        let core = self.relative.core();
        let core = self.with_initiation(core, &state)?;
        let below = Effort { depth: effort.depth - 1, ..effort };
        let cube = self.generalize(level - 1, core, below)?;
        self.learn_highest(level - 1, cube, None)?;
        Ok(true)
    }
}
