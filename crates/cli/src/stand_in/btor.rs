//! Bounded checkers of BTOR2, as SymbiYosys calls them.
//!
//! `btorsim` plays a witness of theirs and writes its waveform. `btormc` says how many properties there are, how
//! far it is, and each witness; SymbiYosys reads `deleting model checker:` as: there are no more. `pono` says
//! `sat` with the witness, or `unknown`, and has an exit code for each.

use buttress_driver::report::{Finding, Outcome};
use buttress_driver::{Answers, Detail, Format, Problem, Refused, Report};

use super::call::{Call, Wrong};
use super::circuits::witness;
use super::{StandIn, Task};
use crate::check::voice::Voice;
use crate::command::exit_code;
use crate::{exit, out};

pub const BTORMC: StandIn = StandIn {
    name: "btormc",
    options: &[("--stop-first", 1), ("-v", 1), ("-kmax", 1), ("-kmin", 1)],
    read: btormc,
    usage: exit::FAULT,
};

pub const PONO: StandIn = StandIn {
    name: "pono",
    options: &[("--witness", 0), ("-v", 1), ("-e", 1), ("-k", 1), ("-p", 1)],
    read: pono,
    usage: PONO_ERROR,
};

/// Plays a witness.
pub const BTORSIM: StandIn = StandIn {
    name: "btorsim",
    options: &[("-c", 0), ("--vcd", 1), ("--hierarchical-symbols", 0), ("--info", 1)],
    read: btorsim,
    usage: exit::FAULT,
};

fn btorsim(call: &Call) -> Result<Task, Wrong> {
    let [model, witness] = &call.files[..] else {
        return Err(Wrong("a BTOR2 file and a witness are wanted".into()));
    };
    let mut words = vec![model.clone(), "--stimulus".into(), witness.clone()];
    // The names in the model have their modules before them: the waveform has them as scopes.
    words.extend(call.value("--vcd").iter().flat_map(|path| ["--vcd".to_string(), path.to_string()]));
    Ok(Task::Simulate(words))
}

/// Pono's exit codes.
const PONO_FALSE: u8 = 0;
const PONO_TRUE: u8 = 1;
const PONO_ERROR: u8 = 2;
const PONO_UNKNOWN: u8 = 255;

fn btormc(call: &Call) -> Result<Task, Wrong> {
    // Steps that are left out would have to be searched all the same: what is found in them is a violation.
    call.only("-kmin", &["0"])?;
    call.only("--stop-first", &["0", "1"])?;
    let last = call.number("-kmax")?.unwrap_or(BTORMC_KMAX);
    let (mut check, first) = (bounded(call.file()?, last), call.value("--stop-first") != Some("0"));
    if first {
        check.push("--stop-at-first".into());
    }
    Ok(Task::new(check, Btormc { last, first, begun: false, told: None }))
}

/// How far `btormc` goes where nobody says it.
const BTORMC_KMAX: u64 = 20;

fn pono(call: &Call) -> Result<Task, Wrong> {
    let last = call.number("-k")?.unwrap_or(PONO_K);
    let mut check = match call.value("-e") {
        Some("bmc") | None => bounded(call.file()?, last),
        Some("ind") => {
            vec![call.file()?, "--engine".into(), "kind".into(), "--bound".into(), (last + 1).to_string()]
        }
        Some(other) => return Err(Wrong(format!("-e {other} is not there, only bmc, ind"))),
    };
    let proves = call.value("-e") == Some("ind");
    if let Some(property) = call.value("-p") {
        check.extend(["--property".to_string(), property.to_string()]);
    }
    check.push("--stop-at-first".into());
    Ok(Task::new(check, Pono { proves, violated: false }))
}

/// How far Pono goes where nobody says it.
const PONO_K: u64 = 10;

fn bounded(model: String, last: u64) -> Vec<String> {
    let bound = (last + 1).to_string();
    vec![model, "--engine".into(), "bmc".into(), "--bound".into(), bound]
}

fn wants_btor2(problem: &Problem) -> Result<(), Refused> {
    match problem.format {
        Format::Btor2 => Ok(()),
        other => Err(format!("{}: error: a BTOR2 file is wanted, not {}", problem.path, other.name()).into()),
    }
}

struct Btormc {
    /// The last step that is looked at.
    last: u64,
    /// Whether one violation is enough.
    first: bool,
    begun: bool,
    /// The step that was told of last.
    told: Option<usize>,
}

impl Btormc {
    fn begin(&mut self, answers: &Answers) {
        if !std::mem::replace(&mut self.begun, true) {
            let (count, last) = (answers.asked(), self.last);
            out::line(&format!(
                "[btor>mc] calling BMC on {count} properties from bound 0 up-to bound {last}"
            ));
        }
    }

    fn is_complete(&self, finding: &Finding) -> bool {
        match &finding.outcome {
            Outcome::Undecided(open) => {
                open.no_violation_up_to_step.is_some_and(|step| step as u64 >= self.last)
            }
            Outcome::Error { .. } => false,
            _ => true,
        }
    }
}

impl Voice for Btormc {
    fn detail(&self) -> Detail {
        Detail::Verdicts
    }

    fn accept(&mut self, problem: &Problem) -> Result<(), Refused> {
        wants_btor2(problem)
    }

    fn tick(&mut self, answers: &Answers) {
        self.begin(answers);
        let common = answers.open_bounds().map(|(_, step)| step).min().flatten();
        if common > self.told {
            self.told = common;
            let step = common.unwrap_or_default();
            out::line(&format!("[btor>mc] no bad state property satisfied at bound k = {step}"));
        }
    }

    fn settled(&mut self, answers: &Answers, findings: &[(usize, Finding)]) {
        self.begin(answers);
        for (_, finding) in findings {
            if let Outcome::Falsified(violated) = &finding.outcome {
                out::line(&format!("[btor>mc] bad state property satisfied at bound k = {}", violated.step));
                out::print(&witness(answers, finding));
            }
        }
    }

    fn conclude(&mut self, answers: &Answers, report: &Report) -> u8 {
        self.begin(answers);
        let enough = self.first && report.exit_code == exit::FALSIFIED;
        if enough || report.properties.iter().all(|finding| self.is_complete(finding)) {
            out::line("[btor>mc] deleting model checker:");
            return exit::PROVED;
        }
        exit::FAULT
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        out::note(&refused.message);
        exit_code(refused)
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        out::note(why);
        exit::FAULT
    }
}

struct Pono {
    /// Whether `unsat` may be said.
    proves: bool,
    violated: bool,
}

impl Voice for Pono {
    fn detail(&self) -> Detail {
        Detail::Verdicts
    }

    fn accept(&mut self, problem: &Problem) -> Result<(), Refused> {
        wants_btor2(problem)
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
            _ if self.violated => PONO_FALSE,
            exit::PROVED if self.proves => {
                out::line("unsat");
                PONO_TRUE
            }
            exit::FAULT => PONO_ERROR,
            _ => {
                out::line("unknown");
                PONO_UNKNOWN
            }
        }
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        out::note(&refused.message);
        PONO_ERROR
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        out::note(why);
        out::line("unknown");
        PONO_UNKNOWN
    }
}
