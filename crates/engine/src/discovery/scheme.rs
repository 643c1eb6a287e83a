//! The three phases, for any set of terms and any reasoner.

use std::hash::Hash;

use buttress_query::{Answer, Conjecture, From, Queried, Refuter};
use buttress_solve::Stopped;
use buttress_system::Subject;
use rustc_hash::{FxHashMap, FxHashSet};

use super::conjecture::{Atom, Conjectured, Family, Values};

/// The terms of a system, and what relations between them mean.
pub trait Instances {
    type Subject: Queried;
    type Conjunct: Clone + Eq + Hash;

    /// Nothing seen yet.
    fn families(&self) -> Vec<Family>;

    /// The values of all terms in states of random executions.
    fn simulate(&mut self) -> Vec<Vec<Values>>;

    /// Shows the values of all terms in the last state of a path, and in other states that its states before the
    /// last lead to, as long as they are wanted. What a start is may depend on its inputs: those of a path from
    /// there stay.
    fn follow(
        &mut self,
        from: From,
        path: &<Self::Subject as Queried>::Path,
        look: &mut dyn FnMut(Vec<Values>) -> bool,
    );

    /// An atom of a family as conjuncts; none where it is valid whatever the terms are.
    fn conjuncts(&self, family: usize, atom: Atom) -> Vec<Self::Conjunct>;

    fn lemmas(&self, conjuncts: &[Self::Conjunct]) -> Vec<<Self::Subject as Subject>::Lemma>;
}

/// How to look. The default is the paper's best configuration, progressively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Remove edges that others imply (`No_Redundant_Edges`).
    pub reduce: bool,
    /// Phase 3 (`No_Trivial_Invariants`).
    pub drop_trivial: bool,
    /// For each k, or for the last one alone, as in the paper's Figure 1.
    pub progressive: bool,
    /// The largest k; phase 1 goes no deeper, even where it still refines.
    pub most_k: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { reduce: true, drop_trivial: false, progressive: true, most_k: 6 }
    }
}

/// Conjuncts that are k-inductive, together with those found before.
#[derive(Clone, Debug)]
pub struct Found<C> {
    pub k: usize,
    pub conjuncts: Vec<C>,
    /// Trivial ones. The others may need them for their proof, but they say nothing that a step does not say.
    pub trivial: Vec<C>,
}

/// How it went.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    /// Questions that were asked in each phase.
    pub questions: [usize; 3],
    /// Classes and height of each family after the last round of phase 1.
    pub families: Vec<(usize, usize)>,
    /// Atoms after the last round of phase 1.
    pub conjectured: usize,
}

/// Who is told what was found, and says whether to go on.
pub type Tell<'a, I> = dyn FnMut(&I, Found<<I as Instances>::Conjunct>) -> bool + 'a;

/// States that follow a model and refute nothing that is open, one after the other, before the next question.
const IDLE: usize = 2;

/// States of one pass that are kept although they refute no conjunct that is open.
const KEPT: usize = 2000;

/// Looks for invariants and tells what it finds, the smallest k first.
pub fn discover<I: Instances>(
    reasoner: &mut dyn Refuter<I::Subject, I::Conjunct>,
    instances: &mut I,
    options: &Options,
    tell: &mut Tell<'_, I>,
) -> Result<Outcome, Stopped> {
    let conjectured = Conjectured(instances.families());
    let (outcome, known, said) = (Outcome::default(), FxHashSet::default(), FxHashMap::default());
    let mut search = Search { reasoner, instances, options: *options, conjectured, known, said, outcome };
    let seen = search.instances.simulate();
    search.conjectured.refine(&seen);
    match options.progressive {
        true => search.progressive(tell)?,
        false => search.at_once(tell)?,
    }
    Ok(search.outcome)
}

struct Search<'a, I: Instances> {
    reasoner: &'a mut dyn Refuter<I::Subject, I::Conjunct>,
    instances: &'a mut I,
    options: Options,
    conjectured: Conjectured,
    /// The conjuncts that were proved and learned.
    known: FxHashSet<I::Conjunct>,
    /// The conjuncts of the atoms met so far.
    said: FxHashMap<(usize, Atom), Vec<I::Conjunct>>,
    outcome: Outcome,
}

impl<I: Instances> Search<'_, I> {
    /// Figure 1: phase 1 until a round refines nothing, then the others once.
    fn at_once(&mut self, tell: &mut Tell<'_, I>) -> Result<(), Stopped> {
        let mut rounds = 0;
        while rounds < self.options.most_k && self.base(rounds)? {
            rounds += 1;
        }
        let (found, _) = self.step(rounds.max(1))?;
        tell(self.instances, found);
        Ok(())
    }

    /// For each k as much of phase 1 as k-induction needs, then the others. The largest k-inductive conjunction
    /// does not depend on how deep phase 1 went, if it went k states deep. Done when all is proved, or a larger k
    /// proves no more.
    fn progressive(&mut self, tell: &mut Tell<'_, I>) -> Result<(), Stopped> {
        for k in 1..=self.options.most_k {
            self.base(k - 1)?;
            let (found, all) = self.step(k)?;
            let nothing_new = k > 1 && found.conjuncts.is_empty();
            if !tell(self.instances, found) || all || nothing_new {
                break;
            }
        }
        Ok(())
    }

    /// A round of phase 1; whether it refined something.
    fn base(&mut self, steps: usize) -> Result<bool, Stopped> {
        let mut conjectured = self.conjectured.clone();
        // I(x₀) ∧ T^steps ∧ ¬C(x_steps)
        let refined = self.weaken(&mut conjectured, From::Init, steps, false, 0)?;
        self.conjectured = conjectured;
        self.outcome.families = self.conjectured.0.iter().map(Family::size).collect();
        self.outcome.conjectured = self.conjectured.atoms().len();
        Ok(refined)
    }

    /// Phases 2 and 3 for a k. What is new, and whether all that was conjectured is proved now.
    fn step(&mut self, k: usize) -> Result<(Found<I::Conjunct>, bool), Stopped> {
        let mut proved = self.conjectured.clone();
        // ⋀_{t<k} C(x_t) ∧ T^k ∧ ¬C(x_k)
        let refined = self.weaken(&mut proved, From::Anywhere, k, true, 1)?;
        if self.options.reduce {
            proved.reduce();
        }
        let mut atoms = proved.atoms();
        let trivial = match self.options.drop_trivial {
            true => {
                let trivial = self.trivial(&proved)?;
                atoms.extract_if(.., |(family, atom)| trivial.0[*family].implies(*atom)).collect()
            }
            false => Vec::new(),
        };
        let (conjuncts, trivial) = (self.conjuncts(&atoms), self.conjuncts(&trivial));
        for known in [&conjuncts, &trivial] {
            self.instances.lemmas(known).iter().for_each(|lemma| self.reasoner.learn(lemma));
            self.known.extend(known.iter().cloned());
        }
        Ok((Found { k, conjuncts, trivial }, !refined))
    }

    /// Phase 3: what of this follows from one step alone, and from what was found before.
    fn trivial(&mut self, proved: &Conjectured) -> Result<Conjectured, Stopped> {
        let mut trivial = proved.clone();
        // T ∧ ¬C(x₁)
        self.weaken(&mut trivial, From::Anywhere, 1, false, 2)?;
        Ok(trivial)
    }

    /// The conjuncts of the atoms that are not known, each once.
    fn conjuncts(&mut self, atoms: &[(usize, Atom)]) -> Vec<I::Conjunct> {
        self.open(atoms).0
    }

    /// The conjuncts of the atoms that are not known, each once, and for each the atom that it belongs to.
    fn open(&mut self, atoms: &[(usize, Atom)]) -> (Vec<I::Conjunct>, Vec<(usize, Atom)>) {
        let Search { instances, said, known, .. } = self;
        let (mut met, mut conjuncts, mut says) = (FxHashSet::default(), Vec::new(), Vec::new());
        for &(family, atom) in atoms {
            let own = said.entry((family, atom)).or_insert_with(|| instances.conjuncts(family, atom));
            for conjunct in own.iter().filter(|c| !known.contains(c)) {
                if met.insert(conjunct.clone()) {
                    conjuncts.push(conjunct.clone());
                    says.push((family, atom));
                }
            }
        }
        (conjuncts, says)
    }

    /// Asks until nothing is refuted; whether something was. A pass asks about all conjuncts, and then gives up at
    /// once what was refuted.
    fn weaken(
        &mut self,
        conjectured: &mut Conjectured,
        from: From,
        steps: usize,
        assumed: bool,
        phase: usize,
    ) -> Result<bool, Stopped> {
        let mut refined = false;
        loop {
            let (conjuncts, says) = self.open(&conjectured.atoms());
            if conjuncts.is_empty() {
                return Ok(refined);
            }
            let supposed = if assumed { &conjuncts[..] } else { &[] };
            let question = Conjecture { from, steps, supposed, conjuncts: &conjuncts };
            let mut refutations = Refutations { conjectured, says: &says, states: Vec::new() };
            let (instances, questions) = (&mut *self.instances, &mut self.outcome.questions[phase]);
            let answer = self.reasoner.refute(&question, &mut |path, open| {
                *questions += 1;
                refutations.judge(open, |look| instances.follow(from, path, look))
            })?;
            *questions += 1;
            let states = refutations.states;
            match answer {
                Answer::Holds => return Ok(refined),
                Answer::Fails => {
                    conjectured.refine(&states);
                    refined = true;
                }
            }
        }
    }
}

/// The states seen in one pass, which refute conjuncts.
struct Refutations<'a> {
    conjectured: &'a Conjectured,
    /// The atom of each conjunct that is asked about.
    says: &'a [(usize, Atom)],
    states: Vec<Vec<Values>>,
}

impl Refutations<'_> {
    /// Takes out what fails in the states that are shown; whether something does in the first of them.
    fn judge(
        &mut self,
        open: &mut Vec<usize>,
        show: impl FnOnce(&mut dyn FnMut(Vec<Values>) -> bool),
    ) -> bool {
        let (before, mut idle) = (open.len(), 0);
        show(&mut |values| {
            idle = if self.take_out(open, values) { 0 } else { idle + 1 };
            open.len() < before && idle < IDLE
        });
        open.len() < before
    }

    fn take_out(&mut self, open: &mut Vec<usize>, values: Vec<Values>) -> bool {
        let before = open.len();
        open.retain(|&place| {
            let (family, atom) = self.says[place];
            !self.conjectured.0[family].is_falsified(atom, &values[family])
        });
        let refutes = open.len() < before;
        // What refutes nothing that is open may still refute what takes the place of an atom that is not.
        if refutes || (self.states.len() < KEPT && self.conjectured.is_refuted(&values)) {
            self.states.push(values);
        }
        refutes
    }
}
