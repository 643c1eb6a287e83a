//! Certificates about words: the obligations of a k-inductive strengthening S as one SMT-LIB 2 script, in which
//! every `check-sat` must answer `unsat`, whatever the solver.
//!
//! * initiation, for each t < k: an execution of t + 1 states violates S in its last;
//! * consecution: k states in S lead to one outside;
//! * implication, for each property: a state in S violates it.
//!
//! In each step every input, state and definition is a constant of its own. What solvers may choose, division by
//! zero, is written out. Proofs that compare states for distinctness have no certificate.

use std::io::{self, Write};

use buttress_system::words::{System, WordProof};
use buttress_term::script::Script;
use buttress_term::{TermId, Terms};
use rustc_hash::FxHashMap;

/// Writes the obligations of all these proofs; each must be without distinctness.
pub fn write(system: &System, proofs: &[&WordProof], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "; every check-sat of this file must answer unsat\n(set-logic ALL)")?;
    for proof in proofs {
        let k = proof.claim.k as usize;
        for t in 0..k {
            let mut steps = Steps::new(system, proof, t + 1);
            steps.start();
            steps.violated(t);
            steps.write(&format!("initiation, after {t} steps"), &mut out)?;
        }
        let mut steps = Steps::new(system, proof, k + 1);
        (0..k).for_each(|t| steps.holds(t));
        steps.violated(k);
        steps.write("consecution", &mut out)?;
        for &property in &proof.claim.properties {
            let mut steps = Steps::new(system, proof, 1);
            steps.holds(0);
            let bad = steps.at(system.property(property).bad, 0);
            steps.facts.push(bad);
            steps.write(&format!("implication of {}", system.property(property).label.name), &mut out)?;
        }
    }
    Ok(())
}

/// One obligation: facts about some steps.
struct Steps<'a> {
    system: &'a System,
    proof: &'a WordProof,
    terms: Terms,
    copies: Vec<FxHashMap<TermId, TermId>>,
    facts: Vec<TermId>,
}

impl<'a> Steps<'a> {
    /// So many steps of the system, under its constraints.
    fn new(system: &'a System, proof: &'a WordProof, steps: usize) -> Steps<'a> {
        let terms = (*proof.terms).clone();
        let mut unrolled = Steps { system, proof, terms, copies: Vec::new(), facts: Vec::new() };
        (0..steps).for_each(|_| unrolled.push());
        unrolled
    }

    fn push(&mut self) {
        let step = self.copies.len();
        let inputs = self.system.inputs.iter().map(|i| (i.variable, &i.label.name));
        let states = self.system.states.iter().map(|s| (s.variable, &s.label.name));
        let definitions = self.system.definitions.iter().map(|d| (d.variable, &d.label.name));
        let mut copies = FxHashMap::default();
        for (variable, name) in inputs.chain(states).chain(definitions) {
            let sort = self.terms.sort(variable).clone();
            copies.insert(variable, self.terms.variable(format!("{name}@{step}"), sort));
        }
        self.copies.push(copies);
        for definition in &self.system.definitions {
            self.equal(definition.variable, step, definition.value, step);
        }
        for constraint in &self.system.constraints {
            let holds = self.at(constraint.term, step);
            self.facts.push(holds);
        }
        for state in self.system.states.iter().filter(|_| step > 0) {
            if let Some(next) = state.next {
                self.equal(state.variable, step, next, step - 1);
            }
        }
    }

    fn start(&mut self) {
        for state in &self.system.states {
            if let Some(init) = state.init {
                self.equal(state.variable, 0, init, 0);
            }
        }
    }

    fn at(&mut self, term: TermId, step: usize) -> TermId {
        self.terms.substitute(&[term], &self.copies[step])[0]
    }

    fn equal(&mut self, variable: TermId, step: usize, value: TermId, read_at: usize) {
        let (left, right) = (self.at(variable, step), self.at(value, read_at));
        let equal = self.terms.eq(left, right);
        self.facts.push(equal);
    }

    /// S at a step.
    fn strengthening(&mut self, step: usize) -> TermId {
        let claim = &self.proof.claim;
        let mut conjuncts: Vec<TermId> = claim.invariant.iter().map(|&c| self.at(c, step)).collect();
        for &property in &claim.properties {
            let bad = self.at(self.system.property(property).bad, step);
            conjuncts.push(self.terms.not(bad));
        }
        self.terms.all(&conjuncts)
    }

    fn holds(&mut self, step: usize) {
        let all = self.strengthening(step);
        self.facts.push(all);
    }

    fn violated(&mut self, step: usize) {
        let all = self.strengthening(step);
        let violated = self.terms.not(all);
        self.facts.push(violated);
    }

    fn write(&self, what: &str, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "; {what}\n(push 1)")?;
        let mut script = Script::new();
        for &fact in &self.facts {
            let mut commands = String::new();
            let text = script.express(&self.terms, fact, &mut commands);
            writeln!(out, "{commands}(assert {text})")?;
        }
        writeln!(out, "(check-sat)\n(pop 1)")
    }
}
