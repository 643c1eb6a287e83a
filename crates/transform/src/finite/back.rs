//! The way back from words to integers, and the way down.
//!
//! A word w stands for an integer x in two's complement, so w is `int2bv[width] x`, and what a proof says of words
//! it says of these terms. The words are wide enough only because x is between bounds. Constraints that state
//! bounds are in the system; all others become conjuncts of the proof, `low ≤ x` and `x ≤ high`, which the checker
//! shows itself.
//!
//! A trace has values for all variables of the original. What the words left out, nothing that matters depends on;
//! but it may be read where bounds decide the outcome, so it has some value, and not none.

use std::sync::Arc;

use buttress_system::words::{Part, StateId, System, WordLemma, WordProof, WordTrace};
use buttress_system::{Lit, Proof, PropertyId};
use buttress_term::{Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use super::interval::Interval;
use super::lower::lower;
use crate::Way;

/// A system of words, and the system with integers that it was made of.
pub struct Finite {
    /// The words; the original system where it has no integers.
    pub system: Arc<System>,
    original: Arc<System>,
    /// `None` where both are one.
    back: Option<Back>,
}

/// The correspondence of the new system's parts with the old one's.
pub(super) struct Back {
    /// New variables, and the old ones that they stand for.
    pub variables: Vec<(TermId, TermId)>,
    /// The old state of each new one.
    pub states: Vec<StateId>,
    /// Bounds of old states that no constraint states.
    pub bounds: Vec<(TermId, Interval)>,
    /// A value for each old input, where a trace has none.
    pub inputs: Vec<Value>,
    /// A value for each old state, where a trace has none.
    pub starts: Vec<Value>,
}

impl Finite {
    pub(super) fn same(system: Arc<System>) -> Finite {
        Finite { original: system.clone(), system, back: None }
    }

    pub(super) fn new(original: Arc<System>, system: System, back: Back) -> Finite {
        Finite { system: Arc::new(system), original, back: Some(back) }
    }

    /// The system with integers.
    pub fn original(&self) -> &Arc<System> {
        &self.original
    }
}

impl Way for Finite {
    type Old = System;
    type New = System;

    fn system(&self) -> &Arc<System> {
        &self.system
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        property
    }

    fn trace(&self, trace: WordTrace) -> WordTrace {
        let Some(back) = &self.back else { return trace };
        let sources = Sources::of(&self.system, &self.original, back);
        let initial = sources.states.iter().map(|state| state.start(&trace)).collect();
        let rows = (0..trace.inputs.len()).map(|step| sources.row(&trace.inputs[step])).collect();
        WordTrace { property: trace.property, initial, inputs: rows }
    }

    fn path(&self, path: WordTrace) -> WordTrace {
        self.trace(path)
    }

    fn proof(&self, proof: WordProof) -> WordProof {
        let Some(back) = &self.back else { return proof };
        let mut terms = self.original.terms.clone();
        let mut invariant = back.bounds(&mut terms);
        let known = back.leaves(&self.system.terms, &mut terms);
        let mut images = FxHashMap::default();
        for &conjunct in &proof.claim.invariant {
            let leaf = |term: TermId| known.get(&term).copied();
            invariant.push(terms.adopt_with(&proof.terms, conjunct, &mut images, leaf));
        }
        let part = |part: &Part| Part { state: back.states[part.state.index()], bit: part.bit };
        let distinct = proof.claim.distinct.as_ref().map(|parts| parts.iter().map(part).collect());
        let Proof { properties, k, .. } = proof.claim;
        WordProof { terms: Arc::new(terms), claim: Proof { properties, k, distinct, invariant } }
    }

    fn literal(&self, _: Lit) -> Option<Lit> {
        None
    }

    /// `None` where a fact reads what the words left out or computes with numbers that have no bounds.
    fn lower(&self, lemmas: &[WordLemma]) -> Vec<Option<WordLemma>> {
        let Some(back) = &self.back else { return lemmas.iter().cloned().map(Some).collect() };
        let known = back.variables.iter().map(|&(new, old)| (old, new)).collect();
        let mut terms = self.system.terms.clone();
        let mut lowered = |lemma: &WordLemma| match lemma {
            WordLemma::Property(_) => None,
            WordLemma::Term(from, term) => lower(&mut terms, from, *term, &known),
        };
        let said: Vec<Option<TermId>> = lemmas.iter().map(&mut lowered).collect();
        let terms = Arc::new(terms);
        let lower = |(lemma, said): (&WordLemma, Option<TermId>)| match lemma {
            WordLemma::Property(property) => Some(WordLemma::Property(*property)),
            WordLemma::Term(..) => Some(WordLemma::Term(terms.clone(), said?)),
        };
        lemmas.iter().zip(said).map(lower).collect()
    }
}

/// Where the values of a trace of the original come from.
struct Sources<'a> {
    inputs: Vec<ValueSource<'a>>,
    states: Vec<ValueSource<'a>>,
    /// The places of free states among `states`.
    free: Vec<usize>,
}

/// Where the value of one variable of the original comes from.
struct ValueSource<'a> {
    /// Its place in a row of inputs of the words.
    column: Option<usize>,
    /// Its place among the states of the words.
    state: Option<usize>,
    /// Whether its start follows from an `init`.
    follows: bool,
    spare: &'a Value,
}

impl<'a> Sources<'a> {
    fn of(words: &System, original: &System, back: &'a Back) -> Sources<'a> {
        let new: FxHashMap<TermId, TermId> = back.variables.iter().map(|&(new, old)| (old, new)).collect();
        let free = words.free_states().map(|s| words.state(s).variable);
        let columns = words.inputs.iter().map(|i| i.variable).chain(free);
        let columns: FxHashMap<TermId, usize> = columns.enumerate().map(|(c, v)| (v, c)).collect();
        let states: FxHashMap<TermId, usize> =
            words.states.iter().enumerate().map(|(s, state)| (state.variable, s)).collect();
        let source = |variable: TermId, follows: bool, spare: &'a Value| {
            let new = new.get(&variable);
            let column = new.and_then(|new| columns.get(new)).copied();
            ValueSource { column, state: new.and_then(|new| states.get(new)).copied(), follows, spare }
        };
        let inputs = original.inputs.iter().zip(&back.inputs);
        let olds = original.states.iter().zip(&back.starts);
        Sources {
            inputs: inputs.map(|(i, spare)| source(i.variable, false, spare)).collect(),
            states: olds.map(|(s, spare)| source(s.variable, s.init.is_some(), spare)).collect(),
            free: original.free_states().map(|s| s.index()).collect(),
        }
    }

    /// Inputs, then free states.
    fn row(&self, row: &[Option<Value>]) -> Vec<Option<Value>> {
        let free = self.free.iter().map(|&s| &self.states[s]);
        self.inputs.iter().chain(free).map(|source| source.read(source.column.map(|c| &row[c]))).collect()
    }
}

impl ValueSource<'_> {
    fn start(&self, trace: &WordTrace) -> Option<Value> {
        let given = self.state.map(|s| &trace.initial[s]);
        if self.follows && given.is_none_or(Option::is_none) { None } else { self.read(given) }
    }

    /// A value of the words, as one of the original.
    fn read(&self, given: Option<&Option<Value>>) -> Option<Value> {
        let given = given.and_then(Option::as_ref);
        Some(match (given, self.spare) {
            (Some(Value::Word(word)), Value::Int(_)) => Value::Int(word.to_signed()),
            (Some(value), _) => value.clone(),
            (None, spare) => spare.clone(),
        })
    }
}

impl Back {
    /// `low ≤ x`, `x ≤ high`
    fn bounds(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut claims = Vec::new();
        for (x, Interval { low, high }) in &self.bounds {
            let (low, high) = (terms.int(low.clone()), terms.int(high.clone()));
            claims.extend([terms.app(Op::Le, &[low, *x]), terms.app(Op::Le, &[*x, high])]);
        }
        claims
    }

    /// The old terms for the variables of the words.
    fn leaves(&self, words: &Terms, terms: &mut Terms) -> FxHashMap<TermId, TermId> {
        let mut leaf = |&(new, old): &(TermId, TermId)| match (words.sort(new), terms.sort(old)) {
            (&Sort::BitVec(width), Sort::Int) => {
                let word = terms.apply_indexed(Op::IntToBv, [width, 0], &[old]);
                (new, word.expect("it is an integer"))
            }
            _ => (new, old),
        };
        self.variables.iter().map(&mut leaf).collect()
    }
}
