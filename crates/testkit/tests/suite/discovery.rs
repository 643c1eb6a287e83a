//! Invariant discovery on small random systems: what is found holds, is accepted, and is the most there is.

use std::sync::Arc;

use buttress_check::certify_invariant;
use buttress_engine::discovery::{BitInstances, Found, Options, Outcome, discover};
use buttress_engine::largest_inductive;
use buttress_query::{Bits, Levels};
use buttress_solve::{Cadical, Cdcl, Stop};
use buttress_system::{BitSystem, Clause, Lit, Proof};
use buttress_testkit::random;
use buttress_testkit::reference::Explicit;

fn found(system: &Arc<BitSystem>, gates: bool, options: &Options) -> (Vec<Found<Clause>>, Outcome) {
    let stop = Stop::new();
    let mut reasoner = Bits::new(system.clone(), || Cadical::new(&stop, 0), &stop);
    let mut instances = BitInstances::new(system, gates, 500, 0);
    let mut all = Vec::new();
    let outcome = discover(&mut reasoner, &mut instances, options, &mut |_: &BitInstances<'_>, found| {
        all.push(found);
        true
    });
    (all, outcome.expect("nobody asked for a stop"))
}

/// All clauses of one or two literals over latches.
fn pairs(system: &BitSystem) -> Vec<Clause> {
    let latches = system.latches().map(|l| system.latch_lit(l));
    let lits: Vec<Lit> = latches.flat_map(|l| [l, !l]).collect();
    let mut clauses: Vec<Clause> = lits.iter().map(|&l| Clause::new([l])).collect();
    for (place, &a) in lits.iter().enumerate() {
        clauses.extend(lits[..place].iter().filter(|&&b| a != !b).map(|&b| Clause::new([b, a])));
    }
    clauses
}

/// The states in which all clauses hold, by listing them.
fn states(system: &BitSystem, clauses: &[Clause]) -> Vec<usize> {
    let holds = |state: usize, lit: &Lit| {
        let latch = lit.var().index() - system.latch_lit(buttress_system::LatchId::new(0)).var().index();
        (state >> latch & 1 == 1) != lit.is_negated()
    };
    let all = |state: &usize| clauses.iter().all(|c| c.0.iter().any(|l| holds(*state, l)));
    (0..1 << system.num_latches()).filter(all).collect()
}

#[test]
fn what_is_found_is_all_that_is_inductive() {
    let mut strict = 0;
    for seed in 0..400 {
        let system = Arc::new(random::system(seed));
        if system.num_latches() == 0 {
            continue;
        }
        let options = Options { most_k: 1, ..Options::default() };
        let (found, _) = found(&system, false, &options);
        let found: Vec<Clause> = found.into_iter().flat_map(|f| f.conjuncts).collect();
        let clauses = pairs(&system);
        let stop = Stop::new();
        let mut levels = Levels::new(system.clone(), || Cdcl::new(&stop));
        let kept = largest_inductive(&mut levels, &clauses).expect("nobody asked for a stop");
        let kept: Vec<Clause> = kept.into_iter().map(|c| clauses[c].clone()).collect();
        let (ours, theirs) = (states(&system, &found), states(&system, &kept));
        // Constraints hold in the last state, too, which may let more be inductive.
        match system.constraints.is_empty() {
            true => assert_eq!(ours, theirs, "seed {seed}: {found:?}, not {kept:?}"),
            false => assert!(ours.iter().all(|s| theirs.contains(s)), "seed {seed}"),
        }
        strict += usize::from(ours.len() < 1 << system.num_latches() && system.constraints.is_empty());
    }
    assert!(strict > 50, "only {strict} systems had invariants");
}

#[test]
fn what_is_found_holds_and_is_accepted_and_comes_in_the_order_of_k() {
    let (mut deep, mut trivial) = (0, 0);
    for seed in 0..300 {
        let system = Arc::new(random::system(seed));
        let ways = [
            Options::default(),
            Options { progressive: false, reduce: false, ..Options::default() },
            Options { drop_trivial: true, ..Options::default() },
        ];
        for options in ways {
            let (batches, _) = found(&system, true, &options);
            assert!(batches.windows(2).all(|pair| pair[0].k < pair[1].k), "seed {seed}");
            let mut all: Vec<Clause> = Vec::new();
            for Found { k, conjuncts, trivial: left_out } in batches {
                all.extend(conjuncts.iter().chain(&left_out).cloned());
                deep += usize::from(k > 1 && !conjuncts.is_empty());
                trivial += left_out.len();
                let proof =
                    Proof { properties: Vec::new(), k: k as u32, distinct: None, invariant: all.clone() };
                assert!(Explicit::new(&system).claims_hold(&proof), "seed {seed}: {all:?}");
                certify_invariant(&system, all.clone(), k as u32, &Stop::new()).expect("accepted");
            }
        }
    }
    assert!(deep > 2 && trivial > 10, "{deep} with a larger k, {trivial} trivial");
}
