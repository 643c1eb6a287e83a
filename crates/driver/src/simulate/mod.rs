//! Playing a model, at random or as a file says.
//!
//! Constraints are not solved for, they are watched: the first step that violates one is named, and so is every
//! property that is violated up to there.

mod instance;

use std::path::Path;

use buttress_format::{Waveform, Witness, btor2, stimulus};
use buttress_lustre::interpret::{Interpreter, Random, Step as Executed};
use buttress_lustre::script;
use buttress_lustre::table::Execution;
use buttress_system::evidence::{evaluate, states, value};
use buttress_system::waves::values;
use buttress_system::words::{self, WordTrace, random_execution};
use buttress_system::{BitSystem, PropertyId, Rng, SymbolKind, Ternary, Trace, Waves};
use buttress_term::{TermId, Value};

use crate::Refused;
use crate::files::read_trace;
use crate::people::{of_execution, of_waves, waves_of_execution};
use crate::problem::{Format, Original, Problem, bit_claim};
use crate::report::TraceReport;

/// How to play.
#[derive(Clone, Copy)]
pub struct Playing<'a> {
    /// Inputs to play; without them they are random.
    pub stimulus: Option<&'a Path>,
    /// How many steps to play at random.
    pub steps: usize,
    /// Of a model with maps: how many places to play with, and what its parameters are.
    pub size: u64,
    pub seed: u64,
}

/// An execution, for people.
pub struct Played {
    pub trace: TraceReport,
    pub waveform: Waveform,
    /// Violated constraints and properties of the execution, in words.
    pub remarks: Vec<String>,
}

pub fn simulate(problem: &Problem, playing: Playing<'_>) -> Result<Played, Refused> {
    match (problem.original(), problem.source()) {
        (Original::Bits(system), _) => Ok(play_bits(playing, system)?),
        (_, Some(source)) => Ok(play_lustre(playing, problem, source.model())?),
        (Original::Words(system), None) => Ok(play_words(playing, problem, system)?),
        (Original::Maps(model), _) => {
            if playing.stimulus.is_some() {
                let what = "models with maps are played at random, --stimulus is for others";
                return Err(Refused::usage(format!("{}: error: {what}", problem.path)));
            }
            let (waves, remarks) = instance::play(model, playing.size, playing.steps, playing.seed);
            Ok(played(&waves, remarks))
        }
    }
}

fn played(waves: &Waves, remarks: Vec<String>) -> Played {
    Played { trace: of_waves(waves), waveform: Waveform::of_waves(waves), remarks }
}

fn play_bits(playing: Playing<'_>, system: &BitSystem) -> Result<Played, String> {
    let mut rng = Rng::new(playing.seed);
    let inputs = match playing.stimulus {
        Some(path) => read_stimulus(system, path)?,
        None => (0..playing.steps).map(|_| random_row(system.num_inputs(), &mut rng)).collect(),
    };
    let initial = initial_state(system, &inputs[0], &mut rng);
    let execution = Trace { property: PropertyId::new(0), initial, inputs };
    let waveform = Waveform::of_bits(system, &execution);
    let (waves, remarks) = (Waves::of_bits(system, &execution), remarks(system, &execution));
    Ok(Played { trace: of_waves(&waves), waveform, remarks })
}

fn play_words(playing: Playing<'_>, problem: &Problem, system: &words::System) -> Result<Played, String> {
    let execution = match playing.stimulus {
        None => random_execution(system, playing.steps, &mut Rng::new(playing.seed)),
        Some(path) if problem.format != Format::Btor2 => crate::files::steps_by_names(system, path)?,
        Some(path) => {
            let name = path.display().to_string();
            match btor2::read_witness(crate::open(path)?, system, problem.liveness().justice.len())
                .map_err(|d| d.render(&name))?
            {
                Witness::Violation(trace) | Witness::Round { execution: trace, .. } => trace,
                Witness::Safe | Witness::Unknown => {
                    return Err(format!("{name}: error: there is no trace in it"));
                }
            }
        }
    };
    let waveform = Waveform::of_words(system, &execution);
    let (waves, remarks) = (Waves::of_words(system, &execution), word_remarks(system, &execution));
    Ok(Played { trace: of_waves(&waves), waveform, remarks })
}

/// Executes the source.
fn play_lustre(
    playing: Playing<'_>,
    problem: &Problem,
    model: &buttress_lustre::LustreModel,
) -> Result<Played, String> {
    let execution = match playing.stimulus {
        Some(file) => {
            let trace = read_trace(file)?;
            script::play(model, &trace.steps).map_err(|why| format!("{}: error: {why}", file.display()))?
        }
        None => {
            let mut interpreter = Interpreter::new(model);
            let mut choices = Random::new(playing.seed);
            let refused =
                |what| format!("{}: error: {what} are read and checked, but not analysed", problem.path);
            let steps = (0..playing.steps).map(|_| interpreter.step(&mut choices).map_err(refused));
            let steps = steps.collect::<Result<Vec<_>, _>>()?;
            Execution { steps, signals: interpreter.into_signals() }
        }
    };
    let waveform = Waveform::of_waves(&waves_of_execution(&execution));
    let notes = notes(execution.steps.iter().map(|step| watched(step, problem)));
    Ok(Played { trace: of_execution(model, &execution), waveform, remarks: notes })
}

fn watched(step: &Executed, problem: &Problem) -> Step {
    let is_goal = |name: &str| problem.claims().iter().any(|claim| claim.is_goal() && claim.name == name);
    let broken = step.constraints.iter().find(|(_, holds)| !holds).map(|(name, _)| name.to_string());
    let told = step.properties.iter().filter(|(_, holds)| !holds).map(|(name, _)| told(name, is_goal(name)));
    Step { broken, told: told.collect() }
}

/// What is said of a property whose bad state is there, or of a goal.
fn told(title: &str, is_goal: bool) -> String {
    format!("{title} is {}", if is_goal { "reached" } else { "violated" })
}

fn read_stimulus(system: &BitSystem, path: &Path) -> Result<Vec<Vec<Ternary>>, String> {
    let name = path.display().to_string();
    let rows = stimulus::read(crate::open(path)?, system).map_err(|d| d.render(&name))?;
    if rows.is_empty() { Err(format!("{name}: error: the stimulus has no steps")) } else { Ok(rows) }
}

fn random_row(width: usize, rng: &mut Rng) -> Vec<Ternary> {
    (0..width).map(|_| Ternary::from(rng.one_in(2))).collect()
}

/// Resets, with random values for what is uninitialised.
fn initial_state(system: &BitSystem, inputs: &[Ternary], rng: &mut Rng) -> Vec<Ternary> {
    let mut latches = vec![Ternary::Zero; system.num_latches()];
    for latch in system.reset_order().expect("refused when the model was read") {
        let reset = system.latch(latch).reset;
        latches[latch.index()] = if reset == system.latch_lit(latch) {
            Ternary::from(rng.one_in(2))
        } else if reset.is_constant() {
            Ternary::from(reset.is_negated())
        } else {
            value(&evaluate(system, &latches, inputs), reset)
        };
    }
    latches
}

/// The violated constraints and properties of an execution, in words.
fn remarks(system: &BitSystem, execution: &Trace) -> Vec<String> {
    let step = |(step, latches): (usize, &Vec<Ternary>)| {
        let values = evaluate(system, latches, &execution.inputs[step]);
        let broken = system.constraints.iter().position(|&c| value(&values, c) == Ternary::Zero);
        let violated = |p: &PropertyId| value(&values, system.property(*p).bad) == Ternary::One;
        Step {
            broken: broken.map(|c| system.symbols.name(SymbolKind::Constraint, c)),
            told: system
                .property_ids()
                .filter(violated)
                .map(|p| told(&bit_claim(system, p).title, false))
                .collect(),
        }
    };
    notes(states(system, execution).iter().enumerate().map(step))
}

fn word_remarks(system: &words::System, execution: &WordTrace) -> Vec<String> {
    let constraints = system.constraints.iter().map(|c| c.term);
    let watched: Vec<TermId> = constraints.chain(system.properties.iter().map(|p| p.bad)).collect();
    let step = |row: Vec<Option<Value>>| {
        let (constraints, properties) = row.split_at(system.constraints.len());
        let is = |value: &Option<Value>, wanted| *value == Some(Value::Bool(wanted));
        let broken = constraints.iter().position(|c| is(c, false));
        let violated = (0..properties.len()).filter(|&p| is(&properties[p], true));
        let named = |p: &words::Property| told(&p.label.name, p.kind == words::PropertyKind::Cover);
        Step {
            broken: broken.map(|c| system.constraints[c].label.name.to_string()),
            told: violated.map(|p| &system.properties[p]).map(named).collect(),
        }
    };
    notes(values(system, execution, &watched).into_iter().map(step))
}

/// The violated constraint of a step, and what is told of its properties.
struct Step {
    broken: Option<String>,
    told: Vec<String>,
}

fn notes(steps: impl Iterator<Item = Step>) -> Vec<String> {
    let mut notes = Vec::new();
    for (step, Step { broken, told }) in steps.enumerate() {
        if let Some(name) = broken {
            notes.push(format!(
                "step {step}: constraint {name} does not hold, so this is no execution from here on"
            ));
            return notes;
        }
        notes.extend(told.iter().map(|what| format!("step {step}: {what}")));
    }
    notes
}
