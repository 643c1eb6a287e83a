//! A solver's process and the pipe to it. Reading and writing wait for whichever is ready, so neither a solver
//! that does not read nor one that does not answer holds us, and the stop token counts at any time.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};

use buttress_term::sexpr::{self, Kind, Sexpr, SexprError};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Installed;
use crate::{Stop, Stopped};

/// How long a wait is before the stop token is looked at again.
const TICK: u16 = 10;

/// Bytes that a solver with the memory of glibc keeps when it frees them.
const KEPT: &str = "268435456";

/// Asks glibc for large pages: z3 touches 16 MB before it says its first word, and a start takes half the time in
/// pages of 2 MB.
const LARGE_PAGES: &str = "glibc.malloc.hugetlb=1";

/// See [`Bounds::patience`].
const IDLE: u32 = 5;

/// Nobody needs an answer as long as this.
const LONGEST_ANSWER: usize = 1 << 28;

/// What went wrong with a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The run is over: not the solver's fault.
    Stopped(Stopped),
    /// It could not be started.
    Start(String),
    /// It ended: how.
    Died(String),
    /// No answer in this time.
    Silent(Duration),
    /// It reported an error.
    Complaint(String),
    /// An answer that is none.
    Garbage(String),
    /// It answered `unknown`.
    GaveUp,
    /// A value that is none, or not of its sort.
    Value(String),
    /// Its model is not a model.
    Lied(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stopped(why) => write!(f, "{why}"),
            Failure::Start(why) => write!(f, "could not be started: {why}"),
            Failure::Died(how) => write!(f, "died: {how}"),
            Failure::Silent(time) => write!(f, "gave no answer in {:.1} s", time.as_secs_f64()),
            Failure::Complaint(what) => write!(f, "reported an error: {what}"),
            Failure::Garbage(what) => write!(f, "answered what is no answer: {what}"),
            Failure::GaveUp => f.write_str("answered unknown"),
            Failure::Value(what) => write!(f, "gave {what}"),
            Failure::Lied(what) => write!(f, "gave a model that is none: {what}"),
        }
    }
}

/// How a process is kept in bounds.
#[derive(Clone)]
pub struct Bounds {
    pub stop: Stop,
    /// The longest work on one answer: processor time, so that a busy machine makes nobody give up; a solver that
    /// only waits may do so for [`IDLE`] times as long.
    pub patience: Duration,
    /// Megabytes of address space.
    pub memory: Option<u64>,
}

pub struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    bounds: Bounds,
    /// Not yet written.
    outbox: Vec<u8>,
    /// Read, and not yet taken.
    inbox: String,
    /// Where the dialogue is recorded.
    log: Option<File>,
}

impl Process {
    pub fn start(found: &Installed, bounds: Bounds, log: Option<File>) -> Result<Process, Failure> {
        let start = |e: io::Error| Failure::Start(e.to_string());
        let mut command = match bounds.memory {
            None => Command::new(&found.path),
            Some(megabytes) => limited(found, megabytes),
        };
        command.args(found.adapter.arguments);
        // What it frees on `(reset)` stays its own: z3 takes 16 MB at once, and each page of it is paid for when
        // it is new.
        command.env("MALLOC_MMAP_THRESHOLD_", KEPT).env("MALLOC_TRIM_THRESHOLD_", KEPT);
        let asked = std::env::var("GLIBC_TUNABLES").ok().filter(|asked| !asked.is_empty());
        command.env(
            "GLIBC_TUNABLES",
            asked.map_or(LARGE_PAGES.into(), |asked| format!("{asked}:{LARGE_PAGES}")),
        );
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        die_with_us(&mut command);
        let mut child = spawn(command).map_err(start)?;
        let stdin = child.stdin.take().expect("it is a pipe");
        let stdout = child.stdout.take().expect("it is a pipe");
        fcntl(&stdin, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(|e| start(e.into()))?;
        Ok(Process { child, stdin, stdout, bounds, outbox: Vec::new(), inbox: String::new(), log })
    }

    /// For a new dialogue, in other bounds: everything that was said is forgotten.
    pub fn begin_anew(&mut self, bounds: Bounds, log: Option<File>) {
        (self.bounds, self.log) = (bounds, log);
        self.say("(reset)\n");
    }

    pub fn patience(&self) -> Duration {
        self.bounds.patience
    }

    /// The longest work on an answer from now on.
    pub fn set_patience(&mut self, patience: Duration) {
        self.bounds.patience = patience;
    }

    /// It has answered all that it was asked.
    pub fn is_at_rest(&self) -> bool {
        self.outbox.is_empty() && self.inbox.trim().is_empty()
    }

    /// Says this; it is written when an answer is waited for.
    pub fn say(&mut self, commands: &str) {
        self.record(commands);
        self.outbox.extend_from_slice(commands.as_bytes());
    }

    fn record(&mut self, text: &str) {
        if let Some(log) = &mut self.log {
            // A log that cannot be written costs no answer.
            let _ = log.write_all(text.as_bytes());
        }
    }

    /// The next answer.
    pub fn answer(&mut self) -> Result<Sexpr, Failure> {
        // An answer counts as one look, however long it takes: those while it is waited for depend on the clock.
        self.bounds.stop.check().map_err(Failure::Stopped)?;
        let (mut start, mut before) = (Instant::now(), None);
        loop {
            match sexpr::read(&self.inbox, 0) {
                Ok((answer, end)) => {
                    self.inbox.drain(..end);
                    self.record(&format!("; {answer}\n"));
                    return complaint(answer);
                }
                Err(SexprError::Unopened(_)) => return Err(Failure::Garbage(shorten(&self.inbox))),
                Err(SexprError::Incomplete) => {}
            }
            start += self.wait_for_turn()?;
            if start.elapsed() > Duration::from_millis(TICK.into()) {
                // Most answers are there before: they do not cost a look at the clock of another process.
                let before = *before.get_or_insert_with(|| self.processor_time());
                if self.took_too_long(start, before) {
                    return Err(Failure::Silent(self.bounds.patience));
                }
            }
            self.pump()?;
        }
    }

    /// While others have their turn, the solver stands still; for how long that was.
    fn wait_for_turn(&self) -> Result<Duration, Failure> {
        let stop = &self.bounds.stop;
        if stop.has_turn() {
            return stop.reason().map_or(Ok(Duration::ZERO), |why| Err(Failure::Stopped(why)));
        }
        let begin = Instant::now();
        self.signal(Signal::SIGSTOP);
        let stopped = stop.check();
        self.signal(Signal::SIGCONT);
        stopped.map(|()| begin.elapsed()).map_err(Failure::Stopped)
    }

    fn signal(&self, signal: Signal) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            // A solver that is gone is noticed when it is read.
            let _ = kill(Pid::from_raw(pid), signal);
        }
    }

    fn took_too_long(&self, start: Instant, before: Option<Duration>) -> bool {
        let (patience, waited) = (self.bounds.patience, start.elapsed());
        if waited <= patience {
            return false;
        }
        match (before, self.processor_time()) {
            (Some(before), Some(now)) => {
                now.saturating_sub(before) > patience || waited > patience.saturating_mul(IDLE)
            }
            _ => true,
        }
    }

    /// That the solver has used so far, where `/proc` tells.
    fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name of the program, in parentheses, may hold blanks; user and system time are fields 14 and 15.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut ticks = || fields.next()?.parse::<u64>().ok();
        Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
    }

    /// Writes and reads what can be, after a tick at the latest.
    fn pump(&mut self) -> Result<(), Failure> {
        let flags = |wanted| if wanted { PollFlags::POLLOUT } else { PollFlags::empty() };
        let mut ready = [
            PollFd::new(self.stdout.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.stdin.as_fd(), flags(!self.outbox.is_empty())),
        ];
        let watched = if self.outbox.is_empty() { 1 } else { 2 };
        let _ = poll(&mut ready[..watched], PollTimeout::from(TICK));
        let any = |fd: &PollFd<'_>| fd.any() == Some(true);
        let (readable, writable) = (any(&ready[0]), watched == 2 && any(&ready[1]));
        if writable {
            match self.stdin.write(&self.outbox) {
                Ok(written) => drop(self.outbox.drain(..written)),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                // What it said before it closed the pipe may still say why.
                Err(_) if readable => self.outbox.clear(),
                Err(_) => return Err(self.death()),
            }
        }
        if readable { self.read() } else { Ok(()) }
    }

    fn read(&mut self) -> Result<(), Failure> {
        let mut buffer = [0; 1 << 16];
        match self.stdout.read(&mut buffer) {
            Ok(0) => Err(self.death()),
            Ok(n) => {
                self.inbox.push_str(&String::from_utf8_lossy(&buffer[..n]));
                match self.inbox.len() > LONGEST_ANSWER {
                    true => Err(Failure::Garbage("an answer without end".to_string())),
                    false => Ok(()),
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(e) => Err(Failure::Died(e.to_string())),
        }
    }

    /// How it ended.
    fn death(&mut self) -> Failure {
        let deadline = Instant::now() + Duration::from_millis(200);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    let signal = status.signal().map(|s| format!("killed by signal {s}"));
                    return Failure::Died(signal.unwrap_or_else(|| status.to_string()));
                }
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                _ => return Failure::Died("it closed its output".to_string()),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process and whom to give it to.
type Order = (Command, mpsc::Sender<io::Result<Child>>);

/// By a thread that lives as long as we do: to the system its parent is a thread, with which it is
/// [killed](die_with_us), and a process may outlive the thread that asked for it.
fn spawn(command: Command) -> io::Result<Child> {
    static ORDERS: OnceLock<Mutex<mpsc::Sender<Order>>> = OnceLock::new();
    let begin = || {
        let (sender, orders) = mpsc::channel::<Order>();
        std::thread::spawn(move || {
            for (mut command, receiver) in orders {
                // Whoever asked may have gone.
                drop(receiver.send(command.spawn()));
            }
        });
        Mutex::new(sender)
    };
    let (sender, child) = mpsc::channel();
    let orders = ORDERS.get_or_init(begin).lock().expect("no holder panics").clone();
    orders.send((command, sender)).map_err(io::Error::other)?;
    child.recv().map_err(io::Error::other)?
}

/// A solver in the middle of a question does not see that its pipe is closed: where we are killed, the system
/// kills it, too.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn die_with_us(command: &mut Command) {
    use nix::sys::{prctl, signal::Signal};
    use std::os::unix::process::CommandExt;
    let die = || prctl::set_pdeathsig(Signal::SIGKILL).map_err(io::Error::from);
    // Sound: between fork and exec the closure makes one system call; it allocates nothing and takes no lock.
    unsafe { command.pre_exec(die) };
}

#[cfg(not(target_os = "linux"))]
fn die_with_us(_: &mut Command) {}

/// Through a shell, which can bound the address space.
fn limited(found: &Installed, megabytes: u64) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v \"$1\"; shift; exec \"$@\"", "sh"]);
    command.arg((megabytes * 1024).to_string()).arg(&found.path);
    command
}

fn complaint(answer: Sexpr) -> Result<Sexpr, Failure> {
    match answer.call() {
        Some(("error", what)) => {
            let text = what.first().map(|w| match &w.kind {
                Kind::Text(text) => text.clone(),
                _ => w.to_string(),
            });
            Err(Failure::Complaint(shorten(&text.unwrap_or_default())))
        }
        _ => Ok(answer),
    }
}

/// Enough of a text to know it again.
pub fn shorten(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}
