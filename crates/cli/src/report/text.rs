//! The report for people: one line a property, in words that cannot be misread.

use std::fmt::Write;

use buttress_driver::Report;
use buttress_driver::report::{CoreReport, Count, CtiReport, Finding, Open, Outcome, Proved, Violated};

use super::{count, story, trace};

pub fn text(report: &Report, verbose: bool) -> String {
    let mut text = String::new();
    let out = &mut text;
    if verbose {
        let counts: Vec<String> =
            report.size.iter().map(|Count(n, one, many)| count(*n, one, many)).collect();
        let _ = writeln!(out, "{}: {}", report.file.as_deref().unwrap_or_default(), header(&counts));
    }
    for finding in &report.properties {
        finding.stories.iter().for_each(|told| out.push_str(&story::text(&finding.title, told)));
    }
    if let Some(lemmas) = report.lemmas {
        let (used, given) = (lemmas.used, lemmas.given);
        let _ = writeln!(out, "lemmas: {used} of {given} are inductive together and were used");
    }
    for finding in &report.properties {
        let _ = writeln!(out, "{}: {}", finding.title, describe(finding));
        out.push_str(&evidence(finding, verbose));
        for said in &finding.rejected {
            let _ = writeln!(out, "  the evidence from {} was rejected: {}", said.title, said.reason);
        }
    }
    out.push_str(&summary(report));
    text
}

/// The words that bits stand for are told before them.
fn header(counts: &[String]) -> String {
    counts.join(", ").replace("in bits, ", "in bits ")
}

fn describe(finding: &Finding) -> String {
    let seconds = finding.seconds;
    match &finding.outcome {
        Outcome::Proved(proved) => format!("proved{}", by_proof(proved, seconds)),
        Outcome::Unreachable(proved) => format!("unreachable: proved{}", by_proof(proved, seconds)),
        Outcome::Falsified(violated) => format!("falsified {}", by_trace(violated, seconds)),
        Outcome::Reached(violated) => format!("reached {}", by_trace(violated, seconds)),
        Outcome::Error { reason, engine } => {
            format!("ERROR: the evidence from {engine} was rejected: {reason}")
        }
        Outcome::Undecided(Open { reason, no_violation_up_to_step, .. }) => {
            let bound = match no_violation_up_to_step {
                Some(steps) if finding.goal => format!("not reached up to step {steps}, "),
                Some(steps) => format!("no violation up to step {steps}, "),
                None => String::new(),
            };
            format!("undecided: {reason} ({bound}{seconds:.2} s)")
        }
    }
}

fn by_proof(proved: &Proved, seconds: f64) -> String {
    let by = proved.by.title;
    match proved.states {
        Some(states) => format!(", vacuous: {} ({by}, {seconds:.2} s)", vacuity(states)),
        None => format!(" ({by}, {}, {seconds:.2} s)", strength(proved)),
    }
}

fn by_trace(violated: &Violated, seconds: f64) -> String {
    format!("at step {} ({}, {seconds:.2} s)", violated.step, violated.by.title)
}

/// What a vacuous proof should make its reader think of.
pub fn vacuity(states: usize) -> String {
    match states {
        1 => "no execution exists, the constraints contradict the resets".to_string(),
        n => format!("no execution goes beyond step {}, the constraints end them all", n - 2),
    }
}

fn strength(proved: &Proved) -> String {
    let distinct = if proved.distinct_states { ", distinct states" } else { "" };
    let clauses = match proved.conjuncts {
        0 => String::new(),
        n => format!(", {}", count(n, "clause", "clauses")),
    };
    let together = match proved.proved_together.len() {
        0 | 1 => String::new(),
        n => format!(", together with {} other proved propert{}", n - 1, if n == 2 { "y" } else { "ies" }),
    };
    format!("k = {}{distinct}{clauses}{together}", proved.k)
}

/// What stands behind a verdict, or why there is none.
fn evidence(finding: &Finding, verbose: bool) -> String {
    let mut text = String::new();
    match &finding.outcome {
        Outcome::Proved(proved) | Outcome::Unreachable(proved) => {
            proved.core.iter().for_each(|core| text.push_str(&needed(core)));
            if verbose {
                let _ = writeln!(text, "  its evidence was checked in {:.2} s", proved.by.checking_seconds);
            }
            // What holds for all places is more than that the property holds.
            if verbose || proved.for_all {
                let lines = proved.invariant.iter().map(|c| format!("  invariant: {c}\n"));
                text.extend(lines);
            }
        }
        Outcome::Falsified(violated) | Outcome::Reached(violated) => {
            if verbose {
                let _ = writeln!(text, "  its evidence was checked in {:.2} s", violated.by.checking_seconds);
            }
            let of_source = violated.trace.signals.iter().any(|signal| signal.stream.is_some());
            if verbose || of_source {
                text.push_str(&trace::table(&violated.trace));
            }
        }
        Outcome::Undecided(Open { cti: Some(cti), .. }) => text.push_str(&step_failure(cti)),
        Outcome::Undecided(_) | Outcome::Error { .. } => {}
    }
    text
}

/// What a proof needs of the model.
fn needed(core: &CoreReport) -> String {
    match core {
        CoreReport::Unknown { reason } => format!("  core: not known: {reason}\n"),
        CoreReport::Known { needed, elements, warning, .. } => {
            let (some, names) = (if needed.is_empty() { "" } else { ": " }, needed.join(", "));
            let warning = warning.as_ref().map_or_else(String::new, |w| format!("  WARNING: {w}\n"));
            format!("  core: {} of {elements} elements{some}{names}\n{warning}", needed.len())
        }
    }
}

/// Where k-induction failed.
fn step_failure(cti: &CtiReport) -> String {
    let (k, states, meaning) = (cti.k, count(cti.k, "state", "states"), cti.meaning);
    let table = trace::table(&cti.states);
    format!("  {meaning}\n  k = {k}: the property holds in {states}, then it is violated\n{table}")
}

fn summary(report: &Report) -> String {
    let count = |is: fn(&Outcome) -> bool| report.properties.iter().filter(|f| is(&f.outcome)).count();
    let total = report.properties.len();
    if total == 0 {
        return "nothing to decide: the model has no property\n".to_string();
    }
    if total == 1 {
        return String::new();
    }
    let proved = count(|o| matches!(o, Outcome::Proved(_)));
    let falsified = count(|o| matches!(o, Outcome::Falsified(_)));
    let undecided = count(|o| matches!(o, Outcome::Undecided(_) | Outcome::Error { .. }));
    let goals = match report.properties.iter().any(|f| f.goal) {
        true => {
            let reached = count(|o| matches!(o, Outcome::Reached(_)));
            let unreachable = count(|o| matches!(o, Outcome::Unreachable(_)));
            format!("{reached} reached, {unreachable} unreachable, ")
        }
        false => String::new(),
    };
    let seconds = report.seconds;
    format!("{proved} proved, {falsified} falsified, {goals}{undecided} undecided in {seconds:.2} s\n")
}
