//! The two queries of inductive verification, with a user's lemmas or without: initiation and consecution. What
//! fails comes with the states that induction could not exclude, and is labelled as what it is: not a bug.
//!
//! * [`clauses`]: lemmas that are clauses over the bits of a model;
//! * [`stated`]: lemmas in the language of a model of words.
//!
//! Only what the judge accepted on the original is called proved, and only where all that proofs of the model rest
//! on is proved, too.

mod clauses;
mod stated;

use std::path::Path;
use std::sync::Arc;

use buttress_solve::Stop;
use buttress_solve::smt::Config;

use crate::Refused;
use crate::files::is_saved;
use crate::load::read_text;
use crate::problem::{ClaimId, Original, Problem};
use crate::report::{Assignments, TraceReport};

/// The result of an attempt to prove a claim by induction.
pub enum Attempt {
    /// How, in words.
    Proved(String),
    /// A start violates it.
    Violated(TraceReport),
    /// The failed query, in words, and the states that satisfy it.
    NotProved { why: String, states: Option<States> },
    /// The check rejected what was found: a fault of our own.
    Fault(String),
}

/// States that induction could not exclude, or that violate a lemma at the start.
pub struct States {
    pub at_start: bool,
    pub shown: Shown,
}

pub enum Shown {
    Trace(TraceReport),
    /// All states with these latches, by these inputs.
    Cube {
        latches: Assignments,
        inputs: Assignments,
    },
}

/// The messages of a failed consecution query and of a failed initiation query.
const KEPT: &str = "is not inductive (initiation holds, consecution fails)";
const AT_START: &str = "does not hold at the start (initiation fails)";

/// Candidates that are inductive together with the lemmas, of so many given.
pub struct Candidates {
    pub used: usize,
    pub given: usize,
}

/// The attempts in the order of the claims.
pub struct Attempts {
    pub candidates: Option<Candidates>,
    pub notes: Vec<String>,
    pub claims: Vec<(ClaimId, Attempt, f64)>,
}

/// Tries to prove each claim.
pub fn prove(
    problem: &Arc<Problem>,
    claims: &[ClaimId],
    lemmas: Option<&Path>,
    smt: &Config,
    stop: &Stop,
) -> Result<Attempts, Refused> {
    let saved = lemmas.map(read_text).transpose()?.is_some_and(|text| is_saved(&text));
    let by_clauses = match problem.original() {
        Original::Bits(_) => true,
        Original::Words(_) => {
            saved || (smt.solvers.is_empty() && lemmas.is_none() && problem.bits().is_some())
        }
        Original::Maps(_) => {
            let why = "models with maps are proved by `check`, from predicates";
            return Err(Refused::usage(format!("{}: error: {why}", problem.path)));
        }
    };
    let mut attempts = match by_clauses {
        true => clauses::prove(problem, claims, lemmas, stop)?,
        false => stated::prove(problem, claims, lemmas, smt, stop)?,
    };
    withdraw(problem, &mut attempts);
    Ok(attempts)
}

/// An execution ends where a condition is violated, so a proof says nothing about what comes then.
fn withdraw(problem: &Problem, attempts: &mut Attempts) {
    let proved = |c: &ClaimId| {
        attempts.claims.iter().any(|(claim, a, _)| claim == c && matches!(a, Attempt::Proved(_)))
    };
    let Some(open) = problem.conditions().iter().find(|c| !proved(c)).copied() else { return };
    let title = problem.claim(open).title.clone();
    for (claim, attempt, _) in &mut attempts.claims {
        if *claim != open && matches!(attempt, Attempt::Proved(_)) {
            let why = format!("it rests on {title}, which is not proved");
            *attempt = Attempt::NotProved { why, states: None };
        }
    }
}
