//! A bit-level system as a word-level one: latches are Boolean states, gates are terms.

use std::sync::Arc;

use buttress_system::words::{self, Label, Named, PropertyKind, System, WordProof};
use buttress_system::{BitSystem, Clause, LatchId, Lit, Live, Node, Proof, SymbolKind};
use buttress_term::{Sort, TermId, Terms};

/// The word-level system of a circuit, over Booleans, with the names of the file.
pub fn words_of(bits: &BitSystem) -> System {
    let mut system = System::default();
    for i in 0..bits.num_inputs() {
        system.add_input(Sort::Bool, label(bits, SymbolKind::Input, i));
    }
    for l in 0..bits.num_latches() {
        system.add_state(Sort::Bool, label(bits, SymbolKind::Latch, l));
    }
    let mut terms = std::mem::take(&mut system.terms);
    let images = images(bits, &system, &mut terms);
    system.terms = terms;
    for latch in bits.latches() {
        set_state(bits, &mut system, &images, latch);
    }
    for (c, &constraint) in bits.constraints.iter().enumerate() {
        let term = image(&mut system.terms, &images, constraint);
        system.constraints.push(Named { term, label: label(bits, SymbolKind::Constraint, c) });
    }
    for property in &bits.properties {
        let bad = image(&mut system.terms, &images, property.bad);
        let label = label(bits, property.symbol.0, property.symbol.1);
        system.properties.push(words::Property { bad, kind: PropertyKind::Invariant, label });
    }
    system
}

/// The same with justice properties, fairness and formulas, over the same signals.
pub fn live_words_of(bits: &Live<BitSystem>) -> Live<System> {
    let mut system = words_of(&bits.system);
    let mut terms = std::mem::take(&mut system.terms);
    let images = images(&bits.system, &system, &mut terms);
    let mut to = |lit: Lit| image(&mut terms, &images, lit);
    let justice = bits.justice.iter().map(|own| own.iter().map(|&q| to(q)).collect()).collect();
    let fairness = bits.fairness.iter().map(|&q| to(q)).collect();
    let formulas = bits.formulas.iter().map(|formula| formula.map(&mut to)).collect();
    system.terms = terms;
    Live { system: Arc::new(system), justice, fairness, formulas }
}

/// The terms of all signals.
fn images(bits: &BitSystem, system: &System, terms: &mut Terms) -> Vec<TermId> {
    let mut images = vec![terms.bool(false)];
    images.extend(system.inputs.iter().map(|input| input.variable));
    images.extend(system.states.iter().map(|state| state.variable));
    for &[a, b] in bits.gates() {
        let (a, b) = (image(terms, &images, a), image(terms, &images, b));
        images.push(terms.and(a, b));
    }
    images
}

/// A proof about bits that does not compare states, about the system that [`words_of`] makes of them. Its
/// clauses may be about any signals: of those that are merged, gates are told to be equal.
pub fn proof_in_words(bits: &BitSystem, system: &System, proof: &Proof) -> WordProof {
    assert!(proof.distinct.is_none(), "a core has no use for a proof that compares states");
    let mut terms = system.terms.clone();
    let images = images(bits, system, &mut terms);
    let clause = |clause: &Clause| {
        let literals: Vec<TermId> = clause.0.iter().map(|&lit| image(&mut terms, &images, lit)).collect();
        terms.any(&literals)
    };
    let invariant = proof.invariant.iter().map(clause).collect();
    let claim = Proof { properties: proof.properties.clone(), k: proof.k, distinct: None, invariant };
    WordProof { terms: Arc::new(terms), claim }
}

fn label(bits: &BitSystem, kind: SymbolKind, index: usize) -> Label {
    Label::new(bits.symbols.name(kind, index).to_string())
}

fn image(terms: &mut Terms, images: &[TermId], lit: Lit) -> TermId {
    let image = images[lit.var().index()];
    if lit.is_negated() { terms.not(image) } else { image }
}

/// A latch that is reset to itself starts anywhere.
fn set_state(bits: &BitSystem, system: &mut System, images: &[TermId], latch: LatchId) {
    let definition = bits.latch(latch);
    debug_assert!(matches!(bits.node(bits.latch_lit(latch).var()), Node::Latch(l) if l == latch));
    let next = image(&mut system.terms, images, definition.next);
    let given = definition.reset != bits.latch_lit(latch);
    let init = given.then(|| image(&mut system.terms, images, definition.reset));
    let state = &mut system.states[latch.index()];
    (state.init, state.next) = (init, Some(next));
}

#[cfg(test)]
mod tests {
    use buttress_system::{InputId, Latch, Property};
    use buttress_term::{Evaluation, Value};

    use super::*;

    /// A clause about an input, a latch and a gate says in words what it says in bits.
    #[test]
    fn clauses_may_be_about_any_signal() {
        let mut bits = BitSystem::new(1, 1);
        let (i, l) = (bits.input_lit(InputId::new(0)), bits.latch_lit(LatchId::new(0)));
        let gate = bits.push_gate(i, !l);
        bits.set_latch(LatchId::new(0), Latch { next: gate, reset: Lit::FALSE });
        bits.properties.push(Property { bad: gate, symbol: (SymbolKind::Bad, 0) });
        let system = words_of(&bits);
        for clause in [vec![gate], vec![!gate, l], vec![!gate, !i, l], vec![i, !l]] {
            let proof = Proof {
                properties: vec![],
                k: 1,
                distinct: None,
                invariant: vec![Clause(clause.clone().into())],
            };
            let words = proof_in_words(&bits, &system, &proof);
            for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                let value = |lit: Lit| {
                    let known = [(i, x), (l, y), (gate, x && !y)];
                    known.iter().any(|(of, value)| of.var() == lit.var() && *value) ^ lit.is_negated()
                };
                let mut evaluation = Evaluation::new(&words.terms);
                evaluation.assign(system.inputs[0].variable, Some(Value::Bool(x)));
                evaluation.assign(system.states[0].variable, Some(Value::Bool(y)));
                let expected = clause.iter().any(|&lit| value(lit));
                assert_eq!(evaluation.bool(words.claim.invariant[0]), Some(expected));
            }
        }
    }
}
