//! The suite for reasoners about one step, relative to levels of lemmas: random steps on random systems
//! against enumeration.
//!
//! A core must be enough. A predecessor's cube must have a state of its level, and *all* its states must take
//! the step under the inputs that come with it, in keeping with the constraints.

use std::sync::Arc;

use buttress_query::{Answer, Lifting, Predecessor, Relative, Step};
use buttress_solve::Stopped;
use buttress_system::{BitSystem, LatchId, Lit, PropertyId, Rng};

use crate::random;
use crate::reference::{Explicit, Points};

/// `$make` makes a reasoner from an `Arc<BitSystem>`.
#[macro_export]
macro_rules! relative_conformance {
    ($name:ident, $make:expr) => {
        mod $name {
            use super::*;
            use $crate::conformance::relative as suite;
            $crate::each_test!(suite, $make => steps_match_enumeration, violations_match_enumeration,
                starts_match_enumeration, budgets_hold);
        }
    };
}

const SYSTEMS: u64 = 500;
const STEPS: usize = 40;

/// The set of states of each level, as points.
struct Levels<'a> {
    explicit: &'a Explicit,
    levels: Vec<Points>,
    /// The property that is supposed.
    supposed: Option<PropertyId>,
}

impl Levels<'_> {
    fn learn(&mut self, level: usize, cube: &[Lit]) {
        self.levels[level] = self.levels[level].minus(&self.explicit.cube(cube));
    }

    /// The points of the level from which the step may be taken.
    fn sources(&self, step: &Step<'_>) -> Points {
        match *step {
            Step::Bad { level, .. }
            | Step::In { level, .. }
            | Step::To { level, .. }
            | Step::Violation { level } => self.levels[level].clone(),
            Step::Relative { level, cube } => self.levels[level].minus(&self.explicit.cube(cube)),
            Step::Into { level, outside, .. } => self.levels[level].minus(&self.explicit.cube(outside)),
        }
    }

    /// The points at which the step goes where it should, constraints included.
    fn takes(&self, step: &Step<'_>) -> Points {
        let to = |cube: &[Lit]| {
            let goal = self.explicit.cube(cube);
            let leads = |&p: &usize| goal.contains(self.explicit.points_of(self.explicit.next(p)).start);
            self.explicit.allowed.filtered(leads)
        };
        match *step {
            Step::Bad { property, .. } => self.explicit.allowed.and(self.explicit.bad(property)),
            Step::In { cube, .. } => self.explicit.allowed.and(&self.explicit.cube(cube)),
            Step::To { cube, .. } | Step::Relative { cube, .. } | Step::Into { cube, .. } => to(cube),
            Step::Violation { .. } => {
                let violations = self.violations();
                let leads = |&p: &usize| {
                    self.explicit.points_of(self.explicit.next(p)).any(|q| violations.contains(q))
                };
                self.explicit.allowed.filtered(leads)
            }
        }
    }

    fn violations(&self) -> Points {
        let property = self.supposed.expect("a property is supposed");
        self.explicit.allowed.and(self.explicit.bad(property))
    }

    /// Points that a level without lemmas has.
    fn anything(&self) -> Points {
        match self.supposed {
            Some(property) => self.explicit.cube(&[]).minus(self.explicit.bad(property)),
            None => self.explicit.cube(&[]),
        }
    }

    fn fails(&self, step: &Step<'_>) -> bool {
        !self.sources(step).and(&self.takes(step)).is_empty()
    }

    fn check_predecessor(&self, step: &Step<'_>, found: &Predecessor) -> Result<(), String> {
        let (states, takes) = (self.explicit.cube(&found.cube), self.takes(step));
        let ones = found.inputs.iter().fold(0, |n, i| n | 1 << i.index());
        let mut points = (0..self.explicit.num_states()).map(|s| self.explicit.points_of(s).start + ones);
        if !points.all(|p| !states.contains(p) || takes.contains(p)) {
            return Err("a state of the cube does not take the step".to_string());
        }
        if let Some(after) = &found.after {
            let violations = self.violations();
            let then = after.iter().fold(0, |n, i| n | 1 << i.index());
            let violates = |s: usize| {
                let next = self.explicit.next(self.explicit.points_of(s).start + ones);
                violations.contains(self.explicit.points_of(next).start + then)
            };
            let inside = |s: &usize| states.contains(self.explicit.points_of(*s).start);
            if !(0..self.explicit.num_states()).filter(inside).all(violates) {
                return Err("a state of the cube leads to no violation under these inputs".to_string());
            }
        }
        let some = !states.and(&self.sources(step)).is_empty();
        if some { Ok(()) } else { Err("no state of the cube is in the level".to_string()) }
    }
}

/// Steps of all kinds at all levels, lemmas learned, levels added and renewed in between.
pub fn steps_match_enumeration<R: Relative>(make: impl Fn(Arc<BitSystem>) -> R) {
    match_enumeration(make, false);
}

/// Steps of all kinds where a property is supposed, violations one step later included.
pub fn violations_match_enumeration<R: Relative>(make: impl Fn(Arc<BitSystem>) -> R) {
    match_enumeration(make, true);
}

fn match_enumeration<R: Relative>(make: impl Fn(Arc<BitSystem>) -> R, suppose: bool) {
    let mut count = [0, 0];
    for seed in 0..SYSTEMS {
        let rng = &mut Rng::new(seed);
        let system = Arc::new(random::draft(rng).build());
        let explicit = Explicit::new(&system);
        let supposed = suppose.then(|| PropertyId::new(rng.below(system.properties.len())));
        let mut truth = Levels { explicit: &explicit, levels: vec![explicit.starts.clone()], supposed };
        let mut relative = make(system.clone());
        supposed.into_iter().for_each(|p| relative.suppose(p));
        for number in 0..STEPS {
            change(rng, &system, &mut truth, &mut relative);
            assert_eq!(relative.num_levels(), truth.levels.len());
            let (cube, outside) = (random_cube(rng, &system), random_cube(rng, &system));
            let step = random_step(rng, &system, &truth, &cube, &outside);
            let about = format!("system {seed}, step {number}: {step:?}");
            let fails = compare(&mut relative, &truth, &step, &system, &about);
            count[usize::from(fails)] += 1;
        }
    }
    assert!(count.iter().all(|&n| n > 1000), "both answers are common: {count:?}");
}

/// Adds a level, learns a lemma, or gives a level other lemmas.
fn change<R: Relative>(rng: &mut Rng, system: &BitSystem, truth: &mut Levels<'_>, relative: &mut R) {
    if truth.levels.len() < 4 && rng.one_in(4) {
        truth.levels.push(truth.anything());
        relative.push_level();
    }
    let level = rng.below(truth.levels.len());
    if level > 0 && rng.one_in(2) {
        let cube = random_cube(rng, system);
        relative.learn(level, &cube);
        truth.learn(level, &cube);
    }
    if level > 0 && rng.one_in(20) {
        let lemmas: Vec<Vec<Lit>> = (0..rng.below(3)).map(|_| random_cube(rng, system)).collect();
        relative.renew(level, &mut lemmas.iter().map(|l| &l[..]));
        truth.levels[level] = truth.anything();
        lemmas.iter().for_each(|l| truth.learn(level, l));
    }
}

fn compare<R: Relative>(
    relative: &mut R,
    truth: &Levels<'_>,
    step: &Step<'_>,
    system: &BitSystem,
    about: &str,
) -> bool {
    let expected = truth.fails(step);
    let answer = relative.check(step).expect("nobody asked for a stop");
    assert_eq!(answer == Answer::Fails, expected, "{about}");
    if expected {
        if let Step::To { cube, .. } | Step::Relative { cube, .. } | Step::Into { cube, .. } = *step {
            let agreeing = relative.agreeing(cube);
            // Some state that takes the step has none of the others.
            let others = cube.iter().filter(|l| !agreeing.contains(l)).map(|&l| !l).collect::<Vec<Lit>>();
            let state = truth.sources(step).and(&truth.takes(step)).and(&truth.explicit.cube(&others));
            assert!(!state.is_empty(), "{about}: no state agrees with {agreeing:?} and no more");
        }
        let weights = vec![1.0; system.num_latches()];
        for lifting in [Lifting::Quick, Lifting::Thorough] {
            let found = relative.predecessor(&weights, lifting).expect("nobody asked for a stop");
            let judged = truth.check_predecessor(step, &found);
            judged.unwrap_or_else(|why| panic!("{about}: {found:?}: {why}"));
        }
    } else if let Step::To { level, cube } | Step::Relative { level, cube } | Step::Into { level, cube, .. } =
        *step
    {
        let core = relative.core();
        assert!(core.iter().all(|l| cube.contains(l)), "{about}: {core:?} is no part of it");
        let reached = truth.takes(&Step::To { level, cube: &core });
        assert!(truth.sources(step).and(&reached).is_empty(), "{about}: the core {core:?} is not enough");
    }
    expected
}

/// Whether a cube meets the resets. Constraints may or may not count here: a reset state that violates them is the
/// start of nothing.
pub fn starts_match_enumeration<R: Relative>(make: impl Fn(Arc<BitSystem>) -> R) {
    for seed in 0..SYSTEMS {
        let rng = &mut Rng::new(seed);
        let system = Arc::new(random::draft(rng).build());
        let explicit = Explicit::new(&system);
        let mut relative = make(system.clone());
        for _ in 0..10 {
            let cube = random_cube(rng, &system);
            let meets = relative.meets_init(&cube).expect("nobody asked for a stop");
            let starts = explicit.starts.and(&explicit.cube(&cube));
            let real = starts.and(&explicit.allowed);
            assert!(meets || real.is_empty(), "system {seed}: {cube:?} meets the resets");
            assert!(!meets || !starts.is_empty(), "system {seed}: {cube:?} does not meet the resets");
            if let Some(point) = real.iter().next() {
                let ones: Vec<_> = system.inputs().filter(|i| point >> i.index() & 1 == 1).collect();
                let state = relative.initial_state(&cube, &ones).expect("nobody asked for a stop");
                let number = state.iter().enumerate().fold(0, |n, (l, &v)| n | usize::from(v) << l);
                let inputs = point - explicit.points_of(explicit.state(point)).start;
                let chosen = explicit.points_of(number).start + inputs;
                assert!(real.contains(chosen), "system {seed}: state {number} is no start in {cube:?}");
            }
        }
    }
}

fn random_step<'a>(
    rng: &mut Rng,
    system: &BitSystem,
    truth: &Levels<'_>,
    cube: &'a [Lit],
    outside: &'a [Lit],
) -> Step<'a> {
    let level = rng.below(truth.levels.len());
    match rng.below(if truth.supposed.is_some() { 6 } else { 5 }) {
        0 => Step::Bad { level, property: PropertyId::new(rng.below(system.properties.len())) },
        1 => Step::To { level, cube },
        2 => Step::In { level, cube },
        3 => Step::Into { level, outside, cube },
        4 => Step::Relative { level, cube },
        _ => Step::Violation { level },
    }
}

/// Different latches, in order: what engines ask about.
fn random_cube(rng: &mut Rng, system: &BitSystem) -> Vec<Lit> {
    let keep = 1 + rng.below(3);
    let some = system.latches().filter(|_| !rng.one_in(1 + keep)).collect::<Vec<LatchId>>();
    some.into_iter().map(|l| system.latch_lit(l) ^ rng.one_in(2)).collect()
}

/// As many answers as were granted, then none; more may be granted.
pub fn budgets_hold<R: Relative>(make: impl Fn(Arc<BitSystem>) -> R) {
    let mut relative = make(Arc::new(BitSystem::new(0, 1)));
    let step = Step::In { level: 0, cube: &[] };
    relative.grant(2);
    let answers: Vec<bool> = (0..3).map(|_| relative.check(&step).is_ok()).collect();
    assert_eq!(answers, [true, true, false]);
    assert_eq!(relative.check(&step), Err(Stopped::Budget));
    relative.grant(1);
    assert!(relative.check(&step).is_ok());
    assert_eq!(relative.queries(), 3);
}
