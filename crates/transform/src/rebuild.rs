//! Copies a part of a system, folding constants and sharing equal gates on the way.

use buttress_system::{BitSystem, InputId, Latch, LatchId, Lit, Node, PropertyId, SymbolKind, Var};

use crate::gates::Gates;

/// The parts of a system that stay, and the known equalities.
pub(crate) struct Plan<'a> {
    pub inputs: &'a [InputId],
    pub latches: &'a [LatchId],
    /// Latches and gates, in order, each with an earlier signal or constant that it equals.
    pub equal: &'a [(Var, Lit)],
    pub properties: &'a [PropertyId],
}

/// A copy, with the ways between its variables and the old ones.
pub(crate) struct Copy {
    pub system: BitSystem,
    /// The new literal of each old variable, where it has one.
    pub down: Vec<Option<Lit>>,
    /// An old literal for each new variable.
    pub up: Vec<Lit>,
}

/// The part of `system` that the plan keeps. Every latch that a kept function reads must be kept or equal to one
/// that is, or constant.
pub(crate) fn rebuild(system: &BitSystem, plan: &Plan<'_>) -> Copy {
    let mut gates = Gates::new(BitSystem::new(plan.inputs.len(), plan.latches.len()));
    let (down, up) = copy_gates(system, plan, &mut gates);
    let mut new = gates.system;
    let image =
        |lit: Lit| down[lit.var().index()].expect("kept functions read what is kept") ^ lit.is_negated();
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
    Copy { system: new, down, up }
}

fn copy_gates(system: &BitSystem, plan: &Plan<'_>, new: &mut Gates) -> (Vec<Option<Lit>>, Vec<Lit>) {
    let mut down = vec![None; system.num_vars()];
    let mut up = vec![Lit::FALSE];
    down[0] = Some(Lit::FALSE);
    for (to, &from) in plan.inputs.iter().enumerate() {
        down[system.input_lit(from).var().index()] = Some(new.system.input_lit(InputId::new(to)));
        up.push(system.input_lit(from));
    }
    for (to, &from) in plan.latches.iter().enumerate() {
        down[system.latch_lit(from).var().index()] = Some(new.system.latch_lit(LatchId::new(to)));
        up.push(system.latch_lit(from));
    }
    let equal = equalities(system, plan);
    let marked = needed(system, plan, &equal);
    for var in (0..system.num_vars()).map(|v| Var::new(v as u32)) {
        let image = |lit: Lit| down[lit.var().index()].map(|l: Lit| l ^ lit.is_negated());
        if let Some(other) = equal[var.index()] {
            down[var.index()] = image(other);
        } else if let (Node::Gate(a, b), true) = (system.node(var), marked[var.index()]) {
            down[var.index()] = conjunction(image(a), image(b), new);
            up.resize(new.system.num_vars(), var.lit());
        }
    }
    (down, up)
}

/// The known equal of each variable.
fn equalities(system: &BitSystem, plan: &Plan<'_>) -> Vec<Option<Lit>> {
    let mut equal = vec![None; system.num_vars()];
    plan.equal.iter().for_each(|&(var, other)| equal[var.index()] = Some(other));
    equal
}

/// The variables that the kept functions read, once equal signals are replaced.
fn needed(system: &BitSystem, plan: &Plan<'_>, equal: &[Option<Lit>]) -> Vec<bool> {
    let mut marked = vec![false; system.num_vars()];
    let bads = plan.properties.iter().map(|&p| system.property(p).bad);
    let latches = plan.latches.iter().flat_map(|&l| [system.latch(l).next, system.latch(l).reset]);
    bads.chain(latches)
        .chain(system.constraints.iter().copied())
        .for_each(|l| marked[l.var().index()] = true);
    for var in (0..system.num_vars()).rev() {
        if !marked[var] {
            continue;
        }
        match (equal[var], system.node(Var::new(var as u32))) {
            (Some(other), _) => marked[other.var().index()] = true,
            (None, Node::Gate(a, b)) => [a, b].iter().for_each(|l| marked[l.var().index()] = true),
            _ => {}
        }
    }
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
