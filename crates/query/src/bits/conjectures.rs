//! Clauses, conjectured together. Models that refute one refute many, but the proof that none of thousands fails is hard for a
//! SAT solver that sees one large disjunction under as many assumptions. So a round has an unrolling of its own, in which what is
//! supposed is asserted for good, and asks for some clauses at a time whether one of them fails. What was shown to hold is asserted,
//! too, and not asked for again in this round.

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_system::{BitSystem, Clause, Lemma};
use rustc_hash::FxHashSet;

use super::{Bits, path_of};
use crate::refuter::ask_all;
use crate::unrolling::{Incremental, Unrolling};
use crate::{Answer, Conjecture, From, Judge, Path, Refuter};

/// Clauses that are asked about in one question of the solver.
const TOGETHER: usize = 16;

/// Questions from the same states, of the same length, that suppose the same.
pub(super) struct Round<S> {
    from: From,
    steps: usize,
    supposed: Vec<Clause>,
    unrolling: Unrolling<S>,
    /// Clauses that hold in the last state.
    held: FxHashSet<Clause>,
}

impl<S: Incremental, M: FnMut() -> S> Refuter<BitSystem, Clause> for Bits<S, M> {
    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, Clause>,
        judge: &mut Judge<'_, Path>,
    ) -> Result<Answer, Stopped> {
        let system = self.system.clone();
        let mut round = match self.round.take() {
            Some(round) if round.fits(conjecture) => round,
            _ => self.begin(conjecture)?,
        };
        let mut held = std::mem::take(&mut round.held);
        let answer = ask_all(conjecture.conjuncts, &mut held, TOGETHER, |some, open| {
            let fails = round.one_fails(&system, some)?;
            if fails {
                let path = path_of(&system, &mut round.unrolling, round.steps);
                assert!(judge(&path, open), "a model of a SAT solver refutes a conjecture");
            }
            Ok(fails)
        })?;
        round.held = held;
        self.round = Some(round);
        Ok(answer)
    }
}

impl<S: Incremental, M: FnMut() -> S> Bits<S, M> {
    /// ⋀_{t<n} S(x_t)
    fn begin(&mut self, conjecture: &Conjecture<'_, Clause>) -> Result<Round<S>, Stopped> {
        let Conjecture { from, steps, supposed, .. } = *conjecture;
        let mut unrolling = Unrolling::new((self.make)(), from, &self.lemmas);
        unrolling.extend(&self.system, steps, &self.stop)?;
        for step in 0..steps {
            for clause in supposed {
                unrolling.assert_lemma(&self.system, &Lemma::Clause(clause.clone()), step);
            }
        }
        Ok(Round { from, steps, supposed: supposed.to_vec(), unrolling, held: FxHashSet::default() })
    }
}

impl<S: Incremental> Round<S> {
    fn fits(&self, conjecture: &Conjecture<'_, Clause>) -> bool {
        let Conjecture { from, steps, supposed, .. } = *conjecture;
        self.from == from && self.steps == steps && self.supposed == supposed
    }

    /// selector ⇒ ¬⋀(x_n), with the selector assumed. Where none fails, all are known from then on.
    fn one_fails(&mut self, system: &BitSystem, clauses: &[Clause]) -> Result<bool, Stopped> {
        let Round { unrolling, steps, .. } = self;
        let selector = unrolling.solver.new_var();
        let mut some = vec![!selector];
        for clause in clauses {
            let fails = unrolling.solver.new_var();
            for &lit in &clause.0 {
                let lit = unrolling.lit(system, lit, *steps);
                unrolling.add_clause(&[!fails, !lit]);
            }
            some.push(fails);
        }
        unrolling.add_clause(&some);
        if unrolling.solve(&[selector])? == Outcome::Sat {
            return Ok(true);
        }
        unrolling.add_clause(&[!selector]);
        for clause in clauses {
            unrolling.assert_lemma(system, &Lemma::Clause(clause.clone()), *steps);
        }
        Ok(false)
    }
}
