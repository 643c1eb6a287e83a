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
mod reducible;
mod trials;
mod vacuity;

use std::sync::Arc;

use buttress_check::Refusal;
use buttress_cores::{Core, Enumerated, Enumeration, Minimised, Remembering, ivc_bf, ivc_ucbf, must};
use buttress_engine::Engine;
use buttress_solve::{Cadical, Stop, Stopped};
use buttress_system::words::System;
use buttress_system::{ElementSet, Live, PropertyId};

pub use anatomy::{Anatomy, Fineness, place};
pub use beside::Explained;
pub(crate) use beside::beside;
pub use conflict::{Conflict, conflict};
pub use dead::{Branch, Fate, dead};
pub use diversity::{Diversity, diversity};
pub use driven::{Rows, driven, read_rows};
pub use reduced_source::reduced_source;
pub use reducible::Reducible;
pub use trials::{Means, Trials};
pub use vacuity::{Barren, Vacuity, vacuity};

use crate::judge::Accepted;
use crate::problem::{Asks, ClaimId, Problem};
use crate::report::MonitorReport;
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

/// The result for one claim, with its core if it is proved.
pub struct CoreFinding {
    pub claim: ClaimId,
    pub outcome: CoreOutcome,
}

pub enum CoreOutcome {
    Proved(Box<Needed>),
    /// In this step; of a lasso, also the step that it goes back to after it.
    Falsified {
        step: usize,
        back: Option<usize>,
    },
    /// A goal, which has no core.
    Goal,
    Undecided(String),
    /// A fault of our own.
    Fault(String),
}

/// A proved property with its core, which was proved again.
pub struct Needed {
    pub engine: &'static Engine,
    /// Of liveness, why the proof of the model is one, and that of the core, which may be another.
    pub monitors: Option<(MonitorReport, MonitorReport)>,
    /// Of the proof of the core.
    pub k: u32,
    pub invariants: usize,
    /// The core leaves no execution of so many states.
    pub vacuous: Option<usize>,
    pub core: ElementSet,
    pub minimal: Minimal,
    pub slice: ElementSet,
    pub must: Option<Must>,
    pub all: Option<AllCores>,
    pub seconds: Seconds,
}

/// How minimal a core is.
pub enum Minimal {
    /// Nothing can be dropped from this proof, as far as was tried; another proof may need less.
    ForThisProof { undecided: ElementSet },
    /// Every element was tried, or stayed undecided.
    Tried { undecided: ElementSet },
}

/// The cores and cut sets that were found.
pub struct AllCores {
    /// In the order in which they were found; those with undecided elements may not be minimal.
    pub cores: Vec<ElementSet>,
    /// Minimal.
    pub cuts: Vec<ElementSet>,
    /// Whether there are no more.
    pub complete: bool,
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
    let analysis = Analysis { anatomy, quest, means, open, stop };
    for &claim in claims {
        let outcome = match anatomy.problem.claim(claim).asks {
            Asks::Invariant(property) | Asks::Reach(property) => analysis.outcome::<System>(claim, property),
            Asks::Live { justice } | Asks::Both { justice, .. } => {
                analysis.outcome::<Live<System>>(claim, PropertyId::new(justice))
            }
            Asks::Tree { .. } => CoreOutcome::Undecided("computation trees have no cores".to_string()),
            Asks::Unsupported(ref why) => CoreOutcome::Undecided(why.clone()),
        };
        told(CoreFinding { claim, outcome });
    }
}

/// An answer about the whole model.
struct Whole {
    engine: &'static Engine,
    accepted: Accepted,
}

/// What is asked of the claims of a model, one after the other.
struct Analysis<'a> {
    anatomy: &'a Anatomy,
    quest: &'a Quest,
    means: &'a Means,
    /// Why proofs decide nothing.
    open: Option<String>,
    stop: &'a Stop,
}

impl Analysis<'_> {
    fn outcome<S: Reducible>(&self, claim: ClaimId, property: PropertyId) -> CoreOutcome {
        let clock = Clock::start();
        let whole = match self.decide_whole::<S>(claim, property) {
            Ok(whole) => whole,
            Err(outcome) => return outcome,
        };
        let seconds = clock.spent();
        if self.anatomy.problem.claim(claim).is_goal() {
            return CoreOutcome::Goal;
        }
        match (&self.open, whole.accepted.trace_steps()) {
            (_, Some(steps)) => {
                let back = whole.accepted.lasso().map(|(_, back)| back);
                CoreOutcome::Falsified { step: steps - 1, back }
            }
            (Some(why), None) => CoreOutcome::Undecided(why.clone()),
            (None, None) => self.explain::<S>(property, &whole, seconds),
        }
    }

    /// On the model as the front end made it; of another granularity, on the system that has its elements.
    fn decide_whole<S: Reducible>(&self, claim: ClaimId, property: PropertyId) -> Result<Whole, CoreOutcome> {
        let Analysis { anatomy, means, stop, .. } = *self;
        let problem = &anatomy.problem;
        let (found, faults) = if anatomy.is_refined {
            let asked = decide(S::of(anatomy).clone(), property, means, None, stop);
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

    /// The core of a proof, as minimal as was asked for, proved again.
    fn explain<S: Reducible>(&self, property: PropertyId, whole: &Whole, proof: Spent) -> CoreOutcome {
        let Analysis { anatomy, quest, means, stop, .. } = *self;
        let (system, elements) = (S::of(anatomy), &anatomy.elements);
        let mut trials = Trials::new(system, elements, property, means, stop);
        let executions = quest.method == Method::Ucbf || quest.must || quest.all.is_some();
        trials.spend(worth(proof), executions);
        let mut seconds = Seconds { proof, ..Seconds::default() };
        let all = elements.all();
        let clock = Clock::start();
        let core = match first_core(&mut trials, anatomy, &whole.accepted) {
            Ok(Some(core)) => core,
            Ok(None) => return CoreOutcome::Undecided("its proof has no core of its own".to_string()),
            Err(why) => return CoreOutcome::Undecided(why.to_string()),
        };
        seconds.core = clock.spent();
        let clock = Clock::start();
        let known = core.proof.clone();
        let begin = || Core::new(all.clone(), known);
        let Widened { core, minimal, must, all: found } = widen(quest, &mut trials, core, begin);
        seconds.minimal = clock.spent();
        if let Some(fault) = trials.faults.first() {
            return CoreOutcome::Fault(fault.clone());
        }
        let clock = Clock::start();
        let found = match found.map(|found| proved_again(&trials, found)).transpose() {
            Ok(found) => found,
            Err(why) => return CoreOutcome::Fault(format!("a core was rejected: {why}")),
        };
        let accepted = match trials.certify(&core) {
            Ok(accepted) => accepted,
            Err(Refusal::Rejected(why)) => {
                return CoreOutcome::Fault(format!("the core was rejected: {why}"));
            }
            Err(Refusal::Stopped(why)) => {
                return CoreOutcome::Undecided(format!("the core was not checked: {why}"));
            }
        };
        seconds.check = clock.spent();
        let proof = S::proof(&accepted).expect("what is proved again has a proof");
        let proof = &S::invariant(proof).claim;
        CoreOutcome::Proved(Box::new(Needed {
            engine: whole.engine,
            monitors: MonitorReport::of(&whole.accepted).zip(MonitorReport::of(&accepted)),
            k: proof.k,
            invariants: proof.invariant.len(),
            vacuous: accepted.vacuous().map(|vacuous| vacuous.states),
            core: core.elements,
            minimal,
            slice: system.slice(elements, property),
            must,
            all: found,
            seconds,
        }))
    }
}

fn why(stop: &Stop) -> String {
    stop.reason().map_or_else(|| "no engine decides it".to_string(), |why| why.to_string())
}

/// The core of the proof that was found; where that says nothing about elements, of another one.
fn first_core<S: Reducible>(
    trials: &mut Trials<'_, S>,
    anatomy: &Anatomy,
    accepted: &Accepted,
) -> Result<Option<Core<S::Proof>>, Stopped> {
    let vacuous = accepted.vacuous().map(|vacuous| vacuous.states);
    let core = match S::taken(anatomy, accepted) {
        Some(proof) => trials.core(&anatomy.elements.all(), &proof, vacuous)?,
        None => None,
    };
    core.map_or_else(|| trials.core_of_any(), |core| Ok(Some(core)))
}

/// Those of the minimal cores that are proved again; what the time does not suffice for is left out.
fn proved_again<S: Reducible>(
    trials: &Trials<'_, S>,
    found: Enumerated<S::Proof>,
) -> Result<AllCores, String> {
    let mut all = AllCores { cores: Vec::new(), cuts: found.cuts, complete: found.complete };
    for minimised in found.cores {
        match trials.certify(&minimised.core) {
            Ok(_) => all.cores.push(minimised.core.elements),
            Err(Refusal::Rejected(why)) => return Err(why),
            Err(Refusal::Stopped(_)) => all.complete = false,
        }
    }
    Ok(all)
}

/// The answers to a quest.
struct Widened<P> {
    core: Core<P>,
    minimal: Minimal,
    must: Option<Must>,
    all: Option<Enumerated<P>>,
}

/// Answers the questions beyond the core of the proof: a minimal core, the elements of every core, all cores.
fn widen<S: Reducible>(
    quest: &Quest,
    trials: &mut Trials<'_, S>,
    core: Core<S::Proof>,
    whole: impl FnOnce() -> Core<S::Proof>,
) -> Widened<S::Proof> {
    let (all, slice) = (trials.elements.all(), trials.system.slice(trials.elements, trials.property));
    let (stop, seed) = (trials.stop, trials.means.choice.seed);
    let mut prover = Remembering::new(trials);
    let tried = |m: Minimised<S::Proof>| (m.core, Minimal::Tried { undecided: m.undecided });
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
    Widened { core, minimal, must, all: found }
}
