//! Every option of every command on every kind of model: it is applied, or refused by name. None is ignored, none
//! panics.

#[allow(dead_code)]
mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;

use support::{Run, Scratch, buttress, root};

/// The kinds of model, a small file each.
const MODELS: [(&str, &str); 9] = [
    ("AIGER", "tests/golden/unsafe/several.aag"),
    ("BTOR2", "examples/link.btor2"),
    ("BTOR2 with a large memory", "tests/golden/unknown/large-memory.btor2"),
    ("Lustre that fits into bits", "tests/golden/lustre/subranges.lus"),
    ("Lustre with reals", "examples/lustre/filter.lus"),
    ("VMT-LIB with numbers", "tests/golden/vmt/negative-numbers.vmt"),
    ("MoXI", "tests/golden/moxi/relation.moxi"),
    ("VMT-LIB with maps", "tests/golden/indexed/lock-server.vmt"),
    ("Cubicle", "tests/golden/cubicle/exclusion.cub"),
];

/// The options of each command with a value for each; `FILE` is a file that may be written, `LEMMAS` one to be
/// read.
const OPTIONS: [(&str, &[&str]); 9] = [
    (
        "check",
        &[
            "--names LEMMAS",
            "--timeout 1",
            "--memory 4000",
            "--engine bmc",
            "--engine kind",
            "--engine ic3",
            "--engine fsis",
            "--engine monolithic",
            "--engine reach",
            "--engine dual",
            "--engine inv",
            "--engine indexed",
            "--engine directed",
            "--engine backward",
            "--plan bits-4",
            "--plan processes",
            "--cores 1",
            "--property 0",
            "--cover all",
            "--deterministic",
            "--ltl F(true)",
            "--ltl-file LEMMAS",
            "--ctl LEMMAS",
            "--stop-at-first",
            "--property-timeout 1",
            "--core",
            "--eliminate diagrams",
            "--predicates auto",
            "--directed",
            "--bound 5",
            "--bmc-stride 4",
            "--ic3-generalize drop",
            "--ic3-theory abstraction",
            "--fsis-down naive",
            "--fsis-minimal linear",
            "--fsis-generate absolute",
            "--fsis-share ctis",
            "--jobs 2",
            "--lemmas LEMMAS",
            "--save-lemmas FILE",
            "--state DIR",
            "--board redis://127.0.0.1:1",
            "--explain",
            "--show-cti",
            "--discover int",
            "--bdd-order force",
            "--bdd-nodes 4096",
            "--seed 3",
            "--json",
            "--json-lines",
            "--xml jkind",
            "--hwmcc",
            "--witness FILE",
            "--certificate FILE",
            "--vcd FILE",
            "--fst FILE",
            "--smooth",
            "--dont-care",
            "--radix hex",
            "--strict",
            "--all-signals",
            "--report FILE",
            "--junit FILE",
            "--sarif FILE",
            "--github",
            "--statistics FILE",
            "--smt-log DIR",
            "--smt-patience 2",
            "--verbose",
        ],
    ),
    (
        "prove",
        &["--names LEMMAS", "--timeout 1", "--memory 4000", "--lemmas LEMMAS", "--property 0", "--json"],
    ),
    (
        "core",
        &[
            "--names LEMMAS",
            "--timeout 1",
            "--memory 4000",
            "--method ucbf",
            "--granularity flattened",
            "--must",
            "--listing",
            "--reduced FILE",
            "--matrix FILE.csv",
            "--completeness",
            "--vacuity",
            "--diversity",
            "--all",
            "--ltl F(true)",
            "--ltl-file LEMMAS",
            "--property 0",
            "--engine kind",
            "--solver z3",
            "--patience 2",
            "--seed 3",
            "--smt-log DIR",
            "--json",
        ],
    ),
    ("dead", &["--names LEMMAS", "--timeout 1", "--memory 4000", "--vectors", "--json", "--patience 2"]),
    (
        "conflict",
        &["--names LEMMAS", "--timeout 1", "--memory 4000", "--stimulus LEMMAS", "--steps 3", "--json"],
    ),
    (
        "invariants",
        &[
            "--names LEMMAS",
            "--timeout 1",
            "--memory 4000",
            "--compare int",
            "--max-k 2",
            "--max-terms 20",
            "--terms LEMMAS",
            "--modular",
            "--ands",
            "--no-negations",
            "--no-thresholds",
            "--signed",
            "--redundant-edges",
            "--no-trivial",
            "--at-once",
            "--annotate FILE",
            "--smtlib FILE",
            "--vmt FILE",
            "--verify",
            "--rank",
            "--seed 3",
            "--json",
            "--verbose",
        ],
    ),
    (
        "simulate",
        &[
            "--names LEMMAS",
            "--timeout 1",
            "--memory 4000",
            "--stimulus LEMMAS",
            "--steps 3",
            "--size 2",
            "--seed 3",
            "--vcd FILE",
            "--fst FILE",
            "--json",
        ],
    ),
    ("info", &["--names LEMMAS", "--timeout 1", "--memory 4000", "--json"]),
    ("convert", &["--names LEMMAS", "--timeout 1", "--memory 4000"]),
];

/// The long options that the help of a command names.
fn flags(command: &str) -> BTreeSet<String> {
    let help = Run::of(buttress(&root()).args([command, "--help"])).stdout;
    let lines = help.lines().map(str::trim_start).filter(|l| l.starts_with('-'));
    let named = lines.filter_map(|l| l.split([' ', ',']).find(|w| w.starts_with("--")).map(str::to_string));
    named.filter(|flag| flag != "--help").collect()
}

#[test]
fn the_table_has_every_option() {
    for (command, options) in OPTIONS {
        let known: BTreeSet<String> =
            options.iter().filter_map(|o| o.split(' ').next()).map(str::to_string).collect();
        assert_eq!(flags(command), known, "{command}");
    }
}

fn played(scratch: &Scratch, command: &str, option: &str, model: &str, number: usize) -> Run {
    let file = |ending: &str| scratch.0.join(format!("{number}{ending}")).display().to_string();
    let word = |word: &str| match word {
        "FILE" => file(""),
        "FILE.csv" => file(".csv"),
        "DIR" => scratch.0.display().to_string(),
        "LEMMAS" => scratch.0.join("empty").display().to_string(),
        other => other.to_string(),
    };
    let mut arguments: Vec<String> = vec![command.to_string()];
    arguments.extend(option.split(' ').map(word));
    if !option.starts_with("--timeout") {
        arguments.extend(["--timeout", "0.5"].map(String::from));
    }
    arguments.push(root().join(model).display().to_string());
    if command == "convert" {
        arguments.push(file(".vmt"));
    }
    // With the solvers of this machine, if there are some: models with maps have nothing else.
    Run::of(buttress(&root()).env_remove("BUTTRESS_SOLVERS").args(arguments))
}

#[test]
fn every_option_is_applied_or_refused_by_name() {
    let scratch = Scratch::new("options");
    std::fs::write(scratch.0.join("empty"), "").expect("a file");
    let (mut applied, mut refused, mut wrong, mut number) = (0, 0, Vec::new(), 0);
    let cases = OPTIONS.iter().flat_map(|(c, all)| all.iter().map(move |o| (*c, *o)));
    let cases: Vec<(&str, &str)> = cases.collect();
    for (kind, model) in MODELS {
        for (command, option) in &cases {
            number += 1;
            let run = played(&scratch, command, option, model, number);
            let flag = option.split(' ').next().unwrap_or_default();
            let said = format!("{}{}", run.stderr, run.stdout);
            match run.code {
                0 | 10 | 20 | 30 => applied += 1,
                2 if said.contains(flag) => refused += 1,
                // An empty file is no map, no stimulus, no witness; a command may be for other models altogether.
                2 | 3 if said.contains("error: ") && !said.contains("panicked") => refused += 1,
                _ => wrong.push(format!("{kind}: {command} {option}: {}", run.all())),
            }
            if said.contains("panicked at") {
                wrong.push(format!("{kind}: {command} {option} panics: {}", run.all()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} complaints\n{}", wrong.len(), wrong.join("\n"));
    println!("{applied} applied, {refused} refused");
    assert!(applied > 300 && refused > 100, "{applied} applied, {refused} refused");
}

/// An option that does not apply is refused with the reason.
#[test]
fn reasons_are_given() {
    let refused: [(&str, &[&str], &str); 9] = [
        (
            "tests/golden/cubicle/exclusion.cub",
            &["--core"],
            "--core does not apply: it is not there for models with maps",
        ),
        (
            "tests/golden/cubicle/exclusion.cub",
            &["--engine", "ic3"],
            "--engine ic3 does not run on a model with maps",
        ),
        ("tests/golden/cubicle/exclusion.cub", &["--jobs", "2"], "--jobs does not apply"),
        (
            "tests/golden/cubicle/exclusion.cub",
            &["--lemmas", "x"],
            "--lemmas does not apply: models with maps take",
        ),
        ("tests/golden/cubicle/exclusion.cub", &["--witness", "x"], "--witness does not apply"),
        (
            "examples/lustre/filter.lus",
            &["--engine", "reach"],
            "--engine reach does not run on a model with integers",
        ),
        (
            "examples/link.btor2",
            &["--certificate", "x"],
            "--certificate does not apply: certificates are circuits",
        ),
        ("examples/link.btor2", &["--xml", "jkind"], "--xml does not apply: it is for Lustre models"),
        (
            "examples/fifo.aag",
            &["--predicates", "auto"],
            "--predicates does not apply: it is for models with maps",
        ),
    ];
    for (model, options, why) in refused {
        let model: PathBuf = root().join(model);
        let run = Run::of(buttress(&root()).arg("check").args(options).arg(model));
        assert!(run.code == 2 && run.stderr.contains(why), "{options:?}: {}", run.all());
    }
}
