//! Every engine on random systems of words: a BTOR2 text is read, blasted and given to every engine; verdicts are
//! compared with the [reference](crate::word_reference) on words, and traces are replayed there.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::Evidence;
use buttress_driver::{Accepted, Problem};
use buttress_format::btor2;
use buttress_system::BitSystem;
use buttress_system::words::System;

use super::{Run, bound, ensure, judge_silence, lineups};
use crate::drive::engines_on_bits;
use crate::reference::Truth;
use crate::word_reference;

/// Every engine alone on a BTOR2 model: for each property the step of a shortest violation; `Err` says what is
/// wrong.
pub fn examine(text: &str, limit: Duration) -> Result<Vec<Option<usize>>, String> {
    let model = btor2::read(text.as_bytes()).map_err(|error| error.render("model"))?;
    let problem = Problem::of_words(model.system).map_err(|fault| fault.message)?;
    examine_problem(&Arc::new(problem), limit)
}

/// Every engine on bits alone on a model of words, against the reference on the model itself.
pub fn examine_problem(problem: &Arc<Problem>, limit: Duration) -> Result<Vec<Option<usize>>, String> {
    let system = problem.words().expect("a model of words");
    let truth = Truth { violated: word_reference::violations(system), ends: None };
    let bits = problem.bits().ok_or("bits cannot hold it")?;
    for lineup in lineups().into_iter().take(engines_on_bits().len()) {
        let run = Run::of(problem, &lineup.choice(bound(bits)), limit);
        judge(system, bits, &truth, &run).map_err(|why| format!("{}: {why}", lineup.name))?;
    }
    Ok(truth.violated)
}

fn judge(system: &System, bits: &BitSystem, truth: &Truth, run: &Run) -> Result<(), String> {
    if let Some(fault) = run.faults().first() {
        return Err(fault.clone());
    }
    ensure(!run.timed_out, "time")?;
    for property in system.property_ids() {
        let p = property.index();
        let outcome = match &run.decided[p] {
            Some(accepted) => judge_words(system, truth.violated[p], accepted, run),
            None => judge_silence(bits, truth, property, run),
        };
        outcome.map_err(|why| format!("b{p}: {why}"))?;
    }
    Ok(())
}

fn judge_words(
    system: &System,
    violated: Option<usize>,
    accepted: &Accepted,
    run: &Run,
) -> Result<(), String> {
    let Accepted::Words(checked) = accepted else { return Err("checked on bits".to_string()) };
    match (checked.evidence(), violated) {
        (Evidence::Proof(_), Some(step)) => Err(format!("proved, but violated at step {step}")),
        (Evidence::Trace(_), None) => Err("falsified, but it holds".to_string()),
        (Evidence::Lasso(_) | Evidence::Live(_), _) => Err("nobody asked about liveness".to_string()),
        (Evidence::Proof(_), None) => Ok(()),
        (Evidence::Trace(trace), Some(step)) => {
            let shortest = !run.engines.iter().all(|e| e.name == "bmc") || trace.last_step() == step;
            ensure(shortest, "the trace of BMC is not a shortest one")?;
            ensure(word_reference::is_violation(system, trace), "the trace is no execution to a violation")
        }
    }
}
