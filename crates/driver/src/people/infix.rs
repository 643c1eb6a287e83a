//! Terms as people write them.

use buttress_term::smtlib::Smtlib;
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};

/// A term as people write it: `count != 5 | mode[3] | !ready`. Operators that lemmas about bits are not made of
/// appear in SMT-LIB's syntax.
pub fn infix(terms: &Terms, term: TermId) -> String {
    match terms.node(term) {
        Node::Variable(name) => name.to_string(),
        Node::Constant(value) => value.to_string(),
        Node::Apply(Op::Or, _, disjuncts) => joined(terms, disjuncts, " | "),
        Node::Apply(Op::And, _, conjuncts) => joined(terms, conjuncts, " & "),
        Node::Apply(Op::Not, _, &[a]) => negation(terms, a),
        Node::Apply(Op::Eq, _, &[a, b]) => match bit(terms, b) {
            Some(true) => infix(terms, a),
            Some(false) => format!("!{}", infix(terms, a)),
            None => format!("{} = {}", infix(terms, a), infix(terms, b)),
        },
        Node::Apply(Op::BvExtract, [high, low], &[a]) if high == low => format!("{}[{low}]", infix(terms, a)),
        Node::Apply(Op::BvExtract, [high, low], &[a]) => format!("{}[{high}:{low}]", infix(terms, a)),
        Node::Apply(Op::Select, _, &[array, index]) => {
            format!("{}[{}]", infix(terms, array), infix(terms, index))
        }
        Node::Apply(..) => Smtlib::new(terms).term(term),
    }
}

fn joined(terms: &Terms, parts: &[TermId], by: &str) -> String {
    parts.iter().map(|&part| infix(terms, part)).collect::<Vec<_>>().join(by)
}

fn negation(terms: &Terms, a: TermId) -> String {
    match terms.node(a) {
        Node::Apply(Op::Eq, _, &[x, y]) => match bit(terms, y) {
            Some(true) => format!("!{}", infix(terms, x)),
            Some(false) => infix(terms, x),
            None => format!("{} != {}", infix(terms, x), infix(terms, y)),
        },
        Node::Variable(name) => format!("!{name}"),
        _ => format!("!({})", infix(terms, a)),
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
    }
}
