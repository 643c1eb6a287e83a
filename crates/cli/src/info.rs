//! `buttress info`: reads a model, checks it, and says what is in it.

use std::process::ExitCode;

use serde_json::json;

use crate::args::InfoArgs;
use crate::model::{Model, load};
use crate::{exit, lustre};

pub fn info(args: &InfoArgs) -> ExitCode {
    if let Some(text) = lustre::text(&args.model.file) {
        return lustre::info(&args.model.file, text, args.json);
    }
    match load(&args.model) {
        Err(message) => {
            eprintln!("{message}");
            exit::INPUT.into()
        }
        Ok(model) => {
            if args.json {
                print_json(&model)
            } else {
                print_text(&model)
            }
            exit::PROVED.into()
        }
    }
}

/// What is counted, in the order of the format.
fn counts(model: &Model) -> [(&'static str, usize); 9] {
    let system = &model.system;
    let uninitialised = system.latches().filter(|&l| system.latch(l).reset == system.latch_lit(l)).count();
    [
        ("inputs", system.num_inputs()),
        ("latches", system.num_latches()),
        ("uninitialised", uninitialised),
        ("gates", system.num_gates()),
        ("outputs", system.outputs.len()),
        ("properties", system.properties.len()),
        ("constraints", system.constraints.len()),
        ("justice", system.justice.len()),
        ("fairness", system.fairness.len()),
    ]
}

fn format_name(model: &Model) -> &'static str {
    if model.ascii { "AIGER (ASCII)" } else { "AIGER (binary)" }
}

fn print_text(model: &Model) {
    println!("{}: {}", model.path, format_name(model));
    for (what, count) in counts(model) {
        println!("  {what:<14}{count:>10}");
    }
    for property in model.system.property_ids() {
        println!("  property {}", model.title(property));
    }
    if !model.system.justice.is_empty() {
        println!("  liveness is not checked yet");
    }
}

fn print_json(model: &Model) {
    let describe = |p| json!({"position": model.position(p), "name": model.system.property_name(p)});
    let names: Vec<_> = model.system.property_ids().map(describe).collect();
    let mut object = serde_json::Map::new();
    object.insert("file".into(), json!(model.path));
    object.insert("format".into(), json!(format_name(model)));
    counts(model).iter().for_each(|(what, count)| drop(object.insert((*what).into(), json!(count))));
    object.insert("property_list".into(), json!(names));
    println!("{:#}", serde_json::Value::Object(object));
}
