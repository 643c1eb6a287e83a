//! Systems with maps as state, and what is said about them for all places (Lahiri & Bryant, "Constructing
//! Quantified Invariants via Predicate Abstraction", VMCAI 2004).
//!
//! The system itself is a [`words::System`](crate::words::System) whose states may be maps
//! ([`buttress_term::maps`]) that change by lambda. Its semantics is the same. An *index symbol* is an input that
//! only properties, predicates and axioms read: so that a property "never ¬ψ(x), whatever the input x" says ∀x.
//! ψ(x).
//!
//! * [`Indexed`]: the system, its index symbols, and the predicates, axioms and instantiations that the user gave.
//! * [`IndexedProof`]: clauses that hold for all index symbols, with the list of instances that make the check of
//!   them free of quantifiers.
//! * [`Play`]: execution with maps that are evaluated at a place, never as a whole.

mod play;

use std::sync::Arc;

use buttress_term::{Node, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::PropertyId;
use crate::words::{Fault, Label, Named, Role, System, WordTrace};

pub use play::Play;

/// A system with maps. The lists are over the terms of the system.
#[derive(Clone, Debug)]
pub struct Indexed {
    pub system: System,
    /// Inputs that are index symbols, X.
    pub indices: Vec<TermId>,
    /// Boolean terms over states and index symbols, φ.
    pub predicates: Vec<Named>,
    /// Formulas that hold in every step, for all index symbols that they read. Assumed: of states, and of inputs,
    /// which is how a step is guarded by conditions on all processes.
    pub axioms: Vec<Named>,
    /// Terms over states, inputs and index symbols that index symbols are replaced by, besides those that are
    /// found.
    pub instantiations: Vec<TermId>,
    /// Where places are processes.
    pub processes: Option<Processes>,
    /// Boolean terms over states and index symbols that may be unreachable. Nothing is assumed.
    pub hints: Vec<TermId>,
}

/// Processes are the numbers from 0 up to a size.
#[derive(Clone, Debug)]
pub struct Processes {
    /// A state that never changes.
    pub size: TermId,
    /// The inputs that are processes: who takes a step.
    pub inputs: Vec<TermId>,
}

/// One instance: what index symbols are replaced by, in the order of [`IndexedProof::indices`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance(pub Vec<TermId>);

/// One clause under one instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Use {
    pub clause: usize,
    pub instance: Instance,
}

/// ∀X. ⋀ clauses, with the instances by which it is inductive and implies its properties.
#[derive(Clone, Debug)]
pub struct IndexedProof {
    pub properties: Vec<PropertyId>,
    /// The store of all that follows: the system's, possibly extended.
    pub terms: Arc<Terms>,
    /// X: those of the model, and then variables of the proof's own.
    pub indices: Vec<TermId>,
    /// Boolean terms over states and index symbols.
    pub clauses: Vec<TermId>,
    /// For the induction step; over states, inputs and index symbols, which are those of the clause to be shown.
    pub step: Vec<Use>,
    /// For the properties; index symbols are those of the property.
    pub implies: Vec<Use>,
    /// Of the axioms, in all parts.
    pub axioms: Vec<Instance>,
}

/// A fact about every reachable state, at all places.
#[derive(Clone, Debug)]
pub enum IndexedLemma {
    Property(PropertyId),
    /// A clause of a proof.
    Clause(Arc<IndexedProof>, usize),
}

impl IndexedProof {
    /// Both sets of clauses at once: what each needs for its step and its properties is there. Index symbols of
    /// both are index symbols of the whole; an instance leaves those that it did not know as they are.
    pub fn and(self, model: &Indexed, other: &IndexedProof) -> IndexedProof {
        let common = model.system.terms.len();
        let mut terms = Arc::unwrap_or_clone(self.terms);
        let mut images = FxHashMap::default();
        for &index in other.indices.iter().filter(|i| i.index() >= common) {
            if let Node::Variable(name) = other.terms.node(index) {
                images.insert(index, terms.variable(name, other.terms.sort(index).clone()));
            }
        }
        let known = |t: TermId| (t.index() < common).then_some(t);
        let mut adopt = |t: TermId| terms.adopt_with(&other.terms, t, &mut images, known);
        let theirs: Vec<TermId> = other.indices.iter().map(|&i| adopt(i)).collect();
        let clauses: Vec<TermId> = other.clauses.iter().map(|&c| adopt(c)).collect();
        let instance = |i: &Instance, adopt: &mut dyn FnMut(TermId) -> TermId| -> Vec<TermId> {
            i.0.iter().map(|&t| adopt(t)).collect()
        };
        let uses = |uses: &[Use], adopt: &mut dyn FnMut(TermId) -> TermId| -> Vec<(usize, Vec<TermId>)> {
            uses.iter().map(|u| (u.clause, instance(&u.instance, adopt))).collect()
        };
        let (step, implies) = (uses(&other.step, &mut adopt), uses(&other.implies, &mut adopt));
        let axioms: Vec<Vec<TermId>> = other.axioms.iter().map(|i| instance(i, &mut adopt)).collect();
        let mut indices = self.indices.clone();
        indices.extend(theirs.iter().filter(|i| !self.indices.contains(i)));
        let placed = |from: &[TermId], by: &[TermId]| {
            let of = |i: &TermId| from.iter().position(|f| f == i).map_or(*i, |at| by[at]);
            Instance(indices.iter().map(of).collect())
        };
        let first = self.clauses.len();
        let mine = |u: &Use| Use { clause: u.clause, instance: placed(&self.indices, &u.instance.0) };
        let more = |(clause, by): &(usize, Vec<TermId>)| Use {
            clause: first + clause,
            instance: placed(&theirs, by),
        };
        let mut properties = self.properties.clone();
        properties.extend(other.properties.iter().filter(|p| !self.properties.contains(p)));
        IndexedProof {
            properties,
            clauses: self.clauses.iter().copied().chain(clauses).collect(),
            step: self.step.iter().map(mine).chain(step.iter().map(more)).collect(),
            implies: self.implies.iter().map(mine).chain(implies.iter().map(more)).collect(),
            axioms: self
                .axioms
                .iter()
                .map(|i| placed(&self.indices, &i.0))
                .chain(axioms.iter().map(|by| placed(&theirs, by)))
                .collect(),
            terms: Arc::new(terms),
            indices,
        }
    }
}

/// A trace of a system with maps. Maps that an `init` does not give are tables.
pub type IndexedTrace = WordTrace;

impl Indexed {
    pub fn is_index(&self, variable: TermId) -> bool {
        self.indices.contains(&variable)
    }

    /// The system fits together; index symbols are inputs that no start, step or constraint reads; predicates
    /// read states and index symbols only, axioms inputs, too; definitions are not read by them.
    pub fn validate(&self) -> Result<(), Fault> {
        self.system.validate()?;
        let (terms, roles) = (&self.system.terms, self.system.roles());
        let fault = |label: &Label, message: String| Err(Fault { message, span: label.span });
        for state in &self.system.states {
            let read = terms.free_variables(state.init.into_iter().chain(state.next));
            if let Some(index) = read.iter().find(|v| self.is_index(**v)) {
                let name = self.system.variable_name(*index);
                return fault(
                    &state.label,
                    format!("`{}` reads the index symbol `{name}`", state.label.name),
                );
            }
        }
        let values = self.system.definitions.iter().map(|d| (d.value, &d.label));
        for (term, label) in self.system.constraints.iter().map(|c| (c.term, &c.label)).chain(values) {
            if terms.free_variables([term]).iter().any(|v| self.is_index(*v)) {
                return fault(label, format!("`{}` reads an index symbol", label.name));
            }
        }
        let state = |v: &TermId| matches!(roles[v.index()], Some(Role::State(_))) || self.is_index(*v);
        let input = |v: &TermId| state(v) || matches!(roles[v.index()], Some(Role::Input(_)));
        let predicates = self.predicates.iter().map(|p| (p, false));
        for (said, inputs) in predicates.chain(self.axioms.iter().map(|a| (a, true))) {
            let own = |v: &TermId| if inputs { input(v) } else { state(v) };
            if let Some(other) = terms.free_variables([said.term]).into_iter().find(|v| !own(v)) {
                let (name, other) = (&said.label.name, self.system.variable_name(other));
                let what = if inputs {
                    "neither a state nor an input"
                } else {
                    "neither a state nor an index symbol"
                };
                return fault(&said.label, format!("`{name}` reads `{other}`, which is {what}"));
            }
        }
        Ok(())
    }
}
