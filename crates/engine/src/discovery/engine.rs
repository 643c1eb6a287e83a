//! Discovery beside other engines: it decides nothing, but what it finds is checked, goes to the board at once,
//! and strengthens whoever reads there.

use std::sync::Arc;

use buttress_query::{Queried, Refuter, Relation};
use buttress_solve::Stopped;
use buttress_system::words::{System, WordProof};
use buttress_system::{BitSystem, Clause, Proof};

use super::{BitInstances, Found, Options, Selection, WordInstances, discover};
use crate::{Job, Progress};

/// Signals of a circuit that are compared, at most.
const SIGNALS: usize = 3000;

/// Makes reasoners about words.
pub type RefuterOf<'a> = dyn FnMut(Arc<System>) -> Box<dyn Refuter<System, Relation>> + 'a;

pub(crate) fn discover_words(make: &mut RefuterOf<'_>, job: &Job<'_, System>) -> Result<(), Stopped> {
    let selection = Selection { kinds: job.settings.discover, ..Selection::default() };
    let mut instances = WordInstances::new(job.system, &selection, job.seed);
    let mut reasoner = make(instances.system().clone());
    let tell = &mut |instances: &WordInstances, found: Found<Relation>| {
        let (terms, invariant) = instances.formulas(&found.conjuncts);
        let claim = Proof { properties: Vec::new(), k: found.k as u32, distinct: None, invariant };
        hand_in(job, found.k, found.conjuncts.len(), WordProof { terms, claim })
    };
    discover(reasoner.as_mut(), &mut instances, &Options::default(), tell).map(drop)
}

pub(crate) fn discover_bits(
    reasoner: &mut dyn Refuter<BitSystem, Clause>,
    job: &Job<'_>,
) -> Result<(), Stopped> {
    let mut instances = BitInstances::new(job.system, true, SIGNALS, job.seed);
    let tell = &mut |_: &BitInstances<'_>, found: Found<Clause>| {
        let Found { k, conjuncts, .. } = found;
        let count = conjuncts.len();
        let proof = Proof { properties: Vec::new(), k: k as u32, distinct: None, invariant: conjuncts };
        hand_in(job, k, count, proof)
    };
    discover(reasoner, &mut instances, &Options::default(), tell).map(drop)
}

/// Whether to look for more: not after a check that was stopped.
fn hand_in<S: Queried>(job: &Job<'_, S>, k: usize, count: usize, proof: S::Proof) -> bool {
    job.desk.progress(Progress {
        depth: k,
        size: count as u64,
        open: job.properties.len(),
        ..Progress::default()
    });
    count == 0 || job.desk.strengthen(proof)
}
