//! Copies of a circuit in a solver, folded and shared across copies.

use buttress_solve::sat;
use buttress_system::{BitSystem, LatchId, Lit, Node, Var};
use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::{Compared, Sweeping};

/// The solver's literal of a literal of the circuit.
pub(super) fn image(lits: &[sat::Lit], lit: Lit) -> sat::Lit {
    lits[lit.var().index()] ^ lit.is_negated()
}

/// A variable that no clause defines.
fn leaf(solver: &mut impl Sweeping) -> sat::Lit {
    let leaf = solver.new_var();
    solver.defined(&[]);
    leaf
}

pub(super) struct Encoder<'a, S> {
    system: &'a BitSystem,
    pub solver: S,
    zero: sat::Lit,
    gates: FxHashMap<[sat::Lit; 2], sat::Lit>,
}

impl<'a, S: Sweeping> Encoder<'a, S> {
    pub(super) fn new(system: &'a BitSystem, mut solver: S) -> Encoder<'a, S> {
        let zero = solver.new_var();
        solver.add_clause(&[!zero]);
        Encoder { system, solver, zero, gates: FxHashMap::default() }
    }

    /// Zero, inputs and latches, all free but the first.
    pub(super) fn free(&mut self) -> Vec<sat::Lit> {
        let leaves = self.system.first_gate() - 1;
        std::iter::once(self.zero).chain((0..leaves).map(|_| leaf(&mut self.solver))).collect()
    }

    /// x₀ and i₀ with R(x₀,i₀), where resets are constants or free.
    pub(super) fn reset_state(&mut self) -> Vec<sat::Lit> {
        let mut leaves = self.free();
        let system = self.system;
        let constant = |l: &LatchId| system.latch(*l).reset.is_constant();
        for latch in system.latches().filter(constant) {
            let one = system.latch(latch).reset == Lit::TRUE;
            leaves[system.latch_lit(latch).var().index()] = self.zero ^ one;
        }
        leaves
    }

    /// (x₀,i₀) with C and all members of a class equal.
    pub(super) fn assuming(&mut self, classes: &Classes) -> Vec<sat::Lit> {
        let mut lits = self.free();
        for var in (0..self.system.num_vars()).map(|v| Var::new(v as u32)) {
            let own = self.define(var, &mut lits);
            if let Some(other) = classes.representative(var) {
                let other = image(&lits, other);
                // A latch stands for itself: it is free to be the other.
                if self.system.as_latch(var).is_none() {
                    self.equate(own, other);
                }
                lits[var.index()] = other;
            }
        }
        for &constraint in &self.system.constraints {
            self.require(image(&lits, constraint));
        }
        lits
    }

    /// x₁ and i₁: the latches are what comes after this frame.
    pub(super) fn successor(&mut self, before: &[sat::Lit]) -> Vec<sat::Lit> {
        let system = self.system;
        let inputs: Vec<sat::Lit> = system.inputs().map(|_| leaf(&mut self.solver)).collect();
        let latches = system.latches().map(|l| image(before, system.latch(l).next));
        std::iter::once(self.zero).chain(inputs).chain(latches).collect()
    }

    /// The literal holds, in every query.
    fn require(&mut self, lit: sat::Lit) {
        self.solver.always(lit.variable());
        self.solver.add_clause(&[lit]);
    }

    /// The variable's literal; that of a gate is appended.
    pub(super) fn define(&mut self, var: Var, lits: &mut Vec<sat::Lit>) -> sat::Lit {
        if let Node::Gate(a, b) = self.system.node(var) {
            let gate = self.and(image(lits, a), image(lits, b));
            lits.push(gate);
        }
        lits[var.index()]
    }

    /// g ↔ a ∧ b
    fn and(&mut self, a: sat::Lit, b: sat::Lit) -> sat::Lit {
        let (a, b) = (a.min(b), a.max(b));
        match () {
            _ if a == self.zero || a == !b => return self.zero,
            _ if a == !self.zero || a == b => return b,
            _ => {}
        }
        if let Some(&gate) = self.gates.get(&[a, b]) {
            return gate;
        }
        let gate = self.solver.new_var();
        self.solver.defined(&[a.variable(), b.variable()]);
        self.solver.add_clause(&[!gate, a]);
        self.solver.add_clause(&[!gate, b]);
        self.solver.add_clause(&[gate, !a, !b]);
        self.gates.insert([a, b], gate);
        gate
    }

    /// a ↔ b
    pub(super) fn equate(&mut self, a: sat::Lit, b: sat::Lit) {
        if a != b {
            self.solver.add_clause(&[!a, b]);
            self.solver.add_clause(&[a, !b]);
        }
    }

    /// The inputs and latches of this frame in the solver's model.
    pub(super) fn difference(&mut self, lits: &[sat::Lit]) -> Compared {
        let system = self.system;
        let mut read = |lit: Lit| self.solver.value(image(lits, lit));
        let inputs = system.inputs().map(|i| read(system.input_lit(i))).collect();
        let latches = system.latches().map(|l| read(system.latch_lit(l))).collect();
        Compared::Different { latches, inputs }
    }
}
