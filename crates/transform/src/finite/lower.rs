//! The way down: a term about integers, said of the words that stand for them.
//!
//! The bounds of a variable are those of its word, so whatever the words are, the result says of them what the
//! term says of the integers: as in the system, each number gets a word that holds every value that it can
//! have.

use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use super::facts::arithmetic;
use super::interval::Interval;
use super::{WIDEST, has_numbers, words};

/// A term over words, with the interval of the integer that it stands for.
#[derive(Clone)]
struct Image {
    term: TermId,
    number: Option<Interval>,
}

/// `root`, a term of `from`, in a store where `known` says what stands for its variables. `None` where it reads
/// others, or computes with reals or with integers of too many bits.
pub fn lower(
    terms: &mut Terms,
    from: &Terms,
    root: TermId,
    known: &FxHashMap<TermId, TermId>,
) -> Option<TermId> {
    let mut images: FxHashMap<TermId, Image> = FxHashMap::default();
    for term in from.cone([root]) {
        let image = match from.node(term) {
            Node::Variable(_) => variable(terms, from, term, *known.get(&term)?),
            Node::Constant(Value::Int(n)) => {
                let number = Interval::point(n.clone());
                Image { term: words::number(terms, n, number.width()), number: Some(number) }
            }
            Node::Constant(value) => Image { term: terms.constant(value.clone()), number: None },
            Node::Apply(op, indices, operands) => {
                let operands: Vec<Image> = operands.iter().map(|t| images[t].clone()).collect();
                applied(terms, from, term, (op, indices), &operands)?
            }
        };
        let plain = image.number.is_some() || !has_numbers(from.sort(term));
        let wide = image.number.as_ref().is_some_and(|number| number.width() > WIDEST);
        if !plain || wide {
            return None;
        }
        images.insert(term, image);
    }
    Some(images[&root].term)
}

fn variable(terms: &Terms, from: &Terms, old: TermId, new: TermId) -> Image {
    let number = match (from.sort(old), terms.sort(new)) {
        (Sort::Int, &Sort::BitVec(width)) => Some(Interval::of_word(width, true)),
        _ => None,
    };
    Image { term: new, number }
}

fn applied(
    terms: &mut Terms,
    from: &Terms,
    term: TermId,
    (op, indices): (Op, [u32; 2]),
    operands: &[Image],
) -> Option<Image> {
    let args: Vec<TermId> = operands.iter().map(|operand| operand.term).collect();
    let numbers: Vec<&Interval> = operands.iter().filter_map(|operand| operand.number.as_ref()).collect();
    if *from.sort(term) == Sort::Int {
        let number = match (op, &numbers[..]) {
            (Op::Ite, [a, b]) => a.hull(b),
            (Op::BvToInt | Op::BvToNat, _) => {
                let width = terms.width(args[0]).filter(|width| *width < WIDEST)?;
                Interval::of_word(width, op == Op::BvToInt)
            }
            (_, numbers) if numbers.len() == operands.len() => arithmetic(op, numbers).interval()?.clone(),
            _ => return None,
        };
        let width = Some(number.width()).filter(|width| *width <= WIDEST)?;
        return Some(Image { term: words::integer(terms, op, &args, width), number: Some(number) });
    }
    let image = match op {
        Op::IntToBv => words::fit(terms, args[0], indices[0]),
        _ if numbers.is_empty() => terms.apply_as(from, term, &args),
        _ if *from.sort(term) == Sort::Bool => words::comparison(terms, op, &args),
        _ => return None,
    };
    Some(Image { term: image, number: None })
}
