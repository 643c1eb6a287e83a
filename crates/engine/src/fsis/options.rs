//! The options of FSIS. The defaults are those that did best; the others are the paper's own baselines, kept to be
//! measured against (`bench/papers/fsis.py`).

/// How FSIS goes about it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Fsis {
    pub down: Down,
    pub implicate: Implicate,
    pub generate: Generate,
    pub share: Share,
}

/// How the largest inductive subclause is found (Section IV-A).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Down {
    /// A state before the cube drops all literals that it disagrees with: at most |c| queries.
    #[default]
    Lic,
    /// The greatest fixpoint of `down`, a query for each literal in each round: up to |c|² queries.
    Naive,
}

/// How `up` finds a minimal implicate (Section IV-B).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Implicate {
    /// The solver's core of one query; it need not be minimal.
    #[default]
    Core,
    /// Fig. 1.
    Linear,
    /// Fig. 2.
    Optimal,
    /// Fig. 4.
    WithCores,
}

/// The hypotheses to which clauses are inductive relative.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Generate {
    /// The property, the subgoals and the clauses found before: Π ∧ χ.
    #[default]
    Relative,
    /// Nothing.
    Absolute,
}

/// The messages that runs of FSIS send each other.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Share {
    #[default]
    Clauses,
    /// Also the CTIs that they found no clause against: others try these.
    ClausesAndCtis,
}
