//! `buttress simulate`: plays a model, at random or from a stimulus file, and shows what happens.
//!
//! Constraints are not solved for, they are watched: the first step that violates one is named, and so is every
//! property that is violated up to there.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use buttress_format::{Witness, btor2, stimulus, vcd};
use buttress_system::evidence::{evaluate, states, value};
use buttress_system::waves::values;
use buttress_system::words::{self, WordTrace, random_execution};
use buttress_system::{BitSystem, PropertyId, Rng, SymbolKind, Ternary, Trace, Waves};
use buttress_term::{TermId, Value};
use serde_json::json;

use crate::args::SimulateArgs;
use crate::exit;
use crate::indexed::simulate as instance;
use crate::model::{Source, Words, open, property_title, read};
use crate::report::{json::steps, trace::waves_table};

pub fn simulate(args: &SimulateArgs) -> ExitCode {
    if let Some(text) = crate::lustre::text(&args.model.file) {
        return crate::lustre::simulate(args, text);
    }
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
    let played = match read(&args.model).map_err(input)? {
        Source::Bits(aiger) => play_bits(args, &aiger.system).map_err(input)?,
        Source::Words(words) if words.indexed.is_some() => {
            let indexed = words.indexed.as_ref().expect("it has maps");
            if args.stimulus.is_some() {
                let what = "models with maps are played at random, --stimulus is for others";
                return Err((exit::USAGE, format!("{}: error: {what}", args.model.file.display())));
            }
            let (waves, remarks) = instance::play(indexed, args.size, args.steps as usize, args.seed);
            let mut waveform = Vec::new();
            vcd::write_waves(&waves, &mut waveform).expect("memory takes everything");
            Played { waves, waveform, remarks }
        }
        Source::Words(words) => play_words(args, &words).map_err(input)?,
    };
    if let Some(path) = &args.vcd {
        write_file(path, &played.waveform).map_err(|message| (exit::FAULT, message))?;
    }
    if args.json {
        println!("{:#}", json!({"steps": steps(&played.waves), "remarks": played.remarks}));
    } else {
        print!("{}", waves_table(&played.waves));
        played.remarks.iter().for_each(|remark| println!("{remark}"));
    }
    Ok(())
}

/// An execution, for people.
struct Played {
    waves: Waves,
    waveform: Vec<u8>,
    remarks: Vec<String>,
}

fn play_bits(args: &SimulateArgs, system: &BitSystem) -> Result<Played, String> {
    let mut rng = Rng::new(args.seed);
    let inputs = match &args.stimulus {
        Some(path) => read_stimulus(system, path)?,
        None => (0..args.steps).map(|_| random_row(system.num_inputs(), &mut rng)).collect(),
    };
    let initial = initial_state(system, &inputs[0], &mut rng);
    let execution = Trace { property: PropertyId::new(0), initial, inputs };
    let mut waveform = Vec::new();
    vcd::write(system, &execution, &mut waveform).expect("memory takes everything");
    let (waves, remarks) = (Waves::of_bits(system, &execution), remarks(system, &execution));
    Ok(Played { waves, waveform, remarks })
}

/// Words are played at random, or as a witness says.
fn play_words(args: &SimulateArgs, words: &Words) -> Result<Played, String> {
    let system = &*words.system;
    let execution = match &args.stimulus {
        None => random_execution(system, args.steps as usize, &mut Rng::new(args.seed)),
        Some(path) => {
            let name = path.display().to_string();
            match btor2::read_witness(open(path)?, system).map_err(|d| d.render(&name))? {
                Witness::Violation(trace) => trace,
                Witness::Safe | Witness::Unknown => {
                    return Err(format!("{name}: error: there is no trace in it"));
                }
            }
        }
    };
    let mut waveform = Vec::new();
    vcd::write_words(system, &execution, &mut waveform).expect("memory takes everything");
    let (waves, remarks) = (Waves::of_words(system, &execution), word_remarks(system, &execution));
    Ok(Played { waves, waveform, remarks })
}

fn read_stimulus(system: &BitSystem, path: &Path) -> Result<Vec<Vec<Ternary>>, String> {
    let name = path.display().to_string();
    let rows = stimulus::read(open(path)?, system).map_err(|d| d.render(&name))?;
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
fn remarks(system: &BitSystem, execution: &Trace) -> Vec<String> {
    let step = |(step, latches): (usize, &Vec<Ternary>)| {
        let values = evaluate(system, latches, &execution.inputs[step]);
        let broken = system.constraints.iter().position(|&c| value(&values, c) == Ternary::Zero);
        let violated = |p: &PropertyId| value(&values, system.property(*p).bad) == Ternary::One;
        Step {
            broken: broken.map(|c| system.symbols.name(SymbolKind::Constraint, c)),
            violated: system.property_ids().filter(violated).map(|p| property_title(system, p)).collect(),
        }
    };
    notes(states(system, execution).iter().enumerate().map(step))
}

fn word_remarks(system: &words::System, execution: &WordTrace) -> Vec<String> {
    let constraints = system.constraints.iter().map(|c| c.term);
    let watched: Vec<TermId> = constraints.chain(system.properties.iter().map(|p| p.bad)).collect();
    let step = |row: Vec<Option<Value>>| {
        let (constraints, properties) = row.split_at(system.constraints.len());
        let is = |value: &Option<Value>, wanted| *value == Some(Value::Bool(wanted));
        let broken = constraints.iter().position(|c| is(c, false));
        let violated = (0..properties.len()).filter(|&p| is(&properties[p], true));
        Step {
            broken: broken.map(|c| system.constraints[c].label.name.to_string()),
            violated: violated.map(|p| system.properties[p].label.name.to_string()).collect(),
        }
    };
    notes(values(system, execution, &watched).into_iter().map(step))
}

/// What was wrong in a step.
struct Step {
    broken: Option<String>,
    violated: Vec<String>,
}

fn notes(steps: impl Iterator<Item = Step>) -> Vec<String> {
    let mut notes = Vec::new();
    for (step, Step { broken, violated }) in steps.enumerate() {
        if let Some(name) = broken {
            notes.push(format!(
                "step {step}: constraint {name} does not hold, so this is no execution from here on"
            ));
            return notes;
        }
        notes.extend(violated.iter().map(|title| format!("step {step}: {title} is violated")));
    }
    notes
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|e| format!("{}: error: {e}", path.display()))
}
