//! The meaning of models where tools differ: one test for each line of the book's chapter.

use std::collections::HashMap;
use std::sync::Arc;

use buttress_lustre::interpret::{Choices, Interpreter, Scalar, Step};
use buttress_lustre::table::show;
use buttress_lustre::{lower, read};
use buttress_system::words::System;
use buttress_term::Value;

fn system(text: &str) -> Arc<System> {
    let model = read(text.to_string()).unwrap_or_else(|d| panic!("{}", d[0].render("m.lus")));
    lower(&model).unwrap_or_else(|d| panic!("{}", d[0].render("m.lus"))).system
}

/// Values by name, one for each step; the last one stays, and what has none is zero.
struct Given(HashMap<&'static str, Vec<Value>>, usize);

impl Choices for Given {
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value {
        match self.0.get(name) {
            Some(values) => values[self.1.min(values.len() - 1)].clone(),
            None => Value::zero(&scalar.sort),
        }
    }
}

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|&n| Value::Int(n.into())).collect()
}

fn bools(values: &[bool]) -> Vec<Value> {
    values.iter().map(|&b| Value::Bool(b)).collect()
}

fn run(text: &str, given: impl IntoIterator<Item = (&'static str, Vec<Value>)>, steps: usize) -> Vec<Step> {
    let model = read(text.to_string()).unwrap_or_else(|d| panic!("{}", d[0].render("m.lus")));
    let mut interpreter = Interpreter::new(&model);
    let mut given = Given(given.into_iter().collect(), 0);
    let step = |number| {
        given.1 = number;
        interpreter.step(&mut given).expect("the model executes")
    };
    (0..steps).map(step).collect()
}

/// A variable through all steps.
fn row(steps: &[Step], name: &str) -> String {
    let value =
        |step: &Step| step.values.iter().find(|(n, _)| n == name).map_or("-".into(), |(_, v)| show(v));
    steps.iter().map(value).collect::<Vec<_>>().join(" ")
}

fn properties(system: &System) -> Vec<&str> {
    system.properties.iter().map(|property| &*property.label.name).collect()
}

fn constraints(system: &System) -> Vec<&str> {
    system.constraints.iter().map(|named| &*named.label.name).collect()
}

const CALLEE: &str = "node f(a: int) returns (b: int);\n(*@contract assume \"small\" a < 9; guarantee \"more\" b > a; *)\nlet b = a + 1; assert a > 0; --%PROPERTY b > 0;\ntel\n";

#[test]
fn the_last_node_is_main_unless_one_is_marked() {
    let plain =
        "node p(x: int) returns (y: int); let y = x; tel\nnode q(x: int) returns (z: int); let z = x; tel";
    assert_eq!(row(&run(plain, [("x", ints(&[7]))], 1), "z"), "7");
    let marked = "node p(x: int) returns (y: int); let y = x; --%MAIN;\ntel\nnode q(x: int) returns (z: int); let z = x; tel";
    assert_eq!(row(&run(marked, [("x", ints(&[7]))], 1), "y"), "7");
}

#[test]
fn asserts_of_called_nodes_are_constraints() {
    let system = system(&format!("{CALLEE}node m(x: int) returns (y: int); let y = f(x); tel"));
    assert_eq!(constraints(&system), ["f~0.assert"]);
}

#[test]
fn assumptions_are_constraints_of_the_main_node_and_obligations_of_callers() {
    let called = system(&format!("{CALLEE}node m(x: int) returns (y: int); let y = f(x); tel"));
    assert_eq!(properties(&called), ["f~0.property1", "f~0.small", "f~0.more"]);
    let main = system(CALLEE);
    assert_eq!(constraints(&main), ["assert", "small"]);
    assert_eq!(properties(&main), ["property1", "more"]);
}

#[test]
fn guarantees_of_imported_nodes_are_assumed() {
    let text = "node imported g(a: int) returns (b: int);\n(*@contract assume a > 0; guarantee b > a; *)\nnode m(x: int) returns (y: int); let y = g(x); tel";
    let system = system(text);
    assert_eq!(constraints(&system), ["g~0.guarantee[1]"]);
    assert_eq!(properties(&system), ["g~0.assume[1]"]);
}

#[test]
fn modes_are_implications_and_one_is_active() {
    let text = "node m(x: bool) returns (y: bool);\n(*@contract mode on (require x; ensure y;); mode off (require not x; ensure not y;); *)\nlet y = x; tel";
    assert_eq!(properties(&system(text)), ["on.ensure[1]", "off.ensure[1]", "one mode active"]);
}

#[test]
fn subranges_constrain_inputs_and_oblige_equations() {
    let text = "node m(x: subrange [0, 3] of int) returns (y: subrange [0, 3] of int);\nlet y = x + 1; tel";
    let system = system(text);
    assert_eq!(constraints(&system), ["x"]);
    assert_eq!(properties(&system), ["y in its subrange"]);
    let steps = run(text, [("x", ints(&[3]))], 1);
    assert_eq!(row(&steps, "y"), "4", "numbers do not wrap");
    assert_eq!(steps[0].properties, [("y in its subrange".to_string(), false)]);
}

#[test]
fn an_unguarded_pre_is_any_value_of_its_type_and_each_its_own() {
    let text = "node m(s: subrange [0, 1] of int) returns (a, b: int);\nlet a = pre s; b = pre s; tel";
    let free = |system: &System| system.states.iter().filter(|state| state.init.is_none()).count();
    assert_eq!(free(&system(text)), 2);
    assert_eq!(constraints(&system(text)), ["s", "pre@2:9", "pre@2:20"]);
    let steps = run(text, [("s", ints(&[1, 0])), ("pre@2:9", ints(&[5])), ("pre@2:20", ints(&[6]))], 3);
    assert_eq!((row(&steps, "a"), row(&steps, "b")), ("5 1 0".into(), "6 1 0".into()));
}

#[test]
fn div_and_mod_are_euclidean() {
    let text = "node m(x, y: int) returns (d, r: int); let d = x div y; r = x mod y; tel";
    for (x, y, d, r) in [(7, 2, "3", "1"), (-7, 2, "-4", "1"), (7, -2, "-3", "1"), (-7, -2, "4", "1")] {
        let steps = run(text, [("x", ints(&[x])), ("y", ints(&[y]))], 1);
        assert_eq!((row(&steps, "d"), row(&steps, "r")), (d.into(), r.into()), "{x} {y}");
    }
}

#[test]
fn division_by_zero_is_any_value() {
    let text = "node m(x: int) returns (d: int); let d = 1 div x; tel";
    assert_eq!(row(&run(text, [("x", ints(&[0])), ("div@1:48", ints(&[77]))], 1), "d"), "77");
    assert!(system(text).inputs.iter().any(|input| &*input.label.name == "div@1:48"));
}

#[test]
fn unary_minus_binds_as_in_jkind() {
    let text = "node m(x: int) returns (y: int); let y = -x mod 3; tel";
    assert_eq!(row(&run(text, [("x", ints(&[1]))], 1), "y"), "2");
}

#[test]
fn an_index_that_is_not_known_is_an_obligation() {
    let text = "node m(a: int^2; i: int) returns (y: int); let y = a[i]; tel";
    assert_eq!(properties(&system(text)), ["index at 1:54 in range"]);
    let given = [("a[1]", ints(&[4])), ("i", ints(&[1, 2])), ("index@1:54", ints(&[9]))];
    let steps = run(text, given, 2);
    assert_eq!(row(&steps, "y"), "4 9");
    assert!(steps[0].properties[0].1 && !steps[1].properties[0].1);
}

#[test]
fn decimals_are_exact() {
    let text = "node m() returns (ok: bool; x: real); let ok = 0.1 + 0.2 = 0.3; x = 1.0 / 3.0; tel";
    let steps = run(text, [], 1);
    assert_eq!((row(&steps, "ok"), row(&steps, "x")), ("true".into(), "1/3".into()));
}

#[test]
fn a_condact_holds_its_output_and_moves_only_where_its_clock_holds() {
    let text = "node count() returns (n: int); let n = 1 -> pre n + 1; --%PROPERTY n < 2;\ntel\nnode m(c: bool) returns (y: int); let y = condact(c, count(), 0 - 5); tel";
    let steps = run(text, [("c", bools(&[false, true, false, true, true]))], 5);
    assert_eq!(row(&steps, "y"), "-5 1 1 2 3");
    assert_eq!(row(&steps, "count~0.n"), "- 1 - 2 3");
    let said: Vec<usize> = steps.iter().map(|step| step.properties.len()).collect();
    assert_eq!(said, [0, 1, 0, 1, 1], "a property is required where its node is active");
}

#[test]
fn a_restart_is_a_first_step_again() {
    let text = "node count() returns (n: int); let n = 1 -> pre n + 1; tel\nnode m(r: bool) returns (y: int); let y = (restart count every r)(); tel";
    assert_eq!(row(&run(text, [("r", bools(&[false, false, true, false]))], 4), "y"), "1 2 1 2");
}

#[test]
fn a_merge_takes_the_stream_that_is_there() {
    let text =
        "node m(c: bool; x: int) returns (y: int); let y = merge(c; x when c; (0 - x) when not c); tel";
    assert_eq!(row(&run(text, [("c", bools(&[true, false])), ("x", ints(&[3]))], 2), "y"), "3 -3");
}

#[test]
fn a_circle_is_a_constraint() {
    let text = "node m(x: int) returns (y, z: int); let y = z + x; z = y; tel";
    assert_eq!(constraints(&system(text)), ["y"]);
    let steps = run(text, [("x", ints(&[0, 1])), ("y", ints(&[4]))], 2);
    assert!(steps[0].constraints[0].1 && !steps[1].constraints[0].1);
}

#[test]
fn machine_integers_wrap_and_divide_to_zero() {
    let text = "node m() returns (a, b: int); let a = int ((int8 127) + (int8 1)); b = int ((int8 -7) div (int8 2)); tel";
    let steps = run(text, [], 1);
    assert_eq!((row(&steps, "a"), row(&steps, "b")), ("-128".into(), "-3".into()));
}

#[test]
fn frames_keep_what_is_not_given() {
    let text =
        "node m(c: bool; x: int) returns (y: int);\nlet frame (y) y = 7; let if c then y = x; fi tel tel";
    assert_eq!(
        row(&run(text, [("c", bools(&[true, false, true])), ("x", ints(&[1, 2, 3]))], 3), "y"),
        "1 1 3"
    );
}

#[test]
fn array_equations_go_element_by_element() {
    let text = "node m(x: int) returns (s: int);\nvar a: int^4;\nlet a[i] = if i = 0 then x else a[i - 1] + i; s = a[3]; tel";
    assert_eq!(row(&run(text, [("x", ints(&[10]))], 1), "s"), "16");
}

#[test]
fn every_equation_is_an_element_with_its_name_and_place() {
    let text = "type p = struct {a: int; b: bool};\nnode f(x: int) returns (y: p);\nlet\n  y = p {a = x; b = true};\ntel\nnode m(x: int) returns (z: p);\nlet z = f(x); tel";
    let system = system(text);
    let said: Vec<(&str, u32)> =
        system.definitions.iter().map(|d| (&*d.label.name, d.label.span.expect("a place").line)).collect();
    assert_eq!(said, [("f~0.y.a", 4), ("f~0.y.b", 4), ("z.a", 7), ("z.b", 7)]);
}

#[test]
fn a_when_block_moves_only_the_branch_that_is_taken() {
    let text = "node count() returns (n: int); let n = 1 -> pre n + 1; tel
node m(c: bool) returns (o, a, b: int);
let
  frame (o, a, b) o = 10; a = 0; b = 0;
  let
    when c then o = last o + 1; a = count();
    else o = last o - 1; b = 1 -> pre b + 1; end
  tel
tel";
    let steps = run(text, [("c", bools(&[true, true, false, true, false]))], 5);
    assert_eq!(row(&steps, "o"), "11 12 11 12 11");
    assert_eq!(row(&steps, "a"), "1 2 2 3 3");
    assert_eq!(row(&steps, "b"), "0 0 1 1 2");
}

#[test]
fn a_when_block_in_a_when_block_moves_with_it() {
    let text = "node m(c, d: bool) returns (x: int);
let
  frame (x) x = 5;
  let when c then when d then x = 1 -> pre x + 1; end end tel
tel";
    let given = [("c", bools(&[false, true, false, true])), ("d", bools(&[true, true, true, true]))];
    assert_eq!(row(&run(text, given, 4), "x"), "5 1 1 2");
}

#[test]
fn outside_of_a_frame_a_when_block_reads_its_condition_once() {
    let text = "node m(x: int) returns (a, b: bool);\nlet when any@<bool> then a = true; b = true; else a = false; b = x < 0; end tel";
    let system = system(text);
    assert_eq!(system.inputs.len(), 2, "x, and one choice for the condition");
    let taken = run(text, [("x", ints(&[-1]))], 1);
    assert_eq!((row(&taken, "a"), row(&taken, "b")), ("false".into(), "true".into()));
}

#[test]
fn quantifiers_over_finite_sets_are_conjunctions_and_disjunctions() {
    let text = "type color = enum { Red, Green, Blue };
const N: int = 4;
node m(a: int^N; c: color) returns (sorted, some, none, same: bool);
let
  sorted = forall (i, j: int) (0 <= i and i < N and i < j and j < N) => a[i] <= a[j];
  some = exists (i: subrange [1, 3] of int) a[i] = 7;
  none = forall (d: color; b: bool) d = c and b => d = Red;
  same = exists (i: int) 3 >= i and i > 2 and a[i] = 9;
tel";
    let given =
        [("a[0]", ints(&[7, 1])), ("a[1]", ints(&[8, 7])), ("a[2]", ints(&[8, 6])), ("a[3]", ints(&[9, 9]))];
    let steps = run(text, given, 2);
    assert_eq!(row(&steps, "sorted"), "true false");
    assert_eq!(row(&steps, "some"), "false true");
    assert_eq!(row(&steps, "none"), "true true");
    assert_eq!(row(&steps, "same"), "true true");
}

#[test]
fn a_name_that_is_bound_twice_is_the_inner_one() {
    let text = "datatype opt = Some (v: int) | None;
node m(x: opt) returns (s: int);\nvar a: int^2;
let a[i] = match x with | Some(i): i | None: 50 end; s = a[0] + a[1]; tel";
    assert_eq!(row(&run(text, [("x.Some.v", ints(&[20]))], 1), "s"), "40");
}

#[test]
fn a_function_in_a_lazy_operator_is_obliged_only_where_it_matters() {
    let function =
        "function f(x: int) returns (y: int);\n(*@contract assume \"A\" x >= 0; *)\nlet y = x; tel\n";
    for (body, calls) in [
        ("x >= 0 ==> f(x) >= 0", true),
        ("when x >= 0 then f(x) >= 0 else true", true),
        ("x >= 0 => f(x) >= 0", false),
    ] {
        let text =
            format!("{function}node m(x: int) returns (y: bool);\nlet y = {body}; --%PROPERTY y;\ntel");
        let steps = run(&text, [("x", ints(&[3, -3]))], 2);
        assert_eq!(row(&steps, "y"), "true true");
        let obliged = |step: &Step| step.properties.iter().all(|(_, holds)| *holds);
        assert_eq!((obliged(&steps[0]), obliged(&steps[1])), (true, calls), "{body}");
    }
}
