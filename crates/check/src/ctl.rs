//! Answers about computation trees: the sets that they rest on, condition by condition.
//!
//! Let `Inv` be the invariant, `C` the constraints, `s → s'` a step, `q` a signal that recurs, and `L`, `U` the
//! bounds of a node; those of `¬`, `∧` and signals follow from their operands. `Lf(φ) = L(φ) ∧ L(fair)`, and so
//! `Uf`. In all states of `Inv`:
//!
//! ```text
//! Inv       starts are in it, and it is inductive
//! EX a      from each state of L a step leads to Lf(a)             no step leads from outside of U to Uf(a)
//! E a U b   R₀ ⊆ Lf(b); R_{k+1} ∖ R_k ⊆ L(a), and from there       Uf(b) ⊆ U; no step leads from U(a) ∖ U to U
//!           a step leads to R_k;  L is the last R
//! EG a      L ⊆ L(a); for each q: L ⊆ the last R; from R₀ ∩ L      Z₀ = U(a); by q from Z to Z': no step leads from
//!           a step with q leads to L; from (R_{k+1} ∖ R_k) ∩ L     Z ∖ Z' to Z that has q or leads to Z'; U is the last Z
//!           a step leads to R_k ∩ L
//! fair      is EG true
//! ```
//!
//! Why that suffices. By induction over the formula: `L(φ) ⊆ φ ⊆ U(φ)` in `Inv`, which steps do not leave. `EX` is
//! plain. `EU` from below: by induction over `k` from `R_k` a path leads through `a` to a fair state in `b`. From
//! above: a path through `a` to a fair `b` that begins outside of `U` stays outside, and ends in `U`. `EG` from
//! below: from each state of `L` a path within `L`, hence within `a`, meets `q` and is in `L` again; so for one
//! signal after the other, for ever. From above: all states of a fair path through `a` satisfy `EG a`, so they are
//! in `Z` if all such states are; if its first one were outside of `Z'`, so would be all of them, and it would
//! never meet `q`.
//!
//! That *a step leads* from each state of a set to another is a question with two quantifiers. It is asked as
//! Janota & Marques-Silva do ("Abstraction-based algorithm for 2QBF", SAT 2011): a state without a known choice of
//! inputs that leads there, then a choice for that state, until there is no such state or no such choice.

use std::collections::HashMap;

use buttress_solve::sat::{self, Model, Outcome, Solver};
use buttress_solve::{Cadical, Stop, Stopped};
use buttress_system::ctl::{
    Bounds, Branching, Ctl, Lower, NodeId, Refuted, Satisfied, Says, TreeSets, Upper,
};
use buttress_system::{Lit, Node, PropertyId, Ternary};

use crate::frame::{Frame, constant_zero, fresh};
use crate::trace::executed;
use crate::{Checked, Evidence, Refusal, TreeChecked, Vacuous, require};

/// So many choices of inputs are kept; where more are needed, the check gives up.
const MOST_CHOICES: usize = 5_000;

/// Accepts that a formula holds.
pub fn certify_satisfied(
    branching: &Branching,
    proof: Satisfied,
    stop: &Stop,
) -> Result<TreeChecked, Refusal> {
    let [property] = proof.properties[..] else {
        return Err(Refusal::Rejected("the proof is not about one formula".to_string()));
    };
    let mut check = Conditions::new(branching, property, &proof.sets, stop)?;
    check.all(stop)?;
    let fair = check.fair(HERE, false);
    let mut start = check.start();
    start.push(fair);
    let vacuous = check.solver.solve(&start)? == Outcome::Unsat;
    let root = check.bound(HERE, check.formula.root(), true);
    start.push(!root);
    check.never(&start, "the formula fails at the start")?;
    let vacuous = vacuous.then_some(Vacuous { states: 1 });
    Ok(Checked { decides: vec![property], evidence: Evidence::Proof(proof), vacuous })
}

/// Accepts that a formula does not hold in the first state of a path; and all that is remarked about the path.
pub fn certify_refuted(branching: &Branching, refuted: Refuted, stop: &Stop) -> Result<TreeChecked, Refusal> {
    let property = refuted.property;
    let mut check = Conditions::new(branching, property, &refuted.sets, stop)?;
    check.all(stop)?;
    let rows = executed(&branching.system, &refuted.path)?;
    let states: Vec<Vec<sat::Lit>> = rows
        .iter()
        .zip(&refuted.path.inputs)
        .map(|(latches, inputs)| check.state(latches, inputs))
        .collect::<Result<_, Refusal>>()?;
    let fair = check.fair(HERE, true);
    check.never(&[&states[0][..], &[!fair]].concat(), "no fair path begins at the start")?;
    let root = check.bound(HERE, check.formula.root(), false);
    check.never(&[&states[0][..], &[root]].concat(), "the formula may hold at the start")?;
    for remark in &refuted.remarks {
        let known = remark.step < states.len() && remark.node.index() < check.formula.nodes().len();
        require(known, || "a remark is about nothing".to_string())?;
        let bound = check.bound(HERE, remark.node, remark.holds);
        let contrary = if remark.holds { !bound } else { bound };
        check.never(&[&states[remark.step][..], &[contrary]].concat(), "a remark about a step")?;
    }
    Ok(Checked { decides: vec![property], evidence: Evidence::Trace(refuted), vacuous: None })
}

/// A moment at which states are looked at, by its number.
type Moment = usize;
const HERE: Moment = 0;

/// The values of a state: leaves by variable, signals of the formula, and sets as far as they were asked for.
struct View {
    leaves: Vec<sat::Lit>,
    signals: Frame,
    sets: Vec<Option<sat::Lit>>,
}

/// A step from here with inputs that are free, or chosen.
struct Step {
    frame: Frame,
    after: Moment,
}

/// With any inputs.
const FREE: usize = 0;

/// Where a step is to lead.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Aim {
    /// To a fair state that satisfies the node.
    Fair(NodeId),
    /// To both sets.
    Both(Lit, Lit),
    /// To a set, and it has the signal.
    Meeting(usize, Lit),
}

struct Conditions<'a> {
    branching: &'a Branching,
    formula: &'a Ctl<Lit>,
    sets: &'a TreeSets,
    read: Vec<bool>,
    recurring: Vec<Lit>,
    needed: Vec<bool>,
    of_signals: Vec<bool>,
    solver: Cadical,
    zero: sat::Lit,
    views: Vec<View>,
    steps: Vec<Step>,
    /// Steps that reach their aim, by both.
    reached: HashMap<(usize, Aim), sat::Lit>,
    starts: sat::Lit,
}

impl<'a> Conditions<'a> {
    fn new(
        branching: &'a Branching,
        property: PropertyId,
        sets: &'a TreeSets,
        stop: &Stop,
    ) -> Result<Conditions<'a>, Refusal> {
        let formula = branching.formulas.get(property.index());
        let formula = formula.ok_or_else(|| Refusal::Rejected("there is no such formula".to_string()))?;
        let system = &*branching.system;
        require(system.reset_order().is_ok(), || "the resets are not stratified".to_string())?;
        let read = branching.read(property.index());
        fits(branching, formula, sets, &read)?;
        let recurring = branching.recurring();
        let leaves = sets.gates.iter().flatten().copied().chain(sets.named());
        let leaves = leaves.filter(|l| l.var().index() < system.first_gate());
        let roots =
            formula.signals().chain(system.constraints.iter().copied()).chain(recurring.iter().copied());
        let needed = system.closure(roots.chain(leaves));
        let mut of_signals = vec![false; system.num_vars()];
        system.mark_cone(formula.signals(), &mut of_signals);
        let mut solver = Cadical::new(stop, 0);
        let zero = constant_zero(&mut solver);
        let inputs = fresh(&mut solver, system.num_inputs());
        let latches = fresh(&mut solver, system.num_latches());
        let starts = solver.new_var();
        let mut check = Conditions {
            branching,
            formula,
            sets,
            read,
            recurring,
            needed,
            of_signals,
            solver,
            zero,
            views: Vec::new(),
            steps: Vec::new(),
            reached: HashMap::new(),
            starts,
        };
        check.add_view(inputs.clone(), latches);
        let next_inputs = fresh(&mut check.solver, system.num_inputs());
        check.add_step(inputs, next_inputs);
        check.define_starts();
        Ok(check)
    }

    fn add_view(&mut self, inputs: Vec<sat::Lit>, latches: Vec<sat::Lit>) -> Moment {
        let system = &*self.branching.system;
        let signals = Frame::encode(&mut self.solver, system, &self.of_signals, self.zero, &inputs, &latches);
        let leaves = std::iter::once(self.zero).chain(inputs).chain(latches).collect();
        self.views.push(View { leaves, signals, sets: vec![None; self.sets.gates.len()] });
        self.views.len() - 1
    }

    /// A step from here with these inputs; afterwards inputs are those.
    fn add_step(&mut self, inputs: Vec<sat::Lit>, after: Vec<sat::Lit>) -> usize {
        let system = &*self.branching.system;
        let here = self.views[HERE].leaves[1 + system.num_inputs()..].to_vec();
        let frame = Frame::encode(&mut self.solver, system, &self.needed, self.zero, &inputs, &here);
        let next = |l| match self.needed[system.latch_lit(l).var().index()] {
            true => frame.lit(system.latch(l).next),
            false => self.zero,
        };
        let latches = system.latches().map(next).collect();
        let after = self.add_view(after, latches);
        self.steps.push(Step { frame, after });
        self.steps.len() - 1
    }

    /// `starts` implies that each latch has the value of its reset.
    fn define_starts(&mut self) {
        let system = &*self.branching.system;
        for latch in system.latches() {
            let (own, reset) = (system.latch_lit(latch), system.latch(latch).reset);
            if self.needed[own.var().index()] && own != reset {
                let frame = &self.steps[FREE].frame;
                let (x, r) = (frame.lit(own), frame.lit(reset));
                self.solver.add_clause(&[!self.starts, !x, r]);
                self.solver.add_clause(&[!self.starts, x, !r]);
            }
        }
    }

    /// Here an execution may begin, with these inputs.
    fn start(&self) -> Vec<sat::Lit> {
        [vec![self.starts], self.constraints(FREE)].concat()
    }

    fn constraints(&self, step: usize) -> Vec<sat::Lit> {
        self.branching.system.constraints.iter().map(|&c| self.steps[step].frame.lit(c)).collect()
    }

    /// The state with these values.
    fn state(&self, latches: &[Ternary], inputs: &[Ternary]) -> Result<Vec<sat::Lit>, Refusal> {
        let leaves = &self.views[HERE].leaves;
        let read = inputs.iter().enumerate().filter(|(i, _)| self.read[*i]).map(|(i, v)| (1 + i, v));
        let latches = latches.iter().enumerate().map(|(l, v)| (1 + inputs.len() + l, v));
        let value = |(var, value): (usize, &Ternary)| Some(leaves[var] ^ !value.known()?);
        let values: Option<Vec<sat::Lit>> = read.chain(latches).map(value).collect();
        values.ok_or_else(|| Refusal::Rejected("a value of the path is unknown".to_string()))
    }

    fn and(&mut self, a: sat::Lit, b: sat::Lit) -> sat::Lit {
        let gate = self.solver.new_var();
        self.solver.add_clause(&[!gate, a]);
        self.solver.add_clause(&[!gate, b]);
        self.solver.add_clause(&[gate, !a, !b]);
        gate
    }

    fn or(&mut self, a: sat::Lit, b: sat::Lit) -> sat::Lit {
        !self.and(!a, !b)
    }

    /// A set at a moment.
    fn set(&mut self, at: Moment, set: Lit) -> sat::Lit {
        let first = self.branching.system.first_gate();
        let mut open = vec![set.var().index()];
        while let Some(&var) = open.last() {
            let Some(gate) = var.checked_sub(first).filter(|&g| self.views[at].sets[g].is_none()) else {
                open.pop();
                continue;
            };
            let operands = self.sets.gates[gate];
            let known = operands.map(|o| self.known_set(at, o));
            match known {
                [Some(a), Some(b)] => {
                    let made = self.and(a, b);
                    self.views[at].sets[gate] = Some(made);
                    open.pop();
                }
                _ => {
                    let missing = operands.iter().zip(known).filter(|(_, known)| known.is_none());
                    open.extend(missing.map(|(o, _)| o.var().index()));
                }
            }
        }
        self.known_set(at, set).expect("it was just made")
    }

    fn known_set(&self, at: Moment, set: Lit) -> Option<sat::Lit> {
        let (view, var) = (&self.views[at], set.var().index());
        let known = match var.checked_sub(self.branching.system.first_gate()) {
            None => Some(view.leaves[var]),
            Some(gate) => view.sets[gate],
        };
        Some(known? ^ set.is_negated())
    }

    /// The lower or the upper bound of a node.
    fn bound(&mut self, at: Moment, node: NodeId, lower: bool) -> sat::Lit {
        match self.formula.says(node) {
            Says::Constant(value) => self.zero ^ value,
            Says::Signal(signal) => self.views[at].signals.lit(signal),
            Says::Not(a) => !self.bound(at, a, !lower),
            Says::And(a, b) => {
                let (a, b) = (self.bound(at, a, lower), self.bound(at, b, lower));
                self.and(a, b)
            }
            Says::Next(_) | Says::Until(..) | Says::Always(_) => {
                let sets = self.sets;
                let within = match self.formula.says(node) {
                    Says::Always(a) => Some(a),
                    _ => None,
                };
                self.bound_of(at, &sets.nodes[node.index()], within, lower)
            }
        }
    }

    /// The bounds of a node, or of fairness; `within` is the operand of `EG`.
    fn bound_of(&mut self, at: Moment, bounds: &Bounds, within: Option<NodeId>, lower: bool) -> sat::Lit {
        if lower {
            return match &bounds.lower {
                None => self.zero,
                Some(Lower::Next(set) | Lower::Always { set, .. }) => self.set(at, *set),
                Some(Lower::Until(rings)) => match rings.last() {
                    Some(&last) => self.set(at, last),
                    None => self.zero,
                },
            };
        }
        match &bounds.upper {
            None => !self.zero,
            Some(Upper::Next(set) | Upper::Until(set)) => self.set(at, *set),
            Some(Upper::Always(shrinks)) => match (shrinks.last(), within) {
                (Some(last), _) => self.set(at, last.to),
                (None, Some(a)) => self.bound(at, a, false),
                (None, None) => !self.zero,
            },
        }
    }

    /// Where fair paths begin.
    fn fair(&mut self, at: Moment, lower: bool) -> sat::Lit {
        if self.branching.is_free() {
            return !self.zero;
        }
        let sets = self.sets;
        self.bound_of(at, &sets.fair, None, lower)
    }

    fn bound_and_fair(&mut self, at: Moment, node: NodeId, lower: bool) -> sat::Lit {
        let (bound, fair) = (self.bound(at, node, lower), self.fair(at, lower));
        self.and(bound, fair)
    }

    /// There is no such state, and no such step.
    fn never(&mut self, what: &[sat::Lit], why: &str) -> Result<(), Refusal> {
        let mut all = what.to_vec();
        all.push(self.set(HERE, self.sets.invariant));
        let holds = self.solver.solve(&all)? == Outcome::Unsat;
        require(holds, || format!("a condition does not hold: {why}"))
    }

    /// That a step leads to its aim.
    fn reaches(&mut self, step: usize, aim: Aim) -> sat::Lit {
        if let Some(&known) = self.reached.get(&(step, aim)) {
            return known;
        }
        let after = self.steps[step].after;
        let mut all = self.constraints(step);
        match aim {
            Aim::Fair(node) => all.push(self.bound_and_fair(after, node, true)),
            Aim::Both(a, b) => all.extend([self.set(after, a), self.set(after, b)]),
            Aim::Meeting(signal, set) => {
                all.push(self.steps[step].frame.lit(self.recurring[signal]));
                all.push(self.set(after, set));
            }
        }
        let yes = !self.zero;
        let all = all.into_iter().fold(yes, |all, one| self.and(all, one));
        self.reached.insert((step, aim), all);
        all
    }

    /// From each of these states some step leads there.
    fn some(&mut self, from: &[sat::Lit], aim: Aim, why: &str) -> Result<(), Refusal> {
        let mut from = from.to_vec();
        from.push(self.set(HERE, self.sets.invariant));
        let mut tried = 0;
        loop {
            if self.solver.solve(&from)? == Outcome::Unsat {
                return Ok(());
            }
            let leaves = self.views[HERE].leaves.clone();
            let is_state = |var: usize| match var.checked_sub(1) {
                None => false,
                Some(input) => self.read.get(input).copied().unwrap_or(true),
            };
            let state: Vec<sat::Lit> = (0..leaves.len())
                .filter(|&var| is_state(var))
                .map(|var| leaves[var] ^ !self.solver.value(leaves[var]))
                .collect();
            let step = match self.known_choice(&state, aim)? {
                Some(step) => step,
                None => {
                    let there = self.reaches(FREE, aim);
                    let found = self.solver.solve(&[&state[..], &[there]].concat())? == Outcome::Sat;
                    require(found, || format!("a condition does not hold: {why}"))?;
                    self.choose()
                }
            };
            let there = self.reaches(step, aim);
            from.push(!there);
            tried += 1;
            if tried > MOST_CHOICES || self.steps.len() > MOST_CHOICES {
                let why = "it takes too many choices of inputs to see that a step is possible";
                return Err(Refusal::Stopped(Stopped::Solver(why.to_string())));
            }
        }
    }

    /// One of the latest choices that leads from a state to its aim.
    fn known_choice(&mut self, state: &[sat::Lit], aim: Aim) -> Result<Option<usize>, Refusal> {
        const LATEST: usize = 8;
        for step in (1..self.steps.len()).rev().take(LATEST) {
            let there = self.reaches(step, aim);
            if self.solver.solve(&[state, &[there]].concat())? == Outcome::Sat {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// A step with the inputs of the solver's model.
    fn choose(&mut self) -> usize {
        let inputs = self.branching.system.num_inputs();
        let here = self.views[HERE].leaves[1..=inputs].to_vec();
        let after = self.views[self.steps[FREE].after].leaves[1..=inputs].to_vec();
        let (zero, read) = (self.zero, self.read.clone());
        let mut constant = |lit: sat::Lit| zero ^ self.solver.value(lit);
        let chosen: Vec<sat::Lit> =
            here.iter().zip(&read).map(|(&lit, &read)| if read { lit } else { constant(lit) }).collect();
        let after: Vec<sat::Lit> = after.into_iter().map(constant).collect();
        self.add_step(chosen, after)
    }

    /// All conditions about the sets.
    fn all(&mut self, stop: &Stop) -> Result<(), Refusal> {
        let sets = self.sets;
        if sets.invariant != Lit::TRUE {
            let here = self.set(HERE, sets.invariant);
            let outside = self.solver.solve(&[&self.start()[..], &[!here]].concat())? == Outcome::Sat;
            require(!outside, || "a start is outside of the invariant".to_string())?;
            let after = self.set(self.steps[FREE].after, sets.invariant);
            self.never(&[&self.constraints(FREE)[..], &[!after]].concat(), "the invariant is not inductive")?;
            // From now on this is known of the step: Inv ∧ C ∧ T → Inv'
            let allowed = self.constraints(FREE).into_iter().map(|c| !c);
            let known: Vec<sat::Lit> = allowed.chain([!here, after]).collect();
            self.solver.add_clause(&known);
        }
        if !self.branching.is_free() {
            self.always(&sets.fair, None, stop)?;
        }
        for node in self.formula.node_ids() {
            stop.check()?;
            let bounds = &sets.nodes[node.index()];
            match self.formula.says(node) {
                Says::Next(a) => self.next(bounds, a)?,
                Says::Until(a, b) => self.until(bounds, a, b, stop)?,
                Says::Always(a) => self.always(bounds, Some(a), stop)?,
                Says::Constant(_) | Says::Signal(_) | Says::Not(_) | Says::And(..) => {}
            }
        }
        Ok(())
    }

    fn next(&mut self, bounds: &Bounds, a: NodeId) -> Result<(), Refusal> {
        if let Some(Lower::Next(set)) = bounds.lower {
            let from = self.set(HERE, set);
            self.some(&[from], Aim::Fair(a), "a lower bound of EX")?;
        }
        if let Some(Upper::Next(set)) = bounds.upper {
            let outside = !self.set(HERE, set);
            let there = self.bound_and_fair(self.steps[FREE].after, a, false);
            let step = [&self.constraints(FREE)[..], &[outside, there]].concat();
            self.never(&step, "an upper bound of EX")?;
        }
        Ok(())
    }

    fn until(&mut self, bounds: &Bounds, a: NodeId, b: NodeId, stop: &Stop) -> Result<(), Refusal> {
        if let Some(Lower::Until(rings)) = &bounds.lower {
            let why = "a lower bound of EU";
            let end = self.bound_and_fair(HERE, b, true);
            let held = self.bound(HERE, a, true);
            let mut before: Option<Lit> = None;
            for &ring in rings {
                stop.check()?;
                let inside = self.set(HERE, ring);
                match before {
                    None => self.never(&[inside, !end], why)?,
                    Some(before) => {
                        let new = [inside, !self.set(HERE, before)];
                        self.never(&[new[0], new[1], !held], why)?;
                        self.some(&new, Aim::Both(before, before), why)?;
                    }
                }
                before = Some(ring);
            }
        }
        if let Some(Upper::Until(set)) = bounds.upper {
            let why = "an upper bound of EU";
            let outside = !self.set(HERE, set);
            let end = self.bound_and_fair(HERE, b, false);
            self.never(&[outside, end], why)?;
            let held = self.bound(HERE, a, false);
            let there = self.set(self.steps[FREE].after, set);
            self.never(&[&self.constraints(FREE)[..], &[outside, held, there]].concat(), why)?;
        }
        Ok(())
    }

    /// Of `EG a`, or of fairness.
    fn always(&mut self, bounds: &Bounds, a: Option<NodeId>, stop: &Stop) -> Result<(), Refusal> {
        let bound = |check: &mut Self, at: Moment, lower: bool| match a {
            Some(a) => check.bound(at, a, lower),
            None => !check.zero,
        };
        if let Some(Lower::Always { set, rings }) = &bounds.lower {
            let why = "a lower bound of EG";
            let inside = self.set(HERE, *set);
            let held = bound(self, HERE, true);
            self.never(&[inside, !held], why)?;
            for (signal, rings) in rings.iter().enumerate() {
                let (Some(&first), Some(&last)) = (rings.first(), rings.last()) else {
                    self.never(&[inside], why)?;
                    continue;
                };
                let all = self.set(HERE, last);
                self.never(&[inside, !all], why)?;
                let begin = self.set(HERE, first);
                self.some(&[inside, begin], Aim::Meeting(signal, *set), why)?;
                for pair in rings.windows(2) {
                    stop.check()?;
                    let new = [inside, self.set(HERE, pair[1]), !self.set(HERE, pair[0])];
                    self.some(&new, Aim::Both(pair[0], *set), why)?;
                }
            }
        }
        if let Some(Upper::Always(shrinks)) = &bounds.upper {
            let after = self.steps[FREE].after;
            let (mut here, mut there) = (bound(self, HERE, false), bound(self, after, false));
            for shrink in shrinks {
                stop.check()?;
                let (to_here, to_there) = (self.set(HERE, shrink.to), self.set(after, shrink.to));
                let met = self.steps[FREE].frame.lit(self.recurring[shrink.signal]);
                let back = self.or(met, to_there);
                let step = [here, !to_here, there, back];
                self.never(&[&self.constraints(FREE)[..], &step].concat(), "an upper bound of EG")?;
                (here, there) = (to_here, to_there);
            }
        }
        Ok(())
    }
}

/// The evidence speaks of what there is.
fn fits(branching: &Branching, formula: &Ctl<Lit>, sets: &TreeSets, read: &[bool]) -> Result<(), Refusal> {
    let system = &*branching.system;
    let first = system.first_gate();
    let of_state = |lit: Lit, below: usize| match lit.var().index() {
        var if var >= first => var < below,
        _ => match system.node(lit.var()) {
            Node::Input(input) => read[input.index()],
            _ => true,
        },
    };
    let gates = sets.gates.iter().enumerate();
    let gates = gates.clone().all(|(g, gate)| gate.iter().all(|&l| of_state(l, first + g)));
    let all = sets.named().all(|l| of_state(l, first + sets.gates.len()));
    require(gates && all, || "a set is a function of something that belongs to no state".to_string())?;
    require(sets.nodes.len() == formula.nodes().len(), || "there are bounds for other nodes".to_string())?;
    let signals = branching.recurring().len();
    let always = |bounds: &Bounds| {
        let lower = match &bounds.lower {
            Some(Lower::Always { rings, .. }) => rings.len() == signals,
            lower => lower.is_none(),
        };
        let upper = match &bounds.upper {
            Some(Upper::Always(shrinks)) => shrinks.iter().all(|s| s.signal < signals),
            upper => upper.is_none(),
        };
        lower && upper
    };
    let kind = |(says, bounds): (&Says<Lit>, &Bounds)| match says {
        Says::Next(_) => {
            matches!(bounds.lower, None | Some(Lower::Next(_)))
                && matches!(bounds.upper, None | Some(Upper::Next(_)))
        }
        Says::Until(..) => {
            matches!(bounds.lower, None | Some(Lower::Until(_)))
                && matches!(bounds.upper, None | Some(Upper::Until(_)))
        }
        Says::Always(_) => always(bounds),
        Says::Constant(_) | Says::Signal(_) | Says::Not(_) | Says::And(..) => *bounds == Bounds::default(),
    };
    let kinds = formula.nodes().iter().zip(&sets.nodes).all(kind) && always(&sets.fair);
    require(kinds, || "bounds of one operator stand at another".to_string())
}
