//! `buttress core`, `dead` and `conflict`: which elements of a model its proofs need, which branches are never
//! taken, and why there are no executions.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use buttress_driver::cores::{
    Anatomy, CoreOutcome, Fate, Fineness, Means, Method as How, Quest, analyse, conflict as find_conflict,
    dead as find_dead, diversity, read_rows, reduced_source, vacuity,
};
use buttress_driver::{Choice, Original, Refused};
use buttress_engine::Engine;
use buttress_report::{cores as printed, matrix};
use buttress_solve::Stop;

use crate::args::{ConflictArgs, CoreArgs, DeadArgs, Granularity, LimitArgs, Method};
use crate::command::{self, Done, load_model, more_severe, solvers};
use crate::{exit, formulas};

pub fn core(args: CoreArgs) -> ! {
    command::run(args.limits, args.json, move |stop, say| run_core(&args, stop, say))
}

fn run_core(args: &CoreArgs, stop: &Stop, say: &dyn Fn(String)) -> Result<Done, Refused> {
    let mut problem = load_model(&args.model, &args.limits)?;
    let own = Arc::get_mut(&mut problem).expect("nobody else has it yet");
    formulas::state_linear(&args.ltl, &args.ltl_file, own)?;
    let fineness = match args.granularity {
        Some(_) if problem.source().is_none() => {
            let why = "--granularity does not apply: it is for Lustre models";
            return Err(Refused::usage(format!("{}: error: {why}", problem.path)));
        }
        None | Some(Granularity::Equations) => Fineness::Equations,
        Some(Granularity::Flattened) => Fineness::Flattened,
        Some(Granularity::Subexpressions) => Fineness::Subexpressions,
    };
    if args.listing && matches!(problem.original(), Original::Bits(_)) {
        let why = "--listing does not apply: an AIGER file has no lines that people read";
        return Err(Refused::usage(format!("{}: error: {why}", problem.path)));
    }
    let means = core_means(args)?;
    let claims = formulas::select(&problem, &args.property)?;
    let anatomy = Anatomy::of(&problem, fineness, &claims)?;
    means.choice.plan(&problem, &claims)?;
    let method = match args.method {
        Method::Uc => How::Uc,
        Method::Bf => How::Bf,
        Method::Ucbf => How::Ucbf,
    };
    let all = args.all.map(|most| most.unwrap_or(usize::MAX));
    let quest = Quest { method, must: args.must, all };
    let colours = std::io::stdout().is_terminal();
    let (mut all_told, mut code, mut unwritten) = (Vec::new(), exit::PROVED, None);
    analyse(&anatomy, &claims, &quest, &means, stop, &mut |finding| {
        let proved = matches!(finding.outcome, CoreOutcome::Proved(_));
        let claim = finding.claim;
        let told = printed::CoreDetails {
            vacuity: (args.vacuity && proved).then(|| vacuity(&anatomy, claim, &means, stop)),
            diversity: (args.diversity && proved).then(|| diversity(&anatomy, claim, &means, stop)),
            finding,
        };
        code = more_severe(code, code_of(&told.finding.outcome));
        if !args.json {
            say(printed::text(&anatomy, &told, args.listing.then_some(colours)));
        }
        if let (Some(path), CoreOutcome::Proved(needed)) = (&args.reduced, &told.finding.outcome) {
            let source = reduced_source(&anatomy, claim, &needed.core, &means, stop);
            let written = source.and_then(|bytes| {
                let failed = |error| Refused::fault(format!("error: {}: {error}", path.display()));
                std::fs::write(path, bytes).map_err(failed)
            });
            unwritten = unwritten.take().or(written.err());
        }
        all_told.push(told);
    });
    if let Some(refused) = unwritten {
        return Err(refused);
    }
    if let Some(path) = &args.matrix {
        matrix::write(path, &anatomy, &all_told).map_err(|why| Refused::fault(format!("error: {why}")))?;
    }
    let uncovered = args.completeness.then(|| matrix::uncovered(&anatomy, &all_told));
    let text = match (args.json, args.completeness) {
        (true, _) => printed::json(&anatomy, &all_told, uncovered.as_deref(), code),
        (false, true) => matrix::completeness(&anatomy, &all_told),
        (false, false) => String::new(),
    };
    Ok(Done { code, text })
}

fn code_of(outcome: &CoreOutcome) -> u8 {
    match outcome {
        CoreOutcome::Proved(_) | CoreOutcome::Goal => exit::PROVED,
        CoreOutcome::Falsified { .. } => exit::FALSIFIED,
        CoreOutcome::Undecided(_) => exit::UNDECIDED,
        CoreOutcome::Fault(_) => exit::FAULT,
    }
}

/// For one question of whether fewer elements suffice.
const PATIENCE: Duration = Duration::from_secs(10);

fn core_means(args: &CoreArgs) -> Result<Means, Refused> {
    let seed = args.seed.unwrap_or(0);
    let mut means = means(&args.limits, args.smt_log.as_deref(), seed, args.patience, &args.engine);
    if let Some(wanted) = &args.solver {
        means.choice.smt.solvers.retain(|found| found.adapter.name == wanted);
        if means.choice.smt.solvers.is_empty() {
            return Err(Refused::usage(format!("error: there is no SMT solver '{wanted}' here")));
        }
    }
    Ok(means)
}

fn means(
    limits: &LimitArgs,
    log: Option<&std::path::Path>,
    seed: u64,
    patience: Option<Duration>,
    engines: &[&'static Engine],
) -> Means {
    let mut smt = solvers(limits, log, None, seed);
    smt.idle = Some(Arc::default());
    // Proofs that compare states have no core; proofs about integers are read best where they speak of integers.
    let (engines, distinct, in_words) = (engines.to_vec(), false, true);
    let memory = limits.memory;
    let choice = Choice { engines, smt, seed, distinct, memory, in_words, ..Choice::default() };
    Means { choice, patience: Some(patience.unwrap_or(PATIENCE)) }
}

pub fn dead(args: DeadArgs) -> ! {
    command::run(args.limits, args.json, move |stop, say| run_dead(&args, stop, say))
}

fn run_dead(args: &DeadArgs, stop: &Stop, say: &dyn Fn(String)) -> Result<Done, Refused> {
    let problem = load_model(&args.model, &args.limits)?;
    let anatomy = Anatomy::of(&problem, Fineness::Equations, &[])?;
    let means = means(&args.limits, None, 0, args.patience, &[]);
    let (mut all, mut dead, mut open, mut told) = (0, 0, 0, Vec::new());
    find_dead(&anatomy, &means, stop, &mut |branch| {
        all += 1;
        dead += usize::from(matches!(branch.fate, Fate::Dead(_)));
        open += usize::from(matches!(branch.fate, Fate::Undecided(_)));
        match args.json {
            true => told.push(printed::branch_json(&anatomy, &branch)),
            false => say(printed::branch(&anatomy, &branch, args.vectors)),
        }
    })?;
    let code = if open > 0 { exit::UNDECIDED } else { exit::PROVED };
    let text = match args.json {
        true => printed::dead_json(&anatomy, told, code),
        false => format!("{all} branches: {dead} dead, {open} undecided, {} reached\n", all - dead - open),
    };
    Ok(Done { code, text })
}

pub fn conflict(args: ConflictArgs) -> ! {
    command::run(args.limits, args.json, move |stop, _| run_conflict(&args, stop))
}

fn run_conflict(args: &ConflictArgs, stop: &Stop) -> Result<Done, Refused> {
    let problem = load_model(&args.model, &args.limits)?;
    let anatomy = Anatomy::of(&problem, Fineness::Equations, &[])?;
    let means = means(&args.limits, None, 0, None, &[]);
    let claims = problem.select(&[]).unwrap_or_default();
    means.choice.plan(&problem, &claims)?;
    let rows = args.stimulus.as_deref().map(|path| read_rows(&anatomy, path)).transpose()?;
    let (mut steps, mut with) = (args.steps as usize, "");
    if let Some(rows) = &rows {
        (steps, with) = (steps.min(rows.len()), " with these inputs");
    }
    let found = find_conflict(&anatomy, rows.as_ref(), steps, &means, stop)?;
    if args.json {
        let code = if found.is_some() { exit::FALSIFIED } else { exit::PROVED };
        let found = found.as_ref().map(|conflict| (&conflict.core, conflict.states));
        return Ok(Done { code, text: printed::conflict_json(&anatomy, found, steps, code) });
    }
    Ok(match found {
        Some(conflict) => {
            let text = printed::conflict(&anatomy, &conflict.core, conflict.states, with);
            Done { code: exit::FALSIFIED, text }
        }
        None => {
            let path = &problem.path;
            let text = format!("{path}: no conflict: there are executions of {steps} states{with}\n");
            Done { code: exit::PROVED, text }
        }
    })
}
