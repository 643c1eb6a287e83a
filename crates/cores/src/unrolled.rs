//! Steps of a system in which elements are switched on by assumptions (Section 4 of the paper).
//!
//! Each element e has a *switch*, a Boolean sₑ. In each step
//!
//! * sₑ ⇒ (variable = value) for an equation, sₑ ⇒ (x_{t+1} = next_t) for a state;
//! * (sₑ ∧ cₜ) ⇒ C_t for a constraint, where cₜ says that step t counts: a violation in step t does not ask
//!   whether there is a step t+1;
//! * (h ∧ c_{t+1}) ⇒ H_t for a hypothesis, which is supposed in every step before the last.
//!
//! Parts that belong to no element are written out as functions of the rest and cost no variable; initial values
//! count only under an assumption, sₑ ∧ start ⇒ (x₀ = init). Nothing is ever taken back: a query is a set of
//! assumptions, and its unsatisfiable core is a set of elements. So one solver answers base and step, and is
//! started once.

use std::time::Duration;

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt;
use buttress_system::words::{StateId, System};
use buttress_system::{ElementId, ElementSet};
use buttress_term::{Sort, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Elements, Part};

/// Facts in, an answer under assumptions out, and which of them were needed, or a model.
pub trait Unsat: smt::Solver + smt::Core + smt::Model {}

impl<S: smt::Solver + smt::Core + smt::Model> Unsat for S {}

/// Makes a solver that knows nothing yet.
pub type Fresh<'a> = dyn FnMut() -> Box<dyn Unsat> + 'a;

/// Where a path begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum From {
    Init,
    Anywhere,
}

/// A query: no path from `from` through the steps 0 to `last` satisfies the hypotheses and the goal.
pub(crate) struct Ask<'q> {
    pub from: From,
    pub last: usize,
    /// Places in the list of hypotheses.
    pub hypotheses: &'q [usize],
    pub goal: Option<TermId>,
}

/// The elements and hypotheses in the unsatisfiable core of a query.
pub(crate) struct Needed {
    pub elements: ElementSet,
    /// Places in the list of hypotheses.
    pub hypotheses: Vec<usize>,
}

/// Whether executions of a few steps violate a property.
pub(crate) enum Bounded {
    /// Values of the variables that were asked for, step by step.
    Violated(Vec<Vec<Option<Value>>>),
    /// None does, because of these elements.
    Holds(ElementSet),
    /// The solver that knew a violation is gone.
    Unknown,
}

pub(crate) struct Unrolled<'a> {
    system: &'a System,
    elements: &'a Elements,
    /// Elements that are not looked at are dropped for good.
    within: ElementSet,
    pub terms: Terms,
    solver: Box<dyn Unsat>,
    /// The term of each term of the system at each step.
    frames: Vec<FxHashMap<TermId, TermId>>,
    switches: Vec<TermId>,
    counts: Vec<TermId>,
    /// That step 0 is an initial one; once it was asked for.
    start: Option<TermId>,
    hypotheses: Vec<Hypothesis>,
    /// The most work on one [refutation](Unrolled::refute).
    pub limit: Option<Duration>,
    /// Whether it was too little since this was last set to false.
    pub gave_up: bool,
}

/// A term that holds before the last step, where it is assumed.
struct Hypothesis {
    term: TermId,
    switch: TermId,
}

impl<'a> Unrolled<'a> {
    pub fn new(
        system: &'a System,
        elements: &'a Elements,
        within: &ElementSet,
        mut terms: Terms,
        solver: Box<dyn Unsat>,
    ) -> Unrolled<'a> {
        let mut switch = |e: ElementId| terms.variable(format!("element {}", e.index()), Sort::Bool);
        let switches = elements.ids().map(&mut switch).collect();
        Unrolled {
            system,
            elements,
            within: within.clone(),
            terms,
            solver,
            frames: Vec::new(),
            switches,
            counts: Vec::new(),
            start: None,
            hypotheses: Vec::new(),
            limit: None,
            gave_up: false,
        }
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Terms of the system that may be supposed in every step but the last.
    pub fn suppose(&mut self, terms: &[TermId]) {
        for &term in terms {
            let switch = self.terms.variable(format!("hypothesis {}", self.hypotheses.len()), Sort::Bool);
            self.hypotheses.push(Hypothesis { term, switch });
            for step in 1..self.counts.len() {
                self.hypothesis(self.hypotheses.len() - 1, step);
            }
        }
    }

    /// (h ∧ c_t) ⇒ H_{t-1}
    fn hypothesis(&mut self, place: usize, step: usize) {
        let Hypothesis { term, switch } = self.hypotheses[place];
        let (condition, holds) = (self.terms.and(switch, self.counts[step]), self.at(term, step - 1));
        self.implied(condition, holds);
    }

    /// Adds a step; the one before is not the last any more.
    pub fn push(&mut self) {
        let counts = self.terms.variable(format!("step {}", self.frames.len()), Sort::Bool);
        self.counts.push(counts);
        let mut frame = FxHashMap::default();
        let step = self.frames.len();
        if step > 0 {
            (0..self.hypotheses.len()).for_each(|place| self.hypothesis(place, step));
        }
        for input in &self.system.inputs {
            self.free(input.variable, step, &mut frame);
        }
        match step {
            0 => {
                for state in &self.system.states {
                    self.free(state.variable, step, &mut frame);
                }
            }
            _ => self.system.state_ids().for_each(|s| self.next(s, &mut frame)),
        }
        for (d, definition) in self.system.definitions.iter().enumerate() {
            let value = self.terms.image(definition.value, &mut frame);
            self.give(definition.variable, Some(value), Part::Definition(d), step, &mut frame);
        }
        self.constrain(counts, &mut frame);
        self.frames.push(frame);
    }

    /// start ⇒ R(x₀, i₀)
    fn start(&mut self) -> TermId {
        if let Some(start) = self.start {
            return start;
        }
        let start = self.terms.variable("start", Sort::Bool);
        for s in self.system.state_ids() {
            let state = self.system.state(s);
            let Some(init) = state.init else { continue };
            let Some(condition) = self.condition(start, Part::Init(s)) else { continue };
            let (state, init) = (self.at(state.variable, 0), self.at(init, 0));
            let equal = self.terms.eq(state, init);
            self.implied(condition, equal);
        }
        *self.start.insert(start)
    }

    /// When a part counts: where `here` does, and its element. `None` where it is dropped for good.
    fn condition(&mut self, here: TermId, part: Part) -> Option<TermId> {
        match self.elements.of_part(part) {
            None => Some(here),
            Some(element) if self.within.contains(&element) => {
                Some(self.terms.and(here, self.switches[element.index()]))
            }
            Some(_) => None,
        }
    }

    /// x_{t+1} = next(x_t, i_t)
    fn next(&mut self, s: StateId, frame: &mut FxHashMap<TermId, TermId>) {
        let (state, step) = (self.system.state(s), self.frames.len());
        let value = state.next.map(|next| self.terms.image(next, &mut self.frames[step - 1]));
        self.give(state.variable, value, Part::Next(s), step, frame);
    }

    /// The variable has its value where the part is there.
    fn give(
        &mut self,
        variable: TermId,
        value: Option<TermId>,
        part: Part,
        step: usize,
        frame: &mut FxHashMap<TermId, TermId>,
    ) {
        match (value, self.elements.of_part(part)) {
            (Some(value), None) => drop(frame.insert(variable, value)),
            (Some(value), Some(element)) if self.within.contains(&element) => {
                let free = self.free(variable, step, frame);
                let equal = self.terms.eq(free, value);
                self.implied(self.switches[element.index()], equal);
            }
            _ => {
                self.free(variable, step, frame);
            }
        }
    }

    fn free(&mut self, of: TermId, step: usize, frame: &mut FxHashMap<TermId, TermId>) -> TermId {
        let name = match self.terms.node(of) {
            buttress_term::Node::Variable(name) => format!("{name}@{step}"),
            _ => unreachable!("inputs, states and what is defined are variables"),
        };
        let sort = self.terms.sort(of).clone();
        let variable = self.terms.variable(name, sort);
        frame.insert(of, variable);
        variable
    }

    fn constrain(&mut self, counts: TermId, frame: &mut FxHashMap<TermId, TermId>) {
        for (c, constraint) in self.system.constraints.iter().enumerate() {
            let Some(condition) = self.condition(counts, Part::Constraint(c)) else { continue };
            let holds = self.terms.image(constraint.term, frame);
            self.implied(condition, holds);
        }
    }

    fn implied(&mut self, condition: TermId, fact: TermId) {
        let fact = self.terms.implies(condition, fact);
        self.solver.assert(&self.terms, fact);
    }

    /// A term of the system at a step.
    pub fn at(&mut self, term: TermId, step: usize) -> TermId {
        self.terms.image(term, &mut self.frames[step])
    }

    /// Not all of these terms hold at a step.
    pub fn violated(&mut self, terms: &[TermId], step: usize) -> TermId {
        let holds: Vec<TermId> = terms.iter().map(|&t| self.at(t, step)).collect();
        let all = self.terms.all(&holds);
        self.terms.not(all)
    }

    /// start ∧ ⋀_{e ∈ kept} sₑ ∧ ⋁_{t ≤ last} (c₀ ∧ … ∧ c_t ∧ ¬P(x_t)): whether an execution with these elements
    /// violates P in one of these steps. With the values of `free`, the variables that follow from nothing.
    pub fn bounded(
        &mut self,
        kept: &ElementSet,
        holds: TermId,
        last: usize,
        free: &[TermId],
    ) -> Result<Bounded, Stopped> {
        let mut assumptions = vec![self.violated_within(&[holds], last), self.start()];
        let looked_at = kept.iter().filter(|e| self.within.contains(e));
        assumptions.extend(looked_at.map(|e| self.switches[e.index()]));
        match self.solver.check(&self.terms, &assumptions)? {
            Outcome::Sat => self.values(free, last),
            Outcome::Unsat => Ok(Bounded::Holds(self.core_of(kept)?)),
        }
    }

    /// ⋁_{t ≤ last} (c₀ ∧ … ∧ c_t ∧ ¬⋀ terms(x_t))
    pub fn violated_within(&mut self, terms: &[TermId], last: usize) -> TermId {
        while self.len() <= last {
            self.push();
        }
        let (mut here, mut counted) = (Vec::new(), self.terms.bool(true));
        for step in 0..=last {
            counted = self.terms.and(counted, self.counts[step]);
            let violated = self.violated(terms, step);
            here.push(self.terms.and(counted, violated));
        }
        self.terms.any(&here)
    }

    /// The values of variables of the system in each step of the model; where a variable stands for a term, it
    /// follows.
    pub fn values(&mut self, of: &[TermId], last: usize) -> Result<Bounded, Stopped> {
        let at: Vec<TermId> =
            self.frames[..=last].iter().flat_map(|frame| of.iter().map(|v| frame[v])).collect();
        let mut asked: Vec<TermId> = at.iter().copied().filter(|&t| self.terms.is_variable(t)).collect();
        asked.sort_unstable();
        asked.dedup();
        let Some(values) = self.solver.values(&self.terms, &asked)? else { return Ok(Bounded::Unknown) };
        let values: FxHashMap<TermId, Value> = asked.into_iter().zip(values).collect();
        let rows = at.chunks(of.len().max(1));
        let rows = rows.map(|row| row.iter().map(|t| values.get(t).cloned()).collect()).collect();
        Ok(Bounded::Violated(rows))
    }

    fn core_of(&mut self, kept: &ElementSet) -> Result<ElementSet, Stopped> {
        let core: FxHashSet<TermId> = self.solver.core(&self.terms)?.into_iter().collect();
        Ok(kept.iter().copied().filter(|e| core.contains(&self.switches[e.index()])).collect())
    }

    /// ⋀_{e ∈ kept} sₑ ∧ c₀ ∧ … ∧ c_last ∧ hypotheses ∧ goal, from the start on or not: what is needed of it where
    /// it is unsatisfiable; `None` where it is not, or where that was too much work.
    pub fn refute(&mut self, kept: &ElementSet, ask: &Ask<'_>) -> Result<Option<Needed>, Stopped> {
        let mut assumptions: Vec<TermId> = ask.goal.into_iter().collect();
        if ask.from == From::Init {
            assumptions.push(self.start());
        }
        assumptions.extend(&self.counts[..=ask.last]);
        assumptions.extend(ask.hypotheses.iter().map(|&h| self.hypotheses[h].switch));
        let looked_at = kept.iter().filter(|e| self.within.contains(e));
        assumptions.extend(looked_at.map(|e| self.switches[e.index()]));
        let outcome = match self.limit {
            None => Some(self.solver.check(&self.terms, &assumptions)?),
            Some(limit) => self.solver.check_within(&self.terms, &assumptions, limit)?,
        };
        self.gave_up |= outcome.is_none();
        if outcome != Some(Outcome::Unsat) {
            return Ok(None);
        }
        let core: FxHashSet<TermId> = self.solver.core(&self.terms)?.into_iter().collect();
        let elements = kept.iter().copied().filter(|e| core.contains(&self.switches[e.index()])).collect();
        let needed = |h: &usize| core.contains(&self.hypotheses[*h].switch);
        let hypotheses = ask.hypotheses.iter().copied().filter(needed).collect();
        Ok(Some(Needed { elements, hypotheses }))
    }
}
