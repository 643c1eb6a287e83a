//! Which cubes look unreachable: no state of the finite instances satisfies them (Conchon, Goel, Krstić, Mebsout,
//! Zaïdi, "Invariants for finite instances and beyond", FMCAD 2013, section III).
//!
//! For each literal and each choice of processes, the set of states in which it holds is computed once. A cube
//! holds somewhere if, for some choice, the sets of its literals meet. What the oracle says is a guess.

use buttress_system::indexed::IndexedTrace;
use buttress_system::{PropertyId, Trace};
use buttress_term::{TermId, Terms, Value};
use rustc_hash::FxHashMap;

use super::cubes::Cube;
use super::finite::{Finite, value};
use crate::problem::Problem;

/// States of an instance, at most.
const STATES: usize = 20_000;

/// Sizes of the instances.
const SIZES: [usize; 3] = [2, 3, 4];

/// Literals of a candidate, at most.
const LITERALS: usize = 4;

type Set = Box<[u64]>;

pub struct Oracle<'a> {
    instances: Vec<Finite<'a>>,
    /// Where a literal holds, for an instance and processes.
    known: FxHashMap<(usize, TermId, Vec<usize>), Option<Set>>,
}

impl<'a> Oracle<'a> {
    /// Explores small instances.
    pub fn new(problem: &'a Problem<'_>, stopped: &dyn Fn() -> bool) -> Oracle<'a> {
        let mut instances = Vec::new();
        for size in SIZES {
            let Some(mut finite) = Finite::new(problem, size) else { break };
            finite.explore(STATES, stopped);
            instances.push(finite);
        }
        Oracle { instances, known: FxHashMap::default() }
    }

    /// An execution by these rules, in instances of these sizes, that ends in a violation.
    pub fn along(
        problem: &'a Problem<'_>,
        sizes: std::ops::RangeInclusive<usize>,
        rules: &[usize],
        property: PropertyId,
    ) -> Option<IndexedTrace> {
        sizes.into_iter().find_map(|size| {
            let mut finite = Finite::new(problem, size)?;
            finite.follow(rules, STATES);
            Oracle { instances: vec![finite], known: FxHashMap::default() }.violation(problem, property)
        })
    }

    /// States that were seen.
    pub fn states(&self) -> usize {
        self.instances.iter().map(|i| i.states.len()).sum()
    }

    fn set(
        &mut self,
        terms: &Terms,
        instance: usize,
        literal: TermId,
        processes: &[(TermId, usize)],
    ) -> Option<&Set> {
        let read = terms.free_variables([literal]);
        let own: Vec<(TermId, usize)> = processes.iter().copied().filter(|(z, _)| read.contains(z)).collect();
        let key = (instance, literal, own.iter().map(|(_, p)| *p).collect::<Vec<usize>>());
        let finite = &self.instances[instance];
        let compute = || {
            let places = own.iter().map(|&(z, p)| (z, p as i64)).collect();
            let (program, result) = finite.program(terms, literal, &places)?;
            let (mut set, mut results) = (vec![0u64; finite.states.len().div_ceil(64)], Vec::new());
            for (number, row) in finite.states.iter().enumerate() {
                program.run(row, &mut results);
                set[number / 64] |= u64::from(results[result as usize] != 0) << (number % 64);
            }
            Some(set.into_boxed_slice())
        };
        self.known.entry(key).or_insert_with(compute).as_ref()
    }

    /// A state of an instance that satisfies these literals, with the processes. A literal that has no program
    /// holds everywhere or, if so wanted, nowhere.
    fn witness(
        &mut self,
        terms: &Terms,
        literals: &[TermId],
        symbols: &[TermId],
        unknown: bool,
    ) -> Option<(usize, usize, Vec<usize>)> {
        for instance in 0..self.instances.len() {
            for processes in arrangements(symbols.len(), self.instances[instance].size) {
                let pairs: Vec<(TermId, usize)> =
                    symbols.iter().copied().zip(processes.iter().copied()).collect();
                let words = self.instances[instance].states.len().div_ceil(64);
                let mut all = vec![u64::MAX; words];
                let last = self.instances[instance].states.len() % 64;
                if let (Some(word), true) = (all.last_mut(), last != 0) {
                    *word = (1 << last) - 1;
                }
                for &literal in literals {
                    match self.set(terms, instance, literal, &pairs) {
                        Some(set) => all.iter_mut().zip(set).for_each(|(a, b)| *a &= b),
                        None if unknown => {}
                        None => all.fill(0),
                    }
                }
                let found = all.iter().position(|&w| w != 0);
                if let Some(word) = found {
                    return Some((instance, word * 64 + all[word].trailing_zeros() as usize, processes));
                }
            }
        }
        None
    }

    /// Whether no state that was seen satisfies these literals. Instances with fewer processes than they name say
    /// nothing.
    pub fn excludes(&mut self, terms: &Terms, literals: &[TermId], symbols: &[TermId]) -> bool {
        let read = terms.free_variables(literals.iter().copied());
        let named: Vec<TermId> = symbols.iter().copied().filter(|z| read.contains(z)).collect();
        self.instances.iter().any(|i| i.size >= named.len())
            && self.witness(terms, literals, &named, true).is_none()
    }

    /// Parts of a cube that look unreachable, the most general first.
    pub fn candidates(&mut self, terms: &Terms, cube: &Cube, symbols: &[TermId]) -> Vec<Vec<TermId>> {
        let mut excluded: Vec<Vec<TermId>> = Vec::new();
        let most = LITERALS.min(cube.literals.len().saturating_sub(1));
        for size in 1..=most {
            for part in subsets(&cube.literals, size) {
                let general = excluded.iter().any(|e| e.iter().all(|l| part.contains(l)));
                if !general && self.excludes(terms, &part, symbols) {
                    excluded.push(part);
                }
            }
        }
        let processes = |part: &Vec<TermId>| {
            let read = terms.free_variables(part.iter().copied());
            symbols.iter().filter(|z| read.contains(z)).count()
        };
        excluded.sort_by_key(|part| (processes(part), part.len()));
        excluded
    }

    /// An execution of a finite instance that ends in a violation.
    pub fn violation(&mut self, problem: &Problem<'_>, property: PropertyId) -> Option<IndexedTrace> {
        let system = &problem.model.system;
        let bad = system.property(property).bad;
        let read = problem.terms.free_variables([bad]);
        let symbols: Vec<TermId> =
            problem.model.indices.iter().copied().filter(|i| read.contains(i)).collect();
        let (instance, state, processes) = self.witness(&problem.terms, &[bad], &symbols, false)?;
        let finite = &self.instances[instance];
        let (first, steps) = finite.way(state);
        let initial = system.states.iter().map(|s| s.init.is_none().then(|| finite.table(s.variable, first)));
        let row = |given: Option<&FxHashMap<TermId, i64>>| {
            let input = |variable: TermId| {
                let sort = problem.terms.sort(variable);
                let symbol = symbols.iter().position(|&s| s == variable).map(|s| processes[s] as i64);
                let number = given.and_then(|g| g.get(&variable).copied()).or(symbol);
                Some(number.map_or_else(|| Value::zero(sort), |n| value(sort, n)))
            };
            system.inputs.iter().map(|i| input(i.variable)).collect::<Vec<_>>()
        };
        let mut inputs: Vec<Vec<Option<Value>>> = steps.into_iter().map(|given| row(Some(given))).collect();
        inputs.push(row(None));
        Some(Trace { property, initial: initial.collect(), inputs })
    }
}

/// All ways to choose so many different processes, in order.
pub(super) fn arrangements(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |row: &Vec<usize>| {
            let row = row.clone();
            (0..size)
                .filter(|p| !row.contains(p))
                .map(|p| [row.as_slice(), &[p]].concat())
                .collect::<Vec<Vec<usize>>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

/// All parts of a list with so many elements.
fn subsets(of: &[TermId], size: usize) -> Vec<Vec<TermId>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (place, &first) in of.iter().enumerate() {
        for rest in subsets(&of[place + 1..], size - 1) {
            all.push([&[first], rest.as_slice()].concat());
        }
    }
    all
}
