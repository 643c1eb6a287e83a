//! Each transformation on random systems: the smaller system behaves as the old one, and traces, proofs
//! and clauses find their way.

use std::sync::Arc;

use buttress_check::{certify_proof, certify_trace};
use buttress_query::{Answer, Bits, From, Goal, Query, Reasoner};
use buttress_solve::{Cadical, Cdcl, Stop};
use buttress_system::{
    BitSystem, Clause, Lemma, Lit, Proof, PropertyId, Rng, Simulator, SymbolKind, Ternary, Trace,
};
use buttress_testkit::Draft;
use buttress_testkit::fuzz::resets_read_inputs;
use buttress_testkit::random;
use buttress_testkit::reference::Explicit;
use buttress_transform::{AnyWay, Way, cone, constants, merge, reduce, simplify, sweep};

const SYSTEMS: u64 = 600;

/// A transformation of the old system to the new.
struct Case {
    about: String,
    old: Arc<BitSystem>,
    new: Arc<BitSystem>,
    map: AnyWay<BitSystem, BitSystem>,
    /// Whether it relies on facts about gates, and on the constraints.
    merges: bool,
}

/// All transformations of the system of this seed, some for a part of the properties only.
fn cases(seed: u64) -> Vec<Case> {
    let rng = &mut Rng::new(seed);
    let mut system = random::draft(rng).build();
    name_everything(&mut system);
    let old = Arc::new(system);
    let mut properties: Vec<PropertyId> = old.property_ids().filter(|_| rng.one_in(2)).collect();
    if properties.is_empty() {
        properties = old.property_ids().collect();
    }
    let case = |name: &str, map: AnyWay<BitSystem, BitSystem>| Case {
        about: format!("{name} of system {seed}"),
        old: old.clone(),
        new: map.system().clone(),
        map,
        merges: name == "sweep" || name == "reduce",
    };
    let solver = || Cdcl::new(&Stop::new());
    vec![
        case("constants", Box::new(constants(&old))),
        case("cone", Box::new(cone(&old, &properties))),
        case("simplify", simplify(&old, &properties)),
        case("merge", Box::new(merge(&old, solver).expect("nobody asked for a stop"))),
        case("sweep", Box::new(sweep(&old, solver).expect("nobody asked for a stop"))),
        case("reduce", reduce(&old, &properties, solver).expect("nobody asked for a stop")),
    ]
}

fn name_everything(system: &mut BitSystem) {
    let counts = [
        (SymbolKind::Input, system.num_inputs()),
        (SymbolKind::Latch, system.num_latches()),
        (SymbolKind::Constraint, system.constraints.len()),
        (SymbolKind::Bad, system.properties.len()),
    ];
    for (kind, count) in counts {
        for index in 0..count {
            system.symbols.insert(kind, index, &format!("{kind:?}-{index}"));
        }
    }
}

fn all(test: impl Fn(&Case)) {
    (0..SYSTEMS).flat_map(cases).for_each(|case| test(&case));
}

fn mask(value: Ternary) -> u64 {
    if value == Ternary::One { !0 } else { 0 }
}

fn ternaries(lane: usize, values: impl Iterator<Item = u64>) -> Vec<Ternary> {
    values.map(|v| Ternary::from(v >> lane & 1 == 1)).collect()
}

/// A random execution of the new system, constraints not minded, and what is bad in each of its steps.
fn random_execution(new: &BitSystem, rng: &mut Rng) -> (Trace, Vec<Vec<bool>>) {
    let mut simulator = Simulator::new(new);
    simulator.reset(rng);
    let lane = rng.below(64);
    let initial = ternaries(lane, new.latches().map(|l| simulator.value(new.latch_lit(l))));
    let (mut inputs, mut seen) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        inputs.push(ternaries(lane, new.inputs().map(|i| simulator.value(new.input_lit(i)))));
        seen.push(observed(new, &simulator, new.property_ids()).map(|v| v >> lane & 1 == 1).collect());
        simulator.step(rng);
    }
    (Trace { property: PropertyId::new(0), initial, inputs }, seen)
}

/// The bad literals of these properties, then the constraints.
fn observed(
    system: &BitSystem,
    simulator: &Simulator<'_>,
    properties: impl Iterator<Item = PropertyId>,
) -> impl Iterator<Item = u64> {
    let bads = properties.map(|p| system.property(p).bad);
    let lits: Vec<Lit> = bads.chain(system.constraints.iter().copied()).collect();
    lits.into_iter().map(|l| simulator.value(l)).collect::<Vec<u64>>().into_iter()
}

#[test]
fn both_systems_behave_alike() {
    all(|case| {
        let (trace, seen) = random_execution(&case.new, &mut Rng::new(1));
        let raised = case.map.trace(trace);
        let mut simulator = Simulator::new(&case.old);
        let row = |values: &[Ternary]| values.iter().map(|&v| mask(v)).collect::<Vec<u64>>();
        for (step, inputs) in raised.inputs.iter().enumerate() {
            match step {
                0 => simulator.start(&row(&raised.initial), &row(inputs)),
                _ => simulator.step_with(&row(inputs)),
            }
            let properties = case.new.property_ids().map(|p| case.map.property(p));
            let now: Vec<bool> = observed(&case.old, &simulator, properties).map(|v| v & 1 == 1).collect();
            assert_eq!(now, seen[step], "{} in step {step}", case.about);
            if case.merges && now[case.new.properties.len()..].contains(&false) {
                break;
            }
        }
    });
}

#[test]
fn what_is_true_stays_true() {
    all(|case| {
        let (old, new) = (Explicit::new(&case.old).truth(), Explicit::new(&case.new).truth());
        let kept = case.new.property_ids().map(|p| old.violated[case.map.property(p).index()]);
        assert_eq!(new.violated, kept.collect::<Vec<_>>(), "{}", case.about);
        assert_eq!(new.ends, old.ends, "{}", case.about);
    });
}

#[test]
fn names_are_kept() {
    all(|case| {
        for property in case.new.property_ids() {
            let old = case.map.property(property);
            assert_eq!(case.new.property_name(property), case.old.property_name(old), "{}", case.about);
        }
        let known: Vec<String> =
            case.old.latches().map(|l| case.old.symbols.name(SymbolKind::Latch, l.index())).collect();
        for latch in case.new.latches() {
            assert!(
                known.contains(&case.new.symbols.name(SymbolKind::Latch, latch.index())),
                "{}",
                case.about
            );
        }
    });
}

/// A shortest trace of the new system to a violation.
fn violation(new: &Arc<BitSystem>, property: PropertyId, step: usize) -> Trace {
    let stop = Stop::new();
    let mut reasoner = Bits::new(new.clone(), || Cadical::new(&Stop::new(), 0), &stop);
    let answer = reasoner.check(&Query::new(From::Init, step, Goal::Bad(&[property])));
    assert_eq!(answer, Ok(Answer::Fails));
    let path = reasoner.path();
    let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect();
    Trace { property, initial: row(&path.states[0]), inputs: path.inputs.iter().map(row).collect() }
}

#[test]
fn traces_find_back() {
    let mut count = 0;
    for case in (0..SYSTEMS).flat_map(cases) {
        let (old, truth) = (Explicit::new(&case.old), Explicit::new(&case.new).truth());
        for property in case.new.property_ids() {
            let Some(step) = truth.violated[property.index()] else { continue };
            let raised = case.map.trace(violation(&case.new, property, step));
            assert_eq!(raised.property, case.map.property(property));
            assert!(old.is_violation(&raised), "{}: {raised:?}", case.about);
            let checked = certify_trace(&case.old, raised);
            assert!(checked.is_ok(), "{}: {}", case.about, checked.unwrap_err());
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

/// The exact set of reachable states, as clauses that exclude each of the others.
fn reachable_states(new: &BitSystem, explicit: &Explicit) -> Vec<Clause> {
    let reachable = explicit.reachable();
    let unreached = |&s: &usize| !explicit.points_of(s).any(|p| reachable.contains(p));
    let clause = |s: usize| Clause::new(new.latches().map(|l| new.latch_lit(l) ^ (s >> l.index() & 1 == 1)));
    (0..explicit.num_states()).filter(unreached).map(clause).collect()
}

#[test]
fn proofs_find_back() {
    let (mut plain, mut with_facts) = (0, 0);
    for case in (0..SYSTEMS).flat_map(cases).filter(|case| !resets_read_inputs(&case.old)) {
        let explicit = Explicit::new(&case.new);
        for property in case.new.property_ids() {
            if explicit.truth().violated[property.index()].is_some() {
                continue;
            }
            let proof = Proof::inductive(property, reachable_states(&case.new, &explicit));
            assert!(explicit.is_inductive(&proof), "{}", case.about);
            let facts = case.map.proof(proof.clone());
            assert_eq!(facts.properties, [case.map.property(property)]);
            with_facts += usize::from(facts.invariant.len() > proof.invariant.len());
            assert!(Explicit::new(&case.old).is_inductive(&facts), "{}", case.about);
            let checked = certify_proof(&case.old, facts, &Stop::new());
            assert!(checked.is_ok(), "{}: {}", case.about, checked.unwrap_err());
            plain += 1;
        }
    }
    assert!(plain > 1000 && with_facts > 100, "{plain} {with_facts}");
}

#[test]
fn clauses_come_down_as_they_went_up() {
    all(|case| {
        let rng = &mut Rng::new(2);
        let property = PropertyId::new(0);
        let up = Lemma::Property(case.map.property(property));
        assert_eq!(case.map.lower(&[up]), [Some(Lemma::Property(property))], "{}", case.about);
        let facts = case.map.proof(Proof::inductive(property, Vec::new())).invariant;
        for _ in 0..5 {
            let some = case.new.latches().filter(|_| rng.one_in(2)).collect::<Vec<_>>();
            let clause = Clause::new(some.into_iter().map(|l| case.new.latch_lit(l) ^ rng.one_in(2)));
            let raised = case.map.proof(Proof::inductive(property, vec![clause.clone()])).invariant;
            // Facts come first.
            let raised = raised.last().expect("the clause");
            let lowered = case.map.lower(&[Lemma::Clause(raised.clone())]);
            assert_eq!(lowered, [Some(Lemma::Clause(clause.clone()))], "{}", case.about);
            // What is known to hold says nothing new; what is known to fail drops out.
            for Clause(fact) in facts.iter().filter(|f| f.0.len() == 1 && !case.merges) {
                let weaker = Clause::new(raised.0.iter().copied().chain([fact[0]]));
                assert_eq!(case.map.lower(&[Lemma::Clause(weaker)]), [None], "{}", case.about);
                let same = Clause::new(raised.0.iter().copied().chain([!fact[0]]));
                let lowered = case.map.lower(&[Lemma::Clause(same)]);
                assert_eq!(lowered, [Some(Lemma::Clause(clause.clone()))], "{}", case.about);
            }
        }
    });
}

/// The property and the contradiction share nothing, and still the property holds: no execution exists.
#[test]
fn the_cone_keeps_the_cones_of_constraints() {
    let mut draft = buttress_testkit::Draft::new(1, 2);
    draft.set_next(0, draft.input(0));
    draft.constraints = vec![draft.latch(1)];
    draft.bads = vec![draft.latch(0)];
    let old = Arc::new(draft.build());
    let sliced = cone(&old, &[PropertyId::new(0)]);
    let new = sliced.system();
    assert_eq!((new.num_latches(), new.constraints.len()), (2, 1));
    assert_eq!(Explicit::new(new).truth().violated, [None]);
}

/// Two circuits of one function are one circuit afterwards.
#[test]
fn gates_of_the_same_function_are_merged() {
    let mut draft = Draft::new(2, 2);
    let (a, b) = (draft.input(0), draft.input(1));
    let different = draft.xor(a, b);
    let chosen = draft.choose(a, !b, b);
    draft.set_next(0, different);
    draft.set_next(1, chosen);
    let old = Arc::new(draft.build());
    let merged = merge(&old, || Cdcl::new(&Stop::new())).expect("nobody asked for a stop");
    let new = merged.system();
    let next = |s: &BitSystem, l: usize| s.latch(s.latches().nth(l).expect("two latches")).next;
    assert_ne!(next(&old, 0), next(&old, 1));
    assert_eq!(next(new, 0), next(new, 1));
}
