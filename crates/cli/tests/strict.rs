//! `--strict`: what is proved and doubtful all the same has an exit code of its own. And what helps who mistypes.

#[allow(dead_code)]
mod support;

use support::{Run, Scratch, buttress, root};

/// A latch that stays 0.
const SAFE: &str = "aag 1 0 1 0 0 1\n2 2\n2\n";

fn strict(model: &str, text: &str, more: &[&str]) -> Run {
    let scratch = Scratch::new(&format!("strict-{model}-{}", more.len()));
    std::fs::write(scratch.file(model), text).expect("a file");
    Run::of(buttress(&scratch.0).args(["check", model]).args(more))
}

#[test]
fn proofs_that_say_little_have_an_exit_code_of_their_own() {
    assert_eq!(strict("safe.aag", SAFE, &["--strict"]).code, 0);
    let none = strict("none.aag", "aag 1 0 1 0 0\n2 2\n", &["--strict"]);
    assert!(none.code == 40 && none.stderr.contains("the model has no property"), "{}", none.all());
    // The constraint is never satisfied.
    let vacuous = "aag 1 0 1 0 0 1 1\n2 2\n2\n0\n";
    assert_eq!(strict("vacuous.aag", vacuous, &[]).code, 0);
    let vacuous = strict("vacuous.aag", vacuous, &["--strict"]);
    assert!(vacuous.code == 40 && vacuous.stderr.contains("b0: it is proved vacuously"), "{}", vacuous.all());
    let falsified = strict("bad.aag", "aag 1 0 1 0 0 1\n2 3\n2\n", &["--strict"]);
    assert_eq!(falsified.code, 10);
}

#[test]
fn the_object_has_the_same_code() {
    let run = strict("none.aag", "aag 1 0 1 0 0\n2 2\n", &["--strict", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&run.stdout).expect("one object");
    assert_eq!((run.code, object["exit_code"].as_i64()), (40, Some(40)));
}

#[test]
fn a_name_that_is_almost_right_is_answered_with_the_right_one() {
    let mut command = buttress(&root());
    let run = Run::of(command.args(["check", "examples/traffic.aag", "--property", "both_opne"]));
    assert!(run.code == 2 && run.stderr.contains("did you mean 'both_open'?"), "{}", run.all());
}

#[test]
fn a_design_is_answered_with_how_to_go_on() {
    let run = Run::of(buttress(&root()).args(["check", "examples/link.v"]));
    assert!(run.code == 3 && run.stderr.contains("Verilog and VHDL go through yosys"), "{}", run.all());
}
