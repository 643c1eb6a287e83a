//! IC3 (Bradley, "SAT-based model checking without unrolling", VMCAI 2011), with the obligations and the lifting
//! of PDR (Eén, Mishchenko & Brayton, FMCAD 2011).
//!
//! Frames `F₀ = R, F₁, …, F_k` over-approximate the states reachable in at most i steps:
//!
//! * `F_i ⊆ F_{i+1}`, as sets of lemmas `clauses(F_{i+1}) ⊆ clauses(F_i)`;
//! * `F_i ∧ C ∧ T ⇒ F'_{i+1}`;
//! * `F_i ∧ C ⇒ P` for i < k, and for i = k once [`Run::strengthen`] is through.
//!
//! A state of `F_k` that violates P becomes an obligation: exclude it from `F_k`, by a clause that is inductive
//! relative to `F_{k-1}`. Where there is none, its predecessor in `F_{k-1}` becomes an obligation one level below.
//! An obligation that meets the resets is a counterexample. When a level's own lemmas all hold one level up,
//! `F_i = F_{i+1}` is an inductive invariant.
//!
//! A cube here is a set of states to exclude; the lemma is its negation. Bad states and predecessors are lifted
//! (see `buttress_query::Levels`), so every state of an obligation's cube leads to the violation with the inputs
//! that the obligation remembers. That is why meeting the resets anywhere is a counterexample, and why the trace
//! is just the chain of inputs.
//!
//! Not here: resets that read inputs (the trace fixes the inputs of the first step, lifting does not know of
//! resets); such systems are left to the other engines.

mod frames;
mod generalize;
mod obligations;
mod propagate;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use std::time::{Duration, Instant};

use buttress_query::{Answer, FOREVER, Lifting, Preimages, Relative, Step};
use buttress_solve::Stopped;
use buttress_system::{Lemma, Lit, PropertyId, Rng, Trace, Verdict};

use crate::inductive::{each, proof, trace};
use crate::{Cursor, Episode, FreshLevels, Job, News, Progress, incomplete};
use frames::{Excluded, Frames};
use obligations::{Obligation, Obligations};

/// How a cube is made larger before it is excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generalize {
    /// Drop literals one by one.
    Drop,
    /// Also exclude up to `max` counterexamples to generalisation a literal, recursing `depth` deep
    /// (Hassan, Bradley & Somenzi, "Better generalization in IC3", FMCAD 2013).
    Ctg { depth: u32, max: u32 },
    /// Drop at first; counterexamples too from the second try of an obligation on (after Su, Yang, Ci, Bu & Huang,
    /// "Dynamic generalization in IC3"). On 23 hard files, 20 CPU s each and one run on a busy machine, this
    /// solved 21 and counterexamples always (depth 1, 3 a literal) 19. The threshold is from an earlier such
    /// comparison. Such differences are close to noise.
    Dynamic,
}

impl fmt::Display for Generalize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generalize::Drop => f.write_str("drop"),
            Generalize::Ctg { depth, max } => write!(f, "ctg:{depth}:{max}"),
            Generalize::Dynamic => f.write_str("dynamic"),
        }
    }
}

impl FromStr for Generalize {
    type Err = String;

    fn from_str(text: &str) -> Result<Generalize, String> {
        let number = |part: &str| part.parse().map_err(|_| format!("'{part}' is not a number"));
        match text.split(':').collect::<Vec<_>>()[..] {
            ["drop"] => Ok(Generalize::Drop),
            ["dynamic"] => Ok(Generalize::Dynamic),
            ["ctg", depth, max] => Ok(Generalize::Ctg { depth: number(depth)?, max: number(max)? }),
            _ => Err("expected drop, dynamic or ctg:DEPTH:MAX".to_string()),
        }
    }
}

/// How hard one generalisation tries: counterexamples to exclude a literal, and how deep that recurses.
#[derive(Clone, Copy)]
struct Effort {
    depth: u32,
    max: u32,
}

/// The options of a run of IC3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ic3 {
    pub generalize: Generalize,
    /// The form of predecessors, on words.
    pub preimages: Preimages,
    /// Whether latches are bits of words, the significant ones last: see [`Run::rather_kept`].
    pub of_words: bool,
}

impl Default for Ic3 {
    fn default() -> Ic3 {
        Ic3 { generalize: Generalize::Dynamic, preimages: Preimages::default(), of_words: false }
    }
}

/// Decides the properties in turn, each with frames of its own.
pub(crate) fn ic3(fresh: &mut FreshLevels<'_>, job: &Job<'_>) -> Result<(), Stopped> {
    each(fresh, job, |relative, job, property| {
        let mut run = Run::new(relative, job, property);
        let outcome = run.decide();
        if !matches!(outcome, Ok(Some(Verdict::Safe(_) | Verdict::Unsafe(_)))) {
            job.desk.leave(property, &mut run.frames.all(0));
        }
        outcome
    })
}

/// A search that came to its end.
pub(crate) struct Searched {
    /// `None` where somebody else decided the property.
    pub verdict: Option<Verdict>,
    /// The cubes of all lemmas, of whatever level.
    pub excluded: Vec<Vec<Lit>>,
}

/// Searches with these levels and tells nobody the verdict.
pub(crate) fn search(
    relative: &mut dyn Relative,
    job: &Job<'_>,
    property: PropertyId,
) -> Result<Searched, Stopped> {
    let mut run = Run::new(relative, job, property);
    let verdict = run.decide()?;
    Ok(Searched { verdict, excluded: run.frames.all(0).map(<[Lit]>::to_vec).collect() })
}

/// `F_level = F_{level+1}`: an inductive invariant.
#[derive(Clone, Copy, Debug)]
struct Converged {
    level: usize,
}

/// The outcome of discharging the obligations.
enum Blocked {
    All,
    /// A frame turned out to be inductive on the way.
    Converged(Converged),
    /// This obligation meets the resets: a violation.
    Not(usize),
}

struct Run<'a> {
    relative: &'a mut dyn Relative,
    job: &'a Job<'a>,
    property: PropertyId,
    frames: Frames,
    obligations: Obligations,
    /// How often a latch stands in recent lemmas: such literals are kept, others dropped first.
    activity: Vec<f64>,
    increment: f64,
    cursor: Cursor,
    /// So many of the lemmas that hold forever were told to others.
    shared: usize,
    begun: Instant,
    /// How long telling them took.
    sharing: Duration,
}

impl<'a> Run<'a> {
    fn new(relative: &'a mut dyn Relative, job: &'a Job<'a>, property: PropertyId) -> Run<'a> {
        let mut rng = Rng::new(job.seed);
        // Another seed begins with another order, which lemmas soon outweigh.
        let any = |_| if job.seed == 0 { 0.0 } else { rng.below(1 << 20) as f64 / (1 << 21) as f64 };
        let activity = job.system.latches().map(any).collect();
        Run {
            relative,
            job,
            property,
            frames: Frames::default(),
            obligations: Obligations::default(),
            activity,
            increment: 1.0,
            cursor: Cursor::default(),
            shared: 0,
            begun: Instant::now(),
            sharing: Duration::ZERO,
        }
    }

    /// `None` where somebody else decided the property.
    fn decide(&mut self) -> Result<Option<Verdict>, Stopped> {
        if let Some(trace) = self.violation_at_once()? {
            return Ok(Some(Verdict::Unsafe(trace)));
        }
        while self.frames.top() < self.job.settings.bound {
            self.extend();
            if let Some(converged) = self.propagate()? {
                return Ok(Some(self.safe(converged)));
            }
            self.settle()?;
            self.job.desk.leave(self.property, &mut self.frames.all(0));
            if self.job.desk.is_decided(self.property) {
                return Ok(None);
            }
            self.absorb();
            match self.strengthen()? {
                Blocked::All => {}
                Blocked::Converged(converged) => return Ok(Some(self.safe(converged))),
                Blocked::Not(first) => return Ok(Some(Verdict::Unsafe(self.trace(first)?))),
            }
        }
        Ok(Some(incomplete(&self.job.beyond_bound())))
    }

    fn safe(&self, converged: Converged) -> Verdict {
        let invariant = self.invariant(converged);
        let (level, lemmas) = (converged.level + 1, invariant.len());
        self.job.explain(self.property, || Episode::Converged { level, lemmas });
        Verdict::Safe(proof(self.property, invariant.iter().map(Vec::as_slice)))
    }

    /// F₀ ∧ C ∧ bad
    fn violation_at_once(&mut self) -> Result<Option<Trace>, Stopped> {
        let start = Step::Bad { level: 0, property: self.property };
        match self.relative.check(&start)? {
            Answer::Holds => Ok(None),
            Answer::Fails => {
                let last = self.relative.predecessor(&self.activity, Lifting::Quick)?;
                let index = self.obligations.create(Obligation::last(last));
                self.trace(index).map(Some)
            }
        }
    }

    fn extend(&mut self) {
        self.frames.push();
        self.relative.push_level();
        self.obligations.collect();
        self.job.explain(self.property, || Episode::Level(self.frames.top()));
        self.progress();
    }

    /// Invariants that were discovered and checked meanwhile hold at every level but the first, which is the
    /// start. Those about gates are left to others: most gates are not in the solvers.
    fn absorb(&mut self) {
        let is_latch = |l: &Lit| self.job.system.as_latch(l.var()).is_some();
        for news in self.job.desk.read(&mut self.cursor) {
            if let News::Lemma(Lemma::Clause(clause)) = news
                && clause.0.iter().all(is_latch)
            {
                let cube = (!&clause).0;
                (1..=self.frames.top()).chain([FOREVER]).for_each(|level| self.relative.learn(level, &cube));
            }
        }
    }

    fn progress(&self) {
        let (depth, size) = (self.frames.top(), self.frames.len() as u64);
        self.job.desk.progress(Progress { depth, size, open: 1, queries: self.relative.queries() });
    }

    /// Excludes every bad state from the top frame, or finds a way from the resets to one.
    fn strengthen(&mut self) -> Result<Blocked, Stopped> {
        let top = self.frames.top();
        loop {
            match self.discharge()? {
                Blocked::All => {}
                Blocked::Not(first) if !self.is_path(first)? => {
                    self.obligations = Obligations::default();
                    continue;
                }
                end => return Ok(end),
            }
            // F_k ∧ C ∧ bad
            if self.relative.check(&Step::Bad { level: top, property: self.property })? == Answer::Holds {
                break;
            }
            let last = self.relative.predecessor(&self.activity, Lifting::Thorough)?;
            let index = self.obligations.create(Obligation::last(last));
            self.obligations.push(top, index);
        }
        self.job.desk.holds_up_to(self.property, top);
        Ok(Blocked::All)
    }

    /// Whether the way from here to the violation can be gone. Predecessors may be abstract; then they are closer
    /// from now on, and all that were found before are forgotten.
    fn is_path(&mut self, first: usize) -> Result<bool, Stopped> {
        let chain: Vec<&[Lit]> = self.obligations.chain(first).map(|o| o.cube.as_slice()).collect();
        self.relative.is_path(self.property, &chain)
    }

    /// Works off the obligations, lowest level first.
    fn discharge(&mut self) -> Result<Blocked, Stopped> {
        while let Some((level, index)) = self.obligations.pop(self.frames.top()) {
            let cube = self.obligations[index].cube.clone();
            if level == 0 || self.relative.meets_init(&cube)? {
                return Ok(Blocked::Not(index));
            }
            match self.frames.excludes(level, &cube) {
                Some(Excluded::Forever) => continue,
                Some(Excluded::UpTo(excluded)) => {
                    self.obligations.raise(level, excluded, index);
                    continue;
                }
                None => {}
            }
            if self.obligations.try_again(index) {
                self.block(level, index, &cube)?;
                if let Some(level) = self.frames.converged() {
                    return Ok(Blocked::Converged(Converged { level }));
                }
            }
        }
        Ok(Blocked::All)
    }

    /// Excludes the cube at this level, or finds a predecessor to exclude first.
    fn block(&mut self, level: usize, index: usize, cube: &[Lit]) -> Result<(), Stopped> {
        self.job.explain(self.property, || self.obligations.told(level, index));
        // F_{i-1} ∧ ¬c ∧ C ∧ T ∧ c'
        match self.relative.check(&Step::Relative { level: level - 1, cube: &self.by_activity(cube) })? {
            Answer::Holds => {
                let core = self.relative.core();
                let core = self.with_initiation(core, cube)?;
                let effort = self.effort(index);
                let cube = self.generalize(level, core, effort)?;
                let excluded = self.learn_highest(level, cube, Some(index))?;
                self.obligations.raise(level, excluded, index);
            }
            Answer::Fails => {
                let before = self.relative.predecessor(&self.activity, Lifting::Thorough)?;
                let predecessor = self.obligations.before(before, index);
                self.obligations.push(level, index);
                self.obligations.push(level - 1, predecessor);
            }
        }
        Ok(())
    }

    /// The core, with a literal of the cube that keeps it away from the resets where the core does not.
    fn with_initiation(&mut self, mut core: Vec<Lit>, cube: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        if !self.relative.meets_init(&core)? {
            return Ok(core);
        }
        for &lit in cube {
            if !core.contains(&lit) && !self.relative.meets_init(&[lit])? {
                core.push(lit);
                core.sort_unstable();
                return Ok(core);
            }
        }
        Ok(cube.to_vec())
    }

    /// The effort of generalisation that this obligation is worth.
    fn effort(&self, index: usize) -> Effort {
        match self.job.settings.ic3.generalize {
            Generalize::Drop => Effort { depth: 0, max: 0 },
            Generalize::Ctg { depth, max } => Effort { depth, max },
            Generalize::Dynamic => match self.obligations.stubbornness(index) {
                0..2 => Effort { depth: 0, max: 0 },
                _ => Effort { depth: 1, max: 3 },
            },
        }
    }

    /// Pushes as far up as the lemma holds, and learns it; returns the level. It excludes this obligation, or a
    /// counterexample to generalisation.
    fn learn_highest(
        &mut self,
        mut level: usize,
        mut cube: Vec<Lit>,
        obligation: Option<usize>,
    ) -> Result<usize, Stopped> {
        self.bump(&cube);
        while level < self.frames.top() {
            // F_j ∧ ¬c ∧ C ∧ T ∧ c'
            let step = Step::Relative { level, cube: &self.by_activity(&cube) };
            if self.relative.check(&step)? == Answer::Fails {
                break;
            }
            let core = self.relative.core();
            cube = self.with_initiation(core, &cube)?;
            level += 1;
        }
        self.job.explain(self.property, || match obligation {
            Some(index) => Episode::Lemma { depth: self.obligations[index].depth, level, cube: cube.clone() },
            None => Episode::Aside { level, cube: cube.clone() },
        });
        self.learn(level, cube);
        Ok(level)
    }

    /// Adds a lemma to the frames up to this one that do not have it yet.
    fn learn(&mut self, to: usize, mut cube: Vec<Lit>) {
        cube.sort_unstable();
        let from = self.frames.add(to, cube.clone());
        (from..=to).for_each(|level| self.relative.learn(level, &cube));
    }

    /// The heaviest first: a core rather keeps what is assumed early.
    fn by_activity(&self, cube: &[Lit]) -> Vec<Lit> {
        let mut sorted = cube.to_vec();
        sorted.sort_by(|a, b| {
            self.weight(*b).total_cmp(&self.weight(*a)).then_with(|| self.rather_kept(*a, *b))
        });
        sorted
    }

    /// Of latches of one weight, those first that are assumed first and dropped last. Where they are bits of words
    /// these are the significant ones: a comparison with a bound needs those. That takes two files of HWMCC 2020
    /// (zipcpu-busdelay) from 4 and 9 s to less than one; among 19 near a limit of 20 CPU s it decides three more,
    /// and two fewer. Changing the order from level to level is worse than either. Latches of AIGER have no such
    /// order.
    fn rather_kept(&self, a: Lit, b: Lit) -> Ordering {
        if self.job.settings.ic3.of_words { b.var().cmp(&a.var()) } else { Ordering::Equal }
    }

    fn bump(&mut self, cube: &[Lit]) {
        for lit in cube {
            let latch = self.job.system.as_latch(lit.var()).expect("cubes are over latches");
            self.activity[latch.index()] += self.increment;
        }
        self.increment /= 0.9;
        if self.increment > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.increment *= 1e-100;
        }
    }

    fn weight(&self, lit: Lit) -> f64 {
        let latch = self.job.system.as_latch(lit.var()).expect("cubes are over latches");
        self.activity[latch.index()]
    }

    /// From a reset state in the obligation's cube, along the inputs that its chain remembers.
    fn trace(&mut self, first: usize) -> Result<Trace, Stopped> {
        let Obligation { cube, depth, .. } = &self.obligations[first];
        self.job.explain(self.property, || self.obligations.told(0, first));
        self.job.explain(self.property, || Episode::Reached { depth: *depth });
        let inputs = self.obligations.chain(first).map(|o| o.inputs.as_slice());
        trace(self.relative, self.job, self.property, cube, inputs)
    }
}
