//! Computation tree logic: formulas about states, and about the fair executions that begin there.
//!
//! Emerson & Clarke, "Using branching time temporal logic to synthesize synchronization skeletons", 1982; with
//! fairness as Emerson & Lei, "Modalities for model checking", 1987.
//!
//! # The states
//!
//! A state has the values of the latches, and of the inputs that the formula or a reset reads: these are there
//! before a step, all other inputs are chosen with the step. So `EX a` asks for inputs that lead to `a`, unless
//! `a` speaks of them. A step is allowed where the constraints hold. Paths are infinite and *fair*: each signal of
//! fairness holds in infinitely many of their steps. All of `E` and `A` speak of fair paths only; a state where
//! none begins satisfies every `A` and no `E`.
//!
//! A formula holds if it holds in every state in which an execution may begin and from which there is a fair path.
//! So a formula that says the same as one of [linear time](crate::ltl) holds if and only if that one does
//! ([`Ctl::linear`]).
//!
//! # Evidence
//!
//! An answer rests on [`TreeSets`]: bounds from below and from above for what stands behind each `EX`, `EU` and
//! `EG` (Hassan, Bradley & Somenzi, "Incremental, inductive CTL model checking", CAV 2012), which whoever checks
//! it checks one by one.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use crate::ltl::{self, Ltl};
use crate::{BitSystem, InputId, Lit, PropertyId, Subject, Trace};

/// A node of a formula, by its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node says of a state. All other operators are made of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Says<A> {
    Constant(bool),
    Signal(A),
    Not(NodeId),
    And(NodeId, NodeId),
    /// `EX a`
    Next(NodeId),
    /// `E a U b`
    Until(NodeId, NodeId),
    /// `EG a`
    Always(NodeId),
}

impl<A> Says<A> {
    /// The nodes that it speaks of.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<A> {
        let (first, second) = match *self {
            Says::Constant(_) | Says::Signal(_) => (None, None),
            Says::Not(a) | Says::Next(a) | Says::Always(a) => (Some(a), None),
            Says::And(a, b) | Says::Until(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }

    /// Whether it is about paths.
    pub fn is_temporal(&self) -> bool {
        matches!(self, Says::Next(_) | Says::Until(..) | Says::Always(_))
    }
}

/// A formula over signals of some kind. The node that is meant is the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ctl<A> {
    nodes: Vec<Says<A>>,
}

impl<A: Copy + Eq + Hash> Ctl<A> {
    /// Each node after those that it speaks of.
    pub fn nodes(&self) -> &[Says<A>] {
        &self.nodes
    }

    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<A> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn says(&self, node: NodeId) -> Says<A> {
        self.nodes[node.index()]
    }

    pub fn signals(&self) -> impl Iterator<Item = A> + '_ {
        self.nodes.iter().filter_map(|says| match says {
            Says::Signal(signal) => Some(*signal),
            _ => None,
        })
    }

    /// A node as a text, with the operators that people use.
    pub fn text(&self, node: NodeId, name: &dyn Fn(A) -> String) -> String {
        self.meant(node, true, name)
    }

    fn meant(&self, node: NodeId, positive: bool, name: &dyn Fn(A) -> String) -> String {
        let of = |node: NodeId, positive: bool| self.meant(node, positive, name);
        let is = |node: NodeId, value: bool| self.says(node) == Says::Constant(value);
        match (self.says(node), positive) {
            (Says::Constant(value), _) => (value == positive).to_string(),
            (Says::Signal(signal), true) => name(signal),
            (Says::Signal(signal), false) => format!("!{}", name(signal)),
            (Says::Not(a), _) => of(a, !positive),
            (Says::And(a, b), true) => format!("({} & {})", of(a, true), of(b, true)),
            (Says::And(a, b), false) => format!("({} | {})", of(a, false), of(b, false)),
            (Says::Next(a), true) => format!("EX {}", of(a, true)),
            (Says::Next(a), false) => format!("AX {}", of(a, false)),
            (Says::Until(a, b), true) if is(a, true) => format!("EF {}", of(b, true)),
            (Says::Until(a, b), false) if is(a, true) => format!("AG {}", of(b, false)),
            (Says::Until(a, b), true) => format!("E({} U {})", of(a, true), of(b, true)),
            (Says::Until(a, b), false) => format!("A({} R {})", of(a, false), of(b, false)),
            (Says::Always(a), true) => format!("EG {}", of(a, true)),
            (Says::Always(a), false) => format!("AF {}", of(a, false)),
        }
    }

    /// The formula of linear time that says the same, where this one is in their common fragment as far as it is
    /// easily seen (Maidl, "The common fragment of CTL and LTL", FOCS 2000):
    ///
    /// ```text
    /// φ = p | φ ∧ φ | p ∨ φ | AX φ | A p R φ (so AG φ, and A φ W p) | AF p         p without operators of time
    /// ```
    pub fn linear(&self) -> Option<Ltl<A>> {
        let mut plain: Vec<bool> = Vec::new();
        for says in &self.nodes {
            let all = says.operands().all(|o| plain[o.index()]);
            plain.push(all && !says.is_temporal());
        }
        let mut making = ltl::Making::default();
        let mut known = HashMap::new();
        let root = self.line((self.root(), true), &plain, &mut making, &mut known)?;
        Some(making.finish(root))
    }

    fn line(
        &self,
        meant: (NodeId, bool),
        plain: &[bool],
        making: &mut ltl::Making<A>,
        known: &mut HashMap<(NodeId, bool), Option<ltl::NodeId>>,
    ) -> Option<ltl::NodeId> {
        if let Some(found) = known.get(&meant) {
            return *found;
        }
        let (node, positive) = meant;
        let mut of = |node: NodeId, positive: bool, making: &mut ltl::Making<A>| {
            self.line((node, positive), plain, making, known)
        };
        let found = match (self.says(node), positive) {
            (Says::Constant(value), _) => Some(making.constant(value == positive)),
            (Says::Signal(signal), _) => {
                let signal = making.add(ltl::Says::Signal(signal));
                Some(if positive { signal } else { making.not(signal) })
            }
            (Says::Not(a), _) => of(a, !positive, making),
            (Says::And(a, b), true) => match (of(a, true, making), of(b, true, making)) {
                (Some(a), Some(b)) => Some(making.and(a, b)),
                _ => None,
            },
            (Says::And(a, b), false) if plain[a.index()] || plain[b.index()] => {
                match (of(a, false, making), of(b, false, making)) {
                    (Some(a), Some(b)) => Some(making.or(a, b)),
                    _ => None,
                }
            }
            (Says::Next(a), false) => of(a, false, making).map(|a| making.next(a)),
            (Says::Until(a, b), false) if plain[a.index()] => {
                match (of(a, false, making), of(b, false, making)) {
                    (Some(a), Some(b)) => Some(making.add(ltl::Says::Release(a, b))),
                    _ => None,
                }
            }
            (Says::Always(a), false) if plain[a.index()] => {
                of(a, false, making).map(|a| making.eventually(a))
            }
            _ => None,
        };
        known.insert(meant, found);
        found
    }
}

/// A formula that is being made.
#[derive(Clone, Debug)]
pub struct Making<A> {
    nodes: Vec<Says<A>>,
    known: HashMap<Says<A>, NodeId>,
}

impl<A> Default for Making<A> {
    fn default() -> Making<A> {
        Making { nodes: Vec::new(), known: HashMap::new() }
    }
}

impl<A: Copy + Eq + Hash> Making<A> {
    pub fn add(&mut self, says: Says<A>) -> NodeId {
        let nodes = &mut self.nodes;
        *self.known.entry(says).or_insert_with(|| {
            nodes.push(says);
            NodeId(nodes.len() as u32 - 1)
        })
    }

    pub fn constant(&mut self, value: bool) -> NodeId {
        self.add(Says::Constant(value))
    }

    pub fn not(&mut self, a: NodeId) -> NodeId {
        match self.nodes[a.index()] {
            Says::Not(b) => b,
            Says::Constant(value) => self.constant(!value),
            _ => self.add(Says::Not(a)),
        }
    }

    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.add(Says::And(a, b))
    }

    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    pub fn implies(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let not_b = self.not(b);
        let broken = self.and(a, not_b);
        self.not(broken)
    }

    pub fn equal(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (there, back) = (self.implies(a, b), self.implies(b, a));
        self.and(there, back)
    }

    /// `EX a`
    pub fn exists_next(&mut self, a: NodeId) -> NodeId {
        self.add(Says::Next(a))
    }

    /// `EF a`
    pub fn exists_eventually(&mut self, a: NodeId) -> NodeId {
        let yes = self.constant(true);
        self.add(Says::Until(yes, a))
    }

    /// `EG a`
    pub fn exists_always(&mut self, a: NodeId) -> NodeId {
        self.add(Says::Always(a))
    }

    /// `E a U b`
    pub fn exists_until(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.add(Says::Until(a, b))
    }

    /// `E a W b`
    pub fn exists_weak_until(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (until, always) = (self.exists_until(a, b), self.exists_always(a));
        self.or(until, always)
    }

    /// `E a R b`
    pub fn exists_release(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let both = self.and(a, b);
        self.exists_weak_until(b, both)
    }

    /// `AX a`
    pub fn all_next(&mut self, a: NodeId) -> NodeId {
        let not_a = self.not(a);
        let some = self.exists_next(not_a);
        self.not(some)
    }

    /// `AF a`
    pub fn all_eventually(&mut self, a: NodeId) -> NodeId {
        let not_a = self.not(a);
        let some = self.exists_always(not_a);
        self.not(some)
    }

    /// `AG a`
    pub fn all_always(&mut self, a: NodeId) -> NodeId {
        let not_a = self.not(a);
        let some = self.exists_eventually(not_a);
        self.not(some)
    }

    /// `A a R b`
    pub fn all_release(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let some = self.exists_until(not_a, not_b);
        self.not(some)
    }

    /// `A a W b`
    pub fn all_weak_until(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let either = self.or(a, b);
        self.all_release(b, either)
    }

    /// `A a U b`
    pub fn all_until(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (weak, comes) = (self.all_weak_until(a, b), self.all_eventually(b));
        self.and(weak, comes)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The formula whose last word is this node: what it does not speak of is left out.
    pub fn finish(&self, root: NodeId) -> Ctl<A> {
        let mut wanted = vec![false; root.index() + 1];
        wanted[root.index()] = true;
        for place in (0..=root.index()).rev() {
            if wanted[place] {
                self.nodes[place].operands().for_each(|o| wanted[o.index()] = true);
            }
        }
        let mut places = vec![NodeId(0); root.index() + 1];
        let mut nodes = Vec::new();
        for place in (0..=root.index()).filter(|&place| wanted[place]) {
            places[place] = NodeId(nodes.len() as u32);
            let at = |node: NodeId| places[node.index()];
            nodes.push(match self.nodes[place] {
                says @ (Says::Constant(_) | Says::Signal(_)) => says,
                Says::Not(a) => Says::Not(at(a)),
                Says::And(a, b) => Says::And(at(a), at(b)),
                Says::Next(a) => Says::Next(at(a)),
                Says::Until(a, b) => Says::Until(at(a), at(b)),
                Says::Always(a) => Says::Always(at(a)),
            });
        }
        Ctl { nodes }
    }
}

/// A system with formulas about its computation trees: these are its properties, by their numbers.
#[derive(Clone, Debug)]
pub struct Branching {
    pub system: Arc<BitSystem>,
    pub fairness: Vec<Lit>,
    pub formulas: Vec<Ctl<Lit>>,
}

impl Branching {
    /// Which inputs belong to a state: those that the formula or a reset reads.
    pub fn read(&self, formula: usize) -> Vec<bool> {
        let system = &*self.system;
        let mut marked = vec![false; system.num_vars()];
        let resets = system.latches().map(|l| system.latch(l).reset);
        let signals = self.formulas[formula].signals();
        system.mark_cone(signals.chain(resets.filter(|r| !r.is_constant())), &mut marked);
        system.inputs().map(|i: InputId| marked[system.input_lit(i).var().index()]).collect()
    }

    /// What every path meets again and again: without fairness, that it goes on.
    pub fn recurring(&self) -> Vec<Lit> {
        if self.fairness.is_empty() { vec![Lit::TRUE] } else { self.fairness.clone() }
    }

    /// Whether a fair path begins in every state, as nothing forbids it.
    pub fn is_free(&self) -> bool {
        self.fairness.is_empty() && self.system.constraints.is_empty()
    }
}

/// Sets of states that an answer rests on, as functions of latches and of the inputs that belong to a state.
///
/// Literals below the first gate of the system are its constant, inputs and latches; those from there on are the
/// gates here, in their order. With `L` and `U` the bounds, in all states that are reached: `L(φ) ⊆ φ ⊆ U(φ)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeSets {
    pub gates: Vec<[Lit; 2]>,
    /// Contains all states that are reached.
    pub invariant: Lit,
    /// Of `EG true`: where fair paths begin. Nothing is said where the system is [free](Branching::is_free).
    pub fair: Bounds,
    /// Of each node of the formula; those that are about no paths have none.
    pub nodes: Vec<Bounds>,
}

impl TreeSets {
    /// Every set that is named.
    pub fn named(&self) -> impl Iterator<Item = Lit> + '_ {
        std::iter::once(self.invariant).chain(self.nodes.iter().chain([&self.fair]).flat_map(Bounds::named))
    }
}

impl Bounds {
    /// Every set that is named, to be replaced.
    pub fn sets_mut(&mut self) -> Vec<&mut Lit> {
        let lower = match &mut self.lower {
            None => Vec::new(),
            Some(Lower::Next(set)) => vec![set],
            Some(Lower::Until(rings)) => rings.iter_mut().collect(),
            Some(Lower::Always { set, rings }) => rings.iter_mut().flatten().chain([set]).collect(),
        };
        let upper = match &mut self.upper {
            None => Vec::new(),
            Some(Upper::Next(set) | Upper::Until(set)) => vec![set],
            Some(Upper::Always(shrinks)) => shrinks.iter_mut().map(|s| &mut s.to).collect(),
        };
        lower.into_iter().chain(upper).collect()
    }

    fn named(&self) -> Vec<Lit> {
        let lower = match &self.lower {
            None => Vec::new(),
            Some(Lower::Next(set)) => vec![*set],
            Some(Lower::Until(rings)) => rings.clone(),
            Some(Lower::Always { set, rings }) => rings.iter().flatten().chain([set]).copied().collect(),
        };
        let upper = match &self.upper {
            None => Vec::new(),
            Some(Upper::Next(set) | Upper::Until(set)) => vec![*set],
            Some(Upper::Always(shrinks)) => shrinks.iter().map(|s| s.to).collect(),
        };
        [lower, upper].concat()
    }
}

/// What is known of the states of a node; nothing is known where it is not needed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    pub lower: Option<Lower>,
    pub upper: Option<Upper>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lower {
    /// Of `EX`: each state has a step into its operand.
    Next(Lit),
    /// Of `E a U b`: growing sets, the first within `b`, each of the others within `a` and a step away from the
    /// one before.
    Until(Vec<Lit>),
    /// Of `EG a`: a set within `a`; and for each signal that recurs growing sets, the first where a step into the
    /// set meets the signal, each of the others a step within the set away from the one before, the last as large
    /// as the set.
    Always { set: Lit, rings: Vec<Vec<Lit>> },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Upper {
    /// Of `EX`: from outside no step leads into its operand.
    Next(Lit),
    /// Of `E a U b`: outside there is no `b`, and no step from `a` outside leads in.
    Until(Lit),
    /// Of `EG a`: from the upper bound of `a` down.
    Always(Vec<Shrink>),
}

/// Within a set that contains all states of `EG a`: who is outside of `to` stays there, or leaves the set, and
/// never meets the signal before it leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shrink {
    pub to: Lit,
    /// Which of the signals that recur.
    pub signal: usize,
}

/// That a formula holds.
#[derive(Clone, Debug)]
pub struct Satisfied {
    /// Just one.
    pub properties: Vec<PropertyId>,
    pub sets: Arc<TreeSets>,
}

/// That a formula does not hold: in the first state of the path.
#[derive(Clone, Debug)]
pub struct Refuted {
    pub property: PropertyId,
    pub sets: Arc<TreeSets>,
    /// From a state in which an execution may begin to where the reason is plain.
    pub path: Trace,
    /// What holds and does not hold on the way. That the formula does not in step 0 need not stand here.
    pub remarks: Vec<Remark>,
}

/// What a node says of a step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remark {
    pub step: usize,
    pub node: NodeId,
    pub holds: bool,
}

impl Subject for Branching {
    /// That a formula holds says nothing about states.
    type Lemma = PropertyId;
    type Trace = Refuted;
    type Proof = Satisfied;

    fn lemma(property: PropertyId) -> PropertyId {
        property
    }

    fn as_property(lemma: &PropertyId) -> Option<PropertyId> {
        Some(*lemma)
    }

    fn excluding(_: &[Lit]) -> Option<PropertyId> {
        None
    }

    fn excluded(_: &PropertyId) -> Option<Vec<Lit>> {
        None
    }

    fn lemmas(_: &Satisfied) -> Vec<PropertyId> {
        Vec::new()
    }

    fn proved(proof: &Satisfied) -> &[PropertyId] {
        &proof.properties
    }

    /// No proof of one rests on another.
    fn and(&self, proof: Satisfied, _: &Satisfied) -> Satisfied {
        proof
    }

    fn num_properties(&self) -> usize {
        self.formulas.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Makes = fn(&mut Making<u32>) -> NodeId;

    fn linear(makes: Makes) -> bool {
        let mut making = Making::default();
        let root = makes(&mut making);
        making.finish(root).linear().is_some()
    }

    #[test]
    fn the_common_fragment_is_seen() {
        let p = |m: &mut Making<u32>| m.add(Says::Signal(0));
        let yes: [Makes; 4] = [
            |m| {
                let (p, q) = (m.add(Says::Signal(0)), m.add(Says::Signal(1)));
                let f = m.all_eventually(q);
                let answered = m.implies(p, f);
                m.all_always(answered)
            },
            |m| {
                let (p, q) = (m.add(Says::Signal(0)), m.add(Says::Signal(1)));
                m.all_until(p, q)
            },
            |m| {
                let (p, q) = (m.add(Says::Signal(0)), m.add(Says::Signal(1)));
                let next = m.all_next(p);
                m.all_weak_until(next, q)
            },
            |m| {
                let p = m.add(Says::Signal(0));
                let f = m.all_eventually(p);
                m.all_always(f)
            },
        ];
        let no: [Makes; 4] = [
            |m| {
                let p = m.add(Says::Signal(0));
                let f = m.all_always(p);
                m.all_eventually(f)
            },
            |m| {
                let p = m.add(Says::Signal(0));
                let f = m.exists_eventually(p);
                m.all_always(f)
            },
            |m| {
                let (p, q) = (m.add(Says::Signal(0)), m.add(Says::Signal(1)));
                let (a, b) = (m.all_next(p), m.all_next(q));
                m.or(a, b)
            },
            |m| {
                let (p, q) = (m.add(Says::Signal(0)), m.add(Says::Signal(1)));
                let next = m.all_next(q);
                m.all_weak_until(p, next)
            },
        ];
        assert!(yes.into_iter().all(linear));
        assert!(!no.into_iter().any(linear));
        let mut making = Making::default();
        let p = p(&mut making);
        let f = making.exists_eventually(p);
        let root = making.all_always(f);
        assert_eq!(making.finish(root).text(root, &|n| format!("s{n}")), "AG EF s0");
    }
}
