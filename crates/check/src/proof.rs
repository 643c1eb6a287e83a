//! Checking a k-inductive strengthening S = properties ∧ invariant on the original system.
//!
//! * base: for t < k, `R(x₀,i₀) ∧ T^t ∧ C ∧ ¬S(x_t,i_t)` is unsatisfiable;
//! * step: `⋀_{t<k} S(x_t,i_t) ∧ T^k ∧ C ∧ ¬S(x_k,i_k)` is unsatisfiable, where C holds in every state.
//!
//! Of each state in the step those gates are encoded that decide about what is read of it and of its successors up
//! to the last, and nothing else; what is left out may have any value.
//!
//! # Distinct states
//!
//! A proof may restrict the step to paths whose states before the last differ pairwise on a set D of latches.
//! That is sound if D is closed: with the latches that S makes constant taken as constants, the properties, the
//! clauses, the next-state functions of D and those of the constant latches depend only on latches in D, and the
//! constraints only on latches in D and constant ones. (S makes a latch constant if it has a clause of one
//! literal, or if S, the constraints and what is known leave it one value only; clauses that hold wherever the
//! constants do are left out of account, for where a constant is broken and the constraints hold, S is broken.)
//! For then take a shortest trace `x_0 … x_n` out of S. All its states but the last satisfy S, so the constants
//! hold in them. If two states `x_a, x_b` with a < b < n agreed on D, continuing from `x_a` with the inputs of
//! `x_b` would be a shorter trace out of S: its states agree with `x_{b+1}, …` on D and on the constant latches.
//! So the states before the last differ on D, and by base and step the trace does not exist. The last state is
//! left out because it may break a constant: then it may agree with an earlier state on D without being as
//! harmless. The shorter trace must keep the constraints in its last state, too: so they are simplified only by
//! constants that are inductive by themselves, which no state of an execution breaks.
//!
//! The cut keeps the first state on D and on the constant latches while i₀ may be replaced, hence their resets
//! must not depend on inputs. For D that is plain; a constant that starts with an input may be broken by the
//! inputs of `x_b`, and a constraint with it: then the shorter trace is none. Other latches start with whatever
//! their resets then say.
//!
//! # Vacuity
//!
//! If no execution of n ≤ k states exists at all (contradictory constraints), the base case has seen every
//! execution and there is nothing to step to. Such a proof holds but says little: the smallest n is reported
//! with it.

use buttress_solve::sat::{self, Model, Outcome, Solver};
use buttress_solve::{Cadical, Stop};
use buttress_system::{BitSystem, Clause, LatchId, Lit, Node, Proof, Ternary};

use crate::frame::{Frame, assert_equal, constant_zero, differ, fresh};
use crate::support::Folded;
use crate::{Checked, Evidence, Refusal, Vacuous, require};

/// Accepts a strengthening that is k-inductive on this system, or that all its (bounded) executions satisfy.
pub fn certify_proof(system: &BitSystem, proof: Proof, stop: &Stop) -> Result<Checked, Refusal> {
    require(!proof.properties.is_empty(), || "the proof names no property".to_string())?;
    fits(system, &proof)?;
    let vacuous = obligations(system, &proof, &[], stop)?;
    Ok(Checked { decides: proof.properties.clone(), evidence: Evidence::Proof(proof), vacuous })
}

/// All that must hold of a strengthening that speaks of what there is. Its clauses may be over any literals. What
/// is `known` was shown to hold in every step of every execution; so it holds in the shorter trace of the argument
/// for distinct states, too, and D need not be closed under it.
pub(crate) fn obligations(
    system: &BitSystem,
    proof: &Proof,
    known: &[Lit],
    stop: &Stop,
) -> Result<Option<Vacuous>, Refusal> {
    if let Some(distinct) = &proof.distinct {
        closed(system, proof, known, distinct, stop)?;
    }
    let vacuous = base(&mut Unrolled::new(system, proof, known, stop), stop)?;
    if vacuous.is_none() {
        step(&mut Unrolled::towards(system, proof, known, stop), stop)?;
    }
    Ok(vacuous)
}

/// Accepts clauses that are k-inductive together: a proof of no property, which decides nothing but may help
/// others.
pub fn certify_invariant(
    system: &BitSystem,
    clauses: Vec<Clause>,
    k: u32,
    stop: &Stop,
) -> Result<Proof, Refusal> {
    let proof = Proof { properties: Vec::new(), k, distinct: None, invariant: clauses };
    fits(system, &proof)?;
    obligations(system, &proof, &[], stop)?;
    Ok(proof)
}

pub(crate) fn fits(system: &BitSystem, proof: &Proof) -> Result<(), Refusal> {
    require(proof.k > 0, || "k is 0, but plain induction is k = 1".to_string())?;
    let properties = proof.properties.iter().all(|p| p.index() < system.properties.len());
    require(properties, || "the proof names a property that does not exist".to_string())?;
    let signal = |l: &Lit| l.var().index() < system.num_vars() && !l.is_constant();
    let clauses = proof.invariant.iter().all(|c| c.0.iter().all(signal));
    require(clauses, || "a clause of the invariant speaks of a signal that does not exist".to_string())?;
    let distinct = proof.distinct.iter().flatten().all(|l| l.index() < system.num_latches());
    require(distinct, || "distinctness names a latch that does not exist".to_string())?;
    require(system.reset_order().is_ok(), || "the resets are not stratified".to_string())
}

/// The variables that the strengthening, the constraints and the resets read within a step.
fn read_at_once(system: &BitSystem, proof: &Proof, known: &[Lit]) -> Vec<bool> {
    let mut read = vec![false; system.num_vars()];
    let resets = system.latches().map(|l| system.latch(l).reset);
    let always = system.constraints.iter().chain(known).copied();
    system.mark_cone(strengthening(system, proof).chain(always).chain(resets), &mut read);
    read
}

/// The variables that the strengthening and the constraints read through any number of steps, with the latches by
/// which states are told apart.
fn needed(system: &BitSystem, proof: &Proof, known: &[Lit]) -> Vec<bool> {
    let distinct = proof.distinct.iter().flatten().map(|&l| system.latch_lit(l));
    let always = system.constraints.iter().chain(known).copied();
    system.closure(strengthening(system, proof).chain(always).chain(distinct))
}

/// The variables that matter of a state, by how many states follow it up to the last, as far as there are more of
/// them the further it is away: what the strengthening and the constraints read there, what decides about latches
/// that matter of the next state, and the latches by which states before the last are told apart.
fn needed_before(system: &BitSystem, proof: &Proof, known: &[Lit], states: u32) -> Vec<Vec<bool>> {
    let always = || system.constraints.iter().chain(known).copied();
    let mut at_once = vec![false; system.num_vars()];
    system.mark_cone(strengthening(system, proof).chain(always()), &mut at_once);
    let distinct = proof.distinct.iter().flatten().map(|&l| system.latch_lit(l));
    let mut before = at_once.clone();
    system.mark_cone(distinct, &mut before);
    let mut all = vec![at_once];
    for _ in 0..states {
        let after = &all[all.len() - 1];
        let read = |l: &LatchId| after[system.latch_lit(*l).var().index()];
        let mut needed = before.clone();
        system.mark_cone(system.latches().filter(read).map(|l| system.latch(l).next), &mut needed);
        if needed == *after {
            break;
        }
        all.push(needed);
    }
    all
}

/// Every literal that the strengthening reads.
fn strengthening<'a>(system: &'a BitSystem, proof: &'a Proof) -> impl Iterator<Item = Lit> + 'a {
    let bads = proof.properties.iter().map(|&p| system.property(p).bad);
    bads.chain(proof.invariant.iter().flat_map(|c| c.0.iter().copied()))
}

/// An unrolling of the original system.
struct Unrolled<'a> {
    system: &'a BitSystem,
    proof: &'a Proof,
    known: &'a [Lit],
    solver: Cadical,
    zero: sat::Lit,
    /// What is needed of a state, by how many states follow up to the last one; the last entry counts for any more.
    needed: Vec<Vec<bool>>,
    last: usize,
    at_once: Vec<bool>,
    latches: Vec<Vec<sat::Lit>>,
    frames: Vec<Frame>,
}

impl<'a> Unrolled<'a> {
    /// For any number of states, which may begin with the resets.
    fn new(system: &'a BitSystem, proof: &'a Proof, known: &'a [Lit], stop: &Stop) -> Unrolled<'a> {
        let needed = vec![needed(system, proof, known)];
        Unrolled::of(system, proof, known, needed, read_at_once(system, proof, known), stop)
    }

    /// For k + 1 states, which begin anywhere.
    fn towards(system: &'a BitSystem, proof: &'a Proof, known: &'a [Lit], stop: &Stop) -> Unrolled<'a> {
        let needed = needed_before(system, proof, known, proof.k);
        let at_once = needed[0].clone();
        Unrolled { last: proof.k as usize, ..Unrolled::of(system, proof, known, needed, at_once, stop) }
    }

    fn of(
        system: &'a BitSystem,
        proof: &'a Proof,
        known: &'a [Lit],
        needed: Vec<Vec<bool>>,
        at_once: Vec<bool>,
        stop: &Stop,
    ) -> Unrolled<'a> {
        let mut solver = Cadical::new(stop, 0);
        let zero = constant_zero(&mut solver);
        let (latches, frames) = (Vec::new(), Vec::new());
        Unrolled { system, proof, known, solver, zero, needed, last: 0, at_once, latches, frames }
    }

    /// What is needed of the state at time t.
    fn needed(&self, t: usize) -> &[bool] {
        &self.needed[self.last.saturating_sub(t).min(self.needed.len() - 1)]
    }

    /// Adds a state in which C holds.
    fn push(&mut self) {
        self.push_anything();
        let frame = &self.frames[self.frames.len() - 1];
        for &constraint in &self.system.constraints {
            self.solver.add_clause(&[frame.lit(constraint)]);
        }
    }

    /// Adds a state in which what is known holds.
    fn push_anything(&mut self) {
        self.push_successor();
        let frame = &self.frames[self.frames.len() - 1];
        for &always in self.known {
            self.solver.add_clause(&[frame.lit(always)]);
        }
    }

    /// Adds a state: free where it is the first, else the successor of the last. Of the newest state only those
    /// gates are encoded that say something about it, not those that lead on from it.
    fn push_successor(&mut self) {
        let system = self.system;
        let inputs = fresh(&mut self.solver, system.num_inputs());
        let latches: Vec<sat::Lit> = match self.frames.pop() {
            None => fresh(&mut self.solver, system.num_latches()),
            Some(mut last) => {
                let t = self.frames.len();
                let needed = self.needed(t).to_vec();
                last.extend(&mut self.solver, system, &needed);
                let latches = system.latches().map(|l| self.next(&last, l, t + 1)).collect();
                self.frames.push(last);
                latches
            }
        };
        let frame = Frame::encode(&mut self.solver, system, &self.at_once, self.zero, &inputs, &latches);
        self.latches.push(latches);
        self.frames.push(frame);
    }

    /// A latch at time t, after a frame. It may have any value where nobody should read it: whoever did could only
    /// find more executions than there are.
    fn next(&mut self, frame: &Frame, latch: LatchId, t: usize) -> sat::Lit {
        let read = self.needed(t)[self.system.latch_lit(latch).var().index()];
        if read { frame.lit(self.system.latch(latch).next) } else { self.solver.new_var() }
    }

    /// R(x₀,i₀)
    fn assert_resets(&mut self) {
        for latch in self.system.latches() {
            let own = self.system.latch_lit(latch);
            let reset = self.system.latch(latch).reset;
            if self.needed(0)[own.var().index()] && reset != own {
                let (x, r) = (self.frames[0].lit(own), self.frames[0].lit(reset));
                assert_equal(&mut self.solver, x, r);
            }
        }
    }

    /// S(x_t,i_t)
    fn assert_strengthening(&mut self, t: usize) {
        for &property in &self.proof.properties {
            let bad = self.frames[t].lit(self.system.property(property).bad);
            self.solver.add_clause(&[!bad]);
        }
        for clause in &self.proof.invariant {
            let clause: Vec<_> = clause.0.iter().map(|&l| self.frames[t].lit(l)).collect();
            self.solver.add_clause(&clause);
        }
    }

    /// For each conjunct of S, literals that together say that it fails at time t. Properties come last: mostly
    /// they follow from the invariant within the step.
    fn violations(&self, t: usize) -> Vec<Vec<sat::Lit>> {
        let bads =
            self.proof.properties.iter().map(|&p| vec![self.frames[t].lit(self.system.property(p).bad)]);
        let falsified = |c: &Clause| c.0.iter().map(|&l| !self.frames[t].lit(l)).collect();
        self.proof.invariant.iter().map(falsified).chain(bads).collect()
    }

    /// Whether S holds at time t whatever happened before. One conjunct after the other, each with those before
    /// it: each is easy where all at once may be hard.
    fn implies_strengthening(&mut self, t: usize) -> Result<bool, Refusal> {
        for mut violation in self.violations(t) {
            if self.solver.solve(&violation)? == Outcome::Sat {
                return Ok(false);
            }
            violation.iter_mut().for_each(|l| *l = !*l);
            self.solver.add_clause(&violation);
        }
        Ok(true)
    }
}

/// No execution of at most k states leaves S; `Some` if there is none as long as that.
fn base(unrolled: &mut Unrolled<'_>, stop: &Stop) -> Result<Option<Vacuous>, Refusal> {
    for t in 0..unrolled.proof.k as usize {
        stop.check()?;
        unrolled.push();
        if t == 0 {
            unrolled.assert_resets();
        }
        // Without constraints every state has a successor, and stratified resets have a solution.
        if !unrolled.system.constraints.is_empty() && unrolled.solver.solve(&[])? == Outcome::Unsat {
            return Ok(Some(Vacuous { states: t + 1 }));
        }
        let holds = unrolled.implies_strengthening(t)?;
        require(holds, || format!("the base case fails in step {t}"))?;
        unrolled.assert_strengthening(t);
    }
    Ok(None)
}

/// No path of k states in S leads out of S.
fn step(unrolled: &mut Unrolled<'_>, stop: &Stop) -> Result<(), Refusal> {
    let proof = unrolled.proof;
    let k = proof.k as usize;
    for t in 0..=k {
        stop.check()?;
        unrolled.push();
        if t < k {
            unrolled.assert_strengthening(t);
        }
    }
    while !unrolled.implies_strengthening(k)? {
        let distinct = proof.distinct.as_deref().unwrap_or(&[]);
        let equal = equal_states(unrolled, distinct);
        let refuted = proof.distinct.is_some() && !equal.is_empty();
        require(refuted, || format!("the induction step fails for k = {k}"))?;
        equal.into_iter().for_each(|(a, b)| tell_apart(unrolled, distinct, a, b));
    }
    Ok(())
}

/// Pairs of states before the last that agree on D in the model.
fn equal_states(unrolled: &mut Unrolled<'_>, distinct: &[LatchId]) -> Vec<(usize, usize)> {
    let mut row = |state: &Vec<sat::Lit>| -> Vec<bool> {
        distinct.iter().map(|l| unrolled.solver.value(state[l.index()])).collect()
    };
    let last = unrolled.latches.len() - 1;
    let rows: Vec<Vec<bool>> = unrolled.latches[..last].iter().map(&mut row).collect();
    let pairs = (0..rows.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.filter(|&(a, b)| rows[a] == rows[b]).collect()
}

/// x_a ≠ x_b on D
fn tell_apart(unrolled: &mut Unrolled<'_>, distinct: &[LatchId], a: usize, b: usize) {
    let pairs = distinct.iter().map(|l| (unrolled.latches[a][l.index()], unrolled.latches[b][l.index()]));
    let clause: Vec<sat::Lit> = pairs.map(|(x, y)| differ(&mut unrolled.solver, x, y)).collect();
    unrolled.solver.add_clause(&clause);
}

/// D is closed, and the resets read no inputs: see the head of this file.
fn closed(
    system: &BitSystem,
    proof: &Proof,
    known: &[Lit],
    distinct: &[LatchId],
    stop: &Stop,
) -> Result<(), Refusal> {
    let mut closing = Closing::new(system, proof, known, distinct);
    while let Some(&outside) = closing.outside().first() {
        let progress =
            closing.find_constants(stop)? || closing.find_idle(stop)? || closing.find_assured(stop)?;
        if !progress && closing.depends_on_nothing_outside(stop)? {
            break;
        }
        require(progress, || {
            format!("distinctness leaves out latch {}, which the proof depends on", outside.index())
        })?;
    }
    require(!resets_read_inputs(system, closing.told()), || {
        "distinctness is unsound where resets read inputs".to_string()
    })
}

/// A set D on its way to being closed, as far as it is.
struct Closing<'a> {
    system: &'a BitSystem,
    proof: &'a Proof,
    known: &'a [Lit],
    in_d: Vec<bool>,
    /// The values of variables that S makes constant.
    constants: Vec<Ternary>,
    /// Whether the constants are inductive by themselves: then the last state of a trace out of S has them, too.
    assured: bool,
    /// Clauses that hold wherever the constants do. D need not be closed under them: where a constant is
    /// broken, S is.
    idle: Vec<bool>,
}

impl<'a> Closing<'a> {
    fn new(system: &'a BitSystem, proof: &'a Proof, known: &'a [Lit], distinct: &[LatchId]) -> Closing<'a> {
        let mut in_d = vec![false; system.num_latches()];
        distinct.iter().for_each(|l| in_d[l.index()] = true);
        let constants = unit_clauses(system, &proof.invariant);
        let idle = vec![false; proof.invariant.len()];
        Closing { system, proof, known, in_d, constants, assured: false, idle }
    }

    fn is_constant(&self, latch: LatchId) -> bool {
        self.constants[latch.index()] != Ternary::X
    }

    /// In D, or constant: what the shorter trace keeps.
    fn is_told(&self, latch: LatchId) -> bool {
        self.in_d[latch.index()] || self.is_constant(latch)
    }

    fn told(&self) -> impl Iterator<Item = LatchId> {
        self.system.latches().filter(|&l| self.is_told(l))
    }

    /// What D must be closed under where the constants hold: properties, clauses, and the next states of D and of
    /// the constants.
    fn roots(&self) -> Vec<Lit> {
        let (system, proof) = (self.system, self.proof);
        let next = self.told().map(|l| system.latch(l).next);
        let bads = proof.properties.iter().map(|&p| system.property(p).bad);
        let clauses = proof.invariant.iter().zip(&self.idle).filter(|(_, idle)| !**idle);
        let clauses = clauses.flat_map(|(clause, _)| clause.0.iter().copied());
        bads.chain(clauses).chain(next).collect()
    }

    /// Latches that are neither in D nor constant, and that something of what D must be closed under reads.
    /// Constraints must hold in the last state, too, whether it has the constants or not.
    fn outside(&self) -> Vec<LatchId> {
        let nothing = vec![Ternary::X; self.constants.len()];
        let of_constraints = if self.assured { &self.constants } else { &nothing };
        let read = Folded::new(self.system, &self.constants).latches_read(self.roots().into_iter());
        let constraints = self.system.constraints.iter().copied();
        let constraints = Folded::new(self.system, of_constraints).latches_read(constraints);
        let reads = |l: &LatchId| read[l.index()] || constraints[l.index()] && !self.is_constant(*l);
        self.system.latches().filter(|l| reads(l) && !self.in_d[l.index()]).collect()
    }

    /// Whether the constants hold at the start, and after a step from wherever they hold:
    /// R(x₀,i₀) ∧ C ∧ ¬K(x₀) and K(x₀) ∧ C(x₀,i₀) ∧ T ∧ ¬K(x₁) are unsatisfiable. Nothing is supposed about x₁ and
    /// its inputs, of which it is not yet known whether they keep the constraints.
    fn find_assured(&mut self, stop: &Stop) -> Result<bool, Refusal> {
        if self.assured {
            return Ok(false);
        }
        let mut start = Unrolled::new(self.system, self.proof, self.known, stop);
        start.push();
        start.assert_resets();
        let mut step = Unrolled::new(self.system, self.proof, self.known, stop);
        step.push();
        for (&own, value) in step.latches[0].clone().iter().zip(&self.constants) {
            value.known().into_iter().for_each(|value| step.solver.add_clause(&[own ^ !value]));
        }
        step.push_successor();
        for (latch, value) in self.constants.iter().enumerate() {
            let Some(value) = value.known() else { continue };
            let first = start.solver.solve(&[start.latches[0][latch] ^ value])?;
            let second = step.solver.solve(&[step.latches[1][latch] ^ value])?;
            if [first, second].contains(&Outcome::Sat) {
                return Ok(false);
            }
        }
        self.assured = true;
        Ok(true)
    }

    /// Whether what D must be closed under only seems to read more: for two states that agree on D and on the
    /// constants, with the same inputs, f(x,i) ≠ f(x',i) is unsatisfiable.
    fn depends_on_nothing_outside(&self, stop: &Stop) -> Result<bool, Refusal> {
        let (system, roots) = (self.system, self.roots());
        let mut solver = Cadical::new(stop, 0);
        let zero = constant_zero(&mut solver);
        let (inputs, one) =
            (fresh(&mut solver, system.num_inputs()), fresh(&mut solver, system.num_latches()));
        let own = |l: LatchId| if self.is_told(l) { one[l.index()] } else { solver.new_var() };
        let other: Vec<sat::Lit> = system.latches().map(own).collect();
        let mut needed = vec![false; system.num_vars()];
        system.mark_cone(roots.iter().chain(&system.constraints).copied(), &mut needed);
        let [one, other] =
            [&one, &other].map(|latches| Frame::encode(&mut solver, system, &needed, zero, &inputs, latches));
        let (before, after) = if self.assured {
            (&[][..], &system.constraints[..])
        } else {
            (&system.constraints[..], &[][..])
        };
        let differs = |solver: &mut Cadical, root: Lit| -> Result<bool, Refusal> {
            let apart = differ(solver, one.lit(root), other.lit(root));
            Ok(solver.solve(&[apart])? == Outcome::Sat)
        };
        for &root in before {
            if differs(&mut solver, root)? {
                return Ok(false);
            }
        }
        for latch in system.latches() {
            let value = self.constants[latch.index()].known();
            let own = one.lit(system.latch_lit(latch));
            value.into_iter().for_each(|value| solver.add_clause(&[own ^ !value]));
        }
        for &root in roots.iter().chain(after) {
            if differs(&mut solver, root)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a latch outside has one value only: S(x,i) ∧ C(x,i) ∧ x_l ≠ value is unsatisfiable.
    fn find_constants(&mut self, stop: &Stop) -> Result<bool, Refusal> {
        let mut state = Unrolled::new(self.system, self.proof, self.known, stop);
        state.push();
        state.assert_strengthening(0);
        let mut found = false;
        for latch in self.outside() {
            let own = state.latches[0][latch.index()];
            for value in [false, true] {
                if state.solver.solve(&[own ^ value])? == Outcome::Unsat {
                    self.constants[latch.index()] = Ternary::from(value);
                    (found, self.assured) = (true, false);
                }
            }
        }
        Ok(found)
    }

    /// Whether another clause holds wherever the constants do: constants(x) ∧ ¬clause(x,i) is unsatisfiable.
    fn find_idle(&mut self, stop: &Stop) -> Result<bool, Refusal> {
        let mut state = Unrolled::new(self.system, self.proof, self.known, stop);
        state.push_anything();
        for (&own, constant) in state.latches[0].iter().zip(&self.constants) {
            constant.known().into_iter().for_each(|value| state.solver.add_clause(&[own ^ !value]));
        }
        let before = self.idle.iter().filter(|idle| **idle).count();
        for (clause, idle) in self.proof.invariant.iter().zip(&mut self.idle).filter(|(_, idle)| !**idle) {
            let fails: Vec<sat::Lit> = clause.0.iter().map(|&l| !state.frames[0].lit(l)).collect();
            *idle = state.solver.solve(&fails)? == Outcome::Unsat;
        }
        Ok(self.idle.iter().filter(|idle| **idle).count() > before)
    }
}

/// Whether the start value of one of these latches depends on inputs, through whatever other resets.
fn resets_read_inputs(system: &BitSystem, latches: impl Iterator<Item = LatchId>) -> bool {
    let mut seen = vec![false; system.num_vars()];
    let mut todo: Vec<Lit> = latches.map(|l| system.latch(l).reset).collect();
    while let Some(lit) = todo.pop() {
        if std::mem::replace(&mut seen[lit.var().index()], true) {
            continue;
        }
        match system.node(lit.var()) {
            Node::Gate(a, b) => todo.extend([a, b]),
            Node::Latch(latch) => todo.push(system.latch(latch).reset),
            Node::Input(_) => return true,
            Node::Constant => {}
        }
    }
    false
}

/// Latches that a clause of one literal makes constant; a gate counts that is a latch once it is folded.
fn unit_clauses(system: &BitSystem, invariant: &[Clause]) -> Vec<Ternary> {
    let mut constants = vec![Ternary::X; system.num_latches()];
    let folded = Folded::new(system, &constants);
    for clause in invariant {
        if let [lit] = *clause.0 {
            let lit = folded.image(lit);
            if let Some(latch) = system.as_latch(lit.var()) {
                constants[latch.index()] = Ternary::from(!lit.is_negated());
            }
        }
    }
    constants
}
