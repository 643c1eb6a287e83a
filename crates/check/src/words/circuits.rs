//! The checker's own circuits for operators on words, after the definitions of SMT-LIB.
//!
//! They share no line with those that `transform` blasts with, and they are plainer: full adders by majority,
//! comparisons bit by bit, signed division by its case distinction, overflow as a difference from the exact
//! result in more bits, rotation as two shifts. Gates with constant or equal operands are not made; nothing else
//! is folded, and equal gates are not shared.

use buttress_system::{BitSystem, Clause, Lit, Node};

pub(super) type Bits = Vec<Lit>;

pub(super) struct Circuits {
    pub system: BitSystem,
}

pub(super) fn not(a: &[Lit]) -> Bits {
    a.iter().map(|&l| !l).collect()
}

fn constant(n: u64, width: usize) -> Bits {
    (0..width).map(|i| Lit::constant(i < 64 && n >> i & 1 == 1)).collect()
}

pub(super) fn sign(a: &[Lit]) -> Lit {
    a[a.len() - 1]
}

pub(super) fn extend(a: &[Lit], by: usize, fill: Lit) -> Bits {
    let mut bits = a.to_vec();
    bits.resize(a.len() + by, fill);
    bits
}

impl Circuits {
    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
            (Lit::TRUE, x) | (x, Lit::TRUE) => x,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self.system.push_gate(a, b),
        }
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// (a ∧ ¬b) ∨ (¬a ∧ b)
    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let only_a = self.and(a, !b);
        let only_b = self.and(!a, b);
        self.or(only_a, only_b)
    }

    pub(super) fn conjunction(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::TRUE, |all, &l| self.and(all, l))
    }

    pub(super) fn disjunction(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::FALSE, |any, &l| self.or(any, l))
    }

    /// A literal as the clause that it is: ¬(a ∧ b) is ¬a ∨ ¬b, for gates from `first` on.
    pub(super) fn clause(&self, lit: Lit, first: usize) -> Clause {
        let (mut todo, mut lits) = (vec![lit], Vec::new());
        while let Some(lit) = todo.pop() {
            match self.system.node(lit.var()) {
                Node::Gate(a, b) if lit.is_negated() && lit.var().index() >= first => todo.extend([!a, !b]),
                _ => lits.push(lit),
            }
        }
        Clause::new(lits)
    }

    pub(super) fn zip(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Circuits, Lit, Lit) -> Lit) -> Bits {
        (0..a.len()).map(|i| gate(self, a[i], b[i])).collect()
    }

    /// (c ∧ a) ∨ (¬c ∧ b), for each bit
    pub(super) fn ite(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        let bit = |i: usize| {
            if a[i] == b[i] {
                return a[i];
            }
            let then = self.and(c, a[i]);
            let other = self.and(!c, b[i]);
            self.or(then, other)
        };
        (0..a.len()).map(bit).collect()
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let different = self.zip(a, b, Circuits::xor);
        !self.disjunction(&different)
    }

    /// a + b + carry; sum = a ⊕ b ⊕ c, carry = ab ∨ ac ∨ bc
    fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Bits {
        let mut sum = Bits::new();
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            let (xy, xc, yc) = (self.and(x, y), self.and(x, carry), self.and(y, carry));
            carry = self.disjunction(&[xy, xc, yc]);
        }
        sum
    }

    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        self.sum(a, b, Lit::FALSE)
    }

    pub(super) fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        self.sum(a, &not(b), Lit::TRUE)
    }

    /// ¬a + 1
    pub(super) fn neg(&mut self, a: &[Lit]) -> Bits {
        self.sum(&not(a), &constant(1, a.len()), Lit::FALSE)
    }

    /// Σ_i b_i · a · 2^i
    pub(super) fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let mut total = constant(0, a.len());
        for i in 0..b.len() {
            let moved = (0..a.len()).map(|j| if j < i { Lit::FALSE } else { a[j - i] });
            let row: Bits = moved.map(|l| self.and(b[i], l)).collect();
            total = self.add(&total, &row);
        }
        total
    }

    /// a < b: the highest bit in which they differ is b's.
    pub(super) fn ult(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = Lit::FALSE;
        for (&x, &y) in a.iter().zip(b) {
            let below = self.and(!x, y);
            let above = self.and(x, !y);
            let kept = self.and(!above, less);
            less = self.or(below, kept);
        }
        less
    }

    /// a is negative and b is not, or they have one sign and a < b as numbers without.
    pub(super) fn slt(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let crossed = self.and(sign(a), !sign(b));
        let opposite = self.xor(sign(a), sign(b));
        let below = self.ult(a, b);
        let same = self.and(!opposite, below);
        self.or(crossed, same)
    }

    /// Quotient and remainder by long division; by zero, all ones and the dividend.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let width = a.len();
        let divisor = extend(b, 1, Lit::FALSE);
        let mut rest = constant(0, width + 1);
        let mut quotient = constant(0, width);
        for i in (0..width).rev() {
            rest.rotate_right(1);
            rest[0] = a[i];
            quotient[i] = !self.ult(&rest, &divisor);
            let less = self.sub(&rest, &divisor);
            rest = self.ite(quotient[i], &less, &rest);
        }
        let by_zero = !self.disjunction(b);
        let quotient = self.ite(by_zero, &vec![Lit::TRUE; width], &quotient);
        (quotient, self.ite(by_zero, a, &rest[..width]))
    }

    pub(super) fn udiv(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        self.divide(a, b).0
    }

    pub(super) fn urem(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        self.divide(a, b).1
    }

    fn abs(&mut self, a: &[Lit]) -> Bits {
        let negated = self.neg(a);
        self.ite(sign(a), &negated, a)
    }

    pub(super) fn sdiv(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let (x, y) = (self.abs(a), self.abs(b));
        let positive = self.udiv(&x, &y);
        let negative = self.neg(&positive);
        let opposite = self.xor(sign(a), sign(b));
        self.ite(opposite, &negative, &positive)
    }

    pub(super) fn srem(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let (x, y) = (self.abs(a), self.abs(b));
        let positive = self.urem(&x, &y);
        let negative = self.neg(&positive);
        self.ite(sign(a), &negative, &positive)
    }

    /// With u = |a| rem |b|: u if that is 0 or both are positive, b - u for a < 0 < b, u + b for b < 0 ≤ a, else
    /// -u.
    pub(super) fn smod(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let (x, y) = (self.abs(a), self.abs(b));
        let u = self.urem(&x, &y);
        let zero = !self.disjunction(&u);
        let minus_u = self.neg(&u);
        let (b_minus_u, u_plus_b) = (self.add(&minus_u, b), self.add(&u, b));
        let negative_a = self.ite(sign(b), &minus_u, &b_minus_u);
        let positive_a = self.ite(sign(b), &u_plus_b, &u);
        let by_signs = self.ite(sign(a), &negative_a, &positive_a);
        self.ite(zero, &u, &by_signs)
    }

    /// One shift by 2^j for each bit j of the amount.
    fn shift(&mut self, a: &[Lit], by: &[Lit], fill: Lit, up: bool) -> Bits {
        let mut bits = a.to_vec();
        for (j, &bit) in by.iter().enumerate() {
            let places = if j < 32 { (1usize << j).min(a.len()) } else { a.len() };
            let filling = vec![fill; places];
            let moved = match up {
                true => [&filling[..], &bits[..a.len() - places]].concat(),
                false => [&bits[places..], &filling[..]].concat(),
            };
            bits = self.ite(bit, &moved, &bits);
        }
        bits
    }

    pub(super) fn shl(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        self.shift(a, by, Lit::FALSE, true)
    }

    pub(super) fn lshr(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        self.shift(a, by, Lit::FALSE, false)
    }

    pub(super) fn ashr(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        self.shift(a, by, sign(a), false)
    }

    /// (a << m) | (a >> (width - m)), m the amount modulo the width
    pub(super) fn rol(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        let (there, back) = self.two_ways(a, by);
        let (up, down) = (self.shl(a, &there), self.lshr(a, &back));
        self.zip(&up, &down, Circuits::or)
    }

    /// (a >> m) | (a << (width - m))
    pub(super) fn ror(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        let (there, back) = self.two_ways(a, by);
        let (up, down) = (self.shl(a, &back), self.lshr(a, &there));
        self.zip(&up, &down, Circuits::or)
    }

    /// m and width - m; the width fits its own number of bits.
    fn two_ways(&mut self, a: &[Lit], by: &[Lit]) -> (Bits, Bits) {
        let width = constant(a.len() as u64, a.len());
        let there = self.urem(by, &width);
        let back = self.sub(&width, &there);
        (there, back)
    }

    /// The result in `more` bits is not the extended result.
    pub(super) fn overflow(&mut self, a: &[Lit], b: &[Lit], signed: bool, more: usize, op: BinaryOp) -> Lit {
        let wide = |w: &[Lit]| extend(w, more, if signed { sign(w) } else { Lit::FALSE });
        let exact = op(self, &wide(a), &wide(b));
        let cut = wide(&exact[..a.len()]);
        !self.equal(&exact, &cut)
    }

    /// ⋁_p (index = p ∧ element_p)
    pub(super) fn select(&mut self, array: &[Lit], places: usize, index: &[Lit]) -> Bits {
        let width = array.len() / places;
        let mut found = constant(0, width);
        for p in 0..places {
            let here = self.equal(index, &constant(p as u64, index.len()));
            for i in 0..width {
                let bit = self.and(here, array[p * width + i]);
                found[i] = self.or(found[i], bit);
            }
        }
        found
    }

    pub(super) fn store(&mut self, array: &[Lit], places: usize, index: &[Lit], new: &[Lit]) -> Bits {
        let width = array.len() / places;
        let mut bits = Bits::new();
        for p in 0..places {
            let here = self.equal(index, &constant(p as u64, index.len()));
            bits.extend(self.ite(here, new, &array[p * width..(p + 1) * width]));
        }
        bits
    }

    /// A number beyond the last constant of an enumeration reads as the last.
    pub(super) fn at_most(&mut self, a: &[Lit], last: u64) -> Bits {
        let last = constant(last, a.len());
        let beyond = self.ult(&last, a);
        self.ite(beyond, &last, a)
    }
}

pub(super) type BinaryOp = fn(&mut Circuits, &[Lit], &[Lit]) -> Bits;
