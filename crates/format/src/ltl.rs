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
//! From weak to strong; `->` and the temporal operators between two formulas group to the right, all others to the left.
//! `[n]` stands after `X`, `Y` and the words for *next*. The words are those of PSL and SystemVerilog: without `!` or `s_`, *until* and
//! *before* may wait for ever. *Next* is the same either way, as executions are infinite. A name is made of letters, digits and
//! `_ . $ ~ : @ \`, and an index in brackets that follows at once; one that is an operator here stands between quotes.
//!
//! A file has a formula a line; it goes on in the next line while a parenthesis is open, or after an operator. `name :=` in front
//! gives it a name. Comments begin with `#`, `--` or `//`.
//!
//! Limits: 100,000 nodes a formula, once `[n]` is written out.

use buttress_system::ltl::{Ltl, Making, NodeId, Says};

use crate::{Diagnostic, Position};

/// A formula of a file.
#[derive(Clone, Debug)]
pub struct Formula {
    pub name: Option<String>,
    /// As it is written.
    pub text: String,
    /// Where it begins.
    pub position: Position,
    /// Over places in `atoms`.
    pub formula: Ltl<usize>,
    pub atoms: Vec<Atom>,
}

/// What a step says by itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Atom {
    pub left: Operand,
    pub compared: Option<(Comparison, Operand)>,
    pub position: Position,
    /// The line that it stands in.
    pub line: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    Name(String),
    Number(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    Distinct,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

const MOST_NODES: usize = 100_000;
/// Formulas stand in each other at most this deep.
const MOST_DEEP: usize = 200;

/// The formulas of a text, in their order.
pub fn read(text: &str) -> Result<Vec<Formula>, Diagnostic> {
    let tokens = tokens(text)?;
    let mut reader =
        Reader { text, tokens: &tokens, next: 0, deep: 0, making: Making::default(), atoms: Vec::new() };
    let mut formulas = Vec::new();
    loop {
        while reader.take(&Token::End) {}
        if reader.next == tokens.len() {
            return Ok(formulas);
        }
        formulas.push(reader.stated()?);
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Name(String),
    /// Between quotes: no operator.
    Quoted(String),
    Number(String),
    Sign(&'static str),
    /// The end of a line, where a formula may end; or a semicolon.
    End,
}

/// A token, and the bytes that it takes.
type Placed = (Token, std::ops::Range<usize>);

/// Longer ones first.
const SIGNS: [&str; 29] = [
    "<->", "<=>", ":=", "->", "=>", "||", "&&", "==", "!=", "<=", ">=", "<>", "[]", "..", "!", "~", "&", "|",
    "^", "=", "<", ">", "(", ")", "[", "]", ":", ";", "-",
];

/// Words that may end in `!` or `!_`.
const STRONG: [&str; 4] = ["until", "eventually", "next", "before"];

fn tokens(text: &str) -> Result<Vec<Placed>, Diagnostic> {
    let (bytes, mut at, mut open) = (text.as_bytes(), 0, 0usize);
    let mut found: Vec<Placed> = Vec::new();
    while at < bytes.len() {
        let rest = &text[at..];
        let start = at;
        if rest.starts_with('#') || rest.starts_with("--") || rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let letter = rest.chars().next().expect("it is not at its end");
        if letter == '\n' || letter == ';' {
            at += 1;
            let goes_on = open > 0 || found.last().is_none_or(|(last, _)| goes_on(last));
            if !goes_on || letter == ';' {
                found.push((Token::End, start..at));
            }
            continue;
        }
        if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        }
        let token = if letter == '"' {
            let length = rest[1..].find(['"', '\n']).filter(|&n| rest.as_bytes()[1 + n] == b'"');
            let length = length.ok_or_else(|| wrong(text, start..start + 1, "this quote has no end"))?;
            at += length + 2;
            Token::Quoted(rest[1..=length].to_string())
        } else if letter.is_ascii_digit()
            || letter == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            at += number(rest);
            Token::Number(text[start..at].to_string())
        } else if starts_name(letter) {
            at += name(rest);
            Token::Name(text[start..at].to_string())
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            at += sign.len();
            open = match sign {
                "(" => open + 1,
                ")" => open.saturating_sub(1),
                _ => open,
            };
            Token::Sign(sign)
        } else {
            let end = start + letter.len_utf8();
            return Err(wrong(
                text,
                start..end,
                format!("'{letter}' begins nothing that a formula may have"),
            ));
        };
        found.push((token, start..at));
    }
    Ok(found)
}

fn starts_name(letter: char) -> bool {
    letter.is_alphabetic() || "_$\\@".contains(letter)
}

/// How long the number is that a text begins with.
fn number(text: &str) -> usize {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let sign = text.len() - digits.len();
    let of = |text: &str, is: &dyn Fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
    if digits.starts_with("0x") || digits.starts_with("0b") {
        return sign + 2 + of(&digits[2..], &|c| c.is_ascii_hexdigit());
    }
    let whole = of(digits, &|c| c.is_ascii_digit());
    let fraction = digits[whole..].strip_prefix('.').map_or(0, |rest| of(rest, &|c| c.is_ascii_digit()));
    sign + whole + if fraction > 0 { 1 + fraction } else { 0 }
}

/// How long the name is that a text begins with: with an index that follows at once, and the marks of strong operators.
fn name(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || "_.$~:@\\".contains(c);
    let mut length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // A colon before an equals sign gives a name; two points are a range.
    length = text[..length].find("..").unwrap_or(length);
    if text[length..].starts_with('=') && text[..length].ends_with(':') {
        length -= 1;
    }
    let word = &text[..length];
    if STRONG.contains(&word) && text[length..].starts_with('!') && !text[length..].starts_with("!=") {
        return length + if text[length + 1..].starts_with('_') { 2 } else { 1 };
    }
    while !is_operator(&text[..length]) && text[length..].starts_with('[') {
        let index = text[length + 1..].find(']').map(|end| &text[length + 1..length + 1 + end]);
        let is_index = |i: &&str| !i.is_empty() && i.chars().all(|c| c.is_ascii_digit() || c == ':');
        match index.filter(is_index) {
            Some(index) => length += index.len() + 2,
            None => break,
        }
    }
    length
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

/// Whether a formula cannot end here.
fn goes_on(token: &Token) -> bool {
    match token {
        Token::End => true,
        Token::Name(word) => is_operator(word),
        Token::Quoted(_) | Token::Number(_) => false,
        Token::Sign(sign) => ![")", "]"].contains(sign),
    }
}

fn wrong(text: &str, at: std::ops::Range<usize>, what: impl Into<String>) -> Diagnostic {
    let (position, line) = place(text, at.start);
    Diagnostic::new(what).at(position).with_source(line).with_length(at.len().max(1) as u32)
}

fn place(text: &str, at: usize) -> (Position, &str) {
    let at = at.min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line = text[..at].matches('\n').count() as u32 + 1;
    (Position::text(line, (at - start) as u32 + 1), text[start..].lines().next().unwrap_or_default())
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Placed],
    next: usize,
    deep: usize,
    making: Making<usize>,
    atoms: Vec<Atom>,
}

type Read = Result<NodeId, Diagnostic>;

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn take(&mut self, wanted: &Token) -> bool {
        let found = self.peek() == Some(wanted);
        self.next += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &'static str) -> bool {
        self.take(&Token::Sign(sign))
    }

    /// One of these words or signs.
    fn one_of(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        let here = match self.peek()? {
            Token::Name(word) => &word[..],
            Token::Sign(sign) => sign,
            _ => return None,
        };
        let found = wanted.iter().copied().find(|w| *w == here)?;
        self.next += 1;
        Some(found)
    }

    /// The bytes of the token that comes, or the end of the text.
    fn here(&self) -> std::ops::Range<usize> {
        let end = self.text.trim_end().len();
        self.tokens.get(self.next).map_or(end..end, |(_, at)| at.clone())
    }

    fn wrong(&self, what: impl Into<String>) -> Diagnostic {
        wrong(self.text, self.here(), what)
    }

    fn stated(&mut self) -> Result<Formula, Diagnostic> {
        (self.making, self.atoms) = (Making::default(), Vec::new());
        let named = match &self.tokens[self.next..] {
            [(Token::Name(name) | Token::Quoted(name), _), (Token::Sign(":="), _), ..] => Some(name.clone()),
            _ => None,
        };
        self.next += if named.is_some() { 2 } else { 0 };
        let start = self.here().start;
        let root = self.equivalence()?;
        let end = self.tokens[self.next - 1].1.end;
        if self.next < self.tokens.len() && !self.take(&Token::End) {
            return Err(self.wrong("the formula could end here, and this does not continue it"));
        }
        let words: Vec<&str> = self.text[start..end].split_whitespace().collect();
        Ok(Formula {
            name: named,
            text: words.join(" "),
            position: place(self.text, start).0,
            formula: self.making.finish(root),
            atoms: std::mem::take(&mut self.atoms),
        })
    }

    fn equivalence(&mut self) -> Read {
        self.deep += 1;
        if self.deep > MOST_DEEP {
            return Err(self.wrong(format!("formulas stand in each other more than {MOST_DEEP} deep")));
        }
        let mut left = self.implication()?;
        while self.one_of(&["<->", "<=>", "iff"]).is_some() {
            let right = self.implication()?;
            left = self.making.equal(left, right);
        }
        self.deep -= 1;
        Ok(left)
    }

    fn implication(&mut self) -> Read {
        let mut all = vec![self.disjunction()?];
        while self.one_of(&["->", "=>", "implies"]).is_some() {
            all.push(self.disjunction()?);
        }
        let last = all.pop().expect("there is one");
        Ok(all.into_iter().rev().fold(last, |right, left| self.making.implies(left, right)))
    }

    fn disjunction(&mut self) -> Read {
        let mut left = self.exclusion()?;
        while self.one_of(&["|", "||", "or"]).is_some() {
            let right = self.exclusion()?;
            left = self.making.or(left, right);
        }
        Ok(left)
    }

    fn exclusion(&mut self) -> Read {
        let mut left = self.conjunction()?;
        while self.one_of(&["^", "xor"]).is_some() {
            let right = self.conjunction()?;
            let same = self.making.equal(left, right);
            left = self.making.not(same);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Read {
        let mut left = self.temporal()?;
        while self.one_of(&["&", "&&", "and"]).is_some() {
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
        while let Some(operator) = self.one_of(&OPERATORS) {
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
            let Some(operator) = self.one_of(&UNARY).or_else(|| self.one_of(&signs)) else { break };
            let counts = ["X", "Y", "next", "next!", "nexttime", "s_nexttime"].contains(&operator);
            let range = ["next_a", "next_e"].contains(&operator);
            let steps = if range || counts && self.peek() == Some(&Token::Sign("[")) {
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
        if !self.sign("[") {
            return Err(self.wrong("expected '[' and numbers of steps"));
        }
        let first = self.count()?;
        let last = match range {
            false => first,
            true if self.one_of(&["..", ":"]).is_some() => self.count()?,
            true => return Err(self.wrong("expected '..' and the last step")),
        };
        if last < first {
            return Err(self.wrong(format!("there are no steps from {first} to {last}")));
        }
        if !self.sign("]") {
            return Err(self.wrong("expected ']'"));
        }
        Ok((first, last))
    }

    fn count(&mut self) -> Result<usize, Diagnostic> {
        let steps = match self.peek() {
            Some(Token::Number(number)) => number.parse().ok().filter(|&n: &usize| n < MOST_NODES),
            _ => None,
        };
        let steps =
            steps.ok_or_else(|| self.wrong(format!("expected a number of steps below {MOST_NODES}")))?;
        self.next += 1;
        if self.making.len() + steps > MOST_NODES {
            return Err(self.wrong(format!("the formula has more than {MOST_NODES} nodes")));
        }
        Ok(steps)
    }

    fn innermost(&mut self) -> Read {
        if self.sign("(") {
            let node = self.equivalence()?;
            return match self.sign(")") {
                true => Ok(node),
                false => Err(self.wrong("expected ')' or an operator")),
            };
        }
        let (position, line) = place(self.text, self.here().start);
        let line = line.to_string();
        match self.peek() {
            Some(Token::Name(word)) if word == "true" || word == "false" => {
                let value = word == "true";
                self.next += 1;
                return Ok(self.making.constant(value));
            }
            _ => {}
        }
        let left = self.operand()?;
        const COMPARISONS: [(&str, Comparison); 7] = [
            ("=", Comparison::Equal),
            ("==", Comparison::Equal),
            ("!=", Comparison::Distinct),
            ("<", Comparison::Less),
            ("<=", Comparison::AtMost),
            (">", Comparison::Greater),
            (">=", Comparison::AtLeast),
        ];
        let comparison = self.one_of(&COMPARISONS.map(|(sign, _)| sign));
        let comparison =
            comparison.and_then(|sign| Some(COMPARISONS.iter().find(|(known, _)| *known == sign)?.1));
        let compared = match comparison {
            None => None,
            Some(comparison) => Some((comparison, self.operand()?)),
        };
        if compared.is_none() && matches!(left, Operand::Number(_)) {
            self.next -= 1;
            return Err(self.wrong("a number is no formula: compare it with something"));
        }
        let atom = Atom { left, compared, position, line };
        let known = self.atoms.iter().position(|a| a.left == atom.left && a.compared == atom.compared);
        let place = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        Ok(self.making.add(Says::Signal(place)))
    }

    fn operand(&mut self) -> Result<Operand, Diagnostic> {
        let operand = match self.peek() {
            Some(Token::Name(word)) if !is_operator(word) => Operand::Name(word.clone()),
            Some(Token::Quoted(name)) => Operand::Name(name.clone()),
            Some(Token::Number(number)) => Operand::Number(number.clone()),
            Some(Token::Name(word)) => {
                let word = word.clone();
                let error = self.wrong(format!("expected a formula, found the operator '{word}'"));
                return Err(
                    error.with_help(format!("a signal of this name stands between quotes: \"{word}\""))
                );
            }
            Some(Token::Sign(sign)) => return Err(self.wrong(format!("expected a formula, found '{sign}'"))),
            Some(Token::End) | None => {
                return Err(self.wrong("expected a formula, found the end of this one"));
            }
        };
        self.next += 1;
        Ok(operand)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
