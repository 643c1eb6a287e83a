//! Properties in turn: one that is too hard does not keep an inductive engine from the others; and what a user's
//! lemmas are worth.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use buttress::driver::{self, Event, Follow, Task};
use buttress_engine::{Diagrams, Engine, Fsis, Ic3, Walk};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Clause, PropertyId};
use buttress_testkit::Draft;

/// Pairs of neighbours in a ring of bits flip together, so the number of ones stays even (property 0); as clauses that
/// takes one for every odd state. Property 1 is about two latches that are never set at once.
fn hard_before_easy() -> BitSystem {
    const BITS: usize = 24;
    let mut draft = Draft::new(BITS, BITS + 2);
    for bit in 0..BITS {
        let flips = draft.xor(draft.input(bit), draft.input((bit + 1) % BITS));
        let next = draft.xor(draft.latch(bit), flips);
        draft.set_next(bit, next);
    }
    let (green, red) = (draft.latch(BITS), draft.latch(BITS + 1));
    draft.set_next(BITS, draft.input(0));
    draft.set_next(BITS + 1, !draft.input(0));
    let odd = (1..BITS).fold(draft.latch(0), |odd, bit| {
        let bit = draft.latch(bit);
        draft.xor(odd, bit)
    });
    let both = draft.and(green, red);
    draft.bads = vec![odd, both];
    draft.build()
}

fn task(system: &Arc<BitSystem>, engine: &str) -> Task {
    Task {
        source: None,
        system: system.clone(),
        words: None,
        integers: None,
        properties: system.property_ids().collect(),
        engines: vec![Engine::by_name(engine).expect("a row of the table")],
        bound: usize::MAX,
        ic3: Ic3::default(),
        fsis: Fsis::default(),
        diagrams: Diagrams::default(),
        distinct: true,
        seed: 0,
        jobs: 1,
        lemmas: Vec::new(),
        follow: Follow { walks: true, ..Follow::default() },
    }
}

/// Runs until the property is decided, at most a minute.
fn decides(task: &Task, wanted: PropertyId) -> bool {
    let stop = Stop::new();
    let decided = Mutex::new(false);
    let late = stop.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(60));
        late.request(&Stopped::Time);
    });
    driver::run(task, &stop, &|event| {
        if matches!(event, Event::Decided { property, .. } if property == wanted) {
            *decided.lock().expect("no holder panics") = true;
            stop.request(&Stopped::Cancelled);
        }
    });
    decided.into_inner().expect("no holder panics")
}

#[test]
fn a_hard_property_does_not_starve_the_next() {
    let system = Arc::new(hard_before_easy());
    for engine in ["ic3", "fsis"] {
        assert!(decides(&task(&system, engine), PropertyId::new(1)), "{engine}");
    }
}

/// The steps of IC3 that are no query more than needed: how many states it had to exclude.
fn ctis(task: &Task) -> (usize, usize) {
    let (told, usable) = (Mutex::new(0), Mutex::new(0));
    driver::run(task, &Stop::new(), &|event| match event {
        Event::Walk { walk: Walk::Cti { .. }, .. } => *told.lock().expect("no holder panics") += 1,
        Event::Lemmas { usable: n, .. } => *usable.lock().expect("no holder panics") = n,
        Event::Rejected { why, .. } => panic!("{why}"),
        _ => {}
    });
    (told.into_inner().expect("no holder panics"), usable.into_inner().expect("no holder panics"))
}

/// A counter modulo 6 of three bits never shows 6 or 7; the clause that says so makes IC3's work superfluous. A clause
/// that is false, one that is not inductive and one about a latch that no property reads are left out.
#[test]
fn lemmas_that_hold_are_used_and_others_are_not() {
    let mut draft = Draft::new(0, 4);
    let word: Vec<_> = (0..3).map(|l| draft.latch(l)).collect();
    let last = draft.equals(&word, 5);
    for (bit, sum) in draft.plus(&word, buttress_system::Lit::TRUE).into_iter().enumerate() {
        let next = draft.and(sum, !last);
        draft.set_next(bit, next);
    }
    draft.set_next(3, !draft.latch(3));
    draft.bads = vec![draft.equals(&word, 7)];
    let system = Arc::new(draft.build());
    let lit = |l: usize| system.latch_lit(buttress_system::LatchId::new(l));
    let plain = task(&system, "ic3");
    let (without, _) = ctis(&plain);
    let below_six = Clause::new([!lit(1), !lit(2)]);
    let false_at_start = Clause::new([lit(0), lit(3)]);
    let not_inductive = Clause::new([!lit(2)]);
    let elsewhere = Clause::new([lit(3), !lit(3)]);
    let lemmas = vec![false_at_start, below_six, not_inductive, elsewhere];
    let (with, usable) = ctis(&Task { lemmas, ..task(&system, "ic3") });
    assert_eq!(usable, 1);
    assert!(without > 0 && with == 0, "{without} states to exclude without lemmas, {with} with them");
}
