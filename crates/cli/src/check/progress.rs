//! The live line on a terminal; nothing in a pipe.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use buttress_engine::{Engine, Progress};

use super::{Findings, Outcome};

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

    pub fn update(&mut self, findings: &Findings) {
        if self.terminal && self.drawn.is_none_or(|at| at.elapsed() >= REDRAW) {
            self.drawn = Some(Instant::now());
            // The last column stays free: some terminals wrap once it is filled.
            let line: String = describe(findings).chars().take(width() - 1).collect();
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

fn describe(findings: &Findings) -> String {
    let seconds = findings.start.elapsed().as_secs_f64();
    let Some(model) = &findings.model else { return format!("{seconds:6.1} s  reading") };
    let open: Vec<_> = findings.properties.iter().filter(|f| matches!(f.outcome, Outcome::Open)).collect();
    let what = match open.as_slice() {
        [one] => model.title(one.property),
        many => format!("{} of {} properties open", many.len(), findings.properties.len()),
    };
    let engines: Vec<String> = findings.progress.iter().map(|p| engine(p.engine, &p.progress)).collect();
    format!("{seconds:6.1} s  {what}  {}", engines.join("  "))
}

fn engine(engine: &Engine, progress: &Progress) -> String {
    let size = match progress.size {
        n if n >= 10_000_000 => format!("{}M", n / 1_000_000),
        n if n >= 10_000 => format!("{}k", n / 1_000),
        n => n.to_string(),
    };
    format!("{} {} {} ({size} {})", engine.title, engine.measure, progress.depth, engine.unit)
}
