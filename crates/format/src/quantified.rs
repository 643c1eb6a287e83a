//! Certificates for claims about all places: start, step and goal as one SMT-LIB 2 script with real quantifiers,
//! in which every `check-sat` must answer `unsat`. A second opinion: it names no instances, so a solver must find
//! its own, and may answer `unknown`.
//!
//! * start: C(q⁰) and ¬∀X inv(q⁰)
//! * step: ∀X inv(V), C(V), C(δ) and ¬∀X inv(δ)
//! * goal: ∀X inv(V), C(V) and ∃X bad(V)
//!
//! Axioms are asserted for all their index symbols. Maps are arrays; there is no lambda left.

use std::io::{self, Write};

use buttress_system::indexed::{Indexed, IndexedProof};
use buttress_system::words::Assignment;
use buttress_term::smtlib::{Smtlib, sort};
use buttress_term::{TermId, Terms};
use rustc_hash::FxHashMap;

/// Writes the obligations of all these proofs.
pub fn write(model: &Indexed, proofs: &[&IndexedProof], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "; every check-sat of this file must answer unsat\n(set-logic ALL)")?;
    for proof in proofs {
        let mut claim = Claim { model, indices: &proof.indices, terms: (*proof.terms).clone() };
        let invariant = claim.terms.all(&proof.clauses);
        let start = claim.start();
        let parts = claim.state(&start);
        let then = claim.after(invariant, &start);
        claim.obligation("start", &parts, &[(then, false)], &mut out)?;
        let now = claim.definitions(FxHashMap::default());
        let next = claim.next(&now);
        let mut parts = claim.state(&now);
        parts.extend(claim.state(&next));
        let then = claim.after(invariant, &next);
        claim.obligation("step", &parts, &[(invariant, true), (then, false)], &mut out)?;
        let parts = claim.state(&now);
        for &property in &proof.properties {
            let label = &model.system.property(property).label.name;
            let bad = claim.after(model.system.property(property).bad, &now);
            let good = claim.terms.not(bad);
            claim.obligation(
                &format!("goal: {label}"),
                &parts,
                &[(invariant, true), (good, false)],
                &mut out,
            )?;
        }
    }
    Ok(())
}

type Values = FxHashMap<TermId, TermId>;

struct Claim<'a> {
    model: &'a Indexed,
    /// Of the proof.
    indices: &'a [TermId],
    terms: Terms,
}

impl Claim<'_> {
    fn after(&mut self, term: TermId, values: &Values) -> TermId {
        let term = self.terms.replace(term, values);
        self.terms.reduce(term)
    }

    /// The constraints and axioms in a state, with whether they hold for all index symbols.
    fn state(&mut self, values: &Values) -> Vec<(TermId, bool)> {
        let model = self.model;
        let constraints = model.system.constraints.iter().map(|c| (c.term, false));
        let said: Vec<(TermId, bool)> =
            constraints.chain(model.axioms.iter().map(|a| (a.term, true))).collect();
        said.into_iter().map(|(term, all)| (self.after(term, values), all)).collect()
    }

    fn definitions(&mut self, mut values: Values) -> Values {
        for definition in &self.model.system.definitions {
            let value = self.after(definition.value, &values);
            values.insert(definition.variable, value);
        }
        values
    }

    fn start(&mut self) -> Values {
        let system = &self.model.system;
        let mut values = Values::default();
        for assignment in system.start_order().expect("the system was validated when it was read") {
            let (variable, value) = match assignment {
                Assignment::Definition(d) => {
                    (system.definitions[d].variable, Some(system.definitions[d].value))
                }
                Assignment::State(s) => (system.state(s).variable, system.state(s).init),
            };
            if let Some(value) = value {
                let value = self.after(value, &values);
                values.insert(variable, value);
            }
        }
        values
    }

    fn next(&mut self, now: &Values) -> Values {
        let system = &self.model.system;
        let mut next = Values::default();
        let inputs = system.inputs.iter().filter(|i| !self.model.is_index(i.variable));
        let fresh: Vec<(TermId, String)> =
            inputs.map(|i| (i.variable, format!("{}'", i.label.name))).collect();
        for (variable, name) in fresh {
            let sort = self.terms.sort(variable).clone();
            next.insert(variable, self.terms.variable(name, sort));
        }
        for state in &system.states {
            let value = match state.next {
                Some(value) => self.after(value, now),
                None => {
                    let sort = self.terms.sort(state.variable).clone();
                    self.terms.variable(format!("{}'", state.label.name), sort)
                }
            };
            next.insert(state.variable, value);
        }
        self.definitions(next)
    }

    /// One question: facts, and claims for all index symbols that hold or, where it says so, do not.
    fn obligation(
        &self,
        what: &str,
        facts: &[(TermId, bool)],
        claims: &[(TermId, bool)],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let text = Smtlib::new(&self.terms);
        let index = |v: &TermId| self.indices.contains(v);
        writeln!(out, "\n; {what}\n(push 1)")?;
        let roots: Vec<TermId> = facts.iter().chain(claims).map(|(t, _)| *t).collect();
        for line in text.declarations(roots.iter().copied()).lines() {
            let bound = |v: &TermId| line.starts_with(&format!("(declare-const {} ", text.name(*v)));
            if !self.indices.iter().any(bound) {
                writeln!(out, "{line}")?;
            }
        }
        let quantified = |term: TermId| {
            let read = self.terms.free_variables([term]);
            let names = read.iter().filter(|v| index(v));
            let names: Vec<String> =
                names.map(|v| format!("({} {})", text.name(*v), sort(self.terms.sort(*v)))).collect();
            match names.is_empty() {
                true => text.term(term),
                false => format!("(forall ({}) {})", names.join(" "), text.term(term)),
            }
        };
        for (fact, _) in facts {
            writeln!(out, "(assert {})", quantified(*fact))?;
        }
        for (claim, holds) in claims {
            let claim = quantified(*claim);
            writeln!(out, "(assert {})", if *holds { claim } else { format!("(not {claim})") })?;
        }
        writeln!(out, "(check-sat)\n(pop 1)")
    }
}
