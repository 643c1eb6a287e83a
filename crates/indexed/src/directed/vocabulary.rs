//! The vocabulary: which predicates guesses are made of. Refined by counterexamples, after Clarke, Grumberg, Jha,
//! Lu & Veith, "Counterexample-guided abstraction refinement" (CAV 2000), with samples in place of an exact
//! analysis of the counterexample.
//!
//! Where no invariant over the vocabulary proves the property, there is a way to a violation. Somewhere on it a
//! step leads from values that are samples of all predicates to values that are reached through the vocabulary
//! only. Of such a step
//!
//! γ_Π(avoided) ∧ T ∧ values′
//!
//! is asked with all predicates, where `avoided` are cubes over a larger vocabulary with no sample in them. A
//! state that is left, with samples at all its instances, is put aside, and the larger vocabulary is chosen anew:
//! few predicates by which each state that was put aside has values that no sample has. The predicate that tells
//! the most states comes first. In the end no state is left, and the step does not lead there any more; or nothing
//! tells a state from samples, and then the values after it are reached by all predicates, too: a sample more.
//!
//! The vocabulary is a matter of effort only: a proof over part of the predicates is one, and that there is no
//! invariant is said of all of them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use buttress_solve::Stopped;
use buttress_term::{Sort, TermId, Terms};
use rustc_hash::FxHashMap;

use super::samples::{Bits, Samples, bits};
use super::stage::{Cube, Reply, Stage, Valuation};
use super::{Search, stages};

/// Steps that are excluded in one refinement, at most. To exclude only the one that takes the fewest predicates
/// leaves the vocabulary small for long, and most of the time goes into what it does not tell.
const STEPS: usize = 4;

/// States that are put aside for one step, at most: what they need is enough for a time.
const STATES: usize = 20;

/// The questions with all predicates, and for each the cubes with no sample in them, with their switches.
pub struct Apart {
    stages: Vec<Stage>,
    avoided: Vec<Vec<(Cube, TermId)>>,
    count: usize,
}

/// The result of excluding a step by more predicates.
enum Exclusion {
    /// These predicates exclude it.
    By(Vec<usize>),
    /// No predicates do: values after it or, of the property, at an instance.
    Reached(Valuation),
}

impl Search<'_, '_, '_> {
    /// Excludes the way to a violation, which has these values, by more predicates. Values where none do that.
    pub(super) fn refine(&mut self, rows: &[Valuation], bad: TermId) -> Result<Option<Valuation>, Stopped> {
        if self.vocabulary.iter().all(|said| *said) {
            return Ok(Some(rows.first().cloned().unwrap_or_default()));
        }
        let mut more: BTreeSet<usize> = BTreeSet::new();
        let mut reached: Vec<usize> = Vec::new();
        for step in self.first_steps(rows).into_iter().take(STEPS) {
            match (self.told(step, bad)?, step) {
                (Exclusion::By(new), _) => {
                    debug_assert!(!new.is_empty(), "samples through the vocabulary lead there");
                    more.extend(new);
                }
                (Exclusion::Reached(values), None) => return Ok(Some(values)),
                (Exclusion::Reached(values), Some(step)) => {
                    self.see(&values);
                    reached.push(step);
                }
            }
        }
        reached.sort_unstable();
        for step in reached.into_iter().rev() {
            self.derived.swap_remove(step);
        }
        if !more.is_empty() {
            self.extend(&more.into_iter().collect::<Vec<usize>>());
        }
        Ok(None)
    }

    /// Values of all predicates that are reached.
    pub(super) fn see(&mut self, values: &Valuation) {
        self.wide.add(values);
        self.samples.add(values);
        let is_in = |cube: &Cube| cube.iter().all(|&(p, value)| values[p] == value);
        for list in self.apart.iter_mut().flat_map(|apart| &mut apart.avoided) {
            list.retain(|(cube, _)| !is_in(cube));
        }
    }

    /// Extends the vocabulary. Derivations are forgotten, guesses stay.
    fn extend(&mut self, new: &[usize]) {
        new.iter().for_each(|&p| self.vocabulary[p] = true);
        let terms = &mut self.reach.problem.terms;
        self.stages.iter_mut().for_each(|stage| stage.say(terms, new));
        self.samples = self.wide.through(&self.vocabulary);
        self.derived.clear();
    }

    /// On the way to these values, the derivations from samples of all predicates; `None` is the violation itself.
    fn first_steps(&self, rows: &[Valuation]) -> Vec<Option<usize>> {
        let mut way: Vec<Option<usize>> = vec![None];
        let (mut next, mut first) = (0, Vec::new());
        while let Some(&step) = way.get(next) {
            next += 1;
            let from = step.map_or(rows, |d| &self.derived[d].from);
            let derived = from.iter().filter(|row| !self.wide.has_like(row, &self.vocabulary));
            let before: BTreeSet<usize> = derived.filter_map(|row| self.derivation(row)).collect();
            if before.is_empty() {
                first.push(step);
            }
            let new: Vec<usize> = before.into_iter().filter(|&d| !way.contains(&Some(d))).collect();
            way.extend(new.into_iter().map(Some));
        }
        first
    }

    fn derivation(&self, row: &Valuation) -> Option<usize> {
        let same = |p: usize, after: &Valuation| !self.vocabulary[p] || after[p] == row[p];
        self.derived.iter().position(|d| (0..row.len()).all(|p| same(p, &d.after)))
    }

    /// Predicates by which samples do not lead to what a step was found to lead to.
    fn told(&mut self, derived: Option<usize>, bad: TermId) -> Result<Exclusion, Stopped> {
        let mut apart = match self.apart.take() {
            Some(apart) => apart,
            None => Apart::new(self, bad),
        };
        let told = self.told_by(&mut apart, derived, bad);
        self.apart = Some(apart);
        told
    }

    fn told_by(
        &mut self,
        apart: &mut Apart,
        derived: Option<usize>,
        bad: TermId,
    ) -> Result<Exclusion, Stopped> {
        let said = |p: &usize| self.vocabulary[*p];
        let every = 0..self.vocabulary.len();
        let (place, goal) = match derived.map(|d| &self.derived[d]) {
            None => (apart.stages.len() - 1, Goal::Violation(bad)),
            Some(d) => (d.step, Goal::Values(every.clone().filter(said).map(|p| (p, d.after[p])).collect())),
        };
        let mut aside = Aside::new(&self.wide, &self.vocabulary);
        let mut chosen = self.vocabulary.clone();
        let mut seen = self.wide.through(&chosen);
        loop {
            self.effort.queries += 1;
            self.reach.stop.check()?;
            let terms = &mut self.reach.problem.terms;
            let Some((rows, values)) = apart.ask(terms, place, &chosen, &goal)? else { break };
            let far = rows.iter().max_by_key(|row| seen.distance(row));
            if let Some(cube) = far.and_then(|row| seen.avoided(row, &self.weights)) {
                apart.avoid(terms, place, cube);
                continue;
            }
            aside.states.push(rows);
            let Some(better) = aside.vocabulary() else { return Ok(Exclusion::Reached(values)) };
            chosen = better;
            if aside.states.len() >= STATES {
                break;
            }
            seen = self.wide.through(&chosen);
        }
        Ok(Exclusion::By(every.filter(|&p| chosen[p] && !self.vocabulary[p]).collect()))
    }
}

/// The target of a step.
enum Goal {
    Values(Cube),
    Violation(TermId),
}

impl Apart {
    fn new(search: &mut Search<'_, '_, '_>, bad: TermId) -> Apart {
        let every: Vec<usize> = (0..search.vocabulary.len()).collect();
        let stages = stages(search.reach, bad, &every);
        Apart { avoided: vec![Vec::new(); stages.len()], stages, count: 0 }
    }

    /// A state that avoids the cubes over a vocabulary: its values at the instances, and those after the step or,
    /// of the property, at one of the instances.
    fn ask(
        &mut self,
        terms: &mut Terms,
        place: usize,
        vocabulary: &[bool],
        goal: &Goal,
    ) -> Result<Option<(Vec<Valuation>, Valuation)>, Stopped> {
        let said = |cube: &Cube| cube.iter().all(|&(p, _)| vocabulary[p]);
        let avoided = self.avoided[place].iter().filter(|(cube, _)| said(cube));
        let switches: Vec<TermId> = avoided.map(|(_, switch)| *switch).collect();
        let stage = &mut self.stages[place];
        Ok(match goal {
            Goal::Values(values) => match stage.ask(terms, &switches, values)? {
                Reply::Unreached(_) => None,
                Reply::Reached(rows, after) => Some((rows, after)),
            },
            Goal::Violation(bad) => {
                let rows = stage.ask_for(terms, &switches, *bad)?;
                rows.map(|rows| (rows.clone(), rows.into_iter().next().unwrap_or_default()))
            }
        })
    }

    fn avoid(&mut self, terms: &mut Terms, place: usize, cube: Cube) {
        self.count += 1;
        let switch = terms.variable(format!("avoided{}", self.count), Sort::Bool);
        self.stages[place].forbid(terms, &cube, switch);
        self.avoided[place].push((cube, switch));
    }
}

/// States that were put aside, to be told from samples.
struct Aside<'s> {
    wide: &'s Samples,
    /// The vocabulary that is to be extended.
    base: &'s [bool],
    states: Vec<Vec<Valuation>>,
    /// For a vocabulary and a row, the predicates that tell it.
    memo: FxHashMap<(Bits, Bits), Vec<usize>>,
}

impl<'s> Aside<'s> {
    fn new(wide: &'s Samples, base: &'s [bool]) -> Aside<'s> {
        Aside { wide, base, states: Vec::new(), memo: FxHashMap::default() }
    }

    /// A vocabulary by which each of the states has values that no sample has.
    fn vocabulary(&mut self) -> Option<Vec<bool>> {
        let mut chosen = self.base.to_vec();
        let mut left: Vec<usize> = (0..self.states.len()).collect();
        while let Some(&first) = left.first() {
            let mut votes = vec![0usize; chosen.len()];
            for &state in &left {
                self.telling(state, &chosen).into_iter().for_each(|p| votes[p] += 1);
            }
            let best = (0..votes.len()).max_by_key(|&p| (votes[p], Reverse(p)))?;
            if votes[best] > 0 {
                chosen[best] = true;
            } else {
                let sets =
                    self.states[first].iter().filter_map(|row| self.wide.telling_together(row, &chosen));
                sets.min_by_key(Vec::len)?.into_iter().for_each(|p| chosen[p] = true);
            }
            left.retain(|&state| self.is_like_samples(state, &chosen));
        }
        for p in (0..chosen.len()).filter(|&p| !self.base[p]) {
            if std::mem::take(&mut chosen[p]) {
                chosen[p] = (0..self.states.len()).any(|state| self.is_like_samples(state, &chosen));
            }
        }
        Some(chosen)
    }

    fn telling(&mut self, state: usize, chosen: &[bool]) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        for row in &self.states[state] {
            let key = (bits(chosen), bits(row));
            all.extend(self.memo.entry(key).or_insert_with(|| self.wide.telling(row, chosen)).iter());
        }
        all
    }

    fn is_like_samples(&self, state: usize, chosen: &[bool]) -> bool {
        self.states[state].iter().all(|row| self.wide.has_like(row, chosen))
    }
}

#[cfg(test)]
mod tests {
    use buttress_system::Rng;

    use super::*;

    fn row(rng: &mut Rng) -> Valuation {
        (0..70).map(|p| rng.below(if p % 7 == 0 { 2 } else { 6 }) == 0).collect()
    }

    fn alike(a: &Valuation, b: &Valuation, vocabulary: &[bool]) -> bool {
        (0..a.len()).all(|p| !vocabulary[p] || a[p] == b[p])
    }

    /// By what it says: every state has values that no sample has, and no predicate can be left out.
    #[test]
    fn a_vocabulary_tells_every_state_and_has_nothing_in_excess() {
        let mut rng = Rng::new(7);
        let mut told = 0;
        for _ in 0..60 {
            let samples: Vec<Valuation> = (0..40).map(|_| row(&mut rng)).collect();
            let mut wide = Samples::whole(70, Vec::new());
            samples.iter().for_each(|s| wide.add(s));
            let base: Vec<bool> = (0..70).map(|_| rng.one_in(20)).collect();
            let mut aside = Aside::new(&wide, &base);
            aside.states = (0..5).map(|_| (0..2).map(|_| row(&mut rng)).collect()).collect();
            aside.states.push(vec![samples[0].clone(), row(&mut rng)]);
            let states = aside.states.clone();
            let chosen = aside.vocabulary().expect("no state has values of samples only");
            let tells = |vocabulary: &[bool]| {
                let new = |r: &Valuation| !samples.iter().any(|s| alike(s, r, vocabulary));
                states.iter().all(|state| state.iter().any(new))
            };
            assert!((0..70).all(|p| chosen[p] || !base[p]) && tells(&chosen));
            for p in (0..70).filter(|&p| chosen[p] && !base[p]) {
                let fewer: Vec<bool> = (0..70).map(|q| chosen[q] && q != p).collect();
                assert!(!tells(&fewer), "{p} is in excess");
                told += 1;
            }
            aside.states.push(samples[..2].to_vec());
            assert_eq!(aside.vocabulary(), None, "a state that has values of samples only");
        }
        assert!(told > 60, "{told}");
    }
}
