//! Small random systems by seed: at most 4 inputs, 6 latches, 4 properties, so that all states can be listed.
//!
//! A system starts as a *shape* (a counter, a shift register, a ring, …: see [`shapes`]), whose properties
//! are interesting by construction, and is then *disturbed*: gates are rewired, resets become free or
//! functions, constraints and further properties are added. Pure soup decides itself at step 0 and finds
//! little; shapes alone never meet the odd cases. Most of what is dull all the same (violated at once, or
//! inductive as it stands) is drawn again. `tests/suite/fuzz.rs` keeps the mixture balanced.

pub mod btor2;
mod disturb;
mod shapes;
pub mod words;

use buttress_system::{BitSystem, Lit, Proof, PropertyId, Rng};

use crate::Draft;
use crate::reference::Explicit;

/// The system of this seed.
pub fn system(seed: u64) -> BitSystem {
    draft(&mut Rng::new(seed)).build()
}

pub fn draft(rng: &mut Rng) -> Draft {
    loop {
        let mut draft = shapes::any(rng);
        disturb::disturb(rng, &mut draft);
        if !is_dull(&draft) || rng.one_in(4) {
            return draft;
        }
    }
}

/// Every property is violated at once, or nearly, or inductive by itself.
fn is_dull(draft: &Draft) -> bool {
    let system = draft.build();
    let explicit = Explicit::new(&system);
    let truth = explicit.truth();
    let dull = |p: PropertyId| match truth.violated[p.index()] {
        Some(step) => step <= 1,
        None => explicit.is_inductive(&Proof::inductive(p, Vec::new())),
    };
    system.property_ids().all(dull)
}

/// Any literal, the constants included.
pub fn literal(rng: &mut Rng, draft: &Draft) -> Lit {
    Lit::from_code(rng.below(2 * draft.num_vars()) as u32)
}

/// A literal of an input, latch or gate, where there is one.
pub fn signal(rng: &mut Rng, draft: &Draft) -> Lit {
    match draft.num_vars() {
        1 => literal(rng, draft),
        vars => Lit::from_code(2 + rng.below(2 * (vars - 1)) as u32),
    }
}

/// A conjunction of so many signals.
pub fn conjunction(rng: &mut Rng, draft: &mut Draft, size: usize) -> Lit {
    let lits: Vec<Lit> = (0..size).map(|_| signal(rng, draft)).collect();
    draft.all(&lits)
}
