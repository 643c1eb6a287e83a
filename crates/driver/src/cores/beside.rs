//! Cores beside the lanes of a run: a thread that waits for proofs and says which elements each of them needs,
//! while other claims are still open. What is falsified costs nothing, not even the list of elements.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use buttress_check::Refusal;
use buttress_cores::slice;
use buttress_solve::Stop;
use buttress_system::words::Label;

use super::trials::{Means, Trials, worth};
use super::{Anatomy, Fineness};
use crate::event::{Event, Listener};
use crate::judge::Accepted;
use crate::plan::{Choice, Plan};
use crate::problem::{ClaimId, Problem};
use crate::supervise::{Clock, within};

/// The core of a checked proof, proved again without the other elements.
pub struct Explained {
    pub core: Vec<Label>,
    /// All elements, and those of the static slice.
    pub elements: usize,
    pub slice: usize,
    /// The core leaves no execution.
    pub contradiction: bool,
}

impl Explained {
    /// A reason to doubt the property or the model: the proof rests on a contradiction, or on nothing or next to
    /// nothing of what the property depends on.
    pub fn warning(&self) -> Option<String> {
        const TINY: usize = 20;
        let (core, elements, slice) = (self.core.len(), self.elements, self.slice);
        match core {
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
    plan: &Plan,
    stop: &Stop,
    events: &Listener<'_>,
    lanes: &dyn Fn(&Stop, &Listener<'_>),
) {
    let (sender, proofs) = mpsc::channel::<(ClaimId, Accepted)>();
    let clock = Clock::start();
    let mut smt = plan.smt.clone();
    smt.idle = Some(Arc::default());
    let means = Means { choice: Choice { smt, distinct: false, ..Choice::default() }, patience: None };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut anatomy = None;
            for (claim, accepted) in proofs {
                let anatomy = anatomy.get_or_insert_with(|| Anatomy::of(problem, Fineness::Equations));
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
    let property = anatomy.problem.claim(claim).property().expect("what is proved is a property");
    let (system, elements) = (&*anatomy.system, &anatomy.elements);
    let mut trials = Trials::new(system, elements, property, means, stop);
    trials.effort.time = Some(time);
    let proof = anatomy.proof(accepted).ok_or_else(|| rejected("the proof has no core"))?;
    let vacuous = accepted.vacuous().map(|vacuous| vacuous.states);
    let found = trials.core(&elements.all(), &proof, vacuous).map_err(Refusal::Stopped)?;
    let core = found.ok_or_else(|| rejected("the proof does not hold by itself"))?;
    let checked = trials.certify(&core)?;
    Ok(Explained {
        core: core.elements.iter().map(|&e| elements.get(e).label.clone()).collect(),
        elements: elements.len(),
        slice: slice(system, elements, property).len(),
        contradiction: checked.vacuous().is_some(),
    })
}

fn rejected(why: &str) -> Refusal {
    Refusal::Rejected(why.to_string())
}
