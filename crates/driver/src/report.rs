//! The result of a run, as plain data in the user's names. Every output format is a printer of it.
//!
//! As JSON it is what `--json` prints: a `verdict` and what belongs to it stand beside the name of each property,
//! a trace is a list of steps, each an object from signals to values.

use buttress_system::Monitor;
use buttress_system::words::Span;
use num_bigint::{BigInt, BigUint};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::judge::Accepted;

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// As the user wrote it; `None` where it was not read.
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'static str>,
    /// Counts of the parts of the model.
    #[serde(skip)]
    pub size: Vec<Count>,
    pub properties: Vec<Finding>,
    /// How far each lane came on what it did last.
    pub engines: Vec<LaneReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lemmas: Option<LemmaCount>,
    /// How many verdicts of earlier runs were read, and how many of them were accepted again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalled: Option<VerdictCount>,
    /// Of a Lustre model, its nodes.
    #[serde(skip)]
    pub nodes: Option<Nodes>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Faults of our own, in words.
    pub errors: Vec<String>,
    /// The reason why the run ended before all was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<String>,
    /// `None` where every run says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    pub exit_code: u8,
    /// The text of the model, where people can read it and everything is shown.
    #[serde(skip)]
    pub source: Option<String>,
    /// How far each lane was over time, in the order of time; empty where every run says the same.
    #[serde(skip)]
    pub course: Vec<Sample>,
}

impl Report {
    /// Nothing was asked: this is why.
    pub fn refused(refused: &crate::Refused) -> Report {
        Report {
            file: None,
            format: None,
            size: Vec::new(),
            properties: Vec::new(),
            engines: Vec::new(),
            lemmas: None,
            recalled: None,
            nodes: None,
            warnings: Vec::new(),
            errors: vec![refused.message.clone()],
            cut_short: None,
            seconds: Some(0.0),
            exit_code: crate::exit::FAULT,
            source: None,
            course: Vec::new(),
        }
    }
}

/// Where a lane of [`Report::engines`] was at some time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    pub lane: usize,
    pub seconds: f64,
    pub depth: usize,
    pub size: u64,
}

/// So many of something, with its name in the singular and the plural.
#[derive(Clone, Debug)]
pub struct Count(pub usize, pub &'static str, pub &'static str);

/// Of so many lemmas given, so many were inductive together.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LemmaCount {
    pub given: usize,
    pub used: usize,
}

/// Of so many verdicts of earlier runs, so many were accepted again.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct VerdictCount {
    pub given: usize,
    pub used: usize,
}

/// The main node, and those that it calls.
#[derive(Clone, Debug)]
pub struct Nodes {
    pub main: String,
    pub called: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct LaneReport {
    pub engine: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    /// How its depth is called.
    #[serde(skip)]
    pub measure: &'static str,
    pub depth: usize,
    pub size: u64,
    pub unit: &'static str,
    /// Which of several runs of the same engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<u64>,
    /// For how long it was its turn; `None` where it did not come to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// The result for one claim.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub name: String,
    pub position: String,
    /// How texts call it.
    #[serde(skip)]
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Where it stands in the design that the model was made of, as Yosys says it: `link.v:33.5-33.36`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// All of its text in the source.
    #[serde(skip)]
    pub span: Option<Span>,
    /// Of a Lustre model, where the claim comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'static str>,
    /// Whether it is to be reached, not to be avoided.
    #[serde(skip)]
    pub goal: bool,
    /// Whether it is about executions that go round for ever.
    #[serde(skip)]
    pub live: bool,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Lanes whose evidence was rejected, a fault of our own, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<Said>,
    /// When it was decided; `None` where every run says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The search of the inductive engines, where an explanation was asked for.
    #[serde(rename = "explanation", skip_serializing_if = "Vec::is_empty")]
    pub stories: Vec<StoryReport>,
}

/// The message of an engine, with the engine's name.
#[derive(Clone, Debug, Serialize)]
pub struct Said {
    pub engine: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    pub reason: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Outcome {
    Proved(Proved),
    Falsified(Violated),
    /// Of a goal.
    Unreachable(Proved),
    Reached(Violated),
    Undecided(Open),
    /// All evidence was rejected.
    Error {
        reason: String,
        engine: &'static str,
    },
}

/// A proof that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Proved {
    pub k: u32,
    pub distinct_states: bool,
    /// Of a justice property, the monitor whose invariant the proof is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitor: Option<MonitorReport>,
    /// Why that makes it one, in the terms of the model; only where somebody wants to read it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// Of a formula about computation trees, how many sets of states the answer rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<usize>,
    pub vacuous: bool,
    /// Where it is vacuous: there is no execution of so many states.
    #[serde(skip)]
    pub states: Option<usize>,
    pub proved_together: Vec<String>,
    /// How many conjuncts the invariant has; their texts only where somebody wants to read them.
    #[serde(skip)]
    pub conjuncts: usize,
    pub invariant: Vec<String>,
    /// Whether it holds for all places of maps, which is more than the answer.
    #[serde(skip)]
    pub for_all: bool,
    #[serde(flatten)]
    pub by: By,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<CoreReport>,
}

/// What runs beside the model in a proof of liveness.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MonitorReport {
    /// No state comes back with each signal met in between.
    Loop,
    /// All signals are met at most so many times.
    Visits { at_most: u32 },
    /// Nothing: the states are split into so many parts, each of which lacks a signal.
    Arenas { number: usize },
}

impl MonitorReport {
    pub(crate) fn of(accepted: &Accepted) -> Option<MonitorReport> {
        Some(match accepted.monitor()? {
            Monitor::Loop => MonitorReport::Loop,
            Monitor::Visits(at_most) => MonitorReport::Visits { at_most },
            Monitor::Arenas => MonitorReport::Arenas { number: accepted.arenas() },
        })
    }
}

/// An execution that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Violated {
    pub step: usize,
    pub trace: TraceReport,
    /// Of an execution that goes round for ever, the step that comes after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_to_step: Option<usize>,
    /// Of a formula about computation trees, what holds and does not hold on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    #[serde(flatten)]
    pub by: By,
}

/// Who found it, and how long the check took.
#[derive(Clone, Debug, Serialize)]
pub struct By {
    pub engine: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    /// Evidence from outside: who sent it, or that it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub checked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checking_seconds: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Open {
    pub reason: String,
    pub gave_up: Vec<Said>,
    pub no_violation_up_to_step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cti: Option<CtiReport>,
}

/// The label of states that are a counterexample to induction, not to the property.
pub const NOT_A_BUG: &str = "not a bug: a state that induction could not exclude";

/// A counterexample to induction: the property holds in the first k states, and not in the next.
#[derive(Clone, Debug, Serialize)]
pub struct CtiReport {
    pub k: usize,
    pub meaning: &'static str,
    pub states: TraceReport,
}

/// Which elements a proof needs.
#[derive(Clone, Debug)]
pub enum CoreReport {
    Known {
        needed: Vec<String>,
        /// Where each of them stands, where the model has a text.
        places: Vec<Option<Span>>,
        /// All elements, and those of the static slice.
        elements: usize,
        slice: usize,
        /// A reason to doubt the property or the model.
        warning: Option<String>,
    },
    Unknown {
        reason: String,
    },
}

impl Serialize for CoreReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            CoreReport::Known { needed, elements, slice, warning, .. } => {
                map.serialize_entry("needed", needed)?;
                map.serialize_entry("elements", elements)?;
                map.serialize_entry("slice", slice)?;
                map.serialize_entry("warning", warning)?;
            }
            CoreReport::Unknown { reason } => {
                map.serialize_entry("needed", &None::<Vec<String>>)?;
                map.serialize_entry("reason", reason)?;
            }
        }
        map.end()
    }
}

/// How words are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Radix {
    Bin,
    Dec,
    Hex,
}

impl Finding {
    /// Writes the words of its traces in this radix.
    pub fn write_in(&mut self, radix: Radix) {
        match &mut self.outcome {
            Outcome::Falsified(violated) | Outcome::Reached(violated) => violated.trace.write_in(radix),
            Outcome::Undecided(Open { cti: Some(cti), .. }) => cti.states.write_in(radix),
            _ => {}
        }
    }
}

/// An execution by names.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceReport {
    pub steps: usize,
    pub signals: Vec<SignalReport>,
    /// Of a lasso, the step that follows the last one.
    pub back: Option<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SignalReport {
    /// In the whole model.
    pub name: String,
    /// A value a step; `None` where its part of the model does not execute.
    pub values: Vec<Option<Cell>>,
    /// Another name of a signal that stands before it.
    pub alias: bool,
    /// Its name was made up, as the file has none.
    pub unnamed: bool,
    pub kind: Kind,
    /// Of a Lustre model, what is known of the stream.
    pub stream: Option<Stream>,
}

/// What the values of a signal are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Bool,
    /// Of so many bits.
    Word(u32),
    /// An integer or a real.
    Number,
    /// The constant of an enumeration, or what else is no number.
    Other,
}

/// A variable of an instance of a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Stream {
    /// Within its instance.
    pub name: String,
    /// The name of the instance; empty for the main node.
    pub instance: String,
    pub node: String,
    pub is_function: bool,
    pub class: Class,
    pub type_name: String,
    /// Of a subrange.
    pub range: Option<(String, String)>,
    /// The name of an enumeration, and its constants.
    pub constants: Option<(String, Vec<String>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    Input,
    Output,
    Local,
}

/// A value as people write it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    Bool(bool),
    /// A number that programs can read.
    Number(i64),
    Text(String),
}

impl Cell {
    /// Of a word of so many bits; what is no number, such as an unknown value, stays as it is.
    fn write_in(&mut self, radix: Radix, width: u32) {
        let value = match &*self {
            Cell::Bool(_) => None,
            Cell::Number(n) if *n < 0 => ((BigInt::from(1) << width) + n).to_biguint(),
            Cell::Number(n) => BigInt::from(*n).to_biguint(),
            Cell::Text(text) => match text.strip_prefix("0x") {
                Some(digits) => BigUint::parse_bytes(digits.as_bytes(), 16),
                None => text.parse().ok(),
            },
        };
        let Some(value) = value else { return };
        let digits = |radix: u32, count: u32| format!("{:0>1$}", value.to_str_radix(radix), count as usize);
        *self = Cell::Text(match radix {
            Radix::Bin => format!("0b{}", digits(2, width)),
            Radix::Dec => value.to_string(),
            Radix::Hex => format!("0x{}", digits(16, width.div_ceil(4))),
        });
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Bool(b) => write!(f, "{b}"),
            Cell::Number(n) => write!(f, "{n}"),
            Cell::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Bool(b) => serializer.serialize_bool(*b),
            Cell::Number(n) => serializer.serialize_i64(*n),
            Cell::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl TraceReport {
    fn write_in(&mut self, radix: Radix) {
        for signal in &mut self.signals {
            if let Kind::Word(width @ 2..) = signal.kind {
                signal.values.iter_mut().flatten().for_each(|cell| cell.write_in(radix, width));
            }
        }
    }

    /// Without signals that the file has no name for, and how many those are; all of them where none has a name.
    pub fn named(&self) -> (TraceReport, usize) {
        let shown = self.signals.iter().filter(|signal| !signal.alias);
        let unnamed = shown.clone().filter(|signal| signal.unnamed).count();
        if unnamed == shown.count() {
            return (self.clone(), 0);
        }
        let signals = self.signals.iter().filter(|signal| !signal.unnamed).cloned().collect();
        (TraceReport { signals, ..*self }, unnamed)
    }

    /// The values of one step. Signals of the same name are told apart by `#2`.
    pub fn row(&self, step: usize) -> Vec<(String, &Cell)> {
        let mut row: Vec<(String, &Cell)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for signal in &self.signals {
            let Some(cell) = &signal.values[step] else { continue };
            let mut name = signal.name.clone();
            while !seen.insert(name.clone()) {
                name.push_str("#2");
            }
            row.push((name, cell));
        }
        row
    }
}

/// A step, as an object from names to values.
struct Row<'a>(&'a TraceReport, usize);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.row(self.1))
    }
}

impl Serialize for TraceReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.steps))?;
        (0..self.steps).try_for_each(|step| list.serialize_element(&Row(self, step)))?;
        list.end()
    }
}

/// The way of one engine with one property: the beginning in full, then only the end.
#[derive(Clone, Debug, Serialize)]
pub struct StoryReport {
    pub engine: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    pub steps: Vec<EpisodeReport>,
    pub left_out: LeftOut,
}

/// Steps that are not kept.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LeftOut {
    pub after: usize,
    pub steps: usize,
}

/// Signals, or bits of them, and their values.
pub type Assignments = Vec<(String, String)>;

/// One episode; states have numbers.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum EpisodeReport {
    Level {
        level: usize,
    },
    Cti {
        state: Option<usize>,
        depth: usize,
        level: usize,
        leads_to: Option<usize>,
        again: bool,
        #[serde(serialize_with = "as_object")]
        latches: Assignments,
        #[serde(serialize_with = "as_object")]
        inputs: Assignments,
        #[serde(serialize_with = "as_optional_object")]
        then: Option<Assignments>,
    },
    Lemma {
        state: Option<usize>,
        #[serde(skip)]
        depth: usize,
        level: usize,
        clause: String,
        #[serde(serialize_with = "as_object")]
        excludes: Assignments,
        /// How many literals the clause has.
        #[serde(skip)]
        literals: usize,
    },
    Aside {
        #[serde(skip)]
        depth: usize,
        level: usize,
        clause: String,
    },
    Subgoal {
        state: Option<usize>,
        #[serde(skip)]
        depth: usize,
    },
    Closed {
        state: Option<usize>,
        #[serde(skip)]
        depth: usize,
    },
    Reached {
        state: Option<usize>,
        #[serde(skip)]
        depth: usize,
    },
    Propagated {
        level: usize,
        moved: usize,
        of: usize,
    },
    Settled {
        lemmas: usize,
    },
    Converged {
        level: usize,
        lemmas: usize,
    },
}

fn as_object<S: Serializer>(assignments: &Assignments, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(assignments.iter().map(|(name, value)| (name, value)))
}

fn as_optional_object<S: Serializer>(
    assignments: &Option<Assignments>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match assignments {
        Some(assignments) => as_object(assignments, serializer),
        None => serializer.serialize_none(),
    }
}
