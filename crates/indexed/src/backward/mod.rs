//! Backward reachability of cubes with approximation, for systems of processes: Conchon, Goel, Krstić, Mebsout,
//! Zaïdi, "Invariants for finite instances and beyond", FMCAD 2013 (BRAB), after Ghilardi & Ranise (MCMT).
//!
//! Unsafe states are a cube ∃z. c. Its predecessors are cubes again ([`steps`]); one that is covered by those that
//! are there is dropped; when no new one is left and none meets the start, the system is safe, and ⋀ ∀z. ¬c over
//! all cubes is inductive. A new cube is first replaced by a more general one, a *candidate*, which no state of
//! small instances satisfies ([`oracle`]). If the predecessors of a candidate meet the start, it was a bad guess:
//! it is never taken again, and the search starts anew. Candidates are guesses; what is proved in the end is
//! proved.
//!
//! Guards about all processes are taken for the processes that a cube names, so that a way from the start to
//! unsafe states that has no candidate in it may be none. A violation is what a finite instance executes, nothing
//! else. Where one executes it with processes that drop out on the way, no universally quantified invariant proves
//! the property ([`dropping`]).

pub mod cubes;
pub mod dropping;
pub mod finite;
pub(crate) mod linear;
pub mod oracle;
pub mod proof;
pub mod steps;

use std::collections::{BTreeMap, BTreeSet};

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Config, Session, Solver, Theory};
use buttress_solve::{Stop, Stopped};
use buttress_system::PropertyId;
use buttress_system::indexed::{Indexed, IndexedProof, IndexedTrace};
use buttress_term::{TermId, Value};

use crate::problem::Problem;
use cubes::{Cube, Literals};
use dropping::{Dropping, Event};
use oracle::Oracle;
use steps::{RenamedCube, Steps};

/// The result of backward reachability for a property.
pub enum Answer {
    Proved(IndexedProof),
    Violated(IndexedTrace),
    /// Why it is neither.
    Open(String),
}

/// Processes of instances in which a way from the start is tried, at most.
const MOST: usize = 4;

/// How far it went.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort {
    /// Cubes whose predecessors were computed.
    pub cubes: usize,
    /// Questions to a solver.
    pub queries: u64,
    /// Bad guesses.
    pub restarts: usize,
    /// States of finite instances.
    pub states: usize,
}

/// Decides properties, one after the other; tells each answer as it comes. `None` where places are not processes.
pub fn decide(
    model: &Indexed,
    properties: &[PropertyId],
    config: &Config,
    stop: &Stop,
    tell: &mut dyn FnMut(PropertyId, Answer, Effort),
) -> Option<Result<(), Stopped>> {
    let problem = Problem::new(model);
    let steps = Steps::new(&problem, stop)?;
    let mut oracle = Oracle::new(&problem, &|| stop.check().is_err());
    let theory = Theory { enumerations_in_arrays: false, ..Theory::of(&problem.terms) };
    let effort = Effort { states: oracle.states(), ..Effort::default() };
    let mut open = Vec::new();
    for &property in properties {
        match oracle.violation(&problem, property) {
            Some(trace) => tell(property, Answer::Violated(trace), effort),
            None => open.push(property),
        }
    }
    let sessions = || Session::new(config, theory, stop);
    let (bad, starts, unreachable) = (BTreeSet::new(), BTreeMap::new(), Vec::new());
    let mut search = Search {
        problem: &problem,
        steps,
        oracle,
        sessions: &sessions,
        stop,
        bad,
        starts,
        unreachable,
        effort,
    };
    for property in open {
        let answer = match search.decide(property) {
            Ok(answer) => answer,
            Err(stopped) => return Some(Err(stopped)),
        };
        tell(property, answer, search.effort);
    }
    Some(Ok(()))
}

/// The search for all properties: bad guesses are kept.
struct Search<'a> {
    problem: &'a Problem<'a>,
    steps: Steps<'a>,
    oracle: Oracle<'a>,
    sessions: &'a dyn Fn() -> Session,
    stop: &'a Stop,
    /// Candidates that were refuted.
    bad: BTreeSet<Cube>,
    /// For each number of processes, what holds of them at the start.
    starts: BTreeMap<usize, Session>,
    /// The cubes of the properties that are proved: with all that leads to them, so that nobody looks for that
    /// again.
    unreachable: Vec<Cube>,
    effort: Effort,
}

/// A cube in the search.
struct Node {
    cube: Cube,
    /// The candidate that it comes from; `None`: from the property alone.
    candidate: Option<usize>,
    /// The cube it leads to, by a rule.
    then: Option<(usize, usize)>,
}

/// The result of one round.
enum Round {
    Safe(Vec<Cube>),
    /// This candidate meets the start.
    Refuted(Cube),
    /// Rules from the start to the property.
    Way(Vec<usize>),
    TooMany,
}

/// The cubes of a round, and what is known of coverage by them.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    /// Those that wait, by size.
    queue: BTreeSet<(usize, usize, usize)>,
    /// For each number of processes, a session that knows all cubes at these processes.
    sessions: BTreeMap<usize, (Session, usize)>,
}

impl Search<'_> {
    fn decide(&mut self, property: PropertyId) -> Result<Answer, Stopped> {
        let bad = self.steps.model.system.property(property).bad;
        let Ok(goals) = self.steps.cubes(bad) else {
            self.stop.check()?;
            return Ok(too_many());
        };
        let goals: Vec<Cube> = goals.into_iter().map(|found| found.cube).collect();
        loop {
            match self.round(&goals)? {
                Round::Safe(cubes) => {
                    self.unreachable.clone_from(&cubes);
                    return Ok(self.prove(property, cubes)?.map_or_else(too_many, Answer::Proved));
                }
                Round::Way(rules) => return self.execute(property, &rules),
                Round::TooMany => return Ok(too_many()),
                Round::Refuted(candidate) => {
                    self.effort.restarts += 1;
                    self.bad.insert(candidate);
                }
            }
        }
    }

    /// An execution by these rules, if small instances have one, or one with drop-outs.
    fn execute(&self, property: PropertyId, rules: &[usize]) -> Result<Answer, Stopped> {
        let numbers: Vec<usize> = rules.iter().map(|&r| self.steps.rule(r).1).collect();
        if let Some(trace) = Oracle::along(self.problem, 1..=MOST, &numbers, property) {
            return Ok(Answer::Violated(trace));
        }
        let each: Vec<Vec<usize>> = numbers.iter().map(|&n| vec![n]).collect();
        if let Some(dropping) = dropping::violation(self.problem, MOST, &each, property, self.stop)? {
            return Ok(Answer::Open(self.no_invariant(&dropping)));
        }
        let names: Vec<&str> = rules.iter().map(|&r| self.steps.rule(r).0).collect();
        Ok(Answer::Open(format!("these rules may lead to a violation, or not: {}", names.join("; "))))
    }

    fn no_invariant(&self, Dropping { size, events }: &Dropping) -> String {
        let event = |event: &Event| match event {
            Event::Out(process) => format!("{process} drops out"),
            Event::Step(step, processes) => {
                let who: Vec<String> = processes.iter().map(usize::to_string).collect();
                format!("{} ({})", self.problem.steps[*step].name, who.join(", "))
            }
        };
        let way: Vec<String> = events.iter().map(event).collect();
        format!(
            "no universally quantified invariant can prove this: it would hold, too, where processes drop out, and of {size} processes this \
             violates the property: {}",
            way.join("; ")
        )
    }

    /// One search with the candidates that are not known to be bad.
    fn round(&mut self, goals: &[Cube]) -> Result<Round, Stopped> {
        let mut graph = Graph::default();
        let known = |cube: &Cube| Node { cube: cube.clone(), candidate: None, then: None };
        graph.nodes.extend(self.unreachable.iter().map(known));
        for goal in goals {
            if self.meets_start(goal)? {
                return Ok(Round::Way(Vec::new()));
            }
            graph.add(Node { cube: goal.clone(), candidate: None, then: None });
        }
        for hint in self.hints() {
            if self.is_good_guess(&hint)? && !self.covered(&mut graph, &hint)? {
                graph.add_candidate(hint);
            }
        }
        while let Some((.., number)) = graph.queue.pop_first() {
            self.stop.check()?;
            self.effort.cubes += 1;
            for rule in 0..self.steps.rules() {
                let cube = graph.nodes[number].cube.clone();
                let Ok(before) = self.steps.before(&cube, rule) else {
                    self.stop.check()?;
                    return Ok(Round::TooMany);
                };
                for RenamedCube { cube, .. } in before {
                    if let Some(end) = self.meet(&mut graph, cube, number, rule)? {
                        return Ok(end);
                    }
                }
            }
        }
        Ok(Round::Safe(graph.nodes.into_iter().map(|n| n.cube).collect()))
    }

    /// A predecessor: covered, a way from the start, generalised, or a new cube.
    fn meet(
        &mut self,
        graph: &mut Graph,
        cube: Cube,
        number: usize,
        rule: usize,
    ) -> Result<Option<Round>, Stopped> {
        if self.covered(graph, &cube)? {
            return Ok(None);
        }
        if self.meets_start(&cube)? {
            return Ok(Some(match graph.nodes[number].candidate {
                Some(candidate) => Round::Refuted(graph.nodes[candidate].cube.clone()),
                None => Round::Way(way(graph, number, rule)),
            }));
        }
        match self.generalised(&cube)? {
            Some(candidate) => graph.add_candidate(candidate),
            None => {
                let candidate = graph.nodes[number].candidate;
                graph.add(Node { cube, candidate, then: Some((number, rule)) });
            }
        }
        Ok(None)
    }

    fn hints(&mut self) -> Vec<Cube> {
        let hints = self.steps.model.hints.clone();
        let cubes = |hint: TermId| self.steps.cubes(hint).unwrap_or_default();
        hints.into_iter().flat_map(cubes).map(|found| found.cube).collect()
    }

    /// A part of a cube that no state seen so far satisfies.
    fn generalised(&mut self, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        let symbols = self.steps.processes(cube.processes);
        for part in self.oracle.candidates(&self.steps.terms, cube, &symbols) {
            let formula = self.steps.terms.all(&part);
            let Ok(found) = self.steps.cubes(formula) else { continue };
            let Some(RenamedCube { cube, .. }) = found.into_iter().next() else { continue };
            if !self.bad.contains(&cube) && !self.meets_start(&cube)? {
                return Ok(Some(cube));
            }
        }
        Ok(None)
    }

    fn is_good_guess(&mut self, cube: &Cube) -> Result<bool, Stopped> {
        let symbols = self.steps.processes(cube.processes);
        let excluded = self.oracle.excludes(&self.steps.terms, &cube.literals, &symbols);
        Ok(excluded && !self.bad.contains(cube) && !self.meets_start(cube)?)
    }

    fn meets_start(&mut self, cube: &Cube) -> Result<bool, Stopped> {
        let formulas = self.steps.at_start(cube);
        let known = |value: bool| move |t: &Value| *t == Value::Bool(value);
        if formulas.iter().any(|&t| self.steps.terms.as_constant(t).is_some_and(known(false))) {
            return Ok(false);
        }
        if !self.starts.contains_key(&cube.processes) {
            let session = self.start(cube.processes);
            self.starts.insert(cube.processes, session);
        }
        let session = self.starts.get_mut(&cube.processes).expect("it was inserted");
        for range in self.steps.terms.ranges(&formulas) {
            session.assert(&self.steps.terms, range);
        }
        let before = session.queries();
        // R ∧ C ∧ c
        let met = session.check(&self.steps.terms, &formulas)? == Outcome::Sat;
        self.effort.queries += session.queries() - before;
        Ok(met)
    }

    /// A session that knows what holds of so many processes at the start.
    fn start(&mut self, count: usize) -> Session {
        let processes = self.steps.processes(count);
        let mut facts = self.steps.distinct(&processes);
        facts.extend(self.steps.start_facts(count));
        facts.extend(self.steps.terms.ranges(&facts));
        let mut session = (self.sessions)();
        facts.iter().for_each(|&fact| session.assert(&self.steps.terms, fact));
        session
    }

    /// Whether each state of a cube is in one that is there.
    fn covered(&mut self, graph: &mut Graph, cube: &Cube) -> Result<bool, Stopped> {
        let symbols = self.steps.processes(cube.processes);
        let Some(literals) = Literals::of(&mut self.steps.terms, &cube.literals) else { return Ok(true) };
        for node in &graph.nodes {
            if covers(&mut self.steps, &node.cube, &literals, cube.processes).is_some() {
                return Ok(true);
            }
        }
        let fresh = || ((self.sessions)(), 0);
        let (session, told) = graph.sessions.entry(cube.processes).or_insert_with(fresh);
        if *told == 0 {
            for fact in self.steps.distinct(&symbols) {
                session.assert(&self.steps.terms, fact);
            }
        }
        for node in &graph.nodes[*told..] {
            for instance in self.steps.instances(&node.cube, cube.processes).iter() {
                let all = self.steps.terms.all(&instance.literals);
                let clause = self.steps.terms.not(all);
                for range in self.steps.terms.ranges(&[clause]) {
                    session.assert(&self.steps.terms, range);
                }
                session.assert(&self.steps.terms, clause);
            }
        }
        *told = graph.nodes.len();
        for range in self.steps.terms.ranges(&cube.literals) {
            session.assert(&self.steps.terms, range);
        }
        // ⋀ ¬d[σ] ∧ c
        let before = session.queries();
        let outcome = session.check(&self.steps.terms, &cube.literals)?;
        self.effort.queries += session.queries() - before;
        Ok(outcome == Outcome::Unsat)
    }
}

impl Graph {
    fn add(&mut self, node: Node) {
        let number = self.nodes.len();
        self.queue.insert((node.cube.processes, node.cube.literals.len(), number));
        self.nodes.push(node);
    }

    fn add_candidate(&mut self, cube: Cube) {
        let number = self.nodes.len();
        self.add(Node { cube, candidate: Some(number), then: None });
    }
}

/// The rules from the start to the property.
fn way(graph: &Graph, mut number: usize, rule: usize) -> Vec<usize> {
    let mut rules = vec![rule];
    while let Some((then, rule)) = graph.nodes[number].then {
        rules.push(rule);
        number = then;
    }
    rules
}

fn too_many() -> Answer {
    Answer::Open("a formula has too many cases".to_string())
}

/// For which of the first processes a cube follows from literals, by looking at it.
pub fn covers(steps: &mut Steps<'_>, cube: &Cube, literals: &Literals, count: usize) -> Option<Vec<TermId>> {
    if cube.processes > count {
        return None;
    }
    let placed = steps.instances(cube, count);
    let mut follows = |&l: &TermId| literals.decides(&mut steps.terms, l) == Some(true);
    let found = placed.iter().find(|p| p.literals.iter().all(&mut follows));
    found.map(|p| p.processes.clone())
}
