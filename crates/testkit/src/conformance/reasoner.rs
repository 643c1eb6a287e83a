//! The suite for reasoners: random queries about random systems against enumeration. A path must be one; what a
//! core keeps must be enough.

use std::sync::Arc;

use buttress_query::{Answer, From, Goal, Queried, Query, Reasoner};
use buttress_system::{BitSystem, Clause, Cube, LatchId, Lemma, Lit, PropertyId, Rng};

use super::paths::Hypotheses;
use crate::random;
use crate::reference::Explicit;

/// `$make` makes a reasoner from an `Arc<BitSystem>`.
#[macro_export]
macro_rules! reasoner_conformance {
    ($name:ident, $make:expr) => {
        mod $name {
            use super::*;
            use $crate::conformance::reasoner as suite;
            $crate::each_test!(suite, $make => answers_match_enumeration, shorter_queries_may_follow);
        }
    };
}

const SYSTEMS: u64 = 500;
const QUERIES: usize = 25;

/// Steps 0 to 4 in any order, all hypotheses, lemmas learned in between.
pub fn answers_match_enumeration<R: Reasoner>(make: impl Fn(Arc<BitSystem>) -> R) {
    let mut count = [0, 0];
    for seed in 0..SYSTEMS {
        let rng = &mut Rng::new(seed);
        let system = Arc::new(random::draft(rng).build());
        let explicit = Explicit::new(&system);
        let mut hypotheses = Hypotheses::new(&explicit);
        let (mut reasoner, mut learned) = (make(system.clone()), false);
        for number in 0..QUERIES {
            if rng.one_in(8) {
                let lemma = random_lemma(rng, &system);
                reasoner.learn(&lemma);
                hypotheses.learn(&lemma);
                learned = true;
            }
            let cube = random_cube(rng, &system);
            let (safe, mut bad) = (random_properties(rng, &system), random_properties(rng, &system));
            bad.push(random_property(rng, &system));
            // Lemmas hold in every step of an execution, but not those that nobody proved.
            let query = random_query(rng, &cube, &safe, &bad, !learned);
            let about = format!("system {seed}, query {number}: {query:?}");
            let found = compare(&mut reasoner, &system, &hypotheses, &query, &about);
            count[usize::from(found)] += 1;
        }
    }
    assert!(count.iter().all(|&n| n > 1000), "both answers are common: {count:?}");
}

/// A state whose successors all violate a constraint must stay visible to a shorter query.
pub fn shorter_queries_may_follow<R: Reasoner>(make: impl Fn(Arc<BitSystem>) -> R) {
    for seed in 0..SYSTEMS {
        let system = Arc::new(random::system(seed));
        let explicit = Explicit::new(&system);
        let hypotheses = Hypotheses::new(&explicit);
        let mut reasoner = make(system.clone());
        for steps in [4, 3, 2, 1, 0] {
            for from in [From::Init, From::Anywhere] {
                let goal = [PropertyId::new(0)];
                let query = Query::new(from, steps, Goal::Bad(&goal));
                let about = format!("system {seed}: {query:?}");
                compare(&mut reasoner, &system, &hypotheses, &query, &about);
            }
        }
    }
}

fn compare<R: Reasoner>(
    reasoner: &mut R,
    system: &BitSystem,
    truth: &Hypotheses<'_>,
    query: &Query<'_>,
    about: &str,
) -> bool {
    let expected = truth.has_path(query);
    let answer = reasoner.check(query).expect("nobody asked for a stop");
    assert_eq!(answer == Answer::Fails, expected, "{about}");
    if expected {
        let path = reasoner.path();
        truth.is_path(query, &path).unwrap_or_else(|why| panic!("{about}: no path: {why}"));
        if let Goal::Bad(properties) = query.goal {
            let violated = system.violated(&path, properties);
            let is =
                |p: &&PropertyId| truth.is_path(&Query { goal: Goal::Bad(&[**p]), ..*query }, &path).is_ok();
            assert_eq!(violated, properties.iter().filter(is).copied().collect::<Vec<_>>(), "{about}");
        }
    } else {
        let core = reasoner.core();
        let goal = match query.goal {
            Goal::Bad(_) | Goal::Any => None,
            Goal::Cube(cube) => {
                assert!(core.goal.iter().all(|l| cube.0.contains(l)), "{about}: {core:?} is no part of it");
                Some(Cube(core.goal.into()))
            }
        };
        // Of several lengths the core is that of the longest.
        let weaker = Query {
            slack: 0,
            safe_before_last: if core.safe_before_last { query.safe_before_last } else { &[] },
            distinct: query.distinct && core.distinct,
            goal: goal.as_ref().map_or(query.goal, Goal::Cube),
            ..*query
        };
        assert!(!truth.has_path(&weaker), "{about}: the core is not enough: {weaker:?}");
    }
    expected
}

fn random_property(rng: &mut Rng, system: &BitSystem) -> PropertyId {
    PropertyId::new(rng.below(system.properties.len()))
}

/// None, one, or two.
fn random_properties(rng: &mut Rng, system: &BitSystem) -> Vec<PropertyId> {
    (0..rng.below(3)).map(|_| random_property(rng, system)).collect()
}

fn random_query<'a>(
    rng: &mut Rng,
    cube: &'a Cube,
    safe: &'a [PropertyId],
    bad: &'a [PropertyId],
    lengths: bool,
) -> Query<'a> {
    let steps = rng.below(5);
    let slack = if lengths && rng.one_in(2) { rng.below(steps + 1) } else { 0 };
    let goal = if rng.one_in(2) { Goal::Bad(bad) } else { Goal::Cube(cube) };
    Query {
        from: if rng.one_in(2) { From::Init } else { From::Anywhere },
        steps,
        slack,
        safe_before_last: safe,
        distinct: rng.one_in(3),
        goal,
        conflicts: u64::MAX,
    }
}

fn random_latch_lits(rng: &mut Rng, system: &BitSystem, most: usize) -> Vec<Lit> {
    let latches = system.num_latches();
    let size = if latches == 0 { 0 } else { rng.below(most + 1) };
    (0..size).map(|_| system.latch_lit(LatchId::new(rng.below(latches))) ^ rng.one_in(2)).collect()
}

/// Latches mostly, and sometimes something else; sometimes empty, sometimes contradictory.
fn random_cube(rng: &mut Rng, system: &BitSystem) -> Cube {
    let mut lits = random_latch_lits(rng, system, 4);
    if rng.one_in(4) {
        lits.push(Lit::from_code(rng.below(2 * system.num_vars()) as u32));
    }
    Cube(lits.into())
}

/// Any clause will do: a reasoner takes lemmas on trust.
fn random_lemma(rng: &mut Rng, system: &BitSystem) -> Lemma {
    if rng.one_in(3) {
        return Lemma::Property(PropertyId::new(rng.below(system.properties.len())));
    }
    let mut lits = random_latch_lits(rng, system, 3);
    if lits.is_empty() && !rng.one_in(4) {
        lits.push(Lit::TRUE);
    }
    Lemma::Clause(Clause::new(lits))
}
