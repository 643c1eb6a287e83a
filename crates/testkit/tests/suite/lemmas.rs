//! Lemmas: the largest inductive set of clauses against all subsets, hints that do not mislead, and
//! how many queries a property by itself takes.

use std::sync::Arc;

use buttress_driver::{Choice, Ended, Event, Follow, Lemmas};
use buttress_engine::{Fsis, Incremental, Settings, incremental, largest_inductive};
use buttress_query::{Answer, Bits, Levels, Path, Query, QueryCore, Reasoner, Relative};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::{BitSystem, Clause, LatchId, Lemma, Proof, Rng, Verdict};
use buttress_testkit::drive::{choice, drive, engines_on_bits, problem};
use buttress_testkit::random;
use buttress_testkit::reference::{Explicit, Points};

use crate::fsis::{Listener, decide, engine};

fn levels(system: &Arc<BitSystem>) -> Levels<Cdcl> {
    Levels::new(system.clone(), || Cdcl::new(&Stop::new()))
}

fn clause(rng: &mut Rng, system: &BitSystem) -> Clause {
    let size = 1 + rng.below(3);
    let lit = |_| system.latch_lit(LatchId::new(rng.below(system.num_latches()))) ^ (rng.below(2) == 1);
    Clause::new((0..size).map(lit))
}

/// Whether these clauses hold at the start and every step keeps them.
fn inductive(explicit: &Explicit, clauses: &[&Clause]) -> bool {
    let all = |points: Points| clauses.iter().fold(points, |points, c| points.and(&explicit.clause(c)));
    let starts = explicit.layer(0).expect("the first layer").clone();
    let kept = |p: usize| {
        let next = explicit.points_of(explicit.next(p)).start;
        clauses.iter().all(|c| explicit.clause(c).contains(next))
    };
    starts.minus(&all(starts.clone())).is_empty() && all(explicit.allowed.clone()).iter().all(kept)
}

/// Inductive sets are inductive together, so the largest is the union of all.
#[test]
fn the_largest_inductive_set_is_the_union_of_all() {
    const CLAUSES: usize = 6;
    let (mut kept_some, mut dropped_some) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let system = Arc::new(random::system(seed));
        if system.num_latches() == 0 {
            continue;
        }
        let explicit = Explicit::new(&system);
        let clauses: Vec<Clause> = (0..CLAUSES).map(|_| clause(&mut rng, &system)).collect();
        let subset = |mask: usize| (0..CLAUSES).filter(move |c| mask >> c & 1 == 1);
        let is_inductive =
            |mask: &usize| inductive(&explicit, &subset(*mask).map(|c| &clauses[c]).collect::<Vec<_>>());
        let union = (0..1 << CLAUSES).filter(is_inductive).fold(0, |union, mask| union | mask);
        let kept = largest_inductive(&mut levels(&system), &clauses).expect("nobody asked for a stop");
        assert_eq!(kept, subset(union).collect::<Vec<_>>(), "seed {seed}: {clauses:?}");
        kept_some += usize::from(!kept.is_empty());
        dropped_some += usize::from(kept.len() < CLAUSES);
    }
    assert!(kept_some > 100 && dropped_some > 100, "{kept_some} kept some, {dropped_some} dropped some");
}

/// Hints of all kinds, most of them wrong: every engine still decides right, and nothing it hands in is rejected.
#[test]
fn hints_never_mislead() {
    let (mut decided, mut used) = (0, 0);
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let system = Arc::new(random::system(seed));
        let truth = Explicit::new(&system).truth();
        let hints = if system.num_latches() == 0 { 0 } else { 8 };
        let engines = engines_on_bits();
        let choice = Choice {
            settings: Settings { bound: 70, ..Settings::default() },
            seed,
            lemmas: Lemmas::Clauses((0..hints).map(|_| clause(&mut rng, &system)).collect()),
            follow: Follow { step_failures: true, stories: true, clauses: true },
            ..choice(vec![engines[seed as usize % engines.len()]])
        };
        for event in drive(&problem(&system), &choice, None).0 {
            match event {
                Event::Decided { claim, accepted, .. } => {
                    let violated = !accepted.is_proof();
                    assert_eq!(violated, truth.violated[claim.index()].is_some(), "seed {seed}");
                    decided += 1;
                }
                Event::Rejected { why, .. } | Event::Fault(why) => panic!("seed {seed}: {why}"),
                Event::Ended { how: Ended::Panicked(why), .. } => panic!("seed {seed}: {why}"),
                Event::Lemmas { usable, .. } => used += usable,
                _ => {}
            }
        }
    }
    assert!(decided > 150 && used > 50, "{decided} decided, {used} hints used");
}

/// IC3 may rest on invariants that it reads: with them the proof holds, and often not without. Verdicts stay
/// right.
#[test]
fn ic3_rests_on_invariants_that_it_reads() {
    let (mut proved, mut rests) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let system = Arc::new(random::system(seed));
        if system.num_latches() == 0 {
            continue;
        }
        let explicit = Explicit::new(&system);
        let clauses: Vec<Clause> = (0..24).map(|_| clause(&mut rng, &system)).collect();
        let kept = largest_inductive(&mut levels(&system), &clauses).expect("nobody asked for a stop");
        let known: Vec<Clause> = kept.into_iter().map(|c| clauses[c].clone()).collect();
        for property in system.property_ids() {
            let desk = Listener::knowing(known.clone());
            decide(engine("ic3"), &system, property, Fsis::default(), &desk);
            match desk.verdict.into_inner().expect("no holder panics") {
                Some(Verdict::Safe(proof)) => {
                    let invariant =
                        Proof { invariant: known.clone(), ..Proof::inductive(property, Vec::new()) };
                    proved += 1;
                    rests += usize::from(!explicit.is_inductive(&proof));
                    assert!(explicit.is_inductive(&proof.and(&invariant)), "seed {seed}: {known:?}");
                }
                Some(Verdict::Unsafe(trace)) => assert!(explicit.is_violation(&trace), "seed {seed}"),
                _ => {}
            }
        }
    }
    assert!(proved > 100 && rests > 10, "{rests} of {proved} proofs rest on what was read");
}

/// Counts what it is asked.
struct Counting<R> {
    inner: R,
    queries: usize,
}

impl<R: Reasoner> Reasoner for Counting<R> {
    fn learn(&mut self, lemma: &Lemma) {
        self.inner.learn(lemma);
    }

    fn check(&mut self, query: &Query<'_>) -> Result<Answer, Stopped> {
        self.queries += 1;
        self.inner.check(query)
    }

    fn path(&mut self) -> Path {
        self.inner.path()
    }

    fn core(&mut self) -> QueryCore {
        self.inner.core()
    }

    fn clauses(&self) -> u64 {
        self.inner.clauses()
    }
}

/// Initiation, then consecution: two queries where the first holds, one where it does not.
#[test]
fn inductive_verification_takes_two_queries() {
    let (stop, mut seen) = (Stop::new(), [0; 3]);
    for seed in 0..200 {
        let system = Arc::new(random::system(seed));
        let weights = vec![0.0; system.num_latches()];
        for property in system.property_ids() {
            let inner = Bits::new(system.clone(), || Cadical::new(&stop, 0), &stop);
            let (mut reasoner, mut relative) = (Counting { inner, queries: 0 }, levels(&system));
            let outcome = incremental(&mut relative, &mut reasoner, property, &[], &weights);
            let (kind, expected) = match outcome.expect("nobody asked for a stop") {
                Incremental::Violated(_) => (0, 1),
                Incremental::Property { .. } => (1, 2),
                Incremental::Proved(_) => (2, 2),
                Incremental::Lemma { .. } => panic!("there are no lemmas"),
            };
            seen[kind] += 1;
            assert_eq!((reasoner.queries, relative.queries()), (expected, 0), "seed {seed}");
        }
    }
    assert!(seen.iter().all(|&n| n > 10), "{seen:?}");
}
