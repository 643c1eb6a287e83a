//! Lustre models: reading them, and what is in them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use buttress_format::{Diagnostic, Position, cubicle, vcd};
use buttress_lustre::Model;
use buttress_lustre::annotate;
use buttress_lustre::interpret::{Interpreter, Random, Step};
use buttress_lustre::script::{self, Script};
use buttress_lustre::table::{Execution, Row};
use buttress_system::{Wave, Waves};
use buttress_term::Value;
use serde_json::json;

use crate::args::SimulateArgs;
use crate::exit;
use crate::model::{Words, open};

/// The text of a file that is Lustre. The content decides, never the name; what cannot be read is left to others.
pub fn text(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut start = [0; 3];
    file.read_exact(&mut start).ok()?;
    if &start == b"aag" || &start == b"aig" {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    (!cubicle::looks_like(&text) && buttress_lustre::looks_like(&text)).then_some(text)
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
    print_remarks(path, &model.remarks);
    let lowered = buttress_lustre::lower(&model).map_err(|diagnostics| rendered(path, &diagnostics))?;
    let (system, source) = (lowered.system, Some(Box::new((model, lowered.origins))));
    Ok(Words { system, format: "Lustre", justice: Vec::new(), fairness: Vec::new(), source, indexed: None })
}

fn rendered(path: &str, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.render(path)).collect::<Vec<_>>().join("\n")
}

/// So many remarks of one kind are shown.
const ALIKE: usize = 3;

/// Shows the first of each kind, and says how many there are.
fn print_remarks(path: &str, remarks: &[Diagnostic]) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for remark in remarks {
        let count = seen.entry(&remark.message).or_default();
        *count += 1;
        if *count <= ALIKE {
            eprintln!("{}", remark.render(path));
        }
    }
    for (message, count) in seen.into_iter().filter(|(_, count)| *count > ALIKE) {
        eprintln!("{path}: {} more like this, `buttress info` shows all: {message}", count - ALIKE);
    }
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

/// Executes the source, at random or as a trace file says. Constraints are not solved for, they are watched.
pub fn simulate(args: &SimulateArgs, text: String) -> ExitCode {
    let path = args.model.file.display().to_string();
    let execution = match play(&path, text, args) {
        Ok(execution) => execution,
        Err(message) => {
            eprintln!("{message}");
            return exit::INPUT.into();
        }
    };
    let notes = remarks(&execution.steps);
    if args.json {
        println!("{:#}", json!({"steps": steps_json(&execution), "remarks": notes}));
    } else {
        print!("{}", execution.table());
        notes.iter().for_each(|note| println!("{note}"));
    }
    match args.vcd.as_ref().map(|file| write_waves(file, &execution)) {
        Some(Err(message)) => {
            eprintln!("{message}");
            exit::FAULT.into()
        }
        _ => exit::PROVED.into(),
    }
}

fn write_waves(file: &Path, execution: &Execution) -> Result<(), String> {
    let mut bytes = Vec::new();
    vcd::write_waves(&waves(execution), &mut bytes).expect("memory takes everything");
    std::fs::write(file, bytes).map_err(|e| format!("{}: error: {e}", file.display()))
}

fn play(path: &str, text: String, args: &SimulateArgs) -> Result<Execution, String> {
    let model = read(path, text)?;
    if let Some(file) = &args.stimulus {
        let name = file.display();
        let trace = read_trace(file)?;
        return script::play(&model, &trace.steps).map_err(|why| format!("{name}: error: {why}"));
    }
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

/// A trace in a file: an object with the property that it violates and its steps, or the steps alone.
pub struct TraceFile {
    pub property: Option<String>,
    pub steps: Script,
}

/// Reads a trace; what is wrong with it is rendered.
pub fn read_trace(file: &Path) -> Result<TraceFile, String> {
    let name = file.display().to_string();
    let mut text = String::new();
    let read = open(file)?.read_to_string(&mut text);
    read.map_err(|e| format!("{name}: error: {e}"))?;
    let json: serde_json::Value = serde_json::from_str(&text).map_err(|e| {
        let at = Position::text(e.line().max(1) as u32, e.column().max(1) as u32);
        let line = text.lines().nth(e.line().saturating_sub(1)).unwrap_or_default();
        Diagnostic::new(format!("a trace is JSON, and this is not: {e}"))
            .at(at)
            .with_source(line)
            .render(&name)
    })?;
    let property = json.get("property").and_then(|p| p.as_str()).map(str::to_string);
    let steps = json.get("steps").unwrap_or(&json).as_array().and_then(|steps| {
        steps.iter().map(|step| step.as_object()?.iter().map(named_text).collect()).collect()
    });
    let help = "a trace has \"steps\", a list of objects from names to values";
    steps.map(|steps| TraceFile { property, steps }).ok_or_else(|| Diagnostic::new(help).render(&name))
}

fn named_text((name, value): (&String, &serde_json::Value)) -> Option<(String, String)> {
    let text = match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(_) | serde_json::Value::Number(_) => value.to_string(),
        _ => return None,
    };
    Some((name.clone(), text))
}

/// A trace as a file: what it chooses, so that anybody can execute it.
pub fn write_trace(property: &str, script: &Script, out: &mut dyn Write) -> std::io::Result<()> {
    let value = |text: &String| match text.parse::<i64>() {
        _ if text == "true" || text == "false" => json!(text == "true"),
        Ok(n) => json!(n),
        Err(_) => json!(text),
    };
    let row = |row: &BTreeMap<String, String>| {
        let row = row.iter().map(|(name, text)| (name.clone(), value(text)));
        serde_json::Value::Object(row.collect())
    };
    let steps: Vec<serde_json::Value> = script.iter().map(row).collect();
    writeln!(out, "{:#}", json!({"property": property, "steps": steps}))
}

/// Executes a trace of a file in the source: the property that it violates, or what is wrong with it.
pub fn verify(model: &Model, trace: &TraceFile) -> Result<String, String> {
    let steps = script::play(model, &trace.steps)?.steps;
    let violated = |name: &str| script::violates(&steps, name).map(|()| name.to_string());
    match &trace.property {
        Some(name) => violated(name),
        None => {
            let last = steps.last().ok_or("the trace has no steps")?;
            let name = last.properties.iter().find(|(_, holds)| !holds).map(|(name, _)| name);
            violated(name.ok_or("no property is violated in the last step")?)
        }
    }
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
