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

/// All files below a folder whose names end so, in order; none where the folder is missing.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => todo.push(path),
                false if path.extension().is_some_and(|e| e == extension) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
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

/// The verdict of `tests/checkers/aiger_check.py` on a witness or a certificate: `Err` is a rejection.
pub fn python_check(kind: &str, model: &Path, evidence: &Path) -> Result<(), String> {
    let script = root().join("tests/checkers/aiger_check.py");
    let output = Command::new("python3").arg(script).arg(kind).arg(model).arg(evidence).output();
    let output = output.expect("python3 runs the checker");
    let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if output.status.success() { Ok(()) } else { Err(said) }
}
