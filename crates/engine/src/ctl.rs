//! Fair computation tree logic with decision diagrams (Burch, Clarke, McMillan, Dill & Hwang, "Symbolic model checking: 10²⁰
//! states and beyond", 1992; fairness as Emerson & Lei, "Modalities for model checking", 1987).
//!
//! The states of each node of a formula, from its leaves up:
//!
//! ```text
//! pre(S)    = ∃i,r'. C(x,r,i) ∧ S(F(x,r,i), r')         r are the inputs that belong to a state, i all others
//! EX a      = pre(a ∧ fair)
//! E a U b   = μS. (b ∧ fair) ∨ (a ∧ pre(S))
//! EG a      = νZ. a ∧ ⋀_q E Z U (Z ∧ pre_q(Z))          pre_q: by a step that has the signal q
//! fair      = EG true
//! ```
//!
//! All iterates are kept: from below they are the ranks by which a check follows a path to its end, from above the order in which
//! it excludes states ([`TreeSets`]). Only what the answer rests on becomes a circuit: from below for a formula that holds,
//! from above for one that does not, the other way round under each negation.
//!
//! Limits: those of [decision diagrams](crate::diagrams), and states that are not reached are not left out.

use std::collections::HashMap;
use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_solve::bdd::{Bdd, Substitution, Variables};
use buttress_system::ctl::{
    Bounds, Branching, Ctl, Lower, NodeId, Refuted, Remark, Satisfied, Says, Shrink, TreeSets, Upper,
};
use buttress_system::evidence::{evaluate, value};
use buttress_system::{BitSystem, LatchId, Lit, Node, PropertyId, Ternary, Trace, Var, Verdict};

use crate::diagrams::{Diagrams, Space};
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
        let verdict = job.settings.diagrams.with_enough_nodes(|choice| decide(job, property, choice))?;
        if let Some(verdict) = verdict {
            job.desk.decide(property, verdict);
        }
    }
    Ok(())
}

fn decide(
    job: &Job<'_, Branching>,
    property: PropertyId,
    choice: Diagrams,
) -> Result<Option<Answer>, Stopped> {
    let mut tree = Tree::new(job, property, choice)?;
    tree.compute()?;
    if job.desk.is_decided(property) {
        return Ok(None);
    }
    let formula = tree.formula;
    let root = tree.states(formula.root());
    let bdds = &tree.space.bdds;
    let wrong = bdds.minus(&bdds.and(&tree.start, &tree.fair.states)?, &root)?;
    let Some(first) = wrong.implicant() else {
        let sets = Arc::new(tree.sets(true)?);
        return Ok(Some(tree.worth(Verdict::Safe(Satisfied { properties: vec![property], sets }))));
    };
    let (path, remarks) = tree.path(&first)?;
    let sets = Arc::new(tree.sets(false)?);
    Ok(Some(tree.worth(Verdict::Unsafe(Refuted { property, sets, path, remarks }))))
}

/// The states of a temporal node, and how they were found.
struct Found {
    states: Bdd,
    way: Way,
}

enum Way {
    Next,
    /// Growing, the last are the states.
    Until(Vec<Bdd>),
    /// Shrinking to the states; and for each signal growing to them.
    Always {
        shrinks: Vec<(Bdd, usize)>,
        rings: Vec<Vec<Bdd>>,
    },
}

struct Tree<'a> {
    job: &'a Job<'a, Branching>,
    system: &'a BitSystem,
    formula: &'a Ctl<Lit>,
    space: Space<'a>,
    /// Inputs that belong to a state.
    read: Vec<bool>,
    own: Variables,
    others: Variables,
    next: Vec<(LatchId, Bdd)>,
    step: Substitution,
    constraints: Bdd,
    /// C(x,i) ∧ R(x,i)
    start: Bdd,
    recurring: Vec<Bdd>,
    signals: HashMap<Lit, Bdd>,
    fair: Found,
    plain: Vec<Bdd>,
    temporal: HashMap<NodeId, Found>,
    gates: Gates,
}

/// A circuit on its way.
struct Gates {
    first: usize,
    gates: Vec<[Lit; 2]>,
    known: HashMap<[Lit; 2], Lit>,
    of_sets: HashMap<Bdd, Lit>,
}

impl<'a> Tree<'a> {
    fn new(job: &'a Job<'a, Branching>, property: PropertyId, choice: Diagrams) -> Result<Tree<'a>, Stopped> {
        let branching = job.system;
        let system = &*branching.system;
        let formula = &branching.formulas[property.index()];
        let recurring = branching.recurring();
        let mut roots: Vec<Lit> = formula.signals().collect();
        roots.extend(&system.constraints);
        roots.extend(&recurring);
        let space = Space::new(system, choice, &roots, job.stop)?;
        let read = branching.read(property.index());
        let levels = |wanted: bool| {
            let of = system.inputs().filter(|i| read[i.index()] == wanted);
            of.map(|i| space.level(system.input_lit(i).var())).collect::<Vec<u32>>()
        };
        let (own, others) = (space.bdds.variables(levels(true))?, space.bdds.variables(levels(false))?);
        let cone = system.closure(roots.iter().copied());
        let latches: Vec<LatchId> =
            system.latches().filter(|&l| cone[system.latch_lit(l).var().index()]).collect();
        let functions =
            space.functions(&latches.iter().map(|&l| system.latch(l).next).collect::<Vec<_>>())?;
        let next: Vec<(LatchId, Bdd)> = latches.into_iter().zip(functions).collect();
        let step = substitution(&space, &next);
        let constraints = space.conjunction(&system.constraints)?;
        let start = space.bdds.and(&space.resets()?, &constraints)?;
        let atoms: Vec<Lit> = formula.signals().collect();
        let signals = atoms.iter().copied().zip(space.functions(&atoms)?).collect();
        let recurring = space.functions(&recurring)?;
        let yes = space.bdds.constant(true);
        let fair = Found { states: yes, way: Way::Next };
        let gates = Gates {
            first: system.first_gate(),
            gates: Vec::new(),
            known: HashMap::new(),
            of_sets: HashMap::new(),
        };
        Ok(Tree {
            job,
            system,
            formula,
            space,
            read,
            own,
            others,
            next,
            step,
            constraints,
            start,
            recurring,
            signals,
            fair,
            plain: Vec::new(),
            temporal: HashMap::new(),
            gates,
        })
    }

    /// The states of each node.
    fn compute(&mut self) -> Result<(), Stopped> {
        if !self.job.system.is_free() {
            let yes = self.space.bdds.constant(true);
            self.fair = self.always(&yes)?;
        }
        for node in self.formula.node_ids() {
            let bdds = &self.space.bdds;
            let states = match self.formula.says(node) {
                Says::Constant(value) => bdds.constant(value),
                Says::Signal(signal) => self.signals[&signal].clone(),
                Says::Not(a) => bdds.not(&self.states(a))?,
                Says::And(a, b) => bdds.and(&self.states(a), &self.states(b))?,
                Says::Next(a) => {
                    let states = self.before(&bdds.and(&self.states(a), &self.fair.states)?, None)?;
                    self.found(node, Found { states, way: Way::Next })
                }
                Says::Until(a, b) => {
                    let end = bdds.and(&self.states(b), &self.fair.states)?;
                    let rings = self.until(&self.states(a), end)?;
                    let states = rings[rings.len() - 1].clone();
                    self.found(node, Found { states, way: Way::Until(rings) })
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

    fn found(&mut self, node: NodeId, found: Found) -> Bdd {
        let states = found.states.clone();
        self.temporal.insert(node, found);
        states
    }

    fn states(&self, node: NodeId) -> Bdd {
        self.plain[node.index()].clone()
    }

    /// From where a step leads to these states, one that has the signal where it is given.
    fn before(&self, states: &Bdd, signal: Option<&Bdd>) -> Result<Bdd, Stopped> {
        let bdds = &self.space.bdds;
        let after = bdds.compose(&bdds.exists(states, &self.own)?, &self.step)?;
        let after = match signal {
            Some(signal) => bdds.and(&after, signal)?,
            None => after,
        };
        let from = bdds.and_exists(&after, &self.constraints, &self.others)?;
        self.job.desk.progress(Progress { size: bdds.nodes() as u64, open: 1, ..Progress::default() });
        Ok(from)
    }

    /// Growing sets from `end` on, within `held`.
    fn until(&self, held: &Bdd, end: Bdd) -> Result<Vec<Bdd>, Stopped> {
        let bdds = &self.space.bdds;
        let (mut rings, mut new) = (vec![end.clone()], end);
        loop {
            let before = bdds.and(held, &self.before(&new, None)?)?;
            let last = &rings[rings.len() - 1];
            new = bdds.minus(&before, last)?;
            if new.constant() == Some(false) {
                return Ok(rings);
            }
            let all = bdds.or(last, &new)?;
            rings.push(all);
        }
    }

    fn always(&self, held: &Bdd) -> Result<Found, Stopped> {
        let bdds = &self.space.bdds;
        let (mut states, mut shrinks) = (held.clone(), Vec::new());
        loop {
            let (before, mut rings) = (states.clone(), Vec::new());
            for (number, signal) in self.recurring.iter().enumerate() {
                let met = bdds.and(&states, &self.before(&states, Some(signal))?)?;
                let grown = self.until(&states, met)?;
                let last = grown[grown.len() - 1].clone();
                if last != states {
                    shrinks.push((last.clone(), number));
                    states = last;
                }
                rings.push(grown);
            }
            if states == before {
                return Ok(Found { states, way: Way::Always { shrinks, rings } });
            }
        }
    }

    /// What the answer rests on, as circuits.
    fn sets(&mut self, holds: bool) -> Result<TreeSets, Stopped> {
        let formula = self.formula;
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
        let mut nodes = vec![Bounds::default(); wanted.len()];
        let temporal = std::mem::take(&mut self.temporal);
        for (node, found) in &temporal {
            nodes[node.index()] = self.bounds(found, wanted[node.index()])?;
        }
        self.temporal = temporal;
        let none = Found { states: self.space.bdds.constant(true), way: Way::Next };
        let found = std::mem::replace(&mut self.fair, none);
        let is_free = self.job.system.is_free();
        let fair = if is_free { Bounds::default() } else { self.bounds(&found, fair)? };
        self.fair = found;
        let gates = std::mem::take(&mut self.gates.gates);
        Ok(TreeSets { gates, invariant: Lit::TRUE, fair, nodes })
    }

    fn bounds(&mut self, found: &Found, [upper, lower]: [bool; 2]) -> Result<Bounds, Stopped> {
        let set = self.circuit(&found.states)?;
        let mut bounds = Bounds::default();
        match &found.way {
            Way::Next => {
                bounds.lower = lower.then_some(Lower::Next(set));
                bounds.upper = upper.then_some(Upper::Next(set));
            }
            Way::Until(rings) => {
                if lower {
                    bounds.lower = Some(Lower::Until(self.circuits(rings)?));
                }
                bounds.upper = upper.then_some(Upper::Until(set));
            }
            Way::Always { shrinks, rings } => {
                if lower {
                    let rings = rings.iter().map(|rings| self.circuits(rings)).collect::<Result<_, _>>()?;
                    bounds.lower = Some(Lower::Always { set, rings });
                }
                if upper {
                    let shrink =
                        |(to, signal): &(Bdd, usize)| Ok(Shrink { to: self.circuit(to)?, signal: *signal });
                    bounds.upper = Some(Upper::Always(shrinks.iter().map(shrink).collect::<Result<_, _>>()?));
                }
            }
        }
        Ok(bounds)
    }

    fn circuits(&mut self, sets: &[Bdd]) -> Result<Vec<Lit>, Stopped> {
        sets.iter().map(|set| self.circuit(set)).collect()
    }

    fn circuit(&mut self, set: &Bdd) -> Result<Lit, Stopped> {
        if let Some(value) = set.constant() {
            return Ok(Lit::constant(value));
        }
        if let Some(&known) = self.gates.of_sets.get(set) {
            return Ok(known);
        }
        let negated = self.space.bdds.not(set)?;
        if let Some(&known) = self.gates.of_sets.get(&negated) {
            return Ok(!known);
        }
        let (level, [zero, one]) = set.split().expect("it is no constant");
        let (zero, one) = (self.circuit(&zero)?, self.circuit(&one)?);
        let decides = self.space.variable(level).lit();
        let made = self.gates.choose(decides, one, zero);
        self.gates.of_sets.insert(set.clone(), made);
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
    fn path(&self, first: &[(u32, bool)]) -> Result<(Trace, Vec<Remark>), Stopped> {
        let mut point = Point::new(self.system);
        point.set(self.system, &self.space.literals(&first.to_vec()));
        let initial = point.latches.clone();
        let (mut inputs, mut remarks) = (vec![point.inputs.clone()], Vec::new());
        let (mut node, mut holds) = (self.formula.root(), false);
        loop {
            match (self.formula.says(node), holds) {
                (Says::Not(a), _) => (node, holds) = (a, !holds),
                (Says::And(a, b), false) => node = if self.is_in(&self.states(a), &point)? { b } else { a },
                (Says::And(a, b), true) => node = if self.formula.says(a).is_temporal() { a } else { b },
                (Says::Next(a), true) => {
                    self.remark(&mut remarks, &inputs, node, true);
                    let target = self.space.bdds.and(&self.states(a), &self.fair.states)?;
                    self.go(&mut point, &mut inputs, &target)?;
                    node = a;
                }
                (Says::Until(_, b), true) => {
                    self.remark(&mut remarks, &inputs, node, true);
                    let Some(Found { way: Way::Until(rings), .. }) = self.temporal.get(&node) else {
                        unreachable!("each EU has its rings")
                    };
                    let mut here = 0;
                    while !self.is_in(&rings[here], &point)? {
                        here += 1;
                    }
                    for ring in rings[..here].iter().rev() {
                        // Some lie in a smaller ring already.
                        if !self.is_in(&rings[0], &point)? {
                            self.go(&mut point, &mut inputs, ring)?;
                        }
                    }
                    node = b;
                }
                (Says::Next(_) | Says::Until(..) | Says::Always(_), _) => {
                    self.remark(&mut remarks, &inputs, node, holds);
                    break;
                }
                (Says::Constant(_) | Says::Signal(_), _) => break,
            }
        }
        let row = |values: &Vec<bool>| values.iter().map(|&v| Ternary::from(v)).collect::<Vec<_>>();
        let (initial, inputs) = (row(&initial), inputs.iter().map(row).collect());
        Ok((Trace { property: PropertyId::new(0), initial, inputs }, remarks))
    }

    fn remark(&self, remarks: &mut Vec<Remark>, inputs: &[Vec<bool>], node: NodeId, holds: bool) {
        remarks.push(Remark { step: inputs.len() - 1, node, holds });
    }

    /// The state of a point, as a product.
    fn state(&self, point: &Point) -> Result<Bdd, Stopped> {
        let system = self.system;
        let latches = system.latches().map(|l| (self.space.latch_level(l), point.latches[l.index()]));
        let read = system.inputs().filter(|i| self.read[i.index()]);
        let read = read.map(|i| (self.space.level(system.input_lit(i).var()), point.inputs[i.index()]));
        self.space.bdds.product(latches.chain(read))
    }

    fn is_in(&self, states: &Bdd, point: &Point) -> Result<bool, Stopped> {
        Ok(self.space.bdds.restrict(states, &self.state(point)?)?.constant() == Some(true))
    }

    /// A step to one of these states: the last inputs are chosen anew for it, and those of the next step so that
    /// constraints hold.
    fn go(&self, point: &mut Point, inputs: &mut Vec<Vec<bool>>, target: &Bdd) -> Result<(), Stopped> {
        let bdds = &self.space.bdds;
        let here = self.state(point)?;
        let restricted: Result<Vec<(LatchId, Bdd)>, Stopped> =
            self.next.iter().map(|(l, f)| Ok((*l, bdds.restrict(f, &here)?))).collect();
        let step = substitution(&self.space, &restricted?);
        let after = bdds.compose(&bdds.exists(target, &self.own)?, &step)?;
        let choice = bdds.and(&after, &bdds.restrict(&self.constraints, &here)?)?;
        let choice = choice.implicant().expect("a step leads there");
        point.choose(self.system, &self.read, false, &self.space.literals(&choice));
        *inputs.last_mut().expect("one row") = point.inputs.clone();
        let values = evaluate(self.system, &known(&point.latches), &known(&point.inputs));
        let next = |l: LatchId| value(&values, self.system.latch(l).next) == Ternary::One;
        point.latches = self.system.latches().map(next).collect();
        let levels = self.system.latches().map(|l| (self.space.latch_level(l), point.latches[l.index()]));
        let there = bdds.product(levels)?;
        let going_on = bdds.and(&self.constraints, &self.before_all(target)?)?;
        let arrived = bdds.restrict(&going_on, &there)?;
        let row = arrived.implicant().expect("fair states go on");
        point.inputs = vec![false; point.inputs.len()];
        point.set(self.system, &self.space.literals(&row));
        inputs.push(point.inputs.clone());
        Ok(())
    }

    /// Where a path may stand: in the states, with whatever inputs.
    fn before_all(&self, target: &Bdd) -> Result<Bdd, Stopped> {
        self.space.bdds.and(target, &self.fair.states)
    }
}

impl Gates {
    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a.min(b), a.max(b)) {
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, other) => other,
            (a, b) if a == b => a,
            (a, b) if a == !b => Lit::FALSE,
            (a, b) => *self.known.entry([a, b]).or_insert_with(|| {
                self.gates.push([a, b]);
                Var::new((self.first + self.gates.len() - 1) as u32).lit()
            }),
        }
    }

    /// `decides ? one : zero`
    fn choose(&mut self, decides: Lit, one: Lit, zero: Lit) -> Lit {
        let (with, without) = (self.and(decides, one), self.and(!decides, zero));
        !self.and(!with, !without)
    }
}

/// A state and the inputs of its step.
struct Point {
    latches: Vec<bool>,
    inputs: Vec<bool>,
}

impl Point {
    fn new(system: &BitSystem) -> Point {
        Point { latches: vec![false; system.num_latches()], inputs: vec![false; system.num_inputs()] }
    }

    fn set(&mut self, system: &BitSystem, product: &[Lit]) {
        for lit in product {
            match system.node(lit.var()) {
                Node::Latch(latch) => self.latches[latch.index()] = !lit.is_negated(),
                Node::Input(input) => self.inputs[input.index()] = !lit.is_negated(),
                Node::Constant | Node::Gate(..) => {}
            }
        }
    }

    /// Sets the inputs that belong to a state, or the others, as the product says.
    fn choose(&mut self, system: &BitSystem, read: &[bool], wanted: bool, product: &[Lit]) {
        for lit in product {
            if let Node::Input(input) = system.node(lit.var())
                && read[input.index()] == wanted
            {
                self.inputs[input.index()] = !lit.is_negated();
            }
        }
    }
}

fn known(values: &[bool]) -> Vec<Ternary> {
    values.iter().map(|&v| Ternary::from(v)).collect()
}

fn substitution(space: &Space<'_>, next: &[(LatchId, Bdd)]) -> Substitution {
    space.bdds.substitution(next.iter().map(|(l, f)| (space.latch_level(*l), f.clone())))
}
