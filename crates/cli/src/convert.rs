//! `buttress convert`: a model in another format.
//!
//! | from \ to | AIGER (`.aag`, `.aig`) | BTOR2 (`.btor2`, `.btor`) | VMT-LIB (`.vmt`) |
//! |---|---|---|---|
//! | AIGER | ASCII to binary and back | bits regrouped to words by their symbols | the same |
//! | BTOR2, Lustre, VMT-LIB | by bit-blasting, with symbols `name[3]`; not with liveness, not with integers or large arrays | words only | as words, integers and reals |
//!
//! Liveness is not written as VMT-LIB.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use buttress_format::{Aiger, Btor2, aiger, btor2, vmt};
use buttress_system::BitSystem;
use buttress_transform::blast::{Limits, blast};
use buttress_transform::raise;

use crate::args::ConvertArgs;
use crate::exit;
use crate::model::{Refused, Source, Words, beyond_bits, read};

#[derive(Clone, Copy)]
enum Target {
    Ascii,
    Binary,
    Btor2,
    Vmt,
}

pub fn convert(args: &ConvertArgs) -> ExitCode {
    match run(args) {
        Ok(()) => exit::PROVED.into(),
        Err((code, message)) => {
            eprintln!("{message}");
            code.into()
        }
    }
}

fn run(args: &ConvertArgs) -> Result<(), Refused> {
    let target = target(&args.output)?;
    let source = read(&args.model).map_err(|message| (exit::INPUT, message))?;
    let path = args.model.file.display().to_string();
    let text = match target {
        Target::Btor2 => to_btor2(&path, source)?.into_bytes(),
        Target::Vmt => to_vmt(&path, source)?.into_bytes(),
        Target::Ascii => to_aiger(&path, source, |system, out| aiger::write_ascii(system, &[], out))?,
        Target::Binary => to_aiger(&path, source, |system, out| aiger::write_binary(system, &[], out))?,
    };
    write(&args.output, &text)
        .map_err(|error| (exit::FAULT, format!("{}: error: {error}", args.output.display())))
}

/// The name says what is wanted.
fn target(path: &Path) -> Result<Target, Refused> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("aag") => Ok(Target::Ascii),
        Some("aig") => Ok(Target::Binary),
        Some("btor2" | "btor") => Ok(Target::Btor2),
        Some("vmt") => Ok(Target::Vmt),
        _ => {
            let wanted = "a name that ends with .aag, .aig, .btor2 or .vmt is wanted";
            let message = format!("error: {}: {wanted}", path.display());
            Err((exit::USAGE, message))
        }
    }
}

fn to_btor2(path: &str, source: Source) -> Result<String, Refused> {
    let model = match source {
        Source::Words(words) if words.indexed.is_some() => return Err(maps(path)),
        Source::Words(Words { system, justice, fairness, .. }) => {
            Btor2 { system: (*system).clone(), justice, fairness }
        }
        Source::Bits(Aiger { system: bits, .. }) => {
            let mut raised = raise(&bits);
            let justice: Vec<Vec<_>> =
                bits.justice.iter().map(|all| all.iter().map(|&l| raised.term(l)).collect()).collect();
            let fairness = bits.fairness.iter().map(|&l| raised.term(l)).collect();
            Btor2 { system: raised.system, justice, fairness }
        }
    };
    btor2::write(&model).map_err(|why| (exit::INPUT, format!("{path}: error: {why}")))
}

fn to_vmt(path: &str, source: Source) -> Result<String, Refused> {
    let (system, live) = match source {
        Source::Words(words) => (words.system, !words.justice.is_empty() || !words.fairness.is_empty()),
        Source::Bits(aiger) => {
            let live = !aiger.system.justice.is_empty() || !aiger.system.fairness.is_empty();
            (Arc::new(raise(&aiger.system).system), live)
        }
    };
    if live {
        return Err((exit::INPUT, format!("{path}: error: liveness is not written as VMT-LIB yet")));
    }
    Ok(vmt::write(&system))
}

type Writer = fn(&BitSystem, &mut Vec<u8>) -> std::io::Result<()>;

fn to_aiger(path: &str, source: Source, write: Writer) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    match source {
        Source::Bits(aiger) => write(&aiger.system, &mut bytes),
        Source::Words(words) if words.indexed.is_some() => return Err(maps(path)),
        Source::Words(words) if !words.justice.is_empty() || !words.fairness.is_empty() => {
            return Err((exit::INPUT, format!("{path}: error: liveness is not taken to bits yet")));
        }
        Source::Words(words) => {
            let finite = buttress_transform::finite::finite(&words.system)
                .map_err(|fault| beyond_bits(path, fault))?;
            let blasted =
                blast(&finite.system, Limits::default()).map_err(|fault| beyond_bits(path, fault))?;
            write(&blasted.system, &mut bytes)
        }
    }
    .expect("memory takes everything");
    Ok(bytes)
}

/// Neither bits nor BTOR2 have places without end.
fn maps(path: &str) -> Refused {
    (exit::INPUT, format!("{path}: error: a model with maps has no such form"))
}

fn write(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(text)?;
    out.flush()
}
