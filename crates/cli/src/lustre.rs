//! Lustre models: reading them, and what is in them.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use buttress_format::Diagnostic;
use buttress_lustre::Model;
use buttress_lustre::annotate;
use buttress_lustre::interpret::{Interpreter, Random, Step};
use buttress_lustre::table::{Execution, Row};
use buttress_system::{Wave, Waves};
use buttress_term::Value;
use serde_json::json;

use crate::args::SimulateArgs;
use crate::exit;
use crate::model::Words;

/// The text of a file that is Lustre. The content decides, never the name; what cannot be read is left to others.
pub fn text(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut start = [0; 3];
    file.read_exact(&mut start).ok()?;
    if &start == b"aag" || &start == b"aig" {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    buttress_lustre::looks_like(&text).then_some(text)
}

/// Says what is in a model, and all that was noticed while reading it.
pub fn info(path: &Path, text: String, as_json: bool) -> ExitCode {
    let path = path.display().to_string();
    match read(&path, text) {
        Err(message) => {
            eprintln!("{message}");
            exit::INPUT.into()
        }
        Ok(model) => {
            if as_json {
                print_json(&path, &model);
            } else {
                print_text(&path, &model);
            }
            exit::PROVED.into()
        }
    }
}

/// Reads a model; errors are rendered, all of them.
fn read(path: &str, text: String) -> Result<Model, String> {
    buttress_lustre::read(text).map_err(|diagnostics| rendered(path, &diagnostics))
}

/// A model as words, with what executes its source. Warnings go to standard error.
pub fn words(path: &str, text: String) -> Result<Words, String> {
    if annotate::is_stale(&text) {
        eprintln!(
            "{path}: warning: the model was edited after its invariants were written into it: their assertion is now an \
             assumption that nobody has proved"
        );
    }
    let model = read(path, text)?;
    model.remarks.iter().for_each(|remark| eprintln!("{}", remark.render(path)));
    let lowered = buttress_lustre::lower(&model).map_err(|diagnostics| rendered(path, &diagnostics))?;
    let (system, source) = (lowered.system, Some(Box::new((model, lowered.origins))));
    Ok(Words { system, format: "Lustre", justice: Vec::new(), fairness: Vec::new(), source, indexed: None })
}

fn rendered(path: &str, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.render(path)).collect::<Vec<_>>().join("\n")
}

fn counts(model: &Model) -> [(&'static str, usize); 6] {
    let main = model.program.unit(model.program.main);
    let equations = model.program.units.iter().map(|unit| unit.equations.len()).sum();
    [
        ("types", model.program.types.len()),
        ("constants", model.program.consts.len()),
        ("nodes", model.program.units.len()),
        ("equations", equations),
        ("inputs", main.num_inputs),
        ("outputs", main.num_outputs),
    ]
}

fn print_text(path: &str, model: &Model) {
    let main = model.program.unit(model.program.main);
    println!("{path}: Lustre, main node {}", main.name.name);
    for (what, count) in counts(model) {
        println!("  {what:<14}{count:>10}");
    }
    for property in &main.properties {
        println!("  property {}", property.name);
    }
    for remark in &model.remarks {
        println!("{}", remark.render(path));
    }
}

fn print_json(path: &str, model: &Model) {
    let main = model.program.unit(model.program.main);
    let mut object = serde_json::Map::new();
    object.insert("file".into(), json!(path));
    object.insert("format".into(), json!("Lustre"));
    object.insert("main".into(), json!(&*main.name.name));
    counts(model).iter().for_each(|(what, count)| drop(object.insert((*what).into(), json!(count))));
    let properties: Vec<&str> = main.properties.iter().map(|property| &*property.name).collect();
    object.insert("property_list".into(), json!(properties));
    let remarks: Vec<String> = model.remarks.iter().map(|remark| remark.render(path)).collect();
    object.insert("remarks".into(), json!(remarks));
    println!("{:#}", serde_json::Value::Object(object));
}

/// Executes the source at random. Constraints are not solved for, they are watched.
pub fn simulate(args: &SimulateArgs, text: String) -> ExitCode {
    let path = args.model.file.display().to_string();
    if args.stimulus.is_some() || args.vcd.is_some() {
        eprintln!(
            "{path}: error: --stimulus and --vcd are for circuits; a Lustre model is simulated at random"
        );
        return exit::USAGE.into();
    }
    match play(&path, text, args) {
        Ok(execution) => {
            let notes = remarks(&execution.steps);
            if args.json {
                println!("{:#}", json!({"steps": steps_json(&execution), "remarks": notes}));
            } else {
                print!("{}", execution.table());
                notes.iter().for_each(|note| println!("{note}"));
            }
            exit::PROVED.into()
        }
        Err(message) => {
            eprintln!("{message}");
            exit::INPUT.into()
        }
    }
}

fn play(path: &str, text: String, args: &SimulateArgs) -> Result<Execution, String> {
    let model = read(path, text)?;
    let mut interpreter = Interpreter::new(&model);
    let mut choices = Random::new(args.seed);
    let mut steps = Vec::new();
    for _ in 0..args.steps {
        let step = interpreter.step(&mut choices);
        steps.push(
            step.map_err(|what| format!("{path}: error: {what} are read and checked, but not analysed"))?,
        );
    }
    Ok(Execution { steps, signals: interpreter.into_signals() })
}

fn remarks(steps: &[Step]) -> Vec<String> {
    let mut notes = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        if let Some((name, _)) = step.constraints.iter().find(|(_, holds)| !holds) {
            notes.push(format!(
                "step {number}: constraint {name} does not hold, so this is no execution from here on"
            ));
            break;
        }
        let violated = step.properties.iter().filter(|(_, holds)| !holds);
        notes.extend(violated.map(|(name, _)| format!("step {number}: {name} is violated")));
    }
    notes
}

/// A list of steps, each an object from names to values; what does not execute has none.
pub fn steps_json(execution: &Execution) -> serde_json::Value {
    let rows = execution.rows();
    let step = |t: usize| {
        let values = rows.iter().filter_map(|row| Some((row.signal.full_name.clone(), value_json(row, t)?)));
        serde_json::Value::Object(values.collect())
    };
    (0..execution.steps.len()).map(step).collect()
}

/// Booleans and small integers as JSON has them, the rest as text: rationals are exact.
fn value_json(row: &Row<'_>, step: usize) -> Option<serde_json::Value> {
    let text = row.cell(step)?;
    Some(match row.values[step]? {
        Value::Bool(b) => json!(b),
        Value::Int(_) | Value::Word(_) => text.parse::<i64>().map_or_else(|_| json!(text), |n| json!(n)),
        _ => json!(text),
    })
}

/// The signals of an execution, for waveforms.
pub fn waves(execution: &Execution) -> Waves {
    let wave = |row: Row<'_>| Wave {
        name: row.signal.full_name.clone(),
        sort: row.signal.scalar.sort.clone(),
        values: row.values.iter().map(|value| value.cloned()).collect(),
        alias: false,
    };
    Waves { steps: execution.steps.len(), waves: execution.rows().into_iter().map(wave).collect() }
}
