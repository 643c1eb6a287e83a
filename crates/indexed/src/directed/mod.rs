//! The abstraction, directed by the property: IC3 (Bradley, VMCAI 2011) over indexed predicates.
//!
//! Where predicates are found and not given, there are too many to compute the strongest invariant over them. Here frames
//! F₀ ⊆ F₁ ⊆ … are sets of clauses ∀X ¬c over the predicates, and only those are learned that the property needs:
//!
//! * γ_Π(F_k) ∧ bad has a state: it is excluded by excluding its values at *one* of the instances;
//! * values v are excluded at k where F₀ does not have them and γ_Π(F_{k-1} ∧ ¬v) ∧ T ∧ v′ has no state, or each such state is
//!   excluded at k-1 in its turn;
//! * where every instance of a state is reached, so are the values it leads to: [`Search::reached`] remembers them;
//! * what is excluded is generalised by cores, then by leaving out one literal after the other.
//!
//! Two frames that are equal are an invariant. By theorem 3 there is one over the predicates if and only if an inductive one
//! exists; so where values that violate the property are reached, the predicates or the instances are too weak.
//!
//! F₀ is the start itself: a step from it is taken with the values of the start put in.

mod play;
mod samples;
mod stage;

use std::collections::BTreeSet;

use buttress_solve::Stopped;
use buttress_solve::smt::Session;
use buttress_system::PropertyId;
use buttress_term::{Sort, TermId};

use crate::conclude::Conclusion;
use crate::instances::{instances, substitution};
use crate::reach::Reach;
use crate::simplify::simplify;
use crate::weakness::Weakness;
use samples::Samples;
pub use stage::{Cube, Valuation};
use stage::{Reply, Stage};

/// Literals of a cube that is tried because no sample satisfies it, at most.
const GUESSED: usize = 4;

/// A clause ¬cube, in all frames up to a level.
struct Lemma {
    cube: Cube,
    level: usize,
}

/// What the search knows.
pub struct Search<'r, 'a, 'm> {
    reach: &'r mut Reach<'a, 'm>,
    /// F₀. What it and [`Search::first`] answer are values that are reached.
    start: Stage,
    /// From F₀, by each step.
    first: Vec<Stage>,
    /// From any frame, by each step.
    steps: Vec<Stage>,
    /// Steps, those last that lead to what is asked about most often: they are asked first.
    order: Vec<usize>,
    goal: Stage,
    lemmas: Vec<Lemma>,
    /// Lemmas with levels, in the order in which they were learned and went up.
    news: Vec<(Cube, usize)>,
    /// For each level, what switches the lemmas on that go up to it.
    switches: Vec<TermId>,
    /// For each level, values that are reached.
    reached: Vec<BTreeSet<Cube>>,
    samples: Samples,
    pub effort: Effort,
}

/// How far it went.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort {
    pub levels: usize,
    pub lemmas: usize,
    pub queries: u64,
}

/// Decides a property by clauses over the predicates of the problem.
pub fn decide(reach: &mut Reach<'_, '_>, property: PropertyId) -> Result<(Conclusion, Effort), Stopped> {
    let bad = reach.problem.model.system.property(property).bad;
    let mut search = Search::new(reach, bad)?;
    let invariant = search.run(bad)?;
    let effort = search.effort;
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
    fn new(reach: &'r mut Reach<'a, 'm>, bad: TermId) -> Result<Search<'r, 'a, 'm>, Stopped> {
        let predicates = reach.predicates.to_vec();
        let prepared = reach.start();
        let session = |reach: &Reach<'_, '_>| Session::new(reach.config, reach.problem.theory(), reach.stop);
        let own = session(reach);
        let terms = &mut reach.problem.terms;
        let values = vec![prepared.outputs.clone()];
        let start = Stage::new(terms, own, &prepared.facts, &values, &prepared.outputs, &predicates);
        let (mut first, mut steps) = (Vec::new(), Vec::new());
        for number in 0..reach.problem.steps.len() {
            let prepared = reach.step(number);
            let before = before(reach, &prepared.instances);
            let own = session(reach);
            let terms = &mut reach.problem.terms;
            steps.push(Stage::new(terms, own, &prepared.facts, &before, &prepared.outputs, &predicates));
            let after = reach.problem.start.after.clone();
            let mut facts = reach.problem.start.facts.clone();
            facts.extend(prepared.facts.iter().map(|&f| reach.problem.after(f, &after)));
            let outputs: Vec<TermId> =
                prepared.outputs.iter().map(|&t| reach.problem.after(t, &after)).collect();
            let own = session(reach);
            let terms = &mut reach.problem.terms;
            let values = vec![outputs.clone()];
            first.push(Stage::new(terms, own, &facts, &values, &outputs, &predicates));
        }
        let goal = goal(reach, bad, session(reach));
        let samples = Samples::of(reach.problem, &predicates, reach.stop)?;
        Ok(Search {
            reach,
            start,
            order: (0..steps.len()).collect(),
            first,
            steps,
            goal,
            lemmas: Vec::new(),
            news: Vec::new(),
            switches: Vec::new(),
            reached: vec![BTreeSet::new()],
            samples,
            effort: Effort::default(),
        })
    }

    /// An invariant, or values that violate the property and are not excluded.
    fn run(&mut self, bad: TermId) -> Result<Result<Vec<Cube>, Valuation>, Stopped> {
        self.extend();
        loop {
            let top = self.top();
            while let Some(rows) = self.violation(bad, top)? {
                if !self.exclude_one(&rows, top)? {
                    return Ok(Err(rows.into_iter().next().unwrap_or_default()));
                }
            }
            self.extend();
            if let Some(level) = self.push()? {
                let kept = self.lemmas.iter().filter(|l| l.level > level);
                return Ok(Ok(kept.map(|l| l.cube.clone()).collect()));
            }
        }
    }

    fn top(&self) -> usize {
        self.switches.len()
    }

    fn extend(&mut self) {
        let level = self.top() + 1;
        self.switches.push(self.reach.problem.terms.variable(format!("frame{level}"), Sort::Bool));
        self.reached.push(BTreeSet::new());
        self.effort.levels = level;
    }

    /// γ_Π(F_top) ∧ bad
    fn violation(&mut self, bad: TermId, level: usize) -> Result<Option<Vec<Valuation>>, Stopped> {
        self.effort.queries += 1;
        self.reach.stop.check()?;
        let switches = self.switches[level - 1..].to_vec();
        let terms = &mut self.reach.problem.terms;
        tell(terms, &mut self.goal, &self.news, &self.switches);
        self.goal.ask_for(terms, &switches, bad)
    }

    /// Excludes a state by its values at one of the instances.
    fn exclude_one(&mut self, rows: &[Valuation], level: usize) -> Result<bool, Stopped> {
        let mut rows: Vec<(u32, &Valuation)> = rows.iter().map(|r| (self.samples.distance(r), r)).collect();
        rows.sort_by_key(|&(distance, _)| std::cmp::Reverse(distance));
        for (_, row) in rows {
            let cube: Cube = row.iter().copied().enumerate().collect();
            if self.exclude(&cube, level)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_reached(&self, cube: &Cube, level: usize) -> bool {
        self.reached[..=level].iter().any(|known| known.contains(cube))
    }

    /// Learns a lemma at this level that excludes a cube; `false` if it is reached.
    fn exclude(&mut self, cube: &Cube, level: usize) -> Result<bool, Stopped> {
        if self.is_reached(cube, level) || self.samples.meet(cube) {
            return Ok(false);
        }
        let Some(mut needed) = self.not_at_start(cube)? else {
            self.reached[0].insert(cube.clone());
            return Ok(false);
        };
        let mut todo = self.order.clone();
        while let Some(&number) = todo.last() {
            match self.ask(number, cube, level - 1, true)? {
                Reply::Unreached(core) => {
                    needed.extend(core);
                    todo.pop();
                }
                Reply::Before(rows) => {
                    if level == 1 || !self.exclude_one(&rows, level - 1)? {
                        self.reached[level].insert(cube.clone());
                        return Ok(false);
                    }
                }
            }
        }
        let needed = self.samples.avoided(needed, cube).unwrap_or_else(|| cube.clone());
        let cube = self.minimised(needed, level)?;
        let guess = self.samples.minimal(&cube);
        if guess == cube || guess.len() > GUESSED || !self.exclude(&guess, level)? {
            self.learn(cube, level)?;
        }
        Ok(true)
    }

    /// The part of a cube that the start does not have; `None` if it has it.
    fn not_at_start(&mut self, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        self.effort.queries += 1;
        match self.start.ask(&mut self.reach.problem.terms, &[], cube)? {
            Reply::Unreached(core) => Ok(Some(core)),
            Reply::Before(rows) => {
                self.samples.add(&rows);
                Ok(None)
            }
        }
    }

    /// F_level ∧ ¬cube ∧ T ∧ cube′, by one of the steps.
    fn ask(&mut self, number: usize, cube: &Cube, level: usize, itself: bool) -> Result<Reply, Stopped> {
        self.reach.stop.check()?;
        let terms = &mut self.reach.problem.terms;
        if itself && self.steps[number].keeps(cube) {
            return Ok(Reply::Unreached(Cube::new()));
        }
        self.effort.queries += 1;
        if level == 0 {
            let reply = self.first[number].ask(terms, &[], cube)?;
            if let Reply::Before(rows) = &reply {
                self.samples.add(rows);
            }
            return Ok(reply);
        }
        let stage = &mut self.steps[number];
        tell(terms, stage, &self.news, &self.switches);
        let mut switches = self.switches[level - 1..].to_vec();
        if itself {
            let switch = terms.variable("itself", Sort::Bool);
            stage.forbid(terms, cube, switch);
            switches.push(switch);
        }
        stage.ask(terms, &switches, cube)
    }

    /// Leaves out one literal after the other.
    fn minimised(&mut self, mut cube: Cube, level: usize) -> Result<Cube, Stopped> {
        for literal in cube.clone() {
            if !cube.contains(&literal) || cube.len() == 1 {
                continue;
            }
            let mut smaller = cube.clone();
            smaller.remove(&literal);
            if self.samples.meet(&smaller) {
                continue;
            }
            if let Some(core) = self.excluded(&smaller, level)? {
                cube = self.samples.avoided(core, &smaller).unwrap_or(smaller);
            }
        }
        Ok(cube)
    }

    /// The part of a cube that is excluded by itself, if it is.
    fn excluded(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Stopped> {
        let Some(mut needed) = self.not_at_start(cube)? else { return Ok(None) };
        for place in (0..self.order.len()).rev() {
            match self.ask(self.order[place], cube, level - 1, true)? {
                Reply::Unreached(core) => needed.extend(core),
                Reply::Before(_) => {
                    let number = self.order.remove(place);
                    self.order.push(number);
                    return Ok(None);
                }
            }
        }
        Ok(Some(needed))
    }

    /// Takes a clause into all frames up to a level, and beyond it as far as it goes.
    fn learn(&mut self, cube: Cube, mut level: usize) -> Result<(), Stopped> {
        while level < self.top() && self.holds_after(&cube, level, true)? {
            level += 1;
        }
        self.lemmas.retain(|l| l.level > level || !cube.is_subset(&l.cube));
        self.news.push((cube.clone(), level));
        self.lemmas.push(Lemma { cube, level });
        self.effort.lemmas += 1;
        Ok(())
    }

    /// Carries lemmas up as far as they go; a level that all of its lemmas left is one where frames are equal.
    fn push(&mut self) -> Result<Option<usize>, Stopped> {
        for level in 1..self.top() {
            for number in 0..self.lemmas.len() {
                if self.lemmas[number].level == level {
                    let cube = self.lemmas[number].cube.clone();
                    if self.holds_after(&cube, level, false)? {
                        self.lemmas[number].level = level + 1;
                        self.news.push((cube, level + 1));
                    }
                }
            }
            if self.lemmas.iter().all(|l| l.level != level) {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// F_level ∧ T ⇒ ¬cube′, for a cube that F_level excludes; `itself` where it has not heard of it yet.
    fn holds_after(&mut self, cube: &Cube, level: usize, itself: bool) -> Result<bool, Stopped> {
        for number in 0..self.steps.len() {
            if self.steps[number].keeps(cube) {
                continue;
            }
            if let Reply::Before(_) = self.ask(number, cube, level, itself)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn clause(&mut self, cube: &Cube) -> TermId {
        let product: Vec<(u32, bool)> = cube.iter().map(|&(p, v)| (p as u32, v)).collect();
        crate::reach::clause(&mut self.reach.problem.terms, &product, self.reach.predicates)
    }
}

/// What a stage has not heard yet.
fn tell(terms: &mut buttress_term::Terms, stage: &mut Stage, news: &[(Cube, usize)], switches: &[TermId]) {
    for (cube, level) in &news[stage.told..] {
        stage.forbid(terms, cube, switches[level - 1]);
    }
    stage.told = news.len();
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
