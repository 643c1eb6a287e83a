//! Limits that hold, whatever the work does: a deadline from the start of the program, and memory summed over the
//! process tree.
//!
//! The work happens in a thread of its own; the caller only waits. When a limit is exceeded, the work is asked to
//! stop, has [`GRACE`] to come to rest, and is then left behind: the caller goes on with what it was told until
//! then. What was told is never lost: all messages are read before the wait ends.
//!
//! Memory is watched at 90 % of the limit, or 32 MB under it. A reader refuses a header that claims more than the
//! limit holds before it allocates anything. `bench` limits its runs from outside.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use buttress_solve::{Stop, Stopped};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

pub struct Limits {
    pub start: Instant,
    timeout: Option<Duration>,
    /// Bytes; the watchdog bites below what the user allowed.
    memory: Option<u64>,
    grace: Duration,
}

/// How long stopped work may take to come to rest before the caller goes on without it.
pub const GRACE: Duration = Duration::from_millis(600);

/// How often limits are looked at.
pub const TICK: Duration = Duration::from_millis(20);

const MB: u64 = 1 << 20;

/// Bytes at which a run ends that may take so many MB: a tick's worth of allocation must fit in between.
pub(crate) fn watched(mb: u64) -> u64 {
    (mb * MB).saturating_sub((mb * MB / 10).max(32 * MB))
}

impl Limits {
    /// From now on.
    pub fn new(timeout: Option<Duration>, memory_mb: Option<u64>) -> Limits {
        Limits { start: Instant::now(), timeout, memory: memory_mb.map(watched), grace: GRACE }
    }

    /// With another time to come to rest.
    pub fn with_grace(self, grace: Duration) -> Limits {
        Limits { grace, ..self }
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

/// What a supervised thread tells, and its result at the end.
enum Message<M, T> {
    Said(M),
    Done(T),
}

/// Who the work tells what happens.
pub struct Teller<M, T>(Sender<Message<M, T>>);

impl<M, T> Teller<M, T> {
    /// The listener is gone only when the process ends.
    pub fn tell(&self, message: M) {
        drop(self.0.send(Message::Said(message)));
    }
}

/// Does work under limits. `hear` gets what the work tells, `tick` is called many times a second; an error of
/// either ends the wait. `None` where the work did not come to an end; then the caller must end the process
/// without it.
pub fn supervise<M, T, E>(
    limits: &Limits,
    stop: &Stop,
    work: impl FnOnce(&Stop, &Teller<M, T>) -> T + Send + 'static,
    hear: &mut dyn FnMut(M) -> Result<(), E>,
    tick: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<T>, E>
where
    M: Send + 'static,
    T: Send + 'static,
{
    let (sender, inbox) = mpsc::channel();
    let own = stop.clone();
    thread::spawn(move || {
        let teller = Teller(sender);
        let done = work(&own, &teller);
        drop(teller.0.send(Message::Done(done)));
    });
    let mut deadline: Option<Instant> = None;
    let mut looked = Instant::now();
    loop {
        if let Some(done) = listen(&inbox, hear)? {
            return Ok(done);
        }
        if looked.elapsed() >= TICK {
            looked = Instant::now();
            if let Some(why) = limits.exceeded() {
                stop.request(&why);
            }
            tick()?;
        }
        if deadline.is_none() && stop.requested() {
            deadline = Some(Instant::now() + limits.grace);
        }
        if deadline.is_some_and(|d| Instant::now() >= d) {
            while let Ok(message) = inbox.try_recv() {
                match message {
                    Message::Said(said) => hear(said)?,
                    Message::Done(done) => return Ok(Some(done)),
                }
            }
            return Ok(None);
        }
    }
}

/// Hears all that was said until now, waiting a tick for the first word. `Some` when the work is over: with its
/// result, or without one where it panicked.
fn listen<M, T, E>(
    inbox: &Receiver<Message<M, T>>,
    hear: &mut dyn FnMut(M) -> Result<(), E>,
) -> Result<Option<Option<T>>, E> {
    let until = Instant::now() + TICK;
    let mut first = inbox.recv_timeout(TICK);
    loop {
        match first {
            Ok(Message::Said(said)) => hear(said)?,
            Ok(Message::Done(done)) => return Ok(Some(Some(done))),
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => return Ok(Some(None)),
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        first = inbox.try_recv().map_err(|why| match why {
            mpsc::TryRecvError::Empty => RecvTimeoutError::Timeout,
            mpsc::TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        });
    }
}

/// Runs with a stop of its own, which follows the given one and a time limit; time out of turn does not count.
pub fn within<T>(stop: &Stop, limit: Option<Duration>, run: impl FnOnce(&Stop) -> T) -> T {
    let own = stop.apart();
    let (start, waited) = (Instant::now(), stop.kept_waiting());
    let worked = || (start.elapsed() + waited).saturating_sub(stop.kept_waiting());
    let (done, ended) = mpsc::channel::<()>();
    let watch = |ended: Receiver<()>, own: Stop| {
        while ended.recv_timeout(TICK / 4) == Err(RecvTimeoutError::Timeout) {
            if let Some(why) = stop.reason() {
                own.request(&why);
            }
            if limit.is_some_and(|limit| worked() >= limit) {
                own.request(&Stopped::Time);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| watch(ended, own.clone()));
        let result = run(&own);
        drop(done);
        result
    })
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
#[derive(Clone, Copy, Default, Debug)]
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
        let cpu = (processor_time() - self.cpu).max(0.0);
        Spent { wall: self.start.elapsed().as_secs_f64(), cpu }
    }
}

/// Processor seconds of this process, of its children that were waited for, and of those that run: a solver that
/// one part of the work leaves to the next counts for each as much as it did for it. 0 where the system does not
/// tell. The sources differ a little, so that it may seem to go backwards when a child ends.
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
