//! The report for people: one line a property, in words that cannot be misread.

use buttress_check::{Evidence, Vacuous};
use buttress_engine::Engine;
use buttress_system::Proof;

use super::{story, trace, words};
use crate::check::{Cti, Explained, Finding, Findings, Outcome};
use crate::driver::Accepted;
use crate::model::Model;

pub fn print(findings: &Findings, verbose: bool) {
    let Some(model) = &findings.model else {
        let why = findings.cut_short().unwrap_or_else(|| "not tried".to_string());
        println!("undecided: {why} while reading the model");
        return;
    };
    if verbose {
        println!("{}", header(model));
    }
    findings.stories.iter().for_each(|told| story::print(model, told));
    if let Some((usable, given)) = findings.lemmas {
        println!("lemmas: {usable} of {given} are inductive together and were used");
    }
    for finding in &findings.properties {
        println!("{}: {}", model.title(finding.property), describe(model, findings, finding));
        if let Outcome::Decided { .. } = finding.outcome {
            finding.core.iter().for_each(explain);
        }
        if let (Some(cti), Outcome::Open) = (&finding.cti, &finding.outcome) {
            print!("{}", step_failure(model, cti));
        }
        if verbose {
            details(model, finding);
        } else {
            claims(model, finding);
            counterexample(model, finding);
        }
    }
    for j in 0..findings.liveness() {
        println!("j{j}: undecided: liveness is not checked yet");
    }
    findings.faults.iter().for_each(|fault| eprintln!("error: {fault}"));
    summary(findings);
}

/// What a proof needs of the model.
fn explain(core: &Result<Explained, String>) {
    let explained = match core {
        Ok(explained) => explained,
        Err(why) => return println!("  core: not known: {why}"),
    };
    let names: Vec<&str> = explained.core.iter().map(|label| &*label.name).collect();
    let (needed, all) = (names.len(), explained.elements);
    println!("  core: {needed} of {all} elements{}{}", if needed > 0 { ": " } else { "" }, names.join(", "));
    if let Some(warning) = explained.warning() {
        println!("  WARNING: {warning}");
    }
}

fn header(model: &Model) -> String {
    if let Some(blasted) = model.words.as_ref().filter(|_| model.beyond_bits) {
        let s = blasted.words();
        let counts = [
            count(s.inputs.len(), "input", "inputs"),
            count(s.states.len(), "state", "states"),
            count(s.constraints.len(), "constraint", "constraints"),
            count(s.properties.len(), "property", "properties"),
        ];
        return format!("{}: {}", model.path, counts.join(", "));
    }
    let s = &model.system;
    let words = match &model.words {
        Some(words) => format!("{}, in bits ", count(words.words().states.len(), "state", "states")),
        None => String::new(),
    };
    let counts = [
        count(s.num_inputs(), "input", "inputs"),
        count(s.num_latches(), "latch", "latches"),
        count(s.num_gates(), "gate", "gates"),
        count(s.constraints.len(), "constraint", "constraints"),
        count(s.properties.len(), "property", "properties"),
    ];
    format!("{}: {words}{}", model.path, counts.join(", "))
}

pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn describe(model: &Model, findings: &Findings, finding: &Finding) -> String {
    let seconds = finding.seconds;
    let cover = model.is_cover(finding.property);
    match &finding.outcome {
        Outcome::Decided { engine, checked, .. } => decided(engine, checked, seconds, cover),
        Outcome::Rejected { engine, why } => {
            format!("ERROR: the evidence from {} was rejected: {why}", engine.title)
        }
        Outcome::Open => {
            let bound = match finding.bound {
                Some(steps) if cover => format!("not reached up to step {steps}, "),
                Some(steps) => format!("no violation up to step {steps}, "),
                None => String::new(),
            };
            format!("undecided: {} ({bound}{seconds:.2} s)", findings.reason(finding))
        }
    }
}

fn decided(engine: &Engine, checked: &Accepted, seconds: f64, cover: bool) -> String {
    let by = engine.title;
    let (falsified, proved) =
        if cover { ("reached", "unreachable: proved") } else { ("falsified", "proved") };
    match checked.evidence() {
        Evidence::Trace(trace) => {
            format!("{falsified} at step {} ({by}, {seconds:.2} s)", trace.last_step())
        }
        Evidence::Proof(proof) => match checked.vacuous() {
            Some(vacuous) => format!("{proved}, vacuous: {} ({by}, {seconds:.2} s)", vacuity(vacuous)),
            None => format!("{proved} ({by}, {}, {seconds:.2} s)", strength(proof)),
        },
    }
}

/// What a vacuous proof should make its reader think of.
pub fn vacuity(vacuous: Vacuous) -> String {
    match vacuous.states {
        1 => "no execution exists, the constraints contradict the resets".to_string(),
        n => format!("no execution goes beyond step {}, the constraints end them all", n - 2),
    }
}

fn strength(proof: &Proof) -> String {
    let distinct = if proof.distinct.is_some() { ", distinct states" } else { "" };
    let clauses = match proof.invariant.len() {
        0 => String::new(),
        1 => ", 1 clause".to_string(),
        n => format!(", {n} clauses"),
    };
    let together = match proof.properties.len() {
        1 => String::new(),
        n => format!(", together with {} other proved propert{}", n - 1, if n == 2 { "y" } else { "ies" }),
    };
    format!("k = {}{distinct}{clauses}{together}", proof.k)
}

fn details(model: &Model, finding: &Finding) {
    let Outcome::Decided { checked, checking, .. } = &finding.outcome else { return };
    println!("  its evidence was checked in {checking:.2} s");
    match checked.evidence() {
        Evidence::Trace(_) if model.source.is_some() => counterexample(model, finding),
        Evidence::Trace(trace) => print!("{}", trace::waves_table(&words::waves(model, checked, trace))),
        Evidence::Proof(proof) => {
            for conjunct in words::invariant(model, checked, proof) {
                println!("  invariant: {conjunct}");
            }
        }
    }
}

/// What holds for all places: the answer is more than that the property holds.
fn claims(model: &Model, finding: &Finding) {
    let Outcome::Decided { checked, .. } = &finding.outcome else { return };
    if let (Accepted::Indexed { .. }, Evidence::Proof(proof)) = (&**checked, checked.evidence()) {
        words::invariant(model, checked, proof).iter().for_each(|c| println!("  invariant: {c}"));
    }
}

/// A trace in the language of the user, where there is one.
fn counterexample(model: &Model, finding: &Finding) {
    if let Outcome::Decided { checked, .. } = &finding.outcome
        && let Some(execution) = words::execution(model, checked)
    {
        print!("{}", execution.table());
    }
}

/// What is said of states that are no counterexample to the property, only to its proof.
pub const NOT_A_BUG: &str = "not a bug: a state that induction could not exclude";

/// Where k-induction failed.
fn step_failure(model: &Model, cti: &Cti) -> String {
    let states = if cti.k == 1 { "1 state".to_string() } else { format!("{} states", cti.k) };
    let table = trace::waves_table(&cti.waves(model));
    format!("  {NOT_A_BUG}\n  k = {}: the property holds in {states}, then it is violated\n{table}", cti.k)
}

fn summary(findings: &Findings) {
    let is_cover = |f: &Finding| findings.model.as_ref().is_some_and(|m| m.is_cover(f.property));
    let (unreachable, proved): (Vec<_>, Vec<_>) = findings.proofs().partition(|(f, _)| is_cover(f));
    let (reached, falsified): (Vec<_>, Vec<_>) = findings.traces().partition(|(f, _)| is_cover(f));
    let covers = match findings.properties.iter().any(is_cover) {
        true => format!("{} reached, {} unreachable, ", reached.len(), unreachable.len()),
        false => String::new(),
    };
    let (proved, falsified) = (proved.len(), falsified.len());
    let total = findings.properties.len() + findings.liveness();
    if total == 0 {
        println!("nothing to decide: the model has no property");
    } else if total > 1 {
        let undecided = findings.undecided();
        println!(
            "{proved} proved, {falsified} falsified, {covers}{undecided} undecided in {:.2} s",
            findings.seconds
        );
    }
}
