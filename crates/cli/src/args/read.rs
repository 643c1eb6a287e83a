//! How values of options are read.

use std::time::Duration;

use buttress_engine::{Down, ENGINES, Engine, Generate, Implicate, Share};
use buttress_indexed::Elimination;

use crate::stand_in::{self, StandIn};

pub fn engine(name: &str) -> Result<&'static Engine, String> {
    let names = || ENGINES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
    Engine::by_name(name).ok_or_else(|| format!("there is no such engine; there are: {}", names()))
}

pub fn stand_in_named(name: &str) -> Result<&'static StandIn, String> {
    let names = || stand_in::ALL.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
    stand_in::named(name).ok_or_else(|| format!("Buttress stands in for these: {}", names()))
}

pub fn eliminate(text: &str) -> Result<Elimination, String> {
    match text {
        "diagrams" => Ok(Elimination::Diagrams),
        "solutions" => Ok(Elimination::Solutions),
        _ => Err("diagrams or solutions is wanted".to_string()),
    }
}

pub fn fsis_down(text: &str) -> Result<Down, String> {
    match text {
        "lic" => Ok(Down::Lic),
        "naive" => Ok(Down::Naive),
        _ => Err("expected lic or naive".to_string()),
    }
}

pub fn fsis_minimal(text: &str) -> Result<Implicate, String> {
    match text {
        "core" => Ok(Implicate::Core),
        "linear" => Ok(Implicate::Linear),
        "optimal" => Ok(Implicate::Optimal),
        "cores" => Ok(Implicate::WithCores),
        _ => Err("expected core, linear, optimal or cores".to_string()),
    }
}

pub fn fsis_generate(text: &str) -> Result<Generate, String> {
    match text {
        "relative" => Ok(Generate::Relative),
        "absolute" => Ok(Generate::Absolute),
        _ => Err("expected relative or absolute".to_string()),
    }
}

pub fn fsis_share(text: &str) -> Result<Share, String> {
    match text {
        "clauses" => Ok(Share::Clauses),
        "ctis" => Ok(Share::ClausesAndCtis),
        _ => Err("expected clauses or ctis".to_string()),
    }
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    let positive = Duration::try_from_secs_f64(number).ok().filter(|d| !d.is_zero());
    positive.ok_or_else(|| "expected a positive number of seconds".to_string())
}

/// Takers say four times a second that they live.
pub fn lease(text: &str) -> Result<Duration, String> {
    let wrong = || "expected at least one second".to_string();
    Some(seconds(text)?).filter(|time| time.as_secs() >= 1).ok_or_else(wrong)
}
