//! Conditions about sets of states decided by a SAT solver.
//!
//! That *a step leads* from each state of a set to another is a question with two quantifiers. It is asked as
//! Janota & Marques-Silva do ("Abstraction-based algorithm for 2QBF", SAT 2011): a state without a known choice of
//! inputs that leads there, then a choice for that state, until there is no such state or no such choice.

use buttress_solve::sat::{self, Model, Outcome, Solver};
use buttress_solve::{Cadical, Stop, Stopped};
use buttress_system::Lit;

use super::{About, Aim, Conditions, FREE, Ground, HERE, Moment, Step};
use crate::frame::{Frame, constant_zero, fresh};

/// So many choices of inputs are kept; where more are needed, the check gives up.
const MOST_CHOICES: usize = 5_000;

/// The values of a state: leaves by variable, signals of the formula, and sets as far as they were asked for.
struct View {
    leaves: Vec<sat::Lit>,
    signals: Frame,
    sets: Vec<Option<sat::Lit>>,
}

/// A step from here with inputs that are free, or chosen.
struct Taken {
    frame: Frame,
    after: Moment,
}

pub(super) struct Sat<'a> {
    about: &'a About<'a>,
    /// What signals of the formula depend on.
    of_signals: Vec<bool>,
    solver: Cadical,
    zero: sat::Lit,
    views: Vec<View>,
    steps: Vec<Taken>,
    starts: sat::Lit,
}

impl<'a> Sat<'a> {
    pub fn new(about: &'a About<'a>, stop: &Stop) -> Sat<'a> {
        let system = &*about.branching.system;
        let mut of_signals = vec![false; system.num_vars()];
        system.mark_cone(about.formula.signals(), &mut of_signals);
        let mut solver = Cadical::new(stop, 0);
        let zero = constant_zero(&mut solver);
        let inputs = fresh(&mut solver, system.num_inputs());
        let latches = fresh(&mut solver, system.num_latches());
        let starts = solver.new_var();
        let mut ground =
            Sat { about, of_signals, solver, zero, views: Vec::new(), steps: Vec::new(), starts };
        ground.add_view(inputs.clone(), latches);
        let next_inputs = fresh(&mut ground.solver, system.num_inputs());
        ground.add_step(inputs, next_inputs);
        ground.define_starts();
        ground
    }

    fn add_view(&mut self, inputs: Vec<sat::Lit>, latches: Vec<sat::Lit>) -> Moment {
        let system = &*self.about.branching.system;
        let signals = Frame::encode(&mut self.solver, system, &self.of_signals, self.zero, &inputs, &latches);
        let leaves = std::iter::once(self.zero).chain(inputs).chain(latches).collect();
        self.views.push(View { leaves, signals, sets: vec![None; self.about.sets.gates.len()] });
        self.views.len() - 1
    }

    /// A step from here with these inputs; afterwards inputs are those.
    fn add_step(&mut self, inputs: Vec<sat::Lit>, after: Vec<sat::Lit>) -> Step {
        let (system, needed) = (&*self.about.branching.system, &self.about.needed);
        let here = self.views[HERE].leaves[1 + system.num_inputs()..].to_vec();
        let frame = Frame::encode(&mut self.solver, system, needed, self.zero, &inputs, &here);
        let next = |l| match needed[system.latch_lit(l).var().index()] {
            true => frame.lit(system.latch(l).next),
            false => self.zero,
        };
        let latches = system.latches().map(next).collect();
        let after = self.add_view(after, latches);
        self.steps.push(Taken { frame, after });
        self.steps.len() - 1
    }

    /// `starts` implies that each latch has the value of its reset.
    fn define_starts(&mut self) {
        let system = &*self.about.branching.system;
        for latch in system.latches() {
            let (own, reset) = (system.latch_lit(latch), system.latch(latch).reset);
            if self.about.needed[own.var().index()] && own != reset {
                let frame = &self.steps[FREE].frame;
                let (x, r) = (frame.lit(own), frame.lit(reset));
                self.solver.add_clause(&[!self.starts, !x, r]);
                self.solver.add_clause(&[!self.starts, x, !r]);
            }
        }
    }

    fn gate(&mut self, a: sat::Lit, b: sat::Lit) -> sat::Lit {
        let gate = self.solver.new_var();
        self.solver.add_clause(&[!gate, a]);
        self.solver.add_clause(&[!gate, b]);
        self.solver.add_clause(&[gate, !a, !b]);
        gate
    }

    fn known_set(&self, at: Moment, set: Lit) -> Option<sat::Lit> {
        let (view, var) = (&self.views[at], set.var().index());
        let known = match var.checked_sub(self.about.branching.system.first_gate()) {
            None => Some(view.leaves[var]),
            Some(gate) => view.sets[gate],
        };
        Some(known? ^ set.is_negated())
    }

    /// The state here of the solver's model.
    fn state_here(&mut self) -> Vec<sat::Lit> {
        let leaves = self.views[HERE].leaves.clone();
        let is_state = |var: usize| match var.checked_sub(1) {
            None => false,
            Some(input) => self.about.read.get(input).copied().unwrap_or(true),
        };
        let of_state = (0..leaves.len()).filter(|&var| is_state(var));
        of_state.map(|var| leaves[var] ^ !self.solver.value(leaves[var])).collect()
    }

    /// A step with the inputs of the solver's model.
    fn choose(&mut self) -> Step {
        let inputs = self.about.branching.system.num_inputs();
        let here = self.views[HERE].leaves[1..=inputs].to_vec();
        let after = self.views[self.steps[FREE].after].leaves[1..=inputs].to_vec();
        let (zero, read) = (self.zero, &self.about.read);
        let mut constant = |lit: sat::Lit| zero ^ self.solver.value(lit);
        let chosen: Vec<sat::Lit> =
            here.iter().zip(read).map(|(&lit, &read)| if read { lit } else { constant(lit) }).collect();
        let after: Vec<sat::Lit> = after.into_iter().map(constant).collect();
        self.add_step(chosen, after)
    }
}

impl Ground for Sat<'_> {
    type Value = sat::Lit;

    fn constant(&self, value: bool) -> sat::Lit {
        self.zero ^ value
    }

    fn not(&self, a: &sat::Lit) -> Result<sat::Lit, Stopped> {
        Ok(!*a)
    }

    fn and(&mut self, a: &sat::Lit, b: &sat::Lit) -> Result<sat::Lit, Stopped> {
        Ok(self.gate(*a, *b))
    }

    fn set(&mut self, at: Moment, set: Lit) -> Result<sat::Lit, Stopped> {
        let first = self.about.branching.system.first_gate();
        let mut open = vec![set.var().index()];
        while let Some(&var) = open.last() {
            let Some(gate) = var.checked_sub(first).filter(|&g| self.views[at].sets[g].is_none()) else {
                open.pop();
                continue;
            };
            let operands = self.about.sets.gates[gate];
            let known = operands.map(|o| self.known_set(at, o));
            match known {
                [Some(a), Some(b)] => {
                    let made = self.gate(a, b);
                    self.views[at].sets[gate] = Some(made);
                    open.pop();
                }
                _ => {
                    let missing = operands.iter().zip(known).filter(|(_, known)| known.is_none());
                    open.extend(missing.map(|(o, _)| o.var().index()));
                }
            }
        }
        Ok(self.known_set(at, set).expect("it was just made"))
    }

    fn signal(&mut self, at: Moment, signal: Lit) -> Result<sat::Lit, Stopped> {
        Ok(self.views[at].signals.lit(signal))
    }

    fn of_step(&mut self, step: Step, signal: Lit) -> Result<sat::Lit, Stopped> {
        Ok(self.steps[step].frame.lit(signal))
    }

    fn after(&self, step: Step) -> Moment {
        self.steps[step].after
    }

    fn resets(&mut self) -> Result<sat::Lit, Stopped> {
        Ok(self.starts)
    }

    fn state(&mut self, values: &[(Lit, bool)]) -> Result<Vec<sat::Lit>, Stopped> {
        let leaves = &self.views[HERE].leaves;
        Ok(values.iter().map(|&(leaf, value)| leaves[leaf.var().index()] ^ !value).collect())
    }

    fn never(&mut self, all: &[sat::Lit]) -> Result<bool, Stopped> {
        Ok(self.solver.solve(all)? == Outcome::Unsat)
    }

    fn know(&mut self, clause: &[sat::Lit]) {
        self.solver.add_clause(clause);
    }

    fn some(check: &mut Conditions<'_, Self>, from: &[sat::Lit], aim: Aim) -> Result<bool, Stopped> {
        let (mut from, mut tried) = (from.to_vec(), 0);
        loop {
            if check.ground.never(&from)? {
                return Ok(true);
            }
            let state = check.ground.state_here();
            let step = match known_choice(check, &state, aim)? {
                Some(step) => step,
                None => {
                    let there = check.reaches(FREE, aim)?;
                    if check.ground.never(&[&state[..], &[there]].concat())? {
                        return Ok(false);
                    }
                    check.ground.choose()
                }
            };
            from.push(!check.reaches(step, aim)?);
            tried += 1;
            if tried > MOST_CHOICES || check.ground.steps.len() > MOST_CHOICES {
                let why = "it takes too many choices of inputs to see that a step is possible";
                return Err(Stopped::Solver(why.to_string()));
            }
        }
    }
}

/// One of the latest choices that leads from a state to its aim.
fn known_choice(
    check: &mut Conditions<'_, Sat<'_>>,
    state: &[sat::Lit],
    aim: Aim,
) -> Result<Option<Step>, Stopped> {
    const LATEST: usize = 8;
    for step in (1..check.ground.steps.len()).rev().take(LATEST) {
        let there = check.reaches(step, aim)?;
        if !check.ground.never(&[state, &[there]].concat())? {
            return Ok(Some(step));
        }
    }
    Ok(None)
}
