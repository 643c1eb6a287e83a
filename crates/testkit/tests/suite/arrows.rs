//! Rules about the source itself: who may depend on whom, who may write `unsafe`, who may print.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use buttress_testkit::tree::root;

/// The folders in `crates/`.
fn crates() -> BTreeSet<String> {
    let folders = fs::read_dir(root().join("crates")).expect("crates").map(|entry| entry.expect("an entry"));
    folders
        .filter(|f| f.path().join("Cargo.toml").is_file())
        .map(|f| f.file_name().into_string().unwrap())
        .collect()
}

/// The folder of an internal package: `buttress` has its own name, the others have a prefix.
fn folder(package: &str) -> Option<String> {
    match package {
        "buttress" => Some("buttress".to_string()),
        _ => package.strip_prefix("buttress-").map(str::to_string),
    }
}

/// The internal packages that a manifest names under `[dependencies]`; tests may use more.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            if let Some(package) = section.strip_prefix("dependencies.") {
                found.extend(folder(package));
            }
        } else if matches!(section, "dependencies" | "build-dependencies") {
            let package = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.extend(folder(package.trim_matches('"')));
        }
    }
    found
}

/// The allowed dependencies of each crate: rows of the table whose first cell is a crate in backticks.
fn allowed(document: &str, crates: &BTreeSet<String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut rows = BTreeMap::new();
    for line in document.lines().filter(|line| line.trim_start().starts_with('|')) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, depends, ..] = cells[..] else { continue };
        let Some(name) = backticked(name).into_iter().next().filter(|n| crates.contains(n)) else { continue };
        let all = depends.split_whitespace().next() == Some("all");
        let named = if all { crates.clone() } else { backticked(depends).into_iter().collect() };
        rows.entry(name).or_insert(named);
    }
    rows
}

fn backticked(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

#[test]
fn dependencies_follow_the_table() {
    let document = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let crates = crates();
    let allowed = allowed(&document, &crates);
    for name in &crates {
        let row = allowed.get(name).unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{name}`"));
        let manifest =
            fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("a manifest");
        let own = dependencies(&manifest);
        let forbidden: Vec<&String> = own.iter().filter(|d| !row.contains(*d)).collect();
        assert!(forbidden.is_empty(), "`{name}` must not depend on {forbidden:?}");
    }
}

#[test]
fn the_parsers_can_read() {
    let crates = BTreeSet::from(["term", "check", "cli"].map(str::to_string));
    let table = "| crate | what | depends on | never |\n|---|---|---|---|\n| `term` | x | – | y |\n\
                 | `check` | uses `cli` never | `term`, `solve` | `cli` |\n| `cli` | x | all | |\n| `Proof` | x | y |\n";
    let rows = allowed(table, &crates);
    assert_eq!(rows.keys().map(String::as_str).collect::<Vec<_>>(), ["check", "cli", "term"]);
    assert!(rows["term"].is_empty());
    assert_eq!(rows["check"], BTreeSet::from(["term", "solve"].map(str::to_string)));
    assert_eq!(rows["cli"], crates);
    let manifest = "[dependencies]\nbuttress-term.workspace = true\nbuttress = { path = \"x\" }\nclap = \"4\"\n\
                    [dependencies.buttress-solve]\npath = \"y\"\n[dev-dependencies]\nbuttress-testkit = \"1\"\n";
    assert_eq!(dependencies(manifest), BTreeSet::from(["term", "buttress", "solve"].map(str::to_string)));
}

/// All Rust sources below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The lines of a crate's own code (no tests, no comments) that contain one of these words.
fn lines_with(krate: &str, words: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    sources(&root().join("crates").join(krate).join("src"), &mut files);
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = |line: &str| line.split("//").next().unwrap_or_default().to_string();
        let hits = own.lines().map(code).filter(|line| words.iter().any(|w| has_word(line, w)));
        found.extend(hits.map(|line| format!("{}: {}", file.display(), line.trim())));
    }
    found
}

fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[test]
fn unsafe_code_is_for_solvers() {
    for name in crates().iter().filter(|name| *name != "solve") {
        let found =
            lines_with(name, &["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern"]);
        assert!(found.is_empty(), "{found:?}");
    }
}

/// `testkit` has programs of its own, which print; the library behind them only says that it skipped something.
#[test]
fn only_the_command_line_prints() {
    let print = ["println!", "eprintln!", "print!", "eprint!", "dbg!"];
    for name in crates().iter().filter(|name| !matches!(name.as_str(), "bench" | "cli" | "testkit")) {
        let found = lines_with(name, &print);
        assert!(found.is_empty(), "{found:?}");
    }
}
