//! What runs side by side: a list of lanes, as data.
//!
//! A lane is an engine with its own settings, the transformations that it works behind, and its seed. What is
//! usual for a kind of model is a table ([`USUAL`]).

use std::time::Duration;

use buttress_engine::{Engine, Run, RunWords, Settings};
use buttress_format::{Diagnostic, Position};
use buttress_indexed::Predicates;
use buttress_solve::smt::{Config, Theory, directories, find};
use buttress_system::Clause;
use buttress_system::words::{Fault, WordLemma};
use buttress_term::Terms;

use crate::judge::is_finite;
use crate::problem::{ClaimId, Original, Problem};
use crate::{Refused, Why};

/// What runs.
#[derive(Clone)]
pub struct Plan {
    pub lanes: Vec<Lane>,
    /// The SMT solvers of engines and of the judge.
    pub smt: Config,
    /// What may hold in every reachable state: what is inductive of it helps all lanes.
    pub lemmas: Lemmas,
    pub follow: Follow,
    /// Whether proofs may rest on distinct states, for which there is neither a witness circuit nor a core.
    pub distinct: bool,
    /// Whether to say which elements of the model each proof needs.
    pub cores: bool,
}

/// An engine at work.
#[derive(Clone)]
pub struct Lane {
    pub engine: &'static Engine,
    pub settings: Settings,
    pub through: Through,
    pub seed: u64,
    /// Of so many runs of the same engine that tell each other what they find, which.
    pub thread: usize,
    pub threads: usize,
    /// How long it leaves the others alone: what they decide at once shall cost no more.
    pub delay: Duration,
    /// It may take one part in so many of the time while others run.
    pub share: Option<u32>,
}

/// Which transformations an engine works behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Through {
    /// The system as it is.
    Nothing,
    /// Words become bits, where they are not; constants are folded, what no property reads is left out.
    Bits,
    /// The same, and equal signals are one.
    MergedBits,
    /// Equal states of words are one.
    EqualStates,
}

impl Through {
    pub fn is_bits(self) -> bool {
        matches!(self, Through::Bits | Through::MergedBits)
    }
}

/// Lemmas that somebody states, in the language of what engines work on.
#[derive(Clone)]
pub enum Lemmas {
    None,
    Clauses(Vec<Clause>),
    Terms(Vec<WordLemma>),
}

/// What is told beside verdicts; nothing is collected that nobody wants.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Follow {
    /// Where the step cases of k-induction fail.
    pub step_failures: bool,
    /// The way of the inductive engines.
    pub stories: bool,
    /// Clauses of proofs, and what engines had found where they did not come to a verdict.
    pub clauses: bool,
}

/// What engines are there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A model in bits, or in words that bits can hold.
    Bits,
    /// Integers, reals and large arrays.
    Theories,
    /// Maps, for all places.
    Maps,
}

impl Kind {
    pub fn of(problem: &Problem) -> Kind {
        match problem.original() {
            Original::Bits(_) => Kind::Bits,
            Original::Words(_) if problem.in_bits().is_ok() => Kind::Bits,
            Original::Words(_) => Kind::Theories,
            Original::Maps(_) => Kind::Maps,
        }
    }

    /// How messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bits => "a model that fits into bits",
            Kind::Theories => "a model with integers, reals or large arrays",
            Kind::Maps => "a model with maps",
        }
    }

    pub fn runs(self, engine: &Engine) -> bool {
        match self {
            Kind::Bits => engine.bits.is_some(),
            Kind::Theories => engine.words.is_some(),
            Kind::Maps => engine.maps.is_some(),
        }
    }
}

/// What runs, side by side, where nothing else is asked for. On theories k-induction has the base cases of BMC in
/// it, and every engine more costs the others time. On maps one engine that proves is chosen by the model.
pub const USUAL: [(Kind, &[&str]); 3] = [
    (Kind::Bits, &["bmc", "kind", "ic3"]),
    (Kind::Theories, &["kind", "ic3"]),
    (Kind::Maps, &["indexed", "directed", "backward", "bmc"]),
];

/// How long an engine that only helps others leaves them alone.
const HEAD_START: Duration = Duration::from_millis(300);

/// BMC on maps may take one part in so many of the time while the other engine runs: most models are safe, and
/// proofs are what a reader waits for.
const BMC_ON_MAPS: u32 = 8;

/// What a user chose; where nothing is chosen, the usual.
#[derive(Clone)]
pub struct Choice {
    pub engines: Vec<&'static Engine>,
    pub settings: Settings,
    pub seed: u64,
    /// Runs of each engine whose runs help each other.
    pub jobs: usize,
    pub follow: Follow,
    pub smt: Config,
    pub lemmas: Lemmas,
    pub distinct: bool,
    pub cores: bool,
    /// Whether integers stay integers, even where they have bounds and bits could hold them.
    pub in_words: bool,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            engines: Vec::new(),
            settings: Settings::default(),
            seed: 0,
            jobs: 1,
            follow: Follow::default(),
            smt: Config::new(find(&directories())),
            lemmas: Lemmas::None,
            distinct: true,
            cores: false,
            in_words: false,
        }
    }
}

impl Choice {
    /// Lanes for this problem; or else what is missing, or does not go together.
    pub fn plan(&self, problem: &Problem, asked: &[ClaimId]) -> Result<Plan, Refused> {
        let kind = self.kind(problem);
        let chosen = self.engines_for(problem, kind)?;
        solvers_suffice(problem, kind, &self.smt)?;
        let several = chosen.len() > 1;
        let mut lanes = Vec::new();
        for engine in chosen {
            let threads = if engine.several { self.jobs } else { 1 };
            let through = self.through(engine, kind, asked);
            for thread in 0..threads {
                lanes.push(Lane {
                    engine,
                    settings: self.settings,
                    through,
                    seed: self.seed.wrapping_add(thread as u64),
                    thread,
                    threads,
                    delay: if several && only_helps(engine) { HEAD_START } else { Duration::ZERO },
                    share: (several && kind == Kind::Maps && engine.name == "bmc").then_some(BMC_ON_MAPS),
                });
            }
        }
        let (smt, lemmas, follow) = (self.smt.clone(), self.lemmas.clone(), self.follow);
        Ok(Plan { lanes, smt, lemmas, follow, distinct: self.distinct, cores: self.cores })
    }

    fn kind(&self, problem: &Problem) -> Kind {
        match problem.original() {
            Original::Words(system) if self.in_words && self.keeps_integers(&system.terms) => Kind::Theories,
            _ => Kind::of(problem),
        }
    }

    /// Whether there are integers, and a solver for them.
    fn keeps_integers(&self, terms: &Terms) -> bool {
        !is_finite(terms) && !self.smt.fit(&Theory::of(terms)).is_empty()
    }

    /// The engines that are to run on a problem; an error names one that cannot.
    pub fn engines(&self, problem: &Problem) -> Result<Vec<&'static Engine>, Refused> {
        self.engines_for(problem, self.kind(problem))
    }

    fn engines_for(&self, problem: &Problem, kind: Kind) -> Result<Vec<&'static Engine>, Refused> {
        if let Some(unable) = self.engines.iter().find(|engine| !kind.runs(engine)) {
            let able: Vec<&str> =
                buttress_engine::ENGINES.iter().filter(|e| kind.runs(e)).map(|e| e.name).collect();
            let (name, kind, able) = (unable.name, kind.name(), able.join(", "));
            let message =
                format!("{}: error: --engine {name} does not run on {kind}; these do: {able}", problem.path);
            return Err(Refused { why: Why::Usage, message });
        }
        if !self.engines.is_empty() {
            return Ok(self.engines.clone());
        }
        let (_, usual) = USUAL.iter().find(|(k, _)| *k == kind).expect("every kind has a row");
        let engines = usual.iter().filter_map(|name| Engine::by_name(name));
        Ok(engines.filter(|engine| kind != Kind::Maps || self.fits_maps(problem, engine)).collect())
    }

    /// Of the engines that prove on maps one: the strongest invariant where predicates are given; else, of
    /// processes, backward reachability; else a search with predicates that it finds.
    fn fits_maps(&self, problem: &Problem, engine: &Engine) -> bool {
        let Original::Maps(model) = problem.original() else { return true };
        let given = !model.predicates.is_empty() && self.settings.maps.predicates == Predicates::Given;
        let proves = match (given, &model.processes) {
            (true, _) => "indexed",
            (false, Some(_)) => "backward",
            (false, None) => "directed",
        };
        engine.name == proves || engine.name == "bmc"
    }

    /// What an engine works on. Where people follow it, or lemmas go in or out, the signals are those of the
    /// model; and clauses that are told to k-induction must hold without the facts of merging.
    fn through(&self, engine: &Engine, kind: Kind, asked: &[ClaimId]) -> Through {
        match kind {
            Kind::Bits => {
                let inductive = matches!(engine.bits, Some(Run::Inductive(_)));
                let beside_induction = self.engines.iter().any(|e| e.name == "kind");
                let hybrid = engine.several && beside_induction && asked.len() == 1;
                let plain = self.follow.stories
                    || self.follow.clauses
                    || !matches!(self.lemmas, Lemmas::None)
                    || hybrid;
                if inductive && !plain { Through::MergedBits } else { Through::Bits }
            }
            // What merging leaves out nobody reads in the first step; invariants may speak of it there.
            Kind::Theories if matches!(engine.words, Some(RunWords::Conjectures(_))) => Through::Nothing,
            Kind::Theories => Through::EqualStates,
            Kind::Maps => Through::Nothing,
        }
    }
}

fn only_helps(engine: &Engine) -> bool {
    matches!(engine.bits, Some(Run::Conjectures(_)))
}

/// Whether something can decide this model; or else what is missing.
fn solvers_suffice(problem: &Problem, kind: Kind, smt: &Config) -> Result<(), Refused> {
    let terms = match problem.original() {
        Original::Words(system) if kind == Kind::Theories => &system.terms,
        Original::Maps(model) => &model.system.terms,
        _ => return Ok(()),
    };
    let theory = theory_of(terms, kind);
    if !smt.fit(&theory).is_empty() {
        return Ok(());
    }
    Err(beyond_bits(problem, problem.in_bits().err().expect("no bits hold what needs a solver")))
}

/// A model that engines on bits cannot take, and what would help.
pub(crate) fn beyond_bits(problem: &Problem, fault: &Fault) -> Refused {
    let help = "bits cannot hold this: `check` decides it with an SMT solver, `scripts/get-solvers` brings some, and \
                `solvers` lists what is found";
    let error = Diagnostic::new(fault.message.clone()).with_help(help);
    let error = match fault.span {
        Some(span) => error.at(Position { line: span.line, column: span.column, offset: 0 }),
        None => error,
    };
    Refused { why: Why::Undecided, message: error.render(&problem.path) }
}

/// What solvers have to know.
pub(crate) fn theory_of(terms: &Terms, kind: Kind) -> Theory {
    match kind {
        Kind::Maps => Theory { enumerations_in_arrays: false, ..Theory::of(terms) },
        Kind::Bits | Kind::Theories => Theory::of(terms),
    }
}

impl Plan {
    /// Whether all lanes work on bits, so that these are what they share.
    pub(crate) fn is_in_bits(&self) -> bool {
        self.lanes.iter().all(|lane| lane.through.is_bits())
    }
}
