//! Executions in which processes drop out between steps, and what follows from them.
//!
//! A formula ∀z1 … zk. φ about processes, which are compared with each other only, holds of a state without one of
//! its processes if it holds of the state: universal formulas are preserved under substructures. So an invariant
//! of this form that holds at the start and is kept by the steps is kept by drop-outs, too. Where an execution
//! with drop-outs violates a property, no such invariant proves it, although the property may hold: the invariant
//! would have to say that *some* process is there.
//!
//! A process may drop out if no scalar and no map at the others names it; a substructure has no names of what is
//! not in it. Steps are those of finite instances ([`Finite`]), so that guards about all processes are about those
//! that are left.

use buttress_solve::{Stop, Stopped};
use buttress_system::PropertyId;
use buttress_term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::finite::{Finite, Row};
use super::oracle::arrangements;
use crate::problem::Problem;

/// States of one search, at most.
const STATES: usize = 50_000;

/// An event of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A step of the problem, of these processes.
    Step(usize, Vec<usize>),
    /// This process drops out.
    Out(usize),
}

/// An execution of so many processes, 0, 1, …, that ends in a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dropping {
    pub size: usize,
    pub events: Vec<Event>,
}

/// A state, by the number of its processes and its row, and where it comes from.
struct Node {
    size: usize,
    row: Row,
    before: Option<(usize, Event)>,
}

/// An execution with drop-outs by these steps, for each the ones that may be taken, that ends in a violation.
pub fn violation(
    problem: &Problem<'_>,
    most: usize,
    steps: &[Vec<usize>],
    property: PropertyId,
    stop: &Stop,
) -> Result<Option<Dropping>, Stopped> {
    let mut instances: Vec<Finite<'_>> = Vec::new();
    for size in 1..=most {
        let Some(instance) = Finite::new(problem, size) else { return Ok(None) };
        instances.push(instance);
        let search = Search { instances: &instances, nodes: Vec::new() };
        if let Some(found) = search.run(problem, steps, property, stop)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

struct Search<'s, 'a> {
    /// By size, from 1 on.
    instances: &'s [Finite<'a>],
    nodes: Vec<Node>,
}

impl Search<'_, '_> {
    fn run(
        mut self,
        problem: &Problem<'_>,
        steps: &[Vec<usize>],
        property: PropertyId,
        stop: &Stop,
    ) -> Result<Option<Dropping>, Stopped> {
        let size = self.instances.len();
        let starts = self.instances[size - 1].states.iter().cloned();
        self.nodes = starts.map(|row| Node { size, row, before: None }).collect();
        let mut next = 0;
        for allowed in steps {
            self.drop_out(next);
            let end = self.nodes.len();
            let mut known: FxHashSet<(usize, Row)> = FxHashSet::default();
            for number in next..end {
                stop.check()?;
                if self.nodes.len() > STATES {
                    return Ok(None);
                }
                self.step(number, allowed, &mut known);
            }
            next = end;
        }
        let violated = (next..self.nodes.len()).find(|&n| self.violates(problem, n, property));
        Ok(violated.map(|last| Dropping { size, events: self.events(last) }))
    }

    /// Adds the states that remain when processes drop out of the states from this one on, one after the other.
    fn drop_out(&mut self, first: usize) {
        let mut known: FxHashSet<(usize, Row)> =
            self.nodes[first..].iter().map(|n| (n.size, n.row.clone())).collect();
        let mut next = first;
        while next < self.nodes.len() && self.nodes.len() <= STATES {
            let size = self.nodes[next].size;
            for process in (0..size).filter(|_| size > 1) {
                let left = self.instances[size - 1].without(&self.nodes[next].row, process);
                let Some(row) = left.filter(|row| known.insert((size - 1, row.clone()))) else { continue };
                self.nodes.push(Node { size: size - 1, row, before: Some((next, Event::Out(process))) });
            }
            next += 1;
        }
    }

    fn step(&mut self, number: usize, allowed: &[usize], known: &mut FxHashSet<(usize, Row)>) {
        let size = self.nodes[number].size;
        for (rule, processes, row) in self.instances[size - 1].successors(&self.nodes[number].row, allowed) {
            if known.insert((size, row.clone())) {
                self.nodes.push(Node { size, row, before: Some((number, Event::Step(rule, processes))) });
            }
        }
    }

    fn violates(&self, problem: &Problem<'_>, number: usize, property: PropertyId) -> bool {
        let Node { size, row, .. } = &self.nodes[number];
        let bad = problem.model.system.property(property).bad;
        let read = problem.terms.free_variables([bad]);
        let symbols: Vec<TermId> =
            problem.model.indices.iter().copied().filter(|i| read.contains(i)).collect();
        arrangements(symbols.len(), *size).into_iter().any(|processes| {
            let places: FxHashMap<TermId, i64> =
                symbols.iter().copied().zip(processes.iter().map(|&p| p as i64)).collect();
            let mut results = Vec::new();
            self.instances[size - 1].program(&problem.terms, bad, &places).is_some_and(|(program, result)| {
                program.run(row, &mut results);
                results[result as usize] != 0
            })
        })
    }

    /// The events that led to a state, with processes by the names that they have at the start.
    fn events(&self, mut number: usize) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some((before, event)) = &self.nodes[number].before {
            events.push(event.clone());
            number = *before;
        }
        events.reverse();
        let mut names: Vec<usize> = (0..self.instances.len()).collect();
        for event in &mut events {
            match event {
                Event::Step(_, processes) => processes.iter_mut().for_each(|p| *p = names[*p]),
                Event::Out(process) => *process = names.remove(*process),
            }
        }
        events
    }
}
