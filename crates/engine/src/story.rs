//! The way of an engine, step by step, for people who want to follow it. Values only: the words are others' business,
//! and where nobody listens (`Desk::explaining`) nothing is built.

use buttress_query::Predecessor;
use buttress_system::{Lit, Trace};

/// One step of the way. Cubes are over the engine's system; the lemma behind a cube is its negation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Episode<T = Trace> {
    /// The engine starts over with this property; what it told before counts no more.
    Start,
    /// IC3 has a new highest level.
    Level(usize),
    /// States to exclude from this level, `depth` steps before the violation: with these inputs all of them go to the
    /// states told last with a depth one less, or, at depth 0, violate the property. The same states may come again at
    /// another level.
    Cti { depth: usize, level: usize, states: Predecessor },
    /// The states told last at this depth are excluded up to this level, and so is the cube, which they are part of.
    Lemma { depth: usize, level: usize, cube: Vec<Lit> },
    /// On the way to a lemma: this cube, a counterexample to generalisation, is excluded up to this level.
    Aside { level: usize, cube: Vec<Lit> },
    /// FSIS: no lemma excludes these states; that nothing leads to them is the next goal.
    Subgoal { depth: usize },
    /// FSIS: nothing leads any more to the states told at this depth.
    Closed { depth: usize },
    /// Some of the states told last at this depth are reset states: a counterexample.
    Reached { depth: usize },
    /// IC3: so many of a level's own lemmas hold one level up, too.
    Propagated { level: usize, moved: usize, of: usize },
    /// IC3: so many lemmas of the top level are inductive together, and hold at every level to come.
    Settled { lemmas: usize },
    /// These many lemmas, those of this level, are inductive and exclude every violation.
    Converged { level: usize, lemmas: usize },
    /// k-induction: the step case fails. Constraints, lemmas and the property hold in k states, then it is violated.
    StepFails { k: usize, path: T },
}
