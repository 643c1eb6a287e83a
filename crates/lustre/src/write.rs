//! Terms of a lowered model in the syntax and the names of its source.
//!
//! A definition, an input and a constant have their names, with the path of the instance before it (`callee~0.x`).
//! A state is `pre e`, where `e` is what it is next; the state that is true in the first step only is `true ->
//! false`. What reads a `pre` has any value in the first step, so a formula about it is guarded: `true ->
//! formula`.
//!
//! Not everything has a text that the front end reads back: paths of instances are for people, and so are the
//! names of states of clocked calls. Of a large term only a part is written. [`Text::plain`] says whether it
//! can be read back, in the main node.

use std::fmt::Write;

use buttress_system::words::{Role, System};
use buttress_term::infix::{MORE, MOST, size};
use buttress_term::smtlib::Smtlib;
use buttress_term::{Node, Op, TermId, Terms, Value};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// A formula as the source would have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub text: String,
    /// Whether it reads variables of the main node only, so that it can stand there.
    pub plain: bool,
}

/// Writes terms of a system whose store may be extended.
pub struct Writer<'a> {
    system: &'a System,
    terms: &'a Terms,
    roles: Vec<Option<Role>>,
}

/// How deep states are written out inside of states.
const DEPTH: usize = 3;

struct Writing {
    text: String,
    /// How many parts it may have still: see [`infix`](buttress_term::infix).
    left: usize,
    reads_pre: bool,
    plain: bool,
}

impl<'a> Writer<'a> {
    pub fn new(system: &'a System, terms: &'a Terms) -> Writer<'a> {
        Writer { system, terms, roles: system.roles() }
    }

    /// A Boolean term, guarded where it reads what has no value in the first step.
    pub fn formula(&self, term: TermId) -> Text {
        let mut writing = Writing { text: String::new(), left: MOST, reads_pre: false, plain: true };
        self.write(term, 0, &mut writing);
        let Writing { mut text, reads_pre, plain, .. } = writing;
        if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'))
            && !self.terms.operands(term).is_empty()
            && balanced(inner)
        {
            text = inner.to_string();
        }
        let text = if reads_pre { format!("true -> ({text})") } else { text };
        Text { text, plain }
    }

    fn write(&self, term: TermId, depth: usize, out: &mut Writing) {
        let Some(left) = out.left.checked_sub(1) else { return self.leave_out(out) };
        out.left = left;
        if let Node::Apply(Op::Not, _, &[a]) = self.terms.node(term)
            && let Node::Apply(Op::Not, _, &[a]) = self.terms.node(a)
        {
            return self.write(a, depth, out);
        }
        match self.terms.node(term) {
            Node::Variable(name) => self.variable(term, name, depth, out),
            Node::Constant(value) => constant(value, out),
            Node::Apply(op, _, operands) => self.apply(term, op, operands, depth, out),
        }
    }

    /// Puts an ellipsis; the text cannot be read back any more.
    fn leave_out(&self, out: &mut Writing) {
        out.plain = false;
        if !out.text.ends_with(MORE) {
            out.text.push_str(MORE);
        }
    }

    fn variable(&self, term: TermId, name: &str, depth: usize, out: &mut Writing) {
        let role = self.roles.get(term.index()).copied().flatten();
        let Some(Role::State(state)) = role else { return name_of(name, out) };
        let state = self.system.state(state);
        match state.next {
            _ if name == "first~" => out.text.push_str("(true -> false)"),
            Some(next) if next == term => name_of(name, out),
            Some(next) if depth < DEPTH => {
                out.reads_pre = true;
                // The guard of the first step says nothing about the one before it.
                out.plain &= depth == 0;
                out.text.push_str("(pre ");
                self.write(next, depth + 1, out);
                out.text.push(')');
            }
            _ => {
                out.plain = false;
                out.text.push_str(name);
            }
        }
    }

    fn apply(&self, term: TermId, op: Op, operands: &[TermId], depth: usize, out: &mut Writing) {
        let infix = match op {
            Op::And => " and ",
            Op::Or => " or ",
            Op::Xor => " xor ",
            Op::Implies => " => ",
            Op::Eq => " = ",
            Op::Distinct if operands.len() == 2 => " <> ",
            Op::Add => " + ",
            Op::Sub => " - ",
            Op::Mul => " * ",
            Op::RealDiv => " / ",
            Op::IntDiv => " div ",
            Op::IntMod => " mod ",
            Op::Lt => " < ",
            Op::Le => " <= ",
            Op::Gt => " > ",
            Op::Ge => " >= ",
            _ => return self.other(term, op, operands, depth, out),
        };
        // By zero the source has any value, and the term has one.
        out.plain &= !matches!(op, Op::RealDiv | Op::IntDiv | Op::IntMod) || self.is_number(operands[1]);
        out.text.push('(');
        for (place, &operand) in operands.iter().enumerate() {
            if place > 0 {
                out.text.push_str(infix);
            }
            self.write(operand, depth, out);
            if out.left == 0 && place + 1 < operands.len() {
                self.leave_out(out);
                break;
            }
        }
        out.text.push(')');
    }

    /// A number other than 0.
    fn is_number(&self, term: TermId) -> bool {
        match self.terms.as_constant(term) {
            Some(Value::Int(n)) => !n.is_zero(),
            Some(Value::Real(r)) => !r.is_zero(),
            _ => false,
        }
    }

    fn other(&self, term: TermId, op: Op, operands: &[TermId], depth: usize, out: &mut Writing) {
        let words: &[&str] = match op {
            Op::Not => &["(not ", ")"],
            Op::Neg => &["(-", ")"],
            Op::Ite => &["(if ", " then ", " else ", ")"],
            Op::ToReal => &["real(", ")"],
            Op::ToInt => &["floor(", ")"],
            _ => return self.smtlib(term, out),
        };
        for (word, &operand) in words.iter().zip(operands) {
            out.text.push_str(word);
            self.write(operand, depth, out);
        }
        out.text.push_str(words[words.len() - 1]);
    }
}

impl Writer<'_> {
    fn smtlib(&self, term: TermId, out: &mut Writing) {
        let Some(size) = size(self.terms, term, out.left) else { return self.leave_out(out) };
        out.left -= size;
        out.plain = false;
        out.text.push_str(&Smtlib::new(self.terms).term(term));
    }
}

/// Whether no parenthesis of the text is closed before it is opened.
fn balanced(text: &str) -> bool {
    let mut open = 0i64;
    text.chars().all(|c| {
        open += i64::from(c == '(') - i64::from(c == ')');
        open >= 0
    })
}

/// A name of the main node can be read back; a path of an instance or a place in the text cannot.
fn name_of(name: &str, out: &mut Writing) {
    out.plain &= !name.contains(['~', '@', '!']);
    out.text.push_str(name);
}

fn constant(value: &Value, out: &mut Writing) {
    let _ = match value {
        Value::Int(n) if n.is_negative() => write!(out.text, "({n})"),
        Value::Real(r) => write!(out.text, "{}", real(r)),
        Value::Enum(e) => write!(out.text, "{}", e.sort.constants[e.index as usize]),
        Value::Word(_) | Value::Array(_) => {
            out.plain = false;
            write!(out.text, "{value}")
        }
        Value::Bool(b) => write!(out.text, "{b}"),
        Value::Int(_) => write!(out.text, "{value}"),
    };
}

fn real(r: &BigRational) -> String {
    match (r.is_integer(), r.is_negative()) {
        (true, false) => format!("{}.0", r.numer()),
        (true, true) => format!("({}.0)", r.numer()),
        (false, _) => format!("({}.0 / {}.0)", r.numer(), r.denom()),
    }
}
