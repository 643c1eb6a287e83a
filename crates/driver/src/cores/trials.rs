//! Deciding a system and its reductions, by the same driver as everything else. Every answer was checked on the
//! very system that was asked about.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Refusal, certify_word_trace};
use buttress_cores::{
    Argument, Core, Decision, Effort, Elements, Prover, Refutation, Unsat, from_lemmas, ivc_uc,
};
use buttress_engine::Engine;
use buttress_solve::smt::{Session, Theory};
use buttress_solve::{Cadical, Stop, Stopped};
use buttress_system::words::{System, code};
use buttress_system::{ElementSet, PropertyId};
use buttress_term::Sort;
use buttress_transform::blast::{Bitwise, Limits};

use super::reducible::Reducible;
use crate::judge::{Accepted, Judge, is_finite};
use crate::plan::Choice;
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
pub fn decide<S: Reducible>(
    system: Arc<S>,
    property: PropertyId,
    means: &Means,
    limit: Option<Duration>,
    stop: &Stop,
) -> Result<Asked, Refused> {
    let problem = Arc::new(S::problem(&system));
    let claim = S::claim(&problem, property).expect("a property of the system");
    let plan = means.choice.plan(&problem, &[claim])?;
    let answers = within(stop, limit, |own| check(&problem, &[claim], &plan, own));
    let engine = answers.found_by(claim);
    let answer = answers.accepted().next().zip(engine);
    let answer = answer.map(|((_, accepted), engine)| Answered { accepted: accepted.clone(), engine });
    Ok(Asked { answer, faults: answers.faults() })
}

/// Checks a proof afresh, on this system.
pub fn certify<S: Reducible>(
    system: Arc<S>,
    proof: S::Proof,
    means: &Means,
    stop: &Stop,
) -> Result<Accepted, Refusal> {
    let in_bits = is_finite(&system.words().terms) && fits_bits(system.words());
    S::certify_proof(&Judge { system, replay: None, in_bits, smt: means.choice.smt.clone() }, proof, stop)
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
pub struct Trials<'a, S: Reducible> {
    pub system: &'a Arc<S>,
    pub elements: &'a Elements,
    pub property: PropertyId,
    pub means: &'a Means,
    pub stop: &'a Stop,
    /// For each core of a proof.
    effort: Effort,
    /// Evidence that was rejected: a fault of our own.
    pub faults: Vec<String>,
    /// All that was proved so far, as one: questions about other elements begin with its conjuncts.
    lemmas: Option<S::Proof>,
}

impl<'a, S: Reducible> Trials<'a, S> {
    pub fn new(
        system: &'a Arc<S>,
        elements: &'a Elements,
        property: PropertyId,
        means: &'a Means,
        stop: &'a Stop,
    ) -> Trials<'a, S> {
        let (effort, faults, lemmas) = (Effort::default(), Vec::new(), None);
        Trials { system, elements, property, means, stop, effort, faults, lemmas }
    }

    /// How much a core of a proof is worth, and whether executions that say which elements every core has are.
    pub fn spend(&mut self, time: Duration, executions: bool) {
        self.effort = Effort { time: Some(time), executions: executions && S::REFUTES };
    }

    fn as_safety(&self, kept: &ElementSet, proof: &S::Proof) -> Option<(Arc<System>, Argument)> {
        S::as_safety(self.system, (self.elements, kept), self.property, proof)
    }

    /// A proof from what was proved before, checked.
    fn proved_by_lemmas(&mut self, kept: &ElementSet) -> Result<Option<S::Proof>, Stopped> {
        let Some(known) = &self.lemmas else { return Ok(None) };
        let Some((system, claim)) = self.as_safety(kept, known) else { return Ok(None) };
        let mut fresh = || unsat(&system, self.means, self.stop);
        let found = from_lemmas(&system, self.elements, kept, &claim, &mut fresh)?;
        let Some(proof) = found else { return Ok(None) };
        let proof = self.system.with_conjuncts(self.property, known, proof);
        let reduced = self.system.reduced(self.elements, kept);
        match certify(reduced, proof.clone(), self.means, self.stop) {
            Ok(_) => Ok(Some(proof)),
            Err(Refusal::Stopped(why)) => Err(why),
            Err(Refusal::Rejected(why)) => {
                self.faults.push(why);
                Ok(None)
            }
        }
    }

    fn learn(&mut self, proof: &S::Proof) {
        if S::invariant(proof).claim.distinct.is_none() && S::is_monotone(proof) {
            let known = self.lemmas.take();
            let all = known.map_or_else(|| proof.clone(), |known| self.system.and(known, proof));
            self.lemmas = Some(all).filter(|all| S::invariant(all).claim.invariant.len() <= MOST_LEMMAS);
        }
    }

    /// A core of a checked proof, within these elements; of one that rests on there being no execution of so many
    /// states, what leaves none.
    pub fn core(
        &mut self,
        kept: &ElementSet,
        proof: &S::Proof,
        vacuous: Option<usize>,
    ) -> Result<Option<Core<S::Proof>>, Stopped> {
        let Some(states) = vacuous else { return self.core_of_proof(kept, proof) };
        let mut fresh = || unsat(self.system.words(), self.means, self.stop);
        let found = self.system.ended((self.elements, kept), (self.property, states), &mut fresh)?;
        Ok(found.map(|elements| {
            let proof = self.ends(&elements, states);
            Core::new(elements, proof)
        }))
    }

    /// A proof for these elements, which leave no execution of so many states.
    fn ends(&self, kept: &ElementSet, states: usize) -> S::Proof {
        S::ends(&self.system.reduced(self.elements, kept), self.property, states)
    }

    fn core_of_proof(
        &mut self,
        kept: &ElementSet,
        proof: &S::Proof,
    ) -> Result<Option<Core<S::Proof>>, Stopped> {
        let Some((system, claim)) = self.as_safety(kept, proof) else { return Ok(None) };
        let mut fresh = || unsat(&system, self.means, self.stop);
        let core = ivc_uc(&system, self.elements, kept, &claim, self.effort, &mut fresh)?;
        let back = |fewer| self.system.with_conjuncts(self.property, proof, fewer);
        Ok(core.map(|core| core.map(back)))
    }

    /// Decides the property with these elements only.
    pub fn ask(&mut self, kept: &ElementSet) -> Result<Option<Answered>, Stopped> {
        let system = self.system.reduced(self.elements, kept);
        let asked = decide(system, self.property, self.means, self.means.patience, self.stop);
        self.stop.check()?;
        let Asked { answer, faults } = asked.map_err(|refused| Stopped::Solver(refused.message))?;
        self.faults.extend(faults);
        Ok(answer)
    }

    /// A core of whatever proof is found of all elements.
    pub fn core_of_any(&mut self) -> Result<Option<Core<S::Proof>>, Stopped> {
        let all = self.elements.all();
        let Some(answered) = self.ask(&all)? else { return Ok(None) };
        let Some(proof) = S::proof(&answered.accepted) else { return Ok(None) };
        self.core(&all, proof, answered.vacuous())
    }

    /// Proves the reduced system again: who gets a core has it checked so. Where the proof is not one of the reduced
    /// system, since what stands beside that is another, engines find one.
    /// A stop that ended the search does not end the check of what was found; that has a time of its own.
    pub fn certify(&self, core: &Core<S::Proof>) -> Result<Accepted, Refusal> {
        let check = |stop: &Stop| {
            let system = self.system.reduced(self.elements, &core.elements);
            match certify(system.clone(), core.proof.clone(), self.means, stop) {
                Err(Refusal::Rejected(_)) if !S::is_monotone(&core.proof) => self.proved_anew(system, stop),
                checked => checked,
            }
        };
        match self.stop.requested() {
            false => check(self.stop),
            true => within(&Stop::new(), Some(LAST_CHECK), check),
        }
    }

    fn proved_anew(&self, system: Arc<S>, stop: &Stop) -> Result<Accepted, Refusal> {
        let asked = decide(system, self.property, self.means, self.means.patience, stop);
        let answer = asked.ok().and_then(|asked| asked.answer).map(|answered| answered.accepted);
        match answer {
            Some(accepted) if accepted.is_proof() => Ok(accepted),
            Some(_) => Err(Refusal::Rejected("the model of the core violates the property".to_string())),
            None => Err(Refusal::Stopped(stop.reason().unwrap_or(Stopped::Time))),
        }
    }
}

impl<S: Reducible> Prover for Trials<'_, S> {
    type Proof = S::Proof;

    fn decide(&mut self, kept: &ElementSet) -> Result<Decision<S::Proof>, Stopped> {
        if let Some(proof) = self.proved_by_lemmas(kept)? {
            return Ok(Decision::Proved(proof));
        }
        let Some(answered) = self.ask(kept)? else { return Ok(Decision::Unknown) };
        Ok(match (S::proof(&answered.accepted), answered.vacuous()) {
            (None, _) => Decision::Refuted,
            (Some(proof), None) => {
                self.learn(proof);
                Decision::Proved(proof.clone())
            }
            // It rests on there being no executions, which its own step need not show.
            (Some(_), Some(states)) => Decision::Proved(self.ends(kept, states)),
        })
    }

    fn extract(&mut self, kept: &ElementSet, proof: &S::Proof) -> Result<Option<Core<S::Proof>>, Stopped> {
        self.core_of_proof(kept, proof)
    }

    fn confirm(&mut self, refutation: &Refutation) -> bool {
        let system = self.system.reduced(self.elements, &refutation.kept);
        S::REFUTES && certify_word_trace(system.words(), refutation.trace.clone()).is_ok()
    }
}
