//! The check of claims for all places, without quantifiers.
//!
//! A proof is a list of clauses over states and index symbols, and instances of them. With X free,
//!
//! * start: R(V) ∧ C ∧ ¬c(V, X) is unsatisfiable for each clause c;
//! * step: ⋀_π inv(V)[π] ∧ C ∧ ¬c(δ(V, I), X) is unsatisfiable for each clause c;
//! * goal: ⋀_π inv(V)[π] ∧ C ∧ bad(V, I, X) is unsatisfiable.
//!
//! If ∀X inv holds then so does each instance, whatever the terms are; so the three say that ∀X inv is inductive
//! and excludes bad. Nothing is split into cases and nothing is folded. What is shared with the producers is
//! `term::maps`: substitution and β-reduction. Axioms are assumed, by their instances.
//!
//! A trace is replayed by evaluating maps at places (`system::indexed::Play`), and the axioms must hold of its
//! tables: at all places, or at all processes where nothing is said of other places.

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Session, Solver};
use buttress_system::indexed::{Indexed, IndexedProof, IndexedTrace, Instance, Play, Use};
use buttress_system::words::{Assignment, Named};
use buttress_term::{Op, Sort, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::trace::{admissible, violated};
use crate::words::trace_fits;
use crate::{Checked, Evidence, IndexedChecked, Refusal, Vacuous, another, disagreement, require};

/// Accepts clauses that are inductive for all places and exclude their properties. Each part has a session of its
/// own.
pub fn certify_indexed_proof(
    model: &Indexed,
    proof: IndexedProof,
    start: &mut dyn FnMut() -> Session,
) -> Result<IndexedChecked, Refusal> {
    model.validate().map_err(|fault| Refusal::Rejected(format!("the model is ill-formed: {fault}")))?;
    proof_fits(model, &proof)?;
    let vacuous = initiation(model, &proof, start)?;
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
    indices_fit(model, proof)?;
    let own: FxHashSet<TermId> =
        model.system.states.iter().map(|s| s.variable).chain(proof.indices.iter().copied()).collect();
    let known = |t: &TermId| t.index() < proof.terms.len();
    let is_clause = |t: &TermId| {
        known(t)
            && *proof.terms.sort(*t) == Sort::Bool
            && proof.terms.free_variables([*t]).iter().all(|v| own.contains(v))
    };
    let clauses = proof.clauses.iter().all(is_clause);
    require(clauses, || "a clause is not a Boolean term over states and index symbols".to_string())?;
    let fits = |instance: &Instance| {
        let pairs = instance.0.iter().zip(&proof.indices);
        let places = pairs.clone().all(|(t, &i)| known(t) && proof.terms.sort(*t) == proof.terms.sort(i));
        instance.0.len() == proof.indices.len() && places
    };
    let mut uses = proof.step.iter().chain(&proof.implies);
    let uses = uses.all(|u| u.clause < proof.clauses.len() && fits(&u.instance));
    let instances = uses && proof.axioms.iter().all(fits);
    require(instances, || "an instance does not fit the index symbols".to_string())
}

/// The index symbols are the model's, and then variables that the system does not know.
fn indices_fit(model: &Indexed, proof: &IndexedProof) -> Result<(), Refusal> {
    let own = proof.indices.get(model.indices.len()..).unwrap_or_default();
    let fresh = own.iter().all(|i| {
        i.index() >= model.system.terms.len() && i.index() < proof.terms.len() && proof.terms.is_variable(*i)
    });
    let different: FxHashSet<&TermId> = proof.indices.iter().collect();
    let fits = proof.indices.starts_with(&model.indices) && fresh && different.len() == proof.indices.len();
    require(fits, || "the index symbols of the proof are not those of the model and new ones".to_string())
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
        self.proof.indices.clone().into_iter().zip(instance.0.clone())
    }

    /// ⋀_π inv[π]
    fn assert_instances(&mut self, uses: &[Use], definitions: &FxHashMap<TermId, TermId>) {
        for Use { clause, instance } in uses {
            let mut by: FxHashMap<TermId, TermId> = self.places(instance).collect();
            for place in by.values_mut() {
                *place = self.terms.replace(*place, definitions);
            }
            self.assert(self.proof.clauses[*clause], &by);
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

/// The first states, and what is supposed of them: R(V) ∧ C
fn start_of<'a>(
    model: &'a Indexed,
    proof: &'a IndexedProof,
    session: Session,
) -> Result<(Question<'a>, FxHashMap<TermId, TermId>), Refusal> {
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
    Ok((question, first))
}

fn initiation(
    model: &Indexed,
    proof: &IndexedProof,
    start: &mut dyn FnMut() -> Session,
) -> Result<Option<Vacuous>, Refusal> {
    let (mut question, first) = start_of(model, proof, start())?;
    let assumed = !model.system.constraints.is_empty() || !model.axioms.is_empty();
    if assumed && question.session.check(&question.terms, &[])? == Outcome::Unsat {
        // One wrong answer would make the proof a vacuous one, so another solver is asked, where there is one.
        let (mut again, _) = start_of(model, proof, another(&question.session, start()))?;
        let none = again.session.check(&again.terms, &[])? == Outcome::Unsat;
        if !none {
            return Err(disagreement(&question.session, &again.session, 1));
        }
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

/// Accepts a trace that the system can execute, that violates its property in its last step and whose maps satisfy
/// the axioms.
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
    let mut others = Vec::new();
    let mut session = start();
    for axiom in &model.axioms {
        match finite(model, axiom.term, &play, &mut session)? {
            Some(places) => holds_at(model, &trace, axiom, &places)?,
            None => others.push(axiom),
        }
    }
    axioms_hold(model, &others, &trace, session)?;
    Ok(Checked { decides: vec![trace.property], evidence: Evidence::Trace(trace), vacuous: None })
}

/// Values of index symbols.
type Places = Vec<(TermId, Value)>;

/// Places of one axiom that are tried one by one, at most.
const PLACES: u64 = 100_000;

/// Where the places are processes and an axiom says nothing of other numbers, in no state whatever: the processes
/// of this trace, as values for the index symbols that it reads.
fn finite(
    model: &Indexed,
    axiom: TermId,
    play: &Play<'_>,
    session: &mut Session,
) -> Result<Option<Vec<Places>>, Refusal> {
    let Some(processes) = &model.processes else { return Ok(None) };
    let Some(Value::Int(size)) = play.value(0, processes.size, &[]) else { return Ok(None) };
    let mut terms = model.system.terms.clone();
    let read = terms.free_variables([axiom]);
    let own: Vec<TermId> = model.indices.iter().copied().filter(|i| read.contains(i)).collect();
    let count = u64::try_from(&size).ok().and_then(|n| n.checked_pow(own.len() as u32));
    if own.iter().any(|&i| *terms.sort(i) != Sort::Int) || count.is_none_or(|n| n > PLACES) {
        return Ok(None);
    }
    let mut outside = Vec::new();
    for &index in &own {
        let zero = terms.int(0);
        outside.push(terms.app(Op::Lt, &[index, zero]));
        outside.push(terms.app(Op::Le, &[processes.size, index]));
    }
    let (outside, violated) = (terms.any(&outside), terms.reduce(axiom));
    let violated = terms.not(violated);
    // (z < 0 ∨ N ≤ z) ∧ ¬axiom
    if session.check(&terms, &[outside, violated])? != Outcome::Unsat {
        return Ok(None);
    }
    let mut rows: Vec<Places> = vec![Vec::new()];
    for &index in &own {
        let numbers = || (0..u64::try_from(&size).unwrap_or(0)).map(|n| Value::Int(n.into()));
        let longer =
            |row: Places| numbers().map(move |n| row.iter().cloned().chain([(index, n)]).collect::<Vec<_>>());
        rows = rows.into_iter().flat_map(longer).collect();
    }
    Ok(Some(rows))
}

/// That an axiom holds in each step of a trace, at these places.
fn holds_at(model: &Indexed, trace: &IndexedTrace, axiom: &Named, places: &[Places]) -> Result<(), Refusal> {
    let inputs = &model.system.inputs;
    for row in places {
        let mut trace = trace.clone();
        for (index, value) in row {
            let place =
                inputs.iter().position(|i| i.variable == *index).expect("an index symbol is an input");
            trace.inputs.iter_mut().for_each(|inputs| inputs[place] = Some(value.clone()));
        }
        let play = Play::new(&model.system, &trace);
        for step in 0..trace.inputs.len() {
            let holds = play.bool(step, axiom.term) == Some(true);
            require(holds, || format!("axiom {} does not hold in step {step}", axiom.label.name))?;
        }
    }
    Ok(())
}

/// That no place in any step of a trace violates an axiom: its values are put in as constants.
fn axioms_hold(
    model: &Indexed,
    axioms: &[&Named],
    trace: &IndexedTrace,
    session: Session,
) -> Result<(), Refusal> {
    if axioms.is_empty() {
        return Ok(());
    }
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
        for axiom in axioms {
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
