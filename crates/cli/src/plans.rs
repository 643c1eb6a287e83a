//! `buttress plans`: the plans that `check` chooses from. And `--plan`, which names one of them or a file.

use std::path::Path;
use std::process::ExitCode;

use buttress_driver::{BUILT_IN, Choice, Plans, Problem, Refused, Signals, StoredLane, StoredPlan, Why};

use crate::args::PlansArgs;
use crate::command::refuse;
use crate::{exit, out};

pub fn list(args: &PlansArgs) -> ExitCode {
    if args.toml {
        out::print(BUILT_IN);
        return exit::PROVED.into();
    }
    let plans = match args.file.as_deref().map_or_else(|| Ok(Plans::built_in()), read) {
        Ok(plans) => plans,
        Err(refused) => return refuse(&refused, false).into(),
    };
    let all: Vec<&StoredPlan> = plans.plans.iter().chain(&plans.workers).collect();
    let width = all.iter().map(|plan| plan.name.chars().count()).max().unwrap_or(0).max(4);
    out::line(&format!(
        "{:<width$}  {:<10}  {:>5}  {:>10}  {:>8}  lanes",
        "plan", "model", "cores", "properties", "at most"
    ));
    for plan in all {
        let most = plan.at_most.map_or_else(String::new, |most| most.to_string());
        let lanes = plan.lanes.iter().map(lane).collect::<Vec<_>>().join(", ");
        let (name, model, cores, properties) = (&plan.name, plan.model.name(), plan.cores, plan.properties);
        out::line(&format!("{name:<width$}  {model:<10}  {cores:>5}  {properties:>10}  {most:>8}  {lanes}"));
    }
    exit::PROVED.into()
}

/// An engine with whatever it does otherwise than usual.
fn lane(lane: &StoredLane) -> String {
    let signals = |signals| if signals == Signals::Merged { "merged" } else { "plain" };
    let said = [
        lane.generalize.map(|how| how.to_string()),
        lane.theory.map(|how| how.to_string()),
        lane.order.map(|how| how.to_string()),
        lane.stride.map(|steps| format!("stride {steps}")),
        lane.through.map(|how| signals(how).to_string()),
        (lane.seed > 0).then(|| format!("seed {}", lane.seed)),
        (lane.weight != 1).then(|| format!("weight {}", lane.weight)),
        lane.share.map(|share| format!("1/{share} of the time")),
        (lane.after > 0.0).then(|| format!("after {} s", lane.after)),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    match said.is_empty() {
        true => lane.engine.name.to_string(),
        false => format!("{} ({})", lane.engine.name, said.join(", ")),
    }
}

/// The plan that was asked for: by its name, or from a file by the model.
pub fn choose(choice: &mut Choice, asked: &str, problem: &Problem) -> Result<(), Refused> {
    let built_in = Plans::built_in();
    let named = |plan: &&StoredPlan| plan.name == asked;
    if let Some(plan) = built_in.plans.iter().chain(&built_in.workers).find(named) {
        choice.stored = Some(plan.clone());
        return Ok(());
    }
    let plans = read(Path::new(asked))?;
    choice.take(&plans, problem).map_err(|why| Refused::usage(format!("{asked}: error: {why}")))
}

fn read(path: &Path) -> Result<Plans, Refused> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        let names =
            Plans::built_in().plans.iter().map(|plan| plan.name.clone()).collect::<Vec<_>>().join(", ");
        Refused {
            why: Why::Input,
            message: format!("{shown}: error: {error}\nhelp: plans that are built in: {names}"),
        }
    };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let wrong = |error: buttress_format::Diagnostic| error.render(&shown.to_string());
    Plans::parse(&text).map_err(|error| Refused { why: Why::Input, message: wrong(error) })
}
