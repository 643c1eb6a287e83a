//! Proofs of liveness by arenas, as FAIR finds them (Bradley, Somenzi, Hassan & Zhang, "An incremental approach to
//! model checking progress properties", FMCAD 2011).
//!
//! Let `Inv` be the invariant, `C` the constraints, `s → s'` a step under `C`, and `q₀ … q_m` the signals of the
//! property, those of fairness last; where there are none, one that always holds. The list of arenas is a tree.
//! The first arena `A` has all states, a wall `P` in `A` makes the arenas `A ∩ P` and `A ∖ P` of it. The
//! conditions:
//!
//! ```text
//! tree      each arena but the first stands at one wall, which comes before it in the list; at each wall stand two
//! Inv       starts are in it, and it is inductive
//! wall      s → s' in Inv, s ∈ A ∩ P and s' ∈ A:  s' ∈ P
//! lacks i   s → s' in Inv, s ∈ A and s' ∈ A:  the step does not have qᵢ
//! ```
//!
//! Why that suffices. Take an infinite execution on which each `qᵢ` holds infinitely often. All its states are in
//! the first arena. If from some moment on all are in an arena `A` with a wall `P`, then either none of them is in
//! `P`, and they stay in `A ∖ P`; or one is in `P`, so is the next one, and from there on they stay in `A ∩ P`.
//! The tree is finite: some day the execution stays in an arena that lacks some `qᵢ`. From then on no step has it,
//! which contradicts that `qᵢ` holds infinitely often.
//!
//! How it is asked. For each arena a latch is put beside the system that remembers, of the step before, that it
//! was in `A ∩ P` or that it was in `A` and had `qᵢ`; a bad state is one in which the latch is 1 and the state in
//! `A ∖ P`, or in `A`. That no bad state is reached is what is asked of every proof of safety ([`crate::proof`]),
//! with `Inv` as the invariant.

use buttress_system::{Arena, BitSystem, Clause, Lit, Live, LiveProof, Proof, PropertyId};

use crate::liveness::Product;
use crate::proof::{fits, obligations};
use crate::{Checked, Evidence, Refusal, require};
use buttress_solve::Stop;

/// Accepts a proof that no arena has all signals of the one property that it names.
pub(crate) fn certify_arenas(
    live: &Live<BitSystem>,
    proof: LiveProof<Proof>,
    stop: &Stop,
) -> Result<Checked, Refusal> {
    let property = the_property(&proof.proof.properties, live.justice.len())?;
    is_tree(&proof.arenas)?;
    let sets = proof.arenas.iter().filter_map(set).chain([&proof.proof]);
    for Proof { k, distinct, invariant, .. } in sets {
        let alone = Proof { properties: Vec::new(), k: *k, distinct: None, invariant: invariant.clone() };
        require(distinct.is_none(), || "arenas do not rest on distinct states".to_string())?;
        fits(&live.system, &alone)?;
    }
    let mut product = Product::new(live, 0, proof.arenas.len());
    let states = product.arenas(&proof.arenas);
    let signals = product.signals(property.index());
    let signals = if signals.is_empty() { vec![Lit::TRUE] } else { signals };
    for (number, arena) in proof.arenas.iter().enumerate() {
        let (latch, before) = product.own(number);
        let (kept, now) = match *arena {
            Arena::Wall { inside, outside, .. } => (states[inside], states[outside]),
            Arena::Lacks(signal) => {
                let known = signals.get(signal).copied();
                let signal = known.ok_or_else(|| Refusal::Rejected("there is no such signal".to_string()))?;
                (product.system.push_gate(states[number], signal), states[number])
            }
        };
        product.set(latch, kept, Lit::FALSE);
        let bad = product.system.push_gate(before, now);
        product.claim(bad);
    }
    let invariant = proof.proof.invariant.iter().map(|c| product.clause(c)).collect();
    let properties = product.system.property_ids().collect();
    let safety = Proof { properties, k: proof.proof.k, distinct: None, invariant };
    let vacuous = obligations(&product.system, &safety, &[], stop)?;
    Ok(Checked { decides: vec![property], evidence: Evidence::Live(proof), vacuous })
}

fn set<P>(arena: &Arena<P>) -> Option<&P> {
    match arena {
        Arena::Wall { set, .. } => Some(set),
        Arena::Lacks(_) => None,
    }
}

/// The only one that a proof by arenas is about.
pub(crate) fn the_property(named: &[PropertyId], properties: usize) -> Result<PropertyId, Refusal> {
    match named {
        [property] if property.index() < properties => Ok(*property),
        _ => Err(Refusal::Rejected("the proof is not about one property".to_string())),
    }
}

/// Each arena but the first stands at one wall before it.
pub(crate) fn is_tree<P>(arenas: &[Arena<P>]) -> Result<(), Refusal> {
    let mut walls = vec![0; arenas.len()];
    for (number, arena) in arenas.iter().enumerate() {
        if let Arena::Wall { inside, outside, .. } = *arena {
            for part in [inside, outside] {
                let later = part > number && part < arenas.len();
                require(later, || "an arena is not split into later ones".to_string())?;
                walls[part] += 1;
            }
        }
    }
    let once = !walls.is_empty() && walls[1..].iter().all(|&count| count == 1);
    require(once, || "an arena stands at no wall, or at several".to_string())
}

impl Product<'_> {
    fn clause(&self, clause: &Clause) -> Clause {
        Clause::new(clause.0.iter().map(|&l| self.there(l)))
    }

    /// The states of each arena.
    fn arenas(&mut self, arenas: &[Arena<Proof>]) -> Vec<Lit> {
        let mut states = vec![Lit::TRUE; arenas.len()];
        for (number, arena) in arenas.iter().enumerate() {
            if let Arena::Wall { set, inside, outside } = arena {
                let wall = self.all(&set.invariant);
                states[*inside] = self.system.push_gate(states[number], wall);
                states[*outside] = self.system.push_gate(states[number], !wall);
            }
        }
        states
    }

    /// The conjunction of clauses.
    fn all(&mut self, clauses: &[Clause]) -> Lit {
        let mut all = Lit::TRUE;
        for clause in clauses {
            let mut none = Lit::TRUE;
            for lit in self.clause(clause).0 {
                none = self.system.push_gate(none, !lit);
            }
            all = self.system.push_gate(all, !none);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_arena_stands_at_one_wall_before_it() {
        let wall = |inside, outside| Arena::Wall { set: (), inside, outside };
        let lacks = || Arena::Lacks(0);
        assert!(is_tree(&[Arena::<()>::Lacks(0)]).is_ok());
        assert!(is_tree(&[wall(1, 2), lacks(), wall(3, 4), lacks(), lacks()]).is_ok());
        assert!(is_tree::<()>(&[]).is_err(), "there is a first one");
        assert!(is_tree(&[wall(1, 1), lacks()]).is_err(), "both parts are the same");
        assert!(is_tree(&[wall(1, 2), lacks(), lacks(), lacks()]).is_err(), "one stands at no wall");
        assert!(
            is_tree(&[wall(1, 2), wall(3, 4), wall(4, 5), lacks(), lacks(), lacks()]).is_err(),
            "one at two"
        );
        assert!(is_tree(&[wall(1, 3), lacks(), lacks()]).is_err(), "one is not there");
        assert!(is_tree(&[wall(1, 2), lacks(), wall(2, 3), lacks()]).is_err(), "one is within itself");
    }
}
