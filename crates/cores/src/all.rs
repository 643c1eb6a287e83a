//! All minimal cores and all minimal cut sets, after Liffiton, Previti, Malik & Marques-Silva, *Fast, flexible MUS
//! enumeration* (MARCO), Constraints 2016.
//!
//! A *map*, a formula over a Boolean for each element, has the sets of elements as models that nothing is known
//! about yet. Each round takes a maximal one:
//!
//! * it suffices: a minimal core m within it is found, and ⋁_{e ∈ m} ¬e excludes all that contains it;
//! * it does not: it is a largest set that does not suffice, so what it lacks is a minimal cut set c: removed
//!   together, these elements break the property. ⋁_{e ∈ c} e excludes all that lies in it;
//! * nobody knows: it is excluded in the same way, and the enumeration is not complete.
//!
//! When the map has no model left, all have been seen. The elements that are in every core are the cut sets of one
//! element; the smallest core is the minimum.

use buttress_solve::Stopped;
use buttress_solve::sat::{Lit, Model, Outcome, Solver};
use buttress_system::words::WordProof;
use buttress_system::{ElementId, ElementSet};

use crate::minimal::Suffices;
use crate::{Minimised, Remembering, ivc_ucbf};

/// A SAT solver for the map.
pub trait Map: Solver + Model {}

impl<S: Solver + Model> Map for S {}

/// The cores and cut sets of an enumeration so far.
#[derive(Clone, Debug)]
pub struct Enumerated<P = WordProof> {
    /// In the order in which they were found; those with undecided elements may not be minimal.
    pub cores: Vec<Minimised<P>>,
    /// Minimal.
    pub cuts: Vec<ElementSet>,
    /// Sets of which nobody knows whether they suffice.
    pub undecided: usize,
    /// No set of elements was left out.
    pub complete: bool,
    pub stopped: Option<Stopped>,
}

impl<P> Default for Enumerated<P> {
    fn default() -> Enumerated<P> {
        Enumerated { cores: Vec::new(), cuts: Vec::new(), undecided: 0, complete: false, stopped: None }
    }
}

impl<P> Enumerated<P> {
    /// The smallest core; the minimum, where the enumeration is complete.
    pub fn smallest(&self) -> Option<&Minimised<P>> {
        self.cores.iter().min_by_key(|m| m.core.elements.len())
    }
}

pub struct Enumeration<'a, 'p, P = WordProof> {
    prover: &'a mut Remembering<'p, P>,
    map: Box<dyn Map + 'a>,
    elements: Vec<ElementId>,
    lits: Vec<Lit>,
}

impl<'a, 'p, P: Clone> Enumeration<'a, 'p, P> {
    /// Over these elements; the others are in no core.
    pub fn new(
        prover: &'a mut Remembering<'p, P>,
        elements: &ElementSet,
        mut map: Box<dyn Map + 'a>,
    ) -> Enumeration<'a, 'p, P> {
        let elements: Vec<ElementId> = elements.iter().copied().collect();
        let lits = elements.iter().map(|_| map.new_var()).collect();
        Enumeration { prover, map, elements, lits }
    }

    /// Goes on until all are found, so many cores are found, or a stop; `seen` is told after each round.
    pub fn run(mut self, most: usize, seen: &mut dyn FnMut(&Enumerated<P>)) -> Enumerated<P> {
        let mut found = Enumerated::default();
        if let Err(why) = self.rounds(most, &mut found, seen) {
            found.stopped = Some(why);
        }
        found
    }

    fn rounds(
        &mut self,
        most: usize,
        found: &mut Enumerated<P>,
        seen: &mut dyn FnMut(&Enumerated<P>),
    ) -> Result<(), Stopped> {
        while found.cores.len() < most {
            let Some(seed) = self.maximal()? else {
                found.complete = found.undecided == 0 && found.cores.iter().all(|m| m.undecided.is_empty());
                return Ok(());
            };
            match self.prover.suffices(&seed)? {
                Suffices::Yes(core) => {
                    let minimised = ivc_ucbf(self.prover, core);
                    self.exclude(&minimised.core.elements, true);
                    let stopped = minimised.stopped.clone();
                    found.cores.push(minimised);
                    stopped.map_or(Ok(()), Err)?;
                }
                Suffices::No => {
                    let cut = self.lacking(&seed);
                    self.exclude(&cut, false);
                    found.cuts.push(cut);
                }
                Suffices::Unknown => {
                    found.undecided += 1;
                    let cut = self.lacking(&seed);
                    self.exclude(&cut, false);
                }
            }
            seen(found);
        }
        Ok(())
    }

    /// A largest set that nothing is known about.
    fn maximal(&mut self) -> Result<Option<ElementSet>, Stopped> {
        let mut chosen = Vec::new();
        if self.map.solve(&[])? == Outcome::Unsat {
            return Ok(None);
        }
        for e in 0..self.lits.len() {
            chosen.push(self.lits[e]);
            if self.map.solve(&chosen)? == Outcome::Unsat {
                chosen.pop();
            }
        }
        let seed = self.elements.iter().zip(&self.lits).filter(|(_, lit)| chosen.contains(lit));
        Ok(Some(seed.map(|(&e, _)| e).collect()))
    }

    fn lacking(&self, seed: &ElementSet) -> ElementSet {
        self.elements.iter().copied().filter(|e| !seed.contains(e)).collect()
    }

    /// Not all of these, or not none of these.
    fn exclude(&mut self, set: &ElementSet, all: bool) {
        let members = self.elements.iter().zip(&self.lits).filter(|(e, _)| set.contains(e));
        let clause: Vec<Lit> = members.map(|(_, &lit)| lit ^ all).collect();
        self.map.add_clause(&clause);
    }
}
