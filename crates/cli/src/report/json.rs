//! The report for programs.

use buttress_check::Evidence;
use buttress_engine::{Engine, Progress};
use buttress_system::{Reason, Waves};
use serde_json::{Map, Value, json};

use super::trace::cell;
use super::{story, text::NOT_A_BUG, words};
use crate::check::{Explained, Finding, Findings, Outcome, Place};
use crate::driver::Accepted;
use crate::lustre;
use crate::model::Model;

pub fn print(findings: &Findings) {
    println!("{:#}", report(findings));
}

fn report(findings: &Findings) -> Value {
    let safety =
        findings.model.iter().flat_map(|m| findings.properties.iter().map(|f| property(findings, m, f)));
    let properties: Vec<Value> = safety.chain((0..findings.liveness()).map(justice)).collect();
    let lemmas = findings.lemmas.map(|(usable, given)| json!({"given": given, "used": usable}));
    let mut report = json!({
        "file": findings.model.as_ref().map(|m| m.path.clone()),
        "properties": properties,
        "engines": findings.progress.iter().map(engine).collect::<Vec<Value>>(),
        "errors": findings.faults,
        "seconds": findings.seconds,
        "exit_code": findings.exit_code(),
    });
    if let Some(lemmas) = lemmas {
        report["lemmas"] = lemmas;
    }
    report
}

/// How far an engine came on what it did last.
fn engine(place: &Place) -> Value {
    let Place { engine, thread, progress: Progress { depth, size, queries, .. } } = place;
    let mut value = json!({"engine": engine.name, "depth": depth, "size": size, "unit": engine.unit});
    if engine.several {
        value["thread"] = json!(thread);
    }
    if *queries > 0 {
        value["queries"] = json!(queries);
    }
    value
}

fn justice(j: usize) -> Value {
    let reason = "liveness is not checked yet";
    json!({"position": format!("j{j}"), "verdict": "undecided", "reason": reason})
}

fn property(findings: &Findings, model: &Model, finding: &Finding) -> Value {
    let mut object = Map::new();
    object.insert("name".into(), json!(model.system.property_name(finding.property)));
    object.insert("position".into(), json!(model.position(finding.property)));
    if let Some(source) = &model.source {
        let place = model.place(finding.property);
        object.insert("line".into(), json!(place.map(|span| span.line)));
        object.insert("column".into(), json!(place.map(|span| span.column)));
        object.insert("origin".into(), json!(source.origin(finding.property).name()));
    }
    match &finding.outcome {
        Outcome::Decided { engine, checked, checking } => {
            let verdicts = match model.is_cover(finding.property) {
                true => ("reached", "unreachable"),
                false => ("falsified", "proved"),
            };
            decided(model, checked, verdicts, &mut object);
            object.insert("engine".into(), json!(engine.name));
            object.insert("checked".into(), json!(true));
            object.insert("checking_seconds".into(), json!(checking));
            if let Some(core) = &finding.core {
                object.insert("core".into(), explained(core));
            }
        }
        Outcome::Rejected { engine, why } => {
            object.insert("verdict".into(), json!("error"));
            object.insert("reason".into(), json!(why));
            object.insert("engine".into(), json!(engine.name));
        }
        Outcome::Open => {
            object.insert("verdict".into(), json!("undecided"));
            let gave_up =
                |(engine, why): &(&Engine, Reason)| json!({"engine": engine.name, "reason": why.to_string()});
            object.insert("reason".into(), json!(findings.reason(finding)));
            object.insert("gave_up".into(), finding.gave_up.iter().map(gave_up).collect());
            object.insert("no_violation_up_to_step".into(), json!(finding.bound));
            if let Some(cti) = &finding.cti {
                let states = steps(&cti.waves(model));
                object.insert("cti".into(), json!({"k": cti.k, "meaning": NOT_A_BUG, "states": states}));
            }
        }
    }
    object.insert("seconds".into(), json!(finding.seconds));
    let told = findings.stories.iter().filter(|s| s.property == finding.property);
    let told: Vec<Value> = told.map(|s| story::json(model, s)).collect();
    if !told.is_empty() {
        object.insert("explanation".into(), json!(told));
    }
    Value::Object(object)
}

fn explained(core: &Result<Explained, String>) -> Value {
    match core {
        Ok(explained) => {
            let names: Vec<&str> = explained.core.iter().map(|label| &*label.name).collect();
            let (elements, slice) = (explained.elements, explained.slice);
            json!({"needed": names, "elements": elements, "slice": slice, "warning": explained.warning()})
        }
        Err(why) => json!({"needed": null, "reason": why}),
    }
}

fn decided(model: &Model, checked: &Accepted, verdicts: (&str, &str), object: &mut Map<String, Value>) {
    match checked.evidence() {
        Evidence::Trace(trace) => {
            object.insert("verdict".into(), json!(verdicts.0));
            object.insert("step".into(), json!(trace.last_step()));
            let shown = match words::execution(model, checked) {
                Some(execution) => lustre::steps_json(&execution),
                None => steps(&words::waves(model, checked, trace)),
            };
            object.insert("trace".into(), shown);
        }
        Evidence::Proof(proof) => {
            let system = &model.system;
            let together: Vec<String> = proof.properties.iter().map(|&p| system.property_name(p)).collect();
            let clauses = words::invariant(model, checked, proof);
            object.insert("verdict".into(), json!(verdicts.1));
            object.insert("k".into(), json!(proof.k));
            object.insert("distinct_states".into(), json!(proof.distinct.is_some()));
            object.insert("vacuous".into(), json!(checked.vacuous().is_some()));
            object.insert("proved_together".into(), json!(together));
            object.insert("invariant".into(), json!(clauses));
        }
    }
}

/// A trace as a list of steps, each an object from signal names to values. Signals of the same name are told apart
/// by `#2`.
pub fn steps(shown: &Waves) -> Value {
    let step = |t: usize| {
        let mut named = Map::new();
        for wave in &shown.waves {
            let mut name = wave.name.clone();
            while named.contains_key(&name) {
                name.push_str("#2");
            }
            named.insert(name, json!(cell(&wave.values[t])));
        }
        Value::Object(named)
    };
    Value::Array((0..shown.steps).map(step).collect())
}
