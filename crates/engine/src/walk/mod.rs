//! Violations by random executions that prefer rare states, after the rarity simulation of ABC's `sim3` (Brayton &
//! Mishchenko, "ABC: an academic industrial-strength verification tool", CAV 2010). See [`executions`].
//!
//! No question is asked of a solver, so a step costs one pass over the circuit for 64 executions, and violations
//! that are thousands of steps deep are within reach: long protocols of handshakes, games, counters that are
//! rarely reset. What needs one value of 32 inputs is not.
//!
//! A violation is an execution without loops, not a shortest one. There are no proofs. Where no new state is met
//! for a while, all is begun again; where that does not help either, or with a bound, the engine gives up.
//!
//! Not here: resets that read inputs, where the first row of inputs cannot be chosen after the state.

mod executions;

use buttress_solve::Stopped;
use buttress_system::{Lit, PropertyId, Ternary, Trace, Verdict};

use crate::{Job, Progress};
pub(crate) use executions::{Begin, Executions, Path};

/// So often all is begun again without anything new, or up to the bound, before the engine gives up.
const TRIES: usize = 4;

/// Looks for violations of all properties at once.
pub(crate) fn walk(job: &Job<'_>) -> Result<(), Stopped> {
    let mut open: Vec<PropertyId> = job.properties.clone();
    if job.resets_read_inputs() {
        open.iter().for_each(|&p| job.give_up(p, "resets read inputs"));
        return Ok(());
    }
    let mut executions = Executions::new(job.system, Begin::Resets, job.seed);
    let mut tries = 0;
    let mut deepest = 0;
    loop {
        open.retain(|&property| !job.desk.is_decided(property));
        if open.is_empty() {
            return Ok(());
        }
        let wanted: Vec<Lit> = open.iter().map(|&p| job.system.property(p).bad).collect();
        let found = executions.round(&wanted, job.stop)?;
        for (&property, path) in open.iter().zip(found) {
            if let Some(path) = path.filter(|path| path.states.len() <= job.settings.bound) {
                job.desk.decide(property, Verdict::Unsafe(trace(property, path)));
            }
        }
        deepest = deepest.max(executions.depth());
        let progress =
            Progress { depth: deepest, size: executions.steps, open: open.len(), ..Progress::default() };
        job.desk.progress(progress);
        let bounded = executions.depth() >= job.settings.bound;
        if bounded || executions.is_stale() {
            tries = if bounded || !executions.is_fertile() { tries + 1 } else { 0 };
            if tries > TRIES {
                let why =
                    if bounded { job.beyond_bound() } else { "no new states by random inputs".to_string() };
                open.iter().for_each(|&p| job.give_up(p, &why));
                return Ok(());
            }
            executions.restart();
        }
    }
}

fn trace(property: PropertyId, path: Path) -> Trace {
    let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect();
    Trace { property, initial: row(&path.states[0]), inputs: path.inputs.iter().map(row).collect() }
}
