//! Formulas of temporal logic on small random systems, against graphs that are listed.
//!
//! The reference is the classical tableau, by enumeration (Lichtenstein & Pnueli, POPL 1985): a *view* is a point
//! of the graph with a truth value for each node of the formula; one follows another if the point does and the
//! values fit together, in both directions. The formula is violated if, from a view at the start in which it is
//! false, a component can be reached that an execution can stay in, with each signal of fairness, and of each node
//! `a U b` a view where it is false or `b` true, of each `a R b` one where it is true or `b` false. Nothing here
//! uses formulas of `system`: they are printed, and read by the reader of `format`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use buttress_check::Evidence;
use buttress_driver::{Accepted, Choice, Event, Problem};
use buttress_engine::{Engine, Settings};
use buttress_format::ltl::read;
use buttress_system::{BitSystem, Lasso, Lit, Rng, Ternary};

use crate::drive::{choice, drive};
use crate::live::{self, components};
use crate::reference::Explicit;

/// A node; operands are places of nodes before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Constant(bool),
    /// An input or a latch.
    Variable(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Next(usize),
    Until(usize, usize),
    Release(usize, usize),
    Before(usize),
    BeforeIfAny(usize),
    Since(usize, usize),
    Trigger(usize, usize),
}

/// A formula: its last node is meant.
#[derive(Clone, Debug)]
pub struct Formula {
    nodes: Vec<Node>,
    inputs: usize,
}

/// More make too many views.
const MOST_TEMPORAL: usize = 5;
const DEPTH: usize = 4;

impl Formula {
    /// A formula over the inputs and latches of a system.
    pub fn random(rng: &mut Rng, system: &BitSystem) -> Formula {
        loop {
            let mut formula = Formula { nodes: Vec::new(), inputs: system.num_inputs() };
            formula.grow(rng, system.num_inputs() + system.num_latches(), DEPTH);
            let temporal = formula.temporal().len();
            if (1..=MOST_TEMPORAL).contains(&temporal) {
                return formula;
            }
        }
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn grow(&mut self, rng: &mut Rng, variables: usize, depth: usize) -> usize {
        if depth == 0 || rng.one_in(5) {
            let node = match variables {
                0 => Node::Constant(rng.one_in(2)),
                _ => Node::Variable(rng.below(variables)),
            };
            return self.push(node);
        }
        let a = self.grow(rng, variables, depth - 1);
        let kind = rng.below(16);
        let b = match kind {
            0..3 => a,
            3..7 => self.push(Node::Constant(kind < 5)),
            _ => self.grow(rng, variables, depth - 1),
        };
        let node = match kind {
            0 => Node::Not(a),
            1 => Node::Next(a),
            2 if rng.one_in(2) => Node::Before(a),
            2 => Node::BeforeIfAny(a),
            // F, O with a true left side, G, H with a false one.
            3 => Node::Until(b, a),
            4 => Node::Since(b, a),
            5 => Node::Release(b, a),
            6 => Node::Trigger(b, a),
            7..9 => Node::And(a, b),
            9..11 => Node::Or(a, b),
            11..13 => Node::Until(a, b),
            13 => Node::Release(a, b),
            14 => Node::Since(a, b),
            _ => Node::Trigger(a, b),
        };
        self.push(node)
    }

    fn temporal(&self) -> Vec<usize> {
        let plain = |node: &Node| {
            matches!(
                node,
                Node::Constant(_) | Node::Variable(_) | Node::Not(_) | Node::And(..) | Node::Or(..)
            )
        };
        (0..self.nodes.len()).filter(|&n| !plain(&self.nodes[n])).collect()
    }

    /// All consistent values of the nodes, given those of the variables.
    fn views(&self, variable: &dyn Fn(usize) -> bool) -> Vec<Vec<bool>> {
        let temporal = self.temporal();
        let view = |guess: usize| {
            let mut values: Vec<bool> = Vec::new();
            for (n, node) in self.nodes.iter().enumerate() {
                values.push(match *node {
                    Node::Constant(value) => value,
                    Node::Variable(v) => variable(v),
                    Node::Not(a) => !values[a],
                    Node::And(a, b) => values[a] && values[b],
                    Node::Or(a, b) => values[a] || values[b],
                    _ => guess >> temporal.iter().position(|&t| t == n).expect("it is temporal") & 1 == 1,
                });
            }
            values
        };
        (0..1 << temporal.len()).map(view).collect()
    }

    fn may_start(&self, view: &[bool]) -> bool {
        self.nodes.iter().enumerate().all(|(n, node)| match *node {
            Node::Before(_) => !view[n],
            Node::BeforeIfAny(_) => view[n],
            Node::Since(_, b) | Node::Trigger(_, b) => view[n] == view[b],
            _ => true,
        })
    }

    fn follows(&self, view: &[bool], next: &[bool]) -> bool {
        self.nodes.iter().enumerate().all(|(n, node)| match *node {
            Node::Next(a) => view[n] == next[a],
            Node::Until(a, b) => view[n] == (view[b] || view[a] && next[n]),
            Node::Release(a, b) => view[n] == (view[b] && (view[a] || next[n])),
            Node::Before(a) | Node::BeforeIfAny(a) => next[n] == view[a],
            Node::Since(a, b) => next[n] == (next[b] || next[a] && view[n]),
            Node::Trigger(a, b) => next[n] == (next[b] && (next[a] || view[n])),
            _ => true,
        })
    }

    /// What a component must have: of each node that promises something a view where it is kept.
    fn kept(&self, view: &[bool]) -> usize {
        let kept = |(n, node): (usize, &Node)| match *node {
            Node::Until(_, b) => usize::from(!view[n] || view[b]) << n,
            Node::Release(_, b) => usize::from(view[n] || !view[b]) << n,
            _ => 1 << n,
        };
        self.nodes.iter().enumerate().map(kept).sum()
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts: Vec<String> = Vec::new();
        let is = |n: usize, value: bool| self.nodes[n] == Node::Constant(value);
        for node in &self.nodes {
            let of = |n: usize| &texts[n];
            texts.push(match *node {
                Node::Constant(value) => value.to_string(),
                Node::Variable(v) if v < self.inputs => format!("i{v}"),
                Node::Variable(v) => format!("l{}", v - self.inputs),
                Node::Not(a) => format!("!{}", of(a)),
                Node::And(a, b) => format!("({} & {})", of(a), of(b)),
                Node::Or(a, b) => format!("({} | {})", of(a), of(b)),
                Node::Next(a) => format!("X {}", of(a)),
                Node::Until(a, b) if is(a, true) => format!("F {}", of(b)),
                Node::Until(a, b) => format!("({} U {})", of(a), of(b)),
                Node::Release(a, b) if is(a, false) => format!("G {}", of(b)),
                Node::Release(a, b) => format!("({} R {})", of(a), of(b)),
                Node::Before(a) => format!("Y {}", of(a)),
                Node::BeforeIfAny(a) => format!("Z {}", of(a)),
                Node::Since(a, b) if is(a, true) => format!("O {}", of(b)),
                Node::Since(a, b) => format!("({} S {})", of(a), of(b)),
                Node::Trigger(a, b) if is(a, false) => format!("H {}", of(b)),
                Node::Trigger(a, b) => format!("({} T {})", of(a), of(b)),
            });
        }
        f.write_str(texts.last().map_or("", |text| text))
    }
}

/// A graph of moments: where executions start, what may come next, and what is seen there.
struct Moments<'a> {
    starts: Vec<usize>,
    next: &'a dyn Fn(usize) -> Vec<usize>,
    variable: &'a dyn Fn(usize, usize) -> bool,
    /// Which signals of fairness hold, as bits.
    fair: &'a dyn Fn(usize) -> usize,
    fairness: usize,
}

impl Moments<'_> {
    /// Whether some fair execution violates the formula.
    fn violate(&self, formula: &Formula) -> bool {
        let root = formula.nodes.len() - 1;
        let mut known: std::collections::HashMap<(usize, Vec<bool>), usize> =
            std::collections::HashMap::new();
        let mut views: Vec<(usize, Vec<bool>)> = Vec::new();
        let mut after: Vec<Vec<usize>> = Vec::new();
        let at = |moment: usize| formula.views(&|v| (self.variable)(moment, v));
        let mut number = |view: (usize, Vec<bool>), views: &mut Vec<(usize, Vec<bool>)>| {
            *known.entry(view.clone()).or_insert_with(|| {
                views.push(view);
                views.len() - 1
            })
        };
        for &moment in &self.starts {
            let starts = at(moment).into_iter().filter(|view| formula.may_start(view) && !view[root]);
            for view in starts {
                number((moment, view), &mut views);
            }
        }
        while after.len() < views.len() {
            let (moment, view) = views[after.len()].clone();
            let mut found = Vec::new();
            for next in (self.next)(moment) {
                let fitting = at(next).into_iter().filter(|other| formula.follows(&view, other));
                found.extend(fitting.map(|other| number((next, other), &mut views)));
            }
            after.push(found);
        }
        let points: Vec<usize> = (0..views.len()).collect();
        let wanted = (1usize << formula.nodes.len()) - 1;
        components(&points, &|point| after[point].clone()).iter().any(|component| {
            let stays = component.len() > 1 || after[component[0]].contains(&component[0]);
            let kept = component.iter().fold(0, |kept, &p| kept | formula.kept(&views[p].1));
            let fair = component.iter().fold(0, |fair, &p| fair | (self.fair)(views[p].0));
            stays && kept == wanted && fair == self.fairness
        })
    }
}

/// Whether some fair execution of the system violates the formula.
pub fn is_violated(system: &BitSystem, formula: &Formula) -> bool {
    let graph = Explicit::new(system);
    let rows: Vec<_> = system.fairness.iter().map(|&q| graph.row(q)).collect();
    let fair = |point: usize| {
        rows.iter().enumerate().fold(0, |m, (i, row)| m | usize::from(row.contains(point)) << i)
    };
    let variable = |point: usize, v: usize| match v < system.num_inputs() {
        true => point >> v & 1 == 1,
        false => graph.state(point) >> (v - system.num_inputs()) & 1 == 1,
    };
    let next = |point: usize| {
        graph.points_of(graph.next(point)).filter(|&p| graph.allowed.contains(p)).collect::<Vec<_>>()
    };
    let starts = graph.starts.and(&graph.allowed).iter().collect();
    Moments { starts, next: &next, variable: &variable, fair: &fair, fairness: (1 << rows.len()) - 1 }
        .violate(formula)
}

/// Whether this execution, going round as it says, violates the formula and is fair; that it is one is not asked.
pub fn violates(system: &BitSystem, formula: &Formula, lasso: &Lasso) -> bool {
    let rows = buttress_system::evidence::states(system, &lasso.trace);
    let inputs = &lasso.trace.inputs;
    let variable = |step: usize, v: usize| {
        let value = match v < system.num_inputs() {
            true => inputs[step][v],
            false => rows[step][v - system.num_inputs()],
        };
        value == Ternary::One
    };
    let fair = |step: usize| {
        let values = buttress_system::evidence::evaluate(system, &rows[step], &inputs[step]);
        let holds = |q: Lit| buttress_system::evidence::value(&values, q) == Ternary::One;
        system.fairness.iter().enumerate().fold(0, |m, (i, &q)| m | usize::from(holds(q)) << i)
    };
    let next = |step: usize| vec![if step + 1 < inputs.len() { step + 1 } else { lasso.back }];
    let fairness = (1 << system.fairness.len()) - 1;
    Moments { starts: vec![0], next: &next, variable: &variable, fair: &fair, fairness }.violate(formula)
}

/// The system of a seed, with fairness and constraints as it may be, and no properties; and a formula about it.
pub fn example(seed: u64) -> (BitSystem, Formula) {
    let mut system = live::system(seed);
    system.justice.clear();
    system.outputs.clear();
    let formula = Formula::random(&mut Rng::new(seed ^ 0x6c74_6c00), &system);
    (system, formula)
}

#[derive(Default, Debug)]
pub struct LtlSummary {
    pub hold: usize,
    pub violated: usize,
    pub undecided: usize,
}

/// With the usual engines, or one of these alone.
const ALONE: [&str; 4] = ["bmc", "ic3", "klive", "reach"];
const BOUND: usize = 16;

/// Larger ones have too many views to list.
const MOST_POINTS: usize = 1 << 8;

/// Examines the system of a seed; `Err` says what is wrong.
pub fn examine(seed: u64, limit: Duration, summary: &mut LtlSummary) -> Result<(), String> {
    let (system, formula) = example(seed);
    if 1usize << (system.num_inputs() + system.num_latches()) > MOST_POINTS {
        return Ok(());
    }
    let violated = is_violated(&system, &formula);
    let text = formula.to_string();
    let read = read(&text).map_err(|d| d.render("formula"))?;
    let mut problem = Problem::of_bits(system.clone());
    problem.state(&read, "formula").map_err(|refused| refused.message)?;
    let alone = Engine::by_name(ALONE[seed as usize / 2 % ALONE.len()]).expect("a row of the table");
    let usual = seed.is_multiple_of(2) || violated && alone.name == "klive";
    let settings =
        Settings { bound: if alone.name == "bmc" { BOUND } else { usize::MAX }, ..Settings::default() };
    let choice = if usual { choice(Vec::new()) } else { Choice { settings, ..choice(vec![alone]) } };
    // Resets that read inputs are left to BMC, which proves nothing.
    let must = usual && !live::resets_read_inputs(&system);
    let limit = if must { limit } else { limit.min(Duration::from_secs(1)) };
    let (events, late) = drive(&Arc::new(problem), &choice, Some(limit));
    let about = |what: &str| format!("{text}: {what}");
    let mut decided = false;
    for event in events {
        match event {
            Event::Decided { accepted, .. } => {
                decided = true;
                if accepted.is_proof() == violated {
                    return Err(about(if violated {
                        "proved, but it is violated"
                    } else {
                        "falsified, but it holds"
                    }));
                }
                lasso_is_right(&system, &formula, &accepted).map_err(|why| about(&why))?;
                *(if violated { &mut summary.violated } else { &mut summary.hold }) += 1;
            }
            Event::Rejected { why, .. } => return Err(about(&format!("evidence was rejected: {why}"))),
            Event::Fault(why) => return Err(about(&why)),
            Event::Ended { how: buttress_driver::Ended::Panicked(why), .. } => return Err(about(&why)),
            _ => {}
        }
    }
    summary.undecided += usize::from(!decided);
    match must && !decided {
        true => Err(about(if late { "open, out of time" } else { "open" })),
        false => Ok(()),
    }
}

fn lasso_is_right(system: &BitSystem, formula: &Formula, accepted: &Accepted) -> Result<(), String> {
    let Accepted::Bits(checked) = accepted else { return Err("it is about something else".to_string()) };
    match checked.evidence() {
        Evidence::Lasso(lasso) if !violates(system, formula, lasso) => {
            Err(format!("no violation: {lasso:?}"))
        }
        _ => Ok(()),
    }
}
