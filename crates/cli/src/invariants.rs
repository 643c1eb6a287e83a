//! `buttress invariants`: what is k-inductive about a model, without a property.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buttress_driver::invariants::{Discovered, Search, discover};
use buttress_driver::supervise::{Limits, Teller, supervise};
use buttress_driver::{Problem, Refused};
use buttress_engine::discovery::{Kinds, Options, Selection};
use buttress_lustre::annotate::annotate;
use buttress_report::invariants as printed;
use buttress_solve::{Stop, Stopped};

use crate::args::{Compare, InvariantsArgs};
use crate::command::{interrupt_on_ctrl_c, load_model, refuse, solvers};
use crate::{exit, out};

type Outcome = Result<Discovered, Refused>;

/// The worker is asked to stop somewhat before the time is over, so that what it found is out in time; the main
/// thread only waits, and where the worker does not come to rest prints what is known.
pub fn invariants(args: InvariantsArgs) -> ! {
    let (start, stop, args) = (Instant::now(), Stop::new(), Arc::new(args));
    interrupt_on_ctrl_c(&stop);
    let limits = limits(&args);
    let known = RefCell::new(Discovered::default());
    let mut hear = |more: Discovered| -> Result<(), std::convert::Infallible> {
        *known.borrow_mut() = more;
        Ok(())
    };
    let own = args.clone();
    let work = move |stop: &Stop, teller: &Teller<Discovered, Outcome>| look(&own, stop, teller);
    let Ok(done) = supervise(&limits, &stop, work, &mut hear, &mut || Ok(()));
    let late = || {
        let stopped = Some(stop.reason().unwrap_or(Stopped::Time));
        Ok(Discovered { stopped, late: true, ..known.borrow().clone() })
    };
    let code = match done.unwrap_or_else(late) {
        Err(refused) => refuse(&refused, args.json),
        Ok(discovered) => {
            let discovered = Discovered { seconds: start.elapsed().as_secs_f64(), ..discovered };
            conclude(&args, &discovered)
        }
    };
    // Not a return: a worker that did not come to rest must not keep the process.
    std::process::exit(code.into())
}

/// The limits of the search, which is stopped some time before the end and has the rest of it as grace.
fn limits(args: &InvariantsArgs) -> Limits {
    let limits = |timeout| Limits::new(timeout, args.limits.memory);
    match args.limits.timeout {
        None => limits(None),
        Some(timeout) => {
            let rest = before_the_end(timeout);
            limits(Some(timeout - rest)).with_grace(rest * 3 / 4)
        }
    }
}

/// The time to come to rest and to print.
fn before_the_end(timeout: Duration) -> Duration {
    (timeout / 10).min(Duration::from_secs(1))
}

fn conclude(args: &InvariantsArgs, discovered: &Discovered) -> u8 {
    let path = args.model.file.display().to_string();
    out::print(&match args.json {
        true => printed::json(&path, discovered),
        false => printed::text(&path, discovered, args.verbose),
    });
    if discovered.late && [&args.annotate, &args.smtlib, &args.vmt].iter().any(|file| file.is_some()) {
        out::note(&format!("{path}: error: the time was over before the files were written"));
    }
    match (&discovered.rejected, &discovered.stopped, &discovered.condition) {
        (Some(_), ..) => exit::FAULT,
        (None, None, None) => exit::PROVED,
        _ => exit::UNDECIDED,
    }
}

/// Reads the model, looks, and writes the files that were asked for.
fn look(args: &InvariantsArgs, stop: &Stop, teller: &Teller<Discovered, Outcome>) -> Outcome {
    let problem = load_model(&args.model, &args.limits)?;
    fit(args, &problem)?;
    let search = Search {
        options: options(args),
        selection: selection(args),
        seed: args.seed,
        smt: solvers(&args.limits, None, None, args.seed),
        terms: args.terms.clone(),
        modular: args.modular,
        verify: args.verify,
        rank: args.rank,
    };
    let discovered = discover(&problem, &search, stop, &|known| teller.tell(known.clone()))?;
    write(args, &problem, &discovered)
        .map_err(|message| Refused::fault(format!("{}: error: {message}", problem.path)))?;
    Ok(discovered)
}

/// Refuses what cannot be asked of such a model.
fn fit(args: &InvariantsArgs, problem: &Problem) -> Result<(), Refused> {
    let refused = |flag: &str, why: &str| {
        Err(Refused::usage(format!("{}: error: {flag} does not apply: {why}", problem.path)))
    };
    let of_lustre = [("--annotate", args.annotate.is_some()), ("--modular", args.modular)];
    if let Some((flag, _)) = of_lustre.iter().find(|(_, given)| *given && problem.source().is_none()) {
        return refused(flag, "it is for Lustre models");
    }
    let of_words = [
        ("--terms", args.terms.is_some()),
        ("--smtlib", args.smtlib.is_some()),
        ("--vmt", args.vmt.is_some()),
        ("--rank", args.rank),
        ("--signed", args.signed),
        ("--ands", args.ands),
        ("--no-negations", args.no_negations),
        ("--no-thresholds", args.no_thresholds),
    ];
    if let Some((flag, _)) = of_words.iter().find(|(_, given)| *given && problem.words().is_none()) {
        return refused(flag, "it is not for AIGER");
    }
    let not_bool = !args.compare.is_empty() && !args.compare.contains(&Compare::Bool);
    if not_bool && problem.words().is_none() {
        return refused("--compare", "bits are Booleans and nothing else");
    }
    Ok(())
}

/// Writes the files that were asked for.
fn write(args: &InvariantsArgs, problem: &Problem, discovered: &Discovered) -> Result<(), String> {
    let file = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let (Some(path), Some(source)) = (&args.annotate, problem.source()) {
        let plain = discovered.invariants.iter().filter(|i| i.plain).map(|i| i.text.clone());
        let text = annotate(source.model(), &plain.collect::<Vec<_>>());
        file(path, &text.ok_or("the main node has no body to write an assertion to")?)?;
    }
    for (path, text) in [(&args.smtlib, &discovered.script), (&args.vmt, &discovered.model)] {
        if let (Some(path), Some(text)) = (path, text) {
            file(path, text)?;
        }
    }
    Ok(())
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

/// The named kinds, or all where none is named.
pub fn kinds(named: &[Compare]) -> Kinds {
    let wanted = |kind| named.is_empty() || named.contains(&kind);
    Kinds { two_valued: wanted(Compare::Bool), numbers: wanted(Compare::Int), others: wanted(Compare::Enum) }
}
