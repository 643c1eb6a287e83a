//! The way back from a system that lost inputs, latches and properties, some signals being equal to others.

use std::sync::Arc;

use buttress_system::evidence::{evaluate, value};
use buttress_system::{
    BitSystem, Clause, InputId, LatchId, Lemma, Lit, Proof, PropertyId, Ternary, Trace, Var,
};

use crate::Way;
use crate::rebuild::{Copy, Plan, rebuild};

/// The new system is the old one restricted to these inputs, latches and properties, in this order;
/// some signals being equal to earlier ones in every reachable state.
pub struct Restriction {
    old: Arc<BitSystem>,
    new: Arc<BitSystem>,
    inputs: Vec<InputId>,
    latches: Vec<LatchId>,
    known: Equalities,
    properties: Vec<PropertyId>,
    /// The new literal of an old latch, or the constant that it is.
    down: Vec<Option<Lit>>,
    /// An old literal for each new variable.
    up: Vec<Lit>,
}

/// Signals with an earlier one, or a constant, that they equal.
#[derive(Default)]
pub(crate) struct Equalities {
    /// All of them, in order.
    pub equal: Vec<(Var, Lit)>,
    /// Those that a proof has to say: the others follow.
    pub facts: Vec<(Var, Lit)>,
}

impl Restriction {
    pub(crate) fn new(
        old: &Arc<BitSystem>,
        inputs: Vec<InputId>,
        latches: Vec<LatchId>,
        known: Equalities,
        properties: Vec<PropertyId>,
    ) -> Restriction {
        let plan = Plan { inputs: &inputs, latches: &latches, equal: &known.equal, properties: &properties };
        let Copy { system, down, up } = rebuild(old, &plan);
        let down = old.latches().map(|l| down[old.latch_lit(l).var().index()]).collect();
        Restriction { old: old.clone(), new: Arc::new(system), inputs, latches, known, properties, down, up }
    }

    /// The latches that equal others.
    fn equal_latches(&self) -> impl Iterator<Item = (LatchId, Lit)> {
        self.known.equal.iter().filter_map(|&(var, other)| Some((self.old.as_latch(var)?, other)))
    }

    /// An old literal for a new one.
    fn raise_lit(&self, lit: Lit) -> Lit {
        self.up[lit.var().index()] ^ lit.is_negated()
    }

    fn lower_lit(&self, lit: Lit) -> Option<Lit> {
        let latch = self.old.as_latch(lit.var())?;
        Some(self.down[latch.index()]? ^ lit.is_negated())
    }

    fn lower_one(&self, lemma: &Lemma) -> Option<Lemma> {
        match lemma {
            Lemma::Property(p) => {
                let to = self.properties.iter().position(|q| q == p)?;
                Some(Lemma::Property(PropertyId::new(to)))
            }
            Lemma::Clause(clause) => self.lower_clause(clause).map(Lemma::Clause),
        }
    }

    fn lower_clause(&self, clause: &Clause) -> Option<Clause> {
        let lits: Vec<Lit> = clause.0.iter().map(|&l| self.lower_lit(l)).collect::<Option<_>>()?;
        let open = lits.iter().copied().filter(|&l| l != Lit::FALSE);
        (!lits.contains(&Lit::TRUE)).then(|| Clause::new(open))
    }

    /// Initial values for latches that are gone: what they equal, or their reset, and 0 where that is free.
    fn complete(&self, initial: &mut [Ternary], inputs: &[Ternary]) {
        let mut known = vec![false; initial.len()];
        self.latches.iter().for_each(|l| known[l.index()] = true);
        for (latch, other) in self.equal_latches() {
            initial[latch.index()] = match self.old.as_latch(other.var()) {
                None => Ternary::from(other == Lit::TRUE),
                Some(same) if other.is_negated() => !initial[same.index()],
                Some(same) => initial[same.index()],
            };
            known[latch.index()] = true;
        }
        for latch in self.old.reset_order().expect("resets were stratified when the system was read") {
            let reset = self.old.latch(latch).reset;
            if known[latch.index()] || reset == self.old.latch_lit(latch) {
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

/// var = other, as clauses.
fn clauses(&(var, other): &(Var, Lit)) -> Vec<Clause> {
    match other {
        Lit::FALSE => vec![Clause::new([!var.lit()])],
        Lit::TRUE => vec![Clause::new([var.lit()])],
        _ => vec![Clause::new([!var.lit(), other]), Clause::new([var.lit(), !other])],
    }
}

impl Way for Restriction {
    type Old = BitSystem;
    type New = BitSystem;

    fn system(&self) -> &Arc<BitSystem> {
        &self.new
    }

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

    fn path(&self, path: Trace) -> Trace {
        self.trace(path)
    }

    fn proof(&self, proof: Proof) -> Proof {
        let raised = |c: &Clause| Clause::new(c.0.iter().map(|&l| self.raise_lit(l)));
        let facts = self.known.facts.iter().flat_map(clauses);
        Proof {
            properties: proof.properties.iter().map(|&p| self.property(p)).collect(),
            k: proof.k,
            distinct: proof.distinct.map(|d| d.iter().map(|l| self.latches[l.index()]).collect()),
            invariant: facts.chain(proof.invariant.iter().map(raised)).collect(),
        }
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        self.properties[property.index()]
    }

    fn literal(&self, lit: Lit) -> Option<Lit> {
        Some(self.raise_lit(lit))
    }

    fn lower(&self, lemmas: &[Lemma]) -> Vec<Option<Lemma>> {
        lemmas.iter().map(|lemma| self.lower_one(lemma)).collect()
    }
}
