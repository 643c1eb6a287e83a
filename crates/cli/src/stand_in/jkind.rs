//! JKind, as AGREE and the JKind API call it: `-jkind -xml … FILE` writes `FILE.xml`, which grows while the run
//! goes on. Each property is there as soon as it is decided, and how far it is known to hold before that.
//!
//! Exit codes are JKind's: 0 whatever the answers are, and for errors the negative ones of its `ExitCodes`.
//!
//! # Limits
//!
//! `-all_ivcs`, which `buttress core --all` does, and `-main`, for a node that is not the main one of the file,
//! are refused. Advice files are lemmas as `check --save-lemmas` writes them, of no use to JKind.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use buttress_driver::report::Finding;
use buttress_driver::{Answers, Detail, Format, Problem, Refused, Report, Why};

use super::call::{Call, Wrong};
use super::{StandIn, Task};
use buttress_report::xml;

use crate::check::voice::{self, Voice};
use crate::{exit, out};

pub const JKIND: StandIn = StandIn {
    name: "jkind",
    options: &[
        ("-jkind", 0),
        ("-xml", 0),
        ("-xml_to_stdout", 0),
        ("-timeout", 1),
        ("-n", 1),
        ("-no_bmc", 0),
        ("-no_k_induction", 0),
        ("-no_inv_gen", 0),
        ("-pdr_max", 1),
        ("-induct_cex", 0),
        ("-ivc", 0),
        ("-smooth", 0),
        ("-no_slicing", 0),
        ("-solver", 1),
        ("-read_advice", 1),
        ("-write_advice", 1),
        ("-main", 1),
    ],
    read,
    usage: INVALID_OPTIONS,
};

/// JKind's exit codes.
const INVALID_OPTIONS: u8 = 254;
const FILE_NOT_FOUND: u8 = 253;
const PARSE_ERROR: u8 = 251;
const UNCAUGHT_EXCEPTION: u8 = 248;

fn read(call: &Call) -> Result<Task, Wrong> {
    let file = call.file()?;
    let mut check = vec![file.clone()];
    let mut give = |option: &str, value: &str| check.extend([option.to_string(), value.to_string()]);
    call.value("-timeout").iter().for_each(|seconds| give("--timeout", seconds));
    call.value("-n").iter().for_each(|depth| give("--bound", depth));
    call.value("-write_advice").iter().for_each(|path| give("--save-lemmas", path));
    // The first of several calls has none yet.
    let advice = call.value("-read_advice").filter(|path| Path::new(path).exists());
    advice.iter().for_each(|path| give("--lemmas", path));
    let engines = engines(call)?;
    engines.iter().flatten().for_each(|engine| give("--engine", engine));
    if call.has("-induct_cex") && engines.is_none_or(|engines| engines.contains(&"kind")) {
        check.push("--show-cti".into());
    }
    for (option, ours) in [("-ivc", "--core"), ("-smooth", "--smooth")] {
        if call.has(option) {
            check.push(ours.into());
        }
    }
    let main = call.value("-main").map(str::to_string);
    let voice: super::MakeVoice = match (call.has("-xml"), call.has("-xml_to_stdout")) {
        (true, _) => {
            let path = PathBuf::from(format!("{file}.xml"));
            Box::new(move |_| Box::new(Growing::new(To::File(path), main)))
        }
        (_, true) => Box::new(move |_| Box::new(Growing::new(To::Output, main))),
        _ => Box::new(voice::usual),
    };
    Ok(Task::Check(check, voice))
}

/// Those that are left where some are switched off; `None` for the usual ones.
fn engines(call: &Call) -> Result<Option<Vec<&'static str>>, Wrong> {
    let without = [
        ("bmc", call.has("-no_bmc")),
        ("kind", call.has("-no_k_induction")),
        ("ic3", call.number("-pdr_max")? == Some(0)),
    ];
    if without.iter().all(|(_, off)| !off) {
        return Ok(None);
    }
    let left: Vec<&str> = without.iter().filter(|(_, off)| !off).map(|(engine, _)| *engine).collect();
    if left.is_empty() { Err(Wrong("all proving engines disabled".into())) } else { Ok(Some(left)) }
}

/// The XML, piece by piece.
struct Growing {
    to: To,
    main: Option<String>,
    /// The names of the open properties with the states told of last.
    told: Vec<(String, usize)>,
    /// The positions of the properties that are in the file.
    decided: Vec<String>,
}

enum To {
    /// To be begun.
    File(PathBuf),
    Begun(File),
    Output,
}

impl Growing {
    fn new(to: To, main: Option<String>) -> Growing {
        Growing { to, main, told: Vec::new(), decided: Vec::new() }
    }

    /// Whoever reads along sees each piece whole.
    fn write(&mut self, text: &str) -> std::io::Result<()> {
        if let To::File(path) = &self.to {
            self.to = To::Begun(File::create(path)?);
        }
        match &mut self.to {
            To::Begun(file) => file.write_all(text.as_bytes()),
            _ => {
                out::print(text);
                Ok(())
            }
        }
    }

    fn tell(&mut self, text: &str) {
        if let Err(error) = self.write(text) {
            out::note(&format!("error: the XML file cannot be written: {error}"));
            std::process::exit(UNCAUGHT_EXCEPTION.into());
        }
    }

    fn code(refused: &Refused) -> u8 {
        match refused.why {
            Why::Usage => INVALID_OPTIONS,
            Why::Input if refused.message.contains("No such file") => FILE_NOT_FOUND,
            Why::Input => PARSE_ERROR,
            Why::Undecided | Why::Fault => UNCAUGHT_EXCEPTION,
        }
    }
}

impl Voice for Growing {
    fn detail(&self) -> Detail {
        Detail::Everything
    }

    fn accept(&mut self, problem: &Problem) -> Result<(), Refused> {
        lustre_with_main(problem, self.main.as_deref())?;
        self.tell(&xml::jkind_begin());
        Ok(())
    }

    fn settled(&mut self, _: &Answers, findings: &[(usize, Finding)]) {
        for (_, finding) in findings {
            self.decided.push(finding.position.clone());
            self.tell(&xml::jkind_finding(finding));
        }
    }

    fn tick(&mut self, answers: &Answers) {
        let open: Vec<(String, usize)> =
            answers.open_bounds().filter_map(|(name, step)| Some((name.to_string(), step? + 1))).collect();
        let news: Vec<&(String, usize)> = open.iter().filter(|row| !self.told.contains(row)).collect();
        let mut depths: Vec<usize> = news.iter().map(|(_, states)| *states).collect();
        depths.sort_unstable();
        depths.dedup();
        let of = |states: usize| news.iter().filter(move |row| row.1 == states).map(|row| &row.0[..]);
        let texts: Vec<String> = depths
            .into_iter()
            .map(|states| xml::jkind_progress(states, &of(states).collect::<Vec<_>>()))
            .collect();
        texts.iter().for_each(|text| self.tell(text));
        self.told = open;
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        let open = |finding: &&Finding| !self.decided.contains(&finding.position);
        let rest: String = report.properties.iter().filter(open).map(xml::jkind_finding).collect();
        self.tell(&format!("{rest}{}", xml::jkind_end()));
        if report.errors.is_empty() { exit::PROVED } else { UNCAUGHT_EXCEPTION }
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        out::note(&refused.message);
        Growing::code(refused)
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        out::note(why);
        UNCAUGHT_EXCEPTION
    }
}

/// Only Lustre is read, and only the main node that the file says is analysed.
pub fn lustre_with_main(problem: &Problem, wanted: Option<&str>) -> Result<(), Refused> {
    let path = &problem.path;
    let Some(source) = problem.source().filter(|_| problem.format == Format::Lustre) else {
        return Err(format!("{path}: error: a Lustre file is wanted, not {}", problem.format.name()).into());
    };
    let program = &source.model().program;
    let main = &program.unit(program.main).name.name;
    match wanted.filter(|wanted| **wanted != **main) {
        Some(wanted) => Err(Refused::usage(format!(
            "{path}: error: the main node is {main}, not {wanted}: --%MAIN in {wanted} says otherwise"
        ))),
        None => Ok(()),
    }
}
