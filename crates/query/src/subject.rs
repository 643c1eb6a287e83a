//! What is said about a system, and what evidence about it is made of: the difference between bits and words, for
//! engines that are written once.

use std::sync::Arc;

use buttress_system::words::{self, Part, WordLemma, WordProof, WordTrace};
use buttress_system::{BitSystem, Cube, Lemma, Lit, Proof, PropertyId, Ternary, Trace};
use buttress_term::TermId;

use crate::Path;

/// A kind of system.
pub trait Subject: Sync {
    type Lemma: Clone;
    type Literal;
    type Cube;
    type Path;
    type Trace;
    type Proof;

    /// Whether there are constraints, which may end executions.
    fn is_constrained(&self) -> bool;

    /// Whether a lemma is a property, not a conjunct of an invariant.
    fn is_property(lemma: &Self::Lemma) -> bool;

    /// A property as a lemma.
    fn lemma(property: PropertyId) -> Self::Lemma;

    /// A path as evidence about a property.
    fn trace(property: PropertyId, path: &Self::Path) -> Self::Trace;

    /// This property is k-inductive together with these lemmas; with `distinct`, on paths whose states differ.
    fn k_inductive(&self, property: PropertyId, k: u32, distinct: bool, with: &[Self::Lemma]) -> Self::Proof;
}

impl Subject for BitSystem {
    type Lemma = Lemma;
    type Literal = Lit;
    type Cube = Cube;
    type Path = Path;
    type Trace = Trace;
    type Proof = Proof;

    fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    fn is_property(lemma: &Lemma) -> bool {
        matches!(lemma, Lemma::Property(_))
    }

    fn lemma(property: PropertyId) -> Lemma {
        Lemma::Property(property)
    }

    /// By its first state and its inputs.
    fn trace(property: PropertyId, path: &Path) -> Trace {
        let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect();
        Trace { property, initial: row(&path.states[0]), inputs: path.inputs.iter().map(row).collect() }
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

impl Subject for words::System {
    type Lemma = WordLemma;
    type Literal = TermId;
    type Cube = Vec<TermId>;
    type Path = WordTrace;
    type Trace = WordTrace;
    type Proof = WordProof;

    fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    fn is_property(lemma: &WordLemma) -> bool {
        matches!(lemma, WordLemma::Property(_))
    }

    fn lemma(property: PropertyId) -> WordLemma {
        WordLemma::Property(property)
    }

    fn trace(property: PropertyId, path: &WordTrace) -> WordTrace {
        WordTrace { property, ..path.clone() }
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
