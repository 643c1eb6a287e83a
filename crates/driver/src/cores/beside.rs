//! Cores beside the lanes of a run: a thread that waits for proofs and says which elements each of them needs,
//! while other claims are still open. What is falsified costs nothing, not even the list of elements.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use buttress_check::Refusal;
use buttress_solve::Stop;
use buttress_system::words::{Label, System};
use buttress_system::{Live, PropertyId};

use super::trials::{Means, Trials, worth};
use super::vacuity::barren;
use super::{Anatomy, Barren, Fineness, Reducible, first_core};
use crate::event::{Event, Listener};
use crate::judge::Accepted;
use crate::plan::{Choice, Plan};
use crate::problem::{ClaimId, Problem};
use crate::supervise::{Clock, within};

/// For one question about the model of a core.
const PATIENCE: Duration = Duration::from_secs(10);

/// The core of a checked proof, proved again without the other elements.
pub struct Explained {
    pub core: Vec<Label>,
    /// All elements, and those of the static slice.
    pub elements: usize,
    pub slice: usize,
    /// The core leaves no execution.
    pub contradiction: bool,
    /// Every property of infinite executions holds.
    pub barren: Option<Barren>,
}

impl Explained {
    /// A reason to doubt the property or the model: the proof rests on a contradiction, on there being no fair
    /// execution, or on nothing or next to nothing of what the property depends on.
    pub fn warning(&self) -> Option<String> {
        const TINY: usize = 20;
        let (core, elements, slice) = (self.core.len(), self.elements, self.slice);
        match core {
            _ if self.barren == Some(Barren::Unfair) => {
                Some("no execution is fair: it holds whatever it says".to_string())
            }
            _ if self.contradiction => Some("these elements contradict each other".to_string()),
            0 if elements > 0 => {
                Some(format!("it needs none of {elements} elements, it says nothing about this model"))
            }
            _ if core * TINY <= slice => {
                Some(format!("it needs only {core} of the {slice} elements that it depends on"))
            }
            _ => None,
        }
    }
}

/// Runs lanes, and takes the core of each proof that they find. The lanes have a stop of their own, which they set
/// when all is decided; cores go on until the given one.
pub(crate) fn beside(
    problem: &Arc<Problem>,
    claims: &[ClaimId],
    plan: &Plan,
    stop: &Stop,
    events: &Listener<'_>,
    lanes: &dyn Fn(&Stop, &Listener<'_>),
) {
    let (sender, proofs) = mpsc::channel::<(ClaimId, Accepted)>();
    let clock = Clock::start();
    let mut smt = plan.smt.clone();
    smt.idle = Some(Arc::default());
    let choice = Choice { smt, distinct: false, ..Choice::default() };
    let means = Means { choice, patience: Some(PATIENCE) };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut anatomy = None;
            for (claim, accepted) in proofs {
                let taken = || Anatomy::of(problem, Fineness::Equations, claims);
                let anatomy = anatomy.get_or_insert_with(taken);
                let answer = match anatomy {
                    Ok(anatomy) => explain(anatomy, claim, &accepted, &means, worth(clock.spent()), stop),
                    Err(refused) => Err(Refusal::Rejected(refused.message.clone())),
                };
                events(Event::Core { claim, answer });
            }
        });
        let seen = |event: Event| {
            if let Event::Decided { claim, accepted, .. } | Event::Confirmed { claim, accepted, .. } = &event
                && accepted.is_proof()
                && !problem.claim(*claim).is_goal()
            {
                // The thread takes what comes as long as somebody sends.
                drop(sender.send((*claim, (**accepted).clone())));
            }
            events(event);
        };
        within(stop, None, |own| lanes(own, &seen));
        drop(sender);
    });
}

fn explain(
    anatomy: &Anatomy,
    claim: ClaimId,
    accepted: &Accepted,
    means: &Means,
    time: Duration,
    stop: &Stop,
) -> Result<Explained, Refusal> {
    let claim = anatomy.problem.claim(claim);
    match (claim.property(), claim.justice()) {
        (Some(property), _) => explained::<System>(anatomy, property, accepted, means, time, stop),
        (None, Some(justice)) => explained::<Live<System>>(anatomy, justice, accepted, means, time, stop),
        (None, None) => Err(rejected("computation trees have no cores")),
    }
}

fn explained<S: Reducible>(
    anatomy: &Anatomy,
    property: PropertyId,
    accepted: &Accepted,
    means: &Means,
    time: Duration,
    stop: &Stop,
) -> Result<Explained, Refusal> {
    let (system, elements) = (S::of(anatomy), &anatomy.elements);
    let mut trials = Trials::new(system, elements, property, means, stop);
    trials.spend(time, false);
    let found = first_core(&mut trials, anatomy, accepted).map_err(Refusal::Stopped)?;
    let core = found.ok_or_else(|| rejected("the proof does not hold by itself"))?;
    let checked = trials.certify(&core)?;
    let contradiction = checked.vacuous().is_some();
    let asked = anatomy.live.as_ref().filter(|_| !S::REFUTES && !contradiction);
    let barren = asked.and_then(|live| barren(live, &Means { patience: Some(time), ..means.clone() }, stop));
    Ok(Explained {
        barren,
        core: core.elements.iter().map(|&e| elements.get(e).label.clone()).collect(),
        elements: elements.len(),
        slice: system.slice(elements, property).len(),
        contradiction,
    })
}

fn rejected(why: &str) -> Refusal {
    Refusal::Rejected(why.to_string())
}
