//! What runs side by side: a list of lanes, as data.
//!
//! A lane is an engine with its own settings, the transformations that it works behind, and its seed. The usual
//! lanes for a kind of model, its size and a number of cores stand in a file ([`stored`]).

mod stored;

use std::time::Duration;

use buttress_engine::{Engine, Generalize, Order, Run, RunWords, Settings};
use buttress_format::{Diagnostic, Position};
use buttress_query::Preimages;
use buttress_solve::smt::{Config, Theory, directories, find};
use buttress_system::Clause;
use buttress_system::words::{Fault, WordLemma};
use buttress_term::Terms;

use crate::judge::is_finite;
use crate::lanes::fits_into_bits;
use crate::polish::Polish;
use crate::problem::{Claim, ClaimId, LiveOriginal, Original, Problem};
use crate::{Refused, Why};
use stored::Demand;
pub use stored::{BUILT_IN, Class, Plans, Signals, StoredLane, StoredPlan};

/// What runs.
#[derive(Clone)]
pub struct Plan {
    pub lanes: Vec<Lane>,
    /// At most so many lanes work at a time.
    pub cores: usize,
    /// The SMT solvers of engines and of the judge.
    pub smt: Config,
    /// What may hold in every reachable state: what is inductive of it helps all lanes.
    pub lemmas: Lemmas,
    pub follow: Follow,
    /// Whether proofs may rest on distinct states, for which there is neither a witness circuit nor a core.
    pub distinct: bool,
    /// Whether to say which elements of the model each proof needs.
    pub explain_cores: bool,
    /// How long engines that look at one property at a time may take for each.
    pub property_limit: Option<Duration>,
    /// MB of the whole run; where they become scarce, it goes on with fewer lanes.
    pub memory: Option<u64>,
    /// Whether lanes work one at a time, by turns that no clock ends, and nothing is said about times.
    pub deterministic: bool,
    /// What is done to traces before anybody sees them.
    pub polish: Polish,
}

/// An engine at work.
#[derive(Clone)]
pub struct Lane {
    pub engine: &'static Engine,
    pub settings: Settings,
    pub through: Through,
    pub aim: Aim,
    pub seed: u64,
    /// Of so many runs of the same engine that tell each other what they find, which.
    pub thread: usize,
    pub threads: usize,
    /// How long it leaves the others alone: what they decide at once shall cost no more.
    pub delay: Duration,
    /// It may take one part in so many of the time while others run.
    pub share: Option<u32>,
    /// Its part of the time, where there are fewer cores than lanes.
    pub weight: u32,
}

/// What a lane decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// Whether bad states are reached.
    Safety,
    /// Justice properties, by the bits of the model with a monitor beside it.
    Liveness,
    /// Formulas of computation tree logic.
    Branching,
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

impl Lemmas {
    /// Both; where they are of different languages, those that were there first.
    pub fn and(self, more: Lemmas) -> Lemmas {
        match (self, more) {
            (Lemmas::None, more) => more,
            (Lemmas::Clauses(mut all), Lemmas::Clauses(more)) => {
                all.extend(more);
                Lemmas::Clauses(all)
            }
            (Lemmas::Terms(mut all), Lemmas::Terms(more)) => {
                all.extend(more);
                Lemmas::Terms(all)
            }
            (own, _) => own,
        }
    }
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

/// What a user chose; where nothing is chosen, the usual.
#[derive(Clone)]
pub struct Choice {
    /// None for those of a plan.
    pub engines: Vec<&'static Engine>,
    /// A plan in the place of the usual one; one for justice properties; and one for computation trees.
    pub stored: Option<StoredPlan>,
    pub stored_justice: Option<StoredPlan>,
    pub stored_trees: Option<StoredPlan>,
    pub cores: usize,
    pub settings: Settings,
    /// Settings that no plan changes.
    pub insists: Insists,
    pub seed: u64,
    /// Runs of each engine whose runs help each other.
    pub jobs: usize,
    pub follow: Follow,
    pub smt: Config,
    pub lemmas: Lemmas,
    pub distinct: bool,
    pub explain_cores: bool,
    pub polish: Polish,
    pub property_limit: Option<Duration>,
    /// MB of the whole run; where they become scarce, it goes on with fewer lanes.
    pub memory: Option<u64>,
    /// Whether every run says the same.
    pub deterministic: bool,
    /// Whether integers stay integers, even where they have bounds and bits could hold them.
    pub in_words: bool,
}

/// Settings that a user asked for by name.
#[derive(Clone, Copy, Default, Debug)]
pub struct Insists {
    pub generalize: Option<Generalize>,
    pub preimages: Option<Preimages>,
    pub order: Option<Order>,
    pub stride: Option<usize>,
}

impl Insists {
    fn adjust(&self, settings: &mut Settings) {
        settings.ic3.generalize = self.generalize.unwrap_or(settings.ic3.generalize);
        settings.ic3.preimages = self.preimages.unwrap_or(settings.ic3.preimages);
        settings.diagrams.order = self.order.unwrap_or(settings.diagrams.order);
        settings.bmc.stride = self.stride.unwrap_or(settings.bmc.stride);
    }
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            engines: Vec::new(),
            stored: None,
            stored_justice: None,
            stored_trees: None,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            settings: Settings::default(),
            insists: Insists::default(),
            seed: 0,
            jobs: 1,
            follow: Follow::default(),
            smt: Config::new(find(&directories())),
            lemmas: Lemmas::None,
            distinct: true,
            explain_cores: false,
            polish: Polish::default(),
            property_limit: None,
            memory: None,
            deterministic: false,
            in_words: false,
        }
    }
}

impl Choice {
    /// The choice of the worker with this number: another seed than all others and, where no engine is named,
    /// other lanes.
    pub fn differ(&mut self, problem: &Problem, number: u64) {
        if self.engines.is_empty() && self.stored.is_none() {
            let plans = Plans::built_in();
            self.stored = plans.of_worker(self.class(problem), number).cloned();
        }
        // Far from the seeds of the threads of others.
        self.seed = self.seed.wrapping_add(number.wrapping_mul(1_000_003));
        self.smt.seed = self.seed;
    }

    /// Takes the plan for this problem from a file of plans; an error says that there is none.
    pub fn take(&mut self, plans: &Plans, problem: &Problem) -> Result<(), String> {
        let class = self.class(problem);
        let properties = problem.claims().len();
        let of = |class| plans.fitting(self.demand(problem, class, properties)).cloned();
        let none = || format!("there is no plan for {} on {} cores or fewer", class.name(), self.cores);
        let stored = of(class).ok_or_else(none)?;
        let (justice, trees) = (of(Class::Justice), of(Class::Trees));
        (self.stored, self.stored_justice, self.stored_trees) = (Some(stored), justice, trees);
        Ok(())
    }

    fn demand(&self, problem: &Problem, class: Class, properties: usize) -> Demand {
        Demand { class, size: size(problem, class), properties: properties.max(1), cores: self.cores }
    }

    /// Lanes for this problem; or else what is missing, or does not go together.
    pub fn plan(&self, problem: &Problem, asked: &[ClaimId]) -> Result<Plan, Refused> {
        let kind = self.kind(problem);
        let mut lanes = Vec::new();
        for (aim, chosen) in self.lanes_for(problem, kind, asked)? {
            if aim == Aim::Safety {
                solvers_suffice(problem, kind, &self.smt)?;
            }
            let kind = if aim == Aim::Liveness { live_kind(problem, kind) } else { kind };
            self.add(&chosen, aim, kind, asked, &mut lanes);
        }
        let (smt, lemmas, follow) = (self.smt.clone(), self.lemmas.clone(), self.follow);
        let (distinct, explain_cores, property_limit) =
            (self.distinct, self.explain_cores, self.property_limit);
        let (cores, deterministic) = (self.cores, self.deterministic);
        Ok(Plan {
            lanes,
            cores,
            smt,
            lemmas,
            follow,
            distinct,
            explain_cores,
            property_limit,
            memory: self.memory,
            deterministic,
            polish: self.polish,
        })
    }

    fn add(&self, chosen: &[StoredLane], aim: Aim, kind: Kind, asked: &[ClaimId], lanes: &mut Vec<Lane>) {
        for lane in chosen {
            let threads = if lane.engine.several { self.jobs } else { 1 };
            let mut settings = self.settings;
            lane.own().adjust(&mut settings);
            self.insists.adjust(&mut settings);
            for thread in 0..threads {
                lanes.push(Lane {
                    engine: lane.engine,
                    settings,
                    through: self.through(lane, kind, asked),
                    aim,
                    seed: self.seed.wrapping_add(lane.seed).wrapping_add(thread as u64),
                    thread,
                    threads,
                    delay: lane.delay(),
                    share: lane.share.filter(|_| chosen.len() > 1),
                    weight: lane.weight,
                });
            }
        }
    }

    fn class(&self, problem: &Problem) -> Class {
        Class::of(problem, self.kind(problem), &self.settings)
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
    pub fn engines(&self, problem: &Problem, asked: &[ClaimId]) -> Result<Vec<&'static Engine>, Refused> {
        let lanes = self.lanes_for(problem, self.kind(problem), asked)?;
        Ok(lanes.iter().flat_map(|(_, lanes)| lanes).map(|lane| lane.engine).collect())
    }

    /// The lanes for what is asked: for safety, and for liveness where the model has no maps.
    fn lanes_for(
        &self,
        problem: &Problem,
        kind: Kind,
        asked: &[ClaimId],
    ) -> Result<Vec<(Aim, Vec<StoredLane>)>, Refused> {
        let any = |is: fn(&Claim) -> bool| asked.iter().any(|&c| is(problem.claim(c)));
        let (safety, liveness) = (any(|c| c.property().is_some()), any(|c| c.justice().is_some()));
        let mut aims = Vec::new();
        let branching = any(|c| c.tree().is_some());
        let trees = any(|c| c.tree().is_some() && c.justice().is_none());
        let beyond = liveness && live_kind(problem, kind) == Kind::Theories;
        if safety || !(liveness || branching) || kind != Kind::Bits {
            aims.push(Aim::Safety);
        }
        if liveness && kind != Kind::Maps {
            aims.push(Aim::Liveness);
        }
        if branching {
            aims.push(Aim::Branching);
        }
        let able = |aim: &Aim, engine: &Engine| match aim {
            Aim::Safety => kind.runs(engine),
            Aim::Liveness if engine.counts_visits() => true,
            // Beyond bits states need not come back, so that only lassos decide anything behind liveness to
            // safety.
            Aim::Liveness if beyond => engine.name == "bmc",
            Aim::Liveness => engine.live.is_some() || engine.decides_bits(),
            Aim::Branching => engine.trees.is_some(),
        };
        if let Some(unable) = self.engines.iter().find(|e| !aims.iter().any(|aim| able(aim, e))) {
            let engines = buttress_engine::ENGINES.iter();
            let able: Vec<&str> =
                engines.filter(|e| aims.iter().any(|aim| able(aim, e))).map(|e| e.name).collect();
            let (name, able) = (unable.name, able.join(", "));
            let kind = match aims[..] {
                [Aim::Liveness] => "justice properties",
                [Aim::Branching] => "formulas about computation trees",
                _ if unable.trees.is_some() => "anything but formulas about computation trees",
                _ if unable.live.is_some() => "properties that are no justice properties",
                _ => kind.name(),
            };
            let message =
                format!("{}: error: --engine {name} does not run on {kind}; these do: {able}", problem.path);
            return Err(Refused { why: Why::Usage, message });
        }
        let plans = Plans::built_in();
        let mut lanes = Vec::new();
        for aim in aims {
            let class = match aim {
                Aim::Safety => self.class(problem),
                Aim::Liveness => Class::Justice,
                Aim::Branching if trees => Class::Trees,
                Aim::Branching => Class::Executions,
            };
            let named: Vec<&Engine> = self.engines.iter().copied().filter(|e| able(&aim, e)).collect();
            let chosen = match (self.engines.is_empty(), &self.stored) {
                (false, _) => named.into_iter().map(|engine| self.named(engine, &plans, class)).collect(),
                (true, Some(stored)) if aim == Aim::Safety => stored_lanes(stored, class, problem)?,
                (true, _) => {
                    let own = match aim {
                        Aim::Safety => None,
                        Aim::Liveness => self.stored_justice.as_ref(),
                        Aim::Branching => self.stored_trees.as_ref(),
                    };
                    let usual = || plans.fitting(self.demand(problem, class, asked.len()));
                    let usual = own.or_else(usual).expect("there is one for every class");
                    // Where a witness circuit is wanted, nobody is asked who has none, but for who was named.
                    let fits = |engine: &Engine| {
                        able(&aim, engine) && (self.distinct || own.is_some() || !engine.divides_states())
                    };
                    usual.lanes.iter().filter(|lane| fits(lane.engine)).cloned().collect()
                }
            };
            lanes.push((aim, chosen));
        }
        Ok(lanes)
    }

    /// An engine that was named. Beside others it leaves them the time that it leaves them in the plans for such
    /// models.
    fn named(&self, engine: &'static Engine, plans: &Plans, class: Class) -> StoredLane {
        let plain = StoredLane::of(engine);
        let of_class = plans.plans.iter().filter(|plan| plan.model == class);
        let usual = of_class.flat_map(|plan| &plan.lanes).find(|lane| lane.engine.name == engine.name);
        match usual {
            Some(usual) if self.engines.len() > 1 => {
                StoredLane { share: usual.share, after: usual.after, ..plain }
            }
            _ => plain,
        }
    }

    /// What an engine works on. Where people follow it, or lemmas go in or out, the signals are those of the
    /// model; and clauses that are told to k-induction must hold without the facts of merging.
    fn through(&self, lane: &StoredLane, kind: Kind, asked: &[ClaimId]) -> Through {
        let engine = lane.engine;
        match kind {
            Kind::Bits => {
                let inductive = matches!(engine.bits, Some(Run::Inductive(_))) || engine.live.is_some();
                let beside_induction = self.engines.iter().any(|e| e.name == "kind");
                let hybrid = engine.several && beside_induction && asked.len() == 1;
                let plain = self.follow.stories
                    || self.follow.clauses
                    || !matches!(self.lemmas, Lemmas::None)
                    || hybrid
                    || lane.through == Some(Signals::Plain);
                if inductive && !plain { Through::MergedBits } else { Through::Bits }
            }
            // What merging leaves out nobody reads in the first step; invariants may speak of it there.
            Kind::Theories if matches!(engine.words, Some(RunWords::Conjectures(_))) => Through::Nothing,
            Kind::Theories => Through::EqualStates,
            Kind::Maps => Through::Nothing,
        }
    }
}

/// The lanes of a plan that a user gave, which must be for such a model.
fn stored_lanes(plan: &StoredPlan, class: Class, problem: &Problem) -> Result<Vec<StoredLane>, Refused> {
    if plan.model == class {
        return Ok(plan.lanes.clone());
    }
    let (name, of, is) = (&plan.name, plan.model.name(), class.name());
    let message = format!("{}: error: the plan {name} is for {of}, and this model is {is}", problem.path);
    Err(Refused { why: Why::Usage, message })
}

/// Gates of a model that is decided in bits, terms of any other.
fn size(problem: &Problem, class: Class) -> usize {
    match (class, problem.bits(), problem.original()) {
        (Class::Bits | Class::Justice | Class::Trees | Class::Executions, Some(bits), _) => {
            bits.gates().len()
        }
        (_, _, Original::Words(system)) => system.terms.len(),
        (_, _, Original::Maps(model)) => model.system.terms.len(),
        (_, _, Original::Bits(bits)) => bits.gates().len(),
    }
}

/// The kind of a model where its liveness is asked about: that reads what no other property may read.
fn live_kind(problem: &Problem, kind: Kind) -> Kind {
    let large = |terms: &Terms| {
        let arrays = terms.ids().any(|t| terms.sort(t).as_array().is_some());
        arrays || !is_finite(terms)
    };
    match problem.live() {
        Some(LiveOriginal::Words(live))
            if kind == Kind::Bits && large(&live.system.terms) && !fits_into_bits(&live) =>
        {
            Kind::Theories
        }
        _ => kind,
    }
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
    /// Whether all lanes with this aim work on bits, so that these are what they share.
    pub(crate) fn is_in_bits(&self, aim: Aim) -> bool {
        self.lanes.iter().all(|lane| lane.aim != aim || lane.through.is_bits())
    }
}
