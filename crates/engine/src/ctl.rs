//! Fair computation tree logic with decision diagrams (Burch, Clarke, McMillan, Dill & Hwang, "Symbolic model
//! checking: 10²⁰ states and beyond", 1992; fairness as Emerson & Lei, "Modalities for model checking", 1987).
//!
//! The states of each node of a formula, from its leaves up, among those that are reached:
//!
//! ```text
//! pre(S)    = ∃i,r'. C(x,r,i) ∧ S(F(x,r,i), r')         r are the inputs that belong to a state, i all others
//! EX a      = pre(a ∧ fair)
//! E a U b   = μS. (b ∧ fair) ∨ (a ∧ pre(S))
//! EG a      = νZ. a ∧ ⋀_q E Z U (Z ∧ pre_q(Z))          pre_q: by a step that has the signal q
//! fair      = EG true
//! ```
//!
//! All iterates are kept: from below they are the ranks by which a check follows a path to its end, from above the
//! order in which it excludes states ([`TreeSets`]). Only what the answer rests on becomes a circuit: from below
//! for a formula that holds, from above for one that does not, the other way round under each negation.
//!
//! Limits: those of [decision diagrams](crate::diagrams).

use std::collections::HashMap;
use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_solve::bdd::Bdd;
use buttress_system::ctl::{
    Bounds, Branching, Ctl, Lower, NodeId, Refuted, Remark, Satisfied, Says, Shrink, TreeSets, Upper,
};
use buttress_system::{Lit, PropertyId, Trace, Verdict};

use crate::circuit::Circuit;
use crate::diagrams::{Hull, Moves, Point, Scope, Try, in_tries, known};
use crate::{Job, Progress, incomplete};

/// The verdict about a formula.
type Answer = Verdict<Satisfied, Refuted>;

/// Gates of all sets together: more are not worth checking.
const MOST_GATES: usize = 4_000_000;

/// Decides the formulas one after the other, each with diagrams of its own.
pub(crate) fn trees(job: &Job<'_, Branching>) -> Result<(), Stopped> {
    for &property in &job.properties {
        if job.desk.is_decided(property) {
            continue;
        }
        let verdict = in_tries(job.settings.diagrams, |way| decide(job, property, way))?;
        if let Some(verdict) = verdict.unwrap_or_else(|why| Some(incomplete(&why))) {
            job.desk.decide(property, verdict);
        }
    }
    Ok(())
}

fn decide(job: &Job<'_, Branching>, property: PropertyId, way: Try) -> Result<Option<Answer>, Stopped> {
    let told = |nodes: usize| {
        job.desk.progress(Progress { size: nodes as u64, open: 1, ..Progress::default() });
    };
    let mut tree = Tree::new(job, property, way, &told)?;
    tree.moves.reach()?;
    tree.compute()?;
    if job.desk.is_decided(property) {
        return Ok(None);
    }
    let formula = tree.formula;
    let root = tree.states(formula.root());
    let bdds = &tree.moves.space.bdds;
    let wrong = bdds.minus(&bdds.and(&tree.moves.start, &tree.fair.states)?, &root)?;
    let Some(first) = tree.moves.point(&wrong) else {
        let sets = Arc::new(tree.sets(true)?);
        return Ok(Some(tree.worth(Verdict::Safe(Satisfied { properties: vec![property], sets }))));
    };
    let (path, remarks) = tree.path(first)?;
    let sets = Arc::new(tree.sets(false)?);
    Ok(Some(tree.worth(Verdict::Unsafe(Refuted { property, sets, path, remarks }))))
}

/// Which bounds an answer rests on, of each node and of fairness: those from above, those from below.
pub(crate) fn wanted(formula: &Ctl<Lit>, holds: bool) -> (Vec<[bool; 2]>, [bool; 2]) {
    let mut wanted = vec![[false; 2]; formula.nodes().len()];
    wanted[formula.root().index()][usize::from(holds)] = true;
    // At the start it is said from the other side where fair paths begin.
    let mut fair = [false; 2];
    fair[usize::from(!holds)] = true;
    for node in formula.node_ids().rev() {
        let says = formula.says(node);
        for lower in [false, true] {
            if wanted[node.index()][usize::from(lower)] {
                let side = usize::from(lower != matches!(says, Says::Not(_)));
                says.operands().for_each(|o| wanted[o.index()][side] = true);
                fair[usize::from(lower)] |= matches!(says, Says::Next(_) | Says::Until(..));
            }
        }
    }
    (wanted, fair)
}

/// The states of a temporal node, and how they were found.
struct Denoted {
    states: Bdd,
    way: Way,
}

enum Way {
    Next,
    /// Growing, the last are the states.
    Until(Vec<Bdd>),
    Always(Hull),
}

struct Tree<'a> {
    job: &'a Job<'a, Branching>,
    formula: &'a Ctl<Lit>,
    moves: Moves<'a>,
    signals: HashMap<Lit, Bdd>,
    fair: Denoted,
    plain: Vec<Bdd>,
    temporal: HashMap<NodeId, Denoted>,
    circuit: Circuit,
    /// The circuits of diagrams.
    of_sets: HashMap<Bdd, Lit>,
}

impl<'a> Tree<'a> {
    fn new(
        job: &'a Job<'a, Branching>,
        property: PropertyId,
        way: Try,
        told: &'a dyn Fn(usize),
    ) -> Result<Tree<'a>, Stopped> {
        let branching = job.system;
        let system = &*branching.system;
        let formula = &branching.formulas[property.index()];
        let atoms: Vec<Lit> = formula.signals().collect();
        let read = branching.read(property.index());
        let scope = Scope { system, roots: atoms.clone(), recurring: branching.recurring(), read };
        let moves = Moves::new(scope, way, told, job.stop)?;
        let signals = atoms.iter().copied().zip(moves.space.functions(&atoms)?).collect();
        let fair = Denoted { states: moves.space.bdds.constant(true), way: Way::Next };
        let (circuit, of_sets) = (Circuit::new(system.first_gate()), HashMap::new());
        let (plain, temporal) = (Vec::new(), HashMap::new());
        Ok(Tree { job, formula, moves, signals, fair, plain, temporal, circuit, of_sets })
    }

    /// The states of each node.
    fn compute(&mut self) -> Result<(), Stopped> {
        if !self.job.system.is_free() {
            let yes = self.moves.space.bdds.constant(true);
            self.fair = self.always(&yes)?;
        }
        for node in self.formula.node_ids() {
            let bdds = &self.moves.space.bdds;
            let states = match self.formula.says(node) {
                Says::Constant(value) => bdds.constant(value),
                Says::Signal(signal) => self.signals[&signal].clone(),
                Says::Not(a) => bdds.not(&self.states(a))?,
                Says::And(a, b) => bdds.and(&self.states(a), &self.states(b))?,
                Says::Next(a) => {
                    let states = self.moves.before(&bdds.and(&self.states(a), &self.fair.states)?, None)?;
                    self.found(node, Denoted { states, way: Way::Next })
                }
                Says::Until(a, b) => {
                    let end = bdds.and(&self.states(b), &self.fair.states)?;
                    let rings = self.moves.until(&self.states(a), &end)?;
                    let states = rings[rings.len() - 1].clone();
                    self.found(node, Denoted { states, way: Way::Until(rings) })
                }
                Says::Always(a) => {
                    let found = self.always(&self.states(a))?;
                    self.found(node, found)
                }
            };
            self.plain.push(states);
        }
        Ok(())
    }

    fn found(&mut self, node: NodeId, found: Denoted) -> Bdd {
        let states = found.states.clone();
        self.temporal.insert(node, found);
        states
    }

    fn states(&self, node: NodeId) -> Bdd {
        self.plain[node.index()].clone()
    }

    fn always(&self, held: &Bdd) -> Result<Denoted, Stopped> {
        let hull = self.moves.hull(held)?;
        Ok(Denoted { states: hull.states.clone(), way: Way::Always(hull) })
    }

    /// What the answer rests on, as circuits.
    fn sets(&mut self, holds: bool) -> Result<TreeSets, Stopped> {
        let (wanted, fair) = wanted(self.formula, holds);
        let mut nodes = vec![Bounds::default(); wanted.len()];
        let temporal = std::mem::take(&mut self.temporal);
        for (node, found) in &temporal {
            nodes[node.index()] = self.bounds(found, wanted[node.index()])?;
        }
        self.temporal = temporal;
        let none = Denoted { states: self.moves.space.bdds.constant(true), way: Way::Next };
        let found = std::mem::replace(&mut self.fair, none);
        let invariant = self.circuit(&self.moves.reached.clone())?;
        let is_free = self.job.system.is_free();
        let fair = if is_free { Bounds::default() } else { self.bounds(&found, fair)? };
        self.fair = found;
        let gates = std::mem::take(&mut self.circuit.gates);
        Ok(TreeSets { gates, invariant, fair, nodes })
    }

    fn bounds(&mut self, found: &Denoted, [upper, lower]: [bool; 2]) -> Result<Bounds, Stopped> {
        let set = self.set(&found.states)?;
        let mut bounds = Bounds::default();
        match &found.way {
            Way::Next => {
                bounds.lower = lower.then_some(Lower::Next(set));
                bounds.upper = upper.then_some(Upper::Next(set));
            }
            Way::Until(rings) => {
                if lower {
                    bounds.lower = Some(Lower::Until(self.sets_of(rings)?));
                }
                bounds.upper = upper.then_some(Upper::Until(set));
            }
            Way::Always(Hull { shrinks, rings, .. }) => {
                if lower {
                    let rings = rings.iter().map(|rings| self.sets_of(rings)).collect::<Result<_, _>>()?;
                    bounds.lower = Some(Lower::Always { set, rings });
                }
                if upper {
                    let shrink =
                        |(to, signal): &(Bdd, usize)| Ok(Shrink { to: self.set(to)?, signal: *signal });
                    bounds.upper = Some(Upper::Always(shrinks.iter().map(shrink).collect::<Result<_, _>>()?));
                }
            }
        }
        Ok(bounds)
    }

    fn sets_of(&mut self, sets: &[Bdd]) -> Result<Vec<Lit>, Stopped> {
        sets.iter().map(|set| self.set(set)).collect()
    }

    /// A set as a circuit, which may be any where states are not reached.
    fn set(&mut self, set: &Bdd) -> Result<Lit, Stopped> {
        let simple = self.moves.space.bdds.simplify(set, &self.moves.reached)?;
        self.circuit(&simple)
    }

    fn circuit(&mut self, set: &Bdd) -> Result<Lit, Stopped> {
        if let Some(value) = set.constant() {
            return Ok(Lit::constant(value));
        }
        if let Some(&known) = self.of_sets.get(set) {
            return Ok(known);
        }
        let negated = self.moves.space.bdds.not(set)?;
        if let Some(&known) = self.of_sets.get(&negated) {
            return Ok(!known);
        }
        let (level, [zero, one]) = set.split().expect("it is no constant");
        let (zero, one) = (self.circuit(&zero)?, self.circuit(&one)?);
        let decides = self.moves.space.variable(level).lit();
        let made = self.circuit.choose(decides, one, zero);
        self.of_sets.insert(set.clone(), made);
        Ok(made)
    }

    /// The verdict, unless nobody could check it.
    fn worth(&self, verdict: Answer) -> Answer {
        let sets = match &verdict {
            Verdict::Safe(proof) => &proof.sets,
            Verdict::Unsafe(refuted) => &refuted.sets,
            _ => return verdict,
        };
        match sets.gates.len() {
            count if count > MOST_GATES => incomplete(&format!("its sets would take {count} gates")),
            _ => verdict,
        }
    }

    /// From a start at which the formula fails to where the reason is plain.
    fn path(&self, first: Point) -> Result<(Trace, Vec<Remark>), Stopped> {
        let initial = known(&first.latches);
        let (mut path, mut remarks) = (Path { point: first, inputs: Vec::new() }, Vec::new());
        let (mut node, mut holds) = (self.formula.root(), false);
        let remark = |remarks: &mut Vec<Remark>, path: &Path, node, holds| {
            remarks.push(Remark { step: path.inputs.len(), node, holds });
        };
        loop {
            match (self.formula.says(node), holds) {
                (Says::Not(a), _) => (node, holds) = (a, !holds),
                (Says::And(a, b), false) => {
                    node = if self.moves.is_in(&self.states(a), &path.point)? { b } else { a };
                }
                (Says::And(a, b), true) => node = if self.formula.says(a).is_temporal() { a } else { b },
                (Says::Next(a), true) => {
                    remark(&mut remarks, &path, node, true);
                    let target = self.moves.space.bdds.and(&self.states(a), &self.fair.states)?;
                    path.go(&self.moves, &target)?;
                    node = a;
                }
                (Says::Until(_, b), true) => {
                    remark(&mut remarks, &path, node, true);
                    let Some(Denoted { way: Way::Until(rings), .. }) = self.temporal.get(&node) else {
                        unreachable!("each EU has its rings")
                    };
                    // A step may lead further in than to the next ring.
                    while let ring @ 1.. = self.moves.ring_of(rings, &path.point)? {
                        path.go(&self.moves, &rings[ring - 1])?;
                    }
                    node = b;
                }
                (Says::Next(_) | Says::Until(..) | Says::Always(_), _) => {
                    remark(&mut remarks, &path, node, holds);
                    break;
                }
                (Says::Constant(_) | Says::Signal(_), _) => break,
            }
        }
        path.inputs.push(path.point.inputs);
        let inputs = path.inputs.iter().map(|row| known(row)).collect();
        Ok((Trace { property: PropertyId::new(0), initial, inputs }, remarks))
    }
}

/// The inputs of the steps that were taken, and where they led.
struct Path {
    point: Point,
    inputs: Vec<Vec<bool>>,
}

impl Path {
    fn go(&mut self, moves: &Moves<'_>, target: &Bdd) -> Result<(), Stopped> {
        let (inputs, after) = moves.go(&self.point, target, None)?;
        self.inputs.push(inputs);
        self.point = after;
        Ok(())
    }
}
