//! The suite for SAT solvers: [`sat_conformance!`](crate::sat_conformance) for `Solver + Model + Core`,
//! [`temporary_conformance!`](crate::temporary_conformance) and
//! [`domains_conformance!`](crate::domains_conformance) for solvers that can do more.

use std::thread;
use std::time::{Duration, Instant};

use buttress_solve::sat::{Core, Domains, Limited, Lit, Model, Outcome, Scope, Solver, Temporary};
use buttress_solve::{Stop, Stopped};
use buttress_system::Rng;

/// One test a requirement; `$make` makes a solver from a `&Stop`.
#[macro_export]
macro_rules! sat_conformance {
    ($name:ident, $make:expr) => {
        mod $name {
            use super::*;
            use $crate::conformance::sat as suite;
            $crate::each_test!(suite, $make => nothing_is_satisfiable, the_empty_clause_is_final,
                units_conflict, odd_clauses_mean_what_they_say, odd_assumptions_mean_what_they_say,
                an_answer_under_assumptions_does_not_stay, variables_come_at_any_time,
                answers_match_brute_force, models_after_many_conflicts, same_questions_same_answers, a_stop_is_honoured);
        }
    };
}

/// For solvers that take a clause for one query.
#[macro_export]
macro_rules! temporary_conformance {
    ($name:ident, $make:expr) => {
        mod $name {
            use super::*;
            use $crate::conformance::sat as suite;
            $crate::each_test!(suite, $make => temporary_clauses_match_brute_force,
                a_long_query_leaves_nothing_behind);
        }
    };
}

/// For solvers that restrict a query to what it depends on.
#[macro_export]
macro_rules! domains_conformance {
    ($name:ident, $make:expr) => {
        mod $name {
            use super::*;
            use $crate::conformance::sat as suite;
            $crate::each_test!(suite, $make => domains_do_not_change_answers, what_is_refuted_nearby_is_refuted);
        }
    };
}

/// A `#[test]` for each function of a suite.
#[macro_export]
macro_rules! each_test {
    ($suite:ident, $make:expr => $($test:ident),*) => {
        $(#[test]
        fn $test() {
            $suite::$test($make);
        })*
    };
}

/// The capabilities that the suite needs.
pub trait SatSolver: Solver + Model + Core {}
impl<S: Solver + Model + Core> SatSolver for S {}

fn variables<S: Solver>(solver: &mut S, count: usize) -> Vec<Lit> {
    (0..count).map(|_| solver.new_var()).collect()
}

fn is_sat<S: Solver>(solver: &mut S, assumptions: &[Lit]) -> bool {
    solver.solve(assumptions).expect("nobody asked for a stop") == Outcome::Sat
}

/// The assumptions that the solver blames.
fn core<S: Core>(solver: &mut S, assumptions: &[Lit]) -> Vec<Lit> {
    assumptions.iter().copied().filter(|&a| solver.failed(a)).collect()
}

pub fn nothing_is_satisfiable<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    assert!(is_sat(&mut solver, &[]));
    let v = variables(&mut solver, 3);
    assert!(is_sat(&mut solver, &[]));
    assert!(v.iter().all(|&l| !solver.value(l)), "variables that no clause mentions read as false");
    assert!(is_sat(&mut solver, &[v[1], !v[2]]));
    assert!(solver.value(v[1]) && !solver.value(v[2]), "assumptions hold in the model");
}

pub fn the_empty_clause_is_final<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    let v = variables(&mut solver, 2);
    solver.add_clause(&v);
    assert!(is_sat(&mut solver, &[]));
    solver.add_clause(&[]);
    assert!(!is_sat(&mut solver, &[]));
    assert!(!is_sat(&mut solver, &[v[0]]));
    assert!(!solver.failed(v[0]), "the clauses alone are contradictory");
    solver.add_clause(&[v[1]]);
    assert!(!is_sat(&mut solver, &[v[1]]));
}

pub fn units_conflict<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    let v = variables(&mut solver, 3);
    solver.add_clause(&[v[0]]);
    solver.add_clause(&[!v[0], v[1]]);
    assert!(is_sat(&mut solver, &[]));
    assert!(solver.value(v[0]) && solver.value(v[1]));
    assert!(!is_sat(&mut solver, &[v[2], !v[1]]));
    assert_eq!(core(&mut solver, &[v[2], !v[1]]), [!v[1]]);
    solver.add_clause(&[!v[1]]);
    assert!(!is_sat(&mut solver, &[]));
    assert!(!is_sat(&mut solver, &[v[2]]));
}

pub fn odd_clauses_mean_what_they_say<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    let v = variables(&mut solver, 2);
    // A tautology says nothing, a repeated literal nothing new.
    solver.add_clause(&[v[0], !v[0]]);
    solver.add_clause(&[v[0], v[1], !v[0]]);
    assert!(is_sat(&mut solver, &[v[0]]) && is_sat(&mut solver, &[!v[0]]));
    solver.add_clause(&[v[1], v[1], v[1]]);
    assert!(is_sat(&mut solver, &[]));
    assert!(solver.value(v[1]));
    solver.add_clause(&[!v[1], !v[1], v[0]]);
    solver.add_clause(&[!v[1], !v[1], v[0]]);
    assert!(!is_sat(&mut solver, &[!v[0]]));
    assert!(is_sat(&mut solver, &[]));
}

pub fn odd_assumptions_mean_what_they_say<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    let v = variables(&mut solver, 3);
    solver.add_clause(&[v[0], v[1]]);
    assert!(is_sat(&mut solver, &[!v[0], !v[0], v[1], !v[0]]));
    let contradictory = [v[2], v[0], !v[2]];
    assert!(!is_sat(&mut solver, &contradictory));
    let blamed = core(&mut solver, &contradictory);
    assert!(!is_sat(&mut solver, &blamed), "the core {blamed:?} alone is contradictory");
    // Contradictory twice over: any core will do.
    let both = [!v[0], !v[1], v[2], !v[2]];
    assert!(!is_sat(&mut solver, &both));
    let blamed = core(&mut solver, &both);
    assert!(!is_sat(&mut solver, &blamed), "the core {blamed:?} alone is contradictory");
    assert!(is_sat(&mut solver, &[]));
}

pub fn an_answer_under_assumptions_does_not_stay<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    let v = variables(&mut solver, 3);
    solver.add_clause(&[!v[0], v[1]]);
    solver.add_clause(&[!v[1], v[2]]);
    for _ in 0..3 {
        assert!(!is_sat(&mut solver, &[v[0], !v[2]]));
        assert!(solver.failed(v[0]) && solver.failed(!v[2]));
        assert!(is_sat(&mut solver, &[]));
        assert!(is_sat(&mut solver, &[v[0]]));
        assert!(solver.value(v[2]));
        assert!(is_sat(&mut solver, &[!v[2]]));
        assert!(!solver.value(v[0]));
    }
}

pub fn variables_come_at_any_time<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    let mut last = solver.new_var();
    let first = last;
    for _ in 0..50 {
        let next = solver.new_var();
        solver.add_clause(&[!last, next]);
        assert!(!is_sat(&mut solver, &[first, !next]));
        assert!(is_sat(&mut solver, &[first]));
        assert!(solver.value(next));
        last = next;
    }
}

// ------------------------------------------------------------------------------------------- brute force

/// Up to 8 variables: the assignments that satisfy all clauses, as a set of 256 bits.
#[derive(Clone)]
struct Brute {
    models: Vec<usize>,
}

/// More would only be slower.
const VARIABLES: usize = 8;

fn holds(assignment: usize, lit: Lit) -> bool {
    (assignment >> lit.variable() & 1 == 1) != lit.is_negated()
}

impl Brute {
    fn new() -> Brute {
        Brute { models: (0..1 << VARIABLES).collect() }
    }

    fn add(&mut self, clause: &[Lit]) {
        self.models.retain(|&m| clause.iter().any(|&l| holds(m, l)));
    }

    fn is_sat(&self, assumptions: &[Lit]) -> bool {
        self.models.iter().any(|&m| assumptions.iter().all(|&l| holds(m, l)))
    }
}

fn random_lits(rng: &mut Rng, v: &[Lit], most: usize) -> Vec<Lit> {
    (0..rng.below(most + 1)).map(|_| v[rng.below(v.len())] ^ rng.one_in(2)).collect()
}

/// Three literals mostly, so that both answers are common.
fn random_clause(rng: &mut Rng, v: &[Lit]) -> Vec<Lit> {
    let length = [1, 2, 2, 3, 3, 3, 3, 4][rng.below(8)];
    (0..length).map(|_| v[rng.below(v.len())] ^ rng.one_in(2)).collect()
}

/// One answer against brute force: the model satisfies everything, the core is contradictory.
fn compare<S: SatSolver>(solver: &mut S, brute: &Brute, v: &[Lit], assumptions: &[Lit], seed: u64) -> bool {
    let expected = brute.is_sat(assumptions);
    assert_eq!(is_sat(solver, assumptions), expected, "formula {seed} under {assumptions:?}");
    if expected {
        let bit = |m: usize, (i, &l): (usize, &Lit)| m | usize::from(solver.value(l)) << i;
        let model = v.iter().enumerate().fold(0, bit);
        assert!(brute.models.contains(&model), "formula {seed}: the model violates a clause");
        assert!(assumptions.iter().all(|&l| holds(model, l)), "formula {seed}: or an assumption");
    } else {
        let blamed = core(solver, assumptions);
        assert!(!brute.is_sat(&blamed), "formula {seed}: {blamed:?} is no core");
        assert!(!is_sat(solver, &blamed), "formula {seed}: {blamed:?} is no core for the solver itself");
    }
    expected
}

/// 1000 random formulas, each in five instalments, each under random assumptions.
pub fn answers_match_brute_force<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut count = [0, 0];
    for seed in 0..1000 {
        let rng = &mut Rng::new(seed);
        let mut solver = make(&Stop::new());
        let v = variables(&mut solver, VARIABLES);
        let mut brute = Brute::new();
        for _ in 0..5 {
            for _ in 0..1 + rng.below(8) {
                let clause = random_clause(rng, &v);
                solver.add_clause(&clause);
                brute.add(&clause);
            }
            let assumptions = random_lits(rng, &v, 4);
            let answer = compare(&mut solver, &brute, &v, &assumptions, seed);
            count[usize::from(answer)] += 1;
        }
    }
    assert!(count.iter().all(|&n| n > 500), "both answers are common: {count:?}");
}

/// Random formulas of three literals near the threshold: where the answer is yes, the search went wrong many times
/// before, and the model still decides every variable and satisfies every clause.
pub fn models_after_many_conflicts<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let mut models = 0;
    for seed in 0..60 {
        let rng = &mut Rng::new(seed);
        let mut solver = make(&Stop::new());
        let v = variables(&mut solver, 80);
        let clauses: Vec<Vec<Lit>> =
            (0..320).map(|_| (0..3).map(|_| v[rng.below(v.len())] ^ rng.one_in(2)).collect()).collect();
        clauses.iter().for_each(|c| solver.add_clause(c));
        if !is_sat(&mut solver, &[]) {
            continue;
        }
        models += 1;
        assert!(v.iter().all(|&l| solver.value(l) != solver.value(!l)), "formula {seed}: a variable is open");
        assert!(clauses.iter().all(|c| c.iter().any(|&l| solver.value(l))), "formula {seed}: no model");
    }
    assert!(models > 20, "{models} have a model");
}

pub fn same_questions_same_answers<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let run = |seed: u64| {
        let rng = &mut Rng::new(seed);
        let mut solver = make(&Stop::new());
        let v = variables(&mut solver, 60);
        (0..200).for_each(|_| solver.add_clause(&random_clause(rng, &v[..])));
        let mut answers = Vec::new();
        for _ in 0..5 {
            let assumptions = random_lits(rng, &v, 5);
            let sat = is_sat(&mut solver, &assumptions);
            let bits: Vec<bool> = match sat {
                true => v.iter().map(|&l| solver.value(l)).collect(),
                false => assumptions.iter().map(|&l| solver.failed(l)).collect(),
            };
            answers.push((sat, bits));
        }
        answers
    };
    (0..20).for_each(|seed| assert_eq!(run(seed), run(seed), "formula {seed}"));
}

/// Every pigeon has a hole of its own, but there is one hole too few: hard for resolution (Haken 1985).
fn pigeonhole<S: Solver>(solver: &mut S, holes: usize) {
    let last = all_but_one_pigeon(solver, holes);
    solver.add_clause(&last);
}

/// The pigeonhole formula without the clause of the last pigeon, which is returned.
fn all_but_one_pigeon<S: Solver>(solver: &mut S, holes: usize) -> Vec<Lit> {
    let mut sits: Vec<Vec<Lit>> = (0..=holes).map(|_| variables(solver, holes)).collect();
    sits[..holes].iter().for_each(|pigeon| solver.add_clause(pigeon));
    for (a, b) in (0..sits.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
        (0..holes).for_each(|h| solver.add_clause(&[!sits[a][h], !sits[b][h]]));
    }
    sits.pop().expect("a pigeon more than holes")
}

pub fn a_stop_is_honoured<S: SatSolver>(make: impl Fn(&Stop) -> S) {
    let stop = Stop::new();
    let mut solver = make(&stop);
    pigeonhole(&mut solver, 11);
    let other = stop.clone();
    let clock = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        other.request(&Stopped::Time);
        Instant::now()
    });
    let answer = solver.solve(&[]);
    let answered = Instant::now();
    let requested = clock.join().expect("the clock runs");
    assert!(matches!(answer, Err(Stopped::Time) | Ok(Outcome::Unsat)), "{answer:?}");
    let late = answered.saturating_duration_since(requested);
    assert!(late < Duration::from_secs(1), "stopped {late:?} after it was asked to");
    // What comes after the request does not even start.
    assert_eq!(solver.solve(&[]), Err(Stopped::Time));
}

// ------------------------------------------------------------------------------------------ capabilities

/// A query of many thousand conflicts, all because of its own clause: what was learned from that clause, kept or
/// thrown out on the way, is gone afterwards.
pub fn a_long_query_leaves_nothing_behind<S: SatSolver + Temporary>(make: impl Fn(&Stop) -> S) {
    let mut solver = make(&Stop::new());
    let last = all_but_one_pigeon(&mut solver, 8);
    for _ in 0..2 {
        assert_eq!(solver.solve_with(&[], &last), Ok(Outcome::Unsat));
        assert!(is_sat(&mut solver, &[]));
        assert_eq!(solver.solve_with(&[], &[!last[0]]), Ok(Outcome::Sat));
    }
}

/// A clause for one query is there for that query and for no other.
pub fn temporary_clauses_match_brute_force<S: SatSolver + Temporary>(make: impl Fn(&Stop) -> S) {
    let mut count = [0, 0];
    for seed in 0..1000 {
        let rng = &mut Rng::new(seed);
        let mut solver = make(&Stop::new());
        let v = variables(&mut solver, VARIABLES);
        let mut brute = Brute::new();
        for _ in 0..6 {
            for _ in 0..rng.below(6) {
                let clause = random_clause(rng, &v);
                solver.add_clause(&clause);
                brute.add(&clause);
            }
            let (assumptions, clause) = (random_lits(rng, &v, 3), random_lits(rng, &v, 4));
            let answer = compare_with(&mut solver, &brute, &v, &assumptions, &clause, seed);
            count[usize::from(answer)] += 1;
            if rng.one_in(2) {
                compare(&mut solver, &brute, &v, &assumptions, seed);
            }
        }
    }
    assert!(count.iter().all(|&n| n > 500), "both answers are common: {count:?}");
}

fn compare_with<S: SatSolver + Temporary>(
    solver: &mut S,
    brute: &Brute,
    v: &[Lit],
    assumptions: &[Lit],
    clause: &[Lit],
    seed: u64,
) -> bool {
    let mut with = brute.clone();
    with.add(clause);
    let expected = with.is_sat(assumptions);
    let outcome = solver.solve_with(assumptions, clause).expect("nobody asked for a stop");
    assert_eq!(outcome == Outcome::Sat, expected, "formula {seed}: {assumptions:?} with {clause:?}");
    if expected {
        let bit = |m: usize, (i, &l): (usize, &Lit)| m | usize::from(solver.value(l)) << i;
        let model = v.iter().enumerate().fold(0, bit);
        assert!(with.models.contains(&model), "formula {seed}: the model violates a clause");
        assert!(assumptions.iter().all(|&l| holds(model, l)), "formula {seed}: or an assumption");
    } else {
        let blamed = core(solver, assumptions);
        assert!(!with.is_sat(&blamed), "formula {seed}: {blamed:?} is no core");
    }
    expected
}

/// Random circuits of 5 free variables and some gates, a few of them asserted. A query about some variables is
/// answered as if all clauses counted; what the model leaves open may be anything.
pub fn domains_do_not_change_answers<S: SatSolver + Temporary + Domains>(make: impl Fn(&Stop) -> S) {
    let mut count = [0, 0];
    for seed in 0..600 {
        let rng = &mut Rng::new(seed);
        let circuit = Circuit::random(rng);
        let mut solver = make(&Stop::new());
        circuit.load(&mut solver);
        let mut asserted = Vec::new();
        for _ in 0..8 {
            let v = circuit.lits();
            if rng.one_in(4) {
                let clause = random_clause(rng, &v);
                clause.iter().for_each(|l| solver.always(l.variable()));
                solver.add_clause(&clause);
                asserted.push(clause);
            }
            let assumptions = random_lits(rng, &v, 3);
            let temporary = rng.one_in(2).then(|| random_clause(rng, &v));
            let answer = circuit.compare(&mut solver, &asserted, &assumptions, temporary.as_deref(), seed);
            count[usize::from(answer)] += 1;
        }
    }
    assert!(count.iter().all(|&n| n > 500), "both answers are common: {count:?}");
}

/// A look at a part of what a query depends on refutes only what all of it does, and leaves no wrong clause
/// behind.
pub fn what_is_refuted_nearby_is_refuted<S: SatSolver + Temporary + Limited>(make: impl Fn(&Stop) -> S) {
    let (mut refuted, mut missed) = (0, 0);
    for seed in 0..600 {
        let rng = &mut Rng::new(seed);
        let circuit = Circuit::random(rng);
        let mut solver = make(&Stop::new());
        circuit.load(&mut solver);
        for _ in 0..8 {
            let assumptions = random_lits(rng, &circuit.lits(), 3);
            let near = solver.solve_limited(&assumptions, Scope::Near(rng.below(6)), 100);
            let near = near.expect("nobody asked for a stop");
            let satisfiable = circuit.compare(&mut solver, &[], &assumptions, None, seed);
            assert!(near != Some(Outcome::Unsat) || !satisfiable, "circuit {seed} under {assumptions:?}");
            refuted += usize::from(near == Some(Outcome::Unsat));
            missed += usize::from(near == Some(Outcome::Sat) && !satisfiable);
        }
    }
    assert!(refuted > 200 && missed > 20, "both happen: {refuted}, {missed}");
}

struct Circuit {
    /// Operands of the gates, which follow the free variables.
    gates: Vec<[Lit; 2]>,
}

const FREE: usize = 5;

impl Circuit {
    fn random(rng: &mut Rng) -> Circuit {
        let mut gates = Vec::new();
        for g in 0..3 + rng.below(12) {
            let mut operand = || Lit::new(rng.below(FREE + g) as u32, rng.one_in(2));
            gates.push([operand(), operand()]);
        }
        Circuit { gates }
    }

    fn lits(&self) -> Vec<Lit> {
        (0..FREE + self.gates.len()).map(|v| Lit::new(v as u32, false)).collect()
    }

    /// The gates as clauses, and what they depend on.
    fn load<S: Solver + Domains>(&self, solver: &mut S) {
        variables(solver, FREE + self.gates.len());
        let depends = |&[a, b]: &[Lit; 2]| Some(vec![a.variable(), b.variable()]);
        let free = (0..FREE).map(|_| Some(Vec::new()));
        solver.depends(&free.chain(self.gates.iter().map(depends)).collect::<Vec<_>>());
        for (g, &[a, b]) in self.gates.iter().enumerate() {
            let gate = Lit::new((FREE + g) as u32, false);
            solver.add_clause(&[!gate, a]);
            solver.add_clause(&[!gate, b]);
            solver.add_clause(&[gate, !a, !b]);
        }
    }

    /// All variables, from the free ones.
    fn evaluate(&self, free: usize) -> usize {
        let gate = |all: usize, (g, &[a, b]): (usize, &[Lit; 2])| {
            all | usize::from(holds(all, a) && holds(all, b)) << (FREE + g)
        };
        self.gates.iter().enumerate().fold(free, gate)
    }

    fn compare<S: SatSolver + Temporary>(
        &self,
        solver: &mut S,
        asserted: &[Vec<Lit>],
        assumptions: &[Lit],
        temporary: Option<&[Lit]>,
        seed: u64,
    ) -> bool {
        let some = |clause: &[Lit], all: usize| clause.iter().any(|&l| holds(all, l));
        let satisfied = |free: usize, assumptions: &[Lit]| {
            let all = self.evaluate(free);
            assumptions.iter().all(|&l| holds(all, l))
                && asserted.iter().all(|c| some(c, all))
                && temporary.is_none_or(|c| some(c, all))
        };
        let expected = (0..1 << FREE).any(|free| satisfied(free, assumptions));
        let outcome = match temporary {
            Some(clause) => solver.solve_with(assumptions, clause),
            None => solver.solve(assumptions),
        };
        let outcome = outcome.expect("nobody asked for a stop");
        assert_eq!(outcome == Outcome::Sat, expected, "circuit {seed} under {assumptions:?}");
        if expected {
            let bit = |m: usize, v: usize| m | usize::from(solver.value(Lit::new(v as u32, false))) << v;
            let free = (0..FREE).fold(0, bit);
            assert!(satisfied(free, assumptions), "circuit {seed}: the model does not extend to the gates");
        } else {
            let blamed = core(solver, assumptions);
            let refuted = !(0..1 << FREE).any(|free| satisfied(free, &blamed));
            assert!(refuted, "circuit {seed}: {blamed:?} is no core");
        }
        expected
    }
}
