//! A system as decision diagrams over its latches x and inputs i.

use buttress_solve::bdd::{Bdd, Substitution, Variables};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, LatchId, Lit};

use crate::diagrams::{Diagrams, Space};

pub(super) struct Symbolic<'a> {
    system: &'a BitSystem,
    pub space: Space<'a>,
    inputs: Variables,
    /// F(x,i), for the latches that matter.
    next: Vec<(LatchId, Bdd)>,
    step: Substitution,
    /// C(x,i)
    pub constraints: Bdd,
    /// C(x,i) ∧ bad(x,i)
    pub bad: Bdd,
    /// C(x,i) ∧ R(x,i)
    pub start: Bdd,
    /// Where the property fails whatever the inputs are.
    pub bad_anyway: Bdd,
}

impl<'a> Symbolic<'a> {
    /// Latches that neither this bad literal nor a constraint ever depends on only count at the start.
    pub fn new(
        system: &'a BitSystem,
        bad: Lit,
        choice: Diagrams,
        stop: &Stop,
    ) -> Result<Symbolic<'a>, Stopped> {
        let roots: Vec<Lit> = std::iter::once(bad).chain(system.constraints.iter().copied()).collect();
        let space = Space::new(system, choice, &roots, stop)?;
        let inputs = space.bdds.variables(system.inputs().map(|i| space.level(system.input_lit(i).var())))?;
        let cone = system.closure(roots.iter().copied());
        let latches: Vec<LatchId> =
            system.latches().filter(|&l| cone[system.latch_lit(l).var().index()]).collect();
        let next: Vec<Lit> = latches.iter().map(|&l| system.latch(l).next).collect();
        let constraints = space.conjunction(&system.constraints)?;
        let bad = space.functions(&[bad])?.remove(0);
        let next: Vec<(LatchId, Bdd)> = latches.into_iter().zip(space.functions(&next)?).collect();
        let start = space.bdds.and(&space.resets()?, &constraints)?;
        let step = substitution(&space, &next);
        let bad_anyway = space.bdds.forall(&bad, &inputs)?;
        let bad = space.bdds.and(&bad, &constraints)?;
        Ok(Symbolic { system, space, inputs, next, step, constraints, bad, start, bad_anyway })
    }

    /// S(F(x,i))
    pub fn after(&self, states: &Bdd) -> Result<Bdd, Stopped> {
        self.space.bdds.compose(states, &self.step)
    }

    /// ∃i. C(x,i) ∧ S(x,i)
    pub fn states(&self, points: &Bdd) -> Result<Bdd, Stopped> {
        self.space.bdds.and_exists(&self.constraints, points, &self.inputs)
    }

    /// The points of one state: f(x,i) with x given.
    pub fn at(&self, f: &Bdd, state: &[bool]) -> Result<Bdd, Stopped> {
        self.space.bdds.restrict(f, &self.state(state)?)
    }

    /// S(F(x,i)) with x given: composed only after the functions are restricted, and small.
    pub fn after_at(&self, states: &Bdd, state: &[bool]) -> Result<Bdd, Stopped> {
        let here = self.state(state)?;
        let next: Result<Vec<(LatchId, Bdd)>, Stopped> =
            self.next.iter().map(|(l, f)| Ok((*l, self.space.bdds.restrict(f, &here)?))).collect();
        self.space.bdds.compose(states, &substitution(&self.space, &next?))
    }

    fn state(&self, state: &[bool]) -> Result<Bdd, Stopped> {
        let latches = self.system.latches();
        self.space.bdds.product(latches.map(|l| (self.space.latch_level(l), state[l.index()])))
    }
}

fn substitution(space: &Space<'_>, next: &[(LatchId, Bdd)]) -> Substitution {
    space.bdds.substitution(next.iter().map(|(l, f)| (space.latch_level(*l), f.clone())))
}
