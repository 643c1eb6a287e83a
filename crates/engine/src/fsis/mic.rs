//! Minimal inductive subclauses (Bradley & Manna, FMCAD 2007, Sections III-A and IV-A).
//!
//! For a clause `c = ¬s`, with cubes standing for their negations and everything relative to `Π ∧ χ`, the lemmas of
//! level 1:
//!
//! * [`Run::lic`]: the largest inductive subclause, in at most |c| queries. A step from a state t outside the cube
//!   into it means that no inductive subclause may contain a literal that is true in t, so the cube keeps just the
//!   literals that agree with t: each round but the last drops at least one (Proposition 1).
//! * [`Run::mic`]: a minimal one. For each literal, the largest inductive subclause without it, if there is one, takes
//!   over. Where there is none, no subclause of anything smaller without that literal is inductive either, so one pass
//!   over the literals is enough: what the paper's cache remembers between calls of its brute-force recursion, this
//!   order makes true by construction.
//!
//! `implicate(θ, c)`, a minimal subclause that the resets imply, is where the pass starts dropping: literals outside of
//! it go first. The paper's `up`, which approaches from below, is not here: the solver's core after each inductive
//! answer already jumps to a small inductive subclause.

use buttress_query::{Answer, Step};
use buttress_solve::Stopped;
use buttress_system::Lit;

use super::Run;
use super::minimal;

impl Run<'_> {
    /// The largest inductive subclause of ¬cube, as a cube.
    pub(super) fn lic(&mut self, mut cube: Vec<Lit>) -> Result<Option<Vec<Lit>>, Stopped> {
        loop {
            if self.relative.meets_init(&cube)? {
                return Ok(None);
            }
            // Π ∧ χ ∧ ¬cube ∧ C ∧ T ∧ cube'
            if self.relative.check(&Step::Relative { level: 1, cube: &cube })? == Answer::Holds {
                return Ok(Some(cube));
            }
            let smaller = self.relative.agreeing(&cube);
            debug_assert!(smaller.len() < cube.len(), "the state before is outside of the cube");
            cube = smaller;
        }
    }

    /// A minimal inductive subclause of ¬cube, as a cube; `None` where no subclause is inductive.
    pub(super) fn mic(&mut self, cube: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        let Some(mut cube) = self.lic(cube.to_vec())? else { return Ok(None) };
        cube = self.core_of(cube)?;
        let mut order = self.dropping_order(&cube)?;
        while let Some(lit) = order.pop() {
            if !cube.contains(&lit) {
                continue;
            }
            let without: Vec<Lit> = cube.iter().copied().filter(|&l| l != lit).collect();
            if let Some(smaller) = self.lic(without)? {
                cube = self.core_of(smaller)?;
            }
        }
        Ok(Some(cube))
    }

    /// After an inductive answer: the part of the cube that the solver needed, where it meets no reset state and is
    /// inductive by itself.
    fn core_of(&mut self, cube: Vec<Lit>) -> Result<Vec<Lit>, Stopped> {
        let core = self.relative.core();
        // The core was found with ¬cube, which is weaker than ¬core, as hypothesis: inductive all the same.
        if core.len() < cube.len() && !self.relative.meets_init(&core)? { Ok(core) } else { Ok(cube) }
    }

    /// The last is dropped first: literals that initiation does not need, in random order.
    fn dropping_order(&mut self, cube: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let needed = self.implicate(cube)?;
        let mut order: Vec<Lit> = cube.to_vec();
        for i in (1..order.len()).rev() {
            order.swap(i, self.rng.below(i + 1));
        }
        order.sort_by_key(|l| !needed.contains(l));
        Ok(order)
    }

    /// `implicate(θ, ¬cube)`: a minimal part of the cube that still meets no reset state.
    fn implicate(&mut self, cube: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let relative = &mut *self.relative;
        let implied =
            minimal::optimal(cube, &mut |part: &[Lit]| relative.meets_init(part).map(|meets| !meets))?;
        Ok(implied.expect("the cube meets no reset state"))
    }
}
