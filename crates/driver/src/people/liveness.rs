//! Why a proof of liveness is one, and what goes round in a lasso: in the terms of the model.
//!
//! The three proofs of [`buttress_system::live`] each read as a sentence about the signals of the property, its own
//! first and then those of fairness. Of a formula the signals are what its negation promises: that has no name in
//! the model, and is called by a number.

use buttress_cores::live_words_of;
use buttress_format::lemmas::LatchNames;
use buttress_system::evidence::{evaluate, states, value};
use buttress_system::words::{Simulation, System, WordProof};
use buttress_system::{
    Arena, BitSystem, Live, LiveProof, Monitor, Proof, PropertyId, Question, Recurrent, Ternary, Unfolds,
};
use buttress_term::TermId;
use buttress_term::infix::infix;

use crate::judge::Accepted;
use crate::problem::{LiveOriginal, Problem};

/// Why a proof of liveness that was accepted is one; nothing of any other evidence.
pub fn why(problem: &Problem, accepted: &Accepted) -> Vec<String> {
    match (accepted, problem.live()) {
        (Accepted::Bits(checked), Some(LiveOriginal::Bits(live))) => {
            let Some(proof) = checked.evidence().live_proof() else { return Vec::new() };
            let unfolded = BitSystem::unfolded(&live);
            let names = LatchNames::of(&unfolded.system);
            let clauses = |set: &Proof| set.invariant.iter().map(|c| names.clause(&c.0)).collect();
            let signals = signals(&live_words_of(&live), checked.properties()[0]);
            told(proof, &signals, &clauses)
        }
        (Accepted::Words(checked), Some(LiveOriginal::Words(live))) => {
            let Some(proof) = checked.evidence().live_proof() else { return Vec::new() };
            let conjuncts =
                |set: &WordProof| set.claim.invariant.iter().map(|&c| infix(&set.terms, c)).collect();
            told(proof, &signals(&live, checked.properties()[0]), &conjuncts)
        }
        _ => Vec::new(),
    }
}

/// What is to hold again and again.
fn signals(live: &Live<System>, property: PropertyId) -> Vec<String> {
    let name = |&signal: &TermId| infix(&live.system.terms, signal);
    let own: Vec<String> = match live.question(property.index()) {
        Some(Question::Justice(own)) => own.iter().map(name).collect(),
        _ => {
            let all = System::unfolded(live).signals(property.index()).count();
            (1..=all - live.fairness.len()).map(|n| format!("promise {n} of the negated formula")).collect()
        }
    };
    own.into_iter().chain(live.fairness.iter().map(name)).collect()
}

fn told<P>(proof: &LiveProof<P>, signals: &[String], conjuncts: &dyn Fn(&P) -> Vec<String>) -> Vec<String> {
    let all = if signals.is_empty() { "any step".to_string() } else { signals.join(", ") };
    match proof.monitor {
        Monitor::Loop => vec![format!("no state comes back with each of these met in between: {all}")],
        Monitor::Visits(0) => vec![format!("these are never all met: {all}")],
        Monitor::Visits(k) => {
            let times = if k == 1 { "once".to_string() } else { format!("{k} times") };
            vec![format!("these are met, all of them and all over again, {times} at most: {all}")]
        }
        Monitor::Arenas => {
            let head = "who goes on for ever stays in one of these parts of the states some day".to_string();
            let mut places = vec![Vec::new(); proof.arenas.len()];
            let mut lines = vec![head];
            for (number, arena) in proof.arenas.iter().enumerate() {
                let here: Vec<String> = std::mem::take(&mut places[number]);
                match arena {
                    Arena::Wall { set, inside, outside } => {
                        let wall = conjuncts(set).join(" & ");
                        let and = |more: String| here.iter().cloned().chain([more]).collect();
                        (places[*inside], places[*outside]) =
                            (and(format!("({wall})")), and(format!("!({wall})")));
                    }
                    Arena::Lacks(signal) => {
                        let lacks = signals.get(*signal).map_or("any step", String::as_str);
                        let here = if here.is_empty() { "anywhere".to_string() } else { here.join(" & ") };
                        lines.push(format!("{here}: no step has {lacks}"));
                    }
                }
            }
            lines
        }
    }
}

/// Where a lasso goes round, and in which step it meets each signal on its way.
pub fn round(problem: &Problem, accepted: &Accepted) -> Vec<String> {
    let Some((justice, back)) = accepted.lasso() else { return Vec::new() };
    let (named, rows) = match (accepted, problem.live()) {
        (Accepted::Bits(checked), Some(LiveOriginal::Bits(live))) => {
            let Some(trace) = checked.evidence().trace() else { return Vec::new() };
            let met = met(&live, justice);
            let steps = states(&live.system, trace);
            let rows = steps.iter().zip(&trace.inputs).map(|(latches, inputs)| {
                let values = evaluate(&live.system, latches, inputs);
                met.iter().map(|&q| value(&values, q) == Ternary::One).collect()
            });
            let rows: Vec<Vec<bool>> = rows.collect();
            let words = live_words_of(&live);
            (self::met(&words, justice).into_iter().map(|q| infix(&words.system.terms, q)).collect(), rows)
        }
        (Accepted::Words(checked), Some(LiveOriginal::Words(live))) => {
            let Some(trace) = checked.evidence().trace() else { return Vec::new() };
            let met = met(&live, justice);
            let mut simulation = Simulation::new(&live.system);
            let mut rows: Vec<Vec<bool>> = Vec::new();
            for (step, row) in trace.inputs.iter().enumerate() {
                match step {
                    0 => simulation.start(&trace.initial, row),
                    _ => simulation.step(row),
                }
                rows.push(met.iter().map(|&q| simulation.bool(q) == Some(true)).collect());
            }
            (met.iter().map(|&q| infix(&live.system.terms, q)).collect::<Vec<String>>(), rows)
        }
        _ => return Vec::new(),
    };
    let last = rows.len() - 1;
    let first = |signal: usize| (back..rows.len()).find(|&step| rows[step][signal]);
    let met = named.iter().enumerate();
    let met = met.filter_map(|(n, name)| Some(format!("on the way round step {} has {name}", first(n)?)));
    [format!("steps {back} to {last} come again and again")].into_iter().chain(met).collect()
}

/// The signals that a lasso meets: of a formula, on which it is evaluated, only fairness.
fn met<S: Recurrent>(live: &Live<S>, justice: usize) -> Vec<S::Signal> {
    let own = live.question(justice).map_or(&[][..], Question::met);
    own.iter().chain(&live.fairness).copied().collect()
}
