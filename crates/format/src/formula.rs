//! What the readers of temporal formulas have in common: tokens, and what is said of one step or state by itself.
//!
//! A name is made of letters, digits and `_ . $ ~ : @ \`, and indices in brackets, `q[3]` or `q<3>`, that follow
//! at once; one that is an operator stands between quotes. Comments begin with `#`, `--` or `//`.

use crate::{Diagnostic, Position};

/// A formula of a file.
#[derive(Clone, Debug)]
pub struct Stated<F> {
    pub name: Option<String>,
    /// As it is written.
    pub text: String,
    /// Where it begins.
    pub position: Position,
    /// Over places in `atoms`.
    pub formula: F,
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

pub(crate) const COMPARISONS: [(&str, Comparison); 7] = [
    ("=", Comparison::Equal),
    ("==", Comparison::Equal),
    ("!=", Comparison::Distinct),
    ("<", Comparison::Less),
    ("<=", Comparison::AtMost),
    (">", Comparison::Greater),
    (">=", Comparison::AtLeast),
];

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    Name(String),
    /// Between quotes: no operator.
    Quoted(String),
    Number(String),
    Sign(&'static str),
    /// The end of a line, where a formula may end; or a semicolon.
    End,
}

/// A token, and the bytes that it takes.
pub(crate) type Placed = (Token, std::ops::Range<usize>);

/// Longer ones first.
const SIGNS: [&str; 29] = [
    "<->", "<=>", ":=", "->", "=>", "||", "&&", "==", "!=", "<=", ">=", "<>", "[]", "..", "!", "~", "&", "|",
    "^", "=", "<", ">", "(", ")", "[", "]", ":", ";", "-",
];

/// Words that may end in `!` or `!_`.
const STRONG: [&str; 4] = ["until", "eventually", "next", "before"];

pub(crate) fn tokens(text: &str, is_operator: fn(&str) -> bool) -> Result<Vec<Placed>, Diagnostic> {
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
            let goes_on = open > 0 || found.last().is_none_or(|(last, _)| goes_on(last, is_operator));
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
            at += name(rest, is_operator);
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

/// How long the name is that a text begins with: with an index that follows at once, and the marks of strong
/// operators.
fn name(text: &str, is_operator: fn(&str) -> bool) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || "_.$~:@\\".contains(c);
    let mut length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // After an operator a tilde is one, too.
    length = text[..length].find('~').filter(|&at| is_operator(&text[..at])).unwrap_or(length);
    // A colon before an equals sign gives a name; two points are a range.
    length = text[..length].find("..").unwrap_or(length);
    if text[length..].starts_with('=') && text[..length].ends_with(':') {
        length -= 1;
    }
    let word = &text[..length];
    if STRONG.contains(&word) && text[length..].starts_with('!') && !text[length..].starts_with("!=") {
        return length + if text[length + 1..].starts_with('_') { 2 } else { 1 };
    }
    while !is_operator(&text[..length]) {
        match index(&text[length..]) {
            Some(index) => length += index,
            None => break,
        }
    }
    length
}

/// How long the index is that a text begins with.
fn index(text: &str) -> Option<usize> {
    let (end, signs) = match text.chars().next()? {
        '[' => (']', ":"),
        '<' => ('>', ":*"),
        _ => return None,
    };
    let inside = &text[1..1 + text[1..].find(end)?];
    let is_index = inside.chars().all(|c| c.is_ascii_digit() || signs.contains(c));
    (is_index && !inside.is_empty()).then_some(inside.len() + 2)
}

/// Whether a formula cannot end here.
fn goes_on(token: &Token, is_operator: fn(&str) -> bool) -> bool {
    match token {
        Token::End => true,
        Token::Name(word) => is_operator(word),
        Token::Quoted(_) | Token::Number(_) => false,
        Token::Sign(sign) => ![")", "]"].contains(sign),
    }
}

pub(crate) fn wrong(text: &str, at: std::ops::Range<usize>, what: impl Into<String>) -> Diagnostic {
    let (position, line) = place(text, at.start);
    Diagnostic::new(what).at(position).with_source(line).with_length(at.len().max(1) as u32)
}

pub(crate) fn place(text: &str, at: usize) -> (Position, &str) {
    let at = at.min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line = text[..at].matches('\n').count() as u32 + 1;
    (Position::text(line, (at - start) as u32 + 1), text[start..].lines().next().unwrap_or_default())
}

/// Where a reader is.
pub(crate) struct Cursor<'a> {
    pub text: &'a str,
    pub tokens: &'a [Placed],
    pub next: usize,
    pub is_operator: fn(&str) -> bool,
    pub atoms: Vec<Atom>,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, tokens: &'a [Placed], is_operator: fn(&str) -> bool) -> Cursor<'a> {
        Cursor { text, tokens, next: 0, is_operator, atoms: Vec::new() }
    }

    /// The name in front of a formula, and where it begins.
    pub fn begin(&mut self) -> (Option<String>, usize) {
        self.atoms = Vec::new();
        let named = match &self.tokens[self.next..] {
            [(Token::Name(name) | Token::Quoted(name), _), (Token::Sign(":="), _), ..] => Some(name.clone()),
            _ => None,
        };
        self.next += if named.is_some() { 2 } else { 0 };
        (named, self.here().start)
    }

    /// A formula that ends before the token that comes.
    pub fn end<F>(&mut self, (name, start): (Option<String>, usize), formula: F) -> Stated<F> {
        let end = self.tokens[self.next - 1].1.end;
        let words: Vec<&str> = self.text[start..end].split_whitespace().collect();
        let (text, position) = (words.join(" "), place(self.text, start).0);
        Stated { name, text, position, formula, atoms: std::mem::take(&mut self.atoms) }
    }

    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    pub fn take(&mut self, wanted: &Token) -> bool {
        let found = self.peek() == Some(wanted);
        self.next += usize::from(found);
        found
    }

    pub fn sign(&mut self, sign: &'static str) -> bool {
        self.take(&Token::Sign(sign))
    }

    /// One of these words or signs.
    pub fn one_of(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
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
    pub fn here(&self) -> std::ops::Range<usize> {
        let end = self.text.trim_end().len();
        self.tokens.get(self.next).map_or(end..end, |(_, at)| at.clone())
    }

    pub fn wrong(&self, what: impl Into<String>) -> Diagnostic {
        wrong(self.text, self.here(), what)
    }

    /// A constant.
    pub fn truth(&mut self) -> Option<bool> {
        self.one_of(&["true", "false"]).map(|word| word == "true")
    }

    /// A name, or a comparison: its place in `atoms`.
    pub fn atom(&mut self) -> Result<usize, Diagnostic> {
        self.compared(&COMPARISONS)
    }

    /// The same with these comparisons only.
    pub fn compared(&mut self, comparisons: &[(&'static str, Comparison)]) -> Result<usize, Diagnostic> {
        let (position, line) = place(self.text, self.here().start);
        let line = line.to_string();
        let left = self.operand()?;
        let signs: Vec<&'static str> = comparisons.iter().map(|(sign, _)| *sign).collect();
        let comparison = self.one_of(&signs);
        let comparison =
            comparison.and_then(|sign| Some(comparisons.iter().find(|(known, _)| *known == sign)?.1));
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
        Ok(known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        }))
    }

    fn operand(&mut self) -> Result<Operand, Diagnostic> {
        let operand = match self.peek() {
            Some(Token::Name(word)) if !(self.is_operator)(word) => Operand::Name(word.clone()),
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
