//! The operators of BTOR2, one row each: name, shape, meaning in terms.
//!
//! The reader finds a row by its name, the writer by its meaning.

use buttress_term::{Node, Op, Sort, TermId, Terms, Value};

/// Which operands there are, and how their sorts and the result's hang together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// So many words of the result's sort.
    Words(usize),
    /// One word to one bit.
    Reduction,
    /// Two words of one sort to one bit.
    Comparison,
    /// Two of one sort, arrays included, to one bit.
    Equality,
    /// Two bits to one.
    Bits,
    Concat,
    Ite,
    Read,
    Write,
    /// With the bits to take, both included: high, low.
    Slice,
    /// With the number of bits to add.
    Extension,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Word(Op),
    /// On words, and on bits that are Boolean; then the third says whether the result is negated.
    Logic(Op, Op, bool),
    /// Boolean, of operands that are or become so.
    Bool(Op),
    /// Addition of 1 or -1.
    Count(Op),
    Equal,
    Unequal,
    Same,
}

pub(super) struct Operator {
    pub name: &'static str,
    pub shape: Shape,
    pub meaning: Meaning,
}

const fn row(name: &'static str, shape: Shape, meaning: Meaning) -> Operator {
    Operator { name, shape, meaning }
}

use Meaning::{Bool, Count, Equal, Logic, Same, Unequal, Word};
use Shape::{Bits, Comparison, Concat, Equality, Extension, Ite, Read, Reduction, Slice, Words, Write};

pub(super) static OPERATORS: &[Operator] = &[
    row("not", Words(1), Logic(Op::BvNot, Op::Not, false)),
    row("inc", Words(1), Count(Op::BvAdd)),
    row("dec", Words(1), Count(Op::BvSub)),
    row("neg", Words(1), Word(Op::BvNeg)),
    row("redand", Reduction, Word(Op::BvRedAnd)),
    row("redor", Reduction, Word(Op::BvRedOr)),
    row("redxor", Reduction, Word(Op::BvRedXor)),
    row("sext", Extension, Word(Op::BvSignExtend)),
    row("uext", Extension, Word(Op::BvZeroExtend)),
    row("slice", Slice, Word(Op::BvExtract)),
    row("iff", Bits, Equal),
    row("implies", Bits, Bool(Op::Implies)),
    row("eq", Equality, Equal),
    row("neq", Equality, Unequal),
    row("ugt", Comparison, Word(Op::BvUgt)),
    row("ugte", Comparison, Word(Op::BvUge)),
    row("ult", Comparison, Word(Op::BvUlt)),
    row("ulte", Comparison, Word(Op::BvUle)),
    row("sgt", Comparison, Word(Op::BvSgt)),
    row("sgte", Comparison, Word(Op::BvSge)),
    row("slt", Comparison, Word(Op::BvSlt)),
    row("slte", Comparison, Word(Op::BvSle)),
    row("and", Words(2), Logic(Op::BvAnd, Op::And, false)),
    row("or", Words(2), Logic(Op::BvOr, Op::Or, false)),
    row("xor", Words(2), Logic(Op::BvXor, Op::Xor, false)),
    row("nand", Words(2), Logic(Op::BvNand, Op::And, true)),
    row("nor", Words(2), Logic(Op::BvNor, Op::Or, true)),
    row("xnor", Words(2), Logic(Op::BvXnor, Op::Xor, true)),
    row("rol", Words(2), Word(Op::BvRol)),
    row("ror", Words(2), Word(Op::BvRor)),
    row("sll", Words(2), Word(Op::BvShl)),
    row("sra", Words(2), Word(Op::BvAshr)),
    row("srl", Words(2), Word(Op::BvLshr)),
    row("add", Words(2), Word(Op::BvAdd)),
    row("mul", Words(2), Word(Op::BvMul)),
    row("udiv", Words(2), Word(Op::BvUdiv)),
    row("sdiv", Words(2), Word(Op::BvSdiv)),
    row("urem", Words(2), Word(Op::BvUrem)),
    row("srem", Words(2), Word(Op::BvSrem)),
    row("smod", Words(2), Word(Op::BvSmod)),
    row("sub", Words(2), Word(Op::BvSub)),
    row("uaddo", Comparison, Word(Op::BvUaddo)),
    row("saddo", Comparison, Word(Op::BvSaddo)),
    row("sdivo", Comparison, Word(Op::BvSdivo)),
    row("umulo", Comparison, Word(Op::BvUmulo)),
    row("smulo", Comparison, Word(Op::BvSmulo)),
    row("usubo", Comparison, Word(Op::BvUsubo)),
    row("ssubo", Comparison, Word(Op::BvSsubo)),
    row("concat", Concat, Word(Op::BvConcat)),
    row("read", Read, Word(Op::Select)),
    row("ite", Ite, Same),
    row("write", Write, Word(Op::Store)),
];

/// The sort of a node as BTOR2 sees it: a Boolean is a word of one bit.
pub(super) fn sort_of(terms: &Terms, term: TermId) -> Sort {
    match terms.sort(term) {
        Sort::Bool => Sort::BitVec(1),
        other => other.clone(),
    }
}

/// `bitvec 8` and `array (bitvec 4) (bitvec 8)`: sorts as the format names them.
pub(super) fn sort_name(sort: &Sort) -> String {
    match sort {
        Sort::Bool => "bitvec 1".to_string(),
        Sort::BitVec(width) => format!("bitvec {width}"),
        Sort::Array(a) => format!("array ({}) ({})", sort_name(&a.index), sort_name(&a.element)),
        other => other.to_string(),
    }
}

fn is_word(terms: &Terms, term: TermId, n: u64) -> bool {
    matches!(terms.as_constant(term), Some(Value::Word(w)) if w.width() == 1 && w.to_u64() == Some(n))
}

/// The Boolean that this bit was made of, where it is the word of a Boolean.
pub(super) fn bool_of_word(terms: &Terms, term: TermId) -> Option<TermId> {
    match terms.node(term) {
        Node::Apply(Op::Ite, _, &[c, one, zero]) if is_word(terms, one, 1) && is_word(terms, zero, 0) => {
            Some(c)
        }
        _ => None,
    }
}

/// The bit that this Boolean asks for, where it asks whether a word of one bit is 1.
pub(super) fn word_of_bool(terms: &Terms, term: TermId) -> Option<TermId> {
    match terms.node(term) {
        Node::Apply(Op::Eq, _, &[bit, one]) if is_word(terms, one, 1) => Some(bit),
        _ => None,
    }
}

/// A bit as a Boolean.
pub(super) fn to_bool(terms: &mut Terms, bit: TermId) -> TermId {
    match terms.sort(bit) {
        Sort::Bool => bit,
        _ => bool_of_word(terms, bit).unwrap_or_else(|| terms.bit_to_bool(bit)),
    }
}

/// A bit as a word; anything else stays what it is.
pub(super) fn to_word(terms: &mut Terms, term: TermId) -> TermId {
    match terms.sort(term) {
        Sort::Bool => word_of_bool(terms, term).unwrap_or_else(|| terms.bool_to_bit(term)),
        _ => term,
    }
}

fn all(terms: &mut Terms, operands: &[TermId], to: fn(&mut Terms, TermId) -> TermId) -> Vec<TermId> {
    operands.iter().map(|&t| to(terms, t)).collect()
}

fn some_boolean(terms: &Terms, operands: &[TermId]) -> bool {
    operands.iter().any(|&t| *terms.sort(t) == Sort::Bool)
}

impl Operator {
    /// The term for operands that have the shape; `indices` are the numbers of slices and extensions.
    pub fn build(&self, terms: &mut Terms, indices: [u32; 2], operands: &[TermId]) -> TermId {
        match self.meaning {
            Word(Op::BvSignExtend | Op::BvZeroExtend) if indices[0] == 0 => operands[0],
            Word(op) => {
                let words = all(terms, operands, to_word);
                terms
                    .apply_indexed(op, indices, &words)
                    .unwrap_or_else(|wrong| panic!("shapes were checked: {wrong}"))
            }
            Logic(_, op, negated) if some_boolean(terms, operands) => {
                let bools = all(terms, operands, to_bool);
                let result = terms.app(op, &bools);
                if negated { terms.not(result) } else { result }
            }
            Logic(op, ..) => terms.app(op, operands),
            Bool(op) => {
                let bools = all(terms, operands, to_bool);
                terms.app(op, &bools)
            }
            Count(op) => {
                let word = to_word(terms, operands[0]);
                let width = terms.width(word).expect("the shape wants a word");
                let one = terms.word(1, width);
                terms.app(op, &[word, one])
            }
            Equal => equality(terms, operands),
            Unequal => {
                let equal = equality(terms, operands);
                terms.not(equal)
            }
            Same => ite(terms, operands),
        }
    }
}

/// In Booleans, where one of them is.
fn alike(terms: &mut Terms, operands: &[TermId]) -> Vec<TermId> {
    if some_boolean(terms, operands) { all(terms, operands, to_bool) } else { operands.to_vec() }
}

fn equality(terms: &mut Terms, operands: &[TermId]) -> TermId {
    let operands = alike(terms, operands);
    terms.app(Op::Eq, &operands)
}

fn ite(terms: &mut Terms, operands: &[TermId]) -> TermId {
    let condition = to_bool(terms, operands[0]);
    let branches = alike(terms, &operands[1..]);
    terms.ite(condition, branches[0], branches[1])
}
