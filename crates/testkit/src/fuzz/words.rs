//! The same for words: a BTOR2 text is read, blasted and given to every engine; verdicts are compared with the
//! [reference](crate::word_reference) on words, and traces are replayed there.

use std::sync::Arc;
use std::time::Duration;

use buttress::driver::{Accepted, Task};
use buttress_check::Evidence;
use buttress_engine::ENGINES;
use buttress_format::btor2;
use buttress_system::words::{Replay, System};
use buttress_transform::blast::{Blasted, Limits, blast};
use buttress_transform::finite::{Finite, finite};

use super::{Run, drive, ensure, judge_silence, lineups, task};
use crate::reference::Truth;
use crate::word_reference;

/// Every engine alone on a BTOR2 model: for each property the step of a shortest violation; `Err` says what is wrong.
pub fn examine(text: &str, limit: Duration) -> Result<Vec<Option<usize>>, String> {
    let model = btor2::read(text.as_bytes()).map_err(|error| error.render("model"))?;
    let finite = finite(&Arc::new(model.system)).map_err(|fault| fault.message)?;
    examine_system(&Arc::new(finite), None, limit)
}

/// Every engine alone on the words of a system, against the reference on the system itself.
pub fn examine_system(
    finite: &Arc<Finite>,
    source: Option<Arc<dyn Replay>>,
    limit: Duration,
) -> Result<Vec<Option<usize>>, String> {
    let truth = Truth { violated: word_reference::violations(finite.original()), ends: None };
    let blasted = Arc::new(blast(&finite.system, Limits::default()).map_err(|fault| fault.message)?);
    for lineup in lineups().into_iter().take(ENGINES.len()) {
        let task = task(&blasted.system, Some(blasted.clone()), &lineup);
        let task = Task { source: source.clone(), integers: Some(finite.clone()), ..task };
        let run = drive(&task, limit);
        judge(finite.original(), &blasted, &truth, &run).map_err(|why| format!("{}: {why}", lineup.name))?;
    }
    Ok(truth.violated)
}

fn judge(system: &System, blasted: &Blasted, truth: &Truth, run: &Run) -> Result<(), String> {
    if let Some(fault) = run.faults().first() {
        return Err(fault.clone());
    }
    ensure(!run.timed_out, "time")?;
    for property in system.property_ids() {
        let p = property.index();
        let outcome = match &run.decided[p] {
            Some(accepted) => judge_words(system, truth.violated[p], accepted, run),
            None => judge_silence(&blasted.system, truth, property, run),
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
    let Accepted::Words { checked, .. } = accepted else { return Err("checked on bits".to_string()) };
    match (checked.evidence(), violated) {
        (Evidence::Proof(_), Some(step)) => Err(format!("proved, but violated at step {step}")),
        (Evidence::Trace(_), None) => Err("falsified, but it holds".to_string()),
        (Evidence::Proof(_), None) => Ok(()),
        (Evidence::Trace(trace), Some(step)) => {
            let shortest = !run.engines.iter().all(|e| e.name == "bmc") || trace.last_step() == step;
            ensure(shortest, "the trace of BMC is not a shortest one")?;
            ensure(word_reference::is_violation(system, trace), "the trace is no execution to a violation")
        }
    }
}
