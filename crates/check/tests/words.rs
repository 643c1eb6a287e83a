//! The check on words: its own circuits against the evaluation of terms, and evidence with faults.

use std::sync::Arc;

use buttress_check::{
    Evidence, Refusal, Vacuous, WordChecked, certify_word_invariant, certify_word_lasso,
    certify_word_live_proof, certify_word_proof, certify_word_trace,
};
use buttress_solve::Stop;
use buttress_system::words::{
    Label, Named, Part, Property, PropertyKind, StateId, System, WordProof, WordTrace,
};
use buttress_system::{Arena, Lasso, Live, LiveProof, Monitor, Proof, PropertyId, Rng};
use buttress_term::{ArrayValue, Evaluation, Op, Sort, TermId, Terms, Value, Word};

fn claim(system: &mut System, bad: TermId) {
    let label = Label::new(format!("p{}", system.properties.len()));
    system.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
}

/// All properties together, by plain induction with this invariant.
fn inductive(system: &System, terms: Terms, invariant: Vec<TermId>) -> WordProof {
    let claim = Proof { properties: system.property_ids().collect(), k: 1, distinct: None, invariant };
    WordProof { terms: Arc::new(terms), claim }
}

fn certify(system: &System, proof: WordProof) -> Result<WordChecked, Refusal> {
    certify_word_proof(system, proof, &Stop::new())
}

fn rejection(result: Result<WordChecked, Refusal>) -> String {
    match result {
        Err(Refusal::Rejected(why)) => why,
        other => panic!("not rejected: {other:?}"),
    }
}

fn evaluate(terms: &Terms, term: TermId, values: &[(TermId, Value)]) -> Value {
    let mut evaluation = Evaluation::new(terms);
    values.iter().for_each(|(variable, value)| evaluation.assign(*variable, Some(value.clone())));
    evaluation.value(term).expect("all variables are assigned")
}

/// Every operator that takes operands of these widths, with some indices.
fn applications(terms: &mut Terms, a: TermId, b: TermId) -> Vec<TermId> {
    let width = terms.width(a).unwrap();
    let finite = |op: &Op| !matches!(op, Op::BvToNat | Op::BvToInt);
    let mut all = Vec::new();
    for op in Op::all().filter(finite) {
        all.extend(terms.apply(op, &[a]));
        all.extend(terms.apply(op, &[a, b]));
    }
    all.extend(terms.apply_indexed(Op::BvExtract, [width / 2, width / 3], &[a]));
    all.extend(terms.apply_indexed(Op::BvZeroExtend, [2, 0], &[a]));
    all.extend(terms.apply_indexed(Op::BvSignExtend, [2, 0], &[a]));
    all
}

/// The values of a term over two inputs, as a table: an array over both inputs side by side.
fn table(terms: &Terms, term: TermId, a: TermId, b: TermId) -> ArrayValue {
    let width = terms.width(a).unwrap();
    let word = |n: u64, w| Value::Word(Word::from_u64(n, w));
    let mut table = ArrayValue::constant(Sort::BitVec(2 * width), Value::zero(terms.sort(term)));
    for n in 0..1u64 << (2 * width) {
        let value = evaluate(terms, term, &[(a, word(n >> width, width)), (b, word(n, width))]);
        table.set(word(n, 2 * width), value);
    }
    table
}

/// An operator differs from its table nowhere: provable exactly if the circuit is the evaluation. With one place
/// of the table changed, it is not.
#[test]
fn circuits_are_what_evaluation_says() {
    for width in 1..=3 {
        let mut base = System::default();
        let [a, b] = ["a", "b"].map(|name| base.add_input(Sort::BitVec(width), Label::new(name)));
        for term in applications(&mut base.terms, a, b) {
            let right = table(&base.terms, term, a, b);
            let place = Value::Word(Word::from_u64(u64::from(width) * 5 % 4, 2 * width));
            let mut wrong = right.clone();
            wrong.set(place.clone(), other_value(right.get(&place)));
            for (table, holds) in [(right, true), (wrong, false)] {
                let mut system = base.clone();
                let t = &mut system.terms;
                let (table, both) = (t.constant(Value::array(table)), t.app(Op::BvConcat, &[a, b]));
                let wanted = t.app(Op::Select, &[table, both]);
                let bad = t.app(Op::Distinct, &[term, wanted]);
                claim(&mut system, bad);
                let result = certify(&system, inductive(&system, system.terms.clone(), Vec::new()));
                assert_eq!(result.is_ok(), holds, "{:?} of {width} bits", system.terms.node(term));
            }
        }
    }
}

fn other_value(value: &Value) -> Value {
    match value {
        Value::Bool(b) => Value::Bool(!b),
        Value::Word(word) => Value::Word(word.not()),
        other => panic!("{other} has no opposite here"),
    }
}

/// On constants of many bits, where the whole circuit folds away.
#[test]
fn wide_circuits_are_what_evaluation_says() {
    let mut rng = Rng::new(17);
    for width in [16u32, 33, 65] {
        let mut system = System::default();
        for _ in 0..4 {
            let mut word = || {
                let few = rng.below(width as usize) as u32;
                Word::from_bits((0..width).map(|i| i < few && rng.one_in(2)).collect::<Vec<_>>())
            };
            let (a, b) = (system.terms.constant(word()), system.terms.constant(word()));
            for term in applications(&mut system.terms, a, b) {
                let value = evaluate(&system.terms, term, &[]);
                let value = system.terms.constant(value);
                let bad = system.terms.app(Op::Distinct, &[term, value]);
                claim(&mut system, bad);
            }
        }
        certify(&system, inductive(&system, system.terms.clone(), Vec::new())).unwrap();
        let wrong = system.properties[0].bad;
        system.properties[0].bad = system.terms.not(wrong);
        let result = certify(&system, inductive(&system, system.terms.clone(), Vec::new()));
        assert_eq!(rejection(result), "the base case fails in step 0");
    }
}

/// A counter by 2 from 0 with an enable: it stays even and never is 7; and a light that is never blue.
fn counter() -> (System, StateId, StateId) {
    let mut system = System::default();
    let colour = Sort::enumeration("colour", ["red", "green", "blue"]);
    let enable = system.add_input(Sort::Bool, Label::new("enable"));
    let count = system.add_state(Sort::BitVec(8), Label::new("count"));
    let light = system.add_state(colour.clone(), Label::new("light"));
    let (c, l) = (system.state(count).variable, system.state(light).variable);
    let t = &mut system.terms;
    let [zero, two, seven] = [0, 2, 7].map(|n| t.word(n, 8));
    let [red, green, blue] = [0, 1, 2].map(|n| t.enum_constant(&colour, n));
    let more = t.app(Op::BvAdd, &[c, two]);
    let next = t.ite(enable, more, c);
    let is_red = t.eq(l, red);
    let change = t.ite(is_red, green, red);
    let is_seven = t.eq(c, seven);
    let is_blue = t.eq(l, blue);
    system.states[count.index()].init = Some(zero);
    system.states[count.index()].next = Some(next);
    system.states[light.index()].init = Some(red);
    system.states[light.index()].next = Some(change);
    claim(&mut system, is_seven);
    claim(&mut system, is_blue);
    (system, count, light)
}

fn low_bit(terms: &mut Terms, variable: TermId, value: u64) -> TermId {
    let (low, bit) = (terms.extract(variable, 0, 0), terms.word(value, 1));
    terms.eq(low, bit)
}

#[test]
fn an_inductive_invariant_is_accepted_and_wrong_ones_are_not() {
    let (system, count, _) = counter();
    let c = system.state(count).variable;
    let mut terms = system.terms.clone();
    let even = low_bit(&mut terms, c, 0);
    let odd = low_bit(&mut terms, c, 1);
    let ten = terms.word(10, 8);
    let small = terms.app(Op::BvUlt, &[c, ten]);
    let unknown = terms.variable("unknown", Sort::Bool);
    let with = |invariant: &[TermId]| certify(&system, inductive(&system, terms.clone(), invariant.to_vec()));
    let checked = with(&[even]).unwrap();
    assert!(matches!(checked.evidence(), Evidence::Proof(_)));
    assert_eq!(checked.properties(), [PropertyId::new(0), PropertyId::new(1)]);
    assert_eq!(rejection(with(&[])), "the induction step fails for k = 1");
    assert_eq!(rejection(with(&[odd])), "the base case fails in step 0");
    assert_eq!(rejection(with(&[even, small])), "the induction step fails for k = 1");
    assert_eq!(rejection(with(&[even, unknown])), "`unknown` is not of the system");
    assert_eq!(rejection(with(&[c])), "a conjunct of the invariant is not Boolean");
}

/// A random formula over these literals.
fn formula(terms: &mut Terms, atoms: &[TermId], rng: &mut Rng, depth: usize) -> TermId {
    if depth == 0 {
        return atoms[rng.below(atoms.len())];
    }
    let [a, b, c] = [0; 3].map(|_| formula(terms, atoms, rng, depth - 1));
    match rng.below(6) {
        0 => terms.not(a),
        1 => terms.app(Op::Implies, &[a, b]),
        2 => terms.app(Op::Xor, &[a, b]),
        3 => terms.all(&[a, b, c]),
        _ => terms.any(&[a, b, c]),
    }
}

/// Of three bits that may be anything the constraint allows, those formulas are invariant that follow from it, and
/// no others, whatever their shape: an invariant is checked as a clause where it is one.
#[test]
fn formulas_are_invariant_where_they_follow() {
    let mut rng = Rng::new(3);
    let mut accepted = 0;
    for _ in 0..1000 {
        let mut system = System::default();
        let bits = ["a", "b", "c"].map(|name| system.add_input(Sort::Bool, Label::new(name)));
        let t = &mut system.terms;
        let allowed = formula(t, &bits, &mut rng, 2);
        let claims = [0; 2].map(|_| formula(t, &bits, &mut rng, 3));
        system.constraints.push(Named { term: allowed, label: Label::new("allowed") });
        let rows = (0..8).map(|row| [0, 1, 2].map(|bit| (bits[bit], Value::Bool(row >> bit & 1 == 1))));
        let holds = |term, row: &[_; 3]| evaluate(&system.terms, term, row) == Value::Bool(true);
        let follow = rows.clone().all(|row| !holds(allowed, &row) || claims.iter().all(|&c| holds(c, &row)));
        let possible = rows.clone().any(|row| holds(allowed, &row));
        let proof = inductive(&system, system.terms.clone(), claims.to_vec());
        let result = certify_word_invariant(&system, proof, &Stop::new());
        assert_eq!(result.is_ok(), follow || !possible);
        accepted += usize::from(result.is_ok() && possible);
    }
    assert!((100..900).contains(&accepted), "both answers occur: {accepted} were accepted");
}

#[test]
fn terms_that_mean_something_else_are_rejected() {
    let (system, count, _) = counter();
    let (mut other, _, _) = counter();
    other.terms = Terms::new();
    for i in 0..system.terms.len() {
        other.terms.variable(format!("v{i}"), Sort::Bool);
    }
    let wrong = inductive(&system, other.terms, vec![]);
    let why = "the terms of the proof are not those of the system and more";
    assert_eq!(rejection(certify(&system, wrong)), why);
    let mut proof = inductive(&system, system.terms.clone(), vec![]);
    proof.claim.distinct = Some(vec![Part { state: count, bit: Some(8) }]);
    let why = "distinctness names a state or bit that does not exist";
    assert_eq!(rejection(certify(&system, proof)), why);
}

/// The low bits stay at 0. Elsewhere they go round between 1 and 2 until an input lets them escape to 3, which is
/// bad: no k is enough unless states differ. The high bits are noise, by which they may always differ.
#[test]
fn distinct_states_are_told_apart_by_bits() {
    let mut system = System::default();
    let escape = system.add_input(Sort::Bool, Label::new("escape"));
    let noise = system.add_input(Sort::BitVec(2), Label::new("noise"));
    let state = system.add_state(Sort::BitVec(4), Label::new("state"));
    let variable = system.state(state).variable;
    let t = &mut system.terms;
    let low = t.extract(variable, 1, 0);
    let [zero, one, two, three] = [0, 1, 2, 3].map(|n| t.word(n, 2));
    let [is_one, is_two, bad] = [one, two, three].map(|n| t.eq(low, n));
    let onwards = t.ite(escape, three, two);
    let back = t.ite(is_two, one, zero);
    let round = t.ite(is_one, onwards, back);
    let next = t.app(Op::BvConcat, &[noise, round]);
    let init = t.word(0, 4);
    system.states[state.index()].init = Some(init);
    system.states[state.index()].next = Some(next);
    claim(&mut system, bad);
    let proof = |k, bits: Option<&[Option<u32>]>| {
        let mut proof = inductive(&system, system.terms.clone(), vec![]);
        let part = |&bit: &Option<u32>| Part { state, bit };
        proof.claim.k = k;
        proof.claim.distinct = bits.map(|bits| bits.iter().map(part).collect());
        certify(&system, proof)
    };
    let fails = "the induction step fails for k = 3";
    assert_eq!(rejection(proof(3, None)), fails);
    assert_eq!(rejection(proof(3, Some(&[None]))), fails);
    proof(3, Some(&[Some(0), Some(1)])).unwrap();
    let why = "distinctness leaves out latch 1, which the proof depends on";
    assert_eq!(rejection(proof(3, Some(&[Some(0)]))), why);
}

#[test]
fn contradictory_constraints_are_said_to_be_vacuous() {
    let (mut system, count, _) = counter();
    let c = system.state(count).variable;
    let two = system.terms.word(2, 8);
    let below = system.terms.app(Op::BvUlt, &[c, two]);
    let enabled = system.inputs[0].variable;
    system.constraints.push(Named { term: below, label: Label::new("small") });
    system.constraints.push(Named { term: enabled, label: Label::new("on") });
    let mut proof = inductive(&system, system.terms.clone(), vec![]);
    proof.claim.k = 2;
    let checked = certify(&system, proof).unwrap();
    assert_eq!(checked.vacuous(), Some(Vacuous { states: 2 }));
}

fn word(n: u64) -> Option<Value> {
    Some(Value::Word(Word::from_u64(n, 8)))
}

/// The counter violates "never 4" in step 2, or later.
#[test]
fn a_trace_is_replayed_and_wrong_ones_are_rejected() {
    let (mut system, count, _) = counter();
    let c = system.state(count).variable;
    let four = system.terms.word(4, 8);
    let is_four = system.terms.eq(c, four);
    claim(&mut system, is_four);
    let on = Some(Value::Bool(true));
    let right = WordTrace {
        property: PropertyId::new(2),
        initial: vec![None, None],
        inputs: vec![vec![on.clone()], vec![on.clone()], vec![None]],
    };
    let checked = certify_word_trace(&system, right.clone()).unwrap();
    assert_eq!(checked.properties(), [PropertyId::new(2)]);
    let rejected = |change: &dyn Fn(&mut WordTrace)| {
        let mut trace = right.clone();
        change(&mut trace);
        rejection(certify_word_trace(&system, trace))
    };
    let not_violated = "the property is not violated in step 2, the last";
    assert_eq!(rejected(&|t| t.inputs[1] = vec![Some(Value::Bool(false))]), not_violated);
    assert_eq!(rejected(&|t| t.inputs[1] = vec![None]), not_violated);
    assert_eq!(rejected(&|t| t.property = PropertyId::new(0)), not_violated);
    assert_eq!(rejected(&|t| t.initial[0] = word(2)), "`count` does not start with its init");
    let at_once = |t: &mut WordTrace| (t.initial[0], t.inputs) = (word(4), vec![vec![None]]);
    assert_eq!(rejected(&at_once), "`count` does not start with its init");
    assert_eq!(rejected(&|t| t.initial[0] = on.clone()), "the initial values do not fit the states");
    assert_eq!(rejected(&|t| t.inputs.clear()), "the trace has no steps");
    assert_eq!(rejected(&|t| t.property = PropertyId::new(9)), "there is no property 9");
    let fits = "the values of a step do not fit the inputs and free states";
    assert_eq!(rejected(&|t| t.inputs[0] = vec![]), fits);

    let off = system.terms.not(system.inputs[0].variable);
    let before = system.terms.implies(off, is_four);
    system.constraints.push(Named { term: before, label: Label::new("env") });
    certify_word_trace(&system, right.clone()).unwrap();
    system.constraints[0].term = off;
    let why = rejection(certify_word_trace(&system, right));
    assert_eq!(why, "constraint 0 does not hold in step 0");
}

#[test]
fn what_has_no_bits_is_not_accepted() {
    let mut system = System::default();
    let level = system.add_state(Sort::Int, Label::new("level"));
    let l = system.state(level).variable;
    let bad = system.terms.app(Op::Distinct, &[l, l]);
    claim(&mut system, bad);
    let result = certify(&system, inductive(&system, system.terms.clone(), vec![]));
    assert_eq!(rejection(result), "nothing bounds `level`, so it has no bits");
}

/// v starts with `start` and goes on to (v + 2) mod 6; it is never 3.
fn even(start: i64) -> (System, TermId) {
    let mut system = System::default();
    let state = system.add_state(Sort::Int, Label::new("v"));
    let v = system.state(state).variable;
    let terms = &mut system.terms;
    let [start, two, three, six] = [start, 2, 3, 6].map(|n| terms.int(n));
    let sum = terms.app(Op::Add, &[v, two]);
    let next = terms.app(Op::IntMod, &[sum, six]);
    let bad = terms.eq(v, three);
    (system.states[0].init, system.states[0].next) = (Some(start), Some(next));
    claim(&mut system, bad);
    (system, v)
}

/// A proof with these bounds of v, and whether it is even.
fn bounded(system: &System, v: TermId, bounds: Option<(i64, i64)>, is_even: bool) -> WordProof {
    let mut terms = system.terms.clone();
    let mut invariant = Vec::new();
    if let Some((low, high)) = bounds {
        let (low, high) = (terms.int(low), terms.int(high));
        invariant.extend([terms.app(Op::Le, &[low, v]), terms.app(Op::Le, &[v, high])]);
    }
    if is_even {
        let word = terms.apply_indexed(Op::IntToBv, [4, 0], &[v]).unwrap();
        let (bit, zero) = (terms.extract(word, 0, 0), terms.word(0, 1));
        invariant.push(terms.eq(bit, zero));
    }
    inductive(system, terms, invariant)
}

#[test]
fn integers_are_checked_within_bounds_that_are_shown() {
    let (system, v) = even(0);
    let check = |bounds, is_even| certify(&system, bounded(&system, v, bounds, is_even));
    check(Some((0, 5)), true).unwrap();
    check(Some((-3, 9)), true).unwrap();
    let step = "the induction step fails for k = 1";
    assert_eq!(rejection(check(Some((0, 5)), false)), step);
    // A bound too tight: 4 + 2 would wrap in the words of whoever trusted it.
    assert_eq!(rejection(check(Some((0, 4)), true)), "`v` does not stay between 0 and 4");
    assert_eq!(rejection(check(Some((1, 5)), true)), "`v` does not stay between 1 and 5");
    assert_eq!(rejection(check(Some((5, 0)), true)), "`v` does not stay between 0 and 0");
    assert_eq!(rejection(check(None, true)), "nothing bounds `v`, so it has no bits");
    let (system, v) = even(8);
    let result = certify(&system, bounded(&system, v, Some((0, 5)), true));
    assert_eq!(rejection(result), "`v` does not stay between 0 and 5");
}

/// An input with bounds of a constraint: the constraint holds in every bit of it.
#[test]
fn bounds_of_constraints_need_both_ends() {
    let mut system = System::default();
    let x = system.add_input(Sort::Int, Label::new("x"));
    let terms = &mut system.terms;
    let [zero, ten, hundred] = [0, 10, 100].map(|n| terms.int(n));
    let (low, high) = (terms.app(Op::Le, &[zero, x]), terms.app(Op::Le, &[x, ten]));
    let square = terms.app(Op::Mul, &[x, x]);
    let far = terms.app(Op::Gt, &[square, hundred]);
    let ten_times = terms.app(Op::Mul, &[x, ten]);
    let near = terms.app(Op::Lt, &[square, ten_times]);
    let both = terms.or(far, near);
    claim(&mut system, far);
    system.constraints.push(Named { term: low, label: Label::new("low") });
    let proof = |system: &System| inductive(system, system.terms.clone(), vec![]);
    assert_eq!(rejection(certify(&system, proof(&system))), "nothing bounds `x`, so it has no bits");
    system.constraints.push(Named { term: high, label: Label::new("high") });
    certify(&system, proof(&system)).unwrap();
    system.properties[0].bad = both;
    assert_eq!(rejection(certify(&system, proof(&system))), "the base case fails in step 0");
    system.properties[0].bad = far;
    system.constraints[1].term = near;
    assert_eq!(rejection(certify(&system, proof(&system))), "nothing bounds `x`, so it has no bits");
}

/// A counter of two bits and a bit that flips; a lasso must come back on both, and meet its signal and fairness.
#[test]
fn a_lasso_in_words_must_close_on_all_that_is_read() {
    let mut system = System::default();
    let count = system.add_state(Sort::BitVec(2), Label::new("count"));
    let flips = system.add_state(Sort::Bool, Label::new("flips"));
    let (c, f) = (system.state(count).variable, system.state(flips).variable);
    let (zero, one, top) = (system.terms.word(0, 2), system.terms.word(1, 2), system.terms.word(3, 2));
    let (no, sum, flipped) =
        (system.terms.constant(false), system.terms.app(Op::BvAdd, &[c, one]), system.terms.not(f));
    (system.states[0].init, system.states[0].next) = (Some(zero), Some(sum));
    (system.states[1].init, system.states[1].next) = (Some(no), Some(flipped));
    let at_top = system.terms.eq(c, top);
    let (justice, fairness) = (vec![vec![at_top], vec![f]], vec![f]);
    let live = Live { system: Arc::new(system), justice, fairness, formulas: Vec::new() };
    let judge = |justice: usize, steps: usize, back: usize| {
        let trace = WordTrace {
            property: PropertyId::new(justice),
            initial: vec![None, None],
            inputs: vec![Vec::new(); steps],
        };
        certify_word_lasso(&live, Lasso { justice, trace, back }).is_ok()
    };
    assert!(judge(0, 4, 0) && judge(0, 6, 2), "the counter goes round in four steps");
    assert!(!judge(0, 6, 0), "the bit comes back, the counter does not");
    assert!(!judge(0, 2, 0), "nor is it at the top");
    assert!(judge(1, 2, 0) && !judge(1, 1, 0), "the bit alone comes back in two");
    assert!(!judge(0, 4, 4) && !judge(2, 4, 0), "no such step, no such property");
}

/// A counter of two bits that goes round, or stays at the top, is not again and again at a number: by one wall, which
/// no step leaves where it stays.
#[test]
fn walls_in_words_must_be_closed() {
    let judge = |stays: bool, again: u64, inside_from: u64| {
        let mut system = System::default();
        let count = system.add_state(Sort::BitVec(2), Label::new("count"));
        let c = system.state(count).variable;
        let [zero, one, top, again, from] = [0, 1, 3, again, inside_from].map(|n| system.terms.word(n, 2));
        let (sum, at_top) = (system.terms.app(Op::BvAdd, &[c, one]), system.terms.eq(c, top));
        let next = if stays { system.terms.ite(at_top, top, sum) } else { sum };
        (system.states[0].init, system.states[0].next) = (Some(zero), Some(next));
        let signal = system.terms.eq(c, again);
        let high = system.terms.app(Op::BvUge, &[c, from]);
        let terms = Arc::new(system.terms.clone());
        let live = Live {
            system: Arc::new(system),
            justice: vec![vec![signal]],
            fairness: Vec::new(),
            formulas: Vec::new(),
        };
        let set = |properties, invariant| WordProof {
            terms: terms.clone(),
            claim: Proof { properties, k: 1, distinct: None, invariant },
        };
        let arenas = vec![
            Arena::Wall { set: set(Vec::new(), vec![high]), inside: 1, outside: 2 },
            Arena::Lacks(0),
            Arena::Lacks(0),
        ];
        let proof = set(vec![PropertyId::new(0)], Vec::new());
        let proof = LiveProof { monitor: Monitor::Arenas, proof, arenas };
        certify_word_live_proof(&live, proof, &Stop::new()).is_ok()
    };
    assert!(judge(true, 1, 2), "from 2 on it is never 1 again, and before it is 1 in a step that leaves");
    assert!(!judge(true, 3, 2), "at the top it stays");
    assert!(!judge(false, 1, 2), "it goes round, and leaves what lies from 2 on");
}
