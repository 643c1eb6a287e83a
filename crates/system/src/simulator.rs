//! Bit-parallel simulation: 64 executions at once, one a bit of a machine word.

use crate::{BitSystem, LatchId, Lit, Rng};

/// 64 executions of a system, side by side.
pub struct Simulator<'a> {
    system: &'a BitSystem,
    reset_order: Vec<LatchId>,
    values: Vec<u64>,
}

impl<'a> Simulator<'a> {
    /// All values zero; see [`reset`](Self::reset). The resets of the system must be stratified.
    pub fn new(system: &'a BitSystem) -> Simulator<'a> {
        let reset_order = system.reset_order().expect("resets were stratified when the system was read");
        Simulator { system, reset_order, values: vec![0; system.num_vars()] }
    }

    pub fn value(&self, lit: Lit) -> u64 {
        let value = self.values[lit.var().index()];
        if lit.is_negated() { !value } else { value }
    }

    /// Enters step 0: resets, with random values for what is uninitialised, and random inputs.
    pub fn reset(&mut self, rng: &mut Rng) {
        self.random_inputs(rng);
        let order = std::mem::take(&mut self.reset_order);
        for &latch in &order {
            let own = self.system.latch_lit(latch);
            let reset = self.system.latch(latch).reset;
            if !reset.is_constant() && reset != own && self.system.as_latch(reset.var()).is_none() {
                self.evaluate();
            }
            self.values[own.var().index()] = if reset == own { rng.next_u64() } else { self.value(reset) };
        }
        self.reset_order = order;
        self.evaluate();
    }

    /// Enters step 0 with the given latches and inputs.
    pub fn start(&mut self, latches: &[u64], inputs: &[u64]) {
        let first = 1 + self.system.num_inputs();
        self.values[first..first + latches.len()].copy_from_slice(latches);
        self.values[1..first].copy_from_slice(inputs);
        self.evaluate();
    }

    /// Goes to the next step with random inputs.
    pub fn step(&mut self, rng: &mut Rng) {
        self.advance();
        self.random_inputs(rng);
        self.evaluate();
    }

    /// Goes to the next step with these inputs.
    pub fn step_with(&mut self, inputs: &[u64]) {
        self.advance();
        self.values[1..1 + inputs.len()].copy_from_slice(inputs);
        self.evaluate();
    }

    /// The executions in which all constraints hold in this step.
    pub fn admissible(&self) -> u64 {
        self.system.constraints.iter().fold(!0, |all, &c| all & self.value(c))
    }

    fn advance(&mut self) {
        let next: Vec<u64> = self.system.latches().map(|l| self.value(self.system.latch(l).next)).collect();
        let first = 1 + self.system.num_inputs();
        self.values[first..first + next.len()].copy_from_slice(&next);
    }

    fn random_inputs(&mut self, rng: &mut Rng) {
        let inputs = 1..1 + self.system.num_inputs();
        self.values[inputs].fill_with(|| rng.next_u64());
    }

    fn evaluate(&mut self) {
        let first = self.system.first_gate();
        for (g, &[a, b]) in self.system.gates().iter().enumerate() {
            self.values[first + g] = self.value(a) & self.value(b);
        }
    }
}
