//! A file of records that is only added to: a length, a checksum, the bytes.
//!
//! Whoever writes holds a lock on the file and looks first whether the end is as it was left. What another process
//! wrote meanwhile is skipped; what it left unfinished when it was killed is cut off. So every record that was
//! written whole stays, whoever dies and when. The checksum is against torn writes, not against an adversary.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::codec::LONGEST;

/// The length and the checksum.
const HEAD: usize = 4 + 8;

/// A longer record is none.
const LONGEST_RECORD: usize = LONGEST;

pub struct Log {
    file: File,
    /// Up to here all records are whole.
    good: u64,
}

impl Log {
    /// Opens a log, or makes one: its records, and how many bytes after the last whole one were cut off.
    pub fn open(path: &Path) -> io::Result<(Log, Vec<Vec<u8>>, u64)> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.lock()?;
        let outcome = read_whole(&mut file, 0).and_then(|(records, good)| {
            let cut = file.metadata()?.len().saturating_sub(good);
            if cut > 0 {
                file.set_len(good)?;
            }
            Ok((records, good, cut))
        });
        file.unlock()?;
        let (records, good, cut) = outcome?;
        Ok((Log { file, good }, records, cut))
    }

    /// Adds a record. Where that fails nothing of it is left, as far as the file system allows.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.lock()?;
        let outcome = self.add(bytes);
        self.file.unlock()?;
        outcome
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.metadata()?.len() != self.good {
            let (_, good) = read_whole(&mut self.file, self.good)?;
            self.file.set_len(good)?;
            self.good = good;
        }
        let mut record = Vec::with_capacity(HEAD + bytes.len());
        record.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        record.extend_from_slice(&checksum(bytes));
        record.extend_from_slice(bytes);
        self.file.seek(SeekFrom::Start(self.good))?;
        if let Err(error) = self.file.write_all(&record) {
            // The first error is the one to tell.
            let _ = self.file.set_len(self.good);
            return Err(error);
        }
        self.good += record.len() as u64;
        Ok(())
    }
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    Sha256::digest(bytes)[..8].try_into().expect("a digest is longer")
}

/// The records from some byte on that are whole, and where the last of them ends.
fn read_whole(file: &mut File, from: u64) -> io::Result<(Vec<Vec<u8>>, u64)> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(length.saturating_sub(from)).read_to_end(&mut bytes)?;
    let (mut records, mut at) = (Vec::new(), 0);
    while let Some(record) = record(&bytes[at..]) {
        at += HEAD + record.len();
        records.push(record.to_vec());
    }
    Ok((records, from + at as u64))
}

/// The record that these bytes begin with, where it is whole.
fn record(bytes: &[u8]) -> Option<&[u8]> {
    let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    let content = bytes.get(HEAD..HEAD.checked_add(length)?)?;
    (length <= LONGEST_RECORD && checksum(content) == bytes[4..HEAD]).then_some(content)
}

/// All whole records of a log that somebody else may be writing.
pub fn read(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    Ok(read_whole(&mut File::open(path)?, 0)?.0)
}

/// The first record of a log.
pub fn first(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = File::open(path)?;
    let mut head = [0; HEAD];
    if file.read_exact(&mut head).is_err() {
        return Ok(None);
    }
    let length = u32::from_le_bytes(head[..4].try_into().expect("four bytes")) as u64;
    let mut bytes = head.to_vec();
    file.take(length.min(LONGEST_RECORD as u64)).read_to_end(&mut bytes)?;
    Ok(record(&bytes).map(<[u8]>::to_vec))
}
