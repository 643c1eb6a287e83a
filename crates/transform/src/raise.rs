//! From bits to words: what has been blasted, or was never more than bits, as a word-level system.
//!
//! Bits regroup to words as [`Signals`] says. Where the resets of a word's latches are not all constants, or all
//! missing, its bits stay words of one bit: an `init` is about a whole word. Gates become conjunctions; nothing
//! above them is recognised.

use buttress_system::words::{Label, Named, Property, PropertyKind, System};
use buttress_system::{Bit, BitSource, BitSystem, LatchId, Lit, Signal, Signals, SymbolKind};
use buttress_term::{Op, Sort, TermId, Word};

/// A word-level system with the same executions. Literals of the bits are terms of it: see [`Raised::term`].
pub struct Raised {
    pub system: System,
    /// The Boolean of each variable.
    variables: Vec<TermId>,
}

impl Raised {
    /// The Boolean term of a literal.
    pub fn term(&mut self, lit: Lit) -> TermId {
        let term = self.variables[lit.var().index()];
        if lit.is_negated() { self.system.terms.not(term) } else { term }
    }
}

/// Raises a system whose resets are stratified.
pub fn raise(bits: &BitSystem) -> Raised {
    let mut system = System::default();
    let constant = system.terms.bool(false);
    let mut raised = Raised { system, variables: vec![constant; bits.num_vars()] };
    let signals: Vec<Signal> = Signals::of(bits).0.into_iter().flat_map(|s| regular(bits, s)).collect();
    let states = signals.iter().map(|signal| raised.declare(bits, signal)).collect::<Vec<_>>();
    for (gate, &[a, b]) in bits.gates().iter().enumerate() {
        let (a, b) = (raised.term(a), raised.term(b));
        let first = 1 + bits.num_inputs() + bits.num_latches();
        raised.variables[first + gate] = raised.system.terms.and(a, b);
    }
    for (signal, state) in signals.iter().zip(states) {
        if let Some(state) = state {
            raised.connect(bits, signal, state);
        }
    }
    raised.claims(bits);
    raised
}

/// The signal, or its bits where they do not start alike.
fn regular(bits: &BitSystem, signal: Signal) -> Vec<Signal> {
    let resets =
        signal.bits.iter().filter_map(|bit| latch(*bit).map(|l| (bits.latch(l).reset, bits.latch_lit(l))));
    let (mut constant, mut free) = (true, true);
    resets.for_each(|(reset, own)| {
        constant &= reset.is_constant();
        free &= reset == own;
    });
    if constant || free || signal.bits.len() == 1 {
        return vec![signal];
    }
    signal.single_bits().collect()
}

fn latch(bit: Bit) -> Option<LatchId> {
    match bit.source {
        BitSource::Latch(latch) => Some(latch),
        BitSource::Input(_) => None,
    }
}

impl Raised {
    /// A variable for the signal; the place of its state, if it is one.
    fn declare(&mut self, bits: &BitSystem, signal: &Signal) -> Option<usize> {
        let sort = Sort::BitVec(signal.bits.len() as u32);
        let label = Label::new(signal.name.as_str());
        let (variable, state) = match signal.is_input() {
            true => (self.system.add_input(sort, label), None),
            false => {
                let state = self.system.add_state(sort, label);
                (self.system.state(state).variable, Some(state.index()))
            }
        };
        for (i, bit) in signal.bits.iter().enumerate() {
            let terms = &mut self.system.terms;
            let digit =
                if signal.bits.len() == 1 { variable } else { terms.extract(variable, i as u32, i as u32) };
            let shown = terms.bit_to_bool(digit);
            let stored = if bit.inverted { terms.not(shown) } else { shown };
            let lit = match bit.source {
                BitSource::Input(input) => bits.input_lit(input),
                BitSource::Latch(latch) => bits.latch_lit(latch),
            };
            self.variables[lit.var().index()] = stored;
        }
        state
    }

    fn connect(&mut self, bits: &BitSystem, signal: &Signal, state: usize) {
        let latches = signal.bits.iter().map(|&bit| (latch(bit).expect("a state has latches"), bit.inverted));
        let latches: Vec<_> =
            latches.map(|(l, inverted)| (bits.latch(l), bits.latch_lit(l), inverted)).collect();
        let next = latches.iter().map(|(latch, _, inverted)| latch.next ^ *inverted).collect::<Vec<_>>();
        let next = self.word(&next);
        self.system.states[state].next = Some(next);
        let resets: Vec<Lit> = latches.iter().map(|(latch, _, inverted)| latch.reset ^ *inverted).collect();
        let free = latches.iter().any(|(latch, own, _)| latch.reset == *own);
        self.system.states[state].init = match resets.iter().all(|r| r.is_constant()) {
            true => Some(self.system.terms.constant(Word::from_bits(resets.iter().map(|r| r.is_negated())))),
            false if free => None,
            false => Some(self.word(&resets)),
        };
    }

    /// The word of these bits, least significant first.
    fn word(&mut self, lits: &[Lit]) -> TermId {
        let mut bits = Vec::new();
        for &lit in lits {
            let bit = self.term(lit);
            bits.push(self.system.terms.bool_to_bit(bit));
        }
        let (&first, rest) = bits.split_first().expect("a word has a bit");
        rest.iter().fold(first, |low, &high| self.system.terms.app(Op::BvConcat, &[high, low]))
    }

    fn claims(&mut self, bits: &BitSystem) {
        let name = |kind, index| Label::new(bits.symbols.name(kind, index));
        for (o, &output) in bits.outputs.iter().enumerate() {
            let term = self.term(output);
            self.system.observables.push(Named { term, label: name(SymbolKind::Output, o) });
        }
        for (c, &constraint) in bits.constraints.iter().enumerate() {
            let term = self.term(constraint);
            self.system.constraints.push(Named { term, label: name(SymbolKind::Constraint, c) });
        }
        for p in bits.property_ids() {
            let bad = self.term(bits.property(p).bad);
            let label = Label::new(bits.property_name(p));
            self.system.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
        }
    }
}
