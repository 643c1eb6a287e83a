//! Linear constraints over exact rationals, and the projection of variables out of them.
//!
//! `Σ aᵢ·xᵢ + c ≤ 0`, or `< 0`. [`project`] removes a variable from constraints that all hold in a model, by
//! model-based projection (Komuravelli, Gurfinkel & Chaki, "SMT-based model checking for recursive programs", CAV
//! 2014, after Loos and Weispfenning): of the lower bounds of v the one that is largest in the model, L, stands
//! for v. What comes out holds in the model and implies that a value of v exists: every other lower bound is at
//! most L, and L is at most every upper bound. That is exact over the reals, and over the integers where v has the
//! coefficients 1 and -1 only; else the caller gives v its value.

use std::collections::BTreeMap;

use buttress_term::TermId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// `Σ aᵢ·xᵢ + c`; no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    pub coefficients: BTreeMap<TermId, BigRational>,
    pub constant: BigRational,
}

impl Sum {
    pub fn constant(c: BigRational) -> Sum {
        Sum { coefficients: BTreeMap::new(), constant: c }
    }

    pub fn variable(x: TermId) -> Sum {
        Sum { coefficients: BTreeMap::from([(x, BigRational::one())]), constant: BigRational::zero() }
    }

    pub fn add(mut self, other: &Sum, times: &BigRational) -> Sum {
        for (&x, a) in &other.coefficients {
            let sum = self.coefficients.entry(x).or_insert_with(BigRational::zero);
            *sum += a * times;
            if sum.is_zero() {
                self.coefficients.remove(&x);
            }
        }
        self.constant += &other.constant * times;
        self
    }

    pub fn times(self, by: &BigRational) -> Sum {
        Sum::default().add(&self, by)
    }
}

/// `sum ≤ 0`, or `sum < 0`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    pub sum: Sum,
    pub strict: bool,
}

impl Constraint {
    /// With integers for coefficients that have no common divisor; over integers, not strict and with the bound
    /// rounded.
    pub fn normal(mut self, integral: bool) -> Constraint {
        let denominators = self.sum.coefficients.values().map(BigRational::denom);
        let scale = denominators.fold(BigInt::one(), |scale, d| scale.lcm(d));
        let scaled = self.sum.coefficients.values().map(|a| (a * &scale).to_integer());
        let divisor = scaled.fold(BigInt::zero(), |gcd, a| gcd.gcd(&a));
        if !divisor.is_zero() && scale != divisor {
            self.sum = self.sum.times(&BigRational::new(scale, divisor));
        }
        if integral {
            // Σ < -c is Σ ≤ ⌈-c⌉ - 1, and Σ ≤ -c is Σ ≤ ⌊-c⌋.
            let bound = -self.sum.constant.clone();
            let bound = if self.strict { bound.ceil() - BigRational::one() } else { bound.floor() };
            self.sum.constant = -bound;
            self.strict = false;
        }
        self
    }

    /// Whether it says nothing about any variable.
    pub fn is_ground(&self) -> bool {
        self.sum.coefficients.is_empty()
    }
}

/// Removes `v`, whose value is `value` of a given constraint in the model; `None` where v has other coefficients
/// than 1 and -1 and is an integer.
pub fn project(
    constraints: &[Constraint],
    v: TermId,
    integral: bool,
    value: &dyn Fn(&Sum) -> BigRational,
) -> Option<Vec<Constraint>> {
    let (about, mut rest): (Vec<&Constraint>, Vec<&Constraint>) =
        constraints.iter().partition(|c| c.sum.coefficients.contains_key(&v));
    let unit = |c: &&Constraint| c.sum.coefficients[&v].abs().is_one();
    if integral && !about.iter().all(unit) {
        return None;
    }
    let (lower, upper): (Vec<&Constraint>, Vec<&Constraint>) =
        about.into_iter().partition(|c| c.sum.coefficients[&v].is_negative());
    if lower.is_empty() || upper.is_empty() {
        return Some(rest.drain(..).cloned().collect());
    }
    // a·v + t ≤ 0 bounds v by -t/a.
    let bound = |c: &Constraint| {
        let a = c.sum.coefficients[&v].clone();
        let mut sum = c.sum.clone();
        sum.coefficients.remove(&v);
        (sum.times(&(-BigRational::one() / a)), c.strict)
    };
    let lower: Vec<(Sum, bool)> = lower.into_iter().map(bound).collect();
    let key = |(sum, strict): &(Sum, bool)| (value(sum), *strict);
    let best = (0..lower.len()).max_by_key(|&i| key(&lower[i])).expect("there is a lower bound");
    let (chosen, chosen_strict) = lower[best].clone();
    let mut result: Vec<Constraint> = rest.into_iter().cloned().collect();
    for (i, (other, strict)) in lower.iter().enumerate() {
        if i != best {
            // other ≤ chosen
            let sum = other.clone().add(&chosen, &-BigRational::one());
            result.push(Constraint { sum, strict: *strict && !chosen_strict });
        }
    }
    for (other, strict) in upper.into_iter().map(bound) {
        // chosen ≤ other
        let sum = chosen.clone().add(&other, &-BigRational::one());
        result.push(Constraint { sum, strict: strict || chosen_strict });
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_term::{Sort, Terms};

    fn number(n: i64) -> BigRational {
        BigRational::from(BigInt::from(n))
    }

    /// Σ + c ≤ 0
    fn le(parts: &[(TermId, i64)], c: i64) -> Constraint {
        let coefficients = parts.iter().map(|&(x, a)| (x, number(a))).collect();
        Constraint { sum: Sum { coefficients, constant: number(c) }, strict: false }
    }

    #[test]
    fn integers_are_rounded() {
        let x = Terms::new().variable("x", Sort::Int);
        // 2x - 5 ≤ 0 is x ≤ 2, 2x - 4 < 0 is x ≤ 1
        assert_eq!(le(&[(x, 2)], -5).normal(true), le(&[(x, 1)], -2));
        let strict = Constraint { strict: true, ..le(&[(x, 2)], -4) };
        assert_eq!(strict.normal(true), le(&[(x, 1)], -1));
    }

    #[test]
    fn the_largest_lower_bound_stands_for_the_variable() {
        let mut terms = Terms::new();
        let [v, x, y, z] = ["v", "x", "y", "z"].map(|n| terms.variable(n, Sort::Int));
        // x ≤ v, y ≤ v, v ≤ z with x = 1, y = 2, v = 3, z = 4: x ≤ y, y ≤ z
        let all = [le(&[(x, 1), (v, -1)], 0), le(&[(y, 1), (v, -1)], 0), le(&[(v, 1), (z, -1)], 0)];
        let model = BTreeMap::from([(x, 1), (y, 2), (v, 3), (z, 4)]);
        let value = |sum: &Sum| {
            sum.coefficients.iter().fold(sum.constant.clone(), |s, (x, a)| s + a * number(model[x]))
        };
        let projected = project(&all, v, true, &value).unwrap();
        assert_eq!(projected, [le(&[(x, 1), (y, -1)], 0), le(&[(y, 1), (z, -1)], 0)]);
        let twice = [le(&[(x, 1), (v, -2)], 0), le(&[(v, 1), (z, -1)], 0)];
        assert_eq!(project(&twice, v, true, &value), None);
        assert_eq!(project(&all[..2], v, true, &value).unwrap(), []);
    }
}
