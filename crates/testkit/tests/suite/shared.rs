//! Real models, where the collection beside the repository exists: whatever is decided agrees with what is
//! published, nothing is rejected, nothing panics.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use buttress_format::aiger;
use buttress_testkit::fuzz::{lineups, run};
use buttress_testkit::tree::shared;

/// A few seconds altogether: small models, and not long on each.
const BYTES: u64 = 12_000;
const MODELS: usize = 60;
const LIMIT: Duration = Duration::from_millis(400);

/// Files of the index with the published verdict, where there is one.
fn index(folder: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(folder.join("index.csv")).expect("an index");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = |name: &str| header.iter().position(|h| *h == name).expect("a column");
    let (file, expected) = (column("file"), column("expected"));
    lines.map(|row| (row[file].to_string(), row[expected].to_string())).collect()
}

#[test]
fn verdicts_agree_with_published_ones() {
    let Some(folder) = shared("bench/hw") else { return };
    let aiger_file = |name: &str| name.ends_with(".aig") || name.ends_with(".aag");
    let small = |name: &str| fs::metadata(folder.join(name)).is_ok_and(|data| data.len() < BYTES);
    let mut models: Vec<_> = index(&folder).into_iter().filter(|(f, _)| aiger_file(f) && small(f)).collect();
    // Those with a published verdict first, then a sample of the rest.
    models.sort_by_key(|(_, expected)| expected.is_empty());
    let known = models.iter().filter(|(_, expected)| !expected.is_empty()).count();
    let step = ((models.len() - known) / (MODELS - known).max(1)).max(1);
    let chosen = models.iter().enumerate().filter(|(i, _)| *i < known || (i - known) % step == 0);
    let together = lineups().pop().expect("all together come last");
    let (mut decided, mut compared) = (0, 0);
    for (_, (file, expected)) in chosen.take(MODELS) {
        let read = aiger::read_file(&folder.join(file));
        let mut system = read.unwrap_or_else(|error| panic!("{}", error.render(file))).system;
        // Not all of these engines are for liveness.
        system.justice.clear();
        let run = run(&Arc::new(system), &together, LIMIT);
        assert!(run.faults().is_empty(), "{file}: {:?}", run.faults());
        for checked in run.decided.iter().flatten() {
            let verdict = if checked.is_proof() { "safe" } else { "unsafe" };
            decided += 1;
            if run.decided.len() == 1 && !expected.is_empty() {
                assert_eq!(verdict, expected, "{file}");
                compared += 1;
            }
        }
    }
    println!("{decided} properties decided, {compared} verdicts compared");
    assert!(decided > 10, "{decided}");
}
