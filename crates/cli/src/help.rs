//! `buttress help`, `man` and `completions`: what is known of the program, from its flags and its book. The chapters
//! of the book are in the program.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use buttress_driver::Refused;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::args::{Args, HelpArgs};
use crate::command::refuse;
use crate::{exit, out};

/// Chapters by name.
const TOPICS: &[(&str, &str)] = &[
    ("getting-started", include_str!("../../../docs/book/getting-started.md")),
    ("first-proof", include_str!("../../../docs/book/first-proof.md")),
    ("answers", include_str!("../../../docs/book/answers.md")),
    ("engines", include_str!("../../../docs/book/engines.md")),
    ("aiger", include_str!("../../../docs/book/aiger.md")),
    ("btor2", include_str!("../../../docs/book/btor2.md")),
    ("lustre", include_str!("../../../docs/book/lustre.md")),
    ("moxi", include_str!("../../../docs/book/moxi.md")),
    ("smt", include_str!("../../../docs/book/smt.md")),
    ("indexed", include_str!("../../../docs/book/indexed.md")),
    ("cubicle", include_str!("../../../docs/book/cubicle.md")),
    ("liveness", include_str!("../../../docs/book/liveness.md")),
    ("evidence", include_str!("../../../docs/book/evidence.md")),
    ("limits", include_str!("../../../docs/book/limits.md")),
    ("together", include_str!("../../../docs/book/together.md")),
    ("batch", include_str!("../../../docs/book/batch.md")),
    ("invariants", include_str!("../../../docs/book/invariants.md")),
    ("prove", include_str!("../../../docs/book/prove.md")),
    ("explain", include_str!("../../../docs/book/explain.md")),
    ("cores", include_str!("../../../docs/book/cores.md")),
    ("simulate", include_str!("../../../docs/book/simulate.md")),
    ("bench", include_str!("../../../docs/book/bench.md")),
    ("report", include_str!("../../../docs/book/report.md")),
    ("json", include_str!("../../../docs/book/json.md")),
    ("callers", include_str!("../../../docs/book/callers.md")),
    ("coming-from", include_str!("../../../docs/book/coming-from.md")),
];

/// A command is told by its flags, and by the chapter of its name; a topic by its chapter.
pub fn help(args: &HelpArgs) -> ExitCode {
    let mut program = Args::command();
    program.build();
    let Some(wanted) = &args.topic else {
        out::print(&format!(
            "{}\n\nTopics, for `buttress help TOPIC`: {}\n",
            program.render_help(),
            topics()
        ));
        return exit::PROVED.into();
    };
    let command = program.find_subcommand_mut(wanted).map(|command| command.render_long_help().to_string());
    let chapter = TOPICS.iter().find(|(name, _)| name == wanted).map(|(_, text)| text.to_string());
    let parts: Vec<String> = command.into_iter().chain(chapter).collect();
    if parts.is_empty() {
        return refuse(&unknown(wanted, &program), false).into();
    }
    out::print(&parts.join("\n"));
    exit::PROVED.into()
}

fn topics() -> String {
    TOPICS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn unknown(wanted: &str, program: &Command) -> Refused {
    let commands = program.get_subcommands().map(Command::get_name);
    let names: Vec<&str> = commands.chain(TOPICS.iter().map(|(name, _)| *name)).collect();
    let mut message = format!("error: there is no command or topic '{wanted}'");
    let distance = |name: &&&str| strsim::damerau_levenshtein(name, wanted);
    if let Some(near) = names.iter().min_by_key(distance).filter(|name| distance(name) <= MISTYPED) {
        let _ = write!(message, "; did you mean '{near}'?");
    }
    let _ = write!(message, "\ntopics: {}", topics());
    Refused::usage(message)
}

/// Letters that a name that is meant may differ in.
const MISTYPED: usize = 2;

/// A page for the program and one for each command.
pub fn man(directory: &Path) -> ExitCode {
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Args::command().disable_help_subcommand(true), directory));
    match written {
        Ok(()) => exit::PROVED.into(),
        Err(error) => {
            let message = format!("error: {}: {error}", directory.display());
            refuse(&Refused::fault(message), false).into()
        }
    }
}

pub fn completions(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "buttress", &mut script);
    out::print(&String::from_utf8_lossy(&script));
    exit::PROVED.into()
}
