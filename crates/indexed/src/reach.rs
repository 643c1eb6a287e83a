//! Abstract reachability (sections 4, 6, 7):
//!
//! ρ⁰ = ∃J ∃X ⋀ p ⇔ φ_p[q⁰/V] (12)
//! ρⁱ⁺¹ = ρⁱ ∨ ∃V ∃X ∃I ( ⋀_{π∈Π} (ρⁱ[φ/P])[π/X] ∧ ⋀ p ⇔ φ_p[δ/V] ) (13)
//!
//! until ρⁱ⁺¹ = ρⁱ. There are no frontier sets: γ does not distribute over union, so that the image of what is new
//! is not what is new of the image. Every iteration uses all of ρⁱ. With no index symbols, Π is the identity and
//! this is classical predicate abstraction.

use buttress_solve::bdd::{Bdd, Bdds};
use buttress_solve::smt::{Config, Session};
use buttress_solve::{Stop, Stopped};
use buttress_system::indexed::Instance;
use buttress_term::TermId;
use rustc_hash::FxHashMap;

use crate::diagrams::{Relation, Skeleton, Space};
use crate::images::{Projection, products, solutions};
use crate::instances::{axiom_instances, instances, substitution};
use crate::problem::{Problem, Step};
use crate::roles::Roles;
use crate::simplify::simplify;

/// The abstract states that are reachable, and the way there.
pub struct Reached {
    pub bdds: Bdds,
    /// ρ⁰, ρ¹, …, the last of which is stable.
    pub rings: Vec<Bdd>,
    pub queries: u64,
}

impl Reached {
    pub fn fixpoint(&self) -> &Bdd {
        self.rings.last().expect("there is a start")
    }

    /// How often (13) was computed, the last time included, which found nothing new.
    pub fn iterations(&self) -> usize {
        self.rings.len()
    }
}

/// How quantifiers over Booleans are eliminated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elimination {
    /// By decision diagrams.
    Diagrams,
    /// By enumeration of solutions.
    Solutions,
}

/// A step with the predicates after it.
pub(crate) struct Prepared {
    pub facts: Vec<TermId>,
    pub outputs: Vec<TermId>,
    pub instances: Vec<Instance>,
}

pub struct Reach<'a, 'm> {
    pub problem: &'a mut Problem<'m>,
    /// φ.
    pub predicates: &'a [TermId],
    pub roles: &'a mut Roles,
    pub config: &'a Config,
    pub elimination: Elimination,
    /// Nodes of decision diagrams.
    pub nodes: usize,
    pub stop: &'a Stop,
}

impl Reach<'_, '_> {
    /// Computes ρ to the fixpoint.
    pub fn run(&mut self) -> Result<Reached, Stopped> {
        match self.elimination {
            Elimination::Solutions => self.by_solutions(),
            Elimination::Diagrams => self.by_diagrams(),
        }
    }

    fn by_solutions(&mut self) -> Result<Reached, Stopped> {
        let bdds = Bdds::new(self.predicates.len(), self.nodes, self.stop)?;
        let mut queries = 0;
        let start = self.start();
        let nothing = bdds.constant(false);
        let mut rings = vec![self.image(&bdds, &start, None, &nothing, &mut queries)?];
        let steps: Vec<Prepared> = (0..self.problem.steps.len()).map(|s| self.step(s)).collect();
        loop {
            let ring = rings.last().expect("there is a start").clone();
            let mut next = ring.clone();
            for step in &steps {
                let image = self.image(&bdds, step, Some(&ring), &next, &mut queries)?;
                next = bdds.or(&next, &image)?;
            }
            if next == ring {
                break;
            }
            rings.push(next);
        }
        Ok(Reached { bdds, rings, queries })
    }

    fn by_diagrams(&mut self) -> Result<Reached, Stopped> {
        let start = self.start();
        let mut skeletons = vec![self.skeleton(&start)];
        for step in 0..self.problem.steps.len() {
            let prepared = self.step(step);
            skeletons.push(self.skeleton(&prepared));
        }
        let session = Session::new(self.config, self.problem.theory(), self.stop);
        let manager = |variables: usize| Bdds::new(variables, self.nodes, self.stop);
        let terms = &mut self.problem.terms;
        let mut space = Space::new(terms, &skeletons, self.predicates.len(), manager, session)?;
        let relations: Result<Vec<Relation>, Stopped> =
            skeletons.iter().map(|step| space.relation(&self.problem.terms, step)).collect();
        let mut relations = relations?;
        let terms = &mut self.problem.terms;
        let (all, none) = (space.bdds.constant(true), space.bdds.constant(false));
        let mut rings = vec![space.image(terms, &mut relations[0], &all, &none)?];
        loop {
            let ring = rings.last().expect("there is a start").clone();
            let mut next = ring.clone();
            for step in &mut relations[1..] {
                let image = space.image(terms, step, &ring, &next)?;
                next = space.bdds.or(&next, &image)?;
            }
            if next == ring {
                break;
            }
            rings.push(next);
        }
        let bdds = Bdds::new(self.predicates.len(), self.nodes, self.stop)?;
        let rings = rings.iter().map(|ring| space.transfer(ring, &bdds)).collect::<Result<_, _>>()?;
        Ok(Reached { bdds, rings, queries: space.queries() })
    }

    fn skeleton(&mut self, prepared: &Prepared) -> Skeleton {
        let mut instances = Vec::new();
        for instance in &prepared.instances {
            let by = substitution(self.problem.model, instance);
            let mut list = Vec::new();
            for &predicate in self.predicates {
                let predicate = self.problem.terms.replace(predicate, &by);
                list.push(simplify(&mut self.problem.terms, predicate));
            }
            instances.push(list);
        }
        Skeleton::new(&mut self.problem.terms, &prepared.facts, &prepared.outputs, &instances)
    }

    pub(crate) fn start(&mut self) -> Prepared {
        let Step { facts, after, .. } = &self.problem.start;
        let (facts, after) = (facts.clone(), after.clone());
        let outputs: Vec<TermId> = self.predicates.iter().map(|&p| self.problem.after(p, &after)).collect();
        let mut prepared = Prepared { facts, outputs, instances: Vec::new() };
        self.add_axioms(&mut prepared, &after);
        prepared
    }

    /// Adds the axioms for the state after a step and, through the instances, for the state before.
    fn add_axioms(&mut self, prepared: &mut Prepared, after: &FxHashMap<TermId, TermId>) {
        let model = self.problem.model;
        let roots: Vec<TermId> = prepared.outputs.iter().chain(&prepared.facts).copied().collect();
        for instance in axiom_instances(model, &self.problem.terms, self.roles, &roots) {
            let by = substitution(model, &instance);
            for axiom in &model.axioms {
                let then = self.problem.after(axiom.term, after);
                for term in [axiom.term, then] {
                    let fact = self.problem.terms.replace(term, &by);
                    prepared.facts.push(simplify(&mut self.problem.terms, fact));
                }
            }
        }
    }

    pub(crate) fn step(&mut self, step: usize) -> Prepared {
        let Step { facts, after, .. } = &self.problem.steps[step];
        let (facts, after) = (facts.clone(), after.clone());
        let outputs: Vec<TermId> = self.predicates.iter().map(|&p| self.problem.after(p, &after)).collect();
        let roots: Vec<TermId> = outputs.iter().chain(self.predicates).chain(&facts).copied().collect();
        let instances = instances(self.problem.model, &mut self.problem.terms, self.roles, &roots);
        let mut prepared = Prepared { facts, outputs, instances };
        self.add_axioms(&mut prepared, &after);
        prepared
    }

    /// The image of γ_Π(ring), or of the start, under a step, without the known states.
    fn image(
        &mut self,
        bdds: &Bdds,
        step: &Prepared,
        ring: Option<&Bdd>,
        known: &Bdd,
        queries: &mut u64,
    ) -> Result<Bdd, Stopped> {
        let mut facts = step.facts.clone();
        if let Some(ring) = ring {
            facts.extend(self.concretization(bdds, ring, &step.instances)?);
        }
        let mut session = Session::new(self.config, self.problem.theory(), self.stop);
        let projection = Projection { facts: &facts, outputs: &step.outputs, known };
        let found = solutions(bdds, &mut self.problem.terms, &mut session, &projection);
        *queries += session.queries();
        found
    }

    /// γ_Π: ⋀_π (ρ[φ/P])[π/X], as clauses.
    fn concretization(
        &mut self,
        bdds: &Bdds,
        ring: &Bdd,
        instances: &[Instance],
    ) -> Result<Vec<TermId>, Stopped> {
        let clauses = clauses(&mut self.problem.terms, bdds, ring, self.predicates)?;
        let mut facts = Vec::new();
        for instance in instances {
            let by = substitution(self.problem.model, instance);
            for &clause in &clauses {
                let fact = self.problem.terms.replace(clause, &by);
                facts.push(simplify(&mut self.problem.terms, fact));
            }
        }
        Ok(facts)
    }
}

/// A set of abstract states as clauses over the predicates.
pub fn clauses(
    terms: &mut buttress_term::Terms,
    bdds: &Bdds,
    set: &Bdd,
    predicates: &[TermId],
) -> Result<Vec<TermId>, Stopped> {
    let outside = products(bdds, &bdds.not(set)?)?;
    Ok(outside.iter().map(|product| clause(terms, product, predicates)).collect())
}

/// The negation of a product, over the predicates.
pub fn clause(terms: &mut buttress_term::Terms, product: &[(u32, bool)], predicates: &[TermId]) -> TermId {
    let mut literals = Vec::new();
    for &(place, value) in product {
        let predicate = predicates[place as usize];
        literals.push(if value { terms.not(predicate) } else { predicate });
    }
    terms.any(&literals)
}
