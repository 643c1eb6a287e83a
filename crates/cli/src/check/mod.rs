//! `buttress check`: loads a model, runs the engines under limits, reports what is known when they end.
//!
//! The main thread only waits: for messages, for limits, for Ctrl-C. Everything else, loading included, happens
//! in a worker thread, so a limit holds whatever the worker does: it is asked to stop, has [`GRACE`] to come to
//! rest, and then the report is printed without it.

mod artifacts;
mod cores;
mod findings;
mod progress;
mod statistics;
mod story;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use buttress_engine::{Diagrams, Engine, Fsis, Ic3, Run};
use buttress_format::lemmas::Lemmas;
use buttress_solve::smt::{Config, directories, find};
use buttress_solve::{Stop, Stopped};
use buttress_system::PropertyId;
use buttress_system::words::{Replay, System, WordLemma};

use crate::args::{CheckArgs, PredicateSource};
use crate::cores::Means;
use crate::driver::{self, Event, Follow, Task};
use crate::invariants::kinds;
use crate::limits::{GRACE, Limits, TICK};
use crate::model::{Model, load};
use crate::{exit, indexed, lemma_file, report, term_file, theory};
use statistics::Statistics;

pub use cores::Explained;
pub use findings::{Cti, Finding, Findings, Outcome, Place};
pub use story::{Entry, Story};

/// What the worker tells the main thread.
enum Message {
    Loaded(Arc<Model>, Vec<PropertyId>),
    /// The job cannot start; the exit code says why.
    Refused(u8, String),
    Event(Event),
    Core(PropertyId, cores::Answer),
    Done,
}

pub fn check(args: CheckArgs) -> ExitCode {
    let args = Arc::new(args);
    let limits = Limits::new(Instant::now(), args.timeout, args.memory);
    let stop = Stop::new();
    interrupt_on_ctrl_c(&stop);
    let (sender, inbox) = mpsc::channel();
    let (worker_args, worker_stop) = (args.clone(), stop.clone());
    thread::spawn(move || work(&worker_args, &worker_stop, &sender));
    let code = match wait(&args, &inbox, &limits, &stop) {
        Err((code, message)) => {
            eprintln!("{message}");
            code
        }
        Ok(findings) => conclude(&args, &findings),
    };
    // Not a return: a worker that did not come to rest must not keep the process.
    std::process::exit(code.into())
}

/// The first Ctrl-C stops the run and reports; the second ends the process.
fn interrupt_on_ctrl_c(stop: &Stop) {
    let stop = stop.clone();
    let handler = move || {
        if stop.reason() == Some(Stopped::Interrupted) {
            std::process::exit(exit::UNDECIDED.into());
        }
        stop.request(&Stopped::Interrupted);
    };
    ctrlc::set_handler(handler).expect("the handler is set once");
}

fn work(args: &CheckArgs, stop: &Stop, sender: &Sender<Message>) {
    // The receiver is gone only when the process ends.
    let tell = |message| drop(sender.send(message));
    match prepare(args) {
        Err((code, message)) => return tell(Message::Refused(code, message)),
        Ok(Given { model, properties, lemmas }) => {
            let model = Arc::new(model);
            tell(Message::Loaded(model.clone(), properties.clone()));
            let events = |event| tell(Message::Event(event));
            let answers = |property, answer| tell(Message::Core(property, answer));
            let run = |stop: &Stop, events: &(dyn Fn(Event) + Sync)| {
                run_engines(args, &model, properties, &lemmas, stop, events);
            };
            match args.core {
                false => run(stop, &events),
                true => cores::beside(&model, &means(args), stop, &events, &answers, run),
            }
        }
    }
    tell(Message::Done);
}

fn run_engines(
    args: &CheckArgs,
    model: &Model,
    properties: Vec<PropertyId>,
    lemmas: &Hints,
    stop: &Stop,
    events: &(dyn Fn(Event) + Sync),
) {
    match &model.words {
        _ if model.indexed.is_some() => {
            indexed::run(&indexed_task(args, model, properties), stop, events);
        }
        Some(words) if model.beyond_bits => {
            let system = words.words().clone();
            let task = theory_task(args, model, system, properties);
            theory::run(&theory::Task { lemmas: lemmas.terms.clone(), ..task }, stop, events);
        }
        _ => driver::run(&task(args, model, properties, &lemmas.clauses), stop, events),
    }
}

/// How cores of proofs are found.
fn means(args: &CheckArgs) -> Means {
    let smt = Config { idle: Some(Arc::default()), ..smt(args) };
    Means { engines: args.engine.clone(), smt, seed: args.seed, patience: None }
}

/// What the files of the command line hold.
struct Given {
    model: Model,
    properties: Vec<PropertyId>,
    lemmas: Hints,
}

/// Lemmas of a file: of a model of bits as clauses, of a model beyond bits as terms.
#[derive(Default)]
struct Hints {
    clauses: Lemmas,
    terms: Vec<WordLemma>,
}

impl Hints {
    fn of_clauses(clauses: Lemmas) -> Hints {
        Hints { clauses, ..Hints::default() }
    }
}

fn prepare(args: &CheckArgs) -> Result<Given, (u8, String)> {
    if args.explain && !engines(args).iter().any(|e| matches!(e.run, Run::Inductive(_))) {
        let message = "error: --explain follows IC3 or FSIS, and --engine names neither".to_string();
        return Err((exit::USAGE, message));
    }
    let mut model = load(&args.model, !find(&directories()).is_empty())?;
    refuse_what_needs_bits(args, &model)?;
    if args.core && model.indexed.is_some() {
        let message = format!("{}: error: cores of models with maps are not there yet", model.path);
        return Err((exit::USAGE, message));
    }
    if args.xml.is_some() && model.source.is_none() {
        return Err((
            exit::USAGE,
            "error: --xml is for Lustre models, which JKind and Kind 2 read".to_string(),
        ));
    }
    model.cover(&args.cover).map_err(|message| (exit::USAGE, message))?;
    let properties = model.properties(&args.property).map_err(|message| (exit::USAGE, message))?;
    let lemmas = match &args.lemmas {
        Some(file) => hints(&model, file).map_err(|message| (exit::INPUT, message))?,
        None => Hints::default(),
    };
    Ok(Given { model, properties, lemmas })
}

fn hints(model: &Model, file: &Path) -> Result<Hints, String> {
    match &model.words {
        Some(words) if model.beyond_bits => {
            let source = model.source.as_ref().map(|source| source.model());
            let terms = term_file::read_lemmas(file, words.words(), source)?;
            Ok(Hints { terms, ..Hints::default() })
        }
        Some(_) => lemma_file::read(model, file).map(Hints::of_clauses).map_err(|wrong| {
            format!("{wrong}\nthis model is decided in bits: its lemmas are clauses of latches, as --save-lemmas writes them")
        }),
        None => lemma_file::read(model, file).map(Hints::of_clauses),
    }
}

/// What is said in terms of bits only, so far.
fn refuse_what_needs_bits(args: &CheckArgs, model: &Model) -> Result<(), (u8, String)> {
    if args.lemmas.is_some() && model.indexed.is_some() {
        let message = format!("{}: error: models with maps take predicates, not lemmas", model.path);
        return Err((exit::USAGE, message));
    }
    let needs_bits = [("--explain", args.explain), ("--save-lemmas", args.save_lemmas.is_some())];
    match needs_bits.iter().find(|(_, given)| *given && model.beyond_bits) {
        Some((flag, _)) => {
            let what = "integers, reals or large arrays";
            Err((exit::USAGE, format!("{}: error: {flag} is not there yet for {what}", model.path)))
        }
        None => Ok(()),
    }
}

/// Those that were named; where the way is to be told, IC3 alone; or else the usual ones.
fn engines(args: &CheckArgs) -> Vec<&'static Engine> {
    match (args.engine.is_empty(), args.explain) {
        (false, _) => args.engine.clone(),
        (true, true) => Engine::by_name("ic3").into_iter().collect(),
        (true, false) => Engine::defaults(),
    }
}

fn task(args: &CheckArgs, model: &Model, properties: Vec<PropertyId>, lemmas: &Lemmas) -> Task {
    let mut engines = engines(args);
    if !kinds(&args.discover).two_valued {
        // Bits have nothing else.
        engines.retain(|engine| !matches!(engine.run, Run::Conjectures(_)));
    }
    let bound = args.bound.and_then(|b| usize::try_from(b).ok()).unwrap_or(usize::MAX);
    // A witness circuit cannot compare states; where another engine may find an invariant, that one is wanted.
    let invariants = engines.iter().any(|e| !matches!(e.run, Run::Paths(_)));
    // Nor has such a proof a core.
    let distinct = (args.certificate.is_none() || !invariants) && !args.core;
    let defaults = Diagrams::default();
    let diagrams = Diagrams {
        order: args.bdd_order.unwrap_or(defaults.order),
        nodes: args.bdd_nodes.map_or(defaults.nodes, |n| n as usize),
    };
    let follow =
        Follow { step_failures: args.show_cti, walks: args.explain, remains: args.save_lemmas.is_some() };
    let lemmas = lemmas.clauses().cloned().collect();
    let (system, words, integers) = (model.system.clone(), model.words.clone(), model.integers.clone());
    let (fsis, seed, jobs) = (fsis(args), args.seed, args.jobs as usize);
    let source = model.source.clone().map(|source| source as Arc<dyn Replay>);
    Task {
        system,
        words,
        integers,
        source,
        properties,
        engines,
        bound,
        ic3: ic3(args),
        fsis,
        diagrams,
        distinct,
        seed,
        jobs,
        lemmas,
        follow,
    }
}

fn ic3(args: &CheckArgs) -> Ic3 {
    let defaults = Ic3::default();
    Ic3 {
        generalize: args.ic3_generalize.unwrap_or(defaults.generalize),
        preimages: args.ic3_theory.unwrap_or(defaults.preimages),
        ..defaults
    }
}

fn fsis(args: &CheckArgs) -> Fsis {
    let defaults = Fsis::default();
    Fsis {
        down: args.fsis_down.unwrap_or(defaults.down),
        implicate: args.fsis_minimal.unwrap_or(defaults.implicate),
        generate: args.fsis_generate.unwrap_or(defaults.generate),
        share: args.fsis_share.unwrap_or(defaults.share),
    }
}

/// The same for a model with maps.
fn indexed_task(args: &CheckArgs, model: &Model, properties: Vec<PropertyId>) -> indexed::Task {
    let bound = args.bound.and_then(|b| usize::try_from(b).ok()).unwrap_or(usize::MAX);
    let model = model.indexed.clone().expect("it has maps");
    let defaults = buttress_indexed::Options::default();
    let options = buttress_indexed::Options {
        elimination: args.eliminate.unwrap_or(defaults.elimination),
        nodes: args.bdd_nodes.map_or(defaults.nodes, |n| n as usize),
    };
    let find = args.predicates == Some(PredicateSource::Auto);
    indexed::Task { model, properties, bound, smt: smt(args), options, find, directed: args.directed }
}

fn smt(args: &CheckArgs) -> Config {
    let mut smt = Config::new(find(&directories()));
    smt.patience = args.smt_patience.unwrap_or(smt.patience);
    smt.memory = args.memory;
    smt.log.clone_from(&args.smt_log);
    smt
}

/// The same for a model that bits cannot hold.
fn theory_task(
    args: &CheckArgs,
    model: &Model,
    system: Arc<System>,
    properties: Vec<PropertyId>,
) -> theory::Task {
    let bound = args.bound.and_then(|b| usize::try_from(b).ok()).unwrap_or(usize::MAX);
    let source = model.source.clone().map(|source| source as Arc<dyn Replay>);
    let smt = smt(args);
    let engines = if args.engine.is_empty() { Engine::defaults_on_words() } else { args.engine.clone() };
    // A certificate cannot compare states, and a proof that does has no core.
    let distinct = args.certificate.is_none() && !args.core;
    let (seed, discover, step_failures) = (args.seed, kinds(&args.discover), args.show_cti);
    theory::Task {
        system,
        source,
        properties,
        engines,
        bound,
        ic3: ic3(args),
        distinct,
        seed,
        discover,
        smt,
        lemmas: Vec::new(),
        step_failures,
    }
}

/// Collects what happens until the work is done or a limit ends it.
fn wait(
    args: &CheckArgs,
    inbox: &Receiver<Message>,
    limits: &Limits,
    stop: &Stop,
) -> Result<Findings, (u8, String)> {
    let unwritable = |error: std::io::Error| (exit::USAGE, format!("error: --statistics: {error}"));
    let statistics = args.statistics.as_deref().map(Statistics::new);
    let mut statistics = statistics.transpose().map_err(unwritable)?;
    let mut findings = Findings::new(limits.start);
    let mut progress = progress::Line::new();
    let mut deadline: Option<Instant> = None;
    while deadline.is_none_or(|d| Instant::now() < d) {
        match inbox.recv_timeout(TICK) {
            Ok(Message::Loaded(model, properties)) => findings.loaded(model, &properties),
            Ok(Message::Refused(code, message)) => return Err((code, message)),
            Ok(Message::Event(event)) => findings.absorb(event),
            Ok(Message::Core(property, answer)) => findings.explained(property, answer),
            Ok(Message::Done) => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                findings.faults.push("the worker ended without an answer".to_string());
                break;
            }
        }
        if let Some(why) = limits.exceeded() {
            stop.request(&why);
        }
        if deadline.is_none() && stop.requested() {
            deadline = Some(Instant::now() + GRACE);
        }
        progress.update(&findings);
        statistics.iter_mut().try_for_each(|s| s.update(&findings)).map_err(unwritable)?;
    }
    progress.clear();
    statistics.into_iter().try_for_each(|s| s.close(&findings)).map_err(unwritable)?;
    findings.close(stop.reason());
    Ok(findings)
}

/// Writes what was asked for, prints the report, and gives the exit code.
fn conclude(args: &CheckArgs, findings: &Findings) -> u8 {
    let written = artifacts::write(args, findings);
    if args.hwmcc {
        report::hwmcc::print(findings);
    } else if args.json {
        report::json::print(findings);
    } else if let Some(style) = args.xml {
        report::xml::print(findings, style);
    } else {
        report::text::print(findings, args.verbose);
    }
    let mut code = if args.hwmcc { findings.hwmcc_code() } else { findings.exit_code() };
    for outcome in written {
        match outcome {
            Ok(note) if args.json || args.hwmcc || args.xml.is_some() => drop(note),
            Ok(note) => println!("{note}"),
            Err(error) => {
                eprintln!("error: {error}");
                code = exit::FAULT;
            }
        }
    }
    code
}
