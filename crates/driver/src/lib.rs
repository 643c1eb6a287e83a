//! From a model to a checked answer. A library: it prints nothing, reads no flags and never exits.
//!
//! ```text
//! bytes ──load──▶ Problem ──Choice──▶ Plan ──run──▶ events ──▶ Answers ──▶ Report
//!                    │                 │ lanes                   ▲
//!                    │    Way ∘ Way ∘ …│ down                    │ Accepted, on the original
//!                    └──▶ Original     └──▶ engine ─ verdict ─▶ Judge
//!                                            ▲  │
//!                                            └──┴── Board
//! ```
//!
//! * [`Problem`]: a model as its front end made it, with all that belongs to its meaning;
//! * [`Plan`]: which engines run side by side, how, and behind which transformations;
//! * [`run`](run()): starts a lane for each; the office, the clerks and the judge are in `office` and `judge`;
//! * [`Answers`]: what is known; [`Report`]: the same as plain data in the user's names;
//! * [`cores`], [`prove`], [`invariants`]: what else can be asked about a problem, by the same driver.

mod answers;
pub mod codec;
mod convert;
pub mod cores;
mod event;
pub mod files;
mod formulas;
pub mod invariants;
mod judge;
mod lanes;
mod load;
mod office;
mod outside;
pub mod people;
mod plan;
mod polish;
mod problem;
pub mod prove;
mod rations;
pub mod report;
mod run;
mod shifts;
pub mod simulate;
pub mod state;
mod statements;
pub mod supervise;
mod thrift;
mod told;
mod turns;

pub use answers::{Answers, Detail, exit};
pub use convert::{Target, convert};
pub use event::{Ended, Event, LaneId, Listener};
pub use judge::{Accepted, Judge, Judged};
pub use load::{Input, is_model, is_named_as_model, load, open, parse, read_text};
pub use outside::{Letter, Outside};
pub use plan::{
    Aim, BUILT_IN, Choice, Class, Follow, Insists, Kind, Lane, Lemmas, Plan, Plans, Signals, StoredLane,
    StoredPlan, Through,
};
pub use polish::Polish;
pub use problem::{Asks, Claim, ClaimId, Format, InBits, LiveOriginal, Liveness, Original, Problem};
pub use report::Report;
pub use run::run;
pub use statements::read_lemmas;

use std::sync::{Arc, Mutex};
use std::time::Instant;

use buttress_solve::Stop;

/// Why something cannot be done, with a message for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    pub why: Why,
    pub message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// Options that contradict each other or do not apply.
    Usage,
    /// A file is wrong or cannot be read.
    Input,
    /// It may be right, but nothing here can decide it.
    Undecided,
    /// A fault of our own, or of the machine.
    Fault,
}

impl Refused {
    pub fn usage(message: impl Into<String>) -> Refused {
        Refused { why: Why::Usage, message: message.into() }
    }

    pub fn fault(message: impl Into<String>) -> Refused {
        Refused { why: Why::Fault, message: message.into() }
    }

    pub fn undecided(message: impl Into<String>) -> Refused {
        Refused { why: Why::Undecided, message: message.into() }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refused {}

/// Decides claims by a plan, and collects what is found, until all is decided, the lanes end, or somebody asks for
/// a stop.
pub fn check(problem: &Arc<Problem>, claims: &[ClaimId], plan: &Plan, stop: &Stop) -> Answers {
    let mut answers = supervise::within(stop, None, |own| collect(problem, claims, plan, own));
    answers.close(stop.reason());
    answers
}

/// Runs a plan and collects its answers. Proofs may rest on conditions that were not checked: the caller decides
/// those.
pub(crate) fn collect(problem: &Arc<Problem>, claims: &[ClaimId], plan: &Plan, stop: &Stop) -> Answers {
    let answers = Mutex::new(Answers::new(problem, claims, plan, Instant::now()));
    let absorb = |event| answers.lock().expect("no holder panics").absorb(event);
    run(problem, claims, plan, &[], stop, &absorb);
    answers.into_inner().expect("no holder panics")
}
