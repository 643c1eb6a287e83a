//! `buttress core`: validity cores in the user's names. What needs a real SMT solver says so where there is none.

#[allow(dead_code)] // the other checker has nothing to say here
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{Run, Scratch, buttress, root};

/// Runs with the solvers of this machine.
fn with_solvers(file: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_buttress"));
    Run::of(command.arg("core").arg(file).args(arguments))
}

/// Whether an SMT solver is there.
fn solver_found() -> bool {
    let run = Run::of(Command::new(env!("CARGO_BIN_EXE_buttress")).arg("solvers"));
    let found = run.stdout.contains("z3") || run.stdout.contains("yices");
    if !found {
        eprintln!("skipped: no SMT solver, scripts/get-solvers brings some");
    }
    found
}

fn lines_with<'a>(run: &'a Run, what: &str) -> Vec<&'a str> {
    run.stdout.lines().filter(|line| line.contains(what)).collect()
}

/// Figure 1: the property does not depend on how a is made; Figure 2 has neither f nor the equation of a.
#[test]
fn the_filter_of_the_paper() {
    if !solver_found() {
        return;
    }
    let text = fs::read_to_string(root().join("examples/lustre/filter.lus")).expect("the example");
    let scratch = Scratch::new("filter");
    let file = scratch.file("filter.lus");
    fs::write(&file, text.replace("--%IVC a, b, y;", "")).expect("a file of the test");
    for method in ["uc", "bf", "ucbf"] {
        let run = with_solvers(&file, &["--method", method, "--must"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert_eq!(lines_with(&run, "core: 3 of 5 elements, minimal").len(), 1, "{}", run.all());
        assert_eq!(lines_with(&run, "not needed: f~0.mixed, a").len(), 1, "{}", run.all());
        assert_eq!(lines_with(&run, " must ").len(), 3, "{}", run.all());
        assert_eq!(lines_with(&run, "10:3  b = if a >= 0.0 then a else -a;").len(), 1, "{}", run.all());
    }
}

#[test]
fn an_annotation_chooses_the_elements() {
    if !solver_found() {
        return;
    }
    let run = with_solvers(&root().join("examples/lustre/filter.lus"), &["--all"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("core: 2 of 3 elements, minimal;"), "{}", run.all());
    assert!(run.stdout.contains("minimal cores: 1 (all); minimal cut sets: 2"), "{}", run.all());
    assert!(run.stdout.contains("not needed: a\n"), "{}", run.all());
}

#[test]
fn without_a_solver_integers_are_not_decided() {
    let run = Run::of(buttress(&root()).args(["core", "examples/lustre/filter.lus"]));
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(run.stderr.contains("no SMT solver"), "{}", run.all());
}

/// Falsified properties have no core, and the exit code says so.
#[test]
fn a_falsified_property_has_no_core() {
    let run = Run::of(buttress(&root()).args(["core", "examples/fifo.aag", "--json"]));
    assert_eq!(run.code, 10, "{}", run.all());
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["properties"][0]["verdict"], "falsified");
    let proved = &report["properties"][1];
    assert_eq!(
        (&proved["verdict"], &proved["minimal"]),
        (&"proved".into(), &"minimal for this proof".into())
    );
    assert_eq!(proved["core"].as_array().map(Vec::len), Some(6), "{}", run.all());
}

/// In BTOR2 each init and each next line is an element.
#[test]
fn lines_of_btor2_are_elements() {
    let run = Run::of(buttress(&root()).args([
        "core",
        "tests/golden/safe/uninitialised-word.btor2",
        "--method",
        "ucbf",
        "--must",
    ]));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("core: 2 of 3 elements, minimal;"), "{}", run.all());
    assert_eq!(lines_with(&run, "must").len(), 2, "{}", run.all());
    assert!(run.stdout.contains("not needed: next later"), "{}", run.all());
}
