//! Deciding a system and its reductions, by the same driver as everything else. Every answer was checked on the
//! very system that was asked about.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Refusal, certify_word_trace};
use buttress_cores::{
    Argument, Core, Decision, Effort, Elements, Prover, Refutation, Unsat, from_lemmas, ivc_uc, reduced,
    vacuous as vacuous_core,
};
use buttress_engine::Engine;
use buttress_solve::smt::{Session, Theory};
use buttress_solve::{Cadical, Stop, Stopped};
use buttress_system::words::{System, WordProof, code};
use buttress_system::{ElementSet, PropertyId};
use buttress_term::Sort;
use buttress_transform::blast::{Bitwise, Limits};

use crate::judge::{Accepted, Judge, Judged, is_finite};
use crate::plan::Choice;
use crate::problem::Problem;
use crate::supervise::{Spent, within};
use crate::{Refused, check};

/// For the check of a core when the time is over.
const LAST_CHECK: Duration = Duration::from_secs(5);

/// How to decide, and for how long.
#[derive(Clone)]
pub struct Means {
    pub choice: Choice,
    /// Of one question; of the first, whether the property holds at all, there is none.
    pub patience: Option<Duration>,
}

/// An answer about one property, with how it came about.
pub struct Answered {
    pub accepted: Accepted,
    pub engine: &'static Engine,
}

impl Answered {
    /// Where it rests on there being no execution of so many states.
    pub fn vacuous(&self) -> Option<usize> {
        self.accepted.vacuous().map(|vacuous| vacuous.states)
    }
}

/// The answer to a question, or none if the prover was stopped or gave up; and faults of our own.
pub struct Asked {
    pub answer: Option<Answered>,
    pub faults: Vec<String>,
}

/// Decides one property of a system by itself.
pub fn decide(
    system: Arc<System>,
    property: PropertyId,
    means: &Means,
    limit: Option<Duration>,
    stop: &Stop,
) -> Result<Asked, Refused> {
    let problem = Arc::new(Problem::of_shared_words(system));
    let claim = problem.claim_of(property).expect("a property of the system");
    let plan = means.choice.plan(&problem, &[claim])?;
    let answers = within(stop, limit, |own| check(&problem, &[claim], &plan, own));
    let engine = answers.found_by(claim);
    let answer = answers.accepted().next().zip(engine);
    let answer = answer.map(|((_, accepted), engine)| Answered { accepted: accepted.clone(), engine });
    Ok(Asked { answer, faults: answers.faults() })
}

/// Checks a proof afresh, on this system.
pub fn certify(system: &System, proof: WordProof, means: &Means, stop: &Stop) -> Result<Accepted, Refusal> {
    let judge = Judge {
        system: Arc::new(system.clone()),
        replay: None,
        in_bits: is_finite(&system.terms) && fits_bits(system),
        smt: means.choice.smt.clone(),
    };
    System::certify_proof(&judge, proof, stop)
}

/// A solver with unsatisfiable cores for this system.
pub fn unsat(system: &System, means: &Means, stop: &Stop) -> Box<dyn Unsat> {
    match is_finite(&system.terms) && fits_bits(system) {
        true => Box::new(Bitwise::new(Cadical::new(stop, means.choice.seed))),
        false => {
            let mut session = Session::new(&means.choice.smt, Theory::of(&system.terms), stop);
            session.take_over();
            session.hand_on();
            Box::new(session)
        }
    }
}

/// Arrays are bits up to a limit.
fn fits_bits(system: &System) -> bool {
    let most = Limits::default().array_bits;
    let fits = |sort: &Sort| sort.as_array().is_none() || code::width(sort).is_some_and(|w| w <= most);
    system.terms.ids().all(|t| fits(system.terms.sort(t)))
}

/// To make a core smaller, after so much work on the proof. Under a second nobody waits for it.
pub fn worth(proof: Spent) -> Duration {
    Duration::from_secs_f64(proof.cpu / 4.0).max(Duration::from_secs(1))
}

/// More conjuncts of earlier proofs than this are not tried: each is a query or more.
const MOST_LEMMAS: usize = 60;

/// Answers for one property about any set of elements.
pub struct Trials<'a> {
    pub system: &'a System,
    pub elements: &'a Elements,
    pub property: PropertyId,
    pub means: &'a Means,
    pub stop: &'a Stop,
    /// For each core of a proof.
    pub effort: Effort,
    /// Evidence that was rejected: a fault of our own.
    pub faults: Vec<String>,
    /// All that was proved so far, as one: questions about other elements begin with its conjuncts.
    lemmas: Option<WordProof>,
}

impl<'a> Trials<'a> {
    pub fn new(
        system: &'a System,
        elements: &'a Elements,
        property: PropertyId,
        means: &'a Means,
        stop: &'a Stop,
    ) -> Trials<'a> {
        let (effort, faults, lemmas) = (Effort::default(), Vec::new(), None);
        Trials { system, elements, property, means, stop, effort, faults, lemmas }
    }

    /// A proof from what was proved before, checked.
    fn proved_by_lemmas(&mut self, kept: &ElementSet) -> Result<Option<WordProof>, Stopped> {
        let known = self.lemmas.as_ref().and_then(|known| Argument::of(self.system, self.property, known));
        let Some(claim) = known else { return Ok(None) };
        let mut fresh = || unsat(self.system, self.means, self.stop);
        let found = from_lemmas(self.system, self.elements, kept, &claim, &mut fresh)?;
        let Some(proof) = found else { return Ok(None) };
        match certify(&reduced(self.system, self.elements, kept), proof.clone(), self.means, self.stop) {
            Ok(_) => Ok(Some(proof)),
            Err(Refusal::Stopped(why)) => Err(why),
            Err(Refusal::Rejected(why)) => {
                self.faults.push(why);
                Ok(None)
            }
        }
    }

    fn learn(&mut self, proof: &WordProof) {
        if proof.claim.distinct.is_none() {
            let known = self.lemmas.take();
            let all = known.map_or_else(|| proof.clone(), |known| known.and(self.system, proof));
            self.lemmas = Some(all).filter(|all| all.claim.invariant.len() <= MOST_LEMMAS);
        }
    }

    /// A core of a checked proof, within these elements; of one that rests on there being no execution of so many
    /// states, what leaves none and keeps the property in shorter ones.
    pub fn core(
        &mut self,
        kept: &ElementSet,
        proof: &WordProof,
        vacuous: Option<usize>,
    ) -> Result<Option<Core>, Stopped> {
        let Some(states) = vacuous else { return self.core_of_proof(kept, proof) };
        let mut fresh = || unsat(self.system, self.means, self.stop);
        let found = vacuous_core(self.system, self.elements, kept, (self.property, states), &mut fresh)?;
        let proof = || WordProof::of_properties(self.system, vec![self.property], states as u32);
        Ok(found.map(|elements| Core::new(elements, proof())))
    }

    fn core_of_proof(&mut self, kept: &ElementSet, proof: &WordProof) -> Result<Option<Core>, Stopped> {
        let Some(claim) = Argument::of(self.system, self.property, proof) else { return Ok(None) };
        let mut fresh = || unsat(self.system, self.means, self.stop);
        ivc_uc(self.system, self.elements, kept, &claim, self.effort, &mut fresh)
    }

    /// Decides the property with these elements only.
    pub fn ask(&mut self, kept: &ElementSet) -> Result<Option<Answered>, Stopped> {
        let system = Arc::new(reduced(self.system, self.elements, kept));
        let asked = decide(system, self.property, self.means, self.means.patience, self.stop);
        self.stop.check()?;
        let Asked { answer, faults } = asked.map_err(|refused| Stopped::Solver(refused.message))?;
        self.faults.extend(faults);
        Ok(answer)
    }

    /// Proves the reduced system again: who gets a core has it checked so.
    /// A stop that ended the search does not end the check of what was found; that has a time of its own.
    pub fn certify(&self, core: &Core) -> Result<Accepted, Refusal> {
        let system = reduced(self.system, self.elements, &core.elements);
        match self.stop.requested() {
            false => certify(&system, core.proof.clone(), self.means, self.stop),
            true => within(&Stop::new(), Some(LAST_CHECK), |stop| {
                certify(&system, core.proof.clone(), self.means, stop)
            }),
        }
    }
}

impl Prover for Trials<'_> {
    fn decide(&mut self, kept: &ElementSet) -> Result<Decision, Stopped> {
        if let Some(proof) = self.proved_by_lemmas(kept)? {
            return Ok(Decision::Proved(proof));
        }
        let Some(answered) = self.ask(kept)? else { return Ok(Decision::Unknown) };
        Ok(match (answered.accepted.word_proof(), answered.vacuous()) {
            (None, _) => Decision::Refuted,
            (Some(proof), None) => {
                self.learn(proof);
                Decision::Proved(proof.clone())
            }
            // It rests on there being no executions, which its own step need not show.
            (Some(_), Some(states)) => {
                Decision::Proved(WordProof::of_properties(self.system, vec![self.property], states as u32))
            }
        })
    }

    fn extract(&mut self, kept: &ElementSet, proof: &WordProof) -> Result<Option<Core>, Stopped> {
        self.core_of_proof(kept, proof)
    }

    fn confirm(&mut self, refutation: &Refutation) -> bool {
        let system = reduced(self.system, self.elements, &refutation.kept);
        certify_word_trace(&system, refutation.trace.clone()).is_ok()
    }
}
