//! Verdicts from elsewhere, expected or found by others, and disagreements with them.
//!
//! A claim is about a file when one of the two paths ends in the other, counted in whole
//! components; the longest match counts. Claims that match equally well from different paths
//! count only if they say the same, so that a bare `x.aig` does not stand for two files. A claim
//! with no definite verdict is left out. Who is right is not decided here.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use super::csv::{self, CsvError};
use super::outcome::Verdict;

/// A definite verdict and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub source: String,
    pub verdict: Verdict,
}

/// A claim and the path it was made about.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    claim: Claim,
}

/// All claims from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// By the last component of the path.
    by_name: HashMap<String, Vec<Entry>>,
}

/// Two definite verdicts on one file that differ, with all who gave one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub file: String,
    pub parties: Vec<Claim>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        let side = |verdict| {
            let sources = self.parties.iter().filter(|claim| claim.verdict == verdict);
            sources.map(|claim| claim.source.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (safe, unsafe_) = (side(Verdict::Safe), side(Verdict::Unsafe));
        write!(f, "safe according to {safe}; unsafe according to {unsafe_}")
    }
}

impl Claims {
    /// Adds the verdicts of a table with the columns `file` and `expected`.
    pub fn add_expected(&mut self, path: &Path) -> Result<(), CsvError> {
        for [file, expected] in csv::read_columns(path, ["file", "expected"])? {
            self.add(file, "expected".to_owned(), &expected);
        }
        Ok(())
    }

    /// Adds the verdicts of a table with the columns `file`, `tool` and `verdict`.
    pub fn add_peers(&mut self, path: &Path) -> Result<(), CsvError> {
        for [file, tool, verdict] in csv::read_columns(path, ["file", "tool", "verdict"])? {
            self.add(file, format!("peer {tool}"), &verdict);
        }
        Ok(())
    }

    fn add(&mut self, path: String, source: String, word: &str) {
        let name = components(&path).next().map(str::to_owned);
        if let (Some(name), Some(verdict)) = (name, Verdict::from_claim(word)) {
            let claim = Claim { source, verdict };
            self.by_name.entry(name).or_default().push(Entry { path, claim });
        }
    }

    /// The claims about a file, at most one verdict of each source where the match is unclear.
    pub fn about(&self, path: &str) -> Vec<Claim> {
        let name = components(path).next().unwrap_or_default();
        let entries = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let mut best: Vec<(usize, &Entry)> = Vec::new();
        for entry in entries {
            let Some(length) = common_suffix(path, &entry.path) else {
                continue;
            };
            let rival = |other: &&Entry| other.claim.source == entry.claim.source;
            if best.iter().any(|(other, e)| rival(e) && *other > length) {
                continue;
            }
            best.retain(|(other, e)| !rival(e) || *other == length);
            best.push((length, entry));
        }
        let best: Vec<&Entry> = best.into_iter().map(|(_, entry)| entry).collect();
        let mut claims = Vec::new();
        for entry in best.iter().filter(|entry| !is_ambiguous(entry, &best)) {
            if !claims.contains(&entry.claim) {
                claims.push(entry.claim.clone());
            }
        }
        claims
    }
}

/// Another path matches as well, and the same source says otherwise about it.
fn is_ambiguous(entry: &Entry, best: &[&Entry]) -> bool {
    best.iter().any(|other| {
        other.claim.source == entry.claim.source
            && other.claim.verdict != entry.claim.verdict
            && !components(&other.path).eq(components(&entry.path))
    })
}

/// The components of a path from the last to the first, without `.`.
fn components(path: &str) -> impl Iterator<Item = &str> {
    path.trim().rsplit('/').filter(|part| !part.is_empty() && *part != ".")
}

/// The length of the shorter path, in components, if the longer one ends in it.
fn common_suffix(a: &str, b: &str) -> Option<usize> {
    let length = components(a).count().min(components(b).count());
    let same = components(a).zip(components(b)).all(|(a, b)| a == b);
    (same && length > 0).then_some(length)
}

/// The disagreement among these claims about a file, if there is one.
pub fn disagreement(file: &str, parties: Vec<Claim>) -> Option<Disagreement> {
    let says = |verdict| parties.iter().any(|claim| claim.verdict == verdict);
    (says(Verdict::Safe) && says(Verdict::Unsafe))
        .then(|| Disagreement { file: file.to_owned(), parties: parties.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn claim(source: &str, verdict: Verdict) -> Claim {
        Claim { source: source.to_owned(), verdict }
    }

    fn claims(rows: &[(&str, &str, &str)]) -> Claims {
        let mut claims = Claims::default();
        for (path, source, word) in rows {
            claims.add((*path).to_owned(), (*source).to_owned(), word);
        }
        claims
    }

    #[test]
    fn claims_match_by_whole_path_components() {
        let claims = claims(&[("b/m.aig", "e", "unsat"), ("suite/a/n.aig", "e", "sat")]);
        assert_eq!(claims.about("a/b/m.aig"), [claim("e", Verdict::Safe)]);
        assert_eq!(claims.about("./b/m.aig"), [claim("e", Verdict::Safe)]);
        assert_eq!(claims.about("a/n.aig"), [claim("e", Verdict::Unsafe)]);
        assert!(claims.about("a/xb/m.aig").is_empty());
        assert!(claims.about("other.aig").is_empty());
    }

    #[test]
    fn the_longest_match_counts() {
        let claims = claims(&[("m.aig", "e", "sat"), ("b/m.aig", "e", "unsat"), ("m.aig", "p", "sat")]);
        let expected = [claim("e", Verdict::Safe), claim("p", Verdict::Unsafe)];
        assert_eq!(claims.about("a/b/m.aig"), expected);
    }

    #[test]
    fn an_unclear_match_does_not_count() {
        let unclear = claims(&[("a/m.aig", "e", "sat"), ("b/m.aig", "e", "unsat")]);
        assert!(unclear.about("m.aig").is_empty());
        let agreed = claims(&[("a/m.aig", "e", "sat"), ("b/m.aig", "e", "unsafe")]);
        assert_eq!(agreed.about("m.aig"), [claim("e", Verdict::Unsafe)]);
        let at_odds = claims(&[("m.aig", "p", "sat"), ("m.aig", "p", "unsat")]);
        assert_eq!(at_odds.about("m.aig").len(), 2, "a source may contradict itself");
    }

    #[test]
    fn tables_are_read() {
        let scratch = Scratch::new();
        let expected = scratch.write("e.csv", "expected,file\nvalid,m.aig\nunknown,n.aig\n");
        let peers = scratch.write("p.csv", "file,tool,verdict,cpu_s\nm.aig,abc,unsafe,1\n");
        let mut claims = Claims::default();
        claims.add_expected(&expected).expect("expected");
        claims.add_peers(&peers).expect("peers");
        let found = claims.about("m.aig");
        assert_eq!(found, [claim("expected", Verdict::Safe), claim("peer abc", Verdict::Unsafe)]);
        assert!(claims.about("n.aig").is_empty());
        assert!(claims.add_peers(&expected).is_err(), "no column `tool`");
    }

    #[test]
    fn disagreements_name_all_parties() {
        let parties = [("a", Verdict::Safe), ("b", Verdict::Unsafe), ("expected", Verdict::Safe)];
        let parties = parties.map(|(source, verdict)| claim(source, verdict)).to_vec();
        let found = disagreement("m.aig", parties.clone()).expect("a disagreement");
        assert_eq!(found.to_string(), "m.aig: safe according to a, expected; unsafe according to b");
        assert_eq!(disagreement("m.aig", parties[..1].to_vec()), None);
        assert_eq!(disagreement("m.aig", Vec::new()), None);
    }
}
