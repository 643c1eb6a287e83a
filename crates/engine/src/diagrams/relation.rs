//! The steps of a system as a relation in parts (Burch, Clarke & Long, "Symbolic model checking with partitioned
//! transition relations", 1991), in the order of Ranjan, Aziz, Brayton, Plessier & Pixley ("Efficient BDD
//! algorithms for FSM synthesis and verification", IWLS 1995).
//!
//! ```text
//! T(x,i,x') = ⋀_k (x'_k ↔ F_k(x,i)) ∧ C(x,i)
//! after(S)  = ∃x,i. S(x,i) ∧ T(x,i,x')                  then x for x'
//! before(S) = ∃i,x'. S(x') ∧ q(x,i) ∧ T(x,i,x')         i are the inputs that do not belong to a state
//! ```
//!
//! The conjuncts are taken in an order in which few variables are in play at a time, and joined to clusters while
//! these are small. What no later cluster reads is quantified at once; an input that only one cluster reads, once
//! and for all.

use std::collections::{BTreeMap, BTreeSet};

use buttress_solve::Stopped;
use buttress_solve::bdd::{Bdd, Bdds, Substitution, Variables};

/// A cluster gets no further conjunct with which it would have more nodes.
const CLUSTER: usize = 4_000;

pub(crate) struct Relation {
    forward: Vec<Part>,
    backward: Vec<Part>,
    prime: Substitution,
    unprime: Substitution,
}

/// A cluster, and what is quantified with it.
struct Part {
    cluster: Bdd,
    gone: Variables,
}

/// What a relation is made of: variables by their numbers.
pub(crate) struct Steps {
    /// Variables of latches and of their next values, and the functions of these.
    pub next: Vec<(u32, u32, Bdd)>,
    pub constraints: Vec<Bdd>,
    pub inputs: Vec<u32>,
    /// Those of the inputs that belong to a state, and those that signals read.
    pub own: Vec<u32>,
    pub of_signals: BTreeSet<u32>,
}

/// A conjunct or a cluster, with the variables that it reads.
struct Conjunct {
    function: Bdd,
    reads: BTreeSet<u32>,
}

impl Relation {
    pub fn new(bdds: &Bdds, steps: &Steps) -> Result<Relation, Stopped> {
        let primed: BTreeSet<u32> = steps.next.iter().map(|&(_, primed, _)| primed).collect();
        let of_step: BTreeSet<u32> =
            steps.next.iter().map(|&(latch, ..)| latch).chain(steps.inputs.iter().copied()).collect();
        let own: BTreeSet<u32> = steps.own.iter().copied().collect();
        let inner = |v: &u32| !own.contains(v) && !steps.of_signals.contains(v);
        let inner: BTreeSet<u32> = steps.inputs.iter().copied().filter(inner).collect();
        let clusters = clusters(bdds, in_order(conjuncts(bdds, steps)?, &of_step), &inner)?;
        let chosen = steps.inputs.iter().copied().filter(|i| !own.contains(i));
        let from_after: BTreeSet<u32> = primed.iter().copied().chain(chosen).collect();
        let pairs = |forth: bool| {
            let pair = move |&(latch, primed, _): &(u32, u32, Bdd)| {
                if forth { (latch, bdds.variable(primed)) } else { (primed, bdds.variable(latch)) }
            };
            bdds.substitution(steps.next.iter().map(pair))
        };
        Ok(Relation {
            forward: schedule(bdds, &clusters, &of_step)?,
            backward: schedule(bdds, &clusters, &from_after)?,
            prime: pairs(true),
            unprime: pairs(false),
        })
    }

    /// The states after a step from one of these.
    pub fn after(&self, bdds: &Bdds, states: &Bdd) -> Result<Bdd, Stopped> {
        bdds.compose(&product(bdds, states.clone(), &self.forward)?, &self.unprime)
    }

    /// The states from which a step that has the signal leads to one of these, whatever its inputs are.
    pub fn before(&self, bdds: &Bdds, states: &Bdd, signal: Option<&Bdd>) -> Result<Bdd, Stopped> {
        let there = bdds.compose(states, &self.prime)?;
        let all = match signal {
            Some(signal) => bdds.and(&there, signal)?,
            None => there,
        };
        product(bdds, all, &self.backward)
    }
}

fn product(bdds: &Bdds, from: Bdd, parts: &[Part]) -> Result<Bdd, Stopped> {
    parts.iter().try_fold(from, |product, part| bdds.and_exists(&product, &part.cluster, &part.gone))
}

fn conjuncts(bdds: &Bdds, steps: &Steps) -> Result<Vec<Conjunct>, Stopped> {
    let mut conjuncts = Vec::with_capacity(steps.next.len() + steps.constraints.len());
    for (_, primed, function) in &steps.next {
        conjuncts.push(bdds.equal(&bdds.variable(*primed), function)?);
    }
    conjuncts.extend(steps.constraints.iter().cloned());
    let conjunct = |function: Bdd| Conjunct { reads: function.reads(), function };
    Ok(conjuncts.into_iter().map(conjunct).collect())
}

/// The next is the one after which most of its variables are in no other, and that brings few new ones.
fn in_order(mut open: Vec<Conjunct>, gone: &BTreeSet<u32>) -> Vec<Conjunct> {
    let mut readers = counted(open.iter().flat_map(|c| &c.reads).map(|&v| (v, 1)));
    let (mut met, mut ordered) = (BTreeSet::new(), Vec::with_capacity(open.len()));
    while !open.is_empty() {
        let worth = |c: &Conjunct| {
            let ends = c.reads.iter().filter(|v| gone.contains(v) && readers[v] == 1).count();
            let new = c.reads.iter().filter(|v| !met.contains(*v)).count();
            (2 * ends) as f64 / (c.reads.len() + 1) as f64 - new as f64 / (met.len() + 1) as f64
        };
        let (best, _) = (open.iter().enumerate())
            .map(|(place, c)| (place, worth(c)))
            .fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
        let taken = open.remove(best);
        taken.reads.iter().for_each(|v| *readers.get_mut(v).expect("counted") -= 1);
        met.extend(taken.reads.iter().copied());
        ordered.push(taken);
    }
    ordered
}

/// Neighbours joined while they are small. Of the inner variables those go that nothing later reads.
fn clusters(bdds: &Bdds, ordered: Vec<Conjunct>, inner: &BTreeSet<u32>) -> Result<Vec<Conjunct>, Stopped> {
    let readers = counted(ordered.iter().flat_map(|c| &c.reads).map(|&v| (v, 1)));
    let mut clusters: Vec<(Conjunct, BTreeMap<u32, usize>)> = Vec::new();
    for conjunct in ordered {
        let mut within = counted(conjunct.reads.iter().map(|&v| (v, 1)));
        let mut made = conjunct;
        if let Some((last, before)) = clusters.last()
            && last.function.node_count() + made.function.node_count() <= CLUSTER
        {
            let both = counted(within.iter().chain(before).map(|(&v, &count)| (v, count)));
            let gone = both.iter().filter(|(v, count)| inner.contains(v) && readers[v] == **count);
            let gone = bdds.variables(gone.map(|(&v, _)| v))?;
            let joined = bdds.and_exists(&last.function, &made.function, &gone)?;
            if joined.node_count() <= CLUSTER {
                made = Conjunct { reads: joined.reads(), function: joined };
                within = both;
                clusters.pop();
            }
        }
        clusters.push((made, within));
    }
    Ok(clusters.into_iter().map(|(cluster, _)| cluster).collect())
}

fn counted(items: impl Iterator<Item = (u32, usize)>) -> BTreeMap<u32, usize> {
    let mut counts = BTreeMap::new();
    items.for_each(|(item, count)| *counts.entry(item).or_default() += count);
    counts
}

/// Each variable that goes is quantified with the last cluster that reads it; with the first one, if none does.
fn schedule(bdds: &Bdds, clusters: &[Conjunct], gone: &BTreeSet<u32>) -> Result<Vec<Part>, Stopped> {
    let mut left = gone.clone();
    let mut parts = Vec::with_capacity(clusters.len().max(1));
    for (place, cluster) in clusters.iter().enumerate().rev() {
        let all = place == 0;
        let here: Vec<u32> = left.iter().copied().filter(|v| all || cluster.reads.contains(v)).collect();
        here.iter().for_each(|v| _ = left.remove(v));
        parts.push(Part { cluster: cluster.function.clone(), gone: bdds.variables(here)? });
    }
    if clusters.is_empty() {
        parts.push(Part { cluster: bdds.constant(true), gone: bdds.variables(left)? });
    }
    parts.reverse();
    Ok(parts)
}
