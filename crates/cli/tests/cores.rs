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
fn is_there(solver: &str) -> bool {
    let run = Run::of(Command::new(env!("CARGO_BIN_EXE_buttress")).arg("solvers"));
    run.stdout.lines().any(|line| line.starts_with(solver) && !line.ends_with("not found"))
}

fn solver_found() -> bool {
    let found = is_there("z3") || is_there("yices");
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
    assert!(run.stderr.contains("with an SMT solver"), "{}", run.all());
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

/// Figure 2: a is an input, f is gone; and the marks of the listing.
#[test]
fn the_reduced_model_is_source() {
    if !solver_found() {
        return;
    }
    let scratch = Scratch::new("reduced");
    let file = scratch.file("reduced.lus");
    let filter = root().join("examples/lustre/filter.lus");
    let name = file.display().to_string();
    let run = with_solvers(&filter, &["--must", "--listing", "--reduced", &name]);
    assert_eq!(run.code, 0, "{}", run.all());
    let text = fs::read_to_string(&file).expect("it was written");
    let figure = "node filter(x: real; a: real) returns (b: real; y: real);\nvar nonnegative: bool;\nlet\n  \
        b = if a >= 0.0 then a else -a;\n  y = b + (0.0 -> pre y);\n  nonnegative = y >= 0.0;\n  \
        --%PROPERTY nonnegative;\n  --%MAIN;\ntel;\n";
    assert!(text.contains(figure) && !text.contains("node f("), "{text}");
    let marks = ["-   a = f(x, 0.0 -> pre y);", "!   b = if a", "!   y = b +", "    nonnegative = y >= 0.0;"];
    for mark in marks {
        assert!(run.stdout.lines().any(|line| line.starts_with(mark)), "{mark}: {}", run.all());
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_buttress"));
    let again = Run::of(command.arg("check").arg(&file));
    assert_eq!(again.code, 0, "{}", again.all());
}

/// A latch that is not in the core is an input of the reduced circuit.
#[test]
fn the_reduced_circuit_is_a_circuit() {
    let scratch = Scratch::new("reduced-circuit");
    let file = scratch.file("reduced.aag");
    let mut command = buttress(&root());
    let run =
        Run::of(command.args(["core", "examples/arbiter.aag", "--property", "0", "--reduced"]).arg(&file));
    assert_eq!(run.code, 0, "{}", run.all());
    let text = fs::read_to_string(&file).expect("it was written");
    let header: Vec<&str> = text.lines().next().expect("a header").split(' ').collect();
    assert_eq!(header[3], "2", "two latches are left: {text}");
    let again = Run::of(buttress(&root()).args(["check", "--property", "0"]).arg(&file));
    assert_eq!(again.code, 0, "{}", again.all());
}

#[test]
fn the_matrix_and_what_no_property_needs() {
    let scratch = Scratch::new("matrix");
    let (csv, html) = (scratch.file("m.csv"), scratch.file("m.html"));
    for file in [&csv, &html] {
        let mut command = buttress(&root());
        command.args(["core", "examples/arbiter.aag", "--property", "0", "--property", "1"]);
        let run = Run::of(command.args(["--must", "--completeness", "--matrix"]).arg(file));
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.stdout.contains("completeness: 4 of 7 elements (57 %)"), "{}", run.all());
        assert_eq!(lines_with(&run, "in none:").len(), 3, "{}", run.all());
    }
    let text = fs::read_to_string(&csv).expect("it was written");
    assert!(text.starts_with("element,line,\"both_granted\",\"granted_unasked\"\n"), "{text}");
    assert!(text.contains("\"grant[0]\",,must,must\n") && text.contains("\"asked[0]\",,,must\n"), "{text}");
    assert!(text.contains("\"last\",,,\n"), "{text}");
    let page = fs::read_to_string(&html).expect("it was written");
    assert!(page.contains("<td>last</td><td></td><td class=\"\"></td>"), "{page}");
    let wrong = Run::of(buttress(&root()).args(["core", "examples/arbiter.aag", "--matrix", "m.txt"]));
    assert_eq!(wrong.code, 1, "{}", wrong.all());
}

/// The premise never holds, so the conclusion does not matter; and a branch that is never taken, with the reason.
const VACUOUS: &str = "node main(a, b: bool) returns (never: bool; out: bool);
var implies, matters: bool;
let
  never = false -> pre never and a;
  out = if never then b else if a then not b else b;
  implies = (never and a) => out = b;
  matters = a or not a;
  --%PROPERTY implies;
tel
";

#[test]
fn a_part_of_a_property_that_does_not_matter_is_named() {
    let scratch = Scratch::new("vacuity");
    let file = scratch.file("m.lus");
    fs::write(&file, VACUOUS).expect("a file of the test");
    let run = Run::of(buttress(&root()).args(["core", "--vacuity"]).arg(&file));
    assert_eq!(run.code, 0, "{}", run.all());
    let told = lines_with(&run, "VACUOUS: it holds whatever this part of it says:");
    assert!(told.iter().any(|line| line.ends_with("out = b")), "{}", run.all());
    assert!(told.iter().all(|line| !line.ends_with(": never")), "{}", run.all());
}

#[test]
fn dead_code_is_told_with_its_reason() {
    let scratch = Scratch::new("dead");
    let file = scratch.file("m.lus");
    fs::write(&file, VACUOUS).expect("a file of the test");
    let run = Run::of(buttress(&root()).args(["dead", "--vectors"]).arg(&file));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("5:3 out: never never\n  because of never\n"), "{}", run.all());
    assert!(run.stdout.contains("4 branches: 1 dead, 0 undecided, 3 reached"), "{}", run.all());
    assert!(run.stdout.contains("step 0: a = true"), "{}", run.all());
}

#[test]
fn a_conflict_is_explained() {
    let model = "tests/golden/safe/vacuous-after-three-steps.aag";
    let run = Run::of(buttress(&root()).args(["conflict", model]));
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(
        run.stdout.contains("there is no execution of 4 states\n  because of 3 of 3 elements"),
        "{}",
        run.all()
    );
    let none = Run::of(buttress(&root()).args(["conflict", model, "--steps", "3"]));
    assert_eq!(none.code, 0, "{}", none.all());
    assert!(none.stdout.contains("no conflict: there are executions of 3 states"), "{}", none.all());
}

/// The constraint forbids two requests one after the other; only the inputs of the second file ask for that.
#[test]
fn a_conflict_of_one_simulation_is_explained() {
    let scratch = Scratch::new("conflict");
    let model = scratch.file("arbiter.lus");
    let text = "node main(request, other: bool) returns (again, busy: bool); let\n  busy = request or other;\n  \
again = false -> (request and pre request);\n  assert not again;\n  --%PROPERTY busy or not request;\n tel";
    fs::write(&model, text).expect("a file of the test");
    let stimulus = |name: &str, second: bool| {
        let file = scratch.file(name);
        let steps = format!(r#"[{{"request": true, "other": false}}, {{"request": {second}}}]"#);
        fs::write(&file, steps).expect("a file of the test");
        Run::of(buttress(&root()).arg("conflict").arg(&model).arg("--stimulus").arg(&file))
    };
    let fine = stimulus("fine.json", false);
    assert_eq!(fine.code, 0, "{}", fine.all());
    assert!(fine.stdout.contains("there are executions of 2 states with these inputs"), "{}", fine.all());
    let run = stimulus("twice.json", true);
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("no execution of 2 states with these inputs"), "{}", run.all());
    assert!(run.stdout.contains("because of 2 of 3 elements"), "{}", run.all());
    assert!(run.stdout.contains("again  3:3"), "{}", run.all());
    let unknown = scratch.file("unknown.json");
    fs::write(&unknown, r#"[{"nobody": true}]"#).expect("a file of the test");
    let run = Run::of(buttress(&root()).arg("conflict").arg(&model).arg("--stimulus").arg(&unknown));
    assert_eq!(run.code, 3, "{}", run.all());
    assert!(run.stderr.contains("step 0: there is no 'nobody' in the model"), "{}", run.all());
}

/// Each conjunct of a relation is an element: y may be anything, and so may what says so.
#[test]
fn conjuncts_of_a_relation_are_elements() {
    let scratch = Scratch::new("relation");
    let model = scratch.file("relation.vmt");
    let text = "(declare-fun x () (_ BitVec 4))(declare-fun x1 () (_ BitVec 4))
(declare-fun y () (_ BitVec 4))(declare-fun y1 () (_ BitVec 4))
(define-fun .x () (_ BitVec 4) (! x :next x1))
(define-fun .y () (_ BitVec 4) (! y :next y1))
(define-fun .i () Bool (! (and (bvule x #x3) (bvule y #x1)) :init true))
(define-fun .t () Bool (! (and (bvule x1 x) (bvule y1 #x7) (bvule y y1)) :trans true))
(define-fun p () Bool (! (bvule x #x5) :invar-property 0))
";
    fs::write(&model, text).expect("a file of the test");
    let run = Run::of(buttress(&root()).arg("core").arg(&model).args(["--method", "ucbf"]));
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(lines_with(&run, "trans / (bvule x1 x)").len(), 1, "{}", run.all());
    assert_eq!(lines_with(&run, "init / (bvule x #b0011)").len(), 1, "{}", run.all());
    assert_eq!(lines_with(&run, "core: 2 of 5 elements, minimal;").len(), 1, "{}", run.all());
    let unneeded = lines_with(&run, "not needed: trans / (bvule y1 #b0111), trans / (bvule y y1), init / ");
    assert_eq!(unneeded.len(), 1, "{}", run.all());
    let run = Run::of(buttress(&root()).arg("check").arg(&model).arg("--core"));
    assert_eq!(lines_with(&run, "core: 2 of 5 elements: trans / (bvule x1 x), ").len(), 1, "{}", run.all());
    // A proof with a lemma.
    fs::write(&model, text.replace("(bvule x #x5)", "(distinct x #x5)")).expect("a file of the test");
    let run = Run::of(buttress(&root()).arg("check").arg(&model).args(["--core", "--engine", "ic3"]));
    assert_eq!(lines_with(&run, "core: 2 of 5 elements: trans / (bvule x1 x), ").len(), 1, "{}", run.all());
}

/// Where the property is env ⇒ P and P is inductive by itself, env is not needed; where it is not, it is.
#[test]
fn a_stronger_property_needs_less() {
    if !solver_found() {
        return;
    }
    let scratch = Scratch::new("stronger");
    let model = scratch.file("stronger.lus");
    let text = |step: &str| {
        format!(
            "node main(ok: bool; d: int) returns (safe: bool);\nvar env: bool; x: int;\nlet\n  \
             env = (ok and d >= 0) -> ok and d >= 0 and pre env;\n  x = 0 -> pre x + {step};\n  \
             safe = env => x >= 0;\n  --%PROPERTY safe;\ntel\n"
        )
    };
    for (step, size, needs) in [("(if d >= 0 then d else -d)", 2, false), ("d", 3, true)] {
        fs::write(&model, text(step)).expect("a file of the test");
        let run = with_solvers(&model, &["--engine", "kind", "--granularity", "flattened"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert_eq!(lines_with(&run, &format!("core: {size} of 3 elements")).len(), 1, "{}", run.all());
        assert_eq!(lines_with(&run, "env = (ok").len(), usize::from(needs), "{}", run.all());
    }
}

/// The core of a proof goes on with the process that checked it.
#[test]
fn a_solver_is_handed_on() {
    for solver in ["z3", "yices"].into_iter().filter(|name| is_there(name)) {
        let scratch = Scratch::new(&format!("handed-on-{solver}"));
        let (filter, logs) = (root().join("examples/lustre/filter.lus"), scratch.file("."));
        let log = logs.to_str().expect("a path in UTF-8");
        let run = with_solvers(&filter, &["--solver", solver, "--smt-log", log]);
        assert_eq!(run.code, 0, "{}", run.all());
        let dialogues = fs::read_dir(&logs).expect("a folder of the test").flatten();
        let texts = dialogues.map(|file| fs::read_to_string(file.path()).expect("a log"));
        assert_eq!(texts.filter(|text| text.starts_with("(reset)")).count(), 1, "{solver}");
    }
}

#[test]
fn lines_of_btor2_have_their_places() {
    let scratch = Scratch::new("places");
    let model = scratch.file("counter.btor2");
    let text = "1 sort bitvec 4\n2 zero 1\n3 state 1 count\n4 init 1 3 2\n5 sort bitvec 1\n6 input 5\n\
7 ite 1 6 3 2\n8 next 1 3 7 ; stays or starts again\n9 ones 1\n10 eq 5 3 9\n11 bad 10 full\n";
    fs::write(&model, text).expect("a file of the test");
    let run = Run::of(buttress(&root()).arg("core").arg(&model));
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(lines_with(&run, "4:1  4 init 1 3 2").len(), 1, "{}", run.all());
    assert_eq!(lines_with(&run, "8:1  8 next 1 3 7").len(), 1, "{}", run.all());
}

#[test]
fn engines_and_solvers_are_compared() {
    if !solver_found() {
        return;
    }
    let run = with_solvers(&root().join("examples/lustre/filter.lus"), &["--diversity"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("2 elements  k-induction with "), "{}", run.all());
    assert!(
        run.stdout.contains("Jaccard distance: mean 0.000") || run.stdout.contains("diversity: 2 proofs")
    );
}

/// Whatever the reason is, the branch that is taken where `never` does not hold is no part of it.
#[test]
fn subexpressions_are_elements_on_request() {
    let scratch = Scratch::new("subexpressions");
    let file = scratch.file("m.lus");
    fs::write(&file, VACUOUS).expect("a file of the test");
    let run = Run::of(
        buttress(&root()).args(["core", "--granularity", "subexpressions", "--method", "ucbf"]).arg(&file),
    );
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("implies / (and never a)"), "{}", run.all());
    let dropped = lines_with(&run, "not needed:");
    assert!(dropped.len() == 1 && dropped[0].contains("out / (not b)"), "{}", run.all());
    assert!(run.stdout.contains("of 10 elements, minimal;"), "{}", run.all());
}

/// The published sizes count the equations of the flattened main node.
#[test]
fn sizes_agree_with_published_ones() {
    let models = root().join("../shared/bench/lustre/ivc");
    if !models.exists() || !solver_found() {
        eprintln!("skipped: no ../shared");
        return;
    }
    for (model, size) in
        [("DRAGON_2.lus", 41), ("ILLINOIS_all.lus", 37), ("Display_Control-Gaurantee3.lus", 1)]
    {
        let run =
            with_solvers(&models.join(model), &["--granularity", "flattened", "--method", "ucbf", "--must"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.stdout.contains(&format!("core: {size} of ")), "{model}: {}", run.stdout);
        let all = if size == 1 { "1 element\n".to_string() } else { format!("{size} elements\n") };
        assert!(run.stdout.contains(&format!("in every core: {all}")), "{model}: {}", run.stdout);
    }
}
