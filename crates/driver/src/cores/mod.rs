//! Which elements of a model its proofs need: inductive validity cores (`buttress_cores`), and what follows from
//! them.
//!
//! Each property is decided on the model as the front end made it, with all that it rests on; a core is taken from
//! the proof, and the model that has only the core is proved again by the judge before anything is told.

mod anatomy;
mod beside;
mod conflict;
mod dead;
mod diversity;
mod driven;
mod reduced_source;
mod trials;
mod vacuity;

use std::sync::Arc;

use buttress_check::Refusal;
use buttress_cores::{
    Core, Effort, Enumerated, Enumeration, Minimised, Remembering, ivc_bf, ivc_ucbf, must, slice,
};
use buttress_engine::Engine;
use buttress_solve::{Cadical, Stop};
use buttress_system::{ElementSet, PropertyId};

pub use anatomy::{Anatomy, Fineness, place};
pub use beside::Explained;
pub(crate) use beside::beside;
pub use conflict::{Conflict, conflict};
pub use dead::{Branch, Fate, dead};
pub use diversity::{Diversity, diversity};
pub use driven::{Rows, driven, read_rows};
pub use reduced_source::reduced_source;
pub use trials::{Means, Trials};
pub use vacuity::unneeded;

use crate::judge::Accepted;
use crate::problem::{ClaimId, Problem};
use crate::supervise::{Clock, Spent, within};
use crate::{check, collect};
use trials::{Asked, decide, worth};

/// How a core is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// From the unsatisfiable cores of the proof.
    Uc,
    /// By dropping one element after the other, each decided anew.
    Bf,
    /// The second, begun with the first: a minimal core.
    Ucbf,
}

/// A question about the cores of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Quest {
    pub method: Method,
    /// Which elements are in every core.
    pub must: bool,
    /// All minimal cores and cut sets, at most so many cores.
    pub all: Option<usize>,
}

/// The result for one property, with its core if it is proved.
pub struct CoreFinding {
    pub property: PropertyId,
    pub outcome: CoreOutcome,
}

pub enum CoreOutcome {
    Proved(Box<Needed>),
    /// In this step.
    Falsified(usize),
    /// A goal, which has no core.
    Goal,
    Undecided(String),
    /// A fault of our own.
    Fault(String),
}

/// A proved property with its core, which was proved again.
pub struct Needed {
    pub engine: &'static Engine,
    pub k: u32,
    pub invariants: usize,
    /// The core leaves no execution of so many states.
    pub vacuous: Option<usize>,
    pub core: ElementSet,
    pub minimal: Minimal,
    pub slice: ElementSet,
    pub must: Option<Must>,
    pub all: Option<Enumerated>,
    pub seconds: Seconds,
}

/// How minimal a core is.
pub enum Minimal {
    /// Nothing can be dropped from this proof, as far as was tried; another proof may need less.
    ForThisProof { undecided: ElementSet },
    /// Every element was tried, or stayed undecided.
    Tried { undecided: ElementSet },
}

pub struct Must {
    pub elements: ElementSet,
    pub undecided: ElementSet,
}

/// The time spent on each phase of the computation of a core.
#[derive(Clone, Copy, Default)]
pub struct Seconds {
    pub proof: Spent,
    pub core: Spent,
    pub minimal: Spent,
    pub check: Spent,
}

/// Why the proofs of a problem decide nothing: a condition of all of them that is not proved. Decided here, on the
/// model.
pub fn open_condition(problem: &Arc<Problem>, means: &Means, stop: &Stop) -> Option<String> {
    let conditions = problem.conditions();
    if conditions.is_empty() {
        return None;
    }
    let plan = match means.choice.plan(problem, conditions) {
        Ok(plan) => plan,
        Err(refused) => return Some(refused.message),
    };
    let answers = within(stop, None, |own| check(problem, conditions, &plan, own));
    let proved = |c: ClaimId| answers.accepted().any(|(claim, accepted)| claim == c && accepted.is_proof());
    let open = conditions.iter().find(|&&c| !proved(c)).map(|&c| &problem.claim(c).title);
    open.map(|title| format!("proved only up to the first violation of {title}"))
}

/// Decides each claim by itself, so that its time is its own, and takes the cores of those that are proved.
pub fn analyse(
    anatomy: &Anatomy,
    claims: &[ClaimId],
    quest: &Quest,
    means: &Means,
    stop: &Stop,
    told: &mut dyn FnMut(CoreFinding),
) {
    let open = open_condition(&anatomy.problem, means, stop);
    for &claim in claims {
        let Some(property) = anatomy.problem.claim(claim).property() else { continue };
        let clock = Clock::start();
        let decided = decide_whole(anatomy, claim, property, means, stop);
        let seconds = clock.spent();
        let goal = anatomy.problem.claim(claim).is_goal();
        let outcome = match decided {
            Err(outcome) => outcome,
            Ok(_) if goal => CoreOutcome::Goal,
            Ok(whole) => match (&open, whole.accepted.trace_steps()) {
                (_, Some(steps)) => CoreOutcome::Falsified(steps - 1),
                (Some(why), None) => CoreOutcome::Undecided(why.clone()),
                (None, None) => explain(anatomy, quest, means, property, &whole, seconds, stop),
            },
        };
        told(CoreFinding { property, outcome });
    }
}

/// An answer about the whole model.
struct Whole {
    engine: &'static Engine,
    accepted: Accepted,
}

/// On the model as the front end made it; of another granularity, on the system that has its elements.
fn decide_whole(
    anatomy: &Anatomy,
    claim: ClaimId,
    property: PropertyId,
    means: &Means,
    stop: &Stop,
) -> Result<Whole, CoreOutcome> {
    let problem = &anatomy.problem;
    let (found, faults) = if anatomy.is_refined {
        let asked = decide(anatomy.system.clone(), property, means, None, stop);
        let Asked { answer, faults } = asked.map_err(|r| CoreOutcome::Undecided(r.message))?;
        (answer.map(|a| (a.accepted, a.engine)), faults)
    } else {
        let plan = means.choice.plan(problem, &[claim]).map_err(|r| CoreOutcome::Undecided(r.message))?;
        let answers = within(stop, None, |own| collect(problem, &[claim], &plan, own));
        let engine = answers.found_by(claim);
        let found = answers.accepted().next().map(|(_, accepted)| accepted.clone()).zip(engine);
        (found, answers.faults())
    };
    match (found, faults.first()) {
        (Some((accepted, engine)), _) => Ok(Whole { engine, accepted }),
        (None, Some(fault)) => Err(CoreOutcome::Fault(fault.clone())),
        (None, None) => Err(CoreOutcome::Undecided(why(stop))),
    }
}

fn why(stop: &Stop) -> String {
    stop.reason().map_or_else(|| "no engine decides it".to_string(), |why| why.to_string())
}

/// The core of a proof, as minimal as was asked for, proved again.
fn explain(
    anatomy: &Anatomy,
    quest: &Quest,
    means: &Means,
    property: PropertyId,
    whole: &Whole,
    proof: Spent,
    stop: &Stop,
) -> CoreOutcome {
    let Some(whole_proof) = anatomy.proof(&whole.accepted) else {
        return CoreOutcome::Undecided("its proof has no core of its own".to_string());
    };
    let (system, elements) = (&*anatomy.system, &anatomy.elements);
    let mut trials = Trials::new(system, elements, property, means, stop);
    let executions = quest.method == Method::Ucbf || quest.must || quest.all.is_some();
    trials.effort = Effort { time: Some(worth(proof)), executions };
    let mut seconds = Seconds { proof, ..Seconds::default() };
    let all = elements.all();
    let clock = Clock::start();
    let vacuous = whole.accepted.vacuous().map(|vacuous| vacuous.states);
    let core = match trials.core(&all, &whole_proof, vacuous) {
        Ok(Some(core)) => core,
        Ok(None) => return CoreOutcome::Undecided("its proof has no core of its own".to_string()),
        Err(why) => return CoreOutcome::Undecided(why.to_string()),
    };
    seconds.core = clock.spent();
    let clock = Clock::start();
    let (core, minimal, must, found) =
        widen(quest, &mut trials, core, || Core::new(all.clone(), whole_proof.clone()));
    seconds.minimal = clock.spent();
    if let Some(fault) = trials.faults.first() {
        return CoreOutcome::Fault(fault.clone());
    }
    let clock = Clock::start();
    let found = match found.map(|found| proved_again(&trials, found)).transpose() {
        Ok(found) => found,
        Err(why) => return CoreOutcome::Fault(format!("a core was rejected: {why}")),
    };
    let vacuous = match trials.certify(&core) {
        Ok(accepted) => accepted.vacuous(),
        Err(Refusal::Rejected(why)) => return CoreOutcome::Fault(format!("the core was rejected: {why}")),
        Err(Refusal::Stopped(why)) => {
            return CoreOutcome::Undecided(format!("the core was not checked: {why}"));
        }
    };
    seconds.check = clock.spent();
    CoreOutcome::Proved(Box::new(Needed {
        engine: whole.engine,
        k: core.proof.claim.k,
        invariants: core.proof.claim.invariant.len(),
        vacuous: vacuous.map(|vacuous| vacuous.states),
        core: core.elements,
        minimal,
        slice: slice(system, elements, property),
        must,
        all: found,
        seconds,
    }))
}

/// Those of the minimal cores that are proved again; what the time does not suffice for is left out.
fn proved_again(trials: &Trials<'_>, mut found: Enumerated) -> Result<Enumerated, String> {
    let mut certified = Vec::new();
    for minimised in found.cores {
        match trials.certify(&minimised.core) {
            Ok(_) => certified.push(minimised),
            Err(Refusal::Rejected(why)) => return Err(why),
            Err(Refusal::Stopped(_)) => found.complete = false,
        }
    }
    Ok(Enumerated { cores: certified, ..found })
}

/// Answers the questions beyond the core of the proof: a minimal core, the elements of every core, all cores.
fn widen(
    quest: &Quest,
    trials: &mut Trials<'_>,
    core: Core,
    whole: impl FnOnce() -> Core,
) -> (Core, Minimal, Option<Must>, Option<Enumerated>) {
    let (all, slice) = (trials.elements.all(), slice(trials.system, trials.elements, trials.property));
    let (stop, seed) = (trials.stop, trials.means.choice.seed);
    let mut prover = Remembering::new(trials);
    let tried = |m: Minimised| (m.core, Minimal::Tried { undecided: m.undecided });
    let (mut core, mut minimal) = match quest.method {
        Method::Uc => {
            let undecided = core.undecided.clone();
            (core, Minimal::ForThisProof { undecided })
        }
        Method::Ucbf => tried(ivc_ucbf(&mut prover, core)),
        Method::Bf => tried(ivc_bf(&mut prover, whole())),
    };
    if quest.all.is_some() || quest.must {
        prover.know(&core);
    }
    let found = quest.all.map(|most| {
        let map = Box::new(Cadical::new(stop, seed));
        Enumeration::new(&mut prover, &slice, map).run(most, &mut |_| {})
    });
    if let Some(smallest) = found.as_ref().and_then(Enumerated::smallest)
        && smallest.core.elements.len() <= core.elements.len()
    {
        (core, minimal) = tried(smallest.clone());
    }
    let must = quest.must.then(|| {
        let (elements, undecided, _) = must(&mut prover, &all, &core);
        Must { elements, undecided }
    });
    (core, minimal, must, found)
}
