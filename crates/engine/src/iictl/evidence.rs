//! What an answer rests on: bounds as they are checked, and a path to where the reason is plain.

use std::sync::Arc;

use buttress_system::ctl::{Bounds, Lower, NodeId, Remark, Says, Shrink, TreeSets, Upper};
use buttress_system::{Lit, PropertyId, Ternary, Trace};

use super::{Break, Place, Tree, known};
use crate::ctl::wanted;
use crate::fair::State;

impl Tree<'_, '_> {
    /// The bounds, from below for a formula that holds, from above for one that does not, and the other way round
    /// under each negation.
    pub(super) fn sets(&mut self, holds: bool) -> Arc<TreeSets> {
        let (wanted, of_fair) = wanted(self.formula, holds);
        let mut nodes = vec![Bounds::default(); wanted.len()];
        for node in self.formula.node_ids().filter(|&n| self.formula.says(n).is_temporal()) {
            nodes[node.index()] = self.bounds(Place::Node(node), wanted[node.index()]);
        }
        let is_free = self.job.system.is_free();
        let fair = if is_free { Bounds::default() } else { self.bounds(Place::Fair, of_fair) };
        let moved = |bounds: &mut Bounds| {
            for set in bounds.sets_mut() {
                *set = self.states.original(*set);
            }
        };
        let mut fair = fair;
        nodes.iter_mut().chain([&mut fair]).for_each(moved);
        let gates = self.circuit.gates.iter().map(|gate| gate.map(|l| self.states.original(l))).collect();
        Arc::new(TreeSets { gates, invariant: Lit::TRUE, fair, nodes })
    }

    fn bounds(&mut self, place: Place, [upper, lower]: [bool; 2]) -> Bounds {
        let says = match place {
            Place::Node(node) => Some(self.formula.says(node)),
            Place::Fair => None,
        };
        let mut bounds = Bounds::default();
        if upper {
            let set = self.bound(place, false);
            bounds.upper = Some(match says {
                Some(Says::Next(_)) => Upper::Next(set),
                Some(Says::Until(..)) => Upper::Until(set),
                _ => Upper::Always(self.shrinks(place)),
            });
        }
        if lower {
            bounds.lower = match says {
                Some(Says::Next(_)) => Some(Lower::Next(self.bound(place, true))),
                Some(Says::Until(..)) => Some(Lower::Until(self.rings(place))),
                _ => self.rounds(place),
            };
        }
        bounds
    }

    fn shrinks(&mut self, place: Place) -> Vec<Shrink> {
        let mut to = match place {
            Place::Fair => Lit::TRUE,
            Place::Node(node) => match self.formula.says(node) {
                Says::Always(a) => self.bound_of(a, false),
                _ => unreachable!("shrinks are those of EG"),
            },
        };
        let left = known(&self.nodes, &self.fair, place).left.clone();
        let mut shrink = |(set, signal): (Lit, usize)| {
            to = self.circuit.and(to, !set);
            Shrink { to, signal }
        };
        left.into_iter().map(&mut shrink).collect()
    }

    fn rings(&mut self, place: Place) -> Vec<Lit> {
        let Place::Node(node) = place else { unreachable!("rings are those of EU") };
        let Says::Until(_, b) = self.formula.says(node) else { unreachable!("rings are those of EU") };
        let mut ring = self.fairly(b, true);
        let mut rings = vec![ring];
        for set in known(&self.nodes, &self.fair, place).joined.clone() {
            ring = self.circuit.or(ring, set);
            rings.push(ring);
        }
        rings
    }

    /// For each signal, the states by the number of steps until one has it.
    fn rounds(&mut self, place: Place) -> Option<Lower> {
        let known = known(&self.nodes, &self.fair, place);
        if known.rounds.is_empty() {
            return None;
        }
        let mut all_rings = Vec::new();
        for signal in 0..self.recurring.len() {
            let mut by_rank: Vec<Vec<Lit>> = Vec::new();
            for (number, round) in known.rounds.iter().enumerate() {
                let (mut rank, mut at) = (0, number);
                while !known.rounds[at].meets[signal] {
                    (rank, at) = (rank + 1, known.rounds[at].to);
                }
                by_rank.resize_with(by_rank.len().max(rank + 1), Vec::new);
                by_rank[rank].push(round.set);
            }
            let mut ring = Lit::FALSE;
            let mut rings = Vec::new();
            for sets in by_rank {
                ring = sets.into_iter().fold(ring, |ring, set| self.circuit.or(ring, set));
                rings.push(ring);
            }
            all_rings.push(rings);
        }
        Some(Lower::Always { set: self.bound(place, true), rings: all_rings })
    }

    /// From a start at which the formula fails to where the reason is plain.
    pub(super) fn path(
        &mut self,
        start: &State,
        inputs: Vec<Ternary>,
    ) -> Result<(Trace, Vec<Remark>), Break> {
        let first = self.states.row(start, &inputs);
        let initial = self.states.initial(start, &first);
        let (mut state, mut rows, mut remarks) = (start.clone(), vec![first], Vec::new());
        let (mut node, mut holds) = (self.formula.root(), false);
        loop {
            let remark = Remark { step: rows.len() - 1, node, holds };
            match (self.formula.says(node), holds) {
                (Says::Not(a), _) => (node, holds) = (a, !holds),
                (Says::And(a, b), false) => node = if self.is_in(a, &state) { b } else { a },
                (Says::And(a, b), true) => node = if self.formula.says(a).is_temporal() { a } else { b },
                (Says::Next(a), true) => {
                    remarks.push(remark);
                    let to = self.fairly(a, true);
                    self.go(&mut state, &mut rows, to)?;
                    node = a;
                }
                (Says::Until(_, b), true) => {
                    remarks.push(remark);
                    let rings = self.rings(Place::Node(node));
                    let inside =
                        |tree: &Self, state: &State| rings.iter().position(|&r| tree.contains(r, state));
                    while let Some(at @ 1..) = inside(self, &state) {
                        self.go(&mut state, &mut rows, rings[at - 1])?;
                    }
                    node = b;
                }
                (Says::Next(_) | Says::Until(..) | Says::Always(_), _) => {
                    remarks.push(remark);
                    break;
                }
                (Says::Constant(_) | Says::Signal(_), _) => break,
            }
        }
        Ok((Trace { property: PropertyId::new(0), initial, inputs: rows }, remarks))
    }

    /// Whether a node holds of a state for which it is decided.
    fn is_in(&mut self, node: NodeId, state: &State) -> bool {
        let upper = self.bound_of(node, false);
        self.contains(upper, state)
    }

    /// A step to one of these states, and any inputs there.
    fn go(&mut self, state: &mut State, rows: &mut Vec<Vec<Ternary>>, to: Lit) -> Result<(), Break> {
        let (_, inputs) = self.step(state, Lit::TRUE, to, &[])?.expect("a step leads there");
        *rows.last_mut().expect("one row") = self.states.row(state, &inputs);
        *state = self.states.next(state, &inputs);
        let (_, inputs) = self.step(state, Lit::TRUE, Lit::TRUE, &[])?.expect("fair states go on");
        rows.push(self.states.row(state, &inputs));
        Ok(())
    }
}
