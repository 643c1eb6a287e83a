//! Operators and casts.

use std::sync::Arc;

use num_traits::Zero;

use crate::ast::{BinaryOp, CastTo, ExprId, ExprKind, Machine, UnaryOp};
use crate::check::Checker;
use crate::parser::WIDEST;
use crate::source::Span;
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, a: ExprId, span: Span) -> Type {
        let ty = self.infer(a);
        match op {
            UnaryOp::Not => {
                self.expect_type(self.ast.span(a), &ty, &Type::Bool, "the operand of 'not'");
                Type::Bool
            }
            UnaryOp::Pre => {
                if let Some(why) = self.scope.stateless {
                    return self.error(span, format!("'pre' cannot stand here: {why}"));
                }
                ty
            }
            UnaryOp::Neg => match self.base(&ty) {
                base @ (Type::Int | Type::Real | Type::Machine(_) | Type::Error | Type::Meta(_)) => base,
                _ => self.mismatch(span, "'-'", &ty, "a number"),
            },
            UnaryOp::BitNot => match self.base(&ty) {
                base @ (Type::Machine(_) | Type::Error) => base,
                _ => self.mismatch(span, "'!'", &ty, "a machine integer"),
            },
        }
    }

    pub(super) fn mismatch(&mut self, span: Span, op: &str, found: &Type, wanted: &str) -> Type {
        let found = self.show(found);
        self.error(span, format!("the operand of {op} has type {found}, expected {wanted}"))
    }

    /// Both operands, which must have one type; that of the first is kept where both are the same.
    pub(super) fn same(&mut self, a: ExprId, b: ExprId, span: Span, what: &str) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        self.agree(&left, &right, span, what)
    }

    pub(super) fn agree(&mut self, left: &Type, right: &Type, span: Span, what: &str) -> Type {
        if !self.unify(left, right) {
            let (left, right) = (self.show(left), self.show(right));
            let help = if matches!((&left[..], &right[..]), ("int", "real") | ("real", "int")) {
                "convert one of them: real(…), floor(…), or write 1.0 for 1"
            } else {
                "both must have one type"
            };
            return self.error_help(span, format!("{what} have types {left} and {right}"), help);
        }
        let (known_left, known_right) = (self.zonk(left), self.zonk(right));
        if known_left == known_right { known_left } else { self.join(&known_left, &known_right) }
    }

    /// A type for values of both: without the constraints in which they differ.
    pub(super) fn join(&self, a: &Type, b: &Type) -> Type {
        if a == b {
            return a.clone();
        }
        match (a.base(), b.base()) {
            (Type::List(xs), Type::List(ys)) if xs.len() == ys.len() => {
                Type::List(xs.iter().zip(ys.iter()).map(|(x, y)| self.join(x, y)).collect())
            }
            (Type::Error, other) | (other, Type::Error) => other.clone(),
            (base, _) => base.clone(),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        use BinaryOp::*;
        match op {
            And | Or | Xor | Implies => {
                let word = format!("the operand of '{}'", word(op));
                self.check_expr(a, &Type::Bool, &word);
                self.check_expr(b, &Type::Bool, &word);
                Type::Bool
            }
            Eq | Ne => {
                self.same(a, b, span, "the sides of a comparison");
                Type::Bool
            }
            Lt | Le | Gt | Ge => {
                let ty = self.same(a, b, span, "the sides of a comparison");
                match self.base(&ty) {
                    Type::Int | Type::Real | Type::Machine(_) | Type::Error | Type::Meta(_) => Type::Bool,
                    _ => {
                        self.mismatch(span, &format!("'{}'", word(op)), &ty, "a number");
                        Type::Bool
                    }
                }
            }
            Arrow => {
                if let Some(why) = self.scope.stateless {
                    return self.error(span, format!("'->' cannot stand here: {why}"));
                }
                self.same(a, b, span, "the sides of '->'")
            }
            In => self.membership(a, b),
            Concat => self.concat(a, b, span),
            ShiftLeft | ShiftRight | BitAnd | BitOr => self.bitwise(op, a, b, span),
            Add | Sub | Mul => self.arithmetic(op, a, b, span),
            Div | Mod | Slash => {
                self.warn_of_zero(op, b);
                self.division(op, a, b, span)
            }
        }
    }

    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        if let base @ (Type::Set(_) | Type::Map(..)) = self.base(&left) {
            let wanted = match (&base, op) {
                (Type::Map(key, _), BinaryOp::Sub) => Type::Set(key.clone()),
                _ => base.clone(),
            };
            self.expect_type(self.ast.span(b), &right, &wanted, "the right operand");
            return base;
        }
        let ty = self.agree(&left, &right, span, &format!("the operands of '{}'", word(op)));
        match self.base(&ty) {
            base @ (Type::Int
            | Type::Real
            | Type::Machine(_)
            | Type::Error
            | Type::Meta(_)
            | Type::Set(_)) => base,
            _ => self.mismatch(span, &format!("'{}'", word(op)), &ty, "a number"),
        }
    }

    /// `/` divides reals, and as in Kind 2 also integers, then it is `div`.
    pub(super) fn division(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        let ty = self.same(a, b, span, &format!("the operands of '{}'", word(op)));
        match (self.base(&ty), op) {
            (base @ (Type::Int | Type::Machine(_) | Type::Error | Type::Meta(_)), _) => base,
            (Type::Real, BinaryOp::Slash) => Type::Real,
            (Type::Real, _) => {
                self.error_help(span, format!("'{}' is for integers", word(op)), "use '/' for reals")
            }
            _ => self.mismatch(span, &format!("'{}'", word(op)), &ty, "a number"),
        }
    }

    pub(super) fn warn_of_zero(&mut self, op: BinaryOp, divisor: ExprId) {
        let zero = match self.ast.kind(divisor) {
            ExprKind::Real(value) => Some(value.is_zero()),
            _ => self.known_int(divisor).map(|n| n.is_zero()),
        };
        let zero = zero.or((!self.type_of[divisor.0 as usize].has_zero()).then_some(false));
        let span = self.ast.span(divisor);
        match zero {
            Some(false) => {}
            Some(true) => {
                self.findings.warn(span, format!("'{}' by zero: the result is any value", word(op)));
            }
            None => {
                let warning = self
                    .findings
                    .warn(span, format!("if this is zero, the result of '{}' is any value", word(op)));
                warning.help("guard the division, or assert that this is not zero");
            }
        }
    }

    pub(super) fn bitwise(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        let shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        match (self.base(&left), self.base(&right)) {
            (Type::Machine(x), Type::Machine(y)) if x == y || (shift && x.width == y.width) => {
                Type::Machine(x)
            }
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            _ => {
                let (left, right) = (self.show(&left), self.show(&right));
                self.error(span, format!("the operands of '{}' have types {left} and {right}, expected machine integers of one width", word(op)))
            }
        }
    }

    pub(super) fn concat(&mut self, a: ExprId, b: ExprId, span: Span) -> Type {
        let (left, right) = (self.infer(a), self.infer(b));
        match (self.base(&left), self.base(&right)) {
            (Type::Machine(x), Type::Machine(y)) if x.width + y.width <= WIDEST => {
                Type::Machine(Machine { signed: x.signed, width: x.width + y.width })
            }
            (Type::Machine(_), Type::Machine(_)) => {
                self.error(span, format!("a machine integer has 1 to {WIDEST} bits"))
            }
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            (found, _) => self.mismatch(span, "'++'", &found, "a machine integer"),
        }
    }

    pub(super) fn extract(&mut self, a: ExprId, high: u32, low: u32, span: Span) -> Type {
        let ty = self.infer(a);
        match self.base(&ty) {
            Type::Machine(m) if low <= high && high < m.width => {
                Type::Machine(Machine { signed: m.signed, width: high - low + 1 })
            }
            Type::Machine(m) => {
                self.error(span, format!("bits {high} to {low} are not in a word of {} bits", m.width))
            }
            Type::Error => Type::Error,
            _ => self.mismatch(span, "a bit selection", &ty, "a machine integer"),
        }
    }

    pub(super) fn membership(&mut self, a: ExprId, b: ExprId) -> Type {
        let collection = self.infer(b);
        let element = match self.base(&collection) {
            Type::Set(element) | Type::Map(element, _) => (*element).clone(),
            Type::Error => Type::Error,
            Type::Meta(_) => {
                let element = self.fresh();
                self.unify(&collection, &Type::Set(Arc::new(element.clone())));
                element
            }
            _ => self.mismatch(self.ast.span(b), "'in'", &collection, "a set or a map"),
        };
        self.check_expr(a, &element, "the left operand of 'in'");
        Type::Bool
    }

    pub(super) fn cast(&mut self, to: CastTo, a: ExprId) -> Type {
        let ty = self.infer(a);
        let base = self.base(&ty);
        let fits = matches!(
            (to, &base),
            (CastTo::Int, Type::Int | Type::Real | Type::Machine(_))
                | (CastTo::Real, Type::Int | Type::Real)
                | (CastTo::Machine(_), Type::Int | Type::Machine(_))
                | (_, Type::Error)
        );
        if !fits {
            self.mismatch(self.ast.span(a), "a conversion", &ty, "another number");
        }
        match to {
            CastTo::Int => Type::Int,
            CastTo::Real => Type::Real,
            CastTo::Machine(machine) => Type::Machine(machine),
        }
    }
}

fn word(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Slash => "/",
        Div => "div",
        Mod => "mod",
        And => "and",
        Or => "or",
        Xor => "xor",
        Implies => "=>",
        Eq => "=",
        Ne => "<>",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        In => "in",
        Concat => "++",
        BitAnd => "&&",
        BitOr => "||",
        ShiftLeft => "lsh",
        ShiftRight => "rsh",
        Arrow => "->",
    }
}
