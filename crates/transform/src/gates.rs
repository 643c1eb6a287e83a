//! An and-inverter graph under construction: constants are folded, equal gates are shared.

use buttress_system::{BitSystem, Lit, Var};
use hashbrown::HashTable;

pub(crate) struct Gates {
    pub system: BitSystem,
    /// Numbers of gates, found by their operands. The operands themselves stand in the system alone.
    shared: HashTable<u32>,
}

/// Literals are small and close to each other: one multiplication spreads them over all bits.
fn hash([a, b]: [Lit; 2]) -> u64 {
    let product = (u64::from(a.code()) << 32 | u64::from(b.code())).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

impl Gates {
    /// Over a system without gates.
    pub(crate) fn new(system: BitSystem) -> Gates {
        Gates { system, shared: HashTable::new() }
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match () {
            _ if a == Lit::FALSE || a == !b => Lit::FALSE,
            _ if a == Lit::TRUE || a == b => b,
            _ => self.gate([a, b]),
        }
    }

    fn gate(&mut self, operands: [Lit; 2]) -> Lit {
        let gates = self.system.gates();
        let same = |&g: &u32| gates[g as usize] == operands;
        let number = match self.shared.find(hash(operands), same) {
            Some(&known) => known as usize,
            None => {
                let new = gates.len();
                self.shared.insert_unique(hash(operands), new as u32, |&g| hash(gates[g as usize]));
                self.system.push_gate(operands[0], operands[1]);
                new
            }
        };
        Var::new((self.system.first_gate() + number) as u32).lit()
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither)
    }

    /// `condition ? a : b`
    pub(crate) fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        match () {
            _ if a == b => a,
            _ if a == !b => !self.xor(condition, a),
            _ if a.is_constant() || a == condition || a == !condition => {
                let a = if a.is_constant() { a } else { Lit::constant(a == condition) };
                if a == Lit::TRUE { self.or(condition, b) } else { self.and(!condition, b) }
            }
            _ if b.is_constant() || b == condition || b == !condition => {
                let b = if b.is_constant() { b } else { Lit::constant(b == !condition) };
                if b == Lit::TRUE { self.or(!condition, a) } else { self.and(condition, a) }
            }
            _ => {
                let then = self.and(condition, a);
                let other = self.and(!condition, b);
                self.or(then, other)
            }
        }
    }

    /// Sum and carry of three bits, in seven gates.
    pub(crate) fn full_adder(&mut self, a: Lit, b: Lit, carry: Lit) -> (Lit, Lit) {
        let both = self.and(a, b);
        let one = self.xor(a, b);
        let passed = self.and(one, carry);
        (self.xor(one, carry), self.or(both, passed))
    }

    /// At least two of three, in four gates.
    pub(crate) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let both = self.and(a, b);
        let either = self.or(a, b);
        let passed = self.and(either, c);
        self.or(both, passed)
    }

    /// A balanced conjunction.
    pub(crate) fn all(&mut self, lits: &[Lit]) -> Lit {
        match lits {
            [] => Lit::TRUE,
            [one] => *one,
            _ => {
                let (left, right) = lits.split_at(lits.len() / 2);
                let (left, right) = (self.all(left), self.all(right));
                self.and(left, right)
            }
        }
    }

    /// A balanced disjunction.
    pub(crate) fn any(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|&l| !l).collect();
        !self.all(&negated)
    }

    /// Whether an odd number is true.
    pub(crate) fn parity(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::FALSE, |odd, &l| self.xor(odd, l))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_system::InputId;
    use buttress_system::Ternary;
    use buttress_system::evidence::{evaluate, value};

    /// Every function on all literals and constants, against its truth table.
    #[test]
    fn folding_changes_no_function() {
        let base = BitSystem::new(3, 0);
        let inputs: Vec<Lit> = (0..3).map(|i| base.input_lit(InputId::new(i))).collect();
        let leaves: Vec<Lit> = inputs.iter().flat_map(|&l| [l, !l]).chain([Lit::FALSE, Lit::TRUE]).collect();
        for (&a, &b, &c) in leaves
            .iter()
            .flat_map(|a| leaves.iter().map(move |b| (a, b)))
            .flat_map(|(a, b)| leaves.iter().map(move |c| (a, b, c)))
        {
            let mut gates = Gates::new(base.clone());
            let (sum, carry) = gates.full_adder(a, b, c);
            let made = [
                gates.and(a, b),
                gates.or(a, b),
                gates.xor(a, b),
                gates.mux(a, b, c),
                sum,
                carry,
                gates.majority(a, b, c),
            ];
            for n in 0..8u32 {
                let row: Vec<Ternary> = (0..3).map(|i| Ternary::from(n >> i & 1 == 1)).collect();
                let values = evaluate(&gates.system, &[], &row);
                let read = |l: Lit| value(&values, l) == Ternary::One;
                let (x, y, z) = (read(a), read(b), read(c));
                let ones = u8::from(x) + u8::from(y) + u8::from(z);
                let wanted =
                    [x && y, x || y, x != y, if x { y } else { z }, ones % 2 == 1, ones > 1, ones > 1];
                assert_eq!(made.map(read), wanted, "{a:?} {b:?} {c:?} under {n:03b}");
            }
        }
    }
}
