//! The report for people: one line a property, in words that cannot be misread.

use std::fmt::Write;

use anstyle::AnsiColor;
use buttress_driver::Report;
use buttress_driver::report::{
    By, CoreReport, Count, CtiReport, Finding, LemmaCount, MonitorReport, Open, Outcome, Proved, TraceReport,
    Violated,
};

use crate::{count, story, trace};

/// Prints a report piece by piece: what is settled as soon as it is, the rest at the end.
pub struct Text {
    verbose: bool,
    /// Whether traces show signals that the file has no name for.
    all_signals: bool,
    begun: bool,
    told: Vec<usize>,
}

impl Text {
    pub fn new(verbose: bool, all_signals: bool) -> Text {
        Text { verbose, all_signals, begun: false, told: Vec::new() }
    }

    /// The head of the report: the size of the model, and stories.
    fn head(&mut self, report: &Report) -> String {
        self.begun = true;
        let mut text = String::new();
        if self.verbose {
            let counts: Vec<String> =
                report.size.iter().map(|Count(n, one, many)| count(*n, one, many)).collect();
            let file = report.file.as_deref().unwrap_or_default();
            let _ = writeln!(text, "{file}: {}", header(&counts));
        }
        for finding in &report.properties {
            finding.stories.iter().for_each(|told| text.push_str(&story::text(&finding.title, told)));
        }
        text
    }

    /// Findings that are settled, each with its place in the report.
    pub fn settled(&mut self, findings: &[(usize, Finding)], report: &dyn Fn() -> Report) -> String {
        let mut text = if self.begun { String::new() } else { self.head(&report()) };
        for (place, finding) in findings {
            self.told.push(*place);
            text.push_str(&self.finding(finding));
        }
        text
    }

    /// All that was not told yet.
    pub fn rest(&mut self, report: &Report) -> String {
        let mut text = if self.begun { String::new() } else { self.head(report) };
        text.push_str(&known(report));
        for (place, finding) in report.properties.iter().enumerate() {
            if !self.told.contains(&place) {
                text.push_str(&self.finding(finding));
            }
        }
        // One property says it itself.
        if report.properties.len() != 1 {
            let _ = writeln!(text, "{}", summary(report));
        }
        text
    }

    fn finding(&self, finding: &Finding) -> String {
        let mut text = format!("{}: {}\n", finding.title, coloured(finding));
        if let Some(place) = finding.place.as_ref().filter(|_| self.verbose) {
            let _ = writeln!(text, "  at {place}");
        }
        text.push_str(&evidence(finding, self.verbose, self.all_signals));
        for said in &finding.rejected {
            let _ = writeln!(text, "  the evidence from {} was rejected: {}", said.title, said.reason);
        }
        text
    }
}

/// How many lemmas and verdicts from files were used.
fn known(report: &Report) -> String {
    match (report.lemmas, report.recalled) {
        (None, None) => String::new(),
        (Some(LemmaCount { used, given }), None) => {
            format!("lemmas: {used} of {given} are inductive together and were used\n")
        }
        (lemmas, Some(verdicts)) => {
            let lemmas = lemmas.map(|l| format!("{} of {} lemmas", l.used, l.given));
            let recalled = format!("{} of {}", verdicts.used, count(verdicts.given, "verdict", "verdicts"));
            let recalled = Some(recalled).filter(|_| verdicts.given > 0);
            let all: Vec<String> = lemmas.into_iter().chain(recalled).collect();
            if all.is_empty() { String::new() } else { format!("state: {} still hold\n", all.join(", ")) }
        }
    }
}

/// The words that bits stand for are told before them.
fn header(counts: &[String]) -> String {
    counts.join(", ").replace("in bits, ", "in bits ")
}

/// Who decided it and how, or why nobody did: what stands after the verdict.
pub fn grounds(finding: &Finding) -> String {
    let untimed = Finding { seconds: None, ..finding.clone() };
    describe(&untimed)
}

/// What is said of it, with the verdict in the colour of its kind; where nobody sees colours, they are taken away
/// when it is printed.
fn coloured(finding: &Finding) -> String {
    let colour = match &finding.outcome {
        Outcome::Proved(proved) if proved.vacuous => AnsiColor::Yellow,
        Outcome::Proved(_) | Outcome::Reached(_) => AnsiColor::Green,
        Outcome::Falsified(_) | Outcome::Unreachable(_) | Outcome::Error { .. } => AnsiColor::Red,
        Outcome::Undecided(_) => AnsiColor::Yellow,
    };
    let (said, style) = (describe(finding), colour.on_default().bold());
    let (verdict, rest) = said.split_at(said.find([' ', ':', ',']).unwrap_or(said.len()));
    format!("{style}{verdict}{style:#}{rest}")
}

fn describe(finding: &Finding) -> String {
    let seconds = &after(finding.seconds);
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
                Some(steps) if finding.goal => format!(", not reached up to step {steps}"),
                Some(steps) if finding.live => {
                    format!(", no lasso of up to {}", count(*steps, "step", "steps"))
                }
                Some(steps) => format!(", no violation up to step {steps}"),
                None => String::new(),
            };
            let known = format!("{bound}{seconds}");
            let known = known.strip_prefix(", ").map(|known| format!(" ({known})")).unwrap_or_default();
            format!("undecided: {reason}{known}")
        }
    }
}

/// The end of a list of what is known: when, where times are told.
fn after(seconds: Option<f64>) -> String {
    seconds.map(|seconds| format!(", {seconds:.2} s")).unwrap_or_default()
}

fn by_proof(proved: &Proved, seconds: &str) -> String {
    let by = finder(&proved.by);
    match proved.states {
        Some(states) => format!(", vacuous: {} ({by}{seconds})", vacuity(states)),
        None => format!(" ({by}, {}{seconds})", strength(proved)),
    }
}

fn by_trace(violated: &Violated, seconds: &str) -> String {
    let finder = finder(&violated.by);
    match violated.back_to_step {
        None => format!("at step {} ({finder}{seconds})", violated.step),
        Some(back) => {
            let steps = count(violated.step + 1, "step", "steps");
            format!("by a lasso of {steps}, back to step {back} ({finder}{seconds})")
        }
    }
}

/// Who found it, and where, if not here.
fn finder(by: &By) -> String {
    match &by.from {
        Some(from) => format!("{} in {from}", by.title),
        None => by.title.to_string(),
    }
}

/// The warning of a vacuous proof.
pub fn vacuity(states: usize) -> String {
    match states {
        1 => "no execution exists, the constraints contradict the resets".to_string(),
        n => format!("no execution goes beyond step {}, the constraints end them all", n - 2),
    }
}

fn strength(proved: &Proved) -> String {
    if let Some(sets) = proved.sets {
        return format!("on {} of states", count(sets, "set", "sets"));
    }
    let distinct = if proved.distinct_states { ", distinct states" } else { "" };
    let clauses = match proved.conjuncts {
        0 => String::new(),
        n => format!(", {}", count(n, "clause", "clauses")),
    };
    let together = match proved.proved_together.len() {
        0 | 1 => String::new(),
        n => format!(", together with {} other proved propert{}", n - 1, if n == 2 { "y" } else { "ies" }),
    };
    let monitor = proved.monitor.map(|monitor| format!("{}, ", self::monitor(monitor))).unwrap_or_default();
    format!("{monitor}k = {}{distinct}{clauses}{together}", proved.k)
}

/// Why a proof of liveness is one.
pub(crate) fn monitor(monitor: MonitorReport) -> String {
    match monitor {
        MonitorReport::Loop => "no loop".to_string(),
        MonitorReport::Visits { at_most } => {
            format!("{} at most", count(at_most as usize, "visit", "visits"))
        }
        MonitorReport::Arenas { number } => count(number, "arena", "arenas"),
    }
}

/// How long the check took.
fn checked(by: &By, verbose: bool) -> String {
    let seconds = by.checking_seconds.filter(|_| verbose);
    seconds.map(|seconds| format!("  its evidence was checked in {seconds:.2} s\n")).unwrap_or_default()
}

/// The evidence of a verdict, or the reason why there is none.
fn evidence(finding: &Finding, verbose: bool, all_signals: bool) -> String {
    let mut text = String::new();
    match &finding.outcome {
        Outcome::Proved(proved) | Outcome::Unreachable(proved) => {
            proved.core.iter().for_each(|core| text.push_str(&needed(core)));
            text.push_str(&checked(&proved.by, verbose));
            // What holds for all places is more than that the property holds.
            text.extend(proved.why.iter().map(|line| format!("  {line}\n")));
            if verbose || proved.for_all || !proved.why.is_empty() {
                let lines = proved.invariant.iter().map(|c| format!("  invariant: {c}\n"));
                text.extend(lines);
            }
        }
        Outcome::Falsified(violated) | Outcome::Reached(violated) => {
            text.push_str(&checked(&violated.by, verbose));
            violated.remarks.iter().for_each(|remark| {
                let _ = writeln!(text, "  {remark}");
            });
            let of_source = violated.trace.signals.iter().any(|signal| signal.stream.is_some());
            if verbose || of_source {
                text.push_str(&shown(&violated.trace, all_signals));
            }
        }
        Outcome::Undecided(Open { cti: Some(cti), .. }) => text.push_str(&step_failure(cti)),
        Outcome::Undecided(_) | Outcome::Error { .. } => {}
    }
    text
}

/// A trace, without signals that the file has no name for unless they are wanted.
fn shown(trace: &TraceReport, all_signals: bool) -> String {
    let (named, left_out) = if all_signals { (trace.clone(), 0) } else { trace.named() };
    let mut text = trace::table(&named);
    if left_out > 0 {
        let signals = count(left_out, "signal has", "signals have");
        let _ = writeln!(text, "  {signals} no name: see --all-signals");
    }
    text
}

/// The core of a proof, in words.
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

/// How many properties were proved, falsified, left open.
pub fn summary(report: &Report) -> String {
    let count = |is: fn(&Outcome) -> bool| report.properties.iter().filter(|f| is(&f.outcome)).count();
    if report.properties.is_empty() {
        return "nothing to decide: the model has no property".to_string();
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
    let seconds = report.seconds.map(|seconds| format!(" in {seconds:.2} s")).unwrap_or_default();
    format!("{proved} proved, {falsified} falsified, {goals}{undecided} undecided{seconds}")
}
