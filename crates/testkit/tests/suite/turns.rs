//! Properties in turn: one that is too hard does not keep an inductive engine from the others; and what a user's
//! lemmas are worth.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use buttress_driver::{Choice, Event, Follow, Lemmas};
use buttress_engine::{Engine, Episode};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Clause};
use buttress_testkit::Draft;
use buttress_testkit::drive::{choice, follow, problem};

/// Pairs of neighbours in a ring of bits flip together, so the number of ones stays even (property 0); as clauses
/// that takes one for every odd state. Property 1 is about two latches that are never set at once.
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

fn told(engine: &str) -> Choice {
    let follow = Follow { stories: true, ..Follow::default() };
    Choice { follow, ..choice(vec![Engine::by_name(engine).expect("a row of the table")]) }
}

/// Runs until the property is decided, at most a minute.
fn decides(system: &Arc<BitSystem>, choice: &Choice, wanted: usize) -> bool {
    let stop = Stop::new();
    let decided = Mutex::new(false);
    let late = stop.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(60));
        late.request(&Stopped::Time);
    });
    follow(&problem(system), choice, &stop, &|event| {
        if matches!(event, Event::Decided { claim, .. } if claim.index() == wanted) {
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
        assert!(decides(&system, &told(engine), 1), "{engine}");
    }
}

/// The steps of IC3 that are no query more than needed: how many states it had to exclude.
fn ctis(system: &Arc<BitSystem>, choice: &Choice) -> (usize, usize) {
    let (told, usable) = (Mutex::new(0), Mutex::new(0));
    follow(&problem(system), choice, &Stop::new(), &|event| match event {
        Event::Story { episode: Episode::Cti { .. }, .. } => *told.lock().expect("no holder panics") += 1,
        Event::Lemmas { usable: n, .. } => *usable.lock().expect("no holder panics") = n,
        Event::Rejected { why, .. } => panic!("{why}"),
        _ => {}
    });
    (told.into_inner().expect("no holder panics"), usable.into_inner().expect("no holder panics"))
}

/// A counter modulo 6 of three bits never shows 6 or 7; the clause that says so makes IC3's work superfluous. A
/// clause that is false, one that is not inductive and one about a latch that no property reads are left out.
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
    let (without, _) = ctis(&system, &told("ic3"));
    let below_six = Clause::new([!lit(1), !lit(2)]);
    let false_at_start = Clause::new([lit(0), lit(3)]);
    let not_inductive = Clause::new([!lit(2)]);
    let elsewhere = Clause::new([lit(3), !lit(3)]);
    let lemmas = vec![false_at_start, below_six, not_inductive, elsewhere];
    let lemmas = Lemmas::Clauses(lemmas);
    let (with, usable) = ctis(&system, &Choice { lemmas, ..told("ic3") });
    assert_eq!(usable, 1);
    assert!(without > 0 && with == 0, "{without} states to exclude without lemmas, {with} with them");
}
