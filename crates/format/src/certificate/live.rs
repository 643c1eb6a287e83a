//! Witness circuits of proofs of liveness (Froleyks, Yu, Bogaerts, Biere & Heljanko, "Liveness Proofs for
//! Hardware Model Checking", CAV 2026; the format of Certifaiger; the conditions stand in `buttress-check`,
//! `circuit/ranked.rs`).
//!
//! A signal of such a circuit speaks of two states, s and t; the second is read at gates that stand for latches
//! of t, its *interventions*. By itself such a gate says what the latch will be, so that the circuit as an
//! ordinary model means the same. Read negated, signal i of justice property j is here
//!
//! ```text
//! q'(j,i) = A(s,t) ∧ ¬seen(j,i)            with A the conjunction of a relation for each proof
//! ```
//!
//! where `seen(j,i)` are latches beside the model as in [`buttress_system::live`], `Monitor::Visits`. They grow
//! until all are met, which is a visit, and then begin anew. Not all of one property are ever set: a part of the
//! circuit's property, which makes `Q'` the same as `A`. Each relation is one that a later state has to any
//! earlier one, and a state to its next one only if `seen` stays as it is; then a signal that is not seen is not
//! met. That is *decrease*, *closure*, *consistency* and *liveness*. For fairness the `seen` of all properties
//! are taken together.
//!
//! * *At most k visits.* The proof holds in the circuit, with its counter `c₁ … c_k` for each property. The
//!   relation is the lexicographic one of `(c, seen)`, both compared as sets: `c_t ⊆ c_s ∧ (c_t ≠ c_s ∨ seen_t ⊆
//!   seen_s)`. A visit makes the counter grow, for it has an end.
//! * *No loop.* The proof is an invariant `I(x, saved, kept, S)` of the model beside a kept state; S says what
//!   was met since. In the circuit holds `I(x, 0, ·, ∅)`. The relation is
//!
//!   ```text
//!   ⋁_S I(x_s, 1, x_t, S) ∧ ⋀_j ( seen_s ∖ seen_t ⊆ S ⊆ seen_s ∧ seen_t ⊆ seen_s          no visit since t
//!                               ∨ (all ∖ seen_t) ∪ seen_s ⊆ S )                           a visit since t
//!   ```
//!
//!   If s has it to its next state t, then t would have it to itself with `S ∪ met(s)`, which is not all, since
//!   I excludes that: so there was no visit since t, and `seen` is the same. The disjunction is written out;
//!   with more than [`MOST_SIGNALS`] there is no circuit.

use std::collections::BTreeMap;

use buttress_system::{
    BitSystem, Clause, LatchId, Lit, LiveProof, Monitor, Node, Proof, Property, PropertyId, Shift,
    SymbolKind, Var,
};

use super::Circuit;

const NO_ARENAS: &str = "a proof by arenas lacks a circuit, and is no part of one";

/// A disjunction over what was met doubles with each signal.
const MOST_SIGNALS: usize = 6;

/// A proof of liveness, with the systems that it is about.
pub struct LivePart {
    pub proof: LiveProof<Proof>,
    /// The model beside `Monitor::Visits`, of a proof about loops with k = 0.
    pub visits: BitSystem,
    /// Of a proof about loops, the model beside `Monitor::Loop`.
    pub closed: Option<BitSystem>,
}

impl LivePart {
    /// Why there is no circuit for this proof, if there is none.
    pub fn lacks(&self, model: &BitSystem) -> Option<&'static str> {
        let LiveProof { proof, .. } = &self.proof;
        let signals = |p: &PropertyId| model.justice[p.index()].len() + model.fairness.len();
        if self.proof.monitor == Monitor::Arenas {
            Some("its proof divides the states into arenas, for which there is no witness circuit")
        } else if proof.distinct.is_some() {
            Some("its proof compares states for distinctness, which a witness circuit cannot express")
        } else if proof.k > 1 {
            Some("its proof is by k-induction beside a monitor, for which there is no witness circuit")
        } else if proof.properties.iter().any(|p| signals(p) == 0) {
            Some("a justice property without signals has no witness circuit")
        } else if self.closed.as_ref().is_some_and(|closed| self.unknown(model, closed).len() > MOST_SIGNALS)
        {
            Some("its proof that no loop is closed is about too many signals for a witness circuit")
        } else {
            None
        }
    }

    /// What the invariant says: each clause, and that no property is violated.
    fn clauses(&self, beside: &BitSystem) -> Vec<Clause> {
        let proof = &self.proof.proof;
        let bad = |&p: &PropertyId| Clause::new([!beside.property(p).bad]);
        proof.properties.iter().map(bad).chain(proof.invariant.iter().cloned()).collect()
    }

    /// The latches of signals that a proof about loops reads.
    fn unknown(&self, model: &BitSystem, closed: &BitSystem) -> Vec<LatchId> {
        let mut read = vec![false; closed.num_vars()];
        closed.mark_cone(self.clauses(closed).iter().flat_map(|c| c.0.iter().copied()), &mut read);
        let signals: usize = model.justice.iter().map(|own| own.len() + model.fairness.len()).sum();
        let first = model.num_latches() + 1;
        let all = (first..first + signals).map(LatchId::new);
        all.filter(|&l| read[closed.latch_lit(l).var().index()]).collect()
    }
}

/// The witness circuit of proofs of safety and liveness together, with its interventions: what is read of the
/// second state, and what stands for it. Each justice property is proved by at most one of the parts.
pub fn live_circuit(
    model: &BitSystem,
    safety: Option<(&Proof, Option<usize>)>,
    parts: &[LivePart],
) -> (BitSystem, Vec<(Lit, Lit)>) {
    let mut beside = Beside::new(model, parts);
    let invariant: Vec<Clause> = parts.iter().enumerate().flat_map(|(n, p)| beside.invariant(n, p)).collect();
    let lit = |l: &Lit| beside.shift.lit(*l);
    let shifted = |c: &Clause| Clause::new(c.0.iter().map(lit));
    let (own, bounded) = safety.unzip();
    let mut proof =
        own.cloned().unwrap_or(Proof { properties: vec![], k: 1, distinct: None, invariant: vec![] });
    proof.invariant = proof.invariant.iter().map(shifted).chain(invariant).collect();
    let bounded = bounded.flatten();
    let k = bounded.unwrap_or(proof.k as usize);
    let (system, roots) = (beside.system, beside.latches);
    let mut circuit = Circuit::new(&system, &proof, k);
    let good = circuit.all_good(k, bounded.is_some());
    circuit.witness.properties = vec![Property { bad: !good, symbol: (SymbolKind::Bad, 0) }];
    let mut ranks = Ranks { model, circuit, shift: beside.shift, latches: roots, second: BTreeMap::new() };
    ranks.signals(parts);
    let witness = ranks.circuit.witness;
    (witness, ranks.second.into_iter().map(|(latch, gate)| (system.latch_lit(latch), gate)).collect())
}

/// The model with the latches that count beside it.
struct Beside<'a> {
    model: &'a BitSystem,
    system: BitSystem,
    shift: Shift,
    /// Of each part, where the latches of its counting monitor stand, as far as they are needed.
    latches: Vec<BTreeMap<LatchId, LatchId>>,
}

impl<'a> Beside<'a> {
    fn new(model: &'a BitSystem, parts: &[LivePart]) -> Beside<'a> {
        let mut next = model.num_latches();
        let latches: Vec<BTreeMap<LatchId, LatchId>> = parts
            .iter()
            .map(|part| {
                let needed = part.visits.closure(part.counted().iter().flat_map(|c| c.0.iter().copied()));
                let own = part.visits.latches().skip(model.num_latches());
                let own = own.filter(|&l| needed[part.visits.latch_lit(l).var().index()]);
                own.zip(next..).map(|(l, n)| (l, LatchId::new(n))).inspect(|_| next += 1).collect()
            })
            .collect();
        let (mut system, shift) = model.widened(0, next - model.num_latches());
        let shifted = |p: &Property| Property { bad: shift.lit(p.bad), ..*p };
        system.properties = model.properties.iter().map(shifted).collect();
        Beside { model, system, shift, latches }
    }

    /// Builds the counting monitor of a part; its invariant in the circuit.
    fn invariant(&mut self, number: usize, part: &LivePart) -> Vec<Clause> {
        let latches = self.latches[number].clone();
        let counted = part.counted();
        let needed = part.visits.closure(counted.iter().flat_map(|c| c.0.iter().copied()));
        let places: BTreeMap<LatchId, Lit> =
            latches.iter().map(|(&from, &to)| (from, self.system.latch_lit(to))).collect();
        let place = Place {
            model: self.model,
            gate: &|lit| self.shift.lit(lit),
            latch: &|l| places.get(&l).copied().unwrap_or(Lit::FALSE),
            save: Lit::FALSE,
        };
        let image = place.copy(&mut self.system, &part.visits, &needed);
        for (&from, &to) in &latches {
            let mut latch = part.visits.latch(from);
            (latch.next, latch.reset) = (image.lit(latch.next), image.lit(latch.reset));
            self.system.set_latch(to, latch);
        }
        let mut clauses: Vec<Clause> = match part.closed {
            None => counted.iter().filter_map(|c| image.clause(c)).collect(),
            Some(ref closed) => self.before_it_is_kept(part, closed),
        };
        for &p in &part.proof.proof.properties {
            let seen = seen(self.model, p.index()).map(|l| !self.system.latch_lit(latches[&l]));
            clauses.push(Clause::new(seen));
        }
        clauses
    }

    /// I(x, 0, ·, ∅), whether a state is kept in this step or not.
    fn before_it_is_kept(&mut self, part: &LivePart, closed: &BitSystem) -> Vec<Clause> {
        let clauses = part.clauses(closed);
        let mut needed = vec![false; closed.num_vars()];
        closed.mark_cone(clauses.iter().flat_map(|c| c.0.iter().copied()), &mut needed);
        let start = |l: LatchId| match closed.latch(l).reset {
            reset if reset.is_constant() => reset,
            _ => Lit::FALSE,
        };
        let mut all = Vec::new();
        for save in [Lit::FALSE, Lit::TRUE] {
            let gate = |lit| self.shift.lit(lit);
            let place = Place { model: self.model, gate: &gate, latch: &start, save };
            let image = place.copy(&mut self.system, closed, &needed);
            all.extend(clauses.iter().filter_map(|c| image.clause(c)));
        }
        all.sort();
        all.dedup();
        all
    }
}

impl LivePart {
    /// What is said of the counting monitor: all that the proof says or, where it is about loops, only which
    /// signals are looked for.
    fn counted(&self) -> Vec<Clause> {
        match self.proof.monitor {
            Monitor::Visits(_) => self.clauses(&self.visits),
            Monitor::Loop => {
                let visit = |&p: &PropertyId| Clause::new([!self.visits.property(p).bad]);
                self.proof.proof.properties.iter().map(visit).collect()
            }
            Monitor::Arenas => unreachable!("{NO_ARENAS}"),
        }
    }
}

/// The latches of a property's signals beside `Monitor::Visits`, in order.
fn seen(model: &BitSystem, justice: usize) -> impl Iterator<Item = LatchId> + use<> {
    let signals = |own: &Vec<Lit>| own.len() + model.fairness.len();
    let before: usize = model.justice[..justice].iter().map(signals).sum();
    let first = model.num_latches() + before;
    (first..first + signals(&model.justice[justice])).map(LatchId::new)
}

/// The latches of a property's counter.
fn counter(model: &BitSystem, justice: usize, k: u32) -> impl Iterator<Item = LatchId> + use<> {
    let properties = model.justice.len();
    let after = model.justice.iter().map(|own| own.len() + model.fairness.len()).sum::<usize>();
    let first = model.num_latches() + after + justice;
    (0..k as usize).map(move |n| LatchId::new(first + n * properties))
}

/// Where the variables of one system stand in another.
struct Image(Vec<Option<Lit>>);

impl Image {
    fn lit(&self, lit: Lit) -> Lit {
        self.0[lit.var().index()].expect("only what is needed is read") ^ lit.is_negated()
    }

    /// A clause without what is constant, unless it is true.
    fn clause(&self, clause: &Clause) -> Option<Clause> {
        let lits: Vec<Lit> = clause.0.iter().map(|&l| self.lit(l)).filter(|&l| l != Lit::FALSE).collect();
        (!lits.contains(&Lit::TRUE)).then(|| Clause::new(lits))
    }
}

/// Where what is there already stands.
struct Place<'a> {
    model: &'a BitSystem,
    /// Gates of the model.
    gate: &'a dyn Fn(Lit) -> Lit,
    /// Latches of the monitor.
    latch: &'a dyn Fn(LatchId) -> Lit,
    /// The input of the monitor.
    save: Lit,
}

impl Place<'_> {
    /// Copies what is needed of the model beside a monitor: gates of the monitor are made, nothing else.
    fn copy(&self, to: &mut BitSystem, from: &BitSystem, needed: &[bool]) -> Image {
        let mut image = Image(vec![None; from.num_vars()]);
        let first = from.first_gate();
        for var in (0..from.num_vars()).filter(|&v| v < first || needed[v]) {
            let lit = match from.node(Var::new(var as u32)) {
                Node::Constant => Lit::FALSE,
                Node::Input(i) if i.index() < self.model.num_inputs() => to.input_lit(i),
                Node::Input(_) => self.save,
                Node::Latch(l) if l.index() < self.model.num_latches() => to.latch_lit(l),
                Node::Latch(l) => (self.latch)(l),
                Node::Gate(..) if var - first < self.model.num_gates() => {
                    (self.gate)(Var::new((self.model.first_gate() + var - first) as u32).lit())
                }
                Node::Gate(a, b) => and(to, image.lit(a), image.lit(b)),
            };
            image.0[var] = Some(lit);
        }
        image
    }
}

/// `a ∧ b`, without a gate where that is a constant or one of them.
fn and(system: &mut BitSystem, a: Lit, b: Lit) -> Lit {
    match (a, b) {
        (Lit::TRUE, other) | (other, Lit::TRUE) => other,
        (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
        _ if a == b => a,
        _ if a == !b => Lit::FALSE,
        _ => system.push_gate(a, b),
    }
}

/// The signals of the circuit, about two states.
struct Ranks<'a> {
    model: &'a BitSystem,
    circuit: Circuit<'a>,
    shift: Shift,
    latches: Vec<BTreeMap<LatchId, LatchId>>,
    /// The gates that stand for latches of the second state.
    second: BTreeMap<LatchId, Lit>,
}

impl Ranks<'_> {
    fn signals(&mut self, parts: &[LivePart]) {
        let model = self.model;
        let relations: Vec<Lit> = parts.iter().enumerate().map(|(n, part)| self.relation(n, part)).collect();
        let later = self.all(relations);
        let mut justice: Vec<Vec<Lit>> = vec![Vec::new(); model.justice.len()];
        let mut unseen: Vec<Vec<Lit>> = vec![Vec::new(); model.fairness.len()];
        for (number, part) in parts.iter().enumerate() {
            for p in &part.proof.proof.properties {
                let own = model.justice[p.index()].len();
                for (i, latch) in seen(model, p.index()).enumerate() {
                    let not = !self.first(self.latches[number][&latch]);
                    match i.checked_sub(own) {
                        None => justice[p.index()].push(!self.and(later, not)),
                        Some(fair) => unseen[fair].push(not),
                    }
                }
            }
        }
        let fairness = unseen.into_iter().map(|not| {
            let some = self.any(not);
            !self.and(later, some)
        });
        self.circuit.witness.fairness = fairness.collect();
        self.circuit.witness.justice = justice;
    }

    fn relation(&mut self, number: usize, part: &LivePart) -> Lit {
        match (part.proof.monitor, &part.closed) {
            (Monitor::Visits(k), _) => {
                let each = part.proof.proof.properties.iter();
                let each: Vec<Lit> = each.map(|p| self.no_fewer_visits(number, p.index(), k)).collect();
                self.all(each)
            }
            (Monitor::Loop, Some(closed)) => self.goes_on(number, part, closed),
            (Monitor::Loop, None) => {
                unreachable!("a proof about loops comes with the system that closes them")
            }
            (Monitor::Arenas, _) => unreachable!("{NO_ARENAS}"),
        }
    }

    /// `c_t ⊆ c_s ∧ (c_t ≠ c_s ∨ seen_t ⊆ seen_s)`
    fn no_fewer_visits(&mut self, number: usize, justice: usize, k: u32) -> Lit {
        let own = |this: &Self, l: LatchId| this.latches[number].get(&l).copied();
        let counted: Vec<LatchId> = counter(self.model, justice, k).filter_map(|l| own(self, l)).collect();
        let seen: Vec<LatchId> = seen(self.model, justice).filter_map(|l| own(self, l)).collect();
        let (no_less, more) = (self.superset(&counted), self.more(&counted));
        let seen = self.superset(&seen);
        let grown = self.any(vec![more, seen]);
        self.and(no_less, grown)
    }

    /// Each of these that is set in the second state is in the first.
    fn superset(&mut self, latches: &[LatchId]) -> Lit {
        let missing = |this: &mut Self, l: LatchId| {
            let (first, second) = (this.first(l), this.second(l));
            !this.and(second, !first)
        };
        let each: Vec<Lit> = latches.iter().map(|&l| missing(self, l)).collect();
        self.all(each)
    }

    /// Some of these is set in the first state and not in the second.
    fn more(&mut self, latches: &[LatchId]) -> Lit {
        let new = |this: &mut Self, l: LatchId| {
            let (first, second) = (this.first(l), this.second(l));
            this.and(first, !second)
        };
        let each: Vec<Lit> = latches.iter().map(|&l| new(self, l)).collect();
        self.any(each)
    }

    /// The relation of a proof that no loop is closed.
    fn goes_on(&mut self, number: usize, part: &LivePart, closed: &BitSystem) -> Lit {
        let unknown = part.unknown(self.model, closed);
        let ways = 0..1usize << unknown.len();
        let ways: Vec<Lit> = ways
            .map(|set| {
                let met: BTreeMap<LatchId, bool> =
                    unknown.iter().enumerate().map(|(n, &l)| (l, set >> n & 1 == 1)).collect();
                let mut both: Vec<Lit> = part
                    .proof
                    .proof
                    .properties
                    .iter()
                    .map(|p| self.met_since(number, p.index(), &met))
                    .collect();
                both.push(self.invariant(part, closed, &met));
                self.all(both)
            })
            .collect();
        self.any(ways)
    }

    /// I(x_s, 1, x_t, S)
    fn invariant(&mut self, part: &LivePart, closed: &BitSystem, met: &BTreeMap<LatchId, bool>) -> Lit {
        let model = self.model;
        let clauses = part.clauses(closed);
        let mut needed = vec![false; closed.num_vars()];
        closed.mark_cone(clauses.iter().flat_map(|c| c.0.iter().copied()), &mut needed);
        let kept = compared(model);
        let first_kept = closed.num_latches() - kept.len();
        let kept: Vec<Lit> = kept.into_iter().map(|l| self.second(l)).collect();
        let latch = |l: LatchId| match l.index() {
            n if n == model.num_latches() => Lit::TRUE,
            n if n >= first_kept => kept[n - first_kept],
            _ if met.get(&l) == Some(&true) => Lit::TRUE,
            _ => Lit::FALSE,
        };
        let Circuit { witness, images, .. } = &mut self.circuit;
        let gate = |lit: Lit| {
            let beside = self.shift.lit(lit);
            images[0][beside.var().index()].expect("all of it is there") ^ beside.is_negated()
        };
        let place = Place { model, gate: &gate, latch: &latch, save: Lit::FALSE };
        let image = place.copy(witness, closed, &needed);
        let each: Vec<Lit> = clauses
            .iter()
            .filter_map(|c| image.clause(c))
            .map(|Clause(lits)| self.any(lits.into_vec()))
            .collect();
        self.all(each)
    }

    /// `seen_s ∖ seen_t ⊆ S ⊆ seen_s ∧ seen_t ⊆ seen_s ∨ (all ∖ seen_t) ∪ seen_s ⊆ S`
    fn met_since(&mut self, number: usize, justice: usize, met: &BTreeMap<LatchId, bool>) -> Lit {
        let (mut none, mut some) = (Vec::new(), Vec::new());
        for latch in seen(self.model, justice) {
            // Beside a kept state there is one latch more before those of the signals.
            let is_met = met.get(&LatchId::new(latch.index() + 1)) == Some(&true);
            let own = self.latches[number][&latch];
            let (first, second) = (self.first(own), self.second(own));
            if is_met {
                none.push(first);
            } else {
                let (more, less) = (self.and(first, !second), self.and(!first, second));
                none.extend([!more, !less]);
                some.push(less);
            }
        }
        let (none, some) = (self.all(none), self.all(some));
        self.any(vec![none, some])
    }

    /// A latch beside the model, in the first state.
    fn first(&self, latch: LatchId) -> Lit {
        self.circuit.witness.latch_lit(latch)
    }

    /// What stands for a latch of the second state: by itself, its next value.
    fn second(&mut self, latch: LatchId) -> Lit {
        let witness = &mut self.circuit.witness;
        let next = witness.latch(latch).next;
        *self.second.entry(latch).or_insert_with(|| witness.push_gate(next, next))
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        and(&mut self.circuit.witness, a, b)
    }

    fn all(&mut self, lits: Vec<Lit>) -> Lit {
        lits.into_iter().fold(Lit::TRUE, |all, lit| self.and(all, lit))
    }

    fn any(&mut self, lits: Vec<Lit>) -> Lit {
        !lits.into_iter().fold(Lit::TRUE, |none, lit| self.and(none, !lit))
    }
}

/// The latches of the model of which a loop monitor keeps values.
fn compared(model: &BitSystem) -> Vec<LatchId> {
    let signals = model.justice.iter().flatten().chain(&model.fairness);
    // Constraints count where there is a property at all.
    let read = model.closure(signals.chain(&model.constraints).copied());
    model.latches().filter(|&l| read[model.latch_lit(l).var().index()]).collect()
}
