//! Diagnostics read as those of a compiler: the line, carets under the place, and a hint.

/// A model, and what is said about it. Only errors and warnings, as rendered for `m.lus`.
fn said(text: &str) -> String {
    let diagnostics = match buttress_lustre::read(text.to_string()) {
        Ok(model) => model.remarks,
        Err(diagnostics) => diagnostics,
    };
    diagnostics.iter().map(|d| d.render("m.lus")).collect::<Vec<_>>().join("\n")
}

macro_rules! golden {
    ($($name:ident: $text:expr => $expected:expr;)*) => {
        $(#[test] fn $name() { assert_eq!(said($text), $expected.trim_start_matches('\n')); })*
    };
}

golden! {
    a_missing_semicolon: "node n(x: int) returns (y: int);\nlet\n  y = x\ntel" => r#"
m.lus:3:7: error: expected ';', found 'tel'
      y = x
          ^"#;
    two_mistakes_in_one_file: "node n(x: int) returns (y, z: int);\nlet\n  y = x +;\n  z = (x;\ntel" => r#"
m.lus:3:10: error: expected an expression, found ';'
      y = x +;
             ^
m.lus:4:9: error: expected ')', found ';'
      z = (x;
            ^"#;
    an_odd_character: "node n(x: int) returns (y: int);\nlet y = x $ 1; tel" => r#"
m.lus:2:9: error: expected ';', found '1'
    let y = x $ 1; tel
            ^
m.lus:2:11: error: the character '$' is no part of Lustre
    let y = x $ 1; tel
              ^"#;
    a_comment_without_end: "node n(x: int) returns (y: int);\nlet y = x; tel\n(* to be continued" => r#"
m.lus:3:1: error: this comment has no end
    (* to be continued
    ^^
help: add *)"#;
    a_string_without_end: "node n(x: bool) returns (y: bool);\nlet y = x; check \"name y; tel" => r#"
m.lus:2:18: error: this string has no end
    let y = x; check "name y; tel
                     ^^^^^^^^^^^^
help: add a closing '"'
m.lus:2:30: error: expected 'tel', found the end of the file
    let y = x; check "name y; tel
                                 ^
m.lus:2:30: error: expected an expression, found the end of the file
    let y = x; check "name y; tel
                                 ^"#;
    a_body_without_end: "node n(x: int) returns (y: int);\nlet\n  y = x;\n" => r#"
m.lus:4:1: error: expected 'tel', found the end of the file
    
    ^"#;
    no_declaration: "let x = 1; tel" => r#"
m.lus:1:1: error: expected a declaration (type, const, node, function, contract), found 'let'
    let x = 1; tel
    ^^^"#;
    an_unknown_variable: "node n(speed: int) returns (y: int);\nlet y = sped + 1; tel" => r#"
m.lus:2:9: error: there is no variable 'sped'
    let y = sped + 1; tel
            ^^^^
help: did you mean 'speed'?"#;
    an_unknown_type: "node n(x: integer) returns (y: int);\nlet y = 1; tel" => r#"
m.lus:1:11: error: there is no type 'integer'
    node n(x: integer) returns (y: int);
              ^^^^^^^
help: declare it: type … = …;"#;
    an_unknown_node: "node n(x: int) returns (y: int);\nlet y = f(x); tel" => r#"
m.lus:2:9: error: there is no node 'f'
    let y = f(x); tel
            ^"#;
    a_variable_declared_twice: "node n(x: int) returns (x: int);\nlet x = 1; tel" => r#"
m.lus:1:25: error: the variable 'x' is declared twice
    node n(x: int) returns (x: int);
                            ^"#;
    a_node_declared_twice: "node n(x: int) returns (y: int);\nlet y = x; tel\nnode n(x: int) returns (y: int);\nlet y = x; tel" => r#"
m.lus:3:6: error: the node 'n' is declared twice
    node n(x: int) returns (y: int);
         ^"#;
    a_variable_defined_twice: "node n(x: int) returns (y: int);\nlet y = x; y = x + 1; tel" => r#"
m.lus:2:12: error: 'y' is defined twice
    let y = x; y = x + 1; tel
               ^"#;
    an_input_defined: "node n(x: int) returns (y: int);\nlet y = x; x = 2; tel" => r#"
m.lus:2:12: error: 'x' is an input and cannot be defined here
    let y = x; x = 2; tel
               ^"#;
    a_variable_without_equation: "node n(x: int) returns (y: int);\nvar z: int;\nlet y = x + z; tel" => r#"
m.lus:2:5: warning: 'z' has no equation: it is any value in every step
    var z: int;
        ^
help: define it, or make it an input"#;
    integers_and_reals_mixed: "node n(x: int) returns (y: real);\nlet y = x + 1.0; tel" => r#"
m.lus:2:9: error: the operands of '+' have types int and real
    let y = x + 1.0; tel
            ^^^^^^^
help: convert one of them: real(…), floor(…), or write 1.0 for 1"#;
    the_wrong_type_of_a_value: "node n(x: int) returns (y: bool);\nlet y = x; tel" => r#"
m.lus:2:9: error: the value of 'y' has type int, expected bool
    let y = x; tel
            ^"#;
    a_condition_that_is_no_boolean: "node n(x: int) returns (y: int);\nlet y = if x then 1 else 2; tel" => r#"
m.lus:2:12: error: the condition has type int, expected bool
    let y = if x then 1 else 2; tel
               ^"#;
    branches_of_two_types: "node n(x: bool) returns (y: int);\nlet y = if x then 1 else false; tel" => r#"
m.lus:2:9: error: the branches have types int and bool
    let y = if x then 1 else false; tel
            ^^^^^^^^^^^^^^^^^^^^^^
help: both must have one type"#;
    too_few_arguments: "node f(a, b: int) returns (c: int);\nlet c = a + b; tel\nnode n(x: int) returns (y: int);\nlet y = f(x); tel" => r#"
m.lus:4:9: error: 'f' has 2 inputs, but 1 arguments are given
    let y = f(x); tel
            ^^^^"#;
    an_argument_of_the_wrong_type: "node f(a: bool) returns (c: bool);\nlet c = a; tel\nnode n(x: int) returns (y: bool);\nlet y = f(x); tel" => r#"
m.lus:4:11: error: argument 1 of 'f' has type int, expected bool
    let y = f(x); tel
              ^"#;
    too_many_variables_on_the_left: "node n(x: int) returns (y, z: int);\nlet (y, z) = x; tel" => r#"
m.lus:2:5: error: 2 variables on the left, 1 values on the right
    let (y, z) = x; tel
        ^^^^^^^^^^^"#;
    a_field_that_is_missing: "type p = struct {a: int; b: int};\nnode n(x: int) returns (y: p);\nlet y = p {a = x}; tel" => r#"
m.lus:3:9: error: the field 'b' is missing
    let y = p {a = x}; tel
            ^^^^^^^^^"#;
    a_field_that_does_not_exist: "type p = struct {a: int};\nnode n(x: p) returns (y: int);\nlet y = x.c; tel" => r#"
m.lus:3:11: error: the type p has no field 'c'
    let y = x.c; tel
              ^"#;
    an_index_out_of_range: "node n(x: int^3) returns (y: int);\nlet y = x[3]; tel" => r#"
m.lus:2:11: error: index 3 is outside of an array of 3 elements
    let y = x[3]; tel
              ^"#;
    an_index_into_a_number: "node n(x: int) returns (y: int);\nlet y = x[0]; tel" => r#"
m.lus:2:9: error: an index into something of type int, which is no array
    let y = x[0]; tel
            ^^^^"#;
    an_empty_subrange: "node n(x: subrange [3, 1] of int) returns (y: int);\nlet y = x; tel" => r#"
m.lus:1:11: error: the subrange [3, 1] is empty
    node n(x: subrange [3, 1] of int) returns (y: int);
              ^^^^^^^^^^^^^^^^^^^^^^"#;
    an_array_without_elements: "node n(x: int^0) returns (y: int);\nlet y = 1; tel" => r#"
m.lus:1:15: error: an array has at least one element, not 0
    node n(x: int^0) returns (y: int);
                  ^"#;
    a_node_that_calls_itself: "node n(x: int) returns (y: int);\nlet y = n(x); tel" => r#"
m.lus:2:9: error: 'n' calls itself
    let y = n(x); tel
            ^^^^
help: recursive nodes are not supported; unfold the recursion"#;
    a_type_defined_by_itself: "type t = t;\nnode n(x: t) returns (y: int);\nlet y = 1; tel" => r#"
m.lus:1:6: error: the type 't' is defined by itself
    type t = t;
         ^"#;
    a_constant_defined_by_itself: "const c: int = d; d: int = c;\nnode n(x: int) returns (y: int);\nlet y = c; tel" => r#"
m.lus:1:7: error: the constant 'c' is defined by itself
    const c: int = d; d: int = c;
          ^"#;
    a_circle_within_a_step: "node n(x: int) returns (y, z: int);\nlet y = z + x; z = y; tel" => r#"
m.lus:1:25: warning: 'y' depends on itself in the same step: y reads z reads y
    node n(x: int) returns (y, z: int);
                            ^
help: put a 'pre' into the circle; as it is, executions are the solutions of the equations, if there are any"#;
    memory_in_a_function: "function f(x: int) returns (y: int);\nlet y = 0 -> pre x; tel" => r#"
m.lus:2:9: error: '->' cannot stand here: a function has no memory
    let y = 0 -> pre x; tel
            ^^^^^^^^^^"#;
    a_pre_without_guard: "node n(x: int) returns (y: int);\nlet y = pre x; tel" => r#"
m.lus:2:9: warning: this 'pre' is not guarded: in the first step it is any value
    let y = pre x; tel
            ^^^^^
help: give a first value: e -> pre …"#;
    a_divisor_that_may_be_zero: "node n(x: int) returns (y: int);\nlet y = 1 div x; tel" => r#"
m.lus:2:15: warning: if this is zero, the result of 'div' is any value
    let y = 1 div x; tel
                  ^
help: guard the division, or assert that this is not zero"#;
    two_clocks_that_meet: "node n(x: int; c: bool) returns (y: int);\nlet y = x + (x when c); tel" => r#"
m.lus:2:9: error: a stream on the base clock meets a stream sampled by 'c'
    let y = x + (x when c); tel
            ^^^^^^^^^^^^^^
help: sample with 'when', or bring samplings together with 'merge'"#;
    a_case_that_is_missing: "type t = enum {A, B};\nnode n(c: t) returns (y: int);\nlet y = merge c (A -> 1); tel" => r#"
m.lus:3:9: error: the case 'B' is missing
    let y = merge c (A -> 1); tel
            ^^^^^^^^^^^^^^^^"#;
    minus_before_mod: "node n(x: int) returns (y: int);\nlet y = -x mod 3; tel" => r#"
m.lus:2:9: warning: here '-' binds more strongly than 'div' and 'mod', as in JKind; Kind 2 reads it the other way
    let y = -x mod 3; tel
            ^^^^^^
help: write parentheses"#;
    a_property_that_is_no_boolean: "node n(x: int) returns (y: int);\nlet y = x;\n--%PROPERTY y;\ntel" => r#"
m.lus:3:13: error: a property has type int, expected bool
    --%PROPERTY y;
                ^"#;
    an_enum_value_twice: "type t = enum {A, B};\ntype u = enum {B, C};\nnode n(x: t) returns (y: t);\nlet y = x; tel" => r#"
m.lus:2:16: error: 'B' is declared twice: as a constant or a value of a type
    type u = enum {B, C};
                   ^"#;
    a_bound_that_is_no_machine_integer: "node n(x: uint8) returns (y: uint8);\nlet y = x + 1; tel" => r#"
m.lus:2:9: error: the operands of '+' have types uint8 and int
    let y = x + 1; tel
            ^^^^^
help: both must have one type"#;
    realizability: "node n(x: int) returns (y: int);\nlet y = x;\n--%REALIZABLE x;\ntel" => r#"
m.lus:3:1: note: realizability is not checked
    --%REALIZABLE x;
    ^^^^^^^^^^^^^^^^"#;
    current_is_refused: "node n(x: int; c: bool) returns (y: int);\nlet y = current(x); tel" => r#"
m.lus:2:9: error: the operator 'current' is not supported
    let y = current(x); tel
            ^^^^^^^
help: use 'merge', or 'condact' with an initial value"#;
    an_unknown_mode: "node n(x: bool) returns (y: bool);\n(*@contract guarantee ::m => y; *)\nlet y = x; tel" => r#"
m.lus:2:23: error: there is no mode 'm'
    (*@contract guarantee ::m => y; *)
                          ^^^"#;
    an_unknown_contract: "node n(x: bool) returns (y: bool);\n(*@contract import C(x) returns (y); *)\nlet y = x; tel" => r#"
m.lus:2:20: error: there is no contract 'C'
    (*@contract import C(x) returns (y); *)
                       ^"#;
}

/// Aliases of aliases double with each line: refused at once, not resolved for hours.
#[test]
fn a_type_that_explodes() {
    let mut text = String::from("type t0 = [bool, bool];\n");
    for n in 1..64 {
        text += &format!("type t{n} = [t{}, t{}];\n", n - 1, n - 1);
    }
    text += "node n(x: t63) returns (y: bool);\nlet y = true; tel";
    let said = said(&text);
    assert!(said.starts_with("m.lus:19:13: error: the type 't17' has more than 262144 parts"), "{said}");
}

/// Numbers of many digits are refused where they stand; the table of a run shows a part of those that are
/// computed.
#[test]
fn long_numbers() {
    let model = |number: &str, first: &str| {
        format!("node n(x: int) returns (y: {number});\nlet\n  y = {first} -> pre y * pre y;\ntel")
    };
    for (number, first) in [("int", "7".repeat(200_000)), ("real", format!("0.{}", "7".repeat(200_000)))] {
        assert!(
            said(&model(number, &first)).starts_with("m.lus:3:7: error: numbers have up to 10000 digits")
        );
    }
    let model = buttress_lustre::read(model("int", &"9".repeat(9_999))).expect("it is right");
    let mut interpreter = buttress_lustre::interpret::Interpreter::new(&model);
    let mut choices = buttress_lustre::interpret::Random::new(1);
    let steps = (0..5).map(|_| interpreter.step(&mut choices).expect("a step")).collect();
    let table = buttress_lustre::table::Execution { steps, signals: interpreter.into_signals() }.table();
    assert!(table.contains('…') && table.lines().all(|line| line.chars().count() < 200));
}
