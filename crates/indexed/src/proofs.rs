//! Predicates from proofs that no violation is k steps away. The paper announces them (section 10): "techniques to
//! extract relevant predicates from the proof of unsatisfiable formulas which represent that an error state can't
//! be reached after any finite number of steps". An abstract counterexample is no help, because it is no sequence
//! of states. After Henzinger, Jhala, Majumdar & McMillan, "Abstractions from proofs" (POPL 2004), with cores in
//! place of interpolants of a prover.
//!
//! The violation is carried back over the steps, from cut k to cut 0:
//!
//! B_k = bad, B_j = C(V, i_j) ∧ B'_{j+1}[δ(V, i_j)/V]
//!
//! R(V_0) ∧ T(V_0, V_1) ∧ … ∧ T(V_{j-1}, V_j) ∧ B_j(V_j) is unsatisfiable. The atoms of B_j, which are over V, the
//! index symbols and the inputs of later steps, are letters: the skeleton of B_j and ⋀ l ⇔ a. A core over these
//! equivalences says which atoms the proof speaks of. B'_j is B_j with the other letters free, so that what does
//! not matter is not carried back any further.
//!
//! So ∀X ∀i ¬B'_0, …, ∀X ∀i ¬B'_k is a sequence of interpolants: the start implies the first, each with a step
//! implies the next, the last excludes a violation. They are universally quantified, because inputs of later steps
//! are, and that is why an input becomes an index symbol like any other ([`mine`](crate::mine)). With their atoms
//! as predicates, and enough index symbols and instances, the abstraction reaches no violation in k steps. Atoms
//! that the model has as predicates are preferred to others; where a proof speaks of these only, a longer one is
//! looked for.
//!
//! Limits: of inputs whose role has no index symbol nothing is said; where a proof names more places of a role
//! than it has index symbols, places fall together; cores are minimal, not smallest.

use std::collections::BTreeSet;

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Config, Core, Session, Solver};
use buttress_solve::{Stop, Stopped};
use buttress_system::PropertyId;
use buttress_system::indexed::Indexed;
use buttress_term::{Sort, TermId};
use rustc_hash::FxHashMap;

use crate::mine::{Language, extended};
use crate::problem::{definitions, reads_inputs};
use crate::simplify::simplify;
use crate::skeleton::{atoms, lift};
use crate::unrolling::{Facts, Unrolling};

/// Steps to a violation, at most.
const STEPS: usize = 4;

/// Atoms at one cut, at most: more say little about which of them matter.
const ATOMS: usize = 400;

/// An atom of the violation, carried back.
#[derive(Clone)]
struct Letter {
    atom: TermId,
    letter: TermId,
    /// letter ⇔ atom, at the cut.
    equal: TermId,
    /// The predicates that it becomes, of those that the model lacks.
    new: BTreeSet<TermId>,
    /// The cost of keeping the letter: first whether it is no predicate, then how many new ones it needs, then its
    /// size.
    cost: (bool, usize, usize),
}

/// B_j over letters, and those that are kept: the others are free in B'_j.
struct Cut {
    skeleton: Vec<TermId>,
    kept: Vec<Letter>,
}

struct Proofs<'a> {
    unrolling: Unrolling<'a>,
    language: Language,
    known: BTreeSet<TermId>,
    config: &'a Config,
    stop: &'a Stop,
}

/// The model with predicates that proofs speak of and that it lacks, from the shortest proof that has some.
pub fn relevant(
    model: &Indexed,
    property: PropertyId,
    config: &Config,
    stop: &Stop,
) -> Result<Option<Indexed>, Stopped> {
    let mut proofs = Proofs::new(model, config, stop);
    for _ in 0..STEPS {
        proofs.unrolling.extend();
        let Some(cuts) = proofs.proof(property)? else { break };
        let new: BTreeSet<TermId> = cuts.into_iter().flat_map(|cut| cut.kept).flat_map(|l| l.new).collect();
        if !new.is_empty() {
            return Ok(Some(extended(model, proofs.unrolling.terms, new)));
        }
    }
    Ok(None)
}

impl<'a> Proofs<'a> {
    fn new(model: &'a Indexed, config: &'a Config, stop: &'a Stop) -> Proofs<'a> {
        let known = model.predicates.iter().map(|p| p.term).collect();
        let (mut unrolling, language) = (Unrolling::new(model), Language::of(model));
        unrolling.extend();
        Proofs { unrolling, language, known, config, stop }
    }

    /// The cuts of a proof that no violation is as many steps away as there are, the last one first; `None` where
    /// there is no proof, or it is too large.
    fn proof(&mut self, property: PropertyId) -> Result<Option<Vec<Cut>>, Stopped> {
        let last = self.unrolling.now();
        let bad = self.unrolling.model.system.property(property).bad;
        let bad = self.with_inputs(bad, last);
        let mut cuts: Vec<Cut> = Vec::new();
        for cut in (0..=last).rev() {
            let violation = cuts.last().map_or_else(|| vec![bad], |next| self.carried_back(next, cut));
            let (skeleton, letters) = self.skeleton(&violation, cut);
            if letters.len() > ATOMS {
                return Ok(None);
            }
            let Some(kept) = self.core(&skeleton, letters, cut)? else { return Ok(None) };
            cuts.push(Cut { skeleton, kept });
        }
        Ok(Some(cuts))
    }

    /// A term over states and inputs, with the inputs of a step.
    fn with_inputs(&mut self, term: TermId, step: usize) -> TermId {
        let Unrolling { model, terms, steps, .. } = &mut self.unrolling;
        let inputs = model.system.inputs.iter().map(|i| (i.variable, steps[step][&i.variable])).collect();
        let values = definitions(model, terms);
        let term = terms.replace(term, &values);
        let term = terms.replace(term, &inputs);
        simplify(terms, term)
    }

    /// C(V, i) ∧ B'[δ(V, i)/V]
    fn carried_back(&mut self, next: &Cut, step: usize) -> Vec<TermId> {
        let system = &self.unrolling.model.system;
        let mut after: FxHashMap<TermId, TermId> = FxHashMap::default();
        for state in &system.states {
            let value = match state.next {
                Some(next) => self.with_inputs(next, step),
                None => self.unrolling.steps[step + 1][&state.variable],
            };
            after.insert(state.variable, value);
        }
        let mut roots = Vec::new();
        for constraint in &system.constraints {
            if reads_inputs(self.unrolling.model, constraint.term).is_some() {
                roots.push(self.with_inputs(constraint.term, step));
            }
        }
        let terms = &mut self.unrolling.terms;
        let atoms = next.kept.iter().map(|l| (l.letter, l.atom)).collect();
        for &term in &next.skeleton {
            let term = terms.replace(term, &atoms);
            let term = terms.replace(term, &after);
            roots.push(simplify(terms, term));
        }
        roots
    }

    /// The violation over letters, one for each atom that reads a state.
    fn skeleton(&mut self, violation: &[TermId], cut: usize) -> (Vec<TermId>, Vec<Letter>) {
        let model = self.unrolling.model;
        let states: Vec<TermId> = model.system.states.iter().map(|s| s.variable).collect();
        let terms = &mut self.unrolling.terms;
        let mut lifted = FxHashMap::default();
        let roots: Vec<TermId> = violation.iter().map(|&t| lift(terms, t, &mut lifted)).collect();
        let mut found = Vec::new();
        atoms(terms, &roots, &mut found, &mut FxHashMap::default());
        found.retain(|&atom| terms.free_variables([atom]).iter().any(|v| states.contains(v)));
        let letters: Vec<Letter> = found.iter().map(|&atom| self.letter(atom, cut)).collect();
        let by = letters.iter().map(|l| (l.atom, l.letter)).collect();
        (self.unrolling.terms.substitute(&roots, &by), letters)
    }

    fn letter(&mut self, atom: TermId, cut: usize) -> Letter {
        let there = self.unrolling.at(atom, cut);
        let Unrolling { model, terms, .. } = &mut self.unrolling;
        let letter = terms.variable("letter", Sort::Bool);
        let equal = terms.eq(letter, there);
        let mut new = self.language.predicates(model, terms, atom);
        let is_none = new.is_empty();
        new.retain(|p| !self.known.contains(p));
        let cost = (is_none, new.len(), terms.cone([atom]).len());
        Letter { atom, letter, equal, new, cost }
    }

    /// Letters by which the first steps exclude a violation; `None` where all of them do not.
    fn core(
        &mut self,
        skeleton: &[TermId],
        mut letters: Vec<Letter>,
        cut: usize,
    ) -> Result<Option<Vec<Letter>>, Stopped> {
        let mut session = self.session(skeleton, &letters, cut);
        letters.sort_by_key(|l| std::cmp::Reverse(l.cost));
        let terms = &self.unrolling.terms;
        let equal = |letters: &[Letter]| letters.iter().map(|l| l.equal).collect::<Vec<TermId>>();
        // R ∧ T ∧ … ∧ T ∧ B over letters ∧ ⋀ l ⇔ a
        if session.check(terms, &equal(&letters))? == Outcome::Sat {
            return Ok(None);
        }
        let mut needed = session.core(terms)?;
        letters.retain(|l| needed.contains(&l.equal));
        for letter in letters.clone() {
            if !needed.contains(&letter.equal) {
                continue;
            }
            self.stop.check()?;
            let others: Vec<TermId> = needed.iter().copied().filter(|&t| t != letter.equal).collect();
            if session.check(terms, &others)? == Outcome::Unsat {
                needed = session.core(terms)?;
            }
        }
        letters.retain(|l| needed.contains(&l.equal));
        Ok(Some(letters))
    }

    /// A session with the facts of the first steps and the violation over letters.
    fn session(&mut self, skeleton: &[TermId], letters: &[Letter], cut: usize) -> Session {
        let mut facts = skeleton.to_vec();
        for (step, Facts { states, inputs }) in self.unrolling.facts[..=cut].iter().enumerate() {
            facts.extend(states);
            facts.extend(inputs.iter().filter(|_| step < cut));
        }
        let roots: Vec<TermId> = facts.iter().copied().chain(letters.iter().map(|l| l.equal)).collect();
        facts.extend(self.unrolling.axioms(&roots, cut));
        let mut session = Session::new(self.config, self.unrolling.theory(), self.stop);
        let terms = &mut self.unrolling.terms;
        let ranges = terms.ranges(&roots);
        facts.iter().chain(&ranges).for_each(|&fact| session.assert(terms, fact));
        session
    }
}

#[cfg(test)]
mod tests {
    use buttress_solve::smt::{directories, find};

    use super::*;
    use crate::mine::{ROUNDS, mined};

    const FEES: &str = include_str!("../../../tests/golden/indexed/fees.vmt");
    const LOCK: &str = include_str!("../../../tests/golden/indexed/lock-server.vmt");

    /// By what it says, with a solver that is asked anew: what is kept of a violation is excluded at every cut,
    /// and is not where one atom less is kept.
    #[test]
    fn what_is_kept_excludes_a_violation_and_nothing_of_it_is_in_excess() {
        let found = find(&directories());
        if found.is_empty() {
            return println!("skipped: no SMT solver");
        }
        let (config, stop, property) = (Config::new(found), Stop::new(), PropertyId::new(0));
        let mut looked_at = 0;
        for text in [FEES, LOCK] {
            let read = buttress_format::vmt::read(text).expect("a model");
            let model = mined(&read.indexed.expect("one with maps"), property, ROUNDS[0]);
            let mut proofs = Proofs::new(&model, &config, &stop);
            for _ in 0..3 {
                proofs.unrolling.extend();
                let cuts = proofs.proof(property).expect("nobody stops it").expect("a proof");
                for (cut, Cut { skeleton, kept }) in cuts.iter().rev().enumerate() {
                    let mut outcome = |letters: &[Letter]| {
                        let mut session = proofs.session(skeleton, letters, cut);
                        let equal: Vec<TermId> = letters.iter().map(|l| l.equal).collect();
                        session.check(&proofs.unrolling.terms, &equal).expect("nobody stops it")
                    };
                    assert_eq!(outcome(kept), Outcome::Unsat);
                    for without in 0..kept.len() {
                        let others = [&kept[..without], &kept[without + 1..]].concat();
                        assert_eq!(outcome(&others), Outcome::Sat, "{without} at cut {cut}");
                        looked_at += 1;
                    }
                }
            }
        }
        assert!(looked_at > 20, "{looked_at}");
    }
}
