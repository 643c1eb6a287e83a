//! Checking a witness circuit W against its model M (Yu, Biere & Heljanko, CAV 2021; the format of the
//! hardware model checking competition and of Certifaiger).
//!
//! With C constraints, R reset, F next state, P "no bad signal", primes for W, and K the mapped latches:
//!
//! | check | must be valid |
//! |---|---|
//! | reset | R_s{K} ∧ C_s → R'_s{K} ∧ C'_s |
//! | transition | F_st{K} ∧ C_s ∧ C_t ∧ C'_s → F'_st{K} ∧ C'_t |
//! | safety | C_s ∧ C'_s ∧ P'_s → P_s |
//! | base | R'_s ∧ C'_s → P'_s |
//! | induction | F'_st ∧ C'_s ∧ C'_t ∧ P'_s → P'_t |
//!
//! and the resets of both must be stratified, so that every reset state of K extends to one of W. Justice
//! properties take more: see [`ranked`].
//!
//! # Why a mapping cannot cheat
//!
//! A mapped input or latch of W is *replaced* by the model's literal: that defines a part of W's state from
//! M's, and assumes nothing of M. A leaf with two images is refused. Where a *gate* or constant of W stands for
//! a literal of M, their equality is not assumed but proved: at reset from `R{K}`, C and W's remaining resets,
//! from s to t with W's remaining next-state functions; only then does the safety check use it.

use buttress_solve::sat::{self, Outcome, Solver};
use buttress_solve::{Cadical, Stop};
use buttress_system::{BitSystem, Certified, LatchId, Lit, Node, PropertyId};

use crate::frame::{Frame, assert_equal, constant_zero, differ, fresh};
use crate::{Refusal, require};

mod ranked;

/// A literal of the witness circuit that stands for a literal of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    pub witness: Lit,
    pub model: Lit,
}

/// A witness circuit with how it stands beside the model.
#[derive(Clone, Copy, Debug)]
pub struct Circuit<'a> {
    pub system: &'a BitSystem,
    pub pairs: &'a [Pair],
    pub interventions: &'a [Intervention],
}

/// In a signal about two states, what is read of the second in place of a literal of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Intervention {
    pub second: Lit,
    pub replaced: Lit,
}

/// A witness circuit that was accepted, for these properties of the model. Only this crate makes one.
#[derive(Clone, Debug)]
pub struct Accepted {
    certified: Certified,
}

impl Accepted {
    pub fn certified(&self) -> &Certified {
        &self.certified
    }
}

/// Accepts a witness circuit that simulates the model, whose own property is inductive, and whose signals, where
/// justice properties are asked for, are ranked.
pub fn certify_circuit(
    model: &BitSystem,
    circuit: Circuit<'_>,
    certified: Certified,
    stop: &Stop,
) -> Result<Accepted, Refusal> {
    let Circuit { system: witness, pairs, interventions } = circuit;
    let stratified = |s: &BitSystem| s.reset_order().is_ok();
    require(stratified(model), || "stratification: the model's resets form a cycle".to_string())?;
    require(stratified(witness), || "stratification: the witness's resets form a cycle".to_string())?;
    let simulation = Simulation::new(model, witness, pairs, &certified.properties)?;
    // With no property to prove there is nothing to simulate.
    if certified != Certified::default() {
        simulation.reset(stop)?;
        simulation.transition(stop)?;
        simulation.safety(stop)?;
        simulation.base(stop)?;
        simulation.induction(stop)?;
    }
    if !certified.justice.is_empty() {
        ranked::check(&simulation, interventions, &certified.justice, stop)?;
    }
    Ok(Accepted { certified })
}

struct Simulation<'a> {
    model: &'a BitSystem,
    witness: &'a BitSystem,
    properties: &'a [PropertyId],
    /// The model's literal for each leaf of W that is mapped.
    leaves: Vec<Option<Lit>>,
    /// Gates and constants of W that stand for a literal of the model.
    gates: Vec<Pair>,
    /// Latches of the model in K.
    shared: Vec<LatchId>,
}

/// A point in time: a frame of M and one of W over it.
struct Moment {
    model: Frame,
    witness: Frame,
}

impl<'a> Simulation<'a> {
    fn new(
        model: &'a BitSystem,
        witness: &'a BitSystem,
        pairs: &[Pair],
        properties: &'a [PropertyId],
    ) -> Result<Simulation<'a>, Refusal> {
        let mut leaves = vec![None; witness.first_gate()];
        let mut gates = Vec::new();
        for pair in pairs {
            match witness.node(pair.witness.var()) {
                Node::Gate(..) | Node::Constant => gates.push(*pair),
                Node::Input(_) | Node::Latch(_) => {
                    let image = pair.model ^ pair.witness.is_negated();
                    let old = leaves[pair.witness.var().index()].replace(image);
                    let once = old.is_none_or(|o| o == image);
                    require(once, || "mapping: a literal of the witness stands for two".to_string())?;
                }
            }
        }
        let mut shared: Vec<LatchId> =
            pairs.iter().filter_map(|pair| model.as_latch(pair.model.var())).collect();
        shared.sort();
        shared.dedup();
        Ok(Simulation { model, witness, properties, leaves, gates, shared })
    }

    fn moment(&self, solver: &mut Cadical, zero: sat::Lit) -> Moment {
        let model = whole_frame(solver, self.model, zero, |_, _| None);
        let image = |solver: &mut Cadical, leaf: usize| match self.leaves[leaf] {
            Some(lit) => Some(model.lit(lit)),
            None => Some(solver.new_var()),
        };
        let witness = whole_frame(solver, self.witness, zero, image);
        Moment { model, witness }
    }

    fn is_shared(&self, latch: LatchId) -> bool {
        self.leaves[self.witness.latch_lit(latch).var().index()].is_some()
    }

    /// Literals, each of which implies that a gate of W differs from what it stands for.
    fn unequal_gates(&self, solver: &mut Cadical, at: &Moment) -> Vec<sat::Lit> {
        let pairs = self.gates.iter();
        pairs.map(|p| differ(solver, at.witness.lit(p.witness), at.model.lit(p.model))).collect()
    }

    fn assert_equal_gates(&self, solver: &mut Cadical, at: &Moment) {
        for pair in &self.gates {
            assert_equal(solver, at.witness.lit(pair.witness), at.model.lit(pair.model));
        }
    }

    /// R_s{K} ∧ C_s → R'_s{K} ∧ C'_s
    fn reset(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let s = self.moment(&mut solver, zero);
        assert_resets(&mut solver, self.model, &s.model, self.shared.iter().copied());
        assert_constraints(&mut solver, self.model, &s.model);
        let mut fail = Vec::new();
        for latch in self.witness.latches().filter(|&l| self.is_shared(l)) {
            let (own, reset) = (self.witness.latch_lit(latch), self.witness.latch(latch).reset);
            if reset != own {
                fail.push(differ(&mut solver, s.witness.lit(own), s.witness.lit(reset)));
            }
        }
        fail.extend(self.witness.constraints.iter().map(|&c| !s.witness.lit(c)));
        valid(&mut solver, fail, "reset")?;
        if !self.gates.is_empty() {
            let rest = self.witness.latches().filter(|&l| !self.is_shared(l));
            assert_resets(&mut solver, self.witness, &s.witness, rest);
            let fail = self.unequal_gates(&mut solver, &s);
            valid(&mut solver, fail, "reset of mapped gates")?;
        }
        Ok(())
    }

    /// F_st{K} ∧ C_s ∧ C_t ∧ C'_s → F'_st{K} ∧ C'_t
    fn transition(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let s = self.moment(&mut solver, zero);
        let t = self.moment(&mut solver, zero);
        assert_transition(&mut solver, self.model, (&s.model, &t.model), self.shared.iter().copied());
        assert_constraints(&mut solver, self.model, &s.model);
        assert_constraints(&mut solver, self.model, &t.model);
        assert_constraints(&mut solver, self.witness, &s.witness);
        self.assert_equal_gates(&mut solver, &s);
        let mut fail = Vec::new();
        for latch in self.witness.latches().filter(|&l| self.is_shared(l)) {
            let own = t.witness.lit(self.witness.latch_lit(latch));
            let next = s.witness.lit(self.witness.latch(latch).next);
            fail.push(differ(&mut solver, own, next));
        }
        fail.extend(self.witness.constraints.iter().map(|&c| !t.witness.lit(c)));
        valid(&mut solver, fail, "transition")?;
        if !self.gates.is_empty() {
            let rest = self.witness.latches().filter(|&l| !self.is_shared(l));
            assert_transition(&mut solver, self.witness, (&s.witness, &t.witness), rest);
            let fail = self.unequal_gates(&mut solver, &t);
            valid(&mut solver, fail, "transition of mapped gates")?;
        }
        Ok(())
    }

    /// C_s ∧ C'_s ∧ P'_s → P_s
    fn safety(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let s = self.moment(&mut solver, zero);
        assert_constraints(&mut solver, self.model, &s.model);
        assert_constraints(&mut solver, self.witness, &s.witness);
        self.assert_equal_gates(&mut solver, &s);
        assert_safe(&mut solver, self.witness, &s.witness);
        let fail = self.properties.iter().map(|&p| s.model.lit(self.model.property(p).bad)).collect();
        valid(&mut solver, fail, "safety")
    }

    /// R'_s ∧ C'_s → P'_s
    fn base(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let s = whole_frame(&mut solver, self.witness, zero, |_, _| None);
        assert_resets(&mut solver, self.witness, &s, self.witness.latches());
        assert_constraints(&mut solver, self.witness, &s);
        valid(&mut solver, bads(self.witness, &s), "base")
    }

    /// F'_st ∧ C'_s ∧ C'_t ∧ P'_s → P'_t
    fn induction(&self, stop: &Stop) -> Result<(), Refusal> {
        let (mut solver, zero) = new_solver(stop);
        let s = whole_frame(&mut solver, self.witness, zero, |_, _| None);
        let t = whole_frame(&mut solver, self.witness, zero, |_, _| None);
        assert_transition(&mut solver, self.witness, (&s, &t), self.witness.latches());
        assert_constraints(&mut solver, self.witness, &s);
        assert_constraints(&mut solver, self.witness, &t);
        assert_safe(&mut solver, self.witness, &s);
        valid(&mut solver, bads(self.witness, &t), "induction")
    }
}

fn new_solver(stop: &Stop) -> (Cadical, sat::Lit) {
    let mut solver = Cadical::new(stop, 0);
    let zero = constant_zero(&mut solver);
    (solver, zero)
}

/// All of a circuit, with leaves given by `leaf` and fresh where it gives none.
fn whole_frame(
    solver: &mut Cadical,
    system: &BitSystem,
    zero: sat::Lit,
    leaf: impl Fn(&mut Cadical, usize) -> Option<sat::Lit>,
) -> Frame {
    let mut given = |var: usize| leaf(solver, var).unwrap_or_else(|| fresh(solver, 1)[0]);
    let leaves: Vec<sat::Lit> = (1..system.first_gate()).map(&mut given).collect();
    let (inputs, latches) = leaves.split_at(system.num_inputs());
    let needed = vec![true; system.num_vars()];
    Frame::encode(solver, system, &needed, zero, inputs, latches)
}

fn assert_constraints(solver: &mut Cadical, system: &BitSystem, at: &Frame) {
    system.constraints.iter().for_each(|&c| solver.add_clause(&[at.lit(c)]));
}

fn assert_resets(
    solver: &mut Cadical,
    system: &BitSystem,
    at: &Frame,
    latches: impl Iterator<Item = LatchId>,
) {
    for latch in latches {
        assert_equal(solver, at.lit(system.latch_lit(latch)), at.lit(system.latch(latch).reset));
    }
}

fn assert_transition(
    solver: &mut Cadical,
    system: &BitSystem,
    (s, t): (&Frame, &Frame),
    latches: impl Iterator<Item = LatchId>,
) {
    for latch in latches {
        assert_equal(solver, t.lit(system.latch_lit(latch)), s.lit(system.latch(latch).next));
    }
}

fn bads(system: &BitSystem, at: &Frame) -> Vec<sat::Lit> {
    system.properties.iter().map(|p| at.lit(p.bad)).collect()
}

fn assert_safe(solver: &mut Cadical, system: &BitSystem, at: &Frame) {
    bads(system, at).into_iter().for_each(|bad| solver.add_clause(&[!bad]));
}

/// The premises exclude every one of these failures.
fn valid(solver: &mut Cadical, failures: Vec<sat::Lit>, check: &str) -> Result<(), Refusal> {
    let some = solver.new_var();
    let clause: Vec<_> = std::iter::once(!some).chain(failures).collect();
    solver.add_clause(&clause);
    let holds = solver.solve(&[some])? == Outcome::Unsat;
    require(holds, || format!("the {check} check fails"))
}
