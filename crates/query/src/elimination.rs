//! Fewer variables and clauses for the same transition relation: bounded variable elimination, subsumption and
//! self-subsuming resolution (Eén & Biere, "Effective preprocessing in SAT through variable and clause
//! elimination", SAT 2005).
//!
//! Every variable is a function of others by its clauses, and queries are restricted to domains: sets D of
//! variables with all that they are functions of. An assignment of D that satisfies the clauses *inside* D must
//! extend to all variables. Each of the three keeps that:
//!
//! * eliminating v hands its dependencies to its readers, so with a reader, all variables of v's clauses are in D;
//!   the resolvents, then inside D, say that a value for v exists;
//! * a clause that subsumes another, or removes a literal from it, has no other variables than that one: if that
//!   one was inside D, so is what replaces it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use buttress_solve::sat;
use buttress_system::Lit;

/// A clause that elimination may make is not longer than this.
const LONGEST: usize = 32;
/// So many more clauses than before may stand after an elimination.
const GROWTH: usize = 8;
/// A variable with more clauses than this in both polarities is kept.
const MANY: usize = 12;
/// So many clauses may be compared in search of subsumed ones, for each clause at the start.
const COMPARISONS: usize = 200;

/// The variables that each variable is a function of; `None` for variables that no query may leave out.
pub(crate) type Depends = Vec<Option<Vec<u32>>>;

pub(crate) struct Elimination {
    /// Sorted codes; empty where it was removed.
    clauses: Vec<Vec<u32>>,
    /// One bit a variable: that of a subset is a subset.
    signatures: Vec<u64>,
    /// Clauses of a literal, some of them removed since.
    occurrences: Vec<Vec<u32>>,
    /// How many of them were not.
    counts: Vec<u32>,
    depends: Depends,
    readers: Vec<Vec<u32>>,
    frozen: Vec<bool>,
    /// Clauses that were not compared with the others yet.
    fresh: Vec<u32>,
    /// Variables by the number of resolvents that their elimination would make, at some earlier time.
    queue: BinaryHeap<Reverse<(usize, u32)>>,
    /// The least cost at which a variable waits in the queue.
    queued: Vec<usize>,
    comparisons: usize,
    /// The cost at which a variable was last tried in vain.
    vain: Vec<usize>,
}

/// How a clause relates to another one.
enum Relation {
    Unrelated,
    Subsumes,
    /// Their resolvent is the other one without this literal.
    Strengthens(u32),
}

impl Elimination {
    pub(crate) fn new(vars: usize) -> Elimination {
        Elimination {
            clauses: Vec::new(),
            signatures: Vec::new(),
            occurrences: vec![Vec::new(); 2 * vars],
            counts: vec![0; 2 * vars],
            depends: vec![Some(Vec::new()); vars],
            readers: vec![Vec::new(); vars],
            frozen: vec![true; vars],
            fresh: Vec::new(),
            queue: BinaryHeap::new(),
            queued: vec![usize::MAX; vars],
            comparisons: 0,
            vain: vec![usize::MAX; vars],
        }
    }

    /// These are not eliminated.
    pub(crate) fn keep<'a>(&mut self, roots: impl Iterator<Item = &'a Lit>) {
        roots.for_each(|l| self.frozen[l.var().index()] = true);
    }

    /// g ↔ a ∧ b
    pub(crate) fn add_gate(&mut self, gate: u32, a: u32, b: u32) {
        self.frozen[gate as usize] = false;
        let g = 2 * gate;
        self.add(vec![g ^ 1, a]);
        self.add(vec![g ^ 1, b]);
        self.add(vec![g, a ^ 1, b ^ 1]);
        for v in [a >> 1, b >> 1] {
            self.readers[v as usize].push(gate);
        }
        self.depends[gate as usize] = Some(vec![a >> 1, b >> 1]);
    }

    /// Adds a clause, unless it is a tautology: those must not be resolved.
    fn add(&mut self, clause: Vec<u32>) {
        let Some(clause) = normal(clause) else { return };
        let index = self.clauses.len() as u32;
        for &lit in &clause {
            self.occurrences[lit as usize].push(index);
            self.counts[lit as usize] += 1;
        }
        self.signatures.push(signature(&clause));
        self.clauses.push(clause);
        self.fresh.push(index);
    }

    pub(crate) fn run(&mut self) {
        self.comparisons = COMPARISONS * self.clauses.len();
        (0..self.frozen.len() as u32).for_each(|v| self.consider(v));
        self.subsume();
        while let Some(Reverse((cost, variable))) = self.queue.pop() {
            if self.frozen[variable as usize] || cost != self.queued[variable as usize] {
                continue;
            }
            self.queued[variable as usize] = usize::MAX;
            if self.cost(variable) != cost {
                self.consider(variable);
            } else if let Some(resolvents) = self.resolvents(variable) {
                self.eliminate(variable, resolvents);
                self.subsume();
            } else {
                self.vain[variable as usize] = cost;
            }
        }
    }

    fn consider(&mut self, variable: u32) {
        let cost = self.cost(variable);
        let v = variable as usize;
        if !self.frozen[v] && cost < self.queued[v] && cost != self.vain[v] {
            self.queued[v] = cost;
            self.queue.push(Reverse((cost, variable)));
        }
    }

    fn count(&self, lit: u32) -> usize {
        self.counts[lit as usize] as usize
    }

    fn cost(&self, variable: u32) -> usize {
        self.count(2 * variable) * self.count(2 * variable + 1)
    }

    /// The clauses of a literal.
    fn live(&mut self, lit: u32) -> Vec<u32> {
        if self.occurrences[lit as usize].len() > self.count(lit) {
            let clauses = &self.clauses;
            self.occurrences[lit as usize].retain(|&c| clauses[c as usize].contains(&lit));
        }
        self.occurrences[lit as usize].clone()
    }

    /// All resolvents on the variable, unless they are many more than the clauses they replace.
    fn resolvents(&mut self, variable: u32) -> Option<Vec<Vec<u32>>> {
        if self.count(2 * variable).min(self.count(2 * variable + 1)) > MANY {
            return None;
        }
        let (positive, negative) = (self.live(2 * variable), self.live(2 * variable + 1));
        let limit = positive.len() + negative.len() + GROWTH;
        let pairs = positive.iter().flat_map(|&p| negative.iter().map(move |&n| (p as usize, n as usize)));
        let mut scratch = Vec::new();
        let mut made = 0;
        // Most tries end here: nothing is built yet.
        for (p, n) in pairs.clone() {
            if resolve(&self.clauses[p], &self.clauses[n], variable, &mut scratch) {
                made += 1;
                if made > limit || scratch.len() > LONGEST {
                    return None;
                }
            }
        }
        let resolvent = |(p, n): (usize, usize)| {
            resolve(&self.clauses[p], &self.clauses[n], variable, &mut scratch).then(|| scratch.clone())
        };
        Some(pairs.filter_map(resolvent).collect())
    }

    fn eliminate(&mut self, variable: u32, resolvents: Vec<Vec<u32>>) {
        for lit in [2 * variable, 2 * variable + 1] {
            self.live(lit).into_iter().for_each(|c| self.remove(c));
        }
        self.frozen[variable as usize] = true;
        resolvents.into_iter().for_each(|clause| self.add(clause));
        let below = self.depends[variable as usize].clone().unwrap_or_default();
        for reader in std::mem::take(&mut self.readers[variable as usize]) {
            let Some(on) = &mut self.depends[reader as usize] else { continue };
            on.retain(|&v| v != variable);
            for &v in &below {
                if !on.contains(&v) {
                    on.push(v);
                    self.readers[v as usize].push(reader);
                }
            }
        }
    }

    /// Its variables may have become worth eliminating.
    fn remove(&mut self, clause: u32) {
        for lit in std::mem::take(&mut self.clauses[clause as usize]) {
            self.counts[lit as usize] -= 1;
            self.consider(lit >> 1);
        }
    }

    /// Compares the fresh clauses with all others.
    fn subsume(&mut self) {
        while let Some(clause) = self.fresh.pop() {
            let Some(variable) = self.rarest(clause) else { continue };
            for lit in [2 * variable, 2 * variable + 1] {
                if self.comparisons < self.count(lit) {
                    continue;
                }
                self.comparisons -= self.count(lit);
                let others = self.live(lit);
                others
                    .into_iter()
                    .filter(|&other| other != clause)
                    .for_each(|other| self.simplify(clause, other));
            }
        }
    }

    /// The variable of the clause with the fewest clauses.
    fn rarest(&self, clause: u32) -> Option<u32> {
        let count = |v: &u32| self.count(2 * v) + self.count(2 * v + 1);
        self.clauses[clause as usize].iter().map(|l| l >> 1).min_by_key(count)
    }

    fn simplify(&mut self, clause: u32, other: u32) {
        let (c, o) = (clause as usize, other as usize);
        if self.signatures[c] & !self.signatures[o] != 0 {
            return;
        }
        match relation(&self.clauses[c], &self.clauses[o]) {
            Relation::Unrelated => {}
            Relation::Subsumes => self.remove(other),
            Relation::Strengthens(lit) => {
                self.clauses[o].retain(|&l| l != lit);
                self.counts[lit as usize] -= 1;
                self.signatures[o] = signature(&self.clauses[o]);
                self.consider(lit >> 1);
                self.fresh.push(other);
            }
        }
    }

    pub(crate) fn finish(self) -> (Vec<Box<[sat::Lit]>>, Depends) {
        let clause = |codes: Vec<u32>| codes.into_iter().map(sat::Lit::from_code).collect();
        let clauses = self.clauses.into_iter().filter(|c| !c.is_empty()).map(clause).collect();
        (clauses, self.depends)
    }
}

fn signature(clause: &[u32]) -> u64 {
    clause.iter().fold(0, |s, l| s | 1 << ((l >> 1).wrapping_mul(0x9E37_79B9) >> 26))
}

/// Of two sorted clauses.
fn relation(clause: &[u32], other: &[u32]) -> Relation {
    if clause.is_empty() || clause.len() > other.len() {
        return Relation::Unrelated;
    }
    let mut rest = other.iter();
    let mut opposite = None;
    for &lit in clause {
        match rest.find(|&&o| o >> 1 >= lit >> 1) {
            Some(&o) if o == lit => {}
            Some(&o) if o == lit ^ 1 && opposite.is_none() => opposite = Some(o),
            _ => return Relation::Unrelated,
        }
    }
    opposite.map_or(Relation::Subsumes, Relation::Strengthens)
}

/// Makes the resolvent of two sorted clauses; false for a tautology.
fn resolve(positive: &[u32], negative: &[u32], variable: u32, resolvent: &mut Vec<u32>) -> bool {
    resolvent.clear();
    let mut others = negative.iter().copied().filter(|l| l >> 1 != variable).peekable();
    for &lit in positive.iter().filter(|&l| l >> 1 != variable) {
        while let Some(other) = others.next_if(|&other| other < lit & !1) {
            resolvent.push(other);
        }
        if others.next_if(|&other| other >> 1 == lit >> 1).is_some_and(|other| other != lit) {
            return false;
        }
        resolvent.push(lit);
    }
    resolvent.extend(others);
    true
}

/// Sorted, each literal once; `None` for a tautology.
fn normal(mut clause: Vec<u32>) -> Option<Vec<u32>> {
    clause.sort_unstable();
    clause.dedup();
    let tautology = clause.windows(2).any(|w| w[0] ^ 1 == w[1]);
    (!tautology).then_some(clause)
}

#[cfg(test)]
mod tests {
    use buttress_system::{Rng, Var};

    use super::*;

    const INPUTS: u32 = 4;

    /// Gates after the constant and the inputs: each reads two literals below it.
    fn random_gates(rng: &mut Rng) -> Vec<[u32; 2]> {
        let literal = |rng: &mut Rng, below: u32| rng.below(2 * below as usize) as u32;
        (0..8).map(|g| [literal(rng, 1 + INPUTS + g), literal(rng, 1 + INPUTS + g)]).collect()
    }

    /// The value of each variable under these inputs.
    fn evaluate(gates: &[[u32; 2]], inputs: u32) -> Vec<bool> {
        let mut values = vec![false];
        values.extend((0..INPUTS).map(|i| inputs >> i & 1 == 1));
        for &[a, b] in gates {
            let value = |l: u32| values[l as usize >> 1] ^ (l & 1 == 1);
            values.push(value(a) && value(b));
        }
        values
    }

    fn satisfied(clause: &[sat::Lit], values: &[bool]) -> bool {
        clause.iter().any(|l| values[l.variable() as usize] != l.is_negated())
    }

    fn domain(root: u32, depends: &Depends) -> Vec<u32> {
        let mut domain = vec![root];
        let mut next = 0;
        while next < domain.len() {
            let on = depends[domain[next] as usize].clone().unwrap_or_default();
            on.into_iter().for_each(|v| {
                if !domain.contains(&v) {
                    domain.push(v)
                }
            });
            next += 1;
        }
        domain
    }

    /// The assignments that satisfy the clauses inside a domain are those that the circuit computes there.
    #[test]
    fn clauses_inside_a_domain_say_what_the_circuit_does() {
        let mut removed = 0;
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let gates = random_gates(&mut rng);
            let vars = 1 + INPUTS as usize + gates.len();
            let mut elimination = Elimination::new(vars);
            let first = 1 + INPUTS;
            (first..).zip(&gates).for_each(|(g, &[a, b])| elimination.add_gate(g, a, b));
            let roots = [vars as u32 - 1, vars as u32 - 2];
            elimination.keep(roots.map(|v| Var::new(v).lit()).iter());
            elimination.run();
            removed += (first as usize..vars).filter(|&v| elimination.frozen[v]).count() - roots.len();
            let (clauses, depends) = elimination.finish();
            for root in roots {
                let domain = domain(root, &depends);
                let known = |l: &sat::Lit| l.variable() == 0 || domain.contains(&l.variable());
                let inside: Vec<_> = clauses.iter().filter(|c| c.iter().all(known)).collect();
                for inputs in 0..1 << INPUTS {
                    let values = evaluate(&gates, inputs);
                    assert!(clauses.iter().all(|c| satisfied(c, &values)), "seed {seed}");
                    let defined: Vec<u32> = domain.iter().copied().filter(|&v| v >= first).collect();
                    for wrong in 1..1u32 << defined.len() {
                        let mut other = values.clone();
                        let flips = (0..).zip(&defined).filter(|(i, _)| wrong >> i & 1 == 1);
                        flips.for_each(|(_, &v)| other[v as usize] ^= true);
                        assert!(
                            !inside.iter().all(|c| satisfied(c, &other)),
                            "seed {seed}, root {root}: {other:?}"
                        );
                    }
                }
            }
        }
        assert!(removed > 500, "only {removed} variables were eliminated");
    }
}
