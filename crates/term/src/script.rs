//! Terms as SMT-LIB 2 commands, one after the other: what a dialogue with a solver is written with.
//!
//! [`Script::express`] gives the text of a term and, before it, the declarations and definitions that the solver
//! has not seen yet. What occurs several times, in one term or over time, gets a name (`define-fun`) the second
//! time it is written, so that the whole dialogue is in proportion to the graph.
//!
//! Not every solver has datatypes, so an enumeration is written as an integer in its range. Division says what it
//! gives for a divisor of zero, as [`Evaluation`](crate::Evaluation) has it, where the divisor is not a constant.
//! Tried and dropped: a quotient x div c by a positive constant as a constant q of its own with `c·q ≤ x < c·q +
//! c`. Of the 32 Lustre files with quotients 28 are solved in 6 CPU s either way; k-induction on microwave27 comes
//! to k = 5 instead of 2. [`read_value`] reads what a solver says a term is worth.

use std::fmt::{self, Write};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::{Op, Smt};
use crate::sexpr::{Kind, Sexpr};
use crate::smtlib::{self, Notation, Written, symbol};
use crate::{ArrayValue, EnumValue, Node, Sort, TermId, Terms, Value, Word};

/// The dialogue with a solver so far: which terms have names, and which were written.
#[derive(Clone, Default)]
pub struct Script {
    names: FxHashMap<TermId, String>,
    taken: FxHashSet<String>,
    /// Written once, without a name.
    seen: FxHashSet<TermId>,
    /// Terms that got a name, in this order, and where scopes begin in it.
    named: Vec<TermId>,
    /// Terms that got a constant of their own for assumptions.
    literals: Vec<TermId>,
    scopes: Vec<(usize, usize)>,
}

impl Script {
    pub fn new() -> Script {
        Script::default()
    }

    /// From now on names are good until [`pop`](Self::pop).
    pub fn push(&mut self) {
        self.scopes.push((self.named.len(), self.literals.len()));
    }

    pub fn pop(&mut self) {
        let (names, literals) = self.scopes.pop().expect("a scope was pushed");
        for term in self.named.drain(names..) {
            self.taken.remove(&self.names.remove(&term).expect("it got a name"));
        }
        for term in self.literals.drain(literals..) {
            self.taken.remove(&literal_name(term));
        }
    }

    /// Whether the solver has heard of this variable.
    pub fn knows(&self, variable: TermId) -> bool {
        self.names.contains_key(&variable)
    }

    /// The text of a term; declarations and definitions that it needs are appended to `commands`, each with the
    /// end of a line.
    pub fn express(&mut self, terms: &Terms, root: TermId, commands: &mut String) -> String {
        let cone = self.new_cone(terms, root);
        let uses = uses(terms, &cone);
        for &term in &cone {
            if terms.is_variable(term) {
                self.declare(terms, term, commands);
            } else if !terms.operands(term).is_empty() {
                let often = uses.get(&term).is_some_and(|&n| n > 1);
                if !self.seen.insert(term) || often {
                    self.define(terms, term, commands);
                }
            }
        }
        let mut text = String::new();
        self.write(terms, root, &mut text);
        text
    }

    /// The symbol of a Boolean term for `check-sat-assuming`: a constant that implies it, which is all that an
    /// assumption needs, and inert where it is not assumed.
    pub fn literal(&mut self, terms: &Terms, term: TermId, commands: &mut String) -> String {
        match terms.node(term) {
            Node::Variable(_) => self.express(terms, term, commands),
            Node::Apply(Op::Not, _, &[a]) if terms.is_variable(a) => {
                let a = self.express(terms, a, commands);
                format!("(not {a})")
            }
            _ => {
                let text = self.express(terms, term, commands);
                let name = literal_name(term);
                if self.taken.insert(name.clone()) {
                    self.literals.push(term);
                    let _ = writeln!(commands, "(declare-fun {name} () Bool)\n(assert (=> {name} {text}))");
                }
                name
            }
        }
    }

    /// The terms of the cone that have no name yet, operands first.
    fn new_cone(&self, terms: &Terms, root: TermId) -> Vec<TermId> {
        let mut marked = FxHashSet::default();
        let mut cone = Vec::new();
        let mut todo = vec![root];
        while let Some(term) = todo.pop() {
            if !self.names.contains_key(&term) && marked.insert(term) {
                cone.push(term);
                todo.extend_from_slice(terms.operands(term));
            }
        }
        cone.sort_unstable();
        cone
    }

    fn declare(&mut self, terms: &Terms, variable: TermId, commands: &mut String) {
        let Node::Variable(name) = terms.node(variable) else { unreachable!("only variables are declared") };
        let name = match self.taken.contains(&symbol(name)) || name.contains('!') {
            true => format!("{name}!{}", variable.index()),
            false => name.to_string(),
        };
        let text = symbol(&name);
        let sort = terms.sort(variable);
        let _ = writeln!(commands, "(declare-fun {text} () {})", sort_text(sort));
        if let Sort::Enum(e) = sort {
            let _ = writeln!(commands, "(assert (and (<= 0 {text}) (< {text} {})))", e.constants.len());
        }
        self.name(variable, text);
    }

    fn define(&mut self, terms: &Terms, term: TermId, commands: &mut String) {
        let mut text = String::new();
        self.write(terms, term, &mut text);
        let name = format!("t!{}", term.index());
        let _ = writeln!(commands, "(define-fun {name} () {} {text})", sort_text(terms.sort(term)));
        self.name(term, name);
    }

    fn name(&mut self, term: TermId, name: String) {
        self.taken.insert(name.clone());
        self.names.insert(term, name);
        self.named.push(term);
    }

    fn write(&self, terms: &Terms, root: TermId, text: &mut String) {
        smtlib::write_term(terms, root, &Named { terms, names: &self.names }, text);
    }
}

/// Terms by the names that the solver was told; enumerations are numbers.
struct Named<'a> {
    terms: &'a Terms,
    names: &'a FxHashMap<TermId, String>,
}

impl Notation for Named<'_> {
    fn leaf(&self, term: TermId) -> Option<String> {
        self.names.get(&term).cloned().or_else(|| self.terms.as_constant(term).map(value_text))
    }

    fn special(&self, op: Op, operands: &[TermId]) -> Option<Written> {
        special(self.terms, op, operands)
    }

    fn sort(&self, sort: &Sort) -> String {
        sort_text(sort)
    }
}

fn literal_name(term: TermId) -> String {
    format!("a!{}", term.index())
}

/// How often each term of a cone is used in it; twice by a text that repeats its operands.
fn uses(terms: &Terms, cone: &[TermId]) -> FxHashMap<TermId, usize> {
    let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
    for &term in cone {
        let repeats = match terms.node(term) {
            Node::Apply(op, _, operands) if special(terms, op, operands).is_some() => 2,
            _ => 1,
        };
        terms.operands(term).iter().for_each(|&t| *uses.entry(t).or_default() += repeats);
    }
    uses
}

/// Applications whose text repeats operands: what SMT-LIB lacks, and division by what may be zero.
fn special(terms: &Terms, op: Op, operands: &[TermId]) -> Option<Written> {
    let divides = |by_zero: Written| {
        let divisor = terms.as_constant(operands[1]);
        divisor.is_none_or(|d| *d == Value::zero(&d.sort())).then_some(by_zero)
    };
    match (op, op.row().smt) {
        (Op::IntDiv, _) => divides(|_, a| format!("(ite (= {1} 0) 0 (div {0} {1}))", a[0], a[1])),
        (Op::IntMod, _) => divides(|_, a| format!("(ite (= {1} 0) {0} (mod {0} {1}))", a[0], a[1])),
        (Op::RealDiv, _) => divides(|_, a| format!("(ite (= {1} 0.0) 0.0 (/ {0} {1}))", a[0], a[1])),
        (_, Smt::Written(written)) => Some(written),
        _ => None,
    }
}

/// The sort that stands for this one.
pub fn sort_text(sort: &Sort) -> String {
    match sort {
        Sort::Enum(_) => "Int".to_string(),
        Sort::Array(array) => format!("(Array {} {})", sort_text(&array.index), sort_text(&array.element)),
        plain => smtlib::sort(plain),
    }
}

/// A value as [`read_value`] reads it.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Enum(e) => e.index.to_string(),
        Value::Array(array) => {
            let sort = sort_text(&value.sort());
            let constant = format!("((as const {sort}) {})", value_text(array.default()));
            let store = |a: String, (i, v)| format!("(store {a} {} {})", value_text(i), value_text(v));
            array.entries().iter().fold(constant, store)
        }
        plain => smtlib::value(plain),
    }
}

/// Why a solver's value is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadValue {
    /// Not a rational number.
    Irrational(String),
    /// Nothing that this reader knows, or of another sort.
    Unreadable(String),
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadValue::Irrational(text) => write!(f, "an irrational value, {text}"),
            BadValue::Unreadable(text) => write!(f, "a value that cannot be read, {text}"),
        }
    }
}

/// The value of this sort that a solver wrote, perhaps with `let` for what occurs often.
pub fn read_value(text: &Sexpr, sort: &Sort) -> Result<Value, BadValue> {
    match written_out(text, &FxHashMap::default()) {
        Some(text) => read_plain(&text, sort),
        None => Err(BadValue::Unreadable(text.to_string())),
    }
}

/// Without `let`.
fn written_out(text: &Sexpr, bound: &FxHashMap<&str, Sexpr>) -> Option<Sexpr> {
    let kind = match (&text.kind, text.call()) {
        (_, Some(("let", [bindings, body]))) => {
            let mut inner: FxHashMap<&str, Sexpr> = bound.clone();
            for binding in bindings.list()? {
                let [name, value] = binding.list()? else { return None };
                inner.insert(name.atom()?, written_out(value, bound)?);
            }
            return written_out(body, &inner);
        }
        (Kind::Atom(name), _) => return Some(bound.get(name.as_str()).unwrap_or(text).clone()),
        (Kind::List(items), _) => {
            Kind::List(items.iter().map(|item| written_out(item, bound)).collect::<Option<_>>()?)
        }
        (Kind::Text(_), _) => return None,
    };
    Some(Sexpr { offset: text.offset, kind })
}

fn read_plain(text: &Sexpr, sort: &Sort) -> Result<Value, BadValue> {
    let unreadable = || BadValue::Unreadable(text.to_string());
    match sort {
        Sort::Bool => match text.atom() {
            Some("true") => Ok(Value::Bool(true)),
            Some("false") => Ok(Value::Bool(false)),
            _ => Err(unreadable()),
        },
        Sort::BitVec(width) => read_word(text, *width).map(Value::Word).ok_or_else(unreadable),
        Sort::Int => {
            let n = read_rational(text)?;
            if n.denom().is_one() { Ok(Value::Int(n.to_integer())) } else { Err(unreadable()) }
        }
        Sort::Real => Ok(Value::Real(read_rational(text)?)),
        Sort::Enum(e) => {
            let n = read_rational(text)?;
            let index = u32::try_from(n.to_integer()).ok();
            let index = index.filter(|&i| (i as usize) < e.constants.len() && n.denom().is_one());
            let index = index.ok_or_else(unreadable)?;
            Ok(Value::Enum(EnumValue { sort: Arc::clone(e), index }))
        }
        Sort::Array(array) => {
            let mut stores = Vec::new();
            let mut rest = text;
            while let Some(("store", [inner, index, element])) = rest.call() {
                stores.push((index, element));
                rest = inner;
            }
            let default = match rest.list() {
                Some([head, default])
                    if head.list().is_some_and(|h| h.get(1).is_some_and(|c| c.is("const"))) =>
                {
                    default
                }
                _ => return Err(unreadable()),
            };
            let mut value = ArrayValue::constant(array.index.clone(), read_plain(default, &array.element)?);
            for (index, element) in stores.into_iter().rev() {
                value.set(read_plain(index, &array.index)?, read_plain(element, &array.element)?);
            }
            Ok(Value::array(value))
        }
    }
}

fn read_word(text: &Sexpr, width: u32) -> Option<Word> {
    let (digits, radix) = match text.atom() {
        Some(atom) => match atom.split_at_checked(2)? {
            ("#b", digits) => (digits, 2),
            ("#x", digits) => (digits, 16),
            _ => return None,
        },
        None => match text.call()? {
            ("_", [number, _]) => (number.atom()?.strip_prefix("bv")?, 10),
            _ => return None,
        },
    };
    Some(Word::from_int(&BigInt::parse_bytes(digits.as_bytes(), radix)?, width))
}

/// A number; negation, quotient, decimals and `a/b` are understood.
fn read_rational(text: &Sexpr) -> Result<BigRational, BadValue> {
    let unreadable = || BadValue::Unreadable(text.to_string());
    match (text.atom(), text.call()) {
        (Some(atom), _) => read_decimal(atom).ok_or_else(|| match atom.ends_with('?') {
            true => BadValue::Irrational(text.to_string()),
            false => unreadable(),
        }),
        (_, Some(("-", [a]))) => Ok(-read_rational(a)?),
        (_, Some(("/", [a, b]))) => {
            let (a, b) = (read_rational(a)?, read_rational(b)?);
            if b.is_zero() { Err(unreadable()) } else { Ok(a / b) }
        }
        (_, Some(("to_real", [a]))) => read_rational(a),
        (_, Some(("root-obj" | "root-of-with-interval" | "_", _))) => {
            Err(BadValue::Irrational(text.to_string()))
        }
        _ => Err(unreadable()),
    }
}

fn read_decimal(atom: &str) -> Option<BigRational> {
    if let Some((a, b)) = atom.split_once('/') {
        let (a, b): (BigInt, BigInt) = (a.parse().ok()?, b.parse().ok()?);
        return (!b.is_zero()).then(|| BigRational::new(a, b));
    }
    match atom.split_once('.') {
        None => Some(BigRational::from(atom.parse::<BigInt>().ok()?)),
        Some((whole, fraction)) => {
            let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
            let scale = BigInt::from(10).pow(u32::try_from(fraction.len()).ok()?);
            Some(BigRational::new(digits, scale))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr;

    fn value(text: &str, sort: &Sort) -> Result<Value, BadValue> {
        read_value(&sexpr::read(&format!("{text} "), 0).unwrap().0, sort)
    }

    #[test]
    fn what_occurs_again_gets_a_name() {
        let mut terms = Terms::new();
        let x = terms.variable("x", Sort::Int);
        let one = terms.int(1);
        let sum = terms.app(Op::Add, &[x, one]);
        let (small, large) = (terms.app(Op::Lt, &[sum, x]), terms.app(Op::Gt, &[sum, x]));
        let (mut script, mut commands) = (Script::new(), String::new());
        assert_eq!(script.express(&terms, small, &mut commands), "(< (+ x 1) x)");
        assert_eq!(commands, "(declare-fun x () Int)\n");
        commands.clear();
        assert_eq!(script.express(&terms, large, &mut commands), format!("(> t!{} x)", sum.index()));
        assert_eq!(commands, format!("(define-fun t!{} () Int (+ x 1))\n", sum.index()));
    }

    #[test]
    fn names_end_with_their_scope() {
        let mut terms = Terms::new();
        let x = terms.variable("x", Sort::Int);
        let (mut script, mut commands) = (Script::new(), String::new());
        script.push();
        script.express(&terms, x, &mut commands);
        script.pop();
        script.express(&terms, x, &mut commands);
        assert_eq!(commands.matches("declare-fun").count(), 2);
    }

    #[test]
    fn values_of_every_solver() {
        let third = Value::Real(BigRational::new(BigInt::from(-1), BigInt::from(3)));
        for text in ["(- (/ 1.0 3.0))", "(/ (- 1) 3)", "-1/3"] {
            assert_eq!(value(text, &Sort::Real).unwrap(), third, "{text}");
        }
        assert_eq!(value("(- 7)", &Sort::Int).unwrap(), Value::Int(BigInt::from(-7)));
        for text in ["#b1010", "#xa", "(_ bv10 4)"] {
            assert_eq!(value(text, &Sort::BitVec(4)).unwrap(), Word::from_u64(10, 4).into(), "{text}");
        }
        let memory = Sort::array(Sort::BitVec(2), Sort::BitVec(4));
        let text = "(store ((as const (Array (_ BitVec 2) (_ BitVec 4))) #x0) #b01 #xf)";
        let Value::Array(array) = value(text, &memory).unwrap() else { panic!("an array") };
        assert_eq!(array.get(&Word::from_u64(1, 2).into()), &Word::from_u64(15, 4).into());
        let shared =
            "(let ((a #xf)) (let ((b (store ((as const (Array (_ BitVec 2) (_ BitVec 4))) #x0) #b01 a))) b))";
        assert_eq!(value(shared, &memory), Ok(Value::Array(array)));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let irrational = value("(root-obj (+ (^ x 2) (- 2)) 2)", &Sort::Real);
        assert!(matches!(irrational, Err(BadValue::Irrational(_))));
        assert!(matches!(value("1.4142135?", &Sort::Real), Err(BadValue::Irrational(_))));
        for text in ["maybe", "(/ 1 0)", "1.5", "(foo)"] {
            assert!(matches!(value(text, &Sort::Int), Err(BadValue::Unreadable(_))), "{text}");
        }
    }
}
