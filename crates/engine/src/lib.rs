//! The search algorithms. An engine is a function and a row in a table; it reads no flags, prints nothing
//! and names no solver. It asks its [`Reasoner`] and tells its [`Desk`].

mod bmc;
mod board;
mod circuit;
mod ctl;
mod diagrams;
pub mod discovery;
mod dual;
mod fair;
pub mod fsis;
mod hull;
mod ic3;
mod iictl;
mod inductive;
mod kind;
mod klive;
mod lemmas;
mod maps;
mod on_predicates;
mod reach;
mod sketch;
mod story;
mod walk;

use buttress_indexed::{Elimination, Predicates};
use buttress_query::{Atoms, Reasoner, Refuter, Relative};
use buttress_solve::smt::Config;
use buttress_solve::{Stop, Stopped};
use buttress_system::indexed::Indexed;
use buttress_system::{BitSystem, Branching, Clause, PropertyId, Reason, Subject, Verdict, words};

pub use bmc::Bmc;
pub use board::{Board, Cursor, Desk, Fact, InMemory, News, Progress, Told};
pub use diagrams::{Diagrams, Order};
pub use discovery::{Kinds, RefuterOf};
pub use dual::LevelsOf;
pub use fair::{Never, Recurrence, RunArenas};
pub use fsis::{Down, Fsis, Generate, Implicate, Share};
pub use ic3::{Generalize, Ic3};
pub use klive::{Round, Rounds, RunVisits};
pub use lemmas::{
    Failure, Incremental, Stated, Together, Unproved, incremental, largest_inductive, largest_stated, stated,
};
pub use on_predicates::Paths;
pub use story::Episode;

/// How engines go about their work; each reads the part that is its own.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// States of the longest path to look at; `usize::MAX` for no bound.
    pub bound: usize,
    pub bmc: Bmc,
    pub ic3: Ic3,
    pub fsis: Fsis,
    pub diagrams: Diagrams,
    /// Which terms invariant discovery compares.
    pub discover: Kinds,
    pub maps: Maps,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            bound: usize::MAX,
            bmc: Bmc::default(),
            ic3: Ic3::default(),
            fsis: Fsis::default(),
            diagrams: Diagrams::default(),
            discover: Kinds::default(),
            maps: Maps::default(),
        }
    }
}

/// How engines on maps look for invariants.
#[derive(Clone, Copy, Debug)]
pub struct Maps {
    pub elimination: Elimination,
    /// Nodes of decision diagrams.
    pub nodes: usize,
    /// Where predicates come from.
    pub predicates: Predicates,
}

impl Default for Maps {
    fn default() -> Maps {
        let buttress_indexed::Options { elimination, nodes } = buttress_indexed::Options::default();
        Maps { elimination, nodes, predicates: Predicates::Given }
    }
}

/// The task of an engine: a system, properties, and the settings of the run.
pub struct Job<'a, S: Subject = BitSystem> {
    pub system: &'a S,
    pub properties: Vec<PropertyId>,
    pub settings: Settings,
    /// Whether proofs may rest on distinct states: not where the original resets read inputs, nor where a witness
    /// circuit is wanted.
    pub distinct: bool,
    pub seed: u64,
    /// Whether others work on the same system, here or elsewhere, and hear what this run tells.
    pub shares: bool,
    pub desk: &'a dyn Desk<S>,
    pub stop: &'a Stop,
}

impl<S: Subject> Job<'_, S> {
    /// Tells an episode of the way, which is only made where somebody listens.
    pub(crate) fn explain(&self, property: PropertyId, episode: impl FnOnce() -> Episode<S::Trace>) {
        if self.desk.explaining() {
            self.desk.tell(property, episode());
        }
    }

    /// Tells why this engine does not decide a property.
    pub(crate) fn give_up(&self, property: PropertyId, why: &str) {
        self.desk.decide(property, incomplete(why));
    }

    /// The message where nothing was found within the bound.
    pub(crate) fn beyond_bound(&self) -> String {
        let bound = self.settings.bound;
        let states = if bound == 1 { "state" } else { "states" };
        format!("the bound of {bound} {states} is reached")
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

/// The kind of questions that an engine asks about bits.
#[derive(Clone, Copy)]
pub enum Run {
    /// Questions about paths of many steps.
    Paths(fn(&mut dyn Reasoner, &Job<'_>) -> Result<(), Stopped>),
    /// Questions about one step, relative to lemmas; it may start over with fresh levels.
    Inductive(RunInductive),
    /// Questions about one step, relative to lemmas, of systems that the engine makes itself.
    Inverse(fn(&mut LevelsOf<'_>, &Job<'_>) -> Result<(), Stopped>),
    /// Questions about many conjectures at once.
    Conjectures(fn(&mut dyn Refuter<BitSystem, Clause>, &Job<'_>) -> Result<(), Stopped>),
    /// None: it computes, with sets of states or with single ones.
    Alone(fn(&Job<'_>) -> Result<(), Stopped>),
}

/// The kind of questions that an engine asks about words.
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

/// An engine that asks about one step. It may be given few queries; then it ends with `Err(Stopped::Budget)`.
pub type RunInductive = fn(&mut FreshLevels<'_>, &Job<'_>) -> Result<(), Stopped>;

/// An engine on maps, which starts SMT solvers of its own.
pub type RunMaps = fn(&Config, &Job<'_, Indexed>) -> Result<(), Stopped>;

/// The kind of questions that an engine asks about a justice property.
#[derive(Clone, Copy)]
pub enum RunLive {
    /// How often its signals are met.
    Visits(RunVisits),
    /// Which parts of the states have all of them.
    Arenas(RunArenas),
}

/// The kind of questions that an engine asks about formulas of computation tree logic.
#[derive(Clone, Copy)]
pub enum RunTrees {
    /// None: it computes with sets of states.
    Symbolic(fn(&Job<'_, Branching>) -> Result<(), Stopped>),
    /// Questions about one step, relative to lemmas, of systems that the engine makes itself.
    Inductive(fn(&mut LevelsOf<'_>, &Job<'_, Branching>) -> Result<(), Stopped>),
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
    /// The plural noun by which reports count its work: `clauses`.
    pub unit: &'static str,
    /// Whether several runs, each with a seed of its own, help each other.
    pub several: bool,
    /// Whether its queries come in rows about ever fewer literals of one whole state.
    pub whole_states: bool,
    /// How it runs on each kind of system, where it can.
    pub bits: Option<Run>,
    pub words: Option<RunWords>,
    pub maps: Option<RunMaps>,
    /// How it decides justice properties by itself. Those that decide bits decide them behind a monitor, too.
    pub live: Option<RunLive>,
    /// How it decides formulas of computation tree logic.
    pub trees: Option<RunTrees>,
}

pub const ENGINES: &[Engine] = &[
    Engine {
        name: "bmc",
        title: "BMC",
        paper: "Biere, Cimatti, Clarke & Zhu, Symbolic model checking without BDDs, TACAS 1999",
        measure: "step",
        unit: "clauses",
        several: false,
        whole_states: false,
        bits: Some(Run::Paths(bmc::bmc)),
        words: Some(RunWords::Paths(bmc::bmc)),
        maps: Some(maps::bmc),
        live: None,
        trees: None,
    },
    Engine {
        name: "kind",
        title: "k-induction",
        paper: "Sheeran, Singh & Stålmarck, Checking safety properties using induction, FMCAD 2000",
        measure: "k =",
        unit: "clauses",
        several: false,
        whole_states: false,
        bits: Some(Run::Paths(kind::kind)),
        words: Some(RunWords::Paths(kind::kind)),
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "ic3",
        title: "IC3",
        paper: "Bradley, SAT-based model checking without unrolling, VMCAI 2011",
        measure: "level",
        unit: "clauses",
        several: false,
        whole_states: false,
        bits: Some(Run::Inductive(ic3::ic3)),
        words: Some(RunWords::Predicates { run: on_predicates::ic3_modulo_theories, refines: true }),
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "fsis",
        title: "FSIS",
        paper: "Bradley & Manna, Checking safety by inductive generalization of counterexamples to induction, FMCAD 2007",
        measure: "subgoals",
        unit: "clauses",
        several: true,
        whole_states: true,
        bits: Some(Run::Inductive(fsis::fsis)),
        words: Some(RunWords::Predicates { run: on_predicates::fsis_modulo_theories, refines: false }),
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "monolithic",
        title: "Monolithic strengthening",
        paper: "Geatti, Incremental inductive verification, slides, 2019: the naive baseline of FSIS",
        measure: "subgoals",
        unit: "clauses",
        several: false,
        whole_states: false,
        bits: Some(Run::Inductive(fsis::monolithic)),
        words: None,
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "reach",
        title: "BDD reachability",
        paper: "McMillan, Symbolic model checking, 1993",
        measure: "ring",
        unit: "nodes",
        several: false,
        whole_states: false,
        bits: Some(Run::Alone(reach::reach)),
        words: None,
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "walk",
        title: "random walk",
        paper: "Brayton & Mishchenko, ABC: an academic industrial-strength verification tool, CAV 2010 (rarity simulation)",
        measure: "step",
        unit: "states",
        several: false,
        whole_states: false,
        bits: Some(Run::Alone(walk::walk)),
        words: None,
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "dual",
        title: "dual FSIS",
        paper: "Bradley & Manna, Checking safety by inductive generalization of counterexamples to induction, FMCAD 2007",
        measure: "subgoals",
        unit: "clauses",
        several: false,
        whole_states: false,
        bits: Some(Run::Inverse(dual::dual)),
        words: None,
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "inv",
        title: "invariant discovery",
        paper: "Kahsai, Ge & Tinelli, Instantiation-based invariant discovery, NFM 2011",
        measure: "k =",
        unit: "invariants",
        several: false,
        whole_states: false,
        bits: Some(Run::Conjectures(discovery::discover_bits)),
        words: Some(RunWords::Conjectures(discovery::discover_words)),
        maps: None,
        live: None,
        trees: None,
    },
    Engine {
        name: "klive",
        title: "k-liveness",
        paper: "Claessen & Sörensson, A liveness checking algorithm that counts, FMCAD 2012",
        measure: "level",
        unit: "clauses",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: None,
        live: Some(RunLive::Visits(klive::k_liveness)),
        trees: None,
    },
    Engine {
        name: "fair",
        title: "FAIR",
        paper: "Bradley, Somenzi, Hassan & Zhang, An incremental approach to model checking progress properties, FMCAD 2011",
        measure: "arena",
        unit: "clauses",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: None,
        live: Some(RunLive::Arenas(fair::fair)),
        trees: None,
    },
    Engine {
        name: "hull",
        title: "fair hull",
        paper: "Emerson & Lei, Modalities for model checking: branching time strikes back, 1987",
        measure: "step",
        unit: "nodes",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: None,
        live: Some(RunLive::Arenas(hull::hull)),
        trees: None,
    },
    Engine {
        name: "ctl",
        title: "fair CTL",
        paper: "Burch, Clarke, McMillan, Dill & Hwang, Symbolic model checking: 10^20 states and beyond, 1992; Emerson & Lei, \
                Modalities for model checking, 1987",
        measure: "step",
        unit: "nodes",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: None,
        live: None,
        trees: Some(RunTrees::Symbolic(ctl::trees)),
    },
    Engine {
        name: "iictl",
        title: "IICTL",
        paper: "Hassan, Bradley & Somenzi, Incremental, inductive CTL model checking, CAV 2012",
        measure: "step",
        unit: "gates",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: None,
        live: None,
        trees: Some(RunTrees::Inductive(iictl::iictl)),
    },
    Engine {
        name: "indexed",
        title: "indexed predicates",
        paper: "Lahiri & Bryant, Constructing quantified invariants via predicate abstraction, VMCAI 2004",
        measure: "iteration",
        unit: "queries",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: Some(maps::indexed_predicates),
        live: None,
        trees: None,
    },
    Engine {
        name: "directed",
        title: "directed indexed predicates",
        paper: "Lahiri & Bryant, Constructing quantified invariants via predicate abstraction, VMCAI 2004; Garg, \
                Löding, Madhusudan & Neider, ICE, CAV 2014",
        measure: "vocabulary",
        unit: "queries",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: Some(maps::directed),
        live: None,
        trees: None,
    },
    Engine {
        name: "backward",
        title: "backward reachability",
        paper: "Conchon, Goel, Krstic, Mebsout & Zaidi, Invariants for finite instances and beyond, FMCAD 2013",
        measure: "cube",
        unit: "queries",
        several: false,
        whole_states: false,
        bits: None,
        words: None,
        maps: Some(maps::backward),
        live: None,
        trees: None,
    },
];

impl Engine {
    pub fn by_name(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().find(|engine| engine.name == name)
    }

    /// Whether it counts how often justice properties are met, of words, too.
    pub fn counts_visits(&self) -> bool {
        matches!(self.live, Some(RunLive::Visits(_)))
    }

    /// Whether its proofs of justice properties are arenas, for which there is no witness circuit.
    pub fn divides_states(&self) -> bool {
        matches!(self.live, Some(RunLive::Arenas(_)))
    }

    /// Whether its formula grows with every step.
    pub fn unrolls(&self) -> bool {
        matches!(self.bits, Some(Run::Paths(_)))
    }

    /// Whether it decides properties of bits, and so what a monitor says of justice properties; others only help.
    pub fn decides_bits(&self) -> bool {
        self.bits.is_some_and(|run| !matches!(run, Run::Conjectures(_)))
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Engine) -> bool {
        self.name == other.name
    }
}
