//! Where each engine is, over time: a CSV file for plots (`--statistics`).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Findings, Place};
use crate::limits::process_tree_memory;

/// How often a line is written.
const EVERY: Duration = Duration::from_millis(100);

pub struct Statistics {
    out: BufWriter<File>,
    last: Option<Instant>,
}

impl Statistics {
    pub fn new(path: &Path) -> io::Result<Statistics> {
        let mut out = BufWriter::new(File::create(path)?);
        writeln!(out, "seconds,bytes,engine,thread,depth,size,queries")?;
        Ok(Statistics { out, last: None })
    }

    /// Writes a line for each thread, where the last ones are old enough.
    pub fn update(&mut self, findings: &Findings) -> io::Result<()> {
        if self.last.is_none_or(|at| at.elapsed() >= EVERY) {
            self.last = Some(Instant::now());
            self.write(findings)?;
        }
        Ok(())
    }

    /// The last lines.
    pub fn close(mut self, findings: &Findings) -> io::Result<()> {
        self.write(findings)?;
        self.out.flush()
    }

    fn write(&mut self, findings: &Findings) -> io::Result<()> {
        let seconds = findings.start.elapsed().as_secs_f64();
        let bytes = process_tree_memory();
        for Place { engine, thread, progress } in &findings.progress {
            let (name, depth, size, queries) = (engine.name, progress.depth, progress.size, progress.queries);
            writeln!(self.out, "{seconds:.2},{bytes},{name},{thread},{depth},{size},{queries}")?;
        }
        Ok(())
    }
}
