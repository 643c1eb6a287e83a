//! `buttress invariants`: what is k-inductive about a model, without a property (`buttress_engine::discovery`). Whatever is
//! printed was checked on the system as the front end made it.

mod bits;
mod bounds;
mod nodes;
mod report;
mod words;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use buttress_engine::discovery::{Kinds, Options, Outcome, Selection};
use buttress_lustre::annotate::annotate;
use buttress_solve::{Stop, Stopped};

use crate::args::{Compare, InvariantsArgs};
use crate::exit;
use crate::limits::stop_after;
use crate::model::{Source, Words, read};

/// What the worker tells the main thread.
enum Message {
    /// What is known so far.
    Known(Discovered),
    Done(Result<Discovered, Refused>),
}

/// Why there is no answer, with the exit code.
struct Refused(u8, String);

/// Who is told what is known so far.
type Publish<'a> = dyn Fn(&Discovered) + 'a;

/// The worker is asked to stop somewhat before the time is over, so that what it found is out in time; the main thread only
/// waits, and where the worker does not come to rest prints what is known.
pub fn invariants(args: InvariantsArgs) -> ! {
    let (start, stop) = (Instant::now(), Stop::new());
    stop_after(&stop, args.timeout.map(|timeout| timeout - before_the_end(timeout)));
    let (sender, inbox) = mpsc::channel();
    let args = Arc::new(args);
    let own = args.clone();
    thread::spawn(move || work(&own, &stop, &sender));
    let deadline = args.timeout.map(|timeout| start + timeout - before_the_end(timeout) / 4);
    let code = match wait(&inbox, deadline) {
        Err(Refused(code, message)) => {
            eprintln!("{message}");
            code
        }
        Ok(discovered) => {
            let path = args.model.file.display().to_string();
            let discovered = Discovered { seconds: start.elapsed().as_secs_f64(), ..discovered };
            match args.json {
                true => report::json(&path, &discovered),
                false => report::text(&path, &discovered, args.verbose),
            }
            if discovered.late && [&args.annotate, &args.smtlib, &args.vmt].iter().any(|file| file.is_some())
            {
                eprintln!("{path}: error: the time was over before the files were written");
            }
            discovered.exit_code()
        }
    };
    // Not a return: a worker that did not come to rest must not keep the process.
    std::process::exit(code.into())
}

/// The time to come to rest and to print.
fn before_the_end(timeout: Duration) -> Duration {
    (timeout / 10).min(Duration::from_secs(1))
}

fn work(args: &InvariantsArgs, stop: &Stop, sender: &Sender<Message>) {
    // Nobody listens any more where the time was over.
    let publish = &|known: &Discovered| drop(sender.send(Message::Known(known.clone())));
    let done = discover(args, stop, publish);
    drop(sender.send(Message::Done(done)));
}

/// What the worker found, or what it told last before the deadline.
fn wait(inbox: &Receiver<Message>, deadline: Option<Instant>) -> Result<Discovered, Refused> {
    let mut known = Discovered::default();
    loop {
        let message = match deadline {
            None => inbox.recv().ok(),
            Some(deadline) => match inbox.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    return Ok(Discovered { stopped: Some(Stopped::Time), late: true, ..known });
                }
                message => message.ok(),
            },
        };
        match message {
            Some(Message::Known(more)) => known = more,
            Some(Message::Done(done)) => return done,
            None => return Err(Refused(exit::FAULT, "the worker ended without an answer".to_string())),
        }
    }
}

/// Reads the model, looks, and writes the files that were asked for.
fn discover(args: &InvariantsArgs, stop: &Stop, publish: &Publish<'_>) -> Result<Discovered, Refused> {
    let path = args.model.file.display();
    let source = read(&args.model).map_err(|message| Refused(exit::INPUT, message))?;
    if let Some(message) = unfit(args, &source) {
        return Err(Refused(exit::USAGE, format!("{path}: error: {message}")));
    }
    let discovered = match &source {
        Source::Words(words) => words::discover(words, args, stop, publish),
        Source::Bits(aiger) => Ok(bits::discover(&aiger.system, args, stop, publish)),
    };
    let discovered = discovered.map_err(|message| Refused(exit::INPUT, message))?;
    write(args, &source, &discovered)
        .map_err(|message| Refused(exit::FAULT, format!("{path}: error: {message}")))?;
    Ok(discovered)
}

/// Why this cannot be asked of such a model.
fn unfit(args: &InvariantsArgs, source: &Source) -> Option<&'static str> {
    let in_words = args.terms.is_some() || args.smtlib.is_some() || args.vmt.is_some();
    let in_lustre = args.annotate.is_some() || args.modular;
    match source {
        Source::Words(Words { indexed: Some(_), .. }) => {
            Some("invariants of models with maps are found by `check`, from predicates")
        }
        Source::Words(Words { source: Some(_), .. }) => None,
        _ if in_lustre => Some("--annotate and --modular are for Lustre models"),
        Source::Bits(_) if in_words => Some("--terms, --smtlib and --vmt are not for AIGER"),
        _ => None,
    }
}

/// Writes the files that were asked for.
fn write(args: &InvariantsArgs, source: &Source, discovered: &Discovered) -> Result<(), String> {
    let file = |path: &Path, text: String| {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let (Some(path), Source::Words(Words { source: Some(source), .. })) = (&args.annotate, source) {
        let plain = discovered.invariants.iter().filter(|i| i.plain).map(|i| i.text.clone());
        let text = annotate(&source.0, &plain.collect::<Vec<_>>());
        file(path, text.ok_or("the main node has no body to write an assertion to")?)?;
    }
    for (path, text) in [(&args.smtlib, &discovered.script), (&args.vmt, &discovered.model)] {
        if let (Some(path), Some(text)) = (path, text) {
            file(path, text.clone())?;
        }
    }
    Ok(())
}

/// An invariant that was accepted, with those before it.
#[derive(Clone)]
pub struct Invariant {
    pub k: usize,
    /// In the syntax of the source.
    pub text: String,
    /// Whether the text can stand in the main node of the source.
    pub plain: bool,
    pub smt: Option<String>,
}

/// What became of a node's invariants.
#[derive(Clone, Default)]
pub struct Carried {
    pub node: String,
    pub invariants: usize,
    /// Calls for which all of them were accepted.
    pub calls: usize,
    /// Calls for which they were not.
    pub refused: usize,
    /// Why the node cannot be looked at by itself.
    pub unfit: Option<String>,
}

/// What a property makes of the invariants.
#[derive(Clone)]
pub struct Use {
    pub property: String,
    /// The k and the invariants that its proof needs; `None` where it is not k-inductive with all of them.
    pub needs: Option<(u32, Vec<String>)>,
}

/// What came out.
#[derive(Clone, Default)]
pub struct Discovered {
    pub format: &'static str,
    pub invariants: Vec<Invariant>,
    /// Of each sort how many terms were compared.
    pub terms: Vec<(String, usize)>,
    pub outcome: Option<Outcome>,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
    /// The search did not come to rest in time: files that were asked for are not written.
    pub late: bool,
    /// Found, and not accepted: a fault of our own.
    pub rejected: Option<String>,
    pub trivial: usize,
    /// Accepted, but they read like others or like nothing.
    pub hidden: usize,
    /// Whether the constraints end all executions, so that invariants say little.
    pub vacuous: bool,
    /// How many were proved again by themselves, where that was wanted.
    pub verified: Option<usize>,
    /// What each property needs, where that was wanted.
    pub uses: Vec<Use>,
    /// The invariants in SMT-LIB.
    pub script: Option<String>,
    /// The model in VMT-LIB, the invariants among its properties.
    pub model: Option<String>,
    /// Nodes that were looked at by themselves, and how often their invariants were carried over to a call, or not.
    pub nodes: Vec<Carried>,
    /// Seconds of checking, and of everything.
    pub checking: f64,
    pub seconds: f64,
}

impl Discovered {
    fn exit_code(&self) -> u8 {
        match (&self.rejected, &self.stopped) {
            (Some(_), _) => exit::FAULT,
            (None, Some(_)) => exit::UNDECIDED,
            (None, None) => exit::PROVED,
        }
    }
}

fn options(args: &InvariantsArgs) -> Options {
    let defaults = Options::default();
    Options {
        reduce: !args.redundant_edges,
        drop_trivial: args.no_trivial,
        progressive: !args.at_once,
        most_k: args.max_k.map_or(defaults.most_k, |k| k as usize),
    }
}

fn selection(args: &InvariantsArgs) -> Selection {
    let defaults = Selection::default();
    Selection {
        kinds: kinds(&args.compare),
        ands: args.ands,
        negations: !args.no_negations,
        thresholds: if args.no_thresholds { 0 } else { defaults.thresholds },
        signed: args.signed,
        most: args.max_terms.map_or(defaults.most, |n| n as usize),
        ..defaults
    }
}

/// What is named, or all.
pub fn kinds(named: &[Compare]) -> Kinds {
    let wanted = |kind| named.is_empty() || named.contains(&kind);
    Kinds { two_valued: wanted(Compare::Bool), numbers: wanted(Compare::Int), others: wanted(Compare::Enum) }
}
