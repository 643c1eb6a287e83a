//! Checking a k-inductive strengthening over any theory, with an SMT solver.
//!
//! The obligations are those of `crate::proof`: base and step of S = properties ∧ invariant. The encoding is the
//! plainest there is and shares nothing with that of the reasoners: in each step every input, state and definition
//! is a variable of its own, and every `init`, `next` and definition an equation between them. Each conjunct of S
//! is asked for by itself, given those before it.
//!
//! That there is no execution of so many states is an answer that ends the check, so it is asked of a second
//! solver, where there is one: otherwise one wrong answer would turn a proof into a vacuous one. If they disagree,
//! the check ends without an answer: a solver failed. A proof is rejected only for a path that was evaluated: a
//! solver whose path is none is not asked again, and where no other is left, the check ends without an answer,
//! too.
//!
//! Distinct states must be compared as a whole: on all states, none of whose `init` reads an input. Then S,
//! the constraints and the next states read nothing else, and the argument of `crate::proof` applies.

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Model, Session, Solver};
use buttress_system::words::{Label, System, WordProof};
use buttress_term::{Evaluation, Op, TermId, Terms};
use rustc_hash::FxHashMap;

use super::{names_a_property, proof_fits, valid};
use crate::{Checked, Evidence, Refusal, Vacuous, WordChecked, another, disagreement, require};

/// Accepts a strengthening that is k-inductive on this system, or that all its (bounded) executions satisfy. Each
/// part of the check has a session of its own.
pub fn certify_theory_proof(
    system: &System,
    proof: WordProof,
    start: &mut dyn FnMut() -> Session,
) -> Result<WordChecked, Refusal> {
    names_a_property(&proof)?;
    certify_theory_invariant(system, proof, start)
}

/// Accepts a strengthening that is k-inductive on this system and may name no property: it decides nothing, but
/// may help others.
pub fn certify_theory_invariant(
    system: &System,
    proof: WordProof,
    start: &mut dyn FnMut() -> Session,
) -> Result<WordChecked, Refusal> {
    valid(system)?;
    proof_fits(system, &proof)?;
    distinct_fits(system, &proof)?;
    let vacuous = base(system, &proof, start)?;
    if vacuous.is_none() {
        step(&mut Unrolled::new(system, &proof, start()))?;
    }
    let decides = proof.claim.properties.clone();
    Ok(Checked { decides, evidence: Evidence::Proof(proof), vacuous })
}

/// How many conjuncts of an invariant are k-inductive without the others. The base is that of the whole, once
/// more; the step is asked of each by itself, in one session: φ(x₀) ∧ … ∧ φ(x_{k-1}) ∧ T^k ∧ ¬φ(x_k).
pub fn inductive_alone(
    system: &System,
    proof: &WordProof,
    start: &mut dyn FnMut() -> Session,
) -> Result<usize, Refusal> {
    valid(system)?;
    proof_fits(system, proof)?;
    if base(system, proof, start)?.is_some() {
        return Ok(proof.claim.invariant.len());
    }
    let mut unrolled = Unrolled::new(system, proof, start());
    let k = proof.claim.k as usize;
    (0..=k).for_each(|_| unrolled.push());
    let mut alone = 0;
    for &conjunct in &proof.claim.invariant {
        let mut path: Vec<TermId> = (0..k).map(|t| unrolled.at(conjunct, t)).collect();
        let last = unrolled.at(conjunct, k);
        path.push(unrolled.terms.not(last));
        alone += usize::from(unrolled.session.check(&unrolled.terms, &path)? == Outcome::Unsat);
    }
    Ok(alone)
}

fn distinct_fits(system: &System, proof: &WordProof) -> Result<(), Refusal> {
    let Some(parts) = &proof.claim.distinct else { return Ok(()) };
    let whole = system.state_ids().all(|s| parts.iter().any(|p| p.state == s && p.bit.is_none()));
    let known = parts.iter().all(|p| p.state.index() < system.states.len());
    require(whole && known, || "distinctness does not compare all states".to_string())?;
    require(!system.inits_read_inputs(), || "distinctness is unsound where starts read inputs".to_string())
}

/// Copies of the system's variables, a map a step.
struct Unrolled<'a> {
    system: &'a System,
    proof: &'a WordProof,
    terms: Terms,
    session: Session,
    steps: Vec<FxHashMap<TermId, TermId>>,
    /// All that the session was told.
    asserted: Vec<TermId>,
}

impl<'a> Unrolled<'a> {
    fn new(system: &'a System, proof: &'a WordProof, session: Session) -> Unrolled<'a> {
        let terms = (*proof.terms).clone();
        Unrolled { system, proof, terms, session, steps: Vec::new(), asserted: Vec::new() }
    }

    /// Adds a step: its variables, their definitions, the constraints, and where they come from.
    fn push(&mut self) {
        let mut copies = FxHashMap::default();
        let inputs = self.system.inputs.iter().map(|i| (i.variable, &i.label));
        let states = self.system.states.iter().map(|s| (s.variable, &s.label));
        let definitions = self.system.definitions.iter().map(|d| (d.variable, &d.label));
        let all: Vec<(TermId, &Label)> = inputs.chain(states).chain(definitions).collect();
        for (variable, label) in all {
            let name = format!("{}#{}", label.name, self.steps.len());
            let sort = self.terms.sort(variable).clone();
            copies.insert(variable, self.terms.variable(name, sort));
        }
        self.steps.push(copies);
        let now = self.steps.len() - 1;
        for definition in &self.system.definitions {
            self.equate(definition.variable, now, definition.value, now);
        }
        for constraint in &self.system.constraints {
            let holds = self.at(constraint.term, now);
            self.assert(holds);
        }
        if let Some(before) = now.checked_sub(1) {
            for state in &self.system.states {
                if let Some(next) = state.next {
                    self.equate(state.variable, now, next, before);
                }
            }
        }
    }

    /// R(x₀,i₀)
    fn assert_start(&mut self) {
        for state in &self.system.states {
            if let Some(init) = state.init {
                self.equate(state.variable, 0, init, 0);
            }
        }
    }

    fn at(&mut self, term: TermId, step: usize) -> TermId {
        self.terms.substitute(&[term], &self.steps[step])[0]
    }

    /// `variable` at one step is `value` at another.
    fn equate(&mut self, variable: TermId, step: usize, value: TermId, read_at: usize) {
        let (left, right) = (self.at(variable, step), self.at(value, read_at));
        let equal = self.terms.eq(left, right);
        self.assert(equal);
    }

    /// The conjuncts of S at a step, properties last: mostly they follow from the invariant.
    fn strengthening(&mut self, step: usize) -> Vec<TermId> {
        let claim = &self.proof.claim;
        let mut conjuncts: Vec<TermId> = claim.invariant.iter().map(|&c| self.at(c, step)).collect();
        for &property in &claim.properties {
            let bad = self.at(self.system.property(property).bad, step);
            conjuncts.push(self.terms.not(bad));
        }
        conjuncts
    }

    fn assert_strengthening(&mut self, step: usize) {
        for conjunct in self.strengthening(step) {
            self.assert(conjunct);
        }
    }

    /// Whether S holds at a step whatever happened before; then it is asserted.
    fn implies_strengthening(&mut self, step: usize) -> Result<bool, Refusal> {
        for conjunct in self.strengthening(step) {
            let violated = self.terms.not(conjunct);
            if self.is_possible(violated)? {
                return Ok(false);
            }
            self.assert(conjunct);
        }
        Ok(true)
    }

    fn assert(&mut self, fact: TermId) {
        self.session.assert(&self.terms, fact);
        self.asserted.push(fact);
    }

    /// Whether a path as long as this has a term hold.
    fn is_possible(&mut self, term: TermId) -> Result<bool, Refusal> {
        loop {
            if self.session.check(&self.terms, &[term])? == Outcome::Unsat {
                return Ok(false);
            }
            let variables: Vec<TermId> =
                self.steps.iter().flat_map(|copies| copies.values().copied()).collect();
            let Some(values) = self.session.values(&self.terms, &variables)? else { continue };
            let mut evaluation = Evaluation::new(&self.terms);
            for (&variable, value) in variables.iter().zip(values) {
                evaluation.assign(variable, Some(value));
            }
            if self.asserted.iter().chain([&term]).all(|&fact| evaluation.bool(fact) == Some(true)) {
                return Ok(true);
            }
            self.session.distrust("it does not satisfy what was asserted")?;
        }
    }

    /// x_a ≠ x_b
    fn tell_apart(&mut self, a: usize, b: usize) {
        let mut different = Vec::new();
        for state in &self.system.states {
            let (x, y) = (self.steps[a][&state.variable], self.steps[b][&state.variable]);
            different.push(self.terms.app(Op::Distinct, &[x, y]));
        }
        let different = self.terms.any(&different);
        self.assert(different);
    }
}

/// No execution of at most k states leaves S; `Some` if there is none as long as that.
fn base(
    system: &System,
    proof: &WordProof,
    start: &mut dyn FnMut() -> Session,
) -> Result<Option<Vacuous>, Refusal> {
    let mut unrolled = Unrolled::new(system, proof, start());
    for t in 0..proof.claim.k as usize {
        unrolled.push();
        if t == 0 {
            unrolled.assert_start();
        }
        // Without constraints every state has a successor, and stratified starts have a solution.
        let constrained = !unrolled.system.constraints.is_empty();
        if constrained && unrolled.session.check(&unrolled.terms, &[])? == Outcome::Unsat {
            let session = another(&unrolled.session, start());
            no_execution(&unrolled, Unrolled::new(system, proof, session), t + 1)?;
            return Ok(Some(Vacuous { states: t + 1 }));
        }
        let holds = unrolled.implies_strengthening(t)?;
        require(holds, || format!("the base case fails in step {t}"))?;
    }
    Ok(None)
}

/// R(x₀,i₀) ∧ T^n ∧ C is unsatisfiable, says another solver than the one that said so before.
fn no_execution(first: &Unrolled<'_>, mut again: Unrolled<'_>, states: usize) -> Result<(), Refusal> {
    (0..states).for_each(|_| again.push());
    again.assert_start();
    let none = again.session.check(&again.terms, &[])? == Outcome::Unsat;
    if none { Ok(()) } else { Err(disagreement(&first.session, &again.session, states)) }
}

/// No path of k states in S leads out of S.
fn step(unrolled: &mut Unrolled<'_>) -> Result<(), Refusal> {
    let k = unrolled.proof.claim.k as usize;
    for t in 0..=k {
        unrolled.push();
        if t < k {
            unrolled.assert_strengthening(t);
        }
    }
    if unrolled.proof.claim.distinct.is_some() {
        (1..k).for_each(|b| (0..b).for_each(|a| unrolled.tell_apart(a, b)));
    }
    let holds = unrolled.implies_strengthening(k)?;
    require(holds, || format!("the induction step fails for k = {k}"))
}
