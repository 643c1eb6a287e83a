//! Bit-parallel simulation: 64 executions at once, one a bit of a machine word.

use crate::{BitSystem, LatchId, Lit, Rng};

/// 64 executions of a system, side by side.
pub struct Simulator<'a> {
    system: &'a BitSystem,
    reset_order: Vec<LatchId>,
    /// The latches and gates that are computed.
    latches: Vec<LatchId>,
    gates: Vec<u32>,
    values: Vec<u64>,
}

impl<'a> Simulator<'a> {
    /// All values zero; see [`reset`](Self::reset). The resets of the system must be stratified.
    pub fn new(system: &'a BitSystem) -> Simulator<'a> {
        Simulator::of(system, &vec![true; system.num_vars()])
    }

    /// As [`new`](Self::new), for these signals and the constraints alone: those that they do not depend on have
    /// any values.
    pub fn within(system: &'a BitSystem, signals: &[Lit]) -> Simulator<'a> {
        let roots = signals.iter().chain(&system.constraints).copied();
        Simulator::of(system, &system.closure(roots))
    }

    fn of(system: &'a BitSystem, marked: &[bool]) -> Simulator<'a> {
        let reset_order = system.reset_order().expect("resets were stratified when the system was read");
        let latches = system.latches().filter(|&l| marked[system.latch_lit(l).var().index()]).collect();
        let is_marked = |gate: &u32| marked[system.first_gate() + *gate as usize];
        let gates = (0..system.num_gates() as u32).filter(is_marked).collect();
        Simulator { system, reset_order, latches, gates, values: vec![0; system.num_vars()] }
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
        let next = |&latch: &LatchId| self.value(self.system.latch(latch).next);
        let next: Vec<u64> = self.latches.iter().map(next).collect();
        for (&latch, value) in self.latches.iter().zip(next) {
            self.values[self.system.latch_lit(latch).var().index()] = value;
        }
    }

    fn random_inputs(&mut self, rng: &mut Rng) {
        let inputs = 1..1 + self.system.num_inputs();
        self.values[inputs].fill_with(|| rng.next_u64());
    }

    fn evaluate(&mut self) {
        let (first, gates) = (self.system.first_gate(), self.system.gates());
        for &gate in &self.gates {
            let [a, b] = gates[gate as usize];
            self.values[first + gate as usize] = self.value(a) & self.value(b);
        }
    }
}
