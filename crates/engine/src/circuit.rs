//! Sets of states as a circuit of two-input gates that grows.

use std::collections::HashMap;

use buttress_system::{Lit, Ternary, Var};

/// Gates after the constant, the inputs and the latches of some system, each made once.
pub(crate) struct Circuit {
    /// The number of the first gate among variables.
    first: usize,
    pub gates: Vec<[Lit; 2]>,
    known: HashMap<[Lit; 2], Lit>,
}

impl Circuit {
    pub fn new(first: usize) -> Circuit {
        Circuit { first, gates: Vec::new(), known: HashMap::new() }
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a.min(b), a.max(b)) {
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, other) => other,
            (a, b) if a == b => a,
            (a, b) if a == !b => Lit::FALSE,
            (a, b) => *self.known.entry([a, b]).or_insert_with(|| {
                self.gates.push([a, b]);
                Var::new((self.first + self.gates.len() - 1) as u32).lit()
            }),
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn all(&mut self, sets: impl IntoIterator<Item = Lit>) -> Lit {
        sets.into_iter().fold(Lit::TRUE, |all, set| self.and(all, set))
    }

    /// `decides ? one : zero`
    pub fn choose(&mut self, decides: Lit, one: Lit, zero: Lit) -> Lit {
        let (with, without) = (self.and(decides, one), self.and(!decides, zero));
        self.or(with, without)
    }

    /// The place of a gate.
    pub fn gate(&self, set: Lit) -> Option<usize> {
        set.var().index().checked_sub(self.first)
    }

    /// The gates that a set is made of, in order.
    pub fn cone(&self, set: Lit) -> Vec<usize> {
        let Some(top) = self.gate(set) else { return Vec::new() };
        let mut marked = vec![false; top + 1];
        marked[top] = true;
        for gate in (0..=top).rev() {
            if marked[gate] {
                for below in self.gates[gate].iter().filter_map(|&operand| self.gate(operand)) {
                    marked[below] = true;
                }
            }
        }
        (0..=top).filter(|&gate| marked[gate]).collect()
    }

    /// Whether a state is in a set; it has a value for each latch, the first of which is this variable.
    pub fn contains(&self, set: Lit, latches: usize, state: &[Ternary]) -> bool {
        let mut values: HashMap<usize, bool> = HashMap::new();
        let value = |values: &HashMap<usize, bool>, lit: Lit| {
            let plain = match self.gate(lit) {
                Some(gate) => values[&gate],
                None if lit.is_constant() => false,
                None => state[lit.var().index() - latches] == Ternary::One,
            };
            plain != lit.is_negated()
        };
        for gate in self.cone(set) {
            let [a, b] = self.gates[gate];
            let both = value(&values, a) && value(&values, b);
            values.insert(gate, both);
        }
        value(&values, set)
    }
}
