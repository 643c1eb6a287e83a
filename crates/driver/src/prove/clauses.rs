//! Lemmas that are clauses over the bits of a model, whether it was written in bits or in words.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use buttress_check::Refusal;
use buttress_engine::{Failure, Incremental, incremental, largest_inductive};
use buttress_format::lemmas::{Group, Lemmas};
use buttress_query::{Bits, Levels, Path as Walked};
use buttress_solve::smt::Config;
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::{BitSystem, Clause, Proof, PropertyId, Ternary, Trace, Waves};
use buttress_transform::{Way, lower_property};

use super::{AT_START, Attempt, Attempts, Candidates, KEPT, Shown, States};
use crate::Refused;
use crate::files::read_clauses;
use crate::judge::{Accepted, Judge, Judged};
use crate::people::{Names, of_waves, trace_report};
use crate::problem::{ClaimId, Original, Problem};

pub(super) fn prove(
    problem: &Arc<Problem>,
    claims: &[ClaimId],
    file: Option<&Path>,
    stop: &Stop,
) -> Result<Attempts, Refused> {
    let (lemmas, note) = match file {
        Some(file) => read_clauses(problem, file)?,
        None => (Lemmas::default(), None),
    };
    let system = problem.bits().expect("clauses are about bits");
    let (candidates, more) = usable_candidates(system, &lemmas, stop).unwrap_or_default();
    let groups: Vec<Group> = lemmas.groups.into_iter().chain(more).collect();
    let mut attempts = Vec::new();
    for &claim in claims {
        let Some(property) = problem.claim(claim).property() else { continue };
        let start = Instant::now();
        let attempt = prove_one(problem, system, property, &groups, stop);
        attempts.push((claim, attempt, start.elapsed().as_secs_f64()));
    }
    Ok(Attempts { candidates, notes: note.into_iter().collect(), claims: attempts })
}

/// The candidates that are inductive together with the lemmas, as one group more.
fn usable_candidates(
    system: &Arc<BitSystem>,
    lemmas: &Lemmas,
    stop: &Stop,
) -> Result<(Option<Candidates>, Option<Group>), Stopped> {
    let given = lemmas.candidates.len();
    if given == 0 {
        return Ok((None, None));
    }
    let clauses: Vec<Clause> = lemmas.clauses().cloned().collect();
    let mut levels = Levels::new(system.clone(), || Cdcl::new(stop));
    let kept = largest_inductive(&mut levels, &clauses)?;
    let first = clauses.len() - given;
    let candidates = kept.iter().filter_map(|c| c.checked_sub(first));
    let group: Vec<_> = candidates.map(|c| lemmas.candidates[c].clone()).collect();
    let candidates = Candidates { used: group.len(), given };
    Ok((Some(candidates), (!group.is_empty()).then_some(Group { lemmas: group })))
}

fn prove_one(
    problem: &Problem,
    system: &Arc<BitSystem>,
    original: PropertyId,
    groups: &[Group],
    stop: &Stop,
) -> Attempt {
    let property = match problem.in_bits() {
        Ok(way) => lower_property(way, original).expect("bits have all properties"),
        Err(_) => original,
    };
    let clauses: Vec<Vec<Clause>> =
        groups.iter().map(|g| g.lemmas.iter().map(|l| l.clause.clone()).collect()).collect();
    let mut relative = Levels::new(system.clone(), || Cdcl::new(stop));
    let mut reasoner = Bits::new(system.clone(), || Cadical::new(stop, 0), stop);
    let weights = vec![0.0; system.num_latches()];
    match incremental(&mut relative, &mut reasoner, property, &clauses, &weights) {
        Err(why) => Attempt::NotProved { why: why.to_string(), states: None },
        Ok(Incremental::Lemma { group, clause, why }) => {
            let lemma = &groups[group].lemmas[clause];
            let (failed, states) = failure(problem, system, &why);
            let why = format!("the lemma of line {}, {}, {failed}", lemma.line, lemma.text);
            Attempt::NotProved { why, states }
        }
        Ok(Incremental::Property { invariant, why }) => {
            let lemmas = if invariant.is_empty() { "" } else { "the lemmas hold, but " };
            let (failed, states) = failure(problem, system, &why);
            Attempt::NotProved { why: format!("{lemmas}the property {failed}"), states }
        }
        Ok(Incremental::Violated(path)) => match certify_trace(problem, trace(property, &path), stop) {
            Ok(accepted) => {
                Attempt::Violated(trace_report(problem, &accepted).expect("a trace was accepted"))
            }
            Err(why) => Attempt::Fault(format!("the evidence was not accepted: {why}")),
        },
        Ok(Incremental::Proved(proof)) => {
            let how = match proof.invariant.len() {
                0 => "inductive by itself".to_string(),
                1 => "lemmas, k = 1, 1 clause".to_string(),
                n => format!("lemmas, k = 1, {n} clauses"),
            };
            match certify_proof(problem, proof, stop) {
                Ok(_) => Attempt::Proved(how),
                Err(Refusal::Stopped(why)) => Attempt::NotProved { why: why.to_string(), states: None },
                Err(Refusal::Rejected(why)) => Attempt::Fault(format!("the evidence was rejected: {why}")),
            }
        }
    }
}

/// On the original.
fn certify_proof(problem: &Problem, proof: Proof, stop: &Stop) -> Result<Accepted, Refusal> {
    match (problem.original(), problem.in_bits()) {
        (Original::Words(system), Ok(way)) => {
            Judged::certify_proof(&judge(problem, system), way.proof(proof), stop)
        }
        (Original::Bits(system), _) => Judged::certify_proof(&judge(problem, system), proof, stop),
        _ => Err(Refusal::Rejected("there are no bits".to_string())),
    }
}

fn certify_trace(problem: &Problem, trace: Trace, stop: &Stop) -> Result<Accepted, Refusal> {
    match (problem.original(), problem.in_bits()) {
        (Original::Words(system), Ok(way)) => {
            Judged::certify_trace(&judge(problem, system), way.trace(trace), stop)
        }
        (Original::Bits(system), _) => Judged::certify_trace(&judge(problem, system), trace, stop),
        _ => Err(Refusal::Rejected("there are no bits".to_string())),
    }
}

fn judge<S>(problem: &Problem, system: &Arc<S>) -> Judge<S> {
    let smt = Config::new(Vec::new());
    Judge { system: system.clone(), replay: problem.replay(), in_bits: true, smt }
}

/// Which of the two queries fails, and with which states.
fn failure(problem: &Problem, system: &BitSystem, why: &Failure) -> (&'static str, Option<States>) {
    let shown = match why {
        Failure::AtStart => return (AT_START, None),
        Failure::Lemma(states) => {
            let names = Names::of(system);
            Shown::Cube { latches: names.latches(&states.cube), inputs: names.inputs(states) }
        }
        Failure::Property(path) => {
            let path = trace(PropertyId::new(0), path);
            let waves = match (problem.original(), problem.in_bits()) {
                (Original::Words(words), Ok(way)) => Waves::of_words(words, &way.trace(path)),
                _ => Waves::of_bits(system, &path),
            };
            Shown::Trace(of_waves(&waves))
        }
    };
    (KEPT, Some(States { at_start: false, shown }))
}

fn trace(property: PropertyId, path: &Walked) -> Trace {
    let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect();
    Trace { property, initial: row(&path.states[0]), inputs: path.inputs.iter().map(row).collect() }
}
