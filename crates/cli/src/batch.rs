//! `buttress batch`: many models, a process each; alone, or over a queue that takers anywhere work on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use buttress_batch::{
    Again, Asked, Bench, Collected, Collector, Job, Results, Row, Taker, Told, alone, each_property, find,
    hash_of, take,
};
use buttress_driver::Refused;
use buttress_redis_board::{Queue, host};
use buttress_solve::Stop;

use crate::args::{self, BatchArgs};
use crate::command::{exit_code, interrupt_on_ctrl_c, refuse};
use crate::passed_on::PassedOn;
use crate::sheet::Sheet;
use crate::{exit, out};

const QUEUE: &str = "batch";
const LEASE: Duration = Duration::from_secs(15);
const WAIT: Duration = Duration::from_secs(60);

pub fn batch(args: BatchArgs) -> ! {
    let stop = Stop::new();
    interrupt_on_ctrl_c(&stop);
    let done = if args.take { taker(&args, &stop) } else { starter(&args, &stop) };
    let code = done.unwrap_or_else(|refused| refuse(&refused, args.json));
    std::process::exit(code.into())
}

/// Takes jobs until there are none.
fn taker(args: &BatchArgs, stop: &Stop) -> Result<u8, Refused> {
    if !args.check.words.is_empty() {
        let given = args.check.words.join(" ");
        return Err(Refused::usage(format!(
            "error: {given} does not apply: who began the batch says what runs"
        )));
    }
    let mut queue = queue(args)?;
    let number = queue.number().map_err(at_board)?;
    let lanes = args.jobs.map_or_else(cores, usize::from);
    let bench = bench(args, lanes, format!("taker {number}, {}", own_name()))?;
    let count = take_with(args, &bench, lanes, queue, stop)?;
    let jobs = if count == 1 { "job" } else { "jobs" };
    out::line(&format!("{count} {jobs} done by {}", bench.worker));
    Ok(if stop.reason().is_some() { exit::UNDECIDED } else { exit::PROVED })
}

fn take_with(
    args: &BatchArgs,
    bench: &Bench,
    lanes: usize,
    queue: Queue,
    stop: &Stop,
) -> Result<usize, Refused> {
    let wait = args.wait.unwrap_or(WAIT);
    let (fits, stopped) = (&fits, &|| stop.reason().is_some());
    take(&Taker { bench, lanes, wait, fits, stopped }, queue).map_err(at_board)
}

/// What a job brings is data of another process.
fn fits(asked: &Asked) -> Result<(), String> {
    PassedOn::check_words(&asked.options)
}

/// Says which jobs there are, has them run, and tells what came out.
fn starter(args: &BatchArgs, stop: &Stop) -> Result<u8, Refused> {
    let start = Instant::now();
    let asked = Arc::new(asked(args)?);
    let jobs = jobs(args, &asked)?;
    let mut results = args.results.as_deref().map(Results::open).transpose().map_err(Refused::usage)?;
    let mut sheet = Sheet::new(jobs.iter().map(Job::title).collect(), args.json);
    let open = reuse(args, jobs, results.as_ref(), &mut sheet);
    let mut tell = |number: usize, row: Row| {
        results.as_mut().map_or(Ok(()), |results| results.append(&row))?;
        out::print(&sheet.row(number, row, false));
        Ok(())
    };
    let ran = match &args.board {
        _ if open.is_empty() => Ok(()),
        Some(_) => over_board(args, open, stop, &mut tell),
        None => here(args, open, stop, &mut tell),
    };
    let error = ran.as_ref().err().map(|refused| &refused.message[..]);
    out::print(&sheet.end(start.elapsed(), error));
    error.iter().for_each(|error| out::note(error));
    Ok(ran.map_or_else(|refused| exit_code(&refused), |()| sheet.exit_code()))
}

/// The rows that stay, told at once; and the jobs that have none.
fn reuse(
    args: &BatchArgs,
    jobs: Vec<Job>,
    results: Option<&Results>,
    sheet: &mut Sheet,
) -> Vec<(usize, Job)> {
    let again: Vec<Again> = args.again.iter().map(|&again| again.into()).collect();
    let mut open = Vec::new();
    for (number, job) in jobs.into_iter().enumerate() {
        match results.and_then(|results| results.answer(&job, &again)) {
            Some(row) => out::print(&sheet.row(number, row.clone(), true)),
            None => open.push((number, job)),
        }
    }
    open
}

impl From<args::Again> for Again {
    fn from(again: args::Again) -> Again {
        match again {
            args::Again::Undecided => Again::Undecided,
            args::Again::Failed => Again::Failed,
            args::Again::All => Again::All,
        }
    }
}

/// Who hears of rows.
type Tell<'a> = dyn FnMut(usize, Row) -> Result<(), String> + 'a;

fn here(args: &BatchArgs, open: Vec<(usize, Job)>, stop: &Stop, tell: &mut Tell<'_>) -> Result<(), Refused> {
    let lanes = args.jobs.map_or_else(cores, usize::from);
    let bench = bench(args, lanes, own_name())?;
    alone(&bench, open, lanes, &|| stop.reason().is_some(), tell).map_err(Refused::fault)
}

fn over_board(
    args: &BatchArgs,
    open: Vec<(usize, Job)>,
    stop: &Stop,
    tell: &mut Tell<'_>,
) -> Result<(), Refused> {
    let collector = Collector::new(queue(args)?, own_name(), args.lease.unwrap_or(LEASE), args.send_models);
    let mut hear = |told| match told {
        Told::Row(number, row) => tell(number, *row),
        Told::Note(note) => {
            out::note(&format!("note: --board: {note}"));
            Ok(())
        }
    };
    std::thread::scope(|scope| {
        let own = args.jobs.map(|lanes| scope.spawn(move || own_lanes(args, lanes, stop)));
        let collected = collector.run(open, &|| stop.reason().is_some(), &mut hear);
        if collected != Ok(Collected::All) {
            // Its own lanes must not go on alone.
            stop.request(&buttress_solve::Stopped::Cancelled);
        }
        let own = own.map(|own| own.join().expect("a lane does not panic"));
        collected.map_err(at_board).and(own.unwrap_or(Ok(())))
    })
}

/// Who began the batch takes jobs, too, where it is told how many.
fn own_lanes(args: &BatchArgs, lanes: u16, stop: &Stop) -> Result<(), Refused> {
    let lanes = usize::from(lanes);
    let bench = bench(args, lanes, own_name())?;
    take_with(args, &bench, lanes, queue(args)?, stop).map(drop)
}

fn at_board(what: String) -> Refused {
    Refused::fault(format!("error: --board: {what}"))
}

fn queue(args: &BatchArgs) -> Result<Queue, Refused> {
    let url = args.board.as_deref().unwrap_or_default();
    let queue = Queue::at(url, args.queue.as_deref().unwrap_or(QUEUE));
    let mut queue = queue.map_err(|wrong| Refused::usage(format!("error: --board: {wrong}")))?;
    queue.reach().map_err(at_board)?;
    Ok(queue)
}

fn own_name() -> String {
    format!("process {} on {}", std::process::id(), host())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn program() -> Result<PathBuf, Refused> {
    std::env::current_exe()
        .map_err(|error| Refused::fault(format!("error: this program is not found: {error}")))
}

/// Where there are several lanes, a job has one core, unless somebody says otherwise.
fn bench(args: &BatchArgs, lanes: usize, worker: String) -> Result<Bench, Refused> {
    let cores = args.check.cores.or((lanes > 1).then_some(1));
    Ok(Bench::new(program()?, worker, cores, args.check.state.clone()))
}

fn asked(args: &BatchArgs) -> Result<Asked, Refused> {
    Ok(Asked {
        options: args.check.words.clone(),
        files: plan_file(args)?,
        timeout: args.timeout,
        memory: args.memory,
        cores: args.check.cores,
    })
}

/// The hash of a file of plans, where one is named.
fn plan_file(args: &BatchArgs) -> Result<Option<String>, Refused> {
    let plan = args.check.words.iter().find_map(|word| word.strip_prefix("--plan=")).map(Path::new);
    let Some(plan) = plan.filter(|plan| plan.is_file()) else { return Ok(None) };
    if args.board.is_some() {
        let message = "error: --plan FILE does not apply: over a board, plans are those that are built in";
        return Err(Refused::usage(message));
    }
    let hash = hash_of(plan).map_err(|error| format!("{}: error: {error}", plan.display()))?;
    Ok(Some(hash))
}

fn jobs(args: &BatchArgs, asked: &Arc<Asked>) -> Result<Vec<Job>, Refused> {
    let models = find(&args.models)?;
    if models.is_empty() {
        return Err(Refused::from("error: there are no models here".to_string()));
    }
    let jobs: Vec<Job> = models.into_iter().map(|model| Job::new(model, asked)).collect();
    if !args.each_property {
        return Ok(jobs);
    }
    Ok(each_property(&program()?, jobs, cores()))
}
