//! A job: which model, which of its properties, and what is asked of it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What is asked of every job of a batch.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Asked {
    /// Options of `check` that say what runs, as words.
    pub options: Vec<String>,
    /// What else the options stand for: the hash of a file that one of them names.
    pub files: Option<String>,
    pub timeout: Option<Duration>,
    /// Megabytes.
    pub memory: Option<u64>,
    /// Lanes of one job; where nobody said so, who runs it decides.
    pub cores: Option<u16>,
}

impl Asked {
    /// What a verdict was found with, as a text to compare.
    pub fn options_key(&self) -> String {
        let files = self.files.iter().map(|hash| format!("({hash})"));
        self.options.iter().cloned().chain(files).collect::<Vec<_>>().join(" ")
    }

    /// How long and how far it was tried, as a text to compare.
    pub fn limits_key(&self) -> String {
        self.limits(self.cores).join(" ")
    }

    /// Options of `check` that are limits.
    pub fn limits(&self, cores: Option<u16>) -> Vec<String> {
        let timeout = self.timeout.map(|time| format!("--timeout={}", time.as_secs_f64()));
        let memory = self.memory.map(|megabytes| format!("--memory={megabytes}"));
        let cores = cores.map(|cores| format!("--cores={cores}"));
        [timeout, memory, cores].into_iter().flatten().collect()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// As the user wrote it.
    pub model: String,
    /// One of its properties, by position; all where there is none.
    pub property: Option<String>,
    /// Of the bytes of the file; or why they cannot be read.
    pub hash: Result<String, String>,
    pub asked: Arc<Asked>,
}

impl Job {
    pub fn new(model: String, asked: &Arc<Asked>) -> Job {
        let hash = hash_of(Path::new(&model)).map_err(|error| format!("{model}: error: {error}"));
        Job { model, property: None, hash, asked: asked.clone() }
    }

    /// As people call it.
    pub fn title(&self) -> String {
        match &self.property {
            Some(property) => format!("{} {property}", self.model),
            None => self.model.clone(),
        }
    }

    /// A name for this job, the same in every process that asks the same of the same bytes.
    pub fn id(&self) -> String {
        let mut sum = Sha256::new();
        let (options, limits) = (self.asked.options_key(), self.asked.limits_key());
        let (property, hash) = (self.property.as_deref(), self.hash.as_deref());
        for part in [&self.model, property.unwrap_or(""), hash.unwrap_or(""), &options, &limits] {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part.as_bytes());
        }
        hex(&sum.finalize()[..16])
    }
}

/// SHA-256 of a file, in hexadecimal digits.
pub fn hash_of(path: &Path) -> io::Result<String> {
    let mut sum = Sha256::new();
    io::copy(&mut File::open(path)?, &mut sum)?;
    Ok(hex(&sum.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_differ_have_other_names() {
        let asked = Arc::new(Asked::default());
        let job = Job { model: "a".into(), property: None, hash: Ok("h".into()), asked };
        let slower = Asked { timeout: Some(Duration::from_secs(1)), ..Asked::default() };
        let others = [
            Job { model: "b".into(), ..job.clone() },
            Job { property: Some("b0".into()), ..job.clone() },
            Job { hash: Ok("i".into()), ..job.clone() },
            Job { asked: Arc::new(slower), ..job.clone() },
        ];
        assert!(others.iter().all(|other| other.id() != job.id()));
        assert_eq!(job.clone().id(), job.id());
    }
}
