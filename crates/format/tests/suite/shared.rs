//! Every AIGER file of the benchmark collection next to the repository, where there is one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::generator::{ascii, binary};
use buttress_format::Aiger;
use buttress_format::aiger;
use buttress_system::Lit;

fn aiger_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            aiger_files(&entry, found);
        } else if entry.extension().is_some_and(|ending| ending == "aig" || ending == "aag") {
            found.push(entry);
        }
    }
}

/// Operands ordered, as binary files have them.
fn ordered(aiger: &Aiger) -> Vec<[Lit; 2]> {
    aiger.system.gates().iter().map(|&[a, b]| [a.max(b), a.min(b)]).collect()
}

#[test]
fn collected_models_survive_a_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/hw");
    if !folder.is_dir() {
        println!("skipped: no ../shared");
        return;
    }
    let mut files = Vec::new();
    aiger_files(&folder, &mut files);
    files.sort();
    for file in &files {
        let name = file.display().to_string();
        let read = aiger::read_file(file).unwrap_or_else(|error| panic!("{}", error.render(&name)));
        let again =
            |bytes: Vec<u8>| aiger::read(&bytes[..]).unwrap_or_else(|e| panic!("{}", e.render(&name)));
        let text = again(ascii(&read.system, &read.comments));
        assert_eq!((&text.system, &text.comments), (&read.system, &read.comments), "{name}");
        let bytes = again(binary(&read.system, &read.comments));
        assert_eq!(bytes.system.gates(), ordered(&read), "{name}");
        assert_eq!(bytes.system.properties, read.system.properties, "{name}");
        assert_eq!(ascii(&bytes.system, &[]).len(), ascii(&read.system, &[]).len(), "{name}");
    }
    println!("{} files", files.len());
}
