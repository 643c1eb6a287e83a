//! Copies a part of a system, folding constants and sharing equal gates on the way.

use buttress_system::{BitSystem, InputId, Latch, LatchId, Lit, PropertyId, SymbolKind};

use crate::gates::Gates;

/// What stays of a system, and what is known of the rest.
pub(crate) struct Plan<'a> {
    pub inputs: &'a [InputId],
    pub latches: &'a [LatchId],
    pub constants: &'a [(LatchId, bool)],
    pub properties: &'a [PropertyId],
}

/// The part of `system` that the plan keeps. Every latch that a kept function reads must be kept or constant.
pub(crate) fn rebuild(system: &BitSystem, plan: &Plan<'_>) -> BitSystem {
    let mut gates = Gates::new(BitSystem::new(plan.inputs.len(), plan.latches.len()));
    let map = copy_gates(system, plan, &mut gates);
    let mut new = gates.system;
    let image =
        |lit: Lit| map[lit.var().index()].expect("kept functions read what is kept") ^ lit.is_negated();
    for (to, &from) in plan.latches.iter().enumerate() {
        let Latch { next, reset } = system.latch(from);
        new.set_latch(LatchId::new(to), Latch { next: image(next), reset: image(reset) });
    }
    new.constraints = system.constraints.iter().map(|&c| image(c)).collect();
    for &property in plan.properties {
        let mut copy = system.property(property);
        copy.bad = image(copy.bad);
        new.properties.push(copy);
    }
    copy_symbols(system, plan, &mut new);
    new
}

fn copy_gates(system: &BitSystem, plan: &Plan<'_>, new: &mut Gates) -> Vec<Option<Lit>> {
    let mut map = vec![None; system.num_vars()];
    map[0] = Some(Lit::FALSE);
    for (to, &from) in plan.inputs.iter().enumerate() {
        map[system.input_lit(from).var().index()] = Some(new.system.input_lit(InputId::new(to)));
    }
    for (to, &from) in plan.latches.iter().enumerate() {
        map[system.latch_lit(from).var().index()] = Some(new.system.latch_lit(LatchId::new(to)));
    }
    for &(latch, value) in plan.constants {
        map[system.latch_lit(latch).var().index()] = Some(Lit::constant(value));
    }
    let marked = needed(system, plan);
    let first = system.first_gate();
    for (var, &[a, b]) in system.gates().iter().enumerate().map(|(g, gate)| (first + g, gate)) {
        if !marked[var] {
            continue;
        }
        let operand = |lit: Lit| map[lit.var().index()].map(|l: Lit| l ^ lit.is_negated());
        map[var] = conjunction(operand(a), operand(b), new);
    }
    map
}

fn needed(system: &BitSystem, plan: &Plan<'_>) -> Vec<bool> {
    let mut marked = vec![false; system.num_vars()];
    let bads = plan.properties.iter().map(|&p| system.property(p).bad);
    let latches = plan.latches.iter().flat_map(|&l| [system.latch(l).next, system.latch(l).reset]);
    system.mark_cone(bads.chain(latches).chain(system.constraints.iter().copied()), &mut marked);
    marked
}

/// The conjunction in the new system; an operand that is gone may still be absorbed by a constant.
fn conjunction(a: Option<Lit>, b: Option<Lit>, new: &mut Gates) -> Option<Lit> {
    if a == Some(Lit::FALSE) || b == Some(Lit::FALSE) {
        return Some(Lit::FALSE);
    }
    Some(new.and(a?, b?))
}

fn copy_symbols(system: &BitSystem, plan: &Plan<'_>, new: &mut BitSystem) {
    let mut copy = |kind, from: usize, to: usize| {
        if let Some(name) = system.symbols.get(kind, from) {
            new.symbols.insert(kind, to, name);
        }
    };
    plan.inputs.iter().enumerate().for_each(|(to, i)| copy(SymbolKind::Input, i.index(), to));
    plan.latches.iter().enumerate().for_each(|(to, l)| copy(SymbolKind::Latch, l.index(), to));
    for &property in plan.properties {
        // A property remembers where its name stands, so its symbol keeps its place.
        let (kind, index) = system.property(property).symbol;
        copy(kind, index, index);
    }
}
