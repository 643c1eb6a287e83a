//! `buttress prove`: a proof from a user's lemmas. What fails is shown with the states that induction could not
//! exclude, and labelled as what it is: not a bug.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use buttress_check::{Refusal, certify_proof};
use buttress_engine::{Failure, Incremental, incremental};
use buttress_format::lemmas::{self, Group};
use buttress_query::{Bits, Levels, Predecessor};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::{Clause, Lit, PropertyId, Ternary, Trace};

use crate::args::ProveArgs;
use crate::exit;
use crate::limits::stop_after;
use crate::model::{Model, load, open};
use crate::report::trace::table;

pub fn prove(args: &ProveArgs) -> ExitCode {
    let stop = Stop::new();
    stop_after(&stop, args.timeout);
    match run(args, &stop) {
        Ok(code) => code.into(),
        Err((code, message)) => {
            eprintln!("{message}");
            code.into()
        }
    }
}

fn run(args: &ProveArgs, stop: &Stop) -> Result<u8, (u8, String)> {
    let model = load(&args.model).map_err(|m| (exit::INPUT, m))?;
    let groups = read_lemmas(&model, &args.lemmas).map_err(|m| (exit::INPUT, m))?;
    let properties = model.properties(&args.property).map_err(|m| (exit::USAGE, m))?;
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

/// A fault before a property that stayed open before all proved.
fn more_severe(a: u8, b: u8) -> u8 {
    let order = [exit::FAULT, exit::UNDECIDED, exit::PROVED];
    order.into_iter().find(|c| [a, b].contains(c)).unwrap_or(exit::FAULT)
}

fn read_lemmas(model: &Model, path: &Path) -> Result<Vec<Group>, String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text).map_err(|e| format!("{}: error: {e}", path.display()))?;
    let literal = |n: u32| model.literal(n);
    lemmas::read(&text, &model.system, &literal).map_err(|d| d.render(&path.display().to_string()))
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
        Ok(Incremental::Property { why, .. }) => {
            let head = format!("{title}: undecided: the lemmas hold, but the property ");
            (exit::UNDECIDED, head + &failure(model, &why))
        }
        Ok(Incremental::Proved(proof)) => {
            let clauses = proof.invariant.len();
            // Only what was checked is called proved.
            match certify_proof(&model.system, proof, stop) {
                Ok(_) => {
                    let seconds = start.elapsed().as_secs_f64();
                    (
                        exit::PROVED,
                        format!("{title}: proved (lemmas, k = 1, {clauses} clauses, {seconds:.2} s)\n"),
                    )
                }
                Err(Refusal::Stopped(why)) => (exit::UNDECIDED, format!("{title}: undecided: {why}\n")),
                Err(Refusal::Rejected(why)) => {
                    (exit::FAULT, format!("{title}: ERROR: the evidence was rejected: {why}\n"))
                }
            }
        }
    }
}

fn failure(model: &Model, why: &Failure) -> String {
    const LABEL: &str = "  not a bug: a state that induction could not exclude\n";
    match why {
        Failure::AtStart => "does not hold at the start\n".to_string(),
        Failure::Lemma(states) => {
            format!("is not inductive\n{LABEL}{}", cube_text(model, states))
        }
        Failure::Property(path) => {
            let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect();
            let trace = Trace {
                property: PropertyId::new(0),
                initial: row(&path.states[0]),
                inputs: path.inputs.iter().map(row).collect(),
            };
            format!("is not inductive\n{LABEL}{}", table(&model.system, &trace))
        }
    }
}

/// The literals that matter, in the user's names, and the inputs of the step.
fn cube_text(model: &Model, states: &Predecessor) -> String {
    let system = &model.system;
    let assignment = |lit: Lit| {
        let name = system.var_name(lit.var());
        let (name, inverted) = match name.strip_prefix('!') {
            Some(plain) => (plain.to_string(), true),
            None => (name, false),
        };
        format!("{name} = {}", u8::from(lit.is_negated() == inverted))
    };
    let latches: Vec<String> = states.cube.iter().map(|&l| assignment(l)).collect();
    let inputs: Vec<String> = states.inputs.iter().map(|&i| assignment(system.input_lit(i))).collect();
    let latches = if latches.is_empty() { "any".to_string() } else { latches.join(", ") };
    let inputs = if inputs.is_empty() { "all 0".to_string() } else { inputs.join(", ") + ", others 0" };
    format!("  latches: {latches}\n  inputs: {inputs}\n")
}
