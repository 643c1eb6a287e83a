//! A kind of system, and what evidence about it is made of: bits, words, maps.
//!
//! Whatever carries a model to a checked answer (transformations, the board, the desk of an engine, the judge) is
//! written once over this trait. What engines ask about a system besides is theirs to say.

use std::sync::Arc;

use crate::indexed::{Indexed, IndexedLemma, IndexedProof, IndexedTrace};
use crate::words::{self, WordLemma, WordProof, WordTrace};
use crate::{BitSystem, Clause, Lemma, Lit, Proof, PropertyId, Trace};

pub trait Subject: Send + Sync + 'static {
    /// A fact about every reachable state.
    type Lemma: Clone + Send + Sync;
    /// An execution that ends in a violation.
    type Trace: Clone + Send + Sync;
    /// A strengthening of properties that is inductive in its way.
    type Proof: Clone + Send + Sync;

    /// A property as a lemma.
    fn lemma(property: PropertyId) -> Self::Lemma;

    /// The property that a lemma is; `None` for a conjunct of an invariant.
    fn as_property(lemma: &Self::Lemma) -> Option<PropertyId>;

    /// That no state of a cube over latches is reached, where a system has latches.
    fn excluding(cube: &[Lit]) -> Option<Self::Lemma>;

    /// The cube that a lemma excludes, where it is a clause over latches.
    fn excluded(lemma: &Self::Lemma) -> Option<Vec<Lit>>;

    /// All that a proof says of every reachable state.
    fn lemmas(proof: &Self::Proof) -> Vec<Self::Lemma>;

    /// The properties that a proof proves.
    fn proved(proof: &Self::Proof) -> &[PropertyId];

    /// Whether all that a proof says is inductive in one step, without more about states than that.
    fn is_inductive(_: &Self::Proof) -> bool {
        false
    }

    /// Both proofs at once: see [`Proof::and`].
    fn and(&self, proof: Self::Proof, other: &Self::Proof) -> Self::Proof;

    /// How many properties the system has.
    fn num_properties(&self) -> usize;
}

impl Subject for BitSystem {
    type Lemma = Lemma;
    type Trace = Trace;
    type Proof = Proof;

    fn lemma(property: PropertyId) -> Lemma {
        Lemma::Property(property)
    }

    fn as_property(lemma: &Lemma) -> Option<PropertyId> {
        match lemma {
            Lemma::Property(property) => Some(*property),
            Lemma::Clause(_) => None,
        }
    }

    fn excluding(cube: &[Lit]) -> Option<Lemma> {
        Some(Lemma::Clause(Clause::new(cube.iter().map(|&l| !l))))
    }

    fn excluded(lemma: &Lemma) -> Option<Vec<Lit>> {
        match lemma {
            Lemma::Property(_) => None,
            Lemma::Clause(clause) => Some((!clause).0.to_vec()),
        }
    }

    fn lemmas(proof: &Proof) -> Vec<Lemma> {
        let properties = proof.properties.iter().map(|&p| Lemma::Property(p));
        properties.chain(proof.invariant.iter().cloned().map(Lemma::Clause)).collect()
    }

    fn proved(proof: &Proof) -> &[PropertyId] {
        &proof.properties
    }

    fn is_inductive(proof: &Proof) -> bool {
        proof.k == 1 && proof.distinct.is_none()
    }

    fn and(&self, proof: Proof, other: &Proof) -> Proof {
        proof.and(other)
    }

    fn num_properties(&self) -> usize {
        self.properties.len()
    }
}

impl Subject for words::System {
    type Lemma = WordLemma;
    type Trace = WordTrace;
    type Proof = WordProof;

    fn lemma(property: PropertyId) -> WordLemma {
        WordLemma::Property(property)
    }

    fn as_property(lemma: &WordLemma) -> Option<PropertyId> {
        match lemma {
            WordLemma::Property(property) => Some(*property),
            WordLemma::Term(..) => None,
        }
    }

    fn excluding(_: &[Lit]) -> Option<WordLemma> {
        None
    }

    fn excluded(_: &WordLemma) -> Option<Vec<Lit>> {
        None
    }

    fn lemmas(proof: &WordProof) -> Vec<WordLemma> {
        let properties = proof.claim.properties.iter().map(|&p| WordLemma::Property(p));
        let terms = proof.claim.invariant.iter().map(|&t| WordLemma::Term(proof.terms.clone(), t));
        properties.chain(terms).collect()
    }

    fn proved(proof: &WordProof) -> &[PropertyId] {
        &proof.claim.properties
    }

    fn and(&self, proof: WordProof, other: &WordProof) -> WordProof {
        proof.and(self, other)
    }

    fn num_properties(&self) -> usize {
        self.properties.len()
    }
}

impl Subject for Indexed {
    type Lemma = IndexedLemma;
    type Trace = IndexedTrace;
    type Proof = IndexedProof;

    fn lemma(property: PropertyId) -> IndexedLemma {
        IndexedLemma::Property(property)
    }

    fn as_property(lemma: &IndexedLemma) -> Option<PropertyId> {
        match lemma {
            IndexedLemma::Property(property) => Some(*property),
            IndexedLemma::Clause(..) => None,
        }
    }

    fn excluding(_: &[Lit]) -> Option<IndexedLemma> {
        None
    }

    fn excluded(_: &IndexedLemma) -> Option<Vec<Lit>> {
        None
    }

    fn lemmas(proof: &IndexedProof) -> Vec<IndexedLemma> {
        let shared = Arc::new(proof.clone());
        let properties = proof.properties.iter().map(|&p| IndexedLemma::Property(p));
        properties.chain((0..proof.clauses.len()).map(|c| IndexedLemma::Clause(shared.clone(), c))).collect()
    }

    fn proved(proof: &IndexedProof) -> &[PropertyId] {
        &proof.properties
    }

    fn and(&self, proof: IndexedProof, other: &IndexedProof) -> IndexedProof {
        proof.and(self, other)
    }

    fn num_properties(&self) -> usize {
        self.system.properties.len()
    }
}
