//! Checkers of AIGER circuits, as SymbiYosys calls them.
//!
//! All of them print the progress as lines `u<k>`, no violation in the first k states, and then `0` (it holds),
//! `2` (nobody knows) or the AIGER witness, which begins with `1`. Those that only search up to a depth say `2`
//! where they found nothing. Of a file with several properties the first that is violated is told.

use buttress_driver::report::{Finding, Outcome};
use buttress_driver::{Answers, Detail, Format, Problem, Refused, Report, files};

use super::call::{Call, Wrong};
use super::{StandIn, Task};
use crate::check::voice::Voice;
use crate::command::exit_code;
use crate::{exit, out};

pub const SUPROVE: StandIn =
    StandIn { name: "suprove", options: &[], read: |call| prove(&strategies(call)), usage: exit::FAULT };

pub const AVY: StandIn = StandIn { name: "avy", options: &[("--cex", 1)], read: avy, usage: exit::FAULT };

pub const RIC3: StandIn = StandIn {
    name: "rIC3",
    options: &[("--witness", 0), ("-e", 1), ("--engine", 1), ("--bmc-max-k", 1), ("-v", 1), ("--step", 1)],
    read: ric3,
    usage: exit::FAULT,
};

pub const AIGBMC: StandIn =
    StandIn { name: "aigbmc", options: &[("-m", 0), ("-n", 0), ("-q", 0)], read: aigbmc, usage: exit::FAULT };

/// Words such as `+simple_liveness` name strategies of the other tool.
fn strategies(call: &Call) -> Vec<String> {
    call.files.iter().filter(|word| !word.starts_with('+')).cloned().collect()
}

fn prove(models: &[String]) -> Result<Task, Wrong> {
    let [model] = models else { return Err(Wrong("one AIGER file is wanted".into())) };
    Ok(Task::new(vec!["--stop-at-first".into(), model.clone()], Circuits::new(&[exit::PROVED; 3])))
}

/// The counterexample goes to standard output.
fn avy(call: &Call) -> Result<Task, Wrong> {
    call.only("--cex", &["-"])?;
    prove(&call.files)
}

fn ric3(call: &Call) -> Result<Task, Wrong> {
    let engine = call.value("-e").or(call.value("--engine"));
    let codes = &[20, exit::FALSIFIED, exit::UNDECIDED];
    let mut check = vec!["--stop-at-first".to_string(), call.file()?];
    match engine {
        Some("bmc") => {
            let bound = call.number("--bmc-max-k")?;
            return searched(call.file()?, bound, codes);
        }
        Some("ic3") => check.extend(["--engine".into(), "ic3".into()]),
        Some("kind") => check.extend(["--engine".into(), "kind".into()]),
        Some("portfolio") | None => {}
        Some(other) => return Err(Wrong(format!("-e {other} is not there, only bmc, ic3, kind, portfolio"))),
    }
    Ok(Task::new(check, Circuits::new(codes)))
}

fn aigbmc(call: &Call) -> Result<Task, Wrong> {
    let codes = &[exit::PROVED; 3];
    match &call.files[..] {
        [model] => searched(model.clone(), None, codes),
        [depth, model] => {
            let depth = depth.parse().map_err(|_| Wrong(format!("{depth}: a depth is wanted")))?;
            searched(model.clone(), Some(depth), codes)
        }
        _ => Err(Wrong("a depth and an AIGER file are wanted".into())),
    }
}

/// BMC up to a step.
fn searched(model: String, last_step: Option<u64>, codes: &'static [u8; 3]) -> Result<Task, Wrong> {
    let mut check = vec!["--engine".to_string(), "bmc".into(), "--stop-at-first".into(), model];
    check.extend(last_step.iter().flat_map(|step| ["--bound".to_string(), (step + 1).to_string()]));
    Ok(Task::new(check, Circuits { proves: false, ..Circuits::new(codes) }))
}

struct Circuits {
    /// Whether `0` may be said.
    proves: bool,
    /// The exit codes for `0`, `1` and `2`.
    codes: &'static [u8; 3],
    /// States of the executions that are known to violate nothing.
    told: usize,
    violated: bool,
}

impl Circuits {
    fn new(codes: &'static [u8; 3]) -> Circuits {
        Circuits { proves: true, codes, told: 0, violated: false }
    }

    fn say(&self, status: usize) -> u8 {
        if status != 1 {
            out::line(&status.to_string());
        }
        self.codes[status]
    }
}

impl Voice for Circuits {
    fn detail(&self) -> Detail {
        Detail::Verdicts
    }

    fn accept(&mut self, problem: &Problem) -> Result<(), Refused> {
        match problem.format {
            Format::AigerAscii | Format::AigerBinary => Ok(()),
            other => {
                Err(format!("{}: error: an AIGER file is wanted, not {}", problem.path, other.name()).into())
            }
        }
    }

    fn tick(&mut self, answers: &Answers) {
        let common = answers.open_bounds().map(|(_, step)| step.map_or(0, |step| step + 1)).min();
        if let Some(states) = common.filter(|&states| states > self.told && !self.violated) {
            self.told = states;
            out::line(&format!("u{states}"));
        }
    }

    fn settled(&mut self, answers: &Answers, findings: &[(usize, Finding)]) {
        let failed = findings.iter().find(|(_, f)| matches!(f.outcome, Outcome::Falsified(_)));
        if let (Some((_, finding)), false) = (failed, self.violated) {
            self.violated = true;
            out::print(&witness(answers, finding));
        }
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        match report.exit_code {
            _ if self.violated => self.say(1),
            exit::PROVED if self.proves => self.say(0),
            exit::FAULT => exit::FAULT,
            _ => self.say(2),
        }
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        out::note(&refused.message);
        exit_code(refused)
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        out::note(why);
        self.say(2)
    }
}

/// The trace of a finding as a witness in the format of the model.
pub fn witness(answers: &Answers, finding: &Finding) -> String {
    let problem = answers.problem();
    let accepted = answers.accepted().find(|(claim, _)| problem.claim(*claim).position == finding.position);
    let (_, accepted) = accepted.expect("what is violated has evidence");
    let mut text = Vec::new();
    files::write_witness(problem, accepted, &mut text).expect("a witness of the model's own properties");
    String::from_utf8(text).expect("witnesses are text")
}
