//! How traces and verdicts are shown: words in a radix, waveforms in both formats, colours.

#[allow(dead_code)]
mod support;

use std::path::Path;

use support::{Run, Scratch, buttress, root};
use wellen::{Hierarchy, SignalValue, simple};

/// A counter of twelve bits that is bad at 0x2a, in steps of 14.
const WORDS: &str = "1 sort bitvec 1\n2 sort bitvec 12\n3 zero 2\n4 state 2 top.unit.count\n5 init 2 4 3\n6 constd 2 14\n\
                     7 add 2 4 6\n8 next 2 4 7\n9 constd 2 42\n10 eq 1 4 9\n11 bad 10 reached\n";

fn checked(scratch: &Scratch, options: &[&str]) -> Run {
    std::fs::write(scratch.file("m.btor2"), WORDS).expect("a file");
    Run::of(buttress(&scratch.0).args(["check", "m.btor2", "-v", "--engine", "bmc"]).args(options))
}

fn row(run: &Run) -> Vec<String> {
    let line =
        run.stdout.lines().find(|line| line.contains("count")).unwrap_or_else(|| panic!("{}", run.all()));
    line.split_whitespace().skip(1).map(String::from).collect()
}

#[test]
fn words_are_written_in_the_radix_that_is_wanted() {
    let scratch = Scratch::new("radix");
    assert_eq!(row(&checked(&scratch, &[])), ["0", "14", "28", "42"]);
    assert_eq!(row(&checked(&scratch, &["--radix", "dec"])), ["0", "14", "28", "42"]);
    assert_eq!(row(&checked(&scratch, &["--radix", "hex"])), ["0x000", "0x00e", "0x01c", "0x02a"]);
    let last = row(&checked(&scratch, &["--radix", "bin"])).pop();
    assert_eq!(last.as_deref(), Some("0b000000101010"));
    let json = checked(&scratch, &["--json", "--radix", "hex"]);
    assert!(json.stdout.contains("\"top.unit.count\": \"0x02a\""), "{}", json.all());
    // A machine integer below zero is shown by its bits.
    let counter = root().join("examples/lustre/counter8.lus");
    let run =
        Run::of(buttress(&root()).args(["check", "--radix", "hex", "--property", "positive"]).arg(&counter));
    assert!(run.stdout.contains("0x80"), "{}", run.all());
}

#[test]
fn a_radix_is_for_words() {
    let run = Run::of(buttress(&root()).args(["check", "--radix", "hex", "examples/lustre/filter.lus"]));
    let why = "--radix does not apply: the model has no words";
    assert!(run.code == 2 && run.stderr.contains(why), "{}", run.all());
}

/// The times and values of a signal, as another program reads them.
fn changes(file: &Path, path: &[&str]) -> Vec<(u64, String)> {
    let mut wave = simple::read(file).expect("a waveform");
    let (name, scopes) = path.split_last().expect("a name");
    let hierarchy: &Hierarchy = wave.hierarchy();
    let variable = hierarchy.lookup_var(scopes, name).unwrap_or_else(|| panic!("no {path:?} in {file:?}"));
    let signal = hierarchy[variable].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let signal = wave.get_signal(signal).expect("it was loaded");
    let text = |value: SignalValue<'_>| value.to_bit_string().unwrap_or_else(|| value.to_string());
    signal.iter_changes().map(|(at, value)| (times[at as usize], text(value))).collect()
}

#[test]
fn both_formats_say_the_same() {
    let scratch = Scratch::new("waves");
    let (vcd, fst) = (scratch.file("out.vcd"), scratch.file("out.fst"));
    let run = checked(&scratch, &["--vcd", "out.vcd", "--fst", "out.fst"]);
    assert!(vcd.exists() && fst.exists(), "{}", run.all());
    let count = changes(&fst, &["model", "top", "unit", "count"]);
    let values = ["000000000000", "000000001110", "000000011100", "000000101010"];
    let expected: Vec<(u64, String)> = [0, 10, 20, 30].into_iter().zip(values.map(String::from)).collect();
    assert_eq!(count, expected);
    for path in [&["model", "top", "unit", "count"][..], &["model", "clock"], &["model", "reached"]] {
        assert_eq!(changes(&vcd, path), changes(&fst, path), "{path:?}");
    }
    let clock: Vec<u64> = changes(&fst, &["model", "clock"]).iter().map(|(time, _)| *time).collect();
    assert_eq!(clock, [0, 5, 10, 15, 20, 25, 30, 35]);
}

/// Numbers are numbers in FST, and constants of enumerations their names, letter by letter.
#[test]
fn numbers_and_names_in_fst() {
    let scratch = Scratch::new("waves-lustre");
    let out = scratch.file("out.fst");
    let mut command = buttress(&root());
    command.args(["simulate", "examples/lustre/traffic.lus", "--steps", "5", "--fst"]);
    let run = Run::of(command.arg(&out));
    assert_eq!(run.code, 0, "{}", run.all());
    let mut wave = simple::read(&out).expect("a waveform");
    assert_eq!(wave.time_table().last(), Some(&50));
    assert!(wave.hierarchy().iter_vars().count() > 2);
    wave.load_signals(&[]);
}

#[test]
fn verdicts_have_colours_where_they_are_seen() {
    let colours = |of: &str, variable: Option<(&str, &str)>| {
        let mut command = buttress(&root());
        command.args(["check", of, "--engine", "bmc", "--bound", "9"]).env_remove("NO_COLOR").envs(variable);
        Run::of(&mut command).stdout
    };
    let (bad, open) = ("examples/mutex-swapped.aag", "examples/mutex.aag");
    assert!(!colours(bad, None).contains('\x1b'));
    assert!(
        colours(bad, Some(("CLICOLOR_FORCE", "1"))).contains("\x1b[1m\x1b[31mfalsified\x1b[0m at step 8")
    );
    assert!(colours(open, Some(("CLICOLOR_FORCE", "1"))).contains("\x1b[33mundecided\x1b[0m:"));
}

/// The rows of the trace, without the step numbers.
fn rows(run: &Run) -> Vec<(String, Vec<String>)> {
    let table = run.stdout.lines().skip_while(|line| !line.trim_start().starts_with("step ")).skip(1);
    let rows = table.take_while(|line| line.starts_with("  "));
    rows.filter_map(|line| {
        let mut words = line.split_whitespace().map(String::from);
        Some((words.next()?, words.collect()))
    })
    .collect()
}

/// Three steps with `go` are bad; `other` says nothing, and `late` matters in the last step only.
const INPUTS: &str = "1 sort bitvec 1\n2 sort bitvec 2\n3 zero 2\n4 state 2 n\n5 init 2 4 3\n6 input 1 go\n\
                      7 input 1 other\n8 input 1 late\n9 one 2\n10 add 2 4 9\n11 ite 2 6 10 4\n12 next 2 4 11\n\
                      13 constd 2 2\n14 eq 1 4 13\n15 and 1 14 8\n16 bad 15 reached\n";

#[test]
fn what_does_not_matter_is_left_open() {
    let scratch = Scratch::new("open");
    std::fs::write(scratch.file("m.btor2"), INPUTS).expect("a file");
    let shown = |options: &[&str]| {
        let mut command = buttress(&scratch.0);
        Run::of(command.args(["check", "m.btor2", "-v", "--engine", "bmc"]).args(options))
    };
    let run = shown(&["--dont-care", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("an object");
    let trace = report["properties"][0]["trace"].as_array().expect("a trace").clone();
    let values = |name: &str| {
        trace.iter().map(|row| row[name].as_str().expect("a text").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(values("other"), ["x", "x", "x"], "{}", run.all());
    assert_eq!(values("late"), ["x", "x", "1"]);
    assert_eq!(values("go")[..2], ["1", "1"]);
    // Whatever is left open: the witness is one.
    let run = shown(&["--dont-care", "--witness", "w"]);
    let verified = Run::of(buttress(&scratch.0).args(["verify", "m.btor2", "w"]));
    assert_eq!(verified.code, 0, "{}\n{}", run.all(), verified.all());
}

#[test]
fn needless_changes_are_taken_out() {
    let scratch = Scratch::new("smooth");
    let model = root().join("examples/fifo.aag");
    let changes = |options: &[&str]| -> usize {
        let mut command = buttress(&scratch.0);
        command.args(["check", "--json", "--property", "b0", "--engine", "bmc", "--seed", "7"]).args(options);
        let run = Run::of(command.arg(&model));
        let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("an object");
        let trace = report["properties"][0]["trace"].as_array().expect("a trace").clone();
        let names = ["push", "pop", "clk"];
        let changed = |name: &str| trace.windows(2).filter(|rows| rows[0][name] != rows[1][name]).count();
        names.iter().map(|name| changed(name)).sum()
    };
    let (before, after) = (changes(&[]), changes(&["--smooth"]));
    assert!(after <= before && after <= 1, "{before} changes, then {after}");
    let lustre = "node main(a, b: bool) returns (n: int8);\nlet\n  n = (int8 0) -> if a <> b then pre n + (int8 1) else pre n;\n\
                  \x20 --%PROPERTY n < (int8 5);\ntel\n";
    std::fs::write(scratch.file("m.lus"), lustre).expect("a file");
    let run = Run::of(buttress(&scratch.0).args(["check", "m.lus", "--smooth", "--engine", "bmc"]));
    for (name, values) in rows(&run) {
        let changes = values.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(!["a", "b"].contains(&&name[..]) || changes <= 1, "{}", run.all());
    }
    let refused = Run::of(buttress(&scratch.0).args(["check", "m.lus", "--dont-care"]));
    assert!(refused.code == 2 && refused.stderr.contains("--dont-care does not apply"), "{}", refused.all());
}
