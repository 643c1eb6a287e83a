//! What is printed.

use serde_json::{Value, json};

use super::{Carried, Discovered, Use};

pub fn text(path: &str, discovered: &Discovered, verbose: bool) {
    for invariant in &discovered.invariants {
        println!("{}", invariant.text);
    }
    println!("{path}: {}", summary(discovered));
    if let Some(alone) = discovered.verified {
        println!(
            "{alone} of them, copies included, were proved again by themselves, the others only together"
        );
    }
    for Carried { node, invariants, calls, refused, unfit } in &discovered.nodes {
        match unfit {
            Some(why) => println!("node {node}: not looked at by itself: {why}"),
            None => println!(
                "node {node}: {invariants} invariants, accepted for {calls} calls, refused for {refused}"
            ),
        }
    }
    discovered.uses.iter().for_each(print_use);
    if verbose {
        details(discovered);
    }
    if let Some(why) = &discovered.rejected {
        println!("ERROR: what was found was rejected by the check, and is not printed: {why}");
    }
    if let Some(why) = &discovered.stopped {
        println!("stopped: {why}; there may be more");
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
    let vacuous = if discovered.vacuous { "; constraints end all executions" } else { "" };
    format!("{total} {noun}, all checked{counts}{vacuous} ({:.1} s)", discovered.seconds)
}

fn print_use(used: &Use) {
    match &used.needs {
        None => println!("{}: not k-inductive with these invariants", used.property),
        Some((k, needed)) => {
            println!("{}: proved with k = {k}, {} of the invariants are enough", used.property, needed.len());
            needed.iter().for_each(|formula| println!("  {formula}"));
        }
    }
}

fn details(discovered: &Discovered) {
    for (sort, count) in &discovered.terms {
        println!("  {count} terms of sort {sort}");
    }
    if let Some(outcome) = &discovered.outcome {
        let [base, step, trivial] = outcome.questions;
        println!("  {} conjectures were left by the base phase", outcome.conjectured);
        println!("  {base} questions about the base, {step} about steps, {trivial} about single steps");
    }
    if discovered.trivial > 0 {
        println!("  {} trivial invariants left out", discovered.trivial);
    }
    if discovered.hidden > 0 {
        println!(
            "  {} more read like these, follow from one of them, or say that copies are equal",
            discovered.hidden
        );
    }
    println!("  {:.2} s of checking", discovered.checking);
}

pub fn json(path: &str, discovered: &Discovered) {
    let invariants = discovered.invariants.iter();
    let invariants =
        invariants.map(|i| json!({"text": i.text, "k": i.k, "smtlib": i.smt})).collect::<Vec<Value>>();
    let terms = discovered.terms.iter().map(|(sort, count)| json!({"sort": sort, "terms": count}));
    let families = discovered.outcome.iter().flat_map(|outcome| &outcome.families);
    let families = families.map(|(classes, height)| json!({"classes": classes, "height": height}));
    println!(
        "{:#}",
        json!({
            "file": path,
            "format": discovered.format,
            "invariants": invariants,
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
        })
    );
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
