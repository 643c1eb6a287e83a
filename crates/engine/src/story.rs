//! The story of an engine, episode by episode, for people who want to follow it. Values only: the words are
//! others' business, and where nobody listens (`Desk::explaining`) nothing is built.

use buttress_query::Predecessor;
use buttress_system::{InputId, Lit, Trace, Var};

/// One episode. Cubes are over the engine's system; the lemma behind a cube is its negation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Episode<T = Trace> {
    /// The engine starts over with this property; what it told before counts no more.
    Start,
    /// IC3 has a new highest level.
    Level(usize),
    /// States to exclude from this level, `depth` steps before the violation: with these inputs all of them go to
    /// the states told last with a depth one less, or, at depth 0, violate the property. The same states may come
    /// again at another level.
    Cti { depth: usize, level: usize, states: Predecessor },
    /// The states told last at this depth are excluded up to this level, and so is the cube, which they are part
    /// of.
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
    /// k-induction: the step case fails. Constraints, lemmas and the property hold in k states, then it is
    /// violated.
    StepFails { k: usize, path: T },
}

impl<T> Episode<T> {
    /// The episode in terms of another system, with this translation of literals; `None` where a literal has no
    /// counterpart there, or the episode is a path.
    pub fn translated<U>(self, literal: &dyn Fn(Lit) -> Option<Lit>) -> Option<Episode<U>> {
        let cube = |cube: Vec<Lit>| -> Option<Vec<Lit>> {
            let mut lits: Vec<Lit> = cube.into_iter().map(literal).collect::<Option<_>>()?;
            lits.sort_unstable();
            Some(lits)
        };
        // Inputs are the first variables of every system.
        let input = |i: InputId| {
            let there = literal(Var::new(i.index() as u32 + 1).lit())?;
            Some(InputId::new(there.var().index() - 1))
        };
        let row = |row: Vec<InputId>| row.into_iter().map(input).collect::<Option<Vec<_>>>();
        Some(match self {
            Episode::Cti { depth, level, states: Predecessor { cube: own, inputs, after } } => {
                let after = match after {
                    Some(after) => Some(row(after)?),
                    None => None,
                };
                let states = Predecessor { cube: cube(own)?, inputs: row(inputs)?, after };
                Episode::Cti { depth, level, states }
            }
            Episode::Lemma { depth, level, cube: own } => Episode::Lemma { depth, level, cube: cube(own)? },
            Episode::Aside { level, cube: own } => Episode::Aside { level, cube: cube(own)? },
            Episode::Start => Episode::Start,
            Episode::Level(level) => Episode::Level(level),
            Episode::Subgoal { depth } => Episode::Subgoal { depth },
            Episode::Closed { depth } => Episode::Closed { depth },
            Episode::Reached { depth } => Episode::Reached { depth },
            Episode::Propagated { level, moved, of } => Episode::Propagated { level, moved, of },
            Episode::Settled { lemmas } => Episode::Settled { lemmas },
            Episode::Converged { level, lemmas } => Episode::Converged { level, lemmas },
            Episode::StepFails { .. } => return None,
        })
    }
}
