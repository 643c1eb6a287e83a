//! Golden tests: a test is a file that a user could have sent, in `tests/golden` or `examples`.
//!
//! Its comments (of an AIGER file those at its end; or, for files in which none can be read, a file `NAME.expect`
//! beside it) say what to run and what to expect. Each `RUN` is followed by its expectations:
//!
//! ```text
//! RUN check --engine kind            runs `buttress check --engine kind FILE` in the file's folder
//! EXPECT exit 10                     the exit code
//! EXPECT b0: proved ... k = 3        some line of the standard output starts so; `...` skips, blanks count once
//! EXPECT-STDERR 3:7                  the standard error contains this
//! REFUSE falsified                   the standard output does not contain this
//! ```
//!
//! Every `check` of a model in `safe`, `unsafe` and `examples` runs a second time and writes its evidence, which
//! `buttress verify` and an independent checker must accept.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Run, Scratch, buttress, python_check, root};

/// One `RUN` with what is expected of it.
#[derive(Default)]
struct Script {
    arguments: Vec<String>,
    code: Option<i32>,
    lines: Vec<String>,
    errors: Vec<String>,
    refused: Vec<String>,
}

/// The comments of a file, or what stands beside it.
fn instructions(file: &Path) -> String {
    let beside = file.with_extension("expect");
    if let Ok(text) = fs::read_to_string(beside) {
        return text;
    }
    let bytes = fs::read(file).expect("a golden file");
    let text = String::from_utf8_lossy(&bytes).replace('\r', "");
    let marks = [(is_btor2(file) || is_vmt(file), "; "), (is_lustre(file), "-- ")];
    if let Some((_, mark)) = marks.iter().find(|(is, _)| *is) {
        // Of VMT-LIB and MoXI the comments before the first command, others are the model's own.
        let head = |line: &&str| !is_vmt(file) || line.starts_with(';');
        return text
            .lines()
            .take_while(head)
            .filter_map(|line| line.strip_prefix(mark))
            .map(|line| format!("{line}\n"))
            .collect();
    }
    let comments = text.rsplit_once("\nc\n").map(|(_, comments)| comments.to_string());
    comments.unwrap_or_else(|| panic!("{} says nothing about what to run", file.display()))
}

fn is_btor2(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "btor2" || e == "btor")
}

fn is_lustre(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "lus")
}

fn is_vmt(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "vmt" || e == "cub" || e == "moxi")
}

fn scripts(file: &Path) -> Vec<Script> {
    let mut scripts: Vec<Script> = Vec::new();
    for line in instructions(file).lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "RUN" {
            let arguments = rest.split_whitespace().map(str::to_string).collect();
            scripts.push(Script { arguments, ..Script::default() });
            continue;
        }
        let Some(script) = scripts.last_mut() else { continue };
        match (word, rest.strip_prefix("exit ")) {
            ("EXPECT", Some(code)) => script.code = Some(code.parse().expect("an exit code")),
            ("EXPECT", None) => script.lines.push(rest.to_string()),
            ("EXPECT-STDERR", _) => script.errors.push(rest.to_string()),
            ("REFUSE", _) => script.refused.push(rest.to_string()),
            // A Lustre file has comments of its own.
            _ if is_lustre(file) => {}
            _ => panic!("{}: what is `{line}`?", file.display()),
        }
    }
    assert!(!scripts.is_empty(), "{} has no RUN", file.display());
    scripts
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The line starts with the first part, and the others follow in order; a number does not match a longer one.
fn matches(line: &str, expected: &str) -> bool {
    let line = words(line);
    let mut rest = line.as_str();
    for (number, part) in expected.split("...").map(words).enumerate() {
        let at = if number == 0 { rest.starts_with(&part).then_some(0) } else { rest.find(&part) };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    !(expected.ends_with(|c: char| c.is_ascii_digit()) && rest.starts_with(|c: char| c.is_ascii_digit()))
}

impl Script {
    fn command(&self, file: &Path) -> std::process::Command {
        let mut command = buttress(file.parent().expect("a folder"));
        command.args(&self.arguments).arg(file.file_name().expect("a name"));
        if is_vmt(file) {
            // Claims for all places take the solvers of this machine.
            command.env_remove("BUTTRESS_SOLVERS");
        }
        command
    }

    /// The differences between this run and the expectations.
    fn complaints(&self, run: &Run) -> Vec<String> {
        let mut all = Vec::new();
        all.extend(self.code.filter(|&c| c != run.code).map(|c| format!("expected exit {c}")));
        let missing = |line: &&String| !run.stdout.lines().any(|l| matches(l, line));
        all.extend(self.lines.iter().filter(missing).map(|l| format!("expected `{l}`")));
        let unsaid = |text: &&String| !run.stderr.contains(text.as_str());
        all.extend(self.errors.iter().filter(unsaid).map(|t| format!("expected `{t}` on standard error")));
        let said = |text: &&String| run.stdout.contains(text.as_str());
        all.extend(self.refused.iter().filter(said).map(|t| format!("`{t}` was refused")));
        all
    }
}

/// Runs all scripts of a file; returns what is wrong.
fn play(file: &Path, with_evidence: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for script in scripts(file) {
        let run = Run::of(&mut script.command(file));
        let mut complaints = script.complaints(&run);
        if with_evidence && script.arguments.first().is_some_and(|a| a == "check") {
            complaints.extend(evidence(file, &script));
        }
        let about = format!("{}: RUN {}", file.display(), script.arguments.join(" "));
        wrong.extend(complaints.iter().map(|c| format!("{about}: {c}\n{}", run.all())));
    }
    wrong
}

/// Runs once more, writing evidence; every piece of it must be accepted, and there must be one for each verdict.
fn evidence(file: &Path, script: &Script) -> Vec<String> {
    let name = file.to_string_lossy().replace(['/', '.'], "-");
    let scratch = Scratch::new(&format!("golden{name}"));
    let (witness, certificate) = (scratch.file("w"), scratch.file("c.aag"));
    let mut command = script.command(file);
    command.arg("--witness").arg(&witness);
    // Circuits are about AIGER models.
    let is_circuit = !is_lustre(file) && !is_btor2(file) && !is_vmt(file);
    if is_circuit {
        command.arg("--certificate").arg(&certificate);
    }
    let run = Run::of(&mut command);
    let count = |word: &str| run.stdout.lines().filter(|l| l.contains(word)).count();
    let mut written: Vec<(&str, PathBuf)> = Vec::new();
    for line in run.stdout.lines() {
        let Some((what, path)) = line.split_once(" written to ") else { continue };
        let kind = if what.starts_with("certificate") { "certificate" } else { "witness" };
        written.push((kind, PathBuf::from(path)));
    }
    let mut wrong = Vec::new();
    let witnesses = written.iter().filter(|(kind, _)| *kind == "witness").count();
    let traces = count(": falsified at step") + count(": falsified by a lasso") + count(": reached at step");
    if witnesses != traces {
        wrong.push(format!("{witnesses} witnesses were written\n{}", run.all()));
    }
    // Proofs that compare states have no circuit.
    let refused = !is_circuit || run.stderr.contains("no certificate for");
    if count(": proved") > 0 && written.len() == witnesses && !refused {
        wrong.push(format!("no certificate was written\n{}", run.all()));
    }
    for (kind, path) in written {
        let verified = Run::of(buttress(&scratch.0).arg("verify").arg(file).arg(&path));
        if verified.code != 0 {
            wrong.push(format!("verify does not accept the {kind}: {}", verified.all()));
        }
        let kind = if is_btor2(file) { "btor2" } else { kind };
        if !is_lustre(file)
            && let Err(said) = python_check(kind, file, &path)
        {
            wrong.push(format!("the other checker does not accept the {kind}: {said}"));
        }
    }
    wrong
}

/// The models of a folder.
fn models(folder: &str) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(root().join(folder)).expect("a folder").map(|entry| entry.expect("an entry").path());
    let circuit = |path: &Path| path.extension().is_some_and(|e| e == "aag" || e == "aig");
    let model = |path: &PathBuf| circuit(path) || is_btor2(path) || is_lustre(path) || is_vmt(path);
    let mut all: Vec<PathBuf> = entries.filter(model).collect();
    all.sort();
    all
}

/// All models of a folder; one of the runs of each must expect one of these exit codes.
fn folder(folder: &str, codes: &[i32], with_evidence: bool, at_least: usize) {
    let models = models(folder);
    assert!(models.len() >= at_least, "{} models in {folder}", models.len());
    let mut wrong = Vec::new();
    for model in &models {
        if !scripts(model).iter().any(|script| script.code.is_some_and(|c| codes.contains(&c))) {
            wrong.push(format!("{}: no RUN expects exit {codes:?}", model.display()));
        }
        wrong.extend(play(model, with_evidence));
    }
    assert!(wrong.is_empty(), "{} complaints\n\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn safe() {
    folder("tests/golden/safe", &[0], true, 20);
}

#[test]
fn falsified() {
    folder("tests/golden/unsafe", &[10], true, 15);
}

#[test]
fn unknown() {
    folder("tests/golden/unknown", &[30], false, 4);
}

#[test]
fn error() {
    folder("tests/golden/error", &[3], false, 15);
}

#[test]
fn examples() {
    folder("examples", &[0, 10], true, 5);
    let script = root().join("examples/make.py");
    let made = Run::of(std::process::Command::new("python3").arg(script).arg("--check"));
    assert_eq!(made.code, 0, "{}", made.all());
}

/// One file for each meaning that the book states, and the models with a story.
#[test]
fn lustre() {
    folder("tests/golden/lustre", &[0, 3, 10, 30], true, 15);
    folder("examples/lustre", &[0, 10], true, 12);
}

/// One file for each meaning that the book states; one of them takes an SMT solver.
#[test]
fn moxi() {
    if buttress_solve::smt::find(&buttress_solve::smt::directories()).is_empty() {
        println!("skipped: no SMT solver");
        return;
    }
    folder("tests/golden/moxi", &[0, 3, 10, 30], false, 9);
}

/// Relations as VMT-LIB states them; arrays of numbers take an SMT solver.
#[test]
fn vmt() {
    if buttress_solve::smt::find(&buttress_solve::smt::directories()).is_empty() {
        println!("skipped: no SMT solver");
        return;
    }
    folder("tests/golden/vmt", &[0, 3, 10, 30], false, 3);
}

/// A reader in Python unrolls the queries by text and asks z3 for the shortest trace of each.
#[test]
fn moxi_means_the_same_to_another_reader() {
    let found = buttress_solve::smt::find(&buttress_solve::smt::directories());
    let Some(z3) = found.iter().find(|f| f.adapter.name == "z3") else {
        println!("skipped: no z3");
        return;
    };
    let mut compared = 0;
    for file in models("tests/golden/moxi").iter().filter(|file| !scripts(file)[0].code.eq(&Some(3))) {
        let other = Run::of(
            std::process::Command::new("python3")
                .arg(root().join("tests/checkers/moxi_bmc.py"))
                .arg(&z3.path)
                .arg(file),
        );
        let script = Script {
            arguments: ["check", "--engine", "bmc", "--bound", "11"].map(String::from).to_vec(),
            ..Script::default()
        };
        let ours = Run::of(&mut script.command(file));
        let steps = |run: &Run| -> Vec<String> {
            let queries = run.stdout.lines().filter(|l| l.contains(": ") && !l.starts_with('j'));
            let step = |l: &str| {
                l.split("falsified at ").nth(1).map(|s| s.split(" (").next().unwrap_or(s).to_string())
            };
            // Ours come in the order in which they are found.
            let mut steps: Vec<String> = queries.filter_map(step).collect();
            steps.sort();
            steps
        };
        assert_eq!(other.code, 0, "{}", other.all());
        assert_eq!(steps(&ours), steps(&other), "{}: {}{}", file.display(), ours.all(), other.all());
        compared += steps(&ours).len();
    }
    assert!(compared >= 10, "{compared} traces were compared");
}

/// Claims for all places, which take an SMT solver.
#[test]
fn indexed() {
    if buttress_solve::smt::find(&buttress_solve::smt::directories()).is_empty() {
        println!("skipped: no SMT solver");
        return;
    }
    folder("examples/indexed", &[0, 10], false, 13);
    folder("tests/golden/indexed", &[0, 10, 30], false, 6);
    folder("tests/golden/cubicle", &[0, 10, 30], false, 10);
}

#[test]
fn expectations_match_as_described() {
    assert!(matches("b0: proved (k-induction, k = 3, 0.01 s)", "b0: proved ... k = 3"));
    assert!(matches("  cnt     0  1", "cnt 0 1"));
    assert!(!matches("b0: falsified at step 12 (BMC)", "b0: falsified at step 1"));
    assert!(!matches("b10: proved", "b1: proved"));
    assert!(!matches("b0: proved (BMC)", "b0: proved ... k = 3"));
}
