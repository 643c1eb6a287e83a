//! Operators on scalars.

use buttress_term::{Op, Sort, TermId};

use super::{Lowerer, Terms};
use crate::ast::{BinaryOp, CastTo, Machine};
use crate::types::Type;

/// Is the type a machine integer with a sign?
fn signed(ty: &Type) -> bool {
    matches!(ty.base(), Type::Machine(Machine { signed: true, .. }))
}

impl Lowerer<'_> {
    /// Equality of structures: of all their scalars.
    pub(super) fn equal(&mut self, a: &Terms, b: &Terms) -> TermId {
        let mut parts = Vec::new();
        a.zip(b, &mut |&a, &b| parts.push(self.system.terms.eq(a, b)));
        self.system.terms.all(&parts)
    }

    pub(super) fn choose(&mut self, condition: TermId, a: &Terms, b: &Terms) -> Terms {
        a.zip(b, &mut |&a, &b| self.system.terms.ite(condition, a, b))
    }

    /// An operator that is total on its operands; `ty` is the type of the left one.
    pub(super) fn scalar_operator(&mut self, op: BinaryOp, ty: &Type, a: TermId, b: TermId) -> TermId {
        let words = matches!(ty.base(), Type::Machine(_));
        let op = if words { word_operator(op, signed(ty)) } else { number_operator(op, ty) };
        self.system.terms.app(op, &[a, b])
    }

    pub(super) fn cast(&mut self, to: CastTo, from: &Type, a: TermId) -> TermId {
        let sort = self.system.terms.sort(a).clone();
        let terms = &mut self.system.terms;
        match (to, &sort) {
            (CastTo::Int, Sort::Real) => terms.app(Op::ToInt, &[a]),
            (CastTo::Int, Sort::BitVec(_)) if signed(from) => terms.app(Op::BvToInt, &[a]),
            (CastTo::Int, Sort::BitVec(_)) => terms.app(Op::BvToNat, &[a]),
            (CastTo::Real, Sort::Int) => terms.app(Op::ToReal, &[a]),
            (CastTo::Machine(machine), Sort::Int) => {
                terms.apply_indexed(Op::IntToBv, [machine.width, 0], &[a]).expect("the checker saw the types")
            }
            (CastTo::Machine(machine), Sort::BitVec(width)) => {
                self.resize(a, *width, machine.width, signed(from))
            }
            _ => a,
        }
    }

    /// Widens by the sign of what it was, or cuts.
    fn resize(&mut self, a: TermId, from: u32, to: u32, signed: bool) -> TermId {
        let terms = &mut self.system.terms;
        if to == from {
            return a;
        }
        if to < from {
            return terms.extract(a, to - 1, 0);
        }
        let op = if signed { Op::BvSignExtend } else { Op::BvZeroExtend };
        terms.apply_indexed(op, [to - from, 0], &[a]).expect("the checker saw the types")
    }

    /// −a
    pub(super) fn negate(&mut self, ty: &Type, a: TermId) -> TermId {
        let op = if matches!(ty.base(), Type::Machine(_)) { Op::BvNeg } else { Op::Neg };
        self.system.terms.app(op, &[a])
    }

    /// Zero of the sort of a term.
    pub(super) fn zero_like(&mut self, a: TermId) -> TermId {
        let zero = buttress_term::Value::zero(self.system.terms.sort(a));
        self.system.terms.constant(zero)
    }
}

fn number_operator(op: BinaryOp, ty: &Type) -> Op {
    let real = matches!(ty.base(), Type::Real);
    match op {
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Sub,
        BinaryOp::Mul => Op::Mul,
        BinaryOp::Slash if real => Op::RealDiv,
        BinaryOp::Slash | BinaryOp::Div => Op::IntDiv,
        BinaryOp::Mod => Op::IntMod,
        BinaryOp::Lt => Op::Lt,
        BinaryOp::Le => Op::Le,
        BinaryOp::Gt => Op::Gt,
        BinaryOp::Ge => Op::Ge,
        BinaryOp::And => Op::And,
        BinaryOp::Or => Op::Or,
        BinaryOp::Xor => Op::Xor,
        BinaryOp::Implies => Op::Implies,
        _ => unreachable!("no operator on numbers or Booleans"),
    }
}

/// On machine integers division rounds to zero, as in SMT-LIB and C.
fn word_operator(op: BinaryOp, signed: bool) -> Op {
    match (op, signed) {
        (BinaryOp::Add, _) => Op::BvAdd,
        (BinaryOp::Sub, _) => Op::BvSub,
        (BinaryOp::Mul, _) => Op::BvMul,
        (BinaryOp::Div | BinaryOp::Slash, true) => Op::BvSdiv,
        (BinaryOp::Div | BinaryOp::Slash, false) => Op::BvUdiv,
        (BinaryOp::Mod, true) => Op::BvSrem,
        (BinaryOp::Mod, false) => Op::BvUrem,
        (BinaryOp::Lt, true) => Op::BvSlt,
        (BinaryOp::Lt, false) => Op::BvUlt,
        (BinaryOp::Le, true) => Op::BvSle,
        (BinaryOp::Le, false) => Op::BvUle,
        (BinaryOp::Gt, true) => Op::BvSgt,
        (BinaryOp::Gt, false) => Op::BvUgt,
        (BinaryOp::Ge, true) => Op::BvSge,
        (BinaryOp::Ge, false) => Op::BvUge,
        (BinaryOp::BitAnd, _) => Op::BvAnd,
        (BinaryOp::BitOr, _) => Op::BvOr,
        (BinaryOp::Concat, _) => Op::BvConcat,
        (BinaryOp::ShiftLeft, _) => Op::BvShl,
        (BinaryOp::ShiftRight, true) => Op::BvAshr,
        (BinaryOp::ShiftRight, false) => Op::BvLshr,
        _ => unreachable!("no operator on words"),
    }
}
