//! Proof obligations: cubes to exclude at a level, lowest level first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Index;

use buttress_query::Predecessor;
use buttress_system::{InputId, Lit};

use crate::Walk;

/// All states of `cube` lead to a violation: with `inputs` to those of `successor`, or, where there is none, they
/// violate the property themselves.
pub(super) struct Obligation {
    pub cube: Vec<Lit>,
    pub inputs: Vec<InputId>,
    successor: Option<usize>,
    /// Steps to the violation.
    pub depth: usize,
    /// How often it was excluded, at whatever level.
    tried: u32,
}

#[derive(Default)]
pub(super) struct Obligations {
    all: Vec<Obligation>,
    queue: BinaryHeap<Reverse<(usize, usize, usize)>>,
}

impl Obligation {
    pub fn last(state: Predecessor) -> Obligation {
        Obligation { cube: state.cube, inputs: state.inputs, successor: None, depth: 0, tried: 0 }
    }
}

impl Obligations {
    pub fn create(&mut self, obligation: Obligation) -> usize {
        self.all.push(obligation);
        self.all.len() - 1
    }

    pub fn before(&mut self, state: Predecessor, successor: usize) -> usize {
        let depth = self.all[successor].depth + 1;
        let successor = Some(successor);
        self.create(Obligation { cube: state.cube, inputs: state.inputs, successor, depth, tried: 0 })
    }

    pub fn push(&mut self, level: usize, index: usize) {
        self.queue.push(Reverse((level, self.all[index].depth, index)));
    }

    /// Tries again higher up: it will come back there, and is found sooner now.
    pub fn retry(&mut self, level: usize, index: usize, top: usize) {
        if level <= top {
            self.push(level, index);
        }
    }

    /// For those who follow the run.
    pub fn told(&self, level: usize, index: usize) -> Walk {
        let Obligation { cube, inputs, depth, .. } = &self.all[index];
        let states = Predecessor { cube: cube.clone(), inputs: inputs.clone() };
        Walk::Cti { depth: *depth, level, states }
    }

    pub fn tried(&mut self, index: usize) {
        self.all[index].tried += 1;
    }

    /// How often this obligation, or one of the next two on the way to the violation, had to be excluded.
    pub fn stubbornness(&self, index: usize) -> u32 {
        self.chain(index).take(3).map(|o| o.tried).max().unwrap_or(0)
    }

    /// Lowest level first, then the shortest way to the violation. Once all are done, none is kept.
    pub fn pop(&mut self) -> Option<(usize, usize)> {
        match self.queue.pop() {
            Some(Reverse((level, _, index))) => Some((level, index)),
            None => {
                self.all.clear();
                None
            }
        }
    }

    /// This obligation and all after it, to the violation.
    pub fn chain(&self, first: usize) -> impl Iterator<Item = &Obligation> {
        let start = &self.all[first];
        std::iter::successors(Some(start), |o| o.successor.map(|s| &self.all[s]))
    }
}

impl Index<usize> for Obligations {
    type Output = Obligation;
    fn index(&self, index: usize) -> &Obligation {
        &self.all[index]
    }
}
