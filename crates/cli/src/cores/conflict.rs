//! `buttress conflict`: why no next state exists.
//!
//! Constraints may end all executions. The smallest n such that there is no execution of n states is looked for, and the
//! elements that contradict each other up to there are named. `check` confirms it: of the system with these elements only,
//! it finds no execution of n states either. With `--stimulus` the same is asked of one simulation, whose inputs are given.

use std::process::ExitCode;
use std::sync::Arc;

use buttress_check::Refusal;
use buttress_cores::{no_execution, reduced};
use buttress_solve::{Stop, Stopped};
use buttress_system::words::{Label, Property, PropertyKind, WordProof};
use buttress_system::{ElementSet, PropertyId};

use super::driven;
use super::prover::{Means, able, certify, unsat};
use super::report::name;
use super::subject::{Detail, Subject, place};
use crate::args::ConflictArgs;
use crate::exit;
use crate::limits::{Limits, run_within};
use crate::model::Refused;

pub fn conflict(args: &ConflictArgs) -> ExitCode {
    run_within(Limits::of_time(args.timeout), |stop| run(args, stop))
}

fn run(args: &ConflictArgs, stop: &Stop) -> Result<u8, Refused> {
    let mut subject = Subject::load(&args.model, Detail::Equations)?;
    let means = super::means_of(&[], None, None, 0, None)?;
    able(&subject.system, &means)
        .map_err(|why| (exit::UNDECIDED, format!("{}: error: {why}", subject.path)))?;
    let given = args.stimulus.as_deref().map(|path| driven::read(&subject, path)).transpose();
    let given = given.map_err(|message| (exit::INPUT, message))?;
    let (mut steps, mut with) = (args.steps as usize, "");
    if let Some(rows) = given {
        (steps, with) = (steps.min(rows.len()), " with these inputs");
        subject.system = Arc::new(driven::driven(&subject.system, &rows));
    }
    let undecided = |why: Stopped| (exit::UNDECIDED, format!("{}: undecided: {why}", subject.path));
    for states in 1..=steps {
        let mut fresh = || unsat(&subject.system, &means, stop);
        let all = subject.elements.all();
        let found = no_execution(&subject.system, &subject.elements, &all, states, &mut fresh);
        if let Some(core) = found.map_err(undecided)? {
            confirm(&subject, &core, states, &means, stop)?;
            print(&subject, &core, states, with);
            return Ok(exit::FALSIFIED);
        }
    }
    println!("{}: no conflict: there are executions of {steps} states{with}", subject.path);
    Ok(exit::PROVED)
}

fn print(subject: &Subject, core: &ElementSet, states: usize, with: &str) {
    println!("{}: conflict: there is no execution of {states} states{with}", subject.path);
    println!("  because of {} of {} elements:", core.len(), subject.elements.len());
    for &element in core {
        let label = &subject.elements.get(element).label;
        let excerpt = label.span.map_or_else(String::new, |span| subject.excerpt(span));
        println!("    {}  {}  {excerpt}", name(subject, element), place(label));
    }
}

/// A property that always holds, proved for so many states: the check says whether there are executions.
fn confirm(
    subject: &Subject,
    core: &ElementSet,
    states: usize,
    means: &Means,
    stop: &Stop,
) -> Result<(), Refused> {
    let mut system = reduced(&subject.system, &subject.elements, core);
    let bad = system.terms.bool(false);
    system.properties.push(Property { bad, kind: PropertyKind::Invariant, label: Label::new("true") });
    let property = PropertyId::new(system.properties.len() - 1);
    let proof = WordProof::of_properties(&system, vec![property], states as u32);
    match certify(&system, proof, means, stop) {
        Ok(checked) if checked.vacuous().is_some_and(|v| v.states <= states) => Ok(()),
        Ok(_) => Err((exit::FAULT, format!("{}: ERROR: the conflict was not confirmed", subject.path))),
        Err(Refusal::Rejected(why)) => Err((exit::FAULT, format!("{}: ERROR: {why}", subject.path))),
        Err(Refusal::Stopped(why)) => Err((exit::UNDECIDED, format!("{}: undecided: {why}", subject.path))),
    }
}
