//! Limits that hold: a deadline from the start of the program, and memory summed over the process tree.

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use buttress_solve::{Stop, Stopped};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::model::Refused;

pub struct Limits {
    pub start: Instant,
    timeout: Option<Duration>,
    /// Bytes; the watchdog bites below what the user allowed.
    memory: Option<u64>,
}

/// How long a stopped run may take to come to rest before the report is printed without it.
pub const GRACE: Duration = Duration::from_millis(600);

/// How often limits are looked at.
pub const TICK: Duration = Duration::from_millis(20);

const MB: u64 = 1 << 20;

impl Limits {
    pub fn new(start: Instant, timeout: Option<Duration>, memory_mb: Option<u64>) -> Limits {
        // A tick's worth of allocation must fit between the watchdog and the limit.
        let memory = memory_mb.map(|mb| (mb * MB).saturating_sub((mb * MB / 10).max(32 * MB)));
        Limits { start, timeout, memory }
    }

    /// From now on.
    pub fn of_time(timeout: Option<Duration>) -> Limits {
        Limits::new(Instant::now(), timeout, None)
    }

    /// The limit that is exceeded, if one is.
    pub fn exceeded(&self) -> Option<Stopped> {
        if self.timeout.is_some_and(|t| self.start.elapsed() >= t) {
            return Some(Stopped::Time);
        }
        let memory = self.memory.filter(|&limit| process_tree_memory() >= limit);
        memory.map(|_| Stopped::Memory)
    }
}

/// Resident bytes of this process and its descendants; 0 where the system does not tell.
pub fn process_tree_memory() -> u64 {
    resident("self") + children().iter().map(|pid| resident(pid)).sum::<u64>()
}

fn resident(pid: &str) -> u64 {
    let pages = |text: String| text.split_whitespace().nth(1)?.parse::<u64>().ok();
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm"));
    statm.ok().and_then(pages).unwrap_or(0) * 4096
}

/// Process ids of all descendants, by walking `/proc/*/task/*/children`.
fn children() -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut todo = vec!["self".to_string()];
    while let Some(pid) = todo.pop() {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            let children: Vec<String> = children.split_whitespace().map(str::to_string).collect();
            todo.extend(children.iter().cloned());
            found.extend(children);
        }
    }
    found
}

/// What something took, in seconds.
#[derive(Clone, Copy, Default)]
pub struct Spent {
    pub wall: f64,
    /// Of all threads and solvers.
    pub cpu: f64,
}

/// Measures from its start on.
pub struct Clock {
    start: Instant,
    cpu: f64,
}

impl Clock {
    pub fn start() -> Clock {
        Clock { start: Instant::now(), cpu: processor_time() }
    }

    pub fn spent(&self) -> Spent {
        Spent { wall: self.start.elapsed().as_secs_f64(), cpu: processor_time() - self.cpu }
    }
}

/// Processor seconds of this process, of its children that were waited for, and of those that run: a solver that one
/// part of the work leaves to the next counts for each as much as it did for it. 0 where the system does not tell.
fn processor_time() -> f64 {
    let seconds = |t: TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 * 1e-6;
    let of = |who| getrusage(who).map_or(0.0, |u| seconds(u.user_time()) + seconds(u.system_time()));
    let running: f64 = children().iter().map(|pid| run_time(pid)).sum();
    of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN) + running
}

/// Processor seconds of a process that runs: the first figure of `/proc/<pid>/task/*/schedstat`, in nanoseconds.
fn run_time(pid: &str) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of_task = |task: std::fs::DirEntry| {
        let figures = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        figures.split_whitespace().next()?.parse::<f64>().ok()
    };
    tasks.filter_map(of_task).sum::<f64>() * 1e-9
}

/// How long an engine that only helps others leaves them alone: what they decide at once shall cost no more.
const HEAD_START: Duration = Duration::from_millis(300);

/// Lets the others begin.
pub fn give_head_start(stop: &Stop) -> Result<(), Stopped> {
    let start = Instant::now();
    while start.elapsed() < HEAD_START {
        stop.check()?;
        thread::sleep(TICK);
    }
    Ok(())
}

/// A command that ends with an exit code, or is refused with a message.
pub fn run_within(limits: Limits, run: impl FnOnce(&Stop) -> Result<u8, Refused>) -> ExitCode {
    let stop = Stop::new();
    stop_beyond(&stop, limits);
    let code = run(&stop).unwrap_or_else(|(code, message)| {
        eprintln!("{message}");
        code
    });
    code.into()
}

/// Asks for a stop when a limit is exceeded.
fn stop_beyond(stop: &Stop, limits: Limits) {
    if limits.memory.is_none() {
        return stop_after(stop, limits.timeout);
    }
    let stop = stop.clone();
    thread::spawn(move || {
        let exceeded = loop {
            thread::sleep(TICK);
            if let Some(why) = limits.exceeded() {
                break why;
            }
        };
        stop.request(&exceeded);
    });
}

/// Asks for a stop when the time is over.
pub fn stop_after(stop: &Stop, timeout: Option<Duration>) {
    if let Some(timeout) = timeout {
        let stop = stop.clone();
        thread::spawn(move || {
            thread::sleep(timeout);
            stop.request(&Stopped::Time);
        });
    }
}
