//! A solver for terms over finite sorts: their bits, in a SAT solver.
//!
//! It has the traits of SMT solvers, so that what is written for those runs without one. The circuits are those of
//! [`blast`](super); each gate that a fact or an assumption depends on becomes three clauses, once.

use buttress_solve::sat::{self, Outcome};
use buttress_solve::{Stopped, smt};
use buttress_system::{BitSystem, InputId, Lit, Node, Var, words::code};
use buttress_term::{self as term, TermId, Terms};
use rustc_hash::FxHashMap;

use super::{apply, normalised, range};
use crate::gates::Gates;

/// Bits of variables come one after the other from a store of so many; they cost nothing before they are used.
const VARIABLES: usize = 1 << 28;

/// Facts over one store of terms, which may grow, all of finite sorts.
pub struct Bitwise<S> {
    solver: S,
    gates: Gates,
    arena: Vec<Lit>,
    ranges: Vec<Option<(u32, u32)>>,
    variables: usize,
    known: FxHashMap<Var, sat::Lit>,
    /// The assumptions of the last check.
    last: Vec<(TermId, sat::Lit)>,
}

impl<S: sat::Solver> Bitwise<S> {
    pub fn new(solver: S) -> Bitwise<S> {
        let gates = Gates::new(BitSystem::new(VARIABLES, 0));
        let (arena, ranges, known, last) = (Vec::new(), Vec::new(), FxHashMap::default(), Vec::new());
        Bitwise { solver, gates, arena, ranges, variables: 0, known, last }
    }

    /// The one bit of a Boolean.
    fn bit(&mut self, terms: &Terms, root: TermId) -> Lit {
        self.bits(terms, root);
        range(&self.arena, &self.ranges, root)[0]
    }

    /// Makes the bits of a term.
    fn bits(&mut self, terms: &Terms, root: TermId) {
        self.ranges.resize(terms.len(), None);
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            let before = stack.len();
            if self.ranges[term.index()].is_none() {
                stack.extend(terms.operands(term).iter().filter(|t| self.ranges[t.index()].is_none()));
                if stack.len() > before {
                    continue;
                }
                self.blast(terms, term);
            }
            stack.pop();
        }
    }

    /// One term whose operands have bits.
    fn blast(&mut self, terms: &Terms, term: TermId) {
        let bits = match terms.node(term) {
            term::Node::Constant(value) => code::encode(value).into_iter().map(Lit::constant).collect(),
            term::Node::Variable(_) => {
                let width = code::width(terms.sort(term)).expect("the sort is finite") as usize;
                let first = self.variables;
                self.variables += width;
                assert!(self.variables <= VARIABLES, "variables have fewer bits than that");
                let bit = |i| self.gates.system.input_lit(InputId::new(i));
                let raw = (first..self.variables).map(bit).collect();
                normalised(&mut self.gates, terms.sort(term), raw)
            }
            term::Node::Apply(op, indices, operands) => {
                let args: Vec<&[Lit]> =
                    operands.iter().map(|&t| range(&self.arena, &self.ranges, t)).collect();
                apply(&mut self.gates, terms, term, op, indices, &args)
            }
        };
        let begin = self.arena.len() as u32;
        self.arena.extend(bits);
        self.ranges[term.index()] = Some((begin, self.arena.len() as u32));
    }

    /// The solver's literal for a bit; the gates below it get their clauses.
    fn literal(&mut self, bit: Lit) -> sat::Lit {
        let mut todo = vec![bit.var()];
        while let Some(&var) = todo.last() {
            if self.known.contains_key(&var) {
                todo.pop();
                continue;
            }
            let made = match self.gates.system.node(var) {
                Node::Constant => {
                    let no = self.solver.new_var();
                    self.solver.add_clause(&[!no]);
                    no
                }
                Node::Input(_) | Node::Latch(_) => self.solver.new_var(),
                Node::Gate(a, b) => match (self.known(a), self.known(b)) {
                    (Some(a), Some(b)) => self.and(a, b),
                    _ => {
                        todo.extend([a.var(), b.var()]);
                        continue;
                    }
                },
            };
            self.known.insert(var, made);
        }
        self.known(bit).expect("it is there now")
    }

    fn known(&self, bit: Lit) -> Option<sat::Lit> {
        Some(*self.known.get(&bit.var())? ^ bit.is_negated())
    }

    /// g ⇔ a ∧ b
    fn and(&mut self, a: sat::Lit, b: sat::Lit) -> sat::Lit {
        let gate = self.solver.new_var();
        self.solver.add_clause(&[!gate, a]);
        self.solver.add_clause(&[!gate, b]);
        self.solver.add_clause(&[gate, !a, !b]);
        gate
    }
}

impl<S: sat::Solver> smt::Solver for Bitwise<S> {
    fn assert(&mut self, terms: &Terms, fact: TermId) {
        let bit = self.bit(terms, fact);
        let lit = self.literal(bit);
        self.solver.add_clause(&[lit]);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<Outcome, Stopped> {
        let mut literal = |&term: &TermId| {
            let bit = self.bit(terms, term);
            (term, self.literal(bit))
        };
        let last: Vec<(TermId, sat::Lit)> = assumptions.iter().map(&mut literal).collect();
        let lits: Vec<sat::Lit> = last.iter().map(|&(_, lit)| lit).collect();
        self.last = last;
        self.solver.solve(&lits)
    }
}

impl<S: sat::Model> Bitwise<S> {
    /// The value of a bit in the model; what the solver has not heard of follows from its inputs, which may be
    /// anything.
    fn value(&mut self, bit: Lit) -> bool {
        let value = match (self.known.get(&bit.var()), self.gates.system.node(bit.var())) {
            (Some(&lit), _) => self.solver.value(lit),
            (None, Node::Gate(a, b)) => self.value(a) && self.value(b),
            (None, _) => false,
        };
        value ^ bit.is_negated()
    }
}

impl<S: sat::Model> smt::Model for Bitwise<S> {
    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Option<Vec<term::Value>>, Stopped> {
        let mut value = |&term: &TermId| {
            self.bits(terms, term);
            let bits = range(&self.arena, &self.ranges, term).to_vec();
            let bits: Vec<bool> = bits.into_iter().map(|bit| self.value(bit)).collect();
            code::decode(terms.sort(term), &bits)
        };
        Ok(Some(of.iter().map(&mut value).collect()))
    }

    fn distrust(&mut self, why: &str) -> Result<(), Stopped> {
        Err(Stopped::Solver(why.to_string()))
    }
}

impl<S: sat::Core> smt::Core for Bitwise<S> {
    fn core(&mut self, _: &Terms) -> Result<Vec<TermId>, Stopped> {
        let failed = self.last.iter().filter(|(_, lit)| self.solver.failed(*lit));
        Ok(failed.map(|&(term, _)| term).collect())
    }
}
