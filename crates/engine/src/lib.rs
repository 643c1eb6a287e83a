//! The search algorithms. An engine is a function and a row in a table; it reads no flags, prints nothing
//! and names no solver. It asks its [`Reasoner`](buttress_query::Reasoner) and tells its [`Desk`].

mod bmc;
mod board;
mod kind;

use buttress_query::Reasoner;
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, PropertyId};

pub use board::{Board, Cursor, Desk, Fact, News, Progress};

/// What an engine is asked to do.
pub struct Job<'a> {
    pub system: &'a BitSystem,
    pub properties: Vec<PropertyId>,
    /// States of the longest path to look at; `usize::MAX` for no bound.
    pub bound: usize,
    pub desk: &'a dyn Desk,
    pub stop: &'a Stop,
}

/// A row of the table.
pub struct Engine {
    pub name: &'static str,
    /// How reports call it.
    pub title: &'static str,
    pub paper: &'static str,
    /// How reports call its depth.
    pub measure: &'static str,
    pub run: fn(&mut dyn Reasoner, &Job<'_>) -> Result<(), Stopped>,
}

pub const ENGINES: &[Engine] = &[
    Engine {
        name: "bmc",
        title: "BMC",
        paper: "Biere, Cimatti, Clarke & Zhu, Symbolic model checking without BDDs, TACAS 1999",
        measure: "step",
        run: bmc::bmc,
    },
    Engine {
        name: "kind",
        title: "k-induction",
        paper: "Sheeran, Singh & Stålmarck, Checking safety properties using induction, FMCAD 2000",
        measure: "k =",
        run: kind::kind,
    },
];

impl Engine {
    pub fn by_name(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().find(|engine| engine.name == name)
    }
}
