//! Reduced ordered binary decision diagrams (Bryant 1986), by OxiDD, with complemented edges.
//!
//! A [`Bdd`] is a function of the variables 0, 1, 2, …, and this is their order until [`Bdds::sift`] finds a better
//! one. Functions are canonical: equal ones are equal diagrams.
//!
//! Every operation that makes nodes may end with [`Stopped::Nodes`]: the diagrams, with all that an operation
//! needs on the way, have more nodes than was allowed. What nobody refers to any more is collected first. The stop
//! token is looked at before each operation; OxiDD cannot be interrupted within one, so the node limit bounds how
//! long that is.

mod sift;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, Manager,
    ManagerRef, Subst,
};

use crate::{Stop, Stopped};

/// A Boolean function.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd(BCDDFunction);

/// Variables to quantify over.
pub struct Variables(BCDDFunction);

/// Functions to put in the place of variables, all at once.
pub struct Substitution(Subst<BCDDFunction>);

/// A product of literals: variables with their values, in order.
pub type Product = Vec<(u32, bool)>;

/// A manager of diagrams.
pub struct Bdds {
    manager: BCDDManagerRef,
    literals: Vec<BCDDFunction>,
    limit: usize,
    stop: Stop,
    sifting: Cell<Option<Sifting>>,
}

/// When the order is changed next.
#[derive(Clone, Copy)]
struct Sifting {
    together: u32,
    /// Nodes, those to be collected included.
    at: usize,
}

/// Smaller diagrams are not worth another order.
const FIRST_SIFT: usize = 20_000;

impl Bdd {
    /// The value, where it does not depend on anything.
    pub fn constant(&self) -> Option<bool> {
        match () {
            _ if !self.0.satisfiable() => Some(false),
            _ if self.0.valid() => Some(true),
            _ => None,
        }
    }

    /// A product that implies the function. `None` for the constant 0.
    pub fn implicant(&self) -> Option<Product> {
        let values = self.0.pick_cube(|_, _, _| false)?;
        let literal = |(v, value): (usize, OptBool)| match value {
            OptBool::None => None,
            OptBool::False => Some((v as u32, false)),
            OptBool::True => Some((v as u32, true)),
        };
        Some(values.into_iter().enumerate().filter_map(literal).collect())
    }

    /// The first variable that it depends on, and the functions where that is 0 and where it is 1.
    pub fn split(&self) -> Option<(u32, [Bdd; 2])> {
        let top = self.top()?;
        Some((top, self.cofactors(top)))
    }

    /// The variables that it depends on.
    pub fn reads(&self) -> BTreeSet<u32> {
        let (mut reads, mut seen, mut open) = (BTreeSet::new(), HashSet::new(), vec![self.clone()]);
        while let Some(function) = open.pop() {
            if let Some((variable, [zero, one])) = function.split()
                && seen.insert(function)
            {
                reads.insert(variable);
                open.extend([zero, one]);
            }
        }
        reads
    }

    /// How many nodes it has.
    pub fn node_count(&self) -> usize {
        self.0.node_count()
    }

    /// The first variable that it depends on.
    fn top(&self) -> Option<u32> {
        self.0.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            oxidd::Node::Inner(node) => Some(manager.level_to_var(node.level())),
            oxidd::Node::Terminal(_) => None,
        })
    }

    /// With the variable at 0 and at 1; the variable is not below the first that it depends on in the order.
    fn cofactors(&self, variable: u32) -> [Bdd; 2] {
        match self.0.cofactors() {
            Some((one, zero)) if self.top() == Some(variable) => [Bdd(zero), Bdd(one)],
            _ => [self.clone(), self.clone()],
        }
    }
}

impl Bdds {
    /// For functions of so many variables, with at most `limit` nodes.
    pub fn new(variables: usize, limit: usize, stop: &Stop) -> Result<Bdds, Stopped> {
        let manager = new_manager(limit, (limit / 4).clamp(1 << 10, 1 << 22), 1);
        let count = u32::try_from(variables).expect("variables fit 32 bits");
        manager.with_manager_exclusive(|manager| manager.add_vars(count));
        let literals = manager.with_manager_shared(|manager| {
            (0..count).map(|v| BCDDFunction::var(manager, v)).collect::<AllocResult<Vec<_>>>()
        });
        let literals = literals.map_err(|_| Stopped::Nodes(limit))?;
        Ok(Bdds { manager, literals, limit, stop: stop.clone(), sifting: Cell::new(None) })
    }

    pub fn constant(&self, value: bool) -> Bdd {
        self.manager.with_manager_shared(|manager| {
            Bdd(if value { BCDDFunction::t(manager) } else { BCDDFunction::f(manager) })
        })
    }

    pub fn variable(&self, variable: u32) -> Bdd {
        Bdd(self.literals[variable as usize].clone())
    }

    /// Nodes of all diagrams, with those that nobody refers to any more and that were not collected yet.
    pub fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }

    /// From now on a better order is looked for whenever all diagrams have become twice as large; so many
    /// neighbours stay together.
    pub fn sift(&self, together: u32) {
        self.sifting.set(Some(Sifting { together, at: FIRST_SIFT }));
    }

    fn sift_where_due(&self) {
        let Some(Sifting { together, at }) = self.sifting.get().filter(|s| self.nodes() > s.at) else {
            return;
        };
        self.manager.with_manager_shared(|manager| manager.gc());
        // What is collected now makes room again.
        if self.nodes() > at / 2 {
            sift::sift(&self.manager, together, self.limit, &self.stop);
        }
        self.sifting.set(Some(Sifting { together, at: at.max(4 * self.nodes()) }));
    }

    pub fn not(&self, f: &Bdd) -> Result<Bdd, Stopped> {
        self.run(|| f.0.not())
    }

    pub fn and(&self, f: &Bdd, g: &Bdd) -> Result<Bdd, Stopped> {
        self.run(|| f.0.and(&g.0))
    }

    pub fn or(&self, f: &Bdd, g: &Bdd) -> Result<Bdd, Stopped> {
        self.run(|| f.0.or(&g.0))
    }

    /// `f ∧ ¬g`
    pub fn minus(&self, f: &Bdd, g: &Bdd) -> Result<Bdd, Stopped> {
        self.run(|| g.0.imp_strict(&f.0))
    }

    /// `f ↔ g`
    pub fn equal(&self, f: &Bdd, g: &Bdd) -> Result<Bdd, Stopped> {
        self.run(|| f.0.equiv(&g.0))
    }

    /// `(f ∧ g) ∨ (¬f ∧ h)`
    pub fn ite(&self, f: &Bdd, g: &Bdd, h: &Bdd) -> Result<Bdd, Stopped> {
        self.run(|| f.0.ite(&g.0, &h.0))
    }

    pub fn product(&self, literals: impl IntoIterator<Item = (u32, bool)>) -> Result<Bdd, Stopped> {
        let mut literals: Vec<(u32, bool)> = literals.into_iter().collect();
        self.manager.with_manager_shared(|m| literals.sort_unstable_by_key(|&(v, _)| m.var_to_level(v)));
        // From the last level up, each conjunction is one new node.
        literals.iter().rev().try_fold(self.constant(true), |product, &(variable, value)| {
            let variable = &self.variable(variable);
            self.and(&if value { variable.clone() } else { self.not(variable)? }, &product)
        })
    }

    pub fn variables(&self, variables: impl IntoIterator<Item = u32>) -> Result<Variables, Stopped> {
        Ok(Variables(self.product(variables.into_iter().map(|v| (v, true)))?.0))
    }

    /// `∃v. f`
    pub fn exists(&self, f: &Bdd, variables: &Variables) -> Result<Bdd, Stopped> {
        self.run(|| f.0.exists(&variables.0))
    }

    /// `∀v. f`
    pub fn forall(&self, f: &Bdd, variables: &Variables) -> Result<Bdd, Stopped> {
        self.run(|| f.0.forall(&variables.0))
    }

    /// `∃v. f ∧ g`, the relational product, without the conjunction on the way.
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, variables: &Variables) -> Result<Bdd, Stopped> {
        self.run(|| f.0.apply_exists(BooleanOperator::And, &g.0, &variables.0))
    }

    pub fn substitution(&self, pairs: impl IntoIterator<Item = (u32, Bdd)>) -> Substitution {
        let (variables, functions): (Vec<u32>, Vec<BCDDFunction>) =
            pairs.into_iter().map(|(v, f)| (v, f.0)).unzip();
        Substitution(Subst::new(variables, functions))
    }

    /// `f(g₀, g₁, …)`, the vector composition.
    pub fn compose(&self, f: &Bdd, substitution: &Substitution) -> Result<Bdd, Stopped> {
        self.run(|| f.0.substitute(&substitution.0))
    }

    /// The function with these values, which must be given as a product.
    pub fn restrict(&self, f: &Bdd, product: &Bdd) -> Result<Bdd, Stopped> {
        self.run(|| f.0.restrict(&product.0))
    }

    /// Some function that has the same values where `care` is 1, and is often smaller (Coudert & Madre, "A unified
    /// framework for the formal verification of sequential circuits", ICCAD 1990: restrict).
    pub fn simplify(&self, f: &Bdd, care: &Bdd) -> Result<Bdd, Stopped> {
        match care.constant() {
            Some(true) => Ok(f.clone()),
            Some(false) => Ok(self.constant(false)),
            None => {
                self.sift_where_due();
                let simple = Simpler { bdds: self, known: HashMap::new() }.of(f, care)?;
                Ok(if simple.node_count() < f.node_count() { simple } else { f.clone() })
            }
        }
    }

    /// Of some variables the one that stands first.
    fn first(&self, variables: impl Iterator<Item = u32>) -> Option<u32> {
        self.manager.with_manager_shared(|manager| variables.min_by_key(|&v| manager.var_to_level(v)))
    }

    /// Some sum of products between `lower` and `upper`, which must contain it: no product and no literal of it
    /// can be left out (Minato & Morreale; Minato, "Fast generation of irredundant sum-of-products forms", SASIMI
    /// 1992). `Err` says how many products it has where these are more than `limit`.
    pub fn cover(
        &self,
        lower: &Bdd,
        upper: &Bdd,
        limit: usize,
    ) -> Result<Result<Vec<Product>, u128>, Stopped> {
        let mut covers = Covers { bdds: self, parts: Vec::new(), known: HashMap::new() };
        let (cover, _) = covers.between(lower, upper)?;
        let count = covers.count(&cover);
        if count > limit as u128 {
            return Ok(Err(count));
        }
        let mut products = Vec::with_capacity(count as usize);
        covers.list(&cover, &mut Vec::new(), &mut products);
        Ok(Ok(products))
    }

    /// Once more after collecting what nobody refers to, before it gives up.
    fn run(&self, operation: impl Fn() -> AllocResult<BCDDFunction>) -> Result<Bdd, Stopped> {
        self.sift_where_due();
        self.ordered(operation)
    }

    /// The same, in the order that there is.
    fn ordered(&self, operation: impl Fn() -> AllocResult<BCDDFunction>) -> Result<Bdd, Stopped> {
        self.stop.check()?;
        let again = |_| {
            self.manager.with_manager_shared(|manager| manager.gc());
            operation()
        };
        operation().or_else(again).map(Bdd).map_err(|_| Stopped::Nodes(self.limit))
    }
}

/// Functions that are the same where it matters, by function and care set. No order changes on the way.
struct Simpler<'a> {
    bdds: &'a Bdds,
    known: HashMap<(Bdd, Bdd), Bdd>,
}

impl Simpler<'_> {
    /// Of a care set that is not empty.
    fn of(&mut self, f: &Bdd, care: &Bdd) -> Result<Bdd, Stopped> {
        let (Some(top), false) = (f.top(), care.constant() == Some(true)) else { return Ok(f.clone()) };
        let key = (f.clone(), care.clone());
        if let Some(simple) = self.known.get(&key) {
            return Ok(simple.clone());
        }
        let bdds = self.bdds;
        let first = bdds.first(care.top().into_iter().chain([top])).expect("f reads something");
        let [zero, one] = care.cofactors(first);
        let [f0, f1] = f.cofactors(first);
        let simple = match (zero.constant(), one.constant()) {
            (Some(false), _) => self.of(&f1, &one)?,
            (_, Some(false)) => self.of(&f0, &zero)?,
            _ if first != top => self.of(f, &bdds.ordered(|| zero.0.or(&one.0))?)?,
            _ => {
                let (f0, f1) = (self.of(&f0, &zero)?, self.of(&f1, &one)?);
                bdds.ordered(|| bdds.literals[first as usize].ite(&f1.0, &f0.0))?
            }
        };
        self.known.insert(key, simple.clone());
        Ok(simple)
    }
}

/// Sums of products, with shared parts.
struct Covers<'a> {
    bdds: &'a Bdds,
    parts: Vec<Part>,
    known: HashMap<(Bdd, Bdd), (Cover, Bdd)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Cover {
    None,
    All,
    Part(usize),
}

/// `¬v·negative + v·positive + without`, and how many products that is.
struct Part {
    variable: u32,
    negative: Cover,
    positive: Cover,
    without: Cover,
    count: u128,
}

impl Covers<'_> {
    /// A cover and the function that it is.
    fn between(&mut self, lower: &Bdd, upper: &Bdd) -> Result<(Cover, Bdd), Stopped> {
        if lower.constant() == Some(false) {
            return Ok((Cover::None, lower.clone()));
        }
        if upper.constant() == Some(true) {
            return Ok((Cover::All, upper.clone()));
        }
        let key = (lower.clone(), upper.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let result = self.split(lower, upper)?;
        self.known.insert(key, result.clone());
        Ok(result)
    }

    fn split(&mut self, lower: &Bdd, upper: &Bdd) -> Result<(Cover, Bdd), Stopped> {
        let bdds = self.bdds;
        let tops = lower.top().into_iter().chain(upper.top());
        let variable = bdds.first(tops).expect("neither is a constant that ends the recursion");
        let [lower0, lower1] = lower.cofactors(variable);
        let [upper0, upper1] = upper.cofactors(variable);
        // What only a product with ¬v, or with v, can cover.
        let (negative, f0) = self.between(&bdds.minus(&lower0, &upper1)?, &upper0)?;
        let (positive, f1) = self.between(&bdds.minus(&lower1, &upper0)?, &upper1)?;
        let rest = bdds.or(&bdds.minus(&lower0, &f0)?, &bdds.minus(&lower1, &f1)?)?;
        let (without, both) = self.between(&rest, &bdds.and(&upper0, &upper1)?)?;
        let with = bdds.ite(&bdds.variable(variable), &f1, &f0)?;
        let cover = self.part(variable, negative, positive, without);
        Ok((cover, bdds.or(&with, &both)?))
    }

    fn part(&mut self, variable: u32, negative: Cover, positive: Cover, without: Cover) -> Cover {
        if negative == Cover::None && positive == Cover::None {
            return without;
        }
        let counts = [negative, positive, without].map(|c| self.count(&c));
        let count = counts.iter().fold(0, |sum: u128, &n| sum.saturating_add(n));
        self.parts.push(Part { variable, negative, positive, without, count });
        Cover::Part(self.parts.len() - 1)
    }

    fn count(&self, cover: &Cover) -> u128 {
        match cover {
            Cover::None => 0,
            Cover::All => 1,
            Cover::Part(part) => self.parts[*part].count,
        }
    }

    fn list(&self, cover: &Cover, prefix: &mut Product, products: &mut Vec<Product>) {
        match cover {
            Cover::None => {}
            Cover::All => products.push(prefix.clone()),
            Cover::Part(part) => {
                let part = &self.parts[*part];
                for (value, rest) in [(false, &part.negative), (true, &part.positive)] {
                    prefix.push((part.variable, value));
                    self.list(rest, prefix, products);
                    prefix.pop();
                }
                self.list(&part.without, prefix, products);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VARIABLES: u32 = 6;
    const POINTS: u64 = 1 << VARIABLES;

    /// A function by its truth table: bit p is its value at the point p.
    fn build(bdds: &Bdds, table: u64) -> Bdd {
        let points = (0..POINTS).filter(|p| table >> p & 1 == 1);
        let product = |p: u64| bdds.product((0..VARIABLES).map(|v| (v, p >> v & 1 == 1))).unwrap();
        points.fold(bdds.constant(false), |f, p| bdds.or(&f, &product(p)).unwrap())
    }

    fn column(variable: u32) -> u64 {
        (0..POINTS).filter(|p| p >> variable & 1 == 1).fold(0, |t, p| t | 1 << p)
    }

    /// Tables that look random, and are the same every time.
    fn tables(count: usize) -> Vec<u64> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..count).map(|_| next() & next()).collect()
    }

    fn bdds() -> Bdds {
        Bdds::new(VARIABLES as usize, 1 << 14, &Stop::new()).unwrap()
    }

    fn project(table: u64, variable: u32, combine: impl Fn(u64, u64) -> u64) -> u64 {
        let bit = |p: u64| table >> p & 1;
        (0..POINTS).fold(0, |t, p| t | combine(bit(p & !(1 << variable)), bit(p | 1 << variable)) << p)
    }

    #[test]
    fn operations_are_those_of_truth_tables() {
        let b = bdds();
        for pair in tables(60).chunks(3) {
            let [f, g, h] = [pair[0], pair[1], pair[2]];
            let [x, y, z] = [f, g, h].map(|t| build(&b, t));
            let same = |made: Result<Bdd, Stopped>, table: u64| assert!(made.unwrap() == build(&b, table));
            same(b.not(&x), !f);
            same(b.and(&x, &y), f & g);
            same(b.or(&x, &y), f | g);
            same(b.minus(&x, &y), f & !g);
            same(b.equal(&x, &y), !(f ^ g));
            same(b.ite(&x, &y, &z), f & g | !f & h);
            let (two, four) = (b.variables([2]).unwrap(), b.variables([4]).unwrap());
            same(b.exists(&x, &two), project(f, 2, |a, b| a | b));
            same(b.forall(&x, &two), project(f, 2, |a, b| a & b));
            same(b.and_exists(&x, &y, &four), project(f & g, 4, |a, b| a | b));
            let swapped = b.substitution([(0, y.clone()), (3, b.variable(0))]);
            let at = |p: u64| f >> (p & !0b1001 | (g >> p & 1) | (p & 1) << 3) & 1;
            same(b.compose(&x, &swapped), (0..POINTS).fold(0, |t, p| t | at(p) << p));
        }
    }

    #[test]
    fn covers_are_between_and_irredundant() {
        let b = bdds();
        for pair in tables(80).chunks(2) {
            let (lower, upper) = (pair[0] & pair[1], pair[0] | pair[1]);
            let products = b.cover(&build(&b, lower), &build(&b, upper), 1000).unwrap().unwrap();
            let table = |product: &Product| {
                product.iter().fold(!0, |t, &(v, one)| t & if one { column(v) } else { !column(v) })
            };
            let union = |skip: usize| {
                let kept = products.iter().enumerate().filter(|(i, _)| *i != skip);
                kept.fold(0, |t, (_, p)| t | table(p))
            };
            let all = union(usize::MAX);
            assert_eq!((lower & !all, all & !upper), (0, 0));
            for (i, product) in products.iter().enumerate() {
                assert_ne!(lower & !union(i), 0, "a product too many");
                for l in 0..product.len() {
                    let mut shorter = product.clone();
                    shorter.remove(l);
                    assert_ne!(table(&shorter) & !upper, 0, "a literal too many");
                }
            }
            let few = b.cover(&build(&b, lower), &build(&b, upper), 0).unwrap();
            assert_eq!(few.err().unwrap_or(0), products.len() as u128);
        }
    }

    #[test]
    fn implicants_imply() {
        let b = bdds();
        for table in tables(50) {
            let f = build(&b, table);
            let product = b.product(f.implicant().expect("not constant")).unwrap();
            assert_eq!(b.minus(&product, &f).unwrap().constant(), Some(false));
            assert_eq!(b.restrict(&f, &product).unwrap().constant(), Some(true));
        }
        assert_eq!(b.constant(false).implicant(), None);
    }

    #[test]
    fn what_is_simpler_is_the_same_where_that_matters() {
        for order in [false, true] {
            let b = bdds();
            let mut simpler = 0;
            for pair in tables(200).chunks(2) {
                let (f, care) = (build(&b, pair[0]), build(&b, pair[1]));
                if order {
                    sift::sift(&b.manager, 1, b.limit, &b.stop);
                }
                let simple = b.simplify(&f, &care).unwrap();
                assert!(b.and(&simple, &care).unwrap() == b.and(&f, &care).unwrap());
                assert!(simple.node_count() <= f.node_count());
                simpler += usize::from(simple.node_count() < f.node_count());
            }
            assert!(simpler > 80);
        }
    }

    #[test]
    fn another_order_keeps_functions() {
        for together in [1, 2, 3] {
            let b = bdds();
            let tables = tables(40);
            let functions: Vec<Bdd> = tables.iter().map(|&t| build(&b, t)).collect();
            sift::sift(&b.manager, together, b.limit, &b.stop);
            for (f, &table) in functions.iter().zip(&tables) {
                assert!(*f == build(&b, table));
                let product = f.implicant().expect("not constant");
                assert_eq!(b.minus(&b.product(product).unwrap(), f).unwrap().constant(), Some(false));
                let (v, [zero, one]) = f.split().expect("not constant");
                assert!(b.ite(&b.variable(v), &one, &zero).unwrap() == *f);
                assert!(
                    f.reads()
                        .into_iter()
                        .eq((0..VARIABLES).filter(|&v| project(table, v, |a, b| a ^ b) != 0))
                );
            }
            let (lower, upper) = (tables[0] & tables[1], tables[0] | tables[1]);
            let products = b.cover(&build(&b, lower), &build(&b, upper), 1000).unwrap().unwrap();
            let sum = products.into_iter().map(|p| b.product(p).unwrap());
            let sum = sum.fold(b.constant(false), |sum, p| b.or(&sum, &p).unwrap());
            assert!(b.minus(&build(&b, lower), &sum).unwrap().constant() == Some(false));
            assert!(b.minus(&sum, &build(&b, upper)).unwrap().constant() == Some(false));
        }
    }

    #[test]
    fn another_order_is_found_where_there_is_a_better_one() {
        // x₀x₁₀ + x₁x₁₁ + …: 2^10 nodes where partners are apart.
        let b = Bdds::new(20, 1 << 16, &Stop::new()).unwrap();
        let pairs = (0..10).map(|v| b.product([(v, true), (v + 10, true)]));
        let sum = pairs.into_iter().try_fold(b.constant(false), |sum, pair| b.or(&sum, &pair?)).unwrap();
        assert!(sum.node_count() > 1 << 10);
        sift::sift(&b.manager, 1, b.limit, &b.stop);
        assert!(sum.node_count() < 50);
        // Neighbours that stay together leave little to gain.
        let b = Bdds::new(20, 1 << 16, &Stop::new()).unwrap();
        let before: Vec<u32> = (0..20).collect();
        let pairs = before.chunks(2).map(|v| b.product([(v[0], true), (v[1], true)]));
        let sum = pairs.into_iter().try_fold(b.constant(false), |sum, pair| b.or(&sum, &pair?)).unwrap();
        let nodes = sum.node_count();
        sift::sift(&b.manager, 2, b.limit, &b.stop);
        let level = |v: u32| b.manager.with_manager_shared(|manager| manager.var_to_level(v));
        assert!(before.chunks(2).all(|v| level(v[0]) + 1 == level(v[1])));
        assert_eq!(sum.node_count(), nodes);
    }

    #[test]
    fn too_many_nodes_and_requests_stop() {
        let stop = Stop::new();
        let b = Bdds::new(40, 200, &stop).unwrap();
        // x₀x₂₀ + x₁x₂₁ + …: 2^20 nodes in this order.
        let pairs = (0..20).map(|v| b.product([(v, true), (v + 20, true)]));
        let sum = pairs.into_iter().try_fold(b.constant(false), |sum, pair| b.or(&sum, &pair?));
        assert_eq!(sum.err(), Some(Stopped::Nodes(200)));
        // What was given up is collected: there is room for something else.
        assert!(b.product((0..40).map(|v| (v, true))).is_ok());
        stop.request(&Stopped::Time);
        assert_eq!(b.not(&b.variable(0)).err(), Some(Stopped::Time));
    }
}
