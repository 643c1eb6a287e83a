//! The report for programs: as it is.

use buttress_driver::Report;

pub fn text(report: &Report) -> String {
    format!("{}\n", serde_json::to_string_pretty(report).expect("a report is data"))
}
