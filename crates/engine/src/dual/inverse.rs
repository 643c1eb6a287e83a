//! A system backwards: what it reaches are the states from which the original reaches a violation.
//!
//! Latches: the state x of the original, which may start anywhere, and *on*, which starts at 0. Inputs: a state y
//! and inputs i of the original, and *halt*. One step back, or at first to a bad state:
//!
//! * `x' = y`, `on' = ¬halt`
//! * constraint: `halt ∨ C(y,i) ∧ (on ? x = F(y,i) : bad(y,i))`
//! * bad: `on ∧ R(x)`, a reset state of the original
//!
//! Halting leads to where everything starts, so it adds no states that matter; it is there for the last step of a
//! trace, in which the constraint must hold as well. R must not read inputs.

use std::sync::Arc;

use buttress_system::{
    BitSystem, InputId, Latch, LatchId, Lit, Node, Proof, Property, PropertyId, SymbolKind, Ternary, Trace,
};

pub(super) struct Inverse {
    pub system: Arc<BitSystem>,
    latches: usize,
    inputs: usize,
}

impl Inverse {
    pub fn new(system: &BitSystem, bad: Lit) -> Inverse {
        let (latches, inputs) = (system.num_latches(), system.num_inputs());
        let mut inverse = BitSystem::new(latches + inputs + 1, latches + 1);
        let (on, halt) =
            (inverse.latch_lit(LatchId::new(latches)), inverse.input_lit(InputId::new(latches + inputs)));
        let step = step_back(&mut inverse, system, bad, on);
        let start = reset(&mut inverse, system);
        let allowed = inverse.push_or(halt, step);
        let bad = inverse.push_gate(on, start);
        for latch in system.latches() {
            let (reset, next) = (inverse.latch_lit(latch), inverse.input_lit(InputId::new(latch.index())));
            inverse.set_latch(latch, Latch { next, reset });
        }
        inverse.set_latch(LatchId::new(latches), Latch { next: !halt, reset: Lit::FALSE });
        inverse.constraints.push(allowed);
        inverse.properties.push(Property { bad, symbol: (SymbolKind::Bad, 0) });
        Inverse { system: Arc::new(inverse), latches, inputs }
    }

    /// The states that the proof excludes, as cubes of the original: none that lead to a violation.
    pub fn excluded(&self, system: &BitSystem, proof: &Proof) -> Vec<Vec<Lit>> {
        let original = |lit: &Lit| {
            let latch = self.system.as_latch(lit.var()).expect("clauses are over latches");
            (latch.index() < self.latches).then(|| system.latch_lit(latch) ^ !lit.is_negated())
        };
        proof.invariant.iter().map(|clause| clause.0.iter().filter_map(original).collect()).collect()
    }

    /// The states chosen since the last halt, the last one first. In the last step nothing is chosen any more.
    pub fn trace(&self, property: PropertyId, backwards: &Trace) -> Trace {
        let chosen = &backwards.inputs[..backwards.last_step()];
        let halted = |row: &Vec<Ternary>| row[self.latches + self.inputs] == Ternary::One;
        let from = chosen.iter().rposition(halted).map_or(0, |last| last + 1);
        let chosen = &chosen[from..];
        let first = chosen.last().expect("a violation is chosen before a start is reached");
        let inputs = |row: &Vec<Ternary>| row[self.latches..self.latches + self.inputs].to_vec();
        let inputs = chosen.iter().rev().map(inputs).collect();
        Trace { property, initial: first[..self.latches].to_vec(), inputs }
    }
}

/// C(y,i) ∧ (on ? x = F(y,i) : bad(y,i))
fn step_back(inverse: &mut BitSystem, system: &BitSystem, bad: Lit, on: Lit) -> Lit {
    let latches = system.num_latches();
    let before = copy(inverse, system, |inverse, node| match node {
        Node::Latch(l) => inverse.input_lit(InputId::new(l.index())),
        Node::Input(i) => inverse.input_lit(InputId::new(latches + i.index())),
        Node::Constant | Node::Gate(..) => Lit::FALSE,
    });
    let mut same = Lit::TRUE;
    for latch in system.latches() {
        let equal = inverse.push_equal(inverse.latch_lit(latch), read(&before, system.latch(latch).next));
        same = inverse.push_gate(same, equal);
    }
    let (back, first) = (inverse.push_gate(on, same), inverse.push_gate(!on, read(&before, bad)));
    let step = inverse.push_or(back, first);
    system.constraints.iter().fold(step, |all, &c| inverse.push_gate(all, read(&before, c)))
}

/// R(x)
fn reset(inverse: &mut BitSystem, system: &BitSystem) -> Lit {
    let plain = |l: &LatchId| {
        let reset = system.latch(*l).reset;
        reset.is_constant() || reset == system.latch_lit(*l)
    };
    let here = match system.latches().all(|l| plain(&l)) {
        true => leaves(inverse, system, here),
        false => copy(inverse, system, here),
    };
    let set = system.latches().filter(|&l| system.latch(l).reset != system.latch_lit(l));
    set.fold(Lit::TRUE, |all, latch| {
        let equal = inverse.push_equal(inverse.latch_lit(latch), read(&here, system.latch(latch).reset));
        inverse.push_gate(all, equal)
    })
}

/// The state itself. Nothing reads the inputs.
fn here(inverse: &BitSystem, node: Node) -> Lit {
    match node {
        Node::Latch(l) => inverse.latch_lit(l),
        Node::Constant | Node::Input(_) | Node::Gate(..) => Lit::FALSE,
    }
}

fn read(copied: &[Lit], lit: Lit) -> Lit {
    copied[lit.var().index()] ^ lit.is_negated()
}

/// The literals of the inverse for the constant, the inputs and the latches.
fn leaves(inverse: &BitSystem, system: &BitSystem, leaf: impl Fn(&BitSystem, Node) -> Lit) -> Vec<Lit> {
    let vars = (0..system.first_gate()).map(|v| buttress_system::Var::new(v as u32));
    vars.map(|v| leaf(inverse, system.node(v))).collect()
}

/// All gates once more, over other leaves: what stands for each variable.
fn copy(inverse: &mut BitSystem, system: &BitSystem, leaf: impl Fn(&BitSystem, Node) -> Lit) -> Vec<Lit> {
    let mut copied = leaves(inverse, system, leaf);
    for &[a, b] in system.gates() {
        let gate = inverse.push_gate(read(&copied, a), read(&copied, b));
        copied.push(gate);
    }
    copied
}
