//! Variables and literals of the and-inverter graph, numbered as AIGER does: literal = 2·variable + sign.

use std::fmt;
use std::ops::{BitXor, Not};

/// A node of the graph: 0 is the constant, then inputs, latches and gates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Var {
    pub const CONSTANT: Var = Var(0);

    pub fn new(index: u32) -> Var {
        debug_assert!(index <= u32::MAX >> 1, "variable {index} has no literal");
        Var(index)
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn lit(self) -> Lit {
        Lit(self.0 << 1)
    }
}

impl Lit {
    pub const FALSE: Lit = Lit(0);
    pub const TRUE: Lit = Lit(1);

    pub fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    pub fn code(self) -> u32 {
        self.0
    }

    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// `lit ^ true` is the negation.
impl BitXor<bool> for Lit {
    type Output = Lit;
    fn bitxor(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negated() { "¬" } else { "" };
        write!(f, "{sign}n{}", self.0 >> 1)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}
