//! Formulas of computation tree logic, as texts: the language of iimc, and names and comparisons as in those of
//! linear time.
//!
//! ```text
//! formula  = formula ('->' | '==' | '<->' | '^') formula | formula ('|' | '||') formula | formula ('&' | '&&') formula
//!          | ('!' | '~') formula
//!          | ('EX' | 'EF' | 'EG' | 'AX' | 'AF' | 'AG') formula
//!          | ('E' | 'A') formula ('U' | 'R' | 'W') formula | ('E' | 'A') '[' formula ('U' | 'R' | 'W') formula ']'
//!          | '(' formula ')' | 'true' | 'false' | operand [('=' | '!=' | '<' | '<=' | '>' | '>=') operand]
//! ```
//!
//! From weak to strong. As in iimc, `->`, `==` and `^` are equally strong and group to the left, like all others;
//! what follows `U`, `R` or `W` binds as strongly as what follows `EX`, while anything may stand before it:
//! `A a & b U c & d` is `(A (a & b) U c) & d`. `==` stands between formulas, `=` between words.
//!
//! A file has one formula after the other: each ends where it cannot go on. A semicolon between them is allowed,
//! and `name :=` in front gives one a name. Names and comments are those of [all formulas](crate::formula).

use buttress_system::ctl::{Ctl, Making, NodeId, Says};

use crate::Diagnostic;
use crate::formula::{COMPARISONS, Comparison, Cursor, Stated, Token, tokens};

/// A formula of a file.
pub type Formula = Stated<Ctl<usize>>;

/// Formulas stand in each other at most this deep; of operators in a row many are as deep as one parenthesis.
const MOST_DEEP: usize = 200;
const OPERATORS_A_LEVEL: usize = 10;

const UNARY: [&str; 6] = ["EX", "EF", "EG", "AX", "AF", "AG"];
const BINARY: [&str; 5] = ["E", "A", "U", "R", "W"];

fn is_operator(word: &str) -> bool {
    UNARY.contains(&word) || BINARY.contains(&word)
}

/// The formulas of a text, in their order.
pub fn read(text: &str) -> Result<Vec<Formula>, Diagnostic> {
    // Lines mean nothing here.
    let mut tokens = tokens(text, is_operator)?;
    tokens.retain(|(token, at)| *token != Token::End || text[at.clone()].starts_with(';'));
    let cursor = Cursor::new(text, &tokens, is_operator);
    let mut reader = Reader { cursor, deep: 0, making: Making::default() };
    let mut formulas = Vec::new();
    loop {
        while reader.cursor.take(&Token::End) {}
        if reader.cursor.next == tokens.len() {
            return Ok(formulas);
        }
        reader.making = Making::default();
        let begin = reader.cursor.begin();
        let root = reader.formula()?;
        let formula = reader.making.finish(root);
        formulas.push(reader.cursor.end(begin, formula));
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    deep: usize,
    making: Making<usize>,
}

type Read = Result<NodeId, Diagnostic>;

impl Reader<'_> {
    fn formula(&mut self) -> Read {
        let mut left = self.disjunction()?;
        while let Some(operator) = self.cursor.one_of(&["->", "==", "<->", "^"]) {
            let right = self.disjunction()?;
            left = match operator {
                "->" => self.making.implies(left, right),
                "^" => {
                    let same = self.making.equal(left, right);
                    self.making.not(same)
                }
                _ => self.making.equal(left, right),
            };
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Read {
        let mut left = self.conjunction()?;
        while self.cursor.one_of(&["|", "||"]).is_some() {
            let right = self.conjunction()?;
            left = self.making.or(left, right);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Read {
        let mut left = self.prefix()?;
        while self.cursor.one_of(&["&", "&&"]).is_some() {
            let right = self.prefix()?;
            left = self.making.and(left, right);
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Read {
        // Many of them may stand in a row, so that this is no recursion.
        let mut before: Vec<&'static str> = Vec::new();
        let signs = ["!", "~"];
        while let Some(operator) = self.cursor.one_of(&UNARY).or_else(|| self.cursor.one_of(&signs)) {
            before.push(operator);
        }
        let levels = 1 + before.len() / OPERATORS_A_LEVEL;
        let mut node = match self.cursor.one_of(&["E", "A"]) {
            Some(path) => self.within(levels, |reader| reader.between(path == "A"))?,
            None => self.within(levels, Reader::innermost)?,
        };
        for operator in before.into_iter().rev() {
            let making = &mut self.making;
            node = match operator {
                "EX" => making.exists_next(node),
                "EF" => making.exists_eventually(node),
                "EG" => making.exists_always(node),
                "AX" => making.all_next(node),
                "AF" => making.all_eventually(node),
                "AG" => making.all_always(node),
                _ => making.not(node),
            };
        }
        Ok(node)
    }

    fn within(&mut self, levels: usize, read: impl FnOnce(&mut Self) -> Read) -> Read {
        self.deep += levels;
        if self.deep > MOST_DEEP {
            return Err(self
                .cursor
                .wrong(format!("formulas stand in each other more than {MOST_DEEP} deep")));
        }
        let node = read(self)?;
        self.deep -= levels;
        Ok(node)
    }

    /// What follows `E` or `A`.
    fn between(&mut self, all: bool) -> Read {
        let bracket = self.cursor.sign("[");
        let a = self.formula()?;
        let Some(operator) = self.cursor.one_of(&["U", "R", "W"]) else {
            let path = if all { "A" } else { "E" };
            return Err(self.cursor.wrong(format!("expected 'U', 'R' or 'W' after '{path}' and a formula")));
        };
        let b = if bracket { self.formula()? } else { self.prefix()? };
        if bracket && !self.cursor.sign("]") {
            return Err(self.cursor.wrong("expected ']' or an operator"));
        }
        let making = &mut self.making;
        Ok(match (all, operator) {
            (false, "U") => making.exists_until(a, b),
            (false, "R") => making.exists_release(a, b),
            (false, _) => making.exists_weak_until(a, b),
            (true, "U") => making.all_until(a, b),
            (true, "R") => making.all_release(a, b),
            (true, _) => making.all_weak_until(a, b),
        })
    }

    fn innermost(&mut self) -> Read {
        if self.cursor.sign("(") {
            let node = self.formula()?;
            return match self.cursor.sign(")") {
                true => Ok(node),
                false => Err(self.cursor.wrong("expected ')' or an operator")),
            };
        }
        if let Some(value) = self.cursor.truth() {
            return Ok(self.making.constant(value));
        }
        let comparisons: Vec<(&'static str, Comparison)> =
            COMPARISONS.into_iter().filter(|(sign, _)| *sign != "==").collect();
        let place = self.cursor.compared(&comparisons)?;
        Ok(self.making.add(Says::Signal(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Operand;

    fn shown(text: &str) -> String {
        let name = |formula: &Formula, place: usize| match &formula.atoms[place].left {
            Operand::Name(name) | Operand::Number(name) => name.clone(),
        };
        match read(text) {
            Ok(formulas) => {
                let one = |f: &Formula| f.formula.text(f.formula.root(), &|place| name(f, place));
                formulas.iter().map(one).collect::<Vec<_>>().join(" ; ")
            }
            Err(error) => error.render("f"),
        }
    }

    #[test]
    fn operators_group_as_in_iimc() {
        assert_eq!(shown("AG EF p"), "AG EF p");
        assert_eq!(shown("AX a & b"), "(AX a & b)");
        assert_eq!(shown("AG~(a & b~c)"), "AG (!a | !b~c)");
        assert_eq!(shown("E a & b U c & d"), "(E((a & b) U c) & d)");
        assert_eq!(shown("A [a U b | c]"), shown("A a U (b | c)"));
        assert_eq!(shown("~E a U b"), "A(!a R !b)");
        assert_eq!(shown("a -> b -> c"), "((a & !b) | c)");
        assert_eq!(shown("A a R b"), "A(a R b)");
        assert_eq!(shown("a | b & c"), "(a | (b & c))");
    }

    #[test]
    fn formulas_follow_each_other() {
        let text = "#PASS: (0)\nAG(pc<*0*><3> ->\n  AF q<1>)\n!a & b;\nnamed := EX true AG x.y = 3";
        assert_eq!(shown(text), "AG (!pc<*0*><3> | AF q<1>) ; (!a & b) ; EX true ; AG x.y");
        let named = read(text).expect("formulas");
        assert_eq!(named[2].name.as_deref(), Some("named"));
        assert_eq!(named[0].text, "AG(pc<*0*><3> -> AF q<1>)");
        assert!(named[3].atoms[0].compared.is_some());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let first = |text: &str| shown(text).lines().next().expect("a line").to_string();
        assert_eq!(first("AG (a"), "f:1:6: error: expected ')' or an operator");
        assert_eq!(first("E a"), "f:1:4: error: expected 'U', 'R' or 'W' after 'E' and a formula");
        assert_eq!(first("AG ->"), "f:1:4: error: expected a formula, found '->'");
        assert!(first(&"(".repeat(300)).contains("more than 200 deep"));
        assert!(read(&format!("{} a", "AX ".repeat(1_000))).is_ok());
        assert!(first(&format!("{} a", "AX ".repeat(50_000))).contains("more than 200 deep"));
    }
}
