//! The reasoner for inductive queries on bits: one solver a level, each with the transition relation, the
//! constraints and the lemmas of its level.
//!
//! `F₀` is the resets; `F_i` for i > 0 starts as "anything" and is what was learned. A lemma is given as the
//! cube that it excludes. Level i's solver holds exactly the lemmas of level i and above, so no query carries
//! activation literals.
//!
//! # Lifting
//!
//! A predecessor found by the solver is one state. With its inputs i fixed, the transition is a function, so
//! `x ∧ i ∧ T ∧ ¬(goal' ∧ C)` is unsatisfiable, and the literals of x in its core are a cube of states that
//! *all* go to the goal under these inputs **and all satisfy the constraints of this step** (those of the next
//! step hold because the goal, lifted before, keeps them by the same argument).

use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_solve::sat::{self, Core, Domains, Model, Outcome, Solver, Temporary};
use buttress_system::{BitSystem, InputId, LatchId, Lit, PropertyId};

use crate::Answer;
use crate::transition::{Transition, literal};

/// What the solvers of levels must be able to do.
pub trait Inductive: Solver + Model + Core + Temporary + Domains + Clone {}
impl<S: Solver + Model + Core + Temporary + Domains + Clone> Inductive for S {}

/// "Can the system go from `F_level` to `goal` in one step?", or be in it, for a property.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// `F_level ∧ C ∧ bad`
    Bad { level: usize, property: PropertyId },
    /// `F_level ∧ C ∧ cube`
    In { level: usize, cube: &'a [Lit] },
    /// `F_level ∧ C ∧ T ∧ cube'`
    To { level: usize, cube: &'a [Lit] },
    /// `F_level ∧ ¬cube ∧ C ∧ T ∧ cube'`: is ¬cube inductive relative to `F_level`?
    Relative { level: usize, cube: &'a [Lit] },
}

/// States, all of which reach the goal of the last step with these inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predecessor {
    pub cube: Vec<Lit>,
    /// Inputs that are 1.
    pub inputs: Vec<InputId>,
}

/// Answers inductive queries about one system, over levels of lemmas.
pub trait Relative {
    fn num_levels(&self) -> usize;
    /// Adds a level with no lemmas.
    fn push_level(&mut self);
    /// No state of `F_level` is in the cube.
    fn learn(&mut self, level: usize, cube: &[Lit]);
    /// Gives a level these lemmas and no others, in a fresh solver.
    fn renew(&mut self, level: usize, lemmas: &mut dyn Iterator<Item = &[Lit]>);
    fn check(&mut self, step: &Step<'_>) -> Result<Answer, Stopped>;
    /// After `Holds` of a step to a cube: the literals of the cube that were needed.
    fn core(&mut self) -> Vec<Lit>;
    /// After `Fails`: states that all take this step. Literals of heavier latches are kept rather than others.
    fn predecessor(&mut self, weights: &[f64]) -> Result<Predecessor, Stopped>;
    /// After `Fails`: the literals of the cube that hold, or may hold, before the step.
    fn agreeing(&mut self, cube: &[Lit]) -> Vec<Lit>;
    /// Whether some reset state is in the cube.
    fn meets_init(&mut self, cube: &[Lit]) -> Result<bool, Stopped>;
    /// A reset state in the cube, which there must be, with these inputs in the first step.
    fn initial_state(&mut self, cube: &[Lit], inputs: &[InputId]) -> Result<Vec<bool>, Stopped>;
    /// Queries answered so far.
    fn queries(&self) -> u64;
    /// Grants this many queries more; after that, `check` answers `Err(Stopped::Budget)`.
    fn grant(&mut self, queries: u64);
}

/// [`Relative`] for a [`BitSystem`].
pub struct Levels<S> {
    system: Arc<BitSystem>,
    /// The transition relation and the constraints.
    fresh: S,
    /// The transition relation alone.
    lift: S,
    levels: Vec<S>,
    last: Last,
    queries: u64,
    /// How many there may be.
    granted: u64,
    /// Every reset is a constant or free, so a cube meets the start unless it contradicts one.
    plain_resets: bool,
}

/// The last query: its level, goal and, for each literal of its cube, what was assumed.
#[derive(Default)]
struct Last {
    level: usize,
    cube: Vec<Lit>,
    assumptions: Vec<sat::Lit>,
}

impl<S: Inductive> Levels<S> {
    pub fn new(system: Arc<BitSystem>, make: impl Fn() -> S) -> Levels<S> {
        let transition = Transition::new(&system);
        let mut lift = make();
        transition.load(&mut lift);
        let mut fresh = lift.clone();
        for &constraint in &system.constraints {
            fresh.always(constraint.var().index() as u32);
            fresh.add_clause(&[literal(constraint)]);
        }
        let plain_resets = system.latches().all(|l| is_plain(&system, l));
        let init = resets(&system, &fresh);
        let levels = vec![init];
        Levels {
            system,
            fresh,
            lift,
            levels,
            last: Last::default(),
            queries: 0,
            granted: u64::MAX,
            plain_resets,
        }
    }

    /// No reachable state is in the cube: no level needs to learn it. To be told before levels are made.
    pub fn know(&mut self, cube: &[Lit]) {
        exclude(&mut self.fresh, cube);
    }

    /// The literal that holds in the next state if this one does.
    fn next(&self, lit: Lit) -> sat::Lit {
        let latch = self.system.as_latch(lit.var()).expect("cubes are over latches");
        literal(self.system.latch(latch).next) ^ lit.is_negated()
    }

    /// Whether the solver decided this variable; others may have any value.
    fn model(&mut self, lit: Lit) -> Option<bool> {
        let solver = &mut self.levels[self.last.level];
        let (one, zero) = (solver.value(literal(lit)), solver.value(literal(!lit)));
        (one || zero).then_some(one)
    }
}

fn is_plain(system: &BitSystem, latch: LatchId) -> bool {
    let reset = system.latch(latch).reset;
    reset.is_constant() || reset == system.latch_lit(latch)
}

/// R(x,i)
fn resets<S: Inductive>(system: &BitSystem, fresh: &S) -> S {
    let mut solver = fresh.clone();
    for latch in system.latches() {
        let (own, reset) = (system.latch_lit(latch), system.latch(latch).reset);
        if reset != own {
            solver.always(own.var().index() as u32);
            solver.always(reset.var().index() as u32);
            solver.add_clause(&[literal(own), literal(!reset)]);
            solver.add_clause(&[literal(!own), literal(reset)]);
        }
    }
    solver
}

fn exclude<S: Inductive>(solver: &mut S, cube: &[Lit]) {
    cube.iter().for_each(|l| solver.always(l.var().index() as u32));
    let clause: Vec<sat::Lit> = cube.iter().map(|&l| literal(!l)).collect();
    solver.add_clause(&clause);
}

impl<S: Inductive> Relative for Levels<S> {
    fn num_levels(&self) -> usize {
        self.levels.len()
    }

    fn push_level(&mut self) {
        self.levels.push(self.fresh.clone());
    }

    fn learn(&mut self, level: usize, cube: &[Lit]) {
        exclude(&mut self.levels[level], cube);
    }

    fn renew(&mut self, level: usize, lemmas: &mut dyn Iterator<Item = &[Lit]>) {
        self.levels[level] = self.fresh.clone();
        lemmas.for_each(|cube| self.learn(level, cube));
    }

    fn check(&mut self, step: &Step<'_>) -> Result<Answer, Stopped> {
        if self.queries >= self.granted {
            return Err(Stopped::Budget);
        }
        self.queries += 1;
        let (level, cube) = match *step {
            Step::Bad { level, property } => {
                let bad = literal(self.system.property(property).bad);
                self.last = Last { level, cube: Vec::new(), assumptions: vec![bad] };
                return answer(self.levels[level].solve(&[bad])?);
            }
            Step::In { level, cube } => {
                let assumptions: Vec<sat::Lit> = cube.iter().map(|&l| literal(l)).collect();
                self.last = Last { level, cube: cube.to_vec(), assumptions };
                return answer(self.levels[level].solve(&self.last.assumptions)?);
            }
            Step::To { level, cube } | Step::Relative { level, cube } => (level, cube),
        };
        self.last.level = level;
        self.last.cube.clear();
        self.last.cube.extend_from_slice(cube);
        self.last.assumptions = cube.iter().map(|&l| self.next(l)).collect();
        let solver = &mut self.levels[level];
        answer(match step {
            Step::Relative { .. } => {
                let excluded: Vec<sat::Lit> = cube.iter().map(|&l| literal(!l)).collect();
                solver.solve_with(&self.last.assumptions, &excluded)?
            }
            _ => solver.solve(&self.last.assumptions)?,
        })
    }

    fn core(&mut self) -> Vec<Lit> {
        let solver = &mut self.levels[self.last.level];
        let mut counted: Vec<sat::Lit> = Vec::new();
        let mut core = Vec::new();
        for (&lit, &assumption) in self.last.cube.iter().zip(&self.last.assumptions) {
            // Latches with the same next-state function stand for each other.
            if solver.failed(assumption) && !counted.contains(&assumption) {
                counted.push(assumption);
                core.push(lit);
            }
        }
        core
    }

    fn predecessor(&mut self, weights: &[f64]) -> Result<Predecessor, Stopped> {
        let system = self.system.clone();
        let decided = |this: &mut Self, lit: Lit| this.model(lit).map(|one| lit ^ !one);
        let inputs: Vec<Lit> = system.inputs().filter_map(|i| decided(self, system.input_lit(i))).collect();
        let mut latches: Vec<(f64, Lit)> = system
            .latches()
            .filter_map(|l| Some((weights[l.index()], decided(self, system.latch_lit(l))?)))
            .collect();
        latches.sort_by(|a, b| b.0.total_cmp(&a.0));
        // x ∧ i ∧ T ∧ ¬(goal' ∧ C)
        let goal = self.last.assumptions.iter().map(|&a| !a);
        let refuted: Vec<sat::Lit> = goal.chain(system.constraints.iter().map(|&c| literal(!c))).collect();
        let fixed = inputs.iter().map(|&l| literal(l));
        let assumptions: Vec<sat::Lit> = fixed.chain(latches.iter().map(|&(_, l)| literal(l))).collect();
        let outcome = self.lift.solve_with(&assumptions, &refuted)?;
        assert_eq!(outcome, Outcome::Unsat, "a transition is a function of state and inputs");
        let kept = latches.iter().map(|&(_, l)| l).filter(|&l| self.lift.failed(literal(l)));
        let mut cube: Vec<Lit> = kept.collect();
        cube.sort_unstable();
        let ones = inputs.iter().filter(|l| !l.is_negated()).map(|l| InputId::new(l.var().index() - 1));
        Ok(Predecessor { cube, inputs: ones.collect() })
    }

    fn agreeing(&mut self, cube: &[Lit]) -> Vec<Lit> {
        cube.iter().copied().filter(|&l| self.model(l) != Some(false)).collect()
    }

    fn meets_init(&mut self, cube: &[Lit]) -> Result<bool, Stopped> {
        if self.plain_resets {
            let system = &self.system;
            let contradicts = |l: &Lit| {
                let latch = system.as_latch(l.var()).expect("cubes are over latches");
                let reset = system.latch(latch).reset;
                reset.is_constant() && (reset == Lit::TRUE) == l.is_negated()
            };
            return Ok(!cube.iter().any(contradicts));
        }
        let assumptions: Vec<sat::Lit> = cube.iter().map(|&l| literal(l)).collect();
        Ok(self.levels[0].solve(&assumptions)? == Outcome::Sat)
    }

    fn initial_state(&mut self, cube: &[Lit], inputs: &[InputId]) -> Result<Vec<bool>, Stopped> {
        let system = self.system.clone();
        let mut assumptions: Vec<sat::Lit> = cube.iter().map(|&l| literal(l)).collect();
        // Resets may read inputs: those of the first step are fixed.
        let mut row: Vec<Lit> = system.inputs().map(|i| !system.input_lit(i)).collect();
        inputs.iter().for_each(|i| row[i.index()] = system.input_lit(*i));
        assumptions.extend(row.iter().map(|&l| literal(l)));
        let outcome = self.levels[0].solve(&assumptions)?;
        assert_eq!(outcome, Outcome::Sat, "the cube meets the resets");
        Ok(system.latches().map(|l| self.levels[0].value(literal(system.latch_lit(l)))).collect())
    }

    fn queries(&self) -> u64 {
        self.queries
    }

    fn grant(&mut self, queries: u64) {
        self.granted = self.queries.saturating_add(queries);
    }
}

fn answer(outcome: Outcome) -> Result<Answer, Stopped> {
    Ok(if outcome == Outcome::Sat { Answer::Fails } else { Answer::Holds })
}
