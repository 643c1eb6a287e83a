//! `cargo run -p buttress-testkit --release --bin agree_lustre -- 200 DIR…`
//!
//! Every Lustre file below the folders, for so many random steps: the interpreter of the source against its
//! translations. A line for each file that is refused or differs, a summary for each folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use buttress_testkit::lustre::{Outcome, examine};
use buttress_testkit::tree::files_below;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let steps: Option<usize> = words.next().and_then(|word| word.parse().ok());
    let folders: Vec<PathBuf> = words.map(PathBuf::from).collect();
    let (Some(steps), false) = (steps, folders.is_empty()) else {
        eprintln!("usage: agree_lustre STEPS DIR…");
        return ExitCode::from(2);
    };
    let failures: usize = folders.iter().map(|folder| examine_folder(folder, steps)).sum();
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How many files differ.
fn examine_folder(folder: &Path, steps: usize) -> usize {
    let start = Instant::now();
    let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
    let mut failures = 0;
    for path in files_below(folder, "lus") {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        match examine(&text, steps, 7) {
            Ok(outcome) => {
                *outcomes.entry(outcome).or_default() += 1;
                if outcome < Outcome::Agreed {
                    println!("{}: {}", path.display(), reason(&text));
                }
            }
            Err(why) => {
                println!("{}: DIFFERS: {why}", path.display());
                failures += 1;
            }
        }
    }
    let counts: Vec<String> = outcomes.iter().map(|(outcome, n)| format!("{n} {outcome:?}")).collect();
    let seconds = start.elapsed().as_secs_f64();
    println!("{}: {failures} differ, {} ({seconds:.0} s)", folder.display(), counts.join(", "));
    failures
}

/// Why a file is refused.
fn reason(text: &str) -> String {
    let refused = match buttress_lustre::read(text.to_string()) {
        Ok(model) => buttress_lustre::lower(&model).err(),
        Err(diagnostics) => Some(diagnostics),
    };
    refused.map_or(String::new(), |diagnostics| {
        let worst = diagnostics.iter().find(|d| d.severity == buttress_format::Severity::Error);
        worst.map_or(String::new(), |d| d.message.clone())
    })
}
