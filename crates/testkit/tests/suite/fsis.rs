//! FSIS that shares: what a run tells the others, what becomes of a user's lemmas, and what its baselines cost.

use std::sync::{Arc, Mutex};

use buttress_driver::{Choice, Event, Lemmas};
use buttress_engine::{
    Cursor, Desk, Down, Engine, Episode, Fsis, Implicate, Job, News, Progress, Run, Settings, Told,
};
use buttress_query::Levels;
use buttress_solve::{Cdcl, Stop};
use buttress_system::{BitSystem, Clause, LatchId, Lemma, Lit, Proof, PropertyId, Verdict};
use buttress_testkit::drive::{choice, follow, problem};
use buttress_testkit::reference::Explicit;
use buttress_testkit::{Draft, random};

/// A desk that writes down what it is told, in the batches in which it is told, and the queries asked.
#[derive(Default)]
pub struct Listener {
    /// The clauses that it has for its readers.
    known: Vec<Clause>,
    batches: Mutex<Vec<Vec<Vec<Lit>>>>,
    pub verdict: Mutex<Option<Verdict>>,
    queries: Mutex<u64>,
    /// Rounds in which a goal was open and something was told.
    told_with_goals: Mutex<usize>,
    depth: Mutex<usize>,
}

impl Listener {
    pub fn knowing(known: Vec<Clause>) -> Listener {
        Listener { known, ..Listener::default() }
    }
}

impl Desk for Listener {
    fn decide(&self, _: PropertyId, verdict: Verdict) {
        *self.verdict.lock().unwrap() = Some(verdict);
    }

    fn strengthen(&self, _: Proof) -> bool {
        false
    }

    fn suggest(&self, _: Proof) {}

    fn holds_up_to(&self, _: PropertyId, _: usize) {}

    fn is_decided(&self, _: PropertyId) -> bool {
        false
    }

    fn read(&self, _: &mut Cursor) -> Vec<News> {
        self.known.iter().cloned().map(Lemma::Clause).map(News::Lemma).collect()
    }

    fn exchange(&self, _: PropertyId, own: Vec<Told>, _: &mut Cursor) -> Vec<Told> {
        let excluded: Vec<Vec<Lit>> = own.iter().map(|told| told.cube().to_vec()).collect();
        if !excluded.is_empty() {
            *self.told_with_goals.lock().unwrap() += usize::from(*self.depth.lock().unwrap() > 0);
            self.batches.lock().unwrap().push(excluded);
        }
        Vec::new()
    }

    fn progress(&self, progress: Progress) {
        *self.queries.lock().unwrap() = progress.queries;
        *self.depth.lock().unwrap() = progress.depth;
    }

    fn explaining(&self) -> bool {
        false
    }

    fn tell(&self, _: PropertyId, _: Episode) {}

    fn leave(&self, _: PropertyId, _: &mut dyn Iterator<Item = &[Lit]>) {}
}

/// FSIS on one property of a system, alone, as if there were others.
fn listen(system: &Arc<BitSystem>, property: PropertyId, fsis: Fsis) -> Listener {
    let desk = Listener::default();
    decide(engine("fsis"), system, property, fsis, &desk);
    desk
}

/// An engine that asks about single steps, on one property.
pub fn decide(engine: &Engine, system: &Arc<BitSystem>, property: PropertyId, fsis: Fsis, desk: &Listener) {
    let stop = Stop::new();
    let job = Job {
        system: system.as_ref(),
        properties: vec![property],
        settings: Settings { fsis, ..Settings::default() },
        distinct: false,
        seed: 0,
        shares: true,
        desk,
        stop: &stop,
    };
    let Some(Run::Inductive(run)) = engine.bits else { unreachable!("it asks about single steps") };
    let make = || Cdcl::new(&stop);
    run(&mut || Box::new(Levels::new(system.clone(), make)), &job).expect("nobody asked for a stop");
}

pub fn engine(name: &str) -> &'static Engine {
    Engine::by_name(name).expect("a row of the table")
}

/// Whether what was told holds at the start, and every step from an allowed point that has it and does not violate
/// the property keeps it.
fn inductive_relative_to(explicit: &Explicit, property: PropertyId, told: &[Vec<Lit>]) -> bool {
    let excluded = told.iter().map(|cube| explicit.cube(cube));
    let excluded: Vec<_> = excluded.collect();
    let outside = |p: usize| excluded.iter().all(|cube| !cube.contains(p));
    let starts = explicit.layer(0).is_none_or(|layer| layer.iter().all(outside));
    let sources = explicit.allowed.minus(explicit.bad(property));
    let kept = |p: usize| outside(explicit.points_of(explicit.next(p)).start);
    starts && sources.iter().filter(|&p| outside(p)).all(kept)
}

/// Whatever was told up to any moment is inductive relative to the property: no clause rests on a subgoal that is
/// still open, or may turn out to be reachable. Falsified properties count most: their subgoals are reachable.
#[test]
fn a_conditional_clause_is_not_told() {
    let (mut batches, mut with_goals, mut falsified) = (0, 0, 0);
    for seed in 0..1500 {
        let system = Arc::new(random::system(seed));
        let explicit = Explicit::new(&system);
        for property in system.property_ids() {
            let desk = listen(&system, property, Fsis::default());
            let mut told: Vec<Vec<Lit>> = Vec::new();
            for batch in desk.batches.into_inner().unwrap() {
                told.extend(batch);
                batches += 1;
                assert!(inductive_relative_to(&explicit, property, &told), "seed {seed}: {told:?}");
            }
            with_goals += desk.told_with_goals.into_inner().unwrap();
            falsified += usize::from(matches!(desk.verdict.into_inner().unwrap(), Some(Verdict::Unsafe(_))));
        }
    }
    assert!(batches > 300 && with_goals > 30 && falsified > 300, "{batches} {with_goals} {falsified}");
}

/// A counter modulo 6 of three bits, and a bit beside it: it never shows 7.
fn counter() -> BitSystem {
    let mut draft = Draft::new(0, 3);
    let word: Vec<_> = (0..3).map(|l| draft.latch(l)).collect();
    let last = draft.equals(&word, 5);
    for (bit, sum) in draft.plus(&word, Lit::TRUE).into_iter().enumerate() {
        let next = draft.and(sum, !last);
        draft.set_next(bit, next);
    }
    draft.bads = vec![draft.equals(&word, 7)];
    draft.build()
}

/// A user's lemmas are hypotheses of every thread: with the one that says all, no clause is left to find.
#[test]
fn every_thread_of_fsis_has_the_lemmas() {
    let system = Arc::new(counter());
    let lit = |l: usize| system.latch_lit(LatchId::new(l));
    let sizes = |lemmas: Vec<Clause>, jobs: usize| {
        let lemmas = Lemmas::Clauses(lemmas);
        let choice = Choice { jobs, lemmas, ..choice(vec![engine("fsis")]) };
        let (largest, decided) = (Mutex::new(0), Mutex::new(0));
        follow(&problem(&system), &choice, &Stop::new(), &|event| match event {
            Event::Progress { progress, .. } => {
                let mut largest = largest.lock().unwrap();
                *largest = progress.size.max(*largest);
            }
            Event::Decided { .. } => *decided.lock().unwrap() += 1,
            Event::Rejected { why, .. } => panic!("{why}"),
            _ => {}
        });
        assert_eq!(decided.into_inner().unwrap(), 1);
        largest.into_inner().unwrap()
    };
    for jobs in [1, 3] {
        assert!(sizes(Vec::new(), jobs) > 0, "without lemmas there is something to find");
        assert_eq!(sizes(vec![Clause::new([!lit(1), !lit(2)])], jobs), 0);
    }
}

/// The baselines ask more often, on all systems together: the naive fixpoint than LIC, one element after the other
/// than by halves, and by halves alone than with cores.
#[test]
fn baselines_take_more_queries() {
    let queries = |fsis: Fsis| -> u64 {
        let systems = (0..60).map(|seed| Arc::new(shift_register(6 + seed % 12)));
        systems.map(|s| listen(&s, PropertyId::new(0), fsis).queries.into_inner().unwrap()).sum()
    };
    let plain = Fsis::default();
    let by = |implicate| queries(Fsis { implicate, ..plain });
    let (linear, optimal, cores) = (by(Implicate::Linear), by(Implicate::Optimal), by(Implicate::WithCores));
    let naive = queries(Fsis { down: Down::Naive, ..plain });
    let relative = queries(plain);
    println!("{relative} as it is, {naive} naive; {linear} {optimal} {cores}");
    // In debug builds the naive way asks LIC, too, to compare.
    assert!(naive > 2 * relative);
    assert!(linear > optimal && optimal >= cores);
}

/// One bit travels through n latches, or none does; never two at once in the first half.
fn shift_register(n: usize) -> BitSystem {
    let mut draft = Draft::new(1, n);
    draft.set_resets(0..n, 1);
    for l in 0..n {
        let from = draft.latch((l + n - 1) % n);
        let next = draft.choose(draft.input(0), from, draft.latch(l));
        draft.set_next(l, next);
    }
    let none: Vec<Lit> = (1..n / 2)
        .map(|l| {
            let (a, b) = (draft.latch(0), draft.latch(l));
            !draft.and(a, b)
        })
        .collect();
    let none = draft.all(&none);
    draft.bads = vec![!none];
    draft.build()
}
