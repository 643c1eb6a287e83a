//! The questions of the search: one session for each step, with a letter for every predicate at every instance
//! before it and for every predicate after it.
//!
//! So a guess is a clause over letters, whatever the predicates are, and an answer is read off letters.

use std::collections::BTreeSet;

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Core, Model, Session, Solver};
use buttress_term::{Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

/// Predicates by number, with their values.
pub type Cube = BTreeSet<(usize, bool)>;

/// The values of all predicates at one instance.
pub type Valuation = Vec<bool>;

/// A Boolean term as a letter, or what it always is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Letter {
    Known(bool),
    Open(TermId),
    /// Its predicate is not in the vocabulary.
    Unsaid(TermId),
}

/// Clauses and facts that hold before a step, and the predicates after it.
pub struct Stage {
    pub session: Session,
    letters: FxHashMap<TermId, TermId>,
    /// For each instance, the predicates before.
    before: Vec<Vec<Letter>>,
    after: Vec<Letter>,
    /// Predicates that the step leaves as they are.
    kept: Vec<bool>,
}

/// The answer to the question whether a step reaches certain values.
pub enum Reply {
    /// It is not reached, for the sake of these switches.
    Unreached(Vec<TermId>),
    /// A step that reaches it: the state before, by its values at the instances, and the values after.
    Reached(Vec<Valuation>, Valuation),
}

impl Stage {
    /// `before` is over instances and predicates, `after` over predicates; `predicates` are these as such. None of
    /// them is in the vocabulary.
    pub fn new(
        terms: &mut Terms,
        mut session: Session,
        facts: &[TermId],
        before: &[Vec<TermId>],
        after: &[TermId],
        predicates: &[TermId],
    ) -> Stage {
        let roots: Vec<TermId> = facts.iter().chain(before.iter().flatten()).chain(after).copied().collect();
        let ranges = terms.ranges(&roots);
        facts.iter().chain(&ranges).for_each(|&fact| session.assert(terms, fact));
        let mut rows: Vec<Vec<Letter>> = Vec::new();
        for instance in before {
            let row: Vec<Letter> = instance.iter().map(|&t| Letter::Unsaid(t)).collect();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        Stage {
            session,
            letters: FxHashMap::default(),
            before: rows,
            after: after.iter().map(|&t| Letter::Unsaid(t)).collect(),
            kept: after.iter().zip(predicates).map(|(a, p)| a == p).collect(),
        }
    }

    /// Predicates that answers tell and guesses are made of, from now on.
    pub fn say(&mut self, terms: &mut Terms, predicates: &[usize]) {
        for &predicate in predicates {
            for row in 0..self.before.len() {
                self.before[row][predicate] = self.said(terms, self.before[row][predicate]);
            }
            if let Some(&letter) = self.after.get(predicate) {
                self.after[predicate] = self.said(terms, letter);
            }
        }
    }

    fn said(&mut self, terms: &mut Terms, letter: Letter) -> Letter {
        match letter {
            Letter::Unsaid(term) => self.letter(terms, term),
            known => known,
        }
    }

    fn letter(&mut self, terms: &mut Terms, term: TermId) -> Letter {
        if let Some(Value::Bool(value)) = terms.as_constant(term) {
            return Letter::Known(*value);
        }
        if let Some(&letter) = self.letters.get(&term) {
            return Letter::Open(letter);
        }
        let letter = terms.variable(format!("b{}", self.letters.len()), Sort::Bool);
        let equal = terms.eq(letter, term);
        self.session.assert(terms, equal);
        self.letters.insert(term, letter);
        Letter::Open(letter)
    }

    /// Whether a cube holds after the step if and only if it holds before.
    pub fn keeps(&self, cube: &Cube) -> bool {
        cube.iter().all(|&(p, _)| self.kept[p])
    }

    /// switch ⇒ ⋀_π ¬cube[π]
    pub fn forbid(&mut self, terms: &mut Terms, cube: &Cube, switch: TermId) {
        let mut clauses: BTreeSet<Vec<(TermId, bool)>> = BTreeSet::new();
        'instances: for row in &self.before {
            let mut clause = Vec::new();
            for &(predicate, value) in cube {
                match row[predicate] {
                    Letter::Known(known) if known == value => {}
                    Letter::Known(_) => continue 'instances,
                    Letter::Open(letter) => clause.push((letter, !value)),
                    Letter::Unsaid(_) => unreachable!("cubes are made of the vocabulary"),
                }
            }
            clause.sort_unstable();
            clause.dedup();
            if clause.windows(2).all(|pair| pair[0].0 != pair[1].0) {
                clauses.insert(clause);
            }
        }
        for clause in clauses {
            let mut literals = vec![terms.not(switch)];
            literals.extend(clause.iter().map(|&(letter, value)| literal(terms, letter, value)));
            let clause = terms.any(&literals);
            self.session.assert(terms, clause);
        }
    }

    /// switches ∧ T ∧ cube′
    pub fn ask(&mut self, terms: &mut Terms, switches: &[TermId], cube: &Cube) -> Result<Reply, Stopped> {
        let mut assumptions = switches.to_vec();
        for &(predicate, value) in cube {
            match self.after[predicate] {
                Letter::Known(known) if known == value => {}
                Letter::Known(_) => return Ok(Reply::Unreached(Vec::new())),
                Letter::Open(letter) => assumptions.push(literal(terms, letter, value)),
                Letter::Unsaid(_) => unreachable!("cubes are made of the vocabulary"),
            }
        }
        while self.session.check(terms, &assumptions)? == Outcome::Sat {
            if let Some((rows, after)) = self.valuations(terms)? {
                return Ok(Reply::Reached(rows, after));
            }
        }
        let mut core = self.session.core(terms)?;
        core.retain(|l| switches.contains(l));
        Ok(Reply::Unreached(core))
    }

    /// switches ∧ goal
    pub fn ask_for(
        &mut self,
        terms: &mut Terms,
        switches: &[TermId],
        goal: TermId,
    ) -> Result<Option<Vec<Valuation>>, Stopped> {
        let assumptions: Vec<TermId> = switches.iter().copied().chain([goal]).collect();
        while self.session.check(terms, &assumptions)? == Outcome::Sat {
            if let Some((rows, _)) = self.valuations(terms)? {
                return Ok(Some(rows));
            }
        }
        Ok(None)
    }

    /// The values of the predicates in the last answer: at the instances before, and after.
    fn valuations(&mut self, terms: &Terms) -> Result<Option<(Vec<Valuation>, Valuation)>, Stopped> {
        let all = self.before.iter().flatten().chain(&self.after);
        let mut letters: Vec<TermId> = all.filter_map(Letter::open).collect();
        letters.sort_unstable();
        letters.dedup();
        let Some(values) = self.session.values(terms, &letters)? else { return Ok(None) };
        let values: FxHashMap<TermId, bool> =
            letters.into_iter().zip(values.iter().map(|v| *v == Value::Bool(true))).collect();
        let value = |letter: &Letter| match letter {
            Letter::Known(value) => *value,
            Letter::Open(letter) => values[letter],
            Letter::Unsaid(_) => false,
        };
        let mut rows: Vec<Valuation> = Vec::new();
        for row in &self.before {
            let row: Valuation = row.iter().map(value).collect();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        Ok(Some((rows, self.after.iter().map(value).collect())))
    }
}

impl Letter {
    fn open(&self) -> Option<TermId> {
        match self {
            Letter::Known(_) | Letter::Unsaid(_) => None,
            Letter::Open(letter) => Some(*letter),
        }
    }
}

fn literal(terms: &mut Terms, letter: TermId, value: bool) -> TermId {
    if value { letter } else { terms.not(letter) }
}
