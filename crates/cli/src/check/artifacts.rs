//! The files that a run was asked to write: witnesses, waveforms, the certificate.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use buttress_check::{Checked, Evidence};
use buttress_format::{aiger, certificate, vcd, witness};
use buttress_system::{BitSystem, Proof, Trace};

use super::{Finding, Findings};
use crate::args::CheckArgs;
use crate::model::Model;

/// What was written, or why it could not be.
pub type Note = Result<String, String>;

pub fn write(args: &CheckArgs, findings: &Findings) -> Vec<Note> {
    let Some(model) = &findings.model else { return Vec::new() };
    let mut notes = Vec::new();
    if let Some(path) = &args.witness {
        notes
            .extend(traces(model, findings, path, "witness", |s, t, mut out| witness::write(s, t, &mut out)));
    }
    if let Some(path) = &args.vcd {
        notes.extend(traces(model, findings, path, "waveform", |s, t, mut out| vcd::write(s, t, &mut out)));
    }
    if let Some(path) = &args.certificate {
        notes.extend(certificate(model, findings, path));
    }
    notes
}

type TraceWriter = fn(&BitSystem, &Trace, &mut dyn Write) -> io::Result<()>;

/// One file a trace: the name given, with the property's position where there are several.
fn traces(model: &Model, findings: &Findings, path: &Path, what: &str, write: TraceWriter) -> Vec<Note> {
    let several = findings.traces().count() > 1 && path != Path::new("-");
    let name = |f: &Finding| match several {
        true => with_suffix(path, &model.position(f.property)),
        false => path.to_path_buf(),
    };
    let one = |(f, trace): (&Finding, &Trace)| {
        let file = name(f);
        into_file(&file, |out| write(&model.system, trace, out))?;
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
    let system = &model.system;
    let bounded = findings.proofs().find_map(|(_, c)| c.vacuous()).map(|v| v.states);
    let certifiable = |c: &Checked| bounded.is_some() || proof(c).distinct.is_none();
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

fn proof(checked: &Checked) -> &Proof {
    match checked.evidence() {
        Evidence::Proof(proof) => proof,
        Evidence::Trace(_) => unreachable!("only proofs are asked for"),
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
