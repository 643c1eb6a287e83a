//! The structure of a formula as a system whose states are those of its latches.
//!
//! Inputs that belong to a state become latches: what they are next is an input. Only what the formula, the
//! constraints and fairness depend on is taken over.

use buttress_system::ctl::Branching;
use buttress_system::evidence::{evaluate, value};
use buttress_system::{BitSystem, InputId, Latch, LatchId, Lit, Node, Ternary};

use crate::fair::State;

pub(super) struct States<'a> {
    old: &'a BitSystem,
    pub system: BitSystem,
    /// What each latch is in the original: a latch or an input.
    latches: Vec<Lit>,
    /// The inputs of the original that come first; those after them are values of latches to come.
    inputs: Vec<InputId>,
    /// The literal of each variable that is taken over.
    image: Vec<Option<Lit>>,
}

impl<'a> States<'a> {
    pub fn of(branching: &'a Branching, formula: usize) -> States<'a> {
        let old = &*branching.system;
        let signals = branching.formulas[formula].signals().chain(branching.recurring());
        let needed = old.closure(signals.chain(old.constraints.iter().copied()));
        let is_needed = |lit: Lit| needed[lit.var().index()];
        let read = branching.read(formula);
        let all = old.inputs().filter(|&i| is_needed(old.input_lit(i)));
        let (own, inputs): (Vec<InputId>, Vec<InputId>) = all.partition(|i| read[i.index()]);
        let kept: Vec<LatchId> = old.latches().filter(|&l| is_needed(old.latch_lit(l))).collect();
        let mut new = BitSystem::new(inputs.len() + own.len(), kept.len() + own.len());
        let latch = |n: usize| new.latch_lit(LatchId::new(n));
        let mut image = vec![None; old.num_vars()];
        image[0] = Some(Lit::FALSE);
        let mut latches = Vec::new();
        for lit in kept.iter().map(|&l| old.latch_lit(l)).chain(own.iter().map(|&i| old.input_lit(i))) {
            image[lit.var().index()] = Some(latch(latches.len()));
            latches.push(lit);
        }
        for (n, &input) in inputs.iter().enumerate() {
            image[old.input_lit(input).var().index()] = Some(new.input_lit(InputId::new(n)));
        }
        let there = |image: &[Option<Lit>], lit: Lit| {
            image[lit.var().index()].expect("what is needed is taken over") ^ lit.is_negated()
        };
        for (g, gate) in old.gates().iter().enumerate().filter(|(g, _)| needed[old.first_gate() + g]) {
            let [a, b] = gate.map(|operand| there(&image, operand));
            image[old.first_gate() + g] = Some(new.push_gate(a, b));
        }
        for (n, &l) in kept.iter().enumerate() {
            let Latch { next, reset } = old.latch(l);
            let latch = Latch { next: there(&image, next), reset: there(&image, reset) };
            new.set_latch(LatchId::new(n), latch);
        }
        for n in 0..own.len() {
            let id = LatchId::new(kept.len() + n);
            let (next, reset) = (new.input_lit(InputId::new(inputs.len() + n)), new.latch_lit(id));
            new.set_latch(id, Latch { next, reset });
        }
        new.constraints = old.constraints.iter().map(|&c| there(&image, c)).collect();
        States { old, system: new, latches, inputs, image }
    }

    /// A signal of the original.
    pub fn lit(&self, lit: Lit) -> Lit {
        self.image[lit.var().index()].expect("signals are taken over") ^ lit.is_negated()
    }

    /// The number of the first latch among variables.
    pub fn first_latch(&self) -> usize {
        1 + self.system.num_inputs()
    }

    /// A literal of a set, whose gates come after the latches, in the original.
    pub fn original(&self, set: Lit) -> Lit {
        let (var, first) = (set.var().index(), self.system.first_gate());
        let plain = match var.checked_sub(first) {
            Some(gate) => Lit::from_code(2 * (self.old.first_gate() + gate) as u32),
            None if set.is_constant() => Lit::FALSE,
            None => {
                let latch = self.system.as_latch(set.var()).expect("sets are about latches");
                self.latches[latch.index()]
            }
        };
        plain ^ set.is_negated()
    }

    /// The state as a cube.
    pub fn cube(&self, state: &State) -> Vec<Lit> {
        let lits = self.system.latches().map(|l| self.system.latch_lit(l));
        lits.zip(state).map(|(lit, &value)| lit ^ (value != Ternary::One)).collect()
    }

    /// The state after a step with these inputs.
    pub fn next(&self, state: &State, inputs: &[Ternary]) -> State {
        let values = evaluate(&self.system, state, inputs);
        self.system.latches().map(|l| value(&values, self.system.latch(l).next)).collect()
    }

    /// The inputs of a step from a state, in the original.
    pub fn row(&self, state: &State, inputs: &[Ternary]) -> Vec<Ternary> {
        let mut row = vec![Ternary::Zero; self.old.num_inputs()];
        self.inputs.iter().zip(inputs).for_each(|(input, &value)| row[input.index()] = value);
        for (lit, &value) in self.latches.iter().zip(state) {
            if let Node::Input(input) = self.old.node(lit.var()) {
                row[input.index()] = value;
            }
        }
        row
    }

    /// A state in which executions begin, in the original; what is not needed has the value of its reset, or 0.
    pub fn initial(&self, state: &State, row: &[Ternary]) -> State {
        let mut initial = vec![Ternary::Zero; self.old.num_latches()];
        let mut known = vec![false; initial.len()];
        for (lit, &value) in self.latches.iter().zip(state) {
            if let Some(latch) = self.old.as_latch(lit.var()) {
                (initial[latch.index()], known[latch.index()]) = (value, true);
            }
        }
        for latch in self.old.reset_order().expect("resets were stratified when the system was read") {
            let reset = self.old.latch(latch).reset;
            if !known[latch.index()] && reset != self.old.latch_lit(latch) {
                initial[latch.index()] = value(&evaluate(self.old, &initial, row), reset);
            }
        }
        initial
    }
}
