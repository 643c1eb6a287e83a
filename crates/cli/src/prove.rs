//! `buttress prove`: the two queries of inductive verification, with a user's lemmas or without.

use std::fmt::Write;

use buttress_driver::people::listed;
use buttress_driver::prove::{Attempt, Attempts, Candidates, Shown, States, prove as attempt};
use buttress_driver::report::NOT_A_BUG;
use buttress_driver::{Claim, ClaimId, Problem, Refused};
use buttress_report::json;
use buttress_report::trace::table;
use buttress_solve::Stop;
use serde_json::{Value, json};

use crate::args::ProveArgs;
use crate::command::{self, Done, load_model, more_severe, solvers};
use crate::{exit, out};

pub fn prove(args: ProveArgs) -> ! {
    command::run(args.limits, args.json, move |stop, _| run(&args, stop))
}

fn run(args: &ProveArgs, stop: &Stop) -> Result<Done, Refused> {
    let problem = load_model(&args.model, &args.limits)?;
    let claims = problem.select(&args.property).map_err(|m| Refused::usage(format!("error: {m}")))?;
    let smt = solvers(&args.limits, None, None, 0);
    let Attempts { candidates, notes, claims } =
        attempt(&problem, &claims, args.lemmas.as_deref(), &smt, stop)?;
    notes.iter().for_each(|note| out::note(note));
    if args.json {
        return Ok(as_json(&problem, candidates.as_ref(), &claims));
    }
    let mut text = String::new();
    if let Some(candidates) = candidates {
        let (used, given) = (candidates.used, candidates.given);
        let _ = writeln!(text, "candidates: {used} of {given} are inductive and were used");
    }
    let mut worst = exit::PROVED;
    for (claim, attempt, seconds) in &claims {
        let claim = problem.claim(*claim);
        text.push_str(&describe(claim, attempt, *seconds));
        worst = more_severe(worst, code(claim, attempt));
    }
    Ok(Done { code: worst, text })
}

/// The exit code for one claim.
fn code(claim: &Claim, attempt: &Attempt) -> u8 {
    match attempt {
        Attempt::Proved(_) if claim.is_goal() => exit::FALSIFIED,
        Attempt::Violated(_) if !claim.is_goal() => exit::FALSIFIED,
        Attempt::Proved(_) | Attempt::Violated(_) => exit::PROVED,
        Attempt::NotProved { .. } => exit::UNDECIDED,
        Attempt::Fault(_) => exit::FAULT,
    }
}

fn describe(claim: &Claim, attempt: &Attempt, seconds: f64) -> String {
    let title = &claim.title;
    match attempt {
        Attempt::Proved(how) if claim.is_goal() => format!("{title}: unreachable ({how})\n"),
        Attempt::Proved(how) => format!("{title}: proved ({how}, {seconds:.2} s)\n"),
        Attempt::Violated(_) if claim.is_goal() => format!("{title}: reached at step 0\n"),
        Attempt::Violated(trace) => {
            format!("{title}: falsified at step 0 (initiation fails)\n{}", table(trace))
        }
        Attempt::NotProved { why, states } => {
            let states = states.as_ref().map_or_else(String::new, states_text);
            format!("{title}: undecided: {why}\n{states}")
        }
        Attempt::Fault(why) => format!("{title}: ERROR: {why}\n"),
    }
}

fn as_json(problem: &Problem, candidates: Option<&Candidates>, claims: &[(ClaimId, Attempt, f64)]) -> Done {
    let codes = claims.iter().map(|(claim, attempt, _)| code(problem.claim(*claim), attempt));
    let code = codes.fold(exit::PROVED, more_severe);
    let properties: Vec<Value> =
        claims.iter().map(|row| property(problem.claim(row.0), &row.1, row.2)).collect();
    let mut object = json!({"file": problem.path, "properties": properties});
    if let Some(Candidates { used, given }) = candidates {
        object["candidates"] = json!({"used": used, "given": given});
    }
    object["exit_code"] = json!(code);
    Done { code, text: json::object(json::Kind::Prove, &object) }
}

fn property(claim: &Claim, attempt: &Attempt, seconds: f64) -> Value {
    let mut object = json!({"name": claim.name, "position": claim.position, "seconds": seconds});
    let mut set = |key: &str, value: Value| object[key] = value;
    match attempt {
        Attempt::Proved(how) => {
            set("verdict", json!(if claim.is_goal() { "unreachable" } else { "proved" }));
            set("how", json!(how));
        }
        Attempt::Violated(trace) => {
            set("verdict", json!(if claim.is_goal() { "reached" } else { "falsified" }));
            set("trace", json!(trace));
        }
        Attempt::NotProved { why, states } => {
            set("verdict", json!("undecided"));
            set("reason", json!(why));
            states.iter().for_each(|states| set("states", states_json(states)));
        }
        Attempt::Fault(why) => {
            set("verdict", json!("error"));
            set("reason", json!(why));
        }
    }
    object
}

/// States that induction could not exclude.
fn states_json(states: &States) -> Value {
    let meaning = (!states.at_start).then_some(NOT_A_BUG);
    match &states.shown {
        Shown::Trace(trace) => json!({"meaning": meaning, "trace": trace}),
        Shown::Cube { latches, inputs } => json!({"meaning": meaning, "latches": latches, "inputs": inputs}),
    }
}

fn states_text(states: &States) -> String {
    let label = if states.at_start { String::new() } else { format!("  {NOT_A_BUG}\n") };
    match &states.shown {
        Shown::Trace(trace) => format!("{label}{}", table(trace)),
        Shown::Cube { latches, inputs } => {
            let latches = if latches.is_empty() { "any".to_string() } else { listed(latches, usize::MAX) };
            let inputs = if inputs.is_empty() {
                "all 0".to_string()
            } else {
                listed(inputs, usize::MAX) + ", others 0"
            };
            format!("{label}  latches: {latches}\n  inputs: {inputs}\n")
        }
    }
}
