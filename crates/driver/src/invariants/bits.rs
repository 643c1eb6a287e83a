//! Invariants of bits, by a SAT solver.

use std::sync::Arc;
use std::time::Instant;

use buttress_check::{Refusal, certify_invariant};
use buttress_engine::discovery::{BitInstances, Found, discover as look};
use buttress_format::lemmas::LatchNames;
use buttress_query::Bits;
use buttress_solve::{Cadical, Stop, Stopped};
use buttress_system::{BitSystem, Clause};

use super::{Discovered, Invariant, Publish, Search};

pub fn discover(system: &Arc<BitSystem>, search: &Search, stop: &Stop, publish: &Publish<'_>) -> Discovered {
    let mut instances = BitInstances::new(system, true, search.selection.most, search.seed);
    let mut discovered = Discovered { format: "AIGER", ..Discovered::default() };
    discovered.terms = vec![("Bool".to_string(), instances.terms())];
    publish(&discovered);
    let mut reasoner = Bits::new(system.clone(), || Cadical::new(stop, search.seed), stop);
    let mut accepted: Vec<Clause> = Vec::new();
    let tell = &mut |_: &BitInstances<'_>, found| {
        let go_on = take(system, stop, &mut accepted, &mut discovered, found);
        publish(&discovered);
        go_on
    };
    let outcome = look(&mut reasoner, &mut instances, &search.options, tell);
    match outcome {
        Ok(outcome) => discovered.outcome = Some(outcome),
        Err(why) => discovered.stopped = Some(why),
    }
    if search.verify {
        let k = discovered.invariants.iter().map(|i| i.k as u32).max().unwrap_or(1);
        match proved_alone(system, &accepted, k, stop) {
            Ok(alone) => discovered.verified = Some(alone),
            Err(why) => discovered.stopped = Some(why),
        }
    }
    discovered
}

/// How many are k-inductive by themselves.
fn proved_alone(system: &BitSystem, accepted: &[Clause], k: u32, stop: &Stop) -> Result<usize, Stopped> {
    let mut alone = 0;
    for clause in accepted {
        match certify_invariant(system, vec![clause.clone()], k, stop) {
            Ok(_) => alone += 1,
            Err(Refusal::Rejected(_)) => {}
            Err(Refusal::Stopped(why)) => return Err(why),
        }
    }
    Ok(alone)
}

/// Checks what is found, with what was found before; whether to go on.
fn take(
    system: &BitSystem,
    stop: &Stop,
    accepted: &mut Vec<Clause>,
    discovered: &mut Discovered,
    found: Found<Clause>,
) -> bool {
    discovered.trivial += found.trivial.len();
    let start = Instant::now();
    let all = [accepted.clone(), found.conjuncts.clone(), found.trivial].concat();
    let checked = certify_invariant(system, all, found.k as u32, stop);
    discovered.checking += start.elapsed().as_secs_f64();
    match checked {
        Ok(proof) => {
            *accepted = proof.invariant;
            let names = LatchNames::of(system);
            let invariant =
                |c: &Clause| Invariant { k: found.k, text: names.clause(&c.0), plain: true, smt: None };
            discovered.invariants.extend(found.conjuncts.iter().map(invariant));
            true
        }
        Err(Refusal::Stopped(why)) => {
            discovered.stopped = Some(why);
            false
        }
        Err(Refusal::Rejected(why)) => {
            discovered.rejected = Some(why);
            false
        }
    }
}
