//! Lustre: random models, broken ones, and whether the front end stands them.

mod agreement;
mod mutate;
mod random;
mod rewritten;

use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use buttress_format::{Diagnostic, Severity};
use buttress_lustre::{lower, read};
use buttress_system::Rng;
use buttress_system::words::{System, code};
use buttress_term::Sort;
use buttress_transform::finite::finite;

pub use agreement::{Execution, Whole, agree, execute};
pub use mutate::{mutate, mutate_mildly};
pub use random::{model, small_model};
pub use rewritten::{annotated_means_the_same, reduced_means_the_same};

use crate::fuzz::words::examine_problem;
use crate::word_reference::bounds;

/// The stage that a text reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// Refused when it was read.
    Refused,
    /// Read, but not lowered.
    Checked,
    /// Lowered, and the interpreter agrees with the system.
    Agreed,
    /// It has a finite form, too, which agrees as long as its constraints hold.
    Finite,
}

/// Reads, lowers and executes a text. Nothing may panic, every refusal must say where, and the interpreter must
/// agree with the system.
pub fn examine(text: &str, steps: usize, seed: u64) -> Result<Outcome, String> {
    let owned = text.to_string();
    catch_unwind(move || examine_quietly(owned, steps, seed)).unwrap_or_else(|_| Err("it panics".into()))
}

fn examine_quietly(text: String, steps: usize, seed: u64) -> Result<Outcome, String> {
    let model = match read(text) {
        Ok(model) => model,
        Err(diagnostics) => return placed(&diagnostics).map(|()| Outcome::Refused),
    };
    let system = match lower(&model) {
        Ok(lowered) => lowered.system,
        Err(diagnostics) => return placed(&diagnostics).map(|()| Outcome::Checked),
    };
    system.validate().map_err(|fault| format!("the system is not valid: {fault}"))?;
    let execution = execute(&model, steps, seed)?;
    agree(&execution, &system, Whole::Yes)?;
    let Ok(words) = finite(&system).map(|finite| finite.system) else { return Ok(Outcome::Agreed) };
    words.validate().map_err(|fault| format!("the finite system is not valid: {fault}"))?;
    agree(&execution, &words, Whole::No).map_err(|why| format!("finite: {why}"))?;
    Ok(Outcome::Finite)
}

/// Is there an error, and does each finding say where?
fn placed(diagnostics: &[Diagnostic]) -> Result<(), String> {
    if !diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err("it is refused without an error".into());
    }
    match diagnostics.iter().find(|d| d.position.is_none() || d.source_line.is_none()) {
        Some(lost) => Err(format!("a finding says not where: {}", lost.message)),
        None => Ok(()),
    }
}

/// Points of a system that may be listed.
const POINTS: u32 = 12;

/// Every engine on the finite form of a model, against the reference on its integers; every trace is replayed in
/// the source. For each property the step of a shortest violation, `None` for a model that is too large to list.
pub fn decide(text: &str, limit: Duration) -> Result<Option<Vec<Option<usize>>>, String> {
    let problem = buttress_driver::parse(Path::new("model.lus"), text).map_err(|refused| refused.message)?;
    if problem.in_bits().is_err() || !problem.words().is_some_and(|system| is_small(system)) {
        return Ok(None);
    }
    examine_problem(&Arc::new(problem), limit).map(Some)
}

/// A random model with its integers, where it is small enough to list.
pub fn small_integers(rng: &mut Rng) -> Option<Arc<System>> {
    let model = read(small_model(rng)).ok()?;
    let system = lower(&model).ok()?.system;
    (finite(&system).is_ok() && is_small(&system)).then_some(system)
}

fn is_small(system: &System) -> bool {
    let variables = system.inputs.iter().map(|i| i.variable).chain(system.states.iter().map(|s| s.variable));
    let bits = variables.map(|variable| match system.terms.sort(variable) {
        Sort::Int => bounds(system, variable).map(|(low, high)| (high - low + 1u8).bits() as u32),
        sort => code::width(sort),
    });
    bits.sum::<Option<u32>>().is_some_and(|bits| bits <= POINTS)
}
