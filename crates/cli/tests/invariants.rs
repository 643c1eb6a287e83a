//! `buttress invariants`, and what `check` makes of invariants that were found. Tests that need an SMT solver say
//! so where there is none.

#[allow(dead_code)]
mod support;

use std::process::Command;

use support::{Run, Scratch, buttress};

/// Tokens move from a to b: no k makes `b <= 3` k-inductive, but with `a + b = 3`, which is a term of the program,
/// it is.
const TOKENS: &str = "node main(move: bool) returns (a, b: int);
var ok, all: bool;
let
  a = 3 -> if move and pre a >= 1 then pre a - 1 else pre a;
  b = 0 -> if move and pre a >= 1 then pre b + 1 else pre b;
  all = a + b <= 3;
  ok = b <= 3;
  --%PROPERTY ok;
tel
";

/// A token that is in x or in y, as long as no two events come at once: that both have one is excluded by `env`
/// alone.
const GUARDED: &str = "node main(a, b, c: bool) returns (ok: bool);
var x, y: int; env: bool;
let
  env = (true -> pre env) and not (a and b) and not (b and c) and not (a and c);
  x = 0 -> if a then (if pre x = 0 and pre y = 0 then 1 else pre x)
           else if b then (if pre x >= 1 then pre x - 1 else pre x)
           else if c then (if pre y >= 1 then pre x + 1 else pre x) else pre x;
  y = 0 -> if b then (if pre x >= 1 then pre y + 1 else pre y)
           else if c then (if pre y >= 1 then pre y - 1 else pre y) else pre y;
  ok = env => x <= 1;
  --%PROPERTY ok;
tel
";

/// Two latches that are always equal, and one that is always zero.
const TWINS: &str = "aag 4 1 3 1 0\n2\n4 2\n6 2\n8 8 0\n4\ni0 in\nl0 left\nl1 right\nl2 stuck\n";

/// The program with the solvers of this machine; `None` where there are none.
fn with_solvers(scratch: &Scratch) -> Option<Command> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_buttress"));
    command.current_dir(&scratch.0);
    let listed = Run::of(Command::new(env!("CARGO_BIN_EXE_buttress")).arg("solvers"));
    if listed.stdout.contains("Finite models are decided without") {
        eprintln!("skipped: there is no SMT solver");
        return None;
    }
    Some(command)
}

/// x starts as the input i0 and is zero from then on, y' = x & !i0 is always zero, and z' is the conjunction of
/// all 20 inputs, which random executions do not meet.
fn started_by_an_input() -> String {
    let mut text = String::from("aag 43 20 3 1 20\n");
    (1..=20).for_each(|input| text.push_str(&format!("{}\n", 2 * input)));
    text.push_str("42 0 2\n44 86 0\n46 84 0\n44\n");
    for gate in 24..=42 {
        let before = if gate == 24 { 2 } else { 2 * (gate - 1) };
        text.push_str(&format!("{} {before} {}\n", 2 * gate, 2 * (gate - 22)));
    }
    text.push_str("86 42 3\nl0 x\nl1 y\nl2 z\n");
    text
}

/// A state that only another start leads to refutes nothing.
#[test]
fn the_inputs_of_a_start_belong_to_it() {
    let scratch = Scratch::new("invariants-start");
    std::fs::write(scratch.0.join("start.aag"), started_by_an_input()).unwrap();
    let run = Run::of(buttress(&scratch.0).args(["invariants", "start.aag"]));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.lines().any(|l| l == "!y"), "!y is missing:\n{}", run.all());
    assert!(!run.stdout.lines().any(|l| l == "!z"), "!z does not hold:\n{}", run.all());
}

#[test]
fn invariants_of_a_circuit() {
    let scratch = Scratch::new("invariants-circuit");
    std::fs::write(scratch.0.join("twins.aag"), TWINS).unwrap();
    let run = Run::of(buttress(&scratch.0).args(["invariants", "twins.aag"]));
    assert_eq!(run.code, 0, "{}", run.all());
    for line in ["!left | right", "left | !right", "!stuck"] {
        assert!(run.stdout.lines().any(|l| l == line), "{line} is missing:\n{}", run.all());
    }
    assert!(run.stdout.contains("3 invariants, all checked: 3 with k = 1"), "{}", run.all());
    let run = Run::of(buttress(&scratch.0).args(["invariants", "--verify", "twins.aag"]));
    // Neither half of the equality is inductive without the other.
    assert!(run.stdout.contains("3 of them, copies included, were proved again"), "{}", run.all());
}

#[test]
fn invariants_of_a_program_in_its_own_words() {
    let scratch = Scratch::new("invariants-program");
    std::fs::write(scratch.0.join("tokens.lus"), TOKENS).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["invariants", "tokens.lus"]));
    assert_eq!(run.code, 0, "{}", run.all());
    for line in ["ok", "all", "(a + b) = 3", "b <= 3"] {
        assert!(run.stdout.lines().any(|l| l == line), "{line} is missing:\n{}", run.all());
    }
}

#[test]
fn induction_needs_what_was_discovered() {
    proved_only_with_discovery("invariants-check", TOKENS);
}

#[test]
fn what_holds_under_the_condition_of_a_property_is_found() {
    proved_only_with_discovery("invariants-guarded", GUARDED);
}

fn proved_only_with_discovery(name: &str, program: &str) {
    let scratch = Scratch::new(name);
    std::fs::write(scratch.0.join("main.lus"), program).unwrap();
    let run = |arguments: &str| {
        let mut command = with_solvers(&scratch)?;
        Some(Run::of(command.args(["check", "--timeout", "20", "main.lus"]).args(arguments.split(' '))))
    };
    let Some(alone) = run("--engine kind --bound 12") else { return };
    assert_eq!(alone.code, 30, "{}", alone.all());
    let together = run("--engine kind --engine inv").expect("there was a solver before");
    assert_eq!(together.code, 0, "{}", together.all());
    assert!(together.stdout.contains("proved (k-induction, k = 1"), "{}", together.all());
}

/// The `pre x` are one after the first step; in it they may differ, and `h => g`, of which nobody reads either
/// then, shows it.
#[test]
fn invariants_beside_other_engines_hold_in_the_first_step() {
    let scratch = Scratch::new("invariants-first-step");
    let text = "node main(e: bool; n: int) returns (ok: bool);\nvar g, h: bool; x, m: int;\nlet
        g = pre x >= 1;\n  h = pre x >= 2;\n  m = n -> pre m;
        x = n -> if e and g then pre x - 1 else if h then pre x - 2 else pre x;
        ok = x <= m;\n  --%PROPERTY ok;\ntel\n";
    std::fs::write(scratch.0.join("loose.lus"), text).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["check", "--engine", "inv", "loose.lus"]));
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(!run.all().contains("failed"), "{}", run.all());
}

#[test]
fn what_a_step_says_can_be_left_out() {
    let scratch = Scratch::new("invariants-trivial");
    std::fs::write(scratch.0.join("tokens.lus"), TOKENS).unwrap();
    let run = |arguments: &[&str]| {
        let run = Run::of(with_solvers(&scratch)?.args(["invariants", "tokens.lus"]).args(arguments));
        assert_eq!(run.code, 0, "{}", run.all());
        Some(run.stdout.lines().map(str::to_string).collect::<Vec<_>>())
    };
    let (Some(all), Some(less)) = (run(&[]), run(&["--no-trivial"])) else { return };
    let trivial = "true -> ((pre b) <= b)".to_string();
    let needed = "(a + b) = 3".to_string();
    assert!(all.contains(&trivial) && all.contains(&needed), "{all:?}");
    assert!(!less.contains(&trivial) && less.contains(&needed), "{less:?}");
    let ints = run(&["--compare", "int"]).expect("there was a solver before");
    assert!(!ints.contains(&"ok".to_string()) && ints.contains(&needed), "{ints:?}");
}

#[test]
fn without_a_solver_nothing_is_claimed() {
    let scratch = Scratch::new("invariants-unsolved");
    std::fs::write(scratch.0.join("tokens.lus"), TOKENS).unwrap();
    let run = Run::of(buttress(&scratch.0).args(["invariants", "tokens.lus"]));
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(run.stdout.contains("there is no SMT solver"), "{}", run.all());
    assert!(run.stdout.contains("0 invariants"), "{}", run.all());
}

#[test]
fn invariants_are_written_into_the_source_and_go_stale() {
    let scratch = Scratch::new("invariants-annotate");
    std::fs::write(scratch.0.join("tokens.lus"), TOKENS).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run =
        Run::of(command.args(["invariants", "tokens.lus", "--annotate", "out.lus", "--smtlib", "out.smt2"]));
    assert_eq!(run.code, 0, "{}", run.all());
    let text = std::fs::read_to_string(scratch.0.join("out.lus")).unwrap();
    assert!(text.contains("and ((a + b) = 3)"), "{text}");
    assert!(std::fs::read_to_string(scratch.0.join("out.smt2")).unwrap().contains("(assert (= (+ a b) 3))"));
    let check = |file: &str| {
        let mut command = with_solvers(&scratch).expect("there was a solver before");
        Run::of(command.args(["check", "--engine", "kind", "--bound", "12", file]))
    };
    let annotated = check("out.lus");
    assert_eq!(annotated.code, 0, "{}", annotated.all());
    assert!(!annotated.stderr.contains("edited"), "{}", annotated.all());
    std::fs::write(scratch.0.join("edited.lus"), text.replace("a = 3 ->", "a = 4 ->")).unwrap();
    let edited = check("edited.lus");
    assert!(edited.stderr.contains("edited after its invariants were written"), "{}", edited.all());
}

#[test]
fn invariants_are_proved_again_and_ranked_by_use() {
    let scratch = Scratch::new("invariants-rank");
    std::fs::write(scratch.0.join("tokens.lus"), TOKENS).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["invariants", "tokens.lus", "--verify", "--rank", "--json"]));
    assert_eq!(run.code, 0, "{}", run.all());
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let all = report["invariants"].as_array().expect("a list").len();
    let needed = report["uses"][0]["needs"].as_array().expect("a list").len();
    assert!(0 < needed && needed < 6 && needed < all, "{}", run.all());
    assert!(report["proved_alone"].as_u64().expect("a number") > 3, "{}", run.all());
}

#[test]
fn invariants_that_need_each_other_are_not_proved_alone() {
    let alone = |x: &str, y: &str| {
        let scratch = Scratch::new(&format!("invariants-alone-{x}"));
        let text = format!(
            "(set-logic QF_LIA)(declare-fun x () Int)(declare-fun xn () Int)(declare-fun y () Int)(declare-fun yn () Int)
             (define-fun sx () Int (! x :next xn))(define-fun sy () Int (! y :next yn))
             (define-fun i () Bool (! (and (= x 0) (= y 0)) :init true))
             (define-fun t () Bool (! (and (= xn {x}) (= yn {y})) :trans true))
             (define-fun p () Bool (! (>= x 0) :invar-property 0))"
        );
        std::fs::write(scratch.0.join("pair.vmt"), text).unwrap();
        let terms = ["invariants", "--compare", "int", "--max-k", "1", "--verify", "--json", "pair.vmt"];
        let run = Run::of(with_solvers(&scratch)?.args(terms));
        assert_eq!(run.code, 0, "{}", run.all());
        let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(report["invariants"].as_array().expect("a list").len(), 2, "{}", run.all());
        report["proved_alone"].as_u64()
    };
    // x = 0 and y = 0: where the two change places, neither is inductive by itself.
    let Some(swapped) = alone("y", "x") else { return };
    assert_eq!((swapped, alone("x", "y")), (0, Some(2)));
}

/// Two calls of a counter that stops at its limit.
const CALLS: &str = "node counter(inc: bool; max: int) returns (n: int);
let
  n = 0 -> if inc and pre n < max then pre n + 1 else pre n;
tel
node main(a, b: bool) returns (x, y: int; ok: bool);
let
  x = counter(a, 5);
  y = counter(b, 7);
  ok = x <= 5;
  --%PROPERTY ok;
tel
";

#[test]
fn what_holds_of_a_node_is_carried_over_to_its_calls() {
    let scratch = Scratch::new("invariants-modular");
    std::fs::write(scratch.0.join("calls.lus"), CALLS).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["invariants", "--modular", "calls.lus"]));
    assert_eq!(run.code, 0, "{}", run.all());
    for line in ["true -> ((pre counter~0.n) <= counter~0.n)", "true -> ((pre counter~1.n) <= counter~1.n)"] {
        assert!(run.stdout.lines().any(|l| l == line), "{line} is missing:\n{}", run.all());
    }
    assert!(run.stdout.contains("accepted for 2 calls, refused for 0"), "{}", run.all());
}

/// Invariants that are carried over speak of terms that discovery has too, in a store of its own.
#[test]
fn what_is_carried_over_is_said_in_the_terms_that_are_compared() {
    let scratch = Scratch::new("invariants-stores");
    let text = "node n(i: int) returns (o: int);
var l: bool;
let
  o = if 0 <= -3 then 0 else if i >= 6 then 6 else 0;
  l = true;
tel
node main(a: bool) returns (x: int);
let
  x = 0 * n(5);
tel
";
    std::fs::write(scratch.0.join("stores.lus"), text).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["invariants", "--modular", "stores.lus"]));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("accepted for 1 calls, refused for 0"), "{}", run.all());
}

/// The node assumes that its input is positive: as a main node it may suppose that, as a called one it may not.
#[test]
fn what_a_node_has_from_its_assumptions_is_not_carried_over_unchecked() {
    let scratch = Scratch::new("invariants-assumption");
    let text = "node inner(i: int) returns (o: int);
(*@contract assume i >= 1; *)
let
  o = i -> pre o + i;
tel
node main(a: int) returns (x: int);
let
  x = inner(a);
  --%MAIN
tel
";
    std::fs::write(scratch.0.join("assumes.lus"), text).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["invariants", "--modular", "assumes.lus"]));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!run.stdout.contains("1 <= inner~0.o"), "{}", run.all());
    assert!(run.stdout.contains("refused for 1"), "{}", run.all());
}

#[test]
fn terms_of_the_users_own() {
    let scratch = Scratch::new("invariants-terms");
    std::fs::write(scratch.0.join("calls.lus"), CALLS).unwrap();
    std::fs::write(scratch.0.join("own.terms"), "x + y - 12\nx + 2 * y\n-1000\n1000\n").unwrap();
    std::fs::write(scratch.0.join("wrong.terms"), "x\nx + z\n").unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["invariants", "--terms", "own.terms", "--vmt", "out.vmt", "calls.lus"]));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.lines().any(|l| l == "((x + y) - 12) <= 0"), "{}", run.all());
    assert!(run.stdout.lines().any(|l| l == "(x + (2 * y)) <= 1000"), "{}", run.all());
    let again = Run::of(with_solvers(&scratch).expect("as before").args(["check", "out.vmt"]));
    assert_eq!(again.code, 0, "the invariants are properties that hold: {}", again.all());
    let wrong = Run::of(with_solvers(&scratch).expect("as before").args([
        "invariants",
        "--terms",
        "wrong.terms",
        "calls.lus",
    ]));
    assert_eq!(wrong.code, 3, "{}", wrong.all());
    assert!(wrong.stderr.contains("wrong.terms:2:5"), "{}", wrong.all());
    for (term, why) in [("pre x", "no memory"), ("true + 1", "bool and int")] {
        std::fs::write(scratch.0.join("wrong.terms"), format!("x\n  {term}\n")).unwrap();
        let wrong = Run::of(with_solvers(&scratch).expect("as before").args([
            "invariants",
            "--terms",
            "wrong.terms",
            "calls.lus",
        ]));
        assert_eq!(wrong.code, 3, "{}", wrong.all());
        assert!(wrong.stderr.contains("wrong.terms:2:3") && wrong.stderr.contains(why), "{}", wrong.all());
    }
}

#[test]
fn what_every_word_satisfies_is_no_invariant() {
    let scratch = Scratch::new("invariants-words");
    let text = "1 sort bitvec 3\n2 zero 1\n3 ones 1\n4 state 1 x\n5 init 1 4 2\n6 input 1 i\n7 next 1 4 6\n\
        8 sort bitvec 1\n9 eq 8 4 3\n10 eq 8 6 2\n11 and 8 9 10\n12 bad 11\n";
    std::fs::write(scratch.0.join("free.btor2"), text).unwrap();
    let Some(mut command) = with_solvers(&scratch) else { return };
    let run = Run::of(command.args(["invariants", "--signed", "free.btor2"]));
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!run.stdout.contains("#b000 "), "{}", run.all());
    assert!(!run.stdout.contains(" #b111"), "{}", run.all());
}

/// The invariants of a model, each of which must be proved again.
fn lines_of(name: &str, text: &str, options: &[&str]) -> Option<Vec<String>> {
    let scratch = Scratch::new(&format!("invariants-of-{}", name.replace('.', "-")));
    std::fs::write(scratch.0.join(name), text).unwrap();
    let run = Run::of(with_solvers(&scratch)?.args(["invariants", "--verify", name]).args(options));
    assert_eq!(run.code, 0, "{}", run.all());
    Some(run.stdout.lines().map(str::to_string).collect())
}

fn assert_among(lines: &[String], wanted: &[&str]) {
    for line in wanted {
        assert!(lines.iter().any(|l| l == line), "{line} is missing:\n{}", lines.join("\n"));
    }
}

#[test]
fn invariants_of_vmt_in_smt_lib() {
    let text = "(set-logic QF_LIA)(declare-fun x () Int)(declare-fun xn () Int)
        (define-fun sx () Int (! x :next xn))(define-fun i () Bool (! (= x 0) :init true))
        (define-fun t () Bool (! (= xn (ite (< x 5) (+ x 1) 0)) :trans true))
        (define-fun p () Bool (! (<= x 7) :invar-property 0))\n";
    let Some(lines) = lines_of("count.vmt", text, &[]) else { return };
    assert_among(&lines, &["(<= x 5)", "(>= x 0)", "(<= (+ x 1) 6)"]);
    // What arithmetic says, a weaker bound, and the same in other words.
    for said in ["(=> (>= x 5) (>= x 4))", "(<= x 7)", "(not (> x 5))", "(<= 0 x)"] {
        assert!(!lines.iter().any(|l| l == said), "{said} is there:\n{}", lines.join("\n"));
    }
}

#[test]
fn invariants_of_reals() {
    let text = "node main(up: bool) returns (x: real; ok: bool);\nlet\n
        x = 0.0 -> if up and pre x < 1.0 then pre x + 0.5 else pre x;\n  ok = x <= 1.5;\n  --%PROPERTY ok;\ntel\n";
    let Some(lines) = lines_of("tank.lus", text, &["--compare", "int"]) else { return };
    assert_among(&lines, &["true -> ((pre x) >= 0.0)", "true -> ((pre x) <= x)"]);
}

#[test]
fn invariants_of_enumerations() {
    let text =
        "type colour = enum { red, green, blue };\nnode main(s: bool) returns (a, b: colour; ok: bool);\nlet
        a = red -> if s then green else pre a;\n  b = if a = red then red else green;\n
        ok = not (a = blue);\n  --%PROPERTY ok;\ntel\n";
    let Some(lines) = lines_of("light.lus", text, &[]) else { return };
    assert_among(&lines, &["b = a", "not (a = blue)"]);
    let Some(lines) = lines_of("light.lus", text, &["--compare", "enum"]) else { return };
    assert_among(&lines, &["b = a"]);
    assert!(!lines.iter().any(|l| l == "ok"), "{}", lines.join("\n"));
}

/// From 0 to 5, and from -2 to 1: the one has bounds as an unsigned number, the other as a signed one only.
#[test]
fn invariants_of_words_with_and_without_a_sign() {
    let text = "1 sort bitvec 8\n2 zero 1\n3 constd 1 5\n4 one 1\n5 sort bitvec 1\n6 state 1 x\n7 init 1 6 2\n\
        8 ult 5 6 3\n9 add 1 6 4\n10 ite 1 8 9 2\n11 next 1 6 10\n12 ugt 5 6 3\n13 bad 12\n";
    let Some(lines) = lines_of("unsigned.btor2", text, &[]) else { return };
    assert_among(&lines, &["(bvule x #b00000101)"]);
    assert!(!lines.iter().any(|l| l.contains("bvugt") || l.contains("bvsle")), "{}", lines.join("\n"));
    let text = "1 sort bitvec 8\n2 constd 1 -2\n3 one 1\n4 sort bitvec 1\n5 state 1 y\n6 init 1 5 2\n7 sgte 4 5 3\n\
        8 add 1 5 3\n9 ite 1 7 2 8\n10 next 1 5 9\n11 sgt 4 5 3\n12 bad 11\n";
    let signed = "(bvsle #b11111110 y)";
    let Some(lines) = lines_of("signed.btor2", text, &["--signed"]) else { return };
    assert_among(&lines, &[signed, "(bvsle y #b00000001)"]);
    let Some(lines) = lines_of("signed.btor2", text, &[]) else { return };
    assert!(!lines.iter().any(|l| l == signed), "{}", lines.join("\n"));
}

/// Whatever the worker does meanwhile. The time is that of the whole program, its start included.
#[test]
fn the_limit_holds() {
    let scratch = Scratch::new("invariants-limit");
    // A shift register of so many latches: more to compare than the time allows.
    let latches = 6000;
    let mut text = format!("aag {} 1 {latches} 1 0\n2\n", latches + 1);
    (0..latches).for_each(|l| text.push_str(&format!("{} {}\n", 2 * l + 4, 2 * l + 2)));
    text.push_str(&format!("{}\n", 2 * latches + 2));
    std::fs::write(scratch.0.join("shift.aag"), text).unwrap();
    let arguments = ["invariants", "--json", "--timeout", "4", "--max-terms", "12000", "shift.aag"];
    let run = Run::of(buttress(&scratch.0).args(arguments));
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["stopped"], "time", "{}", run.all());
    let seconds = report["seconds"].as_f64().expect("a number");
    // Seconds more than the limit and its grace are those of a busy machine.
    assert!((3.0..=8.0).contains(&seconds), "{seconds} s");
}

#[test]
fn what_does_not_fit_the_model_is_said_before_any_work() {
    let scratch = Scratch::new("invariants-unfit");
    std::fs::write(scratch.0.join("twins.aag"), TWINS).unwrap();
    for option in [&["--modular"][..], &["--annotate", "out.lus"], &["--terms", "t"], &["--vmt", "out.vmt"]] {
        let run = Run::of(buttress(&scratch.0).args(["invariants", "twins.aag"]).args(option));
        assert_eq!(run.code, 2, "{}", run.all());
        assert!(run.stderr.contains(option[0]) && run.stdout.is_empty(), "{}", run.all());
    }
}
