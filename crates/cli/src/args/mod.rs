//! The flags, as `clap` reads them.

mod check;
mod read;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use buttress_engine::Engine;
use clap::{Args as Flags, Parser, Subcommand, ValueEnum};

use buttress_bench::BenchArgs;

use crate::passed_on::PassedOn;
use crate::stand_in::StandIn;
pub use check::{CheckArgs, PredicateSource};
use read::{engine, lease, seconds, stand_in_named};

const EXIT_CODES: &str = "Exit codes of check, in order of precedence: 2 bad usage, 3 bad input, 1 evidence \
rejected and nothing else decided the property, or an internal error, 10 some property falsified, 30 some property undecided, with --strict 40 all proved but something doubtful, 0 all proved. \
prove: the same. \
verify: 0 accepted, 1 rejected, 30 undecided.";

/// A safety model checker whose answers come with evidence.
#[derive(Parser)]
#[command(name = "buttress", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Decide the properties of a model
    Check(CheckArgs),
    /// Help a `check` of the same model that runs elsewhere, with lanes of its own: --board says where they meet
    Worker(CheckArgs),
    /// Decide many models, one process each: results as JSON lines, begun again where it was stopped, alone or
    /// with takers on any machines
    Batch(BatchArgs),
    /// List the SMT solvers that are found
    Solvers,
    /// List the plans that `check` chooses from, or those of a file
    Plans(PlansArgs),
    /// Prove properties by induction, from lemmas of your own
    Prove(ProveArgs),
    /// Say which elements of a model its proofs need: inductive validity cores
    Core(CoreArgs),
    /// Find branches of equations that are never taken, and why
    Dead(DeadArgs),
    /// Say why a model has no executions of some length
    Conflict(ConflictArgs),
    /// Find invariants, print those that were checked
    Invariants(InvariantsArgs),
    /// Check a witness or a certificate against its model
    Verify(VerifyArgs),
    /// Execute a model, at random or from a stimulus file
    Simulate(SimulateArgs),
    /// Read a model and say what is in it
    Info(InfoArgs),
    /// Write a model in another format
    Convert(ConvertArgs),
    /// Take the command line of another tool and print what it prints: suprove, avy, rIC3, aigbmc, btormc, pono,
    /// btorsim, jkind, kind2, hwmcc; a link to the program with such a name does the same
    #[command(disable_help_flag = true)]
    As(AsArgs),
    /// Print how SymbiYosys is told to use Buttress: lines for a .sby file, and for the shell
    Sby(SbyArgs),
    /// Run tools side by side on a suite of models
    Bench(BenchArgs),
    /// Show a chapter of the book, or the options of a command
    Help(HelpArgs),
    /// Write manual pages, one a command, into a directory
    Man(ManArgs),
    /// Print the script by which a shell completes commands and options
    Completions(CompletionsArgs),
}

/// Whose XML.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Xml {
    Jkind,
    Kind2,
}

/// How words are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Radix {
    Bin,
    Dec,
    Hex,
}

/// A model, and where its names come from.
#[derive(Flags)]
pub struct ModelArgs {
    /// The model: AIGER 1.9 (ASCII or binary), BTOR2, Lustre, VMT-LIB, MoXI or Cubicle; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Names for inputs and latches: a map written by Yosys (write_aiger -map or -ywmap)
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
}

/// How long a command may take, and how much memory.
#[derive(Flags, Clone, Copy)]
pub struct LimitArgs {
    /// Stop after this many seconds, everything included, with what is known then
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Stop before the process and its children use this much memory
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
}

/// Which rows of earlier batches do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Again {
    /// Some property stayed undecided
    Undecided,
    /// The model could not be read, or `check` failed
    Failed,
    All,
}

#[derive(Flags)]
pub struct BatchArgs {
    /// Models: a directory of them, a list with a path a line (# for comments), or model files
    #[arg(value_name = "DIR|LIST|FILE", required_unless_present = "take")]
    pub models: Vec<PathBuf>,

    /// Append a row for each job as soon as it ends (JSON lines), and run nothing again that has one
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,

    /// Run these again though they have a row; may be repeated
    #[arg(long, value_name = "WHICH", requires = "results")]
    pub again: Vec<Again>,

    /// Stop each job after this many seconds, with what is known then
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Stop each job before it uses this much memory
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,

    /// Jobs at a time; where there are several, each has one core unless --cores says otherwise [default: all
    /// cores; with --board none, and takers do the work]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Make a job of each property of each model
    #[arg(long, conflicts_with = "property")]
    pub each_property: bool,

    /// Put the jobs into a queue on this Redis server, for takers, and collect what they send: redis://HOST:PORT,
    /// or rediss:// for TLS
    #[arg(long, value_name = "URL")]
    pub board: Option<String>,

    /// Take jobs that a batch elsewhere has put into a queue, until there are none
    #[arg(long, requires = "board", conflicts_with_all = ["models", "results", "timeout", "memory", "each_property", "json"])]
    pub take: bool,

    /// The name of the queue, where a server has several [default: batch]
    #[arg(long, value_name = "NAME", requires = "board")]
    pub queue: Option<String>,

    /// Send the contents of the models with the jobs, for takers that do not share the file system
    #[arg(long, requires = "board", conflicts_with = "take")]
    pub send_models: bool,

    /// Give a job to another taker where one was silent for this many seconds [default: 15]
    #[arg(long, value_name = "SECONDS", value_parser = lease, requires = "board", conflicts_with = "take")]
    pub lease: Option<Duration>,

    /// End a taker where nobody has filled the queue, or the server was away, for this many seconds [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "take")]
    pub wait: Option<Duration>,

    /// Print one JSON object with all rows at the end
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub check: PassedOn,
}

#[derive(Flags)]
pub struct PlansArgs {
    /// A file of plans; without it, those that are built in
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Print the file that is built in, to begin one of your own with
    #[arg(long, conflicts_with = "file")]
    pub toml: bool,
}

#[derive(Flags)]
pub struct ProveArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Lemmas, each proved relative to those before it, { … } together: clauses over latches (AIGER), Lustre
    /// expressions, SMT-LIB terms (VMT-LIB, BTOR2). Without it: is the property inductive by itself?
    #[arg(long, value_name = "FILE")]
    pub lemmas: Option<PathBuf>,

    /// Prove this property only, by name or position (b0, o0, 0); may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// How fine the elements of a Lustre model are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Granularity {
    /// Equations, asserts, clauses of contracts
    Equations,
    /// Each variable by itself, and each argument of a call, as if calls were replaced by equations; asserts are
    /// always there
    Flattened,
    /// Each operator of each equation; asserts are always there
    Subexpressions,
}

/// How a core is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Method {
    /// From the unsatisfiable cores of the proof
    Uc,
    /// By dropping one element after the other, each decided anew
    Bf,
    /// The second, begun with the first: a minimal core
    Ucbf,
}

#[derive(Flags)]
pub struct CoreArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// How the core is found
    #[arg(long, value_enum, default_value = "uc")]
    pub method: Method,

    /// How fine the elements of a Lustre model are [default: equations]
    #[arg(long, value_enum)]
    pub granularity: Option<Granularity>,

    /// Say which elements are in every core
    #[arg(long)]
    pub must: bool,

    /// Show the source with a mark at each line: ! in every core (with --must), + needed, - not needed
    #[arg(long)]
    pub listing: bool,

    /// Write the model without what is not needed: equations of Lustre become inputs; of the last property, where
    /// there are several
    #[arg(long, value_name = "FILE")]
    pub reduced: Option<PathBuf>,

    /// Write which property needs which element (.csv or .html)
    #[arg(long, value_name = "FILE")]
    pub matrix: Option<PathBuf>,

    /// Say which elements no property needs
    #[arg(long)]
    pub completeness: bool,

    /// Say which parts of a property do not matter
    #[arg(long)]
    pub vacuity: bool,

    /// Compare the cores of different engines and solvers
    #[arg(long)]
    pub diversity: bool,

    /// Find all minimal cores and all minimal cut sets, or this many cores
    #[arg(long, value_name = "MOST", num_args = 0..=1)]
    pub all: Option<Option<usize>>,

    /// Take the core of this formula of linear temporal logic over the names of the model, too; may be repeated
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,

    /// Take the cores of the formulas of this file, too, one a line
    #[arg(long, value_name = "FILE")]
    pub ltl_file: Vec<PathBuf>,

    /// Look at this property only, by name or position; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,

    /// Engine to use; may be repeated
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    pub engine: Vec<&'static Engine>,

    /// Use this SMT solver only
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,

    /// Give up on one question of whether fewer elements suffice after so many seconds [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub patience: Option<Duration>,

    /// Seed of whatever is random, in engines and solvers [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Record every dialogue with an SMT solver in this directory
    #[arg(long, value_name = "DIR")]
    pub smt_log: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which terms are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Compare {
    /// Booleans and words of one bit: implications and equalities
    Bool,
    /// Integers, reals and words: <= and equalities
    Int,
    /// Enumerations: equalities
    Enum,
}

#[derive(Flags)]
pub struct InvariantsArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Compare terms of this kind; may be repeated [default: all]
    #[arg(long, value_name = "KIND")]
    pub compare: Vec<Compare>,

    /// The largest k of what is k-inductive; plain induction is 1 [default: 6]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub max_k: Option<u64>,

    /// Terms of one sort that are compared, at most; the simplest are taken [default: 600]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub max_terms: Option<u64>,

    /// Compare these terms, too: Boolean or numeric expressions of the main node, a line each (Lustre), or SMT-LIB
    /// terms (VMT-LIB, MoXI, BTOR2)
    #[arg(long, value_name = "FILE")]
    pub terms: Option<PathBuf>,

    /// Look at each called node of a Lustre model by itself, once, and carry what is found over to its calls
    #[arg(long)]
    pub modular: bool,

    /// Compare conjunctions, too
    #[arg(long)]
    pub ands: bool,

    /// Leave negations of Boolean variables out
    #[arg(long)]
    pub no_negations: bool,

    /// Leave thresholds of integer variables out: x <= c and x >= c as Boolean terms
    #[arg(long)]
    pub no_thresholds: bool,

    /// Compare words as signed numbers, too
    #[arg(long)]
    pub signed: bool,

    /// Keep implications that follow from others
    #[arg(long)]
    pub redundant_edges: bool,

    /// Leave out what follows from a single step
    #[arg(long)]
    pub no_trivial: bool,

    /// Look for what is k-inductive for the last k only, as the paper does, not for each k in turn
    #[arg(long)]
    pub at_once: bool,

    /// Write a copy of a Lustre model in which the invariants of its main node are one assertion
    #[arg(long, value_name = "FILE")]
    pub annotate: Option<PathBuf>,

    /// Write the invariants as an SMT-LIB script (not for AIGER)
    #[arg(long, value_name = "FILE")]
    pub smtlib: Option<PathBuf>,

    /// Write the model as VMT-LIB with the invariants as properties after its own (not for AIGER)
    #[arg(long, value_name = "FILE")]
    pub vmt: Option<PathBuf>,

    /// Prove each invariant again by itself, as far as it can do without the others (not for AIGER)
    #[arg(long)]
    pub verify: bool,

    /// Say how many of the invariants each property needs (not for AIGER)
    #[arg(long)]
    pub rank: bool,

    /// Seed of random executions
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Print as JSON
    #[arg(long)]
    pub json: bool,

    /// Say more: terms, questions, times
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Flags)]
pub struct DeadArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Print the inputs that lead to each branch that is reached
    #[arg(long)]
    pub vectors: bool,

    /// Print the report as JSON, with the inputs that lead to each branch
    #[arg(long, conflicts_with = "vectors")]
    pub json: bool,

    /// Give up on a branch after so many seconds [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub patience: Option<Duration>,
}

#[derive(Flags)]
pub struct ConflictArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// The inputs of one simulation: only executions with these are asked for. As `simulate` takes it: JSON, a
    /// witness of BTOR2, or a stimulus of aigsim
    #[arg(long, value_name = "FILE")]
    pub stimulus: Option<PathBuf>,

    /// States of the longest execution to ask for
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Flags)]
pub struct VerifyArgs {
    /// The model: AIGER 1.9 (ASCII or binary), BTOR2, Lustre, VMT-LIB or MoXI
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// A witness (trace) or a certificate (witness circuit); the content decides
    #[arg(value_name = "EVIDENCE")]
    pub evidence: PathBuf,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Flags)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Inputs to play, a line a step of 0, 1 or x for each input, of Lustre a trace in JSON; without it they are
    /// random
    #[arg(long, value_name = "FILE")]
    pub stimulus: Option<PathBuf>,

    /// How many steps to play at random
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,

    /// Of a model with maps: how many places to play with, and what its parameters are [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub size: Option<u64>,

    /// Seed of random inputs and of what is uninitialised
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Write the execution as waveforms
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,

    /// Write the execution as waveforms in FST, which is smaller
    #[arg(long, value_name = "FILE")]
    pub fst: Option<PathBuf>,

    /// Print the execution as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Flags)]
pub struct AsArgs {
    /// The other tool
    #[arg(value_name = "NAME", value_parser = stand_in_named)]
    pub name: &'static StandIn,

    /// Its arguments
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

#[derive(Flags)]
pub struct HelpArgs {
    /// A command, or a chapter; without it, all of them are listed
    #[arg(value_name = "TOPIC")]
    pub topic: Option<String>,
}

#[derive(Flags)]
pub struct ManArgs {
    /// Where to write them
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

#[derive(Flags)]
pub struct CompletionsArgs {
    /// bash, zsh, fish, elvish or powershell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}

/// What SymbiYosys is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SbyMode {
    /// Prove assertions
    Prove,
    /// Decide what must happen
    Live,
    /// Look for violations up to a depth
    Bmc,
    /// Reach cover statements
    Cover,
}

#[derive(Flags)]
pub struct SbyArgs {
    /// For this mode only [default: all]
    #[arg(long, value_name = "MODE")]
    pub mode: Option<SbyMode>,
}

#[derive(Flags)]
pub struct InfoArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Flags)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where to write it; the name decides the format: .aag, .aig, .btor2 or .vmt
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}
