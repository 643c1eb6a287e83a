//! The files a benchmark runs on.
//!
//! A suite is a directory (every model file below it, sorted by path), a single model file, a
//! list (one path per line, blank lines and lines starting with `#` left out), or `-` for a
//! list on the standard input. Paths in a list are relative to `--root`, or else to the list's
//! own directory. A file is a model by its extension. Links to files are followed, links to
//! directories are not. Paths must be UTF-8.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Extensions of model files.
const EXTENSIONS: [&str; 8] = ["aig", "aag", "btor", "btor2", "lus", "vmt", "smt2", "cub"];

/// One file to run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFile {
    /// The path handed to the tools.
    pub path: String,
    /// The name in the tables: the path, without the root.
    pub label: String,
}

/// Why a suite could not be read.
#[derive(Debug)]
pub enum SuiteError {
    Read(String, io::Error),
    NotUtf8(PathBuf),
    Missing(Vec<String>),
    Empty,
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuiteError::Read(what, error) => write!(f, "cannot read {what}: {error}"),
            SuiteError::NotUtf8(path) => write!(f, "the path {} is not UTF-8", path.display()),
            SuiteError::Missing(paths) => {
                let shown = paths.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
                write!(f, "{} listed files do not exist, such as {shown}", paths.len())
            }
            SuiteError::Empty => write!(f, "no model files to run on"),
        }
    }
}

impl std::error::Error for SuiteError {}

/// Every N-th file, from the I-th on: `I/N` with I from 1 to N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.trim().parse().ok()?, count.trim().parse().ok()?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err("expected I/N with I from 1 to N".to_owned()),
        }
    }
}

impl Shard {
    /// Whether the file at this place, from 0, is in the shard.
    fn contains(self, place: usize) -> bool {
        place % self.count == self.index - 1
    }
}

/// Which files of the suites to run on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    pub root: Option<&'a Path>,
    pub filter: Option<&'a str>,
    pub shard: Option<Shard>,
}

/// Collects the files of all suites, each file once.
pub fn collect(suites: &[PathBuf], selection: Selection<'_>) -> Result<Vec<ModelFile>, SuiteError> {
    let mut models = Vec::new();
    for suite in suites {
        models.extend(read_suite(suite, selection.root)?);
    }
    let mut paths = HashSet::new();
    models.retain(|model| paths.insert(model.path.clone()));
    make_labels_unique(&mut models);
    check_presence(&models)?;
    let models = select(models, selection);
    if models.is_empty() { Err(SuiteError::Empty) } else { Ok(models) }
}

/// Applies the filter, then the shard.
fn select(mut models: Vec<ModelFile>, selection: Selection<'_>) -> Vec<ModelFile> {
    if let Some(part) = selection.filter {
        models.retain(|model| model.label.contains(part));
    }
    let shard = selection.shard.unwrap_or(Shard { index: 1, count: 1 });
    let places = models.into_iter().enumerate();
    places.filter(|(place, _)| shard.contains(*place)).map(|(_, model)| model).collect()
}

/// Reads one suite of whatever kind.
fn read_suite(suite: &Path, root: Option<&Path>) -> Result<Vec<ModelFile>, SuiteError> {
    if suite == Path::new("-") {
        let text = io::read_to_string(io::stdin().lock());
        let text = text.map_err(|error| SuiteError::Read("the standard input".into(), error))?;
        return listed(&text, root.unwrap_or(Path::new("")));
    }
    if suite.is_dir() {
        let paths = walk(suite, is_model)?;
        return paths.into_iter().map(|path| model(path, root)).collect();
    }
    if is_model(suite) {
        return Ok(vec![model(suite.to_owned(), root)?]);
    }
    let text = read_list(suite).map_err(|error| read_error(suite, error))?;
    listed(&text, root.unwrap_or(suite.parent().unwrap_or(Path::new(""))))
}

fn read_list(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

fn read_error(path: &Path, error: io::Error) -> SuiteError {
    SuiteError::Read(path.display().to_string(), error)
}

/// The files below a directory that are models, sorted by path.
pub fn walk(folder: &Path, is_model: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, SuiteError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| read_error(&folder, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| read_error(&folder, error))?;
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ if is_model(&path) && path.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// A file found on disk, named without the root.
fn model(path: PathBuf, root: Option<&Path>) -> Result<ModelFile, SuiteError> {
    let inner = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
    match (path.to_str(), inner.to_str()) {
        (Some(path), Some(label)) => Ok(ModelFile { path: path.to_owned(), label: label.to_owned() }),
        _ => Err(SuiteError::NotUtf8(path)),
    }
}

/// The lines of a list that name something.
pub fn entries(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The files of a list, named as they are listed.
fn listed(text: &str, folder: &Path) -> Result<Vec<ModelFile>, SuiteError> {
    let models = entries(text).map(|entry| {
        let path = folder.join(entry);
        let path = path.to_str().ok_or_else(|| SuiteError::NotUtf8(path.clone()))?;
        Ok(ModelFile { path: path.to_owned(), label: entry.to_owned() })
    });
    models.collect()
}

/// Files of different lists may be listed under one name; they go by their paths then.
fn make_labels_unique(models: &mut [ModelFile]) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for model in models.iter() {
        *uses.entry(model.label.clone()).or_default() += 1;
    }
    for model in models {
        if uses.get(&model.label).is_some_and(|count| *count > 1) {
            model.label.clone_from(&model.path);
        }
    }
}

/// Refuses a suite with files that are not there.
fn check_presence(models: &[ModelFile]) -> Result<(), SuiteError> {
    let missing = models.iter().filter(|model| !Path::new(&model.path).is_file());
    let missing: Vec<String> = missing.map(|model| model.path.clone()).collect();
    if missing.is_empty() { Ok(()) } else { Err(SuiteError::Missing(missing)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn labels(models: &[ModelFile]) -> Vec<&str> {
        models.iter().map(|model| model.label.as_str()).collect()
    }

    fn folder_of_models() -> Scratch {
        let scratch = Scratch::new();
        for name in ["b/z.aig", "b/a.btor2", "a.smt2", "notes.txt", "c.lus"] {
            scratch.write(name, "");
        }
        scratch
    }

    #[test]
    fn a_directory_is_walked_and_sorted() {
        let scratch = folder_of_models();
        let selection = Selection { root: Some(scratch.path()), ..Selection::default() };
        let models = collect(&[scratch.path().to_owned()], selection).expect("a suite");
        assert_eq!(labels(&models), ["a.smt2", "b/a.btor2", "b/z.aig", "c.lus"]);
        assert!(Path::new(&models[1].path).is_file());
    }

    #[test]
    fn a_list_keeps_its_order_and_its_folder() {
        let scratch = folder_of_models();
        let list = scratch.write("suite.txt", "# two\n\nc.lus\n  b/z.aig \nc.lus\n");
        let models = collect(&[list], Selection::default()).expect("a suite");
        assert_eq!(labels(&models), ["c.lus", "b/z.aig"]);
    }

    #[test]
    fn a_list_may_be_rooted_elsewhere() {
        let scratch = folder_of_models();
        let list = scratch.write("lists/suite.txt", "b/z.aig\n");
        assert!(matches!(
            collect(std::slice::from_ref(&list), Selection::default()),
            Err(SuiteError::Missing(_))
        ));
        let selection = Selection { root: Some(scratch.path()), ..Selection::default() };
        assert_eq!(labels(&collect(&[list], selection).expect("a suite")), ["b/z.aig"]);
    }

    #[test]
    fn equal_names_give_way_to_paths() {
        let scratch = Scratch::new();
        let lists: Vec<PathBuf> = ["x", "y"]
            .iter()
            .map(|folder| {
                scratch.write(&format!("{folder}/m.aig"), "");
                scratch.write(&format!("{folder}/list"), "m.aig\n")
            })
            .collect();
        let models = collect(&lists, Selection::default()).expect("a suite");
        assert!(models.iter().all(|model| model.label == model.path));
    }

    #[test]
    fn filter_and_shard() {
        let scratch = folder_of_models();
        let suites = [scratch.path().to_owned()];
        let select = |filter, shard: Option<&str>| {
            let shard = shard.map(|shard| shard.parse().expect("a shard"));
            let selection = Selection { root: Some(scratch.path()), filter, shard };
            collect(&suites, selection).map(|m| m.into_iter().map(|m| m.label).collect::<Vec<_>>())
        };
        assert_eq!(select(Some("b/"), None).expect("some"), ["b/a.btor2", "b/z.aig"]);
        assert_eq!(select(None, Some("2/3")).expect("some"), ["b/a.btor2"]);
        assert_eq!(select(None, Some("1/3")).expect("some"), ["a.smt2", "c.lus"]);
        assert!(matches!(select(Some("nothing"), None), Err(SuiteError::Empty)));
    }

    #[test]
    fn shards_are_counted_from_one() {
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", ""] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
