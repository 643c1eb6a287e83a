//! The running example of the paper: Table 1, the Galois connection, the abstract states iteration by iteration,
//! and what the frontier would do.

mod support;

use std::collections::BTreeSet;

use buttress_check::{Refusal, certify_indexed_proof};
use buttress_indexed::galois::{Abstract, Small};
use buttress_indexed::{Conclusion, Options, analyse};
use buttress_solve::Stop;
use buttress_solve::bdd::{Bdd, Bdds};
use buttress_solve::smt::{Session, Theory};
use buttress_system::PropertyId;

use support::{config, model};

const RUNNING: &str = include_str!("../../../examples/indexed/running.vmt");

/// Functions from {-2..1} to {-2..1}: with negative and other arguments, and with negative and other values.
type Function = [i32; 4];
const PLACES: [i32; 4] = [-2, -1, 0, 1];

fn functions() -> Vec<Function> {
    let value = |n: usize, place: usize| PLACES[n >> (2 * place) & 3];
    (0..256).map(|n| [0, 1, 2, 3].map(|place| value(n, place))).collect()
}

/// Bit 0: F(x) >= 0. Bit 1: x >= 0.
fn predicates(f: &Function, x: &i32) -> u32 {
    u32::from(f[(x + 2) as usize] >= 0) | u32::from(*x >= 0) << 1
}

fn successors(f: &Function) -> Vec<Function> {
    let changed = |i: usize| {
        let mut next = *f;
        next[i] = f[i + 1];
        next
    };
    (0..3).map(changed).collect()
}

fn small(states: &[Function]) -> Small<'_, Function, i32> {
    Small { states, places: &PLACES, predicates: &predicates, next: &successors }
}

fn sets() -> impl Iterator<Item = Abstract> {
    (0u32..16).map(|set| (0..4).filter(|state| set >> state & 1 == 1).collect())
}

const TT: u32 = 0b11;
const TF: u32 = 0b01;
const FF: u32 = 0b00;

/// Table 1: which abstract sets have concrete states, and which.
#[test]
fn table_1() {
    let functions = functions();
    let small = small(&functions);
    let of = |holds: &dyn Fn(&Function) -> bool| -> BTreeSet<Function> {
        functions.iter().filter(|f| holds(f)).copied().collect()
    };
    let nothing = BTreeSet::new();
    let rows: [(&[u32], BTreeSet<Function>); 5] = [
        (&[TT], nothing.clone()),
        (&[TF], nothing.clone()),
        (&[FF, TF], nothing),
        (&[TF, TT], of(&|f| f.iter().all(|&v| v >= 0))),
        (&[FF, TF, TT], of(&|f| f[2] >= 0 && f[3] >= 0)),
    ];
    for (set, states) in rows {
        assert_eq!(small.gamma(&set.iter().copied().collect()), states, "{set:?}");
    }
    let nonempty = sets().filter(|set| !set.is_empty());
    let (without, with): (Vec<_>, Vec<_>) = nonempty.partition(|set| small.gamma(set).is_empty());
    assert_eq!((without.len(), with.len()), (6, 9));
}

/// α(S) ⊆ A ⇔ S ⊆ γ(A) (3), S ⊆ γ(α(S)) (4), and one state has several abstract states.
#[test]
fn galois_connection() {
    let functions = functions();
    let small = small(&functions);
    let identity: Function = PLACES;
    assert_eq!(small.alpha_of(&identity), [FF, TT].into());
    for seed in 0..200u64 {
        let chosen = |n: usize| {
            (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed * seed) >> 60 == seed % 16
        };
        let states: BTreeSet<Function> =
            functions.iter().enumerate().filter(|(n, _)| chosen(*n)).map(|(_, f)| *f).collect();
        assert!(states.is_subset(&small.gamma(&small.alpha(&states))));
        for set in sets() {
            assert_eq!(small.alpha(&states).is_subset(&set), states.is_subset(&small.gamma(&set)));
        }
    }
}

/// N_A is null-preserving, monotonic, and simulates N_C.
#[test]
fn the_abstract_system_interprets_the_concrete_one() {
    let functions = functions();
    let small = small(&functions);
    assert!(small.image(&Abstract::new()).is_empty());
    for a in sets() {
        for b in sets().filter(|b| a.is_subset(b)) {
            assert!(small.image(&a).is_subset(&small.image(&b)));
        }
    }
    for f in &functions {
        let next = small.alpha(&successors(f));
        assert!(next.is_subset(&small.image(&small.alpha_of(f))));
    }
}

/// Images of what is new only lose states: γ of a difference is smaller than the difference of γ.
#[test]
fn frontier_sets_lose_states() {
    // One bit of state goes up to 3 and stays; the predicates say at each place x whether the state is beyond it.
    let states = [0, 1, 2, 3];
    let predicates = |s: &i32, x: &i32| u32::from(s > x);
    let next = |s: &i32| vec![(s + 1).min(3)];
    let small = Small { states: &states, places: &[0, 1, 2], predicates: &predicates, next: &next };
    let rings = small.rings(&[0]);
    assert_eq!(rings.last().expect("rings"), &Abstract::from([0, 1]));
    // R⁰ = {0}, R¹ = {0, 1}; the frontier {1} has only the state 3, the state 1 has both abstract states.
    let frontier: Abstract = rings[1].difference(&rings[0]).copied().collect();
    assert_eq!(small.gamma(&frontier), [3].into());
    assert!(!small.image(&frontier).is_superset(&small.image(&rings[1])));
    // A system where this matters: from 1 on, place 2 is passed at once, which a third predicate sees.
    let predicates = |s: &i32, x: &i32| u32::from(s > x) | u32::from(*s == 2) << 1;
    let small = Small { states: &states, places: &[0, 1, 2], predicates: &predicates, next: &next };
    let reached = small.rings(&[0]).pop().expect("rings");
    let with_frontier = frontier_rings(&small, &[0]);
    assert!(with_frontier.is_subset(&reached) && with_frontier != reached, "{with_frontier:?} {reached:?}");
    let concrete = small.alpha(&states);
    assert!(!concrete.is_subset(&with_frontier), "a reachable state is lost: this is unsound");
}

/// Rⁱ⁺¹ = Rⁱ ∪ N_A(Rⁱ − Rⁱ⁻¹), which the paper warns of.
fn frontier_rings(small: &Small<'_, i32, i32>, start: &[i32]) -> Abstract {
    let mut before = Abstract::new();
    let mut now = small.alpha(start);
    loop {
        let new: Abstract = now.difference(&before).copied().collect();
        let next: Abstract = now.union(&small.image(&new)).copied().collect();
        if next == now {
            return now;
        }
        before = now;
        now = next;
    }
}

/// p ⇔ q, then p ∨ ¬q, then stable; by the definitions and by the symbolic formulation.
#[test]
fn iteration_by_iteration() {
    let functions = functions();
    let small = small(&functions);
    let rings = small.rings(&[PLACES]);
    assert_eq!(rings, [Abstract::from([FF, TT]), Abstract::from([FF, TF, TT])]);
    let Some(config) = config() else { return };
    let model = model(RUNNING);
    let analysis =
        analyse(&model, &[PropertyId::new(0)], &Options::default(), &config, &Stop::new()).unwrap();
    let reached = &analysis.reached;
    let symbolic: Vec<Abstract> = reached.rings.iter().map(|ring| listed(&reached.bdds, ring, 2)).collect();
    assert_eq!(symbolic, rings);
    assert_eq!(reached.iterations(), 2);
}

/// The abstract states of a diagram.
fn listed(bdds: &Bdds, set: &Bdd, predicates: u32) -> Abstract {
    let inside = |&state: &u32| {
        let bits = (0..predicates).map(|p| (p, state >> p & 1 == 1));
        let one = bdds.product(bits).unwrap();
        bdds.minus(&one, set).unwrap().constant() == Some(false)
    };
    (0..1 << predicates).filter(inside).collect()
}

/// The proof is accepted; with an instance taken away, another clause or without clauses it is not.
#[test]
fn what_is_broken_is_caught() {
    let Some(config) = config() else { return };
    let model = model(RUNNING);
    let property = PropertyId::new(0);
    let analysis = analyse(&model, &[property], &Options::default(), &config, &Stop::new()).unwrap();
    let Some((_, Conclusion::Proved(proof))) = analysis.conclusions.into_iter().next() else {
        panic!("the running example is proved")
    };
    let mut start = || Session::new(&config, Theory::of(&model.system.terms), &Stop::new());
    assert!(certify_indexed_proof(&model, proof.clone(), &mut start).is_ok());
    assert!(!proof.step.is_empty());
    for drop in 0..proof.step.len() {
        let mut broken = proof.clone();
        broken.step.remove(drop);
        let refused = certify_indexed_proof(&model, broken, &mut start);
        assert!(
            matches!(refused, Err(Refusal::Rejected(why)) if why.contains("preserved")),
            "instance {drop}"
        );
    }
    let mut broken = proof.clone();
    broken.clauses.clear();
    let refused = certify_indexed_proof(&model, broken.clone(), &mut start);
    assert!(matches!(refused, Err(Refusal::Rejected(why)) if why.contains("does not fit")));
    (broken.step, broken.implies) = (Vec::new(), Vec::new());
    let refused = certify_indexed_proof(&model, broken, &mut start);
    assert!(matches!(refused, Err(Refusal::Rejected(why)) if why.contains("do not exclude")));
    let mut broken = proof.clone();
    broken.clauses.push(model.predicates[0].term);
    let refused = certify_indexed_proof(&model, broken, &mut start);
    assert!(matches!(refused, Err(Refusal::Rejected(why)) if why.contains("at the start")));
}

/// A clause over inputs would be an assumption about them: it is no clause.
#[test]
fn a_clause_over_inputs_is_refused() {
    let Some(config) = config() else { return };
    let model = model(RUNNING);
    let analysis =
        analyse(&model, &[PropertyId::new(0)], &Options::default(), &config, &Stop::new()).unwrap();
    let Some((_, Conclusion::Proved(mut proof))) = analysis.conclusions.into_iter().next() else {
        panic!("the running example is proved")
    };
    let input = model.system.inputs.iter().map(|i| i.variable).find(|i| !model.is_index(*i)).unwrap();
    let mut terms = (*proof.terms).clone();
    let equal = terms.eq(input, input);
    proof.clauses.push(equal);
    proof.terms = terms.into();
    let mut start = || Session::new(&config, Theory::of(&model.system.terms), &Stop::new());
    let refused = certify_indexed_proof(&model, proof, &mut start);
    assert!(matches!(refused, Err(Refusal::Rejected(why)) if why.contains("over states")));
}
