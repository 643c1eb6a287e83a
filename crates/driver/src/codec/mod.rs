//! How facts and evidence travel: as bytes, to other processes and to later runs.
//!
//! A message is the version of this codec, the hash of the model that it is about, and a body: a fact of the
//! board, or evidence for a verdict. The body is `postcard` (integers of variable length, no field names) over
//! plain data ([`Packed`]): numbers for properties, latches and literals; for terms their text, as files of
//! lemmas have them ([`buttress_format::terms`]).
//!
//! Nothing that is read is believed. Numbers are compared with the system, terms are made anew by the
//! constructors that know their sorts, and lengths are bounded by the bytes that are there. What comes out is
//! well-formed and no more: whether it is *true* is for the judge.
//!
//! A message about another model, or of another version, is told apart from garbage, so that a reader can say
//! which.

mod hash;
mod packed;

pub use hash::ModelHash;
pub use packed::{Coded, Packed, PackedEvidence, PackedProof, PackedTrace, pack_fact, unpack_fact};

/// Messages of another version are not read.
pub const VERSION: u8 = 1;

/// The longest message that is read.
pub const LONGEST: usize = 16 << 20;

/// The first bytes of every message.
const MAGIC: [u8; 3] = *b"BTF";
const HEAD: usize = MAGIC.len() + 1 + 32;

/// Why a message is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// Written by another version of the codec.
    Version(u8),
    /// About another model.
    Model(ModelHash),
    /// No message, or one that does not fit the model that it says it is about.
    Garbage(String),
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unread::Version(version) => {
                write!(f, "it is of version {version} of the codec, and this is {VERSION}")
            }
            Unread::Model(_) => f.write_str("it is about another model"),
            Unread::Garbage(what) => f.write_str(what),
        }
    }
}

/// The bytes of a message about this model.
pub fn seal(model: &ModelHash, body: &Packed) -> Vec<u8> {
    let mut bytes = Vec::from(MAGIC);
    bytes.push(VERSION);
    bytes.extend_from_slice(model.bytes());
    postcard::to_extend(body, bytes).expect("plain data has a form")
}

/// The body of a message, whatever model it is about.
pub fn open(bytes: &[u8]) -> Result<(ModelHash, Packed), Unread> {
    let garbage = |what: &str| Unread::Garbage(what.to_string());
    if bytes.len() > LONGEST {
        return Err(garbage("it is longer than any message"));
    }
    if bytes.len() < HEAD || !bytes.starts_with(&MAGIC) {
        return Err(garbage("it is no message"));
    }
    let version = bytes[MAGIC.len()];
    if version != VERSION {
        return Err(Unread::Version(version));
    }
    let model = ModelHash::from_bytes(bytes[MAGIC.len() + 1..HEAD].try_into().expect("so many bytes"));
    match postcard::take_from_bytes(&bytes[HEAD..]) {
        Ok((body, [])) => Ok((model, body)),
        Ok((_, more)) => Err(Unread::Garbage(format!("{} bytes follow the message", more.len()))),
        Err(error) => Err(Unread::Garbage(format!("its body cannot be read: {error}"))),
    }
}

/// The body of a message about this model.
pub fn unseal(model: &ModelHash, bytes: &[u8]) -> Result<Packed, Unread> {
    match open(bytes)? {
        (about, body) if about == *model => Ok(body),
        (about, _) => Err(Unread::Model(about)),
    }
}

#[cfg(test)]
mod tests;
