//! Buttress: a model checker whose answers come with evidence, as a library.
//!
//! A model is loaded from a file (AIGER, BTOR2, Lustre, VMT-LIB, MoXI, Cubicle) or built by a program; a [`Plan`]
//! says which engines run side by side; [`Model::check`] decides, and what comes back is a [`Report`]: plain data
//! in the names of the model. A property is called proved or falsified only where its evidence was checked on the
//! model as it was given.
//!
//! ```
//! use buttress::{Model, Outcome};
//!
//! let model = Model::parse("switch.lus", "
//!     node main(press: bool) returns (on, ok: bool);
//!     let
//!       on = false -> if press then not pre on else pre on;
//!       ok = true -> press or on = pre on;
//!       --%PROPERTY ok;
//!     tel
//! ")?;
//! let report = model.check(&model.plan()?).report();
//! assert!(matches!(report.properties[0].outcome, Outcome::Proved(_)));
//! # Ok::<(), buttress::Refused>(())
//! ```
//!
//! A counterexample is a table of signals and steps. Where engines race, a longer one may come first; BMC alone,
//! here for ten states, finds a shortest one:
//!
//! ```
//! use buttress::{Model, Outcome};
//!
//! let text = "
//!     node main(up: bool) returns (n: subrange [0, 7] of int; low: bool);
//!     let
//!       n = 0 -> if up and pre n < 7 then pre n + 1 else pre n;
//!       low = n < 2;
//!       --%PROPERTY low;
//!     tel
//! ";
//! let model = Model::parse("count.lus", text)?;
//! let report = model.check(&model.plan()?.engines(&["bmc"])?.bound(10)).report();
//! let low = report.properties.iter().find(|finding| finding.name == "low").expect("a property");
//! let Outcome::Falsified(violated) = &low.outcome else { panic!("{low:?}") };
//! assert_eq!(violated.step, 2);
//! let n = violated.trace.signals.iter().find(|signal| signal.name == "n").expect("a signal");
//! assert_eq!(n.values[2].as_ref().map(|cell| cell.to_string()), Some("2".to_string()));
//! # Ok::<(), buttress::Refused>(())
//! ```
//!
//! A run is ended from another thread by a [`Stop`], or after a time; what is not decided then is undecided:
//!
//! ```
//! use std::time::Duration;
//! use buttress::{Model, Stop};
//!
//! let model = Model::parse("one.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
//! let stop = Stop::new();
//! let plan = model.plan()?.engines(&["ic3"])?;
//! let report = model.check(&plan).with_stop(&stop).within(Duration::from_secs(10)).report();
//! assert_eq!(report.exit_code, 10);
//! # Ok::<(), buttress::Refused>(())
//! ```

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use buttress_driver::cores::{Anatomy, CoreOutcome, Fineness, Means, Method, Quest, analyse};
use buttress_driver::supervise::within;
use buttress_driver::{Choice, ClaimId, Detail, Input, Problem, check};
use buttress_engine::Engine;
use buttress_system::words::Fault;

pub use buttress_driver::report::{
    Finding, Open, Outcome, Proved, Report, SignalReport, TraceReport, Violated,
};
pub use buttress_driver::{Accepted, Answers, Claim, Refused, Why};
pub use buttress_solve::Stop;
/// Systems that a program builds: bits and words.
pub use buttress_system as system;
/// The terms that systems of words are made of.
pub use buttress_term as term;

/// A model, with its properties.
#[derive(Clone)]
pub struct Model {
    problem: Arc<Problem>,
}

impl Model {
    /// Reads a file; the content decides the format.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, Refused> {
        Ok(Model { problem: Arc::new(buttress_driver::load(Input::of(path.as_ref()))?) })
    }

    /// Reads a text; the name is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Model, Refused> {
        Ok(Model { problem: Arc::new(buttress_driver::parse(Path::new(name), text)?) })
    }

    /// A system of words that a program built; an error says what does not fit together.
    pub fn of_words(system: system::words::System) -> Result<Model, Fault> {
        Ok(Model { problem: Arc::new(Problem::of_words(system)?) })
    }

    /// A circuit that a program built.
    pub fn of_bits(system: system::BitSystem) -> Model {
        Model { problem: Arc::new(Problem::of_bits(system)) }
    }

    /// The claims of the model that can be decided.
    pub fn claims(&self) -> &[Claim] {
        self.problem.claims()
    }

    /// All that belongs to the model, for who wants more than this crate shows.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    /// All properties, by the engines that are usual for such a model. An error says what is missing.
    pub fn plan(&self) -> Result<Plan, Refused> {
        let plan = Plan { choice: Choice::default(), properties: Vec::new() };
        plan.choice.plan(&self.problem, &self.problem.select(&[]).unwrap_or_default())?;
        Ok(plan)
    }

    /// A check by this plan; it runs when its report is asked for.
    pub fn check<'a>(&'a self, plan: &'a Plan) -> Check<'a> {
        Check { model: self, plan, stop: Stop::new(), limit: None }
    }

    /// Which elements of the model the proof of each property needs, by names; each was proved again with these
    /// alone.
    pub fn cores(&self, plan: &Plan, stop: &Stop) -> Result<Vec<(String, Vec<String>)>, Refused> {
        let choice = Choice { distinct: false, in_words: true, ..plan.choice.clone() };
        let means = Means { choice, patience: Some(Duration::from_secs(10)) };
        let claims = plan.claims(&self.problem)?;
        let anatomy = Anatomy::of(&self.problem, Fineness::Equations, &claims)?;
        let quest = Quest { method: Method::Uc, must: false, all: None };
        let mut found = Vec::new();
        analyse(&anatomy, &claims, &quest, &means, stop, &mut |finding| {
            if let CoreOutcome::Proved(needed) = &finding.outcome {
                let names = needed.core.iter().map(|&e| anatomy.name(e)).collect();
                found.push((anatomy.title(finding.claim).to_string(), names));
            }
        });
        Ok(found)
    }
}

/// The engines of a run and the properties that they work on.
#[derive(Clone, Default)]
pub struct Plan {
    choice: Choice,
    properties: Vec<String>,
}

impl Plan {
    /// These engines instead of the usual ones: `bmc`, `kind`, `ic3`, `fsis`, …
    pub fn engines(mut self, names: &[&str]) -> Result<Plan, Refused> {
        let engine = |name: &&str| Engine::by_name(name).ok_or_else(|| unknown_engine(name));
        self.choice.engines = names.iter().map(engine).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// These properties instead of all, by name or position.
    pub fn properties(mut self, names: &[&str]) -> Plan {
        self.properties = names.iter().map(|name| name.to_string()).collect();
        self
    }

    /// The seed of whatever is random.
    pub fn seed(mut self, seed: u64) -> Plan {
        self.choice.seed = seed;
        self.choice.smt.seed = seed;
        self
    }

    /// States of the longest path to look at.
    pub fn bound(mut self, states: usize) -> Plan {
        self.choice.settings.bound = states;
        self
    }

    fn claims(&self, problem: &Problem) -> Result<Vec<ClaimId>, Refused> {
        problem.select(&self.properties).map_err(Refused::usage)
    }
}

fn unknown_engine(name: &str) -> Refused {
    let known: Vec<&str> = buttress_engine::ENGINES.iter().map(|engine| engine.name).collect();
    Refused::usage(format!("there is no engine '{name}'; there are: {}", known.join(", ")))
}

/// A check that is about to run.
pub struct Check<'a> {
    model: &'a Model,
    plan: &'a Plan,
    stop: Stop,
    limit: Option<Duration>,
}

impl Check<'_> {
    /// Ends when somebody asks this stop for it.
    pub fn with_stop(self, stop: &Stop) -> Self {
        Check { stop: stop.clone(), ..self }
    }

    /// Ends after this time.
    pub fn within(self, limit: Duration) -> Self {
        Check { limit: Some(limit), ..self }
    }

    /// Runs, and tells what was found, as data. What does not fit together, such as an engine that does not run on
    /// such a model, is an error in the report.
    pub fn report(self) -> Report {
        match self.answers() {
            Ok(answers) => answers.report(Detail::Everything),
            Err(refused) => Report::refused(&refused),
        }
    }

    /// Runs, and keeps the evidence itself.
    pub fn answers(self) -> Result<Answers, Refused> {
        let problem = &self.model.problem;
        let claims = self.plan.claims(problem)?;
        let plan = self.plan.choice.plan(problem, &claims)?;
        Ok(within(&self.stop, self.limit, |stop| check(problem, &claims, &plan, stop)))
    }
}
