//! The way back from bits to words.
//!
//! A clause over bits becomes a disjunction over words: neighbouring bits of a word are compared together, so
//! that a clause over all bits of a counter reads `count ≠ 5`.

use std::collections::BTreeMap;
use std::sync::Arc;

use buttress_system::words::{Part, StateId, System, WordLemma, WordProof, WordTrace, code};
use buttress_system::{
    BitSystem, Clause, InputId, LatchId, Lemma, Lit, Node, Proof, PropertyId, Ternary, Trace, Var,
};
use buttress_term::{ArraySort, Node as TermNode, Op, Sort, TermId, Terms, Value, Word};

use super::Blasted;
use crate::Way;

/// A bit of a code, and whether it is to be 1.
type BitLit = (u32, bool);

/// The terms of variables of the circuit, of those that were asked for.
type Images = BTreeMap<Var, TermId>;

impl Blasted {
    /// The system that the bits stand for.
    pub fn words(&self) -> &Arc<System> {
        &self.words
    }

    /// A clause, as a term of a store that extends the system's.
    pub fn clause(&self, clause: &Clause, terms: &mut Terms) -> TermId {
        self.raise(clause, terms, &mut Images::new())
    }

    fn raise(&self, clause: &Clause, terms: &mut Terms, images: &mut Images) -> TermId {
        let mut states: BTreeMap<StateId, Vec<BitLit>> = BTreeMap::new();
        let mut disjuncts = Vec::new();
        for &lit in &clause.0 {
            match self.system.as_latch(lit.var()) {
                Some(latch) => {
                    let (state, bit) = self.layout.origins[latch.index()];
                    states.entry(state).or_default().push((bit, !lit.is_negated()));
                }
                None => disjuncts.push(self.signal(lit, terms, images)),
            }
        }
        for (state, mut lits) in states {
            lits.sort_unstable();
            let variable = self.words.state(state).variable;
            some_bit(terms, variable, &lits, &mut disjuncts);
        }
        terms.any(&disjuncts)
    }

    /// An input or a gate, gate by gate: what a circuit is in words, nobody remembers.
    fn signal(&self, lit: Lit, terms: &mut Terms, images: &mut Images) -> TermId {
        let mut todo = vec![lit.var()];
        while let Some(&var) = todo.last() {
            let image = match self.system.node(var) {
                Node::Constant => terms.constant(false),
                Node::Input(input) => self.input_bit(input, terms),
                Node::Latch(latch) => {
                    let (state, bit) = self.layout.origins[latch.index()];
                    one_bit(terms, self.words.state(state).variable, bit)
                }
                Node::Gate(a, b) => match (read(images, a, terms), read(images, b, terms)) {
                    (Some(a), Some(b)) => terms.and(a, b),
                    (None, _) => {
                        todo.push(a.var());
                        continue;
                    }
                    (_, None) => {
                        todo.push(b.var());
                        continue;
                    }
                },
            };
            images.insert(var, image);
            todo.pop();
        }
        read(images, lit, terms).expect("it is there now")
    }

    fn input_bit(&self, input: InputId, terms: &mut Terms) -> TermId {
        let inputs = self.words.inputs.iter().map(|i| i.variable).zip(&self.layout.inputs);
        let fed = self.words.state_ids().map(|s| self.words.state(s).variable).zip(&self.layout.fed);
        let holds = |&(variable, first): &(TermId, usize)| {
            let width = code::width(self.words.terms.sort(variable)).expect("blasted sorts are finite");
            (first..first + width as usize).contains(&input.index())
        };
        let placed = inputs.chain(fed).filter_map(|(variable, first)| Some((variable, (*first)?)));
        let (variable, first) = placed.into_iter().find(holds).expect("every input is a bit of something");
        one_bit(terms, variable, (input.index() - first) as u32)
    }

    /// With the start of the states that are given.
    fn raise_trace(&self, trace: &Trace, given: &dyn Fn(StateId) -> bool) -> WordTrace {
        let words = &self.words;
        let read = |variable: TermId, row: &[Ternary], first: Option<usize>| {
            value(words.terms.sort(variable), &row[first?..])
        };
        let initial = |s: StateId| {
            let (state, s) = (words.state(s), s.index());
            read(state.variable, &trace.initial, self.layout.latches[s])
                .or_else(|| read(state.variable, &trace.inputs[0], self.layout.fed[s]))
        };
        let free = |s: StateId, t: usize| {
            // A latch is fed one step before.
            let fed_at = t.checked_sub(usize::from(self.layout.latches[s.index()].is_some()))?;
            read(words.state(s).variable, &trace.inputs[fed_at], self.layout.fed[s.index()])
        };
        let row = |t: usize| {
            let inputs = words.inputs.iter().zip(&self.layout.inputs);
            let inputs = inputs.map(|(i, &first)| read(i.variable, &trace.inputs[t], first));
            inputs.chain(words.free_states().map(|s| free(s, t))).collect()
        };
        WordTrace {
            property: trace.property,
            initial: words.state_ids().map(|s| given(s).then(|| initial(s)).flatten()).collect(),
            inputs: (0..trace.inputs.len()).map(row).collect(),
        }
    }

    /// The bits of a clause: a disjunction of what [`some_bit`] makes.
    fn lower_term(&self, terms: &Terms, term: TermId) -> Option<Clause> {
        let mut lits = Vec::new();
        let mut todo = vec![term];
        while let Some(term) = todo.pop() {
            match terms.node(term) {
                TermNode::Apply(Op::Or, _, disjuncts) => todo.extend_from_slice(disjuncts),
                _ => self.lower_literal(terms, term, &mut lits)?,
            }
        }
        lits.sort_unstable();
        Some(Clause::new(lits))
    }

    /// `x`, `¬x`, a bit of a word that is 0 or 1, or a part of a word that is not some constant.
    fn lower_literal(&self, terms: &Terms, term: TermId, lits: &mut Vec<Lit>) -> Option<()> {
        match terms.node(term) {
            TermNode::Variable(_) => lits.push(self.bit(term, 0)?),
            TermNode::Apply(Op::Not, _, &[inner]) => match terms.node(inner) {
                TermNode::Variable(_) => lits.push(!self.bit(inner, 0)?),
                TermNode::Apply(Op::Eq, _, &[part, constant]) => {
                    let (bits, word) = self.compared(terms, part, constant)?;
                    lits.extend(bits.iter().enumerate().map(|(i, &bit)| bit ^ word.bit(i as u32)));
                }
                _ => return None,
            },
            TermNode::Apply(Op::Eq, _, &[part, constant]) => {
                let (bits, word) = self.compared(terms, part, constant)?;
                let [bit] = bits[..] else { return None };
                lits.push(bit ^ !word.bit(0));
            }
            _ => return None,
        }
        Some(())
    }

    /// A word of the state, or a part of one, and the constant that it is compared with.
    fn compared<'a>(&self, terms: &'a Terms, part: TermId, constant: TermId) -> Option<(Vec<Lit>, &'a Word)> {
        let Value::Word(word) = terms.as_constant(constant)? else { return None };
        let (variable, low) = match terms.node(part) {
            TermNode::Apply(Op::BvExtract, [_, low], &[inner]) => (inner, low),
            _ => (part, 0),
        };
        let width = terms.width(part)?;
        let bits = (low..low + width).map(|bit| self.bit(variable, bit)).collect::<Option<_>>()?;
        Some((bits, word))
    }

    /// A bit of a state that is a latch.
    fn bit(&self, variable: TermId, bit: u32) -> Option<Lit> {
        let state = self.words.state_ids().find(|&s| self.words.state(s).variable == variable)?;
        let first = self.layout.latches[state.index()]?;
        Some(self.system.latch_lit(LatchId::new(first + bit as usize)))
    }
}

impl Way for Blasted {
    type Old = System;
    type New = BitSystem;

    fn system(&self) -> &Arc<BitSystem> {
        &self.system
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        property
    }

    /// States with an `init` are left to it; what is not in the bits does not matter.
    fn trace(&self, trace: Trace) -> WordTrace {
        self.raise_trace(&trace, &|s| self.words.state(s).init.is_none())
    }

    fn path(&self, path: Trace) -> WordTrace {
        self.raise_trace(&path, &|_| true)
    }

    fn proof(&self, proof: Proof) -> WordProof {
        let mut terms = self.words.terms.clone();
        let mut images = Images::new();
        let mut raise = |clause| self.raise(clause, &mut terms, &mut images);
        let invariant = proof.invariant.iter().map(&mut raise).collect();
        let part = |l: &buttress_system::LatchId| {
            let (state, bit) = self.layout.origins[l.index()];
            Part { state, bit: Some(bit) }
        };
        let distinct = proof.distinct.as_ref().map(|latches| latches.iter().map(part).collect());
        let claim = Proof { properties: proof.properties.clone(), k: proof.k, distinct, invariant };
        WordProof { terms: Arc::new(terms), claim }
    }

    fn literal(&self, _: Lit) -> Option<Lit> {
        None
    }

    fn lower(&self, lemmas: &[WordLemma]) -> Vec<Option<Lemma>> {
        let lower = |lemma: &WordLemma| match lemma {
            WordLemma::Property(property) => Some(Lemma::Property(*property)),
            WordLemma::Term(terms, term) => self.lower_term(terms, *term).map(Lemma::Clause),
        };
        lemmas.iter().map(lower).collect()
    }
}

/// The value of the bits that the row begins with; unknown ones are 0, unless all are unknown.
fn value(sort: &Sort, row: &[Ternary]) -> Option<Value> {
    let row = &row[..code::width(sort).expect("blasted sorts are finite") as usize];
    let unknown = !row.is_empty() && row.iter().all(|&bit| bit == Ternary::X);
    let bits: Vec<bool> = row.iter().map(|&bit| bit == Ternary::One).collect();
    (!unknown).then(|| code::decode(sort, &bits))
}

fn read(images: &Images, lit: Lit, terms: &mut Terms) -> Option<TermId> {
    let image = *images.get(&lit.var())?;
    Some(if lit.is_negated() { terms.not(image) } else { image })
}

/// This bit of the term is 1.
fn one_bit(terms: &mut Terms, term: TermId, bit: u32) -> TermId {
    let mut disjuncts = Vec::new();
    some_bit(terms, term, &[(bit, true)], &mut disjuncts);
    terms.any(&disjuncts)
}

/// Terms that together say: one of these bits of the term is as given. Bits are in order.
fn some_bit(terms: &mut Terms, term: TermId, lits: &[BitLit], disjuncts: &mut Vec<TermId>) {
    match terms.sort(term).clone() {
        Sort::Bool => {
            for &(_, wanted) in lits {
                disjuncts.push(if wanted { term } else { terms.not(term) });
            }
        }
        Sort::BitVec(width) => {
            let neighbours = |a: &BitLit, b: &BitLit| b.0 == a.0 + 1;
            lits.chunk_by(neighbours).for_each(|run| disjuncts.push(some_of_run(terms, term, width, run)));
        }
        Sort::Enum(_) => disjuncts.push(some_of_code(terms, term, lits)),
        Sort::Array(array) => some_place(terms, term, &array, lits, disjuncts),
        Sort::Int | Sort::Real => unreachable!("blasted sorts are finite"),
    }
}

/// Not all of these bits are the opposite.
fn some_of_run(terms: &mut Terms, term: TermId, width: u32, run: &[BitLit]) -> TermId {
    let (low, high) = (run[0].0, run[run.len() - 1].0);
    let part = if high - low + 1 == width { term } else { terms.extract(term, high, low) };
    if let [(_, wanted)] = run {
        let bit = terms.word(u64::from(*wanted), 1);
        return terms.eq(part, bit);
    }
    let opposite = terms.constant(Word::from_bits(run.iter().map(|&(_, wanted)| !wanted)));
    let equal = terms.eq(part, opposite);
    terms.not(equal)
}

/// It is none of the constants whose numbers have the opposite in all of these bits.
fn some_of_code(terms: &mut Terms, term: TermId, lits: &[BitLit]) -> TermId {
    let sort = terms.sort(term).clone();
    let opposite = |bits: &[bool]| lits.iter().all(|&(bit, wanted)| bits[bit as usize] != wanted);
    let constants: Vec<Value> = Value::all(&sort).filter(|c| opposite(&code::encode(c))).collect();
    let equal: Vec<TermId> = constants
        .into_iter()
        .map(|constant| {
            let constant = terms.constant(constant);
            terms.eq(term, constant)
        })
        .collect();
    let some = terms.any(&equal);
    terms.not(some)
}

fn some_place(
    terms: &mut Terms,
    term: TermId,
    array: &ArraySort,
    lits: &[BitLit],
    disjuncts: &mut Vec<TermId>,
) {
    let width = code::width(&array.element).expect("blasted sorts are finite");
    for run in lits.chunk_by(|a, b| a.0 / width == b.0 / width) {
        let place = Value::all(&array.index).nth((run[0].0 / width) as usize).expect("a place of the array");
        let place = terms.constant(place);
        let element = terms.app(Op::Select, &[term, place]);
        let inside: Vec<BitLit> = run.iter().map(|&(bit, wanted)| (bit % width, wanted)).collect();
        some_bit(terms, element, &inside, disjuncts);
    }
}
