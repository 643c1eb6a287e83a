//! The instantiation set: which terms of a word-level system are compared (Section 4).
//!
//! All that its equations, constraints and properties are made of: variables, subterms, constants; Booleans with
//! numbers inside and numbers with Booleans inside. `pre x` is a state of its own in Lustre, and the next value of
//! a state is a subterm, so two-state relations are among them. To these come:
//!
//! * `true` and `false`;
//! * negations of Boolean variables, so that two signals may exclude each other;
//! * of a comparison of an integer with a constant c, c - 1 and c + 1;
//! * of a comparison of two numbers that are not constant, their difference, and zero;
//! * Boolean *thresholds* `x <= c` and `x >= c` of integer variables, for the constants that integers are compared
//!   with: what holds only under a condition is an implication between the condition and a threshold;
//! * *guarded* thresholds `a => x <= c` and `a => x >= c`, where a property, or a conjunct of it, says something
//!   under the condition `a` alone: then what it rests on mostly holds under `a`, too, and that two thresholds
//!   exclude each other under `a` speaks of three terms.
//!
//! A defined variable stands for its definition: `x`, not the right side of its equation. Of states with the same
//! start and the same next value the first stands for all: terms that read another are rewritten, and the others
//! are compared as variables only. Where they start anywhere they are equal after the first step, so that they are
//! is a Boolean term. Conjunctions are left out (`No_Ands`), because they imply their parts and that is all there
//! is to say of most.

use std::collections::{BTreeMap, BTreeSet};

use buttress_system::words::System;
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};

use num_bigint::BigInt;
use num_traits::Signed;
use rustc_hash::FxHashMap;

use super::order::Template;

/// Which sorts of terms are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kinds {
    /// Booleans and words of one bit (`bool` of the paper).
    pub two_valued: bool,
    /// Integers, reals and words (`int` of the paper).
    pub numbers: bool,
    /// Enumerations; by equality only.
    pub others: bool,
}

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds { two_valued: true, numbers: true, others: true }
    }
}

/// How terms are chosen.
#[derive(Clone, Debug)]
pub struct Selection {
    pub kinds: Kinds,
    /// Conjunctions, too (`No_Ands` is off).
    pub ands: bool,
    pub negations: bool,
    /// Thresholds of one program, at most, and conditions that they are compared under, too.
    pub thresholds: usize,
    pub guards: usize,
    /// Compare words as signed numbers, too.
    pub signed: bool,
    /// Terms of one sort, at most; the simplest are taken.
    pub most: usize,
    /// Terms that are compared whatever the others are, in the system's store.
    pub own: Vec<TermId>,
    /// Variables of parts that were looked at by themselves, with a number for each part. What reads variables of
    /// one such part alone is left out.
    pub settled: FxHashMap<TermId, usize>,
}

impl Default for Selection {
    fn default() -> Selection {
        let kinds = Kinds::default();
        let (own, settled) = (Vec::new(), FxHashMap::default());
        Selection {
            kinds,
            ands: false,
            negations: true,
            thresholds: 200,
            guards: 1,
            signed: false,
            most: 600,
            own,
            settled,
        }
    }
}

/// The chosen terms of one sort, with a template.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub template: Template,
    pub sort: Sort,
    pub terms: Vec<TermId>,
}

/// The terms to compare, by sort and template; the store is the system's, extended.
pub(super) fn select(system: &System, selection: &Selection) -> (Terms, Vec<Chosen>) {
    let mut picker = Picker::new(system, selection);
    picker.pick();
    picker.finish()
}

struct Picker<'a> {
    system: &'a System,
    selection: &'a Selection,
    terms: Terms,
    chosen: BTreeMap<Sort, Vec<TermId>>,
    /// Constants that integers are compared with, and their neighbours.
    limits: BTreeSet<TermId>,
    definitions: FxHashMap<TermId, TermId>,
}

impl<'a> Picker<'a> {
    fn new(system: &'a System, selection: &'a Selection) -> Picker<'a> {
        let terms = system.terms.clone();
        let definitions = system.definitions.iter().map(|d| (d.variable, d.value)).collect();
        Picker { system, selection, terms, chosen: BTreeMap::new(), limits: BTreeSet::new(), definitions }
    }

    fn pick(&mut self) {
        let copies = copies(self.system);
        let mut defined = vec![false; self.terms.len()];
        let definitions = &self.system.definitions;
        for definition in definitions {
            // A constant or another variable is worth comparing even if something is defined by it.
            defined[definition.value.index()] = !self.terms.operands(definition.value).is_empty();
        }
        let mut roots: Vec<TermId> = definitions.iter().flat_map(|d| [d.variable, d.value]).collect();
        roots.extend(self.system.states.iter().flat_map(|s| [Some(s.variable), s.init, s.next]).flatten());
        roots.extend(self.system.inputs.iter().map(|i| i.variable));
        roots.extend(self.system.constraints.iter().map(|c| c.term));
        roots.extend(self.system.properties.iter().map(|p| p.bad));
        let all: Vec<TermId> = self.terms.cone(roots).into_iter().filter(|t| !defined[t.index()]).collect();
        let all = self.unsettled(all);
        let rewritten = self.terms.substitute(&all, &copies);
        let loose: BTreeSet<TermId> = self.loose(&copies).map(|(state, _)| state).collect();
        for (term, rewritten) in all.into_iter().zip(rewritten) {
            let copy = rewritten != term && self.terms.is_variable(term);
            match copy && !loose.contains(&term) {
                true => self.add(term),
                false => self.consider(rewritten),
            }
        }
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        [no, yes].into_iter().for_each(|constant| self.add(constant));
        self.thresholds(&copies);
        self.equal_later(&copies);
        self.selection.own.iter().for_each(|&term| self.add(term));
    }

    /// Those that read more than one settled part.
    fn unsettled(&self, all: Vec<TermId>) -> Vec<TermId> {
        let settled = &self.selection.settled;
        if settled.is_empty() {
            return all;
        }
        let mut reads: FxHashMap<TermId, Reads> = FxHashMap::default();
        for term in self.terms.cone(all.iter().copied()) {
            let read = match (settled.get(&term), self.terms.is_variable(term)) {
                (Some(&part), _) => Reads::Part(part),
                (None, true) => Reads::More,
                (None, false) => {
                    self.terms.operands(term).iter().fold(Reads::Nothing, |r, t| r.and(reads[t]))
                }
            };
            reads.insert(term, read);
        }
        all.into_iter().filter(|t| !matches!(reads[t], Reads::Part(_))).collect()
    }

    /// Copies that may differ in the first step only, with who they are copies of.
    fn loose<'t>(
        &self,
        copies: &'t FxHashMap<TermId, TermId>,
    ) -> impl Iterator<Item = (TermId, TermId)> + use<'a, 't> {
        let states = self.system.states.iter().filter(|state| state.init.is_none());
        states.filter_map(|state| Some((state.variable, *copies.get(&state.variable)?)))
    }

    fn equal_later(&mut self, copies: &FxHashMap<TermId, TermId>) {
        for (copy, original) in self.loose(copies) {
            let equal = self.terms.eq(original, copy);
            self.add(equal);
        }
    }

    /// The definition of a variable, followed through further definitions.
    fn meaning(&self, term: TermId) -> TermId {
        std::iter::successors(Some(term), |t| self.definitions.get(t).copied()).last().unwrap_or(term)
    }

    /// The conditions under which properties say something.
    fn guards(&self) -> Vec<TermId> {
        let bads = self.system.properties.iter().map(|property| (property.bad, false));
        let (mut todo, mut met): (Vec<(TermId, bool)>, BTreeSet<_>) = (bads.collect(), BTreeSet::new());
        let mut guards = Vec::new();
        while let Some((term, holds)) = todo.pop() {
            let term = self.meaning(term);
            if !met.insert((term, holds)) {
                continue;
            }
            match (self.terms.node(term), holds) {
                (Node::Apply(Op::Not, _, &[inner]), _) => todo.push((inner, !holds)),
                (Node::Apply(Op::And, _, parts), true) | (Node::Apply(Op::Or, _, parts), false) => {
                    todo.extend(parts.iter().map(|&part| (part, holds)));
                }
                (Node::Apply(Op::Implies, _, &[premise, _]), true) => guards.push(premise),
                _ => {}
            }
        }
        guards.sort_unstable();
        guards.dedup();
        guards.truncate(self.selection.guards);
        guards
    }

    fn consider(&mut self, term: TermId) {
        match self.terms.node(term) {
            Node::Apply(Op::And, ..) if !self.selection.ands => return,
            Node::Apply(op, _, &[a, b]) if is_comparison(op) => self.near(a, b),
            Node::Variable(_) if self.selection.negations && *self.terms.sort(term) == Sort::Bool => {
                let negated = self.terms.not(term);
                self.add(negated);
            }
            _ => {}
        }
        self.add(term);
    }

    /// `x <= c` and `x >= c`, also under each guard.
    fn thresholds(&mut self, copies: &FxHashMap<TermId, TermId>) {
        let is_copy = |t: TermId| {
            copies.contains_key(&t) || self.definitions.get(&t).is_some_and(|&d| self.terms.is_variable(d))
        };
        let integers = self.chosen.get(&Sort::Int).map_or(&[][..], |terms| terms);
        let variables = integers.iter().copied().filter(|&t| self.terms.is_variable(t) && !is_copy(t));
        let variables: BTreeSet<TermId> = variables.collect();
        let mut limits: Vec<TermId> = self.limits.iter().copied().collect();
        limits.sort_by_key(|&c| (distance_from_zero(&self.terms, c), c));
        let guards = self.guards();
        let pairs = limits.iter().flat_map(|&limit| variables.iter().map(move |&v| (v, limit)));
        for (variable, limit) in pairs.take(self.selection.thresholds / 2) {
            for op in [Op::Le, Op::Ge] {
                let threshold = self.terms.app(op, &[variable, limit]);
                self.add(threshold);
                for &guard in &guards {
                    let guarded = self.terms.implies(guard, threshold);
                    self.add(guarded);
                }
            }
        }
    }

    /// Adds the terms that a comparison suggests: constants next to its own, or the difference of its sides.
    fn near(&mut self, a: TermId, b: TermId) {
        if !matches!(self.terms.sort(a), Sort::Int | Sort::Real) {
            return;
        }
        match (self.terms.as_constant(a).cloned(), self.terms.as_constant(b).cloned()) {
            (Some(Value::Int(c)), None) | (None, Some(Value::Int(c))) => {
                for near in [&c - 1, c.clone(), &c + 1] {
                    let near = self.terms.int(near);
                    self.add(near);
                    self.limits.insert(near);
                }
            }
            (None, None) => {
                let difference = self.terms.app(Op::Sub, &[a, b]);
                let zero = self.terms.constant(Value::zero(self.terms.sort(a)));
                self.add(difference);
                self.add(zero);
            }
            _ => {}
        }
    }

    fn add(&mut self, term: TermId) {
        let sort = self.terms.sort(term).clone();
        self.chosen.entry(sort).or_default().push(term);
    }

    fn finish(self) -> (Terms, Vec<Chosen>) {
        let Picker { selection, terms, chosen, .. } = self;
        let mut families = Vec::new();
        for (sort, mut members) in chosen {
            if !wanted(&sort, &selection.kinds) {
                continue;
            }
            members.sort_by_key(|&term| (!selection.own.contains(&term), weight(&terms, term), term));
            members.dedup();
            members.truncate(selection.most.max(selection.own.len()));
            members.sort_by_key(|&term| (weight(&terms, term), term));
            let constant = members.iter().all(|&term| terms.as_constant(term).is_some());
            if members.len() < 2 || constant {
                continue;
            }
            let signed = selection.signed && matches!(sort, Sort::BitVec(2..));
            let templates = Template::of(&sort).iter().copied().chain(signed.then_some(Template::Signed));
            for template in templates {
                families.push(Chosen { template, sort: sort.clone(), terms: members.clone() });
            }
        }
        (terms, families)
    }
}

/// The settled parts that a term reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Nothing,
    Part(usize),
    More,
}

impl Reads {
    fn and(self, other: Reads) -> Reads {
        match (self, other) {
            (Reads::Nothing, read) | (read, Reads::Nothing) => read,
            (a, b) if a == b => a,
            _ => Reads::More,
        }
    }
}

/// States that are copies of one before them: the same start and the same next value.
fn copies(system: &System) -> FxHashMap<TermId, TermId> {
    let mut first = FxHashMap::default();
    let mut copies = FxHashMap::default();
    for state in system.states.iter().filter(|s| s.next.is_some()) {
        let original = *first.entry((state.init, state.next)).or_insert(state.variable);
        if original != state.variable {
            copies.insert(state.variable, original);
        }
    }
    copies
}

fn distance_from_zero(terms: &Terms, constant: TermId) -> BigInt {
    match terms.as_constant(constant) {
        Some(Value::Int(n)) => n.abs(),
        _ => BigInt::ZERO,
    }
}

fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Distinct | Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

fn wanted(sort: &Sort, kinds: &Kinds) -> bool {
    match sort {
        Sort::Bool | Sort::BitVec(1) => kinds.two_valued,
        Sort::Int | Sort::Real | Sort::BitVec(_) => kinds.numbers,
        Sort::Enum(_) => kinds.others,
        Sort::Array(_) => false,
    }
}

/// Simple ones first: constants, variables, and then by size. The first of a class represents it.
fn weight(terms: &Terms, term: TermId) -> usize {
    match terms.node(term) {
        Node::Constant(_) => 0,
        Node::Variable(_) => 1,
        Node::Apply(..) => terms.cone([term]).len(),
    }
}
