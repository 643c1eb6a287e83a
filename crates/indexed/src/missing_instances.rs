//! Instances that are missing inside the fixpoint: an abstract state is reached only because γ_Π is weaker than γ
//! (section 6).
//!
//! The abstract state that leaves a property open came into the fixpoint in some iteration, by a step from a state
//! of γ_Π(ρⁱ). That state is made a whole one, and ρⁱ is asked about and put in at all its places
//! ([`weakness`](crate::weakness)). If no step is left that leads there, instances were missing, and these are the
//! places. If one is left, the abstract states that it has at the instances are looked at in the same way, back to
//! the start. What is found is a reason, although there may be more of them; that nothing is found says little,
//! since only some of the ways are looked at.

use std::collections::BTreeSet;

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Model, Solver};
use buttress_system::PropertyId;
use buttress_term::{TermId, Value};

use crate::conclude::Ground;
use crate::instances::substitution;
use crate::reach::{Reach, Reached, clauses};
use crate::simplify::simplify;
use crate::weakness::{Place, Weakness};

/// Abstract states that are looked at, at most.
const LOOKS: usize = 8;

/// Values of the predicates.
type Values = Vec<bool>;

/// The predecessors of an abstract state in one iteration.
enum Origin {
    /// A state of which ρⁱ is not known to fail anywhere: its values at the instances.
    State(Vec<Values>),
    /// Nothing but states of which ρⁱ fails at these places.
    Missing(Vec<Place>),
}

impl Reach<'_, '_> {
    /// Places at which ρⁱ keeps out of the fixpoint what the property is open for, or what leads there.
    pub(crate) fn missing_inside(
        &mut self,
        reached: &Reached,
        invariant: &[TermId],
        property: PropertyId,
    ) -> Result<Option<Vec<Place>>, Stopped> {
        let bad = self.problem.model.system.property(property).bad;
        let mut ground = self.ground_property(invariant, bad)?;
        if ground.check(&self.problem.terms, bad)? == Outcome::Unsat {
            return Ok(None);
        }
        let mut todo = self.values_there(&mut ground)?;
        let mut seen: BTreeSet<Values> = BTreeSet::new();
        while let Some(next) = todo.pop().filter(|_| seen.len() < LOOKS) {
            if !seen.insert(next.clone()) {
                continue;
            }
            let Some(ring) = ring_before(reached, &next)? else { continue };
            match self.origin(reached, ring, &next)? {
                Origin::State(before) => todo.extend(before),
                Origin::Missing(places) => return Ok(Some(places)),
            }
        }
        Ok(None)
    }

    fn origin(&mut self, reached: &Reached, ring: usize, values: &Values) -> Result<Origin, Stopped> {
        let known = clauses(&mut self.problem.terms, &reached.bdds, &reached.rings[ring], self.predicates)?;
        let mut places = Vec::new();
        for step in 0..self.problem.steps.len() {
            let mut ground = self.ground_step(&known, step)?;
            let goal = self.values_after(step, values);
            for range in self.problem.terms.ranges(&[goal]) {
                ground.session.assert(&self.problem.terms, range);
            }
            // ⋀_π ρⁱ*[π] ∧ C ∧ ⋀ p ⇔ φ_p[δ]
            if ground.check(&self.problem.terms, goal)? == Outcome::Unsat {
                continue;
            }
            let before = self.values_there(&mut ground)?;
            match self.weakness(&mut ground, &known, goal)? {
                Weakness::Instances(own) => places.extend(own),
                _ => return Ok(Origin::State(before)),
            }
        }
        // Decision diagrams may take more for reached than a step leads to.
        Ok(if places.is_empty() { Origin::State(Vec::new()) } else { Origin::Missing(places) })
    }

    /// The predicates have these values after a step.
    fn values_after(&mut self, step: usize, values: &Values) -> TermId {
        let after = self.problem.steps[step].after.clone();
        let mut literals = Vec::new();
        for (place, &value) in values.iter().enumerate() {
            let then = self.problem.after(self.predicates[place], &after);
            literals.push(if value { then } else { self.problem.terms.not(then) });
        }
        let all = self.problem.terms.all(&literals);
        simplify(&mut self.problem.terms, all)
    }

    /// The values at the instances, in the state of the last answer.
    fn values_there(&mut self, ground: &mut Ground) -> Result<Vec<Values>, Stopped> {
        let mut rows: BTreeSet<Values> = BTreeSet::new();
        for instance in &ground.instances {
            let by = substitution(self.problem.model, instance);
            let mut there = Vec::new();
            for &predicate in self.predicates {
                let predicate = self.problem.terms.replace(predicate, &by);
                there.push(self.problem.terms.reduce(predicate));
            }
            let values = ground.session.values(&self.problem.terms, &there)?.unwrap_or_default();
            rows.insert(values.iter().map(|v| *v == Value::Bool(true)).collect());
        }
        Ok(rows.into_iter().filter(|row| row.len() == self.predicates.len()).collect())
    }
}

/// The last ring that does not have an abstract state; `None` where the start has it.
fn ring_before(reached: &Reached, values: &Values) -> Result<Option<usize>, Stopped> {
    let state = reached.bdds.product(values.iter().enumerate().map(|(p, &v)| (p as u32, v)))?;
    for (number, ring) in reached.rings.iter().enumerate() {
        if reached.bdds.minus(&state, ring)?.constant() == Some(false) {
            return Ok(number.checked_sub(1));
        }
    }
    Ok(None)
}
