//! Clauses, conjectured all at once. As for words: a clause at a step is an assumption, made once; that one of them fails
//! is a clause under a selector of its own.

use buttress_solve::sat::Outcome;
use buttress_solve::{Stopped, sat};
use buttress_system::{BitSystem, Clause};

use super::{Bits, Last};
use crate::unrolling::{Incremental, Unrolling};
use crate::{Answer, Conjecture, Goal, Path, Query, Reasoner, Refuter};

impl<S: Incremental, M: FnMut() -> S> Refuter<BitSystem, Clause> for Bits<S, M> {
    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, Clause>,
        believe: &mut dyn FnMut(&Path) -> bool,
    ) -> Result<Answer, Stopped> {
        let system = self.system.clone();
        let Conjecture { from, steps, .. } = *conjecture;
        let unrolling = self.unrolling(&Query::new(from, steps, Goal::Any))?;
        let (assumptions, selector) = unrolling.conjectured(&system, conjecture);
        let outcome = unrolling.solve(&assumptions)?;
        let (goal, goal_assumptions) = (Vec::new(), Vec::new());
        self.last = Some(Last { from, steps, goal, goal_assumptions, safe: Vec::new(), distinct: false });
        let answer = match outcome {
            Outcome::Unsat => Answer::Holds,
            Outcome::Sat => {
                let path = self.path();
                assert!(believe(&path), "a model of a SAT solver refutes a conjecture");
                Answer::Fails
            }
        };
        self.current().0.add_clause(&[!selector]);
        self.last = None;
        Ok(answer)
    }
}

impl<S: Incremental> Unrolling<S> {
    /// ⋀_{t<n} C(x_t), where it is assumed; selector ⇒ ¬C(x_n). All assumptions, and the selector.
    fn conjectured(
        &mut self,
        system: &BitSystem,
        conjecture: &Conjecture<'_, Clause>,
    ) -> (Vec<sat::Lit>, sat::Lit) {
        let Conjecture { steps, assumed, conjuncts, .. } = *conjecture;
        let before = if assumed { steps } else { 0 };
        let mut assumptions = Vec::new();
        for step in 0..before {
            assumptions.extend(conjuncts.iter().map(|c| self.supposed(system, c, step)));
        }
        let selector = self.solver.new_var();
        let mut some = vec![!selector];
        for clause in conjuncts {
            let fails = self.solver.new_var();
            for &lit in &clause.0 {
                let lit = self.lit(system, lit, steps);
                self.add_clause(&[!fails, !lit]);
            }
            some.push(fails);
        }
        self.add_clause(&some);
        assumptions.push(selector);
        (assumptions, selector)
    }

    /// The literal that implies a clause at a step.
    fn supposed(&mut self, system: &BitSystem, clause: &Clause, step: usize) -> sat::Lit {
        if let Some(&known) = self.supposed.get(&(clause.clone(), step)) {
            return known;
        }
        let literal = self.solver.new_var();
        let mut implied = vec![!literal];
        implied.extend(clause.0.iter().map(|&l| self.lit(system, l, step)));
        self.add_clause(&implied);
        self.supposed.insert((clause.clone(), step), literal);
        literal
    }
}
