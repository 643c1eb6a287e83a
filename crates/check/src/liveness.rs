//! Proofs of liveness on bits: the monitor is built here anew, from the system and its justice properties, and the
//! proof must be one of the safety of both together ([`certify_proof`](crate::certify_proof)).
//!
//! Why that suffices. Take an infinite execution on which each signal `q` of a property, fairness included, holds
//! infinitely often.
//!
//! * *Loop.* There are finitely many states. Some values of the latches that the property and the constraints
//!   depend on come again and again; choose two moments between which each `q` holds, and `save` at the first. At
//!   the second one the monitor is in a bad state. So where no bad state can be reached, there is no such
//!   execution.
//! * *Visits.* Each `q` holds again after any moment, hence there are more than `k` visits, and the monitor comes
//!   to its bad state at the visit after the k-th.
//!
//! A proof by arenas has no monitor: [`crate::arenas`] has its conditions.
//!
//! Formulas of temporal logic are justice properties of the unfolded system: the tableau, and the argument for it,
//! is that of
//! [`buttress_system::ltl::tableau`], which belongs to the meaning of a formula as its reader does. A lasso
//! owes nothing to it: there the formula itself is evaluated.
//!
//! The order of inputs, latches and gates is that of [`buttress_system::live`]. Whoever made the proof numbers
//! them so, too: otherwise its clauses are about something else, and are no invariant.

use buttress_solve::Stop;
use buttress_system::{
    BitSystem, Latch, LatchId, Lit, Live, LiveProof, Monitor, Node, Proof, Property, SymbolKind, Unfolds, Var,
};

use crate::arenas::certify_arenas;
use crate::proof::obligations;
use crate::{Checked, Evidence, Refusal, require};

/// Accepts a proof that a system with its monitor never comes to a bad state, whatever properties it names.
pub fn certify_live_proof(
    live: &Live<BitSystem>,
    proof: LiveProof<Proof>,
    stop: &Stop,
) -> Result<Checked, Refusal> {
    let live = &BitSystem::unfolded(live);
    let monitored = match proof.monitor {
        Monitor::Arenas => return certify_arenas(live, proof, stop),
        Monitor::Loop => Product::with_loop(live),
        Monitor::Visits(k) => {
            require(k <= MOST_VISITS, || format!("{k} visits are more than anybody can count"))?;
            Product::with_visits(live, k as usize)
        }
    };
    require(proof.arenas.is_empty(), || "arenas stand beside a monitor".to_string())?;
    require(!proof.proof.properties.is_empty(), || "the proof names no property".to_string())?;
    crate::proof::fits(&monitored, &proof.proof)?;
    let vacuous = obligations(&monitored, &proof.proof, &[], stop)?;
    let decides = proof.proof.properties.clone();
    Ok(Checked { decides, evidence: Evidence::Live(proof), vacuous })
}

/// A claim is not a size: nobody counts so far.
pub(crate) const MOST_VISITS: u32 = 100_000;

/// Which latches these signals depend on, constraints included, through any number of steps.
pub(crate) fn latches_behind(system: &BitSystem, signals: impl Iterator<Item = Lit>) -> Vec<LatchId> {
    let mut behind = vec![false; system.num_vars()];
    let mut open: Vec<Var> = signals.chain(system.constraints.iter().copied()).map(|l| l.var()).collect();
    while let Some(var) = open.pop() {
        if behind[var.index()] {
            continue;
        }
        behind[var.index()] = true;
        match system.node(var) {
            Node::Constant | Node::Input(_) => {}
            Node::Gate(a, b) => open.extend([a.var(), b.var()]),
            Node::Latch(l) => open.extend([system.latch(l).next.var(), system.latch(l).reset.var()]),
        }
    }
    system.latches().filter(|&l| behind[system.latch_lit(l).var().index()]).collect()
}

/// The system and its monitor, side by side.
pub(crate) struct Product<'a> {
    of: &'a Live<BitSystem>,
    pub(crate) system: BitSystem,
    /// How far latches and gates are shifted.
    inputs: u32,
    latches: u32,
}

impl<'a> Product<'a> {
    pub(crate) fn new(of: &'a Live<BitSystem>, inputs: usize, latches: usize) -> Product<'a> {
        let model = &*of.system;
        let system = BitSystem::new(model.num_inputs() + inputs, model.num_latches() + latches);
        let mut product = Product { of, system, inputs: inputs as u32, latches: latches as u32 };
        for gate in model.gates() {
            let [a, b] = gate.map(|operand| product.there(operand));
            product.system.push_gate(a, b);
        }
        for l in model.latches() {
            let Latch { next, reset } = model.latch(l);
            let latch = Latch { next: product.there(next), reset: product.there(reset) };
            product.system.set_latch(l, latch);
        }
        for &constraint in &model.constraints {
            let constraint = product.there(constraint);
            product.system.constraints.push(constraint);
        }
        product
    }

    /// A literal of the model.
    pub(crate) fn there(&self, lit: Lit) -> Lit {
        let shift = match self.of.system.node(lit.var()) {
            Node::Constant | Node::Input(_) => 0,
            Node::Latch(_) => self.inputs,
            Node::Gate(..) => self.inputs + self.latches,
        };
        Lit::from_code(lit.code() + 2 * shift)
    }

    /// The latch of the monitor with this number.
    pub(crate) fn own(&self, number: usize) -> (LatchId, Lit) {
        let latch = LatchId::new(self.of.system.num_latches() + number);
        (latch, self.system.latch_lit(latch))
    }

    pub(crate) fn set(&mut self, latch: LatchId, next: Lit, reset: Lit) {
        self.system.set_latch(latch, Latch { next, reset });
    }

    pub(crate) fn signals(&self, justice: usize) -> Vec<Lit> {
        let own = &self.of.justice[justice];
        own.iter().chain(&self.of.fairness).map(|&q| self.there(q)).collect()
    }

    /// The number of the first `seen` of each property, after `first`; and that of what comes after them.
    fn seen(&self, first: usize) -> (Vec<usize>, usize) {
        let mut number = first;
        let mut starts = Vec::new();
        for own in &self.of.justice {
            starts.push(number);
            number += own.len() + self.of.fairness.len();
        }
        (starts, number)
    }

    pub(crate) fn claim(&mut self, bad: Lit) {
        let symbol = (SymbolKind::Bad, self.system.properties.len());
        self.system.properties.push(Property { bad, symbol });
    }

    fn with_loop(of: &Live<BitSystem>) -> BitSystem {
        let model = &*of.system;
        let signals = |j: usize| of.justice[j].iter().chain(&of.fairness).copied();
        let behind: Vec<Vec<LatchId>> =
            (0..of.justice.len()).map(|j| latches_behind(model, signals(j))).collect();
        let kept: Vec<LatchId> =
            model.latches().filter(|l| behind.iter().any(|of_one| of_one.contains(l))).collect();
        let signals: usize = (0..of.justice.len()).map(|j| signals(j).count()).sum();
        let mut product = Product::new(of, 1, 1 + signals + kept.len());
        let save = Var::new(1 + model.num_inputs() as u32).lit();
        let (saved_latch, saved) = product.own(0);
        let (seen, first_kept) = product.seen(1);
        let now = product.system.push_gate(save, !saved);
        let since = !product.system.push_gate(!saved, !save);
        product.set(saved_latch, since, Lit::FALSE);
        let mut same = vec![Lit::TRUE; model.num_latches()];
        for (n, &l) in kept.iter().enumerate() {
            let (x, (copy, kept)) = (product.system.latch_lit(l), product.own(first_kept + n));
            let hold = product.system.push_gate(kept, !now);
            let take = product.system.push_gate(x, now);
            let next = !product.system.push_gate(!hold, !take);
            let start = model.latch(l).reset;
            product.set(copy, next, if start.is_constant() { start } else { kept });
            let (both, neither) = (product.system.push_gate(kept, x), product.system.push_gate(!kept, !x));
            same[l.index()] = !product.system.push_gate(!both, !neither);
        }
        for (j, &first) in seen.iter().enumerate() {
            for (i, q) in product.signals(j).into_iter().enumerate() {
                let (latch, seen) = product.own(first + i);
                let met = !product.system.push_gate(!seen, !q);
                let next = product.system.push_gate(met, since);
                product.set(latch, next, Lit::FALSE);
            }
        }
        for (j, &first) in seen.iter().enumerate() {
            let mut bad = saved;
            for i in 0..product.signals(j).len() {
                bad = product.system.push_gate(bad, product.own(first + i).1);
            }
            for l in &behind[j] {
                bad = product.system.push_gate(bad, same[l.index()]);
            }
            product.claim(bad);
        }
        product.system
    }

    fn with_visits(of: &Live<BitSystem>, k: usize) -> BitSystem {
        let properties = of.justice.len();
        let signals: usize = of.justice.iter().map(|own| own.len() + of.fairness.len()).sum();
        let mut product = Product::new(of, 0, signals + k * properties);
        let (seen, first_count) = product.seen(0);
        for (j, &first) in seen.iter().enumerate() {
            let mut met = Vec::new();
            for (i, q) in product.signals(j).into_iter().enumerate() {
                let seen = product.own(first + i).1;
                met.push(!product.system.push_gate(!seen, !q));
            }
            let mut visit = met.first().copied().unwrap_or(Lit::TRUE);
            for &m in met.iter().skip(1) {
                visit = product.system.push_gate(visit, m);
            }
            for (i, &m) in met.iter().enumerate() {
                let next = product.system.push_gate(m, !visit);
                product.set(product.own(first + i).0, next, Lit::FALSE);
            }
            let mut reached = Lit::TRUE;
            for n in 0..k {
                let (latch, count) = product.own(first_count + n * properties + j);
                let up = product.system.push_gate(reached, visit);
                let next = !product.system.push_gate(!count, !up);
                product.set(latch, next, Lit::FALSE);
                reached = count;
            }
            let bad = product.system.push_gate(reached, visit);
            product.claim(bad);
        }
        product.system
    }
}
