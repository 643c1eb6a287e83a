//! Formulas of a system as justice properties of a larger one: the [`Tableau`]s stand beside it.
//!
//! Inputs of the larger system are those of the smaller one and then the guesses of each formula; latches and
//! states are those of the smaller one and then the memories of each formula.

use std::sync::Arc;

use buttress_term::{Sort, TermId};

use super::tableau::{Memory, Part, Tableau};
use crate::words::{self, Label};
use crate::{BitSystem, InputId, Latch, LatchId, Lit, Live, Recurrent, SymbolKind};

/// A kind of system beside which tableaux can stand.
pub trait Unfolds: Recurrent {
    /// The same properties by the same numbers, all of them justice properties.
    fn unfolded(live: &Live<Self>) -> Live<Self>
    where
        Self: Sized;
}

impl Unfolds for BitSystem {
    fn unfolded(live: &Live<BitSystem>) -> Live<BitSystem> {
        let old = &*live.system;
        let tableaux: Vec<Tableau<Lit>> = live.formulas.iter().map(Tableau::of).collect();
        let guesses = tableaux.iter().map(|t| t.guesses).sum();
        let memories = tableaux.iter().map(|t| t.memories.len()).sum();
        let (mut new, shift) = old.widened(guesses, memories);
        let there = |lit: Lit| shift.lit(lit);
        let mut justice: Vec<Vec<Lit>> =
            live.justice.iter().map(|own| own.iter().map(|&q| there(q)).collect()).collect();
        let (mut input, mut latch) = (old.num_inputs(), old.num_latches());
        for (number, tableau) in tableaux.iter().enumerate() {
            for n in 0..tableau.guesses {
                new.symbols.insert(SymbolKind::Input, input + n, &format!("l{number}.guess.{n}"));
            }
            for n in 0..tableau.memories.len() {
                new.symbols.insert(SymbolKind::Latch, latch + n, &format!("l{number}.memory.{n}"));
            }
            let mut lits: Vec<Lit> = Vec::new();
            let own = |lits: &[Lit], lit: Lit| lits[lit.var().index()] ^ lit.is_negated();
            for &part in &tableau.parts {
                lits.push(match part {
                    Part::False => Lit::FALSE,
                    Part::Signal(signal) => there(signal),
                    Part::Guess(n) => new.input_lit(InputId::new(input + n)),
                    Part::Memory(n) => new.latch_lit(LatchId::new(latch + n)),
                    Part::And(a, b) => new.push_gate(own(&lits, a), own(&lits, b)),
                });
            }
            for (n, &Memory { reset, next }) in tableau.memories.iter().enumerate() {
                let id = LatchId::new(latch + n);
                let reset = reset.map_or(new.latch_lit(id), |value| Lit::FALSE ^ value);
                new.set_latch(id, Latch { next: own(&lits, next), reset });
            }
            justice.push(tableau.signals.iter().map(|&s| own(&lits, s)).collect());
            (input, latch) = (input + tableau.guesses, latch + tableau.memories.len());
        }
        let fairness = live.fairness.iter().map(|&q| there(q)).collect();
        Live { system: Arc::new(new), justice, fairness, formulas: Vec::new() }
    }
}

impl Unfolds for words::System {
    fn unfolded(live: &Live<words::System>) -> Live<words::System> {
        let mut new = (*live.system).clone();
        let mut justice = live.justice.clone();
        for (number, formula) in live.formulas.iter().enumerate() {
            let tableau = Tableau::of(formula);
            let guess = |n| Label::new(format!("l{number}.guess.{n}"));
            let guesses: Vec<TermId> =
                (0..tableau.guesses).map(|n| new.add_input(Sort::Bool, guess(n))).collect();
            let memory = |n| Label::new(format!("l{number}.memory.{n}"));
            let memories: Vec<_> =
                (0..tableau.memories.len()).map(|n| new.add_state(Sort::Bool, memory(n))).collect();
            let mut terms: Vec<TermId> = Vec::new();
            let own = |new: &mut words::System, terms: &[TermId], lit: Lit| {
                let term = terms[lit.var().index()];
                if lit.is_negated() { new.terms.not(term) } else { term }
            };
            for &part in &tableau.parts {
                let term = match part {
                    Part::False => new.terms.bool(false),
                    Part::Signal(signal) => signal,
                    Part::Guess(n) => guesses[n],
                    Part::Memory(n) => new.state(memories[n]).variable,
                    Part::And(a, b) => {
                        let (a, b) = (own(&mut new, &terms, a), own(&mut new, &terms, b));
                        new.terms.and(a, b)
                    }
                };
                terms.push(term);
            }
            for (&state, memory) in memories.iter().zip(&tableau.memories) {
                let init = memory.reset.map(|value| new.terms.bool(value));
                let next = own(&mut new, &terms, memory.next);
                let state = &mut new.states[state.index()];
                (state.init, state.next) = (init, Some(next));
            }
            justice.push(tableau.signals.iter().map(|&s| own(&mut new, &terms, s)).collect());
        }
        Live { system: Arc::new(new), justice, fairness: live.fairness.clone(), formulas: Vec::new() }
    }
}
