//! Plans as data: which lanes run for which kind of model, on how many cores.
//!
//! The plans that are built in are a file of the same form as those that a user gives; the head of `plans.toml`
//! says what may stand there. Whatever it does not know it refuses, with a position.

use std::cmp::Reverse;
use std::str::FromStr;
use std::time::Duration;

use buttress_engine::{ENGINES, Engine, Generalize, Order, Run, Settings};
use buttress_format::{Diagnostic, Position};
use buttress_indexed::Predicates;
use buttress_query::Preimages;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::{Insists, Kind};
use crate::problem::{Original, Problem};

/// The file that is built in.
pub const BUILT_IN: &str = include_str!("plans.toml");

/// The plans of a file.
#[derive(Clone)]
pub struct Plans {
    pub plans: Vec<StoredPlan>,
    /// For processes that help another one.
    pub workers: Vec<StoredPlan>,
}

/// A file of plans, with the place of each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    #[serde(default, rename = "plan")]
    plans: Vec<Spanned<StoredPlan>>,
    #[serde(default, rename = "worker")]
    workers: Vec<Spanned<StoredPlan>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StoredPlan {
    pub name: String,
    pub model: Class,
    /// For so many cores, or more.
    #[serde(default = "one")]
    pub cores: usize,
    /// For models of at most this size.
    pub at_most: Option<usize>,
    /// For so many properties, or more.
    #[serde(default = "one")]
    pub properties: usize,
    pub lanes: Vec<StoredLane>,
}

/// What a plan is wanted for.
#[derive(Clone, Copy)]
pub struct Demand {
    pub class: Class,
    pub size: usize,
    pub properties: usize,
    pub cores: usize,
}

/// The models that a plan is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    Bits,
    Theories,
    /// Maps, with predicates in the file.
    Predicates,
    /// Maps over any number of processes.
    Processes,
    Maps,
    /// Justice properties of a model in bits, or in words that bits can hold.
    Justice,
    /// Formulas of computation tree logic about a model in bits.
    Trees,
    /// Those of them that say no more than a formula about executions, beside the lanes for justice.
    Executions,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Bits => "bits",
            Class::Theories => "theories",
            Class::Predicates => "predicates",
            Class::Processes => "processes",
            Class::Maps => "maps",
            Class::Justice => "justice",
            Class::Trees => "trees",
            Class::Executions => "executions",
        }
    }

    /// Of a problem that is decided as this kind.
    pub(super) fn of(problem: &Problem, kind: Kind, settings: &Settings) -> Class {
        match (kind, problem.original()) {
            (Kind::Bits, _) => Class::Bits,
            (Kind::Theories, _) => Class::Theories,
            (Kind::Maps, Original::Maps(model)) => {
                let given = !model.predicates.is_empty() && settings.maps.predicates == Predicates::Given;
                match (given, &model.processes) {
                    (true, _) => Class::Predicates,
                    (false, Some(_)) => Class::Processes,
                    (false, None) => Class::Maps,
                }
            }
            (Kind::Maps, _) => Class::Maps,
        }
    }

    fn kind(self) -> Kind {
        match self {
            Class::Bits | Class::Justice | Class::Trees | Class::Executions => Kind::Bits,
            Class::Theories => Kind::Theories,
            Class::Predicates | Class::Processes | Class::Maps => Kind::Maps,
        }
    }
}

/// An engine, and what it does otherwise than usual.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredLane {
    #[serde(deserialize_with = "engine")]
    pub engine: &'static Engine,
    #[serde(default, deserialize_with = "spoken")]
    pub generalize: Option<Generalize>,
    #[serde(default, deserialize_with = "spoken")]
    pub theory: Option<Preimages>,
    #[serde(default, deserialize_with = "spoken")]
    pub order: Option<Order>,
    pub stride: Option<usize>,
    #[serde(default, deserialize_with = "spoken")]
    pub through: Option<Signals>,
    /// Added to the seed of the run.
    #[serde(default)]
    pub seed: u64,
    #[serde(default = "unit")]
    pub weight: u32,
    pub share: Option<u32>,
    /// Seconds for which it leaves the others alone.
    #[serde(default)]
    pub after: f64,
}

/// Whether an engine on bits sees equal signals as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signals {
    Merged,
    Plain,
}

impl FromStr for Signals {
    type Err = String;

    fn from_str(text: &str) -> Result<Signals, String> {
        match text {
            "merged" => Ok(Signals::Merged),
            "plain" => Ok(Signals::Plain),
            _ => Err("expected merged or plain".to_string()),
        }
    }
}

fn one() -> usize {
    1
}

fn unit() -> u32 {
    1
}

fn engine<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Engine, D::Error> {
    let name = String::deserialize(from)?;
    let names = || ENGINES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
    let unknown = || D::Error::custom(format!("there is no engine {name}; these are: {}", names()));
    Engine::by_name(&name).ok_or_else(unknown)
}

/// A choice in the words of the command line.
fn spoken<'de, T: FromStr<Err = String>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    String::deserialize(from)?.parse().map(Some).map_err(D::Error::custom)
}

impl StoredLane {
    /// An engine as it is usual.
    pub fn of(engine: &'static Engine) -> StoredLane {
        StoredLane {
            engine,
            generalize: None,
            theory: None,
            order: None,
            stride: None,
            through: None,
            seed: 0,
            weight: 1,
            share: None,
            after: 0.0,
        }
    }

    /// The longest delay that makes sense.
    const LATEST: f64 = 1e6;

    pub fn delay(&self) -> Duration {
        Duration::from_secs_f64(self.after.clamp(0.0, StoredLane::LATEST))
    }

    /// The choices of this lane in the place of the usual ones.
    pub(super) fn own(&self) -> Insists {
        Insists {
            generalize: self.generalize,
            preimages: self.theory,
            order: self.order,
            stride: self.stride,
        }
    }

    /// Why this lane is none for a class of models.
    fn misfit(&self, class: Class) -> Option<String> {
        let (name, kind) = (self.engine.name, class.kind());
        let runs = match class {
            Class::Justice => self.engine.live.is_some() || self.engine.decides_bits(),
            Class::Trees | Class::Executions => self.engine.trees.is_some(),
            _ => kind.runs(self.engine),
        };
        if !runs {
            let on = match class {
                Class::Justice => "justice properties",
                Class::Trees | Class::Executions => "formulas about computation trees",
                _ => kind.name(),
            };
            return Some(format!("{name} does not run on {on}"));
        }
        let ic3 = ["ic3", "klive"].contains(&name);
        let diagrams = ["reach", "dual"].contains(&name);
        let misfits = [
            (self.generalize.is_some() && !ic3, "generalize is for ic3 and klive"),
            (self.theory.is_some() && !(ic3 && kind == Kind::Theories), "theory is for ic3 beyond bits"),
            (self.stride.is_some() && !(name == "bmc" && kind == Kind::Bits), "stride is for bmc on bits"),
            (self.stride == Some(0), "a stride is at least 1"),
            (self.order.is_some() && !diagrams, "order is for reach and dual"),
            (self.through.is_some() && kind != Kind::Bits, "through is for engines on bits"),
            (self.through == Some(Signals::Merged) && !inductive(self.engine), "paths are not merged"),
            (self.weight == 0, "a weight of 0 is no lane"),
            (self.share == Some(0), "a share is one part in at least 1"),
            (!self.after.is_finite() || self.after < 0.0, "after is a number of seconds"),
        ];
        misfits.iter().find(|(wrong, _)| *wrong).map(|(_, why)| format!("{name}: {why}"))
    }
}

fn inductive(engine: &Engine) -> bool {
    matches!(engine.bits, Some(Run::Inductive(_))) || engine.live.is_some()
}

impl Plans {
    pub fn built_in() -> Plans {
        Plans::parse(BUILT_IN).expect("a test reads it")
    }

    /// The plans of a file; an error has a position.
    pub fn parse(text: &str) -> Result<Plans, Diagnostic> {
        let wrong = |error: toml::de::Error| {
            let diagnostic = Diagnostic::new(error.message().to_string());
            match error.span() {
                Some(span) => diagnostic.at(position(text, span.start)),
                None => diagnostic,
            }
        };
        let file: PlanFile = toml::from_str(text).map_err(wrong)?;
        for spanned in file.plans.iter().chain(&file.workers) {
            let plan = spanned.get_ref();
            let why = plan.lanes.iter().find_map(|lane| lane.misfit(plan.model));
            let why = why.or_else(|| plan.lanes.is_empty().then(|| "it has no lanes".to_string()));
            if let Some(why) = why {
                let place = position(text, spanned.span().start);
                return Err(Diagnostic::new(format!("plan {}: {why}", plan.name)).at(place));
            }
        }
        if file.plans.is_empty() && file.workers.is_empty() {
            return Err(Diagnostic::new("it has no plans"));
        }
        let all = |plans: Vec<Spanned<StoredPlan>>| plans.into_iter().map(Spanned::into_inner).collect();
        Ok(Plans { plans: all(file.plans), workers: all(file.workers) })
    }

    /// The plan for the most cores that there are; of these the one for the most properties, then for the smallest
    /// size.
    pub fn fitting(&self, demand: Demand) -> Option<&StoredPlan> {
        let Demand { class, size, properties, cores } = demand;
        let fits = |plan: &&StoredPlan| {
            let enough = plan.cores <= cores && plan.properties <= properties;
            plan.model == class && enough && plan.at_most.is_none_or(|most| size <= most)
        };
        let smallest = |plan: &&StoredPlan| Reverse(plan.at_most.unwrap_or(usize::MAX));
        self.plans.iter().filter(fits).max_by_key(|plan| (plan.cores, plan.properties, smallest(plan)))
    }

    /// The plan of a worker with this number.
    pub fn of_worker(&self, class: Class, number: u64) -> Option<&StoredPlan> {
        let rows: Vec<&StoredPlan> = self.workers.iter().filter(|plan| plan.model == class).collect();
        let row = number.checked_rem(rows.len() as u64)?;
        rows.get(row as usize).copied()
    }
}

fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset.min(text.len())];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() as u32 + 1;
    Position { line, column, offset: offset as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Plans::parse(text).err().expect("it is wrong").render("a.toml")
    }

    #[test]
    fn what_is_built_in_can_be_read() {
        let plans = Plans::built_in();
        let maps = [Class::Predicates, Class::Processes, Class::Maps];
        let others = [Class::Bits, Class::Theories, Class::Justice, Class::Trees, Class::Executions];
        for class in others.into_iter().chain(maps) {
            let demand = Demand { class, size: usize::MAX, properties: 1, cores: 1 };
            assert!(plans.fitting(demand).is_some(), "{class:?}");
        }
        let names: Vec<&str> = plans.plans.iter().chain(&plans.workers).map(|plan| &plan.name[..]).collect();
        assert!((1..names.len()).all(|n| !names[..n].contains(&names[n])), "{names:?}");
    }

    #[test]
    fn cores_properties_and_size_choose() {
        let plan = |name: &str, cores: usize, rest: &str| {
            let lanes = "lanes = [{ engine = \"bmc\" }]";
            format!("[[plan]]\nname = \"{name}\"\nmodel = \"bits\"\ncores = {cores}\n{rest}\n{lanes}\n")
        };
        let text = plan("any", 1, "") + &plan("small", 1, "at-most = 100") + &plan("many", 4, "");
        let plans = Plans::parse(&(text + &plan("all", 2, "properties = 9"))).expect("plans");
        let demand = |size, cores| Demand { class: Class::Bits, size, properties: 1, cores };
        let name = |demand| plans.fitting(demand).map(|plan| &plan.name[..]);
        let named = |size, cores| name(demand(size, cores));
        assert_eq!((named(100, 3), named(101, 3)), (Some("small"), Some("any")));
        assert_eq!((named(100, 4), named(100, 0)), (Some("many"), None));
        assert_eq!(name(Demand { properties: 9, ..demand(100, 3) }), Some("all"));
        assert_eq!(name(Demand { class: Class::Maps, ..demand(1, 8) }), None);
    }

    #[test]
    fn what_is_wrong_is_refused_with_its_place() {
        let lane = |lane: &str| format!("[[plan]]\nname = \"x\"\nmodel = \"bits\"\nlanes = [{{ {lane} }}]\n");
        assert!(
            refused(&lane("engine = \"bdd\"")).contains("a.toml:4:"),
            "{}",
            refused(&lane("engine = \"bdd\""))
        );
        assert!(refused(&lane("engine = \"bdd\"")).contains("there is no engine bdd; these are: bmc"));
        assert!(
            refused(&lane("engine = \"ic3\", generalise = \"drop\"")).contains("unknown field `generalise`")
        );
        assert!(
            refused(&lane("engine = \"ic3\", generalize = \"up\"")).contains("expected drop, dynamic or ctg")
        );
        assert!(
            refused(&lane("engine = \"bmc\", generalize = \"drop\""))
                .contains("a.toml:1:1: error: plan x: bmc: generalize is for")
        );
        assert!(
            refused(&lane("engine = \"backward\"")).contains("does not run on a model that fits into bits")
        );
        assert!(refused(&lane("engine = \"bmc\", weight = 0")).contains("weight of 0"));
        assert!(
            refused("[[plan]]\nname = \"x\"\nmodel = \"bits\"\nlanes = []\n").contains("it has no lanes")
        );
        assert!(refused("").contains("it has no plans") && refused("[[plan").contains("a.toml:1:"));
    }
}
