//! What engines that ask about single steps share: properties in turn, evidence from cubes.

use buttress_query::Relative;
use buttress_solve::Stopped;
use buttress_system::{Clause, InputId, Lit, Proof, PropertyId, Ternary, Trace, Verdict};

use crate::{Episode, FreshLevels, Job};

/// Decides one property with fresh levels; `None` where somebody else was faster.
pub(crate) type Decide = fn(&mut dyn Relative, &Job<'_>, PropertyId) -> Result<Option<Verdict>, Stopped>;

/// Queries granted to each property in the first round.
const FIRST_GRANT: u64 = 2_000;

/// How many times as many there are in the next.
const GROWTH: u64 = 4;

/// Decides the properties in rounds, leaving out what others have decided meanwhile. While several are open, each
/// is granted a number of queries, in every round more, and starts over in the next: a hard one cannot starve the
/// others, and of all the work on it at most a third is done twice.
///
/// Resets that read inputs are left to other engines: a trace fixes the inputs of its first step, and lifting,
/// which makes the cubes, does not know of resets.
pub(crate) fn in_turn(fresh: &mut FreshLevels<'_>, job: &Job<'_>, decide: Decide) -> Result<(), Stopped> {
    if job.resets_read_inputs() {
        job.properties.iter().for_each(|&p| job.give_up(p, "resets read inputs"));
        return Ok(());
    }
    let mut open = job.properties.clone();
    let mut granted = FIRST_GRANT;
    while !open.is_empty() {
        open.retain(|&p| !job.desk.is_decided(p));
        let granted_now = if open.len() > 1 { granted } else { u64::MAX };
        let mut later = Vec::new();
        for property in open {
            if !turn(fresh, job, decide, property, granted_now)? {
                later.push(property);
            }
        }
        open = later;
        granted = granted.saturating_mul(GROWTH);
    }
    Ok(())
}

/// One turn of a property; false where the queries granted were not enough.
fn turn(
    fresh: &mut FreshLevels<'_>,
    job: &Job<'_>,
    decide: Decide,
    property: PropertyId,
    granted: u64,
) -> Result<bool, Stopped> {
    if job.desk.is_decided(property) {
        return Ok(true);
    }
    let mut relative = fresh();
    relative.grant(granted);
    job.explain(property, || Episode::Start);
    match decide(relative.as_mut(), job, property) {
        Ok(verdict) => {
            verdict.into_iter().for_each(|v| job.desk.decide(property, v));
            Ok(true)
        }
        Err(Stopped::Budget) => Ok(false),
        Err(why) => Err(why),
    }
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
