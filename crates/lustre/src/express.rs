//! Terms over the states of a model, as Lustre writes them: invariants of proofs in the user's names.
//!
//! The state of a `pre` is what the text says there (`pre level`), with the path of its instance before the names
//! of variables. `first~ | e` is `true -> e`, and so is whatever reads a `pre`, whose value in the first step
//! means nothing. Bits of integers with bounds, which the SAT engines speak of, are comparisons where they are the
//! high bits, and `div` and `mod` otherwise. What has no form in Lustre is written as in SMT-LIB.

use std::cell::Cell;

use buttress_system::words::System;
use buttress_term::infix::{MORE, MOST, size};
use buttress_term::smtlib::Smtlib;
use buttress_term::{Node, Op, TermId, Terms, Value, Word};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::LustreModel;
use crate::lexer::{Tok, lex};
use crate::source::Findings;
use crate::table::show;

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Arrow,
    Implies,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Unary,
    Atom,
}

/// An expression, and how it may be put into others.
struct Text(String, Binds);

/// Writes terms of one model.
pub struct Express<'a> {
    terms: &'a Terms,
    /// How many parts the text at hand may have still: see [`infix`](buttress_term::infix).
    left: Cell<usize>,
    /// The expressions that the states of `pre` are shown as.
    spoken: FxHashMap<&'a str, String>,
}

const FIRST: &str = "first~";

impl<'a> Express<'a> {
    /// For terms that extend those of this system, made of this model.
    pub fn new(model: &LustreModel, system: &'a System, terms: &'a Terms) -> Express<'a> {
        let variables: FxHashSet<&str> =
            model.program.units.iter().flat_map(|unit| &unit.vars).map(|var| &*var.name.name).collect();
        let spoken = system.states.iter().filter_map(|state| {
            let span = state.label.span?;
            let from = model.source.offset(span.line, span.column);
            let to = model.source.offset(span.end_line, span.end_column);
            let text = model.source.text().get(from..to)?;
            Some((&*state.label.name, before(&state.label.name, text, &variables)?))
        });
        Express { terms, left: Cell::new(0), spoken: spoken.collect() }
    }

    /// A conjunct of an invariant, for people: of a large one a part.
    pub fn claim(&self, term: TermId) -> String {
        self.left.set(MOST);
        let disjuncts = match self.terms.node(term) {
            Node::Apply(Op::Or, _, disjuncts) => disjuncts.to_vec(),
            _ => vec![term],
        };
        let later: Vec<TermId> = disjuncts.iter().copied().filter(|&d| !self.is_first(d)).collect();
        let body = self.disjunction(&later);
        let reads_before =
            self.terms.free_variables(later.iter().copied()).iter().any(|&v| self.state(v).is_some());
        match later.len() < disjuncts.len() || reads_before {
            true => format!("true -> {}", within(body, Binds::Implies)),
            false => body.0,
        }
    }

    /// Conditions that hold together, but for the one of `->`, which nobody wrote.
    pub fn condition(&self, conditions: &[TermId]) -> String {
        self.left.set(MOST);
        let about_first = |&t: &TermId| match self.terms.node(t) {
            Node::Apply(Op::Not, _, &[a]) => self.is_first(a),
            _ => self.is_first(t),
        };
        let written: Vec<TermId> = conditions.iter().copied().filter(|t| !about_first(t)).collect();
        match written[..] {
            [one] => self.text(one).0,
            _ => self.joined(&written, "and", Binds::And).0,
        }
    }

    fn is_first(&self, term: TermId) -> bool {
        matches!(self.terms.node(term), Node::Variable(FIRST))
    }

    fn state(&self, term: TermId) -> Option<&String> {
        match self.terms.node(term) {
            Node::Variable(name) => self.spoken.get(name),
            _ => None,
        }
    }

    fn disjunction(&self, parts: &[TermId]) -> Text {
        match parts {
            [] => Text("false".into(), Binds::Atom),
            [one] => self.text(*one),
            _ => self.joined(parts, "or", Binds::Or),
        }
    }

    fn joined(&self, parts: &[TermId], by: &str, binds: Binds) -> Text {
        let mut texts = Vec::new();
        for &part in parts {
            let more = self.left.get() > 0;
            texts.push(within(self.text(part), binds));
            if !more {
                break;
            }
        }
        Text(texts.join(&format!(" {by} ")), binds)
    }

    fn text(&self, term: TermId) -> Text {
        let Some(left) = self.left.get().checked_sub(1) else { return Text(MORE.into(), Binds::Atom) };
        self.left.set(left);
        match self.terms.node(term) {
            Node::Variable(FIRST) => Text("true -> false".into(), Binds::Arrow),
            Node::Variable(name) => match self.spoken.get(name) {
                Some(spoken) => Text(spoken.clone(), Binds::Unary),
                None => Text(name.to_string(), Binds::Atom),
            },
            Node::Constant(value) => constant(value),
            Node::Apply(op, indices, operands) => {
                self.applied(op, operands).unwrap_or_else(|| match (op, operands) {
                    (Op::IntToBv, [a]) => self.text(*a),
                    (Op::BvExtract, [a]) => self.bits(*a, indices),
                    _ => self.smtlib(term),
                })
            }
        }
    }

    fn smtlib(&self, term: TermId) -> Text {
        let Some(size) = size(self.terms, term, self.left.get()) else {
            return Text(MORE.into(), Binds::Atom);
        };
        self.left.set(self.left.get() - size);
        Text(Smtlib::new(self.terms).term(term), Binds::Atom)
    }

    fn applied(&self, op: Op, operands: &[TermId]) -> Option<Text> {
        let binary = |sign: &str, binds: Binds| Some(self.joined(operands, sign, binds));
        match (op, operands) {
            (Op::And, _) => binary("and", Binds::And),
            (Op::Or, _) => binary("or", Binds::Or),
            (Op::Xor, _) => binary("xor", Binds::Or),
            (Op::Implies, &[a, b]) => {
                let (a, b) = (within(self.text(a), Binds::Or), within(self.text(b), Binds::Implies));
                Some(Text(format!("{a} => {b}"), Binds::Implies))
            }
            (Op::Not, &[a]) => Some(self.negated(a)),
            (Op::Eq, &[a, b]) => Some(self.equal(a, b, true)),
            (Op::Distinct, &[a, b]) => Some(self.equal(a, b, false)),
            (Op::Add | Op::BvAdd, _) => binary("+", Binds::Sum),
            (Op::Sub | Op::BvSub, &[a, b]) => {
                let (a, b) = (within(self.text(a), Binds::Sum), within(self.text(b), Binds::Product));
                Some(Text(format!("{a} - {b}"), Binds::Sum))
            }
            (Op::Mul | Op::BvMul, _) => binary("*", Binds::Product),
            (Op::IntDiv | Op::IntMod | Op::RealDiv, &[a, b]) => {
                let sign = match op {
                    Op::IntDiv => "div",
                    Op::IntMod => "mod",
                    _ => "/",
                };
                let (a, b) = (within(self.text(a), Binds::Product), within(self.text(b), Binds::Unary));
                Some(Text(format!("{a} {sign} {b}"), Binds::Product))
            }
            (Op::Neg | Op::BvNeg, &[a]) => {
                Some(Text(format!("-{}", within(self.text(a), Binds::Unary)), Binds::Unary))
            }
            (Op::Ite, &[c, a, b]) => {
                let [c, a, b] = [c, a, b].map(|t| self.text(t).0);
                Some(Text(format!("if {c} then {a} else {b}"), Binds::Arrow))
            }
            (Op::ToReal, &[a]) => Some(Text(format!("real({})", self.text(a).0), Binds::Atom)),
            (Op::ToInt, &[a]) => Some(Text(format!("floor({})", self.text(a).0), Binds::Atom)),
            (_, &[a, b]) => Some(self.compared(sign(op)?, a, b)),
            _ => None,
        }
    }

    fn compared(&self, sign: &str, a: TermId, b: TermId) -> Text {
        let (a, b) = (within(self.text(a), Binds::Sum), within(self.text(b), Binds::Sum));
        Text(format!("{a} {sign} {b}"), Binds::Compare)
    }

    /// Not (a < b) is a >= b, and so on.
    fn negated(&self, a: TermId) -> Text {
        match self.terms.node(a) {
            Node::Apply(Op::Eq, _, &[x, y]) => self.equal(x, y, false),
            Node::Apply(Op::Not, _, &[b]) => self.text(b),
            Node::Apply(op, _, &[x, y]) if sign(op).is_some() => {
                let opposite = match sign(op).expect("a comparison") {
                    "<" => ">=",
                    "<=" => ">",
                    ">" => "<=",
                    _ => "<",
                };
                self.compared(opposite, x, y)
            }
            _ => Text(format!("not {}", within(self.text(a), Binds::Unary)), Binds::Unary),
        }
    }

    fn equal(&self, a: TermId, b: TermId, holds: bool) -> Text {
        match (self.bits_of_integer(a), self.terms.as_constant(b)) {
            (Some((x, width, high, low)), Some(Value::Word(word))) => {
                self.some_bits(x, width, high, low, word, holds)
            }
            _ => self.compared(if holds { "=" } else { "<>" }, a, b),
        }
    }

    /// Bits `high` to `low` of an integer in so many bits.
    fn bits_of_integer(&self, term: TermId) -> Option<(TermId, u32, u32, u32)> {
        let word = |term: TermId| match self.terms.node(term) {
            Node::Apply(Op::IntToBv, [width, _], &[x]) => Some((x, width)),
            _ => None,
        };
        match self.terms.node(term) {
            Node::Apply(Op::BvExtract, [high, low], &[inner]) => {
                word(inner).map(|(x, width)| (x, width, high, low))
            }
            _ => word(term).map(|(x, width)| (x, width, width - 1, 0)),
        }
    }

    /// That they are this word, or not. The highest bits of x are its sign and size: v·2^low ≤ x < (v+1)·2^low.
    fn some_bits(&self, x: TermId, width: u32, high: u32, low: u32, word: &Word, holds: bool) -> Text {
        let x = self.text(x);
        let scale = BigInt::one() << low;
        if high + 1 < width {
            let part = if low == 0 {
                within(x, Binds::Product)
            } else {
                format!("{} div {scale}", within(x, Binds::Product))
            };
            let size = BigInt::one() << (high - low + 1);
            let sign = if holds { "=" } else { "<>" };
            return Text(format!("{part} mod {size} {sign} {}", word.to_int()), Binds::Compare);
        }
        let x = within(x, Binds::Sum);
        let half = BigInt::one() << (width - 1);
        let least = word.to_signed() * &scale;
        let most = &least + &scale - 1u8;
        match (least == -&half, most == &half - 1u8, least == most) {
            (_, _, true) => Text(format!("{x} {} {least}", if holds { "=" } else { "<>" }), Binds::Compare),
            (true, _, _) => Text(format!("{x} {} {most}", if holds { "<=" } else { ">" }), Binds::Compare),
            (_, true, _) => Text(format!("{x} {} {least}", if holds { ">=" } else { "<" }), Binds::Compare),
            _ if holds => Text(format!("{x} >= {least} and {x} <= {most}"), Binds::And),
            _ => Text(format!("{x} < {least} or {x} > {most}"), Binds::Or),
        }
    }

    /// Bits of a machine integer; Lustre has no words for them.
    fn bits(&self, a: TermId, [high, low]: [u32; 2]) -> Text {
        let a = within(self.text(a), Binds::Atom);
        Text(format!("{a}[{high}:{low}]"), Binds::Atom)
    }
}

fn sign(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Lt | Op::BvUlt | Op::BvSlt => "<",
        Op::Le | Op::BvUle | Op::BvSle => "<=",
        Op::Gt | Op::BvUgt | Op::BvSgt => ">",
        Op::Ge | Op::BvUge | Op::BvSge => ">=",
        _ => return None,
    })
}

/// In parentheses where it binds less tightly.
fn within(Text(text, binds): Text, least: Binds) -> String {
    if binds < least { format!("({text})") } else { text }
}

fn constant(value: &Value) -> Text {
    match value {
        Value::Real(real) => decimal(real),
        Value::Int(n) if n.is_negative() => Text(n.to_string(), Binds::Unary),
        other => Text(show(other), Binds::Atom),
    }
}

/// Lustre has no fractions, but it divides.
fn decimal(real: &BigRational) -> Text {
    let binds = if real.is_negative() { Binds::Unary } else { Binds::Atom };
    match real.is_integer() {
        true => Text(format!("{}.0", real.numer()), binds),
        false => Text(format!("{}.0 / {}.0", real.numer(), real.denom()), Binds::Product),
    }
}

/// `pre e` as the text has it, with the path before names; `None` where the state is not that of a `pre`.
fn before(name: &str, text: &str, variables: &FxHashSet<&str>) -> Option<String> {
    let at = name.rfind("pre@")?;
    let (path, place) = name.split_at(at);
    let suffix =
        place.trim_start_matches("pre@").trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    let tokens = lex(text, &mut Findings::default());
    if tokens.first()?.tok != Tok::Pre {
        return None;
    }
    let mut spoken = String::new();
    let mut end = 0;
    for (number, token) in tokens.iter().enumerate().take_while(|(_, token)| token.tok != Tok::End) {
        let word = &text[token.span.start as usize..token.span.end as usize];
        if number > 0 && token.span.start > end {
            spoken.push(' ');
        }
        let field = number > 0 && tokens[number - 1].tok == Tok::Dot;
        if token.tok == Tok::Ident && !field && variables.contains(word) {
            spoken.push_str(path);
        }
        spoken.push_str(word);
        end = token.span.end;
    }
    Some(if suffix.is_empty() { spoken } else { format!("({spoken}){suffix}") })
}

#[cfg(test)]
mod tests {
    use buttress_term::Sort;

    use super::*;

    fn written(text: &str, make: impl Fn(&System, &mut Terms) -> TermId) -> String {
        let model = crate::read(text.to_string()).map_err(|d| d[0].render("m")).unwrap();
        let system = crate::lower(&model).map_err(|d| d[0].render("m")).unwrap().system;
        let mut terms = system.terms.clone();
        let term = make(&system, &mut terms);
        Express::new(&model, &system, &terms).claim(term)
    }

    const MODEL: &str = "node lift(up: bool) returns (at: subrange [0, 9] of int; ok: bool);
let at = 0 -> if up then pre at + 1 else pre\n  at; ok = true -> not pre ok; --%PROPERTY ok;\ntel
node main(up: bool) returns (at: int); let at, _ = lift(up); tel";

    /// The state of the first `pre` with this many bits, or the integer itself.
    fn at(system: &System) -> TermId {
        let state = system.states.iter().find(|s| *system.terms.sort(s.variable) == Sort::Int);
        state.expect("there is one").variable
    }

    #[test]
    fn invariants_read_as_lustre() {
        let text = MODEL.replace("let at, _ = lift(up);", "var ok: bool; let at, ok = lift(up);");
        let word = |system: &System, terms: &mut Terms| {
            terms.apply_indexed(Op::IntToBv, [5, 0], &[at(system)]).unwrap()
        };
        let bits = |high: u32, low: u32, value: u64, holds: bool| {
            written(&text, |system, terms| {
                let word = word(system, terms);
                let part = terms.extract(word, high, low);
                let value = terms.word(value, high - low + 1);
                let equal = terms.eq(part, value);
                if holds { equal } else { terms.not(equal) }
            })
        };
        assert_eq!(bits(4, 4, 1, true), "true -> pre lift~0.at <= -1");
        assert_eq!(bits(4, 3, 0, false), "true -> pre lift~0.at < 0 or pre lift~0.at > 7");
        assert_eq!(bits(4, 0, 30, true), "true -> pre lift~0.at = -2");
        assert_eq!(bits(2, 1, 3, true), "true -> pre lift~0.at div 2 mod 4 = 3");
        assert_eq!(bits(0, 0, 1, false), "true -> pre lift~0.at mod 2 <> 1");
        let sum = written(&text, |system, terms| {
            let (x, two) = (at(system), terms.int(2));
            let first = system.states.iter().find(|s| &*s.label.name == FIRST).unwrap().variable;
            let sum = terms.app(Op::Add, &[x, two]);
            let product = terms.app(Op::Mul, &[sum, two]);
            let least = terms.int(-1);
            let low = terms.app(Op::Le, &[product, least]);
            let high = terms.not(low);
            terms.or(first, high)
        });
        assert_eq!(sum, "true -> (pre lift~0.at + 2) * 2 > -1");
    }

    /// A graph whose tree has more than 2^60 parts is written in part.
    #[test]
    fn what_is_shared_does_not_explode() {
        let text = "node main(x: int) returns (y: int); let y = 0 -> pre x; tel";
        let tower = |system: &System, terms: &mut Terms| {
            let (mut sum, one) = (at(system), terms.int(1));
            for _ in 0..60 {
                let more = terms.app(Op::Add, &[sum, one]);
                sum = terms.app(Op::Mul, &[sum, more]);
            }
            terms.app(Op::Lt, &[sum, one])
        };
        let said = written(text, tower);
        assert!(said.starts_with("true -> ") && said.contains(MORE) && said.len() < 20_000, "{said}");
        let model = crate::read(text.to_string()).map_err(|d| d[0].render("m")).unwrap();
        let system = crate::lower(&model).map_err(|d| d[0].render("m")).unwrap().system;
        let mut terms = system.terms.clone();
        let term = tower(&system, &mut terms);
        let said = crate::write::Writer::new(&system, &terms).formula(term);
        assert!(said.text.contains(MORE) && !said.plain && said.text.len() < 20_000);
    }

    #[test]
    fn rationals_are_divisions() {
        let text = "node main(x: real) returns (y: real); let y = 0.5 -> pre x; --%PROPERTY y < 1.0; tel";
        let text = text.replace("--%PROPERTY y < 1.0;", "");
        let third = written(&text, |system, terms| {
            let third = terms.constant(Value::Real(BigRational::new(1.into(), 3.into())));
            let x = system.states.iter().find(|s| *system.terms.sort(s.variable) == Sort::Real).unwrap();
            terms.app(Op::Lt, &[x.variable, third])
        });
        assert_eq!(third, "true -> pre x < 1.0 / 3.0");
    }
}
