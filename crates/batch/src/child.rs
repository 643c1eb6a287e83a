//! Runs one job: `buttress check --json` as a process of its own, in a group of its own.
//!
//! The limits of the job are those of `check`. Where it does not keep its own deadline, for a fault of its own, it
//! is killed [`GRACE`] later. A guard ends it where this process is killed.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use buttress_bench::Guard;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::Deserialize;

use crate::job::{Job, hash_of};
use crate::row::{Finding, Row};

/// How long after its deadline a process is killed.
const GRACE: Duration = Duration::from_secs(20);
/// How often is looked whether it has ended.
const TICK: Duration = Duration::from_millis(10);
/// Bytes of a report and of messages that are read.
const REPORT: u64 = 1 << 30;
const MESSAGES: u64 = 1 << 20;
/// Characters of messages that are kept.
const TAIL: usize = 2000;

/// Where jobs are run.
pub struct Bench {
    program: PathBuf,
    /// Who runs them.
    pub worker: String,
    /// Lanes of a job that does not say how many.
    cores: Option<u16>,
    /// A directory for what `check --state` keeps.
    state: Option<PathBuf>,
    guard: Guard,
}

/// What `check` prints, as far as it is kept.
#[derive(Default, Deserialize)]
struct Report {
    #[serde(default)]
    properties: Vec<Finding>,
    #[serde(default)]
    errors: Vec<String>,
}

/// How a process ended.
struct Ended {
    status: ExitStatus,
    report: Vec<u8>,
    messages: String,
    seconds: f64,
}

impl Bench {
    pub fn new(program: PathBuf, worker: String, cores: Option<u16>, state: Option<PathBuf>) -> Bench {
        Bench { program, worker, cores, state, guard: Guard::start() }
    }

    /// The row of a job whose model is in this file, which must be the one that is meant; `None` where it is not
    /// wanted any more.
    pub fn run(&self, job: &Job, file: &Path, wanted: &dyn Fn() -> bool) -> Option<Row> {
        if let Err(wrong) = is_meant(job, file) {
            return Some(Row::not_run(job, &self.worker, wrong));
        }
        match self.process(job, file, wanted) {
            Ok(ended) => ended.map(|ended| self.row(job, ended)),
            Err(error) => Some(Row::not_run(job, &self.worker, format!("error: check: {error}"))),
        }
    }

    fn process(&self, job: &Job, file: &Path, wanted: &dyn Fn() -> bool) -> std::io::Result<Option<Ended>> {
        let start = Instant::now();
        let mut child = self.command(job, file).spawn()?;
        self.guard.add(child.id());
        let report = reader(child.stdout.take(), REPORT);
        let messages = reader(child.stderr.take(), MESSAGES);
        let deadline = job.asked.timeout.and_then(|time| start.checked_add(time)?.checked_add(GRACE));
        let status = wait(&mut child, deadline, wanted);
        self.guard.remove(child.id());
        let Some(status) = status? else { return Ok(None) };
        let messages = String::from_utf8_lossy(&joined(messages)).into_owned();
        let seconds = start.elapsed().as_secs_f64();
        Ok(Some(Ended { status, report: joined(report), messages, seconds }))
    }

    fn command(&self, job: &Job, file: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["check", "--json"]).args(&job.asked.options);
        command.args(job.asked.limits(job.asked.cores.or(self.cores)));
        command.args(job.property.iter().map(|property| format!("--property={property}")));
        if let Some(state) = &self.state {
            command.arg("--state").arg(state);
        }
        command.arg("--").arg(file).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        command
    }

    fn row(&self, job: &Job, ended: Ended) -> Row {
        let report: Report = serde_json::from_slice(&ended.report).unwrap_or_default();
        let signal = ended.status.signal();
        let error = match (signal, report.errors.is_empty()) {
            (_, false) => Some(report.errors.join("\n")),
            (Some(signal), true) => Some(format!("signal {signal} ended it\n{}", tail(&ended.messages))),
            // A report that is not one, or a fault without words.
            (None, true) if !matches!(ended.status.code(), Some(0 | 10 | 30)) => Some(tail(&ended.messages)),
            _ => None,
        };
        Row {
            properties: report.properties,
            exit_code: ended.status.code(),
            signal,
            error: error.map(|text| text.trim().to_string()),
            seconds: ended.seconds,
            ..Row::about(job, &self.worker)
        }
    }
}

/// Whether the file has the bytes that the job is about.
fn is_meant(job: &Job, file: &Path) -> Result<(), String> {
    let wanted = job.hash.as_ref().map_err(String::clone)?;
    match hash_of(file) {
        Ok(hash) if hash == *wanted => Ok(()),
        Ok(_) => {
            Err(format!("{}: error: this is not the file that the batch was begun with", file.display()))
        }
        Err(error) => Err(format!("{}: error: {error}", file.display())),
    }
}

/// Until it has ended; `None` where it is not wanted any more. Nothing of its group is left.
fn wait(
    child: &mut Child,
    deadline: Option<Instant>,
    wanted: &dyn Fn() -> bool,
) -> std::io::Result<Option<ExitStatus>> {
    let group = Pid::from_raw(child.id().cast_signed());
    loop {
        if let Some(status) = child.try_wait()? {
            let _ = killpg(group, Signal::SIGKILL);
            return Ok(Some(status));
        }
        let late = deadline.is_some_and(|deadline| Instant::now() > deadline);
        if late || !wanted() {
            let _ = killpg(group, Signal::SIGKILL);
            let status = child.wait()?;
            return Ok(late.then_some(status));
        }
        thread::sleep(TICK);
    }
}

/// Reads an output to its end, so that nobody waits to write; what is too much is not kept.
fn reader(output: Option<impl Read + Send + 'static>, most: u64) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let Some(mut output) = output else { return Vec::new() };
        let mut kept = Vec::new();
        // What cannot be read any more was cut off by who wrote it.
        let _ = output.by_ref().take(most).read_to_end(&mut kept);
        let _ = std::io::copy(&mut output, &mut std::io::sink());
        kept
    })
}

fn joined(reader: JoinHandle<Vec<u8>>) -> Vec<u8> {
    reader.join().expect("a reader does not panic")
}

/// The last messages.
fn tail(messages: &str) -> String {
    let skipped = messages.chars().count().saturating_sub(TAIL);
    messages.chars().skip(skipped).collect()
}
