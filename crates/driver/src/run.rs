//! Running a plan on a problem: one thread a lane, until every claim is decided or all lanes have ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use buttress_check::Refusal;
use buttress_engine::{Fact, InMemory};
use buttress_solve::{Stop, Stopped};
use buttress_system::{PropertyId, Subject};
use buttress_transform::{Same, Way};

use crate::codec::Coded;
use crate::event::{Ended, Event, LaneId, Listener};
use crate::judge::{Judge, Judged};
use crate::lanes::Ground;
use crate::office::{self, Office};
use crate::outside::{Courier, Dispatch, Outside, overheard};
use crate::people::Shown;
use crate::plan::{Aim, Lemmas, Plan};
use crate::problem::{ClaimId, LiveOriginal, Original, Problem};
use crate::rations::Rations;
use crate::shifts::Shifts;
use crate::supervise::watched;
use crate::thrift::Thrift;

/// Runs all lanes side by side, with whom they meet outside. Sets the stop when everything is decided.
pub fn run(
    problem: &Arc<Problem>,
    claims: &[ClaimId],
    plan: &Plan,
    outside: &[&dyn Outside],
    stop: &Stop,
    events: &Listener<'_>,
) {
    match plan.explain_cores {
        true => crate::cores::beside(problem, claims, plan, stop, events, &|stop, events| {
            run_lanes(problem, claims, plan, outside, stop, events);
        }),
        false => run_lanes(problem, claims, plan, outside, stop, events),
    }
}

fn run_lanes(
    problem: &Problem,
    claims: &[ClaimId],
    plan: &Plan,
    outside: &[&dyn Outside],
    stop: &Stop,
    events: &Listener<'_>,
) {
    let properties: Vec<PropertyId> = claims.iter().filter_map(|&c| problem.claim(c).property()).collect();
    let justice: Vec<PropertyId> = claims.iter().filter_map(|&c| problem.claim(c).justice()).collect();
    let trees: Vec<PropertyId> = claims.iter().filter_map(|&c| problem.claim(c).tree()).collect();
    let schedule = &Schedule::of(plan);
    let [of_states, of_lassos, of_trees] = [properties, justice, trees].map(|p| Agenda::new(p, stop));
    // Parts have nothing in common but the time that they take, and claims that two of them may decide.
    let twice = Mutex::new(claims.iter().copied().filter(|&c| problem.claim(c).is_asked_twice()).collect());
    let events = &|event: Event| {
        if let Event::Decided { lane, .. } = event {
            schedule.decide(lane);
        }
        if let Event::Decided { claim, .. } = event
            && problem.claim(claim).is_asked_twice()
        {
            if !withdraw(&twice, claim) {
                return;
            }
            problem.claim(claim).justice().into_iter().for_each(|p| of_lassos.close(p));
            problem.claim(claim).tree().into_iter().for_each(|p| of_trees.close(p));
        }
        events(event);
    };
    let thrift = &Thrift::of(&plan.lanes, plan.memory.map(watched), |lane| match lane.aim {
        Aim::Safety => of_states.stop.clone(),
        Aim::Liveness => of_lassos.stop.clone(),
        Aim::Branching => of_trees.stop.clone(),
    });
    let part = |aim: Aim, agenda| Part { problem, plan, aim, agenda, schedule, thrift, events };
    let (safety, liveness) = (part(Aim::Safety, &of_states), part(Aim::Liveness, &of_lassos));
    let branching = part(Aim::Branching, &of_trees);
    thread::scope(|scope| {
        scope.spawn(|| schedule.run());
        scope.spawn(|| thrift.run());
        scope.spawn(|| liveness.on_justice());
        scope.spawn(|| branching.on_trees());
        safety.on_states(outside);
    });
    if [&of_states, &of_lassos, &of_trees].iter().all(|agenda| agenda.is_decided()) {
        stop.request(&Stopped::Cancelled);
    }
}

/// Takes a claim off a list; false where it is not there.
fn withdraw(claims: &Mutex<Vec<ClaimId>>, claim: ClaimId) -> bool {
    let mut claims = claims.lock().expect("no holder panics");
    let at = claims.iter().position(|&c| c == claim);
    at.map(|at| claims.swap_remove(at)).is_some()
}

/// The properties that a part of a run is to decide.
struct Agenda {
    properties: Vec<PropertyId>,
    /// Those that nobody has decided yet.
    open: Mutex<Vec<PropertyId>>,
    /// Of this part: it ends where all of it is decided.
    stop: Stop,
}

impl Agenda {
    fn new(properties: Vec<PropertyId>, stop: &Stop) -> Agenda {
        Agenda { open: Mutex::new(properties.clone()), properties, stop: stop.for_a_part() }
    }

    fn is_decided(&self) -> bool {
        self.open.lock().expect("no holder panics").is_empty()
    }

    /// Somebody else has decided a property.
    fn close(&self, property: PropertyId) {
        office::close(&[property], &self.open, &self.stop);
    }
}

/// What a part of a run is about, safety, liveness or computation trees, whatever the kind of system.
struct Part<'a> {
    problem: &'a Problem,
    plan: &'a Plan,
    aim: Aim,
    agenda: &'a Agenda,
    schedule: &'a Schedule<'a>,
    thrift: &'a Thrift,
    events: &'a Listener<'a>,
}

impl Part<'_> {
    fn lanes(&self) -> impl Iterator<Item = LaneId> {
        (0..self.plan.lanes.len()).filter(|&lane| self.plan.lanes[lane].aim == self.aim)
    }

    fn attendance(&self, lane: LaneId) -> Attendance<'_> {
        Attendance { schedule: self.schedule, thrift: self.thrift, lane }
    }

    /// Nothing is to be done: its lanes have ended before they began.
    fn skip(&self) {
        self.lanes().for_each(|lane| drop(self.attendance(lane)));
    }

    fn on_states(&self, outside: &[&dyn Outside]) {
        if self.agenda.properties.is_empty() {
            return self.skip();
        }
        match self.problem.original() {
            Original::Bits(system) => self.with_outside(&Same(system.clone()), system, outside),
            Original::Words(system) if self.plan.is_in_bits(self.aim) => {
                let in_bits = self.problem.in_bits().expect("plans go to bits where there are some");
                self.with_outside(&**in_bits, system, outside);
            }
            Original::Words(system) => self.with_outside(&Same(system.clone()), system, outside),
            Original::Maps(system) => self.with_outside(&Same(system.clone()), system, outside),
        }
    }

    /// Evidence of liveness stays here: nobody outside hears of it.
    fn on_justice(&self) {
        match self.problem.live().filter(|_| !self.agenda.properties.is_empty()) {
            None => self.skip(),
            Some(LiveOriginal::Bits(live)) => self.alone(&live),
            Some(LiveOriginal::Words(live)) => self.alone(&live),
        }
    }

    fn on_trees(&self) {
        match self.problem.branching().filter(|_| !self.agenda.properties.is_empty()) {
            None => self.skip(),
            Some(branching) => self.alone(&branching),
        }
    }

    fn alone<B: Ground + Judged + Shown>(&self, system: &Arc<B>) {
        let (board, base) = (InMemory::default(), Same(system.clone()));
        let office = &self.office(&base, system, &board, self.events, false);
        let ways = &B::ways(office);
        thread::scope(|scope| self.run(office, ways, scope));
    }

    fn office<'o, O: Judged, B: Subject>(
        &'o self,
        base: &'o dyn Way<Old = O, New = B>,
        original: &Arc<O>,
        board: &'o InMemory<B::Proof>,
        events: &'o Listener<'o>,
        others: bool,
    ) -> Office<'o, O, B> {
        let Part { problem, plan, agenda: Agenda { properties, open, stop }, .. } = self;
        let smt = plan.smt.clone();
        let (replay, in_bits) = (problem.replay(), plan.is_in_bits(self.aim));
        let judge = Judge { system: original.clone(), replay, in_bits, smt };
        let dropped = plan.lanes.iter().map(|_| AtomicBool::new(false)).collect();
        let known = OnceLock::new();
        Office { problem, plan, base, judge, board, known, properties, open, dropped, others, stop, events }
    }

    fn with_outside<O: Judged + Shown + Coded, B: Ground + Coded>(
        &self,
        base: &dyn Way<Old = O, New = B>,
        original: &Arc<O>,
        outside: &[&dyn Outside],
    ) {
        let board = InMemory::default();
        let dispatch = Dispatch::new(self.problem, outside);
        let events = &overheard(&dispatch, |lane| self.plan.lanes[lane].engine, self.events);
        let others = outside.iter().any(|o| !o.is_memory());
        let office = &self.office(base, original, &board, events, others);
        let ways = &B::ways(office);
        let mut courier = Courier::new(office, ways, outside, &dispatch);
        courier.iter_mut().for_each(Courier::begin);
        if self.agenda.is_decided() {
            return self.skip();
        }
        if let Some(proof) = learn(office, ways) {
            drop(office.known.set(proof));
        }
        let ended = &AtomicBool::new(false);
        thread::scope(|scope| {
            let courier = courier.map(|courier| scope.spawn(move || courier.run(ended)));
            self.run(office, ways, scope);
            ended.store(true, Ordering::Release);
            let courier = courier.map(|courier| Ended::of(courier.join().map(Ok)));
            if let Some(Ended::Panicked(why)) = courier {
                events(Event::Fault(format!("the exchange with others failed: {why}")));
            }
        });
    }

    /// Runs the lanes of this part, each in a thread, to their ends.
    fn run<'s, 'e: 's, O: Judged + Shown, B: Ground>(
        &'e self,
        office: &'e Office<'e, O, B>,
        ways: &'e B::Ways,
        scope: &'s Scope<'s, 'e>,
    ) {
        let start = |lane: LaneId| {
            scope.spawn(move || {
                let _end = self.attendance(lane);
                let stop = self.schedule.stop(lane, self.thrift.stop(lane));
                let (begin, waited) = (Instant::now(), self.schedule.waited(lane));
                let how = stop.check().and_then(|()| B::run(office, ways, lane, &stop));
                let worked = self
                    .schedule
                    .waited(lane)
                    .zip(waited)
                    .map(|(now, then)| begin.elapsed().saturating_sub(now - then));
                (how, worked)
            })
        };
        let threads: Vec<_> = self.lanes().map(|lane| (lane, start(lane))).collect();
        for (lane, thread) in threads {
            let (how, worked) = match thread.join() {
                Ok((how, worked)) => (Ended::of(Ok(how)), worked),
                Err(panic) => (Ended::of(Err(panic)), None),
            };
            (office.events)(Event::Ended { lane, how, worked });
        }
    }
}

/// Which lanes work when.
enum Schedule<'a> {
    AllAtOnce,
    Shifts(Shifts<'a>),
    Rations(Rations<'a>),
}

impl Schedule<'_> {
    fn of(plan: &Plan) -> Schedule<'_> {
        match plan.deterministic {
            true => Schedule::Rations(Rations::of(&plan.lanes)),
            false => Shifts::of(plan).map_or(Schedule::AllAtOnce, Schedule::Shifts),
        }
    }

    /// The token of a lane.
    fn stop(&self, lane: LaneId, stop: &Stop) -> Stop {
        match self {
            Schedule::AllAtOnce => stop.clone(),
            Schedule::Shifts(shifts) => shifts.stop(lane, stop),
            Schedule::Rations(rations) => rations.stop(lane, stop),
        }
    }

    /// For how long a lane had to wait for its turns; `None` where they do not go by the clock.
    fn waited(&self, lane: LaneId) -> Option<Duration> {
        match self {
            Schedule::AllAtOnce => Some(Duration::ZERO),
            Schedule::Shifts(shifts) => Some(shifts.waited(lane)),
            Schedule::Rations(_) => None,
        }
    }

    /// A lane has decided something.
    fn decide(&self, lane: LaneId) {
        if let Schedule::Shifts(shifts) = self {
            shifts.decide(lane);
        }
    }

    /// Opens and closes the turns of lanes until all of them have ended.
    fn run(&self) {
        match self {
            Schedule::AllAtOnce => {}
            Schedule::Shifts(shifts) => shifts.run(),
            Schedule::Rations(rations) => rations.run(),
        }
    }
}

/// A lane that has not ended: whichever way it ends, this is dropped.
struct Attendance<'a> {
    schedule: &'a Schedule<'a>,
    thrift: &'a Thrift,
    lane: LaneId,
}

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        self.thrift.end(self.lane);
        match self.schedule {
            Schedule::AllAtOnce => {}
            Schedule::Shifts(shifts) => shifts.end(self.lane),
            Schedule::Rations(rations) => rations.end(self.lane),
        }
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
