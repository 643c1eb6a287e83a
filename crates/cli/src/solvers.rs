//! `buttress solvers`: which SMT solvers are found, and where they are looked for.

use std::process::ExitCode;

use buttress_solve::smt::{ADAPTERS, directories, find};

use crate::{exit, out};

pub fn list() -> ExitCode {
    let directories = directories();
    let found = find(&directories);
    for adapter in ADAPTERS {
        match found.iter().find(|f| f.adapter.name == adapter.name) {
            Some(found) => {
                let version = found.version().unwrap_or_else(|| "does not say its version".to_string());
                out::line(&format!("{:<10}{version} ({})", adapter.name, found.path.display()));
            }
            None => out::line(&format!("{:<10}not found", adapter.name)),
        }
    }
    if found.is_empty() {
        out::line("Finite models are decided without. `scripts/get-solvers` brings z3 and Yices.");
        out::line(&format!("Directories that are looked at: {}", shown(&directories)));
    }
    exit::PROVED.into()
}

fn shown(directories: &[std::path::PathBuf]) -> String {
    directories.iter().map(|d| d.display().to_string()).collect::<Vec<_>>().join(", ")
}
