//! `buttress verify`: checks a witness or a certificate of any tool against its model.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use buttress_check::{Pair, Refusal, certify_circuit, certify_trace, certify_word_trace};
use buttress_format::{Aiger, Diagnostic, Witness, aiger, btor2, certificate, witness};
use buttress_lustre::Model;
use buttress_solve::Stop;
use buttress_system::PropertyId;

use crate::args::VerifyArgs;
use crate::limits::stop_after;
use crate::model::{Source, Words, open, read_file};
use crate::{exit, lustre};

/// What came out, in words.
enum Judgement {
    Accepted(String),
    Rejected(String),
    Undecided(String),
    BadInput(String),
}

pub fn verify(args: &VerifyArgs) -> ExitCode {
    let stop = Stop::new();
    stop_after(&stop, args.timeout);
    let (code, line) = match judge(args, &stop) {
        Judgement::Accepted(what) => (exit::PROVED, format!("accepted: {what}")),
        Judgement::Rejected(why) => (exit::FAULT, format!("rejected: {why}")),
        Judgement::Undecided(why) => (exit::UNDECIDED, format!("undecided: {why}")),
        Judgement::BadInput(message) => {
            eprintln!("{message}");
            return exit::INPUT.into();
        }
    };
    println!("{line}");
    code.into()
}

fn judge(args: &VerifyArgs, stop: &Stop) -> Judgement {
    let source = match read_file(&args.model) {
        Ok(source) => source,
        Err(message) => return Judgement::BadInput(message),
    };
    if let Source::Words(Words { source: Some(source), .. }) = &source {
        return judge_source_trace(&source.0, &args.evidence);
    }
    let mut evidence = Vec::new();
    let read = open(&args.evidence).and_then(|mut file| {
        file.read_to_end(&mut evidence).map_err(|e| format!("{}: error: {e}", args.evidence.display()))
    });
    let name = args.evidence.display().to_string();
    if let Err(message) = read {
        return Judgement::BadInput(message);
    }
    // A circuit begins with its format; a witness with its status.
    let circuit = evidence.starts_with(b"aag ") || evidence.starts_with(b"aig ");
    match source {
        Source::Bits(model) if circuit => judge_certificate(&model, &name, &evidence, stop),
        Source::Bits(model) => {
            let system = &model.system;
            let certify =
                |trace| certify_trace(system, trace).map(|c| system.property_name(c.properties()[0]));
            judge_witness(witness::read(&evidence[..], system), certify, &name)
        }
        Source::Words(words) if words.indexed.is_some() => {
            let help = "traces of models with maps have no file format of their own";
            Judgement::BadInput(format!("{}: error: {help}", args.model.display()))
        }
        Source::Words(words) => {
            let system = &words.system;
            let label = |p: PropertyId| system.property(p).label.name.to_string();
            let certify = |trace| certify_word_trace(system, trace).map(|c| label(c.properties()[0]));
            judge_witness(btor2::read_witness(&evidence[..], system), certify, &name)
        }
    }
}

/// A trace is executed in the source; no translation of it is involved.
fn judge_source_trace(model: &Model, evidence: &Path) -> Judgement {
    match lustre::read_trace(evidence) {
        Err(message) => Judgement::BadInput(message),
        Ok(trace) => match lustre::verify(model, &trace) {
            Ok(property) => Judgement::Accepted(format!("the trace violates {property}")),
            Err(why) => Judgement::Rejected(why),
        },
    }
}

/// A trace is replayed; `certify` gives the name of the property that it violates.
fn judge_witness<T>(
    read: Result<Witness<T>, Diagnostic>,
    certify: impl Fn(T) -> Result<String, Refusal>,
    file: &str,
) -> Judgement {
    match read {
        Ok(Witness::Violation(trace)) => match certify(trace) {
            Ok(name) => Judgement::Accepted(format!("the trace violates {name}")),
            Err(refusal) => refused(refusal),
        },
        Ok(Witness::Safe) => {
            Judgement::Undecided("it claims that the property holds, but proves nothing".to_string())
        }
        Ok(Witness::Unknown) => Judgement::Undecided("it claims nothing".to_string()),
        Err(diagnostic) => Judgement::BadInput(diagnostic.render(file)),
    }
}

fn judge_certificate(model: &Aiger, file: &str, evidence: &[u8], stop: &Stop) -> Judgement {
    let circuit = match aiger::read(evidence) {
        Ok(circuit) => circuit,
        Err(diagnostic) => return Judgement::BadInput(diagnostic.render(file)),
    };
    if !circuit.system.justice.is_empty() || !model.system.justice.is_empty() {
        return Judgement::Undecided("liveness is not checked yet".to_string());
    }
    let properties = match certificate::certified(&circuit, &model.system) {
        Ok(properties) => properties,
        Err(diagnostic) => return Judgement::Rejected(diagnostic.render(file)),
    };
    let pairs: Vec<Pair> = match certificate::mapping(&circuit, model) {
        Ok(pairs) => pairs.into_iter().map(|(witness, model)| Pair { witness, model }).collect(),
        Err(diagnostic) => return Judgement::Rejected(diagnostic.render(file)),
    };
    match certify_circuit(&model.system, &circuit.system, &pairs, &properties, stop) {
        Ok(accepted) if accepted.properties().is_empty() => {
            Judgement::Accepted("the model has no property, there is nothing to prove".to_string())
        }
        Ok(accepted) => {
            let name = |&p| model.system.property_name(p);
            let names: Vec<String> = accepted.properties().iter().map(name).collect();
            Judgement::Accepted(format!("the circuit proves {}", names.join(", ")))
        }
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Judgement {
    match refusal {
        Refusal::Rejected(why) => Judgement::Rejected(why),
        Refusal::Stopped(why) => Judgement::Undecided(why.to_string()),
    }
}
