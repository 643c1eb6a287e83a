//! Linear temporal logic: formulas about infinite executions, with operators of the future and of the past.
//!
//! A formula is a graph without circles: each node names nodes before it, equal ones are one. Executions are
//! infinite, under the constraints in every step; where the system has fairness, each of its signals holds
//! infinitely often. A formula holds if it holds in step 0 of all of them.
//!
//! ```text
//! X a    in the next step             a U b   b comes, and a holds until then
//!                                     a R b   ¬(¬a U ¬b)
//! Y a    in the step before, false in step 0          a S b   b was there, and a has held since
//! Z a    ¬Y ¬a: in the step before, if there is one    a T b   ¬(¬a S ¬b)
//! ```
//!
//! How a formula becomes a justice property stands in [`tableau`].

pub mod tableau;
mod unfold;

pub use unfold::Unfolds;

use std::collections::HashMap;
use std::hash::Hash;

/// A node of a formula, by its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node says of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Says<A> {
    Constant(bool),
    Signal(A),
    Not(NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Next(NodeId),
    Until(NodeId, NodeId),
    Release(NodeId, NodeId),
    /// False in step 0.
    Before(NodeId),
    /// True in step 0.
    BeforeIfAny(NodeId),
    Since(NodeId, NodeId),
    Trigger(NodeId, NodeId),
}

impl<A> Says<A> {
    /// The nodes that it speaks of.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<A> {
        let (first, second) = match *self {
            Says::Constant(_) | Says::Signal(_) => (None, None),
            Says::Not(a) | Says::Next(a) | Says::Before(a) | Says::BeforeIfAny(a) => (Some(a), None),
            Says::And(a, b)
            | Says::Or(a, b)
            | Says::Until(a, b)
            | Says::Release(a, b)
            | Says::Since(a, b)
            | Says::Trigger(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }

    /// The same about another signal and other nodes.
    pub fn map<B>(self, to: impl FnOnce(A) -> B, at: impl Fn(NodeId) -> NodeId) -> Says<B> {
        match self {
            Says::Constant(value) => Says::Constant(value),
            Says::Signal(signal) => Says::Signal(to(signal)),
            Says::Not(a) => Says::Not(at(a)),
            Says::And(a, b) => Says::And(at(a), at(b)),
            Says::Or(a, b) => Says::Or(at(a), at(b)),
            Says::Next(a) => Says::Next(at(a)),
            Says::Until(a, b) => Says::Until(at(a), at(b)),
            Says::Release(a, b) => Says::Release(at(a), at(b)),
            Says::Before(a) => Says::Before(at(a)),
            Says::BeforeIfAny(a) => Says::BeforeIfAny(at(a)),
            Says::Since(a, b) => Says::Since(at(a), at(b)),
            Says::Trigger(a, b) => Says::Trigger(at(a), at(b)),
        }
    }

    /// Whether it is about steps before.
    pub fn is_past(&self) -> bool {
        matches!(self, Says::Before(_) | Says::BeforeIfAny(_) | Says::Since(..) | Says::Trigger(..))
    }
}

/// A formula over signals of some kind. The node that is meant is the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ltl<A> {
    nodes: Vec<Says<A>>,
}

impl<A: Copy> Ltl<A> {
    /// Each node after those that it speaks of.
    pub fn nodes(&self) -> &[Says<A>] {
        &self.nodes
    }

    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn says(&self, node: NodeId) -> Says<A> {
        self.nodes[node.index()]
    }

    /// The same formula about other signals.
    pub fn map<B>(&self, mut to: impl FnMut(A) -> B) -> Ltl<B> {
        Ltl { nodes: self.nodes.iter().map(|says| says.map(&mut to, |node| node)).collect() }
    }

    /// A node as a text that can be read as a formula again.
    pub fn text(&self, node: NodeId, name: &dyn Fn(A) -> String) -> String {
        let of = |node: NodeId| self.text(node, name);
        let is = |node: NodeId, value: bool| matches!(self.says(node), Says::Constant(v) if v == value);
        let infix = |a: NodeId, by: &str, b: NodeId| format!("({} {by} {})", of(a), of(b));
        match self.says(node) {
            Says::Constant(value) => value.to_string(),
            Says::Signal(signal) => name(signal),
            Says::Not(a) => format!("!{}", of(a)),
            Says::And(a, b) => infix(a, "&", b),
            Says::Or(a, b) => infix(a, "|", b),
            Says::Next(a) => format!("X {}", of(a)),
            Says::Until(a, b) if is(a, true) => format!("F {}", of(b)),
            Says::Until(a, b) => infix(a, "U", b),
            Says::Release(a, b) if is(a, false) => format!("G {}", of(b)),
            Says::Release(a, b) => infix(a, "R", b),
            Says::Before(a) => format!("Y {}", of(a)),
            Says::BeforeIfAny(a) => format!("Z {}", of(a)),
            Says::Since(a, b) if is(a, true) => format!("O {}", of(b)),
            Says::Since(a, b) => infix(a, "S", b),
            Says::Trigger(a, b) if is(a, false) => format!("H {}", of(b)),
            Says::Trigger(a, b) => infix(a, "T", b),
        }
    }

    pub fn signals(&self) -> impl Iterator<Item = A> + '_ {
        self.nodes.iter().filter_map(|says| match says {
            Says::Signal(signal) => Some(*signal),
            _ => None,
        })
    }
}

/// What a node is without its operands.
enum Folded {
    To(NodeId),
    Constant(bool),
    No,
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
    /// What is true or false whatever its operands say is a constant: nobody shall wait for operands that do not
    /// matter.
    pub fn add(&mut self, says: Says<A>) -> NodeId {
        if let Some(known) = self.either_way(says) {
            return known;
        }
        match self.folded(says) {
            Folded::To(node) => node,
            Folded::Constant(value) => self.insert(Says::Constant(value)),
            Folded::No => self.insert(says),
        }
    }

    /// A node that is there, its operands in either order where that does not matter.
    fn either_way(&self, says: Says<A>) -> Option<NodeId> {
        let swapped = match says {
            Says::And(a, b) => Says::And(b, a),
            Says::Or(a, b) => Says::Or(b, a),
            says => says,
        };
        self.known.get(&says).or_else(|| self.known.get(&swapped)).copied()
    }

    fn insert(&mut self, says: Says<A>) -> NodeId {
        let nodes = &mut self.nodes;
        *self.known.entry(says).or_insert_with(|| {
            nodes.push(says);
            NodeId(nodes.len() as u32 - 1)
        })
    }

    fn folded(&self, says: Says<A>) -> Folded {
        let value = |a: NodeId| match self.nodes[a.index()] {
            Says::Constant(value) => Some(value),
            _ => None,
        };
        match says {
            Says::And(a, b) | Says::Or(a, b) => {
                let neutral = matches!(says, Says::And(..));
                match (value(a), value(b)) {
                    (Some(v), _) => {
                        if v == neutral {
                            Folded::To(b)
                        } else {
                            Folded::Constant(v)
                        }
                    }
                    (_, Some(v)) => {
                        if v == neutral {
                            Folded::To(a)
                        } else {
                            Folded::Constant(v)
                        }
                    }
                    _ if a == b => Folded::To(a),
                    _ if self.opposite(a) == Some(b) || self.opposite(b) == Some(a) => {
                        Folded::Constant(!neutral)
                    }
                    _ => Folded::No,
                }
            }
            Says::Next(a) => value(a).map_or(Folded::No, Folded::Constant),
            Says::Before(a) if value(a) == Some(false) => Folded::Constant(false),
            Says::BeforeIfAny(a) if value(a) == Some(true) => Folded::Constant(true),
            Says::Until(_, b) | Says::Release(_, b) | Says::Since(_, b) | Says::Trigger(_, b)
                if value(b).is_some() =>
            {
                value(b).map_or(Folded::No, Folded::Constant)
            }
            Says::Until(a, b) | Says::Since(a, b) if value(a) == Some(false) || a == b => Folded::To(b),
            Says::Release(a, b) | Says::Trigger(a, b) if value(a) == Some(true) || a == b => Folded::To(b),
            _ => Folded::No,
        }
    }

    /// The node that says the contrary, where it is there and easily seen.
    fn opposite(&self, node: NodeId) -> Option<NodeId> {
        let of = |a: NodeId| match self.nodes[a.index()] {
            Says::Not(b) => Some(b),
            _ => self.known.get(&Says::Not(a)).copied(),
        };
        let other = match self.nodes[node.index()] {
            Says::And(a, b) => Says::Or(of(a)?, of(b)?),
            Says::Or(a, b) => Says::And(of(a)?, of(b)?),
            _ => return of(node),
        };
        of(node).or_else(|| self.either_way(other))
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
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
        self.add(Says::Or(a, b))
    }

    pub fn implies(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    pub fn equal(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let (both, neither) = (self.and(a, b), self.and(not_a, not_b));
        self.or(both, neither)
    }

    pub fn next(&mut self, a: NodeId) -> NodeId {
        self.add(Says::Next(a))
    }

    pub fn eventually(&mut self, a: NodeId) -> NodeId {
        let yes = self.constant(true);
        self.add(Says::Until(yes, a))
    }

    pub fn always(&mut self, a: NodeId) -> NodeId {
        let no = self.constant(false);
        self.add(Says::Release(no, a))
    }

    /// `a` until `b`, or for ever.
    pub fn weak_until(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let either = self.or(a, b);
        self.add(Says::Release(b, either))
    }

    pub fn once(&mut self, a: NodeId) -> NodeId {
        let yes = self.constant(true);
        self.add(Says::Since(yes, a))
    }

    pub fn historically(&mut self, a: NodeId) -> NodeId {
        let no = self.constant(false);
        self.add(Says::Trigger(no, a))
    }

    /// The formula whose last word is this node: what it does not speak of is left out.
    pub fn finish(&self, root: NodeId) -> Ltl<A> {
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
            nodes.push(self.nodes[place].map(|signal| signal, |node| places[node.index()]));
        }
        Ltl { nodes }
    }
}
