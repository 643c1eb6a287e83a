//! Terms as SMT-LIB 2 text.
//!
//! [`Smtlib::term`] writes one term, with `let` for what occurs several times, so a graph prints in proportion
//! to its size. [`Smtlib::declarations`] writes the sorts and variables that some terms need. Variables keep
//! their names; where two share one, the later gets its number behind it.

use std::fmt::Write;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::{Indices, Op, Smt};
use crate::{Node, Sort, TermId, Terms, Value};

/// Writes the terms of a store.
pub struct Smtlib<'a> {
    terms: &'a Terms,
    names: FxHashMap<TermId, String>,
}

/// A symbol, quoted where it must be.
pub fn symbol(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let simple = name.chars().all(plain) && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    let reserved = ["let", "forall", "exists", "par", "as", "_", "!", "match", "true", "false"];
    match simple && !reserved.contains(&name) && Op::all().all(|op| !is_named(op, name)) {
        true => name.to_string(),
        false => format!("|{}|", name.replace(['|', '\\'], "?")),
    }
}

fn is_named(op: Op, name: &str) -> bool {
    matches!(op.row().smt, Smt::Name(n) | Smt::Indexed(n, _) if n == name)
}

/// A value, as a closed term.
pub fn value(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Word(word) => format!("#b{}", word.binary()),
        Value::Int(n) => integer(n),
        Value::Real(q) => real(q),
        Value::Enum(e) => symbol(&e.sort.constants[e.index as usize]),
        Value::Array(array) => {
            let sort = sort(&Sort::array(array.index_sort().clone(), array.default().sort()));
            let constant = format!("((as const {sort}) {})", self::value(array.default()));
            let store = |a: String, (i, v)| format!("(store {a} {} {})", self::value(i), self::value(v));
            array.entries().iter().fold(constant, store)
        }
    }
}

fn integer(n: &BigInt) -> String {
    if n.is_negative() { format!("(- {})", n.magnitude()) } else { n.to_string() }
}

fn real(q: &BigRational) -> String {
    let magnitude = match q.denom().is_one() {
        true => format!("{}.0", q.numer().magnitude()),
        false => format!("(/ {}.0 {}.0)", q.numer().magnitude(), q.denom()),
    };
    if q.is_negative() { format!("(- {magnitude})") } else { magnitude }
}

pub fn sort(sort: &Sort) -> String {
    match sort {
        Sort::Enum(e) => symbol(&e.name),
        Sort::Array(array) => format!("(Array {} {})", self::sort(&array.index), self::sort(&array.element)),
        plain => plain.to_string(),
    }
}

impl<'a> Smtlib<'a> {
    /// Names all variables of the store.
    pub fn new(terms: &'a Terms) -> Smtlib<'a> {
        let mut names = FxHashMap::default();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        for term in terms.ids() {
            if let Node::Variable(name) = terms.node(term) {
                let unique = match taken.contains(name) {
                    false => name.to_string(),
                    true => format!("{name}!{}", term.index()),
                };
                taken.insert(unique.clone());
                names.insert(term, symbol(&unique));
            }
        }
        Smtlib { terms, names }
    }

    /// With these names for the variables, each of which must be there, and no two alike.
    pub fn with_names(terms: &'a Terms, names: impl IntoIterator<Item = (TermId, String)>) -> Smtlib<'a> {
        let names = names.into_iter().map(|(variable, name)| (variable, symbol(&name))).collect();
        Smtlib { terms, names }
    }

    /// The symbol of a variable.
    pub fn name(&self, variable: TermId) -> &str {
        &self.names[&variable]
    }

    /// `declare-datatypes` for the enumerations and `declare-const` for the variables that these terms read.
    pub fn declarations(&self, roots: impl IntoIterator<Item = TermId>) -> String {
        let cone = self.terms.cone(roots);
        let mut text = String::new();
        let mut seen = FxHashSet::default();
        cone.iter().for_each(|&t| declare_sort(self.terms.sort(t), &mut seen, &mut text));
        let bound: FxHashSet<TermId> = cone.iter().filter_map(|&t| bound_by(self.terms, t)).collect();
        let free = |t: &&TermId| self.terms.is_variable(**t) && !bound.contains(*t);
        for &variable in cone.iter().filter(free) {
            let sort = sort(self.terms.sort(variable));
            text.push_str(&format!("(declare-const {} {sort})\n", self.name(variable)));
        }
        text
    }

    /// One term, as a single line.
    pub fn term(&self, root: TermId) -> String {
        let shared = self.shared(root);
        let mut text = String::new();
        for &term in &shared {
            write!(text, "(let ((t!{} ", term.index()).expect("a string takes all");
            self.write(term, &shared, &mut text);
            text.push_str(")) ");
        }
        if shared.binary_search(&root).is_ok() {
            write!(text, "t!{}", root.index()).expect("a string takes all");
        } else {
            self.write(root, &shared, &mut text);
        }
        text.push_str(&")".repeat(shared.len()));
        text
    }

    /// Terms that get a `let`: applications that occur several times, or in a text that repeats its operands.
    fn shared(&self, root: TermId) -> Vec<TermId> {
        let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
        let cone = self.terms.cone([root]);
        for &term in &cone {
            let repeats = match self.terms.node(term) {
                Node::Apply(op, ..) if matches!(op.row().smt, Smt::Written(_)) => 2,
                _ => 1,
            };
            self.terms.operands(term).iter().for_each(|&t| *uses.entry(t).or_default() += repeats);
        }
        // What reads a bound variable stays below its lambda.
        let bound: FxHashSet<TermId> = cone.iter().filter_map(|&t| bound_by(self.terms, t)).collect();
        let mut open: FxHashSet<TermId> = bound.clone();
        if !bound.is_empty() {
            for &term in &cone {
                if self.terms.operands(term).iter().any(|t| open.contains(t)) {
                    open.insert(term);
                }
            }
        }
        let is_application = |t: &TermId| !self.terms.operands(*t).is_empty() && !open.contains(t);
        cone.into_iter().filter(|t| is_application(t) && uses.get(t).is_some_and(|&n| n > 1)).collect()
    }

    /// Writes a term, with the names of the shared ones below it.
    fn write(&self, root: TermId, shared: &[TermId], text: &mut String) {
        write_term(self.terms, root, &Shared { text: self, root, shared }, text);
    }
}

/// The text of an application that is written out: by the width of its first operand, if that is a word, and its
/// operands.
pub(crate) type Written = fn(u32, &[&str]) -> String;

/// How [`write_term`] writes what is not the same everywhere.
pub(crate) trait Notation {
    /// The text of a constant, or of another term that has a name.
    fn leaf(&self, term: TermId) -> Option<String>;
    /// Applications that are written out; their operands must be leaves.
    fn special(&self, op: Op, operands: &[TermId]) -> Option<Written>;
    fn sort(&self, sort: &Sort) -> String;
}

/// Names for the variables and, below the root, for the terms that have a `let`.
struct Shared<'a> {
    text: &'a Smtlib<'a>,
    root: TermId,
    shared: &'a [TermId],
}

impl Shared<'_> {
    fn is_named(&self, term: TermId) -> bool {
        term != self.root && self.shared.binary_search(&term).is_ok()
    }
}

impl Notation for Shared<'_> {
    fn leaf(&self, term: TermId) -> Option<String> {
        match self.text.terms.node(term) {
            Node::Variable(_) => Some(self.text.name(term).to_string()),
            Node::Constant(constant) => Some(value(constant)),
            Node::Apply(Op::Lambda, _, operands) if !self.is_named(term) => {
                // What its body shares has its `let` below the name that it binds.
                let (name, bound) = (self.text.name(operands[0]), sort(self.text.terms.sort(operands[0])));
                Some(format!("(lambda (({name} {bound})) {})", self.text.term(operands[1])))
            }
            Node::Apply(..) => self.is_named(term).then(|| format!("t!{}", term.index())),
        }
    }

    fn special(&self, op: Op, _: &[TermId]) -> Option<Written> {
        match op.row().smt {
            Smt::Written(written) => Some(written),
            _ => None,
        }
    }

    fn sort(&self, of: &Sort) -> String {
        sort(of)
    }
}

/// Writes a term. Iterative: a stack of what is still to come.
pub(crate) fn write_term(terms: &Terms, root: TermId, notation: &dyn Notation, text: &mut String) {
    enum Piece {
        Term(TermId),
        Close,
    }
    let mut stack = vec![Piece::Term(root)];
    while let Some(piece) = stack.pop() {
        let Piece::Term(term) = piece else {
            text.push(')');
            continue;
        };
        if text.ends_with(|c: char| c != '(' && c != ' ') {
            text.push(' ');
        }
        if let Some(leaf) = notation.leaf(term) {
            text.push_str(&leaf);
            continue;
        }
        let Node::Apply(op, indices, operands) = terms.node(term) else {
            unreachable!("variables and constants are leaves")
        };
        match notation.special(op, operands) {
            Some(written) => {
                let leaf =
                    |&t: &TermId| notation.leaf(t).expect("operands of what is written out are leaves");
                let leaves: Vec<String> = operands.iter().map(leaf).collect();
                let leaves: Vec<&str> = leaves.iter().map(String::as_str).collect();
                text.push_str(&written(terms.width(operands[0]).unwrap_or(0), &leaves));
            }
            None if op == Op::Lambda => {
                let name = notation.leaf(operands[0]).expect("a variable has a name");
                let bound = notation.sort(terms.sort(operands[0]));
                text.push_str(&format!("(lambda (({name} {bound})) "));
                stack.extend([Piece::Close, Piece::Term(operands[1])]);
            }
            None => {
                text.push('(');
                text.push_str(&head(op.row().smt, indices, || notation.sort(terms.sort(term))));
                stack.push(Piece::Close);
                stack.extend(operands.iter().rev().map(|&t| Piece::Term(t)));
            }
        }
    }
}

fn bound_by(terms: &Terms, term: TermId) -> Option<TermId> {
    match terms.node(term) {
        Node::Apply(Op::Lambda, _, operands) => Some(operands[0]),
        _ => None,
    }
}

/// The text after the opening parenthesis of an application.
pub(crate) fn head(smt: Smt, indices: Indices, sort: impl FnOnce() -> String) -> String {
    match smt {
        Smt::Name(name) => name.to_string(),
        Smt::Indexed(name, 1) => format!("(_ {name} {})", indices[0]),
        Smt::Indexed(name, _) => format!("(_ {name} {} {})", indices[0], indices[1]),
        Smt::Const => format!("(as const {})", sort()),
        Smt::Binder => "lambda".to_string(),
        Smt::Written(_) => unreachable!("written out as a whole"),
    }
}

fn declare_sort<'a>(of: &'a Sort, seen: &mut FxHashSet<&'a Sort>, text: &mut String) {
    if !seen.insert(of) {
        return;
    }
    match of {
        Sort::Enum(e) => {
            let constants: Vec<String> = e.constants.iter().map(|c| format!("({})", symbol(c))).collect();
            let line = format!("(declare-datatypes (({} 0)) (({})))\n", symbol(&e.name), constants.join(" "));
            text.push_str(&line);
        }
        Sort::Array(array) => {
            declare_sort(&array.index, seen, text);
            declare_sort(&array.element, seen, text);
        }
        Sort::Bool | Sort::BitVec(_) | Sort::Int | Sort::Real => {}
    }
}
