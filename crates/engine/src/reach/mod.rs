//! Backward reachability with decision diagrams (McMillan, "Symbolic model checking", 1993; the BDD slides of
//! Geatti, "Incremental inductive verification", 2019).
//!
//! Rings around the bad states, each the states that are one step farther away and in no ring before:
//!
//! * `B₀ = ∃i. C(x,i) ∧ bad(x,i)`
//! * `B_{k+1} = (∃i. C(x,i) ∧ B_k(F(x,i))) ∖ (B₀ ∪ … ∪ B_k)`
//!
//! The next-state functions are put into the diagram of a ring at once (vector composition), so there is no
//! transition relation and there are no variables for next states. Where `R(x,i) ∧ C(x,i) ∧ B_k(F(x,i))` has a
//! solution, it starts a trace of k+1 steps, a shortest one; the rest is read from the rings on the way down. That
//! reads the start as a set of points, so resets may read inputs; a proof then needs a start outside of the rings
//! whatever the inputs.
//!
//! An empty ring is the fixpoint: no state outside the rings leads into them. An irredundant cover of the rings by
//! cubes, negated, is then an inductive invariant in clauses. States in which the property fails whatever the
//! inputs are may be covered or not: the property excludes them already.
//!
//! Limits: the diagrams represent *all* models of a function, and are often too large (multipliers, in any order;
//! others in a bad order). They get few nodes at first, more where these do not do, and give up at the limit. So
//! may the cover, which can be exponentially larger than its diagram. The order is chosen once, see
//! `diagrams::Order`: OxiDD can move levels, but not search for better places.

mod symbolic;

use buttress_solve::Stopped;
use buttress_solve::bdd::{Bdd, Product};
use buttress_system::evidence::{evaluate, value};
use buttress_system::{LatchId, Lit, Node, PropertyId, Ternary, Trace, Verdict};

use crate::{Job, Progress, incomplete};
use symbolic::Symbolic;

/// Decides the properties one after the other, each with diagrams of its own.
pub(crate) fn reach(job: &Job<'_>) -> Result<(), Stopped> {
    for &property in &job.properties {
        if job.desk.is_decided(property) {
            continue;
        }
        if let Some(verdict) = decide(job, property)? {
            job.desk.decide(property, verdict);
        }
    }
    Ok(())
}

fn decide(job: &Job<'_>, property: PropertyId) -> Result<Option<Verdict>, Stopped> {
    job.settings.diagrams.with_enough_nodes(|choice| {
        let symbolic = Symbolic::new(job.system, job.system.property(property).bad, choice, job.stop)?;
        Search { job, property, symbolic, rings: Vec::new() }.decide()
    })
}

struct Search<'a> {
    job: &'a Job<'a>,
    property: PropertyId,
    symbolic: Symbolic<'a>,
    rings: Vec<Bdd>,
}

impl Search<'_> {
    /// `None` where somebody else decided the property.
    fn decide(&mut self) -> Result<Option<Verdict>, Stopped> {
        let mut points = self.symbolic.bad.clone();
        let mut inside = self.symbolic.space.bdds.constant(false);
        for depth in 0..self.job.settings.bound {
            // R(x,i) ∧ C(x,i) ∧ B_{k-1}(F(x,i)), at first R ∧ C ∧ bad
            if let Some(first) = self.symbolic.space.bdds.and(&self.symbolic.start, &points)?.implicant() {
                return self.trace(&first).map(|trace| Some(Verdict::Unsafe(trace)));
            }
            self.job.desk.holds_up_to(self.property, depth);
            if self.job.desk.is_decided(self.property) {
                return Ok(None);
            }
            // B_k = (∃i. C(x,i) ∧ B_{k-1}(F(x,i))) ∖ …
            let ring = self.symbolic.space.bdds.minus(&self.symbolic.states(&points)?, &inside)?;
            if ring.constant() == Some(false) {
                return self.proof(&inside).map(Some);
            }
            inside = self.symbolic.space.bdds.or(&inside, &ring)?;
            points = self.symbolic.after(&ring)?;
            self.rings.push(ring);
            let size = self.symbolic.space.bdds.nodes() as u64;
            self.job.desk.progress(Progress { depth, size, open: 1, ..Progress::default() });
        }
        Ok(Some(incomplete(&self.job.beyond_bound())))
    }

    /// The complement of the rings, in clauses.
    fn proof(&self, inside: &Bdd) -> Result<Verdict, Stopped> {
        // (∃i. C ∧ R) ∧ B: from such a state only other inputs than those of the start lead to a violation.
        let starts = self.symbolic.states(&self.symbolic.start)?;
        if self.symbolic.space.bdds.and(&starts, inside)?.constant() != Some(false) {
            return Ok(incomplete(
                "it holds only for the inputs that resets read, which no invariant over latches tells",
            ));
        }
        let needed = self.symbolic.space.bdds.minus(inside, &self.symbolic.bad_anyway)?;
        self.symbolic.space.proof(self.property, &needed, inside)
    }

    /// From this start down through the rings.
    fn trace(&self, first: &Product) -> Result<Trace, Stopped> {
        let first = self.symbolic.space.literals(first);
        let mut state = self.latches(&first);
        let initial = state.clone();
        let mut inputs = vec![self.inputs(&first)];
        // After the first step the state is in the last ring.
        for ring in (0..self.rings.len()).rev() {
            state = self.next(&state, inputs.last().expect("one row"));
            let points = match ring {
                0 => self.symbolic.at(&self.symbolic.bad, &state)?,
                // C(x,i) ∧ B_{k-1}(F(x,i)), for this x
                k => {
                    let allowed = self.symbolic.at(&self.symbolic.constraints, &state)?;
                    let after = self.symbolic.after_at(&self.rings[k - 1], &state)?;
                    self.symbolic.space.bdds.and(&allowed, &after)?
                }
            };
            let row = points.implicant().expect("a state of a ring has a way to the one inside");
            inputs.push(self.inputs(&self.symbolic.space.literals(&row)));
        }
        let row = |values: Vec<bool>| values.into_iter().map(Ternary::from).collect();
        Ok(Trace {
            property: self.property,
            initial: row(initial),
            inputs: inputs.into_iter().map(row).collect(),
        })
    }

    /// The latches of a state of the product; those that it leaves open are 0.
    fn latches(&self, product: &[Lit]) -> Vec<bool> {
        let mut values = vec![false; self.job.system.num_latches()];
        for lit in product {
            if let Node::Latch(latch) = self.job.system.node(lit.var()) {
                values[latch.index()] = !lit.is_negated();
            }
        }
        values
    }

    fn inputs(&self, product: &[Lit]) -> Vec<bool> {
        let mut values = vec![false; self.job.system.num_inputs()];
        for lit in product {
            if let Node::Input(input) = self.job.system.node(lit.var()) {
                values[input.index()] = !lit.is_negated();
            }
        }
        values
    }

    fn next(&self, state: &[bool], inputs: &[bool]) -> Vec<bool> {
        let known = |values: &[bool]| values.iter().map(|&v| Ternary::from(v)).collect::<Vec<_>>();
        let values = evaluate(self.job.system, &known(state), &known(inputs));
        let next = |l: LatchId| value(&values, self.job.system.latch(l).next) == Ternary::One;
        self.job.system.latches().map(next).collect()
    }
}
