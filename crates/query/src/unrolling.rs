//! The transition relation unrolled into a SAT solver, one frame a step, encoded on demand.
//!
//! `lit(n, t)` is the solver's literal for node `n` at time `t`:
//!
//! * a latch at `t > 0` *is* its next-state function at `t-1`, and at `t = 0` its reset (from `Init`) or a
//!   fresh variable (from anywhere): latches cost no variables and no clauses after the first frame;
//! * a gate is folded where an operand is constant or both are the same, shared with any gate of any frame
//!   over the same operands, and otherwise encoded by Tseitin's three clauses.
//!
//! Only nodes that a constraint, a lemma or a goal reaches are ever encoded. Constraints and lemmas are
//! asserted for good, so the depth of an unrolling only grows; where there are any, a query with fewer steps needs
//! a new one (a state whose only successors violate a constraint must stay visible to the shorter query).

use std::ops::RangeInclusive;

use buttress_solve::sat::{self, Outcome};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, LatchId, Lemma, Lit, Node, PropertyId, Var};
use rustc_hash::FxHashMap;

use crate::{From, Goal, Query};

/// The capabilities that an unrolling needs.
pub trait Incremental: sat::Model + sat::Core + sat::Phases + sat::Patient {}
impl<S: sat::Model + sat::Core + sat::Phases + sat::Patient> Incremental for S {}

pub(crate) struct Unrolling<S> {
    pub(crate) solver: S,
    from: From,
    truth: sat::Lit,
    /// `frames[t][v]`: the literal of variable `v` at time `t`, or `UNSEEN`.
    frames: Vec<Vec<u32>>,
    gates: FxHashMap<(sat::Lit, sat::Lit), sat::Lit>,
    /// `safe[p]`: assumed, property `p` holds in all frames before the last.
    safe: FxHashMap<PropertyId, Hypothesis>,
    /// Assumed, the states that were told apart so far differ.
    pub(crate) distinct: sat::Lit,
    lemmas: Vec<Lemma>,
    /// Assumed, one of the properties that were asked for last is violated; never assumed again.
    some_bad: Option<sat::Lit>,
    pub(crate) clauses: u64,
}

struct Hypothesis {
    selector: sat::Lit,
    /// Frames `0..up_to` carry it.
    up_to: usize,
}

const UNSEEN: u32 = u32::MAX;

impl<S: Incremental> Unrolling<S> {
    pub(crate) fn new(solver: S, from: From, lemmas: &[Lemma]) -> Unrolling<S> {
        let mut solver = solver;
        let truth = solver.new_var();
        let distinct = solver.new_var();
        solver.add_clause(&[truth]);
        Unrolling {
            solver,
            from,
            truth,
            distinct,
            frames: Vec::new(),
            gates: FxHashMap::default(),
            safe: FxHashMap::default(),
            lemmas: lemmas.to_vec(),
            some_bad: None,
            clauses: 1,
        }
    }

    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Extends to `steps + 1` frames: the constraints and lemmas of each hold.
    pub(crate) fn extend(&mut self, system: &BitSystem, steps: usize, stop: &Stop) -> Result<(), Stopped> {
        while self.frames.len() <= steps {
            stop.check()?;
            let t = self.frames.len();
            let mut frame = vec![UNSEEN; system.num_vars()];
            frame[Var::CONSTANT.index()] = (!self.truth).code();
            self.frames.push(frame);
            if t == 0 && self.from == From::Init {
                self.encode_resets(system);
            }
            for &constraint in &system.constraints {
                let lit = self.lit(system, constraint, t);
                self.add_clause(&[lit]);
            }
            for lemma in self.lemmas.clone() {
                self.assert_lemma(system, &lemma, t);
            }
        }
        Ok(())
    }

    /// R(x₀,i₀), in an order in which every reset reads what is already there.
    fn encode_resets(&mut self, system: &BitSystem) {
        let order = system.reset_order().expect("resets were stratified when the system was read");
        for latch in order {
            let own = system.latch_lit(latch);
            let reset = system.latch(latch).reset;
            let lit = if reset == own { self.solver.new_var() } else { self.lit(system, reset, 0) };
            self.frames[0][own.var().index()] = lit.code();
        }
    }

    pub(crate) fn learn(&mut self, system: &BitSystem, lemma: &Lemma) {
        for t in 0..self.frames.len() {
            self.assert_lemma(system, lemma, t);
        }
        self.lemmas.push(lemma.clone());
    }

    pub(crate) fn assert_lemma(&mut self, system: &BitSystem, lemma: &Lemma, t: usize) {
        let clause = match lemma {
            Lemma::Property(p) => vec![!self.lit(system, system.property(*p).bad, t)],
            Lemma::Clause(clause) => clause.0.iter().map(|&l| self.lit(system, l, t)).collect(),
        };
        self.add_clause(&clause);
    }

    /// The assumptions of this query: the goal in the last frame, and its hypotheses.
    pub(crate) fn assumptions(&mut self, system: &BitSystem, query: &Query<'_>) -> Vec<sat::Lit> {
        let last = query.steps;
        let mut assumptions = Vec::new();
        if query.distinct {
            assumptions.push(self.distinct);
        }
        for &property in query.safe_before_last {
            assumptions.push(self.safe_before(system, property, last));
        }
        match query.goal {
            Goal::Bad(properties) => {
                assumptions.push(self.some_bad(system, properties, last - query.slack..=last));
            }
            Goal::Cube(cube) => assumptions.extend(cube.0.iter().map(|&l| self.lit(system, l, last))),
            Goal::Any => {}
        }
        assumptions
    }

    /// A literal that implies that one of these is violated at one of these times.
    fn some_bad(
        &mut self,
        system: &BitSystem,
        properties: &[PropertyId],
        times: RangeInclusive<usize>,
    ) -> sat::Lit {
        let each = times.flat_map(|t| properties.iter().map(move |&p| (p, t)));
        let bads: Vec<sat::Lit> = each.map(|(p, t)| self.lit(system, system.property(p).bad, t)).collect();
        if let [bad] = bads[..] {
            return bad;
        }
        self.some_bad.take().into_iter().for_each(|old| self.add_clause(&[!old]));
        let selector = self.solver.new_var();
        self.add_clause(&[vec![!selector], bads].concat());
        self.some_bad = Some(selector);
        selector
    }

    /// The selector of "¬bad(x_t,i_t) for all t < last".
    pub(crate) fn safe_before(&mut self, system: &BitSystem, property: PropertyId, last: usize) -> sat::Lit {
        let (selector, done) = match self.safe.get(&property) {
            Some(hypothesis) => (hypothesis.selector, hypothesis.up_to),
            None => (self.solver.new_var(), 0),
        };
        for t in done..last {
            let bad = self.lit(system, system.property(property).bad, t);
            self.add_clause(&[!selector, !bad]);
        }
        self.safe.insert(property, Hypothesis { selector, up_to: done.max(last) });
        selector
    }

    /// distinct → x_a ≠ x_b
    pub(crate) fn tell_apart(&mut self, system: &BitSystem, a: usize, b: usize) {
        let mut clause = vec![!self.distinct];
        for latch in system.latches() {
            let own = system.latch_lit(latch);
            let (x, y) = (self.lit(system, own, a), self.lit(system, own, b));
            if x == !y {
                return;
            }
            if x != y {
                clause.push(self.differ(x, y));
            }
        }
        self.add_clause(&clause);
    }

    /// A literal that implies x ≠ y.
    fn differ(&mut self, x: sat::Lit, y: sat::Lit) -> sat::Lit {
        let d = self.solver.new_var();
        self.add_clause(&[!d, x, y]);
        self.add_clause(&[!d, !x, !y]);
        d
    }

    /// `Err(Stopped::Budget)` after so many conflicts.
    pub(crate) fn solve(&mut self, assumptions: &[sat::Lit], conflicts: u64) -> Result<Outcome, Stopped> {
        self.solver.solve_within(assumptions, conflicts)?.ok_or(Stopped::Budget)
    }

    /// The literal in the model; what was never encoded may be anything, and reads as false.
    pub(crate) fn value(&mut self, lit: Lit, t: usize) -> bool {
        match self.frames[t][lit.var().index()] {
            UNSEEN => lit.is_negated(),
            code => self.solver.value(from_code(code) ^ lit.is_negated()),
        }
    }

    /// The solver's literal for `lit` at time `t`, encoding its cone on demand (explicit stack: cones are
    /// as deep as the circuit is long).
    pub(crate) fn lit(&mut self, system: &BitSystem, lit: Lit, t: usize) -> sat::Lit {
        if self.frames[t][lit.var().index()] == UNSEEN {
            let mut stack = vec![(lit.var(), t)];
            while let Some(&(var, t)) = stack.last() {
                if self.frames[t][var.index()] != UNSEEN || self.define(system, var, t, &mut stack) {
                    stack.pop();
                }
            }
        }
        from_code(self.frames[t][lit.var().index()]) ^ lit.is_negated()
    }

    /// Defines one node if its operands are there; otherwise puts them on the stack.
    fn define(&mut self, system: &BitSystem, var: Var, t: usize, stack: &mut Vec<(Var, usize)>) -> bool {
        let defined = match system.node(var) {
            Node::Constant => unreachable!("the constant is there from the start"),
            Node::Input(_) => self.solver.new_var(),
            Node::Latch(latch) => match self.latch(system, latch, t) {
                Ok(lit) => lit,
                Err(operand) => {
                    stack.push(operand);
                    return false;
                }
            },
            Node::Gate(a, b) => {
                let before = stack.len();
                for operand in [a, b] {
                    if self.frames[t][operand.var().index()] == UNSEEN {
                        stack.push((operand.var(), t));
                    }
                }
                if stack.len() > before {
                    return false;
                }
                let (a, b) = (self.seen(a, t), self.seen(b, t));
                self.and(a, b)
            }
        };
        self.frames[t][var.index()] = defined.code();
        true
    }

    /// The latch's literal, or the operand that must come first.
    fn latch(&mut self, system: &BitSystem, latch: LatchId, t: usize) -> Result<sat::Lit, (Var, usize)> {
        if t == 0 {
            // From `Init`, resets were encoded with the frame.
            return Ok(self.solver.new_var());
        }
        let next = system.latch(latch).next;
        match self.frames[t - 1][next.var().index()] {
            UNSEEN => Err((next.var(), t - 1)),
            _ => Ok(self.seen(next, t - 1)),
        }
    }

    fn seen(&self, lit: Lit, t: usize) -> sat::Lit {
        from_code(self.frames[t][lit.var().index()]) ^ lit.is_negated()
    }

    /// g ↔ a ∧ b
    fn and(&mut self, a: sat::Lit, b: sat::Lit) -> sat::Lit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        match () {
            _ if a == self.truth => return b,
            _ if b == self.truth || a == b => return a,
            _ if a == !self.truth || b == !self.truth || a == !b => return !self.truth,
            _ => {}
        }
        if let Some(&gate) = self.gates.get(&(a, b)) {
            return gate;
        }
        let gate = self.solver.new_var();
        self.add_clause(&[!gate, a]);
        self.add_clause(&[!gate, b]);
        self.add_clause(&[gate, !a, !b]);
        self.gates.insert((a, b), gate);
        gate
    }

    pub(crate) fn add_clause(&mut self, clause: &[sat::Lit]) {
        self.clauses += 1;
        self.solver.add_clause(clause);
    }
}

fn from_code(code: u32) -> sat::Lit {
    sat::Lit::new(code >> 1, code & 1 == 1)
}
