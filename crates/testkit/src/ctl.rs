//! Formulas about computation trees on small random systems, against graphs that are listed.
//!
//! The reference lists the states of the structure, which are those of the latches with the inputs that the
//! formula or a reset reads, and the steps between them, and evaluates each node as it is defined: `EU` by search,
//! `EG` by strongly connected components in which each signal of fairness is on a step. Nothing here uses formulas
//! of `system`: they are printed, and read by the reader of `format`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use buttress_driver::{Choice, Event, Problem};
use buttress_engine::Engine;
use buttress_format::ctl::read;
use buttress_system::{BitSystem, Rng};

use crate::drive::{choice, drive, forward};
use crate::live::{self, components};
use crate::reference::Explicit;

/// A node; operands are places of nodes before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    /// An input or a latch.
    Variable(usize),
    Constant(bool),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Next {
        all: bool,
        of: usize,
    },
    Eventually {
        all: bool,
        of: usize,
    },
    Always {
        all: bool,
        of: usize,
    },
    Until {
        all: bool,
        of: [usize; 2],
    },
    Release {
        all: bool,
        of: [usize; 2],
    },
    WeakUntil {
        all: bool,
        of: [usize; 2],
    },
}

/// A formula: its last node is meant.
#[derive(Clone, Debug)]
pub struct Formula {
    nodes: Vec<Node>,
    inputs: usize,
}

const DEPTH: usize = 4;

impl Formula {
    /// A formula over the inputs and latches of a system.
    pub fn random(rng: &mut Rng, system: &BitSystem) -> Formula {
        let mut formula = Formula { nodes: Vec::new(), inputs: system.num_inputs() };
        formula.grow(rng, system, DEPTH);
        formula
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn grow(&mut self, rng: &mut Rng, system: &BitSystem, depth: usize) -> usize {
        if depth == 0 || rng.one_in(6) {
            // Mostly about latches: an input makes states of its values.
            let latches = system.num_latches();
            let node = match (latches, self.inputs) {
                (0, 0) => Node::Constant(rng.one_in(2)),
                (0, inputs) => Node::Variable(rng.below(inputs)),
                (latches, inputs) if inputs == 0 || !rng.one_in(6) => {
                    Node::Variable(inputs + rng.below(latches))
                }
                (_, inputs) => Node::Variable(rng.below(inputs)),
            };
            return self.push(node);
        }
        let (a, kind, all) = (self.grow(rng, system, depth - 1), rng.below(12), rng.one_in(2));
        let b = if kind < 6 { a } else { self.grow(rng, system, depth - 1) };
        let node = match kind {
            0 => Node::Not(a),
            1 | 2 => Node::Next { all, of: a },
            3 | 4 => Node::Eventually { all, of: a },
            5 => Node::Always { all, of: a },
            6 | 7 => Node::And(a, b),
            8 => Node::Or(a, b),
            9 => Node::Until { all, of: [a, b] },
            10 => Node::Release { all, of: [a, b] },
            _ => Node::WeakUntil { all, of: [a, b] },
        };
        self.push(node)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts: Vec<String> = Vec::new();
        let path = |all: bool| if all { 'A' } else { 'E' };
        for node in &self.nodes {
            let of = |n: usize| &texts[n];
            texts.push(match *node {
                Node::Constant(value) => value.to_string(),
                Node::Variable(v) if v < self.inputs => format!("i{v}"),
                Node::Variable(v) => format!("l{}", v - self.inputs),
                Node::Not(a) => format!("~{}", of(a)),
                Node::And(a, b) => format!("({} & {})", of(a), of(b)),
                Node::Or(a, b) => format!("({} | {})", of(a), of(b)),
                Node::Next { all, of: a } => format!("{}X {}", path(all), of(a)),
                Node::Eventually { all, of: a } => format!("{}F {}", path(all), of(a)),
                Node::Always { all, of: a } => format!("{}G {}", path(all), of(a)),
                Node::Until { all, of: [a, b] } => format!("{}[{} U {}]", path(all), of(a), of(b)),
                Node::Release { all, of: [a, b] } => format!("{}[{} R {}]", path(all), of(a), of(b)),
                Node::WeakUntil { all, of: [a, b] } => format!("{}[{} W {}]", path(all), of(a), of(b)),
            });
        }
        f.write_str(texts.last().map_or("", |text| text))
    }
}

/// The states of a structure and its steps, each with the signals of fairness that it has, as bits.
struct Structure {
    /// By the point whose other inputs are 0; nothing elsewhere.
    steps: Vec<Vec<(usize, usize)>>,
    states: Vec<usize>,
    starts: Vec<usize>,
    fairness: usize,
}

type States = Vec<bool>;

impl Structure {
    fn of(system: &BitSystem, formula: &Formula) -> Structure {
        let graph = Explicit::new(system);
        let mut marked = vec![false; system.num_vars()];
        system.mark_cone(system.latches().map(|l| system.latch(l).reset), &mut marked);
        let in_formula = |v: usize| formula.nodes.contains(&Node::Variable(v));
        let read = |v: usize| in_formula(v) || marked[1 + v];
        let others: usize = (0..system.num_inputs()).filter(|&v| !read(v)).map(|v| 1 << v).sum();
        let rows: Vec<_> = system.fairness.iter().map(|&q| graph.row(q)).collect();
        let points = graph.num_states() << system.num_inputs();
        let mut steps = vec![Vec::new(); points];
        for point in (0..points).filter(|&p| graph.allowed.contains(p)) {
            let fair =
                rows.iter().enumerate().fold(0, |m, (i, row)| m | usize::from(row.contains(point)) << i);
            let mut after: Vec<usize> = graph.points_of(graph.next(point)).map(|p| p & !others).collect();
            after.dedup();
            after.sort_unstable();
            after.dedup();
            steps[point & !others].extend(after.into_iter().map(|p| (p, fair)));
        }
        let states = (0..points).filter(|p| p & others == 0).collect();
        let starts = graph.starts.and(&graph.allowed).iter().map(|p| p & !others).collect();
        Structure { steps, states, starts, fairness: (1 << rows.len()) - 1 }
    }

    fn filled(&self, value: bool) -> States {
        vec![value; self.steps.len()]
    }

    fn next(&self, of: &States) -> States {
        self.steps.iter().map(|steps| steps.iter().any(|&(to, _)| of[to])).collect()
    }

    fn until(&self, held: &States, end: &States) -> States {
        let mut found = end.clone();
        loop {
            let before = self.next(&found);
            let grown: States = (0..found.len()).map(|s| found[s] || held[s] && before[s]).collect();
            if grown == found {
                return found;
            }
            found = grown;
        }
    }

    /// Where a fair path within these states begins.
    fn always(&self, held: &States) -> States {
        let within: Vec<usize> = self.states.iter().copied().filter(|&s| held[s]).collect();
        let after =
            |s: usize| self.steps[s].iter().map(|&(to, _)| to).filter(|&to| held[to]).collect::<Vec<usize>>();
        let mut inside = self.filled(false);
        for component in components(&within, &after) {
            let steps = component.iter().flat_map(|&s| &self.steps[s]);
            let own: Vec<usize> =
                steps.filter(|(to, _)| component.contains(to)).map(|&(_, fair)| fair).collect();
            if !own.is_empty() && own.iter().fold(0, |all, fair| all | fair) == self.fairness {
                component.iter().for_each(|&s| inside[s] = true);
            }
        }
        self.until(held, &inside)
    }

    fn not(of: &States) -> States {
        of.iter().map(|value| !value).collect()
    }

    fn and(a: &States, b: &States) -> States {
        a.iter().zip(b).map(|(&a, &b)| a && b).collect()
    }

    fn or(a: &States, b: &States) -> States {
        a.iter().zip(b).map(|(&a, &b)| a || b).collect()
    }

    fn holds(&self, formula: &Formula) -> bool {
        let fair = self.always(&self.filled(true));
        let exists_next = |a: &States| self.next(&Structure::and(a, &fair));
        let exists_until = |a: &States, b: &States| self.until(a, &Structure::and(b, &fair));
        let exists_weak = |a: &States, b: &States| Structure::or(&exists_until(a, b), &self.always(a));
        let mut sets: Vec<States> = Vec::new();
        for node in &formula.nodes {
            let yes = self.filled(true);
            let of = |n: usize, all: bool| if all { Structure::not(&sets[n]) } else { sets[n].clone() };
            // What is said of all paths is not so of none: A φ = ¬E ¬φ.
            let (states, all) = match *node {
                Node::Constant(value) => (self.filled(value), false),
                Node::Variable(v) => ((0..yes.len()).map(|s| s >> v & 1 == 1).collect(), false),
                Node::Not(a) => (of(a, true), false),
                Node::And(a, b) => (Structure::and(&sets[a], &sets[b]), false),
                Node::Or(a, b) => (Structure::or(&sets[a], &sets[b]), false),
                Node::Next { all, of: a } => (exists_next(&of(a, all)), all),
                Node::Eventually { all: false, of: a } => (exists_until(&yes, &sets[a]), false),
                Node::Eventually { all: true, of: a } => (self.always(&of(a, true)), true),
                Node::Always { all: false, of: a } => (self.always(&sets[a]), false),
                Node::Always { all: true, of: a } => (exists_until(&yes, &of(a, true)), true),
                Node::Until { all: false, of: [a, b] } => (exists_until(&sets[a], &sets[b]), false),
                // ¬(a U b) = ¬b W (¬a ∧ ¬b)
                Node::Until { all: true, of: [a, b] } => {
                    let (a, b) = (of(a, true), of(b, true));
                    (exists_weak(&b, &Structure::and(&a, &b)), true)
                }
                Node::Release { all: false, of: [a, b] } => {
                    (exists_weak(&sets[b], &Structure::and(&sets[a], &sets[b])), false)
                }
                Node::Release { all: true, of: [a, b] } => (exists_until(&of(a, true), &of(b, true)), true),
                Node::WeakUntil { all: false, of: [a, b] } => (exists_weak(&sets[a], &sets[b]), false),
                // ¬(a W b) = ¬b U (¬a ∧ ¬b)
                Node::WeakUntil { all: true, of: [a, b] } => {
                    let (a, b) = (of(a, true), of(b, true));
                    (exists_until(&b, &Structure::and(&a, &b)), true)
                }
            };
            sets.push(if all { Structure::not(&states) } else { states });
        }
        let root = &sets[sets.len() - 1];
        self.starts.iter().all(|&start| !fair[start] || root[start])
    }
}

/// Whether the formula holds in every start from which there is a fair path.
pub fn holds(system: &BitSystem, formula: &Formula) -> bool {
    Structure::of(system, formula).holds(formula)
}

/// The system of a seed, with fairness and constraints as it may be, and no properties; and a formula about it.
pub fn example(seed: u64) -> (BitSystem, Formula) {
    let mut system = live::system(seed);
    system.justice.clear();
    system.outputs.clear();
    let formula = Formula::random(&mut Rng::new(seed ^ 0x6374_6c00), &system);
    (system, formula)
}

/// The problem of a system with one formula.
pub fn problem(system: &BitSystem, formula: &Formula) -> Result<Arc<Problem>, String> {
    let read = read(&formula.to_string()).map_err(|d| d.render("formula"))?;
    let mut problem = Problem::of_bits(system.clone());
    problem.state_trees(&read, "formula").map_err(|refused| refused.message)?;
    Ok(Arc::new(problem))
}

#[derive(Default, Debug)]
pub struct CtlSummary {
    pub hold: usize,
    pub fail: usize,
    /// Asked as formulas about executions.
    pub linear: usize,
    pub undecided: usize,
}

const MOST_POINTS: usize = 1 << 10;

/// Examines the system of a seed; `Err` says what is wrong.
pub fn examine(seed: u64, limit: Duration, summary: &mut CtlSummary) -> Result<(), String> {
    let (system, formula) = example(seed);
    if 1usize << (system.num_inputs() + system.num_latches()) > MOST_POINTS {
        return Ok(());
    }
    let holds = holds(&system, &formula);
    let as_trees = seed.is_multiple_of(2);
    let problem = problem(&system, &formula)?;
    let linear = problem.claims().iter().any(|claim| claim.justice().is_some());
    let named = |name: &str| choice(vec![Engine::by_name(name).expect("a row of the table")]);
    let choices = if as_trees {
        vec![named("ctl"), forward(named("ctl")), named("iictl")]
    } else {
        vec![choice(Vec::new())]
    };
    // Resets that read inputs are left to BMC, which proves nothing.
    let must = !linear || !live::resets_read_inputs(&system);
    let limit = if must { limit } else { limit.min(Duration::from_secs(1)) };
    for choice in &choices {
        let by: Vec<&str> = choice.engines.iter().map(|e| e.name).collect();
        let about = |what: String| format!("{formula}: {}: {what}", by.join(", "));
        let (decided, late) = compare(&problem, choice, holds, limit, summary).map_err(about)?;
        summary.linear += usize::from(linear && decided);
        summary.undecided += usize::from(!decided);
        if must && !decided {
            return Err(about(if late { "open, out of time" } else { "open" }.to_string()));
        }
    }
    Ok(())
}

/// Whether the formula was decided, as it is to be, and whether the time was over.
fn compare(
    problem: &Arc<Problem>,
    choice: &Choice,
    holds: bool,
    limit: Duration,
    summary: &mut CtlSummary,
) -> Result<(bool, bool), String> {
    let (events, late) = drive(problem, choice, Some(limit));
    let mut decided = false;
    for event in events {
        match event {
            Event::Decided { accepted, .. } => {
                decided = true;
                if accepted.is_proof() != holds {
                    let what = if holds { "refuted, but it holds" } else { "proved, but it fails" };
                    return Err(what.to_string());
                }
                *(if holds { &mut summary.hold } else { &mut summary.fail }) += 1;
            }
            Event::Rejected { why, .. } => return Err(format!("evidence was rejected: {why}")),
            Event::Fault(why) => return Err(why),
            Event::Ended { how: buttress_driver::Ended::Panicked(why), .. } => return Err(why),
            _ => {}
        }
    }
    Ok((decided, late))
}
