//! The store: sharing, walks over deep terms, substitution, unknown values, SMT-LIB text.

use buttress_term::smtlib::{Smtlib, symbol, value};
use buttress_term::{Evaluation, Op, Sort, TermId, Terms, Value, Word};
use num_rational::BigRational;
use rustc_hash::FxHashMap;

#[test]
fn equal_terms_are_one_and_nothing_is_rewritten() {
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::BitVec(8));
    let same_name = terms.variable("x", Sort::BitVec(8));
    assert_ne!(x, same_name);
    let zero = terms.word(0, 8);
    assert_eq!(zero, terms.word(256, 8));
    let sum = terms.app(Op::BvAdd, &[x, zero]);
    assert_eq!(sum, terms.app(Op::BvAdd, &[x, zero]));
    assert_ne!(sum, x);
    assert_ne!(sum, terms.app(Op::BvAdd, &[zero, x]));
    assert_ne!(terms.extract(x, 3, 0), terms.extract(x, 3, 1));
    let bits = [Sort::BitVec(2), Sort::BitVec(3)].map(|index| terms.constant_array(index, zero));
    assert_ne!(bits[0], bits[1]);
}

/// x + x + … : 2^n copies as a tree, n terms in the store.
fn doubled(terms: &mut Terms, x: TermId, times: usize) -> TermId {
    (0..times).fold(x, |sum, _| terms.app(Op::BvAdd, &[sum, sum]))
}

#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::BitVec(64));
    let y = terms.variable("y", Sort::BitVec(64));
    let deep = doubled(&mut terms, x, 200_000);
    let chain = (0..200_000).fold(x, |t, _| terms.app(Op::BvNot, &[t]));
    let mut evaluation = Evaluation::new(&terms);
    evaluation.assign(x, Some(Word::one(64).into()));
    assert_eq!(evaluation.value(deep), Some(Word::zero(64).into()));
    assert_eq!(evaluation.value(chain), Some(Word::one(64).into()));
    assert_eq!(terms.free_variables([deep]), [x]);
    let moved = terms.substitute(&[deep], &FxHashMap::from_iter([(x, y)]))[0];
    assert_eq!(terms.free_variables([moved]), [y]);
    assert!(Smtlib::new(&terms).term(chain).len() < 2_000_000);
    assert!(Smtlib::new(&terms).term(deep).len() < 20_000_000);
}

#[test]
fn substitution_is_simultaneous() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Int));
    let difference = terms.app(Op::Sub, &[x, y]);
    let swapped = terms.substitute(&[difference, x], &FxHashMap::from_iter([(x, y), (y, x)]));
    assert_eq!(swapped, [terms.app(Op::Sub, &[y, x]), y]);
    let one = terms.int(1);
    let sum = terms.app(Op::Add, &[difference, one]);
    let replaced = terms.substitute(&[sum], &FxHashMap::from_iter([(difference, x)]));
    assert_eq!(replaced, [terms.app(Op::Add, &[x, one])]);
}

#[test]
fn a_copy_that_grows_keeps_the_ids() {
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::Bool);
    let not = terms.not(x);
    let mut more = terms.clone();
    let (here, there) = (terms.and(x, not), more.or(x, not));
    assert_eq!(here, there);
    assert_eq!(more.not(x), not);
}

#[test]
fn unknown_values_are_decided_where_the_others_decide() {
    let mut terms = Terms::new();
    let [p, q] = ["p", "q"].map(|name| terms.variable(name, Sort::Bool));
    let no = terms.bool(false);
    let and = terms.and(q, p);
    let or = terms.or(p, q);
    let implied = terms.implies(p, q);
    let chosen = terms.ite(q, p, no);
    let same = terms.ite(p, q, no);
    let strict = terms.app(Op::Xor, &[p, q]);
    let reflexive = terms.eq(p, p);
    let mut evaluation = Evaluation::new(&terms);
    evaluation.assign(p, None);
    evaluation.assign(q, Some(Value::Bool(false)));
    let values = [and, or, implied, chosen, same, strict, reflexive].map(|t| evaluation.bool(t));
    assert_eq!(values, [Some(false), None, None, Some(false), Some(false), None, None]);
    evaluation.clear();
    evaluation.assign(p, None);
    evaluation.assign(q, Some(Value::Bool(true)));
    let values = [and, or, implied, chosen, same].map(|t| evaluation.bool(t));
    assert_eq!(values, [None, Some(true), Some(true), None, None]);
}

#[test]
fn smtlib_text() {
    let mut terms = Terms::new();
    let colour = Sort::enumeration("colour", ["red", "dark green"]);
    let x = terms.variable("a.b[0]", Sort::BitVec(4));
    let twin = terms.variable("a.b[0]", Sort::BitVec(4));
    let c = terms.variable("c", colour.clone());
    let green = terms.enum_constant(&colour, 1);
    let is_green = terms.eq(c, green);
    let five = terms.word(5, 4);
    let sum = terms.app(Op::BvAdd, &[x, five]);
    let both = terms.app(Op::BvMul, &[sum, sum]);
    let low = terms.extract(both, 1, 0);
    let any = terms.app(Op::BvRedOr, &[sum]);
    let chosen = terms.app(Op::BvUlt, &[x, twin]);
    let text = Smtlib::new(&terms);
    let x_sum = format!("t!{}", sum.index());
    assert_eq!(
        text.term(low),
        format!("(let (({x_sum} (bvadd |a.b[0]| #b0101))) ((_ extract 1 0) (bvmul {x_sum} {x_sum})))")
    );
    assert_eq!(
        text.term(any),
        format!("(let (({x_sum} (bvadd |a.b[0]| #b0101))) (bvnot (bvcomp {x_sum} (_ bv0 4))))")
    );
    assert_eq!(text.term(chosen), format!("(bvult |a.b[0]| |a.b[0]!{}|)", twin.index()));
    assert_eq!(text.term(is_green), "(= c |dark green|)");
    assert_eq!(
        text.declarations([is_green, x]),
        "(declare-datatypes ((colour 0)) (((red) (|dark green|))))\n\
         (declare-const |a.b[0]| (_ BitVec 4))\n(declare-const c colour)\n"
    );
    assert_eq!(["x", "and", "0x", "let", "a|b"].map(symbol), ["x", "|and|", "|0x|", "|let|", "|a?b|"]);
    let fraction = Value::Real(BigRational::new((-1).into(), 3.into()));
    assert_eq!(value(&fraction), "(- (/ 1.0 3.0))");
}
