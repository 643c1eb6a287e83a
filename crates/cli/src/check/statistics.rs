//! Where each engine is, over time: a CSV file for plots (`--statistics`).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use buttress_driver::Answers;
use buttress_driver::supervise::process_tree_memory;

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
    pub fn update(&mut self, answers: Option<&Answers>, start: Instant) -> io::Result<()> {
        if self.last.is_none_or(|at| at.elapsed() >= EVERY) {
            self.last = Some(Instant::now());
            self.write(answers, start)?;
        }
        Ok(())
    }

    /// The last lines.
    pub fn close(mut self, answers: Option<&Answers>, start: Instant) -> io::Result<()> {
        self.write(answers, start)?;
        self.out.flush()
    }

    fn write(&mut self, answers: Option<&Answers>, start: Instant) -> io::Result<()> {
        let seconds = start.elapsed().as_secs_f64();
        let bytes = process_tree_memory();
        for lane in answers.map(|answers| answers.progress().1).into_iter().flatten() {
            let (name, depth, size) = (lane.engine, lane.depth, lane.size);
            let (thread, queries) = (lane.thread.unwrap_or(0), lane.queries.unwrap_or(0));
            writeln!(self.out, "{seconds:.2},{bytes},{name},{thread},{depth},{size},{queries}")?;
        }
        Ok(())
    }
}
