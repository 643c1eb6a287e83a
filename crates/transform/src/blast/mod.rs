//! Bit-blasting: a word-level system with finite sorts becomes an and-inverter graph with state.
//!
//! Each state and input becomes the bits of its [code]; each operator its [circuit](circuits). Only what
//! properties and constraints read, through any number of steps, is taken along.
//!
//! * An enumeration whose constants do not fill their bits: a number beyond the last reads as the last, wherever a
//!   variable is read. So the bits behave as the words do from every state, reachable or not, and no
//!   constraint is needed.
//! * An array is all its elements, up to [`Limits::array_bits`].
//! * A state without `next` and `init` is an input; one without `next` alone is a latch that an input feeds.
//!
//! Integers, reals and larger arrays are refused, with the name of a signal that has or reads them.

mod back;
mod bitwise;
mod circuits;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use buttress_system::words::{Fault, Label, Property, Role, StateId, System, code};
use buttress_system::{self as bits, BitSystem, InputId, Latch, LatchId, Lit, SymbolKind};
use buttress_term::{Indices, Node, Op, Sort, TermId, Terms};

use crate::gates::Gates;
pub use bitwise::Bitwise;
use circuits::{Bits, inverted};

/// How large a system may become.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of one array.
    pub array_bits: u32,
    /// Of the whole system.
    pub gates: usize,
}

impl Default for Limits {
    /// Memories of 8 KB; about 2 GB while blasting.
    fn default() -> Limits {
        Limits { array_bits: 1 << 16, gates: 50_000_000 }
    }
}

/// A system in bits, and what its bits are in words.
pub struct Blasted {
    pub system: Arc<BitSystem>,
    words: Arc<System>,
    layout: Layout,
}

/// Where the bits of each input and state begin; `None` for what is not needed.
struct Layout {
    inputs: Vec<Option<usize>>,
    /// Bits of inputs: what a state without `next` goes on to, or is.
    fed: Vec<Option<usize>>,
    latches: Vec<Option<usize>>,
    /// The state of each latch, and the number of the bit.
    origins: Vec<(StateId, u32)>,
    num_inputs: usize,
}

/// The names of the properties and no bits at all: for reports about a system that engines on words decide.
pub fn names_only(words: &Arc<System>) -> Blasted {
    let mut system = BitSystem::new(0, 0);
    for (p, property) in words.properties.iter().enumerate() {
        let symbol = (SymbolKind::Bad, p);
        system.properties.push(bits::Property { bad: Lit::FALSE, symbol });
        system.symbols.insert(SymbolKind::Bad, p, &property.label.name);
    }
    let layout = Layout { inputs: vec![], fed: vec![], latches: vec![], origins: vec![], num_inputs: 0 };
    Blasted { system: Arc::new(system), words: words.clone(), layout }
}

/// Blasts a valid system.
pub fn blast(words: &Arc<System>, limits: Limits) -> Result<Blasted, Fault> {
    let roles = words.roles();
    let needed = needed(words, &roles);
    finite(words, &roles, &needed, limits)?;
    let layout = Layout::new(words, &roles, &needed);
    let base = BitSystem::new(layout.num_inputs, layout.origins.len());
    let mut blaster = Blaster {
        words,
        roles: &roles,
        layout: &layout,
        limits,
        gates: Gates::new(base),
        arena: Vec::new(),
        ranges: vec![None; words.terms.len()],
    };
    blaster.latches()?;
    blaster.claims()?;
    let mut system = blaster.gates.system;
    layout.names(words, &mut system);
    Ok(Blasted { system: Arc::new(system), words: words.clone(), layout })
}

/// Every term that properties and constraints read, through definitions and any number of steps.
fn needed(words: &System, roles: &[Option<Role>]) -> Vec<bool> {
    let mut marked = vec![false; words.terms.len()];
    let properties = words.properties.iter().map(|p| p.bad);
    let mut todo: Vec<TermId> = properties.chain(words.constraints.iter().map(|c| c.term)).collect();
    while let Some(term) = todo.pop() {
        if std::mem::replace(&mut marked[term.index()], true) {
            continue;
        }
        todo.extend_from_slice(words.terms.operands(term));
        match roles[term.index()] {
            Some(Role::State(s)) => todo.extend(words.state(s).init.iter().chain(&words.state(s).next)),
            Some(Role::Definition(d)) => todo.push(words.definitions[d].value),
            Some(Role::Input(_)) | None => {}
        }
    }
    marked
}

/// All needed variables have a code, and needed arrays one within the limits.
fn finite(words: &System, roles: &[Option<Role>], needed: &[bool], limits: Limits) -> Result<(), Fault> {
    for term in words.terms.ids().filter(|t| needed[t.index()]) {
        let (Some(role), sort) = (roles[term.index()], words.terms.sort(term)) else { continue };
        if !fits(sort, limits) {
            return Err(refusal(label_of(words, role), sort, limits));
        }
    }
    Ok(())
}

fn fits(sort: &Sort, limits: Limits) -> bool {
    let most = if sort.as_array().is_some() { limits.array_bits } else { u32::MAX };
    code::width(sort).is_some_and(|width| width <= most)
}

fn label_of(words: &System, role: Role) -> &Label {
    match role {
        Role::Input(i) => &words.inputs[i].label,
        Role::State(s) => &words.state(s).label,
        Role::Definition(d) => &words.definitions[d].label,
    }
}

fn refusal(label: &Label, sort: &Sort, limits: Limits) -> Fault {
    let why = match sort {
        Sort::Array(_) => format!("{sort} has more than {} bits", limits.array_bits),
        _ => format!("{sort} is infinite"),
    };
    Fault { message: format!("`{}` has no bits: {why}", label.name), span: label.span }
}

impl Layout {
    fn new(words: &System, roles: &[Option<Role>], needed: &[bool]) -> Layout {
        let width = |variable: TermId| code::width(words.terms.sort(variable)).unwrap_or(0);
        let mut layout = Layout {
            inputs: vec![None; words.inputs.len()],
            fed: vec![None; words.states.len()],
            latches: vec![None; words.states.len()],
            origins: Vec::new(),
            num_inputs: 0,
        };
        for (i, input) in words.inputs.iter().enumerate().filter(|(_, i)| needed[i.variable.index()]) {
            layout.inputs[i] = Some(layout.more_inputs(width(input.variable)));
        }
        for s in words.state_ids().filter(|&s| needed[words.state(s).variable.index()]) {
            let state = words.state(s);
            debug_assert_eq!(roles[state.variable.index()], Some(Role::State(s)));
            let width = width(state.variable);
            if state.next.is_none() {
                layout.fed[s.index()] = Some(layout.more_inputs(width));
            }
            if state.next.is_some() || state.init.is_some() {
                layout.latches[s.index()] = Some(layout.origins.len());
                layout.origins.extend((0..width).map(|bit| (s, bit)));
            }
        }
        layout
    }

    fn more_inputs(&mut self, width: u32) -> usize {
        self.num_inputs += width as usize;
        self.num_inputs - width as usize
    }

    fn names(&self, words: &System, system: &mut BitSystem) {
        let mut name = |kind, first: Option<usize>, label: &Label, suffix: &str, variable: TermId| {
            let Some(first) = first else { return };
            for (i, bit) in bit_names(words.terms.sort(variable)).iter().enumerate() {
                system.symbols.insert(kind, first + i, &format!("{}{suffix}{bit}", label.name));
            }
        };
        for (input, &first) in words.inputs.iter().zip(&self.inputs) {
            name(SymbolKind::Input, first, &input.label, "", input.variable);
        }
        for (s, state) in words.states.iter().enumerate() {
            let suffix = if self.latches[s].is_some() { "'" } else { "" };
            name(SymbolKind::Input, self.fed[s], &state.label, suffix, state.variable);
            name(SymbolKind::Latch, self.latches[s], &state.label, "", state.variable);
        }
        for (p, property) in words.properties.iter().enumerate() {
            system.symbols.insert(SymbolKind::Bad, p, &property.label.name);
        }
        for (c, constraint) in words.constraints.iter().enumerate() {
            system.symbols.insert(SymbolKind::Constraint, c, &constraint.label.name);
        }
    }
}

/// The suffixes of the names of a signal's bits: nothing for a Boolean, `[bit]`, in an array `[place][bit]`.
fn bit_names(sort: &Sort) -> Vec<String> {
    match sort {
        Sort::Bool => vec![String::new()],
        Sort::Array(array) => {
            let element = bit_names(&array.element);
            let places = code::places(array).expect("the array is finite");
            (0..places).flat_map(|p| element.iter().map(move |bit| format!("[{p}]{bit}"))).collect()
        }
        _ => (0..code::width(sort).expect("the sort is finite")).map(|bit| format!("[{bit}]")).collect(),
    }
}

struct Blaster<'a> {
    words: &'a System,
    roles: &'a [Option<Role>],
    layout: &'a Layout,
    limits: Limits,
    gates: Gates,
    /// The bits of all terms, one behind the other.
    arena: Vec<Lit>,
    ranges: Vec<Option<(u32, u32)>>,
}

impl Blaster<'_> {
    /// Latches go on to the bits of `next` (or to an input) and start with those of `init` (or anywhere).
    fn latches(&mut self) -> Result<(), Fault> {
        let words = self.words;
        for (s, state) in words.states.iter().enumerate() {
            let Some(first) = self.layout.latches[s] else { continue };
            let width = code::width(words.terms.sort(state.variable)).expect("the sort is finite") as usize;
            let own = |l: usize| self.gates.system.latch_lit(LatchId::new(first + l));
            let free: Bits = (0..width).map(own).collect();
            let next = match state.next {
                Some(next) => self.root(next, &state.label)?,
                None => self.input_bits(self.layout.fed[s].expect("a state without next is fed"), width),
            };
            let reset = match state.init {
                Some(init) => self.root(init, &state.label)?,
                None => free,
            };
            for (l, (next, reset)) in next.into_iter().zip(reset).enumerate() {
                self.gates.system.set_latch(LatchId::new(first + l), Latch { next, reset });
            }
        }
        Ok(())
    }

    fn claims(&mut self) -> Result<(), Fault> {
        let words = self.words;
        for constraint in &words.constraints {
            let lit = self.root(constraint.term, &constraint.label)?[0];
            self.gates.system.constraints.push(lit);
        }
        for (p, Property { bad, label, .. }) in words.properties.iter().enumerate() {
            let bad = self.root(*bad, label)?[0];
            let symbol = (SymbolKind::Bad, p);
            self.gates.system.properties.push(bits::Property { bad, symbol });
        }
        Ok(())
    }

    fn input_bits(&self, first: usize, width: usize) -> Bits {
        (first..first + width).map(|i| self.gates.system.input_lit(InputId::new(i))).collect()
    }

    /// The bits of a term that `label` speaks of; definitions are followed.
    fn root(&mut self, root: TermId, label: &Label) -> Result<Bits, Fault> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.ranges[term.index()].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let open = |t: &&TermId| self.ranges[t.index()].is_none();
            let value = self.defined_by(term);
            stack.extend(self.words.terms.operands(term).iter().chain(&value).filter(open));
            if stack.len() == before {
                self.blast(term, label)?;
                stack.pop();
            }
        }
        Ok(self.bits(root).to_vec())
    }

    fn defined_by(&self, term: TermId) -> Option<TermId> {
        match self.roles[term.index()] {
            Some(Role::Definition(d)) => Some(self.words.definitions[d].value),
            _ => None,
        }
    }

    fn bits(&self, term: TermId) -> &[Lit] {
        range(&self.arena, &self.ranges, term)
    }

    /// One term whose operands have bits.
    fn blast(&mut self, term: TermId, label: &Label) -> Result<(), Fault> {
        let terms = &self.words.terms;
        if !fits(terms.sort(term), self.limits) {
            return Err(refusal(label, terms.sort(term), self.limits));
        }
        if self.gates.system.num_gates() > self.limits.gates {
            let message = format!("in bits, the system has more than {} gates", self.limits.gates);
            return Err(Fault { message, span: None });
        }
        let bits = match terms.node(term) {
            Node::Constant(value) => code::encode(value).into_iter().map(Lit::constant).collect(),
            Node::Variable(_) => self.variable(term),
            Node::Apply(op, indices, operands) => {
                let args: Vec<&[Lit]> =
                    operands.iter().map(|&t| range(&self.arena, &self.ranges, t)).collect();
                apply(&mut self.gates, terms, term, op, indices, &args)
            }
        };
        let begin = self.arena.len() as u32;
        self.arena.extend(bits);
        self.ranges[term.index()] = Some((begin, self.arena.len() as u32));
        Ok(())
    }

    fn variable(&mut self, term: TermId) -> Bits {
        let width = code::width(self.words.terms.sort(term)).expect("the sort is finite") as usize;
        let raw = match self.roles[term.index()].expect("a valid system knows its variables") {
            Role::Definition(d) => return self.bits(self.words.definitions[d].value).to_vec(),
            Role::Input(i) => self.input_bits(self.layout.inputs[i].expect("it is needed"), width),
            Role::State(s) => match self.layout.latches[s.index()] {
                Some(first) => {
                    let lit = |l: usize| self.gates.system.latch_lit(LatchId::new(l));
                    (first..first + width).map(lit).collect()
                }
                None => self.input_bits(self.layout.fed[s.index()].expect("it is needed"), width),
            },
        };
        normalised(&mut self.gates, self.words.terms.sort(term), raw)
    }
}

fn range<'a>(arena: &'a [Lit], ranges: &[Option<(u32, u32)>], term: TermId) -> &'a [Lit] {
    let (begin, end) = ranges[term.index()].expect("operands come first");
    &arena[begin as usize..end as usize]
}

/// Numbers beyond the last constant of an enumeration read as the last.
fn normalised(gates: &mut Gates, sort: &Sort, raw: Bits) -> Bits {
    match sort {
        Sort::Enum(e) if !e.constants.len().is_power_of_two() => {
            let last = e.constants.len() - 1;
            let last: Bits = (0..raw.len()).map(|i| Lit::constant(last >> i & 1 == 1)).collect();
            let beyond = gates.below(&last, &raw);
            gates.choose(beyond, &last, &raw)
        }
        Sort::Array(array) => {
            let width = code::width(&array.element).expect("the array is finite") as usize;
            let elements = raw.chunks(width.max(1));
            elements.flat_map(|bits| normalised(gates, &array.element, bits.to_vec())).collect()
        }
        _ => raw,
    }
}

/// The circuit of an operator. All sorts here are finite.
fn apply(gates: &mut Gates, terms: &Terms, term: TermId, op: Op, indices: Indices, args: &[&[Lit]]) -> Bits {
    let places = |array: TermId| {
        let array = terms.sort(array).as_array().expect("the sort rule wants an array");
        code::places(array).expect("the array is finite") as usize
    };
    let operands = terms.operands(term);
    let first_bits = || args.iter().map(|a| a[0]).collect::<Bits>();
    match (op, args) {
        (Op::Not | Op::BvNot, [a]) => inverted(a),
        (Op::And, _) => vec![gates.all(&first_bits())],
        (Op::Or, _) => vec![gates.any(&first_bits())],
        (Op::Xor | Op::BvXor, [a, b]) => gates.each(a, b, Gates::xor),
        (Op::Implies, [a, b]) => vec![gates.or(!a[0], b[0])],
        (Op::Eq | Op::BvComp, [a, b]) => vec![gates.equal(a, b)],
        (Op::Distinct, _) => vec![distinct(gates, args)],
        (Op::Ite, [c, a, b]) => gates.choose(c[0], a, b),
        (Op::BvAnd, [a, b]) => gates.each(a, b, Gates::and),
        (Op::BvOr, [a, b]) => gates.each(a, b, Gates::or),
        (Op::BvNand, [a, b]) => inverted(&gates.each(a, b, Gates::and)),
        (Op::BvNor, [a, b]) => inverted(&gates.each(a, b, Gates::or)),
        (Op::BvXnor, [a, b]) => inverted(&gates.each(a, b, Gates::xor)),
        (Op::BvRedAnd, [a]) => vec![gates.all(a)],
        (Op::BvRedOr, [a]) => vec![gates.any(a)],
        (Op::BvRedXor, [a]) => vec![gates.parity(a)],
        (Op::BvNeg, [a]) => gates.negated(a),
        (Op::BvAdd, [a, b]) => gates.sum(a, b, Lit::FALSE).0,
        (Op::BvSub, [a, b]) => gates.difference(a, b).0,
        (Op::BvMul, [a, b]) => gates.product(a, b),
        (Op::BvUdiv, [a, b]) => gates.quotient(a, b).0,
        (Op::BvUrem, [a, b]) => gates.quotient(a, b).1,
        (Op::BvSdiv, [a, b]) => gates.signed_quotient(a, b),
        (Op::BvSrem, [a, b]) => gates.signed_remainder(a, b),
        (Op::BvSmod, [a, b]) => gates.signed_modulus(a, b),
        (Op::BvShl, [a, by]) => gates.shifted_up(a, by),
        (Op::BvLshr, [a, by]) => gates.shifted_down(a, by, Lit::FALSE),
        (Op::BvAshr, [a, by]) => gates.shifted_down(a, by, a[a.len() - 1]),
        (Op::BvRol, [a, by]) => gates.rotated_up(a, by),
        (Op::BvRor, [a, by]) => gates.rotated_down(a, by),
        (Op::BvUlt | Op::BvUsubo, [a, b]) | (Op::BvUgt, [b, a]) => vec![gates.below(a, b)],
        (Op::BvUge, [a, b]) | (Op::BvUle, [b, a]) => vec![!gates.below(a, b)],
        (Op::BvSlt, [a, b]) | (Op::BvSgt, [b, a]) => vec![gates.below_signed(a, b)],
        (Op::BvSge, [a, b]) | (Op::BvSle, [b, a]) => vec![!gates.below_signed(a, b)],
        (Op::BvUaddo, [a, b]) => vec![gates.sum(a, b, Lit::FALSE).1],
        (Op::BvSaddo, [a, b]) => vec![gates.sum_overflows_signed(a, b, Lit::FALSE)],
        (Op::BvSsubo, [a, b]) => vec![gates.sum_overflows_signed(a, &inverted(b), Lit::TRUE)],
        (Op::BvUmulo, [a, b]) => vec![gates.product_overflows(a, b)],
        (Op::BvSmulo, [a, b]) => vec![gates.product_overflows_signed(a, b)],
        (Op::BvSdivo, [a, b]) => vec![gates.quotient_overflows(a, b)],
        (Op::BvConcat, [high, low]) => [*low, *high].concat(),
        (Op::BvExtract, [a]) => a[indices[1] as usize..=indices[0] as usize].to_vec(),
        (Op::BvZeroExtend, [a]) => extended(a, indices[0], Lit::FALSE),
        (Op::BvSignExtend, [a]) => extended(a, indices[0], a[a.len() - 1]),
        (Op::Select, [array, index]) => gates.selected(array, places(operands[0]), index),
        (Op::Store, [array, index, new]) => gates.stored(array, places(operands[0]), index, new),
        (Op::ConstArray, [element]) => element.repeat(places(term)),
        _ => unreachable!("{op:?} is about infinite sorts or has another arity"),
    }
}

fn distinct(gates: &mut Gates, args: &[&[Lit]]) -> Lit {
    let pairs = (0..args.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    let differ: Bits = pairs.map(|(i, j)| !gates.equal(args[i], args[j])).collect();
    gates.all(&differ)
}

fn extended(a: &[Lit], by: u32, fill: Lit) -> Bits {
    a.iter().copied().chain(std::iter::repeat_n(fill, by as usize)).collect()
}
