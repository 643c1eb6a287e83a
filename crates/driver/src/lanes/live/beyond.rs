//! Justice properties of systems with integers, reals or large arrays.
//!
//! * Lassos: BMC on words behind liveness to safety. That no loop is closed would prove nothing: states need not
//!   come back.
//! * Proofs: k-liveness (Claessen & Sörensson, FMCAD 2012) around IC3 modulo theories. That there are at most k
//!   visits is an invariant, whatever the states are. Over theories IC3 may search for ever at one k while
//!   another is easy: so more and more k are tried in turn, each with more and more queries.
//!
//! Limits: where the number of visits is bounded in each execution, but not in all of them together, as that of
//! the steps of a loop that counts down from an input, no k is enough; that would take a ranking function.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use buttress_engine::{Cursor, Desk, Engine, Episode, News, Progress, RunPredicates, RunWords, Told};
use buttress_query::{Atoms, Preimages, Regions, Relative, Words};
use buttress_solve::{Stop, Stopped};
use buttress_system::words::{System, WordLemma, WordProof, WordTrace};
use buttress_system::{Lit, Live, Monitor, PropertyId, Verdict};
use buttress_transform::{Way, monitored_words};

use super::super::{job_on_words, run_on_words};
use crate::event::LaneId;
use crate::judge::Judged;
use crate::office::{Clerk, Office, asked};
use crate::people::Shown;

pub(super) fn run<O: Judged + Shown>(
    office: &Office<'_, O, Live<System>>,
    id: LaneId,
    stop: &Stop,
) -> Result<(), Stopped> {
    match office.plan.lanes[id].engine.counts_visits() {
        true => count(office, id, stop),
        false => run_on_words(office, id, &monitored_words(office.base.system(), Monitor::Loop), stop),
    }
}

/// Queries of the first try of a number of visits; each further one has four times as many.
const QUERIES: u64 = 100;

/// Tries to count the visits of each property: in each round one number of visits more.
fn count<O: Judged + Shown>(
    office: &Office<'_, O, Live<System>>,
    id: LaneId,
    stop: &Stop,
) -> Result<(), Stopped> {
    // What is known not to be the number of visits, or cannot be decided.
    let mut exceeded: BTreeSet<(PropertyId, u32)> = BTreeSet::new();
    for round in 0.. {
        let mut open = false;
        for k in 0..=round {
            let way = monitored_words(office.base.system(), Monitor::Visits(k));
            for property in asked(office, &way) {
                stop.check()?;
                if office.is_done(id, office.base.property(property)) {
                    continue;
                }
                open = true;
                let queries = QUERIES.saturating_mul(4u64.saturating_pow(round - k));
                if !exceeded.contains(&(property, k)) && at_most(office, id, &way, property, queries, stop)? {
                    exceeded.insert((property, k));
                }
            }
        }
        if !open {
            break;
        }
    }
    Ok(())
}

/// Whether IC3 came to an end without a proof that there are at most so many visits.
fn at_most<O: Judged + Shown>(
    office: &Office<'_, O, Live<System>>,
    id: LaneId,
    way: &dyn Way<Old = Live<System>, New = System>,
    property: PropertyId,
    queries: u64,
    stop: &Stop,
) -> Result<bool, Stopped> {
    let (smt, system) = (&office.plan.smt, way.system());
    let clerk = Clerk::new(office, id, way, Vec::new());
    let desk = Visits { clerk: &clerk, in_vain: AtomicBool::new(false) };
    let atoms = Arc::new(Atoms::new(system.clone()));
    let (run, preimages) = ic3(office.plan.lanes[id].settings.ic3.preimages);
    let mut paths = Words::new(system.clone(), smt.clone(), stop);
    let fresh = &mut || {
        let mut regions = Regions::new(system.clone(), atoms.clone(), preimages, smt, stop);
        regions.grant(queries);
        Box::new(regions) as Box<dyn Relative>
    };
    match run(fresh, &atoms, &mut paths, &job_on_words(office, id, system, vec![property], &desk, stop)) {
        Err(Stopped::Budget) => Ok(false),
        ended => ended.map(|()| desk.in_vain.load(Ordering::Relaxed)),
    }
}

/// The engine that answers for a number of visits.
fn ic3(chosen: Preimages) -> (RunPredicates, Preimages) {
    match Engine::by_name("ic3").and_then(|engine| engine.words) {
        Some(RunWords::Predicates { run, refines }) => {
            (run, if refines { chosen } else { Preimages::Projection })
        }
        _ => unreachable!("IC3 runs on predicates"),
    }
}

/// A desk on which proofs count. That there are more visits is no answer about the claim, nor that nothing was
/// found.
struct Visits<'a> {
    clerk: &'a dyn Desk<System>,
    in_vain: AtomicBool,
}

impl Desk<System> for Visits<'_> {
    fn decide(&self, property: PropertyId, verdict: Verdict<WordProof, WordTrace>) {
        match verdict {
            Verdict::Safe(_) => self.clerk.decide(property, verdict),
            _ => self.in_vain.store(true, Ordering::Relaxed),
        }
    }

    /// Facts about the monitor are nobody else's.
    fn strengthen(&self, _: WordProof) -> bool {
        true
    }

    fn suggest(&self, _: WordProof) {}

    fn holds_up_to(&self, _: PropertyId, _: usize) {}

    fn is_decided(&self, property: PropertyId) -> bool {
        self.in_vain.load(Ordering::Relaxed) || self.clerk.is_decided(property)
    }

    fn read(&self, _: &mut Cursor) -> Vec<News<WordLemma>> {
        Vec::new()
    }

    fn exchange(&self, _: PropertyId, _: Vec<Told>, _: &mut Cursor) -> Vec<Told> {
        Vec::new()
    }

    fn progress(&self, progress: Progress) {
        self.clerk.progress(progress);
    }

    fn explaining(&self) -> bool {
        false
    }

    fn tell(&self, _: PropertyId, _: Episode<WordTrace>) {}

    fn leave(&self, _: PropertyId, _: &mut dyn Iterator<Item = &[Lit]>) {}
}
