//! The capabilities of a SAT solver, each a trait of its own.

use std::fmt;
use std::ops::{BitXor, Not};

use crate::Stopped;

/// A literal of a solver: 2·variable + sign. Not a literal of the model; the two never mix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    pub fn new(variable: u32, negated: bool) -> Lit {
        Lit(variable << 1 | u32::from(negated))
    }

    pub fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn code(self) -> u32 {
        self.0
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// `lit ^ true` is the negation.
impl BitXor<bool> for Lit {
    type Output = Lit;
    fn bitxor(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_negated() { "-" } else { "" }, self.variable() + 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Sat,
    Unsat,
}

/// Clauses in, an answer under assumptions out; clauses may be added between answers.
pub trait Solver {
    /// A fresh variable, as its positive literal.
    fn new_var(&mut self) -> Lit;

    /// Adds a clause for good. The empty clause makes every later answer `Unsat`.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Decides the clauses under these assumptions, which hold for this call only.
    fn solve(&mut self, assumptions: &[Lit]) -> Result<Outcome, Stopped>;
}

/// After `Sat`: a model.
pub trait Model: Solver {
    /// The literal's value in the model. Variables that no clause mentions read as false.
    fn value(&mut self, lit: Lit) -> bool;
}

/// After `Unsat`: which assumptions were needed.
pub trait Core: Solver {
    /// Whether this assumption is in the core: the clauses and the core's assumptions alone are `Unsat`.
    fn failed(&mut self, assumption: Lit) -> bool;
}

/// The part of the clauses that a query looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// So many variables of what the assumptions depend on, the nearest first. `Unsat` holds, `Sat` says nothing.
    Near(usize),
    /// The cone of the assumptions. `Unsat` holds for all clauses, `Sat` only for those looked at.
    Needed,
    Everything,
}

/// Answers that are not waited for for ever.
pub trait Patient: Solver {
    /// Like [`Solver::solve`]; `None` after so many conflicts without an answer.
    fn solve_within(&mut self, assumptions: &[Lit], conflicts: u64) -> Result<Option<Outcome>, Stopped>;
}

/// Queries about a part of the clauses, which may be given up.
pub trait Limited: Domains {
    /// Like [`Solver::solve`]; `None` after so many conflicts without an answer.
    fn solve_limited(
        &mut self,
        assumptions: &[Lit],
        scope: Scope,
        conflicts: u64,
    ) -> Result<Option<Outcome>, Stopped>;

    /// Assignments so far that followed from others: a measure of work that is the same in every run.
    fn propagations(&self) -> u64;
}

/// A clause that holds for one query only.
pub trait Temporary: Solver {
    /// Like [`Solver::solve`], with one more clause, which is gone afterwards.
    fn solve_with(&mut self, assumptions: &[Lit], clause: &[Lit]) -> Result<Outcome, Stopped>;
}

/// Queries that only touch what they depend on.
pub trait Domains: Solver {
    /// For each variable: the variables that define it, or `None` where it is not defined by others and
    /// belongs to every query. A defined variable must be a total function of the others by its clauses.
    fn depends(&mut self, variables: &[Option<Vec<u32>>]);

    /// The newest variable is a function of these, or free. A clause that restricts it otherwise only counts in
    /// queries that look at both.
    fn defined(&mut self, on: &[u32]);

    /// From now on this variable, and what it depends on, belongs to every query: some clause restricts it.
    fn always(&mut self, variable: u32);
}

/// Advice about models.
pub trait Phases: Solver {
    /// Where this literal's variable is decided next, it is decided this way.
    fn prefer(&mut self, lit: Lit);
}

/// Models that hold no more than the answer rests on.
pub trait Justified: Solver {
    /// The clauses so far are definitions: each belongs to its highest variable, which they make a total function
    /// of the lower ones. From now on a model decides just enough for the assumptions and the clauses to come:
    /// whatever values the other variables that are not defined have, the defined ones can follow.
    fn justify(&mut self);
}
