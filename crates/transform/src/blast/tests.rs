//! Bits against the evaluation of terms: every operator, whole systems, and the way back.

use std::sync::Arc;

use buttress_system::evidence::{self, evaluate};
use buttress_system::words::{Label, PropertyKind, WordLemma, states};
use buttress_system::{Clause, Lemma, Proof, PropertyId, Rng, Ternary, Trace};
use buttress_term::{Evaluation, Value, Word};

use super::*;
use crate::{Same, Then, Way};

fn claim(system: &mut System, bad: TermId, name: &str) {
    let label = Label::new(name);
    system.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
}

/// A property for each bit of the term.
fn expose(system: &mut System, term: TermId, name: &str) {
    match system.terms.sort(term).clone() {
        Sort::Bool => claim(system, term, name),
        Sort::BitVec(width) => {
            for i in 0..width {
                let bit = system.terms.extract(term, i, i);
                let bit = system.terms.bit_to_bool(bit);
                claim(system, bit, &format!("{name}[{i}]"));
            }
        }
        other => panic!("{other} is not exposed"),
    }
}

/// All operators on words of this width that take two operands of it or one, by trying.
fn operators(width: u32) -> System {
    let mut system = System::default();
    let [a, b] = ["a", "b"].map(|name| system.add_input(Sort::BitVec(width), Label::new(name)));
    let c = system.add_input(Sort::Bool, Label::new("c"));
    for op in Op::all().filter(|op| *op != Op::BvToNat && *op != Op::BvToInt) {
        for operands in [&[a][..], &[a, b], &[c, a, b]] {
            if let Ok(term) = system.terms.apply(op, operands) {
                expose(&mut system, term, &format!("{op:?}"));
            }
        }
    }
    for (op, indices) in
        [(Op::BvExtract, [width / 2, width / 3]), (Op::BvZeroExtend, [3, 0]), (Op::BvSignExtend, [3, 0])]
    {
        let term = system.terms.apply_indexed(op, indices, &[a]).unwrap();
        expose(&mut system, term, &format!("{op:?}"));
    }
    let three = system.terms.app(Op::Distinct, &[a, b, b]);
    claim(&mut system, three, "three");
    system
}

fn agree(words: &System, bits: &BitSystem, row: &[Value]) {
    let mut evaluation = Evaluation::new(&words.terms);
    words.inputs.iter().zip(row).for_each(|(i, v)| evaluation.assign(i.variable, Some(v.clone())));
    let inputs: Vec<Ternary> = row.iter().flat_map(code::encode).map(Ternary::from).collect();
    let values = evaluate(bits, &[], &inputs);
    for (word, bit) in words.properties.iter().zip(&bits.properties) {
        let wanted = evaluation.bool(word.bad).unwrap();
        assert_eq!(evidence::value(&values, bit.bad), wanted.into(), "{} of {row:?}", word.label.name);
    }
}

#[test]
fn every_operator_on_all_operands_of_up_to_four_bits() {
    for width in 1..=4 {
        let words = Arc::new(operators(width));
        words.validate().unwrap();
        let bits = blast(&words, Limits::default()).unwrap();
        for n in 0..1u64 << (2 * width + 1) {
            let word = |n| Value::Word(Word::from_u64(n, width));
            agree(&words, &bits.system, &[word(n), word(n >> width), Value::Bool(n >> (2 * width) == 1)]);
        }
    }
}

#[test]
fn every_operator_on_random_wide_operands() {
    let mut rng = Rng::new(3);
    for width in [5, 7, 16, 33, 65] {
        let words = Arc::new(operators(width));
        let bits = blast(&words, Limits::default()).unwrap();
        let mut random = || {
            let dense = rng.one_in(2);
            let any = (0..width).map(|_| rng.one_in(if dense { 2 } else { 6 }));
            let word = Word::from_bits(any.collect::<Vec<bool>>());
            Value::Word(if dense { word } else { word.lshr(&Word::from_u64(u64::from(width) / 2, width)) })
        };
        for n in 0..60 {
            let row = [random(), random(), Value::Bool(n % 2 == 0)];
            agree(&words, &bits.system, &row);
        }
    }
}

/// An enumeration with a gap in its code, a memory, a free state with a start, one without, a definition.
fn everything() -> System {
    let mut system = System::default();
    let colour = Sort::enumeration("colour", ["red", "green", "blue"]);
    let memory = Sort::array(Sort::BitVec(2), Sort::BitVec(3));
    let palette = Sort::array(colour.clone(), colour.clone());
    let pick = system.add_input(colour.clone(), Label::new("pick"));
    let at = system.add_input(Sort::BitVec(2), Label::new("at"));
    system.add_input(Sort::Int, Label::new("unread"));
    let light = system.add_state(colour.clone(), Label::new("light"));
    let mem = system.add_state(memory, Label::new("mem"));
    let drift = system.add_state(Sort::BitVec(3), Label::new("drift"));
    let noise = system.add_state(Sort::BitVec(3), Label::new("noise"));
    let colours = system.add_state(palette, Label::new("colours"));
    let [light_v, mem_v, drift_v, noise_v, colours_v] =
        [light, mem, drift, noise, colours].map(|s| system.state(s).variable);
    let t = &mut system.terms;
    let sum = t.app(Op::BvAdd, &[drift_v, noise_v]);
    let sum = system.add_definition(sum, Label::new("sum"));
    let t = &mut system.terms;
    let written = t.app(Op::Store, &[mem_v, at, sum]);
    let blank = t.constant_array(Sort::BitVec(2), noise_v);
    let shown = t.app(Op::Select, &[colours_v, pick]);
    let same = t.eq(light_v, pick);
    let shifted = t.ite(same, shown, pick);
    let painted = t.app(Op::Store, &[colours_v, light_v, pick]);
    let read = t.app(Op::Select, &[mem_v, at]);
    let five = t.word(5, 3);
    let is_five = t.eq(read, five);
    let blue = t.enum_constant(&colour, 2);
    let is_blue = t.eq(light_v, blue);
    let is_same = t.eq(mem_v, written);
    let not_low = t.app(Op::BvUlt, &[five, drift_v]);
    let mut set = |s: StateId, init, next| {
        system.states[s.index()].init = init;
        system.states[s.index()].next = next;
    };
    set(light, None, Some(shifted));
    set(mem, Some(blank), Some(written));
    set(drift, Some(noise_v), None);
    set(colours, None, Some(painted));
    claim(&mut system, is_five, "five");
    claim(&mut system, is_blue, "blue");
    claim(&mut system, is_same, "same");
    claim(&mut system, not_low, "low");
    system
}

/// A random execution of the bits from resets; no constraint is checked.
fn random_trace(system: &BitSystem, steps: usize, rng: &mut Rng) -> Trace {
    let mut row = |n: usize| (0..n).map(|_| Ternary::from(rng.one_in(2))).collect::<Vec<_>>();
    let inputs: Vec<Vec<Ternary>> = (0..steps).map(|_| row(system.num_inputs())).collect();
    let mut initial = row(system.num_latches());
    for latch in system.reset_order().unwrap() {
        let values = evaluate(system, &initial, &inputs[0]);
        initial[latch.index()] = evidence::value(&values, system.latch(latch).reset);
    }
    Trace { property: PropertyId::new(0), initial, inputs }
}

#[test]
fn traces_come_back() {
    let words = Arc::new(everything());
    words.validate().unwrap();
    let bits = blast(&words, Limits::default()).unwrap();
    assert_eq!(bits.system.num_latches(), 2 + 12 + 3 + 6);
    let is_free = |l: &LatchId| bits.system.latch(*l).reset == bits.system.latch_lit(*l);
    let free: Vec<usize> = bits.system.latches().filter(is_free).map(|l| l.index()).collect();
    assert_eq!(free, [0, 1, 17, 18, 19, 20, 21, 22], "the light and the colours start anywhere");
    let mut rng = Rng::new(11);
    for _ in 0..100 {
        let trace = random_trace(&bits.system, 6, &mut rng);
        let raised = bits.trace(trace.clone());
        let bit_rows = evidence::states(&bits.system, &trace);
        for (t, word_row) in states(&words, &raised).iter().enumerate() {
            for (s, state) in words.states.iter().enumerate() {
                let Some(first) = bits.layout.latches[s] else { continue };
                let sort = words.terms.sort(state.variable);
                let width = code::width(sort).unwrap() as usize;
                let known: Vec<bool> =
                    bit_rows[t][first..first + width].iter().map(|b| b.known().unwrap()).collect();
                let wanted = code::decode(sort, &known);
                assert_eq!(word_row[s], Some(wanted), "{} in step {t}", state.label.name);
            }
        }
        let values = evaluate(&bits.system, bit_rows.last().unwrap(), trace.inputs.last().unwrap());
        let mut simulation = buttress_system::words::Simulation::new(&words);
        simulation.start(&raised.initial, &raised.inputs[0]);
        raised.inputs[1..].iter().for_each(|row| simulation.step(row));
        for (word, bit) in words.properties.iter().zip(&bits.system.properties) {
            assert_eq!(simulation.bool(word.bad), evidence::value(&values, bit.bad).known());
        }
    }
}

/// A clause over bits and its term have the same value in every state without unused codes.
#[test]
fn clauses_come_back() {
    let words = Arc::new(everything());
    let bits = blast(&words, Limits::default()).unwrap();
    let mut rng = Rng::new(5);
    let latches = bits.system.num_latches();
    for _ in 0..300 {
        let mut chosen: Vec<usize> = (0..latches).filter(|_| rng.one_in(3)).collect();
        chosen.truncate(8);
        let lits = chosen.iter().map(|&l| bits.system.latch_lit(LatchId::new(l)) ^ rng.one_in(2));
        let clause = Clause::new(lits.collect::<Vec<Lit>>());
        let mut terms = words.terms.clone();
        let term = bits.clause(&clause, &mut terms);
        let mut evaluation = Evaluation::new(&terms);
        let mut state = vec![Ternary::Zero; latches];
        for (s, word) in words.states.iter().enumerate() {
            let Some(first) = bits.layout.latches[s] else { continue };
            let sort = words.terms.sort(word.variable);
            let raw: Vec<bool> = (0..code::width(sort).unwrap()).map(|_| rng.one_in(2)).collect();
            let value = code::decode(sort, &raw);
            code::encode(&value).into_iter().enumerate().for_each(|(i, b)| state[first + i] = b.into());
            evaluation.assign(word.variable, Some(value));
        }
        let values = evaluate(&bits.system, &state, &vec![Ternary::Zero; bits.system.num_inputs()]);
        let holds = clause.0.iter().any(|&l| evidence::value(&values, l) == Ternary::One);
        assert_eq!(evaluation.bool(term), Some(holds), "{clause:?}");
    }
}

#[test]
fn clauses_read_as_comparisons() {
    let words = Arc::new(everything());
    let bits = blast(&words, Limits::default()).unwrap();
    let text = |lits: &[(&str, bool)]| {
        let latch = |name: &str| {
            let named = |l: &LatchId| bits.system.symbols.name(SymbolKind::Latch, l.index()) == name;
            bits.system.latch_lit(bits.system.latches().find(named).unwrap())
        };
        let clause = Clause::new(lits.iter().map(|(name, wanted)| latch(name) ^ !wanted));
        let mut terms = words.terms.clone();
        let term = bits.clause(&clause, &mut terms);
        buttress_term::smtlib::Smtlib::new(&terms).term(term)
    };
    assert_eq!(
        text(&[("drift[0]", false), ("drift[1]", true), ("drift[2]", false)]),
        "(not (= drift #b101))"
    );
    assert_eq!(text(&[("light[1]", false)]), "(not (= light blue))");
    assert_eq!(text(&[("mem[2][1]", true)]), "(= ((_ extract 1 1) (select mem #b10)) #b1)");
}

/// Clauses over the bits of Booleans and words go up and come down again.
#[test]
fn lemmas_find_their_way_down() {
    let words = Arc::new(everything());
    let bits = blast(&words, Limits::default()).unwrap();
    let kept =
        |s: &StateId| !matches!(words.terms.sort(words.state(*s).variable), Sort::Enum(_) | Sort::Array(_));
    let states: Vec<StateId> = words.state_ids().filter(kept).collect();
    let latches: Vec<LatchId> =
        bits.system.latches().filter(|l| states.contains(&bits.layout.origins[l.index()].0)).collect();
    let mut rng = Rng::new(7);
    for _ in 0..100 {
        let chosen =
            latches.iter().filter(|_| rng.one_in(2)).map(|&l| bits.system.latch_lit(l)).collect::<Vec<_>>();
        let clause = Clause::new(chosen.into_iter().map(|l| l ^ rng.one_in(2)));
        let mut terms = words.terms.clone();
        let term = bits.clause(&clause, &mut terms);
        let lowered = bits.lower(&[WordLemma::Term(Arc::new(terms), term)]);
        if !clause.0.is_empty() {
            assert_eq!(lowered, [Some(Lemma::Clause(clause))]);
        }
    }
}

#[test]
fn what_has_no_bits_is_refused_by_name() {
    let refused = |sort: Sort| {
        let mut system = System::default();
        let state = system.add_state(sort, Label::new("level"));
        let variable = system.state(state).variable;
        let bad = system.terms.eq(variable, variable);
        claim(&mut system, bad, "p");
        blast(&Arc::new(system), Limits::default()).map(drop).unwrap_err().message
    };
    assert_eq!(refused(Sort::Int), "`level` has no bits: Int is infinite");
    assert_eq!(
        refused(Sort::array(Sort::BitVec(30), Sort::BitVec(8))),
        "`level` has no bits: (Array (_ BitVec 30) (_ BitVec 8)) has more than 65536 bits"
    );
    let mut system = System::default();
    let input = system.add_input(Sort::BitVec(8), Label::new("in"));
    let number = system.terms.app(Op::BvToNat, &[input]);
    let bad = system.terms.eq(number, number);
    claim(&mut system, bad, "p");
    let message = blast(&Arc::new(system), Limits::default()).map(drop).unwrap_err().message;
    assert_eq!(message, "`p` has no bits: Int is infinite");
}

#[test]
fn bits_regroup_to_the_names_of_words() {
    let words = Arc::new(everything());
    let bits = blast(&words, Limits::default()).unwrap();
    let signals = buttress_system::Signals::of(&bits.system);
    let names: Vec<&str> = signals.0.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names[..4], ["pick", "at", "drift'", "noise"]);
    assert_eq!(names[4..10], ["light", "mem[0]", "mem[1]", "mem[2]", "mem[3]", "drift"]);
}

/// A clause about bits is a term about words; and taken down again it is the same clause.
#[test]
fn a_clause_that_goes_up_comes_down_again() {
    let mut words = System::default();
    let flag = words.add_state(Sort::Bool, Label::new("flag"));
    let word = words.add_state(Sort::BitVec(4), Label::new("word"));
    for state in [flag, word] {
        let own = words.state(state).variable;
        words.states[state.index()].next = Some(own);
    }
    let (is_flag, all) = (words.state(flag).variable, words.terms.word(15, 4));
    let is_all = words.terms.eq(words.states[word.index()].variable, all);
    let bad = words.terms.and(is_flag, is_all);
    let property = words.add_property(bad, Label::new("p"));
    let blasted = blast(&Arc::new(words), Limits::default()).expect("it is finite");
    let bits = blasted.system().clone();
    let lits: Vec<Lit> = bits.latches().map(|latch| bits.latch_lit(latch)).collect();
    assert_eq!(lits.len(), 5);
    let mut clauses: Vec<Clause> = lits.iter().flat_map(|&l| [Clause::new([l]), Clause::new([!l])]).collect();
    clauses.push(Clause::new([lits[0], !lits[3], lits[4]]));
    for clause in clauses {
        let raised = blasted.proof(Proof::inductive(property, vec![clause.clone()]));
        let terms = raised.claim.invariant.iter().map(|&term| WordLemma::Term(raised.terms.clone(), term));
        let terms: Vec<WordLemma> = terms.collect();
        assert_eq!(blasted.lower(&terms), [Some(Lemma::Clause(clause.clone()))]);
        // What cannot be taken down leaves the place of what can.
        let mut store = (*raised.terms).clone();
        let both = store.and(bad, raised.claim.invariant[0]);
        let unfit = WordLemma::Term(Arc::new(store), both);
        let through = Then(&blasted, Same(bits.clone()));
        assert_eq!(through.lower(&[unfit, terms[0].clone()]), [None, Some(Lemma::Clause(clause))]);
    }
}
