//! Kind 2, as FRET and CoCoSim call it: `-json` prints an array of objects, `-xml` its XML, both at the end of the
//! run; without them, the report for people.
//!
//! Exit codes are those of Kind 2 since version 2.
//!
//! # Limits
//!
//! The main node is analysed with all that it calls, which answers for `--compositional true`, too, as the check
//! of a whole does. What is not there is refused: `--modular true` where there is more than one node,
//! realizability (`--enable CONTRACTCK`), a main node other than that of the file.

use buttress_driver::{Answers, Detail, Problem, Refused, Report, Why};

use super::call::{Call, Wrong};
use super::jkind::lustre_with_main;
use super::{StandIn, Task};
use buttress_report::{kind2, xml};

use crate::check::voice::{self, Voice};
use crate::{exit, out};

pub const KIND2: StandIn = StandIn {
    name: "kind2",
    options: &[
        ("-json", 0),
        ("-xml", 0),
        ("-v", 0),
        ("--timeout", 1),
        ("--timeout_wall", 1),
        ("--enable", 1),
        ("--disable", 1),
        ("--bmc_max", 1),
        ("--lus_main", 1),
        ("--modular", 1),
        ("--compositional", 1),
        ("--slice_nodes", 1),
        ("--check_subproperties", 1),
        ("--smt_solver", 1),
        ("--z3_bin", 1),
        ("--color", 1),
    ],
    read,
    usage: USAGE,
};

/// Kind 2's exit codes.
const USAGE: u8 = 2;
const PARSE_ERROR: u8 = 3;
const DISPROVED: u8 = 40;

/// Modules of Kind 2, and engines that do the same; those without one find invariants for the others.
const MODULES: &[(&str, Option<&str>)] = &[
    ("BMC", Some("bmc")),
    ("BMCSKIP", Some("bmc")),
    ("IND", Some("kind")),
    ("IND2", Some("kind")),
    ("IC3", Some("ic3")),
    ("IC3QE", Some("ic3")),
    ("IC3IA", Some("ic3")),
    ("INVGEN", None),
    ("INVGENOS", None),
    ("INVGENINT", None),
    ("INVGENINTOS", None),
    ("INVGENREAL", None),
    ("INVGENREALOS", None),
];

fn read(call: &Call) -> Result<Task, Wrong> {
    call.only("--compositional", &["true", "false"])?;
    call.only("--slice_nodes", &["true", "false"])?;
    call.only("--check_subproperties", &["true"])?;
    call.only("--modular", &["true", "false"])?;
    let mut check = vec![call.file()?];
    let mut give = |option: &str, value: &str| check.extend([option.to_string(), value.to_string()]);
    let timeout = call.value("--timeout").or(call.value("--timeout_wall")).filter(|seconds| *seconds != "0");
    timeout.iter().for_each(|seconds| give("--timeout", seconds));
    let bound = call.number("--bmc_max")?.filter(|&steps| steps > 0);
    bound.iter().for_each(|steps| give("--bound", &(steps + 1).to_string()));
    engines(call)?.iter().for_each(|engine| give("--engine", engine));
    let seconds = timeout.and_then(|seconds| seconds.parse().ok()).unwrap_or(0.0);
    let (main, modular) =
        (call.value("--lus_main").map(str::to_string), call.value("--modular") == Some("true"));
    let voice: super::MakeVoice = match (call.has("-json"), call.has("-xml")) {
        (true, _) => Box::new(move |_| Box::new(Kind2 { words: Words::Json(seconds), main, modular })),
        (_, true) => Box::new(move |_| Box::new(Kind2 { words: Words::Xml, main, modular })),
        _ => Box::new(voice::usual),
    };
    Ok(Task::Check(check, voice))
}

/// Those of the modules that are enabled, or that are left; none for the usual ones.
fn engines(call: &Call) -> Result<Vec<&'static str>, Wrong> {
    let known = |name: &str| {
        let row = MODULES.iter().find(|(module, _)| *module == name);
        row.map(|(_, engine)| *engine).ok_or_else(|| Wrong(format!("there is no module {name} here")))
    };
    let enabled = call.values("--enable").map(known).collect::<Result<Vec<_>, _>>()?;
    call.values("--disable").map(known).collect::<Result<Vec<_>, _>>()?;
    let off = |module: &str| call.values("--disable").any(|name| name == module);
    let mut engines: Vec<&str> = match (enabled.is_empty(), call.values("--disable").next().is_some()) {
        (true, false) => return Ok(Vec::new()),
        (true, true) => MODULES.iter().filter(|(module, _)| !off(module)).filter_map(|row| row.1).collect(),
        (false, _) => enabled.into_iter().flatten().collect(),
    };
    engines.sort_unstable();
    engines.dedup();
    if engines.is_empty() {
        Err(Wrong("no module is enabled that decides anything".into()))
    } else {
        Ok(engines)
    }
}

struct Kind2 {
    words: Words,
    main: Option<String>,
    /// Whether each node is to be analysed by itself.
    modular: bool,
}

enum Words {
    /// With the time limit, which is told.
    Json(f64),
    Xml,
}

impl Voice for Kind2 {
    fn detail(&self) -> Detail {
        Detail::Everything
    }

    fn accept(&mut self, problem: &Problem) -> Result<(), Refused> {
        lustre_with_main(problem, self.main.as_deref())?;
        let units = problem.source().map_or(0, |source| source.model().program.units.len());
        if self.modular && units > 1 {
            let why = "error: --modular true is not there for a file with several nodes";
            return Err(Refused::usage(format!("{}: {why}", problem.path)));
        }
        Ok(())
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        out::print(&match self.words {
            Words::Json(timeout) => kind2::text(report, timeout),
            Words::Xml => xml::kind2(report),
        });
        if report.exit_code == exit::FALSIFIED { DISPROVED } else { report.exit_code }
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        out::note(&refused.message);
        if let Words::Json(_) = self.words {
            out::print(&kind2::refusal(&refused.message));
        }
        match refused.why {
            Why::Usage => USAGE,
            Why::Input => PARSE_ERROR,
            Why::Undecided => exit::UNDECIDED,
            Why::Fault => exit::FAULT,
        }
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        self.refuse(&Refused::undecided(why))
    }
}
