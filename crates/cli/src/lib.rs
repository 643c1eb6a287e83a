//! The command line: flags in, answers printed, exit codes. Flags end at the door: what they say becomes a
//! [`Choice`](buttress_driver::Choice) before anything runs.

mod args;
mod batch;
mod check;
mod command;
mod convert;
mod cores;
mod exit;
mod formulas;
mod help;
mod info;
mod invariants;
mod options;
mod out;
mod passed_on;
mod plans;
mod prove;
mod sby;
mod sheet;
mod simulate;
mod solvers;
mod stand_in;
mod verify;

use std::process::ExitCode;

use check::Role;
use clap::Parser;

/// Parses the command line and does what it says; called by the name of another tool, what that would do.
pub fn main() -> ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let Some(stand_in) = words.first().and_then(stand_in::called) {
        stand_in.run(&words[1..]);
    }
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() { exit::USAGE } else { exit::PROVED };
            if let Err(error) = error.print() {
                out::fail(&error);
            }
            return code.into();
        }
    };
    match args.command {
        args::Command::Check(args) => check::check(args, Role::Reporter),
        args::Command::Worker(args) => check::check(args, Role::Worker),
        args::Command::Batch(args) => batch::batch(args),
        args::Command::Solvers => solvers::list(),
        args::Command::Plans(args) => plans::list(&args),
        args::Command::Prove(args) => prove::prove(args),
        args::Command::Core(args) => cores::core(args),
        args::Command::Dead(args) => cores::dead(args),
        args::Command::Conflict(args) => cores::conflict(args),
        args::Command::Invariants(args) => invariants::invariants(args),
        args::Command::Verify(args) => verify::verify(args),
        args::Command::Simulate(args) => simulate::simulate(args),
        args::Command::Convert(args) => convert::convert(args),
        args::Command::Info(args) => info::info(args),
        args::Command::Help(args) => help::help(&args),
        args::Command::Man(args) => help::man(&args.directory),
        args::Command::Completions(args) => help::completions(args.shell),
        args::Command::As(args) => args.name.run(&args.arguments),
        args::Command::Sby(args) => sby::sby(&args),
        args::Command::Bench(args) => buttress_bench::bench(&args),
    }
}
