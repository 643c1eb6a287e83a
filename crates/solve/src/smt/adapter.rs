//! The solvers that are known, one row each, and where they are looked for.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use buttress_term::sexpr::Sexpr;

use super::Theory;

/// All that differs between solvers.
pub struct Adapter {
    pub name: &'static str,
    /// The program's name.
    pub program: &'static str,
    /// To read commands from standard input, one at a time.
    pub arguments: &'static [&'static str],
    /// To print its version.
    pub version: &'static str,
    /// Options to set first.
    pub options: &'static [&'static str],
    /// Whether it wants the logic by name; others do best when they are told nothing.
    pub logic: bool,
    /// Whether `(reset)` leaves it as good as new; tried for those that say so.
    pub resets: bool,
    /// Which theories it can do incrementally.
    pub can: fn(&Theory) -> bool,
    /// Who is asked first: the lower the earlier.
    pub rank: fn(&Theory) -> u32,
    /// How it tells what it has done so far.
    pub work: Option<Work>,
}

/// A solver's own count of its work since it was started, which no clock has a part in.
pub struct Work {
    /// The command that asks for it.
    pub ask: &'static str,
    /// Of its answer, the counts that are added up.
    pub counts: &'static [&'static str],
    /// As much takes about as long as a small question to a SAT solver: 50 µs.
    pub unit: u64,
}

impl Work {
    /// The sum of the counts in an answer.
    pub fn read(&self, answer: &Sexpr) -> u64 {
        let words: Vec<Option<&str>> = answer.list().unwrap_or_default().iter().map(Sexpr::atom).collect();
        let count = |pair: &[Option<&str>]| match pair {
            [Some(name), Some(count)] if self.counts.contains(name) => count.parse::<u64>().ok(),
            _ => None,
        };
        words.windows(2).filter_map(count).sum()
    }
}

const MODELS: &str = "(set-option :produce-models true)";
const CORES: &str = "(set-option :produce-unsat-assumptions true)";

fn arithmetic(t: &Theory) -> bool {
    t.integers || t.reals
}

/// In an order that breaks ties.
pub const ADAPTERS: &[Adapter] = &[
    Adapter {
        name: "yices",
        program: "yices-smt2",
        arguments: &["--incremental"],
        version: "--version",
        options: &[MODELS, CORES],
        logic: true,
        resets: true,
        can: |t| !(t.nonlinear || t.mixed || arithmetic(t) && t.words || t.arrays && t.reals),
        // A step of microwave27, with quotients by 10 and 60: z3 0.2 s, Yices more than 30.
        rank: |t| if t.division { 3 } else { 0 },
        work: Some(Work {
            ask: "(get-info :all-statistics)\n",
            counts: &[":decisions", ":boolean-propagations", ":theory-propagations", ":simplex-pivots"],
            unit: 50,
        }),
    },
    Adapter {
        name: "z3",
        program: "z3",
        arguments: &["-in", "-smt2"],
        version: "--version",
        options: &[MODELS, CORES],
        logic: false,
        resets: true,
        can: |_| true,
        rank: |_| 1,
        work: Some(Work { ask: "(get-info :rlimit)\n", counts: &[":rlimit"], unit: 200 }),
    },
    Adapter {
        name: "bitwuzla",
        program: "bitwuzla",
        arguments: &["--lang", "smt2"],
        version: "--version",
        options: &[MODELS, CORES],
        logic: true,
        resets: false,
        can: |t| !(arithmetic(t) || t.mixed),
        rank: |_| 0,
        work: None,
    },
    Adapter {
        name: "cvc5",
        program: "cvc5",
        arguments: &["--lang", "smt2", "--incremental"],
        version: "--version",
        options: &[MODELS, CORES],
        logic: true,
        resets: false,
        can: |_| true,
        rank: |_| 2,
        work: None,
    },
    Adapter {
        name: "mathsat",
        program: "mathsat",
        arguments: &[],
        version: "-version",
        options: &[MODELS, CORES],
        logic: true,
        resets: false,
        can: |t| !t.nonlinear,
        rank: |_| 2,
        work: None,
    },
];

/// A solver on this machine.
#[derive(Clone)]
pub struct Installed {
    pub adapter: &'static Adapter,
    pub path: PathBuf,
}

impl Installed {
    /// The first line that it prints about its version.
    pub fn version(&self) -> Option<String> {
        let mut command = Command::new(&self.path);
        let output = command.arg(self.adapter.version).stdin(Stdio::null()).stderr(Stdio::null()).output();
        let text = String::from_utf8(output.ok()?.stdout).ok()?;
        text.lines().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_string())
    }
}

/// Where solvers are looked for: in the directories of `BUTTRESS_SOLVERS` where that is set; or else in `solvers`
/// beside the program or above it, where the set-up puts them, and in the search path of programs.
pub fn directories() -> Vec<PathBuf> {
    let listed = |name: &str| env::var_os(name).map(|v| env::split_paths(&v).collect::<Vec<_>>());
    if let Some(named) = listed("BUTTRESS_SOLVERS") {
        return named;
    }
    let program = env::current_exe().ok();
    let above = program.iter().flat_map(|p| p.ancestors().skip(1).take(4)).map(|d| d.join("solvers"));
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".local/share"));
    let data = env::var_os("XDG_DATA_HOME").map(PathBuf::from).or(home);
    let data = data.map(|d| d.join("buttress").join("solvers"));
    above.chain(data).chain(listed("PATH").unwrap_or_default()).collect()
}

/// The solvers in these directories, each where it is found first.
pub fn find(directories: &[PathBuf]) -> Vec<Installed> {
    let found = |adapter: &'static Adapter| {
        let places = directories.iter().map(|d| d.join(adapter.program));
        let path = places.into_iter().find(|p| is_program(p))?;
        Some(Installed { adapter, path })
    };
    ADAPTERS.iter().filter_map(found).collect()
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use buttress_term::sexpr;

    use super::*;

    #[test]
    fn work_is_read() {
        let of = |name: &str, answer: &str| {
            let adapter = ADAPTERS.iter().find(|a| a.name == name).expect("a row");
            let work = adapter.work.as_ref().expect("it counts");
            work.read(&sexpr::read(answer, 0).expect("an answer").0)
        };
        assert_eq!(of("z3", "(:rlimit 8951)"), 8951);
        let statistics = "(\n :num-terms 10\n :decisions 3\n :conflicts 2\n :boolean-propagations 40\n)";
        assert_eq!(of("yices", statistics), 43);
        assert_eq!(of("z3", "(error \"no\")"), 0);
    }
}
