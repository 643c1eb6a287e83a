//! SymbiYosys itself calls Buttress, in each of its modes, and its own tools read the traces. `scripts/get-sby`
//! brings it where the system has none.

#[path = "support/skip.rs"]
mod skipped;
#[allow(dead_code)]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use skipped::skip;
use support::{Run, Scratch, buttress, root};

/// Where sby is, with the names of the programs that it calls: that of the system, or the one for Python.
fn found() -> Option<(PathBuf, &'static str, Vec<PathBuf>)> {
    let path = std::env::var_os("PATH")?;
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share")))?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain([data.join("buttress/sby/bin")]).collect();
    let program = |name: &str| folders.iter().map(|f| f.join(name)).find(|file| file.exists());
    let packaged = program("yowasp-sby").map(|sby| (sby, "yowasp-"));
    let (sby, prefix) = packaged.or_else(|| program("sby").map(|sby| (sby, "")))?;
    Some((sby, prefix, folders))
}

/// Runs all tasks of a file of `examples/sby` in a folder.
fn run(file: &str, folder: &Path) -> Option<Run> {
    let (sby, prefix, folders) = found()?;
    for entry in std::fs::read_dir(root().join("examples/sby")).expect("examples") {
        let path = entry.expect("an entry").path();
        std::fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    // It has a fixed name.
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_buttress"), folder.join("btorsim")).expect("a link");
    let mut command = Command::new(sby);
    let path = std::env::join_paths(folders.into_iter().chain([folder.to_path_buf()])).expect("a path");
    command.current_dir(folder).env("PATH", path).args(["-f", file]);
    command.args(["--yosys", &format!("{prefix}yosys"), "--witness", &format!("{prefix}yosys-witness")]);
    for tool in ["suprove", "btormc"] {
        command.arg(format!("--{tool}")).arg(format!("{} as {tool}", env!("CARGO_BIN_EXE_buttress")));
    }
    Some(Run::of(&mut command))
}

/// The texts of the files with this ending.
fn texts(folder: &Path, ending: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == ending));
    files.map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

/// The tasks end as they shall, and of those with traces, Yosys' own tools read them, and there are waveforms.
fn ends(name: &str, tasks: &[(&str, &str, usize)]) {
    let scratch = Scratch::new(name);
    let Some(run) = run(&format!("{name}.sby"), &scratch.0) else {
        return skip(&format!("sby_{name}"), "no SymbiYosys, scripts/get-sby brings it");
    };
    assert_eq!(run.code, 0, "{}", run.all());
    for (task, status, traces) in tasks {
        let folder = scratch.file(&format!("{name}_{task}"));
        assert!(folder.join(status).exists(), "{task} is no {status}: {}", run.all());
        let witnesses = texts(&folder.join("engine_0"), "yw");
        assert_eq!(witnesses.len(), *traces, "{task}: {witnesses:?}");
        assert!(witnesses.iter().all(|text| text.contains("\"steps\"")), "{task}: {witnesses:?}");
        let waveforms = texts(&folder.join("engine_0"), "vcd");
        assert_eq!(waveforms.len(), if task.starts_with("prove") { 0 } else { *traces }, "{task}");
        assert!(waveforms.iter().all(|text| text.contains(" grant ")), "{task}: {waveforms:?}");
    }
}

#[test]
fn sby_proves_searches_and_covers() {
    ends(
        "arbiter",
        &[
            ("prove", "PASS", 0),
            ("prove_bad", "FAIL", 1),
            ("bmc", "PASS", 0),
            ("bmc_bad", "FAIL", 1),
            ("cover", "PASS", 2),
            ("cover_bad", "FAIL", 2),
        ],
    );
}

#[test]
fn sby_decides_what_must_happen() {
    ends("waits", &[("live", "PASS", 0), ("live_bad", "FAIL", 0)]);
}

/// What `buttress sby` prints names the engines that the examples are run with.
#[test]
fn the_lines_for_sby_are_printed() {
    let all = Run::of(buttress(&root()).arg("sby"));
    let cover = Run::of(buttress(&root()).args(["sby", "--mode", "cover"]));
    for line in ["mode prove", "aiger suprove", "mode live", "btor btormc", "vcd_sim on"] {
        assert!(all.stdout.lines().any(|l| l == line), "{line}: {}", all.all());
    }
    assert!(
        all.stdout.contains("export SUPROVE=\"") && all.stdout.contains(" as suprove\"\n"),
        "{}",
        all.all()
    );
    assert!(cover.stdout.contains("mode cover") && !cover.stdout.contains("suprove"), "{}", cover.all());
}
