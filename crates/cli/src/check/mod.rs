//! `buttress check`: loads a model, runs a plan under limits, reports what is known when it ends.

mod artifacts;
mod progress;
mod statistics;
pub mod voice;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buttress_driver::codec::ModelHash;
use buttress_driver::report::{self, CoreReport, Finding, Outcome};
use buttress_driver::state::State;
use buttress_driver::supervise::{Teller, supervise};
use buttress_driver::{
    Answers, Choice, ClaimId, Detail, Event, Follow, Insists, Kind, Lemmas, Outside, Plan, Polish, Problem,
    Refused, Report,
};
use buttress_driver::{files, read_lemmas, run};
use buttress_engine::{Diagrams, Engine, Fsis, Maps, Run, Settings};
use buttress_indexed::Predicates;
use buttress_redis_board::RedisBoard;
use buttress_solve::{Stop, Stopped};

use crate::args::{CheckArgs, PredicateSource, Radix};
use crate::command::{interrupt_on_ctrl_c, load_model, solvers};
use crate::invariants::kinds;
use crate::{exit, formulas, options, out, plans};
use statistics::Statistics;
use voice::Voice;

/// What the worker tells the main thread.
enum Message {
    Planned(Arc<Problem>, Vec<ClaimId>, Plan),
    Event(Event),
}

/// Who runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The lanes that are usual, or were named.
    Reporter,
    /// One of many on a board: where no engine is named, lanes that differ from those of others.
    Worker,
}

pub fn check(args: CheckArgs, role: Role) -> ! {
    let voice = voice::usual(&args);
    run_as(args, role, voice)
}

/// Runs and tells of it in the words of a voice.
pub fn run_as(args: CheckArgs, role: Role, voice: Box<dyn Voice>) -> ! {
    let args = Arc::new(args);
    let limits = args.limits.limits();
    let stop = Stop::new();
    interrupt_on_ctrl_c(&stop);
    let worker_args = args.clone();
    let work = move |stop: &Stop, teller: &Teller<Message, Result<(), Refused>>| {
        work(&worker_args, role, stop, teller)
    };
    let supervised = |hear: &mut Hear<'_>, tick: &mut Tick<'_>| supervise(&limits, &stop, work, hear, tick);
    let voice = RefCell::new(voice);
    let collected = collect(&args, limits.start, &stop, &voice, supervised);
    let mut voice = voice.into_inner();
    let code = match collected {
        Err(refused) => voice.refuse(&refused),
        Ok(None) => undecided(&mut *voice, &stop),
        Ok(Some(mut answers)) => {
            answers.close(stop.reason());
            conclude(&args, &answers, &mut *voice)
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
    stop: &Stop,
    voice: &RefCell<Box<dyn Voice>>,
    wait: impl FnOnce(&mut Hear<'_>, &mut Tick<'_>) -> Result<Option<Result<(), Refused>>, Refused>,
) -> Result<Option<Answers>, Refused> {
    let unwritable = |error: std::io::Error| Refused::usage(format!("error: --statistics: {error}"));
    let statistics = args.statistics.as_deref().map(Statistics::new).transpose().map_err(unwritable)?;
    let (statistics, line) = (RefCell::new(statistics), RefCell::new(progress::Line::new()));
    let answers: RefCell<Option<Answers>> = RefCell::new(None);
    let mut hear = |message| {
        match message {
            Message::Planned(problem, claims, plan) => {
                voice.borrow_mut().accept(&problem)?;
                *answers.borrow_mut() = Some(Answers::new(&problem, &claims, &plan, start));
            }
            Message::Event(event) => {
                let settles = matches!(event, Event::Decided { .. } | Event::Core { .. });
                let mut answers = answers.borrow_mut();
                let answers = answers.as_mut().expect("a plan comes first");
                answers.absorb(event);
                if settles {
                    tell(args, answers, &mut **voice.borrow_mut(), &mut line.borrow_mut(), stop);
                }
            }
        }
        Ok(())
    };
    let mut tick = || {
        line.borrow_mut().update(answers.borrow().as_ref(), start);
        answers.borrow().iter().for_each(|answers| voice.borrow_mut().tick(answers));
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

/// Says at once what cannot change any more; and ends the run where the first failure is all that is wanted.
fn tell(
    args: &CheckArgs,
    answers: &mut Answers,
    voice: &mut dyn Voice,
    line: &mut progress::Line,
    stop: &Stop,
) {
    let mut settled = answers.settled(detail(args, voice));
    if settled.is_empty() {
        return;
    }
    settled.iter_mut().for_each(|(_, finding)| write_words(args, finding));
    line.clear();
    voice.settled(answers, &settled);
    let failed =
        |finding: &Finding| matches!(finding.outcome, Outcome::Falsified(_) | Outcome::Unreachable(_));
    if args.stop_at_first && settled.iter().any(|(_, finding)| failed(finding)) {
        answers.suffice("another one failed first");
        stop.request(&Stopped::Cancelled);
    }
}

fn work(
    args: &CheckArgs,
    role: Role,
    stop: &Stop,
    teller: &Teller<Message, Result<(), Refused>>,
) -> Result<(), Refused> {
    let Prepared { problem, claims, plan, state, board } = prepare(args, role)?;
    teller.tell(Message::Planned(problem.clone(), claims.clone(), plan.clone()));
    let state = state.iter().map(|state| state as &dyn Outside);
    let outside: Vec<&dyn Outside> = state.chain(board.iter().map(|board| board as &dyn Outside)).collect();
    run(&problem, &claims, &plan, &outside, stop, &|event| teller.tell(Message::Event(event)));
    Ok(())
}

/// All that a run needs.
struct Prepared {
    problem: Arc<Problem>,
    claims: Vec<ClaimId>,
    plan: Plan,
    state: Option<State>,
    board: Option<RedisBoard>,
}

fn prepare(args: &CheckArgs, role: Role) -> Result<Prepared, Refused> {
    let mut problem = load_model(&args.model, &args.limits)?;
    let usage = |message: String| Refused::usage(format!("error: {message}"));
    let own = Arc::get_mut(&mut problem).expect("nobody else has it yet");
    formulas::state_linear(&args.ltl, &args.ltl_file, own)?;
    formulas::state_trees(&args.ctl, own)?;
    own.cover(&args.cover).map_err(usage)?;
    let claims = formulas::select(&problem, &args.property)?;
    let mut choice = choice(args, &problem, &claims);
    if let Some(plan) = &args.plan {
        plans::choose(&mut choice, plan, &problem)?;
    }
    let board = join(args, role, &problem)?;
    if let (Role::Worker, Some(board)) = (role, &board) {
        choice.differ(&problem, board.number());
    }
    options::fit(args, &problem, &claims, choice.engines(&problem, &claims)?)?;
    if let Some(file) = &args.lemmas {
        choice.lemmas = hints(&problem, file)?;
    }
    let state = args.state.as_ref().map(|directory| State::open(directory, &problem));
    let state = state.map(|(state, notes)| {
        let said = notes.iter().filter(|_| args.verbose);
        said.for_each(|note| out::note(&format!("note: --state: {note}")));
        choice.lemmas = choice.lemmas.clone().and(state.lemmas(&problem));
        state
    });
    let plan = choice.plan(&problem, &claims)?;
    Ok(Prepared { problem, claims, plan, state, board })
}

/// The board of the model, where one is asked for.
fn join(args: &CheckArgs, role: Role, problem: &Problem) -> Result<Option<RedisBoard>, Refused> {
    let wrong = |what: String| Refused::usage(format!("error: --board: {what}"));
    match &args.board {
        Some(url) => RedisBoard::join(url, &ModelHash::of(problem)).map(Some).map_err(wrong),
        None if role == Role::Worker => {
            Err(wrong("a worker needs one: where others work on the model".into()))
        }
        None => Ok(None),
    }
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

fn choice(args: &CheckArgs, problem: &Problem, claims: &[ClaimId]) -> Choice {
    let seed = args.seed.unwrap_or(0);
    let live = !claims.is_empty() && claims.iter().all(|&claim| problem.claim(claim).is_temporal());
    let engines = engines(args, live);
    // A witness circuit cannot compare states, nor a script about words; where another engine may find an
    // invariant, that one is wanted. Nor has such a proof a core.
    let invariants = engines.is_empty() || engines.iter().any(|e| !matches!(e.bits, Some(Run::Paths(_))));
    let no_circuit = Kind::of(problem) == Kind::Bits && !invariants;
    let usual = Choice::default();
    // Patience goes by the clock.
    let patience = args.smt_patience.or(args.deterministic.then_some(Duration::MAX));
    Choice {
        engines,
        // The plan shall not depend on the machine.
        cores: if args.deterministic { 1 } else { args.cores.map_or(usual.cores, usize::from) },
        deterministic: args.deterministic,
        insists: Insists {
            generalize: args.ic3_generalize,
            preimages: args.ic3_theory,
            order: args.bdd_order,
            stride: args.bmc_stride.map(|steps| steps as usize),
        },
        settings: settings(args),
        seed,
        jobs: args.jobs.unwrap_or(1) as usize,
        follow: Follow {
            step_failures: args.show_cti,
            stories: args.explain,
            clauses: args.save_lemmas.is_some() || args.state.is_some(),
        },
        smt: solvers(&args.limits, args.smt_log.as_deref(), patience, seed),
        distinct: (args.certificate.is_none() || no_circuit) && !args.core,
        explain_cores: args.core,
        // Of a lasso that is explained, what does not matter is open.
        polish: Polish { smooth: args.smooth, dont_care: args.dont_care || args.explain && live },
        property_limit: args.property_timeout,
        memory: args.limits.memory,
        ..usual
    }
}

/// Those that were named; where the way to a verdict about states is to be told, IC3 alone; none for the usual
/// ones.
fn engines(args: &CheckArgs, live: bool) -> Vec<&'static Engine> {
    let named = |names: &[&str]| names.iter().filter_map(|name| Engine::by_name(name)).collect();
    match (args.engine.is_empty(), args.explain && !live, args.directed) {
        (false, ..) => args.engine.clone(),
        (true, true, _) => named(&["ic3"]),
        (true, false, true) => named(&["directed", "bmc"]),
        (true, false, false) => Vec::new(),
    }
}

/// The settings but for those that lanes may choose, too: see [`Insists`].
fn settings(args: &CheckArgs) -> Settings {
    let (fsis, diagrams, maps) = (Fsis::default(), Diagrams::default(), Maps::default());
    Settings {
        bound: args.bound.and_then(|b| usize::try_from(b).ok()).unwrap_or(usize::MAX),
        fsis: Fsis {
            down: args.fsis_down.unwrap_or(fsis.down),
            implicate: args.fsis_minimal.unwrap_or(fsis.implicate),
            generate: args.fsis_generate.unwrap_or(fsis.generate),
            share: args.fsis_share.unwrap_or(fsis.share),
        },
        diagrams: Diagrams { nodes: args.bdd_nodes.map_or(diagrams.nodes, |n| n as usize), ..diagrams },
        discover: kinds(&args.discover),
        maps: Maps {
            elimination: args.eliminate.unwrap_or(maps.elimination),
            nodes: args.bdd_nodes.map_or(maps.nodes, |n| n as usize),
            predicates: match args.predicates {
                Some(PredicateSource::Auto) => Predicates::Found,
                _ => Predicates::Given,
            },
        },
        ..Settings::default()
    }
}

/// A limit ended the run while the model was read.
fn undecided(voice: &mut dyn Voice, stop: &Stop) -> u8 {
    let why = stop.reason().map_or_else(|| "not tried".to_string(), |why| why.to_string());
    voice.cut_short(&format!("undecided: {why} while reading the model"))
}

/// How much is shown.
fn detail(args: &CheckArgs, voice: &dyn Voice) -> Detail {
    if args.report.is_some() { Detail::Everything } else { voice.detail() }
}

/// Writes what was asked for, tells the rest of the report, and gives the exit code.
fn conclude(args: &CheckArgs, answers: &Answers, voice: &mut dyn Voice) -> u8 {
    let mut report = answers.report(detail(args, voice));
    report.properties.iter_mut().for_each(|finding| write_words(args, finding));
    if args.strict {
        doubt(&mut report);
    }
    let written = artifacts::write(args, answers, &report);
    let mut code = voice.conclude(answers, &report);
    report.errors.iter().for_each(|fault| out::note(&format!("error: {fault}")));
    report.warnings.iter().for_each(|warning| out::note(&format!("warning: {warning}")));
    for outcome in written {
        match outcome {
            Ok(note) if voice.tells_of_files() => out::line(&note),
            Ok(_) => {}
            Err(error) => {
                out::note(&format!("error: {error}"));
                code = exit::FAULT;
            }
        }
    }
    code
}

/// Writes words as they are wanted.
fn write_words(args: &CheckArgs, finding: &mut Finding) {
    match args.radix {
        Some(Radix::Bin) => finding.write_in(report::Radix::Bin),
        Some(Radix::Dec) => finding.write_in(report::Radix::Dec),
        Some(Radix::Hex) => finding.write_in(report::Radix::Hex),
        None => {}
    }
}

/// Where all is proved: warns of what is doubtful, and says so by the exit code.
fn doubt(report: &mut Report) {
    let doubts: Vec<String> = report.properties.iter().filter_map(doubtful).collect();
    if report.exit_code == exit::PROVED && (report.properties.is_empty() || !doubts.is_empty()) {
        report.warnings.extend(doubts);
        report.exit_code = exit::DOUBTFUL;
    }
}

/// Why a proof says less than it seems to.
fn doubtful(finding: &Finding) -> Option<String> {
    let Outcome::Proved(proved) = &finding.outcome else { return None };
    let why = match (&proved.core, proved.vacuous) {
        (_, true) => "it is proved vacuously",
        (Some(CoreReport::Known { warning: Some(warning), .. }), _) => warning,
        _ => return None,
    };
    Some(format!("{}: {why}", finding.title))
}
