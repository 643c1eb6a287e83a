//! The file of results: a JSON object a line, appended as jobs end.
//!
//! A line is written at once and whole, under a lock that ends with the process. Whoever is killed while it writes
//! leaves a last line without its end, which the next batch cuts off. Every other line is a row; a file in which
//! one is not is no file of results, and is not touched.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::job::Job;
use crate::row::{Row, Status};

/// Which rows of earlier batches do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Again {
    Undecided,
    Failed,
    All,
}

impl Again {
    fn covers(self, row: &Row) -> bool {
        let open = || row.properties.iter().any(|finding| finding.status() == Status::Undecided);
        match self {
            Again::Undecided => row.status() == Status::Undecided || open(),
            Again::Failed => row.status() == Status::Failed,
            Again::All => true,
        }
    }
}

pub struct Results {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
}

impl Results {
    /// Opens a file or makes one, and reads what is there.
    pub fn open(path: &Path) -> Result<Results, String> {
        let named = |error: std::io::Error| format!("{}: error: {error}", path.display());
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path).map_err(named)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => format!("{}: error: another batch writes here", path.display()),
            TryLockError::Error(error) => named(error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(named)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let rows = read(path, &bytes[..whole])?;
        // Not the only line of a file that may be anything.
        if whole < bytes.len() && whole == 0 && !bytes.starts_with(b"{\"model\":") && !is_start(&bytes) {
            return Err(format!("{}:1: error: this is no row of results", path.display()));
        }
        file.set_len(whole as u64).map_err(named)?;
        Ok(Results { path: path.to_path_buf(), file, rows })
    }

    /// The last row that answers a job, but for those that are to be run again.
    pub fn answer(&self, job: &Job, again: &[Again]) -> Option<&Row> {
        let row = self.rows.iter().rev().find(|row| row.answers(job))?;
        (!again.iter().any(|again| again.covers(row))).then_some(row)
    }

    pub fn append(&mut self, row: &Row) -> Result<(), String> {
        let mut line = serde_json::to_vec(row).expect("a row is data");
        line.push(b'\n');
        self.file.write_all(&line).map_err(|error| format!("{}: error: {error}", self.path.display()))
    }
}

/// Whether a torn line may be the start of a row.
fn is_start(bytes: &[u8]) -> bool {
    b"{\"model\":".starts_with(bytes)
}

fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Row>, String> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let row = |(number, line)| {
        let wrong =
            |error| format!("{}:{}: error: this is no row of results: {error}", path.display(), number + 1);
        serde_json::from_slice(line).map_err(wrong)
    };
    lines.map(row).collect()
}
