//! The reasoner for inductive queries on words: levels of lemmas over [predicates](Atoms), in one dialogue with an
//! SMT solver.
//!
//! A literal is a predicate over the state, numbered as latches are, so IC3 runs on it as it is. The system is a
//! function, so a predicate after the step is the predicate with `next` for every state: there are no variables
//! for the next state, except for states without `next`, which are like inputs. A level is a Boolean that its
//! lemmas hang on, and a query assumes those of its level and above.
//!
//! # Predecessors
//!
//! A predecessor is an exact part of a pre-image ([`Implicant`]): literals that the model satisfies and that imply
//! that some inputs lead to the goal, under the constraints of this step. So every chain of obligations is a real
//! path, no abstract counterexample is spurious, and predicates come from the pre-images themselves. To generalise
//! beyond what one pre-image says, a bound brings along the known bounds that follow from it: dropping the tighter
//! one then is a step of ordinary generalisation. Known from the start are the comparisons of the source. The
//! other way, predecessors that are abstract, is [`abstraction`](crate::abstraction).
//!
//! Limits: the predicates are bounds on linear sums and atoms of the source; where a proof needs others, IC3 may
//! go on forever.

use std::sync::Arc;

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Config, Core as _, Model, Session, Solver, Theory};
use buttress_solve::{Stop, Stopped};
use buttress_system::words::{System, WordLemma};
use buttress_system::{InputId, Lit, PropertyId, Var};
use buttress_term::{Node, Op, Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Answer;
use crate::abstraction::{Abstraction, Preimages};
use crate::atoms::Atoms;
use crate::implicant::{Implicant, Values, evaluation};
use crate::levels::{FOREVER, Lifting, Predecessor, Relative, Step};
use crate::words::Words;

/// [`Relative`] for a word-level system.
pub struct Regions {
    pub(crate) system: Arc<System>,
    pub(crate) atoms: Arc<Atoms>,
    pub(crate) terms: Terms,
    session: Session,
    config: Config,
    stop: Stop,
    /// All that was asserted, with the level that it hangs on.
    facts: Vec<(Option<TermId>, TermId)>,
    /// Clauses of queries that the solver still holds.
    stale: usize,
    /// The terms of this step: definitions written out.
    pub(crate) now: FxHashMap<TermId, TermId>,
    /// The terms of the next step.
    next: FxHashMap<TermId, TermId>,
    /// States, and inputs of this step and the next.
    states: Vec<TermId>,
    inputs: FxHashSet<TermId>,
    /// Each predicate in this step and in the next.
    pub(crate) predicates: Vec<[TermId; 2]>,
    /// The activation literals of the levels' lemmas; of level 0, of the start.
    levels: Vec<TermId>,
    supposed: Option<TermId>,
    /// Levels at which nothing is supposed.
    free: Vec<usize>,
    pub(crate) last: Last,
    granted: u64,
    /// Where predecessors are abstract.
    pub(crate) abstraction: Option<Abstraction>,
}

/// How many clauses of queries a solver may hold.
const STALE: usize = 600;

#[derive(Default)]
pub(crate) struct Last {
    /// Literals of the goal cube with the terms that were assumed for them.
    goal: Vec<(Lit, TermId)>,
    /// The formulas that a predecessor must imply.
    pub(crate) formulas: Vec<TermId>,
    /// Whether they speak of the state after the step.
    ahead: bool,
    pub(crate) values: Values,
}

impl Regions {
    pub fn new(
        system: Arc<System>,
        atoms: Arc<Atoms>,
        preimages: Preimages,
        config: &Config,
        stop: &Stop,
    ) -> Regions {
        let abstraction = (preimages == Preimages::Abstraction)
            .then(|| Abstraction::new(Words::new(system.clone(), config.clone(), stop)));
        let session = Session::new(config, Theory::of(&system.terms), stop);
        let terms = system.terms.clone();
        let states = system.states.iter().map(|s| s.variable).collect();
        let inputs = system.inputs.iter().map(|i| i.variable).collect();
        let mut regions = Regions {
            system,
            atoms,
            terms,
            session,
            config: config.clone(),
            stop: stop.clone(),
            facts: Vec::new(),
            stale: 0,
            now: FxHashMap::default(),
            next: FxHashMap::default(),
            states,
            inputs,
            predicates: Vec::new(),
            levels: Vec::new(),
            supposed: None,
            free: Vec::new(),
            last: Last::default(),
            granted: u64::MAX,
            abstraction,
        };
        regions.encode();
        regions.seed();
        if regions.abstraction.is_some() {
            regions.seed_vocabulary();
        }
        regions
    }

    /// This holds in every reachable state.
    pub fn know(&mut self, lemma: &WordLemma) {
        let fact = match lemma {
            WordLemma::Property(property) => {
                let bad = self.bad(*property, 0);
                self.terms.not(bad)
            }
            WordLemma::Term(store, term) => {
                let term = self.terms.adopt(store, *term, self.system.terms.len());
                self.terms.image(term, &mut self.now)
            }
        };
        self.assert(None, fact);
    }

    /// A fact, for good or as long as a level is assumed.
    fn assert(&mut self, level: Option<TermId>, fact: TermId) {
        let guarded = match level {
            Some(level) => self.terms.implies(level, fact),
            None => fact,
        };
        self.session.assert(&self.terms, guarded);
        self.facts.push((level, guarded));
    }

    /// A fresh dialogue without the clauses of old queries, where there are many.
    fn refresh(&mut self) {
        self.stale += 1;
        if self.stale < STALE {
            return;
        }
        self.stale = 0;
        self.session = Session::new(&self.config, Theory::of(&self.system.terms), &self.stop);
        let levels = &self.levels;
        self.facts.retain(|(level, _)| level.is_none_or(|l| levels.contains(&l)));
        for (_, fact) in &self.facts {
            self.session.assert(&self.terms, *fact);
        }
    }

    /// Terms of this step and of the next, the constraints, the start.
    fn encode(&mut self) {
        let system = self.system.clone();
        for definition in &system.definitions {
            let value = self.terms.image(definition.value, &mut self.now);
            self.now.insert(definition.variable, value);
        }
        for constraint in &system.constraints {
            let holds = self.terms.image(constraint.term, &mut self.now);
            self.assert(None, holds);
        }
        for input in &system.inputs {
            self.later(input.variable);
        }
        for state in &system.states {
            match state.next {
                Some(next) => {
                    let image = self.terms.image(next, &mut self.now);
                    self.next.insert(state.variable, image);
                }
                None => self.later(state.variable),
            }
        }
        for definition in &system.definitions {
            let value = self.terms.image(definition.value, &mut self.next);
            self.next.insert(definition.variable, value);
        }
        let start = self.fresh("start");
        for state in &system.states {
            if let Some(init) = state.init {
                let init = self.terms.image(init, &mut self.now);
                let starts = self.terms.eq(state.variable, init);
                self.assert(Some(start), starts);
            }
        }
        self.levels.push(start);
    }

    /// A variable of the next step.
    fn later(&mut self, variable: TermId) {
        let name = match self.terms.node(variable) {
            Node::Variable(name) => format!("{name}'"),
            _ => unreachable!("inputs and states are variables"),
        };
        let sort = self.terms.sort(variable).clone();
        let later = self.terms.variable(name, sort);
        self.next.insert(variable, later);
        self.inputs.insert(later);
    }

    fn fresh(&mut self, name: &str) -> TermId {
        let name = format!("{name} {}", self.levels.len());
        self.terms.variable(name, Sort::Bool)
    }

    /// All that the source says, definitions written out.
    pub(crate) fn roots(&mut self) -> Vec<TermId> {
        let system = self.system.clone();
        let roots = system.properties.iter().map(|p| p.bad).chain(system.constraints.iter().map(|c| c.term));
        let steps = system.states.iter().flat_map(|s| s.init.into_iter().chain(s.next));
        roots.chain(steps).map(|root| self.terms.image(root, &mut self.now)).collect()
    }

    /// The comparisons of the source that speak of states alone, as predicates.
    fn seed(&mut self) {
        let system = self.system.clone();
        let mut roots = self.roots();
        for state in &system.states {
            let init = state.init.map(|init| self.terms.image(init, &mut self.now));
            if let Some(init) = init.filter(|&i| self.terms.sort(i).is_numeric()) {
                roots.push(self.terms.eq(state.variable, init));
            }
        }
        let compares = |op: Op| matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq);
        for term in self.terms.cone(roots) {
            if let Node::Apply(op, _, &[a, _]) = self.terms.node(term)
                && compares(op)
                && self.terms.sort(a).is_numeric()
                && self.is_plain(term)
            {
                self.seed_comparison(term);
            }
        }
    }

    /// Over states alone, and without a choice.
    pub(crate) fn is_plain(&self, term: TermId) -> bool {
        let choice = |t: &TermId| matches!(self.terms.node(*t), Node::Apply(op, ..) if !linear(op));
        let cone = self.terms.cone([term]);
        let inside = cone.iter().filter(|t| **t != term);
        !inside.clone().any(choice) && !cone.iter().any(|t| self.inputs.contains(t))
    }

    /// Both sides of the comparison, whatever values the states have.
    fn seed_comparison(&mut self, term: TermId) {
        let variables = self.terms.free_variables([term]);
        if variables.is_empty() {
            return;
        }
        let zero = |v: &TermId| (*v, buttress_term::Value::zero(self.terms.sort(*v)));
        let values: Values = variables.iter().map(zero).collect();
        let holds = evaluation(&self.terms, &values).bool(term).expect("all variables have values");
        let formula = if holds { term } else { self.terms.not(term) };
        let found = Implicant::collect(&mut self.terms, &values, &[formula]);
        for constraint in found.constraints {
            let _ = self.atoms.bound(&self.terms, constraint);
        }
    }

    /// Reads predicates that came since.
    pub(crate) fn update(&mut self) {
        let from = self.predicates.len();
        for predicate in self.atoms.read(from, &mut self.terms) {
            let now = self.terms.image(predicate, &mut self.now);
            let next = self.terms.image(predicate, &mut self.next);
            self.predicates.push([now, next]);
        }
    }

    /// A literal in this step (0) or the next (1).
    pub(crate) fn literal(&mut self, lit: Lit, step: usize) -> TermId {
        let atom = lit.var().index() - 1;
        if atom >= self.predicates.len() {
            self.update();
        }
        let term = self.predicates[atom][step];
        if lit.is_negated() { self.terms.not(term) } else { term }
    }

    /// The clause that excludes a cube.
    pub(crate) fn clause(&mut self, cube: &[Lit]) -> TermId {
        let mut lits = Vec::new();
        for &lit in cube {
            lits.push(self.literal(!lit, 0));
        }
        self.terms.any(&lits)
    }

    pub(crate) fn levels_from(&self, level: usize) -> Vec<TermId> {
        let supposed = self.supposed.filter(|_| !self.free.contains(&level));
        match level {
            0 => vec![self.levels[0]],
            _ => self.levels[level.min(self.levels.len())..].iter().copied().chain(supposed).collect(),
        }
    }

    pub(crate) fn bad(&mut self, property: PropertyId, step: usize) -> TermId {
        let bad = self.system.property(property).bad;
        let frame = if step == 0 { &mut self.now } else { &mut self.next };
        self.terms.image(bad, frame)
    }

    pub(crate) fn goal(&mut self, cube: &[Lit], step: usize) {
        for &lit in cube {
            let term = self.literal(lit, step);
            self.last.goal.push((lit, term));
        }
    }

    /// Whether there is a model, which is read and evaluated.
    pub(crate) fn solve(&mut self, mut assumptions: Vec<TermId>) -> Result<Answer, Stopped> {
        assumptions.extend(self.last.goal.iter().map(|&(_, term)| term));
        assumptions.extend_from_slice(&self.last.formulas);
        let mut variables = self.states.clone();
        let mut inputs: Vec<TermId> = self.inputs.iter().copied().collect();
        inputs.sort_unstable();
        variables.extend(inputs);
        loop {
            if self.session.check(&self.terms, &assumptions)? == Outcome::Unsat {
                return Ok(Answer::Holds);
            }
            let Some(values) = self.session.values(&self.terms, &variables)? else { continue };
            self.last.values = variables.iter().copied().zip(values).collect();
            let formulas = self.formulas();
            let mut evaluation = evaluation(&self.terms, &self.last.values);
            if formulas.iter().all(|&f| evaluation.bool(f) == Some(true)) {
                return Ok(Answer::Fails);
            }
            self.session.distrust("it does not satisfy the goal")?;
        }
    }

    /// The goal of the last step and the constraints of the state before it.
    pub(crate) fn formulas(&mut self) -> Vec<TermId> {
        let system = self.system.clone();
        let mut formulas: Vec<TermId> = self.last.goal.iter().map(|&(_, term)| term).collect();
        formulas.extend_from_slice(&self.last.formulas);
        for constraint in &system.constraints {
            formulas.push(self.terms.image(constraint.term, &mut self.now));
        }
        formulas
    }

    /// Counts a query, before it is asked.
    pub(crate) fn count(&mut self) -> Result<(), Stopped> {
        self.stop.check()?;
        if self.granted == 0 {
            return Err(Stopped::Budget);
        }
        self.granted -= 1;
        self.refresh();
        Ok(())
    }

    /// The literals of the goal that made the last step impossible.
    pub(crate) fn needed_of_goal(&mut self) -> Vec<Lit> {
        let goal = self.last.goal.iter();
        match self.session.core(&self.terms) {
            Ok(needed) => goal.filter(|(_, term)| needed.contains(term)).map(|&(lit, _)| lit).collect(),
            // The whole cube is a core; whoever asks next is told why there is no other.
            Err(_) => goal.map(|&(lit, _)| lit).collect(),
        }
    }

    /// A part of the pre-image, which the state before the last step is in.
    pub(crate) fn projected(&mut self) -> Result<Vec<Lit>, Stopped> {
        let formulas = self.formulas();
        let values = std::mem::take(&mut self.last.values);
        let found = Implicant::collect(&mut self.terms, &values, &formulas);
        let found = found.without(&mut self.terms, &values, &self.inputs);
        self.last.values = values;
        self.cube(found).ok_or_else(|| Stopped::Solver("too many predicates".to_string()))
    }

    /// A cube of predicates; `None` where there are too many.
    fn cube(&mut self, found: Implicant) -> Option<Vec<Lit>> {
        let mut cube = Vec::new();
        for (variable, truth) in found.booleans {
            cube.push(self.atoms.term(&self.system.terms, variable, truth)?);
        }
        for constraint in found.constraints {
            cube.extend(self.atoms.bound(&self.terms, constraint)?);
        }
        for (atom, truth) in found.others {
            cube.push(self.atoms.term(&self.terms, atom, truth)?);
        }
        cube.sort_unstable();
        cube.dedup();
        Some(cube)
    }
}

/// Whether an operator builds the sides of linear comparisons.
fn linear(op: Op) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::ToReal)
}

impl Relative for Regions {
    fn num_levels(&self) -> usize {
        self.levels.len()
    }

    fn push_level(&mut self) {
        let level = self.fresh("level");
        self.levels.push(level);
    }

    fn push_free_level(&mut self) {
        self.push_level();
        self.free.push(self.levels.len() - 1);
    }

    fn suppose(&mut self, property: PropertyId) {
        let bad = self.bad(property, 0);
        self.supposed = Some(self.terms.not(bad));
    }

    fn learn(&mut self, level: usize, cube: &[Lit]) {
        let clause = self.clause(cube);
        let level = (level != FOREVER).then(|| self.levels[level]);
        self.assert(level, clause);
    }

    fn renew(&mut self, level: usize, lemmas: &mut dyn Iterator<Item = &[Lit]>) {
        let name = format!("level {level} again {}", self.terms.len());
        self.levels[level] = self.terms.variable(name, Sort::Bool);
        lemmas.for_each(|cube| self.learn(level, cube));
    }

    fn check(&mut self, step: &Step<'_>) -> Result<Answer, Stopped> {
        self.count()?;
        self.last = Last::default();
        let mut assumptions = match *step {
            Step::Bad { level, .. } | Step::In { level, .. } | Step::To { level, .. } => {
                self.levels_from(level)
            }
            Step::Relative { level, .. } | Step::Into { level, .. } => self.levels_from(level),
            Step::Violation { level } => self.levels_from(level),
        };
        match *step {
            Step::Bad { property, .. } => self.last.formulas = vec![self.bad(property, 0)],
            Step::In { cube, .. } => self.goal(cube, 0),
            Step::To { cube, .. } => self.goal(cube, 1),
            Step::Relative { cube, .. } => {
                assumptions.push(self.clause(cube));
                self.goal(cube, 1);
            }
            Step::Into { outside, cube, .. } => {
                assumptions.push(self.clause(outside));
                self.goal(cube, 1);
            }
            Step::Violation { .. } => self.violation(),
        }
        self.solve(assumptions)
    }

    fn core(&mut self) -> Vec<Lit> {
        self.needed_of_goal()
    }

    fn predecessor(&mut self, _: &[f64], _: Lifting) -> Result<Predecessor, Stopped> {
        let cube = match self.abstraction {
            Some(_) => self.abstract_state(),
            None => self.projected()?,
        };
        let after = self.last.ahead.then(Vec::new);
        Ok(Predecessor { cube, inputs: Vec::new(), after })
    }

    fn is_path(&mut self, property: PropertyId, chain: &[&[Lit]]) -> Result<bool, Stopped> {
        match self.abstraction {
            Some(_) => self.refine(property, chain),
            None => Ok(true),
        }
    }

    fn state(&mut self) -> Vec<Lit> {
        self.update();
        let lits = (0..self.predicates.len()).map(|a| Var::new(a as u32 + 1).lit());
        let lits: Vec<Lit> = lits.collect();
        let mut evaluation = evaluation(&self.terms, &self.last.values);
        let truth = |l: Lit| evaluation.bool(self.predicates[l.var().index() - 1][0]);
        lits.iter().copied().zip(lits.iter().copied().map(truth)).filter_map(|(l, t)| Some(l ^ !t?)).collect()
    }

    fn agreeing(&mut self, cube: &[Lit]) -> Vec<Lit> {
        let terms: Vec<TermId> = cube.iter().map(|&l| self.literal(l, 0)).collect();
        let mut evaluation = evaluation(&self.terms, &self.last.values);
        cube.iter().zip(terms).filter(|(_, t)| evaluation.bool(*t) != Some(false)).map(|(&l, _)| l).collect()
    }

    fn meets_init(&mut self, cube: &[Lit]) -> Result<bool, Stopped> {
        let mut assumptions = vec![self.levels[0]];
        for &lit in cube {
            assumptions.push(self.literal(lit, 0));
        }
        Ok(self.session.check(&self.terms, &assumptions)? == Outcome::Sat)
    }

    /// A state of predicates says nothing that a trace could be made of: a trace is asked for as a path.
    fn initial_state(&mut self, _: &[Lit], _: &[InputId]) -> Result<Vec<bool>, Stopped> {
        Ok(Vec::new())
    }

    fn prefer(&mut self, _: usize, _: &mut dyn Iterator<Item = Lit>) {}

    fn queries(&self) -> u64 {
        self.session.queries()
    }

    fn grant(&mut self, queries: u64) {
        self.granted = queries;
    }
}

impl Regions {
    /// (C ∧ bad)', for the property that is supposed.
    fn violation(&mut self) {
        let system = self.system.clone();
        let supposed = self.supposed.expect("a property is supposed");
        let Node::Apply(Op::Not, _, &[bad]) = self.terms.node(supposed) else {
            unreachable!("what is supposed is that something is not")
        };
        // The same in the next step: over the states that the step leads to.
        let bad = self.terms.image(bad, &mut self.next);
        self.last.formulas = vec![bad];
        self.last.ahead = true;
        for constraint in &system.constraints {
            let holds = self.terms.image(constraint.term, &mut self.next);
            self.last.formulas.push(holds);
        }
    }
}
