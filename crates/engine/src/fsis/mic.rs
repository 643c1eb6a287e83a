//! Minimal inductive subclauses (Bradley & Manna, FMCAD 2007, Sections III-A and IV-A).
//!
//! Cubes stand for the clauses that exclude them, so a subset of a cube is a subclause; everything is relative to
//! `ψ = Π ∧ χ`, which level 1 of the reasoner holds, or, where clauses are to be inductive by themselves, to
//! nothing.
//!
//! * `lic`: the largest inductive subclause, in at most |c| queries. A step from a state t outside the cube into
//!   it means that no inductive subclause may contain a literal that is true in t, so the cube keeps just the
//!   literals that agree with t: each round but the last drops at least one (Proposition 1). The result does not
//!   depend on the states found, so the solver is advised to find states that agree with little: fewer rounds.
//! * `down`: the textbook's way to the same fixpoint, as a baseline. `down(c)` has the literals of c that no step
//!   leads from into c's cube, a query for each; repeated until nothing changes.
//! * `implicate(θ, c)`: a minimal subclause that the resets imply.
//! * `up`: from there, the closure under steps. With d the clause so far, a minimal subclause of c that contains d
//!   and every state after `ψ ∧ d`, until `d` is inductive. This is where a clause of hundreds of literals becomes
//!   one of few.
//! * `mic`: a minimal one. For each literal of what `up` found, `lic`, `implicate` and `up` on what remains
//!   without it.
//!
//! The paper recurses, and caches clauses that hold no inductive subclause so that their subclauses are never
//! explored. The clause of a lifted CTI that failed is such a one while the whole state is tried. Here a literal
//! without which there is no inductive subclause is *needed* from then on: whatever `lic` comes across that lacks
//! a needed literal is a subclause of a clause in the cache. With that, one pass over the literals is minimal.

use buttress_query::{Answer, Step};
use buttress_solve::Stopped;
use buttress_system::Lit;

use super::minimal;
use super::{Down, Implicate, Run};

impl Run<'_> {
    /// The largest inductive subclause of ¬cube, as a cube, if it has all `needed` literals.
    pub(super) fn lic(&mut self, mut cube: Vec<Lit>, needed: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        loop {
            let hopeless = needed.iter().any(|l| !cube.contains(l)) || self.is_barren(&cube);
            if hopeless || self.relative.meets_init(&cube)? {
                return Ok(None);
            }
            self.relative.prefer(self.ground, &mut cube.iter().map(|&l| !l));
            // ψ ∧ ¬cube ∧ C ∧ T ∧ cube'
            if self.relative.check(&Step::Relative { level: self.ground, cube: &cube })? == Answer::Holds {
                return Ok(Some(cube));
            }
            let state = self.relative.state();
            let smaller: Vec<Lit> = cube.iter().copied().filter(|l| state.binary_search(l).is_ok()).collect();
            debug_assert!(smaller.len() < cube.len(), "the state before is outside of the cube");
            cube = smaller;
        }
    }

    /// Whether the cube is part of one that is known to hold no inductive subclause.
    fn is_barren(&self, cube: &[Lit]) -> bool {
        !self.barren.is_empty() && cube.iter().all(|l| self.barren.binary_search(l).is_ok())
    }

    /// The largest inductive subclause by the greatest fixpoint of `down`.
    fn naive(&mut self, mut cube: Vec<Lit>) -> Result<Option<Vec<Lit>>, Stopped> {
        loop {
            let smaller = self.down(&cube)?;
            if self.relative.meets_init(&smaller)? {
                return Ok(None);
            }
            if smaller.len() == cube.len() {
                return Ok(Some(cube));
            }
            cube = smaller;
        }
    }

    /// `down(c)`: the largest e ⊑ c with ψ ∧ e ∧ T ⇒ c'.
    fn down(&mut self, cube: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let mut kept = Vec::new();
        for &lit in cube {
            // ψ ∧ ¬lit ∧ C ∧ T ∧ cube'
            let step = Step::Into { level: self.ground, outside: &[lit], cube };
            if self.relative.check(&step)? == Answer::Holds {
                kept.push(lit);
            }
        }
        Ok(kept)
    }

    /// The largest inductive subclause, in the way that was chosen.
    fn largest(&mut self, cube: Vec<Lit>, needed: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        match self.job.settings.fsis.down {
            Down::Lic => self.lic(cube, needed),
            Down::Naive => {
                let linear = if cfg!(debug_assertions) { Some(self.lic(cube.clone(), &[])?) } else { None };
                let largest = self.naive(cube)?;
                debug_assert!(linear.is_none_or(|l| l == largest), "one greatest fixpoint");
                Ok(largest.filter(|cube| needed.iter().all(|l| cube.contains(l))))
            }
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
        match self.largest(cube, needed)? {
            Some(largest) => self.up(largest).map(Some),
            None => Ok(None),
        }
    }

    /// A fixpoint of `up` on the inductive sublattice between `implicate(θ, ¬cube)` and ¬cube, which is inductive.
    fn up(&mut self, mut cube: Vec<Lit>) -> Result<Vec<Lit>, Stopped> {
        self.rng.shuffle(&mut cube);
        let mut small = self.implicate(&cube)?;
        loop {
            let rest: Vec<Lit> = cube.iter().copied().filter(|l| !small.contains(l)).collect();
            let added = self.after(&small, &rest)?;
            if added.is_empty() {
                small.sort_unstable();
                return Ok(small);
            }
            small.extend(added);
        }
    }

    /// A part of the rest that has to join `small` so that no state outside of `small` goes to all of it.
    fn after(&mut self, small: &[Lit], rest: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let form = self.job.settings.fsis.implicate;
        if form == Implicate::Core {
            let enough = self.enough(small, rest)?;
            return Ok(enough.expect("the top of the lattice is inductive"));
        }
        if self.enough(small, &[])?.is_some() {
            return Ok(Vec::new());
        }
        let mut whole = |part: &[Lit]| self.enough(small, part).map(|enough| enough.is_some());
        let added = match form {
            Implicate::Linear => minimal::linear(rest, &mut whole)?,
            Implicate::Optimal => minimal::optimal(rest, &mut whole)?,
            Implicate::Core | Implicate::WithCores => {
                minimal::with_cores(rest, &mut |part: &[Lit]| self.enough(small, part))?
            }
        };
        Ok(added.expect("the top of the lattice is inductive"))
    }

    /// Whether no state outside of `small` goes to `small ∧ part`; if so, what of the part was needed for that.
    fn enough(&mut self, small: &[Lit], part: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        // ψ ∧ ¬small ∧ C ∧ T ∧ (small ∧ part)', small first: where that is enough, the core has nothing else.
        let all = [small, part].concat();
        let step = Step::Into { level: self.ground, outside: small, cube: &all };
        if self.relative.check(&step)? == Answer::Fails {
            return Ok(None);
        }
        let mut needed = self.relative.core();
        needed.retain(|l| part.contains(l));
        Ok(Some(needed))
    }

    /// `implicate(θ, ¬cube)`: a minimal part of the cube that still meets no reset state.
    fn implicate(&mut self, cube: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let relative = &mut *self.relative;
        let mut outside = |part: &[Lit]| relative.meets_init(part).map(|meets| !meets);
        let implied = match self.job.settings.fsis.implicate {
            Implicate::Linear => minimal::linear(cube, &mut outside)?,
            _ => minimal::optimal(cube, &mut outside)?,
        };
        Ok(implied.expect("the cube meets no reset state"))
    }
}
