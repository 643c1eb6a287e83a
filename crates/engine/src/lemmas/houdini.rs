//! The largest inductive part of a set of clauses (Flanagan & Leino, "Houdini, an annotation assistant for
//! ESC/Java", FME 2001).
//!
//! Two inductive sets of clauses are inductive together, so there is a largest one among those that hold at the
//! start: the greatest G with `G ∧ C ∧ T ⇒ G'`. It is what is left when, round by round, every clause goes that
//! some step from the clauses left violates. At most one query a clause and round; most sets need a few rounds.

use buttress_query::{Answer, From, Goal, Queried, Query, Reasoner, Relative, Step};
use buttress_solve::Stopped;
use buttress_system::{Clause, Lit, PropertyId};

/// The positions of the clauses in it, in order. `relative` has no levels but the resets yet.
pub fn largest_inductive(relative: &mut dyn Relative, clauses: &[Clause]) -> Result<Vec<usize>, Stopped> {
    let cubes: Vec<Vec<Lit>> = clauses.iter().map(|c| c.0.iter().map(|&l| !l).collect()).collect();
    let mut kept = Vec::new();
    for (position, cube) in cubes.iter().enumerate() {
        // R ∧ C ∧ ¬c
        if relative.check(&Step::In { level: 0, cube })? == Answer::Holds {
            kept.push(position);
        }
    }
    relative.push_level();
    inductive_part(relative, 1, &cubes, kept)
}

/// The largest inductive part of those kept, relative to what a fresh level supposes; the level then has it as its
/// lemmas.
pub(crate) fn inductive_part(
    relative: &mut dyn Relative,
    level: usize,
    cubes: &[Vec<Lit>],
    mut kept: Vec<usize>,
) -> Result<Vec<usize>, Stopped> {
    loop {
        relative.renew(level, &mut kept.iter().map(|&c| cubes[c].as_slice()));
        let mut left = Vec::new();
        for &position in &kept {
            // G ∧ C ∧ T ∧ ¬c'
            if relative.check(&Step::To { level, cube: &cubes[position] })? == Answer::Holds {
                left.push(position);
            }
        }
        if left.len() == kept.len() {
            return Ok(kept);
        }
        kept = left;
    }
}

/// The largest inductive subset of lemmas that are stated as properties of the system.
pub fn largest_stated<S: Queried>(
    reasoner: &mut dyn Reasoner<S>,
    lemmas: &[PropertyId],
) -> Result<Vec<PropertyId>, Stopped> {
    let mut kept = Vec::new();
    for &lemma in lemmas {
        // R ∧ C ∧ ¬c
        if reasoner.check(&Query::new(From::Init, 0, Goal::Bad(&[lemma])))? == Answer::Holds {
            kept.push(lemma);
        }
    }
    loop {
        let mut left = Vec::new();
        for &lemma in &kept {
            // G ∧ C ∧ T ∧ ¬c'
            let violated = [lemma];
            let step =
                Query { safe_before_last: &kept, ..Query::new(From::Anywhere, 1, Goal::Bad(&violated)) };
            if reasoner.check(&step)? == Answer::Holds {
                left.push(lemma);
            }
        }
        if left.len() == kept.len() {
            return Ok(kept);
        }
        kept = left;
    }
}
