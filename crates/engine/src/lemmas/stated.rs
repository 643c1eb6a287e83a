//! Incremental proofs from lemmas that are stated as properties of the system: what
//! [`incremental`](crate::incremental) does for clauses over latches, for formulas in the language of the model
//! (Geatti's slides on incremental inductive verification, 2019: "incremental" and "monolithic" proofs).
//!
//! With L the lemmas proved so far, a group G is proved by two queries for each of its lemmas c:
//!
//! * initiation: `R ∧ C ∧ ¬c` is unsatisfiable;
//! * consecution: `L ∧ G ∧ C ∧ T ∧ L' ∧ ¬c'` is unsatisfiable.
//!
//! Then G joins L, and in the end comes the property, as the last group. What fails comes with a path of two
//! states that the hypotheses allow; the first need not be reachable.

use buttress_query::{Answer, From, Goal, Queried, Query, Reasoner};
use buttress_solve::Stopped;
use buttress_system::PropertyId;

/// Lemmas that are proved together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Together {
    pub each: Vec<PropertyId>,
    /// The property that is violated where one of them is.
    pub all: PropertyId,
}

impl Together {
    pub fn alone(property: PropertyId) -> Together {
        Together { each: vec![property], all: property }
    }
}

/// How far the proof got.
#[derive(Debug)]
pub enum Stated<T> {
    /// Every group is inductive relative to those before it: one inductive strengthening.
    Proved,
    Fails {
        group: usize,
        lemma: usize,
        why: Unproved<T>,
    },
}

/// Why a lemma, or the property, is not proved.
#[derive(Debug)]
pub enum Unproved<T> {
    /// This start violates it.
    Initiation(T),
    /// The hypotheses hold in the first state of this path, and it is violated in the second.
    Consecution(T),
}

/// Proves the groups in order.
pub fn stated<S: Queried>(
    reasoner: &mut dyn Reasoner<S>,
    groups: &[Together],
    lemma: impl Fn(PropertyId) -> S::Lemma,
) -> Result<Stated<S::Trace>, Stopped> {
    for (group, together) in groups.iter().enumerate() {
        if let Some((lemma, why)) = fails(reasoner, together)? {
            return Ok(Stated::Fails { group, lemma, why });
        }
        together.each.iter().for_each(|&p| reasoner.learn(&lemma(p)));
    }
    Ok(Stated::Proved)
}

/// The number of a lemma, and why it is not proved.
type Failing<T> = (usize, Unproved<T>);

/// The first lemma of a group that fails.
fn fails<S: Queried>(
    reasoner: &mut dyn Reasoner<S>,
    together: &Together,
) -> Result<Option<Failing<S::Trace>>, Stopped> {
    for (lemma, &property) in together.each.iter().enumerate() {
        // R ∧ C ∧ ¬c
        if reasoner.check(&Query::new(From::Init, 0, Goal::Bad(&[property])))? == Answer::Fails {
            let why = Unproved::Initiation(S::trace(property, &reasoner.path()));
            return Ok(Some((lemma, why)));
        }
    }
    for (lemma, &property) in together.each.iter().enumerate() {
        // L ∧ G ∧ C ∧ T ∧ L' ∧ ¬c'
        let violated = [property];
        let step = Query {
            safe_before_last: &[together.all],
            ..Query::new(From::Anywhere, 1, Goal::Bad(&violated))
        };
        if reasoner.check(&step)? == Answer::Fails {
            let why = Unproved::Consecution(S::trace(property, &reasoner.path()));
            return Ok(Some((lemma, why)));
        }
    }
    Ok(None)
}
