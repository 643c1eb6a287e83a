//! Engines on systems with maps, for all places: the searches of `buttress_indexed`, which ask neither `Query` nor
//! `Step` and start SMT solvers of their own. Here they become engines like all others: they tell a
//! [`Desk`](crate::Desk).

use buttress_indexed::backward::{self, Answer};
use buttress_indexed::bmc::Paths;
use buttress_indexed::directed::Effort;
use buttress_indexed::{Conclusion, Options, Predicates, analyse, discover};
use buttress_solve::Stopped;
use buttress_solve::smt::Config;
use buttress_system::indexed::Indexed;
use buttress_system::{PropertyId, Verdict};

use crate::{Job, Progress};

/// The strongest invariant over the predicates of the model, and what it implies.
pub(crate) fn indexed_predicates(smt: &Config, job: &Job<'_, Indexed>) -> Result<(), Stopped> {
    let (model, maps) = (job.system, job.settings.maps);
    if model.predicates.is_empty() {
        job.properties.iter().for_each(|&p| job.give_up(p, "the model has no predicates"));
        return Ok(());
    }
    let options = Options { elimination: maps.elimination, nodes: maps.nodes };
    let analysis = analyse(model, &job.properties, &options, smt, job.stop)?;
    let (depth, queries) = (analysis.reached.iterations(), analysis.reached.queries);
    job.desk.progress(Progress { depth, size: queries, open: job.properties.len(), queries });
    for (property, conclusion) in analysis.conclusions {
        conclude(job, property, model, conclusion);
    }
    Ok(())
}

/// Clauses over predicates that the property needs; the predicates are found where nobody gave some.
pub(crate) fn directed(smt: &Config, job: &Job<'_, Indexed>) -> Result<(), Stopped> {
    let model = job.system;
    let given = !model.predicates.is_empty() && job.settings.maps.predicates == Predicates::Given;
    let source = if given { Predicates::Given } else { Predicates::Found };
    for &property in &job.properties {
        if job.desk.is_decided(property) {
            continue;
        }
        let mut tell = |effort: Effort| {
            let Effort { guesses, queries, vocabulary, .. } = effort;
            let (size, open) = (guesses as u64, job.properties.len());
            job.desk.progress(Progress { depth: vocabulary, size, open, queries });
        };
        let found = discover(model, property, source, smt, job.stop, &mut tell)?;
        conclude(job, property, &found.model, found.conclusion);
    }
    Ok(())
}

fn conclude(job: &Job<'_, Indexed>, property: PropertyId, model: &Indexed, conclusion: Conclusion) {
    match conclusion {
        Conclusion::Proved(proof) => job.desk.decide(property, Verdict::Safe(proof)),
        Conclusion::Open { values, weak } => job.give_up(property, &weak.explain(model, &values)),
    }
}

/// Backward reachability of cubes, for systems of processes.
pub(crate) fn backward(smt: &Config, job: &Job<'_, Indexed>) -> Result<(), Stopped> {
    let (model, open) = (job.system, job.properties.len());
    let mut tell = |property: PropertyId, answer: Answer, effort: backward::Effort| {
        let backward::Effort { cubes, queries, .. } = effort;
        job.desk.progress(Progress { depth: cubes, size: queries, open, queries });
        match answer {
            Answer::Proved(proof) => job.desk.decide(property, Verdict::Safe(proof)),
            Answer::Violated(trace) => job.desk.decide(property, Verdict::Unsafe(trace)),
            Answer::Open(why) => job.give_up(property, &why),
        }
    };
    backward::decide(model, &job.properties, smt, job.stop, &mut tell).unwrap_or_else(|| {
        job.properties.iter().for_each(|&p| job.give_up(p, "the places of this model are no processes"));
        Ok(())
    })
}

/// Paths of ever more steps, with tables for maps.
pub(crate) fn bmc(smt: &Config, job: &Job<'_, Indexed>) -> Result<(), Stopped> {
    for &property in &job.properties {
        let mut paths = Paths::new(job.system, smt, job.stop);
        let mut open = true;
        for step in 0..job.settings.bound {
            open = !job.desk.is_decided(property);
            if !open {
                break;
            }
            match paths.violation(property)? {
                None => job.desk.holds_up_to(property, step),
                // Axioms are known at some places only.
                Some(trace) if !job.system.axioms.is_empty() => {
                    job.desk.decide(property, Verdict::Perhaps(trace));
                    open = false;
                    break;
                }
                Some(trace) => {
                    job.desk.decide(property, Verdict::Unsafe(trace));
                    open = false;
                    break;
                }
            }
        }
        if open {
            job.give_up(property, &job.beyond_bound());
        }
    }
    Ok(())
}
