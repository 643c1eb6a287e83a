//! The options of `check` that `batch` takes, too, and hands to each of its jobs.
//!
//! They are those of [`CheckArgs`], read by the same parsers, so that what is wrong is refused before anything
//! runs. Options that make no sense for many models are read as well, not shown, and refused by name.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, CommandFactory, Error, FromArgMatches};

use crate::args::CheckArgs;

/// Options of `check` in a form that `check` reads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PassedOn {
    /// What runs: each option and its value are one word.
    pub words: Vec<String>,
    /// These depend on the machine, and are not for others.
    pub cores: Option<u16>,
    pub state: Option<PathBuf>,
}

/// What `batch` has itself, with a meaning of its own.
const OWN: [&str; 7] = ["file", "timeout", "memory", "jobs", "board", "json", "help"];

const ONE_FILE: &str = "all jobs would have the same file";
const NOT_KEPT: &str = "rows hold verdicts only: `check` on one model shows it";

/// What does not go with many models, and why.
const REFUSED: [(&str, &str); 23] = [
    ("names", "it names the signals of one model"),
    ("lemmas", "lemmas are about one model; --state keeps those of each"),
    ("save_lemmas", ONE_FILE),
    ("witness", ONE_FILE),
    ("certificate", ONE_FILE),
    ("vcd", ONE_FILE),
    ("fst", ONE_FILE),
    ("report", ONE_FILE),
    ("junit", ONE_FILE),
    ("sarif", ONE_FILE),
    ("statistics", ONE_FILE),
    ("smt_log", "jobs would overwrite each other's dialogues"),
    ("core", NOT_KEPT),
    ("explain", NOT_KEPT),
    ("show_cti", NOT_KEPT),
    ("verbose", NOT_KEPT),
    ("radix", NOT_KEPT),
    ("smooth", NOT_KEPT),
    ("dont_care", NOT_KEPT),
    ("xml", "results are JSON lines"),
    ("json_lines", "results are JSON lines"),
    ("github", "results are JSON lines"),
    ("hwmcc", "results are JSON lines"),
];

fn refusal(id: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(refused, _)| *refused == id).map(|(_, why)| *why)
}

/// All options of `check` but those that `batch` has itself.
fn options() -> Vec<Arg> {
    let check = CheckArgs::augment_args(Command::new("check"));
    let passed = check.get_arguments().filter(|arg| !OWN.contains(&arg.get_id().as_str()));
    let shown = |(order, arg): (usize, &Arg)| {
        let hidden = refusal(arg.get_id().as_str()).is_some();
        arg.clone().hide(hidden).display_order(order).help_heading("Options of check, for every job")
    };
    passed.enumerate().map(shown).collect()
}

impl Args for PassedOn {
    fn augment_args(command: Command) -> Command {
        command.args(options())
    }

    fn augment_args_for_update(command: Command) -> Command {
        PassedOn::augment_args(command)
    }
}

impl FromArgMatches for PassedOn {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PassedOn, Error> {
        let mut passed = PassedOn::default();
        passed.update_from_arg_matches(matches)?;
        Ok(passed)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let given = |arg: &Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        for arg in options().iter().filter(|arg| given(arg)) {
            self.add(arg, matches)?;
        }
        Ok(())
    }
}

impl PassedOn {
    fn add(&mut self, arg: &Arg, matches: &ArgMatches) -> Result<(), Error> {
        let (id, flag) = (arg.get_id().as_str(), arg.get_long().unwrap_or_default());
        if let Some(why) = refusal(id) {
            let message = format!("--{flag} does not apply to a batch: {why}\n");
            return Err(Error::raw(ErrorKind::ArgumentConflict, message));
        }
        match id {
            "cores" => self.cores = matches.get_one::<u16>(id).copied(),
            "state" => self.state = matches.get_one::<PathBuf>(id).cloned(),
            _ if matches!(arg.get_action(), ArgAction::SetTrue) => self.words.push(format!("--{flag}")),
            _ => self.words.extend(values(matches, id)?.map(|value| format!("--{flag}={value}"))),
        }
        Ok(())
    }

    /// The same words, read again as options of a batch; an error where any of them is something else.
    pub fn check_words(words: &[String]) -> Result<(), String> {
        let command = [String::from("buttress"), "batch".into(), "--".into(), "model".into()];
        let (before, after) = command.split_at(2);
        let line = before.iter().chain(words).chain(after);
        let matches = crate::args::Args::command().try_get_matches_from(line);
        let read = matches.and_then(|matches| {
            let (_, batch) = matches.subcommand().expect("a command was given");
            PassedOn::from_arg_matches(batch)
        });
        match read {
            Ok(passed) if passed.words == words => Ok(()),
            Ok(_) => Err(format!("error: a job may not ask for `{}`", words.join(" "))),
            Err(error) => Err(format!("error: a job asks for what is refused here: {error}")),
        }
    }
}

/// The values of an option, as they were written.
fn values<'a>(matches: &'a ArgMatches, id: &str) -> Result<impl Iterator<Item = &'a str>, Error> {
    let raw: Vec<&std::ffi::OsStr> = matches.get_raw(id).into_iter().flatten().collect();
    let text: Option<Vec<&str>> = raw.into_iter().map(std::ffi::OsStr::to_str).collect();
    let message = "the value of an option is no text\n";
    text.map(Vec::into_iter).ok_or_else(|| Error::raw(ErrorKind::InvalidUtf8, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(words: &[&str]) -> Result<(), String> {
        PassedOn::check_words(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn a_job_brings_only_what_is_passed_on() {
        assert_eq!(checked(&[]), Ok(()));
        assert_eq!(checked(&["--engine=ic3", "--stop-at-first", "--seed=3"]), Ok(()));
        for words in [
            &["--witness=/tmp/x"][..],
            &["--board=redis://elsewhere"],
            &["--results=/tmp/x"],
            &["--state=/tmp/x"],
            &["--engine=ic3", "another.aag"],
            &["--engine", "ic3"],
            &["--take"],
            &["--no-such-option"],
        ] {
            assert!(checked(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn every_reason_is_about_an_option() {
        let check = CheckArgs::augment_args(Command::new("check"));
        let ids: Vec<&str> = check.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        assert!(REFUSED.iter().all(|(id, _)| ids.contains(id)));
    }
}
