//! Where things stand in the repository, folders for a test's files, and the independent Python checker.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A folder beside the repository, where it exists; says so where it does not.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared").join(folder);
    let found = path.is_dir().then_some(path);
    if found.is_none() {
        println!("skipped: no ../shared");
    }
    found
}

/// A folder for a test's files, gone when the test ends.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("buttress-{name}-{}", std::process::id()));
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

/// What `tests/checkers/aiger_check.py` says of a witness or a certificate: `Err` is a rejection.
pub fn python_check(kind: &str, model: &Path, evidence: &Path) -> Result<(), String> {
    let script = root().join("tests/checkers/aiger_check.py");
    let output = Command::new("python3").arg(script).arg(kind).arg(model).arg(evidence).output();
    let output = output.expect("python3 runs the checker");
    let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if output.status.success() { Ok(()) } else { Err(said) }
}
