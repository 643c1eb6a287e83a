//! The reasoner for bits: one unrolling from the resets, one from anywhere, each made when first asked for.
//!
//! Distinctness is lazy (Eén & Sörensson, "Temporal induction by incremental SAT solving", 2003): solve
//! without, look for two equal states in the path, tell those apart, solve again. Most queries need none,
//! and a proof says whether it did.

mod conjectures;

use std::sync::Arc;

use buttress_solve::sat::{self, Outcome};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Lemma, Lit};

use conjectures::Conjectures;

use crate::unrolling::{Incremental, Unrolling};
use crate::{Answer, From, Goal, Path, Query, QueryCore, Reasoner, check_each_length};

/// Answers queries about a [`BitSystem`] with solvers made by `make`.
pub struct Bits<S, M> {
    system: Arc<BitSystem>,
    make: M,
    stop: Stop,
    lemmas: Vec<Lemma>,
    conjectures: Option<Conjectures<S>>,
    init: Option<Unrolling<S>>,
    anywhere: Option<Unrolling<S>>,
    last: Option<Last>,
}

/// The last query, for what is read after the verdict.
struct Last {
    from: From,
    steps: usize,
    slack: usize,
    /// The violations that were asked for.
    bads: Vec<Lit>,
    goal: Vec<Lit>,
    goal_assumptions: Vec<sat::Lit>,
    safe: Vec<sat::Lit>,
    distinct: bool,
}

impl<S: Incremental, M: FnMut() -> S> Bits<S, M> {
    pub fn new(system: Arc<BitSystem>, make: M, stop: &Stop) -> Bits<S, M> {
        Bits {
            system,
            make,
            stop: stop.clone(),
            lemmas: Vec::new(),
            conjectures: None,
            init: None,
            anywhere: None,
            last: None,
        }
    }

    /// The unrolling for this query: the one there is, or a new one where it is already too deep.
    fn unrolling(&mut self, query: &Query<'_>) -> Result<&mut Unrolling<S>, Stopped> {
        let slot = match query.from {
            From::Init => &mut self.init,
            From::Anywhere => &mut self.anywhere,
        };
        // What a longer path must satisfy beyond the end of a shorter one: nothing, or else it is begun anew.
        let goes_on = self.system.constraints.is_empty()
            && self.lemmas.is_empty()
            && query.safe_before_last.is_empty()
            && !query.distinct;
        if slot.as_ref().is_none_or(|u| u.depth() > query.steps + 1 && !goes_on) {
            *slot = Some(Unrolling::new((self.make)(), query.from, &self.lemmas));
        }
        let unrolling = slot.as_mut().expect("just made");
        unrolling.extend(&self.system, query.steps, &self.stop)?;
        Ok(unrolling)
    }

    /// Whether paths of several lengths are the same as one of the greatest length that meets the goal on its way:
    /// any execution goes on, and nothing is supposed of what comes after.
    fn is_one_question(&self, query: &Query<'_>) -> bool {
        let goes_on = query.from == From::Init && self.system.constraints.is_empty();
        goes_on && query.safe_before_last.is_empty() && !query.distinct && matches!(query.goal, Goal::Bad(_))
    }

    fn current(&mut self) -> (&mut Unrolling<S>, &Last) {
        let last = self.last.as_ref().expect("read after a verdict");
        let slot = match last.from {
            From::Init => &mut self.init,
            From::Anywhere => &mut self.anywhere,
        };
        (slot.as_mut().expect("the last query made it"), last)
    }

    /// Tells apart all equal states of the path before its last; false where there are none.
    fn separate(&mut self, path: &Path) -> bool {
        let mut pairs = Vec::new();
        for b in 1..path.states.len() - 1 {
            pairs.extend((0..b).filter(|&a| path.states[a] == path.states[b]).map(|a| (a, b)));
        }
        let system = self.system.clone();
        let (unrolling, _) = self.current();
        pairs.iter().for_each(|&(a, b)| unrolling.tell_apart(&system, a, b));
        !pairs.is_empty()
    }
}

impl<S: Incremental, M: FnMut() -> S> Reasoner for Bits<S, M> {
    fn learn(&mut self, lemma: &Lemma) {
        for unrolling in self.init.iter_mut().chain(&mut self.anywhere) {
            unrolling.learn(&self.system, lemma);
        }
        self.lemmas.push(lemma.clone());
        self.conjectures = None;
    }

    fn check(&mut self, query: &Query<'_>) -> Result<Answer, Stopped> {
        let system = self.system.clone();
        if query.slack > 0 && !self.is_one_question(query) {
            return check_each_length(self, query);
        }
        let unrolling = self.unrolling(query)?;
        let assumptions = unrolling.assumptions(&system, query);
        let safe =
            query.safe_before_last.iter().map(|&p| unrolling.safe_before(&system, p, query.steps)).collect();
        let (goal, bads) = match query.goal {
            Goal::Cube(cube) => (cube.0.to_vec(), Vec::new()),
            Goal::Bad(of) => (Vec::new(), of.iter().map(|&p| system.property(p).bad).collect()),
            Goal::Any => (Vec::new(), Vec::new()),
        };
        let goal_assumptions = goal.iter().map(|&l| unrolling.lit(&system, l, query.steps)).collect();
        let &Query { from, steps, slack, distinct, conflicts, .. } = query;
        self.last = Some(Last { from, steps, slack, bads, goal, goal_assumptions, safe, distinct });
        loop {
            if self.current().0.solve(&assumptions, conflicts)? == Outcome::Unsat {
                return Ok(Answer::Holds);
            }
            if !distinct {
                return Ok(Answer::Fails);
            }
            let path = self.path();
            if !self.separate(&path) {
                return Ok(Answer::Fails);
            }
        }
    }

    /// The first state and the inputs come from the model, the other states by evaluation.
    fn path(&mut self) -> Path {
        let system = self.system.clone();
        let (unrolling, last) = self.current();
        let mut path = path_of(&system, unrolling, last.steps);
        let is_violated = |&t: &usize| {
            let values = evaluate(&system, &path.states[t], &path.inputs[t]);
            last.bads.iter().any(|&bad| read(&values, bad))
        };
        let shorter = last.steps - last.slack..last.steps;
        if let Some(end) = shorter.into_iter().find(is_violated) {
            path.states.truncate(end + 1);
            path.inputs.truncate(end + 1);
        }
        path
    }

    fn core(&mut self) -> QueryCore {
        let (unrolling, last) = self.current();
        let failed = |u: &mut Unrolling<S>, lit: sat::Lit| u.solver.failed(lit);
        let goal = last.goal.iter().zip(&last.goal_assumptions);
        let goal = goal.filter(|(_, a)| failed(unrolling, **a)).map(|(l, _)| *l).collect();
        let safe_before_last = last.safe.iter().any(|&s| failed(unrolling, s));
        let selector = unrolling.distinct;
        let distinct = last.distinct && failed(unrolling, selector);
        QueryCore { goal, safe_before_last, distinct }
    }

    fn clauses(&self) -> u64 {
        self.init.iter().chain(&self.anywhere).map(|u| u.clauses).sum()
    }
}

fn path_of<S: Incremental>(system: &BitSystem, unrolling: &mut Unrolling<S>, steps: usize) -> Path {
    let row = |u: &mut Unrolling<S>, lits: &[Lit], t| lits.iter().map(|&l| u.value(l, t)).collect();
    let input_lits: Vec<Lit> = system.inputs().map(|i| system.input_lit(i)).collect();
    let latch_lits: Vec<Lit> = system.latches().map(|l| system.latch_lit(l)).collect();
    let inputs: Vec<Vec<bool>> = (0..=steps).map(|t| row(unrolling, &input_lits, t)).collect();
    let mut states = vec![row(unrolling, &latch_lits, 0)];
    for inputs in &inputs[..steps] {
        states.push(successor(system, &states[states.len() - 1], inputs));
    }
    Path { states, inputs }
}

/// The values of all variables.
pub(crate) fn evaluate(system: &BitSystem, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
    let mut values = Vec::with_capacity(system.num_vars());
    values.push(false);
    values.extend_from_slice(inputs);
    values.extend_from_slice(latches);
    for &[a, b] in system.gates() {
        let gate = read(&values, a) && read(&values, b);
        values.push(gate);
    }
    values
}

pub(crate) fn read(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] != lit.is_negated()
}

fn successor(system: &BitSystem, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
    let values = evaluate(system, latches, inputs);
    system.latches().map(|l| read(&values, system.latch(l).next)).collect()
}
