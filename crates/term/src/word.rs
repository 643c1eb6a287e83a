//! Bit-vectors of any width: limbs of 64 bits, least significant first, no bit set beyond the width.
//!
//! The operations are those of SMT-LIB's theory of fixed-size bit-vectors, with its results for division by
//! zero: `x / 0` is all ones and `x rem 0` is `x`. Operands of one width give a result of that width; a wrong
//! width is a bug of the caller and an assertion. A word of up to 64 bits allocates nothing.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;
use smallvec::SmallVec;

/// A bit-vector; its order is by width, then as an unsigned number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Word {
    width: u32,
    limbs: SmallVec<[u64; 1]>,
}

fn limbs_for(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Word {
    pub fn zero(width: u32) -> Word {
        Word { width, limbs: SmallVec::from_elem(0, limbs_for(width)) }
    }

    pub fn one(width: u32) -> Word {
        Word::from_u64(1, width)
    }

    pub fn ones(width: u32) -> Word {
        Word { width, limbs: SmallVec::from_elem(!0, limbs_for(width)) }.masked()
    }

    /// `n` modulo 2^width.
    pub fn from_u64(n: u64, width: u32) -> Word {
        let mut word = Word::zero(width);
        if let Some(low) = word.limbs.first_mut() {
            *low = n;
        }
        word.masked()
    }

    /// `n` modulo 2^width, in two's complement.
    pub fn from_int(n: &BigInt, width: u32) -> Word {
        let magnitude = Word::from_biguint(n.magnitude(), width);
        if n.sign() == Sign::Minus { magnitude.neg() } else { magnitude }
    }

    fn from_biguint(n: &BigUint, width: u32) -> Word {
        let mut word = Word::zero(width);
        word.limbs.iter_mut().zip(n.iter_u64_digits()).for_each(|(limb, digit)| *limb = digit);
        word.masked()
    }

    /// A word from its bits, least significant first.
    pub fn from_bits(bits: impl IntoIterator<Item = bool>) -> Word {
        let mut word = Word { width: 0, limbs: SmallVec::new() };
        for bit in bits {
            if word.width.is_multiple_of(64) {
                word.limbs.push(0);
            }
            *word.limbs.last_mut().expect("a limb was pushed") |= u64::from(bit) << (word.width % 64);
            word.width += 1;
        }
        word
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    /// Bits, least significant first.
    pub fn bits(&self) -> impl ExactSizeIterator<Item = bool> + DoubleEndedIterator + '_ {
        (0..self.width).map(|i| self.bit(i))
    }

    pub fn bit(&self, index: u32) -> bool {
        self.limbs[index as usize / 64] >> (index % 64) & 1 == 1
    }

    /// The sign bit.
    pub fn is_negative(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    pub fn is_zero(&self) -> bool {
        self.limbs.iter().all(|&limb| limb == 0)
    }

    /// The unsigned number, where it fits.
    pub fn to_u64(&self) -> Option<u64> {
        let (low, high) = self.limbs.split_first().unwrap_or((&0, &[]));
        high.iter().all(|&limb| limb == 0).then_some(*low)
    }

    /// The unsigned number.
    pub fn to_int(&self) -> BigInt {
        BigInt::from(self.to_biguint())
    }

    /// The number in two's complement.
    pub fn to_signed(&self) -> BigInt {
        let sign = if self.is_negative() { BigInt::from(1) << self.width } else { BigInt::ZERO };
        self.to_int() - sign
    }

    fn to_biguint(&self) -> BigUint {
        let digits = self.limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]);
        BigUint::new(digits.collect())
    }

    /// Binary digits, most significant first, as VCD and witness formats want them.
    pub fn binary(&self) -> String {
        self.bits().rev().map(|b| if b { '1' } else { '0' }).collect()
    }

    /// Hexadecimal digits, most significant first, as many as the width needs.
    pub fn hex(&self) -> String {
        let digit = |i: u32| (self.limbs[i as usize / 16] >> (i % 16 * 4) & 15) as u32;
        (0..self.width.div_ceil(4))
            .rev()
            .map(|i| char::from_digit(digit(i), 16).expect("a nibble is below 16"))
            .collect()
    }

    fn masked(mut self) -> Word {
        let used = self.width % 64;
        if used != 0 {
            *self.limbs.last_mut().expect("a width above 0 has a limb") &= !0 >> (64 - used);
        }
        self
    }

    fn zip(&self, other: &Word, op: impl Fn(u64, u64) -> u64) -> Word {
        assert_eq!(self.width, other.width, "operands have one width");
        let limbs = self.limbs.iter().zip(&other.limbs).map(|(&a, &b)| op(a, b)).collect();
        Word { width: self.width, limbs }.masked()
    }

    pub fn not(&self) -> Word {
        Word { width: self.width, limbs: self.limbs.iter().map(|limb| !limb).collect() }.masked()
    }

    pub fn and(&self, other: &Word) -> Word {
        self.zip(other, |a, b| a & b)
    }

    pub fn or(&self, other: &Word) -> Word {
        self.zip(other, |a, b| a | b)
    }

    pub fn xor(&self, other: &Word) -> Word {
        self.zip(other, |a, b| a ^ b)
    }

    pub fn neg(&self) -> Word {
        self.not().add(&Word::one(self.width))
    }

    pub fn add(&self, other: &Word) -> Word {
        assert_eq!(self.width, other.width, "operands have one width");
        let mut carry = false;
        let mut sum = |a: u64, b: u64| {
            let (first, over) = a.overflowing_add(b);
            let (second, again) = first.overflowing_add(u64::from(carry));
            carry = over || again;
            second
        };
        let limbs = self.limbs.iter().zip(&other.limbs).map(|(&a, &b)| sum(a, b)).collect();
        Word { width: self.width, limbs }.masked()
    }

    pub fn sub(&self, other: &Word) -> Word {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Word) -> Word {
        assert_eq!(self.width, other.width, "operands have one width");
        match (&self.limbs[..], &other.limbs[..]) {
            ([a], [b]) => Word::from_u64(a.wrapping_mul(*b), self.width),
            _ => Word::from_biguint(&(self.to_biguint() * other.to_biguint()), self.width),
        }
    }

    /// All ones where the divisor is zero.
    pub fn udiv(&self, divisor: &Word) -> Word {
        assert_eq!(self.width, divisor.width, "operands have one width");
        match (&self.limbs[..], &divisor.limbs[..]) {
            _ if divisor.is_zero() => Word::ones(self.width),
            ([a], [b]) => Word::from_u64(a / b, self.width),
            _ => Word::from_biguint(&(self.to_biguint() / divisor.to_biguint()), self.width),
        }
    }

    /// The dividend where the divisor is zero.
    pub fn urem(&self, divisor: &Word) -> Word {
        assert_eq!(self.width, divisor.width, "operands have one width");
        match (&self.limbs[..], &divisor.limbs[..]) {
            _ if divisor.is_zero() => self.clone(),
            ([a], [b]) => Word::from_u64(a % b, self.width),
            _ => Word::from_biguint(&(self.to_biguint() % divisor.to_biguint()), self.width),
        }
    }

    fn abs(&self) -> Word {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    fn negated_if(self, negative: bool) -> Word {
        if negative { self.neg() } else { self }
    }

    /// Rounds to zero; by zero it is 1 for a negative dividend and -1 for others.
    pub fn sdiv(&self, divisor: &Word) -> Word {
        self.abs().udiv(&divisor.abs()).negated_if(self.is_negative() != divisor.is_negative())
    }

    /// The sign follows the dividend; by zero it is the dividend.
    pub fn srem(&self, divisor: &Word) -> Word {
        self.abs().urem(&divisor.abs()).negated_if(self.is_negative())
    }

    /// The sign follows the divisor; by zero it is the dividend.
    pub fn smod(&self, divisor: &Word) -> Word {
        let rest = self.srem(divisor);
        let other_side = !rest.is_zero() && self.is_negative() != divisor.is_negative();
        if other_side { rest.add(divisor) } else { rest }
    }

    /// The shift amount, where it is below the width.
    fn amount(&self, by: &Word) -> Option<u32> {
        let amount = by.to_u64().and_then(|n| u32::try_from(n).ok())?;
        (amount < self.width).then_some(amount)
    }

    pub fn shl(&self, by: &Word) -> Word {
        self.amount(by).map_or(Word::zero(self.width), |n| self.shifted_up(n))
    }

    pub fn lshr(&self, by: &Word) -> Word {
        self.amount(by).map_or(Word::zero(self.width), |n| self.shifted_down(n))
    }

    pub fn ashr(&self, by: &Word) -> Word {
        if self.is_negative() { self.not().lshr(by).not() } else { self.lshr(by) }
    }

    /// `self · 2^n`, n below the width.
    fn shifted_up(&self, n: u32) -> Word {
        let (limbs, bits) = (n as usize / 64, n % 64);
        let mut word = Word::zero(self.width);
        for i in limbs..word.limbs.len() {
            let below = if bits > 0 && i > limbs { self.limbs[i - limbs - 1] >> (64 - bits) } else { 0 };
            word.limbs[i] = self.limbs[i - limbs] << bits | below;
        }
        word.masked()
    }

    /// `self / 2^n`, n below the width.
    fn shifted_down(&self, n: u32) -> Word {
        let (limbs, bits) = (n as usize / 64, n % 64);
        let mut word = Word::zero(self.width);
        for i in limbs..word.limbs.len() {
            let above = self.limbs.get(i + 1).filter(|_| bits > 0).map_or(0, |limb| limb << (64 - bits));
            word.limbs[i - limbs] = self.limbs[i] >> bits | above;
        }
        word
    }

    /// To higher places, by the amount modulo the width.
    pub fn rotate_left(&self, by: &Word) -> Word {
        let places = by.to_int() % self.width;
        let places = u32::try_from(places).expect("a remainder of a 32-bit number");
        if places == 0 {
            return self.clone();
        }
        self.shifted_up(places).or(&self.shifted_down(self.width - places))
    }

    /// To lower places, by the amount modulo the width.
    pub fn rotate_right(&self, by: &Word) -> Word {
        let places = by.to_int() % self.width;
        let back = (BigInt::from(self.width) - places) % self.width;
        self.rotate_left(&Word::from_int(&back, 32))
    }

    /// `self` in the high bits, `low` in the low ones.
    pub fn concat(&self, low: &Word) -> Word {
        Word::from_bits(low.bits().chain(self.bits()))
    }

    /// Bits `low..=high`.
    pub fn extract(&self, high: u32, low: u32) -> Word {
        assert!(low <= high && high < self.width, "[{high}:{low}] lies within {} bits", self.width);
        self.shifted_down(low).resized(high - low + 1)
    }

    /// `by` zeros in front.
    pub fn zero_extend(&self, by: u32) -> Word {
        self.resized(self.width + by)
    }

    /// `by` copies of the sign bit in front.
    pub fn sign_extend(&self, by: u32) -> Word {
        if self.is_negative() { self.not().zero_extend(by).not() } else { self.zero_extend(by) }
    }

    fn resized(&self, width: u32) -> Word {
        let mut limbs = self.limbs.clone();
        limbs.resize(limbs_for(width), 0);
        Word { width, limbs }.masked()
    }

    /// The order as unsigned numbers of one width.
    pub fn ucmp(&self, other: &Word) -> Ordering {
        assert_eq!(self.width, other.width, "operands have one width");
        self.limbs.iter().rev().cmp(other.limbs.iter().rev())
    }

    /// The order in two's complement, of one width.
    pub fn scmp(&self, other: &Word) -> Ordering {
        other.is_negative().cmp(&self.is_negative()).then_with(|| self.ucmp(other))
    }

    /// Whether the number of set bits is odd.
    pub fn parity(&self) -> bool {
        self.limbs.iter().fold(0, |ones, limb| ones + limb.count_ones()) % 2 == 1
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Word) -> Ordering {
        self.width.cmp(&other.width).then_with(|| self.ucmp(other))
    }
}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Word) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether an exact result lies outside of what `width` bits hold, unsigned.
pub(crate) fn unsigned_overflow(exact: &BigInt, width: u32) -> bool {
    *exact < BigInt::zero() || exact.bits() > u64::from(width)
}

/// Whether an exact result lies outside of what `width` bits hold in two's complement.
pub(crate) fn signed_overflow(exact: &BigInt, width: u32) -> bool {
    let bound = BigInt::from(1) << (width - 1);
    *exact >= bound || *exact < -bound
}
