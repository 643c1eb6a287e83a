//! The command line: flags in, reports out. Flags end at the door: what they say becomes a
//! [`driver::Task`] before anything runs.

mod args;
mod check;
mod convert;
mod cores;
pub mod driver;
mod exit;
mod indexed;
mod info;
mod invariants;
mod lemma_file;
mod limits;
mod lustre;
mod model;
mod prove;
mod report;
mod simulate;
mod solvers;
mod term_file;
pub mod theory;
mod verify;

use std::process::ExitCode;

use clap::Parser;

/// Parses the command line and does what it says.
pub fn main() -> ExitCode {
    end_with_the_pipe();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { exit::USAGE.into() } else { exit::PROVED.into() };
        }
    };
    match args.command {
        args::Command::Check(args) => check::check(args),
        args::Command::Solvers => solvers::list(),
        args::Command::Prove(args) => prove::prove(&args),
        args::Command::Core(args) => cores::core(&args),
        args::Command::Dead(args) => cores::dead(&args),
        args::Command::Conflict(args) => cores::conflict(&args),
        args::Command::Invariants(args) => invariants::invariants(args),
        args::Command::Verify(args) => verify::verify(&args),
        args::Command::Simulate(args) => simulate::simulate(&args),
        args::Command::Convert(args) => convert::convert(&args),
        args::Command::Info(args) => info::info(&args),
        args::Command::Bench(args) => buttress_bench::bench(&args),
    }
}

/// Whoever closes the pipe has read enough: the program ends without a word, with the code of one that SIGPIPE killed.
fn end_with_the_pipe() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        if message.is_some_and(|m| m.starts_with("failed printing to stdout: Broken pipe")) {
            std::process::exit(exit::PIPE.into());
        }
        report(panic);
    }));
}
