//! Traces and lemmas that go back are executions and lemmas of the integers; systems that cannot be words are
//! refused.

use std::sync::Arc;

use buttress_system::PropertyId;
use buttress_system::words::{Label, Named, Simulation, System, WordLemma, WordTrace};
use buttress_term::{Evaluation, Op, Sort, TermId, Terms, Value, Word};

use super::finite;
use crate::Way;

fn label(name: &str) -> Label {
    Label::new(name)
}

fn int(n: i64) -> Option<Value> {
    Some(Value::Int(n.into()))
}

fn word(n: i64, width: u32) -> Option<Value> {
    Some(Value::Word(Word::from_int(&n.into(), width)))
}

/// An integer input between bounds.
fn between(system: &mut System, name: &str, low: i64, high: i64) -> TermId {
    let x = system.add_input(Sort::Int, label(name));
    let (low, high) = (system.terms.int(low), system.terms.int(high));
    for ends in [[low, x], [x, high]] {
        let term = system.terms.app(Op::Le, &ends);
        system.constraints.push(Named { term, label: label("bound") });
    }
    x
}

/// An input that nobody reads, one in [-5, -2], an enumeration, and a state that is the sum of both numbers.
fn mixed() -> System {
    let mut system = System::default();
    system.add_input(Sort::Int, label("unread"));
    let x = between(&mut system, "x", -5, -2);
    let colour = Sort::enumeration("colour", ["red", "green", "blue"]);
    let c = system.add_input(colour.clone(), label("c"));
    let s = system.add_state(Sort::Int, label("s"));
    let (zero, two) = (system.terms.int(0), system.terms.int(2));
    system.states[s.index()].init = Some(zero);
    system.states[s.index()].next = Some(system.terms.app(Op::Add, &[x, two]));
    let blue = system.terms.enum_constant(&colour, 2);
    let (is_blue, minus_three) = (system.terms.eq(c, blue), system.terms.int(-3));
    let low = system.terms.eq(system.state(s).variable, minus_three);
    let bad = system.terms.and(is_blue, low);
    system.add_property(bad, label("p"));
    system
}

#[test]
fn traces_have_the_integers_that_the_words_stand_for() {
    let original = Arc::new(mixed());
    let finite = finite(&original).expect("all that is read has bounds");
    let sort = |v: TermId| finite.system.terms.sort(v).clone();
    assert_eq!(sort(finite.system.inputs[0].variable), Sort::BitVec(4));
    let colours = Value::all(original.terms.sort(original.inputs[2].variable)).collect::<Vec<_>>();
    let row = |x: Option<Value>, colour: usize| vec![x, Some(colours[colour].clone())];
    let trace = WordTrace {
        property: PropertyId::new(0),
        initial: vec![None],
        inputs: vec![row(word(-5, 4), 0), row(None, 2)],
    };
    let back = finite.trace(trace);
    assert_eq!(back.initial, [None], "the start follows");
    assert_eq!(back.inputs[0], [int(0), int(-5), Some(colours[0].clone())]);
    assert_eq!(back.inputs[1], [int(0), int(-2), Some(colours[2].clone())], "a value within bounds");
    let mut simulation = Simulation::new(&original);
    simulation.start(&back.initial, &back.inputs[0]);
    simulation.step(&back.inputs[1]);
    assert_eq!(simulation.bool(original.properties[0].bad), Some(true));
}

/// The truth of a lemma is the same for integers and for their words, whatever the integers.
#[test]
fn lemmas_say_of_words_what_they_say_of_integers() {
    let original = Arc::new(mixed());
    let finite = finite(&original).expect("all that is read has bounds");
    let (x, s) = (original.inputs[1].variable, original.states[0].variable);
    let mut terms = original.terms.clone();
    let three = terms.int(-3);
    let (sum, product) = (terms.app(Op::Add, &[x, s, three]), terms.app(Op::Mul, &[x, s]));
    let (quotient, rest) = (terms.app(Op::IntDiv, &[product, s]), terms.app(Op::IntMod, &[sum, x]));
    let claims = [
        terms.app(Op::Lt, &[sum, product]),
        terms.app(Op::Eq, &[quotient, x]),
        terms.app(Op::Distinct, &[rest, s, sum]),
    ];
    let claims = claims.map(|claim| WordLemma::Term(Arc::new(terms.clone()), claim));
    let points = (-5..=-2).flat_map(|a| (-3..=0).map(move |b| (a, b)));
    for (lemma, (a, b)) in claims.iter().flat_map(|lemma| points.clone().map(move |point| (lemma, point))) {
        let lowered = finite.lower(std::slice::from_ref(lemma)).remove(0).expect("it reads what is there");
        let new = (finite.system.inputs[0].variable, finite.system.states[0].variable);
        let width = |v: TermId| finite.system.terms.width(v).expect("a word");
        let words = truth(&lowered, [(new.0, word(a, width(new.0))), (new.1, word(b, width(new.1)))]);
        assert_eq!(truth(lemma, [(x, int(a)), (s, int(b))]), words, "x = {a}, s = {b}");
    }
}

fn truth(lemma: &WordLemma, values: [(TermId, Option<Value>); 2]) -> Option<bool> {
    let WordLemma::Term(terms, term) = lemma else { panic!("a term") };
    let mut evaluation = Evaluation::new(terms);
    values.into_iter().for_each(|(variable, value)| evaluation.assign(variable, value));
    evaluation.bool(*term)
}

#[test]
fn lemmas_about_what_is_gone_stay_above() {
    let original = Arc::new(mixed());
    let finite = finite(&original).expect("all that is read has bounds");
    let mut terms = original.terms.clone();
    let (unread, zero) = (original.inputs[0].variable, terms.int(0));
    let claim = terms.app(Op::Le, &[zero, unread]);
    assert!(finite.lower(&[WordLemma::Term(Arc::new(terms), claim)])[0].is_none());
    let property = WordLemma::Property(PropertyId::new(0));
    assert!(matches!(finite.lower(&[property])[0], Some(WordLemma::Property(p)) if p.index() == 0));
}

/// Sorts with numbers in them, at any depth.
fn arrays_with_numbers() -> Vec<Sort> {
    let word = || Sort::BitVec(3);
    let flat = [
        Sort::array(Sort::Int, Sort::Int),
        Sort::array(Sort::Int, Sort::Bool),
        Sort::array(word(), Sort::Int),
        Sort::array(Sort::Real, word()),
        Sort::array(word(), Sort::Real),
    ];
    let nested = flat.clone().into_iter().flat_map(|sort| [Sort::array(word(), sort.clone()), sort]);
    nested.chain(flat).collect()
}

/// Whatever is done with such an array, it is refused and nothing else happens.
#[test]
fn arrays_with_numbers_are_refused() {
    for sort in arrays_with_numbers() {
        for way in 0..4 {
            let mut system = System::default();
            let n = between(&mut system, "n", 0, 3);
            let a = system.add_state(sort.clone(), label("a"));
            let variable = system.state(a).variable;
            let bad = reads(&mut system.terms, variable, n, way);
            system.add_property(bad, label("p"));
            system.validate().expect("it is well-formed");
            assert!(finite(&Arc::new(system)).is_err(), "{sort}, {way}");
        }
    }
}

/// Equality with a constant array, with a stored one, of a choice, and of what is selected.
fn reads(terms: &mut Terms, a: TermId, n: TermId, way: usize) -> TermId {
    let array = terms.sort(a).as_array().expect("an array").clone();
    let zero = |terms: &mut Terms, sort: &Sort| match sort {
        Sort::Int => n,
        sort => terms.constant(Value::zero(sort)),
    };
    let (place, element) = (zero(terms, &array.index), zero(terms, &array.element));
    let other = match way {
        0 => terms.constant_array(array.index.clone(), element),
        1 => terms.app(Op::Store, &[a, place, element]),
        2 => {
            let (constant, positive) = (terms.constant_array(array.index.clone(), element), terms.eq(n, n));
            terms.ite(positive, a, constant)
        }
        _ => {
            let read = terms.app(Op::Select, &[a, place]);
            return terms.eq(read, element);
        }
    };
    terms.eq(a, other)
}

/// Arrays of words beside integers are copied, constant ones too.
#[test]
fn arrays_of_words_stay_what_they_are() {
    for way in 0..4 {
        let mut system = System::default();
        let n = between(&mut system, "n", -3, 3);
        let a = system.add_input(Sort::array(Sort::BitVec(2), Sort::Bool), label("a"));
        let read = reads(&mut system.terms, a, n, way);
        let zero = system.terms.int(0);
        let negative = system.terms.app(Op::Lt, &[n, zero]);
        let bad = system.terms.and(read, negative);
        system.add_property(bad, label("p"));
        let finite = finite(&Arc::new(system)).expect("nothing is infinite");
        finite.system.validate().expect("the words fit together");
    }
}

/// Squares of squares have no bounds that anybody could write, and are given up in time.
#[test]
fn towers_of_squares_are_given_up() {
    let mut system = System::default();
    let mut x = between(&mut system, "x", 2, 3);
    for _ in 0..64 {
        x = system.terms.app(Op::Mul, &[x, x]);
    }
    let bad = system.terms.eq(x, system.inputs[0].variable);
    system.add_property(bad, label("p"));
    assert!(finite(&Arc::new(system)).is_err());
}
