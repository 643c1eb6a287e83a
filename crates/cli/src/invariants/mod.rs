//! `buttress invariants`: what is k-inductive about a model, without a property (`buttress_engine::discovery`). Whatever is
//! printed was checked on the system as the front end made it.

mod bits;
mod bounds;
mod nodes;
mod report;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use buttress_engine::discovery::{Kinds, Options, Outcome, Selection};
use buttress_lustre::annotate::annotate;
use buttress_solve::{Stop, Stopped};

use crate::args::{Compare, InvariantsArgs};
use crate::exit;
use crate::limits::stop_after;
use crate::model::{Source, Words, read};

pub fn invariants(args: &InvariantsArgs) -> ExitCode {
    let (start, stop) = (Instant::now(), Stop::new());
    stop_after(&stop, args.timeout);
    let path = args.model.file.display().to_string();
    let source = match read(&args.model) {
        Ok(source) => source,
        Err(message) => {
            eprintln!("{message}");
            return exit::INPUT.into();
        }
    };
    if let Some(message) = unfit(args, &source) {
        eprintln!("{path}: error: {message}");
        return exit::USAGE.into();
    }
    let discovered = match &source {
        Source::Words(words) => words::discover(words, args, &stop),
        Source::Bits(aiger) => Ok(bits::discover(&aiger.system, args, &stop)),
    };
    let mut discovered = match discovered {
        Ok(discovered) => discovered,
        Err(message) => {
            eprintln!("{message}");
            return exit::INPUT.into();
        }
    };
    discovered.seconds = start.elapsed().as_secs_f64();
    if let Err(message) = write(args, &source, &discovered) {
        eprintln!("{path}: error: {message}");
        return exit::FAULT.into();
    }
    match args.json {
        true => report::json(&path, &discovered),
        false => report::text(&path, &discovered, args.verbose),
    }
    discovered.exit_code().into()
}

/// Why this cannot be asked of such a model.
fn unfit(args: &InvariantsArgs, source: &Source) -> Option<&'static str> {
    let in_words = args.terms.is_some() || args.smtlib.is_some() || args.vmt.is_some();
    let in_lustre = args.annotate.is_some() || args.modular;
    match source {
        Source::Words(Words { indexed: Some(_), .. }) => {
            Some("invariants of models with maps are found by `check`, from predicates")
        }
        Source::Words(Words { source: Some(_), .. }) => None,
        _ if in_lustre => Some("--annotate and --modular are for Lustre models"),
        Source::Bits(_) if in_words => Some("--terms, --smtlib and --vmt are not for AIGER"),
        _ => None,
    }
}

/// Writes the files that were asked for.
fn write(args: &InvariantsArgs, source: &Source, discovered: &Discovered) -> Result<(), String> {
    let file = |path: &Path, text: String| {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let (Some(path), Source::Words(Words { source: Some(source), .. })) = (&args.annotate, source) {
        let plain = discovered.invariants.iter().filter(|i| i.plain).map(|i| i.text.clone());
        let text = annotate(&source.0, &plain.collect::<Vec<_>>());
        file(path, text.ok_or("the main node has no body to write an assertion to")?)?;
    }
    for (path, text) in [(&args.smtlib, &discovered.script), (&args.vmt, &discovered.model)] {
        if let (Some(path), Some(text)) = (path, text) {
            file(path, text.clone())?;
        }
    }
    Ok(())
}

/// An invariant that was accepted, with those before it.
pub struct Invariant {
    pub k: usize,
    /// In the syntax of the source.
    pub text: String,
    /// Whether the text can stand in the main node of the source.
    pub plain: bool,
    pub smt: Option<String>,
}

/// What became of a node's invariants.
#[derive(Default)]
pub struct Carried {
    pub node: String,
    pub invariants: usize,
    /// Calls for which all of them were accepted.
    pub calls: usize,
    /// Calls for which they were not.
    pub refused: usize,
    /// Why the node cannot be looked at by itself.
    pub unfit: Option<String>,
}

/// What a property makes of the invariants.
pub struct Use {
    pub property: String,
    /// The k and the invariants that its proof needs; `None` where it is not k-inductive with all of them.
    pub needs: Option<(u32, Vec<String>)>,
}

/// What came out.
#[derive(Default)]
pub struct Discovered {
    pub format: &'static str,
    pub invariants: Vec<Invariant>,
    /// Of each sort how many terms were compared.
    pub terms: Vec<(String, usize)>,
    pub outcome: Option<Outcome>,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
    /// Found, and not accepted: a fault of our own.
    pub rejected: Option<String>,
    pub trivial: usize,
    /// Accepted, but they read like others or like nothing.
    pub hidden: usize,
    /// Whether the constraints end all executions, so that invariants say little.
    pub vacuous: bool,
    /// How many were proved again by themselves, where that was wanted.
    pub verified: Option<usize>,
    /// What each property needs, where that was wanted.
    pub uses: Vec<Use>,
    /// The invariants in SMT-LIB.
    pub script: Option<String>,
    /// The model in VMT-LIB, the invariants among its properties.
    pub model: Option<String>,
    /// Nodes that were looked at by themselves, and how often their invariants were carried over to a call, or not.
    pub nodes: Vec<Carried>,
    /// Seconds of checking, and of everything.
    pub checking: f64,
    pub seconds: f64,
}

impl Discovered {
    fn exit_code(&self) -> u8 {
        match (&self.rejected, &self.stopped) {
            (Some(_), _) => exit::FAULT,
            (None, Some(_)) => exit::UNDECIDED,
            (None, None) => exit::PROVED,
        }
    }
}

fn options(args: &InvariantsArgs) -> Options {
    let defaults = Options::default();
    Options {
        reduce: !args.redundant_edges,
        drop_trivial: args.no_trivial,
        progressive: !args.at_once,
        most_k: args.max_k.map_or(defaults.most_k, |k| k as usize),
    }
}

fn selection(args: &InvariantsArgs) -> Selection {
    let defaults = Selection::default();
    Selection {
        kinds: kinds(&args.compare),
        ands: args.ands,
        negations: !args.no_negations,
        thresholds: if args.no_thresholds { 0 } else { defaults.thresholds },
        signed: args.signed,
        most: args.max_terms.map_or(defaults.most, |n| n as usize),
        ..defaults
    }
}

/// What is named, or all.
pub fn kinds(named: &[Compare]) -> Kinds {
    let wanted = |kind| named.is_empty() || named.contains(&kind);
    Kinds { two_valued: wanted(Compare::Bool), numbers: wanted(Compare::Int), others: wanted(Compare::Enum) }
}
