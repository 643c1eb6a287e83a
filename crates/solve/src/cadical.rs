//! CaDiCaL (Biere et al.) through `cadical-sys`, which builds it from source with any C++ compiler.
//!
//! Bounded variable addition (`factor`) is off: it renumbers what an incremental user declares. So are lucky
//! phases: tried anew for every query, they made the check of an invariant of 2,352 clauses five times slower.
//! Variables are first decided to be false. Everything else is CaDiCaL's default. The solver polls [`Stop`]
//! itself.

use cadical_sys::{CaDiCal, Status, Terminator};

use crate::sat::{Core, Lit, Model, Outcome, Patient, Phases, Solver};
use crate::{Stop, Stopped};

pub struct Cadical {
    solver: CaDiCal,
    variables: u32,
    stop: Stop,
}

struct Poll(Stop);

impl Terminator for Poll {
    fn terminated(&mut self) -> bool {
        self.0.check().is_err()
    }
}

/// CaDiCaL counts variables from 1.
fn external(lit: Lit) -> i32 {
    let variable = lit.variable() as i32 + 1;
    if lit.is_negated() { -variable } else { variable }
}

impl Cadical {
    pub fn new(stop: &Stop, seed: u64) -> Cadical {
        let mut solver = CaDiCal::new();
        solver.set("phase", 0);
        solver.set("factor", 0);
        solver.set("lucky", 0);
        solver.set("seed", (seed % 1_000_000_000) as i32);
        solver.connect_terminator(Poll(stop.clone()));
        Cadical { solver, variables: 0, stop: stop.clone() }
    }
}

impl Solver for Cadical {
    fn new_var(&mut self) -> Lit {
        self.variables += 1;
        Lit::new(self.variables - 1, false)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        debug_assert!(clause.iter().all(|l| l.variable() < self.variables));
        clause.iter().for_each(|&l| self.solver.add(external(l)));
        self.solver.add(0);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Result<Outcome, Stopped> {
        let unknown = || Stopped::Solver("CaDiCaL answered unknown".to_string());
        self.solve_within(assumptions, u64::MAX)?.ok_or_else(unknown)
    }
}

impl Patient for Cadical {
    fn solve_within(&mut self, assumptions: &[Lit], conflicts: u64) -> Result<Option<Outcome>, Stopped> {
        self.stop.check()?;
        assumptions.iter().for_each(|&l| self.solver.assume(external(l)));
        // For the next call only; more than the greatest number is no limit.
        if let Ok(conflicts) = i32::try_from(conflicts) {
            self.solver.limit("conflicts", conflicts);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => Ok(Some(Outcome::Sat)),
            Status::UNSATISFIABLE => Ok(Some(Outcome::Unsat)),
            Status::UNKNOWN => self.stop.check().map(|()| None),
        }
    }
}

impl Model for Cadical {
    fn value(&mut self, lit: Lit) -> bool {
        self.solver.val(external(lit)) == external(lit)
    }
}

impl Phases for Cadical {
    fn prefer(&mut self, lit: Lit) {
        self.solver.phase(external(lit));
    }
}

impl Core for Cadical {
    fn failed(&mut self, assumption: Lit) -> bool {
        self.solver.failed(external(assumption))
    }
}
