//! Sorts, values and terms: what a variable of a model may hold, and what is said about it.
//!
//! This is the lowest room of the house: it knows of no system, no solver and no file.
//!
//! * [`Sort`], [`Value`], [`Word`]: what a person reads in a trace.
//! * [`Op`]: the operators, each one row of one table: name, arity, sort rule, evaluation.
//! * [`Terms`]: hash-consed terms. A [`TermId`] takes four bytes, there is no global store, and constructors
//!   share and check sorts but never rewrite: simplification is a transformation, so that the checker, which
//!   uses this crate too, does not certify the simplifier's bugs.
//! * [`Evaluation`]: the value of a term under an assignment, some of which may be unknown.
//! * [`infix`]: terms as people write them; [`smtlib`]: terms as text to be read; [`script`]: the same in a
//!   dialogue with a solver; [`sexpr`]: the syntax of such texts.
//!
//! * [`maps`]: functions: lambda, substitution that captures nothing, β-reduction, evaluation.
//!
//! The path from AIGER to a verdict makes no terms at all. Terms have no quantifiers: an invariant for all i is a
//! term that reads i.
//!
//! ```
//! use buttress_term::{Evaluation, Op, Sort, Terms, Word};
//!
//! let mut terms = Terms::new();
//! let x = terms.variable("x", Sort::BitVec(8));
//! let one = terms.word(1, 8);
//! let next = terms.apply(Op::BvAdd, &[x, one])?;
//! assert_eq!(next, terms.apply(Op::BvAdd, &[x, one])?, "equal terms are one term");
//!
//! let mut evaluation = Evaluation::new(&terms);
//! evaluation.assign(x, Some(Word::from_u64(255, 8).into()));
//! assert_eq!(evaluation.value(next), Some(Word::zero(8).into()));
//! # Ok::<(), buttress_term::TermError>(())
//! ```

mod eval;
pub mod infix;
mod limits;
pub mod maps;
mod op;
pub mod script;
pub mod sexpr;
pub mod smtlib;
mod sort;
mod terms;
mod value;
mod word;

pub use eval::Evaluation;
pub use limits::{MAX_DIGITS, MAX_WIDTH, brief};
pub use op::{Arity, Indices, Op};
pub use sort::{ArraySort, Enumeration, Sort};
pub use terms::{Node, TermError, TermId, Terms};
pub use value::{ArrayValue, EnumValue, Value};
pub use word::Word;
