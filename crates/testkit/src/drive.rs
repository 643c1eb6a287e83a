//! Running engines on a problem, and all that happens.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use buttress_driver::supervise::within;
use buttress_driver::{Choice, ClaimId, Event, Problem, run};
use buttress_engine::{Diagrams, ENGINES, Engine, Settings};
use buttress_solve::smt::Config;
use buttress_solve::{Stop, Stopped};
use buttress_system::BitSystem;

/// The engines that run on bits.
pub fn engines_on_bits() -> Vec<&'static Engine> {
    ENGINES.iter().filter(|engine| engine.bits.is_some()).collect()
}

/// These engines, with everything else as usual and without SMT solvers.
pub fn choice(engines: Vec<&'static Engine>) -> Choice {
    Choice { engines, smt: Config::new(Vec::new()), ..Choice::default() }
}

/// The same with diagrams of the states that are reached, however easy it is without.
pub fn forward(choice: Choice) -> Choice {
    let diagrams = Diagrams { forward: true, ..choice.settings.diagrams };
    Choice { settings: Settings { diagrams, ..choice.settings }, ..choice }
}

/// A problem of bits.
pub fn problem(system: &Arc<BitSystem>) -> Arc<Problem> {
    Arc::new(Problem::of_bits((**system).clone()))
}

/// All that happens until everything is decided, the engines end, or the time is over, which is told, too.
pub fn drive(problem: &Arc<Problem>, choice: &Choice, limit: Option<Duration>) -> (Vec<Event>, bool) {
    let events = Mutex::new(Vec::new());
    let late = within(&Stop::new(), limit, |stop| {
        follow(problem, choice, stop, &|event| events.lock().expect("no holder panics").push(event));
        stop.reason() == Some(Stopped::Time)
    });
    (events.into_inner().expect("no holder panics"), late)
}

/// Runs the engines and passes on each event as it comes.
pub fn follow(problem: &Arc<Problem>, choice: &Choice, stop: &Stop, events: &(dyn Fn(Event) + Sync)) {
    let claims: Vec<ClaimId> = problem.claim_ids().collect();
    let plan = choice.plan(problem, &claims).expect("the engines fit the problem");
    run(problem, &claims, &plan, &[], stop, events);
}
