//! Every operator on words against its definition on the integers: all operands at small widths, random and
//! extreme ones at large widths. Sort rules, arithmetic and arrays by example.

use buttress_term::{Evaluation, Op, Sort, TermId, Terms, Value, Word};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// Operands of one width, as integers.
struct Operands {
    width: u32,
    a: BigInt,
    b: BigInt,
}

impl Operands {
    fn modulus(&self) -> BigInt {
        BigInt::from(1) << self.width
    }

    fn signed(&self, n: &BigInt) -> BigInt {
        if n.bit(u64::from(self.width) - 1) { n - self.modulus() } else { n.clone() }
    }

    fn sa(&self) -> BigInt {
        self.signed(&self.a)
    }

    fn sb(&self) -> BigInt {
        self.signed(&self.b)
    }

    fn unsigned_fits(&self, n: BigInt) -> bool {
        n >= BigInt::zero() && n < self.modulus()
    }

    fn signed_fits(&self, n: BigInt) -> bool {
        let half = BigInt::from(1) << (self.width - 1);
        n >= -&half && n < half
    }

    /// The shift amount, cut at the width: more makes no difference.
    fn amount(&self) -> u32 {
        self.b.to_u32().map_or(self.width, |n| n.min(self.width))
    }

    fn rotated(&self, places: &BigInt) -> BigInt {
        let left = places.mod_floor(&self.width.into()).to_u32().unwrap();
        (&self.a << left) % self.modulus() + (&self.a >> (self.width - left))
    }

    fn ones(&self) -> u64 {
        (0..u64::from(self.width)).filter(|&i| self.a.bit(i)).count() as u64
    }

    fn bitwise(&self, table: fn(bool, bool) -> bool) -> BigInt {
        let places = (0..u64::from(self.width)).filter(|&i| table(self.a.bit(i), self.b.bit(i)));
        places.map(|i| BigInt::from(1) << i).sum()
    }
}

/// Results that are words of the same width, taken modulo 2^width.
type OnWords = fn(&Operands) -> BigInt;

const UNARY: &[(Op, OnWords)] = &[(Op::BvNot, |o| -&o.a - 1), (Op::BvNeg, |o| -&o.a)];

const BINARY: &[(Op, OnWords)] = &[
    (Op::BvAnd, |o| o.bitwise(|a, b| a && b)),
    (Op::BvOr, |o| o.bitwise(|a, b| a || b)),
    (Op::BvXor, |o| o.bitwise(|a, b| a != b)),
    (Op::BvNand, |o| o.bitwise(|a, b| !(a && b))),
    (Op::BvNor, |o| o.bitwise(|a, b| !(a || b))),
    (Op::BvXnor, |o| o.bitwise(|a, b| a == b)),
    (Op::BvAdd, |o| &o.a + &o.b),
    (Op::BvSub, |o| &o.a - &o.b),
    (Op::BvMul, |o| &o.a * &o.b),
    (Op::BvUdiv, |o| if o.b.is_zero() { (-1).into() } else { &o.a / &o.b }),
    (Op::BvUrem, |o| if o.b.is_zero() { o.a.clone() } else { &o.a % &o.b }),
    (Op::BvSdiv, |o| match o.b.is_zero() {
        true => BigInt::from(if o.sa().is_negative() { 1 } else { -1 }),
        false => o.sa() / o.sb(),
    }),
    (Op::BvSrem, |o| if o.b.is_zero() { o.a.clone() } else { o.sa() % o.sb() }),
    (Op::BvSmod, |o| if o.b.is_zero() { o.a.clone() } else { o.sa().mod_floor(&o.sb()) }),
    (Op::BvShl, |o| &o.a << o.amount()),
    (Op::BvLshr, |o| &o.a >> o.amount()),
    (Op::BvAshr, |o| o.sa().div_floor(&(BigInt::from(1) << o.amount()))),
    (Op::BvRol, |o| o.rotated(&o.b)),
    (Op::BvRor, |o| o.rotated(&-&o.b)),
];

/// Results that are true or false.
type OnPairs = fn(&Operands) -> bool;

const REDUCTIONS: &[(Op, OnPairs)] = &[
    (Op::BvRedAnd, |o| o.ones() == u64::from(o.width)),
    (Op::BvRedOr, |o| o.ones() > 0),
    (Op::BvRedXor, |o| o.ones() % 2 == 1),
];

const PREDICATES: &[(Op, OnPairs)] = &[
    (Op::Eq, |o| o.a == o.b),
    (Op::Distinct, |o| o.a != o.b),
    (Op::BvComp, |o| o.a == o.b),
    (Op::BvUlt, |o| o.a < o.b),
    (Op::BvUle, |o| o.a <= o.b),
    (Op::BvUgt, |o| o.a > o.b),
    (Op::BvUge, |o| o.a >= o.b),
    (Op::BvSlt, |o| o.sa() < o.sb()),
    (Op::BvSle, |o| o.sa() <= o.sb()),
    (Op::BvSgt, |o| o.sa() > o.sb()),
    (Op::BvSge, |o| o.sa() >= o.sb()),
    (Op::BvUaddo, |o| !o.unsigned_fits(&o.a + &o.b)),
    (Op::BvSaddo, |o| !o.signed_fits(o.sa() + o.sb())),
    (Op::BvUsubo, |o| !o.unsigned_fits(&o.a - &o.b)),
    (Op::BvSsubo, |o| !o.signed_fits(o.sa() - o.sb())),
    (Op::BvUmulo, |o| !o.unsigned_fits(&o.a * &o.b)),
    (Op::BvSmulo, |o| !o.signed_fits(o.sa() * o.sb())),
    (Op::BvSdivo, |o| !o.b.is_zero() && !o.signed_fits(o.sa() / o.sb())),
];

#[test]
fn no_operator_on_words_is_forgotten() {
    let elsewhere = ["BvConcat", "BvExtract", "BvZeroExtend", "BvSignExtend", "BvToNat", "BvToInt"];
    let listed = UNARY.iter().chain(BINARY).map(|row| row.0);
    let listed: Vec<Op> = listed.chain(REDUCTIONS.iter().chain(PREDICATES).map(|row| row.0)).collect();
    for op in Op::all().filter(|op| !listed.contains(op)) {
        let name = format!("{op:?}");
        assert!(!name.starts_with("Bv") || elsewhere.contains(&&*name), "{name} has no definition");
    }
}

fn evaluate(build: impl FnOnce(&mut Terms) -> TermId) -> Value {
    let mut terms = Terms::new();
    let term = build(&mut terms);
    Evaluation::new(&terms).value(term).expect("a closed term has a value")
}

fn check(operands: &Operands) {
    let Operands { width, a, b } = operands;
    let [a, b] = [a, b].map(|n| Value::Word(Word::from_int(n, *width)));
    let value = |op: Op, args: &[&Value]| {
        evaluate(|terms| {
            let args: Vec<TermId> = args.iter().map(|&v| terms.constant(v.clone())).collect();
            terms.app(op, &args)
        })
    };
    let word = |n: BigInt| Value::Word(Word::from_bits((0..u64::from(*width)).map(|i| n.bit(i))));
    let truth = |v: Value| match v {
        Value::Bool(b) => b,
        bit => bit == Value::Word(Word::one(1)),
    };
    for (op, definition) in UNARY {
        assert_eq!(value(*op, &[&a]), word(definition(operands)), "{op:?} {a} of {width} bits");
    }
    for (op, definition) in BINARY {
        assert_eq!(value(*op, &[&a, &b]), word(definition(operands)), "{op:?} {a} {b} of {width} bits");
    }
    for (op, definition) in REDUCTIONS {
        assert_eq!(truth(value(*op, &[&a])), definition(operands), "{op:?} {a} of {width} bits");
    }
    for (op, definition) in PREDICATES {
        assert_eq!(truth(value(*op, &[&a, &b])), definition(operands), "{op:?} {a} {b} of {width} bits");
    }
}

#[test]
fn all_operands_of_up_to_four_bits() {
    for width in 1..=4 {
        for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
            check(&Operands { width, a: BigInt::from(a), b: BigInt::from(b) });
        }
    }
}

/// xorshift: tests repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Often close to 0, to the sign change or to the end, where carries and signs go wrong.
    fn operand(&mut self, width: u32) -> BigInt {
        let modulus = BigInt::from(1) << width;
        let small = BigInt::from(self.next() % 8) - 4;
        let any = (0..width.div_ceil(64)).fold(BigInt::zero(), |n, _| (n << 64) + self.next());
        let n = match self.next() % 6 {
            0 => small,
            1 => (&modulus >> 1) + small,
            2 => BigInt::from(self.next() % u64::from(2 * width)),
            3 => any >> (self.next() % u64::from(width)),
            _ => any,
        };
        n.mod_floor(&modulus)
    }
}

#[test]
fn random_operands_of_many_bits() {
    let mut random = Random(0x5eed);
    for width in [5, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200] {
        for _ in 0..150 {
            check(&Operands { width, a: random.operand(width), b: random.operand(width) });
        }
    }
}

#[test]
fn parts_of_words() {
    let mut random = Random(7);
    for width in [1u32, 2, 3, 4, 63, 64, 65, 130, 200] {
        for _ in 0..40 {
            let (n, m) = (random.operand(width), random.operand(3));
            let [high, low] = {
                let (i, j) = (random.next() as u32 % width, random.next() as u32 % width);
                [i.max(j), i.min(j)]
            };
            let more = random.next() as u32 % 70;
            let apply = |op: Op, indices, args: &[(&BigInt, u32)]| {
                let value = evaluate(|terms| {
                    let args: Vec<TermId> =
                        args.iter().map(|(n, w)| terms.constant(Word::from_int(n, *w))).collect();
                    terms.apply_indexed(op, indices, &args).unwrap()
                });
                let word = value.as_word().unwrap().clone();
                (word.to_int(), word.to_signed(), word.width())
            };
            let part = (&n >> low) % (BigInt::from(1) << (high - low + 1));
            let extracted = apply(Op::BvExtract, [high, low], &[(&n, width)]);
            assert_eq!((extracted.0, extracted.2), (part, high - low + 1));
            let extended = apply(Op::BvZeroExtend, [more, 0], &[(&n, width)]);
            assert_eq!((&extended.0, extended.2), (&n, width + more));
            let extended = apply(Op::BvSignExtend, [more, 0], &[(&n, width)]);
            assert_eq!((extended.1, extended.2), (Word::from_int(&n, width).to_signed(), width + more));
            let joined = apply(Op::BvConcat, [0, 0], &[(&n, width), (&m, 3)]);
            assert_eq!((joined.0, joined.2), ((&n << 3) + &m, width + 3));
        }
    }
}

#[test]
fn words_and_integers_convert() {
    for n in -40i64..40 {
        for width in [1, 3, 6, 64, 100] {
            let word = evaluate(|t| {
                let n = t.int(n);
                t.apply_indexed(Op::IntToBv, [width, 0], &[n]).unwrap()
            });
            let back = |op| {
                evaluate(|t| {
                    let word = t.constant(word.clone());
                    t.app(op, &[word])
                })
            };
            let modulus = BigInt::from(1) << width;
            assert_eq!(back(Op::BvToNat), Value::Int(BigInt::from(n).mod_floor(&modulus)));
            if width > 6 {
                assert_eq!(back(Op::BvToInt), Value::Int(n.into()));
            }
        }
    }
}

/// Euclid, whatever the signs: a = b·q + r with 0 ≤ r < |b|.
#[test]
fn integer_division_is_euclidean() {
    for (a, b) in (-9i64..=9).flat_map(|a| (-4i64..=4).map(move |b| (a, b))) {
        let value = |op| match evaluate(|t| {
            let args = [t.int(a), t.int(b)];
            t.app(op, &args)
        }) {
            Value::Int(n) => n.to_i64().unwrap(),
            other => panic!("{other} is no integer"),
        };
        let (q, r) = (value(Op::IntDiv), value(Op::IntMod));
        match b {
            0 => assert_eq!((q, r), (0, a)),
            _ => assert!(a == b * q + r && (0..b.abs()).contains(&r), "{a} = {b}·{q} + {r}"),
        }
    }
}

#[test]
fn arithmetic_is_exact() {
    let real = |n: i64, d: i64| Value::Real(BigRational::new(n.into(), d.into()));
    let int = |n: i64| Value::Int(n.into());
    let value = |op, args: &[Value]| {
        evaluate(|t| {
            let args: Vec<TermId> = args.iter().map(|v| t.constant(v.clone())).collect();
            t.app(op, &args)
        })
    };
    assert_eq!(value(Op::Add, &[real(1, 3), real(1, 6), real(1, 2)]), real(1, 1));
    assert_eq!(value(Op::Mul, &[int(3), int(-4), int(2)]), int(-24));
    assert_eq!(value(Op::Sub, &[real(1, 3), real(1, 2)]), real(-1, 6));
    assert_eq!(value(Op::Neg, &[int(5)]), int(-5));
    assert_eq!(value(Op::Abs, &[int(-5)]), int(5));
    assert_eq!(value(Op::RealDiv, &[real(1, 2), real(-3, 4)]), real(-2, 3));
    assert_eq!(value(Op::RealDiv, &[real(1, 2), real(0, 1)]), real(0, 1));
    assert_eq!(value(Op::ToInt, &[real(-3, 2)]), int(-2));
    assert_eq!(value(Op::ToReal, &[int(7)]), real(7, 1));
    assert_eq!(value(Op::IsInt, &[real(4, 2)]), Value::Bool(true));
    assert_eq!(value(Op::Lt, &[real(1, 3), real(1, 2)]), Value::Bool(true));
    assert_eq!(value(Op::Ge, &[int(-1), int(-1)]), Value::Bool(true));
    assert_eq!(value(Op::Gt, &[int(-1), int(-1)]), Value::Bool(false));
    assert_eq!(value(Op::Le, &[int(-2), int(-1)]), Value::Bool(true));
    assert_eq!(value(Op::Distinct, &[int(1), int(2), int(1)]), Value::Bool(false));
}

#[test]
fn connectives() {
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let value = |op| {
            evaluate(|t| {
                let args = [t.bool(a), t.bool(b)];
                t.app(op, &args)
            })
        };
        let expected =
            [(Op::And, a && b), (Op::Or, a || b), (Op::Xor, a != b), (Op::Implies, a <= b), (Op::Eq, a == b)];
        for (op, wanted) in expected {
            assert_eq!(value(op), Value::Bool(wanted), "{op:?} {a} {b}");
        }
    }
}

#[test]
fn arrays_are_functions() {
    let mut terms = Terms::new();
    let [zero, five, seven] = [0, 5, 7].map(|n| terms.word(n, 4));
    let blank = terms.constant_array(Sort::BitVec(4), zero);
    let once = terms.app(Op::Store, &[blank, five, seven]);
    let undone = terms.app(Op::Store, &[once, five, zero]);
    let read = terms.app(Op::Select, &[once, five]);
    let beside = terms.app(Op::Select, &[once, seven]);
    let equal = terms.eq(undone, blank);
    let mut evaluation = Evaluation::new(&terms);
    assert_eq!(evaluation.value(read).unwrap().to_string(), "7");
    assert_eq!(evaluation.value(beside).unwrap().to_string(), "0");
    assert_eq!(evaluation.bool(equal), Some(true));
    assert_eq!(evaluation.value(once).unwrap().to_string(), "{5: 7, else: 0}");
}

#[test]
fn wrong_sorts_are_refused() {
    let mut terms = Terms::new();
    let colour = Sort::enumeration("colour", ["red", "green"]);
    let (x, y) = (terms.variable("x", Sort::BitVec(8)), terms.variable("y", Sort::BitVec(9)));
    let (p, n) = (terms.variable("p", Sort::Bool), terms.variable("n", Sort::Int));
    let (r, c) = (terms.variable("r", Sort::Real), terms.variable("c", colour));
    let a = terms.variable("a", Sort::array(Sort::BitVec(8), Sort::Bool));
    let before = terms.len();
    let refused: &[(Op, &[TermId])] = &[
        (Op::BvAdd, &[x, y]),
        (Op::BvAdd, &[x]),
        (Op::And, &[p, x]),
        (Op::And, &[]),
        (Op::Not, &[x]),
        (Op::Eq, &[x, y]),
        (Op::Ite, &[x, p, p]),
        (Op::Ite, &[p, n, r]),
        (Op::Add, &[n, r]),
        (Op::Lt, &[c, c]),
        (Op::IntDiv, &[r, r]),
        (Op::RealDiv, &[n, n]),
        (Op::Select, &[a, y]),
        (Op::Select, &[x, x]),
        (Op::Store, &[a, x, x]),
        (Op::ConstArray, &[x]),
    ];
    for (op, args) in refused {
        assert!(terms.apply(*op, args).is_err(), "{op:?} takes {args:?}");
    }
    for (high, low) in [(8, 0), (3, 4)] {
        assert!(terms.apply_indexed(Op::BvExtract, [high, low], &[x]).is_err());
    }
    assert!(terms.apply_indexed(Op::IntToBv, [0, 0], &[n]).is_err());
    assert_eq!(terms.len(), before, "what is refused leaves nothing behind");
    let wrong = terms.apply(Op::BvAdd, &[x, y]).unwrap_err().to_string();
    assert_eq!(wrong, "BvAdd wants words of one width, not (_ BitVec 8), (_ BitVec 9)");
}
