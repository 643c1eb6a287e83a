//! In whose words a run is told, while it goes on and at its end. [`usual`] gives those that the flags of `check`
//! ask for; what answers in the place of another tool has its own (`stand_in`).

use std::time::{Duration, Instant};

use buttress_driver::report::Finding;
use buttress_driver::{Answers, Detail, Problem, Refused, Report};
use buttress_report::text::Text;
use buttress_report::{github, json, xml};

use crate::args::{CheckArgs, Xml};
use crate::command::refuse;
use crate::{exit, out};

/// Who is told of a run, and tells others.
pub trait Voice {
    /// How much of the evidence is told.
    fn detail(&self) -> Detail;

    /// Refuses a model that there are no words for.
    fn accept(&mut self, _problem: &Problem) -> Result<(), Refused> {
        Ok(())
    }

    /// Findings that cannot change any more, each with its place in the report.
    fn settled(&mut self, _answers: &Answers, _findings: &[(usize, Finding)]) {}

    /// Some time has passed, and the run goes on.
    fn tick(&mut self, _answers: &Answers) {}

    /// The run is over. Gives the exit code.
    fn conclude(&mut self, answers: &Answers, report: &Report) -> u8;

    /// There is no report, and this is why. Gives the exit code.
    fn refuse(&mut self, refused: &Refused) -> u8;

    /// A limit ended the run while the model was read. Gives the exit code.
    fn cut_short(&mut self, why: &str) -> u8;

    /// Whether files that were written are told of on standard output.
    fn tells_of_files(&self) -> bool {
        false
    }
}

pub fn usual(args: &CheckArgs) -> Box<dyn Voice> {
    match args.xml {
        _ if args.hwmcc => Box::new(Word),
        _ if args.json => Box::new(Object),
        _ if args.json_lines => Box::new(Lines { times: !args.deterministic, told: None }),
        Some(style) => Box::new(Document(style)),
        None => Box::new(Words {
            text: Text::new(args.verbose, args.all_signals),
            at_once: !args.explain,
            annotations: args.github,
            detail: if args.verbose { Detail::Everything } else { Detail::Verdicts },
        }),
    }
}

/// For people: each verdict as it comes, the rest at the end.
struct Words {
    text: Text,
    at_once: bool,
    /// Whether what does not hold is said for GitHub Actions, too.
    annotations: bool,
    detail: Detail,
}

impl Voice for Words {
    fn detail(&self) -> Detail {
        self.detail
    }

    fn settled(&mut self, answers: &Answers, findings: &[(usize, Finding)]) {
        if self.at_once && answers.asked() > 1 {
            out::print(&self.text.settled(findings, &|| answers.report(Detail::Verdicts)));
        }
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        out::print(&self.text.rest(report));
        if self.annotations {
            out::print(&github::lines(report));
        }
        report.exit_code
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        refuse(refused, false)
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        out::line(why);
        exit::UNDECIDED
    }

    fn tells_of_files(&self) -> bool {
        true
    }
}

/// The report as one object.
struct Object;

impl Voice for Object {
    fn detail(&self) -> Detail {
        Detail::Everything
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        out::print(&json::text(report));
        report.exit_code
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        refuse(refused, true)
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        refuse(&Refused::undecided(why), true)
    }
}

/// Objects, one a line.
struct Lines {
    /// Whether it is told how far the engines are, which no two runs do alike.
    times: bool,
    /// When that was told last.
    told: Option<Instant>,
}

/// How often it is told how far the engines are.
const PAUSE: Duration = Duration::from_millis(500);

impl Voice for Lines {
    fn detail(&self) -> Detail {
        Detail::Everything
    }

    fn settled(&mut self, _: &Answers, findings: &[(usize, Finding)]) {
        findings.iter().for_each(|(_, finding)| out::print(&json::line(json::Kind::Property, finding)));
    }

    fn tick(&mut self, answers: &Answers) {
        if self.times && self.told.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.told = Some(Instant::now());
            let (open, engines) = answers.progress();
            let bounds = answers.open_bounds().map(|(_, step)| step).min().flatten();
            let object = serde_json::json!({
                "open": open, "no_violation_up_to_step": bounds, "engines": engines,
            });
            out::print(&json::line(json::Kind::Progress, &object));
        }
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        out::print(&json::line(json::Kind::Check, report));
        report.exit_code
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        let code = refuse(refused, false);
        out::print(&json::line(json::Kind::Error, &json::error(&refused.message, code)));
        code
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        self.refuse(&Refused::undecided(why))
    }
}

/// The report as XML.
struct Document(Xml);

impl Voice for Document {
    fn detail(&self) -> Detail {
        Detail::Everything
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        out::print(&match self.0 {
            Xml::Jkind => xml::jkind(report),
            Xml::Kind2 => xml::kind2(report),
        });
        report.exit_code
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        refuse(refused, false)
    }

    fn cut_short(&mut self, why: &str) -> u8 {
        out::line(why);
        exit::UNDECIDED
    }
}

/// One word, as the competition for hardware wants it.
struct Word;

impl Voice for Word {
    fn detail(&self) -> Detail {
        Detail::Verdicts
    }

    fn conclude(&mut self, _: &Answers, report: &Report) -> u8 {
        let (word, code) = match report.exit_code {
            exit::FALSIFIED => ("sat", exit::HWMCC_SAT),
            exit::PROVED => ("unsat", exit::HWMCC_UNSAT),
            exit::UNDECIDED => ("unknown", exit::HWMCC_UNKNOWN),
            code => ("unknown", code),
        };
        out::line(word);
        code
    }

    fn refuse(&mut self, refused: &Refused) -> u8 {
        refuse(refused, false)
    }

    fn cut_short(&mut self, _: &str) -> u8 {
        out::line("unknown");
        exit::HWMCC_UNKNOWN
    }
}
