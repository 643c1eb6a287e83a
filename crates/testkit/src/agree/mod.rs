//! Commands agree: every engine and every command on the same small random models, against what a listing of
//! states says.
//!
//! Whatever is called proved must hold, with all that proofs of the model rest on; whatever is called violated
//! must be. No evidence is rejected, nothing panics, witnesses verify, converted models mean the same, a report is
//! JSON.
//!
//! * [`explore`]: what is true of a system of words, from its starts on;
//! * [`vmt`], [`cubicle`]: models of formats that have no generator elsewhere;
//! * [`commands`]: what is asked, and what would be wrong about the answers.

pub mod commands;
pub mod cubicle;
pub mod explore;
pub mod vmt;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use buttress_driver::{Original, Problem};
use buttress_format::aiger;
use buttress_solve::smt::Config;
use buttress_system::Rng;

use crate::reference::Explicit;
use crate::{lustre, random};

/// A kind of model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Aiger,
    Btor2,
    Lustre,
    Vmt,
    Cubicle,
}

/// Kinds by seed. Solvers are processes: models that need them cost a hundred times as much as the others.
const CYCLE: [Kind; 20] = {
    use Kind::*;
    [
        Aiger, Btor2, Lustre, Aiger, Btor2, Lustre, Aiger, Btor2, Vmt, Aiger, Btor2, Lustre, Aiger, Btor2,
        Lustre, Aiger, Btor2, Lustre, Aiger, Cubicle,
    ]
};

/// A model as a text, and what is true of it.
pub struct ModelText {
    pub kind: Kind,
    pub name: &'static str,
    pub text: String,
    /// Of a system of processes, what a listing of few processes says.
    processes: Option<cubicle::ProcessModel>,
}

/// The truth about a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    Holds,
    /// First in this step.
    Violated(usize),
    /// There is too much to list.
    Unknown,
}

/// How much is asked.
#[derive(Clone)]
pub struct Effort {
    pub smt: Config,
    /// Of one question to engines that need solvers; the others take as long as they take, within [`LIMIT`].
    pub patience: Duration,
    /// Everything of every model; or else what costs solvers only of some.
    pub whole: bool,
}

/// An engine on bits that has not decided so small a model by then never will.
pub const LIMIT: Duration = Duration::from_secs(30);

/// The counts over many models.
#[derive(Clone, Default, Debug)]
pub struct Summary {
    pub models: BTreeMap<Kind, usize>,
    /// Models that nothing here could decide: there is no solver.
    pub skipped: usize,
    pub holds: usize,
    pub violated: usize,
    pub unknown: usize,
    /// Models of which a condition of all proofs is violated.
    pub conditional: usize,
    /// How many answers were compared.
    pub proved: usize,
    pub falsified: usize,
}

pub fn model(seed: u64) -> ModelText {
    let kind = CYCLE[(seed % CYCLE.len() as u64) as usize];
    let processes = (kind == Kind::Cubicle).then(|| cubicle::ProcessModel::random(seed));
    let (name, text) = match (kind, &processes) {
        (Kind::Aiger, _) => ("model.aag", circuit(seed)),
        (Kind::Btor2, _) => ("model.btor2", random::btor2::model(seed)),
        (Kind::Lustre, _) => ("model.lus", lustre::small_model(&mut Rng::new(seed))),
        (Kind::Vmt, _) => ("model.vmt", vmt::model(seed)),
        (Kind::Cubicle, Some(model)) => ("model.cub", model.text()),
        (Kind::Cubicle, None) => unreachable!("it was made"),
    };
    ModelText { kind, name, text, processes }
}

fn circuit(seed: u64) -> String {
    let mut text = Vec::new();
    aiger::write_ascii(&random::system(seed), &[], &mut text).expect("memory takes everything");
    String::from_utf8(text).expect("it is text")
}

impl ModelText {
    pub fn read(&self) -> Result<Arc<Problem>, String> {
        buttress_driver::parse(Path::new(self.name), &self.text)
            .map(Arc::new)
            .map_err(|refused| refused.message)
    }

    /// The truth about each claim.
    fn truths(&self, problem: &Problem) -> Result<Vec<Truth>, String> {
        if let Some(model) = &self.processes {
            let first = (1..=3).filter_map(|size| model.violated(size)).min();
            return Ok(vec![first.map_or(Truth::Unknown, Truth::Violated)]);
        }
        let violated = violations(problem);
        if self.kind == Kind::Btor2
            && let (Some(listed), Some(system)) = (&violated, problem.words())
            && *listed != crate::word_reference::violations(system)
        {
            return Err("the two references differ".to_string());
        }
        let claims = problem.claims().iter();
        let truth = |claim: &buttress_driver::Claim| match (&violated, claim.property()) {
            (Some(violated), Some(property)) => {
                violated[property.index()].map_or(Truth::Holds, Truth::Violated)
            }
            _ => Truth::Unknown,
        };
        Ok(claims.map(truth).collect())
    }
}

/// The most bits of a circuit that is listed.
const BITS: usize = 14;

/// For each property of a problem the step of a shortest violation, where that can be listed.
pub(crate) fn violations(problem: &Problem) -> Option<Vec<Option<usize>>> {
    match problem.original() {
        Original::Bits(system) => {
            let few = system.num_latches() + system.num_inputs() <= BITS;
            few.then(|| Explicit::new(system).truth().violated)
        }
        Original::Words(system) => explore::violations(system),
        Original::Maps(_) => None,
    }
}

/// Examines the model of a seed; `Err` says what is wrong.
pub fn examine(seed: u64, effort: &Effort, summary: &mut Summary) -> Result<(), String> {
    let model = model(seed);
    let examined = catch_unwind(AssertUnwindSafe(|| {
        let problem = model.read()?;
        let truths = model.truths(&problem)?;
        commands::examine(seed, &problem, &truths, effort, summary)
    }));
    *summary.models.entry(model.kind).or_default() += 1;
    examined.unwrap_or_else(|_| Err("it panics".to_string()))
}

impl Summary {
    pub fn merge(&mut self, other: &Summary) {
        other.models.iter().for_each(|(kind, n)| *self.models.entry(*kind).or_default() += n);
        self.skipped += other.skipped;
        self.holds += other.holds;
        self.violated += other.violated;
        self.unknown += other.unknown;
        self.conditional += other.conditional;
        self.proved += other.proved;
        self.falsified += other.falsified;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<String> = self.models.iter().map(|(kind, n)| format!("{n} {kind:?}")).collect();
        let Summary { skipped, holds, violated, unknown, conditional, proved, falsified, .. } = self;
        writeln!(f, "{} ({skipped} skipped: no solver)", kinds.join(", "))?;
        writeln!(f, "claims: {holds} hold, {violated} are violated, {unknown} are not listed")?;
        write!(f, "answers: {proved} proofs, {falsified} violations; {conditional} models break a condition")
    }
}
