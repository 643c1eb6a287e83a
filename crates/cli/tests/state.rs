//! `--state`: runs that are killed at any moment, side by side, or after the model was edited.

#[path = "support/skip.rs"]
mod skip;
#[allow(dead_code, reason = "other files of tests use the rest")]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{Run, Scratch, buttress, root};

/// A token that goes round: it is never in two places. The proof needs a clause for each two places.
fn ring(places: usize) -> String {
    let latch = |place: usize| 2 + 2 * (place % places);
    let mut latches = String::new();
    for place in 0..places {
        let reset = if place == 0 { " 1" } else { "" };
        latches += &format!("{} {}{reset}\n", latch(place), latch(place + places - 1));
    }
    // Not in the first place and another: a conjunction of what is not.
    let (mut gates, mut variable, mut all) = (String::new(), places + 1, 1);
    for place in 1..places {
        gates += &format!("{} {} {}\n", 2 * variable, latch(place), latch(0));
        gates += &format!("{} {} {}\n", 2 * variable + 2, 2 * variable + 1, all);
        all = 2 * variable + 2;
        variable += 2;
    }
    let count = 2 * (places - 1);
    format!("aag {} 0 {places} 0 {count} 1\n{latches}{}\n{gates}", variable - 1, all ^ 1)
}

fn check(state: &Path, model: &Path) -> Command {
    let mut command = buttress(&root());
    command.args(["check", "--timeout", "120", "--state"]).arg(state).arg(model);
    command
}

fn in_scratch(scratch: &Scratch, name: &str, text: &str) -> PathBuf {
    let path = scratch.file(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// Numbers that look random, the same in every run.
fn moments(most: Duration) -> impl Iterator<Item = Duration> {
    let mut state = 88_172_645_463_325_252u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        most.mul_f64((state % 1000) as f64 / 1000.0)
    })
}

#[test]
fn killed_at_any_moment() {
    let scratch = Scratch::new("killed");
    let model = in_scratch(&scratch, "ring.aag", &ring(64));
    let start = Instant::now();
    assert_eq!(Run::of(&mut check(&scratch.file("whole"), &model)).code, 0);
    let whole = start.elapsed();
    let state = scratch.file("state");
    for moment in moments(whole).take(20) {
        let mut child = check(&state, &model).stdout(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(moment);
        child.kill().expect("it runs or has ended");
        child.wait().expect("it ends");
    }
    let run = Run::of(&mut check(&state, &model));
    assert_eq!((run.code, &run.stderr[..]), (0, ""), "{}", run.all());
    let again = Run::of(&mut check(&state, &model));
    assert!(again.stdout.starts_with("state: 1 of 1 verdict still hold"), "{}", again.all());
}

#[test]
fn two_at_once() {
    let scratch = Scratch::new("at-once");
    let model = in_scratch(&scratch, "ring.aag", &ring(12));
    let state = scratch.file("state");
    let start =
        || check(&state, &model).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let all = [start(), start(), start()];
    for child in all {
        let run = Run::from(child.wait_with_output().expect("it ends"));
        assert_eq!((run.code, &run.stderr[..]), (0, ""), "{}", run.all());
    }
    let again = Run::of(&mut check(&state, &model));
    assert!(again.stdout.contains(" in an earlier run, "), "{}", again.all());
}

/// The report of an edited model says which results it took over; those that no longer hold decide nothing.
#[test]
fn an_edited_model() {
    let scratch = Scratch::new("edited-lustre");
    let text = "node main(up: bool) returns (n: subrange [0, 20] of int);
var low, high: bool;
let
  n = 0 -> if up and pre n < 5 then pre n + 1 else pre n;
  low = n >= 0;
  high = n <= 5;
  --%PROPERTY low;
  --%PROPERTY high;
tel
";
    let state = scratch.file("state");
    let model = in_scratch(&scratch, "model.lus", text);
    let run = Run::of(&mut check(&state, &model));
    assert_eq!(run.code, 0, "{}", run.all());
    // Lines are added above: the same model.
    let model = in_scratch(&scratch, "model.lus", &format!("-- a comment\n\n{text}"));
    let run = Run::of(&mut check(&state, &model));
    assert!(run.stdout.starts_with("state: 3 of 3 verdicts still hold"), "{}", run.all());
    // Another bound: the second property is violated now.
    let model = in_scratch(&scratch, "model.lus", &text.replace("< 5", "< 9"));
    let run = Run::of(&mut check(&state, &model));
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("2 of 3 verdicts still hold"), "{}", run.all());
    // At step 6 or, by an engine that does not look for the shortest trace, later.
    assert!(run.stdout.contains("high (line 8): falsified at step"), "{}", run.all());
    let run = Run::of(check(&state, &model).arg("-v"));
    assert!(run.stdout.contains("state: 3 of 3 verdicts still hold"), "{}", run.all());
}

/// A directory that cannot be used is said, and the verdict is right.
#[test]
fn a_directory_that_is_none() {
    let scratch = Scratch::new("no-directory");
    let file = in_scratch(&scratch, "file", "");
    let run = Run::of(&mut check(&file, &root().join("examples/mutex.aag")));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("what is found now is not kept"), "{}", run.all());
}

/// The second property is inductive relative to the first, whose proof an earlier run kept.
#[test]
fn a_verdict_that_was_kept_helps_the_others() {
    if buttress_solve::smt::find(&buttress_solve::smt::directories()).is_empty() {
        return skip::skip("state", "there is no SMT solver, scripts/get-solvers brings two");
    }
    let scratch = Scratch::new("helps");
    let kind = |more: &[&str]| {
        let mut command = buttress(&root());
        command.env_remove("BUTTRESS_SOLVERS").args(["check", "examples/lustre/m1.lus", "--engine", "kind"]);
        command.args(["--bound", "5", "--state"]).arg(scratch.file("state")).args(more);
        Run::of(&mut command)
    };
    let first = kind(&["--property", "lemma_x"]);
    assert_eq!((first.code, &first.stderr[..]), (0, ""), "{}", first.all());
    let both = kind(&[]);
    assert!(both.code == 0 && both.stdout.contains("in an earlier run"), "{}", both.all());
}
