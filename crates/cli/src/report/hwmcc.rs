//! What the hardware model checking competition wants to read: one word.

use crate::check::Findings;
use crate::exit;

pub fn print(findings: &Findings) {
    println!("{}", word(findings));
    findings.faults.iter().for_each(|fault| eprintln!("error: {fault}"));
}

fn word(findings: &Findings) -> &'static str {
    match findings.exit_code() {
        exit::FALSIFIED => "sat",
        exit::PROVED => "unsat",
        _ => "unknown",
    }
}
