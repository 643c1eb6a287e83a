//! Models of others, where they lie beside the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use buttress_format::Severity;

/// All Lustre files below a folder, in order; none where the folder is missing.
pub fn files(set: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/lustre").join(set);
    let mut found = Vec::new();
    let mut todo = vec![folder];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == "lus") {
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        println!("skipped: no ../shared");
    }
    found
}

/// The errors of a file, rendered.
fn errors(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("the file is text");
    let diagnostics = buttress_lustre::read(text).err().unwrap_or_default();
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.render(&path.display().to_string())).collect()
}

#[test]
fn models_for_jkind_are_read() {
    for set in ["classic", "ivc", "industrial", "jkind-testing"] {
        for path in files(set) {
            assert_eq!(errors(&path), Vec::<String>::new());
        }
    }
}

/// The files of Kind 2's own tests that are refused, and the reason.
const REFUSED: &[(&str, &str)] = &[("access_control_model.lus", "is defined twice")];

#[test]
fn kind_2_accepts_what_is_read_here() {
    for path in files("kind2-regression/success").into_iter().chain(files("kind2-regression/falsifiable")) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let errors = errors(&path);
        match REFUSED.iter().find(|(refused, _)| *refused == name) {
            Some((_, reason)) => assert!(errors[0].contains(reason), "{}", errors[0]),
            None => assert_eq!(errors, Vec::<String>::new()),
        }
    }
}

#[test]
fn what_kind_2_rejects_is_rejected_for_its_own_mistake() {
    let mistakes = [
        ("decreases_arity_mismatch.lus", "they cannot be compared"),
        ("decreases_ghost_var.lus", "is a ghost variable; what decreases is an expression over inputs"),
        ("decreases_output.lus", "is an output; what decreases is an expression over inputs"),
        ("empty_lhs_in_if_block.lus", "an equation in a block defines a variable"),
        ("struct_update_non_updatable_ref_type.lus", "cannot be updated"),
    ];
    for path in files("kind2-regression/error") {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let (_, mistake) = mistakes.iter().find(|(file, _)| *file == name).expect("a known file");
        let errors = errors(&path);
        assert!(errors[0].contains(mistake), "{errors:?}");
    }
}

/// 500 kB in half a second, in a release build.
#[test]
fn large_files_are_read_fast() {
    for path in
        files("jkind-testing").into_iter().filter(|path| path.ends_with("inlined_mode_logic.kind.lus"))
    {
        let text = fs::read_to_string(&path).expect("the file is text");
        let start = Instant::now();
        assert!(text.len() > 500_000 && buttress_lustre::read(text).is_ok());
        let limit = if cfg!(debug_assertions) { 5.0 } else { 0.5 };
        assert!(start.elapsed().as_secs_f64() < limit, "{:?}", start.elapsed());
    }
}
