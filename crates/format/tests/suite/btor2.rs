//! BTOR2 through the public interface: what is read, what is refused and where, and that writing keeps the
//! meaning.

use std::fs;
use std::path::{Path, PathBuf};

use buttress_format::{Btor2, Witness, btor2};
use buttress_system::Rng;
use buttress_system::words::{Simulation, System, WordTrace, random_execution};
use buttress_term::Value;

use crate::mutation::survive;

/// All that the format has: each operator, sort, constant and statement.
const EVERYTHING: &str = include_str!("everything.btor2");

fn read(text: &str) -> Btor2 {
    btor2::read(text.as_bytes()).unwrap_or_else(|error| panic!("{}", error.render("m.btor2")))
}

fn written(model: &Btor2) -> String {
    btor2::write(model).expect("what was read can be written")
}

/// The value of all that is named, at each step.
fn behaviour(system: &System, execution: &WordTrace) -> Vec<Vec<Option<Value>>> {
    let mut simulation = Simulation::new(system);
    let observed = system.observables.iter().map(|o| o.term);
    let watched = observed.chain(system.constraints.iter().map(|c| c.term));
    let watched: Vec<_> = watched.chain(system.properties.iter().map(|p| p.bad)).collect();
    let row = |(step, inputs): (usize, &Vec<Option<Value>>)| {
        match step {
            0 => simulation.start(&execution.initial, inputs),
            _ => simulation.step(inputs),
        }
        let mut row = simulation.states();
        row.extend(watched.iter().map(|&t| simulation.value(t)));
        row
    };
    execution.inputs.iter().enumerate().map(row).collect()
}

fn same_meaning(model: &Btor2, again: &Btor2, stimuli: usize, seed: u64) {
    let execution = random_execution(&model.system, stimuli, &mut Rng::new(seed));
    let (first, second) = (behaviour(&model.system, &execution), behaviour(&again.system, &execution));
    let differs = first.iter().zip(&second).position(|(a, b)| a != b);
    assert_eq!(differs, None, "the first step that differs");
    let labels = |s: &System| s.states.iter().map(|s| s.label.name.clone()).collect::<Vec<_>>();
    assert_eq!(labels(&model.system), labels(&again.system));
    let counts = |m: &Btor2| (m.justice.iter().map(Vec::len).collect::<Vec<_>>(), m.fairness.len());
    assert_eq!(counts(model), counts(again));
}

#[test]
fn the_whole_format_survives_a_round_trip() {
    let model = read(EVERYTHING);
    let text = written(&model);
    let again = read(&text);
    same_meaning(&model, &again, 500, 1);
    assert_eq!(written(&again), text, "a second writing changes nothing");
}

/// Every operator, by name, on values for which only the right meaning gives the expected result.
#[test]
fn operators_mean_what_the_format_says() {
    let table: &[(&str, u64, u64, &str)] = &[
        ("and", 12, 10, "8"),
        ("or", 12, 10, "14"),
        ("xor", 12, 10, "6"),
        ("nand", 12, 10, "7"),
        ("nor", 12, 10, "1"),
        ("xnor", 12, 10, "9"),
        ("add", 12, 10, "6"),
        ("sub", 10, 12, "14"),
        ("mul", 5, 7, "3"),
        ("udiv", 13, 4, "3"),
        ("udiv", 13, 0, "15"),
        ("urem", 13, 4, "1"),
        ("urem", 13, 0, "13"),
        ("sdiv", 9, 2, "13"),
        ("sdiv", 9, 0, "1"),
        ("sdiv", 5, 0, "15"),
        ("srem", 9, 2, "15"),
        ("smod", 9, 2, "1"),
        ("smod", 9, 4, "1"),
        ("srem", 9, 4, "13"),
        ("sll", 13, 1, "10"),
        ("sll", 13, 4, "0"),
        ("srl", 13, 2, "3"),
        ("sra", 9, 1, "12"),
        ("sra", 9, 9, "15"),
        ("rol", 9, 1, "3"),
        ("rol", 9, 5, "3"),
        ("ror", 9, 1, "12"),
        ("ror", 2, 5, "1"),
        ("eq", 3, 3, "1"),
        ("neq", 3, 3, "0"),
        ("ult", 3, 9, "1"),
        ("slt", 3, 9, "0"),
        ("ulte", 3, 3, "1"),
        ("slte", 9, 3, "1"),
        ("ugt", 9, 3, "1"),
        ("sgt", 9, 3, "0"),
        ("ugte", 3, 3, "1"),
        ("sgte", 3, 9, "1"),
        ("uaddo", 15, 1, "1"),
        ("saddo", 15, 1, "0"),
        ("saddo", 7, 1, "1"),
        ("usubo", 0, 1, "1"),
        ("ssubo", 0, 1, "0"),
        ("ssubo", 8, 1, "1"),
        ("umulo", 4, 4, "1"),
        ("smulo", 2, 4, "1"),
        ("smulo", 2, 3, "0"),
        ("sdivo", 8, 15, "1"),
        ("sdivo", 8, 1, "0"),
        ("sdivo", 8, 0, "0"),
        ("concat", 1, 2, "18"),
    ];
    for &(name, a, b, expected) in table {
        let sort = match name {
            "concat" => 3,
            "eq" | "neq" => 2,
            n if n.starts_with(['u', 's'])
                && (n.ends_with('o') || n[1..].starts_with(['l', 'g']) && n != "sll") =>
            {
                2
            }
            _ => 1,
        };
        let text = format!(
            "1 sort bitvec 4\n2 sort bitvec 1\n3 sort bitvec 8\n4 constd 1 {a}\n5 constd 1 {b}\n6 {name} {sort} 4 5\n7 output 6 out\n"
        );
        assert_eq!(output(&text), expected, "{name} {a} {b}");
    }
}

fn output(text: &str) -> String {
    let model = read(text);
    let execution = random_execution(&model.system, 1, &mut Rng::new(0));
    let row = behaviour(&model.system, &execution).remove(0);
    let value = row[model.system.states.len()].clone().expect("nothing is unknown");
    match value {
        Value::Bool(b) => u8::from(b).to_string(),
        other => other.to_string(),
    }
}

#[test]
fn constants_and_unary_operators_mean_what_the_format_says() {
    let table = [
        ("const 1 0101", "5"),
        ("constd 1 11", "11"),
        ("constd 1 -1", "15"),
        ("constd 1 -8", "8"),
        ("consth 1 aF", "-"),
        ("consth 1 b", "11"),
        ("zero 1", "0"),
        ("one 1", "1"),
        ("ones 1", "15"),
    ];
    for (constant, expected) in table {
        let text = format!("1 sort bitvec 4\n2 {constant}\n3 output 2 out\n");
        match expected {
            "-" => assert!(btor2::read(text.as_bytes()).is_err(), "{constant}"),
            _ => assert_eq!(output(&text), expected, "{constant}"),
        }
    }
    let unary = [
        ("not 1 9", "9"),
        ("neg 1 9", "10"),
        ("inc 1 9", "7"),
        ("dec 1 9", "5"),
        ("redand 2 9", "0"),
        ("redor 2 9", "1"),
        ("redxor 2 9", "0"),
        ("slice 2 9 1 1", "1"),
        ("slice 3 9 2 1", "3"),
        ("sext 4 9 2", "6"),
        ("uext 4 -9 2", "9"),
        ("sext 4 -9 2", "57"),
        ("not 1 -9", "6"),
    ];
    for (operator, expected) in unary {
        let text = format!(
            "1 sort bitvec 4\n2 sort bitvec 1\n3 sort bitvec 2\n4 sort bitvec 6\n9 constd 1 6\n10 {operator}\n11 output 10\n"
        );
        assert_eq!(output(&text), expected, "{operator}");
    }
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let head = "1 sort bitvec 4\n2 sort bitvec 1\n3 sort array 2 1\n4 input 1 a\n5 state 1 s\n6 state 3 m\n7 input 2 bit\n";
    let table = [
        ("x", "m:8:1: error: expected the number of a line, found `x`"),
        ("0 one 1", "m:8:1: error: lines are numbered from 1"),
        ("4 one 1", "m:8:1: error: there is a line 4 already"),
        ("8", "m:8:2: error: the file ends where what the line says"),
        ("8 frob 1 4 4", "m:8:3: error: `frob` is no operator of BTOR2"),
        ("8 var 4", "help: this looks like version 1"),
        ("8 add 1 4", "m:8:10: error: the file ends where the number of a line"),
        ("8 add 9 4 4", "m:8:7: error: there is no line 9 before this one"),
        ("8 add 4 4 4", "m:8:7: error: line 4 is no sort"),
        ("8 add 1 4 7", "m:8:11: error: this is a bitvec 1, the operand before is a bitvec 4"),
        ("8 add 2 4 4", "m:8:7: error: `add` gives a bitvec 4 here, not a bitvec 1"),
        ("8 add 1 4 1", "m:8:11: error: line 1 is a sort, no value"),
        ("8 add 3 6 6", "m:8:9: error: expected a word, this is an array (bitvec 1) (bitvec 4)"),
        ("8 not 3 -6", "m:8:9: error: expected a word"),
        ("8 eq 1 4 4", "m:8:6: error: `eq` gives a bitvec 1 here, not a bitvec 4"),
        ("8 iff 2 4 4", "m:8:9: error: this operator wants a bitvec 1, this is a bitvec 4"),
        ("8 ite 1 4 4 4", "m:8:9: error: a condition wants a bitvec 1, this is a bitvec 4"),
        ("8 read 1 4 4", "m:8:10: error: expected an array, this is a bitvec 4"),
        ("8 read 1 6 4", "m:8:12: error: the array wants a bitvec 1, this is a bitvec 4"),
        ("8 write 3 6 7 7", "m:8:15: error: the array wants a bitvec 4, this is a bitvec 1"),
        ("8 slice 1 4 2 3", "error: bits 2 to 3 do not lie within 4 bits"),
        ("8 slice 1 4 4 1", "error: bits 4 to 1 do not lie within 4 bits"),
        ("8 uext 1 4 4294967295", "error: words have up to 1048576 bits"),
        ("8 sort bitvec 0", "m:8:15: error: a word has at least one bit"),
        ("8 sort bitvec 4000000000", "m:8:15: error: words have up to 1048576 bits"),
        ("8 sort vector 4", "m:8:8: error: expected `bitvec` or `array`, found `vector`"),
        ("8 sort array 3 1", "m:8:14: error: the index of an array is a word"),
        ("8 const 1 010", "m:8:11: error: 3 digits for a word of 4 bits"),
        ("8 const 1 0120", "m:8:13: error: expected binary digits"),
        ("8 constd 1 16", "m:8:12: error: 16 does not fit into 4 bits"),
        ("8 constd 1 -9", "m:8:12: error: -9 does not fit into 4 bits"),
        ("8 constd 1 -", "m:8:13: error: expected a decimal number"),
        ("8 consth 1 1f", "m:8:12: error: 1f does not fit into 4 bits"),
        ("8 zero 3", "m:8:8: error: `zero` is a word, not an array"),
        ("8 init 1 4 4", "m:8:10: error: line 4 is no state"),
        ("8 init 2 5 7", "m:8:8: error: init is about a bitvec 1, the state is a bitvec 4"),
        ("8 next 1 5 7", "m:8:12: error: the state wants a bitvec 4, this is a bitvec 1"),
        ("8 next 1 5 4\n9 next 1 5 4", "m:9:10: error: this state has a `next` already"),
        ("8 init 1 5 4\n9 init 1 5 4", "m:9:10: error: this state has an `init` already"),
        ("8 bad 4", "m:8:7: error: a condition wants a bitvec 1, this is a bitvec 4"),
        ("8 bad 7\n9 bad 8", "m:9:7: error: line 8 is `bad`, no value"),
        ("8 justice 2 7", "m:8:14: error: the file ends where the number of a line"),
        ("8 bad 7 p q", "m:8:11: error: expected the end of the line, found `q`"),
        ("8 state 1 t\n9 init 1 5 8\n10 init 1 8 5", "error: the init of `s` depends on its own value"),
    ];
    for (line, expected) in table {
        let error = btor2::read((head.to_string() + line).as_bytes()).expect_err(line).render("m");
        assert!(error.contains(expected), "{line:?}: {error}");
        assert!(!expected.starts_with("m:") || error.contains("\n    "), "a caret for {line:?}: {error}");
    }
}

#[test]
fn damaged_models_are_answered() {
    let read = |bytes: &[u8]| match btor2::read(bytes) {
        Err(error) => {
            assert!(error.render("m").contains("error: "));
            false
        }
        Ok(model) => {
            let text = btor2::write(&model).expect("what was read can be written");
            let again = btor2::read(text.as_bytes()).expect("what we write");
            assert_eq!(again.system.states.len(), model.system.states.len());
            true
        }
    };
    let refused = survive(3_000, 7, |_| EVERYTHING.into(), read);
    assert!(refused > 1_000, "{refused}");
}

const COUNTER: &str = "1 sort bitvec 4\n2 sort bitvec 1\n3 sort array 2 1\n4 input 2 en\n5 state 1 cnt\n6 state 1 noise\n\
    7 state 3 mem\n8 add 1 5 6\n9 next 1 5 8\n10 next 3 7 7\n11 ones 1\n12 eq 2 5 11\n13 bad 12 full\n";

const WITNESS: &str =
    "sat\nb0\n#0\n0 0101 cnt#0\n2 [1] 0011 mem#0\n@0\n0 1 en@0\n#1\n1 0110 noise#1\n@1\n#2\n@2\n.\n";

#[test]
fn a_witness_is_read_and_written() {
    let system = read(COUNTER).system;
    let Witness::Violation(trace) = btor2::read_witness(WITNESS.as_bytes(), &system, 0).expect("a witness")
    else {
        panic!("a violation");
    };
    assert_eq!(trace.last_step(), 2);
    let row = |t: usize| behaviour(&system, &trace)[t][0].clone().expect("known").to_string();
    assert_eq!([row(0), row(1), row(2)], ["5", "5", "11"]);
    let mut text = Vec::new();
    btor2::write_witness(&system, &trace, &mut text).expect("a string takes everything");
    let again = btor2::read_witness(&text[..], &system, 0).expect("what we write");
    assert_eq!(again, Witness::Violation(trace));
}

#[test]
fn mistakes_in_witnesses_are_shown() {
    let system = read(COUNTER).system;
    let table = [
        ("1\n", "w:1:1: error: expected `sat`, `unsat` or `unknown`, found `1`"),
        ("sat\nj0\n", "w:2:2: error: property 0 does not exist: the model has 0"),
        ("sat\nb1\n", "w:2:2: error: property 1 does not exist: the model has 1"),
        ("sat\nb0\n.\n", "the witness has no step"),
        ("sat\nb0\n@1\n.\n", "w:3:2: error: the inputs of step 1 do not stand where step 0 begins"),
        ("sat\nb0\n#0\n3 0\n", "w:4:1: error: there is no number 3: the model has 3 states"),
        ("sat\nb0\n#0\n0 01\n", "w:4:3: error: 2 digits for a word of 4 bits"),
        ("sat\nb0\n#0\n2 0101\n", "w:4:3: error: expected the index of an array element"),
        ("sat\nb0\n@0\n0 2\n", "w:4:3: error: expected binary digits, found `2`"),
        ("sat\nb0\n@0\n", "w:4:1: error: the file ends where `#` and a step"),
    ];
    for (text, expected) in table {
        let error = btor2::read_witness(text.as_bytes(), &system, 0).expect_err(text).render("w");
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    survive(5_000, 8, |_| WITNESS.into(), |bytes| btor2::read_witness(bytes, &system, 0).is_ok());
}

#[test]
fn the_content_tells_the_format() {
    assert_eq!(btor2::begins(b"; a comment\n\n  12 sort bitvec 1"), Some(true));
    assert_eq!(btor2::begins(b"aag 0 0 0 0 0\n"), Some(false));
    assert_eq!(btor2::begins(b"; only\n; comments"), None);
}

fn collected(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            collected(&entry, found);
        } else if entry.extension().is_some_and(|ending| ending == "btor2" || ending == "btor") {
            found.push(entry);
        }
    }
}

/// Reads all collected files, writes and reads them again, and plays both.
fn collection(stimuli: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/hw");
    if !folder.is_dir() {
        println!("skipped: no ../shared");
        return;
    }
    let mut files = Vec::new();
    collected(&folder, &mut files);
    files.sort();
    for file in &files {
        let text = fs::read_to_string(file).expect("a text");
        let model = btor2::read(text.as_bytes())
            .unwrap_or_else(|e| panic!("{}", e.render(&file.display().to_string())));
        let again = read(&written(&model));
        same_meaning(&model, &again, stimuli, 5);
    }
    println!("{} files", files.len());
}

#[test]
fn collected_models_survive_a_round_trip() {
    collection(2);
}

/// For a release build: `cargo test --release -p buttress-format -- --ignored`.
#[test]
#[ignore = "takes a minute"]
fn collected_models_mean_the_same_on_a_hundred_stimuli() {
    collection(100);
}

/// What a state has no symbol for is said by an output, or by an extension by nothing; names of others are left to
/// them.
#[test]
fn states_are_called_by_their_aliases() {
    let model = read(
        "1 sort bitvec 4\n2 state 1\n3 uext 1 2 0 top.count\n4 output 2 count\n5 state 1\n6 sort bitvec 5\n13 uext 6 5 1 wide\n7 state 1 own\n\
         8 output 7 other\n9 state 1\n10 output 9 own\n11 input 1\n12 output 11 in ; a comment\n",
    );
    let states: Vec<&str> = model.system.states.iter().map(|state| &*state.label.name).collect();
    assert_eq!(states, ["count", "state5", "own", "state9"]);
    assert_eq!(&*model.system.inputs[0].label.name, "in");
}
