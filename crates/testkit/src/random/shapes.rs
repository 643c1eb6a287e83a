//! Miniatures of common designs. Each shape brings a property that takes some steps to violate or some induction
//! to prove; which of the two is up to the dice.

use buttress_system::{Lit, Rng};

use super::{conjunction, literal, signal};
use crate::Draft;

type Shape = fn(&mut Rng) -> Draft;

/// As often as they are listed.
const SHAPES: [Shape; 14] = [
    counter,
    counter,
    modulo,
    modulo,
    shift_register,
    shift_register,
    ring,
    ring,
    twins,
    lock,
    lock,
    alarm,
    soup,
    soup,
];

pub fn any(rng: &mut Rng) -> Draft {
    SHAPES[rng.below(SHAPES.len())](rng)
}

/// Gates over anything: the odd cases, no inputs and no latches among them.
fn soup(rng: &mut Rng) -> Draft {
    let mut draft = Draft::new(rng.below(5), rng.below(7));
    for _ in 0..rng.below(25) {
        let (a, b) = (literal(rng, &draft), literal(rng, &draft));
        match rng.below(3) {
            0 => drop(draft.xor(a, b)),
            _ => drop(draft.and(a, b)),
        }
    }
    for latch in 0..draft.latches.len() {
        let next = signal(rng, &draft);
        draft.set_next(latch, next);
    }
    let size = 1 + rng.below(4);
    let bad = conjunction(rng, &mut draft, size);
    draft.bads.push(bad);
    draft
}

/// Counts up, perhaps only when enabled, and wraps; bad at some value.
fn counter(rng: &mut Rng) -> Draft {
    let (width, enabled) = (2 + rng.below(3), rng.one_in(2));
    let mut draft = Draft::new(usize::from(enabled) + rng.below(2), width);
    let word = draft.latch_lits();
    let increment = if enabled { draft.input(0) } else { Lit::TRUE };
    let sum = draft.plus(&word, increment);
    sum.iter().enumerate().for_each(|(b, &next)| draft.set_next(b, next));
    let start = rng.below(1 << width);
    draft.set_resets(0..width, start);
    let value = rng.below(1 << width);
    let bad = draft.equals(&word, value);
    draft.bads.push(bad);
    draft
}

/// Counts up to a limit and starts again; bad at a value within or beyond the limit.
fn modulo(rng: &mut Rng) -> Draft {
    let (width, inputs) = (2 + rng.below(3), rng.below(2));
    let mut draft = Draft::new(inputs, width);
    let word = draft.latch_lits();
    let limit = 1 + rng.below((1 << width) - 1);
    let full = draft.equals(&word, limit);
    let sum = draft.plus(&word, Lit::TRUE);
    for (b, &bit) in sum.iter().enumerate() {
        let next = draft.and(bit, !full);
        draft.set_next(b, next);
    }
    let value = rng.below(1 << width);
    let bad = draft.equals(&word, value);
    draft.bads.push(bad);
    draft
}

/// An input runs through; bad at a pattern, which a constraint on neighbours may exclude.
fn shift_register(rng: &mut Rng) -> Draft {
    let width = 2 + rng.below(5);
    let mut draft = Draft::new(1 + rng.below(2), width);
    draft.set_next(0, draft.input(0));
    (1..width).for_each(|l| draft.set_next(l, draft.latch(l - 1)));
    if rng.one_in(2) {
        // No two ones in a row.
        let pair = draft.and(draft.input(0), draft.latch(0));
        draft.constraints.push(!pair);
    }
    let pattern = rng.below(1 << width);
    let word = draft.latch_lits();
    let bad = draft.equals(&word, pattern);
    draft.bads.push(bad);
    draft
}

/// A token goes round, perhaps stalled; bad where two places have one, or none has.
fn ring(rng: &mut Rng) -> Draft {
    let (width, stalls) = (2 + rng.below(5), rng.one_in(2));
    let mut draft = Draft::new(usize::from(stalls) + rng.below(2), width);
    for place in 0..width {
        let (here, before) = (draft.latch(place), draft.latch((place + width - 1) % width));
        let next = if stalls { draft.choose(draft.input(0), here, before) } else { before };
        draft.set_next(place, next);
    }
    draft.set_resets(0..width, 1 << rng.below(width));
    let other = rng.below(width);
    let two = draft.and(draft.latch(other), draft.latch((other + 1) % width));
    let word = draft.latch_lits();
    let none = draft.equals(&word, 0);
    draft.bads.push(if rng.one_in(3) { none } else { two });
    draft
}

/// Two copies of the same machine; bad where they differ.
fn twins(rng: &mut Rng) -> Draft {
    let width = 1 + rng.below(3);
    let mut draft = Draft::new(1, 2 * width);
    for copy in 0..2 {
        let word: Vec<Lit> = (0..width).map(|b| draft.latch(copy * width + b)).collect();
        let sum = draft.plus(&word, draft.input(0));
        sum.iter().enumerate().for_each(|(b, &next)| draft.set_next(copy * width + b, next));
    }
    let bit = rng.below(width);
    let bad = draft.xor(draft.latch(bit), draft.latch(width + bit));
    draft.bads.push(bad);
    draft
}

/// Opens after the right sequence of inputs, a wrong one starts over; bad when open. Sometimes two steps of
/// the code contradict the constraint.
fn lock(rng: &mut Rng) -> Draft {
    let width = 2 + rng.below(2);
    let mut draft = Draft::new(2, width);
    let word = draft.latch_lits();
    let open = rng.below((1 << width) - 1) + 1;
    let code = rng.below(1 << open);
    let mut right = Lit::FALSE;
    for step in 0..open {
        let here = draft.equals(&word, step);
        let matching = draft.and(here, draft.input(0) ^ (code >> step & 1 == 0));
        right = draft.or(right, matching);
    }
    let sum = draft.plus(&word, Lit::TRUE);
    for (b, &bit) in sum.iter().enumerate() {
        let next = draft.and(bit, right);
        draft.set_next(b, next);
    }
    if rng.one_in(2) {
        let halfway = draft.equals(&word, open / 2);
        let stuck = draft.and(halfway, draft.input(0) ^ (code >> (open / 2) & 1 == 0));
        draft.constraints.push(!stuck);
    }
    let bad = draft.equals(&word, open);
    draft.bads.push(bad);
    draft
}

/// A timer with a flag that stays once set, if an input comes at the right time; bad: flag and timer.
fn alarm(rng: &mut Rng) -> Draft {
    let width = 2 + rng.below(2);
    let mut draft = Draft::new(1 + rng.below(3), width + 1);
    let word: Vec<Lit> = (0..width).map(|b| draft.latch(b)).collect();
    let sum = draft.plus(&word, Lit::TRUE);
    sum.iter().enumerate().for_each(|(b, &next)| draft.set_next(b, next));
    let (early, late) = (rng.below(1 << width), rng.below(1 << width));
    let moment = draft.equals(&word, early);
    let rings = draft.and(moment, draft.input(0));
    let flag = draft.or(draft.latch(width), rings);
    draft.set_next(width, flag);
    let moment = draft.equals(&word, late);
    let bad = draft.and(moment, draft.latch(width));
    draft.bads.push(bad);
    draft
}
