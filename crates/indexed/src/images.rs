//! Boolean quantifier elimination by a SAT solver that enumerates solutions (section 7; Lahiri, Bryant, Cook, CAV
//! 2003).
//!
//! The solutions of ∃V ∃X ∃I. facts ∧ ⋀ (p ⇔ φ_p) over P are asked for one by one; each is excluded and asked
//! again, until there is none. The facts stay in the session; a solution costs one query.

use buttress_solve::Stopped;
use buttress_solve::bdd::{Bdd, Bdds};
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Model, Session, Solver};
use buttress_term::{Sort, TermId, Terms};

/// A formula whose solutions over some Boolean terms are wanted.
pub struct Projection<'a> {
    pub facts: &'a [TermId],
    pub outputs: &'a [TermId],
    /// Solutions that are known already, as a sum of products over the positions of outputs.
    pub known: &'a Bdd,
}

/// Products that a cover may have before it is too many.
const PRODUCTS: usize = 1 << 16;

/// The products of a function.
pub fn products(bdds: &Bdds, f: &Bdd) -> Result<Vec<Vec<(u32, bool)>>, Stopped> {
    bdds.cover(f, f, PRODUCTS)?.map_err(|_| Stopped::Nodes(PRODUCTS))
}

/// All solutions that are not known.
pub fn solutions(
    bdds: &Bdds,
    terms: &mut Terms,
    session: &mut Session,
    projection: &Projection<'_>,
) -> Result<Bdd, Stopped> {
    let Projection { facts, outputs, known } = projection;
    let mut letters = Vec::new();
    for (place, &output) in outputs.iter().enumerate() {
        let letter = terms.variable(format!("b{place}"), Sort::Bool);
        let equal = terms.eq(letter, output);
        session.assert(terms, equal);
        letters.push(letter);
    }
    let roots: Vec<TermId> = facts.iter().chain(outputs.iter()).copied().collect();
    facts.iter().for_each(|&fact| session.assert(terms, fact));
    for range in terms.ranges(&roots) {
        session.assert(terms, range);
    }
    for product in products(bdds, known)? {
        exclude(terms, session, &letters, &product);
    }
    let mut found = bdds.constant(false);
    // facts ∧ ⋀ (b_p ⇔ φ_p) ∧ b ∉ known ∪ found
    while session.check(terms, &[])? == Outcome::Sat {
        let Some(values) = session.values(terms, &letters)? else { continue };
        let value =
            |(place, value): (usize, buttress_term::Value)| (place as u32, value.as_bool() == Some(true));
        let product: Vec<(u32, bool)> = values.into_iter().enumerate().map(value).collect();
        exclude(terms, session, &letters, &product);
        found = bdds.or(&found, &bdds.product(product)?)?;
    }
    Ok(found)
}

fn exclude(terms: &mut Terms, session: &mut Session, letters: &[TermId], product: &[(u32, bool)]) {
    let literal = |terms: &mut Terms, &(place, value): &(u32, bool)| match value {
        true => terms.not(letters[place as usize]),
        false => letters[place as usize],
    };
    let clause: Vec<TermId> = product.iter().map(|l| literal(terms, l)).collect();
    let clause = terms.any(&clause);
    session.assert(terms, clause);
}
