//! A system that can still be changed: random shapes are drawn on it, faults planted in it, and failing
//! systems shrunk with it.
//!
//! The numbering is that of [`BitSystem`], so inputs and latches are counted first and gates come after.
//! Nothing is folded or shared: a redundant gate is a test, too.

use buttress_system::{BitSystem, Latch, LatchId, Lit, Property, SymbolKind, Var};

/// Safety only: no outputs, no liveness, no names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    pub inputs: usize,
    pub latches: Vec<Latch>,
    pub gates: Vec<[Lit; 2]>,
    pub constraints: Vec<Lit>,
    pub bads: Vec<Lit>,
}

impl Draft {
    /// Latches keep their value and start at 0.
    pub fn new(inputs: usize, latches: usize) -> Draft {
        let own = |l: usize| Var::new((1 + inputs + l) as u32).lit();
        let latches = (0..latches).map(|l| Latch { next: own(l), reset: Lit::FALSE }).collect();
        Draft { inputs, latches, gates: Vec::new(), constraints: Vec::new(), bads: Vec::new() }
    }

    pub fn of(system: &BitSystem) -> Draft {
        Draft {
            inputs: system.num_inputs(),
            latches: system.latches().map(|l| system.latch(l)).collect(),
            gates: system.gates().to_vec(),
            constraints: system.constraints.clone(),
            bads: system.properties.iter().map(|p| p.bad).collect(),
        }
    }

    pub fn build(&self) -> BitSystem {
        let mut system = BitSystem::new(self.inputs, self.latches.len());
        for &[a, b] in &self.gates {
            system.push_gate(a, b);
        }
        self.latches.iter().enumerate().for_each(|(l, &latch)| system.set_latch(LatchId::new(l), latch));
        system.constraints = self.constraints.clone();
        let property = |(index, &bad)| Property { bad, symbol: (SymbolKind::Bad, index) };
        system.properties = self.bads.iter().enumerate().map(property).collect();
        system
    }

    pub fn num_vars(&self) -> usize {
        self.first_gate() + self.gates.len()
    }

    pub fn first_gate(&self) -> usize {
        1 + self.inputs + self.latches.len()
    }

    pub fn input(&self, input: usize) -> Lit {
        Var::new((1 + input) as u32).lit()
    }

    pub fn latch(&self, latch: usize) -> Lit {
        Var::new((1 + self.inputs + latch) as u32).lit()
    }

    pub fn latch_lits(&self) -> Vec<Lit> {
        (0..self.latches.len()).map(|l| self.latch(l)).collect()
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let gate = Var::new(self.num_vars() as u32).lit();
        self.gates.push([a, b]);
        gate
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither)
    }

    /// `if condition { then } else { other }`
    pub fn choose(&mut self, condition: Lit, then: Lit, other: Lit) -> Lit {
        let yes = self.and(condition, then);
        let no = self.and(!condition, other);
        self.or(yes, no)
    }

    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        match lits {
            [] => Lit::TRUE,
            [first, rest @ ..] => rest.iter().fold(*first, |all, &l| self.and(all, l)),
        }
    }

    /// `word = value`, the least significant bit first.
    pub fn equals(&mut self, word: &[Lit], value: usize) -> Lit {
        let bits: Vec<Lit> = word.iter().enumerate().map(|(b, &l)| l ^ (value >> b & 1 == 0)).collect();
        self.all(&bits)
    }

    /// `word + increment`, without the last carry.
    pub fn plus(&mut self, word: &[Lit], increment: Lit) -> Vec<Lit> {
        let mut carry = increment;
        let mut sum = Vec::new();
        for (b, &bit) in word.iter().enumerate() {
            sum.push(self.xor(bit, carry));
            if b + 1 < word.len() {
                carry = self.and(bit, carry);
            }
        }
        sum
    }

    pub fn set_next(&mut self, latch: usize, next: Lit) {
        self.latches[latch].next = next;
    }

    /// The resets of these latches become this number, the least significant bit first.
    pub fn set_resets(&mut self, latches: std::ops::Range<usize>, value: usize) {
        for (b, latch) in latches.enumerate() {
            self.latches[latch].reset = Lit::constant(value >> b & 1 == 1);
        }
    }

    /// Resets depend on each other without a circle.
    pub fn is_stratified(&self) -> bool {
        self.build().reset_order().is_ok()
    }

    /// Without this variable: `by`, which must not be above it, takes its place.
    pub fn without_var(&self, var: Var, by: Lit) -> Draft {
        let map = |lit: Lit| match lit.var() {
            v if v == var => by ^ lit.is_negated(),
            v if v > var => Lit::from_code(lit.code() - 2),
            _ => lit,
        };
        let mut smaller = self.clone();
        let index = var.index();
        if index < 1 + self.inputs {
            smaller.inputs -= 1;
        } else if index < self.first_gate() {
            smaller.latches.remove(index - 1 - self.inputs);
        } else {
            smaller.gates.remove(index - self.first_gate());
        }
        smaller.each_lit(|lit| *lit = map(*lit));
        smaller
    }

    fn each_lit(&mut self, mut change: impl FnMut(&mut Lit)) {
        self.latches.iter_mut().for_each(|l| [&mut l.next, &mut l.reset].into_iter().for_each(&mut change));
        self.gates.iter_mut().flatten().chain(&mut self.constraints).chain(&mut self.bads).for_each(change);
    }
}
