//! Validity cores of small random systems, against all subsets of their elements.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{certify_word_proof, certify_word_trace};
use buttress_cores::{
    Argument, Core, Decision, Effort, Elements, Enumeration, Fresh, Granularity, Part, Prover, Refutation,
    Remembering, from_lemmas, ivc_bf, ivc_uc, ivc_ucbf, must, reduce_invariants, reduced, slice,
};
use buttress_driver::{Choice, Event, Problem};
use buttress_engine::Engine;
use buttress_solve::sat::Outcome;
use buttress_solve::{Cadical, Stop, Stopped, smt};
use buttress_system::words::{System, WordProof, code};
use buttress_system::{ElementSet, PropertyId};
use buttress_term::{TermId, Terms, Value};
use buttress_testkit::drive::{choice, drive};
use buttress_testkit::{random, word_reference};
use buttress_transform::blast::Bitwise;

/// Small enough that all values of all subsets can be listed.
fn is_small(system: &System, elements: &Elements) -> bool {
    let width = |t| code::width(system.terms.sort(t)).unwrap_or(64);
    let states = system.states.iter().map(|s| s.variable);
    let inputs = system.inputs.iter().map(|i| i.variable);
    let definitions = system.definitions.iter().map(|d| d.variable);
    states.chain(inputs).chain(definitions).map(width).sum::<u32>() <= 10 && elements.len() <= 7
}

/// The reference for cores, by listing all values.
struct Reference<'a> {
    system: &'a System,
    elements: &'a Elements,
    property: PropertyId,
}

impl Reference<'_> {
    fn suffices(&self, kept: &ElementSet) -> bool {
        let system = reduced(self.system, self.elements, kept);
        word_reference::violations(&system)[self.property.index()].is_none()
    }

    fn subsets(&self) -> impl Iterator<Item = ElementSet> + '_ {
        let n = self.elements.len();
        (0..1u32 << n).map(move |bits| self.elements.ids().filter(|e| bits >> e.index() & 1 == 1).collect())
    }

    /// All minimal cores.
    fn minimal(&self) -> Vec<ElementSet> {
        let cores: Vec<ElementSet> = self.subsets().filter(|s| self.suffices(s)).collect();
        let smaller = |a: &ElementSet, b: &ElementSet| a.is_subset(b) && a != b;
        cores.iter().filter(|c| !cores.iter().any(|other| smaller(other, c))).cloned().collect()
    }

    /// All minimal sets whose removal breaks the property.
    fn cuts(&self) -> Vec<ElementSet> {
        let all = self.elements.all();
        let cuts: Vec<ElementSet> = self.subsets().filter(|s| !self.suffices(&(&all - s))).collect();
        let smaller = |a: &ElementSet, b: &ElementSet| a.is_subset(b) && a != b;
        cuts.iter().filter(|c| !cuts.iter().any(|other| smaller(other, c))).cloned().collect()
    }

    fn no_proof(&self) -> WordProof {
        WordProof::of_properties(self.system, vec![self.property], 1)
    }
}

impl Prover for Reference<'_> {
    type Proof = WordProof;

    fn decide(&mut self, kept: &ElementSet) -> Result<Decision, Stopped> {
        let holds = self.suffices(kept);
        Ok(if holds { Decision::Proved(self.no_proof()) } else { Decision::Refuted })
    }

    fn extract(&mut self, _: &ElementSet, _: &WordProof) -> Result<Option<Core>, Stopped> {
        Ok(None)
    }

    fn confirm(&mut self, _: &Refutation) -> bool {
        false
    }
}

/// Systems with a property that holds, at most so many.
fn subjects(most: usize) -> impl Iterator<Item = (u64, Arc<System>, Elements, PropertyId)> {
    let found = (0..4000).filter_map(|seed| {
        let system = random::words::system(seed);
        let granularity = if seed % 2 == 0 { Granularity::Lines } else { Granularity::States };
        let elements = Elements::of(&system, granularity);
        if elements.len() < 2 || !is_small(&system, &elements) {
            return None;
        }
        let violations = word_reference::violations(&system);
        let property = system.property_ids().find(|p| violations[p.index()].is_none())?;
        Some((seed, Arc::new(system), elements, property))
    });
    found.take(most)
}

#[test]
fn all_cores_and_cuts_are_found() {
    let (mut compared, mut several) = (0, 0);
    for (seed, system, elements, property) in subjects(120) {
        let mut reference = Reference { system: &system, elements: &elements, property };
        let (mut minimal, mut cuts) = (reference.minimal(), reference.cuts());
        let all = Core::new(elements.all(), reference.no_proof());
        let mut prover = Remembering::new(&mut reference);
        let map = Box::new(Cadical::new(&Stop::new(), seed));
        let found = Enumeration::new(&mut prover, &elements.all(), map).run(usize::MAX, &mut |_| {});
        assert!(found.complete, "seed {seed}");
        let mut cores: Vec<ElementSet> = found.cores.iter().map(|m| m.core.elements.clone()).collect();
        let mut found_cuts = found.cuts.clone();
        for list in [&mut minimal, &mut cuts, &mut cores, &mut found_cuts] {
            list.sort();
        }
        assert_eq!(cores, minimal, "seed {seed}");
        assert_eq!(found_cuts, cuts, "seed {seed}");
        let (needed, undecided, _) = must(&mut prover, &elements.all(), &all);
        let common = minimal.iter().skip(1).fold(minimal[0].clone(), |a, b| &a & b);
        assert_eq!((needed, undecided), (common, ElementSet::new()), "seed {seed}");
        compared += 1;
        several += usize::from(minimal.len() > 1);
    }
    assert!(compared >= 80 && several >= 5, "{compared} compared, {several} with several cores");
}

#[test]
fn one_minimal_core_is_one_of_them() {
    for (seed, system, elements, property) in subjects(40) {
        let mut reference = Reference { system: &system, elements: &elements, property };
        let minimal = reference.minimal();
        let all = Core::new(elements.all(), reference.no_proof());
        for brute in [true, false] {
            let mut prover = Remembering::new(&mut reference);
            let found =
                if brute { ivc_bf(&mut prover, all.clone()) } else { ivc_ucbf(&mut prover, all.clone()) };
            assert!(found.undecided.is_empty() && minimal.contains(&found.core.elements), "seed {seed}");
        }
    }
}

/// A prover that knows nothing: each element stays, undecided.
struct Ignorant;

impl Prover for Ignorant {
    type Proof = WordProof;

    fn decide(&mut self, kept: &ElementSet) -> Result<Decision, Stopped> {
        if kept.len() == 1 { Err(Stopped::Time) } else { Ok(Decision::Unknown) }
    }

    fn extract(&mut self, _: &ElementSet, _: &WordProof) -> Result<Option<Core>, Stopped> {
        Ok(None)
    }

    fn confirm(&mut self, _: &Refutation) -> bool {
        false
    }
}

#[test]
fn what_is_not_known_is_not_called_minimal() {
    let (_, system, elements, property) = subjects(1).next().expect("a subject");
    let proof = WordProof::of_properties(&system, vec![property], 1);
    let all = Core::new(elements.all(), proof);
    let found = ivc_bf(&mut Remembering::new(&mut Ignorant), all.clone());
    assert_eq!((&found.undecided, &found.core.elements), (&elements.all(), &elements.all()));
    let two = Core { elements: elements.ids().take(2).collect(), ..all };
    let found = ivc_bf(&mut Remembering::new(&mut Ignorant), two);
    assert_eq!((found.undecided.len(), found.stopped), (2, Some(Stopped::Time)));
}

fn proof_of(system: &Arc<System>, property: PropertyId) -> Option<WordProof> {
    let problem = Arc::new(Problem::of_words((**system).clone()).expect("a valid system"));
    let engines = ["kind", "ic3"].iter().filter_map(|name| Engine::by_name(name)).collect();
    let choice = Choice { distinct: false, ..choice(engines) };
    let wanted = problem.claim_of(property);
    let (events, _) = drive(&problem, &choice, None);
    events.into_iter().find_map(|event| match event {
        Event::Decided { claim, accepted, .. } if Some(claim) == wanted && accepted.vacuous().is_none() => {
            accepted.word_proof().cloned()
        }
        _ => None,
    })
}

#[test]
fn cores_of_proofs_suffice() {
    let stop = Stop::new();
    let (mut compared, mut smaller, mut refuted, mut constrained) = (0, 0, 0, 0);
    for (seed, system, elements, property) in subjects(60) {
        let Some(proof) = proof_of(&system, property) else { continue };
        let claim = Argument::of(&system, property, &proof).expect("no distinct states");
        let mut fresh = || Box::new(Bitwise::new(Cadical::new(&stop, seed))) as Box<_>;
        let executions = seed % 2 == 1;
        let effort = Effort { time: None, executions };
        let core = ivc_uc(&system, &elements, &elements.all(), &claim, effort, &mut fresh).expect("no stop");
        let core = core.expect("the proof holds");
        assert!(core.undecided.is_empty(), "seed {seed}: there was time for all");
        let reference = Reference { system: &system, elements: &elements, property };
        assert!(reference.suffices(&core.elements), "seed {seed}");
        let small = reduced(&system, &elements, &core.elements);
        certify_word_proof(&small, core.proof.clone(), &stop)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        let slice = slice(&system, &elements, property);
        assert!(core.elements.is_subset(&slice), "seed {seed}");
        let constraints = (0..system.constraints.len()).filter_map(|c| elements.of_part(Part::Constraint(c)));
        for constraint in constraints {
            assert!(slice.contains(&constraint), "seed {seed}: every execution keeps all constraints");
            constrained += 1;
        }
        // With one of its elements less the same proof must not hold: it is minimal for this proof.
        for &element in &core.elements {
            let mut fewer = core.elements.clone();
            fewer.remove(&element);
            let smaller = reduced(&system, &elements, &fewer);
            let accepted = certify_word_proof(&smaller, core.proof.clone(), &stop).is_ok();
            assert!(!accepted, "seed {seed}: {element:?} is not needed");
        }
        refuted += are_needed(&reference, &core);
        if compared % 4 == 0 {
            from_lemmas_proves_what_suffices(&reference, &claim, &core, &mut fresh);
        }
        let reduced =
            reduce_invariants(&system, &claim, &mut fresh).expect("no stop").expect("the proof holds");
        assert!(reduced.claim.invariant.len() <= proof.claim.invariant.len());
        certify_word_proof(&system, reduced, &stop).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        compared += 1;
        smaller += usize::from(core.elements.len() < elements.len());
    }
    assert!(compared >= 30 && smaller >= 10, "{compared} compared, {smaller} smaller");
    assert!(refuted >= 20, "{refuted} elements were seen to be needed");
    assert!(constrained >= 5, "{constrained} constraints were looked for");
}

/// Gives up every third question that it may give up.
struct Tired<S> {
    solver: S,
    asked: usize,
}

impl<S: smt::Solver> smt::Solver for Tired<S> {
    fn assert(&mut self, terms: &Terms, fact: TermId) {
        self.solver.assert(terms, fact);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<Outcome, Stopped> {
        self.solver.check(terms, assumptions)
    }

    fn check_within(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        _: Duration,
    ) -> Result<Option<Outcome>, Stopped> {
        self.asked += 1;
        match self.asked % 3 {
            0 => Ok(None),
            _ => self.check(terms, assumptions).map(Some),
        }
    }
}

impl<S: smt::Model> smt::Model for Tired<S> {
    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Option<Vec<Value>>, Stopped> {
        self.solver.values(terms, of)
    }

    fn distrust(&mut self, why: &str) -> Result<(), Stopped> {
        self.solver.distrust(why)
    }
}

impl<S: smt::Core> smt::Core for Tired<S> {
    fn core(&mut self, terms: &Terms) -> Result<Vec<TermId>, Stopped> {
        self.solver.core(terms)
    }
}

#[test]
fn what_there_was_no_time_for_is_named() {
    let stop = Stop::new();
    let (mut undecided, mut superfluous) = (0, 0);
    for (seed, system, elements, property) in subjects(60) {
        let Some(proof) = proof_of(&system, property) else { continue };
        let claim = Argument::of(&system, property, &proof).expect("no distinct states");
        let mut fresh =
            || Box::new(Tired { solver: Bitwise::new(Cadical::new(&stop, seed)), asked: 0 }) as Box<_>;
        let hour = Some(Duration::from_secs(3600));
        for time in [hour, Some(Duration::ZERO)] {
            let effort = Effort { time, executions: false };
            let core = ivc_uc(&system, &elements, &elements.all(), &claim, effort, &mut fresh);
            let core = core.expect("no stop").expect("the proof holds");
            let small = reduced(&system, &elements, &core.elements);
            certify_word_proof(&small, core.proof.clone(), &stop)
                .unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            assert!(core.undecided.is_subset(&core.elements), "seed {seed}");
            assert!(time == hour || core.undecided == core.elements, "seed {seed}");
            undecided += if time == hour { core.undecided.len() } else { 0 };
            for &element in &core.elements {
                let mut fewer = core.elements.clone();
                fewer.remove(&element);
                let smaller = reduced(&system, &elements, &fewer);
                let accepted = certify_word_proof(&smaller, core.proof.clone(), &stop).is_ok();
                let named = core.undecided.contains(&element);
                assert!(!accepted || named, "seed {seed}: {element:?} is not needed");
                superfluous += usize::from(accepted && named);
            }
        }
    }
    assert!(undecided >= 10 && superfluous >= 1, "{undecided} undecided, {superfluous} not needed");
}

/// Every counterexample that comes with a core is one.
fn are_needed(reference: &Reference<'_>, core: &Core) -> usize {
    for refutation in &core.refutations {
        assert!(!reference.suffices(&refutation.kept), "{refutation:?}");
        let small = reduced(reference.system, reference.elements, &refutation.kept);
        certify_word_trace(&small, refutation.trace.clone()).unwrap_or_else(|why| panic!("{why}"));
    }
    core.refutations.len()
}

/// The lemmas of a proof prove the property again with the elements of its core, and with none that do not
/// suffice.
fn from_lemmas_proves_what_suffices(
    reference: &Reference<'_>,
    claim: &Argument,
    core: &Core,
    fresh: &mut Fresh<'_>,
) {
    let (system, elements) = (reference.system, reference.elements);
    for kept in reference.subsets() {
        let found = from_lemmas(system, elements, &kept, claim, fresh).expect("no stop");
        assert!(found.is_some() || kept != core.elements || core.proof.claim.k > claim.k());
        if let Some(proof) = found {
            let small = reduced(system, elements, &kept);
            certify_word_proof(&small, proof, &Stop::new()).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}
