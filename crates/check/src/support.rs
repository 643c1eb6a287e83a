//! Which latches a function reads, once constants and local redundancies are folded away.
//!
//! A proof about a simplified system leaves out latches that the original still mentions, as in `x ∧ ¬x` or `0 ∧
//! x`. This finds such mentions by the usual local rules, so that the check of distinctness does not stumble on
//! them.

use std::collections::BTreeMap;

use buttress_system::{BitSystem, Lit, Node, Ternary};

/// For each variable, a literal that it equals while the given latches are constant.
pub(crate) struct Folded<'a> {
    system: &'a BitSystem,
    image: Vec<Lit>,
}

/// `a ∧ b` where b is a gate over a: `a ∧ (a ∧ y) = b`, `a ∧ (¬a ∧ y) = 0`, `a ∧ ¬(¬a ∧ y) = a`.
fn absorbed(system: &BitSystem, image: &[Lit], a: Lit, b: Lit) -> Option<Lit> {
    let Node::Gate(x, y) = system.node(b.var()) else { return None };
    let operands = [x, y].map(|l| image[l.var().index()] ^ l.is_negated());
    match b.is_negated() {
        false if operands.contains(&a) => Some(b),
        false if operands.contains(&!a) => Some(Lit::FALSE),
        true if operands.contains(&!a) => Some(a),
        _ => None,
    }
}

impl<'a> Folded<'a> {
    pub(crate) fn new(system: &'a BitSystem, constants: &[Ternary]) -> Folded<'a> {
        let mut image: Vec<Lit> = (0..system.first_gate()).map(|v| Lit::from_code(2 * v as u32)).collect();
        for latch in system.latches() {
            if let Some(value) = constants[latch.index()].known() {
                image[system.latch_lit(latch).var().index()] = Lit::constant(value);
            }
        }
        let mut shared: BTreeMap<(Lit, Lit), Lit> = BTreeMap::new();
        for &[a, b] in system.gates() {
            let own = Lit::from_code(2 * image.len() as u32);
            let read = |l: Lit| image[l.var().index()] ^ l.is_negated();
            let (a, b) = (read(a).min(read(b)), read(a).max(read(b)));
            image.push(match () {
                _ if a == Lit::FALSE || b == Lit::FALSE || a == !b => Lit::FALSE,
                _ if a == Lit::TRUE || a == b => b,
                _ if b == Lit::TRUE => a,
                _ => match absorbed(system, &image, a, b).or_else(|| absorbed(system, &image, b, a)) {
                    Some(known) => known,
                    None => *shared.entry((a, b)).or_insert(own),
                },
            });
        }
        Folded { system, image }
    }

    pub(crate) fn image(&self, lit: Lit) -> Lit {
        self.image[lit.var().index()] ^ lit.is_negated()
    }

    /// The latches that these roots read.
    pub(crate) fn latches_read(&self, roots: impl Iterator<Item = Lit>) -> Vec<bool> {
        let mut seen = vec![false; self.system.num_vars()];
        let mut read = vec![false; self.system.num_latches()];
        let mut todo: Vec<Lit> = roots.collect();
        while let Some(lit) = todo.pop() {
            let var = self.image[lit.var().index()].var();
            if std::mem::replace(&mut seen[var.index()], true) {
                continue;
            }
            match self.system.node(var) {
                Node::Gate(a, b) => todo.extend([a, b]),
                Node::Latch(latch) => read[latch.index()] = true,
                Node::Constant | Node::Input(_) => {}
            }
        }
        read
    }
}
