//! `check --ltl`: formulas of temporal logic over the names of models of all kinds.

#[allow(dead_code, reason = "other files of tests use the rest")]
mod support;

use serde_json::Value;
use support::{Run, Scratch, buttress, root};

fn check(model: &str, options: &[&str]) -> Run {
    Run::of(buttress(&root()).arg("check").arg(model).args(options).args(["--timeout", "60"]))
}

/// The verdict of a formula alone.
fn verdict(model: &str, formula: &str) -> String {
    let run = check(model, &["--ltl", formula, "--property", "l0", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.all()));
    // What it rests on is there, too.
    let findings = report["properties"].as_array().unwrap_or_else(|| panic!("{}", run.all()));
    let finding = findings.iter().find(|f| f["position"] == "l0").expect("it was asked for");
    let checked = finding["checked"] == true || finding["verdict"] == "undecided";
    assert!(checked, "{}", run.all());
    finding["verdict"].as_str().expect("a word").to_string()
}

#[test]
fn lustre_by_its_own_names() {
    let model = "examples/lustre/traffic.lus";
    for (formula, expected) in [
        ("G (button -> F walk)", "proved"),
        ("G F walk", "falsified"),
        ("G F (north = Green)", "proved"),
        ("G (walk -> O button)", "proved"),
        ("G (north = Yellow -> X (north = Red W north = Green))", "proved"),
        ("G (north = Green -> X north = Yellow)", "falsified"),
        ("G F button -> G F walk", "proved"),
        ("never (north != Red and east != Red)", "proved"),
        ("always (walk -> next[1] north = Green)", "proved"),
    ] {
        assert_eq!(verdict(model, formula), expected, "{formula}");
    }
    // What all proofs rest on is asked, too.
    let run = check(model, &["--ltl", "G F button -> G F walk", "--property", "l0"]);
    assert!(run.code == 0 && run.stdout.contains("in its subrange (line 10): proved"), "{}", run.all());
}

#[test]
fn a_lasso_is_shown_in_the_language_of_the_model() {
    let run = check("examples/lustre/traffic.lus", &["--ltl", "G F walk", "--property", "l0"]);
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(
        run.stdout.contains("l0 G F walk: falsified by a lasso of 6 steps, back to step "),
        "{}",
        run.all()
    );
    assert!(run.stdout.contains("  east       Red    Red     Red  Green  Yellow    Red"), "{}", run.all());
    assert!(run.stdout.contains("then again from step "), "{}", run.all());
}

#[test]
fn words_and_their_bits() {
    let model = "examples/link-fixed.btor2";
    for (formula, expected) in [
        ("G far.held <= 0x4", "proved"),
        ("G (far.held[2:1] = 0b00 <-> far.held < 2)", "proved"),
        ("F far.held > 0", "falsified"),
        ("G (want & near.credits > 0 -> F (take | far.held > 0))", "proved"),
    ] {
        assert_eq!(verdict(model, formula), expected, "{formula}");
    }
}

#[test]
fn bits_are_words_where_their_names_say_so() {
    let scratch = Scratch::new("ltl-bits");
    let model = scratch.file("counter.aag");
    // It goes on again and again. n0' = n0 xor i, n1' = n1 xor (n0 and i).
    let gates = "8 4 2\n10 5 3\n12 11 9\n14 8 6\n16 9 7\n18 17 15\n";
    let names = "i0 go\nl0 n[0]\nl1 n[1]\n";
    let text = format!("aag 9 1 2 0 6 0 0 0 1\n2\n4 12\n6 18\n2\n{gates}{names}");
    std::fs::write(&model, text).expect("written");
    let model = model.display().to_string();
    for (formula, expected) in [
        ("G F n = 3", "proved"),
        ("G (n = 2 -> n = 2 U n = 3)", "proved"),
        ("G (n > 0 | n < 1)", "proved"),
        ("G n <= 2", "falsified"),
        ("G (n >= 2 <-> n[1])", "proved"),
        ("G (n = 3 -> X n = 0)", "falsified"),
        ("G (n = 3 & go -> X n = 0)", "proved"),
        ("F G !go", "falsified"),
        ("G F i0", "proved"),
        ("G (n = 1 -> Y n = 0 | Y n = 1)", "proved"),
    ] {
        assert_eq!(verdict(&model, formula), expected, "{formula}");
    }
}

#[test]
fn a_file_with_names() {
    let scratch = Scratch::new("ltl-file");
    let file = scratch.file("formulas.ltl");
    std::fs::write(&file, "# whoever waits\nanswered := G (button ->\n  F walk)\n\nG F walk -- not so\n")
        .expect("written");
    let run = check("examples/lustre/traffic.lus", &["--ltl-file", &file.display().to_string()]);
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("l0 answered: proved"), "{}", run.all());
    assert!(run.stdout.contains("l1 G F walk: falsified"), "{}", run.all());
    let only = ["--ltl-file", &file.display().to_string(), "--property", "answered"];
    assert_eq!(check("examples/lustre/traffic.lus", &only).code, 0);
}

#[test]
fn what_is_wrong_is_refused() {
    for (model, options, expected) in [
        ("examples/mutex.aag", &["--ltl", "G (a"][..], "--ltl:1:5: error: expected ')'"),
        ("examples/mutex.aag", &["--ltl", ""], "there is no formula"),
        ("examples/lustre/traffic.lus", &["--ltl", "F wlk"], "help: there is: walk"),
        ("examples/lustre/traffic.lus", &["--ltl", "F north"], "no Boolean: compare it with something"),
        ("examples/lustre/traffic.lus", &["--ltl", "F north < Red"], "there is no order on"),
        ("examples/lustre/traffic.lus", &["--ltl", "F north = Blue"], "nothing of the name 'Blue'"),
        ("examples/link.btor2", &["--ltl", "F far.held"], "no Boolean: compare it with something"),
        ("examples/link.btor2", &["--ltl", "F far.held = 32"], "'32' is no"),
        ("examples/link.btor2", &["--ltl", "F far.held[5]"], "'far.held' has the bits 0 to "),
        ("tests/golden/cubicle/exclusion.cub", &["--ltl", "F x"], "not there for models with maps"),
        ("examples/mutex.aag", &["--ltl", "F i0", "--hwmcc"], "cannot be used with"),
        (
            "examples/link.btor2",
            &["--ltl", "F take", "--property", "l0", "--show-cti"],
            "--show-cti does not apply",
        ),
        (
            "examples/link.btor2",
            &["--ltl", "F take", "--property", "l0", "--witness", "x"],
            "--witness does not apply",
        ),
        ("examples/mutex.aag", &["--ltl-file", "no-such-file"], "no-such-file"),
    ] {
        let run = check(model, options);
        assert!([2, 3].contains(&run.code), "{options:?}: {}", run.all());
        assert!(run.stderr.contains(expected), "{options:?}: {}", run.all());
    }
}

#[test]
fn beyond_bits_it_stays_open_and_says_why() {
    let run = check("examples/lustre/filter.lus", &["--ltl", "F true", "--property", "l0"]);
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(run.all().contains("bits"), "{}", run.all());
}
