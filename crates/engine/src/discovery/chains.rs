//! Sorting a partially ordered set into chains (Figure 2), for any partial order.
//!
//! A new element is inserted into every chain where it fits; of the others it becomes a side neighbour: σ(c(i))
//! gets it, where c(i) is the greatest element of the chain below it, and σ of itself gets the least above. The
//! pairs of consecutive elements and those of σ are a base: their transitive closure is the order. With n
//! elements, width w and height h that takes O(n·w·h) time and fewer comparisons, as positions are found by binary
//! search.
//!
//! An element may be in several chains, so the base is not minimal.
//!
//! Comparing two vectors is a step that is not constant. The vectors grow by one value a round, so what was known
//! in the last round and the new values are enough: [`Numbers`] keeps the answers of the last round in a table.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::order::Order;

/// Chains, each ascending, and the neighbours in other chains.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Sorted {
    pub chains: Vec<Vec<usize>>,
    /// σ: of each element some that are above it.
    pub above: Vec<Vec<usize>>,
}

/// Sorts the elements `0..n`, which are pairwise different, in this order.
pub fn sort(n: usize, below: &mut dyn FnMut(usize, usize) -> bool) -> Sorted {
    let mut sorted = Sorted { chains: Vec::new(), above: vec![Vec::new(); n] };
    (0..n).for_each(|element| sorted.insert(element, below));
    sorted
}

impl Sorted {
    fn insert(&mut self, element: usize, below: &mut dyn FnMut(usize, usize) -> bool) {
        let mut inserted = false;
        for chain in &mut self.chains {
            let i = greatest_below(element, chain, below);
            let j = least_above(element, chain, i, below);
            match () {
                _ if j == 1 => chain.insert(0, element),
                _ if j > 0 && i == j - 1 => chain.insert(j - 1, element),
                _ if i == chain.len() => chain.push(element),
                _ => {
                    if i > 0 {
                        self.above[chain[i - 1]].push(element);
                    }
                    if j > 0 {
                        self.above[element].push(chain[j - 1]);
                    }
                    continue;
                }
            }
            inserted = true;
        }
        if !inserted {
            self.chains.push(vec![element]);
        }
    }

    /// The base: pairs (a, b) with a below b.
    pub fn base(&self) -> Vec<(usize, usize)> {
        let consecutive =
            self.chains.iter().flat_map(|chain| chain.windows(2).map(|pair| (pair[0], pair[1])));
        let beside = self.above.iter().enumerate().flat_map(|(a, above)| above.iter().map(move |&b| (a, b)));
        let mut base: Vec<_> = consecutive.chain(beside).collect();
        base.sort_unstable();
        base.dedup();
        base
    }
}

/// The position, from 1, of the greatest element of the chain below `v`; 0 where there is none. Those below are a
/// prefix.
fn greatest_below(v: usize, chain: &[usize], below: &mut dyn FnMut(usize, usize) -> bool) -> usize {
    chain.partition_point(|&c| below(c, v))
}

/// The position, from 1, of the least element of the chain above `v`; 0 where there is none. Those above are a
/// suffix, behind the `i` that are below.
fn least_above(v: usize, chain: &[usize], i: usize, below: &mut dyn FnMut(usize, usize) -> bool) -> usize {
    let not_above = i + chain[i..].partition_point(|&c| !below(v, c));
    if not_above == chain.len() { 0 } else { not_above + 1 }
}

/// The order of terms by their vectors, for any [`Order`].
#[derive(Clone)]
pub struct Numbers<O: Order> {
    pub(super) order: O,
    pub classes: Classes,
    /// The values of all terms in each state. The vector of a class is that of its terms.
    states: Vec<Arc<Vec<O::Value>>>,
    pub sorted: Sorted,
    /// The base of the order of classes.
    base: Vec<(usize, usize)>,
    /// The results of comparisons of vectors in this round, by class.
    known: FxHashMap<(usize, usize), bool>,
    /// How often vectors were compared as a whole, and how often the last round had the answer.
    pub compared: (u64, u64),
}

impl<O: Order> Numbers<O> {
    pub fn new(order: O, terms: usize) -> Numbers<O> {
        let classes = Classes::new(terms);
        let sorted = sort(classes.len(), &mut |_, _| true);
        let (states, base, known) = (Vec::new(), sorted.base(), FxHashMap::default());
        Numbers { order, classes, states, sorted, base, known, compared: (0, 0) }
    }

    /// A new state, in which term `t` has the value `values[t]`.
    pub fn refine(&mut self, values: &[O::Value]) {
        let parents = self.classes.split(|t| values[t].clone());
        self.states.push(Arc::new(values.to_vec()));
        let before = std::mem::take(&mut self.known);
        let (mut known, mut compared) = (FxHashMap::default(), self.compared);
        let representative = |class: usize| self.classes.representative(class);
        let mut below = |a: usize, b: usize| {
            *known.entry((a, b)).or_insert_with(|| {
                let (x, y) = (representative(a), representative(b));
                let earlier = match (parents[a], parents[b]) {
                    (p, q) if p == q => Some(true),
                    pair => before.get(&pair).copied(),
                };
                match earlier {
                    Some(earlier) => {
                        compared.1 += 1;
                        earlier && self.order.below(&values[x], &values[y])
                    }
                    None => {
                        compared.0 += 1;
                        self.below(x, y)
                    }
                }
            })
        };
        self.sorted = sort(parents.len(), &mut below);
        self.base = self.sorted.base();
        (self.known, self.compared) = (known, compared);
    }

    /// Whether this state contradicts what is conjectured.
    pub fn is_refuted(&self, values: &[O::Value]) -> bool {
        let in_order = |&(a, b): &(usize, usize)| {
            let (a, b) = (self.classes.representative(a), self.classes.representative(b));
            self.order.below(&values[a], &values[b])
        };
        self.classes.equalities().any(|(a, b)| values[a] != values[b]) || !self.base.iter().all(in_order)
    }

    /// Whether nothing seen so far contradicts that `a` is below `b`.
    pub fn below(&self, a: usize, b: usize) -> bool {
        self.states.iter().rev().all(|values| self.order.below(&values[a], &values[b]))
    }

    /// The base, by representatives.
    pub fn base(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let representative = |class| self.classes.representative(class);
        self.base.iter().map(move |&(a, b)| (representative(a), representative(b)))
    }
}
