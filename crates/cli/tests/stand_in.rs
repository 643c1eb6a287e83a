//! The program in the place of other tools: their command lines, what they print, their exit codes. Callers that
//! can be had run themselves (`sby.rs`); here others are played by readers that take from the output what those
//! take.

#[allow(dead_code)]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Run, Scratch, buttress, python_check, root};

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn golden(name: &str) -> PathBuf {
    root().join("tests/golden").join(name)
}

/// A call of another tool on a model; blanks stand between the arguments.
fn called(tool: &str, arguments: &str, model: &Path) -> Run {
    Run::of(buttress(&root()).args(["as", tool]).args(arguments.split_whitespace()).arg(model))
}

/// What SymbiYosys takes from a checker of circuits: how far it is, the status, and the lines of the trace.
fn as_sby_reads_circuits(output: &str) -> (Vec<u64>, Option<String>, String) {
    let (mut depths, mut status, mut trace, mut ended) = (Vec::new(), None, String::new(), false);
    for line in output.lines() {
        if status.is_some() {
            if !ended {
                trace += &format!("{line}\n");
            }
            ended |= line == ".";
        } else if let Some(depth) = line.strip_prefix('u') {
            depths.push(depth.parse().expect("a depth"));
        } else if ["0", "1", "2"].contains(&line) {
            trace += &format!("{line}\n");
            status = Some(line.to_string());
        }
    }
    (depths, status, trace)
}

/// The status, and that the trace, where there is one, is a witness of the model.
fn status(run: &Run, model: &Path) -> String {
    let (depths, status, trace) = as_sby_reads_circuits(&run.stdout);
    assert!(depths.is_sorted(), "{}", run.all());
    let status = status.unwrap_or_else(|| panic!("no status: {}", run.all()));
    if status == "1" {
        let scratch =
            Scratch::new(&format!("trace-{}", model.file_stem().expect("a name").to_string_lossy()));
        std::fs::write(scratch.file("trace.aiw"), &trace).expect("a file");
        python_check("witness", model, &scratch.file("trace.aiw")).expect("a witness");
    }
    status
}

#[test]
fn suprove_says_0_or_1_with_a_witness() {
    let (bad, good) = (example("mutex-swapped.aag"), example("mutex.aag"));
    let run = called("suprove", "", &bad);
    assert_eq!((status(&run, &bad), run.code), ("1".into(), 0), "{}", run.all());
    assert_eq!(status(&called("suprove", "", &good), &good), "0");
    assert_eq!(status(&called("avy", "--cex -", &good), &good), "0");
    assert_eq!(status(&called("avy", "--cex -", &bad), &bad), "1");
}

#[test]
fn suprove_decides_what_must_happen() {
    let bad = golden("unsafe/justice-only.aag");
    let run = called("suprove", "+simple_liveness", &bad);
    assert_eq!(status(&run, &bad), "1");
    assert!(run.stdout.contains("\nj0\n"), "{}", run.all());
    let good = golden("safe/counts-five-times.aag");
    assert_eq!(status(&called("suprove", "+simple_liveness", &good), &good), "0");
}

#[test]
fn a_search_up_to_a_depth_says_2_and_nothing_more() {
    let bad = example("mutex-swapped.aag");
    for (tool, shallow, deep) in [
        ("rIC3", "--bmc-max-k 7 -e bmc -v 0 --witness", "--bmc-max-k 8 -e bmc -v 0 --witness"),
        ("aigbmc", "7", "8"),
    ] {
        let run = called(tool, shallow, &bad);
        assert_eq!(status(&run, &bad), "2", "{tool}");
        let (depths, ..) = as_sby_reads_circuits(&run.stdout);
        assert!(depths.iter().all(|&states| states <= 8), "{}", run.all());
        assert_eq!(status(&called(tool, deep, &bad), &bad), "1", "{tool}");
    }
    let (good, bad) = (called("rIC3", "--witness", &example("mutex.aag")), called("rIC3", "--witness", &bad));
    assert_eq!((good.code, bad.code), (20, 10));
}

/// Progress is told while nothing is decided.
#[test]
fn how_far_it_is_is_told_on_the_way() {
    let scratch = Scratch::new("far");
    // A counter of 16 bits that is never stopped: no step below 2^16 violates anything.
    let mut model =
        String::from("1 sort bitvec 1\n2 sort bitvec 16\n3 zero 2\n4 state 2 n\n5 init 2 4 3\n6 one 2\n");
    model += "7 input 1 go\n8 add 2 4 6\n9 ite 2 7 8 4\n10 next 2 4 9\n11 ones 2\n12 eq 1 4 11\n13 bad 12\n";
    std::fs::write(scratch.file("far.btor2"), model).expect("a file");
    let made = Run::of(buttress(&scratch.0).args(["convert", "far.btor2", "far.aag"]));
    assert_eq!(made.code, 0, "{}", made.all());
    let run = called("aigbmc", "300", &scratch.file("far.aag"));
    let (depths, status, _) = as_sby_reads_circuits(&run.stdout);
    assert!(status.as_deref() == Some("2") && !depths.is_empty(), "{}", run.all());
}

/// What SymbiYosys takes from `btormc`: the number of properties, the witnesses, and whether it came to its end.
fn as_sby_reads_btormc(output: &str) -> (usize, Vec<String>, bool) {
    let (mut count, mut witnesses, mut open, mut ended) = (0, Vec::new(), None::<String>, false);
    for line in output.lines() {
        if let Some((_, rest)) = line.split_once("calling BMC on ") {
            count = rest.split(' ').next().expect("a number").parse().expect("a number");
        }
        if line == "sat" {
            open = Some(String::new());
        }
        if let Some(text) = &mut open {
            *text += &format!("{line}\n");
        }
        if line == "." {
            witnesses.extend(open.take());
        }
        ended |= line.contains("deleting model checker:");
    }
    (count, witnesses, ended)
}

fn is_witness(model: &Path, witness: &str) {
    let scratch = Scratch::new(&format!("btor-{}", model.file_stem().expect("a name").to_string_lossy()));
    std::fs::write(scratch.file("trace.wit"), witness).expect("a file");
    python_check("btor2", model, &scratch.file("trace.wit")).expect("a witness");
}

#[test]
fn btormc_finds_the_first_or_all() {
    let link = example("link.btor2");
    let run = called("btormc", "--stop-first 1 -v 1 -kmax 19", &link);
    let (count, witnesses, _) = as_sby_reads_btormc(&run.stdout);
    assert_eq!((count, witnesses.len(), run.code), (1, 1, 0), "{}", run.all());
    assert!(run.stdout.contains("at bound k = 5"), "{}", run.all());
    is_witness(&link, &witnesses[0]);
    let shallow = called("btormc", "--stop-first 1 -v 1 -kmax 4", &link);
    assert_eq!(as_sby_reads_btormc(&shallow.stdout), (1, Vec::new(), true), "{}", shallow.all());
    // Of two goals one cannot be reached.
    let cover = example("link-cover.btor2");
    let run = called("btormc", "--stop-first 0 -v 1 -kmax 9", &cover);
    let (count, witnesses, ended) = as_sby_reads_btormc(&run.stdout);
    assert!(count == 2 && ended && run.code == 0, "{}", run.all());
    witnesses.iter().for_each(|witness| is_witness(&cover, witness));
    assert!(!witnesses.is_empty(), "{}", run.all());
}

#[test]
fn btorsim_plays_a_witness() {
    let (scratch, link) = (Scratch::new("btorsim"), example("link.btor2"));
    let witness = called("pono", "-k 9", &link).stdout;
    std::fs::write(scratch.file("trace.wit"), witness).expect("a file");
    let options = ["as", "btorsim", "-c", "--hierarchical-symbols", "--info", "x", "--vcd", "out.vcd"];
    let run = Run::of(buttress(&scratch.0).args(options).arg(&link).arg("trace.wit"));
    let waveform = std::fs::read_to_string(scratch.file("out.vcd")).unwrap_or_default();
    assert!(run.code == 0 && waveform.contains(" credits "), "{}\n{waveform}", run.all());
    std::fs::write(scratch.file("trace.wit"), "sat\nb0\n#0\n@0\n9 1 x\n.\n").expect("a file");
    assert_eq!(Run::of(buttress(&scratch.0).args(options).arg(&link).arg("trace.wit")).code, 3);
}

#[test]
fn pono_has_an_exit_code_for_each_answer() {
    let link = example("link.btor2");
    let run = called("pono", "--witness -v 1 -e bmc -k 9", &link);
    assert_eq!(run.code, 0, "{}", run.all());
    is_witness(&link, &run.stdout);
    let run = called("pono", "--witness -v 1 -e bmc -k 4", &link);
    assert_eq!((run.code, run.stdout.as_str()), (255, "unknown\n"));
    let run = called("pono", "-e ind -k 20", &example("link-fixed.btor2"));
    assert_eq!((run.code, run.stdout.as_str()), (1, "unsat\n"), "{}", run.all());
}

#[test]
fn a_link_with_the_name_of_a_tool_is_that_tool() {
    let scratch = Scratch::new("links");
    for name in ["buttress-suprove", "avy"] {
        let link = scratch.file(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_buttress"), &link).expect("a link");
        let run = Run::of(Command::new(&link).arg(example("mutex.aag")));
        assert_eq!((run.stdout.lines().last(), run.code), (Some("0"), 0), "{name}: {}", run.all());
    }
    let version = Run::of(Command::new(scratch.file("avy")).arg("--version"));
    assert!(version.stdout.starts_with("avy by Buttress "), "{}", version.all());
}

#[test]
fn what_is_not_there_is_refused_by_name() {
    let lustre = example("lustre/counter8.lus");
    let (circuit, link) = (example("mutex.aag"), example("link.btor2"));
    let cases: [(&str, &str, &Path, i32, &str); 10] = [
        ("suprove", "--fast", &circuit, 1, "no option --fast here"),
        ("suprove", "", &link, 3, "an AIGER file is wanted, not BTOR2"),
        ("btormc", "", &circuit, 3, "a BTOR2 file is wanted, not AIGER"),
        ("btormc", "-kmin 3 -kmax 9", &link, 1, "-kmin 3 is not there"),
        ("pono", "-e ic3sa", &link, 2, "-e ic3sa is not there"),
        ("rIC3", "-e wlbmc", &circuit, 1, "-e wlbmc is not there"),
        ("jkind", "-xml -all_ivcs", &lustre, 254, "no option -all_ivcs here"),
        ("jkind", "-xml -main other", &lustre, 254, "the main node is main, not other"),
        ("kind2", "-json --enable CONTRACTCK", &lustre, 2, "no module CONTRACTCK here"),
        ("kind2", "--ae_val_use_ctx false", &lustre, 2, "no option --ae_val_use_ctx here"),
    ];
    for (tool, arguments, model, code, why) in cases {
        let run = called(tool, arguments, model);
        assert!(run.code == code && run.stderr.contains(why), "{tool} {arguments}: {}", run.all());
    }
    let run = Run::of(buttress(&root()).args(["as", "nusmv", "x"]));
    assert!(run.code == 2 && run.stderr.contains("suprove, avy, rIC3"), "{}", run.all());
}

/// Each `Property` element of a file of JKind, whose tags stand on lines of their own: its name and its text.
fn as_jkind_reads(xml: &str) -> Vec<(String, String)> {
    let (mut found, mut open) = (Vec::new(), None::<(String, String)>);
    for line in xml.lines() {
        if let Some((_, rest)) = line.split_once("<Property name=\"") {
            open = Some((rest.split('"').next().expect("a name").to_string(), String::new()));
        }
        if let Some((_, text)) = &mut open {
            *text += &format!("{line}\n");
        }
        if line.contains("</Property>") {
            found.extend(open.take());
        }
    }
    found
}

/// A property is in JKind's file while others are still open, and how far these are.
#[test]
fn the_file_of_jkind_grows() {
    let scratch = Scratch::new("jkind");
    let model = "node main(go: bool) returns (n: int16);\nvar far, wraps: bool;\nlet\n\
                 \x20 n = (int16 0) -> if go then pre n + (int16 1) else pre n;\n\
                 \x20 far = n <> (int16 30000);\n  wraps = true -> n >= pre n or pre n = (int16 32767);\n\
                 \x20 --%PROPERTY far;\n  --%PROPERTY wraps;\ntel\n";
    std::fs::write(scratch.file("m.lus"), model).expect("a file");
    let mut command = buttress(&scratch.0);
    command.args(["as", "jkind", "-jkind", "-xml", "-timeout", "4", "-n", "200000", "m.lus"]);
    let mut child = command.stdout(Stdio::null()).spawn().expect("the program starts");
    let (begin, mut early) = (Instant::now(), false);
    while child.try_wait().expect("a status").is_none() && begin.elapsed() < Duration::from_secs(60) {
        let so_far = std::fs::read_to_string(scratch.file("m.lus.xml")).unwrap_or_default();
        let valid =
            as_jkind_reads(&so_far).iter().any(|(name, text)| name == "wraps" && text.contains(">valid<"));
        early |=
            valid && so_far.contains("<PropertyProgress name=\"far\"/>") && !so_far.contains("</Results>");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let xml = std::fs::read_to_string(scratch.file("m.lus.xml")).expect("the file");
    assert!(early, "nothing before the end: {xml}");
    let found = as_jkind_reads(&xml);
    assert_eq!(found.len(), 2, "each property once: {xml}");
    let far = &found.iter().find(|(name, _)| name == "far").expect("it is there").1;
    assert!(far.contains("<Answer>unknown</Answer>") && far.contains("<TrueFor>"), "{far}");
    assert!(xml.starts_with("<?xml version=\"1.0\"?>\n<Results") && xml.ends_with("</Results>\n"), "{xml}");
}

#[test]
fn jkind_has_counterexamples_invariants_and_errors() {
    let scratch = Scratch::new("jkind-all");
    std::fs::copy(example("lustre/counter8.lus"), scratch.file("m.lus")).expect("a copy");
    let run =
        Run::of(buttress(&scratch.0).args(["as", "jkind", "-xml", "-no_inv_gen", "-solver", "z3", "m.lus"]));
    assert_eq!(run.code, 0, "{}", run.all());
    let found = as_jkind_reads(&std::fs::read_to_string(scratch.file("m.lus.xml")).expect("the file"));
    let positive = &found.iter().find(|(name, _)| name == "positive").expect("it is there").1;
    assert!(positive.contains(">falsifiable</Answer>") && positive.contains("<K>129</K>"), "{positive}");
    assert!(positive.contains("<Signal name=\"n\" type=\"int8\">"), "{positive}");
    std::fs::write(scratch.file("wrong.lus"), "node main() returns (a: bool);\nlet\n  a = b;\ntel\n")
        .expect("a file");
    let wrong = Run::of(buttress(&scratch.0).args(["as", "jkind", "-xml", "wrong.lus"]));
    assert!(wrong.code == 251 && wrong.stderr.contains("wrong.lus:3:"), "{}", wrong.all());
}

/// The properties in the array of Kind 2: name, answer, and the streams of the counterexample.
fn as_fret_reads(output: &str) -> Vec<(String, String, Vec<String>)> {
    let objects: Vec<Value> = serde_json::from_str(output).expect("an array");
    let properties = objects.iter().filter(|object| object["objectType"] == "property");
    properties
        .map(|property| {
            let streams = property["counterExample"][0]["streams"].as_array();
            let names =
                streams.into_iter().flatten().map(|s| s["name"].as_str().expect("a name").to_string());
            let text = |value: &Value| value.as_str().expect("a text").to_string();
            (text(&property["name"]), text(&property["answer"]["value"]), names.collect())
        })
        .collect()
}

#[test]
fn kind2_prints_an_array_of_objects() {
    let counter = example("lustre/counter8.lus");
    let run = called("kind2", "-json --disable IC3IA --lus_main main --timeout 60", &counter);
    assert_eq!(run.code, 40, "{}", run.all());
    let found = as_fret_reads(&run.stdout);
    let positive = found.iter().find(|(name, ..)| name == "positive").expect("it is there");
    assert_eq!(positive.1, "falsifiable");
    assert!(
        positive.2.contains(&"tick".to_string()) && positive.2.contains(&"n".to_string()),
        "{positive:?}"
    );
    assert!(found.iter().any(|(name, answer, _)| name == "wraps" && answer == "valid"), "{found:?}");
    let objects: Vec<Value> = serde_json::from_str(&run.stdout).expect("an array");
    let kinds: Vec<&str> = objects.iter().filter_map(|o| o["objectType"].as_str()).collect();
    assert_eq!(kinds, ["kind2Options", "analysisStart", "property", "property", "analysisStop"]);
    // Values stand beside the number of their instant; the last one violates.
    let k = objects[2]["k"].as_u64().expect("a step");
    let values = objects[2]["counterExample"][0]["streams"][0]["instantValues"].as_array().expect("values");
    assert_eq!((k, values.len() as u64, &values[1][0]), (128, 129, &Value::from(1)));
}

#[test]
fn kind2_has_its_own_exit_codes() {
    let scratch = Scratch::new("kind2");
    std::fs::write(scratch.file("wrong.lus"), "node main() returns (a: bool);\nlet\n  a = b;\ntel\n")
        .expect("a file");
    let run = Run::of(buttress(&scratch.0).args(["as", "kind2", "-json", "wrong.lus"]));
    let objects: Vec<Value> = serde_json::from_str(&run.stdout).expect("an array");
    assert_eq!((run.code, &objects[0]["level"], &objects[0]["line"]), (3, &"error".into(), &3.into()));
    let proved = "node main(a: bool) returns (b: bool);\nlet b = a or not a; --%PROPERTY b;\ntel\n";
    std::fs::write(scratch.file("proved.lus"), proved).expect("a file");
    let modular = ["as", "kind2", "-xml", "--modular", "true", "--compositional", "true", "proved.lus"];
    let run = Run::of(buttress(&scratch.0).args(modular));
    assert!(run.code == 0 && run.stdout.contains(">valid</Answer>"), "{}", run.all());
    let several = called("kind2", "-xml --modular true", &golden("lustre/assert-in-callee.lus"));
    assert!(several.code == 2 && several.stderr.contains("--modular true is not there"), "{}", several.all());
}

#[test]
fn the_command_line_of_the_competition() {
    let scratch = Scratch::new("hwmcc");
    let run = |model: &Path| {
        let mut command = buttress(&scratch.0);
        Run::of(command.args(["as", "hwmcc"]).arg(model).args(["cert.sat", "cert.unsat"]))
    };
    let bad = example("mutex-swapped.aag");
    let sat = run(&bad);
    assert_eq!((sat.code, sat.stdout.as_str()), (10, "sat\n"), "{}", sat.all());
    python_check("witness", &bad, &scratch.file("cert.sat")).expect("a witness");
    let good = example("mutex.aag");
    let unsat = run(&good);
    assert_eq!((unsat.code, unsat.stdout.as_str()), (20, "unsat\n"), "{}", unsat.all());
    python_check("certificate", &good, &scratch.file("cert.unsat")).expect("a certificate");
    let words = run(&example("link.btor2"));
    assert_eq!((words.code, words.stdout.as_str()), (10, "sat\n"), "{}", words.all());
    python_check("btor2", &example("link.btor2"), &scratch.file("cert.sat")).expect("a witness");
}
