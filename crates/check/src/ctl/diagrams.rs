//! Conditions about sets of states decided by decision diagrams, for sets that came from diagrams: a SAT solver does
//! not see that two circuits of many thousand gates are one function, a canonical form does.
//!
//! ```text
//! S after the step   S(F(x,r,i), r')                    r are the inputs that belong to a state, i all others
//! a step leads to S  ∃i,r'. C(x,r,i) ∧ S(F(x,r,i), r')
//! ```
//!
//! Nobody tells the check an order of variables. It reads one off the sets: where a gate has a leaf as an operand,
//! that leaf decides between what the other operand is made of, and stands before it. An input stands before the
//! first latch whose next value reads it. A bad order costs nodes, and nothing else.
//!
//! Limits: where the diagrams outgrow their nodes the check stops, and somebody else may decide. The library of
//! diagrams is the one that engines use; the functions, the order and the questions are the check's own. The order
//! never changes.

use std::collections::HashMap;

use buttress_solve::bdd::{Bdd, Bdds, Substitution, Variables};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Lit, Node, Var};

use super::{About, Aim, Conditions, FREE, Ground, HERE, Moment, Step};

/// After the only step.
const AFTER: Moment = 1;

pub(super) struct Diagrams<'a> {
    about: &'a About<'a>,
    bdds: Bdds,
    variables: Places,
    /// Constraints, signals, next values and resets.
    functions: HashMap<Lit, Bdd>,
    /// What a step makes of a state after it: next values, and inputs of then.
    step: Substitution,
    /// Inputs of the step that belong to no state, and those that belong to the state after it.
    chosen: Variables,
    /// Sets here, by their gates; and after the step.
    here: Vec<Option<Bdd>>,
    after: HashMap<Lit, Bdd>,
}

impl<'a> Diagrams<'a> {
    pub fn new(about: &'a About<'a>, nodes: usize, stop: &Stop) -> Result<Diagrams<'a>, Stopped> {
        let variables = Places::new(about);
        let bdds = Bdds::new(variables.count as usize, nodes, stop)?;
        let functions = functions(about, &bdds, &variables)?;
        let (system, read) = (&*about.branching.system, &about.read);
        let inputs =
            || system.inputs().filter_map(|i| Some((read[i.index()], variables.of(system.input_lit(i))?)));
        let latches = system.latches().filter_map(|l| Some((l, variables.of(system.latch_lit(l))?)));
        let next = latches.map(|(l, v)| (v, functions[&system.latch(l).next].clone()));
        let later = inputs().filter(|(read, _)| *read).map(|(_, v)| (v, bdds.variable(v + 1)));
        let step = bdds.substitution(next.chain(later));
        let chosen = bdds.variables(inputs().map(|(read, v)| if read { v + 1 } else { v }))?;
        let here = vec![None; about.sets.gates.len()];
        Ok(Diagrams { about, bdds, variables, functions, step, chosen, here, after: HashMap::new() })
    }

    fn set_here(&mut self, set: Lit) -> Result<Bdd, Stopped> {
        let first = self.about.branching.system.first_gate();
        let mut open = vec![set];
        while let Some(&lit) = open.last() {
            let Some(gate) = lit.var().index().checked_sub(first).filter(|&g| self.here[g].is_none()) else {
                open.pop();
                continue;
            };
            let operands = self.about.sets.gates[gate];
            match operands.map(|o| self.known_set(o)) {
                [Some(a), Some(b)] => {
                    let (a, b) = (a?, b?);
                    self.here[gate] = Some(self.bdds.and(&a, &b)?);
                    open.pop();
                }
                known => {
                    open.extend(operands.iter().zip(known).filter(|(_, k)| k.is_none()).map(|(&o, _)| o))
                }
            }
        }
        self.known_set(set).expect("it was just made")
    }

    fn known_set(&self, set: Lit) -> Option<Result<Bdd, Stopped>> {
        let var = set.var().index();
        let function = match var.checked_sub(self.about.branching.system.first_gate()) {
            None => self.variables.leaf(&self.bdds, set.var().lit()),
            Some(gate) => self.here[gate].clone()?,
        };
        Some(signed(&self.bdds, function, set))
    }

    fn function(&self, lit: Lit) -> Bdd {
        self.functions[&lit].clone()
    }
}

impl Ground for Diagrams<'_> {
    type Value = Bdd;

    fn constant(&self, value: bool) -> Bdd {
        self.bdds.constant(value)
    }

    fn not(&self, a: &Bdd) -> Result<Bdd, Stopped> {
        self.bdds.not(a)
    }

    fn and(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stopped> {
        self.bdds.and(a, b)
    }

    fn set(&mut self, at: Moment, set: Lit) -> Result<Bdd, Stopped> {
        if at == HERE {
            return self.set_here(set);
        }
        if let Some(known) = self.after.get(&set) {
            return Ok(known.clone());
        }
        let here = self.set_here(set)?;
        let after = self.bdds.compose(&here, &self.step)?;
        self.after.insert(set, after.clone());
        Ok(after)
    }

    fn signal(&mut self, at: Moment, signal: Lit) -> Result<Bdd, Stopped> {
        let here = self.function(signal);
        if at == HERE { Ok(here) } else { self.bdds.compose(&here, &self.step) }
    }

    fn of_step(&mut self, _: Step, signal: Lit) -> Result<Bdd, Stopped> {
        Ok(self.function(signal))
    }

    fn after(&self, _: Step) -> Moment {
        AFTER
    }

    fn resets(&mut self) -> Result<Bdd, Stopped> {
        let system = &*self.about.branching.system;
        let mut start = self.bdds.constant(true);
        for latch in system.latches() {
            let (own, reset) = (system.latch_lit(latch), system.latch(latch).reset);
            if self.variables.of(own).is_some() && own != reset {
                let own = self.variables.leaf(&self.bdds, own);
                start = self.bdds.and(&start, &self.bdds.equal(&own, &self.function(reset))?)?;
            }
        }
        Ok(start)
    }

    fn state(&mut self, values: &[(Lit, bool)]) -> Result<Vec<Bdd>, Stopped> {
        let values = values.iter().filter_map(|&(leaf, value)| Some((self.variables.of(leaf)?, value)));
        Ok(vec![self.bdds.product(values)?])
    }

    /// The small ones are joined first.
    fn never(&mut self, all: &[Bdd]) -> Result<bool, Stopped> {
        let mut all: Vec<(usize, &Bdd)> = all.iter().map(|f| (f.node_count(), f)).collect();
        all.sort_by_key(|&(size, _)| size);
        let mut joined = self.bdds.constant(true);
        for (_, function) in all {
            joined = self.bdds.and(&joined, function)?;
            if joined.constant() == Some(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn know(&mut self, _: &[Bdd]) {}

    fn some(check: &mut Conditions<'_, Self>, from: &[Bdd], aim: Aim) -> Result<bool, Stopped> {
        let there = check.reaches(FREE, aim)?;
        let ground = &mut check.ground;
        let none = ground.bdds.not(&ground.bdds.exists(&there, &ground.chosen)?)?;
        ground.never(&[from, &[none]].concat())
    }
}

/// The places of leaves in the order of variables. Behind an input that belongs to a state there is a second one, for
/// the state after the step.
struct Places {
    of_leaves: Vec<Option<u32>>,
    count: u32,
}

impl Places {
    fn new(about: &About<'_>) -> Places {
        let mut places = Places { of_leaves: vec![None; about.branching.system.first_gate()], count: 0 };
        for leaf in with_inputs(about, by_sets(about)) {
            places.of_leaves[leaf] = Some(places.count);
            places.count += if is_of_state(about, leaf) && leaf <= about.read.len() { 2 } else { 1 };
        }
        places
    }

    /// Of a leaf that something depends on.
    fn of(&self, leaf: Lit) -> Option<u32> {
        self.of_leaves[leaf.var().index()]
    }

    /// The function of a leaf, or of the constant.
    fn leaf(&self, bdds: &Bdds, leaf: Lit) -> Bdd {
        match leaf.var().index() {
            0 => bdds.constant(false),
            _ => bdds.variable(self.of(leaf).expect("all that is read has a place")),
        }
    }
}

/// Latches, and inputs that belong to a state; by the number of a variable of the system.
fn is_of_state(about: &About<'_>, leaf: usize) -> bool {
    leaf > 0 && about.read.get(leaf - 1).copied().unwrap_or(true)
}

/// The leaves that sets are made of, each before what it decides between.
fn by_sets(about: &About<'_>) -> Vec<usize> {
    let first = about.branching.system.first_gate();
    let leaf_of = |lit: Lit| Some(lit.var().index()).filter(|&v| v < first && v > 0);
    // The leaf that decides at a gate, and which leaves decide below it.
    let mut tops: Vec<Option<usize>> = Vec::with_capacity(about.sets.gates.len());
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); first];
    for &[a, b] in &about.sets.gates {
        let top_of = |lit: Lit| lit.var().index().checked_sub(first).and_then(|gate| tops[gate]);
        let top = match (leaf_of(a), leaf_of(b)) {
            (Some(leaf), None) | (None, Some(leaf)) => {
                let other = if leaf_of(a).is_some() { b } else { a };
                below[leaf].extend(top_of(other).filter(|&top| top != leaf));
                Some(leaf)
            }
            (Some(a), Some(_)) => Some(a),
            (None, None) => top_of(a).or(top_of(b)),
        };
        tops.push(top);
    }
    let mut order = Vec::new();
    let mut seen = vec![false; first];
    for leaf in (1..first).filter(|&leaf| tops.contains(&Some(leaf)) || !below[leaf].is_empty()) {
        after_all_below(leaf, &below, &mut seen, &mut order);
    }
    order.reverse();
    order
}

/// A depth-first search; a leaf comes after all that it has to stand before, but for circles.
fn after_all_below(leaf: usize, below: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
    let mut open = vec![(leaf, 0)];
    if std::mem::replace(&mut seen[leaf], true) {
        return;
    }
    while let Some((leaf, next)) = open.last_mut() {
        match below[*leaf].get(*next) {
            Some(&below) => {
                *next += 1;
                if !std::mem::replace(&mut seen[below], true) {
                    open.push((below, 0));
                }
            }
            None => {
                order.push(*leaf);
                open.pop();
            }
        }
    }
}

/// With all other leaves that something depends on: inputs before the first latch whose next value reads them.
fn with_inputs(about: &About<'_>, of_sets: Vec<usize>) -> Vec<usize> {
    let system = &*about.branching.system;
    let needed = (1..system.first_gate()).filter(|&leaf| about.needed[leaf]);
    let mut seen = vec![false; system.num_vars()];
    let mut placed = vec![false; system.first_gate()];
    let mut order = Vec::new();
    for leaf in of_sets.into_iter().chain(needed) {
        if let Node::Latch(latch) = system.node(Var::new(leaf as u32)) {
            for input in new_inputs(system, system.latch(latch).next, &mut seen) {
                if !std::mem::replace(&mut placed[input], true) {
                    order.push(input);
                }
            }
        }
        if !std::mem::replace(&mut placed[leaf], true) {
            order.push(leaf);
        }
    }
    order
}

/// The inputs that a signal depends on, below what was not seen before.
fn new_inputs(system: &BitSystem, root: Lit, seen: &mut [bool]) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), vec![root.var()]);
    while let Some(var) = open.pop() {
        if std::mem::replace(&mut seen[var.index()], true) {
            continue;
        }
        match system.node(var) {
            Node::Input(_) => found.push(var.index()),
            Node::Gate(a, b) => open.extend([b.var(), a.var()]),
            Node::Latch(_) | Node::Constant => {}
        }
    }
    found
}

/// The functions of all signals that conditions read, gate by gate.
fn functions(about: &About<'_>, bdds: &Bdds, variables: &Places) -> Result<HashMap<Lit, Bdd>, Stopped> {
    let system = &*about.branching.system;
    let first = system.first_gate();
    let is_needed = |lit: Lit| about.needed[lit.var().index()];
    let latches = system.latches().filter(|&l| is_needed(system.latch_lit(l))).map(|l| system.latch(l));
    let roots = (latches.flat_map(|l| [l.next, l.reset]))
        .chain(about.formula.signals())
        .chain(system.constraints.iter().copied())
        .chain(about.recurring.iter().copied());
    let mut gates: Vec<Option<Bdd>> = vec![None; system.num_vars() - first];
    let function = |lit: Lit, gates: &[Option<Bdd>]| {
        let function = match lit.var().index().checked_sub(first) {
            None => variables.leaf(bdds, lit.var().lit()),
            Some(gate) => gates[gate].clone().expect("operands of what is needed are needed"),
        };
        signed(bdds, function, lit)
    };
    for (gate, &[a, b]) in system.gates().iter().enumerate() {
        if about.needed[first + gate] {
            gates[gate] = Some(bdds.and(&function(a, &gates)?, &function(b, &gates)?)?);
        }
    }
    roots.map(|root| Ok((root, function(root, &gates)?))).collect()
}

fn signed(bdds: &Bdds, function: Bdd, lit: Lit) -> Result<Bdd, Stopped> {
    if lit.is_negated() { bdds.not(&function) } else { Ok(function) }
}
