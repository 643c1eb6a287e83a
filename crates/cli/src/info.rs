//! `buttress info`: reads a model, checks it, and says what is in it.

use std::fmt::Write;

use buttress_driver::{Claim, Format, Original, Problem, Refused};
use buttress_lustre::LustreModel;
use buttress_report::json;
use buttress_system::{BitSystem, words};
use buttress_term::Sort;
use serde_json::json;

use crate::args::InfoArgs;
use crate::command::{self, Done};
use crate::exit;

pub fn info(args: InfoArgs) -> ! {
    command::run(args.limits, args.json, move |_, _| run(&args))
}

fn run(args: &InfoArgs) -> Result<Done, Refused> {
    let input = buttress_driver::Input {
        path: &args.model.file,
        names: args.model.names.as_deref(),
        memory: args.limits.memory,
    };
    let problem = buttress_driver::load(input)?;
    let text = if args.json { as_json(&problem) } else { as_text(&problem) };
    Ok(Done { code: exit::PROVED, text })
}

fn format(problem: &Problem) -> &'static str {
    match problem.format {
        Format::AigerAscii => "AIGER (ASCII)",
        Format::AigerBinary => "AIGER (binary)",
        other => other.name(),
    }
}

fn main_node(problem: &Problem) -> Option<String> {
    let program = &problem.source()?.model().program;
    Some(program.unit(program.main).name.name.to_string())
}

fn as_text(problem: &Problem) -> String {
    let main = main_node(problem).map_or_else(String::new, |main| format!(", main node {main}"));
    let mut text = format!("{}: {}{main}\n", problem.path, format(problem));
    for (what, count) in counts(problem) {
        let _ = writeln!(text, "  {what:<14}{count:>10}");
    }
    let of_source = problem.source().is_some();
    for claim in problem.claims().iter().filter(|c| stated(c, of_source)) {
        let name = match of_source {
            true => &claim.name,
            false => &claim.title,
        };
        let _ = writeln!(text, "  property {name}");
    }
    for remark in &problem.remarks {
        let _ = writeln!(text, "{}", remark.render(&problem.path));
    }
    text
}

/// Of a source, what the user stated.
fn stated(claim: &Claim, of_source: bool) -> bool {
    let decided = claim.property().is_some() || claim.justice().is_some();
    decided && (!of_source || claim.origin == Some(buttress_lustre::Origin::Stated))
}

fn as_json(problem: &Problem) -> String {
    let of_source = problem.source().is_some();
    let mut object = serde_json::Map::new();
    object.insert("file".into(), json!(problem.path));
    object.insert("format".into(), json!(format(problem)));
    if let Some(main) = main_node(problem) {
        object.insert("main".into(), json!(main));
    }
    counts(problem).iter().for_each(|(what, count)| drop(object.insert((*what).into(), json!(count))));
    let describe = |claim: &Claim| match of_source {
        true => json!(claim.name),
        false => json!({"position": claim.position, "name": claim.name}),
    };
    let claims = problem.claims().iter().filter(|c| stated(c, of_source));
    object.insert("property_list".into(), claims.map(describe).collect());
    // All that `check` answers, what it leaves open included.
    let all: Vec<&str> = problem.claims().iter().map(|claim| &claim.position[..]).collect();
    object.insert("claims".into(), json!(all));
    if of_source {
        let remarks: Vec<String> = problem.remarks.iter().map(|r| r.render(&problem.path)).collect();
        object.insert("remarks".into(), json!(remarks));
    }
    json::object(json::Kind::Info, &object)
}

/// The counts of a model's parts, in the order of the format.
fn counts(problem: &Problem) -> Vec<(&'static str, usize)> {
    match (problem.original(), problem.source()) {
        (Original::Bits(system), _) => bit_counts(system),
        (_, Some(source)) => lustre_counts(source.model()),
        (Original::Words(system), None) => word_counts(problem, system),
        (Original::Maps(model), None) => word_counts(problem, &model.system),
    }
}

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

fn word_counts(problem: &Problem, system: &words::System) -> Vec<(&'static str, usize)> {
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
        ("justice", problem.liveness().justice.len()),
        ("fairness", problem.liveness().fairness.len()),
    ]
}

fn lustre_counts(model: &LustreModel) -> Vec<(&'static str, usize)> {
    let main = model.program.unit(model.program.main);
    let equations = model.program.units.iter().map(|unit| unit.equations.len()).sum();
    vec![
        ("types", model.program.types.len()),
        ("constants", model.program.consts.len()),
        ("nodes", model.program.units.len()),
        ("equations", equations),
        ("inputs", main.num_inputs),
        ("outputs", main.num_outputs),
    ]
}
