//! When to start over.
//!
//! A CTI that no clause excludes becomes a subgoal, and what leads to it often fails in the same way: the stack of
//! subgoals grows by one state after the other, each a clause that excludes next to nothing. Runs that succeed
//! have small stacks. So where the stack grows beyond a bound, all goals are dropped, the largest part of the
//! clauses that is inductive without them is kept (Houdini), and the search goes on in other places. This is ours,
//! not the paper's.
//!
//! The bounds are a Luby sequence: any depth is allowed at some time, so that long traces are found, but most of
//! the search is shallow.
//!
//! Tried and dropped (PicoJava, a few seeds each): to look at two more CTIs, at random, before one becomes a
//! subgoal; to end `lic` at cubes that contain a state of some thousand random executions; to end it at cubes that
//! failed some clauses before. The first led nowhere, the second hardly ever applied, the third left too many
//! subgoals.
//!
//! Who is followed step by step, and who makes no lemmas, does not start over.

use buttress_solve::Stopped;

use super::{Run, Strengthen};
use crate::lemmas::inductive_part;

/// The depth of the first stack.
const DEPTH: u64 = 10;

impl Run<'_> {
    pub(super) fn is_lost(&self) -> bool {
        let straight = self.job.desk.explaining() || self.strengthen == Strengthen::StateByState;
        !straight && self.goals.len() as u64 >= DEPTH * luby(self.restarts)
    }

    /// Drops the goals and all clauses that need them.
    pub(super) fn restart(&mut self) -> Result<(), Stopped> {
        self.restarts += 1;
        self.goals.clear();
        let all = (0..self.excluded.len()).collect();
        let kept = inductive_part(self.relative, 1, &self.excluded, all)?;
        self.excluded = kept.into_iter().map(|c| self.excluded[c].clone()).collect();
        let excluded = &self.excluded;
        self.sharing.untold.retain(|cube| excluded.contains(cube));
        Ok(())
    }
}

/// 1, 1, 2, 1, 1, 2, 4, …
fn luby(mut i: u64) -> u64 {
    loop {
        let length = (i + 2).next_power_of_two();
        if length == i + 2 {
            return length / 2;
        }
        i -= length / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn the_sequence_is_as_luby_has_it() {
        let first: Vec<u64> = (0..15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
