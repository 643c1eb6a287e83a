//! Steps of a system in which elements are switched on by assumptions (Section 4 of the paper).
//!
//! Each element e has a *switch*, a Boolean sₑ. In each step
//!
//! * sₑ ⇒ (variable = value) for an equation, sₑ ⇒ (x₀ = init), sₑ ⇒ (x_{t+1} = next_t) for a state;
//! * (sₑ ∧ cₜ) ⇒ C_t for a constraint, where cₜ says that step t counts: a violation in step t does not ask
//!   whether there is a step t+1.
//!
//! What belongs to no element is written out as a function of the rest and costs no variable. Nothing is ever taken
//! back: a query is a set of assumptions, and its unsatisfiable core is a set of elements.

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt;
use buttress_system::words::{Assignment, StateId, System};
use buttress_system::{ElementId, ElementSet};
use buttress_term::{Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Elements, Part};

/// Facts in, an answer under assumptions out, and which of them were needed.
pub trait Unsat: smt::Solver + smt::Core {}

impl<S: smt::Solver + smt::Core> Unsat for S {}

/// Makes a solver that knows nothing yet.
pub type Fresh<'a> = dyn FnMut() -> Box<dyn Unsat> + 'a;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum From {
    Init,
    Anywhere,
}

/// What a query needed.
pub(crate) struct Needed {
    pub elements: ElementSet,
    /// Places in the list of hypotheses.
    pub hypotheses: Vec<usize>,
}

pub(crate) struct Unrolled<'a> {
    system: &'a System,
    elements: &'a Elements,
    /// Elements that are not looked at are dropped for good.
    within: &'a ElementSet,
    from: From,
    pub terms: Terms,
    solver: Box<dyn Unsat>,
    /// What each term of the system is at each step.
    frames: Vec<FxHashMap<TermId, TermId>>,
    switches: Vec<TermId>,
    counts: Vec<TermId>,
    hypotheses: Vec<Hypothesis>,
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
        within: &'a ElementSet,
        from: From,
        mut terms: Terms,
        solver: Box<dyn Unsat>,
    ) -> Unrolled<'a> {
        let mut switch = |e: ElementId| terms.variable(format!("element {}", e.index()), Sort::Bool);
        let switches = elements.ids().map(&mut switch).collect();
        Unrolled {
            system,
            elements,
            within,
            from,
            terms,
            solver,
            frames: Vec::new(),
            switches,
            counts: Vec::new(),
            hypotheses: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Terms of the system that may be supposed in every step but the last. Before the first step.
    pub fn suppose(&mut self, terms: &[TermId]) {
        for &term in terms {
            let switch = self.terms.variable(format!("hypothesis {}", self.hypotheses.len()), Sort::Bool);
            self.hypotheses.push(Hypothesis { term, switch });
        }
    }

    /// Adds a step; the one before is not the last any more.
    pub fn push(&mut self) {
        if let Some(last) = self.frames.len().checked_sub(1) {
            for h in 0..self.hypotheses.len() {
                let Hypothesis { term, switch } = self.hypotheses[h];
                let holds = self.at(term, last);
                self.implied(switch, holds);
            }
        }
        let mut frame = FxHashMap::default();
        let step = self.frames.len();
        for input in &self.system.inputs {
            self.free(input.variable, step, &mut frame);
        }
        match (step, self.from) {
            (0, From::Init) => self.start(&mut frame),
            (0, From::Anywhere) => {
                for state in &self.system.states {
                    self.free(state.variable, step, &mut frame);
                }
            }
            _ => self.system.state_ids().for_each(|s| self.next(s, &mut frame)),
        }
        for (d, definition) in self.system.definitions.iter().enumerate() {
            if !frame.contains_key(&definition.variable) {
                self.define(d, step, &mut frame);
            }
        }
        self.constrain(&mut frame);
        self.frames.push(frame);
    }

    /// R(x₀, i₀), in an order in which all that an `init` reads is there.
    fn start(&mut self, frame: &mut FxHashMap<TermId, TermId>) {
        let order = self.system.start_order().expect("the system was validated when it was read");
        for assignment in order {
            match assignment {
                Assignment::Definition(d) => self.define(d, 0, frame),
                Assignment::State(s) => {
                    let state = self.system.state(s);
                    let value = state.init.map(|init| self.terms.image(init, frame));
                    self.give(state.variable, value, Part::Init(s), 0, frame);
                }
            }
        }
    }

    /// x_{t+1} = next(x_t, i_t)
    fn next(&mut self, s: StateId, frame: &mut FxHashMap<TermId, TermId>) {
        let (state, step) = (self.system.state(s), self.frames.len());
        let value = state.next.map(|next| self.terms.image(next, &mut self.frames[step - 1]));
        self.give(state.variable, value, Part::Next(s), step, frame);
    }

    fn define(&mut self, d: usize, step: usize, frame: &mut FxHashMap<TermId, TermId>) {
        let definition = &self.system.definitions[d];
        let value = self.terms.image(definition.value, frame);
        self.give(definition.variable, Some(value), Part::Definition(d), step, frame);
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

    fn constrain(&mut self, frame: &mut FxHashMap<TermId, TermId>) {
        let counts = self.terms.variable(format!("step {}", self.frames.len()), Sort::Bool);
        self.counts.push(counts);
        for (c, constraint) in self.system.constraints.iter().enumerate() {
            let condition = match self.elements.of_part(Part::Constraint(c)) {
                None => counts,
                Some(element) if self.within.contains(&element) => {
                    self.terms.and(counts, self.switches[element.index()])
                }
                Some(_) => continue,
            };
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

    /// ⋀_{e ∈ kept} sₑ ∧ c₀ ∧ … ∧ c_last ∧ hypotheses ∧ goal: what is needed of it where it is unsatisfiable, or else
    /// `None`.
    pub fn refute(
        &mut self,
        kept: &ElementSet,
        hypotheses: &[usize],
        goal: Option<TermId>,
        last: usize,
    ) -> Result<Option<Needed>, Stopped> {
        let mut assumptions: Vec<TermId> = goal.into_iter().collect();
        assumptions.extend(&self.counts[..=last]);
        assumptions.extend(hypotheses.iter().map(|&h| self.hypotheses[h].switch));
        let looked_at = kept.iter().filter(|e| self.within.contains(e));
        assumptions.extend(looked_at.map(|e| self.switches[e.index()]));
        if self.solver.check(&self.terms, &assumptions)? == Outcome::Sat {
            return Ok(None);
        }
        let core: FxHashSet<TermId> = self.solver.core(&self.terms)?.into_iter().collect();
        let elements = kept.iter().copied().filter(|e| core.contains(&self.switches[e.index()])).collect();
        let needed = |h: &usize| core.contains(&self.hypotheses[*h].switch);
        let hypotheses = hypotheses.iter().copied().filter(needed).collect();
        Ok(Some(Needed { elements, hypotheses }))
    }
}
