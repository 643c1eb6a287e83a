//! Diversity (Section 7.3 of the paper): how much the cores of different engines and solvers differ.

use buttress_check::Evidence;
use buttress_engine::Engine;
use buttress_solve::Stop;
use buttress_system::{ElementSet, PropertyId};

use super::prover::{Judge, Means};
use super::subject::Subject;

/// |A △ B| / |A ∪ B|: 0 for equal sets, 1 for sets that share nothing.
pub fn jaccard(a: &ElementSet, b: &ElementSet) -> f64 {
    let union = a.union(b).count();
    if union == 0 { 0.0 } else { a.symmetric_difference(b).count() as f64 / union as f64 }
}

/// Prints the core of each engine with each solver, and the distances between them.
pub fn print(subject: &Subject, property: PropertyId, means: &Means, stop: &Stop) {
    let mut cores: Vec<(String, ElementSet)> = Vec::new();
    for engine in ["kind", "ic3"].iter().filter_map(|name| Engine::by_name(name)) {
        for solver in &means.smt.solvers {
            let mut own = means.clone();
            own.engines = vec![engine];
            own.smt.solvers = vec![solver.clone()];
            if let Some(core) = core(subject, property, &own, stop) {
                cores.push((format!("{} with {}", engine.title, solver.adapter.name), core));
            }
        }
    }
    println!("  diversity: {} proofs", cores.len());
    for (who, core) in &cores {
        println!("    {:>4} elements  {who}", core.len());
    }
    let pairs = (0..cores.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let distances: Vec<f64> = pairs.map(|(a, b)| jaccard(&cores[a].1, &cores[b].1)).collect();
    if !distances.is_empty() {
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        let most = distances.iter().copied().fold(0.0, f64::max);
        println!("    Jaccard distance: mean {mean:.3}, largest {most:.3}, of {} pairs", distances.len());
    }
}

fn core(subject: &Subject, property: PropertyId, means: &Means, stop: &Stop) -> Option<ElementSet> {
    let (system, elements) = (&*subject.system, &subject.elements);
    let mut judge = Judge::new(system, elements, property, means, stop);
    let all = elements.all();
    let answered = judge.ask(&all).ok()??;
    let Evidence::Proof(_) = answered.checked.evidence() else { return None };
    let core = judge.core(&all, answered.proof()?, answered.vacuous()).ok()??;
    judge.certify(&core).ok()?;
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
