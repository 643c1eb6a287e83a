//! The way back from a system that lost inputs, latches and properties, some latches being constant.

use std::sync::Arc;

use buttress_system::evidence::{evaluate, value};
use buttress_system::{
    BitSystem, Clause, ElementKind, ElementSet, InputId, LatchId, Lemma, Lit, Proof, PropertyId, Ternary,
    Trace,
};

use crate::BackMap;
use crate::rebuild::{Plan, rebuild};

/// The new system is the old one restricted to these inputs, latches and properties, in this order;
/// `constants` are latches that hold one value in every reachable state.
pub struct Restriction {
    old: Arc<BitSystem>,
    inputs: Vec<InputId>,
    latches: Vec<LatchId>,
    constants: Vec<(LatchId, bool)>,
    properties: Vec<PropertyId>,
    /// The new literal of an old latch, or the constant that it is.
    down: Vec<Option<Lit>>,
}

impl Restriction {
    pub(crate) fn new(
        old: &Arc<BitSystem>,
        inputs: Vec<InputId>,
        latches: Vec<LatchId>,
        constants: Vec<(LatchId, bool)>,
        properties: Vec<PropertyId>,
    ) -> (BitSystem, Restriction) {
        let plan =
            Plan { inputs: &inputs, latches: &latches, constants: &constants, properties: &properties };
        let new = rebuild(old, &plan);
        let mut down = vec![None; old.num_latches()];
        for (&from, to) in latches.iter().zip(new.latches()) {
            down[from.index()] = Some(new.latch_lit(to));
        }
        constants.iter().for_each(|&(l, v)| down[l.index()] = Some(Lit::constant(v)));
        (new, Restriction { old: old.clone(), inputs, latches, constants, properties, down })
    }

    fn lower_lit(&self, lit: Lit) -> Option<Lit> {
        let latch = self.old.as_latch(lit.var())?;
        Some(self.down[latch.index()]? ^ lit.is_negated())
    }

    fn lower_clause(&self, clause: &Clause) -> Option<Clause> {
        let lits: Vec<Lit> = clause.0.iter().map(|&l| self.lower_lit(l)).collect::<Option<_>>()?;
        let open = lits.iter().copied().filter(|&l| l != Lit::FALSE);
        (!lits.contains(&Lit::TRUE)).then(|| Clause::new(open))
    }

    /// Initial values for latches that are gone: their reset, and 0 where that is free.
    fn complete(&self, initial: &mut [Ternary], inputs: &[Ternary]) {
        let kept = |l: LatchId| self.down[l.index()].is_some_and(|d| !d.is_constant());
        for latch in self.old.reset_order().expect("resets were stratified when the system was read") {
            let reset = self.old.latch(latch).reset;
            if kept(latch) || reset == self.old.latch_lit(latch) {
                continue;
            }
            initial[latch.index()] = if reset.is_constant() {
                Ternary::from(reset == Lit::TRUE)
            } else {
                value(&evaluate(&self.old, initial, inputs), reset)
            };
        }
    }
}

impl BackMap for Restriction {
    fn trace(&self, trace: Trace) -> Trace {
        let raise_inputs = |row: &Vec<Ternary>| {
            let mut old = vec![Ternary::Zero; self.old.num_inputs()];
            self.inputs.iter().zip(row).for_each(|(i, &v)| old[i.index()] = v);
            old
        };
        let inputs: Vec<_> = trace.inputs.iter().map(raise_inputs).collect();
        let mut initial = vec![Ternary::Zero; self.old.num_latches()];
        self.latches.iter().zip(&trace.initial).for_each(|(l, &v)| initial[l.index()] = v);
        self.complete(&mut initial, &inputs[0]);
        Trace { property: self.property(trace.property), initial, inputs }
    }

    fn proof(&self, proof: Proof) -> Proof {
        let raised = |c: &Clause| Clause::new(c.0.iter().map(|&l| self.literal(l)));
        let facts = self.constants.iter().map(|&(l, v)| Clause::new([self.old.latch_lit(l) ^ !v]));
        Proof {
            properties: proof.properties.iter().map(|&p| self.property(p)).collect(),
            k: proof.k,
            distinct: proof.distinct.map(|d| d.iter().map(|l| self.latches[l.index()]).collect()),
            invariant: proof.invariant.iter().map(raised).chain(facts).collect(),
        }
    }

    /// The facts were used, so the latches behind them count.
    fn elements(&self, elements: &ElementSet) -> ElementSet {
        let kept = self.latches.len();
        let raise = |e: usize| match e.checked_sub(kept) {
            None => ElementKind::Latch(self.latches[e]),
            Some(constraint) => ElementKind::Constraint(constraint),
        };
        let facts = self.constants.iter().map(|&(l, _)| ElementKind::Latch(l));
        let kinds = elements.iter().map(|e| raise(e.index())).chain(facts);
        kinds.map(|kind| self.old.element_of(kind)).collect()
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        self.properties[property.index()]
    }

    /// Inputs come first, then latches.
    fn literal(&self, lit: Lit) -> Lit {
        let position = lit.var().index() - 1;
        let old = match position.checked_sub(self.inputs.len()) {
            None => self.old.input_lit(self.inputs[position]),
            Some(latch) => self.old.latch_lit(self.latches[latch]),
        };
        old ^ lit.is_negated()
    }

    fn lower(&self, lemma: &Lemma) -> Option<Lemma> {
        match lemma {
            Lemma::Property(p) => {
                let to = self.properties.iter().position(|q| q == p)?;
                Some(Lemma::Property(PropertyId::new(to)))
            }
            Lemma::Clause(clause) => self.lower_clause(clause).map(Lemma::Clause),
        }
    }
}
