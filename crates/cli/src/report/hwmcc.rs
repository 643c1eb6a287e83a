//! The output format of the hardware model checking competition: one word.

use buttress_driver::Report;

use crate::exit;

pub fn text(report: &Report) -> String {
    let word = match report.exit_code {
        exit::FALSIFIED => "sat",
        exit::PROVED => "unsat",
        _ => "unknown",
    };
    format!("{word}\n")
}
