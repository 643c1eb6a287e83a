//! The files that a run was asked to write: witnesses, waveforms, the certificate, lemmas, the report for a
//! browser, a CI server, a code host.

use std::io::{self, Write};
use std::path::Path;

use buttress_driver::files::{self, Certificate, Without};
use buttress_driver::{Accepted, Answers, Problem, Report};
use buttress_format::Style;
use buttress_report::{count, html, junit, sarif};

use crate::args::CheckArgs;
use crate::command::{into_file, open_for_writing, with_suffix};

/// The message of a file that was written, or of why it could not be.
pub type Note = Result<String, String>;

pub fn write(args: &CheckArgs, answers: &Answers, report: &Report) -> Vec<Note> {
    let mut notes = Vec::new();
    if let Some(path) = &args.witness {
        notes.extend(traces(answers, path, "witness", files::write_witness));
    }
    if let Some(path) = &args.vcd {
        notes.extend(traces(answers, path, "waveform", write_vcd));
    }
    if let Some(path) = &args.fst {
        notes.extend(traces(answers, path, "waveform", write_fst));
    }
    if let Some(path) = &args.certificate {
        notes.extend(certificate(answers, path));
    }
    if let Some(path) = &args.save_lemmas {
        notes.push(lemmas(answers, path));
    }
    if let Some(path) = &args.report {
        notes.push(page(path, &html::page(report)));
    }
    if let Some(path) = &args.junit {
        notes.push(page(path, &junit::page(report)));
    }
    if let Some(path) = &args.sarif {
        notes.push(page(path, &sarif::page(report)));
    }
    notes
}

fn page(path: &Path, text: &str) -> Note {
    into_file(path, |out| out.write_all(text.as_bytes()))?;
    Ok(format!("report written to {}", path.display()))
}

fn write_vcd(problem: &Problem, accepted: &Accepted, out: &mut dyn Write) -> io::Result<()> {
    files::waveform(problem, accepted).write(Style::Vcd, out)
}

fn write_fst(problem: &Problem, accepted: &Accepted, out: &mut dyn Write) -> io::Result<()> {
    files::waveform(problem, accepted).write(Style::Fst, out)
}

type TraceWriter = fn(&Problem, &Accepted, &mut dyn Write) -> io::Result<()>;

/// One file a trace: the name given, with the property's position where there are several.
fn traces(answers: &Answers, path: &Path, what: &str, write: TraceWriter) -> Vec<Note> {
    let problem = answers.problem();
    let traces: Vec<_> = answers.accepted().filter(|(_, accepted)| !accepted.is_proof()).collect();
    let several = traces.len() > 1 && path != Path::new("-");
    let one = |(claim, accepted)| {
        let claim = problem.claim(claim);
        let file = if several { with_suffix(path, &claim.position) } else { path.to_path_buf() };
        into_file(&file, |out| write(problem, accepted, out))?;
        Ok(format!("{what} of {} written to {}", claim.title, file.display()))
    };
    traces.into_iter().map(one).collect()
}

/// One file for all proved properties together; those whose proof it cannot have are named.
fn certificate(answers: &Answers, path: &Path) -> Vec<Note> {
    let ascii = path.extension().is_some_and(|e| e == "aag");
    let missing = |Without { title, why }: &Without| Err(format!("no certificate for {title}: {why}"));
    match files::write_certificate(answers, ascii, &mut || open_for_writing(path)) {
        Err(error) => vec![Err(format!("{}: {error}", path.display()))],
        Ok(Certificate::NothingProved) => {
            vec![Ok("there is no certificate: nothing is proved".to_string())]
        }
        Ok(Certificate::Impossible { without }) => without.iter().map(missing).collect(),
        Ok(Certificate::Written { without }) => {
            let written = Ok(format!("certificate written to {}", path.display()));
            without.iter().map(missing).chain([written]).collect()
        }
    }
}

fn lemmas(answers: &Answers, path: &Path) -> Note {
    let mut counts = (0, 0);
    into_file(path, |out| {
        counts = files::write_lemmas(answers, out)?;
        Ok(())
    })?;
    let lemmas = count(counts.0, "lemma", "lemmas");
    let others = count(counts.1, "candidate", "candidates");
    Ok(format!("{lemmas} and {others} written to {}", path.display()))
}
