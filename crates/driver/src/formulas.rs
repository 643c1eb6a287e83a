//! Formulas of temporal logic over the names of a model, as further claims.
//!
//! Names are those that traces show: of bits also words of several bits (`cnt` for `cnt[0]`, `cnt[1]`, …), outputs
//! and positions (`i0`, `l3`, `o1`, `b0`); of words inputs, states, definitions and observables, bits of a word as
//! `x[3]` or `x[7:4]`, and the constants of an enumeration beside something of its sort. Words are compared as
//! unsigned numbers.

use std::collections::HashMap;
use std::hash::Hash;

use buttress_format::Diagnostic;
use buttress_format::formula::{Atom, Comparison, Operand, Stated};
use buttress_format::{ctl as branching, ltl as linear};
use buttress_lustre::script::read_value;
use buttress_system::ctl::{self, Ctl};
use buttress_system::ltl::{self, Ltl};
use buttress_system::words::System;
use buttress_system::{BitSource, BitSystem, Lit, Signals, SymbolKind};
use buttress_term::{Op, Sort, TermId, Value};

use crate::problem::{Asks, Claim, Logic, Original, Problem};
use crate::statements::names;
use crate::{Refused, Why};

/// The formulas of a problem, over the signals of its original.
#[derive(Clone, Default)]
pub(crate) struct Formulas {
    pub bits: Vec<Ltl<Lit>>,
    pub words: Vec<Ltl<TermId>>,
    /// About computation trees.
    pub trees: Vec<Ctl<Lit>>,
}

impl Problem {
    /// Adds formulas as claims `l0`, `l1`, …; `from` is where they were read, for messages.
    pub fn state(&mut self, formulas: &[linear::Formula], from: &str) -> Result<(), Refused> {
        let render = |d: Diagnostic| Refused { why: Why::Input, message: d.render(from) };
        match self.original().clone() {
            Original::Bits(system) => {
                let known = bit_names(&system);
                for formula in formulas {
                    let ltl =
                        replaced(formula, |making, atom| bit_atom(&known, making, atom)).map_err(render)?;
                    let justice = self.asks_linear(ltl);
                    self.claim_formula(formula, Logic::Linear, Asks::Live { justice });
                }
            }
            Original::Words(system) => {
                let mut extended = (*system).clone();
                for formula in formulas {
                    let ltl = replaced(formula, |making, atom| word_atom(&mut extended, making, atom));
                    let asks = self.asks_linear_words(ltl.map_err(render)?);
                    self.claim_formula(formula, Logic::Linear, asks);
                }
                self.extend_words(extended);
            }
            Original::Maps(_) => return Err(self.no_formulas(from)),
        }
        Ok(())
    }

    /// Adds formulas of computation tree logic as claims `c0`, `c1`, …. One that says the same as a formula of
    /// linear time is asked as that, too.
    pub fn state_trees(&mut self, formulas: &[branching::Formula], from: &str) -> Result<(), Refused> {
        let render = |d: Diagnostic| Refused { why: Why::Input, message: d.render(from) };
        match self.original().clone() {
            Original::Bits(system) => {
                let known = bit_names(&system);
                for formula in formulas {
                    let tree =
                        grown(formula, |making, atom| bit_atom(&known, making, atom)).map_err(render)?;
                    let justice = tree.linear().map(|ltl| self.asks_linear(ltl));
                    let number = self.formulas.trees.len();
                    self.formulas.trees.push(tree);
                    let asks = match justice {
                        Some(justice) => Asks::Both { justice, formula: number },
                        None => Asks::Tree { formula: number },
                    };
                    self.claim_formula(formula, Logic::Branching, asks);
                }
            }
            Original::Words(system) => {
                let mut extended = (*system).clone();
                for formula in formulas {
                    let tree = grown(formula, |making, atom| word_atom(&mut extended, making, atom));
                    let asks = match tree.map_err(render)?.linear() {
                        Some(ltl) => self.asks_linear_words(ltl),
                        None => Asks::Unsupported(NOT_OF_WORDS.to_string()),
                    };
                    self.claim_formula(formula, Logic::Branching, asks);
                }
                self.extend_words(extended);
            }
            Original::Maps(_) => return Err(self.no_formulas(from)),
        }
        Ok(())
    }

    fn no_formulas(&self, from: &str) -> Refused {
        let why = "formulas of temporal logic are not there for models with maps";
        Refused::usage(format!("{}: error: {from} does not apply: {why}", self.path))
    }

    fn asks_linear(&mut self, ltl: Ltl<Lit>) -> usize {
        self.formulas.bits.push(ltl);
        self.num_justice() + self.formulas.bits.len() - 1
    }

    fn asks_linear_words(&mut self, ltl: Ltl<TermId>) -> Asks {
        self.formulas.words.push(ltl);
        Asks::Live { justice: self.num_justice() + self.formulas.words.len() - 1 }
    }

    fn claim_formula<F>(&mut self, formula: &Stated<F>, logic: Logic, asks: Asks) {
        let number = self.claims().iter().filter(|c| c.logic == Some(logic)).count();
        let letter = match logic {
            Logic::Linear => 'l',
            Logic::Branching => 'c',
        };
        let position = format!("{letter}{number}");
        let name = formula.name.clone().unwrap_or_else(|| position.clone());
        let title = match &formula.name {
            Some(name) => format!("{position} {name}"),
            None => format!("{position} {}", formula.text),
        };
        let logic = Some(logic);
        self.add_claim(Claim { name, position, title, span: None, origin: None, logic, asks });
    }
}

const NOT_OF_WORDS: &str = "a formula about computation trees that no formula about executions says is decided of models in bits only";

/// A formula that is being made, of whatever logic: what it says of one moment.
trait Makes<A> {
    type Node: Copy;
    fn constant(&mut self, value: bool) -> Self::Node;
    fn signal(&mut self, signal: A) -> Self::Node;
    fn not(&mut self, a: Self::Node) -> Self::Node;
    fn and(&mut self, a: Self::Node, b: Self::Node) -> Self::Node;

    fn or(&mut self, a: Self::Node, b: Self::Node) -> Self::Node {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    fn equal(&mut self, a: Self::Node, b: Self::Node) -> Self::Node {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let (both, neither) = (self.and(a, b), self.and(not_a, not_b));
        self.or(both, neither)
    }
}

impl<A: Copy + Eq + Hash> Makes<A> for ltl::Making<A> {
    type Node = ltl::NodeId;
    fn constant(&mut self, value: bool) -> ltl::NodeId {
        ltl::Making::constant(self, value)
    }
    fn signal(&mut self, signal: A) -> ltl::NodeId {
        self.add(ltl::Says::Signal(signal))
    }
    fn not(&mut self, a: ltl::NodeId) -> ltl::NodeId {
        ltl::Making::not(self, a)
    }
    fn and(&mut self, a: ltl::NodeId, b: ltl::NodeId) -> ltl::NodeId {
        ltl::Making::and(self, a, b)
    }
}

impl<A: Copy + Eq + Hash> Makes<A> for ctl::Making<A> {
    type Node = ctl::NodeId;
    fn constant(&mut self, value: bool) -> ctl::NodeId {
        ctl::Making::constant(self, value)
    }
    fn signal(&mut self, signal: A) -> ctl::NodeId {
        self.add(ctl::Says::Signal(signal))
    }
    fn not(&mut self, a: ctl::NodeId) -> ctl::NodeId {
        ctl::Making::not(self, a)
    }
    fn and(&mut self, a: ctl::NodeId, b: ctl::NodeId) -> ctl::NodeId {
        ctl::Making::and(self, a, b)
    }
}

fn wrong(atom: &Atom, what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(what).at(atom.position).with_source(atom.line.clone())
}

fn unknown<'a>(atom: &Atom, name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let mut near: Vec<&str> = known.filter(|other| is_near(name, other)).collect();
    near.sort_unstable();
    near.truncate(5);
    let error = wrong(atom, format!("the model has nothing of the name '{name}'"));
    match near.is_empty() {
        true => error.with_help("`buttress simulate` shows all names"),
        false => error.with_help(format!("there is: {}", near.join(", "))),
    }
}

/// The same but for upper and lower case, or one a part of the other after a point.
fn is_near(name: &str, other: &str) -> bool {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_lowercase();
    last(name) == last(other) || edit_distance_is_small(name, other)
}

fn edit_distance_is_small(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 1 || a.len() < 3 {
        return false;
    }
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    let after = |rest: &[char]| rest.get(1..).map(<[char]>::to_vec).unwrap_or_default();
    after(rest_a) == after(rest_b) || after(rest_a) == rest_b || rest_a == after(rest_b)
}

/// Copies a formula, its atoms replaced.
fn replaced<A: Copy + Eq + Hash>(
    formula: &linear::Formula,
    mut atom: impl FnMut(&mut ltl::Making<A>, &Atom) -> Result<ltl::NodeId, Diagnostic>,
) -> Result<Ltl<A>, Diagnostic> {
    use ltl::Says;
    let mut making = ltl::Making::default();
    let mut images: Vec<ltl::NodeId> = Vec::new();
    for says in formula.formula.nodes() {
        let at = |node: ltl::NodeId| images[node.index()];
        let image = match *says {
            Says::Signal(place) => atom(&mut making, &formula.atoms[place])?,
            Says::Constant(value) => making.constant(value),
            Says::Not(a) => making.not(at(a)),
            Says::And(a, b) => making.and(at(a), at(b)),
            Says::Or(a, b) => making.or(at(a), at(b)),
            Says::Next(a) => making.next(at(a)),
            Says::Until(a, b) => making.add(Says::Until(at(a), at(b))),
            Says::Release(a, b) => making.add(Says::Release(at(a), at(b))),
            Says::Before(a) => making.add(Says::Before(at(a))),
            Says::BeforeIfAny(a) => making.add(Says::BeforeIfAny(at(a))),
            Says::Since(a, b) => making.add(Says::Since(at(a), at(b))),
            Says::Trigger(a, b) => making.add(Says::Trigger(at(a), at(b))),
        };
        images.push(image);
    }
    Ok(making.finish(*images.last().expect("a formula has nodes")))
}

/// The same for computation trees.
fn grown<A: Copy + Eq + Hash>(
    formula: &branching::Formula,
    mut atom: impl FnMut(&mut ctl::Making<A>, &Atom) -> Result<ctl::NodeId, Diagnostic>,
) -> Result<Ctl<A>, Diagnostic> {
    use ctl::Says;
    let mut making = ctl::Making::default();
    let mut images: Vec<ctl::NodeId> = Vec::new();
    for says in formula.formula.nodes() {
        let at = |node: ctl::NodeId| images[node.index()];
        let image = match *says {
            Says::Signal(place) => atom(&mut making, &formula.atoms[place])?,
            Says::Constant(value) => making.constant(value),
            Says::Not(a) => making.not(at(a)),
            Says::And(a, b) => making.and(at(a), at(b)),
            Says::Next(a) => making.exists_next(at(a)),
            Says::Until(a, b) => making.exists_until(at(a), at(b)),
            Says::Always(a) => making.exists_always(at(a)),
        };
        images.push(image);
    }
    Ok(making.finish(*images.last().expect("a formula has nodes")))
}

/// What has a name, as literals, the least significant first.
fn bit_names(system: &BitSystem) -> HashMap<String, Vec<Lit>> {
    let mut known: HashMap<String, Vec<Lit>> = HashMap::new();
    let lit = |source: BitSource| match source {
        BitSource::Input(input) => system.input_lit(input),
        BitSource::Latch(latch) => system.latch_lit(latch),
    };
    for signal in Signals::of(system).0 {
        let bits = |s: &buttress_system::Signal| s.bits.iter().map(|b| lit(b.source) ^ b.inverted).collect();
        for single in signal.single_bits() {
            known.entry(single.name.clone()).or_insert_with(|| bits(&single));
        }
        known.entry(signal.name.clone()).or_insert_with(|| bits(&signal));
    }
    let inputs = system.inputs().map(|i| (SymbolKind::Input, i.index(), system.input_lit(i)));
    let latches = system.latches().map(|l| (SymbolKind::Latch, l.index(), system.latch_lit(l)));
    let outputs = system.outputs.iter().enumerate().map(|(o, &lit)| (SymbolKind::Output, o, lit));
    let properties = system.properties.iter().map(|p| (p.symbol.0, p.symbol.1, p.bad));
    let all: Vec<_> = inputs.chain(latches).chain(outputs).chain(properties).collect();
    // Symbols of the file come before positions, which may be symbols of something else.
    for &(kind, index, lit) in &all {
        known.entry(system.symbols.name(kind, index)).or_insert_with(|| vec![lit]);
    }
    for (kind, index, lit) in all {
        known.entry(format!("{}{index}", kind.letter())).or_insert_with(|| vec![lit]);
    }
    known
}

fn bit_atom<M: Makes<Lit>>(
    known: &HashMap<String, Vec<Lit>>,
    making: &mut M,
    atom: &Atom,
) -> Result<M::Node, Diagnostic> {
    let named = |atom: &Atom, operand: &Operand| match operand {
        Operand::Number(_) => Ok(None),
        Operand::Name(name) if name == "true" || name == "false" => {
            Ok(Some(vec![Lit::constant(name == "true")]))
        }
        Operand::Name(name) => known
            .get(name)
            .cloned()
            .map(Some)
            .ok_or_else(|| unknown(atom, name, known.keys().map(|k| &k[..]))),
    };
    let left = named(atom, &atom.left)?;
    let Some((comparison, right)) = &atom.compared else {
        return match left.as_deref() {
            Some(&[bit]) => Ok(signal(making, bit)),
            Some(bits) => Err(wrong(atom, format!("it has {} bits: compare it with a number", bits.len()))),
            None => unreachable!("a number alone is no formula"),
        };
    };
    let right_bits = named(atom, right)?;
    let width = left.as_ref().or(right_bits.as_ref()).map(Vec::len);
    let width = width.ok_or_else(|| wrong(atom, "two numbers are compared"))?;
    let bits = |operand: &Operand, bits: Option<Vec<Lit>>| match (bits, operand) {
        (Some(bits), _) if bits.len() == width => Ok(bits),
        (Some(bits), _) => Err(wrong(atom, format!("{width} bits are compared with {}", bits.len()))),
        (None, Operand::Number(text)) => {
            match read_value(text, &Sort::BitVec(width as u32), text.starts_with('-')) {
                Some(Value::Word(word)) => Ok(word.bits().map(Lit::constant).collect()),
                _ => Err(wrong(atom, format!("'{text}' is no number of {width} bits"))),
            }
        }
        (None, Operand::Name(_)) => unreachable!("names have bits"),
    };
    let (left, right) = (bits(&atom.left, left)?, bits(right, right_bits)?);
    Ok(compared(making, *comparison, &left, &right))
}

fn signal<M: Makes<Lit>>(making: &mut M, lit: Lit) -> M::Node {
    if lit.is_constant() {
        return making.constant(lit == Lit::TRUE);
    }
    let positive = making.signal(lit ^ lit.is_negated());
    if lit.is_negated() { making.not(positive) } else { positive }
}

/// Words of bits as unsigned numbers.
fn compared<M: Makes<Lit>>(making: &mut M, comparison: Comparison, left: &[Lit], right: &[Lit]) -> M::Node {
    let (left, right) = match comparison {
        Comparison::Greater | Comparison::AtMost => (right, left),
        _ => (left, right),
    };
    let (mut equal, mut less) = (making.constant(true), making.constant(false));
    for (&a, &b) in left.iter().zip(right) {
        let (a, b) = (signal(making, a), signal(making, b));
        let (same, not_a) = (making.equal(a, b), making.not(a));
        let here = making.and(not_a, b);
        let below = making.and(same, less);
        less = making.or(here, below);
        equal = making.and(equal, same);
    }
    match comparison {
        Comparison::Equal => equal,
        Comparison::Distinct => making.not(equal),
        Comparison::Less | Comparison::Greater => less,
        Comparison::AtMost | Comparison::AtLeast => making.not(less),
    }
}

fn word_atom<M: Makes<TermId>>(
    system: &mut System,
    making: &mut M,
    atom: &Atom,
) -> Result<M::Node, Diagnostic> {
    let left = named_term(system, atom, &atom.left)?;
    let Some((comparison, right)) = &atom.compared else {
        let term = left.ok_or_else(|| nothing(system, atom, &atom.left))?;
        return match system.terms.sort(term) {
            Sort::Bool => Ok(making.signal(term)),
            Sort::BitVec(1) => Ok(making.signal(system.terms.bit_to_bool(term))),
            sort => {
                Err(wrong(atom, format!("it is of sort {sort}, and no Boolean: compare it with something")))
            }
        };
    };
    let right_term = named_term(system, atom, right)?;
    let term = left.or(right_term).ok_or_else(|| match (&atom.left, right) {
        (Operand::Number(_), Operand::Number(_)) => wrong(atom, "two numbers are compared"),
        (name @ Operand::Name(_), _) | (_, name) => nothing(system, atom, name),
    })?;
    let sort = system.terms.sort(term).clone();
    let mut fitted = |term: Option<TermId>, operand: &Operand| match term {
        Some(term) if *system.terms.sort(term) == sort => Ok(term),
        Some(term) => Err(wrong(atom, format!("{sort} is compared with {}", system.terms.sort(term)))),
        None => constant(system, atom, operand, &sort),
    };
    let (left, right) = (fitted(left, &atom.left)?, fitted(right_term, right)?);
    let term = compared_terms(system, atom, *comparison, left, right)?;
    Ok(making.signal(term))
}

fn nothing(system: &System, atom: &Atom, operand: &Operand) -> Diagnostic {
    match operand {
        Operand::Number(_) => wrong(atom, "a number is no formula"),
        Operand::Name(name) => unknown(atom, name, names(system).into_keys()),
    }
}

/// What has this name, bits of a word included; `None` for numbers and what may be a constant.
fn named_term(system: &mut System, atom: &Atom, operand: &Operand) -> Result<Option<TermId>, Diagnostic> {
    let Operand::Name(name) = operand else { return Ok(None) };
    let known = names(system);
    if let Some(&term) = known.get(&name[..]) {
        return Ok(Some(term));
    }
    let Some((base, index)) = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) else {
        return Ok(None);
    };
    let Some(&word) = known.get(base) else { return Ok(None) };
    let (high, low) = index.split_once(':').unwrap_or((index, index));
    let (Ok(high), Ok(low), Some(width)) =
        (high.parse::<u32>(), low.parse::<u32>(), system.terms.width(word))
    else {
        return Ok(None);
    };
    match low <= high && high < width {
        true => Ok(Some(system.terms.extract(word, high, low))),
        false => Err(wrong(atom, format!("'{base}' has the bits 0 to {}", width - 1))),
    }
}

/// A number, a truth value or a constant of an enumeration.
fn constant(system: &mut System, atom: &Atom, operand: &Operand, sort: &Sort) -> Result<TermId, Diagnostic> {
    let (Operand::Name(text) | Operand::Number(text)) = operand;
    let value = match (sort, &text[..]) {
        (Sort::Bool, "0" | "1") => Some(Value::Bool(text == "1")),
        _ => read_value(text, sort, text.starts_with('-')),
    };
    match value {
        Some(value) => Ok(system.terms.constant(value)),
        None => Err(match operand {
            Operand::Number(_) => wrong(atom, format!("'{text}' is no {sort}")),
            Operand::Name(name) => unknown(atom, name, names(system).into_keys()),
        }),
    }
}

fn compared_terms(
    system: &mut System,
    atom: &Atom,
    comparison: Comparison,
    left: TermId,
    right: TermId,
) -> Result<TermId, Diagnostic> {
    let terms = &mut system.terms;
    let in_words = matches!(terms.sort(left), Sort::BitVec(_));
    let numbers = in_words || matches!(terms.sort(left), Sort::Int | Sort::Real);
    let of_order = |words: Op, numbers: Op| if in_words { words } else { numbers };
    let op = match comparison {
        Comparison::Equal => return Ok(terms.eq(left, right)),
        Comparison::Distinct => {
            let equal = terms.eq(left, right);
            return Ok(terms.not(equal));
        }
        _ if !numbers => return Err(wrong(atom, format!("there is no order on {}", terms.sort(left)))),
        Comparison::Less => of_order(Op::BvUlt, Op::Lt),
        Comparison::AtMost => of_order(Op::BvUle, Op::Le),
        Comparison::Greater => of_order(Op::BvUgt, Op::Gt),
        Comparison::AtLeast => of_order(Op::BvUge, Op::Ge),
    };
    Ok(terms.app(op, &[left, right]))
}
