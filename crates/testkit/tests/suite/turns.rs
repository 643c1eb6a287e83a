//! Properties in turn: one that is too hard does not keep an inductive engine from the others; and what a user's
//! lemmas are worth.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use buttress_driver::{Choice, Event, Follow, Lemmas};
use buttress_engine::{Engine, Episode};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Clause, Verdict};
use buttress_testkit::Draft;
use buttress_testkit::drive::{choice, follow, problem};
use buttress_testkit::faults::{Lie, claims};

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

/// A ring of so many bits in which pairs of neighbours flip together, until a counter says to flip one alone: then
/// the number of ones is odd (property 0). Property 1 is about the counter alone.
fn hard_to_refute(bits: usize, alone_at: usize, counted_to: usize) -> BitSystem {
    const COUNTER: usize = 6;
    let mut draft = Draft::new(bits, bits + COUNTER);
    let count: Vec<_> = (bits..bits + COUNTER).map(|l| draft.latch(l)).collect();
    let alone = draft.equals(&count, alone_at);
    for bit in 0..bits {
        let flips = draft.xor(draft.input(bit), draft.input((bit + 1) % bits));
        let flips = if bit == 0 { draft.xor(flips, alone) } else { flips };
        let next = draft.xor(draft.latch(bit), flips);
        draft.set_next(bit, next);
    }
    for (bit, sum) in draft.plus(&count, buttress_system::Lit::TRUE).into_iter().enumerate() {
        draft.set_next(bits + bit, sum);
    }
    let odd = (1..bits).fold(draft.latch(0), |odd, bit| {
        let bit = draft.latch(bit);
        draft.xor(odd, bit)
    });
    draft.bads = vec![odd, draft.equals(&count, counted_to)];
    draft.build()
}

/// Parity is beyond resolution: BMC does not come to step 2 with the first property.
#[test]
fn a_hard_property_does_not_keep_bmc_from_the_next() {
    let system = Arc::new(hard_to_refute(40, 63, 30));
    assert!(decides(&system, &told("bmc"), 1));
}

/// A property that takes more conflicts than are granted at first has its turn again.
#[test]
fn bmc_comes_back_to_what_it_put_off() {
    let system = Arc::new(hard_to_refute(9, 5, 40));
    assert!(decides(&system, &told("bmc"), 0));
}

/// A property that is put off at the start, and is violated only after it has caught up with the others.
#[test]
fn what_bmc_put_off_is_in_front_again() {
    let mut draft = Draft::new(0, 4);
    let count: Vec<_> = (0..4).map(|l| draft.latch(l)).collect();
    for (bit, sum) in draft.plus(&count, buttress_system::Lit::TRUE).into_iter().enumerate() {
        draft.set_next(bit, sum);
    }
    draft.bads = vec![draft.equals(&count, 9), draft.equals(&count, 3)];
    let system = Arc::new(draft.build());
    let bmc = Engine::by_name("bmc").expect("a row of the table");
    let claims = claims(bmc, &system, Lie::FirstIsHard(4_000));
    let order: Vec<usize> = claims.iter().map(|(p, _)| p.index()).collect();
    assert_eq!(order, [1, 0]);
    assert!(claims.iter().all(|(_, verdict)| matches!(verdict, Verdict::Unsafe(_))), "{claims:?}");
}

/// Many that are not decided at once, so that the first round ends early; and after them one that is.
#[test]
fn what_the_first_round_skips_has_its_turn() {
    let mut draft = Draft::new(0, 12);
    let word: Vec<_> = (0..12).map(|l| draft.latch(l)).collect();
    let last = draft.equals(&word, 700);
    for (bit, sum) in draft.plus(&word, buttress_system::Lit::TRUE).into_iter().enumerate() {
        let next = draft.and(sum, !last);
        draft.set_next(bit, next);
    }
    draft.bads = (0..40).map(|n| draft.equals(&word, 300 + n)).collect();
    let far = draft.equals(&word, 1000);
    draft.bads.push(far);
    let system = Arc::new(draft.build());
    assert!(decides(&system, &told("ic3"), 40));
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

/// Tokens go round in two rings at once; what IC3 learns of them depends on where it begins.
#[test]
fn seeds_lead_ic3_different_ways() {
    const PLACES: usize = 6;
    let mut draft = Draft::new(1, 2 * PLACES);
    for ring in [0, PLACES] {
        for place in 0..PLACES {
            let before = draft.latch(ring + (place + PLACES - 1) % PLACES);
            let moves = draft.and(draft.input(0), before);
            let stays = draft.and(!draft.input(0), draft.latch(ring + place));
            let next = !draft.and(!moves, !stays);
            draft.set_next(ring + place, next);
        }
        draft.set_resets(ring..ring + PLACES, 1);
    }
    let apart = draft.and(draft.latch(1), draft.latch(PLACES + 3));
    draft.bads = vec![apart];
    let system = Arc::new(draft.build());
    let of = |seed| ctis(&system, &Choice { seed, ..told("ic3") }).0;
    let (first, again): (Vec<usize>, Vec<usize>) = ((0..8).map(of).collect(), (0..8).map(of).collect());
    assert_eq!(first, again, "a seed leads the same way each time");
    assert!(first.iter().any(|&ctis| ctis != first[0]), "{first:?}");
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
