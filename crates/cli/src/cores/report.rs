//! Cores in the user's names and places.

use buttress_system::{ElementId, ElementSet};
use serde_json::{Value, json};

use super::subject::{Subject, place};
use super::{Finding, Minimal, Outcome, Proved};
use crate::limits::Spent;
use crate::report::text::count;

pub fn text(subject: &Subject, findings: &[Finding]) {
    for finding in findings {
        let title = subject.title(finding.property);
        match &finding.outcome {
            Outcome::Proved(proved) => print_proved(subject, &title, proved),
            Outcome::Falsified(step) => println!("{title}: falsified in step {step}; it has no core"),
            Outcome::Undecided(why) => println!("{title}: undecided: {why}"),
            Outcome::Fault(why) => println!("{title}: ERROR: {why}"),
        }
    }
}

fn print_proved(subject: &Subject, title: &str, proved: &Proved) {
    let invariants = match proved.invariants {
        0 => String::new(),
        n => format!(" with {n} more"),
    };
    println!("{title}: proved by {}, k = {}{invariants}", proved.engine.title, proved.k);
    if let Some(states) = proved.vacuous {
        println!("  VACUOUS: the core leaves no execution of {states} states");
    }
    println!(
        "  core: {} of {} elements, {}; proved again without the others",
        proved.core.len(),
        subject.elements.len(),
        minimality(&proved.minimal)
    );
    let width = proved.core.iter().map(|&e| name(subject, e).chars().count()).max().unwrap_or(0);
    for &element in &proved.core {
        let mark = if is_must(proved, element) { "must" } else { "" };
        let label = &subject.elements.get(element).label;
        let excerpt = label.span.map_or_else(String::new, |span| shorten(&subject.excerpt(span)));
        let line =
            format!("    {:<width$}  {:<4}  {:>8}  {excerpt}", name(subject, element), mark, place(label));
        println!("{}", line.trim_end());
    }
    print_rest(subject, proved);
}

fn print_rest(subject: &Subject, proved: &Proved) {
    let dropped: Vec<String> =
        subject.elements.ids().filter(|e| !proved.core.contains(e)).map(|e| name(subject, e)).collect();
    if !dropped.is_empty() {
        println!("  not needed: {}", shorten(&dropped.join(", ")));
    }
    println!("  static slice: {}", count(proved.slice.len(), "element", "elements"));
    if let Some(must) = &proved.must {
        let open = open(must.undecided.len());
        println!("  in every core: {}{open}", count(must.elements.len(), "element", "elements"));
    }
    if let Some(found) = &proved.all {
        let complete = if found.complete { "all" } else { "not all" };
        println!(
            "  minimal cores: {} ({complete}); minimal cut sets: {}",
            found.cores.len(),
            found.cuts.len()
        );
        for minimised in &found.cores {
            println!("    core: {}", names(subject, &minimised.core.elements));
        }
        for cut in &found.cuts {
            println!("    cut: {}", names(subject, cut));
        }
    }
}

/// Subformulas that do not matter.
pub fn vacuity(unneeded: &[String]) {
    if unneeded.is_empty() {
        println!("  vacuity: every subformula of the property matters, as far as was found");
    }
    for formula in unneeded {
        println!("  VACUOUS: it holds whatever this part of it says: {formula}");
    }
}

pub fn minimality(minimal: &Minimal) -> String {
    match minimal {
        Minimal::ForThisProof { undecided } => format!("minimal for this proof{}", up_to(undecided)),
        Minimal::Tried { undecided } => format!("minimal{}", up_to(undecided)),
    }
}

fn up_to(undecided: &ElementSet) -> String {
    if undecided.is_empty() { String::new() } else { format!(" up to {} undecided", undecided.len()) }
}

fn open(undecided: usize) -> String {
    if undecided == 0 { String::new() } else { format!(", {undecided} undecided") }
}

fn is_must(proved: &Proved, element: ElementId) -> bool {
    proved.must.as_ref().is_some_and(|must| must.elements.contains(&element))
}

pub fn name(subject: &Subject, element: ElementId) -> String {
    subject.elements.get(element).label.name.to_string()
}

fn names(subject: &Subject, elements: &ElementSet) -> String {
    elements.iter().map(|&e| name(subject, e)).collect::<Vec<_>>().join(", ")
}

/// What fits on a line.
fn shorten(text: &str) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_string(),
    }
}

pub fn json(subject: &Subject, findings: &[Finding]) {
    let properties: Vec<Value> = findings.iter().map(|finding| property(subject, finding)).collect();
    let elements: Vec<Value> = subject.elements.ids().map(|e| element(subject, e)).collect();
    let report = json!({ "file": subject.path, "elements": elements, "properties": properties });
    println!("{}", serde_json::to_string_pretty(&report).expect("JSON is text"));
}

fn element(subject: &Subject, id: ElementId) -> Value {
    let element = subject.elements.get(id);
    let span = element.label.span.map(|s| json!([s.line, s.column, s.end_line, s.end_column]));
    json!({ "name": &*element.label.name, "kind": element.kind.name(), "span": span })
}

fn property(subject: &Subject, finding: &Finding) -> Value {
    let name = &*subject.system.property(finding.property).label.name;
    match &finding.outcome {
        Outcome::Proved(proved) => proved_json(subject, name, proved),
        Outcome::Falsified(step) => json!({ "name": name, "verdict": "falsified", "step": step }),
        Outcome::Undecided(why) => json!({ "name": name, "verdict": "undecided", "reason": why }),
        Outcome::Fault(why) => json!({ "name": name, "verdict": "error", "reason": why }),
    }
}

fn proved_json(subject: &Subject, title: &str, proved: &Proved) -> Value {
    let list = |set: &ElementSet| set.iter().map(|&e| json!(name(subject, e))).collect::<Vec<Value>>();
    let undecided = match &proved.minimal {
        Minimal::ForThisProof { undecided } if undecided.is_empty() => Value::Null,
        Minimal::ForThisProof { undecided } | Minimal::Tried { undecided } => json!(list(undecided)),
    };
    let must = proved.must.as_ref();
    let must = must.map(|m| json!({ "elements": list(&m.elements), "undecided": list(&m.undecided) }));
    let all = proved.all.as_ref().map(|found| {
        let cores: Vec<Value> = found.cores.iter().map(|m| json!(list(&m.core.elements))).collect();
        let cuts: Vec<Value> = found.cuts.iter().map(|cut| json!(list(cut))).collect();
        json!({ "complete": found.complete, "cores": cores, "cuts": cuts })
    });
    let s = proved.seconds;
    let seconds = |of: fn(&Spent) -> f64| json!({ "proof": of(&s.proof), "core": of(&s.core), "minimal": of(&s.minimal), "check": of(&s.check) });
    json!({
        "name": title, "verdict": "proved", "engine": proved.engine.name, "k": proved.k,
        "invariants": proved.invariants, "vacuous": proved.vacuous, "core": list(&proved.core),
        "minimal": minimality(&proved.minimal), "undecided": undecided, "slice": list(&proved.slice),
        "must": must, "all": all,
        "seconds": seconds(|spent| spent.wall),
        "cpu_seconds": seconds(|spent| spent.cpu),
    })
}
