//! Lanes for justice properties: engines on bits behind a monitor, and beyond bits on words ([`beyond`]).
//!
//! Engines that decide safety work behind liveness to safety, all on the same bits. The one that counts visits
//! works on other bits for each number of them, and the one that divides the states into arenas on the bits as
//! they are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use buttress_check::Refusal;
use buttress_engine::{Desk, Never, Recurrence, Round, RunArenas, RunLive, RunVisits};
use buttress_query::{Levels, Relative};
use buttress_solve::{Cdcl, Stop, Stopped};
use buttress_system::evidence::{evaluate, value};
use buttress_system::words::{self, Fault};
use buttress_system::{
    Arena, BitSystem, Clause, Lasso, LatchId, Lemma, Lit, Live, LiveProof, Monitor, Proof, PropertyId,
    Reason, Recurrent, Subject, Ternary, Trace, Verdict,
};
use buttress_transform::{AnyWay, Same, Then, Way, lower_property, monitored_bits, monitored_words, reduce};

mod beyond;

use super::{BitWays, Ground, job_on_bits, of_clauses, run_on_bits};
use crate::event::{Event, LaneId};
use crate::judge::{Judged, JudgedLive};
use crate::office::{Clerk, Office};
use crate::people::Shown;
use crate::plan::Lemmas;
use crate::problem::lower_to_bits;
use crate::told::ClauseVerdict;
use crate::turns::{Grant, Turn, Turns, in_turns};

/// A kind of system beside which there are monitors.
pub(crate) trait Monitored: JudgedLive + Shown + Recurrent {
    /// The bits of a system with a monitor beside it; or else why there are none.
    fn monitored(live: &Arc<Live<Self>>, monitor: Monitor) -> Result<AnyWay<Live<Self>, BitSystem>, Fault>;

    /// Runs a lane on a system that bits do not hold.
    fn run_beyond_bits<O: Judged + Shown>(
        office: &Office<'_, O, Live<Self>>,
        id: LaneId,
        stop: &Stop,
    ) -> Result<(), Stopped>;
}

impl Monitored for BitSystem {
    fn monitored(
        live: &Arc<Live<BitSystem>>,
        monitor: Monitor,
    ) -> Result<AnyWay<Live<BitSystem>, BitSystem>, Fault> {
        Ok(Box::new(monitored_bits(live, monitor)))
    }

    fn run_beyond_bits<O: Judged + Shown>(
        _: &Office<'_, O, Live<BitSystem>>,
        _: LaneId,
        _: &Stop,
    ) -> Result<(), Stopped> {
        unreachable!("bits hold themselves")
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

    fn run_beyond_bits<O: Judged + Shown>(
        office: &Office<'_, O, Live<words::System>>,
        id: LaneId,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        beyond::run(office, id, stop)
    }
}

/// Whether bits hold a system with its monitors: more of it is read than where only its own properties are asked
/// for.
pub(crate) fn fits_into_bits(live: &Arc<Live<words::System>>) -> bool {
    words::System::monitored(live, Monitor::Loop).is_ok()
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
        if !office.plan.lanes[id].through.is_bits() {
            return S::run_beyond_bits(office, id, stop);
        }
        match office.plan.lanes[id].engine.live {
            Some(RunLive::Visits(run)) => return count(office, id, run, stop),
            Some(RunLive::Arenas(run)) => return divide(office, id, run, stop),
            None => {}
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
    /// What was excluded, as clauses over the bits of the monitor. Those of a smaller k begin with the same
    /// latches.
    clauses: Vec<Clause>,
}

/// So many queries stand for one round, where a turn has only so many of them.
const QUERIES_A_ROUND: u64 = 200;

/// The properties of an office, each in turn.
fn each_in_turn<O: Judged + Shown, S: Monitored>(
    office: &Office<'_, O, Live<S>>,
    id: LaneId,
    stop: &Stop,
    turn: &mut Turn<'_>,
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
    in_turns(turns, stop, turn)
}

/// Counts the visits of each justice property in turn.
fn count<O: Judged + Shown, S: Monitored>(
    office: &Office<'_, O, Live<S>>,
    id: LaneId,
    run: RunVisits,
    stop: &Stop,
) -> Result<(), Stopped> {
    let mut counted: BTreeMap<PropertyId, Counted> = BTreeMap::new();
    each_in_turn(office, id, stop, &mut |property, grant, stop| {
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

/// Looks for arenas of each justice property in turn.
fn divide<O: Judged + Shown, S: Monitored>(
    office: &Office<'_, O, Live<S>>,
    id: LaneId,
    run: RunArenas,
    stop: &Stop,
) -> Result<(), Stopped> {
    let live = office.base.system();
    let plain = match S::monitored(live, Monitor::Arenas) {
        Ok(plain) => plain,
        Err(fault) => {
            give_up(office, id, &fault);
            return Ok(());
        }
    };
    let same = Same(live.clone());
    let desk = Clerk::new(office, id, &same, Vec::new());
    each_in_turn(office, id, stop, &mut |property, grant, stop| {
        let signals: Vec<PropertyId> =
            plain.system().property_ids().filter(|&signal| plain.property(signal) == property).collect();
        let own = reduce(plain.system(), &signals, || Cdcl::new(stop))?;
        let way = Then(&*plain, &own);
        let inner = Clerk::new(office, id, &way, Vec::new());
        let ways = BitWays::new(plain.system(), signals, office.stop);
        let system = way.system();
        let job = job_on_bits(office, id, &ways, system, system.property_ids().collect(), &inner, stop);
        let mut asked = 0;
        let mut levels = |of: Arc<BitSystem>| {
            let mut levels = Levels::new(of, || Cdcl::new(stop));
            asked += 1;
            levels.grant(if asked > grant.queries { 0 } else { grant.queries });
            Box::new(levels) as Box<dyn Relative>
        };
        let verdict = match run(&mut levels, &job)? {
            None => return Ok(()),
            Some(Recurrence::Unknown(reason)) => Verdict::Unknown(reason),
            Some(Recurrence::Lasso { trace, back }) => match closed(plain.system(), own.trace(trace), back) {
                Some((trace, back)) => Verdict::Unsafe(Lasso { back, ..plain.trace(trace) }),
                None => Verdict::Unknown(Reason::Incomplete("its lasso takes too many rounds".to_string())),
            },
            Some(Recurrence::Never(never)) => Verdict::Safe(raised(&*plain, &own, property, never)),
        };
        desk.decide(property, verdict);
        Ok(())
    })
}

/// A proof by arenas, on the system as it is. What merging relied on is a part of the invariant, and need not
/// stand at each wall.
fn raised<S: Monitored>(
    plain: &dyn Way<Old = Live<S>, New = BitSystem>,
    own: &dyn Way<Old = BitSystem, New = BitSystem>,
    property: PropertyId,
    never: Never,
) -> LiveProof<S::Proof> {
    let facts: HashSet<Clause> = own.proof(of_clauses(Vec::new())).invariant.into_iter().collect();
    let wall = |set: Vec<Clause>| {
        let mut set = own.proof(of_clauses(set));
        set.invariant.retain(|clause| !facts.contains(clause));
        plain.proof(set).proof
    };
    let arenas: Vec<Arena<S::Proof>> = never.arenas.into_iter().map(|arena| arena.map(wall)).collect();
    let first = plain.system().property_ids().find(|&signal| plain.property(signal) == property);
    let invariant = own.proof(of_clauses(never.invariant)).invariant;
    let properties = first.into_iter().collect();
    let proof = plain.proof(Proof { properties, k: 1, distinct: None, invariant }).proof;
    LiveProof { monitor: Monitor::Arenas, proof, arenas }
}

/// So many steps of a lasso are looked at.
const MOST_STEPS: usize = 100_000;

/// Signals that merging left out need not come back when the others do. They follow from what goes round, so that
/// they do after some more rounds.
fn closed(system: &BitSystem, trace: Trace, back: usize) -> Option<(Trace, usize)> {
    let signals = system.properties.iter().map(|p| p.bad).chain(system.constraints.iter().copied());
    let cone = system.closure(signals);
    let compared: Vec<LatchId> =
        system.latches().filter(|&l| cone[system.latch_lit(l).var().index()]).collect();
    let round = trace.inputs[back..].to_vec();
    let (mut inputs, mut state) = (trace.inputs[..back].to_vec(), trace.initial.clone());
    inputs.iter().for_each(|row| state = step(system, &state, row));
    let mut seen: HashMap<Vec<bool>, usize> = HashMap::new();
    while inputs.len() <= MOST_STEPS {
        let here = compared.iter().map(|l| state[l.index()] == Ternary::One).collect();
        if let Some(&back) = seen.get(&here) {
            return Some((Trace { inputs, ..trace }, back));
        }
        seen.insert(here, inputs.len());
        round.iter().for_each(|row| state = step(system, &state, row));
        inputs.extend(round.iter().cloned());
    }
    None
}

fn step(system: &BitSystem, state: &[Ternary], inputs: &[Ternary]) -> Vec<Ternary> {
    let values = evaluate(system, state, inputs);
    system.latches().map(|l| value(&values, system.latch(l).next)).collect()
}
