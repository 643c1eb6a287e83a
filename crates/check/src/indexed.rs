//! The check of claims for all places, without quantifiers.
//!
//! A proof is a list of clauses over states and index symbols, and instances of them. With X free,
//!
//! * start: R(V) ∧ C ∧ ¬c(V, X) is unsatisfiable for each clause c;
//! * step: ⋀_π inv(V)[π] ∧ C ∧ ¬c(δ(V, I), X) is unsatisfiable for each clause c;
//! * goal: ⋀_π inv(V)[π] ∧ C ∧ bad(V, I, X) is unsatisfiable.
//!
//! If ∀X inv holds then so does each instance, whatever the terms are; so the three say that ∀X inv is inductive and excludes
//! bad. Nothing is split into cases and nothing is folded. What is shared with the producers is `term::maps`:
//! substitution and β-reduction. Axioms are assumed, by their instances.
//!
//! A trace is replayed by evaluating maps at places (`system::indexed::Play`), and the axioms must hold of its tables.

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Session, Solver};
use buttress_system::indexed::{Indexed, IndexedProof, IndexedTrace, Instance, Play};
use buttress_system::words::Assignment;
use buttress_term::{Sort, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::trace::{admissible, violated};
use crate::words::trace_fits;
use crate::{Checked, Evidence, IndexedChecked, Refusal, Vacuous, require};

/// Accepts clauses that are inductive for all places and exclude their properties. Each part has a session of its own.
pub fn certify_indexed_proof(
    model: &Indexed,
    proof: IndexedProof,
    start: &mut dyn FnMut() -> Session,
) -> Result<IndexedChecked, Refusal> {
    model.validate().map_err(|fault| Refusal::Rejected(format!("the model is ill-formed: {fault}")))?;
    proof_fits(model, &proof)?;
    let vacuous = initiation(model, &proof, start())?;
    if vacuous.is_none() {
        consecution(model, &proof, start())?;
        implication(model, &proof, start())?;
    }
    Ok(Checked { decides: proof.properties.clone(), evidence: Evidence::Proof(proof), vacuous })
}

fn proof_fits(model: &Indexed, proof: &IndexedProof) -> Result<(), Refusal> {
    require(!proof.properties.is_empty(), || "the proof names no property".to_string())?;
    let exist = proof.properties.iter().all(|p| p.index() < model.system.properties.len());
    require(exist, || "the proof names a property that does not exist".to_string())?;
    let extends = proof.terms.extends(&model.system.terms);
    require(extends, || "the terms of the proof are not those of the system and more".to_string())?;
    let own: FxHashSet<TermId> =
        model.system.states.iter().map(|s| s.variable).chain(model.indices.iter().copied()).collect();
    let known = |t: &TermId| t.index() < proof.terms.len();
    let is_clause = |t: &TermId| {
        known(t)
            && *proof.terms.sort(*t) == Sort::Bool
            && proof.terms.free_variables([*t]).iter().all(|v| own.contains(v))
    };
    let clauses = proof.clauses.iter().all(is_clause);
    require(clauses, || "a clause is not a Boolean term over states and index symbols".to_string())?;
    let sort = |i: TermId| model.system.terms.sort(i);
    let fits = |instance: &Instance| {
        let pairs = instance.0.iter().zip(&model.indices);
        let places = pairs.clone().all(|(t, &i)| known(t) && proof.terms.sort(*t) == sort(i));
        instance.0.len() == model.indices.len() && places
    };
    let instances = proof.step.iter().chain(&proof.implies).chain(&proof.axioms).all(fits);
    require(instances, || "an instance does not fit the index symbols".to_string())
}

/// A question under construction.
struct Question<'a> {
    model: &'a Indexed,
    proof: &'a IndexedProof,
    terms: Terms,
    session: Session,
}

impl<'a> Question<'a> {
    fn new(model: &'a Indexed, proof: &'a IndexedProof, session: Session) -> Question<'a> {
        Question { model, proof, terms: (*proof.terms).clone(), session }
    }

    /// A term with variables replaced, without lambda; and the ranges of what it reads are known.
    fn put(&mut self, term: TermId, by: &FxHashMap<TermId, TermId>) -> TermId {
        let term = self.terms.replace(term, by);
        let term = self.terms.reduce(term);
        for range in self.terms.ranges(&[term]) {
            self.session.assert(&self.terms, range);
        }
        term
    }

    fn assert(&mut self, term: TermId, by: &FxHashMap<TermId, TermId>) {
        let fact = self.put(term, by);
        self.session.assert(&self.terms, fact);
    }

    /// The constraints and axioms in a state.
    fn assume(&mut self, state: &FxHashMap<TermId, TermId>) {
        for constraint in &self.model.system.constraints {
            self.assert(constraint.term, state);
        }
        for instance in &self.proof.axioms {
            let mut by = state.clone();
            by.extend(self.places(instance));
            for axiom in &self.model.axioms {
                self.assert(axiom.term, &by);
            }
        }
    }

    fn places(&self, instance: &Instance) -> impl Iterator<Item = (TermId, TermId)> + use<> {
        self.model.indices.clone().into_iter().zip(instance.0.clone())
    }

    /// ⋀_π inv[π]
    fn assert_instances(&mut self, instances: &[Instance], definitions: &FxHashMap<TermId, TermId>) {
        for instance in instances {
            let mut by: FxHashMap<TermId, TermId> = self.places(instance).collect();
            for place in by.values_mut() {
                *place = self.terms.replace(*place, definitions);
            }
            for &clause in &self.proof.clauses {
                self.assert(clause, &by);
            }
        }
    }

    /// Definitions as terms over states and inputs, given what these are.
    fn define(&mut self, state: &mut FxHashMap<TermId, TermId>) {
        for definition in &self.model.system.definitions {
            let value = self.terms.replace(definition.value, state);
            let value = self.terms.reduce(value);
            state.insert(definition.variable, value);
        }
    }

    fn holds(&mut self, clause: TermId, state: &FxHashMap<TermId, TermId>) -> Result<bool, Refusal> {
        let clause = self.put(clause, state);
        let violated = self.terms.not(clause);
        Ok(self.session.check(&self.terms, &[violated])? == Outcome::Unsat)
    }
}

fn initiation(model: &Indexed, proof: &IndexedProof, session: Session) -> Result<Option<Vacuous>, Refusal> {
    let mut question = Question::new(model, proof, session);
    let mut first: FxHashMap<TermId, TermId> = FxHashMap::default();
    let order =
        model.system.start_order().map_err(|_| Refusal::Rejected("a start depends on itself".into()))?;
    for assignment in order {
        let (variable, value) = match assignment {
            Assignment::Definition(d) => {
                let definition = &model.system.definitions[d];
                (definition.variable, Some(definition.value))
            }
            Assignment::State(s) => (model.system.state(s).variable, model.system.state(s).init),
        };
        if let Some(value) = value {
            let value = question.terms.replace(value, &first);
            let value = question.terms.reduce(value);
            first.insert(variable, value);
        }
    }
    question.assume(&first);
    let assumed = !model.system.constraints.is_empty() || !model.axioms.is_empty();
    if assumed && question.session.check(&question.terms, &[])? == Outcome::Unsat {
        return Ok(Some(Vacuous { states: 1 }));
    }
    // R(V) ∧ C ∧ ¬c
    for (number, &clause) in proof.clauses.iter().enumerate() {
        let holds = question.holds(clause, &first)?;
        require(holds, || format!("clause {number} does not hold at the start"))?;
    }
    Ok(None)
}

fn consecution(model: &Indexed, proof: &IndexedProof, session: Session) -> Result<(), Refusal> {
    let mut question = Question::new(model, proof, session);
    let mut before = FxHashMap::default();
    question.define(&mut before);
    question.assume(&before);
    question.assert_instances(&proof.step, &before);
    let mut after: FxHashMap<TermId, TermId> = FxHashMap::default();
    for state in &model.system.states {
        let next = match state.next {
            Some(next) => question.put(next, &before),
            None => {
                let sort = question.terms.sort(state.variable).clone();
                question.terms.variable(format!("{}'", state.label.name), sort)
            }
        };
        after.insert(state.variable, next);
    }
    for input in &model.system.inputs {
        if !model.is_index(input.variable) {
            let sort = question.terms.sort(input.variable).clone();
            let fresh = question.terms.variable(format!("{}'", input.label.name), sort);
            after.insert(input.variable, fresh);
        }
    }
    question.define(&mut after);
    question.assume(&after);
    // ⋀_π inv[π] ∧ C ∧ C′ ∧ ¬c(δ)
    for (number, &clause) in proof.clauses.iter().enumerate() {
        let holds = question.holds(clause, &after)?;
        require(holds, || format!("clause {number} is not preserved, by the instances that are given"))?;
    }
    Ok(())
}

fn implication(model: &Indexed, proof: &IndexedProof, session: Session) -> Result<(), Refusal> {
    let mut question = Question::new(model, proof, session);
    let mut now = FxHashMap::default();
    question.define(&mut now);
    question.assume(&now);
    question.assert_instances(&proof.implies, &now);
    // ⋀_π inv[π] ∧ C ∧ bad
    for &property in &proof.properties {
        let bad = question.put(model.system.property(property).bad, &now);
        let excluded = question.session.check(&question.terms, &[bad])? == Outcome::Unsat;
        require(excluded, || {
            format!("the clauses do not exclude a violation of property {}", property.index())
        })?;
    }
    Ok(())
}

/// Accepts a trace that the system can execute, that violates its property in its last step and whose maps satisfy the
/// axioms.
pub fn certify_indexed_trace(
    model: &Indexed,
    trace: IndexedTrace,
    start: &mut dyn FnMut() -> Session,
) -> Result<IndexedChecked, Refusal> {
    model.validate().map_err(|fault| Refusal::Rejected(format!("the model is ill-formed: {fault}")))?;
    let system = &model.system;
    trace_fits(system, &trace)?;
    let own = system.states.iter().zip(&trace.initial);
    let given = own.clone().find(|(state, value)| state.init.is_some() && value.is_some());
    require(given.is_none(), || "the trace gives a start that follows from an init".to_string())?;
    let play = Play::new(system, &trace);
    for step in 0..trace.inputs.len() {
        admissible(step, system.constraints.iter().map(|c| play.bool(step, c.term) == Some(true)))?;
    }
    let bad = play.bool(trace.last_step(), system.property(trace.property).bad);
    violated(trace.last_step(), bad == Some(true))?;
    if !model.axioms.is_empty() {
        axioms_hold(model, &trace, start())?;
    }
    Ok(Checked { decides: vec![trace.property], evidence: Evidence::Trace(trace), vacuous: None })
}

/// That no place in any step of a trace violates an axiom: its values are put in as constants.
fn axioms_hold(model: &Indexed, trace: &IndexedTrace, session: Session) -> Result<(), Refusal> {
    let system = &model.system;
    let (mut terms, mut session) = (system.terms.clone(), session);
    let mut state: FxHashMap<TermId, TermId> = FxHashMap::default();
    for (step, row) in trace.inputs.iter().enumerate() {
        let mut now: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (input, value) in system.inputs.iter().zip(row).filter(|(i, _)| !model.is_index(i.variable)) {
            let value = value.clone().unwrap_or_else(|| Value::zero(terms.sort(input.variable)));
            now.insert(input.variable, terms.constant(value));
        }
        let mut values = Vec::new();
        for (s, own) in system.states.iter().enumerate() {
            let value = match (step, own.init, own.next) {
                (0, Some(init), _) => terms.replace(init, &now),
                (0, None, _) => {
                    let value =
                        trace.initial[s].clone().unwrap_or_else(|| Value::zero(terms.sort(own.variable)));
                    terms.constant(value)
                }
                (_, _, Some(next)) => terms.replace(next, &state),
                (_, _, None) => return Err(Refusal::Rejected("axioms beside free states".to_string())),
            };
            values.push((own.variable, terms.reduce(value)));
        }
        now.extend(values);
        for axiom in &model.axioms {
            let holds = terms.replace(axiom.term, &now);
            let holds = terms.reduce(holds);
            let violated = terms.not(holds);
            let satisfied = session.check(&terms, &[violated])? == Outcome::Unsat;
            require(satisfied, || format!("axiom {} does not hold in step {step}", axiom.label.name))?;
        }
        state = now;
    }
    Ok(())
}
