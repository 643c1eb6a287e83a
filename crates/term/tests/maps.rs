//! Maps: substitution that captures nothing, reduction, and evaluation, against each other.

use buttress_term::maps::{Interpretation, applied_value, evaluate};
use buttress_term::smtlib::Smtlib;
use buttress_term::{ArrayValue, Node, Op, Sort, TermId, Terms, Value};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

fn int(n: i64) -> Value {
    Value::Int(BigInt::from(n))
}

/// Tables and numbers by variable.
struct Given(FxHashMap<TermId, Value>);

impl Interpretation for Given {
    fn value(&self, variable: TermId, arguments: &[Value]) -> Option<Value> {
        applied_value(self.0.get(&variable)?, arguments)
    }
}

fn map() -> Sort {
    Sort::map(&[Sort::Int], Sort::Int)
}

/// (λu. λv. u - v)(v) is λw. v - w, not λv. v - v.
#[test]
fn substitution_captures_nothing() {
    let mut terms = Terms::new();
    let (u, v) = (terms.variable("u", Sort::Int), terms.variable("v", Sort::Int));
    let difference = terms.app(Op::Sub, &[u, v]);
    let inner = terms.lambda(v, difference);
    let outer = terms.lambda(u, inner);
    let applied = terms.app(Op::Select, &[outer, v]);
    let reduced = terms.reduce(applied);
    assert_eq!(terms.free_variables([reduced]), [v]);
    let three = terms.int(3);
    let at = terms.call(applied, &[three]).unwrap();
    let at = terms.reduce(at);
    assert_eq!(at, terms.app(Op::Sub, &[v, three]));
}

/// All at once: F and x are exchanged for terms that read F and x.
#[test]
fn substitution_is_simultaneous() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable("x", Sort::Int), terms.variable("y", Sort::Int));
    let sum = terms.app(Op::Sub, &[x, y]);
    let exchanged = terms.replace(sum, &[(x, y), (y, x)].into_iter().collect());
    assert_eq!(exchanged, terms.app(Op::Sub, &[y, x]));
}

#[test]
fn a_bound_variable_is_not_free_and_is_not_replaced() {
    let mut terms = Terms::new();
    let (u, x) = (terms.variable("u", Sort::Int), terms.variable("x", Sort::Int));
    let sum = terms.app(Op::Add, &[u, x]);
    let lambda = terms.lambda(u, sum);
    assert_eq!(terms.free_variables([lambda]), [x]);
    let seven = terms.int(7);
    let same = terms.replace(lambda, &[(u, seven)].into_iter().collect());
    let at = terms.call(same, &[x]).unwrap();
    let at = terms.reduce(at);
    assert_eq!(at, terms.app(Op::Add, &[x, x]));
    assert!(Smtlib::new(&terms).term(lambda).starts_with("(lambda ((u Int)) (+ u x)"));
}

/// A reduced term has no lambda, no store and no case distinction in the place of a map, and the same value.
#[test]
fn reduction_keeps_the_value() {
    let mut terms = Terms::new();
    let (f, g) = (terms.variable("F", map()), terms.variable("G", map()));
    let (i, x, u) =
        (terms.variable("i", Sort::Int), terms.variable("x", Sort::Int), terms.variable("u", Sort::Int));
    let one = terms.int(1);
    let next = terms.app(Op::Add, &[i, one]);
    let (here, there) = (terms.call(f, &[next]).unwrap(), terms.call(f, &[u]).unwrap());
    let equal = terms.eq(u, i);
    let body = terms.ite(equal, here, there);
    let mut step = terms.lambda(u, body);
    for _ in 0..3 {
        // F ↦ δ_F, again and again, with i as it is.
        step = terms.replace(step, &[(f, step)].into_iter().collect());
    }
    let stored = terms.app(Op::Store, &[g, x, i]);
    let less = terms.app(Op::Lt, &[x, i]);
    let either = terms.ite(less, step, stored);
    let constant = terms.constant_array(Sort::Int, i);
    let both = terms.eq(i, one);
    let either = terms.ite(both, constant, either);
    let term = terms.call(either, &[x]).unwrap();
    let reduced = terms.reduce(term);
    let plain = |t: &TermId| match terms.node(*t) {
        Node::Apply(Op::Lambda | Op::Store | Op::ConstArray, ..) => false,
        Node::Apply(Op::Select, _, &[map, _]) => terms.is_variable(map),
        _ => true,
    };
    assert!(terms.cone([reduced]).iter().all(plain));
    for a in -2..4 {
        for b in -2..4 {
            let table = |shift: i64| {
                let mut table = ArrayValue::constant(Sort::Int, int(shift));
                (-3..6).for_each(|n| table.set(int(n), int(n * n + shift)));
                Value::array(table)
            };
            let values = [(i, int(a)), (x, int(b)), (f, table(0)), (g, table(100))];
            let given = Given(values.into_iter().collect());
            let value = evaluate(&terms, term, &[], &given);
            assert!(value.is_some());
            assert_eq!(value, evaluate(&terms, reduced, &[], &given), "i = {a}, x = {b}");
        }
    }
}

/// The identity has no table, and has a value at every place.
#[test]
fn a_lambda_has_a_value_at_each_place() {
    let mut terms = Terms::new();
    let u = terms.variable("u", Sort::Int);
    let identity = terms.lambda(u, u);
    for n in [-5, 0, 1 << 40] {
        assert_eq!(evaluate(&terms, identity, &[int(n)], &Given(FxHashMap::default())), Some(int(n)));
    }
}

/// Below a lambda, too, what occurs several times has a `let`.
#[test]
fn bodies_of_lambdas_are_written_in_proportion_to_their_size() {
    let mut terms = Terms::new();
    let (u, x) = (terms.variable("u", Sort::Int), terms.variable("x", Sort::Int));
    let mut body = terms.app(Op::Add, &[u, x]);
    for _ in 0..100 {
        body = terms.app(Op::Add, &[body, body]);
    }
    let lambda = terms.lambda(u, body);
    let equal = terms.eq(lambda, lambda);
    for root in [lambda, equal] {
        let text = Smtlib::new(&terms).term(root);
        assert!(text.len() < 10_000 && text.contains("(lambda ((u Int)) (let ((t!"), "{text}");
    }
}
