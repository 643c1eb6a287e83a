//! A monitor beside words.

use std::sync::Arc;

use buttress_system::words::{Label, Role, StateId, System, WordLemma, WordProof, WordTrace};
use buttress_system::{Lasso, Lit, Live, LiveProof, Monitor, PropertyId, Unfolds};
use buttress_term::{Sort, TermId, Value};

use super::{owners, recurring};
use crate::Way;

/// Words with a monitor beside them.
struct Monitored {
    live: Arc<Live<System>>,
    /// The input of the monitor that keeps a state, where it has one; guesses about formulas come before it.
    save: usize,
    monitor: Monitor,
    /// The justice property that each property is about.
    owners: Vec<usize>,
    system: Arc<System>,
}

/// The way to a system whose property `j` is about justice property `j`; with [`Monitor::Arenas`], to one whose
/// properties are the signals of one justice property after the other, as bad states.
pub fn monitored_words(
    live: &Arc<Live<System>>,
    monitor: Monitor,
) -> impl Way<Old = Live<System>, New = System> + use<> {
    let unfolded = System::unfolded(live);
    let system = match monitor {
        Monitor::Loop => with_loop(&unfolded),
        Monitor::Visits(k) => with_visits(&unfolded, k),
        Monitor::Arenas => with_signals(&unfolded),
    };
    let save = unfolded.system.inputs.len();
    let owners = match monitor {
        Monitor::Arenas => owners(&unfolded),
        Monitor::Loop | Monitor::Visits(_) => (0..unfolded.justice.len()).collect(),
    };
    Monitored { live: live.clone(), save, monitor, owners, system: Arc::new(system) }
}

/// A Boolean state of the monitor that starts with false.
fn flag(system: &mut System, name: String) -> StateId {
    system.add_state(Sort::Bool, Label::new(name))
}

/// One for each signal of each property.
fn seen(live: &Live<System>, system: &mut System) -> Vec<Vec<StateId>> {
    let of = |j: usize| (0..live.signals(j).count()).map(move |i| format!("seen.{i} of j{j}"));
    (0..live.justice.len()).map(|j| of(j).map(|name| flag(system, name)).collect()).collect()
}

fn variable(system: &System, state: StateId) -> TermId {
    system.state(state).variable
}

fn define(system: &mut System, state: StateId, init: Option<TermId>, next: TermId) {
    let state = &mut system.states[state.index()];
    (state.init, state.next) = (init, Some(next));
}

/// Without the properties of the system: a monitor has its own.
fn bare(live: &Live<System>) -> System {
    System { properties: Vec::new(), ..(*live.system).clone() }
}

/// The states that a property depends on, constraints included.
fn depends_on(live: &Live<System>, justice: usize) -> Vec<bool> {
    let system = &live.system;
    let roles = system.roles();
    let mut marked = vec![false; system.terms.len()];
    let constraints = system.constraints.iter().map(|c| c.term);
    let mut todo: Vec<TermId> = live.signals(justice).chain(constraints).collect();
    while let Some(term) = todo.pop() {
        if std::mem::replace(&mut marked[term.index()], true) {
            continue;
        }
        todo.extend_from_slice(system.terms.operands(term));
        match roles[term.index()] {
            Some(Role::State(s)) => todo.extend(system.state(s).init.iter().chain(&system.state(s).next)),
            Some(Role::Definition(d)) => todo.push(system.definitions[d].value),
            Some(Role::Input(_)) | None => {}
        }
    }
    system.states.iter().map(|s| marked[s.variable.index()]).collect()
}

fn with_loop(live: &Live<System>) -> System {
    let old = &live.system;
    let compared: Vec<Vec<bool>> = (0..live.justice.len()).map(|j| depends_on(live, j)).collect();
    let kept: Vec<StateId> = old.state_ids().filter(|s| compared.iter().any(|c| c[s.index()])).collect();
    let mut new = bare(live);
    let save = new.add_input(Sort::Bool, Label::new("save"));
    let saved_state = flag(&mut new, "saved".to_string());
    let seen = seen(live, &mut new);
    let copy = |new: &mut System, s: &StateId| {
        let sort = old.terms.sort(old.state(*s).variable).clone();
        new.add_state(sort, Label::new(format!("kept.{}", old.state(*s).label.name)))
    };
    let copies: Vec<StateId> = kept.iter().map(|s| copy(&mut new, s)).collect();
    let saved = variable(&new, saved_state);
    let unsaved = new.terms.not(saved);
    let now = new.terms.and(save, unsaved);
    let since = new.terms.or(saved, save);
    let no = new.terms.constant(false);
    define(&mut new, saved_state, Some(no), since);
    let mut same = vec![None; old.states.len()];
    for (&state, &copy) in kept.iter().zip(&copies) {
        let (own, kept) = (variable(&new, state), variable(&new, copy));
        let next = new.terms.ite(now, own, kept);
        let init = old.state(state).init.filter(|&init| old.terms.as_constant(init).is_some());
        define(&mut new, copy, init, next);
        same[state.index()] = Some(new.terms.eq(kept, own));
    }
    for (j, seen) in seen.iter().enumerate() {
        for (&state, signal) in seen.iter().zip(live.signals(j)) {
            let own = variable(&new, state);
            let met = new.terms.or(own, signal);
            let next = new.terms.and(met, since);
            define(&mut new, state, Some(no), next);
        }
    }
    for (j, seen) in seen.iter().enumerate() {
        let same = same.iter().zip(&compared[j]).filter(|(_, compared)| **compared).filter_map(|(s, _)| *s);
        let seen = seen.iter().map(|&s| variable(&new, s));
        let all: Vec<TermId> = [saved].into_iter().chain(seen).chain(same).collect();
        let bad = new.terms.all(&all);
        new.add_property(bad, Label::new(format!("j{j}")));
    }
    new
}

fn with_visits(live: &Live<System>, k: u32) -> System {
    let mut new = bare(live);
    let seen = seen(live, &mut new);
    let name = |n: u32| (0..live.justice.len()).map(move |j| format!("count.{n} of j{j}"));
    let mut level = |n: u32| name(n).map(|name| flag(&mut new, name)).collect::<Vec<_>>();
    let counts: Vec<Vec<StateId>> = (1..=k).map(&mut level).collect();
    let (no, yes) = (new.terms.constant(false), new.terms.constant(true));
    for (j, seen) in seen.iter().enumerate() {
        let signals: Vec<TermId> = live.signals(j).collect();
        let met: Vec<TermId> = seen
            .iter()
            .zip(signals)
            .map(|(&state, signal)| {
                let own = variable(&new, state);
                new.terms.or(own, signal)
            })
            .collect();
        let visit = new.terms.all(&met);
        let no_visit = new.terms.not(visit);
        for (&state, &met) in seen.iter().zip(&met) {
            let next = new.terms.and(met, no_visit);
            define(&mut new, state, Some(no), next);
        }
        let mut before = yes;
        for level in &counts {
            let own = variable(&new, level[j]);
            let up = new.terms.and(before, visit);
            let next = new.terms.or(own, up);
            define(&mut new, level[j], Some(no), next);
            before = own;
        }
        let bad = new.terms.and(before, visit);
        new.add_property(bad, Label::new(format!("j{j}")));
    }
    new
}

/// The system as it is.
fn with_signals(live: &Live<System>) -> System {
    let mut new = bare(live);
    let always = new.terms.constant(true);
    for j in 0..live.justice.len() {
        for (i, bad) in recurring(live, j, always).into_iter().enumerate() {
            new.add_property(bad, Label::new(format!("signal.{i} of j{j}")));
        }
    }
    new
}

impl Way for Monitored {
    type Old = Live<System>;
    type New = System;

    fn system(&self) -> &Arc<System> {
        &self.system
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        PropertyId::new(self.owners[property.index()])
    }

    /// Back to where the state was kept; the last state, which is the same, is not gone through twice. A path with
    /// many visits, and one without a monitor, is none that goes round: nothing is known of where it goes back to.
    fn trace(&self, trace: WordTrace) -> Lasso<WordTrace> {
        let (inputs, states) = (self.live.system.inputs.len(), self.live.system.states.len());
        let loops = self.monitor == Monitor::Loop;
        let own = self.save + usize::from(loops);
        let WordTrace { property, mut initial, inputs: mut rows } = trace;
        let saves = |row: &Vec<Option<Value>>| row[self.save] == Some(Value::Bool(true));
        let back = rows.iter().position(|row| loops && saves(row)).unwrap_or(0);
        initial.truncate(states);
        rows.iter_mut().for_each(|row| drop(row.drain(inputs..own)));
        if self.monitor != Monitor::Arenas {
            rows.pop();
        }
        let property = self.property(property);
        Lasso { justice: property.index(), trace: WordTrace { property, initial, inputs: rows }, back }
    }

    fn path(&self, path: WordTrace) -> Lasso<WordTrace> {
        self.trace(path)
    }

    fn proof(&self, mut proof: WordProof) -> LiveProof<WordProof> {
        proof.claim.properties.iter_mut().for_each(|p| *p = self.property(*p));
        LiveProof::new(self.monitor, proof)
    }

    fn literal(&self, _: Lit) -> Option<Lit> {
        None
    }

    fn lower(&self, lemmas: &[PropertyId]) -> Vec<Option<WordLemma>> {
        let first = |p: &PropertyId| self.owners.iter().position(|&owner| owner == p.index());
        lemmas.iter().map(|p| Some(WordLemma::Property(PropertyId::new(first(p)?)))).collect()
    }
}
