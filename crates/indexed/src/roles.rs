//! Roles of integers: clients, positions in a queue, messages. Found by unification.
//!
//! A slot is a variable, an argument of a map or its result. Two slots are one role where a term passes from one
//! to the other: by application, comparison, assignment, or addition of a constant. An index symbol is replaced
//! only by terms of its own role, which keeps the instances few. This is a heuristic: any set of instances is
//! sound.

use buttress_system::indexed::Indexed;
use buttress_term::{Node, Op, TermId, Terms};
use rustc_hash::FxHashMap;

/// A variable, and how many arguments were applied, or which argument is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Slot {
    Result(TermId),
    Argument(TermId, usize),
}

/// A class of slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Role(usize);

#[derive(Default)]
pub struct Roles {
    slots: FxHashMap<Slot, usize>,
    /// The slots of terms that were walked: terms are shared.
    walked: FxHashMap<TermId, Option<usize>>,
    parents: Vec<usize>,
}

impl Roles {
    /// The roles of a model.
    pub fn of(model: &Indexed) -> Roles {
        let mut roles = Roles::default();
        let (system, terms) = (&model.system, &model.system.terms);
        for state in &system.states {
            state
                .init
                .into_iter()
                .chain(state.next)
                .for_each(|value| roles.assign(terms, state.variable, value));
        }
        let predicates = model.predicates.iter().chain(&model.axioms).map(|p| p.term);
        let properties = system.properties.iter().map(|p| p.bad);
        let constraints = system.constraints.iter().map(|c| c.term);
        for root in predicates.chain(properties).chain(constraints) {
            roles.walk(terms, root);
        }
        roles
    }

    fn slot(&mut self, slot: Slot) -> usize {
        let new = self.parents.len();
        let id = *self.slots.entry(slot).or_insert(new);
        if id == new {
            self.parents.push(new);
        }
        self.root(id)
    }

    fn root(&self, mut slot: usize) -> usize {
        while self.parents[slot] != slot {
            slot = self.parents[slot];
        }
        slot
    }

    fn unify(&mut self, a: Option<usize>, b: Option<usize>) {
        if let (Some(a), Some(b)) = (a, b) {
            let (a, b) = (self.root(a), self.root(b));
            self.parents[a.max(b)] = a.min(b);
        }
    }

    /// The role of a term, if it is more than a number.
    pub fn role(&mut self, terms: &Terms, term: TermId) -> Option<Role> {
        self.walk(terms, term).map(|slot| Role(self.root(slot)))
    }

    /// Learns what a term says is one.
    pub fn read(&mut self, terms: &Terms, term: TermId) {
        self.walk(terms, term);
    }

    /// The role of an argument of a map.
    pub fn argument(&mut self, map: TermId, place: usize) -> Role {
        let slot = self.slot(Slot::Argument(map, place));
        Role(self.root(slot))
    }

    /// `variable := value`
    fn assign(&mut self, terms: &Terms, variable: TermId, mut value: TermId) {
        let mut place = 0;
        while let Node::Apply(Op::Lambda, _, &[parameter, body]) = terms.node(value) {
            let (a, b) = (self.slot(Slot::Argument(variable, place)), self.slot(Slot::Result(parameter)));
            self.unify(Some(a), Some(b));
            (value, place) = (body, place + 1);
        }
        let (variable, value) = (self.walk(terms, variable), self.walk(terms, value));
        self.unify(variable, value);
    }

    fn walk(&mut self, terms: &Terms, term: TermId) -> Option<usize> {
        if let Some(&slot) = self.walked.get(&term) {
            return slot;
        }
        let slot = self.slot_of(terms, term);
        self.walked.insert(term, slot);
        slot
    }

    /// Unifies what the term says is one, and finds what it is about.
    fn slot_of(&mut self, terms: &Terms, term: TermId) -> Option<usize> {
        match terms.node(term) {
            Node::Variable(_) => Some(self.slot(Slot::Result(term))),
            Node::Constant(_) => None,
            Node::Apply(Op::Select, ..) => self.application(terms, term),
            Node::Apply(op, _, operands) => {
                let operands = operands.to_vec();
                let slots: Vec<Option<usize>> = operands.iter().map(|&t| self.walk(terms, t)).collect();
                match op {
                    Op::Eq | Op::Distinct | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                        slots.windows(2).for_each(|pair| self.unify(pair[0], pair[1]));
                        None
                    }
                    Op::Ite => {
                        self.unify(slots[1], slots[2]);
                        slots[1].or(slots[2])
                    }
                    Op::Add | Op::Sub => slots.into_iter().flatten().next(),
                    Op::Store => {
                        self.unify(slots[0], slots[2]);
                        slots[0]
                    }
                    Op::Lambda => slots[1],
                    _ => None,
                }
            }
        }
    }

    /// A map with the arguments that it has so far.
    fn application(&mut self, terms: &Terms, term: TermId) -> Option<usize> {
        let (mut map, mut arguments) = (term, Vec::new());
        while let Node::Apply(Op::Select, _, &[inner, argument]) = terms.node(map) {
            arguments.push(argument);
            map = inner;
        }
        arguments.reverse();
        for (place, &argument) in arguments.iter().enumerate() {
            let given = self.walk(terms, argument);
            if terms.is_variable(map) {
                let wanted = self.slot(Slot::Argument(map, place));
                self.unify(given, Some(wanted));
            }
        }
        self.walk(terms, map)
    }
}
