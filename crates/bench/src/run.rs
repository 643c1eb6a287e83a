//! Runs one tool on one file under limits, and reads its verdict.
//!
//! The limits hold for the whole process tree. The tree is looked at every 20 ms, so a run may
//! overstep a limit by that much before it is killed; an answer given past the CPU limit does
//! not count. The CPU time reported is the kernel's figure for the first process and all it
//! waited for, plus what is left behind at the end; for a killed run, the last sample if that
//! is more.
//! Output is read line by line and not kept; a line is cut into pieces of 64 KiB.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wait4::{ResUse, Wait4};

use super::guard::Guard;
use super::outcome::{Exit, Outcome, Verdict};
use super::tool::{Condition, Tool};
use super::tree::{Tree, Usage};

/// How far apart two looks at the process tree are.
const SAMPLE_EVERY: Duration = Duration::from_millis(20);
/// How long to wait for the output's end once the tree is dead.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);
const LINE_BYTES: u64 = 64 * 1024;
const NOTE_CHARS: usize = 120;
/// Exit codes that mean an orderly end without an answer.
const EXIT_UNKNOWN: [i32; 2] = [0, 30];
/// Bytes in an MB.
const MB: f64 = (1u64 << 20) as f64;

/// The limits of one run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// CPU time of the process tree.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// Resident bytes of the process tree.
    pub memory: u64,
}

/// The limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breach {
    Cpu,
    Wall,
    Memory,
}

/// A run that has ended and been waited for.
struct Ended {
    breach: Option<Breach>,
    status: ExitStatus,
    cpu: Duration,
    wall: Duration,
    peak: u64,
}

/// The verdicts and complaints in the output so far.
#[derive(Clone, Debug, Default)]
struct Seen {
    safe: bool,
    unsafe_: bool,
    /// The first line of the error output that speaks of an error, or else its last line.
    complaint: String,
    /// The complaint speaks of an error.
    settled: bool,
}

/// Which of the two outputs a line came from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Standard,
    Error,
}

/// Runs the tool on the file and waits for the end.
pub fn run(tool: &Tool, file: &str, limits: &Limits, guard: &Guard) -> Outcome {
    let start = Instant::now();
    let mut child = match spawn(tool, file) {
        Ok(child) => child,
        Err(error) => return failure(format!("cannot start {}: {error}", tool.program())),
    };
    guard.add(child.id());
    let reader = OutputReader::start(tool, &mut child);
    let ended = watch(&mut child, start, limits);
    guard.remove(child.id());
    match ended {
        Ok(ended) => outcome(tool, limits, &ended, &reader.finish()),
        Err(error) => failure(format!("cannot wait for {}: {error}", tool.program())),
    }
}

/// Starts the tool in a process group of its own, without input.
fn spawn(tool: &Tool, file: &str) -> io::Result<Child> {
    let words = tool.command_line(file);
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

/// The outcome of a run that did not take place.
fn failure(note: String) -> Outcome {
    Outcome {
        verdict: Verdict::Error,
        cpu: 0.0,
        wall: 0.0,
        peak_mb: 0.0,
        exit: Exit::Missing,
        note: one_line(&note),
    }
}

/// Waits for the end of the run, or brings it about at a limit; nothing of the tree is left.
fn watch(child: &mut Child, start: Instant, limits: &Limits) -> io::Result<Ended> {
    let mut watch = Watch::new(child.id(), start);
    loop {
        if let Some(used) = child.try_wait4()? {
            return Ok(watch.ended(&used));
        }
        watch.sample();
        if let Some(breach) = limits.breach(&watch.usage, watch.start.elapsed()) {
            watch.tree.kill();
            return Ok(watch.killed(breach, &reap(child)?));
        }
        thread::sleep(pause(watch.start.elapsed()));
    }
}

/// The measurements of a run under way.
struct Watch {
    start: Instant,
    tree: Tree,
    next_sample: Duration,
    usage: Usage,
    peak: u64,
}

impl Watch {
    fn new(root: u32, start: Instant) -> Watch {
        Watch { start, tree: Tree::new(root), next_sample: SAMPLE_EVERY, usage: Usage::default(), peak: 0 }
    }

    /// Looks at the tree if it is time to.
    fn sample(&mut self) {
        let wall = self.start.elapsed();
        if wall >= self.next_sample {
            self.next_sample = wall + SAMPLE_EVERY;
            self.usage = self.tree.sample();
            self.peak = self.peak.max(self.usage.memory);
        }
    }

    /// The first process ended by itself; what it left behind is charged and killed.
    fn ended(&mut self, used: &ResUse) -> Ended {
        let wall = self.start.elapsed();
        let left_behind = self.tree.sample().cpu;
        self.tree.kill_survivors();
        Ended {
            breach: None,
            status: used.status,
            cpu: charged(used) + left_behind,
            wall,
            peak: self.peak.max(used.rusage.maxrss),
        }
    }

    /// The tree was killed; children then go unaccounted, so the last sample counts too.
    fn killed(&self, breach: Breach, used: &ResUse) -> Ended {
        Ended {
            breach: Some(breach),
            status: used.status,
            cpu: charged(used).max(self.usage.cpu),
            wall: self.start.elapsed(),
            peak: self.peak.max(used.rusage.maxrss),
        }
    }
}

/// Waits for a killed child.
fn reap(child: &mut Child) -> io::Result<ResUse> {
    loop {
        if let Some(used) = child.try_wait4()? {
            return Ok(used);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Short at first, so that the wall time of short runs is exact to a few percent.
fn pause(wall: Duration) -> Duration {
    (wall / 50).clamp(Duration::from_micros(500), SAMPLE_EVERY)
}

/// The CPU time of the first process and of all it waited for, as the kernel accounts it.
fn charged(used: &ResUse) -> Duration {
    used.rusage.utime + used.rusage.stime
}

impl Limits {
    /// The first limit overstepped.
    fn breach(&self, usage: &Usage, wall: Duration) -> Option<Breach> {
        if usage.cpu > self.cpu {
            Some(Breach::Cpu)
        } else if usage.memory > self.memory {
            Some(Breach::Memory)
        } else if wall > self.wall {
            Some(Breach::Wall)
        } else {
            None
        }
    }
}

/// Reads the verdict off an ended run.
fn outcome(tool: &Tool, limits: &Limits, ended: &Ended, seen: &Seen) -> Outcome {
    let exit = exit_of(ended.status);
    let (verdict, note) = match ended.breach {
        Some(breach) => breached(breach),
        None => {
            let (verdict, note) = judge(tool, exit, seen);
            within_limit(verdict, note, ended.cpu > limits.cpu)
        }
    };
    Outcome {
        verdict,
        cpu: milliseconds(ended.cpu),
        wall: milliseconds(ended.wall),
        peak_mb: ended.peak as f64 / MB,
        exit,
        note: one_line(&note),
    }
}

/// Seconds, rounded as the table of results holds them, so that resuming changes nothing.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

/// The verdict on a run that was killed.
fn breached(breach: Breach) -> (Verdict, String) {
    match breach {
        Breach::Cpu => (Verdict::Time, String::new()),
        Breach::Wall => (Verdict::Time, "wall limit".to_owned()),
        Breach::Memory => (Verdict::Memory, String::new()),
    }
}

/// An answer past the limit is none, though the run got away.
fn within_limit(verdict: Verdict, note: String, late: bool) -> (Verdict, String) {
    if late { (Verdict::Time, format!("{verdict} past the limit")) } else { (verdict, note) }
}

/// The verdict on a run that ended by itself.
fn judge(tool: &Tool, exit: Exit, seen: &Seen) -> (Verdict, String) {
    let safe = seen.safe || exit_holds(&tool.safe, exit);
    let unsafe_ = seen.unsafe_ || exit_holds(&tool.unsafe_, exit);
    match (exit, safe, unsafe_) {
        (Exit::Signal(_) | Exit::Missing, ..) => (Verdict::Error, complaint(exit, seen)),
        (_, true, true) => (Verdict::Error, "both safe and unsafe".to_owned()),
        (_, true, false) => (Verdict::Safe, String::new()),
        (_, false, true) => (Verdict::Unsafe, String::new()),
        (Exit::Code(code), ..) if EXIT_UNKNOWN.contains(&code) => (Verdict::Unknown, String::new()),
        _ => (Verdict::Error, complaint(exit, seen)),
    }
}

fn exit_holds(conditions: &[Condition], exit: Exit) -> bool {
    conditions.iter().any(|c| matches!((c, exit), (Condition::Exit(n), Exit::Code(m)) if *n == m))
}

/// How the process ended, and its last words.
fn complaint(exit: Exit, seen: &Seen) -> String {
    let how = match exit {
        Exit::Code(code) => format!("exit {code}"),
        other => other.to_string(),
    };
    match seen.complaint.as_str() {
        "" => how,
        words => format!("{how}: {words}"),
    }
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(number)) => Exit::Signal(number),
        (None, None) => Exit::Missing,
    }
}

/// A short single line without control characters.
fn one_line(text: &str) -> String {
    let clean = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    clean.take(NOTE_CHARS).collect()
}

/// The threads that read a run's output.
struct OutputReader {
    seen: Arc<Mutex<Seen>>,
    /// Disconnected when the last thread has ended.
    ends: Receiver<()>,
}

impl OutputReader {
    /// Reads both outputs of the child from now on.
    fn start(tool: &Tool, child: &mut Child) -> OutputReader {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (end, ends) = channel();
        let tool = Arc::new(tool.clone());
        if let Some(output) = child.stdout.take() {
            read_in_background(output, Stream::Standard, &tool, &seen, end.clone());
        }
        if let Some(output) = child.stderr.take() {
            read_in_background(output, Stream::Error, &tool, &seen, end);
        }
        OutputReader { seen, ends }
    }

    /// The verdicts and complaints up to the end of the output. A process that escaped the tree may hold the
    /// output open, so the wait is limited.
    fn finish(self) -> Seen {
        let _ = self.ends.recv_timeout(OUTPUT_GRACE);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads one output to its end on a thread of its own.
fn read_in_background(
    output: impl Read + Send + 'static,
    stream: Stream,
    tool: &Arc<Tool>,
    seen: &Arc<Mutex<Seen>>,
    end: Sender<()>,
) {
    let (tool, seen) = (Arc::clone(tool), Arc::clone(seen));
    thread::spawn(move || {
        read_lines(output, |line| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.note_line(&tool, stream, line);
        });
        drop(end);
    });
}

/// Calls the function on every line, without the line break, until the end or an error.
fn read_lines(output: impl Read, mut each: impl FnMut(&str)) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while matches!((&mut output).take(LINE_BYTES).read_until(b'\n', &mut line), Ok(n) if n > 0) {
        let text = String::from_utf8_lossy(&line);
        each(text.trim_end_matches(['\n', '\r']));
        line.clear();
    }
}

impl Seen {
    /// Takes in one line of output.
    fn note_line(&mut self, tool: &Tool, stream: Stream, line: &str) {
        self.safe |= output_holds(&tool.safe, line);
        self.unsafe_ |= output_holds(&tool.unsafe_, line);
        if stream == Stream::Error && !self.settled && !line.trim().is_empty() {
            self.complaint = one_line(line);
            self.settled = speaks_of_error(line);
        }
    }
}

fn speaks_of_error(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.contains("error") || line.contains("panicked")
}

fn output_holds(conditions: &[Condition], line: &str) -> bool {
    conditions.iter().any(|c| matches!(c, Condition::Output(pattern) if pattern.matches(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { cpu: Duration::from_secs(5), wall: Duration::from_secs(30), memory: 4 << 30 };

    /// Runs a shell script under the limits; exit 20 is safe, `CEX` in the output unsafe.
    fn shell_under(script: &str, limits: &Limits) -> Outcome {
        let spec = format!("t=sh -c '{script}' {{file}}; safe=exit 20; unsafe=/^CEX/");
        run(&spec.parse().expect("a spec"), "m.aig", limits, &Guard::start())
    }

    fn shell(script: &str) -> Outcome {
        shell_under(script, &LIMITS)
    }

    #[test]
    fn verdicts_by_exit_code_and_output() {
        assert_eq!(shell("exit 20").verdict, Verdict::Safe);
        assert_eq!(shell("echo CEX; exit 3").verdict, Verdict::Unsafe);
        assert_eq!(shell("echo CEX >&2").verdict, Verdict::Unsafe);
        assert_eq!(shell("echo no CEX").verdict, Verdict::Unknown);
        assert_eq!(shell("exit 30").verdict, Verdict::Unknown);
    }

    #[test]
    fn crashes_are_errors_with_a_note() {
        let failed = shell("echo hm >&2; echo Error: oh >&2; echo bye >&2; exit 7");
        assert_eq!((failed.verdict, failed.exit), (Verdict::Error, Exit::Code(7)));
        assert_eq!(failed.note, "exit 7: Error: oh");
        assert_eq!(shell("echo a >&2; echo b >&2; exit 7").note, "exit 7: b");
        let killed = shell("echo CEX; kill -11 $$");
        assert_eq!((killed.verdict, killed.exit), (Verdict::Error, Exit::Signal(11)));
        assert_eq!(killed.note, "signal 11");
        assert_eq!(shell("echo CEX; exit 20").note, "both safe and unsafe");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let tool: Tool = "t=/no/such/program {file}; safe=exit 0".parse().expect("a spec");
        let outcome = run(&tool, "m.aig", &LIMITS, &Guard::start());
        assert_eq!((outcome.verdict, outcome.exit), (Verdict::Error, Exit::Missing));
        assert!(outcome.note.starts_with("cannot start /no/such/program"), "{}", outcome.note);
    }

    #[test]
    fn the_cpu_limit_holds_for_forked_children() {
        let limits = Limits { cpu: Duration::from_millis(300), ..LIMITS };
        let started = Instant::now();
        let outcome = shell_under("while :; do :; done & while :; do :; done & wait", &limits);
        assert_eq!(outcome.verdict, Verdict::Time);
        assert!(outcome.cpu > 0.3 && outcome.cpu < 2.0, "{outcome:?}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn children_waited_for_are_charged() {
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let outcome = shell(&format!("({busy}); exit 20"));
        assert_eq!(outcome.verdict, Verdict::Safe);
        assert!(outcome.cpu > 0.02, "{outcome:?}");
    }

    #[test]
    fn orphans_are_killed_at_the_end_and_charged() {
        let started = Instant::now();
        let outcome = shell("(while :; do :; done) & sleep 1; exit 20");
        assert_eq!(outcome.verdict, Verdict::Safe);
        assert!(outcome.cpu > 0.02, "{outcome:?}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn orphans_count_towards_the_limit_while_the_run_lasts() {
        let limits = Limits { cpu: Duration::from_millis(300), ..LIMITS };
        // The subshell in between ends at once, so the loop has lost its parent.
        let outcome = shell_under("( (while :; do :; done) & ); sleep 20; exit 20", &limits);
        assert_eq!(outcome.verdict, Verdict::Time);
        assert!(outcome.wall < 15.0, "{outcome:?}");
    }

    #[test]
    fn the_memory_limit_holds_for_the_tree() {
        let limits = Limits { memory: 100 << 20, ..LIMITS };
        let outcome = shell_under("head -c 3000000000 /dev/zero | tail; exit 20", &limits);
        assert_eq!(outcome.verdict, Verdict::Memory);
        assert!(outcome.peak_mb > 100.0, "{outcome:?}");
    }

    #[test]
    fn the_wall_limit_ends_a_sleeper() {
        let limits = Limits { wall: Duration::from_millis(200), ..LIMITS };
        let outcome = shell_under("sleep 60", &limits);
        assert_eq!((outcome.verdict, outcome.note.as_str()), (Verdict::Time, "wall limit"));
        assert!(outcome.wall < 5.0);
    }

    #[test]
    fn a_late_answer_does_not_count() {
        let (verdict, note) = within_limit(Verdict::Safe, String::new(), true);
        assert_eq!((verdict, note.as_str()), (Verdict::Time, "safe past the limit"));
    }

    #[test]
    fn much_output_does_not_block() {
        let outcome = shell("head -c 5000000 /dev/zero; echo; echo CEX");
        assert_eq!(outcome.verdict, Verdict::Unsafe);
    }

    #[test]
    fn lines_are_cut_and_cleaned() {
        let mut lines = Vec::new();
        read_lines(&b"a\r\nb\n\nc"[..], |line| lines.push(line.to_owned()));
        assert_eq!(lines, ["a", "b", "", "c"]);
        assert_eq!(one_line(" a\tb\n"), "a b");
    }
}
