//! A system for one query: another start, more constraints, another bad state.

use std::collections::HashMap;
use std::sync::Arc;

use buttress_system::{BitSystem, Clause, Latch, Lit, Property, SymbolKind, Ternary};

use crate::circuit::Circuit;

/// A copy of a system with gates beside its own.
pub(crate) struct Sketch {
    new: BitSystem,
    /// The gates of a [`Circuit`] that were taken over, about this state and the next.
    sets: [HashMap<usize, Lit>; 2],
}

impl Sketch {
    pub fn of(system: &BitSystem) -> Sketch {
        let mut new = BitSystem::new(system.num_inputs(), system.num_latches());
        new.reserve_gates(system.num_gates());
        for &[a, b] in system.gates() {
            new.push_gate(a, b);
        }
        system.latches().for_each(|l| new.set_latch(l, system.latch(l)));
        new.constraints = system.constraints.clone();
        Sketch { new, sets: [HashMap::new(), HashMap::new()] }
    }

    pub fn system(self) -> Arc<BitSystem> {
        Arc::new(self.new)
    }

    /// Executions begin in this state.
    pub fn begin(&mut self, state: &[Ternary]) {
        for (latch, &start) in self.new.latches().zip(state) {
            let next = self.new.latch(latch).next;
            self.new.set_latch(latch, Latch { next, reset: Lit::constant(start == Ternary::One) });
        }
    }

    /// Executions begin in any state.
    pub fn begin_anywhere(&mut self) {
        for latch in self.new.latches() {
            let Latch { next, .. } = self.new.latch(latch);
            self.new.set_latch(latch, Latch { next, reset: self.new.latch_lit(latch) });
        }
    }

    /// Only steps within the arena count that has these walls around it.
    pub fn stay(&mut self, walls: &[(&[Clause], bool)]) {
        for &(set, inside) in walls {
            if inside {
                for clause in set {
                    let holds = self.clause(clause, false);
                    self.new.constraints.push(holds);
                }
                continue;
            }
            for after in [false, true] {
                let inside = self.all(set, after);
                self.new.constraints.push(!inside);
            }
        }
    }

    /// A step within the arena. No step leaves a wall, so that whoever is inside need not be asked where it leads.
    pub fn within(&mut self, walls: &[(&[Clause], bool)]) -> Lit {
        let mut within = Lit::TRUE;
        for &(set, inside) in walls {
            let now = self.all(set, false);
            within = self.and(within, if inside { now } else { !now });
            if !inside {
                let after = self.all(set, true);
                within = self.and(within, !after);
            }
        }
        within
    }

    /// The state is this one.
    pub fn is(&mut self, state: &[Ternary]) -> Lit {
        let mut is = Lit::TRUE;
        for (latch, &value) in self.new.latches().zip(state) {
            let own = self.new.latch_lit(latch) ^ (value != Ternary::One);
            is = self.and(is, own);
        }
        is
    }

    pub fn bad(&mut self, bad: Lit) {
        let symbol = (SymbolKind::Bad, self.new.properties.len());
        self.new.properties.push(Property { bad, symbol });
    }

    pub fn require(&mut self, constraint: Lit) {
        self.new.constraints.push(constraint);
    }

    /// What was required so far need not hold here.
    pub fn weaken(&mut self, here: Lit) {
        for place in 0..self.new.constraints.len() {
            let constraint = self.new.constraints[place];
            self.new.constraints[place] = !self.and(!constraint, !here);
        }
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::TRUE, other) | (other, Lit::TRUE) => other,
            (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
            _ => self.new.push_gate(a, b),
        }
    }

    /// The conjunction of clauses, about this state or the next.
    fn all(&mut self, clauses: &[Clause], after: bool) -> Lit {
        let mut all = Lit::TRUE;
        for clause in clauses {
            let holds = self.clause(clause, after);
            all = self.and(all, holds);
        }
        all
    }

    fn clause(&mut self, clause: &Clause, after: bool) -> Lit {
        let mut none = Lit::TRUE;
        for &lit in &clause.0 {
            let lit = if after { self.next(lit) } else { lit };
            none = self.and(none, !lit);
        }
        !none
    }

    /// A set of states, about this state or the next; all sets of a sketch are from one circuit.
    pub fn set(&mut self, circuit: &Circuit, set: Lit, after: bool) -> Lit {
        for gate in circuit.cone(set) {
            if !self.sets[usize::from(after)].contains_key(&gate) {
                let [a, b] = circuit.gates[gate].map(|operand| self.known(circuit, operand, after));
                let made = self.and(a, b);
                self.sets[usize::from(after)].insert(gate, made);
            }
        }
        self.known(circuit, set, after)
    }

    fn known(&self, circuit: &Circuit, set: Lit, after: bool) -> Lit {
        match circuit.gate(set) {
            Some(gate) => self.sets[usize::from(after)][&gate] ^ set.is_negated(),
            None if after && !set.is_constant() => self.next(set),
            None => set,
        }
    }

    fn next(&self, lit: Lit) -> Lit {
        let latch = self.new.as_latch(lit.var()).expect("clauses and sets are about latches");
        self.new.latch(latch).next ^ lit.is_negated()
    }
}
