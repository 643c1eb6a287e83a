//! `buttress info`: reads a model, checks it, and says what is in it.

use std::process::ExitCode;

use buttress_format::Aiger;
use buttress_system::{BitSystem, PropertyId, words};
use buttress_term::Sort;
use serde_json::json;

use crate::args::InfoArgs;
use crate::model::{Source, Words, read};
use crate::{exit, lustre};

pub fn info(args: &InfoArgs) -> ExitCode {
    if let Some(text) = lustre::text(&args.model.file) {
        return lustre::info(&args.model.file, text, args.json);
    }
    match read(&args.model) {
        Err(message) => {
            eprintln!("{message}");
            exit::INPUT.into()
        }
        Ok(source) => {
            let summary = Summary::new(args.model.file.display().to_string(), &source);
            if args.json {
                summary.print_json()
            } else {
                summary.print_text()
            }
            exit::PROVED.into()
        }
    }
}

/// What is said about a file.
struct Summary {
    path: String,
    format: &'static str,
    counts: Vec<(&'static str, usize)>,
    /// Position and name of each property.
    properties: Vec<(String, String)>,
    liveness: usize,
}

impl Summary {
    fn new(path: String, source: &Source) -> Summary {
        match source {
            Source::Bits(aiger) => Summary {
                path,
                format: if aiger.ascii { "AIGER (ASCII)" } else { "AIGER (binary)" },
                counts: bit_counts(&aiger.system),
                properties: aiger.system.property_ids().map(|p| bit_property(aiger, p)).collect(),
                liveness: aiger.system.justice.len(),
            },
            Source::Words(words) => Summary {
                path,
                format: words.format,
                counts: word_counts(words),
                properties: word_properties(&words.system),
                liveness: words.justice.len(),
            },
        }
    }

    fn print_text(&self) {
        println!("{}: {}", self.path, self.format);
        for (what, count) in &self.counts {
            println!("  {what:<14}{count:>10}");
        }
        for (position, name) in &self.properties {
            let name = if name == position { String::new() } else { format!(" {name}") };
            println!("  property {position}{name}");
        }
        if self.liveness > 0 {
            println!("  liveness is not checked yet");
        }
    }

    fn print_json(&self) {
        let describe = |(position, name): &(String, String)| json!({"position": position, "name": name});
        let names: Vec<_> = self.properties.iter().map(describe).collect();
        let mut object = serde_json::Map::new();
        object.insert("file".into(), json!(self.path));
        object.insert("format".into(), json!(self.format));
        self.counts.iter().for_each(|(what, count)| drop(object.insert((*what).into(), json!(count))));
        object.insert("property_list".into(), json!(names));
        println!("{:#}", serde_json::Value::Object(object));
    }
}

/// What is counted, in the order of the format.
fn bit_counts(system: &BitSystem) -> Vec<(&'static str, usize)> {
    let uninitialised = system.latches().filter(|&l| system.latch(l).reset == system.latch_lit(l)).count();
    vec![
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

fn bit_property(aiger: &Aiger, property: PropertyId) -> (String, String) {
    let (kind, index) = aiger.system.property(property).symbol;
    (format!("{}{index}", kind.letter()), aiger.system.property_name(property))
}

fn word_counts(words: &Words) -> Vec<(&'static str, usize)> {
    let system = &words.system;
    let arrays = system.states.iter().filter(|s| matches!(system.terms.sort(s.variable), Sort::Array(_)));
    vec![
        ("inputs", system.inputs.len()),
        ("states", system.states.len()),
        ("arrays", arrays.count()),
        ("uninitialised", system.states.iter().filter(|s| s.init.is_none()).count()),
        ("free", system.free_states().count()),
        ("definitions", system.definitions.len()),
        ("terms", system.terms.len()),
        ("observables", system.observables.len()),
        ("properties", system.properties.len()),
        ("constraints", system.constraints.len()),
        ("justice", words.justice.len()),
        ("fairness", words.fairness.len()),
    ]
}

fn word_properties(system: &words::System) -> Vec<(String, String)> {
    let describe = |(b, p): (usize, &words::Property)| (format!("b{b}"), p.label.name.to_string());
    system.properties.iter().enumerate().map(describe).collect()
}
