//! The files that a run was asked to write: witnesses, waveforms, the certificate, lemmas.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use buttress_check::{Evidence, WordChecked};
use buttress_engine::largest_inductive;
use buttress_format::{aiger, btor2, certificate, vcd, witness};
use buttress_query::Levels;
use buttress_solve::{Cdcl, Stop};
use buttress_system::indexed::{Indexed, IndexedProof};
use buttress_system::words::{WordProof, WordTrace};
use buttress_system::{Clause, Proof, Trace};

use super::{Finding, Findings, Outcome};
use crate::args::CheckArgs;
use crate::driver::Accepted;
use crate::lemma_file;
use crate::limits::stop_after;
use crate::lustre;
use crate::model::Model;
use crate::report::text::count;
use crate::report::words;

/// How long lemmas to be written may be sorted into inductive ones and others.
const SORTING: Duration = Duration::from_secs(5);

/// What was written, or why it could not be.
pub type Note = Result<String, String>;

pub fn write(args: &CheckArgs, findings: &Findings) -> Vec<Note> {
    let Some(model) = &findings.model else { return Vec::new() };
    let mut notes = Vec::new();
    if let (Some(_), Some(_)) = (&args.witness, &model.indexed) {
        notes.push(Err("traces of models with maps have no file format: --json and --vcd write them".into()));
    } else if let Some(path) = &args.witness {
        notes.extend(traces(model, findings, path, "witness", write_witness));
    }
    if let Some(path) = &args.vcd {
        notes.extend(traces(model, findings, path, "waveform", write_waveform));
    }
    if let Some(path) = &args.certificate {
        notes.extend(certificate(model, findings, path));
    }
    if let Some(path) = &args.save_lemmas {
        notes.push(lemmas(model, findings, path));
    }
    notes
}

type TraceWriter = fn(&Model, &Accepted, &mut dyn Write) -> io::Result<()>;

/// In the format of the model; of Lustre, what the source has to be given.
fn write_witness(model: &Model, checked: &Accepted, mut out: &mut dyn Write) -> io::Result<()> {
    if let (Some(source), Accepted::Words { checked, .. }) = (&model.source, checked) {
        let trace = word_trace(checked);
        let script = source.script(trace).expect("it was replayed when it was accepted");
        return lustre::write_trace(&model.system.property_name(trace.property), &script, out);
    }
    match (checked, &model.words) {
        (Accepted::Words { checked, .. }, Some(words)) => {
            btor2::write_witness(words.words(), word_trace(checked), &mut out)
        }
        _ => witness::write(&model.system, trace(checked), &mut out),
    }
}

fn write_waveform(model: &Model, checked: &Accepted, mut out: &mut dyn Write) -> io::Result<()> {
    if let Some(execution) = words::execution(model, checked) {
        return vcd::write_waves(&lustre::waves(&execution), &mut out);
    }
    if let Accepted::Indexed { bits: Evidence::Trace(outline), .. } = checked {
        return vcd::write_waves(&words::waves(model, checked, outline), &mut out);
    }
    match (checked, &model.words) {
        (Accepted::Words { checked, .. }, Some(words)) => {
            vcd::write_words(model.proved().unwrap_or(words.words()), word_trace(checked), &mut out)
        }
        _ => vcd::write(&model.system, trace(checked), &mut out),
    }
}

/// One file a trace: the name given, with the property's position where there are several.
fn traces(model: &Model, findings: &Findings, path: &Path, what: &str, write: TraceWriter) -> Vec<Note> {
    let several = findings.traces().count() > 1 && path != Path::new("-");
    let name = |f: &Finding| match several {
        true => with_suffix(path, &model.position(f.property)),
        false => path.to_path_buf(),
    };
    let one = |(f, checked): (&Finding, &Accepted)| {
        let file = name(f);
        into_file(&file, |out| write(model, checked, out))?;
        Ok(format!("{what} of {} written to {}", model.title(f.property), file.display()))
    };
    findings.traces().map(one).collect()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{suffix}{extension}"))
}

/// One circuit for all proved properties together; those whose proof has no circuit are named.
fn certificate(model: &Model, findings: &Findings, path: &Path) -> Vec<Note> {
    if let Some(indexed) = &model.indexed {
        return vec![quantified(indexed, findings, path)];
    }
    if model.beyond_bits {
        return vec![obligations(model, findings, path)];
    }
    if model.words.is_some() {
        let help = "certificates are circuits about AIGER models: `buttress convert` makes one of this model";
        return vec![Err(format!("no certificate for {}: {help}", model.path))];
    }
    let system = &model.system;
    let bounded = findings.proofs().find_map(|(_, c)| c.vacuous()).map(|v| v.states);
    let certifiable = |c: &Accepted| bounded.is_some() || proof(c).distinct.is_none();
    let mut notes: Vec<Note> = Vec::new();
    let mut all: Option<Proof> = None;
    for (finding, checked) in findings.proofs() {
        if certifiable(checked) {
            let proof = proof(checked);
            all = Some(all.map_or_else(|| proof.clone(), |others| others.and(proof)));
        } else {
            notes.push(Err(format!(
                "no certificate for {}: its proof compares states for distinctness, which a witness circuit \
                 cannot express",
                model.title(finding.property)
            )));
        }
    }
    if let Some(proof) = all {
        let circuit = certificate::witness_circuit(system, &proof, bounded).expect("certifiable");
        let comments = certificate::comments(system, &proof, &model.path);
        let ascii = path.extension().is_some_and(|e| e == "aag");
        let written = into_file(path, |mut out| match ascii {
            true => aiger::write_ascii(&circuit, &comments, &mut out),
            false => aiger::write_binary(&circuit, &comments, &mut out),
        });
        notes.push(written.map(|()| format!("certificate written to {}", path.display())));
    }
    notes
}

/// One script with the obligations of all proofs about all places, with quantifiers.
fn quantified(model: &Indexed, findings: &Findings, path: &Path) -> Note {
    let proof = |(_, accepted): (_, &Accepted)| match accepted {
        Accepted::Indexed { checked, .. } => match checked.evidence() {
            Evidence::Proof(proof) => Some(proof.clone()),
            Evidence::Trace(_) => None,
        },
        _ => None,
    };
    let proofs: Vec<IndexedProof> = findings.proofs().filter_map(proof).collect();
    let proofs: Vec<&IndexedProof> = proofs.iter().collect();
    into_file(path, |out| buttress_format::quantified::write(model, &proofs, out))?;
    Ok(format!("certificate written to {}", path.display()))
}

/// One script with the obligations of all proofs about words.
fn obligations(model: &Model, findings: &Findings, path: &Path) -> Note {
    let words = model.words.as_ref().expect("what is beyond bits is words");
    let proofs: Vec<&WordProof> = findings.proofs().filter_map(|(_, checked)| word_proof(checked)).collect();
    into_file(path, |out| buttress_format::obligations::write(words.words(), &proofs, out))?;
    Ok(format!("certificate written to {}", path.display()))
}

fn word_proof(checked: &Accepted) -> Option<&WordProof> {
    match checked {
        Accepted::Words { checked, .. } => match checked.evidence() {
            Evidence::Proof(proof) => Some(proof),
            Evidence::Trace(_) => None,
        },
        Accepted::Bits(_) | Accepted::Indexed { .. } => None,
    }
}

/// Everything that was found: the clauses of proofs, and what undecided runs left. What is inductive of it together is
/// written as one group, the rest as candidates.
fn lemmas(model: &Model, findings: &Findings, path: &Path) -> Note {
    let proved = findings.proofs().flat_map(|(_, c)| &proof(c).invariant);
    let left = findings.remains.iter().flat_map(|r| &r.clauses);
    let all: Vec<Clause> = proved.chain(left).cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let kept = inductive_part(model, &all);
    let mut group = Vec::new();
    let mut candidates = Vec::new();
    for (position, clause) in all.into_iter().enumerate() {
        if kept.contains(&position) { group.push(clause) } else { candidates.push(clause) }
    }
    let head = lemma_file::head(model, findings.undecided() > 0, &finders(findings));
    into_file(path, |out| buttress_format::lemmas::write(&model.system, &head, &group, &candidates, out))?;
    let lemmas = count(group.len(), "lemma", "lemmas");
    let others = count(candidates.len(), "candidate", "candidates");
    Ok(format!("{lemmas} and {others} written to {}", path.display()))
}

/// The positions of clauses that are inductive together; none where that takes too long.
fn inductive_part(model: &Model, clauses: &[Clause]) -> BTreeSet<usize> {
    let stop = Stop::new();
    stop_after(&stop, Some(SORTING));
    let mut levels = Levels::new(model.system.clone(), || Cdcl::new(&stop));
    largest_inductive(&mut levels, clauses).unwrap_or_default().into_iter().collect()
}

/// Who found the lemmas.
fn finders(findings: &Findings) -> String {
    let left = findings.remains.iter().map(|r| r.engine.title);
    let proved = findings.properties.iter().filter_map(|f| match &f.outcome {
        Outcome::Decided { engine, .. } => Some(engine.title),
        _ => None,
    });
    let titles: BTreeSet<&str> = left.chain(proved).collect();
    titles.into_iter().collect::<Vec<_>>().join(", ")
}

fn proof(checked: &Accepted) -> &Proof {
    match checked.evidence() {
        Evidence::Proof(proof) => proof,
        Evidence::Trace(_) => unreachable!("only proofs are asked for"),
    }
}

fn trace(checked: &Accepted) -> &Trace {
    match checked.evidence() {
        Evidence::Trace(trace) => trace,
        Evidence::Proof(_) => unreachable!("only traces are asked for"),
    }
}

fn word_trace(checked: &WordChecked) -> &WordTrace {
    match checked.evidence() {
        Evidence::Trace(trace) => trace,
        Evidence::Proof(_) => unreachable!("only traces are asked for"),
    }
}

fn into_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), String> {
    let result = if path == Path::new("-") {
        write(&mut io::stdout().lock())
    } else {
        File::create(path).and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()
        })
    };
    result.map_err(|error| format!("{}: {error}", path.display()))
}
