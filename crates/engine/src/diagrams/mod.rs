//! Decision diagrams over the inputs and latches of a system: their order, the functions of its gates, and from a
//! set of states back to clauses.

mod moves;
mod order;
mod relation;

use buttress_solve::bdd::{Bdd, Bdds, Product};
use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Clause, LatchId, Lit, Node, Proof, PropertyId, Var, Verdict};

use crate::incomplete;
pub(crate) use moves::{Hull, Moves, Point, Scope, Try, in_tries, known};
pub use order::Order;
use order::order;
use relation::{Relation, Steps};

/// The options of decision diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diagrams {
    pub order: Order,
    /// Nodes of all diagrams together.
    pub nodes: usize,
    /// Whether fixpoints are computed among the states that are reached at once, not only where it is not easy
    /// without them.
    pub forward: bool,
}

impl Default for Diagrams {
    fn default() -> Diagrams {
        Diagrams { order: Order::Depth, nodes: 1 << 24, forward: false }
    }
}

/// Many small models are decided with few nodes, and a large table takes a tenth of a second to make.
const FIRST_TRIES: [usize; 2] = [1 << 16, 1 << 20];

/// An invariant with more clauses than this is not worth checking.
const CLAUSES: usize = 100_000;

impl Diagrams {
    /// With few nodes at first, then with more; where these do not do either, that is the verdict.
    pub(crate) fn with_enough_nodes<P, T>(
        self,
        mut attempt: impl FnMut(Diagrams) -> Result<Option<Verdict<P, T>>, Stopped>,
    ) -> Result<Option<Verdict<P, T>>, Stopped> {
        for nodes in FIRST_TRIES.into_iter().filter(|&n| n < self.nodes).chain([self.nodes]) {
            match attempt(Diagrams { nodes, ..self }) {
                Err(Stopped::Nodes(_)) => continue,
                outcome => return outcome,
            }
        }
        Ok(Some(incomplete(&outgrown(self.nodes))))
    }
}

fn outgrown(nodes: usize) -> String {
    format!("its decision diagrams outgrew {nodes} nodes")
}

/// Diagrams whose variables are the inputs and latches of a system.
pub(crate) struct Space<'a> {
    system: &'a BitSystem,
    pub bdds: Bdds,
    /// By level, what the diagrams' variables are; and the other way round.
    order: Vec<Var>,
    level: Vec<u32>,
    /// How far neighbours in this order are apart: behind each there may be a place for its next value.
    stride: u32,
}

impl<'a> Space<'a> {
    /// The roots are what is read first.
    pub fn new(
        system: &'a BitSystem,
        choice: Diagrams,
        roots: &[Lit],
        stop: &Stop,
    ) -> Result<Space<'a>, Stopped> {
        Space::apart(system, choice, roots, stop, 1)
    }

    /// With a variable for the next value of each, right behind it.
    pub fn with_next(
        system: &'a BitSystem,
        choice: Diagrams,
        roots: &[Lit],
        stop: &Stop,
    ) -> Result<Space<'a>, Stopped> {
        Space::apart(system, choice, roots, stop, 2)
    }

    fn apart(
        system: &'a BitSystem,
        choice: Diagrams,
        roots: &[Lit],
        stop: &Stop,
        stride: u32,
    ) -> Result<Space<'a>, Stopped> {
        let order = order(system, choice.order, roots);
        let mut level = vec![u32::MAX; system.num_vars()];
        order.iter().enumerate().for_each(|(place, v)| level[v.index()] = place as u32 * stride);
        let bdds = Bdds::new(order.len() * stride as usize, choice.nodes, stop)?;
        bdds.sift(stride);
        Ok(Space { system, bdds, order, level, stride })
    }

    pub fn level(&self, var: Var) -> u32 {
        self.level[var.index()]
    }

    /// What a level decides.
    pub fn variable(&self, level: u32) -> Var {
        self.order[(level / self.stride) as usize]
    }

    pub fn latch_level(&self, latch: LatchId) -> u32 {
        self.level(self.system.latch_lit(latch).var())
    }

    /// Where the next value of a latch has its place, in a space that has one.
    pub fn next_level(&self, latch: LatchId) -> u32 {
        self.latch_level(latch) + 1
    }

    /// The levels of all inputs and latches.
    pub fn levels(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.order.len() as u32).map(|place| place * self.stride)
    }

    /// The product in literals of the system.
    pub fn literals(&self, product: &Product) -> Vec<Lit> {
        product.iter().map(|&(level, value)| self.variable(level).lit() ^ !value).collect()
    }

    /// The other way round.
    pub fn product(&self, cube: &[Lit]) -> Result<Bdd, Stopped> {
        self.bdds.product(cube.iter().map(|l| (self.level(l.var()), !l.is_negated())))
    }

    /// A proof by the invariant that excludes all states of `lower` and none outside of `upper`.
    pub fn proof(&self, property: PropertyId, lower: &Bdd, upper: &Bdd) -> Result<Verdict, Stopped> {
        Ok(match self.excluding(lower, upper)? {
            Ok(clauses) => Verdict::Safe(Proof::inductive(property, clauses)),
            Err(count) => incomplete(&format!("its invariant would take {count} clauses")),
        })
    }

    /// Some set that contains `least` and is contained in `most`, in clauses.
    pub fn between(&self, least: &Bdd, most: &Bdd) -> Result<Result<Vec<Clause>, u128>, Stopped> {
        self.excluding(&self.bdds.not(most)?, &self.bdds.not(least)?)
    }

    /// An irredundant cover by cubes of `lower` and of nothing outside of `upper`, negated; or how many clauses that
    /// would be.
    fn excluding(&self, lower: &Bdd, upper: &Bdd) -> Result<Result<Vec<Clause>, u128>, Stopped> {
        let clause = |p: &Product| Clause::new(self.literals(p).into_iter().map(|l| !l));
        let cover = self.bdds.cover(lower, upper, CLAUSES)?;
        Ok(cover.map(|products| products.iter().map(clause).collect()))
    }

    /// The functions of these literals. A gate's function is dropped when the last that reads it is made.
    pub fn functions(&self, roots: &[Lit]) -> Result<Vec<Bdd>, Stopped> {
        let mut marked = vec![false; self.system.num_vars()];
        self.system.mark_cone(roots.iter().copied(), &mut marked);
        let mut readers = vec![0u32; self.system.num_vars()];
        roots.iter().for_each(|root| readers[root.var().index()] += 1);
        let first = self.system.first_gate();
        let gates = || self.system.gates().iter().enumerate().filter(|(g, _)| marked[first + g]);
        gates().flat_map(|(_, operands)| operands).for_each(|lit| readers[lit.var().index()] += 1);
        let mut made: Vec<Option<Bdd>> = vec![None; self.system.num_vars()];
        for (g, &[a, b]) in gates() {
            let gate = self.bdds.and(&self.read(a, &made)?, &self.read(b, &made)?)?;
            made[first + g] = Some(gate);
            for operand in [a, b].map(|lit| lit.var().index()) {
                readers[operand] -= 1;
                if readers[operand] == 0 {
                    made[operand] = None;
                }
            }
        }
        roots.iter().map(|&root| self.read(root, &made)).collect()
    }

    fn read(&self, lit: Lit, made: &[Option<Bdd>]) -> Result<Bdd, Stopped> {
        let var = lit.var();
        let f = match self.system.node(var) {
            Node::Constant => self.bdds.constant(false),
            Node::Input(_) | Node::Latch(_) => self.bdds.variable(self.level(var)),
            Node::Gate(..) => made[var.index()].clone().expect("made before, and still to be read"),
        };
        if lit.is_negated() { self.bdds.not(&f) } else { Ok(f) }
    }

    pub fn conjunction(&self, lits: &[Lit]) -> Result<Bdd, Stopped> {
        let functions = self.functions(lits)?;
        functions.iter().try_fold(self.bdds.constant(true), |all, f| self.bdds.and(&all, f))
    }

    /// R(x,i): each latch has the value of its reset, unless that is itself.
    pub fn resets(&self) -> Result<Bdd, Stopped> {
        let system = self.system;
        let set: Vec<LatchId> =
            system.latches().filter(|&l| system.latch(l).reset != system.latch_lit(l)).collect();
        let (constant, functional): (Vec<LatchId>, Vec<LatchId>) =
            set.into_iter().partition(|&l| system.latch(l).reset.is_constant());
        let literal = |l: &LatchId| (self.latch_level(*l), system.latch(*l).reset == Lit::TRUE);
        let mut start = self.bdds.product(constant.iter().map(literal))?;
        let resets: Vec<Lit> = functional.iter().map(|&l| system.latch(l).reset).collect();
        for (latch, reset) in functional.iter().zip(self.functions(&resets)?) {
            let own = self.bdds.variable(self.latch_level(*latch));
            start = self.bdds.and(&start, &self.bdds.equal(&own, &reset)?)?;
        }
        Ok(start)
    }
}
