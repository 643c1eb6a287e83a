//! Where rooms meet: commands that speak of one property agree, errors are JSON where JSON is wanted, limits hold
//! for every command, and what cannot be written is said.

#[allow(dead_code)]
mod support;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Run, Scratch, buttress, root};

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(buttress(folder).args(arguments))
}

fn golden(name: &str) -> String {
    root().join("tests/golden").join(name).display().to_string()
}

/// A shift register of so many latches whose last bit is never set, and many gates beside.
fn large(scratch: &Scratch, latches: usize) -> PathBuf {
    let mut text = format!("aag {} 1 {latches} 0 {latches} 1\n2\n", 2 * latches + 1);
    (0..latches)
        .for_each(|l| text.push_str(&format!("{} {}\n", 2 * l + 4, if l == 0 { 0 } else { 2 * l + 2 })));
    text.push_str(&format!("{}\n", 2 * latches + 2));
    for gate in 0..latches {
        let own = 2 * (latches + 2 + gate);
        text.push_str(&format!("{own} {} {}\n", own - 2, 2 * (gate % latches) + 4));
    }
    let file = scratch.file("large.aag");
    std::fs::write(&file, text).expect("a file");
    file
}

/// A verdict that was accepted is never dropped, however many messages there are and whatever is watched
/// meanwhile.
#[test]
fn a_watched_run_says_the_same() {
    let scratch = Scratch::new("watched");
    let file = large(&scratch, 6000).display().to_string();
    for _ in 0..3 {
        let plain = run(&root(), &["check", &file]);
        let watched = run(&root(), &["check", "--memory", "4000", &file]);
        assert_eq!((plain.code, watched.code), (0, 0), "{}{}", plain.all(), watched.all());
    }
}

/// One object on standard output, on errors too, and no text after it.
#[test]
fn json_is_one_object() {
    let scratch = Scratch::new("json");
    std::fs::write(scratch.file("bad.aag"), "aag 1\n").expect("a file");
    let (mutex, bad) = (root().join("examples/mutex.aag").display().to_string(), scratch.file("bad.aag"));
    let bad = bad.display().to_string();
    let cases: [(&[&str], i32); 9] = [
        (&["check", "--json", &bad], 3),
        (&["check", "--json", "--engine", "indexed", &mutex], 2),
        (&["check", "--json", "--property", "nobody", &mutex], 2),
        (&["check", "--json", "/no/such/file"], 3),
        (&["core", "--json", "--vacuity", "--completeness", &mutex], 0),
        (&["core", "--json", "--granularity", "flattened", &mutex], 2),
        (&["invariants", "--json", "--annotate", "x", &mutex], 2),
        (&["info", "--json", &bad], 3),
        (&["simulate", "--json", &bad], 3),
    ];
    for (arguments, code) in cases {
        let run = run(&root(), arguments);
        let json: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", run.all()));
        assert_eq!(run.code, code, "{arguments:?}: {}", run.all());
        let told = json["exit_code"].as_i64();
        assert!(told.is_none_or(|told| told == i64::from(code)), "{arguments:?}: {}", run.all());
        assert!(code == 0 || json["errors"].as_array().is_some_and(|all| !all.is_empty()), "{}", run.all());
    }
}

/// A full disk is said, and is a fault, whatever the command.
#[test]
fn a_full_disk_is_said() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let (mutex, lustre) =
        (root().join("examples/mutex.aag"), root().join("tests/golden/lustre/subranges.lus"));
    let commands: [(&str, &PathBuf); 9] = [
        ("check", &mutex),
        ("prove", &mutex),
        ("core", &mutex),
        ("dead", &lustre),
        ("conflict", &mutex),
        ("invariants", &mutex),
        ("simulate", &mutex),
        ("info", &mutex),
        ("check --json", &mutex),
    ];
    for (command, model) in commands {
        let out = Stdio::from(full.try_clone().expect("another handle"));
        let output =
            buttress(&root()).args(command.split(' ')).arg(model).stdout(out).output().expect("it starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command}: {error}");
        assert!(error.contains("error: standard output: No space left"), "{command}: {error}");
    }
}

/// A multiplier of 4096 bits keeps a solver busy for longer than anybody waits.
#[test]
fn limits_hold_for_every_command() {
    let scratch = Scratch::new("limits");
    let file = scratch.file("multiplier.btor2");
    std::fs::write(
        &file,
        "1 sort bitvec 4096\n2 state 1\n3 mul 1 2 2\n4 sort bitvec 1\n5 redor 4 3\n6 next 1 2 3\n7 bad 5\n",
    )
    .expect("a file");
    for command in ["check", "core", "prove", "dead", "conflict", "invariants"] {
        let start = Instant::now();
        let run = Run::of(buttress(&root()).args([command, "--timeout", "1"]).arg(&file));
        let spent = start.elapsed();
        assert!(spent < Duration::from_secs(4), "{command}: {spent:?}");
        assert!(!run.all().contains("panicked"), "{command}: {}", run.all());
    }
}

/// A header of some bytes that claims 67 million inputs.
#[test]
fn a_header_that_no_memory_holds() {
    let scratch = Scratch::new("header");
    let file = scratch.file("header.aig");
    std::fs::write(&file, "aig 67108865 67108864 1 1 0\n0\n2\n").expect("a file");
    for command in ["check", "core", "prove", "info", "simulate", "invariants"] {
        let run = Run::of(buttress(&root()).args([command, "--memory", "200"]).arg(&file));
        assert_eq!(run.code, 30, "{command}: {}", run.all());
        assert!(run.all().contains("memory"), "{command}: {}", run.all());
    }
}

/// Lemmas that one run found are read by the others: `check` and `prove` read files of `--save-lemmas`, of
/// circuits and of words.
#[test]
fn saved_lemmas_are_read_by_all() {
    let scratch = Scratch::new("saved");
    for model in ["examples/arbiter.aag", "examples/link-fixed.btor2"] {
        let model = root().join(model).display().to_string();
        let lemmas = scratch.file("lemmas").display().to_string();
        let saved = run(&root(), &["check", "--engine", "ic3", "--save-lemmas", &lemmas, &model]);
        assert_eq!(saved.code, 0, "{}", saved.all());
        let checked = run(&root(), &["check", "--lemmas", &lemmas, &model]);
        assert!(checked.code == 0 && checked.stdout.contains("lemmas: "), "{}", checked.all());
        let proved = run(&root(), &["prove", "--lemmas", &lemmas, &model]);
        assert!(proved.code == 0 && proved.stdout.contains(": proved"), "{model}: {}", proved.all());
    }
}

/// A certificate of nothing is no certificate, and is not written.
#[test]
fn there_is_no_certificate_of_nothing() {
    let scratch = Scratch::new("nothing");
    let file = scratch.file("c.aag");
    let model = golden("unsafe/no-latches.aag");
    let run = run(&root(), &["check", "--certificate", &file.display().to_string(), &model]);
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(
        run.stdout.contains("there is no certificate: nothing is proved") && !file.exists(),
        "{}",
        run.all()
    );
}

/// A converted model proves no more than the original does, and a model with claims for all places is not written
/// as plain VMT-LIB.
#[test]
fn conversion_keeps_what_proofs_rest_on() {
    let scratch = Scratch::new("converted");
    for ending in ["vmt", "aag", "btor2"] {
        let out = scratch.file(&format!("m.{ending}")).display().to_string();
        let made = run(&root(), &["convert", &golden("lustre/subrange-left-dead-branch.lus"), &out]);
        if ending == "btor2" {
            assert_ne!(made.code, 0, "integers are no words: {}", made.all());
            continue;
        }
        assert_eq!(made.code, 0, "{}", made.all());
        assert!(made.stderr.contains("note: where a subrange is left"), "{}", made.all());
        let checked = run(&root(), &["check", &out]);
        let no_solver = ending == "vmt" && checked.code == 30;
        assert!(checked.code == 10 || no_solver, "{ending}: {}", checked.all());
        assert!(!checked.stdout.contains("proved ("), "{ending}: {}", checked.all());
    }
    let out = scratch.file("m.vmt").display().to_string();
    let refused = run(&root(), &["convert", &golden("cubicle/conversion.cub"), &out]);
    assert!(refused.code == 3 && refused.stderr.contains("for all places"), "{}", refused.all());
}

/// Traces of models with integers that were decided in bits are those of the integers: printed, written and
/// verified.
#[test]
fn traces_are_about_the_model() {
    let scratch = Scratch::new("integers");
    for (model, value) in [("vmt/negative-numbers.vmt", "-3"), ("moxi/negative-numbers.moxi", "-4")] {
        let (model, witness) = (golden(model), scratch.file("w.json").display().to_string());
        let checked = run(&root(), &["check", "--json", "--witness", &witness, &model]);
        assert!(checked.code == 10 && checked.stdout.contains(&format!("\"{value}\"")), "{}", checked.all());
        let verified = run(&root(), &["verify", &model, &witness]);
        assert_eq!(verified.code, 0, "{}", verified.all());
        let text = std::fs::read_to_string(&witness).expect("a witness");
        std::fs::write(&witness, text.replace("\"steps\": [", "\"steps\": [{\"nobody\": 1},"))
            .expect("a file");
        let wrong = run(&root(), &["verify", &model, &witness]);
        assert!(wrong.code == 3 && wrong.stderr.contains("there is no 'nobody'"), "{}", wrong.all());
    }
}

/// The tables of the README have every command and every option of `check`.
#[test]
fn the_readme_names_every_command_and_option() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let help = run(&root(), &["--help"]).stdout;
    let commands =
        help.lines().skip_while(|l| !l.starts_with("Commands:")).skip(1).take_while(|l| !l.is_empty());
    // A long description goes on in lines that are further to the right.
    let commands = commands.filter(|l| !l.starts_with("   "));
    for command in commands.filter_map(|l| l.split_whitespace().next()).filter(|c| *c != "help") {
        assert!(readme.contains(&format!("| `{command}")), "the README has no row for `{command}`");
    }
    let help = run(&root(), &["check", "--help"]).stdout;
    for line in help.lines().map(str::trim_start).filter(|l| l.starts_with('-')) {
        // A description may be broken before a dash.
        let Some(flag) = line.split([' ', ',']).find(|w| w.starts_with("--")) else { continue };
        assert!(flag == "--help" || readme.contains(&format!("`{flag}")), "the README does not name {flag}");
    }
}
