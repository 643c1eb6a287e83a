//! Evidence in the user's words: invariants as people write them, traces by name.

use buttress_check::Evidence;
use buttress_format::lemmas::Names;
use buttress_lustre::express::Express;
use buttress_lustre::table::Execution;
use buttress_system::words::WordProof;
use buttress_system::{Proof, Trace, Waves};
use buttress_term::TermId;
use buttress_term::infix::infix;

use crate::driver::Accepted;
use crate::indexed::show;
use crate::lustre;
use crate::model::Model;

/// A trace that was accepted, in the source, where the front end can execute it.
pub fn execution(model: &Model, checked: &Accepted) -> Option<Execution> {
    let (Some(source), Accepted::Words { checked, .. }) = (&model.source, checked) else { return None };
    let Evidence::Trace(trace) = checked.evidence() else { return None };
    Some(source.execute(trace).expect("it was replayed when it was accepted"))
}

/// The signals of a trace that was accepted.
pub fn waves(model: &Model, checked: &Accepted, bits: &Trace) -> Waves {
    if let Some(execution) = execution(model, checked) {
        return lustre::waves(&execution);
    }
    if let (Some(indexed), Accepted::Indexed { checked, .. }) = (&model.indexed, checked)
        && let Evidence::Trace(trace) = checked.evidence()
    {
        return show::waves(indexed, trace);
    }
    match (checked, &model.words) {
        (Accepted::Words { checked, .. }, Some(words)) => match checked.evidence() {
            Evidence::Trace(trace) => Waves::of_words(model.proved().unwrap_or(words.words()), trace),
            Evidence::Proof(_) => unreachable!("what was accepted is a trace"),
        },
        _ => Waves::of_bits(&model.system, bits),
    }
}

/// The conjuncts of an invariant that was accepted.
pub fn invariant(model: &Model, checked: &Accepted, bits: &Proof) -> Vec<String> {
    match checked {
        Accepted::Words { checked, .. } => match checked.evidence() {
            Evidence::Proof(proof) => conjuncts(model, proof),
            Evidence::Trace(_) => unreachable!("what was accepted is a proof"),
        },
        Accepted::Indexed { checked, .. } => match &model.indexed {
            Some(indexed) => show::invariant(indexed, checked),
            None => Vec::new(),
        },
        Accepted::Bits(_) => {
            let names = Names::of(&model.system);
            bits.invariant.iter().map(|c| names.clause(&c.0)).collect()
        }
    }
}

fn conjuncts(model: &Model, WordProof { terms, claim }: &WordProof) -> Vec<String> {
    let write: Box<dyn Fn(TermId) -> String> = match (&model.source, model.proved()) {
        (Some(source), Some(system)) => {
            let express = Express::new(source.model(), system, terms);
            Box::new(move |conjunct| express.claim(conjunct))
        }
        _ => Box::new(|conjunct| infix(terms, conjunct)),
    };
    claim.invariant.iter().map(|&conjunct| write(conjunct)).collect()
}
