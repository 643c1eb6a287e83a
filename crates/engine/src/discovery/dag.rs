//! Binary domains: a directed acyclic graph of classes, refined in place for each new state (Section 3.1).
//!
//! A node X of the old graph becomes X₀ and X₁, the terms that are 0 and 1 in the new state, where there are any.
//! Two nodes S and T of a graph are connected iff the vector of S is below that of T; so S_i and T_j are to be
//! connected iff S and T were and i ≤ j:
//!
//! 1. nodes: each is split, with an edge X₀ → X₁ where both are there;
//! 2. from the leaves to the roots, each node gets what inherits its incoming edges: `zeros(Y)` is Y₀, or where Y₀
//!    is missing the zeros of its successors, `ones(Y)` likewise;
//! 3. for each edge X → Y: X₁ → ones(Y), X₀ → zeros(Y), and X₀ → Y₁ where both X₁ and Y₀ are missing.
//!
//! The paper says that paths of at most two edges are enough. They are not where two nodes in a row lose a half: A
//! → B → C → D with all of A and D at 0, all of B and C at 1 needs A₀ → D₀, from a path of three edges. What is
//! inherited here goes as far as it must; then the time is linear in the edges of both graphs. Redundant edges are
//! made, which [`reduce`] removes: at the end, where that is wanted, and in between where they get many.
//!
//! Beyond the paper: several new states at once ([`Dag::refine_all`]). A part of X, with the values v of its terms
//! in the new states, is below a part of Y with w iff X was below Y, or is Y, and v ≤ w. So for each part one walk
//! through what was above its node, whatever the number of states, instead of a pass over all edges for each
//! state; and what is left has no redundant edges.

use super::classes::Classes;
use super::lanes::Lanes;

/// The graph. Nodes are the classes.
#[derive(Clone, Debug)]
pub struct Dag {
    pub classes: Classes,
    /// The successors of each node: what is above it.
    pub above: Vec<Vec<usize>>,
    /// Edges after the last reduction.
    lean: usize,
}

/// How many times more edges there may be before they are reduced.
const SLACK: usize = 4;

/// The parts of an old node, by value.
type Parts = [Option<usize>; 2];

impl Dag {
    pub fn new(terms: usize) -> Dag {
        let classes = Classes::new(terms);
        let above = vec![Vec::new(); classes.len()];
        Dag { classes, above, lean: 0 }
    }

    /// A new state, in which term `t` has the value `values[t]`.
    pub fn refine(&mut self, values: &[bool]) {
        let old = std::mem::take(&mut self.above);
        let parents = self.classes.split(|t| values[t]);
        let mut parts: Vec<Parts> = vec![[None, None]; old.len()];
        for (node, &parent) in parents.iter().enumerate() {
            parts[parent][usize::from(values[self.classes.representative(node)])] = Some(node);
        }
        let order = leaves_first(&old);
        let mut union = Union::new(parents.len());
        let heirs = [0, 1].map(|half| heirs(&old, &order, &parts, half, &mut union));
        self.above = vec![Vec::new(); parents.len()];
        for (x, successors) in old.iter().enumerate() {
            self.inherit(x, successors, &parts, &heirs, &mut union);
        }
        if self.edges() > SLACK * self.lean.max(self.classes.len()) {
            self.reduce();
        }
    }

    /// New states.
    pub fn refine_all(&mut self, states: &[&Lanes]) {
        if let [lanes] = states
            && lanes.states() == 1
        {
            return self.refine(&(0..lanes.terms()).map(|t| lanes.value(t, 0)).collect::<Vec<_>>());
        }
        let vectors = Vectors::new(states, self.classes.of.len());
        let old = std::mem::take(&mut self.above);
        let parents = self.classes.split(|t| vectors.of(t));
        let mut parts = vec![Vec::new(); old.len()];
        parents.iter().enumerate().for_each(|(part, &node)| parts[node].push(part));
        let vector = |part: usize| vectors.of(self.classes.representative(part));
        let mut place = vec![0; parents.len()];
        let mut placed = 0;
        let (mut met, mut covered) = (vec![usize::MAX; old.len()], vec![usize::MAX; parents.len()]);
        self.above = vec![Vec::new(); parents.len()];
        for node in leaves_first(&old) {
            // Of the parts of a node the greatest first: whoever has more ones is not below.
            parts[node].sort_by_key(|&part| std::cmp::Reverse(ones(vector(part))));
            for &part in &parts[node] {
                let mut above: Vec<usize> = up_set(&old, node, part, &mut met)
                    .flat_map(|y| &parts[y])
                    .copied()
                    .filter(|&other| other != part && is_below(vector(part), vector(other)))
                    .collect();
                above.sort_unstable_by_key(|&other| std::cmp::Reverse(place[other]));
                self.above[part] = nearest(&self.above, above, part, &place, &mut covered);
                place[part] = placed;
                placed += 1;
            }
        }
        self.lean = self.edges();
    }

    /// The edges of the parts of X.
    fn inherit(
        &mut self,
        x: usize,
        successors: &[usize],
        parts: &[Parts],
        heirs: &[Vec<Vec<usize>>; 2],
        union: &mut Union,
    ) {
        let [zero, one] = parts[x];
        if let Some(one) = one {
            self.above[one] = union.of(successors.iter().map(|&y| &heirs[1][y][..]));
        }
        if let Some(zero) = zero {
            let across: Vec<usize> = match one {
                Some(one) => vec![one],
                None => successors
                    .iter()
                    .filter(|&&y| parts[y][0].is_none())
                    .filter_map(|&y| parts[y][1])
                    .collect(),
            };
            let inherited = successors.iter().map(|&y| &heirs[0][y][..]);
            self.above[zero] = union.of(inherited.chain([&across[..]]));
        }
    }

    pub fn edges(&self) -> usize {
        self.above.iter().map(Vec::len).sum()
    }

    /// Removes the edges that longer paths make superfluous.
    pub fn reduce(&mut self) {
        reduce(&mut self.above);
        self.lean = self.edges();
    }

    /// Whether nothing seen so far contradicts that `a` is below `b`.
    pub fn below(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.classes.of[a], self.classes.of[b]);
        let (mut seen, mut todo) = (vec![false; self.above.len()], vec![a]);
        while let Some(node) = todo.pop() {
            if node == b {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                todo.extend_from_slice(&self.above[node]);
            }
        }
        false
    }

    /// Whether one of these states contradicts what is conjectured.
    pub fn is_refuted(&self, states: &Lanes) -> bool {
        let of = |class: usize| states.of(self.classes.representative(class));
        let breaks = |a: u64, above: &[usize]| a != 0 && above.iter().any(|&b| a & !of(b) != 0);
        self.classes.equalities().any(|(a, b)| states.of(a) != states.of(b))
            || self.above.iter().enumerate().any(|(a, above)| breaks(of(a), above))
    }

    /// The edges, by representatives.
    pub fn base(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let representative = |class| self.classes.representative(class);
        let edges = self.above.iter().enumerate().flat_map(|(a, above)| above.iter().map(move |&b| (a, b)));
        edges.map(move |(a, b)| (representative(a), representative(b)))
    }
}

/// The values of terms in several states, as bits.
struct Vectors {
    words: usize,
    bits: Vec<u64>,
}

impl Vectors {
    fn new(states: &[&Lanes], terms: usize) -> Vectors {
        let words = states.iter().map(|lanes| lanes.states()).sum::<usize>().div_ceil(64);
        let mut bits = vec![0; words * terms];
        let mut at = 0;
        for lanes in states {
            let (word, shift) = (at / 64, at % 64);
            at += lanes.states();
            for term in 0..terms {
                bits[term * words + word] |= lanes.of(term) << shift;
                if shift + lanes.states() > 64 {
                    bits[term * words + word + 1] |= lanes.of(term) >> (64 - shift);
                }
            }
        }
        Vectors { words, bits }
    }

    fn of(&self, term: usize) -> &[u64] {
        &self.bits[term * self.words..][..self.words]
    }
}

fn is_below(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

fn ones(vector: &[u64]) -> u32 {
    vector.iter().map(|word| word.count_ones()).sum()
}

/// The node and all that is above it; `met` says who met a node last.
fn up_set<'a>(
    above: &'a [Vec<usize>],
    node: usize,
    who: usize,
    met: &'a mut [usize],
) -> impl Iterator<Item = usize> + 'a {
    met[node] = who;
    let mut todo = vec![node];
    std::iter::from_fn(move || {
        let node = todo.pop()?;
        todo.extend(above[node].iter().copied().filter(|&y| std::mem::replace(&mut met[y], who) != who));
        Some(node)
    })
}

/// Of all that is above X, the farthest from the leaves first, what no other of them leads to.
fn nearest(
    graph: &[Vec<usize>],
    above: Vec<usize>,
    x: usize,
    place: &[usize],
    covered: &mut [usize],
) -> Vec<usize> {
    let lowest = above.last().map_or(0, |&y| place[y]);
    let mut kept = Vec::new();
    for y in above {
        if covered[y] == x {
            continue;
        }
        kept.push(y);
        let mut todo = vec![y];
        while let Some(node) = todo.pop() {
            for &z in &graph[node] {
                if place[z] >= lowest && covered[z] != x {
                    covered[z] = x;
                    todo.push(z);
                }
            }
        }
    }
    kept.sort_unstable();
    kept
}

/// Each node after all that is above it.
pub fn leaves_first(above: &[Vec<usize>]) -> Vec<usize> {
    let mut below = vec![Vec::new(); above.len()];
    let mut open: Vec<usize> = above.iter().map(Vec::len).collect();
    for (x, successors) in above.iter().enumerate() {
        successors.iter().for_each(|&y| below[y].push(x));
    }
    let mut order: Vec<usize> = (0..above.len()).filter(|&x| open[x] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &x in &below[order[next]] {
            open[x] -= 1;
            if open[x] == 0 {
                order.push(x);
            }
        }
        next += 1;
    }
    assert_eq!(order.len(), above.len(), "the graph has no circles");
    order
}

/// Of each old node the new nodes of one half that inherit its incoming edges.
fn heirs(
    above: &[Vec<usize>],
    order: &[usize],
    parts: &[Parts],
    half: usize,
    union: &mut Union,
) -> Vec<Vec<usize>> {
    let mut heirs: Vec<Vec<usize>> = vec![Vec::new(); above.len()];
    for &y in order {
        heirs[y] = match parts[y][half] {
            Some(own) => vec![own],
            None => union.of(above[y].iter().map(|&z| &heirs[z][..])),
        };
    }
    heirs
}

/// Makes lists of different nodes in the time that it takes to read them.
struct Union {
    /// The list that a node was put on last.
    on: Vec<usize>,
    lists: usize,
}

impl Union {
    fn new(nodes: usize) -> Union {
        Union { on: vec![0; nodes], lists: 0 }
    }

    /// The union of the lists: each node once.
    fn of<'a>(&mut self, lists: impl Iterator<Item = &'a [usize]>) -> Vec<usize> {
        self.lists += 1;
        let new = |node: &usize| std::mem::replace(&mut self.on[*node], self.lists) != self.lists;
        lists.flatten().copied().filter(new).collect()
    }
}

/// Transitive reduction: an edge X → Y goes where another successor of X leads to Y.
pub fn reduce(above: &mut [Vec<usize>]) {
    let order = leaves_first(above);
    let mut place = vec![0; above.len()];
    order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
    let mut seen = vec![usize::MAX; above.len()];
    for x in 0..above.len() {
        // What a successor leads to is nearer to the leaves: the farthest ones first.
        let mut successors = std::mem::take(&mut above[x]);
        successors.sort_unstable_by_key(|&y| std::cmp::Reverse(place[y]));
        above[x] = nearest(above, successors, x, &place, &mut seen);
    }
}
