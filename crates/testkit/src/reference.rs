//! The truth about a small system, by listing all its states.
//!
//! Every pair of a state and an input vector is a *point*; a variable's value at all points is a row of bits,
//! and a gate is the conjunction of two rows. From there on everything is sets of points. Nothing here uses
//! the simulator, the evaluation of `evidence`, `reset_order`, or a solver: a point is a start if each latch
//! has the value that its reset has *at that point*, whatever depends on what.
//!
//! Limits: 2^(inputs + latches) points, so a dozen inputs and latches together.

use buttress_system::{BitSystem, Clause, LatchId, Lit, Node, Proof, PropertyId, Ternary, Trace, Var};

/// A set of points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Points(Vec<u64>);

/// All points of a system.
pub struct Explicit {
    inputs: usize,
    latches: usize,
    /// The points at which each variable is 1.
    values: Vec<Points>,
    bads: Vec<Points>,
    /// Where all constraints hold.
    pub allowed: Points,
    /// Where all resets hold; the constraints may not.
    pub starts: Points,
    /// The state after each point.
    next: Vec<usize>,
    /// Points that executions reach after exactly 0, 1, 2, … steps, as long as there are new ones.
    layers: Vec<Points>,
}

/// The truth about a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// For each property the step of a shortest violation; `None`: it holds.
    pub violated: Vec<Option<usize>>,
    /// No execution has this many states, if there is such a number.
    pub ends: Option<usize>,
}

impl Points {
    fn none(points: usize) -> Points {
        Points(vec![0; points.div_ceil(64)])
    }

    fn all(points: usize) -> Points {
        let mut all = Points::none(points);
        (0..points).for_each(|p| all.insert(p));
        all
    }

    pub fn contains(&self, point: usize) -> bool {
        self.0[point / 64] >> (point % 64) & 1 == 1
    }

    fn insert(&mut self, point: usize) {
        self.0[point / 64] |= 1 << (point % 64);
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn and(&self, other: &Points) -> Points {
        Points(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub fn minus(&self, other: &Points) -> Points {
        Points(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    pub fn or(&self, other: &Points) -> Points {
        Points(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    /// The points for which this holds.
    pub fn filtered(&self, keep: impl Fn(&usize) -> bool) -> Points {
        let mut some = Points(vec![0; self.0.len()]);
        self.iter().filter(keep).for_each(|p| some.insert(p));
        some
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..64 * self.0.len()).filter(|&p| self.contains(p))
    }
}

impl Explicit {
    pub fn new(system: &BitSystem) -> Explicit {
        let (inputs, latches) = (system.num_inputs(), system.num_latches());
        let points = 1 << (inputs + latches);
        let mut explicit = Explicit {
            inputs,
            latches,
            values: Vec::new(),
            bads: Vec::new(),
            allowed: Points::all(points),
            starts: Points::all(points),
            next: vec![0; points],
            layers: Vec::new(),
        };
        explicit.evaluate(system);
        explicit.bads = system.properties.iter().map(|p| explicit.row(p.bad)).collect();
        for &constraint in &system.constraints {
            explicit.allowed = explicit.allowed.and(&explicit.row(constraint));
        }
        for latch in system.latches() {
            explicit.add_latch(system, latch);
        }
        explicit.explore();
        explicit
    }

    fn evaluate(&mut self, system: &BitSystem) {
        let points = 1 << (self.inputs + self.latches);
        for var in (0..system.num_vars()).map(|v| Var::new(v as u32)) {
            let row = match system.node(var) {
                Node::Constant => Points::none(points),
                // A point is its state, and below that its inputs.
                Node::Input(i) => self.bit(i.index()),
                Node::Latch(l) => self.bit(self.inputs + l.index()),
                Node::Gate(a, b) => self.row(a).and(&self.row(b)),
            };
            self.values.push(row);
        }
    }

    fn bit(&self, bit: usize) -> Points {
        let points = 1 << (self.inputs + self.latches);
        let mut row = Points::none(points);
        (0..points).filter(|p| p >> bit & 1 == 1).for_each(|p| row.insert(p));
        row
    }

    /// Where this literal is 1.
    pub fn row(&self, lit: Lit) -> Points {
        let row = &self.values[lit.var().index()];
        if lit.is_negated() { Points::all(self.num_points()).minus(row) } else { row.clone() }
    }

    fn add_latch(&mut self, system: &BitSystem, latch: LatchId) {
        let own = self.row(system.latch_lit(latch));
        let reset = self.row(system.latch(latch).reset);
        let differ = own.minus(&reset).or(&reset.minus(&own));
        self.starts = self.starts.minus(&differ);
        let next = self.row(system.latch(latch).next);
        next.iter().for_each(|p| self.next[p] |= 1 << latch.index());
    }

    /// Layers until they are empty or have lasted longer than any path without a loop.
    fn explore(&mut self) {
        let mut layer = self.starts.and(&self.allowed);
        for _ in 0..=(1 << self.latches) + 1 {
            self.layers.push(layer.clone());
            if layer.is_empty() {
                break;
            }
            layer = self.successors(&layer);
        }
    }

    fn num_points(&self) -> usize {
        1 << (self.inputs + self.latches)
    }

    pub fn num_states(&self) -> usize {
        1 << self.latches
    }

    pub fn state(&self, point: usize) -> usize {
        point >> self.inputs
    }

    pub fn next(&self, point: usize) -> usize {
        self.next[point]
    }

    pub fn bad(&self, property: PropertyId) -> &Points {
        &self.bads[property.index()]
    }

    /// The allowed points one step after these.
    pub fn successors(&self, points: &Points) -> Points {
        let mut after = Points::none(self.num_points());
        for point in points.iter() {
            let first = self.next[point] << self.inputs;
            (first..first + (1 << self.inputs)).for_each(|p| after.insert(p));
        }
        after.and(&self.allowed)
    }

    /// The points of a state, allowed or not.
    pub fn points_of(&self, state: usize) -> std::ops::Range<usize> {
        state << self.inputs..(state + 1) << self.inputs
    }

    pub fn layer(&self, step: usize) -> Option<&Points> {
        self.layers.get(step)
    }

    pub fn reachable(&self) -> Points {
        self.layers.iter().fold(Points::none(self.num_points()), |all, layer| all.or(layer))
    }

    pub fn truth(&self) -> Truth {
        let violated = |bad: &Points| self.layers.iter().position(|layer| !layer.and(bad).is_empty());
        Truth {
            violated: self.bads.iter().map(violated).collect(),
            ends: self.layers.iter().position(Points::is_empty).map(|step| step + 1),
        }
    }

    /// Where a clause holds.
    pub fn clause(&self, clause: &Clause) -> Points {
        clause.0.iter().fold(Points::none(self.num_points()), |some, &lit| some.or(&self.row(lit)))
    }

    /// Where all literals hold.
    pub fn cube(&self, lits: &[Lit]) -> Points {
        lits.iter().fold(Points::all(self.num_points()), |all, &lit| all.and(&self.row(lit)))
    }

    /// Where the properties and clauses of a proof hold.
    pub fn strengthening(&self, proof: &Proof) -> Points {
        let all = Points::all(self.num_points());
        let safe = proof.properties.iter().fold(all, |s, &p| s.minus(self.bad(p)));
        proof.invariant.iter().fold(safe, |s, c| s.and(&self.clause(c)))
    }

    /// Everything that the proof claims is true, whether or not it proves it.
    pub fn claims_hold(&self, proof: &Proof) -> bool {
        self.reachable().minus(&self.strengthening(proof)).is_empty()
    }

    /// The strengthening is k-inductive, or all executions are short and satisfy it; distinctness is ignored.
    pub fn is_inductive(&self, proof: &Proof) -> bool {
        let (strong, k) = (self.strengthening(proof), proof.k as usize);
        let base = self.layers.iter().take(k).all(|layer| layer.minus(&strong).is_empty());
        let ended = self.layers.iter().take(k).any(Points::is_empty);
        base && (ended || self.step_holds(&strong, k))
    }

    /// No path of k points in the set leads out of it.
    fn step_holds(&self, strong: &Points, k: usize) -> bool {
        let mut last = strong.and(&self.allowed);
        for _ in 1..k {
            last = self.successors(&last).and(strong);
        }
        self.successors(&last).minus(strong).is_empty()
    }

    /// The trace is an execution that violates its property in its last step. Values must be known.
    pub fn is_violation(&self, trace: &Trace) -> bool {
        let number = |row: &[Ternary]| {
            let bit = |n: usize, (b, v): (usize, &Ternary)| n | usize::from(v.known() == Some(true)) << b;
            row.iter().enumerate().fold(0, bit)
        };
        let mut state = number(&trace.initial);
        let last = trace.last_step();
        for (step, row) in trace.inputs.iter().enumerate() {
            let point = state << self.inputs | number(row);
            let start = step > 0 || self.starts.contains(point);
            let end = step < last || self.bad(trace.property).contains(point);
            if !(start && end && self.allowed.contains(point)) {
                return false;
            }
            state = self.next[point];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draft;

    #[test]
    fn a_counter_takes_as_many_steps_as_it_counts() {
        let mut draft = Draft::new(1, 3);
        let word = draft.latch_lits();
        let sum = draft.plus(&word, Lit::TRUE);
        sum.iter().enumerate().for_each(|(b, &next)| draft.set_next(b, next));
        let five = draft.equals(&word, 5);
        let with_input = draft.and(five, draft.input(0));
        draft.bads = vec![five, with_input, Lit::FALSE, Lit::TRUE];
        let truth = Explicit::new(&draft.build()).truth();
        assert_eq!(truth, Truth { violated: vec![Some(5), Some(5), None, Some(0)], ends: None });
        // With the constraint "not five" no execution has six states.
        draft.constraints = vec![!five];
        let truth = Explicit::new(&draft.build()).truth();
        assert_eq!(truth, Truth { violated: vec![None, None, None, Some(0)], ends: Some(6) });
    }

    #[test]
    fn resets_that_read_inputs_bind_only_the_first_step() {
        // The latch starts as the input and keeps its value; bad: it differs from the input.
        let mut draft = Draft::new(1, 1);
        draft.latches[0].reset = draft.input(0);
        let differ = draft.xor(draft.input(0), draft.latch(0));
        draft.bads = vec![differ];
        assert_eq!(Explicit::new(&draft.build()).truth().violated, [Some(1)]);
    }

    #[test]
    fn contradictory_constraints_leave_no_execution() {
        let mut draft = Draft::new(1, 0);
        draft.constraints = vec![draft.input(0), !draft.input(0)];
        draft.bads = vec![Lit::TRUE];
        assert_eq!(Explicit::new(&draft.build()).truth(), Truth { violated: vec![None], ends: Some(1) });
    }
}
