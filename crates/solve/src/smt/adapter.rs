//! The solvers that are known, one row each, and where they are looked for.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    },
];

/// A solver on this machine.
#[derive(Clone)]
pub struct Found {
    pub adapter: &'static Adapter,
    pub path: PathBuf,
}

impl Found {
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
pub fn find(directories: &[PathBuf]) -> Vec<Found> {
    let found = |adapter: &'static Adapter| {
        let places = directories.iter().map(|d| d.join(adapter.program));
        let path = places.into_iter().find(|p| is_program(p))?;
        Some(Found { adapter, path })
    };
    ADAPTERS.iter().filter_map(found).collect()
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
