//! States of a word-level system that are equal, as one.
//!
//! Two states with the same `next` are equal after every step. They are equal from the start where `init` is the
//! same, too. A front end often makes others: in Lustre each `pre x` is a state of its own that may start
//! anywhere, and the start is read by nobody, because `->` stands before it. So with f the flag of the first step
//! (a Boolean that starts with one value and has the other ever after), a state t without `init` may take its
//! start from its twin s if nothing reads t while f says "first": then every execution with t = s at the start is
//! one of the original, and every other differs from such a one only in what nobody reads.
//!
//! Whether something is read under f is decided by its place: the branch that a condition rules out is not, where
//! the condition is known from f alone.
//!
//! The states stay where they are, only nobody reads t any more; so traces keep their shape. On the way back a
//! proof gets `f ∨ t = s` (or `t = s`) for each pair, which is what the merging relied on.

use std::collections::BTreeMap;
use std::sync::Arc;

use buttress_system::words::{StateId, System, WordLemma, WordProof, WordTrace};
use buttress_system::{Lit, PropertyId};
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Way;

/// A word-level system in which twins are one, and the way back.
pub struct Merged {
    system: Arc<System>,
    original: Arc<System>,
    /// The variable of each state that is gone, and what stands for it.
    by: FxHashMap<TermId, TermId>,
    pairs: Vec<Pair>,
    /// The flag of the first step, with its value there.
    first: Option<(TermId, bool)>,
}

struct Pair {
    gone: StateId,
    kept: StateId,
    /// Whether they may differ at the start.
    later: bool,
}

/// Merges until no two states are twins.
pub fn merge_equal_states(original: &Arc<System>) -> Merged {
    let flags = flags(original);
    let read = if flags.is_empty() { None } else { Some(read_at_start(original, &flags)) };
    let mut merged = Merged {
        system: original.clone(),
        original: original.clone(),
        by: FxHashMap::default(),
        pairs: Vec::new(),
        first: flags.first().copied(),
    };
    let mut system = (**original).clone();
    while merged.find(&system, read.as_ref()) {
        replace(&mut system, &merged.by);
    }
    merged.system = Arc::new(system);
    merged
}

impl Merged {
    /// Notes the twins that nobody has noted yet; false where there are none.
    fn find(&mut self, system: &System, read: Option<&FxHashSet<TermId>>) -> bool {
        let before = self.pairs.len();
        let mut kept: BTreeMap<(TermId, Option<TermId>), StateId> = BTreeMap::new();
        for id in system.state_ids() {
            let state = system.state(id);
            let Some(next) = state.next.filter(|_| !self.by.contains_key(&state.variable)) else { continue };
            let sort = |s: &StateId| system.terms.sort(system.state(*s).variable);
            let twin = kept.get(&(next, state.init)).copied().filter(|t| sort(t) == sort(&id));
            let later = state.init.is_none();
            let unread = !later || read.is_some_and(|read| !read.contains(&state.variable));
            match twin {
                Some(twin) if unread => {
                    self.by.insert(state.variable, system.state(twin).variable);
                    self.pairs.push(Pair { gone: id, kept: twin, later });
                }
                Some(_) => {}
                None => drop(kept.insert((next, state.init), id)),
            }
        }
        self.pairs.len() > before
    }

    /// How many states nobody reads any more.
    pub fn gone(&self) -> usize {
        self.pairs.len()
    }

    fn said(&self, lemmas: &[WordLemma]) -> (Terms, Vec<Option<TermId>>) {
        let mut terms = self.system.terms.clone();
        let common = self.original.terms.len();
        let adopted: Vec<Option<TermId>> = lemmas
            .iter()
            .map(|lemma| match lemma {
                WordLemma::Property(_) => None,
                WordLemma::Term(store, term) => Some(terms.adopt(store, *term, common)),
            })
            .collect();
        let roots: Vec<TermId> = adopted.iter().flatten().copied().collect();
        let mut lowered = terms.substitute(&roots, &self.by).into_iter();
        let said = adopted.iter().map(|a| a.and_then(|_| lowered.next())).collect();
        (terms, said)
    }
}

impl Way for Merged {
    type Old = System;
    type New = System;

    fn system(&self) -> &Arc<System> {
        &self.system
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        property
    }

    fn trace(&self, mut trace: WordTrace) -> WordTrace {
        for pair in &self.pairs {
            trace.initial[pair.gone.index()] = trace.initial[pair.kept.index()].clone();
        }
        trace
    }

    fn path(&self, path: WordTrace) -> WordTrace {
        self.trace(path)
    }

    /// The proof with the equalities that the merging relied on.
    fn proof(&self, proof: WordProof) -> WordProof {
        let mut terms = Arc::unwrap_or_clone(proof.terms);
        let mut claim = proof.claim;
        for pair in &self.pairs {
            let variable = |state: StateId| self.original.state(state).variable;
            let equal = terms.eq(variable(pair.gone), variable(pair.kept));
            claim.invariant.push(match self.first.filter(|_| pair.later) {
                Some((flag, true)) => terms.or(flag, equal),
                Some((flag, false)) => terms.implies(flag, equal),
                None => equal,
            });
        }
        WordProof { terms: Arc::new(terms), claim }
    }

    fn literal(&self, _: Lit) -> Option<Lit> {
        None
    }

    /// That equal states are equal says nothing any more and is left out.
    fn lower(&self, lemmas: &[WordLemma]) -> Vec<Option<WordLemma>> {
        let (terms, said) = self.said(lemmas);
        let terms = Arc::new(terms);
        let lower = |(lemma, said): (&WordLemma, Option<TermId>)| match (lemma, said) {
            (WordLemma::Property(property), _) => Some(WordLemma::Property(*property)),
            (WordLemma::Term(..), said) => {
                let term = said.filter(|&t| !is_trivial(&terms, t))?;
                Some(WordLemma::Term(terms.clone(), term))
            }
        };
        lemmas.iter().zip(said).map(lower).collect()
    }
}

/// `x = x`, perhaps under a condition.
fn is_trivial(terms: &Terms, term: TermId) -> bool {
    match terms.node(term) {
        Node::Apply(Op::Eq, _, [a, b]) => a == b,
        Node::Apply(Op::Or | Op::Implies, _, &[_, b]) => is_trivial(terms, b),
        _ => false,
    }
}

/// Everything but the states' own names is said in terms of those that are kept.
fn replace(system: &mut System, by: &FxHashMap<TermId, TermId>) {
    let terms = &mut system.terms;
    let mut change = |term: &mut TermId| *term = terms.substitute(&[*term], by)[0];
    for state in &mut system.states {
        state.init.iter_mut().chain(&mut state.next).for_each(&mut change);
    }
    system.definitions.iter_mut().for_each(|d| change(&mut d.value));
    system.constraints.iter_mut().for_each(|c| change(&mut c.term));
    system.properties.iter_mut().for_each(|p| change(&mut p.bad));
    system.observables.iter_mut().for_each(|o| change(&mut o.term));
}

/// Booleans that have one value at the start and the other ever after, with the first one.
fn flags(system: &System) -> Vec<(TermId, bool)> {
    let constant = |term: Option<TermId>| match system.terms.as_constant(term?) {
        Some(Value::Bool(b)) => Some(*b),
        _ => None,
    };
    let flag = |s: &buttress_system::words::State| match (constant(s.init), constant(s.next)) {
        (Some(start), Some(later)) if start != later => Some((s.variable, start)),
        _ => None,
    };
    system.states.iter().filter_map(flag).collect()
}

/// The variables that may be read in the first step.
fn read_at_start(system: &System, flags: &[(TermId, bool)]) -> FxHashSet<TermId> {
    let mut terms = system.terms.clone();
    let mut now = FxHashMap::default();
    for definition in &system.definitions {
        let value = terms.image(definition.value, &mut now);
        now.insert(definition.variable, value);
    }
    let steps = system.states.iter().flat_map(|s| s.init.into_iter().chain(s.next));
    let claims = system.properties.iter().map(|p| p.bad).chain(system.constraints.iter().map(|c| c.term));
    let roots: Vec<TermId> = steps.chain(claims).collect();
    let roots: Vec<TermId> = roots.into_iter().map(|root| terms.image(root, &mut now)).collect();
    reads(&terms, roots, &truths(&terms, flags))
}

/// The truth of each term as far as these values decide it.
fn truths(terms: &Terms, flags: &[(TermId, bool)]) -> Vec<Option<bool>> {
    let mut known: Vec<Option<bool>> = Vec::with_capacity(terms.len());
    for term in terms.ids() {
        let is = |t: &TermId| known[t.index()];
        known.push(match terms.node(term) {
            Node::Variable(_) => flags.iter().find(|(flag, _)| *flag == term).map(|&(_, value)| value),
            Node::Constant(Value::Bool(b)) => Some(*b),
            Node::Constant(_) => None,
            Node::Apply(Op::Not, _, [a]) => is(a).map(|a| !a),
            Node::Apply(Op::And, _, all) => junction(all.iter().map(is), false),
            Node::Apply(Op::Or, _, all) => junction(all.iter().map(is), true),
            Node::Apply(Op::Implies, _, [a, b]) => junction([is(a).map(|a| !a), is(b)].into_iter(), true),
            Node::Apply(Op::Ite, _, [c, a, b]) => is(c).and_then(|c| if c { is(a) } else { is(b) }),
            Node::Apply(..) => None,
        });
    }
    known
}

/// Of a disjunction (`decisive` is true) or a conjunction (false).
fn junction(mut parts: impl Iterator<Item = Option<bool>> + Clone, decisive: bool) -> Option<bool> {
    if parts.clone().any(|p| p == Some(decisive)) {
        return Some(decisive);
    }
    parts.all(|p| p == Some(!decisive)).then_some(!decisive)
}

fn reads(terms: &Terms, roots: Vec<TermId>, known: &[Option<bool>]) -> FxHashSet<TermId> {
    let (mut todo, mut seen, mut read) = (roots, FxHashSet::default(), FxHashSet::default());
    while let Some(term) = todo.pop() {
        if known[term.index()].is_some() && *terms.sort(term) == Sort::Bool || !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Variable(_) => drop(read.insert(term)),
            Node::Apply(Op::Ite, _, &[c, a, b]) if known[c.index()].is_some() => {
                todo.push(if known[c.index()] == Some(true) { a } else { b });
            }
            _ => todo.extend_from_slice(terms.operands(term)),
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_system::words::{Label, Property, PropertyKind};
    use buttress_system::{Proof, PropertyId};

    /// `a = 3 -> pre a - pre a + pre a`, with a state for each `pre a`; `open` reads the last one unguarded.
    fn system(open: bool) -> Arc<System> {
        let mut system = System::default();
        let first = system.add_state(Sort::Bool, Label::new("first"));
        let pre: Vec<StateId> =
            (0..3).map(|n| system.add_state(Sort::Int, Label::new(format!("pre {n}")))).collect();
        let v: Vec<TermId> = pre.iter().map(|&p| system.state(p).variable).collect();
        let flag = system.state(first).variable;
        let terms = &mut system.terms;
        let (yes, no, three, zero) = (terms.bool(true), terms.bool(false), terms.int(3), terms.int(0));
        let difference = terms.app(Op::Sub, &[v[0], v[1]]);
        let sum = terms.app(Op::Add, &[difference, v[2]]);
        let a = terms.ite(flag, three, sum);
        let read = if open { v[2] } else { a };
        let bad = terms.app(Op::Lt, &[read, zero]);
        let a = system.add_definition(a, Label::new("a"));
        (system.states[0].init, system.states[0].next) = (Some(yes), Some(no));
        pre.iter().for_each(|p| system.states[p.index()].next = Some(a));
        system.properties.push(Property { bad, kind: PropertyKind::Invariant, label: Label::new("p") });
        Arc::new(system)
    }

    #[test]
    fn states_with_one_next_that_nobody_reads_at_the_start_are_one() {
        let original = system(false);
        let merged = merge_equal_states(&original);
        assert_eq!(merged.gone(), 2);
        let read = merged.system.terms.free_variables(merged.system.definitions.iter().map(|d| d.value));
        assert_eq!(read.len(), 2, "the flag and one state");
        assert!(merged.system.terms.extends(&original.terms));
        let claim = Proof { properties: vec![PropertyId::new(0)], k: 1, distinct: None, invariant: vec![] };
        let proof = merged.proof(WordProof { terms: Arc::new(merged.system.terms.clone()), claim });
        assert_eq!(proof.claim.invariant.len(), 2);
        let lowered = merged.lower(&<System as buttress_system::Subject>::lemmas(&proof));
        assert_eq!(lowered.iter().flatten().count(), 1, "the property");
    }

    #[test]
    fn what_is_read_at_the_start_stays() {
        assert_eq!(merge_equal_states(&system(true)).gone(), 1);
    }
}
