//! From tokens to the syntax tree, by recursive descent.
//!
//! The grammar is that of JKind (`Lustre.g4`) together with that of Kind 2 (its manual and `lustreParser.mly`),
//! read from their documentation. Where both give a meaning to the same text, and not the same one, JKind's is
//! taken and a warning says so.
//!
//! After an error the parser goes on at the next equation or declaration, so that several are reported.
//! Nesting is limited to [`DEPTH`]; later phases recurse as deeply as this one.

mod contract;
mod decl;
mod expr;
mod types;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, Expr, ExprId, ExprKind, Ident, Name};
use crate::lexer::{Tok, Token};
use crate::source::{Findings, Span};

pub(crate) use types::WIDEST;

/// How deeply expressions, types and blocks may be nested; a sum of n terms counts n.
pub const DEPTH: u32 = 10_000;
/// After so many findings the rest is noise.
const ENOUGH: usize = 50;

/// The error was reported; who gets it looks for a place to go on.
struct Failed;

type Parsed<T> = Result<T, Failed>;

pub fn parse(text: &str, tokens: &[Token], findings: &mut Findings) -> Ast {
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        heights: Vec::new(),
        ast: Ast::default(),
        names: FxHashMap::default(),
        parts: FxHashSet::default(),
        findings,
    };
    parser.program();
    parser.ast
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    /// How deep each expression is.
    heights: Vec<u32>,
    ast: Ast,
    names: FxHashMap<&'a str, Name>,
    /// Variables that are declared with a path, as JKind writes parts of structures: `x.f`, `a[0]`.
    parts: FxHashSet<&'a str>,
    findings: &'a mut Findings,
}

impl<'a> Parser<'a> {
    fn tok(&self) -> Tok {
        self.tokens[self.at].tok
    }

    /// The token `ahead` of the current one.
    fn peek(&self, ahead: usize) -> Tok {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].tok
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the last token read.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn text_of(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.tok() == tok;
        if found {
            self.advance();
        }
        found
    }

    /// Is the token `ahead` this word of Kind 2, which is no keyword?
    fn is_word(&self, ahead: usize, word: &str) -> bool {
        let token = self.tokens[(self.at + ahead).min(self.tokens.len() - 1)];
        token.tok == Tok::Ident && self.text_of(token.span) == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(0, word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        if self.is_word(0, word) { Ok(self.advance()) } else { self.expected(&format!("'{word}'")) }
    }

    fn expect(&mut self, tok: Tok) -> Parsed<Span> {
        if self.tok() == tok { Ok(self.advance()) } else { self.expected(tok.describe()) }
    }

    /// A missing `;` is pointed at where it should stand.
    fn expect_semi(&mut self) -> Parsed<()> {
        if self.eat(Tok::Semi) {
            return Ok(());
        }
        let end = self.previous().end;
        let message = format!("expected ';', found {}", self.found());
        self.findings.error(Span { start: end.saturating_sub(1), end }, message);
        Err(Failed)
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let message = format!("expected {what}, found {}", self.found());
        self.findings.error(self.span(), message);
        Err(Failed)
    }

    fn found(&self) -> String {
        match self.tok() {
            Tok::Ident | Tok::Int | Tok::Real => format!("'{}'", self.text_of(self.span())),
            tok => tok.describe().to_string(),
        }
    }

    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.findings.error(span, message);
        Err(Failed)
    }

    fn ident(&mut self) -> Parsed<Ident> {
        if self.tok() != Tok::Ident {
            return self.expected("a name");
        }
        let span = self.advance();
        Ok(Ident { name: self.intern(span), span })
    }

    fn intern(&mut self, span: Span) -> Name {
        let text = self.text_of(span);
        self.names.entry(text).or_insert_with(|| text.into()).clone()
    }

    /// Adds an expression that ends where the last token does.
    fn push(&mut self, start: Span, kind: ExprKind) -> ExprId {
        let span = start.to(self.previous());
        let mut below = 0;
        kind.each_child(&mut |child| below = below.max(self.heights[child.0 as usize]));
        let (height, kind) = if below < DEPTH { (below + 1, kind) } else { (1, self.too_deep(span)) };
        let id = ExprId(self.ast.exprs.len() as u32);
        self.heights.push(height);
        self.ast.exprs.push(Expr { span, kind });
        id
    }

    fn too_deep(&mut self, span: Span) -> ExprKind {
        self.findings.error(span, format!("this is nested more than {DEPTH} levels deep"));
        ExprKind::Error
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return self.fail(self.span(), format!("this is nested more than {DEPTH} levels deep"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// `item, item, …`; at least one.
    fn commas<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![item(self)?];
        while self.eat(Tok::Comma) {
            list.push(item(self)?);
        }
        Ok(list)
    }

    /// Items up to `close`, separated by `;` or `,`, one of which may stand at the end.
    fn listed<T>(&mut self, close: Tok, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = Vec::new();
        while self.tok() != close {
            list.push(item(self)?);
            if !self.eat(Tok::Semi) && !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(close)?;
        Ok(list)
    }

    fn idents(&mut self) -> Parsed<Vec<Ident>> {
        self.commas(Self::ident)
    }
}
