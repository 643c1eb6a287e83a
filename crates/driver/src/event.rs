//! The events of a run. Claims are those of the problem, lanes those of the plan.

use std::time::Duration;

use buttress_engine::{Engine, Episode, Progress};
use buttress_solve::Stopped;
use buttress_system::{Clause, Reason, Trace, Waves};

use crate::judge::Accepted;
use crate::problem::ClaimId;

/// Who hears of events.
pub type Listener<'a> = dyn Fn(Event) + Sync + 'a;

/// A lane of a plan, by its number.
pub type LaneId = usize;

pub enum Event {
    /// Where a lane is.
    Progress {
        lane: LaneId,
        progress: Progress,
    },
    HoldsUpTo {
        claim: ClaimId,
        steps: usize,
    },
    /// Accepted, after so many seconds of checking.
    Decided {
        claim: ClaimId,
        lane: LaneId,
        accepted: Box<Accepted>,
        checking: f64,
    },
    /// Evidence from outside was accepted here: who sent it, and where it stays.
    Confirmed {
        claim: ClaimId,
        engine: &'static Engine,
        from: String,
        stays_at: Option<String>,
        accepted: Box<Accepted>,
        checking: f64,
    },
    /// Of the verdicts of earlier runs, so many were accepted again.
    Recalled {
        accepted: usize,
        given: usize,
    },
    /// Another process sent what is wrong.
    Distrusted {
        from: String,
        why: String,
    },
    /// Another process or the state directory cannot be reached, or takes no messages; the run goes on without it.
    Trouble(String),
    /// The evidence of this lane was wrong: our own fault, never a verdict. The lane is dropped, the others go on.
    Rejected {
        claim: ClaimId,
        lane: LaneId,
        why: String,
    },
    /// Of the lemmas given, so many are inductive together.
    Lemmas {
        usable: usize,
        given: usize,
    },
    /// A step of an inductive engine's search, in terms of the bits of the model.
    Story {
        claim: ClaimId,
        lane: LaneId,
        episode: Episode<Trace>,
    },
    /// A step case of k-induction fails: the property holds in k states, then it is violated.
    StepFails {
        claim: ClaimId,
        k: usize,
        states: Waves,
    },
    /// Clauses over the bits of the model: of a proof that was accepted, or what an engine had found when it gave
    /// up.
    Clauses {
        claim: ClaimId,
        lane: LaneId,
        clauses: Vec<Clause>,
    },
    /// The lane leaves the claim to others, and says why.
    GaveUp {
        claim: ClaimId,
        lane: LaneId,
        why: Reason,
    },
    Ended {
        lane: LaneId,
        how: Ended,
        /// For how long it was its turn; `None` where turns do not go by the clock.
        worked: Option<Duration>,
    },
    /// A fault of our own outside of any lane; all of them go on.
    Fault(String),
    /// Which elements of the model a proof needs.
    Core {
        claim: ClaimId,
        answer: Result<crate::cores::Explained, buttress_check::Refusal>,
    },
}

/// How a lane ended.
pub enum Ended {
    /// It did what it could.
    Finished,
    Stopped(Stopped),
    /// A violated invariant of our own.
    Panicked(String),
}

impl Ended {
    /// How the thread of a lane ended.
    pub(crate) fn of(joined: std::thread::Result<Result<(), Stopped>>) -> Ended {
        match joined {
            Ok(Ok(())) => Ended::Finished,
            Ok(Err(why)) => Ended::Stopped(why),
            Err(panic) => Ended::Panicked(panic_message(panic.as_ref())),
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked".to_string())
}
