//! The abstraction, directed by the property: clauses that samples suggest, and that are given up where the
//! abstraction reaches them. After ICE (Garg, Löding, Madhusudan & Neider, "ICE: a robust framework for learning
//! invariants", CAV 2014), with the abstract domain in place of concrete states.
//!
//! Where predicates are found and not given, there are too many to compute the strongest invariant over them. Here
//! there are *samples*, values of the predicates that are reached, and *guesses*, cubes c with no sample in them,
//! which stand for ∀X ¬c:
//!
//! * γ_Π(guesses) ∧ bad has a state, or γ_Π(guesses) ∧ T ∧ c′ for a guess c: at one of the instances its values
//!   are no sample, and a small part of them that no sample has is a new guess;
//! * where the values at every instance are samples, the values after the step are reached, too: a sample more,
//!   and guesses that it is in are given up, with what rests on them.
//!
//! Samples are values that the abstraction reaches: they come from executions, from the start, and from steps of
//! samples. So where they violate the property, no invariant over the predicates and instances proves it (theorem
//! 3); and where no guess is left to show, the guesses are an invariant. One of both happens, for there are
//! finitely many values.
//!
//! Of predicates that are found most do not matter, and guesses about them have no end. So guesses are made of a
//! *vocabulary*, and samples are seen through it: it begins empty, and grows where no invariant over it proves the
//! property ([`vocabulary`]).
//!
//! Early guesses, by a small vocabulary and few samples, are poor, and much that comes later rests on them. So
//! after a number of guesses, twice as many each time, all are forgotten, and the search begins again with the
//! vocabulary and the samples that it has by then (Gomes, Selman & Kautz, "Boosting combinatorial search through
//! randomization", AAAI 1998, on restarts).

mod play;
mod samples;
mod stage;
mod vocabulary;

use std::cmp::Reverse;

use buttress_solve::Stopped;
use buttress_solve::smt::Session;
use buttress_system::PropertyId;
use buttress_term::{Sort, TermId};

use crate::Predicates;
use crate::conclude::Conclusion;
use crate::instances::{instances, substitution};
use crate::reach::Reach;
use crate::simplify::simplify;
use crate::weakness::Weakness;
use samples::Samples;
pub use stage::{Cube, Valuation};
use stage::{Reply, Stage};

/// Guesses after which the search begins again, the first time.
const PATIENCE: usize = 400;

/// A cube that is believed to be unreached: no sample is in it.
struct Guess {
    cube: Cube,
    /// The literal that forbids the cube before a step.
    switch: TermId,
    /// Whether no step leads to it from where all guesses hold.
    kept: bool,
    /// The switches that this rests on.
    rests_on: Vec<TermId>,
}

/// Values that a step leads to from values that are samples.
struct Derived {
    after: Valuation,
    from: Vec<Valuation>,
    step: usize,
}

/// The state of the search: guesses, samples, and the vocabulary by which they are seen.
pub struct Search<'r, 'a, 'm> {
    reach: &'r mut Reach<'a, 'm>,
    start: Stage,
    /// The steps and, last, the property.
    stages: Vec<Stage>,
    /// The questions with all predicates instead of the vocabulary, from when they are needed.
    apart: Option<vocabulary::Apart>,
    guesses: Vec<Guess>,
    /// The predicates that guesses are made of.
    vocabulary: Vec<bool>,
    /// The samples, by all predicates.
    wide: Samples,
    /// The samples through the vocabulary, with those that steps lead to from there.
    samples: Samples,
    derived: Vec<Derived>,
    /// Predicates that stand in many guesses are worth more.
    weights: Vec<f64>,
    pub effort: Effort,
}

/// How far it went.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort {
    pub guesses: usize,
    pub refuted: usize,
    pub queries: u64,
    /// Predicates that guesses are made of.
    pub vocabulary: usize,
}

/// Decides a property by clauses over the predicates of the problem.
pub fn decide(
    reach: &mut Reach<'_, '_>,
    property: PropertyId,
    source: Predicates,
) -> Result<(Conclusion, Effort), Stopped> {
    let bad = reach.problem.model.system.property(property).bad;
    let mut search = Search::new(reach, bad, source)?;
    let invariant = search.run(bad)?;
    let vocabulary = search.vocabulary.iter().filter(|said| **said).count();
    let effort = Effort { vocabulary, ..search.effort };
    let conclusion = match invariant {
        Err(values) => Conclusion::Open { values, weak: Weakness::Unclear },
        Ok(cubes) => {
            let clauses: Vec<TermId> = cubes.iter().map(|cube| search.clause(cube)).collect();
            reach.conclude_from(&clauses, property)?
        }
    };
    Ok((conclusion, effort))
}

impl<'r, 'a, 'm> Search<'r, 'a, 'm> {
    fn new(
        reach: &'r mut Reach<'a, 'm>,
        bad: TermId,
        source: Predicates,
    ) -> Result<Search<'r, 'a, 'm>, Stopped> {
        let predicates = reach.predicates.to_vec();
        let every: Vec<usize> = (0..predicates.len()).collect();
        let prepared = reach.start();
        let own = session(reach);
        let terms = &mut reach.problem.terms;
        let values = vec![prepared.outputs.clone()];
        let mut start = Stage::new(terms, own, &prepared.facts, &values, &prepared.outputs, &predicates);
        start.say(terms, &every);
        let wide = Samples::of(reach.problem, &predicates, reach.stop)?;
        let vocabulary = vec![source == Predicates::Given; predicates.len()];
        let said = if source == Predicates::Given { &every[..] } else { &[] };
        let stages = stages(reach, bad, said);
        let samples = wide.through(&vocabulary);
        let weights = vec![1.0; predicates.len()];
        let (guesses, derived, effort) = (Vec::new(), Vec::new(), Effort::default());
        Ok(Search {
            reach,
            start,
            stages,
            apart: None,
            guesses,
            wide,
            vocabulary,
            samples,
            derived,
            weights,
            effort,
        })
    }

    /// An invariant, or values that violate the property and are reached.
    fn run(&mut self, bad: TermId) -> Result<Result<Vec<Cube>, Valuation>, Stopped> {
        let (mut begin, mut patience) = (0, PATIENCE);
        loop {
            if self.effort.guesses > begin + patience {
                self.begin_again(bad);
                (begin, patience) = (self.effort.guesses, 2 * patience);
            }
            while let Some(rows) = self.violation(bad)? {
                if self.guess(&rows)? {
                    continue;
                }
                if let Some(values) = self.refine(&rows, bad)? {
                    return Ok(Err(values));
                }
            }
            let open = self.guesses.iter().enumerate().filter(|(_, g)| !g.kept);
            let Some((open, _)) = open.min_by_key(|(number, g)| (g.cube.len(), Reverse(*number))) else {
                return Ok(Ok(self.guesses.iter().map(|g| g.cube.clone()).collect()));
            };
            if let Some(derived) = self.keep(open)? {
                self.samples.add(&derived.after);
                self.retract(&derived.after);
                self.derived.push(derived);
            }
        }
    }

    /// Forgets the guesses, not what is reached, and not the vocabulary.
    fn begin_again(&mut self, bad: TermId) {
        let said: Vec<usize> = (0..self.vocabulary.len()).filter(|&p| self.vocabulary[p]).collect();
        self.stages = stages(self.reach, bad, &said);
        self.samples = self.wide.through(&self.vocabulary);
        self.guesses.clear();
        self.derived.clear();
        self.weights.fill(1.0);
    }

    fn switches(&self) -> Vec<TermId> {
        self.guesses.iter().map(|g| g.switch).collect()
    }

    /// γ_Π(guesses) ∧ bad
    fn violation(&mut self, bad: TermId) -> Result<Option<Vec<Valuation>>, Stopped> {
        self.effort.queries += 1;
        self.reach.stop.check()?;
        let switches = self.switches();
        let goal = self.stages.last_mut().expect("the property is there");
        goal.ask_for(&mut self.reach.problem.terms, &switches, bad)
    }

    /// Guesses that a state is not reached, by its values at one of the instances; `false` where samples have all
    /// of them.
    fn guess(&mut self, rows: &[Valuation]) -> Result<bool, Stopped> {
        loop {
            // Where there are no predicates there is nothing to guess.
            let far = rows.iter().filter(|row| !row.is_empty()).max_by_key(|row| self.samples.distance(row));
            let Some(cube) = far.and_then(|row| self.samples.avoided(row, &self.weights)) else {
                return Ok(false);
            };
            self.effort.queries += 1;
            self.reach.stop.check()?;
            // R ∧ cube
            match self.start.ask(&mut self.reach.problem.terms, &[], &cube)? {
                Reply::Reached(_, values) => self.see(&values),
                Reply::Unreached(_) => {
                    self.believe(cube);
                    return Ok(true);
                }
            }
        }
    }

    fn believe(&mut self, cube: Cube) {
        self.effort.guesses += 1;
        let terms = &mut self.reach.problem.terms;
        let switch = terms.variable(format!("guess{}", self.effort.guesses), Sort::Bool);
        self.stages.iter_mut().for_each(|stage| stage.forbid(terms, &cube, switch));
        let weaker = |g: &Guess| cube.is_subset(&g.cube);
        let (old, mut others): (Vec<Guess>, Vec<Guess>) =
            std::mem::take(&mut self.guesses).into_iter().partition(weaker);
        for on in others.iter_mut().flat_map(|g| &mut g.rests_on) {
            if old.iter().any(|g| g.switch == *on) {
                *on = switch;
            }
        }
        self.guesses = others;
        cube.iter().for_each(|&(predicate, _)| self.weights[predicate] += 1.0);
        self.guesses.push(Guess { cube, switch, kept: false, rests_on: Vec::new() });
    }

    /// γ_Π(guesses) ∧ T ∧ cube′, until it has no state; values in the cube that are reached if that cannot be.
    fn keep(&mut self, number: usize) -> Result<Option<Derived>, Stopped> {
        let (cube, switch) = (self.guesses[number].cube.clone(), self.guesses[number].switch);
        self.guesses[number].rests_on.clear();
        for step in 0..self.reach.problem.steps.len() {
            while !self.stages[step].keeps(&cube) {
                self.effort.queries += 1;
                self.reach.stop.check()?;
                let switches = self.switches();
                let reply = self.stages[step].ask(&mut self.reach.problem.terms, &switches, &cube)?;
                // A more general one may have taken its place meanwhile.
                let Some(guess) = self.guesses.iter_mut().find(|g| g.switch == switch) else {
                    return Ok(None);
                };
                match reply {
                    Reply::Unreached(used) => {
                        guess.rests_on.extend(used);
                        break;
                    }
                    Reply::Reached(rows, after) => {
                        if !self.guess(&rows)? {
                            return Ok(Some(Derived { after, from: rows, step }));
                        }
                    }
                }
            }
        }
        self.guesses.iter_mut().filter(|g| g.switch == switch).for_each(|g| g.kept = true);
        Ok(None)
    }

    /// Gives up guesses that these values are in; what rests on them is open again.
    fn retract(&mut self, reached: &Valuation) {
        let is_in = |guess: &Guess| guess.cube.iter().all(|&(predicate, value)| reached[predicate] == value);
        let (wrong, right): (Vec<Guess>, Vec<Guess>) =
            std::mem::take(&mut self.guesses).into_iter().partition(is_in);
        self.effort.refuted += wrong.len();
        self.guesses = right;
        for guess in &mut self.guesses {
            guess.kept &= !guess.rests_on.iter().any(|s| wrong.iter().any(|w| w.switch == *s));
        }
    }

    fn clause(&mut self, cube: &Cube) -> TermId {
        let product: Vec<(u32, bool)> = cube.iter().map(|&(p, v)| (p as u32, v)).collect();
        crate::reach::clause(&mut self.reach.problem.terms, &product, self.reach.predicates)
    }
}

fn session(reach: &Reach<'_, '_>) -> Session {
    Session::new(reach.config, reach.problem.theory(), reach.stop)
}

/// The steps and, last, the property, with these predicates said.
fn stages(reach: &mut Reach<'_, '_>, bad: TermId, said: &[usize]) -> Vec<Stage> {
    let mut stages = Vec::new();
    for number in 0..reach.problem.steps.len() {
        let prepared = reach.step(number);
        let before = before(reach, &prepared.instances);
        let own = session(reach);
        let terms = &mut reach.problem.terms;
        stages.push(Stage::new(terms, own, &prepared.facts, &before, &prepared.outputs, reach.predicates));
    }
    let own = session(reach);
    stages.push(goal(reach, bad, own));
    stages.iter_mut().for_each(|stage| stage.say(&mut reach.problem.terms, said));
    stages
}

/// The predicates at these instances.
fn before(reach: &mut Reach<'_, '_>, instances: &[buttress_system::indexed::Instance]) -> Vec<Vec<TermId>> {
    let mut rows = Vec::new();
    for instance in instances {
        let by = substitution(reach.problem.model, instance);
        let mut row = Vec::new();
        for &predicate in reach.predicates {
            let predicate = reach.problem.terms.replace(predicate, &by);
            row.push(simplify(&mut reach.problem.terms, predicate));
        }
        rows.push(row);
    }
    rows
}

/// The stage of the property, which has nothing after it.
fn goal(reach: &mut Reach<'_, '_>, bad: TermId, session: Session) -> Stage {
    let mut facts: Vec<TermId> = reach.problem.model.system.constraints.iter().map(|c| c.term).collect();
    let roots: Vec<TermId> = reach.predicates.iter().chain(&facts).chain([&bad]).copied().collect();
    reach.axiom_facts(&roots, None, &mut facts);
    let instances = instances(reach.problem.model, &mut reach.problem.terms, reach.roles, &roots);
    let before = before(reach, &instances);
    let mut with = facts.clone();
    with.extend(reach.problem.terms.ranges(&[bad]));
    Stage::new(&mut reach.problem.terms, session, &with, &before, &[], &[])
}
