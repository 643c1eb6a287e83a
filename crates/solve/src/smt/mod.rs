//! SMT solvers, as processes that are spoken to in SMT-LIB 2 over a pipe.
//!
//! A process of its own holds to limits and takes nobody down when it crashes. What a solver can do are traits, as
//! for [`sat`](crate::sat): [`Solver`], [`Model`], [`Core`], [`Scopes`]. Terms are those of `buttress-term`; the
//! caller owns the store and hands it in, so that no term belongs to a solver.
//!
//! * [`Adapter`]: a row for each solver that is known: z3, Yices, cvc5, MathSAT, Bitwuzla.
//! * [`Installed`] and [`find`]: which of them are on this machine.
//! * [`Theory`]: what a system's terms need, and the logic that is announced.
//! * [`Session`]: one dialogue. It remembers all that it said, so that where a solver dies, answers garbage, does
//!   not answer in time, gives up, or gives a value that is none, the next solver is told the same and takes over.
//!   Only where none is left does the caller get a [`Stopped::Solver`], which names what
//!   each did.
//!
//! Not trusted: what a solver says. Models are evaluated by whoever reads them, who may
//! [distrust](Model::distrust) the solver; that there is none is checked again, by another solver where there is
//! one, before a verdict is printed.

mod adapter;
mod process;
mod session;
mod theory;

use std::time::Duration;

use buttress_term::{TermId, Terms, Value};

use crate::Stopped;
use crate::sat::Outcome;

pub use adapter::{ADAPTERS, Adapter, Installed, directories, find};
pub use session::{Config, Idle, Session};
pub use theory::Theory;

/// Facts in, an answer under assumptions out; facts may be added between answers.
pub trait Solver {
    /// Adds a fact for good, or until its scope ends.
    fn assert(&mut self, terms: &Terms, fact: TermId);

    /// Decides the facts under these assumptions, which hold for this call only.
    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<Outcome, Stopped>;

    /// As [`check`](Solver::check); `None` where it takes more than about this much work, where a solver can tell.
    fn check_within(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        _limit: Duration,
    ) -> Result<Option<Outcome>, Stopped> {
        self.check(terms, assumptions).map(Some)
    }
}

/// After `Sat`: a model.
pub trait Model: Solver {
    /// The exact values of these terms; `None` where the solver that answered could not give them and the one that
    /// took over finds no model: the question must be asked again.
    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Option<Vec<Value>>, Stopped>;

    /// The values of this solver's model are wrong: the next solver answers from now on. `Err` where there is
    /// none.
    fn distrust(&mut self, why: &str) -> Result<(), Stopped>;
}

/// After `Unsat`: which assumptions were needed.
pub trait Core: Solver {
    fn core(&mut self, terms: &Terms) -> Result<Vec<TermId>, Stopped>;
}

/// Facts that can be taken back.
pub trait Scopes: Solver {
    fn push(&mut self);
    /// Takes back all that was asserted since the last `push`.
    fn pop(&mut self);
}
