//! Expressions. Binding, from weakest to strongest:
//!
//! `when` (sampling), `if`, `->` (right), `=>` (right), `or xor`, `and`, `in`, `= <> < <= > >=`, `+ -`,
//! `* / div mod`, `++`, `||`, `&&`, `lsh rsh`, `pre not -` and conversions, `^`, `[ ] .`.
//!
//! Unary minus binds as in JKind; in Kind 2 it is weaker than `mod`, so `-a mod b` gets a warning.

use buttress_term::MAX_DIGITS;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Pow;

use super::types::named_machine;
use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Call, CastTo, Clock, ExprId, ExprKind, Ident, Pattern, TypeExpr, UnaryOp};
use crate::lexer::Tok;
use crate::source::Span;

/// Left-associative levels from `or` to the shifts.
const LEVELS: usize = 10;
/// A decimal's exponent may be this large.
const EXPONENT: u32 = 10_000;

impl Parser<'_> {
    /// A whole expression, with samplings.
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.nested(|p| {
            let start = p.span();
            let mut value = p.arrow()?;
            while p.is_word(0, "when") {
                p.advance();
                let clock = p.clock()?;
                value = p.push(start, ExprKind::When(value, clock));
            }
            Ok(value)
        })
    }

    pub(super) fn clock(&mut self) -> Parsed<Clock> {
        if self.eat(Tok::True) {
            return Ok(Clock::Base);
        }
        if self.eat(Tok::Not) {
            let parenthesis = self.eat(Tok::LParen);
            let name = self.ident()?;
            if parenthesis {
                self.expect(Tok::RParen)?;
            }
            return Ok(Clock::NotOn(name));
        }
        let name = self.ident()?;
        if self.eat(Tok::LParen) {
            let clock = self.ident()?;
            self.expect(Tok::RParen)?;
            return Ok(Clock::Is(name, clock));
        }
        Ok(Clock::On(name))
    }

    fn arrow(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let first = self.implies()?;
        if !self.eat(Tok::Arrow) {
            return Ok(first);
        }
        let then = self.nested(Self::arrow)?;
        Ok(self.push(start, ExprKind::Binary(BinaryOp::Arrow, first, then)))
    }

    fn implies(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let left = self.binary(0)?;
        let lazy = self.tok() == Tok::LazyImplies;
        if !self.eat(Tok::Implies) && !self.eat(Tok::LazyImplies) {
            return Ok(left);
        }
        let right = self.nested(Self::implies)?;
        let made = self.push(start, ExprKind::Binary(BinaryOp::Implies, left, right));
        self.ast.lazy.extend(lazy.then_some(made));
        Ok(made)
    }

    /// The operator of this level that stands here.
    fn operator(&self, level: usize) -> Option<BinaryOp> {
        use BinaryOp::*;
        let op = match (level, self.tok()) {
            (0, Tok::Or) => Or,
            (0, Tok::Xor) => Xor,
            (1, Tok::And) => And,
            (2, Tok::Ident) if self.is_word(0, "in") => In,
            (3, Tok::Eq) => Eq,
            (3, Tok::Ne) => Ne,
            (3, Tok::Lt) => Lt,
            (3, Tok::Le) => Le,
            (3, Tok::Gt) => Gt,
            (3, Tok::Ge) => Ge,
            (4, Tok::Plus) => Add,
            (4, Tok::Minus) => Sub,
            (5, Tok::Star) => Mul,
            (5, Tok::Slash) => Slash,
            (5, Tok::Div) => Div,
            (5, Tok::Mod) => Mod,
            (6, Tok::Concat) => Concat,
            (7, Tok::BitOr) => BitOr,
            (8, Tok::BitAnd) => BitAnd,
            (9, Tok::Ident) if self.is_word(0, "lsh") => ShiftLeft,
            (9, Tok::Ident) if self.is_word(0, "rsh") => ShiftRight,
            _ => return None,
        };
        Some(op)
    }

    fn binary(&mut self, level: usize) -> Parsed<ExprId> {
        if level == LEVELS {
            return self.unary();
        }
        let start = self.span();
        let mut left = self.binary(level + 1)?;
        while let Some(op) = self.operator(level) {
            let sign = self.advance();
            let lazy = self.eat_laziness(op);
            let right = self.binary(level + 1)?;
            self.warn_of_minus(op, left, sign);
            left = self.push(start, ExprKind::Binary(op, left, right));
            self.ast.lazy.extend(lazy.then_some(left));
        }
        Ok(left)
    }

    /// `and then`, `or else`
    fn eat_laziness(&mut self, op: BinaryOp) -> bool {
        match op {
            BinaryOp::And => self.eat(Tok::Then),
            BinaryOp::Or => self.eat(Tok::Else),
            _ => false,
        }
    }

    fn warn_of_minus(&mut self, op: BinaryOp, left: ExprId, sign: Span) {
        let negated = matches!(self.ast.kind(left), ExprKind::Unary(UnaryOp::Neg, _))
            && self.text.as_bytes()[self.ast.span(left).start as usize] == b'-'
            && self.ast.span(left).end <= sign.start;
        let closed = self.text[..sign.start as usize].trim_end().ends_with(')');
        if negated && !closed && matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            let span = self.ast.span(left).to(sign);
            let warning = self.findings.warn(span, "here '-' binds more strongly than 'div' and 'mod', as in JKind; Kind 2 reads it the other way");
            warning.help("write parentheses");
        }
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let op = match self.tok() {
            Tok::Pre => UnaryOp::Pre,
            Tok::Not => UnaryOp::Not,
            Tok::Minus => UnaryOp::Neg,
            Tok::Bang => UnaryOp::BitNot,
            Tok::IntType | Tok::RealType => return self.cast(),
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        Ok(self.push(start, ExprKind::Unary(op, operand)))
    }

    /// `real(x)`, `int x`
    fn cast(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let to = if self.tok() == Tok::IntType { CastTo::Int } else { CastTo::Real };
        self.advance();
        let operand = self.nested(Self::unary)?;
        Ok(self.push(start, ExprKind::Cast(to, operand)))
    }

    fn postfix(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut value = self.primary()?;
        loop {
            value = match self.tok() {
                Tok::Dot | Tok::LBracket if self.at_part(start) => self.part(start)?,
                Tok::Dot if self.peek(1) == Tok::Ident => {
                    self.advance();
                    let field = self.ident()?;
                    self.push(start, ExprKind::Field(value, field))
                }
                Tok::LBracket => self.bracket(start, value)?,
                Tok::LBrace if self.peek(1) == Tok::Ident && self.peek(2) == Tok::Assign => {
                    self.brace(start, value)?
                }
                Tok::Caret => {
                    self.advance();
                    let size = self.nested(Self::power)?;
                    self.push(start, ExprKind::Repeat(value, size))
                }
                _ => return Ok(value),
            };
        }
    }

    /// Is this the name of a variable that was declared with a path, such as `x.f`?
    fn at_part(&self, start: Span) -> bool {
        !self.parts.is_empty() && self.part_end(start).is_some()
    }

    /// The longest declared path that starts here, as the number of tokens after the current one.
    fn part_end(&self, start: Span) -> Option<usize> {
        let spans = self.tokens[self.at..].iter().take_while(|t| {
            matches!(t.tok, Tok::Dot | Tok::LBracket | Tok::RBracket | Tok::Ident | Tok::Int)
        });
        let ends: Vec<u32> = spans.map(|t| t.span.end).collect();
        (0..ends.len())
            .rev()
            .find(|&n| self.parts.contains(self.text_of(Span { start: start.start, end: ends[n] })))
    }

    fn part(&mut self, start: Span) -> Parsed<ExprId> {
        let tokens = self.part_end(start).expect("the caller looked");
        for _ in 0..=tokens {
            self.advance();
        }
        let span = start.to(self.previous());
        let name = Ident { name: self.intern(span), span };
        Ok(self.push(start, ExprKind::Name(name, Vec::new())))
    }

    /// The size after `^`: a primary with its fields and indices.
    pub(super) fn power(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut value = self.primary()?;
        while self.tok() == Tok::Dot && self.peek(1) == Tok::Ident {
            self.advance();
            let field = self.ident()?;
            value = self.push(start, ExprKind::Field(value, field));
        }
        Ok(value)
    }

    /// `e{f := v}`
    fn brace(&mut self, start: Span, value: ExprId) -> Parsed<ExprId> {
        self.advance();
        let field = self.ident()?;
        self.advance();
        let new = self.expr()?;
        self.expect(Tok::RBrace)?;
        Ok(self.push(start, ExprKind::UpdateField(value, field, new)))
    }

    /// `e[i]`, `e[i := v; …]`, `e[7:0]`
    fn bracket(&mut self, start: Span, value: ExprId) -> Parsed<ExprId> {
        self.advance();
        if self.tok() == Tok::Int && self.peek(1) == Tok::Colon {
            let high = self.small_number()?;
            self.advance();
            let low = self.small_number()?;
            self.expect(Tok::RBracket)?;
            return Ok(self.push(start, ExprKind::Extract(value, high, low)));
        }
        let index = self.expr()?;
        if self.tok() == Tok::DotDot {
            return self.fail(self.span(), "array slices are not supported");
        }
        if self.tok() != Tok::Assign {
            self.expect(Tok::RBracket)?;
            return Ok(self.push(start, ExprKind::Index(value, index)));
        }
        let mut updated = self.update(start, value, index)?;
        while self.eat(Tok::Semi) {
            let index = self.expr()?;
            updated = self.update(start, updated, index)?;
        }
        self.expect(Tok::RBracket)?;
        Ok(updated)
    }

    fn update(&mut self, start: Span, value: ExprId, index: ExprId) -> Parsed<ExprId> {
        self.expect(Tok::Assign)?;
        let new = self.expr()?;
        Ok(self.push(start, ExprKind::Update(value, index, new)))
    }

    pub(super) fn small_number(&mut self) -> Parsed<u32> {
        let span = self.expect(Tok::Int)?;
        match self.text_of(span).parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail(span, "this number is too large here"),
        }
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        match self.tok() {
            Tok::True | Tok::False => {
                let value = self.tok() == Tok::True;
                self.advance();
                Ok(self.push(start, ExprKind::Bool(value)))
            }
            Tok::Int | Tok::Real => self.number(),
            Tok::If => {
                self.advance();
                self.conditional(start)
            }
            Tok::IntType | Tok::RealType => self.nested(Self::cast),
            Tok::Pre | Tok::Not | Tok::Minus | Tok::Bang => self.nested(Self::unary),
            Tok::Condact => self.nested(Self::condact),
            Tok::Colons => self.mode_reference(),
            Tok::Tick => {
                self.advance();
                self.expect(Tok::LParen)?;
                let parts = self.commas(Self::expr)?;
                self.expect(Tok::RParen)?;
                Ok(self.push(start, ExprKind::Tuple(parts)))
            }
            Tok::LBracket => {
                self.advance();
                let parts = self.commas(Self::expr)?;
                self.expect(Tok::RBracket)?;
                Ok(self.push(start, ExprKind::Array(parts)))
            }
            Tok::LBrace => self.set_literal(),
            Tok::LParen => self.parenthesis(),
            Tok::Hash => self.fail(start, "the operator '#' is not supported"),
            Tok::Ident => self.word(),
            _ => self.expected("an expression"),
        }
    }

    fn number(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let real = self.tok() == Tok::Real;
        let text = self.text_of(start);
        self.advance();
        if text.len() > MAX_DIGITS {
            return self.fail(start, format!("numbers have up to {MAX_DIGITS} digits"));
        }
        if real {
            return match decimal(text) {
                Some(value) => Ok(self.push(start, ExprKind::Real(value))),
                None => self.fail(start, format!("the exponent of a decimal is at most {EXPONENT}")),
            };
        }
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        match BigInt::parse_bytes(digits.as_bytes(), radix) {
            Some(value) => Ok(self.push(start, ExprKind::Int(value))),
            None => self.fail(start, "a hexadecimal number has digits after '0x'"),
        }
    }

    /// After `if`, or after the lazy `when`.
    fn conditional(&mut self, start: Span) -> Parsed<ExprId> {
        let cond = self.expr()?;
        self.expect(Tok::Then)?;
        let yes = self.expr()?;
        self.expect(Tok::Else)?;
        let no = self.nested(Self::arrow)?;
        Ok(self.push(start, ExprKind::If(cond, yes, no)))
    }

    fn mode_reference(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut path = Vec::new();
        while self.eat(Tok::Colons) {
            path.push(self.ident()?);
        }
        Ok(self.push(start, ExprKind::Mode(path)))
    }

    /// `{a, b}`, `{}@<T>`
    fn set_literal(&mut self) -> Parsed<ExprId> {
        let start = self.advance();
        let elements = self.listed(Tok::RBrace, Self::expr)?;
        let ty = if self.tok() == Tok::At { Some(Box::new(self.one_type_arg()?)) } else { None };
        Ok(self.push(start, ExprKind::SetLiteral { ty, elements }))
    }

    /// `@<T>`
    fn one_type_arg(&mut self) -> Parsed<TypeExpr> {
        self.expect(Tok::At)?;
        let mut types = self.type_args()?;
        if types.len() != 1 {
            return self.fail(self.previous(), "one type is expected here");
        }
        Ok(types.remove(0))
    }

    /// `(e)`, `(a, b)`, `(e : T)`, `(activate …)(…)`, `(restart …)(…)`
    fn parenthesis(&mut self) -> Parsed<ExprId> {
        if self.is_word(1, "activate") && matches!(self.peek(2), Tok::Ident | Tok::LParen) {
            return self.nested(Self::activate);
        }
        if self.is_word(1, "restart") && self.peek(2) == Tok::Ident {
            return self.nested(Self::restart);
        }
        let start = self.advance();
        let first = self.expr()?;
        if self.eat(Tok::Colon) {
            let ty = Box::new(self.ty()?);
            self.expect(Tok::RParen)?;
            return Ok(self.push(start, ExprKind::Ascribe(first, ty)));
        }
        if self.eat(Tok::RParen) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(Tok::Comma) {
            parts.push(self.expr()?);
        }
        self.expect(Tok::RParen)?;
        Ok(self.push(start, ExprKind::List(parts)))
    }

    /// `(e, …)`, possibly empty.
    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        self.expect(Tok::LParen)?;
        if self.eat(Tok::RParen) {
            return Ok(Vec::new());
        }
        let args = self.commas(Self::expr)?;
        self.expect(Tok::RParen)?;
        Ok(args)
    }

    fn call(&mut self) -> Parsed<Call> {
        let name = self.ident()?;
        let types = self.call_types()?;
        let args = self.arguments()?;
        Ok(Call { name, types, args })
    }

    fn call_types(&mut self) -> Parsed<Vec<TypeExpr>> {
        if !self.eat(Tok::At) {
            return Ok(Vec::new());
        }
        self.type_args()
    }

    /// `condact(c, N(…), d, …)`, `condact(c, (restart N every r)(…), d, …)`
    fn condact(&mut self) -> Parsed<ExprId> {
        let start = self.advance();
        self.expect(Tok::LParen)?;
        let clock = self.expr()?;
        self.expect(Tok::Comma)?;
        let (call, restart) = self.restartable_call()?;
        let mut defaults = Vec::new();
        while self.eat(Tok::Comma) {
            defaults.push(self.expr()?);
        }
        self.expect(Tok::RParen)?;
        Ok(self.push(start, ExprKind::Condact { clock, call, restart, defaults }))
    }

    fn restartable_call(&mut self) -> Parsed<(Call, Option<ExprId>)> {
        if self.tok() != Tok::LParen {
            return Ok((self.call()?, None));
        }
        let (name, every) = self.restart_head()?;
        let args = self.arguments()?;
        Ok((Call { name, types: Vec::new(), args }, Some(every)))
    }

    /// `(restart N every r)`
    fn restart_head(&mut self) -> Parsed<(Ident, ExprId)> {
        self.expect(Tok::LParen)?;
        self.expect_word("restart")?;
        let name = self.ident()?;
        self.expect_word("every")?;
        let every = self.expr()?;
        self.expect(Tok::RParen)?;
        Ok((name, every))
    }

    fn restart(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let (name, every) = self.restart_head()?;
        let args = self.arguments()?;
        Ok(self.push(start, ExprKind::Restart { call: Call { name, types: Vec::new(), args }, every }))
    }

    /// `(activate N every c initial default d, … restart every r)(…)`
    fn activate(&mut self) -> Parsed<ExprId> {
        let start = self.advance();
        self.advance();
        let (name, mut restart) = if self.tok() == Tok::LParen {
            let (name, every) = self.restart_head()?;
            (name, Some(every))
        } else {
            (self.ident()?, None)
        };
        self.expect_word("every")?;
        let clock = self.expr()?;
        let mut defaults = None;
        if self.eat_word("initial") {
            self.expect_word("default")?;
            defaults = Some(if self.tok() == Tok::RParen { Vec::new() } else { self.commas(Self::expr)? });
        }
        if self.eat_word("restart") {
            self.expect_word("every")?;
            restart = Some(self.expr()?);
        }
        self.expect(Tok::RParen)?;
        let args = self.arguments()?;
        let call = Call { name, types: Vec::new(), args };
        Ok(match defaults {
            Some(defaults) => self.push(start, ExprKind::Condact { clock, call, restart, defaults }),
            None => self.push(start, ExprKind::Activate { clock, call, restart }),
        })
    }

    /// An expression that starts with a name or a keyword of Kind 2.
    fn word(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let next = self.peek(1);
        match self.text_of(start) {
            "when" => {
                self.advance();
                let made = self.conditional(start)?;
                self.ast.lazy.push(made);
                Ok(made)
            }
            "forall" | "exists" if next == Tok::LParen => self.quantifier(),
            "any" | "choose" if matches!(next, Tok::At | Tok::LBrace) => self.any(),
            "match" if next != Tok::Semi => self.matching(),
            "merge" if matches!(next, Tok::LParen | Tok::Ident) => self.merge(),
            "map" if next == Tok::LBracket => self.map_literal(),
            "last" if next == Tok::Ident => {
                self.advance();
                let name = self.ident()?;
                Ok(self.push(start, ExprKind::Last(name)))
            }
            "current" if next == Tok::Ident || next == Tok::LParen => {
                let error = self.findings.error(start, "the operator 'current' is not supported");
                error.help("use 'merge', or 'condact' with an initial value");
                Err(super::Failed)
            }
            "fby" if next == Tok::LParen => self.fail(start, "the operator 'fby' is not supported"),
            "with" => self.fail(start, "recursive nodes ('with … then … else') are not supported"),
            "uint" | "sint" if next == Tok::At => {
                let signed = self.text_of(start) == "sint";
                self.advance();
                self.advance();
                let machine = self.width(signed)?;
                self.machine_cast(start, CastTo::Machine(machine))
            }
            word => match named_machine(word) {
                Some(machine) if next != Tok::Semi => {
                    self.advance();
                    self.machine_cast(start, CastTo::Machine(machine))
                }
                _ => self.named(),
            },
        }
    }

    /// Conversions to machine integers bind most weakly, as in Kind 2.
    fn machine_cast(&mut self, start: Span, to: CastTo) -> Parsed<ExprId> {
        let operand = self.expr()?;
        Ok(self.push(start, ExprKind::Cast(to, operand)))
    }

    /// `x`, `N(…)`, `N@<T>(…)`, `C?(…)`, `point {…}`
    fn named(&mut self) -> Parsed<ExprId> {
        let name = self.ident()?;
        let start = name.span;
        if self.tok() == Tok::Question && self.peek(1) == Tok::LParen {
            self.advance();
            let args = self.arguments()?;
            return match args[..] {
                [arg] => Ok(self.push(start, ExprKind::Test(name, arg))),
                _ => self.fail(start, "a test for a constructor has one argument"),
            };
        }
        let types = self.call_types()?;
        if self.tok() == Tok::LParen {
            let args = self.arguments()?;
            return Ok(self.push(start, ExprKind::Call(Call { name, types, args })));
        }
        let record = self.tok() == Tok::LBrace && self.peek(1) == Tok::Ident && self.peek(2) == Tok::Eq;
        if record {
            self.advance();
            let fields = self.listed(Tok::RBrace, |p| {
                let field = p.ident()?;
                p.expect(Tok::Eq)?;
                Ok((field, p.expr()?))
            })?;
            return Ok(self.push(start, ExprKind::Record { name, types, fields }));
        }
        Ok(self.push(start, ExprKind::Name(name, types)))
    }

    fn quantifier(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let all = self.text_of(start) == "forall";
        self.advance();
        self.advance();
        let groups = self.listed(Tok::RParen, |p| p.typed_idents(false))?;
        let vars = groups.into_iter().flatten().collect();
        let body = self.nested(Self::implies)?;
        Ok(self.push(start, ExprKind::Quantifier { all, vars, body }))
    }

    /// `any@<T>`, `any {x: T | p}`
    fn any(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let choose = self.text_of(start) == "choose";
        self.advance();
        let (var, ty, pred) = if self.tok() == Tok::At {
            (None, self.one_type_arg()?, None)
        } else {
            let (var, ty, pred) = self.refinement()?;
            (Some(var), ty, Some(pred))
        };
        Ok(self.push(start, ExprKind::Any { choose, var, ty: Box::new(ty), pred }))
    }

    /// `match e with | C(x) : a | _ : b end`
    fn matching(&mut self) -> Parsed<ExprId> {
        let start = self.advance();
        let value = self.expr()?;
        self.expect_word("with")?;
        let mut arms = Vec::new();
        while self.eat(Tok::Bar) {
            let pattern = self.pattern()?;
            self.expect(Tok::Colon)?;
            arms.push((pattern, self.expr()?));
        }
        self.expect_word("end")?;
        if arms.is_empty() {
            return self.fail(start, "a match has at least one case");
        }
        Ok(self.push(start, ExprKind::Match { value, arms }))
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        self.nested(|p| {
            let name = p.ident()?;
            let mut args = Vec::new();
            if p.eat(Tok::LParen) {
                args = p.commas(Self::pattern)?;
                p.expect(Tok::RParen)?;
            }
            Ok(Pattern { span: name.span.to(p.previous()), name, args })
        })
    }

    /// `merge(c; a; b)`, `merge c (A -> a) (B -> b)`
    fn merge(&mut self) -> Parsed<ExprId> {
        let start = self.advance();
        let mut cases = Vec::new();
        let clock;
        if self.eat(Tok::LParen) {
            clock = self.ident()?;
            self.expect(Tok::Semi)?;
            for label in ["true", "false"] {
                let span = self.span();
                let value = self.expr()?;
                cases.push((Ident { name: label.into(), span }, value));
                self.expect(if label == "true" { Tok::Semi } else { Tok::RParen })?;
            }
        } else {
            clock = self.ident()?;
            while self.eat(Tok::LParen) {
                let label = self.label()?;
                self.expect(Tok::Arrow)?;
                cases.push((label, self.expr()?));
                self.expect(Tok::RParen)?;
            }
        }
        Ok(self.push(start, ExprKind::Merge { clock, cases }))
    }

    fn label(&mut self) -> Parsed<Ident> {
        if matches!(self.tok(), Tok::True | Tok::False) {
            let span = self.advance();
            return Ok(Ident { name: self.intern(span), span });
        }
        self.ident()
    }

    /// `map[k := v; …]`, `map[]@<K, V>`
    fn map_literal(&mut self) -> Parsed<ExprId> {
        let start = self.advance();
        self.advance();
        let entries = self.listed(Tok::RBracket, |p| {
            let key = p.expr()?;
            p.expect(Tok::Assign)?;
            Ok((key, p.expr()?))
        })?;
        let mut types = None;
        if self.eat(Tok::At) {
            let Ok([key, value]) = <[TypeExpr; 2]>::try_from(self.type_args()?) else {
                return self.fail(self.previous(), "a map has two type arguments");
            };
            types = Some(Box::new((key, value)));
        }
        Ok(self.push(start, ExprKind::MapLiteral { types, entries }))
    }
}

/// The exact value of `1.5e-3` or `0x12.34p-3`; `None` where the exponent is too large.
fn decimal(text: &str) -> Option<BigRational> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => scaled(digits, ['p', 'P'], 16, 2),
        None => scaled(text, ['e', 'E'], 10, 10),
    }
}

fn scaled(text: &str, mark: [char; 2], radix: u32, base: u32) -> Option<BigRational> {
    let (mantissa, exponent) = text.split_once(mark).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = BigInt::parse_bytes(format!("0{whole}{fraction}").as_bytes(), radix)?;
    let scale = BigRational::new(digits, Pow::pow(&BigInt::from(radix), fraction.len()));
    let exponent: i64 = exponent.parse().ok()?;
    if exponent.unsigned_abs() > u64::from(EXPONENT) {
        return None;
    }
    let power = BigRational::from(Pow::pow(&BigInt::from(base), exponent.unsigned_abs()));
    Some(if exponent < 0 { scale / power } else { scale * power })
}
