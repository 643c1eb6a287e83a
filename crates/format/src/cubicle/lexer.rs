//! Words of a Cubicle file.

use buttress_term::MAX_DIGITS;

/// A place in the file: line and column from 1, and how many bytes are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    pub line: u32,
    pub column: u32,
    pub length: u32,
}

/// An error message and its place.
#[derive(Clone, Debug)]
pub struct Wrong {
    pub message: String,
    pub at: At,
}

pub fn wrong<T>(at: At, message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { message: message.into(), at })
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// Begins with a small letter or an underscore: parameters, transitions and the words of the language.
    Name(String),
    /// Begins with a capital letter: variables, arrays and constructors.
    Capital(String),
    Int(String),
    Real(String),
    /// Operators and brackets.
    Sign(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub struct Placed {
    pub token: Token,
    pub at: At,
}

/// The longer ones first.
const SIGNS: [&str; 30] = [
    "<=>", ":=", "&&", "||", "=>", "<=", ">=", "<>", "(", ")", "{", "}", "[", "]", ",", ";", ":", ".", "=",
    "<", ">", "|", "+", "-", "*", "?", "_", "#", "!", "/",
];

struct Lexer<'a> {
    text: &'a str,
    place: usize,
    line: u32,
    line_start: usize,
}

/// The words of a file, the end last.
pub fn tokens(text: &str) -> Result<Vec<Placed>, Wrong> {
    let mut lexer = Lexer { text, place: 0, line: 1, line_start: 0 };
    let mut all = Vec::new();
    loop {
        lexer.skip()?;
        let (start, at) = (lexer.place, lexer.at());
        let token = lexer.token()?;
        let end = token == Token::End;
        all.push(Placed { token, at: At { length: (lexer.place - start) as u32, ..at } });
        if end {
            return Ok(all);
        }
    }
}

impl Lexer<'_> {
    fn at(&self) -> At {
        At { line: self.line, column: (self.place - self.line_start) as u32 + 1, length: 1 }
    }

    fn rest(&self) -> &str {
        &self.text[self.place..]
    }

    fn advance(&mut self) {
        let Some(next) = self.rest().chars().next() else { return };
        self.place += next.len_utf8();
        if next == '\n' {
            self.line += 1;
            self.line_start = self.place;
        }
    }

    /// Blanks and comments, which nest.
    fn skip(&mut self) -> Result<(), Wrong> {
        let (mut depth, mut opened) = (0u32, self.at());
        loop {
            let rest = self.rest();
            if rest.starts_with("(*") {
                opened = if depth == 0 { self.at() } else { opened };
                depth += 1;
                self.place += 2;
            } else if depth > 0 && rest.starts_with("*)") {
                depth -= 1;
                self.place += 2;
            } else if rest.is_empty() && depth > 0 {
                return wrong(opened, "this comment has no end");
            } else if depth > 0 || rest.starts_with(char::is_whitespace) {
                self.advance();
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Wrong> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        let length = |of: fn(char) -> bool| rest.find(|c: char| !of(c)).unwrap_or(rest.len());
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'' || c == '@';
        if first.is_ascii_alphabetic() || first == '_' && length(word) > 1 {
            let name = rest[..length(word)].to_string();
            self.place += name.len();
            let capital = first.is_ascii_uppercase();
            return Ok(if capital { Token::Capital(name) } else { Token::Name(name) });
        }
        if first.is_ascii_digit() {
            let whole = length(|c| c.is_ascii_digit());
            let after = &rest[whole..];
            let fraction = match after.strip_prefix('.') {
                Some(digits) => 1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()),
                None => 0,
            };
            if whole + fraction > MAX_DIGITS {
                return wrong(self.at(), format!("numbers have up to {MAX_DIGITS} digits"));
            }
            let number = rest[..whole + fraction].to_string();
            self.place += number.len();
            return Ok(if fraction > 0 { Token::Real(number) } else { Token::Int(number) });
        }
        match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            Some(sign) => {
                self.place += sign.len();
                Ok(Token::Sign(sign))
            }
            None => wrong(self.at(), format!("`{first}` begins no word of the language")),
        }
    }
}
