//! What decision diagrams say about the executions of a system.
//!
//! ```text
//! after(S)   the states after a step from S                      before(S)  the states from which a step leads to S
//! reach      μR. start ∨ after(R)
//! until      μS. (end ∧ R) ∨ (held ∧ before(S))
//! hull       νZ. held ∧ R ∧ ⋀_q until(Z, Z ∧ before_q(Z))        before_q: by a step that has the signal q
//! ```
//!
//! The last is the hull of Emerson & Lei ("Modalities for model checking", 1987): the states from which a path
//! within `held` meets each signal again and again. All sets on the way are kept, as evidence is made of them.
//!
//! States that are not reached are left out where the reached ones can be computed; else all states count.

use std::cell::Cell;

use buttress_solve::bdd::{Bdd, Substitution, Variables};
use buttress_solve::{Stop, Stopped};
use buttress_system::evidence::{evaluate, value};
use buttress_system::{BitSystem, InputId, LatchId, Lit, Node, Ternary};

use super::{Diagrams, Relation, Space, Steps, outgrown};

/// Steps forward after which all states count.
const MOST_STEPS: usize = 3_000;

/// How steps are computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// By putting functions in the place of latches, and only backward: for sets of few latches.
    Functions,
    /// Forward, too, so that states that are not reached can be left out.
    Relation,
}

/// What is tried first, one after the other: how, with how many nodes, and at most so many steps. Much is easy.
const FIRST_TRIES: [(By, usize, usize); 3] =
    [(By::Functions, 1 << 16, 300), (By::Functions, 1 << 20, 60), (By::Relation, 1 << 20, usize::MAX)];

/// A way to try.
#[derive(Clone, Copy)]
pub(crate) struct Try {
    by: By,
    choice: Diagrams,
    steps: usize,
}

/// Tries one way after the other; where none of them does, the reason.
pub(crate) fn in_tries<A>(
    choice: Diagrams,
    mut attempt: impl FnMut(Try) -> Result<A, Stopped>,
) -> Result<Result<A, String>, Stopped> {
    let is_worth_it = |&(by, nodes, _): &(By, usize, usize)| {
        nodes < choice.nodes && !(choice.forward && by == By::Functions)
    };
    let last = (By::Relation, choice.nodes, usize::MAX);
    for (by, nodes, steps) in FIRST_TRIES.into_iter().filter(is_worth_it).chain([last]) {
        match attempt(Try { by, choice: Diagrams { nodes, ..choice }, steps }) {
            Err(Stopped::Nodes(_) | Stopped::Budget) => continue,
            outcome => return outcome.map(Ok),
        }
    }
    Ok(Err(outgrown(choice.nodes)))
}

/// What executions are made of.
pub(crate) struct Scope<'a> {
    pub system: &'a BitSystem,
    /// What is asked about, beside constraints and signals.
    pub roots: Vec<Lit>,
    /// Signals that are to be met again and again.
    pub recurring: Vec<Lit>,
    /// Which inputs belong to a state: they are there before the step, all others are chosen with it.
    pub read: Vec<bool>,
}

pub(crate) struct Moves<'a> {
    system: &'a BitSystem,
    pub space: Space<'a>,
    read: Vec<bool>,
    own: Variables,
    next: Vec<(LatchId, Bdd)>,
    stepping: Stepping,
    /// C(x,i)
    constraints: Bdd,
    /// C(x,i) ∧ R(x,i)
    pub start: Bdd,
    recurring: Vec<Bdd>,
    /// Contains all states that are reached.
    pub reached: Bdd,
    /// How many steps may still be taken.
    steps: Cell<usize>,
    /// Told after each step how many nodes there are.
    told: &'a dyn Fn(usize),
}

enum Stepping {
    Functions(Functions),
    Relation(Relation),
}

/// F(x,i), and the inputs that do not belong to a state.
struct Functions {
    step: Substitution,
    others: Variables,
}

/// A hull, and how it was found.
pub(crate) struct Hull {
    pub states: Bdd,
    /// Smaller and smaller sets: all that is left out lacks the signal.
    pub shrinks: Vec<(Bdd, usize)>,
    /// For each signal, growing sets from where a step with it stays in the hull.
    pub rings: Vec<Vec<Bdd>>,
}

impl<'a> Moves<'a> {
    /// With all states as reached.
    pub fn new(
        scope: Scope<'a>,
        way: Try,
        told: &'a dyn Fn(usize),
        stop: &Stop,
    ) -> Result<Moves<'a>, Stopped> {
        let Scope { system, mut roots, recurring, read } = scope;
        roots.extend(system.constraints.iter().chain(&recurring));
        let space = Space::with_next(system, way.choice, &roots, stop)?;
        let cone = system.closure(roots);
        let latches: Vec<LatchId> =
            system.latches().filter(|&l| cone[system.latch_lit(l).var().index()]).collect();
        let functions: Vec<Lit> = latches.iter().map(|&l| system.latch(l).next).collect();
        let next: Vec<(LatchId, Bdd)> = latches.into_iter().zip(space.functions(&functions)?).collect();
        let level = |i: InputId| space.level(system.input_lit(i).var());
        let own: Vec<u32> = system.inputs().filter(|i| read[i.index()]).map(level).collect();
        let stepping = match way.by {
            By::Functions => {
                let others = system.inputs().filter(|i| !read[i.index()]).map(level);
                let others = space.bdds.variables(others)?;
                Stepping::Functions(Functions { step: substitution(&space, &next), others })
            }
            By::Relation => Stepping::Relation(Relation::new(
                &space.bdds,
                &Steps {
                    next: (next.iter())
                        .map(|(l, f)| (space.latch_level(*l), space.next_level(*l), f.clone()))
                        .collect(),
                    constraints: space.functions(&system.constraints)?,
                    inputs: system.inputs().map(level).collect(),
                    own: own.clone(),
                    of_signals: space.functions(&recurring)?.iter().flat_map(Bdd::reads).collect(),
                },
            )?),
        };
        let constraints = space.conjunction(&system.constraints)?;
        let start = space.bdds.and(&space.resets()?, &constraints)?;
        let own = space.bdds.variables(own)?;
        let recurring = space.functions(&recurring)?;
        let reached = space.bdds.constant(true);
        let steps = Cell::new(way.steps);
        Ok(Moves {
            system,
            space,
            read,
            own,
            next,
            stepping,
            constraints,
            start,
            recurring,
            reached,
            steps,
            told,
        })
    }

    /// Leaves out what is not reached, unless it takes too many steps or there is no way forward.
    pub fn reach(&mut self) -> Result<(), Stopped> {
        let Stepping::Relation(relation) = &self.stepping else { return Ok(()) };
        let bdds = &self.space.bdds;
        let of_states: Vec<u32> = self.next.iter().map(|(l, _)| self.space.latch_level(*l)).collect();
        let others = self.space.levels().filter(|level| !of_states.contains(level));
        let mut all = bdds.exists(&self.start, &bdds.variables(others)?)?;
        let mut new = all.clone();
        for _ in 0..MOST_STEPS {
            new = bdds.minus(&relation.after(bdds, &new)?, &all)?;
            if new.constant() == Some(false) {
                self.reached = all;
                return Ok(());
            }
            all = bdds.or(&all, &new)?;
            (self.told)(bdds.nodes());
        }
        Ok(())
    }

    /// From where a step leads to these states, one that has the signal where it is given.
    pub fn before(&self, states: &Bdd, signal: Option<usize>) -> Result<Bdd, Stopped> {
        self.steps.set(self.steps.get().checked_sub(1).ok_or(Stopped::Budget)?);
        let bdds = &self.space.bdds;
        let signal = signal.map(|number| &self.recurring[number]);
        // Of a state that is reached, no step leads out of those.
        let states = bdds.simplify(&bdds.exists(states, &self.own)?, &self.reached)?;
        let from = match &self.stepping {
            Stepping::Relation(relation) => relation.before(bdds, &states, signal)?,
            Stepping::Functions(Functions { step, others }) => {
                let met = signal
                    .map_or_else(|| Ok(self.constraints.clone()), |s| bdds.and(&self.constraints, s))?;
                bdds.and_exists(&bdds.compose(&states, step)?, &met, others)?
            }
        };
        (self.told)(bdds.nodes());
        bdds.and(&from, &self.reached)
    }

    /// Growing sets from `end` on, within `held`.
    pub fn until(&self, held: &Bdd, end: &Bdd) -> Result<Vec<Bdd>, Stopped> {
        let bdds = &self.space.bdds;
        let end = bdds.and(end, &self.reached)?;
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

    pub fn hull(&self, held: &Bdd) -> Result<Hull, Stopped> {
        let bdds = &self.space.bdds;
        let (mut states, mut shrinks) = (bdds.and(held, &self.reached)?, Vec::new());
        loop {
            let (before, mut rings) = (states.clone(), Vec::new());
            for signal in 0..self.recurring.len() {
                let met = bdds.and(&states, &self.before(&states, Some(signal))?)?;
                let grown = self.until(&states, &met)?;
                let last = grown[grown.len() - 1].clone();
                if last != states {
                    shrinks.push((last.clone(), signal));
                    states = last;
                }
                rings.push(grown);
            }
            if states == before {
                return Ok(Hull { states, shrinks, rings });
            }
        }
    }

    /// A point of the set, with zeros where it says nothing. `None` where it is empty.
    pub fn point(&self, points: &Bdd) -> Option<Point> {
        let product = points.implicant()?;
        let mut point = Point {
            latches: vec![false; self.system.num_latches()],
            inputs: vec![false; self.system.num_inputs()],
        };
        point.set(self.system, &self.space.literals(&product), |_| true);
        Some(point)
    }

    /// The state of a point, as a product.
    pub fn state(&self, point: &Point) -> Result<Bdd, Stopped> {
        let system = self.system;
        let latches = system.latches().map(|l| (self.space.latch_level(l), point.latches[l.index()]));
        let read = system.inputs().filter(|i| self.read[i.index()]);
        let read = read.map(|i| (self.space.level(system.input_lit(i).var()), point.inputs[i.index()]));
        self.space.bdds.product(latches.chain(read))
    }

    pub fn is_in(&self, states: &Bdd, point: &Point) -> Result<bool, Stopped> {
        Ok(self.space.bdds.restrict(states, &self.state(point)?)?.constant() == Some(true))
    }

    /// The smallest of growing sets that a point is in.
    pub fn ring_of(&self, rings: &[Bdd], point: &Point) -> Result<usize, Stopped> {
        for (number, ring) in rings.iter().enumerate() {
            if self.is_in(ring, point)? {
                return Ok(number);
            }
        }
        unreachable!("it is in the last of them")
    }

    /// A step to one of these states, by a signal where one is given: the inputs of the step, with those of the
    /// state as they are, and the point after it, with inputs that the constraints allow there.
    pub fn go(
        &self,
        from: &Point,
        target: &Bdd,
        signal: Option<usize>,
    ) -> Result<(Vec<bool>, Point), Stopped> {
        let bdds = &self.space.bdds;
        let here = self.state(from)?;
        let next: Vec<(LatchId, Bdd)> = self
            .next
            .iter()
            .map(|(l, f)| Ok((*l, bdds.restrict(f, &here)?)))
            .collect::<Result<_, Stopped>>()?;
        let mut choice = bdds.compose(&bdds.exists(target, &self.own)?, &substitution(&self.space, &next))?;
        for needed in [&self.constraints].into_iter().chain(signal.map(|number| &self.recurring[number])) {
            choice = bdds.and(&choice, &bdds.restrict(needed, &here)?)?;
        }
        let choice = choice.implicant().expect("a step leads there");
        let mut step = from.clone();
        step.set(self.system, &self.space.literals(&choice), |input| !self.read[input.index()]);
        let values = evaluate(self.system, &known(&step.latches), &known(&step.inputs));
        let next = |l: LatchId| value(&values, self.system.latch(l).next) == Ternary::One;
        let latches: Vec<bool> = self.system.latches().map(next).collect();
        let there =
            bdds.product(self.system.latches().map(|l| (self.space.latch_level(l), latches[l.index()])))?;
        let arrived = bdds.restrict(&bdds.and(&self.constraints, target)?, &there)?;
        let row = arrived.implicant().expect("executions go on there");
        let mut after = Point { latches, inputs: vec![false; self.system.num_inputs()] };
        after.set(self.system, &self.space.literals(&row), |_| true);
        Ok((step.inputs, after))
    }
}

/// A state and the inputs of its step.
#[derive(Clone)]
pub(crate) struct Point {
    pub latches: Vec<bool>,
    pub inputs: Vec<bool>,
}

impl Point {
    /// Takes values from a product: those of latches, and of the inputs that are wanted.
    fn set(&mut self, system: &BitSystem, product: &[Lit], wanted: impl Fn(InputId) -> bool) {
        for lit in product {
            match system.node(lit.var()) {
                Node::Latch(latch) => self.latches[latch.index()] = !lit.is_negated(),
                Node::Input(input) if wanted(input) => self.inputs[input.index()] = !lit.is_negated(),
                Node::Input(_) | Node::Constant | Node::Gate(..) => {}
            }
        }
    }
}

fn substitution(space: &Space<'_>, next: &[(LatchId, Bdd)]) -> Substitution {
    space.bdds.substitution(next.iter().map(|(l, f)| (space.latch_level(*l), f.clone())))
}

/// Values that are all known.
pub(crate) fn known(values: &[bool]) -> Vec<Ternary> {
    values.iter().map(|&v| Ternary::from(v)).collect()
}

#[cfg(test)]
mod tests {
    use buttress_system::{Latch, Var};

    use super::*;

    /// A number generator: the same numbers every time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 20) as usize % bound
        }
    }

    const LATCHES: usize = 4;
    const INPUTS: usize = 3;

    /// Some gates over four latches and three inputs; a constraint, and two signals.
    fn scope(numbers: &mut Numbers) -> (BitSystem, Vec<Lit>) {
        let mut system = BitSystem::new(INPUTS, LATCHES);
        let any = |numbers: &mut Numbers, count: usize| {
            Var::new(1 + numbers.below(count - 1) as u32).lit() ^ (numbers.below(2) == 0)
        };
        for _ in 0..14 {
            let count = system.num_vars();
            let (a, b) = (any(numbers, count), any(numbers, count));
            system.push_gate(a, b);
        }
        let count = system.num_vars();
        for latch in 0..LATCHES {
            let (next, reset) = (any(numbers, count), Lit::constant(numbers.below(2) == 0));
            system.set_latch(LatchId::new(latch), Latch { next, reset });
        }
        if numbers.below(2) == 0 {
            let (a, b) = (any(numbers, count), any(numbers, count));
            let either = !system.push_gate(a, b);
            system.constraints.push(either);
        }
        let signals = vec![any(numbers, count), any(numbers, count)];
        (system, signals)
    }

    fn bits(number: usize, count: usize) -> Vec<bool> {
        (0..count).map(|bit| number >> bit & 1 == 1).collect()
    }

    /// Whether a step is allowed and has the signal, and where it leads.
    fn step(system: &BitSystem, signal: Lit, from: usize, inputs: usize) -> Option<usize> {
        let values = evaluate(system, &known(&bits(from, LATCHES)), &known(&bits(inputs, INPUTS)));
        let is = |lit: Lit| value(&values, lit) == Ternary::One;
        let allowed = system.constraints.iter().all(|&c| is(c)) && is(signal);
        let after = |l: LatchId| usize::from(is(system.latch(l).next)) << l.index();
        allowed.then(|| system.latches().map(after).sum())
    }

    /// The states of a diagram, each as a number.
    fn listed(moves: &Moves<'_>, states: &Bdd) -> Vec<usize> {
        let holds = |state: &usize| {
            let point = Point { latches: bits(*state, LATCHES), inputs: vec![false; INPUTS] };
            moves.is_in(states, &point).unwrap()
        };
        (0..1 << LATCHES).filter(holds).collect()
    }

    #[test]
    fn steps_are_those_of_the_system_whichever_way() {
        let (told, stop) = (|_: usize| {}, Stop::new());
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        for _ in 0..200 {
            let (system, signals) = scope(&mut numbers);
            let roots: Vec<Lit> = system.latches().map(|l| system.latch_lit(l)).collect();
            let mut hulls: Vec<Vec<usize>> = Vec::new();
            for by in [By::Functions, By::Relation] {
                let choice = Diagrams { nodes: 1 << 14, ..Diagrams::default() };
                let way = Try { by, choice, steps: usize::MAX };
                let read = vec![false; INPUTS];
                let scope = Scope { system: &system, roots: roots.clone(), recurring: signals.clone(), read };
                let mut moves = Moves::new(scope, way, &told, &stop).unwrap();
                let target = numbers.below(1 << LATCHES);
                let point = Point { latches: bits(target, LATCHES), inputs: vec![false; INPUTS] };
                let state = moves.state(&point).unwrap();
                for (signal, lit) in [(None, Lit::TRUE), (Some(0), signals[0]), (Some(1), signals[1])] {
                    let leads =
                        |from: &usize| (0..1 << INPUTS).any(|i| step(&system, lit, *from, i) == Some(target));
                    let wanted: Vec<usize> = (0..1 << LATCHES).filter(leads).collect();
                    assert_eq!(listed(&moves, &moves.before(&state, signal).unwrap()), wanted);
                }
                if by == By::Relation {
                    moves.reach().unwrap();
                    assert_eq!(listed(&moves, &moves.reached), reached(&system));
                }
                let hull = moves.hull(&moves.space.bdds.constant(true)).unwrap();
                hulls.push(listed(&moves, &hull.states));
            }
            let reached = reached(&system);
            hulls[0].retain(|state| reached.contains(state));
            assert_eq!(hulls[0], hulls[1]);
        }
    }

    fn reached(system: &BitSystem) -> Vec<usize> {
        let start: usize =
            system.latches().map(|l| usize::from(system.latch(l).reset == Lit::TRUE) << l.index()).sum();
        let goes_on = |state: usize| (0..1 << INPUTS).any(|i| step(system, Lit::TRUE, state, i).is_some());
        let (mut found, mut open) = (vec![false; 1 << LATCHES], Vec::new());
        if goes_on(start) {
            open.push(start);
        }
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut found[state], true) {
                open.extend((0..1 << INPUTS).filter_map(|i| step(system, Lit::TRUE, state, i)));
            }
        }
        (0..1 << LATCHES).filter(|&state| found[state]).collect()
    }
}
