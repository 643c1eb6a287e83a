//! Disturbances: what makes a clean shape a test.

use buttress_system::{Lit, Rng};

use super::{conjunction, literal, signal};
use crate::Draft;

const PROPERTIES: usize = 4;

pub fn disturb(rng: &mut Rng, draft: &mut Draft) {
    let rewired = [0, 0, 0, 1, 1, 2, 3][rng.below(7)];
    (0..rewired).for_each(|_| rewire(rng, draft));
    if rng.one_in(3) {
        (0..draft.latches.len()).for_each(|latch| reset(rng, draft, latch));
    }
    if rng.one_in(4) {
        constrain(rng, draft);
    }
    let more = [0, 0, 1, 1, 2, 3][rng.below(6)];
    for _ in 0..more.min(PROPERTIES - draft.bads.len()) {
        let bad = bad(rng, draft);
        draft.bads.push(bad);
    }
    // The interesting one is not always the first.
    let at = rng.below(draft.bads.len());
    draft.bads.swap(0, at);
}

/// Changes one gate, next state or reset.
pub fn rewire(rng: &mut Rng, draft: &mut Draft) {
    let (gates, latches) = (draft.gates.len(), draft.latches.len());
    match rng.below(5) {
        0 | 1 if gates > 0 => {
            let (gate, side) = (rng.below(gates), rng.below(2));
            draft.gates[gate][side] = !draft.gates[gate][side];
        }
        2 if gates > 0 => {
            let (gate, side) = (rng.below(gates), rng.below(2));
            let below = 2 * (draft.first_gate() + gate);
            draft.gates[gate][side] = Lit::from_code(rng.below(below) as u32);
        }
        3 if latches > 0 => {
            let next = signal(rng, draft);
            draft.set_next(rng.below(latches), next);
        }
        _ if latches > 0 => {
            let latch = &mut draft.latches[rng.below(latches)];
            latch.next = !latch.next;
        }
        _ => {}
    }
}

/// Keeps the reset, or makes it constant, free or any function that leaves the resets stratified.
fn reset(rng: &mut Rng, draft: &mut Draft, latch: usize) {
    let before = draft.latches[latch].reset;
    draft.latches[latch].reset = match rng.below(8) {
        0 | 1 => before,
        2 => Lit::FALSE,
        3 => Lit::TRUE,
        4 | 5 => draft.latch(latch),
        6 if !draft.latches.is_empty() => draft.latch(rng.below(draft.latches.len())) ^ rng.one_in(2),
        _ => literal(rng, draft),
    };
    if !draft.is_stratified() {
        draft.latches[latch].reset = before;
    }
}

/// One or two constraints: mild, strong, contradictory at once or after some steps.
fn constrain(rng: &mut Rng, draft: &mut Draft) {
    for _ in 0..1 + rng.below(2) {
        let constraint = match rng.below(24) {
            0 => literal(rng, draft),
            1 => Lit::FALSE,
            2 | 3 => signal(rng, draft),
            // Excludes a few states; a counter runs into them.
            4..=11 => {
                let size = 2 + rng.below(3);
                !conjunction(rng, draft, size)
            }
            _ => !conjunction(rng, draft, 2),
        };
        draft.constraints.push(constraint);
    }
    if rng.one_in(8) {
        let last = draft.constraints[draft.constraints.len() - 1];
        draft.constraints.push(!last);
    }
}

/// One more property: over a few signals, an old one made weaker or stronger, or a constant.
fn bad(rng: &mut Rng, draft: &mut Draft) -> Lit {
    let other = draft.bads[rng.below(draft.bads.len())];
    match rng.below(12) {
        0 => Lit::constant(rng.one_in(2)),
        1 => !other,
        2 => other,
        3 => signal(rng, draft),
        4 | 5 => {
            let more = signal(rng, draft);
            draft.and(other, more)
        }
        6 => {
            let more = conjunction(rng, draft, 3);
            draft.or(other, more)
        }
        // A state, or nearly one.
        _ => {
            let value = rng.below(1 << draft.latches.len());
            let word = draft.latch_lits();
            draft.equals(&word, value)
        }
    }
}
