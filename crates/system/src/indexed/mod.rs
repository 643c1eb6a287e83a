//! Systems with maps as state, and what is said about them for all places (Lahiri & Bryant, "Constructing Quantified
//! Invariants via Predicate Abstraction", VMCAI 2004).
//!
//! The system itself is a [`words::System`](crate::words::System) whose states may be maps
//! ([`buttress_term::maps`]) that change by lambda. Its semantics is the same. An *index symbol* is an input that only
//! properties, predicates and axioms read: so that a property "never ¬ψ(x), whatever the input x" says ∀x. ψ(x).
//!
//! * [`Indexed`]: the system, its index symbols, and the predicates, axioms and instantiations that the user gave.
//! * [`IndexedProof`]: clauses that hold for all index symbols, with the list of instances that make the check of
//!   them free of quantifiers.
//! * [`Play`]: execution with maps that are evaluated at a place, never as a whole.

mod play;

use std::sync::Arc;

use buttress_term::{TermId, Terms};

use crate::PropertyId;
use crate::words::{Fault, Label, Named, Role, System, WordTrace};

pub use play::Play;

/// What a system with maps is made of. The lists are over the terms of the system.
#[derive(Clone, Debug)]
pub struct Indexed {
    pub system: System,
    /// Inputs that are index symbols, X.
    pub indices: Vec<TermId>,
    /// Boolean terms over states and index symbols, φ.
    pub predicates: Vec<Named>,
    /// What holds in every step, for all index symbols that it reads. Assumed: of states, and of inputs, which is how a step
    /// is guarded by what holds of all processes.
    pub axioms: Vec<Named>,
    /// Terms over states, inputs and index symbols that index symbols are replaced by, besides those that are found.
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
