//! The report of invariant discovery, as text and as JSON.

use serde_json::{Value, json};

use buttress_driver::invariants::{Carried, Discovered, Use};

use crate::json::{Kind, object};

pub fn text(path: &str, discovered: &Discovered, verbose: bool) -> String {
    let mut lines: Vec<String> = discovered.invariants.iter().map(|i| i.text.clone()).collect();
    lines.push(format!("{path}: {}", summary(discovered)));
    if let Some(why) = &discovered.condition {
        let why = why.strip_prefix("proved ").unwrap_or(why);
        lines.push(format!("UNDECIDED: all of this holds {why}"));
    }
    if let Some(alone) = discovered.verified {
        lines.push(format!(
            "{alone} of them, copies included, were proved again by themselves, the others only together"
        ));
    }
    lines.extend(discovered.nodes.iter().map(of_node));
    discovered.uses.iter().for_each(|used| lines.extend(of_use(used)));
    if verbose {
        lines.extend(details(discovered));
    }
    if let Some(why) = &discovered.rejected {
        lines.push(format!("ERROR: what was found was rejected by the check, and is not printed: {why}"));
    }
    if let Some(why) = &discovered.stopped {
        lines.push(format!("stopped: {why}; there may be more"));
    }
    lines.join("\n") + "\n"
}

fn of_node(carried: &Carried) -> String {
    let Carried { node, invariants, calls, refused, unfit } = carried;
    match unfit {
        Some(why) => format!("node {node}: not looked at by itself: {why}"),
        None => {
            format!("node {node}: {invariants} invariants, accepted for {calls} calls, refused for {refused}")
        }
    }
}

fn summary(discovered: &Discovered) -> String {
    let total = discovered.invariants.len();
    let mut ks: Vec<usize> = discovered.invariants.iter().map(|i| i.k).collect();
    ks.dedup();
    let count = |k: &usize| {
        let of_k = discovered.invariants.iter().filter(|i| i.k == *k).count();
        format!("{of_k} with k = {k}")
    };
    let counts: Vec<String> = ks.iter().map(count).collect();
    let noun = if total == 1 { "invariant" } else { "invariants" };
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let checked = match discovered.condition {
        None => "all checked",
        Some(_) => "checked, but not decided",
    };
    let vacuous = if discovered.vacuous { "; constraints end all executions" } else { "" };
    format!("{total} {noun}, {checked}{counts}{vacuous} ({:.1} s)", discovered.seconds)
}

fn of_use(used: &Use) -> Vec<String> {
    match &used.needs {
        None => vec![format!("{}: not k-inductive with these invariants", used.property)],
        Some((k, needed)) => {
            let head = format!(
                "{}: proved with k = {k}, {} of the invariants are enough",
                used.property,
                needed.len()
            );
            std::iter::once(head).chain(needed.iter().map(|formula| format!("  {formula}"))).collect()
        }
    }
}

fn details(discovered: &Discovered) -> Vec<String> {
    let mut lines = Vec::new();
    for (sort, count) in &discovered.terms {
        lines.push(format!("  {count} terms of sort {sort}"));
    }
    if let Some(outcome) = &discovered.outcome {
        let [base, step, trivial] = outcome.questions;
        lines.push(format!("  {} conjectures were left by the base phase", outcome.conjectured));
        lines.push(format!(
            "  {base} questions about the base, {step} about steps, {trivial} about single steps"
        ));
    }
    if discovered.trivial > 0 {
        lines.push(format!("  {} trivial invariants left out", discovered.trivial));
    }
    if discovered.hidden > 0 {
        lines.push(format!(
            "  {} more read like these, follow from one of them, or say that copies are equal",
            discovered.hidden
        ));
    }
    lines.push(format!("  {:.2} s of checking", discovered.checking));
    lines
}

pub fn json(path: &str, discovered: &Discovered) -> String {
    let invariants = discovered.invariants.iter();
    let invariants =
        invariants.map(|i| json!({"text": i.text, "k": i.k, "smtlib": i.smt})).collect::<Vec<Value>>();
    let terms = discovered.terms.iter().map(|(sort, count)| json!({"sort": sort, "terms": count}));
    let families = discovered.outcome.iter().flat_map(|outcome| &outcome.families);
    let families = families.map(|(classes, height)| json!({"classes": classes, "height": height}));
    object(
        Kind::Invariants,
        &json!({
            "file": path,
            "format": discovered.format,
            "invariants": invariants,
            "condition": discovered.condition,
            "terms": terms.collect::<Vec<Value>>(),
            "orders": families.collect::<Vec<Value>>(),
            "questions": discovered.outcome.as_ref().map(|outcome| outcome.questions),
            "conjectured": discovered.outcome.as_ref().map(|outcome| outcome.conjectured),
            "trivial_left_out": discovered.trivial,
            "not_shown": discovered.hidden,
            "vacuous": discovered.vacuous,
            "proved_alone": discovered.verified,
            "nodes": discovered.nodes.iter().map(carried).collect::<Vec<Value>>(),
            "uses": discovered.uses.iter().map(used).collect::<Vec<Value>>(),
            "stopped": discovered.stopped.as_ref().map(ToString::to_string),
            "rejected": discovered.rejected,
            "checking_seconds": discovered.checking,
            "seconds": discovered.seconds,
        }),
    )
}

fn carried(carried: &Carried) -> Value {
    let Carried { node, invariants, calls, refused, unfit } = carried;
    json!({"node": node, "invariants": invariants, "calls": calls, "refused": refused, "not_looked_at": unfit})
}

fn used(used: &Use) -> Value {
    json!({
        "property": used.property,
        "k": used.needs.as_ref().map(|(k, _)| k),
        "needs": used.needs.as_ref().map(|(_, needed)| needed),
    })
}
