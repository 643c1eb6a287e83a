//! In the place of other tools: called by one of their names, `buttress-NAME` or plain, or as `buttress as NAME`,
//! the program takes their command line and prints what they print, so that who calls them can call it.
//!
//! | name | for | called by |
//! |---|---|---|
//! | `suprove`, `avy`, `rIC3`, `aigbmc` | AIGER | SymbiYosys |
//! | `btormc`, `pono` | BTOR2 | SymbiYosys, chiseltest |
//! | `btorsim` | witnesses of BTOR2 | SymbiYosys, for waveforms |
//! | `jkind` | Lustre | AGREE, the JKind API |
//! | `kind2` | Lustre | FRET, CoCoSim |
//! | `hwmcc` | AIGER, BTOR2 | the scripts of the competition |
//!
//! A call is read into a command line of ours, of `check` with a [`Voice`]; everything between is as ever, so that
//! nothing is said that was not checked. An option that is not known is refused by name. Those that say how the
//! other tool is to search mean nothing here, and are accepted where its callers give them.

mod btor;
mod call;
mod circuits;
mod jkind;
mod kind2;

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

use crate::args::{Args, CheckArgs, Command};
use crate::check::voice::{self, Voice};
use crate::check::{Role, run_as};
use crate::{exit, out, simulate};
use call::{Options, Wrong};

/// A name that the program may be called by.
pub struct StandIn {
    pub name: &'static str,
    /// The options of the other tool that callers give, each with how many words follow it.
    options: Options,
    read: fn(&call::Call) -> Result<Task, Wrong>,
    /// The exit code for a command line that is wrong.
    usage: u8,
}

/// What a call of another tool is here.
enum Task {
    /// The arguments of `check`, and in whose words it is told.
    Check(Vec<String>, MakeVoice),
    /// The arguments of `simulate`.
    Simulate(Vec<String>),
}

type MakeVoice = Box<dyn FnOnce(&CheckArgs) -> Box<dyn Voice>>;

impl Task {
    fn new(check: Vec<String>, voice: impl Voice + 'static) -> Task {
        Task::Check(check, Box::new(|_| Box::new(voice)))
    }
}

pub const ALL: &[StandIn] = &[
    circuits::SUPROVE,
    circuits::AVY,
    circuits::RIC3,
    circuits::AIGBMC,
    btor::BTORMC,
    btor::PONO,
    btor::BTORSIM,
    jkind::JKIND,
    kind2::KIND2,
    StandIn { name: "hwmcc", options: &[], read: hwmcc, usage: exit::USAGE },
];

/// The place that the program was called to take, by its own name: `buttress-suprove`, `avy`.
pub fn called(program: &OsString) -> Option<&'static StandIn> {
    let name = Path::new(program).file_stem()?.to_str()?;
    named(name.strip_prefix("buttress-").unwrap_or(name))
}

pub fn named(name: &str) -> Option<&'static StandIn> {
    ALL.iter().find(|stand_in| stand_in.name == name)
}

impl StandIn {
    /// Does what the other tool would have been asked for.
    pub fn run(&self, arguments: &[OsString]) -> ! {
        let arguments: Vec<String> = arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect();
        if let Some(said) = self.about(&arguments) {
            out::line(&said);
            std::process::exit(exit::PROVED.into());
        }
        let read = call::Call::read(&arguments, self.options).and_then(|call| (self.read)(&call));
        let task = read.unwrap_or_else(|wrong| self.refuse(&wrong.to_string()));
        match task {
            Task::Check(words, voice) => {
                let Command::Check(args) = self.command("check", words) else { unreachable!("it is check") };
                let voice = voice(&args);
                run_as(args, Role::Reporter, voice)
            }
            Task::Simulate(words) => {
                let Command::Simulate(args) = self.command("simulate", words) else {
                    unreachable!("it is simulate")
                };
                simulate::simulate(args)
            }
        }
    }

    /// One of our own commands.
    fn command(&self, name: &str, words: Vec<String>) -> Command {
        let words = ["buttress", name].into_iter().map(String::from).chain(words);
        let args = Args::try_parse_from(words).unwrap_or_else(|error| self.refuse(&error.to_string()));
        args.command
    }

    /// The text of `--help` and `--version`, by which callers look whether a tool is there.
    fn about(&self, arguments: &[String]) -> Option<String> {
        let asked = |names: &[&str]| arguments.iter().any(|a| names.contains(&a.as_str()));
        let version = format!("{} by Buttress {}", self.name, env!("CARGO_PKG_VERSION"));
        match () {
            _ if asked(&["--version", "-version"]) => Some(version),
            _ if asked(&["--help", "-help", "-h"]) => {
                let options =
                    self.options.iter().map(|(name, words)| format!("  {name}{}", " …".repeat(*words)));
                Some(format!("{version}\n{}", options.collect::<Vec<_>>().join("\n")))
            }
            _ => None,
        }
    }

    fn refuse(&self, why: &str) -> ! {
        out::note(&format!("error: as {}: {why}", self.name));
        std::process::exit(self.usage.into())
    }
}

/// `TOOL bench cert.sat cert.unsat`: one word, and the witness or the certificate as a file.
fn hwmcc(call: &call::Call) -> Result<Task, Wrong> {
    let [bench, sat, unsat] = &call.files[..] else {
        return Err(Wrong("a model, a file for the witness and one for the certificate are wanted".into()));
    };
    let mut check = vec!["--hwmcc".to_string(), bench.clone(), "--witness".into(), sat.clone()];
    // Certificates are circuits about AIGER models.
    if !["btor", "btor2"].iter().any(|ending| Path::new(bench).extension().is_some_and(|e| e == *ending)) {
        check.extend(["--certificate".to_string(), unsat.clone()]);
    }
    Ok(Task::Check(check, Box::new(voice::usual)))
}
