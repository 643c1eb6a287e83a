//! Diversity (Section 7.3 of the paper): how much the cores of different engines and solvers differ.

use buttress_engine::Engine;
use buttress_solve::Stop;
use buttress_system::words::System;
use buttress_system::{ElementSet, Live, PropertyId};

use super::trials::{Means, Trials};
use super::{Anatomy, Reducible};
use crate::problem::ClaimId;

/// |A △ B| / |A ∪ B|: 0 for equal sets, 1 for sets that share nothing.
fn jaccard(a: &ElementSet, b: &ElementSet) -> f64 {
    let union = a.union(b).count();
    if union == 0 { 0.0 } else { a.symmetric_difference(b).count() as f64 / union as f64 }
}

/// The cores of one property.
pub struct Diversity {
    /// By which engine with which solver.
    pub cores: Vec<(String, ElementSet)>,
}

impl Diversity {
    /// Between each pair of cores.
    pub fn distances(&self) -> Vec<f64> {
        let pairs = (0..self.cores.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs.map(|(a, b)| jaccard(&self.cores[a].1, &self.cores[b].1)).collect()
    }
}

/// The core of each engine with each solver.
pub fn diversity(anatomy: &Anatomy, claim: ClaimId, means: &Means, stop: &Stop) -> Diversity {
    let mut cores = Vec::new();
    for engine in ["kind", "ic3"].iter().filter_map(|name| Engine::by_name(name)) {
        for solver in &means.choice.smt.solvers {
            let mut own = means.clone();
            own.choice.engines = vec![engine];
            own.choice.smt.solvers = vec![solver.clone()];
            if let Some(core) = core(anatomy, claim, &own, stop) {
                cores.push((format!("{} with {}", engine.title, solver.adapter.name), core));
            }
        }
    }
    Diversity { cores }
}

fn core(anatomy: &Anatomy, claim: ClaimId, means: &Means, stop: &Stop) -> Option<ElementSet> {
    let claim = anatomy.problem.claim(claim);
    match (claim.property(), claim.justice()) {
        (Some(property), _) => core_of::<System>(anatomy, property, means, stop),
        (None, Some(justice)) => core_of::<Live<System>>(anatomy, justice, means, stop),
        (None, None) => None,
    }
}

fn core_of<S: Reducible>(
    anatomy: &Anatomy,
    property: PropertyId,
    means: &Means,
    stop: &Stop,
) -> Option<ElementSet> {
    let mut trials = Trials::new(S::of(anatomy), &anatomy.elements, property, means, stop);
    let core = trials.core_of_any().ok()??;
    trials.certify(&core).ok()?;
    Some(core.elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_system::ElementId;

    #[test]
    fn distances_are_those_of_jaccard() {
        let set = |ids: &[usize]| ids.iter().map(|&e| ElementId::new(e)).collect::<ElementSet>();
        assert_eq!(jaccard(&set(&[]), &set(&[])), 0.0);
        assert_eq!(jaccard(&set(&[1, 2]), &set(&[1, 2])), 0.0);
        assert_eq!(jaccard(&set(&[1, 2, 3]), &set(&[2, 3, 4])), 0.5);
        assert_eq!(jaccard(&set(&[1]), &set(&[2])), 1.0);
    }
}
