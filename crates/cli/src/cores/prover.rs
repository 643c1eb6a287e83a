//! Deciding a system and its reductions: engines on bits where all sorts are finite, on words with SMT solvers elsewhere.
//! Every answer was checked on the very system that was asked about.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use buttress_check::{
    Evidence, Refusal, WordChecked, certify_theory_proof, certify_word_proof, certify_word_trace,
};
use buttress_cores::{
    Claim, Core, Decision, Effort, Elements, Prover, Refutation, Unsat, from_lemmas, ivc_uc, reduced,
    vacuous as vacuous_core,
};
use buttress_engine::Kinds;
use buttress_engine::{Diagrams, Engine, Fsis, Ic3};
use buttress_solve::smt::{Config, Session, Theory};
use buttress_solve::{Cadical, Stop, Stopped};
use buttress_system::words::{System, WordProof};
use buttress_system::{ElementSet, PropertyId};
use buttress_term::Sort;
use buttress_transform::blast::{Bitwise, Blasted, Limits, blast};

use crate::driver::{self, Accepted, Event, Follow};
use crate::limits::{Spent, TICK};
use crate::theory;

/// For the check of a core when the time is over.
const LAST_CHECK: Duration = Duration::from_secs(5);

/// How to decide, and for how long.
#[derive(Clone)]
pub struct Means {
    pub engines: Vec<&'static Engine>,
    pub smt: Config,
    pub seed: u64,
    /// Of one question; of the first, whether the property holds at all, there is none.
    pub patience: Option<Duration>,
}

/// An answer about one property, with how it came about.
pub struct Answered {
    pub checked: WordChecked,
    pub engine: &'static Engine,
}

impl Answered {
    /// Where it rests on there being no execution of so many states.
    pub fn vacuous(&self) -> Option<usize> {
        self.checked.vacuous().map(|vacuous| vacuous.states)
    }

    pub fn proof(&self) -> Option<&WordProof> {
        match self.checked.evidence() {
            Evidence::Proof(proof) => Some(proof),
            Evidence::Trace(_) => None,
        }
    }
}

/// The bits of a system, where all that it reads is finite.
fn bits(system: &Arc<System>) -> Option<Blasted> {
    is_finite(system).then(|| blast(system, Limits::default()).ok()).flatten()
}

fn is_finite(system: &System) -> bool {
    !system.terms.ids().any(|t| matches!(system.terms.sort(t), Sort::Int | Sort::Real))
}

/// Whether something can decide this system; or else what is missing.
pub fn able(system: &Arc<System>, means: &Means) -> Result<(), String> {
    let theory = Theory::of(&system.terms);
    if means.smt.fit(&theory).is_empty() && bits(system).is_none() {
        return Err(
            "this model has integers, reals or large arrays, and no SMT solver is found that takes them: \
                    `scripts/get-solvers` brings some"
                .to_string(),
        );
    }
    Ok(())
}

/// Decides properties, each answer as soon as it is there; until all are decided, the engines end, or a stop.
pub fn decide(
    system: &Arc<System>,
    properties: &[PropertyId],
    means: &Means,
    stop: &Stop,
    answers: &(dyn Fn(PropertyId, Answered) + Sync),
) -> Vec<String> {
    let faults = Mutex::new(Vec::new());
    let events = |event| match event {
        Event::Decided { property, engine, checked, .. } => {
            if let Accepted::Words { checked, .. } = *checked {
                answers(property, Answered { checked, engine });
            }
        }
        Event::Rejected { engine, why, .. } => {
            faults.lock().expect("no holder panics").push(format!("{}: {why}", engine.title));
        }
        _ => {}
    };
    match bits(system) {
        Some(blasted) => driver::run(&task_of_bits(blasted, properties, means), stop, &events),
        None => theory::run(&task_of_words(system, properties, means), stop, &events),
    }
    faults.into_inner().expect("no holder panics")
}

fn task_of_bits(blasted: Blasted, properties: &[PropertyId], means: &Means) -> driver::Task {
    let engines = if means.engines.is_empty() { Engine::defaults() } else { means.engines.clone() };
    driver::Task {
        system: blasted.system.clone(),
        words: Some(Arc::new(blasted)),
        integers: None,
        source: None,
        properties: properties.to_vec(),
        engines,
        bound: usize::MAX,
        ic3: Ic3::default(),
        fsis: Fsis::default(),
        diagrams: Diagrams::default(),
        distinct: false,
        seed: means.seed,
        jobs: 1,
        lemmas: Vec::new(),
        follow: Follow::default(),
    }
}

fn task_of_words(system: &Arc<System>, properties: &[PropertyId], means: &Means) -> theory::Task {
    let engines = if means.engines.is_empty() { Engine::defaults_on_words() } else { means.engines.clone() };
    theory::Task {
        system: system.clone(),
        source: None,
        properties: properties.to_vec(),
        engines,
        bound: usize::MAX,
        ic3: Ic3::default(),
        distinct: false,
        seed: means.seed,
        discover: Kinds::default(),
        smt: means.smt.clone(),
        lemmas: Vec::new(),
        step_failures: false,
    }
}

/// Checks a proof afresh, on this system.
pub fn certify(
    system: &System,
    proof: WordProof,
    means: &Means,
    stop: &Stop,
) -> Result<WordChecked, Refusal> {
    if is_finite(system) {
        return certify_word_proof(system, proof, stop);
    }
    let theory = Theory::of(&system.terms);
    let first = means.smt.fit(&theory).first().map(|found| found.adapter.name);
    let mut start = || {
        let mut session = Session::new(&means.smt, theory, stop);
        first.into_iter().for_each(|name| session.avoid(name));
        session
    };
    certify_theory_proof(system, proof, &mut start)
}

/// A solver with unsatisfiable cores for this system.
pub fn unsat(system: &System, means: &Means, stop: &Stop) -> Box<dyn Unsat> {
    let bits = is_finite(system) && blastable(system);
    match bits {
        true => Box::new(Bitwise::new(Cadical::new(stop, means.seed))),
        false => {
            let mut session = Session::new(&means.smt, Theory::of(&system.terms), stop);
            session.take_over();
            session.hand_on();
            Box::new(session)
        }
    }
}

/// Arrays are bits up to a limit.
fn blastable(system: &System) -> bool {
    let limits = Limits::default();
    let width = |sort: &Sort| buttress_system::words::code::width(sort);
    let fits = |sort: &Sort| sort.as_array().is_none() || width(sort).is_some_and(|w| w <= limits.array_bits);
    system.terms.ids().all(|t| fits(system.terms.sort(t)))
}

/// To make a core smaller, after so much work on the proof. Under a second nobody waits for it.
pub fn worth(proof: Spent) -> Duration {
    Duration::from_secs_f64(proof.cpu / 4.0).max(Duration::from_secs(1))
}

/// More conjuncts of earlier proofs than this are not tried: each is a query or more.
const MOST_LEMMAS: usize = 60;

/// Answers for one property about any set of elements.
pub struct Judge<'a> {
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

impl<'a> Judge<'a> {
    pub fn new(
        system: &'a System,
        elements: &'a Elements,
        property: PropertyId,
        means: &'a Means,
        stop: &'a Stop,
    ) -> Judge<'a> {
        Judge {
            system,
            elements,
            property,
            means,
            stop,
            effort: Effort::default(),
            faults: Vec::new(),
            lemmas: None,
        }
    }

    /// A proof from what was proved before, checked.
    fn proved_by_lemmas(&mut self, kept: &ElementSet) -> Result<Option<WordProof>, Stopped> {
        let claim = self.lemmas.as_ref().and_then(|known| Claim::of(self.system, self.property, known));
        let Some(claim) = claim else { return Ok(None) };
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

    /// A core of a checked proof, within these elements; of one that rests on there being no execution of so many states,
    /// what leaves none and keeps the property in shorter ones.
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
        let Some(claim) = Claim::of(self.system, self.property, proof) else { return Ok(None) };
        let mut fresh = || unsat(self.system, self.means, self.stop);
        ivc_uc(self.system, self.elements, kept, &claim, self.effort, &mut fresh)
    }

    /// Decides the property with these elements only.
    pub fn ask(&mut self, kept: &ElementSet) -> Result<Option<Answered>, Stopped> {
        let system = Arc::new(reduced(self.system, self.elements, kept));
        let answer = Mutex::new(None);
        let (property, means) = (self.property, self.means);
        let faults = within(self.stop, means.patience, |stop| {
            let keep = |_, answered| *answer.lock().expect("no holder panics") = Some(answered);
            decide(&system, &[property], means, stop, &keep)
        });
        self.faults.extend(faults);
        self.stop.check()?;
        Ok(answer.into_inner().expect("no holder panics"))
    }

    /// Proves the reduced system again: who gets a core has it checked so.
    /// A stop that ended the search does not end the check of what was found; that has a time of its own.
    pub fn certify(&self, core: &Core) -> Result<WordChecked, Refusal> {
        let system = reduced(self.system, self.elements, &core.elements);
        match self.stop.requested() {
            false => certify(&system, core.proof.clone(), self.means, self.stop),
            true => within(&Stop::new(), Some(LAST_CHECK), |stop| {
                certify(&system, core.proof.clone(), self.means, stop)
            }),
        }
    }
}

impl Prover for Judge<'_> {
    fn decide(&mut self, kept: &ElementSet) -> Result<Decision, Stopped> {
        if let Some(proof) = self.proved_by_lemmas(kept)? {
            return Ok(Decision::Proved(proof));
        }
        let Some(answered) = self.ask(kept)? else { return Ok(Decision::Unknown) };
        Ok(match (answered.proof(), answered.vacuous()) {
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

/// Runs with a stop of its own, which follows the given one and a time limit.
pub fn within<T>(stop: &Stop, limit: Option<Duration>, run: impl FnOnce(&Stop) -> T) -> T {
    let own = Stop::new();
    let deadline = limit.map(|limit| Instant::now() + limit);
    let (done, ended) = mpsc::channel::<()>();
    let watch = |ended: mpsc::Receiver<()>, own: Stop| {
        while ended.recv_timeout(TICK / 4) == Err(mpsc::RecvTimeoutError::Timeout) {
            if let Some(why) = stop.reason() {
                own.request(&why);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                own.request(&Stopped::Time);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| watch(ended, own.clone()));
        let result = run(&own);
        drop(done);
        result
    })
}
