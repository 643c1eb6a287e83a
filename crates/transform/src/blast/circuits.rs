//! Circuits on words: rows of literals, least significant first, operands of one width.
//!
//! Adders ripple, multipliers shift and add, dividers restore, shifters go by powers of two: the forms that SAT
//! solvers are used to. Folding in [`Gates`] specialises them where operands are constant. Division by zero
//! needs no case of its own: a restoring divider by zero gives all ones and the dividend, as the standard wants.

use buttress_system::Lit;

use crate::gates::Gates;

pub(super) type Bits = Vec<Lit>;

pub(super) fn inverted(a: &[Lit]) -> Bits {
    a.iter().map(|&l| !l).collect()
}

fn sign(a: &[Lit]) -> Lit {
    *a.last().expect("a word has a bit")
}

impl Gates {
    pub(super) fn each(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Bits {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    pub(super) fn choose(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        a.iter().zip(b).map(|(&a, &b)| self.mux(condition, a, b)).collect()
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Bits = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(&same)
    }

    /// `a + b + carry`, and the carry out.
    pub(super) fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Bits, Lit) {
        let mut bit = |(&a, &b)| {
            let (sum, out) = self.full_adder(a, b, carry);
            carry = out;
            sum
        };
        let sum = a.iter().zip(b).map(&mut bit).collect();
        (sum, carry)
    }

    /// `a - b`, and whether it is not negative.
    pub(super) fn difference(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Lit) {
        self.sum(a, &inverted(b), Lit::TRUE)
    }

    pub(super) fn negated(&mut self, a: &[Lit]) -> Bits {
        let zero = vec![Lit::FALSE; a.len()];
        self.difference(&zero, a).0
    }

    /// `a < b`, unsigned: the borrow of `a - b`.
    pub(super) fn below(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        !a.iter().zip(b).fold(Lit::TRUE, |carry, (&a, &b)| self.majority(a, !b, carry))
    }

    /// `a < b` in two's complement: as unsigned, with the sign bits exchanged.
    pub(super) fn below_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let exchange = |from: &[Lit], other: &[Lit]| {
            let mut bits = from.to_vec();
            *bits.last_mut().expect("a word has a bit") = sign(other);
            bits
        };
        self.below(&exchange(a, b), &exchange(b, a))
    }

    /// The low half of the product: one row for each bit of the multiplier, which is the operand with more
    /// constants.
    pub(super) fn product(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let constants = |w: &[Lit]| w.iter().filter(|l| l.is_constant()).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut product = vec![Lit::FALSE; a.len()];
        for (i, &bit) in b.iter().enumerate().filter(|(_, bit)| **bit != Lit::FALSE) {
            let row: Bits = a[..a.len() - i].iter().map(|&l| self.and(l, bit)).collect();
            let (sum, _) = self.sum(&product[i..], &row, Lit::FALSE);
            product[i..].copy_from_slice(&sum);
        }
        product
    }

    /// Quotient and remainder by restoring division: shift a bit of the dividend in, subtract if possible.
    pub(super) fn quotient(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let mut divisor = b.to_vec();
        divisor.push(Lit::FALSE);
        let mut rest = vec![Lit::FALSE; a.len()];
        let mut quotient = vec![Lit::FALSE; a.len()];
        for i in (0..a.len()).rev() {
            rest.insert(0, a[i]);
            let (less, fits) = self.difference(&rest, &divisor);
            quotient[i] = fits;
            rest = self.choose(fits, &less, &rest);
            rest.pop();
        }
        (quotient, rest)
    }

    fn negated_if(&mut self, condition: Lit, a: &[Lit]) -> Bits {
        let negated = self.negated(a);
        self.choose(condition, &negated, a)
    }

    pub(super) fn magnitude(&mut self, a: &[Lit]) -> Bits {
        self.negated_if(sign(a), a)
    }

    /// Signed quotient, remainder (with the sign of `a`) and modulus (with the sign of `b`).
    pub(super) fn signed_quotient(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let (quotient, _) = self.quotient(&x, &y);
        let opposite = self.xor(sign(a), sign(b));
        self.negated_if(opposite, &quotient)
    }

    pub(super) fn signed_remainder(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let (_, rest) = self.quotient(&x, &y);
        self.negated_if(sign(a), &rest)
    }

    pub(super) fn signed_modulus(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let rest = self.signed_remainder(a, b);
        let opposite = self.xor(sign(a), sign(b));
        let some = self.any(&rest);
        let other_side = self.and(some, opposite);
        let (moved, _) = self.sum(&rest, b, Lit::FALSE);
        self.choose(other_side, &moved, &rest)
    }

    /// Towards the least significant bit, with `fill` behind. All amounts from the width on are alike.
    pub(super) fn shifted_down(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Bits {
        let width = a.len();
        let mut bits = a.to_vec();
        let stages = by.len().min(width.next_power_of_two().trailing_zeros() as usize);
        for (j, &bit) in by[..stages].iter().enumerate() {
            let from = |i: usize| bits.get(i + (1 << j)).copied().unwrap_or(fill);
            let moved: Bits = (0..width).map(from).collect();
            bits = self.choose(bit, &moved, &bits);
        }
        let beyond = self.any(&by[stages..]);
        let filled = vec![fill; width];
        self.choose(beyond, &filled, &bits)
    }

    pub(super) fn shifted_up(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        let reversed: Bits = a.iter().rev().copied().collect();
        let mut bits = self.shifted_down(&reversed, by, Lit::FALSE);
        bits.reverse();
        bits
    }

    /// To higher places. Bit j of the amount rotates by 2^j modulo the width; rotations add up.
    pub(super) fn rotated_up(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut places = 1 % width;
        for &bit in by {
            let mut moved = bits.clone();
            moved.rotate_right(places);
            bits = self.choose(bit, &moved, &bits);
            places = places * 2 % width;
        }
        bits
    }

    pub(super) fn rotated_down(&mut self, a: &[Lit], by: &[Lit]) -> Bits {
        let reversed: Bits = a.iter().rev().copied().collect();
        let mut bits = self.rotated_up(&reversed, by);
        bits.reverse();
        bits
    }

    /// The exact sum does not fit: carry out, or operands of one sign and a sum of the other.
    pub(super) fn sum_overflows_signed(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Lit {
        let (sum, _) = self.sum(a, b, carry);
        let opposite = self.xor(sign(a), sign(b));
        let changed = self.xor(sign(a), sign(&sum));
        self.and(!opposite, changed)
    }

    /// The upper half of the exact product is not empty.
    pub(super) fn product_overflows(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let wide = |w: &[Lit]| [w, &vec![Lit::FALSE; w.len()]].concat();
        let product = self.product(&wide(a), &wide(b));
        self.any(&product[a.len()..])
    }

    /// The upper half of the exact product is not the sign of the lower one.
    pub(super) fn product_overflows_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let wide = |w: &[Lit]| [w, &vec![sign(w); w.len()]].concat();
        let product = self.product(&wide(a), &wide(b));
        let signs = vec![product[a.len() - 1]; a.len()];
        !self.equal(&product[a.len()..], &signs)
    }

    /// The smallest number by -1.
    pub(super) fn quotient_overflows(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (low, top) = a.split_at(a.len() - 1);
        let rest_zero = !self.any(low);
        let minus_one = self.all(b);
        let smallest = self.and(top[0], rest_zero);
        self.and(smallest, minus_one)
    }

    /// Element number `index` of a row of `places` elements; a larger index reads the last.
    pub(super) fn selected(&mut self, elements: &[Lit], places: usize, index: &[Lit]) -> Bits {
        let width = elements.len() / places;
        let mut level: Vec<Bits> =
            (0..places).map(|p| elements[p * width..(p + 1) * width].to_vec()).collect();
        for &bit in index {
            let merge = |pair: &[Bits]| match pair {
                [low, high] => self.choose(bit, high, low),
                single => single[0].clone(),
            };
            level = level.chunks(2).map(merge).collect();
        }
        level.swap_remove(0)
    }

    /// The row with element number `index` replaced.
    pub(super) fn stored(&mut self, elements: &[Lit], places: usize, index: &[Lit], new: &[Lit]) -> Bits {
        let width = elements.len() / places;
        let hits = self.decoded(index, places);
        let place = |(p, hit): (usize, Lit)| self.choose(hit, new, &elements[p * width..(p + 1) * width]);
        hits.into_iter().enumerate().flat_map(place).collect()
    }

    /// For each place, whether the index is its number.
    fn decoded(&mut self, index: &[Lit], places: usize) -> Bits {
        let mut hits = vec![Lit::TRUE];
        for &bit in index.iter().rev() {
            hits = hits.iter().flat_map(|&hit| [self.and(hit, !bit), self.and(hit, bit)]).collect();
        }
        hits.truncate(places);
        hits
    }
}
