//! Small random word-level systems by seed: Booleans, words, enumerations with a gap in their code, memories;
//! states that nobody initialises or drives, starts that read other states and inputs, definitions, constraints.
//!
//! Terms grow by trying operators on what is there until the sorts fit. There are at most 8 bits of state and 5 of
//! inputs and free states, so that all values can be listed.

use buttress_system::Rng;
use buttress_system::words::{Label, Named, Property, PropertyKind, StateId, System, code};
use buttress_term::{Node, Op, Sort, TermId, Value};

/// The system of this seed; it is valid.
pub fn system(seed: u64) -> System {
    let mut rng = Rng::new(seed);
    loop {
        let system = attempt(&mut rng);
        if system.validate().is_ok() && is_small(&system) {
            return system;
        }
    }
}

fn bits(system: &System, variable: TermId) -> u32 {
    code::width(system.terms.sort(variable)).expect("random sorts are finite")
}

fn is_small(system: &System) -> bool {
    let free = system.free_states().map(|s| system.state(s).variable);
    let moving = system.inputs.iter().map(|i| i.variable).chain(free);
    let states: u32 = system.states.iter().map(|s| bits(system, s.variable)).sum();
    states <= 8 && moving.map(|v| bits(system, v)).sum::<u32>() <= 5
}

fn attempt(rng: &mut Rng) -> System {
    let mut system = System::default();
    for i in 0..rng.below(3) {
        let sort = sort(rng);
        system.add_input(sort, Label::new(format!("in{i}")));
    }
    for s in 0..1 + rng.below(3) {
        let sort = sort(rng);
        system.add_state(sort, Label::new(format!("s{s}")));
    }
    let mut pool: Vec<TermId> = system.inputs.iter().map(|i| i.variable).collect();
    pool.extend(system.states.iter().map(|s| s.variable));
    for d in 0..rng.below(3) {
        grow(rng, &mut system, &mut pool, 4);
        let value = pool[rng.below(pool.len())];
        pool.push(system.add_definition(value, Label::new(format!("d{d}"))));
    }
    grow(rng, &mut system, &mut pool, 14);
    for s in system.state_ids() {
        drive(rng, &mut system, &pool, s);
    }
    claims(rng, &mut system, &pool);
    system
}

fn sort(rng: &mut Rng) -> Sort {
    match rng.below(8) {
        0 | 1 => Sort::Bool,
        2..=5 => Sort::BitVec(1 + rng.below(3) as u32),
        6 => Sort::enumeration("colour", ["red", "green", "blue"]),
        _ => Sort::array(Sort::BitVec(1), Sort::BitVec(2)),
    }
}

/// Any value of a sort.
fn value(rng: &mut Rng, sort: &Sort) -> Value {
    let bits: Vec<bool> = (0..code::width(sort).expect("finite")).map(|_| rng.one_in(2)).collect();
    code::decode(sort, &bits)
}

/// More terms: operators on random operands, where the sorts fit, and constants.
fn grow(rng: &mut Rng, system: &mut System, pool: &mut Vec<TermId>, terms: usize) {
    let operators: Vec<Op> = Op::all().collect();
    let target = pool.len() + terms;
    while pool.len() < target {
        if rng.one_in(6) {
            let sort = system.terms.sort(pool[rng.below(pool.len())]).clone();
            pool.push(system.terms.constant(value(rng, &sort)));
        }
        let op = operators[rng.below(operators.len())];
        let operands: Vec<TermId> = (0..1 + rng.below(3)).map(|_| pool[rng.below(pool.len())]).collect();
        let width = operands.first().and_then(|&t| system.terms.width(t)).unwrap_or(1);
        let indices = match op {
            Op::BvExtract => [rng.below(width as usize) as u32, 0],
            _ => [rng.below(2) as u32, 0],
        };
        let indices = if indexed(op) { indices } else { [0, 0] };
        if let Ok(term) = system.terms.apply_indexed(op, indices, &operands)
            && code::width(system.terms.sort(term)).is_some_and(|width| width <= 4)
        {
            pool.push(term);
        }
    }
}

fn indexed(op: Op) -> bool {
    matches!(op, Op::BvExtract | Op::BvZeroExtend | Op::BvSignExtend)
}

/// `next` from the pool, rarely none; `init` a constant, a term or none.
fn drive(rng: &mut Rng, system: &mut System, pool: &[TermId], state: StateId) {
    let sort = system.terms.sort(system.state(state).variable).clone();
    let fitting: Vec<TermId> =
        pool.iter().copied().filter(|&t| *system.terms.sort(t) == sort && !is_constant(system, t)).collect();
    let pick = |rng: &mut Rng| fitting[rng.below(fitting.len())];
    let init = match rng.below(8) {
        0 => None,
        1 => Some(pick(rng)),
        _ => Some(system.terms.constant(value(rng, &sort))),
    };
    let next = (!rng.one_in(10)).then(|| pick(rng));
    system.states[state.index()].init = init;
    system.states[state.index()].next = next;
}

fn is_constant(system: &System, term: TermId) -> bool {
    matches!(system.terms.node(term), Node::Constant(_))
}

/// Two properties that a state has a value, or a Boolean from the pool; at times a constraint.
fn claims(rng: &mut Rng, system: &mut System, pool: &[TermId]) {
    let booleans: Vec<TermId> =
        pool.iter().copied().filter(|&t| *system.terms.sort(t) == Sort::Bool).collect();
    for p in 0..2 {
        let state = system.states[rng.below(system.states.len())].variable;
        let sort = system.terms.sort(state).clone();
        let wanted = system.terms.constant(value(rng, &sort));
        let mut bad = system.terms.eq(state, wanted);
        if !booleans.is_empty() && rng.one_in(3) {
            let other = booleans[rng.below(booleans.len())];
            bad = system.terms.and(bad, other);
        }
        let label = Label::new(format!("p{p}"));
        system.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
    }
    if !booleans.is_empty() && rng.one_in(3) {
        let term = booleans[rng.below(booleans.len())];
        system.constraints.push(Named { term, label: Label::new("c0") });
    }
}
