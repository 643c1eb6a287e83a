//! Which models a batch is about.
//!
//! A directory stands for all models below it, sorted; a list, a path a line with `#` for comments, for what it
//! names, relative to itself; a model for itself. What is listed and not there is a job, too: its row says so.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use buttress_bench::suite;
use buttress_driver::{is_model, is_named_as_model};
use serde::Deserialize;

use crate::job::Job;

/// The models that paths stand for, each once.
pub fn find(paths: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for path in paths {
        found.extend(stands_for(path)?);
    }
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    let text = |path: PathBuf| path.into_os_string().into_string().map_err(not_text);
    found.into_iter().map(text).collect()
}

fn not_text(path: std::ffi::OsString) -> String {
    format!("{}: error: the name of this file is no text", Path::new(&path).display())
}

fn stands_for(path: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("{}: error: {error}", path.display());
    if path.is_dir() {
        return suite::walk(path, is_named_as_model).map_err(|error| format!("error: {error}"));
    }
    if is_model(path).map_err(wrong)? {
        return Ok(vec![path.to_path_buf()]);
    }
    let list = std::fs::read_to_string(path).map_err(wrong)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(suite::entries(&list).map(|entry| folder.join(entry)).collect())
}

/// What `info` says of a model.
#[derive(Deserialize)]
struct Listed {
    claims: Vec<String>,
}

/// A job for each property; a model that has none, or cannot be read, stays one job.
pub fn each_property(program: &Path, jobs: Vec<Job>, lanes: usize) -> Vec<Job> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let lane = || {
        while let Some((number, job)) = numbered(&jobs, next.fetch_add(1, Ordering::Relaxed)) {
            found.lock().expect("no holder panics").push((number, of_properties(program, job)));
        }
    };
    std::thread::scope(|scope| (0..lanes.min(jobs.len())).for_each(|_| drop(scope.spawn(lane))));
    let mut found = found.into_inner().expect("no holder panics");
    found.sort_by_key(|(number, _)| *number);
    found.into_iter().flat_map(|(_, jobs)| jobs).collect()
}

fn numbered(jobs: &[Job], number: usize) -> Option<(usize, &Job)> {
    jobs.get(number).map(|job| (number, job))
}

fn of_properties(program: &Path, job: &Job) -> Vec<Job> {
    let alone = |position| Job { property: Some(position), ..job.clone() };
    match positions(program, job) {
        Some(positions) if !positions.is_empty() => positions.into_iter().map(alone).collect(),
        _ => vec![job.clone()],
    }
}

/// In a process of its own, under the limits of the job.
fn positions(program: &Path, job: &Job) -> Option<Vec<String>> {
    job.hash.as_ref().ok()?;
    let mut command = Command::new(program);
    command.args(["info", "--json"]).args(job.asked.limits(None)).arg("--").arg(&job.model);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let listed: Listed = serde_json::from_slice(&output.stdout).ok()?;
    Some(listed.claims)
}
