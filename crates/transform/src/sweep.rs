//! Signals that are equal in every reachable state, found by simulation and proved by induction (van Eijk,
//! "Sequential equivalence checking based on structural similarities", TCAD 2000; Mishchenko, Case, Brayton &
//! Jang, "Scalable and scalably-verifiable sequential synthesis", ICCAD 2008).
//!
//! Latches and gates that had the same value, or the opposite one, in all of many random executions form a class;
//! the constant 0 is in one of them. With `E(x,i)`, "the members of each class are equal":
//!
//! * base: `R(x₀,i₀) ⇒ E(x₀,i₀)`;
//! * step: `E(x₀,i₀) ∧ C(x₀,i₀) ∧ T ⇒ E(x₁,i₁)`.
//!
//! The constraints of the last state are not supposed: they are signals, too, and would be equal to 1 and gone.
//!
//! Where a query fails, its last state tells members apart, and classes are split; a query that takes too long
//! takes its signal out. Classes only shrink, so the rounds end, and then E is inductive. Each signal is replaced
//! by the first of its class, and every equality is a fact that the way back puts into the proof.
//!
//! The last frame is swept on the way: a signal that was proved equal is replaced at once, so most later queries
//! are decided by structure alone.
//!
//! Equalities between gates that follow, within a step, from those between latches and earlier gates are no facts
//! of their own: the proof does without them.
//!
//! Limits: resets that are functions say which signals are equal at the start, so they must not be read from
//! merged ones: systems with such resets are left as they are. Inputs are in no class, and of large systems only
//! latches are. The work is bounded; a system that would need more is left as it is, since classes that are not
//! inductive yet say nothing.

mod classes;
mod frame;

use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_solve::sat::{self, Limited, Model, Outcome, Scope};
use buttress_system::{BitSystem, LatchId, Lit, Rng, Simulator, Var};

use crate::Restriction;
use crate::restriction::Equalities;
use classes::Classes;
use frame::Encoder;

/// The capabilities that sweeping needs of its solver.
pub trait Sweeping: Limited + Model {}
impl<S: Limited + Model> Sweeping for S {}

/// Conflicts of one query.
const CONFLICTS: u64 = 100;
/// Variables below two signals that are looked at first.
const NEAR: usize = 100;
/// Assignments, values and gates in all: about a second.
const WORK: u64 = 4_000_000;
/// Assignments, values and gates in all, for functions: a pass, not rounds of them, and each equality counts at
/// once.
const MERGING: u64 = 40_000_000;
/// Where there are more gates than this, only latches are compared.
const LARGE: usize = 10_000;
/// Values of signals, 64 executions at once, to simulate.
const SIMULATION: usize = 20_000_000;

/// The system with equal signals replaced by one of them.
pub fn sweep<S: Sweeping>(system: &Arc<BitSystem>, make: impl Fn() -> S) -> Result<Restriction, Stopped> {
    let mut sweep = Sweep::new(system, candidates(system), WORK, true);
    let inductive = sweep.fixpoint(&make)?;
    let equal = if inductive { sweep.equalities() } else { Vec::new() };
    let merged = |l: &LatchId| equal.binary_search_by_key(&system.latch_lit(*l).var(), |f| f.0).is_ok();
    let latches = system.latches().filter(|l| !merged(l)).collect();
    let (inputs, properties) = (system.inputs().collect(), system.property_ids().collect());
    let facts = if inductive { sweep.facts(make())? } else { Vec::new() };
    Ok(Restriction::new(system, inputs, latches, Equalities { equal, facts }, properties))
}

/// The system with gates that are the same function of latches and inputs replaced by one of them. That is no fact
/// about reachable states, so no proof has to say it.
pub fn merge<S: Sweeping>(system: &Arc<BitSystem>, make: impl Fn() -> S) -> Result<Restriction, Stopped> {
    let mut sweep = Sweep::new(system, Classes::new(vec![true; system.num_vars()]), MERGING, false);
    (0..(SIMULATION / system.num_vars()).clamp(4, 64)).for_each(|_| sweep.tell_apart_at_random());
    let mut encoder = Encoder::new(system, make());
    let leaves = encoder.free();
    sweep.prove(&mut encoder, leaves)?;
    let known = Equalities { equal: sweep.equalities(), facts: Vec::new() };
    let (inputs, latches) = (system.inputs().collect(), system.latches().collect());
    Ok(Restriction::new(system, inputs, latches, known, system.property_ids().collect()))
}

/// The signals that no execution so far tells apart.
fn candidates(system: &BitSystem) -> Classes {
    let mut needed = vec![false; system.num_vars()];
    let latches = system.latches().flat_map(|l| [system.latch(l).next, system.latch(l).reset]);
    let bads = system.properties.iter().map(|p| p.bad);
    let functional =
        |l: LatchId| !system.latch(l).reset.is_constant() && system.latch(l).reset != system.latch_lit(l);
    if system.latches().any(functional) {
        return Classes::new(vec![false; system.num_vars()]);
    }
    if system.num_gates() <= LARGE {
        system.mark_cone(latches.chain(bads).chain(system.constraints.iter().copied()), &mut needed);
    }
    system.latches().for_each(|l| needed[system.latch_lit(l).var().index()] = true);
    system.inputs().for_each(|i| needed[system.input_lit(i).var().index()] = false);
    needed[0] = true;
    let mut classes = Classes::new(needed);
    let mut rng = Rng::new(0);
    let mut simulator = Simulator::new(system);
    simulator.reset(&mut rng);
    let mut running = !0;
    let steps = (SIMULATION / system.num_vars()).clamp(8, 512);
    for _ in 0..steps {
        if running == 0 {
            break;
        }
        classes.split(|v| simulator.value(v.lit()), running);
        running &= simulator.admissible();
        simulator.step(&mut rng);
    }
    classes
}

struct Sweep<'a> {
    system: &'a BitSystem,
    classes: Classes,
    simulator: Simulator<'a>,
    rng: Rng,
    work: u64,
    /// How much of it there may be.
    limit: u64,
    /// Whether more is supposed than what signals are functions of.
    hypotheses: bool,
}

/// The result of a comparison.
enum Compared {
    Equal,
    /// The values of latches and inputs that tell them apart.
    Different {
        latches: Vec<bool>,
        inputs: Vec<bool>,
    },
    Unknown,
}

impl Sweep<'_> {
    fn new(system: &BitSystem, classes: Classes, limit: u64, hypotheses: bool) -> Sweep<'_> {
        let simulator = Simulator::new(system);
        Sweep { system, classes, simulator, rng: Rng::new(0), work: 0, limit, hypotheses }
    }

    /// Splits the classes until they are inductive; false where that is too much work.
    fn fixpoint<S: Sweeping>(&mut self, make: &impl Fn() -> S) -> Result<bool, Stopped> {
        self.base(make)?;
        while !self.exhausted() && !self.classes.is_empty() {
            if !self.step(make)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn exhausted(&self) -> bool {
        self.work > self.limit
    }

    /// R(x₀,i₀) ⇒ E(x₀,i₀)
    fn base<S: Sweeping>(&mut self, make: &impl Fn() -> S) -> Result<bool, Stopped> {
        let mut encoder = Encoder::new(self.system, make());
        let leaves = encoder.reset_state();
        self.prove(&mut encoder, leaves)
    }

    /// E(x₀,i₀) ∧ C(x₀,i₀) ∧ T ⇒ E(x₁,i₁); true where classes were split.
    fn step<S: Sweeping>(&mut self, make: &impl Fn() -> S) -> Result<bool, Stopped> {
        let mut encoder = Encoder::new(self.system, make());
        let before = encoder.assuming(&self.classes);
        let leaves = encoder.successor(&before);
        self.work += self.system.num_vars() as u64;
        self.prove(&mut encoder, leaves)
    }

    /// Proves all members of each class equal over these inputs and latches, or splits the classes.
    fn prove<S: Sweeping>(
        &mut self,
        encoder: &mut Encoder<'_, S>,
        leaves: Vec<sat::Lit>,
    ) -> Result<bool, Stopped> {
        let mut lits = leaves;
        let mut changed = false;
        self.work += self.system.num_vars() as u64;
        for var in (0..self.system.num_vars()).map(|v| Var::new(v as u32)) {
            let mut own = encoder.define(var, &mut lits);
            while let Some(first) = self.classes.representative(var) {
                let other = frame::image(&lits, first);
                match self.compare(encoder, &lits, own, other)? {
                    Compared::Equal => {
                        own = other;
                        break;
                    }
                    Compared::Different { latches, inputs } => self.tell_apart(&latches, &inputs),
                    Compared::Unknown => self.classes.remove(var),
                }
                assert_ne!(self.classes.representative(var), Some(first), "a model tells them apart");
                changed = true;
            }
            lits[var.index()] = own;
        }
        Ok(changed)
    }

    /// own ∧ ¬other, ¬own ∧ other
    fn compare<S: Sweeping>(
        &mut self,
        encoder: &mut Encoder<'_, S>,
        lits: &[sat::Lit],
        own: sat::Lit,
        other: sat::Lit,
    ) -> Result<Compared, Stopped> {
        if own == other {
            return Ok(Compared::Equal);
        }
        if self.exhausted() {
            return Ok(Compared::Unknown);
        }
        for query in [[own, !other], [!own, other]] {
            match self.query(&mut encoder.solver, &query)? {
                Some(Outcome::Unsat) => {}
                Some(Outcome::Sat) => return Ok(encoder.difference(lits)),
                None => return Ok(Compared::Unknown),
            }
        }
        encoder.equate(own, other);
        Ok(Compared::Equal)
    }

    /// Mostly a look at what the two depend on is enough; what it does not refute is asked again with all that is
    /// known.
    fn query<S: Sweeping>(&mut self, solver: &mut S, query: &[sat::Lit]) -> Result<Option<Outcome>, Stopped> {
        let before = solver.propagations();
        let mut outcome = solver.solve_limited(query, Scope::Near(NEAR), CONFLICTS)?;
        if outcome != Some(Outcome::Unsat) {
            outcome = solver.solve_limited(query, Scope::Needed, CONFLICTS)?;
        }
        if self.hypotheses && outcome == Some(Outcome::Sat) {
            outcome = solver.solve_limited(query, Scope::Everything, CONFLICTS)?;
        }
        self.work += solver.propagations() - before;
        Ok(outcome)
    }

    /// Splits classes by this state: execution 0 has the inputs of the query. The 63 others have inputs at random,
    /// or, where every state counts, are near it: what a state tells apart, its neighbours often do in another
    /// way.
    fn tell_apart(&mut self, latches: &[bool], inputs: &[bool]) {
        let word = |one: bool| if one { !0 } else { 0u64 };
        let rng = &mut self.rng;
        let mut near = |one: bool| word(one) ^ (rng.next_u64() & rng.next_u64() & rng.next_u64() & !1);
        let (latches, inputs): (Vec<u64>, Vec<u64>) = if self.hypotheses {
            let latches = latches.iter().map(|&one| word(one)).collect();
            (latches, inputs.iter().map(|&one| rng.next_u64() & !1 | u64::from(one)).collect())
        } else {
            (latches.iter().map(|&one| near(one)).collect(), inputs.iter().map(|&one| near(one)).collect())
        };
        self.work += self.system.num_vars() as u64;
        self.simulator.start(&latches, &inputs);
        self.classes.split(|v| self.simulator.value(v.lit()), !0);
    }

    /// Splits classes by 64 random states.
    fn tell_apart_at_random(&mut self) {
        let latches: Vec<u64> = self.system.latches().map(|_| self.rng.next_u64()).collect();
        let inputs: Vec<u64> = self.system.inputs().map(|_| self.rng.next_u64()).collect();
        self.simulator.start(&latches, &inputs);
        self.classes.split(|v| self.simulator.value(v.lit()), !0);
    }

    /// Each signal with the one that it equals, in the order of the signals.
    fn equalities(&self) -> Vec<(Var, Lit)> {
        let vars = (0..self.system.num_vars()).map(|v| Var::new(v as u32));
        vars.filter_map(|v| Some((v, self.classes.representative(v)?))).collect()
    }

    /// The equalities that do not follow from earlier ones within a step.
    fn facts<S: Sweeping>(&mut self, solver: S) -> Result<Vec<(Var, Lit)>, Stopped> {
        let mut encoder = Encoder::new(self.system, solver);
        let mut lits = encoder.free();
        let mut facts = Vec::new();
        for var in (0..self.system.num_vars()).map(|v| Var::new(v as u32)) {
            let own = encoder.define(var, &mut lits);
            let Some(first) = self.classes.representative(var) else { continue };
            let other = frame::image(&lits, first);
            let gate = self.system.as_latch(var).is_none();
            let follows = gate && matches!(self.compare(&mut encoder, &lits, own, other)?, Compared::Equal);
            if !follows {
                facts.push((var, first));
            }
            lits[var.index()] = other;
        }
        Ok(facts)
    }
}
