//! Classes of signals that may be equal, or opposite.

use std::collections::BTreeMap;

use buttress_system::{Lit, Var};

const ALONE: u32 = u32::MAX;

pub(super) struct Classes {
    /// The class of each variable.
    class: Vec<u32>,
    /// Whether the variable is counted inverted.
    inverted: Vec<bool>,
    /// In the order of the variables; empty where a class is gone.
    members: Vec<Vec<Var>>,
    /// Before the first split nothing is known of inversion.
    split: bool,
}

impl Classes {
    /// All of these in one class.
    pub(super) fn new(candidates: Vec<bool>) -> Classes {
        let class = candidates.iter().map(|&c| if c { 0 } else { ALONE }).collect();
        let inverted = vec![false; candidates.len()];
        let members = (0..candidates.len()).filter(|&v| candidates[v]).map(|v| Var::new(v as u32)).collect();
        Classes { class, inverted, members: vec![members], split: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.iter().all(Vec::is_empty)
    }

    /// The conjectured equal of the variable: the first of its class, unless that is itself.
    pub(super) fn representative(&self, var: Var) -> Option<Lit> {
        let class = self.class[var.index()];
        if class == ALONE {
            return None;
        }
        let first = self.members[class as usize][0];
        let opposite = self.inverted[var.index()] != self.inverted[first.index()];
        (first != var).then(|| first.lit() ^ opposite)
    }

    /// Takes a variable out of its class.
    pub(super) fn remove(&mut self, var: Var) {
        let class = std::mem::replace(&mut self.class[var.index()], ALONE) as usize;
        self.members[class].retain(|&v| v != var);
        self.dissolve(class);
    }

    /// Tells apart what has other values in one of these executions.
    pub(super) fn split(&mut self, value: impl Fn(Var) -> u64, executions: u64) {
        if !std::mem::replace(&mut self.split, true) {
            let first = executions.trailing_zeros();
            for &var in &self.members[0] {
                self.inverted[var.index()] = value(var) >> first & 1 == 1;
            }
        }
        for class in 0..self.members.len() {
            let key =
                |var: Var| (if self.inverted[var.index()] { !value(var) } else { value(var) }) & executions;
            let Some(&first) = self.members[class].first() else { continue };
            let expected = key(first);
            if self.members[class].iter().all(|&v| key(v) == expected) {
                continue;
            }
            let mut groups: BTreeMap<u64, Vec<Var>> = BTreeMap::new();
            for &var in &self.members[class] {
                groups.entry(key(var)).or_default().push(var);
            }
            self.members[class] = groups.remove(&expected).expect("it has its own value");
            self.dissolve(class);
            groups.into_values().for_each(|group| self.found(group));
        }
    }

    fn found(&mut self, group: Vec<Var>) {
        let class = self.members.len();
        group.iter().for_each(|v| self.class[v.index()] = class as u32);
        self.members.push(group);
        self.dissolve(class);
    }

    /// Nobody is in a class alone.
    fn dissolve(&mut self, class: usize) {
        if let [alone] = self.members[class][..] {
            self.class[alone.index()] = ALONE;
            self.members[class].clear();
        }
    }
}
