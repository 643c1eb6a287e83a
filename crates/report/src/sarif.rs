//! The report in SARIF 2.1.0, which code hosts and editors show beside the source: a result for each property,
//! with its place. What is proved is there, too, as a result of the kind `pass`; what is undecided is `open`.

use buttress_driver::Report;
use buttress_driver::report::{Finding, Outcome};
use serde_json::{Value, json};

use crate::place::{self, Place};
use crate::text;

pub fn page(report: &Report) -> String {
    let results: Vec<Value> = report.properties.iter().map(|finding| result(report, finding)).collect();
    let rules: Vec<Value> =
        RULES.iter().map(|(id, says)| json!({"id": id, "shortDescription": {"text": says}})).collect();
    let driver = json!({"name": "Buttress", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    let errors = report.errors.iter().chain(&report.warnings);
    let notes: Vec<Value> = errors.map(|said| json!({"message": {"text": said}})).collect();
    let object = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "invocations": [{
                "executionSuccessful": report.errors.is_empty(), "exitCode": report.exit_code,
                "toolExecutionNotifications": notes,
            }],
            "results": results,
        }],
    });
    format!("{object:#}\n")
}

const RULES: &[(&str, &str)] = &[
    ("proved", "The property holds in every execution"),
    ("falsified", "An execution violates the property"),
    ("reached", "An execution reaches the goal"),
    ("unreachable", "No execution reaches the goal"),
    ("undecided", "Nobody decided the property"),
    ("error", "Evidence was rejected"),
];

/// The rule, the kind and the level of an outcome.
fn classes(outcome: &Outcome) -> (&'static str, &'static str, &'static str) {
    match outcome {
        Outcome::Proved(_) => ("proved", "pass", "none"),
        Outcome::Reached(_) => ("reached", "pass", "none"),
        Outcome::Falsified(_) => ("falsified", "fail", "error"),
        Outcome::Unreachable(_) => ("unreachable", "fail", "error"),
        Outcome::Undecided(_) => ("undecided", "open", "none"),
        Outcome::Error { .. } => ("error", "fail", "error"),
    }
}

fn result(report: &Report, finding: &Finding) -> Value {
    let (rule, kind, level) = classes(&finding.outcome);
    let says = format!("{}: {}", finding.title, text::grounds(finding));
    let locations: Vec<Value> = place::of(report, finding).iter().map(location).collect();
    json!({
        "ruleId": rule, "kind": kind, "level": level, "message": {"text": says}, "locations": locations,
        "partialFingerprints": {"property/v1": finding.position},
    })
}

fn location(place: &Place) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": place.file},
        "region": {
            "startLine": place.line, "startColumn": place.column,
            "endLine": place.end_line, "endColumn": place.end_column,
        },
    }})
}
