//! The command line from outside: exit codes, limits, signals, files, reports.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use support::{Run, Scratch, buttress, python_check, root};

/// Runs the program with these arguments, blanks between them, in the folder of the golden tests.
fn run(arguments: &str) -> Run {
    Run::of(buttress(&root().join("tests/golden")).args(arguments.split_whitespace()))
}

fn golden(name: &str) -> PathBuf {
    root().join("tests/golden").join(name)
}

// ---------------------------------------------------------------------------------------------- models

/// A circuit in the making: gates over literals, as AIGER numbers them.
#[derive(Default)]
struct Circuit {
    inputs: u32,
    latches: Vec<u32>,
    gates: Vec<[u32; 2]>,
    bads: Vec<u32>,
}

impl Circuit {
    fn new(inputs: u32, latches: u32) -> Circuit {
        Circuit { inputs, latches: vec![0; latches as usize], ..Circuit::default() }
    }

    fn input(&self, i: usize) -> u32 {
        2 * (1 + i as u32)
    }

    fn latch(&self, l: usize) -> u32 {
        2 * (1 + self.inputs + l as u32)
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        self.gates.push([a, b]);
        2 * (self.inputs + (self.latches.len() + self.gates.len()) as u32)
    }

    fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    fn xor(&mut self, a: u32, b: u32) -> u32 {
        let (both, neither) = (self.and(a, b), self.and(a ^ 1, b ^ 1));
        self.and(both ^ 1, neither ^ 1)
    }

    /// The product, row by row.
    fn product(&mut self, a: &[u32], b: &[u32]) -> Vec<u32> {
        let mut sum = vec![0; a.len() + b.len()];
        for (shift, &factor) in b.iter().enumerate() {
            let mut carry = 0;
            for (k, &bit) in a.iter().enumerate() {
                let partial = self.and(bit, factor);
                let half = self.xor(sum[shift + k], partial);
                let (c1, c2) = (self.and(sum[shift + k], partial), self.and(half, carry));
                sum[shift + k] = self.xor(half, carry);
                carry = self.or(c1, c2);
            }
            sum[shift + a.len()] = carry;
        }
        sum
    }

    fn differ(&mut self, a: &[u32], b: &[u32]) -> u32 {
        let bits: Vec<u32> = a.iter().zip(b).map(|(&x, &y)| self.xor(x, y)).collect();
        bits.into_iter().fold(0, |some, bit| self.or(some, bit))
    }

    fn write(&self, path: &Path) {
        let (i, l, a) = (self.inputs, self.latches.len() as u32, self.gates.len() as u32);
        let mut text = format!("aag {} {i} {l} 0 {a} {}\n", i + l + a, self.bads.len());
        (0..i as usize).for_each(|k| text += &format!("{}\n", self.input(k)));
        let latches = self.latches.iter().enumerate();
        latches.for_each(|(k, next)| text += &format!("{} {next}\n", self.latch(k)));
        self.bads.iter().for_each(|bad| text += &format!("{bad}\n"));
        for (g, [x, y]) in self.gates.iter().enumerate() {
            text += &format!("{} {x} {y}\n", 2 * (1 + i + l + g as u32));
        }
        fs::write(path, text).expect("a model is written");
    }
}

/// a·b = b·a: true, and out of reach for a SAT solver at this width.
fn hard(path: &Path) {
    const WIDTH: usize = 16;
    let mut circuit = Circuit::new(2 * WIDTH as u32, 0);
    let (a, b): (Vec<u32>, Vec<u32>) =
        (0..WIDTH).map(|k| (circuit.input(k), circuit.input(WIDTH + k))).unzip();
    let (left, right) = (circuit.product(&a, &b), circuit.product(&b, &a));
    let bad = circuit.differ(&left, &right);
    circuit.bads = vec![bad];
    circuit.write(path);
}

/// Easy at every depth, and each depth needs a thousand new gates: for BMC alone it has no end. The second
/// property is violated at step 1.
fn endless(path: &Path) {
    const WIDTH: usize = 12;
    let mut circuit = Circuit::new(2 * WIDTH as u32, 2 * WIDTH as u32);
    let state: Vec<u32> = (0..2 * WIDTH).map(|l| circuit.latch(l)).collect();
    let mixed: Vec<u32> = (0..2 * WIDTH).map(|k| circuit.xor(state[k], circuit.input(k))).collect();
    let product = circuit.product(&mixed[..WIDTH], &mixed[WIDTH..]);
    circuit.latches = product.clone();
    // A product of odd numbers is odd; the last digit says so at once.
    let odd = circuit.and(mixed[0], mixed[WIDTH]);
    let wrong = circuit.xor(odd, product[0]);
    circuit.bads = vec![wrong, state[0]];
    circuit.write(path);
}

// ------------------------------------------------------------------------------------------ exit codes

#[test]
fn usage_comes_before_input() {
    for arguments in [
        "",
        "prove",
        "check",
        "check --engine nobody missing.aag",
        "check --json --hwmcc missing.aag",
        "check --timeout soon safe/inductive.aag",
        "check --timeout -1 safe/inductive.aag",
        "check --bound 0 safe/inductive.aag",
        "check --memory 0 safe/inductive.aag",
        "check --property nothing unsafe/several.aag",
        "verify safe/inductive.aag",
    ] {
        let run = run(arguments);
        assert_eq!(run.code, 2, "{arguments}: {}", run.all());
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{arguments}: {}", run.all());
    }
}

#[test]
fn an_unknown_property_is_answered_with_the_known_ones() {
    let run = run("check --property b9 unsafe/several.aag");
    assert_eq!(run.code, 2, "{}", run.all());
    for known in ["'b9'", "b0 apart", "b1 fault", "b2 toggled"] {
        assert!(run.stderr.contains(known), "{}", run.all());
    }
}

#[test]
fn help_is_no_error() {
    for arguments in ["--help", "check --help", "verify --help", "--version"] {
        assert_eq!(run(arguments).code, 0, "{arguments}");
    }
    let help = run("check --help").stdout;
    ["--engine", "--property", "--timeout", "--certificate"]
        .iter()
        .for_each(|f| assert!(help.contains(f), "{f}"));
}

/// `buttress simulate … | head`
#[test]
fn a_closed_pipe_ends_it_without_a_word() {
    let mut command = buttress(&root());
    command.args(["simulate", "--steps", "100000", "--seed", "1", "examples/mutex.aag"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn what_cannot_be_read_is_bad_input() {
    let scratch = Scratch::new("unreadable");
    fs::write(scratch.file("empty.aag"), "").expect("a file");
    fs::create_dir(scratch.file("folder.aag")).expect("a folder");
    for command in ["check", "info", "simulate"] {
        for name in ["missing.aag", "empty.aag", "folder.aag", "missing/model.aag"] {
            let run = Run::of(buttress(&scratch.0).arg(command).arg(name));
            assert_eq!(run.code, 3, "{command} {name}: {}", run.all());
            assert!(run.stderr.starts_with(name), "{command} {name}: {}", run.all());
            assert!(run.stdout.is_empty(), "{command} {name}: {}", run.all());
        }
    }
    let model = golden("unsafe/words.aag");
    for evidence in ["missing", "folder.aag", "empty.aag"] {
        let run = Run::of(buttress(&scratch.0).arg("verify").arg(&model).arg(evidence));
        assert_eq!(run.code, 3, "{evidence}: {}", run.all());
    }
}

#[test]
fn the_content_decides_not_the_name() {
    let scratch = Scratch::new("content");
    fs::copy(golden("safe/ring.aig"), scratch.file("ring.aag")).expect("a copy");
    fs::copy(golden("unsafe/words.aag"), scratch.file("words.txt")).expect("a copy");
    assert_eq!(Run::of(buttress(&scratch.0).args(["check", "ring.aag"])).code, 0);
    assert_eq!(Run::of(buttress(&scratch.0).args(["check", "words.txt"])).code, 10);
    let info = Run::of(buttress(&scratch.0).args(["info", "ring.aag"]));
    assert!(info.stdout.contains("binary"), "{}", info.all());
}

#[test]
fn where_the_content_is_of_no_format_the_name_says_whose_error_it_is() {
    let scratch = Scratch::new("no-format");
    let expected = [
        ("m.lus", "", "m.lus:1:1: error: there is no node in this file"),
        ("c.lus", "-- to do", "c.lus:1:1: error: there is no node in this file"),
        ("typo.lus", "nod m() returns ();", "typo.lus:1:1: error: expected a declaration"),
        ("m.vmt", "", "m.vmt: error: no formula is annotated with :trans"),
        ("m.aag", "", "m.aag:1:1: error: not an AIGER file"),
        ("m", "\n", "m: error: the file is empty"),
    ];
    for (name, text, error) in expected {
        std::fs::write(scratch.file(name), text).expect("a file");
        for command in ["check", "info"] {
            let run = Run::of(buttress(&scratch.0).args([command, name]));
            assert_eq!(run.code, 3, "{}", run.all());
            assert!(run.stderr.starts_with(error), "{}", run.all());
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let run = run("check unsafe/words.aag --witness no/such/folder/w");
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("falsified at step 9"), "the verdict is printed all the same: {}", run.all());
    assert!(run.stderr.contains("no/such/folder/w"), "{}", run.all());
}

#[test]
fn a_broken_map_is_bad_input() {
    let scratch = Scratch::new("map");
    fs::write(scratch.file("m.map"), "input 0 0 clk\nlatch 77 0 x\n").expect("a file");
    let run =
        Run::of(buttress(&scratch.0).arg("check").arg(golden("unsafe/words.aag")).args(["--names", "m.map"]));
    assert_eq!(run.code, 3, "{}", run.all());
    assert!(run.stderr.contains("m.map:2:1"), "{}", run.all());
}

// ---------------------------------------------------------------------------------------------- limits

/// Runs with a clock.
fn timed(command: &mut Command) -> (Run, Duration) {
    let start = Instant::now();
    let run = Run::of(command);
    (run, start.elapsed())
}

/// The fastest of a few tries: other load may delay one of them, hardly all.
fn fastest(mut run: impl FnMut() -> (Run, Duration)) -> (Run, Duration) {
    (0..3).map(|_| run()).min_by_key(|(_, elapsed)| *elapsed).expect("three tries")
}

#[test]
fn a_deadline_holds_whatever_runs() {
    let scratch = Scratch::new("deadline");
    hard(&scratch.file("hard.aag"));
    endless(&scratch.file("endless.aag"));
    for arguments in ["hard.aag", "endless.aag --engine bmc --property 0"] {
        let mut command = buttress(&scratch.0);
        command.args(["check", "--timeout", "0.3"]).args(arguments.split_whitespace());
        let (run, elapsed) = fastest(|| timed(&mut command));
        assert_eq!(run.code, 30, "{arguments}: {}", run.all());
        assert!(run.stdout.contains("b0: undecided: time"), "{arguments}: {}", run.all());
        assert!(elapsed >= Duration::from_millis(300), "{arguments}: {elapsed:?}");
        assert!(elapsed < Duration::from_millis(1300), "{arguments}: {elapsed:?}");
    }
}

#[test]
fn what_was_found_before_the_deadline_is_reported() {
    let scratch = Scratch::new("partial");
    endless(&scratch.file("m.aag"));
    let mut command = buttress(&scratch.0);
    let run =
        Run::of(command.args(["check", "m.aag", "--engine", "bmc", "--timeout", "0.5", "--witness", "w"]));
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("b0: undecided: time (no violation up to step"), "{}", run.all());
    assert!(run.stdout.contains("b1: falsified at step 1"), "{}", run.all());
    assert_eq!(Run::of(buttress(&scratch.0).args(["verify", "m.aag", "w"])).code, 0);
}

#[test]
fn memory_is_limited() {
    let scratch = Scratch::new("memory");
    endless(&scratch.file("m.aag"));
    let mut command = buttress(&scratch.0);
    command.args("check m.aag --engine bmc --property 0 --memory 100 --timeout 60".split_whitespace());
    let (run, elapsed) = timed(&mut command);
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(run.stdout.contains("b0: undecided: memory"), "{}", run.all());
    assert!(elapsed < Duration::from_secs(50), "{elapsed:?}");
}

/// Interrupts a run after a while; how it ended, and how long after the signal.
fn interrupted(command: &mut Command) -> (Run, Duration) {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    thread::sleep(Duration::from_millis(700));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("it still runs");
    let start = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    (Run::from(output), start.elapsed())
}

#[test]
fn an_interrupt_stops_and_reports() {
    let scratch = Scratch::new("interrupt");
    endless(&scratch.file("m.aag"));
    hard(&scratch.file("hard.aag"));
    let on = |arguments: &str| {
        let mut command = buttress(&scratch.0);
        command.arg("check").args(arguments.split_whitespace());
        fastest(|| interrupted(&mut command))
    };
    let (run, late) = on("m.aag --engine bmc");
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("b0: undecided: interrupted (no violation up to step"), "{}", run.all());
    assert!(run.stdout.contains("b1: falsified at step 1"), "{}", run.all());
    assert!(late < Duration::from_millis(1000), "{late:?}");
    let (run, late) = on("hard.aag");
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(run.stdout.contains("b0: undecided: interrupted"), "{}", run.all());
    assert!(late < Duration::from_millis(1000), "{late:?}");
}

// --------------------------------------------------------------------------------------------- reports

/// IC3 has its hands full with this one; what it had found when it was interrupted is in the file.
#[test]
fn an_interrupted_run_leaves_its_lemmas() {
    let scratch = Scratch::new("leaves");
    let (model, lemmas) = (golden("unknown/hard-before-easy.aag"), scratch.file("lemmas"));
    let mut command = buttress(&scratch.0);
    command
        .arg("check")
        .arg(model)
        .args(["--engine", "ic3", "--property", "odd", "--save-lemmas"])
        .arg(&lemmas);
    let (run, _) = interrupted(&mut command);
    assert!(run.code == 30 && run.stdout.contains("undecided: interrupted"), "{}", run.all());
    let text = std::fs::read_to_string(lemmas).expect("it was written");
    assert!(
        text.starts_with("# partial: not a proof") && text.lines().any(|l| l.starts_with("? ")),
        "{text}"
    );
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.all()))
}

#[test]
fn json_has_the_documented_fields() {
    let run = run("check --json --engine kind unsafe/several.aag");
    let report = json(&run);
    assert_eq!((run.code, &report["exit_code"]), (10, &Value::from(10)));
    assert_eq!(report["file"], "unsafe/several.aag");
    assert_eq!(report["errors"], Value::Array(Vec::new()));
    assert!(report["seconds"].is_f64());
    let [apart, fault, toggled] = &report["properties"].as_array().expect("a list")[..] else {
        panic!("three")
    };
    assert_eq!((&apart["name"], &apart["position"]), (&"apart".into(), &"b0".into()));
    assert_eq!(
        (&apart["verdict"], &apart["k"], &apart["engine"]),
        (&"proved".into(), &1.into(), &"kind".into())
    );
    assert_eq!((&apart["checked"], &apart["distinct_states"]), (&true.into(), &false.into()));
    assert_eq!((&apart["vacuous"], &apart["invariant"]), (&false.into(), &Value::Array(Vec::new())));
    assert_eq!(fault["proved_together"], Value::from(vec!["fault", "apart"]));
    assert_eq!((&toggled["verdict"], &toggled["step"]), (&"falsified".into(), &1.into()));
    let trace = toggled["trace"].as_array().expect("a trace");
    assert_eq!(trace.len(), 2);
    assert_eq!((&trace[1]["p"], &trace[1]["t"], &trace[1]["r"]), (&"1".into(), &"1".into(), &"0".into()));
    assert!([apart, fault, toggled].iter().all(|p| p["seconds"].is_f64()));
}

#[test]
fn json_tells_of_the_undecided_and_the_vacuous() {
    let report = json(&run("check --json --engine bmc --bound 4 unknown/bmc-never-proves.aag"));
    let open = &report["properties"][0];
    assert_eq!((&open["verdict"], &open["no_violation_up_to_step"]), (&"undecided".into(), &3.into()));
    assert!(open["reason"].is_string() && report["exit_code"] == 30);
    let why = serde_json::json!([{"engine": "bmc", "reason": "the bound of 4 states is reached"}]);
    assert_eq!(open["gave_up"], why);
    let far = &report["engines"][0];
    assert_eq!((&far["engine"], &far["depth"], &far["unit"]), (&"bmc".into(), &3.into(), &"clauses".into()));
    assert!(far["size"].as_u64() > Some(0));
    let report = json(&run("check --json unsafe/justice-only.aag"));
    assert_eq!(report["properties"][1]["position"], "j1");
    assert!(report["properties"][1]["back_to_step"].is_number(), "{report}");
    let report = json(&run("check --json --engine klive --property j0 safe/proved-and-justice.aag"));
    assert_eq!(report["properties"][0]["monitor"]["visits"]["at_most"], 0);
    let report = json(&run("check --json --engine ic3 --property j0 safe/proved-and-justice.aag"));
    assert_eq!(report["properties"][0]["monitor"], "loop");
    let report = json(&run("check --json safe/vacuous-at-once.aag"));
    assert_eq!(report["properties"][0]["vacuous"], true);
    let report = json(&run("check --json --engine kind safe/distinct-states.aag"));
    assert_eq!(report["properties"][0]["distinct_states"], true);
    let words = json(&run("check --json --engine bmc unsafe/words.aag"));
    assert_eq!(words["properties"][0]["trace"][9]["cnt"], "9");
}

#[test]
fn the_competition_gets_one_word() {
    for (arguments, word, code) in [
        ("check --hwmcc safe/ring.aig", "unsat\n", 20),
        ("check --hwmcc unsafe/ring.aig", "sat\n", 10),
        ("check --hwmcc --engine bmc --bound 3 unknown/bmc-never-proves.aag", "unknown\n", 0),
        ("check --hwmcc unsafe/justice-only.aag", "sat\n", 10),
        ("check --hwmcc --property j0 safe/proved-and-justice.aag", "unsat\n", 20),
    ] {
        let run = run(arguments);
        assert_eq!((run.stdout.as_str(), run.code), (word, code), "{arguments}: {}", run.all());
    }
    let run = run("check --hwmcc missing.aag");
    assert_eq!((run.stdout.as_str(), run.code), ("", 3));
}

#[test]
fn a_model_may_come_by_pipe() {
    let mut command = buttress(&root());
    command.args(["check", "-", "--witness", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let model = fs::read(golden("unsafe/no-inputs.aag")).expect("a golden file");
    child.stdin.take().expect("a pipe").write_all(&model).expect("it reads");
    let run = Run::from(child.wait_with_output().expect("it ends"));
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("1\nb0\n000\n\n\n"), "the witness goes to standard output: {}", run.all());
}

#[test]
fn same_input_same_output() {
    let timeless = |text: &str| {
        let word = |w: &str| {
            if w.ends_with(|c: char| c.is_ascii_digit()) && w.contains('.') { "T" } else { w }.to_string()
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    };
    for engine in ["bmc", "kind", "ic3"] {
        let one = || run(&format!("check -v --bound 8 --engine {engine} unsafe/several.aag"));
        assert_eq!(timeless(&one().stdout), timeless(&one().stdout), "{engine}");
    }
}

#[test]
fn a_pipe_sees_no_progress_line() {
    let scratch = Scratch::new("pipe");
    endless(&scratch.file("m.aag"));
    let run = Run::of(buttress(&scratch.0).args(["check", "m.aag", "--engine", "bmc", "--timeout", "0.4"]));
    assert!(run.stderr.is_empty(), "{}", run.all());
    assert!(!run.stdout.contains(['\r', '\x1b']), "{}", run.all());
}

/// A verdict is there long before the run ends, though nobody looks but a pipe.
#[test]
fn a_pipe_sees_verdicts_at_once() {
    use std::io::{BufRead, BufReader};
    let mut command = buttress(&golden("unknown"));
    command.args(["check", "hard-before-easy.aag", "--engine", "ic3"]).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut line = String::new();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    lines.read_line(&mut line).expect("a line");
    let runs_on = child.try_wait().expect("a child").is_none();
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(line.starts_with("b1 both: proved") && runs_on, "{line:?}, and then it ended: {}", !runs_on);
}

#[test]
fn a_terminal_sees_a_progress_line() {
    let scratch = Scratch::new("terminal");
    endless(&scratch.file("m.aag"));
    let program = env!("CARGO_BIN_EXE_buttress");
    let line = format!("{program} check m.aag --engine bmc --property 0 --timeout 0.6");
    let mut command = Command::new("script");
    let Ok(output) = command.args(["-qec", &line, "/dev/null"]).current_dir(&scratch.0).output() else {
        println!("skipped: no `script` to make a terminal");
        return;
    };
    let seen = String::from_utf8_lossy(&output.stdout).to_string();
    let progress = seen.split("\r\x1b[2K").find(|part| part.contains("BMC step"));
    assert!(progress.is_some_and(|line| line.contains("b0") && line.contains("clauses")), "{seen:?}");
    // The verdict in its colour.
    assert!(seen.contains("b0: \u{1b}[1m\u{1b}[33mundecided\u{1b}[0m: time"), "{seen:?}");
    assert_eq!(output.status.code(), Some(30));
}

/// Whatever the shell exports: `stty` sets the width of the terminal itself.
#[test]
fn the_progress_line_is_as_wide_as_the_terminal() {
    let scratch = Scratch::new("width");
    endless(&scratch.file("m.aag"));
    let program = env!("CARGO_BIN_EXE_buttress");
    for columns in [24, 300] {
        let run = format!("{program} check m.aag --engine bmc --property 0 --timeout 0.6");
        let line = format!("stty rows 40 cols {columns}; {run}");
        let mut command = Command::new("script");
        command.env("COLUMNS", "77").args(["-qec", &line, "/dev/null"]).current_dir(&scratch.0);
        let Ok(output) = command.output() else {
            println!("skipped: no `script` to make a terminal");
            return;
        };
        let seen = String::from_utf8_lossy(&output.stdout).to_string();
        let drawn = seen.split("\r\x1b[2K").skip(1).map(|part| part.split('\n').next().unwrap_or(part));
        let longest = drawn.filter(|l| !l.contains("undecided")).map(|l| l.chars().count()).max();
        let fits =
            if columns == 24 { longest == Some(23) } else { longest > Some(30) && longest < Some(300) };
        assert!(fits, "{columns} columns, {longest:?} used: {seen:?}");
    }
}

// --------------------------------------------------------------------------------------------- evidence

#[test]
fn several_violations_have_a_file_each() {
    let scratch = Scratch::new("suffixes");
    let model = golden("unsafe/uninitialised.aag");
    let mut command = buttress(&scratch.0);
    let run = Run::of(command.arg("check").arg(&model).args(["--witness", "w.txt", "--vcd", "v.vcd"]));
    assert_eq!(run.code, 10, "{}", run.all());
    for name in ["w-b0.txt", "w-b1.txt"] {
        let verified = Run::of(buttress(&scratch.0).arg("verify").arg(&model).arg(name));
        assert_eq!(verified.code, 0, "{name}: {}", verified.all());
        assert!(run.stdout.contains(name), "{}", run.all());
    }
    assert!(scratch.file("v-b0.vcd").is_file() && scratch.file("v-b1.vcd").is_file());
    assert!(!scratch.file("w.txt").exists() && !scratch.file("v.vcd").exists());
}

/// A variable of a waveform.
#[derive(Debug)]
struct Wave {
    code: String,
    name: String,
    changes: Vec<(u64, String)>,
}

/// As much of VCD as one needs to read a waveform.
fn read_vcd(text: &str) -> Vec<Wave> {
    let mut waves: Vec<Wave> = Vec::new();
    let mut scopes: Vec<String> = Vec::new();
    let (mut time, mut defined) = (0, false);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["$scope", _, name, "$end"] => scopes.push(name.to_string()),
            ["$upscope", "$end"] => drop(scopes.pop().expect("an open scope")),
            ["$var", _, width, code, name, .., "$end"] => {
                assert!(width.parse::<u32>().is_ok(), "{line}");
                let name = format!("{}.{name}", scopes.join("."));
                waves.push(Wave { code: code.to_string(), name, changes: Vec::new() });
            }
            ["$enddefinitions", "$end"] => defined = true,
            [word] if word.starts_with('#') => {
                let now = word[1..].parse().expect("a time");
                assert!(defined && now >= time, "{line}");
                time = now;
            }
            [value, code] if value.starts_with('b') => change(&mut waves, code, &value[1..], time),
            [word] if word.starts_with(['0', '1', 'x']) => change(&mut waves, &word[1..], &word[..1], time),
            _ => {}
        }
    }
    assert!(scopes.is_empty() && defined);
    waves
}

fn change(waves: &mut [Wave], code: &str, value: &str, time: u64) {
    let wave = waves.iter_mut().find(|wave| wave.code == code).expect("a declared variable");
    wave.changes.push((time, value.to_string()));
}

#[test]
fn a_waveform_shows_the_violation() {
    let scratch = Scratch::new("vcd");
    let mut command = buttress(&scratch.0);
    let run =
        Run::of(command.arg("check").arg(golden("unsafe/words.aag")).args(["--engine", "bmc", "--vcd", "v"]));
    assert_eq!(run.code, 10, "{}", run.all());
    let waves = read_vcd(&fs::read_to_string(scratch.file("v")).expect("a waveform"));
    let changes = |name: &str| {
        let found = waves.iter().find(|wave| wave.name.ends_with(name));
        &found.unwrap_or_else(|| panic!("{name} in {waves:?}")).changes
    };
    let counted: Vec<u64> = changes(".cnt").iter().map(|(_, v)| u64::from_str_radix(v, 2).unwrap()).collect();
    assert_eq!(counted, (0..10).collect::<Vec<u64>>());
    let times: Vec<u64> = changes(".cnt").iter().map(|(t, _)| *t).collect();
    assert!(times.windows(2).all(|w| w[1] - w[0] == times[1]), "equal steps: {times:?}");
    assert_eq!(changes(".nine").last(), Some(&(times[9], "1".to_string())));
    assert_eq!(changes(".inc").len(), 1, "a signal that never changes is written once");
}

#[test]
fn a_changed_witness_is_rejected() {
    let scratch = Scratch::new("flipped");
    let model = golden("unsafe/words.aag");
    let mut command = buttress(&scratch.0);
    Run::of(command.arg("check").arg(&model).args(["--engine", "bmc", "--witness", "w"]));
    let good = fs::read_to_string(scratch.file("w")).expect("a witness");
    let values = good.match_indices(['0', '1']).map(|(at, _)| at).filter(|&at| at >= "1\nb0\n".len());
    let flipped = |at: usize| {
        let other = if &good[at..=at] == "0" { "1" } else { "0" };
        format!("{}{other}{}", &good[..at], &good[at + 1..])
    };
    let mut broken: Vec<String> = values.map(flipped).collect();
    assert_eq!(broken.len(), 5 + 10, "all latches, and one input for ten steps");
    // One step too few, one too many, an unknown value where it matters.
    broken.push(good.replacen("1\n.", ".", 1));
    broken.push(good.replacen("1\n.", "1\n1\n.", 1));
    broken.push(good.replacen("1\n.", "x\n.", 1));
    for text in broken {
        fs::write(scratch.file("broken"), &text).expect("a file");
        let run = Run::of(buttress(&scratch.0).arg("verify").arg(&model).arg("broken"));
        assert_eq!(run.code, 1, "{text}: {}", run.all());
        assert!(run.stdout.starts_with("rejected: "), "{text}: {}", run.all());
        assert!(python_check("witness", &model, &scratch.file("broken")).is_err(), "{text}");
    }
    for (text, code) in [("0\nb0\n.\n", 30), ("2\nb0\n.\n", 30), ("1\nb7\n00000\n1\n.\n", 3), ("what\n", 3)] {
        fs::write(scratch.file("other"), text).expect("a file");
        let run = Run::of(buttress(&scratch.0).arg("verify").arg(&model).arg("other"));
        assert_eq!(run.code, code, "{text}: {}", run.all());
    }
}

#[test]
fn a_changed_certificate_is_rejected() {
    let scratch = Scratch::new("certificate");
    let model = golden("safe/ring.aig");
    let mut command = buttress(&scratch.0);
    let run = Run::of(command.arg("check").arg(&model).args(["--engine", "ic3", "--certificate", "c.aag"]));
    assert_eq!(run.code, 0, "{}", run.all());
    let good = fs::read_to_string(scratch.file("c.aag")).expect("a certificate");
    let (mut rejected, mut count) = (0, 0);
    // Every gate in turn gets another first operand; what is bad may thereby only grow, so some stay certificates.
    for line in good.lines().filter(|line| line.split(' ').count() == 3 && !line.starts_with(['i', 'l', 'W']))
    {
        let [gate, a, b] = line.split(' ').map(|n| n.parse::<u32>().unwrap()).collect::<Vec<_>>()[..] else {
            unreachable!()
        };
        let broken = good.replacen(&format!("\n{line}\n"), &format!("\n{gate} {} {b}\n", a ^ 1), 1);
        fs::write(scratch.file("broken.aag"), broken).expect("a file");
        let verified = Run::of(buttress(&scratch.0).arg("verify").arg(&model).arg("broken.aag"));
        assert!(matches!(verified.code, 0 | 1), "{line}: {}", verified.all());
        rejected += i32::from(verified.code == 1);
        count += 1;
        let agreed = python_check("certificate", &model, &scratch.file("broken.aag")).is_ok();
        assert_eq!(agreed, verified.code == 0, "{line}: the two checkers disagree: {}", verified.all());
    }
    assert!(count > 10 && rejected > count / 2, "{rejected} of {count}");
    // A certificate for another model.
    let other = Run::of(buttress(&scratch.0).arg("verify").arg(golden("unsafe/ring.aig")).arg("c.aag"));
    assert_eq!(other.code, 1, "{}", other.all());
}

/// The format wants inputs and then latches numbered one after the other; in a model they may have any numbers.
#[test]
fn a_certificate_with_another_numbering_is_rejected() {
    let scratch = Scratch::new("numbering");
    let model = "aag 2 1 1 0 0 1\n2\n4 4\n4\n";
    let swapped = "aag 2 1 1 0 0 1\n4\n2 2\n2\n";
    let gap = "aag 3 1 1 0 0 1\n2\n6 6\n6\n";
    for (name, text) in [("model", model), ("swapped", swapped), ("gap", gap)] {
        fs::write(scratch.file(&format!("{name}.aag")), text).expect("a file");
    }
    let verify = |m: &str, c: &str| Run::of(buttress(&scratch.0).args(["verify", m, c]));
    for model in ["model.aag", "swapped.aag", "gap.aag"] {
        assert_eq!(verify(model, "model.aag").code, 0, "{model}");
    }
    for (circuit, why) in
        [("swapped.aag", "input 0 does not have the literal 2"), ("gap.aag", "latch 0 does")]
    {
        let run = verify("model.aag", circuit);
        assert!(run.code == 1 && run.stdout.starts_with("rejected: "), "{}", run.all());
        assert!(run.stdout.contains(why), "{}", run.all());
    }
}

#[test]
fn a_certificate_is_binary_unless_its_name_says_otherwise() {
    let scratch = Scratch::new("binary");
    let model = golden("safe/inductive.aag");
    for (name, magic) in [("c.aig", "aig "), ("c.aag", "aag "), ("c", "aig ")] {
        let mut command = buttress(&scratch.0);
        let run = Run::of(command.arg("check").arg(&model).args(["--engine", "kind", "--certificate", name]));
        assert_eq!(run.code, 0, "{}", run.all());
        let bytes = fs::read(scratch.file(name)).expect("a certificate");
        assert!(bytes.starts_with(magic.as_bytes()), "{name}");
        assert_eq!(Run::of(buttress(&scratch.0).arg("verify").arg(&model).arg(name)).code, 0, "{name}");
    }
}

#[test]
fn a_proof_without_a_circuit_is_not_passed_over() {
    let scratch = Scratch::new("no-circuit");
    let model = golden("safe/distinct-states.aag");
    let mut command = buttress(&scratch.0);
    let run = Run::of(command.arg("check").arg(&model).args(["--engine", "kind", "--certificate", "c.aag"]));
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("b0 seen_apart: proved"), "{}", run.all());
    assert!(run.stderr.contains("no certificate for b0 seen_apart"), "{}", run.all());
    assert!(!scratch.file("c.aag").exists());
}

#[test]
fn certificates_of_others_are_judged() {
    let folder = root().join("../shared/bench/hw/certifaiger");
    if !folder.is_dir() {
        println!("skipped: no ../shared");
        return;
    }
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().expect("a name").to_string_lossy().to_string();
        let Some((stem, ending)) = name.split_once("_model.") else { continue };
        let witness = folder.join(format!("{stem}_witness.{ending}"));
        let run = Run::of(buttress(&folder).arg("verify").arg(&entry).arg(&witness));
        let expected = i32::from(stem == "negated_reset");
        assert_eq!(run.code, expected, "{name}: {}", run.all());
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

// --------------------------------------------------------------------------------- simulate and info

#[test]
fn a_simulation_repeats_with_its_seed() {
    let seeded =
        |seed: u64| run(&format!("simulate unsafe/uninitialised.aag --steps 12 --seed {seed}")).stdout;
    assert_eq!(seeded(1), seeded(1));
    assert!((2..12).any(|seed| seeded(seed) != seeded(1)));
    let run = run("simulate unsafe/uninitialised.aag --steps 12 --json");
    let report = json(&run);
    assert_eq!(report["steps"].as_array().expect("steps").len(), 12);
    // free is either 0 or 1: one of the two properties is violated at once.
    let said = report["remarks"][0].as_str().expect("a remark");
    assert!(said.starts_with("step 0: b") && said.ends_with("is violated"), "{said}");
}

#[test]
fn a_stimulus_is_played() {
    let scratch = Scratch::new("stimulus");
    fs::write(scratch.file("s"), "1\n1\n1\n0\n1\n.\n").expect("a stimulus");
    let model = golden("unsafe/words.aag");
    let play = |name: &str| {
        let mut command = buttress(&scratch.0);
        Run::of(command.arg("simulate").arg(&model).args(["--stimulus", name, "--vcd", "v"]))
    };
    let run = play("s");
    assert_eq!(run.code, 0, "{}", run.all());
    let row = run.stdout.lines().find(|l| l.trim_start().starts_with("cnt")).expect("a row");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["cnt", "0", "1", "2", "3"]);
    assert!(run.stdout.contains("step 3: constraint always_counting does not hold"), "{}", run.all());
    assert!(!read_vcd(&fs::read_to_string(scratch.file("v")).expect("a waveform")).is_empty());
    fs::write(scratch.file("bad"), "1\n1\n12\n").expect("a stimulus");
    let run = play("bad");
    assert_eq!(run.code, 3, "{}", run.all());
    assert!(run.stderr.contains("bad:3:2"), "{}", run.all());
    fs::write(scratch.file("none"), "").expect("a stimulus");
    assert_eq!(play("none").code, 3);
}

#[test]
fn info_counts() {
    let resets = run("info --json unsafe/resets.aag");
    let report = json(&resets);
    for (what, count) in
        [("inputs", 1), ("latches", 4), ("properties", 4), ("constraints", 0), ("uninitialised", 0)]
    {
        assert_eq!(report[what], count, "{what}: {}", resets.all());
    }
    assert_eq!(report["property_list"][3]["position"], "b3");
    assert_eq!(report["property_list"][3]["name"], "input_gone");
    let text = run("info unsafe/justice-only.aag");
    let row = |what: &str| text.stdout.lines().find(|l| l.trim_start().starts_with(what)).map(str::to_string);
    assert!(row("justice").is_some_and(|l| l.ends_with('2')), "{}", text.all());
    assert!(row("outputs").is_some_and(|l| l.ends_with('1')), "{}", text.all());
    assert!(text.stdout.contains("AIGER (ASCII)") && text.stdout.contains("property j1"));
    let free = run("info unsafe/uninitialised.aag");
    assert!(free.stdout.lines().any(|l| l.trim_start().starts_with("uninitialised") && l.ends_with('1')));
}
