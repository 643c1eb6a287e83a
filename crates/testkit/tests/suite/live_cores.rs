//! Cores of liveness of small random systems, against all subsets of their elements: the reduced system is made here
//! bit by bit, and its graph is searched.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Refusal, certify_word_live_proof};
use buttress_cores::{arenas_as_states, live_words_of, with_conjuncts};
use buttress_driver::cores::{
    Anatomy, Barren, CoreOutcome, Fineness, Means, Method, Minimal, Quest, Vacuity, analyse, reduced_source,
    vacuity,
};
use buttress_driver::supervise::within;
use buttress_driver::{Accepted, ClaimId, Problem};
use buttress_engine::Engine;
use buttress_format::aiger;
use buttress_solve::Stop;
use buttress_system::words::WordProof;
use buttress_system::{
    Arena, BitSystem, ElementSet, InputId, Latch, LatchId, Live, LiveProof, Monitor, Proof, PropertyId,
};
use buttress_term::Sort;
use buttress_testkit::drive::{choice, drive, problem};
use buttress_testkit::live::{LiveTruth, system};
use buttress_transform::{Way, monitored_words};

const LIMIT: Duration = Duration::from_secs(20);

/// The elements of bits in the order in which cores number them: latches, constraints, fairness.
fn count(system: &BitSystem) -> usize {
    system.num_latches() + system.constraints.len() + system.fairness.len()
}

/// Small enough that all subsets of its elements can be listed, each with an input more for every latch.
fn is_small(system: &BitSystem) -> bool {
    system.num_inputs() + 2 * system.num_latches() <= 10 && (1..=7).contains(&count(system))
}

/// The system with these elements only: a latch that is dropped has any value in each step.
fn reduced(system: &BitSystem, kept: &ElementSet) -> BitSystem {
    let is_kept = |element: usize| kept.iter().any(|e| e.index() == element);
    let (mut new, shift) = system.widened(system.num_latches(), 0);
    for l in (0..system.num_latches()).filter(|&l| !is_kept(l)) {
        let any = new.input_lit(InputId::new(system.num_inputs() + l));
        let own = new.latch_lit(LatchId::new(l));
        new.set_latch(LatchId::new(l), Latch { next: any, reset: own });
    }
    let (latches, constraints) = (system.num_latches(), system.constraints.len());
    let mut place = 0..;
    new.constraints.retain(|_| is_kept(latches + place.next().expect("there are numbers enough")));
    new.justice = system.justice.iter().map(|own| own.iter().map(|&q| shift.lit(q)).collect()).collect();
    let fairness = system.fairness.iter().enumerate();
    let fairness = fairness.filter(|(f, _)| is_kept(latches + constraints + f));
    new.fairness = fairness.map(|(_, &q)| shift.lit(q)).collect();
    new
}

fn suffices(system: &BitSystem, kept: &ElementSet, justice: usize) -> bool {
    LiveTruth::of(&reduced(system, kept)).shortest[justice].is_none()
}

fn without(kept: &ElementSet, dropped: usize) -> ElementSet {
    kept.iter().copied().filter(|e| e.index() != dropped).collect()
}

/// Small systems, as bits and as problems.
fn subjects(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Arc<BitSystem>, Arc<Problem>)> {
    let small = seeds.map(|seed| (seed, Arc::new(system(seed)))).filter(|(_, system)| is_small(system));
    small.map(|(seed, system)| (seed, system.clone(), problem(&system)))
}

/// Who looks for one proof can be any engine that ends on what holds; who asks of fewer elements needs those that find
/// lassos.
fn means(seed: u64, method: Method) -> Means {
    let engines = [None, Some("klive"), Some("fair"), Some("ic3"), Some("hull")];
    let alone = engines[seed as usize % engines.len()].filter(|_| method == Method::Uc);
    let engines = alone.and_then(Engine::by_name).into_iter().collect();
    Means { choice: choice(engines), patience: Some(Duration::from_secs(1)) }
}

/// What is called a core suffices; minimal is said of what no element can be dropped from, and only what holds has a
/// core. All minimal cores are found.
#[test]
fn cores_of_liveness_are_those_of_the_graph() {
    let (mut proved, mut smaller, mut fair, mut several, mut written) = (0, 0, 0, 0, 0);
    for (seed, system, problem) in subjects(0..1000) {
        let claims: Vec<ClaimId> = problem.claim_ids().collect();
        let anatomy = Anatomy::of(&problem, Fineness::Equations, &claims).expect("bits have elements");
        assert_eq!(anatomy.elements.len(), count(&system), "seed {seed}");
        let method = [Method::Uc, Method::Ucbf, Method::Bf][(seed / 7 % 3) as usize];
        let all = (method == Method::Ucbf).then_some(usize::MAX);
        let quest = Quest { method, must: method == Method::Bf, all };
        let means = means(seed, method);
        let truth = LiveTruth::of(&system);
        // Where a start reads a latch that is dropped, it reads an input, which most engines leave to others.
        let reads = system.latches().any(|l| {
            let reset = system.latch(l).reset;
            !reset.is_constant() && reset != system.latch_lit(l)
        });
        // Who counts never ends on a property that does not hold.
        let claims: Vec<ClaimId> = match means.choice.engines.is_empty() {
            true => claims,
            false => claims.into_iter().filter(|c| truth.shortest[c.index()].is_none()).collect(),
        };
        let mut found = Vec::new();
        within(&Stop::new(), Some(LIMIT), |stop| {
            analyse(&anatomy, &claims, &quest, &means, stop, &mut |finding| found.push(finding));
        });
        for finding in found {
            let justice = problem.claim(finding.claim).justice().expect("nothing else is asked").index();
            let holds = truth.shortest[justice].is_none();
            match finding.outcome {
                CoreOutcome::Proved(needed) => {
                    proved += 1;
                    assert!(
                        holds && suffices(&system, &needed.core, justice),
                        "seed {seed}: {:?}",
                        needed.core
                    );
                    if let Minimal::Tried { undecided } = &needed.minimal {
                        let rest = (&needed.core - undecided).into_iter().map(|e| e.index());
                        let minimal =
                            rest.into_iter().all(|e| !suffices(&system, &without(&needed.core, e), justice));
                        assert!(undecided.is_empty() || reads, "seed {seed}: {undecided:?}");
                        assert!(minimal, "seed {seed}");
                    }
                    assert!(needed.core.is_subset(&needed.slice), "seed {seed}");
                    if let Some(must) = &needed.must {
                        let every = anatomy.elements.all();
                        let needs = |e: usize| !suffices(&system, &without(&every, e), justice);
                        let every: ElementSet = every.iter().copied().filter(|e| needs(e.index())).collect();
                        let known = must.elements.is_subset(&every)
                            && every.is_subset(&(&must.elements | &must.undecided));
                        assert!(known && (must.undecided.is_empty() || reads), "seed {seed}");
                    }
                    if let Some(found) = &needed.all {
                        let mut cores = found.cores.clone();
                        cores.sort();
                        assert!(found.complete || reads, "seed {seed}");
                        let expected = minimal_cores(&system, justice);
                        assert!(!found.complete || cores == expected, "seed {seed}: {cores:?}, {expected:?}");
                        several += usize::from(cores.len() > 1);
                    }
                    smaller += usize::from(needed.core.len() < count(&system));
                    let bound = system.num_latches() + system.constraints.len();
                    fair += usize::from(needed.core.iter().any(|e| e.index() >= bound));
                    let model =
                        reduced_source(&anatomy, finding.claim, &needed.core, &means, &Stop::new()).unwrap();
                    let model = aiger::read(&model[..]).expect("a model").system;
                    assert!(LiveTruth::of(&model).shortest[justice].is_none(), "seed {seed}");
                    written += 1;
                }
                CoreOutcome::Falsified { back, .. } => assert!(!holds && back.is_some(), "seed {seed}"),
                CoreOutcome::Fault(why) => panic!("seed {seed}: {why}"),
                CoreOutcome::Undecided(_) | CoreOutcome::Goal => {}
            }
        }
    }
    println!(
        "{proved} proved, {smaller} smaller, {fair} with fairness, {several} with several, {written} written"
    );
    assert!(proved > 60 && smaller > 30 && fair > 5 && several > 1, "nearly all of them are the same");
}

fn minimal_cores(system: &BitSystem, justice: usize) -> Vec<ElementSet> {
    let n = count(system);
    let subset = |bits: u32| -> ElementSet {
        (0..n).filter(|e| bits >> e & 1 == 1).map(buttress_system::ElementId::new).collect()
    };
    let all: Vec<ElementSet> =
        (0..1 << n).map(subset).filter(|kept| suffices(system, kept, justice)).collect();
    let smaller = |a: &ElementSet, b: &ElementSet| a.is_subset(b) && a != b;
    let mut minimal: Vec<ElementSet> =
        all.iter().filter(|c| !all.iter().any(|other| smaller(other, c))).cloned().collect();
    minimal.sort();
    minimal
}

/// That no execution is fair is said exactly where it is so, and a signal that does not matter can be left out.
#[test]
fn vacuity_is_what_the_graph_says() {
    let (mut barren, mut unneeded, mut matters) = (0, 0, 0);
    for (seed, system, problem) in subjects(0..300) {
        let truth = LiveTruth::of(&system);
        let claims: Vec<ClaimId> = problem.claim_ids().collect();
        let anatomy = Anatomy::of(&problem, Fineness::Equations, &claims).expect("bits have elements");
        let means = Means { choice: choice(Vec::new()), patience: Some(LIMIT) };
        let mut none = (*system).clone();
        none.justice = vec![Vec::new()];
        let none = LiveTruth::of(&none).shortest[0].is_none();
        for &claim in &claims {
            let justice = problem.claim(claim).justice().expect("nothing else is asked").index();
            if truth.shortest[justice].is_some() {
                continue;
            }
            let Vacuity { barren: found, unneeded: parts, .. } =
                vacuity(&anatomy, claim, &means, &Stop::new());
            assert_eq!(found.is_some(), none, "seed {seed}: {found:?}");
            if let Some(Barren::Ends(_)) = found {
                let mut unfair = (*system).clone();
                (unfair.justice, unfair.fairness) = (vec![Vec::new()], Vec::new());
                assert!(LiveTruth::of(&unfair).shortest[0].is_none(), "seed {seed}");
            }
            barren += usize::from(none);
            match parts.is_empty() {
                true => matters += usize::from(!none),
                false => unneeded += 1,
            }
        }
    }
    println!("{barren} barren, {unneeded} with parts that do not matter, {matters} without");
    assert!(barren > 10 && unneeded > 10 && matters > 3, "nearly all of them are the same");
}

/// A proof by arenas says as one of safety what it says: it comes back and is accepted; and one that is not accepted
/// does not become one.
#[test]
fn arenas_are_states() {
    let fair = Engine::by_name("fair").expect("a row of the table");
    let mut seen = 0;
    for (seed, system, problem) in subjects(0..600) {
        let live = Live::of_bits(&system);
        let words = live_words_of(&live);
        let (events, _) = drive(&problem, &choice(vec![fair]), Some(LIMIT));
        let accepted = events.into_iter().filter_map(|event| match event {
            buttress_driver::Event::Decided { accepted, .. } => Some(*accepted),
            _ => None,
        });
        for accepted in accepted {
            let Accepted::Bits(checked) = accepted else { panic!("the model is in bits") };
            let Some(proof) = checked.evidence().live_proof().filter(|p| p.monitor == Monitor::Arenas) else {
                continue;
            };
            let property = checked.properties()[0];
            let beside = monitored_words(&Arc::new(words.clone()), Monitor::Arenas);
            let moved = |proof: &buttress_system::Proof| {
                buttress_cores::proof_in_words(&system, beside.system(), proof)
            };
            let arenas = proof.arenas.iter().map(|arena| arena.clone().map(|set| moved(&set))).collect();
            let own = LiveProof { monitor: Monitor::Arenas, proof: moved(&proof.proof), arenas };
            let (states, safety) = arenas_as_states(&words, property, &own);
            let checked = buttress_check::certify_word_proof(&states, safety.clone(), &Stop::new());
            assert!(checked.is_ok(), "seed {seed}: {checked:?}");
            let back = with_conjuncts(&words, property, &own, safety);
            let checked = certify_word_live_proof(&words, back.clone(), &Stop::new());
            assert!(checked.is_ok(), "seed {seed}: {checked:?}");
            // Without its walls.
            let broken = LiveProof { arenas: Vec::new(), ..back };
            let checked = certify_word_live_proof(&words, broken, &Stop::new());
            assert!(matches!(checked, Err(Refusal::Rejected(_))), "seed {seed}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} proofs by arenas");
}

/// An invariant that speaks of a variable which neither the model nor the monitor has is rejected, whatever stands
/// for it in the store of the proof.
#[test]
fn proofs_speak_of_what_is_there() {
    let (_, system, _) = subjects(0..100).next().expect("there are small ones");
    let words = live_words_of(&Live::of_bits(&system));
    for monitor in [Monitor::Loop, Monitor::Visits(1), Monitor::Arenas] {
        let beside = monitored_words(&Arc::new(words.clone()), monitor);
        let mut terms = beside.system().terms.clone();
        let invariant = vec![terms.variable("foreign", Sort::Bool)];
        let claim = Proof { properties: vec![PropertyId::new(0)], k: 1, distinct: None, invariant };
        let proof = WordProof { terms: Arc::new(terms), claim };
        let mut own = LiveProof::new(monitor, proof);
        if monitor == Monitor::Arenas {
            own.arenas = vec![Arena::Lacks(0)];
        }
        let checked = certify_word_live_proof(&words, own, &Stop::new());
        assert!(matches!(checked, Err(Refusal::Rejected(_))), "{monitor:?}");
    }
}
