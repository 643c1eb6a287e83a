//! Cubes: conjunctions of literals about distinct processes z1, z2, …, which stand for ∃z1 z2 …, and how they are
//! compared.

use std::collections::BTreeSet;

use buttress_solve::Stop;
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

/// ∃z1 … zk distinct: ⋀ literals. No two literals contradict each other by themselves.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cube {
    /// k.
    pub processes: usize,
    /// In order.
    pub literals: Vec<TermId>,
}

/// Literals under construction: what is known of each term that takes one of several values.
#[derive(Clone, Default)]
pub struct Literals {
    all: BTreeSet<TermId>,
    /// Terms with the constant that they are.
    values: FxHashMap<TermId, TermId>,
}

/// An atom `term = constant`.
pub fn as_value(terms: &Terms, atom: TermId) -> Option<(TermId, TermId)> {
    match terms.node(atom) {
        Node::Apply(Op::Eq, _, &[a, b]) if terms.as_constant(b).is_some() => Some((a, b)),
        Node::Apply(Op::Eq, _, &[a, b]) if terms.as_constant(a).is_some() => Some((b, a)),
        _ => None,
    }
}

/// An atom and its sign.
pub fn as_literal(terms: &Terms, literal: TermId) -> (TermId, bool) {
    match terms.node(literal) {
        Node::Apply(Op::Not, _, &[atom]) => (atom, false),
        _ => (literal, true),
    }
}

impl Literals {
    pub fn of(terms: &mut Terms, literals: &[TermId]) -> Option<Literals> {
        let mut all = Literals::default();
        literals.iter().all(|&l| all.add(terms, l)).then_some(all)
    }

    pub fn list(&self) -> Vec<TermId> {
        self.all.iter().copied().collect()
    }

    /// Whether a literal is known to hold, or known not to.
    pub fn decides(&self, terms: &mut Terms, literal: TermId) -> Option<bool> {
        let (atom, positive) = as_literal(terms, literal);
        if self.all.contains(&atom) {
            return Some(positive);
        }
        let negated = terms.not(atom);
        if self.all.contains(&negated) {
            return Some(!positive);
        }
        let (term, constant) = as_value(terms, atom)?;
        self.values.get(&term).map(|&value| (value == constant) == positive)
    }

    /// Adds a literal; `false` if it contradicts another one.
    pub fn add(&mut self, terms: &mut Terms, literal: TermId) -> bool {
        if let Some(holds) = self.decides(terms, literal) {
            return holds;
        }
        let (atom, positive) = as_literal(terms, literal);
        let Some((term, constant)) = as_value(terms, atom) else {
            self.all.insert(literal);
            return true;
        };
        if positive {
            // What it is not need not be said any more.
            let others: Vec<TermId> =
                self.all.iter().copied().filter(|&l| is_other_value(terms, l, term)).collect();
            self.all.retain(|l| !others.contains(l));
            self.all.insert(literal);
            self.values.insert(term, constant);
            return true;
        }
        self.all.insert(literal);
        self.last_value(terms, term)
    }

    /// A term that is all but one of its constants is that one.
    fn last_value(&mut self, terms: &mut Terms, term: TermId) -> bool {
        let Sort::Enum(e) = terms.sort(term).clone() else { return true };
        let sort = Sort::Enum(e.clone());
        let mut left = Vec::new();
        for index in 0..e.constants.len() as u32 {
            let constant = terms.enum_constant(&sort, index);
            let equal = terms.eq(term, constant);
            let not = terms.not(equal);
            if !self.all.contains(&not) {
                left.push(equal);
            }
        }
        match left.as_slice() {
            [] => false,
            &[last] => self.add(terms, last),
            _ => true,
        }
    }
}

fn is_other_value(terms: &Terms, literal: TermId, term: TermId) -> bool {
    let (atom, positive) = as_literal(terms, literal);
    !positive && as_value(terms, atom).is_some_and(|(t, _)| t == term)
}

/// The cubes of a conjunction of formulas, which have no case distinction between numbers.
///
/// `limit` bounds their number; `None` where there are more, or a stop was asked for.
pub fn expand(terms: &mut Terms, formulas: &[TermId], limit: usize, stop: &Stop) -> Option<Vec<Literals>> {
    let mut expansion = Expansion { terms, found: Vec::new(), limit, stop };
    let todo = formulas.iter().rev().map(|&f| (f, true)).collect();
    expansion.run(todo, Vec::new(), Literals::default())?;
    Some(expansion.found)
}

struct Expansion<'a> {
    terms: &'a mut Terms,
    found: Vec<Literals>,
    limit: usize,
    stop: &'a Stop,
}

type Formula = (TermId, bool);

impl Expansion<'_> {
    /// Conjunctions first; alternatives wait until all literals are known.
    fn run(
        &mut self,
        mut todo: Vec<Formula>,
        mut waiting: Vec<Vec<Vec<Formula>>>,
        mut known: Literals,
    ) -> Option<()> {
        while let Some((formula, positive)) = todo.pop() {
            match self.parts(formula, positive) {
                Parts::All(parts) => todo.extend(parts),
                Parts::Any(alternatives) => waiting.push(alternatives),
                Parts::Never => return Some(()),
                Parts::Literal(literal) => {
                    if !known.add(self.terms, literal) {
                        return Some(());
                    }
                }
            }
        }
        if self.stop.check().is_err() {
            return None;
        }
        let Some(alternatives) = waiting.pop() else {
            self.found.push(known);
            return (self.found.len() <= self.limit).then_some(());
        };
        if alternatives.iter().any(|a| self.holds(a, &known)) {
            return self.run(todo, waiting, known);
        }
        for alternative in alternatives {
            self.run(alternative, waiting.clone(), known.clone())?;
        }
        Some(())
    }

    /// Whether these are literals that are known already.
    fn holds(&mut self, alternative: &[Formula], known: &Literals) -> bool {
        alternative.iter().all(|&(formula, positive)| match self.parts(formula, positive) {
            Parts::Literal(literal) => known.decides(self.terms, literal) == Some(true),
            _ => false,
        })
    }

    fn parts(&mut self, formula: TermId, positive: bool) -> Parts {
        let each = |operands: &[TermId], sign: bool| operands.iter().map(|&t| (t, sign)).collect::<Vec<_>>();
        let boolean = |t: TermId, terms: &Terms| *terms.sort(t) == Sort::Bool;
        let (op, operands) = match self.terms.node(formula) {
            Node::Constant(Value::Bool(value)) if *value == positive => return Parts::All(Vec::new()),
            Node::Constant(_) => return Parts::Never,
            Node::Apply(op, _, operands) => (op, operands.to_vec()),
            Node::Variable(_) => return self.literal(formula, positive),
        };
        match (op, operands.as_slice()) {
            (Op::Not, &[a]) => Parts::All(vec![(a, !positive)]),
            (Op::And, all) if positive => Parts::All(each(all, true)),
            (Op::Or, all) if !positive => Parts::All(each(all, false)),
            (Op::And | Op::Or, all) => Parts::Any(all.iter().map(|&t| vec![(t, positive)]).collect()),
            (Op::Implies, &[a, b]) if positive => Parts::Any(vec![vec![(a, false)], vec![(b, true)]]),
            (Op::Implies, &[a, b]) => Parts::All(vec![(a, true), (b, false)]),
            (Op::Ite, &[c, a, b]) => {
                Parts::Any(vec![vec![(c, true), (a, positive)], vec![(c, false), (b, positive)]])
            }
            (Op::Eq | Op::Xor, &[a, b]) if boolean(a, self.terms) => {
                let same = (op == Op::Eq) == positive;
                Parts::Any(vec![vec![(a, true), (b, same)], vec![(a, false), (b, !same)]])
            }
            _ => self.literal(formula, positive),
        }
    }

    fn literal(&mut self, atom: TermId, positive: bool) -> Parts {
        if let Some(normal) = super::linear::normal(self.terms, atom, positive)
            && (normal, true) != (atom, positive)
        {
            return Parts::All(vec![(normal, true)]);
        }
        Parts::Literal(if positive { atom } else { self.terms.not(atom) })
    }
}

enum Parts {
    All(Vec<Formula>),
    Any(Vec<Vec<Formula>>),
    Literal(TermId),
    Never,
}
