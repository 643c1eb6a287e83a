//! The outcome of one run of one tool on one file: the verdict, its cost, how the process ended.
//!
//! Times are seconds; memory is in MB of 2^20 bytes.

use std::fmt;

/// The answer of one run, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The property holds.
    Safe,
    /// The property is violated.
    Unsafe,
    /// The tool ended in order and without an answer.
    Unknown,
    /// Killed at the CPU or wall limit, or answered past the CPU limit.
    Time,
    /// Killed at the memory limit.
    Memory,
    /// Crashed, did not start, or ended in a way the tool's conditions do not name.
    Error,
}

impl Verdict {
    /// All verdicts, in the order of the summary's columns.
    pub const ALL: [Verdict; 6] =
        [Verdict::Safe, Verdict::Unsafe, Verdict::Unknown, Verdict::Time, Verdict::Memory, Verdict::Error];

    /// The word used in the CSV and in the summary.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Unsafe => "unsafe",
            Verdict::Unknown => "unknown",
            Verdict::Time => "time",
            Verdict::Memory => "memory",
            Verdict::Error => "error",
        }
    }

    /// Reads back what [`Verdict::word`] wrote.
    pub fn from_word(word: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|v| v.word() == word)
    }

    /// Reads a definite verdict in any of the usual vocabularies; `sat` means that a
    /// counterexample exists.
    pub fn from_claim(word: &str) -> Option<Verdict> {
        match word.trim().to_ascii_lowercase().as_str() {
            "safe" | "unsat" | "valid" => Some(Verdict::Safe),
            "unsafe" | "sat" | "invalid" => Some(Verdict::Unsafe),
            _ => None,
        }
    }

    /// Safe or unsafe: the run solved its file.
    pub fn is_definite(self) -> bool {
        matches!(self, Verdict::Safe | Verdict::Unsafe)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How the tool's first process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It returned this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It never ran, or its end could not be observed.
    Missing,
}

impl Exit {
    /// Reads back what `Display` wrote.
    pub fn from_word(word: &str) -> Option<Exit> {
        match word.strip_prefix("signal ") {
            _ if word.is_empty() => Some(Exit::Missing),
            Some(number) => number.parse().ok().map(Exit::Signal),
            None => word.parse().ok().map(Exit::Code),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "{code}"),
            Exit::Signal(number) => write!(f, "signal {number}"),
            Exit::Missing => Ok(()),
        }
    }
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// CPU seconds of the whole process tree.
    pub cpu: f64,
    /// Wall-clock seconds.
    pub wall: f64,
    /// Peak resident memory of the process tree, in MB.
    pub peak_mb: f64,
    pub exit: Exit,
    /// A single line for the reader; empty when there is nothing to say.
    pub note: String,
}

#[cfg(test)]
impl Outcome {
    /// An outcome with only a verdict and a CPU time, for tests.
    pub fn sample(verdict: Verdict, cpu: f64) -> Outcome {
        Outcome { verdict, cpu, wall: cpu, peak_mb: 1.0, exit: Exit::Code(0), note: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_words_read_back() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_word(verdict.word()), Some(verdict));
        }
        assert_eq!(Verdict::from_word("maybe"), None);
    }

    #[test]
    fn claims_speak_three_vocabularies() {
        for word in ["safe", "unsat", "valid", " UNSAT "] {
            assert_eq!(Verdict::from_claim(word), Some(Verdict::Safe), "{word}");
        }
        for word in ["unsafe", "sat", "invalid", "Sat"] {
            assert_eq!(Verdict::from_claim(word), Some(Verdict::Unsafe), "{word}");
        }
        for word in ["", "unknown", "time", "no"] {
            assert_eq!(Verdict::from_claim(word), None, "{word}");
        }
    }

    #[test]
    fn exits_read_back() {
        for exit in [Exit::Code(20), Exit::Code(-1), Exit::Signal(9), Exit::Missing] {
            assert_eq!(Exit::from_word(&exit.to_string()), Some(exit));
        }
        assert_eq!(Exit::from_word("signal x"), None);
    }
}
