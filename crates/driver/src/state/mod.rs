//! The results of earlier runs, in a directory: verdicts with their evidence, lemmas, depths (`--state DIR`).
//!
//! One log for each model, `HASH.log`, with the hash of the [codec](crate::codec). Its first record says what the
//! model was called and how its parts are called; the others are messages of the codec. A log is only ever added
//! to, and every record has its length and a checksum: see [`log`]. So a run that is killed loses at most the
//! record that it was writing, and runs side by side may share a directory.
//!
//! Nothing in it is believed:
//!
//! * evidence goes to the judge, and what it accepts is a verdict of this run, too;
//! * of all lemmas, the largest part that is inductive together is found and checked, as for `--lemmas`;
//! * a depth is told and no more: no base case rests on it.
//!
//! A model without a log of its own, but whose file had one before it was edited, takes over what is in that one,
//! with everything [by its name](rename). What no longer holds is left out, in the same way.

mod log;
mod rename;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use buttress_format::terms::TermReader;
use buttress_system::Clause;
use buttress_system::words::WordLemma;

use crate::codec::{Coded, LONGEST, ModelHash, Packed, PackedEvidence, PackedProof, open, seal};
use crate::outside::{Letter, Outside};
use crate::plan::{Kind, Lemmas};
use crate::problem::Problem;
use log::Log;
use rename::LogHead;

/// How messages call who sent what is kept.
const EARLIER: &str = "an earlier run";

/// Lemmas that are tried again, at most: the latest.
const MOST_LEMMAS: usize = 50_000;

/// The state of one model.
pub struct State {
    place: String,
    model: ModelHash,
    inner: Mutex<Inner>,
}

struct Inner {
    /// `None` where it cannot be written.
    log: Option<Log>,
    /// Of each property the latest evidence that is kept, and whether this log has it; what is not given out yet.
    evidence: Vec<(Packed, bool)>,
    known: Known,
    troubles: Vec<String>,
}

/// The contents of the log so far: records that need not be written again.
#[derive(Default)]
struct Known {
    /// Properties that were decided in this run.
    decided: BTreeSet<u32>,
    clauses: BTreeSet<Vec<u32>>,
    terms: BTreeSet<String>,
    depths: BTreeMap<u32, u64>,
    /// In the order in which they were kept.
    lemmas: Vec<Kept>,
}

/// A lemma: over latches, or as text.
#[derive(Clone)]
enum Kept {
    Clause(Vec<u32>),
    Term(String),
}

impl Known {
    /// Whether there is something new in a message: that alone, where it can be told apart.
    fn news(&mut self, body: &Packed) -> Option<Packed> {
        match body {
            Packed::Evidence { evidence, .. } => {
                if let PackedEvidence::Proof(proof) = evidence {
                    self.lemmas_of(proof);
                }
                let before = self.decided.len();
                self.decided.extend(evidence.decides());
                (self.decided.len() > before).then(|| body.clone())
            }
            Packed::Proved(proof) => {
                let any = self.lemmas_of(proof);
                any.then(|| body.clone())
            }
            Packed::Candidates(clauses) => {
                let new: Vec<Vec<u32>> = clauses.iter().filter(|c| self.clause(c)).cloned().collect();
                (!new.is_empty()).then_some(Packed::Candidates(new))
            }
            Packed::Excluded { cube, .. } => {
                let clause: Vec<u32> = cube.iter().map(|l| l ^ 1).collect();
                self.clause(&clause).then_some(Packed::Candidates(vec![clause]))
            }
            Packed::HoldsUpTo { property, steps } => {
                let known = self.depths.entry(*property).or_default();
                // Each a tenth deeper than the last that was kept.
                let deeper = *steps > *known + *known / 10;
                if deeper {
                    *known = *steps;
                }
                deeper.then(|| body.clone())
            }
            Packed::Failed { .. } | Packed::Decided { .. } => None,
        }
    }

    /// Remembers the lemmas of a proof; whether one is new.
    fn lemmas_of(&mut self, proof: &PackedProof) -> bool {
        match proof {
            PackedProof::Bits { clauses, .. } => clauses.iter().filter(|c| self.clause(c)).count() > 0,
            PackedProof::Words { invariant, .. } => {
                invariant.iter().filter(|text| self.term(text)).count() > 0
            }
            // There are no lemmas of maps.
            PackedProof::Maps { .. } => false,
        }
    }

    fn clause(&mut self, clause: &[u32]) -> bool {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        let new = self.clauses.insert(clause.clone());
        if new {
            self.lemmas.push(Kept::Clause(clause));
        }
        new
    }

    fn term(&mut self, text: &str) -> bool {
        let new = self.terms.insert(text.to_string());
        if new {
            self.lemmas.push(Kept::Term(text.to_string()));
        }
        new
    }
}

impl State {
    /// The state of a model; where the directory cannot be used, nothing is kept, which is said. The second are
    /// notes on what was found there.
    pub fn open(directory: &Path, problem: &Problem) -> (State, Vec<String>) {
        let model = ModelHash::of(problem);
        let names = LogHead::of(problem);
        let mut inner =
            Inner { log: None, evidence: Vec::new(), known: Known::default(), troubles: Vec::new() };
        let mut notes = Vec::new();
        if let Err(error) = inner.load(directory, &model, &names, &mut notes) {
            inner.trouble(&directory.display().to_string(), &error.to_string());
        }
        for (property, steps) in &inner.known.depths {
            let name = names.property(*property);
            notes.push(format!(
                "an earlier run saw no violation of {name} up to step {steps}; this is not used"
            ));
        }
        (State { place: directory.display().to_string(), model, inner: Mutex::new(inner) }, notes)
    }

    /// The lemmas to be tried, in the language of what engines work on.
    pub fn lemmas(&self, problem: &Problem) -> Lemmas {
        let inner = self.inner.lock().expect("no holder panics");
        let all = &inner.known.lemmas;
        let latest = &all[all.len().saturating_sub(MOST_LEMMAS)..];
        match (Kind::of(problem), problem.bits(), problem.words()) {
            (Kind::Bits, Some(system), _) => {
                let over_latches = |clause: &Vec<buttress_system::Lit>| {
                    clause.iter().all(|l| system.as_latch(l.var()).is_some())
                };
                let clause = |kept: &Kept| match kept {
                    Kept::Clause(codes) => {
                        system.unpack_cube(codes.clone()).ok().filter(over_latches).map(Clause::new)
                    }
                    Kept::Term(_) => None,
                };
                let clauses: Vec<Clause> = latest.iter().filter_map(clause).collect();
                if clauses.is_empty() { Lemmas::None } else { Lemmas::Clauses(clauses) }
            }
            (Kind::Theories, _, Some(system)) => {
                let mut reader = TermReader::over(system);
                let terms: Vec<_> = latest
                    .iter()
                    .filter_map(|kept| match kept {
                        Kept::Term(text) => reader.claim(text).ok(),
                        Kept::Clause(_) => None,
                    })
                    .collect();
                let store = Arc::new(reader.into_terms());
                let lemmas: Vec<_> = terms.into_iter().map(|t| WordLemma::Term(store.clone(), t)).collect();
                if lemmas.is_empty() { Lemmas::None } else { Lemmas::Terms(lemmas) }
            }
            _ => Lemmas::None,
        }
    }
}

impl Inner {
    fn load(
        &mut self,
        directory: &Path,
        model: &ModelHash,
        names: &LogHead,
        notes: &mut Vec<String>,
    ) -> std::io::Result<()> {
        std::fs::create_dir_all(directory)?;
        let path = directory.join(format!("{model}.log"));
        let (log, records, cut) = Log::open(&path)?;
        self.log = Some(log);
        if cut > 0 {
            notes.push(format!("{}: {cut} bytes of an interrupted write were cut off", path.display()));
        }
        let mut records = records.into_iter();
        match records.next() {
            Some(_) => records.for_each(|record| self.keep(model, &record)),
            None => {
                self.write(directory, &names.bytes());
                if let Some((other, theirs, messages)) = edited(directory, &path, names)? {
                    notes.push(format!("the model was edited: what {} knows is tried", other.display()));
                    let renaming = theirs.renaming(names);
                    for body in messages.into_iter().filter_map(|message| open(&message).ok()) {
                        if let Some(body) = renaming.message(body.1) {
                            self.recall(&body, false);
                        }
                    }
                    self.try_apart();
                    // The log of this version has none of it yet.
                    self.known = Known { lemmas: std::mem::take(&mut self.known.lemmas), ..Known::default() };
                }
            }
        }
        Ok(())
    }

    /// A record of this model's own log.
    fn keep(&mut self, model: &ModelHash, record: &[u8]) {
        if let Ok((about, body)) = open(record)
            && about == *model
        {
            self.recall(&body, true);
        }
    }

    /// Takes in a record that an earlier run kept, in this log or in that of another version.
    fn recall(&mut self, body: &Packed, here: bool) {
        self.known.news(body);
        self.known.decided.clear();
        if let Packed::Evidence { evidence, .. } = body {
            let decided = evidence.decides();
            self.evidence.retain(|(older, _)| match older {
                Packed::Evidence { evidence, .. } => !evidence.decides().iter().all(|p| decided.contains(p)),
                _ => false,
            });
            self.evidence.push((body.clone(), here));
        }
    }

    /// Proofs of several properties of another version, where one may be wrong now: each by itself, too, after
    /// all.
    fn try_apart(&mut self) {
        let mut apart = Vec::new();
        for (body, _) in &self.evidence {
            if let Packed::Evidence { engine, evidence: PackedEvidence::Proof(proof) } = body
                && proof.properties().len() > 1
            {
                apart.extend(proof.apart().map(|proof| {
                    let evidence = PackedEvidence::Proof(proof);
                    (Packed::Evidence { engine: engine.clone(), evidence }, false)
                }));
            }
        }
        self.evidence.extend(apart);
    }

    fn write(&mut self, place: &Path, record: &[u8]) {
        if let Some(log) = &mut self.log
            && let Err(error) = log.append(record)
        {
            self.log = None;
            self.trouble(&place.display().to_string(), &error.to_string());
        }
    }

    fn trouble(&mut self, place: &str, why: &str) {
        self.troubles.push(format!("--state {place}: {why}; what is found now is not kept"));
    }
}

/// The latest log of another version of the same file.
type Other = (PathBuf, LogHead, Vec<Vec<u8>>);

fn edited(directory: &Path, own: &Path, names: &LogHead) -> std::io::Result<Option<Other>> {
    let mut logs: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let about = std::fs::metadata(&path)?;
        if path != own && about.is_file() && path.extension().is_some_and(|e| e == "log") {
            logs.push((about.modified()?, path));
        }
    }
    logs.sort();
    for (_, path) in logs.into_iter().rev() {
        let Some(head) = log::first(&path)?.and_then(|head| LogHead::read(&head)) else { continue };
        if head.is_of_the_same_file(names) {
            let records = log::read(&path)?;
            return Ok(Some((path, head, records.into_iter().skip(1).collect())));
        }
    }
    Ok(None)
}

impl Outside for State {
    fn place(&self) -> &str {
        &self.place
    }

    fn send(&self, model: &ModelHash, body: &Packed) {
        let mut inner = self.inner.lock().expect("no holder panics");
        let is_fact_of_a_proof = matches!(body, Packed::Proved(proof) if !proof.properties().is_empty());
        if inner.log.is_none() || *model != self.model || is_fact_of_a_proof {
            return;
        }
        if let Some(news) = inner.known.news(body) {
            let record = seal(model, &news);
            if record.len() <= LONGEST {
                inner.write(Path::new(&self.place), &record);
            }
        }
    }

    /// Evidence, once. Lemmas go another way.
    fn receive(&self, _: usize) -> Vec<Letter> {
        let mut inner = self.inner.lock().expect("no holder panics");
        let evidence = std::mem::take(&mut inner.evidence);
        let letter = |(body, stays): (Packed, bool)| {
            let (from, bytes) = (EARLIER.to_string(), seal(&self.model, &body));
            Letter { from, bytes, stays }
        };
        evidence.into_iter().map(letter).collect()
    }

    fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.lock().expect("no holder panics").troubles)
    }

    fn is_memory(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
