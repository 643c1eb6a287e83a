//! The theories that terms need of a solver.

use buttress_term::{Node, Op, Sort, TermId, Terms};

/// The sorts and operators that occur.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Theory {
    pub integers: bool,
    pub reals: bool,
    pub words: bool,
    pub arrays: bool,
    /// Products, or quotients by what is not a constant.
    pub nonlinear: bool,
    /// Integer division or remainder, rounding.
    pub division: bool,
    /// Between words and integers.
    pub mixed: bool,
    /// Arrays from or to enumerations, which are written as integers: no range could be given to their elements.
    pub enumerations_in_arrays: bool,
}

impl Theory {
    /// Of a whole store.
    pub fn of(terms: &Terms) -> Theory {
        let mut theory = Theory::default();
        for term in terms.ids() {
            theory.add_sort(terms.sort(term));
            theory.add_operator(terms, term);
        }
        theory
    }

    fn add_sort(&mut self, sort: &Sort) {
        match sort {
            Sort::Bool => {}
            Sort::BitVec(_) => self.words = true,
            Sort::Int | Sort::Enum(_) => self.integers = true,
            Sort::Real => self.reals = true,
            Sort::Array(array) => {
                self.arrays = true;
                self.enumerations_in_arrays |=
                    [&array.index, &array.element].iter().any(|s| matches!(s, Sort::Enum(_)));
                self.add_sort(&array.index);
                self.add_sort(&array.element);
            }
        }
    }

    fn add_operator(&mut self, terms: &Terms, term: TermId) {
        let Node::Apply(op, _, operands) = terms.node(term) else { return };
        let open = |t: &&TermId| terms.as_constant(**t).is_none();
        match op {
            Op::Mul => self.nonlinear |= operands.iter().filter(open).count() > 1,
            Op::RealDiv => self.nonlinear |= open(&&operands[1]),
            Op::IntDiv | Op::IntMod => {
                self.nonlinear |= open(&&operands[1]);
                self.division = true;
            }
            Op::ToInt => self.division = true,
            Op::BvToNat | Op::BvToInt | Op::IntToBv => self.mixed = true,
            _ => {}
        }
    }

    /// The name of the smallest usual logic without quantifiers.
    pub fn logic(&self) -> String {
        let arithmetic = match (self.integers, self.reals) {
            (false, false) => "",
            (true, false) if self.nonlinear => "NIA",
            (true, false) => "LIA",
            (false, true) if self.nonlinear => "NRA",
            (false, true) => "LRA",
            (true, true) if self.nonlinear => "NIRA",
            (true, true) => "LIRA",
        };
        if self.words && !arithmetic.is_empty() {
            return "ALL".to_string();
        }
        match (self.arrays, self.words) {
            (true, true) => "QF_ABV".to_string(),
            (true, false) if arithmetic.is_empty() => "QF_AX".to_string(),
            (true, false) => format!("QF_AUF{arithmetic}"),
            (false, true) => "QF_BV".to_string(),
            (false, false) if arithmetic.is_empty() => "QF_UF".to_string(),
            (false, false) => format!("QF_{arithmetic}"),
        }
    }
}
