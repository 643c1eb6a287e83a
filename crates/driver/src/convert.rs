//! A model in another format.
//!
//! | from \\ to | AIGER | BTOR2 | VMT-LIB |
//! |---|---|---|---|
//! | AIGER | ASCII to binary and back | bits regrouped to words by their symbols | the same |
//! | BTOR2, Lustre, VMT-LIB, MoXI | by bit-blasting, with symbols `name[3]`; not with liveness, not with integers without bounds or large arrays | words only | as words, integers and reals |
//! | Cubicle, VMT-LIB with maps | – | – | – |
//!
//! Liveness is not written as VMT-LIB. Where all proofs about a model rest on conditions (subranges of Lustre), a
//! state that violates one of them violates every property of what is written: so that nothing is proved there
//! that is not proved here.

use std::sync::Arc;

use buttress_format::{Btor2, aiger, btor2, vmt};
use buttress_system::SymbolKind;
use buttress_system::words::System;
use buttress_transform::blast::{Limits, blast};
use buttress_transform::finite::finite;
use buttress_transform::{Way, raise};

use crate::problem::{Liveness, Original, Problem};
use crate::{Refused, Why};

/// The output format of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    AigerAscii,
    AigerBinary,
    Btor2,
    Vmt,
}

pub fn convert(problem: &Problem, target: Target) -> Result<Vec<u8>, Refused> {
    match target {
        Target::Btor2 => to_btor2(problem).map(String::into_bytes),
        Target::Vmt => to_vmt(problem).map(String::into_bytes),
        Target::AigerAscii | Target::AigerBinary => to_aiger(problem, target == Target::AigerAscii),
    }
}

fn refused(problem: &Problem, why: impl std::fmt::Display) -> Refused {
    Refused { why: Why::Input, message: format!("{}: error: {why}", problem.path) }
}

/// Neither bits nor BTOR2 have places without end; of what is said for all of them, plain VMT-LIB would lose the
/// "for all".
const MAPS: &str = "what a model with maps says for all places has no such form";

/// The system with the violations of conditions in every property.
fn with_conditions(problem: &Problem, system: &Arc<System>) -> Arc<System> {
    let property = |c| problem.claim(c).property();
    let conditions: Vec<_> = problem.conditions().iter().filter_map(|&c| property(c)).collect();
    if conditions.is_empty() {
        return system.clone();
    }
    let mut system = (**system).clone();
    let left: Vec<_> = conditions.iter().map(|&p| system.property(p).bad).collect();
    for p in system.property_ids().filter(|p| !conditions.contains(p)) {
        let bad = system.property(p).bad;
        let all: Vec<_> = std::iter::once(bad).chain(left.iter().copied()).collect();
        system.properties[p.index()].bad = system.terms.any(&all);
    }
    Arc::new(system)
}

fn to_btor2(problem: &Problem) -> Result<String, Refused> {
    let model = match problem.original() {
        Original::Maps(_) => return Err(refused(problem, MAPS)),
        Original::Words(_) if problem.format.is_relation() && !problem.liveness().justice.is_empty() => {
            return Err(refused(problem, "liveness of a relation is not written as BTOR2 yet"));
        }
        Original::Words(system) => {
            let Liveness { justice, names: justice_names, fairness } = problem.liveness().clone();
            let system = (*with_conditions(problem, system)).clone();
            Btor2 { system, justice, justice_names, fairness }
        }
        Original::Bits(bits) => {
            let mut raised = raise(bits);
            let justice: Vec<Vec<_>> =
                bits.justice.iter().map(|all| all.iter().map(|&l| raised.term(l)).collect()).collect();
            let fairness = bits.fairness.iter().map(|&l| raised.term(l)).collect();
            let name = |j| bits.symbols.get(SymbolKind::Justice, j).map(Arc::from);
            let justice_names = (0..justice.len()).map(name).collect();
            Btor2 { system: raised.system, justice, justice_names, fairness }
        }
    };
    btor2::write(&model).map_err(|why| refused(problem, why))
}

fn to_vmt(problem: &Problem) -> Result<String, Refused> {
    let Liveness { justice, fairness, .. } = problem.liveness();
    let live = match problem.original() {
        Original::Bits(bits) => !bits.justice.is_empty() || !bits.fairness.is_empty(),
        _ => !justice.is_empty() || !fairness.is_empty(),
    };
    if live {
        return Err(refused(problem, "liveness is not written as VMT-LIB yet"));
    }
    Ok(match problem.original() {
        Original::Words(system) => vmt::write(&with_conditions(problem, system)),
        Original::Bits(bits) => vmt::write(&raise(bits).system),
        Original::Maps(_) => return Err(refused(problem, MAPS)),
    })
}

fn to_aiger(problem: &Problem, ascii: bool) -> Result<Vec<u8>, Refused> {
    let blasted = match problem.original() {
        Original::Maps(_) => return Err(refused(problem, MAPS)),
        Original::Bits(system) => system.clone(),
        Original::Words(_)
            if !problem.liveness().justice.is_empty() || !problem.liveness().fairness.is_empty() =>
        {
            return Err(refused(problem, "liveness is not taken to bits yet"));
        }
        Original::Words(system) => {
            let finite =
                finite(&with_conditions(problem, system)).map_err(|fault| beyond(problem, &fault))?;
            let blasted =
                blast(finite.system(), Limits::default()).map_err(|fault| beyond(problem, &fault))?;
            blasted.system().clone()
        }
    };
    let mut bytes = Vec::new();
    match ascii {
        true => aiger::write_ascii(&blasted, &[], &mut bytes),
        false => aiger::write_binary(&blasted, &[], &mut bytes),
    }
    .expect("memory takes everything");
    Ok(bytes)
}

fn beyond(problem: &Problem, fault: &buttress_system::words::Fault) -> Refused {
    crate::plan::beyond_bits(problem, fault)
}
