//! Words of Lustre. Comments disappear, annotations (`--%PROPERTY`, `(*@contract`, …) become tokens.
//!
//! Only the words that JKind reserves are keywords here. What Kind 2 reserves beyond them (`in`, `check`,
//! `frame`, …) stays an identifier, and the parser knows the places where it is one of its words: models
//! written for JKind use such names for variables.

use crate::source::{Findings, Span};

macro_rules! tokens {
    (words { $($word:ident $text:literal)* } marks { $($mark:ident $sign:literal)* }) => {
        /// The kind of a token; its text is in the source.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Tok {
            Ident, Int, Real, Str, End,
            /// `--%MAIN`, `--!MAIN`, and as a block.
            Main,
            /// `--%PROPERTY`, `--!PROPERTY`, and as a block.
            Property,
            Ivc, Realizable,
            /// `(*@contract` or `/*@contract`.
            Contract,
            /// The end of an annotation that is a block.
            BlockEnd,
            $($word,)* $($mark,)*
        }

        fn keyword(text: &str) -> Option<Tok> {
            match text { $($text => Some(Tok::$word),)* _ => None }
        }

        /// Longest first.
        const MARKS: &[(&str, Tok)] = &[$(($sign, Tok::$mark),)*];

        impl Tok {
            pub fn describe(self) -> &'static str {
                match self {
                    Tok::Ident => "a name", Tok::Int => "a number", Tok::Real => "a decimal",
                    Tok::Str => "a string", Tok::End => "the end of the file",
                    Tok::Main => "--%MAIN", Tok::Property => "--%PROPERTY", Tok::Ivc => "--%IVC",
                    Tok::Realizable => "--%REALIZABLE", Tok::Contract => "(*@contract",
                    Tok::BlockEnd => "the end of the annotation",
                    $(Tok::$word => concat!("'", $text, "'"),)* $(Tok::$mark => concat!("'", $sign, "'"),)*
                }
            }
        }
    };
}

tokens! {
    words {
        Type "type" Const "const" Node "node" Function "function" Returns "returns" Var "var" Let "let" Tel "tel"
        Assert "assert" Pre "pre" Not "not" If "if" Then "then" Else "else" And "and" Or "or" Xor "xor"
        Div "div" Mod "mod" True "true" False "false" IntType "int" BoolType "bool" RealType "real"
        Subrange "subrange" Of "of" Struct "struct" Enum "enum" Condact "condact"
    }
    marks {
        LazyImplies "==>" Arrow "->" Implies "=>" Le "<=" Ge ">=" Ne "<>" Assign ":=" Colons "::" DotDot ".."
        Concat "++" BitAnd "&&" BitOr "||" Lt "<" Gt ">" Eq "=" Plus "+" Minus "-" Star "*" Slash "/" LParen "("
        RParen ")" LBracket "[" RBracket "]" LBrace "{" RBrace "}" Comma "," Semi ";" Colon ":" Dot "." Caret "^"
        At "@" Tick "'" Bar "|" Question "?" Bang "!" Hash "#"
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub tok: Tok,
    pub span: Span,
}

/// The tokens of a text, the last of them [`Tok::End`].
pub fn lex(text: &str, findings: &mut Findings) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::with_capacity(text.len() / 4), block: None, findings };
    while lexer.at < text.len() {
        lexer.step();
    }
    if let Some(block) = lexer.block.take() {
        lexer
            .findings
            .error(block.span, "this annotation is not closed")
            .help(format!("add {}", block.close));
    }
    lexer.push(Tok::End, text.len());
    lexer.tokens
}

/// An annotation that is a block, and how it ends.
struct Block {
    span: Span,
    close: &'static str,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    block: Option<Block>,
    findings: &'a mut Findings,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Adds the token from here to `end`.
    fn push(&mut self, tok: Tok, end: usize) {
        self.tokens.push(Token { tok, span: Span::new(self.at, end) });
        self.at = end;
    }

    fn step(&mut self) {
        let first = self.text.as_bytes()[self.at];
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' => self.at += 1,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'~' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            _ if self.closes_block() => self.close_block(),
            _ if self.rest().starts_with("--") => self.line("--"),
            _ if self.rest().starts_with("//") => self.line("//"),
            _ if self.rest().starts_with("(*") => self.block("*)"),
            _ if self.rest().starts_with("/*") => self.block("*/"),
            _ => self.mark(),
        }
    }

    fn count(&self, accept: impl Fn(u8) -> bool) -> usize {
        self.text.as_bytes()[self.at..].iter().take_while(|&&b| accept(b)).count()
    }

    fn word(&mut self) {
        let end = self.at + self.count(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'~' | b'!'));
        let tok = keyword(&self.text[self.at..end]).unwrap_or(Tok::Ident);
        self.push(tok, end);
    }

    /// `12`, `0x1F`, `1.5`, `1.5e-3`, `2e4`, `0x12.34p-3`. A decimal point needs a digit after it.
    fn number(&mut self) {
        let hex = self.rest().starts_with("0x") || self.rest().starts_with("0X");
        let (start, exponent) = if hex { (self.at + 2, [b'p', b'P']) } else { (self.at, [b'e', b'E']) };
        let bytes = self.text.as_bytes();
        let accept = |b: &&u8| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
        let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(accept).count();
        let mut end = start + digits(start);
        let mut tok = Tok::Int;
        if bytes.get(end) == Some(&b'.')
            && (digits(end + 1) > 0 || (hex && bytes.get(end + 1) != Some(&b'.')))
        {
            end += 1 + digits(end + 1);
            tok = Tok::Real;
        }
        if bytes.get(end).is_some_and(|b| exponent.contains(b)) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
            let length =
                bytes[(end + 1 + sign).min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
            if length > 0 {
                end += 1 + sign + length;
                tok = Tok::Real;
            }
        }
        self.push(tok, end);
    }

    /// A string may go over lines.
    fn string(&mut self) {
        match self.text[self.at + 1..].find('"') {
            Some(length) => self.push(Tok::Str, self.at + length + 2),
            None => {
                let end = self.at + self.rest().find('\n').unwrap_or(self.rest().len());
                self.findings
                    .error(Span::new(self.at, end), "this string has no end")
                    .help("add a closing '\"'");
                self.at = end;
            }
        }
    }

    /// A comment to the end of the line, or an annotation.
    fn line(&mut self, open: &str) {
        let body = self.at + open.len();
        if open == "--"
            && matches!(self.text.as_bytes().get(body), Some(b'%' | b'!'))
            && let Some((tok, end)) = self.annotation(body + 1)
        {
            return self.push(tok, end);
        }
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// The annotation whose word starts at `from`.
    fn annotation(&self, from: usize) -> Option<(Tok, usize)> {
        let length = self.text[from..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let tok = match &self.text[from..from + length] {
            "MAIN" => Tok::Main,
            "PROPERTY" => Tok::Property,
            "IVC" => Tok::Ivc,
            "REALIZABLE" => Tok::Realizable,
            _ => return None,
        };
        Some((tok, from + length))
    }

    /// A comment up to `close`, or an annotation, whose words follow.
    fn block(&mut self, close: &'static str) {
        if let Some((tok, end)) = self.block_annotation() {
            self.block = Some(Block { span: Span::new(self.at, end), close });
            return self.push(tok, end);
        }
        match self.text[self.at + 2..].find(close) {
            Some(length) => self.at += length + 4,
            None => {
                let open = Span::new(self.at, self.at + 2);
                self.findings.error(open, "this comment has no end").help(format!("add {close}"));
                self.at = self.text.len();
            }
        }
    }

    fn block_annotation(&self) -> Option<(Tok, usize)> {
        let from = self.at + 2;
        let body = self.text[from..].trim_start();
        let start = self.text.len() - body.len();
        match body.as_bytes().first() {
            Some(b'%' | b'!') => self.annotation(start + 1),
            Some(b'@') if body[1..].starts_with("contract") => {
                Some((Tok::Contract, start + "@contract".len()))
            }
            _ => None,
        }
    }

    fn closes_block(&self) -> bool {
        self.block.as_ref().is_some_and(|block| self.rest().starts_with(block.close))
    }

    fn close_block(&mut self) {
        self.block = None;
        self.push(Tok::BlockEnd, self.at + 2);
    }

    fn mark(&mut self) {
        if let Some(&(sign, tok)) = MARKS.iter().find(|(sign, _)| self.rest().starts_with(sign)) {
            return self.push(tok, self.at + sign.len());
        }
        let odd = self.rest().chars().next().expect("text is left");
        let end = self.at + odd.len_utf8();
        self.findings.error(
            Span::new(self.at, end),
            format!("the character '{}' is no part of Lustre", odd.escape_default()),
        );
        self.at = end;
    }
}
