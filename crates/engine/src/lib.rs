//! The search algorithms. An engine is a function and a row in a table; it reads no flags, prints nothing
//! and names no solver. It asks its [`Reasoner`](buttress_query::Reasoner) and tells its [`Desk`].

mod bmc;
mod board;
mod diagrams;
pub mod discovery;
mod dual;
pub mod fsis;
mod houdini;
mod ic3;
mod incremental;
mod inductive;
mod kind;
mod modulo;
mod reach;
mod stated;
mod walk;

use buttress_query::{Atoms, Reasoner, Refuter, Relative, Subject};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Clause, PropertyId, Reason, Verdict, words};

pub use board::{Board, Cursor, Desk, Fact, News, Progress, Told};
pub use diagrams::{Diagrams, Order};
pub use discovery::{Kinds, RefuterOf};
pub use dual::LevelsOf;
pub use fsis::{Down, Fsis, Generate, Implicate, Share};
pub use houdini::{largest_inductive, largest_stated};
pub use ic3::{Generalize, Ic3};
pub use incremental::{Failure, Incremental, incremental};
pub use modulo::Paths;
pub use stated::{Stated, Together, Unproved, stated};
pub use walk::Walk;

/// What an engine is asked to do.
pub struct Job<'a, S: Subject = BitSystem> {
    pub system: &'a S,
    pub properties: Vec<PropertyId>,
    /// States of the longest path to look at; `usize::MAX` for no bound.
    pub bound: usize,
    pub ic3: Ic3,
    pub fsis: Fsis,
    pub diagrams: Diagrams,
    /// Which terms invariant discovery compares.
    pub discover: Kinds,
    /// Whether proofs may rest on distinct states: not where the original resets read inputs, nor where a witness
    /// circuit is wanted.
    pub distinct: bool,
    pub seed: u64,
    /// Whether others run the same engine on the same system, with other seeds.
    pub in_company: bool,
    pub desk: &'a dyn Desk<S>,
    pub stop: &'a Stop,
}

impl<S: Subject> Job<'_, S> {
    /// Tells a step of the way, which is only made where somebody listens.
    pub(crate) fn explain(&self, property: PropertyId, walk: impl FnOnce() -> Walk<S::Trace>) {
        if self.desk.explaining() {
            self.desk.tell(property, walk());
        }
    }

    /// Tells why this engine does not decide a property.
    pub(crate) fn give_up(&self, property: PropertyId, why: &str) {
        self.desk.decide(property, incomplete(why));
    }

    /// What to say where nothing was found within the bound.
    pub(crate) fn beyond_bound(&self) -> String {
        let states = if self.bound == 1 { "state" } else { "states" };
        format!("the bound of {} {states} is reached", self.bound)
    }
}

impl Job<'_> {
    /// Whether what a latch starts with may depend on the inputs of the first step.
    pub(crate) fn resets_read_inputs(&self) -> bool {
        let system = self.system;
        let mut marked = vec![false; system.num_vars()];
        let resets = system.latches().map(|l| system.latch(l).reset);
        system.mark_cone(resets.filter(|r| !r.is_constant()), &mut marked);
        system.inputs().any(|i| marked[system.input_lit(i).var().index()])
    }
}

pub(crate) fn incomplete<P, T>(why: &str) -> Verdict<P, T> {
    Verdict::Unknown(Reason::Incomplete(why.to_string()))
}

/// Makes a reasoner with no lemmas yet.
pub type FreshLevels<'a> = dyn FnMut() -> Box<dyn Relative> + 'a;

/// What an engine asks.
#[derive(Clone, Copy)]
pub enum Run {
    /// Questions about paths of many steps.
    Paths(fn(&mut dyn Reasoner, &Job<'_>) -> Result<(), Stopped>),
    /// Questions about one step, relative to lemmas; it may start over with fresh levels.
    Inductive(fn(&mut FreshLevels<'_>, &Job<'_>) -> Result<(), Stopped>),
    /// The same about systems of its own.
    Inverse(fn(&mut LevelsOf<'_>, &Job<'_>) -> Result<(), Stopped>),
    /// Questions about many conjectures at once.
    Conjectures(fn(&mut dyn Refuter<BitSystem, Clause>, &Job<'_>) -> Result<(), Stopped>),
    /// Nothing: it computes with sets of states.
    Symbolic(fn(&Job<'_>) -> Result<(), Stopped>),
}

/// What an engine asks about words.
#[derive(Clone, Copy)]
pub enum RunWords {
    /// Questions about paths of many steps.
    Paths(fn(&mut dyn Reasoner<words::System>, &Job<'_, words::System>) -> Result<(), Stopped>),
    /// Questions about many conjectures at once, on a system whose store it extended.
    Conjectures(fn(&mut RefuterOf<'_>, &Job<'_, words::System>) -> Result<(), Stopped>),
    /// Questions about one step, relative to lemmas over predicates; and about paths.
    Predicates {
        run: RunPredicates,
        /// Whether it asks if a chain of predecessors is a path, so that they may be abstract.
        refines: bool,
    },
}

/// An engine on predicates.
pub type RunPredicates =
    fn(&mut FreshLevels<'_>, &Atoms, &mut Paths<'_>, &Job<'_, words::System>) -> Result<(), Stopped>;

/// A row of the table.
pub struct Engine {
    pub name: &'static str,
    /// How reports call it.
    pub title: &'static str,
    pub paper: &'static str,
    /// How reports call its depth.
    pub measure: &'static str,
    /// What its work is made of.
    pub unit: &'static str,
    pub run: Run,
    /// Whether several runs, each with a seed of its own, help each other.
    pub several: bool,
    /// Whether its queries come in rows about ever fewer literals of one whole state.
    pub whole_states: bool,
    /// The same on words, by SMT, where it can.
    pub words: Option<RunWords>,
}

pub const ENGINES: &[Engine] = &[
    Engine {
        name: "bmc",
        title: "BMC",
        paper: "Biere, Cimatti, Clarke & Zhu, Symbolic model checking without BDDs, TACAS 1999",
        measure: "step",
        unit: "clauses",
        run: Run::Paths(bmc::bmc),
        several: false,
        whole_states: false,
        words: Some(RunWords::Paths(bmc::bmc)),
    },
    Engine {
        name: "kind",
        title: "k-induction",
        paper: "Sheeran, Singh & Stålmarck, Checking safety properties using induction, FMCAD 2000",
        measure: "k =",
        unit: "clauses",
        run: Run::Paths(kind::kind),
        several: false,
        whole_states: false,
        words: Some(RunWords::Paths(kind::kind)),
    },
    Engine {
        name: "ic3",
        title: "IC3",
        paper: "Bradley, SAT-based model checking without unrolling, VMCAI 2011",
        measure: "level",
        unit: "clauses",
        run: Run::Inductive(ic3::ic3),
        several: false,
        whole_states: false,
        words: Some(RunWords::Predicates { run: modulo::ic3_modulo_theories, refines: true }),
    },
    Engine {
        name: "fsis",
        title: "FSIS",
        paper: "Bradley & Manna, Checking safety by inductive generalization of counterexamples to induction, FMCAD 2007",
        measure: "subgoals",
        unit: "clauses",
        run: Run::Inductive(fsis::fsis),
        several: true,
        whole_states: true,
        words: Some(RunWords::Predicates { run: modulo::fsis_modulo_theories, refines: false }),
    },
    Engine {
        name: "monolithic",
        title: "Monolithic strengthening",
        paper: "Geatti, Incremental inductive verification, slides, 2019: the naive baseline of FSIS",
        measure: "subgoals",
        unit: "clauses",
        run: Run::Inductive(fsis::monolithic),
        several: false,
        whole_states: false,
        words: None,
    },
    Engine {
        name: "reach",
        title: "BDD reachability",
        paper: "McMillan, Symbolic model checking, 1993",
        measure: "ring",
        unit: "nodes",
        run: Run::Symbolic(reach::reach),
        several: false,
        whole_states: false,
        words: None,
    },
    Engine {
        name: "dual",
        title: "dual FSIS",
        paper: "Bradley & Manna, Checking safety by inductive generalization of counterexamples to induction, FMCAD 2007",
        measure: "subgoals",
        unit: "clauses",
        run: Run::Inverse(dual::dual),
        several: false,
        whole_states: false,
        words: None,
    },
    Engine {
        name: "inv",
        title: "invariant discovery",
        paper: "Kahsai, Ge & Tinelli, Instantiation-based invariant discovery, NFM 2011",
        measure: "k =",
        unit: "invariants",
        run: Run::Conjectures(discovery::discover_bits),
        several: false,
        whole_states: false,
        words: Some(RunWords::Conjectures(discovery::discover_words)),
    },
];

/// What runs, side by side, where nothing else is asked for.
pub const DEFAULT: [&str; 3] = ["bmc", "kind", "ic3"];

/// The same on words: k-induction has the base cases of BMC in it, and every engine more costs the others time.
pub const DEFAULT_WORDS: [&str; 2] = ["kind", "ic3"];

impl Engine {
    pub fn defaults() -> Vec<&'static Engine> {
        DEFAULT.iter().filter_map(|name| Engine::by_name(name)).collect()
    }

    pub fn defaults_on_words() -> Vec<&'static Engine> {
        DEFAULT_WORDS.iter().filter_map(|name| Engine::by_name(name)).collect()
    }

    pub fn by_name(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().find(|engine| engine.name == name)
    }
}
