//! Formulas of linear temporal logic, as texts.
//!
//! ```text
//! formula  = formula ('<->' | '<=>') formula | formula ('->' | '=>') formula
//!          | formula ('|' | '||' | 'or') formula | formula ('^' | 'xor') formula | formula ('&' | '&&' | 'and') formula
//!          | formula ('U' | 'W' | 'R' | 'V' | 'M' | 'S' | 'T' | 'until' | 'until!' | 'until_' | 'until!_' | 's_until'
//!                     | 'before' | 'before!') formula
//!          | ('!' | '~' | 'not' | 'X' | 'F' | '<>' | 'G' | '[]' | 'Y' | 'Z' | 'O' | 'H' | 'always' | 'never' | 'eventually!'
//!             | 's_eventually' | 'next' | 'next!' | 'nexttime' | 's_nexttime') ['[' number ']'] formula
//!          | ('next_a' | 'next_e') '[' number ('..' | ':') number ']' formula
//!          | '(' formula ')' | 'true' | 'false' | operand [('=' | '==' | '!=' | '<' | '<=' | '>' | '>=') operand]
//! operand  = name | '"' any text '"' | number (decimal, 0x…, 0b…, with a '-' and a point where the sort allows it)
//! ```
//!
//! From weak to strong; `->` and the temporal operators between two formulas group to the right, all others to the
//! left. `[n]` stands after `X`, `Y` and the words for *next*. The words are those of PSL and SystemVerilog:
//! without `!` or `s_`, *until* and
//! *before* may wait for ever. *Next* is the same either way, as executions are infinite. Names and
//! comments are those of [all formulas](crate::formula).
//!
//! A file has a formula a line; it goes on in the next line while a parenthesis is open, or after an operator.
//! `name :=` in front gives it a name.
//!
//! Limits: 100,000 nodes a formula, once `[n]` is written out.

use buttress_system::ltl::{Ltl, Making, NodeId, Says};

use crate::Diagnostic;
use crate::formula::{Cursor, Stated, Token, tokens};

/// A formula of a file.
pub type Formula = Stated<Ltl<usize>>;

const MOST_NODES: usize = 100_000;
/// Formulas stand in each other at most this deep.
const MOST_DEEP: usize = 200;

/// The formulas of a text, in their order.
pub fn read(text: &str) -> Result<Vec<Formula>, Diagnostic> {
    let tokens = tokens(text, is_operator)?;
    let cursor = Cursor::new(text, &tokens, is_operator);
    let mut reader = Reader { cursor, deep: 0, making: Making::default() };
    let mut formulas = Vec::new();
    loop {
        while reader.cursor.take(&Token::End) {}
        if reader.cursor.next == tokens.len() {
            return Ok(formulas);
        }
        formulas.push(reader.stated()?);
    }
}

const UNARY: [&str; 18] = [
    "not",
    "X",
    "F",
    "G",
    "Y",
    "Z",
    "O",
    "H",
    "always",
    "never",
    "eventually!",
    "s_eventually",
    "next",
    "next!",
    "nexttime",
    "s_nexttime",
    "next_a",
    "next_e",
];
const BINARY: [&str; 19] = [
    "or", "xor", "and", "U", "W", "R", "V", "M", "S", "T", "until", "until!", "until_", "until!_", "s_until",
    "before", "before!", "implies", "iff",
];

fn is_operator(word: &str) -> bool {
    UNARY.contains(&word) || BINARY.contains(&word)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    deep: usize,
    making: Making<usize>,
}

type Read = Result<NodeId, Diagnostic>;

impl Reader<'_> {
    fn stated(&mut self) -> Result<Formula, Diagnostic> {
        self.making = Making::default();
        let begin = self.cursor.begin();
        let root = self.equivalence()?;
        let stated = self.cursor.end(begin, self.making.finish(root));
        let cursor = &mut self.cursor;
        if cursor.next < cursor.tokens.len() && !cursor.take(&Token::End) {
            return Err(cursor.wrong("the formula could end here, and this does not continue it"));
        }
        Ok(stated)
    }

    fn equivalence(&mut self) -> Read {
        self.deep += 1;
        if self.deep > MOST_DEEP {
            return Err(self
                .cursor
                .wrong(format!("formulas stand in each other more than {MOST_DEEP} deep")));
        }
        let mut left = self.implication()?;
        while self.cursor.one_of(&["<->", "<=>", "iff"]).is_some() {
            let right = self.implication()?;
            left = self.making.equal(left, right);
        }
        self.deep -= 1;
        Ok(left)
    }

    fn implication(&mut self) -> Read {
        let mut all = vec![self.disjunction()?];
        while self.cursor.one_of(&["->", "=>", "implies"]).is_some() {
            all.push(self.disjunction()?);
        }
        let last = all.pop().expect("there is one");
        Ok(all.into_iter().rev().fold(last, |right, left| self.making.implies(left, right)))
    }

    fn disjunction(&mut self) -> Read {
        let mut left = self.exclusion()?;
        while self.cursor.one_of(&["|", "||", "or"]).is_some() {
            let right = self.exclusion()?;
            left = self.making.or(left, right);
        }
        Ok(left)
    }

    fn exclusion(&mut self) -> Read {
        let mut left = self.conjunction()?;
        while self.cursor.one_of(&["^", "xor"]).is_some() {
            let right = self.conjunction()?;
            let same = self.making.equal(left, right);
            left = self.making.not(same);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Read {
        let mut left = self.temporal()?;
        while self.cursor.one_of(&["&", "&&", "and"]).is_some() {
            let right = self.temporal()?;
            left = self.making.and(left, right);
        }
        Ok(left)
    }

    fn temporal(&mut self) -> Read {
        const OPERATORS: [&str; 14] = [
            "U", "W", "R", "V", "M", "S", "T", "until", "until!", "until_", "until!_", "s_until", "before",
            "before!",
        ];
        let (mut operands, mut operators) = (vec![self.prefix()?], Vec::new());
        while let Some(operator) = self.cursor.one_of(&OPERATORS) {
            operators.push(operator);
            operands.push(self.prefix()?);
        }
        let mut right = operands.pop().expect("there is one");
        for (left, operator) in operands.into_iter().zip(operators).rev() {
            right = self.between(left, operator, right);
        }
        Ok(right)
    }

    fn between(&mut self, a: NodeId, operator: &str, b: NodeId) -> NodeId {
        let making = &mut self.making;
        match operator {
            "U" | "until!" | "s_until" => making.add(Says::Until(a, b)),
            "W" | "until" => making.weak_until(a, b),
            "R" | "V" => making.add(Says::Release(a, b)),
            "M" | "until_" | "until!_" => {
                // The moment of the second operand belongs to it; M has them the other way round.
                let (held, end) = if operator == "M" { (b, a) } else { (a, b) };
                let both = making.and(held, end);
                match operator {
                    "until_" => making.weak_until(held, both),
                    _ => making.add(Says::Until(held, both)),
                }
            }
            "S" => making.add(Says::Since(a, b)),
            "T" => making.add(Says::Trigger(a, b)),
            _ => {
                let other = making.not(b);
                let first = making.and(a, other);
                match operator {
                    "before!" => making.add(Says::Until(other, first)),
                    _ => making.weak_until(other, first),
                }
            }
        }
    }

    fn prefix(&mut self) -> Read {
        // Many of them may stand in a row, so that this is no recursion.
        let mut before: Vec<(&'static str, Option<(usize, usize)>)> = Vec::new();
        loop {
            let signs = ["!", "~", "<>", "[]"];
            let Some(operator) = self.cursor.one_of(&UNARY).or_else(|| self.cursor.one_of(&signs)) else {
                break;
            };
            let counts = ["X", "Y", "next", "next!", "nexttime", "s_nexttime"].contains(&operator);
            let range = ["next_a", "next_e"].contains(&operator);
            let steps = if range || counts && self.cursor.peek() == Some(&Token::Sign("[")) {
                Some(self.steps(range)?)
            } else {
                None
            };
            before.push((operator, steps));
        }
        let mut node = self.innermost()?;
        for (operator, steps) in before.into_iter().rev() {
            node = self.prefixed(operator, steps, node)?;
        }
        Ok(node)
    }

    fn prefixed(&mut self, operator: &str, steps: Option<(usize, usize)>, a: NodeId) -> Read {
        let making = &mut self.making;
        Ok(match operator {
            "!" | "~" | "not" => making.not(a),
            "F" | "<>" | "eventually!" | "s_eventually" => making.eventually(a),
            "G" | "[]" | "always" => making.always(a),
            "never" => {
                let not = making.not(a);
                making.always(not)
            }
            "Z" => making.add(Says::BeforeIfAny(a)),
            "O" => making.once(a),
            "H" => making.historically(a),
            "Y" => (0..steps.map_or(1, |s| s.0)).fold(a, |a, _| making.add(Says::Before(a))),
            _ => {
                let (first, last) = steps.unwrap_or((1, 1));
                let mut shifted = (0..first).fold(a, |a, _| making.next(a));
                let mut node = shifted;
                for _ in first..last {
                    shifted = making.next(shifted);
                    node = match operator {
                        "next_e" => making.or(node, shifted),
                        _ => making.and(node, shifted),
                    };
                }
                node
            }
        })
    }

    /// `[n]`, or `[n..m]` where there is to be a range.
    fn steps(&mut self, range: bool) -> Result<(usize, usize), Diagnostic> {
        if !self.cursor.sign("[") {
            return Err(self.cursor.wrong("expected '[' and numbers of steps"));
        }
        let first = self.count()?;
        let last = match range {
            false => first,
            true if self.cursor.one_of(&["..", ":"]).is_some() => self.count()?,
            true => return Err(self.cursor.wrong("expected '..' and the last step")),
        };
        if last < first {
            return Err(self.cursor.wrong(format!("there are no steps from {first} to {last}")));
        }
        if !self.cursor.sign("]") {
            return Err(self.cursor.wrong("expected ']'"));
        }
        Ok((first, last))
    }

    fn count(&mut self) -> Result<usize, Diagnostic> {
        let steps = match self.cursor.peek() {
            Some(Token::Number(number)) => number.parse().ok().filter(|&n: &usize| n < MOST_NODES),
            _ => None,
        };
        let steps = steps
            .ok_or_else(|| self.cursor.wrong(format!("expected a number of steps below {MOST_NODES}")))?;
        self.cursor.next += 1;
        if self.making.len() + steps > MOST_NODES {
            return Err(self.cursor.wrong(format!("the formula has more than {MOST_NODES} nodes")));
        }
        Ok(steps)
    }

    fn innermost(&mut self) -> Read {
        if self.cursor.sign("(") {
            let node = self.equivalence()?;
            return match self.cursor.sign(")") {
                true => Ok(node),
                false => Err(self.cursor.wrong("expected ')' or an operator")),
            };
        }
        if let Some(value) = self.cursor.truth() {
            return Ok(self.making.constant(value));
        }
        let place = self.cursor.atom()?;
        Ok(self.making.add(Says::Signal(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Atom, Comparison, Operand};

    /// A formula with parentheses everywhere, in the operators of the definition.
    fn shown(formula: &Formula) -> String {
        let mut texts: Vec<String> = Vec::new();
        for says in formula.formula.nodes() {
            let of = |node: NodeId| texts[node.index()].clone();
            let two = |a: NodeId, sign: &str, b: NodeId| format!("({} {sign} {})", of(a), of(b));
            texts.push(match *says {
                Says::Constant(value) => value.to_string(),
                Says::Signal(place) => match &formula.atoms[place] {
                    Atom { left: Operand::Name(name), compared: None, .. } => name.clone(),
                    Atom { left, compared, .. } => format!("{left:?} {compared:?}"),
                },
                Says::Not(a) => format!("!{}", of(a)),
                Says::And(a, b) => two(a, "&", b),
                Says::Or(a, b) => two(a, "|", b),
                Says::Next(a) => format!("X {}", of(a)),
                Says::Until(a, b) => two(a, "U", b),
                Says::Release(a, b) => two(a, "R", b),
                Says::Before(a) => format!("Y {}", of(a)),
                Says::BeforeIfAny(a) => format!("Z {}", of(a)),
                Says::Since(a, b) => two(a, "S", b),
                Says::Trigger(a, b) => two(a, "T", b),
            });
        }
        texts.pop().expect("a formula")
    }

    fn one(text: &str) -> String {
        match read(text) {
            Ok(formulas) => formulas.iter().map(shown).collect::<Vec<_>>().join(" ; "),
            Err(error) => error.render("f"),
        }
    }

    #[test]
    fn operators_group_as_the_head_says() {
        assert_eq!(one("G (req -> F ack)"), "(false R (!req | (true U ack)))");
        assert_eq!(one("a -> b -> c"), "(!a | (!b | c))");
        assert_eq!(one("a U b U c"), "(a U (b U c))");
        assert_eq!(one("a & b | c & !d"), "((a & b) | (c & !d))");
        assert_eq!(one("X a U b"), "(X a U b)");
        assert_eq!(one("a <-> b"), "((a & b) | (!a & !b))");
        assert_eq!(one("a ^ b"), "!((a & b) | (!a & !b))");
        assert_eq!(one("[]<> a"), "(false R (true U a))");
        assert_eq!(one("a W b"), "(b R (a | b))");
        assert_eq!(one("a M b"), "(b U (b & a))");
        assert_eq!(one("O a & H b"), "((true S a) & (false T b))");
        assert_eq!(one("a S b T Y Z c"), "(a S (b T Y Z c))");
    }

    #[test]
    fn words_of_psl() {
        assert_eq!(one("always (a -> next[2] b)"), "(false R (!a | X X b))");
        assert_eq!(one("never a"), "(false R !a)");
        assert_eq!(one("eventually! a"), "(true U a)");
        assert_eq!(one("a until! b"), "(a U b)");
        assert_eq!(one("a until b"), "(b R (a | b))");
        assert_eq!(one("a until!_ b"), "(a U (a & b))");
        assert_eq!(one("a before! b"), "(!b U (a & !b))");
        assert_eq!(one("next_e[1..3] a"), "((X a | X X a) | X X X a)");
        assert_eq!(one("next_a[1:2] a"), "(X a & X X a)");
        assert_eq!(one("X[0] a"), "a");
        assert_eq!(
            one("next! != b"),
            "f:1:7: error: expected a formula, found '!='\n    next! != b\n          ^^"
        );
    }

    #[test]
    fn names_and_files() {
        assert_eq!(one("F \"G\""), "(true U G)");
        assert_eq!(one("F top.u1.q[3]"), "(true U top.u1.q[3])");
        assert_eq!(one("# none\n\n"), "");
        assert_eq!(
            one("F a # first\nG (b |\n  c)\n\nX a ->\n b; F c\n"),
            "(true U a) ; (false R (b | c)) ; (!X a | b) ; (true U c)"
        );
        let named = read("answered := G(x = 0x1F -> F y >= -3)").expect("a formula");
        assert_eq!(named[0].name.as_deref(), Some("answered"));
        assert_eq!(named[0].text, "G(x = 0x1F -> F y >= -3)");
        let compared = |place: usize| named[0].atoms[place].compared.clone().expect("compared");
        assert_eq!(compared(0), (Comparison::Equal, Operand::Number("0x1F".into())));
        assert_eq!(compared(1), (Comparison::AtLeast, Operand::Number("-3".into())));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let first = |text: &str| one(text).lines().next().expect("a line").to_string();
        assert_eq!(first("G (a"), "f:1:5: error: expected ')' or an operator");
        assert_eq!(first("a b"), "f:1:3: error: the formula could end here, and this does not continue it");
        assert_eq!(first("F U"), "f:1:3: error: expected a formula, found the operator 'U'");
        assert_eq!(first("3"), "f:1:1: error: a number is no formula: compare it with something");
        assert_eq!(first("F a\nG %"), "f:2:3: error: '%' begins nothing that a formula may have");
        assert_eq!(first("X[200000] a"), "f:1:3: error: expected a number of steps below 100000");
        assert_eq!(first("\"a"), "f:1:1: error: this quote has no end");
        assert!(first(&"(".repeat(300)).contains("more than 200 deep"));
        // Prefixes are no recursion.
        assert!(read(&format!("{} a", "X ".repeat(50_000))).is_ok());
    }
}
