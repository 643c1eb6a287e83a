//! The operators, one row each: name, arity, sort rule, evaluation.
//!
//! The meaning is SMT-LIB's. Comparisons, overflow predicates and equality are Boolean; reductions and
//! `bvcomp` give words of one bit. What SMT-LIB leaves open is decided here, for evaluation: `x / 0` and `x div 0`
//! are 0, `x mod 0` is `x`. (A solver may choose otherwise, so a front end whose language can divide by zero
//! guards it.) Operators that SMT-LIB lacks (reductions, rotation by a variable amount, some overflow
//! predicates in older solvers) are written out by [`Smt::Written`].

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::value::{ArrayValue, Value};
use crate::word::{Word, signed_overflow, unsigned_overflow};
use crate::{Sort, TermError};

/// The numbers in an indexed identifier such as `(_ extract 7 4)`; 0 where there are none.
pub type Indices = [u32; 2];

/// How many operands there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    Exactly(usize),
    AtLeast(usize),
}

/// How SMT-LIB writes an application.
#[derive(Clone, Copy)]
pub(crate) enum Smt {
    /// `(name a b)`.
    Name(&'static str),
    /// `((_ name i) a)`, with this many indices.
    Indexed(&'static str, usize),
    /// `((as const sort) a)`.
    Const,
    /// `(lambda ((name sort)) a)`.
    Binder,
    /// A text over the operands, each of which may occur several times; the width is that of the first.
    Written(fn(u32, &[&str]) -> String),
}

/// An application by sorts: what a rule sees.
pub(crate) struct Signature<'a> {
    pub op: Op,
    pub indices: Indices,
    pub args: &'a [&'a Sort],
}

/// An application to values: what an evaluation sees. Sorts have been checked.
pub(crate) struct Call<'a> {
    pub indices: Indices,
    pub sort: &'a Sort,
    pub args: &'a [&'a Value],
}

/// All that is known about an operator.
pub(crate) struct Row {
    pub op: Op,
    pub smt: Smt,
    pub arity: Arity,
    pub sort: fn(&Signature<'_>) -> Result<Sort, TermError>,
    pub eval: fn(&Call<'_>) -> Value,
}

macro_rules! operators {
    ($($(#[$doc:meta])* $op:ident: $smt:expr, $arity:expr, $sort:expr, $eval:expr;)*) => {
        /// An operator; [`Terms::apply`](crate::Terms::apply) makes terms of it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $op,)* }

        static TABLE: &[Row] = &[$(Row { op: Op::$op, smt: $smt, arity: $arity, sort: $sort, eval: $eval }),*];
    };
}

use Arity::{AtLeast, Exactly};
use Smt::{Binder, Const, Indexed, Name, Written};

operators! {
    // Booleans and any sort.
    Not: Name("not"), Exactly(1), booleans, |c| (!c.bool(0)).into();
    And: Name("and"), AtLeast(1), booleans, |c| c.bools().all(|b| b).into();
    Or: Name("or"), AtLeast(1), booleans, |c| c.bools().any(|b| b).into();
    Xor: Name("xor"), Exactly(2), booleans, |c| (c.bool(0) != c.bool(1)).into();
    Implies: Name("=>"), Exactly(2), booleans, |c| (!c.bool(0) || c.bool(1)).into();
    Eq: Name("="), Exactly(2), same_to_bool, |c| (c.args[0] == c.args[1]).into();
    /// Pairwise.
    Distinct: Name("distinct"), AtLeast(2), same_to_bool, |c| c.distinct().into();
    Ite: Name("ite"), Exactly(3), ite, |c| c.args[if c.bool(0) { 1 } else { 2 }].clone();

    // Words, bit by bit.
    BvNot: Name("bvnot"), Exactly(1), words, |c| c.word(0).not().into();
    BvAnd: Name("bvand"), Exactly(2), words, |c| c.word(0).and(c.word(1)).into();
    BvOr: Name("bvor"), Exactly(2), words, |c| c.word(0).or(c.word(1)).into();
    BvXor: Name("bvxor"), Exactly(2), words, |c| c.word(0).xor(c.word(1)).into();
    BvNand: Name("bvnand"), Exactly(2), words, |c| c.word(0).and(c.word(1)).not().into();
    BvNor: Name("bvnor"), Exactly(2), words, |c| c.word(0).or(c.word(1)).not().into();
    BvXnor: Name("bvxnor"), Exactly(2), words, |c| c.word(0).xor(c.word(1)).not().into();

    // Words to one bit.
    BvComp: Name("bvcomp"), Exactly(2), words_to_bit, |c| bit(c.word(0) == c.word(1));
    /// One if all bits are.
    BvRedAnd: Written(smt_redand), Exactly(1), words_to_bit, |c| bit(c.word(0).not().is_zero());
    /// One if some bit is.
    BvRedOr: Written(smt_redor), Exactly(1), words_to_bit, |c| bit(!c.word(0).is_zero());
    /// One if an odd number of bits is.
    BvRedXor: Written(smt_redxor), Exactly(1), words_to_bit, |c| bit(c.word(0).parity());

    // Words as numbers modulo 2^n.
    BvNeg: Name("bvneg"), Exactly(1), words, |c| c.word(0).neg().into();
    BvAdd: Name("bvadd"), Exactly(2), words, |c| c.word(0).add(c.word(1)).into();
    BvSub: Name("bvsub"), Exactly(2), words, |c| c.word(0).sub(c.word(1)).into();
    BvMul: Name("bvmul"), Exactly(2), words, |c| c.word(0).mul(c.word(1)).into();
    /// All ones where the divisor is zero.
    BvUdiv: Name("bvudiv"), Exactly(2), words, |c| c.word(0).udiv(c.word(1)).into();
    /// The dividend where the divisor is zero.
    BvUrem: Name("bvurem"), Exactly(2), words, |c| c.word(0).urem(c.word(1)).into();
    /// Rounds to zero; by zero 1 for negative dividends, else -1.
    BvSdiv: Name("bvsdiv"), Exactly(2), words, |c| c.word(0).sdiv(c.word(1)).into();
    /// The sign follows the dividend.
    BvSrem: Name("bvsrem"), Exactly(2), words, |c| c.word(0).srem(c.word(1)).into();
    /// The sign follows the divisor.
    BvSmod: Name("bvsmod"), Exactly(2), words, |c| c.word(0).smod(c.word(1)).into();

    // Shifts and rotations by an amount of the same width.
    BvShl: Name("bvshl"), Exactly(2), words, |c| c.word(0).shl(c.word(1)).into();
    BvLshr: Name("bvlshr"), Exactly(2), words, |c| c.word(0).lshr(c.word(1)).into();
    BvAshr: Name("bvashr"), Exactly(2), words, |c| c.word(0).ashr(c.word(1)).into();
    /// By the amount modulo the width.
    BvRol: Written(smt_rol), Exactly(2), words, |c| c.word(0).rotate_left(c.word(1)).into();
    /// By the amount modulo the width.
    BvRor: Written(smt_ror), Exactly(2), words, |c| c.word(0).rotate_right(c.word(1)).into();

    // Comparisons.
    BvUlt: Name("bvult"), Exactly(2), words_to_bool, |c| c.word(0).ucmp(c.word(1)).is_lt().into();
    BvUle: Name("bvule"), Exactly(2), words_to_bool, |c| c.word(0).ucmp(c.word(1)).is_le().into();
    BvUgt: Name("bvugt"), Exactly(2), words_to_bool, |c| c.word(0).ucmp(c.word(1)).is_gt().into();
    BvUge: Name("bvuge"), Exactly(2), words_to_bool, |c| c.word(0).ucmp(c.word(1)).is_ge().into();
    BvSlt: Name("bvslt"), Exactly(2), words_to_bool, |c| c.word(0).scmp(c.word(1)).is_lt().into();
    BvSle: Name("bvsle"), Exactly(2), words_to_bool, |c| c.word(0).scmp(c.word(1)).is_le().into();
    BvSgt: Name("bvsgt"), Exactly(2), words_to_bool, |c| c.word(0).scmp(c.word(1)).is_gt().into();
    BvSge: Name("bvsge"), Exactly(2), words_to_bool, |c| c.word(0).scmp(c.word(1)).is_ge().into();

    // Whether the exact result does not fit: u unsigned, s in two's complement.
    BvUaddo: Written(smt_uaddo), Exactly(2), words_to_bool, |c| c.unsigned(|a, b| a + b);
    BvSaddo: Written(smt_saddo), Exactly(2), words_to_bool, |c| c.signed(|a, b| a + b);
    BvUsubo: Name("bvult"), Exactly(2), words_to_bool, |c| c.unsigned(|a, b| a - b);
    BvSsubo: Written(smt_ssubo), Exactly(2), words_to_bool, |c| c.signed(|a, b| a - b);
    BvUmulo: Written(smt_umulo), Exactly(2), words_to_bool, |c| c.unsigned(|a, b| a * b);
    BvSmulo: Written(smt_smulo), Exactly(2), words_to_bool, |c| c.signed(|a, b| a * b);
    /// The smallest number by -1; division by zero does not count.
    BvSdivo: Written(smt_sdivo), Exactly(2), words_to_bool, |c| c.signed(|a, b| if b.is_zero() { b } else { a / b });

    // Between widths.
    /// The first operand in the high bits.
    BvConcat: Name("concat"), Exactly(2), concat, |c| c.word(0).concat(c.word(1)).into();
    /// Bits `i` down to `j`, both included.
    BvExtract: Indexed("extract", 2), Exactly(1), extract, |c| c.word(0).extract(c.indices[0], c.indices[1]).into();
    /// By this many bits.
    BvZeroExtend: Indexed("zero_extend", 1), Exactly(1), extend, |c| c.word(0).zero_extend(c.indices[0]).into();
    /// By this many bits.
    BvSignExtend: Indexed("sign_extend", 1), Exactly(1), extend, |c| c.word(0).sign_extend(c.indices[0]).into();

    // Integers and reals; both operands of one sort.
    Neg: Name("-"), Exactly(1), numbers, |c| c.arithmetic(|a, _| -a, |a, _| -a);
    Add: Name("+"), AtLeast(2), numbers, |c| c.fold(|a, b| a + b, |a, b| a + b);
    Sub: Name("-"), Exactly(2), numbers, |c| c.arithmetic(|a, b| a - b, |a, b| a - b);
    Mul: Name("*"), AtLeast(2), numbers, |c| c.fold(|a, b| a * b, |a, b| a * b);
    Abs: Name("abs"), Exactly(1), integers, |c| c.int(0).abs().into();
    /// Euclidean: the remainder is never negative. By zero 0.
    IntDiv: Name("div"), Exactly(2), integers, |c| euclid(c.int(0), c.int(1)).0.into();
    /// Euclidean: never negative. By zero the dividend.
    IntMod: Name("mod"), Exactly(2), integers, |c| euclid(c.int(0), c.int(1)).1.into();
    /// By zero 0.
    RealDiv: Name("/"), Exactly(2), reals, |c| quotient(c.real(0), c.real(1)).into();
    Lt: Name("<"), Exactly(2), numbers_to_bool, |c| (c.args[0] < c.args[1]).into();
    Le: Name("<="), Exactly(2), numbers_to_bool, |c| (c.args[0] <= c.args[1]).into();
    Gt: Name(">"), Exactly(2), numbers_to_bool, |c| (c.args[0] > c.args[1]).into();
    Ge: Name(">="), Exactly(2), numbers_to_bool, |c| (c.args[0] >= c.args[1]).into();

    // Between sorts of numbers.
    ToReal: Name("to_real"), Exactly(1), int_to_real, |c| BigRational::from(c.int(0).clone()).into();
    /// Rounds down.
    ToInt: Name("to_int"), Exactly(1), real_to_int, |c| c.real(0).floor().to_integer().into();
    IsInt: Name("is_int"), Exactly(1), real_to_bool, |c| c.real(0).is_integer().into();
    /// The unsigned number.
    BvToNat: Name("bv2nat"), Exactly(1), word_to_int, |c| c.word(0).to_int().into();
    /// The number in two's complement.
    BvToInt: Written(smt_bv2int), Exactly(1), word_to_int, |c| c.word(0).to_signed().into();
    /// Modulo 2^n.
    IntToBv: Indexed("int2bv", 1), Exactly(1), int_to_word, |c| Word::from_int(c.int(0), c.indices[0]).into();

    // Arrays.
    Select: Name("select"), Exactly(2), select, |c| c.array(0).get(c.args[1]).clone();
    Store: Name("store"), Exactly(3), store, |c| c.store();
    /// One element everywhere. Made by [`Terms::constant_array`](crate::Terms::constant_array).
    ConstArray: Const, Exactly(1), no_rule, |c| c.constant_array();
    /// The array that holds the second operand, which may read the first, a variable, at the place that is the
    /// first. Made by [`Terms::lambda`](crate::Terms::lambda); [`maps::evaluate`](crate::maps::evaluate) knows its
    /// value.
    Lambda: Binder, Exactly(2), no_rule, |c| panic!("a lambda over {} is evaluated at a place", c.sort);
}

impl Op {
    pub(crate) fn row(self) -> &'static Row {
        let row = &TABLE[self as usize];
        debug_assert_eq!(row.op, self);
        row
    }

    /// All operators, in the order of the table.
    pub fn all() -> impl Iterator<Item = Op> {
        TABLE.iter().map(|row| row.op)
    }

    /// The operators that SMT-LIB writes with this name.
    pub fn named(name: &str) -> impl Iterator<Item = Op> {
        let has = move |row: &&Row| matches!(row.smt, Name(n) | Indexed(n, _) if n == name);
        TABLE.iter().filter(has).map(|row| row.op)
    }

    pub fn arity(self) -> Arity {
        self.row().arity
    }
}

fn bit(value: bool) -> Value {
    Value::Word(Word::from_u64(u64::from(value), 1))
}

/// `a = b·q + r` with `0 ≤ r < |b|`; (0, a) where b is zero.
fn euclid(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    if b.is_zero() {
        return (BigInt::zero(), a.clone());
    }
    let (q, r) = a.div_mod_floor(b);
    if r.is_negative() { (q + 1, r - b) } else { (q, r) }
}

fn quotient(a: &BigRational, b: &BigRational) -> BigRational {
    if b.is_zero() { BigRational::zero() } else { a / b }
}

impl Call<'_> {
    fn bool(&self, i: usize) -> bool {
        self.args[i].as_bool().expect("the sort rule wants a Boolean")
    }

    fn bools(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.args.len()).map(|i| self.bool(i))
    }

    fn word(&self, i: usize) -> &Word {
        self.args[i].as_word().expect("the sort rule wants a word")
    }

    fn int(&self, i: usize) -> &BigInt {
        match self.args[i] {
            Value::Int(n) => n,
            other => panic!("the sort rule wants an integer, not {other}"),
        }
    }

    fn real(&self, i: usize) -> &BigRational {
        match self.args[i] {
            Value::Real(q) => q,
            other => panic!("the sort rule wants a real, not {other}"),
        }
    }

    fn array(&self, i: usize) -> &ArrayValue {
        match self.args[i] {
            Value::Array(array) => array,
            other => panic!("the sort rule wants an array, not {other}"),
        }
    }

    fn distinct(&self) -> bool {
        let mut sorted = self.args.to_vec();
        sorted.sort();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// An operation on the first and the last operand, by its versions on integers and on reals.
    fn arithmetic(
        &self,
        ints: fn(&BigInt, &BigInt) -> BigInt,
        reals: fn(&BigRational, &BigRational) -> BigRational,
    ) -> Value {
        let last = self.args.len() - 1;
        match self.sort {
            Sort::Int => ints(self.int(0), self.int(last)).into(),
            _ => reals(self.real(0), self.real(last)).into(),
        }
    }

    fn fold(
        &self,
        ints: fn(BigInt, &BigInt) -> BigInt,
        reals: fn(BigRational, &BigRational) -> BigRational,
    ) -> Value {
        let rest = 1..self.args.len();
        match self.sort {
            Sort::Int => rest.fold(self.int(0).clone(), |sum, i| ints(sum, self.int(i))).into(),
            _ => rest.fold(self.real(0).clone(), |sum, i| reals(sum, self.real(i))).into(),
        }
    }

    fn unsigned(&self, exact: fn(BigInt, BigInt) -> BigInt) -> Value {
        let (a, b) = (self.word(0), self.word(1));
        unsigned_overflow(&exact(a.to_int(), b.to_int()), a.width()).into()
    }

    fn signed(&self, exact: fn(BigInt, BigInt) -> BigInt) -> Value {
        let (a, b) = (self.word(0), self.word(1));
        signed_overflow(&exact(a.to_signed(), b.to_signed()), a.width()).into()
    }

    fn store(&self) -> Value {
        let mut array = self.array(0).clone();
        array.set(self.args[1].clone(), self.args[2].clone());
        Value::array(array)
    }

    fn constant_array(&self) -> Value {
        let index = self.sort.as_array().expect("a constant array has an array sort").index.clone();
        Value::array(ArrayValue::constant(index, self.args[0].clone()))
    }
}

// Sort rules. The arity has been checked.

type Rule = Result<Sort, TermError>;

impl Signature<'_> {
    /// `Err` unless the condition holds.
    fn require(&self, condition: bool, wanted: &str) -> Result<(), TermError> {
        if condition { Ok(()) } else { Err(self.refused(wanted)) }
    }

    fn refused(&self, wanted: &str) -> TermError {
        TermError::new(self.op, wanted, self.args)
    }

    fn all(&self, wanted: &str, is: impl Fn(&Sort) -> bool) -> Result<(), TermError> {
        self.require(self.args.iter().all(|sort| is(sort)), wanted)
    }

    fn same(&self, wanted: &str, is: impl Fn(&Sort) -> bool) -> Rule {
        self.all(wanted, |sort| is(sort) && sort == self.args[0])?;
        Ok(self.args[0].clone())
    }

    fn width(&self) -> Result<u32, TermError> {
        self.args[0].width().ok_or_else(|| self.refused("a word"))
    }
}

fn is_word(sort: &Sort) -> bool {
    sort.width().is_some()
}

fn booleans(s: &Signature<'_>) -> Rule {
    s.same("Booleans", |sort| *sort == Sort::Bool)
}

fn same_to_bool(s: &Signature<'_>) -> Rule {
    s.same("operands of one sort", |_| true).map(|_| Sort::Bool)
}

fn ite(s: &Signature<'_>) -> Rule {
    let fits = *s.args[0] == Sort::Bool && s.args[1] == s.args[2];
    s.require(fits, "a Boolean and two operands of one sort")?;
    Ok(s.args[1].clone())
}

fn words(s: &Signature<'_>) -> Rule {
    s.same("words of one width", is_word)
}

fn words_to_bit(s: &Signature<'_>) -> Rule {
    words(s).map(|_| Sort::BitVec(1))
}

fn words_to_bool(s: &Signature<'_>) -> Rule {
    words(s).map(|_| Sort::Bool)
}

fn concat(s: &Signature<'_>) -> Rule {
    s.all("words", is_word)?;
    let width = s.args.iter().filter_map(|sort| sort.width()).try_fold(0u32, u32::checked_add);
    width.map(Sort::BitVec).ok_or_else(|| s.refused("a result of less than 2^32 bits"))
}

fn extract(s: &Signature<'_>) -> Rule {
    let ([high, low], width) = (s.indices, s.width()?);
    s.require(low <= high && high < width, &format!("[{high}:{low}] to lie within the word"))?;
    Ok(Sort::BitVec(high - low + 1))
}

fn extend(s: &Signature<'_>) -> Rule {
    let width = s.width()?.checked_add(s.indices[0]);
    width.map(Sort::BitVec).ok_or_else(|| s.refused("a result of less than 2^32 bits"))
}

fn numbers(s: &Signature<'_>) -> Rule {
    s.same("operands that are all Int or all Real", Sort::is_numeric)
}

fn numbers_to_bool(s: &Signature<'_>) -> Rule {
    numbers(s).map(|_| Sort::Bool)
}

fn integers(s: &Signature<'_>) -> Rule {
    s.same("integers", |sort| *sort == Sort::Int)
}

fn reals(s: &Signature<'_>) -> Rule {
    s.same("reals", |sort| *sort == Sort::Real)
}

fn int_to_real(s: &Signature<'_>) -> Rule {
    integers(s).map(|_| Sort::Real)
}

fn real_to_int(s: &Signature<'_>) -> Rule {
    reals(s).map(|_| Sort::Int)
}

fn real_to_bool(s: &Signature<'_>) -> Rule {
    reals(s).map(|_| Sort::Bool)
}

fn word_to_int(s: &Signature<'_>) -> Rule {
    words(s).map(|_| Sort::Int)
}

fn int_to_word(s: &Signature<'_>) -> Rule {
    integers(s)?;
    s.require(s.indices[0] > 0, "a width above 0")?;
    Ok(Sort::BitVec(s.indices[0]))
}

fn select(s: &Signature<'_>) -> Rule {
    match s.args[0].as_array() {
        Some(array) if array.index == *s.args[1] => Ok(array.element.clone()),
        _ => Err(s.refused("an array and a place in it")),
    }
}

fn store(s: &Signature<'_>) -> Rule {
    match s.args[0].as_array() {
        Some(array) if array.index == *s.args[1] && array.element == *s.args[2] => Ok(s.args[0].clone()),
        _ => Err(s.refused("an array, a place in it and an element")),
    }
}

fn no_rule(s: &Signature<'_>) -> Rule {
    Err(s.refused("a constructor of its own: Terms::constant_array, Terms::lambda"))
}

// What SMT-LIB (or an older solver) has no name for.

fn smt_redand(width: u32, a: &[&str]) -> String {
    format!("(bvcomp {} (bvnot (_ bv0 {width})))", a[0])
}

fn smt_redor(width: u32, a: &[&str]) -> String {
    format!("(bvnot (bvcomp {} (_ bv0 {width})))", a[0])
}

fn smt_redxor(width: u32, a: &[&str]) -> String {
    let bits = |i: u32| format!("((_ extract {i} {i}) {})", a[0]);
    (1..width).fold(bits(0), |parity, i| format!("(bvxor {parity} {})", bits(i)))
}

fn smt_rol(width: u32, a: &[&str]) -> String {
    smt_rotate("bvshl", "bvlshr", width, a)
}

fn smt_ror(width: u32, a: &[&str]) -> String {
    smt_rotate("bvlshr", "bvshl", width, a)
}

/// The width fits its own number of bits, and a shift by all of it gives 0.
fn smt_rotate(there: &str, back: &str, width: u32, a: &[&str]) -> String {
    let places = format!("(bvurem {} (_ bv{width} {width}))", a[1]);
    format!("(bvor ({there} {} {places}) ({back} {} (bvsub (_ bv{width} {width}) {places})))", a[0], a[0])
}

fn smt_uaddo(_: u32, a: &[&str]) -> String {
    format!("(bvult (bvadd {} {}) {})", a[0], a[1], a[0])
}

/// The exact result, in more bits, differs from the result that was cut.
fn smt_signed(op: &str, more: u32, a: &[&str]) -> String {
    let wide = |x: &str| format!("((_ sign_extend {more}) {x})");
    let cut = wide(&format!("({op} {} {})", a[0], a[1]));
    format!("(distinct ({op} {} {}) {cut})", wide(a[0]), wide(a[1]))
}

fn smt_saddo(_: u32, a: &[&str]) -> String {
    smt_signed("bvadd", 1, a)
}

fn smt_ssubo(_: u32, a: &[&str]) -> String {
    smt_signed("bvsub", 1, a)
}

fn smt_smulo(width: u32, a: &[&str]) -> String {
    smt_signed("bvmul", width, a)
}

fn smt_umulo(width: u32, a: &[&str]) -> String {
    let wide = |x: &str| format!("((_ zero_extend {width}) {x})");
    let high = format!("((_ extract {} {width}) (bvmul {} {}))", 2 * width - 1, wide(a[0]), wide(a[1]));
    format!("(distinct {high} (_ bv0 {width}))")
}

fn smt_sdivo(width: u32, a: &[&str]) -> String {
    let least = format!("(bvshl (_ bv1 {width}) (_ bv{} {width}))", width - 1);
    format!("(and (= {} {least}) (= {} (bvnot (_ bv0 {width}))))", a[0], a[1])
}

fn smt_bv2int(width: u32, a: &[&str]) -> String {
    let x = a[0];
    let top = width - 1;
    let sign = format!("(= ((_ extract {top} {top}) {x}) (_ bv1 1))");
    format!("(- (bv2nat {x}) (ite {sign} {} 0))", BigInt::from(1) << width)
}
