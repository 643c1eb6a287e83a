//! `buttress prove`: the two queries of inductive verification, with a user's lemmas or without.

use std::fmt::Write;

use buttress_driver::people::listed;
use buttress_driver::prove::{Attempt, Attempts, Shown, States, prove as attempt};
use buttress_driver::report::NOT_A_BUG;
use buttress_driver::{Claim, Refused};
use buttress_solve::Stop;

use crate::args::ProveArgs;
use crate::command::{self, Done, load_model, more_severe, solvers};
use crate::report::trace::table;
use crate::{exit, out};

pub fn prove(args: ProveArgs) -> ! {
    command::run(args.limits, false, move |stop, _| run(&args, stop))
}

fn run(args: &ProveArgs, stop: &Stop) -> Result<Done, Refused> {
    let problem = load_model(&args.model, &args.limits)?;
    let claims = problem.select(&args.property).map_err(|m| Refused::usage(format!("error: {m}")))?;
    let smt = solvers(&args.limits, None, None, 0);
    let Attempts { candidates, notes, claims } =
        attempt(&problem, &claims, args.lemmas.as_deref(), &smt, stop)?;
    notes.iter().for_each(|note| out::note(note));
    let mut text = String::new();
    if let Some(candidates) = candidates {
        let (used, given) = (candidates.used, candidates.given);
        let _ = writeln!(text, "candidates: {used} of {given} are inductive and were used");
    }
    let mut worst = exit::PROVED;
    for (claim, attempt, seconds) in &claims {
        let (code, said) = describe(problem.claim(*claim), attempt, *seconds);
        text.push_str(&said);
        worst = more_severe(worst, code);
    }
    Ok(Done { code: worst, text })
}

fn describe(claim: &Claim, attempt: &Attempt, seconds: f64) -> (u8, String) {
    let title = &claim.title;
    match attempt {
        Attempt::Proved(how) if claim.is_goal() => {
            (exit::FALSIFIED, format!("{title}: unreachable ({how})\n"))
        }
        Attempt::Proved(how) => (exit::PROVED, format!("{title}: proved ({how}, {seconds:.2} s)\n")),
        Attempt::Violated(_) if claim.is_goal() => (exit::PROVED, format!("{title}: reached at step 0\n")),
        Attempt::Violated(trace) => {
            let text = format!("{title}: falsified at step 0 (initiation fails)\n{}", table(trace));
            (exit::FALSIFIED, text)
        }
        Attempt::NotProved { why, states } => {
            let states = states.as_ref().map_or_else(String::new, states_text);
            (exit::UNDECIDED, format!("{title}: undecided: {why}\n{states}"))
        }
        Attempt::Fault(why) => (exit::FAULT, format!("{title}: ERROR: {why}\n")),
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
