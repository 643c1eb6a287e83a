//! Clauses that runs in other processes told, asked again.
//!
//! A clause told of a property P is inductive relative to P, to the clauses told before it and to those told at
//! the same time: see FSIS in `engine`. So the clauses c of a batch are tried one after the other, where K are all
//! clauses that were confirmed or told by lanes of our own:
//!
//! * initiation: `R ∧ C ∧ ¬c` is unsatisfiable;
//! * consecution: `P ∧ K ∧ c ∧ C ∧ T ∧ ¬c'` is unsatisfiable.
//!
//! The clauses that are left are tried together: the largest subset that is inductive relative to P ∧ K. The
//! questions are asked on the system that the engines see which tell such clauses, with its equal signals merged
//! where theirs are.

use std::collections::BTreeMap;

use buttress_query::{Answer, Levels, Relative, Step};
use buttress_solve::{Cdcl, Stop, Stopped};
use buttress_system::{BitSystem, Lit, PropertyId, Subject};
use buttress_transform::{Way, lower_property};
use rustc_hash::FxHashSet;

/// The verdict on a clause from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClauseVerdict {
    Confirmed,
    /// It may be inductive relative to something that is not here.
    Open,
    /// A start violates it, or it is no clause over latches.
    Wrong,
}

/// The clauses told so far, property by property.
#[derive(Default)]
pub(crate) struct ToldBefore(BTreeMap<PropertyId, OfOne>);

/// The clauses told of one property, over the engines' system.
struct OfOne {
    /// Level 1 supposes the property and has what is known.
    levels: Levels<Cdcl>,
    known: FxHashSet<Vec<Lit>>,
}

impl OfOne {
    fn new(system: &std::sync::Arc<BitSystem>, property: PropertyId, stop: &Stop) -> OfOne {
        let mut levels = Levels::new(system.clone(), || Cdcl::new(stop));
        levels.suppose(property);
        levels.push_level();
        OfOne { levels, known: FxHashSet::default() }
    }

    fn learn(&mut self, cube: Vec<Lit>) {
        if !self.known.contains(&cube) {
            self.levels.learn(1, &cube);
            self.known.insert(cube);
        }
    }

    fn confirm(&mut self, cubes: &[Option<Vec<Lit>>]) -> Result<Vec<ClauseVerdict>, Stopped> {
        let mut found = vec![ClauseVerdict::Wrong; cubes.len()];
        let mut left: Vec<(usize, &Vec<Lit>)> = Vec::new();
        for (position, cube) in cubes.iter().enumerate() {
            let Some(cube) = cube else { continue };
            found[position] = match () {
                _ if self.known.contains(cube) => ClauseVerdict::Confirmed,
                // R ∧ C ∧ ¬c
                _ if self.levels.check(&Step::In { level: 0, cube })? == Answer::Fails => {
                    ClauseVerdict::Wrong
                }
                // P ∧ K ∧ c ∧ C ∧ T ∧ ¬c'
                _ if self.levels.check(&Step::Relative { level: 1, cube })? == Answer::Holds => {
                    self.learn(cube.clone());
                    ClauseVerdict::Confirmed
                }
                _ => {
                    left.push((position, cube));
                    ClauseVerdict::Open
                }
            };
        }
        for (position, cube) in self.together(left)? {
            found[position] = ClauseVerdict::Confirmed;
            self.known.insert(cube.clone());
        }
        Ok(found)
    }

    /// The largest part that is inductive with what is known; level 1 has it then.
    fn together<'c>(
        &mut self,
        mut kept: Vec<(usize, &'c Vec<Lit>)>,
    ) -> Result<Vec<(usize, &'c Vec<Lit>)>, Stopped> {
        if kept.is_empty() {
            return Ok(kept);
        }
        loop {
            let cubes = self.known.iter().map(|c| &c[..]).chain(kept.iter().map(|(_, c)| &c[..]));
            self.levels.renew(1, &mut cubes.into_iter());
            let mut left = Vec::new();
            for &(position, cube) in &kept {
                // P ∧ K ∧ G ∧ C ∧ T ∧ ¬c'
                if self.levels.check(&Step::To { level: 1, cube })? == Answer::Holds {
                    left.push((position, cube));
                }
            }
            if left.len() == kept.len() {
                return Ok(kept);
            }
            kept = left;
        }
    }
}

impl ToldBefore {
    /// Of what was told of a property of the way's old system, what holds.
    pub fn confirm(
        &mut self,
        way: &dyn Way<Old = BitSystem, New = BitSystem>,
        property: PropertyId,
        cubes: &[Vec<Lit>],
        stop: &Stop,
    ) -> Result<Vec<ClauseVerdict>, Stopped> {
        let Some(lowered) = lower_property(way, property) else {
            return Ok(vec![ClauseVerdict::Open; cubes.len()]);
        };
        let one = self.0.entry(property).or_insert_with(|| OfOne::new(way.system(), lowered, stop));
        let cubes: Vec<_> = cubes.iter().map(|cube| lower(way, cube)).collect();
        one.confirm(&cubes)
    }

    /// Adds a clause that a lane of our own told.
    pub fn believe(
        &mut self,
        way: &dyn Way<Old = BitSystem, New = BitSystem>,
        property: PropertyId,
        cube: &[Lit],
        stop: &Stop,
    ) {
        if let (Some(lowered), Some(cube)) = (lower_property(way, property), lower(way, cube)) {
            let one = self.0.entry(property).or_insert_with(|| OfOne::new(way.system(), lowered, stop));
            one.learn(cube);
        }
    }
}

/// A cube over latches, in order, over the engines' system.
fn lower(way: &dyn Way<Old = BitSystem, New = BitSystem>, cube: &[Lit]) -> Option<Vec<Lit>> {
    let lemma = BitSystem::excluding(cube)?;
    let mut lits = BitSystem::excluded(&way.lower(&[lemma]).pop()??)?;
    lits.sort_unstable();
    lits.dedup();
    let over_latches = lits.iter().all(|l| way.system().as_latch(l.var()).is_some());
    let consistent = lits.windows(2).all(|pair| pair[0] != !pair[1]);
    (over_latches && consistent && !lits.is_empty()).then_some(lits)
}
