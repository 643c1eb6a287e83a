//! Minimal inductive subclauses (Bradley & Manna, FMCAD 2007, Sections III-A and IV-A).
//!
//! Cubes stand for the clauses that exclude them, so a subset of a cube is a subclause; everything is relative to
//! `ψ = Π ∧ χ`, which level 1 of the reasoner holds.
//!
//! * `lic`: the largest inductive subclause, in at most |c| queries. A step from a state t outside the cube into it means
//!   that no inductive subclause may contain a literal that is true in t, so the cube keeps just the literals that agree
//!   with t: each round but the last drops at least one (Proposition 1). The result does not depend on the states found,
//!   so the solver is advised to find states that agree with little: fewer rounds.
//! * `implicate(θ, c)`: a minimal subclause that the resets imply.
//! * `up`: from there, the closure under steps. With d the clause so far, a minimal subclause of c that contains d and
//!   every state after `ψ ∧ d`, until `d` is inductive. This is where a clause of hundreds of literals becomes one of few.
//! * `mic`: a minimal one. For each literal of what `up` found, `lic`, `implicate` and `up` on what remains without it.
//!
//! The paper recurses, and caches clauses that hold no inductive subclause so that their subclauses are never explored.
//! Here a literal without which there is no inductive subclause is *needed* from then on: whatever `lic` comes across
//! that lacks a needed literal is a subclause of a clause in the cache. With that, one pass over the literals is minimal.

use buttress_query::{Answer, Step};
use buttress_solve::Stopped;
use buttress_system::Lit;

use super::Run;
use super::minimal;

impl Run<'_> {
    /// The largest inductive subclause of ¬cube, as a cube, if it has all `needed` literals.
    pub(super) fn lic(&mut self, mut cube: Vec<Lit>, needed: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        loop {
            if needed.iter().any(|l| !cube.contains(l)) || self.relative.meets_init(&cube)? {
                return Ok(None);
            }
            self.relative.prefer(1, &mut cube.iter().map(|&l| !l));
            // Π ∧ χ ∧ ¬cube ∧ C ∧ T ∧ cube'
            if self.relative.check(&Step::Relative { level: 1, cube: &cube })? == Answer::Holds {
                return Ok(Some(cube));
            }
            let state = self.relative.state();
            let smaller: Vec<Lit> = cube.iter().copied().filter(|l| state.binary_search(l).is_ok()).collect();
            debug_assert!(smaller.len() < cube.len(), "the state before is outside of the cube");
            cube = smaller;
        }
    }

    /// A minimal inductive subclause of ¬cube, as a cube; `None` where no subclause is inductive.
    pub(super) fn mic(&mut self, cube: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        let Some(mut cube) = self.small(cube.to_vec(), &[])? else { return Ok(None) };
        let mut needed: Vec<Lit> = Vec::new();
        loop {
            let open: Vec<Lit> = cube.iter().copied().filter(|l| !needed.contains(l)).collect();
            if open.is_empty() {
                return Ok(Some(cube));
            }
            let lit = open[self.rng.below(open.len())];
            let without: Vec<Lit> = cube.iter().copied().filter(|&l| l != lit).collect();
            match self.small(without, &needed)? {
                Some(smaller) => cube = smaller,
                None => needed.push(lit),
            }
        }
    }

    /// A small inductive subclause: down to the largest, then up from the resets.
    fn small(&mut self, cube: Vec<Lit>, needed: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        match self.lic(cube, needed)? {
            Some(largest) => self.up(largest).map(Some),
            None => Ok(None),
        }
    }

    /// A fixpoint of `up` on the inductive sublattice between `implicate(θ, ¬cube)` and ¬cube, which is inductive.
    fn up(&mut self, mut cube: Vec<Lit>) -> Result<Vec<Lit>, Stopped> {
        self.rng.shuffle(&mut cube);
        let mut small = self.implicate(&cube)?;
        loop {
            let mut all = small.clone();
            all.extend(cube.iter().filter(|l| !small.contains(l)));
            // Π ∧ χ ∧ ¬small ∧ C ∧ T ∧ cube', small first: where that is enough, the core has nothing else.
            let step = Step::Into { level: 1, outside: &small, cube: &all };
            let answer = self.relative.check(&step)?;
            assert_eq!(answer, Answer::Holds, "the top of the lattice is inductive");
            let core = self.relative.core();
            let before = small.len();
            small.extend(core.iter().filter(|l| !all[..before].contains(l)));
            if small.len() == before {
                small.sort_unstable();
                return Ok(small);
            }
        }
    }

    /// `implicate(θ, ¬cube)`: a minimal part of the cube that still meets no reset state.
    fn implicate(&mut self, cube: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let relative = &mut *self.relative;
        let implied =
            minimal::optimal(cube, &mut |part: &[Lit]| relative.meets_init(part).map(|meets| !meets))?;
        Ok(implied.expect("the cube meets no reset state"))
    }
}
