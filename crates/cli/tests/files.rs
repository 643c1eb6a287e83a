//! What goes into files and comes out of them: models that are written again, stimuli, traces by names,
//! certificates.

#[allow(dead_code)]
mod support;

use std::path::PathBuf;

use support::{Run, Scratch, buttress, root};

/// Runs a command on files with these contents, called as they are called.
fn run(name: &str, files: &[(&str, &str)], arguments: &[&str]) -> Run {
    let scratch = Scratch::new(name);
    for (file, content) in files {
        std::fs::write(scratch.file(file), content).expect("a file of the test");
    }
    Run::of(buttress(&scratch.0).args(arguments))
}

/// A latch that flips, bad when it is set, and only executions count in which it is set again and again.
const FAIR: &str = "aag 1 0 1 0 0 1 0 0 1\n2 3\n2\n2\n";

/// An integer that counts; the second property fails in step 1.
const COUNTER: &str = "node main(i: bool) returns (x: int);
var a, b: bool;
let
  x = 0 -> pre x + 1;
  a = x >= 0;
  b = x < 1;
  --%PROPERTY a;
  --%PROPERTY b;
tel
";

/// A state that nobody reads, and one that goes round from 1 to 2 to 4; from 6, where it never is, it may go to 7.
const TWO: &str = "1 sort bitvec 3
2 sort bitvec 1
3 zero 1
4 one 1
5 constd 1 2
6 constd 1 4
7 constd 1 6
8 constd 1 7
9 input 2 i
10 state 1 s
11 init 1 10 3
12 next 1 10 10
13 state 1 t
14 init 1 13 4
15 eq 2 13 4
16 eq 2 13 5
17 eq 2 13 6
18 eq 2 13 7
19 and 2 18 9
20 ite 1 19 8 13
21 ite 1 17 4 20
22 ite 1 16 6 21
23 ite 1 15 5 22
24 next 1 13 23
25 bad 18 first
26 eq 2 13 8
27 bad 26 second
";

fn golden(name: &str) -> PathBuf {
    root().join("tests/golden").join(name)
}

#[test]
fn a_converted_model_has_the_same_answer() {
    let scratch = Scratch::new("convert");
    let models = [
        ("unsafe/words.aag", 10),
        ("safe/ring.aig", 0),
        ("unsafe/memory.btor2", 10),
        ("safe/counter-skips.btor2", 0),
        ("unsafe/free-state.btor2", 10),
    ];
    for (model, code) in models {
        let mut from = golden(model);
        for to in ["a.aag", "b.btor2", "c.aig", "d.btor"] {
            let run = Run::of(buttress(&scratch.0).arg("convert").arg(&from).arg(to));
            assert_eq!(run.code, 0, "{model} to {to}: {}", run.all());
            let check = Run::of(buttress(&scratch.0).arg("check").arg(to));
            assert_eq!(check.code, code, "{model} as {to}: {}", check.all());
            from = scratch.file(to);
        }
    }
}

#[test]
fn what_cannot_be_converted_is_said() {
    let scratch = Scratch::new("unconvertible");
    let refused = |model: &str, to: &str| {
        let run = Run::of(buttress(&scratch.0).arg("convert").arg(golden(model)).arg(to));
        assert!(!scratch.file(to).exists(), "{}", run.all());
        (run.code, run.stderr)
    };
    let (code, message) = refused("unsafe/words.aag", "model.v");
    assert!(code == 2 && message.contains("model.v"), "{code} {message}");
    let (code, message) = refused("unsafe/justice-in-words.btor2", "model.aag");
    assert!(code == 3 && message.contains("liveness"), "{code} {message}");
    let (code, message) = refused("unknown/large-memory.btor2", "model.aig");
    assert!(code != 0 && message.contains("bits"), "{code} {message}");
    let (code, message) = refused("error/ill-sorted.btor2", "model.aig");
    assert!(code == 3 && message.contains("ill-sorted.btor2:"), "{code} {message}");
}

#[test]
fn fairness_is_not_left_out_of_a_model_that_is_written() {
    let refused = run("fairness", &[("m.aag", FAIR)], &["convert", "m.aag", "m.vmt"]);
    assert!(refused.code == 3 && refused.stderr.contains("liveness is not written"), "{}", refused.all());
}

/// Of latches that start with 1, and as an input is; and of a state that starts as another one does.
#[test]
fn a_simulation_begins_with_the_resets_of_the_model() {
    let one = "aag 1 0 1 1 0\n2 2 1\n2\n";
    let input = "aag 2 1 1 1 0\n2\n4 4 2\n4\n";
    let btor2 = "1 sort bitvec 1\n2 one 1\n3 state 1 a\n4 init 1 3 2\n5 state 1 b\n6 init 1 5 3\n7 zero 1
8 next 1 3 7\n9 next 1 5 5\n10 bad 5 o0\n";
    let random = ["--steps", "2"];
    for (name, model, how) in
        [("m.aag", one, random), ("m.aag", input, ["--stimulus", "i"]), ("m.btor2", btor2, random)]
    {
        let files = [(name, model), ("i", "1\n0\n")];
        let played = run("resets", &files, &[&["simulate", name], &how[..]].concat());
        assert!(played.code == 0 && played.stdout.contains("step 1: o0 is violated"), "{}", played.all());
    }
}

/// After a constraint is broken there is no execution, and nothing is said of properties.
#[test]
fn a_simulation_that_leaves_the_constraints_says_nothing_more() {
    let model = "aag 1 0 1 0 0 1 1\n2 1\n2\n3\n";
    let played = run("broken", &[("m.aag", model)], &["simulate", "m.aag", "--steps", "4"]);
    assert!(played.stdout.contains("step 1: constraint c0 does not hold"), "{}", played.all());
    assert!(!played.stdout.contains("violated") && !played.stdout.contains("step 2: "), "{}", played.all());
}

#[test]
fn a_claim_is_no_proof() {
    let claimed = run("claim", &[("m.aag", FAIR), ("w", "0\nb0\n.\n")], &["verify", "m.aag", "w"]);
    assert!(claimed.code == 30 && claimed.stdout.contains("proves nothing"), "{}", claimed.all());
}

/// A trace that names no property is judged by its last step.
#[test]
fn a_trace_without_a_property_violates_the_one_that_fails() {
    let trace = "{\"steps\": [{\"i\": true}, {\"i\": true}]}";
    let judged = run("unnamed", &[("m.lus", COUNTER), ("t.json", trace)], &["verify", "m.lus", "t.json"]);
    assert!(judged.code == 0 && judged.stdout.contains("the trace violates b"), "{}", judged.all());
    let short = "{\"steps\": [{\"i\": true}]}";
    let judged = run("short", &[("m.lus", COUNTER), ("t.json", short)], &["verify", "m.lus", "t.json"]);
    assert!(judged.code != 0 && !judged.stdout.contains("accepted"), "{}", judged.all());
}

/// A state whose next value nothing determines is chosen in every step; a trace without its values violates
/// nothing.
#[test]
fn a_trace_by_names_has_the_values_that_steps_leave_open() {
    let model = "(declare-fun s () Bool)\n(declare-fun s1 () Bool)\n(declare-fun f () Bool)\n(declare-fun f1 () Bool)
(define-fun .s () Bool (! s :next s1))\n(define-fun .f () Bool (! f :next f1))
(define-fun .init () Bool (! (and (not s) (not f)) :init true))
(define-fun .trans () Bool (! (= s1 f) :trans true))\n(define-fun .ok () Bool (! (not s) :invar-property 0))\n";
    let scratch = Scratch::new("open-values");
    std::fs::write(scratch.file("m.vmt"), model).expect("a file of the test");
    let checked = Run::of(buttress(&scratch.0).args(["check", "m.vmt", "--witness", "t.json"]));
    assert!(checked.code == 10 && checked.stdout.contains("at step 2"), "{}", checked.all());
    let judged = Run::of(buttress(&scratch.0).args(["verify", "m.vmt", "t.json"]));
    assert!(judged.code == 0 && judged.stdout.contains("the trace violates"), "{}", judged.all());
}

#[test]
fn a_trace_with_a_name_that_the_model_has_not_is_refused() {
    let model = "(declare-fun s () Bool)\n(declare-fun s1 () Bool)\n(declare-fun i () Bool)
(define-fun .s () Bool (! s :next s1))\n(define-fun .init () Bool (! (not s) :init true))
(define-fun .trans () Bool (! (= s1 i) :trans true))\n(define-fun .ok () Bool (! (not s) :invar-property 0))\n";
    let trace = |name: &str| {
        format!(
            "{{\"property\": \".ok\", \"steps\": [{{\"i\": true, \"{name}\": false}}, {{\"i\": false}}]}}"
        )
    };
    let judged =
        |trace: &str| run("names", &[("m.vmt", model), ("t.json", trace)], &["verify", "m.vmt", "t.json"]);
    let (known, unknown) = (judged(&trace("s")), judged(&trace("r")));
    assert!(known.code == 0 && known.stdout.contains("the trace violates .ok"), "{}", known.all());
    assert!(
        unknown.code == 3 && unknown.stderr.contains("there is no 'r' in the model"),
        "{}",
        unknown.all()
    );
}

/// One certificate for two properties, each with a proof of its own.
#[test]
fn a_certificate_has_the_proofs_of_all_properties() {
    let scratch = Scratch::new("two-proofs");
    // Two bits that take turns, 01 and 10, and a third that is set where both are; and the same once more, where
    // an input says when. Each proof needs that the bits are not both set.
    let model =
        "aag 15 1 6 0 8 2\n2\n4 6 1\n6 4\n8 16\n10 23 1\n12 29\n14 30\n8\n14\n16 4 6\n18 2 12\n20 3 10
22 19 21\n24 2 10\n26 3 12\n28 25 27\n30 10 12\n";
    std::fs::write(scratch.file("m.aag"), model).expect("a file of the test");
    let checked =
        Run::of(buttress(&scratch.0).args(["check", "m.aag", "--engine", "ic3", "--certificate", "c.aag"]));
    assert!(checked.code == 0, "{}", checked.all());
    let (model, certificate) = (scratch.file("m.aag"), scratch.file("c.aag"));
    support::python_check("certificate", &model, &certificate)
        .expect("a checker that shares no code accepts it");
    let judged = Run::of(buttress(&scratch.0).args(["verify", "m.aag", "c.aag"]));
    assert!(judged.code == 0 && judged.stdout.contains("the circuit proves b0, b1"), "{}", judged.all());
}

/// The state that k-induction could not exclude is about the property that was asked for, not about the first one.
#[test]
fn a_failed_step_is_about_its_property() {
    let arguments =
        ["check", "m.btor2", "--property", "second", "--engine", "kind", "--bound", "1", "--show-cti"];
    let failed = run("cti", &[("m.btor2", TWO)], &arguments);
    assert!(failed.code == 30 && !failed.all().contains("ERROR"), "{}", failed.all());
    // From 6, where the second property holds and the first one does not, to 7.
    let states = failed.stdout.lines().find(|line| line.trim_start().starts_with("t ")).unwrap_or_default();
    assert!(states.contains("110") || states.contains('6'), "{}", failed.all());
}

// ---------------------------------------------------------------------------------------------- what Lustre means

/// A mode that is not active ensures nothing, and a property is claimed only where its guard holds.
#[test]
fn modes_and_guards_count_where_they_apply() {
    let model = "node main(i: bool) returns (o: bool);
(*@contract mode on ( require i; ensure o; ); mode off ( require not i; ensure not o; ); *)
let
  o = i;
  check \"guarded\" o provided i;
tel
";
    let inputs = "{\"steps\": [{\"i\": true}, {\"i\": false}]}";
    let played =
        run("modes", &[("m.lus", model), ("i.json", inputs)], &["simulate", "m.lus", "--stimulus", "i.json"]);
    assert!(played.code == 0 && !played.stdout.contains("violated"), "{}", played.all());
}

/// A property of a node that is called under a clock is claimed where the clock ticks.
#[test]
fn properties_of_calls_count_where_they_are_active() {
    let model = "node sub(x: bool) returns (y: bool);
let
  y = x -> pre y;
  --%PROPERTY x;
tel
node main(x: bool) returns (o: bool);
let
  o = condact(x, sub(x), true);
  --%MAIN;
tel
";
    let proved = run("active", &[("m.lus", model)], &["check", "m.lus"]);
    assert!(proved.code == 0 && proved.stdout.contains("sub~0.x"), "{}", proved.all());
}

/// The first step of a node under a clock is the one in which the clock ticks first.
#[test]
fn a_call_under_a_clock_starts_when_the_clock_does() {
    let model = "node sub(x: bool) returns (y: int);
let
  y = 5 -> pre y + 1;
tel
node main(c: bool) returns (o: int);
var ok: bool;
let
  o = condact(c, sub(c), 0);
  ok = o <> 5;
  --%PROPERTY ok;
  --%MAIN;
tel
";
    let trace = "{\"steps\": [{\"c\": false}, {\"c\": false}, {\"c\": true}]}";
    let judged = run("clock", &[("m.lus", model), ("t.json", trace)], &["verify", "m.lus", "t.json"]);
    assert!(judged.code == 0 && judged.stdout.contains("the trace violates ok"), "{}", judged.all());
}
