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
//! The conditions are written once, over a [`Ground`] that decides whether there are such states: by diagrams of the
//! check's own, for sets that diagrams made, and else by a SAT solver. Neither is told how the sets were found.

mod diagrams;
mod sat;

use std::collections::HashMap;

use buttress_solve::{Stop, Stopped};
use buttress_system::ctl::{
    Bounds, Branching, Ctl, Lower, NodeId, Refuted, Satisfied, Says, TreeSets, Upper,
};
use buttress_system::{Lit, Node, PropertyId, Ternary};

use crate::trace::executed;
use crate::{Checked, Evidence, Refusal, TreeChecked, Vacuous, require};
use diagrams::Diagrams;
use sat::Sat;

/// By what conditions are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    Sat,
    /// With at most so many nodes; where these do not do, the check stops with [`Stopped::Nodes`].
    Diagrams(usize),
}

/// Nodes for sets of so many gates: what diagrams made takes about three gates a node.
fn nodes_for(sets: &TreeSets) -> usize {
    (8 * sets.gates.len()).clamp(1 << 16, 1 << 22)
}

/// By diagrams; by SAT where these become too large.
fn either<T>(sets: &TreeSets, mut certify: impl FnMut(By) -> Result<T, Refusal>) -> Result<T, Refusal> {
    match certify(By::Diagrams(nodes_for(sets))) {
        Err(Refusal::Stopped(Stopped::Nodes(_))) => certify(By::Sat),
        outcome => outcome,
    }
}

/// Accepts that a formula holds.
pub fn certify_satisfied(
    branching: &Branching,
    proof: Satisfied,
    stop: &Stop,
) -> Result<TreeChecked, Refusal> {
    let vacuous = either(&proof.sets, |by| satisfied(branching, &proof, by, stop))?;
    let vacuous = vacuous.then_some(Vacuous { states: 1 });
    Ok(Checked { decides: proof.properties.clone(), evidence: Evidence::Proof(proof), vacuous })
}

/// Accepts that a formula does not hold in the first state of a path; and all that is remarked about the path.
pub fn certify_refuted(branching: &Branching, refuted: Refuted, stop: &Stop) -> Result<TreeChecked, Refusal> {
    either(&refuted.sets, |by| refutes(branching, &refuted, by, stop))?;
    let decides = vec![refuted.property];
    Ok(Checked { decides, evidence: Evidence::Trace(refuted), vacuous: None })
}

/// Whether the proof shows that the formula holds, decided by something certain; then, whether it says nothing, as no
/// fair path begins anywhere.
pub fn satisfied(branching: &Branching, proof: &Satisfied, by: By, stop: &Stop) -> Result<bool, Refusal> {
    let [property] = proof.properties[..] else {
        return Err(Refusal::Rejected("the proof is not about one formula".to_string()));
    };
    let about = About::new(branching, property, &proof.sets)?;
    match by {
        By::Sat => Conditions::new(Sat::new(&about, stop), &about).satisfied(stop),
        By::Diagrams(nodes) => Conditions::new(Diagrams::new(&about, nodes, stop)?, &about).satisfied(stop),
    }
}

/// Whether the formula fails at the start of the path and all remarks about it hold, decided by something certain.
pub fn refutes(branching: &Branching, refuted: &Refuted, by: By, stop: &Stop) -> Result<(), Refusal> {
    let about = About::new(branching, refuted.property, &refuted.sets)?;
    match by {
        By::Sat => Conditions::new(Sat::new(&about, stop), &about).refuted(refuted, stop),
        By::Diagrams(nodes) => {
            Conditions::new(Diagrams::new(&about, nodes, stop)?, &about).refuted(refuted, stop)
        }
    }
}

/// A moment at which states are looked at, by its number.
type Moment = usize;
const HERE: Moment = 0;

/// A step from here, by its number.
type Step = usize;

/// With any inputs.
const FREE: Step = 0;

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

/// Who decides whether there are states of some kind: its values are functions of a state here, of the inputs of a step,
/// and of what belongs to the state after it.
trait Ground: Sized {
    type Value: Clone;

    fn constant(&self, value: bool) -> Self::Value;
    fn not(&self, a: &Self::Value) -> Result<Self::Value, Stopped>;
    fn and(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Stopped>;

    /// A set at a moment.
    fn set(&mut self, at: Moment, set: Lit) -> Result<Self::Value, Stopped>;

    /// A signal that the formula reads, at a moment.
    fn signal(&mut self, at: Moment, signal: Lit) -> Result<Self::Value, Stopped>;

    /// A constraint or a signal that recurs, in a step.
    fn of_step(&mut self, step: Step, signal: Lit) -> Result<Self::Value, Stopped>;

    /// The moment after a step.
    fn after(&self, step: Step) -> Moment;

    /// Each latch has the value of its reset.
    fn resets(&mut self) -> Result<Self::Value, Stopped>;

    /// Latches and inputs of a state have these values.
    fn state(&mut self, values: &[(Lit, bool)]) -> Result<Vec<Self::Value>, Stopped>;

    /// Whether nothing has all of these.
    fn never(&mut self, all: &[Self::Value]) -> Result<bool, Stopped>;

    /// One of these holds, whatever the values: the check has shown it.
    fn know(&mut self, clause: &[Self::Value]);

    /// Whether from everything that has all of these some step leads there.
    fn some(check: &mut Conditions<'_, Self>, from: &[Self::Value], aim: Aim) -> Result<bool, Stopped>;
}

/// What evidence is about, and what it reads.
struct About<'a> {
    branching: &'a Branching,
    formula: &'a Ctl<Lit>,
    sets: &'a TreeSets,
    /// Which inputs belong to a state.
    read: Vec<bool>,
    recurring: Vec<Lit>,
    /// Variables of the system that anything here depends on.
    needed: Vec<bool>,
}

impl<'a> About<'a> {
    fn new(branching: &'a Branching, property: PropertyId, sets: &'a TreeSets) -> Result<About<'a>, Refusal> {
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
        Ok(About { branching, formula, sets, read, recurring, needed })
    }
}

struct Conditions<'a, G: Ground> {
    about: &'a About<'a>,
    ground: G,
    /// Steps that reach their aim, by both.
    reached: HashMap<(Step, Aim), G::Value>,
}

impl<'a, G: Ground> Conditions<'a, G> {
    fn new(ground: G, about: &'a About<'a>) -> Conditions<'a, G> {
        Conditions { about, ground, reached: HashMap::new() }
    }

    fn satisfied(&mut self, stop: &Stop) -> Result<bool, Refusal> {
        self.all(stop)?;
        let mut start = self.start()?;
        start.push(self.fair(HERE, false)?);
        let vacuous = self.ground.never(&start)?;
        let root = self.bound(HERE, self.about.formula.root(), true)?;
        start.push(self.ground.not(&root)?);
        self.never(&start, "the formula fails at the start")?;
        Ok(vacuous)
    }

    fn refuted(&mut self, refuted: &Refuted, stop: &Stop) -> Result<(), Refusal> {
        self.all(stop)?;
        let rows = executed(&self.about.branching.system, &refuted.path)?;
        let rows = rows.iter().zip(&refuted.path.inputs);
        let states: Vec<Vec<G::Value>> =
            rows.map(|(latches, inputs)| self.state(latches, inputs)).collect::<Result<_, Refusal>>()?;
        let fair = self.fair(HERE, true)?;
        let unfair = self.ground.not(&fair)?;
        self.never(&[&states[0][..], &[unfair]].concat(), "no fair path begins at the start")?;
        let root = self.bound(HERE, self.about.formula.root(), false)?;
        self.never(&[&states[0][..], &[root]].concat(), "the formula may hold at the start")?;
        for remark in &refuted.remarks {
            let known = remark.step < states.len() && remark.node.index() < self.about.formula.nodes().len();
            require(known, || "a remark is about nothing".to_string())?;
            let bound = self.bound(HERE, remark.node, remark.holds)?;
            let contrary = if remark.holds { self.ground.not(&bound)? } else { bound };
            self.never(&[&states[remark.step][..], &[contrary]].concat(), "a remark about a step")?;
        }
        Ok(())
    }

    /// Here an execution may begin, with these inputs.
    fn start(&mut self) -> Result<Vec<G::Value>, Stopped> {
        let mut start = vec![self.ground.resets()?];
        start.extend(self.constraints(FREE)?);
        Ok(start)
    }

    fn constraints(&mut self, step: Step) -> Result<Vec<G::Value>, Stopped> {
        let constraints = &self.about.branching.system.constraints;
        constraints.iter().map(|&c| self.ground.of_step(step, c)).collect()
    }

    /// The state with these values.
    fn state(&mut self, latches: &[Ternary], inputs: &[Ternary]) -> Result<Vec<G::Value>, Refusal> {
        let (system, read) = (&*self.about.branching.system, &self.about.read);
        let inputs =
            system.inputs().filter(|i| read[i.index()]).map(|i| (system.input_lit(i), inputs[i.index()]));
        let latches = system.latches().map(|l| (system.latch_lit(l), latches[l.index()]));
        let value = |(leaf, value): (Lit, Ternary)| Some((leaf, value.known()?));
        let values: Option<Vec<(Lit, bool)>> = inputs.chain(latches).map(value).collect();
        let values = values.ok_or_else(|| Refusal::Rejected("a value of the path is unknown".to_string()))?;
        Ok(self.ground.state(&values)?)
    }

    fn or(&mut self, a: &G::Value, b: &G::Value) -> Result<G::Value, Stopped> {
        let neither = [self.ground.not(a)?, self.ground.not(b)?];
        let neither = self.ground.and(&neither[0], &neither[1])?;
        self.ground.not(&neither)
    }

    /// The lower or the upper bound of a node.
    fn bound(&mut self, at: Moment, node: NodeId, lower: bool) -> Result<G::Value, Stopped> {
        match self.about.formula.says(node) {
            Says::Constant(value) => Ok(self.ground.constant(value)),
            Says::Signal(signal) => self.ground.signal(at, signal),
            Says::Not(a) => {
                let a = self.bound(at, a, !lower)?;
                self.ground.not(&a)
            }
            Says::And(a, b) => {
                let (a, b) = (self.bound(at, a, lower)?, self.bound(at, b, lower)?);
                self.ground.and(&a, &b)
            }
            Says::Next(_) | Says::Until(..) | Says::Always(_) => {
                let within = match self.about.formula.says(node) {
                    Says::Always(a) => Some(a),
                    _ => None,
                };
                self.bound_of(at, &self.about.sets.nodes[node.index()], within, lower)
            }
        }
    }

    /// The bounds of a node, or of fairness; `within` is the operand of `EG`.
    fn bound_of(
        &mut self,
        at: Moment,
        bounds: &Bounds,
        within: Option<NodeId>,
        lower: bool,
    ) -> Result<G::Value, Stopped> {
        if lower {
            return match &bounds.lower {
                None => Ok(self.ground.constant(false)),
                Some(Lower::Next(set) | Lower::Always { set, .. }) => self.ground.set(at, *set),
                Some(Lower::Until(rings)) => match rings.last() {
                    Some(&last) => self.ground.set(at, last),
                    None => Ok(self.ground.constant(false)),
                },
            };
        }
        match &bounds.upper {
            None => Ok(self.ground.constant(true)),
            Some(Upper::Next(set) | Upper::Until(set)) => self.ground.set(at, *set),
            Some(Upper::Always(shrinks)) => match (shrinks.last(), within) {
                (Some(last), _) => self.ground.set(at, last.to),
                (None, Some(a)) => self.bound(at, a, false),
                (None, None) => Ok(self.ground.constant(true)),
            },
        }
    }

    /// Where fair paths begin.
    fn fair(&mut self, at: Moment, lower: bool) -> Result<G::Value, Stopped> {
        if self.about.branching.is_free() {
            return Ok(self.ground.constant(true));
        }
        self.bound_of(at, &self.about.sets.fair, None, lower)
    }

    fn bound_and_fair(&mut self, at: Moment, node: NodeId, lower: bool) -> Result<G::Value, Stopped> {
        let (bound, fair) = (self.bound(at, node, lower)?, self.fair(at, lower)?);
        self.ground.and(&bound, &fair)
    }

    fn invariant(&mut self, at: Moment) -> Result<G::Value, Stopped> {
        self.ground.set(at, self.about.sets.invariant)
    }

    /// There is no such state, and no such step.
    fn never(&mut self, what: &[G::Value], why: &str) -> Result<(), Refusal> {
        let all = [&[self.invariant(HERE)?], what].concat();
        let holds = self.ground.never(&all)?;
        require(holds, || format!("a condition does not hold: {why}"))
    }

    /// From each of these states some step leads there.
    fn some(&mut self, from: &[G::Value], aim: Aim, why: &str) -> Result<(), Refusal> {
        let from = [&[self.invariant(HERE)?], from].concat();
        let holds = G::some(self, &from, aim)?;
        require(holds, || format!("a condition does not hold: {why}"))
    }

    /// That a step leads to its aim.
    fn reaches(&mut self, step: Step, aim: Aim) -> Result<G::Value, Stopped> {
        if let Some(known) = self.reached.get(&(step, aim)) {
            return Ok(known.clone());
        }
        let after = self.ground.after(step);
        let mut all = self.constraints(step)?;
        match aim {
            Aim::Fair(node) => all.push(self.bound_and_fair(after, node, true)?),
            Aim::Both(a, b) => all.extend([self.ground.set(after, a)?, self.ground.set(after, b)?]),
            Aim::Meeting(signal, set) => {
                all.push(self.ground.of_step(step, self.about.recurring[signal])?);
                all.push(self.ground.set(after, set)?);
            }
        }
        let yes = self.ground.constant(true);
        let all = all.iter().try_fold(yes, |all, one| self.ground.and(&all, one))?;
        self.reached.insert((step, aim), all.clone());
        Ok(all)
    }

    /// All conditions about the sets.
    fn all(&mut self, stop: &Stop) -> Result<(), Refusal> {
        let sets = self.about.sets;
        if sets.invariant != Lit::TRUE {
            self.inductive()?;
        }
        if !self.about.branching.is_free() {
            self.always(&sets.fair, None, stop)?;
        }
        for node in self.about.formula.node_ids() {
            stop.check()?;
            let bounds = &sets.nodes[node.index()];
            match self.about.formula.says(node) {
                Says::Next(a) => self.next(bounds, a)?,
                Says::Until(a, b) => self.until(bounds, a, b, stop)?,
                Says::Always(a) => self.always(bounds, Some(a), stop)?,
                Says::Constant(_) | Says::Signal(_) | Says::Not(_) | Says::And(..) => {}
            }
        }
        Ok(())
    }

    /// That the invariant is one. From then on this is known of the step: Inv ∧ C ∧ T → Inv'
    fn inductive(&mut self) -> Result<(), Refusal> {
        let here = self.invariant(HERE)?;
        let outside = self.ground.not(&here)?;
        let mut start = self.start()?;
        start.push(outside.clone());
        let inside = self.ground.never(&start)?;
        require(inside, || "a start is outside of the invariant".to_string())?;
        let after = self.invariant(self.ground.after(FREE))?;
        let left = self.ground.not(&after)?;
        let constraints = self.constraints(FREE)?;
        self.never(&[&constraints[..], &[left]].concat(), "the invariant is not inductive")?;
        let mut known = vec![outside, after];
        for constraint in &constraints {
            known.push(self.ground.not(constraint)?);
        }
        self.ground.know(&known);
        Ok(())
    }

    fn next(&mut self, bounds: &Bounds, a: NodeId) -> Result<(), Refusal> {
        if let Some(Lower::Next(set)) = bounds.lower {
            let from = self.ground.set(HERE, set)?;
            self.some(&[from], Aim::Fair(a), "a lower bound of EX")?;
        }
        if let Some(Upper::Next(set)) = bounds.upper {
            let outside = self.outside(set)?;
            let there = self.bound_and_fair(self.ground.after(FREE), a, false)?;
            self.no_step(&[outside, there], "an upper bound of EX")?;
        }
        Ok(())
    }

    fn outside(&mut self, set: Lit) -> Result<G::Value, Stopped> {
        let inside = self.ground.set(HERE, set)?;
        self.ground.not(&inside)
    }

    /// No step is like this.
    fn no_step(&mut self, what: &[G::Value], why: &str) -> Result<(), Refusal> {
        let constraints = self.constraints(FREE)?;
        self.never(&[&constraints[..], what].concat(), why)
    }

    fn until(&mut self, bounds: &Bounds, a: NodeId, b: NodeId, stop: &Stop) -> Result<(), Refusal> {
        if let Some(Lower::Until(rings)) = &bounds.lower {
            let why = "a lower bound of EU";
            let end = self.bound_and_fair(HERE, b, true)?;
            let held = self.bound(HERE, a, true)?;
            let (no_end, not_held) = (self.ground.not(&end)?, self.ground.not(&held)?);
            let mut before: Option<Lit> = None;
            for &ring in rings {
                stop.check()?;
                let inside = self.ground.set(HERE, ring)?;
                match before {
                    None => self.never(&[inside, no_end.clone()], why)?,
                    Some(before) => {
                        let new = [inside, self.outside(before)?];
                        self.never(&[&new[..], std::slice::from_ref(&not_held)].concat(), why)?;
                        self.some(&new, Aim::Both(before, before), why)?;
                    }
                }
                before = Some(ring);
            }
        }
        if let Some(Upper::Until(set)) = bounds.upper {
            let why = "an upper bound of EU";
            let outside = self.outside(set)?;
            let end = self.bound_and_fair(HERE, b, false)?;
            self.never(&[outside.clone(), end], why)?;
            let held = self.bound(HERE, a, false)?;
            let there = self.ground.set(self.ground.after(FREE), set)?;
            self.no_step(&[outside, held, there], why)?;
        }
        Ok(())
    }

    /// The bound of the operand of `EG`, or of fairness.
    fn within(&mut self, at: Moment, a: Option<NodeId>, lower: bool) -> Result<G::Value, Stopped> {
        match a {
            Some(a) => self.bound(at, a, lower),
            None => Ok(self.ground.constant(true)),
        }
    }

    /// Of `EG a`, or of fairness.
    fn always(&mut self, bounds: &Bounds, a: Option<NodeId>, stop: &Stop) -> Result<(), Refusal> {
        if let Some(Lower::Always { set, rings }) = &bounds.lower {
            self.always_from_below(*set, rings, a, stop)?;
        }
        if let Some(Upper::Always(shrinks)) = &bounds.upper {
            let after = self.ground.after(FREE);
            let (mut here, mut there) = (self.within(HERE, a, false)?, self.within(after, a, false)?);
            for shrink in shrinks {
                stop.check()?;
                let (to_here, to_there) =
                    (self.ground.set(HERE, shrink.to)?, self.ground.set(after, shrink.to)?);
                let met = self.ground.of_step(FREE, self.about.recurring[shrink.signal])?;
                let (left, back) = (self.ground.not(&to_here)?, self.or(&met, &to_there)?);
                self.no_step(&[here, left, there, back], "an upper bound of EG")?;
                (here, there) = (to_here, to_there);
            }
        }
        Ok(())
    }

    fn always_from_below(
        &mut self,
        set: Lit,
        rings: &[Vec<Lit>],
        a: Option<NodeId>,
        stop: &Stop,
    ) -> Result<(), Refusal> {
        let why = "a lower bound of EG";
        let inside = self.ground.set(HERE, set)?;
        let held = self.within(HERE, a, true)?;
        let not_held = self.ground.not(&held)?;
        self.never(&[inside.clone(), not_held], why)?;
        for (signal, rings) in rings.iter().enumerate() {
            let (Some(&first), Some(&last)) = (rings.first(), rings.last()) else {
                self.never(std::slice::from_ref(&inside), why)?;
                continue;
            };
            let outside = self.outside(last)?;
            self.never(&[inside.clone(), outside], why)?;
            let begin = self.ground.set(HERE, first)?;
            self.some(&[inside.clone(), begin], Aim::Meeting(signal, set), why)?;
            for pair in rings.windows(2) {
                stop.check()?;
                let new = [inside.clone(), self.ground.set(HERE, pair[1])?, self.outside(pair[0])?];
                self.some(&new, Aim::Both(pair[0], set), why)?;
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
