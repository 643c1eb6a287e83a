//! From the abstract fixpoint to a proof (sections 5 and 9): ρ as clauses over the predicates, ∀X ρ* ⇒ ∀X ψ* by
//! instantiation, and of all clauses only those that the proof needs, so that a person can read it.
//!
//! The clauses that the implication needs are found by a core; then those that each of them needs to be preserved
//! by each step; and so on. What is left is inductive by itself, and the instances in the cores are the evidence.

use std::collections::BTreeSet;
use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_solve::bdd::Bdd;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Core, Model, Session, Solver};
use buttress_system::PropertyId;
use buttress_system::indexed::{IndexedProof, Instance, Use};
use buttress_term::{TermId, Value};
use rustc_hash::FxHashMap;

use crate::images::products;
use crate::instances::{axiom_instances, instances, substitution};
use crate::reach::{Reach, Reached, clause};
use crate::simplify::simplify;
use crate::weakness::Weakness;

/// The conclusion from the fixpoint about a property.
pub enum Conclusion {
    Proved(IndexedProof),
    /// An abstract state that is not excluded and allows a violation: the values of the predicates.
    Open {
        values: Vec<bool>,
        weak: Weakness,
    },
}

/// Clauses under instances, in a session.
pub(crate) struct Ground {
    pub session: Session,
    /// For each assumption, the clause and the instance.
    pub literals: Vec<(usize, usize, TermId)>,
    /// The facts beside the clauses.
    pub facts: Vec<TermId>,
    pub instances: Vec<Instance>,
    axioms: Vec<Instance>,
}

impl Reach<'_, '_> {
    /// Whether the fixpoint implies a property, and the proof.
    pub fn conclude(&mut self, reached: &Reached, property: PropertyId) -> Result<Conclusion, Stopped> {
        let clauses = self.readable(reached)?;
        let mut conclusion = self.conclude_from(&clauses, property)?;
        if let Conclusion::Open { weak: weak @ Weakness::Predicates, .. } = &mut conclusion {
            // Where the search for the reason is stopped, the answer is what it was.
            if let Ok(Some(places)) = self.missing_inside(reached, &clauses, property) {
                *weak = Weakness::Inside(places);
            }
        }
        Ok(conclusion)
    }

    /// Whether clauses that are inductive by the instances imply a property, and the proof.
    pub fn conclude_from(&mut self, clauses: &[TermId], property: PropertyId) -> Result<Conclusion, Stopped> {
        let bad = self.problem.model.system.property(property).bad;
        let mut ground = self.ground_property(clauses, bad)?;
        // ⋀_π ρ*[π] ∧ C ∧ ¬ψ*
        if ground.check(&self.problem.terms, bad)? == Outcome::Sat {
            let values = ground.session.values(&self.problem.terms, self.predicates)?.unwrap_or_default();
            let values = values.iter().map(|v| *v == Value::Bool(true)).collect();
            let weak = self.weakness(&mut ground, clauses, bad)?;
            return Ok(Conclusion::Open { values, weak });
        }
        let (mut needed, implies) = ground.core(&self.problem.terms)?;
        let mut axioms: BTreeSet<Instance> = ground.axioms.into_iter().collect();
        let step = self.close(clauses, &mut needed, &mut axioms)?;
        let kept: Vec<usize> = needed.iter().copied().collect();
        let renumbered = |uses: BTreeSet<Use>| {
            let place = |clause: usize| kept.binary_search(&clause).expect("what is used is needed");
            uses.into_iter().map(|u| Use { clause: place(u.clause), ..u }).collect::<Vec<Use>>()
        };
        Ok(Conclusion::Proved(IndexedProof {
            properties: vec![property],
            terms: Arc::new(self.problem.terms.clone()),
            indices: self.problem.model.indices.clone(),
            clauses: needed.iter().map(|&c| clauses[c]).collect(),
            step: renumbered(step),
            implies: renumbered(implies),
            axioms: axioms.into_iter().collect(),
        }))
    }

    /// The clauses of the fixpoint that say something: without those that hold of any state, and with what cannot
    /// be as "don't care".
    fn readable(&mut self, reached: &Reached) -> Result<Vec<TermId>, Stopped> {
        let bdds = &reached.bdds;
        let outside = bdds.not(reached.fixpoint())?;
        let impossible = self.impossible(reached)?;
        let lower = bdds.minus(&outside, &impossible)?;
        let upper = bdds.or(&outside, &impossible)?;
        let cover = bdds.cover(&lower, &upper, 1 << 16)?.map_err(|_| Stopped::Nodes(1 << 16))?;
        Ok(cover.iter().map(|product| clause(&mut self.problem.terms, product, self.predicates)).collect())
    }

    /// Abstract states that no state has: by pairs and by the products of what is outside.
    fn impossible(&mut self, reached: &Reached) -> Result<Bdd, Stopped> {
        let bdds = &reached.bdds;
        let mut session = Session::new(self.config, self.problem.theory(), self.stop);
        for range in self.problem.terms.ranges(self.predicates) {
            session.assert(&self.problem.terms, range);
        }
        let mut candidates = Vec::new();
        let count = self.predicates.len() as u32;
        for a in 0..count {
            for b in a + 1..count {
                for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                    candidates.push(vec![(a, x), (b, y)]);
                }
            }
        }
        candidates.extend(products(bdds, &bdds.not(reached.fixpoint())?)?);
        let mut impossible = bdds.constant(false);
        for product in candidates {
            let set = bdds.product(product.iter().copied())?;
            if bdds.minus(&set, &impossible)?.constant() == Some(false) {
                continue;
            }
            let literals: Vec<TermId> = product.iter().map(|l| self.literal(l)).collect();
            // ⋀ (¬)φ_p
            if session.check(&self.problem.terms, &literals)? == Outcome::Unsat {
                impossible = bdds.or(&impossible, &set)?;
            }
        }
        Ok(impossible)
    }

    fn literal(&mut self, &(place, value): &(u32, bool)) -> TermId {
        let predicate = self.predicates[place as usize];
        if value { predicate } else { self.problem.terms.not(predicate) }
    }

    /// Adds to `needed` what its clauses need to be preserved by every step; the instances that this takes.
    fn close(
        &mut self,
        clauses: &[TermId],
        needed: &mut BTreeSet<usize>,
        axioms: &mut BTreeSet<Instance>,
    ) -> Result<BTreeSet<Use>, Stopped> {
        let mut grounds: Vec<Ground> = Vec::new();
        for step in 0..self.problem.steps.len() {
            let ground = self.ground_step(clauses, step)?;
            axioms.extend(ground.axioms.iter().cloned());
            grounds.push(ground);
        }
        let mut uses: BTreeSet<Use> = BTreeSet::new();
        let mut todo: Vec<usize> = needed.iter().copied().collect();
        while let Some(next) = todo.pop() {
            for (step, ground) in grounds.iter_mut().enumerate() {
                let after = self.problem.steps[step].after.clone();
                let then = self.problem.after(clauses[next], &after);
                let violated = self.problem.terms.not(then);
                let violated = simplify(&mut self.problem.terms, violated);
                for range in self.problem.terms.ranges(&[violated]) {
                    ground.session.assert(&self.problem.terms, range);
                }
                // ⋀_π ρ*[π] ∧ C ∧ ¬c[δ]
                if ground.check(&self.problem.terms, violated)? == Outcome::Sat {
                    let why = "the fixpoint is not inductive, says the solver that computed it".to_string();
                    return Err(Stopped::Solver(why));
                }
                let (core, used) = ground.core(&self.problem.terms)?;
                uses.extend(used);
                todo.extend(core.iter().filter(|&&c| needed.insert(c)));
            }
        }
        Ok(uses)
    }

    pub(crate) fn ground_property(&mut self, clauses: &[TermId], bad: TermId) -> Result<Ground, Stopped> {
        let mut facts: Vec<TermId> = self.problem.model.system.constraints.iter().map(|c| c.term).collect();
        let roots: Vec<TermId> = self.predicates.iter().chain(&facts).chain([&bad]).copied().collect();
        let axioms = self.axiom_facts(&roots, None, &mut facts);
        let instances = instances(self.problem.model, &mut self.problem.terms, self.roles, &roots);
        facts.extend(self.problem.terms.ranges(&[bad]));
        Ok(self.ground(clauses, facts, instances, axioms))
    }

    pub(crate) fn ground_step(&mut self, clauses: &[TermId], step: usize) -> Result<Ground, Stopped> {
        let after = self.problem.steps[step].after.clone();
        let mut facts = self.problem.steps[step].facts.clone();
        let mut roots: Vec<TermId> = self.predicates.iter().chain(&facts).copied().collect();
        for &predicate in self.predicates {
            roots.push(self.problem.after(predicate, &after));
        }
        let axioms = self.axiom_facts(&roots, Some(&after), &mut facts);
        let instances = instances(self.problem.model, &mut self.problem.terms, self.roles, &roots);
        Ok(self.ground(clauses, facts, instances, axioms))
    }

    /// Adds the instances of axioms to the facts, before and after a step.
    pub(crate) fn axiom_facts(
        &mut self,
        roots: &[TermId],
        after: Option<&FxHashMap<TermId, TermId>>,
        facts: &mut Vec<TermId>,
    ) -> Vec<Instance> {
        let model = self.problem.model;
        let instances = axiom_instances(model, &self.problem.terms, self.roles, roots);
        for instance in &instances {
            let by = substitution(model, instance);
            for axiom in &model.axioms {
                let then = after.map(|after| self.problem.after(axiom.term, after));
                for term in [axiom.term].into_iter().chain(then) {
                    let fact = self.problem.terms.replace(term, &by);
                    facts.push(simplify(&mut self.problem.terms, fact));
                }
            }
        }
        instances
    }

    fn ground(
        &mut self,
        clauses: &[TermId],
        facts: Vec<TermId>,
        instances: Vec<Instance>,
        axioms: Vec<Instance>,
    ) -> Ground {
        let mut session = Session::new(self.config, self.problem.theory(), self.stop);
        let mut literals = Vec::new();
        for (place, instance) in instances.iter().enumerate() {
            let by = substitution(self.problem.model, instance);
            for (number, &clause) in clauses.iter().enumerate() {
                let fact = self.problem.terms.replace(clause, &by);
                let fact = simplify(&mut self.problem.terms, fact);
                if self.problem.terms.as_constant(fact) != Some(&Value::Bool(true)) {
                    literals.push((number, place, fact));
                }
            }
        }
        let roots: Vec<TermId> = facts.iter().copied().chain(literals.iter().map(|l| l.2)).collect();
        let ranges = self.problem.terms.ranges(&roots);
        facts.iter().chain(&ranges).for_each(|&fact| session.assert(&self.problem.terms, fact));
        Ground { session, literals, facts, instances, axioms }
    }
}

impl Ground {
    pub fn check(&mut self, terms: &buttress_term::Terms, goal: TermId) -> Result<Outcome, Stopped> {
        let mut assumptions: Vec<TermId> = self.literals.iter().map(|l| l.2).collect();
        assumptions.push(goal);
        self.session.check(terms, &assumptions)
    }

    /// The clauses and instances that the last answer took.
    fn core(&mut self, terms: &buttress_term::Terms) -> Result<(BTreeSet<usize>, BTreeSet<Use>), Stopped> {
        let core = self.session.core(terms)?;
        let used: Vec<&(usize, usize, TermId)> =
            core.iter().filter_map(|t| self.literals.iter().find(|l| l.2 == *t)).collect();
        let uses = used.iter().map(|l| Use { clause: l.0, instance: self.instances[l.1].clone() });
        Ok((used.iter().map(|l| l.0).collect(), uses.collect()))
    }
}
