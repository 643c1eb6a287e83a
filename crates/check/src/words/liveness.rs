//! Proofs of liveness on words: the monitor is built here anew, and the proof must be one of the safety of both
//! together. Why that suffices stands at the head of [`crate::liveness`].
//!
//! A proof by loops speaks of finitely many states: it is accepted only where bits hold the system, integers
//! with bounds among them, which [`certify_word_proof`] sees to; or where there is no infinite execution at all.
//! A proof by visits holds of any number of states: beyond bits its obligations are asked of SMT solvers.

use std::sync::Arc;

use buttress_solve::Stop;
use buttress_solve::smt::Session;
use buttress_system::words::{Label, Role, StateId, System, WordProof};
use buttress_system::{Arena, Live, LiveProof, Monitor, Proof, Unfolds};
use buttress_term::{Sort, TermId, Terms};

use super::{certify_theory_proof, certify_word_proof};
use crate::arenas::{is_tree, the_property};
use crate::liveness::MOST_VISITS;
use crate::{Checked, Evidence, Refusal, WordChecked, require};

/// Accepts a proof that a system with its monitor never comes to a bad state, whatever properties it names.
pub fn certify_word_live_proof(
    live: &Live<System>,
    proof: LiveProof<WordProof>,
    stop: &Stop,
) -> Result<WordChecked, Refusal> {
    if proof.monitor == Monitor::Arenas {
        return certify_word_arenas(&System::unfolded(live), proof, stop);
    }
    let (system, own) = beside_monitor(live, &proof)?;
    let checked = certify_word_proof(&system, own, stop)?;
    let (decides, vacuous) = (checked.properties().to_vec(), checked.vacuous());
    Ok(Checked { decides, evidence: Evidence::Live(proof), vacuous })
}

/// The same beyond bits, where only counted visits, or the lack of any infinite execution, prove something.
pub fn certify_theory_live_proof(
    live: &Live<System>,
    proof: LiveProof<WordProof>,
    start: &mut dyn FnMut() -> Session,
) -> Result<WordChecked, Refusal> {
    let (system, own) = beside_monitor(live, &proof)?;
    let checked = certify_theory_proof(&system, own, start)?;
    let (decides, vacuous) = (checked.properties().to_vec(), checked.vacuous());
    let suffices = proof.monitor != Monitor::Loop || vacuous.is_some();
    require(suffices, || {
        "infinitely many states need not come back: that no loop is closed proves nothing".into()
    })?;
    Ok(Checked { decides, evidence: Evidence::Live(proof), vacuous })
}

/// The system with the monitor of a proof, and the proof as one about it.
fn beside_monitor(live: &Live<System>, proof: &LiveProof<WordProof>) -> Result<(System, WordProof), Refusal> {
    let live = &System::unfolded(live);
    let product = match proof.monitor {
        Monitor::Arenas => {
            return Err(Refusal::Rejected("arenas are for models that bits can hold".to_string()));
        }
        Monitor::Loop => Product::with_loop(live),
        Monitor::Visits(k) => {
            require(k <= MOST_VISITS, || format!("{k} visits are more than anybody can count"))?;
            Product::with_visits(live, k as usize)
        }
    };
    require(proof.arenas.is_empty(), || "arenas stand beside a monitor".to_string())?;
    // The model's terms and the variables of the monitor are the same in both; all else is taken over.
    let WordProof { terms, claim } = &proof.proof;
    let common = product.variables.len();
    require(terms.extends(&product.variables), || "the proof is about another monitor".to_string())?;
    let known = claim.invariant.iter().all(|t| t.index() < terms.len());
    require(known, || "a conjunct of the invariant does not exist".to_string())?;
    speaks_of(&claim.invariant, terms, common)?;
    let mut own = product.system.terms.clone();
    let mut claim = claim.clone();
    claim.invariant.iter_mut().for_each(|t| *t = own.adopt(terms, *t, common));
    Ok((product.system, WordProof { terms: Arc::new(own), claim }))
}

/// Conjuncts have no variables but those among the first so many terms.
fn speaks_of(conjuncts: &[TermId], terms: &Terms, common: usize) -> Result<(), Refusal> {
    let known = terms.free_variables(conjuncts.iter().copied()).iter().all(|v| v.index() < common);
    require(known, || "the invariant speaks of what is not there".to_string())
}

/// Accepts a proof that no arena has all signals of the one property that it names: its conditions stand at the
/// head of
/// [`crate::arenas`], and they are asked in the same way.
fn certify_word_arenas(
    live: &Live<System>,
    proof: LiveProof<WordProof>,
    stop: &Stop,
) -> Result<WordChecked, Refusal> {
    let property = the_property(&proof.proof.claim.properties, live.justice.len())?;
    is_tree(&proof.arenas)?;
    let mut system = model(live);
    let before: Vec<usize> =
        (0..proof.arenas.len()).map(|n| boolean(&mut system, format!("arena.{n}"))).collect();
    let (yes, no) = (system.terms.constant(true), system.terms.constant(false));
    let mut states = vec![yes; proof.arenas.len()];
    let mut signals = signals(live, property.index());
    if signals.is_empty() {
        signals.push(yes);
    }
    for (number, arena) in proof.arenas.iter().enumerate() {
        let (kept, now) = match arena {
            Arena::Wall { set, inside, outside } => {
                let conjuncts = adopted(live, &mut system, set)?;
                let wall = system.terms.all(&conjuncts);
                let beyond = system.terms.not(wall);
                states[*inside] = system.terms.and(states[number], wall);
                states[*outside] = system.terms.and(states[number], beyond);
                (states[*inside], states[*outside])
            }
            Arena::Lacks(signal) => {
                let known = signals.get(*signal).copied();
                let signal = known.ok_or_else(|| Refusal::Rejected("there is no such signal".to_string()))?;
                (system.terms.and(states[number], signal), states[number])
            }
        };
        let state = &mut system.states[before[number]];
        (state.init, state.next) = (Some(no), Some(kept));
        let (own, label) = (state.variable, Label::new(format!("arena.{number}")));
        let bad = system.terms.and(own, now);
        system.add_property(bad, label);
    }
    let invariant = adopted(live, &mut system, &proof.proof)?;
    let properties = system.property_ids().collect();
    let claim = Proof { properties, k: proof.proof.claim.k, distinct: None, invariant };
    let terms = Arc::new(system.terms.clone());
    let vacuous = certify_word_proof(&system, WordProof { terms, claim }, stop)?.vacuous();
    Ok(Checked { decides: vec![property], evidence: Evidence::Live(proof), vacuous })
}

/// The conjuncts of a proof, as terms of a system that has those of the model.
fn adopted(live: &Live<System>, system: &mut System, proof: &WordProof) -> Result<Vec<TermId>, Refusal> {
    let WordProof { terms, claim } = proof;
    let common = live.system.terms.len();
    require(terms.extends(&live.system.terms), || "the proof is about another model".to_string())?;
    let known = claim.invariant.iter().all(|t| t.index() < terms.len());
    require(known, || "a conjunct does not exist".to_string())?;
    speaks_of(&claim.invariant, terms, common)?;
    let none = claim.distinct.is_none();
    require(none, || "arenas do not rest on distinct states".to_string())?;
    Ok(claim.invariant.iter().map(|&t| system.terms.adopt(terms, t, common)).collect())
}

/// The states that these signals depend on, constraints included, through any number of steps.
pub(super) fn states_behind(system: &System, signals: &[TermId]) -> Vec<StateId> {
    let roles = system.roles();
    let mut behind = vec![false; system.terms.len()];
    let mut open: Vec<TermId> = signals.to_vec();
    open.extend(system.constraints.iter().map(|c| c.term));
    while let Some(term) = open.pop() {
        if behind[term.index()] {
            continue;
        }
        behind[term.index()] = true;
        open.extend(system.terms.operands(term));
        match roles[term.index()] {
            Some(Role::Definition(d)) => open.push(system.definitions[d].value),
            Some(Role::State(s)) => {
                open.extend(system.state(s).init);
                open.extend(system.state(s).next);
            }
            Some(Role::Input(_)) | None => {}
        }
    }
    system.state_ids().filter(|&s| behind[system.state(s).variable.index()]).collect()
}

/// The system and its monitor, side by side.
struct Product {
    system: System,
    /// The terms of the model, and then the variables of the monitor.
    variables: Terms,
}

fn model(live: &Live<System>) -> System {
    System { properties: Vec::new(), ..(*live.system).clone() }
}

fn signals(live: &Live<System>, justice: usize) -> Vec<TermId> {
    live.justice[justice].iter().chain(&live.fairness).copied().collect()
}

fn boolean(system: &mut System, name: String) -> usize {
    system.add_state(Sort::Bool, Label::new(name)).index()
}

fn seen(live: &Live<System>, system: &mut System) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for j in 0..live.justice.len() {
        let count = signals(live, j).len();
        all.push((0..count).map(|i| boolean(system, format!("seen.{i} of j{j}"))).collect());
    }
    all
}

impl Product {
    fn with_loop(live: &Live<System>) -> Product {
        let old = &*live.system;
        let behind: Vec<Vec<StateId>> =
            (0..live.justice.len()).map(|j| states_behind(old, &signals(live, j))).collect();
        let mut system = model(live);
        let save = system.add_input(Sort::Bool, Label::new("save"));
        let saved_state = boolean(&mut system, "saved".to_string());
        let seen = seen(live, &mut system);
        let mut copies = vec![None; old.states.len()];
        for s in old.state_ids().filter(|s| behind.iter().any(|of_one| of_one.contains(s))) {
            let state = old.state(s);
            let (sort, name) = (old.terms.sort(state.variable).clone(), format!("kept.{}", state.label.name));
            copies[s.index()] = Some(system.add_state(sort, Label::new(name)).index());
        }
        let variables = system.terms.clone();
        let saved = system.states[saved_state].variable;
        let (no, since) = (system.terms.constant(false), system.terms.or(saved, save));
        let unsaved = system.terms.not(saved);
        let now = system.terms.and(unsaved, save);
        (system.states[saved_state].init, system.states[saved_state].next) = (Some(no), Some(since));
        let mut same = vec![None; old.states.len()];
        for s in old.state_ids() {
            let Some(copy) = copies[s.index()] else { continue };
            let (x, kept) = (old.state(s).variable, system.states[copy].variable);
            let next = system.terms.ite(now, x, kept);
            let start = old.state(s).init.filter(|&start| old.terms.as_constant(start).is_some());
            (system.states[copy].init, system.states[copy].next) = (start, Some(next));
            same[s.index()] = Some(system.terms.eq(x, kept));
        }
        for (j, behind) in behind.iter().enumerate() {
            let mut bad = saved;
            for (&state, q) in seen[j].iter().zip(signals(live, j)) {
                let own = system.states[state].variable;
                let met = system.terms.or(own, q);
                let next = system.terms.and(since, met);
                (system.states[state].init, system.states[state].next) = (Some(no), Some(next));
                bad = system.terms.and(bad, own);
            }
            for s in behind {
                let same = same[s.index()].expect("what is behind a property is kept");
                bad = system.terms.and(bad, same);
            }
            system.add_property(bad, Label::new(format!("j{j}")));
        }
        Product { system, variables }
    }

    fn with_visits(live: &Live<System>, k: usize) -> Product {
        let mut system = model(live);
        let seen = seen(live, &mut system);
        let mut counts = Vec::new();
        for n in 1..=k {
            let names = (0..live.justice.len()).map(|j| format!("count.{n} of j{j}"));
            counts.push(names.map(|name| boolean(&mut system, name)).collect::<Vec<_>>());
        }
        let variables = system.terms.clone();
        let no = system.terms.constant(false);
        for (j, seen) in seen.iter().enumerate() {
            let mut visit = system.terms.constant(true);
            let mut met = Vec::new();
            for (&state, q) in seen.iter().zip(signals(live, j)) {
                let own = system.states[state].variable;
                let one = system.terms.or(q, own);
                met.push(one);
                visit = system.terms.and(visit, one);
            }
            let other = system.terms.not(visit);
            for (&state, met) in seen.iter().zip(met) {
                let next = system.terms.and(other, met);
                (system.states[state].init, system.states[state].next) = (Some(no), Some(next));
            }
            let mut up = visit;
            for level in &counts {
                let count = system.states[level[j]].variable;
                let next = system.terms.or(count, up);
                (system.states[level[j]].init, system.states[level[j]].next) = (Some(no), Some(next));
                up = system.terms.and(count, visit);
            }
            system.add_property(up, Label::new(format!("j{j}")));
        }
        Product { system, variables }
    }
}
