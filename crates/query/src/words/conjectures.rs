//! Relations between terms, conjectured together. What is supposed stays for a round, until nothing fails under
//! it: it is asserted once, under a selector, and some relations at a time are asked for. What was shown to hold
//! is not asked for again in this round. That one of them fails is a fact under a selector of its own. Both are
//! given up after their answers.

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Model, Solver};
use buttress_system::words::{System, WordTrace};
use buttress_term::{Sort, TermId};
use rustc_hash::FxHashSet;

use super::{Asked, Unrolling, Words};
use crate::refuter::ask_all;
use crate::{Answer, Conjecture, Goal, Judge, Query, Refuter, Relation};

/// Relations that are asked about in one question of the solver.
const TOGETHER: usize = 64;

/// Questions of the same length that suppose this, or less.
pub(super) struct Round {
    steps: usize,
    supposed: Vec<Relation>,
    selector: TermId,
    /// Relations that hold in the last state.
    held: FxHashSet<Relation>,
    /// The answer to the last question.
    answer: Answer,
}

impl Refuter<System, Relation> for Words {
    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, Relation>,
        judge: &mut Judge<'_, WordTrace>,
    ) -> Result<Answer, Stopped> {
        let unrolling = self.unrolling(&Query::new(conjecture.from, conjecture.steps, Goal::Any))?;
        let answer = unrolling.refute(conjecture, judge)?;
        self.last = None;
        Ok(answer)
    }
}

impl Unrolling {
    fn relation(&mut self, relation: &Relation, step: usize) -> TermId {
        let (left, right) = (self.at(relation.left, step), self.at(relation.right, step));
        self.terms.app(relation.op, &[left, right])
    }

    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, Relation>,
        judge: &mut Judge<'_, WordTrace>,
    ) -> Result<Answer, Stopped> {
        loop {
            let mut round = self.round_of(conjecture);
            let mut held = std::mem::take(&mut round.held);
            round.answer = ask_all(conjecture.conjuncts, &mut held, TOGETHER, |some, open| {
                self.one_fails(&round, some, &mut |path| judge(path, open))
            })?;
            let answer = round.answer;
            let done = answer == Answer::Fails || round.supposed == conjecture.supposed;
            self.round = Some(Round { held, ..round });
            if done {
                return Ok(answer);
            }
        }
    }

    /// The round that this question belongs to. A new one begins with selector ⇒ ⋀_{t<n} S(x_t).
    fn round_of(&mut self, conjecture: &Conjecture<'_, Relation>) -> Round {
        let Conjecture { steps, supposed, .. } = *conjecture;
        match self.round.take() {
            Some(round) if round.steps == steps && round.answer == Answer::Fails => return round,
            Some(round) if round.steps == steps && round.supposed == supposed => return round,
            Some(over) => self.give_up(over.selector),
            None => {}
        }
        let selector = self.terms.variable("conjectures are supposed", Sort::Bool);
        for step in 0..steps {
            for relation in supposed {
                let holds = self.relation(relation, step);
                let fact = self.terms.implies(selector, holds);
                self.assert(fact);
            }
        }
        Round {
            steps,
            supposed: supposed.to_vec(),
            selector,
            held: FxHashSet::default(),
            answer: Answer::Holds,
        }
    }

    /// selector ⇒ ¬⋀(x_n), in this round.
    fn one_fails(
        &mut self,
        round: &Round,
        relations: &[Relation],
        believe: &mut dyn FnMut(&WordTrace) -> bool,
    ) -> Result<bool, Stopped> {
        let mut failures = Vec::new();
        for relation in relations {
            let holds = self.relation(relation, round.steps);
            failures.push(self.terms.not(holds));
        }
        let some = self.terms.any(&failures);
        let selector = self.terms.variable("some conjecture fails", Sort::Bool);
        let fact = self.terms.implies(selector, some);
        self.assert(fact);
        let refuted = self.believed(&[round.selector, selector], round.steps, believe)?;
        self.give_up(selector);
        Ok(refuted)
    }

    fn give_up(&mut self, selector: TermId) {
        let done = self.terms.not(selector);
        self.assert(done);
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
