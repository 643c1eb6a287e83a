//! k-liveness (Claessen & Sörensson, "A liveness checking algorithm that counts", FMCAD 2012).
//!
//! A justice property whose signals are all met at most k times, on any execution, is not violated: an execution
//! that violates it meets them again and again. For k = 0, 1, 2, … IC3 is asked whether a monitor that counts
//! these visits (`buttress_system::live`) ever comes to the next one:
//!
//! * it does not: the invariant is a proof of liveness;
//! * it does: nothing is known, and the next k is tried.
//!
//! The counter is a row of latches, `count(n)` for "at least n visits", so that from k to k+1 only a latch is
//! added. What is inductive by itself among the lemmas of one round, of whatever level, is known to the next, and
//! is a part of its proof. (The paper keeps all frames. They stand on the weaker property then, and a frame that
//! does not follow from the one before it would make a proof that no check accepts.)
//!
//! Limits: it never finds a violation; where there is one, k grows for ever, and another engine says so. Neither
//! stabilising constraints nor ternary simulation make it easier: `fair` splits by signals that become stable,
//! among all other walls.

use buttress_query::{FOREVER, Relative};
use buttress_solve::Stopped;
use buttress_system::{Clause, Lit, Verdict};

use crate::ic3::{Searched, search};
use crate::lemmas::largest_inductive;
use crate::{FreshLevels, Job};

/// One round: levels of the system that counts up to k, the job about its property, and cubes that earlier rounds
/// excluded. The cubes that this one excluded.
pub type Round<'a> =
    dyn FnMut(&mut FreshLevels<'_>, &Job<'_>, &[Vec<Lit>]) -> Result<Vec<Vec<Lit>>, Stopped> + 'a;

/// Plays a round with this k; `Err(Stopped::Budget)` where no further round is granted.
pub type Rounds<'a> = dyn FnMut(u32, &mut Round<'_>) -> Result<(), Stopped> + 'a;

/// Counts from `k` on, until the justice property is proved or somebody else decided it.
pub(crate) fn k_liveness(rounds: &mut Rounds<'_>, mut k: u32) -> Result<(), Stopped> {
    loop {
        let mut visited = false;
        rounds(k, &mut |fresh, job, before| {
            let (met, cubes) = at_most(fresh, job, before)?;
            visited = met;
            Ok(cubes)
        })?;
        if !visited {
            return Ok(());
        }
        k += 1;
    }
}

/// Whether there may be more visits, and the cubes that were excluded.
fn at_most(
    fresh: &mut FreshLevels<'_>,
    job: &Job<'_>,
    before: &[Vec<Lit>],
) -> Result<(bool, Vec<Vec<Lit>>), Stopped> {
    let [property] = job.properties[..] else { unreachable!("a round is about one property") };
    if job.resets_read_inputs() {
        job.give_up(property, "resets read inputs");
        return Ok((false, Vec::new()));
    }
    let known = inductive(fresh().as_mut(), before)?;
    let mut levels = fresh();
    known.iter().for_each(|clause| levels.learn(FOREVER, &(!clause).0));
    let Searched { verdict, excluded } = search(levels.as_mut(), job, property)?;
    let visited = match verdict {
        Some(Verdict::Unsafe(_)) => true,
        Some(Verdict::Safe(mut proof)) => {
            proof.invariant.extend(known);
            job.desk.decide(property, Verdict::Safe(proof));
            false
        }
        Some(unknown) => {
            job.desk.decide(property, unknown);
            false
        }
        None => false,
    };
    Ok((visited, excluded))
}

/// Of the clauses that exclude these cubes, those that are inductive together.
fn inductive(relative: &mut dyn Relative, cubes: &[Vec<Lit>]) -> Result<Vec<Clause>, Stopped> {
    let clauses: Vec<Clause> = cubes.iter().map(|cube| Clause::new(cube.iter().map(|&l| !l))).collect();
    let kept = largest_inductive(relative, &clauses)?;
    Ok(kept.into_iter().map(|c| clauses[c].clone()).collect())
}

/// The row's function: counts the visits of a justice property, which the rounds know, from `k` on.
pub type RunVisits = fn(&mut Rounds<'_>, u32) -> Result<(), Stopped>;
