//! The examples, run as a user would run them.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The output of an example. Cargo builds examples before it runs tests, beside the folder of the tests.
fn run(example: &str, model: Option<&str>) -> String {
    let tests = std::env::current_exe().expect("this program");
    let program = tests.parent().and_then(Path::parent).expect("a folder").join("examples").join(example);
    let output = Command::new(program).args(model.map(|m| root().join(m))).output().expect("an example runs");
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{example}: {out}{error}");
    out.into_owned()
}

#[test]
fn a_file_is_checked_and_its_trace_printed() {
    let out = run("check", Some("examples/fifo.aag"));
    assert!(out.contains("b0: falsified at step 5\n"), "{out}");
    assert!(out.contains("\n  step 5: ") && out.contains("used = 5"), "{out}");
    assert!(out.contains("b1: proved by "), "{out}");
}

#[test]
fn a_counter_is_built_and_proved() {
    assert!(run("counter", None).starts_with("below 200: proved by "));
}

#[test]
fn a_core_is_found() {
    let out = run("core", Some("examples/mutex.aag"));
    assert!(out.starts_with("b0 both_critical needs "), "{out}");
}

#[test]
fn examples_are_short() {
    for example in ["check", "counter", "core"] {
        let file = root().join(format!("crates/buttress/examples/{example}.rs"));
        let text = std::fs::read_to_string(file).expect("an example");
        assert!(text.lines().count() < 40, "{example}");
    }
}
