//! Seeded faults: engines that work on a wrong system, ask a reasoner that lies, or hand in evidence that was
//! tampered with. What they then claim goes to the check, which only knows the original system.
//!
//! The reference tells which claims are wrong: a trace that is no violation, a strengthening that is not
//! inductive, a proof of what is false. A fault that never leads to a wrong claim tests nothing, so faults are
//! counted.

use std::sync::{Arc, Mutex};

use crate::fuzz::resets_read_inputs;
use buttress_check::{certify_proof, certify_trace};
use buttress_engine::{Cursor, Desk, Engine, Episode, Job, News, Progress, Run, Settings, Told};
use buttress_query::{Answer, Bits, From, Goal, Levels, Path, Query, QueryCore, Reasoner};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::{BitSystem, Lemma, Lit, Proof, PropertyId, Verdict};

use crate::reference::Explicit;

/// States of the longest path: without a base case, k-induction would look for paths that visit all states.
const BOUND: usize = 10;

/// How a reasoner lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lie {
    None,
    /// Nothing is ever reached from the start.
    NoBaseCase,
    /// Steps from anywhere are answered for one state more than asked.
    OneStepTooMany,
    /// Steps from anywhere always hold.
    NoStepCase,
    /// Distinctness is used, but not mentioned.
    DistinctnessConcealed,
    /// The inputs of a path come a step late.
    PathShifted,
    /// This many lemmas that nobody proved are learned before the first query.
    FalseLemmas(usize),
    /// The first property takes so many conflicts.
    FirstIsHard(u64),
}

/// How often a reasoner says that a property is too hard before it is being asked in vain.
const PATIENCE: usize = 1_000;

/// A reasoner that lies.
struct Liar<R> {
    honest: R,
    lie: Lie,
    /// How often a property was too hard.
    refused: usize,
}

impl<R: Reasoner> Reasoner for Liar<R> {
    fn learn(&mut self, lemma: &Lemma) {
        self.honest.learn(lemma);
    }

    fn check(&mut self, query: &Query<'_>) -> Result<Answer, Stopped> {
        if let (Lie::FirstIsHard(conflicts), Goal::Bad(properties)) = (self.lie, &query.goal)
            && properties.contains(&PropertyId::new(0))
            && query.conflicts < conflicts
        {
            self.refused += 1;
            assert!(self.refused < PATIENCE, "what is too hard is asked again and again");
            return Err(Stopped::Budget);
        }
        let asked = match (self.lie, query.from) {
            (Lie::OneStepTooMany, From::Anywhere) => Query { steps: query.steps + 1, ..*query },
            _ => *query,
        };
        let answer = self.honest.check(&asked)?;
        Ok(match (self.lie, query.from) {
            (Lie::NoBaseCase, From::Init) | (Lie::NoStepCase, From::Anywhere) => Answer::Holds,
            _ => answer,
        })
    }

    fn path(&mut self) -> Path {
        let mut path = self.honest.path();
        if self.lie == Lie::PathShifted {
            path.inputs.rotate_right(1);
        }
        path
    }

    fn core(&mut self) -> QueryCore {
        match self.lie {
            Lie::NoStepCase => QueryCore { goal: Vec::new(), safe_before_last: true, distinct: false },
            Lie::DistinctnessConcealed => QueryCore { distinct: false, ..self.honest.core() },
            _ => self.honest.core(),
        }
    }

    fn clauses(&self) -> u64 {
        self.honest.clauses()
    }
}

/// A desk that writes everything down and believes it.
#[derive(Default)]
struct Notebook(Mutex<Vec<(PropertyId, Verdict)>>);

impl Desk for Notebook {
    fn decide(&self, property: PropertyId, verdict: Verdict) {
        self.0.lock().expect("no writer panics").push((property, verdict));
    }

    fn strengthen(&self, _: Proof) -> bool {
        false
    }

    fn suggest(&self, _: Proof) {}

    fn holds_up_to(&self, _: PropertyId, _: usize) {}

    fn is_decided(&self, _: PropertyId) -> bool {
        false
    }

    fn read(&self, _: &mut Cursor) -> Vec<News> {
        Vec::new()
    }

    fn exchange(&self, _: PropertyId, _: Vec<Told>, _: &mut Cursor) -> Vec<Told> {
        Vec::new()
    }

    fn progress(&self, _: Progress) {}

    fn explaining(&self) -> bool {
        false
    }

    fn tell(&self, _: PropertyId, _: Episode) {}

    fn leave(&self, _: PropertyId, _: &mut dyn Iterator<Item = &[Lit]>) {}
}

/// The claims of an engine about `given`, with a reasoner that lies. (Nobody lies to IC3, but its system may be
/// wrong.)
pub fn claims(engine: &Engine, given: &Arc<BitSystem>, lie: Lie) -> Vec<(PropertyId, Verdict)> {
    let (stop, desk) = (Stop::new(), Notebook::default());
    let job = Job {
        system: given.as_ref(),
        properties: given.property_ids().collect(),
        settings: Settings { bound: BOUND, ..Settings::default() },
        distinct: !resets_read_inputs(given),
        seed: 0,
        shares: false,
        desk: &desk,
        stop: &stop,
    };
    let ended = match engine.bits.expect("an engine on bits") {
        Run::Paths(run) => {
            let honest = Bits::new(given.clone(), || Cadical::new(&stop, 0), &stop);
            let mut liar = Liar { honest, lie, refused: 0 };
            if let Lie::FalseLemmas(count) = lie {
                given.property_ids().take(count).for_each(|p| liar.learn(&Lemma::Property(p)));
            }
            run(&mut liar, &job)
        }
        Run::Inductive(run) => {
            let make = || Cdcl::new(&stop);
            run(&mut || Box::new(Levels::new(given.clone(), make)), &job)
        }
        Run::Inverse(run) => run(&mut |own| Box::new(Levels::new(own, || Cdcl::new(&stop))), &job),
        Run::Conjectures(run) => run(&mut Bits::new(given.clone(), || Cadical::new(&stop, 0), &stop), &job),
        Run::Alone(run) => run(&job),
    };
    ended.expect("nobody asked for a stop");
    desk.0.into_inner().expect("no writer panics")
}

/// The counts of a fault's claims.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Claims that were wrong, and rejected.
    pub caught: usize,
    /// Claims that were right all the same, and accepted.
    pub right: usize,
}

impl Tally {
    /// Judges a claim about the original system. `Err` where the check accepts what is wrong, or rejects what is
    /// right.
    pub fn judge(&mut self, system: &BitSystem, explicit: &Explicit, claim: &Verdict) -> Result<(), String> {
        let (right, accepted) = match claim {
            Verdict::Unknown(_) => return Ok(()),
            Verdict::Unsafe(trace) | Verdict::Perhaps(trace) => {
                (Some(explicit.is_violation(trace)), certify_trace(system, trace.clone()).map(drop))
            }
            Verdict::Safe(proof) => {
                // With distinct states a right claim may lack a proof.
                let right = match proof.distinct {
                    None => Some(explicit.is_inductive(proof)),
                    Some(_) => (!explicit.claims_hold(proof)).then_some(false),
                };
                (right, certify_proof(system, proof.clone(), &Stop::new()).map(drop))
            }
        };
        match (right, accepted) {
            (Some(false), Ok(())) => Err(format!("accepted, but wrong: {claim:?}")),
            (Some(true), Err(why)) => Err(format!("right, but {why}: {claim:?}")),
            (Some(false), Err(_)) => {
                self.caught += 1;
                Ok(())
            }
            (Some(true) | None, _) => {
                self.right += 1;
                Ok(())
            }
        }
    }
}
