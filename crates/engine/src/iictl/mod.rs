//! IICTL (Hassan, Bradley & Somenzi, "Incremental, inductive CTL model checking", CAV 2012): bounds from below and
//! from above for the states of each node of a formula, made closer only where the answer needs it.
//!
//! A node is *decided* of a state that is in its lower bound `L`, or not in its upper bound `U`. Where a start is
//! undecided of the formula, it is decided of its parts, and of states further on, as far as needed (`Lf`, `Uf`:
//! with the bounds of fairness):
//!
//! ```text
//! EX a     s ∧ C ∧ T ∧ Uf(a)' has no answer: s, and all that share the reason, leave U. It has one, t: where t ∈ Lf(a), the
//!          states that go there with the same inputs join L; otherwise t is decided first.
//! E a U b  IC3: from s, through U(a), to Uf(b)? Its invariant leaves U. A path whose states are all decided, to L(a) and at its
//!          end to Lf(b), joins L, each step lifted to the states that go to L with the same inputs. Of `EF b`,
//!          where b is about what may still happen, random executions ([`Executions`]) are tried as such paths first.
//! EG a     FAIR, from s and within U(a). Its arenas leave U one by one, in the order in which they lack a signal for good. A lasso
//!          whose states are all in L(a) joins L, lifted step by step from the state that comes back.
//! fair     EG true
//! ```
//!
//! So an answer rests on exactly the sets that are checked ([`TreeSets`]): paths are the rings of `EU` and the
//! ranks of `EG`, invariants and arenas the upper bounds.
//!
//! Not here: what the paper calls proof improvement beyond lifting, and lemmas of one query for the next. States
//! that are not reached count like all others, but are hardly ever asked about.

mod evidence;
mod states;

use buttress_query::{Answer, FOREVER, Lifting, Step};
use buttress_solve::Stopped;
use buttress_system::ctl::{Branching, Ctl, NodeId, Refuted, Satisfied, Says};
use buttress_system::{Arena, Clause, Lit, PropertyId, Reason, Ternary, Verdict};

use crate::circuit::Circuit;
use crate::dual::LevelsOf;
use crate::fair::{Never, Quiet, Reached, Recurrence, State, reach, recurrence};
use crate::sketch::Sketch;
use crate::walk::{Begin, Executions};
use crate::{Job, Progress};
use states::States;

/// Gates that are evaluated, and rounds that are taken, before a random execution is not tried any longer.
const WALKED: u64 = 2_000_000_000;
const ROUNDS: u64 = 800;

/// The verdict about a formula.
type Decision = Verdict<Satisfied, Refuted>;

/// Decides the formulas one after the other.
pub(crate) fn iictl(levels: &mut LevelsOf<'_>, job: &Job<'_, Branching>) -> Result<(), Stopped> {
    for &property in &job.properties {
        if job.desk.is_decided(property) {
            continue;
        }
        let mut tree = Tree::new(levels, job, property);
        match tree.decide() {
            Ok(verdict) => job.desk.decide(property, verdict),
            Err(Break::Elsewhere) => {}
            Err(Break::Given(reason)) => job.desk.decide(property, Verdict::Unknown(reason)),
            Err(Break::Stopped(stopped)) => return Err(stopped),
        }
    }
    Ok(())
}

/// Why there is no answer.
enum Break {
    Stopped(Stopped),
    Elsewhere,
    Given(Reason),
}

impl From<Stopped> for Break {
    fn from(stopped: Stopped) -> Break {
        Break::Stopped(stopped)
    }
}

/// What is asked about: a temporal node, or where fair paths begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Node(NodeId),
    Fair,
}

/// What is known of a temporal node.
#[derive(Default)]
struct Known {
    /// Of `EX` and `EU`: sets that joined the lower bound, one after the other.
    joined: Vec<Lit>,
    /// Of `EG`: the same, each with a way on.
    rounds: Vec<Round>,
    /// Sets that left the upper bound, of `EG` each with the signal that it lacks.
    left: Vec<(Lit, usize)>,
    /// Of `EG`: whether it was asked of all states at once; of `EU`: whether executions were tried.
    asked: bool,
}

/// States that one step leads from to others of the lower bound of `EG`.
struct Round {
    set: Lit,
    to: usize,
    /// Which signals the step has.
    meets: Vec<bool>,
}

struct Tree<'a, 'l> {
    levels: &'a mut LevelsOf<'l>,
    job: &'a Job<'a, Branching>,
    property: PropertyId,
    formula: &'a Ctl<Lit>,
    states: States<'a>,
    circuit: Circuit,
    /// The signals of the formula, as sets; and those that recur.
    signals: Vec<Lit>,
    recurring: Vec<Lit>,
    nodes: Vec<Known>,
    fair: Known,
}

impl<'a, 'l> Tree<'a, 'l> {
    fn new(levels: &'a mut LevelsOf<'l>, job: &'a Job<'a, Branching>, property: PropertyId) -> Tree<'a, 'l> {
        let branching = job.system;
        let formula = &branching.formulas[property.index()];
        let states = States::of(branching, property.index());
        let mut circuit = Circuit::new(states.system.first_gate());
        let signals = formula.nodes().iter().map(|says| match says {
            Says::Signal(signal) => copied(&mut circuit, &states, states.lit(*signal)),
            _ => Lit::FALSE,
        });
        let signals = signals.collect();
        let recurring = branching.recurring().into_iter().map(|q| states.lit(q)).collect();
        let nodes = formula.nodes().iter().map(|_| Known::default()).collect();
        let fair = Known::default();
        Tree { levels, job, property, formula, states, circuit, signals, recurring, nodes, fair }
    }

    fn decide(&mut self) -> Result<Decision, Break> {
        loop {
            let Some((start, inputs)) = self.open_start()? else {
                let sets = self.sets(true);
                return Ok(Verdict::Safe(Satisfied { properties: vec![self.property], sets }));
            };
            if self.holds_at(Place::Fair, &start)? && !self.holds(self.formula.root(), &start)? {
                let (path, remarks) = self.path(&start, inputs)?;
                let sets = self.sets(false);
                return Ok(Verdict::Unsafe(Refuted { property: self.property, sets, path, remarks }));
            }
        }
    }

    /// A start that may be fair, and of which the formula may be false; with the inputs of a step.
    fn open_start(&mut self) -> Result<Option<(State, Vec<Ternary>)>, Break> {
        let (root, fair) = (self.lower(self.formula.root()), self.bound(Place::Fair, false));
        let mut sketch = Sketch::of(&self.states.system);
        let (root, fair) = (sketch.set(&self.circuit, root, false), sketch.set(&self.circuit, fair, false));
        let open = sketch.and(!root, fair);
        sketch.bad(open);
        let mut relative = (self.levels)(sketch.system());
        // R ∧ C ∧ ¬L(φ) ∧ U(fair)
        if relative.check(&Step::Bad { level: 0, property: PropertyId::new(0) })? == Answer::Holds {
            return Ok(None);
        }
        let mut state = vec![Ternary::Zero; self.states.system.num_latches()];
        for lit in relative.state() {
            let latch = self.states.system.as_latch(lit.var()).expect("a state is about latches");
            state[latch.index()] = Ternary::from(!lit.is_negated());
        }
        let weights = vec![0.0; state.len()];
        let inputs = relative.predecessor(&weights, Lifting::Quick)?.inputs;
        Ok(Some((state, self.inputs(&inputs))))
    }

    fn inputs(&self, ones: &[buttress_system::InputId]) -> Vec<Ternary> {
        let mut row = vec![Ternary::Zero; self.states.system.num_inputs()];
        ones.iter().for_each(|i| row[i.index()] = Ternary::One);
        row
    }

    fn lower(&mut self, node: NodeId) -> Lit {
        self.bound_of(node, true)
    }

    fn bound_of(&mut self, node: NodeId, lower: bool) -> Lit {
        match self.formula.says(node) {
            Says::Constant(value) => Lit::constant(value),
            Says::Signal(_) => self.signals[node.index()],
            Says::Not(a) => !self.bound_of(a, !lower),
            Says::And(a, b) => {
                let (a, b) = (self.bound_of(a, lower), self.bound_of(b, lower));
                self.circuit.and(a, b)
            }
            Says::Next(_) | Says::Until(..) | Says::Always(_) => self.bound(Place::Node(node), lower),
        }
    }

    /// The bound of a temporal node.
    fn bound(&mut self, place: Place, lower: bool) -> Lit {
        if place == Place::Fair && self.job.system.is_free() {
            return Lit::TRUE;
        }
        let around = match (place, lower) {
            (Place::Fair, false) => Lit::TRUE,
            (Place::Fair, true) => Lit::FALSE,
            (Place::Node(node), _) => match (self.formula.says(node), lower) {
                (Says::Until(_, b), true) => self.fairly(b, true),
                (Says::Until(a, b), false) => {
                    let (a, b) = (self.bound_of(a, false), self.fairly(b, false));
                    self.circuit.or(a, b)
                }
                (Says::Always(a), false) => self.bound_of(a, false),
                (_, false) => Lit::TRUE,
                (_, true) => Lit::FALSE,
            },
        };
        let known = known(&self.nodes, &self.fair, place);
        if lower {
            let sets = known.joined.iter().copied().chain(known.rounds.iter().map(|r| r.set));
            return sets.fold(around, |all, set| self.circuit.or(all, set));
        }
        known.left.iter().fold(around, |all, &(set, _)| self.circuit.and(all, !set))
    }

    /// `Lf(a)` or `Uf(a)`
    fn fairly(&mut self, a: NodeId, lower: bool) -> Lit {
        let (a, fair) = (self.bound_of(a, lower), self.bound(Place::Fair, lower));
        self.circuit.and(a, fair)
    }

    fn contains(&self, set: Lit, state: &State) -> bool {
        self.circuit.contains(set, self.states.first_latch(), state)
    }

    fn known_mut(&mut self, place: Place) -> &mut Known {
        match place {
            Place::Node(node) => &mut self.nodes[node.index()],
            Place::Fair => &mut self.fair,
        }
    }

    /// Decides a node of a state.
    fn holds(&mut self, node: NodeId, state: &State) -> Result<bool, Break> {
        match self.formula.says(node) {
            Says::Constant(value) => Ok(value),
            Says::Signal(_) => Ok(self.contains(self.signals[node.index()], state)),
            Says::Not(a) => Ok(!self.holds(a, state)?),
            Says::And(a, b) => Ok(self.holds(a, state)? && self.holds(b, state)?),
            Says::Next(_) | Says::Until(..) | Says::Always(_) => self.holds_at(Place::Node(node), state),
        }
    }

    fn holds_fairly(&mut self, node: NodeId, state: &State) -> Result<bool, Break> {
        Ok(self.holds(node, state)? && self.holds_at(Place::Fair, state)?)
    }

    fn holds_at(&mut self, place: Place, state: &State) -> Result<bool, Break> {
        loop {
            let lower = self.bound(place, true);
            if self.contains(lower, state) {
                return Ok(true);
            }
            let upper = self.bound(place, false);
            if !self.contains(upper, state) {
                return Ok(false);
            }
            self.job.stop.check()?;
            if self.job.desk.is_decided(self.property) {
                return Err(Break::Elsewhere);
            }
            let size = self.circuit.gates.len() as u64;
            self.job.desk.progress(Progress { size, open: 1, ..Progress::default() });
            match place {
                Place::Fair => self.always(place, None, state)?,
                Place::Node(node) => match self.formula.says(node) {
                    Says::Next(a) => self.next(place, a, state)?,
                    Says::Until(a, b) => self.until(place, a, b, state)?,
                    Says::Always(a) => self.always(place, Some(a), state)?,
                    _ => unreachable!("a temporal node"),
                },
            }
        }
    }

    /// A step from a state to a set, where the state is in another and the step has signals; lifted: all states of
    /// the cube go there by a step with these inputs.
    fn step(
        &mut self,
        state: &State,
        within: Lit,
        to: Lit,
        signals: &[Lit],
    ) -> Result<Option<(Lit, Vec<Ternary>)>, Break> {
        let mut sketch = Sketch::of(&self.states.system);
        sketch.begin(state);
        let mut all = sketch.set(&self.circuit, to, true);
        let here = sketch.set(&self.circuit, within, false);
        for &more in signals.iter().chain([&here]) {
            all = sketch.and(all, more);
        }
        sketch.bad(all);
        let mut relative = (self.levels)(sketch.system());
        if relative.check(&Step::Bad { level: 0, property: PropertyId::new(0) })? == Answer::Holds {
            return Ok(None);
        }
        let found = relative.predecessor(&vec![0.0; state.len()], Lifting::Thorough)?;
        let (cube, inputs) = (self.circuit.all(found.cube), self.inputs(&found.inputs));
        Ok(Some((cube, inputs)))
    }

    /// One step of `EX a`.
    fn next(&mut self, place: Place, a: NodeId, state: &State) -> Result<(), Break> {
        let upper = self.fairly(a, false);
        let Some((_, inputs)) = self.step(state, Lit::TRUE, upper, &[])? else {
            let cube = self.without_step(state, upper)?;
            self.known_mut(place).left.push((cube, 0));
            return Ok(());
        };
        let after = self.states.next(state, &inputs);
        if self.holds_fairly(a, &after)? {
            let lower = self.fairly(a, true);
            let (cube, _) = self.step(state, Lit::TRUE, lower, &[])?.expect("a step leads there");
            self.known_mut(place).joined.push(cube);
        }
        Ok(())
    }

    /// The reason why no step leads from a state to a set, as a cube.
    fn without_step(&mut self, state: &State, to: Lit) -> Result<Lit, Break> {
        let mut sketch = Sketch::of(&self.states.system);
        let there = sketch.set(&self.circuit, to, true);
        sketch.require(there);
        let mut relative = (self.levels)(sketch.system());
        let mut cube = self.states.cube(state);
        loop {
            // s ∧ C ∧ T ∧ to'
            let answer = relative.check(&Step::In { level: FOREVER, cube: &cube })?;
            assert_eq!(answer, Answer::Holds, "no step leads there");
            let core = relative.core();
            if core.len() == cube.len() {
                return Ok(self.circuit.all(core));
            }
            cube = core;
        }
    }

    /// One query of `E a U b`.
    fn until(&mut self, place: Place, a: NodeId, b: NodeId, state: &State) -> Result<(), Break> {
        if !std::mem::replace(&mut self.known_mut(place).asked, true)
            && self.by_walking(place, a, b, state)?
        {
            return Ok(());
        }
        let (held, end) = (self.bound_of(a, false), self.fairly(b, false));
        let mut sketch = Sketch::of(&self.states.system);
        sketch.begin(state);
        let held = sketch.set(&self.circuit, held, false);
        let end = sketch.set(&self.circuit, end, false);
        // Steps are taken from U(a) only, and none from the end.
        sketch.weaken(end);
        let on = !sketch.and(!held, !end);
        sketch.require(on);
        sketch.bad(end);
        let desk = (self.job.desk, self.property);
        let quiet = Quiet { is_decided: &|| desk.0.is_decided(desk.1) };
        let trace = match reach(self.levels, sketch, &[], &quiet, self.job)? {
            Reached::Elsewhere => return Err(Break::Elsewhere),
            Reached::Given(reason) => return Err(Break::Given(reason)),
            Reached::Never(clauses) => {
                let set = self.clauses(&clauses);
                self.known_mut(place).left.push((set, 0));
                return Ok(());
            }
            Reached::Trace(trace) => trace,
        };
        let mut path = vec![state.clone()];
        for row in &trace.inputs[..trace.last_step()] {
            path.push(self.states.next(&path[path.len() - 1], row));
        }
        self.leads_there(place, a, b, path)?;
        Ok(())
    }

    /// Whether a path is one of `E a U b`; if so, its states join.
    fn leads_there(
        &mut self,
        place: Place,
        a: NodeId,
        b: NodeId,
        mut path: Vec<State>,
    ) -> Result<bool, Break> {
        let last = path.pop().expect("a path has states");
        if !self.holds_fairly(b, &last)? {
            return Ok(false);
        }
        for state in &path {
            if !self.holds(a, state)? {
                return Ok(false);
            }
        }
        let held = self.bound_of(a, true);
        for state in path.iter().rev() {
            let lower = self.bound(place, true);
            if self.contains(lower, state) {
                continue;
            }
            let (cube, _) = self.step(state, held, lower, &[])?.expect("a step leads there");
            self.known_mut(place).joined.push(cube);
        }
        Ok(true)
    }

    /// Whether a formula is about more than a state.
    fn is_temporal(&self, node: NodeId) -> bool {
        match self.formula.says(node) {
            Says::Constant(_) | Says::Signal(_) => false,
            Says::Not(a) => self.is_temporal(a),
            Says::And(a, b) => self.is_temporal(a) || self.is_temporal(b),
            Says::Next(_) | Says::Until(..) | Says::Always(_) => true,
        }
    }

    /// Tries `EF b` of states that random executions come to. Where `b` is about what may still happen, it is often
    /// decided soonest where there is no way back: the game is over, the buffer is full for good.
    fn by_walking(&mut self, place: Place, a: NodeId, b: NodeId, state: &State) -> Result<bool, Break> {
        if !matches!(self.formula.says(a), Says::Constant(true)) || !self.is_temporal(b) {
            return Ok(false);
        }
        let system = self.states.system.clone();
        let begin = Begin::At(state.iter().map(|&value| value == Ternary::One).collect());
        let mut executions = Executions::new(&system, begin, self.job.seed);
        let rounds = (WALKED / (executions.work() + 1)).min(ROUNDS) as usize;
        for round in 1..=rounds {
            executions.round(&[], self.job.stop)?;
            if !executions.is_stale() && round % (rounds / 4 + 1) != 0 && round < rounds {
                continue;
            }
            let path = executions.best();
            let states = path.states.iter().map(|s| s.iter().map(|&v| Ternary::from(v)).collect());
            if self.leads_there(place, a, b, states.collect())? {
                return Ok(true);
            }
            if executions.is_stale() {
                executions.restart();
            }
        }
        Ok(false)
    }

    /// One query of `EG a`, or of fairness.
    fn always(&mut self, place: Place, a: Option<NodeId>, state: &State) -> Result<(), Break> {
        if !std::mem::replace(&mut self.known_mut(place).asked, true)
            && let Some(never) = self.never_at_all(place)?
        {
            let left = self.arenas(&never);
            self.known_mut(place).left.extend(left);
            return Ok(());
        }
        let (trace, back) = match self.recurs(place, Some(state), u64::MAX)? {
            None => return Err(Break::Elsewhere),
            Some(Recurrence::Unknown(reason)) => return Err(Break::Given(reason)),
            Some(Recurrence::Never(never)) => {
                let left = self.arenas(&never);
                self.known_mut(place).left.extend(left);
                return Ok(());
            }
            Some(Recurrence::Lasso { trace, back }) => (trace, back),
        };
        let mut lasso = vec![state.clone()];
        for row in &trace.inputs[..trace.last_step()] {
            lasso.push(self.states.next(&lasso[lasso.len() - 1], row));
        }
        for state in &lasso {
            if let Some(a) = a
                && !self.holds(a, state)?
            {
                return Ok(());
            }
        }
        self.go_round(place, a, &lasso, &trace.inputs, back)
    }

    /// Asks FAIR from a state on, or from anywhere, with so many questions to IC3 of so many queries each.
    fn recurs(
        &mut self,
        place: Place,
        from: Option<&State>,
        granted: u64,
    ) -> Result<Option<Recurrence>, Stopped> {
        let upper = self.bound(place, false);
        let mut sketch = Sketch::of(&self.states.system);
        match from {
            Some(state) => sketch.begin(state),
            None => sketch.begin_anywhere(),
        }
        let within = sketch.set(&self.circuit, upper, false);
        sketch.require(within);
        sketch.bad(Lit::TRUE);
        let system = sketch.system();
        let desk = (self.job.desk, self.property);
        let quiet = Quiet { is_decided: &|| desk.0.is_decided(desk.1) };
        let (levels, mut asked) = (&mut *self.levels, 0);
        let mut limited = |own| {
            let mut relative = levels(own);
            asked += 1;
            relative.grant(if asked > granted { 0 } else { granted });
            relative
        };
        recurrence(&mut limited, &quiet.job(&system, self.job), &system, &self.recurring)
    }

    /// Where no state at all begins a fair path, a few questions may show it, and spare one for each state.
    fn never_at_all(&mut self, place: Place) -> Result<Option<Never>, Break> {
        const GRANTED: u64 = 60;
        match self.recurs(place, None, GRANTED) {
            Ok(Some(Recurrence::Never(never))) => Ok(Some(never)),
            Ok(None) => Err(Break::Elsewhere),
            Ok(Some(Recurrence::Lasso { .. } | Recurrence::Unknown(_))) | Err(Stopped::Budget) => Ok(None),
            Err(stopped) => Err(Break::Stopped(stopped)),
        }
    }

    /// A lasso joins the lower bound, from its last step to its first.
    fn go_round(
        &mut self,
        place: Place,
        a: Option<NodeId>,
        lasso: &[State],
        inputs: &[Vec<Ternary>],
        back: usize,
    ) -> Result<(), Break> {
        let held = a.map_or(Lit::TRUE, |a| self.bound_of(a, true));
        let owed = self.owed(lasso, inputs, back);
        let cube = self.states.cube(&lasso[back]);
        let mut to = self.circuit.all(cube);
        let first = known(&self.nodes, &self.fair, place).rounds.len();
        let last = lasso.len() - 1;
        for (step, state) in lasso.iter().enumerate().rev() {
            let meets: Vec<bool> = owed.iter().map(|&at| at == step).collect();
            let signals: Vec<Lit> =
                self.recurring.iter().zip(&meets).filter(|(_, owed)| **owed).map(|(&q, _)| q).collect();
            let (set, _) = self.step(state, held, to, &signals)?.expect("a step leads there");
            // The steps stand in the list from the last to the first.
            let next = if step == last { first + last - back } else { first + last - step - 1 };
            self.known_mut(place).rounds.push(Round { set, to: next, meets });
            to = set;
        }
        Ok(())
    }

    /// For each signal a step on the way round that has it.
    fn owed(&self, lasso: &[State], inputs: &[Vec<Ternary>], back: usize) -> Vec<usize> {
        use buttress_system::evidence::{evaluate, value};
        let values: Vec<_> = (back..lasso.len())
            .map(|step| evaluate(&self.states.system, &lasso[step], &inputs[step]))
            .collect();
        let met = |q: &Lit| values.iter().position(|values| value(values, *q) == Ternary::One);
        self.recurring.iter().map(|q| back + met(q).expect("a lasso meets all signals")).collect()
    }

    /// The arenas that lack a signal, those first that others lead to.
    fn arenas(&mut self, never: &Never) -> Vec<(Lit, usize)> {
        let reached = self.clauses(&never.invariant);
        let (mut left, mut open) = (Vec::new(), vec![(0, reached)]);
        while let Some((number, states)) = open.pop() {
            match &never.arenas[number] {
                Arena::Lacks(signal) => left.push((states, *signal)),
                Arena::Wall { set, inside, outside } => {
                    let set = self.clauses(set);
                    let beyond = self.circuit.and(states, !set);
                    let within = self.circuit.and(states, set);
                    open.extend([(*outside, beyond), (*inside, within)]);
                }
            }
        }
        left
    }

    fn clauses(&mut self, clauses: &[Clause]) -> Lit {
        let mut all = Lit::TRUE;
        for clause in clauses {
            let none = self.circuit.all(clause.0.iter().map(|&l| !l));
            all = self.circuit.and(all, !none);
        }
        all
    }
}

fn known<'a>(nodes: &'a [Known], fair: &'a Known, place: Place) -> &'a Known {
    match place {
        Place::Node(node) => &nodes[node.index()],
        Place::Fair => fair,
    }
}

/// A signal that is a function of latches, as a set.
fn copied(circuit: &mut Circuit, states: &States<'_>, signal: Lit) -> Lit {
    let system = &states.system;
    let mut marked = vec![false; system.num_vars()];
    system.mark_cone([signal], &mut marked);
    let mut image: Vec<Lit> = (0..system.num_vars() as u32).map(|v| Lit::from_code(2 * v)).collect();
    let at = |image: &[Lit], lit: Lit| image[lit.var().index()] ^ lit.is_negated();
    let first = system.first_gate();
    for (g, &[a, b]) in system.gates().iter().enumerate().filter(|(g, _)| marked[first + g]) {
        let (a, b) = (at(&image, a), at(&image, b));
        image[first + g] = circuit.and(a, b);
    }
    at(&image, signal)
}
