//! Types.

use super::{Parsed, Parser};
use crate::ast::{Machine, TypeExpr, TypeKind};
use crate::lexer::Tok;

/// Machine integers may be this wide.
pub(crate) const WIDEST: u32 = 4096;

/// The machine integers that have a name.
pub fn named_machine(word: &str) -> Option<Machine> {
    let (signed, width) = match word {
        "int8" => (true, 8),
        "int16" => (true, 16),
        "int32" => (true, 32),
        "int64" => (true, 64),
        "uint8" => (false, 8),
        "uint16" => (false, 16),
        "uint32" => (false, 32),
        "uint64" => (false, 64),
        _ => return None,
    };
    Some(Machine { signed, width })
}

impl Parser<'_> {
    /// A type with its array sizes: `int^3^2`, and JKind's `int[3]`.
    pub(super) fn ty(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let mut ty = self.nested(Self::simple_type)?;
        let mut sizes = 0;
        loop {
            let size = if self.eat(Tok::Caret) {
                self.nested(Self::power)?
            } else if self.eat(Tok::LBracket) {
                let size = self.expr()?;
                self.expect(Tok::RBracket)?;
                size
            } else {
                return Ok(ty);
            };
            sizes += 1;
            if sizes > 100 {
                return self.fail(start, "an array has at most 100 dimensions");
            }
            ty = TypeExpr { span: start.to(self.previous()), kind: TypeKind::Array(Box::new(ty), size) };
        }
    }

    fn simple_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let kind = match self.tok() {
            Tok::BoolType => self.plain(TypeKind::Bool),
            Tok::IntType => self.plain(TypeKind::Int),
            Tok::RealType => self.plain(TypeKind::Real),
            Tok::Subrange => self.subrange()?,
            Tok::LBracket => {
                self.advance();
                let parts = self.commas(Self::ty)?;
                self.expect(Tok::RBracket)?;
                TypeKind::Tuple(parts)
            }
            Tok::Ident => self.word_type()?,
            Tok::Struct | Tok::Enum => {
                return self
                    .fail(start, "a struct or an enum is declared with a name of its own: type T = …;");
            }
            _ => return self.expected("a type"),
        };
        Ok(TypeExpr { span: start.to(self.previous()), kind })
    }

    fn plain(&mut self, kind: TypeKind) -> TypeKind {
        self.advance();
        kind
    }

    fn word_type(&mut self) -> Parsed<TypeKind> {
        let word = self.text_of(self.span());
        if let Some(machine) = named_machine(word) {
            return Ok(self.plain(TypeKind::Machine(machine)));
        }
        match (word, self.peek(1)) {
            ("uint" | "sint", Tok::Lt) => {
                self.advance();
                Ok(TypeKind::Machine(self.width(word == "sint")?))
            }
            ("set", Tok::Lt) => {
                self.advance();
                let mut types = self.type_args()?;
                if types.len() != 1 {
                    return self.fail(self.previous(), "a set has one type argument");
                }
                Ok(TypeKind::Set(Box::new(types.remove(0))))
            }
            ("map", Tok::Lt) => {
                self.advance();
                let types = self.type_args()?;
                let Ok([key, value]) = <[TypeExpr; 2]>::try_from(types) else {
                    return self.fail(self.previous(), "a map has two type arguments");
                };
                Ok(TypeKind::Map(Box::new(key), Box::new(value)))
            }
            ("subtype", Tok::LBrace) => {
                self.advance();
                let (var, ty, pred) = self.refinement()?;
                Ok(TypeKind::Refined(var, Box::new(ty), pred))
            }
            ("history", Tok::LParen) => {
                self.advance();
                self.advance();
                let stream = self.ident()?;
                self.expect(Tok::RParen)?;
                Ok(TypeKind::History(stream))
            }
            _ => {
                let name = self.ident()?;
                let args = if self.tok() == Tok::Lt { self.type_args()? } else { Vec::new() };
                Ok(TypeKind::Named(name, args))
            }
        }
    }

    /// `<25>`
    pub(super) fn width(&mut self, signed: bool) -> Parsed<Machine> {
        self.expect(Tok::Lt)?;
        let span = self.expect(Tok::Int)?;
        self.expect(Tok::Gt)?;
        match self.text_of(span).parse() {
            Ok(width @ 1..=WIDEST) => Ok(Machine { signed, width }),
            _ => self.fail(span, format!("a machine integer has 1 to {WIDEST} bits")),
        }
    }

    /// `<T, U>`
    pub(super) fn type_args(&mut self) -> Parsed<Vec<TypeExpr>> {
        self.expect(Tok::Lt)?;
        self.listed(Tok::Gt, Self::ty)
    }

    /// `{ x: T | p }`
    pub(super) fn refinement(&mut self) -> Parsed<(crate::ast::Ident, TypeExpr, crate::ast::ExprId)> {
        self.expect(Tok::LBrace)?;
        let var = self.ident()?;
        self.expect(Tok::Colon)?;
        let ty = self.ty()?;
        self.expect(Tok::Bar)?;
        let pred = self.expr()?;
        self.expect(Tok::RBrace)?;
        Ok((var, ty, pred))
    }

    /// `subrange [1, *] of int`
    fn subrange(&mut self) -> Parsed<TypeKind> {
        self.advance();
        self.expect(Tok::LBracket)?;
        let low = self.bound()?;
        self.expect(Tok::Comma)?;
        let high = self.bound()?;
        self.expect(Tok::RBracket)?;
        self.expect(Tok::Of)?;
        self.expect(Tok::IntType)?;
        Ok(TypeKind::Subrange(low, high))
    }

    fn bound(&mut self) -> Parsed<Option<crate::ast::ExprId>> {
        if self.eat(Tok::Star) { Ok(None) } else { self.expr().map(Some) }
    }
}
