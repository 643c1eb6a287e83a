//! The check on words.
//!
//! A trace is replayed by evaluating terms; no bit is involved. A proof is checked in bits of the checker's own
//! making ([`encode`], [`circuits`]), by the same obligations as for bits (`crate::proof`), on the system as the
//! front end made it. Nothing here is shared with `transform::blast`, so a proof that holds only because of a
//! wrong circuit there is rejected. The two do share the code of values (`system::words::code`), by which a proof
//! names the bits that tell states apart.
//!
//! Integers that have bounds are checked in bits, too: the bounds are conjuncts of the proof or constraints, and
//! the checker shows by its own intervals that they hold ([`ranges`]). Who found the bounds, and how, is not
//! trusted.
//!
//! Proofs about other integers, reals and large arrays are checked by an SMT solver that the caller starts afresh
//! ([`theory`]): another than the one that found the proof, where there is one.

mod circuits;
mod encode;
mod liveness;
mod numbers;
mod ranges;
mod theory;

use buttress_solve::Stop;
use buttress_system::words::{Replay, Simulation, System, WordProof, WordTrace, code};
use buttress_system::{Lasso, Live, PropertyId};
use buttress_term::{Sort, TermId, Value};

use crate::ltl;
use crate::proof::obligations;
use crate::trace::{admissible, all_met, closes, goes_round, violated};
use crate::{Checked, Evidence, Refusal, WordChecked, require};

pub use liveness::{certify_theory_live_proof, certify_word_live_proof};
pub use theory::{certify_theory_invariant, certify_theory_proof, inductive_alone};

/// Accepts a trace that the system can execute and that violates its property (or covers it) in its last step.
pub fn certify_word_trace(system: &System, trace: WordTrace) -> Result<WordChecked, Refusal> {
    valid(system)?;
    trace_fits(system, &trace)?;
    let bad = system.property(trace.property).bad;
    replay(
        system,
        &trace,
        &mut trace.inputs.iter(),
        &mut |step, simulation| match step == trace.last_step() {
            true => violated(step, simulation.bool(bad) == Some(true)),
            false => Ok(()),
        },
    )?;
    Ok(Checked { decides: vec![trace.property], evidence: Evidence::Trace(trace), vacuous: None })
}

/// Who sees a step.
type Seen<'a> = dyn FnMut(usize, &mut Simulation<'_>) -> Result<(), Refusal> + 'a;

/// Executes a trace with these inputs: its start in the first step, constraints in every step.
fn replay(
    system: &System,
    trace: &WordTrace,
    rows: &mut dyn Iterator<Item = &Vec<Option<Value>>>,
    seen: &mut Seen<'_>,
) -> Result<(), Refusal> {
    let mut simulation = Simulation::new(system);
    for (step, row) in rows.enumerate() {
        match step {
            0 => simulation.start(&trace.initial, row),
            _ => simulation.step(row),
        }
        if step == 0 {
            starts_hold(system, trace, &mut simulation)?;
        }
        admissible(step, system.constraints.iter().map(|c| simulation.bool(c.term) == Some(true)))?;
        seen(step, &mut simulation)?;
    }
    Ok(())
}

/// Accepts an execution that goes round for ever and meets each signal of the justice property, and of fairness,
/// on its way round. It closes on the states that these and the constraints depend on.
pub fn certify_word_lasso(live: &Live<System>, lasso: Lasso<WordTrace>) -> Result<WordChecked, Refusal> {
    let system = &*live.system;
    valid(system)?;
    let Lasso { justice, trace, back } = &lasso;
    let asked = ltl::asked(live, *justice)?;
    let formula = asked.formula();
    values_fit(system, trace)?;
    goes_round(*back, trace.inputs.len())?;
    let signals: Vec<TermId> = asked.met().iter().chain(&live.fairness).copied().collect();
    let read: Vec<TermId> = formula.into_iter().flat_map(|formula| formula.signals()).collect();
    let all: Vec<TermId> = signals.iter().chain(&read).copied().collect();
    let behind = liveness::states_behind(system, &all);
    let (mut there, mut met, mut steps) = (Vec::new(), vec![false; signals.len()], Vec::new());
    replay(system, trace, &mut trace.inputs.iter(), &mut |step, simulation| {
        if step == *back {
            there = simulation.states();
        }
        if step >= *back {
            met.iter_mut().zip(&signals).for_each(|(met, &q)| *met |= simulation.bool(q) == Some(true));
        }
        steps.push(read.iter().map(|&signal| simulation.bool(signal)).collect());
        Ok(())
    })?;
    // The step that it goes back to comes once more, to see that it is the same. A state that may take any value
    // takes the one that it had there.
    let mut once_more = trace.inputs[*back].clone();
    let free = system.free_states().map(|s| there[s.index()].clone());
    once_more.splice(system.inputs.len().., free);
    let mut last = Vec::new();
    let rows = trace.inputs.iter().chain([&once_more]);
    replay(system, trace, &mut { rows }, &mut |_, simulation| {
        last = simulation.states();
        Ok(())
    })?;
    closes(behind.iter().all(|s| last[s.index()].is_some() && last[s.index()] == there[s.index()]))?;
    all_met(&met)?;
    formula.map_or(Ok(()), |formula| ltl::fails(formula, &steps, *back))?;
    let decides = vec![PropertyId::new(*justice)];
    Ok(Checked { decides, evidence: Evidence::Lasso(lasso), vacuous: None })
}

/// Accepts an execution that goes round after its last step, wherever it goes back to; what is said is why it does
/// not go back to the last step that it might.
pub fn certify_word_round(
    live: &Live<System>,
    justice: usize,
    trace: WordTrace,
) -> Result<WordChecked, Refusal> {
    let lasso = |back| certify_word_lasso(live, Lasso { justice, trace: trace.clone(), back });
    let mut outcome = lasso(0);
    for back in 1..trace.inputs.len() {
        if outcome.is_ok() {
            break;
        }
        outcome = lasso(back);
    }
    outcome
}

/// Accepts a counterexample to k-induction of these properties: states, wherever they come from, in which the
/// constraints and the `known` properties hold, and these too except that the trace's is violated in the last.
pub fn certify_word_step_failure(
    system: &System,
    path: &WordTrace,
    properties: &[PropertyId],
    known: &[PropertyId],
) -> Result<(), Refusal> {
    valid(system)?;
    trace_fits(system, path)?;
    let mut simulation = Simulation::new(system);
    for (step, row) in path.inputs.iter().enumerate() {
        match step {
            0 => simulation.start(&path.initial, row),
            _ => simulation.step(row),
        }
        admissible(step, system.constraints.iter().map(|c| simulation.bool(c.term) == Some(true)))?;
        let mut bad = |p: &PropertyId| simulation.bool(system.property(*p).bad);
        let holds = known.iter().all(|p| bad(p) == Some(false));
        require(holds, || format!("a lemma does not hold in state {step}"))?;
        let as_expected = match step == path.last_step() {
            true => bad(&path.property) == Some(true),
            false => properties.iter().all(|p| bad(p) == Some(false)),
        };
        require(as_expected, || format!("the property is not as it should be in state {step}"))?;
    }
    Ok(())
}

/// Accepts a trace that both the system and the source that it was translated from can execute, and that violates
/// its property in both.
pub fn certify_source_trace(
    system: &System,
    source: &dyn Replay,
    trace: WordTrace,
) -> Result<WordChecked, Refusal> {
    let checked = certify_word_trace(system, trace.clone())?;
    source.replay(&trace).map_err(Refusal::Rejected)?;
    Ok(checked)
}

/// Accepts a strengthening that is k-inductive on this system, or that all its (bounded) executions satisfy.
pub fn certify_word_proof(system: &System, proof: WordProof, stop: &Stop) -> Result<WordChecked, Refusal> {
    names_a_property(&proof)?;
    certify_word_invariant(system, proof, stop)
}

/// Accepts a strengthening that is k-inductive on this system and may name no property: it decides nothing, but
/// may help others.
pub fn certify_word_invariant(
    system: &System,
    proof: WordProof,
    stop: &Stop,
) -> Result<WordChecked, Refusal> {
    valid(system)?;
    proof_fits(system, &proof)?;
    parts_fit(system, &proof)?;
    let encoded = encode::encode(system, &proof)?;
    let vacuous = obligations(&encoded.system, &encoded.proof, &encoded.known, stop)?;
    let decides = proof.claim.properties.clone();
    Ok(Checked { decides, evidence: Evidence::Proof(proof), vacuous })
}

fn valid(system: &System) -> Result<(), Refusal> {
    system.validate().map_err(|fault| Refusal::Rejected(format!("the system is ill-formed: {fault}")))
}

pub(crate) fn trace_fits(system: &System, trace: &WordTrace) -> Result<(), Refusal> {
    let property = trace.property.index();
    require(property < system.properties.len(), || format!("there is no property {property}"))?;
    values_fit(system, trace)
}

fn values_fit(system: &System, trace: &WordTrace) -> Result<(), Refusal> {
    require(!trace.inputs.is_empty(), || "the trace has no steps".to_string())?;
    let sort = |variable: TermId| system.terms.sort(variable);
    let states: Vec<&Sort> = system.states.iter().map(|s| sort(s.variable)).collect();
    require(of_sorts(&trace.initial, &states), || "the initial values do not fit the states".to_string())?;
    let inputs = system.inputs.iter().map(|i| i.variable);
    let row = inputs.chain(system.free_states().map(|s| system.state(s).variable));
    let row: Vec<&Sort> = row.map(sort).collect();
    let fits = trace.inputs.iter().all(|values| of_sorts(values, &row));
    require(fits, || "the values of a step do not fit the inputs and free states".to_string())
}

fn of_sorts(values: &[Option<Value>], sorts: &[&Sort]) -> bool {
    let fits = |(value, sort): (&Option<Value>, &&Sort)| value.as_ref().is_none_or(|v| v.sort() == **sort);
    values.len() == sorts.len() && values.iter().zip(sorts).all(fits)
}

/// Checks that the initial values of the trace are those of `init`.
fn starts_hold(system: &System, trace: &WordTrace, simulation: &mut Simulation<'_>) -> Result<(), Refusal> {
    for (state, given) in system.states.iter().zip(&trace.initial) {
        if let (Some(init), Some(given)) = (state.init, given) {
            let holds = simulation.value(init).as_ref() == Some(given);
            require(holds, || format!("`{}` does not start with its init", state.label.name))?;
        }
    }
    Ok(())
}

fn names_a_property(proof: &WordProof) -> Result<(), Refusal> {
    require(!proof.claim.properties.is_empty(), || "the proof names no property".to_string())
}

fn proof_fits(system: &System, proof: &WordProof) -> Result<(), Refusal> {
    let claim = &proof.claim;
    require(claim.k > 0, || "k is 0, but plain induction is k = 1".to_string())?;
    let properties = claim.properties.iter().all(|p| p.index() < system.properties.len());
    require(properties, || "the proof names a property that does not exist".to_string())?;
    let extends = proof.terms.extends(&system.terms);
    require(extends, || "the terms of the proof are not those of the system and more".to_string())?;
    let is_claim = |t: &TermId| t.index() < proof.terms.len() && *proof.terms.sort(*t) == Sort::Bool;
    require(claim.invariant.iter().all(is_claim), || "a conjunct of the invariant is not Boolean".to_string())
}

fn parts_fit(system: &System, proof: &WordProof) -> Result<(), Refusal> {
    let parts = proof.claim.distinct.iter().flatten().all(|part| {
        let state = system.states.get(part.state.index());
        state.is_some_and(|s| match system.terms.sort(s.variable) {
            Sort::Int => true,
            sort => code::width(sort).is_some_and(|width| part.bit.is_none_or(|bit| bit < width)),
        })
    });
    require(parts, || "distinctness names a state or bit that does not exist".to_string())
}
