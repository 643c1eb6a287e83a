//! In which order the diagrams decide inputs and latches.
//!
//! * [`Order::Depth`]: as a depth-first walk from the property, the constraints and then the latches' next-state
//!   functions meets them (Fujita, Fujisawa & Kawato 1988; Malik et al. 1988): what is read together stands
//!   together.
//! * [`Order::Force`]: FORCE (Aloul, Markov & Sakallah, GLSVLSI 2003), from there: every gate pulls its operands
//!   and its result to their centre of gravity, until the spans of the gates do not get shorter.

use std::fmt;
use std::str::FromStr;

use buttress_system::{BitSystem, Lit, Node, Var};

/// How the variables of the diagrams are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As in the file, inputs first.
    File,
    Depth,
    Force,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::File => "file",
            Order::Depth => "depth",
            Order::Force => "force",
        })
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        match text {
            "file" => Ok(Order::File),
            "depth" => Ok(Order::Depth),
            "force" => Ok(Order::Force),
            _ => Err("expected file, depth or force".to_string()),
        }
    }
}

/// All inputs and latches, the first to be decided first.
pub(super) fn order(system: &BitSystem, how: Order, roots: &[Lit]) -> Vec<Var> {
    match how {
        Order::File => (1..system.first_gate()).map(|v| Var::new(v as u32)).collect(),
        Order::Depth => leaves(system, &walk(system, roots)),
        Order::Force => force(system, walk(system, roots)),
    }
}

fn leaves(system: &BitSystem, walked: &[Var]) -> Vec<Var> {
    walked.iter().copied().filter(|v| !matches!(system.node(*v), Node::Gate(..) | Node::Constant)).collect()
}

/// Every variable that the roots reach, a gate after its operands; then inputs and latches that they do not reach.
fn walk(system: &BitSystem, roots: &[Lit]) -> Vec<Var> {
    let mut walk = Walk { system, seen: vec![false; system.num_vars()], met: Vec::new() };
    roots.iter().for_each(|root| walk.visit(root.var()));
    let mut done = 0;
    while done < walk.met.len() {
        if let Some(latch) = system.as_latch(walk.met[done]) {
            walk.visit(system.latch(latch).next.var());
        }
        done += 1;
    }
    (1..system.first_gate()).for_each(|v| walk.visit(Var::new(v as u32)));
    walk.met
}

struct Walk<'a> {
    system: &'a BitSystem,
    seen: Vec<bool>,
    met: Vec<Var>,
}

impl Walk<'_> {
    fn visit(&mut self, root: Var) {
        let mut stack = vec![(root, false)];
        while let Some((var, operands_met)) = stack.pop() {
            if operands_met {
                self.met.push(var);
            } else if !std::mem::replace(&mut self.seen[var.index()], true) {
                stack.push((var, true));
                if let Node::Gate(a, b) = self.system.node(var) {
                    stack.extend([(b.var(), false), (a.var(), false)]);
                }
            }
        }
    }
}

fn force(system: &BitSystem, walked: Vec<Var>) -> Vec<Var> {
    let edges = edges(system, &walked);
    let mut best = (f64::INFINITY, walked);
    loop {
        let mut position = vec![0.0; system.num_vars()];
        best.1.iter().enumerate().for_each(|(place, v)| position[v.index()] = place as f64);
        let mut next = best.1.clone();
        let wish = wishes(&edges, &position);
        next.sort_by(|a, b| wish[a.index()].total_cmp(&wish[b.index()]));
        let span = span(system, &edges, &next);
        if span >= best.0 {
            return leaves(system, &best.1);
        }
        best = (span, next);
    }
}

/// A gate with its operands, a latch with its next-state function.
fn edges(system: &BitSystem, walked: &[Var]) -> Vec<Vec<Var>> {
    let edge = |&var: &Var| match system.node(var) {
        Node::Gate(a, b) => Some(vec![var, a.var(), b.var()]),
        Node::Latch(latch) => Some(vec![var, system.latch(latch).next.var()]),
        Node::Constant | Node::Input(_) => None,
    };
    let mut edges: Vec<Vec<Var>> = walked.iter().filter_map(edge).collect();
    edges.iter_mut().for_each(|edge| edge.retain(|&v| v != Var::CONSTANT));
    edges
}

/// For each variable the mean of its edges' centres of gravity.
fn wishes(edges: &[Vec<Var>], position: &[f64]) -> Vec<f64> {
    let mut sum = vec![(0.0, 0.0); position.len()];
    for edge in edges {
        let centre = edge.iter().map(|v| position[v.index()]).sum::<f64>() / edge.len() as f64;
        for v in edge {
            let (total, count) = &mut sum[v.index()];
            (*total, *count) = (*total + centre, *count + 1.0);
        }
    }
    let wish = |((total, count), &here): (&(f64, f64), &f64)| if *count > 0.0 { total / count } else { here };
    sum.iter().zip(position).map(wish).collect()
}

/// How long all edges are together.
fn span(system: &BitSystem, edges: &[Vec<Var>], order: &[Var]) -> f64 {
    let mut position = vec![0usize; system.num_vars()];
    order.iter().enumerate().for_each(|(place, v)| position[v.index()] = place);
    let length = |edge: &Vec<Var>| {
        let places = || edge.iter().map(|v| position[v.index()]);
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    edges.iter().map(length).sum::<usize>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// bad = (i0 ∧ i3) ∧ (i1 ∧ i2)
    fn pairs() -> (BitSystem, Lit) {
        let mut system = BitSystem::new(4, 1);
        let lits: Vec<Lit> = system.inputs().map(|i| system.input_lit(i)).collect();
        let (a, b) = (system.push_gate(lits[0], lits[3]), system.push_gate(lits[1], lits[2]));
        let bad = system.push_gate(a, b);
        (system, bad)
    }

    #[test]
    fn every_leaf_stands_once() {
        let (system, bad) = pairs();
        for how in [Order::File, Order::Depth, Order::Force] {
            let mut order: Vec<usize> = order(&system, how, &[bad]).iter().map(|v| v.index()).collect();
            order.sort_unstable();
            assert_eq!(order, [1, 2, 3, 4, 5], "{how:?}");
        }
    }

    #[test]
    fn what_is_read_together_stands_together() {
        let (system, bad) = pairs();
        let order = order(&system, Order::Depth, &[bad]);
        assert_eq!(order.iter().map(|v| v.index()).collect::<Vec<_>>(), [1, 4, 2, 3, 5]);
    }

    #[test]
    fn force_shortens_spans() {
        let (system, bad) = pairs();
        let walked = walk(&system, &[bad]);
        let edges = edges(&system, &walked);
        let scrambled: Vec<Var> = [1, 6, 5, 2, 8, 3, 7, 4].map(|v| Var::new(v as u32)).to_vec();
        let mut position = vec![0.0; system.num_vars()];
        scrambled.iter().enumerate().for_each(|(place, v)| position[v.index()] = place as f64);
        let wish = wishes(&edges, &position);
        let mut pulled = scrambled.clone();
        pulled.sort_by(|a, b| wish[a.index()].total_cmp(&wish[b.index()]));
        assert!(span(&system, &edges, &pulled) < span(&system, &edges, &scrambled));
    }
}
