//! Running the real program, and the checker that shares no code with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program, to be run in this folder. It finds no SMT solvers, so that what is expected does not depend on the
/// machine.
pub fn buttress(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_buttress"));
    command.current_dir(folder).env("BUTTRESS_SOLVERS", "");
    command
}

/// The output of a run of the program, and its exit code.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(command: &mut Command) -> Run {
        Run::from(command.output().expect("the program starts"))
    }

    pub fn from(output: Output) -> Run {
        Run {
            code: output.status.code().expect("the program was not killed"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Everything, for messages.
    pub fn all(&self) -> String {
        format!("exit {}\n{}{}", self.code, self.stdout, self.stderr)
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The verdict of the checkers in `tests/checkers` on a `witness` or a `certificate` of an AIGER model, or on the
/// witness of a `btor2` model: `Err` is a rejection.
pub fn python_check(kind: &str, model: &Path, evidence: &Path) -> Result<(), String> {
    let checkers = root().join("tests/checkers");
    let mut command = Command::new("python3");
    match kind {
        "btor2" => command.arg(checkers.join("btor2_check.py")),
        _ => command.arg(checkers.join("aiger_check.py")).arg(kind),
    };
    let output = command.arg(model).arg(evidence).output().expect("python3 runs the checker");
    let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if output.status.success() { Ok(()) } else { Err(said) }
}

/// A folder for a test's files, gone when the test ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("buttress-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        Scratch(folder)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
