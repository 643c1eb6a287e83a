//! Signals of a witness circuit that certify liveness (Froleyks, Yu, Bogaerts, Biere & Heljanko, "Liveness
//! Proofs for Hardware Model Checking", CAV 2026; the format of Certifaiger).
//!
//! A signal is read negated here: `q` says that a signal of justice or fairness is *not* met. A property holds
//! if on each execution some `q` holds from some step on. Signals of W are about two states: `q'_ij` is the
//! signal in state i, where some literals are replaced by what stands for them in state j, the *interventions*.
//! With `Q'` the disjunction of the signals of W of one property, s, t, u three states, and of each C' and P':
//!
//! | check | must be valid |
//! |---|---|
//! | liveness | F'_st, and C_s, C_t → for each q of the model: q'_st → q_s |
//! | extension | F'_st ∧ Q'_st → some q'_st that stands for a signal of the model |
//! | decrease | F'_st → Q'_ts |
//! | closure | F'_st ∧ Q'_su → Q'_tu |
//! | consistent | F'_st ∧ F'_tu ∧ Q'_st ∧ Q'_tu → for each q of W: q'_st → q'_tu |
//!
//! Signals stand for those at the same place in the model; one that is missing in W counts as true. Where several
//! properties are asked for, `Q'` in a premise is said of all of them.
//!
//! # Why that suffices
//!
//! Take an infinite execution, and W beside it. By decrease and closure `Q'` holds from each of its states to
//! each that came before. There are finitely many states, so after some time each next state came before: `Q'`
//! holds from each state to its next. So one `q'` does, by consistency from then on; by extension one that
//! stands for a signal of the model; by liveness this signal is not met any more. What is replaced by what plays
//! no role.
//!
//! *Extension* is not among the checks of Certifaiger. Without it, a circuit with one more signal, which is
//! never met, would certify everything.

use buttress_solve::sat::{self, Solver};
use buttress_solve::{Cadical, Stop};
use buttress_system::Lit;

use super::{
    Intervention, Simulation, assert_constraints, assert_safe, assert_transition, new_solver, valid,
    whole_frame,
};
use crate::frame::Frame;
use crate::{Refusal, require};

pub(super) fn check(
    simulation: &Simulation<'_>,
    interventions: &[Intervention],
    justice: &[usize],
    stop: &Stop,
) -> Result<(), Refusal> {
    let there = |&j: &usize| j < simulation.model.justice.len();
    require(justice.iter().all(there), || "the model has no such justice property".to_string())?;
    let ranked = Ranked { simulation, interventions, justice, needed: needed(simulation) };
    ranked.liveness(stop)?;
    ranked.extension(stop)?;
    ranked.decrease(stop)?;
    ranked.closure(stop)?;
    ranked.consistent(stop)
}

/// The variables of W that its signals read.
fn needed(simulation: &Simulation<'_>) -> Vec<bool> {
    let witness = simulation.witness;
    let mut needed = vec![false; witness.num_vars()];
    witness.mark_cone(witness.justice.iter().flatten().chain(&witness.fairness).copied(), &mut needed);
    needed
}

struct Ranked<'a> {
    simulation: &'a Simulation<'a>,
    interventions: &'a [Intervention],
    justice: &'a [usize],
    needed: Vec<bool>,
}

impl Ranked<'_> {
    /// States of W alone, each with its constraints and its property.
    fn states<const N: usize>(&self, solver: &mut Cadical, zero: sat::Lit) -> [Frame; N] {
        let witness = self.simulation.witness;
        std::array::from_fn(|_| {
            let state = whole_frame(solver, witness, zero, |_, _| None);
            assert_constraints(solver, witness, &state);
            assert_safe(solver, witness, &state);
            state
        })
    }

    fn step(&self, solver: &mut Cadical, s: &Frame, t: &Frame) {
        let witness = self.simulation.witness;
        assert_transition(solver, witness, (s, t), witness.latches());
    }

    /// The signals from one state to another.
    fn edge(&self, solver: &mut Cadical, from: &Frame, to: &Frame) -> Frame {
        let others = self.interventions.iter().map(|i| (i.replaced, to.lit(i.second)));
        from.replaced(solver, self.simulation.witness, &self.needed, others)
    }

    /// The signals of W of a property, those of its own first.
    fn own(&self, justice: usize) -> &[Lit] {
        self.simulation.witness.justice.get(justice).map_or(&[], |own| own)
    }

    fn signals(&self, justice: usize) -> impl Iterator<Item = Lit> + '_ {
        self.own(justice).iter().chain(&self.simulation.witness.fairness).copied()
    }

    /// Those that stand for one of the model.
    fn mapped(&self, justice: usize) -> impl Iterator<Item = Lit> + '_ {
        let (model, witness) = (self.simulation.model, self.simulation.witness);
        let own = self.own(justice).iter().take(model.justice[justice].len());
        own.chain(witness.fairness.iter().take(model.fairness.len())).copied()
    }

    /// Q' of each property.
    fn assert_ranked(&self, solver: &mut Cadical, edge: &Frame) {
        for &j in self.justice {
            let some: Vec<sat::Lit> = self.signals(j).map(|q| !edge.lit(q)).collect();
            solver.add_clause(&some);
        }
    }

    /// Literals, each of which implies that `Q'` of a property is false.
    fn unranked(&self, solver: &mut Cadical, edge: &Frame) -> Vec<sat::Lit> {
        let met = |&j: &usize| self.signals(j).map(|q| edge.lit(q)).collect::<Vec<_>>();
        self.justice.iter().map(met).map(|all| conjunction(solver, &all)).collect()
    }

    /// C_s ∧ C_t ∧ C'_s ∧ C'_t ∧ P'_s ∧ P'_t ∧ F'_st → for each q of the model: q'_st → q_s
    fn liveness(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let Simulation { model, witness, .. } = self.simulation;
        let [s, t] = std::array::from_fn(|_| {
            let moment = self.simulation.moment(&mut solver, zero);
            assert_constraints(&mut solver, model, &moment.model);
            assert_constraints(&mut solver, witness, &moment.witness);
            assert_safe(&mut solver, witness, &moment.witness);
            self.simulation.assert_equal_gates(&mut solver, &moment);
            moment
        });
        self.step(&mut solver, &s.witness, &t.witness);
        let edge = self.edge(&mut solver, &s.witness, &t.witness);
        let mut fail = Vec::new();
        let mut compare = |of_model: &[Lit], of_witness: &[Lit]| {
            for (i, &signal) in of_model.iter().enumerate() {
                let unmet = of_witness.get(i).map_or(!zero, |&q| !edge.lit(q));
                fail.push(conjunction(&mut solver, &[unmet, s.model.lit(signal)]));
            }
        };
        compare(&model.fairness, &witness.fairness);
        self.justice.iter().for_each(|&j| compare(&model.justice[j], self.own(j)));
        valid(&mut solver, fail, "liveness")
    }

    /// C' ∧ P' ∧ F'_st ∧ Q'_st → some q'_st of each property stands for a signal of the model
    fn extension(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let [s, t] = self.states(&mut solver, zero);
        self.step(&mut solver, &s, &t);
        let edge = self.edge(&mut solver, &s, &t);
        self.assert_ranked(&mut solver, &edge);
        let met = |&j: &usize| self.mapped(j).map(|q| edge.lit(q)).collect::<Vec<_>>();
        let met: Vec<Vec<sat::Lit>> = self.justice.iter().map(met).collect();
        let fail = met.iter().map(|all| conjunction(&mut solver, all)).collect();
        valid(&mut solver, fail, "extension")
    }

    /// C' ∧ P' ∧ F'_st → Q'_ts
    fn decrease(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let [s, t] = self.states(&mut solver, zero);
        self.step(&mut solver, &s, &t);
        let back = self.edge(&mut solver, &t, &s);
        let fail = self.unranked(&mut solver, &back);
        valid(&mut solver, fail, "decrease")
    }

    /// C' ∧ P' ∧ F'_st ∧ Q'_su → Q'_tu
    fn closure(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let [s, t, u] = self.states(&mut solver, zero);
        self.step(&mut solver, &s, &t);
        let before = self.edge(&mut solver, &s, &u);
        self.assert_ranked(&mut solver, &before);
        let after = self.edge(&mut solver, &t, &u);
        let fail = self.unranked(&mut solver, &after);
        valid(&mut solver, fail, "closure")
    }

    /// C' ∧ P' ∧ F'_st ∧ F'_tu ∧ Q'_st ∧ Q'_tu → for each q of W: q'_st → q'_tu
    fn consistent(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let [s, t, u] = self.states(&mut solver, zero);
        self.step(&mut solver, &s, &t);
        self.step(&mut solver, &t, &u);
        let (first, second) = (self.edge(&mut solver, &s, &t), self.edge(&mut solver, &t, &u));
        self.assert_ranked(&mut solver, &first);
        self.assert_ranked(&mut solver, &second);
        let all = self.justice.iter().flat_map(|&j| self.own(j)).chain(&self.simulation.witness.fairness);
        let fail = all.map(|&q| conjunction(&mut solver, &[!first.lit(q), second.lit(q)])).collect();
        valid(&mut solver, fail, "consistency")
    }
}

/// A literal that implies all of these.
fn conjunction(solver: &mut Cadical, all: &[sat::Lit]) -> sat::Lit {
    let both = solver.new_var();
    all.iter().for_each(|&lit| solver.add_clause(&[!both, lit]));
    both
}

#[cfg(test)]
mod tests {
    use buttress_system::{BitSystem, Certified, Latch, LatchId, Property, SymbolKind};

    use crate::circuit::{Circuit, Pair, certify_circuit};

    use super::*;

    /// Three states, 0, 1 and 2, in two latches, the lower bit first: from 0 to 1, to 2, and from there to 0 or 2.
    fn add_states(system: &mut BitSystem, stays: bool) -> [Lit; 2] {
        let [low, high] = [0, 1].map(|l| system.latch_lit(LatchId::new(l)));
        let none = system.push_gate(!low, !high);
        let some = system.push_or(low, high);
        let reset = Lit::FALSE;
        system.set_latch(LatchId::new(0), Latch { next: none, reset });
        system.set_latch(LatchId::new(1), Latch { next: if stays { some } else { low }, reset });
        [low, high]
    }

    /// Whether a circuit with one signal is accepted: the model, and a relation between the state that is read and
    /// another one.
    fn accepts(
        stays: bool,
        met: fn(&mut BitSystem, [Lit; 2]) -> Lit,
        falls: fn(&mut BitSystem, [Lit; 2], [Lit; 2]) -> Lit,
    ) -> Result<(), String> {
        let mut model = BitSystem::new(0, 2);
        let here = add_states(&mut model, stays);
        let met = met(&mut model, here);
        model.justice = vec![vec![met]];
        let mut witness = BitSystem::new(2, 2);
        let here = add_states(&mut witness, stays);
        let there: Vec<Lit> = witness.inputs().map(|i| witness.input_lit(i)).collect();
        let there = [there[0], there[1]];
        let related = falls(&mut witness, here, there);
        witness.justice = vec![vec![!related]];
        let three = witness.push_gate(here[0], here[1]);
        witness.properties.push(Property { bad: three, symbol: (SymbolKind::Bad, 0) });
        let pairs: Vec<Pair> = model
            .latches()
            .map(|l| Pair { witness: witness.latch_lit(l), model: model.latch_lit(l) })
            .collect();
        let interventions: Vec<Intervention> =
            here.iter().zip(there).map(|(&second, replaced)| Intervention { second, replaced }).collect();
        let circuit = Circuit { system: &witness, pairs: &pairs, interventions: &interventions };
        let certified = Certified { properties: Vec::new(), justice: vec![0] };
        certify_circuit(&model, circuit, certified, &Stop::new()).map(|_| ()).map_err(|why| why.to_string())
    }

    #[test]
    fn what_came_before_is_below_what_comes_after() {
        let first = |system: &mut BitSystem, [low, high]: [Lit; 2]| system.push_gate(low, !high);
        let at_least = |system: &mut BitSystem, [low, high]: [Lit; 2], [low2, high2]: [Lit; 2]| {
            let higher = system.push_gate(!high, high2);
            let same = system.push_equal(high, high2);
            let lower = system.push_gate(!low, low2);
            let lower = system.push_gate(same, lower);
            !system.push_or(higher, lower)
        };
        assert_eq!(accepts(true, first, at_least), Ok(()), "1 is left for good");
        // Each state is only above the one before it: of a round of three it is so for ever.
        let follows = |system: &mut BitSystem, [low, high]: [Lit; 2], [low2, high2]: [Lit; 2]| {
            let none = system.push_gate(!low2, !high2);
            let (lower, higher) = (system.push_equal(low, none), system.push_equal(high, low2));
            system.push_gate(lower, higher)
        };
        let always = |_: &mut BitSystem, _: [Lit; 2]| Lit::TRUE;
        let refused = accepts(false, always, follows).expect_err("it is met in every step");
        assert!(refused.contains("closure"), "{refused}");
    }
}
