//! Justification of partial assignments, as in circuit solvers (the J-frontier of ATPG), on clauses.
//!
//! Let clauses define variables, each clause belonging to its highest variable. An assigned defined variable is
//! *justified* if every one of its clauses is satisfied. If all variables of a set N are assigned and justified by
//! literals in N, any values of the undefined variables outside of N extend to a model: in the order of the
//! variables, a defined one outside of N takes the value of its function, and one in N has it already, since no
//! other value satisfies its clauses. So a search may stop as soon as what it was asked for is in such an N.

use std::sync::Arc;

use crate::sat::Lit;

/// By literal: the clauses that its variable's definition loses to it, each without the literal.
#[derive(Default)]
pub(crate) struct Definitions {
    start: Vec<u32>,
    /// A length, then as many codes, again and again.
    clauses: Vec<u32>,
}

impl Definitions {
    pub(crate) fn new(variables: usize, clauses: &[Vec<Lit>]) -> Definitions {
        let mut by_literal: Vec<Vec<u32>> = vec![Vec::new(); 2 * variables];
        for clause in clauses {
            let owner = *clause.iter().max().expect("clauses are not empty");
            let list = &mut by_literal[owner.code() as usize];
            list.push(clause.len() as u32 - 1);
            list.extend(clause.iter().filter(|&&l| l != owner).map(|l| l.code()));
        }
        let mut definitions = Definitions { start: vec![0], clauses: Vec::new() };
        for list in by_literal {
            definitions.clauses.extend(list);
            definitions.start.push(definitions.clauses.len() as u32);
        }
        definitions
    }

    /// The clauses in which this literal is the highest, without it.
    pub(crate) fn of(&self, lit: Lit) -> impl Iterator<Item = &[u32]> {
        let at = lit.code() as usize;
        let known = at + 1 < self.start.len();
        let range = if known { self.start[at] as usize..self.start[at + 1] as usize } else { 0..0 };
        let mut rest = &self.clauses[range];
        std::iter::from_fn(move || {
            let (&len, after) = rest.split_first()?;
            let (clause, others) = after.split_at(len as usize);
            rest = others;
            Some(clause)
        })
    }
}

/// The set N of a query, as far as it has been built.
#[derive(Clone)]
pub(crate) struct Justification {
    pub(crate) definitions: Arc<Definitions>,
    /// Clauses that came after the definitions.
    pub(crate) required: Vec<Box<[Lit]>>,
    /// The temporary clause of the query, if any.
    pub(crate) temporary: Vec<Lit>,
    pub(crate) assumed: Vec<Lit>,
    /// N, in the order in which it was built, and by variable.
    pub(crate) needed: Vec<Lit>,
    pub(crate) is_needed: Vec<bool>,
    pub(crate) at: Place,
}

/// How far a justification got.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    needed: u32,
    /// So many of `needed` are justified.
    justified: u32,
    /// So many of the assumptions and clauses have what they need in N.
    served: u32,
}

impl Justification {
    pub(crate) fn new(definitions: Definitions) -> Justification {
        let is_needed = vec![false; definitions.start.len() / 2];
        Justification {
            definitions: Arc::new(definitions),
            required: Vec::new(),
            temporary: Vec::new(),
            assumed: Vec::new(),
            needed: Vec::new(),
            is_needed,
            at: Place::default(),
        }
    }

    /// Forgets N, back to this place.
    pub(crate) fn back(&mut self, place: Place) {
        for lit in self.needed.drain(place.needed as usize..) {
            self.is_needed[lit.variable() as usize] = false;
        }
        self.at = place;
    }

    pub(crate) fn ask(&mut self, assumed: &[Lit], temporary: &[Lit]) {
        self.assumed.clear();
        self.assumed.extend_from_slice(assumed);
        self.temporary.clear();
        self.temporary.extend_from_slice(temporary);
    }

    /// Goes on building N. Where a clause is not satisfied yet, the open literal of it to decide; `None` where N
    /// is done.
    pub(crate) fn advance(&mut self, values: &[i8], phase: &[bool]) -> Option<Lit> {
        let definitions = self.definitions.clone();
        loop {
            while let Some(&lit) = self.needed.get(self.at.justified as usize) {
                for clause in definitions.of(!lit) {
                    let lits = clause.iter().map(|&code| Lit::from_code(code));
                    match choose(lits, values, phase, &self.is_needed) {
                        Choice::Satisfied(lit) => self.need(lit),
                        Choice::Open(lit) => return Some(lit),
                    }
                }
                self.at.justified += 1;
            }
            match self.next_root(values, phase)? {
                Choice::Satisfied(lit) => self.need(lit),
                Choice::Open(lit) => return Some(lit),
            }
            self.at.served += 1;
        }
    }

    /// The choice that the next assumption or clause needs in N; `None` after the last.
    fn next_root(&self, values: &[i8], phase: &[bool]) -> Option<Choice> {
        let at = self.at.served as usize;
        if let Some(&lit) = self.assumed.get(at) {
            return Some(Choice::Satisfied(lit));
        }
        let at = at - self.assumed.len();
        let clause = if self.temporary.is_empty() {
            self.required.get(at)?
        } else if at == 0 {
            &self.temporary[..]
        } else {
            self.required.get(at - 1)?
        };
        Some(choose(clause.iter().copied(), values, phase, &self.is_needed))
    }

    fn need(&mut self, lit: Lit) {
        let seen = &mut self.is_needed[lit.variable() as usize];
        if !std::mem::replace(seen, true) {
            self.needed.push(lit);
            self.at.needed += 1;
        }
    }
}

enum Choice {
    Satisfied(Lit),
    Open(Lit),
}

/// A true literal of the clause, rather one of N; else an open one, rather one that is likely.
fn choose(lits: impl Iterator<Item = Lit>, values: &[i8], phase: &[bool], needed: &[bool]) -> Choice {
    let (mut satisfied, mut likely, mut open) = (None, None, None);
    for lit in lits {
        let variable = lit.variable() as usize;
        match values[lit.code() as usize] {
            1 if needed[variable] => return Choice::Satisfied(lit),
            1 => satisfied = satisfied.or(Some(lit)),
            0 if phase[variable] != lit.is_negated() => likely = likely.or(Some(lit)),
            0 => open = open.or(Some(lit)),
            _ => {}
        }
    }
    let undecided = || likely.or(open).expect("after propagation no clause is false");
    satisfied.map_or_else(|| Choice::Open(undecided()), Choice::Satisfied)
}
