//! Invariants as people write them: in the language of the model.

use buttress_format::lemmas;
use buttress_lustre::express::Express;
use buttress_lustre::write::{Text, Writer};
use buttress_system::LiveProof;
use buttress_system::words::WordProof;
use buttress_term::infix::infix;
use buttress_term::smtlib::Smtlib;
use buttress_term::{TermId, Terms};
use buttress_transform::{Way, monitored_bits};

use crate::judge::Accepted;
use crate::problem::{Format, LiveOriginal, Original, Problem};

/// The conjuncts of an invariant that was accepted; none of a trace. Of liveness, it speaks of the monitor, too.
pub fn conjuncts(problem: &Problem, accepted: &Accepted) -> Vec<String> {
    match (accepted, problem.live()) {
        (Accepted::Bits(checked), Some(LiveOriginal::Bits(live))) => {
            if let Some(LiveProof { monitor, proof }) = checked.evidence().live_proof() {
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
        _ => unreachable!("evidence is about the original"),
    }
}

fn of_words(problem: &Problem, WordProof { terms, claim }: &WordProof) -> Vec<String> {
    let write: Box<dyn Fn(TermId) -> String> = match (problem.source(), problem.words()) {
        (Some(source), Some(system)) => {
            let express = Express::new(source.model(), system, terms);
            Box::new(move |conjunct| express.claim(conjunct))
        }
        _ => Box::new(|conjunct| infix(terms, conjunct)),
    };
    claim.invariant.iter().map(|&conjunct| write(conjunct)).collect()
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
