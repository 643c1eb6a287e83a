//! Systems, their properties, and the evidence of an answer.
//!
//! * [`BitSystem`]: an and-inverter graph with inputs, latches, resets, constraints and properties. Its
//!   semantics is fixed in one place, the header of [`bits`].
//! * [`words`]: the same on terms of any sort: states, definitions, constraints, properties, execution.
//! * [`indexed`]: systems with maps as state, and claims for all places.
//! * [`Trace`], [`Proof`], [`Verdict`]: the evidence that engines return and that `buttress-check` accepts
//!   or refuses. Nothing here runs a solver.
//! * [`live`]: systems with justice properties, and how the monitor of a proof stands beside them.
//! * [`ltl`]: formulas of linear temporal logic, and how they become justice properties.
//! * [`ctl`]: formulas about computation trees, and the sets that their answers rest on.
//! * [`Subject`]: what is common to the kinds of system.
//! * [`Simulator`]: 64 executions at once.
//! * [`Signals`]: the user's own names, bits regrouped to words.
//! * [`Waves`]: the view of a trace in these names, of bits or of words.

pub mod bits;
pub mod ctl;
pub mod evidence;
mod ids;
pub mod indexed;
mod lit;
pub mod live;
pub mod ltl;
mod rng;
mod signals;
mod simulator;
mod subject;
mod symbols;
pub mod waves;
pub mod words;

pub use bits::{BitSystem, Latch, Node, Property, ResetCycle, Shift};
pub use ctl::{Branching, Ctl};
pub use evidence::{Certified, Clause, Cube, Lasso, Lemma, Proof, Reason, Ternary, Trace, Verdict};
pub use ids::{ElementId, ElementKind, ElementSet, InputId, LatchId, Origin, PropertyId};
pub use lit::{Lit, Var};
pub use live::{Arena, Live, LiveProof, Monitor, Question, Recurrent};
pub use ltl::{Ltl, Unfolds};
pub use rng::Rng;
pub use signals::{Bit, BitSource, Signal, Signals};
pub use simulator::Simulator;
pub use subject::Subject;
pub use symbols::{SymbolKind, Symbols};
pub use waves::{Wave, Waves};
