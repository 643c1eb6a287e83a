//! `buttress core`: which elements of a model its proofs need.
//!
//! Each property is proved on the system as the front end made it, a core is taken from the proof, and the model that has
//! only the core is proved again by `check` before anything is shown. See `buttress_cores` for the algorithms.

mod conflict;
mod dead;
mod diversity;
mod driven;
mod listing;
mod matrix;
mod prover;
mod report;
mod subject;
mod vacuity;

use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use buttress_check::{Evidence, Refusal};
use buttress_cores::{
    Core, Effort, Enumeration, Found, Minimised, Remembering, ivc_bf, ivc_ucbf, must, slice,
};
use buttress_engine::Engine;
use buttress_solve::smt::{Config, directories, find};
use buttress_solve::{Cadical, Stop};
use buttress_system::{ElementSet, PropertyId};

use crate::args::{CoreArgs, Method};
use crate::exit;
use crate::limits::{Clock, Limits, Spent, run_within};
use crate::model::Refused;
pub use conflict::conflict;
pub use dead::dead;
use prover::{Answered, able, decide};
pub use prover::{Judge, Means, within, worth};
use subject::Subject;
pub use subject::{Detail, annotated, of_relation};

/// What is known about one property.
pub struct Finding {
    pub property: PropertyId,
    pub outcome: Outcome,
}

pub enum Outcome {
    Proved(Box<Proved>),
    /// In this step.
    Falsified(usize),
    Undecided(String),
    /// A fault of our own.
    Fault(String),
}

/// A proved property with its core, which was proved again.
pub struct Proved {
    pub engine: &'static Engine,
    pub k: u32,
    pub invariants: usize,
    /// The core leaves no execution of so many states.
    pub vacuous: Option<usize>,
    pub core: ElementSet,
    pub minimal: Minimal,
    pub slice: ElementSet,
    pub must: Option<Must>,
    pub all: Option<Found>,
    pub seconds: Seconds,
}

/// How minimal a core is.
pub enum Minimal {
    /// Nothing can be dropped from this proof, as far as was tried; another proof may need less.
    ForThisProof { undecided: ElementSet },
    /// Every element was tried, or stayed undecided.
    Tried { undecided: ElementSet },
}

pub struct Must {
    pub elements: ElementSet,
    pub undecided: ElementSet,
}

/// What each part of the work took.
#[derive(Clone, Copy, Default)]
pub struct Seconds {
    pub proof: Spent,
    pub core: Spent,
    pub minimal: Spent,
    pub check: Spent,
}

pub fn core(args: &CoreArgs) -> ExitCode {
    let limits = Limits::new(Instant::now(), args.timeout, args.memory);
    run_within(limits, |stop| run(args, stop))
}

fn run(args: &CoreArgs, stop: &Stop) -> Result<u8, Refused> {
    let subject = Subject::load(&args.model, args.granularity)?;
    let mut means =
        means_of(&args.engine, args.solver.as_deref(), args.smt_log.as_deref(), args.seed, args.patience)?;
    means.smt.memory = args.memory;
    able(&subject.system, &means)
        .map_err(|why| (exit::UNDECIDED, format!("{}: error: {why}", subject.path)))?;
    let properties = subject.properties(&args.property)?;
    let findings = analyse(args, &subject, &means, &properties, stop);
    match args.json {
        true => report::json(&subject, &findings),
        false => report::text(&subject, &findings),
    }
    further(args, &subject, &findings, &means, stop)?;
    Ok(findings.iter().map(code).max_by_key(|code| severity(*code)).unwrap_or(exit::PROVED))
}

/// What is made of the cores.
fn further(
    args: &CoreArgs,
    subject: &Subject,
    findings: &[Finding],
    means: &Means,
    stop: &Stop,
) -> Result<(), Refused> {
    let fault = |why: String| (exit::FAULT, format!("error: {why}"));
    for finding in findings {
        let Outcome::Proved(proved) = &finding.outcome else { continue };
        if args.listing {
            listing::print(subject, proved);
        }
        if args.vacuity {
            report::vacuity(&vacuity::unneeded(&subject.system, finding.property, means, stop));
        }
        if args.diversity {
            diversity::print(subject, finding.property, means, stop);
        }
        if let Some(path) = &args.reduced {
            let source = listing::source(subject, finding.property, &proved.core, means, stop);
            listing::write(path, &source.map_err(fault)?).map_err(fault)?;
        }
    }
    if args.completeness {
        matrix::print_completeness(subject, findings);
    }
    args.matrix.as_ref().map_or(Ok(()), |path| matrix::write(path, subject, findings)).map_err(fault)
}

fn means_of(
    engines: &[&'static Engine],
    solver: Option<&str>,
    log: Option<&std::path::Path>,
    seed: u64,
    patience: Option<Duration>,
) -> Result<Means, Refused> {
    let mut solvers = find(&directories());
    if let Some(wanted) = solver {
        solvers.retain(|found| found.adapter.name == wanted);
        if solvers.is_empty() {
            return Err((exit::USAGE, format!("error: there is no SMT solver '{wanted}' here")));
        }
    }
    let mut smt = Config::new(solvers);
    smt.log = log.map(std::path::Path::to_path_buf);
    smt.idle = Some(std::sync::Arc::default());
    let patience = Some(patience.unwrap_or(Duration::from_secs(10)));
    Ok(Means { engines: engines.to_vec(), smt, seed, patience })
}

/// As `check` orders exit codes.
fn severity(code: u8) -> usize {
    [exit::PROVED, exit::UNDECIDED, exit::FALSIFIED, exit::FAULT].iter().position(|&c| c == code).unwrap_or(4)
}

fn code(finding: &Finding) -> u8 {
    match finding.outcome {
        Outcome::Proved(_) => exit::PROVED,
        Outcome::Falsified(_) => exit::FALSIFIED,
        Outcome::Undecided(_) => exit::UNDECIDED,
        Outcome::Fault(_) => exit::FAULT,
    }
}

/// Decides each property by itself, so that its time is its own, and takes the cores of those that are proved.
fn analyse(
    args: &CoreArgs,
    subject: &Subject,
    means: &Means,
    properties: &[PropertyId],
    stop: &Stop,
) -> Vec<Finding> {
    let analyse = |&property: &PropertyId| {
        let clock = Clock::start();
        let answer = Mutex::new(None);
        // A stop of its own: engines set it when their property is decided.
        let keep = |_, answered| *answer.lock().expect("no holder panics") = Some(answered);
        let faults = within(stop, None, |own| decide(&subject.system, &[property], means, own, &keep));
        let seconds = clock.spent();
        let answer = answer.into_inner().expect("no holder panics");
        let outcome = match (answer, faults.first()) {
            (_, Some(fault)) => Outcome::Fault(fault.clone()),
            (Some(answered), None) => explain(args, subject, means, property, &answered, seconds, stop),
            (None, None) => Outcome::Undecided(why(stop)),
        };
        Finding { property, outcome }
    };
    properties.iter().map(analyse).collect()
}

fn why(stop: &Stop) -> String {
    stop.reason().map_or_else(|| "no engine decides it".to_string(), |why| why.to_string())
}

/// The core of a proof, as minimal as was asked for, proved again.
fn explain(
    args: &CoreArgs,
    subject: &Subject,
    means: &Means,
    property: PropertyId,
    answered: &Answered,
    proof: Spent,
    stop: &Stop,
) -> Outcome {
    let whole_proof = match answered.checked.evidence() {
        Evidence::Trace(trace) => return Outcome::Falsified(trace.last_step()),
        Evidence::Proof(proof) => proof,
    };
    let (system, elements) = (&*subject.system, &subject.elements);
    let mut judge = Judge::new(system, elements, property, means, stop);
    let executions = args.method == Method::Ucbf || args.must || args.all.is_some();
    judge.effort = Effort { time: Some(worth(proof)), executions };
    let mut seconds = Seconds { proof, ..Seconds::default() };
    let all = elements.all();
    let clock = Clock::start();
    let core = match judge.core(&all, whole_proof, answered.vacuous()) {
        Ok(Some(core)) => core,
        Ok(None) => return Outcome::Undecided("its proof has no core of its own".to_string()),
        Err(why) => return Outcome::Undecided(why.to_string()),
    };
    seconds.core = clock.spent();
    let whole = || Core::new(all.clone(), whole_proof.clone());
    let clock = Clock::start();
    let (core, minimal, must, found) = widen(args, &mut judge, core, whole);
    seconds.minimal = clock.spent();
    if let Some(fault) = judge.faults.first() {
        return Outcome::Fault(fault.clone());
    }
    let clock = Clock::start();
    let found = match found.map(|found| proved_again(&judge, found)).transpose() {
        Ok(found) => found,
        Err(why) => return Outcome::Fault(format!("a core was rejected: {why}")),
    };
    let vacuous = match judge.certify(&core) {
        Ok(checked) => checked.vacuous(),
        Err(Refusal::Rejected(why)) => return Outcome::Fault(format!("the core was rejected: {why}")),
        Err(Refusal::Stopped(why)) => {
            return Outcome::Undecided(format!("the core was not checked: {why}"));
        }
    };
    seconds.check = clock.spent();
    Outcome::Proved(Box::new(Proved {
        engine: answered.engine,
        k: core.proof.claim.k,
        invariants: core.proof.claim.invariant.len(),
        vacuous: vacuous.map(|vacuous| vacuous.states),
        core: core.elements,
        minimal,
        slice: slice(system, elements, property),
        must,
        all: found,
        seconds,
    }))
}

/// Those of the minimal cores that are proved again; what the time does not suffice for is left out.
fn proved_again(judge: &Judge<'_>, mut found: Found) -> Result<Found, String> {
    let mut certified = Vec::new();
    for minimised in found.cores {
        match judge.certify(&minimised.core) {
            Ok(_) => certified.push(minimised),
            Err(Refusal::Rejected(why)) => return Err(why),
            Err(Refusal::Stopped(_)) => found.complete = false,
        }
    }
    Ok(Found { cores: certified, ..found })
}

/// What is asked beyond the core of the proof.
fn widen(
    args: &CoreArgs,
    judge: &mut Judge<'_>,
    core: Core,
    whole: impl FnOnce() -> Core,
) -> (Core, Minimal, Option<Must>, Option<Found>) {
    let (all, slice) = (judge.elements.all(), slice(judge.system, judge.elements, judge.property));
    let (stop, seed) = (judge.stop, judge.means.seed);
    let mut prover = Remembering::new(judge);
    let tried = |m: Minimised| (m.core, Minimal::Tried { undecided: m.undecided });
    let (mut core, mut minimal) = match args.method {
        Method::Uc => {
            let undecided = core.undecided.clone();
            (core, Minimal::ForThisProof { undecided })
        }
        Method::Ucbf => tried(ivc_ucbf(&mut prover, core)),
        Method::Bf => tried(ivc_bf(&mut prover, whole())),
    };
    if args.all.is_some() || args.must {
        prover.know(&core);
    }
    let found = args.all.map(|most| {
        let map = Box::new(Cadical::new(stop, seed));
        Enumeration::new(&mut prover, &slice, map).run(most.unwrap_or(usize::MAX), &mut |_| {})
    });
    if let Some(smallest) = found.as_ref().and_then(Found::smallest)
        && smallest.core.elements.len() <= core.elements.len()
    {
        (core, minimal) = tried(smallest.clone());
    }
    let must = args.must.then(|| {
        let (elements, undecided, _) = must(&mut prover, &all, &core);
        Must { elements, undecided }
    });
    (core, minimal, must, found)
}
