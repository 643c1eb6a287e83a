//! The options of `check`, `worker` and, for the most part, `batch`.

use std::path::PathBuf;
use std::time::Duration;

use buttress_engine::{Down, Engine, Generalize, Generate, Implicate, Order, Share};
use buttress_indexed::Elimination;
use buttress_query::Preimages;
use clap::{Args as Flags, ValueEnum};

use super::read::{eliminate, engine, fsis_down, fsis_generate, fsis_minimal, fsis_share, seconds};
use super::{Compare, LimitArgs, ModelArgs, Radix, Xml};

#[derive(Flags)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Engine to use; may be repeated, and they run side by side [default: those of a plan]
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    pub engine: Vec<&'static Engine>,

    /// Lanes that run side by side: the name of a plan that is built in, or a file of plans, of which the one for
    /// the model and the cores is taken; `buttress plans` lists them [default: built in, by the model and the
    /// cores]
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["engine", "explain", "directed"])]
    pub plan: Option<String>,

    /// Let at most this many lanes work at a time; where there are more, they take turns [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub cores: Option<u16>,

    /// Print the same bytes in every run with the same seed, on any machine with the same solvers: lanes work one
    /// at a time, interrupted by their work and not by the clock, and no times are told
    #[arg(
        long,
        conflicts_with_all = [
            "cores", "board", "core", "property_timeout", "smt_patience", "stop_at_first", "statistics",
        ]
    )]
    pub deterministic: bool,

    /// Decide this property only, by name or position (b0, o0, 0); may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,

    /// Decide this formula of linear temporal logic over the names of the model, too: 'G (req -> F ack)'; they are
    /// called l0, l1, …; may be repeated
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["hwmcc", "xml"])]
    pub ltl: Vec<String>,

    /// Decide the formulas of this file, too, one a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hwmcc", "xml"])]
    pub ltl_file: Vec<PathBuf>,

    /// Decide the formulas of computation tree logic of this file, too, as iimc reads them: 'AG EF idle'; they are
    /// called c0, c1, …; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hwmcc", "xml"])]
    pub ctl: Vec<PathBuf>,

    /// Treat this property as a goal to reach, not a state to avoid; may be repeated, all means all
    #[arg(long, value_name = "NAME", conflicts_with = "hwmcc")]
    pub cover: Vec<String>,

    /// End the run as soon as a property is falsified, or a goal is shown to be unreachable; the others stay
    /// undecided
    #[arg(long)]
    pub stop_at_first: bool,

    /// Give up on a property once IC3 or FSIS have worked on it for this many seconds, and go on with the others
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub property_timeout: Option<Duration>,

    /// Say which elements of the model each proof needs, as `core` does, while other properties are still open;
    /// and warn where it is next to nothing
    #[arg(long, conflicts_with_all = ["hwmcc", "xml"])]
    pub core: bool,

    /// How quantifiers over predicates are eliminated in a model with maps: solutions, one by one;
    /// diagrams, which grow large [default: solutions]
    #[arg(long, value_name = "HOW", value_parser = eliminate)]
    pub eliminate: Option<Elimination>,

    /// Where the predicates of a model with maps come from: given, those of the file, or found where it has none;
    /// auto, found whatever the file says [default: given]
    #[arg(long, value_name = "FROM")]
    pub predicates: Option<PredicateSource>,

    /// Learn only the clauses over the predicates that a property of a model with maps needs, not the strongest
    /// invariant; this is so, too, where predicates are found
    #[arg(long, conflicts_with = "eliminate")]
    pub directed: bool,

    /// Look at paths of at most this many states
    #[arg(long, value_name = "STATES", value_parser = clap::value_parser!(u64).range(1..))]
    pub bound: Option<u64>,

    /// Steps that one question of BMC is about; with more than 1, a trace need not be shortest [default: 1]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub bmc_stride: Option<u32>,

    /// How IC3 generalises: drop; ctg:DEPTH:MAX to exclude counterexamples to generalisation too; dynamic to
    /// do that where it seems worth it [default: dynamic]
    #[arg(long, value_name = "HOW")]
    pub ic3_generalize: Option<Generalize>,

    /// What IC3 takes for a predecessor where bits cannot hold the model: projection, an exact part of a
    /// pre-image; abstraction, the truth of predicates, refined where that is not enough [default: projection]
    #[arg(long, value_name = "HOW")]
    pub ic3_theory: Option<Preimages>,

    /// How FSIS finds the largest inductive subclause: lic, in a linear number of queries; naive, in a quadratic
    /// one [default: lic]
    #[arg(long, value_name = "HOW", value_parser = fsis_down)]
    pub fsis_down: Option<Down>,

    /// How FSIS finds minimal implicates: core, from one query, not always minimal; linear, optimal or cores, as
    /// in the paper's figures 1, 2 and 4 [default: core]
    #[arg(long, value_name = "HOW", value_parser = fsis_minimal)]
    pub fsis_minimal: Option<Implicate>,

    /// What the clauses of FSIS are inductive relative to: relative, the property and the clauses before;
    /// absolute, nothing [default: relative]
    #[arg(long, value_name = "HOW", value_parser = fsis_generate)]
    pub fsis_generate: Option<Generate>,

    /// What the threads of FSIS tell each other: clauses; ctis, also the states that they found no clause against
    /// [default: clauses]
    #[arg(long, value_name = "WHAT", value_parser = fsis_share)]
    pub fsis_share: Option<Share>,

    /// Threads of FSIS; each has a seed of its own, and they share what they find [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=256))]
    pub jobs: Option<u64>,

    /// Lemmas that may hold, a clause over latches a line: what is inductive of them helps every engine
    #[arg(long, value_name = "FILE")]
    pub lemmas: Option<PathBuf>,

    /// Write the lemmas that IC3 and FSIS found, also where they did not decide: for --lemmas of a next run
    #[arg(long, value_name = "FILE")]
    pub save_lemmas: Option<PathBuf>,

    /// Keep what is found in this directory, and begin with what earlier runs kept there: verdicts are checked
    /// again, lemmas proved again; an edited model takes what still holds
    #[arg(long, value_name = "DIR", conflicts_with = "explain")]
    pub state: Option<PathBuf>,

    /// Share what is found with other processes on the same model, over a Redis server: redis://HOST:PORT, or
    /// rediss:// for TLS; user and password as in every such address
    #[arg(long, value_name = "URL", conflicts_with = "explain")]
    pub board: Option<String>,

    /// Tell the way of IC3 or FSIS step by step; without --engine, IC3 runs alone. Of liveness, say why its evidence is
    /// one
    #[arg(long, conflicts_with_all = ["hwmcc", "jobs"])]
    pub explain: bool,

    /// Where a property stays undecided, show the last states that k-induction could not exclude
    #[arg(long, conflicts_with = "hwmcc")]
    pub show_cti: bool,

    /// What the engine inv compares: Booleans, numbers or enumerations; may be repeated [default: all]
    #[arg(long, value_name = "KIND")]
    pub discover: Vec<Compare>,

    /// How decision diagrams order inputs and latches: file; depth, as a walk from the property meets them; force,
    /// with short gates [default: depth]
    #[arg(long, value_name = "HOW")]
    pub bdd_order: Option<Order>,

    /// Nodes that decision diagrams may have, all together [default: 16777216]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u32).range(1024..))]
    pub bdd_nodes: Option<u32>,

    /// Seed of whatever is random, in engines and solvers [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Print the report as JSON
    #[arg(long, conflicts_with = "hwmcc")]
    pub json: bool,

    /// Print objects as JSON, one a line: each property as soon as it is decided, how far the engines are, at the
    /// end the report
    #[arg(long, conflicts_with_all = ["hwmcc", "json", "xml"])]
    pub json_lines: bool,

    /// Print the report as XML, in the way of JKind or of Kind 2 (Lustre models)
    #[arg(long, value_name = "STYLE", conflicts_with_all = ["hwmcc", "json"])]
    pub xml: Option<Xml>,

    /// Print sat or unsat and exit 10 or 20, as the hardware model checking competition wants
    #[arg(long)]
    pub hwmcc: bool,

    /// Write the traces of falsified properties (witness in the format of the model; - is standard output)
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,

    /// Write the proof of the proved properties: a witness circuit of an AIGER model, an SMT-LIB script where an
    /// SMT solver proved them
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,

    /// Write the traces of falsified properties as waveforms
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,

    /// Write the traces of falsified properties as waveforms in FST, which is smaller
    #[arg(long, value_name = "FILE")]
    pub fst: Option<PathBuf>,

    /// Take changes of inputs out of traces that their violations do not need
    #[arg(long)]
    pub smooth: bool,

    /// Leave values of traces open where the violation is there whatever they are: they are shown as x
    #[arg(long)]
    pub dont_care: bool,

    /// How words are written in traces, for people and in JSON [default: dec, beyond 64 bits hex]
    #[arg(long, value_name = "HOW", conflicts_with_all = ["hwmcc", "xml"])]
    pub radix: Option<Radix>,

    /// Exit with 40 where all is proved and something is doubtful all the same: a file without properties, a
    /// vacuous proof, with
    /// --core a proof that needs next to nothing
    #[arg(long, conflicts_with = "hwmcc")]
    pub strict: bool,

    /// Show in traces also signals that the file has no name for
    #[arg(long, conflicts_with_all = ["hwmcc", "json", "xml"])]
    pub all_signals: bool,

    /// Write the report as one HTML page: verdicts, traces as waveforms, proofs, the source, the run
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write the report as JUnit's XML, a test for each property, for CI servers
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write the report in SARIF, a result for each property, for code hosts and editors
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,

    /// Print what does not hold also as annotations for GitHub Actions
    #[arg(long, conflicts_with_all = ["hwmcc", "json", "json_lines", "xml"])]
    pub github: bool,

    /// Write, ten times a second, the memory used and how far each engine is (CSV)
    #[arg(long, value_name = "FILE")]
    pub statistics: Option<PathBuf>,

    /// Record every dialogue with an SMT solver in this directory
    #[arg(long, value_name = "DIR")]
    pub smt_log: Option<PathBuf>,

    /// Let another SMT solver try where one gives no answer in this time, twice as long in the next round
    /// [default: 4]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub smt_patience: Option<Duration>,

    /// Say more: traces, proofs, what each engine did
    #[arg(short, long)]
    pub verbose: bool,
}

/// Where predicates come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PredicateSource {
    Given,
    Auto,
}
