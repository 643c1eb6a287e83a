//! Lanes for justice properties: engines on bits behind a monitor.
//!
//! Engines that decide safety work behind liveness to safety, all on the same bits. The one that counts visits works on other
//! bits for each number of them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use buttress_check::Refusal;
use buttress_engine::{Round, RunVisits};
use buttress_query::{Levels, Relative};
use buttress_solve::{Cdcl, Stop, Stopped};
use buttress_system::words::{self, Fault};
use buttress_system::{BitSystem, Clause, Lemma, Lit, Live, Monitor, PropertyId, Reason, Recurrent, Subject};
use buttress_transform::{AnyWay, Then, Way, lower_property, monitored_bits, monitored_words, reduce};

use super::{BitWays, Ground, job_on_bits, run_on_bits};
use crate::event::{Event, LaneId};
use crate::judge::{Judged, JudgedLive};
use crate::office::{Clerk, Office};
use crate::people::Shown;
use crate::plan::Lemmas;
use crate::problem::lower_to_bits;
use crate::told::ClauseVerdict;
use crate::turns::{Grant, Turns, in_turns};

/// A kind of system beside which there are monitors.
pub(crate) trait Monitored: JudgedLive + Shown + Recurrent {
    /// The bits of a system with a monitor beside it; or else why there are none.
    fn monitored(live: &Arc<Live<Self>>, monitor: Monitor) -> Result<AnyWay<Live<Self>, BitSystem>, Fault>;
}

impl Monitored for BitSystem {
    fn monitored(
        live: &Arc<Live<BitSystem>>,
        monitor: Monitor,
    ) -> Result<AnyWay<Live<BitSystem>, BitSystem>, Fault> {
        Ok(Box::new(monitored_bits(live, monitor)))
    }
}

impl Monitored for words::System {
    fn monitored(
        live: &Arc<Live<words::System>>,
        monitor: Monitor,
    ) -> Result<AnyWay<Live<words::System>, BitSystem>, Fault> {
        let beside = monitored_words(live, monitor);
        let to_bits = lower_to_bits(beside.system())?;
        Ok(Box::new(Then(beside, to_bits)))
    }
}

/// The bits for those that decide safety, made when the first of them asks.
pub(crate) struct LiveWays<S: Monitored> {
    loops: OnceLock<Result<Loops<S>, Fault>>,
}

/// The way to bits that say whether a loop is closed, and those that go on from there.
struct Loops<S: Monitored> {
    way: AnyWay<Live<S>, BitSystem>,
    bits: BitWays,
}

impl<S: Monitored> Ground for Live<S> {
    type Ways = LiveWays<S>;

    fn ways<O: Judged>(_: &Office<'_, O, Live<S>>) -> LiveWays<S> {
        LiveWays { loops: OnceLock::new() }
    }

    fn inductive<O: Judged>(
        _: &Office<'_, O, Live<S>>,
        _: &LiveWays<S>,
        _: &Lemmas,
    ) -> Result<Self::Proof, Refusal> {
        Err(Refusal::Rejected("justice properties take no lemmas".to_string()))
    }

    fn count(_: &Self::Proof) -> usize {
        0
    }

    /// What a monitor counts or keeps is told to nobody.
    fn strengthening(&self, _: u32, _: &[PropertyId]) -> Option<Self::Proof> {
        None
    }

    type ToldBefore = ();

    /// What is told is about one monitor, and nobody outside has the same.
    fn confirm<O: Judged>(
        _: &Office<'_, O, Live<S>>,
        _: &LiveWays<S>,
        _: &mut (),
        _: PropertyId,
        cubes: &[Vec<Lit>],
    ) -> Result<Vec<ClauseVerdict>, Stopped> {
        Ok(vec![ClauseVerdict::Wrong; cubes.len()])
    }

    fn believe<O: Judged>(_: &Office<'_, O, Live<S>>, _: &LiveWays<S>, _: &mut (), _: PropertyId, _: &[Lit]) {
    }

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, Live<S>>,
        ways: &LiveWays<S>,
        id: LaneId,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        if let Some(run) = office.plan.lanes[id].engine.visits {
            return count(office, id, run, stop);
        }
        let live = office.base.system();
        let lowered = || office.properties.iter().filter_map(|&p| lower_property(office.base, p)).collect();
        let make = || {
            let way = S::monitored(live, Monitor::Loop)?;
            let bits = BitWays::new(way.system(), lowered(), office.stop);
            Ok(Loops { way, bits })
        };
        match ways.loops.get_or_init(make) {
            Ok(Loops { way, bits }) => run_on_bits(office, id, &**way, bits, stop),
            Err(fault) => {
                give_up(office, id, fault);
                Ok(())
            }
        }
    }
}

/// Bits do not hold the system with its monitor.
fn give_up<O: Judged, S: Monitored>(office: &Office<'_, O, Live<S>>, lane: LaneId, fault: &Fault) {
    for &property in office.properties {
        let why = Reason::Incomplete(fault.message.clone());
        (office.events)(Event::GaveUp { claim: office.claim(property), lane, why });
    }
}

/// How far the visits of a property were counted.
#[derive(Default)]
struct Counted {
    k: u32,
    /// What was excluded, as clauses over the bits of the monitor. Those of a smaller k begin with the same latches.
    clauses: Vec<Clause>,
}

/// So many queries stand for one round, where a turn has only so many of them.
const QUERIES_A_ROUND: u64 = 200;

/// Counts the visits of each justice property in turn.
fn count<O: Judged + Shown, S: Monitored>(
    office: &Office<'_, O, Live<S>>,
    id: LaneId,
    run: RunVisits,
    stop: &Stop,
) -> Result<(), Stopped> {
    let properties: Vec<PropertyId> =
        office.properties.iter().filter_map(|&p| lower_property(office.base, p)).collect();
    let raised = |property| office.base.property(property);
    let turns = Turns {
        properties,
        is_decided: &|property| office.is_done(id, raised(property)),
        limit: office.plan.property_limit,
        out_of_time: &|property| office.put_away(id, raised(property)),
    };
    let mut counted: BTreeMap<PropertyId, Counted> = BTreeMap::new();
    in_turns(turns, stop, &mut |property, grant, stop| {
        let counted = counted.entry(property).or_default();
        let mut rounds = grant.queries.div_ceil(QUERIES_A_ROUND);
        let from = counted.k;
        run(
            &mut |k, round| {
                rounds = rounds.checked_sub(1).ok_or(Stopped::Budget)?;
                counted.k = k;
                play(office, id, property, counted, grant, stop, round)
            },
            from,
        )
    })
}

/// One round: the bits that count up to k, and of these what the property depends on.
fn play<O: Judged + Shown, S: Monitored>(
    office: &Office<'_, O, Live<S>>,
    id: LaneId,
    property: PropertyId,
    counted: &mut Counted,
    grant: Grant,
    stop: &Stop,
    round: &mut Round<'_>,
) -> Result<(), Stopped> {
    stop.check()?;
    let beside = match S::monitored(office.base.system(), Monitor::Visits(counted.k)) {
        Ok(beside) => beside,
        Err(fault) => {
            give_up(office, id, &fault);
            return Ok(());
        }
    };
    let ways = BitWays::new(beside.system(), vec![property], office.stop);
    let own = reduce(beside.system(), &[property], || Cdcl::new(stop))?;
    let lemmas: Vec<Lemma> = counted.clauses.drain(..).map(Lemma::Clause).collect();
    let before: Vec<Vec<Lit>> =
        own.lower(&lemmas).into_iter().flatten().filter_map(|l| BitSystem::excluded(&l)).collect();
    let way = Then(&*beside, &own);
    let system = way.system();
    let fresh = || {
        let mut levels = Levels::new(system.clone(), || Cdcl::new(stop));
        levels.grant(grant.queries);
        Box::new(levels) as Box<dyn Relative>
    };
    let desk = Clerk::new(office, id, &way, Vec::new());
    let properties = system.property_ids().collect();
    let job = job_on_bits(office, id, &ways, system, properties, &desk, stop);
    let cubes = round(&mut { fresh }, &job, &before)?;
    let raised = |cube: &Vec<Lit>| cube.iter().map(|&l| Some(!own.literal(l)?)).collect::<Option<Vec<Lit>>>();
    counted.clauses = cubes.iter().filter_map(raised).map(Clause::new).collect();
    Ok(())
}
