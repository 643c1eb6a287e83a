//! The checker's own encoder: one copy of the circuit at one point in time, gate by gate, by Tseitin's three
//! clauses. Nothing is folded and nothing is shared, so there is little that can go wrong.

use buttress_solve::sat::{self, Solver};
use buttress_system::{BitSystem, Lit};

/// The solver's literal of every variable that is needed.
pub(crate) struct Frame(Vec<Option<sat::Lit>>);

impl Frame {
    /// Encodes the gates in `needed`, in order, over these inputs and latches.
    pub(crate) fn encode(
        solver: &mut impl Solver,
        system: &BitSystem,
        needed: &[bool],
        zero: sat::Lit,
        inputs: &[sat::Lit],
        latches: &[sat::Lit],
    ) -> Frame {
        let leaves = std::iter::once(&zero).chain(inputs).chain(latches);
        let mut frame = Frame(leaves.map(|&l| Some(l)).collect());
        frame.0.resize(system.num_vars(), None);
        frame.extend(solver, system, needed);
        frame
    }

    /// Encodes what else is needed.
    pub(crate) fn extend(&mut self, solver: &mut impl Solver, system: &BitSystem, needed: &[bool]) {
        let first = system.first_gate();
        for (var, &[a, b]) in system.gates().iter().enumerate().map(|(g, gate)| (first + g, gate)) {
            if needed[var] && self.0[var].is_none() {
                let (a, b) = (self.lit(a), self.lit(b));
                let gate = solver.new_var();
                solver.add_clause(&[!gate, a]);
                solver.add_clause(&[!gate, b]);
                solver.add_clause(&[gate, !a, !b]);
                self.0[var] = Some(gate);
            }
        }
    }

    /// A copy of this frame in which some variables have other values, as far as it is needed.
    pub(crate) fn replaced(
        &self,
        solver: &mut impl Solver,
        system: &BitSystem,
        needed: &[bool],
        others: impl IntoIterator<Item = (Lit, sat::Lit)>,
    ) -> Frame {
        let mut frame = Frame(self.0[..system.first_gate()].to_vec());
        frame.0.resize(system.num_vars(), None);
        for (lit, value) in others {
            frame.0[lit.var().index()] = Some(value ^ lit.is_negated());
        }
        frame.extend(solver, system, needed);
        frame
    }

    pub(crate) fn lit(&self, lit: Lit) -> sat::Lit {
        self.0[lit.var().index()].expect("only needed variables are read") ^ lit.is_negated()
    }
}

/// A literal that is false.
pub(crate) fn constant_zero(solver: &mut impl Solver) -> sat::Lit {
    let zero = solver.new_var();
    solver.add_clause(&[!zero]);
    zero
}

pub(crate) fn fresh(solver: &mut impl Solver, n: usize) -> Vec<sat::Lit> {
    (0..n).map(|_| solver.new_var()).collect()
}

/// a ↔ b
pub(crate) fn assert_equal(solver: &mut impl Solver, a: sat::Lit, b: sat::Lit) {
    solver.add_clause(&[!a, b]);
    solver.add_clause(&[a, !b]);
}

/// A literal that implies a ≠ b.
pub(crate) fn differ(solver: &mut impl Solver, a: sat::Lit, b: sat::Lit) -> sat::Lit {
    let d = solver.new_var();
    solver.add_clause(&[!d, a, b]);
    solver.add_clause(&[!d, !a, !b]);
    d
}
