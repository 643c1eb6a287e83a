//! A bit-level system as a word-level one: latches are Boolean states, gates are terms.

use std::sync::Arc;

use buttress_system::words::{self, Label, Named, PropertyKind, System, WordProof};
use buttress_system::{BitSystem, Clause, LatchId, Lit, Node, Proof, SymbolKind};
use buttress_term::{Sort, TermId, Terms};

/// The same system over Booleans, with the names of the file.
pub fn words_of(bits: &BitSystem) -> System {
    let mut system = System::default();
    let mut images = vec![system.terms.bool(false)];
    for i in 0..bits.num_inputs() {
        images.push(system.add_input(Sort::Bool, label(bits, SymbolKind::Input, i)));
    }
    for l in 0..bits.num_latches() {
        let state = system.add_state(Sort::Bool, label(bits, SymbolKind::Latch, l));
        images.push(system.state(state).variable);
    }
    for &[a, b] in bits.gates() {
        let (a, b) = (image(&mut system, &images, a), image(&mut system, &images, b));
        images.push(system.terms.and(a, b));
    }
    for latch in bits.latches() {
        set_state(bits, &mut system, &images, latch);
    }
    for (c, &constraint) in bits.constraints.iter().enumerate() {
        let term = image(&mut system, &images, constraint);
        system.constraints.push(Named { term, label: label(bits, SymbolKind::Constraint, c) });
    }
    for property in &bits.properties {
        let bad = image(&mut system, &images, property.bad);
        let label = label(bits, property.symbol.0, property.symbol.1);
        system.properties.push(words::Property { bad, kind: PropertyKind::Invariant, label });
    }
    system
}

/// A proof about bits that does not compare states, about the system that [`words_of`] makes of them.
pub fn proof_in_words(bits: &BitSystem, system: &System, proof: &Proof) -> WordProof {
    assert!(proof.distinct.is_none(), "a core has no use for a proof that compares states");
    let mut terms = system.terms.clone();
    let literal = |terms: &mut Terms, lit: Lit| match bits.node(lit.var()) {
        Node::Latch(latch) if lit.is_negated() => terms.not(system.states[latch.index()].variable),
        Node::Latch(latch) => system.states[latch.index()].variable,
        _ => unreachable!("clauses of proofs are about latches"),
    };
    let clause = |clause: &Clause| {
        let literals: Vec<TermId> = clause.0.iter().map(|&lit| literal(&mut terms, lit)).collect();
        terms.any(&literals)
    };
    let invariant = proof.invariant.iter().map(clause).collect();
    let claim = Proof { properties: proof.properties.clone(), k: proof.k, distinct: None, invariant };
    WordProof { terms: Arc::new(terms), claim }
}

fn label(bits: &BitSystem, kind: SymbolKind, index: usize) -> Label {
    Label::new(bits.symbols.name(kind, index).to_string())
}

fn image(system: &mut System, images: &[TermId], lit: Lit) -> TermId {
    let image = images[lit.var().index()];
    if lit.is_negated() { system.terms.not(image) } else { image }
}

/// A latch that is reset to itself starts anywhere.
fn set_state(bits: &BitSystem, system: &mut System, images: &[TermId], latch: LatchId) {
    let definition = bits.latch(latch);
    debug_assert!(matches!(bits.node(bits.latch_lit(latch).var()), Node::Latch(l) if l == latch));
    let next = image(system, images, definition.next);
    let given = definition.reset != bits.latch_lit(latch);
    let init = given.then(|| image(system, images, definition.reset));
    let state = &mut system.states[latch.index()];
    (state.init, state.next) = (init, Some(next));
}
