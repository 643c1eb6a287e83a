//! Files that are wrong in one way each: the message names it and the position is exact.

use std::time::{Duration, Instant};

use buttress_format::{Diagnostic, aiger};

fn problem(bytes: &[u8]) -> Diagnostic {
    match aiger::read(bytes) {
        Ok(_) => panic!("accepted: {}", String::from_utf8_lossy(bytes)),
        Err(error) => error,
    }
}

/// A file, and the beginning of what is said about it.
type Case = (&'static str, &'static str);

fn check(cases: &[Case]) {
    for (text, expected) in cases {
        let rendered = problem(text.as_bytes()).render("m");
        let said = rendered.lines().next().expect("a line");
        assert!(said.starts_with(expected), "{text:?}\n   said: {said}\nexpected: {expected}");
    }
}

#[test]
fn headers() {
    check(&[
        ("", "m:1:1: error: not an AIGER file"),
        ("a", "m:1:1: error: not an AIGER file"),
        ("p cnf 1 1\n", "m:1:1: error: not an AIGER file"),
        ("aag", "m:1:4: error: the file ends where a blank and the largest variable was expected"),
        ("aagg 1\n", "m:1:4: error: expected a blank and the largest variable, found `g`"),
        ("aag\t1\n", "m:1:4: error: expected a blank and the largest variable, found the byte 0x09"),
        ("aag  0 0 0 0 0\n", "m:1:5: error: expected the largest variable, found a blank"),
        (
            "aag 0 0 0 0\n",
            "m:1:12: error: expected a blank and the number of gates, found the end of the line",
        ),
        ("aag 0 0 x 0 0\n", "m:1:9: error: expected the number of latches, found `x`"),
        ("aag 0 0 0 -1 0\n", "m:1:11: error: expected the number of outputs, found `-`"),
        ("aag 0 0 0 0 0 \n", "m:1:15: error: expected the number of bad-state properties, found the end"),
        ("aag 0 0 0 0 0 0 0 0 0 0\n", "m:1:22: error: expected the end of the line, found a blank"),
        ("aag 0 0 0 0 4294967296\n", "m:1:13: error: the number of gates is too large: numbers have 32 bits"),
        ("aag 0 0 0 0 99999999999999999999999\n", "m:1:13: error: the number of gates is too large"),
        ("aag 2147483648 0 0 0 0\n", "m:1:5: error: 2147483648 variables are too many"),
        ("aag 2 1 1 0 1\n", "m:1:5: error: the header announces 2 variables, fewer than its 1 inputs + 1"),
        ("aag 1 4294967295 4294967295 0 2\n", "m:1:5: error: the header announces 1 variables, fewer"),
        ("aig 4 1 1 0 1\n", "m:1:5: error: the header announces 4 variables; in binary it must be its 1"),
        ("aig 2 1 1 0 1\n", "m:1:5: error: the header announces 2 variables, fewer than its 1 inputs + 1"),
        ("aig 99999999 99999999 0 0 0\n", "m:1:5: error: 99999999 inputs are too many: at most 67108864"),
    ]);
}

#[test]
fn definitions() {
    check(&[
        ("aag 1 1 0 0 0\n", "m:2:1: error: the file ends where an input literal was expected"),
        ("aag 1 1 0 0 0\n\n", "m:2:1: error: expected an input literal, found the end of the line"),
        ("aag 1 1 0 0 0\n3\n", "m:2:1: error: literal 3 cannot be an input literal: only even literals"),
        ("aag 1 1 0 0 0\n0\n", "m:2:1: error: literal 0 cannot be an input literal: the constants"),
        ("aag 1 1 0 0 0\n4\n", "m:2:1: error: literal 4 is out of range: the largest variable is 1"),
        ("aag 1 1 0 0 0\n2 2\n", "m:2:2: error: expected the end of the line, found a blank"),
        ("aag 1 1 0 0 0\n2\r3\n", "m:2:2: error: expected the end of the line, found a carriage return"),
        ("aag 2 2 0 0 0\n2\n2\n", "m:3:1: error: literal 2 is defined twice"),
        ("aag 2 1 1 0 0\n2\n2 0\n", "m:3:1: error: literal 2 is defined twice"),
        ("aag 2 1 0 0 1\n2\n2 0 0\n", "m:3:1: error: literal 2 is defined twice"),
        ("aag 3 1 0 0 2\n2\n6 2 2\n6 2 3\n", "m:4:1: error: literal 6 is defined twice"),
        ("aag 1 0 1 0 0\n3 0\n", "m:2:1: error: literal 3 cannot be a latch literal: only even"),
        ("aag 1 0 1 0 0\n2\n", "m:2:2: error: expected a blank and a next-state literal, found the end"),
        ("aag 1 0 1 0 0\n2 4\n", "m:2:3: error: literal 4 is out of range: the largest variable is 1"),
        ("aag 1 0 1 0 0\n2 2 4\n", "m:2:5: error: literal 4 is out of range"),
        ("aag 1 0 1 0 0\n2 2 1 0\n", "m:2:6: error: expected the end of the line, found a blank"),
        ("aag 9 0 1 0 0\n2 14\n", "m:2:3: error: literal 14 is not defined: it is no input, latch or gate"),
        ("aag 9 0 1 0 0\n2 2 14\n", "m:2:5: error: literal 14 is not defined"),
        ("aag 9 0 1 0 0\n18 2\n", "m:2:4: error: literal 2 is not defined"),
        ("aag 2000000000 1 0 0 0\n4000000000\n", "m:2:1: error: variable 2000000000 is too large for a file"),
    ]);
}

#[test]
fn literals() {
    check(&[
        ("aag 0 0 0 1 0\n", "m:2:1: error: the file ends where an output literal was expected"),
        ("aag 0 0 0 1 0\n2\n", "m:2:1: error: literal 2 is out of range: the largest variable is 0"),
        ("aag 0 0 0 1 0\n1x\n", "m:2:2: error: expected the end of the line, found `x`"),
        ("aag 0 0 0 1 0\n4294967296\n", "m:2:1: error: an output literal is too large"),
        ("aag 2 1 0 2 0\n2\n2\n4\n", "m:4:1: error: literal 4 is not defined"),
        ("aag 2 1 0 0 0 1\n4\n2\n", "m:3:1: error: literal 2 is not defined"),
        ("aag 0 0 0 0 0 1\n", "m:2:1: error: the file ends where a bad-state literal was expected"),
        ("aag 0 0 0 0 0 0 1\n!\n", "m:2:1: error: expected a constraint literal, found `!`"),
        ("aag 0 0 0 0 0 0 0 1\n", "m:2:1: error: the file ends where the size of a justice property"),
        ("aag 0 0 0 0 0 0 0 2\n1\n4000000000\n0\n", "m:5:1: error: the file ends where a justice literal"),
        ("aag 1 0 0 0 0 0 0 1\n1\n2\n", "m:3:1: error: literal 2 is not defined"),
        ("aag 0 0 0 0 0 0 0 0 1\nx\n", "m:2:1: error: expected a fairness literal, found `x`"),
        ("aag 1 0 0 0 0 0 0 0 1\n3\n", "m:2:1: error: literal 3 is not defined"),
    ]);
}

#[test]
fn ascii_gates() {
    check(&[
        ("aag 1 0 0 0 1\n", "m:2:1: error: the file ends where the literal of a gate was expected"),
        (
            "aag 1 0 0 0 1\n2\n",
            "m:2:2: error: expected a blank and the first operand of the gate, found the end",
        ),
        ("aag 1 0 0 0 1\n2 1\n", "m:2:4: error: expected a blank and the second operand of the gate"),
        ("aag 1 0 0 0 1\n2  1 1\n", "m:2:3: error: expected the first operand of a gate, found a blank"),
        ("aag 1 0 0 0 1\n3 1 1\n", "m:2:1: error: literal 3 cannot be the literal of a gate: only even"),
        ("aag 1 0 0 0 1\n2 1 4\n", "m:2:5: error: literal 4 is out of range"),
        ("aag 1 0 0 0 1\n2 2 1\n", "m:2:1: error: gates depend on each other in a circle through variable 1"),
        ("aag 2 0 0 0 2\n2 4 1\n4 1 3\n", "m:2:1: error: gates depend on each other in a circle through"),
        ("aag 2 0 0 0 1\n4 1 3\n", "m:2:5: error: literal 3 is not defined"),
        ("aag 2 0 0 0 1\n2 5 1\n", "m:2:3: error: literal 5 is not defined"),
        ("aag 1 0 0 0 1\n2 1 1\n4 1 1\n", "m:3:1: error: expected a symbol (one of `ilobcjf` and a number)"),
    ]);
    assert!(problem(b"aag 1 0 0 0 1\n2 1 1\n4 1 1\n").help.expect("help").contains("announces 1 gates"));
}

#[test]
fn symbols() {
    check(&[
        ("aag 0 0 0 0 0\n\n", "m:2:1: error: expected a symbol (one of `ilobcjf` and a number), a comment"),
        (
            "aag 0 0 0 0 0\nq0 x\n",
            "m:2:1: error: expected a symbol (one of `ilobcjf` and a number), a comment",
        ),
        ("aag 1 1 0 0 0\n2\ni x\n", "m:3:2: error: expected the position that a symbol names, found a blank"),
        ("aag 1 1 0 0 0\n2\ni0\n", "m:3:3: error: expected a blank and a name, found the end of the line"),
        ("aag 1 1 0 0 0\n2\ni0", "m:3:3: error: the file ends where a blank and a name was expected"),
        ("aag 1 1 0 0 0\n2\ni1 x\n", "m:3:2: error: there is no i1 to name: the header announces 1"),
        ("aag 1 1 0 0 0\n2\nl0 x\n", "m:3:2: error: there is no l0 to name: the header announces 0"),
        ("aag 0 0 0 1 0\n0\nb0 x\n", "m:3:2: error: there is no b0 to name"),
        ("aag 0 0 0 0 0\nc0 x\n", "m:2:2: error: there is no c0 to name"),
        ("aag 0 0 0 0 0\nj0 x\n", "m:2:2: error: there is no j0 to name"),
        ("aag 1 1 0 0 0\n2\ni0 x\ni0 y\n", "m:4:2: error: i0 has a second symbol"),
        ("aag 1 1 0 0 0\n2\ni99999999999 x\n", "m:3:2: error: the position that a symbol names is too large"),
    ]);
}

#[test]
fn binary_gates() {
    let cases: [(&[u8], u64, &str); 11] = [
        (b"aig 1 0 0 0 1\n", 14, "the file ends where a gate was expected"),
        (b"aig 1 0 0 0 1\n\x02", 15, "the file ends where a gate was expected"),
        (b"aig 1 0 0 0 1\n\x80", 15, "the file ends where a gate was expected"),
        (b"aig 1 0 0 0 1\n\x00\x00", 14, "gate 1 depends on itself: its first delta is 0"),
        (b"aig 1 0 0 0 1\n\x03\x00", 14, "the first delta of a gate, 3, exceeds the literal 2"),
        (b"aig 1 0 0 0 1\n\x01\x02", 15, "the second delta of a gate, 2, exceeds the literal 1"),
        (b"aig 1 0 0 0 1\n\x82\x00\x00", 14, "a delta is encoded with more bytes than it needs"),
        (b"aig 1 0 0 0 1\n\x82\x80\x80\x80\x10\x00", 14, "a delta exceeds 32 bits"),
        (b"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\x01", 14, "a delta exceeds 32 bits"),
        (b"aig 1 0 0 0 1\n\x02\x00zz", 16, "expected a symbol (one of `ilobcjf` and a number)"),
        (b"aig 2 1 0 0 1\n\x02\x02i1 x\n", 17, "there is no i1 to name"),
    ];
    for (bytes, offset, expected) in cases {
        let error = problem(bytes);
        let position = error.position.expect("a position");
        assert!(error.message.contains(expected), "{bytes:?}: {}", error.message);
        assert_eq!((position.line, position.offset), (0, offset), "{expected}");
        assert!(error.render("m").starts_with(&format!("m: byte {offset}: error: ")));
    }
}

#[test]
fn binary_text() {
    check(&[
        ("aig 2 1 1 0 0\n", "m:2:1: error: the file ends where a next-state literal was expected"),
        ("aig 1 0 1 0 0\n2 1 0\n", "m:2:4: error: expected the end of the line, found a blank"),
        ("aig 1 0 1 0 0\n4\n", "m:2:1: error: literal 4 is out of range: the largest variable is 1"),
        ("aig 1 0 1 0 0\r\n2\r\n", "m:3:1: error: a binary file must not have DOS line ends"),
        ("aig 0 0 0 1 0\n", "m:2:1: error: the file ends where an output literal was expected"),
    ]);
}

#[test]
fn help_is_given_where_the_cause_is_plain() {
    let help = |bytes: &[u8]| problem(bytes).help.expect("help");
    assert!(help(b"\x1f\x8b\x08\0").contains("gzip"));
    assert!(help(b"aig 1 1 0 1 0\n2\n6 2 4\n").contains("`aag`"));
    assert!(help(b"aig 1 0 1 0 0\r\n2\r\n").contains("text mode"));
}

/// A header is a claim: memory and time follow what is read.
#[test]
fn lying_headers_fail_at_once() {
    let start = Instant::now();
    for claim in [
        "aag 2147483647 0 0 0 2147483647\n2 1 1\n",
        "aig 2147483647 0 0 0 2147483647\n\x02\x00\x01",
        "aag 2147483647 2147483647 0 0 0\n2\n",
        "aag 2147483647 0 2147483647 0 0\n2 2\n",
        "aig 2147483647 0 2147483647 0 0\n2\n",
        "aag 0 0 0 4294967295 0\n0\n",
        "aag 0 0 0 0 0 4294967295 4294967295 4294967295 4294967295\n0\n",
        "aag 0 0 0 0 0 0 0 1\n4294967295\n0\n",
        "aig 0 0 0 0 0 0 0 2\n4294967295\n4294967295\n0\n",
    ] {
        let message = problem(claim.as_bytes()).message;
        assert!(message.starts_with("the file ends where"), "{claim:?}: {message}");
    }
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// Digits are looked at before they become a number, which takes time in the square of their length.
#[test]
fn numbers_of_many_digits_are_refused_where_they_stand() {
    let digits = "7".repeat(200_000);
    let btor2 = format!("1 sort bitvec 1000000\n2 constd 1 {digits}\n");
    let narrow = format!("1 sort bitvec 8\n2 consth 1 {digits}\n");
    let vmt = format!("(define-fun p () Bool (! (= {digits} 1) :invar-property 0))");
    let cubicle = format!("var X : int\ninit () {{ X = {digits} }}\n");
    let said = [
        buttress_format::btor2::read(btor2.as_bytes()).err(),
        buttress_format::btor2::read(narrow.as_bytes()).err(),
        buttress_format::vmt::read(&vmt).err(),
        buttress_format::cubicle::read(&cubicle).err(),
    ];
    let places = [(2, 12), (2, 12), (1, 29), (2, 15)];
    for (found, (line, column)) in said.into_iter().zip(places) {
        let found = found.expect("it is refused");
        let at = found.position.expect("it says where");
        assert_eq!((at.line, at.column), (line, column), "{}", found.message);
        assert!(found.message.contains("10000 digits") || found.message.contains("does not fit"));
    }
}
