//! A word-level system and a proof about it, in bits: states and inputs by the code of their values.
//!
//! Terms that the claimed properties, the constraints, the invariant and distinctness read, through any number of
//! steps, become latches, inputs and gates. A state with neither `init` nor `next` is an input; one with `init`
//! alone is a latch whose next value is an input.
//!
//! Integers with [bounds](Ranges) are numbers in two's complement, in as many bits as their bounds need, so that
//! nothing wraps ([`numbers`](super::numbers)). A state has bits for whatever it is given, bounds of constraints
//! are compared with all of them, and everything else reads the bits that the bounds need: outside of them there
//! is no execution.

use buttress_system::words::{Part, Role, State, System, WordProof, code};
use buttress_system::{BitSystem, InputId, Latch, LatchId, Lit, Proof, Property, SymbolKind};
use buttress_term::{Indices, Node, Op, Sort, TermId, Terms, Value};

use super::circuits::{Bits, Circuits, extend, not, sign};
use super::numbers;
use super::ranges::{Range, Ranges, is_int};
use crate::Refusal;

/// Larger values have no bits here.
const MOST_BITS: u32 = 1 << 20;

/// The system in bits, with a proof about it.
pub(super) struct Encoded {
    pub system: BitSystem,
    pub proof: Proof,
    /// Literals that hold in every step of every execution, shown by other means.
    pub known: Vec<Lit>,
}

/// Encodes a proof that [fits](super::proof) its system.
pub(super) fn encode(words: &System, proof: &WordProof) -> Result<Encoded, Refusal> {
    let mut encoder = Encoder::new(words, proof)?;
    encoder.latches()?;
    encoder.claims(&proof.claim)?;
    let mut invariant = Vec::new();
    for &conjunct in &proof.claim.invariant {
        let first = encoder.circuits.system.num_vars();
        let holds = encoder.root(conjunct)?[0];
        invariant.push(encoder.circuits.clause(holds, first));
    }
    let distinct = proof.claim.distinct.as_ref().map(|parts| encoder.latches_of(parts));
    let Proof { properties, k, .. } = proof.claim.clone();
    let proof = Proof { properties, k, distinct, invariant };
    let known = encoder.claimed_bounds().into_iter().chain(encoder.codes()).collect();
    Ok(Encoded { system: encoder.circuits.system, proof, known })
}

fn is_stored(state: &State) -> bool {
    state.next.is_some() || state.init.is_some()
}

struct Encoder<'a> {
    words: &'a System,
    terms: &'a Terms,
    roles: Vec<Option<Role>>,
    ranges: Ranges,
    circuits: Circuits,
    /// For each needed input and state, by its variable.
    leaves: Vec<Option<Bits>>,
    /// For each needed state without `next`: what it goes on to, or is.
    fed: Vec<Option<Bits>>,
    bits: Vec<Option<Bits>>,
}

impl<'a> Encoder<'a> {
    fn new(words: &'a System, proof: &'a WordProof) -> Result<Encoder<'a>, Refusal> {
        let mut roles = words.roles();
        roles.resize(proof.terms.len(), None);
        let ranges = Ranges::of(words, proof, &roles)?;
        let needed = needed(words, proof, &roles, &ranges);
        let is_needed = |t: TermId| needed[t.index()];
        let (mut inputs, mut latches) = (0, 0);
        let reserve = |variable: TermId, count: &mut usize| {
            let width = stored(words, proof, &roles, &ranges, variable)?;
            *count += width;
            Ok::<_, Refusal>(*count - width..*count)
        };
        let mut input_ranges = Vec::new();
        for input in words.inputs.iter().filter(|i| is_needed(i.variable)) {
            input_ranges.push((input.variable, reserve(input.variable, &mut inputs)?));
        }
        let mut state_ranges = Vec::new();
        for (s, state) in words.states.iter().enumerate().filter(|(_, s)| is_needed(s.variable)) {
            let fed = state.next.is_none().then(|| reserve(state.variable, &mut inputs)).transpose()?;
            let own = is_stored(state).then(|| reserve(state.variable, &mut latches)).transpose()?;
            state_ranges.push((s, fed, own));
        }
        let system = BitSystem::new(inputs, latches);
        let input = |i: usize| system.input_lit(InputId::new(i));
        let latch = |l: usize| system.latch_lit(LatchId::new(l));
        let mut leaves = vec![None; proof.terms.len()];
        let mut all_fed = vec![None; words.states.len()];
        for (variable, range) in input_ranges {
            leaves[variable.index()] = Some(range.map(input).collect());
        }
        for (s, fed, own) in state_ranges {
            all_fed[s] = fed.map(|range| range.map(input).collect::<Bits>());
            let own = own.map(|range| range.map(latch).collect::<Bits>());
            leaves[words.states[s].variable.index()] = own.or_else(|| all_fed[s].clone());
        }
        let (terms, bits) = (&*proof.terms, vec![None; proof.terms.len()]);
        Ok(Encoder { words, terms, roles, ranges, circuits: Circuits { system }, leaves, fed: all_fed, bits })
    }

    fn latches(&mut self) -> Result<(), Refusal> {
        for (s, state) in self.words.states.iter().enumerate().filter(|(_, s)| is_stored(s)) {
            let Some(own) = self.leaves[state.variable.index()].clone() else { continue };
            let next = match state.next {
                Some(next) => self.whole(next, own.len())?,
                None => self.fed[s].clone().expect("a state without next is fed"),
            };
            let reset = state.init.map_or(Ok(own.clone()), |init| self.whole(init, own.len()))?;
            for (bit, (next, reset)) in own.into_iter().zip(next.into_iter().zip(reset)) {
                let latch = self.circuits.system.as_latch(bit.var()).expect("it is stored");
                self.circuits.system.set_latch(latch, Latch { next, reset });
            }
        }
        Ok(())
    }

    /// The value that a state is given, in as many bits as the state has.
    fn whole(&mut self, given: TermId, width: usize) -> Result<Bits, Refusal> {
        let bits = self.root(given)?;
        Ok(if is_int(self.terms, given) { numbers::resized(&bits, width) } else { bits })
    }

    /// All bits of a variable lie within its bounds.
    fn lies_within(&mut self, variable: TermId, range: &Range) -> Option<Lit> {
        let bits = self.leaves[variable.index()].clone()?;
        let (low, high) = (numbers::constant(&range.0), numbers::constant(&range.1));
        let c = &mut self.circuits;
        let (above, below) = (numbers::at_most(c, &low, &bits), numbers::at_most(c, &bits, &high));
        Some(c.and(above, below))
    }

    /// The bounds that the proof claims, which [`Ranges`] has shown.
    fn claimed_bounds(&mut self) -> Vec<Lit> {
        let claimed = self.ranges.claimed.clone();
        claimed.iter().filter_map(|(variable, range)| self.lies_within(*variable, range)).collect()
    }

    /// Enumerations have the code of a constant. That loses no execution: every value has one such code, and
    /// all that is computed has it.
    fn codes(&mut self) -> Vec<Lit> {
        let mut known = Vec::new();
        for (variable, leaf) in self.terms.ids().zip(&self.leaves) {
            let Some(raw) = leaf else { continue };
            let value = read(&mut self.circuits, self.terms.sort(variable), raw);
            if value != *raw {
                known.push(self.circuits.equal(&value, raw));
            }
        }
        known
    }

    /// Constraints, and the properties that the proof is about; others never become bad here.
    fn claims(&mut self, claim: &Proof<Part, TermId>) -> Result<(), Refusal> {
        for (variable, range) in self.ranges.constrained.clone() {
            let within = self.lies_within(variable, &range);
            self.circuits.system.constraints.extend(within);
        }
        for constraint in &self.words.constraints {
            let constraint = self.root(constraint.term)?[0];
            self.circuits.system.constraints.push(constraint);
        }
        for property in self.words.property_ids() {
            let bad = match claim.properties.contains(&property) {
                true => self.root(self.words.property(property).bad)?[0],
                false => Lit::FALSE,
            };
            let symbol = (SymbolKind::Bad, property.index());
            self.circuits.system.properties.push(Property { bad, symbol });
        }
        Ok(())
    }

    /// The latches of these parts. What is not stored tells no states apart.
    fn latches_of(&self, parts: &[Part]) -> Vec<LatchId> {
        let bits = |part: &Part| {
            let own = self.leaves[self.words.state(part.state).variable.index()].as_deref().unwrap_or(&[]);
            match part.bit {
                None => own.to_vec(),
                // Beyond the last bit of a number there are copies of it.
                Some(bit) => own.get(bit as usize).or(own.last()).copied().into_iter().collect(),
            }
        };
        parts.iter().flat_map(bits).filter_map(|l| self.circuits.system.as_latch(l.var())).collect()
    }

    /// The bits of a term; definitions are followed.
    fn root(&mut self, root: TermId) -> Result<Bits, Refusal> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            let read = read_by(self.words, self.terms, &self.roles, &self.ranges, term);
            let open: Vec<TermId> = read.into_iter().filter(|t| self.bits[t.index()].is_none()).collect();
            if self.bits[term.index()].is_none() && open.is_empty() {
                self.bits[term.index()] = Some(self.encode(term)?);
            }
            match open.is_empty() {
                true => drop(stack.pop()),
                false => stack.extend(open),
            }
        }
        Ok(self.known(root).to_vec())
    }

    fn known(&self, term: TermId) -> &[Lit] {
        self.bits[term.index()].as_deref().expect("what a term reads comes first")
    }

    fn encode(&mut self, term: TermId) -> Result<Bits, Refusal> {
        if let Some(truth) = self.ranges.truth(self.terms, term) {
            return Ok(vec![Lit::constant(truth)]);
        }
        if is_int(self.terms, term) {
            return self.number(term);
        }
        finite(self.terms, term)?;
        match self.terms.node(term) {
            Node::Constant(value) => Ok(code::encode(value).into_iter().map(Lit::constant).collect()),
            Node::Variable(name) => match self.roles[term.index()] {
                Some(Role::Definition(d)) => Ok(self.known(self.words.definitions[d].value).to_vec()),
                _ => {
                    let raw = self.leaves[term.index()].clone();
                    let raw = raw.ok_or_else(|| rejected(format!("`{name}` is not of the system")))?;
                    Ok(read(&mut self.circuits, self.terms.sort(term), &raw))
                }
            },
            Node::Apply(Op::Ite, _, &[condition, then, other]) => {
                let branch = self.taken(condition, then, other);
                if let Some(branch) = branch {
                    return Ok(self.known(branch).to_vec());
                }
                let [c, a, b] = [condition, then, other].map(|t| self.known(t).to_vec());
                Ok(self.circuits.ite(c[0], &a, &b))
            }
            Node::Apply(op, indices, operands) => {
                let args: Vec<Bits> = operands.iter().map(|&t| self.known(t).to_vec()).collect();
                let args: Vec<&[Lit]> = args.iter().map(Vec::as_slice).collect();
                if operands.iter().any(|&t| is_int(self.terms, t)) {
                    return numbers::read(&mut self.circuits, op, indices, &args);
                }
                apply(&mut self.circuits, self.terms, term, op, indices, &args)
            }
        }
    }

    /// The branch that bounds decide for.
    fn taken(&self, condition: TermId, then: TermId, other: TermId) -> Option<TermId> {
        let truth = self.ranges.decided(condition)?;
        Some(if truth { then } else { other })
    }

    /// An integer in the bits that its bounds need.
    fn number(&mut self, term: TermId) -> Result<Bits, Refusal> {
        let width = self.ranges.range(term).and_then(Range::width);
        let width = width.ok_or_else(|| unbounded(self.terms, term))?;
        let bits = match (self.terms.node(term), self.roles[term.index()]) {
            (Node::Constant(Value::Int(n)), _) => numbers::constant(n),
            (Node::Variable(_), Some(Role::Definition(d))) => {
                self.known(self.words.definitions[d].value).to_vec()
            }
            (Node::Variable(_), _) => {
                self.leaves[term.index()].clone().ok_or_else(|| unbounded(self.terms, term))?
            }
            (Node::Apply(Op::Ite, _, &[condition, then, other]), _) => {
                match self.taken(condition, then, other) {
                    Some(branch) => self.known(branch).to_vec(),
                    None => {
                        let condition = self.known(condition)[0];
                        let [a, b] = [then, other].map(|t| numbers::resized(self.known(t), width));
                        self.circuits.ite(condition, &a, &b)
                    }
                }
            }
            (Node::Apply(op, _, operands), _) => {
                let args: Vec<Bits> = operands.iter().map(|&t| self.known(t).to_vec()).collect();
                let args: Vec<&[Lit]> = args.iter().map(Vec::as_slice).collect();
                numbers::apply(&mut self.circuits, op, &args)?
            }
            _ => return Err(unbounded(self.terms, term)),
        };
        Ok(numbers::resized(&bits, width))
    }
}

fn unbounded(terms: &Terms, term: TermId) -> Refusal {
    let what = match terms.node(term) {
        Node::Variable(name) => format!("`{name}`"),
        _ => "an integer".to_string(),
    };
    rejected(format!("nothing bounds {what}, so it has no bits"))
}

/// The bits of an input or a state; of an integer, for all that it is given.
fn stored(
    words: &System,
    proof: &WordProof,
    roles: &[Option<Role>],
    ranges: &Ranges,
    variable: TermId,
) -> Result<usize, Refusal> {
    if !is_int(&proof.terms, variable) {
        return finite(&proof.terms, variable);
    }
    let given = match roles[variable.index()] {
        Some(Role::State(s)) => words.state(s).init.into_iter().chain(words.state(s).next).collect(),
        _ => Vec::new(),
    };
    let held = ranges.held(variable, given.into_iter()).and_then(|range| range.width());
    held.ok_or_else(|| unbounded(&proof.terms, variable))
}

fn rejected(why: String) -> Refusal {
    Refusal::Rejected(why)
}

/// The operands of a term that it reads within a step: of a choice that bounds decide, the branch that is taken.
fn read_by(
    words: &System,
    terms: &Terms,
    roles: &[Option<Role>],
    ranges: &Ranges,
    term: TermId,
) -> Vec<TermId> {
    if ranges.truth(terms, term).is_some() {
        return Vec::new();
    }
    if let Some(Role::Definition(d)) = roles[term.index()] {
        return vec![words.definitions[d].value];
    }
    match terms.node(term) {
        Node::Apply(Op::Ite, _, &[condition, then, other]) => match ranges.decided(condition) {
            Some(truth) => vec![if truth { then } else { other }],
            None => vec![condition, then, other],
        },
        _ => terms.operands(term).to_vec(),
    }
}

/// Every term that the claim reads, through any number of steps.
fn needed(words: &System, proof: &WordProof, roles: &[Option<Role>], ranges: &Ranges) -> Vec<bool> {
    let claim = &proof.claim;
    let bads = claim.properties.iter().map(|&p| words.property(p).bad);
    let told_apart = claim.distinct.iter().flatten().map(|part| words.state(part.state).variable);
    let constraints = words.constraints.iter().map(|c| c.term);
    let bounded = ranges.constrained.iter().map(|(variable, _)| *variable);
    let invariant = claim.invariant.iter().copied();
    let mut todo: Vec<TermId> =
        bads.chain(told_apart).chain(constraints).chain(bounded).chain(invariant).collect();
    let mut marked = vec![false; proof.terms.len()];
    while let Some(term) = todo.pop() {
        if std::mem::replace(&mut marked[term.index()], true) {
            continue;
        }
        todo.extend(read_by(words, &proof.terms, roles, ranges, term));
        if let Some(Role::State(s)) = roles[term.index()] {
            todo.extend(words.state(s).init.iter().chain(&words.state(s).next));
        }
    }
    marked
}

/// The number of bits of a term.
fn finite(terms: &Terms, term: TermId) -> Result<usize, Refusal> {
    let sort = terms.sort(term);
    let width = code::width(sort).filter(|&width| width <= MOST_BITS);
    width.map(|width| width as usize).ok_or_else(|| rejected(format!("{sort} has no bits, or too many")))
}

/// A variable with these bits: see [`code`] for enumerations.
fn read(circuits: &mut Circuits, sort: &Sort, raw: &[Lit]) -> Bits {
    match sort {
        Sort::Enum(e) if e.constants.len() == 1 << raw.len() => raw.to_vec(),
        Sort::Enum(e) => circuits.at_most(raw, e.constants.len() as u64 - 1),
        Sort::Array(array) => {
            let places = code::places(array).expect("the array is finite") as usize;
            let width = raw.len() / places;
            (0..places)
                .flat_map(|p| read(circuits, &array.element, &raw[p * width..(p + 1) * width]))
                .collect()
        }
        _ => raw.to_vec(),
    }
}

fn apply(
    c: &mut Circuits,
    terms: &Terms,
    term: TermId,
    op: Op,
    indices: Indices,
    args: &[&[Lit]],
) -> Result<Bits, Refusal> {
    let places = |array: TermId| {
        let sort = terms.sort(array).as_array().expect("the sort rule wants an array");
        code::places(sort).expect("the array is finite") as usize
    };
    let bit = |lit: Lit| vec![lit];
    let firsts: Bits = args.iter().filter_map(|a| a.first().copied()).collect();
    Ok(match (op, args) {
        (Op::Not | Op::BvNot, [a]) => not(a),
        (Op::And, _) => bit(c.conjunction(&firsts)),
        (Op::Or, _) => bit(c.disjunction(&firsts)),
        (Op::Implies, [a, b]) => bit(c.or(!a[0], b[0])),
        (Op::Xor | Op::BvXor, [a, b]) => c.zip(a, b, Circuits::xor),
        (Op::BvXnor, [a, b]) => not(&c.zip(a, b, Circuits::xor)),
        (Op::BvAnd, [a, b]) => c.zip(a, b, Circuits::and),
        (Op::BvNand, [a, b]) => not(&c.zip(a, b, Circuits::and)),
        (Op::BvOr, [a, b]) => c.zip(a, b, Circuits::or),
        (Op::BvNor, [a, b]) => not(&c.zip(a, b, Circuits::or)),
        (Op::Eq | Op::BvComp, [a, b]) => bit(c.equal(a, b)),
        (Op::Distinct, _) => bit(pairwise_different(c, args)),
        (Op::Ite, [condition, a, b]) => c.ite(condition[0], a, b),
        (Op::BvRedAnd, [a]) => bit(c.conjunction(a)),
        (Op::BvRedOr, [a]) => bit(c.disjunction(a)),
        (Op::BvRedXor, [a]) => bit(a.iter().fold(Lit::FALSE, |odd, &l| c.xor(odd, l))),
        (Op::BvNeg, [a]) => c.neg(a),
        (Op::BvAdd, [a, b]) => c.add(a, b),
        (Op::BvSub, [a, b]) => c.sub(a, b),
        (Op::BvMul, [a, b]) => c.mul(a, b),
        (Op::BvUdiv, [a, b]) => c.udiv(a, b),
        (Op::BvUrem, [a, b]) => c.urem(a, b),
        (Op::BvSdiv, [a, b]) => c.sdiv(a, b),
        (Op::BvSrem, [a, b]) => c.srem(a, b),
        (Op::BvSmod, [a, b]) => c.smod(a, b),
        (Op::BvShl, [a, b]) => c.shl(a, b),
        (Op::BvLshr, [a, b]) => c.lshr(a, b),
        (Op::BvAshr, [a, b]) => c.ashr(a, b),
        (Op::BvRol, [a, b]) => c.rol(a, b),
        (Op::BvRor, [a, b]) => c.ror(a, b),
        (Op::BvUlt, [a, b]) => bit(c.ult(a, b)),
        (Op::BvUgt, [a, b]) => bit(c.ult(b, a)),
        (Op::BvUle, [a, b]) => bit(!c.ult(b, a)),
        (Op::BvUge, [a, b]) => bit(!c.ult(a, b)),
        (Op::BvSlt, [a, b]) => bit(c.slt(a, b)),
        (Op::BvSgt, [a, b]) => bit(c.slt(b, a)),
        (Op::BvSle, [a, b]) => bit(!c.slt(b, a)),
        (Op::BvSge, [a, b]) => bit(!c.slt(a, b)),
        (Op::BvUaddo, [a, b]) => bit(c.overflow(a, b, false, 1, Circuits::add)),
        (Op::BvSaddo, [a, b]) => bit(c.overflow(a, b, true, 1, Circuits::add)),
        (Op::BvUsubo, [a, b]) => bit(c.overflow(a, b, false, 1, Circuits::sub)),
        (Op::BvSsubo, [a, b]) => bit(c.overflow(a, b, true, 1, Circuits::sub)),
        (Op::BvUmulo, [a, b]) => bit(c.overflow(a, b, false, a.len(), Circuits::mul)),
        (Op::BvSmulo, [a, b]) => bit(c.overflow(a, b, true, a.len(), Circuits::mul)),
        (Op::BvSdivo, [a, b]) => {
            let (some, beyond) = (c.disjunction(b), c.overflow(a, b, true, 1, Circuits::sdiv));
            bit(c.and(some, beyond))
        }
        (Op::BvConcat, [high, low]) => [*low, *high].concat(),
        (Op::BvExtract, [a]) => a[indices[1] as usize..indices[0] as usize + 1].to_vec(),
        (Op::BvZeroExtend, [a]) => extend(a, indices[0] as usize, Lit::FALSE),
        (Op::BvSignExtend, [a]) => extend(a, indices[0] as usize, sign(a)),
        (Op::Select, [array, index]) => c.select(array, places(terms.operands(term)[0]), index),
        (Op::Store, [array, index, new]) => c.store(array, places(terms.operands(term)[0]), index, new),
        (Op::ConstArray, [element]) => element.repeat(places(term)),
        _ => return Err(rejected(format!("{op:?} cannot be checked in bits"))),
    })
}

fn pairwise_different(c: &mut Circuits, args: &[&[Lit]]) -> Lit {
    let mut different = Lit::TRUE;
    for (i, a) in args.iter().enumerate() {
        for b in &args[..i] {
            let equal = c.equal(a, b);
            different = c.and(different, !equal);
        }
    }
    different
}
