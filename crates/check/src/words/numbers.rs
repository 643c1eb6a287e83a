//! Integers as bits in two's complement, each in a width of its own. Every operator gives as many bits as its
//! exact result can need, so nothing wraps and nothing has to be known about operands.

use buttress_system::Lit;
use buttress_term::{Indices, Op};
use num_bigint::BigInt;
use num_traits::Signed;

use super::circuits::{Bits, Circuits, extend, sign};
use crate::Refusal;

/// The number in as few bits as it takes.
pub(super) fn constant(n: &BigInt) -> Bits {
    let bits = if n.is_negative() { (n + 1u8).bits() } else { n.bits() };
    let bit = |i: u64| Lit::constant(n.bit(i));
    (0..=bits).map(bit).collect()
}

/// The number in another width; it fits where the width is smaller.
pub(super) fn resized(a: &[Lit], width: usize) -> Bits {
    match width.checked_sub(a.len()) {
        Some(more) => extend(a, more, sign(a)),
        None => a[..width].to_vec(),
    }
}

/// Both in as many bits as the wider has, and so many more.
fn alike(a: &[Lit], b: &[Lit], more: usize) -> (Bits, Bits) {
    let width = a.len().max(b.len()) + more;
    (resized(a, width), resized(b, width))
}

/// a ≤ b
pub(super) fn at_most(c: &mut Circuits, a: &[Lit], b: &[Lit]) -> Lit {
    let (a, b) = alike(a, b, 0);
    !c.slt(&b, &a)
}

fn add(c: &mut Circuits, a: &[Lit], b: &[Lit]) -> Bits {
    let (a, b) = alike(a, b, 1);
    c.add(&a, &b)
}

fn sub(c: &mut Circuits, a: &[Lit], b: &[Lit]) -> Bits {
    let (a, b) = alike(a, b, 1);
    c.sub(&a, &b)
}

fn mul(c: &mut Circuits, a: &[Lit], b: &[Lit]) -> Bits {
    let width = a.len() + b.len();
    c.mul(&resized(a, width), &resized(b, width))
}

fn neg(c: &mut Circuits, a: &[Lit]) -> Bits {
    c.neg(&resized(a, a.len() + 1))
}

fn abs(c: &mut Circuits, a: &[Lit]) -> Bits {
    let (wide, negated) = (resized(a, a.len() + 1), neg(c, a));
    c.ite(sign(a), &negated, &wide)
}

/// Quotient and remainder, Euclidean. With |a| = q·|b| + r, 0 ≤ r < |b|:
///
/// ```text
/// a ≥ 0 or r = 0:  a mod b = r            |a div b| = q
/// else:            a mod b = |b| - r      |a div b| = q + 1
/// ```
///
/// and the quotient is negative where one of the signs is. By zero 0 and a.
fn divide(c: &mut Circuits, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let (size_a, size_b) = (abs(c, a), abs(c, b));
    let (x, y) = alike(&size_a, &size_b, 1);
    let (q, r) = (c.udiv(&x, &y), c.urem(&x, &y));
    let rest = c.disjunction(&r);
    let up = c.and(sign(a), rest);
    let one = resized(&[Lit::TRUE, Lit::FALSE], x.len());
    let (more, other) = (c.add(&q, &one), c.sub(&y, &r));
    let (q, r) = (c.ite(up, &more, &q), c.ite(up, &other, &r));
    let opposite = c.xor(sign(a), sign(b));
    let minus = c.neg(&q);
    let q = c.ite(opposite, &minus, &q);
    let some = c.disjunction(b);
    let zero = vec![Lit::FALSE; q.len()];
    let whole = resized(a, r.len());
    (c.ite(some, &q, &zero), c.ite(some, &r, &whole))
}

/// An operator that gives an integer.
pub(super) fn apply(c: &mut Circuits, op: Op, args: &[&[Lit]]) -> Result<Bits, Refusal> {
    let fold = |c: &mut Circuits, join: fn(&mut Circuits, &[Lit], &[Lit]) -> Bits| {
        args[1..].iter().fold(args[0].to_vec(), |sum, next| join(c, &sum, next))
    };
    Ok(match (op, args) {
        (Op::Add, _) => fold(c, add),
        (Op::Mul, _) => fold(c, mul),
        (Op::Sub, [a, b]) => sub(c, a, b),
        (Op::Neg, [a]) => neg(c, a),
        (Op::Abs, [a]) => abs(c, a),
        (Op::IntDiv, [a, b]) => divide(c, a, b).0,
        (Op::IntMod, [a, b]) => divide(c, a, b).1,
        (Op::BvToInt, [a]) => a.to_vec(),
        (Op::BvToNat, [a]) => extend(a, 1, Lit::FALSE),
        _ => return Err(Refusal::Rejected(format!("{op:?} cannot be checked in bits"))),
    })
}

/// An operator that reads integers and gives none.
pub(super) fn read(c: &mut Circuits, op: Op, indices: Indices, args: &[&[Lit]]) -> Result<Bits, Refusal> {
    let bit = |lit: Lit| vec![lit];
    Ok(match (op, args) {
        (Op::Le, [a, b]) | (Op::Ge, [b, a]) => bit(at_most(c, a, b)),
        (Op::Lt, [b, a]) | (Op::Gt, [a, b]) => bit(!at_most(c, a, b)),
        (Op::Eq, [a, b]) => bit(equal(c, a, b)),
        (Op::Distinct, _) => {
            let pairs = (0..args.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let different: Bits = pairs.map(|(i, j)| !equal(c, args[i], args[j])).collect();
            bit(c.conjunction(&different))
        }
        // Modulo 2^n: higher bits fall off.
        (Op::IntToBv, [a]) => resized(a, indices[0] as usize),
        _ => return Err(Refusal::Rejected(format!("{op:?} of integers cannot be checked in bits"))),
    })
}

fn equal(c: &mut Circuits, a: &[Lit], b: &[Lit]) -> Lit {
    let (a, b) = alike(a, b, 0);
    c.equal(&a, &b)
}

#[cfg(test)]
mod tests {
    use buttress_system::BitSystem;
    use buttress_term::{Evaluation, Terms, Value};

    use super::*;

    fn number(bits: &[Lit]) -> BigInt {
        let (last, rest) = bits.split_last().expect("a number has bits");
        let value = |(i, bit): (usize, &Lit)| BigInt::from(u8::from(*bit == Lit::TRUE)) << i;
        let low: BigInt = rest.iter().enumerate().map(value).sum();
        assert!(bits.iter().all(|bit| bit.is_constant()), "constants give constants");
        low - value((rest.len(), last))
    }

    /// On constants, whose gates all fold, circuits give what evaluation gives.
    #[test]
    fn circuits_compute_what_terms_mean() {
        let ops = [Op::Add, Op::Sub, Op::Mul, Op::IntDiv, Op::IntMod, Op::Le, Op::Lt, Op::Ge, Op::Gt, Op::Eq];
        for (a, b) in (-9i64..=9).flat_map(|a| (-9i64..=9).map(move |b| (a, b))) {
            let mut c = Circuits { system: BitSystem::new(0, 0) };
            let mut terms = Terms::new();
            let (x, y) = (terms.int(a), terms.int(b));
            let (p, q) = (constant(&a.into()), constant(&b.into()));
            for op in ops {
                let term = terms.app(op, &[x, y]);
                match Evaluation::new(&terms).value(term) {
                    Some(Value::Int(n)) => {
                        assert_eq!(number(&apply(&mut c, op, &[&p, &q]).unwrap()), n, "{op:?} {a} {b}")
                    }
                    Some(Value::Bool(truth)) => {
                        assert_eq!(read(&mut c, op, [0, 0], &[&p, &q]).unwrap(), [Lit::constant(truth)])
                    }
                    other => panic!("{other:?}"),
                }
            }
            for (op, n) in [(Op::Neg, -a), (Op::Abs, a.abs())] {
                assert_eq!(number(&apply(&mut c, op, &[&p]).unwrap()), n.into(), "{op:?} {a}");
            }
            let low = read(&mut c, Op::IntToBv, [3, 0], &[&p]).unwrap();
            assert_eq!(number(&extend(&low, 1, Lit::FALSE)), a.rem_euclid(8).into(), "modulo 8 of {a}");
        }
    }
}
