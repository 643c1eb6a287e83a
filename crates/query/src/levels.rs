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
//! step hold because the goal, lifted before, keeps them by the same argument). Only latches and inputs that the
//! goal and the constraints read are assumed. Which literals a core keeps depends on the order of the assumptions:
//! a thorough lifting asks again, in other orders, until nothing more falls out.
//!
//! # A property as hypothesis
//!
//! A shortest violation has no earlier one, so an engine may suppose that the property holds in the state before a
//! step, *under the inputs of that step* ([`Relative::suppose`]). Then it must ask for violations one step later,
//! which have inputs of their own ([`Step::Violation`]).

use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_solve::sat::{self, Core, Domains, Justified, Model, Outcome, Phases, Solver, Temporary};
use buttress_system::{BitSystem, InputId, LatchId, Lit, PropertyId, Rng};

use crate::Answer;
use crate::transition::{Ahead, Transition, literal};

/// The level above all others: its lemmas hold at every level, those to come included.
pub const FOREVER: usize = usize::MAX;

/// How hard a predecessor is lifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifting {
    /// One query.
    Quick,
    /// Until a query in another order drops nothing more.
    Thorough,
}

/// The capabilities that levels need of their solvers.
pub trait Inductive: Solver + Model + Core + Temporary + Domains + Phases + Justified + Clone {}
impl<S: Solver + Model + Core + Temporary + Domains + Phases + Justified + Clone> Inductive for S {}

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
    /// `F_level ∧ ¬outside ∧ C ∧ T ∧ cube'`
    Into { level: usize, outside: &'a [Lit], cube: &'a [Lit] },
    /// `F_level ∧ C ∧ T ∧ (C ∧ bad)'`, for the property that is supposed.
    Violation { level: usize },
}

/// States, all of which reach the goal of the last step with these inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predecessor {
    pub cube: Vec<Lit>,
    /// Inputs that are 1.
    pub inputs: Vec<InputId>,
    /// Inputs that are 1 in the violation one step later, after [`Step::Violation`].
    pub after: Option<Vec<InputId>>,
}

/// Answers inductive queries about one system, over levels of lemmas.
pub trait Relative {
    fn num_levels(&self) -> usize;
    /// Adds a level with no lemmas.
    fn push_level(&mut self);
    /// Adds a level with no lemmas that does not suppose the property either.
    fn push_free_level(&mut self);
    /// Levels to come suppose that the property holds in them: steps start where it does.
    fn suppose(&mut self, property: PropertyId);
    /// No state of `F_level` is in the cube. What is learned [`FOREVER`] is in the levels pushed from now on.
    fn learn(&mut self, level: usize, cube: &[Lit]);
    /// Gives a level these lemmas and no others, in a fresh solver.
    fn renew(&mut self, level: usize, lemmas: &mut dyn Iterator<Item = &[Lit]>);
    fn check(&mut self, step: &Step<'_>) -> Result<Answer, Stopped>;
    /// After `Holds` of a step to a cube: the literals of the cube that were needed.
    fn core(&mut self) -> Vec<Lit>;
    /// After `Fails`: states that all take this step. Literals of heavier latches are kept rather than others.
    fn predecessor(&mut self, weights: &[f64], lifting: Lifting) -> Result<Predecessor, Stopped>;
    /// Whether a chain of predecessors, from a reset state to a violation of the property, is a path. Where
    /// predecessors are exact, it is; else those to come are closer.
    fn is_path(&mut self, property: PropertyId, chain: &[&[Lit]]) -> Result<bool, Stopped>;
    /// After `Fails`: the state before the step, as far as the query depends on it.
    fn state(&mut self) -> Vec<Lit>;
    /// After `Fails`: the literals of the cube that hold, or may hold, before the step.
    fn agreeing(&mut self, cube: &[Lit]) -> Vec<Lit>;
    /// Whether some reset state is in the cube.
    fn meets_init(&mut self, cube: &[Lit]) -> Result<bool, Stopped>;
    /// A reset state in the cube, which there must be, with these inputs in the first step.
    fn initial_state(&mut self, cube: &[Lit], inputs: &[InputId]) -> Result<Vec<bool>, Stopped>;
    /// States that the next query at this level finds are likely to satisfy these.
    fn prefer(&mut self, level: usize, lits: &mut dyn Iterator<Item = Lit>);
    /// Queries answered so far.
    fn queries(&self) -> u64;
    /// Grants this many queries more; after that, `check` answers `Err(Stopped::Budget)`.
    fn grant(&mut self, queries: u64);
}

/// [`Relative`] for a [`BitSystem`].
pub struct Levels<S> {
    system: Arc<BitSystem>,
    /// A solver without clauses.
    empty: S,
    /// The transition relation, the constraints, the property that is supposed and what holds forever.
    fresh: S,
    /// The transition relation alone.
    lift: S,
    /// The violations of the property that is supposed.
    ahead: Option<Ahead>,
    levels: Vec<S>,
    /// Cubes excluded at all levels: lemmas that were given before there were levels.
    forever: Vec<Vec<Lit>>,
    cone: Cone,
    rng: Rng,
    last: Last,
    queries: u64,
    /// How many there may be.
    granted: u64,
    /// Every reset is a constant or free, so a cube meets the start unless it contradicts one.
    plain_resets: bool,
}

/// The cone of influence of literals, computed on demand.
#[derive(Default)]
struct Cone {
    transition: Transition,
    stamp: Vec<u32>,
    current: u32,
    todo: Vec<u32>,
}

impl Cone {
    fn new(transition: Transition) -> Cone {
        let stamp = vec![0; transition.num_variables()];
        Cone { transition, stamp, current: 0, todo: Vec::new() }
    }

    /// Marks what these literals are functions of, and nothing else.
    fn mark(&mut self, roots: &[sat::Lit]) {
        self.current += 1;
        self.todo.extend(roots.iter().map(|l| l.variable()));
        while let Some(variable) = self.todo.pop() {
            if std::mem::replace(&mut self.stamp[variable as usize], self.current) != self.current {
                self.todo.extend_from_slice(self.transition.depends(variable));
            }
        }
    }

    fn contains(&self, lit: Lit) -> bool {
        self.stamp[lit.var().index()] == self.current
    }
}

/// The last query: its level, goal and, for each literal of its cube, what was assumed.
#[derive(Default)]
struct Last {
    level: usize,
    cube: Vec<Lit>,
    assumptions: Vec<sat::Lit>,
    /// Whether it was about a violation one step later.
    ahead: bool,
}

impl<S: Inductive> Levels<S> {
    pub fn new(system: Arc<BitSystem>, make: impl Fn() -> S) -> Levels<S> {
        let empty = make();
        let plain_resets = system.latches().all(|l| is_plain(&system, l));
        Levels {
            system,
            fresh: empty.clone(),
            lift: empty.clone(),
            empty,
            ahead: None,
            levels: Vec::new(),
            forever: Vec::new(),
            cone: Cone::default(),
            rng: Rng::new(0),
            last: Last::default(),
            queries: 0,
            granted: u64::MAX,
            plain_resets,
        }
    }

    /// Loads the transition relation, with what is ahead. It waits for the first use: a hypothesis may come
    /// before.
    fn load(&mut self) {
        if self.levels.is_empty() {
            let ahead = self.ahead.as_ref();
            (self.cone, self.lift, self.fresh) = load(&self.system, &self.empty, ahead);
            self.levels = vec![resets(&self.system, &self.fresh)];
            if let Some(ahead) = ahead {
                require(&mut self.fresh, !self.system.property(ahead.property).bad);
            }
            self.forever.iter().for_each(|cube| exclude(&mut self.fresh, cube));
        }
    }

    fn solver(&mut self, level: usize) -> &mut S {
        solver_of(&mut self.fresh, &mut self.levels, level)
    }

    /// The literal that holds in the next state if this one does.
    fn next(&self, lit: Lit) -> sat::Lit {
        let latch = self.system.as_latch(lit.var()).expect("cubes are over latches");
        literal(self.system.latch(latch).next) ^ lit.is_negated()
    }

    /// The latches that are needed: x ∧ i ∧ T ∧ ¬(goal' ∧ C)
    fn lift(&mut self, inputs: &[Lit], latches: Vec<Lit>, refuted: &[sat::Lit]) -> Result<Vec<Lit>, Stopped> {
        let assumptions: Vec<sat::Lit> = inputs.iter().chain(&latches).map(|&l| literal(l)).collect();
        let outcome = self.lift.solve_with(&assumptions, refuted)?;
        assert_eq!(outcome, Outcome::Unsat, "a transition is a function of state and inputs");
        Ok(latches.into_iter().filter(|&l| self.lift.failed(literal(l))).collect())
    }

    /// A query that is not about the next state of a cube.
    fn ask(&mut self, level: usize, assumptions: Vec<sat::Lit>, ahead: bool) -> Result<Answer, Stopped> {
        self.last = Last { level, cube: Vec::new(), assumptions, ahead };
        let Levels { fresh, levels, last, .. } = self;
        let solver = solver_of(fresh, levels, level);
        answer(solver.solve(&last.assumptions)?)
    }

    /// Whether the solver decided this variable; others may have any value.
    fn model(&mut self, lit: Lit) -> Option<bool> {
        let solver = self.solver(self.last.level);
        let (one, zero) = (solver.value(literal(lit)), solver.value(literal(!lit)));
        (one || zero).then_some(one)
    }
}

/// T, and T ∧ C
fn load<S: Inductive>(system: &BitSystem, empty: &S, ahead: Option<&Ahead>) -> (Cone, S, S) {
    let transition = Transition::new(system, ahead);
    let mut lift = empty.clone();
    transition.load(&mut lift);
    let mut fresh = lift.clone();
    if ahead.is_some() {
        fresh.justify();
    }
    system.constraints.iter().for_each(|&c| require(&mut fresh, c));
    (Cone::new(transition), lift, fresh)
}

fn solver_of<'a, S>(fresh: &'a mut S, levels: &'a mut [S], level: usize) -> &'a mut S {
    if level == FOREVER { fresh } else { &mut levels[level] }
}

/// The literal holds in every answer to come.
fn require<S: Inductive>(solver: &mut S, lit: Lit) {
    solver.always(lit.var().index() as u32);
    solver.add_clause(&[literal(lit)]);
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
        self.levels.len().max(1)
    }

    fn push_level(&mut self) {
        self.load();
        self.levels.push(self.fresh.clone());
    }

    fn push_free_level(&mut self) {
        self.load();
        let (_, _, mut free) = load(&self.system, &self.empty, self.ahead.as_ref());
        self.forever.iter().for_each(|cube| exclude(&mut free, cube));
        self.levels.push(free);
    }

    fn suppose(&mut self, property: PropertyId) {
        assert!(self.levels.is_empty(), "a hypothesis comes before all else");
        self.ahead = Some(Ahead::of(&self.system, property));
    }

    fn learn(&mut self, level: usize, cube: &[Lit]) {
        if level == FOREVER && self.levels.len() <= 1 {
            self.forever.push(cube.to_vec());
        }
        if !self.levels.is_empty() {
            exclude(self.solver(level), cube);
        }
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
        self.load();
        let (level, cube, outside) = match *step {
            Step::Bad { level, property } => {
                let bad = literal(self.system.property(property).bad);
                return self.ask(level, vec![bad], false);
            }
            Step::Violation { level } => {
                let ahead = self.ahead.as_ref().expect("a property is supposed");
                let violation = ahead.violation.iter().map(|&l| literal(l)).collect();
                return self.ask(level, violation, true);
            }
            Step::In { level, cube } => {
                let answer = self.ask(level, cube.iter().map(|&l| literal(l)).collect(), false);
                self.last.cube = cube.to_vec();
                return answer;
            }
            Step::To { level, cube } => (level, cube, None),
            Step::Relative { level, cube } => (level, cube, Some(cube)),
            Step::Into { level, outside, cube } => (level, cube, Some(outside)),
        };
        self.last.level = level;
        self.last.ahead = false;
        self.last.cube.clear();
        self.last.cube.extend_from_slice(cube);
        self.last.assumptions = cube.iter().map(|&l| self.next(l)).collect();
        let Levels { fresh, levels, last, .. } = self;
        let solver = solver_of(fresh, levels, level);
        answer(match outside {
            Some(outside) => {
                let excluded: Vec<sat::Lit> = outside.iter().map(|&l| literal(!l)).collect();
                solver.solve_with(&last.assumptions, &excluded)?
            }
            None => solver.solve(&last.assumptions)?,
        })
    }

    fn core(&mut self) -> Vec<Lit> {
        let Levels { fresh, levels, last, .. } = self;
        let solver = solver_of(fresh, levels, last.level);
        let mut counted: Vec<sat::Lit> = Vec::new();
        let mut core = Vec::new();
        for (&lit, &assumption) in last.cube.iter().zip(&last.assumptions) {
            // Latches with the same next-state function stand for each other.
            if solver.failed(assumption) && !counted.contains(&assumption) {
                counted.push(assumption);
                core.push(lit);
            }
        }
        core
    }

    fn predecessor(&mut self, weights: &[f64], lifting: Lifting) -> Result<Predecessor, Stopped> {
        let system = self.system.clone();
        let goal = self.last.assumptions.iter().map(|&a| !a);
        let refuted: Vec<sat::Lit> = goal.chain(system.constraints.iter().map(|&c| literal(!c))).collect();
        self.cone.mark(&refuted);
        let read = |this: &mut Self, lit: Lit| {
            let decided = if this.cone.contains(lit) { this.model(lit) } else { None };
            decided.map(|one| lit ^ !one)
        };
        let mut inputs: Vec<Lit> = system.inputs().filter_map(|i| read(self, system.input_lit(i))).collect();
        let ones = inputs.iter().filter(|l| !l.is_negated()).map(|l| InputId::new(l.var().index() - 1));
        let ones: Vec<InputId> = ones.collect();
        let ahead = self.ahead.as_ref().filter(|_| self.last.ahead).map(|ahead| ahead.inputs.clone());
        let after = ahead.map(|ahead| {
            let decided = ahead.iter().filter_map(|&(i, lit)| Some((i, read(self, lit)?)));
            let decided: Vec<(InputId, Lit)> = decided.collect();
            inputs.extend(decided.iter().map(|&(_, lit)| lit));
            decided.iter().filter(|(_, lit)| !lit.is_negated()).map(|&(i, _)| i).collect()
        });
        let latches =
            system.latches().filter_map(|l| Some((weights[l.index()], read(self, system.latch_lit(l))?)));
        let mut latches: Vec<(f64, Lit)> = latches.collect();
        latches.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut cube: Vec<Lit> = latches.into_iter().map(|(_, l)| l).collect();
        for round in 0.. {
            let before = cube.len();
            cube = self.lift(&inputs, cube, &refuted)?;
            if lifting == Lifting::Quick || cube.len() == before || cube.len() < 2 {
                break;
            }
            if round == 0 { cube.reverse() } else { self.rng.shuffle(&mut cube) }
        }
        cube.sort_unstable();
        Ok(Predecessor { cube, inputs: ones, after })
    }

    fn is_path(&mut self, _: PropertyId, _: &[&[Lit]]) -> Result<bool, Stopped> {
        Ok(true)
    }

    fn state(&mut self) -> Vec<Lit> {
        let system = self.system.clone();
        let decided = |l| self.model(system.latch_lit(l)).map(|one| system.latch_lit(l) ^ !one);
        system.latches().filter_map(decided).collect()
    }

    fn agreeing(&mut self, cube: &[Lit]) -> Vec<Lit> {
        cube.iter().copied().filter(|&l| self.model(l) != Some(false)).collect()
    }

    fn meets_init(&mut self, cube: &[Lit]) -> Result<bool, Stopped> {
        self.load();
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
        self.load();
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

    fn prefer(&mut self, level: usize, lits: &mut dyn Iterator<Item = Lit>) {
        let solver = self.solver(level);
        lits.for_each(|l| solver.prefer(literal(l)));
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
