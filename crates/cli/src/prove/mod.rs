//! `buttress prove`: the two queries of inductive verification, with a user's lemmas or without. What fails is shown with the states that induction could not
//! exclude, and labelled as what it is: not a bug. Here for bits; [`words`] does the same for models of words.

pub mod words;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use buttress_check::{Refusal, certify_proof, certify_trace};
use buttress_engine::{Failure, Incremental, incremental, largest_inductive};
use buttress_format::lemmas::{Group, Lemmas};
use buttress_query::{Bits, Levels, Path, Predecessor};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::{Clause, PropertyId, Ternary, Trace};

use crate::args::ProveArgs;
use crate::exit;
use crate::lemma_file;
use crate::limits::{Limits, run_within};
use crate::model::{Model, Source, read};
use crate::report::names::{Names, listed};
use crate::report::text::NOT_A_BUG;
use crate::report::trace::table;

pub fn prove(args: &ProveArgs) -> ExitCode {
    run_within(Limits::of_time(args.timeout), |stop| run(args, stop))
}

fn run(args: &ProveArgs, stop: &Stop) -> Result<u8, (u8, String)> {
    let path = args.model.file.display().to_string();
    let model = match read(&args.model).map_err(|message| (exit::INPUT, message))? {
        Source::Words(model) => return words::run(args, model, stop),
        Source::Bits(aiger) => Model::of_bits(path, aiger),
    };
    let lemmas = match &args.lemmas {
        Some(file) => lemma_file::read(&model, file).map_err(|m| (exit::INPUT, m))?,
        None => Lemmas::default(),
    };
    let properties = model.properties(&args.property).map_err(|m| (exit::USAGE, m))?;
    let groups = match usable_candidates(&model, &lemmas, stop) {
        Ok(usable) => [lemmas.groups, usable].concat(),
        Err(_) => lemmas.groups,
    };
    let mut worst = exit::PROVED;
    for property in properties {
        let start = Instant::now();
        let outcome = prove_one(&model, property, &groups, stop);
        let (code, text) = describe(&model, property, &groups, outcome, stop, start);
        print!("{text}");
        worst = more_severe(worst, code);
    }
    Ok(worst)
}

/// The candidates that are inductive together with the lemmas, as one group more.
fn usable_candidates(model: &Model, lemmas: &Lemmas, stop: &Stop) -> Result<Vec<Group>, Stopped> {
    let given = lemmas.candidates.len();
    if given == 0 {
        return Ok(Vec::new());
    }
    let clauses: Vec<Clause> = lemmas.clauses().cloned().collect();
    let mut levels = Levels::new(model.system.clone(), || Cdcl::new(stop));
    let kept = largest_inductive(&mut levels, &clauses)?;
    let first = clauses.len() - given;
    let candidates = kept.iter().filter_map(|c| c.checked_sub(first));
    let group: Vec<_> = candidates.map(|c| lemmas.candidates[c].clone()).collect();
    println!("candidates: {} of {given} are inductive and were used", group.len());
    Ok(if group.is_empty() { Vec::new() } else { vec![Group { lemmas: group }] })
}

/// A fault before a violation before a property that stayed open before all proved.
fn more_severe(a: u8, b: u8) -> u8 {
    let order = [exit::FAULT, exit::FALSIFIED, exit::UNDECIDED, exit::PROVED];
    order.into_iter().find(|c| [a, b].contains(c)).unwrap_or(exit::FAULT)
}

fn prove_one(
    model: &Model,
    property: PropertyId,
    groups: &[Group],
    stop: &Stop,
) -> Result<Incremental, Stopped> {
    let system: &Arc<_> = &model.system;
    let clauses: Vec<Vec<Clause>> =
        groups.iter().map(|g| g.lemmas.iter().map(|l| l.clause.clone()).collect()).collect();
    let mut relative = Levels::new(system.clone(), || Cdcl::new(stop));
    let mut reasoner = Bits::new(system.clone(), || Cadical::new(stop, 0), stop);
    let weights = vec![0.0; system.num_latches()];
    incremental(&mut relative, &mut reasoner, property, &clauses, &weights)
}

fn describe(
    model: &Model,
    property: PropertyId,
    groups: &[Group],
    outcome: Result<Incremental, Stopped>,
    stop: &Stop,
    start: Instant,
) -> (u8, String) {
    let title = model.title(property);
    match outcome {
        Err(why) => (exit::UNDECIDED, format!("{title}: undecided: {why}\n")),
        Ok(Incremental::Lemma { group, clause, why }) => {
            let lemma = &groups[group].lemmas[clause];
            let head = format!("{title}: undecided: the lemma of line {}, {}, ", lemma.line, lemma.text);
            (exit::UNDECIDED, head + &failure(model, &why))
        }
        Ok(Incremental::Violated(path)) => falsified(model, &title, trace(property, &path)),
        Ok(Incremental::Property { invariant, why }) => {
            let lemmas = if invariant.is_empty() { "" } else { "the lemmas hold, but " };
            let head = format!("{title}: undecided: {lemmas}the property ");
            (exit::UNDECIDED, head + &failure(model, &why))
        }
        Ok(Incremental::Proved(proof)) => {
            let how = match proof.invariant.len() {
                0 => "inductive by itself".to_string(),
                1 => "lemmas, k = 1, 1 clause".to_string(),
                n => format!("lemmas, k = 1, {n} clauses"),
            };
            // Only what was checked is called proved.
            match certify_proof(&model.system, proof, stop) {
                Ok(_) => {
                    let seconds = start.elapsed().as_secs_f64();
                    (exit::PROVED, format!("{title}: proved ({how}, {seconds:.2} s)\n"))
                }
                Err(Refusal::Stopped(why)) => (exit::UNDECIDED, format!("{title}: undecided: {why}\n")),
                Err(Refusal::Rejected(why)) => {
                    (exit::FAULT, format!("{title}: ERROR: the evidence was rejected: {why}\n"))
                }
            }
        }
    }
}

/// A reset state that violates the property is a counterexample, like any other once it is checked.
fn falsified(model: &Model, title: &str, trace: Trace) -> (u8, String) {
    match certify_trace(&model.system, trace.clone()) {
        Ok(_) => {
            let table = table(&model.system, &trace);
            (exit::FALSIFIED, format!("{title}: falsified at step 0 (initiation fails)\n{table}"))
        }
        Err(why) => (exit::FAULT, format!("{title}: ERROR: the evidence was not accepted: {why}\n")),
    }
}

/// What is said where the second query fails.
const KEPT: &str = "is not inductive (initiation holds, consecution fails)";

/// Which of the two queries fails, and with which states.
fn failure(model: &Model, why: &Failure) -> String {
    match why {
        Failure::AtStart => "does not hold at the start (initiation fails)\n".to_string(),
        Failure::Lemma(states) => format!("{KEPT}\n  {NOT_A_BUG}\n{}", states_text(model, states)),
        Failure::Property(path) => {
            format!("{KEPT}\n  {NOT_A_BUG}\n{}", table(&model.system, &trace(PropertyId::new(0), path)))
        }
    }
}

fn trace(property: PropertyId, path: &Path) -> Trace {
    let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect();
    Trace { property, initial: row(&path.states[0]), inputs: path.inputs.iter().map(row).collect() }
}

/// The latches that matter, in the user's names, and the inputs of the step.
fn states_text(model: &Model, states: &Predecessor) -> String {
    let names = Names::of(&model.system);
    let (latches, inputs) = (names.latches(&states.cube), names.inputs(states));
    let latches = if latches.is_empty() { "any".to_string() } else { listed(&latches, usize::MAX) };
    let inputs =
        if inputs.is_empty() { "all 0".to_string() } else { listed(&inputs, usize::MAX) + ", others 0" };
    format!("  latches: {latches}\n  inputs: {inputs}\n")
}
