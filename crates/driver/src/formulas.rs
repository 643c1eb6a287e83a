//! Formulas of temporal logic over the names of a model, as further claims.
//!
//! Names are those that traces show: of bits also words of several bits (`cnt` for `cnt[0]`, `cnt[1]`, …), outputs and positions (`i0`,
//! `l3`, `o1`, `b0`); of words inputs, states, definitions and observables, bits of a word as `x[3]` or `x[7:4]`, and the
//! constants of an enumeration beside something of its sort. Words are compared as unsigned numbers.

use std::collections::HashMap;

use buttress_format::Diagnostic;
use buttress_format::ltl::{Atom, Comparison, Formula, Operand};
use buttress_lustre::script::read_value;
use buttress_system::ltl::{Ltl, Making, NodeId, Says};
use buttress_system::words::System;
use buttress_system::{BitSource, BitSystem, Lit, Signals, SymbolKind};
use buttress_term::{Op, Sort, TermId, Value};

use crate::problem::{Asks, Claim, Original, Problem};
use crate::statements::names;
use crate::{Refused, Why};

/// The formulas of a problem, over the signals of its original.
#[derive(Clone, Default)]
pub(crate) struct Formulas {
    pub bits: Vec<Ltl<Lit>>,
    pub words: Vec<Ltl<TermId>>,
}

impl Problem {
    /// Adds formulas as claims `l0`, `l1`, …; `from` is where they were read, for messages.
    pub fn state(&mut self, formulas: &[Formula], from: &str) -> Result<(), Refused> {
        let render = |d: Diagnostic| Refused { why: Why::Input, message: d.render(from) };
        match self.original().clone() {
            Original::Bits(system) => {
                let known = bit_names(&system);
                for formula in formulas {
                    let ltl = of_bits(formula, &known).map_err(render)?;
                    self.formulas.bits.push(ltl);
                    self.claim_formula(formula);
                }
            }
            Original::Words(system) => {
                let mut extended = (*system).clone();
                for formula in formulas {
                    let ltl = of_words(formula, &mut extended).map_err(render)?;
                    self.formulas.words.push(ltl);
                    self.claim_formula(formula);
                }
                self.extend_words(extended);
            }
            Original::Maps(_) => {
                let why = "formulas of temporal logic are not there for models with maps";
                return Err(Refused::usage(format!("{}: error: {from} does not apply: {why}", self.path)));
            }
        }
        Ok(())
    }

    fn claim_formula(&mut self, formula: &Formula) {
        let number = self.claims().iter().filter(|c| c.is_formula).count();
        let justice = self.num_justice() + number;
        let position = format!("l{number}");
        let name = formula.name.clone().unwrap_or_else(|| position.clone());
        let title = match &formula.name {
            Some(name) => format!("{position} {name}"),
            None => format!("{position} {}", formula.text),
        };
        let asks = Asks::Live { justice };
        self.add_claim(Claim { name, position, title, span: None, origin: None, is_formula: true, asks });
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
fn replaced<A: Copy + Eq + std::hash::Hash>(
    formula: &Formula,
    making: &mut Making<A>,
    mut atom: impl FnMut(&mut Making<A>, &Atom) -> Result<NodeId, Diagnostic>,
) -> Result<Ltl<A>, Diagnostic> {
    let mut images: Vec<NodeId> = Vec::new();
    for says in formula.formula.nodes() {
        let at = |node: NodeId| images[node.index()];
        let image = match *says {
            Says::Signal(place) => atom(making, &formula.atoms[place])?,
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

fn of_bits(formula: &Formula, known: &HashMap<String, Vec<Lit>>) -> Result<Ltl<Lit>, Diagnostic> {
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
    let mut making = Making::default();
    replaced(formula, &mut making, |making, atom| {
        let left = named(atom, &atom.left)?;
        let Some((comparison, right)) = &atom.compared else {
            return match left.as_deref() {
                Some(&[bit]) => Ok(signal(making, bit)),
                Some(bits) => {
                    Err(wrong(atom, format!("it has {} bits: compare it with a number", bits.len())))
                }
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
    })
}

fn signal(making: &mut Making<Lit>, lit: Lit) -> NodeId {
    if lit.is_constant() {
        return making.constant(lit == Lit::TRUE);
    }
    let positive = making.add(Says::Signal(lit ^ lit.is_negated()));
    if lit.is_negated() { making.not(positive) } else { positive }
}

/// Words of bits as unsigned numbers.
fn compared(making: &mut Making<Lit>, comparison: Comparison, left: &[Lit], right: &[Lit]) -> NodeId {
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

fn of_words(formula: &Formula, system: &mut System) -> Result<Ltl<TermId>, Diagnostic> {
    let mut making = Making::default();
    replaced(formula, &mut making, |making, atom| {
        let left = named_term(system, atom, &atom.left)?;
        let Some((comparison, right)) = &atom.compared else {
            let term = left.ok_or_else(|| nothing(system, atom, &atom.left))?;
            return match system.terms.sort(term) {
                Sort::Bool => Ok(making.add(Says::Signal(term))),
                Sort::BitVec(1) => Ok(making.add(Says::Signal(system.terms.bit_to_bool(term)))),
                sort => Err(wrong(
                    atom,
                    format!("it is of sort {sort}, and no Boolean: compare it with something"),
                )),
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
        Ok(making.add(Says::Signal(term)))
    })
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
