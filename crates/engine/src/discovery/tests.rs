//! The paper's examples, and random posets against brute force.

use buttress_system::Rng;

use super::chains::{Numbers, sort};
use super::dag::{Dag, reduce};
use super::lanes::Lanes;
use super::merge::{decompose, neighbours};
use super::order::Order;

/// Pairs of numbers, or longer vectors, by components.
fn below(a: &[i64], b: &[i64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y)
}

#[test]
fn example_1() {
    // s, t, q, r, p
    let vectors = [[6, 5], [5, 2], [5, 3], [10, 2], [2, 4]];
    let sorted = sort(5, &mut |a, b| below(&vectors[a], &vectors[b]));
    let (s, t, q, r, p) = (0, 1, 2, 3, 4);
    assert_eq!(sorted.chains, [vec![t, q, s], vec![r], vec![p]]);
    let above: Vec<_> = [s, t, q, r, p].map(|v: usize| sorted.above[v].clone()).into();
    assert_eq!(above, [vec![], vec![r], vec![], vec![], vec![s]]);
    assert_eq!(sorted.base(), [(t, q), (t, r), (q, s), (p, s)]);
}

#[test]
fn example_1_after_each_element() {
    // The table of the paper. Its third row lists v_r a step too early.
    let vectors = [[6, 5], [5, 2], [5, 3], [10, 2], [2, 4]];
    let chains = |n| sort(n, &mut |a, b| below(&vectors[a], &vectors[b])).chains;
    assert_eq!(chains(1), [vec![0]]);
    assert_eq!(chains(2), [vec![1, 0]]);
    assert_eq!(chains(3), [vec![1, 2, 0]]);
    assert_eq!(chains(4), [vec![1, 2, 0], vec![3]]);
}

#[test]
fn example_2() {
    // A = {0, 1}, B = {2}, C = {3, 4} with A → B → C.
    let mut dag = Dag::new(5);
    dag.refine(&[false, false, false, true, true]);
    dag.refine(&[false, false, true, true, true]);
    assert_eq!(dag.classes.members, [vec![0, 1], vec![2], vec![3, 4]]);
    assert_eq!(dag.above, [vec![1], vec![2], vec![]]);
    // B₁ is empty, all others are not.
    dag.refine(&[false, true, false, false, true]);
    assert_eq!(dag.classes.members, [vec![0], vec![1], vec![2], vec![3], vec![4]]);
    let (a0, a1, b0, c0, c1) = (0, 1, 2, 3, 4);
    let mut edges: Vec<_> = dag.base().collect();
    edges.sort_unstable();
    assert_eq!(edges, [(a0, a1), (a0, b0), (a1, c1), (b0, c0), (c0, c1)]);
}

#[test]
fn a_graph_may_need_a_path_of_three_edges() {
    // A → B → C → D; then A and D are 0, B and C are 1.
    let mut dag = Dag::new(4);
    for state in [[false, false, false, true], [false, false, true, true], [false, true, true, true]] {
        dag.refine(&state);
    }
    assert_eq!(dag.above, [vec![1], vec![2], vec![3], vec![]]);
    dag.refine(&[false, true, true, false]);
    assert!(dag.below(0, 3) && dag.below(0, 1) && dag.below(1, 2));
    assert!(!dag.below(1, 3) && !dag.below(2, 3));
}

/// The closure of a relation, reflexive.
fn closure(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; n]; n];
    edges.for_each(|(a, b)| reach[a][b] = true);
    (0..n).for_each(|a| reach[a][a] = true);
    for middle in 0..n {
        for a in 0..n {
            for b in 0..n {
                reach[a][b] |= reach[a][middle] && reach[middle][b];
            }
        }
    }
    reach
}

fn table(n: usize, below: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    (0..n).map(|a| (0..n).map(|b| below(a, b)).collect()).collect()
}

/// Sets by inclusion: an order that is neither numeric nor binary.
#[derive(Clone)]
struct Inclusion;

impl Order for Inclusion {
    type Value = u8;
    fn below(&self, a: &u8, b: &u8) -> bool {
        a & !b == 0
    }
}

#[derive(Clone)]
struct Usual;

impl Order for Usual {
    type Value = i64;
    fn below(&self, a: &i64, b: &i64) -> bool {
        a <= b
    }
}

/// Runs some states through both ways and compares what follows from the base with all pairs.
fn against_brute_force<O: Order + Clone>(order: O, seed: u64, draw: impl Fn(&mut Rng) -> O::Value) {
    let mut rng = Rng::new(seed);
    let terms = 1 + rng.below(14);
    let mut numbers = Numbers::new(order.clone(), terms);
    let mut states: Vec<Vec<O::Value>> = Vec::new();
    for _ in 0..1 + rng.below(5) {
        states.push((0..terms).map(|_| draw(&mut rng)).collect());
        numbers.refine(&states[states.len() - 1]);
        let below = |a: usize, b: usize| states.iter().all(|s| order.below(&s[a], &s[b]));
        let equal = numbers.classes.equalities().flat_map(|(a, b)| [(a, b), (b, a)]);
        let reach = closure(terms, equal.chain(numbers.base()));
        assert_eq!(reach, table(terms, &below), "seed {seed}");
        assert_eq!(table(terms, &|a, b| numbers.below(a, b)), table(terms, &below), "seed {seed}");
        for chain in &numbers.sorted.chains {
            assert!(chain.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}

#[test]
fn chains_are_a_base_of_any_order() {
    for seed in 0..600 {
        against_brute_force(Usual, seed, |rng| rng.below(4) as i64);
        against_brute_force(Inclusion, seed, |rng| rng.below(8) as u8);
    }
}

#[test]
fn comparisons_of_the_last_round_are_used_again() {
    let mut rng = Rng::new(3);
    let mut numbers = Numbers::new(Usual, 60);
    for _ in 0..6 {
        numbers.refine(&(0..60).map(|_| rng.below(1000) as i64).collect::<Vec<_>>());
    }
    let (whole, cached) = numbers.compared;
    assert!(cached > 0 && whole < 60 * 60, "{whole} whole, {cached} cached");
}

/// Of each state by itself, or 64 together; the last of them is there several times.
fn lanes(states: &[Vec<bool>]) -> Vec<Lanes> {
    if states.len() < 5 {
        return states.iter().map(|state| Lanes::of_state(state.iter().copied())).collect();
    }
    let together = |some: &[Vec<bool>]| {
        let word = |term: usize| (0..some.len()).fold(0, |w, s| w | u64::from(some[s][term]) << s);
        let counts = if some.len() == 64 { !0 } else { (1 << some.len()) - 1 };
        Lanes::of_states((0..some[0].len()).map(word), counts)
    };
    states.chunks(64).map(together).collect()
}

#[test]
fn the_graph_is_a_base_of_the_binary_order() {
    for seed in 0..1500 {
        let mut rng = Rng::new(seed);
        let terms = 1 + rng.below(16);
        let mut dag = Dag::new(terms);
        let mut states: Vec<Vec<bool>> = Vec::new();
        for _ in 0..1 + rng.below(6) {
            // One state, or several at once; now and then so many that their values do not fit into a word.
            let before = states.len();
            let (more, rare) = if rng.one_in(8) { (70, 16) } else { (1 + rng.below(4), 2) };
            states.extend((0..more).map(|_| (0..terms).map(|_| rng.one_in(rare)).collect()));
            let new: Vec<Lanes> = lanes(&states[before..]);
            dag.refine_all(&new.iter().collect::<Vec<_>>());
            if rng.one_in(3) {
                dag.reduce();
            }
            let below = |a: usize, b: usize| states.iter().all(|s| s[a] <= s[b]);
            let equal = dag.classes.equalities().flat_map(|(a, b)| [(a, b), (b, a)]);
            let reach = closure(terms, equal.chain(dag.base()));
            assert_eq!(reach, table(terms, &below), "seed {seed}");
        }
    }
}

#[test]
fn reduction_keeps_the_order_and_nothing_superfluous() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let n = 2 + rng.below(10);
        let mut above: Vec<Vec<usize>> =
            (0..n).map(|a| (a + 1..n).filter(|_| rng.one_in(2)).collect()).collect();
        let edges = |above: &[Vec<usize>]| {
            let pairs = above.iter().enumerate().flat_map(|(a, list)| list.iter().map(move |&b| (a, b)));
            pairs.collect::<Vec<_>>()
        };
        let before = closure(n, edges(&above).into_iter());
        reduce(&mut above);
        let kept = edges(&above);
        assert_eq!(closure(n, kept.iter().copied()), before, "seed {seed}");
        for skipped in 0..kept.len() {
            let others = kept.iter().enumerate().filter(|(i, _)| *i != skipped).map(|(_, &edge)| edge);
            assert_ne!(closure(n, others), before, "seed {seed}: an edge is superfluous");
        }
    }
}

/// Random vectors, pairwise different.
fn vectors(n: usize, length: usize, values: usize, seed: u64) -> Vec<Vec<i64>> {
    let mut rng = Rng::new(seed);
    let mut all: Vec<Vec<i64>> = Vec::new();
    while all.len() < n {
        let vector: Vec<i64> = (0..length).map(|_| rng.below(values) as i64).collect();
        if !all.contains(&vector) {
            all.push(vector);
        }
    }
    all
}

/// The most elements of which no two are comparable, by trying all sets.
fn width(vectors: &[Vec<i64>]) -> usize {
    let n = vectors.len();
    let apart = |a: usize, b: usize| !below(&vectors[a], &vectors[b]) && !below(&vectors[b], &vectors[a]);
    let is_antichain = |set: &u32| {
        let members: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        members.iter().enumerate().all(|(place, &a)| members[..place].iter().all(|&b| apart(a, b)))
    };
    (0..1u32 << n).filter(is_antichain).map(u32::count_ones).max().unwrap_or(0) as usize
}

#[test]
fn merging_gives_as_few_chains_as_there_can_be() {
    for seed in 0..300 {
        let n = 1 + (seed as usize % 12);
        let vectors = vectors(n, 2, 6, seed);
        let mut order = |a: usize, b: usize| below(&vectors[a], &vectors[b]);
        let chains = decompose(&(0..n).collect::<Vec<_>>(), &mut order);
        let mut all: Vec<usize> = chains.concat();
        all.sort_unstable();
        assert_eq!(all, (0..n).collect::<Vec<_>>(), "seed {seed}");
        assert!(chains.iter().all(|c| c.windows(2).all(|p| order(p[0], p[1]))), "seed {seed}");
        assert_eq!(chains.len(), width(&vectors), "seed {seed}");
        let consecutive = chains.iter().flat_map(|c| c.windows(2).map(|p| (p[0], p[1])));
        let base: Vec<_> = consecutive.chain(neighbours(&chains, &mut order)).collect();
        assert_eq!(
            closure(n, base.into_iter()),
            table(n, &|a, b| below(&vectors[a], &vectors[b])),
            "seed {seed}"
        );
    }
}

/// On posets as discovery meets them, wide and low, the paper's own procedure asks for fewer comparisons.
#[test]
fn chains_against_merging() {
    for (length, values) in [(6, 3), (3, 40)] {
        let n = 300;
        let vectors = vectors(n, length, values, 7);
        let (mut by_chains, mut by_merging) = (0u64, 0u64);
        sort(n, &mut |a, b| {
            by_chains += 1;
            below(&vectors[a], &vectors[b])
        });
        let mut order = |a: usize, b: usize| {
            by_merging += 1;
            below(&vectors[a], &vectors[b])
        };
        let chains = decompose(&(0..n).collect::<Vec<_>>(), &mut order);
        neighbours(&chains, &mut order);
        assert!(
            by_chains < by_merging,
            "{by_chains} comparisons, {by_merging} by merging, width {}",
            chains.len()
        );
    }
}
