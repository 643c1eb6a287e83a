//! Replaying a trace: resets in the first step, constraints in every step, the violation in the last.
//!
//! Evaluation is three-valued, so a trace with unknown values is accepted only if it violates the property
//! whatever they are.

use buttress_system::evidence::{evaluate, states, value};
use buttress_system::{BitSystem, Lasso, LatchId, Lit, Live, Proof, PropertyId, Ternary, Trace};

use crate::liveness::latches_behind;
use crate::ltl;
use crate::{Checked, Evidence, Refusal, require};

/// Accepts a trace that the system can execute and that violates its property in its last step.
pub fn certify_trace(system: &BitSystem, trace: Trace) -> Result<Checked, Refusal> {
    fits(system, &trace)?;
    let bad = system.property(trace.property).bad;
    replay(system, &trace, &mut |step, _, values| match step == trace.last_step() {
        true => violated(step, value(values, bad) == Ternary::One),
        false => Ok(()),
    })?;
    Ok(Checked { decides: vec![trace.property], evidence: Evidence::Trace(trace), vacuous: None })
}

/// Accepts an execution that goes round for ever and meets each signal of the justice property, and of fairness,
/// on its way round; or of a formula, one on which it does not hold. It closes on the latches that these and the
/// constraints depend on; the others go on as they may, and nobody reads them.
pub fn certify_lasso(live: &Live<BitSystem>, lasso: Lasso) -> Result<Checked, Refusal> {
    let Lasso { justice, trace, back } = &lasso;
    let system = &*live.system;
    let asked = ltl::asked(live, *justice)?;
    let formula = asked.formula();
    fits_in_size(system, trace)?;
    goes_round(*back, trace.inputs.len())?;
    let signals: Vec<Lit> = asked.met().iter().chain(&live.fairness).copied().collect();
    let read = formula.into_iter().flat_map(|formula| formula.signals());
    let behind = latches_behind(system, signals.iter().copied().chain(read));
    let (mut there, mut met, mut steps) = (Vec::new(), vec![false; signals.len()], Vec::new());
    let after = replay(system, trace, &mut |step, latches, values| {
        if step == *back {
            there = latches.to_vec();
        }
        if step >= *back {
            met.iter_mut().zip(&signals).for_each(|(met, &q)| *met |= value(values, q) == Ternary::One);
        }
        let read = formula.into_iter().flat_map(|formula| formula.signals());
        steps.push(read.map(|signal| value(values, signal).known()).collect());
        Ok(())
    })?;
    let same = |l: &LatchId| after[l.index()] == there[l.index()] && after[l.index()] != Ternary::X;
    closes(behind.iter().all(same))?;
    all_met(&met)?;
    formula.map_or(Ok(()), |formula| ltl::fails(formula, &steps, *back))?;
    let decides = vec![PropertyId::new(*justice)];
    Ok(Checked { decides, evidence: Evidence::Lasso(lasso), vacuous: None })
}

/// Accepts an execution that goes round after its last step, wherever it goes back to.
pub fn certify_round(live: &Live<BitSystem>, justice: usize, trace: Trace) -> Result<Checked, Refusal> {
    let own = live.justice.get(justice);
    let own = own.ok_or_else(|| Refusal::Rejected(format!("there is no justice property {justice}")))?;
    let system = &*live.system;
    fits_in_size(system, &trace)?;
    let behind = latches_behind(system, own.iter().chain(&live.fairness).copied());
    let read = |latches: &[Ternary]| behind.iter().map(|l| latches[l.index()]).collect::<Vec<_>>();
    let mut rows = Vec::new();
    let after = replay(system, &trace, &mut |_, latches, _| {
        rows.push(read(latches));
        Ok(())
    })?;
    // The longest way round meets whatever a shorter one meets.
    let back = rows.iter().position(|row| *row == read(&after));
    closes(back.is_some())?;
    certify_lasso(live, Lasso { justice, trace, back: back.unwrap_or_default() })
}

/// Who sees a step: its number, the latches, and the values of all variables.
type Seen<'a> = dyn FnMut(usize, &[Ternary], &[Ternary]) -> Result<(), Refusal> + 'a;

/// Executes a trace: resets in the first step, constraints in every step. The latches after the last one.
fn replay(system: &BitSystem, trace: &Trace, seen: &mut Seen<'_>) -> Result<Vec<Ternary>, Refusal> {
    let mut latches = trace.initial.clone();
    for (step, inputs) in trace.inputs.iter().enumerate() {
        let values = evaluate(system, &latches, inputs);
        if step == 0 {
            resets_hold(system, &latches, &values)?;
        }
        admissible(step, system.constraints.iter().map(|&c| value(&values, c) == Ternary::One))?;
        seen(step, &latches, &values)?;
        latches = system.latches().map(|l| value(&values, system.latch(l).next)).collect();
    }
    Ok(latches)
}

/// The latches in each step of an execution, whatever it ends in.
pub(crate) fn executed(system: &BitSystem, trace: &Trace) -> Result<Vec<Vec<Ternary>>, Refusal> {
    fits_in_size(system, trace)?;
    let mut rows = Vec::new();
    replay(system, trace, &mut |_, latches, _| {
        rows.push(latches.to_vec());
        Ok(())
    })?;
    Ok(rows)
}

pub(crate) fn goes_round(back: usize, steps: usize) -> Result<(), Refusal> {
    require(back < steps, || format!("there is no step {back} to go back to"))
}

pub(crate) fn closes(same: bool) -> Result<(), Refusal> {
    require(same, || "the state after the last step is not the one that it goes back to".to_string())
}

/// Each signal of the justice property, then each of fairness.
pub(crate) fn all_met(met: &[bool]) -> Result<(), Refusal> {
    match met.iter().position(|met| !met) {
        None => Ok(()),
        Some(signal) => Err(Refusal::Rejected(format!("signal {signal} does not hold on the way round"))),
    }
}

/// All constraints hold in a step.
pub(crate) fn admissible(step: usize, mut constraints: impl Iterator<Item = bool>) -> Result<(), Refusal> {
    match constraints.position(|holds| !holds) {
        None => Ok(()),
        Some(c) => Err(Refusal::Rejected(format!("constraint {c} does not hold in step {step}"))),
    }
}

/// The property is violated in the last step.
pub(crate) fn violated(step: usize, bad: bool) -> Result<(), Refusal> {
    require(bad, || format!("the property is not violated in step {step}, the last"))
}

/// Accepts a counterexample to k-induction: k states, wherever they come from, in which the constraints, the
/// property and these checked proofs hold, then one in which only the property does not.
pub fn certify_step_failure(system: &BitSystem, path: &Trace, given: &[Proof]) -> Result<(), Refusal> {
    fits(system, path)?;
    for (step, latches) in states(system, path).iter().enumerate() {
        let values = evaluate(system, latches, &path.inputs[step]);
        let one = |lit: Lit| value(&values, lit) == Ternary::One;
        let bad = |p: PropertyId| system.property(p).bad;
        let holds = system.constraints.iter().all(|&c| one(c));
        require(holds, || format!("a constraint does not hold in state {step}"))?;
        let holds = |p: &Proof| {
            p.properties.iter().all(|&p| one(!bad(p)))
                && p.invariant.iter().all(|c| c.0.iter().any(|&l| one(l)))
        };
        require(given.iter().all(holds), || format!("a lemma does not hold in state {step}"))?;
        let expected = if step == path.last_step() { bad(path.property) } else { !bad(path.property) };
        require(one(expected), || format!("the property is not as it should be in state {step}"))?;
    }
    Ok(())
}

fn fits(system: &BitSystem, trace: &Trace) -> Result<(), Refusal> {
    let property = trace.property.index();
    require(property < system.properties.len(), || format!("there is no property {property}"))?;
    fits_in_size(system, trace)
}

fn fits_in_size(system: &BitSystem, trace: &Trace) -> Result<(), Refusal> {
    require(!trace.inputs.is_empty(), || "the trace has no steps".to_string())?;
    let latches = trace.initial.len() == system.num_latches();
    require(latches, || "the trace has another number of latches".to_string())?;
    let inputs = trace.inputs.iter().all(|row| row.len() == system.num_inputs());
    require(inputs, || "the trace has another number of inputs".to_string())
}

/// Each latch has its reset value. An unknown latch may take it if the reset is a constant.
fn resets_hold(system: &BitSystem, latches: &[Ternary], values: &[Ternary]) -> Result<(), Refusal> {
    let holds = |l: LatchId| {
        let reset = system.latch(l).reset;
        let (current, wanted) = (latches[l.index()], value(values, reset));
        reset == system.latch_lit(l)
            || (current == wanted && wanted != Ternary::X)
            || (current == Ternary::X && reset.is_constant())
    };
    match system.latches().find(|&l| !holds(l)) {
        None => Ok(()),
        Some(latch) => Err(Refusal::Rejected(format!("latch {} is not at its reset value", latch.index()))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use buttress_system::{Clause, Latch, Property, SymbolKind};

    /// A latch that an input sets, and one that follows it; bad: both are set. The input is constrained to be 1.
    fn system() -> BitSystem {
        let mut system = BitSystem::new(1, 2);
        let lits: Vec<Lit> = system.latches().map(|l| system.latch_lit(l)).collect();
        let input = Lit::from_code(2);
        let both = system.push_gate(lits[0], lits[1]);
        system.set_latch(LatchId::new(0), Latch { next: input, reset: Lit::FALSE });
        system.set_latch(LatchId::new(1), Latch { next: lits[0], reset: Lit::FALSE });
        system.properties = vec![Property { bad: both, symbol: (SymbolKind::Bad, 0) }];
        system.constraints = vec![input];
        system
    }

    fn path(initial: [bool; 2], inputs: &[bool]) -> Trace {
        let row = |values: &[bool]| values.iter().map(|&v| Ternary::from(v)).collect::<Vec<_>>();
        let inputs = inputs.iter().map(|&i| row(&[i])).collect();
        Trace { property: PropertyId::new(0), initial: row(&initial), inputs }
    }

    #[test]
    fn a_step_failure_is_replayed_and_a_broken_one_is_caught() {
        let system = system();
        let judge = |path: Trace, given: &[Proof]| match certify_step_failure(&system, &path, given) {
            Ok(()) => "accepted".to_string(),
            Err(why) => why.to_string(),
        };
        // 00 → 10 → 11, wherever it starts.
        assert_eq!(judge(path([true, false], &[true, true]), &[]), "accepted");
        assert_eq!(judge(path([false, false], &[true, true, true]), &[]), "accepted");
        assert!(
            judge(path([true, false], &[true, false]), &[]).contains("constraint does not hold in state 1")
        );
        assert!(judge(path([true, false], &[true]), &[]).contains("not as it should be in state 0"));
        assert!(judge(path([true, true], &[true, true]), &[]).contains("not as it should be in state 0"));
        assert!(judge(path([false, true], &[true, true]), &[]).contains("not as it should be in state 1"));
        let never = |l: usize| Clause::new([!system.latch_lit(LatchId::new(l))]);
        let given = |l| [Proof { properties: Vec::new(), k: 1, distinct: None, invariant: vec![never(l)] }];
        assert!(
            judge(path([true, false], &[true, true]), &given(0)).contains("lemma does not hold in state 0")
        );
        assert!(
            judge(path([true, false], &[true, true]), &given(1)).contains("lemma does not hold in state 1")
        );
    }

    /// A violation holds whatever the values are that a trace leaves open.
    #[test]
    fn what_is_unknown_violates_nothing() {
        let mut system = BitSystem::new(0, 1);
        let latch = LatchId::new(0);
        let own = system.latch_lit(latch);
        system.set_latch(latch, Latch { next: own, reset: own });
        system.properties = vec![Property { bad: own, symbol: (SymbolKind::Bad, 0) }];
        let starting =
            |value| Trace { property: PropertyId::new(0), initial: vec![value], inputs: vec![vec![]] };
        assert!(certify_trace(&system, starting(Ternary::One)).is_ok());
        for value in [Ternary::Zero, Ternary::X] {
            assert!(certify_trace(&system, starting(value)).is_err(), "{value:?}");
        }
    }

    /// A bit that flips in every step; it is set, and unset, again and again.
    fn flips() -> BitSystem {
        let mut system = BitSystem::new(0, 1);
        let latch = LatchId::new(0);
        let own = system.latch_lit(latch);
        system.set_latch(latch, Latch { next: !own, reset: Lit::FALSE });
        system.justice = vec![vec![own, !own]];
        system
    }

    fn lasso(steps: usize, back: usize) -> Lasso {
        let trace =
            Trace { property: PropertyId::new(0), initial: vec![Ternary::Zero], inputs: vec![vec![]; steps] };
        Lasso { justice: 0, trace, back }
    }

    #[test]
    fn a_lasso_must_close_and_meet_everything_on_its_way_round() {
        let mut system = flips();
        let judge = |system: &BitSystem, lasso: Lasso| {
            certify_lasso(&Live::of_bits(&Arc::new(system.clone())), lasso).is_ok()
        };
        assert!(judge(&system, lasso(2, 0)) && judge(&system, lasso(3, 1)));
        let wrong = [lasso(3, 0), lasso(2, 1), lasso(2, 2), Lasso { justice: 1, ..lasso(2, 0) }];
        assert!(wrong.into_iter().all(|wrong| !judge(&system, wrong)));
        let mut unknown = lasso(2, 0);
        unknown.trace.initial = vec![Ternary::One];
        assert!(!judge(&system, unknown), "it starts elsewhere");
        system.fairness = vec![Lit::FALSE];
        assert!(!judge(&system, lasso(2, 0)), "fairness counts, too");
        (system.fairness, system.constraints) = (Vec::new(), vec![Lit::FALSE]);
        assert!(!judge(&system, lasso(2, 0)), "so do constraints");
    }

    /// A counter of two bits, and the lower one again and again: only that one need come back; with a constraint
    /// that reads the other one, both.
    #[test]
    fn what_nobody_reads_need_not_come_back() {
        let mut system = BitSystem::new(0, 2);
        let [low, high] = [0, 1].map(|l| system.latch_lit(LatchId::new(l)));
        let odd = system.push_equal(low, high);
        system.set_latch(LatchId::new(0), Latch { next: !low, reset: Lit::FALSE });
        system.set_latch(LatchId::new(1), Latch { next: !odd, reset: Lit::FALSE });
        system.justice = vec![vec![low]];
        let round = |steps| {
            let lasso = lasso(steps, 0);
            Lasso { trace: Trace { initial: vec![Ternary::Zero; 2], ..lasso.trace }, ..lasso }
        };
        let live = |system: &BitSystem| Live::of_bits(&Arc::new(system.clone()));
        assert!(certify_lasso(&live(&system), round(2)).is_ok());
        let both = system.push_gate(low, high);
        let reads = system.push_or(both, !both);
        system.constraints = vec![reads];
        assert!(certify_lasso(&live(&system), round(2)).is_err());
        assert!(certify_lasso(&live(&system), round(4)).is_ok());
    }

    /// The same counter: that the higher bit is 1 some day fails on no execution, but on two steps that would go
    /// round if nobody read it.
    #[test]
    fn what_a_formula_reads_must_come_back() {
        let mut system = BitSystem::new(0, 2);
        let [low, high] = [0, 1].map(|l| system.latch_lit(LatchId::new(l)));
        let odd = system.push_equal(low, high);
        system.set_latch(LatchId::new(0), Latch { next: !low, reset: Lit::FALSE });
        system.set_latch(LatchId::new(1), Latch { next: !odd, reset: Lit::FALSE });
        let mut making = buttress_system::ltl::Making::default();
        let comes = making.add(buttress_system::ltl::Says::Signal(high));
        let comes = making.eventually(comes);
        let formulas = vec![making.finish(comes)];
        let live = Live { formulas, ..Live::of_bits(&Arc::new(system)) };
        for steps in [2, 4] {
            let lasso = lasso(steps, 0);
            let lasso = Lasso { trace: Trace { initial: vec![Ternary::Zero; 2], ..lasso.trace }, ..lasso };
            assert!(certify_lasso(&live, lasso).is_err());
        }
    }
}
