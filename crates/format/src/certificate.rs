//! Certificates of safe models: witness circuits, written and read (Yu, Biere & Heljanko, CAV 2021; format of
//! the hardware model checking competition).
//!
//! # Writing
//!
//! A strengthening S that is inductive (k = 1) is certified by the model itself with `bad' = ¬S`. For k > 1
//! the circuit remembers the last k−1 states and inputs `h₁ … h_{k−1}` (the newest first) and, in latches `v_j`,
//! which of them are real. With `h₀` the present, its property is
//!
//! ```text
//! S(h₀)  ∧  ⋀_j v_j → C(h_j) ∧ S(h_j) ∧ h_{j−1} = F(h_j)  ∧  ⋀_j v_{j+1} → v_j
//!        ∧  the oldest real state is a reset state, unless the history is full
//! ```
//!
//! which is inductive exactly if S is k-inductive: a history that is not full is an execution from the start
//! (base case), a full one is a path of k states in S (step case). Only the cone of S and the constraints is
//! remembered. The model's inputs and latches come first, so the mapping is the default one.
//!
//! A proof that rests on the constraints leaving no execution of k states adds "the history is never full". One
//! that needs distinct states has no quantifier-free witness circuit, and gets none. Proofs of liveness:
//! [`live`].
//!
//! # Reading
//!
//! [`mapping`] and [`certified`] say which literals of a circuit stand for which of the model, and which
//! properties its `WITNESS` comments name; [`interventions`] what its signals read of a second state. Whether it
//! is right is the business of `buttress-check`.

use buttress_system::{
    BitSystem, Certified, Clause, InputId, Latch, LatchId, Lit, Proof, Property, PropertyId, SymbolKind,
};

use crate::Diagnostic;
use crate::aiger::Aiger;

mod live;

pub use live::{LivePart, live_circuit};

/// The witness circuit for this proof, where there is one. `bounded` is the number of states that no execution
/// reaches, where the proof rests on that.
pub fn witness_circuit(model: &BitSystem, proof: &Proof, bounded: Option<usize>) -> Option<BitSystem> {
    if proof.distinct.is_some() && bounded.is_none() {
        return None;
    }
    let k = bounded.unwrap_or(proof.k as usize);
    let mut circuit = Circuit::new(model, proof, k);
    let good = circuit.all_good(k, bounded.is_some());
    let mut witness = circuit.witness;
    witness.properties = vec![Property { bad: !good, symbol: (SymbolKind::Bad, 0) }];
    Some(witness)
}

/// The comments of a certificate: which properties of which file it is for, and what its signals read of a
/// second state.
pub fn comments(
    model: &BitSystem,
    certified: &Certified,
    interventions: &[(Lit, Lit)],
    file: &str,
) -> Vec<String> {
    let safe = certified.properties.iter().map(|&p| {
        let (kind, index) = model.property(p).symbol;
        format!("WITNESS {}{index} {file}", kind.letter())
    });
    let live = certified.justice.iter().map(|j| format!("WITNESS j{j} {file}"));
    let head = (!interventions.is_empty()).then(|| format!("INTERVENTION {}", interventions.len()));
    let rows = interventions.iter().map(|(second, gate)| format!("{} {}", second.code(), gate.code()));
    safe.chain(live).chain(head).chain(rows).collect()
}

struct Circuit<'a> {
    model: &'a BitSystem,
    proof: &'a Proof,
    witness: BitSystem,
    /// Latches and inputs that are remembered.
    latches: Vec<LatchId>,
    inputs: Vec<usize>,
    /// `images[j]`: the witness's literal of each of the model's variables in `h_j`, where it is needed.
    images: Vec<Vec<Option<Lit>>>,
}

impl<'a> Circuit<'a> {
    fn new(model: &'a BitSystem, proof: &'a Proof, k: usize) -> Circuit<'a> {
        let needed = needed(model, proof);
        let latches: Vec<LatchId> =
            model.latches().filter(|&l| needed[model.latch_lit(l).var().index()]).collect();
        let inputs: Vec<usize> = (0..model.num_inputs()).filter(|&i| needed[1 + i]).collect();
        let (frame, all) = (1 + latches.len() + inputs.len(), model.num_latches());
        let witness = BitSystem::new(model.num_inputs(), all + (k - 1) * frame);
        let mut circuit = Circuit { model, proof, witness, latches, inputs, images: Vec::new() };
        circuit.copy_model(&vec![true; model.num_vars()]);
        for j in 1..k {
            circuit.remember(j, &needed);
        }
        circuit
    }

    /// h₀: all of the model, as it is.
    fn copy_model(&mut self, needed: &[bool]) {
        let model = self.model;
        let mut image = vec![None; model.first_gate()];
        image[0] = Some(Lit::FALSE);
        model.inputs().for_each(|i| image[1 + i.index()] = Some(self.witness.input_lit(i)));
        model
            .latches()
            .for_each(|l| image[model.latch_lit(l).var().index()] = Some(self.witness.latch_lit(l)));
        self.copy_gates(image, needed);
        for latch in model.latches() {
            let Latch { next, reset } = model.latch(latch);
            let definition = Latch { next: self.at(0, next), reset: self.at(0, reset) };
            self.witness.set_latch(latch, definition);
        }
        self.witness.constraints = model.constraints.iter().map(|&c| self.at(0, c)).collect();
    }

    /// h_j and v_j: latches that take over h_{j−1} and v_{j−1}.
    fn remember(&mut self, j: usize, needed: &[bool]) {
        let model = self.model;
        let mut image = vec![None; model.first_gate()];
        image[0] = Some(Lit::FALSE);
        let before = if j == 1 { Lit::TRUE } else { self.valid(j - 1) };
        let valid = self.slot(j, 0);
        self.witness.set_latch(valid, Latch { next: before, reset: Lit::FALSE });
        let latches = self.latches.iter().map(|&l| model.latch_lit(l).var().index());
        let inputs = self.inputs.iter().map(|&i| 1 + i);
        for (offset, var) in latches.chain(inputs).enumerate() {
            let slot = self.slot(j, 1 + offset);
            let newer = self.images[j - 1][var].expect("remembered since it is needed");
            self.witness.set_latch(slot, Latch { next: newer, reset: Lit::FALSE });
            image[var] = Some(self.witness.latch_lit(slot));
        }
        self.copy_gates(image, needed);
    }

    fn copy_gates(&mut self, mut image: Vec<Option<Lit>>, needed: &[bool]) {
        let first = self.model.first_gate();
        for (g, &[a, b]) in self.model.gates().iter().enumerate() {
            let read = |l: Lit| image[l.var().index()].expect("needed") ^ l.is_negated();
            image.push(needed[first + g].then(|| self.witness.push_gate(read(a), read(b))));
        }
        self.images.push(image);
    }

    fn slot(&self, j: usize, offset: usize) -> LatchId {
        let frame = 1 + self.latches.len() + self.inputs.len();
        LatchId::new(self.model.num_latches() + (j - 1) * frame + offset)
    }

    fn valid(&self, j: usize) -> Lit {
        self.witness.latch_lit(self.slot(j, 0))
    }

    fn at(&self, j: usize, lit: Lit) -> Lit {
        self.images[j][lit.var().index()].expect("needed") ^ lit.is_negated()
    }

    /// The property of the circuit; and, where the constraints bound executions, that the history is never full.
    fn all_good(&mut self, k: usize, is_bounded: bool) -> Lit {
        let good = self.good(k);
        if !is_bounded {
            return good;
        }
        let full = if k == 1 { Lit::TRUE } else { self.valid(k - 1) };
        self.witness.push_gate(good, !full)
    }

    fn good(&mut self, k: usize) -> Lit {
        let mut parts = self.strengthening(0);
        for j in 1..k {
            let valid = self.valid(j);
            let mut real = self.strengthening(j);
            real.extend(self.model.constraints.iter().map(|&c| self.at(j, c)));
            real.extend(self.link(j));
            let real = self.all(&real);
            parts.push(self.implies(valid, real));
            // The state before h_j is the oldest unless h_j is real.
            let older = if j == 1 { Lit::TRUE } else { self.valid(j - 1) };
            parts.push(self.implies(valid, older));
            let start = self.reset(j - 1);
            let oldest = self.witness.push_gate(older, !valid);
            parts.push(self.implies(oldest, start));
        }
        self.all(&parts)
    }

    /// S(h_j), in parts.
    fn strengthening(&mut self, j: usize) -> Vec<Lit> {
        let (model, proof) = (self.model, self.proof);
        let mut parts: Vec<Lit> =
            proof.properties.iter().map(|&p| !self.at(j, model.property(p).bad)).collect();
        for Clause(lits) in &proof.invariant {
            let falsified: Vec<Lit> = lits.iter().map(|&l| !self.at(j, l)).collect();
            parts.push(!self.all(&falsified));
        }
        parts
    }

    /// h_{j−1} = F(h_j), in parts.
    fn link(&mut self, j: usize) -> Vec<Lit> {
        let equal = |this: &mut Self, l: LatchId| {
            let newer = this.at(j - 1, this.model.latch_lit(l));
            let next = this.at(j, this.model.latch(l).next);
            this.witness.push_equal(newer, next)
        };
        self.latches.clone().into_iter().map(|l| equal(self, l)).collect()
    }

    /// R(h_j)
    fn reset(&mut self, j: usize) -> Lit {
        let model = self.model;
        let bound = |l: &LatchId| model.latch(*l).reset != model.latch_lit(*l);
        let latches: Vec<LatchId> = self.latches.iter().copied().filter(bound).collect();
        let mut parts = Vec::new();
        for latch in latches {
            let own = self.at(j, model.latch_lit(latch));
            parts.push(match model.latch(latch).reset {
                reset if reset.is_constant() => own ^ (reset == Lit::FALSE),
                reset => {
                    let reset = self.at(j, reset);
                    self.witness.push_equal(own, reset)
                }
            });
        }
        self.all(&parts)
    }

    fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.witness.push_gate(a, !b)
    }

    fn all(&mut self, parts: &[Lit]) -> Lit {
        match parts {
            [] => Lit::TRUE,
            [first, rest @ ..] => rest.iter().fold(*first, |all, &l| self.witness.push_gate(all, l)),
        }
    }
}

/// The variables that S and the constraints read, through any number of steps.
fn needed(model: &BitSystem, proof: &Proof) -> Vec<bool> {
    let bads = proof.properties.iter().map(|&p| model.property(p).bad);
    let clauses = proof.invariant.iter().flat_map(|c| c.0.iter().copied());
    model.closure(bads.chain(clauses).chain(model.constraints.iter().copied()))
}

/// Which literal of the circuit stands for which literal of the model: by symbols that begin with `=`, by a
/// `MAPPING` comment, or else by position.
pub fn mapping(witness: &Aiger, model: &Aiger) -> Result<Vec<(Lit, Lit)>, Diagnostic> {
    numbered(witness)?;
    let mut pairs = Vec::new();
    let symbols = symbol_mapping(witness, model, &mut pairs)?;
    let comment = comment_mapping(witness, model, &mut pairs)?;
    if !symbols && !comment {
        let (w, m) = (&witness.system, &model.system);
        pairs.extend(w.inputs().zip(m.inputs()).map(|(a, b)| (w.input_lit(a), m.input_lit(b))));
        pairs.extend(w.latches().zip(m.latches()).map(|(a, b)| (w.latch_lit(a), m.latch_lit(b))));
    }
    Ok(pairs)
}

/// The format wants inputs and latches of a circuit numbered one after the other, in ASCII files too.
fn numbered(witness: &Aiger) -> Result<(), Diagnostic> {
    let system = &witness.system;
    let inputs = system.inputs().enumerate().map(|(n, i)| (format!("input {n}"), system.input_lit(i)));
    let latches = system.latches().enumerate().map(|(n, l)| (format!("latch {n}"), system.latch_lit(l)));
    for (position, (what, own)) in inputs.chain(latches).enumerate() {
        let wanted = 2 * (position as u32 + 1);
        if witness.lit(wanted) != Some(own) {
            let rule = "inputs and latches of a witness circuit are numbered one after the other";
            return Err(Diagnostic::new(format!("{what} does not have the literal {wanted}: {rule}")));
        }
    }
    Ok(())
}

fn symbol_mapping(witness: &Aiger, model: &Aiger, pairs: &mut Vec<(Lit, Lit)>) -> Result<bool, Diagnostic> {
    let w = &witness.system;
    let before = pairs.len();
    for (kind, index, name) in w.symbols.iter() {
        let leaf = match kind {
            SymbolKind::Input => w.input_lit(InputId::new(index)),
            SymbolKind::Latch => w.latch_lit(LatchId::new(index)),
            _ => continue,
        };
        if let Some(image) = name.strip_prefix('=') {
            pairs.push((leaf, literal(model, image.trim(), "the model")?));
        }
    }
    Ok(pairs.len() > before)
}

fn comment_mapping(witness: &Aiger, model: &Aiger, pairs: &mut Vec<(Lit, Lit)>) -> Result<bool, Diagnostic> {
    let Some(rows) = block(witness, "MAPPING")? else { return Ok(false) };
    for (from, to) in rows {
        let from = literal(witness, &from, "the witness circuit")?;
        pairs.push((from, literal(model, &to, "the model")?));
    }
    Ok(true)
}

/// The pairs of a comment that begins with a word and their number.
fn block(witness: &Aiger, word: &str) -> Result<Option<Vec<(String, String)>>, Diagnostic> {
    let mut lines = witness.comments.iter().map(|line| line.trim());
    let head = lines.find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
    let Some(count) = head else { return Ok(None) };
    let count: usize =
        count.trim().parse().map_err(|_| Diagnostic::new(format!("{word} {count}: not a number")))?;
    let mut rows = Vec::new();
    for _ in 0..count {
        let line = lines.next().ok_or_else(|| Diagnostic::new(format!("the {word} comment ends early")))?;
        let (from, to) = line
            .split_once(' ')
            .ok_or_else(|| Diagnostic::new(format!("{word}: expected two literals, found '{line}'")))?;
        rows.push((from.trim().to_string(), to.trim().to_string()));
    }
    Ok(Some(rows))
}

/// What the signals of a circuit read of a second state, each with the literal that it replaces: by an
/// `INTERVENTION` comment, by symbols that begin with `<`, or else each latch in place of its next state.
pub fn interventions(witness: &Aiger) -> Result<Vec<(Lit, Lit)>, Diagnostic> {
    let w = &witness.system;
    let own = |text: &str| literal(witness, text, "the witness circuit");
    let found: Vec<(Lit, Lit)> = match block(witness, "INTERVENTION")? {
        Some(rows) => rows.iter().map(|(c, n)| Ok((own(c)?, own(n)?))).collect::<Result<_, _>>()?,
        None => {
            let leaves = w.symbols.iter().filter_map(|(kind, index, name)| match kind {
                SymbolKind::Input => Some((w.input_lit(InputId::new(index)), name)),
                SymbolKind::Latch => Some((w.latch_lit(LatchId::new(index)), name)),
                _ => None,
            });
            let named = leaves.filter_map(|(leaf, name)| Some((leaf, name.strip_prefix('<')?)));
            named.map(|(leaf, n)| Ok((leaf, own(n.trim())?))).collect::<Result<_, _>>()?
        }
    };
    if found.iter().any(|(_, replaced)| replaced.is_constant()) {
        return Err(Diagnostic::new("intervention: a constant cannot be replaced"));
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let next = w.latches().map(|l| (w.latch_lit(l), w.latch(l).next));
    Ok(next.filter(|(_, next)| !next.is_constant()).collect())
}

fn literal(file: &Aiger, text: &str, of: &str) -> Result<Lit, Diagnostic> {
    let number: Option<u32> = text.parse().ok();
    number
        .and_then(|n| file.lit(n))
        .ok_or_else(|| Diagnostic::new(format!("mapping: '{text}' is not a literal of {of}")))
}

/// The properties of the model that the circuit's `WITNESS` comments name; all where they name none.
pub fn certified(witness: &Aiger, model: &BitSystem) -> Result<Certified, Diagnostic> {
    let names = witness.comments.iter().filter_map(|line| line.trim().strip_prefix("WITNESS "));
    let mut named = Certified::default();
    for name in names.filter_map(|rest| rest.split_whitespace().next()) {
        let position = |p: &PropertyId| {
            let (kind, index) = model.property(*p).symbol;
            name == format!("{}{index}", kind.letter())
        };
        let justice = name.strip_prefix('j').and_then(|j| j.parse().ok());
        match (model.property_ids().find(position), justice) {
            (Some(property), _) => named.properties.push(property),
            (None, Some(justice)) if justice < model.justice.len() => named.justice.push(justice),
            _ if is_position(name) => {
                return Err(Diagnostic::new(format!("WITNESS {name}: the model has no such property")));
            }
            _ => {}
        }
    }
    if named == Certified::default() {
        let justice = (0..model.justice.len()).collect();
        return Ok(Certified { properties: model.property_ids().collect(), justice });
    }
    named.properties.sort();
    named.properties.dedup();
    named.justice.sort();
    named.justice.dedup();
    Ok(named)
}

fn is_position(name: &str) -> bool {
    let digits = name.strip_prefix(['b', 'o', 'j']);
    digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|c| c.is_ascii_digit()))
}
