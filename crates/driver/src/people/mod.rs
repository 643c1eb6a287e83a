//! Names, terms and traces as people read them: from evidence to what a report holds. The one place for it.

mod claims;
mod liveness;
mod names;
mod plain;
mod story;
mod trace;

use std::collections::{BTreeMap, BTreeSet};

use buttress_system::ctl::Refuted;
use buttress_system::indexed::{Indexed, IndexedTrace, Play};
use buttress_system::words::{self, System, WordTrace};
use buttress_system::{BitSystem, Branching, Lasso, Live, Recurrent, Subject, Trace, Wave, Waves};
use buttress_term::{Sort, TermId, Value};

pub use claims::{conjunct, conjuncts, remarks};
pub use liveness::{round, why};
pub use names::{Names, listed};
pub(crate) use plain::plain;
pub(crate) use story::Story;
pub use trace::{of_execution, of_waves, waves_of_execution};

use crate::judge::Accepted;
use crate::problem::{Format, Original, Problem};
use crate::report::TraceReport;

/// A kind of system whose traces have signals to show.
pub trait Shown: Subject {
    fn waves(system: &Self, trace: &Self::Trace) -> Waves;
}

impl Shown for BitSystem {
    fn waves(system: &BitSystem, trace: &Trace) -> Waves {
        Waves::of_bits(system, trace)
    }
}

impl Shown for words::System {
    fn waves(system: &words::System, trace: &WordTrace) -> Waves {
        Waves::of_words(system, trace)
    }
}

impl<S: Shown + Recurrent> Shown for Live<S> {
    fn waves(live: &Live<S>, lasso: &Lasso<S::Trace>) -> Waves {
        S::waves(&live.system, &lasso.trace)
    }
}

impl Shown for Branching {
    fn waves(branching: &Branching, refuted: &Refuted) -> Waves {
        Waves::of_bits(&branching.system, &refuted.path)
    }
}

impl Shown for Indexed {
    /// Inputs, states and, of maps, the places that the property depends on in any map with such places.
    fn waves(model: &Indexed, trace: &IndexedTrace) -> Waves {
        let system = &model.system;
        let play = Play::new(system, trace);
        let steps = trace.inputs.len();
        play.bool(steps - 1, system.property(trace.property).bad);
        let inputs = system.inputs.iter().map(|i| (i.variable, &i.label.name));
        let states = system.states.iter().map(|s| (s.variable, &s.label.name));
        let all: Vec<_> = inputs.chain(states).collect();
        let mut places: BTreeMap<Vec<Sort>, BTreeSet<Vec<Value>>> = BTreeMap::new();
        for (variable, _) in &all {
            let arguments = arguments(system.terms.sort(*variable));
            places.entry(arguments).or_default().extend(play.places(*variable));
        }
        let mut waves = Vec::new();
        for (variable, name) in all {
            let arguments = arguments(system.terms.sort(variable));
            let alone = BTreeSet::from([Vec::new()]);
            for place in if arguments.is_empty() { alone } else { places[&arguments].clone() } {
                waves.push(wave_of_map(system, &play, steps, variable, name, &place));
            }
        }
        Waves { steps, waves }
    }
}

/// The sorts of the places of a map, none of what is no map.
pub(crate) fn arguments(mut sort: &Sort) -> Vec<Sort> {
    let mut all = Vec::new();
    while let Sort::Array(array) = sort {
        all.push(array.index.clone());
        sort = &array.element;
    }
    all
}

/// A variable, at a place if it is a map, in all steps.
pub fn wave_of_map(
    system: &System,
    play: &Play<'_>,
    steps: usize,
    variable: TermId,
    name: &str,
    place: &[Value],
) -> Wave {
    let shown: Vec<String> = place.iter().map(Value::to_string).collect();
    let name = match shown.is_empty() {
        true => name.to_string(),
        false => format!("{name}[{}]", shown.join(", ")),
    };
    let values = (0..steps).map(|t| play.value(t, variable, place)).collect();
    let sort = system.terms.sort(variable).after_arguments().0.clone();
    Wave { name, sort, values, alias: false }
}

/// The signals of a trace that was accepted, for waveforms; `None` for a proof.
pub fn waves(problem: &Problem, accepted: &Accepted) -> Option<Waves> {
    match (accepted, problem.original()) {
        (Accepted::Words(checked), Original::Words(system)) => {
            let trace = checked.evidence().trace()?;
            Some(match problem.source() {
                Some(source) => {
                    let execution = source.execute(trace).expect("it was replayed when it was accepted");
                    trace::waves_of_execution(&execution)
                }
                None => Waves::of_words(system, trace),
            })
        }
        (Accepted::Maps(checked), Original::Maps(model)) => {
            Some(Indexed::waves(model, checked.evidence().trace()?))
        }
        (Accepted::Bits(checked), Original::Bits(system)) => {
            Some(Waves::of_bits(system, checked.evidence().trace()?))
        }
        (Accepted::Trees(checked), Original::Bits(system)) => {
            Some(Waves::of_bits(system, &checked.evidence().trace()?.path))
        }
        _ => unreachable!("evidence is about the original"),
    }
}

/// A trace that was accepted, as a report has it; `None` for a proof.
pub fn trace_report(problem: &Problem, accepted: &Accepted) -> Option<TraceReport> {
    let shown = match (problem.source(), accepted) {
        (Some(source), Accepted::Words(checked)) => {
            let trace = checked.evidence().trace()?;
            let execution = source.execute(trace).expect("it was replayed when it was accepted");
            of_execution(source.model(), &execution)
        }
        _ => named_first(problem, of_waves(&waves(problem, accepted)?)),
    };
    Some(TraceReport { back: accepted.lasso().map(|(_, back)| back), ..shown })
}

/// Signals whose names the reader made up stand last.
fn named_first(problem: &Problem, mut trace: TraceReport) -> TraceReport {
    let numbered = |name: &str, what: &str| {
        name.strip_prefix(what).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let made_up: [&str; 2] = match problem.format {
        Format::Btor2 => ["state", "input"],
        Format::AigerAscii | Format::AigerBinary => ["l", "i"],
        _ => return trace,
    };
    for signal in &mut trace.signals {
        signal.unnamed = made_up.iter().any(|what| numbered(&signal.name, what));
    }
    trace.signals.sort_by_key(|signal| signal.unnamed);
    trace
}

/// The place in the design that Yosys wrote beside this line of a BTOR2 file.
pub fn place_in_design(problem: &Problem, line: u32) -> Option<String> {
    if problem.format != Format::Btor2 {
        return None;
    }
    let text = problem.text.lines().nth(line.checked_sub(1)? as usize)?;
    let place = text.split_once(';')?.1.trim();
    let one = |place: &str| {
        let (file, span) = place.rsplit_once(':')?;
        let is_span =
            span.contains('.') && span.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
        (!file.is_empty() && is_span).then_some(())
    };
    place.split('|').all(|place| one(place).is_some()).then(|| place.to_string())
}
