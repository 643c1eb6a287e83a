//! Cone of influence: keeps what the properties *and the constraints* depend on, through any number of steps.
//!
//! The cones of the constraints stay even where no property reads them: a contradiction among constraints
//! elsewhere in the design rules out executions, and with them violations.

use std::sync::Arc;

use buttress_system::{BitSystem, PropertyId};

use crate::Restriction;
use crate::restriction::Equalities;

/// The part of the system that decides these properties.
pub fn cone(system: &Arc<BitSystem>, properties: &[PropertyId]) -> Restriction {
    let bads = properties.iter().map(|&p| system.property(p).bad);
    let marked = system.closure(bads.chain(system.constraints.iter().copied()));
    let inputs = system.inputs().filter(|&i| marked[system.input_lit(i).var().index()]).collect();
    let latches = system.latches().filter(|&l| marked[system.latch_lit(l).var().index()]).collect();
    Restriction::new(system, inputs, latches, Equalities::default(), properties.to_vec())
}
