//! Relations between terms, conjectured all at once.
//!
//! A relation at a step is an assumption, which the solver hears of once however often it is asked for. That one of them
//! fails is a fact under a selector of its own, which is given up after the answer.

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Model, Solver};
use buttress_system::words::{System, WordTrace};
use buttress_term::{Sort, TermId};

use super::{Asked, Unrolling, Words};
use crate::{Answer, Conjecture, Goal, Query, Refuter, Relation};

impl Refuter<System, Relation> for Words {
    fn is_steady(&self) -> bool {
        false
    }

    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, Relation>,
        believe: &mut dyn FnMut(&WordTrace) -> bool,
    ) -> Result<Answer, Stopped> {
        let unrolling = self.unrolling(&Query::new(conjecture.from, conjecture.steps, Goal::Any))?;
        let refuted = unrolling.refute(conjecture, believe)?;
        self.last = None;
        Ok(if refuted { Answer::Fails } else { Answer::Holds })
    }
}

impl Unrolling {
    fn relation(&mut self, relation: &Relation, step: usize) -> TermId {
        let (left, right) = (self.at(relation.left, step), self.at(relation.right, step));
        self.terms.app(relation.op, &[left, right])
    }

    /// ⋀_{t<n} S(x_t); selector ⇒ ¬C(x_n)
    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, Relation>,
        believe: &mut dyn FnMut(&WordTrace) -> bool,
    ) -> Result<bool, Stopped> {
        let Conjecture { steps, supposed, conjuncts, .. } = *conjecture;
        let mut assumptions = Vec::new();
        for step in 0..steps {
            assumptions.extend(supposed.iter().map(|c| self.relation(c, step)));
        }
        assumptions.sort_unstable();
        assumptions.dedup();
        let mut failures = Vec::new();
        for conjunct in conjuncts {
            let holds = self.relation(conjunct, steps);
            failures.push(self.terms.not(holds));
        }
        let some = self.terms.any(&failures);
        let selector = self.terms.variable("some conjecture fails", Sort::Bool);
        let fact = self.terms.implies(selector, some);
        self.assert(fact);
        assumptions.push(selector);
        let refuted = self.believed(&assumptions, steps, believe)?;
        let done = self.terms.not(selector);
        self.assert(done);
        Ok(refuted)
    }

    fn believed(
        &mut self,
        assumptions: &[TermId],
        steps: usize,
        believe: &mut dyn FnMut(&WordTrace) -> bool,
    ) -> Result<bool, Stopped> {
        let anywhere = Asked { safe: Vec::new(), goal: Vec::new(), distinct: None };
        loop {
            if self.session.check(&self.terms, assumptions)? == Outcome::Unsat {
                return Ok(false);
            }
            let Some(path) = self.read_path(steps)? else { continue };
            match self.execute(&path, &anywhere) {
                Ok(_) if believe(&path) => return Ok(true),
                Ok(_) => self.session.distrust("all conjectures hold at the end of its path")?,
                Err(why) => self.session.distrust(&why)?,
            }
        }
    }
}
