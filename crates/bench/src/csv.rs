//! Comma-separated tables: the results as they come in, and tables of others' verdicts.
//!
//! Every row is written and flushed as soon as its run has ended. A table that breaks off in
//! the middle of a row, as after a power cut, loses that row when it is resumed. The limits of
//! a run are not in the table: resume with the limits it was begun with.

use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem::take;
use std::path::Path;

use super::outcome::{Exit, Outcome, Verdict};

/// The columns of a table of results.
const COLUMNS: [&str; 8] = ["file", "tool", "verdict", "cpu_s", "wall_s", "peak_mb", "exit", "note"];

/// Results by file and tool.
pub type Results = HashMap<(String, String), Outcome>;

/// Why a table could not be used.
#[derive(Debug)]
pub enum CsvError {
    Io(io::Error),
    /// The first row is not the one expected, or lacks this column.
    Header(String),
    /// The table exists and is not to be resumed.
    Exists,
}

impl fmt::Display for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CsvError::Io(error) => error.fmt(f),
            CsvError::Header(wanted) => write!(f, "its first row lacks `{wanted}`"),
            CsvError::Exists => write!(f, "it exists; resume it with --resume, or remove it"),
        }
    }
}

impl std::error::Error for CsvError {}

impl From<io::Error> for CsvError {
    fn from(error: io::Error) -> CsvError {
        CsvError::Io(error)
    }
}

/// A table of results that grows by a row for every run.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Begins a new table; one that exists is left alone.
    pub fn create(path: &Path) -> Result<Journal, CsvError> {
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
                match error.kind() {
                    io::ErrorKind::AlreadyExists => CsvError::Exists,
                    _ => CsvError::Io(error),
                }
            })?;
        file.write_all(header().as_bytes())?;
        Ok(Journal { file })
    }

    /// Reads the rows of a table and goes on behind its last whole one.
    pub fn resume(path: &Path) -> Result<(Journal, Results), CsvError> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let text = io::read_to_string(&file)?;
        if text.is_empty() {
            file.write_all(header().as_bytes())?;
            return Ok((Journal { file }, Results::new()));
        }
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let results = read_results(&text[..whole])?;
        file.set_len(whole as u64)?;
        Ok((Journal { file }, results))
    }

    /// Appends the row of one run.
    pub fn append(&mut self, file: &str, tool: &str, outcome: &Outcome) -> io::Result<()> {
        self.file.write_all(line(&row(file, tool, outcome)).as_bytes())?;
        self.file.flush()
    }
}

/// The first line of a table of results.
fn header() -> String {
    line(&COLUMNS.map(str::to_owned))
}

/// The fields of one result.
fn row(file: &str, tool: &str, outcome: &Outcome) -> [String; 8] {
    [
        file.to_owned(),
        tool.to_owned(),
        outcome.verdict.to_string(),
        format!("{:.3}", outcome.cpu),
        format!("{:.3}", outcome.wall),
        format!("{:.1}", outcome.peak_mb),
        outcome.exit.to_string(),
        outcome.note.clone(),
    ]
}

/// Reads a table of results; of two rows for one run, the later one counts.
fn read_results(text: &str) -> Result<Results, CsvError> {
    let mut rows = rows(text).into_iter();
    if rows.next().is_none_or(|header| header != COLUMNS) {
        return Err(CsvError::Header(COLUMNS.join(",")));
    }
    Ok(rows.filter_map(|row| read_result(&row)).collect())
}

/// Reads one row of results; one that is damaged does not count, and its run is repeated.
fn read_result(row: &[String]) -> Option<((String, String), Outcome)> {
    let [file, tool, verdict, cpu, wall, peak, exit, note] = row else {
        return None;
    };
    let outcome = Outcome {
        verdict: Verdict::from_word(verdict)?,
        cpu: cpu.parse().ok()?,
        wall: wall.parse().ok()?,
        peak_mb: peak.parse().ok()?,
        exit: Exit::from_word(exit)?,
        note: note.clone(),
    };
    Some(((file.clone(), tool.clone()), outcome))
}

/// Reads the given columns of a table, in the given order. Other columns may be there.
pub fn read_columns<const N: usize>(path: &Path, names: [&str; N]) -> Result<Vec<[String; N]>, CsvError> {
    columns(&std::fs::read_to_string(path)?, names)
}

fn columns<const N: usize>(text: &str, names: [&str; N]) -> Result<Vec<[String; N]>, CsvError> {
    let rows = rows(text);
    let (header, rows) = rows.split_first().ok_or_else(|| CsvError::Header(names.join(",")))?;
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        let found = header.iter().position(|column| column.trim().eq_ignore_ascii_case(name));
        *place = found.ok_or_else(|| CsvError::Header(name.to_owned()))?;
    }
    let pick = |row: &Vec<String>| places.map(|at| row.get(at).cloned().unwrap_or_default());
    Ok(rows.iter().map(pick).collect())
}

/// One line of a table, its end included.
fn line(fields: &[String]) -> String {
    let quoted: Vec<String> = fields.iter().map(|field| quote(field)).collect();
    quoted.join(",") + "\n"
}

/// A field in quotes where it needs them.
fn quote(field: &str) -> String {
    let outer_space = field.starts_with(' ') || field.ends_with(' ');
    if outer_space || field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// All rows of a table, the empty ones left out.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(take(&mut field)),
            '\n' if !quoted => {
                row.push(take(&mut field));
                rows.push(take(&mut row));
            }
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            _ => field.push(c),
        }
    }
    row.push(field);
    rows.push(row);
    rows.retain(|row| row.iter().any(|field| !field.is_empty()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn outcome(note: &str) -> Outcome {
        let note = note.to_owned();
        Outcome { note, ..Outcome::sample(Verdict::Safe, 0.25) }
    }

    fn key(file: &str, tool: &str) -> (String, String) {
        (file.to_owned(), tool.to_owned())
    }

    #[test]
    fn fields_are_quoted_and_read_back() {
        let fields = ["plain", "a,b", "say \"x\"", "two\nlines", "", " edge "];
        let fields = fields.map(str::to_owned);
        let text = line(&fields);
        assert!(text.starts_with("plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",,\" edge \""));
        assert_eq!(rows(&text), [fields.to_vec()]);
    }

    #[test]
    fn foreign_line_ends_and_blank_lines() {
        assert_eq!(rows("\u{feff}a,b\r\n\r\nc,\n"), [["a", "b"], ["c", ""]]);
        assert!(rows("").is_empty());
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = "tool,File,x,verdict\nabc,m.aig,1,safe\nshort\n";
        let picked = columns(text, ["file", "verdict"]).expect("columns");
        assert_eq!(picked, [["m.aig", "safe"], ["", ""]]);
        assert!(matches!(columns(text, ["expected"]), Err(CsvError::Header(_))));
        assert!(matches!(columns("", ["file"]), Err(CsvError::Header(_))));
    }

    #[test]
    fn a_journal_resumes_behind_its_last_whole_row() {
        let scratch = Scratch::new();
        let path = scratch.path().join("r.csv");
        let mut journal = Journal::create(&path).expect("created");
        journal.append("a,b.aig", "abc", &outcome("x \"y\"")).expect("a row");
        assert!(matches!(Journal::create(&path), Err(CsvError::Exists)));
        let broken = std::fs::read_to_string(&path).expect("text") + "c.aig,abc,sa";
        std::fs::write(&path, broken).expect("written");

        let (mut journal, results) = Journal::resume(&path).expect("resumed");
        assert_eq!(results.len(), 1);
        assert_eq!(results[&key("a,b.aig", "abc")], outcome("x \"y\""));
        journal.append("c.aig", "abc", &outcome("")).expect("a row");
        let (_, results) = Journal::resume(&path).expect("resumed again");
        assert!(results.contains_key(&key("c.aig", "abc")) && results.len() == 2);
    }

    #[test]
    fn resuming_nothing_begins_anew_and_a_stranger_is_refused() {
        let scratch = Scratch::new();
        let (_, results) = Journal::resume(&scratch.path().join("new.csv")).expect("new");
        assert!(results.is_empty());
        let other = scratch.write("other.csv", "a,b\n1,2\n");
        assert!(matches!(Journal::resume(&other), Err(CsvError::Header(_))));
        assert_eq!(std::fs::read_to_string(&other).expect("text"), "a,b\n1,2\n");
    }

    #[test]
    fn damaged_rows_do_not_count() {
        let head = COLUMNS.join(",");
        let text = format!("{head}\na,t,safe,1,1,1,20\na,t,fine,1,1,1,20,\nb,t,time,1,1,1,signal 9,\n");
        let results = read_results(&text).expect("results");
        assert_eq!(results.len(), 1);
        assert_eq!(results[&key("b", "t")].exit, Exit::Signal(9));
    }
}
