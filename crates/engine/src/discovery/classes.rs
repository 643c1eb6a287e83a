//! Terms by their values (Definition 2): the classes of ≡_M, where M is the sequence of states seen so far.
//!
//! The vector of a class has the value of its terms in each state of M. The first term of a class represents it,
//! so what is to be read by people should come first.

use std::collections::BTreeMap;

/// The classes of terms `0..n`.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The terms of each class, in order.
    pub members: Vec<Vec<usize>>,
    /// The class of each term.
    pub of: Vec<usize>,
}

impl Classes {
    /// Nothing seen yet: one class of all.
    pub fn new(terms: usize) -> Classes {
        let members = if terms == 0 { Vec::new() } else { vec![(0..terms).collect()] };
        Classes { members, of: vec![0; terms] }
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn representative(&self, class: usize) -> usize {
        self.members[class][0]
    }

    /// Tells apart what has other values in a new state. The class that each new one comes from: parts of a class
    /// stand side by side, in the order of their values.
    pub fn split<V: Ord>(&mut self, value: impl Fn(usize) -> V) -> Vec<usize> {
        let mut parents = Vec::new();
        let mut parts = Vec::new();
        for (class, members) in std::mem::take(&mut self.members).into_iter().enumerate() {
            let first = value(members[0]);
            if members[1..].iter().all(|&term| value(term) == first) {
                parents.push(class);
                parts.push(members);
                continue;
            }
            let mut by_value: BTreeMap<V, Vec<usize>> = BTreeMap::new();
            for term in members {
                by_value.entry(value(term)).or_default().push(term);
            }
            for part in by_value.into_values() {
                parents.push(class);
                parts.push(part);
            }
        }
        for (class, part) in parts.iter().enumerate() {
            part.iter().for_each(|&term| self.of[term] = class);
        }
        self.members = parts;
        parents
    }

    /// Every term that does not represent its class, with who does.
    pub fn equalities(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.members.iter().flat_map(|class| class[1..].iter().map(|&term| (term, class[0])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_split_by_value_and_keep_their_origin() {
        let mut classes = Classes::new(5);
        assert_eq!(classes.split(|t| t % 2), [0, 0]);
        assert_eq!(classes.members, [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(classes.split(|t| t >= 3), [0, 0, 1, 1]);
        assert_eq!(classes.members, [vec![0, 2], vec![4], vec![1], vec![3]]);
        assert_eq!(classes.of, [0, 2, 0, 3, 1]);
        assert_eq!(classes.equalities().collect::<Vec<_>>(), [(2, 0)]);
    }
}
