//! Cores beside the engines (`check --core`): a thread that waits for proofs and says which elements each of them needs,
//! while other properties are still open. What is falsified costs nothing, not even the list of elements.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use buttress_check::{Evidence, Refusal};
use buttress_cores::{Elements, Granularity, proof_in_words, slice, words_of};
use buttress_solve::Stop;
use buttress_system::PropertyId;
use buttress_system::words::{Label, System, WordProof};

use crate::cores::{Judge, Means, annotated, of_relation, within, worth};
use crate::driver::{Accepted, Event};
use crate::limits::Clock;
use crate::model::Model;

/// The core of a checked proof, proved again without the other elements.
pub struct Explained {
    pub core: Vec<Label>,
    /// All elements, and those of the static slice.
    pub elements: usize,
    pub slice: usize,
    /// The core leaves no execution.
    pub contradiction: bool,
}

impl Explained {
    /// What should make the reader doubt the property or the model: the proof rests on a contradiction, or on nothing or
    /// next to nothing of what the property depends on.
    pub fn warning(&self) -> Option<String> {
        const TINY: usize = 20;
        let (core, elements, slice) = (self.core.len(), self.elements, self.slice);
        match core {
            _ if self.contradiction => Some("these elements contradict each other".to_string()),
            0 if elements > 0 => {
                Some(format!("it needs none of {elements} elements, it says nothing about this model"))
            }
            _ if core * TINY <= slice => {
                Some(format!("it needs only {core} of the {slice} elements that it depends on"))
            }
            _ => None,
        }
    }
}

/// A property that was proved.
struct Job {
    property: PropertyId,
    proof: Proved,
    vacuous: Option<usize>,
}

enum Proved {
    Bits(buttress_system::Proof),
    Words(WordProof),
}

/// What is found of a property: a core, why there is none, or a fault of our own.
pub type Answer = Result<Explained, Refusal>;

/// Runs engines, and takes the core of each proof that they find. The engines have a stop of their own, which they set
/// when all is decided; cores go on until the given one.
pub fn beside(
    model: &Model,
    means: &Means,
    stop: &Stop,
    events: &(dyn Fn(Event) + Sync),
    answers: &(dyn Fn(PropertyId, Answer) + Sync),
    engines: impl FnOnce(&Stop, &(dyn Fn(Event) + Sync)),
) {
    let (sender, jobs) = mpsc::channel::<Job>();
    let clock = Clock::start();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut subject = None;
            for job in jobs {
                let subject = subject.get_or_insert_with(|| Subject::of(model));
                answers(job.property, subject.explain(&job, means, worth(clock.spent()), stop));
            }
        });
        let seen = |event: Event| {
            if let Some(job) = job(model, &event) {
                // The thread takes what comes as long as somebody sends.
                drop(sender.send(job));
            }
            events(event);
        };
        within(stop, None, |own| engines(own, &seen));
        drop(sender);
    });
}

fn job(model: &Model, event: &Event) -> Option<Job> {
    let Event::Decided { property, checked, .. } = event else { return None };
    let vacuous = checked.vacuous().map(|vacuous| vacuous.states);
    let proof = match &**checked {
        _ if model.is_cover(*property) => None,
        Accepted::Bits(checked) => match checked.evidence() {
            Evidence::Proof(proof) => Some(Proved::Bits(proof.clone())),
            Evidence::Trace(_) => None,
        },
        Accepted::Words { checked, .. } => match checked.evidence() {
            Evidence::Proof(proof) => Some(Proved::Words(proof.clone())),
            Evidence::Trace(_) => None,
        },
        Accepted::Indexed { .. } => None,
    };
    proof.map(|proof| Job { property: *property, proof, vacuous })
}

fn with_elements(system: System, granularity: Granularity) -> (System, Elements) {
    let elements = Elements::of(&system, granularity);
    (system, elements)
}

/// The system that proofs are about, in words, with its elements.
struct Subject<'a> {
    model: &'a Model,
    system: Arc<System>,
    elements: Elements,
}

impl Subject<'_> {
    fn of(model: &Model) -> Subject<'_> {
        let (system, elements) = match (model.proved(), &model.source) {
            (None, _) => with_elements(words_of(&model.system), Granularity::States),
            (Some(system), None) if model.is_relation => of_relation(system),
            (Some(system), None) => with_elements(system.clone(), Granularity::Lines),
            (Some(system), Some(source)) => {
                let (system, elements) = with_elements(system.clone(), Granularity::Equations);
                (system, annotated(&source.model().program, elements))
            }
        };
        Subject { model, system: Arc::new(system), elements }
    }

    /// A proof about the model, about its conjuncts.
    fn adopted(&self, proof: &WordProof) -> WordProof {
        let Some(system) = self.model.proved().filter(|_| self.model.is_relation) else {
            return proof.clone();
        };
        let mut terms = self.system.terms.clone();
        let mut claim = proof.claim.clone();
        for conjunct in &mut claim.invariant {
            *conjunct = terms.adopt(&proof.terms, *conjunct, system.terms.len());
        }
        WordProof { terms: Arc::new(terms), claim }
    }

    fn explain(&self, job: &Job, means: &Means, time: Duration, stop: &Stop) -> Answer {
        let (system, elements, property) = (&*self.system, &self.elements, job.property);
        let mut judge = Judge::new(system, elements, property, means, stop);
        judge.effort.time = Some(time);
        let proof = match &job.proof {
            Proved::Words(proof) => self.adopted(proof),
            Proved::Bits(proof) => proof_in_words(&self.model.system, system, proof),
        };
        let found = judge.core(&elements.all(), &proof, job.vacuous).map_err(Refusal::Stopped)?;
        let core = found.ok_or_else(|| Refusal::Rejected("the proof does not hold by itself".to_string()))?;
        let checked = judge.certify(&core)?;
        Ok(Explained {
            core: core.elements.iter().map(|&e| elements.get(e).label.clone()).collect(),
            elements: elements.len(),
            slice: slice(system, elements, property).len(),
            contradiction: checked.vacuous().is_some(),
        })
    }
}
