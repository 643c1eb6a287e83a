//! Why no next state exists.
//!
//! Constraints may end all executions. The smallest n such that there is no execution of n states is looked for,
//! and the elements that contradict each other up to there are named. The judge confirms it: of the system with
//! these elements only, it finds no execution of n states either. The same can be asked of one simulation, whose
//! inputs are given.

use std::sync::Arc;

use buttress_check::Refusal;
use buttress_cores::{no_execution, reduced};
use buttress_solve::Stop;
use buttress_system::words::{Label, Property, PropertyKind, System, WordProof};
use buttress_system::{ElementSet, PropertyId};

use super::trials::{Means, certify, unsat};
use super::{Anatomy, Rows, driven};
use crate::Refused;

/// There is no execution of so many states, because of these elements.
pub struct Conflict {
    pub states: usize,
    pub core: ElementSet,
}

/// The first conflict within so many states, if there is one; with rows, of the executions with these inputs.
pub fn conflict(
    anatomy: &Anatomy,
    rows: Option<&Rows>,
    steps: usize,
    means: &Means,
    stop: &Stop,
) -> Result<Option<Conflict>, Refused> {
    let path = &anatomy.problem.path;
    let system = rows.map_or_else(|| (*anatomy.system).clone(), |rows| driven(&anatomy.system, rows));
    for states in 1..=steps {
        let mut fresh = || unsat(&system, means, stop);
        let all = anatomy.elements.all();
        let found = no_execution(&system, &anatomy.elements, &all, states, &mut fresh)
            .map_err(|why| Refused::undecided(format!("{path}: undecided: {why}")))?;
        if let Some(core) = found {
            confirm(anatomy, &system, &core, states, means, stop)?;
            return Ok(Some(Conflict { states, core }));
        }
    }
    Ok(None)
}

/// A property that always holds, proved for so many states: the check says whether there are executions.
fn confirm(
    anatomy: &Anatomy,
    system: &System,
    core: &ElementSet,
    states: usize,
    means: &Means,
    stop: &Stop,
) -> Result<(), Refused> {
    let path = &anatomy.problem.path;
    let mut system = reduced(system, &anatomy.elements, core);
    let bad = system.terms.bool(false);
    system.properties.push(Property { bad, kind: PropertyKind::Invariant, label: Label::new("true") });
    let property = PropertyId::new(system.properties.len() - 1);
    let proof = WordProof::of_properties(&system, vec![property], states as u32);
    match certify(Arc::new(system), proof, means, stop) {
        Ok(accepted) if accepted.vacuous().is_some_and(|v| v.states <= states) => Ok(()),
        Ok(_) => Err(Refused::fault(format!("{path}: ERROR: the conflict was not confirmed"))),
        Err(Refusal::Rejected(why)) => Err(Refused::fault(format!("{path}: ERROR: {why}"))),
        Err(Refusal::Stopped(why)) => Err(Refused::undecided(format!("{path}: undecided: {why}"))),
    }
}
