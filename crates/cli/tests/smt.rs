//! SMT solvers behind `check`: what real ones decide, and what becomes of solvers that fail. Tests that need a
//! real one say so where there is none; `scripts/get-solvers` brings two.

#[path = "support/skip.rs"]
mod skip;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two integers that stay apart by one: neither bits nor k-induction without more.
const SAFE: &str = "node main(up: bool) returns (x: int);
var ok: bool;
let
  x = 0 -> if up then pre x + 2 else pre x;
  ok = x >= 0;
  --%PROPERTY ok;
tel
";

const UNSAFE: &str = "node main(step: int) returns (x: int);
var ok: bool;
let
  assert step >= 0 and step <= 3;
  x = 0 -> pre x + step;
  ok = x < 10;
  --%PROPERTY ok;
tel
";

/// Tokens move from a to b: no k makes this k-inductive.
const TOKENS: &str = "node main(move: bool) returns (a, b: int);
var ok: bool;
let
  a = 3 -> if move and pre a >= 1 then pre a - 1 else pre a;
  b = 0 -> if move and pre a >= 1 then pre b + 1 else pre b;
  ok = b <= 3;
  --%PROPERTY ok;
tel
";

const TOKENS_VMT: &str = "(declare-fun a () Int)
(declare-fun a1 () Int)
(declare-fun b () Int)
(declare-fun b1 () Int)
(declare-fun move () Bool)
(define-fun .a () Int (! a :next a1))
(define-fun .b () Int (! b :next b1))
(define-fun go () Bool (and move (>= a 1)))
(define-fun .init () Bool (! (and (= a 3) (= b 0)) :init true))
(define-fun .trans () Bool (! (and (= a1 (ite go (- a 1) a)) (= b1 (ite go (+ b 1) b))) :trans true))
(define-fun .ok () Bool (! (<= b 3) :invar-property 0))
";

/// Memories of which nothing is known but that a write is read where it was made.
const MEMORY_VMT: &str = "(declare-sort Memory 0)
(declare-fun read (Memory Int) Int)
(declare-fun write (Memory Int Int) Memory)
(declare-fun m () Memory)
(declare-fun n () Memory)
(declare-fun at () Int)
(define-fun .m () Memory (! m :next n))
(define-fun .init () Bool (! (= (read m 0) 1) :init true))
(define-fun .trans () Bool (! (and (= n (write m at 1)) (= (read n at) 1)
  (= (read n 0) (ite (= at 0) 1 (read m 0)))) :trans true))
(define-fun .kept () Bool (! (= (read m 0) 1) :invar-property 0))
(define-fun .other () Bool (! (= (read m 1) (read m 0)) :invar-property 1))
";

const QUOTIENTS: &str = "node main(x: int) returns (sum, range, some: bool);
let
  sum = x = 7 * (x div 7) + x mod 7 and x div 1 = x and x mod 1 = 0;
  range = x mod 7 >= 0 and x mod 7 < 7 and x = 7 * ((7 * x) div 7) - 6 * x;
  some = not (x div 7 = -3 and x mod 7 = 5);
  --%MAIN
  --%PROPERTY sum;
  --%PROPERTY range;
  --%PROPERTY some;
tel
";

/// A real number that halves its way to a bound which it never meets, then is set free.
const HALVES: &str = "type mode = enum { Calm, Wild };
node main(set: bool; to: real) returns (x: real; m: mode);
var ok: bool;
let
  m = Calm -> if set then Wild else pre m;
  x = 0.0 -> if m = Wild then to else (pre x + 1.0) / 2.0;
  ok = m = Wild or x < 1.0;
  --%PROPERTY ok;
tel
";

/// Long work for any solver: no two odd squares differ by a number that leaves 2 when divided by four.
const HARD: &str = "node main(a, b: int) returns (x: int);
var ok: bool;
let
  x = (2 * a + 1) * (2 * a + 1) * (2 * a + 1) - (2 * b + 1) * (2 * b + 1) * (2 * b + 1) * a;
  ok = x <> 123457;
  --%PROPERTY ok;
tel
";

/// With an assertion that leaves executions.
const CONSTRAINED: &str = "node main(a: int) returns (x: int);
var ok, ko: bool;
let
  x = 0 -> pre x + (if a > 0 then a else 1);
  ok = x >= 0;
  --%PROPERTY ok;
  ko = x < 5;
  --%PROPERTY ko;
  assert x >= 0;
tel
";

/// The only step leads out of the constraint.
const NO_STEP: &str = "1 sort bitvec 1
2 zero 1
3 one 1
4 state 1 s
5 init 1 4 2
6 add 1 4 3
7 next 1 4 6
8 eq 1 4 3
9 constraint -8
10 sort bitvec 3
11 state 10 t
12 input 10 i
13 next 10 11 12
14 ones 10
15 eq 1 11 14
16 and 1 8 15
17 bad 16
";

/// A directory of its own for one test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("buttress-smt-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory for the test");
        Scratch(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file of the test");
        path
    }

    /// A program in the place of a solver.
    fn stub(&self, name: &str, script: &str) {
        let path = self.file(name, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
    }

    fn check(&self, model: &Path, arguments: &[&str]) -> (i32, String) {
        self.run("check", model, arguments)
    }

    /// Runs with no other solvers than those of this directory.
    fn run(&self, what: &str, model: &Path, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_buttress"));
        command.arg(what).arg(model).args(arguments);
        command.env("BUTTRESS_SOLVERS", &self.0);
        result(command.output().expect("it runs"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn result(output: Output) -> (i32, String) {
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), text)
}

/// Where a real solver is, or `None`, said aloud.
fn real(program: &str) -> Option<PathBuf> {
    let found = buttress_solve::smt::find(&buttress_solve::smt::directories());
    let path = found.into_iter().find(|f| f.adapter.program == program).map(|f| f.path);
    if path.is_none() {
        let brought = ["z3", "yices-smt2"].contains(&program);
        let why = if brought { "it is not there, scripts/get-solvers brings it" } else { "it is not there" };
        skip::skip(program, why);
    }
    path
}

/// A real solver under a name of its own.
fn link(scratch: &Scratch, program: &str) -> Option<()> {
    std::os::unix::fs::symlink(real(program)?, scratch.0.join(program)).ok()
}

#[test]
fn integers_are_decided_by_each_solver() {
    for program in ["z3", "yices-smt2"] {
        let scratch = Scratch::new(&format!("each-{program}"));
        if link(&scratch, program).is_none() {
            continue;
        }
        let (code, text) = scratch.check(&scratch.file("safe.lus", SAFE), &["--timeout", "60"]);
        assert!(code == 0 && text.contains("proved"), "{program}: {code} {text}");
        let (code, text) = scratch.check(&scratch.file("unsafe.lus", UNSAFE), &["--timeout", "60"]);
        assert!(code == 10 && text.contains("falsified at step 4"), "{program}: {code} {text}");
    }
}

#[test]
fn ic3_finds_invariants_over_integers_reals_and_enumerations() {
    for program in ["z3", "yices-smt2"] {
        let scratch = Scratch::new(&format!("ic3-{program}"));
        if link(&scratch, program).is_none() {
            continue;
        }
        for (name, model, wanted, told) in [
            ("tokens", TOKENS, 0, "proved (IC3"),
            ("halves", HALVES, 0, "proved (IC3"),
            ("unsafe", UNSAFE, 10, "falsified at step 4 (IC3"),
        ] {
            let file = scratch.file(&format!("{name}.lus"), model);
            for theory in ["projection", "abstraction"] {
                let way = ["--engine", "ic3", "--ic3-theory", theory, "--timeout", "60"];
                let (code, text) = scratch.check(&file, &way);
                assert!(code == wanted && text.contains(told), "{name}, {program}, {theory}: {code} {text}");
            }
        }
        let file = scratch.file("tokens.lus", TOKENS);
        let (code, text) = scratch.check(&file, &["--engine", "kind", "--bound", "6", "--timeout", "60"]);
        assert!(code == 30 && text.contains("the bound of 6 states"), "{program}: {code} {text}");
    }
}

/// A memory of 2³² places, so that nothing is bits; from 5, where no execution is, only paths without a repeated
/// state cannot stay. `start` says where x starts.
fn stays_where_it_is(start: &str) -> String {
    format!(
        "1 sort bitvec 4\n2 sort bitvec 1\n3 sort bitvec 32\n4 sort array 3 1\n10 input 1 i\n11 input 3 at
12 state 1 x\n13 state 4 memory\n14 redor 2 10\n{start}\n16 init 1 12 15\n17 next 4 13 13\n18 read 1 13 11
19 redor 2 18\n20 constd 1 5\n21 constd 1 6\n22 ite 1 19 20 21\n23 eq 2 12 20\n24 ite 1 23 22 12
25 next 1 12 24\n26 eq 2 12 21\n27 bad 26\n"
    )
}

#[test]
fn distinct_states_prove_nothing_where_the_start_reads_an_input() {
    let scratch = Scratch::new("distinct");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let check = |start: &str| {
        let model = scratch.file("m.btor2", &stays_where_it_is(start));
        scratch.check(&model, &["--engine", "kind", "--bound", "6"])
    };
    let (constant, input) = (check("15 one 1"), check("15 uext 1 14 3"));
    assert!(constant.0 == 0 && constant.1.contains("distinct states"), "{}", constant.1);
    assert!(input.0 == 30 && input.1.contains("undecided"), "{}", input.1);
}

/// Traces of solvers are executed in the source, and their proofs are true of all integers.
#[test]
fn quotients_by_constants_are_those_of_the_source() {
    for program in ["z3", "yices-smt2"] {
        let scratch = Scratch::new(&format!("quotients-{program}"));
        if link(&scratch, program).is_none() {
            continue;
        }
        let model = scratch.file("quotients.lus", QUOTIENTS);
        let (code, text) = scratch.check(&model, &["--timeout", "60"]);
        assert!(code == 10 && text.contains("sum (line 7): proved"), "{program}: {code} {text}");
        assert!(text.contains("range (line 8): proved"), "{program}: {code} {text}");
        assert!(text.contains("some (line 9): falsified at step 0"), "{program}: {code} {text}");
    }
}

/// Yices 2.6.5 says *sat* after *unsat* where the assertions alone contradict each other. Its path is none, which
/// is the solver's failure and no fault of what was found.
#[test]
fn what_was_found_is_not_rejected_for_a_path_that_is_none() {
    let scratch = Scratch::new("no-step");
    if link(&scratch, "yices-smt2").is_none() {
        return;
    }
    let (code, text) =
        scratch.run("invariants", &scratch.file("no-step.btor2", NO_STEP), &["--timeout", "60"]);
    assert!(!text.contains("rejected"), "{code} {text}");
}

/// Functions and sorts that are only declared.
#[test]
fn functions_of_which_nothing_is_known_stay_the_same() {
    let scratch = Scratch::new("functions");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let model = scratch.file("memory.vmt", MEMORY_VMT);
    for engine in ["kind", "ic3"] {
        let (code, text) = scratch.check(&model, &["--engine", engine, "--timeout", "60"]);
        assert!(code == 10 && text.contains("b0 .kept: proved"), "{engine}: {code} {text}");
        assert!(text.contains("b1 .other: falsified at step 0"), "{engine}: {code} {text}");
    }
}

/// M₁ of the slides: y >= 1 is inductive relative to x >= 0, which is a property before it.
#[test]
fn a_lemma_stated_as_a_property_helps() {
    let scratch = Scratch::new("m1");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/lustre/m1.lus");
    let kind = ["--engine", "kind", "--timeout", "60"];
    let (code, text) = scratch.check(&model, &kind);
    assert!(code == 0 && text.contains("together with 1 other proved property"), "{code} {text}");
    let alone = [&kind[..], &["--property", "goal", "--bound", "5"]].concat();
    let (code, text) = scratch.check(&model, &alone);
    assert!(code == 30 && text.contains("bound of 5"), "{code} {text}");
}

/// Inductive lemmas of a file help `check`; others, true or false, prove nothing.
#[test]
fn lemmas_over_integers_help_check() {
    let scratch = Scratch::new("hints");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let (lustre, vmt) = (scratch.file("tokens.lus", TOKENS), scratch.file("tokens.vmt", TOKENS_VMT));
    for (model, lemmas, wrong) in [
        (&lustre, "a + b = 3 -- none is lost\n? a >= 0", "b <= 1"),
        (&vmt, "(= (+ a b) 3) ; none is lost\n? (>= a 0)", "(<= b 1)"),
    ] {
        let check = |lemmas: &str| {
            let file = scratch.file("lemmas", lemmas).display().to_string();
            scratch.check(model, &["--engine", "kind", "--bound", "6", "--timeout", "60", "--lemmas", &file])
        };
        let (code, text) = check(&format!("{lemmas}\n{wrong}"));
        assert!(code == 0 && text.contains("lemmas: 2 of 3 are inductive"), "{code} {text}");
        let (code, text) = check(wrong);
        assert!(code == 30 && text.contains("lemmas: 0 of 1 are inductive"), "{code} {text}");
        let (code, text) = check("a");
        assert!(code == 3 && text.contains("error"), "{code} {text}");
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/lustre").join(name)
}

/// Lemmas over integers that one run found are used by another, from a file and from a state, whatever lines were
/// added above.
#[test]
fn lemmas_over_integers_are_saved() {
    let scratch = Scratch::new("saved-terms");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let model = scratch.file("tokens.lus", TOKENS);
    let (saved, state) = (scratch.0.join("saved").display().to_string(), scratch.0.join("state"));
    let state = state.display().to_string();
    let kept = ["--engine", "ic3", "--timeout", "60", "--save-lemmas", &saved, "--state", &state];
    let (code, text) = scratch.check(&model, &kept);
    assert!(code == 0 && text.contains("candidates written"), "{code} {text}");
    let model = scratch.file("tokens.lus", &format!("-- a comment\n{TOKENS}"));
    let weak = ["--engine", "kind", "--bound", "6", "--timeout", "60"];
    let (code, text) = scratch.check(&model, &[&weak[..], &["--lemmas", &saved]].concat());
    assert!(code == 0 && text.contains("are inductive together and were used"), "{code} {text}");
    let (code, text) = scratch.check(&model, &[&weak[..], &["--state", &state]].concat());
    assert!(code == 0 && text.contains("proved (IC3 in an earlier run"), "{code} {text}");
    // Another name for a variable: the lemmas about it are gone, and nothing else happens.
    let model = scratch.file("tokens.lus", &TOKENS.replace("move", "go"));
    let (code, text) = scratch.check(&model, &[&weak[..], &["--state", &state]].concat());
    assert!(code == 0 || code == 30, "{code} {text}");
}

/// Slides on incremental inductive verification: for M₁ lemmas in order are enough, M₂ needs both at once.
#[test]
fn lemmas_over_integers_are_proved_in_order_and_in_groups() {
    for program in ["z3", "yices-smt2"] {
        let scratch = Scratch::new(&format!("lemmas-{program}"));
        if link(&scratch, program).is_none() {
            continue;
        }
        let prove = |model: &str, lemmas: &str| {
            let file = scratch.file("lemmas", lemmas).display().to_string();
            scratch.run("prove", &example(model), &["--property", "goal", "--lemmas", &file])
        };
        let (code, text) = prove("m1.lus", "-- nothing\n");
        assert!(code == 30 && text.contains("the property is not inductive"), "{code} {text}");
        let (code, text) = prove("m1.lus", "x >= 0 -- first\n");
        assert!(code == 0 && text.contains("goal (line 11): proved (k = 1, 1 lemma"), "{code} {text}");
        let (code, text) = prove("m2.lus", "x >= 0");
        let said = "the lemma of line 1, x >= 0, is not inductive (initiation holds, consecution fails)";
        assert!(code == 30 && text.contains(said) && text.contains("not a bug"), "{code} {text}");
        // Why: y is negative, in the user's names.
        let values = |name: &str| {
            let row = text.lines().find(|l| l.split_whitespace().next() == Some(name)).map(str::to_string);
            let steady = text.split(&format!(" {name} = ")).nth(1).map(str::to_string);
            row.or(steady).unwrap_or_else(|| panic!("{name} is shown: {text}"))
        };
        assert!(values("x").contains('-') && values("y").trim_start().starts_with(['-', 'y']), "{text}");
        let (code, text) = prove("m2.lus", "{ x >= 0; y >= 1 }");
        assert!(code == 0 && text.contains("proved (k = 1, 2 lemmas"), "{code} {text}");
        let (code, text) = prove("m2.lus", "? y >= 1\n? x >= 0\n? x = y + 1");
        assert!(code == 0 && text.contains("candidates: 2 of 3 are inductive"), "{code} {text}");
        let (code, text) = prove("m2.lus", "{ x >= 2; y >= 1 }");
        assert!(code == 30 && text.contains("x >= 2, does not hold at the start"), "{code} {text}");
        let (code, text) = prove("m2.lus", "x >= 0\n  y >= zz");
        assert!(code == 3 && text.contains(":2:8: error: there is no variable 'zz'"), "{code} {text}");
    }
}

#[test]
fn where_k_induction_got_stuck_is_shown_in_the_users_names() {
    let scratch = Scratch::new("cti");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let file = scratch.file("tokens.lus", TOKENS);
    let stuck = ["--engine", "kind", "--bound", "2", "--show-cti"];
    let (code, text) = scratch.check(&file, &stuck);
    let said = "k = 2: the property holds in 2 states, then it is violated";
    assert!(code == 30 && text.contains("not a bug") && text.contains(said), "{code} {text}");
    let row = text.lines().find(|l| l.split_whitespace().next() == Some("b")).expect("b is shown");
    assert!(row.trim_end().ends_with('4'), "{text}");
    let (_, text) = scratch.check(&file, &[&stuck[..], &["--json"]].concat());
    assert!(text.contains("\"cti\"") && text.contains("not a bug"), "{text}");
}

/// Lemmas about a model in VMT-LIB are terms of SMT-LIB, as the file names them.
#[test]
fn lemmas_are_terms_where_the_model_has_no_language() {
    let scratch = Scratch::new("terms");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let model = scratch.0.join("m2.vmt");
    let target = model.display().to_string();
    let (code, text) = scratch.run("convert", &example("m2.lus"), &[&target]);
    assert_eq!(code, 0, "{text}");
    let prove = |lemmas: &str| {
        let file = scratch.file("lemmas", lemmas).display().to_string();
        scratch.run("prove", &model, &["--property", "goal", "--lemmas", &file])
    };
    let names = fs::read_to_string(&model).expect("it was written");
    assert!(names.contains(":next") && names.contains(":invar-property 1"), "{names}");
    let (x, y) = ("|pre@6:12|", "|pre@6:20|");
    let (code, text) = prove(&format!("{{ (or first~ (>= {x} 0))\n (or first~ (>= {y} 1)) }}"));
    // The states of one variable are several; that they are equal is a lemma, too.
    assert!(code == 30 && text.contains("not a bug"), "{code} {text}");
    let twins = "(or first~ (and (= |pre@6:12| |pre@7:20|) (= |pre@6:20| |pre@7:12|)))";
    let (code, text) = prove(&format!("{twins} {{ (or first~ (>= {x} 0)) (or first~ (>= {y} 1)) }}"));
    assert!(code == 0 && text.contains("proved (k = 1, 3 lemmas"), "{code} {text}");
    let (code, text) = prove("(>= |pre@6:12| nobody)");
    assert!(code == 3 && text.contains("lemmas:1:16: error: nobody is not declared"), "{code} {text}");
}

/// Models written as VMT-LIB are read back with the same verdicts.
#[test]
fn vmt_goes_out_and_comes_back() {
    let scratch = Scratch::new("vmt");
    if link(&scratch, "yices-smt2").is_none() {
        return;
    }
    let link_model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/link.btor2");
    for (model, code) in [
        (scratch.file("safe.lus", SAFE), 0),
        (scratch.file("unsafe.lus", UNSAFE), 10),
        (scratch.file("tokens.lus", TOKENS), 0),
        (scratch.file("halves.lus", HALVES), 0),
        (link_model, 10),
    ] {
        let target = scratch.0.join("out.vmt").display().to_string();
        let (done, text) = scratch.run("convert", &model, &[&target]);
        assert_eq!(done, 0, "{text}");
        let (verdict, text) = scratch.check(Path::new(&target), &["--timeout", "60"]);
        assert_eq!(verdict, code, "{}: {text}", model.display());
    }
}

#[test]
fn fsis_strengthens_over_integers() {
    let scratch = Scratch::new("fsis");
    if link(&scratch, "yices-smt2").is_none() {
        return;
    }
    for (name, model, wanted, told) in [
        ("tokens", TOKENS, 0, "proved (FSIS"),
        ("safe", SAFE, 0, "proved (FSIS"),
        ("unsafe", UNSAFE, 10, "falsified at step 4 (FSIS"),
    ] {
        let file = scratch.file(&format!("{name}.lus"), model);
        let (code, text) = scratch.check(&file, &["--engine", "fsis", "--timeout", "60"]);
        assert!(code == wanted && text.contains(told), "{name}: {code} {text}");
    }
}

/// Any solver can be given a certificate; each of its questions is answered unsat.
#[test]
fn certificates_are_obligations_in_smt_lib() {
    let scratch = Scratch::new("certificate");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let certificate = scratch.0.join("proof.smt2");
    let path = certificate.display().to_string();
    let file = scratch.file("tokens.lus", TOKENS);
    let (code, text) = scratch.check(&file, &["--certificate", &path, "--timeout", "60"]);
    assert_eq!(code, 0, "{text}");
    let answers = |text: &str| {
        fs::write(&certificate, text).expect("the certificate");
        let output = Command::new(scratch.0.join("z3")).arg(&certificate).output().expect("z3 runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = fs::read_to_string(&certificate).expect("the certificate");
    assert_eq!(answers(&text), "unsat\n".repeat(3), "initiation, consecution, implication");
    let wrong = text.replace("(<= b@0 3)", "(<= b@0 4)").replace("(<= b@1 3)", "(<= b@1 2)");
    assert!(wrong != text && answers(&wrong).contains("\nsat"), "a wrong one is not: {wrong}");
}

#[test]
fn dialogues_are_recorded_and_can_be_replayed() {
    let scratch = Scratch::new("log");
    if link(&scratch, "z3").is_none() {
        return;
    }
    let logs = scratch.0.join("logs");
    fs::create_dir(&logs).expect("a directory");
    let log = logs.display().to_string();
    let (code, text) =
        scratch.check(&scratch.file("safe.lus", SAFE), &["--smt-log", &log, "--timeout", "60"]);
    assert_eq!(code, 0, "{text}");
    let mut answers = 0;
    for entry in fs::read_dir(&logs).expect("the logs").map(|e| e.expect("a log").path()) {
        let told = fs::read_to_string(&entry).expect("a log is text");
        let recorded: Vec<&str> =
            told.lines().filter_map(|l| l.strip_prefix("; ")).filter(|l| l.ends_with("sat")).collect();
        let again = Command::new(scratch.0.join("z3")).arg(&entry).output().expect("z3 runs");
        let again = String::from_utf8_lossy(&again.stdout).into_owned();
        let again: Vec<&str> = again.lines().filter(|l| *l == "sat" || *l == "unsat").collect();
        // The last question may have been cut short, because the answer was no longer needed.
        assert_eq!(recorded[..], again[..recorded.len()], "{}", entry.display());
        answers += recorded.len();
    }
    assert!(answers > 2);
}

#[test]
fn without_a_solver_the_message_says_how_to_get_one() {
    let scratch = Scratch::new("none");
    let (code, text) = scratch.check(&scratch.file("safe.lus", SAFE), &[]);
    assert!(code == 30 && text.contains("get-solvers"), "{code} {text}");
}

/// Checks the report of a failing solver that is alone, and that another solver takes over.
fn fails_as(name: &str, stub: &str, arguments: &[&str], wanted: &str) {
    let scratch = Scratch::new(name);
    scratch.stub("yices-smt2", stub);
    let model = scratch.file("safe.lus", SAFE);
    let alone = [&["--timeout", "6"], arguments].concat();
    let (code, text) = scratch.check(&model, &alone);
    assert!(code == 30 && text.contains(wanted) && !text.contains("proved"), "{name}: {code} {text}");
    if link(&scratch, "z3").is_some() {
        let (code, text) = scratch.check(&model, &[&["--timeout", "60"], arguments].concat());
        assert!(code == 0 && text.contains("proved"), "{name}, with z3: {code} {text}");
    }
}

#[test]
fn a_solver_that_dies() {
    fails_as("dies", "read line; exit 7", &[], "died");
}

#[test]
fn a_solver_that_answers_garbage() {
    fails_as(
        "garbage",
        "while read line; do echo 'well, (it depends)'; done",
        &[],
        "answered what is no answer",
    );
}

#[test]
fn a_solver_that_complains() {
    fails_as("complains", "while read line; do echo '(error \"no such thing\")'; done", &[], "no such thing");
}

#[test]
fn a_solver_that_never_answers() {
    let script = "while read line; do :; done";
    fails_as("silent", &format!("{script}; exec sleep 60"), &["--smt-patience", "0.5"], "time");
}

#[test]
fn a_solver_that_gives_up() {
    let script = "while read line; do case $line in *check-sat*) echo unknown;; esac; done";
    fails_as("unknown", script, &[], "answered unknown");
}

/// Everything is satisfiable, and every value is zero.
#[test]
fn a_solver_that_lies_about_models() {
    let script = "while read line; do case $line in
        *check-sat*) echo sat;;
        *get-value*) echo \"$line\" | tr -d '()' | awk '{printf \"(\"; for (i = 2; i <= NF; i++) printf \"(%s true)\", $i; print \")\"}';;
    esac; done";
    fails_as("lies", script, &[], "gave");
}

/// Everything is proved at once: the check must not believe it.
#[test]
fn a_solver_that_lies_about_proofs() {
    let scratch = Scratch::new("unsat");
    let script = "while read line; do case $line in
        *check-sat*) echo unsat;;
        *get-unsat-assumptions*) echo '()';;
    esac; done";
    scratch.stub("yices-smt2", script);
    if link(&scratch, "z3").is_none() {
        return;
    }
    let (code, text) = scratch.check(&scratch.file("unsafe.lus", UNSAFE), &["--timeout", "20"]);
    assert!(code != 0 && !text.contains(": proved"), "{code} {text}");
}

/// The checking solver answers `unsat` to everything: there are executions, as a falsified property shows, and no
/// proof may be called vacuous on its word.
#[test]
fn a_solver_that_lies_about_executions() {
    let scratch = Scratch::new("vacuous");
    let script = "while read line; do case $line in
        *check-sat*) echo unsat;;
        *get-unsat-assumptions*) echo '()';;
    esac; done";
    let (Some(()), model) = (link(&scratch, "z3"), scratch.file("assert.lus", CONSTRAINED)) else { return };
    let (code, text) = scratch.check(&model, &["--timeout", "20"]);
    assert!(
        code == 10 && text.contains("ok (line 6): proved (") && !text.contains("vacuous"),
        "{code} {text}"
    );
    scratch.stub("cvc5", script);
    let (code, text) = scratch.check(&model, &["--timeout", "20"]);
    assert!(!text.contains("vacuous") && !text.contains(": proved"), "{code} {text}");
    assert!(
        text.contains("ko (line 8): falsified") && text.contains("cvc5 says that there is no execution"),
        "{text}"
    );
}

/// Constraints that leave no execution are reported, by two solvers as by one.
#[test]
fn contradictions_are_told_whoever_finds_them() {
    let scratch = Scratch::new("contradiction");
    let model = scratch.file("assert.lus", &CONSTRAINED.replace("x >= 0", "x < 0"));
    for solver in ["z3", "cvc5"] {
        if link(&scratch, solver).is_some() {
            let (code, text) = scratch.check(&model, &["--timeout", "20"]);
            assert!(code == 0 && text.contains("vacuous: no execution exists"), "{code} {text}");
        }
    }
}

#[test]
fn a_solver_that_eats_memory() {
    let scratch = Scratch::new("memory");
    scratch.stub("yices-smt2", "exec python3 -c 'x = [bytearray(1 << 20) for _ in range(1 << 14)]; input()'");
    let (code, text) =
        scratch.check(&scratch.file("safe.lus", SAFE), &["--memory", "200", "--timeout", "20"]);
    assert!(code == 30 && !text.contains("proved"), "{code} {text}");
}

#[test]
fn z3_killed_in_the_middle_of_a_query() {
    let scratch = Scratch::new("killed");
    let Some(z3) = real("z3") else { return };
    scratch.stub("z3", &format!("(sleep 1; kill -9 $$) & exec {} \"$@\"", z3.display()));
    let (code, text) = scratch.check(&scratch.file("hard.lus", HARD), &["--timeout", "30"]);
    assert!(code == 30 && text.contains("killed by signal 9"), "{code} {text}");
}

/// A solver in the middle of a question does not outlive us.
#[cfg(target_os = "linux")]
#[test]
fn solvers_die_with_us() {
    let scratch = Scratch::new("orphan");
    let Some(z3) = real("z3") else { return };
    let pids = scratch.0.join("pids");
    scratch.stub("z3", &format!("echo $$ >> {}; exec {} \"$@\"", pids.display(), z3.display()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_buttress"));
    command.arg("check").arg(scratch.file("hard.lus", HARD)).env("BUTTRESS_SOLVERS", &scratch.0);
    let mut run = command.stdout(std::process::Stdio::null()).spawn().expect("it runs");
    let wait = || std::thread::sleep(std::time::Duration::from_millis(50));
    let started = || fs::read_to_string(&pids).is_ok_and(|text| text.ends_with('\n'));
    (0..400).take_while(|_| !started()).for_each(|_| wait());
    (0..20).for_each(|_| wait());
    run.kill().expect("it was still working");
    run.wait().expect("it ends");
    let alive = || {
        let text = fs::read_to_string(&pids).expect("a solver was started");
        let dead = |pid: &str| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.rsplit(')').next().is_some_and(|rest| rest.trim().starts_with('Z'))
        };
        text.lines().any(|pid| !dead(pid))
    };
    (0..100).take_while(|_| alive()).for_each(|_| wait());
    assert!(!alive(), "a solver is still there");
}
