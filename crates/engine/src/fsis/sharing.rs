//! Several runs of FSIS on one property, with different seeds (Bradley & Manna, FMCAD 2007, Sections III-B and
//! V-A).
//!
//! In every round a run tells the board its clauses since the last time and takes those of the others. What it
//! tells is inductive relative to the property, to what was told before and to what it tells at the same time. So
//! whoever has read the board up to some point has a set of clauses that is inductive relative to the property,
//! may take it as its own, and has it in its proof, which is checked as a whole.
//!
//! The paper's processes also report clauses that are inductive only while open subgoals are unreachable, so that
//! only the last process to end has a strengthening for certain. Here such *conditional* clauses are kept back:
//!
//! * while no goal is open nothing is conditional, and all is told, the closed subgoals included;
//! * while one is, each new clause is tried once more relative to what was told alone, a level of its own. If it
//!   is inductive there, it does not rest on the goals.
//!
//! On request ([`Share::ClausesAndCtis`]) a run also tells the CTIs that it found no clause against. Others, who
//! may know more by then, look for one when they have no goal of their own.

use std::collections::VecDeque;

use buttress_query::{Answer, Step};
use buttress_solve::Stopped;
use buttress_system::Lit;

use super::{Run, Share, Strengthen};
use crate::{Cursor, Told};

/// CTIs of others that are remembered: the latest.
const REMEMBERED: usize = 32;

/// The state of the exchange between a run and the others.
#[derive(Default)]
pub(super) struct Sharing {
    /// The level that holds what was told, by whomever; only where there are others.
    pub(super) settled: Option<usize>,
    /// Clauses that were learned and not told yet, in this order.
    pub(super) untold: Vec<Vec<Lit>>,
    /// So many of these are known to be conditional for now.
    conditional: usize,
    /// CTIs to tell, and those that others told.
    failed: Vec<Vec<Lit>>,
    theirs: VecDeque<Vec<Lit>>,
    cursor: Cursor,
}

impl Run<'_> {
    /// Tells what is new and not conditional, and learns what the others told. Who is followed step by step works
    /// alone, and so does who makes no lemmas.
    pub(super) fn exchange(&mut self) -> Result<(), Stopped> {
        if self.job.desk.explaining() || self.strengthen == Strengthen::StateByState {
            return Ok(());
        }
        let told = self.unconditional()?;
        self.settle(&told);
        let failed = std::mem::take(&mut self.sharing.failed).into_iter().map(Told::Failed);
        let own = told.into_iter().map(Told::Excluded).chain(failed).collect();
        for told in self.job.desk.exchange(self.property, own, &mut self.sharing.cursor) {
            match told {
                Told::Excluded(cube) => self.join(cube),
                Told::Failed(cube) => self.remember(cube),
            }
        }
        self.help()
    }

    /// Takes what rests on no open goal out of what is untold.
    fn unconditional(&mut self) -> Result<Vec<Vec<Lit>>, Stopped> {
        if self.goals.is_empty() {
            self.sharing.conditional = 0;
            return Ok(std::mem::take(&mut self.sharing.untold));
        }
        let Some(level) = self.sharing.settled else { return Ok(Vec::new()) };
        let mut told = Vec::new();
        for cube in self.sharing.untold.split_off(self.sharing.conditional) {
            // Π₀ ∧ told ∧ ¬cube ∧ C ∧ T ∧ cube'
            match self.relative.check(&Step::Relative { level, cube: &cube })? {
                Answer::Holds => told.push(cube),
                Answer::Fails => self.sharing.untold.push(cube),
            }
        }
        self.sharing.conditional = self.sharing.untold.len();
        Ok(told)
    }

    fn settle(&mut self, cubes: &[Vec<Lit>]) {
        if let Some(level) = self.sharing.settled {
            cubes.iter().for_each(|cube| self.relative.learn(level, cube));
        }
    }

    /// A clause of another run is ours.
    fn join(&mut self, cube: Vec<Lit>) {
        self.relative.learn(1, &cube);
        self.settle(std::slice::from_ref(&cube));
        self.excluded.push(cube);
    }

    /// There is no clause against this CTI, as far as we can see.
    pub(super) fn fail(&mut self, cube: &[Lit]) {
        if self.job.settings.fsis.share == Share::ClausesAndCtis {
            self.sharing.failed.push(cube.to_vec());
        }
    }

    fn remember(&mut self, cube: Vec<Lit>) {
        self.sharing.theirs.push_back(cube);
        if self.sharing.theirs.len() > REMEMBERED {
            self.sharing.theirs.pop_front();
        }
    }

    /// Looks for clauses against the CTIs of others, while there is no goal of our own.
    fn help(&mut self) -> Result<(), Stopped> {
        while self.goals.is_empty() {
            let Some(cube) = self.sharing.theirs.pop_back() else { break };
            // Π ∧ χ ∧ C ∧ cube: not excluded meanwhile
            if self.relative.check(&Step::In { level: 1, cube: &cube })? == Answer::Fails
                && let Some(lemma) = self.mic(&cube)?
            {
                self.learn(lemma);
            }
        }
        Ok(())
    }
}
