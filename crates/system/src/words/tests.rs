use buttress_term::{Op, Sort, Value, Word};

use super::*;

/// A counter with an enable, a definition between, and a free state that is added.
fn counter() -> System {
    let mut system = System::default();
    let enable = system.add_input(Sort::Bool, Label::new("enable"));
    let count = system.add_state(Sort::BitVec(8), Label::new("count"));
    let noise = system.add_state(Sort::BitVec(8), Label::new("noise"));
    let (c, n) = (system.state(count).variable, system.state(noise).variable);
    let sum = system.terms.app(Op::BvAdd, &[c, n]);
    let sum = system.add_definition(sum, Label::new("sum"));
    let next = system.terms.ite(enable, sum, c);
    let init = system.terms.app(Op::BvNot, &[n]);
    system.states[count.index()].next = Some(next);
    system.states[count.index()].init = Some(init);
    let ten = system.terms.word(10, 8);
    let bad = system.terms.eq(c, ten);
    system.properties.push(Property { bad, kind: PropertyKind::Invariant, label: Label::new("ten") });
    system
}

fn word(n: u64) -> Option<Value> {
    Some(Value::Word(Word::from_u64(n, 8)))
}

#[test]
fn a_trace_is_executed() {
    let system = counter();
    system.validate().unwrap();
    let on = Some(Value::Bool(true));
    let trace = WordTrace {
        property: PropertyId::new(0),
        initial: vec![None, word(3)],
        inputs: vec![vec![on.clone(), None], vec![on, word(11)], vec![None, None]],
    };
    // 252 = ¬3, then + 3, then + 11.
    let rows = states(&system, &trace);
    assert_eq!(rows, [[word(252), word(3)], [word(255), word(11)], [word(10), None]]);
    let mut simulation = Simulation::new(&system);
    simulation.start(&trace.initial, &trace.inputs[0]);
    assert_eq!(simulation.value(system.definitions[0].variable), word(255));
    assert_eq!(simulation.bool(system.properties[0].bad), Some(false));
}

#[test]
fn ill_formed_systems_are_refused() {
    let refused = |change: fn(&mut System)| {
        let mut system = counter();
        change(&mut system);
        system.validate().unwrap_err().message
    };
    let own_init = refused(|s| s.states[1].init = Some(s.definitions[0].variable));
    assert_eq!(own_init, "the init of `count` depends on its own value");
    let stranger = refused(|s| s.properties[0].bad = s.terms.variable("stranger", Sort::Bool));
    assert_eq!(stranger, "`ten` reads `stranger`, which the system does not have");
    let sort = refused(|s| s.states[0].init = Some(s.inputs[0].variable));
    assert_eq!(sort, "the init of `count` is Bool, not (_ BitVec 8)");
    let order = refused(|s| s.definitions[0].value = s.definitions[0].variable);
    assert_eq!(order, "`sum` reads `sum`, which is not defined before");
    let twice = refused(|s| s.inputs.push(s.inputs[0].clone()));
    assert_eq!(twice, "the variable of `enable` stands for two things");
}

#[test]
fn elements_are_states_definitions_constraints() {
    let mut system = counter();
    let yes = system.terms.bool(true);
    system.constraints.push(Named { term: yes, label: Label::new("env") });
    let names: Vec<&str> =
        (0..system.num_elements()).map(|e| &*system.label(ElementId::new(e)).name).collect();
    assert_eq!(names, ["count", "noise", "sum", "env"]);
    for e in (0..4).map(ElementId::new) {
        assert_eq!(system.element_of(system.element(e)), e);
    }
}

#[test]
fn codes_are_read_back() {
    let colour = Sort::enumeration("colour", ["red", "green", "blue"]);
    let memory = Sort::array(Sort::BitVec(2), colour.clone());
    assert_eq!([&colour, &memory, &Sort::Int].map(code::width), [Some(2), Some(8), None]);
    assert_eq!(code::width(&Sort::array(Sort::BitVec(40), Sort::Bool)), None);
    assert_eq!(code::width(&Sort::enumeration("unit", ["it"])), Some(0));
    for n in 0..256u32 {
        let bits: Vec<bool> = (0..8).map(|i| n >> i & 1 == 1).collect();
        let value = code::decode(&memory, &bits);
        assert_eq!(code::decode(&memory, &code::encode(&value)), value);
        let place = Value::Word(Word::from_u64(2, 2));
        let Value::Array(array) = &value else { panic!("an array") };
        assert_eq!(*array.get(&place), code::decode(&colour, &bits[4..6]));
    }
    assert_eq!(code::decode(&colour, &[true, true]).to_string(), "blue");
}
