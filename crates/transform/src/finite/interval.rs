//! Intervals of integers: what is known of a term in every step of every execution.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// All numbers from `low` to `high`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    pub low: BigInt,
    pub high: BigInt,
}

impl Interval {
    pub fn new(low: impl Into<BigInt>, high: impl Into<BigInt>) -> Interval {
        Interval { low: low.into(), high: high.into() }
    }

    pub fn point(n: BigInt) -> Interval {
        Interval { low: n.clone(), high: n }
    }

    /// The smallest that has all of these.
    fn around(numbers: impl IntoIterator<Item = BigInt>) -> Interval {
        let mut numbers = numbers.into_iter();
        let first = numbers.next().expect("there are numbers");
        numbers.fold(Interval::point(first), |hull, n| hull.hull(&Interval::point(n)))
    }

    pub fn hull(&self, other: &Interval) -> Interval {
        Interval { low: (&self.low).min(&other.low).clone(), high: (&self.high).max(&other.high).clone() }
    }

    pub fn has(&self, n: &BigInt) -> bool {
        self.low <= *n && *n <= self.high
    }

    pub fn nearest_to_zero(&self) -> BigInt {
        BigInt::zero().clamp(self.low.clone(), self.high.clone())
    }

    /// Bits of a word in two's complement that has them all.
    pub fn width(&self) -> u32 {
        let bits = |n: &BigInt| match n.is_negative() {
            true => (-n - 1u8).bits(),
            false => n.bits(),
        };
        u32::try_from(bits(&self.low).max(bits(&self.high)) + 1).unwrap_or(u32::MAX)
    }

    /// All that a word of this width stands for.
    pub fn of_word(width: u32, signed: bool) -> Interval {
        let half = BigInt::one() << (width - 1);
        match signed {
            true => Interval::new(-half.clone(), half - 1u8),
            false => Interval::new(0, (half << 1) - 1u8),
        }
    }

    pub fn neg(&self) -> Interval {
        Interval::new(-&self.high, -&self.low)
    }

    pub fn abs(&self) -> Interval {
        let high = self.low.abs().max(self.high.abs());
        let low =
            if self.has(&BigInt::zero()) { BigInt::zero() } else { self.low.abs().min(self.high.abs()) };
        Interval { low, high }
    }

    pub fn add(&self, other: &Interval) -> Interval {
        Interval::new(&self.low + &other.low, &self.high + &other.high)
    }

    pub fn sub(&self, other: &Interval) -> Interval {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Interval) -> Interval {
        let ends = |a: &BigInt| [a * &other.low, a * &other.high];
        Interval::around(ends(&self.low).into_iter().chain(ends(&self.high)))
    }

    /// Euclidean; by zero 0. A quotient is no farther from 0 than its dividend.
    pub fn div(&self) -> Interval {
        let most = self.abs().high;
        Interval::new(-most.clone(), most)
    }

    /// Euclidean: 0 ≤ r < |b|; by zero the dividend.
    pub fn modulo(&self, divisor: &Interval) -> Interval {
        let most = divisor.abs().high;
        let inside = self.low >= BigInt::zero() && self.high < divisor.abs().low;
        match (inside, divisor.has(&BigInt::zero())) {
            (true, _) => self.clone(),
            (false, false) => Interval::new(0, most - 1u8),
            (false, true) => Interval::new(0, most).hull(self),
        }
    }

    /// Whether every number of one is below every number of the other; `None` where it depends.
    pub fn below(&self, other: &Interval) -> Option<bool> {
        match () {
            _ if self.high < other.low => Some(true),
            _ if self.low >= other.high => Some(false),
            _ => None,
        }
    }

    pub fn equals(&self, other: &Interval) -> Option<bool> {
        match () {
            _ if self.high < other.low || other.high < self.low => Some(false),
            _ if self.low == self.high && self == other => Some(true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use num_integer::Integer;

    use super::*;

    /// The result of an operation on numbers of the intervals is in the interval that it gives.
    #[test]
    fn results_are_inside() {
        let ends = -4i64..=4;
        let intervals: Vec<(i64, i64)> =
            ends.clone().flat_map(|low| (low..=4).map(move |high| (low, high))).collect();
        for &(a, b) in &intervals {
            for &(c, d) in &intervals {
                let (x, y) = (Interval::new(a, b), Interval::new(c, d));
                for (n, m) in (a..=b).flat_map(|n| (c..=d).map(move |m| (n, m))) {
                    let inside =
                        |i: Interval, n: i64| assert!(i.has(&n.into()), "{n} in {i:?}: {x:?}, {y:?}");
                    inside(x.add(&y), n + m);
                    inside(x.sub(&y), n - m);
                    inside(x.mul(&y), n * m);
                    inside(x.neg(), -n);
                    inside(x.abs(), n.abs());
                    let remainder = if m == 0 { n } else { n.mod_floor(&m.abs()) };
                    inside(x.div(), if m == 0 { 0 } else { (n - remainder) / m });
                    inside(x.modulo(&y), remainder);
                    assert!(x.below(&y).is_none_or(|below| below == (n < m)));
                    assert!(x.equals(&y).is_none_or(|equal| equal == (n == m)));
                }
            }
        }
    }

    #[test]
    fn widths_are_of_twos_complement() {
        for (low, high, width) in [(0, 0, 1), (-1, 0, 1), (0, 1, 2), (-8, 7, 4), (-9, 7, 5), (0, 8, 5)] {
            assert_eq!(Interval::new(low, high).width(), width);
        }
    }
}
