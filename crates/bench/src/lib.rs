//! `buttress bench`: engines and foreign tools side by side on a suite of model files.
//!
//! Every tool runs on every file under the same limits on CPU time, wall time and memory, which
//! hold for the whole process tree of a run. All tools run on one file before the next file
//! begins, and their order rotates from file to file, so that a warm cache favours none. Runs in
//! parallel lanes compete for caches and memory bandwidth; for times to be compared, use one
//! lane. This program's own file must not be replaced during a benchmark. Linux only: elsewhere
//! only the wall limit is enforced.
//!
//! The modules: [`suite`] finds the files, [`tool`] reads what the user says of the tools,
//! [`run`] runs one tool on one file, [`tree`] watches its processes and [`guard`] ends them if
//! the benchmark is interrupted, [`csv`] keeps the results, [`claims`] compares them with
//! others', [`table`] and [`plot`] present them.

mod claims;
mod csv;
mod guard;
mod outcome;
mod plot;
mod run;
#[cfg(test)]
mod scratch;
pub mod suite;
mod table;
mod tool;
mod tree;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

pub use guard::Guard;

use claims::Claims;
use csv::{CsvError, Journal, Results};
use outcome::Outcome;
use plot::Scale;
use run::Limits;
use suite::{ModelFile, Selection, Shard, SuiteError};
use table::{FileResult, Report};
use tool::{SpecError, Tool};

const EXIT_DISAGREEMENT: u8 = 1;
const EXIT_USAGE: u8 = 2;
const EXIT_SUITE: u8 = 3;

/// Run engines and other tools side by side on a suite of files
#[derive(clap::Args, Clone, Debug)]
pub struct BenchArgs {
    /// Directory of model files, list with a path per line, model file, or - for a list on stdin
    #[arg(value_name = "SUITE", required = true)]
    suites: Vec<PathBuf>,

    /// Directory that the paths in lists are relative to [default: the list's own]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Run only on files whose name contains this
    #[arg(long, value_name = "SUBSTRING")]
    filter: Option<String>,

    /// Run only on every N-th file, from the I-th on, counted from 1
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Tool to run, repeatable [default: buttress]
    ///
    /// Either `buttress[:ENGINE[:EXTRA ARGS]]`, which is this program, or
    /// `NAME=COMMAND with {file}; safe=COND; unsafe=COND` with COND either `exit N` or
    /// `/PATTERN/`. A pattern is plain text to be found in a line of the output; ^ at its start
    /// and $ at its end tie it to the line's. The command is split into words as a shell splits
    /// them, but no shell runs.
    #[arg(long = "tool", value_name = "SPEC")]
    tools: Vec<Tool>,

    /// CPU seconds allowed to the process tree of a run
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    cpu: Duration,

    /// Wall-clock seconds allowed to a run [default: twice the CPU limit and 5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    wall: Option<Duration>,

    /// Resident memory allowed to the process tree of a run, in MB of 2^20 bytes
    #[arg(long, value_name = "MB", default_value_t = 8000)]
    memory: u64,

    /// Files to run on at the same time
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,

    /// Table with the columns file and expected (safe, unsafe, unsat, sat, valid, invalid)
    #[arg(long, value_name = "CSV")]
    expected: Option<PathBuf>,

    /// Table with the columns file, tool and verdict, of others' results; repeatable
    #[arg(long, value_name = "CSV")]
    peers: Vec<PathBuf>,

    /// Write a row for every run as soon as it ends
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Go on with the table given by --csv: runs that are in it count and are not repeated
    #[arg(long, requires = "csv")]
    resume: bool,

    /// Write a cactus plot
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,

    /// Use a logarithmic time axis in the plot
    #[arg(long)]
    log: bool,

    /// Write the summary as markdown
    #[arg(long, value_name = "FILE.md")]
    report: Option<PathBuf>,
}

/// Reads a positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a positive number of seconds".to_owned())
}

/// Why a benchmark did not take place or its results were not kept.
#[derive(Debug)]
enum BenchError {
    Suite(SuiteError),
    Tool(SpecError),
    DuplicateTool(String),
    NotInstalled { tool: String, program: String },
    Table(PathBuf, CsvError),
    Write(PathBuf, io::Error),
}

impl BenchError {
    fn exit_code(&self) -> u8 {
        match self {
            BenchError::Suite(_) => EXIT_SUITE,
            _ => EXIT_USAGE,
        }
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Suite(error) => error.fmt(f),
            BenchError::Tool(error) => error.fmt(f),
            BenchError::DuplicateTool(name) => write!(f, "two tools are called {name}"),
            BenchError::NotInstalled { tool, program } => {
                write!(f, "cannot find the program {program} of the tool {tool}")
            }
            BenchError::Table(path, error) => {
                write!(f, "cannot use the table {}: {error}", path.display())
            }
            BenchError::Write(path, error) => {
                write!(f, "cannot write {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for BenchError {}

/// Runs the benchmark. The exit code is 0, or 1 if there is a disagreement, 2 if the arguments
/// are no good, 3 if the suite cannot be read.
pub fn bench(args: &BenchArgs) -> ExitCode {
    let show = |line: &str| say(io::stderr(), line);
    match Bench::prepare(args, show).and_then(|bench| bench.run(args)) {
        Ok(report) => {
            say(io::stdout(), report.text().trim_end());
            let agreed = report.disagreements.is_empty();
            ExitCode::from(if agreed { 0 } else { EXIT_DISAGREEMENT })
        }
        Err(error) => {
            show(&format!("bench: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Everything a benchmark needs, checked before the first run.
struct Bench {
    models: Vec<ModelFile>,
    tools: Vec<Tool>,
    names: Vec<String>,
    limits: Limits,
    claims: Claims,
    /// Results of the table that is resumed.
    done: Results,
    journal: Option<(PathBuf, Mutex<Journal>)>,
    jobs: usize,
    guard: Guard,
    /// Files finished, for the progress lines.
    finished: AtomicUsize,
    /// Where the progress lines go.
    show: fn(&str),
}

impl Bench {
    /// Reads all inputs, and opens the table last, when nothing else can fail.
    fn prepare(args: &BenchArgs, show: fn(&str)) -> Result<Bench, BenchError> {
        let tools = args.tools()?;
        let models = suite::collect(&args.suites, args.selection()).map_err(BenchError::Suite)?;
        let claims = args.claims()?;
        let (journal, done) = args.journal()?;
        Ok(Bench {
            models,
            names: tools.iter().map(|tool| tool.name.clone()).collect(),
            tools,
            limits: args.limits(),
            claims,
            done,
            journal: args.csv.clone().zip(journal.map(Mutex::new)),
            jobs: args.jobs.get(),
            guard: Guard::start(),
            finished: AtomicUsize::new(0),
            show,
        })
    }

    /// Runs everything and writes the files asked for.
    fn run(self, args: &BenchArgs) -> Result<Report, BenchError> {
        let files = self.run_lanes()?;
        let limit = self.limits.cpu.as_secs_f64();
        let report = Report::new(self.names, files, &self.claims, limit);
        if let Some(path) = &args.report {
            write_file(path, &report.markdown())?;
        }
        if let Some(path) = &args.plot {
            write_file(path, &plot::svg(&report, args.scale()))?;
        }
        Ok(report)
    }

    /// Runs on all files in parallel lanes; the results are in the order of the files.
    fn run_lanes(&self) -> Result<Vec<FileResult>, BenchError> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        let failure = Mutex::new(None);
        thread::scope(|scope| {
            for _ in 0..self.jobs.min(self.models.len()) {
                scope.spawn(|| self.run_lane(&next, &results, &failure));
            }
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(place, _)| *place);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Takes one file after the other until there is none or a lane has failed.
    fn run_lane(
        &self,
        next: &AtomicUsize,
        results: &Mutex<Vec<(usize, FileResult)>>,
        failure: &Mutex<Option<BenchError>>,
    ) {
        while lock(failure).is_none() {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(model) = self.models.get(place) else {
                return;
            };
            match self.run_file(place, model) {
                Ok(result) => {
                    self.show_progress(&result);
                    lock(results).push((place, result));
                }
                Err(error) => *lock(failure) = Some(error),
            }
        }
    }

    /// Runs all tools on one file, beginning with another tool for every file.
    fn run_file(&self, place: usize, model: &ModelFile) -> Result<FileResult, BenchError> {
        let count = self.tools.len();
        let mut outcomes = Vec::new();
        for turn in 0..count {
            let at = (place + turn) % count;
            outcomes.push((at, self.run_tool(&self.tools[at], model)?));
        }
        outcomes.sort_by_key(|(at, _)| *at);
        let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
        Ok(FileResult { model: model.clone(), outcomes })
    }

    /// The outcome from the resumed table, or else from a run, which is recorded.
    fn run_tool(&self, tool: &Tool, model: &ModelFile) -> Result<Outcome, BenchError> {
        let key = (model.label.clone(), tool.name.clone());
        if let Some(outcome) = self.done.get(&key) {
            return Ok(outcome.clone());
        }
        let outcome = run::run(tool, &model.path, &self.limits, &self.guard);
        if let Some((path, journal)) = &self.journal {
            let written = lock(journal).append(&model.label, &tool.name, &outcome);
            written.map_err(|error| BenchError::Write(path.clone(), error))?;
        }
        Ok(outcome)
    }

    /// Shows a line for a finished file.
    fn show_progress(&self, result: &FileResult) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        let cell = |(name, o): (&String, &Outcome)| format!("{name} {} {:.2}s", o.verdict, o.cpu);
        let cells: Vec<String> = self.names.iter().zip(&result.outcomes).map(cell).collect();
        let total = self.models.len();
        let width = total.to_string().len();
        let mut line = format!("[{finished:>width$}/{total}] {}", result.model.label);
        line += &format!("  {}", cells.join(" | "));
        if result.disagreement(&self.names, &self.claims).is_some() {
            line += "  DISAGREEMENT";
        }
        (self.show)(&line);
    }
}

impl BenchArgs {
    /// The tools, with distinct names and programs that exist.
    fn tools(&self) -> Result<Vec<Tool>, BenchError> {
        let mut tools = self.tools.clone();
        if tools.is_empty() {
            tools.push("buttress".parse().map_err(BenchError::Tool)?);
        }
        let mut names = HashSet::new();
        for tool in &tools {
            if !names.insert(&tool.name) {
                return Err(BenchError::DuplicateTool(tool.name.clone()));
            }
            if !tool.is_installed() {
                let program = tool.program().to_owned();
                return Err(BenchError::NotInstalled { tool: tool.name.clone(), program });
            }
        }
        Ok(tools)
    }

    fn selection(&self) -> Selection<'_> {
        Selection { root: self.root.as_deref(), filter: self.filter.as_deref(), shard: self.shard }
    }

    fn limits(&self) -> Limits {
        Limits {
            cpu: self.cpu,
            wall: self.wall.unwrap_or(self.cpu * 2 + Duration::from_secs(5)),
            memory: self.memory.saturating_mul(1 << 20),
        }
    }

    fn claims(&self) -> Result<Claims, BenchError> {
        let mut claims = Claims::default();
        let refuse = |path: &Path| {
            let path = path.to_owned();
            move |error| BenchError::Table(path, error)
        };
        if let Some(path) = &self.expected {
            claims.add_expected(path).map_err(refuse(path))?;
        }
        for path in &self.peers {
            claims.add_peers(path).map_err(refuse(path))?;
        }
        Ok(claims)
    }

    /// The table of results, if one is wanted, and what it holds already.
    fn journal(&self) -> Result<(Option<Journal>, Results), BenchError> {
        let Some(path) = &self.csv else {
            return Ok((None, Results::new()));
        };
        let opened = if self.resume {
            Journal::resume(path)
        } else {
            Journal::create(path).map(|journal| (journal, Results::new()))
        };
        let (journal, done) = opened.map_err(|error| BenchError::Table(path.clone(), error))?;
        Ok((Some(journal), done))
    }

    fn scale(&self) -> Scale {
        if self.log { Scale::Log } else { Scale::Linear }
    }
}

/// A lane that panicked must not take the others' results with it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_file(path: &Path, text: &str) -> Result<(), BenchError> {
    std::fs::write(path, text).map_err(|error| BenchError::Write(path.to_owned(), error))
}

/// Writes a line; a reader who has gone away does not matter.
fn say(mut stream: impl Write, line: &str) {
    let _ = writeln!(stream, "{line}");
}

#[cfg(test)]
mod tests {
    use super::scratch::Scratch;
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: BenchArgs,
    }

    /// Says what the file says.
    const HONEST: &str = "honest=sh -c '. {file}'; safe=exit 20; unsafe=exit 10";
    /// Says safe of everything.
    const SANGUINE: &str = "sanguine=sh -c 'exit 20' {file}; safe=exit 20";

    fn args(words: &[&str]) -> BenchArgs {
        let words = std::iter::once("bench").chain(words.iter().copied());
        Command::try_parse_from(words).unwrap_or_else(|error| panic!("{error}")).args
    }

    fn report(words: &[&str]) -> Result<Report, BenchError> {
        let args = args(words);
        Bench::prepare(&args, |_| {})?.run(&args)
    }

    fn three_models() -> Scratch {
        let scratch = Scratch::new();
        scratch.write("models/a.aig", "exit 20");
        scratch.write("models/b.aig", "exit 10");
        scratch.write("models/c.aig", "exit 30");
        scratch
    }

    fn text(path: &Path) -> &str {
        path.to_str().expect("UTF-8")
    }

    #[test]
    fn a_whole_benchmark() {
        let scratch = three_models();
        let at = |name| scratch.path().join(name);
        let (csv, svg, md) = (at("r.csv"), at("p.svg"), at("r.md"));
        let expected = scratch.write("e.csv", "file,expected\nmodels/b.aig,sat\n");
        let report = report(&[
            text(&at("models")),
            "--root",
            text(scratch.path()),
            "--tool",
            HONEST,
            "--tool",
            SANGUINE,
            "--jobs",
            "2",
            "--expected",
            text(&expected),
            "--csv",
            text(&csv),
            "--plot",
            text(&svg),
            "--report",
            text(&md),
        ])
        .expect("a report");
        assert_eq!(report.disagreements.len(), 1);
        let who: Vec<&str> = report.disagreements[0].parties.iter().map(|c| c.source.as_str()).collect();
        assert_eq!(who, ["honest", "sanguine", "expected"]);
        let rows = std::fs::read_to_string(csv).expect("a table");
        assert_eq!(rows.lines().count(), 7);
        assert!(rows.contains("models/c.aig,honest,unknown,"));
        assert!(std::fs::read_to_string(svg).expect("a plot").contains("sanguine (3)"));
        assert!(std::fs::read_to_string(md).expect("a report").contains("| honest | 2 |"));
    }

    #[test]
    fn a_resumed_benchmark_repeats_nothing() {
        let scratch = three_models();
        let csv = scratch.path().join("r.csv");
        let models = scratch.path().join("models");
        let run = |extra: &[&str]| {
            let words = [text(&models), "--tool", HONEST, "--csv", text(&csv)];
            report(&[&words[..], extra].concat())
        };
        run(&["--filter", "a.aig"]).expect("a report");
        assert!(matches!(run(&[]), Err(BenchError::Table(_, CsvError::Exists))));
        // Were the file run again, it would now be unsafe.
        scratch.write("models/a.aig", "exit 10");
        let report = run(&["--resume"]).expect("a report");
        assert_eq!(report.files[0].outcomes[0].verdict, outcome::Verdict::Safe);
        let rows = std::fs::read_to_string(&csv).expect("a table");
        assert_eq!(rows.lines().count(), 4);
    }

    #[test]
    fn the_order_of_the_tools_rotates() {
        let scratch = three_models();
        let log = scratch.path().join("log");
        let log = text(&log);
        let tool = |name| format!("{name}=sh -c 'echo {name} >> {log}' {{file}}; safe=exit 20");
        let models = scratch.path().join("models");
        report(&[text(&models), "--tool", &tool("x"), "--tool", &tool("y")]).expect("a report");
        let order = std::fs::read_to_string(log).expect("a log").replace('\n', "");
        assert_eq!(order, "xyyxxy");
    }

    #[test]
    fn errors_have_their_exit_codes() {
        let scratch = three_models();
        let models = scratch.path().join("models");
        let code = |words: &[&str]| report(words).expect_err("an error").exit_code();
        assert_eq!(code(&["no/such/suite"]), EXIT_SUITE);
        assert_eq!(code(&[text(&models), "--filter", "zzz"]), EXIT_SUITE);
        assert_eq!(code(&[text(&models), "--tool", HONEST, "--tool", HONEST]), EXIT_USAGE);
        let absent = "t=no-such-program-here {file}; safe=exit 0";
        assert_eq!(code(&[text(&models), "--tool", absent]), EXIT_USAGE);
        assert_eq!(code(&[text(&models), "--peers", "no/such.csv"]), EXIT_USAGE);
    }

    #[test]
    fn arguments() {
        let refused = |words: &[&str]| Command::try_parse_from(words).is_err();
        assert!(refused(&["bench"]));
        assert!(refused(&["bench", "s", "--tool", "nonsense"]));
        assert!(refused(&["bench", "s", "--cpu", "-1"]) && refused(&["bench", "s", "--cpu", "nan"]));
        assert!(refused(&["bench", "s", "--resume"]), "--resume needs --csv");
        let limits = args(&["s", "--cpu", "1.5"]).limits();
        assert_eq!((limits.cpu, limits.wall), (Duration::from_millis(1500), Duration::from_secs(8)));
        assert_eq!(limits.memory, 8000 << 20);
        assert_eq!(args(&["s"]).tools().expect("tools")[0].name, "buttress");
    }
}
