//! Objects for programs. Each begins with the `version` of all these formats and with what it is a `report` of;
//! their schema is `docs/schema/report.json`, which tests hold all output against.

use buttress_driver::Report;
use serde::Serialize;
use serde_json::Value;

/// Counts up where a key disappears or means something else; new keys may come at any time.
const VERSION: u32 = 1;

/// What an object is a report of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Batch,
    Check,
    Conflict,
    Core,
    Dead,
    Error,
    Info,
    Invariants,
    Progress,
    Property,
    Prove,
    Simulate,
}

#[derive(Serialize)]
struct Headed<'a, T> {
    version: u32,
    report: Kind,
    #[serde(flatten)]
    body: &'a T,
}

pub fn text(report: &Report) -> String {
    object(Kind::Check, report)
}

/// An object over several lines.
pub fn object(report: Kind, body: &impl Serialize) -> String {
    let headed = Headed { version: VERSION, report, body };
    format!("{}\n", serde_json::to_string_pretty(&headed).expect("a report is data"))
}

/// An object on one line.
pub fn line(report: Kind, body: &impl Serialize) -> String {
    let headed = Headed { version: VERSION, report, body };
    format!("{}\n", serde_json::to_string(&headed).expect("a report is data"))
}

/// Why there is no report.
pub fn error(message: &str, code: u8) -> Value {
    serde_json::json!({"errors": [message], "exit_code": code})
}
