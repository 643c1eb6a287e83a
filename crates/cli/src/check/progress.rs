//! The live line on a terminal; nothing in a pipe.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use buttress_driver::Answers;
use buttress_driver::report::LaneReport;

/// How often the line is drawn.
const REDRAW: Duration = Duration::from_millis(100);

pub struct Line {
    terminal: bool,
    drawn: Option<Instant>,
}

impl Line {
    pub fn new() -> Line {
        Line { terminal: std::io::stderr().is_terminal(), drawn: None }
    }

    pub fn update(&mut self, answers: Option<&Answers>, start: Instant) {
        if self.terminal && self.drawn.is_none_or(|at| at.elapsed() >= REDRAW) {
            self.drawn = Some(Instant::now());
            // The last column stays free: some terminals wrap once it is filled.
            let line: String = describe(answers, start).chars().take(width() - 1).collect();
            // Carriage return, erase the line: the cursor stays on it.
            let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
        }
    }

    pub fn clear(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

/// The width of the terminal now, or a usual one where it does not tell.
fn width() -> usize {
    let told = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0));
    told.filter(|&width| width > 1).unwrap_or(80)
}

fn describe(answers: Option<&Answers>, start: Instant) -> String {
    let seconds = start.elapsed().as_secs_f64();
    let Some(answers) = answers else { return format!("{seconds:6.1} s  reading") };
    let (open, lanes) = answers.progress();
    let what = match open.as_slice() {
        [one] => one.to_string(),
        many => format!("{} properties open", many.len()),
    };
    let lanes: Vec<String> = lanes.iter().map(lane).collect();
    format!("{seconds:6.1} s  {what}  {}", lanes.join("  "))
}

fn lane(lane: &LaneReport) -> String {
    let size = match lane.size {
        n if n >= 10_000_000 => format!("{}M", n / 1_000_000),
        n if n >= 10_000 => format!("{}k", n / 1_000),
        n => n.to_string(),
    };
    format!("{} {} {} ({size} {})", lane.title, lane.measure, lane.depth, lane.unit)
}
