//! What goes over the server: a job to whoever takes it, a row back. JSON, with a version; what is of another
//! version, or no message at all, is said to be so.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::job::{Asked, Job};
use crate::row::Row;

const VERSION: u32 = 1;

/// A job as it is sent.
#[derive(Serialize, Deserialize)]
struct Letter {
    version: u32,
    model: String,
    /// Where the file is for who shares it.
    path: PathBuf,
    property: Option<String>,
    hash: String,
    asked: Asked,
    /// Whether the contents are on the server, under their hash.
    sent: bool,
}

/// A job as it arrives.
pub struct Received {
    pub job: Job,
    pub path: PathBuf,
    pub sent: bool,
}

/// A job whose file can be read.
pub fn pack(job: &Job, hash: &str, sent: bool) -> Vec<u8> {
    let path = std::path::absolute(&job.model).unwrap_or_else(|_| PathBuf::from(&job.model));
    let letter = Letter {
        version: VERSION,
        model: job.model.clone(),
        path,
        property: job.property.clone(),
        hash: hash.to_string(),
        asked: Asked::clone(&job.asked),
        sent,
    };
    serde_json::to_vec(&letter).expect("a job is data")
}

pub fn unpack(bytes: &[u8]) -> Result<Received, String> {
    let letter: Letter =
        serde_json::from_slice(bytes).map_err(|error| format!("error: this is no job: {error}"))?;
    if letter.version != VERSION {
        return Err(format!("error: jobs of version {} are for another Buttress", letter.version));
    }
    let Letter { model, path, property, hash, asked, sent, .. } = letter;
    Ok(Received { job: Job { model, property, hash: Ok(hash), asked: Arc::new(asked) }, path, sent })
}

pub fn pack_row(row: &Row) -> Vec<u8> {
    serde_json::to_vec(row).expect("a row is data")
}

pub fn unpack_row(bytes: &[u8]) -> Result<Row, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("error: what came back is no row: {error}"))
}
