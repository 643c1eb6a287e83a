//! Justice properties of small random systems against the strongly connected components of their graphs, which are
//! listed.
//!
//! A *fair* component is one that an execution can stay in, with each signal of the property and of fairness
//! somewhere in it; the property is violated if one can be reached. How short the shortest lasso is, is found by
//! searching from every state that it may go back to. Nothing here uses monitors, lassos of `system`, or a solver.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use buttress_check::Evidence;
use buttress_driver::{Accepted, Choice, Event, Problem, Target, convert, parse};
use buttress_engine::{Engine, Run, Settings};
use buttress_system::{BitSystem, Lasso, Lit, Node, Rng, Ternary};

use crate::drive::{choice, drive, forward, problem};
use crate::random;
use crate::reference::{Explicit, Points};

/// The system of this seed: one of those for safety, with justice and fairness in the place of its properties.
pub fn system(seed: u64) -> BitSystem {
    let mut rng = Rng::new(seed ^ 0x6a75_7374);
    let draft = random::draft(&mut rng);
    let mut system = draft.build();
    let bads: Vec<Lit> = system.properties.iter().map(|p| p.bad).collect();
    system.properties.clear();
    let signals = |rng: &mut Rng, most: usize| -> Vec<Lit> {
        let count = rng.below(most + 1);
        (0..count).map(|_| random::signal(rng, &draft)).collect()
    };
    system.fairness = signals(&mut rng, 1);
    let justice = 1 + usize::from(rng.one_in(3));
    system.justice = (0..justice)
        .map(|j| {
            let mut own = signals(&mut rng, 2);
            own.extend(bads.get(j).filter(|_| rng.below(2) == 0));
            own
        })
        .collect();
    system
}

/// The truth about the justice properties of a system.
pub struct LiveTruth {
    /// For each the number of steps of a shortest lasso; `None`: it holds.
    pub shortest: Vec<Option<usize>>,
}

impl LiveTruth {
    pub fn of(system: &BitSystem) -> LiveTruth {
        let graph = Explicit::new(system);
        let shortest = |own: &Vec<Lit>| {
            let signals: Vec<Lit> = own.iter().chain(&system.fairness).copied().collect();
            let rows: Vec<Points> = signals.iter().map(|&q| graph.row(q)).collect();
            fair_component(&graph, &rows).then(|| shortest(system, &graph, &signals, &rows))
        };
        LiveTruth { shortest: system.justice.iter().map(shortest).collect() }
    }
}

/// Whether some component that can be reached has an edge inside, and a point of each set.
fn fair_component(graph: &Explicit, sets: &[Points]) -> bool {
    let reachable = graph.reachable();
    let points: Vec<usize> = reachable.iter().collect();
    let after = |point: usize| -> Vec<usize> {
        graph.points_of(graph.next(point)).filter(|&p| graph.allowed.contains(p)).collect()
    };
    components(&points, &after).iter().any(|component| {
        let stays = component.len() > 1 || after(component[0]).contains(&component[0]);
        stays && sets.iter().all(|set| component.iter().any(|&p| set.contains(p)))
    })
}

/// Tarjan's algorithm, with a stack of its own.
pub(crate) fn components(points: &[usize], after: &dyn Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let most = points.iter().max().map_or(0, |m| m + 1);
    let (mut number, mut low) = (vec![usize::MAX; most], vec![0; most]);
    let (mut on_stack, mut stack, mut found, mut count) = (vec![false; most], Vec::new(), Vec::new(), 0);
    for &root in points {
        if number[root] != usize::MAX {
            continue;
        }
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(point) = enter.take() {
                (number[point], low[point]) = (count, count);
                count += 1;
                stack.push(point);
                on_stack[point] = true;
                open.push((point, after(point)));
            }
            let Some((point, left)) = open.last_mut() else { break };
            let point = *point;
            match left.pop() {
                Some(next) if number[next] == usize::MAX => enter = Some(next),
                Some(next) if on_stack[next] => low[point] = low[point].min(number[next]),
                Some(_) => {}
                None => {
                    open.pop();
                    if let Some((before, _)) = open.last() {
                        low[*before] = low[*before].min(low[point]);
                    }
                    if low[point] == number[point] {
                        let place = stack.iter().rposition(|&p| p == point).expect("it is on the stack");
                        let component = stack.split_off(place);
                        component.iter().for_each(|&p| on_stack[p] = false);
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}

/// The latches that signals and constraints depend on, as a mask of states.
fn behind(system: &BitSystem, signals: &[Lit]) -> usize {
    let mut seen = vec![false; system.num_vars()];
    let mut todo: Vec<Lit> = signals.iter().chain(&system.constraints).copied().collect();
    let mut mask = 0;
    while let Some(lit) = todo.pop() {
        if std::mem::replace(&mut seen[lit.var().index()], true) {
            continue;
        }
        match system.node(lit.var()) {
            Node::Gate(a, b) => todo.extend([a, b]),
            Node::Latch(l) => {
                mask |= 1 << l.index();
                todo.extend([system.latch(l).next, system.latch(l).reset]);
            }
            Node::Constant | Node::Input(_) => {}
        }
    }
    mask
}

/// Steps to a state, and round from there back to it with each signal met; the fewest. What nobody reads is left
/// out: then whatever is allowed in a state is allowed in all that look the same. Where resets read inputs, the
/// first step is not as free as others, and there may be none as short.
fn shortest(system: &BitSystem, graph: &Explicit, signals: &[Lit], rows: &[Points]) -> usize {
    let mask = behind(system, signals);
    let start = graph.starts.and(&graph.allowed);
    let mut steps = vec![usize::MAX; graph.num_states()];
    let mut queue: VecDeque<usize> = VecDeque::new();
    for state in start.iter().map(|p| graph.state(p) & mask) {
        if steps[state] == usize::MAX {
            steps[state] = 0;
            queue.push_back(state);
        }
    }
    let moves: Vec<Vec<(usize, usize)>> = (0..graph.num_states())
        .map(|state| {
            let met =
                |p: usize| rows.iter().enumerate().fold(0, |m, (i, r)| m | usize::from(r.contains(p)) << i);
            let points = graph.points_of(state).filter(|&p| graph.allowed.contains(p));
            points.map(|p| (graph.next(p) & mask, met(p))).collect()
        })
        .collect();
    while let Some(state) = queue.pop_front() {
        for &(next, _) in &moves[state] {
            if steps[next] == usize::MAX {
                steps[next] = steps[state] + 1;
                queue.push_back(next);
            }
        }
    }
    let round = |from: usize| round(from, &moves, (1 << rows.len()) - 1);
    let reached = (0..graph.num_states()).filter(|&s| steps[s] != usize::MAX);
    reached.filter_map(|s| Some(steps[s] + round(s)?)).min().expect("there is a fair component")
}

/// The fewest steps from a state back to it with each signal met on the way.
fn round(from: usize, moves: &[Vec<(usize, usize)>], all: usize) -> Option<usize> {
    let mut steps = vec![usize::MAX; moves.len() * (all + 1)];
    let mut queue = VecDeque::from([(from, 0)]);
    steps[from * (all + 1)] = 0;
    while let Some((state, met)) = queue.pop_front() {
        let so_far = steps[state * (all + 1) + met];
        for &(next, more) in &moves[state] {
            let met = met | more;
            if next == from && met == all {
                return Some(so_far + 1);
            }
            let place = next * (all + 1) + met;
            if steps[place] == usize::MAX {
                steps[place] = so_far + 1;
                queue.push_back((next, met));
            }
        }
    }
    None
}

/// Whether the execution goes round as it says, with each signal met: by the points that it goes through.
pub fn is_lasso(system: &BitSystem, lasso: &Lasso) -> bool {
    let graph = Explicit::new(system);
    let Some(own) = system.justice.get(lasso.justice) else { return false };
    let signals: Vec<Lit> = own.iter().chain(&system.fairness).copied().collect();
    let number = |row: &[Ternary]| {
        row.iter().enumerate().fold(0, |n, (b, v)| n | usize::from(v.known() == Some(true)) << b)
    };
    let (mut state, mut points) = (number(&lasso.trace.initial), Vec::new());
    for row in &lasso.trace.inputs {
        let point = state << system.num_inputs() | number(row);
        points.push(point);
        state = graph.next(point);
    }
    let (Some(&first), Some(&there)) = (points.first(), points.get(lasso.back)) else { return false };
    let mask = behind(system, &signals);
    graph.starts.contains(first)
        && points.iter().all(|&p| graph.allowed.contains(p))
        && state & mask == graph.state(there) & mask
        && signals.iter().all(|&q| points[lasso.back..].iter().any(|&p| graph.row(q).contains(p)))
}

/// What came out of examining systems.
#[derive(Default, Debug)]
pub struct LiveSummary {
    pub hold: usize,
    pub violated: usize,
    /// Lassos of more than three steps.
    pub long: usize,
    /// Proofs with a counter that counts, those without a loop, and those by arenas.
    pub visits: usize,
    pub loops: usize,
    pub arenas: usize,
    pub undecided: usize,
}

impl fmt::Display for LiveSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LiveSummary { hold, violated, long, visits, loops, arenas, undecided } = self;
        write!(
            f,
            "{hold} hold, {violated} violated ({long} with long lassos); proofs: {visits} by visits, "
        )?;
        write!(f, "{loops} by loops, {arenas} by arenas; {undecided} undecided")
    }
}

/// Engines that decide justice properties by themselves. Each system is examined with one of these, every
/// sixteenth with the usual ones, too, and another sixteenth in words.
const ALONE: [&str; 8] = ["bmc", "kind", "ic3", "klive", "reach", "fsis", "fair", "hull"];

/// Steps that BMC and k-induction may look at: few lassos here are longer, and k-induction takes long where it is
/// not enough.
const BOUND: usize = 16;

/// Examines the system of a seed; `Err` says what is wrong.
pub fn examine(seed: u64, limit: Duration, summary: &mut LiveSummary) -> Result<(), String> {
    let system = Arc::new(system(seed));
    let truth = LiveTruth::of(&system);
    let in_bits = problem(&system);
    if seed.is_multiple_of(16) {
        judge(&system, &truth, &in_bits, &choice(Vec::new()), limit, summary)?;
    }
    let name = ALONE[seed as usize % ALONE.len()];
    let engine = Engine::by_name(name).expect("a row of the table");
    let bound = if unrolls(engine) { BOUND } else { usize::MAX };
    let alone = Choice { settings: Settings { bound, ..Settings::default() }, ..choice(vec![engine]) };
    let alone = if seed % 16 < 8 { alone } else { forward(alone) };
    // Who counts never ends on a property that does not hold.
    let ends = name != "klive" || truth.shortest.iter().all(Option::is_none);
    if ends {
        judge(&system, &truth, &in_bits, &alone, limit, summary).map_err(|why| format!("{name}: {why}"))?;
    }
    if seed % 16 == 1 {
        let in_words = convert(&in_bits, Target::Btor2).map_err(|refused| refused.message)?;
        let text = String::from_utf8(in_words).map_err(|e| e.to_string())?;
        let in_words = Arc::new(parse("random.btor2".as_ref(), &text).map_err(|e| e.to_string())?);
        judge(&system, &truth, &in_words, &choice(Vec::new()), limit, summary)
            .map_err(|why| format!("in words: {why}"))?;
    }
    Ok(())
}

/// Compares what engines say with the truth.
fn judge(
    system: &BitSystem,
    truth: &LiveTruth,
    problem: &Arc<Problem>,
    choice: &Choice,
    limit: Duration,
    summary: &mut LiveSummary,
) -> Result<(), String> {
    let (events, late) = drive(problem, choice, Some(limit));
    let mut open: Vec<usize> = (0..system.justice.len()).collect();
    for event in events {
        match event {
            Event::Decided { claim, accepted, .. } => {
                let justice = problem.claim(claim).justice().ok_or("nobody asked about safety")?.index();
                open.retain(|&j| j != justice);
                decided(system, truth, justice, &accepted, choice, summary)?;
            }
            Event::Rejected { why, .. } => return Err(format!("evidence was rejected: {why}")),
            Event::Fault(why) => return Err(why),
            Event::Ended { how: buttress_driver::Ended::Panicked(why), .. } => return Err(why),
            _ => {}
        }
    }
    summary.undecided += open.len();
    // Resets that read inputs are left to others by those that ask about single steps.
    let (usual, unrolled) = (choice.engines.is_empty(), choice.engines.iter().any(|e| unrolls(e)));
    let must = |j: &usize| match truth.shortest[*j] {
        Some(steps) => (usual || unrolled && steps < BOUND) || !unrolled && !resets_read_inputs(system),
        None => !unrolled && !resets_read_inputs(system),
    };
    match open.iter().find(|j| must(j)) {
        Some(j) => Err(format!("j{j} is open{}", if late { ", out of time" } else { "" })),
        None => Ok(()),
    }
}

/// Whether an engine looks at paths of a bounded number of steps.
fn unrolls(engine: &Engine) -> bool {
    matches!(engine.bits, Some(Run::Paths(_)))
}

/// Whether a start depends on inputs, which inductive engines leave to others.
pub(crate) fn resets_read_inputs(system: &BitSystem) -> bool {
    let mut marked = vec![false; system.num_vars()];
    system.mark_cone(system.latches().map(|l| system.latch(l).reset), &mut marked);
    system.inputs().any(|i| marked[system.input_lit(i).var().index()])
}

fn decided(
    system: &BitSystem,
    truth: &LiveTruth,
    justice: usize,
    accepted: &Accepted,
    choice: &Choice,
    summary: &mut LiveSummary,
) -> Result<(), String> {
    let shortest = truth.shortest[justice];
    let Some(monitor) = accepted.monitor() else {
        let steps = accepted.trace_steps().ok_or("it is neither a lasso nor a proof")?;
        let shortest = shortest.ok_or_else(|| format!("j{justice} falsified, but it holds"))?;
        summary.violated += 1;
        summary.long += usize::from(shortest > 3);
        if let Accepted::Bits(checked) = accepted
            && let Evidence::Lasso(lasso) = checked.evidence()
            && !is_lasso(system, lasso)
        {
            return Err(format!("the lasso of j{justice} is none: {lasso:?}"));
        }
        let breadth_first = choice.engines.iter().any(|e| ["bmc", "reach"].contains(&e.name));
        return match breadth_first && steps != shortest && !resets_read_inputs(system) {
            true => Err(format!("a lasso of {steps} steps, where {shortest} are enough")),
            false => Ok(()),
        };
    };
    match monitor {
        buttress_system::Monitor::Loop => summary.loops += 1,
        buttress_system::Monitor::Visits(_) => summary.visits += 1,
        buttress_system::Monitor::Arenas => summary.arenas += 1,
    }
    summary.hold += 1;
    match shortest {
        Some(steps) => Err(format!("j{justice} proved, but there is a lasso of {steps} steps")),
        None => Ok(()),
    }
}
