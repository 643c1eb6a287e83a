//! Terms as people write them: `count != 5 | mode[3] | !ready`, `head(i) <= j & c(i, j) = grant`. What has no
//! usual notation appears in SMT-LIB's syntax.
//!
//! The text is for people and stays short: terms share what texts repeat, so of a large term only a part is
//! written and [`MORE`] stands for the rest. What is to be read again is written by [`smtlib`](crate::smtlib),
//! with `let`.

use crate::smtlib::Smtlib;
use crate::{Node, Op, Sort, TermId, Terms, Value};

/// Stands for what is left out.
pub const MORE: &str = "…";

/// Applications, variables and constants that a text for people has at most.
pub const MOST: usize = 500;

/// A term, up to [`MOST`] of its parts.
pub fn infix(terms: &Terms, term: TermId) -> String {
    Infix { terms, left: MOST, maps: false }.text(term)
}

/// A term where arrays are maps, which are applied to places: `c(i, j)`.
pub fn of_maps(terms: &Terms, term: TermId) -> String {
    Infix { terms, left: MOST, maps: true }.text(term)
}

/// A term over maps as a part of a larger text: in parentheses where it joins others.
pub fn part_of_maps(terms: &Terms, term: TermId) -> String {
    Infix { terms, left: MOST, maps: true }.part(term)
}

/// How many parts a term has, those that it shares once; `None` where they are more than this.
pub fn size(terms: &Terms, root: TermId, most: usize) -> Option<usize> {
    let mut seen = std::collections::BTreeSet::from([root]);
    let mut todo = vec![root];
    while let Some(term) = todo.pop() {
        todo.extend(terms.operands(term).iter().copied().filter(|t| seen.insert(*t)));
        if seen.len() > most {
            return None;
        }
    }
    Some(seen.len())
}

struct Infix<'a> {
    terms: &'a Terms,
    left: usize,
    /// Whether arrays are maps.
    maps: bool,
}

/// The infix symbol of an operator, with its blanks.
fn between(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::And => " & ",
        Op::Or => " | ",
        Op::Implies => " => ",
        Op::Eq => " = ",
        Op::Lt => " < ",
        Op::Le => " <= ",
        Op::Gt => " > ",
        Op::Ge => " >= ",
        Op::Add => " + ",
        Op::Sub => " - ",
        _ => return None,
    })
}

impl Infix<'_> {
    fn text(&mut self, term: TermId) -> String {
        let Some(left) = self.left.checked_sub(1) else { return MORE.to_string() };
        self.left = left;
        match self.terms.node(term) {
            Node::Variable(name) => name.to_string(),
            Node::Constant(Value::Bool(b)) => b.to_string(),
            Node::Constant(value) => value.to_string(),
            Node::Apply(Op::Not, _, &[a]) => self.negation(a),
            Node::Apply(Op::Eq, _, &[a, b]) => match bit(self.terms, b) {
                Some(true) => self.text(a),
                Some(false) => format!("!{}", self.part(a)),
                None => self.joined(&[a, b], " = "),
            },
            Node::Apply(Op::BvExtract, [high, low], &[a]) if high == low => {
                format!("{}[{low}]", self.part(a))
            }
            Node::Apply(Op::BvExtract, [high, low], &[a]) => format!("{}[{high}:{low}]", self.part(a)),
            Node::Apply(Op::Select, ..) if self.maps => self.application(term),
            Node::Apply(Op::Select, _, &[array, index]) => {
                format!("{}[{}]", self.part(array), self.text(index))
            }
            Node::Apply(Op::Ite, _, &[condition, then, other]) => {
                let [condition, then, other] = [condition, then, other].map(|t| self.part(t));
                format!("(if {condition} then {then} else {other})")
            }
            Node::Apply(op, _, operands) if between(op).is_some() => {
                self.joined(operands, between(op).unwrap_or_default())
            }
            Node::Apply(..) => match size(self.terms, term, self.left) {
                Some(size) => {
                    self.left -= size;
                    Smtlib::new(self.terms).term(term)
                }
                None => MORE.to_string(),
            },
        }
    }

    fn joined(&mut self, parts: &[TermId], by: &str) -> String {
        let mut texts = Vec::new();
        for &part in parts {
            if self.left == 0 {
                texts.push(MORE.to_string());
                break;
            }
            texts.push(self.part(part));
        }
        texts.join(by)
    }

    /// A map at its places.
    fn application(&mut self, term: TermId) -> String {
        let (mut map, mut places) = (term, Vec::new());
        while let Node::Apply(Op::Select, _, &[inner, place]) = self.terms.node(map) {
            places.push(self.text(place));
            map = inner;
        }
        places.reverse();
        format!("{}({})", self.part(map), places.join(", "))
    }

    /// As a part of something else: in parentheses where it joins others.
    fn part(&mut self, term: TermId) -> String {
        match self.terms.node(term) {
            Node::Apply(Op::And | Op::Or | Op::Implies, ..) => format!("({})", self.text(term)),
            _ => self.text(term),
        }
    }

    fn negation(&mut self, a: TermId) -> String {
        match self.terms.node(a) {
            Node::Apply(Op::Eq, _, &[x, y]) => match bit(self.terms, y) {
                Some(true) => format!("!{}", self.part(x)),
                Some(false) => self.part(x),
                None => format!("{} != {}", self.part(x), self.part(y)),
            },
            Node::Variable(name) => format!("!{name}"),
            Node::Apply(Op::Select, ..) => format!("!{}", self.text(a)),
            _ => format!("!({})", self.text(a)),
        }
    }
}

/// A constant word of one bit.
fn bit(terms: &Terms, term: TermId) -> Option<bool> {
    match terms.as_constant(term)? {
        Value::Word(word) if *terms.sort(term) == Sort::BitVec(1) => Some(word.bit(0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lemmas_read_as_people_write_them() {
        let mut terms = Terms::new();
        let count = terms.variable("count", Sort::BitVec(4));
        let ready = terms.variable("ready", Sort::BitVec(1));
        let memory = terms.variable("memory", Sort::array(Sort::BitVec(2), Sort::BitVec(4)));
        let (five, one, zero, two) = (terms.word(5, 4), terms.word(1, 1), terms.word(0, 1), terms.word(2, 2));
        let is_five = terms.eq(count, five);
        let other = terms.not(is_five);
        let low = terms.extract(count, 3, 3);
        let set = terms.eq(low, one);
        let unready = terms.eq(ready, zero);
        let place = terms.app(Op::Select, &[memory, two]);
        let part = terms.extract(place, 1, 0);
        let part = terms.eq(part, two);
        let clause = terms.any(&[other, set, unready, part]);
        assert_eq!(infix(&terms, clause), "count != 5 | count[3] | !ready | memory[2][1:0] = 2");
        let both = terms.and(set, clause);
        assert_eq!(infix(&terms, both), "count[3] & (count != 5 | count[3] | !ready | memory[2][1:0] = 2)");
    }

    /// A graph of a hundred terms whose tree has 2^100.
    #[test]
    fn what_is_shared_does_not_explode() {
        for op in [Op::And, Op::Xor] {
            let mut terms = Terms::new();
            let mut term = terms.variable("a", Sort::Bool);
            let b = terms.variable("b", Sort::Bool);
            for _ in 0..100 {
                let (other, same) = (terms.not(term), terms.or(term, b));
                term = terms.app(op, &[other, same]);
            }
            let text = infix(&terms, term);
            assert!(text.len() < 20_000 && (text.contains(MORE) || text.contains("let")), "{text}");
        }
    }
}
