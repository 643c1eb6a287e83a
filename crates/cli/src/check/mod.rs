//! `buttress check`: loads a model, runs a plan under limits, reports what is known when it ends.

mod artifacts;
mod progress;
mod statistics;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use buttress_driver::supervise::{Teller, supervise};
use buttress_driver::{
    Answers, Choice, ClaimId, Detail, Event, Follow, Kind, Lemmas, Memory, Plan, Problem, Refused, Report,
};
use buttress_driver::{files, read_lemmas, run};
use buttress_engine::{Diagrams, Engine, Fsis, Ic3, Maps, Run, Settings};
use buttress_indexed::Predicates;
use buttress_solve::Stop;

use crate::args::{CheckArgs, PredicateSource};
use crate::command::{interrupt_on_ctrl_c, load_model, refuse, solvers};
use crate::invariants::kinds;
use crate::{exit, options, out, report};
use statistics::Statistics;

/// What the worker tells the main thread.
enum Message {
    Planned(Arc<Problem>, Vec<ClaimId>, Plan),
    Event(Event),
}

pub fn check(args: CheckArgs) -> ! {
    let args = Arc::new(args);
    let limits = args.limits.limits();
    let stop = Stop::new();
    interrupt_on_ctrl_c(&stop);
    let worker_args = args.clone();
    let work =
        move |stop: &Stop, teller: &Teller<Message, Result<(), Refused>>| work(&worker_args, stop, teller);
    let code = match collect(&args, limits.start, |hear, tick| supervise(&limits, &stop, work, hear, tick)) {
        Err(refused) => refuse(&refused, args.json),
        Ok(None) => undecided(&args, &stop),
        Ok(Some(mut answers)) => {
            answers.close(stop.reason());
            conclude(&args, &answers)
        }
    };
    // Not a return: a worker that did not come to rest must not keep the process.
    std::process::exit(code.into())
}

type Hear<'a> = dyn FnMut(Message) -> Result<(), Refused> + 'a;
type Tick<'a> = dyn FnMut() -> Result<(), Refused> + 'a;

/// Collects what happens until the work is done or a limit ends it; `None` where the model was not read.
fn collect(
    args: &CheckArgs,
    start: Instant,
    wait: impl FnOnce(&mut Hear<'_>, &mut Tick<'_>) -> Result<Option<Result<(), Refused>>, Refused>,
) -> Result<Option<Answers>, Refused> {
    let unwritable = |error: std::io::Error| Refused::usage(format!("error: --statistics: {error}"));
    let statistics = args.statistics.as_deref().map(Statistics::new).transpose().map_err(unwritable)?;
    let (statistics, line) =
        (std::cell::RefCell::new(statistics), std::cell::RefCell::new(progress::Line::new()));
    let answers: std::cell::RefCell<Option<Answers>> = std::cell::RefCell::new(None);
    let mut hear = |message| {
        match message {
            Message::Planned(problem, claims, plan) => {
                *answers.borrow_mut() = Some(Answers::new(&problem, &claims, &plan, start));
            }
            Message::Event(event) => {
                answers.borrow_mut().as_mut().expect("a plan comes first").absorb(event);
            }
        }
        Ok(())
    };
    let mut tick = || {
        line.borrow_mut().update(answers.borrow().as_ref(), start);
        let mut statistics = statistics.borrow_mut();
        statistics.iter_mut().try_for_each(|s| s.update(answers.borrow().as_ref(), start)).map_err(unwritable)
    };
    let done = wait(&mut hear, &mut tick)?;
    line.borrow_mut().clear();
    let ended = done.is_none();
    if let Some(Err(refused)) = done {
        return Err(refused);
    }
    let mut answers = answers.into_inner();
    let statistics = statistics.into_inner();
    statistics.into_iter().try_for_each(|s| s.close(answers.as_ref(), start)).map_err(unwritable)?;
    if let (true, Some(answers)) = (ended, &mut answers) {
        answers.left_behind();
    }
    Ok(answers)
}

fn work(args: &CheckArgs, stop: &Stop, teller: &Teller<Message, Result<(), Refused>>) -> Result<(), Refused> {
    let (problem, claims, plan) = prepare(args)?;
    teller.tell(Message::Planned(problem.clone(), claims.clone(), plan.clone()));
    run(&problem, &claims, &plan, &Memory, stop, &|event| teller.tell(Message::Event(event)));
    Ok(())
}

fn prepare(args: &CheckArgs) -> Result<(Arc<Problem>, Vec<ClaimId>, Plan), Refused> {
    let mut problem = load_model(&args.model, &args.limits)?;
    let usage = |message: String| Refused::usage(format!("error: {message}"));
    Arc::get_mut(&mut problem).expect("nobody else has it yet").cover(&args.cover).map_err(usage)?;
    let claims = problem.select(&args.property).map_err(usage)?;
    let mut choice = choice(args, &problem);
    options::fit(args, &problem, choice.engines(&problem)?)?;
    if let Some(file) = &args.lemmas {
        choice.lemmas = hints(&problem, file)?;
    }
    let plan = choice.plan(&problem, &claims)?;
    Ok((problem, claims, plan))
}

/// Lemmas of a file: of a model of bits as clauses, of a model beyond bits as terms.
fn hints(problem: &Problem, file: &Path) -> Result<Lemmas, Refused> {
    if Kind::of(problem) == Kind::Theories {
        return Ok(Lemmas::Terms(read_lemmas(file, problem)?));
    }
    let read = files::read_clauses(problem, file).map_err(|wrong| match problem.words() {
        Some(_) => format!(
            "{wrong}\nthis model is decided in bits: its lemmas are clauses of latches, as --save-lemmas writes them"
        ),
        None => wrong,
    });
    let (lemmas, note) = read?;
    note.iter().for_each(|note| out::note(note));
    Ok(Lemmas::Clauses(lemmas.clauses().cloned().collect()))
}

fn choice(args: &CheckArgs, problem: &Problem) -> Choice {
    let seed = args.seed.unwrap_or(0);
    let engines = engines(args);
    // A witness circuit cannot compare states, nor a script about words; where another engine may find an
    // invariant, that one is wanted. Nor has such a proof a core.
    let invariants = engines.is_empty() || engines.iter().any(|e| !matches!(e.bits, Some(Run::Paths(_))));
    let no_circuit = Kind::of(problem) == Kind::Bits && !invariants;
    Choice {
        engines,
        settings: settings(args),
        seed,
        jobs: args.jobs.unwrap_or(1) as usize,
        follow: Follow {
            step_failures: args.show_cti,
            stories: args.explain,
            clauses: args.save_lemmas.is_some(),
        },
        smt: solvers(&args.limits, args.smt_log.as_deref(), args.smt_patience, seed),
        distinct: (args.certificate.is_none() || no_circuit) && !args.core,
        cores: args.core,
        ..Choice::default()
    }
}

/// Those that were named; where the way is to be told, IC3 alone; none for the usual ones.
fn engines(args: &CheckArgs) -> Vec<&'static Engine> {
    let named = |names: &[&str]| names.iter().filter_map(|name| Engine::by_name(name)).collect();
    match (args.engine.is_empty(), args.explain, args.directed) {
        (false, ..) => args.engine.clone(),
        (true, true, _) => named(&["ic3"]),
        (true, false, true) => named(&["directed", "bmc"]),
        (true, false, false) => Vec::new(),
    }
}

fn settings(args: &CheckArgs) -> Settings {
    let (ic3, fsis, diagrams, maps) = (Ic3::default(), Fsis::default(), Diagrams::default(), Maps::default());
    Settings {
        bound: args.bound.and_then(|b| usize::try_from(b).ok()).unwrap_or(usize::MAX),
        ic3: Ic3 {
            generalize: args.ic3_generalize.unwrap_or(ic3.generalize),
            preimages: args.ic3_theory.unwrap_or(ic3.preimages),
            ..ic3
        },
        fsis: Fsis {
            down: args.fsis_down.unwrap_or(fsis.down),
            implicate: args.fsis_minimal.unwrap_or(fsis.implicate),
            generate: args.fsis_generate.unwrap_or(fsis.generate),
            share: args.fsis_share.unwrap_or(fsis.share),
        },
        diagrams: Diagrams {
            order: args.bdd_order.unwrap_or(diagrams.order),
            nodes: args.bdd_nodes.map_or(diagrams.nodes, |n| n as usize),
        },
        discover: kinds(&args.discover),
        maps: Maps {
            elimination: args.eliminate.unwrap_or(maps.elimination),
            nodes: args.bdd_nodes.map_or(maps.nodes, |n| n as usize),
            predicates: match args.predicates {
                Some(PredicateSource::Auto) => Predicates::Found,
                _ => Predicates::Given,
            },
        },
    }
}

/// A limit ended the run while the model was read.
fn undecided(args: &CheckArgs, stop: &Stop) -> u8 {
    let why = stop.reason().map_or_else(|| "not tried".to_string(), |why| why.to_string());
    let message = format!("undecided: {why} while reading the model");
    match () {
        _ if args.hwmcc => out::line("unknown"),
        _ if args.json => return refuse(&Refused::undecided(message), true),
        _ => out::line(&message),
    }
    if args.hwmcc { exit::HWMCC_UNKNOWN } else { exit::UNDECIDED }
}

/// Writes what was asked for, prints the report, and gives the exit code.
fn conclude(args: &CheckArgs, answers: &Answers) -> u8 {
    let written = artifacts::write(args, answers);
    let everything = args.verbose || args.json || args.xml.is_some();
    let report = answers.report(if everything { Detail::Everything } else { Detail::Verdicts });
    out::print(&match (args.hwmcc, args.json, args.xml) {
        (true, ..) => report::hwmcc::text(&report),
        (_, true, _) => report::json::text(&report),
        (_, _, Some(style)) => report::xml::text(&report, style),
        _ => report::text::text(&report, args.verbose),
    });
    report.errors.iter().for_each(|fault| out::note(&format!("error: {fault}")));
    report.warnings.iter().for_each(|warning| out::note(&format!("warning: {warning}")));
    let mut code = code(&report, args.hwmcc);
    for outcome in written {
        match outcome {
            Ok(_) if args.json || args.hwmcc || args.xml.is_some() => {}
            Ok(note) => out::line(&note),
            Err(error) => {
                out::note(&format!("error: {error}"));
                code = exit::FAULT;
            }
        }
    }
    code
}

fn code(report: &Report, hwmcc: bool) -> u8 {
    match report.exit_code {
        exit::FALSIFIED if hwmcc => exit::HWMCC_SAT,
        exit::PROVED if hwmcc => exit::HWMCC_UNSAT,
        exit::UNDECIDED if hwmcc => exit::HWMCC_UNKNOWN,
        code => code,
    }
}
