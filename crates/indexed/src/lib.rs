//! Quantified invariants by indexed predicate abstraction: S. K. Lahiri, R. E. Bryant, "Constructing Quantified
//! Invariants via Predicate Abstraction", VMCAI 2004.
//!
//! A system has maps as state; the user gives predicates φ over states V and index symbols X; wanted is the
//! strongest ψ over the predicates such that ∀X ψ* holds in every reachable state.
//!
//! * [`galois`]: α, γ and the abstract system as the paper defines them, on small domains: what the rest is tested
//!   by.
//! * [`problem`]: the start and the steps, in cases.
//! * [`roles`], [`instances`]: which terms index symbols are replaced by.
//! * [`reach`]: the fixpoint of (12) and (13). Quantifier elimination by decision diagrams, [`diagrams`], or by
//!   enumeration, [`images`].
//! * [`conclude`]: the invariant, as few clauses as the proof needs, with the instances that make its check free
//!   of quantifiers.
//! * [`weakness`], [`missing_instances`]: where there is none, what is too weak.
//! * [`mine`]: predicates that are found in the model, and [`directed`]: which of their clauses prove the
//!   property.
//! * [`proofs`]: more of them, from proofs that no violation is k steps away.
//! * [`backward`]: for systems of processes, backward reachability with approximation; needs no predicates.
//! * [`bmc`]: traces, with tables for maps.
//!
//! * [`text`]: claims for all places, as people write them.
//!
//! A room of its own: it asks neither `Query` nor `Step`, and its evidence
//! ([`IndexedProof`](buttress_system::indexed::IndexedProof)) is no k-inductive strengthening. What makes engines
//! of it is `buttress_engine`. It prints nothing, reads no file and names no solver.

pub mod backward;
pub mod bmc;
pub mod conclude;
pub mod diagrams;
pub mod directed;
pub mod galois;
pub mod images;
pub mod instances;
pub mod mine;
pub mod missing_instances;
pub mod problem;
pub mod proofs;
pub mod reach;
pub mod roles;
mod simplify;
mod skeleton;
pub mod text;
mod unrolling;
pub mod weakness;

use buttress_solve::smt::Config;
use buttress_solve::{Stop, Stopped};
use buttress_system::PropertyId;
use buttress_system::indexed::Indexed;
use buttress_term::TermId;

pub use conclude::Conclusion;
use problem::Problem;
pub use reach::Elimination;
use reach::{Reach, Reached};
use roles::Roles;

/// How to look for an invariant.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub elimination: Elimination,
    /// Nodes of decision diagrams.
    pub nodes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { elimination: Elimination::Solutions, nodes: 1 << 17 }
    }
}

/// The abstract fixpoint, and what follows for each property.
pub struct Analysis {
    pub reached: Reached,
    pub predicates: Vec<TermId>,
    pub conclusions: Vec<(PropertyId, Conclusion)>,
}

/// The result of a search with predicates that it finds by itself.
pub struct Discovery {
    pub conclusion: Conclusion,
    /// The model with the predicates of the last round, to which a conclusion that is open refers.
    pub model: Indexed,
    pub effort: directed::Effort,
}

/// Where the predicates of a search come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicates {
    /// Those of the model.
    Given,
    /// Found in the model, more of them in each round, and in proofs that no violation is near.
    Found,
}

/// Decides a property by the clauses that it needs. `tell` hears of each round.
pub fn discover(
    model: &Indexed,
    property: PropertyId,
    source: Predicates,
    config: &Config,
    stop: &Stop,
    tell: &mut dyn FnMut(directed::Effort),
) -> Result<Discovery, Stopped> {
    let mut effort = directed::Effort::default();
    let mut last: Option<Discovery> = None;
    let rounds: Box<dyn Iterator<Item = Indexed>> = match source {
        Predicates::Given => Box::new(std::iter::once(model.clone())),
        Predicates::Found => Box::new(mine::rounds(model, property)),
    };
    for round in rounds {
        let mut next = Some(round);
        while let Some(model) = next {
            let (conclusion, round) = decide(&model, property, source, config, stop)?;
            effort = directed::Effort { queries: effort.queries + round.queries, ..round };
            tell(effort);
            if matches!(conclusion, Conclusion::Proved(_)) || source == Predicates::Given {
                return Ok(Discovery { conclusion, model, effort });
            }
            next = proofs::relevant(&model, property, config, stop)?;
            last = Some(Discovery { conclusion, model, effort });
        }
    }
    Ok(last.expect("there are rounds"))
}

/// One search over the predicates that a model has.
fn decide(
    model: &Indexed,
    property: PropertyId,
    source: Predicates,
    config: &Config,
    stop: &Stop,
) -> Result<(Conclusion, directed::Effort), Stopped> {
    let predicates: Vec<TermId> = model.predicates.iter().map(|p| p.term).collect();
    let (mut problem, mut roles) = (Problem::new(model), Roles::of(model));
    let mut reach = Reach {
        problem: &mut problem,
        predicates: &predicates,
        roles: &mut roles,
        config,
        elimination: Elimination::Solutions,
        nodes: 0,
        stop,
    };
    directed::decide(&mut reach, property, source)
}

/// Computes the strongest invariant over the model's predicates and what it implies.
pub fn analyse(
    model: &Indexed,
    properties: &[PropertyId],
    options: &Options,
    config: &Config,
    stop: &Stop,
) -> Result<Analysis, Stopped> {
    let predicates: Vec<TermId> = model.predicates.iter().map(|p| p.term).collect();
    let mut problem = Problem::new(model);
    let mut roles = Roles::of(model);
    let mut reach = Reach {
        problem: &mut problem,
        predicates: &predicates,
        roles: &mut roles,
        config,
        elimination: options.elimination,
        nodes: options.nodes,
        stop,
    };
    let reached = reach.run()?;
    let mut conclusions = Vec::new();
    for &property in properties {
        conclusions.push((property, reach.conclude(&reached, property)?));
    }
    Ok(Analysis { reached, predicates, conclusions })
}
