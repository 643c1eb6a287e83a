//! FAIR (Bradley, Somenzi, Hassan & Zhang, "An incremental approach to model checking progress properties", FMCAD
//! 2011): is there an execution that meets each of some signals again and again? It is a question about strongly
//! connected components, and it is split into questions about reachability, which IC3 answers.
//!
//! The states are split into *arenas* by *walls*. A wall of an arena `A` is a set `P` that no step within `A`
//! leaves; whoever stays in `A` stays in `A ∩ P` or in `A ∖ P` some day, so that a component lies on one side. Of
//! an arena it is asked, with `Inv` the states that may be reached:
//!
//! 1. *Skeleton*: for each signal q, `Inv ∧ A ∧ C ∧ q ∧ T ∧ A'`. Where there is no such step, the arena lacks q and is
//!    done with.
//! 2. *Stem*: can a step within `A` that has the first signal be reached? If not, the invariant that says so becomes
//!    a part of `Inv`, and the arena lacks this signal.
//! 3. *Round*: from there, within `A`, to a step with the second signal, and so on; and from after the last one back
//!    to the state before the first step. Then a lasso is closed. Otherwise IC3's invariant contains the state after
//!    some step, and no way on: it is a wall. Inside there is no step with the signal that was looked for, or else not
//!    the state that was to be reached again.
//!
//! Either side of a wall has fewer states than the arena: that of the state after the step, and that of what was
//! to be reached. So all comes to an end. No arena left means that no execution meets all signals again and again,
//! and the tree of arenas is the proof ([`buttress_system::Arena`]).
//!
//! In the paper a skeleton is one state for each signal, all on the same side of every wall, and the queries go
//! from one to the next. Here it only says which arenas are worth it: what is reached next is any step that has
//! the signal, and the states in between are those of a real execution from the start, so that one stem query an
//! arena is enough, and none inside of a wall.
//!
//! Limits: resets that read inputs, as of IC3. A wall that one arena needs is not tried in another.

use buttress_query::{Answer, FOREVER, Step};
use buttress_solve::Stopped;
use buttress_system::evidence::{evaluate, value};
use buttress_system::{
    Arena, BitSystem, Clause, Lit, Proof, PropertyId, Reason, Subject, Ternary, Trace, Verdict,
};

use crate::dual::LevelsOf;
use crate::ic3::search;
use crate::sketch::Sketch;
use crate::{Cursor, Desk, Episode, Job, News, Progress, Told};

/// The answer about signals that recur.
pub enum Recurrence {
    /// An execution that meets all of them; after its last step comes the step `back` again.
    Lasso {
        trace: Trace,
        back: usize,
    },
    /// There is none.
    Never(Never),
    Unknown(Reason),
}

/// An invariant, and a tree of arenas each of which lacks a signal.
pub struct Never {
    pub invariant: Vec<Clause>,
    pub arenas: Vec<Arena<Vec<Clause>>>,
}

/// Whether an execution meets all signals again and again, which are the bad states of the job's properties.
/// `None` where somebody else knows.
pub type RunArenas = fn(&mut LevelsOf<'_>, &Job<'_>) -> Result<Option<Recurrence>, Stopped>;

/// The row's function.
pub(crate) fn fair(levels: &mut LevelsOf<'_>, job: &Job<'_>) -> Result<Option<Recurrence>, Stopped> {
    if job.resets_read_inputs() {
        return Ok(Some(Recurrence::Unknown(Reason::Incomplete("resets read inputs".to_string()))));
    }
    let signals: Vec<Lit> = job.properties.iter().map(|&p| job.system.property(p).bad).collect();
    recurrence(levels, job, job.system, &signals)
}

/// Whether an execution of this system meets all signals again and again; of the job the settings and the desk.
pub(crate) fn recurrence(
    levels: &mut LevelsOf<'_>,
    job: &Job<'_>,
    system: &BitSystem,
    signals: &[Lit],
) -> Result<Option<Recurrence>, Stopped> {
    let mut search = Search { levels, job, system, signals, invariant: Vec::new(), arenas: Vec::new() };
    search.arenas.push(Arena::Lacks(0));
    let mut open = vec![Open { number: 0, sides: Vec::new(), entry: None }];
    while let Some(arena) = open.pop() {
        job.stop.check()?;
        let [property, ..] = job.properties[..] else { unreachable!("a job is about something") };
        if job.desk.is_decided(property) {
            return Ok(None);
        }
        search.progress(open.len() + 1);
        match search.explore(&arena)? {
            Explored::Lacks(signal) => search.arenas[arena.number] = Arena::Lacks(signal),
            Explored::Split(split) => search.split(arena, split, &mut open),
            Explored::Lasso { trace, back } => return Ok(Some(Recurrence::Lasso { trace, back })),
            Explored::Given(reason) => return Ok(Some(Recurrence::Unknown(reason))),
            Explored::Elsewhere => return Ok(None),
        }
    }
    let Search { invariant, arenas, .. } = search;
    Ok(Some(Recurrence::Never(Never { invariant, arenas })))
}

/// A state, with its latches' values.
pub(crate) type State = Vec<Ternary>;

/// The inputs from the first state of an execution on, and the state after them.
#[derive(Clone)]
struct Path {
    initial: State,
    inputs: Vec<Vec<Ternary>>,
    state: State,
}

/// An arena that is not done with.
struct Open {
    number: usize,
    /// The walls around it, by their arena, and whether it is inside.
    sides: Vec<(usize, bool)>,
    /// A way to one of its states.
    entry: Option<Path>,
}

/// What is known of an arena.
enum Explored {
    Lacks(usize),
    Split(Split),
    Lasso { trace: Trace, back: usize },
    Given(Reason),
    Elsewhere,
}

/// A wall.
struct Split {
    set: Vec<Clause>,
    /// The signal that no step inside has, if so; else a way to a state inside.
    inside: Result<usize, Path>,
    /// A way to a state outside.
    outside: Option<Path>,
}

/// Where a way begins.
enum Source<'a> {
    Start,
    At(&'a State),
}

/// Where it is to lead.
enum Target<'a> {
    /// To a step within the arena that has the signal.
    Signal(usize),
    State(&'a State),
}

pub(crate) enum Reached {
    /// The execution from the source, with the inputs of its last state.
    Trace(Trace),
    /// No way leads there: a set that contains the source and that no step leaves.
    Never(Vec<Clause>),
    Given(Reason),
    Elsewhere,
}

struct Search<'a, 'l> {
    levels: &'a mut LevelsOf<'l>,
    job: &'a Job<'a>,
    system: &'a BitSystem,
    signals: &'a [Lit],
    invariant: Vec<Clause>,
    arenas: Vec<Arena<Vec<Clause>>>,
}

/// Goes on with what was reached, or ends.
macro_rules! or_end {
    ($reached:expr, $never:pat => $end:expr) => {
        match $reached {
            Reached::Trace(trace) => trace,
            Reached::Never($never) => $end,
            Reached::Given(reason) => return Ok(Explored::Given(reason)),
            Reached::Elsewhere => return Ok(Explored::Elsewhere),
        }
    };
}

impl Search<'_, '_> {
    fn explore(&mut self, arena: &Open) -> Result<Explored, Stopped> {
        if let Some(signal) = self.lacking(&arena.sides)? {
            return Ok(Explored::Lacks(signal));
        }
        let mut path = match &arena.entry {
            None => {
                let reached = self.reach(Source::Start, Target::Signal(0), &arena.sides)?;
                let stem = or_end!(reached, clauses => {
                    self.invariant.extend(clauses);
                    return Ok(Explored::Lacks(0));
                });
                self.path(stem)
            }
            Some(entry) => {
                let reached = self.reach(Source::At(&entry.state), Target::Signal(0), &arena.sides)?;
                let way = or_end!(reached, set => {
                    return Ok(Explored::Split(Split { set, inside: Ok(0), outside: None }));
                });
                self.after(entry.clone(), way.inputs)
            }
        };
        let first = self.before_last(&path);
        for signal in 1..self.signals.len() {
            let reached = self.reach(Source::At(&path.state), Target::Signal(signal), &arena.sides)?;
            let way = or_end!(reached, set => {
                let outside = (!self.contains(&set, &first.state)).then_some(first);
                return Ok(Explored::Split(Split { set, inside: Ok(signal), outside }));
            });
            path = self.after(path, way.inputs);
        }
        let reached = self.reach(Source::At(&path.state), Target::State(&first.state), &arena.sides)?;
        let way = or_end!(reached, set => {
            return Ok(Explored::Split(Split { set, inside: Err(path), outside: Some(first) }));
        });
        // In the last state of the way it is at the first one again.
        let (back, inputs) =
            (first.inputs.len(), [&path.inputs[..], &way.inputs[..way.last_step()]].concat());
        let trace = Trace { property: PropertyId::new(0), initial: path.initial, inputs };
        Ok(Explored::Lasso { trace, back })
    }

    /// Puts the two sides of a wall where they belong: what lies deeper is looked at first.
    fn split(&mut self, arena: Open, split: Split, open: &mut Vec<Open>) {
        let Split { set, inside, outside } = split;
        let [within, without] = [self.arenas.len(), self.arenas.len() + 1];
        self.arenas[arena.number] = Arena::Wall { set, inside: within, outside: without };
        let sides = |inside: bool| [&arena.sides[..], &[(arena.number, inside)]].concat();
        self.arenas.extend([Arena::Lacks(0), Arena::Lacks(0)]);
        open.push(Open { number: without, sides: sides(false), entry: outside });
        match inside {
            Ok(signal) => self.arenas[within] = Arena::Lacks(signal),
            Err(entry) => open.push(Open { number: within, sides: sides(true), entry: Some(entry) }),
        }
    }

    /// A signal that no step within the arena has: Inv ∧ A ∧ C ∧ q ∧ T ∧ A'
    fn lacking(&mut self, sides: &[(usize, bool)]) -> Result<Option<usize>, Stopped> {
        let mut sketch = Sketch::of(self.system);
        sketch.stay(&self.walls(sides));
        self.signals.iter().for_each(|&signal| sketch.bad(signal));
        let mut relative = (self.levels)(sketch.system());
        self.invariant.iter().for_each(|clause| relative.learn(FOREVER, &(!clause).0));
        for signal in 0..self.signals.len() {
            let step = Step::Bad { level: FOREVER, property: PropertyId::new(signal) };
            if relative.check(&step)? == Answer::Holds {
                return Ok(Some(signal));
            }
        }
        Ok(None)
    }

    /// Asks IC3. From the start the way may lead from anywhere, else it stays within the arena.
    fn reach(
        &mut self,
        source: Source<'_>,
        target: Target<'_>,
        sides: &[(usize, bool)],
    ) -> Result<Reached, Stopped> {
        let mut sketch = Sketch::of(self.system);
        let walls = self.walls(sides);
        match source {
            Source::Start => {}
            Source::At(state) => {
                sketch.begin(state);
                sketch.stay(&walls);
            }
        }
        match (target, source) {
            (Target::Signal(signal), Source::Start) => {
                let within = sketch.within(&walls);
                let both = sketch.and(self.signals[signal], within);
                sketch.bad(both);
            }
            (Target::Signal(signal), Source::At(_)) => sketch.bad(self.signals[signal]),
            (Target::State(state), _) => {
                let there = sketch.is(state);
                sketch.bad(there);
            }
        }
        let [outer, ..] = self.job.properties[..] else { unreachable!("a job is about something") };
        let desk = self.job.desk;
        let quiet = Quiet { is_decided: &|| desk.is_decided(outer) };
        reach(self.levels, sketch, &self.invariant, &quiet, self.job)
    }

    fn walls(&self, sides: &[(usize, bool)]) -> Vec<(&[Clause], bool)> {
        let wall = |&(number, inside): &(usize, bool)| match &self.arenas[number] {
            Arena::Wall { set, .. } => (&set[..], inside),
            Arena::Lacks(_) => unreachable!("an arena has walls around it"),
        };
        sides.iter().map(wall).collect()
    }

    fn path(&self, trace: Trace) -> Path {
        let Trace { initial, inputs, .. } = trace;
        let begin = Path { state: initial.clone(), initial, inputs: Vec::new() };
        self.after(begin, inputs)
    }

    /// The path with these inputs after it.
    fn after(&self, mut path: Path, inputs: Vec<Vec<Ternary>>) -> Path {
        for row in inputs {
            path.state = self.next(&path.state, &row);
            path.inputs.push(row);
        }
        path
    }

    fn next(&self, state: &State, inputs: &[Ternary]) -> State {
        let values = evaluate(self.system, state, inputs);
        self.system.latches().map(|l| value(&values, self.system.latch(l).next)).collect()
    }

    /// The path without its last step.
    fn before_last(&self, path: &Path) -> Path {
        let inputs = path.inputs[..path.inputs.len() - 1].to_vec();
        let begin = Path { initial: path.initial.clone(), inputs: Vec::new(), state: path.initial.clone() };
        self.after(begin, inputs)
    }

    fn contains(&self, set: &[Clause], state: &State) -> bool {
        let holds = |l: &Lit| {
            let latch = self.system.as_latch(l.var()).expect("clauses of IC3 are about latches");
            state[latch.index()] == Ternary::from(!l.is_negated())
        };
        set.iter().all(|clause| clause.0.iter().any(holds))
    }

    fn progress(&self, open: usize) {
        let depth = self.arenas.len();
        self.job.desk.progress(Progress { depth, size: self.invariant.len() as u64, open, queries: 0 });
    }
}

/// Whether the bad state of a sketch can be reached, where these clauses hold in any case.
pub(crate) fn reach<S: Subject>(
    levels: &mut LevelsOf<'_>,
    sketch: Sketch,
    known: &[Clause],
    desk: &Quiet<'_>,
    of: &Job<'_, S>,
) -> Result<Reached, Stopped> {
    let (system, only) = (sketch.system(), PropertyId::new(0));
    let mut relative = levels(system.clone());
    known.iter().for_each(|clause| relative.learn(FOREVER, &(!clause).0));
    let job = desk.job(&system, of);
    Ok(match search(relative.as_mut(), &job, only)?.verdict {
        None => Reached::Elsewhere,
        Some(Verdict::Unsafe(trace) | Verdict::Perhaps(trace)) => Reached::Trace(trace),
        Some(Verdict::Safe(proof)) => Reached::Never(proof.invariant),
        Some(Verdict::Unknown(reason)) => Reached::Given(reason),
    })
}

/// The desk of a query: what is asked there is no property of the model.
pub(crate) struct Quiet<'a> {
    pub is_decided: &'a (dyn Fn() -> bool + Sync),
}

impl Quiet<'_> {
    /// A job about the only property of a system, with the settings of another.
    pub fn job<'a, S: Subject>(&'a self, system: &'a BitSystem, of: &Job<'a, S>) -> Job<'a> {
        let Job { settings, seed, stop, .. } = *of;
        let properties = vec![PropertyId::new(0)];
        Job { system, properties, settings, distinct: false, seed, shares: false, desk: self, stop }
    }
}

impl Desk for Quiet<'_> {
    fn decide(&self, _: PropertyId, _: Verdict) {}

    fn strengthen(&self, _: Proof) -> bool {
        false
    }

    fn suggest(&self, _: Proof) {}

    fn holds_up_to(&self, _: PropertyId, _: usize) {}

    fn is_decided(&self, _: PropertyId) -> bool {
        (self.is_decided)()
    }

    fn read(&self, _: &mut Cursor) -> Vec<News> {
        Vec::new()
    }

    fn exchange(&self, _: PropertyId, _: Vec<Told>, _: &mut Cursor) -> Vec<Told> {
        Vec::new()
    }

    fn progress(&self, _: Progress) {}

    fn explaining(&self) -> bool {
        false
    }

    fn tell(&self, _: PropertyId, _: Episode) {}

    fn leave(&self, _: PropertyId, _: &mut dyn Iterator<Item = &[Lit]>) {}
}
