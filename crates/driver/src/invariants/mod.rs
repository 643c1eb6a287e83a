//! Discovery of k-inductive invariants of a model, without a property (`buttress_engine::discovery`). Every
//! reported invariant was checked on the system as the front end made it; where it holds only under the conditions
//! on which the model's proofs rest, the report says so.

mod bits;
mod bounds;
mod nodes;
mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use buttress_engine::discovery::{Options, Outcome, Selection};
use buttress_solve::smt::Config;
use buttress_solve::{Stop, Stopped};

use crate::Refused;
use crate::cores::{Means, open_condition};
use crate::plan::Choice;
use crate::problem::{Original, Problem};
use crate::supervise::within;

/// The options of invariant discovery.
#[derive(Clone)]
pub struct Search {
    pub options: Options,
    pub selection: Selection,
    pub seed: u64,
    pub smt: Config,
    /// A file of terms to compare, too.
    pub terms: Option<PathBuf>,
    /// Each called node of a Lustre model is looked at by itself.
    pub modular: bool,
    /// Prove each invariant again by itself.
    pub verify: bool,
    /// Say what each property needs.
    pub rank: bool,
}

/// How long what all proofs rest on may take to be decided.
const CONDITIONS: Duration = Duration::from_secs(20);

/// Who is told what is known so far.
type Publish<'a> = dyn Fn(&Discovered) + 'a;

/// Looks for invariants, and tells what is known from time to time.
pub fn discover(
    problem: &Arc<Problem>,
    search: &Search,
    stop: &Stop,
    publish: &Publish<'_>,
) -> Result<Discovered, Refused> {
    let condition = condition(problem, search, stop);
    let with = |discovered: &Discovered| Discovered { condition: condition.clone(), ..discovered.clone() };
    let publish = &|discovered: &Discovered| publish(&with(discovered));
    let discovered = match problem.original() {
        Original::Words(system) => words::discover(problem, system, search, stop, publish)?,
        Original::Bits(system) => bits::discover(system, search, stop, publish),
        Original::Maps(_) => {
            let why = "invariants of models with maps are found by `check`, from predicates";
            return Err(Refused::usage(format!("{}: error: {why}", problem.path)));
        }
    };
    Ok(with(&discovered))
}

/// Why invariants hold only up to some step, where something that all of them rest on is not proved.
fn condition(problem: &Arc<Problem>, search: &Search, stop: &Stop) -> Option<String> {
    let choice = Choice { smt: search.smt.clone(), seed: search.seed, ..Choice::default() };
    let means = Means { choice, patience: None };
    within(stop, Some(CONDITIONS), |own| open_condition(problem, &means, own))
}

/// An invariant that was accepted, with those before it.
#[derive(Clone)]
pub struct Invariant {
    pub k: usize,
    /// In the syntax of the source.
    pub text: String,
    /// Whether the text can stand in the main node of the source.
    pub plain: bool,
    pub smt: Option<String>,
}

/// The result of carrying a node's invariants over to the calls of the node.
#[derive(Clone, Default)]
pub struct Carried {
    pub node: String,
    pub invariants: usize,
    /// Calls for which all of them were accepted.
    pub calls: usize,
    /// Calls for which they were not.
    pub refused: usize,
    /// Why the node cannot be looked at by itself.
    pub unfit: Option<String>,
}

/// The invariants that the proof of a property needs.
#[derive(Clone)]
pub struct Use {
    pub property: String,
    /// The k and the invariants that its proof needs; `None` where it is not k-inductive with all of them.
    pub needs: Option<(u32, Vec<String>)>,
}

/// The result of invariant discovery.
#[derive(Clone, Default)]
pub struct Discovered {
    pub format: &'static str,
    pub invariants: Vec<Invariant>,
    /// Why they hold only up to some step.
    pub condition: Option<String>,
    /// Of each sort how many terms were compared.
    pub terms: Vec<(String, usize)>,
    pub outcome: Option<Outcome>,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
    /// The search did not come to rest in time: files that were asked for are not written.
    pub late: bool,
    /// Found, and not accepted: a fault of our own.
    pub rejected: Option<String>,
    pub trivial: usize,
    /// Accepted, but they read like others or like nothing.
    pub hidden: usize,
    /// Whether the constraints end all executions, so that invariants say little.
    pub vacuous: bool,
    /// How many were proved again by themselves, where that was wanted.
    pub verified: Option<usize>,
    /// The invariants that each property needs, where that was wanted.
    pub uses: Vec<Use>,
    /// The invariants in SMT-LIB.
    pub script: Option<String>,
    /// The model in VMT-LIB, the invariants among its properties.
    pub model: Option<String>,
    /// Nodes that were looked at by themselves, and how often their invariants were carried over to a call, or
    /// not.
    pub nodes: Vec<Carried>,
    /// Seconds of checking, and of everything.
    pub checking: f64,
    pub seconds: f64,
}
