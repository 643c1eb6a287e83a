//! `buttress simulate`: plays a model, at random or from a stimulus file, and shows what happens.
//!
//! Constraints are not solved for, they are watched: the first step that violates one is named, and so is every
//! property that is violated up to there.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use buttress_format::{stimulus, vcd};
use buttress_system::evidence::{evaluate, states, value};
use buttress_system::{BitSystem, PropertyId, Rng, SymbolKind, Ternary, Trace};
use serde_json::json;

use crate::args::SimulateArgs;
use crate::exit;
use crate::model::{Model, load, open};
use crate::report::{json::steps, trace::table};

pub fn simulate(args: &SimulateArgs) -> ExitCode {
    match play(args) {
        Ok(()) => exit::PROVED.into(),
        Err((code, message)) => {
            eprintln!("{message}");
            code.into()
        }
    }
}

fn play(args: &SimulateArgs) -> Result<(), (u8, String)> {
    let input = |message| (exit::INPUT, message);
    let model = load(&args.model).map_err(input)?;
    let mut rng = Rng::new(args.seed);
    let inputs = match &args.stimulus {
        Some(path) => read_stimulus(&model, path).map_err(input)?,
        None => (0..args.steps).map(|_| random_row(model.system.num_inputs(), &mut rng)).collect(),
    };
    let initial = initial_state(&model.system, &inputs[0], &mut rng);
    let execution = Trace { property: PropertyId::new(0), initial, inputs };
    if let Some(path) = &args.vcd {
        write_vcd(&model.system, &execution, path).map_err(|message| (exit::FAULT, message))?;
    }
    let notes = remarks(&model, &execution);
    if args.json {
        println!("{:#}", json!({"steps": steps(&model, &execution), "remarks": notes}));
    } else {
        print!("{}", table(&model.system, &execution));
        notes.iter().for_each(|note| println!("{note}"));
    }
    Ok(())
}

fn read_stimulus(model: &Model, path: &Path) -> Result<Vec<Vec<Ternary>>, String> {
    let name = path.display().to_string();
    let rows = stimulus::read(open(path)?, &model.system).map_err(|d| d.render(&name))?;
    if rows.is_empty() { Err(format!("{name}: error: the stimulus has no steps")) } else { Ok(rows) }
}

fn random_row(width: usize, rng: &mut Rng) -> Vec<Ternary> {
    (0..width).map(|_| Ternary::from(rng.one_in(2))).collect()
}

/// Resets, with random values for what is uninitialised.
fn initial_state(system: &BitSystem, inputs: &[Ternary], rng: &mut Rng) -> Vec<Ternary> {
    let mut latches = vec![Ternary::Zero; system.num_latches()];
    for latch in system.reset_order().expect("refused when the model was read") {
        let reset = system.latch(latch).reset;
        latches[latch.index()] = if reset == system.latch_lit(latch) {
            Ternary::from(rng.one_in(2))
        } else if reset.is_constant() {
            Ternary::from(reset.is_negated())
        } else {
            value(&evaluate(system, &latches, inputs), reset)
        };
    }
    latches
}

/// What a designer should know about this execution.
fn remarks(model: &Model, execution: &Trace) -> Vec<String> {
    let system = &model.system;
    let mut notes = Vec::new();
    for (step, latches) in states(system, execution).iter().enumerate() {
        let values = evaluate(system, latches, &execution.inputs[step]);
        let broken = system.constraints.iter().position(|&c| value(&values, c) == Ternary::Zero);
        if let Some(c) = broken {
            let name = system.symbols.name(SymbolKind::Constraint, c);
            notes.push(format!(
                "step {step}: constraint {name} does not hold, so this is no execution from here on"
            ));
            return notes;
        }
        for property in system.property_ids() {
            if value(&values, system.property(property).bad) == Ternary::One {
                notes.push(format!("step {step}: {} is violated", model.title(property)));
            }
        }
    }
    notes
}

fn write_vcd(system: &BitSystem, execution: &Trace, path: &Path) -> Result<(), String> {
    let write = || {
        let mut out = BufWriter::new(File::create(path)?);
        vcd::write(system, execution, &mut out)?;
        out.flush()
    };
    write().map_err(|e| format!("{}: error: {e}", path.display()))
}
