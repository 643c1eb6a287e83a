//! Invariants as people write them: in the language of the model.

use std::collections::BTreeSet;

use buttress_format::lemmas;
use buttress_lustre::express::Express;
use buttress_lustre::write::{Text, Writer};
use buttress_system::ctl::Remark;
use buttress_system::words::WordProof;
use buttress_system::{Lit, LiveProof, Node as Gate, SymbolKind};
use buttress_term::infix::{MORE, infix};
use buttress_term::smtlib::Smtlib;
use buttress_term::{Node, Op, TermId, Terms};
use buttress_transform::{Way, monitored_bits};

use super::plain;
use crate::judge::Accepted;
use crate::problem::{Format, LiveOriginal, Original, Problem};

/// The conjuncts of an invariant that was accepted; none of a trace. Of liveness, it speaks of the monitor, too.
pub fn conjuncts(problem: &Problem, accepted: &Accepted) -> Vec<String> {
    match (accepted, problem.live()) {
        (Accepted::Bits(checked), Some(LiveOriginal::Bits(live))) => {
            if let Some(LiveProof { monitor, proof, .. }) = checked.evidence().live_proof() {
                let monitored = monitored_bits(&live, *monitor);
                let names = lemmas::LatchNames::of(monitored.system());
                return proof.invariant.iter().map(|c| names.clause(&c.0)).collect();
            }
        }
        (Accepted::Words(checked), _) => {
            if let Some(LiveProof { proof, .. }) = checked.evidence().live_proof() {
                return proof.claim.invariant.iter().map(|&c| infix(&proof.terms, c)).collect();
            }
        }
        _ => {}
    }
    match (accepted, problem.original()) {
        (Accepted::Words(checked), _) => {
            checked.evidence().proof().map_or_else(Vec::new, |proof| of_words(problem, proof))
        }
        (Accepted::Maps(checked), Original::Maps(model)) => checked
            .evidence()
            .proof()
            .map_or_else(Vec::new, |proof| buttress_indexed::text::invariant(model, proof)),
        (Accepted::Bits(checked), Original::Bits(system)) => {
            let names = lemmas::LatchNames::of(system);
            let clauses = checked.evidence().proof().map(|proof| &proof.invariant).into_iter().flatten();
            clauses.map(|c| names.clause(&c.0)).collect()
        }
        (Accepted::Trees(_), _) => Vec::new(),
        _ => unreachable!("evidence is about the original"),
    }
}

/// Each conjunct once, and none that says nothing.
fn of_words(problem: &Problem, WordProof { terms, claim }: &WordProof) -> Vec<String> {
    let mut terms = (**terms).clone();
    let conjuncts: Vec<TermId> =
        claim.invariant.iter().map(|&conjunct| plain(&mut terms, conjunct)).collect();
    let express = match (problem.source(), problem.words()) {
        (Some(source), Some(system)) => Some(Express::new(source.model(), system, &terms)),
        _ => None,
    };
    let write =
        |term: TermId| express.as_ref().map_or_else(|| infix(&terms, term), |express| express.claim(term));
    let mut shown = BTreeSet::new();
    let kept =
        conjuncts.into_iter().filter(|&c| terms.as_constant(c).is_none() && !copies(&terms, c, &write));
    // Texts of which a part is left out may read the same although they are not.
    kept.map(write).filter(|text| text.contains(MORE) || shown.insert(text.clone())).collect()
}

/// Whether it says that something equals what reads the same: the states of a `pre` that is written twice. In the
/// first step or in all.
fn copies(terms: &Terms, conjunct: TermId, write: &dyn Fn(TermId) -> String) -> bool {
    let parts = match terms.node(conjunct) {
        Node::Apply(Op::Or, _, parts) => parts,
        _ => &[conjunct],
    };
    let later = |&&part: &&TermId| !matches!(terms.node(part), Node::Variable("first~"));
    let [one] = parts.iter().filter(later).collect::<Vec<_>>()[..] else { return false };
    match terms.node(*one) {
        Node::Apply(Op::Eq, _, &[a, b]) => {
            Some(write(a)).filter(|text| !text.contains(MORE)) == Some(write(b))
        }
        _ => false,
    }
}

/// What is remarked on the way of a formula that fails, step by step.
pub fn remarks(problem: &Problem, accepted: &Accepted) -> Vec<String> {
    let (Accepted::Trees(checked), Some(branching)) = (accepted, problem.branching()) else {
        return Vec::new();
    };
    let Some(refuted) = checked.evidence().trace() else { return Vec::new() };
    let system = &branching.system;
    let formula = &branching.formulas[refuted.property.index()];
    let name = |lit: Lit| {
        let output = system.outputs.iter().position(|&o| o == lit);
        match output.filter(|_| matches!(system.node(lit.var()), Gate::Gate(..))) {
            Some(output) => system.symbols.name(SymbolKind::Output, output),
            None => system.var_name(lit.var()),
        }
    };
    let said = |remark: &Remark| {
        let not = if remark.holds { "holds" } else { "does not hold" };
        format!("step {}: {} {not}", remark.step, formula.text(remark.node, &name))
    };
    refuted.remarks.iter().map(said).collect()
}

/// A formula in the syntax of its source, and whether it can stand there.
pub fn conjunct(problem: &Problem, terms: &Terms, formula: TermId) -> (String, bool) {
    match (problem.format, problem.words()) {
        (Format::Lustre, Some(system)) => {
            let Text { text, plain } = Writer::new(system, terms).formula(formula);
            (text, plain)
        }
        (Format::Btor2, _) => (infix(terms, formula), false),
        _ => (Smtlib::new(terms).term(formula), true),
    }
}
