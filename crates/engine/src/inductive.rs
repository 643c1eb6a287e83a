//! Evidence from cubes, for all engines that ask about single steps.

use buttress_query::Relative;
use buttress_solve::Stopped;
use buttress_system::{Clause, InputId, Lit, Proof, PropertyId, Ternary, Trace, Verdict};

use crate::{Episode, FreshLevels, Job};

/// Decides one property with fresh levels; `None` where somebody else was faster.
pub(crate) type Decide = fn(&mut dyn Relative, &Job<'_>, PropertyId) -> Result<Option<Verdict>, Stopped>;

/// Decides the properties one after the other; ends where the queries granted to the levels do not suffice.
///
/// Resets that read inputs are left to other engines: a trace fixes the inputs of its first step, and lifting,
/// which makes the cubes, does not know of resets.
pub(crate) fn each(fresh: &mut FreshLevels<'_>, job: &Job<'_>, decide: Decide) -> Result<(), Stopped> {
    if job.resets_read_inputs() {
        job.properties.iter().for_each(|&p| job.give_up(p, "resets read inputs"));
        return Ok(());
    }
    for &property in job.properties.iter().filter(|&&p| !job.desk.is_decided(p)) {
        let mut relative = fresh();
        job.explain(property, || Episode::Start);
        let verdict = decide(relative.as_mut(), job, property)?;
        verdict.into_iter().for_each(|v| job.desk.decide(property, v));
    }
    Ok(())
}

/// The invariant that excludes these cubes.
pub(crate) fn proof<'a>(property: PropertyId, cubes: impl Iterator<Item = &'a [Lit]>) -> Proof {
    let clause = |cube: &[Lit]| Clause::new(cube.iter().map(|&l| !l));
    Proof::inductive(property, cubes.map(clause).collect())
}

/// From a reset state in the cube, with these inputs (the ones that are 1) step by step.
pub(crate) fn trace<'a>(
    relative: &mut dyn Relative,
    job: &Job<'_>,
    property: PropertyId,
    cube: &[Lit],
    inputs: impl Iterator<Item = &'a [InputId]>,
) -> Result<Trace, Stopped> {
    let rows: Vec<&[InputId]> = inputs.collect();
    let initial = relative.initial_state(cube, rows[0])?;
    let row = |ones: &&[InputId]| {
        let mut row = vec![Ternary::Zero; job.system.num_inputs()];
        ones.iter().for_each(|i| row[i.index()] = Ternary::One);
        row
    };
    let inputs = rows.iter().map(row).collect();
    Ok(Trace { property, initial: initial.into_iter().map(Ternary::from).collect(), inputs })
}
