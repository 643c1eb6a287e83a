//! Running a plan on a problem: one thread a lane, until every claim is decided or all lanes have ended.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use buttress_check::Refusal;
use buttress_engine::{Board, Fact, InMemory};
use buttress_solve::{Stop, Stopped};
use buttress_system::indexed::IndexedProof;
use buttress_system::words::WordProof;
use buttress_system::{Proof, PropertyId};
use buttress_transform::{Same, Way};

use crate::event::{Ended, Event, LaneId, Listener};
use crate::judge::{Judge, Judged};
use crate::lanes::Ground;
use crate::office::Office;
use crate::people::Shown;
use crate::plan::{Lemmas, Plan};
use crate::problem::{ClaimId, Original, Problem};
use crate::supervise::TICK;

/// Where the lanes of a run share what they find: a board for whichever kind of system they have in common.
pub trait Boards: Sync {
    fn bits(&self) -> Box<dyn Board<Proof>>;
    fn words(&self) -> Box<dyn Board<WordProof>>;
    fn maps(&self) -> Box<dyn Board<IndexedProof>>;
}

/// Boards that one process keeps for one run.
pub struct Memory;

impl Boards for Memory {
    fn bits(&self) -> Box<dyn Board<Proof>> {
        Box::new(InMemory::default())
    }

    fn words(&self) -> Box<dyn Board<WordProof>> {
        Box::new(InMemory::default())
    }

    fn maps(&self) -> Box<dyn Board<IndexedProof>> {
        Box::new(InMemory::default())
    }
}

/// Runs all lanes side by side. Sets the stop when everything is decided.
pub fn run(
    problem: &Arc<Problem>,
    claims: &[ClaimId],
    plan: &Plan,
    boards: &dyn Boards,
    stop: &Stop,
    events: &Listener<'_>,
) {
    match plan.cores {
        true => crate::cores::beside(problem, plan, stop, events, &|stop, events| {
            run_lanes(problem, claims, plan, boards, stop, events);
        }),
        false => run_lanes(problem, claims, plan, boards, stop, events),
    }
}

fn run_lanes(
    problem: &Problem,
    claims: &[ClaimId],
    plan: &Plan,
    boards: &dyn Boards,
    stop: &Stop,
    events: &Listener<'_>,
) {
    let properties: Vec<PropertyId> = claims.iter().filter_map(|&c| problem.claim(c).property()).collect();
    if properties.is_empty() {
        return;
    }
    let setting = Setting { problem, plan, properties, stop, events };
    match problem.original() {
        Original::Bits(system) => setting.run(&Same(system.clone()), &*boards.bits(), system),
        Original::Words(system) if plan.is_in_bits() => {
            let in_bits = problem.in_bits().expect("plans go to bits where there are some");
            setting.run(&**in_bits, &*boards.bits(), system);
        }
        Original::Words(system) => setting.run(&Same(system.clone()), &*boards.words(), system),
        Original::Maps(system) => setting.run(&Same(system.clone()), &*boards.maps(), system),
    }
}

/// What a run is about, whatever the kind of system.
struct Setting<'a> {
    problem: &'a Problem,
    plan: &'a Plan,
    properties: Vec<PropertyId>,
    stop: &'a Stop,
    events: &'a Listener<'a>,
}

impl Setting<'_> {
    fn run<O: Judged + Shown, B: Ground>(
        self,
        base: &dyn Way<Old = O, New = B>,
        board: &dyn Board<B::Proof>,
        original: &Arc<O>,
    ) {
        let Setting { problem, plan, properties, stop, events } = self;
        let in_bits = plan.is_in_bits();
        let smt = plan.smt.clone();
        let judge = Judge { system: original.clone(), replay: problem.replay(), in_bits, smt };
        let open = Mutex::new(properties.clone());
        let running = AtomicUsize::new(plan.lanes.len());
        let known = None;
        let mut office =
            Office { problem, plan, base, judge, board, known, properties, open, running, stop, events };
        let ways = B::ways(&office);
        office.known = learn(&office, &ways);
        let (office, ways) = (&office, &ways);
        thread::scope(|scope| {
            let start = |id: LaneId| {
                scope.spawn(move || {
                    let ended =
                        let_others_begin(plan.lanes[id].delay, stop).and_then(|()| B::run(office, ways, id));
                    office.running.fetch_sub(1, Ordering::AcqRel);
                    ended
                })
            };
            let threads: Vec<_> = (0..plan.lanes.len()).map(|id| (id, start(id))).collect();
            for (lane, thread) in threads {
                events(Event::Ended { lane, how: Ended::of(thread.join()) });
            }
        });
    }
}

/// Posts the largest inductive part of the lemmas that were given. Where its search is stopped, nothing is known.
fn learn<O: Judged, B: Ground>(office: &Office<'_, O, B>, ways: &B::Ways) -> Option<B::Proof> {
    let given = match &office.plan.lemmas {
        Lemmas::None => return None,
        Lemmas::Clauses(clauses) => clauses.len(),
        Lemmas::Terms(terms) => terms.len(),
    };
    match B::inductive(office, ways, &office.plan.lemmas) {
        Ok(proof) => {
            office.board.post(Fact::Proved(proof.clone()));
            (office.events)(Event::Lemmas { usable: B::count(&proof), given });
            Some(proof)
        }
        Err(Refusal::Stopped(_)) => None,
        Err(Refusal::Rejected(why)) => {
            (office.events)(Event::Fault(format!("the lemmas that were given are not used: {why}")));
            None
        }
    }
}

/// What others decide at once shall cost no more because of a lane that only helps.
fn let_others_begin(delay: Duration, stop: &Stop) -> Result<(), Stopped> {
    let start = Instant::now();
    while start.elapsed() < delay {
        stop.check()?;
        thread::sleep(TICK);
    }
    Ok(())
}
