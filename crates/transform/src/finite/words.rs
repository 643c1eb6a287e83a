//! Operators on integers, as operators on words in two's complement that are wide enough.

use buttress_term::{Op, TermId, Terms, Word};
use num_bigint::BigInt;

/// A number as a word.
pub fn number(terms: &mut Terms, n: &BigInt, width: u32) -> TermId {
    terms.constant(Word::from_int(n, width))
}

fn width(terms: &Terms, word: TermId) -> u32 {
    terms.width(word).expect("integers are words here")
}

/// Resizes a number to another width. Where the width is smaller the number must fit.
pub fn fit(terms: &mut Terms, word: TermId, to: u32) -> TermId {
    let from = width(terms, word);
    match to.cmp(&from) {
        std::cmp::Ordering::Equal => word,
        std::cmp::Ordering::Less => terms.extract(word, to - 1, 0),
        std::cmp::Ordering::Greater => {
            terms.apply_indexed(Op::BvSignExtend, [to - from, 0], &[word]).expect("it is a word")
        }
    }
}

/// All in the widest of their widths.
fn alike(terms: &mut Terms, words: &[TermId]) -> Vec<TermId> {
    let most = words.iter().map(|&word| width(terms, word)).max().expect("there is a word");
    words.iter().map(|&word| fit(terms, word, most)).collect()
}

/// A Boolean of integers.
pub fn comparison(terms: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    let op = match op {
        Op::Lt => Op::BvSlt,
        Op::Le => Op::BvSle,
        Op::Gt => Op::BvSgt,
        Op::Ge => Op::BvSge,
        same => same,
    };
    let args = alike(terms, args);
    terms.app(op, &args)
}

/// An integer that fits the width. Sums and products are exact modulo 2^width, so operands may be cut.
pub fn integer(terms: &mut Terms, op: Op, args: &[TermId], to: u32) -> TermId {
    let fold = |terms: &mut Terms, op: Op| {
        let args: Vec<TermId> = args.iter().map(|&arg| fit(terms, arg, to)).collect();
        args[1..].iter().fold(args[0], |sum, &next| terms.app(op, &[sum, next]))
    };
    match op {
        Op::Add => fold(terms, Op::BvAdd),
        Op::Sub => fold(terms, Op::BvSub),
        Op::Mul => fold(terms, Op::BvMul),
        Op::Neg => {
            let a = fit(terms, args[0], to);
            terms.app(Op::BvNeg, &[a])
        }
        Op::Abs => absolute(terms, args[0], to),
        Op::IntDiv => division(terms, args[0], args[1], to).0,
        Op::IntMod => division(terms, args[0], args[1], to).1,
        Op::Ite => {
            let (a, b) = (fit(terms, args[1], to), fit(terms, args[2], to));
            terms.ite(args[0], a, b)
        }
        Op::BvToInt => args[0],
        Op::BvToNat => terms.apply_indexed(Op::BvZeroExtend, [1, 0], args).expect("it is a word"),
        _ => unreachable!("{op:?} gives no integer with bounds"),
    }
}

fn absolute(terms: &mut Terms, a: TermId, to: u32) -> TermId {
    let wide = to.max(width(terms, a));
    let a = fit(terms, a, wide);
    let zero = terms.constant(Word::zero(wide));
    let (negative, negated) = (terms.app(Op::BvSlt, &[a, zero]), terms.app(Op::BvNeg, &[a]));
    let chosen = terms.ite(negative, negated, a);
    fit(terms, chosen, to)
}

/// Quotient and remainder, Euclidean. With q, r rounded to zero: where r < 0, r + |b| and q ∓ 1. By zero 0 and a.
fn division(terms: &mut Terms, a: TermId, b: TermId, to: u32) -> (TermId, TermId) {
    let wide = width(terms, a).max(width(terms, b)).max(to) + 1;
    let (a, b) = (fit(terms, a, wide), fit(terms, b, wide));
    let (zero, one) = (terms.constant(Word::zero(wide)), terms.constant(Word::one(wide)));
    let (q, r) = (terms.app(Op::BvSdiv, &[a, b]), terms.app(Op::BvSrem, &[a, b]));
    let low = terms.app(Op::BvSlt, &[r, zero]);
    let below = terms.app(Op::BvSlt, &[b, zero]);
    let (up, down) = (terms.app(Op::BvAdd, &[q, one]), terms.app(Op::BvSub, &[q, one]));
    let moved = terms.ite(below, up, down);
    let q = terms.ite(low, moved, q);
    let size = absolute(terms, b, wide);
    let raised = terms.app(Op::BvAdd, &[r, size]);
    let r = terms.ite(low, raised, r);
    let by_zero = terms.eq(b, zero);
    let (q, r) = (terms.ite(by_zero, zero, q), terms.ite(by_zero, a, r));
    (fit(terms, q, to), fit(terms, r, to))
}

#[cfg(test)]
mod tests {
    use buttress_term::{Evaluation, Value};

    use super::*;

    /// Division in words is the division of integers, by every divisor.
    #[test]
    fn division_is_euclidean() {
        for (a, b) in (-9i64..=9).flat_map(|a| (-4i64..=4).map(move |b| (a, b))) {
            let mut terms = Terms::new();
            let (x, y) = (number(&mut terms, &a.into(), 5), number(&mut terms, &b.into(), 4));
            let (q, r) = division(&mut terms, x, y, 6);
            let (m, n) = (terms.int(a), terms.int(b));
            let exact = [terms.app(Op::IntDiv, &[m, n]), terms.app(Op::IntMod, &[m, n])];
            let mut evaluation = Evaluation::new(&terms);
            for (word, int) in [q, r].into_iter().zip(exact) {
                let Some(Value::Word(word)) = evaluation.value(word) else { panic!("a constant") };
                assert_eq!(Some(Value::Int(word.to_signed())), evaluation.value(int), "{a}, {b}");
            }
        }
    }
}
