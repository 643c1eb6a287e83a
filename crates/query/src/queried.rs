//! The part of an engine's questions that differs between bits and words, for engines that are written once.

use std::sync::Arc;

use buttress_system::words::{self, Part, Simulation, WordLemma, WordProof, WordTrace};
use buttress_system::{BitSystem, Cube, Lemma, Lit, Proof, PropertyId, Subject, Ternary, Trace};
use buttress_term::TermId;

use crate::Path;
use crate::bits::{evaluate, read};

/// A kind of system that engines ask about: what questions and answers are made of, besides evidence.
pub trait Queried: Subject {
    type Literal;
    type Cube;
    type Path;

    /// Whether there are constraints, which may end executions.
    fn is_constrained(&self) -> bool;

    /// A path as evidence about a property.
    fn trace(property: PropertyId, path: &Self::Path) -> Self::Trace;

    /// Of these properties, those that are violated where a path ends.
    fn violated(&self, path: &Self::Path, of: &[PropertyId]) -> Vec<PropertyId>;

    /// This property is k-inductive together with these lemmas; with `distinct`, on paths whose states differ.
    fn k_inductive(&self, property: PropertyId, k: u32, distinct: bool, with: &[Self::Lemma]) -> Self::Proof;
}

impl Queried for BitSystem {
    type Literal = Lit;
    type Cube = Cube;
    type Path = Path;

    fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    /// By its first state and its inputs.
    fn trace(property: PropertyId, path: &Path) -> Trace {
        let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect();
        Trace { property, initial: row(&path.states[0]), inputs: path.inputs.iter().map(row).collect() }
    }

    fn violated(&self, path: &Path, of: &[PropertyId]) -> Vec<PropertyId> {
        let last = path.inputs.len() - 1;
        let values = evaluate(self, &path.states[last], &path.inputs[last]);
        of.iter().copied().filter(|&p| read(&values, self.property(p).bad)).collect()
    }

    fn k_inductive(&self, property: PropertyId, k: u32, distinct: bool, with: &[Lemma]) -> Proof {
        let distinct = distinct.then(|| self.latches().collect());
        let mut proof = Proof { k, distinct, ..Proof::inductive(property, Vec::new()) };
        for lemma in with {
            match lemma {
                Lemma::Property(property) => proof.properties.push(*property),
                Lemma::Clause(clause) => proof.invariant.push(clause.clone()),
            }
        }
        proof
    }
}

impl Queried for words::System {
    type Literal = TermId;
    type Cube = Vec<TermId>;
    type Path = WordTrace;

    fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    fn trace(property: PropertyId, path: &WordTrace) -> WordTrace {
        WordTrace { property, ..path.clone() }
    }

    fn violated(&self, path: &WordTrace, of: &[PropertyId]) -> Vec<PropertyId> {
        let mut simulation = Simulation::new(self);
        for (step, row) in path.inputs.iter().enumerate() {
            match step {
                0 => simulation.start(&path.initial, row),
                _ => simulation.step(row),
            }
        }
        of.iter().copied().filter(|&p| simulation.bool(self.property(p).bad) == Some(true)).collect()
    }

    fn k_inductive(&self, property: PropertyId, k: u32, distinct: bool, with: &[WordLemma]) -> WordProof {
        let all = || self.state_ids().map(|state| Part { state, bit: None }).collect();
        let (mut terms, mut properties) = (self.terms.clone(), vec![property]);
        let mut invariant = Vec::new();
        for lemma in with {
            match lemma {
                WordLemma::Property(property) => properties.push(*property),
                WordLemma::Term(store, term) => {
                    invariant.push(terms.adopt(store, *term, self.terms.len()));
                }
            }
        }
        let claim = Proof { properties, k, distinct: distinct.then(all), invariant };
        WordProof { terms: Arc::new(terms), claim }
    }
}
