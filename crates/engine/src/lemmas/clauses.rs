//! Incremental proofs from a user's lemmas (the "incremental" and "monolithic" proofs of Geatti's slides on
//! incremental inductive verification, 2019).
//!
//! With L the lemmas proved so far, a group G is proved by two queries for each of its clauses c:
//!
//! * initiation: `R ∧ C ∧ ¬c` is unsatisfiable;
//! * consecution: `L ∧ G ∧ C ∧ T ∧ ¬c'` is unsatisfiable.
//!
//! Then G joins L. In the end the property P: no reset state violates it, and `L ∧ P ∧ C ∧ T ∧ L' ∧ ¬P'` is
//! unsatisfiable. Lemmas in one group may need each other; lemmas in order may need the earlier ones. What fails
//! comes with the states that induction could not exclude, which need not be reachable.

use buttress_query::{Answer, From, Goal, Lifting, Path, Predecessor, Query, Reasoner, Relative, Step};
use buttress_solve::Stopped;
use buttress_system::{Clause, Lemma, Lit, Proof, PropertyId};

/// How far a proof from lemmas got.
#[derive(Debug)]
pub enum Incremental {
    Proved(Proof),
    /// This clause of this group fails.
    Lemma {
        group: usize,
        clause: usize,
        why: Failure,
    },
    /// A reset state violates the property: a path of one state.
    Violated(Path),
    /// All lemmas are proved, but the property is not inductive.
    Property {
        invariant: Vec<Clause>,
        why: Failure,
    },
}

/// Why something is not inductive.
#[derive(Debug)]
pub enum Failure {
    /// A reset state violates it.
    AtStart,
    /// All these states, which the hypotheses allow, violate it one step later.
    Lemma(Predecessor),
    /// This path, which the hypotheses allow, violates the property in its second state.
    Property(Path),
}

/// Proves the groups in order, then the property. `relative` has no levels but the resets yet.
pub fn incremental(
    relative: &mut dyn Relative,
    reasoner: &mut dyn Reasoner,
    property: PropertyId,
    groups: &[Vec<Clause>],
    weights: &[f64],
) -> Result<Incremental, Stopped> {
    relative.push_level();
    for (group, clauses) in groups.iter().enumerate() {
        if let Some((clause, why)) = prove_group(relative, clauses, weights)? {
            return Ok(Incremental::Lemma { group, clause, why });
        }
        clauses.iter().for_each(|c| reasoner.learn(&Lemma::Clause(c.clone())));
    }
    let invariant = groups.concat();
    // R ∧ C ∧ ¬P
    if reasoner.check(&Query::new(From::Init, 0, Goal::Bad(&[property])))? == Answer::Fails {
        return Ok(Incremental::Violated(reasoner.path()));
    }
    // L ∧ P ∧ C ∧ T ∧ L' ∧ ¬P'
    let violated = [property];
    let step = Query { safe_before_last: &violated, ..Query::new(From::Anywhere, 1, Goal::Bad(&violated)) };
    Ok(match reasoner.check(&step)? {
        Answer::Fails => Incremental::Property { invariant, why: Failure::Property(reasoner.path()) },
        Answer::Holds => Incremental::Proved(Proof::inductive(property, invariant)),
    })
}

/// The first clause that fails, and why.
fn prove_group(
    relative: &mut dyn Relative,
    clauses: &[Clause],
    weights: &[f64],
) -> Result<Option<(usize, Failure)>, Stopped> {
    let cubes: Vec<Vec<Lit>> = clauses.iter().map(|c| c.0.iter().map(|&l| !l).collect()).collect();
    for (clause, cube) in cubes.iter().enumerate() {
        // R ∧ C ∧ ¬c
        if relative.check(&Step::In { level: 0, cube })? == Answer::Fails {
            return Ok(Some((clause, Failure::AtStart)));
        }
    }
    cubes.iter().for_each(|cube| relative.learn(1, cube));
    for (clause, cube) in cubes.iter().enumerate() {
        // L ∧ G ∧ C ∧ T ∧ ¬c'
        if relative.check(&Step::To { level: 1, cube })? == Answer::Fails {
            return Ok(Some((clause, Failure::Lemma(relative.predecessor(weights, Lifting::Thorough)?))));
        }
    }
    Ok(None)
}
