//! `buttress prove`, run as a user would: lemmas in order, in groups, wrong ones, bad input.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn prove(name: &str, lemmas: &str) -> (i32, String) {
    let file = std::env::temp_dir().join(format!("buttress-prove-{}-{name}", std::process::id()));
    std::fs::write(&file, lemmas).expect("the temporary folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_buttress"));
    command.arg("prove").arg(root().join("examples/mutex.aag")).arg("--lemmas").arg(&file);
    let Output { status, stdout, stderr } = command.output().expect("the program runs");
    let _ = std::fs::remove_file(file);
    let text = String::from_utf8_lossy(&stdout).to_string() + &String::from_utf8_lossy(&stderr);
    (status.code().unwrap_or(-1), text)
}

/// Peterson's invariant: flags follow the program counters, and who waits for whom.
const FLAGS: &str = "!at0[1] | flag0\n!at0[2] | flag0\n!at1[1] | flag1\n!at1[2] | flag1\n";
const MUTUAL: &str = "!at0[2] | !at1[2]\n\
                      !at0[2] | !at1[0] | !at1[1] | !turn\n\
                      !at0[0] | !at0[1] | !at1[2] | turn\n";

#[test]
fn lemmas_in_order_and_in_a_group() {
    let (code, text) = prove("group", &format!("{{ {FLAGS} }}\n{{ {MUTUAL} }}\n"));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("b0 both_critical: proved (lemmas, k = 1, 7 clauses"), "{text}");
}

#[test]
fn a_lemma_that_needs_a_later_one_fails_and_says_why() {
    let (code, text) = prove("order", &format!("{MUTUAL}{FLAGS}"));
    assert_eq!(code, 30, "{text}");
    assert!(text.contains("the lemma of line 1, !at0[2] | !at1[2], is not inductive"), "{text}");
    assert!(text.contains("not a bug: a state that induction could not exclude"), "{text}");
    assert!(text.contains("at1[2] = 1"), "{text}");
}

#[test]
fn too_few_lemmas_show_a_path_of_two_states() {
    let (code, text) = prove("few", &format!("{{ {FLAGS} }}\n"));
    assert_eq!(code, 30, "{text}");
    assert!(text.contains("the lemmas hold, but the property is not inductive"), "{text}");
    assert!(text.contains("step  0 1"), "{text}");
}

#[test]
fn a_false_lemma_is_never_believed() {
    let (code, text) = prove("start", "flag0\n");
    assert_eq!(code, 30, "{text}");
    assert!(text.contains("does not hold at the start"), "{text}");
    // True at the start, violated later: whatever the others say.
    let (code, text) = prove("later", &format!("{{ {FLAGS} }}\n!flag0\n{{ {MUTUAL} }}\n"));
    assert_eq!(code, 30, "{text}");
    assert!(text.contains("!flag0, is not inductive"), "{text}");
}

#[test]
fn bad_input_has_a_position() {
    let (code, text) = prove("bad", "flag0 |\n");
    assert_eq!(code, 3, "{text}");
    assert!(text.contains(":1:8: error: expected the name of a latch"), "{text}");
}
